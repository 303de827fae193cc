//! Sets in buffers of the application.

use std::ffi::CString;

use ash::vk;
use ash::vk::Handle;

use crate::images::Image;
use crate::rig::{Buffer, Rig, compile};
use crate::textures::{COLOUR, fill, image_info, nearest, view};

const COMPUTE: vk::ShaderStageFlags = vk::ShaderStageFlags::COMPUTE;
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const IN_BUFFER: vk::DescriptorSetLayoutCreateFlags =
    vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;

/// The functions of the extension.
fn functions(rig: &Rig) -> ash::ext::descriptor_buffer::Device {
    ash::ext::descriptor_buffer::Device::new(&rig.instance, &rig.device)
}

fn set_layout(
    rig: &Rig,
    flags: vk::DescriptorSetLayoutCreateFlags,
    bindings: &[vk::DescriptorSetLayoutBinding<'_>],
) -> vk::DescriptorSetLayout {
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(flags)
        .bindings(bindings);
    unsafe { rig.device.create_descriptor_set_layout(&info, None) }.unwrap()
}

fn binding(
    number: u32,
    kind: vk::DescriptorType,
    count: u32,
) -> vk::DescriptorSetLayoutBinding<'static> {
    vk::DescriptorSetLayoutBinding::default()
        .binding(number)
        .descriptor_type(kind)
        .descriptor_count(count)
        .stage_flags(COMPUTE)
}

fn address(rig: &Rig, buffer: &Buffer<'_>) -> u64 {
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
    unsafe { rig.device.get_buffer_device_address(&info) }
}

/// A descriptor buffer of 4 KiB.
fn descriptors(rig: &Rig) -> Buffer<'_> {
    let usage = vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT
        | vk::BufferUsageFlags::SAMPLER_DESCRIPTOR_BUFFER_EXT
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    rig.buffer_for(4096, usage)
}

fn bind(commands: vk::CommandBuffer, functions: &ash::ext::descriptor_buffer::Device, at: &[u64]) {
    let infos: Vec<_> = at
        .iter()
        .map(|&address| vk::DescriptorBufferBindingInfoEXT::default().address(address))
        .collect();
    unsafe { functions.cmd_bind_descriptor_buffers(commands, &infos) };
}

/// Writes the descriptor of a resource to bytes.
fn get(
    functions: &ash::ext::descriptor_buffer::Device,
    kind: vk::DescriptorType,
    data: vk::DescriptorDataEXT,
    to: &mut [u8],
) {
    let info = vk::DescriptorGetInfoEXT {
        ty: kind,
        data,
        ..Default::default()
    };
    unsafe { functions.get_descriptor(&info, &mut to[..16]) };
}

fn pipeline(rig: &Rig, glsl: &str, layout: vk::PipelineLayout) -> vk::Pipeline {
    let words = compile(glsl);
    let name = CString::from(c"main");
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = rig.device.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(COMPUTE)
            .module(module)
            .name(&name);
        let info = [vk::ComputePipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT)
            .stage(stage)
            .layout(layout)];
        let made = rig
            .device
            .create_compute_pipelines(vk::PipelineCache::null(), &info, None)
            .unwrap()[0];
        rig.device.destroy_shader_module(module, None);
        made
    }
}

/// The range of a buffer as a descriptor's data; every member of the union is a pointer.
fn of_range<'a>(range: Option<&'a vk::DescriptorAddressInfoEXT<'a>>) -> vk::DescriptorDataEXT<'a> {
    vk::DescriptorDataEXT {
        p_storage_buffer: range.map_or(std::ptr::null(), |range| std::ptr::from_ref(range).cast()),
    }
}

/// Reads a descriptor of every type, embedded samplers and push descriptors.
const EVERY_TYPE: &str = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform U { uvec4 v; } uniforms[2];
layout(binding = 2) uniform utexture2D image;
layout(binding = 3) uniform sampler plain;
layout(binding = 4) uniform usampler2D combined[2];
layout(binding = 5, r32ui) uniform uimage2D picture;
layout(binding = 6) uniform usamplerBuffer texels[2];
layout(binding = 7, r32ui) uniform uimageBuffer line;
layout(std140, binding = 8) uniform Block { uvec4 a; uvec2 b; };
layout(std430, binding = 9) buffer Nothing { uint n[]; };
layout(set = 1, binding = 0) uniform sampler embedded;
layout(std140, set = 2, binding = 0) uniform Pushed { uint p; };
void main()
{
    vec2 at = vec2(2.5, 1.5) / 4.0;
    r[0] = uniforms[1].v.z;
    r[1] = textureLod(usampler2D(image, plain), at, 0.0).x;
    r[2] = textureLod(combined[1], at + 0.25, 0.0).x;
    r[3] = imageLoad(picture, ivec2(3, 0)).x;
    r[4] = texelFetch(texels[1], 3).x;
    r[5] = imageLoad(line, 4).x;
    r[6] = a.y + b.y;
    r[7] = textureLod(usampler2D(image, embedded), at, 0.0).x;
    r[8] = p;
    r[9] = uniforms[0].v.y + texelFetch(texels[0], 1).x + n.length() + n[2];
    n[1] = 5u;
    r[10] = r.length();
}";

