//! A device, and a life of its objects that may end anywhere.

use ash::vk;
use std::sync::Arc;

use crate::faults::Faults;

/// Seconds of work after which the simulated kernel resets the GPU.
pub const HANG_SECONDS: u32 = 3;

/// Bytes of push constants that pipeline layouts here have.
const PUSH_BYTES: u32 = 128;

/// SPIR-V of a compute shader in GLSL, its version line left out.
pub fn glsl(text: &str) -> Vec<u32> {
    let text = format!("#version 450\n{text}");
    vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, &text, (1, 1, 0)).expect("good GLSL")
}

/// An instance and a device.
pub struct Rig {
    pub device: ash::Device,
    pub queue: vk::Queue,
    instance: Instance,
}

/// Destroyed last.
pub struct Instance {
    pub raw: ash::Instance,
    _entry: ash::Entry,
}

impl Drop for Instance {
    fn drop(&mut self) {
        unsafe { self.raw.destroy_instance(None) }
    }
}

impl Rig {
    /// A device without faults.
    pub fn new(robust: bool) -> Self {
        Self::open(None, robust).expect("a device")
    }

    /// A device over a kernel with faults.
    pub fn with_faults(faults: &Arc<Faults>) -> Result<Self, vk::Result> {
        Self::open(Some(faults.clone()), false)
    }

    fn open(faults: Option<Arc<Faults>>, robust: bool) -> Result<Self, vk::Result> {
        crate::panics();
        icd::set_kernel_source(Arc::new(crate::kernels));
        let static_fn = ash::StaticFn {
            get_instance_proc_addr: icd::get_instance_proc_addr(),
        };
        crate::FAULTS.with(|slot| slot.set(faults));
        unsafe {
            let entry = ash::Entry::from_static_fn(static_fn);
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = Instance {
                raw: entry.create_instance(&info, None)?,
                _entry: entry,
            };
            let found = instance.raw.enumerate_physical_devices()?;
            let physical = *found
                .first()
                .ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let features = vk::PhysicalDeviceFeatures::default().robust_buffer_access(robust);
            let names = [c"VK_KHR_timeline_semaphore".as_ptr()];
            let mut timeline =
                vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .enabled_features(&features)
                .push_next(&mut timeline);
            let device = instance.raw.create_device(physical, &info, None)?;
            let queue = device.get_device_queue(0, 0);
            Ok(Self {
                device,
                queue,
                instance,
            })
        }
    }

    /// The instance.
    pub fn instance(&self) -> &ash::Instance {
        &self.instance.raw
    }

    /// A pipeline, or why there is none.
    pub fn pipeline(
        &self,
        words: &[u32],
        kinds: &[vk::DescriptorType],
    ) -> Result<Work<'_>, vk::Result> {
        let mut work = Work::new(self);
        work.make_pipeline(words, kinds)?;
        Ok(work)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        unsafe { self.device.destroy_device(None) }
    }
}

/// Everything a dispatch needs; what has been made so far is destroyed with it. Null handles may be
/// destroyed.
pub struct Work<'a> {
    rig: &'a Rig,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pub pipeline: vk::Pipeline,
    descriptors: vk::DescriptorPool,
    set: vk::DescriptorSet,
    buffers: Vec<(vk::Buffer, vk::DeviceMemory)>,
    pool: vk::CommandPool,
    fence: vk::Fence,
}

impl<'a> Work<'a> {
    /// Nothing yet.
    pub fn new(rig: &'a Rig) -> Self {
        Self {
            rig,
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipeline: vk::Pipeline::null(),
            descriptors: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            buffers: Vec::new(),
            pool: vk::CommandPool::null(),
            fence: vk::Fence::null(),
        }
    }

