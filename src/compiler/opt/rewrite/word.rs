//! Expressions over 32-bit words, and over pairs of them that represent 64-bit integers.
//!
//! In:  32-bit values and a builder.
//! Out: branch-free code that only uses 32-bit instructions. Rust operators emit instructions (`a +
//!      b` emits `iadd`); `u32` operands become constants.

use entity::Id;
use nir::{AluOp, Builder, Def};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Neg, Not, Shl, Shr, Sub};

/// Emits the instructions of expressions.
pub(crate) trait Emitter {
    /// Emits an operation. `bits` is the size of the result if the operation does not determine it.
    fn alu(&self, op: AluOp, srcs: &[Id<Def>], bits: u8) -> Id<Def>;
    /// Emits a 32-bit constant.
    fn constant(&self, value: u32) -> Id<Def>;
}

impl Emitter for RefCell<&mut Builder<'_>> {
    fn alu(&self, op: AluOp, srcs: &[Id<Def>], bits: u8) -> Id<Def> {
        self.borrow_mut().alu_sized(op, srcs, bits)
    }

    fn constant(&self, value: u32) -> Id<Def> {
        self.borrow_mut().imm_u32(value)
    }
}

/// A 32-bit value.
#[derive(Clone, Copy)]
pub(crate) struct Word<'p> {
    emitter: &'p dyn Emitter,
    /// The def.
    pub(crate) def: Id<Def>,
}

/// A boolean.
#[derive(Clone, Copy)]
pub(crate) struct Cond<'p> {
    emitter: &'p dyn Emitter,
    /// The def.
    pub(crate) def: Id<Def>,
}

/// The second operand of an operation: a word or a constant.
pub(crate) trait Operand<'p> {
    /// The def, emitted first if it is a constant.
    fn def(self, emitter: &'p dyn Emitter) -> Id<Def>;
}

impl<'p> Operand<'p> for Word<'p> {
    fn def(self, _: &'p dyn Emitter) -> Id<Def> {
        self.def
    }
}

impl<'p> Operand<'p> for u32 {
    fn def(self, emitter: &'p dyn Emitter) -> Id<Def> {
        emitter.constant(self)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {
        $(impl<'p, O: Operand<'p>> $trait<O> for Word<'p> {
            type Output = Word<'p>;
            fn $method(self, other: O) -> Word<'p> {
                self.binary(AluOp::$op, other)
            }
        })*
    };
}

operators! {
    Add add IAdd;
    BitAnd bitand IAnd;
    BitOr bitor IOr;
    BitXor bitxor IXor;
    Shl shl IShl;
    Shr shr UShr;
}

impl<'p> Sub for Word<'p> {
    type Output = Word<'p>;
    fn sub(self, other: Word<'p>) -> Word<'p> {
        self + -other
    }
}

impl<'p> Neg for Word<'p> {
    type Output = Word<'p>;
    fn neg(self) -> Word<'p> {
        self.unary(AluOp::INeg)
    }
}

