//! A device of the driver on the simulator, and the few steps every test takes.

use ash::vk;

/// Everything a test needs.
pub struct Rig {
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub pool: vk::CommandPool,
    _entry: ash::Entry,
}

/// The entry of the driver, on simulated GPUs.
pub fn entry() -> ash::Entry {
    icd::set_kernel_source(std::sync::Arc::new(crate::kernels));
    if let Some(folder) = std::env::var_os(crate::shader_cache::FOLDER) {
        icd::set_shader_cache(Some(icd::ShaderCacheSettings {
            folder: folder.into(),
            max_bytes: 1 << 30,
        }));
    }
    let get = icd::get_instance_proc_addr();
    unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: get,
        })
    }
}

/// Device extensions that tests use.
pub const EXTENSIONS: &[&std::ffi::CStr] = &[
    c"VK_AMD_buffer_marker",
    c"VK_EXT_attachment_feedback_loop_layout",
    c"VK_EXT_border_color_swizzle",
    c"VK_EXT_custom_border_color",
    c"VK_EXT_descriptor_buffer",
    c"VK_EXT_descriptor_heap",
    c"VK_EXT_descriptor_indexing",
    c"VK_EXT_external_memory_acquire_unmodified",
    c"VK_EXT_external_memory_dma_buf",
    c"VK_EXT_external_memory_host",
    c"VK_EXT_attachment_feedback_loop_dynamic_state",
    c"VK_EXT_depth_bias_control",
    c"VK_EXT_depth_clamp_control",
    c"VK_EXT_extended_dynamic_state2",
    c"VK_EXT_extended_dynamic_state3",
    c"VK_EXT_primitive_restart_index",
    c"VK_EXT_vertex_input_dynamic_state",
    c"VK_EXT_host_image_copy",
    c"VK_EXT_legacy_vertex_attributes",
    c"VK_EXT_dynamic_rendering_unused_attachments",
    c"VK_EXT_graphics_pipeline_library",
    c"VK_EXT_nested_command_buffer",
    c"VK_EXT_sample_locations",
    c"VK_EXT_image_2d_view_of_3d",
    c"VK_EXT_image_drm_format_modifier",
    c"VK_EXT_queue_family_foreign",
    c"VK_EXT_image_robustness",
    c"VK_EXT_image_sliced_view_of_3d",
    c"VK_EXT_image_view_min_lod",
    c"VK_EXT_inline_uniform_block",
    c"VK_EXT_mutable_descriptor_type",
    c"VK_EXT_non_seamless_cube_map",
    c"VK_EXT_pipeline_creation_cache_control",
    c"VK_EXT_pipeline_creation_feedback",
    c"VK_EXT_pipeline_robustness",
    c"VK_EXT_private_data",
    c"VK_EXT_robustness2",
    c"VK_EXT_sampler_filter_minmax",
    c"VK_EXT_shader_image_atomic_int64",
    c"VK_EXT_shader_module_identifier",
    c"VK_EXT_shader_object",
    c"VK_EXT_subgroup_size_control",
    c"VK_EXT_host_query_reset",
    c"VK_KHR_buffer_device_address",
    c"VK_KHR_create_renderpass2",
    c"VK_KHR_device_address_commands",
    c"VK_EXT_conditional_rendering",
    c"VK_EXT_transform_feedback",
    c"VK_KHR_depth_stencil_resolve",
    c"VK_KHR_dynamic_rendering",
    c"VK_KHR_dynamic_rendering_local_read",
    c"VK_KHR_external_fence_fd",
    c"VK_KHR_external_memory_fd",
    c"VK_KHR_external_semaphore_fd",
    c"VK_KHR_copy_commands2",
    c"VK_KHR_copy_memory_indirect",
    c"VK_KHR_maintenance4",
    c"VK_KHR_maintenance5",
    c"VK_KHR_maintenance6",
    c"VK_KHR_maintenance7",
    c"VK_KHR_maintenance8",
    c"VK_KHR_maintenance9",
    c"VK_KHR_maintenance10",
    c"VK_KHR_maintenance11",
    c"VK_KHR_map_memory2",
    c"VK_KHR_pipeline_binary",
    c"VK_KHR_pipeline_executable_properties",
    c"VK_KHR_pipeline_library",
    c"VK_KHR_push_descriptor",
    c"VK_KHR_sampler_mirror_clamp_to_edge",
    c"VK_KHR_shader_untyped_pointers",
    c"VK_KHR_sampler_ycbcr_conversion",
    c"VK_EXT_ycbcr_image_arrays",
    c"VK_KHR_synchronization2",
    c"VK_KHR_timeline_semaphore",
    c"VK_NV_compute_shader_derivatives",
];

