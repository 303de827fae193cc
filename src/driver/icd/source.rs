//! Where GPUs come from: the only state that all instances share.

use std::sync::OnceLock;

use vk::instance::KernelSource;

static KERNEL_SOURCE: OnceLock<KernelSource> = OnceLock::new();

/// Makes every instance created from now on find its GPUs through `source` instead of in `/dev/dri`. Each call of `source` must
/// open them anew. Can be set once; false if it was set already.
pub fn set_kernel_source(source: KernelSource) -> bool {
    KERNEL_SOURCE.set(source).is_ok()
}

/// What [`set_kernel_source`] was given.
pub fn kernel_source() -> Option<KernelSource> {
    KERNEL_SOURCE.get().cloned()
}
