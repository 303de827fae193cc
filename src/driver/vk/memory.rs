//! Device memory: one GEM buffer each.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as api;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::physical::PhysicalDevice;

/// Most bytes of one allocation (`maxMemoryAllocationSize`).
pub const MAX_ALLOCATION_BYTES: u64 = 1 << 32;

/// What is allocated.
#[derive(Debug)]
pub struct Request {
    /// Bytes.
    pub bytes: u64,
    /// Memory type.
    pub type_index: u32,
    /// What to take over instead of making memory anew.
    pub import: Option<Import>,
    /// Kinds of handle it may be exported as.
    pub export: api::ExternalMemoryHandleTypeFlags,
    /// How its address is found.
    pub place: Place,
}

/// Memory that is there already.
#[derive(Debug)]
pub enum Import {
    /// A descriptor.
    Descriptor(OwnedFd),
    /// Pages of the process.
    Host(Arc<dyn i915::HostPages>),
}

/// How an address is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Any.
    Anywhere,
    /// Any that another run of the program can ask for.
    Replayable,
    /// This one, which an earlier run had.
    At(u64),
}

impl Place {
    /// `shared`: others may use the memory.
    fn of_buffer(self, shared: bool) -> i915::Place {
        use i915::Zone::{High, Replay, Shared};
        match (self, shared) {
            (Place::Anywhere, false) => i915::Place::In(High),
            (Place::Replayable, false) => i915::Place::In(Replay),
            (Place::At(address), false) => i915::Place::At(Replay, address),
            // How memory of others is cached follows from its address; little of the driver's own choice lies there.
            (Place::Anywhere | Place::Replayable, true) => i915::Place::In(Shared),
            (Place::At(address), true) => i915::Place::At(Shared, address),
        }
    }

    /// What it means that memory could not be made here.
    fn failed(self, error: i915::Error) -> Error {
        match (self, error) {
            (Place::At(_), i915::Error::OutOfAddressSpace { .. }) => {
                Error::InvalidOpaqueCaptureAddress
            }
            (_, error) => error.into(),
        }
    }
}

/// Kinds of handle that memory can be shared as.
pub const SHAREABLE: api::ExternalMemoryHandleTypeFlags =
    api::ExternalMemoryHandleTypeFlags::from_raw(
        api::ExternalMemoryHandleTypeFlags::OPAQUE_FD.as_raw()
            | api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT.as_raw(),
    );

/// The kind of handle that pages of the process are.
pub const HOST: api::ExternalMemoryHandleTypeFlags =
    api::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

fn is_coherent(physical: &PhysicalDevice, type_index: u32) -> bool {
    let kind = physical.memory_types().get(type_index as usize);
    kind.is_some_and(|kind| kind.flags.contains(api::MemoryPropertyFlags::HOST_COHERENT))
}

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
    /// Whether the pages are the application's.
    host: bool,
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
        if let Some(Import::Host(pages)) = request.import {
            let have = size_of_val(pages.words()) as u64;
            if have < request.bytes {
                return Err(Error::InvalidExternalHandle {
                    why: "smaller than the allocation".into(),
                });
            }
            let made = context
                .gpu
                .host_memory(pages, request.place.of_buffer(false))
                .map_err(|error| match error {
                    // What the kernel says of addresses that it cannot use.
                    i915::Error::Ioctl { .. } | i915::Error::Mapping { .. } => {
                        Error::InvalidExternalHandle {
                            why: error.to_string(),
                        }
                    }
                    other => request.place.failed(other),
                })?;
            return Ok(Self {
                host: true,
                ..Self::of(context, made, request.bytes, request.type_index, None)
            });
        }
        if let Some(Import::Descriptor(descriptor)) = request.import {
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
        let place = request.place.of_buffer(!request.export.is_empty());
        let buffer = context
            .gpu
            .memory(request.bytes, place)
            .map_err(|error| request.place.failed(error))?;
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
        if !is_coherent(&context.physical, type_index) {
            buffer.cache();
        }
        Self {
            bytes,
            type_index,
            context: context.clone(),
            buffer,
            _share: share,
            mapped: Mutex::new(false),
            host: false,
        }
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// The application has freed it, though buffers and images may still name it. Pages of its own may go now.
    pub fn freed(&self) {
        if self.host {
            self.buffer.retire();
        }
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

    /// Makes what the CPU has written seen by the GPU, and the reverse, where the memory type is not coherent. `WHOLE_SIZE` is all from
    /// the offset on.
    pub fn make_coherent(&self, offset: u64, bytes: u64) -> Result<()> {
        if self.is_coherent() {
            return Ok(());
        }
        let rest = self.bytes.saturating_sub(offset);
        let (at, count) = (usize::try_from(offset), usize::try_from(bytes.min(rest)));
        let (Ok(at), Ok(count)) = (at, count) else {
            return Ok(());
        };
        match count {
            0 => Ok(()),
            _ => Ok(self.buffer.map()?.flush_lines(at, count)?),
        }
    }

    fn is_coherent(&self) -> bool {
        is_coherent(&self.context.physical, self.type_index)
    }

    /// Copies bytes out of it.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(self.buffer.read(offset, out)?)
    }

    /// The pages behind it.
    pub fn buffer(&self) -> &Arc<i915::Buffer> {
        &self.buffer
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
