//! Entry points of graphics pipelines.

use std::time::Instant;

use ash::vk as c;
use vk::command::Views;
use vk::graphics::{FixedInfo, Info, Pipeline};
use vk::pipeline::Stage;

use crate::entry::{done, entries};
use crate::face::PipelineFace;
use crate::pipeline::{Made, shader, tell};
use crate::{diagnosis, handle, raw};

entries! { GRAPHICS_PIPELINE:
    Device vkCreateGraphicsPipelines(
        device: c::Device,
        pipeline_cache: c::PipelineCache,
        create_info_count: u32,
        create_infos: *const c::GraphicsPipelineCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        pipelines: *mut c::Pipeline,
    ) -> c::Result {
        let face = handle::get(device)?;
        let cache = handle::optional(pipeline_cache)?;
        let mut first_error = None;
        let infos = raw::slice(create_infos, create_info_count);
        for index in 0..infos.len() {
            raw::put_at(pipelines, index, c::Pipeline::null());
        }
        for (index, info) in infos.iter().enumerate() {
            let start = Instant::now();
            let made = graphics_info(info).and_then(|asked| {
                let pipeline = Pipeline::new(&face.device.context, cache, &asked)?;
                let stages: Vec<_> = pipeline.cached().collect();
                tell(info.p_next, &Made { start, stages: &stages });
                handle::make_in(allocator, PipelineFace::Graphics(pipeline))
            });
            match made {
                Ok(pipeline) => raw::put_at(pipelines, index, pipeline),
                // The others are made all the same.
                Err(error) => {
                    diagnosis::tell(&face.device, &error);
                    first_error.get_or_insert(error);
                    if info.flags.contains(c::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE) {
                        break;
                    }
                }
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => done(),
        }
    }
}

fn stage(from: c::ShaderStageFlags) -> vk::Result<Stage> {
    Ok(match from {
        c::ShaderStageFlags::VERTEX => Stage::Vertex,
        c::ShaderStageFlags::TESSELLATION_CONTROL => Stage::TessControl,
        c::ShaderStageFlags::TESSELLATION_EVALUATION => Stage::TessEval,
        c::ShaderStageFlags::GEOMETRY => Stage::Geometry,
        c::ShaderStageFlags::FRAGMENT => Stage::Fragment,
        _ => {
            return Err(vk::Error::InvalidUse {
                why: "a stage that no graphics pipeline has",
            });
        }
    })
}

/// # Safety
/// The structure, its chain, and what they point to are valid for `'a`.
unsafe fn graphics_info<'a>(info: &'a c::GraphicsPipelineCreateInfo<'a>) -> vk::Result<Info<'a>> {
    // SAFETY: as the caller says.
    unsafe {
        let libraries = raw::find::<c::PipelineLibraryCreateInfoKHR<'_>>(info.p_next);
        if info.flags.contains(c::PipelineCreateFlags::LIBRARY_KHR)
            || libraries.is_some_and(|libraries| libraries.library_count > 0)
        {
            return Err(vk::Error::FeatureNotPresent {
                what: "graphicsPipelineLibrary",
            });
        }
        let layout = handle::get(info.layout)?;
        let (views, reads_tests) = match (handle::optional(info.render_pass)?, rendering(info)) {
            (Some(pass), _) => (pass.views(info.subpass)?, pass.reads_tests(info.subpass)?),
            (None, Some(rendering)) => (Views::new(rendering.view_mask)?, false),
            (None, None) => (Views::default(), false),
        };
        let stages = raw::slice(info.p_stages, info.stage_count).iter();
        let stages = stages
            .map(|from| shader(stage(from.stage)?, from, layout, info.flags))
            .collect::<vk::Result<_>>()?;
        Ok(Info {
            stages,
            fixed: fixed(info),
            views: views.mask(),
            reads_tests,
        })
    }
}

/// The structures that the chains of a pipeline and of its state are searched for, by the head of the chain.
#[cfg(test)]
pub(crate) const READ: &[(&str, &[c::StructureType])] = {
    use c::StructureType as S;
    &[
        (
            "VkGraphicsPipelineCreateInfo",
            &[
                S::PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                S::PIPELINE_RENDERING_CREATE_INFO,
                S::PIPELINE_LIBRARY_CREATE_INFO_KHR,
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
            &[S::PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT],
        ),
        (
            "VkPipelineRasterizationStateCreateInfo",
            &[
                S::PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT,
                S::PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT,
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

/// What a pipeline without a render pass draws to; with one, what is said of it is ignored.
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
    unsafe { raw::find::<c::PipelineRenderingCreateInfo<'_>>(info.p_next) }
}

/// # Safety
/// As [`graphics_info`].
unsafe fn fixed<'a>(info: &'a c::GraphicsPipelineCreateInfo<'a>) -> FixedInfo<'a> {
    // SAFETY: as the caller says. What Vulkan ignores is not looked at: it may be garbage.
    unsafe {
        let mut fixed = FixedInfo {
            raster: info.p_rasterization_state.as_ref(),
            ..FixedInfo::default()
        };
        if let Some(from) = info.p_dynamic_state.as_ref() {
            fixed.dynamic = raw::slice(from.p_dynamic_states, from.dynamic_state_count);
        }
        let is_dynamic = |state: c::DynamicState| fixed.dynamic.contains(&state);
        let discards = fixed
            .raster
            .is_some_and(|raster| raster.rasterizer_discard_enable != c::FALSE)
            && !is_dynamic(c::DynamicState::RASTERIZER_DISCARD_ENABLE);
        let viewports_set = is_dynamic(c::DynamicState::VIEWPORT)
            || is_dynamic(c::DynamicState::VIEWPORT_WITH_COUNT);
        let scissors_set =
            is_dynamic(c::DynamicState::SCISSOR) || is_dynamic(c::DynamicState::SCISSOR_WITH_COUNT);
        if let Some(from) = info.p_vertex_input_state.as_ref() {
            fixed.bindings = raw::slice(
                from.p_vertex_binding_descriptions,
                from.vertex_binding_description_count,
            );
            fixed.attributes = raw::slice(
                from.p_vertex_attribute_descriptions,
                from.vertex_attribute_description_count,
            );
            type Divisors<'a> = c::PipelineVertexInputDivisorStateCreateInfoEXT<'a>;
            if let Some(from) = raw::find::<Divisors<'_>>(from.p_next) {
                fixed.divisors = raw::slice(
                    from.p_vertex_binding_divisors,
                    from.vertex_binding_divisor_count,
                );
            }
        }
        if let Some(from) = info.p_input_assembly_state.as_ref() {
            fixed.assembly = Some((from.topology, from.primitive_restart_enable != c::FALSE));
        }
        let stages = raw::slice(info.p_stages, info.stage_count);
        let tessellates = |stage: &c::PipelineShaderStageCreateInfo<'_>| {
            stage.stage == c::ShaderStageFlags::TESSELLATION_CONTROL
        };
        if stages.iter().any(tessellates)
            && let Some(from) = info.p_tessellation_state.as_ref()
        {
            fixed.patch_points = from.patch_control_points.min(32) as u8;
            type Origin<'a> = c::PipelineTessellationDomainOriginStateCreateInfo<'a>;
            let origin = raw::find::<Origin<'_>>(from.p_next);
            fixed.lower_left = origin
                .is_some_and(|from| from.domain_origin == c::TessellationDomainOrigin::LOWER_LEFT);
        }
        if let Some(from) = fixed.raster {
            type Clip<'a> = c::PipelineRasterizationDepthClipStateCreateInfoEXT<'a>;
            type Provoking<'a> = c::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'a>;
            let clip = raw::find::<Clip<'_>>(from.p_next);
            fixed.depth_clip = clip.map(|clip| clip.depth_clip_enable != c::FALSE);
            let provoking = raw::find::<Provoking<'_>>(from.p_next);
            fixed.provoking_last = provoking.is_some_and(|from| {
                from.provoking_vertex_mode == c::ProvokingVertexModeEXT::LAST_VERTEX
            });
            fixed.lines = raw::find(from.p_next);
            type Conservative<'a> = c::PipelineRasterizationConservativeStateCreateInfoEXT<'a>;
            let conservative = raw::find::<Conservative<'_>>(from.p_next);
            fixed.conservative = conservative.map(|from| from.conservative_rasterization_mode);
            type Stream<'a> = c::PipelineRasterizationStateStreamCreateInfoEXT<'a>;
            let stream = raw::find::<Stream<'_>>(from.p_next);
            fixed.stream = stream.map_or(0, |from| from.rasterization_stream);
        }
        if discards {
            return fixed;
        }
        if let Some(from) = info.p_viewport_state.as_ref() {
            fixed.viewport_counts = [from.viewport_count, from.scissor_count];
            type Control<'a> = c::PipelineViewportDepthClipControlCreateInfoEXT<'a>;
            let control = raw::find::<Control<'_>>(from.p_next);
            fixed.near_at_minus_w =
                control.is_some_and(|control| control.negative_one_to_one != c::FALSE);
            if !viewports_set {
                fixed.viewports = raw::slice(from.p_viewports, from.viewport_count);
            }
            if !scissors_set {
                fixed.scissors = raw::slice(from.p_scissors, from.scissor_count);
            }
        }
        fixed.multisample = info.p_multisample_state.as_ref();
        if let Some(from) = fixed.multisample {
            fixed.sample_mask = from.p_sample_mask.as_ref().copied();
            type Located<'a> = c::PipelineSampleLocationsStateCreateInfoEXT<'a>;
            let located = raw::find::<Located<'_>>(from.p_next);
            if let Some(located) = located.filter(|l| l.sample_locations_enable != c::FALSE) {
                fixed.located = true;
                if !fixed
                    .dynamic
                    .contains(&c::DynamicState::SAMPLE_LOCATIONS_EXT)
                {
                    let info = &located.sample_locations_info;
                    fixed.locations = Some(info);
                    fixed.places = raw::slice(info.p_sample_locations, info.sample_locations_count);
                }
            }
        }
        let draws_depth_stencil = rendering(info).is_none_or(|to| {
            let formats = [to.depth_attachment_format, to.stencil_attachment_format];
            formats != [c::Format::UNDEFINED; 2]
        });
        if draws_depth_stencil {
            fixed.depth_stencil = info.p_depth_stencil_state.as_ref();
        }
        fixed.blend = info.p_color_blend_state.as_ref();
        if let Some(from) = fixed.blend {
            fixed.blend_targets = raw::slice(from.p_attachments, from.attachment_count);
            if let Some(writes) = raw::find::<c::PipelineColorWriteCreateInfoEXT<'_>>(from.p_next) {
                fixed.colour_writes =
                    raw::slice(writes.p_color_write_enables, writes.attachment_count);
            }
        }
        fixed
    }
}
