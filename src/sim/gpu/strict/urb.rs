//! Checks the partition of the URB.
//!
//! In:  3DSTATE_URB_* and 3DSTATE_PUSH_CONSTANT_ALLOC_* as latched when a draw executes, the L3
//!      configuration. Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, "3DSTATE_URB_VS" and its like, "3DSTATE_PUSH_CONSTANT_ALLOC_VS" and its
//!      like; vol. 2c, "L3CNTLREG".

use crate::draw_state::DrawState;
use crate::rules::{URB_ENTRIES, URB_OVERLAP};
use eu::StopReason;
use hw::{Device, Field, Packet, draw};

/// A stage's URB entries: command, number, size in 64 bytes minus one, start in 8 KB.
struct Entries {
    stage: &'static str,
    packet: &'static Packet,
    number: Field,
    size: Field,
    start: Field,
    /// Minimum number of entries, of large and of low-power devices; below, the maximum.
    min: [u64; 2],
    max: [u64; 2],
}

macro_rules! entries {
    ($stage:literal, $packet:ident, $number:ident, $size:ident, $start:ident, $min:expr, $max:expr) => {
        Entries {
            stage: $stage,
            packet: &draw::$packet::PACKET,
            number: draw::$packet::$number,
            size: draw::$packet::$size,
            start: draw::$packet::$start,
            min: $min,
            max: $max,
        }
    };
}

#[rustfmt::skip]
static STAGE_ENTRIES: [Entries; 4] = [
    entries!("VS", state_urb_vs, VS_NUMBER_OF_URB_ENTRIES, VS_URB_ENTRY_ALLOCATION_SIZE, VS_URB_STARTING_ADDRESS, [64, 34], [1856, 704]),
    entries!("HS", state_urb_hs, HS_NUMBER_OF_URB_ENTRIES, HS_URB_ENTRY_ALLOCATION_SIZE, HS_URB_STARTING_ADDRESS, [0; 2], [672, 256]),
    entries!("DS", state_urb_ds, DS_NUMBER_OF_URB_ENTRIES, DS_URB_ENTRY_ALLOCATION_SIZE, DS_URB_STARTING_ADDRESS, [0; 2], [1120, 416]),
    entries!("GS", state_urb_gs, GS_NUMBER_OF_URB_ENTRIES, GS_URB_ENTRY_ALLOCATION_SIZE, GS_URB_STARTING_ADDRESS, [0; 2], [640, 256]),
];

/// Minimum number of entries of a stage that is enabled: tessellated patches need entries of their
/// own.
static ENABLED_MINIMUM: [(&str, &Packet, Field, u64); 3] = [
    ("HS", &draw::state_hs::PACKET, draw::state_hs::ENABLE, 1),
    ("DS", &draw::state_ds::PACKET, draw::state_ds::ENABLE, 34),
    ("GS", &draw::state_gs::PACKET, draw::state_gs::ENABLE, 1),
];

macro_rules! constants {
    ($stage:literal, $packet:ident, $start:ident, $size:ident) => {
        (
            $stage,
            &draw::$packet::PACKET,
            draw::$packet::$start,
            draw::$packet::$size,
        )
    };
}

/// Push constants of a stage: command, offset and size in KB.
static CONSTANTS: [(&str, &Packet, Field, Field); 5] = [
    constants!(
        "VS",
        state_push_constant_alloc_vs,
        CONSTANT_BUFFER_OFFSET,
        CONSTANT_BUFFER_SIZE
    ),
    constants!(
        "HS",
        state_push_constant_alloc_hs,
        CONSTANT_BUFFER_OFFSET,
        CONSTANT_BUFFER_SIZE
    ),
    constants!(
        "DS",
        state_push_constant_alloc_ds,
        CONSTANT_BUFFER_OFFSET,
        CONSTANT_BUFFER_SIZE
    ),
    constants!(
        "GS",
        state_push_constant_alloc_gs,
        CONSTANT_BUFFER_OFFSET,
        CONSTANT_BUFFER_SIZE
    ),
    constants!(
        "PS",
        state_push_constant_alloc_ps,
        CONSTANT_BUFFER_OFFSET,
        CONSTANT_BUFFER_SIZE
    ),
];

/// Maximum size of the URB of all slices that the fixed functions use. Ref: vol. 5, "L3 Allocation
/// and Programming".
const MAX_URB_BYTES: u64 = 1008 << 10;

