//! Enumerated values of packet fields: one module for each enumeration, one constant for each
//! value.
//!
//! In:  a packet, a field and a value. Out: the name of the value ([`name`]), for printers. Driver
//!      and simulator use the constants, so that a number stands in one place.
//! Ref: SKL PRM vol. 2a and 2d. Tests: `tests.rs` compares every value with genxml.

pub mod command;
pub mod draw;
mod enumeration;
pub mod state;
pub mod surface_format;
#[cfg(test)]
mod tests;

pub use enumeration::Enumeration;

use crate::packet::Packet;

/// The enumerations of all packets.
pub fn enumerations() -> impl Iterator<Item = &'static Enumeration> {
    [draw::ALL, state::ALL, command::ALL].into_iter().flatten()
}

/// The enumeration of a field's values; `None` if it is not enumerated.
pub fn enumeration(packet: &Packet, field: &str) -> Option<&'static Enumeration> {
    let uses = |e: &&Enumeration| e.fields.contains(&(packet.name, field));
    enumerations().find(uses)
}

/// The name of a value of a field; `None` if the field is not enumerated or has no such value.
pub fn name(packet: &Packet, field: &str, value: u64) -> Option<&'static str> {
    let mut values = enumeration(packet, field)?.values.iter();
    values.find(|v| v.2 == value).map(|v| v.0)
}
