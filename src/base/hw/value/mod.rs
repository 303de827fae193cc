//! Enumerated values of packet fields: one module for each enumeration, one constant for each
//! value.
//!
//! In:  a packet, a field and a value. Out: the name of the value ([`name`]), for printers. Driver
//!      and simulator use the constants, so that a number stands in one place.
//! Ref: SKL PRM vol. 2a and 2d. Tests: `tests.rs` compares every value with genxml.

use crate::packet::Packet;

pub mod command;
pub mod draw;
pub mod state;
#[cfg(test)]
mod tests;

/// An enumeration: the fields that use it, and its values.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    /// Name of the module with its constants.
    pub name: &'static str,
    /// Names of packet and field.
    pub fields: &'static [(&'static str, &'static str)],
    /// Names in this module and in genxml, and the value.
    pub values: &'static [(&'static str, &'static str, u64)],
}

macro_rules! values {
    ($($(#[doc = $doc:literal])+
        $module:ident for [$($packet:literal $field:literal,)+] {
            $($value:ident $genxml:literal $number:literal;)+
        }
    )+) => {
        $($(#[doc = $doc])+
        pub mod $module {
            $(#[doc = concat!("\"", $genxml, "\".")]
            pub const $value: u64 = $number;)+
        })+

        /// All enumerations of this module.
        pub static ALL: &[super::Enumeration] = &[$(super::Enumeration {
            name: stringify!($module),
            fields: &[$(($packet, $field)),+],
            values: &[$((stringify!($value), $genxml, $number)),+],
        }),+];
    };
}
use values;

/// The enumerations of all packets.
pub fn enumerations() -> impl Iterator<Item = &'static Enumeration> {
    [draw::ALL, state::ALL, command::ALL].into_iter().flatten()
}

/// The name of a value of a field; `None` if the field is not enumerated or has no such value.
pub fn name(packet: &Packet, field: &str, value: u64) -> Option<&'static str> {
    let uses = |e: &&Enumeration| e.fields.contains(&(packet.name, field));
    let mut values = enumerations().find(uses)?.values.iter();
    values.find(|v| v.2 == value).map(|v| v.0)
}
