//! Images of I915_FORMAT_MOD_Y_TILED_CCS: compressed blocks that one device leaves in shared memory
//! and another reads or resolves there.

use ash::vk;

use crate::images::range;
use crate::rig::{Buffer, Rig};
use crate::textures::{COLOUR, image_info};

const INTEL: u64 = 1 << 56;
const Y_TILED: u64 = INTEL | 2;
const Y_CCS: u64 = INTEL | 4;
/// Large enough for a fast clear, and of no whole tiles.
const SIZE: [u32; 2] = [500, 300];
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DMA_BUF: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
/// The clear colour, and the colour of a rectangle over it.
const CLEAR: [u8; 4] = [51, 102, 153, 255];
const FILL: [u8; 4] = [255, 0, 102, 51];
/// The rectangle: left, top, width, height.
const FILLED: [u32; 4] = [40, 70, 200, 100];

/// The colour of a pixel.
fn meant(x: u32, y: u32) -> [u8; 4] {
    let [left, top, width, height] = FILLED;
    match (left..left + width).contains(&x) && (top..top + height).contains(&y) {
        true => FILL,
        false => CLEAR,
    }
}

/// A colour as floats.
fn colour(bytes: [u8; 4]) -> vk::ClearValue {
    let float32 = bytes.map(|byte| f32::from(byte) / 255.0);
    vk::ClearValue {
        color: vk::ClearColorValue { float32 },
    }
}

fn info() -> vk::ImageCreateInfo<'static> {
    image_info(FORMAT, [SIZE[0], SIZE[1], 1], 1, 1)
        .tiling(vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT)
        .usage(
            vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::TRANSFER_SRC,
        )
}

/// The layouts of the two memory planes.
fn plane_layouts(rig: &Rig, image: vk::Image) -> [vk::SubresourceLayout; 2] {
    [
        vk::ImageAspectFlags::MEMORY_PLANE_0_EXT,
        vk::ImageAspectFlags::MEMORY_PLANE_1_EXT,
    ]
    .map(|aspect| {
        let part = vk::ImageSubresource::default().aspect_mask(aspect);
        unsafe { rig.device.get_image_subresource_layout(image, part) }
    })
}

/// An image with the modifier, and memory to export.
fn exported(rig: &Rig) -> (vk::Image, vk::DeviceMemory, u64) {
    let d = &rig.device;
    let codes = [Y_CCS];
    let mut list =
        vk::ImageDrmFormatModifierListCreateInfoEXT::default().drm_format_modifiers(&codes);
    let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(DMA_BUF);
    let info = info().push_next(&mut list).push_next(&mut external);
    unsafe {
        let image = d.create_image(&info, None).unwrap();
        let wants = d.get_image_memory_requirements(image);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(DMA_BUF);
        let ask = vk::MemoryAllocateInfo::default()
            .allocation_size(wants.size)
            .push_next(&mut export);
        let memory = d.allocate_memory(&ask, None).unwrap();
        d.bind_image_memory(image, memory, 0).unwrap();
        (image, memory, wants.size)
    }
}

/// The image in another device, with the memory's planes.
fn imported(
    rig: &Rig,
    maker: (&Rig, vk::DeviceMemory, u64),
    code: u64,
    layouts: &[vk::SubresourceLayout],
) -> (vk::Image, vk::DeviceMemory) {
    let d = &rig.device;
    let planes: Vec<_> = layouts
        .iter()
        .map(|layout| vk::SubresourceLayout {
            offset: layout.offset,
            row_pitch: layout.row_pitch,
            ..Default::default()
        })
        .collect();
    let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::default()
        .drm_format_modifier(code)
        .plane_layouts(&planes);
    let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(DMA_BUF);
    let info = info().push_next(&mut explicit).push_next(&mut external);
    let (maker, memory, bytes) = maker;
    unsafe {
        let files = ash::khr::external_memory_fd::Device::new(&maker.instance, &maker.device);
        let ask = vk::MemoryGetFdInfoKHR::default()
            .memory(memory)
            .handle_type(DMA_BUF);
        let fd = files.get_memory_fd(&ask).unwrap();
        let image = d.create_image(&info, None).unwrap();
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(DMA_BUF)
            .fd(fd);
        let ask = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes)
            .push_next(&mut import);
        let memory = d.allocate_memory(&ask, None).unwrap();
        d.bind_image_memory(image, memory, 0).unwrap();
        (image, memory)
    }
}