#[test]
fn every_type_of_descriptor_can_be_in_a_buffer() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let (d, f) = (&rig.device, functions(&rig));
    let layout = set_layout(
        &rig,
        IN_BUFFER,
        &[
            binding(0, T::STORAGE_BUFFER, 1),
            binding(1, T::UNIFORM_BUFFER, 2),
            binding(2, T::SAMPLED_IMAGE, 1),
            binding(3, T::SAMPLER, 1),
            binding(4, T::COMBINED_IMAGE_SAMPLER, 2),
            binding(5, T::STORAGE_IMAGE, 1),
            binding(6, T::UNIFORM_TEXEL_BUFFER, 2),
            binding(7, T::STORAGE_TEXEL_BUFFER, 1),
            binding(8, T::INLINE_UNIFORM_BLOCK, 24),
            binding(9, T::STORAGE_BUFFER, 1),
        ],
    );
    let bytes = unsafe { f.get_descriptor_set_layout_size(layout) };
    let place = |number| unsafe { f.get_descriptor_set_layout_binding_offset(layout, number) };
    // One after the other, each of 16 bytes; the block has no descriptor.
    let places: Vec<u64> = (0..10).map(place).collect();
    assert_eq!(places, [0, 16, 48, 64, 80, 112, 128, 160, 176, 208]);
    assert_eq!(bytes, 224);

    let format = vk::Format::R32_UINT;
    let usage = vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::TRANSFER_DST;
    let info = image_info(format, [4, 4, 1], 1, 1).usage(usage);
    let image = Image::new(&rig, &info);
    let texels: Vec<u8> = (0..16u32).flat_map(|at| (at + 50).to_le_bytes()).collect();
    fill(&rig, &image, &info, &texels);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let mut numbers = rig.buffer_for(64, usage);
    numbers.write_dwords(&(70..86).collect::<Vec<u32>>());
    let (out, mut uniform) = (rig.buffer(64), rig.buffer(256));
    uniform.write_dwords(&[1, 2, 3, 4]);

    let sets = descriptors(&rig);
    // The set starts in the middle of its buffer, the second one that is bound.
    const START: usize = 512;
    let sampler = unsafe { d.create_sampler(&nearest(), None) }.unwrap();
    let range = |buffer: &Buffer<'_>, range| {
        vk::DescriptorAddressInfoEXT::default()
            .address(address(&rig, buffer))
            .range(range)
            .format(format)
    };
    // Layouts are ignored (descriptorBufferImageLayoutIgnored).
    let described = vk::DescriptorImageInfo {
        sampler,
        image_view: seen,
        image_layout: vk::ImageLayout::UNDEFINED,
    };
    let (out_range, uniform_range) = (range(&out, 64), range(&uniform, 16));
    let number_range = range(&numbers, 64);
    let images = vk::DescriptorDataEXT {
        p_sampled_image: &described,
    };
    let samplers = vk::DescriptorDataEXT {
        p_sampler: &sampler,
    };
    let (none, numbered) = (of_range(None), of_range(Some(&number_range)));
    for (number, element, kind, data) in [
        (0, 0, T::STORAGE_BUFFER, of_range(Some(&out_range))),
        (1, 0, T::UNIFORM_BUFFER, none),
        (1, 1, T::UNIFORM_BUFFER, of_range(Some(&uniform_range))),
        (2, 0, T::SAMPLED_IMAGE, images),
        (3, 0, T::SAMPLER, samplers),
        (4, 1, T::COMBINED_IMAGE_SAMPLER, images),
        (5, 0, T::STORAGE_IMAGE, images),
        (6, 0, T::UNIFORM_TEXEL_BUFFER, none),
        (6, 1, T::UNIFORM_TEXEL_BUFFER, numbered),
        (7, 0, T::STORAGE_TEXEL_BUFFER, numbered),
        (9, 0, T::STORAGE_BUFFER, none),
    ] {
        let at = START + places[number] as usize + 16 * element;
        get(&f, kind, data, &mut sets.data[at..]);
    }
    let block = START + places[8] as usize;
    for (to, value) in sets.data[block..block + 24]
        .chunks_exact_mut(4)
        .zip(900u32..)
    {
        to.copy_from_slice(&value.to_le_bytes());
    }

    // Another set of embedded samplers, and one of push descriptors.
    let embedded = [sampler];
    let samplers = set_layout(
        &rig,
        IN_BUFFER | vk::DescriptorSetLayoutCreateFlags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT,
        &[binding(0, T::SAMPLER, 1).immutable_samplers(&embedded)],
    );
    let pushed = set_layout(
        &rig,
        IN_BUFFER | vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        &[binding(0, T::UNIFORM_BUFFER, 1)],
    );
    let layouts = [layout, samplers, pushed];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
    let pipeline_layout = unsafe { d.create_pipeline_layout(&info, None) }.unwrap();
    let pipeline = pipeline(&rig, EVERY_TYPE, pipeline_layout);
    let mut push = rig.buffer(256);
    push.write_dwords(&[1234]);
    let pushes = [vk::DescriptorBufferInfo::default()
        .buffer(push.buffer)
        .range(vk::WHOLE_SIZE)];
    let other = descriptors(&rig);
    let buffers = [address(&rig, &other), address(&rig, &sets)];
    let push_functions = ash::khr::push_descriptor::Device::new(&rig.instance, d);
    rig.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, POINT, pipeline);
        bind(commands, &f, &buffers);
        let offsets = [START as u64];
        f.cmd_set_descriptor_buffer_offsets(commands, POINT, pipeline_layout, 0, &[1], &offsets);
        f.cmd_bind_descriptor_buffer_embedded_samplers(commands, POINT, pipeline_layout, 1);
        let write = vk::WriteDescriptorSet::default()
            .descriptor_type(T::UNIFORM_BUFFER)
            .buffer_info(&pushes);
        push_functions.cmd_push_descriptor_set(commands, POINT, pipeline_layout, 2, &[write]);
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    let expected = [3, 56, 61, 53, 73, 74, 901 + 905, 56, 1234, 0, 16];
    assert_eq!(out.dwords()[..11], expected);
    unsafe {
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(pipeline_layout, None);
        for layout in layouts {
            d.destroy_descriptor_set_layout(layout, None);
        }
        d.destroy_sampler(sampler, None);
        d.destroy_image_view(seen, None);
    }
}

