//! What becomes of each field of each command and state structure.
//!
//! In:  the tables of `hw`, the words of a command. Out: the end of a batch whose words ask for what is not simulated, or break
//! what one field alone can break.
//! A field that nobody reads is a hole through which a wrong driver draws the right picture, so each has one of these fates:
//!
//! | in the tables | meaning |
//! | --- | --- |
//! | `modelled` | a unit asks for it |
//! | `bound` | the same, of a limit or an allowance: what stays within it shows no difference |
//! | `words("FILE")` | the same, by whole words, in this file |
//! | `ruled("RULE")` | strict mode asks for it, by this rule |
//! | `allows("RULE")` | the same, of a limit or an allowance: what stays within it shows no difference |
//! | `only([VALUES], "SOURCE")` | strict mode demands one of these values |
//! | `inert(REASON)` | no result depends on it |
//! | `refused` | anything but 0 stops as not simulated yet |
//! | `never` | the whole command does |
//!
//! Beside its fate, `legal` has the values that a field may have: strict mode stops at a reserved one.
//!
//! Tests read the tables and the units' sources: no field without a fate, none with two, none that is called modelled or ruled
//! and that nobody asks for, none that is called inert or refused and that a unit does ask for.

mod draw;
mod legal;
mod media;
pub(crate) mod message;
mod mi;
mod reason;
pub mod register;
mod state;
#[cfg(test)]
mod tests;

use crate::rules::FIELD_VALUE;
use eu::Stop;
use hw::{Field, Packet};
use std::collections::HashMap;
use std::sync::OnceLock;

/// What becomes of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A unit asks for it.
    Modelled,
    /// A unit compares with it: what stays within it shows no difference.
    Bound,
    /// A unit reads the words that hold it, in this file.
    Words(&'static str),
    /// Strict mode asks for it, by the rule of this name.
    Ruled(&'static str),
    /// Strict mode compares with it, by the rule of this name: what stays within it shows no difference.
    Allows(&'static str),
    /// Strict mode demands one of these values; the second says where that stands.
    Only(&'static [u64], &'static str),
    /// No result depends on it, and why.
    Inert(&'static str),
    /// Anything but 0 is not simulated yet.
    Refused,
    /// The command that holds it is not.
    Never,
}

/// Which field a row is about.
#[derive(Clone, Copy, Debug)]
enum Which {
    Field(Field),
    /// All of this name, of packets that hold a table; `*` is every field.
    Named(&'static str),
}

impl Which {
    fn is(self, field: &Field) -> bool {
        match self {
            Which::Field(own) => own == *field,
            Which::Named("*") => true,
            Which::Named(name) => name == field.name,
        }
    }
}

/// The fates of a packet's fields.
#[derive(Clone, Copy, Debug)]
pub struct Fates {
    /// Whose fields.
    pub packet: &'static Packet,
    rows: &'static [(&'static [Which], Fate)],
}

impl Fates {
    /// The fates that the table gives a field: one, if the table is right.
    fn all_of(&self, field: &Field) -> impl Iterator<Item = Fate> {
        let rows = self.rows.iter();
        let found = rows.filter(|(which, _)| which.iter().any(|which| which.is(field)));
        found.map(|(_, fate)| *fate)
    }

    /// The fate of one of the packet's fields.
    pub fn of(&self, field: &Field) -> Option<Fate> {
        self.all_of(field).next()
    }

    /// True if the command as a whole is not simulated.
    pub fn never(&self) -> bool {
        self.rows.iter().any(|(_, fate)| *fate == Fate::Never)
    }
}

/// One fate, as the tables write it.
macro_rules! fate {
    (never) => {
        $crate::fate::Fate::Never
    };
    (modelled) => {
        $crate::fate::Fate::Modelled
    };
    (bound) => {
        $crate::fate::Fate::Bound
    };
    (refused) => {
        $crate::fate::Fate::Refused
    };
    (words($file:literal)) => {
        $crate::fate::Fate::Words($file)
    };
    (ruled($rule:literal)) => {
        $crate::fate::Fate::Ruled($rule)
    };
    (inert($why:ident)) => {
        $crate::fate::Fate::Inert($why)
    };
    (allows($rule:literal)) => {
        $crate::fate::Fate::Allows($rule)
    };
    (only($values:tt, $source:literal)) => {
        $crate::fate::Fate::Only(&$values, $source)
    };
}

/// Declares the fates of a table's packets.
macro_rules! fates {
    ($($table:ident::$packet:ident { $(
        $kind:ident $(($($argument:tt)*))? $(: $($field:ident),+)? $(named $($name:literal),+)? ;
    )* })*) => {
        /// The fates of this table's packets.
        pub(super) static ALL: &[$crate::fate::Fates] = &[$($crate::fate::Fates {
            packet: &$table::$packet::PACKET,
            rows: &[$((
                &[
                    $($($crate::fate::Which::Field($table::$packet::$field)),+)?
                    $($($crate::fate::Which::Named($name)),+)?
                ],
                $crate::fate::fate!($kind $(($($argument)*))?),
            )),*],
        }),*];
    };
}
use {fate, fates};

/// Every packet's and structure's.
pub fn all() -> impl Iterator<Item = &'static Fates> {
    let tables = [mi::ALL, media::ALL, draw::ALL, state::ALL];
    tables.into_iter().flatten()
}

/// The fates of a packet's fields.
pub fn of(packet: &Packet) -> Option<&'static Fates> {
    all().find(|fates| std::ptr::eq(fates.packet, packet))
}

