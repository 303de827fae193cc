//! Checks the words of a command or structure against the fate of each field.
//!
//! In:  a packet and its words. Out: the error that stops the batch where a field asks for
//!      something that is not simulated, or, in strict mode, where a field has a value that it may
//!      not have.

use crate::fate::table::{Fate, Fates};
use crate::fate::{draw, legal, media, mi, state};
use crate::rules::FIELD_VALUE;
use eu::StopReason;
use hw::{Field, Packet};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The fates of all packets and structures.
pub fn all() -> impl Iterator<Item = &'static Fates> {
    let tables = [mi::ALL, media::ALL, draw::ALL, state::ALL];
    tables.into_iter().flatten()
}

/// The fates of a packet's fields.
pub fn fates_of(packet: &Packet) -> Option<&'static Fates> {
    all().find(|fates| std::ptr::eq(fates.packet, packet))
}

/// The checks of a packet, precomputed.
#[derive(Default)]
struct PacketChecks {
    never: bool,
    /// Mask of refused fields, by dword.
    refused: Vec<u32>,
    /// Fields for which strict mode requires certain values.
    only: Vec<(Field, &'static [u64], &'static str)>,
}

impl PacketChecks {
    fn from_fates(fates: &Fates) -> PacketChecks {
        let mut checks = PacketChecks {
            never: fates.never(),
            ..PacketChecks::default()
        };
        for field in fates.packet.fields {
            match fates.field_fate(field) {
                Some(Fate::Refused) => {
                    let dwords = usize::from(field.hi) / 32 + 1;
                    let all = checks.refused.len().max(dwords);
                    checks.refused.resize(all, 0);
                    for bit in field.lo..=field.hi {
                        checks.refused[usize::from(bit) / 32] |= 1 << (bit % 32);
                    }
                }
                Some(Fate::Only(values, source)) => checks.only.push((*field, values, source)),
                _ => {}
            }
        }
        checks
    }
}

fn checks(packet: &Packet) -> Option<&'static PacketChecks> {
    // Packets are statics: their address identifies them.
    static CHECKS: OnceLock<HashMap<usize, PacketChecks>> = OnceLock::new();
    let place = |packet: &Packet| std::ptr::from_ref(packet).addr();
    let checks = CHECKS.get_or_init(|| {
        let rows = all().map(|fates| (place(fates.packet), PacketChecks::from_fates(fates)));
        rows.collect()
    });
    checks.get(&place(packet))
}

/// Checks a command or structure at address `at`: an error if it uses something that is not
/// simulated or, in strict mode, has an illegal value.
///
/// # Errors [`StopReason::Unimplemented`] and, in strict mode, [`StopReason::Undefined`], with the
/// field's name.
pub(crate) fn check(
    packet: &Packet,
    words: &[u32],
    strict: bool,
    at: u64,
) -> Result<(), StopReason> {
    let Some(checks) = checks(packet) else {
        return Ok(());
    };
    if strict && !checks.never {
        legal::check(packet, words, at)?;
    }
    if checks.never {
        return Err(StopReason::Unimplemented {
            what: packet.name.into(),
            at,
        });
    }
    if words
        .iter()
        .zip(&checks.refused)
        .any(|(word, mask)| word & mask != 0)
    {
        return Err(refused(packet, words, at));
    }
    if !strict {
        return Ok(());
    }
    for (field, values, source) in &checks.only {
        let value = field.get(words);
        // A command in a shorter form lacks its last fields.
        if usize::from(field.hi) / 32 < words.len() && !values.contains(&value) {
            let what = format!("{}, {}: {value:#x} ({source})", packet.name, field.name);
            return Err(FIELD_VALUE.stop(what, at));
        }
    }
    Ok(())
}

/// The error for the first refused field that is nonzero.
fn refused(packet: &Packet, words: &[u32], at: u64) -> StopReason {
    let fates = fates_of(packet);
    let asks = |field: &&Field| {
        let refused = fates.and_then(|fates| fates.field_fate(field)) == Some(Fate::Refused);
        refused && field.get(words) != 0
    };
    let name = packet
        .fields
        .iter()
        .find(asks)
        .map_or("", |field| field.name);
    StopReason::Unimplemented {
        what: format!("{}, {name}", packet.name),
        at,
    }
}
