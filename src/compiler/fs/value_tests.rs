//! Tests of the passes that follow values: `opt_cse`, `opt_copy`, `opt_flags`, `split_vgrfs`.

use crate::alloc::split_vgrfs;
use crate::lir::{Dst, Inst, Lir, Op, Src, VgrfId};
use crate::opt::copy::opt_copy;
use crate::opt::cse::opt_cse;
use crate::opt::dce::opt_dce;
use isa::{Opcode, Type};

fn program() -> Lir {
    Lir {
        width: 8,
        ..Lir::default()
    }
}

fn reg(v: VgrfId) -> Src {
    Src::vgrf(v, 0, Type::Ud, 1)
}

fn emit(lir: &mut Lir, op: Opcode, dst: VgrfId, src: &[Src]) {
    let mut inst = Inst::new(Op::Eu(op), 8);
    inst.dst = Dst::vgrf(dst, 0, Type::Ud, 1);
    inst.src[..src.len()].copy_from_slice(src);
    lir.insts.push(inst);
}

fn control(lir: &mut Lir, op: Op) {
    lir.insts.push(Inst::new(op, 8));
}

/// Something that is written to memory: everything that it reads stays.
fn store(lir: &mut Lir, v: VgrfId) {
    let mut inst = Inst::new(Op::Send, 8);
    inst.src[0] = reg(v);
    inst.send = Some(crate::lir::message::untyped_write(254, 8, 1));
    inst.src[1] = reg(v);
    lir.insts.push(inst);
}

fn adds(lir: &Lir) -> usize {
    lir.insts
        .iter()
        .filter(|i| i.op == Op::Eu(Opcode::Add))
        .count()
}

#[test]
fn equal_sums_are_made_once_while_their_operands_stay() {
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
fn a_branch_that_is_over_has_made_nothing() {
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

#[test]
fn what_a_loop_writes_is_not_what_was_copied_before_it() {
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
fn copies_of_copies_and_constants_are_read_where_they_come_from() {
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

#[test]
fn registers_that_nothing_accesses_together_part() {
    let mut lir = program();
    let pair = lir.vgrf(64);
    let answer = lir.vgrf(64);
    for at in [0, 32] {
        emit(&mut lir, Opcode::Mov, pair, &[Src::ud(at)]);
        lir.insts.last_mut().unwrap().dst.offset = at;
    }
    let mut load = Inst::new(Op::Send, 8);
    load.src[0] = reg(pair);
    load.dst = Dst::vgrf(answer, 0, Type::Ud, 1);
    load.send = Some(crate::lir::message::untyped_read(254, 8, 2));
    lir.insts.push(load);
    assert!(split_vgrfs::split_vgrfs(&mut lir));
    assert_eq!(lir.vgrfs[pair].regs, 1);
    assert_eq!(lir.vgrfs[answer].regs, 2);
    assert_ne!(lir.insts[1].dst.reg, lir.insts[0].dst.reg);
    assert_eq!(lir.insts[1].dst.offset, 0);
}
