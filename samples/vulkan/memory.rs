//! Buffers, images, views and samplers.
//!
//! Each resource has its own allocation; a program with thousands of them would suballocate from a
//! few large blocks.

use crate::vulkan::error::{Error, check};
use crate::vulkan::format::{aspects, texel_bytes};
use crate::vulkan::gpu::{Gpu, Owned};
use ash::vk;
use std::cell::Cell;
use std::rc::Rc;

/// A buffer in host-visible memory with all usages.
#[derive(Clone, Copy)]
pub struct Buffer {
    /// Vulkan's handle.
    pub handle: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Size in bytes.
    pub len_bytes: u64,
}

/// How commands use an image: determines layout, access and stages of barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Undefined contents.
    Nothing,
    /// A colour attachment.
    Color,
    /// A depth or stencil attachment.
    Depth,
    /// Read by shaders through a sampler.
    Sampled,
    /// Read and written by shaders as a storage image.
    Storage,
    /// Source of copies.
    CopyFrom,
    /// Destination of copies.
    CopyTo,
}

impl Use {
    pub(super) fn layout(self) -> vk::ImageLayout {
        match self {
            Use::Nothing => vk::ImageLayout::UNDEFINED,
            Use::Color => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            Use::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            Use::Sampled => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            Use::Storage => vk::ImageLayout::GENERAL,
            Use::CopyFrom => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            Use::CopyTo => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        }
    }

    pub(super) fn access(self) -> vk::AccessFlags {
        use vk::AccessFlags as A;
        match self {
            Use::Nothing => A::empty(),
            Use::Color => A::COLOR_ATTACHMENT_READ | A::COLOR_ATTACHMENT_WRITE,
            Use::Depth => A::DEPTH_STENCIL_ATTACHMENT_READ | A::DEPTH_STENCIL_ATTACHMENT_WRITE,
            Use::Sampled => A::SHADER_READ,
            Use::Storage => A::SHADER_READ | A::SHADER_WRITE,
            Use::CopyFrom => A::TRANSFER_READ,
            Use::CopyTo => A::TRANSFER_WRITE,
        }
    }

    pub(super) fn stages(self) -> vk::PipelineStageFlags {
        use vk::PipelineStageFlags as S;
        match self {
            Use::Nothing => S::TOP_OF_PIPE,
            Use::Color => S::COLOR_ATTACHMENT_OUTPUT,
            Use::Depth => S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS,
            Use::Sampled | Use::Storage => S::ALL_GRAPHICS | S::COMPUTE_SHADER,
            Use::CopyFrom | Use::CopyTo => S::TRANSFER,
        }
    }

    /// True if this use after itself needs no barrier.
    pub(super) fn reads_only(self) -> bool {
        matches!(self, Use::Sampled | Use::CopyFrom)
    }
}

/// Description of an image, with builder functions.
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo {
    /// Type of the default view.
    pub kind: vk::ImageViewType,
    /// Format.
    pub format: vk::Format,
    /// Width, height, depth.
    pub size_px: [u32; 3],
    /// Number of mip levels.
    pub mips: u32,
    /// Number of array layers; six for each cube.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Usage flags.
    pub usage: vk::ImageUsageFlags,
    /// Formats of its views (VkImageFormatListCreateInfo); empty: only its own.
    pub views: &'static [vk::Format],
}

impl ImageInfo {
    /// A 2D image that can be sampled and copied.
    pub fn new(format: vk::Format, width: u32, height: u32) -> Self {
        ImageInfo {
            kind: vk::ImageViewType::TYPE_2D,
            format,
            size_px: [width, height, 1],
            mips: 1,
            layers: 1,
            samples: 1,
            usage: vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST,
            views: &[],
        }
    }

    /// Adds usage as an attachment.
    pub fn target(mut self) -> Self {
        self.usage |= match aspects(self.format) {
            vk::ImageAspectFlags::COLOR => vk::ImageUsageFlags::COLOR_ATTACHMENT,
            _ => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        };
        self
    }

