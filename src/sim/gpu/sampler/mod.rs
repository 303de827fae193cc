//! The sampling engine.
//!
//! In:  messages with coordinates of 8 or 16 lanes, surface and sampler states. Out: texels,
//!      filtered or unfiltered. How a message lies in its payload is in `request.rs`; what it asks
//!      of a sampler (`sample.rs`, and `plane.rs` for what is plain) is found in `lod.rs` (levels),
//!      `address.rs` (texels) and `filter.rs`; messages that need no sampler are in `fetch.rs`;
//!      `message.rs` tells them apart.
//! Ref: SKL PRM vol. 7, "Sampling Engine": "Messages", "Payload Parameter Definition", "Message
//!      Header".

mod address;
mod cache;
mod engine;
mod fast_2d;
mod fetch;
mod filter;
mod lod;
mod message;
mod request;
mod sample;
mod state;

pub(crate) use engine::Engine;

#[cfg(test)]
mod rig;
#[cfg(test)]
mod tests;
