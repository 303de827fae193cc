//! Images, samplers and texel buffers in heaps, and embedded samplers.

use ash::vk;

use super::heap::{
    ALL, Resource, Source, Type, address, bind_resources, bind_samplers, dispatch, first_bytes,
    heap, map, push, register, unregister, write_descriptor, write_sampler,
};
use crate::images::{Image, range};
use crate::rig::{Rig, compile};
use crate::textures::{COLOUR, fill, image_info, nearest};

const FORMAT: vk::Format = vk::Format::R32_UINT;

/// An image of 4 × 4 texels: `first` and the numbers after it.
pub fn numbered(rig: &Rig, first: u32) -> Image<'_> {
    let usage = vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::TRANSFER_DST;
    let info = image_info(FORMAT, [4, 4, 1], 1, 1).usage(usage);
    let image = Image::new(rig, &info);
    let texels: Vec<u8> = (0..16).flat_map(|at| (first + at).to_le_bytes()).collect();
    fill(rig, &image, &info, &texels);
    image
}

pub fn view_info<'a>(image: &Image<'_>) -> vk::ImageViewCreateInfo<'a> {
    vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(FORMAT)
        .subresource_range(range(COLOUR))
}

/// A sampler whose border is zero, beyond the edge.
pub fn bordered() -> vk::SamplerCreateInfo<'static> {
    let border = vk::SamplerAddressMode::CLAMP_TO_BORDER;
    nearest()
        .address_mode_u(border)
        .address_mode_v(border)
        .border_color(vk::BorderColor::INT_OPAQUE_WHITE)
}

#[test]
fn every_type_of_descriptor_can_be_in_a_heap() {
    let rig = Rig::new();
    let out = rig.buffer(64);
    let (mut resources, mut samplers) = (heap(&rig), heap(&rig));
    let (first, second) = (numbered(&rig, 50), numbered(&rig, 150));
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let mut texels = rig.buffer_for(64, usage);
    texels.write_dwords(&(70..86).collect::<Vec<u32>>());
    let line = (FORMAT, address(&rig, &texels), 64);
    let [first, second] = [view_info(&first), view_info(&second)];
    for (at, kind, resource) in [
        (0, Type::STORAGE_BUFFER, first_bytes(&out, 64)),
        (16, Type::SAMPLED_IMAGE, Resource::Image(Some(&first))),
        (32, Type::SAMPLED_IMAGE, Resource::Image(Some(&second))),
        (48, Type::SAMPLED_IMAGE, Resource::Image(None)),
        (64, Type::STORAGE_IMAGE, Resource::Image(Some(&second))),
        (80, Type::STORAGE_IMAGE, Resource::Image(None)),
        (96, Type::UNIFORM_TEXEL_BUFFER, Resource::Texels(Some(line))),
        (112, Type::UNIFORM_TEXEL_BUFFER, Resource::Texels(None)),
        (
            128,
            Type::STORAGE_TEXEL_BUFFER,
            Resource::Texels(Some(line)),
        ),
    ] {
        write_descriptor(&mut resources, at, kind, resource);
    }
    write_sampler(&mut samplers, 16, &nearest());
    write_sampler(&mut samplers, 32, &bordered());
    let words = compile(
        "#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(binding = 1) uniform utexture2D images[3];
layout(binding = 2) uniform sampler plain[2];
layout(binding = 3, r32ui) uniform uimage2D pictures[2];
layout(binding = 4) uniform usamplerBuffer texels[2];
layout(binding = 5, r32ui) uniform uimageBuffer line;
void main()
{
    vec2 at = vec2(2.5, 1.5) / 4.0;
    r[0] = textureLod(usampler2D(images[0], plain[0]), at, 0.0).x;
    r[1] = textureLod(usampler2D(images[1], plain[0]), at - 2.0, 0.0).x;
    r[2] = textureLod(usampler2D(images[1], plain[1]), at - 2.0, 0.0).x;
    r[3] = 1u + texelFetch(images[2], ivec2(1), 0).x;
    r[4] = imageAtomicAdd(pictures[0], ivec2(3, 0), 1000u);
    r[5] = imageLoad(pictures[0], ivec2(3, 0)).x;
    r[6] = 1u + imageLoad(pictures[1], ivec2(0)).x;
    imageStore(pictures[1], ivec2(0), uvec4(3));
    r[7] = texelFetch(texels[0], 3).x;
    r[8] = 1u + texelFetch(texels[1], 3).x;
    r[9] = imageLoad(line, 4).x;
    r[10] = textureSize(images[1], 0).y + imageSize(pictures[1]).x;
}",
    );
    let at = |binding, offset| {
        map(
            (0, binding, 1),
            ALL,
            Source::Constant([offset, 16], [0; 2]),
            None,
        )
    };
    let mappings = [
        at(0, 0),
        at(1, 16),
        at(2, 16),
        at(3, 64),
        at(4, 96),
        at(5, 128),
    ];
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &resources);
        bind_samplers(&rig, commands, &samplers);
    });
    let white = out.dwords()[2];
    let expected = [56, 150, white, 1, 153, 1153, 1, 73, 1, 74, 4];
    assert_eq!(out.dwords()[..11], expected);
    assert_ne!(white, 150);
}

