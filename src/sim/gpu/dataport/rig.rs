//! A data port on one buffer and a binding table, and messages to it: the fixture of this folder's
//! tests.

use crate::bindings::bti;
use crate::bindings::{AccessLimits, MessageBases};
use crate::dataport::port::{WideLock, WorkerPort};
use crate::memory::AddressSpaceView;
use crate::space::AddressSpace;
use crate::testing::memory;
use eu::{Message, MessageReply, SharedFunctions, StopReason};
use hw::state::render_surface_state as rss;

pub(super) const STATE: u64 = 0x10_0000;
pub(super) const DATA: u64 = 0x20_0000;
/// Dwords of the buffer in binding table entry 0; the memory behind it goes on.
pub(super) const SIZE: u32 = 64;
pub(super) const SLM: u32 = bti::SLM;
pub(super) const HEADER: u32 = 1 << 19;
pub(super) const SLOT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Memory whose dword i holds 1000 + i, and a port on it with 256 bytes of shared local memory.
/// Entries of the binding table behind the first are surface states at multiples of 64 bytes.
pub(super) struct Rig {
    pub space: AddressSpace,
    wide: WideLock,
    pub slm: Vec<u32>,
    pub limits: Option<AccessLimits>,
}

impl Rig {
    pub fn new() -> Rig {
        let mut space = AddressSpace::new();
        space.map(STATE, 0x1000, memory(0x1000), 0).expect("free");
        space.map(DATA, 0x1000, memory(0x1000), 0).expect("free");
        let words = Rig::buffer(DATA, u64::from(SIZE) * 4);
        let view = AddressSpaceView::new(&space);
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

    pub fn port(&self) -> WorkerPort<'_> {
        let bases = MessageBases {
            binding_table: STATE,
            surface: STATE,
            bindless: STATE + 0x800,
            dynamic: STATE,
            dynamic_pages: Some(1),
            general: DATA,
            samplers: 0,
        };
        let mut port = WorkerPort::new(AddressSpaceView::new(&self.space), bases, &self.wide, 256);
        port.slm.clone_from(&self.slm);
        port.limit(self.limits);
        port
    }

    /// Sends a message of `exec_size` channels; returns its response, 64 dwords of it.
    pub fn ask(&mut self, message: &Message<'_>) -> Result<(MessageReply, Vec<u32>), StopReason> {
        let mut port = self.port();
        let mut response = vec![0xdead; 64];
        let reply = port.message(message, &mut response)?;
        let slm = std::mem::take(&mut port.slm);
        self.slm = slm;
        Ok((reply, response))
    }

    /// Sends a message for eight channels of which `lanes` are enabled; 0xdead is what is not
    /// answered.
    pub fn send(&mut self, sfid: u8, desc: u32, lanes: u32, payload: &[u32]) -> Vec<u32> {
        let message = message(sfid, desc, lanes, payload);
        let mut response = self.ask(&message).expect("carried out").1;
        response.truncate(32);
        response
    }

    pub fn dword(&self, index: u32) -> u32 {
        let at = DATA + u64::from(index) * 4;
        AddressSpaceView::new(&self.space).read(at).expect("mapped")
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

/// 64-bit addresses of dwords of the memory, as the payload has them.
pub(super) fn addresses(dwords: [u32; 8]) -> Vec<u32> {
    let each = dwords.map(|i| DATA + u64::from(i) * 4);
    each.iter()
        .flat_map(|a| [*a as u32, (*a >> 32) as u32])
        .collect()
}
