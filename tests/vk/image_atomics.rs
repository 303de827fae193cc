//! Images and texel buffers of 64-bit integers: loads, stores and atomics.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::descriptor_heaps::heap::{
    ALL, Resource, Source, Type, address, bind_resources, dispatch, first_bytes, heap, map,
    write_descriptor,
};
use crate::descriptors::{Program, write};
use crate::images::{Image, range};
use crate::rig::{Buffer, Rig, compile};
use crate::textures::{COLOUR, image_info};

/// Usage of the images.
fn usage() -> vk::ImageUsageFlags {
    vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
}

/// A compute shader with the extensions that 64-bit texels need; binding 0 is a buffer of them.
fn shader(size: u32, declarations: &str, body: &str) -> String {
    format!(
        "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_image_load_formatted : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = {size}) in;
layout(std430, binding = 0) buffer Out {{ uint64_t r[]; }};
{declarations}
void main()
{{
    uint i = gl_LocalInvocationIndex;
{body}
}}"
    )
}

/// The contents of a buffer.
fn quadwords(buffer: &Buffer<'_>) -> Vec<u64> {
    let dwords = buffer.dwords();
    let pairs = dwords.chunks_exact(2);
    pairs
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .collect()
}

/// A level of all layers of an image with `width` × `height` × `depth` texels in level 0.
fn copy_of(info: &vk::ImageCreateInfo<'_>, level: u32) -> (vk::BufferImageCopy, usize) {
    let extent = info.extent;
    let [width, height, depth] =
        [extent.width, extent.height, extent.depth].map(|size| (size >> level).max(1));
    let copy = vk::BufferImageCopy::default()
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: COLOUR,
            mip_level: level,
            layer_count: info.array_layers,
            ..Default::default()
        })
        .image_extent(vk::Extent3D {
            width,
            height,
            depth,
        });
    (copy, (width * height * depth * info.array_layers) as usize)
}

/// Writes consecutive numbers from `first` on to the texels of a level.
fn number(
    rig: &Rig,
    image: &Image<'_>,
    info: &vk::ImageCreateInfo<'_>,
    level: u32,
    first: u64,
) -> Vec<u64> {
    let (copy, count) = copy_of(info, level);
    let numbers: Vec<u64> = (first..).take(count).collect();
    let buffer = rig.buffer(8 * count as u64);
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    buffer.data.copy_from_slice(&bytes);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        let d = &rig.device;
        d.cmd_copy_buffer_to_image(commands, buffer.buffer, image.image, layout, &[copy]);
        rig.barrier(commands);
    });
    numbers
}

/// The texels of a level.
fn contents(rig: &Rig, image: &Image<'_>, info: &vk::ImageCreateInfo<'_>, level: u32) -> Vec<u64> {
    let (copy, count) = copy_of(info, level);
    let buffer = rig.buffer(8 * count as u64);
    rig.run(|commands| unsafe {
        rig.barrier(commands);
        let layout = vk::ImageLayout::GENERAL;
        let d = &rig.device;
        d.cmd_copy_image_to_buffer(commands, image.image, layout, buffer.buffer, &[copy]);
        rig.barrier(commands);
    });
    quadwords(&buffer)
}

/// A view of a level, and of some layers.
fn view(
    rig: &Rig,
    image: &Image<'_>,
    (kind, format): (vk::ImageViewType, vk::Format),
    level: u32,
    (first_layer, layers): (u32, u32),
) -> vk::ImageView {
    let range = vk::ImageSubresourceRange {
        aspect_mask: COLOUR,
        base_mip_level: level,
        level_count: 1,
        base_array_layer: first_layer,
        layer_count: layers,
    };
    let info = vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(kind)
        .format(format)
        .subresource_range(range);
    unsafe { rig.device.create_image_view(&info, None) }.unwrap()
}

fn storage(view: vk::ImageView) -> Descriptor {
    Descriptor::Image(vk::DescriptorType::STORAGE_IMAGE, view, vk::Sampler::null())
}

