//! Contents of a measured shader's buffers.
//!
//! In:  a block's type and its bytes. Out: the bytes filled with small numbers by the type of each
//!      member; or the numbers that a run changed. Integers are 1 or 2, by default, so that
//!      loops end and indices are in bounds; floats lie between 1/4 and 3/4.

use crate::codegen::results::{Number, NumberKind};
use entity::Id;
use half::f16;
use nir::{Shader, Type};

/// The type of a number in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    Integer(u8),
    Float(u8),
}

/// What blocks contain beyond numbers that follow from their position.
#[derive(Clone, Copy, Debug, Default)]
pub struct FillValues {
    /// The value of all integers; by default 1 or 2.
    pub integer: Option<u32>,
    /// The value of 64-bit integers in shaders that use addresses: the compiler's types do not tell
    /// them apart.
    pub address: Option<u64>,
}

/// Calls `f` for each number of a value of the type that begins at `at`, as far as it begins before
/// `end`.
fn leaves(
    shader: &Shader,
    ty: Id<Type>,
    at: usize,
    end: usize,
    f: &mut dyn FnMut(usize, Leaf),
) -> usize {
    if at >= end {
        return at;
    }
    let mut run = |part: Id<Type>, n: usize, stride: usize| {
        for k in 0..n {
            if at + k * stride >= end {
                break;
            }
            leaves(shader, part, at + k * stride, end, f);
        }
        at + n * stride
    };
    match &shader.types[ty] {
        Type::Int(bits) => f(at, Leaf::Integer(*bits)),
        Type::Float(bits) => f(at, Leaf::Float(*bits)),
        Type::Bool => f(at, Leaf::Integer(32)),
        Type::Vector { elem, len } => {
            let bytes = match &shader.types[*elem] {
                Type::Int(bits) | Type::Float(bits) => usize::from(*bits) / 8,
                _ => 4,
            };
            return run(*elem, (*len).into(), bytes);
        }
        Type::Matrix {
            column,
            columns,
            stride_bytes,
            row_major,
        } => {
            let (mut elem, mut rows) = (*column, 1);
            if let Type::Vector { elem: of, len } = &shader.types[*column] {
                (elem, rows) = (*of, usize::from(*len));
            }
            // Its numbers lie in vectors of `minor`, whichever way.
            let (major, minor) = match row_major {
                true => (rows, usize::from(*columns)),
                false => (usize::from(*columns), rows),
            };
            let stride = *stride_bytes as usize;
            let bytes = match &shader.types[elem] {
                Type::Float(bits) => usize::from(*bits) / 8,
                _ => 4,
            };
            for i in 0..major {
                for j in 0..minor {
                    leaves(shader, elem, at + i * stride + j * bytes, end, f);
                }
            }
            return at + major * stride;
        }
        Type::Array {
            elem,
            len,
            stride_bytes,
        } => {
            let stride = (*stride_bytes as usize).max(1);
            let n = len.map_or(end.div_ceil(stride), |n| n as usize);
            return run(*elem, n, stride);
        }
        Type::Struct { members, .. } => {
            for member in members {
                leaves(shader, member.ty, at + member.offset_bytes as usize, end, f);
            }
        }
        _ => {}
    }
    at
}

/// A hash of a position as a number from 0 to 1, the same in every run.
fn noise(at: usize) -> f64 {
    let x = (at as u32 ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    f64::from(x >> 8) / f64::from(1 << 24)
}

fn write_at(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(to) = bytes.get_mut(at..at + value.len()) {
        to.copy_from_slice(value);
    }
}

/// Fills a block of this type; bytes behind the end of the type are filled as an array of floats.
pub fn fill(shader: &Shader, ty: Id<Type>, bytes: &mut [u8], values: &FillValues) {
    for (k, word) in bytes.chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(0.25 + 0.5 * noise(4 * k) as f32).to_le_bytes());
    }
    let end = bytes.len();
    leaves(shader, ty, 0, end, &mut |at, leaf| {
        let float = 0.25 + 0.5 * noise(at);
        let integer = (values.integer).map_or(1 + (2.0 * noise(at)) as u64, u64::from);
        match leaf {
            Leaf::Float(16) => write_at(bytes, at, &f16::from_f64(float).to_le_bytes()),
            Leaf::Float(64) => write_at(bytes, at, &float.to_le_bytes()),
            Leaf::Float(_) => write_at(bytes, at, &(float as f32).to_le_bytes()),
            Leaf::Integer(64) if values.address.is_some() => {
                let address = values.address.unwrap_or_default();
                write_at(bytes, at, &address.to_le_bytes());
            }
            Leaf::Integer(bits) => {
                write_at(bytes, at, &integer.to_le_bytes()[..usize::from(bits) / 8]);
            }
        }
    });
}

