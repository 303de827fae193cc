//! Decodes ioctls and calls the simulated kernel.
//!
//! In:  request code and argument address. Out: the argument written back, or an errno. As in the
//!      kernel, the number alone identifies an ioctl; an argument shorter than the kernel's
//!      structure is extended by zeros, a longer one truncated; nothing in it is trusted.
//! Ref: drm.h, i915_drm.h.

use std::os::fd::{BorrowedFd, IntoRawFd, OwnedFd, RawFd};

use kmd::File;
use uapi::drm;
use uapi::i915;
use uapi::{ContextParam, Errno, Exec, ExecFence, ExecObject, Kernel, Result, SyncobjTransfer};

use crate::call::{Call, number_of};
use crate::mmap::map_anywhere;
use crate::mode_ioctl;
use crate::permissions::{self, Client};
use crate::user_memory;

/// Maximum length of a chain of extensions, as in the kernel.
const MAX_EXTENSIONS: usize = 512;

/// Borrows a descriptor of the program for the time of the call.
fn borrow_descriptor(fd: i32) -> Result<BorrowedFd<'static>> {
    sys::identity(fd).map_err(|_| Errno::EBADF)?;
    // SAFETY: it is open; should the program close it meanwhile, calls on it fail or reach another
    // file of the program's, as they would in the kernel.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Executes a drm or i915 ioctl.
///
/// `events` returns the end of the program's descriptor that events are written to.
pub(crate) fn execute(
    file: &File,
    minor: u32,
    request: u32,
    address: u64,
    events: &dyn Fn() -> Result<OwnedFd>,
) -> Result<()> {
    let call = Call {
        file,
        request,
        address,
    };
    let number = request & 0xff;
    let client = match minor < drm::FIRST_RENDER_MINOR {
        false => Client::Render,
        // Who is the master of a simulated display is not modelled. Without one, the device is as
        // the second GPU of a machine, whose primary node a display server has opened first.
        true if file.has_display() => Client::Master,
        true => Client::Primary,
    };
    permissions::check(client, number)?;
    if minor < drm::FIRST_RENDER_MINOR
        && let Some(result) = mode_ioctl::execute(&call, number, events)
    {
        return result;
    }
    if (drm::COMMAND_BASE..drm::COMMAND_END).contains(&number) {
        i915_driver(&call, number)
    } else {
        drm_core(&call, number)
    }
}

/// DMA_BUF_IOCTL_SYNC. Ref: Linux's include/uapi/linux/dma-buf.h.
pub(crate) const DMA_BUF_SYNC: u32 = 0x4008_6200;
/// DMA_BUF_IOCTL_EXPORT_SYNC_FILE.
pub(crate) const DMA_BUF_EXPORT_SYNC_FILE: u32 = 0xc008_6202;
/// DMA_BUF_IOCTL_IMPORT_SYNC_FILE.
pub(crate) const DMA_BUF_IMPORT_SYNC_FILE: u32 = 0x4008_6203;
const DMA_BUF_SYNC_READ: u64 = 1;
const DMA_BUF_SYNC_WRITE: u64 = 2;
const DMA_BUF_SYNC_END: u64 = 4;

/// `struct dma_buf_export_sync_file` and `struct dma_buf_import_sync_file`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct DmaBufSyncFile {
    /// `DMA_BUF_SYNC_READ`, `DMA_BUF_SYNC_WRITE`, or both.
    pub(crate) flags: u32,
    /// The sync file.
    pub(crate) fd: i32,
}

/// Executes the ioctls of dma-bufs; `ENOTTY` for others, and for a descriptor that is not a dma-buf
/// of the simulated device.
pub(crate) fn execute_dma_buf(
    device: &kmd::Device,
    fd: RawFd,
    request: u32,
    address: u64,
) -> Result<()> {
    match request {
        DMA_BUF_SYNC => sync_dma_buf(device, fd, address),
        DMA_BUF_EXPORT_SYNC_FILE => {
            let mut argument: DmaBufSyncFile = user_memory::read(address)?;
            let write = is_write(argument.flags)?;
            let sync_file = device.export_dma_buf_fences(borrow_descriptor(fd)?, write)?;
            argument.fd = install_descriptor(sync_file, true)?;
            user_memory::write_prefix(address, &argument, size_of::<DmaBufSyncFile>())
        }
        DMA_BUF_IMPORT_SYNC_FILE => {
            let argument: DmaBufSyncFile = user_memory::read(address)?;
            let write = is_write(argument.flags)?;
            let sync_file = borrow_descriptor(argument.fd)?;
            device.import_dma_buf_fences(borrow_descriptor(fd)?, sync_file, write)
        }
        _ => Err(Errno::ENOTTY),
    }
}

