//! Address spaces and views: mapping, reads and writes.
//!
//! Ref: SKL PRM vol. 5, "Memory Views".

use super::AddressSpaceView;
use crate::observer::{Via, Watch};
use crate::space::{AddressSpace, MapError};
use crate::strict::caches::Log;
use crate::testing::memory;
use eu::StopReason;

const TOP: u64 = 1 << 48;

#[test]
fn ranges_are_page_aligned_48_bit_and_backed() {
    let map = |start, len, offset, have| {
        let found = AddressSpace::new().map(start, len, memory(have), offset);
        found.map_err(|error| match error {
            MapError::Range { .. } => "range",
            MapError::Short { .. } => "short",
            MapError::Overlap { .. } => "overlap",
        })
    };
    for (start, len, offset, have, expected) in [
        (0, 0x1000, 0, 0x1000, Ok(())),
        (0x1000, 0, 0, 0x1000, Err("range")),
        (0x1004, 0x1000, 0, 0x1000, Err("range")),
        (0x1000, 0x1800, 0, 0x4000, Err("range")),
        (0x1000, 0x1000, 0x10, 0x4000, Err("range")),
        (TOP - 0x1000, 0x1000, 0, 0x1000, Ok(())),
        (TOP - 0x1000, 0x2000, 0, 0x2000, Err("range")),
        (0x1000, TOP, 0, 0x1000, Err("range")),
        (0x1000, u64::MAX - 0xfff, 0, 0x1000, Err("range")),
        (0x1000, 0x1000, 0x1000, 0x2000, Ok(())),
        (0x1000, 0x2000, 0x1000, 0x2000, Err("short")),
        (0x1000, 0x1000, 0x2000, 0x2000, Err("short")),
        (0x1000, 0x4000, 0, 0x4000, Ok(())),
        (0x1000, 0x5000, 0, 0x4000, Err("short")),
        (0x1000, 0x1000, u64::MAX - 0xfff, 0x2000, Err("short")),
    ] {
        assert_eq!(
            map(start, len, offset, have),
            expected,
            "{start:#x} {len:#x} {offset:#x}"
        );
    }
}

#[test]
fn ranges_may_be_adjacent_but_not_overlap() {
    let base = || {
        let mut space = AddressSpace::new();
        for start in [0x8000, 0x4000] {
            space.map(start, 0x2000, memory(0x2000), 0).expect("free");
        }
        space
    };
    for (start, len, free) in [
        (0x2000, 0x2000, true),
        (0x6000, 0x2000, true),
        (0xa000, 0x1000, true),
        (0x0000, 0x1000, true),
        (0x3000, 0x2000, false),
        (0x4000, 0x2000, false),
        (0x4000, 0x1000, false),
        (0x5000, 0x1000, false),
        (0x5000, 0x2000, false),
        (0x6000, 0x3000, false),
        (0x3000, 0x8000, false),
        (0x9000, 0x4000, false),
    ] {
        let mut space = base();
        let found = space.map(start, len, memory(0x8000), 0);
        assert_eq!(found.is_ok(), free, "{start:#x} {len:#x}: {found:?}");
        let mut expected = vec![(0x4000, 0x2000), (0x8000, 0x2000)];
        if free {
            expected.push((start, len));
            expected.sort();
        }
        assert_eq!(space.ranges().collect::<Vec<_>>(), expected);
    }
    let mut space = base();
    // Only where a range starts can it be removed.
    for (start, removed) in [
        (0x5000, false),
        (0x4000, true),
        (0x4000, false),
        (0x8000, true),
    ] {
        assert_eq!(space.unmap(start), removed, "{start:#x}");
    }
    assert_eq!(space.ranges().count(), 0);
}

#[test]
fn address_bits_above_47_are_ignored() {
    let high = 0xffff_8000_0000_1000;
    let low = 0x8000_0000_1000;
    let mut space = AddressSpace::new();
    space.map(high, 0x1000, memory(0x1000), 0).expect("free");
    assert_eq!(space.ranges().collect::<Vec<_>>(), [(low, 0x1000)]);
    let view = AddressSpaceView::new(&space);
    view.write(high + 8, 5).expect("mapped");
    assert_eq!([view.read(low + 8), view.read(high + 8)], [Ok(5), Ok(5)]);
    view.write_four([high, low + 4, high + 8, low + 12], 0b1011, [1, 2, 3, 4])
        .expect("mapped");
    let mut out = [0; 4];
    view.read_block(high, &mut out).expect("mapped");
    assert_eq!(out, [1, 2, 5, 4]);
    assert!(space.unmap(high));
}

