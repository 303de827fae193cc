//! A recording gives the same submissions again.

use super::*;
use crate::{Recording, RecordingError};
use gpu::{Gpu, HwContext};

#[test]
fn submissions_come_back_with_the_memory_they_saw() {
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
        let objects = &mut [target.at(0x1_0000_0000), batch.at(0x20_0000)];
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
        let view = gpu::View::new(&submission.space);
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
