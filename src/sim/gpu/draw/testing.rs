//! A draw for tests, whose kernels store their registers and whose vertices are captured by stream
//! output.

use crate::options::Options;
use crate::strict::testing::{
    TABLE, TARGET, TARGET_STATE, VIEWPORTS, WRITE, command, legal_draw, so_decl_list, target_write,
    vertex_elements,
};
use crate::testing::{CODE, DATA, Rig, STATE, send, to, ud, write_block};
use eu::StopReason;
use hw::draw::*;
use hw::draw_state::{state_constant_body as body, vertex_buffer_state as vb};
use hw::state::render_surface_state as rss;
use hw::{Field, Packet, mi};
use isa::{ArfReg, Dst, Inst, Opcode, Region, Src, Type};

/// Where kernels store registers; vertices; push constants; captured vertices; statistics.
pub(super) const STORED: u64 = DATA;
pub(super) const VERTICES: u64 = DATA + 0x2000;
pub(super) const CONSTANTS: u64 = DATA + 0x2800;
pub(super) const STREAM: u64 = DATA + 0x3000;
pub(super) const COUNTS: u64 = DATA + 0x3f00;
/// Kernels of HS, DS, GS; that of VS is at `CODE`.
pub(super) const HULL: u64 = 0x1000;
pub(super) const DOMAIN: u64 = 0x1800;
pub(super) const GEOMETRY: u64 = 0x2000;

/// Bytes between what two vertices name as their place: room for 32 registers of eight of them.
pub(super) const PLACE: u32 = 0x80;

/// What pixels are that nothing is drawn to.
const BACKGROUND: u32 = u32::MAX;

/// Marks channels that run: a bit that cr0 does not use.
pub(super) const RUNS: u32 = 1 << 28;

/// SIMD8 URB messages of so many registers: handles first.
pub(super) fn urb(opcode: u32, registers: u32, offset: u32) -> u32 {
    registers << 25 | 1 << 19 | offset << 4 | opcode
}

pub(super) fn mov(dst: u8, src: Src) -> Inst {
    Inst::unary(Opcode::Mov, 8, to(dst), src).no_mask()
}

pub(super) fn scalar(nr: u8, dword: u8) -> Src {
    Src::grf(nr, 4 * dword, Type::Ud, Region::SCALAR)
}

/// Stores these registers one after the other, then cr0.0 with [`RUNS`] in the channels that run,
/// at an offset from [`STORED`] that `place` leaves in register 119.
pub(super) fn store(registers: impl Iterator<Item = u8>, place: &[Inst]) -> Vec<Inst> {
    let header = |dword: u8, src| {
        let dst = Dst::grf(120, 4 * dword, Type::Ud);
        Inst::unary(Opcode::Mov, 1, dst, src).no_mask()
    };
    let mut kernel = place.to_vec();
    let base = Src::imm_ud(STORED as u32);
    kernel.push(Inst::binary(Opcode::Add, 8, to(119), ud(119), base).no_mask());
    kernel.extend([mov(120, Src::imm_ud(0)), header(5, scalar(119, 0))]);
    let control = Src::arf(ArfReg::Control, 0, 0, Type::Ud, Region::SCALAR);
    kernel.push(mov(117, control));
    kernel.push(Inst::binary(
        Opcode::Or,
        8,
        to(117),
        ud(117),
        Src::imm_ud(RUNS),
    ));
    for (i, nr) in registers.chain([117]).enumerate() {
        kernel.push(header(2, Src::imm_ud(2 * i as u32)));
        kernel.push(mov(121, ud(nr)));
        kernel.push(write_block(120));
    }
    kernel
}

/// What [`store`] keeps of cr0: with alternate floats or not, and which channels run.
pub(super) fn control(stored: &[u32]) -> (u64, u32) {
    let runs = stored.iter().enumerate();
    let mask = runs.map(|(lane, value)| u32::from(value & RUNS != 0) << lane);
    (u64::from(stored[0] & 1), mask.sum())
}

/// Writes registers to the entries whose handles `handles` holds, from dword 4 · `offset` on.
pub(super) fn urb_write(handles: u8, offset: u32, values: &[Src]) -> Vec<Inst> {
    let mut kernel = vec![mov(100, ud(handles))];
    let values = values.iter().zip(101..);
    kernel.extend(values.map(|(value, nr)| mov(nr, *value)));
    let length = kernel.len() as u32;
    kernel.push(send(6, urb(7, length, offset), Dst::null(Type::Ud), 100));
    kernel
}

/// Four registers of a place's number, pushed first of all.
pub(super) fn place_of(nr: u8) -> [Inst; 1] {
    [mov(119, scalar(nr, 0))]
}

/// A draw of `vertices` vertices of a topology, whose elements are a position
/// and (number · PLACE, 1, 2, 3); nothing is rasterised. Dwords of the captured vertices' second
/// row, positions, go to [`STREAM`].
pub(super) struct Draw {
    pub(super) rig: Rig,
    pub(super) commands: Vec<Vec<u32>>,
}

impl Draw {
    pub(super) fn new(topology: u64) -> Draw {
        Draw::with(Options::default(), topology)
    }

