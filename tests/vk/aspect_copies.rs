//! Copies between colour and depth or stencil (VK_KHR_maintenance8), of one sample and of several.

use ash::{ext, vk};

use crate::canvas::{Look, SIZE, compile, pipeline, whole};
use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, Region, download, info, noise, regions, upload};
use crate::maintenance8::COVERING;
use crate::rig::{Buffer, Rig};
use crate::textures::{COLOUR, image_info, nearest, view};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const DEPTH: vk::ImageAspectFlags = vk::ImageAspectFlags::DEPTH;
const STENCIL: vk::ImageAspectFlags = vk::ImageAspectFlags::STENCIL;
const SAMPLED: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;

/// Each format of depth or stencil, the aspect, and the colours that it can be copied from and to
/// (Vulkan, "Compatible Formats for Depth-Stencil to/from Color Copies").
fn compatible() -> Vec<(vk::Format, vk::ImageAspectFlags, Vec<vk::Format>)> {
    use vk::Format as F;
    let wide = vec![F::R32_SFLOAT, F::R32_SINT, F::R32_UINT];
    let half = vec![
        F::R16_SFLOAT,
        F::R16_UNORM,
        F::R16_SNORM,
        F::R16_UINT,
        F::R16_SINT,
    ];
    let byte = vec![F::R8_UINT, F::R8_SINT, F::R8_UNORM, F::R8_SNORM];
    vec![
        (F::D32_SFLOAT, DEPTH, wide.clone()),
        (F::D32_SFLOAT_S8_UINT, DEPTH, wide.clone()),
        (F::X8_D24_UNORM_PACK32, DEPTH, wide.clone()),
        (F::D24_UNORM_S8_UINT, DEPTH, wide),
        (F::D16_UNORM, DEPTH, half),
        (F::S8_UINT, STENCIL, byte.clone()),
        (F::D24_UNORM_S8_UINT, STENCIL, byte.clone()),
        (F::D32_SFLOAT_S8_UINT, STENCIL, byte),
    ]
}

/// How images are copied.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Copier {
    Device,
    Host,
}

/// Copies level 1 from layer 1 on to level 2 from layer 0 on, of two layers: from an odd pixel to
/// another.
fn copy(
    rig: &Rig,
    copier: Copier,
    [(source, from), (destination, to)]: [(vk::Image, vk::ImageAspectFlags); 2],
) {
    let layers = |aspect_mask, mip_level, base_array_layer| vk::ImageSubresourceLayers {
        aspect_mask,
        mip_level,
        base_array_layer,
        layer_count: 2,
    };
    let (source_layers, destination_layers) = (layers(from, 1, 1), layers(to, 2, 0));
    let offset = |x, y| vk::Offset3D { x, y, z: 0 };
    let (source_offset, destination_offset) = (offset(5, 3), offset(1, 2));
    let extent = vk::Extent3D {
        width: 7,
        height: 3,
        depth: 1,
    };
    match copier {
        Copier::Device => {
            let region = vk::ImageCopy {
                src_subresource: source_layers,
                src_offset: source_offset,
                dst_subresource: destination_layers,
                dst_offset: destination_offset,
                extent,
            };
            rig.run(|commands| unsafe {
                rig.barrier(commands);
                rig.device.cmd_copy_image(
                    commands,
                    source,
                    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                    destination,
                    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                    &[region],
                );
            });
        }
        Copier::Host => {
            let host = ext::host_image_copy::Device::new(&rig.instance, &rig.device);
            let copies = [vk::ImageCopy2::default()
                .src_subresource(source_layers)
                .src_offset(source_offset)
                .dst_subresource(destination_layers)
                .dst_offset(destination_offset)
                .extent(extent)];
            let info = vk::CopyImageToImageInfoEXT::default()
                .src_image(source)
                .src_image_layout(GENERAL)
                .dst_image(destination)
                .dst_image_layout(GENERAL)
                .regions(&copies);
            unsafe { host.copy_image_to_image(&info) }.unwrap();
        }
    }
}

/// The regions of an aspect.
fn of_aspect(info: &vk::ImageCreateInfo<'_>, aspect: vk::ImageAspectFlags) -> Vec<Region> {
    let all = regions(info, false).into_iter();
    all.filter(|region| region.copy.image_subresource.aspect_mask == aspect)
        .collect()
}

