use super::*;
use crate::stream::testing::{CHUNK_DW, HostChunks};
use crate::{ComputeKernel, Gen9, SETS, ScratchSpace};
use abi::{DriverValue, PushData};
use hw::media::{
    gpgpu_walker, media_curbe_load, media_interface_descriptor_load, media_vfe_state, pipe_control,
};

const MACHINE: DeviceInfo = DeviceInfo {
    device: &hw::DEVICES[0],
    max_threads: 168,
    dynamic_base: 0x1_0000_0000,
    bindless_base: 0x3_0000_0000,
    scrap_address: 0x7000_0040,
    has_barrier_mode: false,
    full_state: false,
};

type Tested = Recorder<Gen9, HostChunks>;

fn recorder() -> Tested {
    Recorder::new(HostChunks::default(), MACHINE)
}

fn push() -> PushData {
    PushData {
        constants_first_dw: 2,
        constants_dw: 3,
        driver: vec![
            DriverValue::SetHandle { set: 1 },
            DriverValue::DynamicHandle { index: 3 },
            DriverValue::SurfaceHeapAddress { dword: 1 },
        ],
        samplers: None,
        ranges: Vec::new(),
    }
}

fn kernel(push: &PushData) -> ComputeKernel<'_> {
    ComputeKernel {
        kernel_offset_bytes: 0x1040,
        simd_width: 16,
        invocations: 40,
        slm_bytes: 3000,
        barrier: true,
        scratch: ScratchSpace::default(),
        per_thread: true,
        push,
    }
}

fn launch(kernel: &ComputeKernel<'_>, descriptor: u32) -> PackedDispatch<Gen9> {
    PackedDispatch::new(kernel, descriptor).unwrap()
}

/// The commands so far: name and dwords.
fn commands(recorder: &Tested) -> Vec<(&'static str, Vec<u32>)> {
    let (stream, mut found) = (recorder.stream(), Vec::new());
    let memory = stream.memory();
    for (index, chunk) in memory.chunks.iter().enumerate() {
        let used = memory.used.get(index).copied();
        let words = &chunk[..used.unwrap_or(stream.commands_dw())];
        for command in hw::batch::commands(words, hw::Gen::Gen9) {
            let packet = command.packet.expect("a packet of the tables");
            assert_eq!(command.words.len(), command.length_dw, "{}", packet.name);
            found.push((packet.name, command.words.to_vec()));
        }
    }
    found
}

fn names(recorder: &Tested) -> Vec<&'static str> {
    let all = commands(recorder);
    all.into_iter().map(|(name, _)| name).collect()
}

fn named<'a>(all: &'a [(&str, Vec<u32>)], name: &str) -> Vec<&'a [u32]> {
    let found = all.iter().filter(|command| command.0 == name);
    found.map(|command| &command.1[..]).collect()
}

#[test]
fn unchanged_state_is_not_emitted_again() {
    let push = push();
    let mut recorder = recorder();
    recorder.bind(&launch(&kernel(&push), 0x80));
    assert!(recorder.dispatch([0; 3], [4, 5, 6]).unwrap());
    let first = names(&recorder);
    assert_eq!(
        first,
        [
            "PIPE_CONTROL",
            "MEDIA_VFE_STATE",
            "MEDIA_INTERFACE_DESCRIPTOR_LOAD",
            "MEDIA_CURBE_LOAD",
            "GPGPU_WALKER",
            "MEDIA_STATE_FLUSH"
        ]
    );
    for _ in 0..10 {
        recorder.bind(&launch(&kernel(&push), 0x80));
        assert!(recorder.dispatch([0; 3], [1, 1, 1]).unwrap());
        assert!(recorder.dispatch([0; 3], [1, 0, 1]).unwrap());
    }
    let again = names(&recorder);
    assert_eq!(again.len(), first.len() + 20);
    assert!(again[6..].chunks(2).all(|pair| pair == &first[4..]));
    let all = commands(&recorder);
    let walker = named(&all, "GPGPU_WALKER")[0];
    assert_eq!(gpgpu_walker::RIGHT_EXECUTION_MASK.get(walker), 0xff);
    assert_eq!(gpgpu_walker::THREAD_WIDTH_COUNTER_MAXIMUM.get(walker), 2);
    assert_eq!(gpgpu_walker::THREAD_GROUP_ID_X_DIMENSION.get(walker), 4);
    assert_eq!(gpgpu_walker::THREAD_GROUP_ID_Z_DIMENSION.get(walker), 6);
    let stall = named(&all, "PIPE_CONTROL")[0];
    assert_eq!(pipe_control::COMMAND_STREAMER_STALL_ENABLE.get(stall), 1);
}

