//! Pending flushes: synchronisation that the next command needs.
//!
//! In:  requests of barriers, merged as bits. Out: at most three PIPE_CONTROLs, emitted by a
//!      recorder before the next command that needs them.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL"; vol. 7, "End-of-Pipe Synchronization".

/// A set of stalls, flushes and invalidations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PendingFlushes(u8);

impl PendingFlushes {
    /// Nothing.
    pub const NONE: PendingFlushes = PendingFlushes(0);
    /// Wait for earlier work.
    pub const STALL: PendingFlushes = PendingFlushes(1);
    /// Flush data port writes from the L3.
    pub const FLUSH_DATA: PendingFlushes = PendingFlushes(2);
    /// Invalidate the texture cache.
    pub const INVALIDATE_TEXTURE: PendingFlushes = PendingFlushes(4);
    /// Invalidate the constant cache.
    pub const INVALIDATE_CONSTANT: PendingFlushes = PendingFlushes(8);
    /// Flush the render target and depth caches.
    pub const FLUSH_TARGETS: PendingFlushes = PendingFlushes(16);
    /// Invalidate the vertex fetch cache.
    pub const INVALIDATE_VERTICES: PendingFlushes = PendingFlushes(32);
    /// All that makes writes of dispatches visible to dispatches.
    pub const ALL: PendingFlushes = PendingFlushes(15);
    /// The invalidations.
    pub(crate) const INVALIDATIONS: PendingFlushes = PendingFlushes(4 | 8 | 32);

    /// The union.
    #[must_use]
    pub const fn with(self, other: PendingFlushes) -> PendingFlushes {
        PendingFlushes(self.0 | other.0)
    }

    /// The intersection.
    #[must_use]
    pub const fn and(self, other: PendingFlushes) -> PendingFlushes {
        PendingFlushes(self.0 & other.0)
    }

    /// The difference.
    #[must_use]
    pub const fn without(self, other: PendingFlushes) -> PendingFlushes {
        PendingFlushes(self.0 & !other.0)
    }

    /// Whether any bit of `other` is in the set.
    pub const fn any(self, other: PendingFlushes) -> bool {
        self.0 & other.0 != 0
    }

    /// The bits.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Whether the set is empty.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}
