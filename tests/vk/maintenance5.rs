//! VK_KHR_maintenance5: sizes of index buffers, pipelines without shader modules, flags of 64 bits,
//! layouts of subresources, all remaining layers, copies between images of any dimension.

use std::ffi::CStr;

use ash::{khr, vk};
use samples::vulkan::{GraphicsInfo, Source, Target, Targets, Use, Wants};
use samples::{Error, Gpu};

use crate::canvas::{Canvas, Look, SIZE, stored, vertices};
use crate::compute::{Descriptor, UpdateBy, run};
use crate::draws::rectangles;
use crate::images::Image;
use crate::rig::{Rig, compile, entry};
use crate::textures::{COLOUR, fill, floats, image_info, nearest};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// The centre of a pixel on the diagonal.
fn diagonal(pixel: u32) -> ([f32; 2], [f32; 4]) {
    let at = (pixel as f32 + 0.5) * 2.0 / SIZE as f32 - 1.0;
    ([at; 2], RED)
}

#[test]
fn indices_beyond_the_bound_size_are_zero() {
    let rig = Rig::new();
    let commands5 = khr::maintenance5::Device::new(&rig.instance, &rig.device);
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        topology: vk::PrimitiveTopology::POINT_LIST,
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let buffer = vertices(&rig, &[3, 4, 5, 6].map(diagonal));
    let order = rig.buffer(16);
    for (to, index) in order.data.chunks_exact_mut(4).zip([9u32, 1, 2, 3]) {
        to.copy_from_slice(&index.to_le_bytes());
    }
    for (size, drawn) in [(8, &[3, 4, 5][..]), (vk::WHOLE_SIZE, &[4, 5, 6])] {
        canvas.run(|commands| unsafe {
            canvas.bind(commands, pipeline, &buffer);
            let bind = commands5.fp().cmd_bind_index_buffer2_khr;
            bind(commands, order.buffer, 4, size, vk::IndexType::UINT32);
            rig.device.cmd_draw_indexed(commands, 3, 1, 0, 0, 0);
        });
        // Points have the default size of one pixel, as the shader writes none.
        canvas
            .colour
            .check(|x, y| match x == y && drawn.contains(&x) {
                true => stored(RED),
                false => [0; 4],
            });
    }
}

#[test]
fn vertex_buffers_of_the_whole_size_end_with_their_buffer() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        topology: vk::PrimitiveTopology::POINT_LIST,
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let buffer = vertices(&rig, &[3, 4, 5].map(diagonal));
    // One vertex, or all that follow the offset; beyond the size, position and colour are zero.
    for (size, drawn) in [(24, &[4][..]), (vk::WHOLE_SIZE, &[4, 5])] {
        canvas.run(|commands| unsafe {
            canvas.bind(commands, pipeline, &buffer);
            let (buffers, sizes) = ([buffer.buffer], [size]);
            let device = &rig.device;
            device.cmd_bind_vertex_buffers2(commands, 0, &buffers, &[24], Some(&sizes), None);
            device.cmd_draw(commands, 2, 1, 0, 0);
        });
        canvas
            .colour
            .check(|x, y| match x == y && drawn.contains(&x) {
                true => stored(RED),
                false => [0; 4],
            });
    }
}

const STORES: &str = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint stored[]; };
void main() { stored[gl_WorkGroupID.x] = 6; }";

/// A compute pipeline whose SPIR-V and flags are in chains.
fn chained_pipeline(
    rig: &Rig,
    cache: vk::PipelineCache,
    layout: vk::PipelineLayout,
    words: &[u32],
    flags: vk::PipelineCreateFlags2KHR,
) -> Result<vk::Pipeline, vk::Result> {
    let mut module = vk::ShaderModuleCreateInfo::default().code(words);
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .name(c"main")
        .push_next(&mut module);
    let mut flags = vk::PipelineCreateFlags2CreateInfoKHR::default().flags(flags);
    // The flags of the chain replace these.
    let info = [vk::ComputePipelineCreateInfo::default()
        .flags(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED)
        .stage(stage)
        .layout(layout)
        .push_next(&mut flags)];
    let made = unsafe { rig.device.create_compute_pipelines(cache, &info, None) };
    made.map(|made| made[0]).map_err(|(_, error)| error)
}

