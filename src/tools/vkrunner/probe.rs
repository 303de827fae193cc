//! Comparing what was computed with what a script expects.

use crate::script::{Compare, Tolerance};
use crate::value::{
    ComponentType, Layout, Type, Values, float_value, read_component, show_component,
};
use std::cmp::Ordering;

/// True if `observed` is within tolerance of `expected`; `component` picks the tolerance.
pub fn near(tolerance: &Tolerance, component: usize, observed: f64, expected: f64) -> bool {
    let bound = tolerance.values[component];
    let bound = if tolerance.percent {
        (bound / 100.0 * expected).abs()
    } else {
        bound
    };
    (observed - expected).abs() <= bound
}

fn component_passes(
    base: ComponentType,
    compare: Compare,
    observed: u64,
    expected: u64,
    tolerance: &Tolerance,
    row: usize,
) -> bool {
    let order = match base {
        ComponentType::Float(bits) => {
            let (a, b) = (float_value(observed, bits), float_value(expected, bits));
            if compare == Compare::Fuzzy {
                return near(tolerance, row, a, b);
            }
            a.partial_cmp(&b)
        }
        ComponentType::Int(bits, true) => {
            let extend = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
            Some(extend(observed).cmp(&extend(expected)))
        }
        ComponentType::Int(_, false) => Some(observed.cmp(&expected)),
    };
    match compare {
        Compare::Equal | Compare::Fuzzy => order == Some(Ordering::Equal),
        Compare::NotEqual => order != Some(Ordering::Equal),
        Compare::Less => order == Some(Ordering::Less),
        Compare::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Compare::Greater => order == Some(Ordering::Greater),
        Compare::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Compares values with a buffer from `offset`. On a mismatch the lines that explain it.
pub fn buffer(
    bytes: &[u8],
    offset: usize,
    compare: Compare,
    values: &Values,
    layout: Layout,
    tolerance: &Tolerance,
) -> Result<(), String> {
    let ty = values.ty;
    let end = offset.checked_add(values.size_bytes(layout));
    if end.is_none_or(|end| end > bytes.len()) {
        return Err("Invalid buffer offset".into());
    }
    for (i, expected) in values.components.chunks(ty.components()).enumerate() {
        let start = offset + i * layout.array_stride(ty);
        let observed: Vec<u64> = (0..ty.components())
            .map(|j| {
                let at = layout.component_offset(ty, j / ty.rows, j % ty.rows);
                read_component(bytes, start + at, ty.base)
            })
            .collect();
        let fails = |j: usize| {
            let row = (j % ty.rows).min(3);
            !component_passes(ty.base, compare, observed[j], expected[j], tolerance, row)
        };
        if (0..ty.components()).any(fails) {
            return Err(format!(
                "SSBO probe failed (value {i}, byte {start})\n  Reference: {}\n  Observed:  {}",
                show(ty, expected),
                show(ty, &observed)
            ));
        }
    }
    Ok(())
}

fn show(ty: Type, components: &[u64]) -> String {
    let words: Vec<String> = components
        .iter()
        .map(|&c| show_component(c, ty.base))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        std140: false,
        row_major: false,
    };

    fn probe(ty: &str, bytes: &[u8], compare: Compare, text: &str) -> bool {
        let values = Values::parse(Type::from_name(ty).unwrap(), text).unwrap();
        buffer(bytes, 0, compare, &values, LAYOUT, &Tolerance::default()).is_ok()
    }

    #[test]
    fn operators_compare_in_the_components_type() {
        let minus_one = (-1i32).to_le_bytes();
        assert!(probe("int", &minus_one, Compare::Less, "0"));
        assert!(probe("uint", &minus_one, Compare::Greater, "0"));
        assert!(probe("float", &1.005f32.to_le_bytes(), Compare::Fuzzy, "1"));
        assert!(!probe("float", &1.02f32.to_le_bytes(), Compare::Fuzzy, "1"));
        let nan = f32::NAN.to_le_bytes();
        assert!(!probe("float", &nan, Compare::Fuzzy, "nan"));
        assert!(!probe("float", &nan, Compare::Equal, "nan"));
        assert!(probe("float", &nan, Compare::NotEqual, "nan"));
    }

    #[test]
    fn reading_past_the_end_is_an_error() {
        let values = Values::parse(Type::from_name("int").unwrap(), "1 2").unwrap();
        let result = buffer(
            &[0; 7],
            0,
            Compare::Equal,
            &values,
            LAYOUT,
            &Tolerance::default(),
        );
        assert_eq!(result.unwrap_err(), "Invalid buffer offset");
    }
}
