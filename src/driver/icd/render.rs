//! Entry points of render passes, framebuffers and dynamic rendering.
//!
//! In:  create infos, begin infos, clears. Out: render passes and commands of `vk`.

use std::sync::Arc;

use vk::command::{
    Attachment, AttachmentClear, BeginRendering, ClearArea, ColourAttachment, Dependency,
    DepthStencil, DepthStencilResolve, Framebuffer, InheritedRendering, LoadOp, RenderPass,
    RenderPassInstance, ResolveMode, Subpass, SubpassDependency, TargetSlots, ViewMask,
    attachment_slots,
};

use crate::entry::{done, entries};
use crate::recording::record;
use crate::{handle, raw, types as c};

/// The [`Dependency`] of a subpass dependency of either version, whose masks are those of core 1.0.
macro_rules! widened_dependency {
    ($from:ident) => {
        Dependency {
            source_stages: c::PipelineStageFlags2::from_raw($from.src_stage_mask.as_raw().into()),
            source_access: c::AccessFlags2::from_raw($from.src_access_mask.as_raw().into()),
            destination_stages: c::PipelineStageFlags2::from_raw(
                $from.dst_stage_mask.as_raw().into(),
            ),
            destination_access: c::AccessFlags2::from_raw($from.dst_access_mask.as_raw().into()),
        }
    };
}

/// The [`SubpassReferences`] of a subpass description of either version.
macro_rules! subpass_references {
    ($from:ident) => {
        SubpassReferences {
            colours: raw::slice($from.p_color_attachments, $from.color_attachment_count),
            resolves: raw::slice($from.p_resolve_attachments, $from.color_attachment_count),
            inputs: raw::slice($from.p_input_attachments, $from.input_attachment_count),
            depth_stencil: $from.p_depth_stencil_attachment.as_ref(),
            flags: $from.flags,
        }
    };
}

/// Granularity of render areas: none, as nothing outside of the area is written.
const GRANULARITY: c::Extent2D = c::Extent2D {
    width: 1,
    height: 1,
};