#[test]
fn pipelines_take_spirv_and_flags_from_chains() {
    use vk::PipelineCreateFlags2KHR as Flags;
    let rig = Rig::new();
    let d = &rig.device;
    let words = compile(STORES);
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)];
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .bindings(&bindings)
        .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
    unsafe {
        let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
        let layouts = [set_layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let none = vk::PipelineCache::null();
        let absent = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let refused = chained_pipeline(&rig, none, layout, &words, absent);
        assert_eq!(refused, Err(vk::Result::PIPELINE_COMPILE_REQUIRED));
        let made = chained_pipeline(&rig, none, layout, &words, Flags::DISPATCH_BASE).unwrap();
        let out = rig.buffer(32);
        let push = khr::push_descriptor::Device::new(&rig.instance, d);
        rig.run(|commands| {
            let point = vk::PipelineBindPoint::COMPUTE;
            d.cmd_bind_pipeline(commands, point, made);
            let buffer = [vk::DescriptorBufferInfo::default()
                .buffer(out.buffer)
                .range(vk::WHOLE_SIZE)];
            let writes = [vk::WriteDescriptorSet::default()
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&buffer)];
            push.cmd_push_descriptor_set(commands, point, layout, 0, &writes);
            d.cmd_dispatch_base(commands, 3, 0, 0, 2, 1, 1);
        });
        assert_eq!(out.dwords(), [0, 0, 0, 6, 6, 0, 0, 0]);
        d.destroy_pipeline(made, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
    }
}

#[test]
fn usage_in_the_chain_of_a_buffer_replaces_that_of_the_structure() {
    let rig = Rig::new();
    let d = &rig.device;
    let alignment = |usage, usage2: Option<vk::BufferUsageFlags2KHR>| {
        let mut chained = vk::BufferUsageFlags2CreateInfoKHR::default();
        let mut info = vk::BufferCreateInfo::default().size(256).usage(usage);
        if let Some(usage2) = usage2 {
            chained.usage = usage2;
            info = info.push_next(&mut chained);
        }
        unsafe {
            let buffer = d.create_buffer(&info, None).unwrap();
            let alignment = d.get_buffer_memory_requirements(buffer).alignment;
            let query = vk::DeviceBufferMemoryRequirements::default().create_info(&info);
            let mut same = vk::MemoryRequirements2::default();
            d.get_device_buffer_memory_requirements(&query, &mut same);
            assert_eq!(same.memory_requirements.alignment, alignment);
            d.destroy_buffer(buffer, None);
            alignment
        }
    };
    let (copied, uniform) = (
        vk::BufferUsageFlags::TRANSFER_DST,
        vk::BufferUsageFlags::UNIFORM_BUFFER,
    );
    assert!(alignment(uniform, None) > alignment(copied, None));
    let chained = |usage, flags| alignment(usage, Some(flags));
    type Flags2 = vk::BufferUsageFlags2KHR;
    let none = vk::BufferUsageFlags::empty();
    assert_eq!(
        chained(none, Flags2::UNIFORM_BUFFER),
        alignment(uniform, None)
    );
    assert_eq!(
        chained(uniform, Flags2::TRANSFER_DST),
        alignment(copied, None)
    );
}

