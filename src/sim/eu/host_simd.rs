//! Selects, at run time, code compiled for the host's SIMD extensions.
//!
//! In:  a loop over lanes. Out: the same loop, compiled for AVX2 and FMA where the host has them.
//!      Both versions give the same bits.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Level, Simd};

/// The SIMD extensions of the host: whether it has 32-byte vectors and fused multiply-add (AVX2,
/// FMA).
#[derive(Clone, Copy, Debug)]
pub struct HostSimd {
    #[cfg(target_arch = "x86_64")]
    wide: Option<Avx2>,
}

impl HostSimd {
    /// Detects the extensions of the CPU that this runs on.
    pub fn detect() -> HostSimd {
        HostSimd {
            #[cfg(target_arch = "x86_64")]
            wide: Level::new().as_avx2(),
        }
    }

    /// Runs `f` in the version for this host. Only code that is inlined into `f` is compiled for
    /// the extensions.
    #[inline(always)]
    pub fn run<T>(self, f: impl FnOnce() -> T) -> T {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = self.wide {
            return wide.vectorize(f);
        }
        run_baseline(f)
    }
}

/// The version for hosts without the extensions; never inlined, so that it does not bloat the usual
/// path.
#[inline(never)]
fn run_baseline<T>(f: impl FnOnce() -> T) -> T {
    f()
}
