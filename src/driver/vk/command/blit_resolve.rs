//! Blits and multisample resolves.
//!
//! In:  images, and regions as Vulkan describes them. Out: rectangle draws with a texture if the
//!      destination is renderable; else dispatches that read a texture and write a storage image or
//!      bytes.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images"; SKL PRM
//!      vol. 5, "3D TransientSurfaces" (slices are laid out like layers).

use ash::vk as api;
use blit::{
    DepthStencilFormat, DrawShader, Launch, ResolveMode, SampledCopy, Shader, TexelConversion,
    WORKGROUP,
};
use cmd::PendingFlushes;
use cmd::draw::state::PixelRect;
use cmd::image::{CcsMode, ChannelSelect, IDENTITY_SWIZZLE, ImageView, SurfaceUsage};
use hw::Wa;
use hw::value::surface_format;
use smallvec::{SmallVec, smallvec};
use surface::{ImageDim, Surface, Tiling};

use super::buffer::CommandBuffer;
use super::image_box::ImageBox;
use super::meta_draw::Rectangle;
use super::target::Resolve;
use crate::context::SAMPLER_BASE_BYTES;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::image::{Image, ImagePlane};
use crate::sampler;
use crate::surface_state::{self, SURFACE_BYTES};

/// A region of a blit.
#[derive(Clone, Copy, Debug)]
pub struct BlitRegion {
    /// Aspects, level and layers of the source.
    pub source: api::ImageSubresourceLayers,
    /// Corners of the source box.
    pub source_px: [api::Offset3D; 2],
    /// Aspects, level and layers of the destination.
    pub destination: api::ImageSubresourceLayers,
    /// Corners of the destination box.
    pub destination_px: [api::Offset3D; 2],
}

/// How meta operations view a level of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceView {
    pub format: &'static hw::Format,
    pub viewer: SurfaceUsage,
    pub swizzle: [ChannelSelect; 4],
    pub level: u32,
    pub first_layer: u32,
    pub layers: u32,
    /// View a 3D image as such; otherwise its slices are layers.
    pub volume: bool,
}

/// The surface state of some layers of a level as a render target.
pub(super) fn render_target_state(
    image: &Image,
    part: &ImagePlane,
    view: &SurfaceView,
    ccs_mode: CcsMode,
) -> Result<surface_state::SurfaceStateWords> {
    let mut words = pack_surface(image, part, view)?;
    image.set_ccs(part, &mut words, ccs_mode)?;
    Ok(words)
}

/// The surface state of some layers of a level. The sampler's state includes the CCS of compressed
/// images.
pub(super) fn pack_surface(
    image: &Image,
    part: &ImagePlane,
    level_view: &SurfaceView,
) -> Result<surface_state::SurfaceStateWords> {
    let address = image.address(part)? + part.offset_bytes;
    let mut surface: Surface = part.surface;
    let mut view = ImageView {
        surface: &part.surface,
        address,
        format: level_view.format,
        viewer: level_view.viewer,
        cube: false,
        first_level: level_view.level,
        levels: 1,
        first_layer: level_view.first_layer,
        layers: level_view.layers,
        swizzle: level_view.swizzle,
        within_el: [0; 2],
        min_lod: 0.0,
        control: image.mcs(part)?,
    };
    match surface.dim {
        ImageDim::D2 => {
            let mut words = view.pack();
            if level_view.viewer == SurfaceUsage::Sampler {
                image.set_texture_ccs(part, &mut words)?;
            }
            return Ok(words);
        }
        ImageDim::D3 if level_view.volume => {
            view.first_layer = 0;
            return Ok(view.pack());
        }
        ImageDim::D3 => surface = surface.planes(),
        // Tiled 1D images are laid out like 2D images with one row.
        ImageDim::D1 if surface.tiling != Tiling::Linear => {}
        ImageDim::D1 => {
            // A level of a linear 1D image is viewed as a 2D image with one row.
            let place = surface.offset_of(level_view.level, level_view.first_layer);
            surface.extent_px = image.level_extent_px(level_view.level);
            surface.align_el = [4, 4];
            view.address += place.offset_bytes;
            (view.first_level, view.first_layer, view.layers) = (0, 0, 1);
        }
    }
    surface.dim = ImageDim::D2;
    let view = ImageView {
        surface: &surface,
        ..view
    };
    Ok(view.pack())
}