/// Whether the flags of a [`DmaBufSyncFile`] are those of a write access.
fn is_write(flags: u32) -> Result<bool> {
    match u64::from(flags) {
        DMA_BUF_SYNC_READ => Ok(false),
        flags if flags & !DMA_BUF_SYNC_READ == DMA_BUF_SYNC_WRITE => Ok(true),
        _ => Err(Errno::EINVAL),
    }
}

fn sync_dma_buf(device: &kmd::Device, fd: RawFd, address: u64) -> Result<()> {
    let flags: u64 = user_memory::read(address)?;
    // Simulated caches are coherent: the end of an access needs nothing.
    let write = flags & (DMA_BUF_SYNC_WRITE | DMA_BUF_SYNC_END) == DMA_BUF_SYNC_WRITE;
    if flags > 7 {
        Err(Errno::EINVAL)
    } else {
        device.begin_cpu_access(borrow_descriptor(fd)?, write)
    }
}

/// Name of an ioctl, for traces.
pub(crate) fn name_of(request: u32) -> &'static str {
    let codes = drm::NUMBERS
        .iter()
        .chain(uapi::mode::NUMBERS)
        .chain(i915::NUMBERS)
        .filter(|(name, _)| name.starts_with("DRM_IOCTL_"));
    let mut found = codes.filter(|(_, code)| number_of(*code as u32) == number_of(request));
    found
        .next()
        .map_or("unknown", |(name, _)| name.trim_start_matches("DRM_IOCTL_"))
}

macro_rules! dispatch {
    ($call:expr, $number:expr; $( $module:ident::$code:ident => $type:ty, $work:expr; )*) => {
        $( if $number == number_of($module::$code) {
            return $call.with_argument::<$type>($module::$code, $work);
        } )*
    };
}

