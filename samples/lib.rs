//! What the sample programs share: a device, memory, pipelines and commands as safe functions, and pictures as files.
//!
//! In:  a Vulkan driver, by the loader or by name; GLSL. Out: pictures. The programs themselves are in `programs/`, one file each,
//! and `tests/pictures` draws its scenes with the same library.
//! Ref: Vulkan specification; nothing here knows whose driver it talks to.

pub mod font;
pub mod geometry;
pub mod math;
pub mod picture;
pub mod programs;
pub mod vulkan;

pub use picture::Picture;
pub use vulkan::{Error, Gpu, Source};
