//! Commands outside drawing: copies, scaling, clearing, resolving.

use super::recorder::Recorder;
use super::{Buffer, Error, Gpu, Image, Use};
use ash::vk;

/// The layers of one level of an image.
pub(super) fn layers_of(image: &Image, mip_level: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: image.aspects(),
        mip_level,
        base_array_layer: 0,
        layer_count: image.info.layers,
    }
}

fn extent([width, height, depth]: [u32; 3]) -> vk::Extent3D {
    vk::Extent3D {
        width,
        height,
        depth,
    }
}

impl Gpu {
    /// All layers of one level of an image, of one aspect, without gaps.
    pub fn read_level(
        &self,
        image: &Image,
        mip: u32,
        aspect: vk::ImageAspectFlags,
    ) -> Result<Vec<u8>, Error> {
        let buffer = self.empty_buffer(image.info.level_bytes(mip, aspect)?)?;
        self.run(|r| {
            r.copy_to_buffer(image, mip, aspect, &buffer);
            Ok(())
        })?;
        self.contents(&buffer)
    }

    /// The first level of an image of colours.
    pub fn read(&self, image: &Image) -> Result<Vec<u8>, Error> {
        self.read_level(image, 0, vk::ImageAspectFlags::COLOR)
    }

    /// Fills one level of an image, all layers, with texels without gaps.
    pub fn upload<T: bytemuck::NoUninit>(
        &self,
        image: &Image,
        mip: u32,
        texels: &[T],
    ) -> Result<(), Error> {
        let buffer = self.buffer(texels)?;
        self.run(|r| {
            r.copy_to_image(&buffer, image, mip, image.aspects());
            r.use_as(image, Use::Sampled);
            Ok(())
        })
    }
}

