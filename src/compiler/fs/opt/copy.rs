//! Copy and constant propagation.
//!
//! In:  LIR before allocation.
//! Out: sources that read a copy read the original register or constant; `opt_dce` removes the
//!      copies. A copy is propagated to the instructions that it dominates, while neither register
//!      has changed, unless the operand would become illegal. Integer operations on dwords read
//!      bytes and words that a move has extended where they are: the EU extends operands itself.
//! Tests: tests/fs/lir/opt_copy/.

use crate::lir::{GRF_BYTES, Inst, Lir, Op, PayloadId, Reg, Src, Vgrf, VgrfId};
use crate::opt::register_writes::{DominanceScopes, RegisterWrites};
use entity::IdMap;
use isa::{CondMod, EncodingClass, Opcode, Type};
use smallvec::SmallVec;

/// Maximum length of a chain of copies that is followed.
const MAX_STEPS: usize = 4;

/// Returns true if it changed the program.
pub(crate) fn opt_copy(lir: &mut Lir) -> bool {
    let writes = RegisterWrites::new(lir);
    let mut scopes = DominanceScopes::default();
    // The dominating copies to each VGRF, and the destinations of all of them in layout order.
    let mut copies: IdMap<Vgrf, SmallVec<[u32; 2]>> = IdMap::for_arena(&lir.vgrfs, SmallVec::new());
    let mut found: Vec<VgrfId> = Vec::new();
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let left = scopes.enter(&lir.insts[at], found.len());
        while found.len() > left
            && let Some(v) = found.pop()
        {
            copies[v].pop();
        }
        let mut inst = lir.insts[at];
        let mut better = false;
        for i in 0..inst.sources() {
            for _ in 0..MAX_STEPS {
                let Some(v) = inst.src[i].as_vgrf() else {
                    break;
                };
                let known = copies[v].iter().rev();
                let new = known
                    .filter_map(|&c| match is_extension(&lir.insts[c as usize]) {
                        true => read_extended(lir, &writes, c as usize, &inst, i, at),
                        false => propagate(lir, &writes, c as usize, &inst, i, at),
                    })
                    .next();
                let Some(new) = new else { break };
                inst = new;
                better = true;
            }
        }
        if let Op::Collect(payload) = inst.op {
            better |= propagate_to_payload(lir, &writes, &copies, &inst, payload, at);
        }
        if better {
            lir.insts[at] = inst;
            changed = true;
        }
        if let (true, Some(v)) = (is_copy(&inst) || is_extension(&inst), inst.dst.as_vgrf()) {
            copies[v].push(at as u32);
            found.push(v);
        }
    }
    changed
}

/// True for a move between registers, or of an immediate, that changes at most the sign.
fn is_copy(inst: &Inst) -> bool {
    let s = &inst.src[0];
    let from = match s.reg {
        Reg::Vgrf(_) => inst.dst.ty == s.ty,
        Reg::Imm(_) => inst.dst.ty == s.ty && !matches!(s.ty, Type::V | Type::Uv | Type::Vf),
        _ => false,
    };
    is_plain_move(inst) && from
}

/// True for an unconditional move from another register to a VGRF.
fn is_plain_move(inst: &Inst) -> bool {
    let s = &inst.src[0];
    let plain = inst.op == Op::Eu(Opcode::Mov)
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.sat
        && !inst.switch
        && s.rows.is_none();
    plain && inst.dst.as_vgrf().is_some() && inst.dst.reg != s.reg
}

/// True for a move that extends bytes or words to dwords, each in a dword of its own.
fn is_extension(inst: &Inst) -> bool {
    let (s, to) = (&inst.src[0], &inst.dst);
    is_plain_move(inst)
        && s.as_vgrf().is_some()
        && matches!(s.ty, Type::Ub | Type::B | Type::Uw | Type::W)
        && matches!(to.ty, Type::Ud | Type::D)
        && !s.neg
        && !s.abs
        && to.stride == 1
}

