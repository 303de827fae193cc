//! The formats of VK_KHR_maintenance5, and texel buffers of formats that shaders cannot name.

use ash::vk;
use samples::Error;
use samples::vulkan::{GraphicsInfo, Target, Targets, Use};

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::Image;
use crate::maintenance5::{contents, gpu};
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, floats, image_info, nearest, view};

/// Texels of a format, and the colours that they are.
fn texels(format: vk::Format) -> (Vec<u8>, [[f32; 4]; 4]) {
    match format {
        vk::Format::A8_UNORM_KHR => {
            let alphas = [0u8, 51, 204, 255];
            (
                alphas.to_vec(),
                alphas.map(|a| [0.0, 0.0, 0.0, f32::from(a) / 255.0]),
            )
        }
        _ => {
            // Alpha at bit 15, blue at 10, green at 5, red at 0.
            let parts = [
                [31u16, 0, 0, 0],
                [0, 15, 0, 1],
                [0, 0, 31, 1],
                [3, 7, 11, 0],
            ];
            let word = |[r, g, b, a]: [u16; 4]| r | g << 5 | b << 10 | a << 15;
            let bytes = parts.iter().flat_map(|&part| word(part).to_le_bytes());
            let colour = |[r, g, b, a]: [u16; 4]| {
                let of = |part| f32::from(part) / 31.0;
                [of(r), of(g), of(b), f32::from(a)]
            };
            (bytes.collect(), parts.map(colour))
        }
    }
}

const NEW_FORMATS: [vk::Format; 2] = [
    vk::Format::A8_UNORM_KHR,
    vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
];

#[test]
fn new_formats_are_sampled() {
    let rig = Rig::new();
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    for format in NEW_FORMATS {
        let (bytes, colours) = texels(format);
        let info = image_info(format, [4, 1, 1], 1, 1).image_type(vk::ImageType::TYPE_2D);
        let image = Image::new(&rig, &info);
        fill(&rig, &image, &info, &bytes);
        let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
        let usage =
            vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
        let buffer = rig.buffer_for(bytes.len() as u64, usage);
        buffer.data.copy_from_slice(&bytes);
        // Of the two usages of the buffer, the view has one.
        let mut one = vk::BufferUsageFlags2CreateInfoKHR::default()
            .usage(vk::BufferUsageFlags2KHR::UNIFORM_TEXEL_BUFFER);
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer.buffer)
            .format(format)
            .range(vk::WHOLE_SIZE)
            .push_next(&mut one);
        let line = unsafe { rig.device.create_buffer_view(&info, None) }.unwrap();
        let glsl = "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Out { vec4 texels[]; };
layout(binding = 1) uniform sampler2D image;
layout(binding = 2) uniform samplerBuffer line;
void main()
{
    int at = int(gl_LocalInvocationID.x);
    texels[at] = textureLod(image, vec2((at + 0.5) / 4.0, 0.5), 0.0);
    texels[4 + at] = texelFetch(line, at);
}";
        let out = rig.buffer(8 * 16);
        let given = [
            Descriptor::Image(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, seen, sampler),
            Descriptor::Texels(vk::DescriptorType::UNIFORM_TEXEL_BUFFER, line),
        ];
        run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
        let expected = [colours, colours].concat().concat();
        for (got, expected) in floats(&out).iter().zip(expected) {
            assert!(
                (got - expected).abs() < 1e-6,
                "{format:?}: {got} {expected}"
            );
        }
        unsafe {
            rig.device.destroy_buffer_view(line, None);
            rig.device.destroy_image_view(seen, None);
        }
    }
    unsafe { rig.device.destroy_sampler(sampler, None) };
}

