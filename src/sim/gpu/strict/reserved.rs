//! Bits that belong to no field.
//!
//! In:  a command or a structure, its words. Out: the first dword with such bits set.
//! Ref: SKL PRM vol. 2a and 2d, "Reserved: MBZ".

use crate::rules::RESERVED_BITS;
use eu::Stop;
use hw::{Packet, draw as packets, draw_state};

/// Commands that hold a structure: from which dword on, and which.
static HELD: &[(&Packet, usize, &Packet)] = &[
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

/// Bits that belong to no field. Commands of several forms are left alone.
pub(super) fn reserved(packet: &Packet, words: &[u32], at: u64) -> Result<(), Stop> {
    if packet.dwords == 0 || usize::from(packet.dwords) != words.len() {
        return Ok(());
    }
    for (index, word) in words.iter().enumerate() {
        let mut known = match index {
            0 => packet.header_mask | packet.length_mask,
            _ => 0,
        };
        let held = HELD.iter().filter(|held| std::ptr::eq(held.0, packet));
        let inner = held.flat_map(|(_, at, structure)| structure.fields.iter().map(|f| (*at, f)));
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
