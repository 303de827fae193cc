//! `VkImageView`.
//!
//! In:  an image with memory, and the part of it that is seen. Out: surface states and targets, made once.

use std::sync::Arc;

use ash::vk as api;
use cmd::draw::target::DepthStencilTarget;
use cmd::image::{CcsMode, ImageView, IDENTITY_SWIZZLE, ChannelSelect, SurfaceUsage};
use hw::FormatUse;
use smallvec::{SmallVec, smallvec};
use surface::{Block, Dim};

use super::object::{Image, Part};
use crate::error::{Error, Result};
use crate::format::{self, Format};
use crate::physical::PhysicalDevice;
use crate::planar::ASPECTS;
use crate::surface_state::Surface;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ViewInfo {
    /// Kind.
    pub kind: api::ImageViewType,
    /// Format.
    pub format: api::Format,
    /// Channels.
    pub components: api::ComponentMapping,
    /// Part, levels, layers.
    pub range: api::ImageSubresourceRange,
    /// Uses, of those of the image.
    pub usage: api::ImageUsageFlags,
    /// The least level that is sampled, counted as the image's are.
    pub min_lod: f32,
}

/// What the sampler sees: a surface for each plane.
pub type Textures = SmallVec<[Surface; 1]>;

/// `VkImageView`.
#[derive(Debug)]
pub struct View {
    /// The image.
    pub image: Arc<Image>,
    /// Format that it is seen in.
    pub format: &'static Format,
    /// Parts that are seen.
    pub aspects: api::ImageAspectFlags,
    /// First level.
    pub first_level: u32,
    /// First layer, or slice.
    pub first_layer: u32,
    /// Layers, or slices of a volume.
    pub layers: u32,
    target: Option<Surface>,
    depth_stencil: DepthStencilTarget,
    texture: Option<Textures>,
    storage: Option<[Surface; 2]>,
}

/// The range with its open ends closed.
struct Range {
    first_level: u32,
    levels: u32,
    first_layer: u32,
    layers: u32,
}

impl Range {
    fn of(image: &Image, info: &ViewInfo) -> Result<Range> {
        let range = &info.range;
        let beyond = Error::InvalidUse {
            why: "a view beyond its image",
        };
        let left = |all: u32, first: u32, count: u32, open: u32| match count {
            count if count == open => all.checked_sub(first).filter(|&left| left > 0),
            count => (first.checked_add(count)? <= all && count > 0).then_some(count),
        };
        let levels = left(
            image.info.levels,
            range.base_mip_level,
            range.level_count,
            api::REMAINING_MIP_LEVELS,
        );
        // A volume seen whole has one layer, and all its slices.
        let whole = info.kind == api::ImageViewType::TYPE_3D;
        let slices = image.slices(range.base_mip_level);
        let layers = match whole {
            true => Some(slices),
            false => left(
                slices,
                range.base_array_layer,
                range.layer_count,
                api::REMAINING_ARRAY_LAYERS,
            ),
        };
        Ok(Range {
            first_level: range.base_mip_level,
            levels: levels.ok_or_else(|| beyond.clone())?,
            first_layer: if whole { 0 } else { range.base_array_layer },
            layers: layers.ok_or(beyond)?,
        })
    }
}

/// The channels of a view: of those that the format's channels are taken from.
fn swizzle(format: &Format, components: &api::ComponentMapping) -> [ChannelSelect; 4] {
    use api::ComponentSwizzle as C;
    let [red, green, blue, alpha] = format.swizzle;
    let one = |component, own| match component {
        C::ZERO => ChannelSelect::Zero,
        C::ONE => ChannelSelect::One,
        C::R => red,
        C::G => green,
        C::B => blue,
        C::A => alpha,
        _ => own,
    };
    [
        one(components.r, red),
        one(components.g, green),
        one(components.b, blue),
        one(components.a, alpha),
    ]
}

