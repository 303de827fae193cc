//! 64-bit integers as pairs of dwords, for values that the backend itself computes, on EUs without
//! 64-bit integer arithmetic.
//!
//! In:  64-bit registers in lane form. Out: results built from operations on their halves. Uses
//! flag f0.0.

use super::context::Isel;
use crate::lir::builder::{Exec, Lanes, Mods};
use isa::{CondMod, Opcode, PredCtrl, Type};
use nir::AluOp;

/// Half `number` of a 64-bit value: 0 is the low one.
fn dword_of(value: Lanes, number: u32, ty: Type) -> Lanes {
    value.retype(Type::Ud).offset_by(4 * number).retype(ty)
}

impl Isel<'_> {
    /// Emits `to = a + b`, where `b` has 64 bits, or 32 unsigned ones.
    pub(super) fn add_int64(&mut self, exec: Exec, to: Lanes, a: Lanes, b: Lanes) {
        let (ud, d) = (Type::Ud, Type::D);
        let low = dword_of(to, 0, ud);
        self.b.binary(
            Opcode::Add,
            exec,
            low,
            dword_of(a, 0, ud),
            b.retype(ud),
            Mods::NONE,
        );
        // The carry as all ones: set where the low sum is less than one of its terms.
        let carry = self.b.temp(ud, exec);
        let less = Mods::cmod(CondMod::L, 0);
        self.b
            .binary(Opcode::Cmp, exec, carry, low, dword_of(a, 0, ud), less);
        let (high, minus) = (dword_of(to, 1, d), carry.retype(d).negated());
        self.b.binary(
            Opcode::Add,
            exec,
            high,
            dword_of(a, 1, d),
            minus,
            Mods::NONE,
        );
        if b.ty.size_bytes() == 8 {
            self.b
                .binary(Opcode::Add, exec, high, high, dword_of(b, 1, d), Mods::NONE);
        }
    }

    /// Emits `to = op(a, b)` on 64-bit values. Returns false for operations that this file does not
    /// implement.
    pub(super) fn emit_int64(
        &mut self,
        exec: Exec,
        op: AluOp,
        to: Lanes,
        [a, b]: [Lanes; 2],
    ) -> bool {
        let (ud, d) = (Type::Ud, Type::D);
        let halves = |opcode: Opcode, isel: &mut Self| {
            for n in [0, 1] {
                let (to, a, b) = (dword_of(to, n, ud), dword_of(a, n, ud), dword_of(b, n, ud));
                isel.b.binary(opcode, exec, to, a, b, Mods::NONE);
            }
        };
        match op {
            AluOp::IAnd => halves(Opcode::And, self),
            AluOp::IOr => halves(Opcode::Or, self),
            AluOp::IXor => halves(Opcode::Xor, self),
            AluOp::IAdd => self.add_int64(exec, to, a, b),
            AluOp::IMul => {
                let (low, high) = (dword_of(to, 0, d), dword_of(to, 1, d));
                let lows = (dword_of(a, 0, ud), dword_of(b, 0, ud));
                self.b.binary(
                    Opcode::Mach,
                    exec,
                    high.retype(ud),
                    lows.0,
                    lows.1,
                    Mods::NONE,
                );
                for (x, y) in [(0, 1), (1, 0)] {
                    let mixed = self.b.temp(ud, exec).retype(d);
                    self.b.binary(
                        Opcode::Mul,
                        exec,
                        mixed,
                        dword_of(a, x, d),
                        dword_of(b, y, d),
                        Mods::NONE,
                    );
                    self.b
                        .binary(Opcode::Add, exec, high, high, mixed, Mods::NONE);
                }
                self.b.binary(
                    Opcode::Mul,
                    exec,
                    low,
                    dword_of(a, 0, d),
                    dword_of(b, 0, d),
                    Mods::NONE,
                );
            }
            AluOp::IMin | AluOp::UMin | AluOp::IMax | AluOp::UMax => {
                let signed = matches!(op, AluOp::IMin | AluOp::IMax);
                self.compare_less_int64(exec, a, b, if signed { d } else { ud });
                let greater = matches!(op, AluOp::IMax | AluOp::UMax);
                for n in [0, 1] {
                    let (to, a, b) = (dword_of(to, n, ud), dword_of(a, n, ud), dword_of(b, n, ud));
                    let mods = Mods::pred(0, greater);
                    self.b.binary(Opcode::Sel, exec, to, a, b, mods);
                }
            }
            _ => return false,
        }
        true
    }

    /// Sets f0.0 where a < b: compares the low halves where the high ones are equal, else the high
    /// ones.
    fn compare_less_int64(&mut self, exec: Exec, a: Lanes, b: Lanes, upper: Type) {
        let null = Lanes::null(Type::Ud, 4);
        for (n, ty, condition, inverse) in [
            (1, upper, CondMod::Z, None),
            (0, Type::Ud, CondMod::L, Some(false)),
            (1, upper, CondMod::L, Some(true)),
        ] {
            let mods = Mods {
                pred: inverse.map(|inverse| crate::lir::Pred {
                    ctrl: PredCtrl::Normal,
                    inverse,
                }),
                ..Mods::cmod(condition, 0)
            };
            self.b.binary(
                Opcode::Cmp,
                exec,
                null,
                dword_of(a, n, ty),
                dword_of(b, n, ty),
                mods,
            );
        }
    }

    /// Sets f0.0 where a != b; lanes that are already set stay set.
    pub(super) fn compare_ne_int64(&mut self, exec: Exec, a: Lanes, b: Lanes) {
        let null = Lanes::null(Type::Ud, 4);
        let unset = crate::lir::Pred {
            ctrl: PredCtrl::Normal,
            inverse: true,
        };
        for n in [0, 1] {
            let mods = Mods {
                pred: Some(unset),
                ..Mods::cmod(CondMod::Nz, 0)
            };
            let (a, b) = (dword_of(a, n, Type::Ud), dword_of(b, n, Type::Ud));
            self.b.binary(Opcode::Cmp, exec, null, a, b, mods);
        }
    }
}
