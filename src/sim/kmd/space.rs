//! Address spaces: which buffer is where.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use uapi::{Errno, Result};

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::fence::lock;

/// Bit 47 copied upwards, as the hardware wants 48-bit addresses.
pub(crate) fn canonical(address: u64) -> u64 {
    ((address << 16) as i64 >> 16) as u64
}

/// Without the copies.
pub(crate) fn decanonical(address: u64) -> u64 {
    address & ((1 << 48) - 1)
}

/// One buffer's place.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// First byte, not canonical.
    pub(crate) address: u64,
    /// Bytes of address space, which may be more than the buffer's.
    pub(crate) bytes: u64,
    pub(crate) buffer: Arc<Buffer>,
}

/// An address space.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) bytes: u64,
    bound: Mutex<BTreeMap<u64, Binding>>,
}

/// Where a buffer wants to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    /// Last address, not canonical, or the fixed one.
    pub(crate) address: u64,
    pub(crate) fixed: bool,
    pub(crate) above_4g: bool,
    pub(crate) alignment_bytes: u64,
    pub(crate) bytes: u64,
}

impl Space {
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            bound: Mutex::default(),
        })
    }

    /// Places the buffers of one execbuf; those in the way that it does not use must go.
    pub(crate) fn place(&self, wishes: &[(Arc<Buffer>, Wish)]) -> Result<Vec<Binding>> {
        let mut bound = lock(&self.bound);
        let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
        let mut placed: Vec<Option<Binding>> = Vec::new();
        placed.resize_with(wishes.len(), || None);
        // Fixed ones first: the others go around them.
        for ((buffer, wish), place) in wishes
            .iter()
            .zip(&mut placed)
            .filter(|((_, wish), _)| wish.fixed)
        {
            let limit = self.limit(wish);
            let end = wish.address.checked_add(wish.bytes).ok_or(Errno::EINVAL)?;
            if !wish.address.is_multiple_of(wish.alignment_bytes) || end > limit {
                return Err(Errno::EINVAL);
            }
            if overlaps(&taken, wish.address, end) {
                return Err(Errno::ENOSPC);
            }
            taken.insert(wish.address, end);
            *place = Some(Binding {
                address: wish.address,
                bytes: wish.bytes,
                buffer: buffer.clone(),
            });
        }
        for ((buffer, wish), place) in wishes
            .iter()
            .zip(&mut placed)
            .filter(|((_, wish), _)| !wish.fixed)
        {
            let old = bound
                .values()
                .find(|binding| Arc::ptr_eq(&binding.buffer, buffer))
                .map(|binding| binding.address);
            let limit = self.limit(wish);
            let fits = |address: u64| {
                let end = address.checked_add(wish.bytes)?;
                let good =
                    address > 0 && address.is_multiple_of(wish.alignment_bytes) && end <= limit;
                (good && !overlaps(&taken, address, end)).then_some(address)
            };
            let address = old
                .and_then(fits)
                .or_else(|| fits(wish.address))
                .or_else(|| first_fit(&taken, limit, wish))
                .ok_or(Errno::ENOSPC)?;
            taken.insert(address, address + wish.bytes);
            *place = Some(Binding {
                address,
                bytes: wish.bytes,
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

    fn limit(&self, wish: &Wish) -> u64 {
        // The last page below 4 GiB is not used: some commands compute ends in 32 bits.
        if wish.above_4g {
            self.bytes
        } else {
            self.bytes.min((1 << 32) - PAGE_BYTES)
        }
    }

    /// Forgets a buffer.
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

fn first_fit(taken: &BTreeMap<u64, u64>, limit: u64, wish: &Wish) -> Option<u64> {
    let align = |address: u64| address.checked_next_multiple_of(wish.alignment_bytes);
    // Nothing at 0: programs take it for no address.
    let mut at = align(16 * PAGE_BYTES)?;
    for (&start, &end) in taken {
        if at.checked_add(wish.bytes)? <= start {
            break;
        }
        at = align(at.max(end))?;
    }
    (at.checked_add(wish.bytes)? <= limit).then_some(at)
}
