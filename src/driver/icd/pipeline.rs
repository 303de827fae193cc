//! Entry points of shader modules, pipelines and their caches.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use ash::vk as c;
use vk::descriptor::PipelineLayout;
use vk::executable;
use vk::pipeline::{Pipeline, ShaderInfo, Stage, SubgroupSize};
use vk::shader::Module;

use crate::entry::{done, entries};
use crate::face::PipelineFace;
use crate::{diagnosis, handle, raw};

entries! { PIPELINE:
    Device vkCreateShaderModule(
        device: c::Device,
        create_info: *const c::ShaderModuleCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        shader_module: *mut c::ShaderModule,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkShaderModuleCreateInfo")?;
        raw::put(shader_module, handle::make_in(allocator, Arc::new(words(info)?))?);
        done()
    }

    Device ["VK_EXT_shader_module_identifier"] vkGetShaderModuleIdentifierEXT(
        device: c::Device,
        shader_module: c::ShaderModule,
        identifier: *mut c::ShaderModuleIdentifierEXT<'_>,
    ) {
        put_name(handle::get(shader_module)?, identifier);
        Ok(())
    }

    Device ["VK_EXT_shader_module_identifier"] vkGetShaderModuleCreateInfoIdentifierEXT(
        device: c::Device,
        create_info: *const c::ShaderModuleCreateInfo<'_>,
        identifier: *mut c::ShaderModuleIdentifierEXT<'_>,
    ) {
        put_name(&words(raw::reference(create_info, "VkShaderModuleCreateInfo")?)?, identifier);
        Ok(())
    }

    Device vkDestroyShaderModule(
        device: c::Device,
        shader_module: c::ShaderModule,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(shader_module);
        Ok(())
    }

    Device vkCreatePipelineCache(
        device: c::Device,
        create_info: *const c::PipelineCacheCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        pipeline_cache: *mut c::PipelineCache,
    ) -> c::Result {
        let face = handle::get(device)?;
        let info = raw::reference(create_info, "VkPipelineCacheCreateInfo")?;
        let data = raw::bytes(info.p_initial_data, info.initial_data_size);
        let cache = vk::cache::Cache::new(face.device.context.physical.cache_owner(), data);
        raw::put(pipeline_cache, handle::make_in(allocator, cache)?);
        done()
    }

    Device vkDestroyPipelineCache(
        device: c::Device,
        pipeline_cache: c::PipelineCache,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(pipeline_cache);
        Ok(())
    }

    Device vkGetPipelineCacheData(
        device: c::Device,
        pipeline_cache: c::PipelineCache,
        data_size: *mut usize,
        data: *mut c_void,
    ) -> c::Result {
        let cache = handle::get(pipeline_cache)?;
        let size = data_size.as_mut().ok_or(vk::Error::BadHandle { what: "a size" })?;
        if data.is_null() {
            *size = cache.save(usize::MAX).0.len();
            return done();
        }
        let (bytes, whole) = cache.save(*size);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast::<u8>(), bytes.len());
        *size = bytes.len();
        Ok(if whole { c::Result::SUCCESS } else { c::Result::INCOMPLETE })
    }

    Device vkMergePipelineCaches(
        device: c::Device,
        dst_cache: c::PipelineCache,
        src_cache_count: u32,
        src_caches: *const c::PipelineCache,
    ) -> c::Result {
        let target = handle::get(dst_cache)?;
        for &source in raw::slice(src_caches, src_cache_count) {
            target.merge(handle::get(source)?);
        }
        done()
    }

    Device vkCreateComputePipelines(
        device: c::Device,
        pipeline_cache: c::PipelineCache,
        create_info_count: u32,
        create_infos: *const c::ComputePipelineCreateInfo<'_>,
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
            let made = compute_info(info).and_then(|asked| {
                let pipeline = Pipeline::compute(&face.device.context, cache, &asked)?;
                tell(info.p_next, &Made { start, stages: &[pipeline.was_cached()] });
                handle::make_in(allocator, PipelineFace::Compute(Box::new(pipeline)))
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

    Device vkDestroyPipeline(
        device: c::Device,
        pipeline: c::Pipeline,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(pipeline);
        Ok(())
    }

    Device ["VK_KHR_pipeline_executable_properties"] vkGetPipelineExecutablePropertiesKHR(
        device: c::Device,
        pipeline_info: *const c::PipelineInfoKHR<'_>,
        executable_count: *mut u32,
        properties: *mut c::PipelineExecutablePropertiesKHR<'_>,
    ) -> c::Result {
        let info = raw::reference(pipeline_info, "VkPipelineInfoKHR")?;
        let found = executable::properties(&handle::get(info.pipeline)?.compiled());
        Ok(raw::list_with(found.iter(), executable_count, properties, |one, out: *mut c::PipelineExecutablePropertiesKHR<'_>| {
            (*out).stages = one.stages;
            (*out).name = raw::array(&one.name);
            (*out).description = raw::array(&one.description);
            (*out).subgroup_size = one.subgroup_size;
        }))
    }

    Device ["VK_KHR_pipeline_executable_properties"] vkGetPipelineExecutableStatisticsKHR(
        device: c::Device,
        executable_info: *const c::PipelineExecutableInfoKHR<'_>,
        statistic_count: *mut u32,
        statistics: *mut c::PipelineExecutableStatisticKHR<'_>,
    ) -> c::Result {
        let info = raw::reference(executable_info, "VkPipelineExecutableInfoKHR")?;
        let found = executable::statistics(&handle::get(info.pipeline)?.compiled(), info.executable_index)?;
        Ok(raw::list_with(found.iter(), statistic_count, statistics, |one, out: *mut c::PipelineExecutableStatisticKHR<'_>| {
            (*out).name = raw::array(one.name);
            (*out).description = raw::array(one.description);
            (*out).format = c::PipelineExecutableStatisticFormatKHR::UINT64;
            (*out).value = c::PipelineExecutableStatisticValueKHR { u64: one.value };
        }))
    }

    Device ["VK_KHR_pipeline_executable_properties"] vkGetPipelineExecutableInternalRepresentationsKHR(
        device: c::Device,
        executable_info: *const c::PipelineExecutableInfoKHR<'_>,
        internal_representation_count: *mut u32,
        internal_representations: *mut c::PipelineExecutableInternalRepresentationKHR<'_>,
    ) -> c::Result {
        let info = raw::reference(executable_info, "VkPipelineExecutableInfoKHR")?;
        let compiled = handle::get(info.pipeline)?.compiled();
        let found = executable::representations(&compiled, info.executable_index)?;
        let mut cut = false;
        let listed = raw::list_with(
            found.iter(),
            internal_representation_count,
            internal_representations,
            |one, out: *mut c::PipelineExecutableInternalRepresentationKHR<'_>| {
                (*out).name = raw::array(&one.name);
                (*out).description = raw::array(&one.name);
                (*out).is_text = c::TRUE;
                cut |= put_text(&one.text, &mut (*out).data_size, (*out).p_data);
            },
        );
        Ok(if cut { c::Result::INCOMPLETE } else { listed })
    }
}

