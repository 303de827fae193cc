//! Push, inline uniform block, variable count, update-after-bind and mutable descriptors.

use ash::vk;

use crate::compute::compute_pipeline;
use crate::images::Image;
use crate::rig::{Buffer, Rig, compile};
use crate::textures::{COLOUR, fill, image_info, nearest, view};

const COMPUTE: vk::ShaderStageFlags = vk::ShaderStageFlags::COMPUTE;
const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const UNIFORM: vk::DescriptorType = vk::DescriptorType::UNIFORM_BUFFER;
const INLINE: vk::DescriptorType = vk::DescriptorType::INLINE_UNIFORM_BLOCK;

/// A pipeline of one set layout.
pub struct Program<'a> {
    rig: &'a Rig,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
}

impl<'a> Program<'a> {
    /// Bindings are type, count and flags.
    pub fn new(
        rig: &'a Rig,
        glsl: &str,
        flags: vk::DescriptorSetLayoutCreateFlags,
        bindings: &[(vk::DescriptorType, u32, vk::DescriptorBindingFlags)],
    ) -> Self {
        let d = &rig.device;
        let of_each: Vec<_> = bindings.iter().map(|binding| binding.2).collect();
        let mut of_each =
            vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&of_each);
        let list: Vec<_> = (0..)
            .zip(bindings)
            .map(|(number, &(kind, count, _))| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(number)
                    .descriptor_type(kind)
                    .descriptor_count(count)
                    .stage_flags(COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(flags)
            .bindings(&list)
            .push_next(&mut of_each);
        unsafe {
            let mut support = vk::DescriptorSetLayoutSupport::default();
            d.get_descriptor_set_layout_support(&info, &mut support);
            assert_eq!(support.supported, vk::TRUE);
            let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
            let (layout, pipeline) = compute_pipeline(rig, glsl, set_layout);
            // Room for two sets.
            let sizes: Vec<_> = bindings
                .iter()
                .map(|&(kind, count, _)| {
                    vk::DescriptorPoolSize::default()
                        .ty(kind)
                        .descriptor_count(2 * count)
                })
                .collect();
            let mut blocks = vk::DescriptorPoolInlineUniformBlockCreateInfo::default()
                .max_inline_uniform_block_bindings(4);
            let info = vk::DescriptorPoolCreateInfo::default()
                .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
                .max_sets(2)
                .pool_sizes(&sizes)
                .push_next(&mut blocks);
            Self {
                rig,
                set_layout,
                layout,
                pipeline,
                pool: d.create_descriptor_pool(&info, None).unwrap(),
            }
        }
    }

    /// A set, with a number of descriptors in the last binding, if that is variable.
    pub fn set(&self, variable: u32) -> Result<vk::DescriptorSet, vk::Result> {
        let (layouts, counts) = ([self.set_layout], [variable]);
        let mut variable = vk::DescriptorSetVariableDescriptorCountAllocateInfo::default()
            .descriptor_counts(&counts);
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts)
            .push_next(&mut variable);
        unsafe { self.rig.device.allocate_descriptor_sets(&info) }.map(|sets| sets[0])
    }

