//! The descriptor sets of a pool, and the memory of those that were freed.
//!
//! In:  sets made and freed, by one thread at a time. Out: handles. A freed set rests as it is, with its place in the pool: the next one
//!      of the same layout is made by waking it. Whoever wants another layout first gives back to the pool what rests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ash::vk as c;
use ash::vk::Handle;
use vk::descriptor::{Pool, Set, SetLayout};

use crate::handle::{self, Resting, Spare};

/// Behind `VkDescriptorSet`.
pub struct SetFace {
    /// The object.
    pub set: Set,
    /// Its place in its pool's list.
    place: AtomicU32,
}

/// The sets of a pool.
#[derive(Default)]
pub struct SetList {
    /// Handles (as numbers), each at its place.
    live: Vec<u64>,
    /// Sets that were freed, and have their place in the pool.
    resting: Vec<Resting<c::DescriptorSet>>,
    /// Memory of others that were freed.
    spare: Vec<Spare<c::DescriptorSet>>,
}

impl SetList {
    /// A set of a layout. `last_count` is the count of the last binding, where sets choose it.
    #[inline]
    pub fn allocate(
        &mut self,
        pool: &mut Pool,
        layout: &Arc<SetLayout>,
        last_count: u32,
    ) -> vk::Result<c::DescriptorSet> {
        let place = self.live.len() as u32;
        while let Some(resting) = self.resting.pop() {
            let face = resting.object();
            if face.set.is_of(layout) {
                face.place.store(place, Relaxed);
                let set = resting.wake();
                self.live.push(set.as_raw());
                return Ok(set);
            }
            face.set.free(pool);
            self.spare.push(resting.end());
        }
        let face = SetFace {
            set: Set::new(pool, layout, last_count)?,
            place: AtomicU32::new(place),
        };
        let set = match self.spare.pop() {
            Some(spare) => spare.fill(face),
            None => handle::make(face),
        };
        self.live.push(set.as_raw());
        Ok(set)
    }

    /// Frees a set.
    ///
    /// # Safety
    /// The set is a handle of ours, and nobody uses it any more.
    #[inline]
    pub unsafe fn free(&mut self, pool: &mut Pool, set: c::DescriptorSet) -> vk::Result<()> {
        // SAFETY: as the caller says; what is listed are live handles of ours.
        unsafe {
            let face = handle::get(set)?;
            let rests = face.set.is_as_new();
            let place = face.place.load(Relaxed) as usize;
            if self.live.get(place) != Some(&set.as_raw()) {
                return Err(vk::Error::InvalidUse {
                    why: "a descriptor set freed to a pool that is not its own",
                });
            }
            self.live.swap_remove(place);
            if let Some(&moved) = self.live.get(place) {
                let moved = handle::get(c::DescriptorSet::from_raw(moved))?;
                moved.place.store(place as u32, Relaxed);
            }
            if rests && let Some(resting) = handle::rest(set) {
                self.resting.push(resting);
                return Ok(());
            }
            handle::end(set, |face| face.set.free(pool), &mut self.spare);
        }
        Ok(())
    }

    /// Frees those that were made last.
    ///
    /// # Safety
    /// Nobody uses them.
    pub unsafe fn free_last(&mut self, pool: &mut Pool, count: usize) {
        for _ in 0..count {
            if let Some(&last) = self.live.last() {
                // SAFETY: as the caller says. It is in the list, so it is a live handle of ours, and can be freed.
                _ = unsafe { self.free(pool, c::DescriptorSet::from_raw(last)) };
            }
        }
    }

    /// Ends all sets of a pool that is reset or gone.
    ///
    /// # Safety
    /// Nobody uses them any more.
    pub unsafe fn clear(&mut self) {
        for set in self.live.drain(..) {
            // SAFETY: the set is in the list, so it is a live handle of ours.
            unsafe { handle::end(c::DescriptorSet::from_raw(set), |_| {}, &mut self.spare) };
        }
        let resting = self.resting.drain(..);
        self.spare.extend(resting.map(Resting::end));
    }
}
