//! Images, samplers and buffers of texels as compute shaders see them: by every kind of descriptor.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, range};
use crate::rig::{Buffer, Rig};

pub(crate) fn floats(out: &Buffer<'_>) -> Vec<f32> {
    out.dwords().into_iter().map(f32::from_bits).collect()
}

/// A view of all of an image.
pub(crate) fn view(
    rig: &Rig,
    image: &Image<'_>,
    kind: vk::ImageViewType,
    format: vk::Format,
    aspect: vk::ImageAspectFlags,
) -> vk::ImageView {
    let info = vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(kind)
        .format(format)
        .subresource_range(range(aspect));
    unsafe { rig.device.create_image_view(&info, None) }.unwrap()
}

pub(crate) fn image_info(
    format: vk::Format,
    extent: [u32; 3],
    levels: u32,
    layers: u32,
) -> vk::ImageCreateInfo<'static> {
    let kind = match extent {
        [_, 1, 1] => vk::ImageType::TYPE_1D,
        [_, _, 1] => vk::ImageType::TYPE_2D,
        _ => vk::ImageType::TYPE_3D,
    };
    vk::ImageCreateInfo::default()
        .image_type(kind)
        .format(format)
        .extent(vk::Extent3D {
            width: extent[0],
            height: extent[1],
            depth: extent[2],
        })
        .mip_levels(levels)
        .array_layers(layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(
            vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST
                | vk::ImageUsageFlags::SAMPLED,
        )
}

pub(crate) fn nearest() -> vk::SamplerCreateInfo<'static> {
    let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
    vk::SamplerCreateInfo::default()
        .address_mode_u(edge)
        .address_mode_v(edge)
        .address_mode_w(edge)
        .max_lod(vk::LOD_CLAMP_NONE)
}

/// Puts bytes into level 0 of all layers.
pub(crate) fn fill(rig: &Rig, image: &Image<'_>, info: &vk::ImageCreateInfo<'_>, bytes: &[u8]) {
    let buffer = rig.buffer(bytes.len() as u64);
    buffer.data.copy_from_slice(bytes);
    let copy = vk::BufferImageCopy::default()
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: info.array_layers,
            ..Default::default()
        })
        .image_extent(info.extent);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        rig.device
            .cmd_copy_buffer_to_image(commands, buffer.buffer, image.image, layout, &[copy]);
    });
}

pub(crate) const COLOUR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;

#[test]
fn samplers_with_every_descriptor_write_method() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [4, 2, 1], 1, 1);
    let image = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..32).map(|at| at * 8).collect();
    fill(&rig, &image, &info, &bytes);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    let combined = "#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(std430, binding = 0) buffer Out { vec4 texels[]; };
layout(binding = 1) uniform sampler2D image;
void main()
{
    uvec2 at = gl_LocalInvocationID.xy;
    texels[at.y * 4 + at.x] = textureLod(image, (vec2(at) + 0.5) / vec2(4, 2), 0.0);
}";
    let apart = combined
        .replace(
            "uniform sampler2D image;",
            "uniform texture2D seen;\nlayout(binding = 2) uniform sampler how;",
        )
        .replace("textureLod(image,", "textureLod(sampler2D(seen, how),");
    let null = (vk::ImageView::null(), vk::Sampler::null());
    let both = [Descriptor::Image(kind, seen, sampler)];
    let without = [Descriptor::Image(kind, seen, null.1)];
    let two = [
        Descriptor::Image(vk::DescriptorType::SAMPLED_IMAGE, seen, null.1),
        Descriptor::Image(vk::DescriptorType::SAMPLER, null.0, sampler),
    ];
    for by in [UpdateBy::Write, UpdateBy::Push, UpdateBy::Template] {
        for (glsl, given, immutable) in [
            (combined, &both[..], &[][..]),
            (combined, &without[..], &[sampler][..]),
            (&apart, &two[..], &[][..]),
        ] {
            let out = rig.buffer(8 * 16);
            run(&rig, glsl, &out, given, immutable, by);
            for (got, byte) in floats(&out).iter().zip(&bytes) {
                assert!(
                    (got - f32::from(*byte) / 255.0).abs() < 1e-6,
                    "{got} {byte}"
                );
            }
        }
    }
    unsafe {
        rig.device.destroy_sampler(sampler, None);
        rig.device.destroy_image_view(seen, None);
    }
}

