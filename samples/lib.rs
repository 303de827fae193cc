//! What the sample programs share: safe functions for devices, memory, pipelines and commands, and
//! image files.
//!
//! In:  a Vulkan driver, through the loader or a library; GLSL. Out: images. The programs are in
//!      `programs/`, one file each, and `tests/pictures` draws its scenes with the same library.
//! Ref: Vulkan specification; nothing here depends on the driver.

pub mod font;
pub mod geometry;
pub mod math;
pub mod programs;
pub mod rgba_image;
pub mod vulkan;

pub use rgba_image::RgbaImage;
pub use vulkan::{Error, Gpu, Source};
