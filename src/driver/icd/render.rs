//! Entry points of render passes, framebuffers and dynamic renderings.

use std::sync::Arc;

use ash::vk as c;
use vk::command::{
    Attachment, Begin, Choice, Clear, ClearArea, Colour, Dependency, DepthStencil,
    DepthStencilResolve, Framebuffer, Inherited, Load, Pass, RenderPass, Subpass,
    SubpassDependency, Views,
};

use crate::entry::{done, entries};
use crate::recording::record;
use crate::{handle, raw};

entries! { RENDER:
    Device vkCreateRenderPass(
        device: c::Device,
        create_info: *const c::RenderPassCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        render_pass: *mut c::RenderPass,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(render_pass, c::RenderPass::null());
        let info = raw::reference(create_info, "VkRenderPassCreateInfo")?;
        let attachments = raw::slice(info.p_attachments, info.attachment_count)
            .iter()
            .map(|a| attachment(a.format, a.samples, [a.load_op, a.stencil_load_op], [a.initial_layout, a.final_layout]))
            .collect::<vk::Result<_>>()?;
        let multiview = raw::find::<c::RenderPassMultiviewCreateInfo<'_>>(info.p_next);
        let masks = multiview.map_or(&[][..], |from| raw::slice(from.p_view_masks, from.subpass_count));
        let mut masks = masks.iter();
        let subpasses = raw::slice(info.p_subpasses, info.subpass_count)
            .iter()
            .map(|subpass| {
                let resolves = raw::slice(subpass.p_resolve_attachments, subpass.color_attachment_count);
                let colours = raw::slice(subpass.p_color_attachments, subpass.color_attachment_count);
                let inputs = raw::slice(subpass.p_input_attachments, subpass.input_attachment_count);
                Ok(Subpass {
                    colours: colours.iter().map(|r| used(r.attachment)).collect(),
                    depth_stencil: subpass.p_depth_stencil_attachment.as_ref().and_then(|r| used(r.attachment)),
                    resolves: resolves.iter().map(|r| used(r.attachment)).collect(),
                    depth_stencil_resolve: None,
                    inputs: inputs.iter().map(|r| used(r.attachment)).collect(),
                    layouts: colours
                        .iter()
                        .chain(resolves)
                        .chain(inputs)
                        .chain(subpass.p_depth_stencil_attachment.as_ref())
                        .filter_map(|r| Some((used(r.attachment)?, r.layout)))
                        .collect(),
                    views: Views::new(masks.next().copied().unwrap_or(0))?,
                })
            })
            .collect::<vk::Result<_>>()?;
        let dependencies = raw::slice(info.p_dependencies, info.dependency_count)
            .iter()
            .map(|d| SubpassDependency {
                source: inside(d.src_subpass),
                destination: inside(d.dst_subpass),
                dependency: Dependency {
                    source_stages: c::PipelineStageFlags2::from_raw(d.src_stage_mask.as_raw().into()),
                    source_access: c::AccessFlags2::from_raw(d.src_access_mask.as_raw().into()),
                    destination_stages: c::PipelineStageFlags2::from_raw(d.dst_stage_mask.as_raw().into()),
                    destination_access: c::AccessFlags2::from_raw(d.dst_access_mask.as_raw().into()),
                },
            })
            .collect();
        let made = RenderPass::new(attachments, subpasses, dependencies)?;
        raw::put(render_pass, handle::make_in(allocator, Arc::new(made))?);
        done()
    }

    Device vkCreateRenderPass2(
        device: c::Device,
        create_info: *const c::RenderPassCreateInfo2<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        render_pass: *mut c::RenderPass,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(render_pass, c::RenderPass::null());
        let info = raw::reference(create_info, "VkRenderPassCreateInfo2")?;
        let attachments = raw::slice(info.p_attachments, info.attachment_count)
            .iter()
            .map(|a| attachment(a.format, a.samples, [a.load_op, a.stencil_load_op], [a.initial_layout, a.final_layout]))
            .collect::<vk::Result<_>>()?;
        let subpasses = raw::slice(info.p_subpasses, info.subpass_count)
            .iter()
            .map(|subpass| {
                let resolves = raw::slice(subpass.p_resolve_attachments, subpass.color_attachment_count);
                let (mut depth_stencil_resolve, mut resolved) = (None, None);
                if let Some(resolve) = raw::find::<c::SubpassDescriptionDepthStencilResolve<'_>>(subpass.p_next) {
                    resolved = resolve.p_depth_stencil_resolve_attachment.as_ref();
                    if let Some(attachment) = resolved.and_then(|r| used(r.attachment)) {
                        depth_stencil_resolve = Some(DepthStencilResolve {
                            attachment,
                            depth: choice(resolve.depth_resolve_mode)?,
                            stencil: choice(resolve.stencil_resolve_mode)?,
                        });
                    }
                }
                let colours = raw::slice(subpass.p_color_attachments, subpass.color_attachment_count);
                let inputs = raw::slice(subpass.p_input_attachments, subpass.input_attachment_count);
                Ok(Subpass {
                    colours: colours.iter().map(|r| used(r.attachment)).collect(),
                    depth_stencil: subpass.p_depth_stencil_attachment.as_ref().and_then(|r| used(r.attachment)),
                    resolves: resolves.iter().map(|r| used(r.attachment)).collect(),
                    depth_stencil_resolve,
                    inputs: inputs.iter().map(|r| used(r.attachment)).collect(),
                    layouts: colours
                        .iter()
                        .chain(resolves)
                        .chain(inputs)
                        .chain(subpass.p_depth_stencil_attachment.as_ref())
                        .chain(resolved)
                        .filter_map(|r| Some((used(r.attachment)?, r.layout)))
                        .collect(),
                    views: Views::new(subpass.view_mask)?,
                })
            })
            .collect::<vk::Result<_>>()?;
        let dependencies = raw::slice(info.p_dependencies, info.dependency_count)
            .iter()
            .map(|d| {
                let mut dependency = Dependency {
                    source_stages: c::PipelineStageFlags2::from_raw(d.src_stage_mask.as_raw().into()),
                    source_access: c::AccessFlags2::from_raw(d.src_access_mask.as_raw().into()),
                    destination_stages: c::PipelineStageFlags2::from_raw(d.dst_stage_mask.as_raw().into()),
                    destination_access: c::AccessFlags2::from_raw(d.dst_access_mask.as_raw().into()),
                };
                // A barrier in the chain replaces them.
                if let Some(barrier) = raw::find::<c::MemoryBarrier2<'_>>(d.p_next) {
                    dependency = Dependency {
                        source_stages: barrier.src_stage_mask,
                        source_access: barrier.src_access_mask,
                        destination_stages: barrier.dst_stage_mask,
                        destination_access: barrier.dst_access_mask,
                    };
                }
                SubpassDependency { source: inside(d.src_subpass), destination: inside(d.dst_subpass), dependency }
            })
            .collect();
        let made = RenderPass::new(attachments, subpasses, dependencies)?;
        raw::put(render_pass, handle::make_in(allocator, Arc::new(made))?);
        done()
    }

    Device vkDestroyRenderPass(
        device: c::Device,
        render_pass: c::RenderPass,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(render_pass);
        Ok(())
    }

    Device vkGetRenderAreaGranularity(
        device: c::Device,
        render_pass: c::RenderPass,
        granularity: *mut c::Extent2D,
    ) {
        raw::put(granularity, c::Extent2D { width: 1, height: 1 });
        Ok(())
    }

    Device vkCreateFramebuffer(
        device: c::Device,
        create_info: *const c::FramebufferCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        framebuffer: *mut c::Framebuffer,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(framebuffer, c::Framebuffer::null());
        let info = raw::reference(create_info, "VkFramebufferCreateInfo")?;
        let views = match info.flags.contains(c::FramebufferCreateFlags::IMAGELESS) {
            true => Vec::new(),
            false => raw::slice(info.p_attachments, info.attachment_count)
                .iter()
                .map(|&view| handle::get(view).cloned())
                .collect::<vk::Result<_>>()?,
        };
        let made = Framebuffer { views, layers: info.layers };
        raw::put(framebuffer, handle::make_in(allocator, Arc::new(made))?);
        done()
    }

    Device vkDestroyFramebuffer(
        device: c::Device,
        framebuffer: c::Framebuffer,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(framebuffer);
        Ok(())
    }

    Device vkCmdBeginRenderPass(
        command_buffer: c::CommandBuffer,
        render_pass_begin: *const c::RenderPassBeginInfo<'_>,
        contents: c::SubpassContents,
    ) {
        begin_pass(command_buffer, render_pass_begin)
    }

    Device vkCmdBeginRenderPass2(
        command_buffer: c::CommandBuffer,
        render_pass_begin: *const c::RenderPassBeginInfo<'_>,
        subpass_begin_info: *const c::SubpassBeginInfo<'_>,
    ) {
        begin_pass(command_buffer, render_pass_begin)
    }

    Device vkCmdNextSubpass(command_buffer: c::CommandBuffer, contents: c::SubpassContents) {
        record(command_buffer, |commands| commands.next_subpass())
    }

    Device vkCmdNextSubpass2(
        command_buffer: c::CommandBuffer,
        subpass_begin_info: *const c::SubpassBeginInfo<'_>,
        subpass_end_info: *const c::SubpassEndInfo<'_>,
    ) {
        record(command_buffer, |commands| commands.next_subpass())
    }

    Device vkCmdEndRenderPass(command_buffer: c::CommandBuffer) {
        record(command_buffer, |commands| commands.end_pass())
    }

    Device vkCmdEndRenderPass2(command_buffer: c::CommandBuffer, subpass_end_info: *const c::SubpassEndInfo<'_>) {
        record(command_buffer, |commands| commands.end_pass())
    }

    Device vkCmdBeginRendering(
        command_buffer: c::CommandBuffer,
        rendering_info: *const c::RenderingInfo<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(rendering_info, "VkRenderingInfo")?;
            commands.begin_rendering(&begin(info)?)
        })
    }

    Device vkCmdEndRendering(command_buffer: c::CommandBuffer) {
        record(command_buffer, |commands| commands.end_rendering())
    }

    Device vkCmdClearAttachments(
        command_buffer: c::CommandBuffer,
        attachment_count: u32,
        attachments: *const c::ClearAttachment,
        rect_count: u32,
        rects: *const c::ClearRect,
    ) {
        record(command_buffer, |commands| {
            let mut clear = Clear::default();
            for attachment in raw::slice(attachments, attachment_count) {
                let value = words(&attachment.clear_value);
                let [depth, stencil, ..] = value;
                if attachment.aspect_mask.contains(c::ImageAspectFlags::COLOR) {
                    // Unused ones are named by a number that none has.
                    if let Some(colour) = clear.colours.get_mut(attachment.color_attachment as usize) {
                        *colour = Some(value);
                    }
                }
                if attachment.aspect_mask.contains(c::ImageAspectFlags::DEPTH) {
                    clear.depth = Some(f32::from_bits(depth));
                }
                if attachment.aspect_mask.contains(c::ImageAspectFlags::STENCIL) {
                    clear.stencil = Some(stencil);
                }
            }
            for rect in raw::slice(rects, rect_count) {
                let area = ClearArea {
                    area: rect.rect,
                    first_layer: rect.base_array_layer,
                    layers: rect.layer_count,
                };
                commands.clear(&clear, area)?;
            }
            Ok(())
        })
    }
}