#[test]
fn storage_images_and_texel_buffers() {
    let rig = Rig::new();
    for (format, name, samplers) in [
        (vk::Format::R8G8B8A8_UNORM, "rgba8", ""),
        (vk::Format::R16G16_SFLOAT, "rg16f", ""),
        (vk::Format::R32_SFLOAT, "r32f", ""),
        (vk::Format::R32G32B32A32_UINT, "rgba32ui", "u"),
        (vk::Format::R8_SINT, "r8i", "i"),
        (vk::Format::A2B10G10R10_UNORM_PACK32, "rgb10_a2", ""),
        (vk::Format::B10G11R11_UFLOAT_PACK32, "r11f_g11f_b10f", ""),
    ] {
        let info = image_info(format, [4, 2, 1], 1, 2)
            .usage(vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC);
        let image = Image::new(&rig, &info);
        let kind = vk::ImageViewType::TYPE_2D_ARRAY;
        let seen = view(&rig, &image, kind, format, COLOUR);
        let usage =
            vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        let texels = rig.buffer_for(16 * 16, usage);
        let info = vk::BufferViewCreateInfo::default()
            .buffer(texels.buffer)
            .format(format)
            .range(vk::WHOLE_SIZE);
        let buffer_view = unsafe { rig.device.create_buffer_view(&info, None) }.unwrap();
        // Each value goes through the image, then through the buffer both ways.
        let glsl = format!(
            "#version 450
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(std430, binding = 0) buffer Out {{ {samplers}vec4 texels[]; }};
layout(binding = 1, {name}) uniform {samplers}image2DArray image;
layout(binding = 2, {name}) uniform {samplers}imageBuffer line;
layout(binding = 3) uniform {samplers}samplerBuffer sampled;
void main()
{{
    ivec3 at = ivec3(gl_LocalInvocationID);
    int index = (at.z * 2 + at.y) * 4 + at.x;
    imageStore(image, at, {samplers}vec4(index, index * 2, index % 3, 1) / {samplers}vec4({divisor}));
    memoryBarrierImage();
    barrier();
    ivec3 other = ivec3(3 - at.x, 1 - at.y, 1 - at.z);
    {samplers}vec4 value = imageLoad(image, other);
    imageStore(line, index, value);
    texels[index] = value;
    if (imageSize(image) != ivec3(4, 2, 2) || imageSize(line) != {count} || textureSize(sampled) != {count})
        texels[index] = {samplers}vec4(77);
}}",
            divisor = if samplers.is_empty() { "32.0" } else { "1" },
            count = 256 / bytes_of(format),
        );
        let out = rig.buffer(16 * 16);
        let null = (vk::ImageView::null(), vk::Sampler::null());
        let given = [
            Descriptor::Image(vk::DescriptorType::STORAGE_IMAGE, seen, null.1),
            Descriptor::Texels(vk::DescriptorType::STORAGE_TEXEL_BUFFER, buffer_view),
            Descriptor::Texels(vk::DescriptorType::UNIFORM_TEXEL_BUFFER, buffer_view),
        ];
        run(&rig, &glsl, &out, &given, &[], UpdateBy::Write);
        let fetched = rig.buffer(16 * 16);
        let glsl = format!(
            "#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Out {{ {samplers}vec4 texels[]; }};
layout(binding = 1) uniform {samplers}samplerBuffer sampled;
void main() {{ texels[gl_LocalInvocationID.x] = texelFetch(sampled, int(gl_LocalInvocationID.x)); }}"
        );
        run(&rig, &glsl, &fetched, &given[2..], &[], UpdateBy::Write);
        // Both convert for themselves, so the last bit may differ.
        let same = |(a, b): (&u32, &u32)| match samplers.is_empty() {
            true => (f32::from_bits(*a) - f32::from_bits(*b)).abs() < 1e-6,
            false => a == b,
        };
        let (stored, read) = (out.dwords(), fetched.dwords());
        assert!(
            stored.iter().zip(&read).all(same),
            "{format:?}: {stored:?} {read:?}"
        );
        for (index, texel) in out.dwords().chunks_exact(4).enumerate() {
            let from = 15 - index as u32;
            let meant = [from, from * 2, from % 3, 1];
            let channels = channels_of(format);
            for channel in 0..4 {
                let none = u32::from(channel == 3);
                if !samplers.is_empty() {
                    let meant = if channel < channels {
                        meant[channel]
                    } else {
                        none
                    };
                    assert_eq!(texel[channel], meant, "{format:?} {index} {channel}");
                    continue;
                }
                let got = f32::from_bits(texel[channel]);
                let meant = match channel < channels {
                    true => meant[channel] as f32 / 32.0,
                    false => none as f32,
                };
                // Two bits of alpha have no 1/32.
                if format == vk::Format::A2B10G10R10_UNORM_PACK32 && channel == 3 {
                    assert_eq!(got, 0.0);
                    continue;
                }
                assert!(
                    (got - meant.min(1.0)).abs() < 0.004,
                    "{format:?} {index}: {got} {meant}"
                );
            }
        }
        unsafe {
            rig.device.destroy_buffer_view(buffer_view, None);
            rig.device.destroy_image_view(seen, None);
        }
    }
}

