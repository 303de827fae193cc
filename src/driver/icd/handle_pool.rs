//! Per-thread free lists for the memory of handles.
//!
//! In:  blocks of the process's allocator that destroyed handles occupied.
//! Out: the same blocks, for new handles of the same size.
//!
//! Applications create and destroy small objects by the thousand, and most of the cost of a buffer
//! is the allocator's. A thread keeps up to [`MAX_FREE_BLOCKS`] blocks of each size and returns the
//! rest to the allocator; when the thread ends, it returns all of them. There are no locks: a
//! thread reuses only the blocks that it freed itself. (A library with thread-local destructors
//! stays loaded until they have run, even after `dlclose`.)

use std::alloc::{Layout, dealloc};
use std::cell::Cell;
use std::ptr::null_mut;

/// Maximum number of blocks of one size in a thread's free list.
const MAX_FREE_BLOCKS: u32 = 16;

/// Size of the largest pooled block.
const MAX_BYTES: usize = 512;

/// Alignment of every block, and the difference between two size classes.
const GRANULE_BYTES: usize = 8;

/// Contents of a block in a free list.
///
/// `kind` overlays the kind of the destroyed handle and stays 0, so that a use after destruction is
/// still detected as a bad handle.
#[repr(C)]
struct FreeBlock {
    next: *mut FreeBlock,
    kind: u32,
    /// Number of blocks in the list from this one on.
    length: u32,
}

/// The heads of a thread's free lists, indexed by size class.
struct FreeLists([Cell<*mut FreeBlock>; MAX_BYTES / GRANULE_BYTES + 1]);

thread_local! {
    static FREE_LISTS: FreeLists =
        const { FreeLists([const { Cell::new(null_mut()) }; MAX_BYTES / GRANULE_BYTES + 1]) };
}

/// The size class of a layout, or none if blocks of that layout are not pooled.
const fn size_class(layout: Layout) -> Option<usize> {
    let fits = layout.size() <= MAX_BYTES && layout.size() >= size_of::<FreeBlock>();
    match fits && layout.align() == GRANULE_BYTES {
        true => Some(layout.size() / GRANULE_BYTES),
        false => None,
    }
}

/// Takes a block for a `T` from this thread's free list, if it has one.
#[inline]
pub fn allocate<T>() -> Option<Box<std::mem::MaybeUninit<T>>> {
    let class = const { size_class(Layout::new::<T>()) }?;
    FREE_LISTS
        .try_with(|lists| {
            let head = lists.0[class].get();
            if head.is_null() {
                return None;
            }
            // SAFETY: a block in this list was a box of this layout, and the list is its only
            // owner.
            unsafe {
                lists.0[class].set((*head).next);
                Some(Box::from_raw(head.cast()))
            }
        })
        .ok()
        .flatten()
}

/// Adds a block to this thread's free list, or returns it to the process's allocator if the list is
/// full or blocks of this size are not pooled.
#[inline]
pub fn release<T>(memory: Box<std::mem::MaybeUninit<T>>) {
    let Some(class) = (const { size_class(Layout::new::<T>()) }) else {
        return;
    };
    // While a thread ends its lists are gone, and the box is freed.
    let _ = FREE_LISTS.try_with(|lists| {
        let next = lists.0[class].get();
        // SAFETY: every pointer in a list is null or points to a `FreeBlock`.
        let length = unsafe { next.as_ref() }.map_or(0, |block| block.length);
        if length < MAX_FREE_BLOCKS {
            let block = Box::into_raw(memory).cast::<FreeBlock>();
            // SAFETY: the memory is owned, and large and aligned enough (`size_class`).
            unsafe {
                block.write(FreeBlock {
                    next,
                    kind: 0,
                    length: length + 1,
                });
            }
            lists.0[class].set(block);
        }
    });
}

impl Drop for FreeLists {
    fn drop(&mut self) {
        for (class, head) in self.0.iter().enumerate() {
            while !head.get().is_null() {
                let block = head.get();
                // SAFETY: each block was a box of the layout of its size class.
                unsafe {
                    head.set((*block).next);
                    dealloc(
                        block.cast(),
                        Layout::from_size_align_unchecked(class * GRANULE_BYTES, GRANULE_BYTES),
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Object = [u64; 4];

    #[test]
    fn blocks_are_reused_by_the_thread_that_freed_them() {
        let memory = Box::<Object>::new_uninit();
        let address = memory.as_ptr().addr();
        release(memory);
        assert!(allocate::<[u64; 5]>().is_none());
        assert!(
            std::thread::spawn(|| allocate::<Object>().is_none())
                .join()
                .unwrap()
        );
        let memory = allocate::<Object>().unwrap();
        assert_eq!(memory.as_ptr().addr(), address);
        assert!(allocate::<Object>().is_none());
    }

    #[test]
    fn free_lists_have_a_maximum_length() {
        for _ in 0..MAX_FREE_BLOCKS + 5 {
            release(Box::<[u64; 7]>::new_uninit());
        }
        let pooled = std::iter::from_fn(allocate::<[u64; 7]>).count();
        assert_eq!(pooled, MAX_FREE_BLOCKS as usize);
    }

    #[test]
    fn blocks_without_a_size_class_are_not_pooled() {
        release(Box::<u64>::new_uninit());
        release(Box::<[u64; 65]>::new_uninit());
        release(Box::<[u32; 8]>::new_uninit());
        assert!(allocate::<u64>().is_none() && allocate::<[u64; 65]>().is_none());
        assert!(allocate::<[u32; 8]>().is_none());
    }
}
