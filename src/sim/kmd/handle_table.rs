//! A table of objects by handle. Like the kernel's: the lowest free handle is allocated first, and
//! 0 is never one.

use uapi::{Errno, Result};

#[derive(Debug)]
pub(crate) struct HandleTable<T> {
    slots: Vec<Option<T>>,
    /// No slot below this one is free.
    free_from: usize,
}

impl<T> Default for HandleTable<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free_from: 0,
        }
    }
}

impl<T> HandleTable<T> {
    pub(crate) fn insert(&mut self, item: T) -> Result<u32> {
        let used = self
            .slots
            .iter()
            .skip(self.free_from)
            .take_while(|slot| slot.is_some())
            .count();
        let index = self.free_from + used;
        let handle = u32::try_from(index + 1).map_err(|_| Errno::ENOSPC)?;
        match self.slots.get_mut(index) {
            Some(slot) => *slot = Some(item),
            None => self.slots.push(Some(item)),
        }
        self.free_from = index + 1;
        Ok(handle)
    }

    fn index(handle: u32) -> Option<usize> {
        (handle as usize).checked_sub(1)
    }

    pub(crate) fn get(&self, handle: u32) -> Option<&T> {
        self.slots.get(Self::index(handle)?)?.as_ref()
    }

    pub(crate) fn remove(&mut self, handle: u32) -> Option<T> {
        let index = Self::index(handle)?;
        let item = self.slots.get_mut(index)?.take()?;
        self.free_from = self.free_from.min(index);
        Some(item)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }
}