/// The push data that was loaded last.
fn loaded(recorder: &Recorder<Gen9, HostChunks>) -> [u32; 8] {
    let all = commands(recorder);
    let loads = named(&all, "MEDIA_CURBE_LOAD");
    let load = loads.last().expect("a load");
    let at = MACHINE.dynamic_base + media_curbe_load::CURBE_DATA_START_ADDRESS.get(load);
    std::array::from_fn(|dw| recorder.stream().memory().word(at + dw as u64 * 4))
}

#[test]
fn push_data_has_the_layout_of_the_abi() {
    let push = push();
    let mut recorder = recorder();
    recorder.bind(&launch(&kernel(&push), 0x80));
    let bytes: Vec<u8> = (0..32u32)
        .flat_map(|dword| (100 + dword).to_le_bytes())
        .collect();
    assert!(recorder.push(0, &bytes));
    assert!(recorder.push(12, &7u32.to_le_bytes()));
    assert!(!recorder.push(4 * PUSH_CONSTANTS_DW as u32, &[0; 4]));
    assert!(!recorder.push(2, &[0; 4]));
    assert!(recorder.set_handle(1, 0x1000) && recorder.dynamic_handle(3, 0xd3));
    assert!(!recorder.set_handle(SETS, 1) && !recorder.dynamic_handle(16, 1));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    let all = commands(&recorder);
    let load = named(&all, "MEDIA_CURBE_LOAD")[0];
    let at = MACHINE.dynamic_base + media_curbe_load::CURBE_DATA_START_ADDRESS.get(load);
    let words: Vec<u32> = (0..32)
        .map(|dw| recorder.stream().memory().word(at + dw * 4))
        .collect();
    assert_eq!(words[..8], [102, 7, 104, 0x1000, 0xd3, 3, 0, 0]);
    assert_eq!((words[8], words[16], words[24]), (0, 1, 2));
    assert!(words[9..16].iter().all(|&word| word == 0));
    // One shared register, and one for each of three threads.
    assert_eq!(media_curbe_load::CURBE_TOTAL_DATA_LENGTH.get(load), 4 * 32);
    // Only changed push data is loaded again.
    assert!(recorder.set_handle(1, 0x1000));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    assert_eq!(named(&commands(&recorder), "MEDIA_CURBE_LOAD").len(), 1);
    assert!(recorder.push(12, &8u32.to_le_bytes()));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    assert_eq!(named(&commands(&recorder), "MEDIA_CURBE_LOAD").len(), 2);
    assert_eq!(loaded(&recorder), [102, 8, 104, 0x1000, 0xd3, 3, 0, 0]);
    // Inside, across the end, before the pushed range, and a driver value between.
    for (at, value) in [(8, 9), (16, 10), (4, 11), (12, 12)] {
        assert!(recorder.push(at, &[value, 13].map(u32::to_le_bytes).concat()));
        assert!(recorder.set_handle(1, 0x1000 * (1 + value)));
        assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    }
    assert_eq!(loaded(&recorder), [13, 12, 13, 0xd000, 0xd3, 3, 0, 0]);
}

