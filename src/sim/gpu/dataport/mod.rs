//! The shared functions that threads of all stages talk to: data ports, gateway, spawner; the sampler is next door.
//!
//! In:  messages. Out: memory and SLM changed, responses, arrivals at the barrier.
//! Ref: SKL PRM vol. 7, "Data Port"; vol. 2d, message descriptors (MDC_*).

mod atomic;
mod block;
mod scattered;
mod typed;
mod untyped;

pub use crate::bindings::{Bases, Limits};
use crate::bindings::{Bindings, Payload, unimplemented};
use crate::fate;
use crate::memory::View;
use crate::profile::Messages;
use crate::rules;
use crate::sampler;
use crate::surface::Surface;
use crate::watch::Via;
use eu::{Message, Reply, SharedFunctions, Stop};
use isa::descriptor::{data_cache_0, data_cache_1, gateway};
use std::sync::Mutex;
use std::time::Instant;

/// Shared function ids (SKL PRM vol. 7, "Message Descriptor", SFID).
pub mod sfid {
    pub const NULL: u8 = 0;
    pub const SAMPLER: u8 = 2;
    pub const GATEWAY: u8 = 3;
    pub const THREAD_SPAWNER: u8 = 7;
    pub const CONSTANT_CACHE: u8 = 9;
    pub const DATA_CACHE_0: u8 = 10;
    pub const DATA_CACHE_1: u8 = 12;
}

/// Serialises 64-bit atomics, which are two words here.
pub type WideLock = Mutex<()>;

/// The shared functions as one worker's threads see them.
pub struct Port<'a> {
    pub(crate) bindings: Bindings<'a>,
    pub(crate) sampler: sampler::Engine,
    wide: &'a WideLock,
    /// Shared local memory of the group at work.
    pub slm: Vec<u32>,
    /// Threads of the group that are at the barrier.
    pub arrived: u32,
    started: Instant,
    /// Messages carried out.
    pub messages: Messages,
}

