//! Depth and stencil as shaders read them: separately, and with separate usage.

use ash::vk;

use crate::canvas::{Canvas, Look, VERTEX, compile, rectangle, vertices};
use crate::images::{Image, range};
use crate::rig::Rig;
use crate::textures::{image_info, nearest, one_texel, view};

#[test]
fn depth_and_stencil_have_separate_views() {
    let rig = Rig::new();
    for format in [
        vk::Format::D32_SFLOAT_S8_UINT,
        vk::Format::D24_UNORM_S8_UINT,
    ] {
        let info = image_info(format, [70, 70, 1], 2, 1);
        let image = Image::new(&rig, &info);
        let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
        rig.run(|commands| unsafe {
            let layout = vk::ImageLayout::GENERAL;
            let value = vk::ClearDepthStencilValue {
                depth: 0.25,
                stencil: 0x5a,
            };
            let all = [range(depth | stencil)];
            rig.device
                .cmd_clear_depth_stencil_image(commands, image.image, layout, &value, &all);
        });
        let seen = |aspect| view(&rig, &image, vk::ImageViewType::TYPE_2D, format, aspect);
        let (depths, stencils) = (seen(depth), seen(stencil));
        let got = one_texel(
            &rig,
            ("sampler2D", "texelFetch(image, ivec2(69, 65), 0)"),
            depths,
            &nearest(),
        );
        assert!((f32::from_bits(got[0]) - 0.25).abs() < 1e-6);
        assert_eq!(got[1..], [0, 0, 1f32.to_bits()]);
        let got = one_texel(
            &rig,
            ("usampler2D", "texelFetch(image, ivec2(30, 34), 1)"),
            stencils,
            &nearest(),
        );
        assert_eq!(got, [0x5a, 0, 0, 1]);
        // A reference below the depth passes LESS.
        let compare = nearest()
            .compare_enable(true)
            .compare_op(vk::CompareOp::LESS);
        for (reference, meant) in [("0.2", 1f32), ("0.3", 0.0)] {
            let texel = format!("texture(image, vec3(0.5, 0.5, {reference}))");
            let got = one_texel(&rig, ("sampler2DShadow", &texel), depths, &compare);
            assert_eq!(f32::from_bits(got[0]), meant, "{format:?} {reference}");
        }
        unsafe {
            rig.device.destroy_image_view(depths, None);
            rig.device.destroy_image_view(stencils, None);
        }
    }
}

#[test]
fn stencil_has_separate_usage() {
    let rig = Rig::new();
    let format = vk::Format::D24_UNORM_S8_UINT;
    let stencil = vk::ImageAspectFlags::STENCIL;
    let target = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_DST;
    let own = target | vk::ImageUsageFlags::SAMPLED;
    // Asked about with uses that stencil cannot have, and then made with those that it can.
    let ask = |of_stencil| {
        let mut own = vk::ImageStencilUsageCreateInfo::default().stencil_usage(of_stencil);
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(format)
            .ty(vk::ImageType::TYPE_2D)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(target)
            .push_next(&mut own);
        let mut most = vk::ImageFormatProperties2::default();
        unsafe {
            rig.instance.get_physical_device_image_format_properties2(
                rig.physical,
                &info,
                &mut most,
            )
        }
    };
    assert_eq!(ask(own), Ok(()));
    let refused = Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
    assert_eq!(ask(own | vk::ImageUsageFlags::STORAGE), refused);
    let mut uses = vk::ImageStencilUsageCreateInfo::default().stencil_usage(own);
    let info = image_info(format, [16, 16, 1], 1, 1)
        .usage(target)
        .push_next(&mut uses);
    let image = Image::new(&rig, &info);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        let value = vk::ClearDepthStencilValue {
            depth: 1.0,
            stencil: 0xa3,
        };
        let all = [range(vk::ImageAspectFlags::DEPTH | stencil)];
        rig.device
            .cmd_clear_depth_stencil_image(commands, image.image, layout, &value, &all);
    });
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, stencil);
    let got = one_texel(
        &rig,
        ("usampler2D", "texelFetch(image, ivec2(7, 9), 0)"),
        seen,
        &nearest(),
    );
    assert_eq!(got, [0xa3, 0, 0, 1]);
    unsafe { rig.device.destroy_image_view(seen, None) };
}

