//! Pointers of C into references, slices and strings, and back.

use std::ffi::{CStr, c_char, c_void};

use ash::vk as c;

/// The elements at `pointer`, or none.
///
/// # Safety
/// If neither is null or zero, `pointer` is aligned and points to `count` values that stay unchanged during `'a`.
pub unsafe fn slice<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(pointer, count as usize) }
}

/// The value at `pointer`.
///
/// # Safety
/// If not null, `pointer` is aligned and points to a value that stays unchanged during `'a`.
pub unsafe fn reference<'a, T>(pointer: *const T, what: &'static str) -> vk::Result<&'a T> {
    // SAFETY: as the caller says.
    unsafe { pointer.as_ref() }.ok_or(vk::Error::BadHandle { what })
}

/// An element of an array whose elements are `stride` bytes apart.
///
/// # Safety
/// The element is there, aligned, and stays unchanged during `'a`.
pub unsafe fn strided<'a, T>(pointer: *const T, index: u32, stride: u32) -> &'a T {
    // SAFETY: as the caller says.
    unsafe { &*pointer.byte_add(index as usize * stride as usize) }
}

/// Writes a result, if it is wanted.
///
/// # Safety
/// If not null, `pointer` is aligned and may be written.
pub unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller says.
        unsafe { pointer.write(value) };
    }
}

/// Writes one result of many.
///
/// # Safety
/// If not null, `pointer` points to more than `index` values that may be written.
pub unsafe fn put_at<T>(pointer: *mut T, index: usize, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller says.
        unsafe { pointer.add(index).write(value) };
    }
}

/// A string.
///
/// # Safety
/// If not null, `pointer` points to a string that ends in NUL.
pub unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

/// Strings.
///
/// # Safety
/// As [`slice`] of [`text`]s.
pub unsafe fn texts(pointer: *const *const c_char, count: u32) -> Vec<String> {
    // SAFETY: as the caller says.
    unsafe {
        slice(pointer, count)
            .iter()
            .map(|&name| text(name))
            .collect()
    }
}

/// Bytes.
///
/// # Safety
/// As [`slice`] of `length` bytes.
pub unsafe fn bytes<'a>(pointer: *const c_void, length: usize) -> &'a [u8] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(pointer.cast(), length) }
}

/// A string in an array of C, cut to fit.
pub fn array<const N: usize>(text: &str) -> [c_char; N] {
    let mut out = [0; N];
    let mut length = text.len().min(N.saturating_sub(1));
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    for (to, from) in out.iter_mut().zip(text.as_bytes().iter().take(length)) {
        *to = *from as c_char;
    }
    out
}

/// Vulkan's way to list: a count without an array, or as many as fit.
///
/// # Safety
/// `count` may be read and written; if `out` is not null, `*count` values there may be written.
pub unsafe fn list<T>(
    items: impl ExactSizeIterator<Item = T>,
    count: *mut u32,
    out: *mut T,
) -> c::Result {
    // SAFETY: as the caller says.
    unsafe { list_with(items, count, out, |item, slot| slot.write(item)) }
}

/// As [`list`], for elements that are filled in place and keep their `sType` and `pNext`.
///
/// # Safety
/// As [`list`]; `fill` writes to where it is told only.
pub unsafe fn list_with<T, U>(
    items: impl ExactSizeIterator<Item = T>,
    count: *mut u32,
    out: *mut U,
    mut fill: impl FnMut(T, *mut U),
) -> c::Result {
    let total = items.len() as u32;
    // SAFETY: as the caller says.
    let Some(room) = (unsafe { count.as_mut() }) else {
        return c::Result::ERROR_UNKNOWN;
    };
    if out.is_null() {
        *room = total;
        return c::Result::SUCCESS;
    }
    let written = total.min(*room);
    for (index, item) in items.take(written as usize).enumerate() {
        // SAFETY: `index` is below the room the caller says there is.
        fill(item, unsafe { out.add(index) });
    }
    *room = written;
    if written < total {
        c::Result::INCOMPLETE
    } else {
        c::Result::SUCCESS
    }
}

/// The structures of a `pNext` chain.
///
/// # Safety
/// `first` is null or begins a chain of structures that begin as `VkBaseOutStructure` does, for as long as the iterator lives.
pub unsafe fn chain(
    first: *const c_void,
) -> impl Iterator<Item = *mut c::BaseOutStructure<'static>> {
    let mut next: *mut c::BaseOutStructure<'static> = first.cast_mut().cast();
    // A chain is short; a loop in it is the application's error, and ends here.
    (0..4096).map_while(move |_| {
        let node = next;
        // SAFETY: as the caller says.
        next = unsafe { node.as_ref() }?.p_next;
        Some(node)
    })
}

/// The structure of a type in a chain.
///
/// # Safety
/// As [`chain`]; a structure whose `sType` is `T`'s is a `T`.
pub unsafe fn find<'a, T: Tagged>(first: *const c_void) -> Option<&'a T> {
    // SAFETY: as the caller says; every structure begins with its type.
    unsafe {
        chain(first)
            .find(|&node| (*node).s_type == T::TYPE)
            .map(|node| &*node.cast::<T>())
    }
}

/// A structure that can stand in a chain.
pub trait Tagged {
    /// Its `sType`.
    const TYPE: c::StructureType;
}

impl<T: c::TaggedStructure> Tagged for T {
    const TYPE: c::StructureType = T::STRUCTURE_TYPE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_count_fill_and_cut() {
        let items = [5u32, 6, 7];
        let mut count = 0;
        // SAFETY: `count` and `out` are locals of the sizes told.
        unsafe {
            assert_eq!(
                list(items.into_iter(), &mut count, std::ptr::null_mut()),
                c::Result::SUCCESS
            );
            assert_eq!(count, 3);
            let mut out = [0; 3];
            count = 2;
            assert_eq!(
                list(items.into_iter(), &mut count, out.as_mut_ptr()),
                c::Result::INCOMPLETE
            );
            assert_eq!((count, out), (2, [5, 6, 0]));
            count = 3;
            assert_eq!(
                list(items.into_iter(), &mut count, out.as_mut_ptr()),
                c::Result::SUCCESS
            );
            assert_eq!(out, items);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let cut: [c_char; 4] = array("aéé");
        assert_eq!(cut.map(|byte| byte as u8), [b'a', 0xc3, 0xa9, 0]);
    }

    #[test]
    fn chains_are_searched() {
        let mut last = c::PhysicalDeviceMultiviewFeatures::default();
        let first = c::PhysicalDeviceTimelineSemaphoreFeatures {
            p_next: (&raw mut last).cast(),
            ..Default::default()
        };
        let head: *const c_void = (&raw const first).cast();
        // SAFETY: the two structures outlive the calls.
        unsafe {
            assert_eq!(chain(head).count(), 2);
            assert!(find::<c::PhysicalDeviceMultiviewFeatures<'_>>(head).is_some());
            assert!(find::<c::PhysicalDevice16BitStorageFeatures<'_>>(head).is_none());
        }
    }
}