/// Writes a text with its NUL, or tells how long it is. True: it was cut.
///
/// # Safety
/// `out` is null, or has room for `*size` bytes.
unsafe fn put_text(text: &str, size: &mut usize, out: *mut c_void) -> bool {
    let whole = text.len() + 1;
    if out.is_null() {
        *size = whole;
        return false;
    }
    let length = whole.min(*size);
    if length > 0 {
        // SAFETY: `length` bytes have room, as the caller says; the last of them is the NUL.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast::<u8>(), length - 1);
            out.cast::<u8>().add(length - 1).write(0);
        }
    }
    *size = length;
    length < whole
}

/// How a pipeline was made.
pub struct Made<'a> {
    /// When that began.
    pub start: Instant,
    /// Whether each of its shaders was found in the cache.
    pub stages: &'a [bool],
}

/// Tells how a pipeline was made, if its chain asks for that.
///
/// # Safety
/// The chain is valid, and where answers go may be written.
pub unsafe fn tell(chain: *const c_void, made: &Made<'_>) {
    // SAFETY: as the caller says.
    unsafe {
        let Some(node) = raw::find::<c::PipelineCreationFeedbackCreateInfo<'_>>(chain) else {
            return;
        };
        let feedback = |cached: bool| {
            let hit = c::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
            let valid = c::PipelineCreationFeedbackFlags::VALID;
            c::PipelineCreationFeedback {
                flags: if cached { valid | hit } else { valid },
                duration: made.start.elapsed().as_nanos() as u64,
            }
        };
        let all = made.stages.iter().all(|&cached| cached);
        raw::put(node.p_pipeline_creation_feedback, feedback(all));
        let wanted = node.pipeline_stage_creation_feedback_count as usize;
        for (index, &cached) in made.stages.iter().take(wanted).enumerate() {
            raw::put_at(
                node.p_pipeline_stage_creation_feedbacks,
                index,
                feedback(cached),
            );
        }
    }
}

