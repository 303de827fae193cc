//! Which object stands behind each type of handle.
//!
//! Apart from `handle`, which knows none of them: what stands there may itself keep handles.

use std::sync::Arc;

use ash::vk as c;

use crate::handle::Kind;
use crate::{face, set_list};

macro_rules! kinds {
    ($($handle:ident = $number:literal: $object:ty;)*) => {
        /// The numbers of all kinds.
        #[cfg(test)]
        const NUMBERS: &[u32] = &[$($number),*];

        $(impl Kind for c::$handle {
            type Object = $object;
            const WHAT: &'static str = stringify!($handle);
            const NUMBER: u32 = 0x494e_4700 | $number;
        })*
    };
}

kinds! {
    Instance = 1: face::InstanceFace;
    PhysicalDevice = 2: Arc<vk::PhysicalDevice>;
    Device = 3: face::DeviceFace;
    Queue = 4: Arc<vk::Device>;
    CommandBuffer = 5: vk::command::CommandBuffer;
    CommandPool = 6: face::CommandPoolFace;
    DeviceMemory = 7: Arc<vk::memory::Memory>;
    Buffer = 8: vk::buffer::Buffer;
    DescriptorSetLayout = 9: Arc<vk::descriptor::SetLayout>;
    PipelineLayout = 10: Arc<vk::descriptor::PipelineLayout>;
    DescriptorPool = 11: face::DescriptorPoolFace;
    DescriptorSet = 12: set_list::SetFace;
    DescriptorUpdateTemplate = 13: vk::descriptor::Template;
    ShaderModule = 14: Arc<vk::shader::Module>;
    PipelineCache = 15: vk::cache::Cache;
    Pipeline = 16: face::PipelineFace;
    Fence = 17: Arc<vk::sync::Fence>;
    Semaphore = 18: Arc<vk::sync::Semaphore>;
    Event = 19: vk::sync::Event;
    QueryPool = 20: vk::query::QueryPool;
    Sampler = 21: Arc<vk::sampler::Sampler>;
    Image = 22: Arc<vk::image::Image>;
    ImageView = 23: Arc<vk::image::View>;
    RenderPass = 24: Arc<vk::command::RenderPass>;
    Framebuffer = 25: Arc<vk::command::Framebuffer>;
    SurfaceKHR = 40: face::SurfaceFace;
    SwapchainKHR = 41: face::SwapchainFace;
    BufferView = 26: vk::buffer_view::BufferView;
    PrivateDataSlot = 27: face::Slot;
    DeferredOperationKHR = 28: face::Operation;
    DebugUtilsMessengerEXT = 30: Arc<face::Callback>;
    SamplerYcbcrConversion = 29: vk::planar::Conversion;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::NUMBERS;

    #[test]
    fn kinds_have_numbers_of_their_own() {
        let distinct: BTreeSet<_> = NUMBERS.iter().collect();
        assert_eq!(distinct.len(), NUMBERS.len());
    }
}
