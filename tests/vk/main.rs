//! The driver through its C face, on a simulated GPU: what Vulkan promises, one promise in each test.
//!
//! The functions are called as an application calls them, so this is the one place of the tests with `unsafe`.

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod addresses;
mod blits;
mod borders;
mod bounds;
mod canvas;
mod captures;
mod commands;
mod coverage;
mod depth;
mod descriptors;
mod draws;
mod external;
mod gathers;
mod host;
mod images;
mod indexing;
mod lent;
mod levels;
mod modifiers;
mod objects;
mod pipelines;
mod planes;
mod queries;
mod rig;
mod samplers;
mod samples;
mod stencil;
mod swapchains;
mod synchronisation;
mod textures;
mod uniforms;

use std::sync::{Arc, OnceLock};

/// Opens the simulated GPU anew. One strict GPU for all tests, as on a machine.
fn kernels() -> Vec<Arc<dyn uapi::Kernel>> {
    static GPU: OnceLock<Arc<kmd::Device>> = OnceLock::new();
    let options = || kmd::Options {
        strict: true,
        hang_seconds: 3,
        sink: kmd::Sink::new(|line| eprintln!("{line}")),
        ..kmd::Options::default()
    };
    vec![
        GPU.get_or_init(|| kmd::Device::new("skl", options()).expect("a known GPU"))
            .open(),
    ]
}
