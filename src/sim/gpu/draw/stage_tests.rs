//! Threads of the geometry stages: the payload that the PRM describes, kept by kernels that store their registers, and
//! what they leave in the URB, kept by stream output.
//!
//! Ref: SKL PRM vol. 7, "SIMD8 Payload" (VS), "Thread Payload: SINGLE_PATCH" (HS), "SIMD8_SINGLE_PATCH" (DS), "SIMD8" (GS).

use crate::Options;
use crate::strict::draw_rig::{command, sound, vertex_elements};
use crate::tests::{CODE, DATA, Rig, send, to, ud};
use hw::draw::*;
use hw::draw_state::{so_decl, state_constant_body as body, vertex_buffer_state as vb};
use hw::{Field, Packet, mi};
use isa::{ArfReg, Dst, Inst, Opcode, Region, Src, Type};

/// Where kernels store registers; vertices; push constants; captured vertices; statistics.
const STORED: u64 = DATA;
const VERTICES: u64 = DATA + 0x2000;
const CONSTANTS: u64 = DATA + 0x2800;
const STREAM: u64 = DATA + 0x3000;
const COUNTS: u64 = DATA + 0x3f00;
/// Kernels of HS, DS, GS; that of VS is at `CODE`.
const HULL: u64 = 0x1000;
const DOMAIN: u64 = 0x1800;
const GEOMETRY: u64 = 0x2000;

/// Bytes between what two vertices name as their place: room for 32 registers of eight of them.
const PLACE: u32 = 0x80;

/// SIMD8 URB messages of so many registers: handles first.
fn urb(opcode: u32, registers: u32, offset: u32) -> u32 {
    registers << 25 | 1 << 19 | offset << 4 | opcode
}

fn mov(dst: u8, src: Src) -> Inst {
    Inst::unary(Opcode::Mov, 8, to(dst), src).no_mask()
}

fn scalar(nr: u8, dword: u8) -> Src {
    Src::grf(nr, 4 * dword, Type::Ud, Region::SCALAR)
}

/// Stores registers 0 and on, at most 31 of them, then cr0.0 in all of a register, at an offset from [`STORED`] that `place`
/// leaves in register 119.
fn store(registers: u8, place: &[Inst]) -> Vec<Inst> {
    let header = |dword: u8, src| {
        let dst = Dst::grf(120, 4 * dword, Type::Ud);
        Inst::unary(Opcode::Mov, 1, dst, src).no_mask()
    };
    let mut kernel = place.to_vec();
    kernel
        .push(Inst::binary(Opcode::Add, 8, to(119), ud(119), Src::imm_ud(STORED as u32)).no_mask());
    kernel.extend([mov(120, Src::imm_ud(0)), header(5, scalar(119, 0))]);
    let control = Src::arf(ArfReg::Control, 0, 0, Type::Ud, Region::SCALAR);
    kernel.push(mov(117, control));
    for nr in (0..registers).chain([117]) {
        kernel.push(header(2, Src::imm_ud(2 * u32::from(nr.min(registers)))));
        kernel.push(mov(121, ud(nr)));
        // Two OWords, header, stateless.
        let block = 2 << 25 | 1 << 19 | 8 << 14 | 2 << 8 | 255;
        kernel.push(send(10, block, Dst::null(Type::Ud), 120).no_mask());
    }
    kernel
}

/// Writes registers to the entries whose handles `handles` holds, from dword 4 · `offset` on.
fn put(handles: u8, offset: u32, values: &[Src]) -> Vec<Inst> {
    let mut kernel = vec![mov(100, ud(handles))];
    let values = values.iter().zip(101..);
    kernel.extend(values.map(|(value, nr)| mov(nr, *value)));
    let length = kernel.len() as u32;
    kernel.push(send(6, urb(7, length, offset), Dst::null(Type::Ud), 100));
    kernel
}

/// Four registers of a place's number, pushed first of all.
fn place_of(nr: u8) -> [Inst; 1] {
    [mov(119, scalar(nr, 0))]
}

