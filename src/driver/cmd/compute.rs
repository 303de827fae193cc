//! Packets of the compute path.
//!
//! In:  addresses and counts. Out: words.
//! Ref: SKL PRM vol. 2a (commands), vol. 7 "GPGPU Context"; the order of flushes around STATE_BASE_ADDRESS and PIPELINE_SELECT
//! is in their programming notes.

use hw::draw::state_cc_state_pointers;
use hw::media::{
    gpgpu_walker, media_curbe_load, media_interface_descriptor_load, media_state_flush,
    media_vfe_state, pipe_control, pipeline_select, state_base_address,
};
use hw::mi::{
    mi_batch_buffer_end, mi_batch_buffer_start, mi_load_register_imm, mi_load_register_mem,
    mi_noop, mi_semaphore_wait, mi_store_data_imm, mi_store_register_mem,
};
use hw::register;
use hw::state::interface_descriptor_data;

/// Memory object control: the kernel's table entry 2 (cached in LLC and L3), in bits 6:1.
const MOCS_CACHED: u64 = 2 << 1;
/// Bytes of a register: the unit of push data.
const REGISTER_BYTES: u32 = 32;
/// Dwords of the commands that link one chunk of a batch to the next.
pub const CHAIN_DW: usize = 4;
/// Dwords of a call of another batch.
pub const CALL_DW: usize = 3;

/// Where the heaps begin, that commands reach through STATE_BASE_ADDRESS. Each spans 4 GiB, but for the bindless one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heaps {
    /// General State Base Address: scratch.
    pub general: u64,
    /// Surface State Base Address.
    pub surface: u64,
    /// Dynamic State Base Address.
    pub dynamic: u64,
    /// Instruction Base Address.
    pub instruction: u64,
    /// Bindless Surface State Base Address.
    pub bindless: u64,
    /// Surfaces of the bindless heap, up to 2^20.
    pub bindless_surfaces: u64,
}

/// What a device looks like to the compute path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Threads that run at once, on all subslices.
    pub max_threads: u32,
}

/// A launch of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Code, in bytes from Instruction Base Address.
    pub kernel_offset_bytes: u64,
    /// 8, 16 or 32.
    pub simd_width: u32,
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Bytes of shared local memory.
    pub slm_bytes: u32,
    /// Workgroup barriers are used.
    pub barrier: bool,
    /// Scratch of all threads: address, and bytes of each thread; 0 for none.
    pub scratch: (u64, u32),
    /// Push data, in bytes from Dynamic State Base Address: all of it, padded to registers.
    pub push_offset_bytes: u64,
    /// Registers of push data that all threads share.
    pub cross_thread_grf: u32,
    /// Registers of push data of each thread.
    pub per_thread_grf: u32,
    /// The interface descriptor, in bytes from Dynamic State Base Address.
    pub descriptor_offset_bytes: u64,
    /// Workgroups, or where their numbers are.
    pub groups: Groups,
}

/// Workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// As many along x, y, z.
    Direct([u32; 3]),
    /// Three dwords at a GPU address.
    Indirect(u64),
}

/// Bytes of an interface descriptor.
pub const DESCRIPTOR_BYTES: u64 = 32;

impl Walk {
    fn threads(&self) -> u32 {
        self.invocations.div_ceil(self.simd_width.max(1))
    }

    fn push_bytes(&self) -> u32 {
        (self.cross_thread_grf + self.per_thread_grf * self.threads()) * REGISTER_BYTES
    }

    /// The interface descriptor.
    pub fn descriptor(&self) -> [u32; 8] {
        use interface_descriptor_data as idd;
        idd::PACKET
            .words::<8>()
            .with(idd::KERNEL_START_POINTER, self.kernel_offset_bytes)
            .with(idd::SHARED_LOCAL_MEMORY_SIZE, slm_code(self.slm_bytes))
            .flag(idd::BARRIER_ENABLE, self.barrier)
            .with(
                idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP,
                self.threads().into(),
            )
            .with(
                idd::CONSTANT_URB_ENTRY_READ_LENGTH,
                self.per_thread_grf.into(),
            )
            .with(
                idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH,
                self.cross_thread_grf.into(),
            )
            .dwords
    }
}

