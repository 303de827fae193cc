//! Tests of live intervals.

use super::{NO_LOOP, intervals, loops};
use crate::lir::{Op, Src};
use crate::testing::{control, mov, program, reg};
use isa::Opcode;

#[test]
fn values_used_across_a_loop_are_live_throughout_it() {
    let mut lir = program();
    let [before, inside, after] = [(); 3].map(|()| lir.vgrf(32));
    mov(&mut lir, before, Src::ud(1));
    control(&mut lir, Op::Do);
    mov(&mut lir, inside, reg(before));
    mov(&mut lir, after, reg(inside));
    control(&mut lir, Op::Eu(Opcode::Break));
    control(&mut lir, Op::Eu(Opcode::While));
    mov(&mut lir, before, reg(after));
    let loops = loops(&lir);
    let live = intervals(&lir, &loops);
    assert_eq!((live[before].start, live[before].end), (1, 13));
    // Made and used in one round.
    assert_eq!((live[inside].start, live[inside].end), (5, 6));
    // A lane that has left keeps it while others go round again.
    assert_eq!((live[after].start, live[after].end), (2, 12));
    assert_eq!(live[after].enclosing_loop, NO_LOOP);
}
