//! Results of a run: the numbers that a shader changed in its resources.
//!
//! In:  the numbers of two runs of a shader, each with its position. Out: a file of the numbers,
//!      and back; the differences beyond rounding, one line for each resource.

use half::f16;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The interpretation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Compared bit by bit.
    Integer,
    /// IEEE: compared with a relative tolerance.
    Float,
    /// Unsigned fixed point, or a small unsigned float: may differ by one unit.
    Unorm,
    /// Signed fixed point: may differ by one unit.
    Snorm,
}

const KINDS: [NumberKind; 4] = [
    NumberKind::Integer,
    NumberKind::Float,
    NumberKind::Unorm,
    NumberKind::Snorm,
];

/// A number in a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Offset in bits from the beginning of the resource.
    pub offset_bits: u32,
    pub kind: NumberKind,
    /// Number of bits: at most 64.
    pub bits: u8,
    /// The bits, zero-extended.
    pub raw: u64,
    /// The bits before the run.
    pub before: u64,
}

impl Number {
    fn value(&self) -> f64 {
        match (self.kind, self.bits) {
            (NumberKind::Float, 16) => f16::from_bits(self.raw as u16).to_f64(),
            (NumberKind::Float, 64) => f64::from_bits(self.raw),
            (NumberKind::Float, _) => f32::from_bits(self.raw as u32).into(),
            (NumberKind::Snorm, bits) => {
                let unused = 64 - u32::from(bits.clamp(1, 64));
                (((self.raw << unused) as i64) >> unused) as f64
            }
            _ => self.raw as f64,
        }
    }

    /// True if both numbers are equal within the tolerance of their kind.
    fn is_close(&self, other: &Number) -> bool {
        let (a, b) = (self.value(), other.value());
        match self.kind {
            _ if self.raw == other.raw => true,
            NumberKind::Integer => false,
            NumberKind::Unorm | NumberKind::Snorm => (a - b).abs() <= 1.0,
            NumberKind::Float if a.is_nan() || b.is_nan() => a.is_nan() && b.is_nan(),
            NumberKind::Float if a.is_infinite() || b.is_infinite() => a == b,
            NumberKind::Float => {
                // f16 has 11 bits of precision.
                let relative = if self.bits == 16 { 4e-3 } else { 1e-3 };
                a == b || (a - b).abs() <= relative * a.abs().max(b.abs()) + 1e-4
            }
        }
    }
}

/// The changed numbers of a resource, by position, and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedResource {
    /// Such as `set 0 binding 1`.
    pub name: String,
    pub numbers: Vec<Number>,
}

/// Size of a number's record in a file: offset, raw bits, bits before (all little-endian), kind,
/// number of bits.
const RECORD_BYTES: usize = 22;

/// Writes the results of a run to a file.
pub fn write(path: &Path, resources: &[ChangedResource]) -> Result<(), String> {
    let mut bytes = Vec::new();
    for resource in resources {
        bytes.extend_from_slice(&(resource.name.len() as u32).to_le_bytes());
        bytes.extend_from_slice(resource.name.as_bytes());
        bytes.extend_from_slice(&(resource.numbers.len() as u32).to_le_bytes());
        for number in &resource.numbers {
            bytes.extend_from_slice(&number.offset_bits.to_le_bytes());
            bytes.extend_from_slice(&number.raw.to_le_bytes());
            bytes.extend_from_slice(&number.before.to_le_bytes());
            let kind = KINDS.iter().position(|k| *k == number.kind).unwrap_or(0);
            bytes.extend_from_slice(&[kind as u8, number.bits]);
        }
    }
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Splits bytes off the front; `None` if there are fewer.
fn split<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

fn length(bytes: &mut &[u8]) -> Option<usize> {
    let word = split(bytes, 4)?;
    Some(u32::from_le_bytes(word.try_into().ok()?) as usize)
}

fn parse(mut bytes: &[u8]) -> Option<Vec<ChangedResource>> {
    let mut resources = Vec::new();
    while !bytes.is_empty() {
        let count = length(&mut bytes)?;
        let name = String::from_utf8_lossy(split(&mut bytes, count)?).into_owned();
        let count = length(&mut bytes)?;
        let records = split(&mut bytes, count.checked_mul(RECORD_BYTES)?)?;
        let mut numbers = Vec::with_capacity(count);
        for record in records.chunks_exact(RECORD_BYTES) {
            numbers.push(Number {
                offset_bits: u32::from_le_bytes(record.get(..4)?.try_into().ok()?),
                raw: u64::from_le_bytes(record.get(4..12)?.try_into().ok()?),
                before: u64::from_le_bytes(record.get(12..20)?.try_into().ok()?),
                kind: *KINDS.get(usize::from(*record.get(20)?))?,
                bits: *record.get(21)?,
            });
        }
        resources.push(ChangedResource { name, numbers });
    }
    Some(resources)
}

/// Reads the results of a run from a file.
pub fn read(path: &Path) -> Result<Vec<ChangedResource>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&bytes).ok_or_else(|| format!("{}: malformed results", path.display()))
}

