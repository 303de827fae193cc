//! Tests of the splitting of VGRFs.

use super::split_vgrfs;
use crate::lir::{Dst, Inst, Op, Src};
use crate::testing::{emit, program, reg};
use isa::{Opcode, Type};

#[test]
fn independently_accessed_registers_are_split() {
    let mut lir = program();
    let pair = lir.vgrf(64);
    let response = lir.vgrf(64);
    for at in [0, 32] {
        emit(&mut lir, Opcode::Mov, pair, &[Src::ud(at)]);
        lir.insts.last_mut().unwrap().dst.offset = at;
    }
    let mut load = Inst::new(Op::Send, 8);
    load.src[0] = reg(pair);
    load.dst = Dst::vgrf(response, 0, Type::Ud, 1);
    load.send = Some(crate::lir::message::untyped_read(254, 8, 2));
    lir.insts.push(load);
    assert!(split_vgrfs(&mut lir));
    assert_eq!(lir.vgrfs[pair].regs, 1);
    assert_eq!(lir.vgrfs[response].regs, 2);
    assert_ne!(lir.insts[1].dst.reg, lir.insts[0].dst.reg);
    assert_eq!(lir.insts[1].dst.offset, 0);
}