fn drm_core(call: &Call<'_>, number: u32) -> Result<()> {
    let file = call.file;
    dispatch! { call, number;
        drm::VERSION => drm::Version, |version| version_into(file, version);
        drm::GEM_CLOSE => drm::GemClose, |close| file.gem_close(close.handle);
        drm::GET_CAP => drm::GetCap, |cap| store(&mut cap.value, file.get_cap(cap.capability));
        drm::PRIME_HANDLE_TO_FD => drm::PrimeHandle, |prime| {
            let fd = file.prime_handle_to_fd(prime.handle, prime.flags)?;
            prime.fd = install_descriptor(fd, prime.flags & drm::PRIME_CLOEXEC != 0)?;
            Ok(())
        };
        drm::PRIME_FD_TO_HANDLE => drm::PrimeHandle, |prime| {
            store(&mut prime.handle, file.prime_fd_to_handle(borrow_descriptor(prime.fd)?))
        };
        drm::SYNCOBJ_CREATE => drm::SyncobjCreate, |create| store(&mut create.handle, file.syncobj_create(create.flags));
        drm::SYNCOBJ_DESTROY => drm::SyncobjDestroy, |destroy| match destroy.pad {
            0 => file.syncobj_destroy(destroy.handle),
            _ => Err(Errno::EINVAL),
        };
        drm::SYNCOBJ_HANDLE_TO_FD => drm::SyncobjHandle, |export| {
            if export.pad != 0 {
                return Err(Errno::EINVAL);
            }
            export.fd = file.syncobj_handle_to_fd(export.handle, export.flags)?.into_raw_fd();
            Ok(())
        };
        drm::SYNCOBJ_FD_TO_HANDLE => drm::SyncobjHandle, |import| {
            if import.pad != 0 {
                return Err(Errno::EINVAL);
            }
            let fd = borrow_descriptor(import.fd).map_err(|_| Errno::EINVAL)?;
            import.handle = file.syncobj_fd_to_handle(fd, import.handle, import.flags)?;
            Ok(())
        };
        drm::SYNCOBJ_WAIT => drm::SyncobjWait, |wait| {
            let handles = user_memory::read_array::<u32>(wait.handles, wait.count_handles.into())?;
            store(&mut wait.first_signaled, file.syncobj_wait(&handles, wait.timeout_nsec, wait.flags))
        };
        drm::SYNCOBJ_TIMELINE_WAIT => drm::SyncobjTimelineWait, |wait| {
            let (handles, points) = read_points(wait.handles, wait.points, wait.count_handles)?;
            let first = file.syncobj_timeline_wait(&handles, &points, wait.timeout_nsec, wait.flags);
            store(&mut wait.first_signaled, first)
        };
        drm::SYNCOBJ_RESET => drm::SyncobjArray, |array| {
            file.syncobj_reset(&user_memory::read_array::<u32>(array.handles, array.count_handles.into())?)
        };
        drm::SYNCOBJ_SIGNAL => drm::SyncobjArray, |array| {
            file.syncobj_signal(&user_memory::read_array::<u32>(array.handles, array.count_handles.into())?)
        };
        drm::SYNCOBJ_TIMELINE_SIGNAL => drm::SyncobjTimelineArray, |array| {
            if array.flags != 0 {
                return Err(Errno::EINVAL);
            }
            let (handles, points) = read_points(array.handles, array.points, array.count_handles)?;
            file.syncobj_timeline_signal(&handles, &points)
        };
        drm::SYNCOBJ_QUERY => drm::SyncobjTimelineArray, |array| {
            let handles = user_memory::read_array::<u32>(array.handles, array.count_handles.into())?;
            user_memory::write_array(array.points, &file.syncobj_query(&handles, array.flags)?)
        };
        drm::SYNCOBJ_EVENTFD => drm::SyncobjEventfd, |watch| {
            // Points that are submitted and not signalled are not watched for.
            if watch.flags != 0 || watch.pad != 0 {
                return Err(Errno::EINVAL);
            }
            file.syncobj_eventfd(watch.handle, watch.point, borrow_descriptor(watch.fd)?)
        };
        drm::SYNCOBJ_TRANSFER => drm::SyncobjTransfer, |transfer| match transfer.pad {
            0 => file.syncobj_transfer(SyncobjTransfer {
                source: transfer.src_handle,
                source_point: transfer.src_point,
                destination: transfer.dst_handle,
                destination_point: transfer.dst_point,
                flags: transfer.flags,
            }),
            _ => Err(Errno::EINVAL),
        };
    }
    Err(Errno::EINVAL)
}

