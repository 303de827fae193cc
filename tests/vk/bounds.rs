//! Descriptors of nothing, and what is outside of buffers and images.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::Image;
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, image_info, nearest, view};

#[test]
fn null_descriptors_read_zero_and_drop_writes() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };
layout(std140, binding = 2) uniform Block { vec4 a, b; };
layout(binding = 3) uniform sampler2D image;
layout(binding = 4, rgba8) uniform image2D picture;
layout(binding = 5) uniform usamplerBuffer texels;
layout(binding = 6, r32ui) uniform uimageBuffer line;
layout(binding = 7) uniform texture3D volume;
layout(binding = 8) uniform sampler how;
void main()
{
    words[3] = 7;
    imageStore(picture, ivec2(1, 2), vec4(1.0));
    imageStore(line, 5, uvec4(9));
    r[0] = words[3] + 1;
    r[1] = floatBitsToUint(b.y) + 2;
    r[2] = floatBitsToUint(textureLod(image, vec2(0.5), 0.0).x) + 3;
    r[3] = floatBitsToUint(texelFetch(image, ivec2(3, 1), 0).y) + 4;
    r[4] = floatBitsToUint(imageLoad(picture, ivec2(1, 2)).x) + 5;
    r[5] = texelFetch(texels, 11).x + 6;
    r[6] = imageLoad(line, 5).x + 7;
    r[7] = floatBitsToUint(textureLod(sampler3D(volume, how), vec3(0.5), 0.0).z) + 8;
    r[8] = words.length() + 9;
    r[9] = uint(textureSize(image, 0).x + imageSize(picture).y + textureSize(sampler3D(volume, how), 0).z) + 10;
    r[10] = uint(textureSize(texels) + imageSize(line)) + 11;
    r[11] = atomicAdd(words[5], 3) + 12;
}";
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let (none, no_texels) = (vk::ImageView::null(), vk::BufferView::null());
    let nothing = vk::DescriptorBufferInfo::default().range(vk::WHOLE_SIZE);
    let given = [
        Descriptor::Buffer(T::STORAGE_BUFFER, nothing),
        Descriptor::Buffer(T::UNIFORM_BUFFER, nothing),
        Descriptor::Image(T::COMBINED_IMAGE_SAMPLER, none, sampler),
        Descriptor::Image(T::STORAGE_IMAGE, none, vk::Sampler::null()),
        Descriptor::Texels(T::UNIFORM_TEXEL_BUFFER, no_texels),
        Descriptor::Texels(T::STORAGE_TEXEL_BUFFER, no_texels),
        Descriptor::Image(T::SAMPLED_IMAGE, none, vk::Sampler::null()),
        Descriptor::Image(T::SAMPLER, none, sampler),
    ];
    for by in [UpdateBy::Write, UpdateBy::Push, UpdateBy::Template] {
        let out = rig.buffer(64);
        run(&rig, glsl, &out, &given, &[], by);
        assert_eq!(out.dwords()[..12], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }
    unsafe { rig.device.destroy_sampler(sampler, None) };
}

