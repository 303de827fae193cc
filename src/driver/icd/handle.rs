//! Handles: pointers to boxes with a word for the loader and a word that identifies the handle
//! type.
//!
//! In:  objects. Out: Vulkan handles, and the objects again, with the handle's type checked.
//!
//! The loader writes its dispatch table into the first word of dispatchable objects, and expects a
//! magic number there first (loader interface, "ICD_LOADER_MAGIC"). Non-dispatchable handles point
//! to boxes of the same layout, so that one check works for all of them.
//!
//! A box lies in memory of `VkAllocationCallbacks` if the application passes them, and the
//! callbacks it was allocated with free it. Memory that an object owns elsewhere, and objects
//! allocated from a pool, use the process's allocator.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ash::vk as c;
use ash::vk::Handle;

use crate::{handle_pool, object_data};

/// ICD_LOADER_MAGIC.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// The memory that a handle points to.
#[repr(C)]
struct HandleBox<T> {
    /// [`LOADER_MAGIC`], which the loader replaces by its dispatch table.
    loader: UnsafeCell<usize>,
    /// The [`HandleType::TAG`], or 0 once the handle is destroyed.
    tag: u32,
    /// [`APPLICATION_MEMORY`], [`HAS_PRIVATE_DATA`].
    flags: AtomicU32,
    object: T,
}

/// The box lies in memory of the application's allocator.
const APPLICATION_MEMORY: u32 = 1;

/// There is [`object_data`] of the handle.
const HAS_PRIVATE_DATA: u32 = 2;

/// A type of Vulkan handle.
pub trait HandleType: Handle + Copy {
    /// The type of the object behind it.
    type Object: Send + Sync;
    /// Its name in messages.
    const NAME: &'static str;
    /// A number that no other handle type has.
    const TAG: u32;
    /// The allocation scope passed to the application's allocator.
    const SCOPE: c::SystemAllocationScope = match Self::TAG & 0xff {
        1 => c::SystemAllocationScope::INSTANCE,
        3 => c::SystemAllocationScope::DEVICE,
        _ => c::SystemAllocationScope::OBJECT,
    };
}

/// Initialises a box in place, member by member: moving a box built elsewhere would read in wide
/// loads what narrow stores have just written, which defeats store-to-load forwarding.
///
/// # Safety
/// `to` is aligned, has room for a box, and has no other user.
#[inline(always)]
unsafe fn init<H: HandleType>(to: *mut HandleBox<H::Object>, object: H::Object, flags: u32) -> H {
    // SAFETY: as the caller says.
    unsafe {
        (&raw mut (*to).loader).write(UnsafeCell::new(LOADER_MAGIC));
        (&raw mut (*to).tag).write(H::TAG);
        (&raw mut (*to).flags).write(AtomicU32::new(flags));
        (&raw mut (*to).object).write(object);
    }
    H::from_raw(to as u64)
}

/// Creates a handle in memory of the process's allocator.
#[inline]
pub fn create<H: HandleType>(object: H::Object) -> H {
    SpareMemory::<H>(handle_pool::allocate().unwrap_or_else(Box::new_uninit)).create(object)
}

/// Precedes a box in memory of the application's allocator: the arguments needed to free it.
#[repr(C)]
struct AllocationHeader {
    free: unsafe extern "system" fn(*mut c_void, *mut c_void),
    user: *mut c_void,
}

/// The layout of such memory: offset of the box in bytes, size in bytes, and alignment.
const fn application_layout<T>() -> (usize, usize, usize) {
    let align = if align_of::<HandleBox<T>>() > align_of::<AllocationHeader>() {
        align_of::<HandleBox<T>>()
    } else {
        align_of::<AllocationHeader>()
    };
    let offset = size_of::<AllocationHeader>().next_multiple_of(align);
    (offset, offset + size_of::<HandleBox<T>>(), align)
}

/// Creates a handle in memory of the application's allocator, or of the process's if `allocator` is
/// null.
///
/// # Safety
/// `allocator` is null, or points to functions that allocate as the specification says
/// ("Host Memory").
#[inline]
pub unsafe fn create_with<H: HandleType>(
    allocator: *const c::AllocationCallbacks<'_>,
    object: H::Object,
) -> vk::Result<H> {
    // SAFETY: as the caller says.
    match unsafe { allocator.as_ref() } {
        None => Ok(create(object)),
        // SAFETY: as the caller says.
        Some(allocator) => unsafe { create_in_application_memory(allocator, object) },
    }
}