/// The rows of a buffer that hold an aspect of an image.
fn contents<'a>(buffer: &Buffer<'a>, regions: &[Region]) -> Vec<Vec<u8>> {
    let spans = regions.iter().flat_map(Region::spans);
    spans.map(|span| buffer.data[span].to_vec()).collect()
}

/// Copies between two formats, one way, and compares all that is in the destination afterwards.
fn copy_between(
    rig: &Rig,
    copier: Copier,
    usage: [vk::ImageUsageFlags; 2],
    parts: [(vk::Format, vk::ImageAspectFlags); 2],
) {
    let sides = [0, 1].map(|side: usize| {
        let (format, aspect) = parts[side];
        let info = info(format, vk::ImageTiling::OPTIMAL);
        let info = info.usage(info.usage | usage[side]);
        let regions = of_aspect(&info, aspect);
        let bytes = regions.last().map_or(0, Region::end) as u64;
        let filled = rig.buffer(bytes);
        noise(filled.data, 7 + side as u32);
        let image = Image::new(rig, &info);
        rig.run(|commands| upload(rig, commands, &filled, image.image, &regions));
        (image, filled, regions)
    });
    let [source, destination] = &sides;
    let images = [
        (source.0.image, parts[0].1),
        (destination.0.image, parts[1].1),
    ];
    copy(rig, copier, images);
    let got = rig.buffer(destination.1.data.len() as u64);
    rig.run(|commands| {
        rig.barrier(commands);
        download(rig, commands, &got, destination.0.image, &destination.2);
    });
    let mut expected = contents(&destination.1, &destination.2);
    let from = contents(&source.1, &source.2);
    let bytes = expected[0].len() / 37;
    // Rows of three layers: 21 of level 0, 10 of level 1, 5 of level 2.
    for (layer, row) in (0..2).flat_map(|layer| (0..3).map(move |row| (layer, row))) {
        let source_row = &from[3 * 21 + (1 + layer) * 10 + 3 + row];
        let row = &mut expected[3 * 21 + 3 * 10 + layer * 5 + 2 + row];
        row[bytes..8 * bytes].copy_from_slice(&source_row[5 * bytes..12 * bytes]);
    }
    let mut found = contents(&got, &destination.2);
    // The upper bits of 24-bit depth are undefined.
    let narrow = parts
        .iter()
        .any(|part| part.1 == DEPTH && format!("{:?}", part.0).contains("D24"));
    if narrow {
        for row in expected.iter_mut().chain(&mut found) {
            for element in row.as_chunks_mut::<4>().0 {
                element[3] = 0;
            }
        }
    }
    assert!(found == expected, "{copier:?} {parts:?} {usage:?}");
}

#[test]
fn copies_between_colour_and_depth_or_stencil() {
    let rig = Rig::new();
    let attachments = [
        vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        vk::ImageUsageFlags::COLOR_ATTACHMENT,
    ];
    let host = [vk::ImageUsageFlags::HOST_TRANSFER_EXT; 2];
    for (format, aspect, colours) in compatible() {
        for (copier, [depth_usage, colour_usage]) in
            [(Copier::Device, attachments), (Copier::Host, host)]
        {
            for &colour in &colours {
                let part = (format, aspect);
                copy_between(
                    &rig,
                    copier,
                    [colour_usage, depth_usage],
                    [(colour, COLOUR), part],
                );
                copy_between(
                    &rig,
                    copier,
                    [depth_usage, colour_usage],
                    [part, (colour, COLOUR)],
                );
            }
        }
    }
}

/// The number that a sample holds: the same in all samples of the pixels on the left.
fn number(x: u32, y: u32, sample: u32) -> u32 {
    match x < SIZE / 2 {
        true => (y * SIZE + x) & 255,
        false => ((y * SIZE + x) * 5 + sample * 37) & 255,
    }
}

/// How a multisampled colour stores numbers below 256: its format, a fragment's output and how it
/// is made from a number, and the depth or stencil that it is copied to with how it is read.
struct Numbers {
    colour: vk::Format,
    output: &'static str,
    encode: &'static str,
    other: vk::Format,
    aspect: vk::ImageAspectFlags,
    sampler: &'static str,
    decode: &'static str,
}