impl<'p> Not for Word<'p> {
    type Output = Word<'p>;
    fn not(self) -> Word<'p> {
        self.unary(AluOp::INot)
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident $op:ident -> $out:ident;)*) => {
        impl<'p> Word<'p> {
            $($(#[$doc])*
            pub(crate) fn $method(self, other: impl Operand<'p>) -> $out<'p> {
                let def = self.binary(AluOp::$op, other).def;
                $out { emitter: self.emitter, def }
            })*
        }
    };
}

methods! {
    /// Unsigned minimum.
    min UMin -> Word;
    /// Unsigned maximum.
    max UMax -> Word;
    /// Signed minimum.
    imin IMin -> Word;
    /// Signed maximum.
    imax IMax -> Word;
    /// Arithmetic right shift.
    asr IShr -> Word;
    /// The low half of the product.
    mul IMul -> Word;
    /// The high half of the unsigned product.
    mul_high UMulHigh -> Word;
    /// The product of two floats.
    fmul FMul -> Word;
    /// Equality.
    eq IEq -> Cond;
    /// Inequality.
    ne INe -> Cond;
    /// Unsigned `self < other`.
    ult ULt -> Cond;
    /// Unsigned `self >= other`.
    uge UGe -> Cond;
    /// Signed `self < other`.
    ilt ILt -> Cond;
    /// Signed `self >= other`.
    ige IGe -> Cond;
}

impl<'p> Word<'p> {
    /// Wraps a 32-bit def.
    pub(crate) fn new(emitter: &'p dyn Emitter, def: Id<Def>) -> Word<'p> {
        Word { emitter, def }
    }

    /// A constant, emitted where this word's expressions are.
    pub(crate) fn constant(self, value: u32) -> Word<'p> {
        Word::new(self.emitter, self.emitter.constant(value))
    }

    fn binary(self, op: AluOp, other: impl Operand<'p>) -> Word<'p> {
        let other = other.def(self.emitter);
        Word::new(self.emitter, self.emitter.alu(op, &[self.def, other], 0))
    }

    /// An operation with this word as its only operand.
    pub(crate) fn unary(self, op: AluOp) -> Word<'p> {
        Word::new(self.emitter, self.emitter.alu(op, &[self.def], 32))
    }

    /// The number of leading zeros; 32 for 0.
    pub(crate) fn leading_zeros(self) -> Word<'p> {
        self.unary(AluOp::UClz)
    }

    /// The sign bit, copied to all bits.
    pub(crate) fn sign(self) -> Word<'p> {
        self.asr(31)
    }

    /// 1 if any bit is set, else 0.
    pub(crate) fn any_bit(self) -> Word<'p> {
        self.min(1)
    }
}

impl<'p> Cond<'p> {
    /// Wraps a boolean def.
    pub(crate) fn new(emitter: &'p dyn Emitter, def: Id<Def>) -> Cond<'p> {
        Cond { emitter, def }
    }

    /// `if_true` if this is true, else `if_false`.
    pub(crate) fn select(self, if_true: impl Operand<'p>, if_false: impl Operand<'p>) -> Word<'p> {
        let (if_true, if_false) = (if_true.def(self.emitter), if_false.def(self.emitter));
        Word::new(
            self.emitter,
            self.emitter
                .alu(AluOp::Bcsel, &[self.def, if_true, if_false], 0),
        )
    }

    /// `if_true` if this is true, else `if_false`.
    pub(crate) fn select_pair(self, if_true: Pair<'p>, if_false: Pair<'p>) -> Pair<'p> {
        Pair {
            lo: self.select(if_true.lo, if_false.lo),
            hi: self.select(if_true.hi, if_false.hi),
        }
    }

    /// 1 or 0.
    pub(crate) fn to_int(self) -> Word<'p> {
        Word::new(self.emitter, self.emitter.alu(AluOp::B2I, &[self.def], 32))
    }

    fn binary(self, op: AluOp, other: Cond<'p>) -> Cond<'p> {
        Cond {
            emitter: self.emitter,
            def: self.emitter.alu(op, &[self.def, other.def], 0),
        }
    }
}

