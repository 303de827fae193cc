//! Transfer commands: copies, blits, clears, resolves.

use crate::vulkan::error::Error;
use crate::vulkan::gpu::Gpu;
use crate::vulkan::memory::{Buffer, Image, Use};
use crate::vulkan::recorder::Recorder;
use ash::vk;

/// All layers of a mip level.
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
    /// Reads one aspect of all layers of a mip level, tightly packed.
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

    /// Reads the first mip level of a colour image.
    pub fn read(&self, image: &Image) -> Result<Vec<u8>, Error> {
        self.read_level(image, 0, vk::ImageAspectFlags::COLOR)
    }

    /// Uploads tightly packed texels to all layers of a mip level.
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
    /// Clears all of a colour image.
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

    /// Copies a mip level to the start of a buffer.
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

    /// Copies from the start of a buffer to a mip level.
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

    /// Blits regions of one image to another.
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

    /// Resolves a multisampled image into a single-sampled one.
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

    /// Generates all mip levels but the first, each from the next larger one, and transitions the
    /// image for sampling.
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
