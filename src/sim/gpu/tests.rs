//! Batches of our own from end to end: kernels by `isa`, commands and state by `hw`.

use crate::memory::tests::memory;
use crate::{AddressSpace, Gpu, HwContext, Options, Report, Stop, View};
use hw::state::{interface_descriptor_data as idd, render_surface_state as rss};
use hw::{Device, Gen, Words, media, mi, register};
use isa::{ArfReg, Desc, Dst, Inst, Opcode, Region, Send, Src, Type};

pub(crate) const BATCH: u64 = 0x10_0000;
pub(crate) const CODE: u64 = 0x20_0000;
pub(crate) const STATE: u64 = 0x30_0000;
pub(crate) const DATA: u64 = 0x40_0000;
/// Bytes of each of these, and of the surface in `DATA`.
/// Bytes of each of these.
pub(crate) const BYTES: u64 = 0x4000;
const SURFACE_BYTES: u32 = 1024;
/// Offsets in `STATE`: binding table, surface states, interface descriptor, CURBE.
const TABLE: u64 = 0;
const SURFACE: u64 = 0x40;
pub(crate) const TEXELS: u64 = 0xc0;
pub(crate) const DESCRIPTOR: u64 = 0x80;
pub(crate) const CURBE: u64 = 0x100;

pub(crate) struct Rig {
    gpu: Gpu,
    space: AddressSpace,
    context: HwContext,
}

impl Rig {
    pub(crate) fn new(options: Options) -> Rig {
        let mut space = AddressSpace::new();
        for start in [BATCH, CODE, STATE, DATA] {
            let backing = memory(BYTES as usize);
            space.map(start, BYTES, backing, 0).expect("free");
        }
        let device = Device::by_name("skl").expect("a device");
        Rig {
            gpu: Gpu::new(device, options),
            space,
            context: HwContext::new(),
        }
    }

    pub(crate) fn write(&self, address: u64, words: &[u32]) {
        let view = View::new(&self.space);
        view.write_block(address, words).expect("mapped");
    }

    pub(crate) fn read(&self, address: u64, dwords: usize) -> Vec<u32> {
        let mut out = vec![0; dwords];
        let view = View::new(&self.space);
        view.read_block(address, &mut out).expect("mapped");
        out
    }

    pub(crate) fn execute(&mut self, batch: &[u32]) -> Result<Report, Stop> {
        self.execute_part(batch, BYTES)
    }

    /// The same, of a batch that is said to have so many bytes; 0 where it goes on to its end.
    pub(crate) fn execute_part(&mut self, batch: &[u32], bytes: u64) -> Result<Report, Stop> {
        self.write(BATCH, batch);
        self.gpu
            .execute(&mut self.context, &self.space, BATCH, bytes)
    }

    /// What the context keeps.
    pub(crate) fn context(&self) -> &HwContext {
        &self.context
    }

    /// The same, to be changed.
    pub(crate) fn context_mut(&mut self) -> &mut HwContext {
        &mut self.context
    }

    /// Puts a kernel, its surface and `threads` × one register of lane offsets in place, and walks `groups` of them.
    pub(crate) fn walk(
        &mut self,
        kernel: &[Inst],
        groups: u32,
        threads: u32,
    ) -> Result<Report, Stop> {
        self.place(kernel, threads);
        self.execute(&walk_batch(groups, threads))
    }

    /// Puts a kernel in place, and the end of the thread behind it.
    pub(crate) fn code(&self, address: u64, kernel: &[Inst]) {
        let mut code = Vec::new();
        for inst in kernel.iter().chain(&[eot()]) {
            let bytes = isa::encode(inst, Gen::Gen9).expect("legal");
            code.extend(
                bytes
                    .chunks_exact(4)
                    .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            );
        }
        self.write(address, &code);
    }

