//! Walkers: the threads of workgroups and their payloads.
//!
//! Ref: SKL PRM vol. 7, "GPGPU Thread Payload", "GPGPU Thread Group Dispatch"; vol. 2a,
//!      GPGPU_WALKER.

mod barriers;
mod hangs;
mod payload;
mod walk;

use crate::cs::streamer::BatchReport;
use crate::options::Options;
use crate::testing::{CURBE, DATA, DESCRIPTOR, Rig, STATE, send, to, ud, walk_batch};
use eu::StopReason;
use hw::state::interface_descriptor_data as idd;
use hw::{Field, Packet, media};
use isa::{ArfReg, Dst, Inst, Opcode, Region, Src, Type};

type Set<'s> = &'s [(&'s Packet, Field, u64)];

const WALKER: &Packet = &media::gpgpu_walker::PACKET;
const VFE: &Packet = &media::media_vfe_state::PACKET;

fn options() -> Options {
    Options {
        cpu_threads: 1,
        ..Options::default()
    }
}

/// A legal batch of one walker, with fields of its commands changed.
fn batch(set: Set<'_>) -> Vec<u32> {
    let batch = walk_batch(1, 1);
    let mut out = Vec::new();
    for command in hw::batch::commands(&batch, hw::Gen::Gen9) {
        let mut words = command.words.to_vec();
        for (packet, field, value) in set {
            if packet.matches(words[0]) {
                field.set(&mut words, *value);
            }
        }
        out.extend(words);
    }
    out
}

/// Threads, and workgroups from the first to behind the last.
fn shape(threads: [u64; 3], first: [u64; 3], end: [u64; 3]) -> Vec<(&'static Packet, Field, u64)> {
    use media::gpgpu_walker as f;
    let fields = [
        [
            f::THREAD_WIDTH_COUNTER_MAXIMUM,
            f::THREAD_HEIGHT_COUNTER_MAXIMUM,
            f::THREAD_DEPTH_COUNTER_MAXIMUM,
        ],
        [
            f::THREAD_GROUP_ID_STARTING_X,
            f::THREAD_GROUP_ID_STARTING_Y,
            f::THREAD_GROUP_ID_STARTING_RESUME_Z,
        ],
        [
            f::THREAD_GROUP_ID_X_DIMENSION,
            f::THREAD_GROUP_ID_Y_DIMENSION,
            f::THREAD_GROUP_ID_Z_DIMENSION,
        ],
    ];
    let values = [threads.map(|n| n - 1), first, end];
    let each = fields.as_flattened().iter().zip(values.as_flattened());
    each.map(|(field, value)| (WALKER, *field, *value))
        .collect()
}

fn scalar(nr: u8, dword: u8) -> Src {
    Src::grf(nr, 4 * dword, Type::Ud, Region::SCALAR)
}

fn dword_dst(nr: u8, dword: u8) -> Dst {
    Dst::grf(nr, 4 * dword, Type::Ud)
}

/// Dwords that a thread records.
const RECORD: usize = 32;

/// Each thread records four registers: its payload, masks and control register, and the first two
/// of its constants. A record's number is the thread's, plus 4 for each workgroup along x, 8 along
/// y and 16 along z.
fn record() -> Vec<Inst> {
    let mov = |dst, src| Inst::unary(Opcode::Mov, 1, dst, src).no_mask();
    let shl = |dst, src, by| Inst::binary(Opcode::Shl, 1, dst, src, Src::imm_ud(by)).no_mask();
    let add = |dst, src| Inst::binary(Opcode::Add, 1, dst, scalar(20, 2), src).no_mask();
    let arf = |reg, byte| Src::arf(reg, 0, byte, Type::Ud, Region::SCALAR);
    let all = |dst, src| Inst::unary(Opcode::Mov, 8, dst, src).no_mask();
    let mut kernel = vec![all(to(20), Src::imm_ud(0)), all(to(22), Src::imm_ud(0))];
    // OWords: eight of them a record.
    kernel.push(shl(dword_dst(20, 2), scalar(0, 0), 3));
    for (dword, by) in [(1, 5), (6, 6), (7, 7)] {
        kernel.push(shl(dword_dst(19, 0), scalar(0, dword), by));
        kernel.push(add(dword_dst(20, 2), scalar(19, 0)));
    }
    kernel.push(all(to(21), ud(0)));
    kernel.push(mov(dword_dst(22, 0), arf(ArfReg::State, 8)));
    kernel.push(mov(dword_dst(22, 1), arf(ArfReg::Control, 0)));
    kernel.push(all(to(23), ud(1)));
    kernel.push(all(to(24), ud(2)));
    // OWord block write of eight OWords, stateless, with a header.
    let desc = 5 << 25 | 1 << 19 | 8 << 14 | 4 << 8 | 255;
    kernel.push(send(10, desc, Dst::null(Type::Ud), 20).no_mask());
    kernel
}

/// The descriptor of one thread with one register of constants, with fields changed.
fn descriptor(set: &[(Field, u64)]) -> [u32; 8] {
    let mut words = [0; 8];
    let base = [
        (idd::CONSTANT_URB_ENTRY_READ_LENGTH, 1),
        (idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP, 1),
    ];
    for (field, value) in base.iter().chain(set) {
        field.set(&mut words, *value);
    }
    words
}

/// Runs the recording kernel; the records.
fn recorded(set: Set<'_>, of: &[(Field, u64)], records: usize) -> Vec<Vec<u32>> {
    let mut rig = Rig::new(options());
    rig.load_kernel(&record(), 1);
    rig.write(STATE + DESCRIPTOR, &descriptor(of));
    rig.write(STATE + CURBE, &(500..756).collect::<Vec<_>>());
    rig.execute(&batch(set)).expect("runs");
    let words = rig.read(DATA, records * RECORD);
    words.chunks(RECORD).map(|r| r.to_vec()).collect()
}

/// A walk of a kernel by one worker.
fn walk(kernel: &[Inst], set: Set<'_>, options: Options) -> Result<BatchReport, StopReason> {
    let mut rig = Rig::new(options);
    rig.load_kernel(kernel, 1);
    rig.execute(&batch(set))
}

fn nothing() -> Inst {
    Inst::unary(Opcode::Mov, 8, to(5), ud(1))
}

fn wait() -> Inst {
    let n0 = Src::arf(ArfReg::Notification, 0, 0, Type::Ud, Region::SCALAR);
    let to = Dst::arf(ArfReg::Notification, 0, 0, Type::Ud);
    Inst::unary(Opcode::Wait, 1, to, n0).no_mask()
}

fn arrive() -> Inst {
    send(3, 1 << 25 | 4, Dst::null(Type::Ud), 0).no_mask()
}
