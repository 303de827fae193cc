//! C pointers to references, slices and strings, and results back to C.
//!
//! In:  pointers and counts that a Vulkan command receives. Out: borrowed values; written results.

use std::ffi::{CStr, c_char, c_void};

use ash::vk as c;

/// The elements at `pointer`; empty if it is null.
///
/// # Safety
/// If `pointer` is not null and `count` not 0, `pointer` is aligned and points to `count`
/// values that stay unchanged during `'a`.
pub unsafe fn slice<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(pointer, count as usize) }
}

/// The value at `pointer`, or an error that contains `what` if it is null.
///
/// # Safety
/// If not null, `pointer` is aligned and points to a value that stays unchanged during `'a`.
pub unsafe fn reference<'a, T>(pointer: *const T, what: &'static str) -> vk::Result<&'a T> {
    // SAFETY: as the caller says.
    unsafe { pointer.as_ref() }.ok_or(vk::Error::BadHandle { what })
}

/// The element at `index` of an array whose elements are `stride` bytes apart.
///
/// # Safety
/// The element exists, is aligned, and stays unchanged during `'a`.
pub unsafe fn strided_element<'a, T>(pointer: *const T, index: u32, stride: u32) -> &'a T {
    // SAFETY: as the caller says.
    unsafe { &*pointer.byte_add(index as usize * stride as usize) }
}

/// Writes a result unless `pointer` is null.
///
/// # Safety
/// If not null, `pointer` is aligned and may be written.
pub unsafe fn write<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller says.
        unsafe { pointer.write(value) };
    }
}

/// Writes one element of a result array unless `pointer` is null.
///
/// # Safety
/// If not null, `pointer` points to more than `index` values that may be written.
pub unsafe fn write_at<T>(pointer: *mut T, index: usize, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller says.
        unsafe { pointer.add(index).write(value) };
    }
}

/// The string at `pointer`, or an empty one if it is null. Invalid UTF-8 is replaced.
///
/// # Safety
/// If not null, `pointer` points to a string that ends in NUL.
pub unsafe fn string(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

/// The strings of an array.
///
/// # Safety
/// As [`slice()`] and, for each element, [`string()`].
pub unsafe fn strings(pointer: *const *const c_char, count: u32) -> Vec<String> {
    // SAFETY: as the caller says.
    unsafe {
        slice(pointer, count)
            .iter()
            .map(|&name| string(name))
            .collect()
    }
}

/// The bytes at `pointer`; empty if it is null.
///
/// # Safety
/// As [`slice()`], for `length` bytes.
pub unsafe fn bytes<'a>(pointer: *const c_void, length: usize) -> &'a [u8] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(pointer.cast(), length) }
}

/// The bytes at `pointer`, for writing; empty if it is null.
///
/// # Safety
/// If not null, `pointer` points to `length` initialised bytes that nothing else accesses during
/// `'a`.
pub unsafe fn bytes_mut<'a>(pointer: *mut c_void, length: usize) -> &'a mut [u8] {
    if pointer.is_null() || length == 0 {
        return &mut [];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts_mut(pointer.cast(), length) }
}

