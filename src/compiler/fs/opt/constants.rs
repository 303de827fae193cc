//! Loads constants into registers several at a time.
//!
//! In:  LIR in which constants that no operand can hold lie in registers, loaded one by one where the program begins.
//! Out: those that are read are loaded by fours where all are small floats (an immediate of type VF), by twos elsewhere (one of
//! 64 bits), and lie side by side.
//! Ref: SKL PRM vol. 7, "Immediate". Tests: tests/fs/opt_constants/, unit tests of this file.

use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::IdMap;
use isa::{CondMod, Opcode, Type};

/// Dwords of a register.
const DWORDS: usize = (GRF_BYTES / 4) as usize;

/// Constants that are kept for as long as the program runs.
const MOST: usize = 64;

/// The constants that a VGRF holds; none if it holds anything else.
#[derive(Clone, Copy)]
enum Bank {
    Unknown,
    Of([Option<u32>; DWORDS]),
    No,
}

/// A float as an element of an immediate of type VF: sign, exponent of 3 bits, mantissa of 4.
fn small_float(bits: u32) -> Option<u8> {
    let sign = (bits >> 31) as u8;
    let (exponent, mantissa) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    if bits & 0x7fff_ffff == 0 {
        return Some(sign << 7);
    }
    let small = exponent.checked_sub(124).filter(|e| *e < 8)?;
    let fits = mantissa & 0x7_ffff == 0 && (small, mantissa) != (0, 0);
    fits.then_some(sign << 7 | (small as u8) << 4 | (mantissa >> 19) as u8)
}

/// True if anything changed.
pub(crate) fn opt_constants(lir: &mut Lir) -> bool {
    let mut banks: IdMap<Vgrf, Bank> = IdMap::for_arena(&lir.vgrfs, Bank::Unknown);
    let mut in_first_block = true;
    for inst in &lir.insts {
        in_first_block &= !inst.is_control();
        for i in 0..inst.sources() {
            let s = &inst.src[i];
            let Some(v) = s.as_vgrf() else { continue };
            let one = s.stride == 0 || inst.exec == 1;
            let scalar = match inst.op {
                Op::Send => i == 2,
                Op::Eu(Opcode::Pln) | Op::MovIndirect => false,
                _ => one && s.rows.is_none(),
            };
            let there = match banks[v] {
                Bank::Of(dwords) => dwords
                    .get(s.offset as usize / 4)
                    .is_some_and(|d| d.is_some()),
                _ => false,
            };
            if !scalar || !there || s.offset % 4 + s.ty.size_bytes() > 4 {
                banks[v] = Bank::No;
            }
        }
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        let dword = inst.dst.offset as usize / 4;
        banks[v] = match (loaded(inst), banks[v]) {
            (Some(bits), Bank::Unknown) if in_first_block && lir.vgrfs[v].regs == 1 => {
                let mut dwords = [None; DWORDS];
                dwords[dword] = Some(bits);
                Bank::Of(dwords)
            }
            (Some(bits), Bank::Of(mut dwords)) if in_first_block && dwords[dword].is_none() => {
                dwords[dword] = Some(bits);
                Bank::Of(dwords)
            }
            _ => Bank::No,
        };
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() || vgrf.no_spill {
            banks[v] = Bank::No;
        }
    }
    let mut wanted = wanted(lir, &banks);
    if wanted.len() > MOST {
        // Those that have a register to themselves stand where they are needed, and live for as long.
        for v in lir.vgrfs.ids() {
            if let Bank::Of(dwords) = banks[v]
                && dwords.iter().flatten().count() < 2
            {
                banks[v] = Bank::No;
            }
        }
        wanted = self::wanted(lir, &banks);
    }
    if wanted.len() < 2 {
        return false;
    }
    let (loads, places) = pack(lir, &wanted);
    let before = lir.insts.len();
    lir.insts.retain(|inst| {
        let bank = inst.dst.as_vgrf().map(|v| banks[v]);
        !matches!(bank, Some(Bank::Of(_)))
    });
    if before - lir.insts.len() < loads.len() {
        // Nothing is won: constants that are read were loaded by fewer.
        debug_assert!(
            false,
            "every constant was loaded by an instruction of its own"
        );
    }
    for inst in &mut lir.insts {
        let n = inst.sources();
        for s in &mut inst.src[..n] {
            let Some(v) = s.as_vgrf() else { continue };
            if let Bank::Of(dwords) = banks[v]
                && let Some(bits) = dwords[s.offset as usize / 4]
                && let Ok(k) = places.binary_search_by_key(&bits, |p| p.0)
            {
                let (_, to, at) = places[k];
                s.reg = Reg::Vgrf(to);
                s.offset = at + s.offset % 4;
            }
        }
    }
    lir.insts.splice(0..0, loads);
    true
}