#[test]
fn vfe_state_grows_when_a_dispatch_needs_more() {
    let (small, large) = (PushData::default(), push());
    let wants = |push, thread_bytes| ComputeKernel {
        invocations: 256,
        scratch: ScratchSpace {
            address: u64::from(thread_bytes) << 10,
            thread_bytes,
        },
        ..kernel(push)
    };
    let mut recorder = recorder();
    let mut go = |kernel: &ComputeKernel<'_>, descriptor| {
        recorder.bind(&launch(kernel, descriptor));
        assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
        let all = commands(&recorder);
        let states = named(&all, "MEDIA_VFE_STATE");
        let last = states[states.len() - 1];
        let descriptors = named(&all, "MEDIA_INTERFACE_DESCRIPTOR_LOAD").len();
        let curbe = media_vfe_state::CURBE_ALLOCATION_SIZE.get(last);
        let scratch = media_vfe_state::PER_THREAD_SCRATCH_SPACE.get(last);
        (states.len(), descriptors, curbe, scratch)
    };
    let plain = ComputeKernel {
        per_thread: false,
        ..kernel(&small)
    };
    assert_eq!(go(&plain, 0x40), (1, 1, 16, 0));
    assert_eq!(go(&wants(&large, 0), 0x80), (2, 2, 18, 0));
    assert_eq!(go(&plain, 0x40), (2, 3, 18, 0));
    assert_eq!(go(&wants(&large, 4096), 0xc0), (3, 4, 18, 2));
    assert_eq!(go(&wants(&large, 2048), 0x100), (3, 5, 18, 2));
    assert_eq!(go(&plain, 0x40), (3, 6, 18, 2));
}

#[test]
fn barriers_stall_once_and_only_if_there_is_work() {
    let push = PushData::default();
    let mut recorder = recorder();
    recorder.bind(&launch(&kernel(&push), 0x40));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    let before = named(&commands(&recorder), "PIPE_CONTROL").len();
    for _ in 0..5 {
        recorder.barrier(PendingFlushes::STALL);
        recorder.barrier(PendingFlushes::FLUSH_DATA);
    }
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    let all = commands(&recorder);
    let controls = named(&all, "PIPE_CONTROL");
    assert_eq!(controls.len(), before + 1);
    assert_eq!(pipe_control::DC_FLUSH_ENABLE.get(controls[before]), 1);
    assert_eq!(pipe_control::POST_SYNC_OPERATION.get(controls[before]), 0);
    // An invalidation has its own PIPE_CONTROL, after the flush.
    recorder.barrier(PendingFlushes::ALL);
    recorder.emit_pending_non_vertex_flushes().unwrap();
    recorder.barrier(PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA));
    recorder.emit_pending_non_vertex_flushes().unwrap();
    let all = commands(&recorder);
    let controls = named(&all, "PIPE_CONTROL");
    assert_eq!(controls.len(), before + 3);
    let (first, second) = (controls[before + 1], controls[before + 2]);
    assert_eq!(pipe_control::POST_SYNC_OPERATION.get(first), 1);
    assert_eq!(pipe_control::ADDRESS.get(first), MACHINE.scrap_address);
    for invalidation in [
        pipe_control::TEXTURE_CACHE_INVALIDATION_ENABLE,
        pipe_control::CONSTANT_CACHE_INVALIDATION_ENABLE,
    ] {
        assert_eq!((invalidation.get(first), invalidation.get(second)), (0, 1));
    }
    assert_eq!(pipe_control::COMMAND_STREAMER_STALL_ENABLE.get(second), 1);
}

#[test]
fn a_hundred_dispatches_stall_once() {
    let push = push();
    let mut recorder = Recorder::<Gen9, _>::new(HostChunks::default(), MACHINE);
    recorder.bind(&launch(&kernel(&push), 0x40));
    for round in 0..100u32 {
        assert!(recorder.push(8, &round.to_le_bytes()));
        assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    }
    recorder.end().unwrap();
    let all = commands(&recorder);
    assert_eq!(named(&all, "GPGPU_WALKER").len(), 100);
    assert_eq!(named(&all, "PIPE_CONTROL").len(), 1);
    assert_eq!(named(&all, "MEDIA_VFE_STATE").len(), 1);
    assert_eq!(named(&all, "MEDIA_INTERFACE_DESCRIPTOR_LOAD").len(), 1);
}

