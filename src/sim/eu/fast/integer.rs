//! Integer routines that are the same for lanes of 32 and of 64 bits.
//!
//! In:  a micro-op whose lanes load and store as u32 or u64. Out: updated registers and flags.

use super::lane_op::LaneOp;
use crate::state::State;
use crate::uop::{ExecResult, Uop};
use std::ops::{BitAnd, BitOr, BitXor};

/// An integer that holds one lane. Arithmetic is modulo its width.
pub(super) trait IntLane:
    Copy + Default + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// Loads source `k`, extended to the lane's width, with modifiers applied.
    fn load<const N: usize>(t: &State, u: &Uop, k: usize) -> [Self; N];
    /// Sets the flags of the results and stores them, for the lanes in `m`.
    fn finish<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[Self; N]);
    fn add(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    /// Shifts left by `b` modulo the width.
    fn shl(self, b: Self) -> Self;
    /// Shifts right by `b` modulo the width, filling with zeros.
    fn shr(self, b: Self) -> Self;
}

/// The arithmetic of [`IntLane`].
macro_rules! int_lane_arithmetic {
    ($t:ty) => {
        #[inline(always)]
        fn add(self, b: $t) -> $t {
            self.wrapping_add(b)
        }
        #[inline(always)]
        fn mul(self, b: $t) -> $t {
            self.wrapping_mul(b)
        }
        #[inline(always)]
        fn shl(self, b: $t) -> $t {
            self << (b & (<$t>::BITS - 1) as $t)
        }
        #[inline(always)]
        fn shr(self, b: $t) -> $t {
            self >> (b & (<$t>::BITS - 1) as $t)
        }
    };
}
pub(super) use int_lane_arithmetic;

macro_rules! ops {
    ($($name:ident |$a:ident, $b:ident| $e:expr;)*) => {
        $(
            pub(super) struct $name;
            impl<T: IntLane> LaneOp<T> for $name {
                #[inline(always)]
                fn apply($a: T, $b: T) -> T {
                    $e
                }
            }
        )*
    };
}

ops! {
    Mov |a, _b| a;
    Add |a, b| a.add(b);
    Mul |a, b| a.mul(b);
    And |a, b| a & b;
    Or |a, b| a | b;
    Xor |a, b| a ^ b;
    Shl |a, b| a.shl(b);
    Shr |a, b| a.shr(b);
}

#[inline(always)]
pub(super) fn unary<T: IntLane, O: LaneOp<T>, const N: usize>(
    t: &mut State,
    u: &Uop,
) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = T::load::<N>(t, u, 0);
    let mut v = [T::default(); N];
    for i in 0..N {
        v[i] = O::apply(a[i], T::default());
    }
    T::finish(t, u, m, &v);
    Ok(())
}

#[inline(always)]
pub(super) fn binary<T: IntLane, O: LaneOp<T>, const N: usize>(
    t: &mut State,
    u: &Uop,
) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = T::load::<N>(t, u, 0);
    let b = T::load::<N>(t, u, 1);
    let mut v = [T::default(); N];
    for i in 0..N {
        v[i] = O::apply(a[i], b[i]);
    }
    T::finish(t, u, m, &v);
    Ok(())
}