const NUMBERS: [Numbers; 3] = [
    Numbers {
        colour: vk::Format::R32_SFLOAT,
        output: "float",
        encode: "float(number) / 256.0",
        other: vk::Format::D32_SFLOAT,
        aspect: DEPTH,
        sampler: "sampler2DMS",
        decode: "uint(texel * 256.0)",
    },
    Numbers {
        colour: vk::Format::R16_UNORM,
        output: "float",
        encode: "float(number) / 65535.0",
        other: vk::Format::D16_UNORM,
        aspect: DEPTH,
        sampler: "sampler2DMS",
        decode: "uint(texel * 65535.0 + 0.5)",
    },
    Numbers {
        colour: vk::Format::R8_UINT,
        output: "uint",
        encode: "number",
        other: vk::Format::S8_UINT,
        aspect: STENCIL,
        sampler: "usampler2DMS",
        decode: "texel",
    },
];

/// A multisampled image of `SIZE` by `SIZE` pixels and two layers.
fn multisampled(
    rig: &Rig,
    format: vk::Format,
    samples: vk::SampleCountFlags,
    usage: vk::ImageUsageFlags,
) -> Image<'_> {
    let info = image_info(format, [SIZE, SIZE, 1], 1, 2).samples(samples);
    Image::new(rig, &info.usage(info.usage | usage))
}

