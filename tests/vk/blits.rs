//! Blits and resolves: images scaled, mirrored and converted; samples averaged.

use ash::vk;

use crate::images::{
    Image, Region, aspects, download, info, layer, noise, offset, range, regions, upload,
};
use crate::rig::Rig;

/// An image of one level and layer.
fn picture(format: vk::Format, width: u32, height: u32) -> vk::ImageCreateInfo<'static> {
    info(format, vk::ImageTiling::OPTIMAL)
        .extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        })
        .mip_levels(1)
        .array_layers(1)
}

/// Blits a box of an image of these bytes into a box of another, filled with 0x33, and returns
/// that out.
fn scaled(
    rig: &Rig,
    (source, bytes): (&vk::ImageCreateInfo<'_>, &[u8]),
    target: &vk::ImageCreateInfo<'_>,
    [from, to]: [[vk::Offset3D; 2]; 2],
    filter: vk::Filter,
) -> Vec<u8> {
    let images = [source, target].map(|info| Image::new(rig, info));
    let [there, back] = [source, target].map(|info| regions(info, false));
    let put = rig.buffer(bytes.len() as u64);
    put.data.copy_from_slice(bytes);
    let got = rig.buffer(back.last().map_or(0, Region::end) as u64);
    got.data.fill(0x33);
    rig.run(|commands| unsafe {
        upload(rig, commands, &put, images[0].image, &there);
        upload(rig, commands, &got, images[1].image, &back);
        let aspect = aspects(source.format)[0];
        let region = vk::ImageBlit {
            src_subresource: layer(aspect, 0, 0),
            src_offsets: from,
            dst_subresource: layer(aspect, 0, 0),
            dst_offsets: to,
        };
        let layout = vk::ImageLayout::GENERAL;
        let [source, target] = [images[0].image, images[1].image];
        rig.device
            .cmd_blit_image(commands, source, layout, target, layout, &[region], filter);
        rig.barrier(commands);
        download(rig, commands, &got, target, &back);
    });
    got.data.to_vec()
}

#[test]
fn images_are_scaled_mirrored_and_converted() {
    let rig = Rig::new();
    let rgba = vk::Format::R8G8B8A8_UNORM;
    let bytes: Vec<u8> = (0..4 * 2 * 4).map(|at| at * 7).collect();
    let source = picture(rgba, 4, 2);
    let whole = [offset(0, 0, 0), offset(4, 2, 1)];
    // Twice as large, beside an edge that stays, and turned about the middle.
    let turned = [offset(9, 1, 0), offset(1, 5, 1)];
    let target = picture(vk::Format::B8G8R8A8_UNORM, 10, 6);
    let got = scaled(
        &rig,
        (&source, &bytes),
        &target,
        [whole, turned],
        vk::Filter::NEAREST,
    );
    for (at, pixel) in got.chunks_exact(4).enumerate() {
        let (x, y) = (at % 10, at / 10);
        let meant = if (1..9).contains(&x) && (1..5).contains(&y) {
            let from = ((y - 1) / 2 * 4 + (8 - x) / 2) * 4;
            vec![
                bytes[from + 2],
                bytes[from + 1],
                bytes[from],
                bytes[from + 3],
            ]
        } else {
            vec![0x33; 4]
        };
        assert_eq!(pixel, meant, "{x}, {y}");
    }
    // Between two pixels, as sRGB: a quarter of the way from 0 to 1 is 0.25 where it is linear.
    let target = picture(vk::Format::R8G8B8A8_SRGB, 4, 1);
    let source = picture(rgba, 2, 1);
    let bytes = [0, 0, 0, 0, 255, 255, 255, 255];
    let boxes = [
        [offset(0, 0, 0), offset(2, 1, 1)],
        [offset(0, 0, 0), offset(4, 1, 1)],
    ];
    let got = scaled(&rig, (&source, &bytes), &target, boxes, vk::Filter::LINEAR);
    let close = |got: u8, meant: u8| got.abs_diff(meant) <= 1;
    for (pixel, [colour, alpha]) in
        got.chunks_exact(4)
            .zip([[0, 0], [137, 64], [225, 191], [255, 255]])
    {
        assert!(
            close(pixel[0], colour) && close(pixel[3], alpha),
            "{pixel:?}"
        );
    }
    // Integers as they are, and depth.
    let source = picture(vk::Format::R16G16_UINT, 2, 2);
    let bytes: Vec<u8> = (100..116).collect();
    let target = picture(vk::Format::R16G16_UINT, 2, 2);
    let whole = [offset(0, 0, 0), offset(2, 2, 1)];
    let boxes = [whole, whole];
    assert_eq!(
        scaled(&rig, (&source, &bytes), &target, boxes, vk::Filter::NEAREST),
        bytes
    );
    let depth = picture(vk::Format::D32_SFLOAT, 2, 1);
    let bytes: Vec<u8> = [0.25f32, 1.0]
        .iter()
        .flat_map(|d| d.to_le_bytes())
        .collect();
    let upside = [
        [offset(0, 0, 0), offset(2, 1, 1)],
        [offset(2, 0, 0), offset(0, 1, 1)],
    ];
    let got = scaled(&rig, (&depth, &bytes), &depth, upside, vk::Filter::NEAREST);
    assert_eq!(got, [&bytes[4..], &bytes[..4]].concat());
}

#[test]
fn stencil_depth_and_packed_pixels_are_scaled() {
    let rig = Rig::new();
    let nearest = vk::Filter::NEAREST;
    // Twice as large, turned about the middle, as the bits that they are.
    let (width, height) = (150, 70);
    let boxes = [
        [offset(0, 0, 0), offset(width, height, 1)],
        [offset(2 * width, 2 * height, 0), offset(0, 0, 1)],
    ];
    let (width, height) = (width as u32, height as u32);
    for (format, bytes) in [
        (vk::Format::S8_UINT, 1),
        (vk::Format::D16_UNORM, 2),
        (vk::Format::X8_D24_UNORM_PACK32, 4),
        (vk::Format::D32_SFLOAT, 4),
    ] {
        let source = picture(format, width, height);
        let target = picture(format, 2 * width, 2 * height);
        let mut data = vec![0; (width * height) as usize * bytes];
        noise(&mut data, 3);
        if bytes == 4 {
            // Numbers from 0 to 1, or 24 bits.
            data.chunks_exact_mut(4).for_each(|pixel| pixel[3] = 0);
        }
        let got = scaled(&rig, (&source, &data), &target, boxes, nearest);
        for (at, pixel) in (0u32..).zip(got.chunks_exact(bytes)) {
            let (x, y) = (at % (2 * width), at / (2 * width));
            let from = (height - 1 - y / 2) * width + (width - 1 - x / 2);
            let from = from as usize * bytes;
            assert_eq!(pixel, &data[from..from + bytes], "{format:?} {x}, {y}");
        }
    }
    // Both parts at once.
    let format = vk::Format::D32_SFLOAT_S8_UINT;
    let [source, target] = [1, 2].map(|by| picture(format, by * width, by * height));
    let images = [source, target].map(|info| Image::new(&rig, &info));
    let back = regions(&target, false);
    let got = rig.buffer(back.last().map_or(0, Region::end) as u64);
    rig.run(|commands| unsafe {
        let d = &rig.device;
        let layout = vk::ImageLayout::GENERAL;
        let both = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        let value = vk::ClearDepthStencilValue {
            depth: 0.375,
            stencil: 0x5c,
        };
        d.cmd_clear_depth_stencil_image(commands, images[0].image, layout, &value, &[range(both)]);
        rig.barrier(commands);
        let region = vk::ImageBlit {
            src_subresource: layer(both, 0, 0),
            src_offsets: boxes[0],
            dst_subresource: layer(both, 0, 0),
            dst_offsets: boxes[1],
        };
        let [from, to] = [images[0].image, images[1].image];
        d.cmd_blit_image(commands, from, layout, to, layout, &[region], nearest);
        rig.barrier(commands);
        download(&rig, commands, &got, to, &back);
    });
    let pixels = (4 * width * height) as usize;
    let (depths, stencils) = got.data.split_at(4 * pixels);
    assert!(
        depths
            .chunks_exact(4)
            .all(|depth| depth == 0.375f32.to_le_bytes())
    );
    assert!(stencils[..pixels].iter().all(|&stencil| stencil == 0x5c));
    // Channels of few bits, wherever they stand; rounded to the nearest.
    let colours = [[255, 0, 119, 68], [17, 34, 51, 255], [0, 130, 9, 250]];
    let source = picture(vk::Format::R8G8B8A8_UNORM, 3, 1);
    let rounded = |value: u32, most: u32| (value * most + 127) / 255;
    for (format, channels) in [
        (
            vk::Format::R4G4B4A4_UNORM_PACK16,
            [(12, 15), (8, 15), (4, 15), (0, 15)],
        ),
        (
            vk::Format::B4G4R4A4_UNORM_PACK16,
            [(4, 15), (8, 15), (12, 15), (0, 15)],
        ),
        (
            vk::Format::A4R4G4B4_UNORM_PACK16,
            [(8, 15), (4, 15), (0, 15), (12, 15)],
        ),
        (
            vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
            [(0, 31), (5, 31), (10, 31), (15, 1)],
        ),
        (
            vk::Format::B5G6R5_UNORM_PACK16,
            [(0, 31), (5, 63), (11, 31), (0, 0)],
        ),
        (
            vk::Format::R5G6B5_UNORM_PACK16,
            [(11, 31), (5, 63), (0, 31), (0, 0)],
        ),
    ] {
        let target = picture(format, 3, 1);
        let whole = [offset(0, 0, 0), offset(3, 1, 1)];
        let bytes = colours.concat();
        let bytes: Vec<u8> = bytes.iter().map(|&byte| byte as u8).collect();
        let got = scaled(&rig, (&source, &bytes), &target, [whole, whole], nearest);
        for (pixel, colour) in got.chunks_exact(2).zip(colours) {
            let parts = channels.iter().zip(colour);
            let meant = parts.fold(0, |word, (&(at, most), value)| {
                word | rounded(value, most) << at
            });
            let pixel = u32::from(pixel[0]) | u32::from(pixel[1]) << 8;
            assert_eq!(pixel, meant, "{format:?} {colour:?}");
        }
    }
}

#[test]
fn blit_to_three_channel_formats() {
    let rig = Rig::new();
    let colours = [[255u8, 0, 119, 68], [17, 34, 51, 255], [0, 130, 9, 250]];
    let source = picture(vk::Format::R8G8B8A8_UNORM, 3, 2);
    let whole = [offset(0, 0, 0), offset(3, 2, 1)];
    // The second row is the first one the other way round.
    let rows = [colours, [colours[2], colours[1], colours[0]]].concat();
    let half = |value: u8| match value {
        0 => 0u16,
        // 1, 17 / 255 and 51 / 255, exactly and to the nearest.
        255 => 0x3c00,
        17 => 0x2c44,
        51 => 0x3266,
        _ => u16::MAX,
    };
    // As IEC 61966-2-1 has it.
    let encoded = |value: f64| match value <= 0.003_130_8 {
        true => 12.92 * value,
        false => 1.055 * value.powf(1.0 / 2.4) - 0.055,
    };
    for (format, bytes) in [
        (vk::Format::R8G8B8_UNORM, 1),
        (vk::Format::R8G8B8_SRGB, 1),
        (vk::Format::R16G16B16_UNORM, 2),
        (vk::Format::R16G16B16_SFLOAT, 2),
        (vk::Format::R32G32B32_SFLOAT, 4),
    ] {
        let target = picture(format, 3, 2);
        let boxes = [whole, whole];
        let filter = vk::Filter::NEAREST;
        let got = scaled(&rig, (&source, &rows.concat()), &target, boxes, filter);
        let meant = rows.iter().flat_map(|colour| &colour[..3]);
        assert_eq!(got.len(), 3 * 2 * 3 * bytes, "{format:?}");
        for (got, &meant) in got.chunks_exact(bytes).zip(meant) {
            let linear = f64::from(meant) / 255.0;
            let word = got
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte));
            match format {
                vk::Format::R8G8B8_UNORM => assert_eq!(word, meant.into()),
                vk::Format::R8G8B8_SRGB => {
                    assert_eq!(word, (encoded(linear) * 255.0).round() as u32);
                }
                vk::Format::R16G16B16_UNORM => assert_eq!(word, u32::from(meant) * 257),
                vk::Format::R16G16B16_SFLOAT if half(meant) != u16::MAX => {
                    assert_eq!(word, half(meant).into(), "{meant}");
                }
                vk::Format::R16G16B16_SFLOAT => {}
                _ => assert_eq!(f32::from_bits(word), linear as f32),
            }
        }
    }
}

