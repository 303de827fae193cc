//! What every submission lists: all buffers, as any command may reach any of them.
//!
//! In:  buffers as they come and go. Out: the list, always ready for the kernel: a submission copies and sorts nothing.

use uapi::ExecObject;
use uapi::i915::{
    EXEC_OBJECT_ASYNC, EXEC_OBJECT_CAPTURE, EXEC_OBJECT_PINNED, EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
    EXEC_OBJECT_WRITE,
};

use crate::error::{Error, Result};
use crate::zone::canonical;

/// Whose a buffer is, which decides what the kernel does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// The driver's own: batches, state, shaders. Part of the kernel's report on a hang.
    Driver,
    /// The application's.
    Application,
    /// A dma-buf that others use without Vulkan's semaphores: a submission waits for them, and they for it.
    Shared,
}

impl Use {
    fn flags(self) -> u64 {
        let always = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
        always
            | match self {
                Use::Driver => EXEC_OBJECT_ASYNC | EXEC_OBJECT_CAPTURE,
                Use::Application => EXEC_OBJECT_ASYNC,
                Use::Shared => EXEC_OBJECT_WRITE,
            }
    }
}

/// The list, in no order, and where in it each handle is.
#[derive(Debug, Default)]
pub(crate) struct Residents {
    objects: Vec<ExecObject>,
    /// By handle, which the kernel numbers from 1; 0 for none, else the index in the list and one.
    places: Vec<u32>,
}

impl Residents {
    fn place(&self, handle: u32) -> Option<usize> {
        let place = self.places.get(handle as usize).copied().unwrap_or(0);
        (place as usize).checked_sub(1)
    }

    fn set_place(&mut self, handle: u32, place: usize) {
        let index = handle as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, 0);
        }
        if let Some(slot) = self.places.get_mut(index) {
            *slot = place as u32 + 1;
        }
    }

    /// A buffer comes.
    pub(crate) fn add(&mut self, handle: u32, address: u64, purpose: Use) {
        self.set_place(handle, self.objects.len());
        self.objects.push(ExecObject {
            handle,
            address: canonical(address),
            flags: purpose.flags(),
            ..ExecObject::default()
        });
    }

    /// What a buffer is for has changed.
    pub(crate) fn change(&mut self, handle: u32, purpose: Use) {
        let place = self.place(handle);
        if let Some(object) = place.and_then(|place| self.objects.get_mut(place)) {
            object.flags = purpose.flags();
        }
    }

    /// A buffer goes.
    pub(crate) fn remove(&mut self, handle: u32) {
        let Some(place) = self.place(handle) else {
            return;
        };
        self.objects.swap_remove(place);
        if let Some(moved) = self.objects.get(place).map(|object| object.handle) {
            self.set_place(moved, place);
        }
        if let Some(slot) = self.places.get_mut(handle as usize) {
            *slot = 0;
        }
    }

    /// The list with one buffer in front: that of the batch.
    pub(crate) fn led_by(&mut self, handle: u32) -> Result<&mut [ExecObject]> {
        let place = self.place(handle).ok_or(Error::Range { what: "a batch" })?;
        if place > 0 {
            self.objects.swap(0, place);
            self.set_place(handle, 0);
            if let Some(moved) = self.objects.get(place).map(|object| object.handle) {
                self.set_place(moved, place);
            }
        }
        Ok(&mut self.objects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_batch_leads_and_nobody_is_lost() {
        let mut residents = Residents::default();
        for handle in 1..=5 {
            residents.add(handle, u64::from(handle) << 12, Use::Driver);
        }
        let handles = |list: &[ExecObject]| -> Vec<u32> {
            let mut handles: Vec<u32> = list.iter().map(|object| object.handle).collect();
            if let Some((_, rest)) = handles.split_first_mut() {
                rest.sort_unstable();
            }
            handles
        };
        assert_eq!(handles(residents.led_by(4).unwrap()), [4, 1, 2, 3, 5]);
        residents.remove(4);
        residents.remove(4);
        residents.remove(2);
        assert_eq!(handles(residents.led_by(5).unwrap()), [5, 1, 3]);
        assert_eq!(handles(residents.led_by(1).unwrap()), [1, 3, 5]);
        residents.add(2, 0xffff_8000_0000, Use::Application);
        let list = residents.led_by(2).unwrap();
        assert_eq!(list[0].address, 0xffff_ffff_8000_0000);
        assert!(residents.led_by(4).is_err());
        assert!(residents.led_by(99).is_err());
    }

    #[test]
    fn only_what_others_write_too_is_waited_for() {
        let mut residents = Residents::default();
        residents.add(1, 4096, Use::Driver);
        residents.add(2, 8192, Use::Application);
        residents.change(2, Use::Shared);
        let flags = |residents: &mut Residents, handle| residents.led_by(handle).unwrap()[0].flags;
        let (own, shared) = (flags(&mut residents, 1), flags(&mut residents, 2));
        assert_eq!(own & EXEC_OBJECT_WRITE, 0);
        assert_ne!(own & EXEC_OBJECT_CAPTURE, 0);
        assert_eq!(shared & (EXEC_OBJECT_ASYNC | EXEC_OBJECT_CAPTURE), 0);
        assert_ne!(shared & EXEC_OBJECT_WRITE, 0);
    }
}
