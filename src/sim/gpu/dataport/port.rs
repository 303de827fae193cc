//! A worker's port to the shared functions: the state that all messages use.
//!
//! In:  memory, bases, limits. Out: dwords of surfaces and of shared local memory.
//! Ref: SKL PRM vol. 7, "Data Port", "Shared Local Memory".

use crate::bindings::{AccessLimits, Bindings, MessageBases};
use crate::memory::AddressSpaceView;
use crate::profile::MessageCounts;
use crate::rules;
use crate::sampler;
use crate::surface::Surface;
use eu::{Message, StopReason};
use std::sync::Mutex;
use std::time::Instant;

/// Serialises 64-bit atomics, which are two words here.
pub type WideLock = Mutex<()>;

/// The shared functions as one worker's threads see them.
pub struct WorkerPort<'a> {
    pub(crate) bindings: Bindings<'a>,
    pub(crate) sampler: sampler::Engine,
    pub(super) wide: &'a WideLock,
    /// Shared local memory of the group at work.
    pub slm: Vec<u32>,
    /// Threads of the group that are at the barrier.
    pub arrived: u32,
    pub(super) started: Instant,
    /// Counts of executed messages.
    pub messages: MessageCounts,
}

impl<'a> WorkerPort<'a> {
    /// A port for one worker.
    pub fn new(
        view: AddressSpaceView<'a>,
        bases: MessageBases,
        wide: &'a WideLock,
        slm_bytes: usize,
    ) -> WorkerPort<'a> {
        WorkerPort {
            bindings: Bindings::new(view, bases),
            sampler: sampler::Engine::default(),
            wide,
            slm: vec![0; slm_bytes / 4],
            arrived: 0,
            started: Instant::now(),
            messages: MessageCounts::default(),
        }
    }

    /// Sets the limits that strict mode checks; `None` turns the checks off.
    pub fn limit(&mut self, limits: Option<AccessLimits>) {
        self.bindings.limits = limits;
    }

    /// The index of the dword of shared local memory at a byte offset; `None` out of bounds, which
    /// strict mode refuses (ERRATA.md).
    pub(super) fn slm_index(
        &self,
        message: &Message<'_>,
        offset: u64,
    ) -> Result<Option<usize>, StopReason> {
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
    pub(super) fn slm_dword(&self, message: &Message<'_>, offset: u64) -> Result<u32, StopReason> {
        let index = self.slm_index(message, offset)?;
        Ok(index.and_then(|i| self.slm.get(i)).copied().unwrap_or(0))
    }

    /// Reads a dword of a surface at a byte offset; zero out of bounds.
    pub(super) fn load(
        &self,
        message: &Message<'_>,
        surface: Surface,
        offset: u64,
    ) -> Result<u32, StopReason> {
        match surface {
            Surface::Slm => Ok(self.slm_dword(message, offset)?),
            _ => match surface.resolve(offset, 4) {
                Some(address) => self.bindings.view.read(address & !3),
                None => Ok(0),
            },
        }
    }

    /// Writes a dword of a surface at a byte offset; dropped out of bounds.
    pub(super) fn store(
        &mut self,
        message: &Message<'_>,
        surface: Surface,
        offset: u64,
        value: u32,
    ) -> Result<(), StopReason> {
        match surface {
            Surface::Slm => {
                if let Some(index) = self.slm_index(message, offset)? {
                    self.slm[index] = value;
                }
                Ok(())
            }
            _ => match surface.resolve(offset, 4) {
                Some(address) => self.bindings.view.write(address & !3, value),
                None => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests;
