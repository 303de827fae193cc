//! Depth and stencil of several samples become one of each: the first, the least, the greatest, the
//! mean.

use ash::vk;

use crate::canvas::{compile, whole};
use crate::images::{Image, aspects, range};
use crate::rig::Rig;

/// What the four samples of every pixel are.
const DEPTHS: [f32; 4] = [0.5, 0.125, 0.75, 0.25];
const STENCILS: [u8; 4] = [7, 200, 3, 90];
const SIZE: u32 = crate::canvas::SIZE;

/// A view of depth and stencil.
fn view(rig: &Rig, image: &Image<'_>, format: vk::Format) -> vk::ImageView {
    let all = aspects(format).into_iter();
    let all = all.fold(vk::ImageAspectFlags::empty(), |all, one| all | one);
    let info = vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range(all));
    unsafe { rig.device.create_image_view(&info, None) }.unwrap()
}

/// A pipeline that writes one sample's depth and stencil.
fn pipeline(
    rig: &Rig,
    format: vk::Format,
    sample: usize,
    layout: vk::PipelineLayout,
) -> vk::Pipeline {
    let d = &rig.device;
    let [words, _] = compile(
        "#version 450
void main()
{
    vec2 corner = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1);
    gl_Position = vec4(corner, 0, 1);
}",
        "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1); }",
    );
    let stage = unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        d.create_shader_module(&info, None).unwrap()
    };
    let stages = [vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::VERTEX)
        .module(stage)
        .name(c"main")];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewports = [vk::Viewport {
        min_depth: DEPTHS[sample],
        max_depth: DEPTHS[sample],
        ..crate::canvas::viewport()
    }];
    let scissors = [whole()];
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewports(&viewports)
        .scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let mask = [1 << sample];
    let multisample = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_4)
        .sample_mask(&mask);
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::REPLACE,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0xff,
        reference: STENCILS[sample].into(),
        ..vk::StencilOpState::default()
    };
    let has = |aspect| aspects(format).contains(&aspect);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::LESS)
        .stencil_test_enable(has(vk::ImageAspectFlags::STENCIL))
        .front(face)
        .back(face);
    let mut rendering = vk::PipelineRenderingCreateInfo::default().depth_attachment_format(format);
    if has(vk::ImageAspectFlags::STENCIL) {
        rendering = rendering.stencil_attachment_format(format);
    }
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth)
        .layout(layout)
        .push_next(&mut rendering);
    unsafe {
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        d.destroy_shader_module(stage, None);
        made.unwrap()[0]
    }
}

/// `VkResolveImageModeInfoKHR`.
#[repr(C)]
struct Modes {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    flags: u32,
    modes: [vk::ResolveModeFlags; 2],
}

/// Resolves all of an image's aspects by a command: one from TRANSFER_SRC_OPTIMAL, the other in
/// TRANSFER_DST_OPTIMAL.
fn resolve_by_command(
    rig: &Rig,
    commands: vk::CommandBuffer,
    [several, one]: [&Image<'_>; 2],
    aspects: vk::ImageAspectFlags,
    modes: [vk::ResolveModeFlags; 2],
) {
    let modes = Modes {
        s_type: vk::StructureType::from_raw(1_000_630_004),
        p_next: std::ptr::null(),
        flags: 0,
        modes,
    };
    let layers = vk::ImageSubresourceLayers::default()
        .aspect_mask(aspects)
        .layer_count(1);
    let regions = [vk::ImageResolve2::default()
        .src_subresource(layers)
        .dst_subresource(layers)
        .extent(vk::Extent3D {
            width: SIZE,
            height: SIZE,
            depth: 1,
        })];
    let mut info = vk::ResolveImageInfo2::default()
        .src_image(several.image)
        .src_image_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
        .dst_image(one.image)
        .dst_image_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL)
        .regions(&regions);
    info.p_next = (&raw const modes).cast();
    unsafe { rig.device.cmd_resolve_image2(commands, &info) };
}

/// Copies an aspect of an image, in TRANSFER_SRC_OPTIMAL, to a buffer.
fn copy_out(
    rig: &Rig,
    commands: vk::CommandBuffer,
    image: &Image<'_>,
    aspect: vk::ImageAspectFlags,
    out: &crate::rig::Buffer<'_>,
) {
    let region = vk::BufferImageCopy::default()
        .image_subresource(
            vk::ImageSubresourceLayers::default()
                .aspect_mask(aspect)
                .layer_count(1),
        )
        .image_extent(vk::Extent3D {
            width: SIZE,
            height: SIZE,
            depth: 1,
        });
    let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    let d = &rig.device;
    unsafe { d.cmd_copy_image_to_buffer(commands, image.image, layout, out.buffer, &[region]) };
}