fn i915_driver(call: &Call<'_>, number: u32) -> Result<()> {
    let file = call.file;
    if number == number_of(i915::GEM_THROTTLE) {
        return Ok(());
    }
    dispatch! { call, number;
        i915::GETPARAM => i915::Getparam, |get| user_memory::write_array(get.value, &[file.getparam(get.param)?]);
        i915::QUERY => i915::Query, |query| query_items(file, query);
        i915::REG_READ => i915::RegRead, |read| store(&mut read.val, file.reg_read(read.offset));
        i915::GET_RESET_STATS => i915::ResetStats, |stats| match stats.flags | stats.pad {
            0 => {
                *stats = file.get_reset_stats(stats.ctx_id)?;
                Ok(())
            }
            _ => Err(Errno::EINVAL),
        };
        i915::GEM_EXECBUFFER2 => i915::Execbuffer2, |exec| execbuffer2(file, call.request, exec);
        i915::GEM_BUSY => i915::GemBusy, |busy| store(&mut busy.busy, file.gem_busy(busy.handle));
        i915::GEM_WAIT => i915::GemWait, |wait| match wait.flags {
            0 => {
                wait.timeout_ns = file.gem_wait(wait.bo_handle, wait.timeout_ns)?;
                Ok(())
            }
            _ => Err(Errno::EINVAL),
        };
        i915::GEM_SET_CACHING => i915::GemCaching, |caching| file.gem_set_caching(caching.handle, caching.caching);
        i915::GEM_GET_CACHING => i915::GemCaching, |caching| store(&mut caching.caching, file.gem_get_caching(caching.handle));
        i915::GEM_CREATE => i915::GemCreate, |create| {
            (create.handle, create.size) = file.gem_create(create.size)?;
            Ok(())
        };
        i915::GEM_CREATE_EXT => i915::GemCreateExt, |create| create_ext(file, create);
        i915::GEM_PREAD => i915::GemPread, |read| {
            user_memory::write_bytes(read.data_ptr, &file.gem_pread(read.handle, read.offset, read.size)?)
        };
        i915::GEM_PWRITE => i915::GemPwrite, |write| {
            file.gem_pwrite_check(write.handle, write.offset, write.size)?;
            file.gem_pwrite(write.handle, write.offset, &user_memory::read_bytes(write.data_ptr, write.size)?)
        };
        i915::GEM_MMAP => i915::GemMmap, |map| map_buffer(file, map);
        i915::GEM_MMAP_OFFSET => i915::GemMmapOffset, |map| match (map.pad, map.extensions) {
            (0, 0) => store(&mut map.offset, file.gem_mmap_offset(map.handle, map.flags)),
            _ => Err(Errno::EINVAL),
        };
        i915::GEM_SET_DOMAIN => i915::GemSetDomain, |domain| {
            file.gem_set_domain(domain.handle, domain.read_domains, domain.write_domain)
        };
        i915::GEM_SW_FINISH => i915::GemSwFinish, |finish| file.gem_get_caching(finish.handle).map(drop);
        i915::GEM_SET_TILING => i915::GemSetTiling, |tiling| {
            let now = file.gem_set_tiling(tiling.handle, tiling.tiling_mode, tiling.stride)?;
            (tiling.tiling_mode, tiling.stride, tiling.swizzle_mode) = (now.mode, now.stride_bytes, now.swizzle);
            Ok(())
        };
        i915::GEM_GET_TILING => i915::GemGetTiling, |tiling| {
            let now = file.gem_get_tiling(tiling.handle)?;
            (tiling.tiling_mode, tiling.swizzle_mode, tiling.phys_swizzle_mode) = (now.mode, now.swizzle, now.swizzle);
            Ok(())
        };
        i915::GEM_GET_APERTURE => i915::GemGetAperture, |aperture| store(aperture, file.gem_get_aperture());
        i915::GEM_MADVISE => i915::GemMadvise, |advise| {
            store(&mut advise.retained, file.gem_madvise(advise.handle, advise.madv).map(u32::from))
        };
        i915::GEM_USERPTR => i915::GemUserptr, |user| {
            user.handle = userptr(file, *user)?;
            Ok(())
        };
        i915::GEM_CONTEXT_CREATE_EXT => i915::GemContextCreateExt, |create| create_context(file, create);
        i915::GEM_CONTEXT_DESTROY => i915::GemContextDestroy, |destroy| match destroy.pad {
            0 => file.context_destroy(destroy.ctx_id),
            _ => Err(Errno::EINVAL),
        };
        i915::GEM_CONTEXT_GETPARAM => i915::GemContextParam, |param| get_context_param(file, param);
        i915::GEM_CONTEXT_SETPARAM => i915::GemContextParam, |param| {
            file.context_setparam(param.ctx_id, &context_param(param)?)
        };
        i915::GEM_VM_CREATE => i915::GemVmControl, |vm| match (vm.flags, vm.extensions) {
            (0, 0) => store(&mut vm.vm_id, file.vm_create()),
            _ => Err(Errno::EINVAL),
        };
        i915::GEM_VM_DESTROY => i915::GemVmControl, |vm| match (vm.flags, vm.extensions) {
            (0, 0) => file.vm_destroy(vm.vm_id),
            _ => Err(Errno::EINVAL),
        };
    }
    Err(Errno::EINVAL)
}

fn store<T>(place: &mut T, value: Result<T>) -> Result<()> {
    *place = value?;
    Ok(())
}

/// Hands a descriptor to the program.
fn install_descriptor(fd: std::os::fd::OwnedFd, close_on_exec: bool) -> Result<RawFd> {
    if !close_on_exec {
        sys::clear_cloexec(std::os::fd::AsFd::as_fd(&fd))?;
    }
    Ok(fd.into_raw_fd())
}

fn read_points(handles: u64, points: u64, count: u32) -> Result<(Vec<u32>, Vec<u64>)> {
    let handles = user_memory::read_array::<u32>(handles, count.into())?;
    // Without points, the fences are binary.
    let points = if points == 0 {
        vec![0; handles.len()]
    } else {
        user_memory::read_array::<u64>(points, count.into())?
    };
    Ok((handles, points))
}

