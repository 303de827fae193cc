//! A port with the surfaces and samplers of a test, and messages to it: the fixture of this
//! folder's tests.

use crate::dataport::{MessageBases, WideLock, WorkerPort, sfid};
use crate::memory::AddressSpaceView;
use crate::sampler::state::Sampler;
use crate::space::AddressSpace;
use crate::surface::Image;
use crate::testing::memory;
use eu::{Message, SharedFunctions, StopReason};
use hw::state::{render_surface_state as rss, sampler_state as ss};

/// The binding table; surface states and sampler states lie behind it.
const STATE: u64 = 0x10_0000;
const SURFACES: u64 = 0x1000;
/// Offset of the sampler states from the dynamic state base address, and of the border colour.
pub(super) const SAMPLERS: u32 = 0x2000;
const BORDER: u64 = 0x3000;
/// Where surfaces lie.
pub(super) const DATA: u64 = 0x20_0000;
pub(super) const BYTES: u64 = 0x1_0000;
/// The content of response dwords that no message wrote.
pub(super) const SILENT: u32 = 0xdead;
pub(super) const R32_FLOAT: u64 = 0x0d8;
pub(super) const R32_SINT: u64 = 0x0d6;
pub(super) const R32_UINT: u64 = 0x0d7;

/// A read out of bounds of such a surface: the format lacks alpha, which is 1 (Direct3D, `ld`:
/// zeros in what the format has, the default in what it lacks; ERRATA.md, "Reads out of bounds").
pub(super) const NOTHING: [u32; 4] = [0, 0, 0, 1];
/// The border colour's red; green, blue and alpha are one more each.
pub(super) const BORDER_RED: f32 = 70.0;

/// Fields that are not as they are by default.
pub(super) type Set<'s> = &'s [(hw::Field, u64)];

/// A linear 4 × 4 surface of R32_FLOAT with a row pitch of 64 bytes.
pub(super) fn surface(set: Set<'_>) -> [u32; 16] {
    let mut words = [0; 16];
    let base = [
        (rss::SURFACE_TYPE, 1),
        (rss::SURFACE_FORMAT, R32_FLOAT),
        (rss::WIDTH, 3),
        (rss::HEIGHT, 3),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
        (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
        (rss::SURFACE_PITCH, 63),
        (rss::SURFACE_BASE_ADDRESS, DATA),
        (rss::SHADER_CHANNEL_SELECT_RED, 4),
        (rss::SHADER_CHANNEL_SELECT_GREEN, 5),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 6),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 7),
    ];
    for (field, value) in base.iter().chain(set) {
        field.set(&mut words, *value);
    }
    words
}

/// The same, decoded.
pub(super) fn image(set: Set<'_>) -> Image {
    Image::from_words(&surface(set), 0).expect("a surface")
}

fn sampler_words(set: Set<'_>) -> [u32; 4] {
    let mut words = [0; 4];
    let base = [(ss::MAX_LOD, 14 << 8), (ss::BORDER_COLOR_POINTER, BORDER)];
    for (field, value) in base.iter().chain(set) {
        field.set(&mut words, *value);
    }
    words
}

/// A sampler's state as it is read: filters nearest, coordinates wrapped, levels up to 14.
pub(super) fn sampler(set: Set<'_>) -> Sampler {
    let rig = Rig::new(&[], &[set]);
    let at = STATE + u64::from(SAMPLERS);
    Sampler::read(&AddressSpaceView::new(&rig.space), STATE, at).expect("a sampler")
}

/// Memory with surfaces in the binding table and samplers, each from 0 on.
pub(super) struct Rig {
    pub space: AddressSpace,
    wide: WideLock,
}

impl Rig {
    pub fn new(surfaces: &[Set<'_>], samplers: &[Set<'_>]) -> Rig {
        let mut space = AddressSpace::new();
        space.map(STATE, 0x4000, memory(0x4000), 0).expect("free");
        let backing = memory(BYTES as usize);
        space.map(DATA, BYTES, backing, 0).expect("free");
        let view = AddressSpaceView::new(&space);
        for (i, set) in (0..).zip(surfaces) {
            let offset = SURFACES + 64 * i;
            view.write(STATE + 4 * i, offset as u32).expect("mapped");
            let words = surface(set);
            view.write_block(STATE + offset, &words).expect("mapped");
        }
        for (i, set) in (0..).zip(samplers) {
            let at = STATE + u64::from(SAMPLERS) + 16 * i;
            let words = sampler_words(set);
            view.write_block(at, &words).expect("mapped");
        }
        let border = [0.0, 1.0, 2.0, 3.0].map(|c: f32| (BORDER_RED + c).to_bits());
        view.write_block(STATE + BORDER, &border).expect("mapped");
        Rig {
            space,
            wide: WideLock::default(),
        }
    }

