//! The GPU address space of a device, divided into zones by purpose.
//!
//! In:  zones and sizes. Out: addresses.
//!
//! Heaps that commands reach through a base address (STATE_BASE_ADDRESS) have 4 GiB each, since
//! offsets have 32 bits. Everything else comes from the top downwards. No address has bit 47 set:
//! every address is canonical. The first pages stay empty: a null pointer faults.
//! Ref: SKL PRM vol. 2d, "STATE_BASE_ADDRESS"; i915 uapi, EXEC_OBJECT_PINNED and canonical
//!      addresses.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hw::{Gen, Wa};

use crate::error::{Error, Result};
use crate::range_allocator::{AllocateFrom, RangeAllocator};
use crate::reason::Reason;

const GIB: u64 = 1 << 30;
/// Page size of GPU memory; all buffers and zones are multiples of it.
pub const PAGE_BYTES: u64 = 4096;

/// General State Base Address: scratch is in the low zone.
pub const GENERAL_BASE: u64 = 0;
/// Dynamic State Base Address.
pub const DYNAMIC_BASE: u64 = 4 * GIB;
/// Bindless Surface State Base Address. The heap also contains samplers, which are addressed from
/// Dynamic State Base Address, so it is at the end of that base's reach, except for the last page,
/// which its size field cannot include.
pub const BINDLESS_BASE: u64 = DYNAMIC_BASE + 4 * GIB - BINDLESS_HEAP_BYTES - PAGE_BYTES;
/// Surface State Base Address, for binding tables; the bindless heap has its own base address.
pub const SURFACE_BASE: u64 = 8 * GIB;
/// Instruction Base Address.
pub const INSTRUCTION_BASE: u64 = 12 * GIB;
/// The region of indirect descriptors, 4 GiB: shaders add the high dword to 32-bit offsets.
pub const INDIRECT_BASE: u64 = 16 * GIB;
/// The addresses of memory that others may access: surface states derive the caching policy from
/// the address.
pub const SHARED: std::ops::Range<u64> = 1 << 40..2 << 40;
const REPLAY_START: u64 = SHARED.end;
/// The end of the addresses in use. Packets and kernel expect canonical addresses, in which bits
/// 63:48 repeat bit 47; below this they are zero. Half of the space is more than any machine has.
const TOP: u64 = if Wa::CanonicalAddresses.required_on(Gen::Gen9) {
    1 << 47
} else {
    1 << 48
};
/// The smallest supported address space; gen9 has 48 bits.
pub(crate) const MIN_BYTES: u64 = 8 << 40;
/// Size of the bindless heap: 2^20 surfaces, the maximum of Bindless Surface State Size.
pub const BINDLESS_HEAP_BYTES: u64 = 64 << 20;
/// Size of the range above Dynamic State Base Address that a sampler's Border Color Pointer can
/// address.
const BORDER_BYTES: u64 = 16 << 20;

/// A part of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Below 4 GiB: scratch.
    Low,
    /// Border colours: dynamic state that samplers point to.
    Border,
    /// Dynamic state.
    Dynamic,
    /// The bindless heap.
    Bindless,
    /// Surface states and binding tables.
    Surface,
    /// Shader code.
    Instruction,
    /// Descriptor sets with indirect descriptors.
    Indirect,
    /// Memory that others may access: [`SHARED`].
    Shared,
    /// Memory whose address a later run of the program may request (capture and replay). Contains
    /// nothing else.
    Replay,
    /// Everything else.
    High,
}

impl Zone {
    const ALL: [Zone; 10] = [
        Zone::Low,
        Zone::Border,
        Zone::Dynamic,
        Zone::Bindless,
        Zone::Surface,
        Zone::Instruction,
        Zone::Indirect,
        Zone::Shared,
        Zone::Replay,
        Zone::High,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Zone::Low => "low",
            Zone::Border => "border colours",
            Zone::Dynamic => "dynamic state",
            Zone::Surface => "surface state",
            Zone::Bindless => "bindless",
            Zone::Instruction => "instruction",
            Zone::Indirect => "indirect descriptors",
            Zone::Shared => "shared",
            Zone::Replay => "replayed addresses",
            Zone::High => "high",
        }
    }

    fn range(self, gtt_bytes: u64) -> (u64, u64) {
        // The last page of a heap stays free: its size field counts pages and cannot hold 4 GiB.
        let heap = |base: u64| (base, base + 4 * GIB - PAGE_BYTES);
        match self {
            Zone::Low => (2 << 20, 4 * GIB - PAGE_BYTES),
            Zone::Border => (DYNAMIC_BASE, DYNAMIC_BASE + BORDER_BYTES),
            Zone::Dynamic => (DYNAMIC_BASE + BORDER_BYTES, BINDLESS_BASE),
            Zone::Surface => heap(SURFACE_BASE),
            Zone::Bindless => (BINDLESS_BASE, BINDLESS_BASE + BINDLESS_HEAP_BYTES),
            Zone::Instruction => heap(INSTRUCTION_BASE),
            Zone::Indirect => heap(INDIRECT_BASE),
            Zone::Shared => (SHARED.start, SHARED.end),
            Zone::Replay => (REPLAY_START, high_start(gtt_bytes)),
            // The last 4 GiB stay free, so that prefetchers and 4 GiB ranges from a base address do
            // not run over the end.
            Zone::High => (high_start(gtt_bytes), gtt_bytes.saturating_sub(4 * GIB)),
        }
    }
}