    /// Dispatches one workgroup, with the set if it is given.
    pub fn dispatch(&self, commands: vk::CommandBuffer, set: Option<vk::DescriptorSet>) {
        let (d, bind) = (&self.rig.device, vk::PipelineBindPoint::COMPUTE);
        unsafe {
            d.cmd_bind_pipeline(commands, bind, self.pipeline);
            if let Some(set) = set {
                d.cmd_bind_descriptor_sets(commands, bind, self.layout, 0, &[set], &[]);
            }
            d.cmd_dispatch(commands, 1, 1, 1);
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// The descriptor of a whole buffer.
pub fn whole(buffer: &Buffer<'_>) -> [vk::DescriptorBufferInfo; 1] {
    [vk::DescriptorBufferInfo::default()
        .buffer(buffer.buffer)
        .range(vk::WHOLE_SIZE)]
}

/// Writes a buffer to a binding and element.
pub fn write(
    rig: &Rig,
    set: vk::DescriptorSet,
    place: (u32, u32),
    kind: vk::DescriptorType,
    buffer: &Buffer<'_>,
) {
    let info = whole(buffer);
    let write = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .dst_binding(place.0)
        .dst_array_element(place.1)
        .descriptor_type(kind)
        .buffer_info(&info);
    unsafe { rig.device.update_descriptor_sets(&[write], &[]) };
}

/// A buffer that begins with a dword.
pub fn holding(rig: &Rig, dword: u32) -> Buffer<'_> {
    let buffer = rig.buffer(256);
    buffer.data[..4].copy_from_slice(&dword.to_le_bytes());
    buffer
}

const NONE: vk::DescriptorBindingFlags = vk::DescriptorBindingFlags::empty();

#[test]
fn push_descriptors_persist_until_pushed_again() {
    let rig = Rig::new();
    let push = ash::khr::push_descriptor::Device::new(&rig.instance, &rig.device);
    let program = Program::new(
        &rig,
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform A { uint a; };
layout(std430, binding = 2) buffer B { uint b; };
void main() { r[r[0]] = a * 100u + b; r[0]++; }",
        vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        &[(STORAGE, 1, NONE), (UNIFORM, 1, NONE), (STORAGE, 1, NONE)],
    );
    let out = holding(&rig, 1);
    let values = [3, 4, 5].map(|value| holding(&rig, value));
    let [three, four, five] = values.each_ref().map(whole);
    let result = whole(&out);
    let at = |binding, kind, info| {
        vk::WriteDescriptorSet::default()
            .dst_binding(binding)
            .descriptor_type(kind)
            .buffer_info(info)
    };
    let bind = vk::PipelineBindPoint::COMPUTE;
    let entries = [vk::DescriptorUpdateTemplateEntry {
        dst_binding: 1,
        descriptor_count: 1,
        descriptor_type: UNIFORM,
        offset: 8,
        ..Default::default()
    }];
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
        .pipeline_bind_point(bind)
        .pipeline_layout(program.layout);
    unsafe {
        let template = rig
            .device
            .create_descriptor_update_template(&info, None)
            .unwrap();
        rig.run(|commands| {
            let all = [
                at(0, STORAGE, &result),
                at(1, UNIFORM, &three),
                at(2, STORAGE, &four),
            ];
            push.cmd_push_descriptor_set(commands, bind, program.layout, 0, &all);
            program.dispatch(commands, None);
            rig.barrier(commands);
            push.cmd_push_descriptor_set(
                commands,
                bind,
                program.layout,
                0,
                &[at(2, STORAGE, &five)],
            );
            program.dispatch(commands, None);
            rig.barrier(commands);
            let data = (0u64, five[0]);
            let data: *const (u64, vk::DescriptorBufferInfo) = &data;
            let base = (&raw const (*data).1).byte_sub(8).cast();
            (push.fp().cmd_push_descriptor_set_with_template_khr)(
                commands,
                template,
                program.layout,
                0,
                base,
            );
            program.dispatch(commands, None);
        });
        assert_eq!(out.dwords()[..5], [4, 304, 305, 505, 0]);
        rig.device
            .destroy_descriptor_update_template(template, None);
    }
    // There are no sets of such a layout.
    assert!(program.set(0).is_err());
}

#[test]
fn inline_uniform_blocks() {
    let rig = Rig::new();
    let d = &rig.device;
    let program = Program::new(
        &rig,
        "#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform A { uvec4 a[5]; };
layout(std140, binding = 2) uniform B { uvec4 b[2]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    if (i < 20u) r[i] = a[i / 4u][i % 4u];
    if (i < 8u) r[i + 20u] = b[i / 4u][i % 4u];
}",
        vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL,
        &[
            (STORAGE, 1, NONE),
            (INLINE, 80, vk::DescriptorBindingFlags::UPDATE_AFTER_BIND),
            (INLINE, 32, NONE),
        ],
    );
    let (first, second) = (program.set(0).unwrap(), program.set(0).unwrap());
    let bytes: Vec<u8> = (100..128u32).flat_map(u32::to_le_bytes).collect();
    let put = |set, offset, bytes: &[u8]| {
        let mut block = vk::WriteDescriptorSetInlineUniformBlock::default().data(bytes);
        let write = vk::WriteDescriptorSet {
            descriptor_count: bytes.len() as u32,
            ..vk::WriteDescriptorSet::default()
        };
        let write = write
            .dst_set(set)
            .dst_binding(1)
            .dst_array_element(offset)
            .descriptor_type(INLINE)
            .push_next(&mut block);
        unsafe { d.update_descriptor_sets(&[write], &[]) };
    };
    let (a, b) = (rig.buffer(256), rig.buffer(256));
    write(&rig, first, (0, 0), STORAGE, &a);
    write(&rig, second, (0, 0), STORAGE, &b);
    // Across the lines of the heap, and on into the next block.
    put(first, 0, &bytes[..60]);
    put(first, 60, &bytes[60..]);
    let copy = vk::CopyDescriptorSet::default()
        .src_set(first)
        .src_binding(1)
        .src_array_element(4)
        .dst_set(second)
        .dst_binding(1)
        .dst_array_element(8)
        .descriptor_count(72);
    put(second, 0, &[0; 112]);
    unsafe { d.update_descriptor_sets(&[], &[copy]) };
    rig.run(|commands| {
        program.dispatch(commands, Some(first));
        program.dispatch(commands, Some(second));
    });
    let expected: Vec<u32> = (100..128).collect();
    assert_eq!(a.dwords()[..28], expected);
    assert_eq!(b.dwords()[..2], [0, 0]);
    assert_eq!(b.dwords()[2..20], expected[1..19]);
    assert_eq!(b.dwords()[20..28], [0; 8]);
    // Written after it was bound, by a template.
    let entries = [vk::DescriptorUpdateTemplateEntry {
        dst_binding: 2,
        dst_array_element: 16,
        descriptor_count: 16,
        descriptor_type: INLINE,
        ..Default::default()
    }];
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
        .descriptor_set_layout(program.set_layout);
    unsafe {
        let template = d.create_descriptor_update_template(&info, None).unwrap();
        let commands = rig.record(|commands| {
            program.dispatch(commands, Some(second));
            rig.barrier(commands);
        });
        d.update_descriptor_set_with_template(second, template, [7u32, 8, 9, 10].as_ptr().cast());
        rig.submit(&[commands], vk::Fence::null());
        d.queue_wait_idle(rig.queue).unwrap();
        assert_eq!(b.dwords()[20..28], [0, 0, 0, 0, 7, 8, 9, 10]);
        d.destroy_descriptor_update_template(template, None);
    }
}

#[test]
fn variable_descriptor_count_and_update_after_bind() {
    use vk::DescriptorBindingFlags as Flags;
    let rig = Rig::new();
    let program = Program::new(
        &rig,
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std430, binding = 1) buffer In { uint v; } inputs[];
void main()
{
    for (uint i = 1u; i <= r[0]; i++)
        r[i] = inputs[r[i]].v;
}",
        vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL,
        &[
            (STORAGE, 1, Flags::UPDATE_AFTER_BIND),
            (
                STORAGE,
                1000,
                Flags::UPDATE_AFTER_BIND
                    | Flags::PARTIALLY_BOUND
                    | Flags::UPDATE_UNUSED_WHILE_PENDING
                    | Flags::VARIABLE_DESCRIPTOR_COUNT,
            ),
        ],
    );
    assert!(program.set(1001).is_err());
    let (small, large) = (program.set(3).unwrap(), program.set(900).unwrap());
    let (a, b) = (rig.buffer(256), rig.buffer(256));
    let values = [10, 20, 30, 40].map(|value| holding(&rig, value));
    let commands = rig.record(|commands| {
        program.dispatch(commands, Some(small));
        program.dispatch(commands, Some(large));
        rig.barrier(commands);
    });
    write(&rig, small, (0, 0), STORAGE, &a);
    write(&rig, large, (0, 0), STORAGE, &b);
    // Element 1 of the one, and most of the other, are never written nor used.
    for (set, element, which) in [(small, 0, 0), (small, 2, 1), (large, 1, 2), (large, 899, 3)] {
        write(&rig, set, (1, element), STORAGE, &values[which]);
    }
    // Beyond the count of its set: the neighbour keeps what it has.
    write(&rig, small, (1, 3), STORAGE, &values[2]);
    let indices = |buffer: &mut Buffer<'_>, list: [u32; 3]| {
        for (to, from) in buffer.data.chunks_exact_mut(4).zip(list) {
            to.copy_from_slice(&from.to_le_bytes());
        }
    };
    let (mut a, mut b) = (a, b);
    indices(&mut a, [2, 2, 0]);
    indices(&mut b, [2, 1, 899]);
    rig.submit(&[commands], vk::Fence::null());
    unsafe { rig.device.queue_wait_idle(rig.queue) }.unwrap();
    assert_eq!(a.dwords()[..4], [2, 20, 10, 0]);
    assert_eq!(b.dwords()[..4], [2, 30, 40, 0]);
}

