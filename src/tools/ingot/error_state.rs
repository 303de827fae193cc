//! The error state that i915 keeps after a hang: decoded, with the command that hung marked.
//!
//! In:  the text of /sys/class/drm/cardN/error. Out: its registers, and the batches as listings.
//!      A line names the engine, kind and address of a buffer; the next one, which starts with `:`,
//!      has the buffer's bytes, deflated (zlib), then as ascii85 of words, most significant digit
//!      first, with `z` for a zero word; with `~` it is not compressed.
//! Ref: Linux, drivers/gpu/drm/i915/i915_gpu_error.c; SKL PRM vol. 2c (INSTDONE registers).

use std::fmt::Write as _;
use std::io::Read as _;

/// Limit of a buffer's size: an error state holds whole buffers, but no gigabytes.
const MAX_BUFFER_BYTES: u64 = 256 << 20;

/// A buffer of an error state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedBuffer {
    /// The engine's name.
    pub engine: String,
    /// What it is: `batch`, `user`, `ring`, `HW context` and so on.
    pub kind: String,
    /// GPU address.
    pub address: u64,
    /// Its words, or why they cannot be read.
    pub words: Result<Vec<u32>, String>,
}

/// A decoded error state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorState {
    /// The lines before the first buffer.
    pub header: Vec<String>,
    /// PCI device id.
    pub pci_id: Option<u16>,
    /// The command that the engine executed last.
    pub acthd: Option<u64>,
    /// The buffers.
    pub buffers: Vec<CapturedBuffer>,
}