impl View {
    /// A view of an image that has its memory.
    pub fn new(physical: &PhysicalDevice, image: &Arc<Image>, info: &ViewInfo) -> Result<Self> {
        let range = Range::of(image, info)?;
        let tiling = image.info.question.tiling;
        let format = format::in_images(info.format, tiling).ok_or(Error::FormatNotSupported)?;
        let aspects = info.range.aspect_mask;
        let mut view = Self {
            image: image.clone(),
            format,
            aspects,
            first_level: range.first_level,
            first_layer: range.first_layer,
            layers: range.layers,
            target: None,
            depth_stencil: DepthStencilTarget::default(),
            texture: None,
            storage: None,
        };
        // Colours of several planes are sampled alone.
        if format.is_split() && aspects == api::ImageAspectFlags::COLOR {
            let planes = ASPECTS.into_iter().zip(image.parts());
            let seen = planes.map(|(aspect, part)| {
                let hw = format.part(aspect).ok_or(Error::FormatNotSupported)?;
                words(image, part, hw, &range, info, SurfaceUsage::Sampler, IDENTITY_SWIZZLE)
            });
            view.texture = Some(seen.collect::<Result<_>>()?);
            return Ok(view);
        }
        // Of depth and stencil together the sampler would read depth.
        let known = [
            api::ImageAspectFlags::COLOR,
            api::ImageAspectFlags::DEPTH,
            api::ImageAspectFlags::STENCIL,
        ];
        let aspect = known
            .into_iter()
            .chain(ASPECTS)
            .find(|&aspect| aspects.contains(aspect))
            .ok_or(Error::InvalidUse {
                why: "a view of no aspect",
            })?;
        // A plane is seen in a format of its own.
        let of_format = match ASPECTS.contains(&aspect) && !format.is_split() {
            true => api::ImageAspectFlags::COLOR,
            false => aspect,
        };
        let hw = format.part(of_format).ok_or(Error::FormatNotSupported)?;
        let part = image.part(aspect)?;
        if !Image::is_seen_in(part, hw) {
            return Err(Error::InvalidUse {
                why: "a view in a format that is not of its image's list",
            });
        }
        let hw_gen = physical.info().device.hw_gen;
        let uses = hw.uses(hw_gen);
        let sampled = api::ImageUsageFlags::SAMPLED | api::ImageUsageFlags::INPUT_ATTACHMENT;
        let readable = uses.contains(FormatUse::SAMPLE) || format.planar.is_some();
        if info.usage.intersects(sampled) && readable {
            let channels = swizzle(format, &info.components);
            let seen = words(image, part, hw, &range, info, SurfaceUsage::Sampler, channels)?;
            view.texture = Some(smallvec![seen]);
        }
        let storage = api::ImageUsageFlags::STORAGE;
        if info.usage.contains(storage) && uses.contains(FormatUse::TYPED_WRITE) {
            let read = abi::typed_read_format(hw.number);
            let read = read.and_then(|number| hw::Format::by_number(number.into()));
            let channels = format.swizzle;
            let seen = |format| words(image, part, format, &range, info, SurfaceUsage::Storage, channels);
            view.storage = Some([seen(hw)?, seen(read.unwrap_or(hw))?]);
        }
        let target = api::ImageUsageFlags::COLOR_ATTACHMENT;
        if info.usage.contains(target) && uses.contains(FormatUse::TARGET) && format.is_colour() {
            let channels = format.swizzle;
            view.target = Some(words(
                image,
                part,
                hw,
                &range,
                info,
                SurfaceUsage::Target,
                channels,
            )?);
        }
        let attachment = api::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        if info.usage.contains(attachment) && !format.is_colour() {
            let layers = (range.first_layer, range.layers);
            // Whatever a view sees, it is drawn to whole: "Image Views", VkImageSubresourceRange, aspectMask.
            let aspects = image.format.aspects();
            view.depth_stencil = image.depth_stencil(aspects, range.first_level, layers)?;
        }
        Ok(view)
    }

    /// Size of the level in pixels.
    pub fn extent_px(&self) -> [u32; 3] {
        self.image.part_extent_px(self.aspects, self.first_level)
    }

