//! Lowers reads of storage images to formats that gen9's data port can read.
//!
//! In:  `bindless_image_load`; `bindless_image_size` of a cube.
//! Out: loads of formats that the data port supports, with as many components as the format has.
//!      Crate `abi` calls that the read format. Normalised and packed texels are unpacked in the
//!      shader; missing components are 0, alpha 1. A cube's faces are layers, so the number of
//!      layers of a cube array is divided by six. Reads without a declared format are left
//!      unchanged: they use the view's format.
//! Ref: Vulkan, "Image Format and Fixed-Point Conversions", "Conversion to RGBA".
//! Tests: tests/opt/lower_image_formats/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// How components are computed from the raw texel.
#[derive(Clone, Copy, PartialEq)]
enum Unpack {
    /// Used as they are.
    Plain,
    /// 0 to 2^bits - 1 map to 0 to 1.
    Unorm,
    /// -(2^(bits - 1) - 1) to 2^(bits - 1) - 1 map to -1 to 1. The raw component is zero-extended.
    Snorm,
    /// Normalised fields of one dword, lowest first.
    PackedUnorm,
    /// Integer fields of one dword, lowest first.
    PackedUint,
    /// Three unsigned floats with 5-bit exponents in one dword.
    PackedFloat,
}

/// A format that shaders can declare: SPIR-V's number, bits per component, how to unpack it, and
/// the format to read.
struct FormatRow(u32, &'static [u8], Unpack, u32);

use Unpack::{PackedFloat, PackedUint, PackedUnorm, Plain, Snorm, Unorm};

/// All formats, by SPIR-V's number.
const FORMATS: &[FormatRow] = &[
    FormatRow(1, &[32; 4], Plain, 1),
    FormatRow(2, &[16; 4], Plain, 2),
    FormatRow(3, &[32], Plain, 33),
    FormatRow(4, &[8; 4], Unorm, 32),
    FormatRow(5, &[8; 4], Snorm, 32),
    FormatRow(6, &[32; 2], Plain, 6),
    FormatRow(7, &[16; 2], Plain, 7),
    FormatRow(8, &[11, 11, 10], PackedFloat, 33),
    FormatRow(9, &[16], Plain, 9),
    FormatRow(10, &[16; 4], Unorm, 31),
    FormatRow(11, &[10, 10, 10, 2], PackedUnorm, 33),
    FormatRow(12, &[16; 2], Unorm, 36),
    FormatRow(13, &[8; 2], Unorm, 37),
    FormatRow(14, &[16], Unorm, 38),
    FormatRow(15, &[8], Unorm, 39),
    FormatRow(16, &[16; 4], Snorm, 31),
    FormatRow(17, &[16; 2], Snorm, 36),
    FormatRow(18, &[8; 2], Snorm, 37),
    FormatRow(19, &[16], Snorm, 38),
    FormatRow(20, &[8], Snorm, 39),
    FormatRow(21, &[32; 4], Plain, 21),
    FormatRow(22, &[16; 4], Plain, 22),
    FormatRow(23, &[8; 4], Plain, 23),
    FormatRow(24, &[32], Plain, 24),
    FormatRow(25, &[32; 2], Plain, 25),
    FormatRow(26, &[16; 2], Plain, 26),
    FormatRow(27, &[8; 2], Plain, 27),
    FormatRow(28, &[16], Plain, 28),
    FormatRow(29, &[8], Plain, 29),
    FormatRow(30, &[32; 4], Plain, 30),
    FormatRow(31, &[16; 4], Plain, 31),
    FormatRow(32, &[8; 4], Plain, 32),
    FormatRow(33, &[32], Plain, 33),
    FormatRow(34, &[10, 10, 10, 2], PackedUint, 33),
    FormatRow(35, &[32; 2], Plain, 35),
    FormatRow(36, &[16; 2], Plain, 36),
    FormatRow(37, &[8; 2], Plain, 37),
    FormatRow(38, &[16], Plain, 38),
    FormatRow(39, &[8], Plain, 39),
];

fn format_row(format: u32) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|r| r.0 == format)
}

