//! Images of every format, dimension and tiling: what is put in comes out again.

use ash::vk;
use vk::Handle;

use crate::rig::{Buffer, Rig};

/// An image with dedicated memory.
pub struct Image<'a> {
    rig: &'a Rig,
    pub image: vk::Image,
    memory: vk::DeviceMemory,
}

impl<'a> Image<'a> {
    pub fn new(rig: &'a Rig, info: &vk::ImageCreateInfo<'_>) -> Self {
        let d = &rig.device;
        unsafe {
            let image = d.create_image(info, None).unwrap();
            let wants = d.get_image_memory_requirements(image);
            assert!(wants.size > 0 && wants.alignment.is_power_of_two());
            let info = vk::MemoryAllocateInfo::default().allocation_size(wants.size);
            let memory = d.allocate_memory(&info, None).unwrap();
            d.bind_image_memory(image, memory, 0).unwrap();
            Self { rig, image, memory }
        }
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        unsafe {
            let _ = self.rig.device.device_wait_idle();
            self.rig.device.destroy_image(self.image, None);
            self.rig.device.free_memory(self.memory, None);
        }
    }
}

/// All levels and layers.
pub fn range(aspect_mask: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask,
        level_count: vk::REMAINING_MIP_LEVELS,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
        ..vk::ImageSubresourceRange::default()
    }
}

/// Bytes of an element of an aspect, and its size in pixels, by the format's name.
fn element(format: vk::Format, aspect: vk::ImageAspectFlags) -> (u32, [u32; 2]) {
    let name = format!("{format:?}");
    if aspect == vk::ImageAspectFlags::STENCIL {
        return (1, [1, 1]);
    }
    if aspect == vk::ImageAspectFlags::DEPTH {
        return (if name.starts_with("D16") { 2 } else { 4 }, [1, 1]);
    }
    if let Some(size) = name.strip_prefix("ASTC_") {
        let size = size.split('_').next().unwrap();
        let (width, height) = size.split_once(['x', 'X']).unwrap();
        return (16, [width.parse().unwrap(), height.parse().unwrap()]);
    }
    if name.ends_with("BLOCK") {
        let eight = ["BC1", "BC4", "ETC2_R8G8B8_", "ETC2_R8G8B8A1", "EAC_R11_"];
        let small = eight.iter().any(|start| name.starts_with(start));
        return (if small { 8 } else { 16 }, [4, 4]);
    }
    if let Some(at) = name.find("PACK") {
        let bits = name[at + 4..].trim_end_matches("_KHR");
        return (bits.parse::<u32>().unwrap() / 8, [1, 1]);
    }
    let channels = name.split('_').next().unwrap();
    let bits = channels.split(|letter: char| !letter.is_ascii_digit());
    let bits: u32 = bits.filter_map(|bits| bits.parse::<u32>().ok()).sum();
    (bits / 8, [1, 1])
}

/// Parts of images of a format.
pub(super) fn aspects(format: vk::Format) -> Vec<vk::ImageAspectFlags> {
    use vk::ImageAspectFlags as A;
    match format {
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => {
            vec![A::DEPTH]
        }
        vk::Format::S8_UINT => vec![A::STENCIL],
        vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            vec![A::DEPTH, A::STENCIL]
        }
        _ => vec![A::COLOR],
    }
}

/// Formats that images can have.
pub(super) fn formats(rig: &Rig, tiling: vk::ImageTiling) -> Vec<vk::Format> {
    let core = (1..185).map(vk::Format::from_raw);
    let all = core.chain([
        vk::Format::A4R4G4B4_UNORM_PACK16,
        vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
        vk::Format::A8_UNORM_KHR,
    ]);
    all.filter(|&format| {
        let found = unsafe {
            rig.instance
                .get_physical_device_format_properties(rig.physical, format)
        };
        let features = match tiling {
            vk::ImageTiling::LINEAR => found.linear_tiling_features,
            _ => found.optimal_tiling_features,
        };
        features
            .contains(vk::FormatFeatureFlags::TRANSFER_SRC | vk::FormatFeatureFlags::TRANSFER_DST)
    })
    .collect()
}

pub(super) fn noise(data: &mut [u8], seed: u32) {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    for byte in data {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        *byte = (state >> 11) as u8;
    }
}