#[test]
fn internal_dispatches_restore_the_bindings() {
    let push = push();
    let mut recorder = recorder();
    recorder.bind(&launch(&kernel(&push), 0x40));
    assert!(recorder.set_handle(1, 0x1000));
    let own = PushData {
        constants_first_dw: 0,
        constants_dw: 2,
        driver: vec![DriverValue::DynamicHandle { index: 0 }],
        samplers: None,
        ranges: Vec::new(),
    };
    let internal = launch(&kernel(&own), 0x80);
    recorder
        .dispatch_internal(&internal, &[0xabc], &[5, 6], [9, 1, 1])
        .unwrap();
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    let all = commands(&recorder);
    let loads = named(&all, "MEDIA_CURBE_LOAD");
    let block = |index: usize| -> Vec<u32> {
        let at =
            MACHINE.dynamic_base + media_curbe_load::CURBE_DATA_START_ADDRESS.get(loads[index]);
        (0..8)
            .map(|dw| recorder.stream().memory().word(at + dw * 4))
            .collect()
    };
    assert_eq!(block(0), [5, 6, 0xabc, 0, 0, 0, 0, 0]);
    assert_eq!(block(1), [0, 0, 0, 0x1000, 0, 3, 0, 0]);
    let descriptors: Vec<u64> = named(&all, "MEDIA_INTERFACE_DESCRIPTOR_LOAD")
        .iter()
        .map(|words| {
            media_interface_descriptor_load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS.get(words)
        })
        .collect();
    assert_eq!(descriptors, [0x80, 0x40]);
}

#[test]
fn workgroup_counts_and_base_are_pushed_if_used() {
    let push = PushData {
        driver: vec![
            DriverValue::NumWorkgroupsAddress { dword: 0 },
            DriverValue::NumWorkgroupsAddress { dword: 1 },
            DriverValue::BaseWorkgroupId { component: 2 },
        ],
        samplers: None,
        ranges: Vec::new(),
        ..PushData::default()
    };
    let mut recorder = recorder();
    recorder.bind(&launch(&kernel(&push), 0x40));
    assert!(recorder.dispatch([1, 2, 3], [7, 8, 9]).unwrap());
    assert!(recorder.dispatch([1, 2, 3], [7, 8, 9]).unwrap());
    assert!(recorder.dispatch([1, 2, 4], [7, 8, 9]).unwrap());
    assert!(recorder.dispatch_indirect(0x5_0000_0010).unwrap());
    let all = commands(&recorder);
    let loads = named(&all, "MEDIA_CURBE_LOAD");
    assert_eq!(loads.len(), 3);
    let memory = recorder.stream().memory();
    let block = |index: usize| -> [u32; 3] {
        let at =
            MACHINE.dynamic_base + media_curbe_load::CURBE_DATA_START_ADDRESS.get(loads[index]);
        [0, 4, 8].map(|byte| memory.word(at + byte))
    };
    let [low, high, z] = block(0);
    let counts = u64::from(high) << 32 | u64::from(low);
    assert_eq!([0, 4, 8].map(|byte| memory.word(counts + byte)), [7, 8, 9]);
    assert_eq!((z, block(1)[2]), (3, 4));
    assert_eq!(block(2), [0x10, 5, 0]);
    let walkers = named(&all, "GPGPU_WALKER");
    let indirect = |words: &[u32]| gpgpu_walker::INDIRECT_PARAMETER_ENABLE.get(words);
    assert_eq!((indirect(walkers[2]), indirect(walkers[3])), (0, 1));
    assert_eq!(named(&all, "MI_LOAD_REGISTER_MEM").len(), 3);
}