fn version_into(file: &File, version: &mut drm::Version) -> Result<()> {
    let version_info = file.version()?;
    [version.major, version.minor, version.patch] = version_info.number;
    let copy_string = |len: &mut u64, address: u64, text: &str| {
        let capacity = usize::try_from(*len).unwrap_or(usize::MAX);
        *len = text.len() as u64;
        let bytes = text.as_bytes();
        if address == 0 {
            Ok(())
        } else {
            user_memory::write_bytes(address, bytes.get(..capacity).unwrap_or(bytes))
        }
    };
    copy_string(&mut version.name_len, version.name, &version_info.name)?;
    copy_string(&mut version.date_len, version.date, &version_info.date)?;
    copy_string(
        &mut version.desc_len,
        version.desc,
        &version_info.description,
    )
}

fn query_items(file: &File, query: &i915::Query) -> Result<()> {
    if query.flags != 0 {
        return Err(Errno::EINVAL);
    }
    let mut items =
        user_memory::read_array::<i915::QueryItem>(query.items_ptr, query.num_items.into())?;
    for item in &mut items {
        item.length = match file.query(item.query_id, item.flags) {
            Ok(blob) => {
                let need = i32::try_from(blob.len()).unwrap_or(i32::MAX);
                match item.length {
                    0 => need,
                    capacity if capacity < need => -Errno::EINVAL.0,
                    _ => user_memory::write_bytes(item.data_ptr, &blob)
                        .map_or_else(|error| -error.0, |()| need),
                }
            }
            Err(error) => -error.0,
        };
    }
    user_memory::write_array(query.items_ptr, &items)
}

/// Walks a chain of extensions and calls `each` with the address and the name of each.
fn for_each_extension(first: u64, mut each: impl FnMut(u64, u32) -> Result<()>) -> Result<()> {
    let mut address = first;
    for _ in 0..MAX_EXTENSIONS {
        if address == 0 {
            return Ok(());
        }
        let link: i915::UserExtension = user_memory::read(address)?;
        if link.flags != 0 || link.rsvd != [0; 4] {
            return Err(Errno::EINVAL);
        }
        each(address, link.name)?;
        address = link.next_extension;
    }
    Err(Errno::E2BIG)
}

fn create_ext(file: &File, create: &mut i915::GemCreateExt) -> Result<()> {
    let mut regions = Vec::new();
    for_each_extension(create.extensions, |address, name| match name {
        i915::GEM_CREATE_EXT_MEMORY_REGIONS => {
            let list: i915::GemCreateExtMemoryRegions = user_memory::read(address)?;
            if list.pad != 0 || list.num_regions == 0 || !regions.is_empty() {
                return Err(Errno::EINVAL);
            }
            regions = user_memory::read_array::<i915::MemoryClassInstance>(
                list.regions,
                list.num_regions.into(),
            )?;
            Ok(())
        }
        // No simulated GPU has protected memory.
        i915::GEM_CREATE_EXT_PROTECTED_CONTENT => Err(Errno::ENODEV),
        _ => Err(Errno::EINVAL),
    })?;
    (create.handle, create.size) = file.gem_create_ext(create.size, create.flags, &regions)?;
    Ok(())
}

fn map_buffer(file: &File, map: &mut i915::GemMmap) -> Result<()> {
    if map.flags & !i915::MMAP_WC != 0 {
        return Err(Errno::EINVAL);
    }
    let (fd, bytes) = file.buffer_file(map.handle)?;
    if map.size == 0
        || map
            .offset
            .checked_add(map.size)
            .is_none_or(|end| end > bytes)
    {
        return Err(Errno::EINVAL);
    }
    map.addr_ptr = map_anywhere(std::os::fd::AsFd::as_fd(&fd), map.offset, map.size)?;
    Ok(())
}

fn userptr(file: &File, user: i915::GemUserptr) -> Result<u32> {
    let known = i915::USERPTR_READ_ONLY | i915::USERPTR_PROBE | i915::USERPTR_UNSYNCHRONIZED;
    let aligned = (user.user_ptr | user.user_size).is_multiple_of(4096);
    if user.flags & !known != 0 || !aligned || user.user_size == 0 || user.user_ptr == 0 {
        return Err(Errno::EINVAL);
    }
    // Read-only pages are not supported by these GPUs, unsynchronised ones not by current kernels.
    if user.flags & (i915::USERPTR_READ_ONLY | i915::USERPTR_UNSYNCHRONIZED) != 0 {
        return Err(Errno::ENODEV);
    }
    let end = user
        .user_ptr
        .checked_add(user.user_size)
        .ok_or(Errno::EFAULT)?;
    // Every page must be readable. A page that is not writable faults later, as on a real machine.
    let mut byte = [0];
    for page in (user.user_ptr..end).step_by(4096) {
        sys::read_process(page, &mut byte)?;
    }
    let base = std::ptr::NonNull::new(user.user_ptr as *mut u8).ok_or(Errno::EFAULT)?;
    // SAFETY: the pages exist and are aligned. The program has promised the kernel that they stay
    // while the buffer lives.
    let pages = unsafe { sys::Mapping::borrow(base, user.user_size as usize) };
    file.user_buffer(pages)
}

