//! DRM and i915 constants and structures as plain data, and the kernel as a trait. Makes no system
//! call.
//!
//! In:  nothing.
//! Out: [`drm`] and [`i915`]: the arguments that C callers pass to `ioctl`; [`Kernel`]: the same
//!      calls in Rust terms, implemented by a real render node and by the simulated device.
//! Ref: drm.h, i915_drm.h (of libdrm 2.4.114).
//! Tests: `tests.rs` compares every size, offset and constant with the installed headers.

mod declare;
mod delegate;
pub mod drm;
mod errno;
pub mod i915;
mod kernel;
pub mod mode;
#[cfg(test)]
mod tests;

pub use declare::StructLayout;
pub use errno::Errno;
pub use kernel::{
    ContextParam, DriverVersion, Exec, ExecFence, ExecObject, HostPages, Kernel, MapFd, Result,
    SyncobjTransfer, Tiling,
};