#[test]
fn an_executed_secondary_is_copied_and_unbinds_everything() {
    let push = push();
    let mut second = recorder();
    second.bind(&launch(&kernel(&push), 0x40));
    for round in 0..10u32 {
        assert!(second.push(8, &round.to_le_bytes()));
        assert!(second.dispatch([0; 3], [1; 3]).unwrap());
    }
    second.emit_pending_non_vertex_flushes().unwrap();
    let mut first = recorder();
    first.bind(&launch(&kernel(&push), 0x80));
    assert!(first.dispatch([0; 3], [1; 3]).unwrap());
    let before = commands(&first).len();
    let (memory, last) = (second.stream().memory(), second.stream().commands_dw());
    assert!(!memory.used.is_empty() && last < CHUNK_DW);
    let used = memory.used.iter().copied().chain([last]);
    let chunks = memory
        .chunks
        .iter()
        .zip(used)
        .map(|(chunk, used)| &chunk[..used]);
    first.execute_secondary(second.end_state(), chunks).unwrap();
    assert_eq!(commands(&first)[before..], commands(&second)[..]);
    assert!(!first.dispatch([0; 3], [1; 3]).unwrap());
    // MEDIA_VFE_STATE is as the secondary left it; the descriptor must be loaded again.
    first.bind(&launch(&kernel(&push), 0x80));
    let before = names(&first).len();
    assert!(first.dispatch([0; 3], [1; 3]).unwrap());
    assert_eq!(names(&first)[before], "MEDIA_INTERFACE_DESCRIPTOR_LOAD");
}

#[test]
fn shaders_over_the_push_data_limits_are_refused() {
    let too_far = PushData {
        constants_first_dw: PUSH_CONSTANTS_DW as u32 - 12,
        constants_dw: 13,
        ..PushData::default()
    };
    assert!(PackedDispatch::<Gen9>::new(&kernel(&too_far), 0).is_none());
    let no_such_set = PushData {
        driver: vec![DriverValue::SetHandle { set: SETS as u32 }],
        samplers: None,
        ranges: Vec::new(),
        ..PushData::default()
    };
    assert!(PackedDispatch::<Gen9>::new(&kernel(&no_such_set), 0).is_none());
}

/// Registers that a context's first batch writes: the device's L3 configuration, GLK's barrier
/// mode, and CACHE_MODE_1.
#[test]
fn a_context_sets_up_the_devices_registers() {
    use hw::mi::mi_load_register_imm as lri;
    let registers = |name: &str| -> Vec<(u64, u64)> {
        let device = hw::Device::by_name(name).unwrap();
        let mut r = recorder();
        let heaps = crate::HeapBases {
            general: 0,
            surface: 0,
            dynamic: MACHINE.dynamic_base,
            instruction: 0,
            bindless: MACHINE.bindless_base,
            bindless_surfaces: 0,
        };
        r.context(device, &heaps).unwrap();
        let all = commands(&r);
        let loads = named(&all, "MI_LOAD_REGISTER_IMM");
        let load = |words: &&[u32]| (lri::REGISTER_OFFSET.get(words), lri::DATA_DWORD.get(words));
        loads.iter().map(load).collect()
    };
    let division = |urb: u64, all: u64| (0x7034, urb << 1 | all << 25);
    // CACHE_MODE_1: bits 1, 4 and 9, with their masks.
    let colours = (0x7004, 0x0212_0212);
    assert_eq!(registers("skl"), [division(48, 48), colours]);
    assert_eq!(registers("bxt-5a85"), [division(32, 48), colours]);
    assert_eq!(
        registers("glk"),
        [(0x731c, 1 << 23), division(48, 48), colours]
    );
}

