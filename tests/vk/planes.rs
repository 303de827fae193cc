//! Images of luma and chroma: planes that are copied, seen and bound one by one, and colours that
//! samplers convert.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, range};
use crate::rig::{Buffer, Rig};
use crate::textures::{COLOUR, floats, image_info, nearest};

const WIDTH: usize = 8;
const HEIGHT: usize = 4;
const PLANES: [vk::ImageAspectFlags; 3] = [
    vk::ImageAspectFlags::PLANE_0,
    vk::ImageAspectFlags::PLANE_1,
    vk::ImageAspectFlags::PLANE_2,
];

/// Numbers of a plane at its size: so that rows, columns, planes and layers all differ.
struct Numbers {
    width: usize,
    values: Vec<u32>,
}

impl Numbers {
    fn new(width: usize, height: usize, seed: u32, bits: u32) -> Self {
        let place = |at: usize| (at as u32).wrapping_mul(37).wrapping_add(seed * 61 + 17);
        let one = |at| (place(at) % 200 + 28) << (bits - 8);
        Self {
            width,
            values: (0..width * height).map(one).collect(),
        }
    }

    fn at(&self, x: i32, y: i32) -> f32 {
        let height = self.values.len() / self.width;
        let x = x.clamp(0, self.width as i32 - 1) as usize;
        let y = y.clamp(0, height as i32 - 1) as usize;
        self.values[y * self.width + x] as f32
    }

    /// Interpolates between texels, whose centres are integers here.
    fn between(&self, [x, y]: [f32; 2]) -> f32 {
        let (left, up) = (x.floor(), y.floor());
        let (u, v) = (x - left, y - up);
        let row = |y: f32| {
            let (x, y) = (left as i32, y as i32);
            self.at(x, y) * (1.0 - u) + self.at(x + 1, y) * u
        };
        row(up) * (1.0 - v) + row(up + 1.0) * v
    }
}

/// A format: how its planes hold Cb and Cr, their shift, and bits.
#[derive(Clone, Copy, Debug)]
struct Kind {
    format: vk::Format,
    planes: usize,
    shift: [usize; 2],
    bits: u32,
}

#[derive(Clone, Copy)]
struct How {
    model: vk::SamplerYcbcrModelConversion,
    range: vk::SamplerYcbcrRange,
    chroma: [vk::ChromaLocation; 2],
    components: vk::ComponentMapping,
}

const MIDPOINT: [vk::ChromaLocation; 2] = [vk::ChromaLocation::MIDPOINT; 2];
const EVEN: [vk::ChromaLocation; 2] = [vk::ChromaLocation::COSITED_EVEN; 2];

impl How {
    fn new(model: vk::SamplerYcbcrModelConversion, chroma: [vk::ChromaLocation; 2]) -> Self {
        Self {
            model,
            range: vk::SamplerYcbcrRange::ITU_NARROW,
            chroma,
            components: vk::ComponentMapping::default(),
        }
    }

    /// What a conversion makes of numbers of so many bits.
    fn meant(&self, [cr, y, cb]: [f32; 3], bits: u32) -> [f32; 3] {
        use vk::SamplerYcbcrModelConversion as M;
        let most = (1u32 << bits) as f32 - 1.0;
        if self.model == M::RGB_IDENTITY {
            return [cr / most, y / most, cb / most];
        }
        let wide = (1u32 << (bits - 8)) as f32;
        let (y, cb, cr) = match self.range == vk::SamplerYcbcrRange::ITU_NARROW {
            true => (
                (y - 16.0 * wide) / (219.0 * wide),
                (cb - 128.0 * wide) / (224.0 * wide),
                (cr - 128.0 * wide) / (224.0 * wide),
            ),
            false => (
                y / most,
                (cb - 128.0 * wide) / most,
                (cr - 128.0 * wide) / most,
            ),
        };
        match self.model {
            M::YCBCR_709 => [
                y + 1.5748 * cr,
                y - 0.468_124_27 * cr - 0.187_324_27 * cb,
                y + 1.8556 * cb,
            ],
            M::YCBCR_601 => [
                y + 1.402 * cr,
                y - 0.714_136_3 * cr - 0.344_136_3 * cb,
                y + 1.772 * cb,
            ],
            M::YCBCR_2020 => [
                y + 1.4746 * cr,
                y - 0.571_353_13 * cr - 0.164_553_13 * cb,
                y + 1.8814 * cb,
            ],
            _ => [cr, y, cb],
        }
    }
}