/// The depths, as they are stored, and stencil values that a resolve of these modes leaves: one at
/// the end of a rendering, or a command.
fn resolved(
    rig: &Rig,
    by_command: bool,
    format: vk::Format,
    [depth_mode, stencil_mode]: [vk::ResolveModeFlags; 2],
) -> (Vec<u8>, Vec<u8>) {
    use vk::ImageLayout as L;
    let d = &rig.device;
    let image = |samples, usage| {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D {
                width: SIZE,
                height: SIZE,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .usage(usage | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
        Image::new(rig, &info)
    };
    let several = image(
        vk::SampleCountFlags::TYPE_4,
        vk::ImageUsageFlags::TRANSFER_SRC,
    );
    let one = image(
        vk::SampleCountFlags::TYPE_1,
        vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
    );
    let views = [&several, &one].map(|image| view(rig, image, format));
    let layout = unsafe { d.create_pipeline_layout(&Default::default(), None) }.unwrap();
    let pipelines: Vec<_> = (0..4).map(|i| pipeline(rig, format, i, layout)).collect();
    let parts = aspects(format);
    let all = range(
        parts
            .iter()
            .fold(vk::ImageAspectFlags::empty(), |a, b| a | *b),
    );
    let has_stencil = parts.contains(&vk::ImageAspectFlags::STENCIL);
    let attachment = |mode| {
        vk::RenderingAttachmentInfo::default()
            .image_view(views[0])
            .image_layout(L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
            .resolve_mode(mode)
            .resolve_image_view(views[1])
            .resolve_image_layout(L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue {
                depth_stencil: vk::ClearDepthStencilValue {
                    depth: 1.0,
                    stencil: 0,
                },
            })
    };
    let at_end = |mode| match by_command {
        true => vk::ResolveModeFlags::NONE,
        false => mode,
    };
    let depth = attachment(at_end(depth_mode));
    let stencil = attachment(at_end(stencil_mode));
    let mut info = vk::RenderingInfo::default()
        .render_area(whole())
        .layer_count(1)
        .depth_attachment(&depth);
    if has_stencil {
        info = info.stencil_attachment(&stencil);
    }
    let rendering = ash::khr::dynamic_rendering::Device::new(&rig.instance, d);
    let pixels = u64::from(SIZE * SIZE);
    let outs = [rig.buffer(pixels * 4), rig.buffer(pixels)];
    rig.run(|commands| unsafe {
        let change = |image: &Image<'_>, from, to| {
            let barrier = vk::ImageMemoryBarrier::default()
                .image(image.image)
                .old_layout(from)
                .new_layout(to)
                // For synchronisation, resolves are colour writes.
                .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .subresource_range(all);
            let stage = vk::PipelineStageFlags::ALL_COMMANDS;
            let none = vk::DependencyFlags::empty();
            d.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &[barrier]);
        };
        change(&several, L::UNDEFINED, L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        change(&one, L::UNDEFINED, L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        rendering.cmd_begin_rendering(commands, &info);
        for &pipeline in &pipelines {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_draw(commands, 3, 1, 0, 0);
        }
        rendering.cmd_end_rendering(commands);
        let (attached, from) = (L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL, L::TRANSFER_SRC_OPTIMAL);
        if by_command {
            let to = L::TRANSFER_DST_OPTIMAL;
            change(&several, attached, from);
            change(&one, L::UNDEFINED, to);
            resolve_by_command(
                rig,
                commands,
                [&several, &one],
                all.aspect_mask,
                [depth_mode, stencil_mode],
            );
            change(&one, to, from);
        } else {
            change(&one, attached, from);
        }
        for (&aspect, out) in parts.iter().zip(&outs) {
            copy_out(rig, commands, &one, aspect, out);
        }
    });
    unsafe {
        for pipeline in pipelines {
            d.destroy_pipeline(pipeline, None);
        }
        d.destroy_pipeline_layout(layout, None);
        for view in views {
            d.destroy_image_view(view, None);
        }
    }
    (outs[0].data.to_vec(), outs[1].data.to_vec())
}

#[test]
fn depth_and_stencil_samples_are_resolved() {
    resolve(false);
}

#[test]
fn commands_resolve_depth_and_stencil() {
    resolve(true);
}

fn resolve(by_command: bool) {
    use vk::ResolveModeFlags as M;
    let rig = Rig::new();
    let mut modes = vk::PhysicalDeviceDepthStencilResolveProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut modes);
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut properties);
    }
    let all = M::SAMPLE_ZERO | M::MIN | M::MAX;
    assert_eq!(modes.supported_depth_resolve_modes, all | M::AVERAGE);
    assert_eq!(modes.supported_stencil_resolve_modes, all);
    let depth = |mode| match mode {
        M::SAMPLE_ZERO => DEPTHS[0],
        M::MIN => 0.125,
        M::MAX => 0.75,
        _ => DEPTHS.iter().sum::<f32>() / 4.0,
    };
    let stencil = |mode| match mode {
        M::SAMPLE_ZERO => STENCILS[0],
        M::MIN => 3,
        _ => 200,
    };
    for [of_depth, of_stencil] in [
        [M::MIN, M::MAX],
        [M::MAX, M::SAMPLE_ZERO],
        [M::AVERAGE, M::MIN],
    ] {
        let modes = [of_depth, of_stencil];
        let (depths, stencils) = resolved(&rig, by_command, vk::Format::D32_SFLOAT_S8_UINT, modes);
        let right = depth(of_depth).to_le_bytes();
        assert!(depths.chunks_exact(4).all(|at| at == right), "{modes:?}");
        assert!(
            stencils.iter().all(|&at| at == stencil(of_stencil)),
            "{modes:?}"
        );
        for (format, bytes, most) in [
            (vk::Format::D16_UNORM, 2, 65535.0),
            (vk::Format::X8_D24_UNORM_PACK32, 3, 16_777_215.0_f64),
        ] {
            let (depths, _) = resolved(&rig, by_command, format, modes);
            let stride = if bytes == 2 { 2 } else { 4 };
            let stored = DEPTHS.map(|depth| (f64::from(depth) * most).round());
            let right = match of_depth {
                M::AVERAGE => stored.iter().sum::<f64>() / 4.0,
                _ => (f64::from(depth(of_depth)) * most).round(),
            };
            for at in depths.chunks_exact(stride).take((SIZE * SIZE) as usize) {
                let mut word = [0; 4];
                word[..bytes].copy_from_slice(&at[..bytes]);
                let off = f64::from(u32::from_le_bytes(word)) - right;
                assert!(off.abs() <= 0.5, "{format:?} {modes:?}: {word:?}");
            }
        }
    }
}
