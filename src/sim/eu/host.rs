//! What the host's processor has beyond the least of its kind.
//!
//! In:  a loop over lanes. Out: the same, in the form that was compiled for the processor at hand. Both give the same bits.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Level, Simd};

/// The processor, as far as loops care: whether it has registers of 32 bytes, and multiplies and adds in one step.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    #[cfg(target_arch = "x86_64")]
    wide: Option<Avx2>,
}

impl Host {
    /// The one that this runs on.
    pub fn detect() -> Host {
        Host {
            #[cfg(target_arch = "x86_64")]
            wide: Level::new().as_avx2(),
        }
    }

    /// Runs `f`, whose parts have to be inlined into it to be of the processor's form.
    #[inline(always)]
    pub fn run<T>(self, f: impl FnOnce() -> T) -> T {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = self.wide {
            return wide.vectorize(f);
        }
        apart(f)
    }
}

/// The other form, out of the way of the first.
#[inline(never)]
fn apart<T>(f: impl FnOnce() -> T) -> T {
    f()
}
