//! The scenes: together they use each stage and each kind of state that both drivers have.

use crate::programs::{self, Program};

/// A scene.
pub struct Scene {
    /// Its name.
    pub name: &'static str,
    /// What draws it.
    pub work: Work,
}

/// What draws a scene.
#[derive(Clone, Copy)]
pub enum Work {
    /// Scripts of vkrunner-scripts, in one process.
    Scripts(&'static [&'static str]),
    /// A program of this test, for what scripts cannot do.
    Program(&'static Program),
    /// One of the sample programs.
    Sample(&'static str),
}

const fn scene(name: &'static str, work: Work) -> Scene {
    Scene { name, work }
}

/// All scenes.
pub static ALL: &[Scene] = &[
    scene(
        "constant_colour",
        Work::Scripts(&[
            "draw/topology/triangle-list",
            "draw/rasterisation/cull-back",
        ]),
    ),
    scene(
        "attributes",
        Work::Scripts(&[
            "draw/vertex-formats/r8g8b8a8-unorm",
            "draw/interpolation/flat-strip",
            "draw/indexed/instanced",
            "draw/builtins/primitive-id",
        ]),
    ),
    scene(
        "depth_stencil_hiz",
        Work::Scripts(&[
            "draw/depth/intersect-d24-unorm-s8-uint",
            "draw/depth/bias-slope",
            "draw/depth/frag-depth",
            "draw/stencil/front-back",
        ]),
    ),
    scene(
        "multisample_resolve",
        Work::Scripts(&[
            "draw/multisample/edge-4",
            "draw/multisample/alpha-to-coverage",
            "draw/multisample/sample-shading",
        ]),
    ),
    scene(
        "blending",
        Work::Scripts(&[
            "draw/blending/factor-constant",
            "draw/blending/separate-alpha",
            "draw/blending/logic-1",
            "draw/discard/checkerboard",
        ]),
    ),
    scene(
        "tessellation",
        Work::Scripts(&[
            "draw/tessellation/isolines",
            "draw/tessellation/quads-equal",
            "draw/tessellation/per-patch",
        ]),
    ),
    scene(
        "geometry",
        Work::Scripts(&[
            "draw/geometry/invocations",
            "draw/geometry/lines-adjacency",
            "draw/geometry/end-primitive",
        ]),
    ),
    scene(
        "push_constants",
        Work::Scripts(&[
            "draw/buffers/push-constant-vertex",
            "draw/buffers/push-constant-fragment",
            "draw/buffers/push-constant-tess-control",
            "draw/buffers/push-constant-geometry",
        ]),
    ),
    scene(
        "buffers",
        Work::Scripts(&[
            "draw/buffers/ubo-four-and-push-constants",
            "draw/buffers/ssbo-vertex",
            "draw/buffers/atomics-fragment",
        ]),
    ),
    scene(
        "compute_shared_memory",
        Work::Scripts(&[
            "shared/reduction",
            "workgroups/num-workgroups",
            "pressure/scratch-array",
        ]),
    ),
    scene("texture_with_mips", Work::Sample("spinning_cube")),
    scene("several_targets", Work::Sample("deferred")),
    scene("arrays", Work::Program(&programs::ARRAYS)),
    scene("captures_and_queries", Work::Program(&programs::CAPTURES)),
    scene("indirect_and_secondary", Work::Program(&programs::INDIRECT)),
];
