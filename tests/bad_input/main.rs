//! Bad input through the driver's C face, on a simulated GPU: an error each time, never a panic, a
//! hang or a leak.
//!
//! The functions are called as an application calls them, so `unsafe` is allowed here as in
//! `tests/vk`.

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod faults;
mod freed;
mod hangs;
mod out_of_memory;
mod rig;
mod shaders;

use std::cell::Cell;
use std::sync::{Arc, Once, OnceLock};

use faults::{Faults, Faulty};

thread_local! {
    static PANICS: Cell<u32> = const { Cell::new(0) };
    static FAULTS: Cell<Option<Arc<Faults>>> = const { Cell::new(None) };
}

/// Panics of this thread so far. The driver turns a panic into an error: only this distinguishes it
/// from a good one.
fn panics() -> u32 {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.with(|count| count.set(count.get() + 1));
            before(info);
        }));
    });
    PANICS.with(Cell::get)
}

/// Opens the simulated GPU: one GPU for all tests, as on a machine. `INGOT_SIM` may ask for
/// dumps of its batches.
fn kernels() -> Vec<Arc<dyn uapi::Kernel>> {
    static GPU: OnceLock<Arc<kmd::Device>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| {
        let list = std::env::var("INGOT_SIM").unwrap_or_default();
        let options = kmd::Options {
            strict: true,
            hang_seconds: rig::HANG_SECONDS,
            ..kmd::Options::parse(&list, kmd::LogSink::none()).expect("options of the simulator")
        };
        kmd::Device::new("skl", options).expect("a known GPU")
    });
    let file = gpu.open();
    // Instances ask on the thread that uses them first, which is the test's own.
    match FAULTS.with(Cell::take) {
        Some(faults) => vec![Arc::new(Faulty::new(file, faults))],
        None => vec![file],
    }
}
