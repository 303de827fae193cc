//! Command buffers.
//!
//! In:  commands, one method call each, with resources already resolved to GPU addresses and heap handles.
//! Out: words in the chunks of a command pool, written as commands come; primary and secondary ones alike. A secondary one's words
//!      are copied into the primary that executes it: addresses are fixed, so nothing in them depends on the place.
//! The first error of a recording is kept and reported by `vkEndCommandBuffer`, as Vulkan has it.

mod barrier;
mod blocks;
mod buffer;
mod change;
mod cleared;
mod control;
mod copied;
mod draw;
mod drawn;
mod image;
mod image_box;
mod kept;
mod memory;
mod pass;
mod picture;
mod query;
mod rendering;
mod surfaces;
mod target;
mod transfer;
mod transition;
mod views;

pub use barrier::Dependency;
pub use blit::{Choice, RESULT_64, RESULT_AVAILABILITY, RESULT_PARTIAL};
pub use buffer::{CommandBuffer, CommandPool, Point};
pub use change::Change;
pub use cmd::Counters;
pub use cmd::draw::{ByteCount, Draw};
pub use draw::Vertices;
pub use image::BufferRows;
pub use image_box::ImageBox;
pub use pass::{
    Attachment, DepthStencilResolve, Framebuffer, Pass, RenderPass, Subpass, SubpassDependency,
};
pub use picture::Scaled;
pub use rendering::{Clear, ClearArea};
pub use target::{Begin, Colour, DepthStencil, Inherited, Load};
pub use views::Views;