#[test]
fn mutable_descriptor_has_the_last_written_type() {
    let rig = Rig::new();
    let mutable = vk::DescriptorType::MUTABLE_EXT;
    let program = Program::new(
        &rig,
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform A { uint v; } as_uniform[2];
layout(std430, binding = 1) buffer B { uint v; } as_storage[2];
void main() { r[0] = as_uniform[0].v; r[1] = as_storage[1].v; as_storage[1].v = 77u; }",
        vk::DescriptorSetLayoutCreateFlags::empty(),
        &[(STORAGE, 1, NONE), (mutable, 2, NONE)],
    );
    let (set, other) = (program.set(0).unwrap(), program.set(0).unwrap());
    let out = rig.buffer(256);
    let (five, six) = (holding(&rig, 5), holding(&rig, 6));
    write(&rig, set, (0, 0), STORAGE, &out);
    write(&rig, set, (1, 0), STORAGE, &six);
    write(&rig, set, (1, 0), UNIFORM, &five);
    write(&rig, set, (1, 1), STORAGE, &six);
    let copy = |binding, count| {
        vk::CopyDescriptorSet::default()
            .src_set(set)
            .src_binding(binding)
            .dst_set(other)
            .dst_binding(binding)
            .descriptor_count(count)
    };
    unsafe {
        rig.device
            .update_descriptor_sets(&[], &[copy(0, 1), copy(1, 2)])
    };
    rig.run(|commands| program.dispatch(commands, Some(other)));
    assert_eq!(out.dwords()[..2], [5, 6]);
    assert_eq!((five.dwords()[0], six.dwords()[0]), (5, 77));
}

