//! Each rule of strict mode: a batch that breaks it is rejected, and a minimally different legal
//! one passes.

mod compression;
mod draws;
mod driver_omissions;

use crate::options::Options;
use crate::rules::RULES;
use crate::testing::{
    BYTES as CODE_BYTES, CODE, DATA, DESCRIPTOR, Rig, SCRATCH_BYTES, STATE, TEXELS,
    clear_notification, divided, invalidate, send, to, ud, walk_batch,
};
use eu::StopReason;
use hw::state::{interface_descriptor_data as idd, render_surface_state as rss};
use hw::{Field, Packet, media, mi, register};
use isa::{ArfReg, Desc, Dst, Inst, Opcode, Src, Type};

fn rig() -> Rig {
    rig_with(false)
}

fn rig_with(lenient: bool) -> Rig {
    let mut rig = Rig::new(Options {
        strict: true,
        lenient,
        ..Options::default()
    });
    let nothing = Inst::unary(Opcode::Mov, 8, to(5), ud(1));
    rig.load_kernel(&[nothing], 2);
    rig
}

/// The commands of a legal batch of two threads, without its end.
fn sound() -> Vec<Vec<u32>> {
    let batch = walk_batch(1, 2);
    let commands = hw::batch::commands(&batch, hw::Gen::Gen9);
    let mut commands: Vec<Vec<u32>> = commands.map(|c| c.words.to_vec()).collect();
    commands.pop();
    commands
}

fn join(commands: &[Vec<u32>]) -> Vec<u32> {
    let mut batch = commands.concat();
    batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
    batch
}

/// The legal batch with one command changed.
fn with(packet: &Packet, field: Field, value: u64) -> Vec<u32> {
    changed(packet, |words| field.set(words, value))
}

fn changed(packet: &Packet, change: impl Fn(&mut Vec<u32>)) -> Vec<u32> {
    let mut commands = sound();
    let found = commands.iter_mut().find(|c| packet.matches(c[0]));
    change(found.expect("in the batch"));
    join(&commands)
}

/// The legal batch, followed by more commands.
fn then(more: &[Vec<u32>]) -> Vec<u32> {
    join(&[sound(), more.to_vec()].concat())
}

fn command(packet: &Packet) -> Vec<u32> {
    let commands = sound();
    let found = commands.into_iter().find(|c| packet.matches(c[0]));
    found.expect("in the batch")
}

fn pipe_control(fields: &[(Field, u64)]) -> Vec<u32> {
    let mut words = media::pipe_control::PACKET.words::<6>().dwords;
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words.to_vec()
}

/// A stalling flush.
fn flush() -> Vec<u32> {
    use media::pipe_control as f;
    pipe_control(&[
        (f::COMMAND_STREAMER_STALL_ENABLE, 1),
        (f::DC_FLUSH_ENABLE, 1),
    ])
}

fn draw() -> Vec<u32> {
    use media::pipeline_select as f;
    let select = f::PACKET.words::<1>().with(f::MASK_BITS, 3);
    select.dwords.to_vec()
}

#[track_caller]
fn broken(rule: &str, batch: &[u32]) {
    broken_by(rule, &mut rig(), batch);
}

#[track_caller]
fn broken_by(name: &str, rig: &mut Rig, batch: &[u32]) {
    match rig.execute(batch) {
        Err(StopReason::Undefined { rule, .. }) if rule == name => {}
        other => panic!("{name}: {other:?}"),
    }
    assert!(RULES.iter().any(|rule| rule.name == name), "{name}");
}

