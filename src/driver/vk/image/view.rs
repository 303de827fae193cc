//! `VkImageView`.
//!
//! In:  an image with bound memory, and a range of it. Out: surface states and render targets,
//!      packed once.

use std::sync::Arc;

use ash::vk as api;
use cmd::draw::target::DepthStencilTarget;
use cmd::image::{ChannelSelect, IDENTITY_SWIZZLE, ImageView, SurfaceUsage};
use hw::FormatUse;
use hw::state::render_surface_state as rss;
use smallvec::{SmallVec, smallvec};
use surface::{FormatBlock, ImageDim};

use super::object::{Image, ImagePlane};
use crate::error::{Error, Result};
use crate::format::{self, Format};
use crate::heap_states::HeapStates;
use crate::physical::PhysicalDevice;
use crate::planar::ASPECTS;
use crate::surface_state::SurfaceStateWords;

/// Parameters of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewInfo {
    /// View type.
    pub kind: api::ImageViewType,
    /// Format.
    pub format: api::Format,
    /// Swizzle.
    pub components: api::ComponentMapping,
    /// Aspects, levels, layers.
    pub range: api::ImageSubresourceRange,
    /// Usage, a subset of the image's.
    pub usage: api::ImageUsageFlags,
    /// Minimum level that is sampled, counted as the image's levels are.
    pub min_lod: f32,
    /// First slice and number of slices that storage images of a 3D view have; all without it.
    pub slices: Option<(u32, u32)>,
}

/// Surface states for the sampler, one for each plane.
pub type SamplerSurfaceStates = SmallVec<[SurfaceStateWords; 1]>;

/// `VkImageView`.
#[derive(Debug)]
pub struct View {
    /// The image.
    pub image: Arc<Image>,
    /// Format of the view.
    pub format: &'static Format,
    /// Aspects of the view.
    pub aspects: api::ImageAspectFlags,
    /// First mip level.
    pub first_level: u32,
    /// First array layer, or slice of a 3D image.
    pub first_layer: u32,
    /// Array layers, or slices of a 3D image.
    pub layers: u32,
    target: Option<SurfaceStateWords>,
    depth_stencil: DepthStencilTarget,
    texture: Option<SamplerSurfaceStates>,
    texture_in_heap: HeapStates,
    storage: Option<[SurfaceStateWords; 2]>,
    storage_in_heap: HeapStates,
}

/// The view's range, with explicit counts.
struct Range {
    first_level: u32,
    levels: u32,
    first_layer: u32,
    layers: u32,
}

impl Range {
    fn new(image: &Image, info: &ViewInfo) -> Result<Range> {
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
        // A 3D view has one layer with all slices.
        let view_surface = info.kind == api::ImageViewType::TYPE_3D;
        let slices = image.slices(range.base_mip_level);
        let layers = match view_surface {
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
            first_layer: if view_surface {
                0
            } else {
                range.base_array_layer
            },
            layers: layers.ok_or(beyond)?,
        })
    }
}

/// The view's swizzle, combined with the format's.
fn swizzle(format: &Format, components: &api::ComponentMapping) -> [ChannelSelect; 4] {
    use api::ComponentSwizzle as C;
    let [red, green, blue, alpha] = format.swizzle;
    let component_select = |component, format_channel| match component {
        C::ZERO => ChannelSelect::Zero,
        C::ONE => ChannelSelect::One,
        C::R => red,
        C::G => green,
        C::B => blue,
        C::A => alpha,
        _ => format_channel,
    };
    [
        component_select(components.r, red),
        component_select(components.g, green),
        component_select(components.b, blue),
        component_select(components.a, alpha),
    ]
}

/// The aspect that a view of several is sampled as: depth, of depth and stencil.
fn viewed_aspect(aspects: api::ImageAspectFlags) -> Result<api::ImageAspectFlags> {
    let known = [
        api::ImageAspectFlags::COLOR,
        api::ImageAspectFlags::DEPTH,
        api::ImageAspectFlags::STENCIL,
    ];
    known
        .into_iter()
        .chain(ASPECTS)
        .find(|&aspect| aspects.contains(aspect))
        .ok_or(Error::InvalidUse {
            why: "a view of no aspect",
        })
}

