//! Entry points of pipeline binaries (VK_KHR_pipeline_binary).
//!
//! In:  pipelines, create infos of pipelines, keys and data. Out: objects of `vk`, keys and data.
//!
//! Pipelines have what their binaries are made of in any case, so nothing is captured, and there is
//! nothing to release.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk as c;
use vk::pipeline_binary::{BinaryKey, PipelineBinary, global_key};

use crate::entry::{done, entries};
use crate::objects::DeviceObject;
use crate::types::{
    PIPELINE_BINARY_KEY_BYTES, PipelineBinaryCreateInfoKHR, PipelineBinaryDataInfoKHR,
    PipelineBinaryHandlesInfoKHR, PipelineBinaryKHR, PipelineBinaryKeyKHR, PipelineCreateInfoKHR,
    ReleaseCapturedPipelineDataInfoKHR,
};
use crate::{graphics_pipeline, handle, pipeline, raw};

/// `VK_PIPELINE_BINARY_MISSING_KHR`.
const MISSING: c::Result = c::Result::from_raw(1_000_483_000);
/// `VK_ERROR_NOT_ENOUGH_SPACE_KHR`.
const NOT_ENOUGH_SPACE: c::Result = c::Result::from_raw(-1_000_483_000);

entries! { PIPELINE_BINARY:
    Device ["VK_KHR_pipeline_binary"] vkCreatePipelineBinariesKHR(
        device: c::Device,
        create_info: *const PipelineBinaryCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        binaries: *mut PipelineBinaryHandlesInfoKHR<'_>,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkPipelineBinaryCreateInfoKHR")?;
        let out = binaries.as_mut().ok_or(vk::Error::BadHandle { what: "VkPipelineBinaryHandlesInfoKHR" })?;
        let created = match find_binaries(device, info) {
            Err(vk::Error::CompileRequired) => {
                write_nulls(out);
                return Ok(MISSING);
            }
            Err(error) => {
                write_nulls(out);
                return Err(error);
            }
            Ok(created) => created,
        };
        if out.p_pipeline_binaries.is_null() {
            out.pipeline_binary_count = created.len() as u32;
            return done();
        }
        let (all, room) = (created.len(), out.pipeline_binary_count as usize);
        let (mut written, mut first_error) = (0, None);
        for (index, binary) in created.into_iter().take(room).enumerate() {
            let handle = match binary.and_then(|binary| handle::create_with(allocator, binary)) {
                Ok(handle) => handle,
                Err(error) => {
                    first_error.get_or_insert(error);
                    PipelineBinaryKHR::default()
                }
            };
            raw::write_at(out.p_pipeline_binaries, index, handle);
            written += 1;
        }
        out.pipeline_binary_count = written;
        match first_error {
            Some(error) => Err(error),
            None if room < all => Ok(c::Result::INCOMPLETE),
            None => done(),
        }
    }

    Device ["VK_KHR_pipeline_binary"] vkDestroyPipelineBinaryKHR(
        device: c::Device,
        pipeline_binary: PipelineBinaryKHR,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(pipeline_binary);
        Ok(())
    }

    Device ["VK_KHR_pipeline_binary"] vkGetPipelineKeyKHR(
        device: c::Device,
        pipeline_create_info: *const PipelineCreateInfoKHR<'_>,
        pipeline_key: *mut PipelineBinaryKeyKHR<'_>,
    ) -> c::Result {
        let device = handle::get(device)?;
        let key = match pipeline_create_info.as_ref() {
            None => global_key(device.context()),
            Some(info) => pipeline_key_of(device, info)?,
        };
        write_key(pipeline_key, &key);
        done()
    }

    Device ["VK_KHR_pipeline_binary"] vkGetPipelineBinaryDataKHR(
        device: c::Device,
        info: *const PipelineBinaryDataInfoKHR<'_>,
        pipeline_binary_key: *mut PipelineBinaryKeyKHR<'_>,
        pipeline_binary_data_size: *mut usize,
        pipeline_binary_data: *mut c_void,
    ) -> c::Result {
        let info = raw::reference(info, "VkPipelineBinaryDataInfoKHR")?;
        let binary = handle::get(info.pipeline_binary)?;
        let size = pipeline_binary_data_size.as_mut().ok_or(vk::Error::BadHandle { what: "a data size pointer" })?;
        let (data, room) = (binary.data(), std::mem::replace(size, binary.data().len()));
        if !pipeline_binary_data.is_null() {
            if room < data.len() {
                return Ok(NOT_ENOUGH_SPACE);
            }
            std::ptr::copy_nonoverlapping(data.as_ptr(), pipeline_binary_data.cast::<u8>(), data.len());
        }
        write_key(pipeline_binary_key, binary.key());
        done()
    }

    Device ["VK_KHR_pipeline_binary"] vkReleaseCapturedPipelineDataKHR(
        device: c::Device,
        info: *const ReleaseCapturedPipelineDataInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
    ) -> c::Result {
        handle::get(raw::reference(info, "VkReleaseCapturedPipelineDataInfoKHR")?.pipeline)?;
        done()
    }
}