#[test]
fn descriptor_values_are_handle_plus_offset() {
    let set = |more| DriverValue::SetDescriptor { set: 1, more };
    let mut push = PushData {
        driver: vec![DriverValue::SetHandle { set: 1 }, set(0x1002), set(0x4c)],
        ..PushData::default()
    };
    push.driver.extend([DriverValue::Nothing; 2]);
    push.driver
        .push(DriverValue::DynamicDescriptor { index: 0, more: 5 });
    let mut recorder = recorder();
    assert!(recorder.set_handle(1, 0x7000_0000) && recorder.dynamic_handle(0, 0x3000));
    recorder.bind(&launch(&kernel(&push), 0x40));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    let all = commands(&recorder);
    let load = named(&all, "MEDIA_CURBE_LOAD")[0];
    let at = MACHINE.dynamic_base + media_curbe_load::CURBE_DATA_START_ADDRESS.get(load);
    let memory = recorder.stream().memory();
    let words = [0, 4, 8, 12, 16, 20].map(|byte| memory.word(at + byte));
    assert_eq!(words, [0x7000_0000, 0x7000_1002, 0x7000_004c, 0, 0, 0x3005]);
    // Independent of their order.
    push.driver.rotate_right(1);
    push.driver.extend([DriverValue::SetHandle { set: 1 }; 3]);
    recorder.bind(&launch(&kernel(&push), 0x80));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
    let all = commands(&recorder);
    let load = named(&all, "MEDIA_CURBE_LOAD")[1];
    let at = MACHINE.dynamic_base + media_curbe_load::CURBE_DATA_START_ADDRESS.get(load);
    let memory = recorder.stream().memory();
    let words = [0, 4, 8, 12, 16, 20, 24].map(|byte| memory.word(at + byte));
    let set = 0x7000_0000;
    assert_eq!(words, [0x3005, set, set + 0x1002, set + 0x4c, 0, 0, set]);
}

/// Values of L3CNTLREG in the order of their writes.
fn l3_configs(recorder: &Tested) -> Vec<u64> {
    use hw::mi::mi_load_register_imm as lri;
    let all = commands(recorder);
    let loads = named(&all, "MI_LOAD_REGISTER_IMM").into_iter();
    let l3 = loads.filter(|words| lri::REGISTER_OFFSET.get(words) == 0x7034);
    l3.map(|words| lri::DATA_DWORD.get(words)).collect()
}

const WITHOUT_SLM: u64 = 0x6000_0060;
const WITH_SLM: u64 = 0x6000_0021;

/// Dispatches a shader with or without SLM.
fn dispatch(recorder: &mut Tested, with_slm: bool) {
    let push = push();
    let shared = ComputeKernel {
        slm_bytes: if with_slm { 1 } else { 0 },
        ..kernel(&push)
    };
    recorder.bind(&launch(&shared, if with_slm { 0x40 } else { 0x80 }));
    assert!(recorder.dispatch([0; 3], [1; 3]).unwrap());
}

#[test]
fn the_l3_is_not_divided_within_batches_that_need_one_partition() {
    use L3Partition::{WithSlm, WithoutSlm};
    let mut dispatches = recorder();
    for with_slm in [false, true, false, true, false] {
        dispatch(&mut dispatches, with_slm);
    }
    dispatches.end().unwrap();
    assert_eq!(l3_configs(&dispatches), []);
    let needs = |partition| L3Use {
        first: partition,
        last: partition,
    };
    assert_eq!(dispatches.end_state().l3(), needs(Some(WithSlm)));
    let mut plain = recorder();
    dispatch(&mut plain, false);
    plain.end().unwrap();
    assert_eq!(plain.end_state().l3(), needs(None));
    let mut draws = recorder();
    draws.select_3d().unwrap();
    dispatch(&mut draws, false);
    draws.select_3d().unwrap();
    draws.end().unwrap();
    assert_eq!(l3_configs(&draws), []);
    assert_eq!(draws.end_state().l3(), needs(Some(WithoutSlm)));
    // Nothing is left of a batch before.
    draws.restart();
    assert_eq!(draws.end_state().l3(), needs(None));
}

