//! VK_KHR_maintenance8: texel offsets that are not constants, blits between slices and layers,
//! stages of ownership transfers, caches that are merged while they are used. Copies between
//! colour and depth or stencil are in `aspect_copies.rs`, remainders in a script.

use std::ffi::c_void;

use ash::{khr, vk};

use crate::canvas::{Look, SIZE, Target, compile, pipeline, whole};
use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, Region, download, regions, upload};
use crate::rig::{Kernel, Rig};
use crate::textures::{COLOUR, floats, image_info, nearest, view};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const SAMPLED: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;

/// Width and height of level 0 of the sampled image.
const TEXELS: i32 = 32;

/// The texel of a level, and of a layer.
fn texel(level: u32, [x, y]: [i32; 2], layer: i32) -> f32 {
    let last = (TEXELS >> level) - 1;
    let (x, y) = (x.clamp(0, last), y.clamp(0, last));
    (level as i32 * 8192 + layer * 2048 + y * (last + 1) + x) as f32
}

/// An image of three levels and two layers in which every texel differs.
fn numbered(rig: &Rig) -> Image<'_> {
    let side = TEXELS.cast_unsigned();
    let info = image_info(vk::Format::R32_SFLOAT, [side, side, 1], 3, 2);
    let image = Image::new(rig, &info);
    let all = regions(&info, false);
    let buffer = rig.buffer(all.last().map_or(0, Region::end) as u64);
    for (level, region) in (0..).zip(&all) {
        let rows = TEXELS >> level;
        for (row, span) in (0..).zip(region.spans()) {
            for (x, to) in (0..).zip(buffer.data[span].as_chunks_mut::<4>().0) {
                *to = texel(level, [x, row % rows], row / rows).to_le_bytes();
            }
        }
    }
    rig.run(|commands| upload(rig, commands, &buffer, image.image, &all));
    image
}

/// The offset of an invocation, within the limits: -8 to 7.
fn offset(lane: i32) -> [i32; 2] {
    [lane * 5 % 16 - 8, 7 - lane * 3 % 16]
}

/// A shader whose lanes are quads, with the texel that each samples. `step` texels of level 0 lie
/// between two lanes.
fn sampling(kind: &str, offset: &str, sample: &str, step: i32) -> String {
    format!(
        "#version 450
#extension GL_NV_compute_shader_derivatives : require
#extension GL_EXT_texture_offset_non_const : require
layout(derivative_group_quadsNV) in;
layout(local_size_x = 4, local_size_y = 4) in;
layout(std430, binding = 0) buffer Out {{ float texels[16]; ivec2 shared_offset; }};
layout(binding = 1) uniform {kind} image;
void main()
{{
    int lane = int(gl_LocalInvocationID.y) * 4 + int(gl_LocalInvocationID.x);
    ivec2 off = {offset};
    vec2 at = (vec2(gl_LocalInvocationID.xy) * {step}.0 + vec2(8.5)) / {TEXELS}.0;
    texels[lane] = {sample};
}}"
    )
}

