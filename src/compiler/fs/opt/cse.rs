//! Common subexpression elimination.
//!
//! In:  LIR before allocation.
//! Out: an instruction whose result an equal, dominating instruction has already computed becomes a
//!      copy of that result, which `opt_copy` propagates.
//!
//! NIR has no common subexpressions left; those found here are the addresses, headers and constants
//! that instruction selection adds.
//! Tests: tests/fs/lir/opt_cse/.

use crate::lir::{Inst, Lir, Op, Reg, Src};
use crate::opt::register_writes::{DominanceScopes, RegisterWrites};
use isa::{CondMod, Opcode};
use rustc_hash::FxHashMap;

/// Maximum distance, in instructions, to a reused result of several lanes: it occupies registers
/// all the way.
const MAX_VECTOR_DISTANCE: usize = 64;

/// Maximum number of instructions with an equal hash that are compared: the registers that they
/// read may have changed since.
const MAX_CANDIDATES: usize = 64;

/// Returns true if it changed the program.
pub(crate) fn opt_cse(lir: &mut Lir) -> bool {
    let writes = RegisterWrites::new(lir);
    let mut scopes = DominanceScopes::default();
    // The last instruction of each hash; each entry of `found` has the hash, the instruction, and
    // the previous entry of that hash.
    let mut last: FxHashMap<u64, u32> = FxHashMap::default();
    let mut found: Vec<(u64, u32, u32)> = Vec::new();
    last.reserve(lir.insts.len());
    found.reserve(lir.insts.len());
    const NONE: u32 = u32::MAX;
    let mut gone = vec![false; lir.insts.len()];
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let left = scopes.enter(&lir.insts[at], found.len());
        while found.len() > left
            && let Some((hash, _, before)) = found.pop()
        {
            last.insert(hash, before);
        }
        if !is_pure(&lir.insts[at]) {
            continue;
        }
        let hash = hash(&lir.insts[at]);
        let head = last.get(&hash).copied().unwrap_or(NONE);
        let mut next = head;
        let mut same = None;
        let mut tried = 0;
        while next != NONE && tried < MAX_CANDIDATES {
            tried += 1;
            let (_, earlier, before) = found[next as usize];
            if is_available(lir, &writes, earlier as usize, at) {
                same = Some(earlier as usize);
                break;
            }
            next = before;
        }
        match same {
            Some(earlier) => {
                let from = lir.insts[earlier].dst;
                gone[at] = from == lir.insts[at].dst;
                let inst = &mut lir.insts[at];
                inst.op = Op::Eu(Opcode::Mov);
                (inst.sat, inst.cmod) = (false, CondMod::None);
                let stride = if inst.exec == 1 { 0 } else { from.stride };
                let src = Src {
                    reg: from.reg,
                    offset: from.offset,
                    ty: from.ty,
                    stride,
                    ..Src::NULL
                };
                inst.src = [src, Src::NULL, Src::NULL];
                changed = true;
            }
            None => {
                last.insert(hash, found.len() as u32);
                found.push((hash, at as u32, head));
            }
        }
    }
    if changed {
        let mut gone = gone.iter();
        lir.insts.retain(|_| !gone.next().unwrap_or(&false));
    }
    changed
}

/// True if the only effect of the instruction is to write a register with a function of its
/// operands.
pub(crate) fn is_pure(inst: &Inst) -> bool {
    let computes = match inst.op {
        Op::Eu(op) => matches!(
            op,
            Opcode::Mov
                | Opcode::Sel
                | Opcode::Not
                | Opcode::And
                | Opcode::Or
                | Opcode::Xor
                | Opcode::Shr
                | Opcode::Shl
                | Opcode::Asr
                | Opcode::Bfrev
                | Opcode::Bfe
                | Opcode::Bfi1
                | Opcode::Bfi2
                | Opcode::Add
                | Opcode::Mul
                | Opcode::Mach
                | Opcode::Avg
                | Opcode::Frc
                | Opcode::Rndu
                | Opcode::Rndd
                | Opcode::Rnde
                | Opcode::Rndz
                | Opcode::Lzd
                | Opcode::Fbh
                | Opcode::Fbl
                | Opcode::Cbit
                | Opcode::Mad
                | Opcode::Lrp
                | Opcode::Pln
        ),
        Op::Math(_) => true,
        _ => false,
    };
    computes
        && inst.pred.is_none()
        && !inst.writes_flag()
        && !inst.acc_wr
        && !inst.switch
        && inst.dst.as_vgrf().is_some()
        && (0..inst.sources()).all(|i| matches!(inst.src[i].reg, Reg::Vgrf(_) | Reg::Imm(_)))
}

fn commutes(inst: &Inst) -> bool {
    use Opcode::{Add, And, Avg, Mul, Or, Xor};
    match inst.op {
        Op::Eu(Mul) => inst.src[0].ty == inst.src[1].ty,
        Op::Eu(op) => matches!(op, Add | And | Avg | Or | Xor),
        _ => false,
    }
}

fn hash_source(s: &Src) -> u64 {
    let reg = match s.reg {
        Reg::Vgrf(v) => v.index() as u64,
        Reg::Imm(bits) => bits ^ 0x5555_5555,
        _ => 0,
    };
    let form = u64::from(s.stride) | u64::from(s.neg) << 8 | u64::from(s.abs) << 9;
    (reg << 20 ^ u64::from(s.offset) << 8 ^ s.ty as u64 ^ form << 40)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn hash(inst: &Inst) -> u64 {
    let op = match inst.op {
        Op::Eu(op) => op as u64,
        Op::Math(f) => 0x100 + f as u64,
        _ => 0x200,
    };
    let n = inst.sources();
    let mut sum = op << 32
        ^ u64::from(inst.exec) << 16
        ^ u64::from(inst.group) << 8
        ^ inst.dst.ty as u64
        ^ u64::from(inst.sat) << 40;
    for (i, s) in inst.src[..n].iter().enumerate() {
        // The hash of a commutative operation does not depend on the order of its operands.
        let rotation = if commutes(inst) { 0 } else { 7 * i as u32 };
        sum = sum.wrapping_add(hash_source(s).rotate_left(rotation));
    }
    sum
}

/// True if instruction `at` computes the value that `earlier` computed, and the register still
/// holds it.
fn is_available(lir: &Lir, writes: &RegisterWrites, earlier: usize, at: usize) -> bool {
    let (a, b) = (&lir.insts[earlier], &lir.insts[at]);
    let n = b.sources();
    let lanes = a.exec == b.exec && a.group == b.group && (a.no_mask || !b.no_mask);
    let like = a.op == b.op
        && lanes
        && (a.sat, a.cmod) == (b.sat, b.cmod)
        && (a.dst.ty, a.dst.stride) == (b.dst.ty, b.dst.stride)
        && (a.src[..n] == b.src[..n]
            || commutes(a) && a.src[0] == b.src[1] && a.src[1] == b.src[0]);
    if !like || b.exec > 1 && at - earlier > MAX_VECTOR_DISTANCE {
        return false;
    }
    let Some(v) = a.dst.as_vgrf() else {
        return false;
    };
    let bytes = (a.dst.offset, a.dst.offset + a.dst_bytes());
    (0..n).all(|i| writes.source_unchanged(lir, a, i, earlier, at))
        && writes.unchanged(v, bytes, earlier + 1, at)
}
