//! Functions of device extensions, loaded when the device is created.

use ash::vk;

/// Functions of extensions that set dynamic state; those of an extension that the device was
/// created without are never called.
pub(super) struct DynamicStateFunctions {
    /// VK_EXT_extended_dynamic_state.
    pub eds1: ash::ext::extended_dynamic_state::Device,
    /// VK_EXT_extended_dynamic_state2.
    pub eds2: ash::ext::extended_dynamic_state2::Device,
    /// VK_EXT_extended_dynamic_state3.
    pub eds3: ash::ext::extended_dynamic_state3::Device,
    pub writes: ash::ext::color_write_enable::Device,
    pub lines: ash::ext::line_rasterization::Device,
}

impl DynamicStateFunctions {
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Self {
        DynamicStateFunctions {
            eds1: ash::ext::extended_dynamic_state::Device::new(instance, device),
            eds2: ash::ext::extended_dynamic_state2::Device::new(instance, device),
            eds3: ash::ext::extended_dynamic_state3::Device::new(instance, device),
            writes: ash::ext::color_write_enable::Device::new(instance, device),
            lines: ash::ext::line_rasterization::Device::new(instance, device),
        }
    }
}

/// Functions of VK_EXT_transform_feedback; never called if the device was created without it.
pub(super) struct TransformFeedbackFunctions {
    pub functions: ash::ext::transform_feedback::Device,
    /// Buffer usages that the extension adds.
    pub usage: vk::BufferUsageFlags,
}

impl TransformFeedbackFunctions {
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Self {
        use vk::BufferUsageFlags as U;
        let name = c"vkCmdBeginTransformFeedbackEXT".as_ptr();
        // SAFETY: the device is the instance's.
        let entry = unsafe { instance.get_device_proc_addr(device.handle(), name) };
        TransformFeedbackFunctions {
            functions: ash::ext::transform_feedback::Device::new(instance, device),
            usage: match entry {
                Some(_) => {
                    U::TRANSFORM_FEEDBACK_BUFFER_EXT | U::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT
                }
                None => U::empty(),
            },
        }
    }
}

/// Functions of VK_KHR_draw_indirect_count, VK_EXT_multi_draw and VK_EXT_conditional_rendering;
/// those of an extension that the device was created without are never called.
pub(super) struct DrawExtensionFunctions {
    pub counts: ash::khr::draw_indirect_count::Device,
    pub multi_draw: ash::ext::multi_draw::Device,
    pub conditions: ash::ext::conditional_rendering::Device,
    /// Buffer usages that the extensions add.
    pub usage: vk::BufferUsageFlags,
}

impl DrawExtensionFunctions {
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Self {
        let name = c"vkCmdBeginConditionalRenderingEXT".as_ptr();
        // SAFETY: the device is the instance's.
        let conditional = unsafe { instance.get_device_proc_addr(device.handle(), name) };
        DrawExtensionFunctions {
            usage: match conditional {
                Some(_) => vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT,
                None => vk::BufferUsageFlags::empty(),
            },
            counts: ash::khr::draw_indirect_count::Device::new(instance, device),
            multi_draw: ash::ext::multi_draw::Device::new(instance, device),
            conditions: ash::ext::conditional_rendering::Device::new(instance, device),
        }
    }
}
