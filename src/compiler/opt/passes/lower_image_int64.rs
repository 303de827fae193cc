//! Lowers storage images and storage texel buffers of 64-bit integers: the data port has neither
//! such texels nor typed 64-bit atomics.
//!
//! In:  `bindless_image_load`, `bindless_image_store` and atomics of 64 bits.
//! Out: loads and stores of two dwords: the surfaces of such views have the format R32G32_UINT.
//!      Atomics are `global_atomic` and `global_atomic_swap` at the texel's address, guarded by a
//!      bounds check: outside the view an atomic does nothing and returns 0. Handles may be
//!      non-uniform; address and bounds are loaded from the descriptor's surface states.
//! Ref: crate `abi`, [`TexelAddressing`]; Vulkan, "Robust Image Access"; SKL PRM vol. 7, "Typed
//!      Atomic", "A64 Untyped Atomic Integer".
//! Tests: tests/opt/lower_image_int64/.

use crate::pass::Ctx;
use crate::rewrite::cf::split_blocks;
use crate::rewrite::guarded_atomic::{GuardedAtomic, lower_to_guarded_atomic};
use crate::rewrite::instrs::{Action, lower_instrs};
use abi::{ADDRESSED_TEXEL_BYTES, TexelAddressing};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// SPIR-V's number of an image format that is not declared.
const UNKNOWN_FORMAT: u32 = 0;
/// SPIR-V's number of the format of the loads.
const RG32UI: u32 = 35;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_image_int64(s: &mut Shader, _: &Ctx) -> bool {
    let accesses = lower_instrs(s, is_wide_access, |b, id| {
        lower_access(b, id).unwrap_or(Action::Keep)
    });
    let atomics = split_blocks(s, atomic_lowering, |s, edit, point, how| {
        lower_to_guarded_atomic(s, edit, point, how)
    });
    accesses | atomics
}

/// True for loads and stores of 64-bit texels.
fn is_wide_access(s: &Shader, i: &Instr) -> bool {
    let Instr::Intrinsic(i) = i else { return false };
    let texel = match i.op {
        IntrinsicOp::BindlessImageLoad => i.def,
        IntrinsicOp::BindlessImageStore => i.srcs.get(3).copied(),
        _ => None,
    };
    texel.is_some_and(|d| s.defs[d].bit_size == 64)
}

fn lower_access(b: &mut Builder<'_>, id: Id<Instr>) -> Option<Action> {
    let Instr::Intrinsic(mut i) = b.shader.instrs[id].clone() else {
        return None;
    };
    let format = i.op.index_of("format")?;
    let declares_format = i.indices[format] != UNKNOWN_FORMAT;
    i.indices[format] = RG32UI;
    let Some(def) = i.def else {
        let texel = b.channel(i.srcs[3], 0);
        let low = b.unpack_64_2x32_split_x(texel);
        let high = b.unpack_64_2x32_split_y(texel);
        i.srcs[3] = b.vec(&[low, high]);
        b.shader.instrs[id] = Instr::Intrinsic(i);
        return Some(Action::Changed);
    };
    let components = usize::from(b.components(def));
    let dwords = b.load(i.op, 2, 32, &i.srcs, &i.indices);
    let [low, high] = [0, 1].map(|c| b.channel(dwords, c));
    let mut parts: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    parts.push(b.pack_64_2x32_split(low, high));
    // Missing components are 0, alpha 1; but if no format is declared, all components of a null
    // descriptor are 0.
    parts.extend([0, 0, 1].map(|value| b.imm_int(64, value)));
    parts.truncate(components);
    if let Some(alpha) = parts.get_mut(3).filter(|_| !declares_format) {
        let columns = load_dwords(b, &i, TexelAddressing::EXTENT_BYTE)[0];
        let one = b.imm_u32(1);
        let exists = b.umin(columns, one);
        *alpha = b.u2u(exists, 64);
    }
    Some(Action::ReplaceVec(parts))
}

/// How an instruction is lowered, if it is a 64-bit atomic on a texel.
fn atomic_lowering(s: &Shader, i: Id<Instr>) -> Option<GuardedAtomic> {
    let Instr::Intrinsic(i) = &s.instrs[i] else {
        return None;
    };
    let access = i.op.index_of("access").map(|_| i.index("access"))?;
    let access = access & !Access::NON_UNIFORM;
    let (op, indices) = match i.op {
        IntrinsicOp::BindlessImageAtomic => (
            IntrinsicOp::GlobalAtomic,
            SmallVec::from_slice(&[i.index("atomic_op"), access]),
        ),
        IntrinsicOp::BindlessImageAtomicSwap => (
            IntrinsicOp::GlobalAtomicSwap,
            SmallVec::from_slice(&[access]),
        ),
        _ => return None,
    };
    let is_wide = i.srcs.get(3).is_some_and(|d| s.defs[*d].bit_size == 64);
    is_wide.then_some(GuardedAtomic {
        op,
        indices,
        first_data: 3,
        condition: emit_is_inside,
        address: emit_address,
    })
}