impl<'a> Port<'a> {
    /// A port for one worker.
    pub fn new(view: View<'a>, bases: Bases, wide: &'a WideLock, slm_bytes: usize) -> Port<'a> {
        Port {
            bindings: Bindings::new(view, bases),
            sampler: sampler::Engine::default(),
            wide,
            slm: vec![0; slm_bytes / 4],
            arrived: 0,
            started: Instant::now(),
            messages: Messages::default(),
        }
    }

    /// What threads may use.
    pub fn limit(&mut self, limits: Option<Limits>) {
        self.bindings.limits = limits;
    }

    /// The dword of shared local memory at a byte offset; none where there is none, which strict mode refuses (ERRATA.md).
    fn slm_index(&self, message: &Message<'_>, offset: u64) -> Result<Option<usize>, Stop> {
        let index = (offset / 4) as usize;
        if index < self.slm.len() {
            return Ok(Some(index));
        }
        if self.bindings.limits.is_none() {
            return Ok(None);
        }
        let what = format!(
            "offset {offset:#x} of {} bytes of shared local memory",
            self.slm.len() * 4
        );
        Err(rules::SLM_BOUNDS.stop(what, message.ip))
    }

    /// Reads a dword of shared local memory; zero out of bounds.
    fn slm_dword(&self, message: &Message<'_>, offset: u64) -> Result<u32, Stop> {
        let index = self.slm_index(message, offset)?;
        Ok(index.and_then(|i| self.slm.get(i)).copied().unwrap_or(0))
    }

    /// Reads a dword of a surface at a byte offset; zero out of bounds.
    fn load(&self, message: &Message<'_>, surface: Surface, offset: u64) -> Result<u32, Stop> {
        match surface {
            Surface::Slm => Ok(self.slm_dword(message, offset)?),
            _ => match surface.place(offset, 4) {
                Some(address) => self.bindings.view.read(address & !3),
                None => Ok(0),
            },
        }
    }

    /// Writes a dword of a surface at a byte offset; dropped out of bounds.
    fn store(
        &mut self,
        message: &Message<'_>,
        surface: Surface,
        offset: u64,
        value: u32,
    ) -> Result<(), Stop> {
        match surface {
            Surface::Slm => {
                if let Some(index) = self.slm_index(message, offset)? {
                    self.slm[index] = value;
                }
                Ok(())
            }
            _ => match surface.place(offset, 4) {
                Some(address) => self.bindings.view.write(address & !3, value),
                None => Ok(()),
            },
        }
    }

    fn data_cache_0(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        if data_cache_0::CATEGORY.any(message.desc) {
            return self.scratch_block(message, payload, response);
        }
        match data_cache_0::MESSAGE_TYPE.get(message.desc) {
            0 | 1 => self.oword_block_read(message, payload, response),
            2 => self.oword_dual_block(message, payload, response, false),
            3 => self.dword_scattered(message, payload, response, false),
            4 => self.byte_scattered(message, payload, response, false),
            7 => {
                // A memory fence: accesses here are ordered already. The response is its commit.
                response.fill(0);
                Ok(())
            }
            8 => self.oword_block_write(message, payload),
            10 => self.oword_dual_block(message, payload, response, true),
            11 => self.dword_scattered(message, payload, response, true),
            12 => self.byte_scattered(message, payload, response, true),
            _ => unimplemented(message, "a data port message"),
        }
    }

    fn data_cache_1(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        match data_cache_1::MESSAGE_TYPE.get(message.desc) {
            0x01 => self.untyped_read(message, payload, response),
            0x02 => self.untyped_atomic(message, payload, response, false),
            0x05 => self.typed_read(message, payload, response),
            0x06 => self.typed_atomic(message, payload, response),
            0x09 => self.untyped_write(message, payload),
            0x0d => self.typed_write(message, payload),
            0x10 => self.a64_scattered(message, payload, response, false),
            0x11 => self.a64_untyped_read(message, payload, response),
            0x12 => self.a64_atomic(message, payload, response, false),
            0x14 => self.a64_block_read(message, payload, response),
            0x15 => self.a64_block_write(message, payload),
            0x19 => self.a64_untyped_write(message, payload),
            0x1a => self.a64_scattered(message, payload, response, true),
            0x1b => self.untyped_atomic(message, payload, response, true),
            0x1d => self.a64_atomic(message, payload, response, true),
            _ => unimplemented(message, "a data port message"),
        }
    }

    fn constant_cache(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        match data_cache_0::MESSAGE_TYPE.get(message.desc) {
            0 | 1 => self.oword_block_read(message, payload, response),
            3 => self.dword_scattered(message, payload, response, false),
            _ => unimplemented(message, "a constant cache message"),
        }
    }

    fn gateway(&mut self, message: &Message<'_>) -> Result<Reply, Stop> {
        match gateway::SUBFUNCTION.get(message.desc) {
            4 => {
                if self.bindings.limits.is_some_and(|limits| !limits.barrier) {
                    let what = "a barrier in a dispatch without Barrier Enable";
                    return Err(rules::BARRIER_ENABLE.stop(what, message.ip));
                }
                self.arrived += 1;
                Ok(Reply::BarrierArrived)
            }
            // Opening, closing and updating a gateway concern messages between threads, which nothing sends.
            0 | 1 | 5 => Ok(Reply::Done),
            _ => unimplemented(message, "a gateway message"),
        }
    }
}

impl SharedFunctions for Port<'_> {
    fn message(&mut self, message: &Message<'_>, response: &mut [u32]) -> Result<Reply, Stop> {
        self.messages.add(message.sfid);
        fate::message::check(message, self.bindings.limits.is_some())?;
        let payload = Payload {
            first: message.src0,
            second: message.src1,
        };
        self.bindings.view.through(match message.sfid {
            sfid::SAMPLER => Via::Texture,
            sfid::CONSTANT_CACHE => Via::Constant,
            _ => Via::Data,
        });
        match message.sfid {
            sfid::DATA_CACHE_1 => self.data_cache_1(message, payload, response)?,
            sfid::DATA_CACHE_0 => self.data_cache_0(message, payload, response)?,
            sfid::CONSTANT_CACHE => self.constant_cache(message, payload, response)?,
            sfid::SAMPLER => {
                self.sampler
                    .message(&mut self.bindings, message, payload, response)?
            }
            sfid::GATEWAY => return self.gateway(message),
            sfid::THREAD_SPAWNER | sfid::NULL => {}
            _ => return unimplemented(message, "a message"),
        }
        Ok(Reply::Done)
    }

    fn timestamp(&mut self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod atomic_tests;
#[cfg(test)]
mod block_tests;
#[cfg(test)]
mod port_tests;
#[cfg(test)]
mod scattered_tests;
#[cfg(test)]
mod tests;
