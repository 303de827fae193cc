//! Entry points of deferred operations.
//!
//! In:  operations that an application creates so that its threads can share the work of a command.
//! Out: operations that are always complete: no command of the driver defers its work.
//! Ref: Vulkan, "Deferred Host Operations".

use ash::vk as c;

use crate::entry::{done, entries};
use crate::objects::DeferredOperation;
use crate::{handle, raw};

entries! { DEFERRED:
    Device ["VK_KHR_deferred_host_operations"] vkCreateDeferredOperationKHR(
        device: c::Device,
        allocator: *const c::AllocationCallbacks<'_>,
        deferred_operation: *mut c::DeferredOperationKHR,
    ) -> c::Result {
        handle::get(device)?;
        raw::write(deferred_operation, handle::create_with(allocator, DeferredOperation)?);
        done()
    }

    Device ["VK_KHR_deferred_host_operations"] vkDestroyDeferredOperationKHR(
        device: c::Device,
        operation: c::DeferredOperationKHR,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(operation);
        Ok(())
    }

    // No thread can help: the operation is complete.
    Device ["VK_KHR_deferred_host_operations"] vkGetDeferredOperationMaxConcurrencyKHR(
        device: c::Device,
        operation: c::DeferredOperationKHR,
    ) -> u32 {
        handle::get(operation)?;
        Ok(0)
    }

    Device ["VK_KHR_deferred_host_operations"] vkGetDeferredOperationResultKHR(
        device: c::Device,
        operation: c::DeferredOperationKHR,
    ) -> c::Result {
        handle::get(operation)?;
        done()
    }

    Device ["VK_KHR_deferred_host_operations"] vkDeferredOperationJoinKHR(
        device: c::Device,
        operation: c::DeferredOperationKHR,
    ) -> c::Result {
        handle::get(operation)?;
        done()
    }
}
