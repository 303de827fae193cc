//! Tests of copy propagation.

use super::opt_copy;
use crate::lir::{Op, Src};
use crate::opt::dce::opt_dce;
use crate::testing::{control, emit, program, reg, store};
use isa::Opcode;

#[test]
fn copies_are_not_propagated_over_writes_of_a_loop() {
    let mut lir = program();
    let [a, phi, x] = [(); 3].map(|()| lir.vgrf(32));
    emit(&mut lir, Opcode::Mov, a, &[Src::ud(7)]);
    emit(&mut lir, Opcode::Mov, phi, &[reg(a)]);
    control(&mut lir, Op::Do);
    emit(&mut lir, Opcode::Add, x, &[reg(phi), Src::ud(1)]);
    store(&mut lir, x);
    emit(&mut lir, Opcode::Mov, phi, &[reg(x)]);
    control(&mut lir, Op::Eu(Opcode::While));
    opt_copy(&mut lir);
    assert_eq!(lir.insts[3].src[0], reg(phi));
}

#[test]
fn copy_chains_and_constants_are_propagated() {
    let mut lir = program();
    let [a, b, c, x] = [(); 4].map(|()| lir.vgrf(32));
    emit(&mut lir, Opcode::Not, a, &[Src::ud(7)]);
    emit(&mut lir, Opcode::Mov, b, &[reg(a)]);
    emit(&mut lir, Opcode::Mov, c, &[Src::ud(3)]);
    emit(&mut lir, Opcode::Add, x, &[reg(c), reg(b)]);
    store(&mut lir, x);
    assert!(opt_copy(&mut lir));
    // The immediate goes where it may stand.
    assert_eq!(lir.insts[3].src[..2], [reg(a), Src::ud(3)]);
    opt_dce(&mut lir);
    assert_eq!(lir.insts.len(), 3);
    // Lanes that were not copied are not read.
    let mut lir = program();
    let [a, b, x] = [(); 3].map(|()| lir.vgrf(32));
    emit(&mut lir, Opcode::Not, a, &[Src::ud(7)]);
    emit(&mut lir, Opcode::Mov, b, &[reg(a)]);
    emit(&mut lir, Opcode::Add, x, &[reg(b), Src::ud(1)]);
    lir.insts[2].no_mask = true;
    opt_copy(&mut lir);
    assert_eq!(lir.insts[2].src[0], reg(b));
}