/// The numbers of a block that are not those of `before`.
pub fn changed(shader: &Shader, ty: Id<Type>, before: &[u8], after: &[u8]) -> Vec<Number> {
    let mut numbers = Vec::new();
    leaves(shader, ty, 0, after.len(), &mut |at, leaf| {
        let (kind, bits) = match leaf {
            Leaf::Float(bits) => (NumberKind::Float, bits),
            Leaf::Integer(bits) => (NumberKind::Integer, bits),
        };
        let range = at..at + usize::from(bits) / 8;
        let (Some(old), Some(new)) = (before.get(range.clone()), after.get(range)) else {
            return;
        };
        let word = |part: &[u8]| part.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
        if old != new {
            numbers.push(Number {
                offset_bits: 8 * at as u32,
                kind,
                bits,
                raw: word(new),
                before: word(old),
            });
        }
    });
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interface::Interface;

    #[test]
    fn a_block_is_filled_by_the_kinds_of_its_members() {
        let text = "#version 450\n\
            layout(set = 0, binding = 0) buffer B { int n; layout(row_major) mat2x3 m; float tail[]; };\n\
            layout(local_size_x = 1) in;\n\
            void main() { tail[n] = m[0].x; }";
        let words =
            vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, text, (1, 1, 0)).unwrap();
        let shader = Interface::new(words).unwrap();
        let ty = shader.held(&shader.bindings[0]);
        let mut bytes = vec![0; 128];
        let values = FillValues {
            integer: Some(300),
            ..FillValues::default()
        };
        fill(&shader.shader, ty, &mut bytes, &values);
        assert_eq!(bytes[..4], 300u32.to_le_bytes());
        fill(&shader.shader, ty, &mut bytes, &FillValues::default());
        let words: Vec<u32> = bytes
            .chunks(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert!((1..=2).contains(&words[0]));
        // Three rows of two, eight bytes each (std430), then the array.
        for &word in words[2..8].iter().chain(&words[8..]) {
            let value = f32::from_bits(word);
            assert!((0.25..=0.75).contains(&value), "{value}");
        }
        let before = bytes.clone();
        bytes[0] = 9;
        // Alignment behind `n` is no number.
        bytes[4] ^= 1;
        bytes[60..64].copy_from_slice(&2f32.to_le_bytes());
        let number = |byte: u32, kind, raw: u32, before: u32| Number {
            offset_bits: 8 * byte,
            kind,
            bits: 32,
            raw: raw.into(),
            before: before.into(),
        };
        let expected = [
            number(0, NumberKind::Integer, 9, words[0]),
            number(60, NumberKind::Float, 2f32.to_bits(), words[15]),
        ];
        assert_eq!(changed(&shader.shader, ty, &before, &bytes), expected);
    }

    #[test]
    fn pointers_are_filled_with_the_address() {
        let text = "#version 450\n\
            #extension GL_EXT_buffer_reference : require\n\
            layout(buffer_reference) buffer Node { uint n; };\n\
            layout(push_constant) uniform P { uint n; Node node; };\n\
            layout(local_size_x = 1) in;\n\
            void main() { node.n = n; }";
        let words =
            vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, text, (1, 1, 0)).unwrap();
        let shader = Interface::new(words).unwrap();
        let mut vars = shader.shader.vars.iter();
        let push = vars.find(|(_, var)| var.mode == nir::VariableMode::PushConst);
        let values = FillValues {
            integer: Some(3),
            address: Some(0x1_0000_2000),
        };
        let mut bytes = [0; 16];
        fill(&shader.shader, push.unwrap().1.ty, &mut bytes, &values);
        assert_eq!(bytes[..4], 3u32.to_le_bytes());
        assert_eq!(bytes[8..], 0x1_0000_2000u64.to_le_bytes());
    }
}
