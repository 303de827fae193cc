//! One EU thread: bytes and registers to registers and messages.
//!
//! In:  a kernel decoded once from its bytes, and a thread's initial registers (its payload).
//! Out: the registers it leaves, and the messages it sends through [`SharedFunctions`].
//! Ref: SKL PRM vol. 7 "3D-Media-GPGPU", EU overview and instruction set reference.

mod access;
mod alu_float;
mod alu_int;
mod clock;
mod convert;
mod decode;
mod fast;
mod flags;
mod flow;
mod general;
mod host;
mod kernel;
mod leftovers;
mod letter;
mod math;
mod message;
mod region;
mod regs;
mod rules;
mod send;
mod state;
mod straight;
#[cfg(test)]
mod testing;
mod thread;
mod touched;
mod uop;
mod written;

pub use decode::Fetch;
pub use host::Host;
pub use kernel::Kernel;
pub use message::{Message, Reply, SharedFunctions, Stop};
pub use rules::{RULES, Rule};
pub use state::Options;
pub use thread::{Exit, Init, KEEP_HALF_AND_DOUBLE_DENORMALS, Statistics, Thread, TraceSink};