#[test]
fn layouts_of_subresources_need_no_image() {
    let rig = Rig::new();
    let d = &rig.device;
    let commands5 = khr::maintenance5::Device::new(&rig.instance, d);
    for (format, extent, levels, layers, tiling) in [
        (
            vk::Format::R8G8B8A8_UNORM,
            [37, 21, 1],
            4,
            3,
            vk::ImageTiling::LINEAR,
        ),
        (
            vk::Format::R16_SFLOAT,
            [19, 40, 9],
            3,
            1,
            vk::ImageTiling::LINEAR,
        ),
        (
            vk::Format::BC3_UNORM_BLOCK,
            [64, 32, 1],
            2,
            2,
            vk::ImageTiling::OPTIMAL,
        ),
    ] {
        let info = image_info(format, extent, levels, layers).tiling(tiling);
        let image = Image::new(&rig, &info);
        for (level, layer) in (0..levels).flat_map(|level| (0..layers).map(move |l| (level, l))) {
            let subresource = vk::ImageSubresource::default()
                .aspect_mask(COLOUR)
                .mip_level(level)
                .array_layer(layer);
            let place = vk::ImageSubresource2KHR::default().image_subresource(subresource);
            let query = vk::DeviceImageSubresourceInfoKHR::default()
                .create_info(&info)
                .subresource(&place);
            let (mut of_image, mut of_device) = (
                vk::SubresourceLayout2KHR::default(),
                vk::SubresourceLayout2KHR::default(),
            );
            let older = unsafe {
                let (fp, device) = (commands5.fp(), d.handle());
                (fp.get_image_subresource_layout2_khr)(device, image.image, &place, &mut of_image);
                (fp.get_device_image_subresource_layout_khr)(device, &query, &mut of_device);
                d.get_image_subresource_layout(image.image, subresource)
            };
            let numbers = |of: vk::SubresourceLayout| {
                [
                    of.offset,
                    of.size,
                    of.row_pitch,
                    of.array_pitch,
                    of.depth_pitch,
                ]
            };
            assert!(older.size > 0);
            assert_eq!(numbers(of_image.subresource_layout), numbers(older));
            assert_eq!(numbers(of_device.subresource_layout), numbers(older));
        }
    }
    let mut granularity = vk::Extent2D::default();
    let info = vk::RenderingAreaInfoKHR::default();
    let get = commands5.fp().get_rendering_area_granularity_khr;
    unsafe { get(d.handle(), &info, &mut granularity) };
    assert_eq!([granularity.width, granularity.height], [1, 1]);
}

#[test]
fn functions_of_newer_versions_do_not_exist() {
    // A version, and whether each of these exists then: 1.0, 1.1, 1.2, 1.3, 1.4.
    let names = [
        c"vkQueueSubmit",
        c"vkTrimCommandPool",
        c"vkResetQueryPool",
        c"vkQueueSubmit2",
        c"vkMapMemory2",
    ];
    let newest = unsafe { entry().try_enumerate_instance_version() };
    let newest = newest.unwrap().unwrap();
    for (version, mut exist) in [
        (0, [true, false, false, false, false]),
        (vk::API_VERSION_1_0, [true, false, false, false, false]),
        (vk::API_VERSION_1_1, [true, true, false, false, false]),
        (vk::API_VERSION_1_2, [true, true, true, false, false]),
        (vk::API_VERSION_1_3, [true, true, true, true, false]),
        (vk::make_api_version(0, 1, 4, 0), [true; 5]),
    ] {
        exist[4] &= newest >= vk::make_api_version(0, 1, 4, 0);
        let app = vk::ApplicationInfo::default().api_version(version);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        unsafe {
            let instance = entry().create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = instance.create_device(physical, &info, None).unwrap();
            let get = instance.fp_v1_0().get_device_proc_addr;
            let found = names.map(|name: &CStr| get(device.handle(), name.as_ptr()).is_some());
            assert_eq!(found, exist, "{version:#x}");
            device.destroy_device(None);
            instance.destroy_instance(None);
        }
    }
}

