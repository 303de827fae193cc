//! Dispatch and draw state to batch words.
//!
//! In:  what is bound, what changed, what must be waited for; memory that words go to ([`Memory`]).
//! Out: words in that memory. A command either notes state or writes words in place; at a launch only what has changed is written.
//! Knows no Vulkan type, and is compiled once for each generation ([`Generation`]; today [`Gen9`]).

mod capture;
pub mod draw;
mod draw_commands;
mod gen9;
mod gen9_draw;
mod generation;
pub mod image;
pub mod kept;
mod math;
mod mi;
mod mocs;
mod pending;
mod predicate;
mod push_data;
mod queries;
mod recorder;
mod stream;

pub use capture::Counters;
pub use gen9::Gen9;
pub use generation::{
    Control, Counter, FrontEnd, Generation, Heaps, Kernel, Launch, Machine, PUSH_CONSTANTS_DW,
    SETS, Scratch,
};
pub use mi::{CALL_DW, call, nothing};
pub use mocs::{SHARED, mocs};
pub use pending::Pending;
pub use recorder::{Left, Recorder};
pub use stream::{Data, Memory, Stream};
