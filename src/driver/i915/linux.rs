//! The kernel of this machine: ioctls on a render node.
//!
//! In:  calls of [`Kernel`]. Out: the generic DRM ioctls, through the `drm` crate; the ioctls of
//!      i915, as C structures with addresses of arrays, and the members that the kernel wrote back.
//! Ref: i915 and DRM uapi headers. The `drm` crate calls libc's `ioctl` (its `rustix` is configured
//!      so), which the simulator's preload library replaces.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ::drm::Device as _;
use ::drm::control::{Device as _, from_u32, syncobj};
use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;
use uapi::i915::{self, MemoryClassInstance, ResetStats};
use uapi::{
    ContextParam, DriverVersion, Errno, Exec, HostPages, Kernel, MapFd, Result, SyncobjTransfer,
    Tiling, drm,
};

/// An open render node.
#[derive(Debug)]
struct LinuxKernel {
    descriptor: OwnedFd,
    /// The object list of the last submission, kept to reuse its allocation.
    objects: Mutex<Vec<i915::ExecObject2>>,
}

impl AsFd for LinuxKernel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl ::drm::Device for LinuxKernel {}
impl ::drm::control::Device for LinuxKernel {}

/// Repeats a call of the `drm` crate while it is interrupted.
fn retry<T>(mut call: impl FnMut() -> std::io::Result<T>) -> Result<T> {
    loop {
        match call().map_err(|error| Errno(error.raw_os_error().unwrap_or(Errno::EIO.0))) {
            Err(Errno::EINTR | Errno::EAGAIN) => (),
            result => return result,
        }
    }
}

/// A handle of the `drm` crate, which is never 0, as the kernel never uses 0.
fn nonzero_handle<T: From<std::num::NonZeroU32>>(handle: u32) -> Result<T> {
    from_u32(handle).ok_or(Errno::ENOENT)
}

/// Syncobj handles of the `drm` crate.
fn syncobj_handles(handles: &[u32]) -> Result<SmallVec<[syncobj::Handle; 8]>> {
    handles
        .iter()
        .map(|&handle| nonzero_handle(handle))
        .collect()
}

/// Opens a device node.
pub(crate) fn open(path: &Path) -> Result<Arc<dyn Kernel>> {
    Ok(Arc::new(LinuxKernel {
        descriptor: sys::open_node(path)?,
        objects: Mutex::default(),
    }))
}

/// The kernel's estimate of the memory available for new allocations, in bytes.
pub fn available_memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace()
        .next()?
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// The address of an array that the kernel reads. Its provenance is exposed, so that the compiler
/// assumes accesses through it.
fn address<T>(items: &[T]) -> u64 {
    items.as_ptr().expose_provenance() as u64
}

/// The address of an array that the kernel writes.
fn address_mut<T>(items: &mut [T]) -> u64 {
    items.as_mut_ptr().expose_provenance() as u64
}

/// The length of an array for a 32-bit field.
fn count<T>(items: &[T]) -> Result<u32> {
    u32::try_from(items.len()).map_err(|_| Errno::E2BIG)
}

impl LinuxKernel {
    fn call<T: Pod>(&self, request: u32, argument: &mut T) -> Result<()> {
        sys::ioctl(self.descriptor.as_fd(), request, argument)
    }

    fn call_fd<T: Pod>(
        &self,
        request: u32,
        argument: &mut T,
        descriptor: impl FnOnce(&T) -> i32,
    ) -> Result<OwnedFd> {
        sys::ioctl_fd(self.descriptor.as_fd(), request, argument, descriptor)
    }
}

/// The bytes that a context parameter's value points to; none if the value is a number.
fn param_data(param: &ContextParam) -> Vec<u8> {
    match param {
        ContextParam::Engines(engines) => {
            // struct i915_context_param_engines: a chain of extensions, then the engines.
            let mut bytes = 0u64.to_ne_bytes().to_vec();
            bytes.extend_from_slice(bytemuck::cast_slice(engines));
            bytes
        }
        ContextParam::Sseu(sseu) => bytemuck::bytes_of(sseu).to_vec(),
        ContextParam::Vm(_) | ContextParam::Value { .. } => Vec::new(),
    }
}

/// The ioctl's argument for a context parameter with its [`param_data`], which must exist during
/// the ioctl.
fn param_argument(
    context: u32,
    param: &ContextParam,
    data: &[u8],
) -> Result<i915::GemContextParam> {
    let (param, value) = match param {
        ContextParam::Engines(_) => (i915::CONTEXT_PARAM_ENGINES, address(data)),
        ContextParam::Sseu(_) => (i915::CONTEXT_PARAM_SSEU, address(data)),
        ContextParam::Vm(vm) => (i915::CONTEXT_PARAM_VM, (*vm).into()),
        ContextParam::Value { param, value } => (*param, *value),
    };
    Ok(i915::GemContextParam {
        ctx_id: context,
        size: count(data)?,
        param,
        value,
    })
}

