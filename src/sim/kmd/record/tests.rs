//! A recording gives the same submissions again.

use crate::options::Options;
use crate::record::{Recording, RecordingError};
use crate::testing::{BATCH_END, Buffer, context, device, exec, store};
use gpu::{Gpu, HwContext};
use std::os::fd::AsFd;
use sys::Mapping;
use uapi::Kernel;
use uapi::i915::{self};

#[test]
fn recordings_restore_the_memory_of_each_submission() {
    let path = std::env::temp_dir().join(format!("ingot-{}.rec", sys::process_id()));
    let (device, lines) = device(Options {
        record: Some(path.clone()),
        ..Options::default()
    });
    let file = device.open();
    let target = Buffer::new(&file, 8192);
    // The second batch copies what the first one stored.
    let first = [&store(0x1_0000_1008, 42)[..], &[BATCH_END]].concat();
    // MI_COPY_MEM_MEM: from 0x1_0000_1008 to 0x1_0000_0010.
    let copy = [0x2e << 23 | 3, 0x10, 1, 0x1008, 1];
    let second = [&copy[..], &[BATCH_END]].concat();
    let context = context(&file);
    for words in [first, second] {
        let batch = Buffer::with(&file, &words);
        let objects = &mut [target.pinned_at(0x1_0000_0000), batch.pinned_at(0x20_0000)];
        exec(&file, context, objects, &[]).unwrap();
        file.gem_wait(batch.handle, -1).unwrap();
    }
    assert_eq!(target.word(4), 42, "{:?}", lines.lock().unwrap());
    drop(file);
    drop(device);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();

    let mut recording = Recording::new(&bytes).unwrap();
    let hw = hw::Device::by_name(recording.device()).unwrap();
    let gpu = Gpu::new(hw, gpu::Options::default());
    let mut state = HwContext::new();
    let mut seen = Vec::new();
    while let Some(submission) = recording.next_submission().unwrap() {
        let view = gpu::AddressSpaceView::new(&submission.space);
        let before = view.read(0x1_0000_1008).unwrap();
        gpu.execute(&mut state, &submission.space, submission.batch_address, 0)
            .unwrap();
        seen.push((before, view.read(0x1_0000_0010).unwrap()));
    }
    assert_eq!(seen, [(0, 0), (42, 42)]);

    // Every way of being cut short is noticed where it happens.
    for length in 0..bytes.len() {
        let Ok(mut recording) = Recording::new(&bytes[..length]) else {
            continue;
        };
        let end = loop {
            match recording.next_submission() {
                Ok(Some(_)) => {}
                other => break other.map(|_| ()),
            }
        };
        let whole = bytes[length..].starts_with(b"SUBM");
        assert_eq!(end.is_ok(), whole, "{length}");
    }
    assert_eq!(
        Recording::new(b"INGOTREX").err(),
        Some(RecordingError::Magic)
    );
}

/// What a recorder is asked to notice between two submissions: changes by either side, and none
/// where there are none.
#[test]
fn recording_has_only_changed_pages() {
    const AT: u64 = 0x1_0000_0000;
    const PAGES: u64 = 16384;
    let path = std::env::temp_dir().join(format!("ingot-{}-pages.rec", sys::process_id()));
    let (device, lines) = device(Options {
        record: Some(path.clone()),
        ..Options::default()
    });
    let file = device.open();
    let target = Buffer::new(&file, PAGES * 4096);
    let batch = Buffer::with(&file, &[&store(AT, 42)[..], &[BATCH_END]].concat());
    let context = context(&file);
    let mut sizes = Vec::new();
    let mut submit = |before: &dyn Fn(&Mapping)| {
        before(&target.memory);
        let objects = &mut [target.pinned_at(AT), batch.pinned_at(0x20_0000)];
        exec(&file, context, objects, &[]).unwrap();
        file.gem_wait(batch.handle, -1).unwrap();
        sizes.push(std::fs::metadata(&path).unwrap().len());
    };
    // The batch's page alone.
    submit(&|_| ());
    // The page that the GPU has written, though the process put back what was there before.
    submit(&|memory| memory.write(0, &[0; 4]).unwrap());
    // That again, as the GPU has written it; and a page of the process.
    submit(&|memory| memory.write(5 * 4096 + 8, &[7]).unwrap());
    // The GPU writes what is there already: nothing.
    submit(&|_| ());
    // A page of zeros again.
    submit(&|memory| memory.write(5 * 4096 + 8, &[0]).unwrap());
    assert_eq!(*lines.lock().unwrap(), [""; 0]);
    let pages = |bytes: u64| bytes / 4096;
    let grown: Vec<u64> = sizes.windows(2).map(|w| pages(w[1] - w[0])).collect();
    assert_eq!((pages(sizes[0]), &grown[..]), (1, &[1, 2, 0, 1][..]));
    // Nobody has made pages of the buffer's holes.
    let (fd, _) = file
        .mapping(
            file.gem_mmap_offset(target.handle, i915::MMAP_OFFSET_WB)
                .unwrap(),
        )
        .unwrap();
    let ranges = sys::data_ranges(fd.as_fd(), PAGES * 4096).unwrap();
    let there: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    assert!(pages(there) < PAGES / 2, "{ranges:?}");

    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let mut recording = Recording::new(&bytes).unwrap();
    let mut seen = Vec::new();
    while let Some(submission) = recording.next_submission().unwrap() {
        let view = gpu::AddressSpaceView::new(&submission.space);
        seen.push((
            view.read(AT).unwrap(),
            view.read(AT + 5 * 4096 + 8).unwrap(),
        ));
    }
    assert_eq!(seen, [(0, 0), (0, 0), (42, 7), (42, 7), (42, 0)]);
}