/// How a destination is written.
#[derive(Clone, Copy, Debug)]
struct WriteMethod {
    numbers: TexelConversion,
    /// Format that the data port converts to.
    format: &'static hw::Format,
    /// Bit layout of a 16-bit element, for [`TexelConversion::Packed`].
    packing: u32,
    /// Render target format. `None`: dispatches write the destination.
    render_format: Option<&'static hw::Format>,
}

impl WriteMethod {
    /// Makes a nearest-filtered blit from sRGB to sRGB copy the encoded values. Returns the format
    /// to read them in; `None` for all other blits, which stay as they are.
    fn copy_encoded(
        &mut self,
        source: &hw::Format,
        filter: api::Filter,
    ) -> Option<&'static hw::Format> {
        match filter {
            api::Filter::NEAREST => self.without_transfer_function(source),
            _ => None,
        }
    }

    /// Makes an operation between sRGB images compute with the encoded values. Returns the format
    /// to read them in; `None` if an image has no sRGB format.
    fn without_transfer_function(&mut self, source: &hw::Format) -> Option<&'static hw::Format> {
        if self.numbers != TexelConversion::Srgb {
            return None;
        }
        let encoded = crate::format::without_srgb(source)?;
        self.numbers = TexelConversion::Floats;
        self.render_format = self.render_format.map(|_| self.format);
        Some(encoded)
    }
}

/// The format to render to a destination, if it is renderable.
fn render_format(hw_gen: hw::Gen, to: &Format, part: &ImagePlane) -> Option<&'static hw::Format> {
    let tiling = match part.surface.tiling {
        Tiling::Linear => api::ImageTiling::LINEAR,
        _ => api::ImageTiling::OPTIMAL,
    };
    let features = to.image_features(hw_gen, tiling);
    let can = features.contains(api::FormatFeatureFlags2::COLOR_ATTACHMENT)
        && part.surface.dim != ImageDim::D1;
    to.aspect_format(part.aspect).filter(|_| can)
}

/// The format for bits that are not to be converted.
fn uint_format(bits: u32) -> Result<&'static hw::Format> {
    let number = match bits {
        8 => surface_format::R8_UINT,
        16 => surface_format::R16_UINT,
        32 => surface_format::R32_UINT,
        _ => return Err(Error::FormatNotSupported),
    };
    hw::Format::by_number(number as u32).ok_or(Error::FormatNotSupported)
}

/// The element type of a depth or stencil format.
fn element_type(format: &hw::Format) -> DepthStencilFormat {
    match format.name {
        "R16_UNORM" => DepthStencilFormat::Depth16,
        "R24_UNORM_X8_TYPELESS" => DepthStencilFormat::Depth24,
        "R32_FLOAT" => DepthStencilFormat::DepthFloat,
        _ => DepthStencilFormat::Stencil,
    }
}

/// Selects how a destination is written.
fn write_method(hw_gen: hw::Gen, to: &Format, part: &ImagePlane) -> Result<WriteMethod> {
    let format = to
        .aspect_format(part.aspect)
        .ok_or(Error::FormatNotSupported)?;
    let name = format.name;
    let with = |numbers, format| WriteMethod {
        numbers,
        format,
        packing: 0,
        render_format: render_format(hw_gen, to, part),
    };
    // Depth and stencil are written as bits of their own format.
    if !to.is_colour() {
        let bits = uint_format(format.block_bits.into())?;
        return Ok(match format.block_bits {
            8 => with(TexelConversion::Stencil, bits),
            _ => with(TexelConversion::Integers, bits),
        });
    }
    if name.contains("UINT") || name.contains("SINT") {
        return Ok(with(TexelConversion::Integers, format));
    }
    if let Some(channel) = to.three_channel_type() {
        return Ok(with(TexelConversion::Three(channel), format));
    }
    if let Some(packing) = to.layout_16(hw_gen) {
        return Ok(WriteMethod {
            packing,
            ..with(
                TexelConversion::Packed(super::image::byte_order(part.surface.tiling)?),
                format,
            )
        });
    }
    let typed = crate::format::typed_write_format(format);
    match (name.ends_with("_SRGB"), typed.name == name) {
        (false, _) => Ok(with(TexelConversion::Floats, typed)),
        (true, false) => Ok(with(TexelConversion::Srgb, typed)),
        (true, true) => Err(Error::FormatNotSupported),
    }
}

