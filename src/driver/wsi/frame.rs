//! The images of a swapchain and their memory.
//!
//! In:  a description, and modifiers that the window system accepts. Out: images in memory shared
//!      with the window system, or linear images whose pixels the CPU can read.

use std::sync::Arc;

use ash::vk as api;
use vk::image::{Image, ImageCreateInfo};
use vk::image_limits::ImageQuery;
use vk::memory::{AddressConstraint, DeviceMemory, MemoryAllocateInfo};

use crate::error::{Error, Result};
use crate::present::{MemoryPlane, PixelSource, SharedImage};

/// An image and its memory.
#[derive(Debug)]
pub struct Frame {
    /// The image, bound to the memory.
    pub image: Arc<Image>,
    memory: Arc<DeviceMemory>,
    layout: api::SubresourceLayout,
    /// The modifier, if the memory is shared with the window system.
    modifier: Option<u64>,
}

/// The description of a swapchain's images.
#[derive(Clone, Copy, Debug)]
pub struct ImageDescription {
    /// Format.
    pub format: api::Format,
    /// Width and height in pixels.
    pub extent_px: [u32; 2],
    /// Array layers, of which the first is shown.
    pub layers: u32,
    /// Usage flags.
    pub usage: api::ImageUsageFlags,
    /// Create flags: whether views may have other formats.
    pub flags: api::ImageCreateFlags,
    /// How the window system interprets the pixels.
    pub color_space: api::ColorSpaceKHR,
}

impl ImageDescription {
    /// The parameters of an image, linear or, with a modifier, shareable.
    pub fn info(&self, modifier: Option<u64>) -> ImageCreateInfo {
        let [width, height] = self.extent_px;
        ImageCreateInfo {
            question: ImageQuery {
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
            textures_without_aux: false,
            layouts: Default::default(),
        }
    }
}

impl Frame {
    /// Creates a linear image whose pixels the CPU can read.
    pub fn new(
        context: &Arc<vk::context::Context>,
        description: &ImageDescription,
    ) -> Result<Self> {
        Self::with_modifier(context, description, None)
    }

    /// Creates an image with the first possible of these modifiers, handed over to the window
    /// system until it is reclaimed.
    pub fn shared(
        context: &Arc<vk::context::Context>,
        description: &ImageDescription,
        modifiers: &[u64],
    ) -> Option<Self> {
        let mut modifiers = modifiers.iter();
        let frame = modifiers
            .find_map(|&modifier| Self::with_modifier(context, description, Some(modifier)).ok())?;
        frame.memory.buffer().hand_over();
        Some(frame)
    }

    /// Creates an image with a modifier, or a linear one, and binds it to new memory.
    fn with_modifier(
        context: &Arc<vk::context::Context>,
        description: &ImageDescription,
        modifier: Option<u64>,
    ) -> Result<Self> {
        let info = ImageCreateInfo {
            textures_without_aux: context.has_textures_without_aux(),
            ..description.info(modifier)
        };
        let image = Image::new(&context.physical, &info)?;
        let types = context.physical.memory_types().len() as u32;
        let memory = DeviceMemory::new(
            context,
            MemoryAllocateInfo {
                bytes: image.requirements(None, types)?.bytes,
                type_index: 0,
                import: None,
                export: match modifier {
                    Some(_) => api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
                    None => api::ExternalMemoryHandleTypeFlags::empty(),
                },
                address: AddressConstraint::Anywhere,
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

    /// Exports its memory for the window system. None: it is not shared.
    pub fn export(&self) -> Result<Option<SharedImage>> {
        let Some(modifier) = self.modifier else {
            return Ok(None);
        };
        let to_u32 = |bytes: u64| {
            u32::try_from(bytes).map_err(|_| {
                Error::Device(vk::Error::InvalidUse {
                    why: "an image too large for a window",
                })
            })
        };
        let mut layouts = vec![self.layout];
        if self.image.shares_ccs() {
            let second = api::ImageAspectFlags::MEMORY_PLANE_1_EXT;
            layouts.push(self.image.host_layout(second, 0, 0)?);
        }
        let planes = layouts.iter().map(|layout| {
            Ok(MemoryPlane {
                offset_bytes: to_u32(layout.offset)?,
                pitch_bytes: to_u32(layout.row_pitch)?,
            })
        });
        let planes = planes.collect::<Result<_>>()?;
        Ok(Some(SharedImage {
            memory: self.memory.export()?,
            modifier,
            planes,
            bytes: self.memory.buffer().bytes(),
        }))
    }

    /// The buffer that a present hands over to the window system. None: its pixels are copied.
    pub fn handed_over_buffer(&self) -> Option<Arc<i915::Buffer>> {
        self.modifier.map(|_| self.memory.buffer().clone())
    }

    /// Binds an image of the same description to this memory.
    pub fn bind(&self, image: &Image) -> vk::Result<()> {
        image.bind(None, &self.memory, 0)
    }
}

impl PixelSource for Frame {
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

    fn reclaim(&self, timeout_ns: u64) -> Result<bool> {
        let timeout_ns = i64::try_from(timeout_ns).unwrap_or(i64::MAX);
        let idle = self.memory.buffer().reclaim(timeout_ns);
        idle.map_err(|error| Error::Device(error.into()))
    }
}
