//! VK_KHR_maintenance7, 9, 10 and 11: what they promise of queries, events, masks, attributes,
//! views and devices. Resolves with modes are in `depth.rs`.

use std::ffi::c_void;

use ash::{ext, khr, vk};

use crate::canvas::{
    ATTRIBUTES, BINDINGS, Canvas, Look, RED, Target, compile, pipeline, rectangle, stored,
    vertices, whole,
};
use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, range};
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, image_info, nearest};

/// A structure of a header and up to eight dwords.
#[repr(C)]
struct Dwords {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    values: [u32; 8],
}

fn dwords(s_type: i32) -> Dwords {
    Dwords {
        s_type: vk::StructureType::from_raw(s_type),
        p_next: std::ptr::null_mut(),
        values: [0xdead; 8],
    }
}

/// The dwords that a query of properties leaves in a structure.
fn properties(rig: &Rig, s_type: i32) -> [u32; 8] {
    let mut found = dwords(s_type);
    let mut all = vk::PhysicalDeviceProperties2 {
        p_next: (&raw mut found).cast(),
        ..Default::default()
    };
    let (instance, physical) = (&rig.instance, rig.physical);
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    found.values
}

#[test]
fn properties_of_maintenance_are_reported() {
    let rig = Rig::new();
    let mark = 0xdead;
    assert_eq!(
        properties(&rig, 1_000_562_001),
        [0, 1, 8, 8, 16, 8, 8, 16],
        "maintenance7"
    );
    // No API underneath; the list is the application's.
    assert_eq!(properties(&rig, 1_000_562_002)[..2], [0, mark]);
    assert_eq!(properties(&rig, 1_000_584_001)[..3], [0, 0, mark]);
    assert_eq!(properties(&rig, 1_000_630_001)[..4], [1, 1, 1, mark]);
    for (s_type, expected) in [(1_000_584_002, [1, mark, mark]), (1_000_657_001, [1, 1, 1])] {
        let mut found = dwords(s_type);
        let mut family = [vk::QueueFamilyProperties2 {
            p_next: (&raw mut found).cast(),
            ..Default::default()
        }];
        let (instance, physical) = (&rig.instance, rig.physical);
        unsafe { instance.get_physical_device_queue_family_properties2(physical, &mut family) };
        assert_eq!(found.values[..3], expected);
    }
}

