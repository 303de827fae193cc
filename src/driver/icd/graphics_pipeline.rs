//! Entry points of graphics pipelines.
//!
//! In:  create infos with their chains. Out: pipelines of `vk`. State that Vulkan ignores is not
//!      read, as its pointers may be invalid.

use ash::vk as c;
use vk::command::ViewMask;
use vk::graphics::{FixedInfo, GraphicsPipelineInfo, Pipeline};
use vk::pipeline::Stage;

use crate::entry::entries;
use crate::objects::PipelineObject;
use crate::pipeline::{
    CreationFeedback, create_pipelines, pipeline_flags, shader_info, write_feedback,
};
use crate::{dynamic, handle, raw, render, types};

entries! { GRAPHICS_PIPELINE:
    Device vkCreateGraphicsPipelines(
        device: c::Device,
        pipeline_cache: c::PipelineCache,
        create_info_count: u32,
        create_infos: *const c::GraphicsPipelineCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        pipelines: *mut c::Pipeline,
    ) -> c::Result {
        let device = handle::get(device)?;
        let cache = handle::optional(pipeline_cache)?;
        let infos = raw::slice(create_infos, create_info_count);
        let flags = |info: &c::GraphicsPipelineCreateInfo<'_>| pipeline_flags(info.p_next, info.flags);
        create_pipelines(device, infos, pipelines, flags, |info, start| {
            let pipeline = Pipeline::new(device.context(), cache, &graphics_info(info)?)?;
            let cache_hits: Vec<_> = pipeline.cached().collect();
            write_feedback(info.p_next, &CreationFeedback { start, cache_hits: &cache_hits });
            handle::create_with(allocator, PipelineObject::Graphics(pipeline))
        })
    }
}

/// `vk`'s stage of a graphics pipeline's shader.
fn stage(from: c::ShaderStageFlags) -> vk::Result<Stage> {
    Ok(match from {
        c::ShaderStageFlags::VERTEX => Stage::Vertex,
        c::ShaderStageFlags::TESSELLATION_CONTROL => Stage::TessControl,
        c::ShaderStageFlags::TESSELLATION_EVALUATION => Stage::TessEval,
        c::ShaderStageFlags::GEOMETRY => Stage::Geometry,
        c::ShaderStageFlags::FRAGMENT => Stage::Fragment,
        _ => {
            return Err(vk::Error::InvalidUse {
                why: "a shader stage that graphics pipelines do not have",
            });
        }
    })
}

/// The parameters of a graphics pipeline.
///
/// # Safety
/// The structure, its chain, and what they point to are valid for `'a`.
unsafe fn graphics_info<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
) -> vk::Result<GraphicsPipelineInfo<'a>> {
    // SAFETY: as the caller says.
    unsafe {
        let libraries = raw::find_in_chain::<c::PipelineLibraryCreateInfoKHR<'_>>(info.p_next);
        let flags = pipeline_flags(info.p_next, info.flags);
        if flags.contains(c::PipelineCreateFlags2KHR::LIBRARY)
            || libraries.is_some_and(|libraries| libraries.library_count > 0)
        {
            return Err(vk::Error::FeatureNotPresent {
                what: "graphicsPipelineLibrary",
            });
        }
        let layout = handle::get(info.layout)?;
        // A feedback loop reads depth or stencil as a texture.
        let loops = c::PipelineCreateFlags::DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_EXT;
        let (views, reads_tests) = match (handle::optional(info.render_pass)?, rendering(info)) {
            (Some(pass), _) => (pass.views(info.subpass)?, pass.reads_tests(info.subpass)?),
            (None, Some(rendering)) => (
                ViewMask::new(rendering.view_mask)?,
                has_depth_stencil(rendering)
                    && layout.may_hold_input_attachments()
                    && may_read_tests(info),
            ),
            (None, None) => (ViewMask::default(), false),
        };
        let stages = raw::slice(info.p_stages, info.stage_count).iter();
        let stages = stages
            .map(|from| shader_info(stage(from.stage)?, from, layout, (flags, info.p_next)))
            .collect::<vk::Result<_>>()?;
        Ok(GraphicsPipelineInfo {
            stages,
            fixed: fixed_function_info(info)?,
            views: views.mask(),
            reads_tests: reads_tests || info.flags.contains(loops),
        })
    }
}

