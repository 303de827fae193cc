//! Memory object control: which caches hold what lies at an address.
//!
//! In:  an address. Out: the seven bits of a MOCS field.
//! Ref: SKL PRM vol. 2d, "MEMORY_OBJECT_CONTROL_STATE": bits 6:1 index a table. The kernel fills it, and its first entries are ABI
//! (`intel_mocs.c`): 1 takes what the page tables say, 2 is cached in LLC and L3.

/// Addresses of memory that others may use without asking Vulkan: a display that scans it out does not look into the LLC, and the kernel
/// says so in the page tables of what is scanned out.
pub const SHARED: std::ops::Range<u64> = 1 << SHARED_BIT..2 << SHARED_BIT;
const SHARED_BIT: u32 = 40;

/// Cached in LLC and L3.
pub(crate) const CACHED: u64 = 2 << 1;

/// How what begins at an address is cached.
#[inline(always)]
pub const fn mocs(address: u64) -> u64 {
    // Entry 1 or 2.
    CACHED - (((address >> SHARED_BIT == 1) as u64) << 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_tables_decide_for_shared_memory_alone() {
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
