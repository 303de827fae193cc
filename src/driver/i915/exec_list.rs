//! The execbuf object list. It contains all buffers, as any command may access any of them.
//!
//! In:  created and destroyed buffers. Out: the list, always in the form that the kernel takes, so
//!      that a submission neither copies nor sorts.

use uapi::ExecObject;
use uapi::i915::{
    EXEC_OBJECT_ASYNC, EXEC_OBJECT_CAPTURE, EXEC_OBJECT_PINNED, EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
    EXEC_OBJECT_WRITE,
};

use crate::address_space::canonical;
use crate::error::{Error, Result};

/// The owner of a buffer, which determines its execbuf flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The driver: batches, state, shaders. The kernel includes them in its error state after a
    /// hang.
    Driver,
    /// The application.
    Application,
    /// Shared with others that do not use Vulkan's semaphores: the kernel synchronises submissions
    /// with them implicitly.
    Shared,
}

impl Owner {
    fn flags(self) -> u64 {
        let always = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
        always
            | match self {
                Owner::Driver => EXEC_OBJECT_ASYNC | EXEC_OBJECT_CAPTURE,
                Owner::Application => EXEC_OBJECT_ASYNC,
                Owner::Shared => EXEC_OBJECT_WRITE,
            }
    }
}

/// The list, unordered, with an index by handle.
#[derive(Debug, Default)]
pub(crate) struct ExecList {
    objects: Vec<ExecObject>,
    /// By handle, which the kernel numbers from 1: 0 if the handle is not in the list, else its
    /// index in the list plus 1.
    indices: Vec<u32>,
}

impl ExecList {
    /// The index of a handle in the list.
    fn index(&self, handle: u32) -> Option<usize> {
        let index = self.indices.get(handle as usize).copied().unwrap_or(0);
        (index as usize).checked_sub(1)
    }

    fn set_index(&mut self, handle: u32, index: usize) {
        let slot = handle as usize;
        if self.indices.len() <= slot {
            self.indices.resize(slot + 1, 0);
        }
        if let Some(slot) = self.indices.get_mut(slot) {
            *slot = index as u32 + 1;
        }
    }

    /// Adds a buffer.
    pub(crate) fn add(&mut self, handle: u32, address: u64, owner: Owner) {
        self.set_index(handle, self.objects.len());
        self.objects.push(ExecObject {
            handle,
            address: canonical(address),
            flags: owner.flags(),
            ..ExecObject::default()
        });
    }

    /// Changes the owner of a buffer.
    pub(crate) fn set_owner(&mut self, handle: u32, owner: Owner) {
        let index = self.index(handle);
        if let Some(object) = index.and_then(|index| self.objects.get_mut(index)) {
            object.flags = owner.flags();
        }
    }

    /// Removes a buffer.
    pub(crate) fn remove(&mut self, handle: u32) {
        let Some(index) = self.index(handle) else {
            return;
        };
        self.objects.swap_remove(index);
        if let Some(moved) = self.objects.get(index).map(|object| object.handle) {
            self.set_index(moved, index);
        }
        if let Some(slot) = self.indices.get_mut(handle as usize) {
            *slot = 0;
        }
    }

    /// The list with the buffer of the batch first (EXEC_BATCH_FIRST).
    pub(crate) fn with_batch_first(&mut self, handle: u32) -> Result<&mut [ExecObject]> {
        let index = self.index(handle).ok_or(Error::Range { what: "a batch" })?;
        if index > 0 {
            self.objects.swap(0, index);
            self.set_index(handle, 0);
            if let Some(moved) = self.objects.get(index).map(|object| object.handle) {
                self.set_index(moved, index);
            }
        }
        Ok(&mut self.objects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_batch_is_first_and_no_buffer_is_lost() {
        let mut exec_list = ExecList::default();
        for handle in 1..=5 {
            exec_list.add(handle, u64::from(handle) << 12, Owner::Driver);
        }
        let handles = |list: &[ExecObject]| -> Vec<u32> {
            let mut handles: Vec<u32> = list.iter().map(|object| object.handle).collect();
            if let Some((_, rest)) = handles.split_first_mut() {
                rest.sort_unstable();
            }
            handles
        };
        assert_eq!(
            handles(exec_list.with_batch_first(4).unwrap()),
            [4, 1, 2, 3, 5]
        );
        exec_list.remove(4);
        exec_list.remove(4);
        exec_list.remove(2);
        assert_eq!(handles(exec_list.with_batch_first(5).unwrap()), [5, 1, 3]);
        assert_eq!(handles(exec_list.with_batch_first(1).unwrap()), [1, 3, 5]);
        exec_list.add(2, 0xffff_8000_0000, Owner::Application);
        let list = exec_list.with_batch_first(2).unwrap();
        assert_eq!(list[0].address, 0xffff_ffff_8000_0000);
        assert!(exec_list.with_batch_first(4).is_err());
        assert!(exec_list.with_batch_first(99).is_err());
    }

    #[test]
    fn only_shared_buffers_synchronise_implicitly() {
        let mut exec_list = ExecList::default();
        exec_list.add(1, 4096, Owner::Driver);
        exec_list.add(2, 8192, Owner::Application);
        exec_list.set_owner(2, Owner::Shared);
        let flags =
            |exec_list: &mut ExecList, handle| exec_list.with_batch_first(handle).unwrap()[0].flags;
        let (private, shared) = (flags(&mut exec_list, 1), flags(&mut exec_list, 2));
        assert_eq!(private & EXEC_OBJECT_WRITE, 0);
        assert_ne!(private & EXEC_OBJECT_CAPTURE, 0);
        assert_eq!(shared & (EXEC_OBJECT_ASYNC | EXEC_OBJECT_CAPTURE), 0);
        assert_ne!(shared & EXEC_OBJECT_WRITE, 0);
    }
}
