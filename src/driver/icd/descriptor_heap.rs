//! Entry points of descriptor heaps.
//!
//! In:  parameters of samplers, resources and border colours; heaps; push data. Out: descriptors,
//!      as data that the application places in heaps, and bound heaps.
//! Ref: VK_EXT_descriptor_heap.

use vk::command::Heap;
use vk::descriptor::{
    BufferDescriptor, DESCRIPTOR_BYTES, DescriptorBytes, DescriptorContents, TexelBuffer,
    buffer_descriptor, image_descriptor,
};

use crate::entry::{done, entries};
use crate::recording::record;
use crate::types as c;
use crate::{handle, image, raw, sampler};

entries! { DESCRIPTOR_HEAP:
    Device ["VK_EXT_descriptor_heap"] vkWriteSamplerDescriptorsEXT(
        device: c::Device,
        sampler_count: u32,
        samplers: *const c::SamplerCreateInfo<'_>,
        descriptors: *const c::HostAddressRangeEXT,
    ) -> c::Result {
        let device = &handle::get(device)?.device;
        let ranges = raw::slice(descriptors, sampler_count);
        for (info, range) in raw::slice(samplers, sampler_count).iter().zip(ranges) {
            let info = sampler::sampler_info(info)?;
            let sampler = device.heap_samplers.sampler(&device.context, &info)?;
            write(range, image_descriptor(&device.context, &DescriptorContents::sampler(&sampler))?);
        }
        done()
    }

    Device ["VK_EXT_descriptor_heap"] vkWriteResourceDescriptorsEXT(
        device: c::Device,
        resource_count: u32,
        resources: *const c::ResourceDescriptorInfoEXT<'_>,
        descriptors: *const c::HostAddressRangeEXT,
    ) -> c::Result {
        let device = &handle::get(device)?.device;
        let ranges = raw::slice(descriptors, resource_count);
        for (info, range) in raw::slice(resources, resource_count).iter().zip(ranges) {
            write(range, describe(device, info)?);
        }
        done()
    }

    Device ["VK_EXT_descriptor_heap"] vkCmdBindSamplerHeapEXT(
        command_buffer: c::CommandBuffer,
        bind_info: *const c::BindHeapInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(bind_info, "VkBindHeapInfoEXT")?;
            commands.bind_heap(Heap::Samplers, info.heap_range.address)
        })
    }

    Device ["VK_EXT_descriptor_heap"] vkCmdBindResourceHeapEXT(
        command_buffer: c::CommandBuffer,
        bind_info: *const c::BindHeapInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(bind_info, "VkBindHeapInfoEXT")?;
            commands.bind_heap(Heap::Resources, info.heap_range.address)
        })
    }

    Device ["VK_EXT_descriptor_heap"] vkCmdPushDataEXT(
        command_buffer: c::CommandBuffer,
        push_data_info: *const c::PushDataInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(push_data_info, "VkPushDataInfoEXT")?;
            commands.push_data(info.offset, raw::bytes(info.data.address, info.data.size))
        })
    }

    // Nothing is captured: the descriptorHeapCaptureReplay feature is not supported, and the data
    // have no bytes.
    Device ["VK_EXT_descriptor_heap"] vkGetImageOpaqueCaptureDataEXT(
        device: c::Device,
        image_count: u32,
        images: *const c::Image,
        datas: *mut c::HostAddressRangeEXT,
    ) -> c::Result {
        done()
    }

    Physical ["VK_EXT_descriptor_heap"] vkGetPhysicalDeviceDescriptorSizeEXT(
        physical_device: c::PhysicalDevice,
        descriptor_type: c::DescriptorType,
    ) -> c::DeviceSize {
        Ok(DESCRIPTOR_BYTES as u64)
    }

    Device ["VK_EXT_descriptor_heap"] vkRegisterCustomBorderColorEXT(
        device: c::Device,
        border_color: *const c::SamplerCustomBorderColorCreateInfoEXT<'_>,
        request_index: c::Bool32,
        index: *mut u32,
    ) -> c::Result {
        let samplers = &handle::get(device)?.device.heap_samplers;
        let info = raw::reference(border_color, "VkSamplerCustomBorderColorCreateInfoEXT")?;
        let border = (info.custom_border_color.uint32, info.format);
        let requested = index.as_ref().filter(|_| request_index != c::FALSE);
        raw::write(index, samplers.register_border(border, requested.copied())?);
        done()
    }

    Device ["VK_EXT_descriptor_heap"] vkUnregisterCustomBorderColorEXT(
        device: c::Device,
        index: u32,
    ) {
        handle::get(device)?.device.heap_samplers.unregister_border(index);
        Ok(())
    }
}

/// Writes a descriptor to host memory.
///
/// # Safety
/// The range may be written.
unsafe fn write(range: &c::HostAddressRangeEXT, descriptor: DescriptorBytes) {
    // SAFETY: as the caller says.
    let to = unsafe { raw::bytes_mut(range.address, range.size) };
    // A descriptor of an image with a conversion has as many times this size as it counts for.
    for (to, byte) in to.iter_mut().zip(descriptor) {
        *to = byte;
    }
}

/// The descriptor of a resource. A null pointer gives a null descriptor.
///
/// # Safety
/// The structure and what it points to are valid.
unsafe fn describe(
    device: &vk::Device,
    info: &c::ResourceDescriptorInfoEXT<'_>,
) -> vk::Result<DescriptorBytes> {
    use c::DescriptorType as T;
    let (kind, context) = (info.r#type, &device.context);
    match kind {
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER => {
            // SAFETY: as the caller says.
            let range = unsafe { info.data.p_address_range.as_ref() };
            let buffer = range.map_or(BufferDescriptor::NONE, |range| BufferDescriptor {
                address: range.address,
                bytes: range.bytes_there(),
            });
            buffer_descriptor(context, buffer)
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            // SAFETY: as the caller says.
            let texels = unsafe { info.data.p_texel_buffer.as_ref() };
            let texels = texels.filter(|texels| texels.address_range.bytes_there() > 0);
            let view = texels.map(|texels| {
                let texels = TexelBuffer {
                    address: texels.address_range.address,
                    bytes: texels.address_range.size,
                    format: texels.format,
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
        T::SAMPLED_IMAGE | T::STORAGE_IMAGE | T::INPUT_ATTACHMENT => {
            // SAFETY: as the caller says.
            let view_info = unsafe {
                let image = info.data.p_image.as_ref();
                image
                    .map(|image| raw::reference(image.p_view, "VkImageViewCreateInfo"))
                    .transpose()?
            };
            let is_storage = kind == T::STORAGE_IMAGE;
            let Some(view_info) = view_info else {
                let null = match is_storage {
                    true => DescriptorContents::storage(None),
                    false => DescriptorContents::planes(None),
                };
                return image_descriptor(context, &null);
            };
            // SAFETY: as the caller says.
            let view = unsafe { image::new_view(context, view_info)? };
            match is_storage {
                true => {
                    let surfaces = view.storage()?;
                    let states = view.image.heap_surfaces.states(surfaces);
                    let contents = DescriptorContents::storage(Some((surfaces, &states)));
                    image_descriptor(context, &contents)
                }
                false => {
                    let surfaces = view.textures()?;
                    let states = view.image.heap_surfaces.states(surfaces);
                    let contents = DescriptorContents::planes(Some((surfaces, &states)));
                    image_descriptor(context, &contents)
                }
            }
        }
        _ => Err(vk::Error::InvalidUse {
            why: "a descriptor of a type that descriptor heaps do not have",
        }),
    }
}
