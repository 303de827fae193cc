//! Handles: boxes with a word for the loader and a word that tells their kind.
//!
//! The loader writes its dispatch table into the first word of dispatchable objects, and wants to find a magic number there
//! first (loader interface, "ICD_LOADER_MAGIC"). All other handles are such boxes too: one kind of box, one check.
//!
//! A box lies in memory of the application's allocator where it gives one, and is given back by the functions that it came from. What
//! an object keeps elsewhere, and what comes from a pool, is the process's.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ash::vk as c;
use ash::vk::Handle;

use crate::{notes, shelf};

const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// What a handle points to.
#[repr(C)]
struct Boxed<T> {
    /// The loader's.
    loader: UnsafeCell<usize>,
    kind: u32,
    /// [`LENT`], [`NOTED`].
    marks: AtomicU32,
    object: T,
}

/// Its memory is the application's.
const LENT: u32 = 1;

/// There are [`notes`] of it.
const NOTED: u32 = 2;

/// A type of handle: what is behind it.
pub trait Kind: Handle + Copy {
    /// The object.
    type Object: Send + Sync;
    /// Its name in messages.
    const WHAT: &'static str;
    /// Tells it from other kinds.
    const NUMBER: u32;
    /// How long it lives, as allocators are told.
    const SCOPE: c::SystemAllocationScope = match Self::NUMBER & 0xff {
        1 => c::SystemAllocationScope::INSTANCE,
        3 => c::SystemAllocationScope::DEVICE,
        _ => c::SystemAllocationScope::OBJECT,
    };
}

/// Makes a box at a place, member by member: a processor that reads in one piece what it has just written in several waits for it.
///
/// # Safety
/// `to` is aligned, has room for a box, and is nobody else's.
#[inline(always)]
unsafe fn put<H: Kind>(to: *mut Boxed<H::Object>, object: H::Object, marks: u32) -> H {
    // SAFETY: as the caller says.
    unsafe {
        (&raw mut (*to).loader).write(UnsafeCell::new(LOADER_MAGIC));
        (&raw mut (*to).kind).write(H::NUMBER);
        (&raw mut (*to).marks).write(AtomicU32::new(marks));
        (&raw mut (*to).object).write(object);
    }
    H::from_raw(to as u64)
}

/// A handle to a new object, in memory of the process.
#[inline]
pub fn make<H: Kind>(object: H::Object) -> H {
    Spare::<H>(shelf::take().unwrap_or_else(Box::new_uninit)).fill(object)
}

/// Before a box in memory that the application has lent: how to give it back.
#[repr(C)]
struct Lent {
    free: unsafe extern "system" fn(*mut c_void, *mut c_void),
    user: *mut c_void,
}

/// Bytes from the start of such memory to the box, and of all of it, and its alignment.
const fn lent_layout<T>() -> (usize, usize, usize) {
    let align = if align_of::<Boxed<T>>() > align_of::<Lent>() {
        align_of::<Boxed<T>>()
    } else {
        align_of::<Lent>()
    };
    let at = size_of::<Lent>().next_multiple_of(align);
    (at, at + size_of::<Boxed<T>>(), align)
}

/// A handle to a new object, in memory of the application's allocator, if it gives one.
///
/// # Safety
/// `allocator` is null, or points to functions that allocate as the specification says ("Host Memory").
#[inline]
pub unsafe fn make_in<H: Kind>(
    allocator: *const c::AllocationCallbacks<'_>,
    object: H::Object,
) -> vk::Result<H> {
    // SAFETY: as the caller says.
    match unsafe { allocator.as_ref() } {
        None => Ok(make(object)),
        // SAFETY: as the caller says.
        Some(allocator) => unsafe { lent(allocator, object) },
    }
}

