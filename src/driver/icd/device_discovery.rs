//! Where instances take their GPUs from: the machine, or the process-wide override.

use std::sync::OnceLock;

use vk::instance::{GpuSource, KernelSource};

use crate::driver_choice;

static KERNEL_SOURCE: OnceLock<KernelSource> = OnceLock::new();

/// Makes every instance created from now on enumerate the GPUs that `source` returns instead of
/// those in `/dev/dri`. Each call of `source` must open them anew. Returns false, and changes
/// nothing, if a source was set before.
pub fn set_kernel_source(source: KernelSource) -> bool {
    KERNEL_SOURCE.set(source).is_ok()
}

/// Whether [`set_kernel_source`] has set a source.
pub fn has_kernel_source() -> bool {
    KERNEL_SOURCE.get().is_some()
}

/// The source of a new instance's GPUs.
pub fn gpu_source() -> GpuSource {
    match KERNEL_SOURCE.get() {
        Some(source) => GpuSource::Kernels(source.clone()),
        None => GpuSource::Nodes {
            left_to: driver_choice::preferred_driver(),
        },
    }
}
