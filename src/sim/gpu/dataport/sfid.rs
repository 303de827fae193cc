//! Shared function ids.
//!
//! Ref: SKL PRM vol. 7, "Message Descriptor", SFID.

/// Nothing is sent.
pub const NULL: u8 = 0;
pub const SAMPLER: u8 = 2;
pub const GATEWAY: u8 = 3;
pub const THREAD_SPAWNER: u8 = 7;
pub const CONSTANT_CACHE: u8 = 9;
pub const DATA_CACHE_0: u8 = 10;
pub const DATA_CACHE_1: u8 = 12;
