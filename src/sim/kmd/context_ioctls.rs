//! The context and address space ioctls of a file: create, destroy, get and set parameters.
//!
//! In:  handles and parameters. Out: changed objects, or the errno that the real kernel returns.
//! Ref: Linux, include/uapi/drm/i915_drm.h, DRM_IOCTL_I915_GEM_CONTEXT_* and
//!      DRM_IOCTL_I915_GEM_VM_*.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use uapi::i915::{self, ContextParamSseu, EngineClassInstance, ResetStats};
use uapi::{ContextParam, Errno, Result};

use crate::context::Context;
use crate::fence::lock;
use crate::file::{File, FileState};
use crate::query::engines;
use crate::vm::Vm;

fn parse_bool(value: u64) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Errno::EINVAL),
    }
}

impl File {
    pub(crate) fn create_context(&self, flags: u32, params: &[ContextParam]) -> Result<u32> {
        let known =
            i915::CONTEXT_CREATE_FLAGS_USE_EXTENSIONS | i915::CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE;
        if flags & !known != 0 {
            return Err(Errno::EINVAL);
        }
        let mut state = lock(&self.state);
        let context = Context::new(self.device.context_id(), Vm::new(self.device.gtt_bytes()));
        for param in params {
            self.apply_context_param(&state, &context, param, true)?;
        }
        state.contexts.insert(Arc::new(context))
    }

    pub(crate) fn destroy_context(&self, context: u32) -> Result<()> {
        // Queued batches hold a reference to the context and still execute.
        lock(&self.state)
            .contexts
            .remove(context)
            .map(drop)
            .ok_or(Errno::ENOENT)
    }

    /// Looks up a context; 0 is the file's default context.
    pub(crate) fn context(&self, state: &FileState, context: u32) -> Result<Arc<Context>> {
        if context == 0 {
            return Ok(self.default_context.clone());
        }
        state.contexts.get(context).cloned().ok_or(Errno::ENOENT)
    }

    pub(crate) fn set_context_param(&self, context: u32, param: &ContextParam) -> Result<()> {
        let state = lock(&self.state);
        let context = self.context(&state, context)?;
        self.apply_context_param(&state, &context, param, false)
    }

    fn apply_context_param(
        &self,
        state: &FileState,
        context: &Context,
        param: &ContextParam,
        creating: bool,
    ) -> Result<()> {
        let mut settings = lock(&context.settings);
        match param {
            ContextParam::Engines(list) => {
                // More engines than the execbuf flags can select.
                if list.len() > 64 {
                    return Err(Errno::EINVAL);
                }
                let there = engines(self.device.hw);
                let invalid = EngineClassInstance {
                    engine_class: u16::MAX,
                    engine_instance: u16::MAX,
                };
                if list
                    .iter()
                    .any(|engine| *engine != invalid && !there.contains(engine))
                {
                    return Err(Errno::ENOENT);
                }
                settings.engines = Some(list.clone());
            }
            ContextParam::Vm(vm) => {
                settings.vm = state.vms.get(*vm).cloned().ok_or(Errno::ENOENT)?
            }
            ContextParam::Sseu(sseu) => {
                let full = self.full_sseu();
                let good = sseu.rsvd == 0
                    && sseu.slice_mask != 0
                    && sseu.slice_mask & !full.slice_mask == 0
                    && sseu.subslice_mask != 0
                    && sseu.subslice_mask & !full.subslice_mask == 0
                    && sseu.min_eus_per_subslice <= sseu.max_eus_per_subslice
                    && sseu.max_eus_per_subslice <= full.max_eus_per_subslice;
                if !good {
                    return Err(Errno::EINVAL);
                }
                settings.sseu = Some(*sseu);
            }
            &ContextParam::Value { param, value } => match param {
                i915::CONTEXT_PARAM_NO_ZEROMAP => settings.no_zeromap = value != 0,
                i915::CONTEXT_PARAM_NO_ERROR_CAPTURE => settings.no_error_capture = value != 0,
                // Only privileged processes may make a context immune to bans.
                i915::CONTEXT_PARAM_BANNABLE if value == 0 => return Err(Errno::EPERM),
                i915::CONTEXT_PARAM_BANNABLE => context.bannable.store(true, Ordering::Release),
                i915::CONTEXT_PARAM_PERSISTENCE => settings.persistence = parse_bool(value)?,
                i915::CONTEXT_PARAM_RECOVERABLE => {
                    context.recoverable.store(value != 0, Ordering::Release)
                }
                i915::CONTEXT_PARAM_PRIORITY => {
                    // Priorities need the scheduler of gen8 and later.
                    if self.device.hw.hw_gen < hw::Gen::Gen8 {
                        return Err(Errno::ENODEV);
                    }
                    let priority = value as i64;
                    let limit = i64::from(i915::CONTEXT_MAX_USER_PRIORITY);
                    if !(-limit..=limit).contains(&priority) {
                        return Err(Errno::EINVAL);
                    }
                    context.priority.store(priority as i32, Ordering::Release);
                }
                // No simulated GPU has protected memory.
                i915::CONTEXT_PARAM_PROTECTED_CONTENT if creating && value == 0 => (),
                i915::CONTEXT_PARAM_PROTECTED_CONTENT => return Err(Errno::ENODEV),
                i915::CONTEXT_PARAM_RINGSIZE => return Err(Errno::ENODEV),
                _ => return Err(Errno::EINVAL),
            },
        }
        Ok(())
    }

