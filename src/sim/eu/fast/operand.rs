//! Loads, stores and flags of the 32-bit fast paths.
//!
//! In:  a thread's state, a micro-op. Out: sources as arrays of 32-bit lanes, with narrower
//!      integers extended; results and flags written back.

use crate::access::{Load, Store};
use crate::flags;
use crate::region::DstOp;
use crate::state::State;
use crate::uop::Uop;
use isa::CondMod;

/// The lanes of an F source, in place if possible; modifiers and denormal flushing are applied to a
/// lane when it is read.
pub(crate) struct FloatLanes<'r, const N: usize> {
    lanes: &'r [u32; N],
    and: u32,
    xor: u32,
    keep: u32,
}

impl<const N: usize> FloatLanes<'_, N> {
    /// Reads a lane, with modifiers applied and denormals flushed.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> f32 {
        f32::from_bits(flush_denorm(
            (self.lanes[i] & self.and) ^ self.xor,
            self.keep,
        ))
    }
}

/// The lanes of source `k`, an F. `scratch` holds them if they are not contiguous in the registers.
#[inline(always)]
pub(crate) fn float_lanes<'r, const N: usize>(
    t: &'r State,
    u: &Uop,
    k: usize,
    scratch: &'r mut Option<[u32; N]>,
) -> FloatLanes<'r, N> {
    let o = &u.fast.src[k];
    let row = match o.load {
        Load::Contig32 => o.contiguous(&t.regs),
        _ => None,
    };
    let s = &u.src[k];
    let lanes = match (row, o.load) {
        (Some(row), _) => row,
        (None, Load::Imm) => scratch.insert([o.imm; N]),
        (None, Load::Scalar) if s.size == 4 => {
            scratch.insert([t.regs.dword(usize::from(s.base)); N])
        }
        (None, _) => scratch.insert(o.gather(&t.regs, s)),
    };
    FloatLanes {
        lanes,
        and: o.and,
        xor: o.xor,
        keep: t.f_denorm_mask,
    }
}

/// Masks the bits of a denormal F with `keep`; other numbers are unchanged.
#[inline(always)]
pub(crate) fn flush_denorm(x: u32, keep: u32) -> u32 {
    let k = if x & 0x7f80_0000 == 0 { keep } else { u32::MAX };
    x & k
}

/// Loads source `k` as 32-bit lanes.
#[inline(always)]
pub(crate) fn load<const N: usize>(t: &State, u: &Uop, k: usize) -> [u32; N] {
    u.fast.src[k].load(&t.regs, &u.src[k])
}

/// Loads source 0, words that are each for four lanes, and source 1 as 32-bit lanes.
#[inline(always)]
pub(crate) fn load_quad_splat_and_lanes<const N: usize>(
    t: &State,
    u: &Uop,
) -> ([u32; N], [u32; N]) {
    (u.fast.src[0].quad_splat(&t.regs), load(t, u, 1))
}

/// Calls `f` with source `k` as 32-bit lanes. Contiguous dwords and words in quad rows, without
/// modifiers, have call sites of their own, so that the compiler keeps their lanes in vector
/// registers.
#[inline(always)]
pub(crate) fn with_lanes<const N: usize>(
    t: &mut State,
    u: &Uop,
    k: usize,
    f: impl Fn(&mut State, [u32; N]),
) {
    let o = &u.fast.src[k];
    if o.has_no_modifiers() {
        if let (Load::Contig32, Some(row)) = (o.load, o.contiguous(&t.regs)) {
            let row = *row;
            return f(t, row);
        }
        if o.load == Load::QuadRowsU16 {
            let rows = o.quad_rows(&t.regs);
            return f(t, rows);
        }
    }
    let lanes = load(t, u, k);
    f(t, lanes);
}

/// Loads source `k`, an F, with denormals flushed.
#[inline(always)]
pub(crate) fn load_flushed<const N: usize>(t: &State, u: &Uop, k: usize) -> [u32; N] {
    let mut v = load::<N>(t, u, k);
    flush_denorms(&mut v, t.f_denorm_mask);
    v
}

