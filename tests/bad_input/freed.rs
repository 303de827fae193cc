//! Memory that is freed and asked for again: the pages may be those of before, what was in them may
//! not.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ash::vk;

use crate::faults::Faults;
use crate::rig::Rig;

const BYTES: u64 = 1 << 16;

/// Memory of the first type that can be mapped and is coherent.
fn allocate(rig: &Rig, bytes: u64, exported: bool) -> vk::DeviceMemory {
    let mut export = vk::ExportMemoryAllocateInfo::default()
        .handle_types(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
    let mut info = vk::MemoryAllocateInfo::default().allocation_size(bytes);
    if exported {
        info = info.push_next(&mut export);
    }
    unsafe { rig.device.allocate_memory(&info, None) }.expect("memory")
}

/// Its words.
fn words(rig: &Rig, memory: vk::DeviceMemory, bytes: u64) -> &[AtomicU32] {
    unsafe {
        let flags = vk::MemoryMapFlags::empty();
        let at = rig.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags);
        std::slice::from_raw_parts(at.expect("mapped").cast(), bytes as usize / 4)
    }
}

fn free(rig: &Rig, memory: vk::DeviceMemory) {
    unsafe { rig.device.free_memory(memory, None) };
}

#[test]
fn recycled_pages_are_zeroed() {
    let faults = Faults::at(0);
    let rig = Rig::with_faults(&faults).expect("a device");
    let first = allocate(&rig, BYTES, false);
    let open = faults.open();
    for word in words(&rig, first, BYTES) {
        word.store(0x1234_5678, Relaxed);
    }
    free(&rig, first);
    assert_eq!(faults.open(), open, "small buffers are kept");
    // A page fewer is another size.
    let other = allocate(&rig, BYTES - 4096, false);
    assert_ne!(faults.open(), open);
    let again = allocate(&rig, BYTES, false);
    assert_eq!(faults.open().len(), open.len() + 1, "the same buffer");
    let mut all = words(&rig, again, BYTES).iter();
    assert!(all.all(|word| word.load(Relaxed) == 0));
    free(&rig, other);
    free(&rig, again);
}

#[test]
fn large_and_exported_pages_are_freed() {
    let faults = Faults::at(0);
    let rig = Rig::with_faults(&faults).expect("a device");
    let open = faults.open();
    for (bytes, exported) in [(1 << 20, false), (BYTES, true)] {
        let memory = allocate(&rig, bytes, exported);
        words(&rig, memory, bytes)[7].store(7, Relaxed);
        assert_ne!(faults.open(), open);
        free(&rig, memory);
        assert_eq!(faults.open(), open);
    }
}

#[test]
fn the_page_cache_is_bounded() {
    let faults = Faults::at(0);
    let rig = Rig::with_faults(&faults).expect("a device");
    let open = faults.open().len();
    let all: Vec<_> = (0..200)
        .map(|_| {
            let memory = allocate(&rig, BYTES, false);
            words(&rig, memory, BYTES)[0].store(1, Relaxed);
            memory
        })
        .collect();
    assert_eq!(faults.open().len(), open + 200);
    all.into_iter().for_each(|memory| free(&rig, memory));
    assert_eq!(faults.open().len(), open + 128, "8 MiB");
    drop(rig);
    assert_eq!(faults.open(), [], "all end with the device");
}