/// A view of a buffer.
fn texel_view(rig: &Rig, buffer: &Buffer<'_>, format: vk::Format, range: u64) -> vk::BufferView {
    let info = vk::BufferViewCreateInfo::default()
        .buffer(buffer.buffer)
        .format(format)
        .range(range);
    unsafe { rig.device.create_buffer_view(&info, None) }.unwrap()
}

#[test]
fn formats_have_the_features_that_the_extension_requires() {
    let rig = Rig::new();
    let mut texels = vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut texels);
    unsafe {
        rig.instance
            .get_physical_device_features2(rig.physical, &mut all);
    }
    assert_eq!(texels.shader_image_int64_atomics, vk::TRUE);
    assert_eq!(texels.sparse_image_int64_atomics, vk::FALSE);
    for format in [vk::Format::R64_UINT, vk::Format::R64_SINT] {
        let known = unsafe {
            rig.instance
                .get_physical_device_format_properties(rig.physical, format)
        };
        let image =
            vk::FormatFeatureFlags::STORAGE_IMAGE | vk::FormatFeatureFlags::STORAGE_IMAGE_ATOMIC;
        let no_image =
            vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::COLOR_ATTACHMENT;
        for features in [known.optimal_tiling_features, known.linear_tiling_features] {
            assert!(features.contains(image) && !features.intersects(no_image));
        }
        let buffer = vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER
            | vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER_ATOMIC
            | vk::FormatFeatureFlags::VERTEX_BUFFER;
        assert_eq!(known.buffer_features, buffer);
    }
}

/// An image, its view, and how a shader declares and addresses it.
struct Case {
    extent: [u32; 3],
    levels: u32,
    layers: u32,
    tiling: vk::ImageTiling,
    kind: vk::ImageViewType,
    level: u32,
    first_layer: u32,
    view_layers: u32,
    dimension: &'static str,
    coordinate: &'static str,
}

fn cases() -> Vec<Case> {
    use vk::ImageViewType as K;
    let (optimal, linear) = (vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR);
    let case = |kind, extent: [u32; 3], dimension, coordinate| Case {
        extent,
        levels: 1,
        layers: 1,
        tiling: optimal,
        kind,
        level: 0,
        first_layer: 0,
        view_layers: 1,
        dimension,
        coordinate,
    };
    let plane = case(K::TYPE_2D, [37, 70, 1], "2D", "p.xy");
    let layered = Case {
        levels: 4,
        layers: 12,
        first_layer: 3,
        view_layers: 7,
        level: 2,
        ..case(K::TYPE_2D_ARRAY, [75, 75, 1], "2DArray", "p")
    };
    let cube = Case {
        layers: 12,
        view_layers: 12,
        ..case(K::CUBE_ARRAY, [9, 9, 1], "CubeArray", "p")
    };
    vec![
        case(K::TYPE_1D, [300, 1, 1], "1D", "p.x"),
        Case {
            levels: 3,
            level: 1,
            layers: 5,
            first_layer: 1,
            view_layers: 3,
            ..case(K::TYPE_1D_ARRAY, [150, 1, 1], "1DArray", "p.xz")
        },
        Case {
            tiling: linear,
            ..plane
        },
        plane,
        case(K::TYPE_3D, [17, 9, 5], "3D", "p"),
        Case {
            levels: 3,
            level: 1,
            ..case(K::TYPE_3D, [40, 70, 9], "3D", "p")
        },
        layered,
        Case {
            kind: K::CUBE,
            first_layer: 6,
            view_layers: 6,
            dimension: "Cube",
            ..cube
        },
        cube,
    ]
}

