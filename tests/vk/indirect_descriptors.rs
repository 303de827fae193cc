//! Sets with more descriptors than the bindless heap has room for.

use ash::vk;

use crate::descriptors::{Program, holding, write};
use crate::images::Image;
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, image_info, nearest, view};

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const UNIFORM: vk::DescriptorType = vk::DescriptorType::UNIFORM_BUFFER;
const POOL: vk::DescriptorSetLayoutCreateFlags =
    vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
/// What Direct3D 12 asks for, rounded up.
const MILLION: u32 = 1 << 20;

/// Descriptors that may be written late, or never.
fn late() -> vk::DescriptorBindingFlags {
    vk::DescriptorBindingFlags::UPDATE_AFTER_BIND | vk::DescriptorBindingFlags::PARTIALLY_BOUND
}

/// Copies descriptors between sets.
fn copy(
    rig: &Rig,
    (source, source_binding, source_element): (vk::DescriptorSet, u32, u32),
    (to, to_binding, to_element): (vk::DescriptorSet, u32, u32),
    count: u32,
) {
    let copy = vk::CopyDescriptorSet::default()
        .src_set(source)
        .src_binding(source_binding)
        .src_array_element(source_element)
        .dst_set(to)
        .dst_binding(to_binding)
        .dst_array_element(to_element)
        .descriptor_count(count);
    unsafe { rig.device.update_descriptor_sets(&[], &[copy]) };
}

#[test]
fn limits_reach_a_million_descriptors_of_each_type() {
    let rig = Rig::new();
    let mut found = vk::PhysicalDeviceDescriptorIndexingProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut all);
    }
    for limit in [
        found.max_per_stage_descriptor_update_after_bind_samplers,
        found.max_per_stage_descriptor_update_after_bind_uniform_buffers,
        found.max_per_stage_descriptor_update_after_bind_storage_buffers,
        found.max_per_stage_descriptor_update_after_bind_sampled_images,
        found.max_per_stage_descriptor_update_after_bind_storage_images,
        found.max_descriptor_set_update_after_bind_samplers,
        found.max_descriptor_set_update_after_bind_uniform_buffers,
        found.max_descriptor_set_update_after_bind_storage_buffers,
        found.max_descriptor_set_update_after_bind_sampled_images,
        found.max_descriptor_set_update_after_bind_storage_images,
    ] {
        assert!(limit >= MILLION, "{limit}");
    }
    assert!(found.max_per_stage_update_after_bind_resources >= 5 * MILLION);
    assert!(found.max_update_after_bind_descriptors_in_all_pools >= 5 * MILLION);
}

#[test]
fn a_million_buffers() {
    let rig = Rig::new();
    let program = Program::new(
        &rig,
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform U { uvec4 v; } uniforms[1048576];
layout(std430, binding = 2) buffer S { uint v[]; } buffers[];
void main()
{
    uint i = gl_LocalInvocationIndex;
    // The last, a middle and the first element, each by several lanes.
    uint element = i % 3u == 0u ? 1048575u : i % 3u == 1u ? 77777u : 0u;
    r[i] = buffers[nonuniformEXT(element)].v[0] + uniforms[nonuniformEXT(element)].v.y;
    atomicAdd(buffers[nonuniformEXT(element)].v[1], i);
    if (i == 0u) r[8] = buffers[77777].v.length();
    // Dword 2 is the last one, and what follows does not exist.
    if (i == 1u) r[9] = buffers[77777].v[2];
    if (i == 2u) r[10] = buffers[77777].v[3] + buffers[77777].v[0x3fffffff];
    if (i == 3u) buffers[0].v[64] = 9u;
    if (i == 4u) atomicAdd(buffers[0].v[65], 9u);
    buffers[1048575].v[2 + i] = 100u + i;
}",
        POOL,
        &[
            (STORAGE, 1, late()),
            (UNIFORM, MILLION, late()),
            (
                STORAGE,
                MILLION,
                late() | vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT,
            ),
        ],
    );
    let set = program.set(MILLION).unwrap();
    let out = rig.buffer(64);
    let mut values = [10, 20, 30].map(|value| holding(&rig, value));
    values[1].write_dwords(&[20, 0, 21, 22, 23]);
    let adds = [1000, 2000, 3000].map(|value| {
        let mut buffer = rig.buffer(256);
        buffer.write_dwords(&[0, value, 0, 0]);
        buffer
    });
    let commands = rig.record(|commands| {
        program.dispatch(commands, Some(set));
        rig.barrier(commands);
    });
    write(&rig, set, (0, 0), STORAGE, &out);
    for (which, element) in [(0, MILLION - 1), (1, 77777), (2, 0)] {
        write(&rig, set, (1, element), UNIFORM, &adds[which]);
        write(&rig, set, (2, element), STORAGE, &values[which]);
    }
    let info = [vk::DescriptorBufferInfo::default()
        .buffer(values[1].buffer)
        .range(12)];
    let short = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .dst_binding(2)
        .dst_array_element(77777)
        .descriptor_type(STORAGE)
        .buffer_info(&info);
    unsafe { rig.device.update_descriptor_sets(&[short], &[]) };
    rig.submit(&[commands], vk::Fence::null());
    unsafe { rig.device.queue_wait_idle(rig.queue) }.unwrap();
    let sums = [1010, 2020, 3030, 1010, 2020, 3030, 1010, 2020];
    assert_eq!(out.dwords()[..8], sums);
    assert_eq!(out.dwords()[8..11], [3, 21, 0]);
    // Lanes 0, 3 and 6 added to the last, 1, 4 and 7 to the middle, 2 and 5 to the first.
    let added: Vec<_> = values.iter().map(|buffer| buffer.dwords()[1]).collect();
    assert_eq!(added, [9, 12, 7]);
    let stored: Vec<u32> = (100..108).collect();
    assert_eq!(values[0].dwords()[2..10], stored);
    // Nothing was written outside the short buffer's neighbours.
    assert_eq!(values[1].dwords()[2..5], [21, 22, 23]);
    assert!(values[2].dwords()[2..].iter().all(|&dword| dword == 0));
}

