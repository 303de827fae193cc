//! Pipeline creation flags: subgroup sizes, and failing when compilation is required.

use ash::vk;

use crate::canvas::{self, Canvas, Look, rectangle, vertices};
use crate::rig::{Kernel, Rig, compile, compile_for};

type Flags = vk::PipelineShaderStageCreateFlags;

/// What the invocations of a workgroup see: size, number, sum of ones.
fn sizes_of(invocations: u32) -> String {
    format!(
        "#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = {invocations}) in;
layout(std430, binding = 0) buffer Out {{ uvec4 r[]; }};
void main()
{{
    r[gl_LocalInvocationIndex] = uvec4(gl_SubgroupSize, gl_NumSubgroups, subgroupAdd(1u), gl_SubgroupInvocationID);
}}"
    )
}

/// That of a workgroup of 64.
fn sizes() -> Vec<u32> {
    compile(&sizes_of(64))
}

/// That of a workgroup of eight, as SPIR-V 1.6.
fn sizes_of_few() -> Vec<u32> {
    compile_for("1.3", &sizes_of(8))
}

/// Makes a pipeline with a layout that exists.
fn make(
    rig: &Rig,
    words: &[u32],
    layout: vk::PipelineLayout,
    flags: Flags,
    required: Option<u32>,
) -> Result<vk::Pipeline, vk::Result> {
    let d = &rig.device;
    let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
        .required_subgroup_size(required.unwrap_or_default());
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        let module = d.create_shader_module(&info, None).unwrap();
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .flags(flags)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        if required.is_some() {
            stage = stage.push_next(&mut size);
        }
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let made = d.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        d.destroy_shader_module(module, None);
        made.map(|made| made[0]).map_err(|(_, error)| error)
    }
}

#[test]
fn required_subgroup_size() {
    let rig = Rig::new();
    let d = &rig.device;
    let words = sizes();
    let buffer = rig.buffer(64 * 16);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(&rig, &words, kind, &[&buffer], vk::PipelineCache::null());
    let run = |flags, required| {
        let pipeline = make(&rig, &words, kernel.layout, flags, required)?;
        let bind = vk::PipelineBindPoint::COMPUTE;
        rig.run(|commands| unsafe {
            d.cmd_bind_pipeline(commands, bind, pipeline);
            d.cmd_bind_descriptor_sets(commands, bind, kernel.layout, 0, &[kernel.set], &[]);
            d.cmd_dispatch(commands, 1, 1, 1);
        });
        unsafe { d.destroy_pipeline(pipeline, None) };
        // All invocations see the same, but for their number.
        let found = buffer.dwords();
        let first = [found[0], found[1], found[2]];
        for (at, seen) in (0..).zip(found.chunks_exact(4)) {
            assert_eq!(seen[..3], first);
            assert_eq!(seen[3], at % seen[2]);
        }
        Ok::<_, vk::Result>(first)
    };
    for size in [8, 16, 32] {
        let expected = Ok([size, 64 / size, size]);
        assert_eq!(run(Flags::empty(), Some(size)), expected);
        assert_eq!(run(Flags::REQUIRE_FULL_SUBGROUPS, Some(size)), expected);
    }
    assert_eq!(run(Flags::REQUIRE_FULL_SUBGROUPS, None), Ok([32, 2, 32]));
    let varying = Flags::ALLOW_VARYING_SUBGROUP_SIZE;
    for flags in [varying, varying | Flags::REQUIRE_FULL_SUBGROUPS] {
        let [size, number, together] = run(flags, None).unwrap();
        assert_eq!((size, number), (together, 64 / together));
    }
    // Whoever asks for nothing reads the one size.
    assert_eq!(run(Flags::empty(), None).unwrap()[0], 32);
    assert_eq!(
        run(Flags::empty(), Some(12)),
        Err(vk::Result::ERROR_UNKNOWN)
    );
    kernel.destroy(&rig);
}