    /// A pipeline of one set with descriptors of these kinds, and the set.
    pub fn make_pipeline(
        &mut self,
        words: &[u32],
        kinds: &[vk::DescriptorType],
    ) -> Result<(), vk::Result> {
        let d = &self.rig.device;
        let bindings: Vec<_> = kinds
            .iter()
            .zip(0..)
            .map(|(&kind, binding)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            self.set_layout = d.create_descriptor_set_layout(&info, None)?;
            let layouts = [self.set_layout];
            let push = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(PUSH_BYTES)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&push);
            self.layout = d.create_pipeline_layout(&info, None)?;
            let module =
                d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default()
                .stage(stage)
                .layout(self.layout)];
            let made = d.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            d.destroy_shader_module(module, None);
            self.pipeline = made.map_err(|(_, error)| error)?[0];
            let sizes: Vec<_> = kinds
                .iter()
                .map(|&kind| {
                    vk::DescriptorPoolSize::default()
                        .ty(kind)
                        .descriptor_count(1)
                })
                .collect();
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(1)
                .pool_sizes(&sizes);
            self.descriptors = d.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.descriptors)
                .set_layouts(&layouts);
            self.set = d.allocate_descriptor_sets(&info)?[0];
        }
        Ok(())
    }

    /// `parts` buffers of `bytes` each, side by side in one allocation, mapped.
    pub fn memory(
        &mut self,
        parts: u64,
        bytes: u64,
    ) -> Result<(Vec<vk::Buffer>, &'a mut [u32]), vk::Result> {
        let d = &self.rig.device;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::TRANSFER_DST;
        let mut made = Vec::new();
        unsafe {
            let info = vk::MemoryAllocateInfo::default().allocation_size(parts * bytes);
            let memory = d.allocate_memory(&info, None)?;
            for part in 0..parts {
                let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
                let buffer = d.create_buffer(&info, None);
                // The memory goes with the first buffer that it has.
                let owned = if part == 0 {
                    memory
                } else {
                    vk::DeviceMemory::null()
                };
                self.buffers
                    .push((*buffer.as_ref().unwrap_or(&vk::Buffer::null()), owned));
                d.bind_buffer_memory(buffer?, memory, part * bytes)?;
                made.extend(buffer);
            }
            let start = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
            let words =
                std::slice::from_raw_parts_mut(start.cast::<u32>(), (parts * bytes / 4) as usize);
            Ok((made, words))
        }
    }

    /// Puts a buffer into the set.
    pub fn describe(&self, binding: u32, kind: vk::DescriptorType, buffer: vk::Buffer) {
        let info = [vk::DescriptorBufferInfo::default()
            .buffer(buffer)
            .range(vk::WHOLE_SIZE)];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.set)
            .dst_binding(binding)
            .descriptor_type(kind)
            .buffer_info(&info);
        unsafe { self.rig.device.update_descriptor_sets(&[write], &[]) };
    }

    /// Records a dispatch of the pipeline.
    pub fn record(
        &mut self,
        push: &[u32],
        more: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<vk::CommandBuffer, vk::Result> {
        let d = &self.rig.device;
        let bytes: Vec<u8> = push.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        unsafe {
            if self.pool == vk::CommandPool::null() {
                self.pool = d.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
            }
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info)?[0];
            d.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            let point = vk::PipelineBindPoint::COMPUTE;
            d.cmd_bind_pipeline(commands, point, self.pipeline);
            d.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            if !bytes.is_empty() {
                d.cmd_push_constants(
                    commands,
                    self.layout,
                    vk::ShaderStageFlags::COMPUTE,
                    0,
                    &bytes,
                );
            }
            d.cmd_dispatch(commands, 1, 1, 1);
            more(d, commands);
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            d.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
            d.end_command_buffer(commands)?;
            Ok(commands)
        }
    }

    /// Submits, with a fence.
    pub fn submit(&mut self, submit: &vk::SubmitInfo<'_>) -> Result<(), vk::Result> {
        let d = &self.rig.device;
        unsafe {
            if self.fence == vk::Fence::null() {
                self.fence = d.create_fence(&vk::FenceCreateInfo::default(), None)?;
            } else {
                d.reset_fences(&[self.fence])?;
            }
            d.queue_submit(self.rig.queue, std::slice::from_ref(submit), self.fence)
        }
    }

    /// Waits for the last submission.
    pub fn wait(&self) -> Result<(), vk::Result> {
        unsafe {
            self.rig
                .device
                .wait_for_fences(&[self.fence], true, u64::MAX)
        }
    }

    /// Records, submits, waits.
    pub fn run(&mut self, push: &[u32]) -> Result<(), vk::Result> {
        let commands = [self.record(push, |_, _| ())?];
        self.submit(&vk::SubmitInfo::default().command_buffers(&commands))?;
        self.wait()
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            let _ = d.device_wait_idle();
            d.destroy_fence(self.fence, None);
            d.destroy_command_pool(self.pool, None);
            d.destroy_descriptor_pool(self.descriptors, None);
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
            for &(buffer, _) in &self.buffers {
                d.destroy_buffer(buffer, None);
            }
            for &(_, memory) in &self.buffers {
                d.free_memory(memory, None);
            }
        }
    }
}