/// Shared local memory as the descriptor says it: 0, or 1 + log2 of the kilobytes.
fn slm_code(bytes: u32) -> u64 {
    match bytes {
        0 => 0,
        bytes => u64::from(bytes.next_power_of_two().max(1024).trailing_zeros()) - 9,
    }
}

/// Two nothings: a batch for a submission that only signals.
pub fn trivial() -> [u32; 2] {
    [mi_batch_buffer_end::PACKET.header, mi_noop::PACKET.header]
}

/// The end of a batch, padded to whole quadwords.
pub fn end(used_dw: usize) -> Vec<u32> {
    let mut words = vec![mi_batch_buffer_end::PACKET.header];
    if used_dw.is_multiple_of(2) {
        words.push(mi_noop::PACKET.header);
    }
    words
}

/// Runs another batch, which ends as any does, and comes back. In a batch that was called itself it goes there for good.
pub fn call(address: u64) -> [u32; CALL_DW] {
    use mi_batch_buffer_start as start;
    const PER_PROCESS: u64 = 1;
    start::PACKET
        .words()
        .with(start::ADDRESS_SPACE_INDICATOR, PER_PROCESS)
        .with(start::SECOND_LEVEL_BATCH_BUFFER, 1)
        .with(start::BATCH_BUFFER_START_ADDRESS, address)
        .dwords
}

/// A jump to another chunk of the same batch. Where that was called, this is a jump; where it was not, it is a call, and the batch
/// ends behind it.
pub fn chain(address: u64) -> [u32; CHAIN_DW] {
    let [a, b, c] = call(address);
    [a, b, c, mi_batch_buffer_end::PACKET.header]
}

/// Everything before is done, and its writes are in memory.
fn flush() -> [u32; 6] {
    use pipe_control as pc;
    pc::PACKET
        .words()
        .flag(pc::COMMAND_STREAMER_STALL_ENABLE, true)
        .flag(pc::DC_FLUSH_ENABLE, true)
        .flag(pc::RENDER_TARGET_CACHE_FLUSH_ENABLE, true)
        .flag(pc::DEPTH_CACHE_FLUSH_ENABLE, true)
        .dwords
}

/// Nothing after reads what was cached before.
fn invalidate() -> [u32; 6] {
    use pipe_control as pc;
    pc::PACKET
        .words()
        .flag(pc::TEXTURE_CACHE_INVALIDATION_ENABLE, true)
        .flag(pc::CONSTANT_CACHE_INVALIDATION_ENABLE, true)
        .flag(pc::STATE_CACHE_INVALIDATION_ENABLE, true)
        .flag(pc::INSTRUCTION_CACHE_INVALIDATE_ENABLE, true)
        .dwords
}

/// A full barrier.
pub fn barrier() -> Vec<u32> {
    [flush(), invalidate()].concat()
}

