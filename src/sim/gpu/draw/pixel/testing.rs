//! A draw's surroundings for tests: memory, latched commands, and messages to the pixel pipeline.

use super::dispatch::{PixelCounts, PixelPipeline};
use super::message::Batch;
use super::payload::Slot;
use super::state::State;
use crate::base_addresses::BaseAddresses;
use crate::budget::{Budget, InstructionLimits};
use crate::draw::exec::{Draw, StageFunctions};
use crate::draw::object::{Kind, ObjectCoverage, Plane, ScreenVertex, SetupObject, Subspan};
use crate::draw_state::DrawState;
use crate::memory::AddressSpaceView;
use crate::observer::Watch;
use crate::options::Options;
use crate::space::AddressSpace;
use crate::testing::memory;
use eu::{Message, StopReason};
use hw::draw::{state_depth_buffer as db, state_stencil_buffer as sb};
use hw::state::render_surface_state as rss;
use hw::{Field, Packet};

const BYTES: u64 = 0x2_0000;
/// What surface states, dynamic state and kernels count from.
pub(crate) const SURFACES: u64 = 0x10_0000;
pub(crate) const DYNAMIC: u64 = SURFACES + 0x1000;
pub(crate) const CODE: u64 = SURFACES + 0x2000;
/// Colours, their control surface, depths, stencil.
pub(crate) const COLOUR: u64 = SURFACES + 0x4000;
pub(crate) const CONTROL: u64 = SURFACES + 0xc000;
pub(crate) const DEPTH: u64 = SURFACES + 0x1_0000;
pub(crate) const STENCIL: u64 = SURFACES + 0x1_8000;
/// The binding table of 256 entries, from the surface state base address on, and the first target's
/// state.
pub(crate) const TABLE: u64 = 0x100;
pub(crate) const TARGET: u64 = 0x600;

pub(crate) struct Rig {
    space: AddressSpace,
    pub latched: DrawState,
    pub options: Options,
    /// Observes the accesses of the units, in strict mode.
    pub watch: Option<Box<dyn Watch>>,
    budget: Budget,
    kernels: crate::kernel_cache::KernelCache,
    wide: crate::dataport::WideLock,
}

impl Rig {
    pub fn new() -> Rig {
        let mut space = AddressSpace::new();
        space
            .map(SURFACES, BYTES, memory(BYTES as usize), 0)
            .expect("an empty space");
        Rig {
            space,
            latched: DrawState::default(),
            options: Options {
                cpu_threads: 1,
                ..Options::default()
            },
            watch: None,
            budget: Budget::new(InstructionLimits::of_all(u64::MAX)),
            kernels: Default::default(),
            wide: Default::default(),
        }
    }

