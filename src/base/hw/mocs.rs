//! Memory object control state (MOCS): the values of a MOCS field that the kernel fixes.
//!
//! Bits 6:1 index a table. The kernel fills it, and its first entries are ABI.
//! Ref: SKL PRM vol. 2d, "MEMORY_OBJECT_CONTROL_STATE"; Linux, `intel_mocs.c`.

/// Cached as the page tables say.
pub const PAGE_TABLES_DECIDE: u64 = 1 << 1;
/// Cached in LLC and L3.
pub const CACHED: u64 = 2 << 1;