impl View {
    /// Creates a view of an image with bound memory.
    pub fn new(physical: &PhysicalDevice, image: &Arc<Image>, info: &ViewInfo) -> Result<Self> {
        let range = Range::new(image, info)?;
        let tiling = image.info.question.tiling;
        let format = format::for_tiling(info.format, tiling).ok_or(Error::FormatNotSupported)?;
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
            texture_in_heap: HeapStates::default(),
            storage: None,
            storage_in_heap: HeapStates::default(),
        };
        let has_mip_tail = physical.diagnosis().has(debug::Flag::MipTail);
        let pack = |part: &ImagePlane, hw: &'static hw::Format, usage, channels| -> Result<_> {
            let viewed = (hw, usage, channels);
            let mut words = with_view(image, part, viewed, &range, info, |view| view.pack())?;
            if usage == SurfaceUsage::Sampler {
                image.set_texture_ccs(part, &mut words)?;
            }
            if has_mip_tail && usage == SurfaceUsage::Sampler {
                rss::MIP_TAIL_START_LOD.set(&mut words, 1);
            }
            Ok(words)
        };
        // A multi-planar colour view can only be sampled.
        if format.is_multi_planar() && aspects == api::ImageAspectFlags::COLOR {
            let planes = ASPECTS.into_iter().zip(image.parts());
            let textures = planes.map(|(aspect, part)| {
                let hw = format
                    .aspect_format(aspect)
                    .ok_or(Error::FormatNotSupported)?;
                pack(part, hw, SurfaceUsage::Sampler, IDENTITY_SWIZZLE)
            });
            view.texture = Some(textures.collect::<Result<_>>()?);
            return Ok(view);
        }
        let aspect = viewed_aspect(aspects)?;
        // A view of a single plane has its own format.
        let of_format = match ASPECTS.contains(&aspect) && !format.is_multi_planar() {
            true => api::ImageAspectFlags::COLOR,
            false => aspect,
        };
        let hw = format
            .aspect_format(of_format)
            .ok_or(Error::FormatNotSupported)?;
        let part = image.aspect_part(aspect)?;
        if !Image::is_compression_compatible(part, hw) {
            return Err(Error::InvalidUse {
                why: "a view format that is not in the image's format list",
            });
        }
        let uses = hw.uses(physical.info().device.hw_gen);
        let sampled = api::ImageUsageFlags::SAMPLED | api::ImageUsageFlags::INPUT_ATTACHMENT;
        let readable = uses.contains(FormatUse::SAMPLE) || format.planar.is_some();
        if info.usage.intersects(sampled) && readable {
            let channels = swizzle(format, &info.components);
            let texture = pack(part, hw, SurfaceUsage::Sampler, channels)?;
            view.texture = Some(smallvec![texture]);
        }
        let storage = api::ImageUsageFlags::STORAGE;
        if info.usage.contains(storage) && uses.contains(FormatUse::TYPED_WRITE) {
            let read = abi::typed_read_format(hw.number);
            let read = read.and_then(|number| hw::Format::by_number(number.into()));
            let pack_storage = |hw| pack(part, hw, SurfaceUsage::Storage, format.swizzle);
            let mut states = [pack_storage(hw)?, pack_storage(read.unwrap_or(hw))?];
            // Whatever their format: translators of Direct3D access pairs of dwords as 64-bit
            // integers without a view of that format.
            if u32::from(hw.block_bits) == 8 * abi::ADDRESSED_TEXEL_BYTES {
                let viewed = (hw, SurfaceUsage::Storage, format.swizzle);
                let addressing = with_view(image, part, viewed, &range, info, |view| {
                    view.texel_addressing()
                })?;
                addressing.store(&mut states);
            }
            view.storage = Some(states);
        }
        let target = api::ImageUsageFlags::COLOR_ATTACHMENT;
        if info.usage.contains(target) && uses.contains(FormatUse::TARGET) && format.is_colour() {
            view.target = Some(pack(part, hw, SurfaceUsage::Target, format.swizzle)?);
        }
        let attachment = api::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        if info.usage.contains(attachment) && !format.is_colour() {
            let layers = (range.first_layer, range.layers);
            // Attachments always have all aspects: "Image Views", VkImageSubresourceRange,
            // aspectMask.
            let aspects = image.format.aspects();
            view.depth_stencil = image.depth_stencil(aspects, range.first_level, layers)?;
        }
        Ok(view)
    }

    /// Size of the first level in pixels.
    pub fn extent_px(&self) -> [u32; 3] {
        self.image.aspect_extent_px(self.aspects, self.first_level)
    }

    /// Surface state as a colour attachment.
    pub fn colour_target(&self) -> Result<cmd::draw::target::SurfaceStateWords> {
        self.target.ok_or(Error::InvalidUse {
            why: "a view without colour attachment usage as a colour attachment",
        })
    }

    /// Render targets as a depth and stencil attachment.
    pub fn depth_stencil_target(&self) -> Result<DepthStencilTarget> {
        match self.depth_stencil {
            DepthStencilTarget {
                depth: None,
                stencil: None,
                ..
            } => Err(Error::InvalidUse {
                why: "a view without depth and stencil usage as such an attachment",
            }),
            target => Ok(target),
        }
    }

    /// Surface states for the sampler.
    pub fn textures(&self) -> Result<&[SurfaceStateWords]> {
        self.texture.as_deref().ok_or(Error::InvalidUse {
            why: "a view without sampled usage as a sampled image",
        })
    }

    /// As [`View::textures`], with their place in the heap for indirect descriptors.
    #[inline]
    pub fn texture_descriptor(&self) -> Result<(&[SurfaceStateWords], &HeapStates)> {
        Ok((self.textures()?, &self.texture_in_heap))
    }

    /// As [`View::storage`], with their place in the heap for indirect descriptors.
    pub fn storage_descriptor(&self) -> Result<(&[SurfaceStateWords; 2], &HeapStates)> {
        Ok((self.storage()?, &self.storage_in_heap))
    }

    /// Surface states for typed writes and for typed reads.
    pub fn storage(&self) -> Result<&[SurfaceStateWords; 2]> {
        self.storage.as_ref().ok_or(Error::InvalidUse {
            why: "a view without storage usage as a storage image",
        })
    }
}

