//! EXECBUFFER2: from a list of buffers to a job.
//!
//! Ref: i915_drm.h, struct drm_i915_gem_execbuffer2 and drm_i915_gem_exec_object2.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use uapi::i915::{self, EngineClassInstance};
use uapi::{Errno, Exec, ExecFence, ExecObject, Result};

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::context::Context;
use crate::device::LOOK_EVERY;
use crate::fence::{Fence, lock};
use crate::file::{File, State};
use crate::job::Job;
use crate::others::Use;
use crate::query::engines;
use crate::space::{Binding, Wish, canonical, decanonical};
use crate::syncobj::Syncobj;

/// Flags that may be set. Constants and the resource streamer belong to parts and kernels of the past.
const KNOWN_FLAGS: u64 = i915::EXEC_RING_MASK
    | i915::EXEC_GEN7_SOL_RESET
    | i915::EXEC_IS_PINNED
    | i915::EXEC_NO_RELOC
    | i915::EXEC_HANDLE_LUT
    | i915::EXEC_BSD_MASK
    | i915::EXEC_BATCH_FIRST;

const KNOWN_OBJECT_FLAGS: u64 = (i915::EXEC_OBJECT_CAPTURE << 1) - 1;

/// What the fences of an execbuf come to.
#[derive(Default)]
struct Fences {
    waits: Vec<Arc<Fence>>,
    signals: Vec<(Arc<Syncobj>, u64)>,
}

impl File {
    pub(crate) fn execute(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>> {
        // Only gen7 has offsets of stream output that the kernel resets.
        let sol_reset = exec.flags & i915::EXEC_GEN7_SOL_RESET != 0;
        if self.device.null {
            return self.accept(&exec);
        }
        if exec.flags & !KNOWN_FLAGS != 0 || (sol_reset && self.device.hw.hw_gen > hw::Gen::Gen7_5)
        {
            return Err(Errno::EINVAL);
        }
        if (exec.batch_start_bytes | exec.batch_bytes) & 7 != 0 || exec.objects.is_empty() {
            return Err(Errno::EINVAL);
        }
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
        let batch_index = if exec.flags & i915::EXEC_BATCH_FIRST != 0 {
            0
        } else {
            exec.objects.len() - 1
        };
        let (batch, batch_object) = buffers
            .get(batch_index)
            .zip(exec.objects.get(batch_index))
            .ok_or(Errno::EINVAL)?;
        // A batch that writes itself could not be parsed.
        if batch_object.flags & i915::EXEC_OBJECT_WRITE != 0 {
            return Err(Errno::EINVAL);
        }
        let start = u64::from(exec.batch_start_bytes);
        let batch_bytes = match u64::from(exec.batch_bytes) {
            0 => batch
                .bytes()
                .checked_sub(start)
                .filter(|&bytes| bytes > 0)
                .ok_or(Errno::EINVAL)?,
            bytes if start + bytes <= batch.bytes() => bytes,
            _ => return Err(Errno::EINVAL),
        };

        let wishes = self.wishes(exec.objects, &buffers)?;
        let space = lock(&context.settings).space.clone();
        let bindings = space.place(&wishes)?;
        self.relocate(exec.objects, &bindings, exec.flags)?;

        // The GPU maps them now: afterwards nothing can fail any more.
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
                fences.waits.extend(buffer.fences(write));
            }
        }
        let batch_address = bindings
            .get(batch_index)
            .map(|binding| binding.address + start)
            .ok_or(Errno::EINVAL)?;
        let waits = fences.waits;
        let uses = begin(exec.objects, &buffers)?;
        let job = Job {
            context,
            engine,
            slot,
            bindings,
            batch_address,
            batch_bytes,
            waits,
            uses,
            done: done.clone(),
        };
        self.device.worker.submit(job)?;
        self.device.events.change(|| {
            for (object, buffer) in exec.objects.iter().zip(&buffers) {
                buffer.use_by(&done, object.flags & i915::EXEC_OBJECT_WRITE != 0);
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

    /// A kernel that does nothing: what the batch would have signalled is signalled.
    fn accept(&self, exec: &Exec<'_>) -> Result<Option<OwnedFd>> {
        let done = [Fence::signalled()];
        let state = lock(&self.state);
        for fence in exec.fences {
            if fence.flags & i915::EXEC_FENCE_SIGNAL == 0 {
                continue;
            }
            let syncobj = state.syncobjs.get(fence.handle).ok_or(Errno::ENOENT)?;
            self.device.events.change(|| match fence.point {
                0 => syncobj.replace(&done),
                point => syncobj.add_point(point, &done),
            });
        }
        match exec.out_fence {
            true => self.device.export_sync_file(done.to_vec()).map(Some),
            false => Ok(None),
        }
    }

    /// The engine that the flags pick, and its index in the context.
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
        // A slot may be kept empty, and a part may lack an engine.
        if !there.contains(&engine) {
            return Err(Errno::EINVAL);
        }
        Ok((engine, index as u32))
    }

    fn fences(&self, state: &State, list: &[ExecFence]) -> Result<Fences> {
        let mut fences = Fences::default();
        for fence in list {
            if fence.flags & !(i915::EXEC_FENCE_WAIT | i915::EXEC_FENCE_SIGNAL) != 0 {
                return Err(Errno::EINVAL);
            }
            let syncobj = state.syncobjs.get(fence.handle).ok_or(Errno::ENOENT)?;
            if fence.flags & i915::EXEC_FENCE_WAIT != 0 {
                // What nobody has submitted cannot be waited for by the GPU.
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

    fn wishes(
        &self,
        objects: &[ExecObject],
        buffers: &[Arc<Buffer>],
    ) -> Result<Vec<(Arc<Buffer>, Wish)>> {
        let has_48_bits = self.device.hw.has(hw::Cap::Softpin48);
        let wish = |(object, buffer): (&ExecObject, &Arc<Buffer>)| {
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
                Wish {
                    address,
                    fixed,
                    above_4g,
                    alignment_bytes,
                    bytes,
                },
            ))
        };
        objects.iter().zip(buffers).map(wish).collect()
    }

    /// Tells where the buffers are, and writes their addresses where the batch and its state need them.
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
                // One domain may write; the CPU's and the aperture's are not the GPU's.
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

/// Begins to use what other processes may use, too, when they let it: the kernel would return at once, and let the batch wait.
fn begin(objects: &[ExecObject], buffers: &[Arc<Buffer>]) -> Result<Vec<Use>> {
    loop {
        let mut uses = Vec::new();
        let mut all = true;
        for (object, buffer) in objects.iter().zip(buffers) {
            let Some(others) = buffer.others() else {
                continue;
            };
            let write = object.flags & i915::EXEC_OBJECT_WRITE != 0;
            let waits = object.flags & i915::EXEC_OBJECT_ASYNC == 0;
            let begun = others.begin(write, waits)?;
            all &= begun.is_some() || !waits;
            uses.extend(begun);
        }
        if all {
            return Ok(uses);
        }
        // What it has is given back first: others may be waiting for that, and it for them.
        drop(uses);
        std::thread::sleep(LOOK_EVERY);
    }
}

/// The buffers of a list of handles, each of which may occur once.
fn lookup(state: &State, objects: &[ExecObject]) -> Result<Vec<Arc<Buffer>>> {
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