/// Copies bytes to a part of a layer.
fn put(
    rig: &Rig,
    image: vk::Image,
    part: vk::ImageAspectFlags,
    layer: u32,
    size: [usize; 2],
    bytes: &[u8],
) {
    let buffer = rig.buffer(bytes.len() as u64);
    buffer.data.copy_from_slice(bytes);
    let copy = copy_of(part, layer, size);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        rig.device
            .cmd_copy_buffer_to_image(commands, buffer.buffer, image, layout, &[copy]);
    });
}

fn copy_of(
    part: vk::ImageAspectFlags,
    layer: u32,
    [width, height]: [usize; 2],
) -> vk::BufferImageCopy {
    vk::BufferImageCopy::default()
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: part,
            base_array_layer: layer,
            layer_count: 1,
            ..Default::default()
        })
        .image_extent(vk::Extent3D {
            width: width as u32,
            height: height as u32,
            depth: 1,
        })
}

/// A copy between parts of images, with its size in texels of the first.
type Step = (
    vk::Image,
    vk::ImageAspectFlags,
    vk::Image,
    vk::ImageAspectFlags,
    [usize; 2],
);

/// Copies from image to image, and what the last one got to a buffer: of a size in its own texels.
fn copied_as(rig: &Rig, steps: &[Step], last: [usize; 2], out: &Buffer<'_>) {
    let d = &rig.device;
    let layout = vk::ImageLayout::GENERAL;
    rig.run(|commands| unsafe {
        for &(from, of, to, into, size) in steps {
            let copy = vk::ImageCopy {
                src_subresource: copy_of(of, 0, size).image_subresource,
                dst_subresource: copy_of(into, 0, size).image_subresource,
                extent: copy_of(of, 0, size).image_extent,
                ..Default::default()
            };
            d.cmd_copy_image(commands, from, layout, to, layout, &[copy]);
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::TRANSFER_READ);
            let transfer = vk::PipelineStageFlags::TRANSFER;
            let none = vk::DependencyFlags::empty();
            d.cmd_pipeline_barrier(commands, transfer, transfer, none, &[barrier], &[], &[]);
        }
        if let Some(&(.., image, part, _)) = steps.last() {
            let copy = copy_of(part, 0, last);
            d.cmd_copy_image_to_buffer(commands, image, layout, out.buffer, &[copy]);
        }
    });
}

/// The same, where all texels are alike.
fn copied(rig: &Rig, steps: &[Step], out: &Buffer<'_>) {
    let size = steps.last().map_or([0; 2], |step| step.4);
    copied_as(rig, steps, size, out);
}

/// Numbers as they are stored: those of 10 and 12 bits are the upper bits of 16.
fn bytes(values: impl Iterator<Item = u32>, bits: u32) -> Vec<u8> {
    let size = bits.next_multiple_of(8);
    values
        .map(|value| value << (size - bits))
        .flat_map(|value| value.to_le_bytes().into_iter().take(size as usize / 8))
        .collect()
}

