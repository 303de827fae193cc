//! The Vulkan objects of one measured shader, destroyed together.
//!
//! In:  create-info structures. Out: objects, destroyed when their owner is dropped.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench makes its objects"
)]

use crate::vulkan_device::error;
use ash::vk;
use std::cell::RefCell;

/// Declares a function of [`VulkanObjects`] for each object type with one create-info structure.
macro_rules! kinds {
    ($($kind:ident($info:ty) -> $handle:ty, $create:ident, $destroy:ident, $call:literal;)*) => {
        #[derive(Default)]
        struct Objects {
            $($kind: Vec<$handle>,)*
            memory: Vec<vk::DeviceMemory>,
            pipelines: Vec<vk::Pipeline>,
        }

        impl<'a> VulkanObjects<'a> {
            $(
                #[doc = concat!("Calls ", $call, ".")]
                pub fn $kind(&self, info: &$info) -> Result<$handle, String> {
                    // SAFETY: the structure lives until the call returns; the handle goes with the
                    // objects.
                    let made = unsafe { self.device.$create(info, None) }.map_err(error($call))?;
                    self.objects.borrow_mut().$kind.push(made);
                    Ok(made)
                }
            )*
        }

        impl Drop for VulkanObjects<'_> {
            fn drop(&mut self) {
                let objects = self.objects.take();
                // SAFETY: all handles are of this device, nothing uses them any more, and each goes
                // once, users before what they use.
                unsafe {
                    for pipeline in objects.pipelines {
                        self.device.destroy_pipeline(pipeline, None);
                    }
                    $(for made in objects.$kind {
                        self.device.$destroy(made, None);
                    })*
                    for memory in objects.memory {
                        self.device.free_memory(memory, None);
                    }
                }
            }
        }
    };
}

/// Owner of the objects.
pub struct VulkanObjects<'a> {
    pub device: &'a ash::Device,
    objects: RefCell<Objects>,
}

