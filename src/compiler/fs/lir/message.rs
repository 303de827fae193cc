//! Message descriptors of gen9.
//!
//! In:  the parameters of a message. Out: [`SendInfo`], with descriptor and lengths.
//! Ref: SKL PRM vol. 7, "Data Port Messages", "Message Gateway", "Thread Spawner".

use crate::lir::inst::SendInfo;
use isa::descriptor::value::{
    a64_block_subtype, atomic_operation, byte_data_size, float_atomic_operation, oword_block_size,
    render_target_subtype, sampler_simd_mode, typed_slot_group, untyped_simd_mode,
};
use isa::descriptor::{
    self, a64_atomic, a64_block, a64_scattered, atomic, bti, byte_scattered, common,
    dword_scattered, fence, interpolator, oword_block, render_target, sample, scratch_block, typed,
    typed_atomic, untyped,
};
use isa::message::{
    constant_cache, data_cache_0, data_cache_1, gateway, pixel_interpolator, render_cache, sampler,
    urb,
};
use nir::AtomicOp;

/// Descriptor of a data port message: `control` has the fields of its message type. Message types
/// of all data ports start at the same bit; that of data cache 1 has the most bits.
const fn desc(bti: u32, kind: u32, control: u32) -> u32 {
    common::BINDING_TABLE_INDEX.encode(bti)
        | descriptor::data_cache_1::MESSAGE_TYPE.encode(kind)
        | control
}

const fn info(sfid: u8, desc: u32, mlen: u8, ex_mlen: u8, rlen: u8) -> SendInfo {
    SendInfo {
        sfid,
        desc,
        dynamic_desc: false,
        handle_offset: 0,
        mlen,
        ex_mlen,
        rlen,
        header: false,
        eot: false,
        sendc: false,
        writes: false,
        reads: true,
    }
}

/// The channel mask for `n` channels: set bits disable channels.
const fn channel_mask(n: u8) -> u32 {
    0xf & (0xf << n)
}

/// The control fields of untyped messages with `n` channels.
const fn untyped_control(lanes: u8, n: u8) -> u32 {
    let simd_mode = if lanes > 8 {
        untyped_simd_mode::SIMD16
    } else {
        untyped_simd_mode::SIMD8
    };
    untyped::CHANNEL_MASK.encode(channel_mask(n)) | untyped::SIMD_MODE.encode(simd_mode)
}

/// The control fields of typed messages with `n` channels, for the lanes from `lane` on.
const fn typed_control(lane: u8, n: u8) -> u32 {
    typed::CHANNEL_MASK.encode(channel_mask(n))
        | typed::SLOT_GROUP.encode(typed_slot_group::LOW + high_slots(lane))
}

/// Number of registers for 32 bits per lane.
const fn regs(lanes: u8) -> u8 {
    lanes.div_ceil(8)
}

/// Untyped surface read of `n` dwords per lane.
pub(crate) const fn untyped_read(bti: u32, lanes: u8, n: u8) -> SendInfo {
    let control = untyped_control(lanes, n);
    info(
        data_cache_1::SFID,
        desc(bti, data_cache_1::UNTYPED_SURFACE_READ, control),
        regs(lanes),
        0,
        n * regs(lanes),
    )
}

/// Untyped surface write of `n` dwords per lane.
pub(crate) const fn untyped_write(bti: u32, lanes: u8, n: u8) -> SendInfo {
    let control = untyped_control(lanes, n);
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            data_cache_1::SFID,
            desc(bti, data_cache_1::UNTYPED_SURFACE_WRITE, control),
            regs(lanes),
            n * regs(lanes),
            0,
        )
    }
}

