//! Loads and stores of the fast paths.
//!
//! In:  resolved operands. Out: arrays of 32-bit lanes, narrower integers extended; and back.

use crate::decode::Uop;
use crate::flags;
use crate::general;
use crate::region::{DstOp, Kind, SrcOp};
use crate::regs::Regs;
use crate::thread::Thread;
use isa::{CondMod, Type};

/// How a source loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Load {
    #[default]
    Imm,
    ImmLanes,
    Scalar,
    Contig32,
    Table32,
    /// Dwords, each for four lanes: what derivatives are made of.
    Fours32,
    ContigU16,
    ContigS16,
    TableU16,
    /// Words, each for four lanes.
    FoursU16,
    /// Words, four lanes' side by side.
    RowsU16,
    TableS16,
    /// Bytes, and words at any place.
    Narrow,
}

/// How a destination stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Store {
    #[default]
    Null,
    Contig32,
    Contig16,
    Any,
}

/// One source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operand {
    load: Load,
    /// Index of the first element, in elements.
    base: usize,
    mods: bool,
    and: u32,
    xor: u32,
    sub: u32,
    imm: u32,
}

/// Operands resolved for the fast paths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operands {
    src: [Operand; 3],
    store: Store,
    /// Index of the destination's first element, in elements.
    base: usize,
}

fn extend(v: u64, ty: Type) -> u32 {
    match ty {
        Type::Ub => u32::from(v as u8),
        Type::B => v as i8 as u32,
        Type::Uw | Type::Hf => u32::from(v as u16),
        Type::W => v as i16 as u32,
        _ => v as u32,
    }
}

/// Words of a region, each made a dword. All of a region is within the registers.
#[inline(always)]
fn words<const N: usize>(r: &Regs, s: &SrcOp, v: &mut [u32; N], dword: impl Fn(u16) -> u32) {
    let all = r.words();
    if let Some(table) = &s.table {
        for (x, at) in v.iter_mut().zip(table.iter()) {
            *x = dword(all.get(usize::from(*at) / 2).copied().unwrap_or(0));
        }
    }
}

impl Operand {
    fn new(s: &SrcOp, logic: bool, n: u8) -> Operand {
        let size = usize::from(s.size);
        let aligned = usize::from(s.base).is_multiple_of(size);
        let mut o = Operand {
            base: usize::from(s.base) / size,
            and: u32::MAX,
            ..Operand::default()
        };
        if s.ty.is_float() {
            if s.abs {
                o.and = 0x7fff_ffff;
            }
            if s.neg {
                o.xor = 0x8000_0000;
            }
        } else if s.neg {
            o.xor = u32::MAX;
            o.sub = if logic { 0 } else { u32::MAX };
        }
        o.mods = s.neg || (s.abs && s.ty.is_float());
        o.load = match s.kind {
            Kind::Imm if s.lanes.is_some() => Load::ImmLanes,
            Kind::Imm => Load::Imm,
            Kind::Scalar => Load::Scalar,
            _ if !aligned => Load::Narrow,
            Kind::Contig if size == 4 => Load::Contig32,
            Kind::Contig if s.ty == Type::W => Load::ContigS16,
            Kind::Contig if size == 2 => Load::ContigU16,
            _ if size == 4 && s.is_in_fours(n) => Load::Fours32,
            _ if size == 4 => Load::Table32,
            _ if size == 2 && s.table.is_some() => match s.ty {
                Type::W => Load::TableS16,
                _ if s.is_in_fours(n) => Load::FoursU16,
                _ if s.is_in_rows(n) => Load::RowsU16,
                _ => Load::TableU16,
            },
            _ => Load::Narrow,
        };
        if o.load == Load::Imm {
            o.imm = o.modify(extend(s.imm, s.ty));
            o.mods = false;
            (o.and, o.xor, o.sub) = (u32::MAX, 0, 0);
        }
        o
    }

    #[inline(always)]
    fn modify(&self, x: u32) -> u32 {
        ((x & self.and) ^ self.xor).wrapping_sub(self.sub)
    }

    /// Lanes of the source, integers extended to 32 bits, modifiers applied.
    #[inline(always)]
    fn load<const N: usize>(&self, r: &Regs, s: &SrcOp) -> [u32; N] {
        let mut v = match self.load {
            Load::Imm => return [self.imm; N],
            Load::Contig32 => match self.row(r) {
                Some(row) => *row,
                None => [0; N],
            },
            _ => self.gathered(r, s),
        };
        if self.mods {
            for x in &mut v {
                *x = self.modify(*x);
            }
        }
        v
    }

