//! One open file of the device: everything that its numbers name. Dropping it frees all that.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::buffer::Buffer;
use crate::context::Context;
use crate::device::Device;
use crate::fence::lock;
use crate::space::Space;
use crate::syncobj::Syncobj;
use crate::table::Table;

/// What the numbers of a file name.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) buffers: Table<Arc<Buffer>>,
    /// Handles by mmap offset.
    pub(crate) by_offset: BTreeMap<u64, u32>,
    pub(crate) contexts: Table<Arc<Context>>,
    pub(crate) spaces: Table<Arc<Space>>,
    pub(crate) syncobjs: Table<Arc<Syncobj>>,
}

/// One open file of a [`Device`].
#[derive(Debug)]
pub struct File {
    pub(crate) device: Arc<Device>,
    pub(crate) state: Mutex<State>,
    /// Context 0.
    pub(crate) own_context: Arc<Context>,
}

impl File {
    pub(crate) fn new(device: Arc<Device>) -> Arc<Self> {
        let own_context = Arc::new(Context::new(
            device.context_id(),
            Space::new(device.gtt_bytes()),
        ));
        Arc::new(Self {
            device,
            state: Mutex::default(),
            own_context,
        })
    }

    /// The machine.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Every address space that the file can reach.
    pub(crate) fn spaces(&self, state: &State) -> Vec<Arc<Space>> {
        let contexts = state.contexts.iter().chain([&self.own_context]);
        let of_contexts = contexts.map(|context| lock(&context.settings).space.clone());
        of_contexts.chain(state.spaces.iter().cloned()).collect()
    }
}

impl Device {
    /// Opens its render node.
    pub fn open(self: &Arc<Self>) -> Arc<File> {
        File::new(self.clone())
    }
}
