//! What the fetcher of vertices and indices may hold in its cache.
//!
//! In:  ranges of memory as they are bound. Out: whether the cache must forget what it holds before the next draw.
//! The cache knows lines by the number of their buffer and the low 32 bits of their address, so two lines of one buffer that are
//! 4 GiB apart are one to it. Ref: SKL PRM vol. 2a, PIPE_CONTROL, "VF Cache Invalidation Enable".

use crate::draw::state::VERTEX_BUFFERS;

/// Buffers of vertices, the driver's own two among them, and the one of indices.
const SLOTS: usize = VERTEX_BUFFERS + 3;

/// From an address to an address behind the last.
type Span = (u64, u64);

/// Spans of what was bound, by slot.
#[derive(Debug)]
pub(crate) struct Fetched {
    /// Now.
    bound: [Span; SLOTS],
    /// Since the cache has forgotten.
    held: [Span; SLOTS],
}

/// Number of a buffer of indices.
pub(crate) const INDICES: usize = SLOTS - 1;
/// Numbers of the driver's buffers.
pub(crate) const BASES: usize = VERTEX_BUFFERS;
/// See [`BASES`].
pub(crate) const NUMBER: usize = VERTEX_BUFFERS + 1;

const NONE: Span = (u64::MAX, 0);

impl Default for Fetched {
    fn default() -> Self {
        Self {
            bound: [NONE; SLOTS],
            held: [NONE; SLOTS],
        }
    }
}

impl Fetched {
    /// Binds memory. True: the cache must forget.
    #[inline]
    pub fn bind(&mut self, slot: usize, address: u64, bytes: u64) -> bool {
        const LINE_BYTES: u64 = 64;
        const WINDOW_BYTES: u64 = 1 << 32;
        let (Some(bound), Some(held)) = (self.bound.get_mut(slot), self.held.get_mut(slot)) else {
            return false;
        };
        if bytes == 0 {
            *bound = NONE;
            return false;
        }
        let end = (address + bytes).next_multiple_of(LINE_BYTES);
        *bound = (address & !(LINE_BYTES - 1), end);
        *held = (held.0.min(bound.0), held.1.max(bound.1));
        held.1 - held.0 > WINDOW_BYTES
    }

    /// The cache has forgotten all; it will hold what is bound.
    pub fn forget(&mut self) {
        self.held = self.bound;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_four_gib_apart_in_one_buffer_are_one_to_the_cache() {
        let mut fetched = Fetched::default();
        assert!(!fetched.bind(0, 0x1_0000_0000, 0x1000));
        assert!(!fetched.bind(1, 0x5_0000_0000, 0x1000));
        assert!(!fetched.bind(0, 0x1_8000_0000, 0x1000));
        assert!(fetched.bind(0, 0x2_0000_0000, 0x1000));
        fetched.forget();
        assert!(!fetched.bind(0, 0x2_0000_0000, 0x1000));
        // What stays bound is held again.
        assert!(fetched.bind(1, 0x6_0000_0000, 0x1000));
        fetched.forget();
        assert!(!fetched.bind(1, 0, 0));
        assert!(fetched.bind(INDICES, 0, 1 << 33));
    }
}
