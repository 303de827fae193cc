//! Hands out pieces of a range of numbers: GPU addresses, bytes of a pool, bytes of a heap.
//!
//! In:  a range, then sizes with alignments.
//! Out: disjoint pieces; freed ones coalesce. First fit, from either end, so equal histories give equal
//!      addresses.

use std::collections::BTreeMap;

/// Which end pieces are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Lowest start first.
    Bottom,
    /// Highest start first.
    Top,
}

/// Free pieces of one range, by start.
#[derive(Debug)]
pub struct RangeAllocator {
    free: BTreeMap<u64, u64>,
    from: From,
}

impl RangeAllocator {
    /// All of `start..end` free.
    pub fn new(start: u64, end: u64, from: From) -> Self {
        let mut free = BTreeMap::new();
        if start < end {
            free.insert(start, end - start);
        }
        Self { free, from }
    }

    /// Takes `length` numbers whose first is a multiple of `align`, a power of two.
    pub fn take(&mut self, length: u64, align: u64) -> Option<u64> {
        if length == 0 || !align.is_power_of_two() {
            return None;
        }
        let fit = |(&start, &free): (&u64, &u64)| match self.from {
            From::Bottom => {
                let at = start.checked_next_multiple_of(align)?;
                (at.checked_add(length)? <= start + free).then_some((start, at))
            }
            From::Top => {
                let at = (start + free).checked_sub(length)? & !(align - 1);
                (at >= start).then_some((start, at))
            }
        };
        let (start, at) = match self.from {
            From::Bottom => self.free.iter().find_map(fit),
            From::Top => self.free.iter().rev().find_map(fit),
        }?;
        self.carve(start, at, length);
        Some(at)
    }

    /// Takes exactly `at..at + length`, if all of it is free.
    pub fn take_at(&mut self, at: u64, length: u64) -> bool {
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

    fn carve(&mut self, start: u64, at: u64, length: u64) {
        let Some(free) = self.free.remove(&start) else {
            return;
        };
        if at > start {
            self.free.insert(start, at - start);
        }
        let rest = start + free - (at + length);
        if rest > 0 {
            self.free.insert(at + length, rest);
        }
    }

    /// Gives back a piece that `take` or `take_at` gave.
    pub fn give(&mut self, at: u64, length: u64) {
        if length == 0 {
            return;
        }
        let (mut at, mut length) = (at, length);
        if let Some((&before, &free)) = self.free.range(..at).next_back() {
            debug_assert!(before + free <= at, "piece {at:#x} freed twice");
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

    /// Numbers that are free, in all pieces together.
    pub fn free(&self) -> u64 {
        self.free.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_disjoint_and_coalesce() {
        for from in [From::Bottom, From::Top] {
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
                    range.give(at, length);
                } else {
                    let (length, align) = (draw % 40 + 1, 1 << (draw % 5));
                    if let Some(at) = range.take(length, align) {
                        assert_eq!(at % align, 0);
                        assert!(at >= 3 && at + length <= 1003, "round {round}");
                        for &(other, size) in &taken {
                            assert!(at + length <= other || other + size <= at);
                        }
                        taken.push((at, length));
                    }
                }
                let used: u64 = taken.iter().map(|piece| piece.1).sum();
                assert_eq!(range.free() + used, 1000);
            }
            for (at, length) in taken {
                range.give(at, length);
            }
            assert_eq!(range.take(1000, 1), Some(3));
        }
    }

    #[test]
    fn ends_are_kept() {
        let mut low = RangeAllocator::new(0, 100, From::Bottom);
        let mut high = RangeAllocator::new(0, 100, From::Top);
        assert_eq!((low.take(10, 1), high.take(10, 1)), (Some(0), Some(90)));
        assert!(low.take_at(50, 10));
        assert!(!low.take_at(55, 1));
        assert_eq!(low.take(45, 1), None);
        assert_eq!(low.take(0, 1), None);
        assert_eq!(low.take(u64::MAX, 1), None);
    }
}
