//! Entry points of private data: numbers that an application attaches to objects of a device.
//!
//! In:  slots, objects. Out: the numbers, kept in `object_data`.
//! Ref: Vulkan 1.3, "Private Data".

use ash::vk as c;

use crate::entry::{done, entries};
use crate::objects::PrivateDataSlot;
use crate::{handle, object_data, raw};

entries! { PRIVATE_DATA:
    Device vkCreatePrivateDataSlot(
        device: c::Device,
        create_info: *const c::PrivateDataSlotCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        private_data_slot: *mut c::PrivateDataSlot,
    ) -> c::Result {
        handle::get(device)?;
        raw::write(private_data_slot, handle::create_with(allocator, PrivateDataSlot::new())?);
        done()
    }

    Device vkDestroyPrivateDataSlot(
        device: c::Device,
        private_data_slot: c::PrivateDataSlot,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(slot) = handle::remove(private_data_slot) {
            object_data::remove_slot(slot.number);
        }
        Ok(())
    }

    Device vkSetPrivateData(
        device: c::Device,
        object_type: c::ObjectType,
        object_handle: u64,
        private_data_slot: c::PrivateDataSlot,
        data: u64,
    ) -> c::Result {
        let slot = handle::get(private_data_slot)?.number;
        handle::set_private_data(object_handle, slot, data)?;
        done()
    }

    Device vkGetPrivateData(
        device: c::Device,
        object_type: c::ObjectType,
        object_handle: u64,
        private_data_slot: c::PrivateDataSlot,
        data: *mut u64,
    ) {
        let slot = handle::get(private_data_slot)?.number;
        raw::write(data, handle::private_data(object_handle, slot)?);
        Ok(())
    }
}
