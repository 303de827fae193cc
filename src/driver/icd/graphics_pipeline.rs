//! Entry points of graphics pipelines.
//!
//! In:  create infos with their chains. Out: pipelines and pipeline libraries of `vk`. State that
//!      Vulkan ignores is not read, as its pointers may be invalid.

use std::sync::Arc;

use ash::vk as c;
use ash::vk::PipelineCreateFlags2KHR as Flags;
use vk::application_cache::graphics_pipeline;
use vk::command::ViewMask;
use vk::graphics::{FixedInfo, GraphicsPipelineInfo, Library, Parts, Pipeline, TestReads};
use vk::pipeline::Stage;
use vk::pipeline_binary::{BinaryKey, PipelineBinary};

use crate::entry::entries;
use crate::objects::{DeviceObject, PipelineObject};
use crate::pipeline::{
    CreationFeedback, create_pipelines, given_binaries, pipeline_flags, pipeline_layout,
    shader_info, stage_layout, write_feedback,
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
            let (context, parameters) = (device.context(), graphics_info(device.context(), info)?);
            let (object, cache_hits): (_, Vec<_>) = if flags(info).contains(Flags::LIBRARY) {
                let shaders = cache.map(|cache| &cache.shaders);
                let library = Library::new(context, shaders, parameters)?;
                let hits = library.cached().collect();
                (PipelineObject::Library(Box::new(library)), hits)
            } else {
                let (pipeline, hits) = graphics_pipeline(context, cache, parameters)?;
                (PipelineObject::Graphics(pipeline), hits)
            };
            write_feedback(info.p_next, &CreationFeedback { start, cache_hits: &cache_hits });
            handle::create_with(allocator, object)
        })
    }
}

/// The binaries of a graphics pipeline or library, from the cache on disk. The error
/// [`vk::Error::CompileRequired`]: it does not have all of them.
///
/// # Safety
/// As [`graphics_info`].
pub unsafe fn cached_binaries(
    device: &DeviceObject,
    info: &c::GraphicsPipelineCreateInfo<'_>,
) -> vk::Result<Vec<Arc<PipelineBinary>>> {
    let context = device.context();
    // SAFETY: as the caller says.
    let (flags, mut parameters) = unsafe {
        (
            pipeline_flags(info.p_next, info.flags),
            graphics_info(device.context(), info)?,
        )
    };
    parameters.cached_only = true;
    for stage in &mut parameters.stages {
        stage.cached_only = true;
    }
    match flags.contains(Flags::LIBRARY) {
        true => Ok(Library::new(context, None, parameters)?.binaries(context)),
        false => Pipeline::cached_binaries(context, parameters),
    }
}

/// The key of a graphics pipeline or library.
///
/// # Safety
/// As [`graphics_info`].
pub unsafe fn binary_key(
    device: &DeviceObject,
    info: &c::GraphicsPipelineCreateInfo<'_>,
) -> vk::Result<BinaryKey> {
    // SAFETY: as the caller says.
    let (flags, parameters) = unsafe {
        (
            pipeline_flags(info.p_next, info.flags),
            graphics_info(device.context(), info)?,
        )
    };
    Library::binary_key(device.context(), parameters, flags.contains(Flags::LIBRARY))
}

/// `vk`'s stage of a graphics pipeline's shader.
pub(crate) fn stage(from: c::ShaderStageFlags) -> vk::Result<Stage> {
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

/// Parts of pipelines with state that a render pass or a view mask affects.
const AFTER_VERTEX_INPUT: Parts = Parts::VERTEX_INPUT.complement();

/// The libraries that a pipeline includes.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn libraries<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
) -> vk::Result<Vec<&'a Library>> {
    // SAFETY: as the caller says.
    unsafe {
        let node = raw::find_in_chain::<c::PipelineLibraryCreateInfoKHR<'_>>(info.p_next);
        let handles = node.map_or(&[][..], |node| {
            raw::slice(node.p_libraries, node.library_count)
        });
        let libraries = handles.iter().map(|&library| match handle::get(library)? {
            PipelineObject::Library(library) => Ok(&**library),
            _ => Err(vk::Error::InvalidUse {
                why: "a graphics pipeline that includes a pipeline that is not a library",
            }),
        });
        libraries.collect()
    }
}

/// The parts of a pipeline that a create info has state for.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn own_parts(info: &c::GraphicsPipelineCreateInfo<'_>, is_linked: bool) -> Parts {
    type Node<'a> = c::GraphicsPipelineLibraryCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    let (node, flags) = unsafe {
        let flags = pipeline_flags(info.p_next, info.flags);
        (raw::find_in_chain::<Node<'_>>(info.p_next), flags)
    };
    match node {
        Some(node) => Parts::from_bits_truncate(node.flags.as_raw()),
        None if is_linked || flags.contains(Flags::LIBRARY) => Parts::empty(),
        None => Parts::all(),
    }
}