    /// Adds usage as a storage image.
    pub fn storage(mut self) -> Self {
        self.usage |= vk::ImageUsageFlags::STORAGE;
        self
    }

    /// Adds usage as an input attachment.
    pub fn input(mut self) -> Self {
        self.usage |= vk::ImageUsageFlags::INPUT_ATTACHMENT;
        self
    }

    /// Sets the formats of its views.
    pub fn views(mut self, formats: &'static [vk::Format]) -> Self {
        self.views = formats;
        self
    }

    /// Sets the number of mip levels.
    pub fn mips(mut self, mips: u32) -> Self {
        self.mips = mips;
        self
    }

    /// Sets the number of samples.
    pub fn samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// Makes it an array image.
    pub fn array(mut self, layers: u32) -> Self {
        self.layers = layers;
        self.kind = match self.kind {
            vk::ImageViewType::TYPE_1D => vk::ImageViewType::TYPE_1D_ARRAY,
            vk::ImageViewType::CUBE => vk::ImageViewType::CUBE_ARRAY,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        self
    }

    /// Makes it a cube.
    pub fn cube(mut self) -> Self {
        self.layers = 6;
        self.kind = vk::ImageViewType::CUBE;
        self
    }

    /// Makes it a 1D image.
    pub fn line(mut self) -> Self {
        self.size_px[1] = 1;
        self.kind = vk::ImageViewType::TYPE_1D;
        self
    }

    /// Makes it a 3D image.
    pub fn volume(mut self, depth: u32) -> Self {
        self.size_px[2] = depth;
        self.kind = vk::ImageViewType::TYPE_3D;
        self
    }

    /// Width, height and depth of a mip level in texels.
    pub fn level_px(&self, mip: u32) -> [u32; 3] {
        self.size_px.map(|size| (size >> mip).max(1))
    }

    /// Size in bytes of one aspect of all layers of a mip level, tightly packed in a buffer.
    pub fn level_bytes(&self, mip: u32, aspect: vk::ImageAspectFlags) -> Result<u64, Error> {
        let (bytes, side) = texel_bytes(self.format, aspect)?;
        let [width, height, depth] = self.level_px(mip);
        let blocks = u64::from(width.div_ceil(side)) * u64::from(height.div_ceil(side));
        Ok(bytes * blocks * u64::from(depth) * u64::from(self.layers))
    }
}

/// An image with its memory and a view of all of it.
#[derive(Clone)]
pub struct Image {
    /// Vulkan's handle.
    pub handle: vk::Image,
    /// View of all levels, layers and aspects.
    pub view: vk::ImageView,
    /// Description.
    pub info: ImageInfo,
    /// Its use by the last recorded command.
    pub(super) used: Rc<Cell<Use>>,
}

/// Description of an image view.
#[derive(Clone, Copy, Debug)]
pub struct ViewInfo {
    /// View type.
    pub kind: vk::ImageViewType,
    /// Format.
    pub format: vk::Format,
    /// Aspects.
    pub aspect: vk::ImageAspectFlags,
    /// First mip level, number of levels.
    pub mips: (u32, u32),
    /// First array layer, number of layers.
    pub layers: (u32, u32),
    /// Swizzle.
    pub swizzle: vk::ComponentMapping,
}

impl Image {
    /// Description of the default view, as a start for others.
    pub fn view_info(&self) -> ViewInfo {
        ViewInfo {
            kind: self.info.kind,
            format: self.info.format,
            aspect: aspects(self.info.format),
            mips: (0, self.info.mips),
            layers: (0, self.info.layers),
            swizzle: vk::ComponentMapping::default(),
        }
    }

    /// Aspects of its format.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        aspects(self.info.format)
    }
}

