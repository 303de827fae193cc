//! Mapped memory that is shared with the GPU, with other processes or with the application.
//!
//! Others may write the pages at any time, so they are accessed only as atomics or by copying.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use uapi::{Errno, HostPages, Result};

use crate::syscall::{last_error, system_call};

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// Bytes of a CPU cache line.
const LINE_BYTES: usize = 64;

/// # Safety
/// The address is readable.
#[cfg(target_arch = "x86_64")]
unsafe fn flush_line(at: *const u8) {
    // SAFETY: guaranteed by the caller.
    unsafe { std::arch::x86_64::_mm_clflush(at) };
}

/// Does nothing: Intel GPUs without a coherent cache exist only beside x86-64 CPUs.
///
/// # Safety
/// No requirement.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn flush_line(_at: *const u8) {}

/// Orders CLFLUSH, for which weaker fences than a full one do not suffice.
fn full_fence() {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// Pages of a file, or of the process, mapped for reading and writing.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    len_bytes: usize,
    owner: Owner,
}

/// An address at which a mapping may replace the pages that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(NonNull<u8>);

// SAFETY: an address alone; what lies there is the business of `Place::new`.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

impl Place {
    /// The address of pages that a mapping may replace.
    ///
    /// # Safety
    /// As many pages as are mapped there belong to the caller, who accesses them only through the
    /// mapping while it exists.
    pub unsafe fn new(at: NonNull<u8>) -> Self {
        Self(at)
    }

    /// Whether the address is the start of a page.
    pub fn is_page(self) -> bool {
        self.0.addr().get().is_multiple_of(PAGE_BYTES)
    }
}

