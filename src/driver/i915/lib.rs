//! Device, buffers, address space, execution and synchronisation over any [`Kernel`].
//!
//! In:  a kernel: real ioctls on a render node ([`nodes`]), or any other implementation of
//!      i915's ioctls.
//! Out: the primitives of Vulkan objects: buffers at fixed addresses, pools of them, the bindless
//!      surface heap, syncobjs, and submissions, whose errors report_error when the GPU hung.
//! Ref: i915 and DRM uapi headers (drm.h, i915_drm.h).

mod address_space;
mod buffer;
mod buffer_cache;
mod buffer_report;
mod chunk;
mod device;
mod error;
mod exec_list;
mod file;
mod info;
mod linux;
mod mapping;
pub mod nodes;
mod pool;
mod range_allocator;
mod reason;
mod surface_heap;
mod syncobj;

pub use address_space::{
    BINDLESS_BASE, BINDLESS_HEAP_BYTES, DYNAMIC_BASE, GENERAL_BASE, INDIRECT_BASE,
    INSTRUCTION_BASE, PAGE_BYTES, SHARED, SURFACE_BASE, Zone, canonical,
};
pub use buffer::{Buffer, Placement};
pub use buffer_report::{BufferEvent, BufferListener, BufferReport};
pub use chunk::{Chunk, ChunkPool};
pub use device::{BatchStart, Device};
pub use error::{Error, Result};
pub use file::{ContextPriority, File};
pub use info::{DeviceNodes, GpuInfo, Topology, probe};
pub use linux::available_memory_bytes;
pub use mapping::BufferMapping;
pub use pool::{MemoryPool, PoolAllocation};
pub use range_allocator::{AllocateFrom, RangeAllocator};
pub use reason::{MINIMUM_KERNEL, Reason};
pub use surface_heap::{HeapAllocation, SurfaceHeap};
pub use syncobj::Syncobj;
pub use sys::{Place, PrefetchBase};
pub use uapi::{HostPages, Kernel};