/// Three ranges: two that adjoin, and one behind a gap. Dword i of each holds 0x100, 0x200 or 0x300
/// and i.
fn three() -> AddressSpace {
    let mut space = AddressSpace::new();
    // The second begins in the middle of what is behind it.
    let long = memory(0x3000);
    for (start, backing, offset) in [
        (0x1_0000, memory(0x1000), 0),
        (0x1_1000, long, 0x1000),
        (0x1_4000, memory(0x1000), 0),
    ] {
        space.map(start, 0x1000, backing, offset).expect("free");
    }
    let view = AddressSpaceView::new(&space);
    for (base, start) in [
        (0x100_0000, 0x1_0000),
        (0x200_0000, 0x1_1000),
        (0x300_0000, 0x1_4000),
    ] {
        let numbers: Vec<_> = (base..base + 0x400).collect();
        view.write_block(start, &numbers).expect("mapped");
    }
    space
}

/// What [`three`] has at a multiple of four.
fn there(address: u64) -> Option<u32> {
    let (page, at) = (address >> 12, (address & 0xfff) as u32 / 4);
    match page {
        0x10 => Some(0x100_0000 + at),
        0x11 => Some(0x200_0000 + at),
        0x14 => Some(0x300_0000 + at),
        _ => None,
    }
}

#[test]
fn view_finds_every_range_regardless_of_its_cache() {
    let space = three();
    let view = AddressSpaceView::new(&space);
    let places = [
        0xfffc, 0x1_0000, 0x1_0ffc, 0x1_1000, 0x1_1ffc, 0x1_2000, 0x1_3ffc, 0x1_4000, 0x1_4ffc,
        0x1_5000,
    ];
    for first in places {
        for second in places {
            for third in places {
                for at in [first, second, third] {
                    let expected = there(at).ok_or(at);
                    let found = view.read(at).map_err(|stop| match stop {
                        StopReason::Fault { at, .. } => at,
                        other => panic!("{other:?}"),
                    });
                    assert_eq!(found, expected, "{first:#x} {second:#x} {third:#x}");
                }
            }
        }
    }
}

#[test]
fn ranges_map_backings_at_an_offset() {
    let backing = memory(0x3000);
    let mut space = AddressSpace::new();
    space
        .map(0x8000, 0x1000, backing.clone(), 0x2000)
        .expect("free");
    space.map(0x9000, 0x3000, backing, 0).expect("free");
    let view = AddressSpaceView::new(&space);
    view.write(0x8010, 7).expect("mapped");
    assert_eq!(
        [view.read(0xb010), view.read(0x9010), view.read(0xa010)],
        [Ok(7), Ok(0), Ok(0)]
    );
}

#[test]
fn block_accesses_cross_adjacent_ranges() {
    let space = three();
    let view = AddressSpaceView::new(&space);
    for (start, dwords) in [
        (0x1_0ff0, 4),
        (0x1_0ff0, 5),
        (0x1_0ff0, 0x404),
        (0x1_0000, 0x800),
        (0x1_1ff8, 2),
        (0x1_1000, 0),
    ] {
        let mut out = vec![0; dwords];
        view.read_block(start, &mut out).expect("mapped");
        let expected: Vec<_> = (0..dwords as u64).map(|i| there(start + 4 * i)).collect();
        assert_eq!(
            out.into_iter().map(Some).collect::<Vec<_>>(),
            expected,
            "{start:#x}"
        );
    }
    // Not across a gap.
    for (start, dwords, gap) in [
        (0x1_1ff8, 3, 0x1_2000),
        (0x1_0ffc, 0x402, 0x1_2000),
        (0x1_3ffc, 2, 0x1_3ffc),
    ] {
        let read = view.read_block(start, &mut vec![0; dwords]);
        let write = view.write_block(start, &vec![0; dwords]);
        for stop in [read, write] {
            assert!(
                matches!(stop, Err(StopReason::Fault { at, .. }) if at == gap),
                "{stop:?}"
            );
        }
    }
    let values: Vec<_> = (5000..5006).collect();
    let space = three();
    let view = AddressSpaceView::new(&space);
    view.write_block(0x1_0ff8, &values).expect("mapped");
    let mut out = [0; 8];
    view.read_block(0x1_0ff4, &mut out).expect("mapped");
    assert_eq!(
        out,
        [0x100_03fd, 5000, 5001, 5002, 5003, 5004, 5005, 0x200_0004]
    );
}