/// The start of every batch: the GPGPU pipeline, the heaps, the L3's partition.
pub fn preamble(heaps: &Heaps) -> Vec<u32> {
    use pipeline_select as select;
    use state_base_address as sba;
    const GPGPU: u64 = 2;
    const PAGES: u64 = 0xfffff;
    let cc = &state_cc_state_pointers::PACKET;
    let mut words = cc.words::<2>().dwords.to_vec();
    words.extend(barrier());
    words.extend(
        select::PACKET
            .words::<1>()
            .with(select::MASK_BITS, 3)
            .with(select::PIPELINE_SELECTION, GPGPU)
            .dwords,
    );
    words.extend(flush());
    let bases = sba::PACKET
        .words::<19>()
        .flag(sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::GENERAL_STATE_MOCS, MOCS_CACHED)
        .with(sba::GENERAL_STATE_BASE_ADDRESS, heaps.general)
        .with(sba::STATELESS_DATA_PORT_ACCESS_MOCS, MOCS_CACHED)
        .flag(sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::SURFACE_STATE_MOCS, MOCS_CACHED)
        .with(sba::SURFACE_STATE_BASE_ADDRESS, heaps.surface)
        .flag(sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::DYNAMIC_STATE_MOCS, MOCS_CACHED)
        .with(sba::DYNAMIC_STATE_BASE_ADDRESS, heaps.dynamic)
        .flag(sba::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::INDIRECT_OBJECT_MOCS, MOCS_CACHED)
        .with(sba::INDIRECT_OBJECT_BASE_ADDRESS, 0)
        .flag(sba::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::INSTRUCTION_MOCS, MOCS_CACHED)
        .with(sba::INSTRUCTION_BASE_ADDRESS, heaps.instruction)
        .flag(sba::GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::GENERAL_STATE_BUFFER_SIZE, PAGES)
        .flag(sba::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::DYNAMIC_STATE_BUFFER_SIZE, PAGES)
        .flag(sba::INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::INDIRECT_OBJECT_BUFFER_SIZE, PAGES)
        .flag(sba::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::INSTRUCTION_BUFFER_SIZE, PAGES)
        .flag(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::BINDLESS_SURFACE_STATE_MOCS, MOCS_CACHED)
        .with(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS, heaps.bindless)
        .with(
            sba::BINDLESS_SURFACE_STATE_SIZE,
            heaps.bindless_surfaces.saturating_sub(1),
        );
    words.extend(bases.dwords);
    words.extend(invalidate());
    words.extend(flush());
    // The L3 must be idle while it is divided anew: 32 ways of shared local memory, 16 of URB, 48 of everything else, one of
    // the validated divisions (SKL PRM vol. 7, "L3 Cache", allocation and programming).
    const URB_AT: u32 = 1;
    const ALL_AT: u32 = 25;
    let division = register::L3CNTLREG_SLM_ENABLE | 16 << URB_AT | 48 << ALL_AT;
    words.extend(load_register(register::L3CNTLREG, division));
    words
}

fn load_register(offset: u32, value: u32) -> [u32; 3] {
    use mi_load_register_imm as lri;
    lri::PACKET
        .words()
        .with(lri::REGISTER_OFFSET, offset.into())
        .with(lri::DATA_DWORD, value.into())
        .dwords
}

/// The front end's state for launches with this scratch and push data.
fn front_end(machine: Machine, walk: &Walk) -> Vec<u32> {
    use media_vfe_state as vfe;
    let curbe_grf = walk.push_bytes() / REGISTER_BYTES;
    let (scratch, thread_bytes) = walk.scratch;
    let mut state = vfe::PACKET
        .words::<9>()
        .with(
            vfe::MAXIMUM_NUMBER_OF_THREADS,
            u64::from(machine.max_threads) - 1,
        )
        .with(vfe::NUMBER_OF_URB_ENTRIES, 2)
        .with(vfe::URB_ENTRY_ALLOCATION_SIZE, 2)
        .with(vfe::RESET_GATEWAY_TIMER, 1)
        .with(
            vfe::CURBE_ALLOCATION_SIZE,
            u64::from(curbe_grf.next_multiple_of(2)),
        );
    if thread_bytes > 0 {
        state = state
            .with(
                vfe::PER_THREAD_SCRATCH_SPACE,
                u64::from((thread_bytes / 1024).max(1).trailing_zeros()),
            )
            .with(vfe::SCRATCH_SPACE_BASE_POINTER, scratch);
    }
    // Threads of before must not find their state changed.
    let mut words = flush().to_vec();
    words.extend(state.dwords);
    words
}

