//! Operations on single lanes, which the fast routines apply in loops.
//!
//! In:  two elements of a lane. Out: the result's element. Unary operations ignore the second one.

/// An operation on elements of type `T`. A type, not a function pointer, so that each routine is
/// compiled for its operation.
pub(super) trait LaneOp<T> {
    fn apply(a: T, b: T) -> T;
}

/// Defines operations on one element type: `lane_ops! { f32: Add |a, b| a + b; }`.
macro_rules! lane_ops {
    ($t:ty: $($name:ident |$a:ident, $b:ident| $e:expr;)*) => {
        $(
            struct $name;
            impl $crate::fast::lane_op::LaneOp<$t> for $name {
                #[inline(always)]
                fn apply($a: $t, $b: $t) -> $t {
                    $e
                }
            }
        )*
    };
}
pub(super) use lane_ops;