/// Stencils read before the first element and leave out what they got; the elements that they read
/// with it are there.
#[test]
fn vector_loads_before_a_buffer_include_its_start() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let glsl = "#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { int at; uint r[]; };
layout(std430, binding = 1) readonly buffer Words { uint words[]; };
layout(scalar, binding = 2) uniform Block { uint block[16]; };
layout(std430, binding = 3) writeonly buffer Written { uint written[]; };
void main()
{
    int first = at - 2;
    for (int step = 0; step < 1; step++) {
        r[0] = words[first]; r[1] = words[first + 1]; r[2] = words[first + 2]; r[3] = words[first + 3];
        r[4] = block[first]; r[5] = block[first + 1]; r[6] = block[first + 2]; r[7] = block[first + 3];
        written[first] = 5; written[first + 1] = 6; written[first + 2] = 7; written[first + 3] = 8;
    }
}";
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER;
    let numbers = rig.buffer_for(64, usage);
    for (bytes, number) in numbers.data.chunks_exact_mut(4).zip(1u32..) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    let written = rig.buffer_for(64, usage);
    let of = |buffer| {
        vk::DescriptorBufferInfo::default()
            .buffer(buffer)
            .range(vk::WHOLE_SIZE)
    };
    let given = [
        Descriptor::Buffer(T::STORAGE_BUFFER, of(numbers.buffer)),
        Descriptor::Buffer(T::UNIFORM_BUFFER, of(numbers.buffer)),
        Descriptor::Buffer(T::STORAGE_BUFFER, of(written.buffer)),
    ];
    let out = rig.buffer(64);
    run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
    assert_eq!(out.dwords()[1..9], [0, 0, 1, 2, 0, 0, 1, 2]);
    assert_eq!(written.dwords()[..4], [7, 8, 0, 0]);
}

#[test]
fn buffer_accesses_are_bounded_by_the_descriptor_range() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint at; uint r[]; };
layout(std430, binding = 1) buffer Words { uvec4 words[]; };
layout(std140, binding = 2) uniform Block { uvec4 block[3]; };
layout(binding = 3) uniform usamplerBuffer texels;
layout(binding = 4, r32ui) uniform uimageBuffer line;
void main()
{
    // Five dwords of each can be reached.
    uvec4 a = words[1], b = block[1], c = block[at], d = words[at];
    r[0] = a.x; r[1] = a.y; r[2] = a.z; r[3] = a.w;
    r[4] = b.x; r[5] = b.y; r[6] = b.z; r[7] = b.w;
    r[8] = c.x; r[9] = c.y; r[10] = c.z; r[11] = c.w;
    r[12] = d.x; r[13] = d.y; r[14] = d.z; r[15] = d.w;
    r[16] = texelFetch(texels, 4).x; r[17] = texelFetch(texels, 5).x;
    r[18] = imageLoad(line, 4).x; r[19] = imageLoad(line, 5).x;
    r[20] = texelFetch(texels, -1).x; r[21] = imageLoad(line, -1).x;
    r[22] = block[2].x; r[23] = words[1000].x;
    words[1] = uvec4(100, 101, 102, 103);
    words[at + 1] = uvec4(104);
    imageStore(line, 5, uvec4(105));
    imageStore(line, -1, uvec4(106));
}";
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    let numbers = rig.buffer_for(256, usage);
    for (bytes, number) in numbers.data.chunks_exact_mut(4).zip(1u32..) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    let written = rig.buffer_for(256, usage);
    written.data.copy_from_slice(numbers.data);
    let of = |buffer| {
        vk::DescriptorBufferInfo::default()
            .buffer(buffer)
            .offset(64)
            .range(20)
    };
    let info = vk::BufferViewCreateInfo::default()
        .buffer(numbers.buffer)
        .format(vk::Format::R32_UINT)
        .offset(64)
        .range(20);
    let texels = unsafe { rig.device.create_buffer_view(&info, None) }.unwrap();
    let out = rig.buffer(128);
    out.data[..4].copy_from_slice(&1u32.to_le_bytes());
    let given = [
        Descriptor::Buffer(T::STORAGE_BUFFER, of(written.buffer)),
        Descriptor::Buffer(T::UNIFORM_BUFFER, of(numbers.buffer)),
        Descriptor::Texels(T::UNIFORM_TEXEL_BUFFER, texels),
        Descriptor::Texels(T::STORAGE_TEXEL_BUFFER, texels),
    ];
    run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
    let mut meant = [21, 0, 0, 0].repeat(4);
    meant.extend([21, 0, 21, 0, 0, 0, 0, 0]);
    assert_eq!(out.dwords()[1..25], meant);
    // Where writes reached, 100 stands for what was there.
    let mut kept = numbers.dwords();
    kept[20] = 100;
    assert_eq!(written.dwords(), kept);
    assert_eq!(numbers.dwords()[20..24], [21, 22, 23, 24]);
    unsafe { rig.device.destroy_buffer_view(texels, None) };
}

