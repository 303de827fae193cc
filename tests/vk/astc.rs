//! ASTC textures: blocks that the sampler reads wrong are patched by copies, and no texture beside
//! them has aux data.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::{Image, range};
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, image_info, nearest, view};

/// A block of one colour: the mode of void extents without coordinates, and four channels.
fn void_extent(colour: [u16; 4]) -> Vec<u8> {
    let mut block = vec![0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    block.extend(colour.iter().flat_map(|channel| channel.to_le_bytes()));
    block
}

/// Copies the whole image, in layout GENERAL, to a buffer: its bytes.
fn copied(rig: &Rig, image: &Image<'_>, info: &vk::ImageCreateInfo<'_>, bytes: usize) -> Vec<u8> {
    let out = rig.buffer(bytes as u64);
    rig.run(|commands| unsafe {
        let region = vk::BufferImageCopy::default()
            .image_subresource(whole())
            .image_extent(info.extent);
        let layout = vk::ImageLayout::GENERAL;
        let d = &rig.device;
        d.cmd_copy_image_to_buffer(commands, image.image, layout, out.buffer, &[region]);
        rig.barrier(commands);
    });
    out.data.to_vec()
}

fn whole() -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: COLOUR,
        layer_count: 1,
        ..Default::default()
    }
}

#[test]
fn copies_flush_denormal_colours_of_void_extents() {
    let rig = Rig::with_astc();
    let info = image_info(vk::Format::ASTC_4X4_UNORM_BLOCK, [12, 4, 1], 1, 1);
    let image = Image::new(&rig, &info);
    // The last has another mode: its weights only look like colours.
    let mut other = void_extent([1, 2, 3, 4]);
    other[0] = 0xf8;
    let blocks = [
        void_extent([1, 2, 3, 4]),
        void_extent([0x8000, 0, 0x0103, 3]),
        other.clone(),
    ];
    let patched = [
        void_extent([0, 0, 0, 4]),
        void_extent([0x8000, 0, 0x0103, 0]),
        other,
    ];
    fill(&rig, &image, &info, &blocks.concat());
    assert_eq!(copied(&rig, &image, &info, 48), patched.concat());
    // From an image with elements of the same size.
    let words = image_info(vk::Format::R32G32B32A32_UINT, [3, 1, 1], 1, 1);
    let source = Image::new(&rig, &words);
    fill(&rig, &source, &words, &blocks.concat());
    fill(&rig, &image, &info, &[0xff; 48]);
    rig.run(|commands| unsafe {
        let region = vk::ImageCopy::default()
            .src_subresource(whole())
            .dst_subresource(whole())
            .extent(words.extent);
        let (layout, d) = (vk::ImageLayout::GENERAL, &rig.device);
        d.cmd_copy_image(
            commands,
            source.image,
            layout,
            image.image,
            layout,
            &[region],
        );
        rig.barrier(commands);
    });
    assert_eq!(copied(&rig, &image, &info, 48), patched.concat());
    // Images of other formats hold what was copied to them.
    assert_eq!(copied(&rig, &source, &words, 48), blocks.concat());
}

/// Clears an image to a colour, and makes it a texture.
fn clear(rig: &Rig, image: vk::Image, extent: vk::Extent3D, float32: [f32; 4]) {
    let d = &rig.device;
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .subresource_range(range(COLOUR));
    let target = unsafe { d.create_image_view(&info, None) }.unwrap();
    let drawn = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let change = |commands, old, new| {
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .old_layout(old)
            .new_layout(new)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(range(COLOUR));
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        unsafe { d.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]) };
    };
    let rendering = ash::khr::dynamic_rendering::Device::new(&rig.instance, d);
    rig.run(|commands| unsafe {
        change(commands, vk::ImageLayout::UNDEFINED, drawn);
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(target)
            .image_layout(drawn)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue {
                color: vk::ClearColorValue { float32 },
            })];
        let (width, height) = (extent.width, extent.height);
        let info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D {
                extent: vk::Extent2D { width, height },
                ..Default::default()
            })
            .layer_count(1)
            .color_attachments(&attachments);
        rendering.cmd_begin_rendering(commands, &info);
        rendering.cmd_end_rendering(commands);
        change(commands, drawn, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
    });
    unsafe { d.destroy_image_view(target, None) };
}

/// A shader that samples both stops in strict mode if the image has aux data.
#[test]
fn blocks_of_5x5_and_drawn_images_are_sampled_together() {
    let rig = Rig::with_astc();
    let blocks = image_info(vk::Format::ASTC_5X5_UNORM_BLOCK, [5, 5, 1], 1, 1);
    let texture = Image::new(&rig, &blocks);
    fill(
        &rig,
        &texture,
        &blocks,
        &void_extent([0xffff, 0, 0, 0xffff]),
    );
    // Large enough for a CCS.
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::SAMPLED;
    let drawn = image_info(vk::Format::R8G8B8A8_UNORM, [512, 512, 1], 1, 1).usage(usage);
    let image = Image::new(&rig, &drawn);
    clear(&rig, image.image, drawn.extent, [0.0, 1.0, 0.0, 1.0]);
    let views = [(&texture, blocks.format), (&image, drawn.format)]
        .map(|(image, format)| view(&rig, image, vk::ImageViewType::TYPE_2D, format, COLOUR));
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let out = rig.buffer(16);
    let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    run(
        &rig,
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 sum; };
layout(binding = 1) uniform sampler2D blocks;
layout(binding = 2) uniform sampler2D drawn;
void main() { sum = texture(blocks, vec2(0.5)) + texture(drawn, vec2(0.5)); }",
        &out,
        &views.map(|view| Descriptor::Image(kind, view, sampler)),
        &[],
        UpdateBy::Write,
    );
    let found: Vec<f32> = out.dwords().into_iter().map(f32::from_bits).collect();
    assert_eq!(found, [1.0, 1.0, 0.0, 2.0]);
    unsafe {
        rig.device.destroy_sampler(sampler, None);
        for view in views {
            rig.device.destroy_image_view(view, None);
        }
    }
}
