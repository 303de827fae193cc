//! Instances of routines by execution size.
//!
//! In:  a routine that is generic over the number of lanes. Out: the function for an instruction's
//!      execution size.

/// A routine in the version compiled for the host's SIMD extensions.
macro_rules! on_host_simd {
    ($f:expr) => {
        |t: &mut crate::state::State, u: &crate::uop::Uop| {
            let host = t.host_simd;
            host.run(
                #[inline(always)]
                || $f(t, u),
            )
        }
    };
}
pub(crate) use on_host_simd;

/// Selects the instance of a routine for the instruction's number of lanes. Two and four lanes run
/// as eight, some of them masked.
macro_rules! for_exec_size {
    ($u:expr, $f:ident $(, $p:tt)*) => {
        match $u.exec_size {
            1 => $f::<$($p,)* 1>,
            2 | 4 | 8 => $crate::fast::exec_size::on_host_simd!($f::<$($p,)* 8>),
            16 => $crate::fast::exec_size::on_host_simd!($f::<$($p,)* 16>),
            _ => $crate::fast::exec_size::on_host_simd!($f::<$($p,)* 32>),
        }
    };
}
pub(crate) use for_exec_size;