fn bytes_of(format: vk::Format) -> u32 {
    match format {
        vk::Format::R8_SINT => 1,
        vk::Format::R32G32B32A32_UINT => 16,
        _ => 4,
    }
}

fn channels_of(format: vk::Format) -> usize {
    match format {
        vk::Format::R8_SINT | vk::Format::R32_SFLOAT => 1,
        vk::Format::R16G16_SFLOAT => 2,
        vk::Format::B10G11R11_UFLOAT_PACK32 => 3,
        _ => 4,
    }
}

/// Reads one texel by a shader's expression `texel`, given one combined image sampler of some type.
pub(crate) fn one_texel(
    rig: &Rig,
    (sampler_type, texel): (&str, &str),
    seen: vk::ImageView,
    sampler: &vk::SamplerCreateInfo<'_>,
) -> Vec<u32> {
    let sampler = unsafe { rig.device.create_sampler(sampler, None) }.unwrap();
    let value = match sampler_type {
        name if name.starts_with('u') => "uvec4",
        _ => "vec4",
    };
    let glsl = format!(
        "#version 450
#extension GL_ARB_sparse_texture_clamp : enable
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out {{ {value} texel; }};
layout(binding = 1) uniform {sampler_type} image;
void main() {{ texel = {value}({texel}); }}"
    );
    let out = rig.buffer(16);
    let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    run(
        rig,
        &glsl,
        &out,
        &[Descriptor::Image(kind, seen, sampler)],
        &[],
        UpdateBy::Write,
    );
    unsafe { rig.device.destroy_sampler(sampler, None) };
    out.dwords()
}