#[test]
fn physical_devices_answer_questions_about_unknown_enumerants() {
    let rig = Rig::new();
    let i = &rig.instance;
    for raw in [-1, 186, 999, 1_000_066_014, 1_000_470_002, i32::MAX] {
        let format = vk::Format::from_raw(raw);
        let found = unsafe { i.get_physical_device_format_properties(rig.physical, format) };
        assert!(found.linear_tiling_features.is_empty(), "{raw}");
        assert!(found.optimal_tiling_features.is_empty(), "{raw}");
        assert!(found.buffer_features.is_empty(), "{raw}");
    }
    let known = vk::Format::R8G8B8A8_UNORM;
    let sampled = vk::ImageUsageFlags::SAMPLED;
    for (format, kind, tiling, usage, flags) in [
        (vk::Format::from_raw(999), 1, 0, sampled, 0),
        (known, 7, 0, sampled, 0),
        (known, 1, 1_000_999_000, sampled, 0),
        (known, 1, 0, vk::ImageUsageFlags::from_raw(1 << 30), 0),
        (known, 1, 0, sampled, 1 << 30),
    ] {
        let found = unsafe {
            i.get_physical_device_image_format_properties(
                rig.physical,
                format,
                vk::ImageType::from_raw(kind),
                vk::ImageTiling::from_raw(tiling),
                usage,
                vk::ImageCreateFlags::from_raw(flags),
            )
        };
        let error = found.map(|_| ()).unwrap_err();
        assert_eq!(error, vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
    }
    let info = vk::PhysicalDeviceExternalBufferInfo::default()
        .handle_type(vk::ExternalMemoryHandleTypeFlags::from_raw(1 << 29));
    let mut found = vk::ExternalBufferProperties::default();
    unsafe { i.get_physical_device_external_buffer_properties(rig.physical, &info, &mut found) };
    let features = found.external_memory_properties.external_memory_features;
    assert!(features.is_empty());
}

/// The layers from one on, as many as there are.
fn layers_from(first: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: COLOUR,
        mip_level: 0,
        base_array_layer: first,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// What an image has, all layers and slices.
pub(crate) fn contents(
    rig: &Rig,
    image: &Image<'_>,
    info: &vk::ImageCreateInfo<'_>,
    texel_bytes: u32,
) -> Vec<u8> {
    let extent = info.extent;
    let texels = extent.width * extent.height * extent.depth * info.array_layers;
    let bytes = texels * texel_bytes;
    let buffer = rig.buffer(bytes.into());
    let copy = vk::BufferImageCopy::default()
        .image_subresource(layers_from(0))
        .image_extent(extent);
    rig.run(|commands| unsafe {
        let (device, to) = (&rig.device, buffer.buffer);
        device.cmd_copy_image_to_buffer(commands, image.image, GENERAL, to, &[copy]);
    });
    buffer.data.to_vec()
}

/// Images of one byte per texel, the first filled with numbers and the second with zeros.
fn pair<'a>(rig: &'a Rig, infos: &[vk::ImageCreateInfo<'_>; 2]) -> ([Image<'a>; 2], Vec<u8>) {
    let images = [Image::new(rig, &infos[0]), Image::new(rig, &infos[1])];
    let size = |info: &vk::ImageCreateInfo<'_>| {
        let extent = info.extent;
        extent.width * extent.height * extent.depth * info.array_layers
    };
    let numbers: Vec<u8> = (1..=size(&infos[0]) as u8).collect();
    fill(rig, &images[0], &infos[0], &numbers);
    fill(
        rig,
        &images[1],
        &infos[1],
        &vec![0; size(&infos[1]) as usize],
    );
    (images, numbers)
}

#[test]
fn transfers_cover_all_remaining_layers() {
    let rig = Rig::new();
    let d = &rig.device;
    let info = image_info(vk::Format::R8_UNORM, [4, 2, 1], 1, 3)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    let extent = info.extent;
    // Layers 1 and 2 of the first image become layers 1 and 2 of the second.
    type Transfer = fn(&ash::Device, vk::CommandBuffer, [vk::Image; 2], vk::Extent3D);
    let transfers: [Transfer; 2] = [
        |d, commands, [from, to], extent| {
            let copy = vk::ImageCopy::default()
                .src_subresource(layers_from(1))
                .dst_subresource(layers_from(1))
                .extent(extent);
            unsafe { d.cmd_copy_image(commands, from, GENERAL, to, GENERAL, &[copy]) };
        },
        |d, commands, [from, to], extent| {
            let far = vk::Offset3D {
                x: extent.width as i32,
                y: extent.height as i32,
                z: 1,
            };
            let whole = [vk::Offset3D::default(), far];
            let blit = vk::ImageBlit::default()
                .src_subresource(layers_from(1))
                .src_offsets(whole)
                .dst_subresource(layers_from(1))
                .dst_offsets(whole);
            let filter = vk::Filter::NEAREST;
            unsafe { d.cmd_blit_image(commands, from, GENERAL, to, GENERAL, &[blit], filter) };
        },
    ];
    for transfer in transfers {
        let (images, numbers) = pair(&rig, &[info, info]);
        rig.run(|commands| {
            let handles = [images[0].image, images[1].image];
            transfer(d, commands, handles, extent);
        });
        let mut expected = numbers;
        expected[..8].fill(0);
        assert_eq!(contents(&rig, &images[1], &info, 1), expected);
    }
}

