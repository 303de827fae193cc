//! The images of a swapchain: linear, so that their pixels can be read as they lie.

use std::sync::Arc;

use ash::vk as api;
use vk::format::Question;
use vk::image::{Image, Info};
use vk::memory::{Memory, Place, Request};

use crate::error::{Error, Result};
use crate::present::Picture;

/// An image and its memory.
#[derive(Debug)]
pub struct Frame {
    /// The image, bound.
    pub image: Arc<Image>,
    memory: Arc<Memory>,
    layout: api::SubresourceLayout,
}

/// What the images of a swapchain are asked to be.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Format.
    pub format: api::Format,
    /// Width and height in pixels.
    pub extent_px: [u32; 2],
    /// Layers, of which the first is shown.
    pub layers: u32,
    /// Uses.
    pub usage: api::ImageUsageFlags,
    /// How views may differ.
    pub flags: api::ImageCreateFlags,
}

impl Wish {
    /// As a description of an image.
    pub fn info(&self) -> Info {
        let [width, height] = self.extent_px;
        Info {
            question: Question {
                format: self.format,
                dimension: api::ImageType::TYPE_2D,
                tiling: api::ImageTiling::LINEAR,
                usage: self.usage,
                flags: self.flags,
                modifier: None,
            },
            extent_px: [width, height, 1],
            levels: 1,
            layers: self.layers,
            samples: api::SampleCountFlags::TYPE_1,
            shared: false,
            layouts: Default::default(),
        }
    }
}

impl Frame {
    /// Makes an image.
    pub fn new(context: &Arc<vk::context::Context>, wish: &Wish) -> Result<Self> {
        let image = Arc::new(Image::new(&context.physical, &wish.info())?);
        let types = context.physical.memory_types().len() as u32;
        let memory = Memory::new(
            context,
            Request {
                bytes: image.requirements(None, types)?.bytes,
                type_index: 0,
                import: None,
                export: api::ExternalMemoryHandleTypeFlags::empty(),
                place: Place::Anywhere,
            },
        )?;
        let memory = Arc::new(memory);
        let frame = Self {
            layout: image.host_layout(api::ImageAspectFlags::COLOR, 0, 0)?,
            image,
            memory,
        };
        frame.bind(&frame.image)?;
        Ok(frame)
    }

    /// Binds an image of the same description to this one's memory.
    pub fn bind(&self, image: &Image) -> vk::Result<()> {
        image.bind(None, &self.memory, 0)
    }
}

impl Picture for Frame {
    fn width(&self) -> u32 {
        self.image.info.extent_px[0]
    }

    fn height(&self) -> u32 {
        self.image.info.extent_px[1]
    }

    fn row(&self, y: u32, out: &mut [u8]) -> Result<()> {
        let at = self.layout.offset + u64::from(y) * self.layout.row_pitch;
        self.memory.read(at, out).map_err(Error::Device)
    }
}
