//! Address ranges that the vertex fetch cache may hold.
//!
//! In:  memory ranges of vertex and index buffers, as they are bound. Out: whether the cache must
//!      be invalidated before the next draw.
//!
//! The cache tags lines with the buffer index and the low 32 address bits, so two lines of one
//! buffer that are 4 GiB apart alias.
//! Ref: SKL PRM vol. 2a, PIPE_CONTROL, "VF Cache Invalidation Enable".

use crate::draw::state::VERTEX_BUFFERS;

/// Slots: the application's vertex buffers, the driver's two, and the index buffer.
const SLOTS: usize = VERTEX_BUFFERS + 3;

/// Start address and end address (exclusive).
type Span = (u64, u64);

/// Address ranges by buffer slot.
#[derive(Debug)]
pub(crate) struct VertexCache {
    /// Currently bound.
    bound: [Span; SLOTS],
    /// Union of the ranges bound since the last invalidation.
    cached: [Span; SLOTS],
}

/// Slot of the index buffer.
pub(crate) const INDEX_SLOT: usize = SLOTS - 1;
/// Slot of the driver's buffer with the first vertex and the first instance.
pub(crate) const BASES_SLOT: usize = VERTEX_BUFFERS;
/// Slot of the driver's buffer with the draw index.
pub(crate) const DRAW_ID_SLOT: usize = VERTEX_BUFFERS + 1;

const NONE: Span = (u64::MAX, 0);

impl Default for VertexCache {
    fn default() -> Self {
        Self {
            bound: [NONE; SLOTS],
            cached: [NONE; SLOTS],
        }
    }
}

impl VertexCache {
    /// Binds a memory range to a slot. Returns true if the cache must be invalidated.
    #[inline]
    pub fn bind(&mut self, slot: usize, address: u64, bytes: u64) -> bool {
        const LINE_BYTES: u64 = 64;
        const WINDOW_BYTES: u64 = 1 << 32;
        const ALIASES: bool = hw::Wa::VfCacheKeyedBy32Bits.required_on(hw::Gen::Gen9);
        let (Some(bound), Some(cached)) = (self.bound.get_mut(slot), self.cached.get_mut(slot))
        else {
            return false;
        };
        if bytes == 0 {
            *bound = NONE;
            return false;
        }
        let end = (address + bytes).next_multiple_of(LINE_BYTES);
        *bound = (address & !(LINE_BYTES - 1), end);
        *cached = (cached.0.min(bound.0), cached.1.max(bound.1));
        ALIASES && cached.1 - cached.0 > WINDOW_BYTES
    }

    /// The cache was invalidated: from here on it can only hold what is bound.
    pub fn invalidate(&mut self) {
        self.cached = self.bound;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_beyond_a_4_gib_window_needs_an_invalidation() {
        let mut vertex_cache = VertexCache::default();
        assert!(!vertex_cache.bind(0, 0x1_0000_0000, 0x1000));
        assert!(!vertex_cache.bind(1, 0x5_0000_0000, 0x1000));
        assert!(!vertex_cache.bind(0, 0x1_8000_0000, 0x1000));
        assert!(vertex_cache.bind(0, 0x2_0000_0000, 0x1000));
        vertex_cache.invalidate();
        assert!(!vertex_cache.bind(0, 0x2_0000_0000, 0x1000));
        // A range that stays bound counts as cached after the invalidation.
        assert!(vertex_cache.bind(1, 0x6_0000_0000, 0x1000));
        vertex_cache.invalidate();
        assert!(!vertex_cache.bind(1, 0, 0));
        assert!(vertex_cache.bind(INDEX_SLOT, 0, 1 << 33));
    }
}