#[test]
fn resolves_cover_all_remaining_layers() {
    let rig = Rig::new();
    let d = &rig.device;
    let single = image_info(vk::Format::R8G8B8A8_UNORM, [4, 2, 1], 1, 3);
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT
        | vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST;
    let samples = single.samples(vk::SampleCountFlags::TYPE_4).usage(usage);
    let (from, to) = (
        Image::new(&rig, &samples),
        Image::new(&rig, &single.usage(usage)),
    );
    let out = rig.buffer(96);
    let red = vk::ClearColorValue { float32: RED };
    let all = crate::images::range(COLOUR);
    rig.run(|commands| unsafe {
        d.cmd_clear_color_image(commands, from.image, GENERAL, &red, &[all]);
        let none = vk::ClearColorValue { float32: [0.0; 4] };
        d.cmd_clear_color_image(commands, to.image, GENERAL, &none, &[all]);
        rig.barrier(commands);
        let resolve = vk::ImageResolve::default()
            .src_subresource(layers_from(1))
            .dst_subresource(layers_from(1))
            .extent(single.extent);
        d.cmd_resolve_image(commands, from.image, GENERAL, to.image, GENERAL, &[resolve]);
        rig.barrier(commands);
        let copy = vk::BufferImageCopy::default()
            .image_subresource(layers_from(0))
            .image_extent(single.extent);
        d.cmd_copy_image_to_buffer(commands, to.image, GENERAL, out.buffer, &[copy]);
    });
    let red = u32::from_le_bytes(stored(RED));
    assert_eq!(out.dwords(), [[0; 8], [red; 8], [red; 8]].concat());
}

#[test]
fn copies_between_images_of_any_dimension() {
    let rig = Rig::new();
    let image =
        |extent, layers, kind| image_info(vk::Format::R8_UNORM, extent, 1, layers).image_type(kind);
    use vk::ImageType as T;
    let line = image([8, 1, 1], 3, T::TYPE_1D);
    let plane = image([8, 4, 1], 3, T::TYPE_2D);
    let volume = image([8, 4, 3], 1, T::TYPE_3D);
    let extent = |width, height, depth| vk::Extent3D {
        width,
        height,
        depth,
    };
    let layers = |first, count| vk::ImageSubresourceLayers {
        layer_count: count,
        ..layers_from(first)
    };
    let at = |x, y, z| vk::Offset3D { x, y, z };
    // From and to: an image, layers, offset; the extent; the bytes written, each with the one that
    // they come from.
    let two_layers_of_a_line = (line, layers(1, 2), at(2, 0, 0));
    type Side<'a> = (
        vk::ImageCreateInfo<'a>,
        vk::ImageSubresourceLayers,
        vk::Offset3D,
    );
    type Case<'a> = (Side<'a>, Side<'a>, vk::Extent3D, [(usize, usize); 2]);
    let cases: [Case<'_>; 6] = [
        // Row 3 of layers 0 and 1.
        (
            two_layers_of_a_line,
            (plane, layers(0, 2), at(1, 3, 0)),
            extent(4, 1, 1),
            [(25, 10), (57, 18)],
        ),
        // Row 2 of slices 1 and 2.
        (
            two_layers_of_a_line,
            (volume, layers(0, 1), at(0, 2, 1)),
            extent(4, 1, 1),
            [(48, 10), (80, 18)],
        ),
        (
            (plane, layers(1, 2), at(0, 2, 0)),
            (line, layers(0, 2), at(4, 0, 0)),
            extent(4, 1, 1),
            [(4, 48), (12, 80)],
        ),
        (
            (volume, layers(0, 1), at(3, 1, 1)),
            (line, layers(1, 2), at(0, 0, 0)),
            extent(4, 1, 2),
            [(8, 43), (16, 75)],
        ),
        (
            (plane, layers(1, 2), at(0, 2, 0)),
            (volume, layers(0, 1), at(4, 0, 0)),
            extent(4, 1, 1),
            [(4, 48), (36, 80)],
        ),
        (
            (volume, layers(0, 1), at(3, 1, 0)),
            (plane, layers(1, 2), at(0, 0, 0)),
            extent(4, 1, 2),
            [(32, 11), (64, 43)],
        ),
    ];
    for (number, (from, to, extent, written)) in cases.into_iter().enumerate() {
        let (images, numbers) = pair(&rig, &[from.0, to.0]);
        let copy = vk::ImageCopy::default()
            .src_subresource(from.1)
            .src_offset(from.2)
            .dst_subresource(to.1)
            .dst_offset(to.2)
            .extent(extent);
        rig.run(|commands| unsafe {
            let (from, to) = (images[0].image, images[1].image);
            rig.device
                .cmd_copy_image(commands, from, GENERAL, to, GENERAL, &[copy]);
        });
        let got = contents(&rig, &images[1], &to.0, 1);
        let mut expected = vec![0; got.len()];
        for (to, from) in written {
            expected[to..to + 4].copy_from_slice(&numbers[from..from + 4]);
        }
        assert_eq!(got, expected, "copy {number}");
    }
}

