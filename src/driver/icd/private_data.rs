//! Entry points of private data: a number that an application keeps with an object of a device.
//!
//! In:  slots, objects. Out: the numbers: notes of the object.
//! Ref: Vulkan 1.3, "Private Data".

use ash::vk as c;

use crate::entry::{done, entries};
use crate::face::Slot;
use crate::{handle, notes, raw};

entries! { PRIVATE_DATA:
    Device vkCreatePrivateDataSlot(
        device: c::Device,
        create_info: *const c::PrivateDataSlotCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        private_data_slot: *mut c::PrivateDataSlot,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(private_data_slot, handle::make_in(allocator, Slot::new())?);
        done()
    }

    Device vkDestroyPrivateDataSlot(
        device: c::Device,
        private_data_slot: c::PrivateDataSlot,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(slot) = handle::take(private_data_slot) {
            notes::forget_slot(slot.number);
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
        handle::note(object_handle, slot, data)?;
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
        raw::put(data, handle::noted(object_handle, slot)?);
        Ok(())
    }
}