/// Both ends of a box along an axis.
fn span(corners: &[api::Offset3D; 2], axis: usize) -> [i32; 2] {
    let of = |corner: &api::Offset3D| [corner.x, corner.y, corner.z][axis];
    [of(&corners[0]), of(&corners[1])]
}

/// The box between two corners in any order. Fails if it is not within the image.
fn blit_box(
    aspect: api::ImageAspectFlags,
    image: &Image,
    subresource: &api::ImageSubresourceLayers,
    corners: &[api::Offset3D; 2],
) -> Result<ImageBox> {
    let spans = [0, 1, 2].map(|axis| span(corners, axis));
    let [x, y, z] = spans.map(|[a, b]| a.min(b));
    let [width, height, depth] = spans.map(|[a, b]| a.abs_diff(b));
    let offset = api::Offset3D { x, y, z };
    let extent = api::Extent3D {
        width,
        height,
        depth,
    };
    let inside = ImageBox::new(subresource, &offset, &extent, image)?;
    inside.check_bounds(image)?;
    Ok(ImageBox { aspect, ..inside })
}

/// Normalised source coordinate of the first destination pixel along an axis, and the step to the
/// next, for both ends of the boxes. `extent`: that of the source level.
fn source_coordinates(source: [i32; 2], destination: [i32; 2], extent: u32) -> [f32; 2] {
    let [a, b] = source.map(|at| at as f32);
    let [c, d] = destination.map(|at| at as f32);
    if c == d {
        return [0.0; 2];
    }
    let step = (b - a) / (d - c);
    let first = a + (c.min(d) + 0.5 - c) * step;
    [first, step].map(|value| value / extent as f32)
}

impl CommandBuffer {
    pub(super) fn hw_gen(&self) -> hw::Gen {
        self.context.physical.info().device.hw_gen
    }

    /// Separates reads of an image in a format that is not its own from others, before and behind
    /// ([`Wa::InvalidateBetweenFormats`]). An application's views of several formats are not
    /// separated: what a draw reads through bindless surfaces is not known.
    fn separate_formats(&mut self, part: &ImagePlane, format: &hw::Format) {
        let needed = Wa::InvalidateBetweenFormats.required_on(self.hw_gen());
        if needed && part.format.number != format.number {
            self.recorder
                .barrier(PendingFlushes::STALL.with(PendingFlushes::INVALIDATE_TEXTURE));
        }
    }