#[test]
fn spirv_1_6_subgroup_size_builtin_is_the_dispatched_width() {
    let rig = Rig::new();
    let buffer = rig.buffer(8 * 16);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let words = sizes_of_few();
    assert_eq!(words[1], 0x0001_0600);
    let cache = vk::PipelineCache::null();
    let of = |words: &[u32]| {
        let kernel = Kernel::new(&rig, words, kind, &[&buffer], cache);
        rig.run(|commands| {
            kernel.bind(&rig, commands, &[], &[]);
            unsafe { rig.device.cmd_dispatch(commands, 1, 1, 1) };
        });
        kernel.destroy(&rig);
        let found = buffer.dwords();
        for (at, seen) in (0..).zip(found.chunks_exact(4)) {
            assert_eq!(seen, [found[0], found[1], found[2], at]);
        }
        [found[0], found[1], found[2]]
    };
    // Eight run in one subgroup; that there would be room for 32 only older modules read.
    let [size, number, together] = of(&words);
    assert!([8, 16].contains(&size), "{size}");
    assert_eq!((number, together), (1, 8));
    let mut older = words.clone();
    older[1] = 0x0001_0500;
    assert_eq!(of(&older), [32, 1, 8]);
}

#[test]
fn fail_on_compile_required_uses_the_cache() {
    let rig = Rig::new();
    let d = &rig.device;
    let words = sizes();
    let buffer = rig.buffer(64);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    unsafe {
        let cache = d.create_pipeline_cache(&Default::default(), None).unwrap();
        let kernel = Kernel::new(&rig, &words, kind, &[&buffer], vk::PipelineCache::null());
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let make = |flags: [vk::PipelineCreateFlags; 2], cache| {
            let mut told = [vk::PipelineCreationFeedback::default(); 2];
            let [first, second] = &mut told;
            let mut feedback = [first, second].map(|told| {
                vk::PipelineCreationFeedbackCreateInfo::default().pipeline_creation_feedback(told)
            });
            let [first, second] = &mut feedback;
            let info = |flags, feedback| {
                vk::ComputePipelineCreateInfo::default()
                    .flags(flags)
                    .stage(stage)
                    .layout(kernel.layout)
                    .push_next(feedback)
            };
            let infos = [info(flags[0], first), info(flags[1], second)];
            let (pipelines, result) = match d.create_compute_pipelines(cache, &infos, None) {
                Ok(pipelines) => (pipelines, vk::Result::SUCCESS),
                Err((pipelines, result)) => (pipelines, result),
            };
            let made = [0, 1].map(|at| pipelines[at] != vk::Pipeline::null());
            for pipeline in pipelines {
                d.destroy_pipeline(pipeline, None);
            }
            (made, result, told.map(|told| told.flags))
        };
        let none = vk::PipelineCreateFlags::empty();
        let found = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let early = found | vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE;
        let valid = vk::PipelineCreationFeedbackFlags::VALID;
        let hit = valid | vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        let silent = vk::PipelineCreationFeedbackFlags::empty();
        let required = vk::Result::PIPELINE_COMPILE_REQUIRED;
        // It is in no cache: what follows is made all the same, or not.
        let no_cache = vk::PipelineCache::null();
        assert_eq!(
            make([found, none], no_cache),
            ([false, true], required, [silent, valid])
        );
        assert_eq!(
            make([early, none], no_cache),
            ([false, false], required, [silent; 2])
        );
        // The first makes it for the second.
        assert_eq!(
            make([none, found], cache),
            ([true, true], vk::Result::SUCCESS, [valid, hit])
        );
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_cache(cache, None);
        kernel.destroy(&rig);
    }
}

