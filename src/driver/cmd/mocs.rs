//! Memory object control state (MOCS): caching policy by address.
//!
//! In:  an address. Out: the seven bits of a MOCS field.
//! Ref: [`hw::mocs`].

pub(crate) use hw::mocs::CACHED;
use hw::mocs::PAGE_TABLES_DECIDE;

/// Addresses of memory that others may access without Vulkan's synchronisation. Scanout does not
/// snoop the LLC, and the kernel sets the page tables of scanout buffers accordingly.
pub const SHARED: std::ops::Range<u64> = 1 << SHARED_BIT..2 << SHARED_BIT;
const SHARED_BIT: u32 = 40;

/// The MOCS of memory that starts at an address.
#[inline(always)]
pub const fn mocs(address: u64) -> u64 {
    // Without a branch: the entries follow each other.
    const STEP: u64 = CACHED - PAGE_TABLES_DECIDE;
    CACHED - (address >> SHARED_BIT == 1) as u64 * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_tables_decide_for_shared_memory_only() {
        for (address, entry) in [
            (0, 2),
            (SHARED.start - 1, 2),
            (SHARED.start, 1),
            (SHARED.end - 1, 1),
            (SHARED.end, 2),
            (0xffff_ffff_f000, 2),
        ] {
            assert_eq!(mocs(address), entry << 1, "{address:#x}");
        }
    }
}
