//! The images of a swapchain: in memory that the window system has, too, laid out as both know it; or linear, so that their pixels can be
//! read as they lie.

use std::sync::Arc;

use ash::vk as api;
use vk::image::{Image, Info};
use vk::image_limits::Question;
use vk::memory::{Memory, Place, Request};

use crate::error::{Error, Result};
use crate::present::{Picture, Shared};

/// An image and its memory.
#[derive(Debug)]
pub struct Frame {
    /// The image, bound.
    pub image: Arc<Image>,
    memory: Arc<Memory>,
    layout: api::SubresourceLayout,
    /// How it lies, if the window system knows.
    modifier: Option<u64>,
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
    /// As a description of an image, which others can have if it has a modifier.
    pub fn info(&self, modifier: Option<u64>) -> Info {
        let [width, height] = self.extent_px;
        Info {
            question: Question {
                format: self.format,
                dimension: api::ImageType::TYPE_2D,
                tiling: match modifier {
                    Some(_) => api::ImageTiling::DRM_FORMAT_MODIFIER_EXT,
                    None => api::ImageTiling::LINEAR,
                },
                usage: self.usage,
                flags: self.flags,
                modifier,
            },
            extent_px: [width, height, 1],
            levels: 1,
            layers: self.layers,
            samples: api::SampleCountFlags::TYPE_1,
            alike: !self.flags.contains(api::ImageCreateFlags::MUTABLE_FORMAT),
            shared: modifier.is_some(),
            layouts: Default::default(),
        }
    }
}

impl Frame {
    /// Makes an image whose pixels can be read.
    pub fn new(context: &Arc<vk::context::Context>, wish: &Wish) -> Result<Self> {
        Self::of(context, wish, None)
    }

    /// Makes an image of the first of these layouts that it can have, for others to have, too. It is theirs until it is taken back.
    pub fn shared(
        context: &Arc<vk::context::Context>,
        wish: &Wish,
        modifiers: &[u64],
    ) -> Option<Self> {
        let mut modifiers = modifiers.iter();
        let frame = modifiers.find_map(|&modifier| Self::of(context, wish, Some(modifier)).ok())?;
        frame.memory.buffer().give();
        Some(frame)
    }

    fn of(context: &Arc<vk::context::Context>, wish: &Wish, modifier: Option<u64>) -> Result<Self> {
        let image = Image::new(&context.physical, &wish.info(modifier))?;
        let types = context.physical.memory_types().len() as u32;
        let memory = Memory::new(
            context,
            Request {
                bytes: image.requirements(None, types)?.bytes,
                type_index: 0,
                import: None,
                export: match modifier {
                    Some(_) => api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
                    None => api::ExternalMemoryHandleTypeFlags::empty(),
                },
                place: Place::Anywhere,
            },
        )?;
        let memory = Arc::new(memory);
        let frame = Self {
            layout: image.host_layout(api::ImageAspectFlags::COLOR, 0, 0)?,
            image,
            memory,
            modifier,
        };
        frame.bind(&frame.image)?;
        Ok(frame)
    }

    /// Its memory, for the window system. None: it is not for others.
    pub fn export(&self) -> Result<Option<Shared>> {
        let Some(modifier) = self.modifier else {
            return Ok(None);
        };
        let number = |bytes: u64| {
            u32::try_from(bytes).map_err(|_| vk::Error::InvalidUse {
                why: "an image too large for a window",
            })
        };
        Ok(Some(Shared {
            memory: self.memory.export()?,
            modifier,
            offset_bytes: number(self.layout.offset)?,
            pitch_bytes: number(self.layout.row_pitch)?,
            bytes: self.memory.buffer().bytes(),
        }))
    }

    /// What the window system is given when a picture has been drawn. None: its pixels.
    pub fn given(&self) -> Option<Arc<i915::Buffer>> {
        self.modifier.map(|_| self.memory.buffer().clone())
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

    fn take_back(&self, timeout_ns: u64) -> Result<bool> {
        let timeout_ns = i64::try_from(timeout_ns).unwrap_or(i64::MAX);
        let taken = self.memory.buffer().take_back(timeout_ns);
        taken.map_err(|error| Error::Device(error.into()))
    }
}
