//! The driver of this process, and a GPU below it.

use std::sync::Arc;

/// The driver without a loader, on a simulated Skylake in the same process that stops at what a
/// real one would not forgive.
pub fn entry() -> ash::Entry {
    icd::set_kernel_source(Arc::new(|| {
        static GPU: std::sync::OnceLock<Arc<kmd::Device>> = std::sync::OnceLock::new();
        let options = || kmd::Options {
            strict: true,
            hang_seconds: 60,
            sink: kmd::LogSink::new(|line| eprintln!("{line}")),
            ..kmd::Options::default()
        };
        let device = GPU.get_or_init(|| kmd::Device::new("skl", options()).expect("a known GPU"));
        vec![device.open()]
    }));
    let get_instance_proc_addr = icd::get_instance_proc_addr();
    unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr,
        })
    }
}
