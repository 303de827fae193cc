//! Checks reserved bits.
//!
//! In:  a command or a structure, its words. Out: an error at the first dword with reserved bits
//!      set.
//! Ref: SKL PRM vol. 2a and 2d, "Reserved: MBZ".

use crate::rules::RESERVED_BITS;
use eu::StopReason;
use hw::{Packet, draw as packets, draw_state};

/// Commands with an embedded structure, and the dword at which it starts.
static EMBEDDED: &[(&Packet, usize, &Packet)] = &[
    (
        &packets::state_constant_vs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_hs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_ds::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_gs::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
    (
        &packets::state_constant_ps::PACKET,
        1,
        &draw_state::state_constant_body::PACKET,
    ),
];

/// Checks that bits outside of all fields are zero. Commands with several forms are skipped.
pub(super) fn check_reserved_bits(
    packet: &Packet,
    words: &[u32],
    at: u64,
) -> Result<(), StopReason> {
    if packet.dwords == 0 || usize::from(packet.dwords) != words.len() {
        return Ok(());
    }
    for (index, word) in words.iter().enumerate() {
        let mut known = match index {
            0 => packet.header_mask | packet.length_mask,
            _ => 0,
        };
        let embedded = EMBEDDED
            .iter()
            .filter(|embedded| std::ptr::eq(embedded.0, packet));
        let inner =
            embedded.flat_map(|(_, at, structure)| structure.fields.iter().map(|f| (*at, f)));
        for (at, field) in packet.fields.iter().map(|f| (0, f)).chain(inner) {
            let first = index * 32;
            let (lo, hi) = (
                usize::from(field.lo) + at * 32,
                usize::from(field.hi) + at * 32,
            );
            if hi >= first && lo < first + 32 {
                let (lo, hi) = (lo.max(first) - first, hi.min(first + 31) - first);
                known |= u32::MAX >> (31 - (hi - lo)) << lo;
            }
        }
        RESERVED_BITS.check(word & !known == 0, at, || {
            format!("{}, dword {index}: bits {:#x}", packet.name, word & !known)
        })?;
    }
    Ok(())
}