/// How the pages are unmapped when the mapping is dropped.
#[derive(Debug)]
enum Owner {
    /// By our munmap system call.
    Syscall,
    /// By libc's munmap, which may be interposed as the mmap was.
    Libc(#[allow(dead_code, reason = "held only to be dropped")] memmap2::MmapRaw),
    /// By libc's munmap, at an address that the application has chosen.
    Placed,
    /// Not at all: the caller of [`Mapping::borrow`] owns them.
    Borrowed,
    /// Not by us: the reference keeps them mapped.
    HostPages(
        #[allow(dead_code, reason = "held only to keep the pages mapped")] Arc<dyn HostPages>,
    ),
}

// SAFETY: the pages are accessed only through atomics and raw copies, which assume nothing about
// other writers.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps part of a file, shared. The offset is a multiple of the page size. Makes the system
    /// call itself, so that an interposed mmap is not called.
    pub fn new(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: usize) -> Result<Self> {
        let offset = i64::try_from(offset_bytes).map_err(|_| Errno::EINVAL)?;
        if len_bytes == 0 || len_bytes > isize::MAX as usize {
            return Err(Errno::EINVAL);
        }
        // SAFETY: the kernel picks a free range, so no existing mapping is replaced; `fd` is open
        // during the call; only `drop` unmaps the pages.
        let base = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            system_call!(
                libc::SYS_mmap,
                std::ptr::null_mut::<u8>(),
                len_bytes,
                protection,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                offset,
            )
        };
        if base == -1 {
            return Err(last_error());
        }
        let base = NonNull::new(base as *mut u8).ok_or(Errno::EFAULT)?;
        Ok(Self {
            base,
            len_bytes,
            owner: Owner::Syscall,
        })
    }

    /// Maps pages of a device file, shared. Unlike [`Mapping::new`] this calls libc's mmap: a
    /// preload library may simulate the device, and only that library understands the offset.
    pub fn map_device(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: usize) -> Result<Self> {
        let pages = memmap2::MmapOptions::new()
            .offset(offset_bytes)
            .len(len_bytes)
            .map_raw(fd.as_raw_fd())
            .map_err(|error| Errno(error.raw_os_error().unwrap_or(Errno::EINVAL.0)))?;
        let base = NonNull::new(pages.as_mut_ptr()).ok_or(Errno::EFAULT)?;
        Ok(Self {
            base,
            len_bytes,
            owner: Owner::Libc(pages),
        })
    }

    /// As [`Mapping::map_device`], at a chosen address. `EINVAL` unless a page starts there.
    pub fn map_device_at(
        fd: BorrowedFd<'_>,
        offset_bytes: u64,
        len_bytes: usize,
        place: Place,
    ) -> Result<Self> {
        let offset = i64::try_from(offset_bytes).map_err(|_| Errno::EINVAL)?;
        if len_bytes == 0 || len_bytes > isize::MAX as usize || !place.is_page() {
            return Err(Errno::EINVAL);
        }
        // SAFETY: the pages that are replaced belong to whoever made the place; `fd` is open during
        // the call.
        let base = unsafe {
            libc::mmap(
                place.0.as_ptr().cast(),
                len_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED,
                fd.as_raw_fd(),
                offset,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(last_error());
        }
        Ok(Self {
            base: place.0,
            len_bytes,
            owner: Owner::Placed,
        })
    }

    /// Ends the mapping, and leaves its addresses reserved: nothing is mapped there unless it is
    /// placed there. They are the caller's to unmap. For mappings of device files.
    pub fn reserve(mut self) -> Result<()> {
        // SAFETY: the mapping's own pages are replaced, which nobody refers to any more, as it is
        // consumed.
        let base = unsafe {
            libc::mmap(
                self.base.as_ptr().cast(),
                self.len_bytes,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(last_error());
        }
        // Nothing of ours is left to unmap.
        std::mem::forget(std::mem::replace(&mut self.owner, Owner::Borrowed));
        Ok(())
    }

    /// Wraps pages that the caller has mapped and unmaps.
    ///
    /// # Safety
    /// `base` is a multiple of 8, and the pages stay readable and writable until the value
    /// is dropped.
    pub unsafe fn borrow(base: NonNull<u8>, len_bytes: usize) -> Self {
        Self {
            base,
            len_bytes,
            owner: Owner::Borrowed,
        }
    }

    /// Wraps pages of the process and keeps them mapped. `EINVAL` unless start and length are
    /// multiples of the page size.
    pub fn of_host(pages: Arc<dyn HostPages>) -> Result<Self> {
        let words = pages.words();
        let len_bytes = size_of_val(words);
        let base = NonNull::from(words).cast::<u8>();
        if len_bytes == 0
            || !base.addr().get().is_multiple_of(PAGE_BYTES)
            || !len_bytes.is_multiple_of(PAGE_BYTES)
        {
            return Err(Errno::EINVAL);
        }
        Ok(Self {
            base,
            len_bytes,
            owner: Owner::HostPages(pages),
        })
    }

    /// Length in bytes.
    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Address of the first byte, as a number for C interfaces.
    pub fn address(&self) -> usize {
        self.base.as_ptr() as usize
    }

    /// Pointer to the first byte, to return to C (`vkMapMemory`).
    pub fn as_ptr(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// The contents as bytes.
    pub fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: mapped as long as `self` exists; every value is valid; atomics allow for other
        // writers.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.len_bytes) }
    }

    /// The contents as dwords, without a partial one at the end.
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: as `bytes`; mappings are aligned to pages, and borrowed ones to 8 bytes.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.len_bytes / 4) }
    }

    /// The contents as qwords, without a partial one at the end.
    pub fn qwords(&self) -> &[AtomicU64] {
        // SAFETY: as `words`.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.len_bytes / 8) }
    }

    fn check_range(&self, offset_bytes: usize, len_bytes: usize) -> Result<()> {
        match offset_bytes.checked_add(len_bytes) {
            Some(end) if end <= self.len_bytes => Ok(()),
            _ => Err(Errno::EFAULT),
        }
    }

    /// Copies `data` to an offset. `EFAULT` past the end.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.check_range(offset_bytes, data.len())?;
        // SAFETY: in range; `data` does not overlap the mapping, because no Rust reference to plain
        // bytes points into one. Concurrent writers can tear the data, as callers expect of shared
        // memory.
        unsafe {
            std::ptr::copy_nonoverlapping(
                data.as_ptr(),
                self.base.as_ptr().add(offset_bytes),
                data.len(),
            )
        };
        Ok(())
    }

    /// Zeroes all bytes.
    pub fn clear(&self) {
        // SAFETY: in range; otherwise as in `write`.
        unsafe { self.base.as_ptr().write_bytes(0, self.len_bytes) };
    }

    /// Writes dwords at an offset in dwords. `EFAULT` past the end.
    #[inline(always)]
    pub fn write_words<const N: usize>(&self, at_dw: usize, words: &[u32; N]) -> Result<()> {
        match at_dw.checked_add(N) {
            Some(end_dw) if end_dw <= self.len_bytes / 4 => {}
            _ => return Err(Errno::EFAULT),
        }
        // SAFETY: in range, and aligned as in `words`; otherwise as in `write`.
        unsafe {
            self.base
                .as_ptr()
                .cast::<[u32; N]>()
                .byte_add(at_dw * 4)
                .write(*words)
        };
        Ok(())
    }

    /// Copies bytes from an offset to `out`. `EFAULT` past the end.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.check_range(offset_bytes, out.len())?;
        // SAFETY: as in `write`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.base.as_ptr().add(offset_bytes),
                out.as_mut_ptr(),
                out.len(),
            )
        };
        Ok(())
    }

    /// Writes back and invalidates the CPU cache lines that contain the range, so that later reads
    /// see what a non-coherent device has written. `EFAULT` past the end.
    pub fn flush_lines(&self, offset_bytes: usize, len_bytes: usize) -> Result<()> {
        self.check_range(offset_bytes, len_bytes)?;
        let first = offset_bytes & !(LINE_BYTES - 1);
        full_fence();
        for at in (first..offset_bytes + len_bytes).step_by(LINE_BYTES) {
            // SAFETY: in range, as mappings are whole pages. Writing a line back changes nothing
            // that this process can observe.
            unsafe { flush_line(self.base.as_ptr().add(at)) };
        }
        full_fence();
        Ok(())
    }

    /// Fills a range with a byte. `EFAULT` past the end.
    pub fn fill(&self, offset_bytes: usize, len_bytes: usize, value: u8) -> Result<()> {
        self.check_range(offset_bytes, len_bytes)?;
        // SAFETY: as in `write`.
        unsafe { std::ptr::write_bytes(self.base.as_ptr().add(offset_bytes), value, len_bytes) };
        Ok(())
    }
}