/// The texel that an atomic accesses: x, y, and layer or slice; none that the image lacks.
struct Texel {
    x: Id<Def>,
    y: Option<Id<Def>>,
    layer: Option<Id<Def>>,
}

impl Texel {
    fn new(b: &mut Builder<'_>, i: &Intrinsic) -> Texel {
        let coordinate = b.channels(i.srcs[1]);
        let is_line = i.index("image_dim") == Dim::D1 as u32;
        let component = |c: usize| coordinate.get(c).copied();
        // The second coordinate of lines is the layer.
        let (y, layer) = match is_line {
            true => (None, component(1)),
            false => (component(1), component(2)),
        };
        Texel {
            x: coordinate[0],
            y,
            layer,
        }
    }
}

/// Four dwords that the descriptor of an image holds.
fn load_dwords(b: &mut Builder<'_>, i: &Intrinsic, byte: u32) -> SmallVec<[Id<Def>; 4]> {
    let op = IntrinsicOp::LoadSurfaceState;
    let dwords = b.load(op, 4, 32, &[i.srcs[0]], &[byte]);
    b.channels(dwords)
}

/// Whether the texel is in the view.
fn emit_is_inside(b: &mut Builder<'_>, i: &Intrinsic) -> Id<Def> {
    let texel = Texel::new(b, i);
    let extent = load_dwords(b, i, TexelAddressing::EXTENT_BYTE);
    let mut inside = b.ult(texel.x, extent[0]);
    for (coordinate, limit) in [(texel.y, extent[1]), (texel.layer, extent[2])] {
        if let Some(coordinate) = coordinate {
            let below = b.ult(coordinate, limit);
            inside = b.iand(inside, below);
        }
    }
    inside
}

/// The texel's address: the formula of [`TexelAddressing`].
fn emit_address(b: &mut Builder<'_>, i: &Intrinsic) -> Id<Def> {
    let texel = Texel::new(b, i);
    let [low, high, pitch, packed] = load_dwords(b, i, TexelAddressing::BASE_BYTE)[..] else {
        return b.imm_int(64, 0);
    };
    let base = b.pack_64_2x32_split(low, high);
    if i.index("image_dim") == Dim::Buffer as u32 {
        let offset = b.imul_imm(texel.x, ADDRESSED_TEXEL_BYTES.into());
        let offset = b.u2u(offset, 64);
        return b.iadd(base, offset);
    }
    let mut field = |first| {
        let (first, bits) = (b.imm_u32(first), b.imm_u32(TexelAddressing::FIELD_BITS));
        b.ubfe(packed, first, bits)
    };
    let [first_column, first_row, column_shift, row_shift] = [
        TexelAddressing::FIRST_COLUMN,
        TexelAddressing::FIRST_ROW,
        TexelAddressing::COLUMN_SHIFT,
        TexelAddressing::ROW_SHIFT,
    ]
    .map(&mut field);
    let column = b.iadd(texel.x, first_column);
    let u = b.imul_imm(column, ADDRESSED_TEXEL_BYTES.into());
    let mut v = first_row;
    if let Some(y) = texel.y {
        v = b.iadd(v, y);
    }
    if let Some(layer) = texel.layer {
        let layer_pitch = load_dwords(b, i, TexelAddressing::EXTENT_BYTE)[3];
        let rows = b.imul(layer, layer_pitch);
        v = b.iadd(v, rows);
    }
    // The band of rows.
    let band = b.ushr(v, row_shift);
    let band_bytes = b.ishl(pitch, row_shift);
    let band_offset = b.umul_2x32_64(band, band_bytes);
    // The column in the band, the row in the column, and the byte in the row.
    let one = b.imm_u32(1);
    let low_bits = |b: &mut Builder<'_>, value, count| {
        let end = b.ishl(one, count);
        let mask = b.iadd_imm(end, -1);
        b.iand(value, mask)
    };
    let column = b.ushr(u, column_shift);
    let column_bits = b.iadd(column_shift, row_shift);
    let column_offset = b.ishl(column, column_bits);
    let row = low_bits(b, v, row_shift);
    let row_offset = b.ishl(row, column_shift);
    let byte = low_bits(b, u, column_shift);
    let offset = b.ior(column_offset, row_offset);
    let offset = b.ior(offset, byte);
    let offset = b.u2u(offset, 64);
    let address = b.iadd(base, band_offset);
    b.iadd(address, offset)
}