/// Adds another number to each texel of a view, twice, by a shader. What copies read is then the
/// sum: copies and shaders agree about the place of each texel. Other texels keep their numbers.
#[test]
fn additions_reach_each_texel_of_every_kind_of_image() {
    const FIRST: u64 = 0xffff_ff80;
    let rig = Rig::new();
    for case in cases() {
        let [width, height, depth] = case.extent.map(|size| (size >> case.level).max(1));
        let format = vk::Format::R64_UINT;
        let flags = match case.dimension.starts_with("Cube") {
            true => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            false => vk::ImageCreateFlags::empty(),
        };
        let info = image_info(format, case.extent, case.levels, case.layers)
            .usage(usage())
            .tiling(case.tiling)
            .flags(flags);
        let image = Image::new(&rig, &info);
        let mut texels = number(&rig, &image, &info, case.level, FIRST);
        let layers = (case.first_layer, case.view_layers);
        let seen = view(&rig, &image, (case.kind, format), case.level, layers);
        let slices = depth * case.view_layers;
        let (dimension, coordinate) = (case.dimension, case.coordinate);
        let glsl = shader(
            64,
            &format!("layout(binding = 1, r64ui) uniform u64image{dimension} image;"),
            &format!(
                "    for (uint n = i; n < {}; n += 64) {{
        ivec3 p = ivec3(n % {width}, n / {width} % {height}, n / {});
        imageAtomicAdd(image, {coordinate}, 0x100000000ul * (n + 1));
        imageAtomicAdd(image, {coordinate}, uint64_t(n));
    }}",
                width * height * slices,
                width * height,
            ),
        );
        let out = rig.buffer(8);
        run(&rig, &glsl, &out, &[storage(seen)], &[], UpdateBy::Write);
        let first = (case.first_layer * width * height * depth) as usize;
        let count = (width * height * slices) as usize;
        for (n, texel) in (0u64..).zip(&mut texels[first..first + count]) {
            *texel += ((n + 1) << 32) + n;
        }
        let found = contents(&rig, &image, &info, case.level);
        let wrong = found.iter().zip(&texels).position(|(a, b)| a != b);
        assert_eq!(wrong, None, "{dimension}: {:?}", case.extent);
        unsafe { rig.device.destroy_image_view(seen, None) };
    }
}