/// Reads a combined image sampler inside the image, and beyond its edge.
const COMBINED: &str = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(set = 1, binding = 0) uniform usampler2D combined[2];
layout(set = 2, binding = 0) uniform sampler plain;
layout(set = 2, binding = 1) uniform utexture2D image;
void main()
{
    for (int i = 0; i < 2; i++) {
        r[2 * i] = textureLod(combined[i], vec2(2.5, 1.5) / 4.0, 0.0).x;
        r[2 * i + 1] = textureLod(combined[i], vec2(-1.0), 0.0).x;
    }
    r[4] = textureLod(usampler2D(image, plain), vec2(-1.0), 0.0).x;
}";

/// Runs [`COMBINED`] with a mapping of `combined`; the heaps have the images 50 and 150 at bytes 64
/// and 80, and a sampler that clamps to the edge and one with a border at 32 and 48.
fn sample(
    source: Source,
    embedded: Option<&vk::SamplerCreateInfo<'static>>,
    pushed: &[u32],
) -> Vec<u32> {
    let rig = Rig::new();
    let out = rig.buffer(64);
    let (mut resources, mut samplers) = (heap(&rig), heap(&rig));
    let (first, second) = (numbered(&rig, 50), numbered(&rig, 150));
    let address_of_out = (address(&rig, &out), 64);
    write_descriptor(
        &mut resources,
        0,
        Type::STORAGE_BUFFER,
        Resource::Buffer(Some(address_of_out)),
    );
    for (at, image) in [(64, &first), (80, &second)] {
        write_descriptor(
            &mut resources,
            at,
            Type::SAMPLED_IMAGE,
            Resource::Image(Some(&view_info(image))),
        );
    }
    write_sampler(&mut samplers, 32, &nearest());
    write_sampler(&mut samplers, 48, &bordered());
    let words = compile(COMBINED);
    let mut indices = rig.buffer(64);
    indices.write_dwords(&[0, 1, 1, 0]);
    let mappings = [
        map((0, 0, 1), ALL, Source::Constant([0, 0], [0; 2]), None),
        map((1, 0, 1), ALL, source, embedded),
        map(
            (2, 0, 2),
            ALL,
            Source::Constant([64, 0], [0; 2]),
            Some(&nearest()),
        ),
    ];
    let at = address(&rig, &indices);
    dispatch(&rig, &words, &mappings, |commands| {
        bind_samplers(&rig, commands, &samplers);
        bind_resources(&rig, commands, &resources);
        push(&rig, commands, 0, &[at as u32, (at >> 32) as u32]);
        push(&rig, commands, 8, pushed);
    });
    out.dwords()[..5].to_vec()
}

/// What an integer border reads.
pub const BORDER: u32 = 1;

