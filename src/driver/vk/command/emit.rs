//! Batch words.

use std::sync::Arc;

use super::Groups;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::queue::BatchStart;

/// A batch being written.
#[derive(Debug)]
pub(super) struct Emitter {}

/// A launch.
pub(super) struct Launch<'a> {
    pub(super) pipeline: &'a Arc<Pipeline>,
    pub(super) threads: u32,
    pub(super) invocations: u32,
    pub(super) push_address: u64,
    pub(super) push_bytes: u32,
    pub(super) descriptor_address: u64,
    pub(super) groups: Groups,
}

const NO: Error = Error::FeatureNotPresent { what: "commands" };

impl Emitter {
    pub(super) fn new(_device: &Arc<Device>) -> Result<Self> {
        Ok(Self {})
    }
    pub(super) fn finish(&mut self) -> Result<BatchStart> {
        Err(NO)
    }
    pub(super) fn barrier(&mut self) -> Result<()> {
        Err(NO)
    }
    pub(super) fn store(&mut self, _address: u64, _value: u32) -> Result<()> {
        Err(NO)
    }
    pub(super) fn wait_equal(&mut self, _address: u64, _value: u32) -> Result<()> {
        Err(NO)
    }
    pub(super) fn timestamp(&mut self, _address: u64, _early: bool) -> Result<()> {
        Err(NO)
    }
    pub(super) fn dispatch(&mut self, _launch: &Launch<'_>) -> Result<[u8; 32]> {
        Err(NO)
    }
}