/// As [`create_with`], and completes the object where it lies, so that members written one by one
/// are not moved (see [`init`]). Destroys the handle if `fill` fails.
///
/// # Safety
/// As [`create_with`].
#[inline]
pub unsafe fn create_and_fill<H: HandleType>(
    allocator: *const c::AllocationCallbacks<'_>,
    object: H::Object,
    fill: impl FnOnce(&mut H::Object) -> vk::Result<()>,
) -> vk::Result<H> {
    // SAFETY: as the caller says; nobody else has the new handle.
    unsafe {
        let handle = create_with(allocator, object)?;
        let filled = get_mut(handle).and_then(fill);
        if filled.is_err() {
            destroy(handle);
        }
        filled.map(|()| handle)
    }
}

/// # Safety
/// As [`create_with`].
#[cold]
unsafe fn create_in_application_memory<H: HandleType>(
    allocator: &c::AllocationCallbacks<'_>,
    object: H::Object,
) -> vk::Result<H> {
    let (Some(allocate), Some(free)) = (allocator.pfn_allocation, allocator.pfn_free) else {
        return Ok(create(object));
    };
    let user = allocator.p_user_data;
    let (offset, bytes, align) = application_layout::<H::Object>();
    // SAFETY: as the caller says.
    let memory = unsafe { allocate(user, bytes, align, H::SCOPE) };
    if memory.is_null() {
        return Err(vk::Error::OutOfHostMemory { what: H::NAME });
    }
    // SAFETY: `memory` has room for both, each aligned, and has no other user.
    unsafe {
        memory
            .cast::<AllocationHeader>()
            .write(AllocationHeader { free, user });
        Ok(init(
            memory.byte_add(offset).cast(),
            object,
            APPLICATION_MEMORY,
        ))
    }
}

/// The object of a handle.
///
/// # Safety
/// `handle` is null or came from [`create`], and is not destroyed during `'a`. (A handle
/// of another type is an error, and detected.)
#[inline]
pub unsafe fn get<'a, H: HandleType>(handle: H) -> vk::Result<&'a H::Object> {
    // SAFETY: as the caller says.
    unsafe { try_get(handle) }.ok_or(vk::Error::BadHandle { what: H::NAME })
}

/// As [`get`], without an error that names the handle type.
///
/// # Safety
/// As [`get`].
#[inline]
pub unsafe fn try_get<'a, H: HandleType>(handle: H) -> Option<&'a H::Object> {
    const { assert!(align_of::<usize>() == 8) };
    // Rejects null and addresses that are not multiples of eight in one test, as addresses are far
    // below 2^61.
    if handle.as_raw().rotate_right(3).wrapping_sub(1) >> 61 != 0 {
        return None;
    }
    let boxed = handle.as_raw() as *const HandleBox<H::Object>;
    // SAFETY: the handle points to a box of this module; `tag` has the same offset in all of them,
    // and decides whether the type is right.
    unsafe { ((&raw const (*boxed).tag).read() == H::TAG).then(|| &(*boxed).object) }
}

/// Sets the private data of a handle of any type in a slot; it is removed when the handle is
/// destroyed.
///
/// # Safety
/// `handle` is null, or came from [`create`] and is not destroyed.
pub unsafe fn set_private_data(handle: u64, slot: u64, data: u64) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe { flags(handle)? }.fetch_or(HAS_PRIVATE_DATA, Relaxed);
    object_data::set(handle, slot, data);
    Ok(())
}

/// The private data of a handle of any type in a slot; 0 if it was never set.
///
/// # Safety
/// As [`set_private_data`].
pub unsafe fn private_data(handle: u64, slot: u64) -> vk::Result<u64> {
    // SAFETY: as the caller says.
    match unsafe { flags(handle)? }.load(Relaxed) & HAS_PRIVATE_DATA {
        0 => Ok(0),
        _ => Ok(object_data::get(handle, slot)),
    }
}

/// The flags of a handle of any type.
///
/// # Safety
/// As [`set_private_data`].
unsafe fn flags<'a>(handle: u64) -> vk::Result<&'a AtomicU32> {
    if handle == 0 || !handle.is_multiple_of(8) {
        return Err(vk::Error::BadHandle { what: "an object" });
    }
    let boxed = handle as *const HandleBox<()>;
    // SAFETY: the handle points to a box of this module; the flags have the same offset in all of
    // them.
    Ok(unsafe { &(*boxed).flags })
}

