//! Fixtures of the kernel's tests: devices, buffers and batches of a few commands.

use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use sys::Mapping;
use uapi::i915::{self, EngineClassInstance};
use uapi::{ContextParam, Exec, ExecFence, ExecObject, Kernel, Result};

use crate::device::Device;
use crate::file::File;
use crate::options::{LogSink, Options};

/// MI_BATCH_BUFFER_END. Ref: SKL PRM vol. 2a.
pub(crate) const BATCH_END: u32 = 0x0a << 23;
/// MI_BATCH_BUFFER_START to a PPGTT address, three dwords.
pub(crate) const BATCH_START: u32 = 0x31 << 23 | 1 << 8 | 1;

/// MI_STORE_DATA_IMM of one dword.
pub(crate) fn store(address: u64, value: u32) -> [u32; 4] {
    [
        0x20 << 23 | 2,
        address as u32,
        (address >> 32) as u32,
        value,
    ]
}

/// A device, and the lines that it logs.
pub(crate) fn device(options: Options) -> (Arc<Device>, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let sink = LogSink::new(move |line| log.lock().unwrap().push(line.to_owned()));
    (
        Device::new("skl", Options { sink, ..options }).unwrap(),
        lines,
    )
}

pub(crate) fn open() -> Arc<File> {
    device(Options::default()).0.open()
}

/// A buffer with its mapping.
pub(crate) struct Buffer {
    pub(crate) handle: u32,
    pub(crate) memory: Mapping,
}

impl Buffer {
    pub(crate) fn new(file: &File, bytes: u64) -> Self {
        let (handle, bytes) = file.gem_create(bytes).unwrap();
        let offset = file.gem_mmap_offset(handle, i915::MMAP_OFFSET_WB).unwrap();
        let (fd, at) = file.mapping(offset).unwrap();
        Self {
            handle,
            memory: Mapping::new(fd.as_fd(), at, bytes as usize).unwrap(),
        }
    }

    pub(crate) fn with(file: &File, words: &[u32]) -> Self {
        let buffer = Self::new(file, 4096);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        buffer.memory.write(0, &bytes).unwrap();
        buffer
    }

    pub(crate) fn word(&self, index: usize) -> u32 {
        self.memory.words()[index].load(std::sync::atomic::Ordering::Relaxed)
    }

    pub(crate) fn pinned_at(&self, address: u64) -> ExecObject {
        let flags = i915::EXEC_OBJECT_PINNED | i915::EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
        ExecObject {
            handle: self.handle,
            address,
            flags,
            ..Default::default()
        }
    }
}

/// A context as Vulkan drivers create it: one render engine, not recoverable after a hang.
pub(crate) fn context(file: &File) -> u32 {
    let engines = ContextParam::Engines(vec![EngineClassInstance::default()]);
    file.context_create(1, &[engines, ContextParam::recoverable(false)])
        .unwrap()
}

pub(crate) fn exec(
    file: &File,
    context: u32,
    objects: &mut [ExecObject],
    fences: &[ExecFence],
) -> Result<()> {
    let exec = Exec {
        objects,
        batch_start_bytes: 0,
        batch_bytes: 0,
        flags: i915::EXEC_NO_RELOC | i915::EXEC_HANDLE_LUT,
        context,
        fences,
        in_fence: None,
        out_fence: false,
    };
    file.execbuffer2(exec).map(|fence| assert!(fence.is_none()))
}

pub(crate) fn wait_for(handle: u32) -> ExecFence {
    ExecFence {
        handle,
        flags: i915::EXEC_FENCE_WAIT,
        point: 0,
    }
}

pub(crate) fn signal(handle: u32) -> ExecFence {
    ExecFence {
        handle,
        flags: i915::EXEC_FENCE_SIGNAL,
        point: 0,
    }
}