/// A compute shader's SPIR-V.
pub fn compile(glsl: &str) -> Vec<u32> {
    compile_for("1.1", glsl)
}

/// The same for a version of Vulkan.
pub fn compile_for(vulkan: &str, glsl: &str) -> Vec<u32> {
    let text =
        format!("[require]\nvulkan {vulkan}\n\n[compute shader]\n{glsl}\n[test]\ncompute 1 1 1\n");
    let script = vkrunner::parse(&text, &[]).unwrap();
    let modules = vkrunner::Runner::compile(&script).unwrap();
    modules.into_iter().next().unwrap().1
}

/// Writes the first push constant to the first dwords of buffer 0; the second is their number.
pub fn fill() -> Vec<u32> {
    compile(
        "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint value, count; };
void main()
{
    if (gl_GlobalInvocationID.x < count)
        words[gl_GlobalInvocationID.x] = value;
}",
    )
}

impl Rig {
    pub fn new() -> Self {
        Self::on(0)
    }

    /// On one of [`crate::GPUS`].
    pub fn on(gpu: usize) -> Self {
        Self::create(gpu, false)
    }

    /// On a device with ASTC, which has no textures with aux data.
    pub fn with_astc() -> Self {
        Self::create(0, true)
    }

    fn create(gpu: usize, astc: bool) -> Self {
        let entry = entry();
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        let instance = unsafe { entry.create_instance(&info, None) }.unwrap();
        let physical = unsafe { instance.enumerate_physical_devices() }.unwrap()[gpu];
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let names: Vec<_> = EXTENSIONS.iter().map(|name| name.as_ptr()).collect();
        // Whatever the device offers of these is enabled.
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
        let mut reset = vk::PhysicalDeviceHostQueryResetFeatures::default();
        let mut executable = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
        let mut synchronization = vk::PhysicalDeviceSynchronization2Features::default();
        let mut maintenance = vk::PhysicalDeviceMaintenance4Features::default();
        let mut ranges = vk::PhysicalDeviceMaintenance5FeaturesKHR::default();
        let mut robustness = vk::PhysicalDevicePipelineRobustnessFeaturesEXT::default();
        let mut structures = vk::PhysicalDeviceMaintenance6FeaturesKHR::default();
        let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default();
        let mut indexing = vk::PhysicalDeviceDescriptorIndexingFeatures::default();
        let mut inline = vk::PhysicalDeviceInlineUniformBlockFeatures::default();
        let mut mutable = vk::PhysicalDeviceMutableDescriptorTypeFeaturesEXT::default();
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default();
        let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default();
        let mut caching = vk::PhysicalDevicePipelineCreationCacheControlFeatures::default();
        let mut borders = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default();
        let mut turned = vk::PhysicalDeviceBorderColorSwizzleFeaturesEXT::default();
        let mut seams = vk::PhysicalDeviceNonSeamlessCubeMapFeaturesEXT::default();
        let mut slices = vk::PhysicalDeviceImage2DViewOf3DFeaturesEXT::default();
        let mut least = vk::PhysicalDeviceImageViewMinLodFeaturesEXT::default();
        let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
        let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default();
        let mut reads = vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR::default();
        let mut inputs = vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT::default();
        let mut states2 = vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT::default();
        let mut states3 = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT::default();
        let mut biases = vk::PhysicalDeviceDepthBiasControlFeaturesEXT::default();
        let mut enables =
            vk::PhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT::default();
        let mut host = vk::PhysicalDeviceHostImageCopyFeaturesEXT::default();
        let mut unused = vk::PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT::default();
        let mut libraries = vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT::default();
        let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::default();
        let mut nested = vk::PhysicalDeviceNestedCommandBufferFeaturesEXT::default();
        let mut quads = vk::PhysicalDeviceComputeShaderDerivativesFeaturesNV::default();
        let mut private = vk::PhysicalDevicePrivateDataFeatures::default();
        let mut loops = vk::PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT::default();
        let mut texels = vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut texels)
            .push_next(&mut sizes)
            .push_next(&mut private)
            .push_next(&mut loops)
            .push_next(&mut quads)
            .push_next(&mut reads)
            .push_next(&mut unused)
            .push_next(&mut nested)
            .push_next(&mut libraries)
            .push_next(&mut objects)
            .push_next(&mut host)
            .push_next(&mut inputs)
            .push_next(&mut states2)
            .push_next(&mut states3)
            .push_next(&mut biases)
            .push_next(&mut enables)
            .push_next(&mut caching)
            .push_next(&mut addresses)
            .push_next(&mut buffers)
            .push_next(&mut indexing)
            .push_next(&mut inline)
            .push_next(&mut mutable)
            .push_next(&mut timeline)
            .push_next(&mut reset)
            .push_next(&mut executable)
            .push_next(&mut synchronization)
            .push_next(&mut maintenance)
            .push_next(&mut ranges)
            .push_next(&mut robustness)
            .push_next(&mut structures)
            .push_next(&mut borders)
            .push_next(&mut turned)
            .push_next(&mut seams)
            .push_next(&mut slices)
            .push_next(&mut least)
            .push_next(&mut robust)
            .push_next(&mut rendering);
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        features.features.texture_compression_astc_ldr &= vk::Bool32::from(astc);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        let device = unsafe { instance.create_device(physical, &info, None) }.unwrap();
        let queue = unsafe { device.get_device_queue(0, 0) };
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        let pool = unsafe { device.create_command_pool(&info, None) }.unwrap();
        Self {
            instance,
            physical,
            device,
            queue,
            pool,
            _entry: entry,
        }
    }

    /// A statistic of the first executable of a pipeline.
    pub fn statistic(&self, pipeline: vk::Pipeline, name: &std::ffi::CStr) -> u64 {
        let executables =
            ash::khr::pipeline_executable_properties::Device::new(&self.instance, &self.device);
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        let rows = unsafe { executables.get_pipeline_executable_statistics(&info) }.unwrap();
        let named = |row: &&vk::PipelineExecutableStatisticKHR<'_>| row.name_as_c_str() == Ok(name);
        unsafe { rows.iter().find(named).unwrap().value.u64 }
    }

    pub fn buffer(&self, bytes: u64) -> Buffer<'_> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        self.buffer_for(bytes, usage)
    }

    pub fn buffer_for(&self, bytes: u64, usage: vk::BufferUsageFlags) -> Buffer<'_> {
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        unsafe {
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let wants = self.device.get_buffer_memory_requirements(buffer);
            let mut flags = vk::MemoryAllocateFlagsInfo::default()
                .flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(wants.size)
                .memory_type_index(wants.memory_type_bits.trailing_zeros())
                .push_next(&mut flags);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let data = self
                .device
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .unwrap();
            let data = std::slice::from_raw_parts_mut(data.cast::<u8>(), bytes as usize);
            Buffer {
                rig: self,
                buffer,
                memory,
                data,
            }
        }
    }

    pub fn command_buffer(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        unsafe { self.device.allocate_command_buffers(&info) }.unwrap()[0]
    }

    pub fn record(&self, body: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
        let commands = self.command_buffer(vk::CommandBufferLevel::PRIMARY);
        self.record_into(commands, body).unwrap();
        commands
    }

    pub fn record_into(
        &self,
        commands: vk::CommandBuffer,
        body: impl FnOnce(vk::CommandBuffer),
    ) -> Result<(), vk::Result> {
        unsafe {
            self.device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            body(commands);
            self.device.end_command_buffer(commands)
        }
    }

    pub fn barrier(&self, commands: vk::CommandBuffer) {
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        unsafe {
            self.device.cmd_pipeline_barrier(
                commands,
                all,
                all | vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
        }
    }

    pub fn submit(&self, commands: &[vk::CommandBuffer], fence: vk::Fence) {
        let submit = [vk::SubmitInfo::default().command_buffers(commands)];
        unsafe { self.device.queue_submit(self.queue, &submit, fence) }.unwrap();
    }

    pub fn run(&self, body: impl FnOnce(vk::CommandBuffer)) {
        let commands = self.record(|commands| {
            body(commands);
            self.barrier(commands);
        });
        unsafe {
            let fence = self
                .device
                .create_fence(&vk::FenceCreateInfo::default(), None)
                .unwrap();
            self.submit(&[commands], fence);
            self.device
                .wait_for_fences(&[fence], true, u64::MAX)
                .unwrap();
            self.device.destroy_fence(fence, None);
            self.device.free_command_buffers(self.pool, &[commands]);
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

pub struct Buffer<'a> {
    pub rig: &'a Rig,
    pub buffer: vk::Buffer,
    pub memory: vk::DeviceMemory,
    pub data: &'a mut [u8],
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        unsafe {
            let _ = self.rig.device.device_wait_idle();
            self.rig.device.destroy_buffer(self.buffer, None);
            self.rig.device.free_memory(self.memory, None);
        }
    }
}

impl Buffer<'_> {
    /// Writes dwords from the start on.
    pub fn write_dwords(&mut self, dwords: &[u32]) {
        for (to, from) in self.data.chunks_exact_mut(4).zip(dwords) {
            to.copy_from_slice(&from.to_le_bytes());
        }
    }

    pub fn dwords(&self) -> Vec<u32> {
        self.data
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }
}

