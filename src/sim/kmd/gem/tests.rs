//! Buffers: dma-bufs, relocations, address spaces, errors of arguments.

use uapi::i915::RelocationEntry;

use crate::options::Options;
use crate::testing::{BATCH_END, Buffer, device, exec, open, store};
use std::os::fd::AsFd;
use std::sync::Arc;
use uapi::i915::{self};
use uapi::{ContextParam, Errno, ExecObject, Kernel};

#[test]
fn dma_bufs_share_pages_and_handles() {
    let (device, _) = device(Options::default());
    let (one, two) = (device.open(), device.open());
    let buffer = Buffer::new(&one, 8192);
    let fd = one.prime_handle_to_fd(buffer.handle, 0).unwrap();
    assert_eq!(sys::file_len_bytes(fd.as_fd()), Ok(8192));
    assert_eq!(
        one.prime_fd_to_handle(fd.as_fd()),
        Ok(buffer.handle),
        "the same buffer again"
    );
    let there = two.prime_fd_to_handle(fd.as_fd()).unwrap();
    assert_eq!(two.prime_fd_to_handle(fd.as_fd()), Ok(there));
    two.gem_pwrite(there, 4, &7_u32.to_le_bytes()).unwrap();
    assert_eq!(buffer.word(1), 7);
    drop(one);
    assert_eq!(two.gem_pread(there, 4, 1), Ok(vec![7]));
    let pipe = sys::Pipe::new().unwrap();
    assert_eq!(
        two.prime_fd_to_handle(pipe.reader.as_fd()),
        Err(Errno::EINVAL)
    );
    assert_eq!(two.prime_handle_to_fd(there, 1).unwrap_err(), Errno::EINVAL);
}

/// Two processes with one dma-buf: each knows of the other's batches by the dma-buf alone.
#[test]
fn implicit_sync_between_processes() {
    let (one, two) = (open(), open());
    let buffer = Buffer::new(&one, 4096);
    let fd = one.prime_handle_to_fd(buffer.handle, 0).unwrap();
    let there = two.prime_fd_to_handle(fd.as_fd()).unwrap();
    let write = |object: ExecObject| ExecObject {
        flags: object.flags | i915::EXEC_OBJECT_WRITE,
        ..object
    };
    // MI_SEMAPHORE_WAIT until the first dword of a buffer of its own is 1. Ref: SKL PRM vol. 2a.
    let gate = Buffer::new(&one, 4096);
    let (at, batch_at, gate_at) = (0x10_0000, 0x20_0000, 0x30_0000);
    let wait = [0x1c << 23 | 1 << 15 | 4 << 12 | 2, 1, gate_at, 0];
    let batch = Buffer::with(&one, &[&wait[..], &store(at, 5), &[BATCH_END]].concat());
    let mut objects = [
        gate.pinned_at(gate_at.into()),
        write(buffer.pinned_at(at)),
        batch.pinned_at(batch_at),
    ];
    exec(&one, 0, &mut objects, &[]).unwrap();
    assert_eq!(two.gem_busy(there), Ok(1 << 16 | 1));
    assert_eq!(two.gem_wait(there, 1_000_000), Err(Errno::ETIME));
    // A batch there that reads it waits for the one that writes it; one that is asynchronous does
    // not.
    let end = Buffer::with(&two, &[BATCH_END]);
    let reads = ExecObject {
        handle: there,
        ..buffer.pinned_at(at)
    };
    let asynchronous = ExecObject {
        flags: reads.flags | i915::EXEC_OBJECT_ASYNC,
        ..reads.clone()
    };
    exec(&two, 0, &mut [asynchronous, end.pinned_at(batch_at)], &[]).unwrap();
    two.gem_wait(end.handle, -1).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| exec(&two, 0, &mut [reads, end.pinned_at(batch_at)], &[]));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!reader.is_finished());
        gate.memory.write(0, &1_u32.to_le_bytes()).unwrap();
        assert_eq!(reader.join().unwrap(), Ok(()));
    });
    assert_eq!(buffer.word(0), 5);
    assert_eq!(two.gem_wait(there, -1), Ok(-1));
    assert_eq!(
        (one.gem_busy(buffer.handle), two.gem_busy(there)),
        (Ok(0), Ok(0))
    );
}

