//! GPU address spaces (VMs): the addresses that buffers are bound at.
//!
//! In:  the buffers of an execbuf with their requested addresses. Out: their bindings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use uapi::{Errno, Result};

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::fence::lock;

/// The canonical form of a 48-bit address: bit 47 copied to the upper bits.
pub(crate) fn canonical(address: u64) -> u64 {
    ((address << 16) as i64 >> 16) as u64
}

/// The low 48 bits of a canonical address.
pub(crate) fn decanonical(address: u64) -> u64 {
    address & ((1 << 48) - 1)
}

/// A buffer bound at an address.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// Address of the first byte, not canonical.
    pub(crate) address: u64,
    /// Bytes of address space, at least those of the buffer.
    pub(crate) bytes: u64,
    pub(crate) buffer: Arc<Buffer>,
}

/// An address space.
#[derive(Debug)]
pub(crate) struct Vm {
    pub(crate) bytes: u64,
    bound: Mutex<BTreeMap<u64, Binding>>,
}

/// Where an execbuf requests a buffer to be bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BindRequest {
    /// The required address if `fixed`, else the preferred one; not canonical.
    pub(crate) address: u64,
    pub(crate) fixed: bool,
    pub(crate) above_4g: bool,
    pub(crate) alignment_bytes: u64,
    pub(crate) bytes: u64,
}

impl Vm {
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            bound: Mutex::default(),
        })
    }

    /// Binds the buffers of an execbuf. Other buffers at the same addresses are unbound.
    pub(crate) fn bind_buffers(
        &self,
        bind_requests: &[(Arc<Buffer>, BindRequest)],
    ) -> Result<Vec<Binding>> {
        let mut bound = lock(&self.bound);
        let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
        let mut placed: Vec<Option<Binding>> = Vec::new();
        placed.resize_with(bind_requests.len(), || None);
        // Fixed addresses first; the other buffers get what is left.
        for ((buffer, request), place) in bind_requests
            .iter()
            .zip(&mut placed)
            .filter(|((_, request), _)| request.fixed)
        {
            let limit = self.limit(request);
            let end = request
                .address
                .checked_add(request.bytes)
                .ok_or(Errno::EINVAL)?;
            if !request.address.is_multiple_of(request.alignment_bytes) || end > limit {
                return Err(Errno::EINVAL);
            }
            if overlaps(&taken, request.address, end) {
                return Err(Errno::ENOSPC);
            }
            taken.insert(request.address, end);
            *place = Some(Binding {
                address: request.address,
                bytes: request.bytes,
                buffer: buffer.clone(),
            });
        }
        for ((buffer, request), place) in bind_requests
            .iter()
            .zip(&mut placed)
            .filter(|((_, request), _)| !request.fixed)
        {
            let old = bound
                .values()
                .find(|binding| Arc::ptr_eq(&binding.buffer, buffer))
                .map(|binding| binding.address);
            let limit = self.limit(request);
            let fits = |address: u64| {
                let end = address.checked_add(request.bytes)?;
                let good =
                    address > 0 && address.is_multiple_of(request.alignment_bytes) && end <= limit;
                (good && !overlaps(&taken, address, end)).then_some(address)
            };
            let address = old
                .and_then(fits)
                .or_else(|| fits(request.address))
                .or_else(|| first_fit(&taken, limit, request))
                .ok_or(Errno::ENOSPC)?;
            taken.insert(address, address + request.bytes);
            *place = Some(Binding {
                address,
                bytes: request.bytes,
                buffer: buffer.clone(),
            });
        }
        let placed: Vec<Binding> = placed.into_iter().flatten().collect();
        let used: BTreeSet<u64> = placed.iter().map(|new| new.buffer.mmap_offset).collect();
        bound.retain(|_, old| {
            let moved = used.contains(&old.buffer.mmap_offset);
            !moved && !overlaps(&taken, old.address, old.address + old.bytes)
        });
        bound.extend(
            placed
                .iter()
                .map(|binding| (binding.address, binding.clone())),
        );
        Ok(placed)
    }

    fn limit(&self, request: &BindRequest) -> u64 {
        // The last page below 4 GiB is unused: some commands compute end addresses in 32 bits.
        if request.above_4g {
            self.bytes
        } else {
            self.bytes.min((1 << 32) - PAGE_BYTES)
        }
    }

    /// Unbinds a buffer.
    pub(crate) fn unbind(&self, buffer: &Arc<Buffer>) {
        lock(&self.bound).retain(|_, binding| !Arc::ptr_eq(&binding.buffer, buffer));
    }
}

fn overlaps(taken: &BTreeMap<u64, u64>, start: u64, end: u64) -> bool {
    taken
        .range(..end)
        .next_back()
        .is_some_and(|(_, &taken_end)| taken_end > start)
}

fn first_fit(taken: &BTreeMap<u64, u64>, limit: u64, request: &BindRequest) -> Option<u64> {
    let align = |address: u64| address.checked_next_multiple_of(request.alignment_bytes);
    // Nothing is bound at 0, which programs use as the null address.
    let mut at = align(16 * PAGE_BYTES)?;
    for (&start, &end) in taken {
        if at.checked_add(request.bytes)? <= start {
            break;
        }
        at = align(at.max(end))?;
    }
    (at.checked_add(request.bytes)? <= limit).then_some(at)
}