    pub(crate) fn get_context_param(&self, context: u32, param: u64) -> Result<u64> {
        let mut state = lock(&self.state);
        let context = self.context(&state, context)?;
        let settings = lock(&context.settings);
        Ok(match param {
            i915::CONTEXT_PARAM_NO_ZEROMAP => settings.no_zeromap.into(),
            i915::CONTEXT_PARAM_GTT_SIZE => settings.vm.bytes,
            i915::CONTEXT_PARAM_NO_ERROR_CAPTURE => settings.no_error_capture.into(),
            i915::CONTEXT_PARAM_BANNABLE => context.bannable.load(Ordering::Acquire).into(),
            i915::CONTEXT_PARAM_PRIORITY => {
                i64::from(context.priority.load(Ordering::Acquire)) as u64
            }
            i915::CONTEXT_PARAM_RECOVERABLE => context.recoverable.load(Ordering::Acquire).into(),
            i915::CONTEXT_PARAM_PERSISTENCE => settings.persistence.into(),
            // A new handle to the context's address space.
            i915::CONTEXT_PARAM_VM => state.vms.insert(settings.vm.clone())?.into(),
            i915::CONTEXT_PARAM_BAN_PERIOD => 0,
            _ => return Err(Errno::EINVAL),
        })
    }

    /// All slices, subslices and EUs of the GPU.
    fn full_sseu(&self) -> ContextParamSseu {
        let hw = self.device.hw;
        ContextParamSseu {
            engine: EngineClassInstance::default(),
            flags: 0,
            slice_mask: (1 << hw.slices) - 1,
            subslice_mask: (1 << hw.subslices) - 1,
            min_eus_per_subslice: hw.eus.into(),
            max_eus_per_subslice: hw.eus.into(),
            rsvd: 0,
        }
    }

    /// I915_GEM_CONTEXT_GETPARAM of I915_CONTEXT_PARAM_SSEU: the slices, subslices and EUs in use.
    pub fn context_sseu(&self, context: u32) -> Result<ContextParamSseu> {
        let context = self.context(&lock(&self.state), context)?;
        let sseu = lock(&context.settings).sseu;
        Ok(sseu.unwrap_or_else(|| self.full_sseu()))
    }

    /// I915_GEM_CONTEXT_GETPARAM of I915_CONTEXT_PARAM_ENGINES: empty if they were never set.
    pub fn context_engines(&self, context: u32) -> Result<Vec<EngineClassInstance>> {
        let context = self.context(&lock(&self.state), context)?;
        let engines = lock(&context.settings).engines.clone();
        Ok(engines.unwrap_or_default())
    }

    pub(crate) fn reset_stats(&self, number: u32) -> Result<ResetStats> {
        let context = self.context(&lock(&self.state), number)?;
        Ok(ResetStats {
            ctx_id: number,
            reset_count: self.device.reset_count.load(Ordering::Acquire),
            batch_active: context.batches_active.load(Ordering::Acquire),
            batch_pending: context.batches_pending.load(Ordering::Acquire),
            ..ResetStats::default()
        })
    }

    pub(crate) fn create_vm(&self) -> Result<u32> {
        // Older GPUs have a single address space.
        if self.device.hw.hw_gen < hw::Gen::Gen8 {
            return Err(Errno::ENODEV);
        }
        lock(&self.state)
            .vms
            .insert(Vm::new(self.device.gtt_bytes()))
    }

    pub(crate) fn destroy_vm(&self, vm: u32) -> Result<()> {
        lock(&self.state)
            .vms
            .remove(vm)
            .map(drop)
            .ok_or(Errno::ENOENT)
    }
}

#[cfg(test)]
mod tests;
