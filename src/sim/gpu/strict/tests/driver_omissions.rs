//! Omissions and wrong values of drivers are detected; each test compares them with the correct
//! state.

use crate::strict::testing::{
    BLEND, TABLE, TARGET, TARGET_STATE, VERTICES, WRITE, assert_breaks, assert_breaks_after,
    broken_rule, command, draw_with, flush, legal_draw, pipe_control, primitive, rig,
    rig_with_kernel, rig_with_target, target_write,
};
use crate::testing::{CODE, DATA, Rig, STATE, send, to};
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::state::render_surface_state as rss;
use hw::{Field, Packet, draw, media, mi, register};
use isa::{Dst, Inst, Opcode, Region, Src, Type};

/// The result of a batch of these commands.
fn ended(commands: &[Vec<u32>]) -> Result<(), StopReason> {
    ended_on(&mut rig(), commands)
}

/// The same, on this rig.
fn ended_on(rig: &mut Rig, commands: &[Vec<u32>]) -> Result<(), StopReason> {
    let mut batch = commands.concat();
    batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
    rig.execute(&batch).map(|_| ())
}

/// A command that writes a register.
fn load(register: u32, value: u32) -> Vec<u32> {
    vec![mi::mi_load_register_imm::PACKET.header, register, value]
}

/// A dword of a register, for all channels.
fn scalar(nr: u8, dword: u8) -> Src {
    Src::grf(nr, 4 * dword, Type::Ud, Region::SCALAR)
}

fn mov(nr: u8, from: Src) -> Inst {
    Inst::unary(Opcode::Mov, 8, to(nr), from).no_mask()
}

#[test]
fn unused_fields_are_refused() {
    use draw::{state_sbe_swiz as swiz, state_wm as wm};
    for (packet, field) in [
        (&swiz::PACKET, swiz::ATTRIBUTE_WRAP_SHORTEST_ENABLES),
        (&swiz::PACKET, swiz::ATTRIBUTE_WRAP_SHORTEST_ENABLES_2),
        (&wm::PACKET, wm::LEGACY_DEPTH_BUFFER_CLEAR_ENABLE),
        (
            &wm::PACKET,
            wm::LEGACY_HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
        ),
    ] {
        let set = ended(&[command(packet, &[(field, 1)])]);
        let named = matches!(&set, Err(StopReason::Unimplemented { what, .. }) if what.contains(field.name));
        assert!(named, "{}: {set:?}", field.name);
        assert_eq!(ended(&[command(packet, &[])]), Ok(()));
    }
    for field in [rss::QUILT_WIDTH, rss::QUILT_HEIGHT] {
        let mut rig = rig_with_target(&[(field, 1)]);
        let ended = ended_on(&mut rig, &[legal_draw(), vec![primitive(3)]].concat());
        let named = matches!(&ended, Err(StopReason::Unimplemented { what, .. }) if what.contains(field.name));
        assert!(named, "{}: {ended:?}", field.name);
    }
}