kinds! {
    descriptor_pool(vk::DescriptorPoolCreateInfo<'_>) -> vk::DescriptorPool,
        create_descriptor_pool, destroy_descriptor_pool, "vkCreateDescriptorPool";
    framebuffer(vk::FramebufferCreateInfo<'_>) -> vk::Framebuffer,
        create_framebuffer, destroy_framebuffer, "vkCreateFramebuffer";
    render_pass(vk::RenderPassCreateInfo<'_>) -> vk::RenderPass,
        create_render_pass, destroy_render_pass, "vkCreateRenderPass";
    pipeline_layout(vk::PipelineLayoutCreateInfo<'_>) -> vk::PipelineLayout,
        create_pipeline_layout, destroy_pipeline_layout, "vkCreatePipelineLayout";
    set_layout(vk::DescriptorSetLayoutCreateInfo<'_>) -> vk::DescriptorSetLayout,
        create_descriptor_set_layout, destroy_descriptor_set_layout, "vkCreateDescriptorSetLayout";
    module(vk::ShaderModuleCreateInfo<'_>) -> vk::ShaderModule,
        create_shader_module, destroy_shader_module, "vkCreateShaderModule";
    sampler(vk::SamplerCreateInfo<'_>) -> vk::Sampler,
        create_sampler, destroy_sampler, "vkCreateSampler";
    buffer_view(vk::BufferViewCreateInfo<'_>) -> vk::BufferView,
        create_buffer_view, destroy_buffer_view, "vkCreateBufferView";
    image_view(vk::ImageViewCreateInfo<'_>) -> vk::ImageView,
        create_image_view, destroy_image_view, "vkCreateImageView";
    raw_image(vk::ImageCreateInfo<'_>) -> vk::Image,
        create_image, destroy_image, "vkCreateImage";
    raw_buffer(vk::BufferCreateInfo<'_>) -> vk::Buffer,
        create_buffer, destroy_buffer, "vkCreateBuffer";
    command_pool(vk::CommandPoolCreateInfo<'_>) -> vk::CommandPool,
        create_command_pool, destroy_command_pool, "vkCreateCommandPool";
    fence(vk::FenceCreateInfo<'_>) -> vk::Fence,
        create_fence, destroy_fence, "vkCreateFence";
}

/// A mapped buffer in host-visible memory.
#[derive(Clone, Copy)]
pub struct Buffer {
    pub handle: vk::Buffer,
    pub bytes: u64,
    at: *mut u8,
}

impl Buffer {
    /// The contents. No command may use the buffer at the same time.
    pub fn contents(&mut self) -> &mut [u8] {
        // SAFETY: mapped whole and for ever; the bytes are zeros from the beginning, and commands
        // that write them have ended.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.bytes as usize) }
    }
}

impl<'a> VulkanObjects<'a> {
    /// Creates an owner without objects.
    pub fn new(device: &'a ash::Device) -> VulkanObjects<'a> {
        VulkanObjects {
            device,
            objects: RefCell::default(),
        }
    }

    /// Takes ownership of a pipeline.
    pub fn keep(&self, pipeline: vk::Pipeline) -> vk::Pipeline {
        self.objects.borrow_mut().pipelines.push(pipeline);
        pipeline
    }

    /// Allocates memory of the first type in `bits`.
    fn memory(
        &self,
        size: u64,
        bits: u32,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<vk::DeviceMemory, String> {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(flags);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(bits.trailing_zeros())
            .push_next(&mut flags);
        // SAFETY: as above.
        let made = unsafe { self.device.allocate_memory(&info, None) }
            .map_err(error("vkAllocateMemory"))?;
        self.objects.borrow_mut().memory.push(made);
        Ok(made)
    }

    /// Creates a zeroed buffer with all usages in memory of one of the types in `visible`.
    pub fn buffer(&self, bytes: u64, visible: u32) -> Result<Buffer, String> {
        let (usage, flags) = (
            vk::BufferUsageFlags::empty(),
            vk::MemoryAllocateFlags::empty(),
        );
        self.buffer_with(bytes, visible, usage, flags)
    }

    /// As [`VulkanObjects::buffer`], with the buffer's address.
    pub fn addressable_buffer(&self, bytes: u64, visible: u32) -> Result<(Buffer, u64), String> {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let flags = vk::MemoryAllocateFlags::DEVICE_ADDRESS;
        let buffer = self.buffer_with(bytes, visible, usage, flags)?;
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.handle);
        // SAFETY: the buffer is of this device, with the usage and memory that the call requires.
        let address = unsafe { self.device.get_buffer_device_address(&info) };
        Ok((buffer, address))
    }

    fn buffer_with(
        &self,
        bytes: u64,
        visible: u32,
        more: vk::BufferUsageFlags,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<Buffer, String> {
        use vk::BufferUsageFlags as U;
        let usage = U::UNIFORM_BUFFER
            | U::STORAGE_BUFFER
            | U::UNIFORM_TEXEL_BUFFER
            | U::STORAGE_TEXEL_BUFFER
            | U::VERTEX_BUFFER
            | U::TRANSFER_DST
            | more;
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        let handle = self.raw_buffer(&info)?;
        // SAFETY: the buffer is new, the memory as large as it asks for, and mapped until it is
        // freed.
        unsafe {
            let needs = self.device.get_buffer_memory_requirements(handle);
            let types = needs.memory_type_bits & visible;
            let memory = self.memory(needs.size, types, flags)?;
            self.device
                .bind_buffer_memory(handle, memory, 0)
                .map_err(error("vkBindBufferMemory"))?;
            let flags = vk::MemoryMapFlags::empty();
            let at = self
                .device
                .map_memory(memory, 0, vk::WHOLE_SIZE, flags)
                .map_err(error("vkMapMemory"))?;
            let at: *mut u8 = at.cast();
            at.write_bytes(0, bytes as usize);
            Ok(Buffer { handle, bytes, at })
        }
    }

    /// Creates an image with memory.
    pub fn image(&self, info: &vk::ImageCreateInfo<'_>) -> Result<vk::Image, String> {
        let image = self.raw_image(info)?;
        // SAFETY: the image is new, the memory as large as it asks for.
        unsafe {
            let needs = self.device.get_image_memory_requirements(image);
            let flags = vk::MemoryAllocateFlags::empty();
            let memory = self.memory(needs.size, needs.memory_type_bits, flags)?;
            self.device
                .bind_image_memory(image, memory, 0)
                .map_err(error("vkBindImageMemory"))?;
        }
        Ok(image)
    }
}