/// An image of two layers, each plane in a memory of its own if they are to be apart.
fn whole(rig: &Rig, kind: &Kind, apart: bool) -> (vk::Image, Vec<vk::DeviceMemory>) {
    let d = &rig.device;
    let flags = match apart {
        true => vk::ImageCreateFlags::DISJOINT,
        false => vk::ImageCreateFlags::empty(),
    };
    let info = image_info(kind.format, [WIDTH as u32, HEIGHT as u32, 1], 1, 2).flags(flags);
    unsafe {
        let image = d.create_image(&info, None).unwrap();
        let mut memories = Vec::new();
        let mut binds = Vec::new();
        let mut planes: Vec<_> = PLANES
            .iter()
            .map(|&plane| vk::BindImagePlaneMemoryInfo::default().plane_aspect(plane))
            .collect();
        for (plane, of) in planes
            .iter_mut()
            .zip(PLANES)
            .take(if apart { kind.planes } else { 1 })
        {
            let mut which = vk::ImagePlaneMemoryRequirementsInfo::default().plane_aspect(of);
            let mut ask = vk::ImageMemoryRequirementsInfo2::default().image(image);
            if apart {
                ask = ask.push_next(&mut which);
            }
            let mut wants = vk::MemoryRequirements2::default();
            d.get_image_memory_requirements2(&ask, &mut wants);
            let size = wants.memory_requirements.size;
            let info = vk::MemoryAllocateInfo::default().allocation_size(size);
            let memory = d.allocate_memory(&info, None).unwrap();
            memories.push(memory);
            let bind = vk::BindImageMemoryInfo::default()
                .image(image)
                .memory(memory);
            binds.push(match apart {
                true => bind.push_next(plane),
                false => bind,
            });
        }
        d.bind_image_memory2(&binds).unwrap();
        (image, memories)
    }
}

/// Fills layer 1 of an image and samples each texel; returns the expected values too.
fn sampled(rig: &Rig, kind: Kind, how: How, apart: bool) {
    let d = &rig.device;
    let (image, memories) = whole(rig, &kind, apart);
    let [x, y] = kind.shift;
    let small = [WIDTH >> x, HEIGHT >> y];
    let luma = Numbers::new(WIDTH, HEIGHT, 1, kind.bits);
    let [cb, cr] = [2, 3].map(|seed| Numbers::new(small[0], small[1], seed, kind.bits));
    let plane = |at: usize, size, values: Vec<u32>| {
        put(
            rig,
            image,
            PLANES[at],
            1,
            size,
            &bytes(values.into_iter(), kind.bits),
        );
    };
    match kind.planes {
        1 => {
            let pairs = luma.values.chunks(2).zip(cb.values.iter().zip(&cr.values));
            let all = pairs.flat_map(|(luma, (&cb, &cr))| match kind.format {
                vk::Format::G8B8G8R8_422_UNORM => [luma[0], cb, luma[1], cr],
                _ => [cb, luma[0], cr, luma[1]],
            });
            put(
                rig,
                image,
                COLOUR,
                1,
                [WIDTH, HEIGHT],
                &bytes(all, kind.bits),
            );
        }
        2 => {
            let both = cb.values.iter().zip(&cr.values);
            plane(0, [WIDTH, HEIGHT], luma.values.clone());
            plane(1, small, both.flat_map(|(&cb, &cr)| [cb, cr]).collect());
        }
        _ => {
            plane(0, [WIDTH, HEIGHT], luma.values.clone());
            plane(1, small, cb.values.clone());
            plane(2, small, cr.values.clone());
        }
    }
    let linear = kind.planes > 1;
    let info = vk::SamplerYcbcrConversionCreateInfo::default()
        .format(kind.format)
        .ycbcr_model(how.model)
        .ycbcr_range(how.range)
        .components(how.components)
        .x_chroma_offset(how.chroma[0])
        .y_chroma_offset(how.chroma[1])
        .chroma_filter(match linear {
            true => vk::Filter::LINEAR,
            false => vk::Filter::NEAREST,
        });
    unsafe {
        let conversion = d.create_sampler_ycbcr_conversion(&info, None).unwrap();
        let mut by = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
        let sampler = d
            .create_sampler(&nearest().push_next(&mut by), None)
            .unwrap();
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(kind.format)
            .subresource_range(range(COLOUR))
            .push_next(&mut by);
        let view = d.create_image_view(&info, None).unwrap();
        let out = rig.buffer((WIDTH * HEIGHT * 16) as u64);
        let glsl = "#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(std430, binding = 0) buffer Out { vec4 texels[]; };
layout(binding = 1) uniform sampler2DArray image;
void main()
{
    uvec2 at = gl_LocalInvocationID.xy;
    vec3 where = vec3((vec2(at) + 0.5) / vec2(textureSize(image, 0).xy), 1);
    texels[at.y * 8 + at.x] = textureLod(image, where, 0.0);
}";
        let combined = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let given = [Descriptor::Image(combined, view, vk::Sampler::null())];
        run(rig, glsl, &out, &given, &[sampler], UpdateBy::Write);
        let found = floats(&out);
        for at in 0..WIDTH * HEIGHT {
            let (column, row) = (at % WIDTH, at / WIDTH);
            let place = |at: usize, axis: usize| match (kind.shift[axis], linear) {
                (0, _) => at as f32,
                // Pairs have one chroma.
                (_, false) => (at / 2) as f32,
                (_, true) if how.chroma[axis] == vk::ChromaLocation::COSITED_EVEN => {
                    at as f32 / 2.0
                }
                (_, true) => (at as f32 - 0.5) / 2.0,
            };
            let chroma = [place(column, 0), place(row, 1)];
            let luma = luma.at(column as i32, row as i32);
            let mut from = [cr.between(chroma), luma, cb.between(chroma)];
            if how.components.r == vk::ComponentSwizzle::B {
                from.swap(0, 2);
            }
            let meant = how.meant(from, kind.bits);
            for (got, meant) in found[at * 4..].iter().zip(meant) {
                // Close enough to tell numbers of 10 or 12 bits from those of 16.
                let tolerance = if kind.bits.is_multiple_of(8) {
                    0.008
                } else {
                    0.000_1
                };
                assert!(
                    (got - meant).abs() < tolerance,
                    "{:?} {:?} {:?}, texel {column} {row}: {:?} {meant:?}",
                    kind.format,
                    how.model,
                    how.chroma,
                    &found[at * 4..at * 4 + 4],
                );
            }
            assert_eq!(found[at * 4 + 3], 1.0);
        }
        d.destroy_image_view(view, None);
        d.destroy_sampler(sampler, None);
        d.destroy_sampler_ycbcr_conversion(conversion, None);
        d.destroy_image(image, None);
        for memory in memories {
            d.free_memory(memory, None);
        }
    }
}