#[test]
fn offsets_and_buffers_change_between_dispatches() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let (d, f) = (&rig.device, functions(&rig));
    let bindings = [
        binding(0, T::STORAGE_BUFFER, 1),
        binding(3, T::UNIFORM_BUFFER, 1),
    ];
    let layouts = [set_layout(&rig, IN_BUFFER, &bindings)];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
    let layout = unsafe { d.create_pipeline_layout(&info, None) }.unwrap();
    let pipeline = pipeline(
        &rig,
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r; };
layout(std140, binding = 3) uniform U { uint v; };
void main() { r = v; }",
        layout,
    );
    let (outs, values) = ([0; 3].map(|_| rig.buffer(64)), [11, 22, 33]);
    let uniforms = values.map(|value| {
        let mut buffer = rig.buffer(256);
        buffer.write_dwords(&[value]);
        buffer
    });
    // Two sets in the first buffer, one in the second.
    let buffers = [descriptors(&rig), descriptors(&rig)];
    let places = [(0, 0), (0, 256), (1, 64)];
    for (at, &(buffer, offset)) in places.iter().enumerate() {
        let range = |buffer: &Buffer<'_>| {
            vk::DescriptorAddressInfoEXT::default()
                .address(address(&rig, buffer))
                .range(16)
        };
        let (out, uniform) = (range(&outs[at]), range(&uniforms[at]));
        let data = vk::DescriptorDataEXT {
            p_storage_buffer: &out,
        };
        get(
            &f,
            T::STORAGE_BUFFER,
            data,
            &mut buffers[buffer].data[offset..],
        );
        let data = vk::DescriptorDataEXT {
            p_uniform_buffer: &uniform,
        };
        get(
            &f,
            T::UNIFORM_BUFFER,
            data,
            &mut buffers[buffer].data[offset + 16..],
        );
    }
    let [first, second] = [0, 1].map(|at| address(&rig, &buffers[at]));
    rig.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, POINT, pipeline);
        bind(commands, &f, &[first]);
        f.cmd_set_descriptor_buffer_offsets(commands, POINT, layout, 0, &[0], &[256]);
        d.cmd_dispatch(commands, 1, 1, 1);
        f.cmd_set_descriptor_buffer_offsets(commands, POINT, layout, 0, &[0], &[0]);
        d.cmd_dispatch(commands, 1, 1, 1);
        bind(commands, &f, &[first, second]);
        let info = vk::SetDescriptorBufferOffsetsInfoEXT::default()
            .stage_flags(COMPUTE)
            .layout(layout)
            .buffer_indices(&[1])
            .offsets(&[64]);
        let maintenance = ash::khr::maintenance6::Device::new(&rig.instance, d);
        (maintenance.fp().cmd_set_descriptor_buffer_offsets2_ext)(commands, &info);
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    let found = outs.each_ref().map(|out| out.dwords()[0]);
    assert_eq!(found, values);
    // A buffer that is not bound.
    let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
    unsafe {
        d.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
            .unwrap();
        bind(commands, &f, &[first]);
        f.cmd_set_descriptor_buffer_offsets(commands, POINT, layout, 0, &[7], &[0]);
        assert!(d.end_command_buffer(commands).is_err());
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(layouts[0], None);
    }
}

