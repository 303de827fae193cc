//! Hangs, faults, the null device and command traces.

use crate::options::Options;
use crate::testing::{BATCH_END, BATCH_START, Buffer, context, device, exec, store};
use uapi::i915::{self};
use uapi::{Errno, Kernel};

/// A batch that jumps to itself.
fn endless(address: u64) -> [u32; 3] {
    [BATCH_START, address as u32, (address >> 32) as u32]
}

#[test]
fn hang_loses_only_its_context() {
    let (device, lines) = device(Options {
        hang_seconds: 1,
        ..Options::default()
    });
    let file = device.open();
    let (bad, good) = (context(&file), context(&file));
    let endless = Buffer::with(&file, &endless(0x1000));
    let fine = Buffer::with(&file, &[BATCH_END]);
    exec(&file, bad, &mut [endless.pinned_at(0x1000)], &[]).unwrap();
    // It waits behind the one that hangs, and is dropped with it.
    let queued = Buffer::with(&file, &[BATCH_END]);
    let accepted = exec(&file, bad, &mut [queued.pinned_at(0x1000)], &[]);
    exec(&file, good, &mut [fine.pinned_at(0x1000)], &[]).unwrap();
    for buffer in [&endless, &queued, &fine] {
        file.gem_wait(buffer.handle, -1).unwrap();
    }
    let stats = file.get_reset_stats(bad).unwrap();
    assert_eq!((stats.reset_count, stats.batch_active), (1, 1));
    assert_eq!(stats.batch_pending, u32::from(accepted.is_ok()));
    let stats = file.get_reset_stats(good).unwrap();
    assert_eq!((stats.batch_active, stats.batch_pending), (0, 0));
    assert_eq!(
        exec(&file, bad, &mut [fine.pinned_at(0x1000)], &[]),
        Err(Errno::EIO)
    );
    assert_eq!(
        exec(&file, good, &mut [fine.pinned_at(0x1000)], &[]),
        Ok(())
    );
    let lines = lines.lock().unwrap();
    let logged = |line: &String| line.contains("hung") && line.contains("did not end after");
    assert!(lines.iter().any(logged), "{lines:?}");
}

#[test]
fn faults_and_truncated_batches_hang_and_report_their_address() {
    let (device, lines) = device(Options::default());
    let file = device.open();
    let stray = Buffer::with(&file, &[&store(0xdead_0000, 1)[..], &[BATCH_END]].concat());
    exec(&file, 0, &mut [stray.pinned_at(0x1000)], &[]).unwrap();
    file.gem_wait(stray.handle, -1).unwrap();
    // Zeros are MI_NOOP: the batch runs off its end.
    let empty = Buffer::new(&file, 4096);
    exec(&file, 0, &mut [empty.pinned_at(0x1000)], &[]).unwrap();
    file.gem_wait(empty.handle, -1).unwrap();
    {
        let lines = lines.lock().unwrap();
        assert!(lines[0].contains("0xdead0000"), "{lines:?}");
        assert!(
            lines[1].contains("without MI_BATCH_BUFFER_END"),
            "{lines:?}"
        );
    }
    // The file's own context recovers, until it has hung too often.
    assert_eq!(file.get_reset_stats(0).unwrap().batch_active, 2);
    for _ in 0..2 {
        exec(&file, 0, &mut [empty.pinned_at(0x1000)], &[]).unwrap();
        file.gem_wait(empty.handle, -1).unwrap();
    }
    assert_eq!(
        exec(&file, 0, &mut [empty.pinned_at(0x1000)], &[]),
        Err(Errno::EIO)
    );
}

#[test]
fn null_device_signals_at_once_and_executes_nothing() {
    let (device, lines) = device(Options {
        null: true,
        ..Options::default()
    });
    let file = device.open();
    let target = Buffer::new(&file, 4096);
    let words = [&store(0x1_0000_0008, 42)[..], &[BATCH_END]].concat();
    let batch = Buffer::with(&file, &words);
    let syncobj = file.syncobj_create(0).unwrap();
    let signal = [uapi::ExecFence {
        handle: syncobj,
        flags: i915::EXEC_FENCE_SIGNAL,
        point: 0,
    }];
    let objects = &mut [target.pinned_at(0x1_0000_0000), batch.pinned_at(0x20_0000)];
    exec(&file, context(&file), objects, &signal).unwrap();
    // A deadline in the past: it is signalled already.
    file.syncobj_wait(&[syncobj], 0, 0).unwrap();
    assert_eq!(target.word(2), 0);
    assert_eq!(lines.lock().unwrap().len(), 0);
}

#[test]
fn trace_lists_commands_in_execution_order() {
    let (device, lines) = device(Options {
        trace_commands: true,
        ..Options::default()
    });
    let file = device.open();
    let target = Buffer::new(&file, 4096);
    let words = [&store(0x1_0000_0008, 42)[..], &[BATCH_END]].concat();
    let batch = Buffer::with(&file, &words);
    let objects = &mut [target.pinned_at(0x1_0000_0000), batch.pinned_at(0x20_0000)];
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
