//! The differences between the uses of two recordings.

use crate::batch_diff::usage::{PacketUsage, Usage, Values};

/// Who has what the other lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Only the first uses the command or sets the field.
    OnlyA,
    /// Only the second uses the command or sets the field.
    OnlyB,
    /// Both set the field, to values of which the other never uses some.
    Values,
}

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Name of the command or structure.
    pub packet: String,
    /// Name of the field, register or combination of flags; `None` if only one side uses the
    /// command or structure at all.
    pub field: Option<String>,
    /// Who has what the other lacks.
    pub side: Side,
    /// The values of the field in the first.
    pub a: Values,
    /// The values of the field in the second.
    pub b: Values,
}

/// True if a field with this value is set: the value is not zero, nor the name of zero.
fn is_set(value: &str) -> bool {
    value != "0" && !value.starts_with("0 (")
}

/// Who has what the other lacks of a field; `None` if both set it to the same values. A field that
/// is zero is not set: packets of operations that do not need a field leave it at zero.
pub(super) fn side(a: &Values, b: &Values) -> Option<Side> {
    // A register or a combination of flags that the other never uses, even with zero.
    if a.is_empty() || b.is_empty() {
        return match (a.is_empty(), b.is_empty()) {
            (false, true) => Some(Side::OnlyA),
            (true, false) => Some(Side::OnlyB),
            _ => None,
        };
    }
    let set = |values: &Values| -> Vec<String> {
        let set = values.keys().filter(|value| is_set(value));
        set.cloned().collect()
    };
    let (a, b) = (set(a), set(b));
    match (a.is_empty(), b.is_empty()) {
        _ if a == b => None,
        (false, true) => Some(Side::OnlyA),
        (true, false) => Some(Side::OnlyB),
        _ => Some(Side::Values),
    }
}

/// The differences between the uses of two recordings, by command and field. How often something is
/// used is no difference.
pub fn differences(a: &Usage, b: &Usage) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut names: Vec<&String> = a.packets.keys().chain(b.packets.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        match (a.packets.get(name), b.packets.get(name)) {
            (Some(a), Some(b)) => fields(name, a, b, &mut found),
            (first, _) => found.push(Difference {
                packet: name.clone(),
                field: None,
                side: first.map_or(Side::OnlyB, |_| Side::OnlyA),
                a: Values::new(),
                b: Values::new(),
            }),
        }
    }
    found
}

fn fields(packet: &str, a: &PacketUsage, b: &PacketUsage, found: &mut Vec<Difference>) {
    let mut names: Vec<&String> = a.fields.keys().chain(b.fields.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let values = |usage: &PacketUsage| usage.fields.get(name).cloned().unwrap_or_default();
        let (a, b) = (values(a), values(b));
        if let Some(side) = side(&a, &b) {
            found.push(Difference {
                packet: packet.to_owned(),
                field: Some(name.clone()),
                side,
                a,
                b,
            });
        }
    }
}

#[cfg(test)]
mod tests;
