//! What users are told who ask for it by INGOT_DEBUG.

use std::sync::{Arc, OnceLock};

/// What `INGOT_DEBUG` asks for. The environment is read once, here.
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

/// Says why a command failed, if that is asked for.
pub fn report(error: &vk::Error) {
    say(error);
}

/// As [`report`]; debug messengers of the device's instance hear it, too. For errors whose code says too little: those of shaders.
pub fn tell(device: &vk::Device, error: &vk::Error) {
    report(error);
    device.context.physical.diagnosis().tell(error);
}

/// As [`report`], of any error.
pub fn say(error: &dyn std::fmt::Display) {
    diagnosis().say(debug::Flag::Api, || format!("ingot: {error}\n"));
}
