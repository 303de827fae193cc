//! Contexts: engines, an address space, and what happens to them after a hang.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use uapi::i915::{ContextParamSseu, EngineClassInstance};

use crate::space::Space;

/// Hangs after which a context that may be banned is.
const HANGS_UNTIL_BANNED: u32 = 4;

/// What can be set and read back.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// None: engines are picked by the old ring numbers.
    pub(crate) engines: Option<Vec<EngineClassInstance>>,
    pub(crate) space: Arc<Space>,
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
    /// What the hardware saves of it between batches, by engine class and slot.
    pub(crate) saved: Mutex<BTreeMap<(u16, u32), gpu::HwContext>>,
}

impl Context {
    /// A context of a number that no other of the device has.
    pub(crate) fn new(id: u64, space: Arc<Space>) -> Self {
        Self {
            id,
            settings: Mutex::new(Settings {
                engines: None,
                space,
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

    /// After one of its batches hung.
    pub(crate) fn hung(&self) {
        let hangs = self.batches_active.fetch_add(1, Ordering::AcqRel) + 1;
        let too_often = self.bannable.load(Ordering::Acquire) && hangs >= HANGS_UNTIL_BANNED;
        if !self.recoverable.load(Ordering::Acquire) || too_often {
            self.banned.store(true, Ordering::Release);
        }
    }

    /// After a batch was dropped because an earlier one hung.
    pub(crate) fn dropped(&self) {
        self.batches_pending.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn is_banned(&self) -> bool {
        self.banned.load(Ordering::Acquire)
    }
}
