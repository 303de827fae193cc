//! Typed ids, arenas, side maps and bit sets.
//!
//! An [`Arena`] owns items and hands out an [`Id`] for each; ids are never reused. Facts about
//! ids live in an [`IdMap`] or an [`IdSet`] beside the arena, not in fields of the items.
//! Everything iterates in id order, so the same input gives the same output.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Identifies one item of an `Arena<T>`.
pub struct Id<T>(u32, PhantomData<fn() -> T>);

impl<T> Id<T> {
    /// The id with this number. Valid only for an arena that has an item with that number.
    pub const fn new(index: usize) -> Self {
        Id(index as u32, PhantomData)
    }

    /// The number of this id: 0 for the first item pushed.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// An append-only store of `T`, indexed by [`Id<T>`].
#[derive(Clone, Debug)]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { items: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// An arena with no items.
    pub fn new() -> Self {
        Self::default()
    }

    /// An arena with no items and capacity for `count` of them.
    pub fn with_capacity(count: usize) -> Self {
        Arena {
            items: Vec::with_capacity(count),
        }
    }

    /// Adds an item and returns its id.
    pub fn push(&mut self, item: T) -> Id<T> {
        let id = Id::new(self.items.len());
        self.items.push(item);
        id
    }

    /// The id that the next [`Arena::push`] will return.
    pub fn next_id(&self) -> Id<T> {
        Id::new(self.items.len())
    }

    /// The number of items ever pushed.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if no item was ever pushed.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, or `None` if the arena has no item with this id.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator + use<T> {
        (0..self.items.len()).map(Id::new)
    }

    /// All items with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Id<T>, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(i, item)| (Id::new(i), item))
    }

    /// All items with their ids, in order, mutable.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Id<T>, &mut T)> {
        self.items
            .iter_mut()
            .enumerate()
            .map(|(i, item)| (Id::new(i), item))
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        &self.items[id.index()]
    }
}
impl<T> IndexMut<Id<T>> for Arena<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A value of type `V` for every id of an arena, `V::default()` until set.
#[derive(Clone, Debug)]
pub struct IdMap<T, V> {
    values: Vec<V>,
    default: V,
    marker: PhantomData<fn() -> T>,
}

impl<T, V: Clone + Default> Default for IdMap<T, V> {
    fn default() -> Self {
        Self::with_default(V::default())
    }
}

impl<T, V: Clone> IdMap<T, V> {
    /// A map in which every id has the value `default`.
    pub fn with_default(default: V) -> Self {
        IdMap {
            values: Vec::new(),
            default,
            marker: PhantomData,
        }
    }

    /// A map in which every id has the value `default`, with capacity for the ids of `arena`.
    pub fn for_arena(arena: &Arena<T>, default: V) -> Self {
        IdMap {
            values: vec![default.clone(); arena.len()],
            default,
            marker: PhantomData,
        }
    }

    /// Resets every id to the default value.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

impl<T, V: Clone> Index<Id<T>> for IdMap<T, V> {
    type Output = V;
    fn index(&self, id: Id<T>) -> &V {
        self.values.get(id.index()).unwrap_or(&self.default)
    }
}
impl<T, V: Clone> IndexMut<Id<T>> for IdMap<T, V> {
    fn index_mut(&mut self, id: Id<T>) -> &mut V {
        if id.index() >= self.values.len() {
            self.values.resize(id.index() + 1, self.default.clone());
        }
        &mut self.values[id.index()]
    }
}

/// A set of ids, as bits.
#[derive(Debug)]
pub struct IdSet<T> {
    words: Vec<u64>,
    marker: PhantomData<fn() -> T>,
}

impl<T> Clone for IdSet<T> {
    fn clone(&self) -> Self {
        IdSet {
            words: self.words.clone(),
            marker: PhantomData,
        }
    }
}
impl<T> Default for IdSet<T> {
    fn default() -> Self {
        IdSet {
            words: Vec::new(),
            marker: PhantomData,
        }
    }
}
impl<T> PartialEq for IdSet<T> {
    fn eq(&self, other: &Self) -> bool {
        let n = self.words.len().max(other.words.len());
        (0..n).all(|i| {
            self.words.get(i).copied().unwrap_or(0) == other.words.get(i).copied().unwrap_or(0)
        })
    }
}
impl<T> Eq for IdSet<T> {}

impl<T> IdSet<T> {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `id`; true if it was not in the set.
    pub fn insert(&mut self, id: Id<T>) -> bool {
        let (word, bit) = (id.index() / 64, id.index() % 64);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] >> bit & 1 == 0;
        self.words[word] |= 1 << bit;
        new
    }

    /// Removes `id`; true if it was in the set.
    pub fn remove(&mut self, id: Id<T>) -> bool {
        let (word, bit) = (id.index() / 64, id.index() % 64);
        let Some(w) = self.words.get_mut(word) else {
            return false;
        };
        let had = *w >> bit & 1 == 1;
        *w &= !(1 << bit);
        had
    }

    /// True if `id` is in the set.
    pub fn contains(&self, id: Id<T>) -> bool {
        self.words
            .get(id.index() / 64)
            .is_some_and(|w| w >> (id.index() % 64) & 1 == 1)
    }

    /// Adds all ids of `other`; true if the set grew.
    pub fn union_with(&mut self, other: &IdSet<T>) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grew = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            grew |= *b & !*a != 0;
            *a |= *b;
        }
        grew
    }

    /// Removes all ids of `other`.
    pub fn subtract(&mut self, other: &IdSet<T>) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= !*b;
        }
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The number of ids in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// True if no id is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// The ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = Id<T>> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| Id::new(i * 64 + w.trailing_zeros() as usize))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_a_set_are_ordered_and_counted() {
        let mut set = IdSet::<u8>::new();
        for i in [200, 3, 64, 3, 63] {
            set.insert(Id::new(i));
        }
        assert_eq!(
            set.iter().map(Id::index).collect::<Vec<_>>(),
            [3, 63, 64, 200]
        );
        assert_eq!(set.len(), 4);
        assert!(set.remove(Id::new(64)) && !set.remove(Id::new(64)));
        assert!(!set.contains(Id::new(64)) && set.contains(Id::new(200)));
    }

    #[test]
    fn unset_ids_map_to_the_default() {
        let mut map = IdMap::<u8, i32>::with_default(-1);
        map[Id::new(5)] = 7;
        assert_eq!(
            (map[Id::new(4)], map[Id::new(5)], map[Id::new(900)]),
            (-1, 7, -1)
        );
    }
}
