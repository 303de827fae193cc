//! Dispatch and draw state to batch commands.
//!
//! In:  bound state, and the memory that commands go to ([`StreamMemory`]).
//! Out: commands in that memory. A call either sets state or emits commands in place; a dispatch or
//!      draw emits only what changed.
//!
//! Knows no Vulkan type, and is compiled once for each generation ([`Generation`]; today [`Gen9`]).

pub mod draw;
mod draw_commands;
pub mod fast_clear_record;
mod gen9;
mod gen9_draw;
mod generation;
pub mod image;
mod l3;
mod math;
mod mi;
mod mocs;
mod pending;
mod predicate;
mod push_data;
mod queries;
mod recorder;
mod stream;
mod transform_feedback;

pub use gen9::Gen9;
pub use generation::{
    ComputeKernel, DeviceInfo, Generation, HeapBases, PUSH_CONSTANTS_DW, PackedDispatch,
    PipeControl, SETS, ScratchSpace, StatisticsCounter, VfeState,
};
pub use l3::{L3Partition, L3Use, draw_urb_bytes};
pub use mi::{CALL_DW, call, nothing};
pub use mocs::{SHARED, mocs};
pub use pending::PendingFlushes;
pub use recorder::{EndState, Recorder};
pub use stream::{BatchData, Stream, StreamMemory};
pub use transform_feedback::CounterAddresses;