#[test]
fn relocations_are_applied() {
    let file = open();
    let target = Buffer::new(&file, 4096);
    let batch = Buffer::with(&file, &[&store(0, 9)[..], &[BATCH_END]].concat());
    let relocation = |delta| RelocationEntry {
        target_handle: 0,
        delta,
        offset: 4,
        presumed_offset: u64::MAX,
        write_domain: i915::GEM_DOMAIN_RENDER,
        read_domains: i915::GEM_DOMAIN_RENDER,
    };
    let unplaced = |handle, relocations| ExecObject {
        handle,
        address: u64::MAX,
        relocations,
        ..Default::default()
    };
    let mut objects = [
        unplaced(target.handle, vec![]),
        unplaced(batch.handle, vec![relocation(12)]),
    ];
    exec(&file, 0, &mut objects, &[]).unwrap();
    file.gem_wait(batch.handle, -1).unwrap();
    assert_eq!(target.word(3), 9);
    let [placed, after] = &objects;
    assert!(placed.address > 0 && placed.address < 1 << 32 && placed.address != after.address);
    assert_eq!(after.relocations[0].presumed_offset, placed.address);
    assert_eq!(u64::from(batch.word(1)), placed.address + 12);
    // The second time nothing moves, and nothing needs to be written.
    let before = objects.clone();
    exec(&file, 0, &mut objects, &[]).unwrap();
    assert_eq!(objects, before);
    let spoilt = |spoil: fn(&mut RelocationEntry)| {
        let mut bad = relocation(0);
        spoil(&mut bad);
        exec(
            &file,
            0,
            &mut [
                unplaced(target.handle, vec![]),
                unplaced(batch.handle, vec![bad]),
            ],
            &[],
        )
    };
    assert_eq!(spoilt(|bad| bad.target_handle = 2), Err(Errno::ENOENT));
    assert_eq!(spoilt(|bad| bad.offset = 4092), Err(Errno::EINVAL));
    assert_eq!(spoilt(|bad| bad.offset = u64::MAX), Err(Errno::EINVAL));
    assert_eq!(spoilt(|bad| bad.offset = 2), Err(Errno::EINVAL));
    assert_eq!(spoilt(|bad| bad.write_domain = 6), Err(Errno::EINVAL));
}

#[test]
fn contexts_can_share_an_address_space() {
    let file = open();
    let vm = file.vm_create().unwrap();
    let context = file.context_create(1, &[ContextParam::Vm(vm)]).unwrap();
    let batch = Buffer::with(&file, &[BATCH_END]);
    exec(&file, context, &mut [batch.pinned_at(0x7000)], &[]).unwrap();
    // The buffer stays where it is in that space.
    let mut unplaced = ExecObject {
        handle: batch.handle,
        ..Default::default()
    };
    let other = file.context_create(1, &[ContextParam::Vm(vm)]).unwrap();
    exec(&file, other, std::slice::from_mut(&mut unplaced), &[]).unwrap();
    assert_eq!(unplaced.address, 0x7000);
    let name = file
        .context_getparam(other, i915::CONTEXT_PARAM_VM)
        .unwrap();
    assert_ne!(name, u64::from(vm));
    file.vm_destroy(vm).unwrap();
    assert_eq!(file.vm_destroy(vm), Err(Errno::ENOENT));
    exec(&file, context, &mut [batch.pinned_at(0x7000)], &[]).unwrap();
}

#[test]
fn closing_frees_buffers() {
    let (device, _) = device(Options::default());
    let file = device.open();
    let (handle, _) = file.gem_create(4096).unwrap();
    let weak = Arc::downgrade(&file.buffer(handle).unwrap());
    let (second, _) = file.gem_create(4096).unwrap();
    let other = Arc::downgrade(&file.buffer(second).unwrap());
    let batch = Buffer::with(&file, &[BATCH_END]);
    let there = ExecObject {
        handle,
        address: 0x10_0000,
        flags: 16,
        ..Default::default()
    };
    exec(&file, 0, &mut [there, batch.pinned_at(0x1000)], &[]).unwrap();
    file.gem_wait(batch.handle, -1).unwrap();
    file.gem_close(handle).unwrap();
    // The thread that ran the batch lets go of its buffers a moment after its fence is signalled.
    while weak.strong_count() > 0 {
        std::thread::yield_now();
    }
    drop(file);
    assert_eq!(other.strong_count(), 0);
}

#[test]
fn invalid_buffer_arguments_are_rejected() {
    let file = open();
    assert_eq!(file.gem_create(0), Err(Errno::EINVAL));
    assert_eq!(file.gem_create(u64::MAX), Err(Errno::EINVAL));
    assert_eq!(file.gem_create(1 << 62), Err(Errno::E2BIG));
    assert_eq!(file.gem_create_ext(4096, 1, &[]), Err(Errno::EINVAL));
    let local = i915::MemoryClassInstance {
        memory_class: i915::MEMORY_CLASS_DEVICE,
        memory_instance: 0,
    };
    assert_eq!(file.gem_create_ext(4096, 0, &[local]), Err(Errno::EINVAL));
    let (handle, bytes) = file.gem_create(1).unwrap();
    assert_eq!(bytes, 4096);
    assert_eq!(file.gem_mmap_offset(handle, 9), Err(Errno::EINVAL));
    assert_eq!(file.gem_mmap_offset(handle + 1, 0), Err(Errno::ENOENT));
    assert_eq!(file.mapping(12345).unwrap_err(), Errno::EINVAL);
    assert_eq!(file.gem_set_domain(handle, 2, 0), Err(Errno::EINVAL));
    assert_eq!(file.gem_set_tiling(handle, 1, 100), Err(Errno::EINVAL));
    assert_eq!(
        file.gem_set_tiling(handle, 1, 512)
            .map(|tiling| tiling.mode),
        Ok(1)
    );
    assert_eq!(file.gem_madvise(handle, 5), Err(Errno::EINVAL));
    assert_eq!(file.gem_set_caching(handle, 3), Err(Errno::EINVAL));
    assert_eq!(file.gem_pread(handle, 4000, 97).unwrap_err(), Errno::EINVAL);
    assert_eq!(file.gem_pwrite(handle, u64::MAX, &[0]), Err(Errno::EINVAL));
    file.gem_close(handle).unwrap();
    assert_eq!(file.gem_close(handle), Err(Errno::EINVAL));
    assert_eq!(file.gem_wait(handle, 0), Err(Errno::ENOENT));
}