/// Untyped atomic with `n` operands per lane. `result`: the old value is returned. `None` if the
/// hardware lacks the operation.
pub(crate) fn untyped_atomic(
    bti: u32,
    lanes: u8,
    op: AtomicOp,
    n: u8,
    result: bool,
) -> Option<SendInfo> {
    let (code, float) = atomic(op)?;
    let kind = if float {
        data_cache_1::UNTYPED_ATOMIC_FLOAT
    } else {
        data_cache_1::UNTYPED_ATOMIC
    };
    let control = atomic::OPERATION.encode(code)
        | atomic::SIMD_MODE.encode((lanes <= 8).into())
        | atomic::RETURN_DATA.encode(result.into());
    let rlen = if result { regs(lanes) } else { 0 };
    Some(SendInfo {
        writes: true,
        ..info(
            data_cache_1::SFID,
            desc(bti, kind, control),
            regs(lanes),
            n * regs(lanes),
            rlen,
        )
    })
}

/// 1 if a typed message for the lanes from `lane` on uses the high eight of 16 slots, 0 for the low
/// eight.
const fn high_slots(lane: u8) -> u32 {
    (lane / 8 % 2) as u32
}

/// SIMD8 typed surface read of `n` channels, with `coordinates` coordinates.
pub(crate) const fn typed_read(bti: u32, lane: u8, coordinates: u8, n: u8) -> SendInfo {
    let control = typed_control(lane, n);
    info(
        data_cache_1::SFID,
        desc(bti, data_cache_1::TYPED_SURFACE_READ, control),
        coordinates,
        0,
        n,
    )
}

/// SIMD8 typed surface write of `n` channels.
pub(crate) const fn typed_write(bti: u32, lane: u8, coordinates: u8, n: u8) -> SendInfo {
    let control = typed_control(lane, n);
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            data_cache_1::SFID,
            desc(bti, data_cache_1::TYPED_SURFACE_WRITE, control),
            coordinates,
            n,
            0,
        )
    }
}

/// SIMD8 typed integer atomic with `n` operands per lane. `None` if the hardware lacks the
/// operation.
pub(crate) fn typed_atomic(
    bti: u32,
    lane: u8,
    op: AtomicOp,
    coordinates: u8,
    n: u8,
    result: bool,
) -> Option<SendInfo> {
    let (code, false) = atomic(op)? else {
        return None;
    };
    let control = typed_atomic::OPERATION.encode(code)
        | typed_atomic::SLOT_GROUP.encode(high_slots(lane))
        | typed_atomic::RETURN_DATA.encode(result.into());
    Some(SendInfo {
        writes: true,
        ..info(
            data_cache_1::SFID,
            desc(bti, data_cache_1::TYPED_ATOMIC, control),
            coordinates,
            n,
            u8::from(result),
        )
    })
}

/// SIMD8 A64 atomic with `n` operands of 32 bits, or of 64 bits for integers. `None` if the
/// hardware lacks the operation.
pub(crate) fn a64_atomic(op: AtomicOp, bits: u8, n: u8, result: bool) -> Option<SendInfo> {
    let (code, float) = atomic(op)?;
    let kind = if float {
        data_cache_1::A64_UNTYPED_ATOMIC_FLOAT
    } else {
        data_cache_1::A64_UNTYPED_ATOMIC
    };
    let wide = bits == 64;
    if wide && float {
        return None;
    }
    let control = a64_atomic::OPERATION.encode(code)
        | a64_atomic::DATA_WIDTH.encode(wide.into())
        | a64_atomic::RETURN_DATA.encode(result.into());
    let regs = bits / 32;
    Some(SendInfo {
        writes: true,
        ..info(
            data_cache_1::SFID,
            desc(bti::STATELESS_NON_COHERENT, kind, control),
            2,
            n * regs,
            if result { regs } else { 0 },
        )
    })
}

/// The atomic operation field, and true for a float operation.
fn atomic(op: AtomicOp) -> Option<(u32, bool)> {
    Some(match op {
        AtomicOp::IAnd => (atomic_operation::AND, false),
        AtomicOp::IOr => (atomic_operation::OR, false),
        AtomicOp::IXor => (atomic_operation::XOR, false),
        AtomicOp::Xchg => (atomic_operation::MOV, false),
        AtomicOp::IAdd => (atomic_operation::ADD, false),
        AtomicOp::IMax => (atomic_operation::IMAX, false),
        AtomicOp::IMin => (atomic_operation::IMIN, false),
        AtomicOp::UMax => (atomic_operation::UMAX, false),
        AtomicOp::UMin => (atomic_operation::UMIN, false),
        AtomicOp::CmpXchg => (atomic_operation::CMPWR, false),
        AtomicOp::FMax => (float_atomic_operation::FMAX, true),
        AtomicOp::FMin => (float_atomic_operation::FMIN, true),
        // Gen12 added float additions.
        AtomicOp::FAdd => return None,
    })
}

