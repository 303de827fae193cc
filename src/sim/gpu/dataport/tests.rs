//! Untyped, scattered and block messages through a port with one buffer.

use super::rig::{DATA, HEADER, Rig, SLM, SLOT, addresses, header, numbers};
use super::sfid;

#[test]
fn block_reads_address_owords_or_bytes() {
    let mut rig = Rig::new();
    let read = |rig: &mut Rig, opcode: u32, size: u32, offset: u32| {
        let desc = HEADER | opcode << 14 | size << 8;
        rig.send(sfid::DATA_CACHE_0, desc, 0xff, &header(2, offset))
    };
    for (size, count) in [(2, 8), (3, 16), (4, 32)] {
        let found = read(&mut rig, 0, size, 3);
        assert_eq!(found[..count as usize], numbers(12, count));
        assert!(found[count as usize..].iter().all(|d| *d == 0xdead));
        assert_eq!(read(&mut rig, 1, size, 20)[..8], numbers(5, 8));
    }
    // One OWord, in either half of the register.
    assert_eq!(
        read(&mut rig, 0, 0, 1)[..5],
        [1004, 1005, 1006, 1007, 0xdead]
    );
    assert_eq!(
        read(&mut rig, 0, 1, 1)[3..8],
        [0xdead, 1004, 1005, 1006, 1007]
    );
    // Beyond the buffer are zeros.
    assert_eq!(read(&mut rig, 0, 2, 15)[..5], [1060, 1061, 1062, 1063, 0]);
}

#[test]
fn block_writes_address_owords() {
    let mut rig = Rig::new();
    let payload = [header(2, 2), SLOT.to_vec()].concat();
    rig.send(
        sfid::DATA_CACHE_0,
        HEADER | 8 << 14 | 2 << 8,
        0xff,
        &payload,
    );
    let found: Vec<_> = (7..17).map(|i| rig.dword(i)).collect();
    assert_eq!(found, [1007, 0, 1, 2, 3, 4, 5, 6, 7, 1016]);
    // The high half of a register; and what lies beyond the buffer stays.
    let payload = [header(2, 16), SLOT.to_vec()].concat();
    rig.send(
        sfid::DATA_CACHE_0,
        HEADER | 8 << 14 | 1 << 8,
        0xff,
        &payload,
    );
    assert_eq!(rig.dword(64), 1064);
    let payload = [header(2, 15), SLOT.to_vec()].concat();
    rig.send(
        sfid::DATA_CACHE_0,
        HEADER | 8 << 14 | 1 << 8,
        0xff,
        &payload,
    );
    assert_eq!([60, 63, 64].map(|i| rig.dword(i)), [4, 7, 1064]);
}

#[test]
fn dual_blocks_have_an_offset_for_each_half() {
    let mut rig = Rig::new();
    let offsets = [2, 9, 9, 9, 5, 9, 9, 9];
    let found = rig.send(sfid::DATA_CACHE_0, 2 << 14, 0xff, &offsets);
    assert_eq!(found[..8], [numbers(8, 4), numbers(20, 4)].concat());
    // Four OWords each; and channels that are off.
    let found = rig.send(sfid::DATA_CACHE_0, 2 << 14 | 2 << 8, 0xf7, &offsets);
    assert_eq!(found[..5], [1008, 1009, 1010, 0xdead, 1020]);
    assert_eq!(found[28..], numbers(32, 4));
    let payload = [offsets, SLOT].concat();
    rig.send(sfid::DATA_CACHE_0, 10 << 14, 0xfe, &payload);
    assert_eq!(
        [8, 9, 11, 12, 20, 23].map(|i| rig.dword(i)),
        [1008, 1, 3, 1012, 4, 7]
    );
}

#[test]
fn byte_scattered_messages() {
    for table in [0, SLM] {
        for (size, bytes) in [(0, 1), (1, 2), (2, 4)] {
            let mut rig = Rig::new();
            if table == SLM {
                rig.slm = numbers(0, 64);
            }
            // Each has a dword to itself, from its last bytes back.
            let offsets = SLOT.map(|i| i * 4 + 4 - bytes);
            let values = SLOT.map(|i| 0x8a9b_acf0 + i);
            let desc = table | size << 10;
            let payload = [offsets, values].concat();
            rig.send(sfid::DATA_CACHE_0, desc | 12 << 14, 0x7f, &payload);
            let shift = 32 - 8 * bytes;
            let low_mask = ((1u64 << shift) - 1) as u32;
            let of = |i: u32| {
                if table == SLM {
                    rig.slm[i as usize]
                } else {
                    rig.dword(i)
                }
            };
            for i in 0..7 {
                let expected = values[i as usize] << shift | (1000 + i) & low_mask;
                assert_eq!(of(i), expected, "{bytes} bytes");
            }
            assert_eq!(of(7), 1007);
            let found = rig.send(sfid::DATA_CACHE_0, desc | 4 << 14, 0x7f, &offsets);
            let mask = u32::MAX >> shift;
            assert_eq!(found[..7], values.map(|v| v & mask)[..7]);
            assert_eq!(found[7], 0xdead);
        }
    }
}

#[test]
fn dword_scattered_messages() {
    let mut rig = Rig::new();
    let offsets = SLOT.map(|i| 3 * i + 1);
    let found = rig.send(sfid::DATA_CACHE_0, 3 << 14 | 2 << 8, 0xff, &offsets);
    assert_eq!(found[..8], offsets.map(|i| 1000 + i));
    let payload = [offsets, SLOT].concat();
    rig.send(sfid::DATA_CACHE_0, 11 << 14 | 2 << 8, 0x0f, &payload);
    assert_eq!([1, 4, 7, 10, 13].map(|i| rig.dword(i)), [0, 1, 2, 3, 1013]);
}