#[test]
fn views_and_samplers_follow_their_create_info() {
    let rig = Rig::new();
    // Levels and layers of one colour each: 16 × level + layer.
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [16, 16, 1], 4, 12).flags(vk::ImageCreateFlags::CUBE_COMPATIBLE);
    let image = Image::new(&rig, &info);
    rig.run(|commands| unsafe {
        for level in 0..4 {
            for layer in 0..12 {
                let shade = (16 * level + layer) as f32 / 255.0;
                let value = vk::ClearColorValue {
                    float32: [shade, 0.5, 1.0, 0.0],
                };
                let range = vk::ImageSubresourceRange {
                    aspect_mask: COLOUR,
                    base_mip_level: level,
                    level_count: 1,
                    base_array_layer: layer,
                    layer_count: 1,
                };
                let layout = vk::ImageLayout::GENERAL;
                rig.device
                    .cmd_clear_color_image(commands, image.image, layout, &value, &[range]);
            }
        }
    });
    let made = |kind, first: [u32; 2], layers, components| {
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(kind)
            .format(format)
            .components(components)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: COLOUR,
                base_mip_level: first[0],
                level_count: vk::REMAINING_MIP_LEVELS,
                base_array_layer: first[1],
                layer_count: layers,
            });
        unsafe { rig.device.create_image_view(&info, None) }.unwrap()
    };
    let straight = vk::ComponentMapping::default();
    let red = |words: &[u32]| (f32::from_bits(words[0]) * 255.0).round() as u32;
    let array = made(vk::ImageViewType::TYPE_2D_ARRAY, [1, 2], 5, straight);
    let cubes = made(vk::ImageViewType::CUBE_ARRAY, [0, 0], 12, straight);
    let cube = made(vk::ImageViewType::CUBE, [0, 6], 6, straight);
    for (view, kind, texel, meant) in [
        (
            array,
            "sampler2DArray",
            "textureLod(image, vec3(0.5, 0.5, 3), 1)",
            16 * 2 + 5,
        ),
        (
            array,
            "sampler2DArray",
            "texelFetch(image, ivec3(0, 0, 4), 2)",
            16 * 3 + 6,
        ),
        (
            array,
            "sampler2DArray",
            "vec4(textureSize(image, 1), textureQueryLevels(image)) / 255",
            4,
        ),
        (
            cubes,
            "samplerCubeArray",
            "textureLod(image, vec4(0, -1, 0, 1), 0)",
            9,
        ),
        (
            cube,
            "samplerCube",
            "textureLod(image, vec3(0, 0, -1), 2)",
            16 * 2 + 11,
        ),
    ] {
        let got = one_texel(&rig, (kind, texel), view, &nearest());
        assert_eq!(red(&got), meant, "{kind} {texel}");
    }
    // Between two levels.
    let linear = nearest().mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    let got = one_texel(
        &rig,
        ("samplerCube", "textureLod(image, vec3(1, 0, 0), 1.5)"),
        cube,
        &linear,
    );
    assert_eq!(red(&got), 16 + 8 + 6);
    // Channels elsewhere, and a border.
    let turned = vk::ComponentMapping {
        r: vk::ComponentSwizzle::B,
        g: vk::ComponentSwizzle::ONE,
        b: vk::ComponentSwizzle::ZERO,
        a: vk::ComponentSwizzle::G,
    };
    let turned = made(vk::ImageViewType::TYPE_2D, [0, 3], 1, turned);
    let got = one_texel(
        &rig,
        ("sampler2D", "texture(image, vec2(0.5))"),
        turned,
        &nearest(),
    );
    let got: Vec<f32> = got.into_iter().map(f32::from_bits).collect();
    assert_eq!(got[..3], [1.0, 1.0, 0.0]);
    assert!((got[3] - 0.5).abs() < 0.003);
    let border = nearest()
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
        .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE);
    let plain = made(vk::ImageViewType::TYPE_2D, [0, 0], 1, straight);
    let got = one_texel(
        &rig,
        ("sampler2D", "texture(image, vec2(1.5, 0.5))"),
        plain,
        &border,
    );
    assert_eq!(got, [1f32.to_bits(); 4]);
    for view in [array, cubes, cube, turned, plain] {
        unsafe { rig.device.destroy_image_view(view, None) };
    }
}

