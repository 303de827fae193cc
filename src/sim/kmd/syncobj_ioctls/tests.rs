//! Syncobjs, timelines and sync files, with batches that signal them.

use uapi::{SyncobjTransfer, drm};

use crate::options::Options;
use crate::testing::{BATCH_END, Buffer, context, device, exec, open, signal, store, wait_for};
use std::os::fd::AsFd;
use uapi::i915::{self};
use uapi::{Errno, Exec, ExecFence, Kernel};

const NOW: i64 = 0;
const EVER: i64 = i64::MAX;

#[test]
fn binary_syncobjs_wait_for_batches() {
    let file = open();
    let context = context(&file);
    let batch = Buffer::with(&file, &[BATCH_END]);
    let syncobj = file.syncobj_create(0).unwrap();
    assert_eq!(
        file.syncobj_wait(&[syncobj], NOW, 0),
        Err(Errno::EINVAL),
        "no fence"
    );
    let submit = drm::SYNCOBJ_WAIT_FOR_SUBMIT;
    assert_eq!(
        file.syncobj_wait(&[syncobj], NOW, submit),
        Err(Errno::ETIME)
    );
    exec(
        &file,
        context,
        &mut [batch.pinned_at(0x1000)],
        &[signal(syncobj)],
    )
    .unwrap();
    assert_eq!(file.syncobj_wait(&[syncobj], EVER, 0), Ok(0));
    file.syncobj_reset(&[syncobj]).unwrap();
    assert_eq!(
        file.syncobj_wait(&[syncobj], NOW, submit),
        Err(Errno::ETIME)
    );
    let other = file.syncobj_create(drm::SYNCOBJ_CREATE_SIGNALED).unwrap();
    assert_eq!(
        file.syncobj_wait(&[syncobj, other], NOW, submit),
        Ok(1),
        "any"
    );
    let all = submit | drm::SYNCOBJ_WAIT_ALL;
    assert_eq!(
        file.syncobj_wait(&[syncobj, other], NOW, all),
        Err(Errno::ETIME),
        "all"
    );
}

#[test]
fn wait_for_submit_from_another_thread() {
    let file = open();
    let syncobj = file.syncobj_create(0).unwrap();
    let waiter = {
        let file = file.clone();
        std::thread::spawn(move || {
            file.syncobj_wait(&[syncobj], EVER, drm::SYNCOBJ_WAIT_FOR_SUBMIT)
        })
    };
    let batch = Buffer::with(&file, &[BATCH_END]);
    exec(&file, 0, &mut [batch.pinned_at(0x1000)], &[signal(syncobj)]).unwrap();
    assert_eq!(waiter.join().unwrap(), Ok(0));
}

#[test]
fn timeline_syncobj_points() {
    let file = open();
    let timeline = file.syncobj_create(0).unwrap();
    assert_eq!(file.syncobj_query(&[timeline], 0), Ok(vec![0]));
    file.syncobj_timeline_signal(&[timeline], &[5]).unwrap();
    assert_eq!(file.syncobj_query(&[timeline], 0), Ok(vec![5]));
    let wait = |point, flags| file.syncobj_timeline_wait(&[timeline], &[point], NOW, flags);
    assert_eq!(wait(4, 0), Ok(0));
    assert_eq!(wait(6, 0), Err(Errno::EINVAL), "not submitted");
    assert_eq!(wait(6, drm::SYNCOBJ_WAIT_FOR_SUBMIT), Err(Errno::ETIME));
    assert_eq!(wait(6, drm::SYNCOBJ_WAIT_AVAILABLE), Err(Errno::ETIME));
    let batch = Buffer::with(&file, &[BATCH_END]);
    let point = ExecFence {
        point: 7,
        ..signal(timeline)
    };
    exec(&file, 0, &mut [batch.pinned_at(0x1000)], &[point]).unwrap();
    let last = file.syncobj_query(&[timeline], drm::SYNCOBJ_QUERY_LAST_SUBMITTED);
    assert_eq!(last, Ok(vec![7]));
    assert_eq!(wait(6, drm::SYNCOBJ_WAIT_AVAILABLE), Ok(0));
    assert_eq!(
        file.syncobj_timeline_wait(&[timeline], &[7], EVER, 0),
        Ok(0)
    );
    assert_eq!(file.syncobj_query(&[timeline], 0), Ok(vec![7]));
    let binary = file.syncobj_create(0).unwrap();
    let transfer = SyncobjTransfer {
        source: timeline,
        source_point: 7,
        destination: binary,
        ..Default::default()
    };
    file.syncobj_transfer(transfer).unwrap();
    assert_eq!(file.syncobj_wait(&[binary], NOW, 0), Ok(0));
    assert_eq!(
        file.syncobj_transfer(SyncobjTransfer {
            source_point: 9,
            ..transfer
        }),
        Err(Errno::EINVAL)
    );
}

