//! Loads several constants into registers with one instruction.
//!
//! In:  LIR whose first block loads, one by one, the constants that cannot be immediate operands.
//! Out: the constants that are read are packed into registers: small floats are loaded four at a
//!      time (an immediate of type VF), others two at a time (a 64-bit immediate).
//! Ref: SKL PRM vol. 7, "Immediate". Tests: tests/fs/opt_constants/, unit tests of this file.

use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::IdMap;
use isa::{CondMod, Opcode, Type};

/// Dwords of a register.
const DWORDS: usize = (GRF_BYTES / 4) as usize;

/// Maximum number of constants that stay in registers for the whole program.
const MAX_CONSTANTS: usize = 64;

/// The contents of a VGRF, as far as constants are concerned.
#[derive(Clone, Copy)]
enum Bank {
    /// Not written yet.
    Unwritten,
    /// The constants loaded into its dwords; nothing else writes it.
    Constants([Option<u32>; DWORDS]),
    /// Something else.
    Other,
}

/// Converts a float to an element of a VF immediate (1 sign bit, 3 exponent bits, 4 mantissa bits),
/// if it is representable.
fn to_vf_element(bits: u32) -> Option<u8> {
    let sign = (bits >> 31) as u8;
    let (exponent, mantissa) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    if bits & 0x7fff_ffff == 0 {
        return Some(sign << 7);
    }
    let small = exponent.checked_sub(124).filter(|e| *e < 8)?;
    let fits = mantissa & 0x7_ffff == 0 && (small, mantissa) != (0, 0);
    fits.then_some(sign << 7 | (small as u8) << 4 | (mantissa >> 19) as u8)
}

/// Returns true if it changed the program.
pub(crate) fn opt_constants(lir: &mut Lir) -> bool {
    let mut banks = find_banks(lir);
    let mut wanted = constants_read(lir, &banks);
    if wanted.len() > MAX_CONSTANTS {
        // A constant with a register of its own is loaded near its use, and lives for a short time.
        for v in lir.vgrfs.ids() {
            if let Bank::Constants(dwords) = banks[v]
                && dwords.iter().flatten().count() < 2
            {
                banks[v] = Bank::Other;
            }
        }
        wanted = constants_read(lir, &banks);
    }
    if wanted.len() < 2 {
        return false;
    }
    let (loads, locations) = pack(lir, &wanted);
    let before = lir.insts.len();
    lir.insts.retain(|inst| {
        let bank = inst.dst.as_vgrf().map(|v| banks[v]);
        !matches!(bank, Some(Bank::Constants(_)))
    });
    debug_assert!(
        before - lir.insts.len() >= loads.len(),
        "every constant was loaded by an instruction of its own"
    );
    for inst in &mut lir.insts {
        let n = inst.sources();
        for s in &mut inst.src[..n] {
            let Some(v) = s.as_vgrf() else { continue };
            if let Bank::Constants(dwords) = banks[v]
                && let Some(bits) = dwords[s.offset as usize / 4]
                && let Ok(k) = locations.binary_search_by_key(&bits, |p| p.0)
            {
                let (_, to, at) = locations[k];
                s.reg = Reg::Vgrf(to);
                s.offset = at + s.offset % 4;
            }
        }
    }
    lir.insts.splice(0..0, loads);
    true
}

/// Finds the VGRFs that hold nothing but constants loaded in the first block and are read as
/// scalars alone.
fn find_banks(lir: &Lir) -> IdMap<Vgrf, Bank> {
    let mut banks: IdMap<Vgrf, Bank> = IdMap::for_arena(&lir.vgrfs, Bank::Unwritten);
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
            let loaded = match banks[v] {
                Bank::Constants(dwords) => dwords
                    .get(s.offset as usize / 4)
                    .is_some_and(|d| d.is_some()),
                _ => false,
            };
            if !scalar || !loaded || s.offset % 4 + s.ty.size_bytes() > 4 {
                banks[v] = Bank::Other;
            }
        }
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        let dword = inst.dst.offset as usize / 4;
        banks[v] = match (loaded_constant(inst), banks[v]) {
            (Some(bits), Bank::Unwritten) if in_first_block && lir.vgrfs[v].regs == 1 => {
                let mut dwords = [None; DWORDS];
                dwords[dword] = Some(bits);
                Bank::Constants(dwords)
            }
            (Some(bits), Bank::Constants(mut dwords))
                if in_first_block && dwords[dword].is_none() =>
            {
                dwords[dword] = Some(bits);
                Bank::Constants(dwords)
            }
            _ => Bank::Other,
        };
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() || vgrf.no_spill {
            banks[v] = Bank::Other;
        }
    }
    banks
}

/// The constant that an instruction loads into a dword, if it does nothing else.
fn loaded_constant(inst: &Inst) -> Option<u32> {
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
fn constants_read(lir: &Lir, banks: &IdMap<Vgrf, Bank>) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for inst in &lir.insts {
        for s in &inst.src[..inst.sources()] {
            if let Some(v) = s.as_vgrf()
                && let Bank::Constants(dwords) = banks[v]
                && let Some(bits) = dwords[s.offset as usize / 4]
                && seen.insert(bits)
            {
                out.push(bits);
            }
        }
    }
    out
}

/// Constants and their locations: (bits, VGRF, byte offset), sorted by bits.
type Locations = Vec<(u32, VgrfId, u32)>;

/// Packs the constants; returns the instructions that load them and their locations.
fn pack(lir: &mut Lir, wanted: &[u32]) -> (Vec<Inst>, Locations) {
    let (mut small, mut other): (Vec<u32>, Vec<u32>) =
        wanted.iter().partition(|b| to_vf_element(**b).is_some());
    // A VF immediate for one or two constants is no better than a 64-bit one.
    let rest = small.len() % 4;
    if rest < 3 {
        let two = small.split_off(small.len() - rest);
        other.splice(0..0, two);
    }
    let mut loads = Vec::new();
    let mut locations = Vec::new();
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
                    .map(|(i, b)| u64::from(to_vf_element(*b).unwrap_or(0)) << (8 * i));
                (Type::F, Type::Vf, bits.sum())
            }
            ([a, b], _) => (Type::Q, Type::Q, u64::from(*a) | u64::from(*b) << 32),
            _ => (Type::Ud, Type::Ud, u64::from(group[0])),
        };
        inst.dst = Dst::vgrf(v, at, ty, 1);
        inst.src[0] = Src::imm(from, bits);
        loads.push(inst);
        locations.extend((0..).step_by(4).zip(group).map(|(n, b)| (*b, v, at + n)));
        at += 4 * step;
    }
    locations.sort_unstable_by_key(|p| p.0);
    (loads, locations)
}

#[cfg(test)]
mod tests {
    use super::to_vf_element;

    #[test]
    fn vf_elements_are_those_of_the_manual() {
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
            assert_eq!(to_vf_element(value.to_bits()), Some(bits), "{value}");
        }
        for value in [0.125f32, 32.0, 0.1, 1.03125, f32::INFINITY, f32::NAN] {
            assert_eq!(to_vf_element(value.to_bits()), None, "{value}");
        }
    }
}