/// # Safety
/// As [`make_in`].
#[cold]
unsafe fn lent<H: Kind>(
    allocator: &c::AllocationCallbacks<'_>,
    object: H::Object,
) -> vk::Result<H> {
    let (Some(allocate), Some(free)) = (allocator.pfn_allocation, allocator.pfn_free) else {
        return Ok(make(object));
    };
    let user = allocator.p_user_data;
    let (at, bytes, align) = lent_layout::<H::Object>();
    // SAFETY: as the caller says.
    let memory = unsafe { allocate(user, bytes, align, H::SCOPE) };
    if memory.is_null() {
        return Err(vk::Error::OutOfHostMemory { what: H::WHAT });
    }
    // SAFETY: `memory` has room for both, each aligned, and is nobody else's.
    unsafe {
        memory.cast::<Lent>().write(Lent { free, user });
        Ok(put(memory.byte_add(at).cast(), object, LENT))
    }
}

/// The object of a handle.
///
/// # Safety
/// `handle` is null or came from [`make`], and is not destroyed during `'a`. (A handle of another kind is noticed.)
#[inline]
pub unsafe fn get<'a, H: Kind>(handle: H) -> vk::Result<&'a H::Object> {
    // SAFETY: as the caller says.
    unsafe { known(handle) }.ok_or(vk::Error::BadHandle { what: H::WHAT })
}

/// As [`get`], for those who need not tell what is wrong.
///
/// # Safety
/// As [`get`].
#[inline]
pub unsafe fn known<'a, H: Kind>(handle: H) -> Option<&'a H::Object> {
    const { assert!(align_of::<usize>() == 8) };
    // Null, or no multiple of eight: in one test, as addresses are far below 2^61.
    if handle.as_raw().rotate_right(3).wrapping_sub(1) >> 61 != 0 {
        return None;
    }
    let boxed = handle.as_raw() as *const Boxed<H::Object>;
    // SAFETY: the handle is a box of ours; `kind` lies at one place in all of them, and says whether the type is right.
    unsafe { ((&raw const (*boxed).kind).read() == H::NUMBER).then(|| &(*boxed).object) }
}

/// Keeps a note of what a handle of any kind is of, as long as that lives.
///
/// # Safety
/// `handle` is null, or came from [`make`] and is not destroyed.
pub unsafe fn note(handle: u64, slot: u64, data: u64) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe { marks(handle)? }.fetch_or(NOTED, Relaxed);
    notes::put(handle, slot, data);
    Ok(())
}

/// The note of what a handle of any kind is of; none: 0.
///
/// # Safety
/// As [`note`].
pub unsafe fn noted(handle: u64, slot: u64) -> vk::Result<u64> {
    // SAFETY: as the caller says.
    match unsafe { marks(handle)? }.load(Relaxed) & NOTED {
        0 => Ok(0),
        _ => Ok(notes::get(handle, slot)),
    }
}

/// # Safety
/// As [`note`].
unsafe fn marks<'a>(handle: u64) -> vk::Result<&'a AtomicU32> {
    if handle == 0 || !handle.is_multiple_of(8) {
        return Err(vk::Error::BadHandle { what: "an object" });
    }
    let boxed = handle as *const Boxed<()>;
    // SAFETY: the handle is a box of ours; the marks lie at one place in all of them.
    Ok(unsafe { &(*boxed).marks })
}

/// Ends a box's being a handle, and its notes; whether its memory is the application's.
///
/// # Safety
/// The box is live, and nobody else uses it.
#[inline(always)]
unsafe fn close<T>(boxed: *mut Boxed<T>) -> bool {
    // In one word, as the allocator reads it when it gets the memory back (see [`put`]).
    const { assert!(std::mem::offset_of!(Boxed<T>, kind) == 8) };
    const { assert!(std::mem::offset_of!(Boxed<T>, marks) == 12) };
    // SAFETY: as the caller says; the kind and the marks are the eight aligned bytes of a word.
    let marks = unsafe {
        let marks = *(*boxed).marks.get_mut();
        (&raw mut (*boxed).kind).cast::<u64>().write(0);
        marks
    };
    if marks & NOTED != 0 {
        notes::forget(boxed as u64);
    }
    marks & LENT != 0
}