/// One region of a copy between a buffer and an image, with where its elements are in the buffer.
pub(super) struct Region {
    pub(super) copy: vk::BufferImageCopy,
    /// Bytes of an element.
    bytes: u32,
    /// Elements of a row and rows, in all layers or slices.
    rows: [u32; 3],
    /// Elements from row to row, and rows from slice to slice.
    pitch: [u32; 2],
}

impl Region {
    /// The bytes of each row in a buffer.
    pub(super) fn spans(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let [columns, rows, slices] = self.rows;
        let start = self.copy.buffer_offset as usize;
        (0..slices).flat_map(move |slice| {
            (0..rows).map(move |row| {
                let row = (slice * self.pitch[1] + row) * self.pitch[0];
                let at = start + (row * self.bytes) as usize;
                at..at + (columns * self.bytes) as usize
            })
        })
    }

    pub(super) fn end(&self) -> usize {
        self.spans().last().map_or(0, |span| span.end)
    }
}

/// Regions that cover all levels of an image, one behind the other; `loose`: with room between rows
/// and slices.
pub(super) fn regions(info: &vk::ImageCreateInfo<'_>, loose: bool) -> Vec<Region> {
    let mut at = 0u64;
    let mut all = Vec::new();
    for aspect in aspects(info.format) {
        let (bytes, block) = element(info.format, aspect);
        for level in 0..info.mip_levels {
            let minify = |extent: u32| (extent >> level).max(1);
            let extent = vk::Extent3D {
                width: minify(info.extent.width),
                height: minify(info.extent.height),
                depth: minify(info.extent.depth),
            };
            let columns = extent.width.div_ceil(block[0]);
            let rows = extent.height.div_ceil(block[1]);
            let slices = extent.depth * info.array_layers;
            let pitch = if loose {
                [columns + 3, rows + 1]
            } else {
                [columns, rows]
            };
            let asked = |pitch: u32, block: u32| if loose { pitch * block } else { 0 };
            // Offsets of depth and stencil go by four bytes.
            let step = if aspect == vk::ImageAspectFlags::COLOR {
                bytes
            } else {
                4
            };
            at = at.next_multiple_of(step.into());
            let region = Region {
                copy: vk::BufferImageCopy::default()
                    .buffer_offset(at)
                    .buffer_row_length(asked(pitch[0], block[0]))
                    .buffer_image_height(asked(pitch[1], block[1]))
                    .image_subresource(vk::ImageSubresourceLayers {
                        aspect_mask: aspect,
                        mip_level: level,
                        base_array_layer: 0,
                        layer_count: info.array_layers,
                    })
                    .image_extent(extent),
                bytes,
                rows: [columns, rows, slices],
                pitch,
            };
            at = region.end() as u64;
            all.push(region);
        }
    }
    all
}

fn copies(regions: &[Region]) -> Vec<vk::BufferImageCopy> {
    regions.iter().map(|region| region.copy).collect()
}

pub(super) fn upload(
    rig: &Rig,
    commands: vk::CommandBuffer,
    buffer: &Buffer<'_>,
    image: vk::Image,
    regions: &[Region],
) {
    let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
    let copies = copies(regions);
    unsafe {
        rig.device
            .cmd_copy_buffer_to_image(commands, buffer.buffer, image, layout, &copies);
    }
    rig.barrier(commands);
}

pub(super) fn download(
    rig: &Rig,
    commands: vk::CommandBuffer,
    buffer: &Buffer<'_>,
    image: vk::Image,
    regions: &[Region],
) {
    let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    let copies = copies(regions);
    unsafe {
        rig.device
            .cmd_copy_image_to_buffer(commands, image, layout, buffer.buffer, &copies);
    }
}