#[track_caller]
fn assert_accepted(batch: &[u32]) {
    let result = rig().execute(batch);
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn rule_names_are_unique() {
    for (i, rule) in RULES.iter().enumerate() {
        assert!(RULES[..i].iter().all(|other| other.name != rule.name));
        assert!(rule.prm.starts_with("SKL PRM vol. ") && !rule.help.is_empty());
    }
    assert_accepted(&then(&[]));
}

#[test]
fn command_length_and_reserved_bits() {
    let select = &media::pipeline_select::PACKET;
    broken(
        "reserved-bits",
        &changed(select, |words| words[0] |= 1 << 2),
    );
    let vfe = &media::media_vfe_state::PACKET;
    broken("reserved-bits", &changed(vfe, |words| words[3] |= 1));
    let short = changed(vfe, |words| {
        words[0] -= 1;
        words.pop();
    });
    broken("command-length", &short);
    use mi::mi_store_data_imm as store;
    let stored = |address, qword| {
        let words = store::PACKET
            .words::<4>()
            .with(store::ADDRESS, address)
            .flag(store::STORE_QWORD, qword);
        words.dwords.to_vec()
    };
    let longer = |mut words: Vec<u32>| {
        words[0] += 1;
        words.push(0);
        join(&[words])
    };
    broken("store-alignment", &longer(stored(DATA + 4, true)));
    assert_accepted(&longer(stored(DATA + 8, true)));
    broken("store-length", &join(&[stored(DATA + 8, true)]));
    let longest = |dwords: u32| {
        let mut words = stored(DATA + 8, true);
        words[0] += dwords - 1;
        words.resize(3 + dwords as usize, 0);
        join(&[words])
    };
    broken("store-length", &longest(5));
    assert_accepted(&longest(8));
    assert_accepted(&join(&[stored(DATA + 4, false)]));
}

#[test]
fn pipeline_select_needs_flushes() {
    let invalidate = invalidate().dwords.to_vec();
    broken("pipeline-select-flush", &then(&[draw()]));
    broken(
        "pipeline-select-flush",
        &then(&[invalidate.clone(), draw()]),
    );
    broken("pipeline-select-invalidate", &then(&[flush(), draw()]));
    let front_end = command(&media::media_vfe_state::PACKET);
    let without_front_end = then(&[flush(), invalidate.clone(), draw()]);
    broken("vfe-before-3d", &without_front_end);
    assert_accepted(&then(&[flush(), front_end, invalidate, draw()]));
    // Nothing changes.
    assert_accepted(&then(&[command(&media::pipeline_select::PACKET)]));
    let mut commands = sound();
    commands[0] = draw();
    broken("walker-pipeline", &join(&commands));
}

#[test]
fn state_base_address_needs_flushes() {
    let bases = command(&media::state_base_address::PACKET);
    broken("base-address-flush", &then(std::slice::from_ref(&bases)));
    assert_accepted(&then(&[flush(), bases.clone()]));
    let mut commands = sound();
    commands.retain(|c| !media::pipe_control::PACKET.matches(c[0]));
    // The kernel has invalidated all caches before the batch, so they hold nothing of the addresses
    // before.
    assert_accepted(&join(&commands));
    // After work they do, whichever address it is that changes.
    use media::state_base_address as f;
    for address in [
        f::SURFACE_STATE_BASE_ADDRESS,
        f::DYNAMIC_STATE_BASE_ADDRESS,
        f::INSTRUCTION_BASE_ADDRESS,
    ] {
        let mut other = bases.clone();
        address.set(&mut other, address.get(&bases) + 0x1000);
        let walker = command(&media::gpgpu_walker::PACKET);
        broken("base-address-invalidate", &then(&[flush(), other, walker]));
    }
    // The same addresses as before need nothing.
    let walker = command(&media::gpgpu_walker::PACKET);
    assert_accepted(&then(&[flush(), bases, walker]));
}

#[test]
fn work_needs_base_addresses_set_in_its_context() {
    use media::state_base_address as f;
    for (modify, address) in [
        (
            f::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::GENERAL_STATE_BASE_ADDRESS,
        ),
        (
            f::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::SURFACE_STATE_BASE_ADDRESS,
        ),
        (
            f::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::DYNAMIC_STATE_BASE_ADDRESS,
        ),
    ] {
        let without = changed(&f::PACKET, |words| {
            modify.set(words, 0);
            address.set(words, 0);
        });
        broken("base-address-given", &without);
        // An earlier batch of the context has given it.
        let mut rig = rig();
        assert!(rig.execute(&then(&[])).is_ok());
        let ended = rig.execute(&without);
        assert!(ended.is_ok(), "{}: {ended:?}", address.name);
    }
}

#[test]
fn state_must_be_inside_its_heap() {
    use media::state_base_address as f;
    let heaps = |dynamic, code| {
        changed(&f::PACKET, |words| {
            f::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE.set(words, 1);
            f::DYNAMIC_STATE_BUFFER_SIZE.set(words, dynamic);
            f::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE.set(words, 1);
            f::INSTRUCTION_BUFFER_SIZE.set(words, code);
        })
    };
    broken("heap-bounds", &heaps(0, 1));
    broken("heap-bounds", &heaps(1, 0));
    assert_accepted(&heaps(1, 1));
}

#[test]
fn l3_configuration_changes_need_a_drained_pipeline() {
    use media::pipe_control as f;
    let divide = command(&mi::mi_load_register_imm::PACKET);
    let invalidate = invalidate().dwords.to_vec();
    let stall = pipe_control(&[(f::COMMAND_STREAMER_STALL_ENABLE, 1)]);
    let drained = [flush(), invalidate.clone(), stall.clone(), divide.clone()];
    assert_accepted(&then(&drained));
    broken("l3-drained", &then(std::slice::from_ref(&divide)));
    let unflushed = [std::slice::from_ref(&stall), &drained[1..]].concat();
    broken("l3-drained", &then(&unflushed));
    broken("l3-invalidated", &then(&[flush(), divide.clone()]));
    broken(
        "l3-invalidated",
        &then(&[flush(), invalidate.clone(), divide.clone()]),
    );
    // Work may refill a cache that is invalidated before it stalls.
    let early = [invalidate.clone(), flush(), divide.clone()];
    broken("l3-invalidated", &then(&early));
    for cache in [
        f::TEXTURE_CACHE_INVALIDATION_ENABLE,
        f::CONSTANT_CACHE_INVALIDATION_ENABLE,
        f::STATE_CACHE_INVALIDATION_ENABLE,
        f::INSTRUCTION_CACHE_INVALIDATE_ENABLE,
    ] {
        let mut without = drained.clone();
        cache.set(&mut without[1], 0);
        broken("l3-invalidated", &then(&without));
    }
    // The order of several registers in a command is free.
    let pair = [register::CS_GPR0, 0];
    let registers = [&divide[..1], &pair, &divide[1..]].concat();
    let registers = [&[registers[0] + 2], &registers[1..]].concat();
    broken("l3-drained", &then(std::slice::from_ref(&registers)));
    let rest = [flush(), invalidate, stall, registers];
    assert_accepted(&then(&rest));
    let device = hw::Device::by_name("skl").expect("a device");
    let without = device.l3_configs()[0];
    let with = |value: u32| changed(&mi::mi_load_register_imm::PACKET, |words| words[2] = value);
    broken("slm-l3", &with(without.register_value()));
    // Intel's compute driver sets the credit and error-reporting fields.
    let shared = divided();
    let more = register::L3CNTLREG_GPGPU_CREDITS | register::L3CNTLREG_ERROR_DETECTION;
    assert_accepted(&with(shared | more));
    // Nothing for data, and nothing at all.
    broken("l3-division", &with(register::L3CNTLREG_SLM_ENABLE));
    broken("l3-division", &with(0));
    let mut elsewhere = divide;
    elsewhere[1] = register::CS_GPR0;
    assert_accepted(&then(&[elsewhere]));
}

/// MEDIA_CURBE_LOAD writes the URB, which lies in the L3.
#[test]
fn constants_are_loaded_after_the_l3_configuration() {
    let [walker, curbe, divide] = [
        &media::gpgpu_walker::PACKET,
        &media::media_curbe_load::PACKET,
        &mi::mi_load_register_imm::PACKET,
    ]
    .map(command);
    let stall = pipe_control(&[(media::pipe_control::COMMAND_STREAMER_STALL_ENABLE, 1)]);
    let change = [flush(), invalidate().dwords.to_vec(), stall, divide];
    let after = |more: &[Vec<u32>]| then(&[&change, more].concat());
    broken("l3-curbe", &after(std::slice::from_ref(&walker)));
    broken("l3-curbe", &after(&[walker.clone(), curbe.clone()]));
    let lenient = rig_with(true).execute(&after(std::slice::from_ref(&walker)));
    assert!(lenient.is_ok(), "{lenient:?}");
    assert_accepted(&after(&[curbe, walker]));
}

#[test]
fn pipe_control_rules() {
    use media::pipe_control as f;
    let stall = (f::COMMAND_STREAMER_STALL_ENABLE, 1);
    // A stall may come alone: vol. 2a asks for another bit beside it before Skylake only ("Project:
    // PRE-SKL, VLV, CHV"), and iris and Intel's OpenCL driver set none.
    assert_accepted(&join(&[pipe_control(&[stall])]));
    let texture = (f::TEXTURE_CACHE_INVALIDATION_ENABLE, 1);
    broken("pipe-control-texture", &then(&[pipe_control(&[texture])]));
    assert_accepted(&then(&[pipe_control(&[texture, stall])]));
    assert_accepted(&then(&[flush(), pipe_control(&[texture])]));
    // Without a stall of its own: none runs, and another comes before the next walker.
    let walker = command(&media::gpgpu_walker::PACKET);
    let after = |more: &[Vec<u32>]| then(&[more, std::slice::from_ref(&walker)].concat());
    let loose = [flush(), pipe_control(&[texture])];
    broken("pipe-control-texture", &after(&loose));
    assert_accepted(&after(&[&loose[..], &[flush()]].concat()));
    assert_accepted(&after(&[flush(), pipe_control(&[texture, stall])]));
    let vertices = (f::VF_CACHE_INVALIDATION_ENABLE, 1);
    let write = |address| [(f::POST_SYNC_OPERATION, 1), (f::ADDRESS, address)];
    let alone = [pipe_control(&[]), pipe_control(&[vertices])];
    broken("pipe-control-vf", &join(&alone));
    let [operation, place] = write(DATA);
    let invalid = [
        pipe_control(&[]),
        pipe_control(&[vertices, operation, place, stall]),
    ];
    assert_accepted(&join(&invalid));
    let stalled = |address| join(&[pipe_control(&[&write(address)[..], &[stall]].concat())]);
    broken("post-sync-alignment", &stalled(DATA + 4));
    assert_accepted(&stalled(DATA + 8));
    // The batch selects the GPGPU pipeline.
    let alone = then(&[pipe_control(&write(DATA + 8))]);
    broken("pipe-control-post-sync", &alone);
    // Mesa's drivers break the rule.
    let result = rig_with(true).execute(&alone);
    assert!(result.is_ok(), "{result:?}");
}

fn load(register: u32) -> Vec<u32> {
    vec![mi::mi_load_register_imm::PACKET.header, register, 0]
}

#[test]
fn unmodelled_register_bits_are_rejected() {
    let loaded = |register: u32, value: u32| {
        let words = vec![mi::mi_load_register_imm::PACKET.header, register, value];
        rig().execute(&join(&[words]))
    };
    // INSTPM and CS_DEBUG_MODE2 have masks; PERFCNT1 has none.
    for (register, value, taken) in [
        (0x20c0, 1 << 6 | 1 << 22, false),
        (0x20c0, 1 << 6, true),
        (register::CS_DEBUG_MODE2, 1 << 4 | 1 << 20, true),
        (register::CS_DEBUG_MODE2, 1 << 5 | 1 << 21, false),
        (0x91b8, 1, false),
        (0x91b8, 0, true),
    ] {
        let result = loaded(register, value);
        let refused = matches!(result, Err(StopReason::Unimplemented { .. }));
        assert_eq!(refused, !taken, "{register:#x}: {result:?}");
    }
}

#[test]
fn privileged_register_writes_are_refused() {
    // RING_TAIL and RING_CTL, a count that is a sum, one beyond each of two lists, one that display
    // has, one that the kernel opens on another part.
    for register in [0x2030, 0x203c, 0x2350, 0x2680, 0x5290, 0x4_5000, 0x731c] {
        broken("privileged-register", &join(&[load(register)]));
    }
    // Also as the second of two, from memory, and from another register.
    let [mut two, second] = [load(register::CS_GPR0), load(0x2030)];
    two[0] += 2;
    two.extend(&second[1..]);
    broken("privileged-register", &join(&[two]));
    use mi::{mi_load_register_mem as memory, mi_load_register_reg as other};
    for (to, broke) in [(0x2030, true), (register::CS_GPR0, false)] {
        let memory = memory::PACKET.words::<4>();
        let memory = memory.with(memory::REGISTER_ADDRESS, to.into());
        let memory = memory.with(memory::MEMORY_ADDRESS, DATA).dwords.to_vec();
        let other = other::PACKET.words::<3>();
        let other = other.with(other::DESTINATION_REGISTER_ADDRESS, to.into());
        for command in [memory, other.dwords.to_vec()] {
            match broke {
                true => broken("privileged-register", &join(&[command])),
                false => assert_accepted(&join(&[command])),
            }
        }
    }
    // INSTPM, a predicate, the last stream output offset, CACHE_MODE_1, what the kernel adds.
    for register in [0x20c0, 0x2418, 0x528c, 0x7004, 0x7304, 0xb118] {
        assert_accepted(&join(&[load(register)]));
    }
}

#[test]
fn heaps_must_end_within_the_address_space() {
    use media::state_base_address as f;
    let heap = |base: u64, pages: u64| {
        changed(&f::PACKET, |words| {
            f::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE.set(words, 1);
            // Canonical: bit 47 is set.
            f::INDIRECT_OBJECT_BASE_ADDRESS.set(words, base | 0xffff << 48);
            f::INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE.set(words, 1);
            f::INDIRECT_OBJECT_BUFFER_SIZE.set(words, pages);
        })
    };
    let last = (1 << 48) - (1 << 32);
    broken("base-address-wrap", &heap(last + 0x2000, 0xfffff));
    assert_accepted(&heap(last + 0x1000, 0xfffff));
    assert_accepted(&heap(last + 0x2000, 0xffffe));
}

#[test]
fn instruction_prefetch_range_must_be_mapped() {
    // A kernel of two instructions, that many bytes before the end of what is mapped.
    let ends = |bytes: u64| {
        let mut rig = rig();
        let end = CODE + CODE_BYTES;
        let start = (end - bytes - 64) & !63;
        let nothing = Inst::unary(Opcode::Mov, 8, to(5), ud(1));
        // The last instruction is the end of the thread.
        let count = (end - bytes - start) / 16 - 1;
        rig.code(start, &vec![nothing; count as usize]);
        let mut descriptor = rig.read(STATE + DESCRIPTOR, 8);
        idd::KERNEL_START_POINTER.set(&mut descriptor, start - CODE);
        rig.write(STATE + DESCRIPTOR, &descriptor);
        match rig.execute(&then(&[])) {
            Ok(_) => None,
            Err(StopReason::Undefined { rule, .. }) => Some(rule),
            Err(other) => panic!("{other:?}"),
        }
    };
    assert_eq!(ends(128), None);
    assert_eq!(ends(112), Some("kernel-prefetch"));
    assert_eq!(ends(0), Some("kernel-prefetch"));
}

#[test]
fn threads_read_stale_data_if_requested() {
    // Two threads, one after the other, read the surface's first texel by the sampler and write one
    // more than that; then again.
    const LD: u32 = 1 << 25 | 1 << 20 | 1 << 17 | 7 << 12 | 1;
    const WRITE: u32 = 2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8;
    let kernel = [
        Inst::unary(Opcode::Mov, 8, to(6), Src::imm_ud(0)),
        send(2, LD, to(20), 6),
        Inst::binary(Opcode::Add, 8, to(7), ud(20), Src::imm_ud(1)),
        send(12, WRITE, Dst::null(Type::Ud), 6),
    ];
    use media::pipe_control as f;
    let stall = (f::COMMAND_STREAMER_STALL_ENABLE, 1);
    let wait = pipe_control(&[stall]);
    let fresh = pipe_control(&[stall, (f::TEXTURE_CACHE_INVALIDATION_ENABLE, 1)]);
    let walker = command(&media::gpgpu_walker::PACKET);
    let twice = |stale: bool, between: &[Vec<u32>]| {
        let mut rig = Rig::new(Options {
            strict: true,
            stale,
            ..Options::default()
        });
        rig.load_kernel(&kernel, 2);
        let mut texels = rig.read(STATE + TEXELS, 16);
        rss::SHADER_CHANNEL_SELECT_RED.set(&mut texels, 4);
        rig.write(STATE + TEXELS, &texels);
        let more = [between, std::slice::from_ref(&walker)].concat();
        rig.execute(&then(&more)).map(|_| rig.read(DATA, 1)[0])
    };
    let late = [wait.clone(), fresh];
    let late = late.as_slice();
    let early = std::slice::from_ref(&wait);
    assert_eq!(twice(false, late), Ok(4));
    assert_eq!(twice(true, late), Ok(4));
    assert!(matches!(
        twice(false, early),
        Err(StopReason::Undefined {
            rule: "texture-stale",
            ..
        })
    ));
    // Both threads of the second walker see what was there before the first one.
    assert_eq!(twice(true, early), Ok(1));
}

#[test]
fn vfe_state_rules() {
    use media::media_vfe_state as f;
    let state = command(&f::PACKET);
    let walker = command(&media::gpgpu_walker::PACKET);
    assert_accepted(&then(std::slice::from_ref(&state)));
    let early = [state.clone(), flush(), walker.clone()];
    broken("vfe-stall", &then(&early));
    assert_accepted(&then(&[flush(), state, walker]));
    let threads = f::MAXIMUM_NUMBER_OF_THREADS;
    broken("vfe-threads", &with(&f::PACKET, threads, 168));
    broken("walker-group", &with(&f::PACKET, threads, 0));
    assert_accepted(&with(&f::PACKET, threads, 1));
    let scratch = f::PER_THREAD_SCRATCH_SPACE;
    broken("vfe-scratch", &with(&f::PACKET, scratch, 12));
    assert_accepted(&with(&f::PACKET, scratch, 11));
    let room = f::CURBE_ALLOCATION_SIZE;
    broken("curbe-allocation", &with(&f::PACKET, room, 1));
    assert_accepted(&with(&f::PACKET, room, 2));
}

#[test]
fn curbe_and_descriptor_load_rules() {
    use media::media_curbe_load as curbe;
    use media::media_interface_descriptor_load as load;
    let idle = media::media_state_flush::PACKET
        .words::<2>()
        .dwords
        .to_vec();
    for (rule, packet) in [
        ("curbe-flush", &curbe::PACKET),
        ("interface-descriptor-flush", &load::PACKET),
    ] {
        broken(rule, &then(&[command(packet)]));
        assert_accepted(&then(&[idle.clone(), command(packet)]));
        assert_accepted(&then(&[flush(), command(packet)]));
    }
    let bytes = curbe::CURBE_TOTAL_DATA_LENGTH;
    broken("curbe-alignment", &with(&curbe::PACKET, bytes, 96));
    let start = curbe::CURBE_DATA_START_ADDRESS;
    broken("curbe-alignment", &with(&curbe::PACKET, start, 0x120));
    assert_accepted(&with(&curbe::PACKET, start, 0x140));
    assert_accepted(&with(&curbe::PACKET, bytes, 128));
    broken("curbe-read", &with(&curbe::PACKET, bytes, 0));
    let start = load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS;
    let range = "interface-descriptor-range";
    broken(range, &with(&load::PACKET, start, DESCRIPTOR + 32));
    let bytes = load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH;
    broken(range, &with(&load::PACKET, bytes, 48));
    broken(range, &with(&load::PACKET, bytes, 65 * 32));
    assert_accepted(&with(&load::PACKET, bytes, 64));
    use media::gpgpu_walker::{INTERFACE_DESCRIPTOR_OFFSET, PACKET};
    let second = with(&PACKET, INTERFACE_DESCRIPTOR_OFFSET, 1);
    broken("interface-descriptor-bounds", &second);
}

#[test]
fn walker_rules() {
    use media::gpgpu_walker as f;
    broken("walker-simd", &with(&f::PACKET, f::SIMD_SIZE, 3));
    assert_accepted(&with(&f::PACKET, f::SIMD_SIZE, 1));
    let (right, bottom) = (f::RIGHT_EXECUTION_MASK, f::BOTTOM_EXECUTION_MASK);
    broken("walker-mask", &with(&f::PACKET, right, 0));
    broken("walker-mask", &with(&f::PACKET, right, 0x100));
    broken("walker-mask", &with(&f::PACKET, bottom, 0));
    assert_accepted(&with(&f::PACKET, right, 0x101));
    let width = f::THREAD_WIDTH_COUNTER_MAXIMUM;
    broken("walker-threads", &with(&f::PACKET, width, 0));
    let rows = changed(&f::PACKET, |words| {
        f::THREAD_HEIGHT_COUNTER_MAXIMUM.set(words, 40);
    });
    broken("walker-group", &rows);
}

/// Changes the interface descriptor.
fn described(field: Field, value: u64) -> Rig {
    let rig = rig();
    let mut descriptor = idd::PACKET
        .words::<8>()
        .with(idd::CONSTANT_URB_ENTRY_READ_LENGTH, 1)
        .with(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP, 2)
        .with(idd::SHARED_LOCAL_MEMORY_SIZE, 1)
        .flag(idd::BARRIER_ENABLE, true);
    field.set(&mut descriptor.dwords, value);
    rig.write(STATE + DESCRIPTOR, &descriptor.dwords);
    rig
}

#[test]
fn thread_payload_rules() {
    let batch = then(&[]);
    let size = idd::SHARED_LOCAL_MEMORY_SIZE;
    broken_by("slm-size", &mut described(size, 8), &batch);
    let largest = described(size, 7).execute(&batch);
    assert!(largest.is_ok(), "{largest:?}");
    let read = idd::CONSTANT_URB_ENTRY_READ_LENGTH;
    broken_by("curbe-read", &mut described(read, 2), &batch);
    let shared = idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH;
    broken_by("curbe-read", &mut described(shared, 1), &batch);
    let mut low = described(size, 1);
    low.write(STATE + DESCRIPTOR, &[1]);
    broken_by("reserved-bits", &mut low, &batch);
}

#[test]
fn thread_resource_rules() {
    let run_after = |field, value, kernel: &[Inst], batch: &[u32]| {
        let mut rig = rig();
        rig.map(DATA + CODE_BYTES, SCRATCH_BYTES);
        rig.load_kernel(kernel, 1);
        let mut descriptor = idd::PACKET
            .words::<8>()
            .with(idd::CONSTANT_URB_ENTRY_READ_LENGTH, 1)
            .with(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP, 1)
            .with(idd::SHARED_LOCAL_MEMORY_SIZE, 1)
            .flag(idd::BARRIER_ENABLE, true);
        Field::set(&field, &mut descriptor.dwords, value);
        rig.write(STATE + DESCRIPTOR, &descriptor.dwords);
        let result = rig.execute(batch);
        result.map(|_| ()).map_err(|stop| match stop {
            StopReason::Undefined { rule, .. } => rule,
            other => panic!("{other:?}"),
        })
    };
    let run = |field, value, kernel: &[Inst]| run_after(field, value, kernel, &walk_batch(1, 1));
    let null = Dst::null(Type::Ud);
    let barrier = [
        clear_notification(),
        send(3, 1 << 25 | 4, null, 0).no_mask(),
    ];
    let enable = idd::BARRIER_ENABLE;
    assert_eq!(run(enable, 0, &barrier), Err("barrier-enable"));
    assert_eq!(run(enable, 1, &barrier), Ok(()));
    // An untyped write to shared local memory, at each lane's offset, and beyond the first
    // kilobyte.
    const WRITE: u32 = 2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8 | 254;
    let store = |offset| {
        [
            Inst::binary(Opcode::Add, 8, to(6), ud(1), Src::imm_ud(offset)),
            Inst::unary(Opcode::Mov, 8, to(7), Src::imm_ud(1)),
            send(12, WRITE, null, 6),
        ]
    };
    let size = idd::SHARED_LOCAL_MEMORY_SIZE;
    assert_eq!(run(size, 0, &store(0)), Err("slm-bounds"));
    assert_eq!(run(size, 1, &store(0)), Ok(()));
    assert_eq!(run(size, 1, &store(1024)), Err("slm-bounds"));
    assert_eq!(run(size, 2, &store(1024)), Ok(()));
    // A register from scratch memory, of which there is none.
    let scratch = [send(10, 1 << 25 | 1 << 20 | 1 << 19 | 1 << 18, to(8), 0).no_mask()];
    assert_eq!(run(size, 1, &scratch), Err("scratch-bounds"));
    // And of a kilobyte that begins a page into the general heap: its last register, and the one
    // after.
    let mut batch = walk_batch(1, 1);
    let commands: Vec<_> = hw::batch::commands(&batch, hw::Gen::Gen9).collect();
    let mut before = commands.iter().map(|c| c.words);
    let state = &media::media_vfe_state::PACKET;
    let at = before.by_ref().take_while(|words| !state.matches(words[0]));
    let at: usize = at.map(<[u32]>::len).sum();
    media::media_vfe_state::SCRATCH_SPACE_BASE_POINTER.set(&mut batch[at..], 0x1000);
    let scratch = |register: u32| {
        let desc = 1 << 25 | 1 << 20 | 1 << 19 | 1 << 18 | register;
        [send(10, desc, to(8), 0).no_mask()]
    };
    assert_eq!(run_after(size, 1, &scratch(31), &batch), Ok(()));
    let beyond = run_after(size, 1, &scratch(32), &batch);
    assert_eq!(beyond, Err("scratch-bounds"));
    // Through the bindless heap, of two surfaces.
    let store = |index: u32| {
        let mut inst = send(12, WRITE & !0x1e00_00ff | 1 << 25 | 252, null, 1);
        inst.op = Opcode::Sends;
        inst.src[1] = ud(2);
        if let Some(send) = &mut inst.send {
            send.ex_desc = Desc::A0(0);
        }
        let target = Dst::arf(ArfReg::Address, 0, 0, Type::Ud);
        let handle = Src::imm_ud(index << 12 | 1 << 6 | 12);
        [
            Inst::unary(Opcode::Mov, 1, target, handle).no_mask(),
            Inst::unary(Opcode::Mov, 8, to(2), Src::imm_ud(0)),
            inst,
        ]
    };
    assert_eq!(run(size, 1, &store(1)), Ok(()));
    assert_eq!(run(size, 1, &store(2)), Err("bindless-bounds"));
    // Registers that nothing has written, as addresses and as operands.
    let stray = [send(12, WRITE, null, 40)];
    assert_eq!(run(size, 1, &stray), Err("uninitialised"));
    let sum = Inst::binary(Opcode::Add, 8, to(6), ud(40), Src::imm_ud(1));
    assert_eq!(run(size, 1, &[sum]), Ok(()));
    let accumulator = Dst::arf(ArfReg::Accumulator, 0, 0, Type::Ud);
    let sum = Inst::binary(Opcode::Add, 8, accumulator, ud(40), Src::imm_ud(1));
    assert_eq!(run(size, 1, &[sum]), Err("uninitialised"));
    // A row of eight in an instruction of four channels.
    let illegal = Inst::unary(Opcode::Mov, 4, to(6), ud(1));
    let broken = isa::check(&illegal, hw::Gen::Gen9);
    assert_eq!(run(size, 1, &[illegal]), Err(broken[0].rule));
    let legal = Inst::unary(Opcode::Mov, 8, to(6), ud(1));
    assert_eq!(run(size, 1, &[legal]), Ok(()));
}

/// Two walkers whose threads read the surface's first row in one way or another and then write it,
/// and what comes between.
fn twice(read: Option<(u8, u32)>, between: &[Vec<u32>]) -> Option<&'static str> {
    let walker = command(&media::gpgpu_walker::PACKET);
    rule_after(read, &[between.to_vec(), vec![walker]].concat())
}