#[test]
fn blit_of_3d_and_1d_images() {
    let rig = Rig::new();
    let volume = picture(vk::Format::R8_UNORM, 2, 2)
        .image_type(vk::ImageType::TYPE_3D)
        .extent(vk::Extent3D {
            width: 2,
            height: 2,
            depth: 2,
        });
    let double = volume.extent(vk::Extent3D {
        width: 2,
        height: 2,
        depth: 4,
    });
    let boxes = [
        [offset(0, 0, 0), offset(2, 2, 2)],
        [offset(0, 0, 0), offset(2, 2, 4)],
    ];
    let bytes = [0, 10, 20, 30, 200, 210, 220, 230];
    let got = scaled(&rig, (&volume, &bytes), &double, boxes, vk::Filter::LINEAR);
    let close = |got: &u8, meant: u8| got.abs_diff(meant) <= 1;
    for (slice, meant) in got.chunks_exact(4).zip([0, 50, 150, 200]) {
        assert!(
            slice
                .iter()
                .zip([0, 10, 20, 30])
                .all(|(got, more)| close(got, meant + more)),
            "{got:?}"
        );
    }
    let line = picture(vk::Format::R8_UNORM, 4, 1).image_type(vk::ImageType::TYPE_1D);
    let boxes = [
        [offset(0, 0, 0), offset(4, 1, 1)],
        [offset(0, 0, 0), offset(2, 1, 1)],
    ];
    let shorter = picture(vk::Format::R8_UNORM, 2, 1).image_type(vk::ImageType::TYPE_1D);
    let got = scaled(
        &rig,
        (&line, &[10, 20, 30, 40]),
        &shorter,
        boxes,
        vk::Filter::LINEAR,
    );
    assert!(close(&got[0], 15) && close(&got[1], 35), "{got:?}");
    // Lines are no targets: of three halves a fourth is written, too.
    let three = picture(vk::Format::R16G16B16_SFLOAT, 2, 1).image_type(vk::ImageType::TYPE_1D);
    let whole = [offset(0, 0, 0), offset(2, 1, 1)];
    let bytes = [0, 0x3c, 0, 0x40, 0, 0x42, 0, 0x44, 0, 0x45, 0, 0x46];
    let boxes = [whole, [offset(2, 0, 0), offset(0, 1, 1)]];
    let got = scaled(&rig, (&three, &bytes), &three, boxes, vk::Filter::NEAREST);
    assert_eq!(got, [&bytes[6..], &bytes[..6]].concat());
}

