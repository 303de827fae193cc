//! An open file of the device, with the objects behind its handles.
//!
//! In:  a [`Device`]. Out: a [`File`], which implements `uapi::Kernel`. Dropping it frees its
//!      objects.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::buffer::Buffer;
use crate::context::Context;
use crate::device::Device;
use crate::fence::lock;
use crate::gpu_model::KmdError;
use crate::handle_table::HandleTable;
use crate::options::Options;
use crate::scanout::Framebuffer;
use crate::syncobj::Syncobj;
use crate::vm::Vm;

/// The objects of a file, by handle.
#[derive(Debug, Default)]
pub(crate) struct FileState {
    pub(crate) buffers: HandleTable<Arc<Buffer>>,
    /// Buffer handles by mmap offset.
    pub(crate) handle_by_mmap_offset: BTreeMap<u64, u32>,
    pub(crate) contexts: HandleTable<Arc<Context>>,
    pub(crate) vms: HandleTable<Arc<Vm>>,
    pub(crate) syncobjs: HandleTable<Arc<Syncobj>>,
    pub(crate) framebuffers: BTreeMap<u32, Arc<Framebuffer>>,
}

/// One open file of a [`Device`].
#[derive(Debug)]
pub struct File {
    pub(crate) device: Arc<Device>,
    pub(crate) state: Mutex<FileState>,
    /// The default context, number 0.
    pub(crate) default_context: Arc<Context>,
}

impl File {
    pub(crate) fn new(device: Arc<Device>) -> Arc<Self> {
        let default_context = Arc::new(Context::new(
            device.context_id(),
            Vm::new(device.gtt_bytes()),
        ));
        Arc::new(Self {
            device,
            state: Mutex::default(),
            default_context,
        })
    }

    /// The device that this file is open on.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// All address spaces of the file and its contexts.
    pub(crate) fn vms(&self, state: &FileState) -> Vec<Arc<Vm>> {
        let contexts = state.contexts.iter().chain([&self.default_context]);
        let of_contexts = contexts.map(|context| lock(&context.settings).vm.clone());
        of_contexts.chain(state.vms.iter().cloned()).collect()
    }
}

impl Device {
    /// Opens the render node.
    pub fn open(self: &Arc<Self>) -> Arc<File> {
        File::new(self.clone())
    }
}

/// A simulated GPU of its own, opened once: for programs that use it in process.
pub fn open(gpu: &str, options: Options) -> Result<Arc<dyn uapi::Kernel>, KmdError> {
    let file: Arc<dyn uapi::Kernel> = Device::new(gpu, options)?.open();
    Ok(file)
}