#[test]
fn image_and_texel_buffer_descriptors_updated_after_bind() {
    use vk::DescriptorBindingFlags as Flags;
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let late = Flags::UPDATE_AFTER_BIND | Flags::PARTIALLY_BOUND;
    let program = Program::new(
        &rig,
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(binding = 1) uniform usampler2D image[2];
layout(binding = 2, r32ui) uniform uimage2D picture[2];
layout(binding = 3) uniform usamplerBuffer texels[2];
layout(binding = 4, r32ui) uniform uimageBuffer line[2];
void main()
{
    r[0] = texelFetch(image[1], ivec2(2, 1), 0).x;
    r[1] = imageLoad(picture[1], ivec2(2, 1)).x;
    r[2] = texelFetch(texels[1], 3).x;
    r[3] = imageLoad(line[1], 4).x;
}",
        vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL,
        &[
            (STORAGE, 1, late),
            (T::COMBINED_IMAGE_SAMPLER, 2, late),
            (T::STORAGE_IMAGE, 2, late),
            (T::UNIFORM_TEXEL_BUFFER, 2, late),
            (T::STORAGE_TEXEL_BUFFER, 2, late),
        ],
    );
    let set = program.set(2).unwrap();
    let format = vk::Format::R32_UINT;
    let info = image_info(format, [4, 4, 1], 1, 1).usage(
        vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::TRANSFER_DST,
    );
    let image = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..16u32).flat_map(|at| (at + 50).to_le_bytes()).collect();
    fill(&rig, &image, &info, &bytes);
    let usage =
        vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    let numbers = rig.buffer_for(64, usage);
    numbers.data.copy_from_slice(&bytes);
    let out = rig.buffer(16);
    let commands = rig.record(|commands| program.dispatch(commands, Some(set)));
    write(&rig, set, (0, 0), STORAGE, &out);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let info = vk::BufferViewCreateInfo::default()
        .buffer(numbers.buffer)
        .format(format)
        .range(vk::WHOLE_SIZE);
    unsafe {
        let d = &rig.device;
        let texels = [d.create_buffer_view(&info, None).unwrap()];
        let sampler = d.create_sampler(&nearest(), None).unwrap();
        let images = [vk::DescriptorImageInfo {
            sampler,
            image_view: seen,
            image_layout: vk::ImageLayout::GENERAL,
        }];
        let one = |binding, kind| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .dst_array_element(1)
                .descriptor_type(kind)
        };
        let writes = [
            one(1, T::COMBINED_IMAGE_SAMPLER).image_info(&images),
            one(2, T::STORAGE_IMAGE).image_info(&images),
            one(3, T::UNIFORM_TEXEL_BUFFER).texel_buffer_view(&texels),
            one(4, T::STORAGE_TEXEL_BUFFER).texel_buffer_view(&texels),
        ];
        d.update_descriptor_sets(&writes, &[]);
        rig.submit(&[commands], vk::Fence::null());
        d.queue_wait_idle(rig.queue).unwrap();
        assert_eq!(out.dwords(), [56, 56, 53, 54]);
        d.destroy_sampler(sampler, None);
        d.destroy_buffer_view(texels[0], None);
        d.destroy_image_view(seen, None);
    }
}