/// One line for each resource in which two runs differ. A number that only one of them changed is
/// compared with its value before the run.
pub fn differences(ours: &[ChangedResource], theirs: &[ChangedResource]) -> Vec<String> {
    let mut lines = Vec::new();
    let index = |resources: &[ChangedResource]| -> BTreeMap<String, ChangedResource> {
        let named = resources.iter().map(|r| (r.name.clone(), r.clone()));
        named.collect()
    };
    let (ours, theirs) = (index(ours), index(theirs));
    let none = ChangedResource::default();
    let names: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for name in names {
        let numbers = |of: &BTreeMap<String, ChangedResource>| -> BTreeMap<u32, Number> {
            let resource = of.get(name).unwrap_or(&none);
            resource
                .numbers
                .iter()
                .map(|n| (n.offset_bits, *n))
                .collect()
        };
        let (ours, theirs) = (numbers(&ours), numbers(&theirs));
        let offsets: std::collections::BTreeSet<u32> =
            ours.keys().chain(theirs.keys()).copied().collect();
        // Both values of a number.
        let pair = |offset: &u32| -> Option<(Number, Number)> {
            let unchanged = |n: &Number| Number {
                raw: n.before,
                ..*n
            };
            match (ours.get(offset), theirs.get(offset)) {
                (Some(a), Some(b)) => Some((*a, *b)),
                (Some(a), None) => Some((*a, unchanged(a))),
                (None, Some(b)) => Some((unchanged(b), *b)),
                (None, None) => None,
            }
        };
        let wrong: Vec<(u32, (Number, Number))> = offsets
            .iter()
            .filter_map(|offset| Some((*offset, pair(offset)?)))
            .filter(|(_, (a, b))| !a.is_close(b))
            .collect();
        let Some((first, (a, b))) = wrong.first() else {
            continue;
        };
        let mut line = format!("{name}: {} of {} numbers", wrong.len(), offsets.len());
        let _ = write!(
            line,
            ", the first at byte {}: {} : {}",
            first / 8,
            a.value(),
            b.value()
        );
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(offset_bits: u32, kind: NumberKind, bits: u8, raw: u64) -> Number {
        Number {
            offset_bits,
            kind,
            bits,
            raw,
            before: 0,
        }
    }

    fn float(offset_bits: u32, value: f32) -> Number {
        number(offset_bits, NumberKind::Float, 32, value.to_bits().into())
    }

    fn resource(name: &str, numbers: &[Number]) -> ChangedResource {
        ChangedResource {
            name: name.into(),
            numbers: numbers.to_vec(),
        }
    }

    #[test]
    fn results_are_read_back() {
        let all = [
            resource("set 0 binding 1", &[float(32, 1.5), float(64, f32::NAN)]),
            resource("color 0", &[number(8, NumberKind::Snorm, 8, 0xff)]),
        ];
        let path = std::env::temp_dir().join(format!("ingot-results-{}", std::process::id()));
        write(&path, &all).unwrap();
        assert_eq!(read(&path).unwrap(), all);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(parse(&bytes[..bytes.len() - 1]).is_none());
    }

    #[test]
    fn rounding_is_no_difference() {
        let close = |a: Number, b: Number| a.is_close(&b) && b.is_close(&a);
        assert!(close(float(0, 1000.0), float(0, 1000.5)));
        assert!(!close(float(0, 1000.0), float(0, 1010.0)));
        assert!(close(float(0, 0.0), float(0, -0.0)));
        assert!(close(float(0, f32::INFINITY), float(0, f32::INFINITY)));
        assert!(!close(float(0, f32::INFINITY), float(0, 1.0)));
        assert!(!close(float(0, f32::NAN), float(0, 1.0)));
        let integer = |raw| number(0, NumberKind::Integer, 32, raw);
        assert!(!close(integer(4), integer(5)));
        let unorm = |raw| number(0, NumberKind::Unorm, 8, raw);
        assert!(close(unorm(4), unorm(5)) && !close(unorm(0), unorm(255)));
        // Minus one and zero.
        let snorm = |raw| number(0, NumberKind::Snorm, 8, raw);
        assert!(close(snorm(0xff), snorm(0)) && !close(snorm(0x7f), snorm(0x80)));
    }

    #[test]
    fn a_number_that_one_run_leaves_unchanged_has_its_old_value() {
        let mut number = float(96, 0.500001);
        number.before = 0.5f32.to_bits().into();
        assert!(differences(&[resource("a", &[number])], &[]).is_empty());
        number.before = 0.25f32.to_bits().into();
        let lines = differences(&[], &[resource("a", &[number])]);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("at byte 12: 0.25 : 0.5"), "{lines:?}");
    }

    #[test]
    fn a_difference_is_one_line_for_each_resource() {
        let ours = [
            resource("a", &[float(0, 1.0), float(32, 2.0), float(64, 3.0)]),
            resource("b", &[float(0, 1.0)]),
        ];
        let theirs = [
            resource("a", &[float(0, 1.0), float(32, 4.0)]),
            resource("b", &[float(0, 1.0)]),
        ];
        let lines = differences(&ours, &theirs);
        assert_eq!(lines, ["a: 2 of 3 numbers, the first at byte 4: 2 : 4"]);
        let lines = differences(&ours[1..], &[]);
        assert_eq!(lines, ["b: 1 of 1 numbers, the first at byte 0: 1 : 0"]);
        assert!(differences(&ours, &ours).is_empty());
    }
}
