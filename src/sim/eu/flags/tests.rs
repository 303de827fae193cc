//! Predicates and conditional modifiers, against one flag bit for each channel.
//!
//! Ref: SKL PRM vol. 7, "Predication", "Conditional Modifier": channel c of an instruction that
//!      begins at channel k has bit 16·subregister + k + c; the grouped forms look at the aligned
//!      group of two to thirty-two bits around it.

use crate::convert::Element;
use crate::flags::*;
use crate::testing::Rng;
use isa::{CondMod, Pred, PredCtrl};

#[test]
fn lane_mask_has_one_bit_per_lane() {
    for n in 0..=31u8 {
        assert_eq!(lane_mask(n).count_ones(), u32::from(n));
        assert_eq!(lane_mask(n).trailing_ones(), u32::from(n));
    }
    assert_eq!(lane_mask(32), u32::MAX);
}

#[test]
fn flags_outside_the_mask_are_preserved() {
    let mut r = Rng(0xf1a6);
    for _ in 0..200 {
        let (old, first) = (r.next(), r.below(64) as u32);
        let (mask, value) = (r.next() as u32, r.next() as u32);
        let new = merge(old, first, mask, value);
        for bit in 0..64 {
            let lane = (bit + 64 - first) % 64;
            let from = if lane < 32 && mask >> lane & 1 != 0 {
                u64::from(value >> lane & 1)
            } else {
                old >> bit & 1
            };
            assert_eq!(new >> bit & 1, from, "bit {bit}, first {first}");
        }
        for lane in 0..32 {
            let bit = (first + lane) % 64;
            assert_eq!(
                u64::from(lane_flags(old, first) >> lane & 1),
                old >> bit & 1,
                "lane {lane}"
            );
        }
    }
}

/// The predicate of channel `at` (counted from the flag's first bit), for flag subregister `flag`.
fn holds_at(ctrl: PredCtrl, flags: u64, flag: u32, at: u32) -> bool {
    let bit = |k: u32| flags >> (k % 64) & 1 != 0;
    let base = 16 * flag;
    let group = |k: u32| (0..k).map(move |j| bit(base + at / k * k + j));
    match ctrl {
        PredCtrl::Normal => bit(base + at),
        PredCtrl::AnyV => bit(at) || bit(32 + at),
        PredCtrl::AllV => bit(at) && bit(32 + at),
        PredCtrl::Any2h => group(2).any(|b| b),
        PredCtrl::All2h => group(2).all(|b| b),
        PredCtrl::Any4h | PredCtrl::Any4hAlign16 => group(4).any(|b| b),
        PredCtrl::All4h | PredCtrl::All4hAlign16 => group(4).all(|b| b),
        PredCtrl::Any8h => group(8).any(|b| b),
        PredCtrl::All8h => group(8).all(|b| b),
        PredCtrl::Any16h => group(16).any(|b| b),
        PredCtrl::All16h => group(16).all(|b| b),
        PredCtrl::Any32h => group(32).any(|b| b),
        PredCtrl::All32h => group(32).all(|b| b),
        PredCtrl::X => bit(base + at / 4 * 4),
        PredCtrl::Y => bit(base + at / 4 * 4 + 1),
        PredCtrl::Z => bit(base + at / 4 * 4 + 2),
        PredCtrl::W => bit(base + at / 4 * 4 + 3),
    }
}