const fn kind(format: vk::Format, planes: usize, shift: [usize; 2], bits: u32) -> Kind {
    Kind {
        format,
        planes,
        shift,
        bits,
    }
}

const KINDS: &[Kind] = &[
    kind(vk::Format::G8_B8_R8_3PLANE_420_UNORM, 3, [1, 1], 8),
    kind(vk::Format::G8_B8R8_2PLANE_420_UNORM, 2, [1, 1], 8),
    kind(vk::Format::G8_B8_R8_3PLANE_422_UNORM, 3, [1, 0], 8),
    kind(vk::Format::G8_B8R8_2PLANE_422_UNORM, 2, [1, 0], 8),
    kind(vk::Format::G8_B8_R8_3PLANE_444_UNORM, 3, [0, 0], 8),
    kind(vk::Format::G8_B8R8_2PLANE_444_UNORM, 2, [0, 0], 8),
    kind(vk::Format::G16_B16_R16_3PLANE_420_UNORM, 3, [1, 1], 16),
    kind(vk::Format::G16_B16R16_2PLANE_420_UNORM, 2, [1, 1], 16),
    kind(vk::Format::G16_B16_R16_3PLANE_422_UNORM, 3, [1, 0], 16),
    kind(vk::Format::G16_B16R16_2PLANE_422_UNORM, 2, [1, 0], 16),
    kind(vk::Format::G16_B16_R16_3PLANE_444_UNORM, 3, [0, 0], 16),
    kind(vk::Format::G16_B16R16_2PLANE_444_UNORM, 2, [0, 0], 16),
    kind(
        vk::Format::G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16,
        3,
        [1, 1],
        10,
    ),
    kind(
        vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
        2,
        [1, 1],
        10,
    ),
    kind(
        vk::Format::G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16,
        3,
        [1, 0],
        10,
    ),
    kind(
        vk::Format::G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16,
        2,
        [1, 0],
        10,
    ),
    kind(
        vk::Format::G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16,
        3,
        [0, 0],
        10,
    ),
    kind(
        vk::Format::G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16,
        2,
        [0, 0],
        10,
    ),
    kind(
        vk::Format::G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16,
        3,
        [1, 1],
        12,
    ),
    kind(
        vk::Format::G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16,
        2,
        [1, 1],
        12,
    ),
    kind(
        vk::Format::G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16,
        3,
        [1, 0],
        12,
    ),
    kind(
        vk::Format::G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16,
        2,
        [1, 0],
        12,
    ),
    kind(
        vk::Format::G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16,
        3,
        [0, 0],
        12,
    ),
    kind(
        vk::Format::G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16,
        2,
        [0, 0],
        12,
    ),
    kind(vk::Format::G8B8G8R8_422_UNORM, 1, [1, 0], 8),
    kind(vk::Format::B8G8R8G8_422_UNORM, 1, [1, 0], 8),
];

