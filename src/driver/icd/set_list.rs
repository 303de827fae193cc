//! The descriptor sets of a pool, and the memory of freed ones.
//!
//! In:  allocations and frees, from one thread at a time.
//! Out: handles. A freed set is retired: it keeps its contents and its range of the pool, and the
//!      next allocation of the same layout revives it. An allocation of another layout first
//!      returns the ranges of retired sets to the pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ash::vk as c;
use ash::vk::Handle;
use vk::descriptor::{DescriptorPool, DescriptorSet, SetLayout};

use crate::handle::{self, RetiredHandle, SpareMemory};

/// The object of a `VkDescriptorSet`.
pub struct DescriptorSetObject {
    /// The set of `vk`.
    pub set: DescriptorSet,
    /// Its index in the pool's list of live sets.
    index: AtomicU32,
}

/// The sets of a pool.
#[derive(Default)]
pub struct SetList {
    /// Handles (as numbers) of the allocated sets, each at its `index`.
    live: Vec<u64>,
    /// Freed sets that keep their range of the pool.
    retired: Vec<RetiredHandle<c::DescriptorSet>>,
    /// Memory of the handles of other freed sets.
    spare: Vec<SpareMemory<c::DescriptorSet>>,
}

impl SetList {
    /// Allocates a set. `last_count` is the descriptor count of the last binding if the layout
    /// makes it variable.
    #[inline]
    pub fn allocate(
        &mut self,
        pool: &mut DescriptorPool,
        layout: &Arc<SetLayout>,
        last_count: u32,
    ) -> vk::Result<c::DescriptorSet> {
        let index = self.live.len() as u32;
        while let Some(retired) = self.retired.pop() {
            let object = retired.object();
            if object.set.has_layout(layout) {
                object.index.store(index, Relaxed);
                let set = retired.revive();
                self.live.push(set.as_raw());
                return Ok(set);
            }
            object.set.free(pool);
            self.spare.push(retired.drop_object());
        }
        let object = DescriptorSetObject {
            set: DescriptorSet::new(pool, layout, last_count)?,
            index: AtomicU32::new(index),
        };
        let set = match self.spare.pop() {
            Some(spare) => spare.create(object),
            None => handle::create(object),
        };
        self.live.push(set.as_raw());
        Ok(set)
    }

    /// Frees a set.
    ///
    /// # Safety
    /// The set is null or a live handle of the driver, and is not used any more.
    #[inline]
    pub unsafe fn free(
        &mut self,
        pool: &mut DescriptorPool,
        set: c::DescriptorSet,
    ) -> vk::Result<()> {
        // SAFETY: as the caller says; the listed sets are live handles.
        unsafe {
            let object = handle::get(set)?;
            let reusable = object.set.is_reusable();
            let index = object.index.load(Relaxed) as usize;
            if self.live.get(index) != Some(&set.as_raw()) {
                return Err(vk::Error::InvalidUse {
                    why: "a descriptor set freed to a pool that is not its own",
                });
            }
            self.live.swap_remove(index);
            if let Some(&moved) = self.live.get(index) {
                let moved = handle::get(c::DescriptorSet::from_raw(moved))?;
                moved.index.store(index as u32, Relaxed);
            }
            if reusable && let Some(retired) = handle::retire(set) {
                self.retired.push(retired);
                return Ok(());
            }
            handle::destroy_into(set, |object| object.set.free(pool), &mut self.spare);
        }
        Ok(())
    }

    /// Frees the `count` sets that were allocated last.
    ///
    /// # Safety
    /// They are not used any more.
    pub unsafe fn free_last(&mut self, pool: &mut DescriptorPool, count: usize) {
        for _ in 0..count {
            if let Some(&last) = self.live.last() {
                // SAFETY: as the caller says. A listed set is a live handle, so it can be freed.
                _ = unsafe { self.free(pool, c::DescriptorSet::from_raw(last)) };
            }
        }
    }

    /// Destroys the handles of all sets of a pool that is reset or destroyed.
    ///
    /// # Safety
    /// They are not used any more.
    pub unsafe fn clear(&mut self) {
        for set in self.live.drain(..) {
            // SAFETY: a listed set is a live handle.
            unsafe {
                handle::destroy_into(c::DescriptorSet::from_raw(set), |_| {}, &mut self.spare)
            };
        }
        let retired = self.retired.drain(..);
        self.spare.extend(retired.map(RetiredHandle::drop_object));
    }
}
