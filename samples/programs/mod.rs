//! The sample programs: each file draws one image and can be read on its own.

mod canvas;
mod deferred;
mod instancing;
mod list;
mod mandelbrot;
mod msaa;
mod particles;
mod program;
mod shadow_map;
mod spinning_cube;
mod stencil_outline;
mod terrain;
mod text;

pub use canvas::Canvas;
pub use list::ALL;
pub use program::{COLOR, DEPTH, Program, View};
