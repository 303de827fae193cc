//! Descriptor heaps (VK_EXT_descriptor_heap).

mod buffers;
mod built_ins;
mod commands;
pub(crate) mod heap;
mod images;