impl<'p> BitAnd for Cond<'p> {
    type Output = Cond<'p>;
    fn bitand(self, other: Cond<'p>) -> Cond<'p> {
        self.binary(AluOp::IAnd, other)
    }
}

impl<'p> BitOr for Cond<'p> {
    type Output = Cond<'p>;
    fn bitor(self, other: Cond<'p>) -> Cond<'p> {
        self.binary(AluOp::IOr, other)
    }
}

impl<'p> BitXor for Cond<'p> {
    type Output = Cond<'p>;
    fn bitxor(self, other: Cond<'p>) -> Cond<'p> {
        self.binary(AluOp::INe, other)
    }
}

impl<'p> Not for Cond<'p> {
    type Output = Cond<'p>;
    fn not(self) -> Cond<'p> {
        Cond {
            emitter: self.emitter,
            def: self.emitter.alu(AluOp::INot, &[self.def], 0),
        }
    }
}

/// A 64-bit integer in two words.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'p> {
    /// The low half.
    pub(crate) lo: Word<'p>,
    /// The high half.
    pub(crate) hi: Word<'p>,
}

impl<'p> Pair<'p> {
    /// Splits a 64-bit def.
    pub(crate) fn unpack(emitter: &'p dyn Emitter, def: Id<Def>) -> Pair<'p> {
        let half = |op| Word::new(emitter, emitter.alu(op, &[def], 32));
        Pair {
            lo: half(AluOp::Unpack64_2x32SplitX),
            hi: half(AluOp::Unpack64_2x32SplitY),
        }
    }

    /// Packs the halves to a 64-bit def.
    pub(crate) fn pack(self) -> Id<Def> {
        let emitter = self.lo.emitter;
        emitter.alu(AluOp::Pack64_2x32Split, &[self.lo.def, self.hi.def], 64)
    }

    /// A constant, emitted where the expressions of `at` are.
    pub(crate) fn constant(at: Word<'p>, value: u64) -> Pair<'p> {
        Pair {
            lo: at.constant(value as u32),
            hi: at.constant((value >> 32) as u32),
        }
    }

    /// Applies a bitwise operation to both halves.
    pub(crate) fn map(self, f: impl Fn(Word<'p>) -> Word<'p>) -> Pair<'p> {
        Pair {
            lo: f(self.lo),
            hi: f(self.hi),
        }
    }

    /// Applies a bitwise operation to the halves of two pairs.
    pub(crate) fn zip(
        self,
        other: Pair<'p>,
        f: impl Fn(Word<'p>, Word<'p>) -> Word<'p>,
    ) -> Pair<'p> {
        Pair {
            lo: f(self.lo, other.lo),
            hi: f(self.hi, other.hi),
        }
    }

    /// The sum with a word.
    pub(crate) fn add_word(self, other: Word<'p>) -> Pair<'p> {
        let lo = self.lo + other;
        Pair {
            lo,
            hi: self.hi + lo.ult(other).to_int(),
        }
    }

    /// The two's complement.
    pub(crate) fn negate(self) -> Pair<'p> {
        Pair {
            lo: -self.lo,
            hi: -(self.hi + self.lo.ne(0).to_int()),
        }
    }

    /// The two's complement if all bits of `mask` are set, the value itself if none is; no other
    /// masks are allowed.
    pub(crate) fn negate_if(self, mask: Word<'p>) -> Pair<'p> {
        self.map(|w| w ^ mask).add_word(-mask)
    }

    /// The 64-bit product of two unsigned words.
    pub(crate) fn product(a: Word<'p>, b: Word<'p>) -> Pair<'p> {
        Pair {
            lo: a.mul(b),
            hi: a.mul_high(b),
        }
    }

    /// The low 64 bits of the product.
    pub(crate) fn mul(self, other: Pair<'p>) -> Pair<'p> {
        let low = Pair::product(self.lo, other.lo);
        Pair {
            lo: low.lo,
            hi: low.hi + self.lo.mul(other.hi) + self.hi.mul(other.lo),
        }
    }

    /// The low 64 bits of the product with a word.
    pub(crate) fn mul_word(self, other: Word<'p>) -> Pair<'p> {
        let low = Pair::product(self.lo, other);
        Pair {
            lo: low.lo,
            hi: low.hi + self.hi.mul(other),
        }
    }

    /// True if no bit is set.
    pub(crate) fn is_zero(self) -> Cond<'p> {
        (self.lo | self.hi).eq(0)
    }

    /// Equality.
    pub(crate) fn eq(self, other: Pair<'p>) -> Cond<'p> {
        self.zip(other, |a, b| a ^ b).is_zero()
    }

    /// Unsigned `self < other`.
    pub(crate) fn ult(self, other: Pair<'p>) -> Cond<'p> {
        let low = self.hi.eq(other.hi) & self.lo.ult(other.lo);
        low | self.hi.ult(other.hi)
    }

    /// Signed `self < other`.
    pub(crate) fn ilt(self, other: Pair<'p>) -> Cond<'p> {
        let low = self.hi.eq(other.hi) & self.lo.ult(other.lo);
        low | self.hi.ilt(other.hi)
    }

    /// The number of leading zeros; 64 for 0.
    pub(crate) fn leading_zeros(self) -> Word<'p> {
        let (low, high) = (self.lo.leading_zeros(), self.hi.leading_zeros());
        self.hi.eq(0).select(low + 32, high)
    }

    /// Left shift by a constant of 0 to 63.
    pub(crate) fn shl_const(self, n: u32) -> Pair<'p> {
        let zero = || self.lo.constant(0);
        match n {
            0 => self,
            32 => Pair {
                lo: zero(),
                hi: self.lo,
            },
            33.. => Pair {
                lo: zero(),
                hi: self.lo << (n - 32),
            },
            _ => Pair {
                lo: self.lo << n,
                hi: self.hi << n | self.lo >> (32 - n),
            },
        }
    }

    /// Logical right shift by a constant of 1 to 31.
    pub(crate) fn shr_const(self, n: u32) -> Pair<'p> {
        Pair {
            lo: self.lo >> n | self.hi << (32 - n),
            hi: self.hi >> n,
        }
    }

    /// Left shift by a number below 32.
    pub(crate) fn shl_short(self, n: Word<'p>) -> Pair<'p> {
        Pair {
            lo: self.lo << n,
            hi: self.hi << n | (self.lo >> 1) >> !n,
        }
    }

    /// Left shift by a number modulo 64.
    pub(crate) fn shl(self, n: Word<'p>) -> Pair<'p> {
        let short = self.shl_short(n);
        let long = (n & 32).ne(0);
        Pair {
            lo: long.select(0, short.lo),
            hi: long.select(short.lo, short.hi),
        }
    }

    /// Right shift by a number modulo 64. The vacated bits come from `fill`, which is zero or all
    /// ones.
    fn shr_filled(self, n: Word<'p>, high: Word<'p>, fill: Word<'p>) -> Pair<'p> {
        let low = self.lo >> n | (self.hi << 1) << !n;
        let long = (n & 32).ne(0);
        Pair {
            lo: long.select(high, low),
            hi: long.select(fill, high),
        }
    }

    /// Logical right shift by a number modulo 64.
    pub(crate) fn shr(self, n: Word<'p>) -> Pair<'p> {
        self.shr_filled(n, self.hi >> n, self.hi.constant(0))
    }

    /// Arithmetic right shift by a number modulo 64.
    pub(crate) fn asr(self, n: Word<'p>) -> Pair<'p> {
        self.shr_filled(n, self.hi.asr(n), self.hi.sign())
    }

    /// Logical right shift by a number below 64. Returns the result, the bits that were shifted out
    /// of the word that holds its lowest bit (left-aligned in a word), and the whole word below
    /// that one, or zero.
    fn shr_split(self, n: Word<'p>) -> (Pair<'p>, Word<'p>, Word<'p>) {
        let long = (n & 32).ne(0);
        let (lo, hi) = (long.select(self.hi, self.lo), long.select(0, self.hi));
        let below = long.select(self.lo, 0);
        let back = !n;
        let left = Pair {
            lo: lo >> n | (hi << 1) << back,
            hi: hi >> n,
        };
        (left, (lo << 1) << back, below)
    }

    /// Logical right shift by a number below 64. Returns the result and the upper 32 of the bits
    /// that were shifted out; the last of them is sticky: it is set if any lower bit was.
    pub(crate) fn shr_with_cut(self, n: Word<'p>) -> (Pair<'p>, Word<'p>) {
        let (left, cut, below) = self.shr_split(n);
        (left, cut | below >> n | below.any_bit())
    }

    /// Logical right shift by a number below 64 with a sticky bit: the lowest bit is also set if
    /// any bit that was shifted out was set.
    pub(crate) fn shr_sticky(self, n: Word<'p>) -> Pair<'p> {
        let (left, cut, below) = self.shr_split(n);
        Pair {
            lo: left.lo | (cut | below).any_bit(),
            hi: left.hi,
        }
    }
}

impl<'p> Add for Pair<'p> {
    type Output = Pair<'p>;
    fn add(self, other: Pair<'p>) -> Pair<'p> {
        let lo = self.lo + other.lo;
        Pair {
            lo,
            hi: self.hi + other.hi + lo.ult(other.lo).to_int(),
        }
    }
}

impl<'p> Sub for Pair<'p> {
    type Output = Pair<'p>;
    fn sub(self, other: Pair<'p>) -> Pair<'p> {
        let borrow = self.lo.ult(other.lo).to_int();
        Pair {
            lo: self.lo - other.lo,
            hi: self.hi - other.hi - borrow,
        }
    }
}