#[test]
fn qwords_are_two_dwords() {
    let space = three();
    let view = AddressSpaceView::new(&space);
    for at in [0x1_0000, 0x1_0ffc, 0x1_4004] {
        let [low, high] = [at, at + 4].map(|at| u64::from(there(at).expect("mapped")));
        assert_eq!(view.read64(at), Ok(low | high << 32), "{at:#x}");
        view.write64(at, 0x1234_5678_9abc_def0).expect("mapped");
        assert_eq!(
            [view.read(at), view.read(at + 4)],
            [Ok(0x9abc_def0), Ok(0x1234_5678)]
        );
    }
    assert!(view.read64(0x1_1ffc).is_err() && view.write64(0x1_1ffc, 0).is_err());
}

#[test]
fn byte_accesses_at_any_address() {
    // Around a dword's, a qword's and a range's end.
    for bytes in [1, 2, 4, 8u32] {
        for at in 0x1_0ff0..=0x1_1000u64 {
            let space = three();
            let view = AddressSpaceView::new(&space);
            let byte = |i: u64| (there(i & !3).expect("mapped") >> (i % 4 * 8)) as u8;
            let all = |of: &dyn Fn(u64) -> u8| {
                (0..bytes).fold(0, |v, i| v | u64::from(of(at + u64::from(i))) << (8 * i))
            };
            assert_eq!(
                view.read_bytes(at, bytes),
                Ok(all(&byte)),
                "{at:#x} {bytes}"
            );
            let value = 0x8877_6655_4433_2211u64;
            view.write_bytes(at, bytes, value).expect("mapped");
            for i in 0x1_0fe0..0x1_1010 {
                let inside = i >= at && i < at + u64::from(bytes);
                let expected = if inside {
                    (value >> (8 * (i - at))) as u8
                } else {
                    byte(i)
                };
                assert_eq!(
                    view.read_bytes(i, 1),
                    Ok(expected.into()),
                    "{at:#x} {bytes}: {i:#x}"
                );
            }
        }
        // The last bytes of a range that nothing follows are there.
        let space = three();
        let view = AddressSpaceView::new(&space);
        let last = 0x1_2000 - u64::from(bytes);
        assert!(view.read_bytes(last, bytes).is_ok() && view.write_bytes(last, bytes, 0).is_ok());
        assert!(
            view.read_bytes(last + 1, bytes).is_err() || bytes == 1 && view.read(0x1_2000).is_err()
        );
        assert!(view.write_bytes(last + 1, bytes, 0).is_err());
    }
}

#[test]
fn masked_write_of_four_dwords() {
    // Side by side; across two ranges; one beyond all of them.
    let near = [0x1_0000, 0x1_0ffc, 0x1_0800, 0x1_0100];
    let far = [0x1_0000, 0x1_1000, 0x1_4000, 0x1_0ffc];
    let gap = [0x1_0000, 0x1_2000, 0x1_0ffc, 0x1_0004];
    let edge = [0x1_0000, 0x1_1000, 0x1_0ffc, 0x1_0004];
    for seen in [0x1_0000, 0x1_4000] {
        for addresses in [near, far, gap, edge] {
            for mask in 0..16 {
                let space = three();
                let view = AddressSpaceView::new(&space);
                view.read(seen).expect("mapped");
                let found = view.write_four(addresses, mask, [1, 2, 3, 4]);
                let faults = addresses == gap && mask >> 1 & 1 == 1;
                assert_eq!(found.is_err(), faults, "{addresses:x?} {mask:#b}");
                if faults {
                    continue;
                }
                for (i, at) in addresses.into_iter().enumerate() {
                    let expected = if mask >> i & 1 == 1 {
                        Some(i as u32 + 1)
                    } else {
                        there(at)
                    };
                    assert_eq!(view.read(at).ok(), expected, "{addresses:x?} {mask:#b}");
                }
            }
        }
    }
}