#[test]
fn combined_image_samplers_have_two_descriptors() {
    // Each image with each sampler.
    let constant = Source::Constant([64, 16], [32, 16]);
    assert_eq!(sample(constant, None, &[]), [56, 50, 156, BORDER, 50]);
    let constant = Source::Constant([64, 16], [48, 0]);
    assert_eq!(sample(constant, None, &[]), [56, BORDER, 156, BORDER, 50]);
    // The image's index is 1, the sampler's 0.
    let pushed = Source::PushIndex([64, 8, 16, 0], [32, 12, 16, 16]);
    assert_eq!(sample(pushed, None, &[1, 0]), [156, 150, 156, BORDER, 50]);
    // Both indices are in one dword; the sampler's push offset is ignored.
    let shared = Source::SharedIndex([64, 8, 16, 0], [32, 77, 16, 0]);
    assert_eq!(
        sample(shared, None, &[1 | 1 << 20, 0]),
        [156, BORDER, 156, BORDER, 50]
    );
    let indirect = Source::IndirectIndex([64, 0, 4, 16, 0], [32, 0, 0, 16, 16]);
    assert_eq!(sample(indirect, None, &[]), [156, 150, 156, BORDER, 50]);
    let arrays = Source::IndirectIndexArray([64, 0, 0, 16], [32, 0, 8, 16]);
    assert_eq!(sample(arrays, None, &[]), [56, BORDER, 156, 150, 50]);
}

#[test]
fn samplers_can_be_embedded() {
    let constant = Source::Constant([64, 16], [0, 0]);
    let found = sample(constant, Some(&bordered()), &[]);
    assert_eq!(found, [56, BORDER, 156, BORDER, 50]);
    let pushed = Source::PushIndex([64, 8, 16, 0], [32, 12, 16, 16]);
    assert_eq!(
        sample(pushed, Some(&nearest()), &[1, 1]),
        [156, 150, 156, 150, 50]
    );
}

#[test]
fn equal_parameters_give_equal_descriptors() {
    let rig = Rig::new();
    let image = numbered(&rig, 0);
    let info = view_info(&image);
    let mut bytes = heap(&rig);
    for at in [0, 16] {
        write_sampler(&mut bytes, at, &bordered());
        write_descriptor(
            &mut bytes,
            64 + at,
            Type::SAMPLED_IMAGE,
            Resource::Image(Some(&info)),
        );
    }
    write_sampler(&mut bytes, 32, &nearest());
    assert_eq!(bytes.data[..16], bytes.data[16..32]);
    assert_ne!(bytes.data[..16], bytes.data[32..48]);
    assert_eq!(bytes.data[64..80], bytes.data[80..96]);
}

#[test]
fn border_colours_are_registered() {
    let rig = Rig::new();
    let colour = |value| vk::SamplerCustomBorderColorCreateInfoEXT {
        custom_border_color: vk::ClearColorValue { uint32: [value; 4] },
        format: FORMAT,
        ..Default::default()
    };
    let [first, second] = [colour(77), colour(88)];
    let mut indices = [0, 0, 3];
    let [free, next, wanted] = &mut indices;
    assert_eq!(register(&rig, &first, None, free), vk::Result::SUCCESS);
    assert_eq!(register(&rig, &second, None, next), vk::Result::SUCCESS);
    assert_eq!(
        register(&rig, &second, Some(()), wanted),
        vk::Result::SUCCESS
    );
    assert_eq!(indices, [0, 1, 3]);
    // Another colour at an index that is in use.
    let mut taken = 1;
    let result = register(&rig, &first, Some(()), &mut taken);
    assert_eq!(result, vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    unregister(&rig, 1);
    assert_eq!(
        register(&rig, &first, Some(()), &mut taken),
        vk::Result::SUCCESS
    );

    let (out, image) = (rig.buffer(64), numbered(&rig, 50));
    let (mut resources, mut samplers) = (heap(&rig), heap(&rig));
    let range = (address(&rig, &out), 64);
    write_descriptor(
        &mut resources,
        0,
        Type::STORAGE_BUFFER,
        Resource::Buffer(Some(range)),
    );
    let info = view_info(&image);
    write_descriptor(
        &mut resources,
        16,
        Type::SAMPLED_IMAGE,
        Resource::Image(Some(&info)),
    );
    for (at, index, colour) in [(0, 0, &first), (16, 3, &second)] {
        // VkSamplerCustomBorderColorIndexCreateInfoEXT.
        let number = [1_000_135_011, std::ptr::from_ref(colour) as u64, index];
        let mut info = bordered().border_color(vk::BorderColor::INT_CUSTOM_EXT);
        info.p_next = number.as_ptr().cast();
        write_sampler(&mut samplers, at, &info);
    }
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(binding = 1) uniform utexture2D image;
layout(set = 1, binding = 0) uniform sampler custom[2];
void main()
{
    r[0] = textureLod(usampler2D(image, custom[0]), vec2(-1.0), 0.0).x;
    r[1] = textureLod(usampler2D(image, custom[1]), vec2(-1.0), 0.0).x;
}",
    );
    let constant = Source::Constant([0, 16], [0; 2]);
    let mappings = [
        map((0, 0, 2), ALL, constant, None),
        map((1, 0, 1), ALL, constant, None),
    ];
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &resources);
        bind_samplers(&rig, commands, &samplers);
    });
    assert_eq!(out.dwords()[..2], [77, 88]);
}