/// Every atomic operation on an image and on a texel buffer: the previous value is returned and the
/// new one is stored.
#[test]
fn every_operation_on_signed_and_unsigned_texels() {
    let rig = Rig::new();
    let first: [u64; 12] = [
        0xffff_ffff_ffff_fffe,
        0x8000_0000_0000_0001,
        0x8000_0000_0000_0001,
        0x1234_5678_9abc_def0,
        0x1234_5678_9abc_def0,
        0x1234_5678_9abc_def0,
        5,
        0x1_0000_0007,
        0x1_0000_0007,
        9,
        77,
        0xaaaa_bbbb_cccc_dddd,
    ];
    for signed in [false, true] {
        let (format, letter, name) = match signed {
            false => (vk::Format::R64_UINT, "u64", "uint64_t"),
            true => (vk::Format::R64_SINT, "i64", "int64_t"),
        };
        let layout = if signed { "r64i" } else { "r64ui" };
        let info = image_info(format, [12, 2, 1], 1, 1).usage(usage());
        let image = Image::new(&rig, &info);
        number(&rig, &image, &info, 0, 0);
        let seen = view(
            &rig,
            &image,
            (vk::ImageViewType::TYPE_2D, format),
            0,
            (0, 1),
        );
        let mut line = rig.buffer_for(8 * 12, vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER);
        line.write_dwords(&[0; 24]);
        let line_info = vk::BufferViewCreateInfo::default()
            .buffer(line.buffer)
            .format(format)
            .range(vk::WHOLE_SIZE);
        let texels = unsafe { rig.device.create_buffer_view(&line_info, None) }.unwrap();
        let operations = |image: &str, at: &str, first_result: u32| {
            let row = |n: u32, operation: &str| {
                format!(
                    "    r[{}] = uint64_t({});\n",
                    first_result + n,
                    operation.replace(
                        "IMAGE",
                        &format!("{image}, {}", at.replace('N', &n.to_string()))
                    )
                )
            };
            let stores: String = (0u32..)
                .zip(first)
                .map(|(n, value)| {
                    let at = at.replace('N', &n.to_string());
                    format!("    imageStore({image}, {at}, {letter}vec4({name}({value}ul)));\n")
                })
                .collect();
            let relaxed = "gl_ScopeDevice, 0, gl_SemanticsRelaxed";
            let atomics: String = [
                format!("imageAtomicAdd(IMAGE, {name}(3))"),
                format!("imageAtomicMin(IMAGE, {name}(1))"),
                format!("imageAtomicMax(IMAGE, {name}(1))"),
                format!("imageAtomicAnd(IMAGE, {name}(0xff00ff00ff00ff00ul))"),
                format!("imageAtomicOr(IMAGE, {name}(0xff00ff00ff00ff00ul))"),
                format!("imageAtomicXor(IMAGE, {name}(0xff00ff00ff00ff00ul))"),
                format!("imageAtomicExchange(IMAGE, {name}(0x0123456789abcdeful))"),
                format!("imageAtomicCompSwap(IMAGE, {name}(0x100000007ul), {name}(8))"),
                format!("imageAtomicCompSwap(IMAGE, {name}(7), {name}(8))"),
                format!("imageAtomicAdd(IMAGE, {name}(-10))"),
                "imageLoad(IMAGE).x".to_string(),
                format!("imageAtomicLoad(IMAGE, {relaxed})"),
            ]
            .iter()
            .zip(0..)
            .map(|(operation, n)| row(n, operation))
            .collect();
            format!(
                "{stores}    memoryBarrierImage();\n{atomics}    imageAtomicStore({image}, {}, {name}(0x5555666677778888ul), {relaxed});\n",
                at.replace('N', "10")
            )
        };
        let vec4 = format!("{letter}vec4");
        let declarations = format!(
            "layout(binding = 1, {layout}) uniform {letter}image2D image;
layout(binding = 2, {layout}) uniform {letter}imageBuffer line;"
        );
        let body = format!(
            "{}{}    {vec4} whole = imageLoad(image, ivec2(11, 0));
    r[24] = uint64_t(whole.y + whole.z);
    r[25] = uint64_t(whole.w);",
            operations("image", "ivec2(N, 0)", 0),
            operations("line", "N", 12)
        );
        let out = rig.buffer(8 * 26);
        let given = [
            storage(seen),
            Descriptor::Texels(vk::DescriptorType::STORAGE_TEXEL_BUFFER, texels),
        ];
        let glsl = shader(1, &declarations, &body);
        run(&rig, &glsl, &out, &given, &[], UpdateBy::Write);
        let mask = 0xff00_ff00_ff00_ff00;
        let (smaller, larger) = match signed {
            false => (1, first[2]),
            true => (first[1], 1),
        };
        let last = [
            1,
            smaller,
            larger,
            first[3] & mask,
            first[4] | mask,
            first[5] ^ mask,
            0x0123_4567_89ab_cdef,
            8,
            first[8],
            u64::MAX,
            0x5555_6666_7777_8888,
            first[11],
        ];
        let found = quadwords(&out);
        assert_eq!(found[..12], first, "signed: {signed}");
        assert_eq!(found[12..24], first, "signed: {signed}");
        assert_eq!(found[24..], [0, 1]);
        assert_eq!(contents(&rig, &image, &info, 0)[..12], last);
        assert_eq!(quadwords(&line), last);
        unsafe {
            rig.device.destroy_image_view(seen, None);
            rig.device.destroy_buffer_view(texels, None);
        }
    }
}

/// Outside the view, atomics and loads return 0 and nothing is written, though there are texels of
/// the image or buffer. The same holds for null descriptors.
#[test]
fn accesses_outside_the_view_do_nothing() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let format = vk::Format::R64_UINT;
    let declarations = "layout(binding = 1, r64ui) uniform u64image2DArray layers;