/// The instruction with the bytes or words that move `c` has extended as its source `i`, if it is
/// an integer operation on dwords that means the same then.
fn read_extended(
    lir: &Lir,
    writes: &RegisterWrites,
    c: usize,
    inst: &Inst,
    i: usize,
    at: usize,
) -> Option<Inst> {
    let copy = &lir.insts[c];
    let (s, from, to) = (inst.src[i], &copy.src[0], &copy.dst);
    let Op::Eu(op) = inst.op else { return None };
    let takes = match op {
        Opcode::Mov => inst.dst.ty.size_bytes() == 4,
        // The other operand makes the operation one on dwords.
        Opcode::Add | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Cmp | Opcode::Sel => {
            let other = &inst.src[1 - i];
            let signed = from.ty.is_signed_int() && matches!(op, Opcode::Cmp | Opcode::Sel);
            matches!(other.ty, Type::D | Type::Ud) && !(signed && other.ty == Type::Ud)
        }
        _ => false,
    };
    let same_value = match from.ty {
        Type::Ub | Type::Uw => matches!(s.ty, Type::D | Type::Ud),
        _ => s.ty == Type::D && to.ty == Type::D,
    };
    // Each lane reads what the same lane was extended to, or all read one scalar.
    let same_lanes = match copy.exec {
        1 => copy.no_mask && (s.stride == 0 || inst.exec == 1),
        exec => {
            exec == inst.exec
                && copy.group == inst.group
                && s.stride == to.stride
                && (copy.no_mask || !inst.no_mask)
        }
    };
    let plain = s.rows.is_none() && !s.neg && !s.abs && !inst.acc_wr && s.offset == to.offset;
    if !takes || !same_value || !same_lanes || !plain {
        return None;
    }
    let own = (s.offset, s.offset + inst.src_bytes(i));
    let unchanged = writes.unchanged(copy.dst.as_vgrf()?, own, c + 1, at)
        && writes.source_unchanged(lir, copy, 0, c, at);
    let mut out = *inst;
    out.src[i] = Src {
        reg: from.reg,
        offset: from.offset,
        ty: from.ty,
        stride: if copy.exec == 1 { 0 } else { from.stride },
        ..s
    };
    unchanged.then_some(out)
}

/// Maps the bytes that an operand reads of a copy's destination to the copy's source: the offset of
/// the first element in the source register (or immediate), and the bytes from one lane to the
/// next; none if the copy did not write all of them.
fn source_region(
    copy: &Inst,
    reader: &Inst,
    s: &Src,
    lanes: u32,
    keep_mask: bool,
) -> Option<(u32, u32)> {
    let size = s.ty.size_bytes();
    let (d, from) = (&copy.dst, &copy.src[0]);
    let element = d.ty.size_bytes();
    let step = u32::from(d.stride) * element;
    let pitch = u32::from(s.stride) * size;
    let ahead = s.offset.checked_sub(d.offset)?;
    let many = lanes > 1 && s.stride != 0;
    let (lane, within) = match copy.exec {
        1 => (0, ahead),
        _ => (ahead / step, ahead % step),
    };
    let count = if many { lanes } else { 1 };
    if within + size > element || lane + count > u32::from(copy.exec) || many && pitch != step {
        return None;
    }
    // A copy under the execution mask is valid only for the lanes that it was executed for.
    let masked = !copy.no_mask;
    let there = u32::from(copy.group) + lane == u32::from(reader.group);
    if masked && (reader.no_mask || !many || !there || !keep_mask) {
        return None;
    }
    let from_step = u32::from(from.stride) * element;
    let from_step = if from.stride == 0 || copy.exec == 1 {
        0
    } else {
        from_step
    };
    let start = match from.reg {
        Reg::Imm(_) => within,
        _ => from.offset + lane * from_step + within,
    };
    Some((start, if many { from_step } else { 0 }))
}