#[test]
fn a_device_without_queues_compiles() {
    let rig = Rig::new();
    let info = vk::DeviceCreateInfo::default();
    unsafe {
        let d = rig
            .instance
            .create_device(rig.physical, &info, None)
            .unwrap();
        let words = crate::rig::compile(
            "#version 450
layout(local_size_x = 8) in;
void main() {}",
        );
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let layout = d.create_pipeline_layout(&Default::default(), None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let infos = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let cache = d.create_pipeline_cache(&Default::default(), None).unwrap();
        let made = d.create_compute_pipelines(cache, &infos, None).unwrap();
        assert!(d.get_pipeline_cache_data(cache).unwrap().len() > 100);
        d.destroy_pipeline(made[0], None);
        d.destroy_pipeline_cache(cache, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_shader_module(module, None);
        d.destroy_device(None);
    }
}

#[test]
fn narrow_query_results_are_the_low_bits_of_wide_ones() {
    let rig = Rig::new();
    let d = &rig.device;
    // Created with its queries reset.
    let info = vk::QueryPoolCreateInfo::default()
        .flags(vk::QueryPoolCreateFlags::from_raw(1))
        .query_type(vk::QueryType::TIMESTAMP)
        .query_count(2);
    let pool = unsafe { d.create_query_pool(&info, None) }.unwrap();
    let flags = vk::QueryResultFlags::WITH_AVAILABILITY;
    let mut found = [[7u32; 2]; 2];
    let ready = unsafe { d.get_query_pool_results(pool, 0, &mut found, flags) };
    assert_eq!(ready, Err(vk::Result::NOT_READY));
    assert_eq!(found.map(|query| query[1]), [0; 2]);
    let copied = rig.buffer(64);
    rig.run(|commands| unsafe {
        d.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
        d.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1);
        let (wide, narrow) = (
            vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT,
            vk::QueryResultFlags::WAIT,
        );
        d.cmd_copy_query_pool_results(commands, pool, 0, 2, copied.buffer, 0, 8, wide);
        d.cmd_copy_query_pool_results(commands, pool, 0, 2, copied.buffer, 32, 4, narrow);
    });
    let mut wide = [0u64; 2];
    let mut narrow = [0u32; 2];
    unsafe {
        let flags = vk::QueryResultFlags::TYPE_64;
        d.get_query_pool_results(pool, 0, &mut wide, flags).unwrap();
        let flags = vk::QueryResultFlags::empty();
        d.get_query_pool_results(pool, 0, &mut narrow, flags)
            .unwrap();
        d.destroy_query_pool(pool, None);
    }
    assert!(wide[0] > 0 && wide[1] > wide[0]);
    let low = wide.map(|value| value as u32);
    assert_eq!(narrow, low);
    let copied = copied.dwords();
    assert_eq!(copied[8..10], low);
    let high = wide.map(|value| (value >> 32) as u32);
    assert_eq!(copied[..4], [low[0], high[0], low[1], high[1]]);
}

#[test]
fn events_are_set_without_the_dependency_of_their_wait() {
    let rig = Rig::new();
    let d = &rig.device;
    let asymmetric = vk::DependencyFlags::from_raw(1 << 6);
    let commands2 = khr::synchronization2::Device::new(&rig.instance, d);
    let source = rig.buffer(64);
    let copy = rig.buffer(64);
    source.data.fill(3);
    let stage = vk::PipelineStageFlags2::ALL_TRANSFER;
    let event = unsafe { d.create_event(&Default::default(), None) }.unwrap();
    rig.run(|commands| unsafe {
        d.cmd_fill_buffer(commands, source.buffer, 0, 64, 0x0909_0909);
        let signal = [vk::MemoryBarrier2::default().src_stage_mask(stage)];
        let info = vk::DependencyInfo::default()
            .dependency_flags(asymmetric)
            .memory_barriers(&signal);
        commands2.cmd_set_event2(commands, event, &info);
        let wait = [vk::BufferMemoryBarrier2::default()
            .src_stage_mask(stage)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(stage)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_READ)
            .buffer(source.buffer)
            .size(vk::WHOLE_SIZE)];
        let info = vk::DependencyInfo::default()
            .dependency_flags(asymmetric)
            .buffer_memory_barriers(&wait);
        commands2.cmd_wait_events2(commands, &[event], &[info]);
        let region = [vk::BufferCopy::default().size(64)];
        d.cmd_copy_buffer(commands, source.buffer, copy.buffer, &region);
    });
    assert_eq!(copy.data, [9; 64]);
    unsafe { d.destroy_event(event, None) };
}

#[test]
fn attributes_that_are_not_there_are_zeroes() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let words = compile(
        "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 missing;
layout(location = 3) in ivec4 whole;
layout(location = 0) out vec4 shade;
layout(push_constant) uniform Push { vec3 move; };
void main()
{
    gl_Position = vec4(position + move.xy, move.z, 1.0);
    bool none = missing == vec4(0) && whole == ivec4(0);
    shade = none ? vec4(0, 1, 0, 1) : vec4(1, missing.w, whole.w, 1);
}",
        crate::canvas::FRAGMENT,
    );
    let look = Look {
        bindings: BINDINGS,
        attributes: &ATTRIBUTES[..1],
        ..Look::default()
    };
    let pipeline = canvas.pipeline(&words, &look);
    let corners = rectangle([-1.0; 2], [1.0; 2], RED);
    let buffer = vertices(&rig, &corners);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        rig.device.cmd_draw(commands, 6, 1, 0, 0);
    });
    canvas.colour.check(|_, _| stored(crate::canvas::GREEN));
}

