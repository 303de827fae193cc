//! Device memory: one BO per allocation.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk as api;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::physical::PhysicalDevice;

/// Maximum size of an allocation (`maxMemoryAllocationSize`).
pub const MAX_ALLOCATION_BYTES: u64 = 1 << 32;

/// Parameters of an allocation.
#[derive(Debug)]
pub struct MemoryAllocateInfo {
    /// Size in bytes.
    pub bytes: u64,
    /// Memory type.
    pub type_index: u32,
    /// Existing memory to import.
    pub import: Option<MemoryImport>,
    /// Handle types for export.
    pub export: api::ExternalMemoryHandleTypeFlags,
    /// Constraint on its address.
    pub address: AddressConstraint,
}

/// Imported memory.
#[derive(Debug)]
pub enum MemoryImport {
    /// A file descriptor.
    Descriptor(OwnedFd),
    /// Host pages.
    Host(Arc<dyn i915::HostPages>),
}

/// Constraint on a GPU address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressConstraint {
    /// Any address.
    Anywhere,
    /// Any address that a capture can be replayed at.
    Replayable,
    /// This address, from a capture.
    At(u64),
}

impl AddressConstraint {
    /// The kernel-level constraint for memory of descriptor buffers.
    fn descriptor_place(self) -> i915::Placement {
        let zone = i915::Zone::Indirect;
        match self {
            AddressConstraint::At(address) => i915::Placement::At(zone, address),
            _ => i915::Placement::In(zone),
        }
    }

    /// The kernel-level constraint for other memory. `shared`: the memory is exportable.
    fn kernel_place(self, shared: bool) -> i915::Placement {
        use i915::Zone::{High, Replay, Shared};
        match (self, shared) {
            (AddressConstraint::Anywhere, false) => i915::Placement::In(High),
            (AddressConstraint::Replayable, false) => i915::Placement::In(Replay),
            (AddressConstraint::At(address), false) => i915::Placement::At(Replay, address),
            // The caching policy of shared memory follows from its address.
            (AddressConstraint::Anywhere | AddressConstraint::Replayable, true) => {
                i915::Placement::In(Shared)
            }
            (AddressConstraint::At(address), true) => i915::Placement::At(Shared, address),
        }
    }

    /// The error of a failed allocation.
    fn allocation_error(self, error: i915::Error) -> Error {
        match (self, error) {
            (AddressConstraint::At(_), i915::Error::OutOfAddressSpace { .. }) => {
                Error::InvalidOpaqueCaptureAddress
            }
            (_, error) => error.into(),
        }
    }
}

/// Handle types that memory can be exported as.
pub const SHAREABLE: api::ExternalMemoryHandleTypeFlags =
    api::ExternalMemoryHandleTypeFlags::from_raw(
        api::ExternalMemoryHandleTypeFlags::OPAQUE_FD.as_raw()
            | api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT.as_raw(),
    );

/// Handle type of imported host pages.
pub const HOST: api::ExternalMemoryHandleTypeFlags =
    api::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

fn is_coherent(physical: &PhysicalDevice, type_index: u32) -> bool {
    let kind = physical.memory_types().get(type_index as usize);
    kind.is_some_and(|kind| kind.flags.contains(api::MemoryPropertyFlags::HOST_COHERENT))
}

/// `VkDeviceMemory`.
#[derive(Debug)]
pub struct DeviceMemory {
    /// Size that the application asked for.
    pub bytes: u64,
    /// Memory type.
    pub type_index: u32,
    context: Arc<Context>,
    buffer: Arc<i915::Buffer>,
    /// Heap usage; none for imported memory.
    _share: Option<Share>,
    mapped: Mutex<Mapped>,
    /// The pages are host memory of the application.
    host: bool,
}

/// Whether and how memory is mapped for the application.
#[derive(Debug, Default)]
enum Mapped {
    #[default]
    No,
    /// By the mapping that the driver keeps, so that mapping again is free.
    Shared,
    /// By a mapping that exists only until the application ends it: at a chosen address, or one
    /// whose addresses may have to stay reserved.
    Own(i915::BufferMapping),
}

/// Alignment of the addresses that memory can be mapped at, in bytes.
pub const PLACED_ALIGNMENT_BYTES: u64 = i915::PAGE_BYTES;

/// A share of a heap, returned on drop.
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

