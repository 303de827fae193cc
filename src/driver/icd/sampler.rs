//! Entry points of samplers, their conversions, and views of buffers.

use ash::vk as c;
use vk::buffer_view::BufferView;
use vk::planar::{Conversion, ConversionInfo};
use vk::sampler::{Sampler, SamplerInfo};

use crate::entry::{done, entries};
use crate::{handle, raw};

entries! { SAMPLER:
    Device vkCreateSampler(
        device: c::Device,
        create_info: *const c::SamplerCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        sampler: *mut c::Sampler,
    ) -> c::Result {
        let face = handle::get(device)?;
        let info = raw::reference(create_info, "VkSamplerCreateInfo")?;
        let custom = raw::find::<c::SamplerCustomBorderColorCreateInfoEXT<'_>>(info.p_next);
        let reduction = raw::find::<c::SamplerReductionModeCreateInfo<'_>>(info.p_next);
        let conversion = raw::find::<c::SamplerYcbcrConversionInfo<'_>>(info.p_next)
            .map(|node| handle::get(node.conversion).copied())
            .transpose()?;
        let named = ![c::BorderColor::FLOAT_CUSTOM_EXT, c::BorderColor::INT_CUSTOM_EXT].contains(&info.border_color);
        let asked = SamplerInfo {
            flags: info.flags,
            mag: info.mag_filter,
            min: info.min_filter,
            mip: info.mipmap_mode,
            address: [info.address_mode_u, info.address_mode_v, info.address_mode_w],
            lod_bias: info.mip_lod_bias,
            lod: [info.min_lod, info.max_lod],
            anisotropy: (info.anisotropy_enable != c::FALSE).then_some(info.max_anisotropy),
            compare: (info.compare_enable != c::FALSE).then_some(info.compare_op),
            border: info.border_color,
            custom: custom.filter(|_| !named).map(|node| (node.custom_border_color.uint32, node.format)),
            unnormalised: info.unnormalized_coordinates != c::FALSE,
            reduction: reduction.map_or(c::SamplerReductionMode::WEIGHTED_AVERAGE, |node| node.reduction_mode),
            conversion,
        };
        raw::put(sampler, handle::make_in(allocator, Sampler::new(&face.device.context, &asked)?)?);
        done()
    }

    Device vkDestroySampler(
        device: c::Device,
        sampler: c::Sampler,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(sampler);
        Ok(())
    }

    Device vkCreateSamplerYcbcrConversion(
        device: c::Device,
        create_info: *const c::SamplerYcbcrConversionCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        ycbcr_conversion: *mut c::SamplerYcbcrConversion,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkSamplerYcbcrConversionCreateInfo")?;
        let asked = ConversionInfo {
            format: info.format,
            model: info.ycbcr_model,
            range: info.ycbcr_range,
            components: info.components,
            chroma: [info.x_chroma_offset, info.y_chroma_offset],
            filter: info.chroma_filter,
        };
        raw::put(ycbcr_conversion, handle::make_in(allocator, Conversion::new(&asked))?);
        done()
    }

    Device vkDestroySamplerYcbcrConversion(
        device: c::Device,
        ycbcr_conversion: c::SamplerYcbcrConversion,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(ycbcr_conversion);
        Ok(())
    }

    Device vkCreateBufferView(
        device: c::Device,
        create_info: *const c::BufferViewCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        view: *mut c::BufferView,
    ) -> c::Result {
        let face = handle::get(device)?;
        let info = raw::reference(create_info, "VkBufferViewCreateInfo")?;
        let buffer = handle::get(info.buffer)?;
        let physical = &face.device.context.physical;
        let made = BufferView::new(physical, buffer, info.format, info.offset, info.range)?;
        raw::put(view, handle::make_in(allocator, made)?);
        done()
    }

    Device vkDestroyBufferView(
        device: c::Device,
        buffer_view: c::BufferView,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(buffer_view);
        Ok(())
    }
}
