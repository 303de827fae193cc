//! Notes: numbers that are kept of objects, by slot.
//!
//! In:  an object's address, a slot, a number. Out: the number. Whoever ends an object forgets its notes, so that one that is made where
//! another was begins with none; objects without notes cost nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By object and slot.
static NOTES: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());

fn notes() -> MutexGuard<'static, BTreeMap<(u64, u64), u64>> {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a number.
pub fn put(object: u64, slot: u64, data: u64) {
    notes().insert((object, slot), data);
}

/// The number; none: 0.
pub fn get(object: u64, slot: u64) -> u64 {
    notes().get(&(object, slot)).copied().unwrap_or(0)
}

/// The object ends.
#[cold]
pub fn forget(object: u64) {
    let mut notes = notes();
    let slots: Vec<_> = notes
        .range((object, 0)..=(object, u64::MAX))
        .map(|(key, _)| *key)
        .collect();
    for key in slots {
        notes.remove(&key);
    }
}

/// The slot ends.
pub fn forget_slot(slot: u64) {
    notes().retain(|key, _| key.1 != slot);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_end_with_their_object_or_slot() {
        let (object, other) = (1 << 60, 1 << 61);
        put(object, 1, 10);
        put(object, 2, 20);
        put(other, 1, 30);
        forget(object);
        assert_eq!([get(object, 1), get(object, 2), get(other, 1)], [0, 0, 30]);
        put(other, 2, 40);
        forget_slot(1);
        assert_eq!([get(other, 1), get(other, 2)], [0, 40]);
        forget(other);
    }
}
