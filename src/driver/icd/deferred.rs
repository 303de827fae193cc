//! Entry points of deferred operations.
//!
//! In:  operations that an application makes, for commands that it may let other threads finish. Out: they are always finished: no command
//! that is offered takes one, so that none is ever left undone.
//! Ref: Vulkan, "Deferred Host Operations".

use ash::vk as c;

use crate::entry::{done, entries};
use crate::face::Operation;
use crate::{handle, raw};

entries! { DEFERRED:
    Device ["VK_KHR_deferred_host_operations"] vkCreateDeferredOperationKHR(
        device: c::Device,
        allocator: *const c::AllocationCallbacks<'_>,
        deferred_operation: *mut c::DeferredOperationKHR,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(deferred_operation, handle::make_in(allocator, Operation)?);
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

    // There is nothing for a thread to do.
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