/// Names of the units of an INSTDONE register by bit. A clear bit is a busy unit.
struct DoneRegister(&'static str, &'static [(u8, &'static str)]);

static DONE_REGISTERS: &[DoneRegister] = &[
    DoneRegister(
        "SC_INSTDONE",
        &[
            (0, "SVL"),
            (1, "WMFE"),
            (2, "WMBE"),
            (3, "HIZ"),
            (4, "STC"),
            (5, "IZ"),
            (6, "SBE"),
            (8, "RCZ"),
            (9, "RCC"),
            (10, "RCPBE"),
            (11, "RCPFE"),
            (12, "DAPB"),
            (13, "DAPRBE"),
            (15, "SARB"),
            (16, "DC0"),
            (17, "DC1"),
            (18, "DC2"),
            (19, "DC3"),
            (20, "GW0"),
            (21, "GW1"),
            (22, "GW2"),
            (23, "GW3"),
            (24, "TDC"),
        ],
    ),
    DoneRegister(
        "ROW_INSTDONE",
        &[
            (0, "BC"),
            (1, "PSD"),
            (3, "DAPR"),
            (6, "TDL"),
            (12, "IC"),
            (15, "MA0"),
            (16, "EU00"),
            (17, "EU01"),
            (18, "EU02"),
            (19, "EU03"),
            (21, "EU10"),
            (22, "EU11"),
            (23, "EU12"),
            (24, "EU13"),
            (26, "MA1"),
        ],
    ),
    DoneRegister(
        "SAMPLER_INSTDONE",
        &[
            (0, "IME"),
            (1, "PL0"),
            (2, "SO0"),
            (3, "DG0"),
            (4, "FT0"),
            (5, "DM0"),
            (6, "SC"),
            (7, "FL0"),
            (8, "QC"),
            (9, "SVSM"),
            (10, "SI0"),
            (11, "MT0"),
            (12, "AVS"),
            (13, "IEF"),
            (14, "CRE"),
        ],
    ),
    DoneRegister(
        "INSTDONE",
        &[
            (1, "VFG"),
            (2, "VS"),
            (3, "HS"),
            (4, "TE"),
            (5, "DS"),
            (6, "GS"),
            (7, "SOL"),
            (8, "CL"),
            (9, "SF"),
            (12, "TDG"),
            (13, "URBM"),
            (14, "SVG"),
            (15, "GAFS"),
            (16, "VFE"),
            (17, "TSG"),
            (18, "GAFM"),
            (19, "GAM"),
            (20, "RS"),
            (21, "CS"),
            (22, "SDE"),
            (23, "RCCFBC CS"),
        ],
    ),
];

/// True if the bytes are an error state: text with a hang's or a kernel's line and engine blocks.
pub fn is_error_state(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    start.contains("PCI ID: 0x") && (start.contains("GPU HANG") || start.contains("Kernel: "))
}

/// Numbers of a line in hexadecimal: `0x` and digits, which may contain `_`; a word of eight digits
/// without `0x` continues the number before it.
fn numbers(text: &str) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    for word in text
        .split([' ', ',', '[', ']', ':'])
        .filter(|word| !word.is_empty())
    {
        let digits = word.strip_prefix("0x").unwrap_or(word).replace('_', "");
        let Ok(number) = u64::from_str_radix(&digits, 16) else {
            continue;
        };
        match (word.starts_with("0x"), found.last_mut()) {
            (false, Some(last)) if digits.len() == 8 && *last <= u64::from(u32::MAX) => {
                *last = *last << 32 | number;
            }
            (true, _) => found.push(number),
            _ => {}
        }
    }
    found
}

/// Undoes ascii85. Stops at the first character that is not of the code.
fn decode_ascii85(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut digits = text.bytes().take_while(|byte| (b'!'..=b'z').contains(byte));
    while let Some(first) = digits.next() {
        let mut word = 0_u32;
        if first != b'z' {
            word = u32::from(first - b'!');
            for _ in 0..4 {
                let Some(digit) = digits.next() else {
                    return bytes;
                };
                let digit = u32::from(digit.wrapping_sub(b'!'));
                word = word.wrapping_mul(85).wrapping_add(digit);
            }
        }
        bytes.extend(word.to_le_bytes());
    }
    bytes
}

/// The words of a buffer's line.
fn decode_buffer(line: &str) -> Result<Vec<u32>, String> {
    let (marker, digits) = line.split_at(1);
    let mut bytes = decode_ascii85(digits);
    if marker == ":" {
        let mut inflated = Vec::new();
        let stream = flate2::read::ZlibDecoder::new(bytes.as_slice());
        let read = stream.take(MAX_BUFFER_BYTES).read_to_end(&mut inflated);
        // The kernel may end a stream early, when memory was short.
        match read {
            Err(error) if inflated.is_empty() => return Err(format!("zlib: {error}")),
            _ => bytes = inflated,
        }
    }
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect())
}

impl ErrorState {
    /// Parses an error state. Err: it has no buffers and no registers.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut state = ErrorState::default();
        let mut place: Option<(String, String, u64)> = None;
        for line in text.lines() {
            if let Some((engine, rest)) = line.split_once(" --- ") {
                let (kind, address) = rest.split_once('=').unwrap_or((rest, ""));
                let address = numbers(address).first().copied().unwrap_or(0);
                place = Some((engine.trim().into(), kind.trim().into(), address));
            } else if line.starts_with([':', '~']) {
                if let Some((engine, kind, address)) = place.take() {
                    state.buffers.push(CapturedBuffer {
                        engine,
                        kind,
                        address,
                        words: decode_buffer(line),
                    });
                }
            } else if state.buffers.is_empty() && place.is_none() {
                state.note_header(line);
            }
        }
        match state.header.is_empty() {
            true => Err("an error state without a header".into()),
            false => Ok(state),
        }
    }

    fn note_header(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("PCI ID:") {
            let id = numbers(rest).first().copied();
            self.pci_id = id.and_then(|id| u16::try_from(id).ok());
        }
        if let (Some(rest), None) = (trimmed.strip_prefix("ACTHD:"), self.acthd) {
            self.acthd = numbers(rest).first().copied();
        }
        self.header.push(line.into());
    }

    /// The device, by its PCI id.
    pub fn device(&self) -> Option<&'static hw::Device> {
        self.pci_id.and_then(hw::Device::by_pci_id)
    }

    /// The state as text: the header with the busy units of INSTDONE, then each buffer; batches are
    /// listed, with a mark at the command that ACTHD points into.
    pub fn format(&self, hw_gen: hw::Gen) -> String {
        let mut text = String::new();
        for line in &self.header {
            let _ = writeln!(text, "{line}");
            if let Some(units) = busy_units(line) {
                let _ = writeln!(text, "    busy: {units}");
            }
        }
        // ACTHD has the address without its sign extension, or with it.
        let acthd = self.acthd.map(|address| address & 0xffff_ffff_ffff);
        for buffer in &self.buffers {
            let address = buffer.address & 0xffff_ffff_ffff;
            let (engine, kind) = (&buffer.engine, &buffer.kind);
            let words = match &buffer.words {
                Ok(words) => words,
                Err(why) => {
                    let _ = writeln!(text, "{engine} {kind} at {address:#014x}: {why}");
                    continue;
                }
            };
            let bytes = words.len() as u64 * 4;
            let _ = writeln!(text, "{engine} {kind} at {address:#014x}, {bytes} bytes");
            let hung = acthd.filter(|at| (address..address + bytes).contains(at));
            if hung.is_none() && !matches!(kind.as_str(), "batch" | "gtt_offset") {
                continue;
            }
            list(&mut text, words, address, hung, hw_gen);
        }
        if acthd.is_none() {
            text.push_str("There is no ACTHD: no engine was busy\n");
        }
        text
    }
}

/// Lists a batch. The mark stands before the command that contains `hung`. ACTHD may already point
/// behind the command that hung: that one then stands right above.
fn list(text: &mut String, words: &[u32], address: u64, hung: Option<u64>, hw_gen: hw::Gen) {
    for command in hw::batch::commands(words, hw_gen) {
        let start = address + command.at_dw as u64 * 4;
        let end = start + command.length_dw as u64 * 4;
        if hung.is_some_and(|at| (start..end).contains(&at)) {
            text.push_str(">>> ACTHD: the command streamer is here\n");
        }
        text.push_str(&hw::batch::format_command(&command, address));
    }
}

/// The busy units of a line with an INSTDONE register; `None` for any other line.
fn busy_units(line: &str) -> Option<String> {
    let trimmed = line.trim_start();
    let (name, value) = trimmed.split_once(": 0x")?;
    let register = DONE_REGISTERS
        .iter()
        .find(|register| name == register.0 || name.starts_with(&format!("{}[", register.0)))?;
    let value = u32::from_str_radix(value.split_whitespace().next()?, 16).ok()?;
    let busy = register.1.iter().filter(|(bit, _)| value >> bit & 1 == 0);
    let names: Vec<&str> = busy.map(|(_, name)| *name).collect();
    Some(match names.is_empty() {
        true => "none".into(),
        false => names.join(", "),
    })
}

#[cfg(test)]
mod tests;
