//! DRM and i915 numbers and structures as plain data, and the kernel as a trait. Calls nothing.
//!
//! In:  nothing.
//! Out: [`drm`] and [`i915`]: what C callers pass to `ioctl`; [`Kernel`]: the same in Rust's terms, which a real render node
//!      and the simulated device both answer.
//! Ref: drm.h, i915_drm.h (of libdrm 2.4.114), to which a test holds every size, offset and number.

mod declare;
pub mod drm;
mod errno;
#[cfg(test)]
mod headers_test;
pub mod i915;
mod kernel;

pub use declare::Layout;
pub use errno::Errno;
pub use kernel::{
    ContextParam, DriverVersion, Exec, ExecFence, ExecObject, HostPages, Kernel, MapFd, Result,
    Tiling, Transfer,
};