    /// Puts a kernel, its surface and its state in place.
    pub(crate) fn place(&mut self, kernel: &[Inst], threads: u32) {
        self.code(CODE, kernel);
        self.write(STATE + TABLE, &[SURFACE as u32, TEXELS as u32]);
        let entries = u64::from(SURFACE_BYTES - 1);
        let surface = rss::PACKET
            .words::<16>()
            .with(rss::SURFACE_TYPE, 4)
            .with(rss::SURFACE_FORMAT, 0x1ff)
            .with(rss::WIDTH, entries & 0x7f)
            .with(rss::HEIGHT, entries >> 7)
            .with(rss::SURFACE_BASE_ADDRESS, DATA);
        self.write(STATE + SURFACE, &surface.dwords);
        // The same as texels of R32_UINT, for the sampler.
        let texels = surface
            .with(rss::SURFACE_FORMAT, 0x0d7)
            .with(rss::WIDTH, (entries / 4) & 0x7f)
            .with(rss::HEIGHT, (entries / 4) >> 7)
            .with(rss::SURFACE_PITCH, 3);
        self.write(STATE + TEXELS, &texels.dwords);
        let descriptor = idd::PACKET
            .words::<8>()
            .with(idd::CONSTANT_URB_ENTRY_READ_LENGTH, 1)
            .with(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP, threads.into())
            .with(idd::SHARED_LOCAL_MEMORY_SIZE, 1)
            .flag(idd::BARRIER_ENABLE, true);
        self.write(STATE + DESCRIPTOR, &descriptor.dwords);
        let offsets: Vec<u32> = (0..threads * 8).map(|i| i * 4).collect();
        self.write(STATE + CURBE, &offsets);
    }
}

pub(crate) fn push<const N: usize>(batch: &mut Vec<u32>, words: Words<N>) {
    batch.extend(words.dwords);
}

pub(crate) fn end(batch: &mut Vec<u32>) {
    push(batch, mi::mi_batch_buffer_end::PACKET.words::<1>());
}

/// Invalidates everything that reads memory.
pub(crate) fn invalidate() -> Words<6> {
    use media::pipe_control as pipe;
    pipe::PACKET
        .words::<6>()
        .flag(pipe::COMMAND_STREAMER_STALL_ENABLE, true)
        .flag(pipe::TEXTURE_CACHE_INVALIDATION_ENABLE, true)
        .flag(pipe::CONSTANT_CACHE_INVALIDATION_ENABLE, true)
        .flag(pipe::STATE_CACHE_INVALIDATION_ENABLE, true)
        .flag(pipe::INSTRUCTION_CACHE_INVALIDATE_ENABLE, true)
}

/// A sound batch: one walker, and all that it needs.
/// A division of the L3 with shared local memory.
fn divided() -> u32 {
    let device = hw::Device::by_name("skl").expect("a device");
    let division = device.l3_config(true).expect("a division");
    division.register_value()
}