/// A compute pipeline of one set of dynamic or plain storage buffers, with its descriptor set.
pub struct Kernel {
    pub set_layout: vk::DescriptorSetLayout,
    pub layout: vk::PipelineLayout,
    pub descriptors: vk::DescriptorPool,
    pub set: vk::DescriptorSet,
    pub pipeline: vk::Pipeline,
}

impl Kernel {
    pub fn new(
        rig: &Rig,
        words: &[u32],
        kind: vk::DescriptorType,
        buffers: &[&Buffer<'_>],
        cache: vk::PipelineCache,
    ) -> Self {
        let d = &rig.device;
        unsafe {
            let bindings: Vec<_> = (0..buffers.len() as u32)
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(kind)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
            let layouts = [set_layout];
            let push = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(256)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&push);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            let sizes = [vk::DescriptorPoolSize::default()
                .ty(kind)
                .descriptor_count(buffers.len() as u32)];
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(1)
                .pool_sizes(&sizes);
            let descriptors = d.create_descriptor_pool(&info, None).unwrap();
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(descriptors)
                .set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info).unwrap()[0];
            for (binding, buffer) in buffers.iter().enumerate() {
                let info = [vk::DescriptorBufferInfo::default()
                    .buffer(buffer.buffer)
                    .range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding as u32)
                    .descriptor_type(kind)
                    .buffer_info(&info);
                d.update_descriptor_sets(&[write], &[]);
            }
            let module = d
                .create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)
                .unwrap();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::DISPATCH_BASE)
                .stage(stage)
                .layout(layout)];
            let pipeline = d.create_compute_pipelines(cache, &info, None).unwrap()[0];
            d.destroy_shader_module(module, None);
            Self {
                set_layout,
                layout,
                descriptors,
                set,
                pipeline,
            }
        }
    }

    pub fn bind(&self, rig: &Rig, commands: vk::CommandBuffer, offsets: &[u32], push: &[u32]) {
        let bytes: Vec<u8> = push.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        unsafe {
            rig.device
                .cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipeline);
            rig.device.cmd_bind_descriptor_sets(
                commands,
                vk::PipelineBindPoint::COMPUTE,
                self.layout,
                0,
                &[self.set],
                offsets,
            );
            rig.device.cmd_push_constants(
                commands,
                self.layout,
                vk::ShaderStageFlags::COMPUTE,
                0,
                &bytes,
            );
        }
    }

    pub fn destroy(self, rig: &Rig) {
        unsafe {
            rig.device.destroy_pipeline(self.pipeline, None);
            rig.device.destroy_descriptor_pool(self.descriptors, None);
            rig.device.destroy_pipeline_layout(self.layout, None);
            rig.device
                .destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
