//! Device memory: one GEM buffer each.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as api;

use crate::context::Context;
use crate::error::{Error, Result};

/// Most bytes of one allocation (`maxMemoryAllocationSize`).
pub const MAX_ALLOCATION_BYTES: u64 = 1 << 32;

/// What is allocated.
#[derive(Debug)]
pub struct Request {
    /// Bytes.
    pub bytes: u64,
    /// Memory type.
    pub type_index: u32,
    /// A descriptor to take over instead of making memory anew.
    pub import: Option<OwnedFd>,
    /// Kinds of handle it may be exported as.
    pub export: api::ExternalMemoryHandleTypeFlags,
}

/// Kinds of handle that memory can be shared as.
pub const SHAREABLE: api::ExternalMemoryHandleTypeFlags =
    api::ExternalMemoryHandleTypeFlags::from_raw(
        api::ExternalMemoryHandleTypeFlags::OPAQUE_FD.as_raw()
            | api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT.as_raw(),
    );

/// `VkDeviceMemory`.
#[derive(Debug)]
pub struct Memory {
    /// Bytes that the application asked for.
    pub bytes: u64,
    /// Memory type.
    pub type_index: u32,
    context: Arc<Context>,
    buffer: Arc<i915::Buffer>,
    /// What it takes of the heap; nothing where the pages are somebody else's.
    _share: Option<Share>,
    mapped: Mutex<bool>,
}

/// Bytes of a heap, until it is dropped.
#[derive(Debug)]
struct Share {
    context: Arc<Context>,
    bytes: u64,
}

impl Share {
    fn new(context: &Arc<Context>, bytes: u64) -> Result<Self> {
        if !context.physical.take_bytes(bytes) {
            return Err(Error::OutOfDeviceMemory {
                what: "the memory heap",
            });
        }
        Ok(Self {
            context: context.clone(),
            bytes,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.context.physical.give_bytes(self.bytes);
    }
}

impl Memory {
    /// Allocates or imports.
    pub fn new(context: &Arc<Context>, request: Request) -> Result<Self> {
        let physical = &context.physical;
        if request.type_index >= physical.memory_types().len() as u32 {
            return Err(Error::InvalidUse {
                why: "a memory type that does not exist",
            });
        }
        if !SHAREABLE.contains(request.export) {
            return Err(Error::FeatureNotPresent {
                what: "this kind of external memory",
            });
        }
        if let Some(descriptor) = request.import {
            let buffer = context
                .gpu
                .import(descriptor)
                .map_err(|error| match error {
                    i915::Error::OutOfAddressSpace { .. } => Error::from(error),
                    other => Error::InvalidExternalHandle {
                        why: other.to_string(),
                    },
                })?;
            if buffer.bytes() < request.bytes {
                return Err(Error::InvalidExternalHandle {
                    why: "smaller than the allocation".into(),
                });
            }
            let bytes = if request.bytes == 0 {
                buffer.bytes()
            } else {
                request.bytes
            };
            return Ok(Self::of(context, buffer, bytes, request.type_index, None));
        }
        if request.bytes == 0
            || request.bytes > MAX_ALLOCATION_BYTES
            || request.bytes > physical.heap_bytes()
        {
            return Err(Error::OutOfDeviceMemory {
                what: "an allocation",
            });
        }
        let share = Share::new(context, request.bytes)?;
        let zone = match request.export.is_empty() {
            true => i915::Zone::High,
            false => i915::Zone::Shared,
        };
        let buffer = context.gpu.memory(request.bytes, zone)?;
        if request
            .export
            .contains(api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT)
        {
            buffer.share();
        }
        Ok(Self::of(
            context,
            buffer,
            request.bytes,
            request.type_index,
            Some(share),
        ))
    }

    fn of(
        context: &Arc<Context>,
        buffer: Arc<i915::Buffer>,
        bytes: u64,
        type_index: u32,
        share: Option<Share>,
    ) -> Self {
        Self {
            bytes,
            type_index,
            context: context.clone(),
            buffer,
            _share: share,
            mapped: Mutex::new(false),
        }
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// Maps it; what comes back stays in place until the memory is freed.
    pub fn map(&self, offset: u64, bytes: u64) -> Result<&i915::Mapping> {
        let end = if bytes == api::WHOLE_SIZE {
            Some(self.bytes)
        } else {
            offset.checked_add(bytes)
        };
        if offset >= self.bytes || end.is_none_or(|end| end > self.bytes || end <= offset) {
            return Err(Error::MemoryMapFailed {
                why: "a range beyond the memory".into(),
            });
        }
        let mut mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        if *mapped {
            return Err(Error::MemoryMapFailed {
                why: "already mapped".into(),
            });
        }
        let mapping = self.buffer.map().map_err(|error| Error::MemoryMapFailed {
            why: error.to_string(),
        })?;
        *mapped = true;
        Ok(mapping)
    }

    /// Ends the mapping. The pages stay mapped until the memory is freed: mapping again is then free.
    pub fn unmap(&self) {
        *self.mapped.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }

    /// Copies bytes out of it.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(self.buffer.read(offset, out)?)
    }

    /// A new descriptor for the memory.
    pub fn export(&self) -> Result<OwnedFd> {
        self.buffer
            .export()
            .map_err(|error| match Error::from(error) {
                lost @ Error::DeviceLost { .. } => lost,
                _ => Error::TooManyObjects {
                    what: "file descriptors",
                },
            })
    }

    /// Its device.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}