/// A launch.
pub fn walk(machine: Machine, walk: &Walk) -> Vec<u32> {
    use gpgpu_walker as gw;
    use media_curbe_load as curbe;
    use media_interface_descriptor_load as load;
    let mut words = front_end(machine, walk);
    let push_bytes = walk.push_bytes();
    if push_bytes > 0 {
        let load = curbe::PACKET
            .words::<4>()
            .with(
                curbe::CURBE_TOTAL_DATA_LENGTH,
                u64::from(push_bytes.next_multiple_of(64)),
            )
            .with(curbe::CURBE_DATA_START_ADDRESS, walk.push_offset_bytes);
        words.extend(load.dwords);
    }
    let load = load::PACKET
        .words::<4>()
        .with(load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH, DESCRIPTOR_BYTES)
        .with(
            load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS,
            walk.descriptor_offset_bytes,
        );
    words.extend(load.dwords);
    // Lanes of the last thread that are invocations.
    let rest = walk.invocations % walk.simd_width;
    let lanes = if rest == 0 { walk.simd_width } else { rest };
    let mut walker = gw::PACKET
        .words::<15>()
        .with(gw::SIMD_SIZE, u64::from(walk.simd_width / 16))
        .with(
            gw::THREAD_WIDTH_COUNTER_MAXIMUM,
            u64::from(walk.threads()) - 1,
        )
        .with(
            gw::RIGHT_EXECUTION_MASK,
            u64::from(u32::MAX >> (32 - lanes)),
        )
        .with(gw::BOTTOM_EXECUTION_MASK, u32::MAX.into());
    match walk.groups {
        Groups::Direct([x, y, z]) => {
            walker = walker
                .with(gw::THREAD_GROUP_ID_X_DIMENSION, x.into())
                .with(gw::THREAD_GROUP_ID_Y_DIMENSION, y.into())
                .with(gw::THREAD_GROUP_ID_Z_DIMENSION, z.into());
        }
        Groups::Indirect(address) => {
            let dimensions = [
                register::GPGPU_DISPATCHDIMX,
                register::GPGPU_DISPATCHDIMY,
                register::GPGPU_DISPATCHDIMZ,
            ];
            for (index, dimension) in (0..).zip(dimensions) {
                words.extend(load_register_mem(dimension, address + 4 * index));
            }
            walker = walker.flag(gw::INDIRECT_PARAMETER_ENABLE, true);
        }
    }
    words.extend(walker.dwords);
    words.extend(media_state_flush::PACKET.words::<2>().dwords);
    words
}

fn load_register_mem(offset: u32, address: u64) -> [u32; 4] {
    use mi_load_register_mem as lrm;
    lrm::PACKET
        .words()
        .with(lrm::REGISTER_ADDRESS, offset.into())
        .with(lrm::MEMORY_ADDRESS, address)
        .dwords
}

/// Writes a dword, in the command streamer's order.
pub fn store(address: u64, value: u32) -> [u32; 4] {
    use mi_store_data_imm as sdi;
    sdi::PACKET
        .words()
        .with(sdi::ADDRESS, address)
        .with(sdi::IMMEDIATE_DATA, value.into())
        .dwords
}

/// Waits until a dword has a value.
pub fn wait_equal(address: u64, value: u32) -> [u32; 4] {
    use mi_semaphore_wait as wait;
    const EQUAL: u64 = 4;
    const POLL: u64 = 1;
    wait::PACKET
        .words()
        .with(wait::COMPARE_OPERATION, EQUAL)
        .with(wait::WAIT_MODE, POLL)
        .with(wait::SEMAPHORE_DATA_DWORD, value.into())
        .with(wait::SEMAPHORE_ADDRESS, address)
        .dwords
}

/// Writes the time when the command streamer comes by, and the quadword 1 elsewhere.
pub fn timestamp_early(value_at: u64, available_at: u64) -> Vec<u32> {
    use mi_store_register_mem as srm;
    let mut words = Vec::new();
    for half in 0..2 {
        let store = srm::PACKET
            .words::<4>()
            .with(
                srm::REGISTER_ADDRESS,
                u64::from(register::TIMESTAMP) + 4 * half,
            )
            .with(srm::MEMORY_ADDRESS, value_at + 4 * half);
        words.extend(store.dwords);
    }
    words.extend(store(available_at, 1));
    words.extend(store(available_at + 4, 0));
    words
}

