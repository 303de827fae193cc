//! Images scaled into others, and samples joined.
//!
//! In:  images, and regions as Vulkan has them. Out: launches of shaders that read a texture and write a storage image.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images"; SKL PRM vol. 5, "3D Surfaces": slices lie as
//! layers do.

use ash::vk as api;
use blit::{GROUP_X, GROUP_Y, Numbers, Picture, Shader};
use cmd::Pending;
use cmd::image::{ImageView, STRAIGHT, Select, Viewer};
use surface::{Dim, Surface};

use super::buffer::CommandBuffer;
use super::image::ImageBox;
use super::target::Resolve;
use crate::context::SAMPLER_BASE_BYTES;
use crate::error::{Error, Result};
use crate::image::{Image, Part};
use crate::sampler;
use crate::surface_state::{self, SURFACE_BYTES};

/// A box that is scaled into another.
#[derive(Clone, Copy, Debug)]
pub struct Scaled {
    /// Part, level and layers of the source.
    pub from: api::ImageSubresourceLayers,
    /// Its corners.
    pub from_px: [api::Offset3D; 2],
    /// Part, level and layers of the destination.
    pub to: api::ImageSubresourceLayers,
    /// Its corners.
    pub to_px: [api::Offset3D; 2],
}

/// What a texture or picture is seen as.
#[derive(Clone, Copy, Debug)]
struct Seen {
    format: &'static hw::Format,
    viewer: Viewer,
    swizzle: [Select; 4],
    level: u32,
    first_layer: u32,
    layers: u32,
    /// As the volume it is; else slices are layers.
    volume: bool,
}

/// The surface state of some layers of a level.
fn words(image: &Image, part: &Part, seen: &Seen) -> Result<surface_state::Surface> {
    let address = image.address()? + part.offset_bytes;
    let mut surface: Surface = part.surface;
    let mut view = ImageView {
        surface: &part.surface,
        address,
        format: seen.format,
        viewer: seen.viewer,
        cube: false,
        first_level: seen.level,
        levels: 1,
        first_layer: seen.first_layer,
        layers: seen.layers,
        swizzle: seen.swizzle,
        within_el: [0; 2],
        min_lod: 0.0,
        control: image.control(part)?,
    };
    match surface.dim {
        Dim::D2 => return Ok(view.words()),
        Dim::D3 if seen.volume => {
            view.first_layer = 0;
            return Ok(view.words());
        }
        Dim::D3 => surface = surface.planes(),
        Dim::D1 => {
            // A level of a line as a plane of one row.
            let place = surface.place(seen.level, seen.first_layer);
            surface.extent_px = image.level_extent_px(seen.level);
            surface.align_el = [4, 4];
            view.address += place.offset_bytes;
            (view.first_level, view.first_layer, view.layers) = (0, 0, 1);
        }
    }
    surface.dim = Dim::D2;
    let view = ImageView {
        surface: &surface,
        ..view
    };
    Ok(view.words())
}

/// How a destination's numbers are written, and the format that the data port converts to.
fn written(format: &'static hw::Format) -> Result<(Numbers, &'static hw::Format)> {
    let name = format.name;
    if name.contains("UINT") || name.contains("SINT") {
        return Ok((Numbers::Integers, format));
    }
    match crate::format::without_srgb(format) {
        Some(plain) => Ok((Numbers::Srgb, plain)),
        None if name.ends_with("_SRGB") => Err(Error::FormatNotSupported),
        None => Ok((Numbers::Floats, format)),
    }
}

/// A corner, and the way to the other.
fn span(corners: &[api::Offset3D; 2], axis: usize) -> [i32; 2] {
    let of = |corner: &api::Offset3D| [corner.x, corner.y, corner.z][axis];
    [of(&corners[0]), of(&corners[1])]
}

impl CommandBuffer {
    /// Launches a picture's shader for columns, rows and layers.
    fn picture(
        &mut self,
        picture: Picture,
        surfaces: [surface_state::Surface; 2],
        linear: bool,
        push: impl FnOnce(u32) -> [u32; 11],
        [columns, rows, layers]: [u32; 3],
    ) -> Result<()> {
        if columns == 0 || rows == 0 || layers == 0 {
            return Ok(());
        }
        let [texture, image] = surfaces;
        let state = sampler::in_piece(sampler::scaling(linear));
        let handle = self.surfaces.put(&self.context, &[texture, image, state])?;
        let sampler = (handle >> 6) + 2 * SURFACE_BYTES + SAMPLER_BASE_BYTES;
        // What the texture cache holds may be older than what was copied or drawn.
        self.recorder.barrier(Pending::INVALIDATE_TEXTURE);
        let groups = [columns.div_ceil(GROUP_X), rows.div_ceil(GROUP_Y), layers];
        let handles = [handle, handle + (SURFACE_BYTES << 6)];
        self.launch_on(Shader::Picture(picture), &handles, &push(sampler), groups)
    }