/// A module's name stands for it where a cache knows what it was compiled to.
#[test]
fn shader_module_identifiers() {
    let rig = Rig::new();
    let d = &rig.device;
    let names = ash::ext::shader_module_identifier::Device::new(&rig.instance, d);
    let (words, others) = (sizes(), crate::rig::fill());
    let buffer = rig.buffer(64 * 16);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let cache = vk::PipelineCacheCreateInfo::default();
    unsafe {
        let [cache, empty] = [0; 2].map(|_| d.create_pipeline_cache(&cache, None).unwrap());
        let kernel = Kernel::new(&rig, &words, kind, &[&buffer], vk::PipelineCache::null());
        let info = |words| vk::ShaderModuleCreateInfo::default().code(words);
        let module = d.create_shader_module(&info(&words), None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let whole = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(kernel.layout)];
        let whole = d.create_compute_pipelines(cache, &whole, None).unwrap();
        d.destroy_pipeline(whole[0], None);
        let [mut name, mut same, mut other] =
            [(); 3].map(|()| vk::ShaderModuleIdentifierEXT::default());
        let (of_module, of_info) = (
            names.fp().get_shader_module_identifier_ext,
            names.fp().get_shader_module_create_info_identifier_ext,
        );
        of_module(d.handle(), module, &mut name);
        of_info(d.handle(), &info(&words), &mut same);
        of_info(d.handle(), &info(&others), &mut other);
        d.destroy_shader_module(module, None);
        let bytes = |name: &vk::ShaderModuleIdentifierEXT<'_>| {
            name.identifier[..name.identifier_size as usize].to_vec()
        };
        assert!(name.identifier_size > 0);
        assert_eq!(bytes(&name), bytes(&same));
        assert_ne!(bytes(&name), bytes(&other));
        let make = |name: &[u8], cache| {
            let mut named =
                vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::default().identifier(name);
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .name(c"main")
                .push_next(&mut named);
            let info = [vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED)
                .stage(stage)
                .layout(kernel.layout)];
            let made = d.create_compute_pipelines(cache, &info, None);
            made.map(|made| made[0]).map_err(|(_, error)| error)
        };
        d.destroy_pipeline(make(&bytes(&name), cache).unwrap(), None);
        let missing = Err(vk::Result::PIPELINE_COMPILE_REQUIRED);
        assert_eq!(make(&bytes(&name), empty), missing);
        assert_eq!(make(&bytes(&other), cache), missing);
        assert_eq!(make(&[1, 2, 3], cache), missing);
        d.destroy_pipeline_cache(cache, None);
        d.destroy_pipeline_cache(empty, None);
        kernel.destroy(&rig);
    }
}

#[test]
fn unread_vertex_outputs_are_eliminated() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let vertex = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second[2];
void main()
{
    gl_Position = vec4(position, 0, 1);
    first = colour;
    second[0] = sin(colour);
    second[1] = exp2(colour);
}";
    let reads = |more: &str| {
        let fragment = format!(
            "#version 450
layout(location = 0) in vec4 first;
layout(location = 1) in vec4 second[2];
layout(location = 0) out vec4 colour;
layout(constant_id = 0) const int KIND = 0;
void main() {{ colour = first{more}; }}"
        );
        let pipeline = canvas.pipeline(&canvas::compile(vertex, &fragment), &Look::default());
        (pipeline, rig.statistic(pipeline, c"Instruction Count"))
    };
    let (pipeline, one) = reads("");
    let (_, all) = reads(" * second[0] * second[1]");
    // Eight functions, at the least.
    assert!(one + 8 <= all, "{one} of {all}");
    // What a specialization constant excludes is not read.
    let (_, excluded) = reads("; switch (KIND) { case 1: colour *= second[0] * second[1]; }");
    assert_eq!(excluded, one);
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
    let buffer = canvas::vertices(&rig, &corners.map(|corner| (corner, canvas::GREEN)));
    canvas.run(|commands| {
        canvas.bind(commands, pipeline, &buffer);
        unsafe { rig.device.cmd_draw(commands, 3, 1, 0, 0) };
    });
    assert_eq!(canvas.colour.pixel(1, 1), canvas::stored(canvas::GREEN));
}

