//! Diagnostic output that INGOT_DEBUG enables.
//!
//! In:  errors of commands. Out: lines on stderr, and messages to debug messengers.

use std::sync::{Arc, OnceLock};

/// The diagnosis that `INGOT_DEBUG` selects. The environment variable is read once, here.
pub fn diagnosis() -> &'static vk::Diagnosis {
    static DIAGNOSIS: OnceLock<vk::Diagnosis> = OnceLock::new();
    DIAGNOSIS.get_or_init(|| {
        let sink: vk::diagnosis::Sink = Arc::new(|text| eprint!("{text}"));
        let (flags, unknown) =
            debug::Flags::parse(&std::env::var("INGOT_DEBUG").unwrap_or_default());
        for flag in unknown {
            sink(&format!("{flag}\n"));
        }
        if flags.has(debug::Flag::Help) {
            sink(&debug::help());
        }
        vk::Diagnosis::new(flags, sink)
    })
}

/// Prints why a command failed, if `INGOT_DEBUG=api` is set.
pub fn report(error: &dyn std::fmt::Display) {
    diagnosis().log(debug::Flag::Api, || format!("ingot: {error}\n"));
}

/// As [`report`], and sends the error to the debug messengers of the device's instance. For errors
/// whose code carries too little information: those of pipeline creation.
pub fn report_to_messengers(device: &vk::Device, error: &vk::Error) {
    report(error);
    device.context.physical.diagnosis().report_error(error);
}
