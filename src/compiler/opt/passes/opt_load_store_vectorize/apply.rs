//! Replaces accesses by merged ones.

use super::access::{Access, classify};
use super::merge::Merge;
use crate::analysis::offset::{SLOT_BYTES, is_slots, split_constant};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Replaces the parts of all merges of a block.
pub(super) fn apply_merges(s: &mut Shader, block: Id<Block>, merges: Vec<Merge>) {
    let old = std::mem::take(&mut s.blocks[block].instrs);
    let mut merge_of: Vec<Option<usize>> = vec![None; old.len()];
    for (k, m) in merges.iter().enumerate() {
        for p in &m.parts {
            merge_of[p.at] = Some(k);
        }
    }
    let mut b = Builder::at_end_of_block(s, block);
    // The merged loads emitted so far.
    let mut loaded: Vec<Option<Id<Def>>> = vec![None; merges.len()];
    for (at, id) in old.into_iter().enumerate() {
        let Some(k) = merge_of[at] else {
            b.insert_instr(id);
            continue;
        };
        let m = &merges[k];
        if m.at == at {
            if m.store {
                store(&mut b, m);
            } else {
                loaded[k] = load(&mut b, m);
            }
        }
        let part = m.parts.iter().find(|p| p.at == at && !m.store);
        if let (Some(part), Some(from)) = (part, loaded[k]) {
            extract(&mut b, part, m.start, from);
        }
    }
}

/// Replaces a load by what a load of dwords, or of a word, from `start` on has of it.
fn extract(b: &mut Builder<'_>, part: &Access, start: i64, from: Id<Def>) {
    let Some(def) = b.shader.instrs[part.instr].def() else {
        return;
    };
    let byte = part.offset - start;
    let dword = (byte / 4) as u8;
    let (op, src) = match part.bits {
        8 => {
            let bits = b.bits(from);
            let index = b.imm_int(bits, byte % 4);
            let sources = [AluSrc::splat(from, dword), AluSrc::splat(index, 0)];
            let extracted = b.alu_with(AluOp::ExtractU8, SmallVec::from_iter(sources), 1, bits);
            (AluOp::U2U, AluSrc::splat(extracted, 0))
        }
        16 if byte % 4 == 0 => (AluOp::Unpack32_2x16SplitX, AluSrc::splat(from, dword)),
        16 => (AluOp::Unpack32_2x16SplitY, AluSrc::splat(from, dword)),
        _ => {
            let mut src = AluSrc::identity(from);
            for c in 0..MAX_COMPONENTS as u8 {
                src.swizzle[usize::from(c)] = dword + c.min(part.components - 1);
            }
            (AluOp::Mov, src)
        }
    };
    b.shader.instrs[part.instr] = Instr::Alu(Alu {
        op,
        def,
        srcs: SmallVec::from_iter([src]),
        exact: false,
        preserve_nan_inf_sz: false,
    });
    b.insert_instr(part.instr);
}

/// The merged access: a copy of `model` with its offset moved to the start.
fn merged_access(b: &mut Builder<'_>, m: &Merge, model: &Access) -> Option<Intrinsic> {
    let Instr::Intrinsic(mut i) = b.shader.instrs[model.instr].clone() else {
        return None;
    };
    let (_, offset_at, _, _) = classify(b.shader.stage, &i)?;
    let delta = m.start - model.offset;
    if is_slots(&i) {
        // The merged access is in the same slot.
        i.set_index("component", (m.start.rem_euclid(SLOT_BYTES) / 4) as u32);
    } else if delta != 0 {
        if i.op.index_of("base").is_some() && i64::from(i.index("base")) + delta >= 0 {
            let base = i64::from(i.index("base")) + delta;
            i.set_index("base", base as u32);
        } else {
            let bits = b.bits(i.srcs[offset_at]);
            let (root, constant) = split_constant(b.shader, i.srcs[offset_at]);
            i.srcs[offset_at] = match root {
                Some(root) => b.iadd_imm(root, constant + delta),
                None => b.imm_int(bits, constant + delta),
            };
        }
    }
    let stated = i.index("align_mul").max(1);
    match m.align {
        Some((mul, offset)) if mul >= stated => {
            i.set_index("align_mul", mul);
            i.set_index("align_offset", offset);
        }
        _ => {
            let offset = i64::from(i.index("align_offset")) + delta;
            i.set_index("align_offset", offset.rem_euclid(stated.into()) as u32);
        }
    }
    Some(i)
}

fn load(b: &mut Builder<'_>, m: &Merge) -> Option<Id<Def>> {
    let model = m.parts.iter().find(|p| p.at == m.at)?;
    let i = merged_access(b, m, model)?;
    Some(b.load(i.op, m.components, m.bits, &i.srcs, &i.indices))
}

fn store(b: &mut Builder<'_>, m: &Merge) -> Option<()> {
    let model = m.parts.iter().find(|p| p.at == m.at)?;
    let mut i = merged_access(b, m, model)?;
    let mut values: SmallVec<[(Id<Def>, u8); 4]> = SmallVec::new();
    // Words and bytes of the component that is not complete yet.
    let mut narrow: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    let mut bits = 0;
    for p in &m.parts {
        let Instr::Intrinsic(x) = &b.shader.instrs[p.instr] else {
            return None;
        };
        let v = x.srcs[0];
        if p.bits == m.bits {
            values.extend((0..p.components).map(|c| (v, c)));
            continue;
        }
        narrow.push(v);
        bits += p.bits;
        if bits == m.bits {
            values.push((join(b, &narrow), 0));
            narrow.clear();
            bits = 0;
        }
    }
    i.srcs[0] = b.vec_of(&values);
    i.set_index("write_mask", (1 << m.components) - 1);
    b.intrinsic(i.op, None, &i.srcs, &i.indices);
    Some(())
}

/// Joins words and bytes to a dword, or two bytes to a word.
fn join(b: &mut Builder<'_>, parts: &[Id<Def>]) -> Id<Def> {
    let mut words: SmallVec<[Id<Def>; 2]> = SmallVec::new();
    let mut low: Option<Id<Def>> = None;
    for &part in parts {
        if b.bits(part) == 16 {
            words.push(part);
            continue;
        }
        let wide = b.u2u(part, 16);
        match low.take() {
            None => low = Some(wide),
            Some(low) => {
                let eight = b.imm_u32(8);
                let high = b.ishl(wide, eight);
                words.push(b.ior(low, high));
            }
        }
    }
    match words[..] {
        [low, high] => b.pack_32_2x16_split(low, high),
        _ => words[0],
    }
}