#[test]
fn ycbcr_conversion_of_every_format() {
    let rig = Rig::new();
    let model = vk::SamplerYcbcrModelConversion::YCBCR_709;
    for kind in KINDS {
        sampled(&rig, *kind, How::new(model, MIDPOINT), false);
    }
}

#[test]
fn ycbcr_model_range_chroma_location_and_swizzle() {
    use vk::SamplerYcbcrModelConversion as M;
    let rig = Rig::new();
    let planar = KINDS[0];
    for model in [
        M::RGB_IDENTITY,
        M::YCBCR_IDENTITY,
        M::YCBCR_601,
        M::YCBCR_2020,
    ] {
        sampled(&rig, planar, How::new(model, MIDPOINT), true);
    }
    let full = How {
        range: vk::SamplerYcbcrRange::ITU_FULL,
        ..How::new(M::YCBCR_601, EVEN)
    };
    sampled(&rig, KINDS[1], full, true);
    let mixed = [
        vk::ChromaLocation::COSITED_EVEN,
        vk::ChromaLocation::MIDPOINT,
    ];
    sampled(&rig, KINDS[1], How::new(M::YCBCR_709, mixed), false);
    let mut swapped = How::new(M::YCBCR_709, EVEN);
    swapped.components.r = vk::ComponentSwizzle::B;
    swapped.components.b = vk::ComponentSwizzle::R;
    sampled(&rig, KINDS[2], swapped, false);
}

#[test]
fn packed_422_formats_are_copied_as_dwords() {
    let rig = Rig::new();
    let dwords = image_info(vk::Format::R8G8B8A8_UINT, [4, 2, 1], 1, 1);
    let pairs = image_info(vk::Format::G8B8G8R8_422_UNORM, [8, 2, 1], 1, 1);
    let [first, last] = [0, 1].map(|_| Image::new(&rig, &dwords));
    let between = Image::new(&rig, &pairs);
    let texels: Vec<u8> = (0..32).map(|at| 5 + at * 7).collect();
    put(&rig, first.image, COLOUR, 0, [4, 2], &texels);
    let out = rig.buffer(32);
    let there = (first.image, COLOUR, between.image, COLOUR, [4, 2]);
    copied_as(&rig, &[there], [8, 2], &out);
    assert_eq!(out.data, &texels[..]);
    // Two texels of the pair are one of the other image.
    let back = (between.image, COLOUR, last.image, COLOUR, [8, 2]);
    let out = rig.buffer(32);
    copied_as(&rig, &[back], [4, 2], &out);
    assert_eq!(out.data, &texels[..]);
}

#[test]
fn disjoint_planes_share_a_memory_allocation() {
    let rig = Rig::new();
    for kind in KINDS.iter().filter(|kind| kind.planes > 1) {
        let info = image_info(kind.format, [8, 8, 1], 1, 1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC)
            .flags(vk::ImageCreateFlags::DISJOINT);
        let image = unsafe { rig.device.create_image(&info, None).unwrap() };
        for of in PLANES.into_iter().take(kind.planes) {
            let mut which = vk::ImagePlaneMemoryRequirementsInfo::default().plane_aspect(of);
            let ask = vk::ImageMemoryRequirementsInfo2::default()
                .image(image)
                .push_next(&mut which);
            let mut wants = vk::MemoryRequirements2::default();
            unsafe { rig.device.get_image_memory_requirements2(&ask, &mut wants) };
            let vk::MemoryRequirements {
                size, alignment, ..
            } = wants.memory_requirements;
            assert!(
                size.is_multiple_of(alignment),
                "{kind:?}: {size}, {alignment}"
            );
        }
        unsafe { rig.device.destroy_image(image, None) };
    }
}

