//! DRM and i915 numbers and structures as plain data, and the Kernel trait.