/// The bytes of four texels of an image that a shader stores `colour` to, which may depend on `at`,
/// the texel's number.
fn stored(rig: &Rig, format: vk::Format, texel_bytes: u32, colour: &str) -> Vec<u8> {
    let info = image_info(format, [4, 1, 1], 1, 1)
        .image_type(vk::ImageType::TYPE_2D)
        .usage(vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC);
    let image = Image::new(rig, &info);
    let seen = view(rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let glsl = format!(
        "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Out {{ uint done[]; }};
layout(binding = 1) writeonly uniform image2D image;
void main()
{{
    int at = int(gl_LocalInvocationID.x);
    imageStore(image, ivec2(at, 0), {colour});
    done[at] = 1;
}}"
    );
    let out = rig.buffer(16);
    let kind = vk::DescriptorType::STORAGE_IMAGE;
    let given = [Descriptor::Image(kind, seen, vk::Sampler::null())];
    run(rig, &glsl, &out, &given, &[], UpdateBy::Write);
    unsafe { rig.device.destroy_image_view(seen, None) };
    contents(rig, &image, &info, texel_bytes).to_vec()
}

#[test]
fn alpha_images_are_stored_to() {
    let rig = Rig::new();
    let colour = "vec4(0.6, 0.7, 0.8, at * 0.2)";
    let found = stored(&rig, vk::Format::A8_UNORM_KHR, 1, colour);
    assert_eq!(found, [0, 51, 102, 153]);
}

#[test]
fn images_with_exchanged_channels_are_stored_to() {
    let rig = Rig::new();
    // Texels that are red, green, blue, and transparent but for the last.
    let colour = "vec4(at == 0, at == 1, at == 2, at == 3)";
    for (format, texels) in [
        (
            vk::Format::B5G6R5_UNORM_PACK16,
            [31u16, 63 << 5, 31 << 11, 0],
        ),
        (
            vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
            [31, 31 << 5, 31 << 10, 1 << 15],
        ),
    ] {
        let features = unsafe {
            let instance = &rig.instance;
            instance.get_physical_device_format_properties(rig.physical, format)
        };
        let storage = vk::FormatFeatureFlags::STORAGE_IMAGE;
        assert!(features.optimal_tiling_features.contains(storage));
        let expected: Vec<u8> = texels.iter().flat_map(|t| t.to_le_bytes()).collect();
        assert_eq!(stored(&rig, format, 2, colour), expected, "{format:?}");
    }
}

#[test]
fn new_formats_are_rendered_to() -> Result<(), Error> {
    let gpu = gpu()?;
    // The clear colour, a colour drawn to the left half, and what both are as texels.
    let (clear, drawn) = ([1.0, 0.0, 0.0, 0.2], [0.0, 16.0 / 31.0, 1.0, 0.8]);
    for (format, texels) in [
        (vk::Format::A8_UNORM_KHR, [vec![204], vec![51]]),
        // Blue 31, green 16; alpha of 0.8 is 1 and of 0.2 is 0.
        (
            vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
            [vec![0x00, 0xfe], vec![0x1f, 0x00]],
        ),
    ] {
        let colors = [format];
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: "#version 450
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(corner * vec2(1.0, 2.0) - 1.0, 0.0, 1.0);
}",
            fragment: Some(
                "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(0.0, 16.0 / 31.0, 1.0, 0.8); }",
            ),
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            colors: &colors,
            ..GraphicsInfo::default()
        })?;
        assert_eq!(drawn[3], 0.8);
        let image = gpu.image(samples::vulkan::ImageInfo::new(format, 8, 4).target())?;
        gpu.run(|r| {
            let targets = [Target::clear(&image, clear)];
            r.draw_to(&Targets::new(&targets), |r| {
                r.bind::<u32>(&pipeline, &[], &[]);
                r.draw(0, 4, 1);
                Ok(())
            })?;
            r.use_as(&image, Use::CopyFrom);
            Ok(())
        })?;
        let [left, right] = texels.map(|texel| texel.repeat(4));
        assert_eq!(
            gpu.read(&image)?,
            [left, right].concat().repeat(4),
            "{format:?}"
        );
    }
    Ok(())
}

#[test]
fn texel_buffers_of_packed_formats_are_written() {
    let rig = Rig::new();
    // Red 1, green 0, blue 0.6, alpha 0.2, as stored; unused channels are dropped.
    for (format, texel) in [
        (vk::Format::A8_UNORM_KHR, &[51][..]),
        (vk::Format::B8G8R8A8_UNORM, &[153, 0, 255, 51]),
        // Red at bit 20 (1023), blue at 0 (614), alpha at 30 (1).
        (
            vk::Format::A2R10G10B10_UNORM_PACK32,
            &[0x66, 0x02, 0xf0, 0x7f],
        ),
        // Red at bit 11 (31), blue at 0 (19).
        (vk::Format::R5G6B5_UNORM_PACK16, &[0x13, 0xf8]),
        // Blue at bit 11 (19), red at 0 (31).
        (vk::Format::B5G6R5_UNORM_PACK16, &[0x1f, 0x98]),
        // Alpha at bit 15 (0), blue at 10 (19), red at 0 (31).
        (vk::Format::A1B5G5R5_UNORM_PACK16_KHR, &[0x1f, 0x4c]),
        // Alpha at bit 15 (0), red at 10 (31), blue at 0 (19).
        (vk::Format::A1R5G5B5_UNORM_PACK16, &[0x13, 0x7c]),
        // Alpha at bit 12 (3), red at 8 (15), blue at 0 (9).
        (vk::Format::A4R4G4B4_UNORM_PACK16, &[0x09, 0x3f]),
    ] {
        let features = unsafe {
            let instance = &rig.instance;
            instance.get_physical_device_format_properties(rig.physical, format)
        };
        let storage = vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER;
        assert!(features.buffer_features.contains(storage), "{format:?}");
        let bytes = 4 * texel.len();
        let usage = vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
        let texels = rig.buffer_for(bytes as u64, usage);
        texels.data.fill(0xa5);
        let info = vk::BufferViewCreateInfo::default()
            .buffer(texels.buffer)
            .format(format)
            .range(vk::WHOLE_SIZE);
        let line = unsafe { rig.device.create_buffer_view(&info, None) }.unwrap();
        let glsl = "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Out { int size[]; };
layout(binding = 1) writeonly uniform imageBuffer line;
void main()
{
    int at = int(gl_LocalInvocationID.x);
    if (at != 2)
        imageStore(line, at, vec4(1.0, 0.0, 0.6, 0.2));
    size[at] = imageSize(line);
}";
        let out = rig.buffer(16);
        let kind = vk::DescriptorType::STORAGE_TEXEL_BUFFER;
        run(
            &rig,
            glsl,
            &out,
            &[Descriptor::Texels(kind, line)],
            &[],
            UpdateBy::Write,
        );
        let untouched = vec![0xa5; texel.len()];
        let expected = [texel, texel, &untouched, texel].concat();
        assert_eq!(texels.data[..], expected, "{format:?}");
        assert_eq!(out.dwords(), [4; 4]);
        unsafe { rig.device.destroy_buffer_view(line, None) };
    }
}