    pub fn view(&self) -> AddressSpaceView<'_> {
        AddressSpaceView::new(&self.space)
    }

    pub fn write(&self, address: u64, words: &[u32]) {
        let done = self.view().write_block(address, words);
        done.expect("an address of the rig");
    }

    pub fn read(&self, address: u64) -> u32 {
        self.view().read(address).expect("an address of the rig")
    }

    pub fn byte(&self, address: u64) -> u8 {
        let byte = self.view().read_bytes(address, 1);
        byte.expect("an address of the rig") as u8
    }

    /// Changes fields of a command that is latched, or else was all zeros.
    pub fn set(&mut self, packet: &Packet, fields: &[(Field, u64)]) {
        let mut words = self.latched.words(packet).to_vec();
        if words.is_empty() {
            words = vec![0; usize::from(packet.dwords)];
            words[0] = packet.header;
        }
        for (field, value) in fields {
            field.set(&mut words, *value);
        }
        self.latched.latch(packet, &words);
    }

    pub fn draw(&self) -> Draw<'_> {
        Draw {
            watch: self.watch.as_deref(),
            budget: &self.budget,
            at: 0x40,
            state: &self.latched,
            base: BaseAddresses {
                surface: SURFACES,
                dynamic: DYNAMIC,
                instruction: CODE,
                ..BaseAddresses::default()
            },
            space: &self.space,
            options: &self.options,
            kernels: &self.kernels,
            wide: &self.wide,
        }
    }

    /// Binds a render target as entry `index` of the binding table: 16 × 16 pixels in linear
    /// memory, with fields changed.
    pub fn bind(&mut self, index: u64, format: u64, fields: &[(Field, u64)]) {
        use hw::draw::state_binding_table_pointers_ps as table;
        self.set(
            &table::PACKET,
            &[(table::POINTER_TO_PS_BINDING_TABLE, TABLE)],
        );
        let mut words = [0; 16];
        let plain = [
            (rss::SURFACE_TYPE, 1),
            (rss::SURFACE_FORMAT, format),
            (rss::WIDTH, 15),
            (rss::HEIGHT, 15),
            (rss::MIP_TAIL_START_LOD, 15),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
            (rss::SURFACE_PITCH, PITCH - 1),
            (rss::SURFACE_BASE_ADDRESS, COLOUR),
            (rss::AUXILIARY_SURFACE_BASE_ADDRESS, CONTROL),
            (rss::SHADER_CHANNEL_SELECT_RED, 4),
            (rss::SHADER_CHANNEL_SELECT_GREEN, 5),
            (rss::SHADER_CHANNEL_SELECT_BLUE, 6),
            (rss::SHADER_CHANNEL_SELECT_ALPHA, 7),
        ];
        for (field, value) in plain.iter().chain(fields) {
            field.set(&mut words, *value);
        }
        let at = TARGET + index % 16 * 64;
        self.write(SURFACES + TABLE + index * 4, &[at as u32]);
        self.write(SURFACES + at, &words);
    }

    /// A depth buffer of 16 × 16 pixels that may be written, in one column of Y tiles, two slices.
    pub fn depth_buffer(&mut self, format: u64) {
        let fields = [
            (db::SURFACE_TYPE, 1),
            (db::SURFACE_FORMAT, format),
            (db::WIDTH, 15),
            (db::HEIGHT, 15),
            (db::DEPTH, 1),
            (db::RENDER_TARGET_VIEW_EXTENT, 1),
            (db::SURFACE_PITCH, 127),
            (db::SURFACE_QPITCH, 32 / 4),
            (db::SURFACE_BASE_ADDRESS, DEPTH),
            (db::DEPTH_WRITE_ENABLE, 1),
            (db::STENCIL_WRITE_ENABLE, 1),
        ];
        self.set(&db::PACKET, &fields);
    }

    /// A stencil buffer of the same size, two slices of a row of W tiles each.
    pub fn stencil_buffer(&mut self) {
        let fields = [
            (sb::STENCIL_BUFFER_ENABLE, 1),
            (sb::SURFACE_PITCH, 127),
            (sb::SURFACE_QPITCH, 64 / 4),
            (sb::SURFACE_BASE_ADDRESS, STENCIL),
        ];
        self.set(&sb::PACKET, &fields);
    }

    /// Puts a kernel at the instruction base address, and has threads of these widths of it that
    /// read no constants.
    pub fn kernel(&mut self, kernel: &[isa::Inst], widths: [bool; 3]) {
        use hw::draw::{state_ps as ps, state_ps_blend as ps_blend, state_ps_extra as extra};
        let bytes = kernel.iter().flat_map(|inst| {
            let code = isa::encode(inst, hw::Gen::Gen9);
            code.expect("legal")
        });
        let words: Vec<u32> = bytes
            .collect::<Vec<u8>>()
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        self.write(CODE, &words);
        let [eight, sixteen, wide] = widths.map(u64::from);
        self.set(
            &ps::PACKET,
            &[
                (ps::N8_PIXEL_DISPATCH_ENABLE, eight),
                (ps::N16_PIXEL_DISPATCH_ENABLE, sixteen),
                (ps::N32_PIXEL_DISPATCH_ENABLE, wide),
                (ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0, 8),
                (ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1, 8),
                (ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2, 8),
            ],
        );
        self.set(&extra::PACKET, &[(extra::PIXEL_SHADER_VALID, 1)]);
        self.set(&ps_blend::PACKET, &[(ps_blend::HAS_WRITEABLE_RT, 1)]);
    }

    pub fn pixels(&self) -> PixelPipeline<'_> {
        PixelPipeline::new(self.draw(), Vec::new()).expect("simulated")
    }

    /// A float or an integer of four channels at a pixel of the first target.
    pub fn wide(&self, x: u32, y: u32) -> [u32; 4] {
        let at = COLOUR + u64::from(y) * PITCH + u64::from(x) * 16;
        [0, 4, 8, 12].map(|byte| self.read(at + byte))
    }

    /// A dword at a pixel of the first target.
    pub fn texel(&self, x: u32, y: u32) -> u32 {
        self.read(COLOUR + u64::from(y) * PITCH + u64::from(x) * 4)
    }
}

/// Bytes of a row of the targets.
pub(crate) const PITCH: u64 = 256;

