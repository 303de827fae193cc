//! Shelves: memory of handles that have ended, kept by each thread for its next ones.
//!
//! In:  memory of the process's allocator, of one size. Out: the same memory, for another object of that size.
//!
//! Applications make and destroy small objects by the thousand, and most of what a buffer costs is the allocator's. A thread keeps
//! [`DEEP`] pieces of each size and gives the rest back; when it ends, all of them. Nothing is locked: what one thread ends, that thread
//! makes again. (A library with something to do when a thread ends stays loaded until then, whoever closes it.)

use std::alloc::{Layout, dealloc};
use std::cell::Cell;
use std::ptr::null_mut;

/// Pieces of one size that a thread keeps at most.
const DEEP: u32 = 16;

/// Bytes of the largest piece that is kept.
const MAX_BYTES: usize = 512;

/// Alignment of every piece, and the step between sizes.
const STEP: usize = 8;

/// What stands in a piece on its shelf. The word between is 0 in whatever ended there, and stays so: a handle that is used after its end
/// is of no kind.
#[repr(C)]
struct Piece {
    below: *mut Piece,
    kind: u32,
    /// Pieces on the shelf, up to here.
    height: u32,
}

/// A thread's shelves, by size: the piece on top of each.
struct Shelves([Cell<*mut Piece>; MAX_BYTES / STEP + 1]);

thread_local! {
    static SHELVES: Shelves = const { Shelves([const { Cell::new(null_mut()) }; MAX_BYTES / STEP + 1]) };
}

/// The shelf for memory of this layout, if there is one.
const fn shelf(layout: Layout) -> Option<usize> {
    let fits = layout.size() <= MAX_BYTES && layout.size() >= size_of::<Piece>();
    match fits && layout.align() == STEP {
        true => Some(layout.size() / STEP),
        false => None,
    }
}

/// Memory for a `T` from this thread's shelf, as the process's allocator gave it.
#[inline]
pub fn take<T>() -> Option<Box<std::mem::MaybeUninit<T>>> {
    let index = const { shelf(Layout::new::<T>()) }?;
    SHELVES
        .try_with(|shelves| {
            let top = shelves.0[index].get();
            if top.is_null() {
                return None;
            }
            // SAFETY: what stands on this shelf was a box of this layout, and is nobody's since.
            unsafe {
                shelves.0[index].set((*top).below);
                Some(Box::from_raw(top.cast()))
            }
        })
        .ok()
        .flatten()
}

/// Puts memory on this thread's shelf, or gives it back to the process's allocator.
#[inline]
pub fn put<T>(memory: Box<std::mem::MaybeUninit<T>>) {
    let Some(index) = (const { shelf(Layout::new::<T>()) }) else {
        return;
    };
    // A thread that is ending keeps nothing: the memory goes where a box goes.
    let _ = SHELVES.try_with(|shelves| {
        let below = shelves.0[index].get();
        // SAFETY: what stands on a shelf is a piece.
        let height = unsafe { below.as_ref() }.map_or(0, |piece| piece.height);
        if height < DEEP {
            let piece = Box::into_raw(memory).cast::<Piece>();
            // SAFETY: the memory is ours, and large and aligned enough (`shelf`).
            unsafe {
                piece.write(Piece {
                    below,
                    kind: 0,
                    height: height + 1,
                });
            }
            shelves.0[index].set(piece);
        }
    });
}

impl Drop for Shelves {
    fn drop(&mut self) {
        for (index, top) in self.0.iter().enumerate() {
            while !top.get().is_null() {
                let piece = top.get();
                // SAFETY: each piece was a box of the layout that its shelf is for.
                unsafe {
                    top.set((*piece).below);
                    dealloc(
                        piece.cast(),
                        Layout::from_size_align_unchecked(index * STEP, STEP),
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
    fn memory_comes_back_in_the_thread_that_gave_it() {
        let memory = Box::<Object>::new_uninit();
        let address = memory.as_ptr().addr();
        put(memory);
        assert!(take::<[u64; 5]>().is_none());
        assert!(
            std::thread::spawn(|| take::<Object>().is_none())
                .join()
                .unwrap()
        );
        let memory = take::<Object>().unwrap();
        assert_eq!(memory.as_ptr().addr(), address);
        assert!(take::<Object>().is_none());
    }

    #[test]
    fn a_shelf_is_so_deep() {
        for _ in 0..DEEP + 5 {
            put(Box::<[u64; 7]>::new_uninit());
        }
        let kept = std::iter::from_fn(take::<[u64; 7]>).count();
        assert_eq!(kept, DEEP as usize);
    }

    #[test]
    fn what_has_no_shelf_is_given_back() {
        put(Box::<u64>::new_uninit());
        put(Box::<[u64; 65]>::new_uninit());
        put(Box::<[u32; 8]>::new_uninit());
        assert!(take::<u64>().is_none() && take::<[u64; 65]>().is_none());
        assert!(take::<[u32; 8]>().is_none());
    }
}