/// A batch of another context waits for the first; both waits for a fence that the CPU signals
/// last.
#[test]
fn batches_wait_for_syncobj_fences() {
    let file = open();
    let (first, second) = (context(&file), context(&file));
    let target = Buffer::new(&file, 4096);
    let one = Buffer::with(&file, &[&store(0x10_0000, 1)[..], &[BATCH_END]].concat());
    let two = Buffer::with(&file, &[&store(0x10_0000, 2)[..], &[BATCH_END]].concat());
    // The second job of a chain is known to come last, whatever the order of the contexts.
    let (begun, done) = (
        file.syncobj_create(0).unwrap(),
        file.syncobj_create(0).unwrap(),
    );
    let mut asynchronous = target.pinned_at(0x10_0000);
    asynchronous.flags |= i915::EXEC_OBJECT_ASYNC;
    for _ in 0..20 {
        let mut objects = [asynchronous.clone(), two.pinned_at(0x20_0000)];
        exec(&file, second, &mut objects, &[signal(begun)]).unwrap();
        let mut objects = [asynchronous.clone(), one.pinned_at(0x20_0000)];
        exec(&file, first, &mut objects, &[wait_for(begun), signal(done)]).unwrap();
        assert_eq!(file.syncobj_wait(&[done], EVER, 0), Ok(0));
        assert_eq!(target.word(0), 1);
        // What waited has ended, so what it waited for has.
        assert_eq!(file.syncobj_wait(&[begun], NOW, 0), Ok(0));
    }
}

#[test]
fn sync_files_export_and_import_fences() {
    let file = open();
    let batch = Buffer::with(&file, &[BATCH_END]);
    let run = |in_fence| {
        let exec = Exec {
            objects: &mut [batch.pinned_at(0x1000)],
            batch_start_bytes: 0,
            batch_bytes: 0,
            flags: 0,
            context: 0,
            fences: &[],
            in_fence,
            out_fence: true,
        };
        file.execbuffer2(exec).map(Option::unwrap)
    };
    let fence = run(None).unwrap();
    let second = run(Some(fence.as_fd())).unwrap();
    file.gem_wait(batch.handle, -1).unwrap();
    // The descriptor becomes readable a moment after the fence is signalled.
    while !sys::poll_readable(second.as_fd()).unwrap() {
        std::thread::yield_now();
    }
    let syncobj = file.syncobj_create(0).unwrap();
    let flags = drm::SYNCOBJ_FD_SYNC_FILE;
    assert_eq!(
        file.syncobj_handle_to_fd(syncobj, flags).unwrap_err(),
        Errno::EINVAL,
        "no fence"
    );
    assert_eq!(
        file.syncobj_fd_to_handle(fence.as_fd(), syncobj, flags),
        Ok(syncobj)
    );
    assert_eq!(file.syncobj_wait(&[syncobj], NOW, 0), Ok(0));
    let exported = file.syncobj_handle_to_fd(syncobj, flags).unwrap();
    assert_eq!(sys::poll_readable(exported.as_fd()), Ok(true));
    let no_fence = sys::memfd(c"x", 1).unwrap();
    assert_eq!(run(Some(no_fence.as_fd())).unwrap_err(), Errno::EINVAL);
    assert_eq!(
        file.syncobj_fd_to_handle(no_fence.as_fd(), syncobj, flags),
        Err(Errno::EINVAL)
    );
}

#[test]
fn syncobjs_are_shared_by_fd() {
    let (device, _) = device(Options::default());
    let (one, two) = (device.open(), device.open());
    let here = one.syncobj_create(0).unwrap();
    let fd = one.syncobj_handle_to_fd(here, 0).unwrap();
    let there = two.syncobj_fd_to_handle(fd.as_fd(), 0, 0).unwrap();
    one.syncobj_signal(&[here]).unwrap();
    assert_eq!(two.syncobj_wait(&[there], NOW, 0), Ok(0));
    drop(one);
    assert_eq!(two.syncobj_wait(&[there], NOW, 0), Ok(0));
}

#[test]
fn an_eventfd_is_readable_once_its_point_is_signalled() {
    let file = open();
    let syncobj = file.syncobj_create(0).unwrap();
    let [first, second, late] = [(); 3].map(|()| sys::event().unwrap());
    let readable = |event: &std::os::fd::OwnedFd| sys::poll_readable(event.as_fd()).unwrap();
    let watch = |event: &std::os::fd::OwnedFd, point| {
        file.syncobj_eventfd(syncobj, point, event.as_fd()).unwrap();
    };
    watch(&first, 2);
    watch(&second, 3);
    file.syncobj_timeline_signal(&[syncobj], &[1]).unwrap();
    assert_eq!([readable(&first), readable(&second)], [false, false]);
    file.syncobj_timeline_signal(&[syncobj], &[2]).unwrap();
    assert_eq!([readable(&first), readable(&second)], [true, false]);
    // Once each; for a point that is signalled already, at once.
    sys::clear_event(first.as_fd());
    file.syncobj_timeline_signal(&[syncobj], &[3]).unwrap();
    assert_eq!([readable(&first), readable(&second)], [false, true]);
    watch(&late, 1);
    assert!(readable(&late));
    let unknown = file.syncobj_eventfd(99, 1, late.as_fd());
    assert_eq!(unknown, Err(Errno::ENOENT));
}
