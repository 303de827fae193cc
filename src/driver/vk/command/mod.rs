//! Command buffers.
//!
//! In:  commands, one method call each, with resources resolved to GPU addresses and heap handles.
//! Out: batch commands in the chunks of a command pool, emitted as calls come, for primary and
//!      secondary command buffers alike. Executing a secondary copies its commands: all addresses
//!      are fixed, so commands can be moved.
//!
//! The first error of a recording is kept and reported by `vkEndCommandBuffer`.

mod aux_state;
mod barrier;
mod blit_resolve;
mod buffer;
mod clear_state;
mod copy_hazards;
mod draw;
mod fast_clear;
mod fast_clear_tracking;
mod heap;
mod host_copy;
mod image;
mod image_box;
mod layout_change;
mod layout_transition;
mod memory;
mod meta_draw;
mod pass;
mod query;
mod rearrange_samples;
mod rendering;
mod target;
mod transfer;
mod transient_surfaces;
mod views;

pub use barrier::Dependency;
pub use blit::{RESULT_64, RESULT_AVAILABILITY, RESULT_PARTIAL, ResolveMode};
pub use blit_resolve::BlitRegion;
pub use buffer::{BindPoint, CommandBuffer, CommandPool};
pub use cmd::CounterAddresses;
pub use cmd::draw::state::{DepthBias, TargetSlots};
pub use cmd::draw::{ByteCount, DrawParams};
pub use draw::VertexBufferBinding;
pub use heap::Heap;
pub use host_copy::{HostCopy, MEMCPY_LAYOUT, copy_image_on_host, memcpy_bytes};
pub use image::BufferTexelLayout;
pub use image_box::ImageBox;
pub use layout_change::LayoutChange;
pub use pass::{
    Attachment, DepthStencilResolve, Framebuffer, RenderPass, RenderPassInstance, Subpass,
    SubpassDependency,
};
pub use rendering::{AttachmentClear, ClearArea, attachment_slots};
pub use target::{BeginRendering, ColourAttachment, DepthStencil, InheritedRendering, LoadOp};
pub use views::ViewMask;
