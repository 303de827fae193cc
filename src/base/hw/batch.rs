//! The batch decoder: dwords to packets, and packets to text.

use crate::generation::Gen;
use crate::packet::{FieldKind, Packet};
use crate::{draw, gen8, media, mi, value};
use std::fmt::Write;

/// One command of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// Offset in the batch, in dwords.
    pub at_dw: usize,
    /// Its dwords; fewer than `length_dw` if the batch ends within the command.
    pub words: &'a [u32],
    /// Its description; `None` for commands that are not in the tables.
    pub packet: Option<&'static Packet>,
    /// Length in dwords according to its header.
    pub length_dw: usize,
}

/// Generations all of whose commands are in the tables. Batches of other generations cannot be
/// decoded, and so not simulated.
pub const COMPLETE_GENERATIONS: &[Gen] = &[Gen::Gen9];

/// The commands of a generation.
pub fn packets(hw_gen: Gen) -> impl Iterator<Item = &'static Packet> {
    let tables = [mi::ALL, media::ALL, draw::ALL, gen8::ALL];
    let all = tables.into_iter().flatten().copied();
    all.filter(move |packet| packet.is_on(hw_gen))
}

/// The packet that a command with this first dword is.
pub fn find_packet(first: u32, hw_gen: Gen) -> Option<&'static Packet> {
    packets(hw_gen).find(|packet| packet.matches(first))
}

/// Length of a command in dwords by the rules of its command type; works for commands that are not
/// in the tables.
/// Ref: SKL PRM vol. 2a, "Command Header" formats.
pub fn length_dw(first: u32) -> usize {
    let short = (first & 0xff) as usize + 2;
    match first >> 29 {
        // MI: opcodes below 0x10 are one dword.
        0 if first >> 23 & 0x3f < 0x10 => 1,
        0 => (first & 0x3f) as usize + 2,
        2 => short,
        3 => match (first >> 27 & 3, first >> 24 & 7) {
            // Common commands are one dword.
            (1, _) => 1,
            // Media commands have a length field of 16 bits.
            (2, _) => (first & 0xffff) as usize + 2,
            _ => short,
        },
        _ => 1,
    }
}

/// Iterates over the commands of a batch up to MI_BATCH_BUFFER_END or the end of `words`.
pub fn commands(words: &[u32], hw_gen: Gen) -> impl Iterator<Item = Command<'_>> {
    let mut at = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        let first = *words.get(at).filter(|_| !ended)?;
        let packet = find_packet(first, hw_gen);
        let length = packet
            .map_or_else(|| length_dw(first), |p| p.length(first))
            .max(1);
        let command = Command {
            at_dw: at,
            words: &words[at..words.len().min(at + length)],
            packet,
            length_dw: length,
        };
        ended = packet.is_some_and(|p| std::ptr::eq(p, &mi::mi_batch_buffer_end::PACKET));
        at += length;
        Some(command)
    })
}

/// Formats a command: its address, name and nonzero fields. `address` is that of the batch.
pub fn format_command(command: &Command<'_>, address: u64) -> String {
    let at = address + command.at_dw as u64 * 4;
    let mut text = format!("{at:#014x}: ");
    let Some(packet) = command.packet else {
        let _ = writeln!(text, "? {:08x?}", command.words);
        return text;
    };
    let _ = writeln!(text, "{}", packet.name);
    text.push_str(&format_fields(packet, command.words));
    if command.words.len() < command.length_dw {
        let _ = writeln!(text, "    (truncated)");
    }
    text
}

/// Formats the nonzero fields of a packet or state structure, one line each.
pub fn format_fields(packet: &Packet, words: &[u32]) -> String {
    let mut text = String::new();
    for field in packet.fields {
        if usize::from(field.lo / 32) >= words.len() {
            break;
        }
        let value = field.get(words);
        if value == 0 {
            continue;
        }
        let name = field.name;
        let _ = match field.kind {
            FieldKind::Bool | FieldKind::MustBeOne => {
                writeln!(text, "    {name}")
            }
            FieldKind::Int => writeln!(text, "    {name}: {}", value as i64),
            FieldKind::Uint if value < 10_000 => match value::name(packet, name, value) {
                Some(named) => writeln!(text, "    {name}: {value} ({named})"),
                None => writeln!(text, "    {name}: {value}"),
            },
            FieldKind::Float => {
                writeln!(text, "    {name}: {}", f32::from_bits(value as u32))
            }
            _ => writeln!(text, "    {name}: {value:#x}"),
        };
    }
    text
}