#[test]
fn a_million_images_samplers_and_texel_buffers() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let program = Program::new(
        &rig,
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(binding = 1) uniform utexture2D images[1048576];
layout(binding = 2) uniform sampler samplers[1048576];
layout(binding = 3, r32ui) uniform uimage2D pictures[1048576];
layout(binding = 4) uniform usamplerBuffer texels[1048576];
layout(binding = 5) uniform usampler2D combined[2];
layout(binding = 6, r32ui) uniform uimageBuffer lines[2];
void main()
{
    uint i = gl_LocalInvocationIndex;
    uint element = i % 2u == 0u ? 1048575u : 3u;
    vec2 at = vec2(2.5, 1.5) / 4.0;
    r[i] = texture(usampler2D(images[nonuniformEXT(element)], samplers[nonuniformEXT(element)]), at).x;
    if (i == 0u) {
        r[8] = imageLoad(pictures[1048575], ivec2(2, 1)).x;
        r[9] = texelFetch(texels[1048574], 3).x;
        r[10] = textureLod(combined[1], at, 0.0).x;
        r[11] = imageLoad(lines[1], 4).x;
        r[12] = uint(textureSize(images[3], 0).x);
        imageStore(pictures[1048575], ivec2(3, 3), uvec4(99u));
        r[13] = imageAtomicAdd(pictures[1048575], ivec2(0, 0), 5u);
    }
}",
        POOL,
        &[
            (STORAGE, 1, late()),
            (T::SAMPLED_IMAGE, MILLION, late()),
            (T::SAMPLER, MILLION, late()),
            (T::STORAGE_IMAGE, MILLION, late()),
            (T::UNIFORM_TEXEL_BUFFER, MILLION, late()),
            (T::COMBINED_IMAGE_SAMPLER, 2, late()),
            (T::STORAGE_TEXEL_BUFFER, 2, late()),
        ],
    );
    let (set, other) = (program.set(0).unwrap(), program.set(0).unwrap());
    let format = vk::Format::R32_UINT;
    let usage = vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::TRANSFER_DST;
    let info = image_info(format, [4, 4, 1], 1, 1).usage(usage);
    let images = [50u32, 500].map(|first| {
        let image = Image::new(&rig, &info);
        let bytes: Vec<u8> = (0..16).flat_map(|at| (at + first).to_le_bytes()).collect();
        fill(&rig, &image, &info, &bytes);
        image
    });
    let views = [0, 1].map(|at| {
        view(
            &rig,
            &images[at],
            vk::ImageViewType::TYPE_2D,
            format,
            COLOUR,
        )
    });
    let usage =
        vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    let mut numbers = rig.buffer_for(64, usage);
    numbers.write_dwords(&(70..86).collect::<Vec<u32>>());
    let out = rig.buffer(64);
    write(&rig, set, (0, 0), STORAGE, &out);
    let info = vk::BufferViewCreateInfo::default()
        .buffer(numbers.buffer)
        .format(format)
        .range(vk::WHOLE_SIZE);
    let d = &rig.device;
    unsafe {
        let texels = [d.create_buffer_view(&info, None).unwrap()];
        let sampler = d.create_sampler(&nearest(), None).unwrap();
        let described = views.map(|image_view| {
            [vk::DescriptorImageInfo {
                sampler,
                image_view,
                image_layout: vk::ImageLayout::GENERAL,
            }]
        });
        let one = |binding, element, kind| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .dst_array_element(element)
                .descriptor_type(kind)
        };
        let writes = [
            one(1, MILLION - 1, T::SAMPLED_IMAGE).image_info(&described[0]),
            one(1, 3, T::SAMPLED_IMAGE).image_info(&described[1]),
            one(2, MILLION - 1, T::SAMPLER).image_info(&described[0]),
            one(2, 3, T::SAMPLER).image_info(&described[0]),
            one(3, MILLION - 1, T::STORAGE_IMAGE).image_info(&described[1]),
            one(4, MILLION - 2, T::UNIFORM_TEXEL_BUFFER).texel_buffer_view(&texels),
            one(5, 1, T::COMBINED_IMAGE_SAMPLER).image_info(&described[0]),
            one(6, 1, T::STORAGE_TEXEL_BUFFER).texel_buffer_view(&texels),
        ];
        d.update_descriptor_sets(&writes, &[]);
        rig.run(|commands| program.dispatch(commands, Some(set)));
        let sampled = [56, 506, 56, 506, 56, 506, 56, 506];
        assert_eq!(out.dwords()[..8], sampled);
        assert_eq!(out.dwords()[8..14], [506, 73, 56, 74, 4, 500]);
        // What the first run stored is there in the second, which uses copied descriptors.
        out.data.fill(0);
        for (binding, element) in [
            (0, 0),
            (1, MILLION - 1),
            (1, 3),
            (2, MILLION - 1),
            (2, 3),
            (3, MILLION - 1),
            (4, MILLION - 2),
            (5, 1),
            (6, 1),
        ] {
            copy(&rig, (set, binding, element), (other, binding, element), 1);
        }
        rig.run(|commands| program.dispatch(commands, Some(other)));
        assert_eq!(out.dwords()[..8], sampled);
        assert_eq!(out.dwords()[8..14], [506, 73, 56, 74, 4, 505]);
        d.destroy_sampler(sampler, None);
        d.destroy_buffer_view(texels[0], None);
        for view in views {
            d.destroy_image_view(view, None);
        }
    }
}

