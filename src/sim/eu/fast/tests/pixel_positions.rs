//! Instructions on pixel positions: words for four channels each, words in quad rows, and MOVs to
//! and from floats. The fast paths have special forms for them, which must give the interpreter's
//! bits.

use crate::testing::{Rng, abs, both_paths, cmod, dst, g, imm, neg, no_mask, op, pred, region};
use isa::{CondMod, Inst, Opcode, PredCtrl, Src, Type};

/// A region of words in which each is for four channels, and one in which four channels' are side
/// by side.
fn fours(nr: u8, sub_bytes: u8) -> Src {
    region(g(nr, Type::Uw), sub_bytes, 1, 4, 0)
}

fn rows(nr: u8, sub_bytes: u8, ty: Type) -> Src {
    region(g(nr, ty), sub_bytes, 8, 4, 1)
}

fn agree(i: Inst, payload: &[u32]) {
    for mask in [u32::MAX, 0x5a5a_3c0f, 0x8000_0001, 0] {
        let [fast, general] = both_paths(&[i], payload, mask);
        assert_eq!(fast.grf(), general.grf(), "{mask:#x} {i:?}");
        assert_eq!(fast.flags(), general.flags(), "{mask:#x} {i:?}");
    }
}

#[test]
fn subspan_replicated_and_row_regions_load_as_the_interpreter_does() {
    let mut r = Rng(0x1234_5678_9abc_def1);
    let payload: Vec<u32> = (0..1024).map(|_| r.dword()).collect();
    let vectors = [0x1100_1010, 0xf000_7818];
    for n in [4, 8, 16, 32] {
        let seconds = [
            imm(Type::V, vectors[0]),
            imm(Type::V, vectors[1]),
            imm(Type::Uw, 7),
            g(12, Type::Uw),
            neg(g(12, Type::W)),
            rows(12, 0, Type::Uw),
        ];
        for second in seconds {
            for first in [
                fours(2, 8),
                fours(2, 10),
                neg(fours(3, 0)),
                rows(2, 8, Type::Uw),
            ] {
                for to in [Type::Uw, Type::W] {
                    let add = op(Opcode::Add, n, dst(40, to), &[first, second]);
                    agree(add, &payload);
                    agree(no_mask(add), &payload);
                    agree(cmod(add, CondMod::Z, 1), &payload);
                    agree(pred(add, PredCtrl::Normal, true, 0), &payload);
                }
            }
        }
    }
    for n in [8, 16] {
        for ty in [Type::Uw, Type::W] {
            for from in [
                rows(2, 0, ty),
                rows(2, 8, ty),
                neg(rows(2, 8, ty)),
                g(2, ty),
            ] {
                let mov = op(Opcode::Mov, n, dst(40, Type::F), &[from]);
                agree(mov, &payload);
                agree(cmod(mov, CondMod::L, 0), &payload);
            }
        }
        for ty in [Type::Ud, Type::D] {
            agree(op(Opcode::Mov, n, dst(40, Type::F), &[g(2, ty)]), &payload);
        }
    }
}

#[test]
fn float_to_integer_moves_match_the_interpreter() {
    let edges = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        0.999,
        1.0,
        1.5,
        254.9,
        255.0,
        256.0,
        32_767.0,
        32_767.996,
        32_768.0,
        65_535.0,
        65_536.0,
        -1.0,
        -128.5,
        2_147_483_648.0,
        -2_147_483_648.0,
        4_294_967_296.0,
        f32::MIN_POSITIVE / 2.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ]
    .map(f32::to_bits);
    for start in 0..edges.len() {
        for few in [true, false] {
            // All channels hold small ones but for some, or each holds another.
            let value = |i: usize| match few && !i.is_multiple_of(7) {
                true => (i as f32 * 1.25).to_bits(),
                false => edges[(start + i) % edges.len()],
            };
            let payload: Vec<u32> = (0..1024).map(value).collect();
            for n in [8, 16] {
                for to in [Type::Ud, Type::D, Type::Uw, Type::W, Type::Ub, Type::B] {
                    for from in [g(2, Type::F), neg(g(2, Type::F)), abs(g(2, Type::F))] {
                        agree(op(Opcode::Mov, n, dst(40, to), &[from]), &payload);
                    }
                }
            }
        }
    }
}