entries! { RENDER:
    Device vkCreateRenderPass(
        device: c::Device,
        create_info: *const c::RenderPassCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        render_pass: *mut c::RenderPass,
    ) -> c::Result {
        handle::get(device)?;
        raw::write(render_pass, c::RenderPass::null());
        let info = raw::reference(create_info, "VkRenderPassCreateInfo")?;
        let attachments = raw::slice(info.p_attachments, info.attachment_count)
            .iter()
            .map(|a| attachment(a.flags, a.format, a.samples, [a.load_op, a.stencil_load_op], [a.initial_layout, a.final_layout]))
            .collect::<vk::Result<_>>()?;
        let multiview = raw::find_in_chain::<c::RenderPassMultiviewCreateInfo<'_>>(info.p_next);
        let masks = multiview.map_or(&[][..], |from| raw::slice(from.p_view_masks, from.subpass_count));
        let mut masks = masks.iter();
        let subpasses = raw::slice(info.p_subpasses, info.subpass_count)
            .iter()
            .map(|from| subpass(&subpass_references!(from), None, masks.next().copied().unwrap_or(0)))
            .collect::<vk::Result<_>>()?;
        let dependencies = raw::slice(info.p_dependencies, info.dependency_count)
            .iter()
            .map(|d| SubpassDependency {
                source: internal_subpass(d.src_subpass),
                destination: internal_subpass(d.dst_subpass),
                dependency: widened_dependency!(d),
            })
            .collect();
        let created = RenderPass::new(attachments, subpasses, dependencies)?;
        raw::write(render_pass, handle::create_with(allocator, Arc::new(created))?);
        done()
    }

    Device vkCreateRenderPass2(
        device: c::Device,
        create_info: *const c::RenderPassCreateInfo2<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        render_pass: *mut c::RenderPass,
    ) -> c::Result {
        handle::get(device)?;
        raw::write(render_pass, c::RenderPass::null());
        let info = raw::reference(create_info, "VkRenderPassCreateInfo2")?;
        let attachments = raw::slice(info.p_attachments, info.attachment_count)
            .iter()
            .map(|a| attachment(a.flags, a.format, a.samples, [a.load_op, a.stencil_load_op], [a.initial_layout, a.final_layout]))
            .collect::<vk::Result<_>>()?;
        let subpasses = raw::slice(info.p_subpasses, info.subpass_count)
            .iter()
            .map(|from| {
                let resolve = raw::find_in_chain::<c::SubpassDescriptionDepthStencilResolve<'_>>(from.p_next);
                subpass(&subpass_references!(from), resolve, from.view_mask)
            })
            .collect::<vk::Result<_>>()?;
        let dependencies = raw::slice(info.p_dependencies, info.dependency_count)
            .iter()
            .map(|d| SubpassDependency {
                source: internal_subpass(d.src_subpass),
                destination: internal_subpass(d.dst_subpass),
                // A barrier in the chain replaces the masks of the structure.
                dependency: match raw::find_in_chain::<c::MemoryBarrier2<'_>>(d.p_next) {
                    Some(barrier) => Dependency {
                        source_stages: barrier.src_stage_mask,
                        source_access: barrier.src_access_mask,
                        destination_stages: barrier.dst_stage_mask,
                        destination_access: barrier.dst_access_mask,
                    },
                    None => widened_dependency!(d),
                },
            })
            .collect();
        let created = RenderPass::new(attachments, subpasses, dependencies)?;
        raw::write(render_pass, handle::create_with(allocator, Arc::new(created))?);
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
        raw::write(granularity, GRANULARITY);
        Ok(())
    }

    Device vkGetRenderingAreaGranularity(
        device: c::Device,
        rendering_area_info: *const c::RenderingAreaInfoKHR<'_>,
        granularity: *mut c::Extent2D,
    ) {
        raw::write(granularity, GRANULARITY);
        Ok(())
    }

    Device vkCreateFramebuffer(
        device: c::Device,
        create_info: *const c::FramebufferCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        framebuffer: *mut c::Framebuffer,
    ) -> c::Result {
        handle::get(device)?;
        raw::write(framebuffer, c::Framebuffer::null());
        let info = raw::reference(create_info, "VkFramebufferCreateInfo")?;
        let views = match info.flags.contains(c::FramebufferCreateFlags::IMAGELESS) {
            true => Vec::new(),
            false => raw::slice(info.p_attachments, info.attachment_count)
                .iter()
                .map(|&view| handle::get(view).cloned())
                .collect::<vk::Result<_>>()?,
        };
        let created = Framebuffer { views, layers: info.layers };
        raw::write(framebuffer, handle::create_with(allocator, Arc::new(created))?);
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
            commands.begin_rendering(&begin_info(info)?)
        })
    }

    Device vkCmdEndRendering(command_buffer: c::CommandBuffer) {
        record(command_buffer, |commands| commands.end_rendering())
    }

    Device ["VK_KHR_maintenance10"] vkCmdEndRendering2KHR(
        command_buffer: c::CommandBuffer,
        rendering_end_info: *const c::RenderingEndInfoKHR<'_>,
    ) {
        record(command_buffer, |commands| commands.end_rendering())
    }

    Device vkCmdSetRenderingAttachmentLocations(
        command_buffer: c::CommandBuffer,
        location_info: *const c::RenderingAttachmentLocationInfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(location_info, "VkRenderingAttachmentLocationInfo")?;
            commands.set_attachment_locations(locations(info))
        })
    }

    // Descriptors say which attachments shaders read, whatever their indices are.
    Device vkCmdSetRenderingInputAttachmentIndices(
        command_buffer: c::CommandBuffer,
        input_attachment_index_info: *const c::RenderingInputAttachmentIndexInfoKHR<'_>,
    ) {
        record(command_buffer, |_| {
            let what = "VkRenderingInputAttachmentIndexInfo";
            raw::reference(input_attachment_index_info, what).map(|_| ())
        })
    }

    Device vkCmdClearAttachments(
        command_buffer: c::CommandBuffer,
        attachment_count: u32,
        attachments: *const c::ClearAttachment,
        rect_count: u32,
        rects: *const c::ClearRect,
    ) {
        record(command_buffer, |commands| {
            let mut clear = AttachmentClear::default();
            for attachment in raw::slice(attachments, attachment_count) {
                let value = clear_words(&attachment.clear_value);
                let [depth, stencil, ..] = value;
                if attachment.aspect_mask.contains(c::ImageAspectFlags::COLOR) {
                    // An unused attachment has an index beyond the array.
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

/// An attachment reference of either version.
trait Reference {
    /// The index of the attachment, or none if the reference is unused.
    fn index(&self) -> Option<u32>;
    /// The layout in which the subpass uses it.
    fn layout(&self) -> c::ImageLayout;
}

impl Reference for c::AttachmentReference {
    fn index(&self) -> Option<u32> {
        (self.attachment != c::ATTACHMENT_UNUSED).then_some(self.attachment)
    }
    fn layout(&self) -> c::ImageLayout {
        self.layout
    }
}

impl Reference for c::AttachmentReference2<'_> {
    fn index(&self) -> Option<u32> {
        (self.attachment != c::ATTACHMENT_UNUSED).then_some(self.attachment)
    }
    fn layout(&self) -> c::ImageLayout {
        self.layout
    }
}

/// The attachment references of a subpass, and its flags.
struct SubpassReferences<'a, R> {
    colours: &'a [R],
    resolves: &'a [R],
    inputs: &'a [R],
    depth_stencil: Option<&'a R>,
    flags: c::SubpassDescriptionFlags,
}

/// A subpass with its attachments, the depth and stencil resolve of its chain, and its view mask.
///
/// # Safety
/// The pointer in `resolve` is null or valid.
unsafe fn subpass<'a, R: Reference>(
    references: &SubpassReferences<'a, R>,
    resolve: Option<&'a c::SubpassDescriptionDepthStencilResolve<'a>>,
    view_mask: u32,
) -> vk::Result<Subpass> {
    let mut depth_stencil_resolve = None;
    // SAFETY: as the caller says.
    let resolved =
        resolve.and_then(|resolve| unsafe { resolve.p_depth_stencil_resolve_attachment.as_ref() });
    if let (Some(resolve), Some(attachment)) = (resolve, resolved.and_then(Reference::index)) {
        depth_stencil_resolve = Some(DepthStencilResolve {
            attachment,
            depth: resolve_mode(resolve.depth_resolve_mode)?,
            stencil: resolve_mode(resolve.stencil_resolve_mode)?,
        });
    }
    fn layout(reference: &impl Reference) -> Option<(u32, c::ImageLayout)> {
        Some((reference.index()?, reference.layout()))
    }
    Ok(Subpass {
        colours: references.colours.iter().map(R::index).collect(),
        depth_stencil: references.depth_stencil.and_then(R::index),
        resolves: references.resolves.iter().map(R::index).collect(),
        depth_stencil_resolve,
        inputs: references.inputs.iter().map(R::index).collect(),
        layouts: references
            .colours
            .iter()
            .chain(references.resolves)
            .chain(references.inputs)
            .chain(references.depth_stencil)
            .filter_map(layout)
            .chain(resolved.and_then(layout))
            .collect(),
        views: ViewMask::new(view_mask)?,
        dithered: references
            .flags
            .contains(c::SubpassDescriptionFlags::ENABLE_LEGACY_DITHERING_EXT),
    })
}

/// A subpass index, or none for `VK_SUBPASS_EXTERNAL`.
fn internal_subpass(subpass: u32) -> Option<u32> {
    (subpass != c::SUBPASS_EXTERNAL).then_some(subpass)
}

/// An attachment of a render pass.
fn attachment(
    flags: c::AttachmentDescriptionFlags,
    format: c::Format,
    samples: c::SampleCountFlags,
    [load, stencil_load]: [c::AttachmentLoadOp; 2],
    layouts: [c::ImageLayout; 2],
) -> vk::Result<Attachment> {
    /// `VK_ATTACHMENT_DESCRIPTION_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR`.
    const SKIP_TRANSFER_FUNCTION: c::AttachmentDescriptionFlags =
        c::AttachmentDescriptionFlags::from_raw(1 << 1);
    let format = vk::format::find(format).ok_or(vk::Error::FormatNotSupported)?;
    Ok(Attachment {
        clear: load == c::AttachmentLoadOp::CLEAR,
        clear_stencil: stencil_load == c::AttachmentLoadOp::CLEAR,
        aspects: format.aspects(),
        format: format.hw,
        samples: samples.as_raw() as u8,
        layouts,
        resolves_encoded: flags.contains(SKIP_TRANSFER_FUNCTION),
    })
}

/// How a resolve of depth or stencil combines the samples; none for no resolve.
pub(crate) fn resolve_mode(mode: c::ResolveModeFlags) -> vk::Result<Option<ResolveMode>> {
    Ok(match mode {
        c::ResolveModeFlags::NONE => None,
        c::ResolveModeFlags::SAMPLE_ZERO => Some(ResolveMode::SampleZero),
        c::ResolveModeFlags::MIN => Some(ResolveMode::Min),
        c::ResolveModeFlags::MAX => Some(ResolveMode::Max),
        c::ResolveModeFlags::AVERAGE => Some(ResolveMode::Average),
        _ => {
            return Err(vk::Error::FeatureNotPresent {
                what: "a resolve of depth or stencil in this mode",
            });
        }
    })
}

/// A clear value as dwords: a colour of any type, or depth and stencil.
fn clear_words(value: &c::ClearValue) -> [u32; 4] {
    // SAFETY: every member of the union consists of at most four dwords, and any dword is a valid
    // `u32`.
    unsafe { value.color.uint32 }
}

/// Whether a secondary command buffer may be executed while conditional rendering is active.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn inherits_condition(info: &c::CommandBufferBeginInfo<'_>) -> bool {
    type Inherits<'a> = c::CommandBufferInheritanceConditionalRenderingInfoEXT<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let inherits = info.p_inheritance_info.as_ref();
        let inherits = inherits.and_then(|from| raw::find_in_chain::<Inherits<'_>>(from.p_next));
        inherits.is_some_and(|from| from.conditional_rendering_enable != c::FALSE)
    }
}

/// The rendering state that a secondary command buffer inherits, or none if it is not executed
/// inside a render pass.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn inherited_rendering(
    info: &c::CommandBufferBeginInfo<'_>,
) -> vk::Result<Option<InheritedRendering>> {
    if !info
        .flags
        .contains(c::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
    {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    unsafe {
        let inheritance =
            raw::reference(info.p_inheritance_info, "VkCommandBufferInheritanceInfo")?;
        if let Some(pass) = handle::optional(inheritance.render_pass)? {
            return pass.inherited(inheritance.subpass).map(Some);
        }
        type Inherited<'a> = c::CommandBufferInheritanceRenderingInfo<'a>;
        let rendering = raw::find_in_chain::<Inherited<'_>>(inheritance.p_next);
        let from = rendering.ok_or(vk::Error::InvalidUse {
            why: "RENDER_PASS_CONTINUE without a render pass or VkCommandBufferInheritanceRenderingInfo",
        })?;
        type Locations<'a> = c::RenderingAttachmentLocationInfoKHR<'a>;
        let slots = match raw::find_in_chain::<Locations<'_>>(inheritance.p_next) {
            Some(info) => attachment_slots(locations(info))?,
            None => TargetSlots::default(),
        };
        let mut inherited = InheritedRendering {
            slots,
            views: ViewMask::new(from.view_mask)?,
            depth: from.depth_attachment_format != c::Format::UNDEFINED,
            stencil: from.stencil_attachment_format != c::Format::UNDEFINED,
            samples: from.rasterization_samples.as_raw() as u8,
            dithered: dithers(from.flags),
            ..InheritedRendering::default()
        };
        let formats = raw::slice(from.p_color_attachment_formats, from.color_attachment_count);
        for (to, &format) in inherited.colours.iter_mut().zip(formats) {
            *to = vk::format::find(format).map(|format| format.hw);
        }
        Ok(Some(inherited))
    }
}

/// The location of each colour attachment; its index if the structure has no list.
///
/// # Safety
/// The structure is valid for `'a`.
pub unsafe fn locations<'a>(
    info: &'a c::RenderingAttachmentLocationInfoKHR<'a>,
) -> impl Iterator<Item = Option<u32>> + 'a {
    // SAFETY: as the caller says.
    let list = unsafe {
        raw::slice(
            info.p_color_attachment_locations,
            info.color_attachment_count,
        )
    };
    (0..info.color_attachment_count).map(|index| match list.get(index as usize) {
        Some(&c::ATTACHMENT_UNUSED) => None,
        Some(&location) => Some(location),
        None => Some(index),
    })
}