/// The instruction with its source `i` replaced by the source of copy `c`, if that is legal.
fn propagate(
    lir: &Lir,
    writes: &RegisterWrites,
    c: usize,
    inst: &Inst,
    i: usize,
    at: usize,
) -> Option<Inst> {
    let copy = &lir.insts[c];
    let s = inst.src[i];
    let class = match inst.op {
        Op::Eu(op) => op.info().class,
        Op::Math(_) => EncodingClass::Math,
        // Only the handle of a message, a dword, is replaced: its payloads are whole registers.
        Op::Send if i == 2 => EncodingClass::Send,
        // The byte offset, which is added to a0: only by another register.
        Op::MovIndirect if i == 1 && copy.src[0].as_vgrf().is_some() => EncodingClass::Basic,
        _ => return None,
    };
    if s.rows.is_some() || matches!(inst.op, Op::Eu(Opcode::Pln | Opcode::Line)) {
        return None;
    }
    let lanes = if class == EncodingClass::Send {
        1
    } else {
        u32::from(inst.exec)
    };
    let (start, step) = source_region(copy, inst, &s, lanes, true)?;
    let v = copy.dst.as_vgrf()?;
    let own = (s.offset, s.offset + inst.src_bytes(i));
    if !writes.unchanged(v, own, c + 1, at) || !writes.source_unchanged(lir, copy, 0, c, at) {
        return None;
    }
    let size = s.ty.size_bytes();
    if let Reg::Imm(bits) = copy.src[0].reg {
        return with_immediate(inst, i, class, (bits >> (8 * start)) & mask(size));
    }
    if !step.is_multiple_of(size) || !matches!(step / size, 0 | 1 | 2 | 4) {
        return None;
    }
    let mut to = Src {
        reg: copy.src[0].reg,
        offset: start,
        stride: (step / size) as u8,
        ..s
    };
    let signs = copy.src[0].neg || copy.src[0].abs;
    if signs {
        if s.ty != copy.dst.ty || !allows_source_modifiers(inst, class, s.ty) {
            return None;
        }
        if !s.abs {
            to.abs = copy.src[0].abs;
            to.neg = s.neg ^ copy.src[0].neg;
        }
    }
    let many = s.stride != 0 && inst.exec > 1;
    let fits = match class {
        // Align16 reads packed elements at 16 bytes, or replicates one dword.
        EncodingClass::ThreeSource => match to.stride {
            0 => size == 4 && to.offset.is_multiple_of(4),
            1 => to.offset.is_multiple_of(16) && step == size,
            _ => false,
        },
        EncodingClass::Send => to.stride == 0,
        // The region keeps its stride and its offset within a register, or is a scalar.
        _ => {
            !many
                || to.stride == 0
                || to.offset % GRF_BYTES == s.offset % GRF_BYTES && to.stride == s.stride
        }
    };
    // A 64-bit scalar region for several lanes is restricted on low-power cores and is read in
    // halves elsewhere.
    if !fits || many && to.stride == 0 && size == 8 {
        return None;
    }
    let mut out = *inst;
    out.src[i] = to;
    Some(out)
}

fn mask(size: u32) -> u64 {
    if size == 8 {
        u64::MAX
    } else {
        (1 << (8 * size)) - 1
    }
}

/// True if the operands of the instruction may have float source modifiers (negation, absolute
/// value).
fn allows_source_modifiers(inst: &Inst, class: EncodingClass, ty: Type) -> bool {
    let logic = matches!(inst.op, Op::Eu(op) if op.info().logic);
    let computes = match inst.op {
        Op::Eu(op) => matches!(
            op,
            Opcode::Add | Opcode::Mul | Opcode::Mad | Opcode::Mov | Opcode::Cmp | Opcode::Sel
        ),
        Op::Math(_) => true,
        _ => false,
    };
    ty.is_float() && !logic && computes && class != EncodingClass::Send
}