#[test]
fn multisampled_images_are_resolved() {
    let rig = Rig::new();
    let several = picture(vk::Format::R8G8B8A8_UNORM, 37, 21)
        .samples(vk::SampleCountFlags::TYPE_4)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    let one = picture(vk::Format::R8G8B8A8_UNORM, 37, 21);
    let (from, to) = (Image::new(&rig, &several), Image::new(&rig, &one));
    let back = regions(&one, false);
    let got = rig.buffer(back.last().map_or(0, Region::end) as u64);
    rig.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        let value = vk::ClearColorValue {
            float32: [0.2, 0.4, 0.6, 0.8],
        };
        let all = [range(vk::ImageAspectFlags::COLOR)];
        rig.device
            .cmd_clear_color_image(commands, from.image, layout, &value, &all);
        rig.barrier(commands);
        let colour = layer(vk::ImageAspectFlags::COLOR, 0, 0);
        let region = vk::ImageResolve {
            src_subresource: colour,
            dst_subresource: colour,
            extent: one.extent,
            ..Default::default()
        };
        rig.device
            .cmd_resolve_image(commands, from.image, layout, to.image, layout, &[region]);
        rig.barrier(commands);
        download(&rig, commands, &got, to.image, &back);
    });
    assert!(
        got.data
            .chunks_exact(4)
            .all(|pixel| pixel == [51, 102, 153, 204])
    );
}