#[test]
fn dword_update_is_atomic() {
    use std::sync::atomic::Ordering::Relaxed;
    let space = three();
    let view = AddressSpaceView::new(&space);
    let word = view.atomic(0x1_1007).expect("mapped");
    assert_eq!(word.fetch_add(1, Relaxed), 0x200_0001);
    assert_eq!(view.read(0x1_1004), Ok(0x200_0002));
    assert!(view.atomic(0x1_2000).is_err());
}

/// Bytes from 0x1_0040 to 0x1_0080 that a check of strict mode finds: those that `try_at` is
/// refused for.
fn refused(bytes: u64, mut try_at: impl FnMut(u64) -> Result<(), StopReason>) -> Vec<u64> {
    let places = (0x1_0040..0x1_0080).step_by(bytes as usize);
    places.filter(|at| try_at(*at).is_err()).collect()
}

type Access<'a> = (
    &'static str,
    u64,
    u64,
    &'a dyn Fn(&AddressSpaceView<'_>) -> Result<(), StopReason>,
);

#[test]
fn every_written_byte_is_reported() {
    let none = |found: Result<u32, StopReason>| found.map(|_| ());
    let writes: [Access<'_>; 9] = [
        ("write", 0x50, 4, &|v| v.write(0x1_0050, 1)),
        ("write64", 0x50, 8, &|v| v.write64(0x1_0050, 1)),
        ("write_block", 0x4c, 12, &|v| {
            v.write_block(0x1_004c, &[1; 3])
        }),
        ("write_bytes", 0x51, 1, &|v| v.write_bytes(0x1_0051, 1, 1)),
        ("write_bytes", 0x53, 2, &|v| v.write_bytes(0x1_0053, 2, 1)),
        ("write_bytes", 0x55, 8, &|v| v.write_bytes(0x1_0055, 8, 1)),
        ("atomic", 0x54, 4, &|v| v.atomic(0x1_0057).map(|_| ())),
        ("write_four", 0x58, 8, &|v| {
            v.write_four([0x1_0044, 0x1_0058, 0x1_005c, 0x1_0070], 0b0110, [1; 4])
        }),
        ("high", 0x50, 4, &|v| v.write(0xffff_0000_0001_0050, 1)),
    ];
    for (name, start, bytes, write) in writes {
        let (space, log) = (three(), Log::default());
        let view = AddressSpaceView::watched(&space, Some(&log), Via::Data);
        assert!(view.is_strict());
        view.read(0x1_0040).expect("mapped");
        log.begin(0);
        write(&view).expect("mapped");
        log.end();
        // The command streamer may not read what the data cache has.
        view.through(Via::Commands);
        let found = refused(1, |at| view.read_bytes(at, 1).map(|_| ()));
        let expected: Vec<_> = (0x1_0000 + start..0x1_0000 + start + bytes).collect();
        assert_eq!(found, expected, "{name}");
        let found = refused(4, |at| none(view.read(at)));
        let dwords: Vec<_> = (0x1_0040..0x1_0080)
            .step_by(4)
            .filter(|at| expected.iter().any(|e| e & !3 == *at))
            .collect();
        assert_eq!(found, dwords, "{name}");
        let high = 0xffff_0000_0001_0000 + (start & !3);
        assert!(view.read(high).is_err(), "{name}");
    }
    assert!(!AddressSpaceView::new(&three()).is_strict());
}