impl DeviceMemory {
    /// Allocates or imports memory.
    pub fn new(context: &Arc<Context>, request: MemoryAllocateInfo) -> Result<Self> {
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
        if let Some(MemoryImport::Host(pages)) = request.import {
            let available = size_of_val(pages.words()) as u64;
            if available < request.bytes {
                return Err(Error::InvalidExternalHandle {
                    why: "smaller than the allocation".into(),
                });
            }
            let buffer = context
                .gpu
                .userptr_buffer(pages, request.address.kernel_place(false))
                .map_err(|error| match error {
                    // The kernel rejects addresses that it cannot use.
                    i915::Error::Ioctl { .. } | i915::Error::Mapping { .. } => {
                        Error::InvalidExternalHandle {
                            why: error.to_string(),
                        }
                    }
                    other => request.address.allocation_error(other),
                })?;
            return Ok(Self {
                host: true,
                ..Self::with_buffer(context, buffer, request.bytes, request.type_index, None)
            });
        }
        if let Some(MemoryImport::Descriptor(descriptor)) = request.import {
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
            return Ok(Self::with_buffer(
                context,
                buffer,
                bytes,
                request.type_index,
                None,
            ));
        }
        if request.bytes == 0
            || request.bytes > MAX_ALLOCATION_BYTES
            || request.bytes > physical.heap_bytes()
        {
            return Err(Error::OutOfDeviceMemory {
                what: "an allocation",
            });
        }
        let holds_descriptors = physical.descriptor_types() >> request.type_index & 1 == 1;
        if holds_descriptors && !request.export.is_empty() {
            return Err(Error::FeatureNotPresent {
                what: "external memory for descriptor buffers",
            });
        }
        if holds_descriptors {
            // The first pages of the region serve the sets in this memory, too.
            context.indirect()?;
        }
        let share = Share::new(context, request.bytes)?;
        let place = match holds_descriptors {
            true => request.address.descriptor_place(),
            false => request.address.kernel_place(!request.export.is_empty()),
        };
        let buffer = context
            .gpu
            .memory(request.bytes, place)
            .map_err(|error| request.address.allocation_error(error))?;
        if request
            .export
            .contains(api::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT)
        {
            buffer.mark_shared();
        }
        Ok(Self::with_buffer(
            context,
            buffer,
            request.bytes,
            request.type_index,
            Some(share),
        ))
    }

    fn with_buffer(
        context: &Arc<Context>,
        buffer: Arc<i915::Buffer>,
        bytes: u64,
        type_index: u32,
        share: Option<Share>,
    ) -> Self {
        if !is_coherent(&context.physical, type_index) {
            buffer.map_cached();
        }
        Self {
            bytes,
            type_index,
            context: context.clone(),
            buffer,
            _share: share,
            mapped: Mutex::default(),
            host: false,
        }
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// The application freed the memory. Buffers and images may still refer to it, but imported
    /// host pages may go away now.
    pub fn freed(&self) {
        *self.mapped() = Mapped::No;
        if self.host {
            self.buffer.retire();
        }
    }

    fn mapped(&self) -> MutexGuard<'_, Mapped> {
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Maps the memory, at any address or at `place`, where only all of it can be mapped. Returns
    /// the address of the first byte asked for, which is valid until the memory is unmapped.
    pub fn map(&self, offset: u64, bytes: u64, place: Option<i915::Place>) -> Result<*mut u8> {
        let failed = |why: &str| Error::MemoryMapFailed { why: why.into() };
        let end = if bytes == api::WHOLE_SIZE {
            Some(self.bytes)
        } else {
            offset.checked_add(bytes)
        };
        if offset >= self.bytes || end.is_none_or(|end| end > self.bytes || end <= offset) {
            return Err(failed("a range beyond the memory"));
        }
        if let Some(place) = place {
            // The kernel maps buffers from their beginning on, and `memoryMapRangePlaced` is not
            // offered.
            if offset != 0 || end != Some(self.bytes) {
                return Err(failed("a part of the memory at a chosen address"));
            }
            if !place.is_page() {
                return Err(failed("an address that is not that of a page"));
            }
            if self.host {
                return Err(failed("host memory, which is mapped already"));
            }
        }
        let mut mapped = self.mapped();
        if !matches!(*mapped, Mapped::No) {
            return Err(failed("already mapped"));
        }
        let map_error = |error: i915::Error| Error::MemoryMapFailed {
            why: error.to_string(),
        };
        let own = place.is_some() || self.context.features.unmap_reserve && !self.host;
        let base = if own {
            let mapping = self.buffer.map_range(self.bytes, place);
            let mapping = mapping.map_err(map_error)?;
            let base = mapping.as_ptr();
            *mapped = Mapped::Own(mapping);
            base
        } else {
            let base = self.buffer.map().map_err(map_error)?.as_ptr();
            *mapped = Mapped::Shared;
            base
        };
        Ok(base.wrapping_add(offset as usize))
    }

    /// Ends the mapping. With `reserve`, its addresses stay reserved.
    pub fn unmap(&self, reserve: bool) -> Result<()> {
        let failed = |why: String| Err(Error::MemoryMapFailed { why });
        match (std::mem::take(&mut *self.mapped()), reserve) {
            (Mapped::Own(mapping), true) => {
                mapping.reserve().or_else(|error| failed(error.to_string()))
            }
            (Mapped::Shared, true) => failed("addresses that cannot be reserved".into()),
            (_, _) => Ok(()),
        }
    }

    /// Flushes or invalidates CPU caches if the memory type is not coherent. `WHOLE_SIZE` means all
    /// from the offset on.
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

    /// Reads bytes.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(self.buffer.read(offset, out)?)
    }

    /// Whether it was allocated elsewhere.
    pub fn imported(&self) -> bool {
        self._share.is_none()
    }

    /// The BO.
    pub fn buffer(&self) -> &Arc<i915::Buffer> {
        &self.buffer
    }

    /// Exports the memory as a new file descriptor.
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

    /// The device's context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}