/// The object of a handle, to change.
///
/// # Safety
/// As [`get`]; nobody else uses the handle during `'a`, as is the rule for objects that Vulkan calls externally synchronised.
#[inline]
pub unsafe fn get_mut<'a, H: Kind>(handle: H) -> vk::Result<&'a mut H::Object> {
    // SAFETY: as the caller says; the kind is checked before a reference to the object is made.
    unsafe {
        get(handle)?;
        let boxed = handle.as_raw() as *mut Boxed<H::Object>;
        Ok(&mut (*boxed).object)
    }
}

/// The object of a handle that may be null.
///
/// # Safety
/// As [`get`].
pub unsafe fn optional<'a, H: Kind>(handle: H) -> vk::Result<Option<&'a H::Object>> {
    if handle.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    unsafe { get(handle) }.map(Some)
}

/// Takes the object back and ends the handle; null is nothing.
///
/// # Safety
/// As [`get`]; nobody uses the handle during or after the call.
pub unsafe fn take<H: Kind>(handle: H) -> Option<H::Object> {
    // SAFETY: as the caller says; the kind is checked before the box is taken.
    unsafe {
        known(handle)?;
        let boxed = handle.as_raw() as *mut Boxed<H::Object>;
        let lent = close(boxed);
        let object = (&raw const (*boxed).object).read();
        free(boxed, lent);
        Some(object)
    }
}

/// Ends a handle and drops the object where it lies; null is nothing. (To take it out first would read in one piece what may have been
/// written in several a moment ago, see [`put`].)
///
/// # Safety
/// As [`take`].
#[inline]
pub unsafe fn destroy<H: Kind>(handle: H) {
    // SAFETY: as the caller says; the kind is checked before the box is taken.
    unsafe {
        if known(handle).is_some() {
            let boxed = handle.as_raw() as *mut Boxed<H::Object>;
            let lent = close(boxed);
            (&raw mut (*boxed).object).drop_in_place();
            free(boxed, lent);
        }
    }
}

/// Gives the memory of a box back to where it came from.
///
/// # Safety
/// The box is nobody's any more, and what was in it is gone; `lent` is what [`close`] has said.
#[inline(always)]
unsafe fn free<T>(boxed: *mut Boxed<T>, lent: bool) {
    // SAFETY: as the caller says: of the process's memory it is a box of this type, and before the application's stands whose it is.
    unsafe {
        if !lent {
            shelf::put(Box::from_raw(boxed.cast::<MaybeUninit<Boxed<T>>>()));
            return;
        }
        let memory = boxed.byte_sub(lent_layout::<T>().0);
        let Lent { free, user } = memory.cast::<Lent>().read();
        free(user, memory.cast());
    }
}

/// Memory of a handle that has ended, for another of its kind.
pub struct Spare<H: Kind>(Box<MaybeUninit<Boxed<H::Object>>>);

// SAFETY: nothing can be done with a reference to it: whoever fills it owns it.
unsafe impl<H: Kind> Sync for Spare<H> {}
// SAFETY: as above.
unsafe impl<H: Kind> Send for Spare<H> {}

impl<H: Kind> Spare<H> {
    /// A handle to a new object.
    #[inline]
    pub fn fill(self, object: H::Object) -> H {
        let boxed = Box::into_raw(self.0).cast();
        // SAFETY: memory of such a box, which is the handle's from here on.
        unsafe { put(boxed, object, 0) }
    }
}

/// A handle that has ended while its object stays as it is, in memory of the process: it may become a handle again.
pub struct Resting<H: Kind>(Box<Boxed<H::Object>>);

// SAFETY: a reference to it gives one to the object, which is `Sync`; the loader's word is written by whoever owns it.
unsafe impl<H: Kind> Sync for Resting<H> {}

impl<H: Kind> Resting<H> {
    /// The object.
    #[inline]
    pub fn object(&self) -> &H::Object {
        &self.0.object
    }