/// The parameters of a graphics pipeline.
///
/// # Safety
/// The structure, its chain, and what they point to are valid for `'a`.
unsafe fn graphics_info<'a>(
    context: &vk::Context,
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
) -> vk::Result<GraphicsPipelineInfo<'a>> {
    // SAFETY: as the caller says. The state of parts that the create info does not have is not
    // read.
    unsafe {
        let libraries = libraries(info)?;
        let flags = pipeline_flags(info.p_next, info.flags);
        let parts = own_parts(info, !libraries.is_empty());
        let shaders = parts & (Parts::PRE_RASTERIZATION | Parts::FRAGMENT_SHADER);
        let layout = pipeline_layout(info.layout)?;
        let mut stages = Vec::new();
        if !shaders.is_empty() {
            for from in raw::slice(info.p_stages, info.stage_count) {
                let stage = stage(from.stage)?;
                if parts.contains(part_of_stage(stage)) {
                    let layout = stage_layout(context, (stage, from), layout.as_ref(), flags)?;
                    stages.push(shader_info(stage, from, &layout, (flags, info.p_next))?);
                }
            }
        }
        let layouts = stages.iter().map(|shader| &shader.layout).chain(&layout);
        let may_hold_inputs = layouts
            .into_iter()
            .any(|layout| layout.may_hold_input_attachments());
        Ok(GraphicsPipelineInfo {
            libraries,
            link_time_optimization: flags.contains(Flags::LINK_TIME_OPTIMIZATION_EXT),
            binaries: given_binaries(info.p_next)?,
            cached_only: flags.contains(Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED),
            stages,
            fixed: fixed_function_info(info, parts)?,
            views: views(info, parts)?,
            reads_tests: test_reads(info, parts, may_hold_inputs)?,
            layout,
        })
    }
}

/// The part of a pipeline that a stage belongs to.
fn part_of_stage(stage: Stage) -> Parts {
    match stage {
        Stage::Fragment => Parts::FRAGMENT_SHADER,
        _ => Parts::PRE_RASTERIZATION,
    }
}

/// The view mask; `None` if no part of the create info depends on it.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn views(info: &c::GraphicsPipelineCreateInfo<'_>, parts: Parts) -> vk::Result<Option<u32>> {
    if !parts.intersects(AFTER_VERTEX_INPUT) {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let views = unsafe {
        match (handle::optional(info.render_pass)?, rendering(info)) {
            (Some(pass), _) => pass.views(info.subpass)?,
            (None, Some(rendering)) => ViewMask::new(rendering.view_mask)?,
            (None, None) => ViewMask::default(),
        }
    };
    Ok(Some(views.mask()))
}

/// What decides whether shaders read depth or stencil as a texture or an input attachment.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn test_reads(
    info: &c::GraphicsPipelineCreateInfo<'_>,
    parts: Parts,
    may_hold_inputs: bool,
) -> vk::Result<TestReads> {
    let mut reads = TestReads::default();
    if !parts.intersects(Parts::FRAGMENT_SHADER | Parts::FRAGMENT_OUTPUT) {
        return Ok(reads);
    }
    // SAFETY: as the caller says.
    unsafe {
        // A feedback loop reads depth or stencil as a texture.
        let flags = pipeline_flags(info.p_next, info.flags);
        reads.declared = flags.contains(Flags::DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_EXT);
        if let Some(pass) = handle::optional(info.render_pass)? {
            reads.declared |= pass.reads_tests(info.subpass)?;
            return Ok(reads);
        }
        if parts.contains(Parts::FRAGMENT_SHADER) {
            reads.input_attachments = may_hold_inputs && may_read_tests(info);
        }
        if parts.contains(Parts::FRAGMENT_OUTPUT) {
            reads.attachments = rendering(info).is_some_and(has_depth_stencil);
        }
    }
    Ok(reads)
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
                S::GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                S::PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
                S::PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
                types::PipelineBinaryInfoKHR::STRUCTURE_TYPE,
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

/// The state of the fixed functions, of some parts of a pipeline.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn fixed_function_info<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    parts: Parts,
) -> vk::Result<FixedInfo<'a>> {
    // SAFETY: as the caller says. Structures that Vulkan ignores are not read: their pointers may
    // be invalid.
    unsafe {
        let mut fixed = FixedInfo {
            parts,
            ..FixedInfo::default()
        };
        if parts.is_empty() {
            return Ok(fixed);
        }
        if let Some(from) = info.p_dynamic_state.as_ref() {
            fixed.dynamic = raw::slice(from.p_dynamic_states, from.dynamic_state_count);
        }
        if parts.contains(Parts::VERTEX_INPUT) {
            read_vertex_input(info, &mut fixed);
        }
        let is_before_raster = parts.contains(Parts::PRE_RASTERIZATION);
        if is_before_raster {
            fixed.raster = info.p_rasterization_state.as_ref();
            read_tessellation(info, &mut fixed);
            read_rasterization(&mut fixed)?;
        }
        let discards = fixed
            .raster
            .is_some_and(|raster| raster.rasterizer_discard_enable != c::FALSE)
            && !is_dynamic(&fixed, c::DynamicState::RASTERIZER_DISCARD_ENABLE);
        if !discards {
            if is_before_raster {
                read_viewports(info, &mut fixed)?;
            }
            read_fragment_state(info, &mut fixed);
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

/// Reads the state of the parts behind the rasteriser.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_fragment_state<'a>(
    info: &'a c::GraphicsPipelineCreateInfo<'a>,
    fixed: &mut FixedInfo<'a>,
) {
    let has_shader = fixed.parts.contains(Parts::FRAGMENT_SHADER);
    let has_output = fixed.parts.contains(Parts::FRAGMENT_OUTPUT);
    // SAFETY: as the caller says.
    unsafe {
        if has_shader || has_output {
            read_multisampling(info, fixed);
        }
        // Attachment formats are part of the output: without them, depth and stencil may exist.
        if has_shader && (!has_output || rendering(info).is_none_or(has_depth_stencil)) {
            fixed.depth_stencil = info.p_depth_stencil_state.as_ref();
        }
        if has_output {
            read_attachments(info, fixed);
        }
    }
}

/// Reads which attachments exist, and the blend state.
///
/// # Safety
/// As [`graphics_info`].
unsafe fn read_attachments<'a>(
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