impl Gpu {
    /// Creates a buffer that contains `data`.
    pub fn buffer<T: bytemuck::NoUninit>(&self, data: &[T]) -> Result<Buffer, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.empty_buffer(bytes.len() as u64)?;
        self.write(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Creates a buffer of zeros.
    pub fn empty_buffer(&self, len_bytes: u64) -> Result<Buffer, Error> {
        use vk::BufferUsageFlags as U;
        let usage = U::TRANSFER_SRC
            | U::TRANSFER_DST
            | U::UNIFORM_TEXEL_BUFFER
            | U::STORAGE_TEXEL_BUFFER
            | U::UNIFORM_BUFFER
            | U::STORAGE_BUFFER
            | U::INDEX_BUFFER
            | U::VERTEX_BUFFER
            | U::INDIRECT_BUFFER
            | self.draw_extensions.usage
            | self.transform_feedback.usage;
        let info = vk::BufferCreateInfo::default().size(len_bytes).usage(usage);
        // SAFETY: structures live until calls return; what is made is owned by the device at once,
        // here and below.
        let handle = unsafe { self.device.create_buffer(&info, None) };
        let handle = check("vkCreateBuffer", handle)?;
        self.own(Owned::Buffer(handle));
        // SAFETY: the buffer is of this device.
        let needs = unsafe { self.device.get_buffer_memory_requirements(handle) };
        use vk::MemoryPropertyFlags as M;
        let memory = self.allocate(needs, M::HOST_VISIBLE | M::HOST_COHERENT)?;
        // SAFETY: the memory is the buffer's own, and large enough.
        let bound = unsafe { self.device.bind_buffer_memory(handle, memory, 0) };
        check("vkBindBufferMemory", bound)?;
        let buffer = Buffer {
            handle,
            memory,
            len_bytes,
        };
        self.write(&buffer, 0, &vec![0_u8; len_bytes as usize])?;
        Ok(buffer)
    }

    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        properties: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Error> {
        let types = self.memory.memory_types_as_slice().iter().enumerate();
        let fits = |(i, kind): &(usize, &vk::MemoryType)| {
            needs.memory_type_bits >> i & 1 == 1 && kind.property_flags.contains(properties)
        };
        let Some((index, _)) = types.into_iter().find(fits) else {
            return Err(Error::Unsupported(format!("no memory is {properties:?}")));
        };
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index as u32);
        // SAFETY: as above.
        let memory = unsafe { self.device.allocate_memory(&info, None) };
        let memory = check("vkAllocateMemory", memory)?;
        self.own(Owned::Memory(memory));
        Ok(memory)
    }

    /// Maps a buffer and calls `with` on its bytes from `offset_bytes` on.
    fn mapped(
        &self,
        buffer: &Buffer,
        offset_bytes: u64,
        len_bytes: u64,
        with: impl FnOnce(&mut [u8]),
    ) -> Result<(), Error> {
        let end = offset_bytes.checked_add(len_bytes);
        assert!(
            end.is_some_and(|end| end <= buffer.len_bytes),
            "{len_bytes} bytes at {offset_bytes} leave a buffer of {}",
            buffer.len_bytes
        );
        if len_bytes == 0 {
            return Ok(());
        }
        // SAFETY: the memory is mapped only here, in bounds, and nothing is in flight (see the
        // module): nobody else reads or writes these bytes while `with` runs.
        unsafe {
            let none = vk::MemoryMapFlags::empty();
            let start = self
                .device
                .map_memory(buffer.memory, offset_bytes, len_bytes, none);
            let start = check("vkMapMemory", start)?;
            with(std::slice::from_raw_parts_mut(
                start.cast(),
                len_bytes as usize,
            ));
            self.device.unmap_memory(buffer.memory);
        }
        Ok(())
    }

