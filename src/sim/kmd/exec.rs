//! EXECBUFFER2: from a list of buffers to a queued batch.
//!
//! In:  the arguments of the ioctl. Out: a [`Job`] in the worker's queue, fences attached, or an
//!      errno.
//! Ref: i915_drm.h, struct drm_i915_gem_execbuffer2 and drm_i915_gem_exec_object2.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use uapi::i915::{self, EngineClassInstance};
use uapi::{Errno, Exec, ExecFence, ExecObject, Result};

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::context::Context;
use crate::device::POLL_INTERVAL;
use crate::dma_buf_locks::BufferAccess;
use crate::fence::{Fence, lock};
use crate::file::{File, FileState};
use crate::job::Job;
use crate::query::engines;
use crate::syncobj::Syncobj;
use crate::vm::{BindRequest, Binding, canonical, decanonical};

/// The accepted flags. Those for constants and the resource streamer belong to older GPUs and
/// kernels.
const KNOWN_FLAGS: u64 = i915::EXEC_RING_MASK
    | i915::EXEC_GEN7_SOL_RESET
    | i915::EXEC_IS_PINNED
    | i915::EXEC_NO_RELOC
    | i915::EXEC_HANDLE_LUT
    | i915::EXEC_BSD_MASK
    | i915::EXEC_BATCH_FIRST;

const KNOWN_OBJECT_FLAGS: u64 = (i915::EXEC_OBJECT_CAPTURE << 1) - 1;

/// The fences of an execbuf, resolved.
#[derive(Default)]
struct Fences {
    waits: Vec<Arc<Fence>>,
    signals: Vec<(Arc<Syncobj>, u64)>,
}

