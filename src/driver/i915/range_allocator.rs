//! A first-fit allocator of integer ranges: GPU addresses, bytes of a pool, bytes of a heap.
//!
//! In:  a range, then sizes with alignments.
//! Out: disjoint ranges; freed ones coalesce. First fit from one end, so that equal call sequences
//!      give equal addresses.

use std::collections::BTreeMap;

/// The end from which ranges are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocateFrom {
    /// Lowest start first.
    Bottom,
    /// Highest start first.
    Top,
}

/// The free ranges, by start.
#[derive(Debug)]
pub struct RangeAllocator {
    free: BTreeMap<u64, u64>,
    from: AllocateFrom,
}

impl RangeAllocator {
    /// An allocator with all of `start..end` free.
    pub fn new(start: u64, end: u64, from: AllocateFrom) -> Self {
        let mut free = BTreeMap::new();
        if start < end {
            free.insert(start, end - start);
        }
        Self { free, from }
    }

    /// Allocates `length` numbers, the first a multiple of `align`, a power of two. Returns the
    /// first.
    pub fn allocate(&mut self, length: u64, align: u64) -> Option<u64> {
        if length == 0 || !align.is_power_of_two() {
            return None;
        }
        let fit = |(&start, &free): (&u64, &u64)| match self.from {
            AllocateFrom::Bottom => {
                let at = start.checked_next_multiple_of(align)?;
                (at.checked_add(length)? <= start + free).then_some((start, at))
            }
            AllocateFrom::Top => {
                let at = (start + free).checked_sub(length)? & !(align - 1);
                (at >= start).then_some((start, at))
            }
        };
        let (start, at) = match self.from {
            AllocateFrom::Bottom => self.free.iter().find_map(fit),
            AllocateFrom::Top => self.free.iter().rev().find_map(fit),
        }?;
        self.carve(start, at, length);
        Some(at)
    }

    /// Allocates `at..at + length`. Returns false, and changes nothing, unless all of it is free.
    pub fn allocate_at(&mut self, at: u64, length: u64) -> bool {
        let Some(end) = at.checked_add(length).filter(|_| length > 0) else {
            return false;
        };
        let Some((&start, &free)) = self.free.range(..=at).next_back() else {
            return false;
        };
        if end > start + free {
            return false;
        }
        self.carve(start, at, length);
        true
    }

    /// Removes `at..at + length` from the free range at `start`.
    fn carve(&mut self, start: u64, at: u64, length: u64) {
        let Some(free) = self.free.remove(&start) else {
            return;
        };
        if at > start {
            self.free.insert(start, at - start);
        }
        let remaining = start + free - (at + length);
        if remaining > 0 {
            self.free.insert(at + length, remaining);
        }
    }

    /// Frees a range returned by `allocate` or allocated by `allocate_at`.
    pub fn free(&mut self, at: u64, length: u64) {
        if length == 0 {
            return;
        }
        let (mut at, mut length) = (at, length);
        if let Some((&before, &free)) = self.free.range(..at).next_back() {
            debug_assert!(before + free <= at, "range {at:#x} freed twice");
            if before + free == at {
                self.free.remove(&before);
                at = before;
                length += free;
            }
        }
        if let Some(free) = self.free.remove(&(at + length)) {
            length += free;
        }
        self.free.insert(at, length);
    }

    /// The total length of the free ranges. For tests.
    pub fn free_length(&self) -> u64 {
        self.free.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_disjoint_and_coalesce() {
        for from in [AllocateFrom::Bottom, AllocateFrom::Top] {
            let mut range = RangeAllocator::new(3, 1003, from);
            let mut taken: Vec<(u64, u64)> = Vec::new();
            let mut seed = 7u64;
            for round in 0..2000 {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let draw = seed >> 33;
                if draw.is_multiple_of(3) && !taken.is_empty() {
                    let (at, length) = taken.swap_remove(draw as usize / 3 % taken.len());
                    range.free(at, length);
                } else {
                    let (length, align) = (draw % 40 + 1, 1 << (draw % 5));
                    if let Some(at) = range.allocate(length, align) {
                        assert_eq!(at % align, 0);
                        assert!(at >= 3 && at + length <= 1003, "round {round}");
                        for &(other, size) in &taken {
                            assert!(at + length <= other || other + size <= at);
                        }
                        taken.push((at, length));
                    }
                }
                let used: u64 = taken.iter().map(|piece| piece.1).sum();
                assert_eq!(range.free_length() + used, 1000);
            }
            for (at, length) in taken {
                range.free(at, length);
            }
            assert_eq!(range.allocate(1000, 1), Some(3));
        }
    }

    #[test]
    fn ranges_come_from_the_given_end() {
        let mut low = RangeAllocator::new(0, 100, AllocateFrom::Bottom);
        let mut high = RangeAllocator::new(0, 100, AllocateFrom::Top);
        assert_eq!(
            (low.allocate(10, 1), high.allocate(10, 1)),
            (Some(0), Some(90))
        );
        assert!(low.allocate_at(50, 10));
        assert!(!low.allocate_at(55, 1));
        assert_eq!(low.allocate(45, 1), None);
        assert_eq!(low.allocate(0, 1), None);
        assert_eq!(low.allocate(u64::MAX, 1), None);
    }
}
