//! Fixtures of the tests: a simulated GPU with memory for a batch, kernels, state and data, and the
//! words of a dispatch.

use crate::context::HwContext;
use crate::cs::streamer::{BatchReport, Gpu};
use crate::memory::AddressSpaceView;
use crate::options::Options;
use crate::space::{AddressSpace, Backing};
use eu::StopReason;
use hw::state::{interface_descriptor_data as idd, render_surface_state as rss};
use hw::{Device, Gen, PacketWords, media, mi, register};
use isa::{ArfReg, Desc, Dst, Inst, Opcode, Region, Send, Src, Type};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// Zeroed memory.
pub(crate) fn memory(bytes: usize) -> Arc<dyn Backing> {
    let words: Box<[AtomicU32]> = (0..bytes / 4).map(|_| AtomicU32::new(0)).collect();
    Arc::new(words)
}

pub(crate) const BATCH: u64 = 0x10_0000;
pub(crate) const CODE: u64 = 0x20_0000;
pub(crate) const STATE: u64 = 0x30_0000;
pub(crate) const DATA: u64 = 0x40_0000;
/// Size of each of these in bytes.
pub(crate) const BYTES: u64 = 0x4000;
/// Scratch memory of a kilobyte for each thread that the pixel shader dispatchers number.
pub(crate) const SCRATCH_BYTES: u64 = 4 * 64 * 1024;
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

    /// Maps zeroed memory at an address.
    pub(crate) fn map(&mut self, start: u64, bytes: u64) {
        let backing = memory(bytes as usize);
        self.space.map(start, bytes, backing, 0).expect("free");
    }

    /// The memory at an address, for a CPU that accesses it while a batch runs.
    pub(crate) fn memory(&self, address: u64) -> Option<Arc<dyn Backing>> {
        self.space.backing(address).map(Arc::clone)
    }

    pub(crate) fn write(&self, address: u64, words: &[u32]) {
        let view = AddressSpaceView::new(&self.space);
        view.write_block(address, words).expect("mapped");
    }

    pub(crate) fn read(&self, address: u64, dwords: usize) -> Vec<u32> {
        let mut out = vec![0; dwords];
        let view = AddressSpaceView::new(&self.space);
        view.read_block(address, &mut out).expect("mapped");
        out
    }

    pub(crate) fn execute(&mut self, batch: &[u32]) -> Result<BatchReport, StopReason> {
        self.execute_part(batch, BYTES)
    }

    /// Executes a batch with a declared length in bytes; 0 means up to MI_BATCH_BUFFER_END.
    pub(crate) fn execute_part(
        &mut self,
        batch: &[u32],
        bytes: u64,
    ) -> Result<BatchReport, StopReason> {
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

    /// Puts a kernel, its surface and `threads` × one register of lane offsets in place, and walks
    /// `groups` of them.
    pub(crate) fn walk(
        &mut self,
        kernel: &[Inst],
        groups: u32,
        threads: u32,
    ) -> Result<BatchReport, StopReason> {
        self.load_kernel(kernel, threads);
        self.execute(&walk_batch(groups, threads))
    }

    /// Writes a kernel to memory, followed by the end of the thread.
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

    /// Writes a kernel, its surface and its state to memory.
    pub(crate) fn load_kernel(&mut self, kernel: &[Inst], threads: u32) {
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

pub(crate) fn push<const N: usize>(batch: &mut Vec<u32>, words: PacketWords<N>) {
    batch.extend(words.dwords);
}

pub(crate) fn end(batch: &mut Vec<u32>) {
    push(batch, mi::mi_batch_buffer_end::PACKET.words::<1>());
}

/// A PIPE_CONTROL that stalls and invalidates the read-only caches.
pub(crate) fn invalidate() -> PacketWords<6> {
    use media::pipe_control as pipe;
    pipe::PACKET
        .words::<6>()
        .flag(pipe::COMMAND_STREAMER_STALL_ENABLE, true)
        .flag(pipe::TEXTURE_CACHE_INVALIDATION_ENABLE, true)
        .flag(pipe::CONSTANT_CACHE_INVALIDATION_ENABLE, true)
        .flag(pipe::STATE_CACHE_INVALIDATION_ENABLE, true)
        .flag(pipe::INSTRUCTION_CACHE_INVALIDATE_ENABLE, true)
}

/// An L3 configuration with shared local memory.
pub(crate) fn divided() -> u32 {
    let device = hw::Device::by_name("skl").expect("a device");
    let mut divisions = device.l3_configs().iter();
    let shared = divisions.find(|division| division.slm_ways != 0);
    shared.expect("a division").register_value()
}

/// A legal batch with one walker and the state it needs.
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

/// A stateless write of two OWords: `payload` is the register of the header, and the data follow.
pub(crate) fn write_block(payload: u8) -> Inst {
    let block = 2 << 25 | 1 << 19 | 8 << 14 | 2 << 8 | 255;
    send(10, block, Dst::null(Type::Ud), payload).no_mask()
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

/// What comes before a barrier message.
pub(crate) fn clear_notification() -> Inst {
    let to = Dst::arf(ArfReg::Notification, 0, 0, Type::Ud);
    Inst::unary(Opcode::Mov, 1, to, Src::imm_ud(0)).no_mask()
}

pub(crate) fn eot() -> Inst {
    let mut inst = send(7, 1 << 25, Dst::null(Type::Ud), 127).no_mask();
    if let Some(send) = &mut inst.send {
        send.eot = true;
    }
    inst
}