    /// The same on a simulator with these options.
    pub(super) fn with(options: Options, topology: u64) -> Draw {
        let rig = Rig::new(options);
        let mut words = Vec::new();
        for number in 0..40 {
            words.extend([1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits));
            words.extend([number * PLACE, number + 1000, number + 2000, number + 3000]);
        }
        rig.write(VERTICES, &words);
        let constants: Vec<u32> = (0..64).map(|i| 0xc000 + i).collect();
        rig.write(CONSTANTS, &constants);
        let mut buffer = [0; 4];
        for (field, value) in [
            (vb::BUFFER_PITCH, 32),
            (vb::ADDRESS_MODIFY_ENABLE, 1),
            (vb::BUFFER_STARTING_ADDRESS, VERTICES),
            (vb::BUFFER_SIZE, 40 * 32),
        ] {
            field.set(&mut buffer, value);
        }
        let header = state_vertex_buffers::PACKET.header | 3;
        let mut draw = Draw {
            rig,
            commands: legal_draw(),
        };
        // Constants have addresses: bit 4 of CS_DEBUG_MODE2.
        let load = hw::mi::mi_load_register_imm::PACKET.header;
        draw.commands.push(vec![load, 0x20d8, 1 << 20 | 1 << 4]);
        draw.commands.extend([
            vertex_elements([1; 4]),
            [vec![header], buffer.to_vec()].concat(),
            so_decl_list(),
        ]);
        draw.add(
            &state_vf_topology::PACKET,
            &[(state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE, topology)],
        );
        draw.add(
            &state_vf_statistics::PACKET,
            &[(state_vf_statistics::STATISTICS_ENABLE, 1)],
        );
        use {state_so_buffer as buffer, state_streamout as so};
        draw.add(
            &so::PACKET,
            &[
                (so::SO_FUNCTION_ENABLE, 1),
                (so::SO_STATISTICS_ENABLE, 1),
                (so::RENDERING_DISABLE, 1),
                (so::BUFFER_0_SURFACE_PITCH, 16),
                (so::STREAM_0_VERTEX_READ_LENGTH, 1),
            ],
        );
        draw.add(
            &buffer::PACKET,
            &[
                (buffer::SO_BUFFER_ENABLE, 1),
                (buffer::SURFACE_BASE_ADDRESS, STREAM),
                (buffer::SURFACE_SIZE, 0x3bf),
            ],
        );
        draw
    }

    pub(super) fn add(&mut self, packet: &Packet, fields: &[(Field, u64)]) {
        self.commands.push(command(packet, fields));
    }

    /// Push constants of a stage: one register from the first buffer, two from the third.
    pub(super) fn constants(&mut self, packet: &Packet) {
        let mut words = command(packet, &[]);
        for (field, value) in [
            (body::READ_LENGTH, 1),
            (body::BUFFER, CONSTANTS),
            (body::READ_LENGTH_2, 2),
            (body::BUFFER_2, CONSTANTS + 0x80),
        ] {
            field.set(&mut words[1..], value);
        }
        self.commands.push(words);
    }

    /// Draws `vertices`; the statistics registers asked for.
    pub(super) fn run(self, vertices: u64, registers: &[u32]) -> (Rig, Vec<u32>) {
        let count = (primitive::VERTEX_COUNT_PER_INSTANCE, vertices);
        self.run_with(&[count, (primitive::INSTANCE_COUNT, 1)], registers)
    }

    pub(super) fn run_with(
        mut self,
        fields: &[(Field, u64)],
        registers: &[u32],
    ) -> (Rig, Vec<u32>) {
        self.add(&primitive::PACKET, fields);
        use mi::mi_store_register_mem as get;
        for (i, register) in registers.iter().enumerate() {
            let to = (get::MEMORY_ADDRESS, COUNTS + 4 * i as u64);
            self.add(
                &get::PACKET,
                &[(get::REGISTER_ADDRESS, (*register).into()), to],
            );
        }
        if let Err(stop) = self.execute() {
            panic!("{stop}");
        }
        let counts = self.rig.read(COUNTS, registers.len());
        (self.rig, counts)
    }

    /// Runs the commands so far.
    pub(super) fn execute(&mut self) -> Result<(), StopReason> {
        let mut batch = self.commands.concat();
        batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
        self.rig.execute(&batch).map(|_| ())
    }

    /// A draw without stream output to 8 × 8 pixels, which are [`BACKGROUND`]; what is drawn is
    /// zero.
    pub(super) fn on_screen(topology: u64) -> Draw {
        let mut draw = Draw::new(topology);
        draw.add(&state_streamout::PACKET, &[]);
        let colour = (112..116).map(|nr| mov(nr, Src::imm_ud(0)));
        let kernel: Vec<Inst> = colour.chain([target_write(WRITE)]).collect();
        draw.rig.code(CODE, &kernel);
        draw.rig.write(STATE + TABLE, &[TARGET as u32]);
        draw.rig
            .write(STATE + TARGET, &command(&rss::PACKET, &TARGET_STATE));
        draw.rig.write(STATE + VIEWPORTS, &[0, 1f32.to_bits()]);
        draw.rig.write(DATA, &[BACKGROUND; 8 * 16]);
        draw
    }

    /// Whether a pixel of [`Draw::on_screen`] was drawn.
    pub(super) fn is_drawn(rig: &Rig, x: u64, y: u64) -> bool {
        rig.read(DATA + 64 * y + 4 * x, 1) != [BACKGROUND]
    }
}

/// The constants that [`Draw::constants`] pushes.
pub(super) fn pushed() -> Vec<u32> {
    (0..8).chain(32..48).map(|i| 0xc000 + i).collect()
}

/// Register `nr` of the thread that stored at the place of `number`.
pub(super) fn stored(rig: &Rig, number: u32, nr: u64) -> Vec<u32> {
    rig.read(STORED + u64::from(number * PLACE) + 32 * nr, 8)
}
