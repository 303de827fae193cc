//! The shared functions that threads of all stages address: data ports, gateway, thread spawner.
//! The sampler is in `sampler/`.
//!
//! In:  messages. Out: memory and SLM changed, responses, arrivals at the barrier.
//! Ref: SKL PRM vol. 7, "Data Port"; vol. 2d, message descriptors (MDC_*).

mod atomic;
mod block;
mod message;
mod port;
mod scattered;
pub mod sfid;
mod typed;
mod untyped;

pub use crate::bindings::{AccessLimits, MessageBases};
pub use port::{WideLock, WorkerPort};

#[cfg(test)]
mod rig;
#[cfg(test)]
mod tests;
