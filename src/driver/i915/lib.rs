//! Device, buffers, address space, execution and synchronisation over any [`Kernel`].
//!
//! In:  a kernel: real ioctls on a render node ([`render_nodes`]), or anything else that answers as i915 does.
//! Out: what Vulkan objects are made of: buffers at fixed addresses, pools of them, the bindless surface heap, syncobjs, and
//!      submissions, whose errors say when the GPU hung.
//! Ref: i915 and DRM uapi headers (drm.h, i915_drm.h).

mod buffer;
mod chunk;
mod device;
mod error;
mod file;
mod heap;
mod info;
mod linux;
mod mapping;
mod pool;
mod range;
mod resident;
mod spare;
mod syncobj;
mod zone;

pub use buffer::{Buffer, Place};
pub use chunk::{Chunk, Chunks};
pub use device::{Device, Start};
pub use error::{Error, Result};
pub use file::{File, Priority};
pub use heap::{Heap, HeapPiece};
pub use info::{Info, Node, Topology, probe};
pub use linux::{available_memory_bytes, render_nodes};
pub use mapping::Mapping;
pub use pool::{Pool, Slice};
pub use range::{From, RangeAllocator};
pub use syncobj::Syncobj;
pub use sys::Ahead;
pub use uapi::{HostPages, Kernel};
pub use zone::{
    BINDLESS_BASE, BINDLESS_HEAP_BYTES, DYNAMIC_BASE, GENERAL_BASE, INSTRUCTION_BASE, PAGE_BYTES,
    SHARED, SURFACE_BASE, Zone, canonical,
};
