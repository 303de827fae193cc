//! What must happen before the next command that needs it.
//!
//! In:  what barriers ask for, merged bit by bit. Out: at most three PIPE_CONTROLs, when a command needs them (a recorder).
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL"; vol. 7, "End-of-Pipe Synchronization".

/// A set of things to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending(u8);

impl Pending {
    /// Nothing.
    pub const NONE: Pending = Pending(0);
    /// Work before is waited for.
    pub const STALL: Pending = Pending(1);
    /// What the data port has written leaves the L3.
    pub const FLUSH_DATA: Pending = Pending(2);
    /// The sampler forgets what it has read.
    pub const INVALIDATE_TEXTURE: Pending = Pending(4);
    /// The constant cache forgets what it has read.
    pub const INVALIDATE_CONSTANT: Pending = Pending(8);
    /// What was drawn leaves the caches of colours and of depth.
    pub const FLUSH_TARGETS: Pending = Pending(16);
    /// The fetcher of vertices and indices forgets what it has read.
    pub const INVALIDATE_VERTICES: Pending = Pending(32);
    /// All that makes what dispatches have written visible to everyone.
    pub const ALL: Pending = Pending(15);
    /// The invalidations among them.
    pub(crate) const INVALIDATIONS: Pending = Pending(4 | 8 | 32);

    /// Both.
    #[must_use]
    pub const fn with(self, other: Pending) -> Pending {
        Pending(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    pub const fn and(self, other: Pending) -> Pending {
        Pending(self.0 & other.0)
    }

    /// What is not in `other`.
    #[must_use]
    pub const fn without(self, other: Pending) -> Pending {
        Pending(self.0 & !other.0)
    }

    /// Whether any of `other` is asked for.
    pub const fn any(self, other: Pending) -> bool {
        self.0 & other.0 != 0
    }

    /// A bit for each thing.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Whether nothing is asked for.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}
