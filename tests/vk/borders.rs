//! What samplers see beyond the edges of images.

use ash::vk;

use crate::images::Image;
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, image_info, nearest, one_texel, view};

/// A sampler that sees a border.
fn bordered() -> vk::SamplerCreateInfo<'static> {
    let border = vk::SamplerAddressMode::CLAMP_TO_BORDER;
    nearest()
        .address_mode_u(border)
        .address_mode_v(border)
        .address_mode_w(border)
}

/// What is read outside of an image.
fn beyond(
    rig: &Rig,
    kind: &str,
    seen: vk::ImageView,
    sampler: &vk::SamplerCreateInfo<'_>,
) -> Vec<u32> {
    one_texel(rig, (kind, "texture(image, vec2(2.5, 0.5))"), seen, sampler)
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|&word| f32::from_bits(word)).collect()
}

#[test]
fn custom_border_colors_are_returned() {
    let rig = Rig::new();
    let colour = [0.2, 0.4, 0.6, 0.8];
    for (format, channels) in [
        (vk::Format::R8G8B8A8_UNORM, 4),
        (vk::Format::B8G8R8A8_UNORM, 4),
        (vk::Format::R32G32B32A32_SFLOAT, 4),
        (vk::Format::R16G16_SFLOAT, 2),
        (vk::Format::A2B10G10R10_UNORM_PACK32, 4),
        (vk::Format::B5G6R5_UNORM_PACK16, 3),
        (vk::Format::B4G4R4A4_UNORM_PACK16, 4),
        (vk::Format::A1B5G5R5_UNORM_PACK16_KHR, 3),
        (vk::Format::A4R4G4B4_UNORM_PACK16, 4),
    ] {
        let image = Image::new(&rig, &image_info(format, [4, 4, 1], 1, 1));
        let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
        let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default()
            .custom_border_color(vk::ClearColorValue { float32: colour })
            .format(format);
        let sampler = bordered()
            .border_color(vk::BorderColor::FLOAT_CUSTOM_EXT)
            .push_next(&mut custom);
        let got = floats(&beyond(&rig, "sampler2D", seen, &sampler));
        for channel in 0..channels {
            let off = (got[channel] - colour[channel]).abs();
            // As fine as the format is, at most.
            assert!(off < 0.04, "{format:?}: {got:?}");
        }
        unsafe { rig.device.destroy_image_view(seen, None) };
    }
    // Integers, and a format that the sampler does not know.
    let format = vk::Format::R32G32B32A32_UINT;
    let image = Image::new(&rig, &image_info(format, [4, 4, 1], 1, 1));
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let uint32 = [5, 0x8000_0000, 7, u32::MAX];
    let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .custom_border_color(vk::ClearColorValue { uint32 });
    let sampler = bordered()
        .border_color(vk::BorderColor::INT_CUSTOM_EXT)
        .push_next(&mut custom);
    assert_eq!(beyond(&rig, "usampler2D", seen, &sampler), uint32);
    unsafe { rig.device.destroy_image_view(seen, None) };
}

#[test]
fn border_colour_follows_the_view_swizzle() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = Image::new(&rig, &image_info(format, [4, 4, 1], 1, 1));
    let components = vk::ComponentMapping {
        r: vk::ComponentSwizzle::A,
        g: vk::ComponentSwizzle::R,
        b: vk::ComponentSwizzle::ONE,
        a: vk::ComponentSwizzle::G,
    };
    let info = vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .components(components)
        .subresource_range(crate::images::range(COLOUR));
    let seen = unsafe { rig.device.create_image_view(&info, None) }.unwrap();
    let float32 = [0.25, 0.5, 0.75, 0.0];
    let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .custom_border_color(vk::ClearColorValue { float32 })
        .format(format);
    let mut mapping =
        vk::SamplerBorderColorComponentMappingCreateInfoEXT::default().components(components);
    let custom_sampler = bordered()
        .border_color(vk::BorderColor::FLOAT_CUSTOM_EXT)
        .push_next(&mut custom)
        .push_next(&mut mapping);
    let got = floats(&beyond(&rig, "sampler2D", seen, &custom_sampler));
    for (got, meant) in got.iter().zip([0.0, 0.25, 1.0, 0.5]) {
        assert!((got - meant).abs() < 0.01, "{got} {meant}");
    }
    let black = bordered().border_color(vk::BorderColor::FLOAT_OPAQUE_BLACK);
    let got = floats(&beyond(&rig, "sampler2D", seen, &black));
    assert_eq!(got, [1.0, 0.0, 1.0, 0.0]);
    unsafe { rig.device.destroy_image_view(seen, None) };
}

#[test]
fn mirror_clamp_to_edge() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [4, 1, 1], 1, 1).image_type(vk::ImageType::TYPE_2D);
    let image = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..16).map(|at| at / 4 * 10).collect();
    fill(&rig, &image, &info, &bytes);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let sampler = nearest().address_mode_u(vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE);
    for (place, meant) in [(0.3, 10), (-0.3, 10), (-0.9, 30), (-7.3, 30), (1.4, 30)] {
        let texel = format!("texture(image, vec2({place:?}, 0.5))");
        let got = one_texel(&rig, ("sampler2D", &texel), seen, &sampler);
        let got = (f32::from_bits(got[0]) * 255.0).round() as u32;
        assert_eq!(got, meant, "{place}");
    }
    unsafe { rig.device.destroy_image_view(seen, None) };
}

#[test]
fn seamless_and_non_seamless_cube_maps() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [4, 4, 1], 1, 6).flags(vk::ImageCreateFlags::CUBE_COMPATIBLE);
    let image = Image::new(&rig, &info);
    // The first face is black, the others are white.
    let bytes: Vec<u8> = (0..6 * 64)
        .map(|at| if at < 64 { 0 } else { 255 })
        .collect();
    fill(&rig, &image, &info, &bytes);
    let seen = view(&rig, &image, vk::ImageViewType::CUBE, format, COLOUR);
    let linear = nearest()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR);
    let texel = "texture(image, vec3(1.0, 0.999, 0.0))";
    let red = |sampler: &vk::SamplerCreateInfo<'_>| {
        f32::from_bits(one_texel(&rig, ("samplerCube", texel), seen, sampler)[0])
    };
    let joined = red(&linear);
    assert!((joined - 0.5).abs() < 0.05, "{joined}");
    let apart = linear.flags(vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT);
    assert_eq!(red(&apart), 0.0);
    unsafe { rig.device.destroy_image_view(seen, None) };
}