impl Recorder<'_> {
    /// Clears a whole image of colours.
    pub fn clear(&self, image: &Image, colour: vk::ClearColorValue) {
        self.use_as(image, Use::CopyTo);
        let range = [vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: image.info.mips,
            base_array_layer: 0,
            layer_count: image.info.layers,
        }];
        // SAFETY: see `Gpu::run`.
        unsafe {
            self.gpu.device.cmd_clear_color_image(
                self.commands,
                image.handle,
                Use::CopyTo.layout(),
                &colour,
                &range,
            );
        }
    }

    /// Copies a level of an image to the start of a buffer.
    pub fn copy_to_buffer(
        &self,
        image: &Image,
        mip: u32,
        aspect: vk::ImageAspectFlags,
        buffer: &Buffer,
    ) {
        self.use_as(image, Use::CopyFrom);
        let region = [vk::BufferImageCopy::default()
            .image_subresource(layers_of(image, mip).aspect_mask(aspect))
            .image_extent(extent(image.info.level_px(mip)))];
        // SAFETY: see `Gpu::run`.
        unsafe {
            self.gpu.device.cmd_copy_image_to_buffer(
                self.commands,
                image.handle,
                Use::CopyFrom.layout(),
                buffer.handle,
                &region,
            );
        }
    }

    /// Copies from the start of a buffer to a level of an image.
    pub fn copy_to_image(
        &self,
        buffer: &Buffer,
        image: &Image,
        mip: u32,
        aspect: vk::ImageAspectFlags,
    ) {
        let region = vk::BufferImageCopy::default()
            .image_subresource(layers_of(image, mip).aspect_mask(aspect))
            .image_extent(extent(image.info.level_px(mip)));
        self.copy_regions_to_image(buffer, image, &[region]);
    }

    /// Copies regions of a buffer to an image.
    pub fn copy_regions_to_image(
        &self,
        buffer: &Buffer,
        image: &Image,
        regions: &[vk::BufferImageCopy],
    ) {
        self.use_as(image, Use::CopyTo);
        // SAFETY: see `Gpu::run`.
        unsafe {
            self.gpu.device.cmd_copy_buffer_to_image(
                self.commands,
                buffer.handle,
                image.handle,
                Use::CopyTo.layout(),
                regions,
            );
        }
    }

    /// Copies regions from one image to another.
    pub fn copy(&self, from: &Image, to: &Image, regions: &[vk::ImageCopy]) {
        self.use_as(from, Use::CopyFrom);
        self.use_as(to, Use::CopyTo);
        // SAFETY: see `Gpu::run`.
        unsafe {
            self.gpu.device.cmd_copy_image(
                self.commands,
                from.handle,
                Use::CopyFrom.layout(),
                to.handle,
                Use::CopyTo.layout(),
                regions,
            );
        }
    }

    /// Scales regions of one image into another.
    pub fn blit(&self, from: &Image, to: &Image, regions: &[vk::ImageBlit], filter: vk::Filter) {
        self.use_as(from, Use::CopyFrom);
        self.use_as(to, Use::CopyTo);
        // SAFETY: see `Gpu::run`.
        unsafe {
            self.gpu.device.cmd_blit_image(
                self.commands,
                from.handle,
                Use::CopyFrom.layout(),
                to.handle,
                Use::CopyTo.layout(),
                regions,
                filter,
            );
        }
    }

    /// Makes one sample of each texel's samples.
    pub fn resolve(&self, from: &Image, to: &Image) {
        self.use_as(from, Use::CopyFrom);
        self.use_as(to, Use::CopyTo);
        let region = [vk::ImageResolve::default()
            .src_subresource(layers_of(from, 0))
            .dst_subresource(layers_of(to, 0))
            .extent(extent(from.info.size_px))];
        // SAFETY: see `Gpu::run`.
        unsafe {
            self.gpu.device.cmd_resolve_image(
                self.commands,
                from.handle,
                Use::CopyFrom.layout(),
                to.handle,
                Use::CopyTo.layout(),
                &region,
            );
        }
    }

    /// Fills all levels below the first, each from the one above it, and leaves the image to be sampled.
    pub fn make_mips(&self, image: &Image) {
        self.use_as(image, Use::CopyTo);
        let level = |mip: u32, old: Use, new: Use| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(new.access())
                .old_layout(old.layout())
                .new_layout(new.layout())
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image.handle)
                .subresource_range(vk::ImageSubresourceRange {
                    aspect_mask: image.aspects(),
                    base_mip_level: mip,
                    level_count: 1,
                    base_array_layer: 0,
                    layer_count: image.info.layers,
                })
        };
        let transfer = vk::PipelineStageFlags::TRANSFER;
        let none = vk::DependencyFlags::empty();
        let corner = |mip| {
            let [x, y, z] = image.info.level_px(mip).map(|size| size as i32);
            [vk::Offset3D::default(), vk::Offset3D { x, y, z }]
        };
        let d = &self.gpu.device;
        for mip in 1..image.info.mips {
            let written = [level(mip - 1, Use::CopyTo, Use::CopyFrom)];
            let region = [vk::ImageBlit::default()
                .src_subresource(layers_of(image, mip - 1))
                .src_offsets(corner(mip - 1))
                .dst_subresource(layers_of(image, mip))
                .dst_offsets(corner(mip))];
            // SAFETY: see `Gpu::run`.
            unsafe {
                d.cmd_pipeline_barrier(self.commands, transfer, transfer, none, &[], &[], &written);
                d.cmd_blit_image(
                    self.commands,
                    image.handle,
                    Use::CopyFrom.layout(),
                    image.handle,
                    Use::CopyTo.layout(),
                    &region,
                    vk::Filter::LINEAR,
                );
            }
        }
        let last = image.info.mips - 1;
        let barriers: Vec<_> = (0..=last)
            .map(|mip| match mip {
                mip if mip == last => level(mip, Use::CopyTo, Use::Sampled),
                mip => level(mip, Use::CopyFrom, Use::Sampled),
            })
            .collect();
        // SAFETY: see `Gpu::run`.
        unsafe {
            d.cmd_pipeline_barrier(
                self.commands,
                transfer,
                Use::Sampled.stages(),
                none,
                &[],
                &[],
                &barriers,
            );
        }
        image.used.set(Use::Sampled);
    }
}
