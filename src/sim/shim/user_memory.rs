//! Copies from and to memory of the program, by address, as the kernel's copy_from_user and
//! copy_to_user.
//!
//! In:  addresses. Out: values, or `EFAULT` for bad addresses, never a crash.

use bytemuck::{Pod, Zeroable, bytes_of, bytes_of_mut};
use uapi::{Errno, Result};

/// Maximum length of an array in elements: far above any real one, and small enough to allocate.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Reads the first `len_bytes` bytes of a structure; the others are zero.
pub(crate) fn read_prefix<T: Pod>(address: u64, len_bytes: usize) -> Result<T> {
    let mut value = T::zeroed();
    let bytes = bytes_of_mut(&mut value);
    let len = len_bytes.min(bytes.len());
    sys::read_process(address, bytes.get_mut(..len).unwrap_or_default())?;
    Ok(value)
}

/// Reads a structure.
pub(crate) fn read<T: Pod>(address: u64) -> Result<T> {
    read_prefix(address, size_of::<T>())
}

/// Reads an array.
pub(crate) fn read_array<T: Pod>(address: u64, count: u64) -> Result<Vec<T>> {
    if count > MAX_ELEMENTS {
        return Err(Errno::ENOMEM);
    }
    let mut values = vec![<T as Zeroable>::zeroed(); count as usize];
    sys::read_process(address, bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}

/// Reads bytes.
pub(crate) fn read_bytes(address: u64, len_bytes: u64) -> Result<Vec<u8>> {
    let len = usize::try_from(len_bytes).map_err(|_| Errno::ENOMEM)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Errno::ENOMEM)?;
    bytes.resize(len, 0);
    sys::read_process(address, &mut bytes)?;
    Ok(bytes)
}

/// Writes bytes.
pub(crate) fn write_bytes(address: u64, bytes: &[u8]) -> Result<()> {
    // SAFETY: the program passed the address to an ioctl that writes there, as the real kernel
    // would.
    unsafe { sys::write_process(address, bytes) }
}

/// Writes the first `len_bytes` bytes of a structure.
pub(crate) fn write_prefix<T: Pod>(address: u64, value: &T, len_bytes: usize) -> Result<()> {
    let bytes = bytes_of(value);
    write_bytes(address, bytes.get(..len_bytes).unwrap_or(bytes))
}

/// Writes an array.
pub(crate) fn write_array<T: Pod>(address: u64, values: &[T]) -> Result<()> {
    write_bytes(address, bytemuck::cast_slice(values))
}