/// Begins a render pass.
///
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
            let imageless = raw::find_in_chain::<c::RenderPassAttachmentBeginInfo<'_>>(info.p_next);
            let imageless = imageless.map_or(&[][..], |node| {
                raw::slice(node.p_attachments, node.attachment_count)
            });
            let imageless = imageless.iter().map(|&view| handle::get(view).cloned());
            let fixed = framebuffer.views.iter().cloned().map(Ok);
            let clears = raw::slice(info.p_clear_values, info.clear_value_count);
            commands.begin_pass(RenderPassInstance {
                render_pass: handle::get(info.render_pass)?.clone(),
                views: fixed.chain(imageless).collect::<vk::Result<_>>()?,
                clears: clears.iter().map(clear_words).collect(),
                area: info.render_area,
                layers: framebuffer.layers,
                subpass: 0,
                layouts: Default::default(),
            })
        })
    }
}

/// The parameters of a dynamic rendering.
///
/// # Safety
/// The structure is valid for `'a`.
unsafe fn begin_info<'a>(info: &'a c::RenderingInfo<'a>) -> vk::Result<BeginRendering<'a>> {
    type Info<'a> = c::RenderingAttachmentInfo<'a>;
    let views = ViewMask::new(info.view_mask)?;
    // A resumed rendering keeps its contents, and a suspended one is resolved by the last part.
    let resumes = info.flags.contains(c::RenderingFlags::RESUMING);
    let suspends = info.flags.contains(c::RenderingFlags::SUSPENDING);
    let clears = |from: &Info<'_>| !resumes && from.load_op == c::AttachmentLoadOp::CLEAR;
    let view = |view: c::ImageView| -> vk::Result<Option<&'a vk::image::View>> {
        // SAFETY: as the caller says.
        Ok(unsafe { handle::optional(view) }?.map(|view| &**view))
    };
    let resolve = |from: &Info<'_>, requested: bool| match requested && !suspends {
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
        *to = Some(ColourAttachment {
            view,
            layout: from.image_layout,
            load: match clears(from) {
                true => LoadOp::Clear(clear_words(&from.clear_value)),
                false => LoadOp::Keep,
            },
            fresh: views,
            // The numeric type of the format determines the resolve mode.
            resolve: resolve(from, from.resolve_mode != c::ResolveModeFlags::NONE)?
                .map(|to| (to, from.resolve_image_layout)),
            // SAFETY: as the caller says.
            resolves_encoded: unsafe { resolves_encoded(from) },
        });
    }
    // SAFETY: as the caller says.
    let (depth, stencil) = unsafe {
        (
            info.p_depth_attachment.as_ref(),
            info.p_stencil_attachment.as_ref(),
        )
    };
    let used = |attachment: Option<&'a Info<'a>>| -> vk::Result<_> {
        let Some(attachment) = attachment else {
            return Ok(None);
        };
        let Some(view) = view(attachment.image_view)? else {
            return Ok(None);
        };
        let mode = resolve_mode(attachment.resolve_mode)?;
        let to = resolve(attachment, mode.is_some())?;
        Ok(Some((view, attachment, to.zip(mode))))
    };
    let (depth, stencil) = (used(depth)?, used(stencil)?);
    let depth_stencil = depth.or(stencil).map(|(view, ..)| DepthStencil {
        view,
        fresh: views,
        layout: depth.map_or(c::ImageLayout::GENERAL, |(_, from, _)| from.image_layout),
        resolve_layout: depth.map_or(c::ImageLayout::GENERAL, |(_, from, _)| {
            from.resolve_image_layout
        }),
        depth: depth.map(
            |(_, from, _)| match (clears(from), clear_words(&from.clear_value)) {
                (true, [depth, ..]) => LoadOp::Clear(f32::from_bits(depth)),
                (false, _) => LoadOp::Keep,
            },
        ),
        stencil: stencil.map(
            |(_, from, _)| match (clears(from), clear_words(&from.clear_value)) {
                (true, [_, stencil, ..]) => LoadOp::Clear(stencil),
                (false, _) => LoadOp::Keep,
            },
        ),
        resolve_depth: depth.and_then(|(.., resolve)| resolve),
        resolve_stencil: stencil.and_then(|(.., resolve)| resolve),
    });
    Ok(BeginRendering {
        area: info.render_area,
        layers: match views.is_none() {
            true => info.layer_count,
            false => u32::BITS - info.view_mask.leading_zeros(),
        },
        views,
        colours,
        depth_stencil,
        dithered: dithers(info.flags),
    })
}

/// Whether the resolve of an attachment averages encoded sRGB samples:
/// `VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR`.
///
/// # Safety
/// The structure's chain is valid.
unsafe fn resolves_encoded(attachment: &c::RenderingAttachmentInfo<'_>) -> bool {
    const SKIP_TRANSFER_FUNCTION: u32 = 1 << 1;
    // SAFETY: as the caller says.
    let flags =
        unsafe { raw::find_in_chain::<c::RenderingAttachmentFlagsInfoKHR<'_>>(attachment.p_next) };
    flags.is_some_and(|node| node.flags & SKIP_TRANSFER_FUNCTION != 0)
}

/// Whether a dynamic rendering dithers colours.
fn dithers(flags: c::RenderingFlags) -> bool {
    flags.contains(c::RenderingFlags::ENABLE_LEGACY_DITHERING_EXT)
}
