//! The division of the L3 that a batch needs and leaves behind.
//!
//! In:  the partition that each command needs. Out: where L3CNTLREG must be written, and
//!      [`L3Use`], by which a queue knows what stands between two batches.
//! Ref: SKL PRM vol. 5, "L3 Allocation and Programming".
//!
//! A change stalls the GPU and drops its caches, so there is one only where it must be. Draws need
//! the partition without SLM, whose URB is three times as large; dispatches that use SLM need the
//! one with it; other dispatches run with either. A batch does not begin with a change: it states
//! what it needs first, and whoever executes it after another batch inserts the change.

/// A division of the L3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum L3Partition {
    /// URB and caches.
    WithoutSlm,
    /// A third is SLM, taken from the URB.
    WithSlm,
}

/// What a batch expects of the L3, and what it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L3Use {
    /// The partition that must be set before the batch. `None`: any, known or not.
    pub first: Option<L3Partition>,
    /// The partition that is set after the batch. `None`: the one before it.
    pub last: Option<L3Partition>,
}

impl L3Use {
    /// Adds a command that needs `partition`. Returns true if the L3 must be divided anew for it.
    #[must_use]
    pub(crate) fn require(&mut self, partition: L3Partition) -> bool {
        let before = self.last.replace(partition);
        if before.is_none() {
            self.first = Some(partition);
        }
        before.is_some_and(|before| before != partition)
    }

    /// Adds a batch. Returns the partition that must be set before it, if it differs from the one
    /// that is set.
    #[must_use]
    pub fn append(&mut self, next: L3Use) -> Option<L3Partition> {
        let change = next.first.filter(|&first| self.require(first));
        self.last = next.last.or(self.last);
        change
    }
}

/// The preferred configuration of a partition: the one in which URB and caches are most equal, as
/// they are after reset. `None` for generations without L3 configurations in the table.
///
/// Only configurations in which all clients share the caches are considered: which clients a batch
/// uses most is not known.
pub fn config(device: &hw::Device, partition: L3Partition) -> Option<&'static hw::L3Config> {
    let with_slm = partition == L3Partition::WithSlm;
    let usable = |d: &&hw::L3Config| (d.slm_ways != 0) == with_slm && d.all_ways != 0;
    let uneven = |d: &&hw::L3Config| d.all_ways.abs_diff(d.urb_ways);
    device.l3_configs().iter().filter(usable).min_by_key(uneven)
}

/// Bytes of a slice's URB while draws run: what 3DSTATE_URB_* and 3DSTATE_PUSH_CONSTANT_ALLOC_*
/// divide, in every slice alike. 0 for generations without L3 configurations in the table.
///
/// Ref: BDW PRM vol. 2a, 3DSTATE_URB_VS, VS URB Starting Address, whose range ends at a slice's
/// size; Mesa, intel_l3_config.c, get_urb_size_scale.
pub fn draw_urb_bytes(device: &hw::Device) -> u32 {
    let config = config(device, L3Partition::WithoutSlm);
    config.map_or(0, |config| {
        config.urb_bytes(device) / u32::from(device.slices)
    })
}

#[cfg(test)]
mod tests;