/// What is looked at whenever a packet comes.
#[derive(Default)]
struct Checks {
    never: bool,
    /// Bits of refused fields, by dword.
    refused: Vec<u32>,
    /// Fields with values that strict mode demands.
    only: Vec<(Field, &'static [u64], &'static str)>,
}

impl Checks {
    fn of(fates: &Fates) -> Checks {
        let mut checks = Checks {
            never: fates.never(),
            ..Checks::default()
        };
        for field in fates.packet.fields {
            match fates.of(field) {
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

fn checks(packet: &Packet) -> Option<&'static Checks> {
    // By the packet's place: each is a static.
    static CHECKS: OnceLock<HashMap<usize, Checks>> = OnceLock::new();
    let place = |packet: &Packet| std::ptr::from_ref(packet).addr();
    let checks = CHECKS.get_or_init(|| {
        let rows = all().map(|fates| (place(fates.packet), Checks::of(fates)));
        rows.collect()
    });
    checks.get(&place(packet))
}

/// Ends a batch at a command or structure that is not simulated as it is, or, in strict mode, that has a value it may not
/// have. `at` is its address.
///
/// # Errors
/// [`Stop::Unimplemented`] and, in strict mode, [`Stop::Undefined`], with the field's name.
pub(crate) fn check(packet: &Packet, words: &[u32], strict: bool, at: u64) -> Result<(), Stop> {
    let Some(checks) = checks(packet) else {
        return Ok(());
    };
    if strict && !checks.never {
        legal::check(packet, words, at)?;
    }
    if checks.never {
        return Err(Stop::Unimplemented {
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
        // A command of a shorter form does not have its last fields.
        if usize::from(field.hi) / 32 < words.len() && !values.contains(&value) {
            let what = format!("{}, {}: {value:#x} ({source})", packet.name, field.name);
            return Err(FIELD_VALUE.stop(what, at));
        }
    }
    Ok(())
}

/// The end at the first field that is refused.
fn refused(packet: &Packet, words: &[u32], at: u64) -> Stop {
    let fates = of(packet);
    let asks = |field: &&Field| {
        let refused = fates.and_then(|fates| fates.of(field)) == Some(Fate::Refused);
        refused && field.get(words) != 0
    };
    let name = packet
        .fields
        .iter()
        .find(asks)
        .map_or("", |field| field.name);
    Stop::Unimplemented {
        what: format!("{}, {name}", packet.name),
        at,
    }
}
