//! Private data of objects: one number per object and slot.
//!
//! In:  an object's address, a slot, a number.
//! Out: the number. Destroying a handle removes its entries, so that an object created at the same
//!      address starts without data; objects without data cost nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The data, by object and slot.
static DATA: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, BTreeMap<(u64, u64), u64>> {
    DATA.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the number of an object in a slot.
pub fn set(object: u64, slot: u64, data: u64) {
    lock().insert((object, slot), data);
}

/// The number of an object in a slot; 0 if it was never set.
pub fn get(object: u64, slot: u64) -> u64 {
    lock().get(&(object, slot)).copied().unwrap_or(0)
}

/// Removes the data of an object that is being destroyed.
#[cold]
pub fn remove_object(object: u64) {
    let mut data = lock();
    let slots: Vec<_> = data
        .range((object, 0)..=(object, u64::MAX))
        .map(|(key, _)| *key)
        .collect();
    for key in slots {
        data.remove(&key);
    }
}

/// Removes the data in a slot that is being destroyed.
pub fn remove_slot(slot: u64) {
    lock().retain(|key, _| key.1 != slot);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_removed_with_its_object_or_slot() {
        let (object, other) = (1 << 60, 1 << 61);
        set(object, 1, 10);
        set(object, 2, 20);
        set(other, 1, 30);
        remove_object(object);
        assert_eq!([get(object, 1), get(object, 2), get(other, 1)], [0, 0, 30]);
        set(other, 2, 40);
        remove_slot(1);
        assert_eq!([get(other, 1), get(other, 2)], [0, 40]);
        remove_object(other);
    }
}