#[test]
fn the_maximum_number_of_sets_can_be_bound() {
    let rig = Rig::new();
    let d = &rig.device;
    let properties = unsafe { rig.instance.get_physical_device_properties(rig.physical) };
    let sets = properties.limits.max_bound_descriptor_sets;
    assert_eq!(sets, 32);
    let blocks = (0..sets).map(|set| {
        format!("layout(set = {set}, binding = 0) buffer Block{set} {{ uint value; }} block{set};")
    });
    let writes = (0..sets).map(|set| format!("block{set}.value = {}u;", 1000 + 7 * set));
    let glsl = format!(
        "#version 450\n{}\nvoid main() {{ {} }}",
        blocks.collect::<String>(),
        writes.collect::<String>()
    );
    let buffer = rig.buffer(64 * u64::from(sets));
    unsafe {
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(STORAGE)
            .descriptor_count(1)
            .stage_flags(COMPUTE)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
        let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
        let layouts = vec![set_layout; sets as usize];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let words = compile(&glsl);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let pipeline = d.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        let pipeline = pipeline.unwrap()[0];
        d.destroy_shader_module(module, None);
        let size = [vk::DescriptorPoolSize::default()
            .ty(STORAGE)
            .descriptor_count(sets)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(sets)
            .pool_sizes(&size);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        let made = d.allocate_descriptor_sets(&info).unwrap();
        for (number, &set) in (0..).zip(&made) {
            let info = [vk::DescriptorBufferInfo {
                buffer: buffer.buffer,
                offset: 64 * number,
                range: 4,
            }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .descriptor_type(STORAGE)
                .buffer_info(&info);
            d.update_descriptor_sets(&[write], &[]);
        }
        rig.run(|commands| {
            let bind = vk::PipelineBindPoint::COMPUTE;
            d.cmd_bind_pipeline(commands, bind, pipeline);
            d.cmd_bind_descriptor_sets(commands, bind, layout, 0, &made, &[]);
            d.cmd_dispatch(commands, 1, 1, 1);
        });
        d.destroy_descriptor_pool(pool, None);
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
    }
    let written: Vec<u32> = buffer.dwords().into_iter().step_by(16).collect();
    let meant: Vec<u32> = (0..sets).map(|set| 1000 + 7 * set).collect();
    assert_eq!(written, meant);
}

/// Samplers of one layout are adjacent; those of the other, whose last binding has a variable
/// count, are beside their images.
#[test]
fn samplers_are_copied_between_different_layouts() {
    use vk::DescriptorBindingFlags as Flags;
    use vk::DescriptorType as T;
    const ALONE: u32 = 3;
    const COMBINED: u32 = 9;
    let rig = Rig::new();
    let d = &rig.device;
    let program = |last| {
        Program::new(
            &rig,
            "#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { float r[]; };
layout(binding = 1) uniform sampler alone[3];
layout(binding = 2) uniform texture2D picture;
layout(binding = 3) uniform sampler2D combined[];
void main()
{
    vec2 beyond = vec2(5.0);
    for (int i = 0; i < 3; i++)
        r[i] = textureLod(sampler2D(picture, alone[i]), beyond, 0.0).x;
    for (int i = 0; i < 8; i++)
        r[3 + i] = textureLod(combined[i], beyond, 0.0).x;
    r[11] = textureLod(combined[8], beyond, 0.0).x;
}",
            vk::DescriptorSetLayoutCreateFlags::empty(),
            &[
                (STORAGE, 1, NONE),
                (T::SAMPLER, ALONE, NONE),
                (T::SAMPLED_IMAGE, 1, NONE),
                (T::COMBINED_IMAGE_SAMPLER, COMBINED, last),
            ],
        )
    };
    let (apart, sized) = (program(NONE), program(Flags::VARIABLE_DESCRIPTOR_COUNT));
    let sets = [apart.set(0), sized.set(COMBINED), apart.set(0)].map(Result::unwrap);
    let outs = [(); 3].map(|()| rig.buffer(64));
    let info = image_info(vk::Format::R8G8B8A8_UNORM, [4, 4, 1], 1, 1);
    let image = Image::new(&rig, &info);
    fill(&rig, &image, &info, &[0x80; 64]);
    let kind = vk::ImageViewType::TYPE_2D;
    let seen = view(&rig, &image, kind, vk::Format::R8G8B8A8_UNORM, COLOUR);
    // Beyond the image some return white, the others black.
    let white = |number: u32| number % 3 == 1 || number == 8;
    unsafe {
        let border = vk::SamplerAddressMode::CLAMP_TO_BORDER;
        let colours = [
            vk::BorderColor::FLOAT_OPAQUE_BLACK,
            vk::BorderColor::FLOAT_OPAQUE_WHITE,
        ];
        let samplers = colours.map(|colour| {
            let info = nearest()
                .address_mode_u(border)
                .address_mode_v(border)
                .border_color(colour);
            d.create_sampler(&info, None).unwrap()
        });
        let described = |number| {
            [vk::DescriptorImageInfo {
                sampler: samplers[usize::from(white(number))],
                image_view: seen,
                image_layout: vk::ImageLayout::GENERAL,
            }]
        };
        let put = |binding, element, kind, number| {
            let images = described(number);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[0])
                .dst_binding(binding)
                .dst_array_element(element)
                .descriptor_type(kind)
                .image_info(&images);
            d.update_descriptor_sets(&[write], &[]);
        };
        put(2, 0, T::SAMPLED_IMAGE, 0);
        (0..ALONE).for_each(|n| put(1, n, T::SAMPLER, n));
        (0..COMBINED).for_each(|n| put(3, n, T::COMBINED_IMAGE_SAMPLER, ALONE + n));
        for pair in sets.windows(2) {
            let copies = [(1, ALONE), (2, 1), (3, COMBINED)].map(|(binding, count)| {
                vk::CopyDescriptorSet::default()
                    .src_set(pair[0])
                    .src_binding(binding)
                    .dst_set(pair[1])
                    .dst_binding(binding)
                    .descriptor_count(count)
            });
            d.update_descriptor_sets(&[], &copies);
        }
        for (&set, out) in sets.iter().zip(&outs) {
            write(&rig, set, (0, 0), STORAGE, out);
        }
        rig.run(|commands| {
            apart.dispatch(commands, Some(sets[0]));
            sized.dispatch(commands, Some(sets[1]));
            apart.dispatch(commands, Some(sets[2]));
        });
        let expected: Vec<u32> = (0..ALONE + COMBINED)
            .map(|n| f32::from(u8::from(white(n))).to_bits())
            .collect();
        for (which, out) in outs.iter().enumerate() {
            assert_eq!(out.dwords()[..expected.len()], expected, "set {which}");
        }
        for sampler in samplers {
            d.destroy_sampler(sampler, None);
        }
        d.destroy_image_view(seen, None);
    }
}

/// The planes of a conversion count for several (`combinedImageSamplerDescriptorCount`), which
/// applications forget.
#[test]
fn pools_reserve_descriptors_for_ycbcr_planes() {
    let rig = Rig::new();
    let d = &rig.device;
    let info = vk::SamplerYcbcrConversionCreateInfo::default()
        .format(vk::Format::G8_B8_R8_3PLANE_420_UNORM)
        .ycbcr_model(vk::SamplerYcbcrModelConversion::YCBCR_709)
        .chroma_filter(vk::Filter::LINEAR);
    unsafe {
        let conversion = d.create_sampler_ycbcr_conversion(&info, None).unwrap();
        let mut by = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
        let info = vk::SamplerCreateInfo::default().push_next(&mut by);
        let samplers = [d.create_sampler(&info, None).unwrap(); 4];
        let combined = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(combined)
            .descriptor_count(4)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .immutable_samplers(&samplers)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
        let layouts = [d.create_descriptor_set_layout(&info, None).unwrap(); 3];
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(combined)
            .descriptor_count(12)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(3)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        assert_eq!(d.allocate_descriptor_sets(&info).unwrap().len(), 3);
        d.destroy_descriptor_pool(pool, None);
        d.destroy_descriptor_set_layout(layouts[0], None);
        d.destroy_sampler(samplers[0], None);
        d.destroy_sampler_ycbcr_conversion(conversion, None);
    }
}
