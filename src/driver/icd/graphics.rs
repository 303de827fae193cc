//! Entry points of what the driver cannot do yet: conversions of samplers.
//!
//! Vulkan wants the functions to exist. None of their objects can be created, so functions that take one have nothing to do; commands
//! make their command buffer invalid, which `vkEndCommandBuffer` tells.

use ash::vk as c;
use ash::vk::Handle;

use crate::entry::entries;
use crate::{handle, raw};

entries! { GRAPHICS:
    Device vkCreateSamplerYcbcrConversion(
        device: c::Device,
        create_info: *const c::SamplerYcbcrConversionCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        ycbcr_conversion: *mut c::SamplerYcbcrConversion,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(ycbcr_conversion, Handle::from_raw(0));
        Err(vk::Error::FeatureNotPresent { what: "samplers" })
    }

    Device vkDestroySamplerYcbcrConversion(
        device: c::Device,
        ycbcr_conversion: c::SamplerYcbcrConversion,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        Ok(())
    }
}
