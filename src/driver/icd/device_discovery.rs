//! The process-wide override of GPU discovery.

use std::sync::OnceLock;

use vk::instance::KernelSource;

static KERNEL_SOURCE: OnceLock<KernelSource> = OnceLock::new();

/// Makes every instance created from now on enumerate the GPUs that `source` returns instead of
/// those in `/dev/dri`. Each call of `source` must open them anew. Returns false, and changes
/// nothing, if a source was set before.
pub fn set_kernel_source(source: KernelSource) -> bool {
    KERNEL_SOURCE.set(source).is_ok()
}

/// The source given to [`set_kernel_source`], if any.
pub fn kernel_source() -> Option<KernelSource> {
    KERNEL_SOURCE.get().cloned()
}