/// Puts noise into all of an image and gets it out again.
fn there_and_back(rig: &Rig, info: &vk::ImageCreateInfo<'_>) {
    let image = Image::new(rig, info);
    let (tight, loose) = (regions(info, false), regions(info, true));
    let bytes = |regions: &[Region]| regions.last().map_or(0, Region::end) as u64;
    let source = rig.buffer(bytes(&tight).max(4));
    let target = rig.buffer(bytes(&loose).max(4));
    noise(
        source.data,
        info.format.as_raw().cast_unsigned() + info.extent.width,
    );
    target.data.fill(0xa5);
    rig.run(|commands| {
        upload(rig, commands, &source, image.image, &tight);
        download(rig, commands, &target, image.image, &loose);
    });
    let mut untouched = vec![true; target.data.len()];
    for (from, to) in tight.iter().zip(&loose) {
        for (from, to) in from.spans().zip(to.spans()) {
            untouched[to.clone()].fill(false);
            assert!(
                source.data[from] == target.data[to],
                "{:?} {:?} {:?}",
                info.format,
                info.tiling,
                info.extent
            );
        }
    }
    let kept = target.data.iter().zip(untouched);
    assert!(
        kept.filter(|(_, untouched)| *untouched)
            .all(|(byte, _)| *byte == 0xa5)
    );
}

pub(super) fn info(format: vk::Format, tiling: vk::ImageTiling) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D {
            width: 37,
            height: 21,
            depth: 1,
        })
        .mip_levels(4)
        .array_layers(3)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(tiling)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
}

#[test]
fn copy_round_trip_of_every_format_level_and_layer() {
    let rig = Rig::new();
    for tiling in [vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR] {
        let formats = formats(&rig, tiling);
        assert!(formats.len() > 90, "{}", formats.len());
        for format in formats {
            there_and_back(&rig, &info(format, tiling));
        }
    }
}

#[test]
fn copy_round_trip_of_1d_and_3d_images() {
    let rig = Rig::new();
    for format in [
        vk::Format::R8_UNORM,
        vk::Format::R16_SFLOAT,
        vk::Format::R8G8B8A8_UNORM,
        vk::Format::R32G32B32_SFLOAT,
        vk::Format::R32G32B32A32_UINT,
        vk::Format::BC3_UNORM_BLOCK,
    ] {
        for tiling in [vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR] {
            let volume = info(format, tiling)
                .image_type(vk::ImageType::TYPE_3D)
                .array_layers(1)
                .extent(vk::Extent3D {
                    width: 19,
                    height: 40,
                    depth: 9,
                });
            there_and_back(&rig, &volume);
            if format == vk::Format::BC3_UNORM_BLOCK {
                continue;
            }
            let line = info(format, tiling)
                .image_type(vk::ImageType::TYPE_1D)
                .extent(vk::Extent3D {
                    width: 301,
                    height: 1,
                    depth: 1,
                });
            there_and_back(&rig, &line);
        }
    }
    for format in [
        vk::Format::D16_UNORM,
        vk::Format::D32_SFLOAT,
        vk::Format::S8_UINT,
        vk::Format::D24_UNORM_S8_UINT,
    ] {
        let line = info(format, vk::ImageTiling::OPTIMAL)
            .image_type(vk::ImageType::TYPE_1D)
            .extent(vk::Extent3D {
                width: 301,
                height: 1,
                depth: 1,
            });
        there_and_back(&rig, &line);
    }
}

/// A layer's box with one aspect.
pub(super) fn layer(
    aspect: vk::ImageAspectFlags,
    level: u32,
    layer: u32,
) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: aspect,
        mip_level: level,
        base_array_layer: layer,
        layer_count: 1,
    }
}

pub(super) fn offset(x: i32, y: i32, z: i32) -> vk::Offset3D {
    vk::Offset3D { x, y, z }
}

