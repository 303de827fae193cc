//! Shared memory.
//!
//! Pages may change under us (the GPU, another process, the application): they are only ever seen as atomics, or copied.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use uapi::HostPages;

use crate::{Errno, Result, last_error};

/// Bytes of a page of this machine.
pub const PAGE_BYTES: usize = 4096;

/// Bytes of a line of the CPU's cache.
const LINE_BYTES: usize = 64;

/// # Safety
/// The address can be read.
#[cfg(target_arch = "x86_64")]
unsafe fn flush_line(at: *const u8) {
    // SAFETY: as the caller says.
    unsafe { std::arch::x86_64::_mm_clflush(at) };
}

/// GPUs that do not see the CPU's cache are found beside that CPU alone.
///
/// # Safety
/// None is needed.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn flush_line(_at: *const u8) {}

/// CLFLUSH is ordered by full fences alone.
fn fence() {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// Pages of a file, or of the process, mapped for reading and writing.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    len_bytes: usize,
    owner: Owner,
}

/// Who unmaps the pages.
#[derive(Debug)]
enum Owner {
    /// We, by a system call.
    Kernel,
    /// The library that mapped them by libc's function, by libc's function.
    Library(#[allow(dead_code, reason = "dropped, never looked at")] memmap2::MmapRaw),
    /// Whoever lent them.
    Somebody,
    /// Nobody, as long as they are kept.
    Host(#[allow(dead_code, reason = "kept, never looked at")] Arc<dyn HostPages>),
}

// SAFETY: the pages are only reached through atomics and raw copies that assume nothing about other writers.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a file from an offset (a multiple of a page), shared.
    pub fn new(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: usize) -> Result<Self> {
        let offset = i64::try_from(offset_bytes).map_err(|_| Errno::EINVAL)?;
        if len_bytes == 0 || len_bytes > isize::MAX as usize {
            return Err(Errno::EINVAL);
        }
        // SAFETY: the kernel picks free pages, so nothing of ours is replaced; `fd` is open for the call; the pages stay ours until
        // `drop`, the only place that unmaps them.
        let base = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // Not libc's function: in a process whose mmap is interposed, this must reach the kernel.
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
            owner: Owner::Kernel,
        })
    }

    /// Maps pages of a device file, shared. Unlike [`Mapping::new`] through libc's function: a preload library may stand for the
    /// device, and its offsets mean something to that library only.
    pub fn of_device(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: usize) -> Result<Self> {
        let pages = memmap2::MmapOptions::new()
            .offset(offset_bytes)
            .len(len_bytes)
            .map_raw(fd.as_raw_fd())
            .map_err(|error| Errno(error.raw_os_error().unwrap_or(Errno::EINVAL.0)))?;
        let base = NonNull::new(pages.as_mut_ptr()).ok_or(Errno::EFAULT)?;
        Ok(Self {
            base,
            len_bytes,
            owner: Owner::Library(pages),
        })
    }

    /// Pages that somebody else mapped.
    ///
    /// # Safety
    /// `base` is a multiple of 8, and the pages stay readable and writable until the value is dropped.
    pub unsafe fn borrow(base: NonNull<u8>, len_bytes: usize) -> Self {
        Self {
            base,
            len_bytes,
            owner: Owner::Somebody,
        }
    }

    /// Pages of the process, kept as long as the value.
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
            owner: Owner::Host(pages),
        })
    }

    /// Length in bytes.
    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Address of the first byte, as C sees it. Only where C calls us may anyone make a pointer of it.
    pub fn address(&self) -> usize {
        self.base.as_ptr() as usize
    }

    /// The first byte, for those who hand it on to C (`vkMapMemory`).
    pub fn as_ptr(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// The bytes.
    pub fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: mapped, and as long as `self`; every value is valid; atomics allow for other writers.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.len_bytes) }
    }

    /// The words, without the bytes beyond the last whole one.
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: as `bytes`; mappings are aligned to pages, and borrowed ones to 8 bytes.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.len_bytes / 4) }
    }

    /// The double words, without the bytes beyond the last whole one.
    pub fn qwords(&self) -> &[AtomicU64] {
        // SAFETY: as `words`.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.len_bytes / 8) }
    }

    fn check(&self, offset_bytes: usize, len_bytes: usize) -> Result<()> {
        match offset_bytes.checked_add(len_bytes) {
            Some(end) if end <= self.len_bytes => Ok(()),
            _ => Err(Errno::EFAULT),
        }
    }

    /// Writes bytes. `EFAULT` beyond the end.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.check(offset_bytes, data.len())?;
        // SAFETY: in range; `data` is no part of the mapping, which no Rust reference to plain bytes ever reaches. What other
        // writers do meanwhile can tear the data, which callers expect of shared memory; nothing is assumed of it.
        unsafe {
            std::ptr::copy_nonoverlapping(
                data.as_ptr(),
                self.base.as_ptr().add(offset_bytes),
                data.len(),
            )
        };
        Ok(())
    }

    /// Makes all bytes zero.
    pub fn clear(&self) {
        // SAFETY: in range; for the rest as `write`.
        unsafe { self.base.as_ptr().write_bytes(0, self.len_bytes) };
    }

    /// Writes words. `EFAULT` beyond the end.
    #[inline(always)]
    pub fn write_words<const N: usize>(&self, at_dw: usize, words: &[u32; N]) -> Result<()> {
        match at_dw.checked_add(N) {
            Some(end_dw) if end_dw <= self.len_bytes / 4 => {}
            _ => return Err(Errno::EFAULT),
        }
        // SAFETY: in range, and aligned as `words` says; for the rest as `write`.
        unsafe {
            self.base
                .as_ptr()
                .cast::<[u32; N]>()
                .byte_add(at_dw * 4)
                .write(*words)
        };
        Ok(())
    }

    /// Reads bytes. `EFAULT` beyond the end.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.check(offset_bytes, out.len())?;
        // SAFETY: as `write`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.base.as_ptr().add(offset_bytes),
                out.as_mut_ptr(),
                out.len(),
            )
        };
        Ok(())
    }

    /// Writes the CPU's copies of some bytes back and forgets them: what others have written is read from then on. `EFAULT` beyond the
    /// end. Bytes around them, to whole lines of the cache, are treated likewise.
    pub fn flush_lines(&self, offset_bytes: usize, len_bytes: usize) -> Result<()> {
        self.check(offset_bytes, len_bytes)?;
        let first = offset_bytes & !(LINE_BYTES - 1);
        fence();
        for at in (first..offset_bytes + len_bytes).step_by(LINE_BYTES) {
            // SAFETY: in range: mappings are whole pages. To write a line back changes nothing that this process sees.
            unsafe { flush_line(self.base.as_ptr().add(at)) };
        }
        fence();
        Ok(())
    }

    /// Fills with a byte. `EFAULT` beyond the end.
    pub fn fill(&self, offset_bytes: usize, len_bytes: usize, value: u8) -> Result<()> {
        self.check(offset_bytes, len_bytes)?;
        // SAFETY: as `write`.
        unsafe { std::ptr::write_bytes(self.base.as_ptr().add(offset_bytes), value, len_bytes) };
        Ok(())
    }
}

