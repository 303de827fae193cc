//! One EU thread: bytes and registers to registers and messages.
//!
//! In:  a kernel decoded once from its bytes, and a thread's initial registers (its payload).
//! Out: the registers it leaves, and the messages it sends through [`SharedFunctions`].
//! Ref: SKL PRM vol. 7 "3D-Media-GPGPU", EU overview and instruction set reference.

mod message;

pub use message::{Message, Reply, SharedFunctions, Stop};