#[test]
fn descriptor_buffers_have_a_memory_type_of_their_own() {
    let rig = Rig::new();
    let d = &rig.device;
    let bits = |usage| {
        let info = vk::BufferCreateInfo::default().size(256).usage(usage);
        unsafe {
            let buffer = d.create_buffer(&info, None).unwrap();
            let wants = d.get_buffer_memory_requirements(buffer);
            d.destroy_buffer(buffer, None);
            wants.memory_type_bits
        }
    };
    let sets = bits(vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT);
    assert_eq!(
        sets,
        bits(vk::BufferUsageFlags::SAMPLER_DESCRIPTOR_BUFFER_EXT)
    );
    assert_eq!(sets & bits(vk::BufferUsageFlags::STORAGE_BUFFER), 0);
    let types = unsafe {
        rig.instance
            .get_physical_device_memory_properties(rig.physical)
    };
    let flags = types.memory_types[sets.trailing_zeros() as usize].property_flags;
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    assert!(sets.count_ones() == 1 && flags.contains(wanted));
    // Its addresses are in the 4 GiB that shaders add to 32-bit offsets.
    let buffer = descriptors(&rig);
    assert_eq!(address(&rig, &buffer) >> 32, 4);
    assert_ne!(buffer.buffer.as_raw(), 0);
}

/// In a descriptor buffer, an element of an array has as many descriptors as
/// `combinedImageSamplerDescriptorCount` says.
#[test]
fn images_of_several_planes_have_several_descriptors() {
    let rig = Rig::new();
    let (d, functions) = (&rig.device, functions(&rig));
    for (format, planes) in [
        (vk::Format::R8G8B8A8_UNORM, 1),
        (vk::Format::G8_B8R8_2PLANE_420_UNORM, 2),
        (vk::Format::G8_B8_R8_3PLANE_420_UNORM, 3),
    ] {
        let info = vk::SamplerYcbcrConversionCreateInfo::default()
            .format(format)
            .ycbcr_model(vk::SamplerYcbcrModelConversion::RGB_IDENTITY)
            .ycbcr_range(vk::SamplerYcbcrRange::ITU_FULL);
        let conversion = unsafe { d.create_sampler_ycbcr_conversion(&info, None) }.unwrap();
        let mut by = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
        let info = nearest().push_next(&mut by);
        let sampler = unsafe { d.create_sampler(&info, None) }.unwrap();
        let samplers = [sampler; 5];
        let images = binding(0, vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 5);
        let bindings = [
            images.immutable_samplers(&samplers),
            binding(1, vk::DescriptorType::STORAGE_BUFFER, 1),
        ];
        let mut counts = vk::SamplerYcbcrConversionImageFormatProperties::default();
        let mut found = vk::ImageFormatProperties2::default().push_next(&mut counts);
        let asked = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(format)
            .ty(vk::ImageType::TYPE_2D)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::SAMPLED);
        let layout = set_layout(&rig, IN_BUFFER, &bindings);
        unsafe {
            rig.instance
                .get_physical_device_image_format_properties2(rig.physical, &asked, &mut found)
                .unwrap();
            let after = functions.get_descriptor_set_layout_binding_offset(layout, 1);
            assert_eq!(after, 5 * planes * 16, "{format:?}");
            assert!(functions.get_descriptor_set_layout_size(layout) >= after + 16);
            d.destroy_descriptor_set_layout(layout, None);
            d.destroy_sampler(sampler, None);
            d.destroy_sampler_ycbcr_conversion(conversion, None);
        }
        assert_eq!(
            u64::from(counts.combined_image_sampler_descriptor_count),
            planes
        );
    }
}
