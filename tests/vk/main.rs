//! The driver through its C face, on a simulated GPU: what Vulkan promises, one promise in each
//! test.
//!
//! The functions are called as an application calls them, so this is the one place of the tests
//! with `unsafe`.

#![allow(unsafe_code, reason = "Vulkan is called as applications call it")]

mod address_commands;
mod addresses;
mod allocation_callbacks;
mod aspect_copies;
mod astc;
mod blits;
mod borders;
mod bounds;
mod canvas;
mod captures;
mod colour_spaces;
mod commands;
#[allow(
    dead_code,
    reason = "shared with the tests of ingot-wsi, which use all of it"
)]
#[path = "../../src/driver/wsi/tests/compositor/mod.rs"]
mod compositor;
mod compute;
mod coverage;
mod depth;
mod descriptor_buffers;
mod descriptor_heaps;
mod descriptors;
mod dithering;
mod draws;
mod dynamic_states;
mod external;
mod feedback;
mod formats;
mod gathers;
mod host;
mod host_copies;
mod image_atomics;
mod images;
mod indexing;
mod indirect_descriptors;
mod later_maintenance;
mod levels;
mod library_maker;
mod local_reads;
mod maintenance;
mod maintenance5;
mod maintenance8;
mod memory;
mod meta_draws;
mod modifiers;
mod nested_commands;
mod objects;
mod pipeline_binaries;
mod pipeline_libraries;
mod pipeline_switches;
mod pipelines;
mod planes;
mod present_timing;
mod queries;
mod rig;
mod robustness;
mod samplers;
mod samples;
mod shader_cache;
mod shader_objects;
mod shared_compression;
mod srgb_resolves;
mod stencil;
mod swapchains;
mod synchronisation;
mod textures;
#[path = "../timing_structures.rs"]
mod timing_structures;
mod uniforms;
mod unused_attachments;
mod version14;
mod widened;

use std::sync::{Arc, OnceLock};

/// GPUs, in the order in which they are found: one that shares the CPU's cache, and one that does
/// not.
const GPUS: [&str; 2] = ["skl", "bxt"];

/// Opens the simulated GPUs, which are strict and shared by all tests, as on a machine.
fn kernels() -> Vec<Arc<dyn uapi::Kernel>> {
    static MADE: [OnceLock<Arc<kmd::Device>>; GPUS.len()] = [const { OnceLock::new() }; GPUS.len()];
    let options = || kmd::Options {
        strict: true,
        hang_seconds: 3,
        sink: kmd::LogSink::new(|line| eprintln!("{line}")),
        ..kmd::Options::default()
    };
    let open = |(gpu, name): (&OnceLock<Arc<kmd::Device>>, _)| {
        let made = || kmd::Device::new(name, options()).expect("a known GPU");
        gpu.get_or_init(made).open() as _
    };
    MADE.iter().zip(GPUS).map(open).collect()
}
