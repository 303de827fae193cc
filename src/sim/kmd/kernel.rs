//! Implements `uapi::Kernel` for an open file: one method for each ioctl.
//!
//! In:  arguments of ioctls. Out: their results, or an errno.
//! Ref: Linux, include/uapi/drm/i915_drm.h, drm.h.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::Mapping;
use uapi::i915::{self, GemGetAperture, MemoryClassInstance, ResetStats};
use uapi::{
    ContextParam, DriverVersion, Errno, Exec, HostPages, Kernel, MapFd, Result, SyncobjTransfer,
    Tiling, drm,
};

use crate::fence::lock;
use crate::file::File;

impl Kernel for File {
    fn version(&self) -> Result<DriverVersion> {
        Ok(self.device.version())
    }

    fn get_cap(&self, capability: u64) -> Result<u64> {
        self.device.cap(capability)
    }

    fn getparam(&self, param: i32) -> Result<i32> {
        self.device.getparam(param)
    }

    fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>> {
        self.device.query(id, flags)
    }

    fn reg_read(&self, offset: u64) -> Result<u64> {
        self.device.reg_read(offset)
    }

    fn gem_get_aperture(&self) -> Result<GemGetAperture> {
        let bytes = self.device.gtt_bytes().min(1 << 32);
        Ok(GemGetAperture {
            aper_size: bytes,
            aper_available_size: bytes,
        })
    }

    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)> {
        self.create_buffer(bytes, 0, &[])
    }

    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)> {
        self.create_buffer(bytes, flags, regions)
    }

    fn gem_userptr(&self, pages: Arc<dyn HostPages>) -> Result<u32> {
        self.user_buffer(Mapping::of_host(pages)?)
    }

    fn gem_close(&self, handle: u32) -> Result<()> {
        self.close_buffer(handle)
    }

    fn gem_mmap_offset(&self, handle: u32, flags: u64) -> Result<u64> {
        self.mmap_offset(handle, flags)
    }

    fn mapping(&self, mmap_offset: u64) -> Result<(MapFd<'_>, u64)> {
        let (file, _) = self.mapped_buffer(mmap_offset)?;
        Ok((MapFd::Made(file), 0))
    }

    fn gem_set_domain(&self, handle: u32, read_domains: u32, write_domain: u32) -> Result<()> {
        self.set_domain(handle, read_domains, write_domain)
    }

    fn gem_busy(&self, handle: u32) -> Result<u32> {
        self.busy(handle)
    }

    fn gem_wait(&self, handle: u32, timeout_ns: i64) -> Result<i64> {
        self.wait_buffer(handle, timeout_ns)
    }

    fn gem_madvise(&self, handle: u32, advice: u32) -> Result<bool> {
        self.buffer(handle)?;
        // The simulated kernel never reclaims pages, so they are always retained.
        if advice > i915::MADV_DONTNEED {
            Err(Errno::EINVAL)
        } else {
            Ok(true)
        }
    }

    fn gem_set_tiling(&self, handle: u32, mode: u32, stride_bytes: u32) -> Result<Tiling> {
        self.set_tiling(handle, mode, stride_bytes)
    }

    fn gem_get_tiling(&self, handle: u32) -> Result<Tiling> {
        Ok(*lock(&self.buffer(handle)?.tiling))
    }

    fn gem_set_caching(&self, handle: u32, caching: u32) -> Result<()> {
        self.set_caching(handle, caching)
    }

    fn gem_get_caching(&self, handle: u32) -> Result<u32> {
        Ok(self
            .buffer(handle)?
            .caching
            .load(std::sync::atomic::Ordering::Relaxed))
    }

    fn prime_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        self.export(handle, flags)
    }

    fn prime_fd_to_handle(&self, dma_buf: BorrowedFd<'_>) -> Result<u32> {
        self.import(dma_buf)
    }

    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32> {
        self.create_context(flags, params)
    }

    fn context_destroy(&self, context: u32) -> Result<()> {
        self.destroy_context(context)
    }

    fn context_getparam(&self, context: u32, param: u64) -> Result<u64> {
        self.get_context_param(context, param)
    }

    fn context_setparam(&self, context: u32, param: &ContextParam) -> Result<()> {
        self.set_context_param(context, param)
    }

    fn vm_create(&self) -> Result<u32> {
        self.create_vm()
    }

    fn vm_destroy(&self, vm: u32) -> Result<()> {
        self.destroy_vm(vm)
    }

    fn get_reset_stats(&self, context: u32) -> Result<ResetStats> {
        self.reset_stats(context)
    }

    fn execbuffer2(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>> {
        self.execute(exec)
    }

    fn syncobj_create(&self, flags: u32) -> Result<u32> {
        self.create_syncobj(flags)
    }

    fn syncobj_destroy(&self, handle: u32) -> Result<()> {
        self.destroy_syncobj(handle)
    }

    fn syncobj_wait(&self, handles: &[u32], deadline_ns: i64, flags: u32) -> Result<u32> {
        if handles.is_empty()
            || flags & !(drm::SYNCOBJ_WAIT_ALL | drm::SYNCOBJ_WAIT_FOR_SUBMIT) != 0
        {
            return Err(Errno::EINVAL);
        }
        self.wait_syncobjs(handles, &vec![0; handles.len()], deadline_ns, flags)
    }

    fn syncobj_timeline_wait(
        &self,
        handles: &[u32],
        points: &[u64],
        deadline_ns: i64,
        flags: u32,
    ) -> Result<u32> {
        let known =
            drm::SYNCOBJ_WAIT_ALL | drm::SYNCOBJ_WAIT_FOR_SUBMIT | drm::SYNCOBJ_WAIT_AVAILABLE;
        if flags & !known != 0 || handles.len() != points.len() {
            return Err(Errno::EINVAL);
        }
        self.wait_syncobjs(handles, points, deadline_ns, flags)
    }

    fn syncobj_reset(&self, handles: &[u32]) -> Result<()> {
        self.reset_syncobjs(handles)
    }

    fn syncobj_signal(&self, handles: &[u32]) -> Result<()> {
        self.signal_syncobjs(handles)
    }

    fn syncobj_timeline_signal(&self, handles: &[u32], points: &[u64]) -> Result<()> {
        if handles.len() != points.len() {
            return Err(Errno::EINVAL);
        }
        self.signal_timelines(handles, points)
    }

    fn syncobj_query(&self, handles: &[u32], flags: u32) -> Result<Vec<u64>> {
        self.query_syncobjs(handles, flags)
    }

    fn syncobj_eventfd(&self, handle: u32, point: u64, eventfd: BorrowedFd<'_>) -> Result<()> {
        self.watch_syncobj(handle, point, eventfd)
    }

    fn syncobj_transfer(&self, transfer: SyncobjTransfer) -> Result<()> {
        self.transfer(transfer)
    }

    fn syncobj_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        self.export_syncobj(handle, flags)
    }

    fn syncobj_fd_to_handle(&self, fd: BorrowedFd<'_>, handle: u32, flags: u32) -> Result<u32> {
        self.import_syncobj(fd, handle, flags)
    }
}