/// The structures that this file reads from the `pNext` chains of a pipeline and its state, by the
/// head of the chain.
#[cfg(test)]
const READ_STRUCTURES: &[(&str, &[c::StructureType])] = {
    use c::StructureType as S;
    use c::TaggedStructure;
    &[
        (
            "VkGraphicsPipelineCreateInfo",
            &[
                S::PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                S::PIPELINE_RENDERING_CREATE_INFO,
                // Pipelines work with any locations: their fragment shaders write slots of the
                // binding table, which commands fill.
                S::RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
                S::RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
                S::PIPELINE_LIBRARY_CREATE_INFO_KHR,
                S::PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
                S::PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
            ],
        ),
        (
            "VkPipelineVertexInputStateCreateInfo",
            &[S::PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT],
        ),
        ("VkPipelineInputAssemblyStateCreateInfo", &[]),
        (
            "VkPipelineTessellationStateCreateInfo",
            &[S::PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO],
        ),
        (
            "VkPipelineViewportStateCreateInfo",
            &[
                S::PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
                types::PipelineViewportDepthClampControlCreateInfoEXT::STRUCTURE_TYPE,
            ],
        ),
        (
            "VkPipelineRasterizationStateCreateInfo",
            &[
                S::PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT,
                S::DEPTH_BIAS_REPRESENTATION_INFO_EXT,
            ],
        ),
        (
            "VkPipelineMultisampleStateCreateInfo",
            &[S::PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT],
        ),
        ("VkPipelineDepthStencilStateCreateInfo", &[]),
        (
            "VkPipelineColorBlendStateCreateInfo",
            &[S::PIPELINE_COLOR_WRITE_CREATE_INFO_EXT],
        ),
        ("VkPipelineDynamicStateCreateInfo", &[]),
    ]
};

/// The attachment formats of a pipeline for dynamic rendering; none if it has a render pass, where
/// Vulkan ignores them.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn rendering<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
) -> Option<&'a c::PipelineRenderingCreateInfo<'a>> {
    if info.render_pass != c::RenderPass::null() {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe { raw::find_in_chain::<c::PipelineRenderingCreateInfo<'_>>(info.p_next) }
}

/// Whether a pipeline for dynamic rendering has depth or stencil.
fn has_depth_stencil(rendering: &c::PipelineRenderingCreateInfo<'_>) -> bool {
    let formats = [
        rendering.depth_attachment_format,
        rendering.stencil_attachment_format,
    ];
    formats != [c::Format::UNDEFINED; 2]
}

/// Whether shaders of dynamic rendering may read depth or stencil as input attachments: unless both
/// indices are unused. Without an index, they are input attachments without one.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn may_read_tests(info: &c::GraphicsPipelineCreateInfo<'_>) -> bool {
    type Indices<'a> = c::RenderingInputAttachmentIndexInfoKHR<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let Some(indices) = raw::find_in_chain::<Indices<'_>>(info.p_next) else {
            return true;
        };
        let depth = indices.p_depth_input_attachment_index.as_ref();
        let stencil = indices.p_stencil_input_attachment_index.as_ref();
        [depth, stencil]
            .into_iter()
            .any(|index| index != Some(&c::ATTACHMENT_UNUSED))
    }
}

/// The state of the fixed functions.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn fixed_function_info<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
) -> vk::Result<FixedInfo<'a>> {
    // SAFETY: as the caller says. Structures that Vulkan ignores are not read: their pointers may
    // be invalid.
    unsafe {
        let mut fixed = FixedInfo {
            raster: info.p_rasterization_state.as_ref(),
            ..FixedInfo::default()
        };
        if let Some(from) = info.p_dynamic_state.as_ref() {
            fixed.dynamic = raw::slice(from.p_dynamic_states, from.dynamic_state_count);
        }
        let discards = fixed
            .raster
            .is_some_and(|raster| raster.rasterizer_discard_enable != c::FALSE)
            && !is_dynamic(&fixed, c::DynamicState::RASTERIZER_DISCARD_ENABLE);
        read_vertex_input(info, &mut fixed);
        read_tessellation(info, &mut fixed);
        read_rasterization(&mut fixed)?;
        if !discards {
            read_viewports(info, &mut fixed)?;
            read_multisampling(info, &mut fixed);
            read_attachment_state(info, &mut fixed);
        }
        Ok(fixed)
    }
}

