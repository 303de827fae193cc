//! The kernel as a driver sees it, with batches of a few commands.

mod errors;
mod fences;
mod hangs;
mod memory;
mod recording;

use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use sys::Mapping;
use uapi::i915::{self, EngineClassInstance};
use uapi::{ContextParam, Errno, Exec, ExecFence, ExecObject, Kernel, Result};

use crate::{Device, File, Options, Sink};

/// MI_BATCH_BUFFER_END. Ref: SKL PRM vol. 2a.
const BATCH_END: u32 = 0x0a << 23;
/// MI_BATCH_BUFFER_START to an address of the context's own space, three dwords.
const BATCH_START: u32 = 0x31 << 23 | 1 << 8 | 1;

/// MI_STORE_DATA_IMM of one dword.
fn store(address: u64, value: u32) -> [u32; 4] {
    [
        0x20 << 23 | 2,
        address as u32,
        (address >> 32) as u32,
        value,
    ]
}

/// A device whose messages can be looked at.
fn device(options: Options) -> (Arc<Device>, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let sink = Sink::new(move |line| kept.lock().unwrap().push(line.to_owned()));
    (
        Device::new("skl", Options { sink, ..options }).unwrap(),
        lines,
    )
}

fn open() -> Arc<File> {
    device(Options::default()).0.open()
}

/// A buffer with its mapping.
struct Buffer {
    handle: u32,
    memory: Mapping,
}

impl Buffer {
    fn new(file: &File, bytes: u64) -> Self {
        let (handle, bytes) = file.gem_create(bytes).unwrap();
        let offset = file.gem_mmap_offset(handle, i915::MMAP_OFFSET_WB).unwrap();
        let (fd, at) = file.mapping(offset).unwrap();
        Self {
            handle,
            memory: Mapping::new(fd.as_fd(), at, bytes as usize).unwrap(),
        }
    }

    fn with(file: &File, words: &[u32]) -> Self {
        let buffer = Self::new(file, 4096);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        buffer.memory.write(0, &bytes).unwrap();
        buffer
    }

    fn word(&self, index: usize) -> u32 {
        self.memory.words()[index].load(std::sync::atomic::Ordering::Relaxed)
    }

    fn at(&self, address: u64) -> ExecObject {
        let flags = i915::EXEC_OBJECT_PINNED | i915::EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
        ExecObject {
            handle: self.handle,
            address,
            flags,
            ..Default::default()
        }
    }
}

/// A context as Vulkan drivers make it: one render engine, lost after a hang.
fn context(file: &File) -> u32 {
    let engines = ContextParam::Engines(vec![EngineClassInstance::default()]);
    file.context_create(1, &[engines, ContextParam::recoverable(false)])
        .unwrap()
}