/// Makes the handle of a box invalid and removes its private data. Returns whether the box lies in
/// memory of the application's allocator.
///
/// # Safety
/// The box is live, and has no other user.
#[inline(always)]
unsafe fn invalidate<T>(boxed: *mut HandleBox<T>) -> bool {
    // Tag and flags are cleared in one store of the width with which the allocator reads them after
    // the free (see [`init`]).
    const { assert!(std::mem::offset_of!(HandleBox<T>, tag) == 8) };
    const { assert!(std::mem::offset_of!(HandleBox<T>, flags) == 12) };
    // SAFETY: as the caller says; the tag and the flags are the eight aligned bytes of a word.
    let flags = unsafe {
        let flags = *(*boxed).flags.get_mut();
        (&raw mut (*boxed).tag).cast::<u64>().write(0);
        flags
    };
    if flags & HAS_PRIVATE_DATA != 0 {
        object_data::remove_object(boxed as u64);
    }
    flags & APPLICATION_MEMORY != 0
}

/// The object of a handle, mutable.
///
/// # Safety
/// As [`get`]; the handle has no other user during `'a`. Vulkan guarantees this for
/// externally synchronised objects.
#[inline]
pub unsafe fn get_mut<'a, H: HandleType>(handle: H) -> vk::Result<&'a mut H::Object> {
    // SAFETY: as the caller says; the type is checked before a reference to the object is made.
    unsafe {
        get(handle)?;
        let boxed = handle.as_raw() as *mut HandleBox<H::Object>;
        Ok(&mut (*boxed).object)
    }
}

/// The object of a handle, or none if it is null.
///
/// # Safety
/// As [`get`].
pub unsafe fn optional<'a, H: HandleType>(handle: H) -> vk::Result<Option<&'a H::Object>> {
    if handle.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    unsafe { get(handle) }.map(Some)
}

/// Destroys a handle and returns its object. Returns none for null and for a handle of another
/// type.
///
/// # Safety
/// As [`get`]; the handle is not used during or after the call.
pub unsafe fn remove<H: HandleType>(handle: H) -> Option<H::Object> {
    // SAFETY: as the caller says; the type is checked before the box is taken.
    unsafe {
        try_get(handle)?;
        let boxed = handle.as_raw() as *mut HandleBox<H::Object>;
        let application_memory = invalidate(boxed);
        let object = (&raw const (*boxed).object).read();
        free(boxed, application_memory);
        Some(object)
    }
}

/// Destroys a handle and drops its object in place (a move would defeat store-to-load forwarding,
/// see [`init`]). Does nothing for null and for a handle of another type.
///
/// # Safety
/// As [`remove`].
#[inline]
pub unsafe fn destroy<H: HandleType>(handle: H) {
    // SAFETY: as the caller says; the type is checked before the box is taken.
    unsafe {
        if try_get(handle).is_some() {
            let boxed = handle.as_raw() as *mut HandleBox<H::Object>;
            let application_memory = invalidate(boxed);
            (&raw mut (*boxed).object).drop_in_place();
            free(boxed, application_memory);
        }
    }
}

/// Frees the memory of a box with the allocator that it came from.
///
/// # Safety
/// The box has no user, and its object is dropped or moved out; `application_memory` is
/// the result of [`invalidate`].
#[inline(always)]
unsafe fn free<T>(boxed: *mut HandleBox<T>, application_memory: bool) {
    // SAFETY: as the caller says: memory of the process's allocator is a box of this type, and an
    // `AllocationHeader` precedes a box in the application's memory.
    unsafe {
        if !application_memory {
            handle_pool::release(Box::from_raw(boxed.cast::<MaybeUninit<HandleBox<T>>>()));
            return;
        }
        let memory = boxed.byte_sub(application_layout::<T>().0);
        let AllocationHeader { free, user } = memory.cast::<AllocationHeader>().read();
        free(user, memory.cast());
    }
}

/// Uninitialised memory of a destroyed handle, for a new handle of the same type.
pub struct SpareMemory<H: HandleType>(Box<MaybeUninit<HandleBox<H::Object>>>);

// SAFETY: a reference to it gives access to nothing: only its owner can initialise it.
unsafe impl<H: HandleType> Sync for SpareMemory<H> {}
// SAFETY: as above.
unsafe impl<H: HandleType> Send for SpareMemory<H> {}

impl<H: HandleType> SpareMemory<H> {
    /// Creates a handle in this memory.
    #[inline]
    pub fn create(self, object: H::Object) -> H {
        let boxed = Box::into_raw(self.0).cast();
        // SAFETY: the memory has the layout of such a box, and the handle owns it from here on.
        unsafe { init(boxed, object, 0) }
    }
}

/// The box of a destroyed handle whose object is kept, in memory of the process's allocator, so
/// that it can become a handle again.
pub struct RetiredHandle<H: HandleType>(Box<HandleBox<H::Object>>);

