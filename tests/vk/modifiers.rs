//! Images that leave the device with a modifier: where their texels lie, and another device that
//! reads them there.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::range;
use crate::rig::Rig;
use crate::textures::{COLOUR, floats, image_info};

const INTEL: u64 = 1 << 56;
const LINEAR: u64 = 0;
const X_TILED: u64 = INTEL | 1;
const Y_TILED: u64 = INTEL | 2;
const Y_CCS: u64 = INTEL | 4;
const WIDTH: u32 = 200;
const HEIGHT: u32 = 20;

/// The modifiers of a format, best first, with all of their features.
pub fn modifiers_with_features(
    rig: &Rig,
    format: vk::Format,
) -> Vec<vk::DrmFormatModifierProperties2EXT> {
    let ask = |list: &mut vk::DrmFormatModifierPropertiesList2EXT<'_>| {
        let mut out = vk::FormatProperties2::default().push_next(list);
        let instance = &rig.instance;
        unsafe { instance.get_physical_device_format_properties2(rig.physical, format, &mut out) };
    };
    let mut list = vk::DrmFormatModifierPropertiesList2EXT::default();
    ask(&mut list);
    let mut all = vec![Default::default(); list.drm_format_modifier_count as usize];
    let mut list =
        vk::DrmFormatModifierPropertiesList2EXT::default().drm_format_modifier_properties(&mut all);
    ask(&mut list);
    all
}

/// The modifiers of a format, best first, with features and planes.
fn modifiers(rig: &Rig, format: vk::Format) -> Vec<vk::DrmFormatModifierPropertiesEXT> {
    let ask = |list: &mut vk::DrmFormatModifierPropertiesListEXT<'_>| {
        let mut out = vk::FormatProperties2::default().push_next(list);
        unsafe {
            rig.instance
                .get_physical_device_format_properties2(rig.physical, format, &mut out);
        }
    };
    let mut list = vk::DrmFormatModifierPropertiesListEXT::default();
    ask(&mut list);
    let mut all = vec![Default::default(); list.drm_format_modifier_count as usize];
    let mut list =
        vk::DrmFormatModifierPropertiesListEXT::default().drm_format_modifier_properties(&mut all);
    ask(&mut list);
    all
}