#[test]
fn ggtt_accesses_are_refused() {
    use mi::{
        mi_copy_mem_mem as copy, mi_load_register_mem as load, mi_store_data_imm as store,
        mi_store_register_mem as keep,
    };
    type Row = (&'static Packet, Field, Vec<(Field, u64)>);
    let places: [Row; 5] = [
        (
            &store::PACKET,
            store::USE_GLOBAL_GTT,
            vec![(store::ADDRESS, DATA)],
        ),
        (
            &keep::PACKET,
            keep::USE_GLOBAL_GTT,
            vec![
                (keep::REGISTER_ADDRESS, register::CS_GPR0.into()),
                (keep::MEMORY_ADDRESS, DATA),
            ],
        ),
        (
            &load::PACKET,
            load::USE_GLOBAL_GTT,
            vec![
                (load::REGISTER_ADDRESS, register::CS_GPR0.into()),
                (load::MEMORY_ADDRESS, DATA),
            ],
        ),
        (
            &copy::PACKET,
            copy::USE_GLOBAL_GTT_SOURCE,
            vec![
                (copy::SOURCE_MEMORY_ADDRESS, DATA),
                (copy::DESTINATION_MEMORY_ADDRESS, DATA + 64),
            ],
        ),
        (
            &copy::PACKET,
            copy::USE_GLOBAL_GTT_DESTINATION,
            vec![
                (copy::SOURCE_MEMORY_ADDRESS, DATA),
                (copy::DESTINATION_MEMORY_ADDRESS, DATA + 64),
            ],
        ),
    ];
    for (packet, field, fields) in places {
        let with = |value| {
            let fields = [&fields[..], &[(field, value)]].concat();
            broken_rule(&mut rig(), &[command(packet, &fields)])
        };
        assert_eq!(with(0), None, "{}", packet.name);
        assert_eq!(with(1), Some("field-value"), "{}", packet.name);
    }
    use media::pipe_control as f;
    let write = [(f::POST_SYNC_OPERATION, 1), (f::ADDRESS, DATA)];
    assert_breaks_after(None, &[pipe_control(&write)]);
    for field in [f::STORE_DATA_INDEX, f::DESTINATION_ADDRESS_TYPE] {
        let all = [&write[..], &[(field, 1)]].concat();
        assert_breaks_after(Some("field-value"), &[pipe_control(&all)]);
    }
}

#[test]
fn enabled_stages_need_urb_entries() {
    use draw::{state_gs as gs, state_urb_gs as urb};
    let runs = (&gs::PACKET, gs::ENABLE, 1);
    let entries = (&urb::PACKET, urb::GS_NUMBER_OF_URB_ENTRIES, 8);
    let place = (&urb::PACKET, urb::GS_URB_STARTING_ADDRESS, 8);
    assert_breaks(Some("urb-entries"), &[runs]);
    assert_breaks(None, &[runs, entries, place]);
    use draw::{state_ds as ds, state_urb_ds as ds_urb};
    let runs = (&ds::PACKET, ds::ENABLE, 1);
    let of = |number| {
        [
            runs,
            (&ds_urb::PACKET, ds_urb::DS_NUMBER_OF_URB_ENTRIES, number),
            (&ds_urb::PACKET, ds_urb::DS_URB_STARTING_ADDRESS, 8),
        ]
    };
    for number in [0, 32] {
        assert_breaks(Some("urb-entries"), &of(number));
    }
    use draw::{state_hs as hs, state_urb_hs as hs_urb};
    let of = |number| {
        [
            (&hs::PACKET, hs::ENABLE, 1),
            (&hs_urb::PACKET, hs_urb::HS_NUMBER_OF_URB_ENTRIES, number),
            (&hs_urb::PACKET, hs_urb::HS_URB_STARTING_ADDRESS, 8),
        ]
    };
    assert_breaks(Some("urb-entries"), &of(0));
    assert_breaks(None, &of(8));
}

#[test]
fn hs_reading_vertices_needs_include_vertex_handles() {
    use draw::{
        state_ds as ds, state_hs as hs, state_te as te, state_urb_ds as ds_urb,
        state_urb_hs as hs_urb, state_vf_topology as topology,
    };
    const HULL: u64 = 0x800;
    let urb = |opcode, length: u32, response_length: u32, row: u32| {
        length << 25 | response_length << 20 | 1 << 19 | row << 4 | opcode
    };
    // Factors of zero into the patch's header, which leave nothing of it.
    let mut kernel = vec![mov(100, scalar(0, 0))];
    kernel.extend((101..105).map(|nr| mov(nr, Src::imm_ud(0))));
    for row in [0, 1] {
        kernel.push(send(6, urb(7, 5, 0, row), Dst::null(Type::Ud), 100));
    }
    let writes = kernel.clone();
    // The first dword of the second vertex.
    kernel.push(mov(105, scalar(1, 1)));
    kernel.push(send(6, urb(8, 1, 1, 0), to(106), 105));
    let with = |kernel: &[Inst], handles| {
        let mut rig = rig_with_kernel(&[target_write(WRITE)]);
        rig.code(CODE + HULL, kernel);
        let commands = draw_with(&[
            // Patches of three vertices.
            (&topology::PACKET, topology::PRIMITIVE_TOPOLOGY_TYPE, 0x22),
            (&hs::PACKET, hs::ENABLE, 1),
            (&hs::PACKET, hs::KERNEL_START_POINTER, HULL),
            (&hs::PACKET, hs::INCLUDE_VERTEX_HANDLES, handles),
            (&hs_urb::PACKET, hs_urb::HS_NUMBER_OF_URB_ENTRIES, 8),
            (&hs_urb::PACKET, hs_urb::HS_URB_STARTING_ADDRESS, 8),
            (&te::PACKET, te::TE_ENABLE, 1),
            (&te::PACKET, te::TE_DOMAIN, 1),
            (&ds::PACKET, ds::ENABLE, 1),
            (&ds::PACKET, ds::DISPATCH_MODE, 1),
            (&ds_urb::PACKET, ds_urb::DS_NUMBER_OF_URB_ENTRIES, 40),
            (&ds_urb::PACKET, ds_urb::DS_URB_STARTING_ADDRESS, 9),
        ]);
        broken_rule(&mut rig, &[commands, vec![primitive(3)]].concat())
    };
    assert_eq!(with(&kernel, 1), None);
    assert_eq!(with(&kernel, 0), Some("uninitialised"));
    assert_eq!(with(&writes, 0), None, "one that reads no vertex");
}

#[test]
fn inactive_attribute_components_are_not_delivered() {
    use draw::state_sbe as sbe;
    // The value at the origin of each component of the attribute.
    let places = [(2, 3), (2, 7), (3, 3), (3, 7)];
    let mut kernel: Vec<Inst> = (112..116)
        .zip(places)
        .map(|(nr, (from, dword))| mov(nr, scalar(from, dword)))
        .collect();
    kernel.push(target_write(WRITE));
    let colour = |format| {
        let mut rig = rig_with_kernel(&kernel);
        let mut vertices = Vec::new();
        for [x, y] in [[8f32, 8f32], [0.0, 8.0], [0.0, 0.0]] {
            vertices.extend([x, y, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0].map(f32::to_bits));
        }
        rig.write(VERTICES, &vertices);
        let commands = draw_with(&[(&sbe::PACKET, sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT, format)]);
        let ended = ended_on(&mut rig, &[commands, vec![primitive(3)]].concat());
        assert_eq!(ended, Ok(()));
        rig.read(DATA, 1)[0]
    };
    let colours = [0, 1, 2, 3].map(colour);
    assert_eq!(colours, [0, 0xffff, 0xff_ffff, 0xffff_ffff]);
}

#[test]
fn push_constants_by_address_need_cs_debug_mode2() {
    use draw::state_constant_ps as constant;
    use draw::state_ps as ps;
    let mut commands = draw_with(&[(&ps::PACKET, ps::PUSH_CONSTANT_ENABLE, 1)]);
    let found = commands.iter_mut().find(|c| constant::PACKET.matches(c[0]));
    let constants = found.expect("in the batch");
    body::READ_LENGTH.set(&mut constants[1..], 1);
    body::BUFFER.set(&mut constants[1..], DATA + 0x3e00);
    commands.push(primitive(3));
    let colours = (112..116).map(|nr| mov(nr, scalar(2, nr - 112)));
    let kernel: Vec<Inst> = colours.chain([target_write(WRITE)]).collect();
    let with = |before: &[Vec<u32>]| {
        let mut rig = rig_with_kernel(&kernel);
        rig.write(DATA + 0x3e00, &[1f32.to_bits(), 0, 0, 1f32.to_bits()]);
        let ended = ended_on(&mut rig, &[before, &commands].concat());
        ended.map(|()| rig.read(DATA, 1)[0])
    };
    let bit = register::CS_DEBUG_MODE2_CONSTANT_ADDRESSES;
    let on = load(register::CS_DEBUG_MODE2, bit | bit << 16);
    let off = load(register::CS_DEBUG_MODE2, bit << 16);
    assert_eq!(with(std::slice::from_ref(&on)), Ok(0xff00_00ff));
    for forgotten in [vec![], vec![on, off]] {
        // The address counts from the dynamic state's, where nothing is.
        let ended = with(&forgotten);
        assert!(matches!(ended, Err(StopReason::Fault { .. })), "{ended:?}");
    }
}

#[test]
fn blend_state_is_required_by_pixel_shaders() {
    use draw::state_ps_extra as extra;
    use hw::draw_state::blend_state;
    // What this machine does not do.
    let mut head = [0];
    blend_state::ALPHA_TO_COVERAGE_ENABLE.set(&mut head, 1);
    blend_state::ALPHA_TO_COVERAGE_DITHER_ENABLE.set(&mut head, 1);
    let draws = |changes: &[(&Packet, Field, u64)]| {
        let mut rig = rig_with_target(&[]);
        rig.write(STATE + BLEND, &head);
        let commands = [draw_with(changes), vec![primitive(3)]].concat();
        ended_on(&mut rig, &commands)
    };
    let invalid = (&extra::PACKET, extra::PIXEL_SHADER_VALID, 0);
    assert_eq!(draws(&[invalid]), Ok(()));
    let read = draws(&[]);
    assert!(
        matches!(read, Err(StopReason::Unimplemented { .. })),
        "{read:?}"
    );
}

#[test]
fn mocs_and_thread_counts_do_not_change_results() {
    use draw::{state_ps as ps, state_vs as vs};
    use hw::draw_state::vertex_buffer_state as vb;
    let drawn = |mocs: u64, threads: u64| {
        let mut commands = draw_with(&[
            (&vs::PACKET, vs::MAXIMUM_NUMBER_OF_THREADS, threads),
            (&ps::PACKET, ps::MAXIMUM_NUMBER_OF_THREADS_PER_PSD, threads),
        ]);
        let mut set = 0;
        for words in &mut commands {
            let packet = hw::batch::find_packet(words[0], hw::Gen::Gen9).expect("a command");
            let all = packet.fields.iter();
            for field in all.filter(|field| field.name.ends_with("MOCS")) {
                field.set(words, mocs);
                set += 1;
            }
            if draw::state_vertex_buffers::PACKET.matches(words[0]) {
                vb::MOCS.set(&mut words[1..], mocs);
                set += 1;
            }
        }
        assert!(set > 5, "only {set} of them");
        let mut rig = rig_with_target(&[(rss::MOCS, mocs)]);
        commands.push(primitive(3));
        let ended = ended_on(&mut rig, &commands);
        (ended, rig.read(DATA, 128))
    };
    let (ended, picture) = drawn(0, 0);
    assert_eq!(ended, Ok(()));
    for (mocs, threads) in [(0x7f, 0), (4, 63)] {
        assert_eq!(drawn(mocs, threads), (Ok(()), picture.clone()));
    }
}

#[test]
fn compressed_targets_need_the_cache_mode_1_workaround() {
    let mut commands = draw_with(&[]);
    let avoid = |value: u32| load(register::CACHE_MODE_1, value);
    let compressed = [
        (rss::TILE_MODE, 3),
        (rss::SURFACE_PITCH, 127),
        (rss::MIP_TAIL_START_LOD, 15),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
        (rss::AUXILIARY_SURFACE_MODE, 5),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x3000),
    ];
    commands.push(primitive(3));
    let with = |value: Option<u32>| {
        let before = value.map(avoid).into_iter().collect::<Vec<_>>();
        let all = [before, commands.clone()].concat();
        broken_rule(&mut rig_with_target(&compressed), &all)
    };
    let rule = Some("cache-mode");
    assert_eq!(with(None), rule);
    assert_eq!(with(Some(1 << 9)), rule, "without its mask");
    assert_ne!(with(Some(register::CACHE_MODE_1_MSC_RAW)), rule);
}

