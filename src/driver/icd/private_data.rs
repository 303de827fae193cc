//! Entry points of private data: a number that an application keeps with an object of a device.
//!
//! In:  slots, objects. Out: the numbers. An object is its handle and its serial number, so that one that is made where another was
//! begins with none.
//! Ref: Vulkan 1.3, "Private Data".

use std::sync::PoisonError;

use ash::vk as c;

use crate::entry::{done, entries};
use crate::face::Slot;
use crate::{handle, raw};

entries! { PRIVATE_DATA:
    Device vkCreatePrivateDataSlot(
        device: c::Device,
        create_info: *const c::PrivateDataSlotCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        private_data_slot: *mut c::PrivateDataSlot,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(private_data_slot, handle::make_in(allocator, Slot::default())?);
        done()
    }

    Device vkDestroyPrivateDataSlot(
        device: c::Device,
        private_data_slot: c::PrivateDataSlot,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(private_data_slot);
        Ok(())
    }

    Device vkSetPrivateData(
        device: c::Device,
        object_type: c::ObjectType,
        object_handle: u64,
        private_data_slot: c::PrivateDataSlot,
        data: u64,
    ) -> c::Result {
        let object = (object_handle, handle::serial(object_handle)?);
        let slot = handle::get(private_data_slot)?;
        slot.values.lock().unwrap_or_else(PoisonError::into_inner).insert(object, data);
        done()
    }

    Device vkGetPrivateData(
        device: c::Device,
        object_type: c::ObjectType,
        object_handle: u64,
        private_data_slot: c::PrivateDataSlot,
        data: *mut u64,
    ) {
        let object = (object_handle, handle::serial(object_handle)?);
        let slot = handle::get(private_data_slot)?;
        let values = slot.values.lock().unwrap_or_else(PoisonError::into_inner);
        raw::put(data, values.get(&object).copied().unwrap_or(0));
        Ok(())
    }
}
