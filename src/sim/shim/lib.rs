//! The LD_PRELOAD face of the simulated i915.