    /// Writes to a buffer from the host.
    pub fn write<T: bytemuck::NoUninit>(
        &self,
        buffer: &Buffer,
        offset_bytes: u64,
        data: &[T],
    ) -> Result<(), Error> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        self.mapped(buffer, offset_bytes, bytes.len() as u64, |to| {
            to.copy_from_slice(bytes);
        })
    }

    /// Reads a buffer from the host.
    pub fn contents(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.mapped(buffer, 0, buffer.len_bytes, |from| bytes.extend(&*from))?;
        Ok(bytes)
    }

    /// Creates a view of a texel buffer.
    pub fn texels(&self, buffer: &Buffer, format: vk::Format) -> Result<vk::BufferView, Error> {
        self.texels_from(buffer, format, 0)
    }

    /// Creates a view of a texel buffer from a byte offset on.
    pub fn texels_from(
        &self,
        buffer: &Buffer,
        format: vk::Format,
        offset: u64,
    ) -> Result<vk::BufferView, Error> {
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer.handle)
            .format(format)
            .offset(offset)
            .range(vk::WHOLE_SIZE);
        // SAFETY: see `empty_buffer`.
        let view = unsafe { self.device.create_buffer_view(&info, None) };
        let view = check("vkCreateBufferView", view)?;
        self.own(Owned::BufferView(view));
        Ok(view)
    }

    /// Creates an image with undefined contents.
    pub fn image(&self, info: ImageInfo) -> Result<Image, Error> {
        use vk::ImageViewType as V;
        let kind = match info.kind {
            V::TYPE_1D | V::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            V::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        };
        let mut flags = match info.kind {
            V::CUBE | V::CUBE_ARRAY => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            _ => vk::ImageCreateFlags::empty(),
        };
        let mut views = vk::ImageFormatListCreateInfo::default().view_formats(info.views);
        if !info.views.is_empty() {
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT;
        }
        let [width, height, depth] = info.size_px;
        let mut create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(kind)
            .format(info.format)
            .extent(vk::Extent3D {
                width,
                height,
                depth,
            })
            .mip_levels(info.mips)
            .array_layers(info.layers)
            .samples(vk::SampleCountFlags::from_raw(info.samples))
            .usage(info.usage);
        if !info.views.is_empty() {
            create = create.push_next(&mut views);
        }
        // SAFETY: see `empty_buffer`.
        let handle = unsafe { self.device.create_image(&create, None) };
        let handle = check("vkCreateImage", handle)?;
        self.own(Owned::Image(handle));
        // SAFETY: the image was just made.
        let needs = unsafe { self.device.get_image_memory_requirements(handle) };
        let memory = self.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        // SAFETY: the memory is the image's own, and large enough.
        let bound = unsafe { self.device.bind_image_memory(handle, memory, 0) };
        check("vkBindImageMemory", bound)?;
        let mut image = Image {
            handle,
            view: vk::ImageView::null(),
            info,
            used: Rc::new(Cell::new(Use::Nothing)),
        };
        let for_views = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if for_views.contains(info.usage) {
            return Ok(image);
        }
        image.view = self.view(&image, image.view_info())?;
        Ok(image)
    }

    /// Creates an image view.
    pub fn view(&self, image: &Image, info: ViewInfo) -> Result<vk::ImageView, Error> {
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle)
            .view_type(info.kind)
            .format(info.format)
            .components(info.swizzle)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: info.aspect,
                base_mip_level: info.mips.0,
                level_count: info.mips.1,
                base_array_layer: info.layers.0,
                layer_count: info.layers.1,
            });
        // SAFETY: see `empty_buffer`.
        let view = unsafe { self.device.create_image_view(&info, None) };
        let view = check("vkCreateImageView", view)?;
        self.own(Owned::ImageView(view));
        Ok(view)
    }

    /// Creates a sampler.
    pub fn sampler(&self, info: &vk::SamplerCreateInfo<'_>) -> Result<vk::Sampler, Error> {
        // SAFETY: see `empty_buffer`.
        let sampler = unsafe { self.device.create_sampler(info, None) };
        let sampler = check("vkCreateSampler", sampler)?;
        self.own(Owned::Sampler(sampler));
        Ok(sampler)
    }

    /// Creates a trilinear sampler with this address mode.
    pub fn smooth(&self, wrap: vk::SamplerAddressMode) -> Result<vk::Sampler, Error> {
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(vk::Filter::LINEAR)
            .min_filter(vk::Filter::LINEAR)
            .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
            .address_mode_u(wrap)
            .address_mode_v(wrap)
            .address_mode_w(wrap)
            .max_lod(vk::LOD_CLAMP_NONE);
        self.sampler(&info)
    }
}
