//! Tests of common subexpression elimination.

use super::opt_cse;
use crate::lir::{Lir, Op, Src};
use crate::testing::{control, emit, program, reg, store};
use isa::Opcode;

fn adds(lir: &Lir) -> usize {
    lir.insts
        .iter()
        .filter(|i| i.op == Op::Eu(Opcode::Add))
        .count()
}

#[test]
fn equal_additions_are_merged_while_operands_are_unchanged() {
    let mut lir = program();
    let [a, b, x, y, z] = [(); 5].map(|()| lir.vgrf(32));
    for v in [a, b] {
        emit(&mut lir, Opcode::Mov, v, &[Src::ud(7)]);
    }
    emit(&mut lir, Opcode::Add, x, &[reg(a), reg(b)]);
    // In the other order.
    emit(&mut lir, Opcode::Add, y, &[reg(b), reg(a)]);
    emit(&mut lir, Opcode::Mov, a, &[reg(y)]);
    emit(&mut lir, Opcode::Add, z, &[reg(a), reg(b)]);
    for v in [x, y, z] {
        store(&mut lir, v);
    }
    assert!(opt_cse(&mut lir));
    assert_eq!(adds(&lir), 2);
}

#[test]
fn results_of_a_branch_are_not_reused_behind_it() {
    let mut lir = program();
    let [a, x, y] = [(); 3].map(|()| lir.vgrf(32));
    emit(&mut lir, Opcode::Mov, a, &[Src::ud(7)]);
    control(&mut lir, Op::Eu(Opcode::If));
    emit(&mut lir, Opcode::Add, x, &[reg(a), Src::ud(1)]);
    store(&mut lir, x);
    control(&mut lir, Op::Eu(Opcode::Endif));
    emit(&mut lir, Opcode::Add, y, &[reg(a), Src::ud(1)]);
    store(&mut lir, y);
    opt_cse(&mut lir);
    assert_eq!(adds(&lir), 2);
}
