//! The object behind each type of handle.
//!
//! In:  the handle types of Vulkan. Out: implementations of [`HandleType`]. Separate from `handle`,
//!      because objects may themselves contain handles.

use std::sync::Arc;

use crate::handle::HandleType;
use crate::{display_list, objects, set_list, types as c};

macro_rules! handle_types {
    ($($handle:ident = $tag:literal: $object:ty;)*) => {
        /// The tags of all handle types.
        #[cfg(test)]
        const TAGS: &[u32] = &[$($tag),*];

        $(impl HandleType for c::$handle {
            type Object = $object;
            const NAME: &'static str = stringify!($handle);
            const TAG: u32 = 0x494e_4700 | $tag;
        })*
    };
}

handle_types! {
    Instance = 1: objects::InstanceObject;
    PhysicalDevice = 2: objects::PhysicalDeviceObject;
    Device = 3: objects::DeviceObject;
    Queue = 4: Arc<vk::Device>;
    CommandBuffer = 5: vk::command::CommandBuffer;
    CommandPool = 6: objects::CommandPoolObject;
    DeviceMemory = 7: Arc<vk::memory::DeviceMemory>;
    Buffer = 8: vk::buffer::Buffer;
    DescriptorSetLayout = 9: Arc<vk::descriptor::SetLayout>;
    PipelineLayout = 10: vk::descriptor::PipelineLayout;
    DescriptorPool = 11: objects::DescriptorPoolObject;
    DescriptorSet = 12: set_list::DescriptorSetObject;
    DescriptorUpdateTemplate = 13: vk::descriptor::DescriptorUpdateTemplate;
    ShaderModule = 14: Arc<vk::shader::ShaderModule>;
    PipelineCache = 15: vk::application_cache::ApplicationCache;
    Pipeline = 16: objects::PipelineObject;
    PipelineBinaryKHR = 44: Arc<vk::pipeline_binary::PipelineBinary>;
    ShaderEXT = 31: objects::ShaderObjectKind;
    Fence = 17: Arc<vk::sync::Fence>;
    Semaphore = 18: Arc<vk::sync::Semaphore>;
    Event = 19: vk::sync::Event;
    QueryPool = 20: vk::query::QueryPool;
    Sampler = 21: Arc<vk::sampler::Sampler>;
    Image = 22: Arc<vk::image::Image>;
    ImageView = 23: Arc<vk::image::View>;
    RenderPass = 24: Arc<vk::command::RenderPass>;
    Framebuffer = 25: Arc<vk::command::Framebuffer>;
    SurfaceKHR = 40: objects::SurfaceObject;
    SwapchainKHR = 41: objects::SwapchainObject;
    DisplayKHR = 42: display_list::DisplayObject;
    DisplayModeKHR = 43: display_list::DisplayModeObject;
    BufferView = 26: vk::buffer_view::BufferView;
    PrivateDataSlot = 27: objects::PrivateDataSlot;
    DeferredOperationKHR = 28: objects::DeferredOperation;
    DebugUtilsMessengerEXT = 30: Arc<objects::DebugMessenger>;
    SamplerYcbcrConversion = 29: vk::planar::SamplerYcbcrConversion;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TAGS;

    #[test]
    fn handle_types_have_distinct_tags() {
        let distinct: BTreeSet<_> = TAGS.iter().collect();
        assert_eq!(distinct.len(), TAGS.len());
    }
}
