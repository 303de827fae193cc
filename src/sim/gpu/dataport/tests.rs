//! Untyped, scattered and block messages through a port with one buffer.

use super::*;
use crate::bindings::bti;
use crate::memory::View;
use crate::memory::tests::memory;
use crate::space::AddressSpace;
use eu::{Message, Reply, SharedFunctions, Stop};
use hw::state::render_surface_state as rss;

pub(super) const STATE: u64 = 0x10_0000;
pub(super) const DATA: u64 = 0x20_0000;
/// Dwords of the buffer in binding table entry 0; the memory behind it goes on.
pub(super) const SIZE: u32 = 64;
pub(super) const SLM: u32 = bti::SLM;
pub(super) const HEADER: u32 = 1 << 19;
pub(super) const SLOT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Memory whose dword i holds 1000 + i, and a port on it with 256 bytes of shared local memory. Entries of the binding
/// table behind the first are surface states at multiples of 64 bytes.
pub(super) struct Rig {
    pub space: AddressSpace,
    wide: WideLock,
    pub slm: Vec<u32>,
    pub limits: Option<Limits>,
}

impl Rig {
    pub fn new() -> Rig {
        let mut space = AddressSpace::new();
        space.map(STATE, 0x1000, memory(0x1000), 0).expect("free");
        space.map(DATA, 0x1000, memory(0x1000), 0).expect("free");
        let words = Rig::buffer(DATA, u64::from(SIZE) * 4);
        let view = View::new(&space);
        for entry in 0..16 {
            let state = 0x40 * (entry as u32 + 1);
            view.write(STATE + 4 * entry, state).expect("mapped");
        }
        view.write_block(STATE + 0x40, &words).expect("mapped");
        let numbers: Vec<_> = (1000..1000 + 2 * SIZE).collect();
        view.write_block(DATA, &numbers).expect("mapped");
        Rig {
            space,
            wide: WideLock::default(),
            slm: vec![0; 64],
            limits: None,
        }
    }

    /// The words of a raw buffer of some bytes of the memory.
    pub fn buffer(address: u64, bytes: u64) -> [u32; 16] {
        let mut words = [0; 16];
        for (field, value) in [
            (rss::SURFACE_TYPE, 4),
            (rss::SURFACE_FORMAT, 0x1ff),
            (rss::WIDTH, (bytes - 1) & 0x7f),
            (rss::HEIGHT, (bytes - 1) >> 7 & 0x3fff),
            (rss::DEPTH, (bytes - 1) >> 21),
            (rss::SURFACE_BASE_ADDRESS, address),
        ] {
            field.set(&mut words, value);
        }
        words
    }

    pub fn port(&self) -> Port<'_> {
        let bases = Bases {
            binding_table: STATE,
            surface: STATE,
            bindless: STATE + 0x800,
            dynamic: STATE,
            dynamic_pages: Some(1),
            general: DATA,
            samplers: 0,
        };
        let mut port = Port::new(View::new(&self.space), bases, &self.wide, 256);
        port.slm.clone_from(&self.slm);
        port.limit(self.limits);
        port
    }

    /// Sends a message of as many channels as `exec_size` says; what is answered, 64 dwords of it.
    pub fn ask(&mut self, message: &Message<'_>) -> Result<(Reply, Vec<u32>), Stop> {
        let mut port = self.port();
        let mut response = vec![0xdead; 64];
        let reply = port.message(message, &mut response)?;
        let slm = std::mem::take(&mut port.slm);
        self.slm = slm;
        Ok((reply, response))
    }

    /// Sends a message for eight channels of which `lanes` are enabled; 0xdead is what is not answered.
    pub fn send(&mut self, sfid: u8, desc: u32, lanes: u32, payload: &[u32]) -> Vec<u32> {
        let message = message(sfid, desc, lanes, payload);
        let mut response = self.ask(&message).expect("carried out").1;
        response.truncate(32);
        response
    }

    pub fn dword(&self, index: u32) -> u32 {
        let at = DATA + u64::from(index) * 4;
        View::new(&self.space).read(at).expect("mapped")
    }
}

