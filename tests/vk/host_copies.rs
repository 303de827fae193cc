//! Copies between images and host memory by the CPU (VK_EXT_host_image_copy), against copies by the
//! GPU.

use ash::{ext, vk};

use crate::images::{Image, Region, download, formats, info, noise, range, regions, upload};
use crate::modifiers::modifiers_with_features;
use crate::rig::Rig;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// The description with host transfer usage.
fn hosted(of: vk::ImageCreateInfo<'static>) -> vk::ImageCreateInfo<'static> {
    of.usage(of.usage | vk::ImageUsageFlags::HOST_TRANSFER_EXT)
}

/// Whether images of a format and tiling can be copied by the host.
fn has_host_transfer(rig: &Rig, format: vk::Format, tiling: vk::ImageTiling) -> bool {
    let mut newer = vk::FormatProperties3::default();
    let mut found = vk::FormatProperties2::default().push_next(&mut newer);
    let (instance, device) = (&rig.instance, rig.physical);
    unsafe { instance.get_physical_device_format_properties2(device, format, &mut found) };
    let features = match tiling {
        vk::ImageTiling::LINEAR => newer.linear_tiling_features,
        _ => newer.optimal_tiling_features,
    };
    features.contains(vk::FormatFeatureFlags2::HOST_IMAGE_TRANSFER_EXT)
}

/// Copies host memory to regions of an image.
fn write(
    host: &ext::host_image_copy::Device,
    image: vk::Image,
    regions: &[Region],
    from: &[u8],
    flags: vk::HostImageCopyFlagsEXT,
) {
    let copies: Vec<_> = regions
        .iter()
        .map(|region| {
            let copy = &region.copy;
            let mut to = vk::MemoryToImageCopyEXT::default()
                .memory_row_length(copy.buffer_row_length)
                .memory_image_height(copy.buffer_image_height)
                .image_subresource(copy.image_subresource)
                .image_extent(copy.image_extent);
            to.p_host_pointer = from[copy.buffer_offset as usize..].as_ptr().cast();
            to
        })
        .collect();
    let info = vk::CopyMemoryToImageInfoEXT::default()
        .flags(flags)
        .dst_image(image)
        .dst_image_layout(GENERAL)
        .regions(&copies);
    unsafe { host.copy_memory_to_image(&info) }.unwrap();
}

/// Copies regions of an image to host memory.
fn read(
    host: &ext::host_image_copy::Device,
    image: vk::Image,
    regions: &[Region],
    to: &mut [u8],
    flags: vk::HostImageCopyFlagsEXT,
) {
    let copies: Vec<_> = regions
        .iter()
        .map(|region| {
            let copy = &region.copy;
            let mut from = vk::ImageToMemoryCopyEXT::default()
                .memory_row_length(copy.buffer_row_length)
                .memory_image_height(copy.buffer_image_height)
                .image_subresource(copy.image_subresource)
                .image_extent(copy.image_extent);
            from.p_host_pointer = to[copy.buffer_offset as usize..].as_mut_ptr().cast();
            from
        })
        .collect();
    let info = vk::CopyImageToMemoryInfoEXT::default()
        .flags(flags)
        .src_image(image)
        .src_image_layout(GENERAL)
        .regions(&copies);
    unsafe { host.copy_image_to_memory(&info) }.unwrap();
}

/// Brings an image with undefined contents into the general layout.
fn prepare(host: &ext::host_image_copy::Device, image: vk::Image, format: vk::Format) {
    let aspects = crate::images::aspects(format);
    let aspects = aspects
        .into_iter()
        .reduce(|all, aspect| all | aspect)
        .unwrap();
    let change = vk::HostImageLayoutTransitionInfoEXT::default()
        .image(image)
        .new_layout(GENERAL)
        .subresource_range(range(aspects));
    unsafe { host.transition_image_layout(&[change]) }.unwrap();
}

/// Compares the rows of regions, which differ in their padding.
fn compare(what: &str, from: (&[Region], &[u8]), to: (&[Region], &[u8])) {
    for (source, target) in from.0.iter().zip(to.0) {
        for (left, right) in source.spans().zip(target.spans()) {
            assert!(from.1[left] == to.1[right], "{what}");
        }
    }
}

/// Writes an image by the host and reads it by the GPU, and the reverse.
fn there_and_back(rig: &Rig, host: &ext::host_image_copy::Device, of: &vk::ImageCreateInfo<'_>) {
    let none = vk::HostImageCopyFlagsEXT::empty();
    let (tight, loose) = (regions(of, false), regions(of, true));
    let end = |regions: &[Region]| regions.last().map_or(0, Region::end);
    let what = format!("{:?} {:?} {:?}", of.format, of.tiling, of.extent);
    let mut noisy = vec![0; end(&loose)];
    noise(&mut noisy, of.format.as_raw().cast_unsigned());
    let image = Image::new(rig, of);
    prepare(host, image.image, of.format);
    write(host, image.image, &loose, &noisy, none);
    let got = rig.buffer(end(&tight).max(4) as u64);
    rig.run(|commands| download(rig, commands, &got, image.image, &tight));
    compare(&what, (&loose, &noisy), (&tight, got.data));
    let source = rig.buffer(end(&tight).max(4) as u64);
    noise(source.data, 77);
    let other = Image::new(rig, of);
    rig.run(|commands| upload(rig, commands, &source, other.image, &tight));
    let mut read_back = vec![0xa5; end(&loose)];
    read(host, other.image, &loose, &mut read_back, none);
    compare(&what, (&tight, source.data), (&loose, &read_back));
    let mut untouched = vec![true; read_back.len()];
    for region in &loose {
        region.spans().for_each(|span| untouched[span].fill(false));
    }
    let mut kept = read_back.iter().zip(untouched).filter(|(_, kept)| *kept);
    assert!(kept.all(|(byte, _)| *byte == 0xa5), "{what}");
}

#[test]
fn the_host_and_the_gpu_see_the_same_texels() {
    let rig = Rig::new();
    let host = ext::host_image_copy::Device::new(&rig.instance, &rig.device);
    for tiling in [vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR] {
        let mut formats = formats(&rig, tiling);
        formats.retain(|&format| has_host_transfer(&rig, format, tiling));
        assert!(formats.len() > 90, "{}", formats.len());
        for format in formats {
            there_and_back(&rig, &host, &hosted(info(format, tiling)));
        }
    }
    let volume = info(vk::Format::R16G16_UINT, vk::ImageTiling::OPTIMAL)
        .image_type(vk::ImageType::TYPE_3D)
        .array_layers(1)
        .extent(vk::Extent3D {
            width: 19,
            height: 40,
            depth: 9,
        });
    there_and_back(&rig, &host, &hosted(volume));
    let line = info(vk::Format::R32_UINT, vk::ImageTiling::OPTIMAL)
        .image_type(vk::ImageType::TYPE_1D)
        .extent(vk::Extent3D {
            width: 300,
            height: 1,
            depth: 1,
        });
    there_and_back(&rig, &host, &hosted(line));
}

/// Images with a modifier: every format has host transfers for each modifier without CCS, which the
/// host does not know.
#[test]
fn the_host_copies_images_with_modifiers() {
    let rig = Rig::new();
    let host = ext::host_image_copy::Device::new(&rig.instance, &rig.device);
    let tiling = vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT;
    let mut copied = [0; 3];
    for format in formats(&rig, vk::ImageTiling::OPTIMAL) {
        for listed in modifiers_with_features(&rig, format) {
            let code = listed.drm_format_modifier;
            let features = listed.drm_format_modifier_tiling_features;
            let has_ccs = listed.drm_format_modifier_plane_count > 1;
            let hosts = features.contains(vk::FormatFeatureFlags2::HOST_IMAGE_TRANSFER_EXT);
            assert_eq!(hosts, !has_ccs, "{format:?}, modifier {code:#x}");
            if !hosts {
                continue;
            }
            // Linear, X and Y: 0, 1 and 2 in the lowest bits.
            copied[(code & 3) as usize] += 1;
            let codes = [code];
            let mut list =
                vk::ImageDrmFormatModifierListCreateInfoEXT::default().drm_format_modifiers(&codes);
            let plain = hosted(info(format, tiling).mip_levels(1).array_layers(1));
            there_and_back(&rig, &host, &plain.push_next(&mut list));
        }
    }
    assert!(copied.iter().all(|&count| count > 50), "{copied:?}");
}

#[test]
fn attachments_are_seen_by_the_host() {
    // Large enough for fast clears, of which the host would see nothing.
    let rig = Rig::new();
    let d = &rig.device;
    let host = ext::host_image_copy::Device::new(&rig.instance, d);
    let side = 300;
    let of = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: side,
            height: side,
            depth: 1,
        })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::HOST_TRANSFER_EXT);
    let image = Image::new(&rig, &of);
    let view = crate::textures::view(
        &rig,
        &image,
        vk::ImageViewType::TYPE_2D,
        of.format,
        vk::ImageAspectFlags::COLOR,
    );
    let drawn = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let change = vk::HostImageLayoutTransitionInfoEXT::default()
        .image(image.image)
        .new_layout(drawn)
        .subresource_range(range(vk::ImageAspectFlags::COLOR));
    unsafe { host.transition_image_layout(&[change]) }.unwrap();
    rig.run(|commands| {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(drawn)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue {
                color: vk::ClearColorValue {
                    float32: [0.2, 0.4, 0.6, 1.0],
                },
            })];
        let info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D {
                extent: vk::Extent2D {
                    width: side,
                    height: side,
                },
                ..Default::default()
            })
            .layer_count(1)
            .color_attachments(&colours);
        unsafe {
            d.cmd_begin_rendering(commands, &info);
            d.cmd_end_rendering(commands);
        }
    });
    let mut texels = vec![0; (side * side * 4) as usize];
    let none = vk::HostImageCopyFlagsEXT::empty();
    read(&host, image.image, &regions(&of, false), &mut texels, none);
    assert!(texels.chunks(4).all(|texel| texel == [51, 102, 153, 255]));
    unsafe { d.destroy_image_view(view, None) };
    let mut query = vk::HostImageCopyDevicePerformanceQueryEXT::default();
    for (usage, expected) in [
        (vk::ImageUsageFlags::SAMPLED, 1),
        (vk::ImageUsageFlags::COLOR_ATTACHMENT, 0),
    ] {
        let mut found = vk::ImageFormatProperties2::default().push_next(&mut query);
        let asked = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(of.format)
            .ty(of.image_type)
            .usage(usage | vk::ImageUsageFlags::HOST_TRANSFER_EXT);
        unsafe {
            let instance = &rig.instance;
            instance
                .get_physical_device_image_format_properties2(rig.physical, &asked, &mut found)
                .unwrap();
        }
        assert_eq!(
            [query.optimal_device_access, query.identical_memory_layout],
            [expected; 2]
        );
    }
}

