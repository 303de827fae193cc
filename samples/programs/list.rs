//! The list of sample programs.

use crate::programs::program::Program;
use crate::programs::{
    deferred, instancing, mandelbrot, msaa, particles, shadow_map, spinning_cube, stencil_outline,
    terrain, text,
};

/// All sample programs, the simplest first.
pub const ALL: &[Program] = &[
    spinning_cube::PROGRAM,
    mandelbrot::PROGRAM,
    instancing::PROGRAM,
    particles::PROGRAM,
    stencil_outline::PROGRAM,
    text::PROGRAM,
    msaa::PROGRAM,
    shadow_map::PROGRAM,
    deferred::PROGRAM,
    terrain::PROGRAM,
];
