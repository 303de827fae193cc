//! Message descriptors of gen9.
//!
//! In:  the parameters of a message. Out: [`SendInfo`], with descriptor and lengths.
//! Ref: SKL PRM vol. 7, "Data Port Messages", "Message Gateway", "Thread Spawner".

use crate::lir::inst::SendInfo;
use nir::AtomicOp;

/// Sampler.
pub(crate) const SFID_SAMPLER: u8 = 2;
/// Message gateway.
pub(crate) const SFID_GATEWAY: u8 = 3;
/// Thread spawner.
pub(crate) const SFID_THREAD_SPAWNER: u8 = 7;
/// Render cache: render targets.
pub(crate) const SFID_RENDER_CACHE: u8 = 5;
/// Unified return buffer.
pub(crate) const SFID_URB: u8 = 6;
/// Pixel interpolator.
pub(crate) const SFID_PIXEL_INTERPOLATOR: u8 = 11;
/// Data cache, data port 0.
pub(crate) const SFID_DC0: u8 = 10;
/// Constant cache: reads of memory that is not written before the next barrier for uniform reads.
pub(crate) const SFID_CONSTANT_CACHE: u8 = 9;
/// Data cache, data port 1.
pub(crate) const SFID_DC1: u8 = 12;

/// Binding table index: surface given by the extended descriptor's offset into the bindless heap.
pub(crate) const BTI_BINDLESS: u32 = 252;
/// Binding table index: stateless, not coherent with IA cores.
pub(crate) const BTI_STATELESS: u32 = 253;
/// Binding table index: shared local memory.
pub(crate) const BTI_SLM: u32 = 254;