// SAFETY: a reference to it gives a reference to the object, which is `Sync`; only the owner writes
// the loader's word.
unsafe impl<H: HandleType> Sync for RetiredHandle<H> {}

impl<H: HandleType> RetiredHandle<H> {
    /// The object.
    #[inline]
    pub fn object(&self) -> &H::Object {
        &self.0.object
    }

    /// Makes the box a valid handle again.
    #[inline]
    pub fn revive(mut self) -> H {
        *self.0.loader.get_mut() = LOADER_MAGIC;
        self.0.tag = H::TAG;
        *self.0.flags.get_mut() = 0;
        H::from_raw(Box::into_raw(self.0) as u64)
    }

    /// Drops the object in place and returns the memory.
    pub fn drop_object(self) -> SpareMemory<H> {
        let boxed = Box::into_raw(self.0);
        // SAFETY: `self` owned the box, and its object is not used again.
        unsafe {
            (&raw mut (*boxed).object).drop_in_place();
            SpareMemory(Box::from_raw(boxed.cast()))
        }
    }
}

/// Destroys a handle and keeps its object. Returns none, and changes nothing, if the handle is of
/// another type or lies in memory of the application's allocator.
///
/// # Safety
/// As [`remove`].
#[inline]
pub unsafe fn retire<H: HandleType>(handle: H) -> Option<RetiredHandle<H>> {
    // SAFETY: as the caller says; the type is checked before the box is taken.
    unsafe {
        try_get(handle)?;
        let boxed = handle.as_raw() as *mut HandleBox<H::Object>;
        if *(*boxed).flags.get_mut() & APPLICATION_MEMORY != 0 {
            return None;
        }
        invalidate(boxed);
        Some(RetiredHandle(Box::from_raw(boxed)))
    }
}

/// Destroys a handle: calls `before_drop` on the object, drops it in place, and adds the memory to
/// `spare` if the process's allocator owns it. Returns false, and changes nothing, if the handle is
/// of another type.
///
/// # Safety
/// As [`remove`].
#[inline]
pub unsafe fn destroy_into<H: HandleType>(
    handle: H,
    before_drop: impl FnOnce(&mut H::Object),
    spare: &mut Vec<SpareMemory<H>>,
) -> bool {
    // SAFETY: as the caller says; the type is checked before the box is taken, and its object is
    // not used again.
    unsafe {
        if try_get(handle).is_none() {
            return false;
        }
        let boxed = handle.as_raw() as *mut HandleBox<H::Object>;
        let application_memory = invalidate(boxed);
        before_drop(&mut (*boxed).object);
        (&raw mut (*boxed).object).drop_in_place();
        match application_memory {
            true => free(boxed, application_memory),
            false => spare.push(SpareMemory(Box::from_raw(boxed.cast()))),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn handles_of_another_type_are_rejected() {
        let module = vk::shader::ShaderModule::new(&[0x0723_0203]).unwrap();
        let handle: c::ShaderModule = create(Arc::new(module));
        // SAFETY: the handle is live until `remove`.
        unsafe {
            assert_eq!((handle.as_raw() as *const usize).read(), LOADER_MAGIC);
            assert!(get(handle).is_ok());
            assert!(get(c::Buffer::from_raw(handle.as_raw())).is_err());
            assert!(get(c::ShaderModule::null()).is_err());
            assert!(optional(c::ShaderModule::null()).unwrap().is_none());
            assert!(remove(c::Buffer::from_raw(handle.as_raw())).is_none());
            assert_eq!(remove(handle).unwrap().words.len(), 1);
        }
    }

    #[test]
    fn memory_of_destroyed_handles_is_reused_without_their_data() {
        let module = || Arc::new(vk::shader::ShaderModule::new(&[0x0723_0203]).unwrap());
        let first: c::ShaderModule = create(module());
        // SAFETY: each handle is live until it is destroyed, and nothing uses it then.
        unsafe {
            set_private_data(first.as_raw(), 5, 17).unwrap();
            assert_eq!(private_data(first.as_raw(), 5).unwrap(), 17);
            assert_eq!(private_data(first.as_raw(), 6).unwrap(), 0);
            let mut spare = Vec::new();
            assert!(destroy_into(
                first,
                |object| assert_eq!(Arc::strong_count(object), 1),
                &mut spare
            ));
            let second = spare.pop().unwrap().create(module());
            assert_eq!(private_data(second.as_raw(), 5).unwrap(), 0);
            assert_eq!(get(second).unwrap().words.len(), 1);
            assert!(remove(second).is_some());
        }
    }
}