layout(binding = 2, r64ui) uniform u64imageBuffer line;
layout(binding = 3, r64ui) uniform u64image3D volume;
layout(binding = 4, r64ui) uniform u64image1DArray rows;
layout(binding = 5, r64ui) uniform u64image2D none;
layout(binding = 6, r64ui) uniform u64imageBuffer no_line;
layout(binding = 7) uniform u64image2D none_of_any_format;
layout(binding = 8) uniform u64image2DArray layers_of_any_format;";
    // Each in bounds but for one coordinate.
    let body = "    ivec3 beside[6] = { ivec3(5, 0, 0), ivec3(0, 3, 0), ivec3(0, 0, 2),
        ivec3(-1, 0, 0), ivec3(0, -1, 0), ivec3(0, 0, -1) };
    int element[6] = { 4, -1, 100, 0x20000000, 0x7fffffff, 5 };
    ivec2 beyond[6] = { ivec2(5, 0), ivec2(0, 2), ivec2(-1, 0), ivec2(0, -1), ivec2(0, 3), ivec2(900, 0) };
    for (int k = 0; k < 6; k++) {
        r[0] |= imageAtomicAdd(layers, beside[k], 1ul) | imageAtomicCompSwap(layers, beside[k], 0ul, 1ul);
        r[1] |= imageLoad(layers, beside[k]).x;
        imageStore(layers, beside[k], u64vec4(1ul));
        r[2] |= imageAtomicOr(line, element[k], 1ul);
        r[3] |= imageLoad(line, element[k]).x;
        imageStore(line, element[k], u64vec4(1ul));
        r[4] |= imageAtomicExchange(volume, beside[k], 1ul) | imageLoad(volume, beside[k]).x;
        imageStore(volume, beside[k], u64vec4(1ul));
        r[5] |= imageAtomicMax(rows, beyond[k], 1ul) | imageLoad(rows, beyond[k]).x;
        imageStore(rows, beyond[k], u64vec4(1ul));
        r[6] |= imageAtomicAdd(none, ivec2(k), 1ul) | imageLoad(none, ivec2(k)).x;
        imageStore(none, ivec2(k), u64vec4(1ul));
        r[7] |= imageAtomicAdd(no_line, k, 1ul) | imageLoad(no_line, k).x;
        imageStore(no_line, k, u64vec4(1ul));
        u64vec4 nothing = imageLoad(none_of_any_format, ivec2(k));
        r[13] |= nothing.x | nothing.y | nothing.z | nothing.w;
    }
    r[14] = imageLoad(layers_of_any_format, ivec3(0)).w;
    r[8] = imageAtomicAdd(layers, ivec3(4, 2, 1), 1000ul);
    r[9] = imageAtomicAdd(line, 3, 1000ul);
    r[10] = imageAtomicAdd(volume, ivec3(4, 2, 1), 1000ul);
    r[11] = imageAtomicAdd(rows, ivec2(4, 1), 1000ul);
    ivec3 sizes = imageSize(layers) + imageSize(volume) + ivec3(imageSize(line), imageSize(rows));
    r[12] = uint64_t(sizes.x * 10000 + sizes.y * 100 + sizes.z);";
    let make = |format, extent, layers| {
        let info = image_info(format, extent, 1, layers).usage(usage());
        let image = Image::new(&rig, &info);
        let texels = number(&rig, &image, &info, 0, 100);
        (info, image, texels)
    };
    let mut layered = make(format, [5, 3, 1], 4);
    let mut volume = make(format, [5, 3, 2], 1);
    // Translators of Direct3D access pairs of dwords in this way, too.
    let pairs = vk::Format::R32G32_UINT;
    let mut rows = make(pairs, [5, 1, 1], 4);
    let mut line = rig.buffer_for(8 * 8, vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER);
    line.write_dwords(&[
        200, 1, 201, 1, 202, 1, 203, 1, 204, 1, 205, 1, 206, 1, 207, 1,
    ]);
    let texels = texel_view(&rig, &line, pairs, 8 * 4);
    use vk::ImageViewType as K;
    let views = [
        view(&rig, &layered.1, (K::TYPE_2D_ARRAY, format), 0, (1, 2)),
        view(&rig, &volume.1, (K::TYPE_3D, format), 0, (0, 1)),
        view(&rig, &rows.1, (K::TYPE_1D_ARRAY, pairs), 0, (1, 2)),
    ];
    let given = [
        storage(views[0]),
        Descriptor::Texels(T::STORAGE_TEXEL_BUFFER, texels),
        storage(views[1]),
        storage(views[2]),
        storage(vk::ImageView::null()),
        Descriptor::Texels(T::STORAGE_TEXEL_BUFFER, vk::BufferView::null()),
        storage(vk::ImageView::null()),
        storage(views[0]),
    ];
    let glsl = shader(1, declarations, body);
    for by in [UpdateBy::Write, UpdateBy::Push, UpdateBy::Template] {
        let mut out = rig.buffer(8 * 15);
        out.write_dwords(&[0; 30]);
        run(&rig, &glsl, &out, &given, &[], by);
        let (layer_texel, volume_texel, row_texel) = (2 * 15 + 14, 15 + 14, 2 * 5 + 4);
        let before = [
            layered.2[layer_texel],
            quadwords(&line)[3].wrapping_sub(1000),
            volume.2[volume_texel],
            rows.2[row_texel],
        ];
        layered.2[layer_texel] += 1000;
        volume.2[volume_texel] += 1000;
        rows.2[row_texel] += 1000;
        let found = quadwords(&out);
        assert_eq!(found[..8], [0; 8]);
        assert_eq!(found[8..12], before);
        // (5, 3, 2) + (5, 3, 2) + (4, 5, 2).
        assert_eq!(found[12], 14 * 10000 + 11 * 100 + 6);
        assert_eq!(found[13..], [0, 1]);
        for (info, image, texels) in [&layered, &volume, &rows] {
            assert_eq!(&contents(&rig, image, info, 0), texels);
        }
    }
    let high = 1u64 << 32;
    let expected = [200, 201, 202, 3203, 204, 205, 206, 207].map(|low| high + low);
    assert_eq!(quadwords(&line), expected);
    unsafe {
        for view in views {
            rig.device.destroy_image_view(view, None);
        }
        rig.device.destroy_buffer_view(texels, None);
    }
}