    /// Scales a box of an image into a box of another.
    pub fn scale(
        &mut self,
        source: &Image,
        destination: &Image,
        region: &Scaled,
        filter: api::Filter,
    ) -> Result<()> {
        let part_from = source.part(region.from.aspect_mask)?;
        let part_to = destination.part(region.to.aspect_mask)?;
        let volume = |image: &Image| image.info.question.dimension == api::ImageType::TYPE_3D;
        let (from_volume, to_volume) = (volume(source), volume(destination));
        // Both boxes are in their images, whichever way their corners are.
        let checked = |image: &Image, part: &api::ImageSubresourceLayers, corners| {
            let spans = [0, 1, 2].map(|axis| span(corners, axis));
            let [x, y, z] = spans.map(|[a, b]| a.min(b));
            let [width, height, depth] = spans.map(|[a, b]| a.abs_diff(b));
            let offset = api::Offset3D { x, y, z };
            let extent = api::Extent3D {
                width,
                height,
                depth,
            };
            let inside = ImageBox::new(part, &offset, &extent, image)?;
            inside.check(image)?;
            Ok::<_, Error>(inside)
        };
        let from = checked(source, &region.from, &region.from_px)?;
        let to = checked(destination, &region.to, &region.to_px)?;
        let (numbers, format) = written(part_to.format)?;
        let (first, layers) = match to_volume {
            true => (to.offset_px[2], to.extent_px[2]),
            false => (to.first_layer, to.layers),
        };
        let level = source.level_extent_px(from.level);
        // The coordinate of the first place, and the way to the next; of layers they are numbers, else parts of the whole.
        let along = |axis: usize| {
            let [a, b] = span(&region.from_px, axis).map(|at| at as f32);
            let [c, d] = span(&region.to_px, axis).map(|at| at as f32);
            if c == d {
                return [0.0; 2];
            }
            let step = (b - a) / (d - c);
            let first = a + (c.min(d) + 0.5 - c) * step;
            [first, step].map(|value| value / level[axis] as f32)
        };
        let [x, y] = [along(0), along(1)];
        let z = match from_volume {
            true => along(2),
            false => [0.0, 1.0],
        };
        let [columns, rows, _] = to.extent_px;
        let mut texture = Seen {
            format: part_from.format,
            viewer: Viewer::Sampler,
            swizzle: source.format.swizzle,
            level: from.level,
            first_layer: if from_volume { 0 } else { from.first_layer },
            layers: if from_volume { 1 } else { from.layers },
            volume: from_volume,
        };
        let mut picture = Seen {
            format,
            viewer: Viewer::Storage,
            swizzle: STRAIGHT,
            level: to.level,
            first_layer: first,
            layers,
            volume: false,
        };
        // Lines go one by one.
        let line = |part: &Part| part.surface.dim == Dim::D1;
        let one_by_one = line(part_from) || line(part_to);
        let (rounds, at_once) = if one_by_one { (layers, 1) } else { (1, layers) };
        for round in 0..rounds {
            if one_by_one {
                (texture.first_layer, texture.layers) = (from.first_layer + round, 1);
                (picture.first_layer, picture.layers) = (first + round, 1);
            }
            let surfaces = [
                words(source, part_from, &texture)?,
                words(destination, part_to, &picture)?,
            ];
            let kind = Picture::Scaled {
                volume: from_volume,
                numbers,
            };
            let push = |sampler| {
                let bits = f32::to_bits;
                let [left, top, _] = to.offset_px;
                [
                    left,
                    top,
                    columns,
                    rows,
                    bits(x[0]),
                    bits(x[1]),
                    bits(y[0]),
                    bits(y[1]),
                    bits(z[0]),
                    bits(z[1]),
                    sampler,
                ]
            };
            let linear = filter == api::Filter::LINEAR;
            self.picture(kind, surfaces, linear, push, [columns, rows, at_once])?;
        }
        Ok(())
    }

    /// Joins the samples of a box of an image into pixels of another; `to` says where it begins alone.
    pub fn resolve(
        &mut self,
        source: &Image,
        from: &ImageBox,
        destination: &Image,
        to: &ImageBox,
    ) -> Result<()> {
        let formats = [source.part(from.aspect)?, destination.part(to.aspect)?];
        self.join(
            (source, from, formats[0].format),
            (destination, to, formats[1].format),
        )
    }

