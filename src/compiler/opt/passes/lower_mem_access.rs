//! Splits memory accesses to sizes and alignments that gen9's messages support.
//!
//! In:  offset-based loads and stores of any number of components and any bit size.
//! Out: 1 to 4 components of 32 bits at multiples of 4, or one component of 8 or 16 bits. Pairs of
//!      16-bit components at multiples of 4 are accessed as dwords. The backend also has single
//!      dwords at other addresses, which `opt_load_store_vectorize` makes.
//! Ref: SKL PRM vol. 7, "Data Port Messages": untyped surface and byte scattered messages.
//! Tests: tests/opt/lower_mem_access/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// The index of the offset operand, and whether the operation is a store.
fn access_operands(op: IntrinsicOp) -> Option<(usize, bool)> {
    use IntrinsicOp as Op;
    Some(match op {
        Op::LoadUbo | Op::LoadSsbo => (1, false),
        Op::StoreSsbo => (2, true),
        Op::LoadPushConstant
        | Op::LoadConstant
        | Op::LoadShared
        | Op::LoadScratch
        | Op::LoadGlobal
        | Op::LoadGlobalConstant => (0, false),
        Op::StoreShared | Op::StoreScratch | Op::StoreGlobal => (1, true),
        _ => return None,
    })
}

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_mem_access(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(s, needs_lowering, lower)
}

fn needs_lowering(s: &Shader, i: &Instr) -> bool {
    let Instr::Intrinsic(i) = i else { return false };
    let Some((_, store)) = access_operands(i.op) else {
        return false;
    };
    let value = if store { Some(i.srcs[0]) } else { i.def };
    let Some(value) = value else { return false };
    let d = s.defs[value];
    if store && i.index("write_mask") != (1 << d.num_components) - 1 {
        return true;
    }
    match d.bit_size {
        32 => d.num_components > 4 || i.alignment() < 4,
        8 | 16 => d.num_components > 1 || i.alignment() < u32::from(d.bit_size) / 8,
        _ => true,
    }
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Action {
    let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
        return Action::Keep;
    };
    match access_operands(i.op) {
        Some((at, false)) => load(b, &i, at),
        Some((at, true)) => store(b, &i, at),
        None => Action::Keep,
    }
}

/// The bit size of the messages for `bits`-bit data at alignment `align`.
fn message_bits(bits: u8, align: u32) -> u8 {
    match align {
        1 => 8,
        2 => bits.min(16),
        _ => bits.min(32),
    }
}

/// The access advanced by `bytes`, with new operands and indices.
fn advance(b: &mut Builder<'_>, i: &Intrinsic, at: usize, bytes: u32) -> Intrinsic {
    let mut out = i.clone();
    if i.op.index_of("base").is_some() {
        out.set_index("base", i.index("base").wrapping_add(bytes));
    } else {
        out.srcs[at] = b.iadd_imm(i.srcs[at], i64::from(bytes));
    }
    let mul = i.index("align_mul").max(1);
    out.set_index(
        "align_offset",
        i.index("align_offset").wrapping_add(bytes) & (mul - 1),
    );
    out
}

/// Packs `parts` of `from` bits to a value of `bits` bits.
fn pack_parts(b: &mut Builder<'_>, parts: &[Id<Def>], from: u8, bits: u8) -> Id<Def> {
    if from == bits {
        return parts[0];
    }
    match (from, bits) {
        (32, 64) => b.pack_64_2x32_split(parts[0], parts[1]),
        (16, 32) => b.pack_32_2x16_split(parts[0], parts[1]),
        (16, 64) => {
            let lo = b.pack_32_2x16_split(parts[0], parts[1]);
            let hi = b.pack_32_2x16_split(parts[2], parts[3]);
            b.pack_64_2x32_split(lo, hi)
        }
        _ => {
            // Bytes are combined in 32 bits.
            let words: SmallVec<[Id<Def>; 2]> = parts
                .chunks(4)
                .map(|bytes| {
                    let mut word = b.u2u(bytes[0], 32);
                    for (k, byte) in bytes.iter().enumerate().skip(1) {
                        let wide = b.u2u(*byte, 32);
                        let by = b.imm_u32(8 * k as u32);
                        let up = b.ishl(wide, by);
                        word = b.ior(word, up);
                    }
                    word
                })
                .collect();
            match bits {
                64 => b.pack_64_2x32_split(words[0], words[1]),
                32 => words[0],
                _ => b.u2u(words[0], bits),
            }
        }
    }
}

/// True for values whose 16-bit components can be accessed in pairs.
fn accessible_in_pairs(d: Def, i: &Intrinsic) -> bool {
    d.bit_size == 16 && d.num_components.is_multiple_of(2) && i.alignment() >= 4
}