fn used(attachment: u32) -> Option<u32> {
    (attachment != c::ATTACHMENT_UNUSED).then_some(attachment)
}

fn inside(subpass: u32) -> Option<u32> {
    (subpass != c::SUBPASS_EXTERNAL).then_some(subpass)
}

fn attachment(
    format: c::Format,
    samples: c::SampleCountFlags,
    [load, stencil_load]: [c::AttachmentLoadOp; 2],
    layouts: [c::ImageLayout; 2],
) -> vk::Result<Attachment> {
    let format = vk::format::find(format).ok_or(vk::Error::FormatNotSupported)?;
    Ok(Attachment {
        clear: load == c::AttachmentLoadOp::CLEAR,
        clear_stencil: stencil_load == c::AttachmentLoadOp::CLEAR,
        aspects: format.aspects(),
        format: format.hw,
        samples: samples.as_raw() as u8,
        layouts,
    })
}

/// Which value depth or stencil is resolved to.
fn choice(mode: c::ResolveModeFlags) -> vk::Result<Option<Choice>> {
    Ok(match mode {
        c::ResolveModeFlags::NONE => None,
        c::ResolveModeFlags::SAMPLE_ZERO => Some(Choice::First),
        c::ResolveModeFlags::MIN => Some(Choice::Least),
        c::ResolveModeFlags::MAX => Some(Choice::Greatest),
        c::ResolveModeFlags::AVERAGE => Some(Choice::Mean),
        _ => {
            return Err(vk::Error::FeatureNotPresent {
                what: "a resolve of depth or stencil in this mode",
            });
        }
    })
}