#[test]
fn the_l3_is_divided_anew_between_draws_and_shared_memory() {
    let mut recorder = recorder();
    recorder.select_3d().unwrap();
    for with_slm in [true, false, true] {
        dispatch(&mut recorder, with_slm);
    }
    assert_eq!(l3_configs(&recorder), [WITH_SLM]);
    recorder.select_3d().unwrap();
    dispatch(&mut recorder, false);
    assert_eq!(l3_configs(&recorder), [WITH_SLM, WITHOUT_SLM]);
    // Between dispatches, the change drains the GPU itself.
    let before = commands(&recorder).len();
    dispatch(&mut recorder, true);
    assert_eq!(l3_configs(&recorder), [WITH_SLM, WITHOUT_SLM, WITH_SLM]);
    let all = commands(&recorder);
    let names: Vec<_> = all[before..].iter().map(|(name, _)| *name).collect();
    let expected = [
        "PIPE_CONTROL",
        "PIPE_CONTROL",
        "PIPE_CONTROL",
        "MI_LOAD_REGISTER_IMM",
        // The division of the URB, and the constants in it, are emitted again.
        "MEDIA_VFE_STATE",
        "MEDIA_INTERFACE_DESCRIPTOR_LOAD",
        "MEDIA_CURBE_LOAD",
        "GPGPU_WALKER",
        "MEDIA_STATE_FLUSH",
    ];
    assert_eq!(names, expected);
    use pipe_control as f;
    let flags = |index: usize| {
        let words = &all[before + index].1;
        let invalidates = [
            f::TEXTURE_CACHE_INVALIDATION_ENABLE,
            f::CONSTANT_CACHE_INVALIDATION_ENABLE,
            f::STATE_CACHE_INVALIDATION_ENABLE,
            f::INSTRUCTION_CACHE_INVALIDATE_ENABLE,
        ];
        let invalidates: u64 = invalidates.iter().map(|flag| flag.get(words)).sum();
        let stalls = f::COMMAND_STREAMER_STALL_ENABLE.get(words);
        (f::DC_FLUSH_ENABLE.get(words), invalidates, stalls)
    };
    assert_eq!([0, 1, 2].map(flags), [(1, 0, 1), (0, 4, 1), (1, 0, 1)]);
}

#[test]
fn the_l3_is_divided_before_a_secondary_that_needs_it() {
    let execute = |primary: &mut Tested, secondary: &Tested| {
        let (stream, memory) = (secondary.stream(), secondary.stream().memory());
        let used = memory.used.iter().copied().chain([stream.commands_dw()]);
        let chunks = memory.chunks.iter().zip(used);
        let chunks = chunks.map(|(chunk, used)| &chunk[..used]);
        let left = secondary.end_state();
        primary.execute_secondary(left, chunks).unwrap();
    };
    let mut shared = recorder();
    dispatch(&mut shared, true);
    shared.end_secondary().unwrap();
    // The primary needs what its secondary needs first.
    let mut primary = recorder();
    execute(&mut primary, &shared);
    dispatch(&mut primary, true);
    assert_eq!(l3_configs(&primary), []);
    assert_eq!(primary.end_state().l3(), shared.end_state().l3());
    // Draws before and after.
    let mut primary = recorder();
    primary.select_3d().unwrap();
    execute(&mut primary, &shared);
    execute(&mut primary, &shared);
    assert_eq!(l3_configs(&primary), [WITH_SLM]);
    primary.select_3d().unwrap();
    assert_eq!(l3_configs(&primary), [WITH_SLM, WITHOUT_SLM]);
    // A secondary within a rendering consists of draws.
    let mut inherits = recorder();
    inherits.inherit_targets(&RenderTargets {
        colours: [None; 8],
        records: [None; 8],
        null: [0; 16],
        depth_stencil: Default::default(),
        area: Default::default(),
        dithered: false,
        inherited: true,
    });
    dispatch(&mut inherits, true);
    assert_eq!(l3_configs(&inherits), [WITH_SLM]);
}

#[test]
fn markers_wait_for_earlier_work_unless_they_are_early() {
    let push = push();
    let mut recorder = recorder();
    recorder.bind(&launch(&kernel(&push), 0x80));
    assert!(recorder.dispatch([0; 3], [1, 1, 1]).unwrap());
    let before = names(&recorder).len();
    recorder.write_marker(0x1000, 5, true).unwrap();
    recorder.write_marker(0x1004, 6, false).unwrap();
    let all = commands(&recorder);
    let found: Vec<_> = all[before..].iter().map(|command| command.0).collect();
    assert_eq!(
        found,
        ["MI_STORE_DATA_IMM", "PIPE_CONTROL", "MI_STORE_DATA_IMM"]
    );
    let stall = named(&all[before..], "PIPE_CONTROL")[0];
    assert_eq!(pipe_control::COMMAND_STREAMER_STALL_ENABLE.get(stall), 1);
}