#[test]
fn the_host_copies_images_to_images_and_plain_memory() {
    let rig = Rig::new();
    let host = ext::host_image_copy::Device::new(&rig.instance, &rig.device);
    let plain = vk::HostImageCopyFlagsEXT::MEMCPY;
    let none = vk::HostImageCopyFlagsEXT::empty();
    let blocks = vk::Format::BC1_RGB_UNORM_BLOCK;
    let tiled = hosted(info(blocks, vk::ImageTiling::OPTIMAL));
    let source = Image::new(&rig, &tiled);
    prepare(&host, source.image, blocks);
    let tight = regions(&tiled, false);
    let end = tight.last().map_or(0, Region::end);
    let mut noisy = vec![0; end];
    noise(&mut noisy, 5);
    write(&host, source.image, &tight, &noisy, none);
    // What a plain copy reads, a plain copy writes.
    let sizes: u64 = (0..tiled.mip_levels)
        .map(|level| {
            let asked = vk::ImageSubresource2EXT::default().image_subresource(
                vk::ImageSubresource::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .mip_level(level),
            );
            let mut size = vk::SubresourceHostMemcpySizeEXT::default();
            let mut layout = vk::SubresourceLayout2EXT::default().push_next(&mut size);
            unsafe { host.get_image_subresource_layout2(source.image, &asked, &mut layout) };
            size.size * u64::from(tiled.array_layers)
        })
        .sum();
    assert_eq!(sizes, end as u64);
    let mut raw = vec![0; end];
    read(&host, source.image, &tight, &mut raw, plain);
    let copied = Image::new(&rig, &tiled);
    prepare(&host, copied.image, blocks);
    write(&host, copied.image, &tight, &raw, plain);
    let mut got = vec![0; end];
    read(&host, copied.image, &tight, &mut got, none);
    assert!(got == noisy);
    // A block of eight bytes is a texel of another format: three by two blocks at (2, 1).
    let texels = hosted(info(vk::Format::R32G32_UINT, vk::ImageTiling::LINEAR));
    let texels = texels.mip_levels(1).array_layers(1);
    let target = Image::new(&rig, &texels);
    prepare(&host, target.image, texels.format);
    let layer = |base_array_layer| vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        base_array_layer,
        layer_count: 1,
    };
    let region = [vk::ImageCopy2::default()
        .src_subresource(layer(1))
        .src_offset(vk::Offset3D { x: 8, y: 4, z: 0 })
        .dst_subresource(layer(0))
        .dst_offset(vk::Offset3D { x: 5, y: 6, z: 0 })
        .extent(vk::Extent3D {
            width: 12,
            height: 8,
            depth: 1,
        })];
    let copy = vk::CopyImageToImageInfoEXT::default()
        .src_image(source.image)
        .src_image_layout(GENERAL)
        .dst_image(target.image)
        .dst_image_layout(GENERAL)
        .regions(&region);
    unsafe { host.copy_image_to_image(&copy) }.unwrap();
    let all = regions(&texels, false);
    let mut got = vec![0; all.last().map_or(0, Region::end)];
    read(&host, target.image, &all, &mut got, none);
    // Level 0 has 10 by 6 blocks in each layer.
    for row in 0..2 {
        let from = (60 + (1 + row) * 10 + 2) * 8;
        let to = ((6 + row) * 37 + 5) * 8;
        assert_eq!(noisy[from..from + 24], got[to..to + 24], "row {row}");
    }
}

