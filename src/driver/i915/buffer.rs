//! Buffers: pages with a GPU address, resident from birth to death.

use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use crate::Mapping;
use crate::device::Core;
use crate::error::{Error, Result};
use crate::zone::{PAGE_BYTES, Zone};

/// A GEM buffer at a fixed address.
#[derive(Debug)]
pub struct Buffer {
    core: Arc<Core>,
    handle: u32,
    bytes: u64,
    address: u64,
    zone: Zone,
    mapping: OnceLock<Mapping>,
}

impl Buffer {
    /// New pages, zeroed by the kernel, anywhere in a zone or at one address.
    pub(crate) fn new(
        core: &Arc<Core>,
        bytes: u64,
        zone: Zone,
        at: Option<u64>,
    ) -> Result<Arc<Self>> {
        let bytes = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .filter(|&bytes| bytes > 0)
            .ok_or(Error::Range { what: "a buffer" })?;
        let address = match at {
            Some(address) => core.space.take_at(zone, address, bytes).map(|()| address)?,
            None => core.space.take(zone, bytes)?,
        };
        match core.file.create(bytes) {
            Ok(handle) => Ok(Self::of(core, handle, bytes, address, zone)),
            Err(error) => {
                core.space.give(zone, address, bytes);
                Err(error)
            }
        }
    }

    /// The pages behind a dma-buf; the same buffer again, if this device has them already.
    pub(crate) fn import(core: &Arc<Core>, descriptor: OwnedFd) -> Result<Arc<Self>> {
        let mut known = core.buffers();
        let (handle, bytes) = core.file.import(descriptor)?;
        if let Some(buffer) = known.get(&handle).and_then(std::sync::Weak::upgrade) {
            core.file.close(handle);
            return Ok(buffer);
        }
        match core.space.take(Zone::High, bytes) {
            Ok(address) => {
                let buffer = Self::make(core, handle, bytes, address, Zone::High);
                known.insert(handle, Arc::downgrade(&buffer));
                Ok(buffer)
            }
            Err(error) => {
                core.file.close(handle);
                Err(error)
            }
        }
    }

    fn of(core: &Arc<Core>, handle: u32, bytes: u64, address: u64, zone: Zone) -> Arc<Self> {
        let buffer = Self::make(core, handle, bytes, address, zone);
        core.buffers().insert(handle, Arc::downgrade(&buffer));
        buffer
    }

    fn make(core: &Arc<Core>, handle: u32, bytes: u64, address: u64, zone: Zone) -> Arc<Self> {
        core.resident().insert(address, handle);
        Arc::new(Self {
            core: core.clone(),
            handle,
            bytes,
            address,
            zone,
            mapping: OnceLock::new(),
        })
    }

    /// The kernel's name for it.
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// Bytes: whole pages.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The pages, mapped at the first call and until the buffer dies.
    pub fn map(&self) -> Result<&Mapping> {
        if let Some(mapping) = self.mapping.get() {
            return Ok(mapping);
        }
        let mapping = self
            .core
            .file
            .map(self.handle, self.bytes, self.core.has_llc)?;
        // Another thread may have been quicker; then this mapping goes again.
        Ok(self.mapping.get_or_init(|| mapping))
    }

    /// The buffer, mapped: writes and reads within it no longer fail.
    pub(crate) fn mapped(self: Arc<Self>) -> Result<Arc<Self>> {
        self.map()?;
        Ok(self)
    }

    /// Writes bytes.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.map()?.write(offset_bytes, data)
    }

    /// Reads bytes.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.map()?.read(offset_bytes, out)
    }

    /// A dma-buf of the pages.
    pub fn export(&self) -> Result<OwnedFd> {
        self.core.file.export(self.handle)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.core.resident().remove(&self.address);
        {
            let mut known = self.core.buffers();
            // An import may have brought the same handle to life again meanwhile.
            if known
                .get(&self.handle)
                .is_some_and(|buffer| buffer.strong_count() == 0)
            {
                known.remove(&self.handle);
            }
        }
        self.core.file.close(self.handle);
        self.core.space.give(self.zone, self.address, self.bytes);
    }
}