#[test]
fn observer_receives_every_byte_read() {
    let (space, log) = (three(), Log::default());
    let view = AddressSpaceView::watched(&space, Some(&log), Via::Data);
    log.begin(0);
    view.write_bytes(0x1_0058, 1, 1).expect("mapped");
    log.end();
    view.through(Via::Commands);
    let reads: [Access<'_>; 9] = [
        ("before", 0x54, 4, &|v| v.read(0x1_0054).map(|_| ())),
        ("dword", 0x58, 4, &|v| v.read(0x1_0058).map(|_| ())),
        ("qword", 0x50, 8, &|v| v.read64(0x1_0050).map(|_| ())),
        ("qword", 0x54, 8, &|v| v.read64(0x1_0054).map(|_| ())),
        ("block", 0x4c, 12, &|v| v.read_block(0x1_004c, &mut [0; 3])),
        ("block", 0x4c, 16, &|v| v.read_block(0x1_004c, &mut [0; 4])),
        ("bytes", 0x57, 1, &|v| v.read_bytes(0x1_0057, 1).map(|_| ())),
        ("bytes", 0x57, 2, &|v| v.read_bytes(0x1_0057, 2).map(|_| ())),
        ("bytes", 0x59, 4, &|v| v.read_bytes(0x1_0059, 4).map(|_| ())),
    ];
    for (name, start, bytes, read) in reads {
        let meets = (start..start + bytes).contains(&0x58);
        assert_eq!(read(&view).is_err(), meets, "{name} {start:#x} {bytes}");
    }
}

#[test]
fn only_atomics_may_follow_atomics_without_a_stall() {
    // The first work's access, and the second's to the same dword.
    let atomic: &dyn Fn(&AddressSpaceView<'_>) -> Result<(), StopReason> =
        &|v| v.atomic(0x1_0050).map(|_| ());
    let writes: [Access<'_>; 4] = [
        ("write", 0, 0, &|v| v.write(0x1_0050, 1)),
        ("write_block", 0, 0, &|v| v.write_block(0x1_0050, &[1])),
        ("write_bytes", 0, 0, &|v| v.write_bytes(0x1_0050, 4, 1)),
        ("atomic", 0, 0, atomic),
    ];
    for (name, _, _, write) in writes {
        for atomic_first in [false, true] {
            let (space, log) = (three(), Log::default());
            let view = AddressSpaceView::watched(&space, Some(&log), Via::Data);
            log.begin(0);
            if atomic_first {
                atomic(&view)
            } else {
                write(&view)
            }
            .expect("the first");
            log.end();
            log.begin(4);
            let second = if atomic_first {
                write(&view)
            } else {
                atomic(&view)
            };
            assert_eq!(second.is_ok(), name == "atomic", "{name}: {second:?}");
        }
    }
}

#[test]
fn overlapping_ranges_are_rejected_and_faults_name_the_address() {
    let mut space = AddressSpace::new();
    space.map(0x1000, 0x2000, memory(0x2000), 0).unwrap();
    let overlap = space.map(0x2000, 0x1000, memory(0x1000), 0);
    assert!(matches!(overlap, Err(MapError::Overlap { .. })));
    assert!(matches!(
        space.map(0x10, 0x1000, memory(0x1000), 0),
        Err(MapError::Range { .. })
    ));
    assert!(matches!(
        space.map(0x8000, 0x2000, memory(0x1000), 0),
        Err(MapError::Short { .. })
    ));
    let view = AddressSpaceView::new(&space);
    assert!(view.read(0x2ffc).is_ok());
    assert!(matches!(
        view.read(0x3000),
        Err(StopReason::Fault { at: 0x3000, .. })
    ));
    assert!(space.unmap(0x1000) && !space.unmap(0x1000));
}

#[test]
fn bytes_cross_dwords_and_ranges() {
    let mut space = AddressSpace::new();
    space.map(0, 0x1000, memory(0x1000), 0).unwrap();
    space.map(0x1000, 0x1000, memory(0x1000), 0).unwrap();
    let view = AddressSpaceView::new(&space);
    view.write_bytes(0xffe, 4, 0x1122_3344).unwrap();
    assert_eq!(view.read_bytes(0xffe, 4).unwrap(), 0x1122_3344);
    assert_eq!(view.read(0xffc).unwrap(), 0x3344_0000);
    assert_eq!(view.read(0x1000).unwrap(), 0x1122);
    view.write_bytes(0xffd, 1, 0xaa).unwrap();
    assert_eq!(view.read_bytes(0xffc, 8).unwrap(), 0x1122_3344_aa00);
    let mut out = [0; 2];
    view.read_block(0xffc, &mut out).unwrap();
    assert_eq!(out, [0x3344_aa00, 0x1122]);
}