fn create_context(file: &File, create: &mut i915::GemContextCreateExt) -> Result<()> {
    let mut params = Vec::new();
    if create.flags & i915::CONTEXT_CREATE_FLAGS_USE_EXTENSIONS != 0 {
        for_each_extension(create.extensions, |address, name| match name {
            i915::CONTEXT_CREATE_EXT_SETPARAM => {
                let setparam: i915::GemContextCreateExtSetparam = user_memory::read(address)?;
                if setparam.param.ctx_id != 0 {
                    return Err(Errno::EINVAL);
                }
                params.push(context_param(&setparam.param)?);
                Ok(())
            }
            _ => Err(Errno::EINVAL),
        })?;
    }
    create.ctx_id = file.context_create(create.flags, &params)?;
    Ok(())
}

fn context_param(param: &i915::GemContextParam) -> Result<ContextParam> {
    let size = u64::from(param.size);
    Ok(match param.param {
        i915::CONTEXT_PARAM_ENGINES => {
            // A chain of extensions, then the engines.
            let count = match size {
                0 => return Err(Errno::EINVAL),
                size => {
                    size.checked_sub(8)
                        .filter(|bytes| bytes.is_multiple_of(4))
                        .ok_or(Errno::EINVAL)?
                        / 4
                }
            };
            let chain: u64 = user_memory::read(param.value)?;
            // The extensions, load balancing and bonding, are for GPUs with several engines of a
            // class.
            if chain != 0 {
                return Err(Errno::EINVAL);
            }
            ContextParam::Engines(user_memory::read_array(param.value.wrapping_add(8), count)?)
        }
        i915::CONTEXT_PARAM_VM if size != 0 => return Err(Errno::EINVAL),
        i915::CONTEXT_PARAM_VM => {
            ContextParam::Vm(u32::try_from(param.value).map_err(|_| Errno::ENOENT)?)
        }
        i915::CONTEXT_PARAM_SSEU if size < size_of::<i915::ContextParamSseu>() as u64 => {
            return Err(Errno::EINVAL);
        }
        i915::CONTEXT_PARAM_SSEU => ContextParam::Sseu(user_memory::read(param.value)?),
        _ if size != 0 => return Err(Errno::EINVAL),
        other => ContextParam::Value {
            param: other,
            value: param.value,
        },
    })
}

fn get_context_param(file: &File, param: &mut i915::GemContextParam) -> Result<()> {
    match param.param {
        i915::CONTEXT_PARAM_SSEU => {
            let need = size_of::<i915::ContextParamSseu>() as u32;
            let sseu = file.context_sseu(param.ctx_id)?;
            match param.size {
                0 => (),
                capacity if capacity < need => return Err(Errno::EINVAL),
                _ => user_memory::write_array(param.value, &[sseu])?,
            }
            param.size = need;
            Ok(())
        }
        i915::CONTEXT_PARAM_ENGINES => {
            let engines = file.context_engines(param.ctx_id)?;
            if engines.is_empty() {
                param.size = 0;
                return Ok(());
            }
            let need = 8 + 4 * engines.len() as u32;
            match param.size {
                0 => (),
                capacity if capacity < need => return Err(Errno::EINVAL),
                _ => {
                    user_memory::write_array(param.value, &[0_u64])?;
                    user_memory::write_array(param.value.wrapping_add(8), &engines)?;
                }
            }
            param.size = need;
            Ok(())
        }
        other => {
            param.size = 0;
            store(&mut param.value, file.context_getparam(param.ctx_id, other))
        }
    }
}

