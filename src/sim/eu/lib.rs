//! One EU thread: instruction bytes and registers to registers and messages.
//!
//! In:  a kernel decoded once from its bytes, and a thread's initial registers (its payload).
//! Out: the final registers, and the messages that the thread sends through [`SharedFunctions`].
//! Ref: SKL PRM vol. 7 "3D-Media-GPGPU", EU overview and instruction set reference.

mod access;
mod alu_float;
mod alu_int;
mod byte_ranges;
mod clock;
mod convert;
mod decode;
mod errata;
mod fast;
mod flags;
mod flow;
mod host_simd;
mod interpreter;
mod kernel;
mod math;
mod message;
mod region;
mod register_clearing;
mod regs;
mod rules;
mod send;
mod send_operands;
mod state;
mod straight_line;
mod successors;
#[cfg(test)]
mod testing;
mod thread;
mod uninit_tracking;
mod uop;

pub use decode::FetchInstruction;
pub use errata::KernelErrata;
pub use host_simd::HostSimd;
pub use kernel::Kernel;
pub use message::{Message, MessageReply, SharedFunctions, StopReason};
pub use rules::{RULES, ThreadRule};
pub use state::Options;
pub use thread::{
    KEEP_HALF_AND_DOUBLE_DENORMALS, Thread, ThreadExit, ThreadInit, ThreadStatistics, TraceSink,
};