    /// Draws a texture into a box of a layer or slice of a renderable destination. `push` returns
    /// the fragment shader's push constants, given the handles of texture and sampler.
    fn draw_blit<const PUSH_DW: usize>(
        &mut self,
        (drawn, format): (DrawShader, &'static hw::Format),
        texture: surface_state::SurfaceStateWords,
        (destination, to, ccs_mode): (&Image, &ImageBox, CcsMode),
        linear: bool,
        push: impl Fn(u32, u32) -> [u32; PUSH_DW],
    ) -> Result<()> {
        let [x, y, slice] = to.offset_px;
        let [width, height, _] = to.extent_px;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let volume = destination.info.question.dimension == api::ImageType::TYPE_3D;
        let view = SurfaceView {
            format,
            viewer: SurfaceUsage::Target,
            swizzle: destination.format.swizzle,
            level: to.level,
            first_layer: if volume { slice } else { to.first_layer },
            layers: 1,
            volume: false,
        };
        let render_target = render_target_state(
            destination,
            destination.aspect_part(to.aspect)?,
            &view,
            ccs_mode,
        )?;
        let state = sampler::as_slot(sampler::blit_state(linear));
        let handle = self.surfaces.write(&self.context, &[texture, state])?;
        let sampler = (handle >> 6) + SURFACE_BYTES + SAMPLER_BASE_BYTES;
        self.draw_rectangle(&Rectangle {
            drawn,
            target: render_target,
            area: PixelRect {
                x,
                y,
                width,
                height,
            },
            push_dw: &push(handle, sampler),
        })
    }

    /// Dispatches a shader that writes a box of a layer or slice of a destination. `push` returns
    /// the push constants after the box's, given the sampler and the first row of the dispatch.
    fn dispatch_blit<const PUSH_DW: usize>(
        &mut self,
        (dispatch_blit, write_method): (SampledCopy, &WriteMethod),
        texture: surface_state::SurfaceStateWords,
        (destination, to): (&Image, &ImageBox),
        linear: bool,
        push: impl Fn(u32, u32) -> [u32; PUSH_DW],
    ) -> Result<()> {
        let part = destination.aspect_part(to.aspect)?;
        let volume = destination.info.question.dimension == api::ImageType::TYPE_3D;
        let first_layer = match volume {
            true => to.offset_px[2],
            false => to.first_layer,
        };
        let [columns, rows, _] = to.extent_px;
        if columns == 0 || rows == 0 {
            return Ok(());
        }
        let launches = match write_method.numbers {
            TexelConversion::Stencil | TexelConversion::Packed(_) | TexelConversion::Three(_) => {
                let (plane, extent) = to.plane_and_extent(destination, part)?;
                let element_bytes = part.surface.block.bytes();
                let parts = blit::box_parts(plane, extent, element_bytes).into_iter();
                let whole = parts.map(|part| {
                    let bytes = surface_state::buffer(surface_state::BufferDescriptor {
                        address: part.span.address,
                        bytes: part.span.bytes,
                    });
                    (bytes, part.start, part.size, part.row)
                });
                whole.collect::<SmallVec<[_; 1]>>()
            }
            _ => {
                let view = SurfaceView {
                    format: write_method.format,
                    viewer: SurfaceUsage::Storage,
                    swizzle: IDENTITY_SWIZZLE,
                    level: to.level,
                    first_layer,
                    layers: 1,
                    volume: false,
                };
                let image = pack_surface(destination, part, &view)?;
                let [left, top, _] = to.offset_px;
                let place = [left, top, 0, 0];
                smallvec![(image, place, [columns, rows, 1], 0)]
            }
        };
        let state = sampler::as_slot(sampler::blit_state(linear));
        for (image, place, [columns, rows, _], begins) in launches {
            let handle = self
                .surfaces
                .write(&self.context, &[texture, image, state])?;
            let sampler = (handle >> 6) + 2 * SURFACE_BYTES + SAMPLER_BASE_BYTES;
            let groups = [columns.div_ceil(WORKGROUP), rows, 1];
            let handles = [handle, handle + (SURFACE_BYTES << 6)];
            let mut push_dw = [0; blit::MAX_PUSH_DW];
            let (more, size) = (push(sampler, begins), [columns, rows]);
            let all = place.iter().chain(&size).chain(&more);
            for (to, from) in push_dw.iter_mut().zip(all) {
                *to = *from;
            }
            self.dispatch_meta_on(
                Shader::SampledCopy(dispatch_blit),
                &handles,
                &push_dw,
                groups,
            )?;
        }
        Ok(())
    }

    /// Blits a box of an image to a box of another, aspect by aspect.
    pub fn scale(
        &mut self,
        source: &Image,
        destination: &Image,
        region: &BlitRegion,
        filter: api::Filter,
    ) -> Result<()> {
        for part in source.parts() {
            if region.source.aspect_mask.contains(part.aspect) {
                self.blit_aspect(part.aspect, (source, destination), region, filter)?;
            }
        }
        Ok(())
    }

    fn blit_aspect(
        &mut self,
        aspect: api::ImageAspectFlags,
        (source, destination): (&Image, &Image),
        region: &BlitRegion,
        filter: api::Filter,
    ) -> Result<()> {
        let (part_from, part_to) = (
            source.aspect_part(aspect)?,
            destination.aspect_part(aspect)?,
        );
        let volume = |image: &Image| image.info.question.dimension == api::ImageType::TYPE_3D;
        let (from_volume, to_volume) = (volume(source), volume(destination));
        let from = blit_box(aspect, source, &region.source, &region.source_px)?;
        let to = blit_box(
            aspect,
            destination,
            &region.destination,
            &region.destination_px,
        )?;
        let mut write_method = write_method(self.hw_gen(), destination.format, part_to)?;
        let encoded = write_method.copy_encoded(part_from.format, filter);
        let numbers = write_method.numbers;
        let level = source.level_extent_px(from.level);
        let spans = |axis| {
            let [from, to] = [region.source_px, region.destination_px];
            [span(&from, axis), span(&to, axis)]
        };
        let [x, y] = [0, 1].map(|axis| {
            let [from, to] = spans(axis);
            source_coordinates(from, to, level[axis])
        });
        let [slices_from, slices_to] = spans(2);
        let z = match (from_volume, to_volume) {
            (true, true) => source_coordinates(slices_from, slices_to, level[2]),
            // A slice for each layer, and the reverse.
            (true, false) => {
                source_coordinates(slices_from, [0, to.layers.cast_signed()], level[2])
            }
            (false, _) => [0.0; 2],
        };
        let is_mirrored = to_volume && slices_to[0] > slices_to[1];
        let mut texture = SurfaceView {
            format: match source.format.is_colour() {
                true => encoded.unwrap_or(part_from.format),
                false => uint_format(part_from.format.block_bits.into())?,
            },
            viewer: SurfaceUsage::Sampler,
            swizzle: source.format.swizzle,
            level: from.level,
            first_layer: 0,
            layers: 1,
            volume: from_volume,
        };
        let kind = SampledCopy::Scaled {
            volume: from_volume,
            numbers,
        };
        let linear = filter == api::Filter::LINEAR;
        let format_read = texture.format;
        self.separate_formats(part_from, format_read);
        let layers = if to_volume {
            to.extent_px[2]
        } else {
            to.layers
        };
        for round in 0..layers {
            let mut to = to;
            match to_volume {
                true => (to.offset_px[2], to.extent_px[2]) = (to.offset_px[2] + round, 1),
                false => (to.first_layer, to.layers) = (to.first_layer + round, 1),
            }
            if !from_volume {
                let round = match is_mirrored {
                    true => layers - 1 - round,
                    false => round,
                };
                // As many layers as there are slices, or one for all.
                texture.first_layer = from.first_layer + round.min(from.layers.saturating_sub(1));
            }
            let push = |sampler, row: u32| {
                let bits = f32::to_bits;
                [
                    bits(x[0]),
                    bits(x[1]),
                    bits(y[0] + row as f32 * y[1]),
                    bits(y[1]),
                    bits(z[0] + round as f32 * z[1]),
                    sampler,
                    write_method.packing,
                ]
            };
            let texture = pack_surface(source, part_from, &texture)?;
            let Some(format) = write_method.render_format else {
                self.dispatch_blit(
                    (kind, &write_method),
                    texture,
                    (destination, &to),
                    linear,
                    push,
                )?;
                continue;
            };
            let drawn = DrawShader::Scaled {
                volume: from_volume,
                integers: numbers == TexelConversion::Integers,
            };
            let to_draw = |handle, sampler| {
                let [x, x_step, y, y_step, z, sampler, _] = push(sampler, 0);
                let [left, top, _] = to.offset_px;
                [handle, left, top, x, x_step, y, y_step, z, sampler]
            };
            let box_to = (destination, &to, CcsMode::FastClear);
            self.draw_blit((drawn, format), texture, box_to, linear, to_draw)?;
        }
        self.separate_formats(part_from, format_read);
        Ok(())
    }

    /// Resolves a box of a multisampled image to another image. `to` gives the destination's
    /// offset; its size is ignored. `modes`: that of colour or depth and that of stencil, where
    /// `None` leaves the destination as it is; without them, colours are averaged. `encoded`: sRGB
    /// samples are averaged as they are encoded, not their linear values.
    pub fn resolve(
        &mut self,
        source: &Image,
        from: &ImageBox,
        destination: &Image,
        to: &ImageBox,
        modes: Option<[Option<ResolveMode>; 2]>,
        encoded: bool,
    ) -> Result<()> {
        use api::ImageAspectFlags as A;
        for (aspect, at) in [(A::DEPTH, 0), (A::STENCIL, 1)] {
            let mode = modes.and_then(|modes| modes[at]);
            if let Some(mode) = mode.filter(|_| from.aspect.contains(aspect)) {
                let from = ImageBox { aspect, ..*from };
                let to = ImageBox {
                    aspect,
                    extent_px: from.extent_px,
                    layers: from.layers,
                    ..*to
                };
                self.choose_samples((source, &from), (destination, &to), mode)?;
            }
        }
        let skipped = modes.is_some_and(|modes| modes[0].is_none());
        if !from.aspect.contains(A::COLOR) || skipped {
            return Ok(());
        }
        let format = source.aspect_part(from.aspect)?.format;
        self.resolve_samples(
            (source, from, format),
            (destination, to, destination.format),
            encoded,
            None,
            CcsMode::FastClear,
        )
        .map(|_| ())
    }

    /// Resolves samples viewed in one format to pixels in another. `ccs_mode`: how the destination
    /// is rendered to. `encoded`: sRGB samples are averaged as they are encoded. `cleared`: the
    /// colour of fast-cleared pixels of the source's first layer.
    /// Returns true if the destination was drawn to.
    fn resolve_samples(
        &mut self,
        (source, from, format_from): (&Image, &ImageBox, &'static hw::Format),
        (destination, to, format_to): (&Image, &ImageBox, &Format),
        encoded: bool,
        cleared: Option<[u32; 4]>,
        ccs_mode: CcsMode,
    ) -> Result<bool> {
        let part_from = source.aspect_part(from.aspect)?;
        let part_to = destination.aspect_part(to.aspect)?;
        let to = ImageBox {
            extent_px: from.extent_px,
            layers: from.layers,
            ..*to
        };
        from.check_bounds(source)?;
        to.check_bounds(destination)?;
        let mut write_method = write_method(self.hw_gen(), format_to, part_to)?;
        // A tracked fast clear is 0 or 1 in sRGB images, which encoding leaves as it is.
        let format_from = match encoded {
            true => write_method.without_transfer_function(format_from),
            false => None,
        }
        .unwrap_or(format_from);
        let samples_log2 = source.samples().ilog2();
        if samples_log2 == 0 {
            return Err(Error::InvalidUse {
                why: "a resolve of a single-sampled image",
            });
        }
        let kind = SampledCopy::Joined {
            samples_log2,
            numbers: write_method.numbers,
        };
        let has_no_mcs = u32::from(source.mcs(part_from)?.is_none());
        let push = |_, row: u32| {
            let [left, top, _] = from.offset_px;
            [left, top + row, write_method.packing, has_no_mcs]
        };
        self.separate_formats(part_from, format_from);
        for layer in 0..to.layers {
            let texture = SurfaceView {
                format: format_from,
                viewer: SurfaceUsage::Sampler,
                swizzle: source.format.swizzle,
                level: from.level,
                first_layer: from.first_layer + layer,
                layers: 1,
                volume: false,
            };
            let first = from.first_layer + layer == 0;
            let mut texture = pack_surface(source, part_from, &texture)?;
            if let Some(colour) = cleared.filter(|_| first) {
                cmd::image::set_clear_colour(&mut texture, colour);
            }
            let to = ImageBox {
                first_layer: to.first_layer + layer,
                layers: 1,
                ..to
            };
            let Some(format) = write_method.render_format else {
                self.dispatch_blit(
                    (kind, &write_method),
                    texture,
                    (destination, &to),
                    false,
                    push,
                )?;
                continue;
            };
            let drawn = match write_method.numbers {
                TexelConversion::Integers => DrawShader::First,
                _ => DrawShader::Joined { samples_log2 },
            };
            let to_draw = |handle, _| {
                let [left, top, _] = from.offset_px;
                let [x, y, _] = to.offset_px;
                [
                    handle,
                    left.wrapping_sub(x),
                    top.wrapping_sub(y),
                    has_no_mcs,
                ]
            };
            let box_to = (destination, &to, ccs_mode);
            self.draw_blit((drawn, format), texture, box_to, false, to_draw)?;
        }
        self.separate_formats(part_from, format_from);
        Ok(write_method.render_format.is_some())
    }

    /// Performs a resolve at the end of a rendering: colours are averaged, depth and stencil take
    /// one sample or an extreme. `clear_colour` is as for [`CommandBuffer::resolve_samples`].
    /// Returns true if the destination was drawn to.
    pub(super) fn resolve_target(
        &mut self,
        resolve: &Resolve,
        cleared: Option<[u32; 4]>,
    ) -> Result<bool> {
        let (source, destination) = (&*resolve.from.image, &*resolve.to.image);
        let area = crate::graphics::convert::area(&resolve.area);
        let (first, count) = resolve.layers;
        let from = ImageBox {
            aspect: resolve.aspect,
            level: resolve.from.level,
            first_layer: resolve.from.first_layer + first,
            layers: count.max(1),
            offset_px: [area.x, area.y, 0],
            extent_px: [area.width, area.height, 1],
        };
        let to = ImageBox {
            level: resolve.to.level,
            first_layer: resolve.to.first_layer + first,
            ..from
        };
        if resolve.aspect != api::ImageAspectFlags::COLOR {
            self.choose_samples((source, &from), (destination, &to), resolve.choice)?;
            return Ok(false);
        }
        let format = resolve.from.format.aspect_format(resolve.aspect);
        let format = format.ok_or(Error::FormatNotSupported)?;
        self.resolve_samples(
            (source, &from, format),
            (destination, &to, resolve.to.format),
            resolve.encoded,
            cleared,
            match resolve.may_hold_aux[1] {
                true => CcsMode::Compressed,
                false => CcsMode::FastClear,
            },
        )
    }

    /// Resolves depth or stencil by choosing one value of a pixel's samples.
    fn choose_samples(
        &mut self,
        (source, from): (&Image, &ImageBox),
        (destination, to): (&Image, &ImageBox),
        choice: ResolveMode,
    ) -> Result<()> {
        let part_from = source.aspect_part(from.aspect)?;
        let part_to = destination.aspect_part(to.aspect)?;
        from.check_bounds(source)?;
        let kind = element_type(part_from.format);
        let byte_order = super::image::byte_order(part_to.surface.tiling)?;
        if choice != ResolveMode::SampleZero && byte_order != kind.order() {
            return Err(Error::InvalidUse {
                why: "a depth or stencil resolve to an image with another tiling",
            });
        }
        if source.samples() == 1 || part_to.surface.block != part_from.surface.block {
            return Err(Error::InvalidUse {
                why: "a resolve of a single-sampled image, or to another format",
            });
        }
        let (plane, extent) = to.plane_and_extent(destination, part_to)?;
        let [left, top, _] = from.offset_px;
        let chosen = (choice, kind, source.samples().ilog2());
        let launches = blit::resolve_depth_stencil(chosen, [left, top], plane, extent);
        self.read_samples(source, from, part_from, &launches)
    }

    /// Dispatches shaders that read samples of a box as bits of a texture and write bytes; with
    /// each, the slice of the box at which its texture starts.
    pub(super) fn read_samples(
        &mut self,
        source: &Image,
        from: &ImageBox,
        part_from: &ImagePlane,
        launches: &[(u32, Launch)],
    ) -> Result<()> {
        let format = uint_format(part_from.surface.block.bits)?;
        self.separate_formats(part_from, format);
        for (slice, launch) in launches {
            let texture = SurfaceView {
                format,
                viewer: SurfaceUsage::Sampler,
                swizzle: IDENTITY_SWIZZLE,
                level: from.level,
                first_layer: from.first_layer + slice,
                layers: from.layers - slice,
                volume: false,
            };
            let Some(span) = launch.buffers().last() else {
                continue;
            };
            let surfaces = [
                pack_surface(source, part_from, &texture)?,
                surface_state::buffer(surface_state::BufferDescriptor {
                    address: span.address,
                    bytes: span.bytes,
                }),
            ];
            let handle = self.surfaces.write(&self.context, &surfaces)?;
            let handles = [handle, handle + (SURFACE_BYTES << 6)];
            self.dispatch_meta_on(launch.shader, &handles, &launch.push_dw, launch.groups)?;
        }
        self.separate_formats(part_from, format);
        Ok(())
    }
}
