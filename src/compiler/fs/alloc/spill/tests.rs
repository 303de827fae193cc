//! Tests of spilling.

use super::spill;
use crate::lir::live::{intervals, loops};
use crate::lir::{Dst, Inst, Lir, Op, Reg, Src};
use crate::testing::{control, mov, program, push_response, reg};
use isa::{Opcode, Type};

/// Messages to or from scratch.
fn scratch_messages(lir: &Lir) -> usize {
    let scratch = |i: &&Inst| i.send.is_some_and(|s| s.is_scratch());
    lir.insts.iter().filter(scratch).count()
}

#[test]
fn constants_are_rematerialised_and_not_stored() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let constant = lir.vgrf(32);
    let (a, b) = (lir.vgrf(32), lir.vgrf(32));
    mov(&mut lir, constant, Src::ud(7));
    for to in [a, b] {
        mov(&mut lir, to, reg(constant));
    }
    let mut all = entity::IdSet::new();
    all.insert(constant);
    let live = intervals(&lir, &loops(&lir));
    let counts = spill(&mut lir, &live, &all, r0, 0).unwrap();
    assert_eq!((counts, scratch_messages(&lir)), ((0, 0), 0));
    // Each copy has the constant made before it.
    let made = |i: &Inst| i.src[0].reg == Reg::Imm(7) && i.no_mask;
    let order: Vec<bool> = lir.insts.iter().map(made).collect();
    assert_eq!(order, [true, false, true, false]);
}

#[test]
fn consecutive_reads_share_a_fill() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let twice = lir.vgrf(32);
    let (a, b, c) = (lir.vgrf(32), lir.vgrf(32), lir.vgrf(32));
    mov(&mut lir, twice, Src::ud(7));
    control(&mut lir, Op::Eu(Opcode::If));
    mov(&mut lir, twice, Src::ud(8));
    control(&mut lir, Op::Eu(Opcode::Endif));
    for to in [a, b, c] {
        mov(&mut lir, to, reg(twice));
    }
    let mut all = entity::IdSet::new();
    all.insert(twice);
    let live = intervals(&lir, &loops(&lir));
    let (spills, fills) = spill(&mut lir, &live, &all, r0, 0).unwrap();
    // The second write merges with what lanes that are not active hold; three reads in a row take
    // one.
    assert_eq!((spills, fills), (2, 2));
}

#[test]
fn accumulators_stay_resident_while_registers_are_free() {
    let spilled = |room: i32| {
        let mut lir = program();
        let r0 = lir.vgrf(32);
        let (sum, other) = (lir.vgrf(32), lir.vgrf(32));
        mov(&mut lir, sum, Src::ud(1));
        control(&mut lir, Op::Do);
        for _ in 0..3 {
            let mut add = Inst::new(Op::Eu(Opcode::Add), 8);
            add.dst = Dst::vgrf(sum, 0, Type::Ud, 1);
            add.src[0] = reg(sum);
            add.src[1] = Src::ud(3);
            lir.insts.push(add);
            mov(&mut lir, other, Src::ud(2));
        }
        control(&mut lir, Op::Eu(Opcode::While));
        mov(&mut lir, r0, reg(sum));
        mov(&mut lir, r0, reg(other));
        let mut all = entity::IdSet::new();
        all.insert(sum);
        let live = intervals(&lir, &loops(&lir));
        spill(&mut lir, &live, &all, r0, room).unwrap()
    };
    // The other one is there.
    assert_eq!(spilled(1), (4, 4));
    assert_eq!(spilled(2), (2, 2));
}

#[test]
fn equal_scalar_writes_need_no_merge() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let (scalar, other) = (lir.vgrf(32), lir.vgrf(32));
    let mut one = Inst::new(Op::Eu(Opcode::Mov), 1);
    one.no_mask = true;
    one.src[0] = Src::ud(1);
    one.dst = Dst::vgrf(scalar, 4, Type::Ud, 1);
    lir.insts.push(one);
    control(&mut lir, Op::Do);
    one.src[0] = reg(other);
    lir.insts.push(one);
    control(&mut lir, Op::Eu(Opcode::While));
    mov(&mut lir, r0, reg(scalar));
    let mut all = entity::IdSet::new();
    all.insert(scalar);
    let live = intervals(&lir, &loops(&lir));
    let counts = spill(&mut lir, &live, &all, r0, 0).unwrap();
    assert_eq!(counts, (2, 1));
}

#[test]
fn eight_registers_are_stored_by_two_messages() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let wide = lir.vgrf(8 * 32);
    push_response(&mut lir, wide, r0);
    control(&mut lir, Op::Eu(Opcode::If));
    mov(&mut lir, r0, reg(wide));
    let mut all = entity::IdSet::new();
    all.insert(wide);
    let live = intervals(&lir, &loops(&lir));
    let (spills, fills) = spill(&mut lir, &live, &all, r0, 0).unwrap();
    assert_eq!((spills, fills, scratch_messages(&lir)), (8, 1, 3));
}

#[test]
fn scratch_beyond_the_maximum_offset_uses_another_header() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    let wide = lir.vgrf(8 * 32);
    let at = lir.reserve_scratch(4090 * 32).unwrap();
    assert_eq!(at, 0);
    push_response(&mut lir, wide, r0);
    control(&mut lir, Op::Do);
    mov(&mut lir, r0, Src::vgrf(wide, 5 * 32, Type::Ud, 1));
    let mut all = entity::IdSet::new();
    all.insert(wide);
    let live = intervals(&lir, &loops(&lir));
    spill(&mut lir, &live, &all, r0, 0).unwrap();
    // Registers 4090 to 4093 from the thread's own place; from 128 KiB behind it what no offset
    // reaches.
    let place = |i: &Inst| {
        i.send.map(|s| {
            (
                isa::descriptor::scratch_block::OFFSET.get(s.desc),
                i.src[0].reg == Reg::Vgrf(r0),
            )
        })
    };
    let places: Vec<_> = lir.insts.iter().skip(1).filter_map(place).collect();
    assert_eq!(places, [(4090, true), (4094, true), (4095, true)]);
    let more = lir.vgrf(32);
    mov(&mut lir, more, reg(r0));
    control(&mut lir, Op::Eu(Opcode::If));
    mov(&mut lir, more, reg(r0));
    control(&mut lir, Op::Eu(Opcode::Endif));
    mov(&mut lir, r0, reg(more));
    let mut all = entity::IdSet::new();
    all.insert(more);
    let live = intervals(&lir, &loops(&lir));
    spill(&mut lir, &live, &all, r0, 0).unwrap();
    // Both writes store it, the second fetches it, too, and so does who reads it.
    let added = |i: &&Inst| i.op == Op::Eu(Opcode::Add) && i.src[1].reg == Reg::Imm(128 << 10);
    assert_eq!(lir.insts.iter().filter(added).count(), 4);
    assert_eq!(
        lir.insts.iter().filter_map(place).next_back(),
        Some((2, false))
    );
    assert!(lir.reserve_scratch(2 << 20).is_err());
}
