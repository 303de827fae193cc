//! The sampling engine.
//!
//! In:  messages with coordinates of 8 or 16 channels, surface and sampler states. Out: texels, filtered or as they are.
//! How a message lies in its payload is in `request.rs`; what it asks of a sampler (`sample.rs`, and `plane.rs` for what is plain)
//! is found in `lod.rs` (levels), `address.rs` (texels) and `filter.rs`; messages that need no sampler are in `fetch.rs`;
//! `message.rs` tells them apart.
//! Ref: SKL PRM vol. 7, "Sampling Engine": "Messages", "Payload Parameter Definition", "Message Header".

mod address;
mod cache;
mod engine;
mod fetch;
mod filter;
mod lod;
mod message;
mod plane;
mod request;
mod sample;
mod state;

pub(crate) use engine::Engine;

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod cache_tests;
#[cfg(test)]
mod fetch_tests;
#[cfg(test)]
mod filter_tests;
#[cfg(test)]
mod lod_tests;
#[cfg(test)]
mod lossless_tests;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
#[path = "rig_tests.rs"]
mod testing;
#[cfg(test)]
mod tests;
