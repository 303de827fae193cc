//! Ids of the shared functions that every thread can address, by name.
//!
//! In:  `isa`'s message table. Out: its ids.

pub use isa::message::constant_cache::SFID as CONSTANT_CACHE;
pub use isa::message::data_cache_0::SFID as DATA_CACHE_0;
pub use isa::message::data_cache_1::SFID as DATA_CACHE_1;
pub use isa::message::gateway::SFID as GATEWAY;
pub use isa::message::null::SFID as NULL;
pub use isa::message::sampler::SFID as SAMPLER;
pub use isa::message::thread_spawner::SFID as THREAD_SPAWNER;
