//! Pending flushes: synchronisation that the next command needs.
//!
//! In:  requests of barriers, merged as bits. Out: at most three PIPE_CONTROLs, emitted by a
//!      recorder before the next command that needs them.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL"; vol. 7, "End-of-Pipe Synchronization".

/// A set of stalls, flushes and invalidations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending(u8);

impl Pending {
    /// Nothing.
    pub const NONE: Pending = Pending(0);
    /// Wait for earlier work.
    pub const STALL: Pending = Pending(1);
    /// Flush data port writes from the L3.
    pub const FLUSH_DATA: Pending = Pending(2);
    /// Invalidate the texture cache.
    pub const INVALIDATE_TEXTURE: Pending = Pending(4);
    /// Invalidate the constant cache.
    pub const INVALIDATE_CONSTANT: Pending = Pending(8);
    /// Flush the render target and depth caches.
    pub const FLUSH_TARGETS: Pending = Pending(16);
    /// Invalidate the vertex fetch cache.
    pub const INVALIDATE_VERTICES: Pending = Pending(32);
    /// All that makes writes of dispatches visible to dispatches.
    pub const ALL: Pending = Pending(15);
    /// The invalidations.
    pub(crate) const INVALIDATIONS: Pending = Pending(4 | 8 | 32);

    /// The union.
    #[must_use]
    pub const fn with(self, other: Pending) -> Pending {
        Pending(self.0 | other.0)
    }

    /// The intersection.
    #[must_use]
    pub const fn and(self, other: Pending) -> Pending {
        Pending(self.0 & other.0)
    }

    /// The difference.
    #[must_use]
    pub const fn without(self, other: Pending) -> Pending {
        Pending(self.0 & !other.0)
    }

    /// Whether any bit of `other` is in the set.
    pub const fn any(self, other: Pending) -> bool {
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
