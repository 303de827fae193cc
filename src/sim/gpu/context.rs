//! State that a hardware context keeps between batches: registers, base addresses, media and 3D
//! pipeline state.

use crate::base_addresses::BaseAddresses;
use crate::draw_state::DrawState;
use hw::value::command::pipeline_selection;
use std::collections::BTreeMap;

/// The pipeline that PIPELINE_SELECT selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pipeline {
    /// 3D.
    #[default]
    Draw,
    /// Media.
    Media,
    /// GPGPU.
    Gpgpu,
}

impl Pipeline {
    /// Converts the value of PIPELINE_SELECT's Pipeline Selection.
    pub(crate) fn from_selection(selection: u64) -> Pipeline {
        match selection {
            pipeline_selection::PIPELINE_3D => Pipeline::Draw,
            pipeline_selection::PIPELINE_MEDIA => Pipeline::Media,
            _ => Pipeline::Gpgpu,
        }
    }
}

/// The state of MEDIA_VFE_STATE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vfe {
    /// Offset of scratch memory from the general state base, 0 if none.
    pub scratch: u64,
    /// Bytes of scratch for each thread: 1 KiB << the field, 0 without a pointer.
    pub scratch_bytes: u64,
    /// Maximum number of concurrent threads, minus one.
    pub max_threads: u32,
    /// Bytes allocated for the CURBE.
    pub curbe_bytes: u64,
}

/// A range in the dynamic state heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DynamicRange {
    pub offset: u64,
    pub bytes: u64,
}

/// The state of one hardware context.
#[derive(Clone, Debug, Default)]
pub struct HwContext {
    pub(crate) registers: BTreeMap<u32, u32>,
    pub(crate) pipeline: Pipeline,
    pub(crate) base: BaseAddresses,
    pub(crate) vfe: Vfe,
    pub(crate) curbe: DynamicRange,
    pub(crate) descriptors: DynamicRange,
    /// State of the 3D pipeline.
    pub(crate) draw: DrawState,
    /// Result of MI_PREDICATE; commands with their predicate bit set execute only if it is true.
    pub(crate) predicate: bool,
    /// MI_SET_PREDICATE's condition is met: commands are skipped until the next MI_SET_PREDICATE.
    pub(crate) skips_commands: bool,
    /// Enabled channels that this context dispatched, for CS_INVOCATION_COUNT.
    pub(crate) invocations: u64,
}

impl HwContext {
    /// The state after reset.
    pub fn new() -> HwContext {
        HwContext::default()
    }

    pub(crate) fn register(&self, offset: u32) -> u32 {
        self.registers.get(&offset).copied().unwrap_or(0)
    }

    pub(crate) fn register64(&self, offset: u32) -> u64 {
        u64::from(self.register(offset)) | u64::from(self.register(offset + 4)) << 32
    }

    pub(crate) fn set_register(&mut self, offset: u32, value: u32) {
        self.registers.insert(offset, value);
    }

    pub(crate) fn set_register64(&mut self, offset: u32, value: u64) {
        self.set_register(offset, value as u32);
        self.set_register(offset + 4, (value >> 32) as u32);
    }
}