#[test]
fn untyped_channel_mask() {
    let mut rig = Rig::new();
    let offsets = SLOT.map(|i| 16 * i);
    // Channels 1 and 3, SIMD8.
    let control = 2 << 12 | 0b0101 << 8;
    let found = rig.send(sfid::DATA_CACHE_1, 0x01 << 14 | control, 0xfe, &offsets);
    assert_eq!(found[..3], [0xdead, 1005, 1009]);
    assert_eq!(found[8..11], [0xdead, 1007, 1011]);
    assert_eq!(found[16], 0xdead);
    let payload = [offsets, SLOT, SLOT.map(|i| 100 + i)].concat();
    rig.send(sfid::DATA_CACHE_1, 0x09 << 14 | control, 0xfe, &payload);
    assert_eq!(
        [1, 4, 5, 6, 7, 8].map(|i| rig.dword(i)),
        [1001, 1004, 1, 1006, 101, 1008]
    );
    // The fourth channel of the last is the buffer's last; the next one's are beyond.
    let offsets = SLOT.map(|i| 232 + 16 * i);
    let found = rig.send(sfid::DATA_CACHE_1, 0x01 << 14 | control, 0x03, &offsets);
    assert_eq!(
        [found[0], found[1], found[8], found[9]],
        [1059, 1063, 1061, 0]
    );
}

#[test]
fn a64_scattered_messages() {
    let mut rig = Rig::new();
    let places = addresses(SLOT.map(|i| 4 * i));
    let (read, write) = (0x10 << 14, 0x1a << 14);
    // Two dwords each: all first ones, then all second ones.
    let two = 1 << 8 | 1 << 10;
    let found = rig.send(sfid::DATA_CACHE_1, read | two, 0xff, &places);
    assert_eq!(
        [found[0], found[1], found[8], found[9]],
        [1000, 1004, 1001, 1005]
    );
    // A qword each.
    let found = rig.send(sfid::DATA_CACHE_1, read | 2 << 8, 0xff, &places);
    assert_eq!(found[..4], [1000, 1001, 1004, 1005]);
    // Two bytes each.
    let values = SLOT.map(|i| 0x1234_80f0 + i);
    let payload = [places.clone(), values.to_vec()].concat();
    rig.send(sfid::DATA_CACHE_1, write | 1 << 10, 0x03, &payload);
    assert_eq!([0, 4, 8].map(|i| rig.dword(i)), [0x80f0, 0x80f1, 1008]);
    let found = rig.send(sfid::DATA_CACHE_1, read | 1 << 10, 0x03, &places);
    assert_eq!(found[..3], [0x80f0, 0x80f1, 0xdead]);
}

#[test]
fn a64_untyped_and_block_messages() {
    let mut rig = Rig::new();
    let places = addresses(SLOT.map(|i| 4 * i));
    let control = 2 << 12 | 0b1100 << 8;
    let found = rig.send(sfid::DATA_CACHE_1, 0x11 << 14 | control, 0xff, &places);
    assert_eq!([found[1], found[9], found[16]], [1004, 1005, 0xdead]);
    let payload = [places, SLOT.to_vec(), SLOT.map(|i| 50 + i).to_vec()].concat();
    rig.send(sfid::DATA_CACHE_1, 0x19 << 14 | control, 0xff, &payload);
    assert_eq!([4, 5, 6].map(|i| rig.dword(i)), [1, 51, 1006]);
    // A block takes its address from the header; it is a multiple of 16 bytes unless declared not
    // to be.
    let mut rig = Rig::new();
    let mut place = header(0, DATA as u32 + 20);
    let found = rig.send(sfid::DATA_CACHE_1, 0x14 << 14 | 2 << 8, 0xff, &place);
    assert_eq!(found[..8], numbers(4, 8));
    let unaligned = 0x14 << 14 | 1 << 11 | 2 << 8;
    let found = rig.send(sfid::DATA_CACHE_1, unaligned, 0xff, &place);
    assert_eq!(found[..8], numbers(5, 8));
    place.extend(SLOT);
    rig.send(sfid::DATA_CACHE_1, 0x15 << 14 | 2 << 8, 0xff, &place);
    assert_eq!([3, 4, 11, 12].map(|i| rig.dword(i)), [1003, 0, 7, 1012]);
}

#[test]
fn scratch_blocks_are_relative_to_the_thread_scratch() {
    let mut rig = Rig::new();
    // Scratch at 1 KB less the low bits of the dword, which hold its size; two registers at
    // offset 1.
    let base = header(5, 0x0000_0003);
    let block = 1 << 18 | 1 << 12 | 1;
    let found = rig.send(sfid::DATA_CACHE_0, HEADER | block, 0xff, &base);
    assert_eq!(found[..16], numbers(8, 16));
    let payload = [base, SLOT.to_vec(), SLOT.map(|i| 20 + i).to_vec()].concat();
    // By dwords only enabled channels are written.
    let dwords = HEADER | block | 1 << 17 | 1 << 16;
    rig.send(sfid::DATA_CACHE_0, dwords, 0x0102, &payload);
    assert_eq!(
        [8, 9, 10, 16, 17].map(|i| rig.dword(i)),
        [1008, 1, 1010, 20, 1017]
    );
    rig.send(sfid::DATA_CACHE_0, HEADER | block | 1 << 17, 0, &payload);
    assert_eq!(
        [8, 15, 16, 23, 24].map(|i| rig.dword(i)),
        [0, 7, 20, 27, 1024]
    );
}