/// A clear value as dwords: a colour of any type, or depth and stencil.
fn words(value: &c::ClearValue) -> [u32; 4] {
    // SAFETY: every member of the union is dwords, and the largest is four of them; any dword is a number.
    unsafe { value.color.uint32 }
}

/// Whether a secondary command buffer may be executed under a condition.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn conditional(info: &c::CommandBufferBeginInfo<'_>) -> bool {
    type Inherits<'a> = c::CommandBufferInheritanceConditionalRenderingInfoEXT<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let inherits = info.p_inheritance_info.as_ref();
        let inherits = inherits.and_then(|from| raw::find::<Inherits<'_>>(from.p_next));
        inherits.is_some_and(|from| from.conditional_rendering_enable != c::FALSE)
    }
}

/// What a secondary command buffer inherits, if it is a part of a rendering.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn inherited(info: &c::CommandBufferBeginInfo<'_>) -> vk::Result<Option<Inherited>> {
    if !info
        .flags
        .contains(c::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
    {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    unsafe {
        let from = raw::reference(info.p_inheritance_info, "VkCommandBufferInheritanceInfo")?;
        if let Some(pass) = handle::optional(from.render_pass)? {
            return pass.inherited(from.subpass).map(Some);
        }
        let rendering = raw::find::<c::CommandBufferInheritanceRenderingInfo<'_>>(from.p_next);
        let from = rendering.ok_or(vk::Error::InvalidUse {
            why: "a part of a rendering that is not told which",
        })?;
        let mut inherited = Inherited {
            views: Views::new(from.view_mask)?,
            depth: from.depth_attachment_format != c::Format::UNDEFINED,
            stencil: from.stencil_attachment_format != c::Format::UNDEFINED,
            samples: from.rasterization_samples.as_raw() as u8,
            ..Inherited::default()
        };
        let formats = raw::slice(from.p_color_attachment_formats, from.color_attachment_count);
        for (to, &format) in inherited.colours.iter_mut().zip(formats) {
            *to = vk::format::find(format).map(|format| format.hw);
        }
        Ok(Some(inherited))
    }
}

/// # Safety
/// The structure and its chain are valid.
unsafe fn begin_pass(
    command_buffer: c::CommandBuffer,
    info: *const c::RenderPassBeginInfo<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(command_buffer, |commands| {
            let info = raw::reference(info, "VkRenderPassBeginInfo")?;
            let framebuffer = handle::get(info.framebuffer)?;
            let named = raw::find::<c::RenderPassAttachmentBeginInfo<'_>>(info.p_next);
            let named = named.map_or(&[][..], |named| {
                raw::slice(named.p_attachments, named.attachment_count)
            });
            let named = named.iter().map(|&view| handle::get(view).cloned());
            let own = framebuffer.views.iter().cloned().map(Ok);
            let clears = raw::slice(info.p_clear_values, info.clear_value_count);
            commands.begin_pass(Pass {
                render_pass: handle::get(info.render_pass)?.clone(),
                views: own.chain(named).collect::<vk::Result<_>>()?,
                clears: clears.iter().map(words).collect(),
                area: info.render_area,
                layers: framebuffer.layers,
                subpass: 0,
                layouts: Default::default(),
            })
        })
    }
}