/// Records a change of layout or owner.
fn change(
    rig: &Rig,
    commands: vk::CommandBuffer,
    image: vk::Image,
    layouts: [vk::ImageLayout; 2],
    families: [u32; 2],
) {
    let barrier = vk::ImageMemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
        .old_layout(layouts[0])
        .new_layout(layouts[1])
        .src_queue_family_index(families[0])
        .dst_queue_family_index(families[1])
        .image(image)
        .subresource_range(range(COLOUR));
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let none = vk::DependencyFlags::empty();
    unsafe {
        rig.device
            .cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]);
    }
}

const OURS: [u32; 2] = [vk::QUEUE_FAMILY_IGNORED; 2];
const RELEASE: [u32; 2] = [0, vk::QUEUE_FAMILY_FOREIGN_EXT];
const ACQUIRE: [u32; 2] = [vk::QUEUE_FAMILY_FOREIGN_EXT, 0];

/// Clears the image, fills the rectangle, and releases the image.
fn draw(rig: &Rig, image: vk::Image, released_as: vk::ImageLayout) {
    let d = &rig.device;
    let view = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(FORMAT)
        .subresource_range(range(COLOUR));
    let view = unsafe { d.create_image_view(&view, None) }.unwrap();
    let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let area = vk::Rect2D {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D {
            width: SIZE[0],
            height: SIZE[1],
        },
    };
    let rendering = ash::khr::dynamic_rendering::Device::new(&rig.instance, d);
    rig.run(|commands| unsafe {
        change(
            rig,
            commands,
            image,
            [vk::ImageLayout::UNDEFINED, layout],
            OURS,
        );
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(layout)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(colour(CLEAR))];
        let info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&attachments);
        rendering.cmd_begin_rendering(commands, &info);
        let fill = vk::ClearAttachment {
            aspect_mask: COLOUR,
            color_attachment: 0,
            clear_value: colour(FILL),
        };
        let [left, top, width, height] = FILLED;
        let rect = vk::ClearRect {
            rect: vk::Rect2D {
                offset: vk::Offset2D {
                    x: left as i32,
                    y: top as i32,
                },
                extent: vk::Extent2D { width, height },
            },
            base_array_layer: 0,
            layer_count: 1,
        };
        d.cmd_clear_attachments(commands, &[fill], &[rect]);
        rendering.cmd_end_rendering(commands);
        change(rig, commands, image, [layout, released_as], RELEASE);
    });
    unsafe { d.destroy_image_view(view, None) };
}

/// Copies the image, acquired in a layout, to a buffer: its pixels.
fn copied(rig: &Rig, image: vk::Image, acquired_as: vk::ImageLayout) -> Vec<u8> {
    let bytes = u64::from(SIZE[0] * SIZE[1] * 4);
    let out: Buffer<'_> = rig.buffer_for(bytes, vk::BufferUsageFlags::TRANSFER_DST);
    let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    rig.run(|commands| unsafe {
        change(rig, commands, image, [acquired_as, layout], ACQUIRE);
        let region = vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: COLOUR,
                layer_count: 1,
                ..Default::default()
            })
            .image_extent(vk::Extent3D {
                width: SIZE[0],
                height: SIZE[1],
                depth: 1,
            });
        let d = &rig.device;
        d.cmd_copy_image_to_buffer(commands, image, layout, out.buffer, &[region]);
        rig.barrier(commands);
    });
    out.dwords()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

/// The number of pixels of another colour than was drawn.
fn wrong(pixels: &[u8]) -> usize {
    let places = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
    let pixels = pixels.chunks_exact(4).zip(places);
    pixels
        .filter(|(pixel, (x, y))| *pixel != meant(*x, *y))
        .count()
}