#[test]
fn single_plane_copies_and_views() {
    let rig = Rig::new();
    let d = &rig.device;
    let info = image_info(
        vk::Format::G8_B8R8_2PLANE_420_UNORM,
        [WIDTH as u32, HEIGHT as u32, 1],
        1,
        1,
    );
    let mutable = info.flags(vk::ImageCreateFlags::MUTABLE_FORMAT);
    let planar = Image::new(&rig, &mutable);
    let chroma: Vec<u8> = (0..16).map(|at| 3 + at * 11).collect();
    put(&rig, planar.image, PLANES[1], 0, [4, 2], &chroma);
    // The plane as an image of its own, and back to a plane.
    let pairs = Image::new(&rig, &image_info(vk::Format::R8G8_UNORM, [4, 2, 1], 1, 1));
    let again = Image::new(&rig, &info);
    let out = rig.buffer(16);
    let steps = [
        (planar.image, PLANES[1], pairs.image, COLOUR, [4, 2]),
        (pairs.image, COLOUR, again.image, PLANES[1], [4, 2]),
    ];
    copied(&rig, &steps, &out);
    assert_eq!(out.data, &chroma[..]);
    // A view of the plane has its size and its numbers.
    let info = vk::ImageViewCreateInfo::default()
        .image(planar.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(vk::Format::R8G8_UNORM)
        .subresource_range(range(PLANES[1]));
    let texels: Buffer<'_> = rig.buffer(8 * 16 + 8);
    unsafe {
        let view = d.create_image_view(&info, None).unwrap();
        let glsl = "#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(std430, binding = 0) buffer Out { vec4 texels[8]; ivec2 size; };
layout(binding = 1) uniform texture2D image;
void main()
{
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    texels[at.y * 4 + at.x] = texelFetch(image, at, 0);
    size = textureSize(image, 0);
}"
        .replace(
            "#version 450",
            "#version 450\n#extension GL_EXT_samplerless_texture_functions : require",
        );
        let kind = vk::DescriptorType::SAMPLED_IMAGE;
        let given = [Descriptor::Image(kind, view, vk::Sampler::null())];
        run(&rig, &glsl, &texels, &given, &[], UpdateBy::Write);
        d.destroy_image_view(view, None);
    }
    assert_eq!(texels.dwords()[32..], [4, 2]);
    for (at, pair) in chroma.chunks(2).enumerate() {
        let found = &floats(&texels)[at * 4..at * 4 + 4];
        let meant = [
            f32::from(pair[0]) / 255.0,
            f32::from(pair[1]) / 255.0,
            0.0,
            1.0,
        ];
        assert!(
            found.iter().zip(meant).all(|(a, b)| (a - b).abs() < 1e-6),
            "{found:?}"
        );
    }
}

#[test]
fn linear_plane_rows_match_their_subresource_layouts() {
    let rig = Rig::new();
    let d = &rig.device;
    let info = image_info(
        vk::Format::G8_B8_R8_3PLANE_420_UNORM,
        [WIDTH as u32, HEIGHT as u32, 1],
        1,
        1,
    )
    .tiling(vk::ImageTiling::LINEAR);
    unsafe {
        let image = d.create_image(&info, None).unwrap();
        let wants = d.get_image_memory_requirements(image);
        let ask = vk::MemoryAllocateInfo::default().allocation_size(wants.size);
        let memory = d.allocate_memory(&ask, None).unwrap();
        d.bind_image_memory(image, memory, 0).unwrap();
        let data = d
            .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
            .unwrap();
        let mut ends = 0;
        for (index, plane) in PLANES.into_iter().enumerate() {
            let size = if index == 0 {
                [WIDTH, HEIGHT]
            } else {
                [WIDTH / 2, HEIGHT / 2]
            };
            let numbers: Vec<u8> = (0..size[0] * size[1])
                .map(|at| (at * 5 + index) as u8)
                .collect();
            put(&rig, image, plane, 0, size, &numbers);
            let part = vk::ImageSubresource::default().aspect_mask(plane);
            let layout = d.get_image_subresource_layout(image, part);
            assert!(layout.offset >= ends, "planes lie behind one another");
            ends = layout.offset + layout.size;
            assert!(ends <= wants.size);
            for (row, meant) in numbers.chunks(size[0]).enumerate() {
                let at = layout.offset + row as u64 * layout.row_pitch;
                let found = std::slice::from_raw_parts(data.cast::<u8>().add(at as usize), size[0]);
                assert_eq!(found, meant, "plane {index}, row {row}");
            }
        }
        d.destroy_image(image, None);
        d.free_memory(memory, None);
    }
}

#[test]
fn planar_formats_report_what_conversions_support() {
    use vk::FormatFeatureFlags as F;
    let rig = Rig::new();
    for kind in KINDS {
        let found = unsafe {
            rig.instance
                .get_physical_device_format_properties(rig.physical, kind.format)
        };
        let features = found.optimal_tiling_features;
        assert_eq!(features, found.linear_tiling_features);
        assert!(features.contains(F::SAMPLED_IMAGE | F::TRANSFER_SRC | F::TRANSFER_DST));
        assert!(features.contains(F::MIDPOINT_CHROMA_SAMPLES));
        assert_eq!(features.contains(F::DISJOINT), kind.planes > 1);
        assert!(!features.intersects(F::COLOR_ATTACHMENT | F::STORAGE_IMAGE | F::BLIT_SRC));
        assert!(found.buffer_features.is_empty());
        let ask = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(kind.format)
            .ty(vk::ImageType::TYPE_2D)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::SAMPLED);
        let mut descriptors = vk::SamplerYcbcrConversionImageFormatProperties::default();
        let mut most = vk::ImageFormatProperties2::default().push_next(&mut descriptors);
        unsafe {
            rig.instance
                .get_physical_device_image_format_properties2(rig.physical, &ask, &mut most)
        }
        .unwrap();
        let most = most.image_format_properties;
        assert_eq!(
            (most.max_mip_levels, most.sample_counts),
            (1, vk::SampleCountFlags::TYPE_1)
        );
        assert!(most.max_array_layers > 1);
        assert_eq!(
            descriptors.combined_image_sampler_descriptor_count as usize,
            kind.planes
        );
    }
}