#[test]
fn predicate_controls_match_their_definition_per_channel() {
    const FORMS: [(PredCtrl, u32); 19] = [
        (PredCtrl::Normal, 1),
        (PredCtrl::AnyV, 1),
        (PredCtrl::AllV, 1),
        (PredCtrl::Any2h, 2),
        (PredCtrl::All2h, 2),
        (PredCtrl::Any4h, 4),
        (PredCtrl::All4h, 4),
        (PredCtrl::Any4hAlign16, 4),
        (PredCtrl::All4hAlign16, 4),
        (PredCtrl::Any8h, 8),
        (PredCtrl::All8h, 8),
        (PredCtrl::Any16h, 16),
        (PredCtrl::All16h, 16),
        (PredCtrl::Any32h, 32),
        (PredCtrl::All32h, 32),
        (PredCtrl::X, 4),
        (PredCtrl::Y, 4),
        (PredCtrl::Z, 4),
        (PredCtrl::W, 4),
    ];
    // Instructions that begin at any quarter, or nibble, of their flag register; thirty-two bits
    // begin at a whole one.
    let places = [
        (0u8, 0u8, 32u8),
        (2, 0, 32),
        (0, 16, 16),
        (2, 16, 16),
        (1, 0, 16),
        (3, 0, 16),
        (0, 8, 8),
        (2, 24, 8),
        (1, 8, 8),
        (0, 4, 4),
        (3, 12, 4),
        (0, 0, 1),
        (0, 20, 4),
    ];
    let mut r = Rng(0x9ed1);
    for (ctrl, group) in FORMS {
        for (flag, chan, n) in places {
            if flag % 2 == 1 && group == 32 {
                continue;
            }
            for round in 0..24 {
                let flags = match round % 8 {
                    0 => 0,
                    1 => u64::MAX,
                    2 => 1 << r.below(64),
                    3 => !(1 << r.below(64)),
                    4 => r.next() & r.next() & r.next(),
                    5 => r.next() | r.next() | r.next(),
                    // Half of the register at a time.
                    6 => 0xffff << (16 * r.below(4)),
                    _ => r.next(),
                };
                let inverse = r.below(2) == 0;
                let want = (0..u32::from(n)).fold(0u32, |m, lane| {
                    let p = holds_at(ctrl, flags, u32::from(flag), u32::from(chan) + lane);
                    m | u32::from(p != inverse) << lane
                });
                let got = predicate(&Pred { ctrl, inverse }, flags, flag, chan, n);
                assert_eq!(
                    got, want,
                    "{ctrl:?} inverse {inverse}, flags {flags:#x}.{flag}, {n} from {chan}"
                );
            }
        }
    }
}

const CONDITIONS: [CondMod; 9] = [
    CondMod::None,
    CondMod::Z,
    CondMod::Nz,
    CondMod::G,
    CondMod::Ge,
    CondMod::L,
    CondMod::Le,
    CondMod::O,
    CondMod::U,
];

#[test]
fn conditional_modifiers_test_zero_sign_overflow_and_nan() {
    let out = |[zero, neg, nan, overflow]: [bool; 4]| Element {
        bits: 0,
        zero,
        neg,
        nan,
        overflow,
    };
    let (y, n) = (true, false);
    // Zero, negative, NaN, overflow; then whether .none .z .nz .g .ge .l .le .o .u hold.
    let table = [
        ("one", [n, n, n, n], [n, n, y, y, y, n, n, n, n]),
        ("minus one", [n, y, n, n], [n, n, y, n, n, y, y, n, n]),
        ("zero", [y, n, n, n], [n, y, n, n, y, n, y, n, n]),
        ("minus zero", [y, y, n, n], [n, y, n, n, y, n, y, n, n]),
        ("too great", [n, n, n, y], [n, n, y, y, y, n, n, y, n]),
        ("too small", [n, y, n, y], [n, n, y, n, n, y, y, y, n]),
        ("NaN", [n, n, y, n], [n, n, y, n, n, n, n, n, y]),
        // A NaN is unordered whatever its bits are.
        ("NaN, negative", [n, y, y, n], [n, n, y, n, n, n, n, n, y]),
        ("NaN, zero", [y, n, y, n], [n, n, y, n, n, n, n, n, y]),
    ];
    for (what, seen, want) in table {
        let got = CONDITIONS.map(|c| condition_holds(c, &out(seen)));
        assert_eq!(got, want, "{what}: {CONDITIONS:?}");
    }
}

#[test]
fn comparisons_follow_the_order_of_two_numbers() {
    let (y, n) = (true, false);
    let table = [
        (1.0, 2.0, [n, n, y, n, n, y, y, n, n]),
        (2.0, 2.0, [n, y, n, n, y, n, y, n, n]),
        (3.0, 2.0, [n, n, y, y, y, n, n, n, n]),
        (0.0, -0.0, [n, y, n, n, y, n, y, n, n]),
        (f64::NAN, 2.0, [n, n, y, n, n, n, n, n, y]),
        (2.0, f64::NAN, [n, n, y, n, n, n, n, n, y]),
    ];
    for (a, b, want) in table {
        let got = CONDITIONS.map(|c| compare(c, a, b));
        assert_eq!(got, want, "{a} with {b}: {CONDITIONS:?}");
    }
}
