//! The Vulkan calls of the rows for compute, submission and object creation, and the objects that
//! they need.
//!
//! In:  a Vulkan implementation whose kernel does nothing.
//! Out: each call, repeated as requested.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench calls it"
)]

use super::draws::{Draws, Shaders};
use crate::vulkan_device::{Device, error};
use ash::vk;
use vkrunner::EntryPoint;

/// Repetitions of a row's call between two readings of the clock.
pub const TIMES: usize = 1000;

/// Two buffers and some push data, so that every kind of state has something to hold.
pub const SHADER: &str = "#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint b[]; };
layout(push_constant) uniform Push { uint add; uint scale; uint from; uint to; };
void main() { b[gl_GlobalInvocationID.x + to] = a[gl_GlobalInvocationID.x + from] * scale + add; }
";

const BUFFER_BYTES: u64 = 4096;
const BUFFERS: usize = 4;
const PUSH_BYTES: usize = 16;

/// Result of a Vulkan call.
pub type Outcome = Result<(), vk::Result>;

/// A device with all objects that the rows use.
pub struct Bench {
    pub(super) device: ash::Device,
    queue: vk::Queue,
    memory_type: u32,
    memory: vk::DeviceMemory,
    buffers: Vec<vk::Buffer>,
    set_layout: vk::DescriptorSetLayout,
    pub(super) layout: vk::PipelineLayout,
    pub(super) module: vk::ShaderModule,
    pub(super) cache: vk::PipelineCache,
    pipelines: Vec<vk::Pipeline>,
    set_pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    pool: vk::CommandPool,
    main: vk::CommandBuffer,
    secondary: vk::CommandBuffer,
    small: Vec<vk::CommandBuffer>,
    fence: vk::Fence,
    draws: Option<Draws>,
    // Dropped last.
    opened: Device,
}

// SAFETY, for every block below: handles are this device's, made in `new` or in the same function,
// and used by one thread; structures live until the call returns; what is destroyed is not in use,
// for the device has nothing to do or is waited for first.
impl Bench {
    /// Opens the first device of the implementation.
    pub fn new(entry: &EntryPoint, shader: &[u32], drawing: &Shaders) -> Result<Bench, String> {
        // SAFETY: above.
        unsafe {
            let opened = Device::new(entry, vk::API_VERSION_1_1, |instance, physical, info| {
                instance.create_device(physical, &info, None)
            })?;
            let memory = opened
                .instance
                .get_physical_device_memory_properties(opened.physical);
            let wanted =
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let memory_type = memory
                .memory_types_as_slice()
                .iter()
                .position(|t| t.property_flags.contains(wanted))
                .ok_or("no coherent memory")? as u32;
            let mut bench = Bench {
                device: opened.device.clone(),
                queue: opened.device.get_device_queue(0, 0),
                memory_type,
                memory: vk::DeviceMemory::null(),
                buffers: Vec::new(),
                set_layout: vk::DescriptorSetLayout::null(),
                layout: vk::PipelineLayout::null(),
                module: vk::ShaderModule::null(),
                cache: vk::PipelineCache::null(),
                pipelines: Vec::new(),
                set_pool: vk::DescriptorPool::null(),
                sets: Vec::new(),
                pool: vk::CommandPool::null(),
                main: vk::CommandBuffer::null(),
                secondary: vk::CommandBuffer::null(),
                small: Vec::new(),
                fence: vk::Fence::null(),
                draws: None,
                opened,
            };
            bench.fill(shader).map_err(error("setting up"))?;
            let draws = Draws::new(&bench.device, memory_type, drawing);
            bench.draws = Some(draws.map_err(error("setting up what is drawn"))?);
            Ok(bench)
        }
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.opened.name
    }

