//! The description of a sample program, and the frame that it is asked to draw.

use crate::rgba_image::RgbaImage;
use crate::vulkan::{Error, Feature, Gpu, ImageInfo, vk};

/// Format of colour images: linear in shaders, stored in sRGB as image files are.
pub const COLOR: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Format of depth images.
pub const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// The size and the time of the frame that a program draws.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Frame number, at 60 frames a second.
    pub frame: u32,
}

impl View {
    /// Aspect ratio: width / height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }

    /// Time of the frame in seconds.
    pub fn seconds(&self) -> f32 {
        self.frame as f32 / 60.0
    }

    /// Describes an image of this size.
    pub fn image(&self, format: vk::Format) -> ImageInfo {
        ImageInfo::new(format, self.width, self.height)
    }
}

/// A sample program.
pub struct Program {
    /// Name on the command line.
    pub name: &'static str,
    /// What it draws and which Vulkan features it shows, on one line.
    pub about: &'static str,
    /// Vulkan 1.0 features that the device must have.
    pub features: &'static [Feature],
    /// Draws one frame and reads it back.
    pub draw: fn(&Gpu, &View) -> Result<RgbaImage, Error>,
}
