//! Tests of the scheduler: a long generated program. Its other tests are text.

use super::{PRESSURES, PressureHeuristic, after_allocation, before_allocation, blocks};
use crate::alloc::regalloc;
use crate::lir::live::{intervals, loops};
use crate::lir::parse::parse;
use crate::lir::{Lir, Op, Reg, Src, Vgrf};
use entity::{Id, IdMap};
use isa::Opcode;
use std::fmt::Write;

/// Computes what a program of moves and sums leaves in v1 to v8. Sums are weighted, so that the
/// order of their operands matters.
fn run(lir: &Lir) -> Vec<u64> {
    let mut values: IdMap<Vgrf, u64> = IdMap::for_arena(&lir.vgrfs, 0);
    for inst in &lir.insts {
        let value = |s: &Src| match s.reg {
            Reg::Vgrf(v) => values[v],
            Reg::Imm(bits) => bits,
            _ => 0,
        };
        let second = if inst.op == Op::Eu(Opcode::Add) {
            value(&inst.src[1])
        } else {
            0
        };
        let sum = value(&inst.src[0]).wrapping_mul(3).wrapping_add(second);
        if let Some(v) = inst.dst.as_vgrf() {
            values[v] = sum;
        }
    }
    (1..9).map(|v| values[Id::new(v)]).collect()
}

#[test]
fn scheduling_preserves_dependencies() {
    let mut state = 7usize;
    let mut next_vgrf = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        1 + (state >> 33) % 8
    };
    let mut text = String::from("simd8\nv0: 1 g0");
    for v in 1..9 {
        let _ = write!(text, ", v{v}: 1");
    }
    for v in 1..9 {
        let _ = write!(text, "\nmov (8|M0) v{v}<1>:ud 0x3:ud");
    }
    for _ in 0..200 {
        let [d, a, b] = [(); 3].map(|()| next_vgrf());
        let _ = write!(text, "\nadd (8|M0) v{d}<1>:ud v{a}<1>:ud v{b}<1>:ud");
    }
    let mut lir = parse(&text).unwrap();
    let want = run(&lir);
    let live = intervals(&lir, &loops(&lir));
    before_allocation(&mut lir, &live, PRESSURES[0], PressureHeuristic::Greedy);
    assert_eq!(run(&lir), want);
    let found = regalloc::allocate(&mut lir, Id::new(0), false);
    after_allocation(&mut lir, &found.unwrap().unwrap().reg);
    assert_eq!(run(&lir), want);
    assert_eq!(lir.insts.len(), 208);
}

#[test]
fn blocks_have_instructions() {
    let text = "simd8
        v0: 1 g0, v1: 1
        mov (8|M0) v1<1>:ud 0x3:ud
        (+f0.0) if (8|M0)
        mov (8|M0) v1<1>:ud v0<1>:ud
        mov (8|M0) v1<1>:ud 0x5:ud
        else (8|M0)
        endif (8|M0)";
    let lir = parse(text).unwrap();
    assert_eq!(blocks(&lir), [(0, 1), (2, 4)]);
}