    /// Writes dwords from a byte of the surfaces' memory on.
    pub fn write(&self, offset: u64, words: &[u32]) {
        let view = AddressSpaceView::new(&self.space);
        view.write_block(DATA + offset, words).expect("mapped");
    }

    /// Fills a part of a surface with a row pitch of 64 bytes: `value` of a column and row.
    pub fn fill(&self, offset: u64, [w, h]: [u32; 2], value: impl Fn(u32, u32) -> f32) {
        for y in 0..h {
            let row: Vec<_> = (0..w).map(|x| value(x, y).to_bits()).collect();
            self.write(offset + 64 * u64::from(y), &row);
        }
    }

    pub fn port(&self) -> WorkerPort<'_> {
        self.port_of(AddressSpaceView::new(&self.space))
    }

    /// The same, that sees memory so.
    pub fn port_of<'a>(&'a self, view: AddressSpaceView<'a>) -> WorkerPort<'a> {
        let bases = MessageBases {
            binding_table: STATE,
            surface: STATE,
            dynamic: STATE,
            samplers: SAMPLERS.into(),
            ..MessageBases::default()
        };
        WorkerPort::new(view, bases, &self.wide, 0)
    }

    /// Each channel's response.
    pub fn ask(&self, ask: &Ask) -> Vec<[u32; 4]> {
        ask.by(&mut self.port()).expect("carried out")
    }

    /// The first channel's response.
    pub fn first(&self, kind: u32, parameters: &[f32]) -> [f32; 4] {
        self.ask(&Ask::floats(kind, parameters))[0].map(f32::from_bits)
    }

    /// What stops a message.
    pub fn stop(&self, ask: &Ask) -> Option<StopReason> {
        ask.by(&mut self.port()).err()
    }
}

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub kind: u32,
    pub table: u32,
    pub sampler: u32,
    pub header: Option<[u32; 8]>,
    pub lanes: u32,
    /// Channels, and bits of the descriptor that override those above.
    pub width: usize,
    pub flipped: u32,
    /// Each parameter of each channel; one that is there once is for all channels.
    pub parameters: Vec<Vec<u32>>,
}

impl Ask {
    /// A message of eight channels whose parameters are each the same for all.
    pub fn new(kind: u32, parameters: &[u32]) -> Ask {
        Ask {
            kind,
            table: 0,
            sampler: 0,
            header: None,
            lanes: u32::MAX,
            width: 8,
            flipped: 0,
            parameters: parameters.iter().map(|p| vec![*p]).collect(),
        }
    }

    pub fn floats(kind: u32, parameters: &[f32]) -> Ask {
        let bits: Vec<_> = parameters.iter().map(|p| p.to_bits()).collect();
        Ask::new(kind, &bits)
    }

    /// A message with a parameter of its own for each channel.
    pub fn each(kind: u32, parameters: &[&[f32]]) -> Ask {
        let bits = |p: &&[f32]| p.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        Ask {
            width: if parameters.iter().any(|p| p.len() > 8) {
                16
            } else {
                8
            },
            parameters: parameters.iter().map(bits).collect(),
            ..Ask::new(kind, &[])
        }
    }

    /// With a header that has one dword next to the sampler state pointer.
    pub fn with_header(self, dword2: u32) -> Ask {
        Ask {
            header: Some([0, 0, dword2, SAMPLERS, 0, 0, 0, 0]),
            ..self
        }
    }

    /// Sends it, and sorts the response by channel.
    pub fn by(&self, port: &mut WorkerPort<'_>) -> Result<Vec<[u32; 4]>, StopReason> {
        let mut payload: Vec<u32> = self.header.iter().flatten().copied().collect();
        for parameter in &self.parameters {
            match parameter.as_slice() {
                [all] => payload.extend(std::iter::repeat_n(*all, self.width)),
                each => payload.extend(each),
            }
        }
        let desc = self.table
            | self.sampler << 8
            | self.kind << 12
            | (self.width as u32 / 8) << 17
            | u32::from(self.header.is_some()) << 19;
        let message = Message {
            sfid: sfid::SAMPLER,
            desc: desc ^ self.flipped,
            ex_desc: 0,
            src0: &payload,
            src1: &[],
            lanes: self.lanes & u32::MAX >> (32 - self.width),
            exec_size: self.width as u8,
            ip: 0,
            eot: false,
            waits: false,
        };
        let mut response = vec![SILENT; 4 * self.width];
        port.message(&message, &mut response)?;
        let of = |lane: usize| [0, 1, 2, 3].map(|c| response[c * self.width + lane]);
        Ok((0..self.width).map(of).collect())
    }
}