#[test]
fn sample_masks_of_null_have_all_samples_and_srgb_resolves_are_linear() {
    let rig = Rig::new();
    let d = &rig.device;
    type End = unsafe extern "system" fn(vk::CommandBuffer, *const c_void);
    let end = unsafe {
        let load = rig.instance.fp_v1_0().get_device_proc_addr;
        let found = load(d.handle(), c"vkCmdEndRendering2KHR".as_ptr()).unwrap();
        std::mem::transmute::<unsafe extern "system" fn(), End>(found)
    };
    let states = ext::extended_dynamic_state3::Device::new(&rig.instance, d);
    let rendering = khr::dynamic_rendering::Device::new(&rig.instance, d);
    let format = vk::Format::R8G8B8A8_SRGB;
    let four = vk::SampleCountFlags::TYPE_4;
    let push = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
        .size(64)];
    let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&push);
    let layout = unsafe { d.create_pipeline_layout(&info, None) }.unwrap();
    let look = Look {
        samples: four,
        formats: Some((format, vk::Format::UNDEFINED)),
        dynamic: &[vk::DynamicState::SAMPLE_MASK_EXT],
        ..Look::default()
    };
    let words = compile(crate::canvas::VERTEX, crate::canvas::FRAGMENT);
    let drawn = pipeline(&rig, &words, &look, layout, vk::RenderPass::null()).unwrap();
    let white = vertices(&rig, &rectangle([-1.0; 2], [1.0; 2], [1.0; 4]));
    // Half of linear 1 is 0.735 encoded, and half of the encoded value would be 0.5.
    for (mask, expected) in [(Some([3u32]), [188; 4]), (None, [255; 4])] {
        let several = Target::sampled(&rig, format, 1, four);
        let one = Target::new(&rig, format, 1);
        rig.run(|commands| unsafe {
            let attachments = [vk::RenderingAttachmentInfo::default()
                .image_view(several.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                .resolve_image_view(one.view)
                .resolve_image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)];
            let info = vk::RenderingInfo::default()
                .render_area(whole())
                .layer_count(1)
                .color_attachments(&attachments);
            rendering.cmd_begin_rendering(commands, &info);
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
            d.cmd_bind_vertex_buffers(commands, 0, &[white.buffer], &[0]);
            let stages = vk::ShaderStageFlags::ALL_GRAPHICS;
            d.cmd_push_constants(commands, layout, stages, 0, &[0; 12]);
            let mask = mask.as_ref().map_or(std::ptr::null(), |mask| mask.as_ptr());
            (states.fp().cmd_set_sample_mask_ext)(commands, four, mask);
            d.cmd_draw(commands, 6, 1, 0, 0);
            // VkRenderingEndInfoKHR
            let info = [1_000_619_003u64, 0];
            end(commands, info.as_ptr().cast());
        });
        one.check(|_, _| {
            let mut pixel = expected;
            // Alpha is linear.
            pixel[3] = if mask.is_some() { 128 } else { 255 };
            pixel
        });
    }
    unsafe {
        d.destroy_pipeline(drawn, None);
        d.destroy_pipeline_layout(layout, None);
    }
}

