//! Entry points of descriptor buffers.
//!
//! In:  resources. Out: descriptors, as data that the application places in buffers, and sets in
//!      bound buffers.
//! Ref: VK_EXT_descriptor_buffer, VK_KHR_maintenance6.

use std::ffi::c_void;

use ash::vk as c;
use vk::descriptor::{
    BufferDescriptor, DescriptorBytes, DescriptorContents, TexelBuffer, buffer_descriptor,
    image_descriptor,
};

use crate::descriptor::Source;
use crate::entry::{done, entries};
use crate::recording::{bind_point, bind_points, record};
use crate::{handle, raw};

entries! { DESCRIPTOR_BUFFER:
    Device ["VK_EXT_descriptor_buffer"] vkGetDescriptorSetLayoutSizeEXT(
        device: c::Device,
        layout: c::DescriptorSetLayout,
        layout_size_in_bytes: *mut c::DeviceSize,
    ) {
        raw::write(layout_size_in_bytes, handle::get(layout)?.buffer_bytes());
        Ok(())
    }

    Device ["VK_EXT_descriptor_buffer"] vkGetDescriptorSetLayoutBindingOffsetEXT(
        device: c::Device,
        layout: c::DescriptorSetLayout,
        binding: u32,
        offset: *mut c::DeviceSize,
    ) {
        raw::write(offset, handle::get(layout)?.buffer_offset(binding).unwrap_or(0));
        Ok(())
    }

    Device ["VK_EXT_descriptor_buffer"] vkGetDescriptorEXT(
        device: c::Device,
        descriptor_info: *const c::DescriptorGetInfoEXT<'_>,
        data_size: usize,
        descriptor: *mut c_void,
    ) {
        let info = raw::reference(descriptor_info, "VkDescriptorGetInfoEXT")?;
        let device = handle::get(device)?;
        let found = describe(&device.device, info)?;
        // A descriptor of an image with a conversion has as many times this size as it counts for.
        let to = raw::bytes_mut(descriptor, data_size);
        to.fill(0);
        for (to, byte) in to.iter_mut().zip(found) {
            *to = byte;
        }
        Ok(())
    }

    Device ["VK_EXT_descriptor_buffer"] vkCmdBindDescriptorBuffersEXT(
        command_buffer: c::CommandBuffer,
        buffer_count: u32,
        binding_infos: *const c::DescriptorBufferBindingInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let infos = raw::slice(binding_infos, buffer_count);
            commands.bind_descriptor_buffers(infos.iter().map(|info| info.address));
            Ok(())
        })
    }

    Device ["VK_EXT_descriptor_buffer"] vkCmdSetDescriptorBufferOffsetsEXT(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        layout: c::PipelineLayout,
        first_set: u32,
        set_count: u32,
        buffer_indices: *const u32,
        offsets: *const c::DeviceSize,
    ) {
        record(command_buffer, |commands| {
            let point = bind_point(pipeline_bind_point)?;
            let places = places(buffer_indices, offsets, set_count);
            for (number, (index, offset)) in (first_set as usize..).zip(places) {
                commands.bind_buffer_set(point, number, index, offset)?;
            }
            Ok(())
        })
    }

    Device ["VK_KHR_maintenance6"] vkCmdSetDescriptorBufferOffsets2EXT(
        command_buffer: c::CommandBuffer,
        set_descriptor_buffer_offsets_info: *const c::SetDescriptorBufferOffsetsInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(set_descriptor_buffer_offsets_info, "VkSetDescriptorBufferOffsetsInfoEXT")?;
            for point in bind_points(info.stage_flags) {
                let places = places(info.p_buffer_indices, info.p_offsets, info.set_count);
                for (number, (index, offset)) in (info.first_set as usize..).zip(places) {
                    commands.bind_buffer_set(point, number, index, offset)?;
                }
            }
            Ok(())
        })
    }

    Device ["VK_EXT_descriptor_buffer"] vkCmdBindDescriptorBufferEmbeddedSamplersEXT(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        layout: c::PipelineLayout,
        set: u32,
    ) {
        record(command_buffer, |commands| {
            commands.bind_embedded_samplers(bind_point(pipeline_bind_point)?, handle::get(layout)?, set as usize)
        })
    }

    Device ["VK_KHR_maintenance6"] vkCmdBindDescriptorBufferEmbeddedSamplers2EXT(
        command_buffer: c::CommandBuffer,
        bind_descriptor_buffer_embedded_samplers_info: *const c::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(
                bind_descriptor_buffer_embedded_samplers_info,
                "VkBindDescriptorBufferEmbeddedSamplersInfoEXT",
            )?;
            let layout = handle::get(info.layout)?;
            bind_points(info.stage_flags)
                .try_for_each(|point| commands.bind_embedded_samplers(point, layout, info.set as usize))
        })
    }

    // Nothing is captured: the descriptorBufferCaptureReplay feature is not supported, and the data
    // have no bytes.
    Device ["VK_EXT_descriptor_buffer"] vkGetBufferOpaqueCaptureDescriptorDataEXT(
        device: c::Device,
        info: *const c::BufferCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> c::Result {
        done()
    }

    Device ["VK_EXT_descriptor_buffer"] vkGetImageOpaqueCaptureDescriptorDataEXT(
        device: c::Device,
        info: *const c::ImageCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> c::Result {
        done()
    }

    Device ["VK_EXT_descriptor_buffer"] vkGetImageViewOpaqueCaptureDescriptorDataEXT(
        device: c::Device,
        info: *const c::ImageViewCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> c::Result {
        done()
    }

    Device ["VK_EXT_descriptor_buffer"] vkGetSamplerOpaqueCaptureDescriptorDataEXT(
        device: c::Device,
        info: *const c::SamplerCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> c::Result {
        done()
    }
}

/// The buffer's index and the offset of each set.
///
/// # Safety
/// Each pointer is that of an array of `count` elements.
unsafe fn places<'a>(
    indices: *const u32,
    offsets: *const c::DeviceSize,
    count: u32,
) -> impl Iterator<Item = (u32, c::DeviceSize)> + use<'a> {
    // SAFETY: as the caller says.
    let (indices, offsets): (&'a [u32], &'a [c::DeviceSize]) =
        unsafe { (raw::slice(indices, count), raw::slice(offsets, count)) };
    indices.iter().copied().zip(offsets.iter().copied())
}

/// The descriptor of a resource.
///
/// # Safety
/// The structure is valid.
unsafe fn describe(
    device: &vk::Device,
    info: &c::DescriptorGetInfoEXT<'_>,
) -> vk::Result<DescriptorBytes> {
    use c::DescriptorType as T;
    let (kind, context) = (info.ty, &device.context);
    // SAFETY: as the caller says; every member of the union is a pointer.
    let data = unsafe { info.data.p_sampler }.cast::<c_void>();
    match Source::from_type(kind) {
        Source::Buffers if kind == T::UNIFORM_BUFFER || kind == T::STORAGE_BUFFER => {
            // SAFETY: as the caller says.
            let range = unsafe { data.cast::<c::DescriptorAddressInfoEXT<'_>>().as_ref() };
            let buffer = range.map_or(BufferDescriptor::NONE, |range| BufferDescriptor {
                address: range.address,
                bytes: range.range,
            });
            buffer_descriptor(context, buffer)
        }
        Source::Texels => {
            // SAFETY: as the caller says.
            let range = unsafe { data.cast::<c::DescriptorAddressInfoEXT<'_>>().as_ref() };
            let range = range.filter(|range| range.range > 0);
            let view = range.map(|range| {
                let texels = TexelBuffer {
                    address: range.address,
                    bytes: range.range,
                    format: range.format,
                };
                device.texel_buffers.view(&context.physical, texels)
            });
            let view = view.transpose()?;
            let view = view.as_deref();
            let contents = match kind {
                T::STORAGE_TEXEL_BUFFER => DescriptorContents::storage(
                    view.map(|view| (&view.storage, &view.storage_in_heap)),
                ),
                _ => DescriptorContents::surface(
                    view.map(|view| (&view.texture, &view.texture_in_heap)),
                ),
            };
            image_descriptor(context, &contents)
        }
        Source::Images if kind == T::SAMPLER => {
            // SAFETY: as the caller says.
            let sampler =
                unsafe { handle::get(*raw::reference(info.data.p_sampler, "VkSampler")?)? };
            image_descriptor(context, &DescriptorContents::sampler(sampler))
        }
        Source::Images => {
            // SAFETY: as the caller says. A null pointer is a null descriptor.
            let contents = unsafe {
                let null = c::DescriptorImageInfo::default();
                let image = data
                    .cast::<c::DescriptorImageInfo>()
                    .as_ref()
                    .unwrap_or(&null);
                let has_sampler = image.sampler != c::Sampler::null();
                Source::Images.read(kind, std::ptr::from_ref(image).cast(), has_sampler)?
            };
            image_descriptor(context, &contents)
        }
        Source::Buffers | Source::Inline => Err(vk::Error::InvalidUse {
            why: "a descriptor of a type that descriptor buffers do not have",
        }),
    }
}
