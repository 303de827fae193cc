//! Contexts: engines, address space, and bans after hangs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use uapi::i915::{ContextParamSseu, EngineClassInstance};

use crate::vm::Vm;

/// Number of hangs after which a bannable context is banned.
const HANGS_UNTIL_BANNED: u32 = 4;

/// Context parameters.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// None: engines are selected by the legacy ring numbers.
    pub(crate) engines: Option<Vec<EngineClassInstance>>,
    pub(crate) vm: Arc<Vm>,
    pub(crate) sseu: Option<ContextParamSseu>,
    pub(crate) no_zeromap: bool,
    pub(crate) no_error_capture: bool,
    pub(crate) persistence: bool,
}

/// A context.
#[derive(Debug)]
pub(crate) struct Context {
    /// Unique in a device.
    pub(crate) id: u64,
    pub(crate) settings: Mutex<Settings>,
    pub(crate) recoverable: AtomicBool,
    pub(crate) bannable: AtomicBool,
    pub(crate) priority: AtomicI32,
    pub(crate) banned: AtomicBool,
    pub(crate) batches_active: AtomicU32,
    pub(crate) batches_pending: AtomicU32,
    /// State that the hardware saves between batches, by engine class and slot.
    pub(crate) saved: Mutex<BTreeMap<(u16, u32), gpu::HwContext>>,
}

impl Context {
    /// A context with default parameters; `id` is unique in the device.
    pub(crate) fn new(id: u64, vm: Arc<Vm>) -> Self {
        Self {
            id,
            settings: Mutex::new(Settings {
                engines: None,
                vm,
                sseu: None,
                no_zeromap: false,
                no_error_capture: false,
                persistence: true,
            }),
            recoverable: AtomicBool::new(true),
            bannable: AtomicBool::new(true),
            priority: AtomicI32::new(0),
            banned: AtomicBool::new(false),
            batches_active: AtomicU32::new(0),
            batches_pending: AtomicU32::new(0),
            saved: Mutex::default(),
        }
    }

    /// Called when one of its batches hung: bans the context if it has hung too often or is not
    /// recoverable.
    pub(crate) fn hung(&self) {
        let hangs = self.batches_active.fetch_add(1, Ordering::AcqRel) + 1;
        let too_often = self.bannable.load(Ordering::Acquire) && hangs >= HANGS_UNTIL_BANNED;
        if !self.recoverable.load(Ordering::Acquire) || too_often {
            self.banned.store(true, Ordering::Release);
        }
    }

    /// Called when a batch is dropped because an earlier one hung.
    pub(crate) fn dropped(&self) {
        self.batches_pending.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn is_banned(&self) -> bool {
        self.banned.load(Ordering::Acquire)
    }
}