/// The start of the high zone: the upper half of the address space. The replay zone takes the rest
/// of the lower half.
fn high_start(gtt_bytes: u64) -> u64 {
    (gtt_bytes / 2) & !(PAGE_BYTES - 1)
}

/// The canonical form of an address, with bit 47 copied to the upper bits, which the kernel
/// expects.
pub fn canonical(address: u64) -> u64 {
    ((address << 16) as i64 >> 16) as u64
}

/// The free addresses of each zone.
#[derive(Debug)]
pub struct AddressSpace {
    zones: Mutex<Vec<RangeAllocator>>,
}

impl AddressSpace {
    /// An empty address space. Fails if `gtt_bytes` is too small.
    pub fn new(gtt_bytes: u64) -> Result<Self> {
        if gtt_bytes < MIN_BYTES {
            return Err(Error::from(Reason::SmallAddressSpace {
                bytes: gtt_bytes,
                minimum_bytes: MIN_BYTES,
            }));
        }
        let allocator = |zone: Zone| {
            let (start, end) = zone.range(gtt_bytes.min(TOP));
            RangeAllocator::new(
                start,
                end,
                if zone == Zone::High {
                    AllocateFrom::Top
                } else {
                    AllocateFrom::Bottom
                },
            )
        };
        Ok(Self {
            zones: Mutex::new(Zone::ALL.into_iter().map(allocator).collect()),
        })
    }

    fn zones(&self) -> MutexGuard<'_, Vec<RangeAllocator>> {
        self.zones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates addresses for `bytes`.
    pub fn allocate(&self, zone: Zone, bytes: u64) -> Result<u64> {
        let out_of_space = Error::OutOfAddressSpace {
            bytes,
            zone: zone.name(),
        };
        let bytes = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .ok_or_else(|| out_of_space.clone())?;
        // Aligned so that the kernel can map large buffers with large pages.
        let align = if bytes >= 2 << 20 {
            2 << 20
        } else if bytes >= 64 << 10 {
            64 << 10
        } else {
            PAGE_BYTES
        };
        let mut zones = self.zones();
        zones
            .get_mut(zone as usize)
            .and_then(|range| range.allocate(bytes, align))
            .ok_or(out_of_space)
    }

    /// Allocates `bytes` at `address`.
    pub fn allocate_at(&self, zone: Zone, address: u64, bytes: u64) -> Result<()> {
        let allocated = self
            .zones()
            .get_mut(zone as usize)
            .is_some_and(|range| range.allocate_at(address, bytes));
        if allocated {
            Ok(())
        } else {
            Err(Error::OutOfAddressSpace {
                bytes,
                zone: zone.name(),
            })
        }
    }

    /// Frees addresses.
    pub fn free(&self, zone: Zone, address: u64, bytes: u64) {
        if let Some(range) = self.zones().get_mut(zone as usize) {
            range.free(address, bytes.next_multiple_of(PAGE_BYTES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_disjoint_and_addresses_canonical() {
        for (index, zone) in Zone::ALL.into_iter().enumerate() {
            assert_eq!(zone as usize, index);
            let (start, end) = zone.range(TOP);
            assert_eq!((canonical(start), canonical(end - 1)), (start, end - 1));
            assert!(start < end && start % PAGE_BYTES == 0 && end % PAGE_BYTES == 0);
            for other in Zone::ALL.into_iter().skip(index + 1) {
                assert!(end <= other.range(TOP).0, "{zone:?} {other:?}");
            }
        }
        assert_eq!(canonical(0xffff_fefe_f000), 0xffff_ffff_fefe_f000);
        assert_eq!(canonical(0x7fff_ffff_f000), 0x7fff_ffff_f000);
    }

    #[test]
    fn the_high_zone_is_allocated_downwards() {
        let space = AddressSpace::new(1 << 48).unwrap();
        let first = space.allocate(Zone::High, 1).unwrap();
        let second = space.allocate(Zone::High, 5000).unwrap();
        assert_eq!(first, TOP - 4 * GIB - PAGE_BYTES);
        assert_eq!(second, first - 2 * PAGE_BYTES);
        space.free(Zone::High, second, 5000);
        assert_eq!(space.allocate(Zone::High, 8192), Ok(second));
        assert!(
            space
                .allocate(Zone::Bindless, BINDLESS_HEAP_BYTES + 1)
                .is_err()
        );
        assert!(space.allocate(Zone::High, u64::MAX).is_err());
        assert!(AddressSpace::new(1 << 31).is_err());
    }
}