/// The data size field of a scattered access: byte, word or dword.
const fn scattered_size(bytes: u8) -> u32 {
    match bytes {
        1 => byte_data_size::BYTES_1,
        2 => byte_data_size::BYTES_2,
        _ => byte_data_size::BYTES_4,
    }
}

/// Byte scattered read; the value of each lane is zero-extended to a dword.
pub(crate) const fn byte_read(bti: u32, lanes: u8, bytes: u8) -> SendInfo {
    let control = byte_scattered::SIMD_MODE.encode((lanes > 8) as u32)
        | byte_scattered::DATA_SIZE.encode(scattered_size(bytes));
    info(
        data_cache_0::SFID,
        desc(bti, data_cache_0::BYTE_SCATTERED_READ, control),
        regs(lanes),
        0,
        regs(lanes),
    )
}

/// Byte scattered write.
pub(crate) const fn byte_write(bti: u32, lanes: u8, bytes: u8) -> SendInfo {
    let control = byte_scattered::SIMD_MODE.encode((lanes > 8) as u32)
        | byte_scattered::DATA_SIZE.encode(scattered_size(bytes));
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            data_cache_0::SFID,
            desc(bti, data_cache_0::BYTE_SCATTERED_WRITE, control),
            regs(lanes),
            regs(lanes),
            0,
        )
    }
}

/// Stateless dword scattered read. Payload: a header, then an index in dwords per lane.
pub(crate) const fn dword_read(lanes: u8) -> SendInfo {
    let control = dword_scattered::BLOCK_SIZE.encode(2 | (lanes > 8) as u32);
    SendInfo {
        header: true,
        ..info(
            data_cache_0::SFID,
            desc(
                bti::STATELESS_NON_COHERENT,
                data_cache_0::DWORD_SCATTERED_READ,
                control,
            ),
            1,
            regs(lanes),
            regs(lanes),
        )
    }
}

/// Stateless dword scattered write. Payload: a header, then an index in dwords per lane, and the
/// data.
pub(crate) const fn dword_write(lanes: u8) -> SendInfo {
    let control = dword_scattered::BLOCK_SIZE.encode(2 | (lanes > 8) as u32);
    SendInfo {
        header: true,
        writes: true,
        reads: false,
        ..info(
            data_cache_0::SFID,
            desc(
                bti::STATELESS_NON_COHERENT,
                data_cache_0::DWORD_SCATTERED_WRITE,
                control,
            ),
            1,
            2 * regs(lanes),
            0,
        )
    }
}

/// Unaligned OWord block read of 1, 2 or 4 registers at the byte offset in dword 2 of the header.
/// Memory that may be written meanwhile (`changing`) is read through the data cache, other memory
/// through the constant cache.
pub(crate) const fn block_read(bti: u32, regs: u8, changing: bool) -> SendInfo {
    let control = oword_block::BLOCK_SIZE.encode(oword_block_size::OWORDS_2 + regs.ilog2());
    let sfid = if changing {
        data_cache_0::SFID
    } else {
        constant_cache::SFID
    };
    SendInfo {
        header: true,
        reads: changing,
        ..info(
            sfid,
            desc(bti, data_cache_0::UNALIGNED_OWORD_BLOCK_READ, control),
            1,
            0,
            regs,
        )
    }
}