/// Invocations of a subgroup, by the flags and the chain of a stage.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn subgroup_size(stage: &c::PipelineShaderStageCreateInfo<'_>) -> vk::Result<SubgroupSize> {
    type Required<'a> = c::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'a>;
    // SAFETY: as the caller says.
    let required = unsafe { raw::find::<Required<'_>>(stage.p_next) };
    match required.map(|node| node.required_subgroup_size) {
        Some(size @ (8 | 16 | 32)) => return Ok(SubgroupSize::Required(size as u8)),
        Some(_) => {
            return Err(vk::Error::InvalidUse {
                why: "a subgroup size that the hardware does not run",
            });
        }
        None => {}
    }
    use c::PipelineShaderStageCreateFlags as Flags;
    Ok(
        if stage.flags.contains(Flags::ALLOW_VARYING_SUBGROUP_SIZE) {
            SubgroupSize::Varying
        } else if stage.flags.contains(Flags::REQUIRE_FULL_SUBGROUPS) {
            // As many as shaders read.
            SubgroupSize::Required(vk::physical::SUBGROUP_SIZE as u8)
        } else {
            SubgroupSize::Fixed
        },
    )
}

/// # Safety
/// The structure is valid.
unsafe fn compute_info(info: &c::ComputePipelineCreateInfo<'_>) -> vk::Result<ShaderInfo> {
    // SAFETY: as the caller says.
    unsafe {
        let layout = handle::get(info.layout)?;
        shader(Stage::Compute, &info.stage, layout, info.flags)
    }
}

/// A module of the words that come with a structure.
///
/// # Safety
/// The structure is valid.
unsafe fn words(info: &c::ShaderModuleCreateInfo<'_>) -> vk::Result<Module> {
    // SAFETY: as the caller says.
    let bytes = unsafe { raw::bytes(info.p_code.cast(), info.code_size) };
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    Module::new(&words)
}

/// The module of a stage; without one, the name that it has.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn module(from: &c::PipelineShaderStageCreateInfo<'_>) -> vk::Result<Arc<Module>> {
    type Named<'a> = c::PipelineShaderStageModuleIdentifierCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let named = raw::find::<Named<'_>>(from.p_next).filter(|node| node.identifier_size > 0);
        match named {
            Some(node) if from.module == c::ShaderModule::null() => {
                let name = raw::slice(node.p_identifier, node.identifier_size);
                Ok(Arc::new(Module::named(name)))
            }
            _ => Ok(handle::get(from.module)?.clone()),
        }
    }
}

/// Writes a module's name.
///
/// # Safety
/// `out` is null or a structure that may be written.
unsafe fn put_name(module: &Module, out: *mut c::ShaderModuleIdentifierEXT<'_>) {
    // SAFETY: as the caller says.
    if let Some(out) = unsafe { out.as_mut() } {
        let name = module.identifier();
        out.identifier_size = name.len() as u32;
        out.identifier = [0; c::MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT];
        for (to, from) in out.identifier.iter_mut().zip(name) {
            *to = *from;
        }
    }
}

/// What the shader of a stage is made from.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn shader(
    stage: Stage,
    from: &c::PipelineShaderStageCreateInfo<'_>,
    layout: &Arc<PipelineLayout>,
    flags: c::PipelineCreateFlags,
) -> vk::Result<ShaderInfo> {
    // SAFETY: as the caller says.
    unsafe {
        let constants = match from.p_specialization_info.as_ref() {
            Some(map) => {
                let entries: Vec<_> = raw::slice(map.p_map_entries, map.map_entry_count)
                    .iter()
                    .map(|entry| (entry.constant_id, entry.offset, entry.size))
                    .collect();
                vk::shader::constants(&entries, raw::bytes(map.p_data, map.data_size))?
            }
            None => Vec::new(),
        };
        use c::PipelineCreateFlags as Flags;
        Ok(ShaderInfo {
            stage,
            module: module(from)?,
            entry: raw::text(from.p_name),
            constants,
            layout: layout.clone(),
            dispatch_base: flags.contains(Flags::DISPATCH_BASE),
            subgroup_size: subgroup_size(from)?,
            cached_only: flags.contains(Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED),
            capture: flags.contains(Flags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR),
        })
    }
}