pub(crate) fn walk_batch(groups: u32, threads: u32) -> Vec<u32> {
    let mut batch = Vec::new();
    use media::gpgpu_walker as walker;
    use media::media_curbe_load as curbe;
    use media::media_interface_descriptor_load as load;
    use media::media_vfe_state as vfe;
    use media::pipeline_select as select;
    use media::state_base_address as sba;
    push(
        &mut batch,
        select::PACKET
            .words::<1>()
            .with(select::MASK_BITS, 3)
            .with(select::PIPELINE_SELECTION, 2),
    );
    push(
        &mut batch,
        sba::PACKET
            .words::<19>()
            .flag(sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
            .with(sba::GENERAL_STATE_BASE_ADDRESS, DATA)
            .flag(sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
            .with(sba::SURFACE_STATE_BASE_ADDRESS, STATE)
            .flag(sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
            .with(sba::DYNAMIC_STATE_BASE_ADDRESS, STATE)
            .flag(sba::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, true)
            .with(sba::INSTRUCTION_BASE_ADDRESS, CODE)
            .flag(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
            .with(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS, STATE)
            .with(sba::BINDLESS_SURFACE_STATE_SIZE, 1),
    );
    push(&mut batch, invalidate());
    push(
        &mut batch,
        mi::mi_load_register_imm::PACKET
            .words::<3>()
            .with(
                mi::mi_load_register_imm::REGISTER_OFFSET,
                register::L3CNTLREG.into(),
            )
            .with(mi::mi_load_register_imm::DATA_DWORD, divided().into()),
    );
    push(
        &mut batch,
        vfe::PACKET
            .words::<9>()
            .with(vfe::CURBE_ALLOCATION_SIZE, 64)
            .with(vfe::MAXIMUM_NUMBER_OF_THREADS, 167),
    );
    push(
        &mut batch,
        curbe::PACKET
            .words::<4>()
            .with(
                curbe::CURBE_TOTAL_DATA_LENGTH,
                (u64::from(threads) * 32).next_multiple_of(64),
            )
            .with(curbe::CURBE_DATA_START_ADDRESS, CURBE),
    );
    push(
        &mut batch,
        load::PACKET
            .words::<4>()
            .with(load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH, 32)
            .with(load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS, DESCRIPTOR),
    );
    push(
        &mut batch,
        walker::PACKET
            .words::<15>()
            .with(walker::THREAD_WIDTH_COUNTER_MAXIMUM, u64::from(threads) - 1)
            .with(walker::THREAD_GROUP_ID_X_DIMENSION, groups.into())
            .with(walker::THREAD_GROUP_ID_Y_DIMENSION, 1)
            .with(walker::THREAD_GROUP_ID_Z_DIMENSION, 1)
            .with(walker::RIGHT_EXECUTION_MASK, 0x7f)
            .with(walker::BOTTOM_EXECUTION_MASK, 0xff),
    );
    end(&mut batch);
    batch
}

const VECTOR: Region = Region::new(8, 8, 1);

pub(crate) fn ud(nr: u8) -> Src {
    Src::grf(nr, 0, Type::Ud, VECTOR)
}

pub(crate) fn to(nr: u8) -> Dst {
    Dst::grf(nr, 0, Type::Ud)
}

pub(crate) fn send(sfid: u8, desc: u32, dst: Dst, payload: u8) -> Inst {
    let send = Send {
        sfid,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(0),
        eot: false,
    };
    Inst::send(8, dst, ud(payload), send)
}

pub(crate) fn eot() -> Inst {
    let mut inst = send(7, 1 << 25, Dst::null(Type::Ud), 127).no_mask();
    if let Some(send) = &mut inst.send {
        send.eot = true;
    }
    inst
}

/// g4 = byte offset of this lane in the whole dispatch, for workgroups of `1 << log` bytes; g3 = workgroup.
fn offsets(log: u32) -> Vec<Inst> {
    vec![
        Inst::unary(
            Opcode::Mov,
            8,
            to(3),
            Src::grf(0, 4, Type::Ud, Region::SCALAR),
        ),
        Inst::binary(Opcode::Shl, 8, to(4), ud(3), Src::imm_ud(log)),
        Inst::binary(Opcode::Add, 8, to(4), ud(4), ud(1)),
    ]
}

/// Untyped SIMD8 messages of one channel.
const WRITE: u32 = 2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8;
const READ: u32 = 1 << 25 | 1 << 20 | 1 << 14 | 2 << 12 | 0xe << 8;
const SLM: u32 = 254;

#[test]
fn a_walk_stores_workgroups_through_a_surface() {
    let mut rig = Rig::new(Options::default());
    let mut kernel = offsets(5);
    kernel.push(Inst::binary(Opcode::Add, 8, to(5), ud(3), Src::imm_ud(100)));
    kernel.push(send(12, WRITE, Dst::null(Type::Ud), 4));
    // 40 workgroups of 32 bytes are more than the surface has room for: the rest is dropped.
    let report = rig.walk(&kernel, 40, 1).expect("runs");
    assert_eq!((report.threads, report.instructions), (40, 40 * 6));
    let data = rig.read(DATA, 320);
    for (i, value) in data.iter().enumerate() {
        // The right mask leaves the last lane out.
        let expected = if i % 8 == 7 || i >= 256 {
            0
        } else {
            100 + i as u32 / 8
        };
        assert_eq!(*value, expected, "dword {i}");
    }
}

#[test]
fn threads_meet_at_the_barrier_and_share_slm() {
    for strict in [false, true] {
        let mut rig = Rig::new(Options {
            strict,
            ..Options::default()
        });
        let n0 = Src::arf(ArfReg::Notification, 0, 0, Type::Ud, Region::SCALAR);
        let mut kernel = vec![
            // SLM[own] = own + 1, for both threads; then each reads what the other wrote.
            Inst::unary(Opcode::Mov, 8, to(6), ud(1)),
            Inst::binary(Opcode::Add, 8, to(7), ud(1), Src::imm_ud(1)),
            send(12, WRITE | SLM, Dst::null(Type::Ud), 6),
            send(3, 1 << 25 | 4, Dst::null(Type::Ud), 0).no_mask(),
            Inst::unary(
                Opcode::Wait,
                1,
                Dst::arf(ArfReg::Notification, 0, 0, Type::Ud),
                n0,
            )
            .no_mask(),
            Inst::binary(Opcode::Xor, 8, to(8), ud(1), Src::imm_ud(32)),
            send(12, READ | SLM, to(9), 8),
        ];
        kernel.extend(offsets(6));
        kernel.push(Inst::unary(Opcode::Mov, 8, to(5), ud(9)));
        kernel.push(send(12, WRITE, Dst::null(Type::Ud), 4));
        rig.walk(&kernel, 3, 2).expect("runs");
        let data = rig.read(DATA, 48);
        for (i, value) in data.iter().enumerate() {
            let other = (i as u32 % 16) ^ 8;
            // The masked lane of the second thread neither writes nor is there to be read.
            let expected = if i % 16 >= 15 || other == 15 {
                0
            } else {
                other * 4 + 1
            };
            assert_eq!(*value, expected, "dword {i}");
        }
    }
}

#[test]
fn stateless_blocks_start_at_the_header_s_base() {
    let mut rig = Rig::new(Options::default());
    let kernel = [
        Inst::unary(Opcode::Mov, 8, to(10), Src::imm_ud(0)).no_mask(),
        Inst::unary(
            Opcode::Mov,
            1,
            Dst::grf(10, 20, Type::Ud),
            Src::imm_ud(0x800),
        )
        .no_mask(),
        Inst::unary(Opcode::Mov, 1, Dst::grf(10, 8, Type::Ud), Src::imm_ud(3)).no_mask(),
        Inst::unary(Opcode::Mov, 8, to(11), Src::imm_ud(77)).no_mask(),
        // OWord block write of two OWords, header, binding table index 255.
        send(
            10,
            2 << 25 | 1 << 19 | 8 << 14 | 2 << 8 | 255,
            Dst::null(Type::Ud),
            10,
        )
        .no_mask(),
    ];
    rig.walk(&kernel, 1, 1).expect("runs");
    assert_eq!(
        rig.read(DATA + 0x800 + 44, 10),
        [0, 77, 77, 77, 77, 77, 77, 77, 77, 0]
    );
}

#[test]
fn changed_code_is_decoded_again() {
    let mut rig = Rig::new(Options::default());
    for value in [5, 6] {
        let mut kernel = offsets(5);
        kernel.push(Inst::unary(Opcode::Mov, 8, to(5), Src::imm_ud(value)));
        kernel.push(send(12, WRITE, Dst::null(Type::Ud), 4));
        rig.walk(&kernel, 1, 1).expect("runs");
        assert_eq!(rig.read(DATA, 1), [value]);
    }
}

#[test]
fn what_never_ends_is_a_hang() {
    let options = Options {
        instruction_budget: 1 << 20,
        command_budget: 1000,
        ..Options::default()
    };
    let mut rig = Rig::new(options);
    use mi::mi_batch_buffer_start as start;
    let jump = start::PACKET
        .words::<3>()
        .with(start::BATCH_BUFFER_START_ADDRESS, BATCH);
    let looped = rig.execute(&jump.dwords);
    assert!(matches!(looped, Err(Stop::Fault { .. })), "{looped:?}");
    // A JMPI to itself.
    let mut jump = Inst::new(Opcode::Jmpi, 1).no_mask();
    (jump.src[0], jump.jip) = (Src::imm_d(0), 0);
    let looped = rig.walk(&[jump], 1, 1);
    assert!(matches!(looped, Err(Stop::Fault { .. })), "{looped:?}");
}

#[test]
fn the_command_streamer_computes_and_stores() {
    let mut rig = Rig::new(Options::default());
    let mut batch = Vec::new();
    use mi::mi_store_register_mem as store;
    let registers = [(0, 7), (4, 0), (8, 5), (12, 0)];
    batch.push(mi::mi_load_register_imm::PACKET.header & !0xff | 7);
    for (offset, value) in registers {
        batch.extend([register::CS_GPR0 + offset, value]);
    }
    // R2 = R0 - R1.
    batch.extend([
        mi::mi_math::PACKET.header | 3,
        0x080 << 20 | 0x20 << 10,
        0x080 << 20 | 0x21 << 10 | 1,
        0x101 << 20,
        0x180 << 20 | 2 << 10 | 0x31,
    ]);
    push(
        &mut batch,
        store::PACKET
            .words::<4>()
            .with(store::REGISTER_ADDRESS, (register::CS_GPR0 + 16).into())
            .with(store::MEMORY_ADDRESS, DATA),
    );
    use media::pipe_control as pipe;
    push(
        &mut batch,
        pipe::PACKET
            .words::<6>()
            .with(pipe::POST_SYNC_OPERATION, 1)
            .with(pipe::ADDRESS, DATA + 8)
            .with(pipe::IMMEDIATE_DATA, 0x1_0000_0002),
    );
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    assert_eq!(rig.read(DATA, 4), [2, 0, 2, 1]);
    // A stray address is a fault that names it.
    let mut batch = Vec::new();
    push(
        &mut batch,
        store::PACKET
            .words::<4>()
            .with(store::MEMORY_ADDRESS, 0x9000),
    );
    assert!(matches!(
        rig.execute(&batch),
        Err(Stop::Fault { at: 0x9000, .. })
    ));
}

/// Any words: an end of some kind, soon, and no panic.
#[test]
fn random_batches_end() {
    let mut seed = 7u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 32) as u32
    };
    let waits = [&raw const mi::mi_semaphore_wait::PACKET];
    let packets: Vec<_> = [mi::ALL, media::ALL, hw::draw::ALL]
        .into_iter()
        .flatten()
        .filter(|p| !waits.contains(&&raw const ***p))
        .collect();
    let mut endings = [0; 4];
    for round in 0..1500 {
        let mut rig = Rig::new(Options {
            strict: round % 2 == 0,
            instruction_budget: 10_000,
            command_budget: 300,
            cpu_threads: 1,
            ..Options::default()
        });
        let mut batch = walk_batch(1, 1);
        // Damage the sound batch, or add commands with random contents, or both.
        for _ in 0..next() % 6 {
            let at = next() as usize % batch.len();
            batch[at] = next();
        }
        batch.pop();
        for _ in 0..next() % 12 {
            let packet = packets[next() as usize % packets.len()];
            let random = next() & !packet.header_mask & !packet.length_mask;
            batch.push(packet.header | random);
            for _ in 1..packet.length(packet.header).min(64) {
                let word = match next() % 4 {
                    0 => 0,
                    1 => [BATCH, CODE, STATE, DATA][next() as usize % 4] as u32,
                    2 => next() % 64,
                    _ => next(),
                };
                batch.push(word);
            }
        }
        end(&mut batch);
        let state: Vec<u32> = (0..128).map(|_| next() >> (next() % 32)).collect();
        rig.write(STATE, &state);
        let code: Vec<u32> = (0..64).map(|_| next()).collect();
        rig.write(CODE, &code);
        match rig.execute(&batch) {
            Ok(_) => endings[0] += 1,
            Err(Stop::Undefined { .. }) => endings[1] += 1,
            Err(Stop::Unimplemented { .. }) => endings[2] += 1,
            Err(Stop::Fault { .. }) => endings[3] += 1,
        }
    }
    // Any ending will do, as long as none is all there is.
    assert!(endings.iter().all(|n| *n > 0), "{endings:?}");
    eprintln!("ended, undefined, unimplemented, fault: {endings:?}");
}
