use std::os::fd::{AsFd, OwnedFd};

use uapi::{Errno, ExecObject, Kernel, i915};

use crate::file::File;
use crate::testing::{BATCH_END, Buffer, exec, open, store};

/// Where the batches place the gate.
const GATE: u64 = 0x30_0000;
/// Where they place the shared buffer.
const SHARED: u64 = 0x10_0000;
/// Where they are.
const BATCH: u64 = 0x20_0000;

/// A batch that stores 5 to the shared buffer once the first dword of `gate` is 1.
fn submit_gated_store(file: &File, gate: &Buffer, shared: &Buffer) {
    // MI_SEMAPHORE_WAIT. Ref: SKL PRM vol. 2a.
    let wait = [0x1c << 23 | 1 << 15 | 4 << 12 | 2, 1, GATE as u32, 0];
    let words = [&wait[..], &store(SHARED, 5), &[BATCH_END]].concat();
    let batch = Buffer::with(file, &words);
    let shared = shared.pinned_at(SHARED);
    let mut objects = [
        gate.pinned_at(GATE),
        ExecObject {
            flags: shared.flags | i915::EXEC_OBJECT_WRITE,
            ..shared
        },
        batch.pinned_at(BATCH),
    ];
    exec(file, 0, &mut objects, &[]).unwrap();
}

fn is_signalled(sync_file: &OwnedFd) -> bool {
    sys::poll_readable(sync_file.as_fd()).unwrap()
}

/// Waits for a sync file, which is signalled after those who wait for its batch wake.
fn becomes_signalled(sync_file: &OwnedFd) -> bool {
    sys::wait_readable(sync_file.as_fd(), 10_000).unwrap()
}

#[test]
fn exported_fences_are_those_of_conflicting_batches() {
    let file = open();
    let (gate, shared) = (Buffer::new(&file, 4096), Buffer::new(&file, 4096));
    let dma_buf = file.prime_handle_to_fd(shared.handle, 0).unwrap();
    let export = |write| file.device.export_dma_buf_fences(dma_buf.as_fd(), write);
    for write in [false, true] {
        assert!(is_signalled(&export(write).unwrap()), "of an idle buffer");
    }
    submit_gated_store(&file, &gate, &shared);
    let exported = [false, true].map(|write| export(write).unwrap());
    assert!(!exported.iter().any(is_signalled));
    gate.memory.write(0, &1_u32.to_le_bytes()).unwrap();
    file.gem_wait(shared.handle, -1).unwrap();
    assert!(exported.iter().all(becomes_signalled));
    assert_eq!(shared.word(0), 5);
}

#[test]
fn only_a_writer_waits_for_readers() {
    let file = open();
    let (gate, source) = (Buffer::new(&file, 4096), Buffer::new(&file, 4096));
    let shared = Buffer::new(&file, 4096);
    let of_source = file.prime_handle_to_fd(source.handle, 0).unwrap();
    let of_shared = file.prime_handle_to_fd(shared.handle, 0).unwrap();
    submit_gated_store(&file, &gate, &source);
    let device = &file.device;
    let fences = device
        .export_dma_buf_fences(of_source.as_fd(), true)
        .unwrap();
    device
        .import_dma_buf_fences(of_shared.as_fd(), fences.as_fd(), false)
        .unwrap();
    let export = |write| {
        device
            .export_dma_buf_fences(of_shared.as_fd(), write)
            .unwrap()
    };
    let (reader, writer) = (export(false), export(true));
    assert_eq!([&reader, &writer].map(is_signalled), [true, false]);
    gate.memory.write(0, &1_u32.to_le_bytes()).unwrap();
    file.gem_wait(source.handle, -1).unwrap();
    assert!(becomes_signalled(&writer));
}

/// As between two processes: the other one knows of the fences by the dma-buf alone.
#[test]
fn imported_fences_hold_up_batches_of_other_processes() {
    let (one, two) = (open(), open());
    let (gate, source) = (Buffer::new(&one, 4096), Buffer::new(&one, 4096));
    let shared = Buffer::new(&one, 4096);
    let of_source = one.prime_handle_to_fd(source.handle, 0).unwrap();
    let of_shared = one.prime_handle_to_fd(shared.handle, 0).unwrap();
    let there = two.prime_fd_to_handle(of_shared.as_fd()).unwrap();
    submit_gated_store(&one, &gate, &source);
    let fences = one
        .device
        .export_dma_buf_fences(of_source.as_fd(), true)
        .unwrap();
    assert_eq!(two.gem_busy(there), Ok(0));
    one.device
        .import_dma_buf_fences(of_shared.as_fd(), fences.as_fd(), true)
        .unwrap();
    assert_eq!(two.gem_busy(there), Ok(1 << 16 | 1));
    std::thread::scope(|scope| {
        let exports = || two.device.export_dma_buf_fences(of_shared.as_fd(), false);
        let waits = scope.spawn(exports);
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waits.is_finished());
        gate.memory.write(0, &1_u32.to_le_bytes()).unwrap();
        assert!(becomes_signalled(&waits.join().unwrap().unwrap()));
    });
    assert_eq!(two.gem_busy(there), Ok(0));
}

#[test]
fn other_descriptors_are_rejected() {
    let file = open();
    let shared = Buffer::new(&file, 4096);
    let dma_buf = file.prime_handle_to_fd(shared.handle, 0).unwrap();
    let pipe = sys::Pipe::new().unwrap();
    let (device, other) = (&file.device, pipe.reader.as_fd());
    let exported = device.export_dma_buf_fences(other, false);
    assert_eq!(exported.unwrap_err(), Errno::ENOTTY);
    let import = |dma_buf, sync_file| device.import_dma_buf_fences(dma_buf, sync_file, false);
    let fences = device
        .export_dma_buf_fences(dma_buf.as_fd(), false)
        .unwrap();
    assert_eq!(import(other, fences.as_fd()), Err(Errno::ENOTTY));
    assert_eq!(import(dma_buf.as_fd(), other), Err(Errno::EINVAL));
    assert_eq!(import(dma_buf.as_fd(), fences.as_fd()), Ok(()));
}