/// A message for eight channels, or for sixteen where the upper ones are enabled.
pub(super) fn message(sfid: u8, desc: u32, lanes: u32, payload: &[u32]) -> Message<'_> {
    Message {
        desc,
        ex_desc: 0,
        sfid,
        exec_size: if lanes > 0xff { 16 } else { 8 },
        lanes,
        src0: payload,
        src1: &[],
        eot: false,
        waits: false,
        ip: 0,
    }
}

/// A header with one dword that is not zero.
pub(super) fn header(dword: usize, value: u32) -> Vec<u32> {
    let mut header = vec![0; 8];
    header[dword] = value;
    header
}

pub(super) fn numbers(from: u32, count: u32) -> Vec<u32> {
    (1000 + from..1000 + from + count).collect()
}

#[test]
fn blocks_are_read_by_owords_or_by_bytes() {
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
fn blocks_are_written_by_owords() {
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
fn bytes_words_and_dwords_are_scattered() {
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
            let kept = ((1u64 << shift) - 1) as u32;
            let of = |i: u32| {
                if table == SLM {
                    rig.slm[i as usize]
                } else {
                    rig.dword(i)
                }
            };
            for i in 0..7 {
                let expected = values[i as usize] << shift | (1000 + i) & kept;
                assert_eq!(of(i), expected, "{bytes} bytes");
            }
            assert_eq!(of(7), 1007);
            let found = rig.send(sfid::DATA_CACHE_0, desc | 4 << 14, 0x7f, &offsets);
            let most = u32::MAX >> shift;
            assert_eq!(found[..7], values.map(|v| v & most)[..7]);
            assert_eq!(found[7], 0xdead);
        }
    }
}

#[test]
fn dwords_are_scattered_by_dwords() {
    let mut rig = Rig::new();
    let offsets = SLOT.map(|i| 3 * i + 1);
    let found = rig.send(sfid::DATA_CACHE_0, 3 << 14 | 2 << 8, 0xff, &offsets);
    assert_eq!(found[..8], offsets.map(|i| 1000 + i));
    let payload = [offsets, SLOT].concat();
    rig.send(sfid::DATA_CACHE_0, 11 << 14 | 2 << 8, 0x0f, &payload);
    assert_eq!([1, 4, 7, 10, 13].map(|i| rig.dword(i)), [0, 1, 2, 3, 1013]);
}

#[test]
fn untyped_channels_that_are_masked_are_left_out() {
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

/// 64-bit addresses of dwords of the memory, as the payload has them.
pub(super) fn addresses(dwords: [u32; 8]) -> Vec<u32> {
    let each = dwords.map(|i| DATA + u64::from(i) * 4);
    each.iter()
        .flat_map(|a| [*a as u32, (*a >> 32) as u32])
        .collect()
}

#[test]
fn addresses_are_scattered_by_elements() {
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
fn addresses_have_channels_and_blocks() {
    let mut rig = Rig::new();
    let places = addresses(SLOT.map(|i| 4 * i));
    let control = 2 << 12 | 0b1100 << 8;
    let found = rig.send(sfid::DATA_CACHE_1, 0x11 << 14 | control, 0xff, &places);
    assert_eq!([found[1], found[9], found[16]], [1004, 1005, 0xdead]);
    let payload = [places, SLOT.to_vec(), SLOT.map(|i| 50 + i).to_vec()].concat();
    rig.send(sfid::DATA_CACHE_1, 0x19 << 14 | control, 0xff, &payload);
    assert_eq!([4, 5, 6].map(|i| rig.dword(i)), [1, 51, 1006]);
    // A block takes its address from the header; it is a multiple of 16 bytes unless it is said not to be.
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
fn scratch_is_a_block_behind_the_threads_own_place() {
    let mut rig = Rig::new();
    // Scratch at 1 KB less the low bits of the dword, which say how much there is; two registers at offset 1.
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