#[test]
fn image_region_copies() {
    let rig = Rig::new();
    let extent = vk::Extent3D {
        width: 64,
        height: 64,
        depth: 1,
    };
    // Blocks of eight bytes to pixels of eight bytes, from tiles to rows; from a layer to a slice.
    let source = info(vk::Format::BC1_RGBA_UNORM_BLOCK, vk::ImageTiling::OPTIMAL).extent(extent);
    let target = info(vk::Format::R16G16B16A16_UINT, vk::ImageTiling::LINEAR)
        .image_type(vk::ImageType::TYPE_3D)
        .array_layers(1)
        .mip_levels(1)
        .extent(vk::Extent3D {
            width: 20,
            height: 17,
            depth: 5,
        });
    let (from, to) = (Image::new(&rig, &source), Image::new(&rig, &target));
    let (there, back) = (regions(&source, false), regions(&target, false));
    let put = rig.buffer(there.last().map_or(0, Region::end) as u64);
    let got = rig.buffer(back.last().map_or(0, Region::end) as u64);
    noise(put.data, 1);
    let colour = vk::ImageAspectFlags::COLOR;
    rig.run(|commands| unsafe {
        upload(&rig, commands, &put, from.image, &there);
        let everything = range(colour);
        let value = vk::ClearColorValue {
            uint32: [0x1111, 0x2222, 0x3333, 0x4444],
        };
        let layout = vk::ImageLayout::GENERAL;
        rig.device
            .cmd_clear_color_image(commands, to.image, layout, &value, &[everything]);
        rig.barrier(commands);
        // Blocks 2..7 × 1..4 of layers 1 and 2 of level 1.
        let region = vk::ImageCopy {
            src_subresource: vk::ImageSubresourceLayers {
                layer_count: 2,
                ..layer(colour, 1, 1)
            },
            src_offset: offset(8, 4, 0),
            dst_subresource: layer(colour, 0, 0),
            dst_offset: offset(3, 9, 2),
            // As many slices as the source has layers.
            extent: vk::Extent3D {
                width: 20,
                height: 12,
                depth: 2,
            },
        };
        rig.device
            .cmd_copy_image(commands, from.image, layout, to.image, layout, &[region]);
        rig.barrier(commands);
        download(&rig, commands, &got, to.image, &back);
    });
    let level_1 = there[1].copy.buffer_offset as usize;
    for (at, pixel) in got.data.chunks_exact(8).enumerate() {
        let (x, y, z) = (at % 20, at / 20 % 17, at / 340);
        let inside = (3..8).contains(&x) && (9..12).contains(&y) && (2..4).contains(&z);
        let meant = if inside {
            let (x, y, layer) = (x - 3 + 2, y - 9 + 1, z - 2 + 1);
            let block = level_1 + ((layer * 8 + y) * 8 + x) * 8;
            put.data[block..block + 8].to_vec()
        } else {
            vec![0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44]
        };
        assert_eq!(pixel, meant, "{x}, {y}, {z}");
    }
}

/// Vulkan forbids it, and applications do it.
#[test]
fn overlapping_copies_in_one_command_execute_in_order() {
    let rig = Rig::new();
    let info = info(vk::Format::R8G8B8A8_UNORM, vk::ImageTiling::OPTIMAL).mip_levels(1);
    let image = Image::new(&rig, &info.array_layers(1));
    let put = rig.buffer(2 * 37 * 21 * 4);
    let got = rig.buffer(37 * 21 * 4);
    noise(put.data, 5);
    let part = |first: u64, at: [i32; 2], [width, height]: [u32; 2]| vk::BufferImageCopy {
        buffer_offset: first,
        buffer_row_length: 37,
        image_subresource: layer(vk::ImageAspectFlags::COLOR, 0, 0),
        image_offset: offset(at[0], at[1], 0),
        image_extent: vk::Extent3D {
            width,
            height,
            depth: 1,
        },
        ..Default::default()
    };
    // The whole image; then a part of it twice in one command.
    let parts = [
        part(0, [0, 0], [37, 21]),
        part(37 * 21 * 4, [4, 3], [20, 10]),
        part(40, [10, 5], [9, 15]),
    ];
    let buffers = [0xaa_u8, 0xbb, 0xcc];
    let small = rig.buffer(64);
    rig.run(|commands| unsafe {
        let d = &rig.device;
        let layout = vk::ImageLayout::GENERAL;
        d.cmd_copy_buffer_to_image(commands, put.buffer, image.image, layout, &parts[..1]);
        d.cmd_copy_buffer_to_image(commands, put.buffer, image.image, layout, &parts[1..]);
        for (at, byte) in (0..).zip(buffers) {
            let word = u32::from_ne_bytes([byte; 4]);
            d.cmd_fill_buffer(commands, small.buffer, 8 * at, 48 - 8 * at, word);
        }
        rig.barrier(commands);
        let whole = [part(0, [0, 0], [37, 21])];
        d.cmd_copy_image_to_buffer(commands, image.image, layout, got.buffer, &whole);
    });
    for (at, pixel) in got.data.chunks_exact(4).enumerate() {
        let (x, y) = (at % 37, at / 37);
        let from = match (x, y) {
            (10..19, 5..20) => 40 + ((y - 5) * 37 + x - 10) * 4,
            (4..24, 3..13) => (37 * 21 + (y - 3) * 37 + x - 4) * 4,
            _ => at * 4,
        };
        assert_eq!(pixel, &put.data[from..from + 4], "{x} {y}");
    }
    for (at, &byte) in small.data[..48].iter().enumerate() {
        assert_eq!(byte, buffers[(at / 8).min(2)], "{at}");
    }
}