/// A draw of `vertices` points, patches or whatever `topology` says, whose elements are a position and (number · PLACE, 1,
/// 2, 3); nothing is rasterised. Dwords of the captured vertices' second row, positions, go to [`STREAM`].
struct Draw {
    rig: Rig,
    commands: Vec<Vec<u32>>,
}

impl Draw {
    fn new(topology: u64) -> Draw {
        let rig = Rig::new(Options::default());
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
        let mut decls = vec![state_so_decl_list::PACKET.header | 3, 0, 0, 0, 0];
        state_so_decl_list::STREAM_TO_BUFFER_SELECTS_0.set(&mut decls, 1);
        state_so_decl_list::NUM_ENTRIES_0.set(&mut decls, 1);
        so_decl::COMPONENT_MASK.set(&mut decls[3..], 0xf);
        so_decl::REGISTER_INDEX.set(&mut decls[3..], 1);
        let mut draw = Draw {
            rig,
            commands: sound(),
        };
        draw.commands.extend([
            vertex_elements([1; 4]),
            [vec![header], buffer.to_vec()].concat(),
            decls,
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

    fn add(&mut self, packet: &Packet, fields: &[(Field, u64)]) {
        self.commands.push(command(packet, fields));
    }

    /// Push constants of a stage: one register from the first buffer, two from the third.
    fn constants(&mut self, packet: &Packet) {
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
    fn run(self, vertices: u64, registers: &[u32]) -> (Rig, Vec<u32>) {
        let count = (primitive::VERTEX_COUNT_PER_INSTANCE, vertices);
        self.run_with(&[count, (primitive::INSTANCE_COUNT, 1)], registers)
    }

    fn run_with(mut self, fields: &[(Field, u64)], registers: &[u32]) -> (Rig, Vec<u32>) {
        self.add(&primitive::PACKET, fields);
        use mi::mi_store_register_mem as get;
        for (i, register) in registers.iter().enumerate() {
            let to = (get::MEMORY_ADDRESS, COUNTS + 4 * i as u64);
            self.add(
                &get::PACKET,
                &[(get::REGISTER_ADDRESS, (*register).into()), to],
            );
        }
        let mut batch = self.commands.concat();
        batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
        if let Err(stop) = self.rig.execute(&batch) {
            panic!("{stop}");
        }
        let counts = self.rig.read(COUNTS, registers.len());
        (self.rig, counts)
    }
}

/// The constants that [`Draw::constants`] pushes.
fn pushed() -> Vec<u32> {
    (0..8).chain(32..48).map(|i| 0xc000 + i).collect()
}

/// Register `nr` of the thread that stored at the place of `number`.
fn stored(rig: &Rig, number: u32, nr: u64) -> Vec<u32> {
    rig.read(STORED + u64::from(number * PLACE) + 32 * nr, 8)
}

#[test]
fn vertex_shaders_get_handles_constants_and_components() {
    for alternate in [0, 1] {
        vertex_shaders(alternate);
    }
}

/// With IEEE floats and statistics, or with neither.
fn vertex_shaders(alternate: u64) {
    let mut draw = Draw::new(1);
    use state_vs as vs;
    let fields = [
        (vs::ENABLE, 1),
        (vs::SIMD8_DISPATCH_ENABLE, 1),
        (vs::STATISTICS_ENABLE, 1 - alternate),
        (vs::FLOATING_POINT_MODE, alternate),
        (vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 3),
        (vs::VERTEX_URB_ENTRY_READ_OFFSET, 1),
        (vs::VERTEX_URB_ENTRY_READ_LENGTH, 1),
        (vs::SCRATCH_SPACE_BASE_POINTER, 0x1_2400),
        (vs::PER_THREAD_SCRATCH_SPACE, 3),
        (vs::VERTEX_URB_ENTRY_OUTPUT_LENGTH, 1),
    ];
    draw.add(&vs::PACKET, &fields);
    use state_sampler_state_pointers_vs as samplers;
    draw.add(
        &samplers::PACKET,
        &[(samplers::POINTER_TO_VS_SAMPLER_STATE, 0x60)],
    );
    draw.constants(&state_constant_vs::PACKET);
    // Registers 3 to 5 are constants; 6 to 9 the last element, 10 to 13 what an entry does not have.
    let mut kernel = store(14, &place_of(6));
    kernel.extend(put(1, 1, &[ud(7), ud(8), ud(9), ud(6)]));
    draw.rig.code(CODE, &kernel);
    // IA_VERTICES_COUNT, IA_PRIMITIVES_COUNT, VS_INVOCATION_COUNT, CL_INVOCATION_COUNT, SO_NUM_PRIMS_WRITTEN0,
    // SO_PRIM_STORAGE_NEEDED0.
    let counted = [0x2310, 0x2318, 0x2320, 0x2338, 0x5200, 0x5240];
    let (rig, counts) = draw.run(10, &counted);
    let shaded = if alternate == 1 { 0 } else { 10 };
    assert_eq!(counts, [10, 10, shaded, 0, 10, 10]);
    for (first, count) in [(0, 8), (8, 2)] {
        let register = |nr| stored(&rig, first, nr);
        assert_eq!(register(0), [0, 0, 0, 0x63, 0, 0x1_2400, 0, 0]);
        assert_eq!(u64::from(register(14)[0] & 1), alternate);
        let mut handles = register(1);
        assert!(
            handles[count..].iter().all(|handle| *handle == 0),
            "{handles:?}"
        );
        handles.truncate(count);
        handles.sort_unstable();
        handles.dedup();
        assert_eq!(handles.len(), count, "each vertex has an entry of its own");
        let constants: Vec<u32> = (3..6).flat_map(register).collect();
        assert_eq!(constants, pushed());
        for component in 0..8 {
            let expected: Vec<u32> = (0..8)
                .map(|lane| match (lane < count as u32, component) {
                    (true, 0) => (first + lane) * PLACE,
                    (true, 1..=3) => first + lane + 1000 * component as u32,
                    _ => 0,
                })
                .collect();
            assert_eq!(register(6 + component), expected, "component {component}");
        }
    }
    let captured = rig.read(STREAM, 44);
    let expected: Vec<u32> = (0..10)
        .flat_map(|n| [n + 1000, n + 2000, n + 3000, n * PLACE])
        .chain([0; 4])
        .collect();
    assert_eq!(captured, expected);
}

/// A patch of three control points, a hull shader of two threads that meet twice, and a domain shader.
#[test]
fn hull_and_domain_shaders_get_the_patch() {
    for alternate in [0, 1] {
        hull_and_domain_shaders(alternate);
    }
}

/// With IEEE floats, statistics and a third coordinate in the domain shader, or without; the hull shader's way about.
fn hull_and_domain_shaders(alternate: u64) {
    let mut draw = Draw::new(0x22);
    use {state_ds as ds, state_hs as hs, state_te as te, state_urb_hs as urb_hs};
    let fields = [
        (hs::ENABLE, 1),
        (hs::STATISTICS_ENABLE, alternate),
        (hs::FLOATING_POINT_MODE, 1 - alternate),
        (hs::INSTANCE_COUNT, 1),
        (hs::KERNEL_START_POINTER, HULL),
        (hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 6),
        (hs::INCLUDE_VERTEX_HANDLES, 1),
        (hs::SCRATCH_SPACE_BASE_POINTER, 0x1_2400),
        (hs::PER_THREAD_SCRATCH_SPACE, 1),
    ];
    draw.add(&hs::PACKET, &fields);
    draw.add(
        &urb_hs::PACKET,
        &[(urb_hs::HS_URB_ENTRY_ALLOCATION_SIZE, 1)],
    );
    let fields = [
        (te::TE_ENABLE, 1),
        (te::TE_DOMAIN, 1),
        (te::OUTPUT_TOPOLOGY, 0),
        (te::MAXIMUM_TESSELLATION_FACTOR_ODD, 63f32.to_bits().into()),
        (
            te::MAXIMUM_TESSELLATION_FACTOR_NOT_ODD,
            64f32.to_bits().into(),
        ),
    ];
    draw.add(&te::PACKET, &fields);
    let fields = [
        (ds::ENABLE, 1),
        (ds::STATISTICS_ENABLE, 1 - alternate),
        (ds::FLOATING_POINT_MODE, alternate),
        (ds::DISPATCH_MODE, 1),
        (ds::COMPUTE_W_COORDINATE_ENABLE, 1 - alternate),
        (ds::KERNEL_START_POINTER, DOMAIN),
        (ds::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 6),
        (ds::PATCH_URB_ENTRY_READ_OFFSET, 1),
        (ds::PATCH_URB_ENTRY_READ_LENGTH, 2),
        (ds::SCRATCH_SPACE_BASE_POINTER, 0x1_4800),
        (ds::PER_THREAD_SCRATCH_SPACE, 2),
    ];
    draw.add(&ds::PACKET, &fields);
    draw.constants(&state_constant_hs::PACKET);
    draw.constants(&state_constant_ds::PACKET);
    // The instance is in R0.2 from bit 17 on: instance 1 stores 0x400 bytes further on.
    let instance = Inst::binary(Opcode::Shr, 8, to(118), scalar(0, 2), Src::imm_ud(17)).no_mask();
    let place = Inst::binary(Opcode::Shl, 8, to(119), ud(118), Src::imm_ud(10)).no_mask();
    let mut kernel = store(9, &[instance, place]);
    // Each writes its number + 7 into the patch's second 256 bits, dword 8 + instance. Both write the factors.
    let barrier = |kernel: &mut Vec<Inst>| {
        kernel.push(send(3, 1 << 25 | 4, Dst::null(Type::Ud), 0).no_mask());
        let n0 = Src::arf(ArfReg::Notification, 0, 0, Type::Ud, Region::SCALAR);
        let to = Dst::arf(ArfReg::Notification, 0, 0, Type::Ud);
        kernel.push(Inst::unary(Opcode::Wait, 1, to, n0).no_mask());
    };
    kernel.push(mov(90, scalar(0, 0)));
    kernel.extend(put(
        90,
        1,
        &[1f32, 2.0, 1.0, 1.0].map(|f| Src::imm_ud(f.to_bits())),
    ));
    kernel.push(Inst::binary(Opcode::Add, 8, to(91), ud(118), Src::imm_ud(7)).no_mask());
    // Offsets for each slot: 2 + instance; then a value.
    let own = |kernel: &mut Vec<Inst>, value: u8, base: u32| {
        kernel.push(mov(100, ud(90)));
        kernel.push(Inst::binary(Opcode::Add, 8, to(101), ud(118), Src::imm_ud(base)).no_mask());
        kernel.push(mov(102, ud(value)));
        kernel.push(send(6, urb(7, 3, 0) | 1 << 17, Dst::null(Type::Ud), 100));
    };
    own(&mut kernel, 91, 2);
    barrier(&mut kernel);
    // What the other wrote, three times as much, and again.
    for (from, to_slot) in [(2, 4), (4, 6)] {
        kernel.push(mov(100, ud(90)));
        kernel.push(Inst::binary(Opcode::Xor, 8, to(101), ud(118), Src::imm_ud(1)).no_mask());
        kernel.push(Inst::binary(Opcode::Add, 8, to(101), ud(101), Src::imm_ud(from)).no_mask());
        let read = 2 << 25 | 1 << 20 | 1 << 19 | 1 << 17 | 8;
        kernel.push(send(6, read, to(92), 100));
        kernel.push(Inst::binary(Opcode::Add, 8, to(92), ud(92), Src::imm_ud(10)).no_mask());
        own(&mut kernel, 92, to_slot);
        barrier(&mut kernel);
    }
    draw.rig.code(CODE + HULL, &kernel);
    // Stores 0x800 bytes further on, and gives the vertices their place in the domain, and the patch's number.
    let mut kernel = store(11, &[mov(119, Src::imm_ud(0x800))]);
    kernel.extend(put(4, 1, &[ud(1), ud(2), ud(3), scalar(0, 1)]));
    draw.rig.code(CODE + DOMAIN, &kernel);
    // HS_INVOCATION_COUNT, DS_INVOCATION_COUNT, IA_PRIMITIVES_COUNT.
    let (rig, counts) = draw.run(7, &[0x2300, 0x2308, 0x2318]);
    // Two patches, and a vertex too many. With one outer edge in two, a patch has five points: the inside is in two, too.
    let expected = if alternate == 1 {
        [2, 0, 2]
    } else {
        [0, 10, 2]
    };
    assert_eq!(counts, expected);
    let register = |base: u64, nr: u64| rig.read(STORED + base + 32 * nr, 8);
    for instance in 0..2u32 {
        let register = |nr| register(u64::from(instance) * 0x400, nr);
        let scratch = 0x1_2400 + instance * 2048;
        let header = register(0);
        // The last patch's.
        assert_eq!(header[1..], [1, instance << 17, 1, 0, scratch, 0, 0]);
        assert_eq!(u64::from(register(9)[0] & 1), 1 - alternate);
        let handles = register(1);
        let mut all = vec![header[0], handles[0], handles[1], handles[2]];
        assert_eq!(handles[3..], [0; 5]);
        assert_eq!(register(2), [0; 8]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(
            all.len(),
            4,
            "the patch and its vertices have entries of their own"
        );
        let constants: Vec<u32> = (6..9).flat_map(register).collect();
        assert_eq!(constants, pushed());
    }
    let register = |nr| register(0x800, nr);
    assert_eq!(u64::from(register(11)[0] & 1), alternate);
    let header = register(0);
    assert_eq!(header[1..], [1, 0, 2, 0, 0x1_4800, 0, 0]);
    let handles = register(4);
    let mut distinct = handles[..5].to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((distinct.len(), &handles[5..]), (5, [0; 3].as_slice()));
    let constants: Vec<u32> = (6..9).flat_map(register).collect();
    assert_eq!(constants, pushed());
    // From dword 8 of the patch on: each slot of four dwords has one that was written.
    let pushed: Vec<u32> = (9..11).flat_map(register).collect();
    let slots: Vec<u32> = pushed.iter().step_by(4).copied().collect();
    assert_eq!(slots, [7, 8, 18, 17]);
    let third = (1f32 / 3.0 * 65536.0).floor() / 65536.0;
    let mut expected = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        // PRM, "Patch URB Entry": dword 5 is the factor of w = 0.
        [0.5, 0.5, 0.0],
        [third, third, 1.0 - 2.0 * third],
    ];
    if alternate == 1 {
        expected.iter_mut().for_each(|place| place[2] = 0.0);
    }
    let ordered = |a: &[f32; 3], b: &[f32; 3]| a.partial_cmp(b).expect("numbers");
    expected.sort_by(ordered);
    for (patch, points) in rig.read(STREAM, 40).chunks(20).enumerate() {
        let (points, _) = points.as_chunks::<4>();
        assert!(points.iter().all(|p| p[3] == patch as u32), "{points:x?}");
        let mut places = points
            .iter()
            .map(|p| [0, 1, 2].map(|c| f32::from_bits(p[c])));
        let mut places: [[f32; 3]; 5] = std::array::from_fn(|_| places.next().expect("five"));
        places.sort_by(ordered);
        assert_eq!(places, expected);
    }
}

/// Instances of a geometry shader: ten of an object in two threads, or one of each of two objects.
#[test]
fn geometry_shaders_get_their_object_and_their_instance() {
    for (instances, counts) in [(10u32, 1), (1, 1), (1, 0)] {
        // Triangles with adjacency, of which the shader is not to see it.
        let mut draw = Draw::new(0x0b);
        use {state_gs as gs, state_urb_gs as urb_gs};
        let fields = [
            (gs::ENABLE, 1),
            (gs::STATISTICS_ENABLE, counts),
            (gs::FLOATING_POINT_MODE, 1 - counts),
            (gs::DISPATCH_MODE, 3),
            (gs::KERNEL_START_POINTER, GEOMETRY),
            (gs::INSTANCE_CONTROL, u64::from(instances) - 1),
            (gs::INVOCATIONS_INCREMENT_VALUE, 1),
            (gs::INCLUDE_PRIMITIVE_ID, 1),
            (gs::INCLUDE_VERTEX_HANDLES, 1),
            (gs::DISCARD_ADJACENCY, 1),
            (gs::EXPECTED_VERTEX_COUNT, 3),
            (gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 7),
            (gs::VERTEX_URB_ENTRY_READ_OFFSET, 1),
            (gs::VERTEX_URB_ENTRY_READ_LENGTH, 1),
            (gs::SCRATCH_SPACE_BASE_POINTER, 0x1_2400),
            (gs::PER_THREAD_SCRATCH_SPACE, 2),
            // A row of header, one of control data, four dwords a vertex.
            (gs::OUTPUT_TOPOLOGY, 3),
            (gs::OUTPUT_VERTEX_SIZE, 1),
            (gs::CONTROL_DATA_HEADER_SIZE, 1),
        ];
        draw.add(&gs::PACKET, &fields);
        draw.add(
            &urb_gs::PACKET,
            &[(urb_gs::GS_URB_ENTRY_ALLOCATION_SIZE, 4)],
        );
        draw.constants(&state_constant_gs::PACKET);
        // Registers: 0 header, 1 output handles, 2 primitive's number, 3 and on input handles, 7 to 9 constants, then eight
        // for each of three vertices. Stores by the instance of the first channel.
        let place = [
            Inst::binary(Opcode::Shr, 8, to(119), scalar(1, 0), Src::imm_ud(27)).no_mask(),
            Inst::binary(Opcode::Shl, 8, to(119), ud(119), Src::imm_ud(7)).no_mask(),
        ];
        let mut kernel = store(31, &place);
        // Five vertices, cut behind the second; the first dwords of their position are the first, second and third
        // vertex's number and the instance, shifted left and not.
        kernel.extend(put(1, 0, &[Src::imm_ud(5)]));
        kernel.extend(put(1, 2, &[Src::imm_ud(1 << 1)]));
        let shifted = Inst::binary(Opcode::Shr, 8, to(99), ud(1), Src::imm_ud(27)).no_mask();
        kernel.push(shifted);
        for (i, value) in [10, 18, 26, 99, 1].into_iter().enumerate() {
            kernel.extend(put(
                1,
                4 + 2 * i as u32 + 1,
                &[ud(value), Src::imm_ud(i as u32)],
            ));
        }
        draw.rig.code(CODE + GEOMETRY, &kernel);
        // GS_INVOCATION_COUNT, GS_PRIMITIVES_COUNT, SO_NUM_PRIMS_WRITTEN0.
        let (rig, counted) = draw.run(12, &[0x2328, 0x2330, 0x5200]);
        // Of each instance of both objects three lines, and invocations count two for each.
        let own = |count: u32| count * instances * counts as u32;
        assert_eq!(counted, [own(4), own(6), 6 * instances]);
        let last = [6, 8, 10].map(|n| n * PLACE);
        for (first, count) in [(0, 8), (8, 2)] {
            let count = count.min(instances as usize);
            if first >= instances {
                break;
            }
            let register = |nr| stored(&rig, first, nr);
            assert_eq!(register(0), [0, 0, 0, 2, 0, 0x1_2400, 0, 0]);
            assert_eq!(u64::from(register(31)[0] & 1), 1 - counts);
            let outputs = register(1);
            let mut handles: Vec<u32> = outputs[..count].iter().map(|h| h & 0xffff).collect();
            for (lane, handle) in outputs.iter().enumerate() {
                let instance = if lane < count { first + lane as u32 } else { 0 };
                assert_eq!(handle >> 27, instance, "{outputs:x?}");
            }
            assert!(
                outputs[count..].iter().all(|handle| *handle == 0),
                "{outputs:x?}"
            );
            assert_eq!(register(2), [1; 8]);
            // One instance: a register for each vertex. More: the handles side by side.
            let inputs: Vec<u32> = match instances {
                1 => (3..6).map(|nr| register(nr)[7]).collect(),
                _ => register(3)[..3].to_vec(),
            };
            handles.extend(&inputs);
            handles.sort_unstable();
            handles.dedup();
            assert_eq!(
                handles.len(),
                count + 3,
                "entries of their own: {handles:?}"
            );
            let constants: Vec<u32> = (7..10).flat_map(register).collect();
            assert_eq!(constants, pushed());
            for (vertex, place) in last.iter().enumerate() {
                let number = place / PLACE;
                let of = [
                    *place,
                    number + 1000,
                    number + 2000,
                    number + 3000,
                    0,
                    0,
                    0,
                    0,
                ];
                for (component, expected) in of.into_iter().enumerate() {
                    let nr = 10 + 8 * vertex + component;
                    if nr == 31 {
                        break;
                    }
                    assert_eq!(register(nr as u64), [expected; 8], "register {nr}");
                }
            }
        }
        let captured = rig.read(STREAM, 48);
        let firsts: Vec<u32> = captured.iter().step_by(4).take(6).copied().collect();
        let [a, b, c] = [0, 2, 4].map(|n| n * PLACE);
        assert_eq!(firsts[..5], [a, b, c, 0, 0]);
        let numbers: Vec<u32> = captured
            .iter()
            .skip(1)
            .step_by(4)
            .take(6)
            .copied()
            .collect();
        assert_eq!(numbers, [0, 1, 2, 3, 3, 4]);
        if instances > 1 {
            let second: Vec<u32> = captured
                .iter()
                .step_by(4)
                .skip(6)
                .take(5)
                .copied()
                .collect();
            assert_eq!(second, [a, b, c, 1, 1]);
        }
    }
}

/// Fetched vertices are captured as they are: row, id, instance.
#[test]
fn primitives_name_their_vertices_and_instances() {
    let captured = |topology: u64, indexed: bool, fields: &[(Field, u64)]| {
        let mut draw = Draw::new(topology);
        use {state_vf as vf, state_vf_sgvs as sgvs};
        // Component x alone of the last element, ids beside it.
        draw.commands.push(vertex_elements([1, 2, 2, 2]));
        let fields_of_ids = [
            (sgvs::VERTEXID_ENABLE, 1),
            (sgvs::VERTEXID_ELEMENT_OFFSET, 2),
            (sgvs::VERTEXID_COMPONENT_NUMBER, 1),
            (sgvs::INSTANCEID_ENABLE, 1),
            (sgvs::INSTANCEID_ELEMENT_OFFSET, 2),
            (sgvs::INSTANCEID_COMPONENT_NUMBER, 2),
        ];
        draw.add(&sgvs::PACKET, &fields_of_ids);
        // Indices 3, a cut, 5, 5, 2, 7.
        draw.rig.write(CONSTANTS, &[0x0505_ff03, 0x0702]);
        use state_index_buffer as ib;
        let fields_of_indices = [
            (ib::BUFFER_STARTING_ADDRESS, CONSTANTS),
            (ib::BUFFER_SIZE, 6),
        ];
        draw.add(&ib::PACKET, &fields_of_indices);
        let cut = [
            (vf::INDEXED_DRAW_CUT_INDEX_ENABLE, 1),
            (vf::CUT_INDEX, 0xff),
        ];
        draw.add(&vf::PACKET, &cut);
        let mut decls = vec![state_so_decl_list::PACKET.header | 3, 0, 0, 0, 0];
        state_so_decl_list::STREAM_TO_BUFFER_SELECTS_0.set(&mut decls, 1);
        state_so_decl_list::NUM_ENTRIES_0.set(&mut decls, 1);
        so_decl::COMPONENT_MASK.set(&mut decls[3..], 0b111);
        so_decl::REGISTER_INDEX.set(&mut decls[3..], 2);
        draw.commands.push(decls);
        let mut all = vec![(primitive::VERTEX_ACCESS_TYPE, indexed.into())];
        all.extend(fields);
        // IA_VERTICES_COUNT, IA_PRIMITIVES_COUNT, SO_NUM_PRIMS_WRITTEN0.
        let (rig, counts) = draw.run_with(&all, &[0x2310, 0x2318, 0x5200]);
        let vertices = rig.read(STREAM, 4 * 16);
        let (vertices, _) = vertices.as_chunks::<4>();
        let captured = vertices.iter().map(|v| [v[0] / PLACE, v[1], v[2]]);
        (captured.collect::<Vec<_>>(), counts)
    };
    use primitive as f;
    // Two instances of points 4, 5, 6: ids count from 0.
    let (vertices, counts) = captured(
        1,
        false,
        &[
            (f::VERTEX_COUNT_PER_INSTANCE, 3),
            (f::START_VERTEX_LOCATION, 4),
            (f::INSTANCE_COUNT, 2),
            (f::START_INSTANCE_LOCATION, 9),
        ],
    );
    let expected = [
        [4, 0, 0],
        [5, 1, 0],
        [6, 2, 0],
        [4, 0, 1],
        [5, 1, 1],
        [6, 2, 1],
        [0; 3],
    ];
    assert_eq!(vertices[..7], expected);
    assert_eq!(counts, [6, 6, 6]);
    // Indices from the first on, and a base vertex: ids are indices.
    let indexed = [
        (f::VERTEX_COUNT_PER_INSTANCE, 4),
        (f::START_VERTEX_LOCATION, 2),
        (f::INSTANCE_COUNT, 1),
        (f::BASE_VERTEX_LOCATION, 10),
    ];
    let (vertices, counts) = captured(1, true, &indexed);
    assert_eq!(
        vertices[..5],
        [[15, 5, 0], [15, 5, 0], [12, 2, 0], [17, 7, 0], [0; 3]]
    );
    assert_eq!(counts, [4, 4, 4]);
    // A negative base vertex, and a strip that is cut behind its first vertex.
    let strip = [
        (f::VERTEX_COUNT_PER_INSTANCE, 6),
        (f::INSTANCE_COUNT, 1),
        (f::BASE_VERTEX_LOCATION, 0xffff_fffe),
    ];
    let (vertices, counts) = captured(3, true, &strip);
    let edges = [
        [3, 5, 0],
        [3, 5, 0],
        [3, 5, 0],
        [0, 2, 0],
        [0, 2, 0],
        [5, 7, 0],
        [0; 3],
    ];
    assert_eq!(vertices[..7], edges);
    assert_eq!(counts, [5, 3, 3]);
    // Nothing to draw.
    let none = [(f::VERTEX_COUNT_PER_INSTANCE, 6), (f::INSTANCE_COUNT, 0)];
    assert_eq!(captured(1, false, &none).1, [0; 3]);
}

#[test]
fn clip_modes_are_counted() {
    for (mode, expected) in [(0u64, [3, 2]), (3, [3, 0]), (4, [3, 3])] {
        let mut draw = Draw::new(1);
        // The elements: a point beyond the right side, with x = w + 1, then two inside.
        let mut words = Vec::new();
        for x in [2.0f32, 1.0, 0.5] {
            words.extend([x, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits));
        }
        draw.rig.write(VERTICES, &words);
        use state_clip as clip;
        let fields = [
            (clip::CLIP_ENABLE, 1),
            (clip::CLIP_MODE, mode),
            (clip::STATISTICS_ENABLE, 1),
            (clip::API_MODE, 1),
            (clip::VIEWPORT_XY_CLIP_TEST_ENABLE, 1),
        ];
        draw.add(&clip::PACKET, &fields);
        draw.add(&state_streamout::PACKET, &[]);
        // Nothing is drawn, but up to there all is done.
        draw.add(&state_ps_extra::PACKET, &[]);
        // CL_INVOCATION_COUNT, CL_PRIMITIVES_COUNT.
        let (_, counts) = draw.run(3, &[0x2338, 0x2340]);
        assert_eq!(counts, expected, "mode {mode}");
    }
}
