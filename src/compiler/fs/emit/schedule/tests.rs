//! Tests of the scheduler.

use super::{PRESSURES, PressureHeuristic, after_allocation, before_allocation};
use crate::alloc::regalloc;
use crate::lir::live::{intervals, loops};
use crate::lir::{Dst, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use crate::testing::{mov, program, push_response, reg};
use entity::IdMap;
use isa::{Opcode, Type};

#[test]
fn scheduling_preserves_dependencies() {
    let mut lir = program();
    let r0 = lir.vgrf(32);
    lir.vgrfs[r0].fixed = Some(0);
    let all: Vec<VgrfId> = (0..8).map(|_| lir.vgrf(32)).collect();
    for v in &all {
        mov(&mut lir, *v, Src::ud(3));
    }
    let mut state = 7usize;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % n
    };
    for _ in 0..200 {
        let mut inst = Inst::new(Op::Eu(Opcode::Add), 8);
        inst.dst = Dst::vgrf(all[next(8)], 0, Type::Ud, 1);
        inst.src[0] = reg(all[next(8)]);
        inst.src[1] = reg(all[next(8)]);
        lir.insts.push(inst);
    }
    // Runs the sums, to see that the same ones come out.
    let run = |lir: &Lir| {
        let mut regs = IdMap::for_arena(&lir.vgrfs, 0u64);
        for inst in &lir.insts {
            let value = |s: &Src, regs: &IdMap<Vgrf, u64>| match s.reg {
                Reg::Vgrf(v) => regs[v],
                Reg::Imm(bits) => bits,
                _ => 0,
            };
            let a = value(&inst.src[0], &regs);
            let b = if inst.op == Op::Eu(Opcode::Add) {
                value(&inst.src[1], &regs)
            } else {
                0
            };
            if let Some(d) = inst.dst.as_vgrf() {
                regs[d] = a.wrapping_mul(3).wrapping_add(b);
            }
        }
        all.iter().map(|v| regs[*v]).collect::<Vec<_>>()
    };
    let want = run(&lir);
    let live = intervals(&lir, &loops(&lir));
    before_allocation(&mut lir, &live, PRESSURES[0], PressureHeuristic::Greedy);
    assert_eq!(run(&lir), want);
    let found = regalloc::allocate(&mut lir, r0, false).unwrap().unwrap();
    after_allocation(&mut lir, &found.reg);
    assert_eq!(run(&lir), want);
    assert_eq!(lir.insts.len(), 208);
}

#[test]
fn source_order_heuristic_avoids_early_addresses() {
    let max_pressure = |saving| {
        let mut lir = program();
        let base = lir.vgrf(32);
        let sum = lir.vgrf(32);
        mov(&mut lir, base, Src::ud(0));
        mov(&mut lir, sum, Src::ud(0));
        for _ in 0..20 {
            let (address, wide) = (lir.vgrf(32), lir.vgrf(8 * 32));
            mov(&mut lir, address, reg(base));
            push_response(&mut lir, wide, address);
            let mut add = Inst::new(Op::Eu(Opcode::Add), 8);
            add.dst = Dst::vgrf(sum, 0, Type::Ud, 1);
            add.src[0] = reg(sum);
            add.src[1] = reg(wide);
            lir.insts.push(add);
        }
        mov(&mut lir, base, reg(sum));
        let live = intervals(&lir, &loops(&lir));
        before_allocation(&mut lir, &live, 0, saving);
        regalloc::max_pressure(&lir, &intervals(&lir, &loops(&lir)))
    };
    assert_eq!(max_pressure(PressureHeuristic::Greedy), 29);
    assert_eq!(max_pressure(PressureHeuristic::SourceOrder), 11);
}
