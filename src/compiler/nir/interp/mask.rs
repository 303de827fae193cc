//! Sets of invocations.

/// A set of invocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask(Vec<u64>);

impl Mask {
    pub(super) fn none(n: usize) -> Mask {
        Mask(vec![0; n.div_ceil(64)])
    }
    pub(super) fn all(n: usize) -> Mask {
        let mut m = Mask::none(n);
        (0..n).for_each(|i| m.insert(i));
        m
    }
    pub(super) fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    pub(super) fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }
    pub(super) fn union_with(&mut self, other: &Mask) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
    pub(super) fn without(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }
    pub(super) fn lanes(&self) -> Vec<usize> {
        (0..self.0.len() * 64)
            .filter(|i| self.contains(*i))
            .collect()
    }
}