const fn desc(bti: u32, kind: u32, control: u32) -> u32 {
    bti | control << 8 | kind << 14
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

/// The SIMD mode field of untyped messages.
const fn simd_mode(lanes: u8) -> u32 {
    if lanes > 8 { 1 } else { 2 }
}

/// Number of registers for 32 bits per lane.
const fn regs(lanes: u8) -> u8 {
    lanes.div_ceil(8)
}

/// Untyped surface read of `n` dwords per lane.
pub(crate) const fn untyped_read(bti: u32, lanes: u8, n: u8) -> SendInfo {
    let control = channel_mask(n) | simd_mode(lanes) << 4;
    info(
        SFID_DC1,
        desc(bti, 1, control),
        regs(lanes),
        0,
        n * regs(lanes),
    )
}

/// Untyped surface write of `n` dwords per lane.
pub(crate) const fn untyped_write(bti: u32, lanes: u8, n: u8) -> SendInfo {
    let control = channel_mask(n) | simd_mode(lanes) << 4;
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            SFID_DC1,
            desc(bti, 9, control),
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
    let kind = if float { 0x1b } else { 2 };
    let control = code | u32::from(lanes <= 8) << 4 | u32::from(result) << 5;
    let rlen = if result { regs(lanes) } else { 0 };
    Some(SendInfo {
        writes: true,
        ..info(
            SFID_DC1,
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
    let control = channel_mask(n) | (1 + high_slots(lane)) << 4;
    info(SFID_DC1, desc(bti, 5, control), coordinates, 0, n)
}

/// SIMD8 typed surface write of `n` channels.
pub(crate) const fn typed_write(bti: u32, lane: u8, coordinates: u8, n: u8) -> SendInfo {
    let control = channel_mask(n) | (1 + high_slots(lane)) << 4;
    SendInfo {
        writes: true,
        reads: false,
        ..info(SFID_DC1, desc(bti, 13, control), coordinates, n, 0)
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
    let control = code | high_slots(lane) << 4 | u32::from(result) << 5;
    Some(SendInfo {
        writes: true,
        ..info(
            SFID_DC1,
            desc(bti, 6, control),
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
    let kind = if float { 0x1d } else { 0x12 };
    let wide = bits == 64;
    if wide && float {
        return None;
    }
    let control = code | u32::from(wide) << 4 | u32::from(result) << 5;
    let regs = bits / 32;
    Some(SendInfo {
        writes: true,
        ..info(
            SFID_DC1,
            desc(BTI_STATELESS, kind, control),
            2,
            n * regs,
            if result { regs } else { 0 },
        )
    })
}

/// The atomic operation field, and true for a float operation.
fn atomic(op: AtomicOp) -> Option<(u32, bool)> {
    Some(match op {
        AtomicOp::IAnd => (1, false),
        AtomicOp::IOr => (2, false),
        AtomicOp::IXor => (3, false),
        AtomicOp::Xchg => (4, false),
        AtomicOp::IAdd => (7, false),
        AtomicOp::IMax => (10, false),
        AtomicOp::IMin => (11, false),
        AtomicOp::UMax => (12, false),
        AtomicOp::UMin => (13, false),
        AtomicOp::CmpXchg => (14, false),
        AtomicOp::FMax => (1, true),
        AtomicOp::FMin => (2, true),
        // Gen12 added float additions.
        AtomicOp::FAdd => return None,
    })
}

/// The data size field of a scattered access: byte, word or dword.
const fn scattered_size(bytes: u8) -> u32 {
    match bytes {
        1 => 0,
        2 => 1,
        _ => 2,
    }
}

/// Byte scattered read; the value of each lane is zero-extended to a dword.
pub(crate) const fn byte_read(bti: u32, lanes: u8, bytes: u8) -> SendInfo {
    let control = (lanes > 8) as u32 | scattered_size(bytes) << 2;
    info(SFID_DC0, desc(bti, 4, control), regs(lanes), 0, regs(lanes))
}

/// Byte scattered write.
pub(crate) const fn byte_write(bti: u32, lanes: u8, bytes: u8) -> SendInfo {
    let control = (lanes > 8) as u32 | scattered_size(bytes) << 2;
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            SFID_DC0,
            desc(bti, 12, control),
            regs(lanes),
            regs(lanes),
            0,
        )
    }
}

/// Stateless dword scattered read. Payload: a header, then an index in dwords per lane.
pub(crate) const fn dword_read(lanes: u8) -> SendInfo {
    let control = 2 | (lanes > 8) as u32;
    SendInfo {
        header: true,
        ..info(
            SFID_DC0,
            desc(BTI_STATELESS, 3, control),
            1,
            regs(lanes),
            regs(lanes),
        )
    }
}

/// Stateless dword scattered write. Payload: a header, then an index in dwords per lane, and the
/// data.
pub(crate) const fn dword_write(lanes: u8) -> SendInfo {
    let control = 2 | (lanes > 8) as u32;
    SendInfo {
        header: true,
        writes: true,
        reads: false,
        ..info(
            SFID_DC0,
            desc(BTI_STATELESS, 11, control),
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
    let owords = 2 + regs.ilog2();
    let sfid = if changing {
        SFID_DC0
    } else {
        SFID_CONSTANT_CACHE
    };
    SendInfo {
        header: true,
        reads: changing,
        ..info(sfid, desc(bti, 1, owords), 1, 0, regs)
    }
}

/// A64 untyped read of `n` dwords per lane.
pub(crate) const fn a64_read(lanes: u8, n: u8) -> SendInfo {
    let control = channel_mask(n) | simd_mode(lanes) << 4;
    info(
        SFID_DC1,
        desc(BTI_STATELESS, 0x11, control),
        2 * regs(lanes),
        0,
        n * regs(lanes),
    )
}

/// A64 untyped write.
pub(crate) const fn a64_write(lanes: u8, n: u8) -> SendInfo {
    let control = channel_mask(n) | simd_mode(lanes) << 4;
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            SFID_DC1,
            desc(BTI_STATELESS, 0x19, control),
            2 * regs(lanes),
            n * regs(lanes),
            0,
        )
    }
}

/// A64 scattered read of one byte or word per lane.
pub(crate) const fn a64_byte_read(lanes: u8, bytes: u8) -> SendInfo {
    let control = scattered_size(bytes) << 2 | ((lanes > 8) as u32) << 4;
    info(
        SFID_DC1,
        desc(BTI_STATELESS, 0x10, control),
        2 * regs(lanes),
        0,
        regs(lanes),
    )
}

/// A64 scattered write of one byte or word per lane.
pub(crate) const fn a64_byte_write(lanes: u8, bytes: u8) -> SendInfo {
    let control = scattered_size(bytes) << 2 | ((lanes > 8) as u32) << 4;
    SendInfo {
        writes: true,
        reads: false,
        ..info(
            SFID_DC1,
            desc(BTI_STATELESS, 0x1a, control),
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
        ..info(SFID_DC0, desc(0, 7, 1 << 5), 1, 0, 1)
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
        ..info(SFID_GATEWAY, 4, 1, 0, 0)
    }
}

/// Scratch block read of `n` registers (a power of two up to 8) at offset `at` in registers.
pub(crate) const fn scratch_read(n: u8, at: u32) -> SendInfo {
    let d = 1 << 18 | n.trailing_zeros() << 12 | at;
    SendInfo {
        header: true,
        ..info(SFID_DC0, d, 1, 0, n)
    }
}

/// Scratch block write.
pub(crate) const fn scratch_write(n: u8, at: u32) -> SendInfo {
    let d = 1 << 18 | 1 << 17 | n.trailing_zeros() << 12 | at;
    SendInfo {
        header: true,
        writes: true,
        reads: false,
        ..info(SFID_DC0, d, 1, n, 0)
    }
}

/// SIMD8 URB write of `n` dwords per lane, to slot `slot` of each lane's entry. Payload: the
/// handles as header; a register of slot offsets if `offset`; a register of channel masks (bits
/// 23:16) if `masked`; the data.
pub(crate) const fn urb_write(slot: u32, offset: bool, masked: bool, n: u8) -> SendInfo {
    const SIMD8_WRITE: u32 = 7;
    let desc = SIMD8_WRITE | slot << 4 | (masked as u32) << 15 | (offset as u32) << 17;
    SendInfo {
        header: true,
        writes: true,
        reads: false,
        ..info(SFID_URB, desc, 1 + offset as u8 + masked as u8 + n, 0, 0)
    }
}

/// SIMD8 URB read of `n` dwords per lane, with the handles and slot offsets of [`urb_write`].
pub(crate) const fn urb_read(slot: u32, offset: bool, n: u8) -> SendInfo {
    const SIMD8_READ: u32 = 8;
    let desc = SIMD8_READ | slot << 4 | (offset as u32) << 17;
    SendInfo {
        header: true,
        ..info(SFID_URB, desc, 1 + offset as u8, 0, n)
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
    (lane as u32 / 16) << 11
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
    let control = match kind {
        RenderTargetWrite::Simd16 => 0,
        RenderTargetWrite::Replicated => 1,
        RenderTargetWrite::DualSource => 2,
        RenderTargetWrite::Simd8 => 4,
    };
    const RENDER_TARGET_WRITE: u32 = 12;
    let control = control | (last as u32) << 4;
    SendInfo {
        writes: true,
        reads: false,
        // Render target writes must be in primitive order (SKL PRM vol. 7, "Thread Dependency",
        // SENDC).
        sendc: true,
        ..info(
            SFID_RENDER_CACHE,
            desc(target as u32, RENDER_TARGET_WRITE, control) | slot_group(lane),
            mlen,
            0,
            0,
        )
    }
}

/// Message Type of the pixel interpolator: the position at which it evaluates barycentrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterpolateAt {
    SharedOffset = 0,
    Sample = 1,
    Offset = 3,
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
    let wide = (lanes > 8) as u32;
    let desc = data | slot_group(lane) | (kind as u32) << 12 | (linear as u32) << 14 | wide << 16;
    info(SFID_PIXEL_INTERPOLATOR, desc, mlen, 0, 2 * regs(lanes))
}

/// Message Type of the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplerOp {
    Plain = 0,
    Bias = 1,
    Lod = 2,
    Compare = 3,
    Derivatives = 4,
    BiasCompare = 5,
    LodCompare = 6,
    Fetch = 7,
    Gather = 8,
    QueryLod = 9,
    Size = 10,
    Info = 11,
    GatherCompare = 16,
    GatherOffset = 17,
    GatherOffsetCompare = 18,
    DerivativesCompare = 20,
    LevelZero = 24,
    CompareLevelZero = 25,
    FetchLevelZero = 26,
    FetchMultisampled = 28,
    FetchMcs = 29,
}

/// Sampler message of `mlen` registers for a binding table index and a sampler index. The sampler
/// index is relative to the sampler state pointer of the header, if there is one.
pub(crate) const fn sample(
    (bti, sampler): (u32, u32),
    kind: SamplerOp,
    lanes: u8,
    mlen: u8,
    rlen: u8,
) -> SendInfo {
    let mode = if lanes > 8 { 2 } else { 1 };
    info(
        SFID_SAMPLER,
        bti | sampler << 8 | (kind as u32) << 12 | mode << 17,
        mlen,
        0,
        rlen,
    )
}
