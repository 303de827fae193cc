//! Which level of an image is read: as views and shaders bound it.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, range};
use crate::rig::Rig;
use crate::textures::{COLOUR, image_info, nearest, one_texel, view};

/// An image whose three levels are 0, 1/2 and 1.
fn steps(rig: &Rig) -> Image<'_> {
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [8, 8, 1], 3, 1);
    let image = Image::new(rig, &info);
    rig.run(|commands| unsafe {
        for level in 0..3 {
            let value = vk::ClearColorValue {
                float32: [level as f32 / 2.0; 4],
            };
            let range = vk::ImageSubresourceRange {
                base_mip_level: level,
                level_count: 1,
                ..range(COLOUR)
            };
            let layout = vk::ImageLayout::GENERAL;
            rig.device
                .cmd_clear_color_image(commands, image.image, layout, &value, &[range]);
        }
    });
    image
}

#[test]
fn image_view_min_lod() {
    let rig = Rig::new();
    let (image, format) = (steps(&rig), vk::Format::R8G8B8A8_UNORM);
    // A view sees no less than one and a half.
    let linear = nearest().mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    for (first, least, lod, meant) in [
        (0, 0.0, 0.0, 0.0),
        // Where texels are not magnified, which levels are not chosen for.
        (0, 1.5, 0.25, 0.75),
        (0, 1.5, 2.0, 1.0),
        (1, 1.5, 0.25, 0.75),
        (1, 1.5, 1.0, 1.0),
    ] {
        let mut min = vk::ImageViewMinLodCreateInfoEXT::default().min_lod(least);
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(vk::ImageSubresourceRange {
                base_mip_level: first,
                ..range(COLOUR)
            })
            .push_next(&mut min);
        let seen = unsafe { rig.device.create_image_view(&info, None) }.unwrap();
        let texel = format!("textureLod(image, vec2(0.5), {lod:?})");
        let got = f32::from_bits(one_texel(&rig, ("sampler2D", &texel), seen, &linear)[0]);
        assert!(
            (got - meant).abs() < 0.01,
            "{first} {least} {lod}: {got} {meant}"
        );
        unsafe { rig.device.destroy_image_view(seen, None) };
    }
}

#[test]
fn shader_min_lod() {
    let rig = Rig::new();
    let image = steps(&rig);
    let kind = vk::ImageViewType::TYPE_2D;
    let seen = view(&rig, &image, kind, vk::Format::R8G8B8A8_UNORM, COLOUR);
    let linear = nearest().mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    // Gradients that ask for a level, and the least that is taken.
    for (lod, least, meant) in [
        (0.5_f32, 0.0_f32, 0.25),
        (0.5, 1.0, 0.5),
        (0.5, 1.5, 0.75),
        (1.5, 1.0, 0.75),
        (1.5, 7.0, 1.0),
    ] {
        let step = lod.exp2() / 8.0;
        let texel = format!(
            "textureGradClampARB(image, vec2(0.5), vec2({step:?}, 0.0), vec2(0.0, {step:?}), {least:?})"
        );
        let got = f32::from_bits(one_texel(&rig, ("sampler2D", &texel), seen, &linear)[0]);
        assert!((got - meant).abs() < 0.01, "{lod} {least}: {got} {meant}");
    }
    unsafe { rig.device.destroy_image_view(seen, None) };
}

#[test]
fn compute_derivative_quads_select_a_level() {
    let rig = Rig::new();
    let image = steps(&rig);
    let kind = vk::ImageViewType::TYPE_2D;
    let seen = view(&rig, &image, kind, vk::Format::R8G8B8A8_UNORM, COLOUR);
    let linear = nearest().mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    let sampler = unsafe { rig.device.create_sampler(&linear, None) }.unwrap();
    // (group, local size, coordinate by texels a step, sampling): a step of two texels is level 1.
    let quads = (
        "quads",
        "local_size_x = 4, local_size_y = 4",
        "vec2(gl_LocalInvocationID.xy)",
    );
    let line = (
        "linear",
        "local_size_x = 16",
        "vec2(gl_LocalInvocationIndex & 1u, 0)",
    );
    for ((group, size, at), step, bias, meant) in [
        (quads, 1.0_f32, 0.0, 0.0),
        (quads, 2.0, 0.0, 0.5),
        (quads, 4.0, 0.0, 1.0),
        (quads, 2.0, 0.5, 0.75),
        (line, 2.0, 0.0, 0.5),
        (line, 4.0, -0.5, 0.75),
    ] {
        let glsl = format!(
            "#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(derivative_group_{group}NV) in;
layout({size}) in;
layout(std430, binding = 0) buffer Out {{ vec4 texel[16]; }};
layout(binding = 1) uniform sampler2D image;
void main()
{{
    vec2 at = {at} * {step:?} / 8.0;
    float lod = textureQueryLod(image, at).y;
    texel[gl_LocalInvocationIndex] = vec4(texture(image, at, {bias:?}).rg, lod, 0.0);
}}"
        );
        let out = rig.buffer(16 * 16);
        let sampled = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let given = [Descriptor::Image(sampled, seen, sampler)];
        run(&rig, &glsl, &out, &given, &[], UpdateBy::Write);
        for (texel, got) in out.dwords().chunks(4).enumerate() {
            let (red, lod) = (f32::from_bits(got[0]), f32::from_bits(got[2]));
            let near = |got: f32, meant: f32| (got - meant).abs() < 0.02;
            assert!(near(red, meant), "{group} {step} {bias}: {texel} is {red}");
            assert!(near(lod, step.log2()), "{group} {step}: {texel} at {lod}");
        }
    }
    unsafe {
        rig.device.destroy_sampler(sampler, None);
        rig.device.destroy_image_view(seen, None);
    }
}