impl Kernel for LinuxKernel {
    fn version(&self) -> Result<DriverVersion> {
        let driver = retry(|| self.get_driver())?;
        let (major, minor, patch) = driver.version;
        Ok(DriverVersion {
            number: [major, minor, patch],
            name: driver.name().to_string_lossy().into(),
            date: driver.date().to_string_lossy().into(),
            description: driver.description().to_string_lossy().into(),
        })
    }

    fn get_cap(&self, capability: u64) -> Result<u64> {
        use ::drm::DriverCapability as Cap;
        // Capabilities of displays are not needed.
        let capability = match capability {
            drm::CAP_PRIME => Cap::Prime,
            drm::CAP_TIMESTAMP_MONOTONIC => Cap::MonotonicTimestamp,
            drm::CAP_ADDFB2_MODIFIERS => Cap::AddFB2Modifiers,
            drm::CAP_SYNCOBJ => Cap::SyncObj,
            drm::CAP_SYNCOBJ_TIMELINE => Cap::TimelineSyncObj,
            _ => return Err(Errno::EINVAL),
        };
        retry(|| self.get_driver_capability(capability))
    }

    fn getparam(&self, param: i32) -> Result<i32> {
        let mut value = [0i32];
        let mut argument = i915::Getparam {
            param,
            value: address_mut(&mut value),
            ..Zeroable::zeroed()
        };
        self.call(i915::GETPARAM, &mut argument)?;
        Ok(value[0])
    }

    fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>> {
        let mut data = Vec::new();
        // The first query returns the length, the second the data.
        for _ in 0..2 {
            let length = i32::try_from(data.len()).map_err(|_| Errno::E2BIG)?;
            let mut item = [i915::QueryItem {
                query_id: id,
                length,
                flags,
                data_ptr: if length == 0 {
                    0
                } else {
                    address_mut(&mut data)
                },
            }];
            let mut argument = i915::Query {
                num_items: 1,
                flags: 0,
                items_ptr: address_mut(&mut item),
            };
            self.call(i915::QUERY, &mut argument)?;
            let length = item[0].length;
            let length = usize::try_from(length).map_err(|_| Errno(-length))?;
            data.resize(length, 0);
        }
        Ok(data)
    }

    fn reg_read(&self, offset: u64) -> Result<u64> {
        let mut argument = i915::RegRead { offset, val: 0 };
        self.call(i915::REG_READ, &mut argument)?;
        Ok(argument.val)
    }