    /// Joins samples seen in a format into pixels of another.
    fn join(
        &mut self,
        (source, from, format_from): (&Image, &ImageBox, &'static hw::Format),
        (destination, to, format_to): (&Image, &ImageBox, &'static hw::Format),
    ) -> Result<()> {
        let part_from = source.part(from.aspect)?;
        let part_to = destination.part(to.aspect)?;
        let to = ImageBox {
            extent_px: from.extent_px,
            layers: from.layers,
            ..*to
        };
        from.check(source)?;
        to.check(destination)?;
        let (numbers, format) = written(format_to)?;
        let samples_log2 = source.samples().ilog2();
        if samples_log2 == 0 {
            return Err(Error::InvalidUse {
                why: "a resolve of an image of one sample",
            });
        }
        let texture = Seen {
            format: format_from,
            viewer: Viewer::Sampler,
            swizzle: source.format.swizzle,
            level: from.level,
            first_layer: from.first_layer,
            layers: from.layers,
            volume: false,
        };
        let picture = Seen {
            format,
            viewer: Viewer::Storage,
            swizzle: STRAIGHT,
            level: to.level,
            first_layer: to.first_layer,
            layers: to.layers,
            volume: false,
        };
        let surfaces = [
            words(source, part_from, &texture)?,
            words(destination, part_to, &picture)?,
        ];
        let kind = Picture::Joined {
            samples_log2,
            numbers,
        };
        let [columns, rows, _] = from.extent_px;
        let push = |_| {
            let ([left, top, _], [from_left, from_top, _]) = (to.offset_px, from.offset_px);
            [left, top, columns, rows, from_left, from_top, 0, 0, 0, 0, 0]
        };
        self.picture(kind, surfaces, false, push, [columns, rows, from.layers])
    }

    /// Resolves a target at the end of a rendering: colours are joined, of depth and stencil the first sample is taken.
    pub(super) fn resolve_target(&mut self, resolve: &Resolve) -> Result<()> {
        let (source, destination) = (&*resolve.from.image, &*resolve.to.image);
        let area = crate::graphics::convert::area(&resolve.area);
        let from = ImageBox {
            aspect: resolve.aspect,
            level: resolve.from.level,
            first_layer: resolve.from.first_layer,
            layers: resolve.layers.max(1),
            offset_px: [area.x, area.y, 0],
            extent_px: [area.width, area.height, 1],
        };
        let to = ImageBox {
            level: resolve.to.level,
            first_layer: resolve.to.first_layer,
            ..from
        };
        if resolve.aspect != api::ImageAspectFlags::COLOR {
            return self.first_samples(source, &from, destination, &to);
        }
        let [Some(format_from), Some(format_to)] =
            [&resolve.from, &resolve.to].map(|seen| seen.format.part(resolve.aspect))
        else {
            return Err(Error::FormatNotSupported);
        };
        self.join((source, &from, format_from), (destination, &to, format_to))
    }

    /// Copies the first sample of depth or stencil, bit by bit.
    fn first_samples(
        &mut self,
        source: &Image,
        from: &ImageBox,
        destination: &Image,
        to: &ImageBox,
    ) -> Result<()> {
        let part_from = source.part(from.aspect)?;
        let part_to = destination.part(to.aspect)?;
        from.check(source)?;
        let bytes = part_from.surface.block.bytes();
        // R8_UINT, R16_UINT, R32_UINT: the bits as they are.
        let number = match bytes {
            1 => 0x143,
            2 => 0x10d,
            4 => 0x0d7,
            _ => return Err(Error::FormatNotSupported),
        };
        let format = hw::Format::by_number(number).ok_or(Error::FormatNotSupported)?;
        if source.samples() == 1 || part_to.surface.block != part_from.surface.block {
            return Err(Error::InvalidUse {
                why: "a resolve of an image of one sample, or to another format",
            });
        }
        let (plane, extent) = to.place(destination, part_to)?;
        let [left, top, _] = from.offset_px;
        let launches = blit::first_samples([left, top], plane, extent, bytes.ilog2());
        for (slice, launch) in launches {
            let texture = Seen {
                format,
                viewer: Viewer::Sampler,
                swizzle: STRAIGHT,
                level: from.level,
                first_layer: from.first_layer + slice,
                layers: from.layers - slice,
                volume: false,
            };
            let Some(span) = launch.buffers().last() else {
                continue;
            };
            let surfaces = [
                words(source, part_from, &texture)?,
                surface_state::buffer(surface_state::BufferDescriptor {
                    address: span.address,
                    bytes: span.bytes,
                }),
            ];
            let handle = self.surfaces.put(&self.context, &surfaces)?;
            self.recorder.barrier(Pending::INVALIDATE_TEXTURE);
            let handles = [handle, handle + (SURFACE_BYTES << 6)];
            self.launch_on(launch.shader, &handles, &launch.push_dw, launch.groups)?;
        }
        Ok(())
    }
}