/// True for a format that the data port can read, and for no declared format: the view then has
/// such a format.
pub(crate) fn is_read_format(format: u32) -> bool {
    const UNKNOWN: u32 = 0;
    format == UNKNOWN || format_row(format).is_some_and(|r| r.2 == Plain && r.3 == format)
}

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_image_formats(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(s, needs_lowering, |b, id| {
        lower(b, id).unwrap_or(Action::Keep)
    })
}

fn needs_lowering(s: &Shader, i: &Instr) -> bool {
    let Instr::Intrinsic(i) = i else { return false };
    match (i.op, i.def) {
        (IntrinsicOp::BindlessImageSize, _) => i.index("image_dim") == Dim::Cube as u32,
        (IntrinsicOp::BindlessImageLoad, Some(def)) => format_row(i.index("format"))
            .is_some_and(|r| r.3 != r.0 || usize::from(s.defs[def].num_components) > r.1.len()),
        _ => false,
    }
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Option<Action> {
    let Instr::Intrinsic(mut i) = b.shader.instrs[id].clone() else {
        return None;
    };
    let def = i.def?;
    let components = b.components(def);
    if i.op == IntrinsicOp::BindlessImageSize {
        i.indices[i.op.index_of("image_dim")?] = Dim::D2 as u32;
        i.indices[i.op.index_of("image_array")?] = 1;
        let size = b.load(i.op, 3, 32, &i.srcs, &i.indices);
        let mut parts = b.channels(size);
        let six = b.imm_u32(6);
        parts[2] = b.udiv(parts[2], six);
        parts.truncate(components.into());
        return Some(Action::ReplaceVec(parts));
    }
    let FormatRow(_, bits, unpack, read) = format_row(i.index("format"))?;
    i.indices[i.op.index_of("format")?] = *read;
    let packed = matches!(unpack, PackedUnorm | PackedUint | PackedFloat);
    let count = if packed { 1 } else { bits.len() as u8 };
    let texel = b.load(i.op, count, 32, &i.srcs, &i.indices);
    let texel = b.channels(texel);
    let is_float = BaseType::from_index(i.index("dest_type")) == Some(BaseType::Float);
    let mut at = 0;
    let mut parts: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    for (c, &bits) in bits.iter().enumerate() {
        let bits = u32::from(bits);
        let raw = match packed {
            true => extract_field(b, texel[0], at, bits),
            false => texel[c],
        };
        at += bits;
        parts.push(match unpack {
            Plain | PackedUint => raw,
            Unorm | PackedUnorm => {
                let value = b.u2f(raw, 32);
                normalise(b, value, bits)
            }
            Snorm => {
                let unused = b.imm_u32(32 - bits);
                let high = b.ishl(raw, unused);
                let signed = b.ishr(high, unused);
                let value = b.i2f(signed, 32);
                let value = normalise(b, value, bits - 1);
                let min = b.imm_float(32, -1.0);
                b.fmax(value, min)
            }
            // Shifted to a half, which has ten bits of mantissa and a sign.
            PackedFloat => {
                let left = b.imm_u32(15 - bits);
                let half = b.ishl(raw, left);
                b.unpack_half_2x16_split_x(half)
            }
        });
    }
    while parts.len() < usize::from(components) {
        parts.push(match (parts.len(), is_float) {
            (3, true) => b.imm_float(32, 1.0),
            (3, false) => b.imm_u32(1),
            _ => b.imm_u32(0),
        });
    }
    parts.truncate(components.into());
    Some(Action::ReplaceVec(parts))
}

fn extract_field(b: &mut Builder<'_>, from: Id<Def>, at: u32, bits: u32) -> Id<Def> {
    let (at, bits) = (b.imm_u32(at), b.imm_u32(bits));
    b.ubfe(from, at, bits)
}

/// `value / (2^bits - 1)`: exact at the ends of the range, within one ULP elsewhere.
fn normalise(b: &mut Builder<'_>, value: Id<Def>, bits: u32) -> Id<Def> {
    let max = f64::from((1u32 << bits) - 1);
    let by = b.imm_float(32, 1.0 / max);
    b.fmul(value, by)
}