#[test]
fn compressed_formats_are_sampled() {
    let rig = Rig::new();
    // Red alone; a base of black and the smallest modifier; a block of one colour.
    let one_colour = [
        0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 0x80, 0, 0, 0xff, 0xff,
    ];
    let red = [0, 0xf8, 0, 0, 0, 0, 0, 0];
    for (format, block, meant) in [
        (
            vk::Format::BC1_RGB_UNORM_BLOCK,
            &red[..],
            [1.0, 0.0, 0.0, 1.0],
        ),
        (
            vk::Format::ETC2_R8G8B8_UNORM_BLOCK,
            &[0; 8][..],
            [2.0 / 255.0, 2.0 / 255.0, 2.0 / 255.0, 1.0],
        ),
        (
            vk::Format::ASTC_4X4_UNORM_BLOCK,
            &one_colour[..],
            [1.0, 0.502, 0.0, 1.0],
        ),
    ] {
        let info = image_info(format, [8, 8, 1], 1, 1);
        let image = Image::new(&rig, &info);
        fill(&rig, &image, &info, &block.repeat(4));
        let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
        let texel = "texture(image, vec2(0.8, 0.3))";
        let got = one_texel(&rig, ("sampler2D", texel), seen, &nearest());
        for (got, meant) in got.into_iter().map(f32::from_bits).zip(meant) {
            assert!((got - meant).abs() < 0.003, "{format:?}: {got} {meant}");
        }
        unsafe { rig.device.destroy_image_view(seen, None) };
    }
}

#[test]
fn anisotropic_and_min_max_filters() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [16, 16, 1], 1, 1);
    let image = Image::new(&rig, &info);
    // Columns are black and white in turn.
    let bytes: Vec<u8> = (0..16 * 16 * 4)
        .map(|at| if at / 4 % 2 == 0 { 0 } else { 255 })
        .collect();
    fill(&rig, &image, &info, &bytes);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let linear = nearest()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR);
    // A footprint of one row and eight columns, about the middle of a white one.
    let texel = "textureGrad(image, vec2(9.5, 8.5) / 16, vec2(0.5, 0), vec2(0, 1.0 / 16))";
    let red = |sampler: &vk::SamplerCreateInfo<'_>, texel| {
        f32::from_bits(one_texel(&rig, ("sampler2D", texel), seen, sampler)[0])
    };
    assert_eq!(red(&linear, texel), 1.0);
    let along = linear.anisotropy_enable(true).max_anisotropy(16.0);
    let mixed = red(&along, texel);
    assert!((0.2..0.8).contains(&mixed), "{mixed}");
    // Between a black and a white column: their average, the lesser, the greater.
    let between = "textureLod(image, vec2(9.0, 8.5) / 16, 0)";
    assert!((red(&linear, between) - 0.5).abs() < 0.01);
    for (mode, meant) in [
        (vk::SamplerReductionMode::MIN, 0.0),
        (vk::SamplerReductionMode::MAX, 1.0),
    ] {
        let mut reduction = vk::SamplerReductionModeCreateInfo::default().reduction_mode(mode);
        let sampler = linear.push_next(&mut reduction);
        assert_eq!(red(&sampler, between), meant, "{mode:?}");
    }
    unsafe { rig.device.destroy_image_view(seen, None) };
}

#[test]
fn views_2d_of_3d_slices() {
    let rig = Rig::new();
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [8, 8, 4], 2, 1)
        .flags(vk::ImageCreateFlags::TYPE_2D_VIEW_COMPATIBLE_EXT)
        .usage(
            vk::ImageUsageFlags::TRANSFER_DST
                | vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::STORAGE,
        );
    let volume = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..8 * 8 * 4 * 4)
        .map(|at| (at / 256 * 40 + 7) as u8)
        .collect();
    fill(&rig, &volume, &info, &bytes);
    let slice = |slice| {
        let info = vk::ImageViewCreateInfo::default()
            .image(volume.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: COLOUR,
                base_mip_level: 0,
                level_count: 1,
                base_array_layer: slice,
                layer_count: 1,
            });
        unsafe { rig.device.create_image_view(&info, None) }.unwrap()
    };
    let near = |got: &[u32], byte: u32| {
        let got = f32::from_bits(got[0]) * 255.0;
        assert!((got - byte as f32).abs() < 0.01, "{got} {byte}");
    };
    for number in 0..4 {
        let seen = slice(number);
        let texel = "texture(image, vec2(0.3, 0.7))";
        near(
            &one_texel(&rig, ("sampler2D", texel), seen, &nearest()),
            number * 40 + 7,
        );
        let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 texel; };
