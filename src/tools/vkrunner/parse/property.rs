//! Pipeline properties: `NAME VALUE` lines of `[test]`.

use crate::enums::{self, FLOAT_PROPERTIES, INT_PROPERTIES, IntKind};
use crate::number;
use crate::script::PipelineState;

impl PipelineState {
    /// Every property at its default.
    pub fn new() -> PipelineState {
        PipelineState {
            ints: INT_PROPERTIES.iter().map(|p| p.2).collect(),
            floats: FLOAT_PROPERTIES.iter().map(|p| p.1).collect(),
        }
    }

    /// Value of an integer property; 0 for an unknown name.
    pub fn int(&self, name: &str) -> i64 {
        enums::int_property(name).map_or(0, |i| self.ints[i])
    }

    /// Sets an integer property.
    pub fn set_int(&mut self, name: &str, value: i64) {
        if let Some(i) = enums::int_property(name) {
            self.ints[i] = value;
        }
    }

    /// Value of a float property; 0 for an unknown name.
    pub fn float(&self, name: &str) -> f32 {
        let index = FLOAT_PROPERTIES.iter().position(|p| p.0 == name);
        index.map_or(0.0, |i| self.floats[i])
    }

    /// Handles the line if its first word is a property: `None` if it is not.
    pub fn parse_line(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let invalid = || Err(format!("Invalid value: {value}"));
        if let Some(i) = FLOAT_PROPERTIES.iter().position(|p| p.0 == name) {
            return Some(match number::float(value, 32) {
                Some((bits, "")) => {
                    self.floats[i] = f32::from_bits(bits as u32);
                    Ok(())
                }
                _ => invalid(),
            });
        }
        let i = enums::int_property(name)?;
        let parsed = match INT_PROPERTIES[i].1 {
            IntKind::Bool => parse_bool(value),
            IntKind::Int => value
                .split('|')
                .map(|part| parse_int(part.trim()))
                .try_fold(0, |all, part| Some(all | part?)),
        };
        Some(match parsed {
            Some(value) => {
                self.ints[i] = value;
                Ok(())
            }
            None => invalid(),
        })
    }
}

fn parse_bool(text: &str) -> Option<i64> {
    match text {
        "true" => Some(1),
        "false" => Some(0),
        _ => parse_int(text).map(|v| i64::from(v != 0)),
    }
}

fn parse_int(text: &str) -> Option<i64> {
    if let Some(value) = enums::enum_value(text) {
        return Some(value);
    }
    match number::integer(text, 64, true) {
        Some((value, "")) => Some(value as i64),
        _ => None,
    }
}
