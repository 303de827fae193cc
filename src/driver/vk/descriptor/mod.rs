//! Descriptor set layouts, pools, sets, updates and pipeline layouts.
//!
//! In:  bindings; buffers, images and samplers to write.
//! Out: surface states and samplers in the device's bindless heap, laid out as `abi` defines it: a
//!      set is one allocation of the heap, and binding it costs one dword. Large sets have indirect
//!      descriptors in memory of their own.

mod contents;
mod data;
mod heap;
mod heap_words;
mod indirect;
mod layout;
mod pipeline_layout;
mod pool;
mod push;
mod set;
mod texel_buffers;

pub use abi::{HeapIndex, HeapMapping, HeapOffset, IndexLocation, MappingSource};

pub use crate::heap_states::HeapStates;
pub use crate::surface_state::BufferDescriptor;
pub use contents::DescriptorContents;
pub use data::{DESCRIPTOR_BYTES, DescriptorBytes, buffer_descriptor, image_descriptor};
pub use heap::HeapSamplers;
pub use heap_words::HeapParameters;
pub use i915::SurfaceHeap;
pub(crate) use indirect::handle_at;
pub use layout::{BindingInfo, SetLayout, SetLayoutBuilder, descriptor_slots};
pub use pipeline_layout::{PipelineLayout, PushRange};
pub use pool::DescriptorPool;
pub use push::PushDescriptorSet;
pub use set::{
    BindingCursor, CombinedImageSampler, DescriptorSet, DescriptorUpdateTemplate, SetWriter,
    TemplateEntry, buffer,
};
pub use texel_buffers::{TexelBuffer, TexelBuffers};
