//! The rungs of the ramp, as a table.
//!
//! Each rung needs one thing more than those that it names. The order is that of the risk: what
//! hangs last is run last.

use super::bare::{self, BareRung};
use super::probes;
use super::textures::{self, ImageRung};

/// What a rung does.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Batches of a few commands, without the driver.
    Bare(BareRung),
    /// A VkRunner script, through the driver.
    Script(&'static str),
    /// A program with images, through the driver.
    Images(ImageRung),
    /// Every script of the folder that `--scripts` names.
    AllScripts,
}

/// A rung.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Its name on the command line and in the report.
    pub name: &'static str,
    /// What works if it passes.
    pub shows: &'static str,
    /// The rungs that must have passed. A failure bars the rungs above it, and no others.
    pub needs: &'static [&'static str],
    /// The work.
    pub work: Work,
    /// Options of INGOT_DEBUG that the rung is run with.
    pub debug: &'static str,
    /// Options of INGOT_DEBUG that may avoid a hang, in the order in which they are tried.
    pub cures: &'static [&'static str],
    /// The entry of ERRATA.md that the rung decides: its values are reported, whatever they are.
    pub erratum: Option<&'static str>,
    /// It may hang a healthy machine, and is run only if asked for.
    pub dangerous: bool,
}

/// Options that may cure compute shaders.
const COMPUTE_CURES: &[&str] = &["no32", "no16", "no8", "noopt", "no-push-ubo", "spill_fs"];
/// Options that may cure draws.
const DRAW_CURES: &[&str] = &[
    "no-hiz",
    "no-ccs",
    "no-ccs-e",
    "no-fast-clear",
    "no-mcs",
    "no16",
    "no32",
    "noopt",
    "no-push-ubo",
];

const fn bare(
    name: &'static str,
    shows: &'static str,
    needs: &'static [&'static str],
    work: BareRung,
) -> Rung {
    Rung {
        name,
        shows,
        needs,
        work: Work::Bare(work),
        debug: "",
        cures: &[],
        erratum: None,
        dangerous: false,
    }
}

const fn script(
    name: &'static str,
    shows: &'static str,
    needs: &'static [&'static str],
    text: &'static str,
    cures: &'static [&'static str],
) -> Rung {
    Rung {
        name,
        shows,
        needs,
        work: Work::Script(text),
        debug: "",
        cures,
        erratum: None,
        dangerous: false,
    }
}

const fn images(
    name: &'static str,
    shows: &'static str,
    needs: &'static [&'static str],
    work: ImageRung,
) -> Rung {
    Rung {
        name,
        shows,
        needs,
        work: Work::Images(work),
        debug: "",
        cures: DRAW_CURES,
        erratum: None,
        dangerous: false,
    }
}

/// A script of the repository's folder.
macro_rules! shared {
    ($path:literal) => {
        include_str!(concat!(
            "../../../../vkrunner-scripts/",
            $path,
            ".shader_test"
        ))
    };
}