/// The instruction with an immediate as its source `i`, if that is legal. An immediate first source
/// is exchanged with the second.
fn with_immediate(inst: &Inst, i: usize, class: EncodingClass, bits: u64) -> Option<Inst> {
    let s = &inst.src[i];
    if class != EncodingClass::Basic
        || !matches!(s.ty, Type::D | Type::Ud | Type::F | Type::W | Type::Uw)
    {
        return None;
    }
    let Op::Eu(op) = inst.op else { return None };
    if op.info().logic && s.neg {
        return None;
    }
    let value = match (s.ty, s.abs) {
        (_, false) => bits,
        (Type::F, true) => bits & 0x7fff_ffff,
        _ => return None,
    };
    let imm = Src::imm(s.ty, value);
    let imm = if s.neg { imm.negated() } else { imm };
    let mut out = *inst;
    let n = inst.sources();
    if n == 1 {
        // Other one-source operations require a register.
        if op != Opcode::Mov {
            return None;
        }
        out.src[0] = imm;
        return Some(out);
    }
    let other = &inst.src[1 - i];
    if n != 2 || matches!(other.reg, Reg::Imm(_)) {
        return None;
    }
    let arithmetic = matches!(
        op,
        Opcode::Add | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mul
    );
    let commutes = arithmetic || op == Opcode::Sel && inst.cmod != CondMod::None;
    let takes_immediate = commutes
        || matches!(
            op,
            Opcode::Cmp | Opcode::Sel | Opcode::Shl | Opcode::Shr | Opcode::Asr
        );
    // The operands of a dword × word product cannot be exchanged.
    let mixed_sizes = inst.src[0].ty.size_bytes() != inst.src[1].ty.size_bytes();
    if !takes_immediate || op == Opcode::Mul && mixed_sizes {
        return None;
    }
    if i == 0 {
        match (op, inst.pred) {
            _ if commutes => {}
            (Opcode::Cmp, _) => out.cmod = with_operands_exchanged(inst.cmod)?,
            (Opcode::Sel, Some(mut pred)) => {
                pred.inverse = !pred.inverse;
                out.pred = Some(pred);
            }
            _ => return None,
        }
        out.src[0] = *other;
    }
    out.src[1] = imm;
    Some(out)
}

/// The condition that is equivalent when the compared operands are exchanged.
fn with_operands_exchanged(cmod: CondMod) -> Option<CondMod> {
    Some(match cmod {
        CondMod::G => CondMod::L,
        CondMod::Ge => CondMod::Le,
        CondMod::L => CondMod::G,
        CondMod::Le => CondMod::Ge,
        CondMod::Z | CondMod::Nz => cmod,
        _ => return None,
    })
}

/// Replaces the parts of a payload that are copies by their originals; returns true if it changed
/// the payload.
fn propagate_to_payload(
    lir: &mut Lir,
    writes: &RegisterWrites,
    copies: &IdMap<Vgrf, SmallVec<[u32; 2]>>,
    inst: &Inst,
    payload: PayloadId,
    at: usize,
) -> bool {
    let mut changed = false;
    for p in 0..lir.payloads[payload].parts.len() {
        let part = lir.payloads[payload].parts[p];
        let Some(v) = part.src.as_vgrf().filter(|_| !part.header) else {
            continue;
        };
        let new = copies[v].iter().rev().find_map(|&c| {
            let copy = Some(&lir.insts[c as usize]).filter(|copy| is_copy(copy))?;
            let s = &part.src;
            let size = s.ty.size_bytes();
            let (start, step) = source_region(copy, inst, s, inst.exec.into(), true)?;
            let bytes = (u32::from(inst.exec) - 1) * u32::from(s.stride) * size + size;
            let own = (s.offset, s.offset + bytes);
            let plain = !copy.src[0].neg && !copy.src[0].abs && step.is_multiple_of(size);
            let holds = plain
                && writes.unchanged(v, own, c as usize + 1, at)
                && writes.source_unchanged(lir, copy, 0, c as usize, at);
            match copy.src[0].reg {
                _ if !holds => None,
                Reg::Imm(bits) if size == 4 => {
                    Some(Src::imm(s.ty, (bits >> (8 * start)) & mask(size)))
                }
                Reg::Vgrf(_) if matches!(step / size, 0 | 1 | 2 | 4) => Some(Src {
                    reg: copy.src[0].reg,
                    offset: start,
                    stride: (step / size) as u8,
                    ..*s
                }),
                _ => None,
            }
        });
        if let Some(new) = new {
            lir.payloads[payload].parts[p].src = new;
            changed = true;
        }
    }
    changed
}
