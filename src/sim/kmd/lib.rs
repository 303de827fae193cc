//! ioctls to a simulated i915.