#[test]
fn depth_and_stencil_are_cleared_separately() {
    let rig = Rig::new();
    let made = info(vk::Format::D24_UNORM_S8_UINT, vk::ImageTiling::OPTIMAL);
    let image = Image::new(&rig, &made);
    let back = regions(&made, false);
    let got = rig.buffer(back.last().map_or(0, Region::end) as u64);
    let value = |depth, stencil| vk::ClearDepthStencilValue { depth, stencil };
    let part = |aspect_mask, level, levels| vk::ImageSubresourceRange {
        aspect_mask,
        base_mip_level: level,
        level_count: levels,
        base_array_layer: 0,
        layer_count: 3,
    };
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        let clear = |value, range| {
            rig.device.cmd_clear_depth_stencil_image(
                commands,
                image.image,
                layout,
                &value,
                &[range],
            );
            rig.barrier(commands);
        };
        clear(value(1.0, 0xab), part(depth | stencil, 0, 4));
        clear(value(0.5, 0), part(depth, 1, 1));
        clear(value(0.0, 0x17), part(stencil, 2, 2));
        download(&rig, commands, &got, image.image, &back);
    });
    for region in &back {
        let level = region.copy.image_subresource.mip_level;
        for span in region.spans() {
            let row = &got.data[span];
            if region.copy.image_subresource.aspect_mask == stencil {
                let meant = if level < 2 { 0xab } else { 0x17 };
                assert!(row.iter().all(|&byte| byte == meant), "level {level}");
                continue;
            }
            let meant = if level == 1 { 0x80_0000 } else { 0xff_ffff };
            for pixel in row.as_chunks().0 {
                assert_eq!(
                    u32::from_le_bytes(*pixel) & 0xff_ffff,
                    meant,
                    "level {level}"
                );
            }
        }
    }
}

#[test]
fn remaining_layers_are_cleared_in_lines_and_planes_of_rows() {
    let rig = Rig::new();
    let colour = vk::ImageAspectFlags::COLOR;
    let extent = |width, height| vk::Extent3D {
        width,
        height,
        depth: 1,
    };
    for (format, channel_bytes) in [
        (vk::Format::R8_UINT, 1),
        (vk::Format::R8G8_UINT, 1),
        (vk::Format::R8G8B8A8_UINT, 1),
        (vk::Format::R16G16B16A16_UINT, 2),
        (vk::Format::R32G32B32A32_UINT, 4),
        (vk::Format::R32G32B32_UINT, 4),
    ] {
        for (dimension, extent, levels) in [
            (vk::ImageType::TYPE_1D, extent(256, 1), 9),
            (vk::ImageType::TYPE_1D, extent(200, 1), 8),
            (vk::ImageType::TYPE_1D, extent(71, 1), 7),
            (vk::ImageType::TYPE_2D, extent(71, 1), 7),
            (vk::ImageType::TYPE_2D, extent(1, 33), 6),
            (vk::ImageType::TYPE_2D, extent(50, 45), 6),
            (vk::ImageType::TYPE_2D, extent(33, 64), 7),
        ] {
            let made = info(format, vk::ImageTiling::LINEAR)
                .image_type(dimension)
                .extent(extent)
                .mip_levels(levels)
                .array_layers(16);
            let image = Image::new(&rig, &made);
            let back = regions(&made, false);
            let got = rig.buffer(back.last().map_or(0, Region::end) as u64);
            let clear = |commands, number: u32, level, count, layer, layers| unsafe {
                let value = vk::ClearColorValue {
                    uint32: [number; 4],
                };
                let range = vk::ImageSubresourceRange {
                    aspect_mask: colour,
                    base_mip_level: level,
                    level_count: count,
                    base_array_layer: layer,
                    layer_count: layers,
                };
                let layout = vk::ImageLayout::GENERAL;
                rig.device
                    .cmd_clear_color_image(commands, image.image, layout, &value, &[range]);
            };
            let rest = vk::REMAINING_ARRAY_LAYERS;
            rig.run(|commands| {
                for level in 0..levels {
                    clear(commands, 0, level, 1, 0, 16);
                }
                rig.barrier(commands);
                // Each range twice, with a barrier between: none is needed between different
                // ranges.
                for (number, level, count) in [(1, 0, 3), (2, 3, rest)] {
                    clear(commands, number, level, count, 8, rest);
                    rig.barrier(commands);
                    clear(commands, number, level, count, 8, rest);
                }
                rig.barrier(commands);
                download(&rig, commands, &got, image.image, &back);
            });
            for (level, region) in back.iter().enumerate() {
                let rows = region.rows[1] as usize;
                for (row, span) in region.spans().enumerate() {
                    let meant = match (row / rows, level) {
                        (..8, _) => 0,
                        (_, ..3) => 1,
                        _ => 2,
                    };
                    for channel in got.data[span].chunks_exact(channel_bytes) {
                        let same =
                            channel[0] == meant && channel[1..].iter().all(|&more| more == 0);
                        assert!(same, "{format:?} {dimension:?} {extent:?} {level} {row}");
                    }
                }
            }
        }
    }
}