/// Whether commands set a state instead of the pipeline.
fn is_dynamic(fixed: &FixedInfo<'_>, state: c::DynamicState) -> bool {
    fixed.dynamic.contains(&state)
}

/// Reads the vertex input and input assembly state.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_vertex_input<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    fixed: &mut FixedInfo<'a>,
) {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(from) = info.p_vertex_input_state.as_ref()
            && !is_dynamic(fixed, c::DynamicState::VERTEX_INPUT_EXT)
        {
            fixed.bindings = raw::slice(
                from.p_vertex_binding_descriptions,
                from.vertex_binding_description_count,
            );
            fixed.attributes = raw::slice(
                from.p_vertex_attribute_descriptions,
                from.vertex_attribute_description_count,
            );
            type Divisors<'a> = c::PipelineVertexInputDivisorStateCreateInfoEXT<'a>;
            if let Some(from) = raw::find_in_chain::<Divisors<'_>>(from.p_next) {
                fixed.divisors = raw::slice(
                    from.p_vertex_binding_divisors,
                    from.vertex_binding_divisor_count,
                );
            }
        }
        if let Some(from) = info.p_input_assembly_state.as_ref() {
            fixed.assembly = Some((from.topology, from.primitive_restart_enable != c::FALSE));
        }
    }
}

/// Reads the tessellation state, which Vulkan ignores without tessellation shaders.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_tessellation<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    fixed: &mut FixedInfo<'a>,
) {
    // SAFETY: as the caller says.
    unsafe {
        let stages = raw::slice(info.p_stages, info.stage_count);
        let tessellates = |stage: &c::PipelineShaderStageCreateInfo<'_>| {
            stage.stage == c::ShaderStageFlags::TESSELLATION_CONTROL
        };
        if stages.iter().any(tessellates)
            && let Some(from) = info.p_tessellation_state.as_ref()
        {
            fixed.patch_points = from.patch_control_points.min(32) as u8;
            type Origin<'a> = c::PipelineTessellationDomainOriginStateCreateInfo<'a>;
            let origin = raw::find_in_chain::<Origin<'_>>(from.p_next);
            fixed.lower_left = origin
                .is_some_and(|from| from.domain_origin == c::TessellationDomainOrigin::LOWER_LEFT);
        }
    }
}

/// Reads the chain of the rasterization state.
///
/// # Safety
/// The structure that `fixed` refers to and its chain are valid.
unsafe fn read_rasterization(fixed: &mut FixedInfo<'_>) -> vk::Result<()> {
    type Clip<'a> = c::PipelineRasterizationDepthClipStateCreateInfoEXT<'a>;
    type Provoking<'a> = c::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'a>;
    type Conservative<'a> = c::PipelineRasterizationConservativeStateCreateInfoEXT<'a>;
    type Stream<'a> = c::PipelineRasterizationStateStreamCreateInfoEXT<'a>;
    let Some(from) = fixed.raster else {
        return Ok(());
    };
    // SAFETY: as the caller says.
    unsafe {
        let clip = raw::find_in_chain::<Clip<'_>>(from.p_next);
        fixed.depth_clip = clip.map(|clip| clip.depth_clip_enable != c::FALSE);
        let provoking = raw::find_in_chain::<Provoking<'_>>(from.p_next);
        fixed.provoking_last = provoking.is_some_and(|from| {
            from.provoking_vertex_mode == c::ProvokingVertexModeEXT::LAST_VERTEX
        });
        fixed.lines = raw::find_in_chain(from.p_next);
        let conservative = raw::find_in_chain::<Conservative<'_>>(from.p_next);
        fixed.conservative = conservative.map(|from| from.conservative_rasterization_mode);
        let stream = raw::find_in_chain::<Stream<'_>>(from.p_next);
        fixed.stream = stream.map_or(0, |from| from.rasterization_stream);
        fixed.absolute_bias = dynamic::is_absolute_bias(raw::find_in_chain(from.p_next))?;
        Ok(())
    }
}