/// The first layer or slice of a view, and their number, where it may have only some slices.
fn slices_of_level(image: &Image, range: &Range, slices: Option<(u32, u32)>) -> Result<(u32, u32)> {
    let Some((first, count)) = slices else {
        return Ok((range.first_layer, range.layers));
    };
    let left = image.slices(range.first_level).checked_sub(first);
    let count = match count {
        api::REMAINING_3D_SLICES_EXT => left,
        count => left.filter(|&left| count <= left).map(|_| count),
    };
    let count = count.filter(|&count| count > 0).ok_or(Error::InvalidUse {
        why: "slices of a view beyond its image",
    })?;
    Ok((first, count))
}

/// What `describe` makes of the view of a plane or aspect, with a format, a unit and a swizzle.
fn with_view<T>(
    image: &Image,
    part: &ImagePlane,
    (format, viewer, swizzle): (&'static hw::Format, SurfaceUsage, [ChannelSelect; 4]),
    range: &Range,
    info: &ViewInfo,
    describe: impl FnOnce(&ImageView<'_>) -> T,
) -> Result<T> {
    use api::ImageViewType as T;
    let address = image.address(part)? + part.offset_bytes;
    let cube = [T::CUBE, T::CUBE_ARRAY].contains(&info.kind) && viewer == SurfaceUsage::Sampler;
    let view_surface = ImageView {
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
            single_channel_swizzle(swizzle)
        } else {
            swizzle
        },
        within_el: [0, 0],
        min_lod: info.min_lod,
        control: image.mcs(part)?,
    };
    // A slice of a 3D image is sampled as a 2D image: slices are laid out like layers. Some slices
    // are stored to as layers, as shaders ask for their number, too, and address both alike.
    let flat = viewer == SurfaceUsage::Sampler && info.kind != T::TYPE_3D;
    let slices = info.slices.filter(|_| viewer == SurfaceUsage::Storage);
    let (first_layer, layers) = slices_of_level(image, range, slices)?;
    let planes = part.surface.planes();
    let view_surface = match part.surface.dim == ImageDim::D3 && (flat || slices.is_some()) {
        true => ImageView {
            surface: &planes,
            first_layer,
            layers,
            ..view_surface
        },
        false => view_surface,
    };
    let block = FormatBlock::from_format(format).ok_or(Error::FormatNotSupported)?;
    if block == part.surface.block {
        return Ok(describe(&view_surface));
    }
    if block.bits != part.surface.block.bits {
        return Err(Error::InvalidUse {
            why: "a view format with another element size than the image's",
        });
    }
    // Uncompressed view of compressed blocks: one level of one layer, with a pixel for each block.
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
    let single_view = ImageView {
        surface: &single,
        address: address + place.offset_bytes,
        first_level: 0,
        levels: 1,
        first_layer: 0,
        layers: 1,
        within_el: place.within_el,
        ..view_surface
    };
    Ok(describe(&single_view))
}

/// Swizzle of depth or stencil: one channel, then 0, 0, 1.
fn single_channel_swizzle(swizzle: [ChannelSelect; 4]) -> [ChannelSelect; 4] {
    swizzle.map(|select| match select {
        ChannelSelect::Green | ChannelSelect::Blue => ChannelSelect::Zero,
        ChannelSelect::Alpha => ChannelSelect::One,
        other => other,
    })
}