    /// Its surface as a colour target.
    pub fn colour_target(&self) -> Result<cmd::draw::target::Surface> {
        self.target.ok_or(Error::InvalidUse {
            why: "a view as a colour target that cannot be one",
        })
    }

    /// Its surfaces of depth and stencil.
    pub fn depth_stencil_target(&self) -> Result<DepthStencilTarget> {
        match self.depth_stencil {
            DepthStencilTarget {
                depth: None,
                stencil: None,
                ..
            } => Err(Error::InvalidUse {
                why: "a view as a target of depth and stencil that cannot be one",
            }),
            target => Ok(target),
        }
    }

    /// Its surfaces as the sampler sees them.
    pub fn textures(&self) -> Result<&[Surface]> {
        self.texture.as_deref().ok_or(Error::InvalidUse {
            why: "a view to sample from that cannot be sampled",
        })
    }

    /// Its surfaces as typed messages write to it, and read from it.
    pub fn storage(&self) -> Result<&[Surface; 2]> {
        self.storage.as_ref().ok_or(Error::InvalidUse {
            why: "a view as a storage image that cannot be one",
        })
    }
}

/// The surface state of a part.
fn words(
    image: &Image,
    part: &Part,
    format: &'static hw::Format,
    range: &Range,
    info: &ViewInfo,
    viewer: SurfaceUsage,
    swizzle: [ChannelSelect; 4],
) -> Result<Surface> {
    use api::ImageViewType as T;
    let address = image.address(part)? + part.offset_bytes;
    let cube = [T::CUBE, T::CUBE_ARRAY].contains(&info.kind) && viewer == SurfaceUsage::Sampler;
    let whole = ImageView {
        surface: &part.surface,
        address,
        format,
        viewer,
        cube,
        first_level: range.first_level,
        levels: range.levels,
        first_layer: range.first_layer,
        layers: range.layers,
        swizzle: if part.aspect == api::ImageAspectFlags::DEPTH
            || part.aspect == api::ImageAspectFlags::STENCIL
        {
            channels_of_one(swizzle)
        } else {
            swizzle
        },
        within_el: [0, 0],
        min_lod: info.min_lod,
        control: image.control(part)?,
    };
    // A slice that is sampled as a plane: slices lie as layers do.
    let flat = viewer == SurfaceUsage::Sampler && part.surface.dim == Dim::D3 && info.kind != T::TYPE_3D;
    let planes = part.surface.planes();
    let whole = match flat {
        true => ImageView {
            surface: &planes,
            ..whole
        },
        false => whole,
    };
    let block = Block::of(format).ok_or(Error::FormatNotSupported)?;
    if block == part.surface.block {
        let mut words = whole.words();
        if viewer == SurfaceUsage::Sampler {
            image.compress(part, &mut words, CcsMode::Compressed)?;
        }
        return Ok(words);
    }
    if block.bits != part.surface.block.bits {
        return Err(Error::InvalidUse {
            why: "a view in a format of other bits than its image's",
        });
    }
    // Blocks seen as pixels: one level of one layer, as large as it has blocks.
    let (mut single, place) = part
        .surface
        .single(range.first_level, range.first_layer)
        .map_err(|_| Error::FeatureNotPresent {
            what: "a view of this level's blocks as pixels",
        })?;
    for (extent, block) in single
        .extent_px
        .iter_mut()
        .zip(part.surface.block.extent_sa)
    {
        *extent = extent.div_ceil(block);
    }
    single.block = block;
    let alone = ImageView {
        surface: &single,
        address: address + place.offset_bytes,
        first_level: 0,
        levels: 1,
        first_layer: 0,
        layers: 1,
        within_el: place.within_el,
        ..whole
    };
    Ok(alone.words())
}

/// Channels of depth or stencil: the one that there is, and what stands for the others.
fn channels_of_one(swizzle: [ChannelSelect; 4]) -> [ChannelSelect; 4] {
    swizzle.map(|select| match select {
        ChannelSelect::Green | ChannelSelect::Blue => ChannelSelect::Zero,
        ChannelSelect::Alpha => ChannelSelect::One,
        other => other,
    })
}