/// A64 unaligned OWord block read of 1, 2, 4 or 8 OWords at the address in dwords 0 and 1 of the
/// header, a multiple of 4. A single OWord arrives in the low half of a register.
///
/// The loads are declared to be aligned to OWords, but applications (and Khronos' tests) place what
/// pointers lead to as storage buffers, whose offsets are multiples of 4.
pub(crate) const fn a64_block_read(owords: u8) -> SendInfo {
    let size = match owords {
        1 => oword_block_size::OWORD_LOW,
        n => oword_block_size::OWORDS_2 + n.ilog2() - 1,
    };
    let control = a64_block::BLOCK_SIZE.encode(size)
        | a64_block::SUBTYPE.encode(a64_block_subtype::UNALIGNED);
    SendInfo {
        header: true,
        ..info(
            data_cache_1::SFID,
            desc(
                bti::STATELESS_NON_COHERENT,
                data_cache_1::A64_BLOCK_READ,
                control,
            ),
            1,
            0,
            owords.div_ceil(2),
        )
    }
}

/// A64 untyped read of `n` dwords per lane.
pub(crate) const fn a64_read(lanes: u8, n: u8) -> SendInfo {
    let control = untyped_control(lanes, n);
    info(
        data_cache_1::SFID,
        desc(
            bti::STATELESS_NON_COHERENT,
            data_cache_1::A64_UNTYPED_SURFACE_READ,
            control,
        ),
        2 * regs(lanes),
        0,
        n * regs(lanes),
    )
}

/// A64 untyped write.
pub(crate) const fn a64_write(lanes: u8, n: u8) -> SendInfo {
    let control = untyped_control(lanes, n);
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            data_cache_1::SFID,
            desc(
                bti::STATELESS_NON_COHERENT,
                data_cache_1::A64_UNTYPED_SURFACE_WRITE,
                control,
            ),
            2 * regs(lanes),
            n * regs(lanes),
            0,
        )
    }
}

/// A64 scattered read of one byte or word per lane.
pub(crate) const fn a64_byte_read(lanes: u8, bytes: u8) -> SendInfo {
    let control = a64_scattered::ELEMENTS.encode(scattered_size(bytes))
        | a64_scattered::SIMD_MODE.encode((lanes > 8) as u32);
    info(
        data_cache_1::SFID,
        desc(
            bti::STATELESS_NON_COHERENT,
            data_cache_1::A64_SCATTERED_READ,
            control,
        ),
        2 * regs(lanes),
        0,
        regs(lanes),
    )
}

/// A64 scattered write of one byte or word per lane.
pub(crate) const fn a64_byte_write(lanes: u8, bytes: u8) -> SendInfo {
    let control = a64_scattered::ELEMENTS.encode(scattered_size(bytes))
        | a64_scattered::SIMD_MODE.encode((lanes > 8) as u32);
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            data_cache_1::SFID,
            desc(
                bti::STATELESS_NON_COHERENT,
                data_cache_1::A64_SCATTERED_WRITE,
                control,
            ),
            2 * regs(lanes),
            regs(lanes),
            0,
        )
    }
}

/// Memory fence on the data cache; it returns a response when all earlier writes are visible.
pub(crate) const fn fence() -> SendInfo {
    SendInfo {
        header: true,
        writes: true,
        ..info(
            data_cache_0::SFID,
            desc(0, data_cache_0::MEMORY_FENCE, fence::COMMIT.encode(1)),
            1,
            0,
            1,
        )
    }
}

/// The same, sent after all earlier threads that shade the same pixels have ended (fragment shader
/// interlock).
pub(crate) const fn interlock() -> SendInfo {
    SendInfo {
        sendc: true,
        ..fence()
    }
}

/// Workgroup barrier.
pub(crate) const fn barrier() -> SendInfo {
    SendInfo {
        writes: true,
        reads: false,
        ..info(gateway::SFID, gateway::BARRIER, 1, 0, 0)
    }
}

/// Descriptor of a read of a block of `n` registers at register `at` of scratch memory.
const fn scratch_desc(n: u8, at: u32) -> u32 {
    descriptor::data_cache_0::CATEGORY.mask()
        | scratch_block::BLOCK_SIZE.encode(n.trailing_zeros())
        | scratch_block::OFFSET.encode(at)
}

