//! Entry points of debug messengers, names and labels.
//!
//! In:  callbacks of the application.
//! Out: calls of them when a pipeline cannot be created, as the error code alone does not identify
//!      the shader, and when a GPU cannot be used. Names and labels are for external tools: the
//!      driver ignores them.
//! Ref: VK_EXT_debug_utils.

use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as c;

use crate::entry::{done, entries};
use crate::objects::{self, DebugMessenger};
use crate::{handle, raw};

entries! { DEBUG_UTILS:
    Instance ["VK_EXT_debug_utils"] vkCreateDebugUtilsMessengerEXT(
        instance: c::Instance,
        create_info: *const c::DebugUtilsMessengerCreateInfoEXT<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        messenger: *mut c::DebugUtilsMessengerEXT,
    ) -> c::Result {
        let instance = handle::get(instance)?;
        let info = raw::reference(create_info, "VkDebugUtilsMessengerCreateInfoEXT")?;
        let callback = Arc::new(DebugMessenger::new(info));
        instance.messengers.lock().unwrap_or_else(PoisonError::into_inner).push(callback.clone());
        // The others received these messages when the GPUs were enumerated.
        if instance.physical.get().is_some() {
            objects::send_unusable_gpus(&Mutex::new(vec![callback.clone()]), &instance.instance);
        }
        raw::write(messenger, handle::create_with(allocator, callback)?);
        done()
    }

    Instance ["VK_EXT_debug_utils"] vkDestroyDebugUtilsMessengerEXT(
        instance: c::Instance,
        messenger: c::DebugUtilsMessengerEXT,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        let instance = handle::get(instance)?;
        if let Some(gone) = handle::remove(messenger) {
            let mut messengers = instance.messengers.lock().unwrap_or_else(PoisonError::into_inner);
            messengers.retain(|known| !Arc::ptr_eq(known, &gone));
        }
        Ok(())
    }

    Instance ["VK_EXT_debug_utils"] vkSubmitDebugUtilsMessageEXT(
        instance: c::Instance,
        message_severity: c::DebugUtilsMessageSeverityFlagsEXT,
        message_types: c::DebugUtilsMessageTypeFlagsEXT,
        callback_data: *const c::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        objects::send_message(&handle::get(instance)?.messengers, message_severity, message_types, callback_data);
        Ok(())
    }

    Device ["VK_EXT_debug_utils"] vkSetDebugUtilsObjectNameEXT(
        device: c::Device,
        name_info: *const c::DebugUtilsObjectNameInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        done()
    }

    Device ["VK_EXT_debug_utils"] vkSetDebugUtilsObjectTagEXT(
        device: c::Device,
        tag_info: *const c::DebugUtilsObjectTagInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        done()
    }

    Device ["VK_EXT_debug_utils"] vkQueueBeginDebugUtilsLabelEXT(
        queue: c::Queue,
        label_info: *const c::DebugUtilsLabelEXT<'_>,
    ) {
        handle::get(queue)?;
        Ok(())
    }

    Device ["VK_EXT_debug_utils"] vkQueueEndDebugUtilsLabelEXT(queue: c::Queue) {
        handle::get(queue)?;
        Ok(())
    }

    Device ["VK_EXT_debug_utils"] vkQueueInsertDebugUtilsLabelEXT(
        queue: c::Queue,
        label_info: *const c::DebugUtilsLabelEXT<'_>,
    ) {
        handle::get(queue)?;
        Ok(())
    }

    Device ["VK_EXT_debug_utils"] vkCmdBeginDebugUtilsLabelEXT(
        command_buffer: c::CommandBuffer,
        label_info: *const c::DebugUtilsLabelEXT<'_>,
    ) {
        handle::get(command_buffer)?;
        Ok(())
    }

    Device ["VK_EXT_debug_utils"] vkCmdEndDebugUtilsLabelEXT(command_buffer: c::CommandBuffer) {
        handle::get(command_buffer)?;
        Ok(())
    }

    Device ["VK_EXT_debug_utils"] vkCmdInsertDebugUtilsLabelEXT(
        command_buffer: c::CommandBuffer,
        label_info: *const c::DebugUtilsLabelEXT<'_>,
    ) {
        handle::get(command_buffer)?;
        Ok(())
    }
}