/// Address of a byte of a Y tile: columns of 16 bytes, 32 rows (SKL PRM vol. 5, "Y-Major Tile
/// Format").
pub(crate) fn y_tile(byte: u32, row: u32) -> u64 {
    u64::from(byte / 16 * 512 + row * 16 + byte % 16)
}

/// Address of a byte of a W tile: from bit 11 down x5 x4 x3 y5 y4 y3 y2 x2 y1 x1 y0 x0 ("W-Major
/// Tile Format").
pub(crate) fn w_tile(x: u32, y: u32) -> u64 {
    let bits = [
        (x, 0),
        (y, 0),
        (x, 1),
        (y, 1),
        (x, 2),
        (y, 2),
        (y, 3),
        (y, 4),
        (y, 5),
        (x, 3),
        (x, 4),
        (x, 5),
    ];
    let each = bits.into_iter().enumerate();
    each.fold(0, |address, (i, (of, bit))| {
        address | u64::from(of >> bit & 1) << i
    })
}

/// A triangle that faces the viewer, at depth `z` everywhere, whose weights are an eighth of the
/// coordinates.
pub(crate) fn flat(kind: Kind, z: f64) -> SetupObject {
    let plane = |c, dx, dy| Plane { c, dx, dy };
    let vertex = ScreenVertex {
        inverse_w: 1.0,
        ..ScreenVertex::default()
    };
    SetupObject {
        kind,
        vertices: [vertex; 3],
        attributes: Vec::new(),
        depth: plane(z, 0.0, 0.0),
        inverse_w: plane(1.0, 0.0, 0.0),
        weights: [plane(0.0, 0.125, 0.0), plane(0.0, 0.0, 0.125)],
        weights_over_w: [plane(0.0, 0.125, 0.0), plane(0.0, 0.0, 0.125)],
        front_facing: true,
        viewport: 0,
        layer: 0,
        continues: false,
    }
}

/// An object of these subspans alone.
pub(crate) fn covered(subspans: &[Subspan]) -> ObjectCoverage {
    ObjectCoverage {
        subspans: subspans.to_vec(),
        all: 1,
        ..ObjectCoverage::default()
    }
}

/// Subspans side by side from (0, 0) on, with all of `samples` covered and left.
pub(super) fn row(count: u32, samples: u16) -> Vec<Slot> {
    let slot = |i| Slot {
        x: i * 2,
        covered: [samples; 4],
        input_mask: [samples; 4],
        writable: [samples; 4],
        ..Slot::default()
    };
    (0..count).map(slot).collect()
}

/// A message of a thread.
#[derive(Clone, Copy)]
pub(super) struct Sent<'m> {
    pub sfid: u8,
    pub desc: u32,
    pub lanes: u32,
    pub src0: &'m [u32],
    pub src1: &'m [u32],
    pub eot: bool,
}

impl Default for Sent<'_> {
    /// A write of all lanes to binding table entry 0.
    fn default() -> Self {
        Sent {
            sfid: 5,
            desc: 12 << 14,
            lanes: u32::MAX,
            src0: &[],
            src1: &[],
            eot: false,
        }
    }
}

/// What a message has done besides memory.
#[derive(Clone, Debug)]
pub(super) struct Done {
    /// Registers of its response.
    pub response: Vec<u32>,
    pub slots: Vec<Slot>,
    pub counts: PixelCounts,
    pub ended: bool,
}

/// Hands messages of one thread to the pixel pipeline of a rig, whose state `change` changes first.
pub(super) fn send(
    rig: &Rig,
    change: impl Fn(&mut State<'_>),
    setup: &SetupObject,
    slots: &[Slot],
    messages: &[Sent<'_>],
) -> Result<Done, StopReason> {
    let mut pixels = rig.pixels();
    pixels.back.state.statistics = true;
    change(&mut pixels.back.state);
    let mut slots = slots.to_vec();
    let mut response = vec![0; 64];
    let mut batch = Batch {
        back: &mut pixels.back,
        setup,
        slots: &mut slots,
        ended: false,
        waited: false,
    };
    for sent in messages {
        let message = Message {
            sfid: sent.sfid,
            desc: sent.desc,
            ex_desc: 0,
            exec_size: 16,
            lanes: sent.lanes,
            src0: sent.src0,
            src1: sent.src1,
            eot: sent.eot,
            waits: true,
            ip: 0x80,
        };
        batch.message(&message, &mut response)?;
    }
    let ended = batch.ended;
    Ok(Done {
        response,
        slots,
        counts: pixels.counts(),
        ended,
    })
}
