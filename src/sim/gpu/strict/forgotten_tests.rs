//! What a driver may forget or fill wrongly is noticed, item by item; each beside what it should have been.

use super::draw_rig::{
    changed, command, found, found_after, pipe_control, primitive, rig, rule_of, sound, target,
};
use crate::tests::DATA;
use eu::Stop;
use hw::state::render_surface_state as rss;
use hw::{Field, Packet, draw, media, mi, register};

/// What a batch of these commands ends with.
fn ended(commands: &[Vec<u32>]) -> Result<(), Stop> {
    let mut batch = commands.concat();
    batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
    rig().execute(&batch).map(|_| ())
}

#[test]
fn fields_that_nobody_asks_for_are_refused() {
    use draw::{state_depth_buffer as depth, state_sbe_swiz as swiz, state_wm as wm};
    for (packet, field) in [
        (&depth::PACKET, depth::TILED_RESOURCE_MODE),
        (&swiz::PACKET, swiz::ATTRIBUTE_WRAP_SHORTEST_ENABLES),
        (&swiz::PACKET, swiz::ATTRIBUTE_WRAP_SHORTEST_ENABLES_2),
        (&wm::PACKET, wm::LEGACY_DEPTH_BUFFER_CLEAR_ENABLE),
        (
            &wm::PACKET,
            wm::LEGACY_HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE,
        ),
    ] {
        let set = ended(&[command(packet, &[(field, 1)])]);
        let named =
            matches!(&set, Err(Stop::Unimplemented { what, .. }) if what.contains(field.name));
        assert!(named, "{}: {set:?}", field.name);
        assert_eq!(ended(&[command(packet, &[])]), Ok(()));
    }
    for field in [rss::QUILT_WIDTH, rss::QUILT_HEIGHT] {
        let mut rig = target(&[(field, 1)]);
        let commands = [sound(), vec![primitive(3)]].concat().concat();
        let mut batch = commands;
        batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
        let ended = rig.execute(&batch);
        let named =
            matches!(&ended, Err(Stop::Unimplemented { what, .. }) if what.contains(field.name));
        assert!(named, "{}: {ended:?}", field.name);
    }
}

#[test]
fn the_kernel_s_address_space_is_not_touched() {
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
            rule_of(&mut rig(), &[command(packet, &fields)])
        };
        assert_eq!(with(0), None, "{}", packet.name);
        assert_eq!(with(1), Some("field-value"), "{}", packet.name);
    }
    use media::pipe_control as f;
    let write = [(f::POST_SYNC_OPERATION, 1), (f::ADDRESS, DATA)];
    found_after(None, &[pipe_control(&write)]);
    for field in [f::STORE_DATA_INDEX, f::DESTINATION_ADDRESS_TYPE] {
        let all = [&write[..], &[(field, 1)]].concat();
        found_after(Some("field-value"), &[pipe_control(&all)]);
    }
}

#[test]
fn stages_that_run_have_entries() {
    use draw::{state_gs as gs, state_urb_gs as urb};
    let runs = (&gs::PACKET, gs::ENABLE, 1);
    let entries = (&urb::PACKET, urb::GS_NUMBER_OF_URB_ENTRIES, 8);
    let place = (&urb::PACKET, urb::GS_URB_STARTING_ADDRESS, 8);
    found(Some("urb-entries"), &[runs]);
    found(None, &[runs, entries, place]);
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
        found(Some("urb-entries"), &of(number));
    }
}

#[test]
fn caches_and_threads_at_once_change_nothing() {
    use draw::{state_depth_buffer as depth, state_ps as ps, state_vs as vs};
    found(
        None,
        &[
            (&depth::PACKET, depth::MOCS, 0x7f),
            (&vs::PACKET, vs::MAXIMUM_NUMBER_OF_THREADS, 0),
            (&ps::PACKET, ps::MAXIMUM_NUMBER_OF_THREADS_PER_PSD, 0),
        ],
    );
}

#[test]
fn compressed_targets_have_their_hazards_avoided() {
    let mut commands = changed(&[]);
    let avoid = |value: u32| {
        let header = mi::mi_load_register_imm::PACKET.header;
        vec![header, register::CACHE_MODE_1, value]
    };
    let compressed = [
        (rss::TILE_MODE, 3),
        (rss::SURFACE_PITCH, 127),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
        (rss::AUXILIARY_SURFACE_MODE, 5),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x3000),
    ];
    commands.push(primitive(3));
    let with = |value: Option<u32>| {
        let before = value.map(avoid).into_iter().collect::<Vec<_>>();
        let all = [before, commands.clone()].concat();
        rule_of(&mut target(&compressed), &all)
    };
    let rule = Some("cache-mode");
    assert_eq!(with(None), rule);
    assert_eq!(with(Some(1 << 9)), rule, "without its mask");
    assert_ne!(with(Some(register::CACHE_MODE_1_MSC_RAW)), rule);
}