/// A NUL-terminated string in a fixed-size array, truncated to fit between two characters.
pub fn char_array<const N: usize>(text: &str) -> [c_char; N] {
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

/// Vulkan's enumeration protocol: if `out` is null, writes the number of items; otherwise writes as
/// many items as fit and their number, and returns `INCOMPLETE` if some did not.
///
/// # Safety
/// `count` may be read and written; if `out` is not null, `*count` values there may be written.
pub unsafe fn write_list<T>(
    items: impl ExactSizeIterator<Item = T>,
    count: *mut u32,
    out: *mut T,
) -> c::Result {
    // SAFETY: as the caller says.
    unsafe { write_list_with(items, count, out, |item, slot| slot.write(item)) }
}

/// As [`write_list`], for elements that `fill` modifies in place, keeping their `sType` and
/// `pNext`.
///
/// # Safety
/// As [`write_list`]; `fill` writes only to the element that it receives.
pub unsafe fn write_list_with<T, U>(
    items: impl ExactSizeIterator<Item = T>,
    count: *mut u32,
    out: *mut U,
    mut fill: impl FnMut(T, *mut U),
) -> c::Result {
    let total = items.len() as u32;
    // SAFETY: as the caller says.
    let Some(capacity) = (unsafe { count.as_mut() }) else {
        return c::Result::ERROR_UNKNOWN;
    };
    if out.is_null() {
        *capacity = total;
        return c::Result::SUCCESS;
    }
    let written = total.min(*capacity);
    for (index, item) in items.take(written as usize).enumerate() {
        // SAFETY: `index` is less than the capacity that the caller guarantees.
        fill(item, unsafe { out.add(index) });
    }
    *capacity = written;
    if written < total {
        c::Result::INCOMPLETE
    } else {
        c::Result::SUCCESS
    }
}

/// The structures of a `pNext` chain.
///
/// # Safety
/// `first` is null or the head of a chain of structures with the layout of
/// `VkBaseOutStructure`, valid as long as the iterator lives.
pub unsafe fn chain(
    first: *const c_void,
) -> impl Iterator<Item = *mut c::BaseOutStructure<'static>> {
    let mut next: *mut c::BaseOutStructure<'static> = first.cast_mut().cast();
    // Chains are short; the limit ends the iteration if an invalid chain contains a cycle.
    (0..4096).map_while(move |_| {
        let node = next;
        // SAFETY: as the caller says.
        next = unsafe { node.as_ref() }?.p_next;
        Some(node)
    })
}

/// The first structure of type `T` in a chain.
///
/// # Safety
/// As [`chain`]; a structure whose `sType` is `T`'s is a `T`.
pub unsafe fn find_in_chain<'a, T: ChainStructure>(first: *const c_void) -> Option<&'a T> {
    // SAFETY: as the caller says; every structure begins with its type.
    unsafe {
        chain(first)
            .find(|&node| (*node).s_type == T::TYPE)
            .map(|node| &*node.cast::<T>())
    }
}

/// A structure that can be part of a `pNext` chain.
pub trait ChainStructure {
    /// Its `sType`.
    const TYPE: c::StructureType;
}

impl<T: c::TaggedStructure> ChainStructure for T {
    const TYPE: c::StructureType = T::STRUCTURE_TYPE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_counted_filled_and_truncated() {
        let items = [5u32, 6, 7];
        let mut count = 0;
        // SAFETY: `count` and `out` are locals of the given sizes.
        unsafe {
            assert_eq!(
                write_list(items.into_iter(), &mut count, std::ptr::null_mut()),
                c::Result::SUCCESS
            );
            assert_eq!(count, 3);
            let mut out = [0; 3];
            count = 2;
            assert_eq!(
                write_list(items.into_iter(), &mut count, out.as_mut_ptr()),
                c::Result::INCOMPLETE
            );
            assert_eq!((count, out), (2, [5, 6, 0]));
            count = 3;
            assert_eq!(
                write_list(items.into_iter(), &mut count, out.as_mut_ptr()),
                c::Result::SUCCESS
            );
            assert_eq!(out, items);
        }
    }

    #[test]
    fn long_strings_are_truncated_between_characters() {
        let truncated: [c_char; 4] = char_array("aéé");
        assert_eq!(truncated.map(|byte| byte as u8), [b'a', 0xc3, 0xa9, 0]);
    }

    #[test]
    fn structures_are_found_in_chains() {
        let mut last = c::PhysicalDeviceMultiviewFeatures::default();
        let first = c::PhysicalDeviceTimelineSemaphoreFeatures {
            p_next: (&raw mut last).cast(),
            ..Default::default()
        };
        let head: *const c_void = (&raw const first).cast();
        // SAFETY: the two structures outlive the calls.
        unsafe {
            assert_eq!(chain(head).count(), 2);
            assert!(find_in_chain::<c::PhysicalDeviceMultiviewFeatures<'_>>(head).is_some());
            assert!(find_in_chain::<c::PhysicalDevice16BitStorageFeatures<'_>>(head).is_none());
        }
    }
}
