//! The programs: each file draws one picture and can be read on its own.

mod canvas;
mod deferred;
mod instancing;
mod mandelbrot;
mod msaa;
mod particles;
mod shadow_map;
mod spinning_cube;
mod stencil_outline;
mod terrain;
mod text;

pub use canvas::Canvas;

use crate::vulkan::{Feature, ImageInfo, vk};
use crate::{Error, Gpu, Picture};

/// What of a program is wanted.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The number of the frame; sixty are a second.
    pub frame: u32,
}

impl View {
    /// Width by height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }

    /// The time of the frame.
    pub fn seconds(&self) -> f32 {
        self.frame as f32 / 60.0
    }

    /// An image of this size.
    pub fn image(&self, format: vk::Format) -> ImageInfo {
        ImageInfo::new(format, self.width, self.height)
    }
}

/// A program.
pub struct Program {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it draws and what it shows, in a line.
    pub about: &'static str,
    /// Features of Vulkan 1.0 that it needs.
    pub features: &'static [Feature],
    /// Draws one frame.
    pub draw: fn(&Gpu, &View) -> Result<Picture, Error>,
}

/// All programs, the simplest first.
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

/// What pictures are drawn to: colours are linear in shaders and stored as files want them.
pub const COLOR: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// What depth is kept in.
pub const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