fn exec(file: &File, context: u32, objects: &mut [ExecObject], fences: &[ExecFence]) -> Result<()> {
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

fn wait_for(handle: u32) -> ExecFence {
    ExecFence {
        handle,
        flags: i915::EXEC_FENCE_WAIT,
        point: 0,
    }
}

fn signal(handle: u32) -> ExecFence {
    ExecFence {
        handle,
        flags: i915::EXEC_FENCE_SIGNAL,
        point: 0,
    }
}

#[test]
fn a_batch_runs_and_its_buffer_becomes_idle() {
    let file = open();
    let target = Buffer::new(&file, 4096);
    let batch = Buffer::with(
        &file,
        &[&store(0x1_0000_0008, 42)[..], &[BATCH_END]].concat(),
    );
    let context = context(&file);
    exec(
        &file,
        context,
        &mut [target.at(0x1_0000_0000), batch.at(0x20_0000)],
        &[],
    )
    .unwrap();
    assert_eq!(file.gem_wait(batch.handle, -1), Ok(-1));
    assert_eq!(target.word(2), 42);
    assert_eq!(file.gem_busy(batch.handle), Ok(0));
    assert_eq!(
        file.gem_wait(target.handle, 1000).map(|left| left <= 1000),
        Ok(true)
    );
    let stats = file.get_reset_stats(context).unwrap();
    assert_eq!((stats.batch_active, stats.batch_pending), (0, 0));
}

#[test]
fn the_part_describes_itself() {
    let file = open();
    assert_eq!(file.getparam(i915::PARAM_CHIPSET_ID), Ok(0x1912));
    assert_eq!(file.getparam(9999), Err(Errno::EINVAL));
    assert_eq!(
        file.context_getparam(0, i915::CONTEXT_PARAM_GTT_SIZE),
        Ok(1 << 48)
    );
    let topology = file.query(i915::QUERY_TOPOLOGY_INFO, 0).unwrap();
    // One slice; three subslices; eight EUs in each.
    assert_eq!(topology[16..], [1, 0b111, 0xff, 0xff, 0xff]);
    assert_eq!(file.query(i915::QUERY_HWCONFIG_BLOB, 0), Err(Errno::ENODEV));
    assert_eq!(file.query(i915::QUERY_PERF_CONFIG, 1), Err(Errno::EINVAL));
    let before = file.reg_read(i915::TIMESTAMP_REGISTER | 1).unwrap();
    assert!(file.reg_read(i915::TIMESTAMP_REGISTER).unwrap() >= before);
    assert_eq!(file.reg_read(0x1234), Err(Errno::EINVAL));
    assert_eq!(
        file.version().map(|version| version.name),
        Ok("i915".into())
    );
    for device in hw::DEVICES {
        let file = Device::of(device, Options::default()).open();
        assert_eq!(
            file.getparam(i915::PARAM_CHIPSET_ID),
            Ok(i32::from(device.pci_id))
        );
        assert!(file.query(i915::QUERY_ENGINE_INFO, 0).unwrap().len() > 16);
    }
}

/// A GPU whose batches would be misread is refused by name, in one line that names those that are not.
#[test]
fn generations_without_packets_are_refused() {
    let new = |name: &str| Device::new(name, Options::default()).map(|device| device.hw().name);
    for name in ["bdw", "hsw", "icl", "tgl", "no such"] {
        let line = new(name).unwrap_err().to_string();
        assert!(line.contains(name), "{line}");
        assert!(line.contains("there are ") && !line.contains('\n'));
        assert!(!line[line.find("there are").unwrap()..].contains("bdw"));
    }
    for device in hw::DEVICES
        .iter()
        .filter(|device| device.hw_gen == hw::Gen::Gen9)
    {
        assert_eq!(new(device.name), Ok(device.name));
    }
}

#[test]
fn options_are_a_comma_list() {
    let options = Options::parse("strict, trace=submit,hang=3", Sink::none()).unwrap();
    assert!(options.strict && options.trace_submits && !options.trace_ioctls);
    assert_eq!(options.hang_seconds, 3);
    let seconds = |list| Options::parse(list, Sink::none()).unwrap().hang_seconds;
    // The strict simulator is slower.
    assert!(seconds("strict") > seconds(""));
    assert_eq!(seconds("hang=3,strict"), 3);
    // Stale data is strict mode's to know.
    assert!(Options::parse("stale", Sink::none()).unwrap().strict);
    for word in ["hang=soon", "lenient", "trace=ps"] {
        let error = Options::parse(&format!("strict,{word}"), Sink::none()).unwrap_err();
        let line = error.to_string();
        assert!(
            line.contains(&format!("{word:?}; there are strict, stale, hang=SECONDS")),
            "{line}"
        );
        assert!(!line.contains('\n'));
    }
}

#[test]
fn a_trace_shows_the_commands_as_they_execute() {
    let (device, lines) = device(Options {
        trace_commands: true,
        ..Options::default()
    });
    let file = device.open();
    let target = Buffer::new(&file, 4096);
    let words = [&store(0x1_0000_0008, 42)[..], &[BATCH_END]].concat();
    let batch = Buffer::with(&file, &words);
    let objects = &mut [target.at(0x1_0000_0000), batch.at(0x20_0000)];
    exec(&file, context(&file), objects, &[]).unwrap();
    file.gem_wait(batch.handle, -1).unwrap();
    let lines = lines.lock().unwrap();
    let first: Vec<_> = lines.iter().filter_map(|l| l.lines().next()).collect();
    let expected = [
        "0x000000200000: MI_STORE_DATA_IMM",
        "0x000000200010: MI_BATCH_BUFFER_END",
    ];
    assert_eq!(first, expected);
}