#[test]
fn texel_offsets_that_are_not_constants() {
    let rig = Rig::new();
    let image = numbered(&rig);
    let format = vk::Format::R32_SFLOAT;
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let divergent = "ivec2(lane * 5 % 16 - 8, 7 - lane * 3 % 16)";
    // (image, how it is sampled, texels between lanes, level, layer)
    let flat = [
        ("textureOffset(image, at, off).r", 1, 0),
        ("textureOffset(image, at, off).r", 2, 1),
        ("textureOffset(image, at, off).r", 4, 2),
        ("textureOffset(image, at, off, -1.0).r", 4, 1),
        ("textureOffset(image, at, off, 1.0).r", 1, 1),
        ("textureProjOffset(image, vec3(at * 3.0, 3.0), off).r", 2, 1),
        ("textureLodOffset(image, at, 1.0, off).r", 2, 1),
        ("textureLodOffset(image, at, 0.0, off).r", 1, 0),
        (
            "textureGradOffset(image, at, vec2(0.125, 0.0), vec2(0.0, 0.125), off).r",
            2,
            2,
        ),
        (
            "texelFetchOffset(image, ivec2(gl_LocalInvocationID.xy) * 2 + 8, 0, off).r",
            2,
            0,
        ),
    ];
    let flat = flat.map(|(sample, step, level)| ("sampler2D", sample, step, level, 0));
    let layered = [
        ("textureOffset(image, vec3(at, 1.0), off).r", 2, 1),
        ("textureOffset(image, vec3(at, 1.0), off, 0.5).r", 3, 2),
        ("textureLodOffset(image, vec3(at, 1.0), 2.0, off).r", 4, 2),
    ];
    let layered = layered.map(|(sample, step, level)| ("sampler2DArray", sample, step, level, 1));
    for (kind, sample, step, level, layer) in flat.into_iter().chain(layered) {
        let view_kind = match kind {
            "sampler2D" => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        let range = vk::ImageSubresourceRange {
            aspect_mask: COLOUR,
            level_count: 3,
            layer_count: 1 + u32::from(kind == "sampler2DArray"),
            ..Default::default()
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(view_kind)
            .format(format)
            .subresource_range(range);
        let seen = unsafe { rig.device.create_image_view(&info, None) }.unwrap();
        // An offset for each lane, one for all that no compiler knows, and one for half of a quad.
        for source in [
            divergent,
            "shared_offset",
            "lane % 2 == 0 ? shared_offset : ivec2(-8, 7)",
        ] {
            let out = rig.buffer(72);
            let common = [3, -2];
            for (to, value) in out.data[64..].as_chunks_mut::<4>().0.iter_mut().zip(common) {
                *to = i32::to_le_bytes(value);
            }
            let glsl = sampling(kind, source, sample, step);
            let given = [Descriptor::Image(SAMPLED, seen, sampler)];
            run(&rig, &glsl, &out, &given, &[], UpdateBy::Write);
            for (lane, got) in (0..).zip(&floats(&out)[..16]) {
                let by = match source {
                    _ if source == divergent => offset(lane),
                    "shared_offset" => common,
                    _ if lane % 2 == 0 => common,
                    _ => [-8, 7],
                };
                let at = [lane % 4, lane / 4].map(|at| (at * step + 8) >> level);
                let expected = texel(level, [at[0] + by[0], at[1] + by[1]], layer);
                assert_eq!(*got, expected, "{sample} by {source}, lane {lane}");
            }
        }
        unsafe { rig.device.destroy_image_view(seen, None) };
    }
    unsafe { rig.device.destroy_sampler(sampler, None) };
}

#[test]
fn fragments_have_offsets_of_their_own() {
    let rig = Rig::new();
    let d = &rig.device;
    let image = numbered(&rig);
    let seen = view(
        &rig,
        &image,
        vk::ImageViewType::TYPE_2D_ARRAY,
        vk::Format::R32_SFLOAT,
        COLOUR,
    );
    let sampler = unsafe { d.create_sampler(&nearest(), None) }.unwrap();
    let fragment = format!(
        "#version 450
#extension GL_EXT_texture_offset_non_const : require
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2DArray image;
void main()
{{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int lane = pixel.y * {SIZE} + pixel.x;
    ivec2 off = ivec2(lane * 5 % 16 - 8, 7 - lane * 3 % 16);
    vec2 at = gl_FragCoord.xy * 2.0 / {TEXELS}.0;
    int texel = int(textureOffset(image, vec3(at, 1.0), off).r);
    colour = vec4(texel & 255, texel >> 8, 0, 255) / 255.0;
}}"
    );
    let target = Target::new(&rig, vk::Format::R8G8B8A8_UNORM, 1);
    let (layout, sets, pool) = sampled_set(&rig, seen, sampler);
    let look = Look {
        bindings: &[],
        attributes: &[],
        formats: Some((vk::Format::R8G8B8A8_UNORM, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let words = compile(COVERING, &fragment);
    let made = pipeline(&rig, &words, &look, layout.0, vk::RenderPass::null()).unwrap();
    draw(&rig, &target, &[made], layout.0, &sets);
    // Two texels for a pixel: level 1.
    target.check(|x, y| {
        let by = offset((y * SIZE + x).cast_signed());
        let at = [x.cast_signed() + by[0], y.cast_signed() + by[1]];
        let value = texel(1, at, 1) as u32;
        [value as u8, (value >> 8) as u8, 0, 255]
    });
    unsafe {
        d.destroy_pipeline(made, None);
        d.destroy_descriptor_pool(pool, None);
        d.destroy_pipeline_layout(layout.0, None);
        d.destroy_descriptor_set_layout(layout.1, None);
        d.destroy_sampler(sampler, None);
        d.destroy_image_view(seen, None);
    }
}

/// A triangle that covers the target.
pub(crate) const COVERING: &str = "#version 450
void main()
{
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";

/// A layout and a set of one texture.
fn sampled_set(
    rig: &Rig,
    seen: vk::ImageView,
    sampler: vk::Sampler,
) -> (
    (vk::PipelineLayout, vk::DescriptorSetLayout),
    Vec<vk::DescriptorSet>,
    vk::DescriptorPool,
) {
    let d = &rig.device;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(SAMPLED)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    unsafe {
        let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
        let layouts = [set_layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(SAMPLED)
            .descriptor_count(1)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        let sets = d.allocate_descriptor_sets(&info).unwrap();
        let images = [vk::DescriptorImageInfo {
            sampler,
            image_view: seen,
            image_layout: GENERAL,
        }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(SAMPLED)
            .image_info(&images);
        d.update_descriptor_sets(&[write], &[]);
        ((layout, set_layout), sets, pool)
    }
}

/// Draws a triangle that covers the target with each pipeline.
fn draw(
    rig: &Rig,
    target: &Target<'_>,
    pipelines: &[vk::Pipeline],
    layout: vk::PipelineLayout,
    sets: &[vk::DescriptorSet],
) {
    let d = &rig.device;
    rig.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::GRAPHICS;
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        if !sets.is_empty() {
            d.cmd_bind_descriptor_sets(commands, point, layout, 0, sets, &[]);
        }
        for pipeline in pipelines {
            d.cmd_bind_pipeline(commands, point, *pipeline);
            d.cmd_draw(commands, 3, 1, 0, 0);
        }
        d.cmd_end_rendering(commands);
    });
}

/// A 3D image of eight slices, or a 2D image of eight layers: 4 by 2 pixels.
fn deep(rig: &Rig, volume: bool) -> (Image<'_>, vk::ImageCreateInfo<'static>) {
    let (depth, layers) = if volume { (8, 1) } else { (1, 8) };
    let info = image_info(vk::Format::R8G8B8A8_UNORM, [4, 2, depth], 1, layers);
    (Image::new(rig, &info), info)
}

/// Blits boxes between an image of slices and one of layers, and returns what each slice or layer
/// of the destination holds: the number of a slice or layer of the source, or 99.
fn blit_slices(
    rig: &Rig,
    from_volume: bool,
    filter: vk::Filter,
    regions: &[vk::ImageBlit],
) -> Vec<u8> {
    let ((source, info), (destination, info_to)) =
        (deep(rig, from_volume), deep(rig, !from_volume));
    let (all, all_to) = (
        crate::images::regions(&info, false),
        crate::images::regions(&info_to, false),
    );
    let bytes = 8 * 4 * 2 * 4;
    let (filled, empty, got) = (rig.buffer(bytes), rig.buffer(bytes), rig.buffer(bytes));
    for (slice, to) in (0..).zip(filled.data.chunks_mut(32)) {
        to.fill(slice);
    }
    empty.data.fill(99);
    rig.run(|commands| {
        upload(rig, commands, &filled, source.image, &all);
        upload(rig, commands, &empty, destination.image, &all_to);
        unsafe {
            rig.device.cmd_blit_image(
                commands,
                source.image,
                GENERAL,
                destination.image,
                GENERAL,
                regions,
                filter,
            );
        }
        rig.barrier(commands);
        download(rig, commands, &got, destination.image, &all_to);
    });
    let slices = got.data.chunks(32).map(|slice| {
        assert!(slice.iter().all(|byte| *byte == slice[0]), "{slice:?}");
        slice[0]
    });
    slices.collect()
}

#[test]
fn blits_between_slices_and_layers() {
    let rig = Rig::new();
    let layers = |base_array_layer, layer_count| vk::ImageSubresourceLayers {
        aspect_mask: COLOUR,
        base_array_layer,
        layer_count,
        ..Default::default()
    };
    let corners = |first, last| {
        let corner = |x, y, z| vk::Offset3D { x, y, z };
        [corner(0, 0, first), corner(4, 2, last)]
    };
    for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
        // Slice 5 to layer 2; slices 1 to 3 to layers 4 to 6; slices 7 and 6 to layers 0 and 1.
        let to_layer = |[first, last]: [i32; 2], layer, count| vk::ImageBlit {
            src_subresource: layers(0, 1),
            src_offsets: corners(first, last),
            dst_subresource: layers(layer, count),
            dst_offsets: corners(0, 1),
        };
        let regions = [
            to_layer([5, 6], 2, 1),
            to_layer([1, 4], 4, 3),
            to_layer([8, 6], 0, 2),
        ];
        let found = blit_slices(&rig, true, filter, &regions);
        assert_eq!(found, [7, 6, 5, 99, 1, 2, 3, 99], "{filter:?}");
        // Layer 5 to slice 2; layers 1 to 3 to slices 4 to 6; layers 0 and 1 to slices 1 and 0;
        let to_slice = |layer, count, [first, last]: [i32; 2]| vk::ImageBlit {
            src_subresource: layers(layer, count),
            src_offsets: corners(0, 1),
            dst_subresource: layers(0, 1),
            dst_offsets: corners(first, last),
        };
        let regions = [
            to_slice(5, 1, [2, 3]),
            to_slice(1, 3, [4, 7]),
            to_slice(0, 2, [2, 0]),
        ];
        let found = blit_slices(&rig, false, filter, &regions);
        assert_eq!(found, [1, 0, 5, 99, 1, 2, 3, 99], "{filter:?}");
    }
}

/// `VkMemoryBarrierAccessFlags3KHR`.
#[repr(C)]
struct AccessFlags3 {
    s_type: vk::StructureType,
    p_next: *const c_void,
    masks: [u64; 2],
}

#[test]
fn ownership_transfers_use_the_stages_of_both_sides() {
    let rig = Rig::new();
    let d = &rig.device;
    let commands2 = khr::synchronization2::Device::new(&rig.instance, d);
    let groups = rig.buffer(16);
    let counts = rig.buffer(16);
    let writing = crate::rig::compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Groups { uvec3 groups; };
layout(std430, binding = 1) buffer Counts { uint count; };
void main() { groups = uvec3(3, 2, 1); }",
    );
    let counting = crate::rig::compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Groups { uvec3 groups; };
layout(std430, binding = 1) buffer Counts { uint count; };
void main() { atomicAdd(count, 1); }",
    );
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let [writer, counter] = [writing, counting].map(|words| {
        Kernel::new(
            &rig,
            &words,
            kind,
            &[&groups, &counts],
            vk::PipelineCache::null(),
        )
    });
    // There are no accesses beyond those of 64 bits.
    let more = AccessFlags3 {
        s_type: vk::StructureType::from_raw(1_000_574_002),
        p_next: std::ptr::null(),
        masks: [0; 2],
    };
    let mut barrier = vk::BufferMemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
        .src_access_mask(vk::AccessFlags2::SHADER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::DRAW_INDIRECT)
        .dst_access_mask(vk::AccessFlags2::INDIRECT_COMMAND_READ)
        .buffer(groups.buffer)
        .size(vk::WHOLE_SIZE);
    barrier.p_next = (&raw const more).cast();
    let all_stages = vk::DependencyFlags::from_raw(1 << 5);
    rig.run(|commands| unsafe {
        writer.bind(&rig, commands, &[], &[]);
        d.cmd_dispatch(commands, 1, 1, 1);
        for [from, to] in [
            [0, vk::QUEUE_FAMILY_FOREIGN_EXT],
            [vk::QUEUE_FAMILY_FOREIGN_EXT, 0],
        ] {
            let barriers = [barrier
                .src_queue_family_index(from)
                .dst_queue_family_index(to)];
            let info = vk::DependencyInfo::default()
                .dependency_flags(all_stages)
                .buffer_memory_barriers(&barriers);
            commands2.cmd_pipeline_barrier2(commands, &info);
        }
        counter.bind(&rig, commands, &[], &[]);
        d.cmd_dispatch_indirect(commands, groups.buffer, 0);
    });
    assert_eq!(counts.dwords()[0], 6);
    writer.destroy(&rig);
    counter.destroy(&rig);
}

#[test]
fn caches_are_merged_while_pipelines_are_created() {
    let rig = Rig::new();
    let d = &rig.device;
    let buffer = rig.buffer(64);
    let kernel = |number: u32, cache| {
        let words = crate::rig::compile(&format!(
            "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out {{ uint word; }};
void main() {{ word = {number}u; }}"
        ));
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        Kernel::new(&rig, &words, kind, &[&buffer], cache)
    };
    // VK_PIPELINE_CACHE_CREATE_INTERNALLY_SYNCHRONIZED_MERGE_BIT_KHR
    let info = vk::PipelineCacheCreateInfo::default()
        .flags(vk::PipelineCacheCreateFlags::from_raw(1 << 3));
    let [merged, other] = [0, 1].map(|_| unsafe { d.create_pipeline_cache(&info, None) }.unwrap());
    kernel(100, other).destroy(&rig);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for _ in 0..50 {
                unsafe { d.merge_pipeline_caches(merged, &[other]) }.unwrap();
            }
        });
        for number in 0..8 {
            kernel(number, merged).destroy(&rig);
        }
    });
    let data = |cache| unsafe { d.get_pipeline_cache_data(cache) }.unwrap();
    assert!(data(merged).len() > 4 * data(other).len());
    // The pipeline of the other cache is among them.
    let before = data(merged).len();
    kernel(100, merged).destroy(&rig);
    assert_eq!(data(merged).len(), before);
    unsafe {
        d.destroy_pipeline_cache(merged, None);
        d.destroy_pipeline_cache(other, None);
    }
}