#[test]
fn image_accesses_are_bounded() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 r[]; };
layout(binding = 1) uniform sampler2DArray image;
layout(binding = 2, rgba8) uniform image2DArray picture;
layout(binding = 3) uniform sampler2D red;
void main()
{
    r[0] = texelFetch(image, ivec3(3, 3, 1), 0);
    r[1] = texelFetch(image, ivec3(4, 3, 1), 0);
    r[2] = texelFetch(image, ivec3(3, -1, 1), 0);
    r[3] = texelFetch(image, ivec3(3, 3, 1), 1);
    r[4] = texelFetch(image, ivec3(3, 3, 1), -1);
    r[5] = imageLoad(picture, ivec3(3, 3, 1));
    r[6] = imageLoad(picture, ivec3(3, 4, 1));
    r[7] = imageLoad(picture, ivec3(3, 3, 2));
    r[8] = texelFetch(image, ivec3(3, 3, 2), 0);
    r[9] = texelFetch(red, ivec2(5, 0), 0);
    imageStore(picture, ivec3(4, 0, 0), vec4(1.0));
    imageStore(picture, ivec3(0, -1, 1), vec4(1.0));
    imageStore(picture, ivec3(0, 0, 2), vec4(1.0));
    imageStore(picture, ivec3(0, 0, -1), vec4(1.0));
}";
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = image_info(format, [4, 4, 1], 1, 2).usage(
        vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE,
    );
    let image = Image::new(&rig, &info);
    fill(&rig, &image, &info, &[51; 128]);
    let red = image_info(vk::Format::R8_UNORM, [4, 4, 1], 1, 1);
    let red_image = Image::new(&rig, &red);
    fill(&rig, &red_image, &red, &[51; 16]);
    let seen = view(
        &rig,
        &image,
        vk::ImageViewType::TYPE_2D_ARRAY,
        format,
        COLOUR,
    );
    let kind = vk::ImageViewType::TYPE_2D;
    let red_seen = view(&rig, &red_image, kind, vk::Format::R8_UNORM, COLOUR);
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let given = [
        Descriptor::Image(T::COMBINED_IMAGE_SAMPLER, seen, sampler),
        Descriptor::Image(T::STORAGE_IMAGE, seen, vk::Sampler::null()),
        Descriptor::Image(T::COMBINED_IMAGE_SAMPLER, red_seen, sampler),
    ];
    let out = rig.buffer(160);
    run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
    let got: Vec<f32> = out.dwords().into_iter().map(f32::from_bits).collect();
    for (number, texel) in got.chunks_exact(4).enumerate() {
        match number {
            0 | 5 => assert!(texel.iter().all(|&c| (c - 0.2).abs() < 0.01), "{number}"),
            // The format lacks alpha: Vulkan, robustImageAccess2.
            9 => assert_eq!(texel, [0.0, 0.0, 0.0, 1.0]),
            _ => assert_eq!(texel, [0.0; 4], "{number}"),
        }
    }
    // Nothing was written.
    let all = "#version 450
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
layout(std430, binding = 0) buffer Out { uint others; };
layout(binding = 1) uniform sampler2DArray image;
void main()
{
    if (abs(texelFetch(image, ivec3(gl_LocalInvocationID), 0).x - 0.2) > 0.01)
        atomicAdd(others, 1);
}";
    let out = rig.buffer(4);
    out.data.fill(0);
    run(&rig, all, &out, &given[..1], &[], UpdateBy::Write);
    assert_eq!(out.dwords(), [0]);
    unsafe {
        rig.device.destroy_sampler(sampler, None);
        rig.device.destroy_image_view(seen, None);
        rig.device.destroy_image_view(red_seen, None);
    }
}