/// Size of a slice's URB in bytes, by L3CNTLREG; 0 means the configuration after reset. The
/// commands divide the URB of each slice alike.
fn urb_bytes(l3: u32, device: &Device) -> u64 {
    let all = match l3 {
        0 => device.urb_bytes().into(),
        _ => u64::from(l3 >> 1 & 0x7f) * u64::from(device.l3_way_bytes()),
    };
    all.min(MAX_URB_BYTES) / u64::from(device.slices)
}

/// Checks the state that a draw uses.
pub(super) fn check(
    state: &DrawState,
    l3: u32,
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    let part = usize::from(device.low_power);
    let mut ranges: Vec<(u64, u64, String)> = Vec::new();
    for (stage, packet, offset, size) in CONSTANTS {
        let start = state.get(packet, offset) << 10;
        let end = start + (state.get(packet, size) << 10);
        ranges.push((start, end, format!("{stage} push constants")));
    }
    for entries in &STAGE_ENTRIES {
        let field = |field| state.get(entries.packet, field);
        let (number, size) = (field(entries.number), field(entries.size) + 1);
        let stage = entries.stage;
        let enabled = ENABLED_MINIMUM
            .iter()
            .find(|(name, packet, enable, _)| *name == stage && state.flag(packet, *enable));
        let min = enabled.map_or(entries.min[part], |(.., min)| *min);
        let max = entries.max[part];
        URB_ENTRIES.check((min..=max).contains(&number), at, || {
            format!("{number} of {stage}, where {min} to {max} can be")
        })?;
        let whole = size >= 9 || number.is_multiple_of(8);
        URB_ENTRIES.check(whole, at, || {
            format!("{number} of {stage} with {size} rows each")
        })?;
        let start = field(entries.start) << 13;
        ranges.push((
            start,
            start + number * size * 64,
            format!("{stage} entries"),
        ));
    }
    ranges.retain(|(start, end, _)| start < end);
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        if let [(_, end, first), (start, _, second)] = pair {
            URB_OVERLAP.check(end <= start, at, || {
                format!("{first} up to byte {end:#x}, {second} from {start:#x}")
            })?;
        }
    }
    let size = urb_bytes(l3, device);
    let last = ranges.iter().max_by_key(|(_, end, _)| *end);
    let holds = last.is_none_or(|(_, end, _)| *end <= size);
    URB_OVERLAP.check(holds, at, || match last {
        Some((_, end, name)) => format!("{name} up to byte {end:#x} of {size:#x}"),
        None => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str) -> &'static Device {
        Device::by_name(name).expect("a device")
    }

    /// The rule that a draw breaks. Starts from what a driver programs for vertices and pixels,
    /// with some fields changed.
    fn rule_of(l3: u32, changes: &[(&'static Packet, Field, u64)]) -> Option<&'static str> {
        rule_on("skl", l3, changes)
    }

    fn rule_on(
        name: &str,
        l3: u32,
        changes: &[(&'static Packet, Field, u64)],
    ) -> Option<&'static str> {
        use draw::{state_push_constant_alloc_ps as ps, state_push_constant_alloc_vs as vs};
        let usual = [
            (&vs::PACKET, vs::CONSTANT_BUFFER_SIZE, 16),
            (&ps::PACKET, ps::CONSTANT_BUFFER_OFFSET, 16),
            (&ps::PACKET, ps::CONSTANT_BUFFER_SIZE, 16),
            (STAGE_ENTRIES[0].packet, STAGE_ENTRIES[0].start, 4),
            (STAGE_ENTRIES[0].packet, STAGE_ENTRIES[0].number, 1024),
            (STAGE_ENTRIES[0].packet, STAGE_ENTRIES[0].size, 1),
            (STAGE_ENTRIES[3].packet, STAGE_ENTRIES[3].start, 20),
        ];
        let mut state = DrawState::default();
        for (packet, field, value) in usual.iter().chain(changes) {
            let mut words = state.words(packet).to_vec();
            if words.is_empty() {
                words = packet.words::<2>().dwords.to_vec();
            }
            field.set(&mut words, *value);
            state.latch(packet, &words);
        }
        match check(&state, l3, device(name), 0) {
            Ok(()) => None,
            Err(StopReason::Undefined { rule, .. }) => Some(rule),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn entry_counts_are_in_range() {
        let [vs, _, _, gs] = &STAGE_ENTRIES;
        assert_eq!(rule_of(0, &[]), None);
        for (number, rule) in [
            (0, Some("urb-entries")),
            (56, Some("urb-entries")),
            (64, None),
            (68, Some("urb-entries")),
            (1856, None),
            (1864, Some("urb-entries")),
        ] {
            let last = (gs.packet, gs.start, 40);
            let changes = [(vs.packet, vs.number, number), last];
            assert_eq!(rule_of(0, &changes), rule, "{number}");
        }
        // Entries of nine or more rows need not come in multiples of eight.
        let odd = [(gs.packet, gs.number, 3), (gs.packet, gs.size, 7)];
        assert_eq!(rule_of(0, &odd), Some("urb-entries"));
        let odd = [(gs.packet, gs.number, 3), (gs.packet, gs.size, 8)];
        assert_eq!(rule_of(0, &odd), None);
        let max = |number| [(gs.packet, gs.number, number)];
        assert_eq!(rule_of(0, &max(648)), Some("urb-entries"));
        assert_eq!(rule_of(0, &max(640)), None);
    }

    #[test]
    fn ranges_do_not_overlap() {
        let [vs, _, _, gs] = &STAGE_ENTRIES;
        let overlap = Some("urb-overlap");
        // 1024 entries of 128 bytes from 32 KB on end at 160 KB, where those of the GS may begin.
        let gs_at = |start| [(gs.packet, gs.number, 8), (gs.packet, gs.start, start)];
        assert_eq!(rule_of(0, &gs_at(20)), None);
        assert_eq!(rule_of(0, &gs_at(19)), overlap);
        assert_eq!(rule_of(0, &gs_at(4)), overlap);
        // A stage without entries occupies nothing.
        let none = [(gs.packet, gs.start, 4)];
        assert_eq!(rule_of(0, &none), None);
        // Push constants: of 16 KB each, below the entries.
        assert_eq!(rule_of(0, &[(vs.packet, vs.start, 3)]), overlap);
        let (_, pixels, offset, size) = CONSTANTS[4];
        assert_eq!(rule_of(0, &[(pixels, offset, 15)]), overlap);
        assert_eq!(rule_of(0, &[(pixels, size, 17)]), overlap);
        assert_eq!(rule_of(0, &[(pixels, size, 15)]), None);
    }

    #[test]
    fn urb_ranges_fit_the_urb() {
        let [_, _, _, gs] = &STAGE_ENTRIES;
        let overlap = Some("urb-overlap");
        // 64 entries of 128 bytes are 8 KB, of the 384 KB.
        let at = |start| {
            [
                (gs.packet, gs.number, 64),
                (gs.packet, gs.size, 1),
                (gs.packet, gs.start, start),
            ]
        };
        assert_eq!(rule_of(0, &at(47)), None);
        assert_eq!(rule_of(0, &at(48)), overlap);
        // With 32 ways the URB has 256 KB.
        assert_eq!(rule_of(32 << 1, &at(31)), None);
        assert_eq!(rule_of(32 << 1, &at(32)), overlap);
        // Each slice's URB: 192 KB with two banks; 384 KB of a GT3, whose two slices have 768; 336
        // KB of a GT4, whose three slices use 1008 of 1152.
        for (name, chunks) in [("skl-1902", 24), ("skl-1923", 48), ("skl-1932", 42)] {
            for l3 in [0, 48 << 1] {
                let on = |start| {
                    let small = (STAGE_ENTRIES[0].packet, STAGE_ENTRIES[0].number, 128);
                    rule_on(name, l3, &[&at(start)[..], &[small]].concat())
                };
                assert_eq!(on(chunks - 1), None, "{name}");
                assert_eq!(on(chunks), overlap, "{name}");
            }
        }
        // With SLM, two banks have 64 KB.
        let small = (STAGE_ENTRIES[0].packet, STAGE_ENTRIES[0].number, 64);
        let shared = |start| {
            rule_on(
                "skl-1902",
                1 | 16 << 1,
                &[&at(start)[..], &[small]].concat(),
            )
        };
        assert_eq!((shared(7), shared(8)), (None, overlap));
    }
}