#[test]
fn depth_stencil_1d_images() {
    let rig = Rig::new();
    let format = vk::Format::D24_UNORM_S8_UINT;
    let info = image_info(format, [150, 1, 1], 3, 4);
    let image = Image::new(&rig, &info);
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        for (level, layer) in (0..3).flat_map(|level| (0..4).map(move |layer| (level, layer))) {
            let value = vk::ClearDepthStencilValue {
                depth: (layer + 1) as f32 / 8.0 + level as f32 / 32.0,
                stencil: 10 * layer + level,
            };
            let part = vk::ImageSubresourceRange {
                aspect_mask: depth | stencil,
                base_mip_level: level,
                level_count: 1,
                base_array_layer: layer,
                layer_count: 1,
            };
            rig.device.cmd_clear_depth_stencil_image(
                commands,
                image.image,
                layout,
                &value,
                &[part],
            );
        }
    });
    let kind = vk::ImageViewType::TYPE_1D_ARRAY;
    let seen = |aspect| view(&rig, &image, kind, format, aspect);
    let (depths, stencils) = (seen(depth), seen(stencil));
    let compare = nearest()
        .compare_enable(true)
        .compare_op(vk::CompareOp::LESS);
    for (level, layer) in [(0u32, 0u32), (0, 3), (1, 2), (2, 1), (2, 3)] {
        let texel = format!("texelFetch(image, ivec2(36, {layer}), {level})");
        let got = one_texel(&rig, ("usampler1DArray", &texel), stencils, &nearest());
        assert_eq!(got[0], 10 * layer + level);
        let meant = (layer + 1) as f32 / 8.0 + level as f32 / 32.0;
        let got = one_texel(&rig, ("sampler1DArray", &texel), depths, &nearest());
        assert!((f32::from_bits(got[0]) - meant).abs() < 1e-6);
        for (by, passes) in [(-0.01, 1f32), (0.01, 0.0)] {
            let reference = meant + by;
            let texel = format!("textureLod(image, vec3(0.6, {layer}, {reference}), {level})");
            let got = one_texel(&rig, ("sampler1DArrayShadow", &texel), depths, &compare);
            assert_eq!(
                f32::from_bits(got[0]),
                passes,
                "{level} {layer} {reference}"
            );
        }
    }
    unsafe {
        rig.device.destroy_image_view(depths, None);
        rig.device.destroy_image_view(stencils, None);
    }
}

#[test]
fn depth_with_custom_sample_locations() {
    let rig = Rig::new();
    let flags = vk::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT;
    let target = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    for format in [
        vk::Format::D16_UNORM,
        vk::Format::D32_SFLOAT,
        vk::Format::D24_UNORM_S8_UINT,
    ] {
        let most = unsafe {
            rig.instance.get_physical_device_image_format_properties(
                rig.physical,
                format,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                target,
                flags,
            )
        };
        let samples = most.unwrap().sample_counts;
        assert!(samples.contains(vk::SampleCountFlags::TYPE_4), "{format:?}");
        let info = image_info(format, [16, 16, 1], 1, 1)
            .samples(vk::SampleCountFlags::TYPE_4)
            .flags(flags)
            .usage(target);
        Image::new(&rig, &info);
    }
}

#[test]
fn depth_stencil_3d_images() {
    let rig = Rig::new();
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    for format in [
        vk::Format::D16_UNORM,
        vk::Format::D32_SFLOAT,
        vk::Format::D24_UNORM_S8_UINT,
    ] {
        let has_stencil = format == vk::Format::D24_UNORM_S8_UINT;
        let both = if has_stencil { depth | stencil } else { depth };
        let target = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_DST;
        let info = image_info(format, [40, 24, 6], 2, 1).usage(target);
        let image = Image::new(&rig, &info);
        // Four bytes hold a depth of each of the formats: as many for one slice of the smaller
        // level.
        let texels = rig.buffer(20 * 12 * 4);
        let stored = match format {
            vk::Format::D16_UNORM => 0xc000_c000u32,
            vk::Format::D32_SFLOAT => 0.75f32.to_bits(),
            _ => 0xc0_0000,
        };
        for texel in texels.data.chunks_exact_mut(4) {
            texel.copy_from_slice(&stored.to_le_bytes());
        }
        rig.run(|commands| unsafe {
            let layout = vk::ImageLayout::GENERAL;
            for level in 0..2 {
                let value = vk::ClearDepthStencilValue {
                    depth: 0.25 + 0.25 * level as f32,
                    stencil: 7 + level,
                };
                let part = vk::ImageSubresourceRange {
                    base_mip_level: level,
                    level_count: 1,
                    ..range(both)
                };
                let d = &rig.device;
                d.cmd_clear_depth_stencil_image(commands, image.image, layout, &value, &[part]);
            }
            rig.barrier(commands);
            let slice = vk::BufferImageCopy::default()
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: depth,
                    mip_level: 1,
                    base_array_layer: 0,
                    layer_count: 1,
                })
                .image_offset(vk::Offset3D { x: 0, y: 0, z: 1 })
                .image_extent(vk::Extent3D {
                    width: 20,
                    height: 12,
                    depth: 1,
                });
            rig.device.cmd_copy_buffer_to_image(
                commands,
                texels.buffer,
                image.image,
                layout,
                &[slice],
            );
        });
        let kind = vk::ImageViewType::TYPE_3D;
        let seen = view(&rig, &image, kind, format, depth);
        for (slice, level, meant) in [
            (0, 0, 0.25f32),
            (5, 0, 0.25),
            (0, 1, 0.5),
            (1, 1, 0.75),
            (2, 1, 0.5),
        ] {
            let texel = format!("texelFetch(image, ivec3(19, 11, {slice}), {level})");
            let got = one_texel(&rig, ("sampler3D", &texel), seen, &nearest());
            let got = f32::from_bits(got[0]);
            assert!(
                (got - meant).abs() < 1e-4,
                "{format:?} {slice} {level}: {got}"
            );
        }
        unsafe { rig.device.destroy_image_view(seen, None) };
        if has_stencil {
            let seen = view(&rig, &image, kind, format, stencil);
            for (slice, level) in [(0, 0), (5, 0), (1, 1)] {
                let texel = format!("texelFetch(image, ivec3(3, 9, {slice}), {level})");
                let got = one_texel(&rig, ("usampler3D", &texel), seen, &nearest());
                assert_eq!(got[0], 7 + level, "{slice} {level}");
            }
            unsafe { rig.device.destroy_image_view(seen, None) };
        }
    }
}

