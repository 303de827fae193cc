//! VK_EXT_pipeline_robustness: robustness of each pipeline and stage.

use ash::vk;
use vk::PipelineRobustnessBufferBehaviorEXT as Behavior;

use crate::rig::{Buffer, Rig, compile};

/// Reads four dwords of both buffers from two before their start on. The offsets wrap around, so
/// that a merged read would be out of bounds as a whole.
const READS: &str = "#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { int at; uint r[]; };
layout(std430, binding = 1) readonly buffer Words { uint words[]; };
layout(scalar, binding = 2) uniform Block { uint block[16]; };
void main()
{
    int first = at - 2;
    for (int step = 0; step < 1; step++) {
        r[0] = words[first]; r[1] = words[first + 1]; r[2] = words[first + 2]; r[3] = words[first + 3];
        r[4] = block[first]; r[5] = block[first + 1]; r[6] = block[first + 2]; r[7] = block[first + 3];
    }
}";

/// Storage and uniform buffers: as the structure in a chain has them.
type Behaviors = [Behavior; 2];

fn node(of: Behaviors) -> vk::PipelineRobustnessCreateInfoEXT<'static> {
    vk::PipelineRobustnessCreateInfoEXT::default()
        .storage_buffers(of[0])
        .uniform_buffers(of[1])
}

/// What all pipelines of the test share.
struct Reader<'a> {
    rig: &'a Rig,
    numbers: Buffer<'a>,
    out: Buffer<'a>,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    module: vk::ShaderModule,
    cache: vk::PipelineCache,
}

impl<'a> Reader<'a> {
    fn new(rig: &'a Rig) -> Self {
        use vk::DescriptorType as T;
        let d = &rig.device;
        let kinds = [T::STORAGE_BUFFER, T::STORAGE_BUFFER, T::UNIFORM_BUFFER];
        let bindings: Vec<_> = (0..)
            .zip(kinds)
            .map(|(binding, kind)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .bindings(&bindings)
            .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
        let numbers = rig.buffer(64);
        for (bytes, number) in numbers.data.chunks_exact_mut(4).zip(1u32..) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        let words = compile(READS);
        unsafe {
            let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
            let layouts = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = d.create_shader_module(&info, None).unwrap();
            let info = vk::PipelineCacheCreateInfo::default();
            let cache = d.create_pipeline_cache(&info, None).unwrap();
            Self {
                rig,
                numbers,
                out: rig.buffer(64),
                set_layout,
                layout,
                module,
                cache,
            }
        }
    }

    /// Runs a pipeline with these behaviors: what it reads from each buffer, and its messages.
    fn run(&self, pipeline: Option<Behaviors>, stage: Option<Behaviors>) -> ([Vec<u32>; 2], u64) {
        let d = &self.rig.device;
        let push = ash::khr::push_descriptor::Device::new(&self.rig.instance, d);
        let default = [Behavior::DEVICE_DEFAULT; 2];
        let mut of_stage = node(stage.unwrap_or(default));
        let mut of_pipeline = node(pipeline.unwrap_or(default));
        let mut info = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(c"main");
        if stage.is_some() {
            info = info.push_next(&mut of_stage);
        }
        let mut info = vk::ComputePipelineCreateInfo::default()
            .stage(info)
            .layout(self.layout);
        if pipeline.is_some() {
            info = info.push_next(&mut of_pipeline);
        }
        unsafe {
            let made = d.create_compute_pipelines(self.cache, &[info], None);
            let made = made.unwrap()[0];
            self.rig.run(|commands| {
                let point = vk::PipelineBindPoint::COMPUTE;
                d.cmd_bind_pipeline(commands, point, made);
                let info = |buffer: &Buffer<'_>| {
                    [vk::DescriptorBufferInfo::default()
                        .buffer(buffer.buffer)
                        .range(vk::WHOLE_SIZE)]
                };
                let (out, numbers) = (info(&self.out), info(&self.numbers));
                let write = |binding, kind| {
                    vk::WriteDescriptorSet::default()
                        .dst_binding(binding)
                        .descriptor_type(kind)
                };
                let storage = vk::DescriptorType::STORAGE_BUFFER;
                let writes = [
                    write(0, storage).buffer_info(&out),
                    write(1, storage).buffer_info(&numbers),
                    write(2, vk::DescriptorType::UNIFORM_BUFFER).buffer_info(&numbers),
                ];
                push.cmd_push_descriptor_set(commands, point, self.layout, 0, &writes);
                d.cmd_dispatch(commands, 1, 1, 1);
            });
            let sends = self.rig.statistic(made, c"SEND Count");
            d.destroy_pipeline(made, None);
            let got = self.out.dwords();
            ([got[1..5].to_vec(), got[5..9].to_vec()], sends)
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            d.destroy_pipeline_cache(self.cache, None);
            d.destroy_shader_module(self.module, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

#[test]
fn robustness_belongs_to_the_pipeline_or_the_stage() {
    let rig = Rig::new();
    let reader = Reader::new(&rig);
    let (off, robust, robust2, default) = (
        Behavior::DISABLED,
        Behavior::ROBUST_BUFFER_ACCESS,
        Behavior::ROBUST_BUFFER_ACCESS_2,
        Behavior::DEVICE_DEFAULT,
    );
    // All pipelines share one cache, so its keys have to tell them apart.
    let merged = reader.run(Some([off, off]), None).1;
    // The device has robustBufferAccess enabled. Each type of buffer takes three more messages.
    let robust_both = merged + 6;
    for (pipeline, stage, robust_types) in [
        (None, None, [true, true]),
        (Some([default, default]), None, [true, true]),
        (Some([robust, off]), None, [true, false]),
        (Some([off, robust2]), None, [false, true]),
        // The stage decides, if it has the structure.
        (Some([off, off]), Some([robust, robust2]), [true, true]),
        (Some([robust, robust]), Some([off, off]), [false, false]),
        (Some([off, off]), Some([default, off]), [true, false]),
        (None, Some([off, robust]), [false, true]),
    ] {
        let (read, sends) = reader.run(pipeline, stage);
        for (read, robust) in read.iter().zip(robust_types) {
            if robust {
                assert_eq!(read[..], [0, 0, 1, 2], "{pipeline:?} {stage:?}");
            }
        }
        let merged_types = robust_types.iter().filter(|robust| !**robust).count() as u64;
        let expected = robust_both - 3 * merged_types;
        assert_eq!(sends, expected, "{pipeline:?} {stage:?}");
    }
}

#[test]
fn defaults_are_what_the_hardware_does() {
    use vk::PipelineRobustnessImageBehaviorEXT as Images;
    let rig = Rig::new();
    let mut found = vk::PhysicalDevicePipelineRobustnessPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut all);
    }
    let buffers = [
        found.default_robustness_storage_buffers,
        found.default_robustness_uniform_buffers,
        found.default_robustness_vertex_inputs,
    ];
    let strongest = Behavior::ROBUST_BUFFER_ACCESS_2;
    assert_eq!(buffers, [Behavior::DISABLED, Behavior::DISABLED, strongest]);
    assert_eq!(
        found.default_robustness_images,
        Images::ROBUST_IMAGE_ACCESS_2
    );
}