#[test]
fn properties_list_the_layouts() {
    let rig = Rig::new();
    let query = |copy: &mut vk::PhysicalDeviceHostImageCopyPropertiesEXT<'_>| unsafe {
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(copy);
        let instance = &rig.instance;
        instance.get_physical_device_properties2(rig.physical, &mut all);
    };
    let mut counted = vk::PhysicalDeviceHostImageCopyPropertiesEXT::default();
    query(&mut counted);
    let count = counted.copy_src_layout_count as usize;
    assert!(count > 0 && counted.copy_dst_layout_count as usize == count);
    assert_eq!(counted.identical_memory_type_requirements, vk::TRUE);
    assert_ne!(counted.optimal_tiling_layout_uuid, [0; 16]);
    let mut lists = [vec![vk::ImageLayout::UNDEFINED; count], vec![GENERAL; 1]];
    let [sources, targets] = &mut lists;
    let mut filled = vk::PhysicalDeviceHostImageCopyPropertiesEXT::default()
        .copy_src_layouts(sources)
        .copy_dst_layouts(targets);
    query(&mut filled);
    assert_eq!(filled.copy_dst_layout_count, 1);
    assert!(lists[0].contains(&GENERAL));
    assert!(!lists[0].contains(&vk::ImageLayout::UNDEFINED));
}