/// A binary, or why it cannot be created.
type Created = vk::Result<Arc<PipelineBinary>>;

/// The binaries of a create info. The error `CompileRequired`: they are in no cache.
///
/// # Safety
/// The structure and what it points to are valid.
unsafe fn find_binaries(
    device: &DeviceObject,
    info: &PipelineBinaryCreateInfoKHR<'_>,
) -> vk::Result<Vec<Created>> {
    let context = device.context();
    // SAFETY: as the caller says.
    unsafe {
        if let Some(list) = info.p_keys_and_data_info.as_ref() {
            let keys = raw::slice(list.p_pipeline_binary_keys, list.binary_count);
            let data = raw::slice(list.p_pipeline_binary_data, list.binary_count);
            let created = keys.iter().zip(data).map(|(key, data)| {
                let length = (key.key_size as usize).min(key.key.len());
                let data = raw::bytes(data.p_data, data.data_size);
                PipelineBinary::from_data(context, &key.key[..length], data)
            });
            return Ok(created.collect());
        }
        let found = match info.p_pipeline_create_info.as_ref() {
            None => handle::get(info.pipeline)?.binaries(context),
            Some(info) => match pipeline_info(info)? {
                PipelineInfo::Compute(info) => pipeline::cached_binaries(device, info)?,
                PipelineInfo::Graphics(info) => graphics_pipeline::cached_binaries(device, info)?,
            },
        };
        Ok(found.into_iter().map(Ok).collect())
    }
}

/// The create info of a pipeline.
enum PipelineInfo<'a> {
    Compute(&'a c::ComputePipelineCreateInfo<'a>),
    Graphics(&'a c::GraphicsPipelineCreateInfo<'a>),
}

/// The create info that a structure points to.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn pipeline_info<'a>(info: &PipelineCreateInfoKHR<'a>) -> vk::Result<PipelineInfo<'a>> {
    // SAFETY: as the caller says. The structure is the first of the chain: its own chain follows.
    unsafe {
        if let Some(info) = raw::find_in_chain::<c::ComputePipelineCreateInfo<'_>>(info.p_next) {
            return Ok(PipelineInfo::Compute(info));
        }
        let info = raw::find_in_chain::<c::GraphicsPipelineCreateInfo<'_>>(info.p_next);
        info.map(PipelineInfo::Graphics)
            .ok_or(vk::Error::InvalidUse {
                why: "a pipeline key without the create info of a pipeline",
            })
    }
}

/// The key of a create info.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn pipeline_key_of(
    device: &DeviceObject,
    info: &PipelineCreateInfoKHR<'_>,
) -> vk::Result<BinaryKey> {
    // SAFETY: as the caller says.
    unsafe {
        match pipeline_info(info)? {
            PipelineInfo::Compute(info) => pipeline::binary_key(device, info),
            PipelineInfo::Graphics(info) => graphics_pipeline::binary_key(device, info),
        }
    }
}

/// Writes null handles, where there is an array.
///
/// # Safety
/// The array has as many elements as the structure says.
unsafe fn write_nulls(out: &mut PipelineBinaryHandlesInfoKHR<'_>) {
    for index in 0..out.pipeline_binary_count as usize {
        // SAFETY: as the caller says; a null pointer is not written to.
        unsafe { raw::write_at(out.p_pipeline_binaries, index, PipelineBinaryKHR::default()) };
    }
}

/// Writes a key.
///
/// # Safety
/// `out` is null or a structure that may be written.
unsafe fn write_key(out: *mut PipelineBinaryKeyKHR<'_>, key: &BinaryKey) {
    const { assert!(size_of::<BinaryKey>() == PIPELINE_BINARY_KEY_BYTES) };
    // SAFETY: as the caller says.
    if let Some(out) = unsafe { out.as_mut() } {
        (out.key_size, out.key) = (key.len() as u32, *key);
    }
}