/// # Safety
/// The structure is valid for `'a`.
unsafe fn begin<'a>(info: &'a c::RenderingInfo<'a>) -> vk::Result<Begin<'a>> {
    type Info<'a> = c::RenderingAttachmentInfo<'a>;
    let views = Views::new(info.view_mask)?;
    // What goes on has its contents, and what will go on is resolved later.
    let resumes = info.flags.contains(c::RenderingFlags::RESUMING);
    let suspends = info.flags.contains(c::RenderingFlags::SUSPENDING);
    let clears = |from: &Info<'_>| !resumes && from.load_op == c::AttachmentLoadOp::CLEAR;
    let view = |view: c::ImageView| -> vk::Result<Option<&'a vk::image::View>> {
        // SAFETY: as the caller says.
        Ok(unsafe { handle::optional(view) }?.map(|view| &**view))
    };
    let resolve = |from: &Info<'_>, wanted: bool| match wanted && !suspends {
        true => view(from.resolve_image_view),
        false => Ok(None),
    };
    let mut colours = [None; 8];
    // SAFETY: as the caller says.
    let attachments = unsafe { raw::slice(info.p_color_attachments, info.color_attachment_count) };
    for (to, from) in colours.iter_mut().zip(attachments) {
        let Some(view) = view(from.image_view)? else {
            continue;
        };
        *to = Some(Colour {
            view,
            layout: from.image_layout,
            load: match clears(from) {
                true => Load::Clear(words(&from.clear_value)),
                false => Load::Keep,
            },
            fresh: views,
            // The type of the format says how.
            resolve: resolve(from, from.resolve_mode != c::ResolveModeFlags::NONE)?
                .map(|to| (to, from.resolve_image_layout)),
        });
    }
    // SAFETY: as the caller says.
    let (depth, stencil) = unsafe {
        (
            info.p_depth_attachment.as_ref(),
            info.p_stencil_attachment.as_ref(),
        )
    };
    let there = |attachment: Option<&'a Info<'a>>| -> vk::Result<_> {
        let Some(attachment) = attachment else {
            return Ok(None);
        };
        let Some(view) = view(attachment.image_view)? else {
            return Ok(None);
        };
        let choice = choice(attachment.resolve_mode)?;
        let to = resolve(attachment, choice.is_some())?;
        Ok(Some((view, attachment, to.zip(choice))))
    };
    let (depth, stencil) = (there(depth)?, there(stencil)?);
    let depth_stencil = depth.or(stencil).map(|(view, ..)| DepthStencil {
        view,
        fresh: views,
        layout: depth.map_or(c::ImageLayout::GENERAL, |(_, from, _)| from.image_layout),
        resolve_layout: depth.map_or(c::ImageLayout::GENERAL, |(_, from, _)| {
            from.resolve_image_layout
        }),
        depth: depth.map(
            |(_, from, _)| match (clears(from), words(&from.clear_value)) {
                (true, [depth, ..]) => Load::Clear(f32::from_bits(depth)),
                (false, _) => Load::Keep,
            },
        ),
        stencil: stencil.map(
            |(_, from, _)| match (clears(from), words(&from.clear_value)) {
                (true, [_, stencil, ..]) => Load::Clear(stencil),
                (false, _) => Load::Keep,
            },
        ),
        resolve_depth: depth.and_then(|(.., resolve)| resolve),
        resolve_stencil: stencil.and_then(|(.., resolve)| resolve),
    });
    Ok(Begin {
        area: info.render_area,
        layers: match views.is_none() {
            true => info.layer_count,
            false => u32::BITS - info.view_mask.leading_zeros(),
        },
        views,
        colours,
        depth_stencil,
    })
}