#[test]
fn formats_list_their_modifiers() {
    let rig = Rig::new();
    let all = modifiers(&rig, vk::Format::B8G8R8A8_UNORM);
    let codes: Vec<u64> = all.iter().map(|one| one.drm_format_modifier).collect();
    assert_eq!(codes, [LINEAR, X_TILED, Y_TILED, Y_CCS]);
    for one in &all {
        let planes = 1 + u32::from(one.drm_format_modifier == Y_CCS);
        assert_eq!(one.drm_format_modifier_plane_count, planes);
        let both = vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::SAMPLED_IMAGE;
        assert!(one.drm_format_modifier_tiling_features.contains(both));
    }
    // NV12, YUV420, P010.
    for (format, memory_planes) in [
        (vk::Format::G8_B8R8_2PLANE_420_UNORM, 2),
        (vk::Format::G8_B8_R8_3PLANE_420_UNORM, 3),
        (vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 2),
    ] {
        let planes = modifiers(&rig, format);
        let mut counts = planes.iter().map(|one| one.drm_format_modifier_plane_count);
        assert!(counts.all(|count| count == memory_planes));
        assert_eq!(planes.len(), 3);
    }
    // A format needs no DRM format: all colour formats that can be tiled have modifiers.
    for (format, expected) in [
        (
            vk::Format::R8G8B8A8_UINT,
            &[LINEAR, X_TILED, Y_TILED, Y_CCS][..],
        ),
        (
            vk::Format::A8B8G8R8_SINT_PACK32,
            &[LINEAR, X_TILED, Y_TILED, Y_CCS],
        ),
        (vk::Format::R16G16_SNORM, &[LINEAR, X_TILED, Y_TILED, Y_CCS]),
        (vk::Format::R16G16B16A16_UINT, &[LINEAR, X_TILED, Y_TILED]),
        (vk::Format::R8_SINT, &[LINEAR, X_TILED, Y_TILED]),
        (
            vk::Format::A2B10G10R10_UINT_PACK32,
            &[LINEAR, X_TILED, Y_TILED],
        ),
    ] {
        let all = modifiers(&rig, format);
        let mut codes = all.iter().map(|listed| listed.drm_format_modifier);
        assert!(codes.by_ref().eq(expected.iter().copied()), "{format:?}");
        for listed in all {
            let needed =
                vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::SAMPLED_IMAGE;
            let features = listed.drm_format_modifier_tiling_features;
            assert!(features.contains(needed), "{format:?}");
        }
    }
    for none in [
        vk::Format::D16_UNORM,
        vk::Format::BC1_RGB_UNORM_BLOCK,
        vk::Format::R8G8B8_UNORM,
        vk::Format::G8_B8_R8_3PLANE_444_UNORM,
    ] {
        assert!(modifiers(&rig, none).is_empty(), "{none:?}");
    }
    let ask = |code: u64, ty: vk::ImageType| {
        let mut modifier =
            vk::PhysicalDeviceImageDrmFormatModifierInfoEXT::default().drm_format_modifier(code);
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(vk::Format::B8G8R8A8_UNORM)
            .ty(ty)
            .tiling(vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT)
            .usage(vk::ImageUsageFlags::SAMPLED)
            .push_next(&mut modifier);
        let mut most = vk::ImageFormatProperties2::default();
        let found = unsafe {
            rig.instance.get_physical_device_image_format_properties2(
                rig.physical,
                &info,
                &mut most,
            )
        };
        found.map(|()| most.image_format_properties)
    };
    let most = ask(Y_TILED, vk::ImageType::TYPE_2D).unwrap();
    assert_eq!((most.max_mip_levels, most.max_array_layers), (1, 1));
    let refused = Some(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
    assert_eq!(ask(Y_TILED, vk::ImageType::TYPE_3D).err(), refused);
    assert_eq!(ask(INTEL | 5, vk::ImageType::TYPE_2D).err(), refused);
    // Linear images may have layers and other dimensions.
    let most = ask(LINEAR, vk::ImageType::TYPE_2D).unwrap();
    assert_eq!((most.max_mip_levels, most.max_array_layers), (1, 2048));
    for (ty, extent) in [
        (vk::ImageType::TYPE_1D, [16384, 1, 1]),
        (vk::ImageType::TYPE_3D, [2048; 3]),
    ] {
        let most = ask(LINEAR, ty).unwrap();
        let found = most.max_extent;
        assert_eq!([found.width, found.height, found.depth], extent);
        assert_eq!(most.max_mip_levels, 1);
    }
}

/// Slices of a linear image are accepted only where this driver would place them itself.
#[test]
fn explicit_slice_pitches_are_those_of_the_hardware() {
    let rig = Rig::new();
    let d = &rig.device;
    for (ty, extent, layers) in [
        (vk::ImageType::TYPE_2D, [20, 12, 1], 3),
        (vk::ImageType::TYPE_3D, [20, 12, 3], 1),
    ] {
        let info = || {
            image_info(vk::Format::R8G8B8A8_UNORM, extent, 1, layers)
                .image_type(ty)
                .tiling(vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT)
        };
        let codes = [LINEAR];
        let mut list =
            vk::ImageDrmFormatModifierListCreateInfoEXT::default().drm_format_modifiers(&codes);
        let plane =
            vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::MEMORY_PLANE_0_EXT);
        let layout = unsafe {
            let image = d.create_image(&info().push_next(&mut list), None).unwrap();
            let layout = d.get_image_subresource_layout(image, plane);
            d.destroy_image(image, None);
            layout
        };
        let slice = layout.array_pitch;
        assert_eq!(slice, layout.depth_pitch);
        // A slice has its own rows, of whole blocks.
        assert!(slice >= 12 * layout.row_pitch && slice.is_multiple_of(layout.row_pitch));
        let refused = Err(vk::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
        for (pitch, result) in [
            (slice, Ok(())),
            (slice + layout.row_pitch, refused),
            (0, refused),
        ] {
            let planes = [vk::SubresourceLayout {
                offset: 0,
                row_pitch: layout.row_pitch,
                array_pitch: if layers > 1 { pitch } else { 0 },
                depth_pitch: if layers > 1 { 0 } else { pitch },
                ..Default::default()
            }];
            let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::default()
                .drm_format_modifier(LINEAR)
                .plane_layouts(&planes);
            let made = unsafe { d.create_image(&info().push_next(&mut explicit), None) };
            assert_eq!(made.map(|_| ()), result);
            if let Ok(image) = made {
                unsafe { d.destroy_image(image, None) };
            }
        }
    }
}

/// Byte of a texel's four, as the PRM has tiles, vol. 5, "Tiling": X of 512 bytes × 8 rows, Y of
/// 128 × 32 in columns of 16.
fn place(code: u64, pitch: u64, x: u64, y: u64) -> u64 {
    let x = x * 4;
    match code {
        LINEAR => y * pitch + x,
        X_TILED => (y / 8 * (pitch / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512,
        _ => {
            let tile = y / 32 * (pitch / 128) + x / 128;
            tile * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16
        }
    }
}

fn info_of() -> vk::ImageCreateInfo<'static> {
    image_info(vk::Format::R8G8B8A8_UNORM, [WIDTH, HEIGHT, 1], 1, 1)
        .tiling(vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT)
}

#[test]
fn exported_modifier_layout_is_read_by_another_device() {
    let kind = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
    for code in [LINEAR, X_TILED, Y_TILED] {
        let (maker, reader) = (Rig::new(), Rig::new());
        let d = &maker.device;
        let texel = |x: u64, y: u64| (x * 7 + y * 1009 + 5) as u32;
        unsafe {
            let codes = [code, INTEL | 99];
            let mut list =
                vk::ImageDrmFormatModifierListCreateInfoEXT::default().drm_format_modifiers(&codes);
            let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(kind);
            let info = info_of().push_next(&mut list).push_next(&mut external);
            let image = d.create_image(&info, None).unwrap();
            let calls = ash::ext::image_drm_format_modifier::Device::new(&maker.instance, d);
            let mut found = vk::ImageDrmFormatModifierPropertiesEXT::default();
            calls
                .get_image_drm_format_modifier_properties(image, &mut found)
                .unwrap();
            assert_eq!(found.drm_format_modifier, code);
            let wants = d.get_image_memory_requirements(image);
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(kind);
            let ask = vk::MemoryAllocateInfo::default()
                .allocation_size(wants.size)
                .push_next(&mut export);
            let memory = d.allocate_memory(&ask, None).unwrap();
            d.bind_image_memory(image, memory, 0).unwrap();
            let part = vk::ImageSubresource::default()
                .aspect_mask(vk::ImageAspectFlags::MEMORY_PLANE_0_EXT);
            let layout = d.get_image_subresource_layout(image, part);
            assert!(
                layout.row_pitch >= u64::from(WIDTH) * 4 && layout.row_pitch.is_multiple_of(64)
            );
            // The host writes the texels at the positions that the modifier defines.
            let data = d
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .unwrap()
                .cast::<u8>();
            for y in 0..u64::from(HEIGHT) {
                for x in 0..u64::from(WIDTH) {
                    let at = layout.offset + place(code, layout.row_pitch, x, y);
                    data.add(at as usize)
                        .cast::<u32>()
                        .write_volatile(texel(x, y));
                }
            }
            let files = ash::khr::external_memory_fd::Device::new(&maker.instance, d);
            let ask = vk::MemoryGetFdInfoKHR::default()
                .memory(memory)
                .handle_type(kind);
            let fd = files.get_memory_fd(&ask).unwrap();

            let r = &reader.device;
            let planes = [vk::SubresourceLayout {
                offset: layout.offset,
                row_pitch: layout.row_pitch,
                ..Default::default()
            }];
            let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::default()
                .drm_format_modifier(code)
                .plane_layouts(&planes);
            let info = info_of().push_next(&mut explicit).push_next(&mut external);
            let seen = r.create_image(&info, None).unwrap();
            let mut import = vk::ImportMemoryFdInfoKHR::default()
                .handle_type(kind)
                .fd(fd);
            let ask = vk::MemoryAllocateInfo::default()
                .allocation_size(wants.size)
                .push_next(&mut import);
            let theirs = r.allocate_memory(&ask, None).unwrap();
            r.bind_image_memory(seen, theirs, 0).unwrap();
            let view = vk::ImageViewCreateInfo::default()
                .image(seen)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(vk::Format::R8G8B8A8_UNORM)
                .subresource_range(range(COLOUR));
            let view = r.create_image_view(&view, None).unwrap();
            // It is acquired from a foreign queue.
            reader.run(|commands| {
                let barrier = vk::ImageMemoryBarrier::default()
                    .src_queue_family_index(vk::QUEUE_FAMILY_FOREIGN_EXT)
                    .dst_queue_family_index(0)
                    .old_layout(vk::ImageLayout::GENERAL)
                    .new_layout(vk::ImageLayout::GENERAL)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ)
                    .image(seen)
                    .subresource_range(range(COLOUR));
                r.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::TOP_OF_PIPE,
                    vk::PipelineStageFlags::COMPUTE_SHADER,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[],
                    &[barrier],
                );
            });
            let out = reader.buffer(8 * 16);
            let glsl = "#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Out { vec4 texels[8]; };
layout(binding = 1) uniform texture2D image;
void main()
{
    uint i = gl_LocalInvocationID.x;
    texels[i] = texelFetch(image, ivec2(i * 27, i * 2 + 3), 0);
}";
            let given = [Descriptor::Image(
                vk::DescriptorType::SAMPLED_IMAGE,
                view,
                vk::Sampler::null(),
            )];
            run(&reader, glsl, &out, &given, &[], UpdateBy::Write);
            for (i, found) in (0..).zip(floats(&out).chunks(4)) {
                let meant = texel(i * 27, i * 2 + 3).to_le_bytes();
                for (found, meant) in found.iter().zip(meant) {
                    assert!(
                        (found * 255.0 - f32::from(meant)).abs() < 0.01,
                        "{code:#x}, {i}"
                    );
                }
            }
            r.destroy_image_view(view, None);
            r.destroy_image(seen, None);
            r.free_memory(theirs, None);
            d.destroy_image(image, None);
            d.free_memory(memory, None);
        }
    }
}

