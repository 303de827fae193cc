//! Entry points of samplers, Y′CbCr conversions and buffer views.
//!
//! In:  create infos. Out: objects of `vk`.

use ash::vk as c;
use vk::buffer_view::BufferView;
use vk::planar::{SamplerYcbcrConversion, YcbcrConversionInfo};
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
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkSamplerCreateInfo")?;
        let sampler_info = sampler_info(info)?;
        raw::write(sampler, handle::create_with(allocator, Sampler::new(device.context(), &sampler_info)?)?);
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
        let conversion_info = YcbcrConversionInfo {
            format: info.format,
            model: info.ycbcr_model,
            range: info.ycbcr_range,
            components: info.components,
            chroma: [info.x_chroma_offset, info.y_chroma_offset],
            filter: info.chroma_filter,
        };
        raw::write(ycbcr_conversion, handle::create_with(allocator, SamplerYcbcrConversion::new(&conversion_info))?);
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
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkBufferViewCreateInfo")?;
        let buffer = handle::get(info.buffer)?;
        let physical = &device.context().physical;
        let created = BufferView::new(physical, buffer, info.format, info.offset, info.range)?;
        raw::write(view, handle::create_with(allocator, created)?);
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

/// The parameters of a sampler.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn sampler_info(info: &c::SamplerCreateInfo<'_>) -> vk::Result<SamplerInfo> {
    // SAFETY: as the caller says.
    let (custom, reduction, conversion) = unsafe {
        (
            raw::find_in_chain::<c::SamplerCustomBorderColorCreateInfoEXT<'_>>(info.p_next),
            raw::find_in_chain::<c::SamplerReductionModeCreateInfo<'_>>(info.p_next),
            raw::find_in_chain::<c::SamplerYcbcrConversionInfo<'_>>(info.p_next)
                .map(|node| handle::get(node.conversion).copied())
                .transpose()?,
        )
    };
    let predefined = ![
        c::BorderColor::FLOAT_CUSTOM_EXT,
        c::BorderColor::INT_CUSTOM_EXT,
    ]
    .contains(&info.border_color);
    Ok(SamplerInfo {
        flags: info.flags,
        mag: info.mag_filter,
        min: info.min_filter,
        mip: info.mipmap_mode,
        address: [
            info.address_mode_u,
            info.address_mode_v,
            info.address_mode_w,
        ],
        lod_bias: info.mip_lod_bias,
        lod: [info.min_lod, info.max_lod],
        anisotropy: (info.anisotropy_enable != c::FALSE).then_some(info.max_anisotropy),
        compare: (info.compare_enable != c::FALSE).then_some(info.compare_op),
        border: info.border_color,
        custom: custom
            .filter(|_| !predefined)
            // SAFETY: all members of the union are four dwords.
            .map(|node| (unsafe { node.custom_border_color.uint32 }, node.format)),
        unnormalised: info.unnormalized_coordinates != c::FALSE,
        reduction: reduction.map_or(c::SamplerReductionMode::WEIGHTED_AVERAGE, |node| {
            node.reduction_mode
        }),
        conversion,
    })
}
