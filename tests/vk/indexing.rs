//! Arrays of buffers: chosen by a number that all invocations share, and by one of each
//! invocation's own.

use ash::vk;

use crate::rig::{Buffer, Rig, compile};

/// Buffers of each array.
const COUNT: u32 = 4;

/// Runs one workgroup with an array of storage buffers at binding 0 and one of uniform buffers at
/// binding 1.
fn run(rig: &Rig, words: &[u32], storage: &[Buffer<'_>], uniform: &[Buffer<'_>], push: u32) {
    let d = &rig.device;
    let arrays = [
        (vk::DescriptorType::STORAGE_BUFFER, storage),
        (vk::DescriptorType::UNIFORM_BUFFER, uniform),
    ];
    let stage = vk::ShaderStageFlags::COMPUTE;
    unsafe {
        let bindings: Vec<_> = (0..)
            .zip(&arrays)
            .map(|(binding, &(kind, buffers))| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(buffers.len() as u32)
                    .stage_flags(stage)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let set_layouts = [d.create_descriptor_set_layout(&info, None).unwrap()];
        let ranges = [vk::PushConstantRange::default().stage_flags(stage).size(4)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&set_layouts)
            .push_constant_ranges(&ranges);
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let sizes = arrays.map(|(kind, buffers)| {
            vk::DescriptorPoolSize::default()
                .ty(kind)
                .descriptor_count(buffers.len() as u32)
        });
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&set_layouts);
        let set = d.allocate_descriptor_sets(&info).unwrap()[0];
        for (binding, &(kind, buffers)) in (0..).zip(&arrays) {
            let infos: Vec<_> = buffers
                .iter()
                .map(|buffer| {
                    vk::DescriptorBufferInfo::default()
                        .buffer(buffer.buffer)
                        .range(vk::WHOLE_SIZE)
                })
                .collect();
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(kind)
                .buffer_info(&infos);
            d.update_descriptor_sets(&[write], &[]);
        }
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        let module = d.create_shader_module(&info, None).unwrap();
        let shader = vk::PipelineShaderStageCreateInfo::default()
            .stage(stage)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(shader)
            .layout(layout)];
        let pipeline = d
            .create_compute_pipelines(vk::PipelineCache::null(), &info, None)
            .unwrap()[0];
        rig.run(|commands| {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_bind_descriptor_sets(
                commands,
                vk::PipelineBindPoint::COMPUTE,
                layout,
                0,
                &[set],
                &[],
            );
            d.cmd_push_constants(commands, layout, stage, 0, &push.to_le_bytes());
            d.cmd_dispatch(commands, 1, 1, 1);
        });
        d.destroy_pipeline(pipeline, None);
        d.destroy_shader_module(module, None);
        d.destroy_descriptor_pool(pool, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layouts[0], None);
    }
}

fn buffers(rig: &Rig) -> (Vec<Buffer<'_>>, Vec<Buffer<'_>>) {
    let storage = (0..COUNT).map(|_| rig.buffer(256)).collect::<Vec<_>>();
    let mut uniform = (0..COUNT).map(|_| rig.buffer(256)).collect::<Vec<_>>();
    for (number, buffer) in (1u32..).zip(&mut uniform) {
        for (at, to) in buffer.data.chunks_exact_mut(4).enumerate() {
            to.copy_from_slice(&(number * 1000 + at as u32).to_le_bytes());
        }
    }
    (storage, uniform)
}

/// Runs the words with a number, and finds in each buffer, at each dword, what was to be written
/// there; elsewhere nothing.
fn written(rig: &Rig, words: &[u32], push: u32, wanted: impl Fn(u32, u32) -> Option<u32>) {
    let (storage, uniform) = buffers(rig);
    run(rig, words, &storage, &uniform, push);
    for (which, buffer) in (0..).zip(&storage) {
        for (i, found) in (0..).zip(buffer.dwords()) {
            let wanted = wanted(which, i).unwrap_or(0);
            assert_eq!(found, wanted, "push {push}, buffer {which}, dword {i}");
        }
    }
}

#[test]
fn buffer_array_with_a_uniform_index() {
    let rig = Rig::new();
    let words = compile(
        "#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Out { uint r[]; } outputs[4];
layout(std140, binding = 1) uniform In { uvec4 v[16]; } inputs[4];
layout(push_constant) uniform Push { uint n; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    outputs[n].r[i] = inputs[3u - n].v[i / 4u][i % 4u] + uint(outputs[n].r.length());
}",
    );
    for n in 0..COUNT {
        written(&rig, &words, n, |which, i| {
            (which == n && i < 32).then(|| (4 - n) * 1000 + i + 64)
        });
    }
}

#[test]
fn buffer_array_with_a_non_uniform_index() {
    let rig = Rig::new();
    let words = compile(
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint r[]; } outputs[];
layout(std140, binding = 1) uniform In { uvec4 v[16]; } inputs[];
layout(push_constant) uniform Push { uint n; };
void main()
{
    uint i = gl_LocalInvocationIndex, which = i * n % 4u, other = i / 5u % 4u;
    outputs[nonuniformEXT(which)].r[i] = inputs[nonuniformEXT(other)].v[i / 4u][i % 4u];
}",
    );
    written(&rig, &words, 3, |which, i| {
        (i * 3 % 4 == which).then(|| (i / 5 % 4 + 1) * 1000 + i)
    });
}

/// Several loads from one buffer, of places that are known at once and of one that another load
/// tells.
#[test]
fn non_uniform_buffer_loads() {
    let rig = Rig::new();
    let words = compile(
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint r[]; } outputs[];
layout(std140, binding = 1) uniform In { uvec4 v[16]; } inputs[];
layout(push_constant) uniform Push { uint n; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    nonuniformEXT uint which = i / 3u % 4u;
    uvec4 first = inputs[which].v[2], own = inputs[which].v[i / 4u];
    uint third = inputs[which].v[5].w, told = inputs[which].v[first.x % 16u].y;
    outputs[n].r[i] = first.y + own[i % 4u] * 3u + third * 5u + told * 7u + inputs[which].v[15].z;
}",
    );
    for n in [0, 3] {
        written(&rig, &words, n, |which, i| {
            let at = |dword: u32| (i / 3 % 4 + 1) * 1000 + dword;
            let told = at(4 * (at(8) % 16) + 1);
            let sum = at(9) + at(i) * 3 + at(23) * 5 + told * 7 + at(62);
            (which == n && i < 64).then_some(sum)
        });
    }
}
