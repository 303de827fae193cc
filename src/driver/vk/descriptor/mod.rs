//! Descriptor set layouts, pools, sets, updates and pipeline layouts.
//!
//! In:  bindings; then buffers, images and samplers to put in them.
//! Out: surfaces in the device's bindless heap, laid out as `abi` says: a set is one piece of the heap, binding it costs one
//!      dword.

mod layout;
mod pieces;
mod pool;
mod push;
mod set;

pub use crate::surface_state::BufferDescriptor;
pub use i915::Heap;
pub use layout::{BindingInfo, PipelineLayout, Placing, PushRange, SetLayout, pieces};
pub use pieces::Pieces;
pub use pool::Pool;
pub use push::Pushed;
pub use set::{Cursor, Sampled, Set, Template, TemplateEntry, Written, buffer};