/// Scratch block read of `n` registers (a power of two up to 8) at offset `at` in registers.
pub(crate) const fn scratch_read(n: u8, at: u32) -> SendInfo {
    let d = scratch_desc(n, at);
    SendInfo {
        header: true,
        ..info(data_cache_0::SFID, d, 1, 0, n)
    }
}

/// Scratch block write.
pub(crate) const fn scratch_write(n: u8, at: u32) -> SendInfo {
    let d = scratch_desc(n, at) | scratch_block::OPERATION.mask();
    SendInfo {
        header: true,
        writes: true,
        reads: false,
        ..info(data_cache_0::SFID, d, 1, n, 0)
    }
}

/// SIMD8 URB write of `n` dwords per lane, to slot `slot` of each lane's entry. Payload: the
/// handles as header; a register of slot offsets if `offset`; a register of channel masks (bits
/// 23:16) if `masked`; the data.
pub(crate) const fn urb_write(slot: u32, offset: bool, masked: bool, n: u8) -> SendInfo {
    let desc = descriptor::urb::OPCODE.encode(urb::SIMD8_WRITE)
        | descriptor::urb::GLOBAL_OFFSET.encode(slot)
        | descriptor::urb::CHANNEL_MASK_PRESENT.encode(masked as u32)
        | descriptor::urb::PER_SLOT_OFFSET_PRESENT.encode(offset as u32);
    SendInfo {
        header: true,
        writes: true,
        reads: false,
        ..info(urb::SFID, desc, 1 + offset as u8 + masked as u8 + n, 0, 0)
    }
}

/// SIMD8 URB read of `n` dwords per lane, with the handles and slot offsets of [`urb_write`].
pub(crate) const fn urb_read(slot: u32, offset: bool, n: u8) -> SendInfo {
    let desc = descriptor::urb::OPCODE.encode(urb::SIMD8_READ)
        | descriptor::urb::GLOBAL_OFFSET.encode(slot)
        | descriptor::urb::PER_SLOT_OFFSET_PRESENT.encode(offset as u32);
    SendInfo {
        header: true,
        ..info(urb::SFID, desc, 1 + offset as u8, 0, n)
    }
}

/// Message Type of a render target write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RenderTargetWrite {
    Simd16,
    /// One colour for 16 pixels, in one register.
    Replicated,
    DualSource,
    Simd8,
}

/// The slot group bit: which 16 of 32 pixels a message for the lanes from `lane` on is for.
const fn slot_group(lane: u8) -> u32 {
    render_target::SLOT_GROUP.encode(lane as u32 / 16)
}

/// Render target write of `mlen` registers, for the lanes from `lane` on. `last` sets Last Render
/// Target Select.
pub(crate) const fn render_target_write(
    target: u8,
    kind: RenderTargetWrite,
    lane: u8,
    last: bool,
    mlen: u8,
) -> SendInfo {
    let subtype = match kind {
        RenderTargetWrite::Simd16 => render_target_subtype::SIMD16,
        RenderTargetWrite::Replicated => render_target_subtype::SIMD16_REPLICATED,
        RenderTargetWrite::DualSource => render_target_subtype::SIMD8_DUAL_SOURCE_LOW,
        RenderTargetWrite::Simd8 => render_target_subtype::SIMD8,
    };
    let control = render_target::SUBTYPE.encode(subtype)
        | slot_group(lane)
        | render_target::LAST_RENDER_TARGET.encode(last as u32);
    SendInfo {
        writes: true,
        reads: false,
        // Render target writes must be in primitive order (SKL PRM vol. 7, "Thread Dependency",
        // SENDC).
        sendc: true,
        ..info(
            render_cache::SFID,
            desc(target as u32, render_cache::RENDER_TARGET_WRITE, control),
            mlen,
            0,
            0,
        )
    }
}

/// Message Type of the pixel interpolator: the position at which it evaluates barycentrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterpolateAt {
    SharedOffset = pixel_interpolator::SHARED_OFFSET as isize,
    Sample = pixel_interpolator::SAMPLE as isize,
    Offset = pixel_interpolator::PER_SLOT_OFFSET as isize,
}