#[test]
fn stencil_sampled_before_it_is_written() {
    let rig = Rig::new();
    let d = &rig.device;
    let kind = vk::DescriptorType::INPUT_ATTACHMENT;
    let binding = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
    let sets = [unsafe { d.create_descriptor_set_layout(&info, None) }.unwrap()];
    let canvas = Canvas::with(&rig, Some(vk::Format::S8_UINT), &sets);
    let sizes = [vk::DescriptorPoolSize::default()
        .ty(kind)
        .descriptor_count(1)];
    let info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(1)
        .pool_sizes(&sizes);
    let pool = unsafe { d.create_descriptor_pool(&info, None) }.unwrap();
    let info = vk::DescriptorSetAllocateInfo::default()
        .descriptor_pool(pool)
        .set_layouts(&sets);
    let set = unsafe { d.allocate_descriptor_sets(&info) }.unwrap()[0];
    let input = [vk::DescriptorImageInfo::default()
        .image_view(canvas.depth.as_ref().unwrap().view)
        .image_layout(vk::ImageLayout::GENERAL)];
    let write = [vk::WriteDescriptorSet::default()
        .dst_set(set)
        .descriptor_type(kind)
        .image_info(&input)];
    unsafe { d.update_descriptor_sets(&write, &[]) };
    let counting = vk::StencilOpState::default()
        .pass_op(vk::StencilOp::INCREMENT_AND_WRAP)
        .compare_op(vk::CompareOp::ALWAYS)
        .compare_mask(0xff)
        .write_mask(0xff);
    let look = Look {
        depth: vk::PipelineDepthStencilStateCreateInfo::default()
            .stencil_test_enable(true)
            .front(counting)
            .back(counting),
        ..Look::default()
    };
    let shaders = compile(
        VERTEX,
        "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
layout(input_attachment_index = 0, binding = 0) uniform usubpassInput before;
void main() { colour = vec4(float(subpassLoad(before).x) / 255.0, shade.gba); }",
    );
    let pipeline = canvas.pipeline(&shaders, &look);
    let square = rectangle([-1.0; 2], [1.0; 2], [0.0, 1.0, 0.0, 1.0]);
    let square = vertices(&rig, &square);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &square);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        d.cmd_bind_descriptor_sets(commands, graphics, canvas.layout, 0, &[set], &[]);
        for draw in 0..3 {
            if draw > 0 {
                let written = vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE)
                    .dst_access_mask(vk::AccessFlags::INPUT_ATTACHMENT_READ);
                d.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::LATE_FRAGMENT_TESTS,
                    vk::PipelineStageFlags::FRAGMENT_SHADER,
                    vk::DependencyFlags::BY_REGION,
                    &[written],
                    &[],
                    &[],
                );
            }
            d.cmd_draw(commands, 6, 1, 0, 0);
        }
    });
    // The third sees what two have counted.
    canvas.colour.check(|_, _| [2, 255, 0, 255]);
    unsafe {
        d.destroy_descriptor_pool(pool, None);
        d.destroy_descriptor_set_layout(sets[0], None);
    }
}