/// Reads the viewport state; the arrays only where they are not dynamic.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_viewports<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    fixed: &mut FixedInfo<'a>,
) -> vk::Result<()> {
    use c::DynamicState as D;
    type Control<'a> = c::PipelineViewportDepthClipControlCreateInfoEXT<'a>;
    type Clamp<'a> = types::PipelineViewportDepthClampControlCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let Some(from) = info.p_viewport_state.as_ref() else {
            return Ok(());
        };
        fixed.viewport_counts = [from.viewport_count, from.scissor_count];
        let control = raw::find_in_chain::<Control<'_>>(from.p_next);
        fixed.near_at_minus_w =
            control.is_some_and(|control| control.negative_one_to_one != c::FALSE);
        if let Some(clamp) = raw::find_in_chain::<Clamp<'_>>(from.p_next) {
            let range = clamp.p_depth_clamp_range;
            fixed.clamp_range = dynamic::clamp_range(clamp.depth_clamp_mode, range)?;
        }
        if !is_dynamic(fixed, D::VIEWPORT) && !is_dynamic(fixed, D::VIEWPORT_WITH_COUNT) {
            fixed.viewports = raw::slice(from.p_viewports, from.viewport_count);
        }
        if !is_dynamic(fixed, D::SCISSOR) && !is_dynamic(fixed, D::SCISSOR_WITH_COUNT) {
            fixed.scissors = raw::slice(from.p_scissors, from.scissor_count);
        }
        Ok(())
    }
}

/// Reads the multisample state.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_multisampling<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    fixed: &mut FixedInfo<'a>,
) {
    type Locations<'a> = c::PipelineSampleLocationsStateCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    unsafe {
        fixed.multisample = info.p_multisample_state.as_ref();
        let Some(from) = fixed.multisample else {
            return;
        };
        fixed.sample_mask = from.p_sample_mask.as_ref().copied();
        let locations = raw::find_in_chain::<Locations<'_>>(from.p_next);
        let enabled_by_commands = is_dynamic(fixed, c::DynamicState::SAMPLE_LOCATIONS_ENABLE_EXT);
        let used =
            |from: &&Locations<'_>| enabled_by_commands || from.sample_locations_enable != c::FALSE;
        if let Some(locations) = locations.filter(used) {
            fixed.located = !enabled_by_commands;
            if !is_dynamic(fixed, c::DynamicState::SAMPLE_LOCATIONS_EXT) {
                let info = &locations.sample_locations_info;
                fixed.locations = Some(info);
                fixed.sample_locations =
                    raw::slice(info.p_sample_locations, info.sample_locations_count);
            }
        }
    }
}

/// Reads the depth, stencil and blend state.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_attachment_state<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    fixed: &mut FixedInfo<'a>,
) {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(to) = rendering(info) {
            let formats = [to.depth_attachment_format, to.stencil_attachment_format];
            fixed.ignores_depth_stencil = formats.map(|format| format == c::Format::UNDEFINED);
            let colours = raw::slice(to.p_color_attachment_formats, to.color_attachment_count);
            type Locations<'a> = c::RenderingAttachmentLocationInfoKHR<'a>;
            let located = raw::find_in_chain::<Locations<'_>>(info.p_next);
            let mut located = located.map(|from| render::locations(from));
            for (index, format) in (0..).zip(colours) {
                let location = match &mut located {
                    Some(located) => located.next().flatten(),
                    None => Some(index),
                };
                if let Some(location @ 0..8) = location
                    && *format == c::Format::UNDEFINED
                {
                    fixed.ignored_targets |= 1 << location;
                }
            }
        }
        if rendering(info).is_none_or(has_depth_stencil) {
            fixed.depth_stencil = info.p_depth_stencil_state.as_ref();
        }
        fixed.blend = info.p_color_blend_state.as_ref();
        if let Some(from) = fixed.blend {
            fixed.blend_targets = raw::slice(from.p_attachments, from.attachment_count);
            type Writes<'a> = c::PipelineColorWriteCreateInfoEXT<'a>;
            if let Some(writes) = raw::find_in_chain::<Writes<'_>>(from.p_next) {
                fixed.colour_writes =
                    raw::slice(writes.p_color_write_enables, writes.attachment_count);
            }
        }
    }
}

#[cfg(test)]
mod tests;