/// Pixel interpolator message with the message-specific data `data`, to which a dynamic descriptor
/// may add.
pub(crate) const fn interpolate(
    kind: InterpolateAt,
    linear: bool,
    lane: u8,
    lanes: u8,
    data: u32,
) -> SendInfo {
    let mlen = match kind {
        InterpolateAt::Offset => 2 * regs(lanes),
        InterpolateAt::SharedOffset | InterpolateAt::Sample => 1,
    };
    let desc = data
        | interpolator::SLOT_GROUP.encode(lane as u32 / 16)
        | interpolator::MESSAGE_TYPE.encode(kind as u32)
        | interpolator::INTERPOLATION_MODE.encode(linear as u32)
        | interpolator::SIMD_MODE.encode((lanes > 8) as u32);
    info(pixel_interpolator::SFID, desc, mlen, 0, 2 * regs(lanes))
}

/// Message Type of the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplerOp {
    Plain = sampler::SAMPLE as isize,
    Bias = sampler::SAMPLE_B as isize,
    Lod = sampler::SAMPLE_L as isize,
    Compare = sampler::SAMPLE_C as isize,
    Derivatives = sampler::SAMPLE_D as isize,
    BiasCompare = sampler::SAMPLE_B_C as isize,
    LodCompare = sampler::SAMPLE_L_C as isize,
    Fetch = sampler::LD as isize,
    Gather = sampler::GATHER4 as isize,
    QueryLod = sampler::LOD as isize,
    Size = sampler::RESINFO as isize,
    Info = sampler::SAMPLEINFO as isize,
    GatherCompare = sampler::GATHER4_C as isize,
    GatherOffset = sampler::GATHER4_PO as isize,
    GatherOffsetCompare = sampler::GATHER4_PO_C as isize,
    DerivativesCompare = sampler::SAMPLE_D_C as isize,
    LevelZero = sampler::SAMPLE_LZ as isize,
    CompareLevelZero = sampler::SAMPLE_C_LZ as isize,
    FetchLevelZero = sampler::LD_LZ as isize,
    FetchMultisampled = sampler::LD2DMS_W as isize,
    FetchMcs = sampler::LD_MCS as isize,
}

/// Sampler message of `mlen` registers for a binding table index and a sampler index. The sampler
/// index is relative to the sampler state pointer of the header, if there is one.
pub(crate) const fn sample(
    (bti, sampler_index): (u32, u32),
    kind: SamplerOp,
    lanes: u8,
    mlen: u8,
    rlen: u8,
) -> SendInfo {
    let mode = if lanes > 8 {
        sampler_simd_mode::SIMD16
    } else {
        sampler_simd_mode::SIMD8
    };
    info(
        sampler::SFID,
        common::BINDING_TABLE_INDEX.encode(bti)
            | sample::SAMPLER_INDEX.encode(sampler_index)
            | sample::MESSAGE_TYPE.encode(kind as u32)
            | sample::SIMD_MODE.encode(mode),
        mlen,
        0,
        rlen,
    )
}

impl SendInfo {
    /// True for reads and writes of scratch blocks.
    pub(crate) fn is_scratch(&self) -> bool {
        self.sfid == data_cache_0::SFID && descriptor::data_cache_0::CATEGORY.any(self.desc)
    }

    /// True for memory fences.
    pub(crate) fn is_memory_fence(&self) -> bool {
        let kind = descriptor::data_cache_0::MESSAGE_TYPE.get(self.desc);
        self.sfid == data_cache_0::SFID && !self.is_scratch() && kind == data_cache_0::MEMORY_FENCE
    }

    /// True for data cache messages to shared local memory.
    pub(crate) fn accesses_slm(&self) -> bool {
        matches!(self.sfid, data_cache_0::SFID | data_cache_1::SFID)
            && !self.is_scratch()
            && common::BINDING_TABLE_INDEX.get(self.desc) == bti::SLM
    }
}