/// Reads the fences of an execbuf: timeline points from an extension, or binary ones from an array.
fn read_exec_fences(exec: &i915::Execbuffer2) -> Result<Vec<ExecFence>> {
    let flags = exec.flags;
    let mut fences = Vec::new();
    if flags & i915::EXEC_USE_EXTENSIONS != 0 {
        if flags & i915::EXEC_FENCE_ARRAY != 0 || exec.num_cliprects != 0 {
            return Err(Errno::EINVAL);
        }
        for_each_extension(exec.cliprects_ptr, |address, name| match name {
            i915::EXECBUFFER_EXT_TIMELINE_FENCES => {
                let list: i915::TimelineFences = user_memory::read(address)?;
                let handles =
                    user_memory::read_array::<i915::ExecFence>(list.handles_ptr, list.fence_count)?;
                let values = user_memory::read_array::<u64>(list.values_ptr, list.fence_count)?;
                let both = handles.iter().zip(values);
                fences.extend(both.map(|(fence, point)| ExecFence {
                    handle: fence.handle,
                    flags: fence.flags,
                    point,
                }));
                Ok(())
            }
            _ => Err(Errno::EINVAL),
        })?;
    } else if flags & i915::EXEC_FENCE_ARRAY != 0 {
        let list = user_memory::read_array::<i915::ExecFence>(
            exec.cliprects_ptr,
            exec.num_cliprects.into(),
        )?;
        fences.extend(list.iter().map(|fence| ExecFence {
            handle: fence.handle,
            flags: fence.flags,
            point: 0,
        }));
    } else if exec.num_cliprects != 0 {
        return Err(Errno::EINVAL);
    }
    Ok(fences)
}

fn execbuffer2(file: &File, request: u32, exec: &mut i915::Execbuffer2) -> Result<()> {
    // These flags are expressed by fields of `Exec`.
    let consumed = i915::EXEC_FENCE_IN
        | i915::EXEC_FENCE_OUT
        | i915::EXEC_FENCE_ARRAY
        | i915::EXEC_USE_EXTENSIONS;
    let flags = exec.flags;
    if exec.dr1 != 0 || exec.dr4 != 0 || exec.buffer_count == 0 {
        return Err(Errno::EINVAL);
    }
    let context = u32::try_from(exec.rsvd1).map_err(|_| Errno::EINVAL)?;
    let fences = read_exec_fences(exec)?;
    // Do not read the list if batches are ignored: that would be most of the cost of a submission.
    let ignored = file.device().ignores_batches();
    let count = if ignored { 0 } else { exec.buffer_count };
    let mut list = user_memory::read_array::<i915::ExecObject2>(exec.buffers_ptr, count.into())?;
    let mut objects = Vec::with_capacity(list.len());
    for object in &list {
        objects.push(ExecObject {
            handle: object.handle,
            address: object.offset,
            alignment_bytes: object.alignment,
            flags: object.flags,
            pad_to_bytes: object.pad_to_size,
            relocations: user_memory::read_array(
                object.relocs_ptr,
                object.relocation_count.into(),
            )?,
        });
    }
    let before: Vec<Vec<i915::RelocationEntry>> = objects
        .iter()
        .map(|object| object.relocations.clone())
        .collect();
    let in_fence = match flags & i915::EXEC_FENCE_IN {
        0 => None,
        _ => Some(borrow_descriptor(exec.rsvd2 as u32 as i32).map_err(|_| Errno::EINVAL)?),
    };
    let out_fence = flags & i915::EXEC_FENCE_OUT != 0;
    // The descriptor is returned in the argument, so the request code must be the one that writes
    // it back.
    if out_fence && request >> 30 & 2 == 0 {
        return Err(Errno::EINVAL);
    }
    let fence = file.execbuffer2(Exec {
        objects: &mut objects,
        batch_start_bytes: exec.batch_start_offset,
        batch_bytes: exec.batch_len,
        flags: flags & !consumed,
        context,
        fences: &fences,
        in_fence,
        out_fence,
    })?;
    if let Some(fence) = fence {
        exec.rsvd2 = exec.rsvd2 & 0xffff_ffff | u64::from(fence.into_raw_fd() as u32) << 32;
    }
    for (object, done) in list.iter_mut().zip(&objects) {
        object.offset = done.address;
    }
    // Errors are ignored, since the batch is already queued.
    let _ = user_memory::write_array(exec.buffers_ptr, &list);
    for ((object, done), before) in list.iter().zip(&objects).zip(&before) {
        if done.relocations != *before {
            let _ = user_memory::write_array(object.relocs_ptr, &done.relocations);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
