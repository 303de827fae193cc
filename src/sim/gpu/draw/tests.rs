//! Threads of the geometry stages: the payload that the PRM describes, read by kernels that store
//! their registers, and what they write to the URB, captured by stream output.
//!
//! Ref: SKL PRM vol. 7, "SIMD8 Payload" (VS), "Thread Payload: SINGLE_PATCH" (HS),
//!      "SIMD8_SINGLE_PATCH" (DS), "SIMD8" (GS).

use super::testing::*;
use crate::strict::testing::vertex_elements;
use crate::testing::{CODE, Rig, send, to, ud};
use crate::{Options, Trace};
use hw::draw::*;
use hw::draw_state::vertex_element_state as element;
use isa::{ArfReg, Dst, Inst, Opcode, Region, Src, Type};
use std::sync::{Arc, Mutex};

#[test]
fn vs_payload_has_handles_constants_and_components() {
    for alternate in [0, 1] {
        vertex_shaders(alternate);
    }
}

/// With IEEE floats and statistics, or with neither.
fn vertex_shaders(alternate: u64) {
    let mut draw = Draw::new(1);
    // The first element's x is no zero: it must not be taken for the component behind the last of
    // the vertex before.
    let mut elements = vertex_elements([1; 4]);
    element::COMPONENT_0_CONTROL.set(&mut elements[1..], 4);
    draw.commands.push(elements);
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
    // Registers 3 to 5 are constants; 6 to 9 the last element, 10 to 13 what an entry does not
    // have.
    let mut kernel = store(0..14, &place_of(6));
    kernel.extend(urb_write(1, 1, &[ud(7), ud(8), ud(9), ud(6)]));
    draw.rig.code(CODE, &kernel);
    // IA_VERTICES_COUNT, IA_PRIMITIVES_COUNT, VS_INVOCATION_COUNT, CL_INVOCATION_COUNT,
    // SO_NUM_PRIMS_WRITTEN0, SO_PRIM_STORAGE_NEEDED0.
    let counted = [0x2310, 0x2318, 0x2320, 0x2338, 0x5200, 0x5240];
    let (rig, counts) = draw.run(10, &counted);
    let shaded = if alternate == 1 { 0 } else { 10 };
    assert_eq!(counts, [10, 10, shaded, 0, 10, 10]);
    for (first, count) in [(0, 8), (8, 2)] {
        let register = |nr| stored(&rig, first, nr);
        assert_eq!(register(0), [0, 0, 0, 0x63, 0, 0x1_2400, 0, 0]);
        assert_eq!(control(&register(14)), (alternate, (1 << count) - 1));
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

/// A trace of EU threads includes the threads of draws, distinguished by stage and
/// thread.
#[test]
fn draw_threads_are_traced() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&lines);
    let mut trace = Trace::new(move |line| written.lock().unwrap().push(line.to_string()));
    trace.instructions = true;
    let options = Options {
        trace,
        ..Options::default()
    };
    let mut draw = Draw::with(options, 1);
    use state_vs as vs;
    let fields = [
        (vs::ENABLE, 1),
        (vs::SIMD8_DISPATCH_ENABLE, 1),
        (vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 3),
        (vs::VERTEX_URB_ENTRY_READ_LENGTH, 1),
        (vs::VERTEX_URB_ENTRY_OUTPUT_LENGTH, 1),
    ];
    draw.add(&vs::PACKET, &fields);
    let kernel = urb_write(1, 1, &[ud(7), ud(8), ud(9), ud(6)]);
    draw.rig.code(CODE, &kernel);
    draw.run(10, &[]);
    // And the end of the thread.
    let instructions = kernel.len() + 1;
    let lines = lines.lock().unwrap();
    // Ten vertices are two threads, of eight channels and of two.
    let of = |thread: &str| lines.iter().filter(|line| line.starts_with(thread)).count();
    assert_eq!(of("VS thread 0:"), instructions, "{lines:?}");
    assert_eq!(of("VS thread 1:"), instructions, "{lines:?}");
    assert_eq!(lines.len(), 2 * instructions);
    assert!(lines[0].contains(" 000000ff "), "{}", lines[0]);
}

/// A patch of three control points, a hull shader of two threads that meet twice, and a domain
/// shader.
#[test]
fn hs_and_ds_payloads_have_the_patch() {
    for alternate in [0, 1] {
        hull_and_domain_shaders(alternate);
    }
}

/// A draw of patches with hull, tessellation and domain state.
fn tessellated_draw(alternate: u64) -> Draw {
    let mut draw = Draw::new(0x22);
    use {state_ds as ds, state_hs as hs, state_te as te, state_urb_hs as urb_hs};
    let fields = [
        (hs::ENABLE, 1),
        (hs::STATISTICS_ENABLE, alternate),
        (hs::FLOATING_POINT_MODE, 1 - alternate),
        (hs::INSTANCE_COUNT, 1),
        (hs::KERNEL_START_POINTER, HULL),
        (hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 6),
        (hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5, alternate),
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
        // Eight dwords more than the entry has.
        (ds::PATCH_URB_ENTRY_READ_LENGTH, 4),
        (ds::SCRATCH_SPACE_BASE_POINTER, 0x1_4800),
        (ds::PER_THREAD_SCRATCH_SPACE, 2),
    ];
    draw.add(&ds::PACKET, &fields);
    draw
}