#[test]
fn descriptors_are_copied_between_small_and_large_sets() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let glsl = |count: u32| {
        format!(
            "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out {{ uint r[]; }};
layout(std430, binding = 1) buffer In {{ uint v[]; }} inputs[{count}];
layout(binding = 2) uniform usampler2D images[{count}];
layout(binding = 3, r32ui) uniform uimage2D pictures[{count}];
void main()
{{
    vec2 at = vec2(2.5, 1.5) / 4.0;
    r[0] = inputs[{count} - 1].v[0];
    r[1] = uint(inputs[{count} - 1].v.length());
    r[2] = textureLod(images[{count} - 1], at, 0.0).x;
    r[3] = imageLoad(pictures[{count} - 1], ivec2(3, 1)).x;
}}"
        )
    };
    let program = |count| {
        let bindings = [
            (STORAGE, 1, late()),
            (STORAGE, count, late()),
            (T::COMBINED_IMAGE_SAMPLER, count, late()),
            (T::STORAGE_IMAGE, count, late()),
        ];
        Program::new(&rig, &glsl(count), POOL, &bindings)
    };
    const LARGE: u32 = 30_000;
    let (small, large) = (program(2), program(LARGE));
    let sets = [
        small.set(0).unwrap(),
        large.set(0).unwrap(),
        small.set(0).unwrap(),
    ];
    let format = vk::Format::R32_UINT;
    let usage = vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::TRANSFER_DST;
    let info = image_info(format, [4, 4, 1], 1, 1).usage(usage);
    let image = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..16u32).flat_map(|at| (at + 50).to_le_bytes()).collect();
    fill(&rig, &image, &info, &bytes);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let (out, value) = (rig.buffer(16), holding(&rig, 44));
    write(&rig, sets[0], (0, 0), STORAGE, &out);
    write(&rig, sets[0], (1, 1), STORAGE, &value);
    let d = &rig.device;
    unsafe {
        let sampler = d.create_sampler(&nearest(), None).unwrap();
        let described = [vk::DescriptorImageInfo {
            sampler,
            image_view: seen,
            image_layout: vk::ImageLayout::GENERAL,
        }];
        let one = |binding, kind| {
            vk::WriteDescriptorSet::default()
                .dst_set(sets[0])
                .dst_binding(binding)
                .dst_array_element(1)
                .descriptor_type(kind)
                .image_info(&described)
        };
        let writes = [one(2, T::COMBINED_IMAGE_SAMPLER), one(3, T::STORAGE_IMAGE)];
        d.update_descriptor_sets(&writes, &[]);
        let steps = [
            (sets[0], 1, sets[1], LARGE - 1),
            (sets[1], LARGE - 1, sets[2], 1),
        ];
        for (source, from, to, at) in steps {
            copy(&rig, (source, 0, 0), (to, 0, 0), 1);
            for binding in 1..4 {
                copy(&rig, (source, binding, from), (to, binding, at), 1);
            }
        }
        for (program, set) in [(&small, sets[0]), (&large, sets[1]), (&small, sets[2])] {
            out.data.fill(0);
            rig.run(|commands| program.dispatch(commands, Some(set)));
            assert_eq!(out.dwords(), [44, 64, 56, 57]);
        }
        d.destroy_sampler(sampler, None);
        d.destroy_image_view(seen, None);
    }
}
