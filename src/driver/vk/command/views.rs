//! View masks of multiview.
//!
//! In:  a view mask. Out: the layers that the views render to: a view is the layer of its index.
//! Ref: Vulkan 1.3, "Multiview".

use crate::error::{Error, Result};

/// A view mask; empty without multiview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewMask(u32);

impl ViewMask {
    /// One more than the highest view index.
    pub const END: u32 = 16;

    /// Checks a view mask.
    pub fn new(mask: u32) -> Result<Self> {
        match mask >> Self::END {
            0 => Ok(Self(mask)),
            _ => Err(Error::InvalidUse {
                why: "a view beyond maxMultiviewViewCount",
            }),
        }
    }

    /// The mask.
    pub fn mask(self) -> u32 {
        self.0
    }

    /// Whether multiview is off.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The difference.
    pub(super) fn without(self, others: ViewMask) -> ViewMask {
        ViewMask(self.0 & !others.0)
    }

    /// The union.
    pub(super) fn with(self, others: ViewMask) -> ViewMask {
        ViewMask(self.0 | others.0)
    }

    /// Whether a view is in the mask; always true without multiview.
    pub(super) fn has(self, view: u32) -> bool {
        self.is_none() || self.0 >> view & 1 != 0
    }

    /// Number of layers up to the last one that is rendered to; `layers` without multiview.
    pub(super) fn end(self, layers: u32) -> u32 {
        match self.0 {
            0 => layers,
            mask => u32::BITS - mask.leading_zeros(),
        }
    }

    /// Ranges (first, count) of the layers that are rendered to; all `layers` without multiview.
    pub(super) fn ranges(self, layers: u32) -> impl Iterator<Item = (u32, u32)> {
        let mut left = self.0;
        let whole = self.is_none().then_some((0, layers));
        let ranges = std::iter::from_fn(move || {
            let first = (left != 0).then(|| left.trailing_zeros())?;
            let count = (left >> first).trailing_ones();
            // There are at most 16 views, so the shifts stay below 32.
            left &= !(((1 << count) - 1) << first);
            Some((first, count))
        });
        whole.into_iter().chain(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_runs_of_views() {
        let ranges = |mask| ViewMask::new(mask).unwrap().ranges(7).collect::<Vec<_>>();
        assert_eq!(ranges(0), [(0, 7)]);
        assert_eq!(ranges(0b1), [(0, 1)]);
        assert_eq!(ranges(0b1110_1100), [(2, 2), (5, 3)]);
        assert_eq!(ranges(0xffff), [(0, 16)]);
        assert_eq!(ViewMask::new(0b100).unwrap().end(9), 3);
        assert!(ViewMask::new(1 << 16).is_err());
    }
}
