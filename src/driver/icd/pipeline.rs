//! Entry points of shader modules, pipeline caches, compute pipelines and pipeline executables.
//!
//! In:  create infos. Out: objects of `vk`; what `graphics_pipeline` shares: shader stages, the
//!      creation loop, creation feedback.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use ash::vk as c;
use vk::application_cache::{ApplicationCache, compute_pipeline};
use vk::descriptor::PipelineLayout;
use vk::executable;
use vk::pipeline::{BufferRobustness, Pipeline, ShaderInfo, Stage, SubgroupSize};
use vk::pipeline_binary::{BinaryKey, PipelineBinary};
use vk::shader::{ShaderModule, SpecializationConstant};

use crate::entry::{done, entries};
use crate::handle::HandleType;
use crate::objects::{DeviceObject, PipelineObject};
use crate::types::{PIPELINE_DESCRIPTOR_HEAP, PipelineBinaryInfoKHR};
use crate::{diagnosis, handle, heap_mapping, raw};

/// `VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR`: the application creates binaries of the pipeline.
const CAPTURE_DATA: c::PipelineCreateFlags2KHR = c::PipelineCreateFlags2KHR::from_raw(1 << 31);

entries! { PIPELINE:
    Device vkCreateShaderModule(
        device: c::Device,
        create_info: *const c::ShaderModuleCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        shader_module: *mut c::ShaderModule,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkShaderModuleCreateInfo")?;
        raw::write(shader_module, handle::create_with(allocator, Arc::new(new_module(info)?))?);
        done()
    }

    Device ["VK_EXT_shader_module_identifier"] vkGetShaderModuleIdentifierEXT(
        device: c::Device,
        shader_module: c::ShaderModule,
        identifier: *mut c::ShaderModuleIdentifierEXT<'_>,
    ) {
        write_identifier(handle::get(shader_module)?, identifier);
        Ok(())
    }

    Device ["VK_EXT_shader_module_identifier"] vkGetShaderModuleCreateInfoIdentifierEXT(
        device: c::Device,
        create_info: *const c::ShaderModuleCreateInfo<'_>,
        identifier: *mut c::ShaderModuleIdentifierEXT<'_>,
    ) {
        write_identifier(&new_module(raw::reference(create_info, "VkShaderModuleCreateInfo")?)?, identifier);
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
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkPipelineCacheCreateInfo")?;
        let data = raw::bytes(info.p_initial_data, info.initial_data_size);
        let cache = ApplicationCache::new(device.context().physical.cache_owner(), data);
        raw::write(pipeline_cache, handle::create_with(allocator, cache)?);
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
        let size = data_size.as_mut().ok_or(vk::Error::BadHandle { what: "a data size pointer" })?;
        if data.is_null() {
            *size = cache.shaders.save(usize::MAX).0.len();
            return done();
        }
        let (bytes, whole) = cache.shaders.save(*size);
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
            target.shaders.merge(&handle::get(source)?.shaders);
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
        let device = handle::get(device)?;
        let cache = handle::optional(pipeline_cache)?;
        let infos = raw::slice(create_infos, create_info_count);
        let flags = |info: &c::ComputePipelineCreateInfo<'_>| pipeline_flags(info.p_next, info.flags);
        create_pipelines(device, infos, pipelines, flags, |info, start| {
            let context = device.context();
            let (pipeline, was_cached) = match given_binaries(info.p_next)?.first() {
                Some(binary) => {
                    let layout = compute_layout(context, info)?;
                    (Arc::new(Pipeline::from_pipeline_binary(context, binary, &layout)?), false)
                }
                None => compute_pipeline(context, cache, &compute_info(context, info)?)?,
            };
            write_feedback(info.p_next, &CreationFeedback { start, cache_hits: &[was_cached] });
            handle::create_with(allocator, PipelineObject::Compute(pipeline))
        })
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
        let executables = executable::properties(&handle::get(info.pipeline)?.compiled());
        Ok(raw::write_list_with(executables.iter(), executable_count, properties, |executable, out: *mut c::PipelineExecutablePropertiesKHR<'_>| {
            (*out).stages = executable.stages;
            (*out).name = raw::char_array(&executable.name);
            (*out).description = raw::char_array(&executable.description);
            (*out).subgroup_size = executable.subgroup_size;
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
        Ok(raw::write_list_with(found.iter(), statistic_count, statistics, |statistic, out: *mut c::PipelineExecutableStatisticKHR<'_>| {
            (*out).name = raw::char_array(statistic.name);
            (*out).description = raw::char_array(statistic.description);
            (*out).format = c::PipelineExecutableStatisticFormatKHR::UINT64;
            (*out).value = c::PipelineExecutableStatisticValueKHR { u64: statistic.value };
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
        let mut truncated = false;
        let result = raw::write_list_with(
            found.iter(),
            internal_representation_count,
            internal_representations,
            |representation, out: *mut c::PipelineExecutableInternalRepresentationKHR<'_>| {
                (*out).name = raw::char_array(&representation.name);
                (*out).description = raw::char_array(&representation.name);
                (*out).is_text = c::TRUE;
                truncated |= write_text(&representation.text, &mut (*out).data_size, (*out).p_data);
            },
        );
        Ok(if truncated { c::Result::INCOMPLETE } else { result })
    }
}

/// Creates the pipelines of a `vkCreate*Pipelines` command with `create`, which receives a create
/// info and the time at which its pipeline's creation started. A failed pipeline is null, and the
/// others are created all the same, unless its flags contain `EARLY_RETURN_ON_FAILURE`. Returns the
/// first error.
///
/// # Safety
/// `pipelines` is null or points to as many handles as there are create infos.
pub unsafe fn create_pipelines<T>(
    device: &DeviceObject,
    infos: &[T],
    pipelines: *mut c::Pipeline,
    flags: impl Fn(&T) -> c::PipelineCreateFlags2KHR,
    create: impl Fn(&T, Instant) -> vk::Result<c::Pipeline>,
) -> vk::Result<c::Result> {
    for index in 0..infos.len() {
        // SAFETY: as the caller says.
        unsafe { raw::write_at(pipelines, index, c::Pipeline::null()) };
    }
    let mut first_error = None;
    for (index, info) in infos.iter().enumerate() {
        match create(info, Instant::now()) {
            // SAFETY: as the caller says.
            Ok(pipeline) => unsafe { raw::write_at(pipelines, index, pipeline) },
            Err(error) => {
                diagnosis::report_to_messengers(&device.device, &error);
                first_error.get_or_insert(error);
                if flags(info).contains(c::PipelineCreateFlags2KHR::EARLY_RETURN_ON_FAILURE) {
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

/// The flags of a pipeline: those of the chain replace those of the structure.
///
/// # Safety
/// The chain is valid.
pub unsafe fn pipeline_flags(
    chain: *const c_void,
    flags: c::PipelineCreateFlags,
) -> c::PipelineCreateFlags2KHR {
    // SAFETY: as the caller says.
    let node = unsafe { raw::find_in_chain::<c::PipelineCreateFlags2CreateInfoKHR<'_>>(chain) };
    let same_bits = c::PipelineCreateFlags2KHR::from_raw(flags.as_raw().into());
    node.map_or(same_bits, |node| node.flags)
}

/// The binaries that a pipeline is created from; none: it is compiled.
///
/// # Safety
/// The chain is valid.
pub unsafe fn given_binaries(chain: *const c_void) -> vk::Result<Vec<Arc<PipelineBinary>>> {
    // SAFETY: as the caller says.
    unsafe {
        let Some(node) = raw::find_in_chain::<PipelineBinaryInfoKHR<'_>>(chain) else {
            return Ok(Vec::new());
        };
        let handles = raw::slice(node.p_pipeline_binaries, node.binary_count);
        let binaries = handles.iter().map(|&binary| handle::get(binary).cloned());
        binaries.collect()
    }
}

/// Writes a NUL-terminated text and its size, or, if `out` is null, only its size in bytes. Returns
/// whether the text was truncated.
///
/// # Safety
/// `out` is null, or has room for `*size` bytes.
unsafe fn write_text(text: &str, size: &mut usize, out: *mut c_void) -> bool {
    let whole = text.len() + 1;
    if out.is_null() {
        *size = whole;
        return false;
    }
    let length = whole.min(*size);
    if length > 0 {
        // SAFETY: `out` has room for `length` bytes, as the caller says; the last of them is the
        // NUL.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast::<u8>(), length - 1);
            out.cast::<u8>().add(length - 1).write(0);
        }
    }
    *size = length;
    length < whole
}

/// Creation feedback of a pipeline.
pub struct CreationFeedback<'a> {
    /// When its creation started.
    pub start: Instant,
    /// Whether each of its shaders was found in the pipeline cache.
    pub cache_hits: &'a [bool],
}

/// Writes creation feedback, if the chain of the create info requests it.
///
/// # Safety
/// The chain is valid, and the structures that it points to may be written.
pub unsafe fn write_feedback(chain: *const c_void, feedback: &CreationFeedback<'_>) {
    // SAFETY: as the caller says.
    unsafe {
        let Some(node) = raw::find_in_chain::<c::PipelineCreationFeedbackCreateInfo<'_>>(chain)
        else {
            return;
        };
        let stage_feedback = |cached: bool| {
            let hit = c::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
            let valid = c::PipelineCreationFeedbackFlags::VALID;
            c::PipelineCreationFeedback {
                flags: if cached { valid | hit } else { valid },
                duration: feedback.start.elapsed().as_nanos() as u64,
            }
        };
        // A pipeline without shaders of its own found none.
        let mut hits = feedback.cache_hits.iter();
        let all = !feedback.cache_hits.is_empty() && hits.all(|&cached| cached);
        raw::write(node.p_pipeline_creation_feedback, stage_feedback(all));
        let requested = node.pipeline_stage_creation_feedback_count as usize;
        for (index, &cached) in feedback.cache_hits.iter().take(requested).enumerate() {
            raw::write_at(
                node.p_pipeline_stage_creation_feedbacks,
                index,
                stage_feedback(cached),
            );
        }
    }
}

/// The subgroup size that the flags and the chain of a stage select.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn subgroup_size(stage: &c::PipelineShaderStageCreateInfo<'_>) -> vk::Result<SubgroupSize> {
    type Required<'a> = c::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'a>;
    use c::PipelineShaderStageCreateFlags as Flags;
    // SAFETY: as the caller says.
    let required = unsafe { raw::find_in_chain::<Required<'_>>(stage.p_next) };
    chosen_subgroup_size(
        required.map(|node| node.required_subgroup_size),
        stage.flags.contains(Flags::ALLOW_VARYING_SUBGROUP_SIZE),
        stage.flags.contains(Flags::REQUIRE_FULL_SUBGROUPS),
    )
}

/// The subgroup size of a required one, and of flags: whether it may vary, and whether subgroups
/// must be full.
pub fn chosen_subgroup_size(
    required: Option<u32>,
    varies: bool,
    is_full: bool,
) -> vk::Result<SubgroupSize> {
    match required {
        Some(size @ (8 | 16 | 32)) => return Ok(SubgroupSize::Required(size as u8)),
        Some(_) => {
            return Err(vk::Error::InvalidUse {
                why: "a subgroup size that the hardware does not support",
            });
        }
        None => {}
    }
    Ok(if varies {
        SubgroupSize::Varying
    } else if is_full {
        // The size that shaders read as `SubgroupSize`.
        SubgroupSize::Required(vk::physical::SUBGROUP_SIZE as u8)
    } else {
        SubgroupSize::Fixed
    })
}

/// The layout of a compute pipeline.
///
/// # Safety
/// The structure is valid.
unsafe fn compute_layout(
    context: &vk::Context,
    info: &c::ComputePipelineCreateInfo<'_>,
) -> vk::Result<Arc<PipelineLayout>> {
    // SAFETY: as the caller says.
    unsafe {
        let flags = pipeline_flags(info.p_next, info.flags);
        let layout = pipeline_layout(info.layout)?;
        let stage = (Stage::Compute, &info.stage);
        stage_layout(context, stage, layout.as_ref(), flags)
    }
}

/// The shader of a compute pipeline.
///
/// # Safety
/// The structure is valid.
unsafe fn compute_info(
    context: &vk::Context,
    info: &c::ComputePipelineCreateInfo<'_>,
) -> vk::Result<ShaderInfo> {
    // SAFETY: as the caller says.
    unsafe {
        let flags = pipeline_flags(info.p_next, info.flags);
        let layout = compute_layout(context, info)?;
        shader_info(Stage::Compute, &info.stage, &layout, (flags, info.p_next))
    }
}

/// The binary of a compute pipeline, from the cache on disk. The error
/// [`vk::Error::CompileRequired`]: it does not have it.
///
/// # Safety
/// The structure is valid.
pub unsafe fn cached_binaries(
    device: &DeviceObject,
    info: &c::ComputePipelineCreateInfo<'_>,
) -> vk::Result<Vec<Arc<PipelineBinary>>> {
    let context = device.context();
    let info = ShaderInfo {
        cached_only: true,
        // SAFETY: as the caller says.
        ..unsafe { compute_info(device.context(), info) }?
    };
    let pipeline = Pipeline::compute(context, None, &info)?;
    Ok(vec![pipeline.binary(context)])
}

/// The key of a compute pipeline.
///
/// # Safety
/// The structure is valid.
pub unsafe fn binary_key(
    device: &DeviceObject,
    info: &c::ComputePipelineCreateInfo<'_>,
) -> vk::Result<BinaryKey> {
    // SAFETY: as the caller says.
    let info = unsafe { compute_info(device.context(), info) }?;
    Ok(Pipeline::binary_key(device.context(), &info))
}

/// The shader module of a create info.
///
/// # Safety
/// The structure is valid.
unsafe fn new_module(info: &c::ShaderModuleCreateInfo<'_>) -> vk::Result<ShaderModule> {
    // SAFETY: as the caller says.
    module_from_bytes(unsafe { raw::bytes(info.p_code.cast(), info.code_size) })
}

/// The shader module of bytes of SPIR-V, in host byte order.
pub fn module_from_bytes(bytes: &[u8]) -> vk::Result<ShaderModule> {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    ShaderModule::new(&words)
}

/// The module of a stage. Without one, the chain has its SPIR-V, or an identifier by which the
/// shader is looked up in the pipeline cache.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn module(from: &c::PipelineShaderStageCreateInfo<'_>) -> vk::Result<Arc<ShaderModule>> {
    type Identifier<'a> = c::PipelineShaderStageModuleIdentifierCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let identifier = raw::find_in_chain::<Identifier<'_>>(from.p_next)
            .filter(|node| node.identifier_size > 0);
        match identifier {
            Some(node) if from.module == c::ShaderModule::null() => {
                let identifier = raw::slice(node.p_identifier, node.identifier_size);
                Ok(Arc::new(ShaderModule::named(identifier)))
            }
            _ if from.module == c::ShaderModule::null() => {
                let info = raw::find_in_chain::<c::ShaderModuleCreateInfo<'_>>(from.p_next);
                let info = info.ok_or(vk::Error::BadHandle {
                    what: "VkShaderModule",
                })?;
                Ok(Arc::new(new_module(info)?))
            }
            _ => Ok(handle::get(from.module)?.clone()),
        }
    }
}

/// Writes the identifier of a module.
///
/// # Safety
/// `out` is null or a structure that may be written.
unsafe fn write_identifier(module: &ShaderModule, out: *mut c::ShaderModuleIdentifierEXT<'_>) {
    // SAFETY: as the caller says.
    if let Some(out) = unsafe { out.as_mut() } {
        let identifier = module.identifier();
        out.identifier_size = identifier.len() as u32;
        out.identifier = [0; c::MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT];
        for (to, from) in out.identifier.iter_mut().zip(identifier) {
            *to = *from;
        }
    }
}

/// The robustness that the chain of a stage selects, or else that of its pipeline.
///
/// # Safety
/// The chains are valid.
unsafe fn robustness(
    stage: *const c_void,
    pipeline: *const c_void,
) -> vk::Result<BufferRobustness> {
    type Node<'a> = c::PipelineRobustnessCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    let node =
        unsafe { raw::find_in_chain::<Node<'_>>(stage).or_else(|| raw::find_in_chain(pipeline)) };
    let Some(node) = node else {
        return Ok(BufferRobustness::default());
    };
    let robust = |behavior| {
        use c::PipelineRobustnessBufferBehaviorEXT as B;
        Ok(match behavior {
            B::DEVICE_DEFAULT => None,
            B::DISABLED => Some(false),
            B::ROBUST_BUFFER_ACCESS | B::ROBUST_BUFFER_ACCESS_2 => Some(true),
            _ => {
                return Err(vk::Error::InvalidUse {
                    why: "an unknown robustness behavior",
                });
            }
        })
    };
    Ok(BufferRobustness {
        storage: robust(node.storage_buffers)?,
        uniform: robust(node.uniform_buffers)?,
    })
}

/// Specialization constants.
///
/// # Safety
/// What the structure points to is valid.
pub unsafe fn constants(
    from: Option<&c::SpecializationInfo<'_>>,
) -> vk::Result<Vec<SpecializationConstant>> {
    let Some(map) = from else {
        return Ok(Vec::new());
    };
    // SAFETY: as the caller says.
    unsafe {
        let entries: Vec<_> = raw::slice(map.p_map_entries, map.map_entry_count)
            .iter()
            .map(|entry| (entry.constant_id, entry.offset, entry.size))
            .collect();
        vk::shader::constants(&entries, raw::bytes(map.p_data, map.data_size))
    }
}

/// The layout that a pipeline is created with, which no handle needs to keep alive; none for null.
///
/// # Safety
/// The handle is valid or null.
pub unsafe fn pipeline_layout(
    handle: c::PipelineLayout,
) -> vk::Result<Option<Arc<PipelineLayout>>> {
    // SAFETY: as the caller says.
    let layout = unsafe { handle::optional(handle)? };
    Ok(layout.map(PipelineLayout::for_pipeline))
}

/// The layout of a stage: that of its pipeline, or, with descriptor heaps, its own.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn stage_layout(
    context: &vk::Context,
    (stage, from): (Stage, &c::PipelineShaderStageCreateInfo<'_>),
    layout: Option<&Arc<PipelineLayout>>,
    flags: c::PipelineCreateFlags2KHR,
) -> vk::Result<Arc<PipelineLayout>> {
    // SAFETY: as the caller says.
    unsafe {
        match flags.contains(PIPELINE_DESCRIPTOR_HEAP) {
            true => heap_mapping::layout(context, stage, from.p_next),
            false => layout.cloned().ok_or(vk::Error::BadHandle {
                what: c::PipelineLayout::NAME,
            }),
        }
    }
}

/// The parameters of a stage's shader. `pipeline`: the flags and the chain of its pipeline.
///
/// # Safety
/// The structure and both chains are valid.
pub unsafe fn shader_info(
    stage: Stage,
    from: &c::PipelineShaderStageCreateInfo<'_>,
    layout: &Arc<PipelineLayout>,
    pipeline: (c::PipelineCreateFlags2KHR, *const c_void),
) -> vk::Result<ShaderInfo> {
    let (flags, chain) = pipeline;
    // SAFETY: as the caller says.
    unsafe {
        use c::PipelineCreateFlags2KHR as Flags;
        Ok(ShaderInfo {
            stage,
            // Created from binaries, the pipeline ignores the modules.
            module: match raw::find_in_chain::<PipelineBinaryInfoKHR<'_>>(chain) {
                Some(node) if node.binary_count > 0 => Arc::new(ShaderModule::named(&[])),
                _ => module(from)?,
            },
            entry: raw::string(from.p_name),
            constants: constants(from.p_specialization_info.as_ref())?,
            layout: layout.clone(),
            dispatch_base: flags.contains(Flags::DISPATCH_BASE),
            subgroup_size: subgroup_size(from)?,
            robustness: robustness(from.p_next, chain)?,
            cached_only: flags.contains(Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED),
            is_private: flags.contains(CAPTURE_DATA),
            capture: flags.contains(Flags::CAPTURE_INTERNAL_REPRESENTATIONS),
        })
    }
}