pub(crate) fn gpu() -> Result<Gpu, Error> {
    crate::rig::entry();
    let wants = Wants {
        features: &[],
        extensions: &[],
    };
    Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants)
}

#[test]
fn corners_drawn_as_points_have_the_point_size() -> Result<(), Error> {
    let gpu = gpu()?;
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = gpu.image(samples::vulkan::ImageInfo::new(format, 16, 16).target())?;
    // Corners at the centres of pixels (3, 3), (12, 3) and (3, 12), of one pixel or of three.
    for (size, reach) in [("", 0), ("gl_PointSize = 3.0;", 1)] {
        let vertex = format!(
            "#version 450
void main()
{{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 9.0 + 3.5;
    gl_Position = vec4(corner / 8.0 - 1.0, 0.0, 1.0);
    {size}
}}"
        );
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: &vertex,
            fragment: Some(
                "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }",
            ),
            fill: vk::PolygonMode::POINT,
            colors: &[format],
            ..GraphicsInfo::default()
        })?;
        gpu.run(|r| {
            let targets = [Target::clear(&image, [0.0; 4])];
            r.draw_to(&Targets::new(&targets), |r| {
                r.bind::<u32>(&pipeline, &[], &[]);
                r.draw(0, 3, 1);
                Ok(())
            })?;
            r.use_as(&image, Use::CopyFrom);
            Ok(())
        })?;
        let bytes = gpu.read(&image)?;
        for (at, pixel) in (0..).zip(bytes.chunks_exact(4)) {
            let (x, y): (i32, i32) = (at % 16, at / 16);
            let corners = [(3, 3), (12, 3), (3, 12)];
            let near = |&(a, b): &(i32, i32)| (x - a).abs() <= reach && (y - b).abs() <= reach;
            let expected = [255 * u8::from(corners.iter().any(near)); 4];
            assert_eq!(pixel, expected, "pixel {x}, {y}, reach {reach}");
        }
    }
    Ok(())
}

#[test]
fn depth_and_stencil_are_read_as_one_by_the_swizzle() {
    use vk::ImageAspectFlags as A;
    let rig = Rig::new();
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let format = vk::Format::D32_SFLOAT_S8_UINT;
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let info = image_info(format, [4, 4, 1], 1, 1).usage(usage);
    let image = Image::new(&rig, &info);
    let value = vk::ClearDepthStencilValue {
        depth: 0.25,
        stencil: 7,
    };
    rig.run(|commands| unsafe {
        let range = crate::images::range(A::DEPTH | A::STENCIL);
        let d = &rig.device;
        d.cmd_clear_depth_stencil_image(commands, image.image, GENERAL, &value, &[range]);
    });
    use vk::ComponentSwizzle as S;
    let seen = [A::DEPTH, A::STENCIL].map(|aspect| {
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .components(vk::ComponentMapping {
                r: S::ONE,
                g: S::R,
                b: S::ZERO,
                a: S::ONE,
            })
            .subresource_range(crate::images::range(aspect));
        unsafe { rig.device.create_image_view(&info, None) }.unwrap()
    });
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 depth; uvec4 stencil; };
layout(binding = 1) uniform sampler2D depths;
layout(binding = 2) uniform usampler2D stencils;
void main()
{
    depth = textureLod(depths, vec2(0.5), 0.0);
    stencil = textureLod(stencils, vec2(0.5), 0.0);
}";
    let out = rig.buffer(32);
    let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    let given = seen.map(|seen| Descriptor::Image(kind, seen, sampler));
    run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
    assert_eq!(floats(&out)[..4], [1.0, 0.25, 0.0, 1.0]);
    assert_eq!(out.dwords()[4..], [1, 7, 0, 1]);
    unsafe {
        for view in seen {
            rig.device.destroy_image_view(view, None);
        }
        rig.device.destroy_sampler(sampler, None);
    }
}
