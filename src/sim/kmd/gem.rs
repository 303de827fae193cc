//! The GEM ioctls: buffers of a file.
//!
//! In:  handles and arguments of ioctls. Out: their results, or the errno that the real kernel
//!      returns.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::Mapping;
use uapi::i915::{self, MemoryClassInstance};
use uapi::{Errno, Result, Tiling, drm};

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::fence::lock;
use crate::file::File;

/// Domains of the GPU, which SET_DOMAIN does not accept.
const GPU_DOMAINS: u32 = 0x3e;
/// Maximum row pitch of a fenced surface in bytes. Ref: IVB PRM vol. 2, "FENCE".
const MAX_FENCE_STRIDE_BYTES: u32 = 128 * 0x800;

impl File {
    pub(crate) fn buffer(&self, handle: u32) -> Result<Arc<Buffer>> {
        lock(&self.state)
            .buffers
            .get(handle)
            .cloned()
            .ok_or(Errno::ENOENT)
    }

    /// Returns the handle of a buffer, a new one if the file does not have the buffer yet.
    fn insert_buffer(&self, buffer: Arc<Buffer>) -> Result<u32> {
        let mut state = lock(&self.state);
        if let Some(&handle) = state.handle_by_mmap_offset.get(&buffer.mmap_offset) {
            return Ok(handle);
        }
        let offset = buffer.mmap_offset;
        let handle = state.buffers.insert(buffer)?;
        state.handle_by_mmap_offset.insert(offset, handle);
        Ok(handle)
    }

    pub(crate) fn create_buffer(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)> {
        let system = MemoryClassInstance {
            memory_class: i915::MEMORY_CLASS_SYSTEM,
            memory_instance: 0,
        };
        // The only flag concerns local memory, which no simulated GPU has; a region may be listed
        // once.
        if flags != 0 || regions.len() > 1 || regions.iter().any(|region| *region != system) {
            return Err(Errno::EINVAL);
        }
        let rounded = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .filter(|&bytes| bytes > 0)
            .ok_or(Errno::EINVAL)?;
        if rounded > self.device.memory_bytes {
            return Err(Errno::E2BIG);
        }
        let cached = self.device.hw.has(hw::Cap::Llc);
        let handle = self.insert_buffer(Buffer::new(
            rounded,
            self.device.mmap_offset(rounded),
            cached,
        )?)?;
        Ok((handle, rounded))
    }

    /// I915_GEM_USERPTR: a buffer on pages of the process, whose accessibility the caller has
    /// checked.
    pub fn user_buffer(&self, pages: Mapping) -> Result<u32> {
        let bytes = pages.len_bytes() as u64;
        if !bytes.is_multiple_of(PAGE_BYTES) || !(pages.address() as u64).is_multiple_of(PAGE_BYTES)
        {
            return Err(Errno::EINVAL);
        }
        self.insert_buffer(Buffer::user(pages, self.device.mmap_offset(bytes)))
    }

    pub(crate) fn close_buffer(&self, handle: u32) -> Result<()> {
        let (buffer, vms) = {
            let mut state = lock(&self.state);
            // The kernel returns EINVAL here, not ENOENT.
            let buffer = state.buffers.remove(handle).ok_or(Errno::EINVAL)?;
            state.handle_by_mmap_offset.remove(&buffer.mmap_offset);
            (buffer, self.vms(&state))
        };
        for vm in vms {
            vm.unbind(&buffer);
        }
        Ok(())
    }

    pub(crate) fn mmap_offset(&self, handle: u32, flags: u64) -> Result<u64> {
        let buffer = self.buffer(handle)?;
        match flags {
            i915::MMAP_OFFSET_GTT
            | i915::MMAP_OFFSET_WC
            | i915::MMAP_OFFSET_WB
            | i915::MMAP_OFFSET_UC => (),
            // FIXED is for GPUs with local memory.
            i915::MMAP_OFFSET_FIXED => return Err(Errno::ENODEV),
            _ => return Err(Errno::EINVAL),
        }
        // A userptr buffer has no file to map.
        buffer.file().map_err(|_| Errno::ENODEV)?;
        Ok(buffer.mmap_offset)
    }

    /// The file and the size in bytes of the buffer with an mmap offset.
    pub fn mapped_buffer(&self, mmap_offset: u64) -> Result<(OwnedFd, u64)> {
        let state = lock(&self.state);
        let handle = state
            .handle_by_mmap_offset
            .get(&mmap_offset)
            .ok_or(Errno::EINVAL)?;
        let buffer = state.buffers.get(*handle).ok_or(Errno::EINVAL)?;
        let file = buffer
            .file()?
            .try_clone_to_owned()
            .map_err(|_| Errno::EMFILE)?;
        Ok((file, buffer.bytes()))
    }

    /// The file and the size in bytes of a buffer, for GEM_MMAP.
    pub fn buffer_file(&self, handle: u32) -> Result<(OwnedFd, u64)> {
        let buffer = self.buffer(handle)?;
        let file = buffer
            .file()
            .map_err(|_| Errno::ENODEV)?
            .try_clone_to_owned()
            .map_err(|_| Errno::EMFILE)?;
        Ok((file, buffer.bytes()))
    }

