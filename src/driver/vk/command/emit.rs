//! A batch that grows: chunks of a pool, each linked to the next.

use std::sync::Arc;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::query::{AVAILABLE_AT, VALUE_AT};
use cmd::compute::{self as words, CHAIN_DW, Heaps, Machine, Walk};

/// Bytes of one chunk.
const CHUNK_BYTES: u64 = 8 << 10;
/// Dwords of a chunk that commands may use; behind them is room for the link.
const ROOM_DW: usize = CHUNK_BYTES as usize / 4 - CHAIN_DW - 1;

/// The heaps, where the address space of a device has them.
const HEAPS: Heaps = Heaps {
    general: i915::GENERAL_BASE,
    surface: i915::SURFACE_BASE,
    dynamic: i915::DYNAMIC_BASE,
    instruction: i915::INSTRUCTION_BASE,
    bindless: i915::BINDLESS_BASE,
    bindless_surfaces: i915::BINDLESS_HEAP_BYTES / 64,
};

/// A batch being written.
#[derive(Debug)]
pub(super) struct Emitter {
    device: Arc<Device>,
    machine: Machine,
    chunks: Vec<Arc<i915::Slice>>,
    /// Words of the last chunk.
    words: Vec<u32>,
}

impl Emitter {
    /// A batch with its preamble.
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        let machine = Machine {
            max_threads: device.context.physical.info().threads(),
        };
        let mut emitter = Self {
            device: device.clone(),
            machine,
            chunks: Vec::new(),
            words: Vec::new(),
        };
        emitter.chunks.push(emitter.chunk()?);
        emitter.push(&words::preamble(&HEAPS))?;
        Ok(emitter)
    }

    fn chunk(&self) -> Result<Arc<i915::Slice>> {
        Ok(Arc::new(self.device.context.batches.take(CHUNK_BYTES, 64)?))
    }

    fn write_out(&self) -> Result<()> {
        let bytes: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        match self.chunks.last() {
            Some(chunk) => {
                self.device
                    .context
                    .physical
                    .diagnosis()
                    .say(debug::Flag::Bat, || {
                        let commands = hw::batch::commands(&self.words, hw::Gen::Gen9);
                        commands
                            .map(|command| hw::batch::print(&command, chunk.address()))
                            .collect()
                    });
                Ok(chunk.write(0, &bytes)?)
            }
            None => Ok(()),
        }
    }

    /// Appends whole packets.
    fn push(&mut self, packets: &[u32]) -> Result<()> {
        if self.words.len() + packets.len() > ROOM_DW {
            if packets.len() > ROOM_DW {
                return Err(Error::InvalidUse {
                    why: "a command longer than a chunk of batch",
                });
            }
            let next = self.chunk()?;
            self.words.extend(words::chain(next.address()));
            self.write_out()?;
            self.words.clear();
            self.chunks.push(next);
        }
        self.words.extend_from_slice(packets);
        Ok(())
    }

    /// Ends the batch. What it wrote is in memory then.
    pub(super) fn finish(&mut self) -> Result<i915::Start> {
        self.barrier()?;
        let end = words::end(self.words.len());
        self.words.extend(end);
        self.write_out()?;
        let chunk = self.chunks.first().ok_or(Error::InvalidUse {
            why: "a batch without chunks",
        })?;
        Ok(i915::Start::new(chunk.buffer(), chunk.offset_bytes()))
    }

    /// Everything before is done and visible to everything after.
    pub(super) fn barrier(&mut self) -> Result<()> {
        self.push(&words::barrier())
    }

    /// Writes a dword.
    pub(super) fn store(&mut self, address: u64, value: u32) -> Result<()> {
        self.push(&words::store(address, value))
    }

    /// Waits until a dword has a value.
    pub(super) fn wait_equal(&mut self, address: u64, value: u32) -> Result<()> {
        self.push(&words::wait_equal(address, value))
    }

    /// Writes a query's timestamp and availability.
    pub(super) fn timestamp(&mut self, query: u64, early: bool) -> Result<()> {
        let (value_at, available_at) = (query + VALUE_AT, query + AVAILABLE_AT);
        if early {
            self.push(&words::timestamp_early(value_at, available_at))
        } else {
            self.push(&words::timestamp_late(value_at, available_at))
        }
    }

    /// Launches workgroups.
    pub(super) fn walk(&mut self, walk: &Walk) -> Result<()> {
        self.push(&words::walk(self.machine, walk))
    }
}
