//! The table of `ingot batch --diff`.

use crate::batch_diff::compare::{Side, differences, side};
use crate::batch_diff::usage::{PacketUsage, Usage, Values};
use std::fmt::Write;

/// Maximum number of values printed of a field.
const MAX_VALUES: usize = 8;

/// True if both use the same commands and structures equally often with the same values.
pub fn is_equal(a: &Usage, b: &Usage) -> bool {
    let counts = |usage: &Usage| -> Vec<(String, u64)> {
        let packets = usage.packets.iter();
        packets.map(|(name, p)| (name.clone(), p.count)).collect()
    };
    counts(a) == counts(b) && differences(a, b).is_empty()
}

/// The table: a line for each command and structure with the numbers of uses, and below it the
/// fields whose values differ, or all its fields.
pub fn table(a: &Usage, b: &Usage, all_fields: bool) -> String {
    let none = PacketUsage::default();
    let mut names: Vec<&String> = a.packets.keys().chain(b.packets.keys()).collect();
    names.sort();
    names.dedup();
    let mut text = format!("{:<48}{:>8}{:>8}\n", "command or structure", "A", "B");
    for name in names {
        let uses = |usage: &Usage| usage.packets.get(name).cloned();
        let [a, b] = [a, b].map(|usage| uses(usage).unwrap_or_else(|| none.clone()));
        let remark = match (a.count, b.count) {
            (_, 0) => "  only in A",
            (0, _) => "  only in B",
            (a, b) if a == b => "",
            _ => "  different counts",
        };
        let _ = writeln!(text, "{name:<48}{:>8}{:>8}{remark}", a.count, b.count);
        if all_fields || a.count != 0 && b.count != 0 {
            fields(&mut text, &a, &b, all_fields);
        }
    }
    text
}

fn fields(text: &mut String, a: &PacketUsage, b: &PacketUsage, all: bool) {
    let none = Values::new();
    let mut names: Vec<&String> = a.fields.keys().chain(b.fields.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let values = |usage: &PacketUsage| usage.fields.get(name).unwrap_or(&none).clone();
        let (a, b) = (values(a), values(b));
        let side = side(&a, &b);
        if side.is_none() && !all {
            continue;
        }
        let remark = match side {
            None => "",
            Some(Side::OnlyA) => "  only A sets it",
            Some(Side::OnlyB) => "  only B sets it",
            Some(Side::Values) => "  different values",
        };
        let _ = writeln!(text, "    {name}{remark}");
        for (label, values) in [("A", &a), ("B", &b)] {
            let _ = writeln!(text, "        {label}  {}", list(values));
        }
    }
}

/// Values and how often they are used, the most frequent first.
fn list(values: &Values) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    let mut sorted: Vec<(&String, &u64)> = values.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shown = sorted.iter().take(MAX_VALUES);
    let mut parts: Vec<String> = shown.map(|(value, n)| format!("{value} ×{n}")).collect();
    if sorted.len() > MAX_VALUES {
        parts.push(format!("and {} more", sorted.len() - MAX_VALUES));
    }
    parts.join(", ")
}