/// The numbers in all samples of a layer.
fn read_samples(
    rig: &Rig,
    numbers: &Numbers,
    (image, format, aspect): (&Image<'_>, vk::Format, vk::ImageAspectFlags),
    samples: u32,
) -> Vec<u32> {
    let seen = view(rig, image, vk::ImageViewType::TYPE_2D_ARRAY, format, aspect);
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let out = rig.buffer(u64::from(SIZE * SIZE * samples * 4));
    let glsl = format!(
        "#version 450
layout(local_size_x = {SIZE}, local_size_y = {SIZE}) in;
layout(std430, binding = 0) buffer Out {{ uint numbers[]; }};
layout(binding = 1) uniform {}Array image;
void main()
{{
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    for (int number = 0; number < {samples}; number++) {{
        {} texel = texelFetch(image, ivec3(at, 1), number).r;
        numbers[(at.y * {SIZE} + at.x) * {samples} + number] = {};
    }}
}}",
        numbers.sampler, numbers.output, numbers.decode
    );
    let given = [Descriptor::Image(SAMPLED, seen, sampler)];
    run(rig, &glsl, &out, &given, &[], UpdateBy::Write);
    unsafe {
        rig.device.destroy_sampler(sampler, None);
        rig.device.destroy_image_view(seen, None);
    }
    out.dwords()
}

/// Copies a box of layer 1 of multisampled images.
fn copy_samples(
    rig: &Rig,
    [(source, from), (destination, to)]: [(vk::Image, vk::ImageAspectFlags); 2],
    offsets: [[i32; 2]; 2],
    size: [u32; 2],
) {
    let layers = |aspect_mask| vk::ImageSubresourceLayers {
        aspect_mask,
        base_array_layer: 1,
        layer_count: 1,
        ..Default::default()
    };
    let [src_offset, dst_offset] = offsets.map(|[x, y]| vk::Offset3D { x, y, z: 0 });
    let region = vk::ImageCopy {
        src_subresource: layers(from),
        src_offset,
        dst_subresource: layers(to),
        dst_offset,
        extent: vk::Extent3D {
            width: size[0],
            height: size[1],
            depth: 1,
        },
    };
    rig.run(|commands| unsafe {
        rig.barrier(commands);
        rig.device
            .cmd_copy_image(commands, source, GENERAL, destination, GENERAL, &[region]);
    });
}

/// Copies samples from colour to depth or stencil, from there to another colour, and compares both.
fn samples_there_and_back(rig: &Rig, numbers: &Numbers, samples: u32) {
    let d = &rig.device;
    let count = vk::SampleCountFlags::from_raw(samples);
    let target = vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let drawn = multisampled(rig, numbers.colour, count, target);
    let copied = multisampled(rig, numbers.colour, count, target);
    let other = multisampled(
        rig,
        numbers.other,
        count,
        vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
    );
    let output = |sample: &str, discard: &str| {
        format!(
            "#version 450
layout(location = 0) out {} colour;
void main()
{{
    uvec2 at = uvec2(gl_FragCoord.xy);
    {discard}
    uint number = {sample};
    colour = {};
}}",
            numbers.output, numbers.encode
        )
    };
    let same = output(&format!("at.y * {SIZE} + at.x & 255u"), "");
    let each = output(
        &format!("(at.y * {SIZE} + at.x) * 5 + gl_SampleID * 37 & 255u"),
        &format!("if (at.x < {}) discard;", SIZE / 2),
    );
    let look = Look {
        bindings: &[],
        attributes: &[],
        samples: count,
        formats: Some((numbers.colour, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let layout = unsafe { d.create_pipeline_layout(&Default::default(), None) }.unwrap();
    let pipelines = [same, each].map(|fragment| {
        let words = compile(COVERING, &fragment);
        pipeline(rig, &words, &look, layout, vk::RenderPass::null()).unwrap()
    });
    let info = vk::ImageViewCreateInfo::default()
        .image(drawn.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(numbers.colour)
        .subresource_range(vk::ImageSubresourceRange {
            aspect_mask: COLOUR,
            level_count: 1,
            base_array_layer: 1,
            layer_count: 1,
            ..Default::default()
        });
    let seen = unsafe { d.create_image_view(&info, None) }.unwrap();
    rig.run(|commands| unsafe {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(seen)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::DONT_CARE)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        let start = |image, aspect_mask| {
            vk::ImageMemoryBarrier::default()
                .new_layout(GENERAL)
                .image(image)
                .subresource_range(crate::images::range(aspect_mask))
        };
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let barriers = [
            start(drawn.image, COLOUR),
            start(copied.image, COLOUR),
            start(other.image, numbers.aspect),
        ];
        let none = vk::DependencyFlags::empty();
        d.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &barriers);
        d.cmd_begin_rendering(commands, &info);
        for pipeline in pipelines {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_draw(commands, 3, 1, 0, 0);
        }
        d.cmd_end_rendering(commands);
    });
    let colour = (drawn.image, COLOUR);
    let between = (other.image, numbers.aspect);
    let all = [SIZE; 2];
    copy_samples(rig, [colour, between], [[0, 0]; 2], all);
    // Where boxes split quads: from (1, 5) to (4, 2).
    copy_samples(rig, [colour, between], [[1, 5], [4, 2]], [9, 7]);
    let copied_to = (copied.image, COLOUR);
    copy_samples(rig, [between, copied_to], [[0, 0]; 2], all);
    copy_samples(rig, [between, copied_to], [[5, 3], [2, 7]], [7, 6]);
    let inside = |[x, y]: [u32; 2], [left, top]: [u32; 2], [width, height]: [u32; 2]| {
        (left..left + width).contains(&x) && (top..top + height).contains(&y)
    };
    let moved = |[x, y]: [u32; 2], sample| match inside([x, y], [4, 2], [9, 7]) {
        true => number(x - 4 + 1, y - 2 + 5, sample),
        false => number(x, y, sample),
    };
    let moved_twice = |[x, y]: [u32; 2], sample| match inside([x, y], [2, 7], [7, 6]) {
        true => moved([x - 2 + 5, y - 7 + 3], sample),
        false => moved([x, y], sample),
    };
    let read = |image| read_samples(rig, numbers, image, samples);
    let depths = read((&other, numbers.other, numbers.aspect));
    let colours = read((&copied, numbers.colour, COLOUR));
    for (at, (depth, colour)) in (0..).zip(depths.into_iter().zip(colours)) {
        let (pixel, sample) = (at / samples, at % samples);
        let at = [pixel % SIZE, pixel / SIZE];
        let what = (numbers.colour, samples, at, sample);
        assert_eq!(depth, moved(at, sample), "{what:?}");
        assert_eq!(colour, moved_twice(at, sample), "{what:?}");
    }
    unsafe {
        for pipeline in pipelines {
            d.destroy_pipeline(pipeline, None);
        }
        d.destroy_pipeline_layout(layout, None);
        d.destroy_image_view(seen, None);
    }
}

#[test]
fn samples_are_copied_between_colour_and_depth_or_stencil() {
    let rig = Rig::new();
    for numbers in &NUMBERS {
        for samples in [2, 4, 8, 16] {
            samples_there_and_back(&rig, numbers, samples);
        }
    }
}