/// The rule that stops a walker whose threads perhaps read the surface's first row, and write it,
/// or more commands after it.
fn rule_after(read: Option<(u8, u32)>, more: &[Vec<u32>]) -> Option<&'static str> {
    let mut rig = rig();
    // Untyped, four bytes for each lane.
    const WRITE: u32 = 2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8;
    let mut kernel = vec![
        Inst::unary(Opcode::Mov, 8, to(6), Src::imm_ud(0)),
        Inst::unary(Opcode::Mov, 8, to(7), Src::imm_ud(1)),
    ];
    if let Some((function, desc)) = read {
        kernel.push(send(function, desc, to(20), 6));
    }
    kernel.push(send(12, WRITE, Dst::null(Type::Ud), 6));
    rig.load_kernel(&kernel, 2);
    match rig.execute(&then(more)) {
        Ok(_) => None,
        Err(StopReason::Undefined { rule, .. }) => Some(rule),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn reads_need_stalls_and_invalidations() {
    use media::pipe_control as f;
    let stall = pipe_control(&[
        (f::COMMAND_STREAMER_STALL_ENABLE, 1),
        (f::STALL_AT_PIXEL_SCOREBOARD, 1),
    ]);
    let invalid = |field| pipe_control(&[(field, 1)]);
    assert_eq!(twice(None, &[]), Some("work-order"));
    assert_eq!(twice(None, std::slice::from_ref(&stall)), None);
    // Through the data port, by an untyped read of a row.
    let data = Some((12, 1 << 25 | 1 << 20 | 1 << 14 | 2 << 12 | 0xe << 8));
    assert_eq!(twice(data, &[]), Some("work-order"));
    assert_eq!(twice(data, std::slice::from_ref(&stall)), None);
    // Through the sampler, by `ld`.
    let texture = Some((2, 1 << 25 | 1 << 20 | 1 << 17 | 7 << 12 | 1));
    let fresh = pipe_control(&[
        (f::TEXTURE_CACHE_INVALIDATION_ENABLE, 1),
        (f::COMMAND_STREAMER_STALL_ENABLE, 1),
    ]);
    assert_eq!(twice(texture, &[]), Some("work-order"));
    assert_eq!(
        twice(texture, std::slice::from_ref(&stall)),
        Some("texture-stale")
    );
    assert_eq!(twice(texture, &[stall.clone(), fresh.clone()]), None);
    // Through the constant cache, by a scattered read; another cache's invalidation is none.
    let constant = Some((9, 1 << 25 | 1 << 20 | 3 << 14 | 2 << 8));
    assert_eq!(
        twice(constant, &[stall.clone(), fresh]),
        Some("constant-stale")
    );
    let fresh = invalid(f::CONSTANT_CACHE_INVALIDATION_ENABLE);
    // Before the work has ended it comes too early.
    assert_eq!(
        twice(constant, &[fresh.clone(), stall.clone()]),
        Some("constant-stale")
    );
    assert_eq!(twice(constant, &[stall, fresh]), None);
}

#[test]
fn commands_read_flushed_memory() {
    use media::pipe_control as f;
    use mi::mi_load_register_mem as load;
    let words = load::PACKET
        .words::<4>()
        .with(load::REGISTER_ADDRESS, register::CS_GPR0.into())
        .with(load::MEMORY_ADDRESS, DATA);
    let load = words.dwords.to_vec();
    let stall = pipe_control(&[
        (f::COMMAND_STREAMER_STALL_ENABLE, 1),
        (f::STALL_AT_PIXEL_SCOREBOARD, 1),
    ]);
    for (between, expected) in [
        (vec![], Some("commands-stale")),
        (vec![stall], Some("commands-stale")),
        (vec![flush()], None),
    ] {
        let more = [between, vec![load.clone()]].concat();
        assert_eq!(rule_after(None, &more), expected);
    }
}