#[test]
fn unsupported_modifier_layouts_are_rejected() {
    let rig = Rig::new();
    for (code, offset, pitch) in [
        // Less than a row, a pitch of no whole tiles, the midst of a tile.
        (LINEAR, 0, 4),
        (Y_TILED, 0, 1000),
        (X_TILED, 100, 1024),
    ] {
        let planes = [vk::SubresourceLayout {
            offset,
            row_pitch: pitch,
            ..Default::default()
        }];
        let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::default()
            .drm_format_modifier(code)
            .plane_layouts(&planes);
        let info = info_of().push_next(&mut explicit);
        let refused = unsafe { rig.device.create_image(&info, None) };
        assert_eq!(
            refused.err(),
            Some(vk::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT)
        );
    }
}

/// A colour as a clear value, and the bytes of a texel of that colour.
fn clears() -> [(vk::Format, vk::ClearColorValue, &'static [u8]); 5] {
    let uint32 = |uint32| vk::ClearColorValue { uint32 };
    let int32 = |int32| vk::ClearColorValue { int32 };
    let float32 = [-1.0, 0.25, 0.0, 0.0];
    [
        // -1 is -32767; 0.25 is 8191.75, to the nearest 8192.
        (
            vk::Format::R16G16_SNORM,
            vk::ClearColorValue { float32 },
            &[0x01, 0x80, 0x00, 0x20],
        ),
        (
            vk::Format::A8B8G8R8_SINT_PACK32,
            int32([-2, 3, -128, 127]),
            &[0xfe, 3, 0x80, 0x7f],
        ),
        (vk::Format::R8_SINT, int32([-7, 0, 0, 0]), &[0xf9]),
        // Ten bits each from bit 0 up, and two: 0x3ff, 1, 2, 3.
        (
            vk::Format::A2B10G10R10_UINT_PACK32,
            uint32([0x3ff, 1, 2, 3]),
            &[0xff, 0x07, 0x20, 0xc0],
        ),
        (
            vk::Format::R16G16B16A16_UINT,
            uint32([0x1234, 0xffff, 1, 0x8000]),
            &[0x34, 0x12, 0xff, 0xff, 1, 0, 0, 0x80],
        ),
    ]
}

#[test]
fn formats_without_a_drm_format_are_cleared_and_read() {
    let rig = Rig::new();
    let extent = [67, 35];
    for (format, value, texel) in clears() {
        let all = modifiers(&rig, format);
        assert!(all.len() >= 3, "{format:?}");
        for listed in all {
            let codes = [listed.drm_format_modifier];
            let mut list =
                vk::ImageDrmFormatModifierListCreateInfoEXT::default().drm_format_modifiers(&codes);
            let info = image_info(format, [extent[0], extent[1], 1], 1, 1)
                .tiling(vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT)
                .usage(
                    vk::ImageUsageFlags::TRANSFER_SRC
                        | vk::ImageUsageFlags::TRANSFER_DST
                        | vk::ImageUsageFlags::COLOR_ATTACHMENT,
                )
                .push_next(&mut list);
            let image = crate::images::Image::new(&rig, &info);
            let regions = crate::images::regions(&info, false);
            let bytes = texel.len() * (extent[0] * extent[1]) as usize;
            let copied = rig.buffer(bytes as u64);
            let layout = vk::ImageLayout::GENERAL;
            rig.run(|commands| unsafe {
                let barrier = vk::ImageMemoryBarrier::default()
                    .new_layout(layout)
                    .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .image(image.image)
                    .subresource_range(range(COLOUR));
                rig.device.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::TOP_OF_PIPE,
                    vk::PipelineStageFlags::TRANSFER,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[],
                    &[barrier],
                );
                let all = [range(COLOUR)];
                rig.device
                    .cmd_clear_color_image(commands, image.image, layout, &value, &all);
                rig.barrier(commands);
                crate::images::download(&rig, commands, &copied, image.image, &regions);
            });
            let what = format!("{format:?}, modifier {:#x}", codes[0]);
            let mut texels = copied.data[..bytes].chunks_exact(texel.len());
            assert!(texels.all(|found| found == texel), "{what}");
        }
    }
}