#[test]
fn slices_of_3d_images_change_layouts_one_by_one() {
    let rig = Rig::new();
    let d = &rig.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [64, 64, 4], 1, 1)
        .flags(vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE)
        .usage(
            vk::ImageUsageFlags::TRANSFER_DST
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::COLOR_ATTACHMENT,
        );
    let volume = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..64 * 64 * 4 * 4)
        .map(|at: u32| (at >> 14) as u8 + 1)
        .collect();
    fill(&rig, &volume, &info, &bytes);
    let out = rig.buffer(64 * 64 * 4 * 4);
    rig.run(|commands| unsafe {
        let slices = |first, count| vk::ImageSubresourceRange {
            base_array_layer: first,
            layer_count: count,
            ..range(COLOUR)
        };
        let change = |slices, from, to| {
            let barrier = vk::ImageMemoryBarrier::default()
                .image(volume.image)
                .old_layout(from)
                .new_layout(to)
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .subresource_range(slices);
            let stage = vk::PipelineStageFlags::ALL_COMMANDS;
            let none = vk::DependencyFlags::empty();
            d.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &[barrier]);
        };
        use vk::ImageLayout as L;
        // The old contents of slices 1 and 2 may be lost, those of the others may not.
        change(slices(1, 2), L::UNDEFINED, L::TRANSFER_DST_OPTIMAL);
        let region = vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: COLOUR,
                layer_count: 1,
                ..Default::default()
            })
            .image_offset(vk::Offset3D { x: 0, y: 0, z: 1 })
            .image_extent(vk::Extent3D {
                width: 64,
                height: 64,
                depth: 2,
            });
        d.cmd_fill_buffer(commands, out.buffer, 0, vk::WHOLE_SIZE, 0x5555_5555);
        rig.barrier(commands);
        let layout = L::TRANSFER_DST_OPTIMAL;
        d.cmd_copy_buffer_to_image(commands, out.buffer, volume.image, layout, &[region]);
        change(slices(1, 2), layout, L::TRANSFER_SRC_OPTIMAL);
        change(slices(0, 1), L::GENERAL, L::TRANSFER_SRC_OPTIMAL);
        change(slices(3, 1), L::GENERAL, L::TRANSFER_SRC_OPTIMAL);
        let whole = vk::BufferImageCopy {
            image_offset: vk::Offset3D::default(),
            image_extent: info.extent,
            ..region
        };
        let layout = L::TRANSFER_SRC_OPTIMAL;
        d.cmd_copy_image_to_buffer(commands, volume.image, layout, out.buffer, &[whole]);
    });
    for (slice, found) in out.data.chunks(64 * 64 * 4).enumerate() {
        let expected = [1, 0x55, 0x55, 4][slice];
        assert!(found.iter().all(|&byte| byte == expected), "slice {slice}");
    }
}

#[test]
fn views_of_one_layer_are_arrays_and_the_reverse() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    // VK_IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR
    let alias = vk::ImageCreateFlags::from_raw(1 << 22);
    let info = image_info(format, [8, 8, 1], 1, 3).flags(alias).usage(
        vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE,
    );
    let image = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..8 * 8 * 4 * 3)
        .map(|at| (at / 256 * 60 + 60) as u8)
        .collect();
    fill(&rig, &image, &info, &bytes);
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    for (kind, dimension, at, place) in [
        (
            vk::ImageViewType::TYPE_2D,
            "2DArray",
            "vec3(0.3, 0.7, 2)",
            "ivec3(5, 3, 0)",
        ),
        (
            vk::ImageViewType::TYPE_2D_ARRAY,
            "2D",
            "vec2(0.3, 0.7)",
            "ivec2(5, 3)",
        ),
    ] {
        for layer in 0..3 {
            let view = vk::ImageViewCreateInfo::default()
                .image(image.image)
                .view_type(kind)
                .format(format)
                .subresource_range(vk::ImageSubresourceRange {
                    base_array_layer: layer,
                    layer_count: 1,
                    ..range(COLOUR)
                });
            let view = unsafe { rig.device.create_image_view(&view, None) }.unwrap();
            let glsl = format!(
                "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out {{ uint values[]; }};
layout(binding = 1) uniform sampler{dimension} sampled;
layout(binding = 2, rgba8) uniform image{dimension} stored;
void main()
{{
    values[0] = uint(texture(sampled, {at}).x * 255.0 + 0.5);
    values[1] = uint(imageLoad(stored, {place}).y * 255.0 + 0.5);
    imageStore(stored, {place}, vec4((values[1] + 1) / 255.0));
    values[2] = uint(imageLoad(stored, {place}).z * 255.0 + 0.5);
    imageStore(stored, {place}, vec4(values[1] / 255.0));
}}"
            );
            let out = rig.buffer(16);
            let both = [
                Descriptor::Image(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, view, sampler),
                Descriptor::Image(vk::DescriptorType::STORAGE_IMAGE, view, vk::Sampler::null()),
            ];
            run(&rig, &glsl, &out, &both, &[], UpdateBy::Write);
            let value = layer * 60 + 60;
            assert_eq!(out.dwords()[..3], [value, value, value + 1], "{dimension}");
            unsafe { rig.device.destroy_image_view(view, None) };
        }
    }
    unsafe { rig.device.destroy_sampler(sampler, None) };
}