    /// A handle again.
    #[inline]
    pub fn wake(mut self) -> H {
        *self.0.loader.get_mut() = LOADER_MAGIC;
        self.0.kind = H::NUMBER;
        *self.0.marks.get_mut() = 0;
        H::from_raw(Box::into_raw(self.0) as u64)
    }

    /// Drops the object where it lies; its memory.
    pub fn end(self) -> Spare<H> {
        let boxed = Box::into_raw(self.0);
        // SAFETY: the box was ours alone, and what was in it is not used again.
        unsafe {
            (&raw mut (*boxed).object).drop_in_place();
            Spare(Box::from_raw(boxed.cast()))
        }
    }
}

/// Ends a handle and keeps its object as it is. None: the handle is of another kind, or in memory of the application, and has not ended.
///
/// # Safety
/// As [`take`].
#[inline]
pub unsafe fn rest<H: Kind>(handle: H) -> Option<Resting<H>> {
    // SAFETY: as the caller says; the kind is checked before the box is taken.
    unsafe {
        known(handle)?;
        let boxed = handle.as_raw() as *mut Boxed<H::Object>;
        if *(*boxed).marks.get_mut() & LENT != 0 {
            return None;
        }
        close(boxed);
        Some(Resting(Box::from_raw(boxed)))
    }
}

/// Ends a handle whose object is dropped where it lies, after somebody has had a last look; the memory, if it is the process's. False:
/// the handle is of another kind.
///
/// # Safety
/// As [`take`].
#[inline]
pub unsafe fn end<H: Kind>(
    handle: H,
    last: impl FnOnce(&mut H::Object),
    spare: &mut Vec<Spare<H>>,
) -> bool {
    // SAFETY: as the caller says; the kind is checked before the box is taken, and what was in it is not used again.
    unsafe {
        if known(handle).is_none() {
            return false;
        }
        let boxed = handle.as_raw() as *mut Boxed<H::Object>;
        let lent = close(boxed);
        last(&mut (*boxed).object);
        (&raw mut (*boxed).object).drop_in_place();
        match lent {
            true => free(boxed, lent),
            false => spare.push(Spare(Box::from_raw(boxed.cast()))),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn handles_know_their_kind() {
        let module = vk::shader::Module::new(&[0x0723_0203]).unwrap();
        let handle: c::ShaderModule = make(Arc::new(module));
        // SAFETY: the handle is live until `take`.
        unsafe {
            assert_eq!((handle.as_raw() as *const usize).read(), LOADER_MAGIC);
            assert!(get(handle).is_ok());
            assert!(get(c::Buffer::from_raw(handle.as_raw())).is_err());
            assert!(get(c::ShaderModule::null()).is_err());
            assert!(optional(c::ShaderModule::null()).unwrap().is_none());
            assert!(take(c::Buffer::from_raw(handle.as_raw())).is_none());
            assert_eq!(take(handle).unwrap().words.len(), 1);
        }
    }

    #[test]
    fn memory_of_handles_serves_again() {
        let module = || Arc::new(vk::shader::Module::new(&[0x0723_0203]).unwrap());
        let first: c::ShaderModule = make(module());
        // SAFETY: each handle is live until it is ended, and nothing uses it then.
        unsafe {
            note(first.as_raw(), 5, 17).unwrap();
            assert_eq!(noted(first.as_raw(), 5).unwrap(), 17);
            assert_eq!(noted(first.as_raw(), 6).unwrap(), 0);
            let mut spare = Vec::new();
            assert!(end(
                first,
                |object| assert_eq!(Arc::strong_count(object), 1),
                &mut spare
            ));
            let second = spare.pop().unwrap().fill(module());
            assert_eq!(noted(second.as_raw(), 5).unwrap(), 0);
            assert_eq!(get(second).unwrap().words.len(), 1);
            assert!(take(second).is_some());
        }
    }
}
