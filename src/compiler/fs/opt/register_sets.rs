//! Sets of registers for data-flow analyses.
//!
//! In:  small integers. Out: a set that is cheap to update, a set that is cheap to keep for every
//!      block, and disjoint sets.

use std::ops::Range;

/// A set as its words that are not zero, by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseSet(Vec<(u32, u64)>);

impl SparseSet {
    /// The number of elements.
    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|(_, bits)| bits.count_ones()).sum()
    }
}

/// A set with one bit for each possible element, which knows where it is not empty.
#[derive(Debug)]
pub(crate) struct LiveSet {
    bits: Vec<u64>,
    /// The words that may not be zero.
    touched: Vec<u32>,
}

impl LiveSet {
    /// An empty set of elements below `count`.
    pub(crate) fn new(count: usize) -> LiveSet {
        LiveSet {
            bits: vec![0; count.div_ceil(64)],
            touched: Vec::new(),
        }
    }

    /// The indices of the words that hold these elements.
    pub(crate) fn words_of(elements: &Range<u32>) -> Range<usize> {
        elements.start as usize / 64..(elements.end as usize).div_ceil(64)
    }

    /// Words of the set.
    pub(crate) fn words(&self, words: Range<usize>) -> &[u64] {
        self.bits.get(words).unwrap_or(&[])
    }

    /// Adds an element.
    pub(crate) fn insert(&mut self, element: u32) {
        self.insert_word(element / 64, 1 << (element % 64));
    }

    /// Removes an element.
    pub(crate) fn remove(&mut self, element: u32) {
        self.bits[element as usize / 64] &= !(1 << (element % 64));
    }

    /// Adds the elements of another set.
    pub(crate) fn insert_all(&mut self, other: &SparseSet) {
        for &(word, bits) in &other.0 {
            self.insert_word(word, bits);
        }
    }

    fn insert_word(&mut self, word: u32, bits: u64) {
        let to = &mut self.bits[word as usize];
        if *to == 0 {
            self.touched.push(word);
        }
        *to |= bits;
    }

    /// Removes all elements and returns them.
    pub(crate) fn remove_all(&mut self) -> SparseSet {
        let mut out = SparseSet::default();
        for word in self.touched.drain(..) {
            let bits = std::mem::take(&mut self.bits[word as usize]);
            if bits != 0 {
                out.0.push((word, bits));
            }
        }
        out
    }

    /// Removes all elements.
    pub(crate) fn clear(&mut self) {
        for word in self.touched.drain(..) {
            self.bits[word as usize] = 0;
        }
    }
}

/// Disjoint sets of numbers.
/// Ref: Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm" (1975).
#[derive(Debug)]
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// The numbers below `count`, each in a set of its own.
    pub(crate) fn new(count: usize) -> DisjointSets {
        DisjointSets((0..count as u32).collect())
    }

    /// The smallest number of the set that contains `n`.
    pub(crate) fn find(&mut self, mut n: u32) -> u32 {
        while self.0[n as usize] != n {
            let parent = self.0[n as usize];
            self.0[n as usize] = self.0[parent as usize];
            n = parent;
        }
        n
    }

    /// Joins the sets of two numbers.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