    /// I915_GEM_PREAD.
    pub fn gem_pread(&self, handle: u32, offset_bytes: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let buffer = self.buffer(handle)?;
        let (offset, len) = check_range(&buffer, offset_bytes, len_bytes)?;
        self.wait_idle(&buffer, false, i64::MAX)?;
        let mut data = vec![0; len];
        buffer.pages()?.read(offset, &mut data)?;
        Ok(data)
    }

    /// Checks the arguments of I915_GEM_PWRITE before the data are copied from the process.
    pub fn gem_pwrite_check(&self, handle: u32, offset_bytes: u64, len_bytes: u64) -> Result<()> {
        check_range(&*self.buffer(handle)?, offset_bytes, len_bytes).map(drop)
    }

    /// I915_GEM_PWRITE.
    pub fn gem_pwrite(&self, handle: u32, offset_bytes: u64, data: &[u8]) -> Result<()> {
        let buffer = self.buffer(handle)?;
        let (offset, _) = check_range(&buffer, offset_bytes, data.len() as u64)?;
        self.wait_idle(&buffer, true, i64::MAX)?;
        buffer.pages()?.write(offset, data)
    }

    pub(crate) fn set_domain(&self, handle: u32, read: u32, write: u32) -> Result<()> {
        if (read | write) & GPU_DOMAINS != 0 || (write != 0 && read != write) {
            return Err(Errno::EINVAL);
        }
        let buffer = self.buffer(handle)?;
        if read == 0 {
            return Ok(());
        }
        self.wait_idle(&buffer, write != 0, i64::MAX)
    }

    /// Waits for batches that write the buffer, and with `readers_too` for all that use it. `ETIME`
    /// after the deadline, in ns of the monotonic clock.
    pub(crate) fn wait_idle(
        &self,
        buffer: &Buffer,
        readers_too: bool,
        deadline_ns: i64,
    ) -> Result<()> {
        self.device.wait_idle(buffer, readers_too, deadline_ns)
    }

    pub(crate) fn wait_buffer(&self, handle: u32, timeout_ns: i64) -> Result<i64> {
        let buffer = self.buffer(handle)?;
        if timeout_ns < 0 {
            self.wait_idle(&buffer, true, i64::MAX)?;
            return Ok(timeout_ns);
        }
        let deadline = sys::monotonic_ns().saturating_add(timeout_ns);
        self.wait_idle(&buffer, true, deadline)?;
        Ok(deadline
            .saturating_sub(sys::monotonic_ns())
            .clamp(0, timeout_ns))
    }

    pub(crate) fn busy(&self, handle: u32) -> Result<u32> {
        let (used, written) = self.buffer(handle)?.busy()?;
        // Upper half: mask of the engine classes that use it; lower half: class of the writer plus
        // one. One thread here runs the batches of all engines, reported as the render class.
        Ok((u32::from(used) << 16) | u32::from(written))
    }

    pub(crate) fn set_tiling(&self, handle: u32, mode: u32, stride_bytes: u32) -> Result<Tiling> {
        let buffer = self.buffer(handle)?;
        let tile_bytes = match mode {
            i915::TILING_NONE => {
                *lock(&buffer.tiling) = Tiling::default();
                return Ok(Tiling::default());
            }
            i915::TILING_X => 512,
            i915::TILING_Y => 128,
            _ => return Err(Errno::EINVAL),
        };
        if stride_bytes == 0
            || stride_bytes > MAX_FENCE_STRIDE_BYTES
            || !stride_bytes.is_multiple_of(tile_bytes)
        {
            return Err(Errno::EINVAL);
        }
        let tiling = Tiling {
            mode,
            stride_bytes,
            swizzle: i915::BIT_6_SWIZZLE_NONE,
        };
        *lock(&buffer.tiling) = tiling;
        Ok(tiling)
    }

    pub(crate) fn set_caching(&self, handle: u32, caching: u32) -> Result<()> {
        if caching > i915::CACHING_DISPLAY {
            return Err(Errno::EINVAL);
        }
        self.buffer(handle)?.set_caching(caching);
        Ok(())
    }

    pub(crate) fn export(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        if flags & !(drm::PRIME_CLOEXEC | drm::PRIME_RDWR) != 0 {
            return Err(Errno::EINVAL);
        }
        self.device.export_buffer(&self.buffer(handle)?)
    }

    pub(crate) fn import(&self, fd: BorrowedFd<'_>) -> Result<u32> {
        self.insert_buffer(self.device.import_buffer(fd)?)
    }
}

/// Checks that a range lies in a buffer.
fn check_range(buffer: &Buffer, offset_bytes: u64, len_bytes: u64) -> Result<(usize, usize)> {
    match offset_bytes.checked_add(len_bytes) {
        Some(end) if end <= buffer.bytes() => Ok((offset_bytes as usize, len_bytes as usize)),
        _ => Err(Errno::EINVAL),
    }
}

#[cfg(test)]
mod tests;