    /// Dwords that stand together in the registers.
    #[inline(always)]
    fn row<'r, const N: usize>(&self, r: &'r Regs) -> Option<&'r [u32; N]> {
        r.dwords().get(self.base..)?.first_chunk()
    }

    /// Lanes that stand apart, or that are not dwords: extended, without modifiers.
    #[inline(never)]
    fn gathered<const N: usize>(&self, r: &Regs, s: &SrcOp) -> [u32; N] {
        let mut v = [0u32; N];
        match self.load {
            Load::Imm | Load::Contig32 => {}
            Load::ImmLanes => {
                if let Some(l) = &s.lanes {
                    // Those are of words and of floats alone.
                    for (x, l) in v.iter_mut().zip(l.iter()) {
                        *x = if s.ty == Type::W {
                            *l as i16 as u32
                        } else {
                            *l
                        };
                    }
                }
            }
            Load::Scalar => {
                let x = if s.size == 4 {
                    r.dword(usize::from(s.base))
                } else {
                    extend(r.read(usize::from(s.base), usize::from(s.size)), s.ty)
                };
                v = [x; N];
            }
            Load::Fours32 => {
                if let Some(t) = &s.table {
                    let firsts = t.as_chunks::<4>().0.iter();
                    for (four, [at, ..]) in v.chunks_mut(4).zip(firsts) {
                        four.fill(r.dword(usize::from(*at)));
                    }
                }
            }
            Load::Table32 => {
                if let Some(t) = &s.table {
                    for (x, at) in v.iter_mut().zip(t.iter()) {
                        *x = r.dword(usize::from(*at));
                    }
                }
            }
            Load::ContigU16 => {
                if let Some(x) = r.words().get(self.base..self.base + N) {
                    for (v, x) in v.iter_mut().zip(x) {
                        *v = u32::from(*x);
                    }
                }
            }
            Load::ContigS16 => {
                if let Some(x) = r.words().get(self.base..self.base + N) {
                    for (v, x) in v.iter_mut().zip(x) {
                        *v = *x as i16 as u32;
                    }
                }
            }
            Load::FoursU16 => {
                if let Some(t) = &s.table {
                    let firsts = t.as_chunks::<4>().0.iter();
                    for (four, [at, ..]) in v.chunks_mut(4).zip(firsts) {
                        let word = r.words().get(usize::from(*at) / 2);
                        four.fill(word.copied().map_or(0, u32::from));
                    }
                }
            }
            Load::RowsU16 => {
                if let Some(t) = &s.table {
                    let firsts = t.as_chunks::<4>().0.iter();
                    for (four, [at, ..]) in v.chunks_mut(4).zip(firsts) {
                        let from = r.words().get(usize::from(*at) / 2..).unwrap_or_default();
                        for (x, word) in four.iter_mut().zip(from) {
                            *x = u32::from(*word);
                        }
                    }
                }
            }
            Load::TableU16 => words(r, s, &mut v, u32::from),
            Load::TableS16 => words(r, s, &mut v, |x| x as i16 as u32),
            Load::Narrow => {
                for (i, x) in v.iter_mut().enumerate() {
                    *x = extend(r.read(s.offset(i), usize::from(s.size)), s.ty);
                }
            }
        }
        v
    }
}

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

    /// All lanes: apart from what is done with them, as steps of double width would halve those of this.
    #[inline(never)]
    pub(crate) fn all(&self) -> [f32; N] {
        std::array::from_fn(|i| self.get(i))
    }
}

/// Source `k`, an F, to be looked at lane by lane. `room` is for lanes that do not stand together.
#[inline(always)]
pub(crate) fn floats<'r, const N: usize>(
    t: &'r Thread,
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

impl Operands {
    pub(crate) fn new(u: &Uop) -> Operands {
        let logic = general::is_logic(u.op);
        let mut o = Operands::default();
        for k in 0..usize::from(u.sources).min(3) {
            o.src[k] = Operand::new(&u.src[k], logic, u.n);
        }
        let size = usize::from(u.dst.size);
        o.base = usize::from(u.dst.base) / size;
        let aligned = usize::from(u.dst.base).is_multiple_of(size);
        o.store = match (u.dst.kind, size, aligned) {
            (Kind::Null, ..) => Store::Null,
            (Kind::Contig, 4, true) => Store::Contig32,
            (Kind::Contig, 2, true) => Store::Contig16,
            _ => Store::Any,
        };
        o
    }
}

/// Source `k`, as 32-bit lanes.
#[inline(always)]
pub(crate) fn load<const N: usize>(t: &Thread, u: &Uop, k: usize) -> [u32; N] {
    u.fast.src[k].load(&t.regs, &u.src[k])
}

/// Source `k`, an F: denormals flushed as the mode says.
#[inline(always)]
pub(crate) fn load_f<const N: usize>(t: &Thread, u: &Uop, k: usize) -> [u32; N] {
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

/// Writes the lanes of `m`.
#[inline(always)]
pub(crate) fn store<const N: usize>(t: &mut Thread, u: &Uop, m: u32, v: &[u32; N]) {
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

fn store_any(t: &mut Thread, d: &DstOp, m: u32, v: &[u32]) {
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
pub(crate) fn set_flags(t: &mut Thread, u: &Uop, m: u32, value: u32) {
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
