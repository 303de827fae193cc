//! Resolves of sRGB samples: averages of their linear values, or of the values as they are encoded
//! (VK_KHR_maintenance10).

use std::ffi::c_void;

use ash::vk;

use crate::canvas::{Look, compile, pipeline};
use crate::images::{Image, download, range, regions};
use crate::rig::Rig;
use crate::textures::{COLOUR, image_info, view};

const FORMAT: vk::Format = vk::Format::R8G8B8A8_SRGB;
const FOUR: vk::SampleCountFlags = vk::SampleCountFlags::TYPE_4;
/// Large enough for fast clears.
const SIDE: u32 = 256;
/// `VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR`.
const ATTACHMENT_FLAGS: i32 = 1_000_630_002;
/// `VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR`.
const IMAGE_MODE: i32 = 1_000_630_004;

/// `VkRenderingAttachmentFlagsInfoKHR`; `VkResolveImageModeInfoKHR` with its modes.
#[repr(C)]
struct Flags {
    s_type: vk::StructureType,
    p_next: *const c_void,
    flags: u32,
    modes: [vk::ResolveModeFlags; 2],
}

impl Flags {
    fn new(kind: i32, flags: u32) -> Flags {
        Flags {
            s_type: vk::StructureType::from_raw(kind),
            p_next: std::ptr::null(),
            flags,
            modes: [vk::ResolveModeFlags::AVERAGE, vk::ResolveModeFlags::NONE],
        }
    }
}

/// What asks for a resolve.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    Rendering,
    Command,
}

/// What is done to samples that have linear values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Transfer {
    Default,
    Skip,
    Enable,
}

const COVERING: &str = "#version 450
void main()
{
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";
/// Two samples are one, two are zero, in all channels.
const HALF: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_SampleID & 1); }";

/// Clears four samples to half of the linear range, draws over them if asked, and resolves them.
/// Returns the pixel in the middle.
fn resolved(rig: &Rig, asked: Asked, transfer: Transfer, drawn: bool) -> [u8; 4] {
    use vk::ImageUsageFlags as U;
    let d = &rig.device;
    let usage = U::COLOR_ATTACHMENT | U::TRANSFER_SRC | U::TRANSFER_DST;
    let plain = image_info(FORMAT, [SIDE, SIDE, 1], 1, 1).usage(usage);
    let images = [plain.samples(FOUR), plain].map(|info| Image::new(rig, &info));
    let kind = vk::ImageViewType::TYPE_2D;
    let views = images
        .each_ref()
        .map(|image| view(rig, image, kind, FORMAT, COLOUR));
    let look = Look {
        bindings: &[],
        attributes: &[],
        samples: FOUR,
        dynamic: &[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR],
        formats: Some((FORMAT, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let layout = unsafe { d.create_pipeline_layout(&Default::default(), None) }.unwrap();
    let words = compile(COVERING, HALF);
    let halves = pipeline(rig, &words, &look, layout, vk::RenderPass::null()).unwrap();
    let back = regions(&plain, false);
    let got = rig.buffer(u64::from(SIDE * SIDE * 4));
    let area = vk::Rect2D {
        extent: vk::Extent2D {
            width: SIDE,
            height: SIDE,
        },
        ..Default::default()
    };
    let bits = |first: u32| match transfer {
        Transfer::Default => 0,
        Transfer::Skip => first,
        Transfer::Enable => first << 1,
    };
    let attachment_flags = Flags::new(ATTACHMENT_FLAGS, bits(2));
    let mode = Flags::new(IMAGE_MODE, bits(1));
    rig.run(|commands| unsafe {
        let drawing = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let change = |image: &Image<'_>, from, to| {
            let barrier = vk::ImageMemoryBarrier::default()
                .image(image.image)
                .old_layout(from)
                .new_layout(to)
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .subresource_range(range(COLOUR));
            let stage = vk::PipelineStageFlags::ALL_COMMANDS;
            let none = vk::DependencyFlags::empty();
            d.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &[barrier]);
        };
        for image in &images {
            change(image, vk::ImageLayout::UNDEFINED, drawing);
        }
        let mut colour = vk::RenderingAttachmentInfo::default()
            .image_view(views[0])
            .image_layout(drawing)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .clear_value(vk::ClearValue {
                color: vk::ClearColorValue {
                    float32: [0.5, 0.0, 1.0, 1.0],
                },
            });
        if asked == Asked::Rendering {
            colour = colour
                .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                .resolve_image_view(views[1])
                .resolve_image_layout(drawing);
            colour.p_next = (&raw const attachment_flags).cast();
        }
        let colours = [colour];
        let info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        if drawn {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, halves);
            let viewport = vk::Viewport {
                width: SIDE as f32,
                height: SIDE as f32,
                max_depth: 1.0,
                ..Default::default()
            };
            d.cmd_set_viewport(commands, 0, &[viewport]);
            d.cmd_set_scissor(commands, 0, &[area]);
            d.cmd_draw(commands, 3, 1, 0, 0);
        }
        d.cmd_end_rendering(commands);
        let [from, to] = [
            vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            vk::ImageLayout::GENERAL,
        ];
        change(&images[0], drawing, from);
        change(&images[1], drawing, to);
        if asked == Asked::Command {
            let layers = vk::ImageSubresourceLayers::default()
                .aspect_mask(COLOUR)
                .layer_count(1);
            let whole = [vk::ImageResolve2::default()
                .src_subresource(layers)
                .dst_subresource(layers)
                .extent(plain.extent)];
            let mut info = vk::ResolveImageInfo2::default()
                .src_image(images[0].image)
                .src_image_layout(from)
                .dst_image(images[1].image)
                .dst_image_layout(to)
                .regions(&whole);
            info.p_next = (&raw const mode).cast();
            d.cmd_resolve_image2(commands, &info);
        }
        rig.barrier(commands);
        download(rig, commands, &got, images[1].image, &back);
    });
    unsafe {
        d.destroy_pipeline(halves, None);
        d.destroy_pipeline_layout(layout, None);
        for view in views {
            d.destroy_image_view(view, None);
        }
    }
    let middle = ((SIDE / 2 * SIDE + SIDE / 2) * 4) as usize;
    got.data[middle..middle + 4].try_into().unwrap()
}

#[test]
fn srgb_samples_are_averaged_as_asked() {
    let rig = Rig::new();
    for asked in [Asked::Rendering, Asked::Command] {
        for transfer in [Transfer::Default, Transfer::Skip, Transfer::Enable] {
            let found = resolved(&rig, asked, transfer, true);
            // The mean of 0 and 255 is 127.5. That of the linear values is 0.5, whose code is
            // 0.735 × 255 = 187.5. Alpha is always linear.
            let expected = match transfer {
                Transfer::Skip => 127..=128,
                Transfer::Default | Transfer::Enable => 187..=188,
            };
            let colour = found[..3].iter().all(|byte| expected.contains(byte));
            assert!(
                colour && (127..=128).contains(&found[3]),
                "{asked:?} {transfer:?} {found:?}"
            );
            // Samples that agree stay as they are, if they were cleared only, too.
            let cleared = resolved(&rig, asked, transfer, false);
            let what = format!("{asked:?} {transfer:?} {cleared:?}");
            assert!((187..=188).contains(&cleared[0]), "{what}");
            assert_eq!(cleared[1..], [0, 255, 255], "{what}");
        }
    }
}