/// Two images and two texel buffers of eight numbers.
struct Numbered<'a> {
    info: vk::ImageCreateInfo<'a>,
    images: [Image<'a>; 2],
    lines: [Buffer<'a>; 2],
}

impl<'a> Numbered<'a> {
    fn new(rig: &'a Rig) -> Self {
        let info = image_info(vk::Format::R64_UINT, [2, 4, 1], 1, 1).usage(usage());
        let images = [100, 200].map(|first| {
            let image = Image::new(rig, &info);
            number(rig, &image, &info, 0, first);
            image
        });
        let usage = vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let lines = [300u32, 400].map(|first| {
            let mut line = rig.buffer_for(64, usage);
            let dwords: Vec<u32> = (first..first + 8).flat_map(|low| [low, 0]).collect();
            line.write_dwords(&dwords);
            line
        });
        Self {
            info,
            images,
            lines,
        }
    }

    /// Checks what [`by_differing_descriptors`] returned and stored.
    fn check(&self, rig: &Rig, out: &Buffer<'_>) {
        let old = |base: u64| move |n: u64| base + 100 * (n % 2) + n;
        let returned: Vec<u64> = (0..8).map(old(100)).chain((0..8).map(old(300))).collect();
        assert_eq!(quadwords(out)[..16], returned);
        for (which, (image, line)) in (0..).zip(self.images.iter().zip(&self.lines)) {
            let new = |base: u64| {
                move |n: u64| match n % 2 == which {
                    true => base + 100 * which + n + ((n + 1) << 33),
                    false => base + 100 * which + n,
                }
            };
            let image: Vec<u64> = contents(rig, image, &self.info, 0);
            assert_eq!(image, (0..8).map(new(100)).collect::<Vec<_>>());
            assert_eq!(quadwords(line), (0..8).map(new(300)).collect::<Vec<_>>());
        }
    }
}

/// Invocations whose descriptors differ: element 0 or `last` of arrays of `last` + 1.
fn by_differing_descriptors(last: u32) -> String {
    let count = last + 1;
    shader(
        8,
        &format!(
            "layout(binding = 1, r64ui) uniform u64image2D images[{count}];
layout(binding = 2, r64ui) uniform u64imageBuffer lines[{count}];"
        ),
        &format!(
            "    uint which = i % 2 == 0 ? 0 : {last};
    uint64_t more = uint64_t(i + 1) << 33;
    r[i] = imageAtomicAdd(images[nonuniformEXT(which)], ivec2(i % 2, i / 2), more);
    uint64_t old = imageLoad(lines[nonuniformEXT(which)], int(i)).x;
    r[8 + i] = imageAtomicCompSwap(lines[nonuniformEXT(which)], int(i), old, old + more);"
        ),
    )
}

/// Sets whose states are in the bindless heap, and sets with indirect descriptors, written after
/// they are bound.
#[test]
fn descriptors_in_sets_of_both_kinds() {
    use vk::DescriptorType as T;
    let rig = Rig::new();
    let pool = vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
    let late =
        vk::DescriptorBindingFlags::UPDATE_AFTER_BIND | vk::DescriptorBindingFlags::PARTIALLY_BOUND;
    for last in [1, (1 << 20) - 1] {
        let numbered = Numbered::new(&rig);
        let bindings = [
            (T::STORAGE_BUFFER, 1, late),
            (T::STORAGE_IMAGE, last + 1, late),
            (T::STORAGE_TEXEL_BUFFER, last + 1, late),
        ];
        let program = Program::new(&rig, &by_differing_descriptors(last), pool, &bindings);
        let set = program.set(0).unwrap();
        let out = rig.buffer(128);
        let commands = rig.record(|commands| {
            program.dispatch(commands, Some(set));
            rig.barrier(commands);
        });
        write(&rig, set, (0, 0), T::STORAGE_BUFFER, &out);
        let format = (vk::ImageViewType::TYPE_2D, vk::Format::R64_UINT);
        let views = [0, 1].map(|n| view(&rig, &numbered.images[n], format, 0, (0, 1)));
        let number = vk::Format::R64_UINT;
        let texels = [0, 1].map(|n| texel_view(&rig, &numbered.lines[n], number, vk::WHOLE_SIZE));
        for (which, element) in [(0, 0), (1, last)] {
            let image = [vk::DescriptorImageInfo::default()
                .image_view(views[which])
                .image_layout(vk::ImageLayout::GENERAL)];
            let line = [texels[which]];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_array_element(element);
            let writes = [
                write
                    .dst_binding(1)
                    .descriptor_type(T::STORAGE_IMAGE)
                    .image_info(&image),
                write
                    .dst_binding(2)
                    .descriptor_type(T::STORAGE_TEXEL_BUFFER)
                    .texel_buffer_view(&line),
            ];
            unsafe { rig.device.update_descriptor_sets(&writes, &[]) };
        }
        rig.submit(&[commands], vk::Fence::null());
        unsafe { rig.device.queue_wait_idle(rig.queue) }.unwrap();
        numbered.check(&rig, &out);
        for (view, texels) in views.into_iter().zip(texels) {
            unsafe {
                rig.device.destroy_image_view(view, None);
                rig.device.destroy_buffer_view(texels, None);
            }
        }
    }
}

#[test]
fn descriptors_in_heaps() {
    let rig = Rig::new();
    let numbered = Numbered::new(&rig);
    let out = rig.buffer(128);
    let mut resources = heap(&rig);
    write_descriptor(
        &mut resources,
        0,
        Type::STORAGE_BUFFER,
        first_bytes(&out, 128),
    );
    for (n, (image, line)) in numbered.images.iter().zip(&numbered.lines).enumerate() {
        let view = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R64_UINT)
            .subresource_range(range(COLOUR));
        let line = (vk::Format::R64_UINT, address(&rig, line), 64);
        let (image, line) = (Resource::Image(Some(&view)), Resource::Texels(Some(line)));
        write_descriptor(&mut resources, 16 + 16 * n, Type::STORAGE_IMAGE, image);
        write_descriptor(
            &mut resources,
            64 + 16 * n,
            Type::STORAGE_TEXEL_BUFFER,
            line,
        );
    }
    let from = |binding, offset| {
        let source = Source::Constant([offset, 16], [0; 2]);
        map((0, binding, 1), ALL, source, None)
    };
    let mappings = [from(0, 0), from(1, 16), from(2, 64)];
    let words = compile(&by_differing_descriptors(1));
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &resources);
    });
    numbered.check(&rig, &out);
}
