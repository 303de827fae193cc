//! EXECBUFFER2: execution, and the errors for invalid arguments.

use crate::file::File;
use crate::testing::{BATCH_END, Buffer, context, exec, open, signal, store, wait_for};
use std::sync::Arc;
use uapi::i915::{self};
use uapi::{Errno, Exec, ExecFence, ExecObject, Kernel, Result};

/// A valid execbuf, of which tests change single arguments.
struct ValidExec {
    file: Arc<File>,
    context: u32,
    target: Buffer,
    batch: Buffer,
}

impl ValidExec {
    fn new() -> Self {
        let file = open();
        let context = context(&file);
        let target = Buffer::new(&file, 8192);
        let batch = Buffer::with(&file, &[BATCH_END]);
        Self {
            file,
            context,
            target,
            batch,
        }
    }

    fn objects(&self) -> [ExecObject; 2] {
        [
            self.target.pinned_at(0x10_0000),
            self.batch.pinned_at(0x20_0000),
        ]
    }

    fn with(&self, change: impl FnOnce(&mut [ExecObject; 2])) -> Result<()> {
        let mut objects = self.objects();
        change(&mut objects);
        exec(&self.file, self.context, &mut objects, &[])
    }

    fn exec(&self, flags: u64, start: u32, bytes: u32) -> Result<()> {
        let exec = Exec {
            objects: &mut self.objects(),
            batch_start_bytes: start,
            batch_bytes: bytes,
            flags,
            context: self.context,
            fences: &[],
            in_fence: None,
            out_fence: false,
        };
        self.file.execbuffer2(exec).map(drop)
    }
}

#[test]
fn batch_completes_and_its_buffer_becomes_idle() {
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
        &mut [target.pinned_at(0x1_0000_0000), batch.pinned_at(0x20_0000)],
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
fn invalid_addresses_are_rejected() {
    let valid = ValidExec::new();
    valid.with(|_| ()).unwrap();
    let at = |address: u64| valid.with(|objects| objects[0].address = address);
    assert_eq!(at(0x10_0800), Err(Errno::EINVAL), "within a page");
    assert_eq!(at(1 << 48), Err(Errno::EINVAL), "beyond 48 bits");
    assert_eq!(at(1 << 47), Err(Errno::EINVAL), "not canonical");
    assert_eq!(at(0xffff_8000_0000_0000), Ok(()), "canonical");
    assert_eq!(
        at(0xffff_ffff_ffff_f000),
        Err(Errno::EINVAL),
        "the second page is beyond the end"
    );
    assert_eq!(at(0x20_0000), Err(Errno::ENOSPC), "on the batch");
    assert_eq!(at(0x1f_f000), Err(Errno::ENOSPC), "into the batch");
    assert_eq!(at(0x1f_e000), Ok(()), "before the batch");
    let low = |address: u64| {
        valid.with(|objects| {
            objects[0].address = address;
            objects[0].flags = i915::EXEC_OBJECT_PINNED;
        })
    };
    assert_eq!(
        low(0x1_0000_0000),
        Err(Errno::EINVAL),
        "above 4 GiB without the flag"
    );
    assert_eq!(low(0x4000_0000), Ok(()));
    let align = |alignment| valid.with(|objects| objects[0].alignment_bytes = alignment);
    assert_eq!(align(0x3000), Err(Errno::EINVAL), "not a power of two");
    assert_eq!(align(1 << 40), Err(Errno::EINVAL), "not aligned that much");
    assert_eq!(align(0x1000), Ok(()));
    let pad = |bytes| {
        valid.with(|objects| {
            objects[0].flags |= i915::EXEC_OBJECT_PAD_TO_SIZE;
            objects[0].pad_to_bytes = bytes;
        })
    };
    assert_eq!(pad(0x1001), Err(Errno::EINVAL));
    assert_eq!(pad(0x10_1000), Err(Errno::ENOSPC), "padded into the batch");
    assert_eq!(pad(0x10_0000), Ok(()));
}

#[test]
fn invalid_objects_are_rejected() {
    let valid = ValidExec::new();
    assert_eq!(
        valid.with(|objects| objects[0].handle = 99),
        Err(Errno::ENOENT)
    );
    assert_eq!(
        valid.with(|objects| objects[0].handle = 0),
        Err(Errno::ENOENT)
    );
    assert_eq!(
        valid.with(|objects| objects[0].handle = objects[1].handle),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        valid.with(|objects| objects[0].flags |= 1 << 8),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        valid.with(|objects| objects[1].flags |= i915::EXEC_OBJECT_WRITE),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        exec(&valid.file, valid.context, &mut [], &[]),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        exec(&valid.file, 77, &mut valid.objects(), &[]),
        Err(Errno::ENOENT)
    );
    assert_eq!(exec(&valid.file, 0, &mut valid.objects(), &[]), Ok(()));
}

#[test]
fn invalid_flags_and_lengths_are_rejected() {
    let valid = ValidExec::new();
    assert_eq!(valid.exec(0, 0, 8), Ok(()));
    assert_eq!(
        valid.exec(1, 0, 0),
        Err(Errno::EINVAL),
        "the context has one engine"
    );
    for flag in [1 << 6, 1 << 8, 1 << 9, 1 << 15, 1 << 22, 1 << 63] {
        assert_eq!(valid.exec(flag, 0, 0), Err(Errno::EINVAL), "flag {flag:#x}");
    }
    assert_eq!(valid.exec(0, 4, 0), Err(Errno::EINVAL), "start");
    assert_eq!(valid.exec(0, 0, 12), Err(Errno::EINVAL), "length");
    assert_eq!(valid.exec(0, 4096, 0), Err(Errno::EINVAL), "empty batch");
    assert_eq!(valid.exec(0, 8, 4096), Err(Errno::EINVAL), "beyond the end");
}

#[test]
fn invalid_fences_are_rejected() {
    let valid = ValidExec::new();
    let file = &valid.file;
    let fence = |fence| exec(file, valid.context, &mut valid.objects(), &[fence]);
    assert_eq!(fence(wait_for(5)), Err(Errno::ENOENT));
    let syncobj = file.syncobj_create(0).unwrap();
    assert_eq!(fence(wait_for(syncobj)), Err(Errno::EINVAL), "no fence yet");
    assert_eq!(
        fence(ExecFence {
            flags: 4,
            ..signal(syncobj)
        }),
        Err(Errno::EINVAL)
    );
    fence(signal(syncobj)).unwrap();
    assert_eq!(fence(wait_for(syncobj)), Ok(()));
    assert_eq!(
        fence(ExecFence {
            point: 3,
            ..wait_for(syncobj)
        }),
        Err(Errno::EINVAL)
    );
    assert_eq!(file.syncobj_wait(&[], 0, 0), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_wait(&[syncobj], 0, 8), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_wait(&[99], 0, 0), Err(Errno::ENOENT));
    assert_eq!(file.syncobj_create(2), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_destroy(99), Err(Errno::EINVAL));
    assert_eq!(file.syncobj_reset(&[]), Err(Errno::EINVAL));
}