/// Formats that are said to be read without being declared, floats and integers of one and more
/// channels.
#[test]
fn storage_image_read_without_format() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let usage = vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    let texels = rig.buffer_for(64, usage);
    let halves = [0x3c00u16, 0x4000, 0xc200, 0x3800];
    for (format, bytes, meant) in [
        (
            vk::Format::R32_SFLOAT,
            2.5f32.to_le_bytes().to_vec(),
            [2.5, 0.0, 0.0, 1.0],
        ),
        (
            vk::Format::R32G32_SFLOAT,
            [2.5f32, -3.0].map(f32::to_le_bytes).concat(),
            [2.5, -3.0, 0.0, 1.0],
        ),
        (
            vk::Format::R16G16B16A16_SFLOAT,
            halves.map(u16::to_le_bytes).concat(),
            [1.0, 2.0, -3.0, 0.5],
        ),
    ] {
        let mut features = vk::FormatProperties3::default();
        let mut properties = vk::FormatProperties2::default().push_next(&mut features);
        unsafe {
            let instance = &rig.instance;
            instance.get_physical_device_format_properties2(rig.physical, format, &mut properties);
        }
        let said = features.buffer_features;
        assert!(said.contains(vk::FormatFeatureFlags2::STORAGE_READ_WITHOUT_FORMAT));
        texels.data[bytes.len()..2 * bytes.len()].copy_from_slice(&bytes);
        let info = vk::BufferViewCreateInfo::default()
            .buffer(texels.buffer)
            .format(format)
            .range(vk::WHOLE_SIZE);
        let seen = unsafe { rig.device.create_buffer_view(&info, None) }.unwrap();
        let glsl = "#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 r; };
layout(binding = 1) uniform readonly imageBuffer line;
void main() { r = imageLoad(line, 1); }";
        let out = rig.buffer(16);
        let given = [Descriptor::Texels(T::STORAGE_TEXEL_BUFFER, seen)];
        run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
        let got: Vec<f32> = out.dwords().into_iter().map(f32::from_bits).collect();
        assert_eq!(got, meant, "{format:?}");
        unsafe { rig.device.destroy_buffer_view(seen, None) };
    }
}

#[test]
fn storage_buffers_of_nearly_four_gibibytes() {
    let rig = Rig::new();
    let limits = unsafe { rig.instance.get_physical_device_properties(rig.physical) }.limits;
    assert_eq!(limits.max_storage_buffer_range, u32::MAX);
    const BYTES: u64 = (1 << 32) - 4;
    let big = rig.buffer_for(BYTES, vk::BufferUsageFlags::STORAGE_BUFFER);
    // The last dword is not in the descriptor's range.
    big.data[BYTES as usize - 4..].fill(0x55);
    let out = rig.buffer(5 * 4);
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint length, last, added, beyond, first; };
layout(std430, binding = 1) buffer Big { uint words[]; };
void main()
{
    length = words.length();
    words[0x3ffffffdu] = 0xabcdu;
    last = words[0x3ffffffdu];
    atomicAdd(words[0x30000000u], 7u);
    added = atomicAdd(words[0x30000000u], 5u);
    beyond = words[0x3ffffffeu];
    first = words[0];
}";
    let range = vk::DescriptorBufferInfo::default()
        .buffer(big.buffer)
        .range(BYTES - 4);
    let given = [Descriptor::Buffer(
        vk::DescriptorType::STORAGE_BUFFER,
        range,
    )];
    run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
    assert_eq!(out.dwords(), [(1 << 30) - 2, 0xabcd, 7, 0, 0]);
    let dword = |at: usize| big.data[4 * at..][..4].to_vec();
    assert_eq!(dword(0x3fff_fffd), 0xabcd_u32.to_le_bytes());
    assert_eq!(dword(0x3000_0000), 12_u32.to_le_bytes());
}