    /// Creates the objects.
    fn fill(&mut self, words: &[u32]) -> Outcome {
        let device = &self.device;
        // SAFETY: above.
        unsafe {
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(BUFFER_BYTES * BUFFERS as u64)
                .memory_type_index(self.memory_type);
            self.memory = device.allocate_memory(&info, None)?;
            for i in 0..BUFFERS as u64 {
                let info = vk::BufferCreateInfo::default().size(BUFFER_BYTES).usage(
                    vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::INDIRECT_BUFFER,
                );
                let buffer = device.create_buffer(&info, None)?;
                device.bind_buffer_memory(buffer, self.memory, i * BUFFER_BYTES)?;
                self.buffers.push(buffer);
            }
            let binding = |binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            };
            let bindings = [binding(0), binding(1)];
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            self.set_layout = device.create_descriptor_set_layout(&info, None)?;
            let layouts = [self.set_layout];
            let ranges = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(PUSH_BYTES as u32)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&ranges);
            self.layout = device.create_pipeline_layout(&info, None)?;
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            self.module = device.create_shader_module(&info, None)?;
            let info = vk::PipelineCacheCreateInfo::default();
            self.cache = device.create_pipeline_cache(&info, None)?;
            self.pipelines = self.create_pipelines(vk::PipelineCache::null(), 2)?;
            let sizes = [vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: 2 * (TIMES as u32 + 1),
            }];
            let info = vk::DescriptorPoolCreateInfo::default()
                .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET)
                .max_sets(TIMES as u32 + 1)
                .pool_sizes(&sizes);
            self.set_pool = device.create_descriptor_pool(&info, None)?;
            let layouts = [self.set_layout; TIMES];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.set_pool)
                .set_layouts(&layouts);
            self.sets = device.allocate_descriptor_sets(&info)?;
            for i in 0..TIMES {
                self.update(i);
            }
            let info = vk::CommandPoolCreateInfo::default()
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            self.pool = device.create_command_pool(&info, None)?;
            let mut info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(TIMES as u32 + 1);
            self.small = device.allocate_command_buffers(&info)?;
            self.main = self
                .small
                .pop()
                .ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
            info = info
                .level(vk::CommandBufferLevel::SECONDARY)
                .command_buffer_count(1);
            let secondaries = device.allocate_command_buffers(&info)?;
            self.secondary = secondaries.first().copied().unwrap_or_default();
            self.record_secondary()?;
            self.fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
        }
        for i in 0..TIMES {
            self.small_command_buffer(i)?;
        }
        Ok(())
    }

    pub fn nothing(&self) -> Outcome {
        Ok(())
    }

    pub fn times(&self, mut once: impl FnMut(usize)) -> Outcome {
        (0..TIMES).for_each(&mut once);
        Ok(())
    }

    pub fn try_times(&self, once: impl FnMut(usize) -> Outcome) -> Outcome {
        (0..TIMES).try_for_each(once)
    }

    pub fn begin(&self) -> Outcome {
        let info = vk::CommandBufferBeginInfo::default();
        // SAFETY: above.
        unsafe { self.device.begin_command_buffer(self.main, &info) }
    }

    pub fn end(&self) -> Outcome {
        // SAFETY: above.
        unsafe { self.device.end_command_buffer(self.main) }
    }

    pub fn begin_bound(&self) -> Outcome {
        self.begin()?;
        self.bind_pipeline(0);
        self.bind(0);
        self.push(0);
        self.dispatch();
        Ok(())
    }

    /// Begins the command buffer and binds all draw state.
    pub fn begin_drawing(&self) -> Outcome {
        self.begin()?;
        if let Some(draws) = &self.draws {
            draws.bind_all(self.main);
        }
        Ok(())
    }

    /// Begins a render pass, and draws once in it with everything bound.
    pub fn begin_pass(&self) -> Outcome {
        self.begin_drawing()?;
        if let Some(draws) = &self.draws {
            draws.begin_pass(self.main, false);
            draws.draw(self.main);
        }
        Ok(())
    }

    /// Ends the render pass and the command buffer.
    pub fn end_pass(&self) -> Outcome {
        if let Some(draws) = &self.draws {
            draws.end_pass(self.main);
        }
        self.end()
    }

    /// Records a call [`TIMES`] times into the one command buffer.
    pub fn draws(&self, mut once: impl FnMut(&Draws, vk::CommandBuffer, usize)) -> Outcome {
        if let Some(draws) = &self.draws {
            (0..TIMES).for_each(|i| once(draws, self.main, i));
        }
        Ok(())
    }

    /// The same for calls that may fail, `times` times.
    pub fn try_draws(&self, times: usize, once: impl Fn(&Draws) -> Outcome) -> Outcome {
        match &self.draws {
            Some(draws) => (0..times).try_for_each(|_| once(draws)),
            None => Ok(()),
        }
    }

    pub fn bind_pipeline(&self, i: usize) {
        let pipeline = self.pipelines[i % self.pipelines.len()];
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: above.
        unsafe {
            self.device.cmd_bind_pipeline(self.main, point, pipeline);
        }
    }

    pub fn bind(&self, i: usize) {
        let set = [self.sets[i % TIMES]];
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_bind_descriptor_sets(self.main, point, self.layout, 0, &set, &[]);
        }
    }

    pub fn push(&self, i: usize) {
        let data = [i as u8; PUSH_BYTES];
        let stage = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_push_constants(self.main, self.layout, stage, 0, &data);
        }
    }

    pub fn barrier(&self) {
        let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        let flags = vk::DependencyFlags::empty();
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_pipeline_barrier(self.main, stage, stage, flags, &barrier, &[], &[]);
        }
    }

    pub fn dispatch(&self) {
        // SAFETY: above.
        unsafe { self.device.cmd_dispatch(self.main, 16, 1, 1) }
    }

    pub fn dispatch_indirect(&self) {
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_dispatch_indirect(self.main, self.buffers[0], 0);
        }
    }

    pub fn full_mix(&self) -> Outcome {
        self.times(|i| {
            self.update(i);
            self.bind(i);
            self.push(i);
            self.barrier();
            self.dispatch();
        })
    }

    pub fn update(&self, i: usize) {
        let info = |buffer: usize| {
            [vk::DescriptorBufferInfo {
                buffer: self.buffers[buffer % BUFFERS],
                offset: 0,
                range: BUFFER_BYTES,
            }]
        };
        let infos = [info(i), info(i + 1)];
        let write = |binding: usize| {
            vk::WriteDescriptorSet::default()
                .dst_set(self.sets[i % TIMES])
                .dst_binding(binding as u32)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&infos[binding])
        };
        // SAFETY: above; no command buffer with the set is in the queue.
        unsafe {
            self.device
                .update_descriptor_sets(&[write(0), write(1)], &[]);
        }
    }

    /// Records a small job into a command buffer.
    fn record_into(&self, to: vk::CommandBuffer, i: usize) -> Outcome {
        let point = vk::PipelineBindPoint::COMPUTE;
        let set = [self.sets[i % TIMES]];
        let data = [i as u8; PUSH_BYTES];
        // SAFETY: above.
        unsafe {
            self.device.cmd_bind_pipeline(to, point, self.pipelines[0]);
            self.device
                .cmd_bind_descriptor_sets(to, point, self.layout, 0, &set, &[]);
            let stage = vk::ShaderStageFlags::COMPUTE;
            self.device
                .cmd_push_constants(to, self.layout, stage, 0, &data);
            self.device.cmd_dispatch(to, 16, 1, 1);
            self.device.end_command_buffer(to)
        }
    }

    pub fn small_command_buffer(&self, i: usize) -> Outcome {
        let info = vk::CommandBufferBeginInfo::default();
        // SAFETY: above.
        unsafe { self.device.begin_command_buffer(self.small[i], &info)? };
        self.record_into(self.small[i], i)
    }

    fn record_secondary(&self) -> Outcome {
        let inherited = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)
            .inheritance_info(&inherited);
        // SAFETY: above.
        unsafe { self.device.begin_command_buffer(self.secondary, &info)? };
        self.record_into(self.secondary, 0)
    }

    pub fn execute_secondary(&self) {
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_execute_commands(self.main, &[self.secondary]);
        }
    }

    fn submit_these(&self, buffers: &[vk::CommandBuffer], fence: vk::Fence) -> Outcome {
        let info = [vk::SubmitInfo::default().command_buffers(buffers)];
        // SAFETY: above.
        unsafe { self.device.queue_submit(self.queue, &info, fence) }
    }

    /// Submits the one command buffer.
    pub fn submit_main(&self) -> Outcome {
        self.submit_these(&[self.main], vk::Fence::null())
    }

    pub fn submit_all(&self) -> Outcome {
        self.submit_these(&self.small, vk::Fence::null())
    }

    pub fn submit(&self, i: usize) -> Outcome {
        self.submit_these(&[self.small[i]], vk::Fence::null())
    }

    pub fn submit_and_wait(&self, i: usize) -> Outcome {
        self.submit_these(&[self.small[i]], self.fence)?;
        let fences = [self.fence];
        // SAFETY: above.
        unsafe {
            self.device.wait_for_fences(&fences, true, u64::MAX)?;
            self.device.reset_fences(&fences)
        }
    }

    pub fn wait(&self) -> Outcome {
        // SAFETY: above.
        unsafe { self.device.queue_wait_idle(self.queue) }
    }

    pub fn make_buffer(&self) -> Outcome {
        let info = vk::BufferCreateInfo::default()
            .size(BUFFER_BYTES)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        // SAFETY: above.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            self.device.destroy_buffer(buffer, None);
        }
        Ok(())
    }

    pub fn make_fence(&self) -> Outcome {
        // SAFETY: above.
        unsafe {
            let fence = self.device.create_fence(&Default::default(), None)?;
            self.device.destroy_fence(fence, None);
        }
        Ok(())
    }

    pub fn make_semaphore(&self) -> Outcome {
        // SAFETY: above.
        unsafe {
            let semaphore = self.device.create_semaphore(&Default::default(), None)?;
            self.device.destroy_semaphore(semaphore, None);
        }
        Ok(())
    }

    pub fn make_set_layout(&self) -> Outcome {
        let bindings = [0, 1, 2, 3].map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        });
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: above.
        unsafe {
            let layout = self.device.create_descriptor_set_layout(&info, None)?;
            self.device.destroy_descriptor_set_layout(layout, None);
        }
        Ok(())
    }

    pub fn make_pipeline_layout(&self) -> Outcome {
        let layouts = [self.set_layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        // SAFETY: above.
        unsafe {
            let layout = self.device.create_pipeline_layout(&info, None)?;
            self.device.destroy_pipeline_layout(layout, None);
        }
        Ok(())
    }

    pub fn make_descriptor_pool(&self) -> Outcome {
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: 128,
        }];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(64)
            .pool_sizes(&sizes);
        // SAFETY: above.
        unsafe {
            let pool = self.device.create_descriptor_pool(&info, None)?;
            self.device.destroy_descriptor_pool(pool, None);
        }
        Ok(())
    }

    pub fn allocate_set(&self) -> Outcome {
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.set_pool)
            .set_layouts(&layouts);
        // SAFETY: above.
        unsafe {
            let sets = self.device.allocate_descriptor_sets(&info)?;
            self.device.free_descriptor_sets(self.set_pool, &sets)
        }
    }

    pub fn allocate_command_buffer(&self) -> Outcome {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        // SAFETY: above.
        unsafe {
            let buffers = self.device.allocate_command_buffers(&info)?;
            self.device.free_command_buffers(self.pool, &buffers);
        }
        Ok(())
    }

    pub fn allocate_memory(&self) -> Outcome {
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(1 << 16)
            .memory_type_index(self.memory_type);
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: above.
        unsafe {
            let memory = self.device.allocate_memory(&info, None)?;
            self.device
                .map_memory(memory, 0, vk::WHOLE_SIZE, flags)
                .map(|_| self.device.free_memory(memory, None))
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let device = self.device.clone();
        // SAFETY: above; everything goes once, and a null handle may be destroyed.
        unsafe {
            // A lost device has nothing to do either.
            let _ = device.device_wait_idle();
            drop(self.draws.take());
            device.destroy_fence(self.fence, None);
            device.destroy_command_pool(self.pool, None);
            device.destroy_descriptor_pool(self.set_pool, None);
            for pipeline in &self.pipelines {
                device.destroy_pipeline(*pipeline, None);
            }
            device.destroy_pipeline_cache(self.cache, None);
            device.destroy_shader_module(self.module, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            for buffer in &self.buffers {
                device.destroy_buffer(*buffer, None);
            }
            device.free_memory(self.memory, None);
        }
    }
}
