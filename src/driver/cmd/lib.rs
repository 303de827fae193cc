//! Dispatch (later draw) state to batch words. Knows no Vulkan type.
//!
//! In:  addresses, counts, what a compiled shader needs at launch. Out: words, in the order the hardware wants them; the caller
//!      owns batches, heaps and the list of buffers.

pub mod compute;
