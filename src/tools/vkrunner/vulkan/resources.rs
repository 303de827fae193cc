//! Buffers, descriptor sets and pipelines of one script.

use crate::script::{Buffer, BufferKind, PipelineKey, ShaderStage};
use crate::vulkan::context::Context;
use crate::vulkan::error::{VulkanError, check};
use ash::vk;
use std::ffi::CString;

/// A buffer in host-visible memory, mapped for its whole life.
pub struct HostBuffer {
    pub(super) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
    size: usize,
    coherent: bool,
}

impl HostBuffer {
    /// Destroys buffer and memory.
    ///
    /// # Safety
    /// No pending work uses the buffer, and it is not used again.
    pub(super) unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: the caller's promise.
        unsafe {
            device.destroy_buffer(self.buffer, None);
            device.free_memory(self.memory, None);
        }
    }
}

/// The buffers, descriptor sets and pipelines that a script's commands use.
pub struct Resources<'c> {
    pub(super) context: &'c Context,
    /// One for each of the script's buffers, in its order.
    buffers: Vec<HostBuffer>,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    descriptor_pool: vk::DescriptorPool,
    pub(super) sets: Vec<vk::DescriptorSet>,
    pub(super) layout: vk::PipelineLayout,
    pub(super) modules: Vec<(ShaderStage, vk::ShaderModule)>,
    pub(super) cache: vk::PipelineCache,
    pub(super) pipelines: Vec<vk::Pipeline>,
    pub(super) pool: vk::CommandPool,
    pub(super) fence: vk::Fence,
    /// Stages that access push constants.
    pub(super) stages: vk::ShaderStageFlags,
}

impl Drop for Resources<'_> {
    fn drop(&mut self) {
        let device = &self.context.device;
        // SAFETY: every recorded submission has been waited for (Recorder::submit waits, and a
        // failed wait means a lost device); each handle is destroyed once, and null ones are
        // ignored.
        unsafe {
            for &pipeline in &self.pipelines {
                device.destroy_pipeline(pipeline, None);
            }
            device.destroy_pipeline_cache(self.cache, None);
            for &(_, module) in &self.modules {
                device.destroy_shader_module(module, None);
            }
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_pool(self.descriptor_pool, None);
            for &layout in &self.set_layouts {
                device.destroy_descriptor_set_layout(layout, None);
            }
            for buffer in &self.buffers {
                buffer.destroy(device);
            }
            device.destroy_fence(self.fence, None);
            device.destroy_command_pool(self.pool, None);
        }
    }
}

