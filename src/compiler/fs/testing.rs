//! Fixtures for unit tests of LIR passes.

use crate::lir::{Dst, Inst, Lir, Op, Src, VgrfId, message};
use isa::{Opcode, Type};

pub(crate) fn program() -> Lir {
    Lir {
        width: 8,
        ..Lir::default()
    }
}

pub(crate) fn reg(v: VgrfId) -> Src {
    Src::vgrf(v, 0, Type::Ud, 1)
}

pub(crate) fn mov(lir: &mut Lir, dst: VgrfId, src: Src) {
    let mut inst = Inst::new(Op::Eu(Opcode::Mov), 8);
    inst.dst = Dst::vgrf(dst, 0, Type::Ud, 1);
    inst.src[0] = src;
    lir.insts.push(inst);
}

pub(crate) fn control(lir: &mut Lir, op: Op) {
    lir.insts.push(Inst::new(op, 8));
}

/// Many values at once, more than there are registers.
pub(crate) fn many_live_values(n: usize) -> Lir {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    lir.vgrfs[r0].fixed = Some(0);
    let all: Vec<VgrfId> = (0..n).map(|_| lir.vgrf(32)).collect();
    for (i, v) in all.iter().enumerate() {
        mov(&mut lir, *v, Src::ud(i as u32));
    }
    for pair in all.windows(2) {
        let mut inst = Inst::new(Op::Eu(Opcode::Add), 8);
        inst.dst = Dst::vgrf(pair[1], 0, Type::Ud, 1);
        inst.src[0] = reg(pair[0]);
        inst.src[1] = reg(pair[1]);
        lir.insts.push(inst);
    }
    mov(&mut lir, r0, reg(all[n - 1]));
    lir
}

/// A message that answers with eight registers.
pub(crate) fn push_response(lir: &mut Lir, to: VgrfId, header: VgrfId) {
    let mut send = Inst::new(Op::Send, 8);
    send.send = Some(message::untyped_read(isa::descriptor::bti::SLM, 8, 4));
    send.src[0] = reg(header);
    send.dst = Dst::vgrf(to, 0, Type::Ud, 1);
    if let Some(info) = &mut send.send {
        info.rlen = 8;
    }
    lir.insts.push(send);
}

pub(crate) fn emit(lir: &mut Lir, op: Opcode, dst: VgrfId, src: &[Src]) {
    let mut inst = Inst::new(Op::Eu(op), 8);
    inst.dst = Dst::vgrf(dst, 0, Type::Ud, 1);
    inst.src[..src.len()].copy_from_slice(src);
    lir.insts.push(inst);
}

/// Something that is written to memory: everything that it reads stays.
pub(crate) fn store(lir: &mut Lir, v: VgrfId) {
    let mut inst = Inst::new(Op::Send, 8);
    inst.src[0] = reg(v);
    inst.send = Some(message::untyped_write(254, 8, 1));
    inst.src[1] = reg(v);
    lir.insts.push(inst);
}