#[test]
fn embedded_samplers_may_convert_colours() {
    let rig = Rig::new();
    let d = &rig.device;
    let format = vk::Format::G8_B8R8_2PLANE_420_UNORM;
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let image = Image::new(&rig, &image_info(format, [8, 4, 1], 1, 1).usage(usage));
    let bytes = rig.buffer(64);
    bytes.data[..32].fill(100);
    bytes.data[32..48].copy_from_slice(&[60, 180].repeat(8));
    let planes = [
        (vk::ImageAspectFlags::PLANE_0, [8, 4], 0),
        (vk::ImageAspectFlags::PLANE_1, [4, 2], 32),
    ];
    let copies = planes.map(
        |(aspect_mask, [width, height], buffer_offset)| vk::BufferImageCopy {
            buffer_offset,
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask,
                layer_count: 1,
                ..Default::default()
            },
            image_extent: vk::Extent3D {
                width,
                height,
                depth: 1,
            },
            ..Default::default()
        },
    );
    rig.run(|commands| unsafe {
        let general = vk::ImageLayout::GENERAL;
        d.cmd_copy_buffer_to_image(commands, bytes.buffer, image.image, general, &copies);
    });
    let info = vk::SamplerYcbcrConversionCreateInfo::default()
        .format(format)
        .ycbcr_model(vk::SamplerYcbcrModelConversion::RGB_IDENTITY)
        .ycbcr_range(vk::SamplerYcbcrRange::ITU_FULL);
    let conversion = unsafe { d.create_sampler_ycbcr_conversion(&info, None) }.unwrap();
    let chain = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
    let mut sampler = nearest();
    sampler.p_next = std::ptr::from_ref(&chain).cast();
    let mut seen = view_info(&image).format(format);
    seen.p_next = sampler.p_next;

    let (out, mut resources) = (rig.buffer(64), heap(&rig));
    let range = (address(&rig, &out), 64);
    write_descriptor(
        &mut resources,
        0,
        Type::STORAGE_BUFFER,
        Resource::Buffer(Some(range)),
    );
    write_descriptor(
        &mut resources,
        32,
        Type::SAMPLED_IMAGE,
        Resource::Image(Some(&seen)),
    );
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 r; };
layout(binding = 1) uniform sampler2D image;
void main() { r = round(textureLod(image, vec2(0.5), 0.0) * 255.0); }",
    );
    let constant = Source::Constant([0, 32], [0; 2]);
    let mappings = [map((0, 0, 2), ALL, constant, Some(&sampler))];
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &resources)
    });
    let found = out.dwords().into_iter().take(4).map(f32::from_bits);
    assert_eq!(found.collect::<Vec<_>>(), [180.0, 100.0, 60.0, 255.0]);
    unsafe { d.destroy_sampler_ycbcr_conversion(conversion, None) };
}
