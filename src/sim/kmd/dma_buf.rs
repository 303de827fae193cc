//! Ioctls on dma-bufs.
//!
//! In:  a dma-buf of this device. Out: waits for batches that use it, and sync files of them; later
//!      batches wait for the fences of a sync file.
//! Ref: Linux's include/uapi/linux/dma-buf.h and Documentation/driver-api/dma-buf.rst, "DMA fences
//!      uABI/Sync File".

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use uapi::{Errno, Result};

use crate::device::{Device, POLL_INTERVAL};

impl Device {
    /// DMA_BUF_IOCTL_SYNC at the start of a CPU access: waits for batches that write the buffer
    /// and, for a write access, for all that use it. `ENOTTY` if the descriptor is not a dma-buf of
    /// this device.
    pub fn begin_cpu_access(&self, dma_buf: BorrowedFd<'_>, write: bool) -> Result<()> {
        let buffer = self.dma_buf_buffer(dma_buf)?;
        self.wait_idle(&buffer, write, i64::MAX)
    }

    /// DMA_BUF_IOCTL_EXPORT_SYNC_FILE: a sync file of the batches that a reader or, with `write`, a
    /// writer has to wait for. `ENOTTY` if the descriptor is not a dma-buf of this device.
    ///
    /// Batches of other processes have no fences here: the call waits for those, where the kernel
    /// returns at once.
    pub fn export_dma_buf_fences(&self, dma_buf: BorrowedFd<'_>, write: bool) -> Result<OwnedFd> {
        let buffer = self.dma_buf_buffer(dma_buf)?;
        while !buffer.other_processes_idle(write)? {
            std::thread::sleep(POLL_INTERVAL);
        }
        self.export_sync_file(buffer.conflicting_fences(write))
    }

    /// DMA_BUF_IOCTL_IMPORT_SYNC_FILE: later batches treat the fences of a sync file as those of
    /// batches that read or, with `write`, write the buffer. `ENOTTY` if the descriptor is not a
    /// dma-buf of this device, `EINVAL` if the other one is not a sync file of it.
    ///
    /// For other processes, the buffer is locked until the fences are signalled. If a batch of one
    /// of them uses the buffer, the call waits for it first, where the kernel returns at once.
    pub fn import_dma_buf_fences(
        &self,
        dma_buf: BorrowedFd<'_>,
        sync_file: BorrowedFd<'_>,
        write: bool,
    ) -> Result<()> {
        let buffer = self.dma_buf_buffer(dma_buf)?;
        let fences = self.import_sync_file(sync_file)?;
        let locks = buffer.dma_buf_locks().ok_or(Errno::ENOTTY)?;
        let access = loop {
            if let Some(access) = locks.try_begin(write, false)? {
                break Arc::new(access);
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        for fence in &fences {
            buffer.add_batch(fence, write);
            fence.retain_until_signalled(access.clone());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