/// The constant that an instruction loads into a dword.
fn loaded(inst: &Inst) -> Option<u32> {
    let Reg::Imm(bits) = inst.src[0].reg else {
        return None;
    };
    let plain = inst.op == Op::Eu(Opcode::Mov)
        && inst.exec == 1
        && inst.no_mask
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.sat
        && inst.dst.ty == inst.src[0].ty
        && matches!(inst.dst.ty, Type::D | Type::Ud | Type::F)
        && inst.dst.offset.is_multiple_of(4);
    plain.then_some(bits as u32)
}

/// The constants that are read, in the order of their first reads.
fn wanted(lir: &Lir, banks: &IdMap<Vgrf, Bank>) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for inst in &lir.insts {
        for s in &inst.src[..inst.sources()] {
            if let Some(v) = s.as_vgrf()
                && let Bank::Of(dwords) = banks[v]
                && let Some(bits) = dwords[s.offset as usize / 4]
                && seen.insert(bits)
            {
                out.push(bits);
            }
        }
    }
    out
}

/// Constants and their places: bits, VGRF, byte.
type Places = Vec<(u32, VgrfId, u32)>;

/// The instructions that load the constants, and where each is then, by its bits.
fn pack(lir: &mut Lir, wanted: &[u32]) -> (Vec<Inst>, Places) {
    let (mut small, mut other): (Vec<u32>, Vec<u32>) =
        wanted.iter().partition(|b| small_float(**b).is_some());
    // Of a last one or two there is nothing to be won.
    let rest = small.len() % 4;
    if rest < 3 {
        let two = small.split_off(small.len() - rest);
        other.splice(0..0, two);
    }
    let mut loads = Vec::new();
    let mut places = Vec::new();
    let mut bank: Option<VgrfId> = None;
    let mut at = 0;
    for (group, step) in small
        .chunks(4)
        .map(|g| (g, 4))
        .chain(other.chunks(2).map(|g| (g, 2)))
    {
        let v = match bank {
            Some(v) if at < GRF_BYTES => v,
            _ => {
                at = 0;
                let v = lir.vgrf(GRF_BYTES);
                bank = Some(v);
                v
            }
        };
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), 1);
        inst.no_mask = true;
        let (ty, from, bits) = match (group, step) {
            (_, 4) => {
                inst.exec = 4;
                let bits = group
                    .iter()
                    .enumerate()
                    .map(|(i, b)| u64::from(small_float(*b).unwrap_or(0)) << (8 * i));
                (Type::F, Type::Vf, bits.sum())
            }
            ([a, b], _) => (Type::Q, Type::Q, u64::from(*a) | u64::from(*b) << 32),
            _ => (Type::Ud, Type::Ud, u64::from(group[0])),
        };
        inst.dst = Dst::vgrf(v, at, ty, 1);
        inst.src[0] = Src::imm(from, bits);
        loads.push(inst);
        places.extend((0..).step_by(4).zip(group).map(|(n, b)| (*b, v, at + n)));
        at += 4 * step;
    }
    places.sort_unstable_by_key(|p| p.0);
    (loads, places)
}

#[cfg(test)]
mod tests {
    use super::small_float;

    #[test]
    fn small_floats_are_those_of_the_manual() {
        // PRM: 0x30 is 1.0, 0x28 0.75, 0x40 2.0, 0xb0 -1.0, 0x7f 31.0.
        for (value, bits) in [
            (1.0f32, 0x30),
            (0.75, 0x28),
            (2.0, 0x40),
            (-1.0, 0xb0),
            (31.0, 0x7f),
            (0.0, 0x00),
            (-0.0, 0x80),
            (0.1328125, 0x01),
        ] {
            assert_eq!(small_float(value.to_bits()), Some(bits), "{value}");
        }
        for value in [0.125f32, 32.0, 0.1, 1.03125, f32::INFINITY, f32::NAN] {
            assert_eq!(small_float(value.to_bits()), None, "{value}");
        }
    }
}