#[test]
fn compressed_colours_need_a_resolve_before_sampling_without_aux() {
    use draw::state_ps as ps;
    use media::pipe_control as f;
    const SAMPLES: u64 = 0x800;
    let tiled = [
        (rss::TILE_MODE, 3),
        (rss::SURFACE_PITCH, 127),
        (rss::MIP_TAIL_START_LOD, 15),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
    ];
    let compressed = |mode| {
        [
            &TARGET_STATE[..],
            &tiled,
            &[
                (rss::AUXILIARY_SURFACE_MODE, mode),
                (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x2000),
            ],
        ]
        .concat()
    };
    // `ld` of texel 0 by entry 1.
    let mut kernel: Vec<Inst> = (112..116).map(|nr| mov(nr, Src::imm_ud(0))).collect();
    let ld = 3 << 25 | 4 << 20 | 1 << 17 | 7 << 12 | 1;
    kernel.push(send(2, ld, to(116), 112));
    kernel.push(target_write(WRITE));
    let shader = |fields: &[(Field, u64)]| {
        let always = [
            (ps::N8_PIXEL_DISPATCH_ENABLE, 1),
            (ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0, 2),
        ];
        command(&ps::PACKET, &[&always[..], fields].concat())
    };
    let wait = [
        flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]),
        pipe_control(&[(f::TEXTURE_CACHE_INVALIDATION_ENABLE, 1)]),
    ];
    // Drawn to by one mode of the control surface or cleared by it, resolved by a type or not,
    // sampled by another mode.
    let done = |drawn: u64, clears: bool, resolve: Option<u64>, sampled: u64| {
        let mut rig = rig_with_kernel(&[target_write(WRITE)]);
        rig.code(CODE + SAMPLES, &kernel);
        rig.write(STATE + TABLE, &[TARGET as u32, TARGET as u32 + 0x40]);
        rig.write(STATE + TARGET, &command(&rss::PACKET, &compressed(drawn)));
        rig.write(
            STATE + TARGET + 0x40,
            &command(&rss::PACKET, &compressed(sampled)),
        );
        let mut commands = vec![load(register::CACHE_MODE_1, register::CACHE_MODE_1_MSC_RAW)];
        commands.extend(legal_draw());
        if clears {
            commands.push(shader(&[(ps::RENDER_TARGET_FAST_CLEAR_ENABLE, 1)]));
        }
        commands.push(primitive(3));
        commands.extend(wait.clone());
        if let Some(kind) = resolve {
            commands.push(shader(&[(ps::RENDER_TARGET_RESOLVE_TYPE, kind)]));
            commands.push(primitive(3));
            commands.extend(wait.clone());
        }
        commands.push(shader(&[(ps::KERNEL_START_POINTER_0, SAMPLES)]));
        commands.push(primitive(3));
        broken_rule(&mut rig, &commands)
    };
    let with = |drawn, resolve, sampled| done(drawn, false, resolve, sampled);
    let rule = Some("colour-resolve");
    let (none, ccs_d, ccs_e, partial, full) = (0, 1, 5, Some(1), Some(3));
    assert_eq!(with(ccs_e, None, ccs_e), None);
    assert_eq!(with(ccs_e, None, none), rule);
    assert_eq!(with(ccs_e, None, ccs_d), None);
    assert_eq!(with(ccs_e, partial, none), rule);
    assert_eq!(with(ccs_e, full, none), None);
    assert_eq!(with(ccs_d, None, none), None);
    assert_eq!(with(ccs_d, partial, none), None);
    for mode in [ccs_d, ccs_e] {
        assert_eq!(done(mode, true, None, none), rule);
        assert_eq!(done(mode, true, None, mode), None);
        assert_eq!(done(mode, true, full, none), None);
    }
    assert_eq!(done(ccs_d, true, partial, none), None);
    assert_eq!(done(ccs_e, true, partial, none), rule);
}