    fn gem_get_aperture(&self) -> Result<i915::GemGetAperture> {
        let mut argument = i915::GemGetAperture::zeroed();
        self.call(i915::GEM_GET_APERTURE, &mut argument)?;
        Ok(argument)
    }

    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)> {
        let mut argument = i915::GemCreate {
            size: bytes,
            ..Zeroable::zeroed()
        };
        self.call(i915::GEM_CREATE, &mut argument)?;
        Ok((argument.handle, argument.size))
    }

    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)> {
        // I915_GEM_CREATE_EXT_MEMORY_REGIONS is extension 0.
        let extension = [i915::GemCreateExtMemoryRegions {
            num_regions: count(regions)?,
            regions: address(regions),
            ..Zeroable::zeroed()
        }];
        let extensions = if regions.is_empty() {
            0
        } else {
            address(&extension)
        };
        let mut argument = i915::GemCreateExt {
            size: bytes,
            handle: 0,
            flags,
            extensions,
        };
        self.call(i915::GEM_CREATE_EXT, &mut argument)?;
        Ok((argument.handle, argument.size))
    }

    fn gem_userptr(&self, pages: Arc<dyn HostPages>) -> Result<u32> {
        let words = pages.words();
        let call = |flags| {
            let mut argument = i915::GemUserptr {
                user_ptr: address(words),
                user_size: size_of_val(words) as u64,
                flags,
                ..Zeroable::zeroed()
            };
            self.call(i915::GEM_USERPTR, &mut argument)?;
            Ok(argument.handle)
        };
        // Kernels before 5.16 do not support probing: they check the pages at their first use.
        match self.getparam(i915::PARAM_HAS_USERPTR_PROBE) {
            Ok(1..) => call(i915::USERPTR_PROBE),
            _ => call(0),
        }
    }

    fn gem_close(&self, handle: u32) -> Result<()> {
        let handle = nonzero_handle(handle)?;
        retry(|| self.close_buffer(handle))
    }

    fn gem_mmap_offset(&self, handle: u32, flags: u64) -> Result<u64> {
        let mut argument = i915::GemMmapOffset {
            handle,
            flags,
            ..Zeroable::zeroed()
        };
        self.call(i915::GEM_MMAP_OFFSET, &mut argument)?;
        Ok(argument.offset)
    }

    fn mapping(&self, mmap_offset: u64) -> Result<(MapFd<'_>, u64)> {
        Ok((MapFd::File(self.descriptor.as_fd()), mmap_offset))
    }

    fn gem_set_domain(&self, handle: u32, read_domains: u32, write_domain: u32) -> Result<()> {
        self.call(
            i915::GEM_SET_DOMAIN,
            &mut i915::GemSetDomain {
                handle,
                read_domains,
                write_domain,
            },
        )
    }

    fn gem_busy(&self, handle: u32) -> Result<u32> {
        let mut argument = i915::GemBusy { handle, busy: 0 };
        self.call(i915::GEM_BUSY, &mut argument)?;
        Ok(argument.busy)
    }

    fn gem_wait(&self, handle: u32, timeout_ns: i64) -> Result<i64> {
        let mut argument = i915::GemWait {
            bo_handle: handle,
            flags: 0,
            timeout_ns,
        };
        self.call(i915::GEM_WAIT, &mut argument)?;
        Ok(argument.timeout_ns)
    }

    fn gem_madvise(&self, handle: u32, advice: u32) -> Result<bool> {
        let mut argument = i915::GemMadvise {
            handle,
            madv: advice,
            retained: 0,
        };
        self.call(i915::GEM_MADVISE, &mut argument)?;
        Ok(argument.retained != 0)
    }

    fn gem_set_tiling(&self, handle: u32, mode: u32, stride_bytes: u32) -> Result<Tiling> {
        let mut argument = i915::GemSetTiling {
            handle,
            tiling_mode: mode,
            stride: stride_bytes,
            ..Zeroable::zeroed()
        };
        self.call(i915::GEM_SET_TILING, &mut argument)?;
        Ok(Tiling {
            mode: argument.tiling_mode,
            stride_bytes: argument.stride,
            swizzle: argument.swizzle_mode,
        })
    }

    fn gem_get_tiling(&self, handle: u32) -> Result<Tiling> {
        let mut argument = i915::GemGetTiling {
            handle,
            ..Zeroable::zeroed()
        };
        self.call(i915::GEM_GET_TILING, &mut argument)?;
        Ok(Tiling {
            mode: argument.tiling_mode,
            stride_bytes: 0,
            swizzle: argument.swizzle_mode,
        })
    }

    fn gem_set_caching(&self, handle: u32, caching: u32) -> Result<()> {
        self.call(
            i915::GEM_SET_CACHING,
            &mut i915::GemCaching { handle, caching },
        )
    }

    fn gem_get_caching(&self, handle: u32) -> Result<u32> {
        let mut argument = i915::GemCaching { handle, caching: 0 };
        self.call(i915::GEM_GET_CACHING, &mut argument)?;
        Ok(argument.caching)
    }

    fn prime_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        let handle = nonzero_handle(handle)?;
        retry(|| self.buffer_to_prime_fd(handle, flags))
    }

    fn prime_fd_to_handle(&self, dma_buf: BorrowedFd<'_>) -> Result<u32> {
        retry(|| self.prime_fd_to_buffer(dma_buf)).map(u32::from)
    }

    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32> {
        // One chain of extensions: after creation, graphics versions above 12 refuse an engine map.
        let data: Vec<Vec<u8>> = params.iter().map(param_data).collect();
        let mut chain = Vec::with_capacity(params.len());
        for (param, data) in params.iter().zip(&data) {
            chain.push(i915::GemContextCreateExtSetparam {
                // I915_CONTEXT_CREATE_EXT_SETPARAM is extension 0.
                base: Zeroable::zeroed(),
                param: param_argument(0, param, data)?,
            });
        }
        let first = address_mut(&mut chain);
        let bytes = size_of::<i915::GemContextCreateExtSetparam>() as u64;
        let links = chain.iter_mut().rev().skip(1).rev();
        for (link, next) in links.zip((1..).map(|index| first + index * bytes)) {
            link.base.next_extension = next;
        }
        let mut argument = i915::GemContextCreateExt {
            flags,
            ..Zeroable::zeroed()
        };
        if !chain.is_empty() {
            argument.flags |= i915::CONTEXT_CREATE_FLAGS_USE_EXTENSIONS;
            argument.extensions = address(&chain);
        }
        self.call(i915::GEM_CONTEXT_CREATE_EXT, &mut argument)?;
        Ok(argument.ctx_id)
    }

    fn context_destroy(&self, context: u32) -> Result<()> {
        self.call(
            i915::GEM_CONTEXT_DESTROY,
            &mut i915::GemContextDestroy {
                ctx_id: context,
                pad: 0,
            },
        )
    }

    fn context_getparam(&self, context: u32, param: u64) -> Result<u64> {
        let mut argument = i915::GemContextParam {
            ctx_id: context,
            param,
            ..Zeroable::zeroed()
        };
        self.call(i915::GEM_CONTEXT_GETPARAM, &mut argument)?;
        Ok(argument.value)
    }

    fn context_setparam(&self, context: u32, param: &ContextParam) -> Result<()> {
        let data = param_data(param);
        let mut argument = param_argument(context, param, &data)?;
        self.call(i915::GEM_CONTEXT_SETPARAM, &mut argument)
    }

    fn vm_create(&self) -> Result<u32> {
        let mut argument = i915::GemVmControl::zeroed();
        self.call(i915::GEM_VM_CREATE, &mut argument)?;
        Ok(argument.vm_id)
    }

    fn vm_destroy(&self, vm: u32) -> Result<()> {
        self.call(
            i915::GEM_VM_DESTROY,
            &mut i915::GemVmControl {
                vm_id: vm,
                ..Zeroable::zeroed()
            },
        )
    }

    fn get_reset_stats(&self, context: u32) -> Result<ResetStats> {
        let mut argument = ResetStats {
            ctx_id: context,
            ..Zeroable::zeroed()
        };
        self.call(i915::GET_RESET_STATS, &mut argument)?;
        Ok(argument)
    }

    fn execbuffer2(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>> {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        objects.clear();
        let mut longest: &[i915::RelocationEntry] = &[];
        objects.extend(exec.objects.iter().map(|object| {
            if object.relocations.len() > longest.len() {
                longest = &object.relocations;
            }
            i915::ExecObject2 {
                handle: object.handle,
                // The length of `longest` is checked below.
                relocation_count: object.relocations.len() as u32,
                relocs_ptr: address(&object.relocations),
                alignment: object.alignment_bytes,
                offset: object.address,
                flags: object.flags,
                pad_to_size: object.pad_to_bytes,
                ..Zeroable::zeroed()
            }
        }));
        count(longest)?;
        let mut fences: SmallVec<[i915::ExecFence; 8]> = SmallVec::new();
        fences.extend(exec.fences.iter().map(|fence| i915::ExecFence {
            handle: fence.handle,
            flags: fence.flags,
        }));
        let mut points: SmallVec<[u64; 8]> = SmallVec::new();
        points.extend(exec.fences.iter().map(|fence| fence.point));
        // DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES is extension 0.
        let timelines = [i915::TimelineFences {
            fence_count: fences.len() as u64,
            handles_ptr: address(&fences),
            values_ptr: address(&points),
            ..Zeroable::zeroed()
        }];
        let mut argument = i915::Execbuffer2 {
            buffers_ptr: address_mut(&mut objects),
            buffer_count: count(&objects)?,
            batch_start_offset: exec.batch_start_bytes,
            batch_len: exec.batch_bytes,
            flags: exec.flags,
            rsvd1: exec.context.into(),
            ..Zeroable::zeroed()
        };
        if points.iter().any(|&point| point != 0) {
            argument.flags |= i915::EXEC_USE_EXTENSIONS;
            argument.cliprects_ptr = address(&timelines);
        } else if !fences.is_empty() {
            argument.flags |= i915::EXEC_FENCE_ARRAY;
            argument.num_cliprects = count(&fences)?;
            argument.cliprects_ptr = address(&fences);
        }
        if let Some(fence) = exec.in_fence {
            argument.flags |= i915::EXEC_FENCE_IN;
            argument.rsvd2 = fence.as_raw_fd() as u32 as u64;
        }
        let out_fence = if exec.out_fence {
            argument.flags |= i915::EXEC_FENCE_OUT;
            let out_fence = |argument: &i915::Execbuffer2| (argument.rsvd2 >> 32) as i32;
            Some(self.call_fd(i915::GEM_EXECBUFFER2_WR, &mut argument, out_fence)?)
        } else {
            self.call(i915::GEM_EXECBUFFER2, &mut argument)?;
            None
        };
        for (object, after) in exec.objects.iter_mut().zip(objects.iter()) {
            object.address = after.offset;
        }
        Ok(out_fence)
    }

    fn syncobj_create(&self, flags: u32) -> Result<u32> {
        let signalled = flags & drm::SYNCOBJ_CREATE_SIGNALED != 0;
        retry(|| self.create_syncobj(signalled)).map(u32::from)
    }

    fn syncobj_destroy(&self, handle: u32) -> Result<()> {
        let handle = nonzero_handle(handle)?;
        retry(|| self.destroy_syncobj(handle))
    }

    fn syncobj_wait(&self, handles: &[u32], deadline_ns: i64, flags: u32) -> Result<u32> {
        let handles = syncobj_handles(handles)?;
        let all = flags & drm::SYNCOBJ_WAIT_ALL != 0;
        let submit = flags & drm::SYNCOBJ_WAIT_FOR_SUBMIT != 0;
        retry(|| ::drm::control::Device::syncobj_wait(self, &handles, deadline_ns, all, submit))
    }

    fn syncobj_timeline_wait(
        &self,
        handles: &[u32],
        points: &[u64],
        deadline_ns: i64,
        flags: u32,
    ) -> Result<u32> {
        same_length(handles, points)?;
        let handles = syncobj_handles(handles)?;
        let all = flags & drm::SYNCOBJ_WAIT_ALL != 0;
        let submit = flags & drm::SYNCOBJ_WAIT_FOR_SUBMIT != 0;
        let available = flags & drm::SYNCOBJ_WAIT_AVAILABLE != 0;
        retry(|| {
            ::drm::control::Device::syncobj_timeline_wait(
                self,
                &handles,
                points,
                deadline_ns,
                all,
                submit,
                available,
            )
        })
    }

    fn syncobj_reset(&self, handles: &[u32]) -> Result<()> {
        let handles = syncobj_handles(handles)?;
        retry(|| ::drm::control::Device::syncobj_reset(self, &handles))
    }

    fn syncobj_signal(&self, handles: &[u32]) -> Result<()> {
        let handles = syncobj_handles(handles)?;
        retry(|| ::drm::control::Device::syncobj_signal(self, &handles))
    }

    fn syncobj_timeline_signal(&self, handles: &[u32], points: &[u64]) -> Result<()> {
        same_length(handles, points)?;
        let handles = syncobj_handles(handles)?;
        retry(|| ::drm::control::Device::syncobj_timeline_signal(self, &handles, points))
    }

    fn syncobj_query(&self, handles: &[u32], flags: u32) -> Result<Vec<u64>> {
        let handles = syncobj_handles(handles)?;
        let mut points = vec![0u64; handles.len()];
        let submitted = flags & drm::SYNCOBJ_QUERY_LAST_SUBMITTED != 0;
        retry(|| self.syncobj_timeline_query(&handles, &mut points, submitted))?;
        Ok(points)
    }

    fn syncobj_eventfd(&self, handle: u32, point: u64, eventfd: BorrowedFd<'_>) -> Result<()> {
        let handle = nonzero_handle(handle)?;
        retry(|| ::drm::control::Device::syncobj_eventfd(self, handle, point, eventfd, false))
    }

    fn syncobj_transfer(&self, transfer: SyncobjTransfer) -> Result<()> {
        // The `drm` crate's call has no flags.
        let mut argument = drm::SyncobjTransfer {
            src_handle: transfer.source,
            dst_handle: transfer.destination,
            src_point: transfer.source_point,
            dst_point: transfer.destination_point,
            flags: transfer.flags,
            pad: 0,
        };
        self.call(drm::SYNCOBJ_TRANSFER, &mut argument)
    }

    fn syncobj_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        let handle = nonzero_handle(handle)?;
        let sync_file = flags & drm::SYNCOBJ_FD_SYNC_FILE != 0;
        retry(|| self.syncobj_to_fd(handle, sync_file))
    }

    fn syncobj_fd_to_handle(&self, fd: BorrowedFd<'_>, handle: u32, flags: u32) -> Result<u32> {
        // The `drm` crate's call cannot import a sync file into an existing syncobj.
        let mut argument = drm::SyncobjHandle {
            handle,
            flags,
            fd: fd.as_raw_fd(),
            pad: 0,
        };
        self.call(drm::SYNCOBJ_FD_TO_HANDLE, &mut argument)?;
        Ok(argument.handle)
    }
}

/// Checks that there are as many points as handles.
fn same_length(handles: &[u32], points: &[u64]) -> Result<()> {
    if handles.len() == points.len() {
        Ok(())
    } else {
        Err(Errno::EINVAL)
    }
}