layout(binding = 1, rgba8) uniform image2D image;
void main()
{
    texel = imageLoad(image, ivec2(5, 3));
    imageStore(image, ivec2(5, 3), vec4(1.0));
}";
        let out = rig.buffer(16);
        let kind = vk::DescriptorType::STORAGE_IMAGE;
        let given = [Descriptor::Image(kind, seen, vk::Sampler::null())];
        run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
        near(&out.dwords(), number * 40 + 7);
        let texel = "texelFetch(image, ivec2(5, 3), 0)";
        near(
            &one_texel(&rig, ("sampler2D", texel), seen, &nearest()),
            255,
        );
        unsafe { rig.device.destroy_image_view(seen, None) };
    }
}

/// What a shader sees of some slices of a level of a 3D image, and where it stores.
#[test]
fn storage_images_of_some_slices() {
    let rig = Rig::new();
    let format = vk::Format::R32_UINT;
    let info = image_info(format, [8, 8, 16], 2, 1).usage(
        vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::STORAGE,
    );
    let volume = Image::new(&rig, &info);
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uvec4 seen; };
layout(binding = 1, r32ui) uniform uimage3D image;
void main()
{
    seen.xyz = imageSize(image);
    seen.w = imageLoad(image, ivec3(1, 2, 1)).x;
    imageStore(image, ivec3(3, 2, 0), uvec4(seen.w + 1000));
    imageStore(image, ivec3(3, 2, int(seen.z)), uvec4(77));
}";
    let bytes = |level: u32| 4096u64 >> (3 * level);
    for (level, offset, count) in [
        (0, 5, 3),
        (0, 14, vk::REMAINING_3D_SLICES_EXT),
        (1, 2, 4),
        (1, 0, vk::REMAINING_3D_SLICES_EXT),
    ] {
        let (side, slices) = (8 >> level, 16 >> level);
        let texels = rig.buffer(bytes(level));
        for (at, texel) in texels.data.chunks_exact_mut(4).enumerate() {
            texel.copy_from_slice(&(at as u32).to_le_bytes());
        }
        let copy = vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: COLOUR,
                mip_level: level,
                layer_count: 1,
                base_array_layer: 0,
            })
            .image_extent(vk::Extent3D {
                width: side,
                height: side,
                depth: slices,
            });
        let layout = vk::ImageLayout::GENERAL;
        rig.run(|commands| unsafe {
            let (d, image) = (&rig.device, volume.image);
            d.cmd_copy_buffer_to_image(commands, texels.buffer, image, layout, &[copy]);
        });
        let mut sliced = vk::ImageViewSlicedCreateInfoEXT::default()
            .slice_offset(offset)
            .slice_count(count);
        let view = vk::ImageViewCreateInfo::default()
            .image(volume.image)
            .view_type(vk::ImageViewType::TYPE_3D)
            .format(format)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: COLOUR,
                base_mip_level: level,
                level_count: 1,
                base_array_layer: 0,
                layer_count: 1,
            })
            .push_next(&mut sliced);
        let view = unsafe { rig.device.create_image_view(&view, None) }.unwrap();
        let out = rig.buffer(16);
        let kind = vk::DescriptorType::STORAGE_IMAGE;
        let given = [Descriptor::Image(kind, view, vk::Sampler::null())];
        run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
        let count = count.min(slices - offset);
        let texel = |x: u32, y: u32, z: u32| (z * side + y) * side + x;
        let read = texel(1, 2, offset + 1);
        assert_eq!(out.dwords(), [side, side, count, read], "level {level}");
        // One texel of the first slice is written, and none behind the last one.
        rig.run(|commands| unsafe {
            let (d, image) = (&rig.device, volume.image);
            d.cmd_copy_image_to_buffer(commands, image, layout, texels.buffer, &[copy]);
        });
        let written = texel(3, 2, offset);
        for (at, found) in (0..).zip(texels.dwords()) {
            let expected = if at == written { read + 1000 } else { at };
            assert_eq!(found, expected, "level {level}, texel {at}");
        }
        unsafe { rig.device.destroy_image_view(view, None) };
    }
    // Slices that are not there.
    let mut sliced = vk::ImageViewSlicedCreateInfoEXT::default()
        .slice_offset(10)
        .slice_count(7);
    let view = vk::ImageViewCreateInfo::default()
        .image(volume.image)
        .view_type(vk::ImageViewType::TYPE_3D)
        .format(format)
        .subresource_range(vk::ImageSubresourceRange {
            layer_count: 1,
            ..crate::images::range(COLOUR)
        })
        .push_next(&mut sliced);
    assert!(unsafe { rig.device.create_image_view(&view, None) }.is_err());
}