/// The ramp.
pub static LADDER: &[Rung] = &[
    bare(
        "context",
        "the kernel creates contexts and buffers",
        &[],
        bare::context,
    ),
    bare(
        "empty-batch",
        "the GPU executes a batch",
        &["context"],
        bare::empty_batch,
    ),
    bare(
        "store-data",
        "the GPU writes memory (MI_STORE_DATA_IMM)",
        &["empty-batch"],
        bare::store_data,
    ),
    bare(
        "timestamp",
        "the timestamp runs at its nominal rate",
        &["store-data"],
        bare::timestamp,
    ),
    bare(
        "register-writes",
        "each register that the driver writes keeps its value (LRI, SRM)",
        &["store-data"],
        bare::register_writes,
    ),
    Rung {
        debug: "no16,no32",
        ..script(
            "dispatch-simd8",
            "a SIMD8 dispatch",
            &["store-data"],
            shared!("workgroups/ids"),
            COMPUTE_CURES,
        )
    },
    Rung {
        debug: "no8,no32",
        ..script(
            "dispatch-simd16",
            "a SIMD16 dispatch",
            &["store-data"],
            shared!("workgroups/ids"),
            COMPUTE_CURES,
        )
    },
    Rung {
        debug: "no8,no16",
        ..script(
            "dispatch-simd32",
            "a SIMD32 dispatch",
            &["store-data"],
            shared!("workgroups/ids"),
            COMPUTE_CURES,
        )
    },
    script(
        "shared-memory",
        "shared local memory",
        &["dispatch-simd8"],
        shared!("shared/reduction"),
        COMPUTE_CURES,
    ),
    script(
        "barrier",
        "barriers of 1,024 invocations",
        &["shared-memory"],
        shared!("workgroups/barrier-1024"),
        COMPUTE_CURES,
    ),
    script(
        "atomics",
        "atomics on buffers",
        &["dispatch-simd8"],
        include_str!("scripts/atomic-sum.shader_test"),
        COMPUTE_CURES,
    ),
    script(
        "triangle",
        "a triangle with its colour in push constants",
        &["store-data"],
        shared!("draw/buffers/push-constant-fragment"),
        DRAW_CURES,
    ),
    script(
        "attribute",
        "an interpolated attribute",
        &["triangle"],
        shared!("draw/interpolation/smooth"),
        DRAW_CURES,
    ),
    images(
        "texture",
        "textures with all mip levels",
        &["dispatch-simd8"],
        textures::mip_levels,
    ),
    script(
        "indexed",
        "an index buffer",
        &["triangle"],
        shared!("draw/indexed/list"),
        DRAW_CURES,
    ),
    script(
        "blending",
        "blending",
        &["triangle"],
        shared!("draw/blending/op-add"),
        DRAW_CURES,
    ),
    Rung {
        debug: "no-hiz",
        ..script(
            "depth",
            "the depth test without HiZ",
            &["triangle"],
            include_str!("scripts/large-depth.shader_test"),
            DRAW_CURES,
        )
    },
    script(
        "hiz",
        "the depth test with HiZ",
        &["depth"],
        include_str!("scripts/large-depth.shader_test"),
        DRAW_CURES,
    ),
    script(
        "stencil",
        "the stencil test",
        &["depth"],
        shared!("draw/stencil/compare-equal"),
        DRAW_CURES,
    ),
    Rung {
        debug: "no-ccs",
        ..script(
            "colour",
            "a large render target without CCS",
            &["triangle"],
            include_str!("scripts/large-colour.shader_test"),
            DRAW_CURES,
        )
    },
    script(
        "ccs",
        "fast clears and compression of colour (CCS)",
        &["colour"],
        include_str!("scripts/large-colour.shader_test"),
        DRAW_CURES,
    ),
    script(
        "mcs",
        "multisampling with MCS",
        &["colour"],
        shared!("draw/multisample/edge-4"),
        DRAW_CURES,
    ),
    script(
        "vertex-buffers",
        "loads of storage buffers in vertex shaders",
        &["triangle"],
        shared!("draw/buffers/ssbo-vertex"),
        DRAW_CURES,
    ),
    script(
        "geometry",
        "geometry shaders",
        &["triangle"],
        shared!("draw/geometry/triangles-to-points"),
        DRAW_CURES,
    ),
    script(
        "tessellation",
        "tessellation",
        &["triangle"],
        shared!("draw/tessellation/quads-equal"),
        DRAW_CURES,
    ),
    script(
        "tessellation-barrier",
        "barriers in tessellation control shaders",
        &["tessellation"],
        shared!("draw/tessellation/barrier"),
        DRAW_CURES,
    ),
    script(
        "discard",
        "discarded fragments",
        &["triangle"],
        shared!("draw/discard/checkerboard"),
        DRAW_CURES,
    ),
    script(
        "pipelines",
        "a draw after a dispatch",
        &["triangle", "dispatch-simd8"],
        shared!("draw/sequence/compute-then-draw"),
        DRAW_CURES,
    ),
    images(
        "cube",
        "a cube: vertices, indices, depth",
        &["indexed", "hiz", "ccs"],
        textures::spinning_cube,
    ),
    images(
        "shadow-map",
        "a depth image that is sampled",
        &["cube", "texture"],
        textures::shadow_map,
    ),
    images(
        "deferred",
        "several targets that are read again",
        &["cube", "texture"],
        textures::deferred,
    ),
    images(
        "terrain",
        "tessellated mountains",
        &["cube", "tessellation"],
        textures::terrain,
    ),
    Rung {
        erratum: Some("Stored quadwords"),
        ..bare(
            "probe-stored-quadword",
            "what MI_STORE_DATA_IMM stores of two dwords",
            &["store-data"],
            bare::stored_quadword,
        )
    },
    Rung {
        erratum: Some("Addresses above 2^47"),
        ..bare(
            "probe-canonical-addresses",
            "whether addresses above 2^47 must be canonical",
            &["register-writes"],
            bare::canonical_addresses,
        )
    },
    Rung {
        erratum: Some("Shared local memory out of bounds"),
        ..script(
            "probe-slm-bounds",
            "what loads past shared memory return",
            &["shared-memory"],
            include_str!("scripts/slm-bounds.shader_test"),
            &[],
        )
    },
    Rung {
        erratum: Some("Reads out of bounds"),
        ..script(
            "probe-buffer-bounds",
            "what loads past a buffer return",
            &["dispatch-simd8"],
            include_str!("scripts/buffer-bounds.shader_test"),
            &[],
        )
    },
    Rung {
        erratum: Some("The negation of the minimum integer"),
        ..script(
            "probe-negate-minimum",
            "the width of a negated source",
            &["dispatch-simd8"],
            include_str!("scripts/negate-minimum.shader_test"),
            &[],
        )
    },
    Rung {
        erratum: Some("Offsets that wrap around within a message"),
        ..script(
            "probe-offset-wrap",
            "what a load across the last offset of a buffer returns",
            &["dispatch-simd8"],
            include_str!("scripts/offset-wrap.shader_test"),
            &[],
        )
    },
    Rung {
        erratum: Some("Extremes of integers"),
        cures: &[],
        ..images(
            "probe-integer-extremes",
            "which texels the minimum and maximum of integers consider",
            &["texture"],
            probes::integer_extremes,
        )
    },
    Rung {
        erratum: Some("Mip tails of surfaces without standard tiling"),
        debug: "mip-tail",
        cures: &[],
        ..images(
            "probe-mip-tail",
            "whether Mip Tail Start LOD matters without standard tiling",
            &["texture"],
            probes::mip_tail,
        )
    },
    Rung {
        erratum: Some("Dithering"),
        cures: &[],
        ..images(
            "probe-dither",
            "the thresholds of dithering, and which channels are dithered",
            &["triangle"],
            probes::dither,
        )
    },
    Rung {
        erratum: Some("When push constants are read"),
        cures: &[],
        ..images(
            "probe-constants-early",
            "whether each draw reads its constants again",
            &["triangle", "atomics"],
            probes::constants_early,
        )
    },
    Rung {
        work: Work::AllScripts,
        ..script(
            "scripts",
            "every script of --scripts, in the order of features",
            &["triangle", "dispatch-simd8"],
            "",
            DRAW_CURES,
        )
    },
    Rung {
        erratum: Some("Pixel shaders dispatched with only a header (SKL PRM vol. 16, 0877)"),
        dangerous: true,
        // Without it the driver adds a payload.
        debug: "header-only",
        ..script(
            "probe-header-only",
            "whether a pixel shader without constants and attributes hangs",
            &["triangle"],
            include_str!("scripts/header-only-fragment.shader_test"),
            &[],
        )
    },
];

/// The rung of this name. Err: one line that lists the names.
pub fn rung(name: &str) -> Result<&'static Rung, String> {
    LADDER.iter().find(|rung| rung.name == name).ok_or_else(|| {
        let names: Vec<&str> = LADDER.iter().map(|rung| rung.name).collect();
        format!("no such rung; there are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests;