#[test]
fn linear_images_match_their_subresource_layouts() {
    let rig = Rig::new();
    let planes = info(vk::Format::R8G8B8A8_UNORM, vk::ImageTiling::LINEAR);
    // Its levels are one row, and the last is no whole one.
    let lines = planes.image_type(vk::ImageType::TYPE_1D);
    let extent = vk::Extent3D {
        width: 183,
        height: 1,
        depth: 1,
    };
    is_where_the_host_is_told(&rig, &planes);
    is_where_the_host_is_told(&rig, &lines.extent(extent));
}

fn is_where_the_host_is_told(rig: &Rig, made: &vk::ImageCreateInfo<'_>) {
    let image = Image::new(rig, made);
    let there = regions(made, false);
    let put = rig.buffer(there.last().map_or(0, Region::end) as u64);
    noise(put.data, 7);
    rig.run(|commands| upload(rig, commands, &put, image.image, &there));
    unsafe {
        let d = &rig.device;
        let wants = d.get_image_memory_requirements(image.image);
        let data = d
            .map_memory(image.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
            .unwrap();
        let data = std::slice::from_raw_parts(data.cast::<u8>(), wants.size as usize);
        for region in &there {
            let level = region.copy.image_subresource.mip_level;
            let [columns, rows, layers] = region.rows;
            let mut spans = region.spans();
            for layer in 0..layers {
                let part = vk::ImageSubresource {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: level,
                    array_layer: layer,
                };
                let told = d.get_image_subresource_layout(image.image, part);
                for row in 0..rows {
                    let at = (told.offset + u64::from(row) * told.row_pitch) as usize;
                    let length = columns as usize * 4;
                    assert_eq!(put.data[spans.next().unwrap()], data[at..at + length]);
                }
                assert!(told.size >= u64::from(rows - 1) * told.row_pitch + u64::from(columns) * 4);
                assert!(told.offset + told.size <= wants.size);
            }
        }
    }
}

#[test]
fn unsupported_image_create_infos_are_refused() {
    let rig = Rig::new();
    let refused = |info: &vk::ImageCreateInfo<'_>| {
        let made = unsafe { rig.device.create_image(info, None) };
        made.map(|image| assert!(image.is_null())).err()
    };
    let format = Some(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
    let good = info(vk::Format::R8G8B8A8_UNORM, vk::ImageTiling::OPTIMAL);
    assert_eq!(refused(&good.format(vk::Format::B8G8R8_UNORM)), format);
    assert_eq!(refused(&good.format(vk::Format::R64_SFLOAT)), format);
    assert_eq!(
        refused(
            &good
                .format(vk::Format::G8_B8R8_2PLANE_420_UNORM)
                .image_type(vk::ImageType::TYPE_3D)
        ),
        format
    );
    assert_eq!(
        refused(&good.flags(vk::ImageCreateFlags::SPARSE_BINDING)),
        format
    );
    assert!(refused(&good.mip_levels(40)).is_some());
    assert!(refused(&good.array_layers(1 << 20)).is_some());
    assert!(refused(&good.samples(vk::SampleCountFlags::TYPE_64)).is_some());
    assert!(refused(&good.extent(vk::Extent3D::default())).is_some());
}