#[test]
fn required_subgroup_size_of_graphics_stages() {
    let rig = Rig::new();
    let [vertex, fragment] = [
        "#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(location = 0) in vec2 position;
layout(location = 0) flat out uint size;
void main() { size = gl_SubgroupSize; gl_Position = vec4(position, 0.0, 1.0); }",
        "#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(location = 0) flat in uint size;
layout(location = 0) out vec4 colour;
void main()
{
    uint last = subgroupMax(gl_SubgroupInvocationID);
    colour = vec4(gl_SubgroupSize, size, last, 255u) / 255.0;
}",
    ];
    let words = canvas::compile(vertex, fragment);
    for size in [8, 16, 32] {
        let canvas = Canvas::new(&rig, None);
        let look = Look {
            subgroup_size: Some(size),
            ..Look::default()
        };
        let pipeline = canvas.pipeline(&words, &look);
        let vertices = vertices(&rig, &rectangle([-1.0; 2], [1.0; 2], [0.0; 4]));
        canvas.run(|commands| unsafe {
            canvas.bind(commands, pipeline, &vertices);
            rig.device.cmd_draw(commands, 6, 1, 0, 0);
        });
        let [fragments, of_vertices, last, _] = canvas.colour.pixel(8, 8);
        assert_eq!([fragments, of_vertices], [size as u8; 2]);
        // No invocation has a number beyond the size. Whole threads of eight pixels are in it.
        assert!((7..size as u8).contains(&last), "{last} of {size}");
    }
}

/// A pipeline cache keeps whole pipelines: one created from the same parameters is the same, also
/// after the first is destroyed, and outlives the cache; any other parameter makes another one.
#[test]
fn a_cache_keeps_pipelines_by_all_their_parameters() {
    let rig = Rig::new();
    let d = &rig.device;
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint value = 0;
layout(constant_id = 1) const uint other = 0;
layout(std430, binding = 0) buffer Out { uint words[]; };
void main() { words[0] = value + 256 * other; }",
    );
    let buffer = rig.buffer(64);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(&rig, &words, kind, &[&buffer], vk::PipelineCache::null());
    let bind = vk::PipelineBindPoint::COMPUTE;
    let run = |pipeline| {
        rig.run(|commands| unsafe {
            d.cmd_bind_pipeline(commands, bind, pipeline);
            d.cmd_bind_descriptor_sets(commands, bind, kernel.layout, 0, &[kernel.set], &[]);
            d.cmd_dispatch(commands, 1, 1, 1);
        });
        buffer.dwords()[0]
    };
    let cache = vk::PipelineCacheCreateInfo::default();
    let cache = unsafe { d.create_pipeline_cache(&cache, None) }.unwrap();
    // Specialized by the constant `id`; also returns whether the cache had it.
    let make = |id, value: u32| unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let entries = [vk::SpecializationMapEntry::default()
            .constant_id(id)
            .size(4)];
        let data = value.to_ne_bytes();
        let constants = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&constants);
        let mut feedback = vk::PipelineCreationFeedback::default();
        let mut node = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(&mut feedback);
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(kernel.layout)
            .push_next(&mut node)];
        let made = d.create_compute_pipelines(cache, &info, None).unwrap()[0];
        d.destroy_shader_module(module, None);
        let hit = vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        (made, feedback.flags.contains(hit))
    };
    let (first, hit) = make(0, 1);
    assert_eq!((run(first), hit), (1, false));
    unsafe { d.destroy_pipeline(first, None) };
    let (same, hit) = make(0, 1);
    assert_eq!((run(same), hit), (1, true));
    let (value, hit) = make(0, 2);
    assert_eq!((run(value), hit), (2, false));
    let (constant, hit) = make(1, 1);
    assert_eq!((run(constant), hit), (256, false));
    unsafe {
        d.destroy_pipeline_cache(cache, None);
        assert_eq!([same, value, constant].map(run), [1, 2, 256]);
        for pipeline in [same, value, constant] {
            d.destroy_pipeline(pipeline, None);
        }
    }
    kernel.destroy(&rig);
}