/// Masks the bits of denormals with `keep`: all bits remain, or only the sign.
#[inline(always)]
pub(crate) fn flush_denorms<const N: usize>(v: &mut [u32; N], keep: u32) {
    for x in v {
        *x = flush_denorm(*x, keep);
    }
}

/// Stores all lanes of an instruction with [`Uop::plain_dwords`]. False, without effect, if `m`
/// does not enable all of them.
#[inline(always)]
pub(crate) fn store_all_dwords<const N: usize>(
    t: &mut State,
    u: &Uop,
    m: u32,
    v: &[u32; N],
) -> bool {
    let to = t.regs.dwords_mut().get_mut(u.fast.base..);
    match to.and_then(|to| to.first_chunk_mut()) {
        Some(to) if m == flags::lane_mask(N as u8) => {
            *to = *v;
            true
        }
        _ => false,
    }
}

/// Stores the lanes in `m`.
#[inline(always)]
pub(crate) fn store<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[u32; N]) {
    let base = u.fast.base;
    match u.fast.store {
        Store::Null => {}
        Store::Contig32 => {
            let Some(d) = t.regs.dwords_mut().get_mut(base..base + N) else {
                return;
            };
            if m == flags::lane_mask(N as u8) {
                d.copy_from_slice(v);
            } else {
                for (i, (d, v)) in d.iter_mut().zip(v).enumerate() {
                    let k = 0u32.wrapping_sub((m >> i) & 1);
                    *d = (*d & !k) | (*v & k);
                }
            }
        }
        Store::Contig16 => {
            let Some(d) = t.regs.words_mut().get_mut(base..base + N) else {
                return;
            };
            if m == flags::lane_mask(N as u8) {
                for (d, v) in d.iter_mut().zip(v) {
                    *d = *v as u16;
                }
                return;
            }
            for (i, (d, v)) in d.iter_mut().zip(v).enumerate() {
                let k = 0u16.wrapping_sub((m >> i) as u16 & 1);
                *d = (*d & !k) | (*v as u16 & k);
            }
        }
        Store::Any => store_any(t, &u.dst, m, v),
    }
}

/// Stores the lanes in `m` of a destination of any kind.
fn store_any(t: &mut State, d: &DstOp, m: u32, v: &[u32]) {
    let size = usize::from(d.size);
    for (i, v) in v.iter().enumerate() {
        if m >> i & 1 != 0 {
            t.regs.write(d.offset(i), size, u64::from(*v));
        }
    }
}

/// A mask of the lanes for which `f` is true.
#[inline(always)]
pub(crate) fn lane_bits<const N: usize>(f: impl Fn(usize) -> bool) -> u32 {
    let mut b = 0;
    for i in 0..N {
        b |= u32::from(f(i)) << i;
    }
    b
}

/// Writes the flags of the lanes in `m`.
#[inline(always)]
pub(crate) fn set_flags(t: &mut State, u: &Uop, m: u32, value: u32) {
    let f = t.regs.flags();
    t.regs.set_flags(flags::merge(f, u.flag_bit(), m, value));
}

/// Compares two arrays by a conditional modifier: a mask of the lanes for which it holds.
#[inline(always)]
pub(crate) fn compare<T: PartialOrd + Copy, const N: usize>(
    c: CondMod,
    a: &[T; N],
    b: &[T; N],
) -> u32 {
    match c {
        CondMod::Z => lane_bits::<N>(|i| a[i] == b[i]),
        CondMod::Nz => lane_bits::<N>(|i| a[i] != b[i]),
        CondMod::G => lane_bits::<N>(|i| a[i] > b[i]),
        CondMod::Ge => lane_bits::<N>(|i| a[i] >= b[i]),
        CondMod::L => lane_bits::<N>(|i| a[i] < b[i]),
        CondMod::Le => lane_bits::<N>(|i| a[i] <= b[i]),
        _ => lane_bits::<N>(|i| flags::compare(c, a[i], b[i])),
    }
}

/// All ones in the lanes of the mask `b`, zeros in the others.
#[inline(always)]
pub(crate) fn lane_masks<const N: usize>(b: u32) -> [u32; N] {
    let mut v = [0u32; N];
    for (i, v) in v.iter_mut().enumerate() {
        *v = 0u32.wrapping_sub((b >> i) & 1);
    }
    v
}