#[test]
fn predicate_registers_must_be_written_before_comparison() {
    use mi::mi_predicate as f;
    use register::{MI_PREDICATE_DATA, MI_PREDICATE_SRC0, MI_PREDICATE_SRC1};
    let with = |registers: &[u32], compare| {
        let mut commands: Vec<Vec<u32>> = registers.iter().map(|to| load(*to, 0)).collect();
        let fields = [(f::COMPARE_OPERATION, compare), (f::LOAD_OPERATION, 2)];
        commands.push(command(&f::PACKET, &fields));
        broken_rule(&mut rig(), &commands)
    };
    let sources = [MI_PREDICATE_SRC0, MI_PREDICATE_SRC1].map(|source| [source, source + 4]);
    let sources = sources.concat();
    let all = [&sources[..], &[MI_PREDICATE_DATA, MI_PREDICATE_DATA + 4]].concat();
    let (always, equal, deltas) = (0, 2, 3);
    let rule = Some("mi-predicate-sources");
    assert_eq!(with(&[], always), None);
    assert_eq!(with(&sources, equal), None);
    assert_eq!(with(&sources[1..], equal), rule);
    assert_eq!(with(&sources[..3], equal), rule);
    assert_eq!(with(&sources, deltas), rule);
    assert_eq!(with(&all, deltas), None);
}