/// Writes the time when everything before is done, and then the quadword 1 elsewhere.
pub fn timestamp_late(value_at: u64, available_at: u64) -> Vec<u32> {
    use pipe_control as pc;
    const WRITE_IMMEDIATE: u64 = 1;
    const WRITE_TIMESTAMP: u64 = 3;
    let post_sync = |operation, address, value| {
        pc::PACKET
            .words::<6>()
            .flag(pc::COMMAND_STREAMER_STALL_ENABLE, true)
            .with(pc::POST_SYNC_OPERATION, operation)
            .with(pc::ADDRESS, address)
            .with(pc::IMMEDIATE_DATA, value)
            .dwords
    };
    [
        post_sync(WRITE_TIMESTAMP, value_at, 0),
        post_sync(WRITE_IMMEDIATE, available_at, 1),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALK: Walk = Walk {
        kernel_offset_bytes: 0x1040,
        simd_width: 16,
        invocations: 40,
        slm_bytes: 3000,
        barrier: true,
        scratch: (0x20_0000, 4096),
        push_offset_bytes: 0x4000,
        cross_thread_grf: 2,
        per_thread_grf: 1,
        descriptor_offset_bytes: 0x5000,
        groups: Groups::Direct([4, 5, 6]),
    };

    #[test]
    fn descriptors_say_what_a_walk_needs() {
        use interface_descriptor_data as idd;
        let words = WALK.descriptor();
        assert_eq!(idd::KERNEL_START_POINTER.get(&words), 0x1040);
        assert_eq!(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP.get(&words), 3);
        assert_eq!(idd::SHARED_LOCAL_MEMORY_SIZE.get(&words), 3);
        assert_eq!((slm_code(0), slm_code(1), slm_code(65536)), (0, 1, 7));
        assert_eq!(WALK.push_bytes(), 5 * 32);
    }

    #[test]
    fn walks_are_made_of_known_packets() {
        let machine = Machine { max_threads: 168 };
        let indirect = Walk {
            groups: Groups::Indirect(0x1_0000_0000),
            scratch: (0, 0),
            ..WALK
        };
        let heaps = Heaps {
            general: 0,
            surface: 8 << 30,
            dynamic: 4 << 30,
            instruction: 16 << 30,
            bindless: 12 << 30,
            bindless_surfaces: 1 << 20,
        };
        let mut words = preamble(&heaps);
        words.extend(walk(machine, &WALK));
        words.extend(walk(machine, &indirect));
        words.extend(timestamp_late(0x1000, 0x1008));
        words.extend(timestamp_early(0x1000, 0x1008));
        words.extend(wait_equal(0x2000, 1));
        words.extend(barrier());
        words.extend(chain(0x7fff_ffff_f000));
        words.extend(end(words.len()));
        assert_eq!(words.len() % 2, 0);
        let walkers: Vec<_> = positions(&words)
            .into_iter()
            .filter(|&at| gpgpu_walker::PACKET.matches(words[at]))
            .collect();
        assert_eq!(walkers.len(), 2);
        let walker = &words[walkers[0]..];
        assert_eq!(gpgpu_walker::RIGHT_EXECUTION_MASK.get(walker), 0xff);
        assert_eq!(gpgpu_walker::THREAD_WIDTH_COUNTER_MAXIMUM.get(walker), 2);
        assert_eq!(gpgpu_walker::THREAD_GROUP_ID_Z_DIMENSION.get(walker), 6);
        assert_eq!(
            gpgpu_walker::INDIRECT_PARAMETER_ENABLE.get(&words[walkers[1]..]),
            1
        );
    }

    /// Where each packet begins; a word that begins none fails.
    fn positions(words: &[u32]) -> Vec<usize> {
        let (mut at, mut found) = (0, Vec::new());
        while at < words.len() {
            found.push(at);
            let packet = hw::batch::find(words[at], hw::Gen::Gen9);
            at += packet
                .unwrap_or_else(|| panic!("dword {at}: {:#x}", words[at]))
                .length(words[at]);
        }
        found
    }
}
