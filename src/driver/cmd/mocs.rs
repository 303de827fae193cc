//! Memory object control state (MOCS): caching policy by address.
//!
//! In:  an address. Out: the seven bits of a MOCS field.
//! Ref: SKL PRM vol. 2d, "MEMORY_OBJECT_CONTROL_STATE": bits 6:1 index a table. The kernel fills
//!      it, and its first entries are ABI (`intel_mocs.c`): 1 follows the page tables, 2 is cached
//!      in LLC and L3.

/// Addresses of memory that others may access without Vulkan's synchronisation. Scanout does not
/// snoop the LLC, and the kernel sets the page tables of scanout buffers accordingly.
pub const SHARED: std::ops::Range<u64> = 1 << SHARED_BIT..2 << SHARED_BIT;
const SHARED_BIT: u32 = 40;

/// Cached in LLC and L3.
pub(crate) const CACHED: u64 = 2 << 1;

/// The MOCS of memory that starts at an address.
#[inline(always)]
pub const fn mocs(address: u64) -> u64 {
    // Table entry 1 or 2.
    CACHED - (((address >> SHARED_BIT == 1) as u64) << 1)
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