#[test]
fn formats_of_padded_planes_are_for_copies() {
    use vk::FormatFeatureFlags as F;
    let rig = Rig::new();
    for (plane, part, format) in [
        (
            vk::Format::R10X6_UNORM_PACK16,
            vk::ImageAspectFlags::PLANE_0,
            vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
        ),
        (
            vk::Format::R10X6G10X6_UNORM_2PACK16,
            vk::ImageAspectFlags::PLANE_1,
            vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
        ),
        (
            vk::Format::R12X4_UNORM_PACK16,
            vk::ImageAspectFlags::PLANE_2,
            vk::Format::G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16,
        ),
    ] {
        let found = unsafe {
            rig.instance
                .get_physical_device_format_properties(rig.physical, plane)
        };
        let transfers = F::TRANSFER_SRC | F::TRANSFER_DST;
        assert_eq!(found.optimal_tiling_features, transfers);
        assert_eq!(found.linear_tiling_features, transfers);
        assert!(found.buffer_features.is_empty());
        let size = match part {
            vk::ImageAspectFlags::PLANE_0 => [WIDTH, HEIGHT],
            _ => [WIDTH / 2, HEIGHT / 2],
        };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let image = |format, [width, height]: [usize; 2]| {
            let extent = [width as u32, height as u32, 1];
            Image::new(&rig, &image_info(format, extent, 1, 1).usage(usage))
        };
        let (alone, planar) = (image(plane, size), image(format, [WIDTH, HEIGHT]));
        let texel = if plane == vk::Format::R10X6G10X6_UNORM_2PACK16 {
            4
        } else {
            2
        };
        let texels: Vec<u8> = (0..size[0] * size[1] * texel).map(|at| at as u8).collect();
        put(&rig, alone.image, COLOUR, 0, size, &texels);
        let out = rig.buffer(texels.len() as u64);
        let there = (alone.image, COLOUR, planar.image, part, size);
        copied(&rig, &[there], &out);
        assert!(*out.data == texels[..], "{plane:?}");
    }
}
