//! `[vertex data]`.

use crate::format::{FORMATS, Format, Kind};
use crate::number;
use crate::script::{Attribute, VertexData};

pub struct VertexParser {
    data: VertexData,
}

impl VertexParser {
    pub fn new() -> VertexParser {
        VertexParser {
            data: VertexData::default(),
        }
    }

    pub fn line(&mut self, text: &str) -> Result<(), String> {
        if self.data.attributes.is_empty() {
            return self.header(text);
        }
        let start = self.data.bytes.len();
        self.data.bytes.resize(start + self.data.stride, 0);
        let mut rest = text;
        for attribute in &self.data.attributes {
            let at = start + attribute.offset;
            rest = write_attribute(attribute.format, rest, &mut self.data.bytes[at..])?;
        }
        if !rest.trim().is_empty() {
            return Err("Extra data at end of line".into());
        }
        Ok(())
    }

    fn header(&mut self, text: &str) -> Result<(), String> {
        let mut end = 0usize;
        let mut largest = 1;
        for column in text.split_whitespace() {
            let invalid = || format!("Invalid attribute: {column}");
            let mut parts = column.split('/');
            let location = parts
                .next()
                .and_then(|p| p.parse().ok())
                .ok_or_else(invalid)?;
            let format = match (parts.next(), parts.next(), parts.next()) {
                (Some(name), None, None) => Format::from_name(name),
                (Some(gl), Some(glsl), None) => gl_format(gl, glsl),
                _ => None,
            }
            .ok_or_else(invalid)?;
            let alignment = format.alignment().max(1);
            let offset = end.next_multiple_of(alignment);
            largest = largest.max(alignment);
            end = offset + format.size_bytes();
            self.data.attributes.push(Attribute {
                location,
                format,
                offset,
            });
        }
        self.data.stride = end.next_multiple_of(largest);
        Ok(())
    }

    pub fn end(self) -> Result<VertexData, String> {
        if self.data.attributes.is_empty() {
            return Err("Missing header line".into());
        }
        Ok(self.data)
    }
}

fn gl_format(gl: &str, glsl: &str) -> Option<&'static Format> {
    let (bits, kind) = match gl {
        "byte" => (8, Kind::Sint),
        "ubyte" => (8, Kind::Uint),
        "short" => (16, Kind::Sint),
        "ushort" => (16, Kind::Uint),
        "int" => (32, Kind::Sint),
        "uint" => (32, Kind::Uint),
        "half" => (16, Kind::Sfloat),
        "float" => (32, Kind::Sfloat),
        "double" => (64, Kind::Sfloat),
        _ => return None,
    };
    let ty = crate::value::Type::from_name(glsl)?;
    if ty.columns != 1 {
        return None;
    }
    let wanted = &['R', 'G', 'B', 'A'][..ty.rows];
    FORMATS.iter().find(|f| {
        f.packed_bytes == 0
            && f.components.len() == ty.rows
            && f.components
                .iter()
                .zip(wanted)
                .all(|(c, w)| c.0 == *w && c.1 == bits && c.2 == kind)
    })
}

/// Writes one attribute's numbers and returns the rest of the line.
fn write_attribute<'a>(format: &Format, text: &'a str, out: &mut [u8]) -> Result<&'a str, String> {
    let bad = || format!("Couldn’t parse number in “{}”", text.trim());
    let ended = |rest: &'a str| {
        if rest.is_empty() || rest.starts_with(char::is_whitespace) {
            Ok(rest)
        } else {
            Err(bad())
        }
    };
    if format.packed_bytes != 0 {
        let (value, rest) =
            number::integer(text, format.packed_bytes as u32 * 8, false).ok_or_else(bad)?;
        out[..format.packed_bytes].copy_from_slice(&value.to_le_bytes()[..format.packed_bytes]);
        return ended(rest);
    }
    let mut rest = text;
    let mut at = 0;
    for &(_, bits, kind) in format.components {
        let size = usize::from(bits) / 8;
        let (value, after) = match kind {
            Kind::Sfloat | Kind::Ufloat => number::float(rest, bits.into()),
            Kind::Snorm | Kind::Sscaled | Kind::Sint => number::integer(rest, bits.into(), true),
            _ => number::integer(rest, bits.into(), false),
        }
        .ok_or_else(bad)?;
        out[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        at += size;
        rest = ended(after)?;
    }
    Ok(rest)
}