impl File {
    /// Executes EXECBUFFER2: binds the buffers and queues the batch. Returns the out-fence if one
    /// is requested.
    pub(crate) fn execute(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>> {
        if self.device.null {
            return self.execute_null(&exec);
        }
        self.check_flags(&exec)?;
        let (context, engine, slot, buffers, mut fences) = {
            let state = lock(&self.state);
            let context = self.context(&state, exec.context)?;
            let (engine, slot) = self.engine(&context, exec.flags)?;
            let buffers = lookup(&state, exec.objects)?;
            (
                context,
                engine,
                slot,
                buffers,
                self.fences(&state, exec.fences)?,
            )
        };
        if context.is_banned() {
            return Err(Errno::EIO);
        }
        if let Some(fd) = exec.in_fence {
            fences.waits.extend(self.device.import_sync_file(fd)?);
        }
        let (batch_index, batch_bytes) = find_batch(&exec, &buffers)?;

        let requests = self.bind_requests(exec.objects, &buffers)?;
        let vm = lock(&context.settings).vm.clone();
        let bindings = vm.bind_buffers(&requests)?;
        self.relocate(exec.objects, &bindings, exec.flags)?;

        // Map the pages now: nothing may fail after the batch has been queued.
        for buffer in &buffers {
            buffer.pages()?;
        }
        let done = Fence::new();
        let out_fence = match exec.out_fence {
            true => Some(self.device.export_sync_file(vec![done.clone()])?),
            false => None,
        };
        for (object, buffer) in exec.objects.iter().zip(&buffers) {
            let write = object.flags & i915::EXEC_OBJECT_WRITE != 0;
            if object.flags & i915::EXEC_OBJECT_ASYNC == 0 {
                fences.waits.extend(buffer.conflicting_fences(write));
            }
        }
        let batch_address = bindings
            .get(batch_index)
            .map(|binding| binding.address + u64::from(exec.batch_start_bytes))
            .ok_or(Errno::EINVAL)?;
        let accesses = begin_shared_accesses(exec.objects, &buffers)?;
        let job = Job {
            context,
            engine,
            slot,
            bindings,
            batch_address,
            batch_bytes,
            wait_fences: fences.waits,
            accesses,
            done_fence: done.clone(),
        };
        self.device.worker.submit(job)?;
        self.device.wait_queue.notify_with(|| {
            for (object, buffer) in exec.objects.iter().zip(&buffers) {
                buffer.add_batch(&done, object.flags & i915::EXEC_OBJECT_WRITE != 0);
            }
            for (syncobj, point) in &fences.signals {
                match point {
                    0 => syncobj.replace(std::slice::from_ref(&done)),
                    point => syncobj.add_point(*point, std::slice::from_ref(&done)),
                }
            }
        });
        Ok(out_fence)
    }

    /// Checks the flags, the batch's alignment and that there are buffers.
    fn check_flags(&self, exec: &Exec<'_>) -> Result<()> {
        // Only the gen7 kernel resets stream output offsets.
        let sol_reset = exec.flags & i915::EXEC_GEN7_SOL_RESET != 0;
        let unknown = exec.flags & !KNOWN_FLAGS != 0;
        let unaligned = (exec.batch_start_bytes | exec.batch_bytes) & 7 != 0;
        let bad_reset = sol_reset && self.device.hw.hw_gen > hw::Gen::Gen7_5;
        match unknown || bad_reset || unaligned || exec.objects.is_empty() {
            true => Err(Errno::EINVAL),
            false => Ok(()),
        }
    }

    /// The null device: executes nothing and signals the batch's fences at once.
    fn execute_null(&self, exec: &Exec<'_>) -> Result<Option<OwnedFd>> {
        let done = [Fence::signalled()];
        let state = lock(&self.state);
        for fence in exec.fences {
            if fence.flags & i915::EXEC_FENCE_SIGNAL == 0 {
                continue;
            }
            let syncobj = state.syncobjs.get(fence.handle).ok_or(Errno::ENOENT)?;
            self.device.wait_queue.notify_with(|| match fence.point {
                0 => syncobj.replace(&done),
                point => syncobj.add_point(point, &done),
            });
        }
        match exec.out_fence {
            true => self.device.export_sync_file(done.to_vec()).map(Some),
            false => Ok(None),
        }
    }

    /// The engine that the flags select, and its index in the context.
    fn engine(&self, context: &Context, flags: u64) -> Result<(EngineClassInstance, u32)> {
        let index = flags & i915::EXEC_RING_MASK;
        let there = engines(self.device.hw);
        let engine = match &lock(&context.settings).engines {
            Some(list) => *usize::try_from(index)
                .ok()
                .and_then(|index| list.get(index))
                .ok_or(Errno::EINVAL)?,
            None => {
                let engine_class = match index {
                    i915::EXEC_DEFAULT | i915::EXEC_RENDER => i915::ENGINE_CLASS_RENDER,
                    i915::EXEC_BSD => i915::ENGINE_CLASS_VIDEO,
                    i915::EXEC_BLT => i915::ENGINE_CLASS_COPY,
                    i915::EXEC_VEBOX => i915::ENGINE_CLASS_VIDEO_ENHANCE,
                    _ => return Err(Errno::EINVAL),
                };
                if flags & i915::EXEC_BSD_MASK != 0 && engine_class != i915::ENGINE_CLASS_VIDEO {
                    return Err(Errno::EINVAL);
                }
                EngineClassInstance {
                    engine_class,
                    engine_instance: 0,
                }
            }
        };
        // A slot of the context may be empty, and a GPU may lack an engine.
        if !there.contains(&engine) {
            return Err(Errno::EINVAL);
        }
        Ok((engine, index as u32))
    }

    fn fences(&self, state: &FileState, list: &[ExecFence]) -> Result<Fences> {
        let mut fences = Fences::default();
        for fence in list {
            if fence.flags & !(i915::EXEC_FENCE_WAIT | i915::EXEC_FENCE_SIGNAL) != 0 {
                return Err(Errno::EINVAL);
            }
            let syncobj = state.syncobjs.get(fence.handle).ok_or(Errno::ENOENT)?;
            if fence.flags & i915::EXEC_FENCE_WAIT != 0 {
                // A point without a fence, because nothing has been submitted, cannot be waited
                // for.
                fences
                    .waits
                    .extend(syncobj.find(fence.point).ok_or(Errno::EINVAL)?);
            }
            if fence.flags & i915::EXEC_FENCE_SIGNAL != 0 {
                fences.signals.push((syncobj.clone(), fence.point));
            }
        }
        Ok(fences)
    }

    /// Checks the addresses, flags and sizes of the buffers.
    fn bind_requests(
        &self,
        objects: &[ExecObject],
        buffers: &[Arc<Buffer>],
    ) -> Result<Vec<(Arc<Buffer>, BindRequest)>> {
        let has_48_bits = self.device.hw.has(hw::Cap::Softpin48);
        let request = |(object, buffer): (&ExecObject, &Arc<Buffer>)| {
            let fixed = object.flags & i915::EXEC_OBJECT_PINNED != 0;
            let alignment_bytes = object.alignment_bytes.max(PAGE_BYTES);
            let address = decanonical(object.address);
            let bad_alignment =
                object.alignment_bytes != 0 && !object.alignment_bytes.is_power_of_two();
            let bad_address = fixed
                && (canonical(address) != object.address || !address.is_multiple_of(PAGE_BYTES));
            if object.flags & !KNOWN_OBJECT_FLAGS != 0 || bad_alignment || bad_address {
                return Err(Errno::EINVAL);
            }
            let bytes = match object.flags & i915::EXEC_OBJECT_PAD_TO_SIZE {
                0 => buffer.bytes(),
                _ if !object.pad_to_bytes.is_multiple_of(PAGE_BYTES) => return Err(Errno::EINVAL),
                _ => buffer.bytes().max(object.pad_to_bytes),
            };
            let above_4g =
                has_48_bits && object.flags & i915::EXEC_OBJECT_SUPPORTS_48B_ADDRESS != 0;
            Ok((
                buffer.clone(),
                BindRequest {
                    address,
                    fixed,
                    above_4g,
                    alignment_bytes,
                    bytes,
                },
            ))
        };
        objects.iter().zip(buffers).map(request).collect()
    }

    /// Stores the buffers' addresses in `objects`, and applies relocations unless the flags and
    /// unchanged addresses make them unnecessary.
    fn relocate(&self, objects: &mut [ExecObject], bindings: &[Binding], flags: u64) -> Result<()> {
        let mut moved = false;
        for (object, binding) in objects.iter_mut().zip(bindings) {
            let address = canonical(binding.address);
            moved |= object.address != address;
            object.address = address;
        }
        let by_index = flags & i915::EXEC_HANDLE_LUT != 0;
        let targets: BTreeMap<u32, u64> = objects
            .iter()
            .enumerate()
            .map(|(index, object)| {
                (
                    if by_index {
                        index as u32
                    } else {
                        object.handle
                    },
                    object.address,
                )
            })
            .collect();
        if flags & i915::EXEC_NO_RELOC != 0 && !moved {
            return Ok(());
        }
        let address_bytes = if self.device.hw.hw_gen >= hw::Gen::Gen8 {
            8
        } else {
            4
        };
        for (object, binding) in objects.iter_mut().zip(bindings) {
            let mut idle = false;
            for relocation in &mut object.relocations {
                let target = *targets
                    .get(&relocation.target_handle)
                    .ok_or(Errno::ENOENT)?;
                let at = relocation.offset;
                let in_range = at
                    .checked_add(address_bytes)
                    .is_some_and(|end| end <= binding.buffer.bytes());
                // At most one write domain, and no CPU or aperture domain.
                let cpu = i915::GEM_DOMAIN_CPU | i915::GEM_DOMAIN_GTT;
                let domains = relocation.read_domains | relocation.write_domain;
                if !in_range
                    || at & 3 != 0
                    || domains & cpu != 0
                    || relocation.write_domain.count_ones() > 1
                {
                    return Err(Errno::EINVAL);
                }
                if relocation.presumed_offset == target {
                    continue;
                }
                if !idle {
                    // An earlier batch may still read the old address.
                    self.wait_idle(&binding.buffer, true, i64::MAX)?;
                    idle = true;
                }
                let address = canonical(decanonical(target.wrapping_add(relocation.delta.into())));
                let bytes = address.to_le_bytes();
                let bytes = bytes.get(..address_bytes as usize).unwrap_or(&bytes);
                binding.buffer.pages()?.write(at as usize, bytes)?;
                relocation.presumed_offset = target;
            }
        }
        Ok(())
    }
}

/// Waits until other processes are done with shared buffers, and locks these for the batch. The
/// real kernel returns at once and makes the batch wait.
fn begin_shared_accesses(
    objects: &[ExecObject],
    buffers: &[Arc<Buffer>],
) -> Result<Vec<BufferAccess>> {
    loop {
        let mut accesses = Vec::new();
        let mut all = true;
        for (object, buffer) in objects.iter().zip(buffers) {
            let Some(locks) = buffer.dma_buf_locks() else {
                continue;
            };
            let write = object.flags & i915::EXEC_OBJECT_WRITE != 0;
            let waits = object.flags & i915::EXEC_OBJECT_ASYNC == 0;
            let begun = locks.try_begin(write, waits)?;
            all &= begun.is_some() || !waits;
            accesses.extend(begun);
        }
        if all {
            return Ok(accesses);
        }
        // Release all locks before waiting: another process may wait for one of them while it holds
        // the missing one.
        drop(accesses);
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Index of the batch's buffer, and bytes of the batch.
fn find_batch(exec: &Exec<'_>, buffers: &[Arc<Buffer>]) -> Result<(usize, u64)> {
    let index = if exec.flags & i915::EXEC_BATCH_FIRST != 0 {
        0
    } else {
        exec.objects.len() - 1
    };
    let (batch, object) = buffers
        .get(index)
        .zip(exec.objects.get(index))
        .ok_or(Errno::EINVAL)?;
    // The command parser cannot check a batch that writes itself.
    if object.flags & i915::EXEC_OBJECT_WRITE != 0 {
        return Err(Errno::EINVAL);
    }
    let start = u64::from(exec.batch_start_bytes);
    let bytes = match u64::from(exec.batch_bytes) {
        0 => batch
            .bytes()
            .checked_sub(start)
            .filter(|&bytes| bytes > 0)
            .ok_or(Errno::EINVAL)?,
        bytes if start + bytes <= batch.bytes() => bytes,
        _ => return Err(Errno::EINVAL),
    };
    Ok((index, bytes))
}

/// Looks up the buffers of a list of handles; a handle may occur only once.
fn lookup(state: &FileState, objects: &[ExecObject]) -> Result<Vec<Arc<Buffer>>> {
    let mut seen = std::collections::BTreeSet::new();
    let find = |object: &ExecObject| {
        let buffer = state.buffers.get(object.handle).ok_or(Errno::ENOENT)?;
        if seen.insert(object.handle) {
            Ok(buffer.clone())
        } else {
            Err(Errno::EINVAL)
        }
    };
    objects.iter().map(find).collect()
}

#[cfg(test)]
mod tests;