/// With IEEE floats, statistics and a third coordinate in the domain shader, or without; the hull
/// shader's way about.
/// The hull shader of two instances: stores its registers, exchanges values through the patch and
/// writes the factors.
fn hull_kernel(alternate: u64) -> Vec<Inst> {
    // The instance is in R0.2 from bit 17 on: instance 1 stores 0x400 bytes further on.
    let instance = Inst::binary(Opcode::Shr, 8, to(118), scalar(0, 2), Src::imm_ud(17)).no_mask();
    let place = Inst::binary(Opcode::Shl, 8, to(119), ud(118), Src::imm_ud(10)).no_mask();
    // Constants begin with register 6 or 38.
    let constants = 6 + 32 * alternate as u8;
    let stored = [0, 1, 2, 3, 4, 5, constants, constants + 1, constants + 2];
    let mut kernel = store(stored.into_iter(), &[instance, place]);
    // Each writes its number + 7 into the patch's second 256 bits, dword 8 + instance. Both write
    // the factors.
    let barrier = |kernel: &mut Vec<Inst>| {
        kernel.push(send(3, 1 << 25 | 4, Dst::null(Type::Ud), 0).no_mask());
        let n0 = Src::arf(ArfReg::Notification, 0, 0, Type::Ud, Region::SCALAR);
        let to = Dst::arf(ArfReg::Notification, 0, 0, Type::Ud);
        kernel.push(Inst::unary(Opcode::Wait, 1, to, n0).no_mask());
    };
    kernel.push(mov(90, scalar(0, 0)));
    kernel.extend(urb_write(
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
    kernel
}

fn hull_and_domain_shaders(alternate: u64) {
    let mut draw = tessellated_draw(alternate);
    draw.constants(&state_constant_hs::PACKET);
    draw.constants(&state_constant_ds::PACKET);
    draw.rig.code(CODE + HULL, &hull_kernel(alternate));
    // Stores 0x800 bytes further on, and gives the vertices their place in the domain, and the
    // patch's number.
    let mut kernel = store(0..13, &[mov(119, Src::imm_ud(0x800))]);
    kernel.extend(urb_write(4, 1, &[ud(1), ud(2), ud(3), scalar(0, 1)]));
    draw.rig.code(CODE + DOMAIN, &kernel);
    // HS_INVOCATION_COUNT, DS_INVOCATION_COUNT, IA_PRIMITIVES_COUNT.
    let (rig, counts) = draw.run(7, &[0x2300, 0x2308, 0x2318]);
    // Two patches, and a vertex too many. With one outer edge in two, a patch has five points: the
    // inside is in two, too.
    let expected = if alternate == 1 {
        [2, 0, 2]
    } else {
        [0, 10, 2]
    };
    assert_eq!(counts, expected);
    check_hull_threads(&rig, alternate);
    check_domain_threads(&rig, alternate);
}

/// Checks the payloads that the two instances of the hull shader stored for the last patch.
fn check_hull_threads(rig: &Rig, alternate: u64) {
    let register = |base: u64, nr: u64| rig.read(STORED + base + 32 * nr, 8);
    for instance in 0..2u32 {
        let register = |nr| register(u64::from(instance) * 0x400, nr);
        let scratch = 0x1_2400 + instance * 2048;
        let header = register(0);
        // The last patch's.
        assert_eq!(header[1..], [1, instance << 17, 1, 0, scratch, 0, 0]);
        assert_eq!(control(&register(9)), (1 - alternate, 0xff));
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
}

/// Checks the payload of the domain shader, and the points that it produced.
fn check_domain_threads(rig: &Rig, alternate: u64) {
    let register = |nr: u64| rig.read(STORED + 0x800 + 32 * nr, 8);
    assert_eq!(control(&register(13)), (alternate, 0x1f));
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
    // What lies behind the entry is no zero that a shader could take for its own.
    assert!(
        register(12)
            .iter()
            .all(|dword| f32::from_bits(*dword).is_nan())
    );
    assert!(register(11).iter().all(|dword| *dword != register(12)[0]));
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

/// A draw of triangles with adjacency, which the shader does not receive, and geometry state.
fn geometry_draw(instances: u32, counts: u64) -> Draw {
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
        (gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA_5_4, 1 - counts),
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
    draw
}

/// Instances of a geometry shader: ten of an object in two threads, or one of each of two objects
/// in one.
/// Checks the first lines that stream output captured of the geometry shader's vertices.
fn check_captured_lines(rig: &Rig, instances: u32) {
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

/// A geometry shader that stores its registers and emits five vertices.
fn geometry_kernel(first_vertex: u8) -> Vec<Inst> {
    // Registers: 0 header, 1 output handles, 2 primitive's number, 3 and on input handles;
    // constants; then eight for each of three vertices. Stores by the instance of the first
    // channel.
    let place = [
        Inst::binary(Opcode::Shr, 8, to(119), scalar(1, 0), Src::imm_ud(27)).no_mask(),
        Inst::binary(Opcode::Shl, 8, to(119), ud(119), Src::imm_ud(7)).no_mask(),
    ];
    let mut kernel = store(0..31, &place);
    // Five vertices, cut behind the second; the first dwords of their position are the first,
    // second and third vertex's number and the instance, shifted left and not.
    kernel.extend(urb_write(1, 0, &[Src::imm_ud(5)]));
    kernel.extend(urb_write(1, 2, &[Src::imm_ud(1 << 1)]));
    let shifted = Inst::binary(Opcode::Shr, 8, to(99), ud(1), Src::imm_ud(27)).no_mask();
    kernel.push(shifted);
    let read = [first_vertex, first_vertex + 8, first_vertex + 16, 99, 1];
    for (i, value) in read.into_iter().enumerate() {
        kernel.extend(urb_write(
            1,
            4 + 2 * i as u32 + 1,
            &[ud(value), Src::imm_ud(i as u32)],
        ));
    }
    kernel
}

#[test]
fn gs_payload_has_the_object_and_instance() {
    for (instances, counts) in [(10u32, 1), (1, 1), (1, 0)] {
        // Constants begin with register 7 or 23, the vertices behind them.
        let start = 7 + 16 * (1 - counts as u8);
        let first_vertex = start + 3;
        let mut draw = geometry_draw(instances, counts);
        draw.constants(&state_constant_gs::PACKET);
        draw.rig
            .code(CODE + GEOMETRY, &geometry_kernel(first_vertex));
        // GS_INVOCATION_COUNT, GS_PRIMITIVES_COUNT, SO_NUM_PRIMS_WRITTEN0.
        let (rig, counted) = draw.run(12, &[0x2328, 0x2330, 0x5200]);
        // Of each instance of both objects three lines, and invocations count two for each.
        let own = |count: u32| count * instances * counts as u32;
        assert_eq!(counted, [own(4), own(6), 6 * instances]);
        let last = [6, 8, 10].map(|n| n * PLACE);
        for (first, count) in [(0, 8), (8, 2)] {
            if first >= instances {
                break;
            }
            // One instance: both objects share a thread.
            let shared = instances == 1;
            let count = if shared {
                2
            } else {
                count.min(instances as usize)
            };
            let register = |nr| stored(&rig, first, nr);
            assert_eq!(register(0), [0, 0, 0, 2, 0, 0x1_2400, 0, 0]);
            assert_eq!(control(&register(31)), (1 - counts, (1 << count) - 1));
            let outputs = register(1);
            let mut handles: Vec<u32> = outputs[..count].iter().map(|h| h & 0xffff).collect();
            for (lane, handle) in outputs.iter().enumerate() {
                let instance = match lane < count && !shared {
                    true => first + lane as u32,
                    false => 0,
                };
                assert_eq!(handle >> 27, instance, "{outputs:x?}");
            }
            assert!(
                outputs[count..].iter().all(|handle| *handle == 0),
                "{outputs:x?}"
            );
            let numbers = if shared {
                [0, 1, 0, 0, 0, 0, 0, 0]
            } else {
                [1; 8]
            };
            assert_eq!(register(2), numbers);
            // One instance: a register for each vertex. More: the handles side by side.
            let inputs: Vec<u32> = match instances {
                1 => (3..6).flat_map(|nr| register(nr)[..2].to_vec()).collect(),
                _ => register(3)[..3].to_vec(),
            };
            handles.extend(&inputs);
            handles.sort_unstable();
            handles.dedup();
            assert_eq!(
                handles.len(),
                count + inputs.len(),
                "entries of their own: {handles:?}"
            );
            let constants: Vec<u32> = (start..first_vertex)
                .flat_map(|nr| register(nr.into()))
                .collect();
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
                    let nr = usize::from(first_vertex) + 8 * vertex + component;
                    if nr >= 31 {
                        break;
                    }
                    // The first object's vertex indices are six less than the last one's.
                    let before = match component {
                        0 => 6 * PLACE,
                        _ => 6,
                    };
                    let expected = match shared {
                        true => {
                            let first = if component < 4 { expected - before } else { 0 };
                            [first, expected, 0, 0, 0, 0, 0, 0]
                        }
                        false => [expected; 8],
                    };
                    assert_eq!(register(nr as u64), expected, "register {nr}");
                }
            }
        }
        check_captured_lines(&rig, instances);
    }
}