/// A blit after a copy, with a barrier between transfer stages only, twice:
/// the second time, the sampler has read what was there before.
#[test]
fn blits_after_a_transfer_barrier_read_the_copy() {
    let rig = Rig::new();
    let info = picture(vk::Format::R8G8B8A8_UNORM, 16, 16);
    let images = [&info, &info].map(|info| Image::new(&rig, info));
    let parts = regions(&info, false);
    let bytes = parts.last().map_or(0, Region::end) as u64;
    let [first, second, got] = [0x11, 0x22, 0x33].map(|value| {
        let buffer = rig.buffer(bytes);
        buffer.data.fill(value);
        buffer
    });
    let [source, target] = [images[0].image, images[1].image];
    let layout = vk::ImageLayout::GENERAL;
    let transfers = |commands| unsafe {
        let both = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(both);
        let stage = vk::PipelineStageFlags::TRANSFER;
        let none = vk::DependencyFlags::empty();
        rig.device
            .cmd_pipeline_barrier(commands, stage, stage, none, &[barrier], &[], &[]);
    };
    let whole = [offset(0, 0, 0), offset(16, 16, 1)];
    let aspect = aspects(info.format)[0];
    let blit = vk::ImageBlit {
        src_subresource: layer(aspect, 0, 0),
        src_offsets: whole,
        dst_subresource: layer(aspect, 0, 0),
        dst_offsets: whole,
    };
    let again = vk::BufferImageCopy::default()
        .image_subresource(layer(aspect, 0, 0))
        .image_extent(info.extent);
    rig.run(|commands| unsafe {
        upload(&rig, commands, &first, source, &parts);
        upload(&rig, commands, &first, target, &parts);
        for buffer in [&first, &second] {
            rig.device
                .cmd_copy_buffer_to_image(commands, buffer.buffer, source, layout, &[again]);
            transfers(commands);
            let filter = vk::Filter::NEAREST;
            rig.device
                .cmd_blit_image(commands, source, layout, target, layout, &[blit], filter);
            transfers(commands);
        }
        rig.barrier(commands);
        download(&rig, commands, &got, target, &parts);
    });
    assert!(got.data.iter().all(|byte| *byte == 0x22));
}