fn load(b: &mut Builder<'_>, i: &Intrinsic, at: usize) -> Action {
    let Some(def) = i.def else {
        return Action::Keep;
    };
    let d = b.shader.defs[def];
    if accessible_in_pairs(d, i) {
        let mut values = SmallVec::new();
        for first in (0..d.num_components / 2).step_by(4) {
            let n = (d.num_components / 2 - first).min(4);
            let part = advance(b, i, at, u32::from(first) * 4);
            let pairs = b.load(i.op, n, 32, &part.srcs, &part.indices);
            for c in 0..n {
                let pair = b.channel(pairs, c);
                values.push(b.unpack_32_2x16_split_x(pair));
                values.push(b.unpack_32_2x16_split_y(pair));
            }
        }
        return Action::ReplaceVec(values);
    }
    let unit = message_bits(d.bit_size, i.alignment());
    let total = u32::from(d.num_components) * u32::from(d.bit_size) / u32::from(unit);
    let each = if unit == 32 { 4 } else { 1 };
    let mut parts: SmallVec<[Id<Def>; 16]> = SmallVec::new();
    let mut done = 0;
    while done < total {
        let n = (total - done).min(each);
        let part = advance(b, i, at, done * u32::from(unit) / 8);
        let v = b.load(i.op, n as u8, unit, &part.srcs, &part.indices);
        for c in 0..n {
            parts.push(b.channel(v, c as u8));
        }
        done += n;
    }
    let per = usize::from(d.bit_size / unit);
    let values = parts
        .chunks(per)
        .map(|p| pack_parts(b, p, unit, d.bit_size))
        .collect();
    Action::ReplaceVec(values)
}

/// Splits a value into parts of `unit` bits.
fn split_value(b: &mut Builder<'_>, v: Id<Def>, bits: u8, unit: u8) -> SmallVec<[Id<Def>; 8]> {
    let mut parts: SmallVec<[Id<Def>; 8]> = SmallVec::from_iter([v]);
    let mut size = bits;
    while size > unit {
        let mut next = SmallVec::new();
        for p in parts {
            match size {
                64 => {
                    next.push(b.unpack_64_2x32_split_x(p));
                    next.push(b.unpack_64_2x32_split_y(p));
                }
                32 => {
                    next.push(b.unpack_32_2x16_split_x(p));
                    next.push(b.unpack_32_2x16_split_y(p));
                }
                _ => {
                    let by = b.imm_u32(8);
                    let high = b.ushr(p, by);
                    next.push(b.u2u(p, 8));
                    next.push(b.u2u(high, 8));
                }
            }
        }
        parts = next;
        size /= 2;
    }
    parts
}

fn store(b: &mut Builder<'_>, i: &Intrinsic, at: usize) -> Action {
    let d = b.shader.defs[i.srcs[0]];
    let mask = i.index("write_mask");
    if accessible_in_pairs(d, i) && mask == (1 << d.num_components) - 1 {
        let halves = b.channels(i.srcs[0]);
        let pairs = halves.as_chunks::<2>().0.iter();
        let dwords: SmallVec<[Id<Def>; 8]> = pairs
            .map(|&[lo, hi]| b.pack_32_2x16_split(lo, hi))
            .collect();
        for (k, four) in dwords.chunks(4).enumerate() {
            let mut part = advance(b, i, at, 16 * k as u32);
            part.srcs[0] = b.vec(four);
            part.set_index("write_mask", (1 << four.len()) - 1);
            b.intrinsic(i.op, None, &part.srcs, &part.indices);
        }
        return Action::Remove;
    }
    let unit = message_bits(d.bit_size, i.alignment());
    let per = u32::from(d.bit_size / unit);
    let mut run: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    let mut start = 0;
    let flush = |b: &mut Builder<'_>, run: &mut SmallVec<[Id<Def>; 4]>, start: u32| {
        if run.is_empty() {
            return;
        }
        let value = b.vec(run);
        let mut part = advance(b, i, at, start * u32::from(unit) / 8);
        part.srcs[0] = value;
        part.set_index("write_mask", (1 << run.len()) - 1);
        b.intrinsic(i.op, None, &part.srcs, &part.indices);
        run.clear();
    };
    for c in 0..u32::from(d.num_components) {
        if mask >> c & 1 == 0 {
            flush(b, &mut run, start);
            continue;
        }
        let v = b.channel(i.srcs[0], c as u8);
        for (k, piece) in split_value(b, v, d.bit_size, unit).into_iter().enumerate() {
            if run.len() == if unit == 32 { 4 } else { 1 } {
                flush(b, &mut run, start);
            }
            if run.is_empty() {
                start = c * per + k as u32;
            }
            run.push(piece);
        }
    }
    flush(b, &mut run, start);
    Action::Remove
}
