//! Entry points of shader objects (VK_EXT_shader_object).
//!
//! In:  create infos, with SPIR-V or binaries. Out: shader objects of `vk`; bindings of command
//!      buffers.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk as c;
use vk::descriptor::PipelineLayout;
use vk::graphics::{ShaderObject, ShaderSource};
use vk::pipeline::{Pipeline, ShaderInfo, Stage};

use crate::descriptor::set_layout;
use crate::entry::{done, entries};
use crate::objects::ShaderObjectKind;
use crate::recording::record;
use crate::types::SHADER_DESCRIPTOR_HEAP;
use crate::{diagnosis, handle, heap_mapping, pipeline, raw};

entries! { SHADER_OBJECT:
    Device ["VK_EXT_shader_object"] vkCreateShadersEXT(
        device: c::Device,
        create_info_count: u32,
        create_infos: *const c::ShaderCreateInfoEXT<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        shaders: *mut c::ShaderEXT,
    ) -> c::Result {
        let device = handle::get(device)?;
        let infos = raw::slice(create_infos, create_info_count);
        for index in 0..infos.len() {
            raw::write_at(shaders, index, c::ShaderEXT::null());
        }
        let is_linked = |info: &c::ShaderCreateInfoEXT<'_>| {
            info.flags.contains(c::ShaderCreateFlagsEXT::LINK_STAGE)
        };
        // The error that is returned is that of the first null shader.
        let mut first_error: Option<(usize, vk::Error)> = None;
        let mut note = |at, error| {
            diagnosis::report_to_messengers(&device.device, &error);
            if first_error.as_ref().is_none_or(|first| at < first.0) {
                first_error = Some((at, error));
            }
        };
        let linked: Vec<_> = (0..infos.len()).filter(|&at| is_linked(&infos[at])).collect();
        let sources = linked.iter().map(|&at| source(device.context(), &infos[at])).collect::<vk::Result<Vec<_>>>();
        match sources.and_then(|sources| ShaderObject::linked(device.context(), sources)) {
            Ok(objects) => {
                for (&at, object) in linked.iter().zip(objects) {
                    let object = ShaderObjectKind::Graphics(Arc::new(object));
                    raw::write_at(shaders, at, handle::create_with(allocator, object)?);
                }
            }
            Err(error) => note(linked.first().copied().unwrap_or(0), error),
        }
        for (at, info) in infos.iter().enumerate().filter(|(_, info)| !is_linked(info)) {
            match new_shader(device.context(), info) {
                Ok(object) => raw::write_at(shaders, at, handle::create_with(allocator, object)?),
                Err(error) => note(at, error),
            }
        }
        match first_error.map(|first| first.1) {
            // A code that reports success: the application falls back to SPIR-V.
            Some(vk::Error::IncompatibleBinary) => Ok(c::Result::INCOMPATIBLE_SHADER_BINARY_EXT),
            Some(error) => Err(error),
            None => done(),
        }
    }

    Device ["VK_EXT_shader_object"] vkDestroyShaderEXT(
        device: c::Device,
        shader: c::ShaderEXT,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(ShaderObjectKind::Graphics(object)) = handle::optional(shader)? {
            handle::get(device)?.device.shader_programs.forget(object);
        }
        handle::destroy(shader);
        Ok(())
    }

    Device ["VK_EXT_shader_object"] vkGetShaderBinaryDataEXT(
        device: c::Device,
        shader: c::ShaderEXT,
        data_size: *mut usize,
        data: *mut c_void,
    ) -> c::Result {
        let context = handle::get(device)?.context();
        let size = data_size.as_mut().ok_or(vk::Error::BadHandle { what: "a data size pointer" })?;
        let bytes = match handle::get(shader)? {
            ShaderObjectKind::Graphics(object) => object.binary(context),
            ShaderObjectKind::Compute { source, .. } => source.binary(context),
        };
        let room = std::mem::replace(size, bytes.len());
        if data.is_null() {
            return done();
        }
        if room < bytes.len() {
            *size = 0;
            return Ok(c::Result::INCOMPLETE);
        }
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast::<u8>(), bytes.len());
        done()
    }

    Device ["VK_EXT_shader_object"] vkCmdBindShadersEXT(
        command_buffer: c::CommandBuffer,
        stage_count: u32,
        stages: *const c::ShaderStageFlags,
        shaders: *const c::ShaderEXT,
    ) {
        record(command_buffer, |buffer| {
            for (index, &flag) in raw::slice(stages, stage_count).iter().enumerate() {
                let shader = match shaders.is_null() {
                    true => None,
                    false => handle::optional(*shaders.add(index))?,
                };
                match (stage(flag), shader) {
                    (Ok(Stage::Compute), None) => {}
                    (Ok(Stage::Compute), Some(ShaderObjectKind::Compute { pipeline, .. })) => {
                        buffer.bind_pipeline(pipeline)?;
                    }
                    (Ok(stage), None) => buffer.bind_shader(stage, None)?,
                    (Ok(stage), Some(ShaderObjectKind::Graphics(object))) => {
                        buffer.bind_shader(stage, Some(object))?;
                    }
                    // Stages that the device does not have are unbound.
                    (Err(_), None) => {}
                    _ => return Err(vk::Error::InvalidUse {
                        why: "a shader object bound to another stage than its own",
                    }),
                }
            }
            Ok(())
        })
    }
}