impl HostPages for Mapping {
    fn words(&self) -> &[AtomicU32] {
        Mapping::words(self)
    }
}

/// Exclusive access to part of a mapping: plain dwords instead of atomics.
#[derive(Debug)]
pub struct MappingSlice {
    base: NonNull<u32>,
    len_dw: usize,
    /// Keeps the pages mapped.
    _mapping: Arc<Mapping>,
}

// SAFETY: the words are accessed only through the slice, under the rules of `&` and `&mut`.
unsafe impl Send for MappingSlice {}
// SAFETY: as above.
unsafe impl Sync for MappingSlice {}

impl Mapping {
    /// Divides the mapping into slices of `slice_bytes` (a multiple of 4); a remainder at the end
    /// is unused. Only the owners of the slices can access the pages through this mapping from
    /// then on. For memory that the GPU at most reads while a slice is borrowed.
    pub fn into_slices(self, slice_bytes: usize) -> Vec<MappingSlice> {
        let (slice_dw, count) = match slice_bytes / 4 {
            0 => (0, 0),
            slice_dw => (slice_dw, self.len_bytes / 4 / slice_dw),
        };
        let mapping = Arc::new(self);
        let slice = |index: usize| MappingSlice {
            // SAFETY: `index` is less than `count`, so the slice lies within the mapping.
            base: unsafe { mapping.base.cast::<u32>().add(index * slice_dw) },
            len_dw: slice_dw,
            _mapping: mapping.clone(),
        };
        (0..count).map(slice).collect()
    }
}

impl MappingSlice {
    /// The dwords.
    #[inline]
    pub fn words(&self) -> &[u32] {
        // SAFETY: mapped as long as `self` exists, aligned to dwords, and not part of another
        // slice; every value is valid.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.len_dw) }
    }

    /// The dwords, mutable.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as in `words`; `&mut self` makes the borrow the only one.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.len_dw) }
    }

    /// The base address for prefetches of dwords that will be written later.
    pub fn prefetch_base(&self) -> PrefetchBase {
        PrefetchBase(self.base.as_ptr().addr())
    }
}

/// Base address of a mapping slice for prefetches. It is never dereferenced.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrefetchBase(usize);

impl PrefetchBase {
    /// Prefetches the cache line of a dword that will be written soon. Does not wait.
    #[inline(always)]
    pub fn prefetch(self, at_dw: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let line = std::ptr::without_provenance::<i8>(self.0).wrapping_add(at_dw * 4);
            // SAFETY: a prefetch is a hint and valid for any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        match self.owner {
            // SAFETY: mapped by `new`; references into it cannot outlive `self`.
            Owner::Syscall => unsafe {
                system_call!(libc::SYS_munmap, self.base.as_ptr(), self.len_bytes);
            },
            // SAFETY: mapped by `map_device_at`; as above.
            Owner::Placed => unsafe {
                libc::munmap(self.base.as_ptr().cast(), self.len_bytes);
            },
            Owner::Libc(_) | Owner::Borrowed | Owner::HostPages(_) => {}
        }
    }
}