impl<'c> Resources<'c> {
    /// Command pool and fence; the rest is added by the functions below.
    pub fn new(
        context: &'c Context,
        stages: vk::ShaderStageFlags,
    ) -> Result<Resources<'c>, VulkanError> {
        let mut resources = Resources {
            context,
            buffers: Vec::new(),
            set_layouts: Vec::new(),
            descriptor_pool: vk::DescriptorPool::null(),
            sets: Vec::new(),
            layout: vk::PipelineLayout::null(),
            modules: Vec::new(),
            cache: vk::PipelineCache::null(),
            pipelines: Vec::new(),
            pool: vk::CommandPool::null(),
            fence: vk::Fence::null(),
            stages,
        };
        let pool = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(context.queue_family);
        // SAFETY: the structures live until the calls return, here and in all functions of this
        // file; the handles passed are of this device.
        unsafe {
            let device = &context.device;
            resources.pool = check(
                "vkCreateCommandPool",
                device.create_command_pool(&pool, None),
            )?;
            resources.fence = check(
                "vkCreateFence",
                device.create_fence(&vk::FenceCreateInfo::default(), None),
            )?;
            resources.cache = check(
                "vkCreatePipelineCache",
                device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None),
            )?;
        }
        Ok(resources)
    }

    /// Creates the script's buffers, zeroed, and the descriptor sets that reference them.
    pub fn add_buffers(&mut self, buffers: &[Buffer]) -> Result<(), VulkanError> {
        for buffer in buffers {
            let usage = match buffer.kind {
                BufferKind::Ubo => vk::BufferUsageFlags::UNIFORM_BUFFER,
                BufferKind::Ssbo => vk::BufferUsageFlags::STORAGE_BUFFER,
            };
            let made = self.host_buffer(buffer.size.max(1), usage)?;
            self.buffers.push(made);
        }
        let Some(highest) = buffers.iter().map(|b| b.set).max() else {
            return Ok(());
        };
        let device = &self.context.device;
        for set in 0..=highest {
            let bindings: Vec<_> = buffers
                .iter()
                .filter(|b| b.set == set)
                .map(|b| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(b.binding)
                        .descriptor_type(descriptor_type(b.kind))
                        .descriptor_count(1)
                        .stage_flags(self.stages)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: see `new`.
            let layout = check("vkCreateDescriptorSetLayout", unsafe {
                device.create_descriptor_set_layout(&info, None)
            })?;
            self.set_layouts.push(layout);
        }
        let count = |kind: BufferKind| {
            let n = buffers.iter().filter(|b| b.kind == kind).count();
            vk::DescriptorPoolSize::default()
                .ty(descriptor_type(kind))
                .descriptor_count(n as u32)
        };
        let sizes: Vec<_> = [count(BufferKind::Ubo), count(BufferKind::Ssbo)]
            .into_iter()
            .filter(|s| s.descriptor_count > 0)
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(self.set_layouts.len() as u32)
            .pool_sizes(&sizes);
        // SAFETY: see `new`.
        self.descriptor_pool = check("vkCreateDescriptorPool", unsafe {
            device.create_descriptor_pool(&info, None)
        })?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.descriptor_pool)
            .set_layouts(&self.set_layouts);
        // SAFETY: see `new`; the sets go with their pool.
        self.sets = check("vkAllocateDescriptorSets", unsafe {
            device.allocate_descriptor_sets(&info)
        })?;
        let infos: Vec<_> = self
            .buffers
            .iter()
            .map(|b| {
                [vk::DescriptorBufferInfo::default()
                    .buffer(b.buffer)
                    .range(vk::WHOLE_SIZE)]
            })
            .collect();
        let writes: Vec<_> = buffers
            .iter()
            .zip(&infos)
            .map(|(b, info)| {
                vk::WriteDescriptorSet::default()
                    .dst_set(self.sets[b.set as usize])
                    .dst_binding(b.binding)
                    .descriptor_type(descriptor_type(b.kind))
                    .buffer_info(info)
            })
            .collect();
        // SAFETY: see `new`.
        unsafe { device.update_descriptor_sets(&writes, &[]) };
        Ok(())
    }

    /// Creates the pipeline layout.
    pub fn add_layout(&mut self, push_bytes: usize) -> Result<(), VulkanError> {
        let range = [vk::PushConstantRange::default()
            .stage_flags(self.stages)
            .size(push_bytes.next_multiple_of(4) as u32)];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&self.set_layouts);
        if push_bytes > 0 {
            info = info.push_constant_ranges(&range);
        }
        // SAFETY: see `new`.
        self.layout = check("vkCreatePipelineLayout", unsafe {
            self.context.device.create_pipeline_layout(&info, None)
        })?;
        Ok(())
    }

    /// Creates a shader module.
    pub fn add_module(&mut self, stage: ShaderStage, words: &[u32]) -> Result<(), VulkanError> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: see `new`.
        let module = check("vkCreateShaderModule", unsafe {
            self.context.device.create_shader_module(&info, None)
        })?;
        self.modules.push((stage, module));
        Ok(())
    }

    /// Creates a compute pipeline; `false` if the script has no compute shader.
    pub fn add_compute_pipeline(&mut self, key: &PipelineKey) -> Result<bool, VulkanError> {
        let PipelineKey::Compute(entry) = key else {
            return Ok(false);
        };
        let module = self.modules.iter().find(|m| m.0 == ShaderStage::Compute);
        let Some(&(_, module)) = module else {
            return Ok(false);
        };
        let name = CString::new(entry.as_str()).unwrap_or_default();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&name);
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(self.layout);
        // SAFETY: see `new`.
        let made = unsafe {
            self.context
                .device
                .create_compute_pipelines(self.cache, &[info], None)
        };
        let made = check("vkCreateComputePipelines", made.map_err(|(_, e)| e))?;
        self.pipelines.extend(made);
        Ok(true)
    }

    /// A zeroed buffer in host-visible memory.
    pub(super) fn host_buffer(
        &self,
        size: usize,
        usage: vk::BufferUsageFlags,
    ) -> Result<HostBuffer, VulkanError> {
        let device = &self.context.device;
        let info = vk::BufferCreateInfo::default()
            .size(size as u64)
            .usage(usage);
        // SAFETY: see `new`; on an error after the first call what was made before it is destroyed.
        unsafe {
            let buffer = check("vkCreateBuffer", device.create_buffer(&info, None))?;
            let fill = || -> Result<HostBuffer, VulkanError> {
                let needs = device.get_buffer_memory_requirements(buffer);
                let (index, flags) = self.host_memory_type(needs.memory_type_bits)?;
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(index);
                let memory = check("vkAllocateMemory", device.allocate_memory(&info, None))?;
                let map = || -> Result<*mut u8, VulkanError> {
                    check(
                        "vkBindBufferMemory",
                        device.bind_buffer_memory(buffer, memory, 0),
                    )?;
                    let flags = vk::MemoryMapFlags::empty();
                    let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags);
                    Ok(check("vkMapMemory", mapped)?.cast())
                };
                match map() {
                    Ok(mapped) => {
                        std::ptr::write_bytes(mapped, 0, size);
                        Ok(HostBuffer {
                            buffer,
                            memory,
                            mapped,
                            size,
                            coherent: flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT),
                        })
                    }
                    Err(error) => {
                        device.free_memory(memory, None);
                        Err(error)
                    }
                }
            };
            let made = fill().inspect_err(|_| device.destroy_buffer(buffer, None))?;
            self.flush(&made)?;
            Ok(made)
        }
    }

    /// Creates a buffer that contains `bytes`.
    pub(super) fn filled_buffer(
        &self,
        bytes: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> Result<HostBuffer, VulkanError> {
        let buffer = self.host_buffer(bytes.len().max(1), usage)?;
        self.write(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    fn host_memory_type(
        &self,
        allowed: u32,
    ) -> Result<(u32, vk::MemoryPropertyFlags), VulkanError> {
        let types = self.context.memory.memory_types_as_slice();
        for (i, ty) in types.iter().enumerate() {
            if allowed >> i & 1 == 1
                && ty
                    .property_flags
                    .contains(vk::MemoryPropertyFlags::HOST_VISIBLE)
            {
                return Ok((i as u32, ty.property_flags));
            }
        }
        Err(VulkanError::Unsupported(
            "No host-visible memory type".into(),
        ))
    }

    fn flush(&self, buffer: &HostBuffer) -> Result<(), VulkanError> {
        if buffer.coherent && !always_flush() {
            return Ok(());
        }
        let range = [vk::MappedMemoryRange::default()
            .memory(buffer.memory)
            .size(vk::WHOLE_SIZE)];
        // SAFETY: the memory is mapped.
        check("vkFlushMappedMemoryRanges", unsafe {
            self.context.device.flush_mapped_memory_ranges(&range)
        })
    }

    /// Writes to a buffer from the host, for the language's `subdata`. The parser has sized the
    /// buffer to contain the range.
    pub fn write_buffer(
        &self,
        index: usize,
        offset: usize,
        bytes: &[u8],
    ) -> Result<(), VulkanError> {
        self.write(&self.buffers[index], offset, bytes)
    }

    fn write(&self, buffer: &HostBuffer, offset: usize, bytes: &[u8]) -> Result<(), VulkanError> {
        assert!(
            offset + bytes.len() <= buffer.size,
            "a buffer is as large as all that is written to it"
        );
        // SAFETY: in bounds by the assertion; mapped for the buffer's whole life; nobody holds a
        // reference into it.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.mapped.add(offset), bytes.len());
        }
        self.flush(buffer)
    }

    /// The current contents of a buffer.
    pub fn read_buffer(&self, index: usize) -> Result<Vec<u8>, VulkanError> {
        self.contents(&self.buffers[index])
    }

    /// The current contents of any host buffer.
    pub(super) fn contents(&self, buffer: &HostBuffer) -> Result<Vec<u8>, VulkanError> {
        if !buffer.coherent || always_flush() {
            let range = [vk::MappedMemoryRange::default()
                .memory(buffer.memory)
                .size(vk::WHOLE_SIZE)];
            // SAFETY: the memory is mapped.
            check("vkInvalidateMappedMemoryRanges", unsafe {
                self.context.device.invalidate_mapped_memory_ranges(&range)
            })?;
        }
        let mut bytes = vec![0; buffer.size];
        // SAFETY: as in `write_buffer`; the device is idle.
        unsafe { std::ptr::copy_nonoverlapping(buffer.mapped, bytes.as_mut_ptr(), buffer.size) };
        Ok(bytes)
    }
}

fn descriptor_type(kind: BufferKind) -> vk::DescriptorType {
    match kind {
        BufferKind::Ubo => vk::DescriptorType::UNIFORM_BUFFER,
        BufferKind::Ssbo => vk::DescriptorType::STORAGE_BUFFER,
    }
}

/// `VKRUNNER_ALWAYS_FLUSH_MEMORY`: flush even coherent memory, to exercise those calls.
fn always_flush() -> bool {
    matches!(
        std::env::var("VKRUNNER_ALWAYS_FLUSH_MEMORY").as_deref(),
        Ok("1" | "true" | "yes")
    )
}
