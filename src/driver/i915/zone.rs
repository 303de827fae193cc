//! The GPU's address space of one device: which addresses serve which purpose.
//!
//! Heaps that commands reach through a base address (STATE_BASE_ADDRESS) have 4 GiB each, since offsets have 32 bits.
//! Everything else comes from the top of the 48-bit space downwards. The first pages stay empty: a null pointer faults.
//! Ref: SKL PRM vol. 2d, "STATE_BASE_ADDRESS"; i915 uapi, EXEC_OBJECT_PINNED and canonical addresses.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::range::{From, RangeAllocator};

const GIB: u64 = 1 << 30;
/// Pages of GPU memory: everything is a multiple of this.
pub const PAGE_BYTES: u64 = 4096;

/// General State Base Address: scratch lies in the low zone.
pub const GENERAL_BASE: u64 = 0;
/// Dynamic State Base Address.
pub const DYNAMIC_BASE: u64 = 4 * GIB;
/// Bindless Surface State Base Address. Samplers lie in this heap too, and are found from Dynamic State Base Address: it is the end of
/// what that reaches, but for the page that its size cannot say.
pub const BINDLESS_BASE: u64 = DYNAMIC_BASE + 4 * GIB - BINDLESS_HEAP_BYTES - PAGE_BYTES;
/// Surface State Base Address. (Binding tables; the bindless heap has a base of its own.)
pub const SURFACE_BASE: u64 = 8 * GIB;
/// Instruction Base Address.
pub const INSTRUCTION_BASE: u64 = 12 * GIB;
/// Where memory lies that others may use: by its address alone surfaces tell how it is cached.
pub const SHARED: std::ops::Range<u64> = 1 << 40..2 << 40;
const REPLAY_START: u64 = SHARED.end;
/// The driver asks for as much; gen9 has all 48 bits.
const LEAST_BYTES: u64 = 8 << 40;
/// Bytes of the bindless heap: 2^20 surfaces, the most that Bindless Surface State Size can tell.
pub const BINDLESS_HEAP_BYTES: u64 = 64 << 20;
/// Bytes from Dynamic State Base Address on that a sampler's Border Color Pointer reaches.
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
    /// Memory that others may use: [`SHARED`].
    Shared,
    /// Memory whose address another run of the same program may ask for: nothing else lies here.
    Replay,
    /// Everything else.
    High,
}

impl Zone {
    const ALL: [Zone; 9] = [
        Zone::Low,
        Zone::Border,
        Zone::Dynamic,
        Zone::Bindless,
        Zone::Surface,
        Zone::Instruction,
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
            Zone::Shared => "shared",
            Zone::Replay => "replayed addresses",
            Zone::High => "high",
        }
    }

    fn range(self, gtt_bytes: u64) -> (u64, u64) {
        // A page is left free at the end of a heap: its size field counts pages and cannot say 4 GiB.
        let heap = |base: u64| (base, base + 4 * GIB - PAGE_BYTES);
        match self {
            Zone::Low => (2 << 20, 4 * GIB - PAGE_BYTES),
            Zone::Border => (DYNAMIC_BASE, DYNAMIC_BASE + BORDER_BYTES),
            Zone::Dynamic => (DYNAMIC_BASE + BORDER_BYTES, BINDLESS_BASE),
            Zone::Surface => heap(SURFACE_BASE),
            Zone::Bindless => (BINDLESS_BASE, BINDLESS_BASE + BINDLESS_HEAP_BYTES),
            Zone::Instruction => heap(INSTRUCTION_BASE),
            Zone::Shared => (SHARED.start, SHARED.end),
            Zone::Replay => (REPLAY_START, high_start(gtt_bytes)),
            // Prefetchers and base addresses with a size of 4 GiB must not run over the end: its last 4 GiB stay empty.
            Zone::High => (high_start(gtt_bytes), gtt_bytes.saturating_sub(4 * GIB)),
        }
    }
}

/// What lies above the heaps is halved: where addresses can be asked for, and where not.
fn high_start(gtt_bytes: u64) -> u64 {
    (gtt_bytes / 2) & !(PAGE_BYTES - 1)
}

/// Bit 47 copied up: the form in which the kernel takes addresses.
pub fn canonical(address: u64) -> u64 {
    ((address << 16) as i64 >> 16) as u64
}

/// Who owns which addresses.
#[derive(Debug)]
pub struct AddressSpace {
    zones: Mutex<Vec<RangeAllocator>>,
}

impl AddressSpace {
    /// All free. Fails if the GPU cannot address enough.
    pub fn new(gtt_bytes: u64) -> Result<Self> {
        if gtt_bytes < LEAST_BYTES {
            return Err(Error::Unsupported {
                why: format!("an address space of {gtt_bytes:#x} bytes is too small"),
            });
        }
        let allocator = |zone: Zone| {
            let (start, end) = zone.range(gtt_bytes.min(1 << 48));
            RangeAllocator::new(
                start,
                end,
                if zone == Zone::High {
                    From::Top
                } else {
                    From::Bottom
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

    /// Addresses for `bytes`.
    pub fn take(&self, zone: Zone, bytes: u64) -> Result<u64> {
        let lacking = Error::OutOfAddressSpace {
            bytes,
            zone: zone.name(),
        };
        let bytes = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .ok_or_else(|| lacking.clone())?;
        // Large buffers may use large pages.
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
            .and_then(|range| range.take(bytes, align))
            .ok_or(lacking)
    }

    /// Exactly these addresses.
    pub fn take_at(&self, zone: Zone, address: u64, bytes: u64) -> Result<()> {
        let taken = self
            .zones()
            .get_mut(zone as usize)
            .is_some_and(|range| range.take_at(address, bytes));
        if taken {
            Ok(())
        } else {
            Err(Error::OutOfAddressSpace {
                bytes,
                zone: zone.name(),
            })
        }
    }

    /// Gives addresses back.
    pub fn give(&self, zone: Zone, address: u64, bytes: u64) {
        if let Some(range) = self.zones().get_mut(zone as usize) {
            range.give(address, bytes.next_multiple_of(PAGE_BYTES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_apart_and_canonical() {
        for (index, zone) in Zone::ALL.into_iter().enumerate() {
            assert_eq!(zone as usize, index);
            let (start, end) = zone.range(1 << 48);
            assert!(start < end && start % PAGE_BYTES == 0 && end % PAGE_BYTES == 0);
            for other in Zone::ALL.into_iter().skip(index + 1) {
                assert!(end <= other.range(1 << 48).0, "{zone:?} {other:?}");
            }
        }
        assert_eq!(canonical(0xffff_fefe_f000), 0xffff_ffff_fefe_f000);
        assert_eq!(canonical(0x7fff_ffff_f000), 0x7fff_ffff_f000);
    }

    #[test]
    fn high_addresses_fall() {
        let space = AddressSpace::new(1 << 48).unwrap();
        let first = space.take(Zone::High, 1).unwrap();
        let second = space.take(Zone::High, 5000).unwrap();
        assert_eq!(first, (1 << 48) - 4 * GIB - PAGE_BYTES);
        assert_eq!(second, first - 2 * PAGE_BYTES);
        space.give(Zone::High, second, 5000);
        assert_eq!(space.take(Zone::High, 8192), Ok(second));
        assert!(space.take(Zone::Bindless, BINDLESS_HEAP_BYTES + 1).is_err());
        assert!(space.take(Zone::High, u64::MAX).is_err());
        assert!(AddressSpace::new(1 << 31).is_err());
    }
}