impl HostPages for Mapping {
    fn words(&self) -> &[AtomicU32] {
        Mapping::words(self)
    }
}

/// A piece of a mapping, with one owner.
#[derive(Debug)]
pub struct Window {
    base: NonNull<u32>,
    len_dw: usize,
    /// Keeps the pages mapped.
    _mapping: Arc<Mapping>,
}

// SAFETY: the words are reached through the window alone, under the rules of `&` and `&mut`.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Mapping {
    /// Cuts the mapping into pieces of `piece_bytes` (a multiple of 4); what is left over at the end is nobody's. Nobody but the
    /// owners of the pieces can write the pages through this mapping any more. For pages that the machine reads alone while one of
    /// the pieces is borrowed.
    pub fn into_windows(self, piece_bytes: usize) -> Vec<Window> {
        let (piece_dw, count) = match piece_bytes / 4 {
            0 => (0, 0),
            piece_dw => (piece_dw, self.len_bytes / 4 / piece_dw),
        };
        let mapping = Arc::new(self);
        let window = |index: usize| Window {
            // SAFETY: `index` is below `count`, so the piece lies within the mapping.
            base: unsafe { mapping.base.cast::<u32>().add(index * piece_dw) },
            len_dw: piece_dw,
            _mapping: mapping.clone(),
        };
        (0..count).map(window).collect()
    }
}

impl Window {
    /// The words.
    #[inline]
    pub fn words(&self) -> &[u32] {
        // SAFETY: mapped for as long as `self`, aligned to words, and no other window has them; every value is valid.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.len_dw) }
    }

    /// The words, to write.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as `words`; `&mut self` makes the borrow the only one.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.len_dw) }
    }

    /// Where its words can be asked for before they are written.
    pub fn ahead(&self) -> Ahead {
        Ahead(self.base.as_ptr().addr())
    }
}

/// Words that are soon to be written; an address that is never followed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ahead(usize);

impl Ahead {
    /// Asks the processor to have the line of a word near when it is written, and does not wait for that.
    #[inline(always)]
    pub fn fetch(self, at_dw: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let place = std::ptr::without_provenance::<i8>(self.0).wrapping_add(at_dw * 4);
            // SAFETY: a hint that may name any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let Owner::Kernel = self.owner {
            // SAFETY: made by `new`, and nobody can hold a reference into it any more.
            unsafe { system_call!(libc::SYS_munmap, self.base.as_ptr(), self.len_bytes) };
        }
    }
}