/// Draws in one device, and copies in another that knows the first planes only, then in one that
/// knows all. Returns the number of wrong pixels of each.
fn share(released_as: vk::ImageLayout, acquired_as: vk::ImageLayout) -> [usize; 2] {
    let (maker, reader) = (Rig::new(), Rig::new());
    let (image, memory, bytes) = exported(&maker);
    let layouts = plane_layouts(&maker, image);
    assert!(layouts[0].offset + layouts[0].size <= layouts[1].offset);
    assert!(layouts[1].offset.is_multiple_of(4096) && layouts[1].row_pitch.is_multiple_of(128));
    draw(&maker, image, released_as);
    let of = (&maker, memory, bytes);
    let found = [(Y_TILED, 1), (Y_CCS, 2)].map(|(code, planes)| {
        let (seen, theirs) = imported(&reader, of, code, &layouts[..planes]);
        let pixels = copied(&reader, seen, acquired_as);
        unsafe {
            reader.device.destroy_image(seen, None);
            reader.device.free_memory(theirs, None);
        }
        wrong(&pixels)
    });
    unsafe {
        maker.device.destroy_image(image, None);
        maker.device.free_memory(memory, None);
    }
    found
}

#[test]
fn compressed_blocks_are_released_and_resolved_by_who_acquires_them() {
    let general = vk::ImageLayout::GENERAL;
    let [plain, with_ccs] = share(general, general);
    assert!(plain > 0, "nothing was compressed");
    assert_eq!(with_ccs, 0);
}

/// The maker acquires the image again, once unmodified, and copies it.
#[test]
fn an_image_that_nobody_modified_is_acquired_with_its_compressed_blocks() {
    let rig = Rig::new();
    let (image, memory, _) = exported(&rig);
    let general = vk::ImageLayout::GENERAL;
    draw(&rig, image, general);
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    rig.run(|commands| unsafe {
        let mut unmodified =
            vk::ExternalMemoryAcquireUnmodifiedEXT::default().acquire_unmodified_memory(true);
        let back = vk::ImageMemoryBarrier::default()
            .image(image)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ)
            .old_layout(general)
            .new_layout(general)
            .src_queue_family_index(ACQUIRE[0])
            .dst_queue_family_index(ACQUIRE[1])
            .subresource_range(range(COLOUR))
            .push_next(&mut unmodified);
        let none = vk::DependencyFlags::empty();
        let d = &rig.device;
        d.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[back]);
        change(&rig, commands, image, [general, general], RELEASE);
    });
    assert_eq!(wrong(&copied(&rig, image, general)), 0);
    unsafe {
        rig.device.destroy_image(image, None);
        rig.device.free_memory(memory, None);
    }
}

#[test]
fn imported_contents_survive_an_acquisition_from_undefined() {
    let [_, with_ccs] = share(vk::ImageLayout::GENERAL, vk::ImageLayout::UNDEFINED);
    assert_eq!(with_ccs, 0);
}

#[test]
fn layouts_of_the_ccs_that_the_hardware_does_not_support_are_rejected() {
    let rig = Rig::new();
    let (image, memory, _) = exported(&rig);
    let [pixels, ccs] = plane_layouts(&rig, image);
    let plane = |offset, row_pitch| vk::SubresourceLayout {
        offset,
        row_pitch,
        ..Default::default()
    };
    let first = plane(pixels.offset, pixels.row_pitch);
    for (second, accepted) in [
        (plane(ccs.offset, ccs.row_pitch), true),
        // No whole tile, the midst of one, and a gap that is wide enough.
        (plane(ccs.offset, ccs.row_pitch + 64), false),
        (plane(ccs.offset + 64, ccs.row_pitch), false),
        (plane(ccs.offset + 4096, ccs.row_pitch + 128), true),
    ] {
        let planes = [first, second];
        let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::default()
            .drm_format_modifier(Y_CCS)
            .plane_layouts(&planes);
        let info = info().push_next(&mut explicit);
        let made = unsafe { rig.device.create_image(&info, None) };
        let refused = vk::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
        match accepted {
            true => unsafe { rig.device.destroy_image(made.unwrap(), None) },
            false => assert_eq!(made.err(), Some(refused), "{second:?}"),
        }
    }
    unsafe {
        rig.device.destroy_image(image, None);
        rig.device.free_memory(memory, None);
    }
}
