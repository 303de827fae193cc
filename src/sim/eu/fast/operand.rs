//! Loads and stores of the fast paths.
//!
//! In:  a thread's state, an instruction. Out: arrays of 32-bit lanes, narrower integers extended; and back, flags with them.

use crate::access::{Load, Store};
use crate::flags;
use crate::region::DstOp;
use crate::state::State;
use crate::uop::Uop;
use isa::CondMod;

/// Lanes of an F source where they stand, and what is still to be done to each.
pub(crate) struct Floats<'r, const N: usize> {
    at: &'r [u32; N],
    and: u32,
    xor: u32,
    keep: u32,
}

impl<const N: usize> Floats<'_, N> {
    /// A lane: modifiers applied, denormals flushed as the mode says.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> f32 {
        f32::from_bits(flushed((self.at[i] & self.and) ^ self.xor, self.keep))
    }
}

/// Source `k`, an F, to be looked at lane by lane. `room` is for lanes that do not stand together.
#[inline(always)]
pub(crate) fn floats<'r, const N: usize>(
    t: &'r State,
    u: &Uop,
    k: usize,
    room: &'r mut Option<[u32; N]>,
) -> Floats<'r, N> {
    let o = &u.fast.src[k];
    let row = match o.load {
        Load::Contig32 => o.row(&t.regs),
        _ => None,
    };
    let s = &u.src[k];
    let at = match (row, o.load) {
        (Some(row), _) => row,
        (None, Load::Imm) => room.insert([o.imm; N]),
        (None, Load::Scalar) if s.size == 4 => room.insert([t.regs.dword(usize::from(s.base)); N]),
        (None, _) => room.insert(o.gathered(&t.regs, s)),
    };
    Floats {
        at,
        and: o.and,
        xor: o.xor,
        keep: t.denorm_keep,
    }
}

/// A denormal's bits cut to `keep`, others as they are.
#[inline(always)]
pub(crate) fn flushed(x: u32, keep: u32) -> u32 {
    let k = if x & 0x7f80_0000 == 0 { keep } else { u32::MAX };
    x & k
}

/// Source `k`, as 32-bit lanes.
#[inline(always)]
pub(crate) fn load<const N: usize>(t: &State, u: &Uop, k: usize) -> [u32; N] {
    u.fast.src[k].load(&t.regs, &u.src[k])
}

/// Words of source 0, each for four lanes, and lanes of source 1, as 32-bit lanes.
#[inline(always)]
pub(crate) fn fours_and<const N: usize>(t: &State, u: &Uop) -> ([u32; N], [u32; N]) {
    (u.fast.src[0].fours(&t.regs), load(t, u, 1))
}

/// Does something with source `k`, as 32-bit lanes: in a form of its own for lanes that stand together and have no modifiers,
/// and for words in rows, so that neither goes from one kind of the host's registers to the other.
#[inline(always)]
pub(crate) fn with<const N: usize>(
    t: &mut State,
    u: &Uop,
    k: usize,
    f: impl Fn(&mut State, [u32; N]),
) {
    let o = &u.fast.src[k];
    if o.is_plain() {
        if let (Load::Contig32, Some(row)) = (o.load, o.row(&t.regs)) {
            let row = *row;
            return f(t, row);
        }
        if o.load == Load::RowsU16 {
            let rows = o.rows(&t.regs);
            return f(t, rows);
        }
    }
    let lanes = load(t, u, k);
    f(t, lanes);
}

/// Source `k`, an F: denormals flushed as the mode says.
#[inline(always)]
pub(crate) fn load_f<const N: usize>(t: &State, u: &Uop, k: usize) -> [u32; N] {
    let mut v = load::<N>(t, u, k);
    flush(&mut v, t.denorm_keep);
    v
}

/// Clears denormals to `keep`: all of their bits, or their signs.
#[inline(always)]
pub(crate) fn flush<const N: usize>(v: &mut [u32; N], keep: u32) {
    for x in v {
        *x = flushed(*x, keep);
    }
}

/// Writes all lanes of a plain instruction: see [`Uop::plain`]. False where `m` has not all of them.
#[inline(always)]
pub(crate) fn store_row<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[u32; N]) -> bool {
    let to = t.regs.dwords_mut().get_mut(u.fast.base..);
    match to.and_then(|to| to.first_chunk_mut()) {
        Some(to) if m == flags::lanes(N as u8) => {
            *to = *v;
            true
        }
        _ => false,
    }
}

/// Writes the lanes of `m`.
#[inline(always)]
pub(crate) fn store<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[u32; N]) {
    let base = u.fast.base;
    match u.fast.store {
        Store::Null => {}
        Store::Contig32 => {
            let Some(d) = t.regs.dwords_mut().get_mut(base..base + N) else {
                return;
            };
            if m == flags::lanes(N as u8) {
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
            if m == flags::lanes(N as u8) {
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

fn store_any(t: &mut State, d: &DstOp, m: u32, v: &[u32]) {
    let size = usize::from(d.size);
    for (i, v) in v.iter().enumerate() {
        if m >> i & 1 != 0 {
            t.regs.write(d.offset(i), size, u64::from(*v));
        }
    }
}

/// One bit for each lane for which `f` holds.
#[inline(always)]
pub(crate) fn bits<const N: usize>(f: impl Fn(usize) -> bool) -> u32 {
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

/// Lanes that satisfy a conditional modifier in a comparison of two arrays.
#[inline(always)]
pub(crate) fn compare<T: PartialOrd + Copy, const N: usize>(
    c: CondMod,
    a: &[T; N],
    b: &[T; N],
) -> u32 {
    match c {
        CondMod::Z => bits::<N>(|i| a[i] == b[i]),
        CondMod::Nz => bits::<N>(|i| a[i] != b[i]),
        CondMod::G => bits::<N>(|i| a[i] > b[i]),
        CondMod::Ge => bits::<N>(|i| a[i] >= b[i]),
        CondMod::L => bits::<N>(|i| a[i] < b[i]),
        CondMod::Le => bits::<N>(|i| a[i] <= b[i]),
        _ => bits::<N>(|i| flags::compare(c, a[i], b[i])),
    }
}

/// All ones in the lanes of `b`.
#[inline(always)]
pub(crate) fn spread<const N: usize>(b: u32) -> [u32; N] {
    let mut v = [0u32; N];
    for (i, v) in v.iter_mut().enumerate() {
        *v = 0u32.wrapping_sub((b >> i) & 1);
    }
    v
}