/// `vk`'s stage of a shader object.
fn stage(from: c::ShaderStageFlags) -> vk::Result<Stage> {
    match from {
        c::ShaderStageFlags::COMPUTE => Ok(Stage::Compute),
        _ => crate::graphics_pipeline::stage(from),
    }
}

/// The parameters of a shader, and its binary, if it is created from one.
///
/// # Safety
/// The structure, its chain, and what they point to are valid for `'a`.
unsafe fn source<'a>(
    context: &vk::Context,
    info: &'a c::ShaderCreateInfoEXT<'a>,
) -> vk::Result<ShaderSource<'a>> {
    use c::ShaderCreateFlagsEXT as Flags;
    type Required<'a> = c::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'a>;
    // SAFETY: as the caller says.
    unsafe {
        let sets = raw::slice(info.p_set_layouts, info.set_layout_count).iter();
        let sets = sets
            .map(|&layout| set_layout(layout))
            .collect::<vk::Result<Vec<_>>>()?;
        let ranges = raw::slice(info.p_push_constant_ranges, info.push_constant_range_count);
        let push: Vec<_> = ranges.iter().map(crate::descriptor::push_range).collect();
        let code = raw::bytes(info.p_code, info.code_size);
        let (module, binary) = match info.code_type {
            c::ShaderCodeTypeEXT::SPIRV => (pipeline::module_from_bytes(code)?, None),
            c::ShaderCodeTypeEXT::BINARY => {
                (vk::graphics::binary_module(context, code)?, Some(code))
            }
            _ => {
                return Err(vk::Error::InvalidUse {
                    why: "an unknown type of shader code",
                });
            }
        };
        let required = raw::find_in_chain::<Required<'_>>(info.p_next);
        let stage = stage(info.stage)?;
        let shader = ShaderInfo {
            stage,
            module: Arc::new(module),
            entry: raw::string(info.p_name),
            constants: pipeline::constants(info.p_specialization_info.as_ref())?,
            layout: match info.flags.contains(SHADER_DESCRIPTOR_HEAP) {
                true => match binary {
                    Some(code) => Arc::new(vk::graphics::binary_layout(context, stage, code)?),
                    None => heap_mapping::layout(context, stage, info.p_next)?,
                },
                false => Arc::new(PipelineLayout::new(&sets, &push)?),
            },
            dispatch_base: info.flags.contains(Flags::DISPATCH_BASE),
            subgroup_size: pipeline::chosen_subgroup_size(
                required.map(|node| node.required_subgroup_size),
                info.flags.contains(Flags::ALLOW_VARYING_SUBGROUP_SIZE),
                info.flags.contains(Flags::REQUIRE_FULL_SUBGROUPS),
            )?,
            robustness: vk::pipeline::BufferRobustness::default(),
            cached_only: false,
            is_private: false,
            capture: false,
        };
        Ok((shader, binary))
    }
}

/// A shader that is not linked.
///
/// # Safety
/// As [`source`].
unsafe fn new_shader(
    context: &Arc<vk::Context>,
    info: &c::ShaderCreateInfoEXT<'_>,
) -> vk::Result<ShaderObjectKind> {
    // SAFETY: as the caller says.
    let source = unsafe { source(context, info)? };
    let is_compute = source.0.stage == Stage::Compute;
    let object = ShaderObject::new(context, source)?;
    if !is_compute {
        return Ok(ShaderObjectKind::Graphics(Arc::new(object)));
    }
    let shader = object.compiled().ok_or(vk::Error::InvalidUse {
        why: "a compute shader without code",
    })?;
    Ok(ShaderObjectKind::Compute {
        pipeline: Box::new(Pipeline::from_binary(context, shader, object.layout())?),
        source: Box::new(object),
    })
}
