//! Copies, clears, blits and resolves, outside renderings.

use ash::vk;

use super::{Recorder, colour, layer, level_of, transition};
use crate::object::{Buffer, Image, Kind, TEXEL_BYTES};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

impl Recorder<'_> {
    /// Records a transfer, unless no objects fit the one that is drawn.
    pub(super) fn transfer(&mut self, to: vk::CommandBuffer) {
        let objects = self.objects;
        let from = self.random.pick(&objects.buffers);
        let into = self
            .random
            .pick_where(&objects.buffers, |b| b.buffer != from.buffer)
            .expect("two");
        let image = self.random.pick(&objects.images);
        match self.random.below(9) {
            0 => self.fill_buffer(to, into),
            1 => self.update_buffer(to, into),
            2 => self.copy_buffer(to, from, into),
            3 | 4 if image.single() => self.copy_image_and_buffer(to, image),
            5 => self.clear_image(to, image),
            6 => self.copy_image(to, image),
            7 => self.blit_image(to, image),
            _ => self.resolve_image(to),
        }
    }

    fn fill_buffer(&mut self, to: vk::CommandBuffer, into: &Buffer) {
        let random = &mut self.random;
        let at = random.below(into.bytes / 4) * 4;
        let value = random.next() as u32;
        let d = &self.world.device;
        unsafe { d.cmd_fill_buffer(to, into.buffer, at, vk::WHOLE_SIZE, value) };
    }

    fn update_buffer(&mut self, to: vk::CommandBuffer, into: &Buffer) {
        let random = &mut self.random;
        let data: Vec<u8> = (0..random.range(1, 64) * 4)
            .map(|_| random.next() as u8)
            .collect();
        let at = random.below(512) * 4;
        let d = &self.world.device;
        unsafe { d.cmd_update_buffer(to, into.buffer, at, &data) };
    }

    fn copy_buffer(&mut self, to: vk::CommandBuffer, from: &Buffer, into: &Buffer) {
        let random = &mut self.random;
        let bytes = 1 + random.below(from.bytes.min(into.bytes) / 2);
        let region = vk::BufferCopy {
            src_offset: random.below(64),
            dst_offset: random.below(64),
            size: bytes,
        };
        let d = &self.world.device;
        unsafe { d.cmd_copy_buffer(to, from.buffer, into.buffer, &[region]) };
    }

    /// Copies between a level of the image and a buffer, one way or the other.
    fn copy_image_and_buffer(&mut self, to: vk::CommandBuffer, image: &Image) {
        let d = &self.world.device;
        let objects = self.objects;
        let random = &mut self.random;
        unsafe {
            let (level, width, height) = level_of(random, image);
            // One aspect; a buffer that is large enough for the largest texels.
            let aspects = match image.aspects.contains(vk::ImageAspectFlags::DEPTH) {
                true => vk::ImageAspectFlags::DEPTH,
                false => image.aspects,
            };
            let bytes = u64::from(width * height) * TEXEL_BYTES;
            let Some(buffer) = random.pick_where(&objects.buffers, |b| b.bytes >= bytes + 64)
            else {
                return;
            };
            let region = [vk::BufferImageCopy::default()
                .buffer_offset(random.below(8) * 8)
                .image_subresource(layer(random, image, level).aspect_mask(aspects))
                .image_extent(vk::Extent3D {
                    width,
                    height,
                    depth: 1,
                })];
            match random.one_in(2) {
                // Depth that is no number between 0 and 1 must not be written.
                true if image.kind != Kind::Depth => {
                    d.cmd_copy_buffer_to_image(to, buffer.buffer, image.image, GENERAL, &region);
                }
                _ => d.cmd_copy_image_to_buffer(to, image.image, GENERAL, buffer.buffer, &region),
            }
        }
    }

    /// Clears the whole image.
    fn clear_image(&mut self, to: vk::CommandBuffer, image: &Image) {
        let d = &self.world.device;
        let random = &mut self.random;
        unsafe {
            let range = [image.range()];
            if image.kind == Kind::Depth {
                let value = vk::ClearDepthStencilValue {
                    depth: random.unit(),
                    stencil: random.range(0, 255),
                };
                d.cmd_clear_depth_stencil_image(to, image.image, GENERAL, &value, &range);
            } else {
                d.cmd_clear_color_image(
                    to,
                    image.image,
                    GENERAL,
                    &colour(random, image.kind),
                    &range,
                );
            }
        }
    }

    /// Copies the image to another of its format and sample count.
    fn copy_image(&mut self, to: vk::CommandBuffer, image: &Image) {
        let d = &self.world.device;
        let objects = self.objects;
        let random = &mut self.random;
        unsafe {
            let same = |other: &Image| {
                other.image != image.image
                    && other.format == image.format
                    && other.samples == image.samples
            };
            let Some(other) = random.pick_where(&objects.images, |other| same(other)) else {
                return;
            };
            // All images of a round have one size.
            let region = [vk::ImageCopy::default()
                .src_subresource(layer(random, image, 0))
                .dst_subresource(layer(random, other, 0))
                .extent(vk::Extent3D {
                    width: image.width,
                    height: image.height,
                    depth: 1,
                })];
            d.cmd_copy_image(to, image.image, GENERAL, other.image, GENERAL, &region);
        }
    }

    /// Blits a level of the image to another of its kind.
    fn blit_image(&mut self, to: vk::CommandBuffer, image: &Image) {
        let d = &self.world.device;
        let objects = self.objects;
        let random = &mut self.random;
        unsafe {
            let fits = |other: &Image| {
                other.image != image.image
                    && other.kind == image.kind
                    && other.single()
                    && other.features.contains(vk::FormatFeatureFlags::BLIT_DST)
            };
            let whole = image.features.contains(vk::FormatFeatureFlags::BLIT_SRC)
                && image.single()
                && image.kind != Kind::Depth;
            let Some(other) = random
                .pick_where(&objects.images, |other| fits(other))
                .filter(|_| whole)
            else {
                return;
            };
            let (level, width, height) = level_of(random, image);
            let (other_level, other_width, other_height) = level_of(random, other);
            let corner = |width: u32, height: u32| vk::Offset3D {
                x: width as i32,
                y: height as i32,
                z: 1,
            };
            let start = vk::Offset3D::default();
            let region = [vk::ImageBlit::default()
                .src_subresource(layer(random, image, level))
                .src_offsets([start, corner(width, height)])
                .dst_subresource(layer(random, other, other_level))
                .dst_offsets([start, corner(other_width, other_height)])];
            d.cmd_blit_image(
                to,
                image.image,
                GENERAL,
                other.image,
                GENERAL,
                &region,
                vk::Filter::NEAREST,
            );
        }
    }

    /// Resolves some multisampled image.
    fn resolve_image(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        let objects = self.objects;
        let random = &mut self.random;
        unsafe {
            let many = |image: &&Image| !image.single() && image.kind != Kind::Depth;
            let Some(many) = random.pick_where(&objects.images, |image| many(&image)) else {
                return;
            };
            let fits = |other: &Image| other.single() && other.format == many.format;
            let Some(other) = random.pick_where(&objects.images, |other| fits(other)) else {
                return;
            };
            let region = [vk::ImageResolve::default()
                .src_subresource(layer(random, many, 0))
                .dst_subresource(layer(random, other, 0))
                .extent(vk::Extent3D {
                    width: many.width,
                    height: many.height,
                    depth: 1,
                })];
            let (read, written) = (
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                vk::ImageLayout::TRANSFER_DST_OPTIMAL,
            );
            transition(d, to, many, GENERAL, read);
            transition(d, to, other, GENERAL, written);
            d.cmd_resolve_image(to, many.image, read, other.image, written, &region);
            transition(d, to, many, read, GENERAL);
            transition(d, to, other, written, GENERAL);
        }
    }
}
