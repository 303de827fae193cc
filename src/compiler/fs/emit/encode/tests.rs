//! Tests of the encoder.

use super::encode;
use crate::lir::{Op, Src};
use crate::testing::{control, mov, program};
use entity::IdMap;
use isa::Opcode;

#[test]
fn jump_distances_follow_the_nesting() {
    let mut lir = program();
    let v = lir.vgrf(32);
    control(&mut lir, Op::Do);
    control(&mut lir, Op::Eu(Opcode::If));
    control(&mut lir, Op::Eu(Opcode::Break));
    control(&mut lir, Op::Eu(Opcode::Else));
    mov(&mut lir, v, Src::ud(0));
    control(&mut lir, Op::Eu(Opcode::Endif));
    control(&mut lir, Op::Eu(Opcode::Halt));
    control(&mut lir, Op::Eu(Opcode::While));
    control(&mut lir, Op::HaltTarget);
    let out = encode(&lir, &IdMap::default());
    let jumps: Vec<(i32, i32)> = out.0.iter().map(|i| (i.jip / 16, i.uip / 16)).collect();
    // 0 if, 1 break, 2 else, 3 mov, 4 endif, 5 halt, 6 while, 7 halt
    assert_eq!(
        jumps,
        [
            (3, 4),
            (1, 5),
            (2, 2),
            (0, 0),
            (2, 0),
            (1, 2),
            (-6, 0),
            (1, 1)
        ]
    );
}