#[test]
fn float_atomic_exchange_on_images_and_texel_buffers() {
    let rig = Rig::new();
    let format = vk::Format::R32_SFLOAT;
    let mut atomics = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut atomics);
    let known = unsafe {
        rig.instance
            .get_physical_device_features2(rig.physical, &mut features);
        rig.instance
            .get_physical_device_format_properties(rig.physical, format)
    };
    assert_eq!(atomics.shader_image_float32_atomics, vk::TRUE);
    let image_atomic = vk::FormatFeatureFlags::STORAGE_IMAGE_ATOMIC;
    assert!(known.optimal_tiling_features.contains(image_atomic));
    let buffer_atomic = vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER_ATOMIC;
    assert!(known.buffer_features.contains(buffer_atomic));
    let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST;
    let info = image_info(format, [4, 2, 1], 1, 1).usage(usage);
    let image = Image::new(&rig, &info);
    fill(&rig, &image, &info, &(-3.5f32).to_le_bytes().repeat(8));
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let texels = rig.buffer_for(64, vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER);
    texels
        .data
        .copy_from_slice(&(-9.25f32).to_le_bytes().repeat(16));
    let info = vk::BufferViewCreateInfo::default()
        .buffer(texels.buffer)
        .format(format)
        .range(vk::WHOLE_SIZE);
    let line = unsafe { rig.device.create_buffer_view(&info, None) }.unwrap();
    let out = rig.buffer(4 * 130);
    run(
        &rig,
        "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { float r[]; };
layout(binding = 1, r32f) uniform image2D picture;
layout(binding = 2, r32f) uniform imageBuffer line;
void main()
{
    uint i = gl_LocalInvocationIndex;
    r[i] = imageAtomicExchange(picture, ivec2(1, 1), float(i) + 0.5);
    r[65 + i] = imageAtomicExchange(line, 3, float(i) + 1.25);
    memoryBarrierImage();
    barrier();
    if (i == 0) {
        r[64] = imageLoad(picture, ivec2(1, 1)).x;
        r[129] = imageLoad(line, 3).x;
    }
}",
        &out,
        &[
            Descriptor::Image(vk::DescriptorType::STORAGE_IMAGE, seen, vk::Sampler::null()),
            Descriptor::Texels(vk::DescriptorType::STORAGE_TEXEL_BUFFER, line),
        ],
        &[],
        UpdateBy::Write,
    );
    // Each value is taken out once: the first one, and all that were put in.
    let found = floats(&out);
    for (found, first, step) in [(&found[..65], -3.5, 0.5), (&found[65..], -9.25, 1.25)] {
        let mut found = found.to_vec();
        found.sort_by(f32::total_cmp);
        let put = (0..64).map(|i| i as f32 + step);
        assert_eq!(found, std::iter::once(first).chain(put).collect::<Vec<_>>());
    }
    unsafe {
        rig.device.destroy_buffer_view(line, None);
        rig.device.destroy_image_view(seen, None);
    }
}
