//! Loads and stores of operands on the fast paths, chosen at decode time.
//!
//! In:  resolved operands, registers. Out: the kind of load or store for an operand, and arrays of
//!      32-bit lanes, with narrower integers extended.

use crate::alu_int;
use crate::region::{DstOp, OperandKind, SrcOp};
use crate::regs::Regs;
use isa::{Opcode, Type};

/// How a source is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Load {
    #[default]
    Imm,
    ImmLanes,
    Scalar,
    Contig32,
    Table32,
    /// Dwords, each for four lanes, as derivatives read them.
    QuadSplat32,
    ContigU16,
    ContigS16,
    TableU16,
    /// Words, each for four lanes.
    QuadSplatU16,
    /// Words, contiguous within each four lanes.
    QuadRowsU16,
    TableS16,
    /// Elements of any size at any offset.
    Any,
}

/// How a destination is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Store {
    #[default]
    Null,
    Contig32,
    Contig16,
    Any,
}

/// A source of a fast path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastSrc {
    pub(crate) load: Load,
    /// Index of the first element, in elements.
    base: usize,
    has_modifiers: bool,
    /// Modifiers of a lane x: `((x & and) ^ xor) - sub`.
    pub(crate) and: u32,
    pub(crate) xor: u32,
    sub: u32,
    pub(crate) imm: u32,
    /// For [`Load::QuadSplatU16`] and [`Load::QuadRowsU16`]: index of the first word of each four
    /// lanes.
    quad_starts: [u16; 8],
}

/// The operands of an instruction on a fast path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastOperands {
    pub(crate) src: [FastSrc; 3],
    pub(crate) store: Store,
    /// Index of the destination's first element, in elements.
    pub(crate) base: usize,
}

/// Sign- or zero-extends an element to 32 bits.
fn extend(v: u64, ty: Type) -> u32 {
    match ty {
        Type::Ub => u32::from(v as u8),
        Type::B => v as i8 as u32,
        Type::Uw | Type::Hf => u32::from(v as u16),
        Type::W => v as i16 as u32,
        _ => v as u32,
    }
}

/// Loads the words of a table region, converted by `dword`. The region lies within the registers.
#[inline(always)]
fn load_words<const N: usize>(r: &Regs, s: &SrcOp, v: &mut [u32; N], dword: impl Fn(u16) -> u32) {
    let all = r.words();
    if let Some(table) = &s.table {
        for (x, at) in v.iter_mut().zip(table.iter()) {
            *x = dword(all.get(usize::from(*at) / 2).copied().unwrap_or(0));
        }
    }
}

/// Loads the lanes of a vector immediate, whose elements are words or floats.
#[inline(always)]
fn immediate_lanes<const N: usize>(s: &SrcOp) -> [u32; N] {
    let mut v = [0; N];
    if let Some(l) = s.lanes.as_ref().and_then(|l| l.first_chunk()) {
        v = *l;
    }
    if s.ty == Type::W {
        for x in &mut v {
            *x = *x as i16 as u32;
        }
    }
    v
}

impl FastSrc {
    pub(crate) fn new(s: &SrcOp, logic: bool, n: u8) -> FastSrc {
        let size = usize::from(s.size);
        let aligned = usize::from(s.base).is_multiple_of(size);
        let mut o = FastSrc {
            base: usize::from(s.base) / size,
            and: u32::MAX,
            ..FastSrc::default()
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
        o.has_modifiers = s.neg || (s.abs && s.ty.is_float());
        o.load = match s.kind {
            OperandKind::Imm if s.lanes.is_some() => Load::ImmLanes,
            OperandKind::Imm => Load::Imm,
            OperandKind::Scalar => Load::Scalar,
            _ if !aligned => Load::Any,
            OperandKind::Contiguous if size == 4 => Load::Contig32,
            OperandKind::Contiguous if s.ty == Type::W => Load::ContigS16,
            OperandKind::Contiguous if size == 2 => Load::ContigU16,
            _ if size == 4 && s.is_splat_per_quad(n) => Load::QuadSplat32,
            _ if size == 4 => Load::Table32,
            _ if size == 2 && s.table.is_some() => match s.ty {
                Type::W => Load::TableS16,
                _ if s.is_splat_per_quad(n) => Load::QuadSplatU16,
                _ if s.is_contiguous_per_quad(n) => Load::QuadRowsU16,
                _ => Load::TableU16,
            },
            _ => Load::Any,
        };
        if let (Load::QuadSplatU16 | Load::QuadRowsU16, Some(table)) = (o.load, &s.table) {
            let firsts = table.as_chunks::<4>().0.iter().map(|[first, ..]| first / 2);
            for (to, first) in o.quad_starts.iter_mut().zip(firsts) {
                *to = first;
            }
        }
        if o.load == Load::Imm {
            o.imm = o.modify(extend(s.imm, s.ty));
            o.has_modifiers = false;
            (o.and, o.xor, o.sub) = (u32::MAX, 0, 0);
        }
        o
    }

    /// Applies the source modifiers to a lane.
    #[inline(always)]
    fn modify(&self, x: u32) -> u32 {
        ((x & self.and) ^ self.xor).wrapping_sub(self.sub)
    }

    /// Loads the lanes of the source, with integers extended to 32 bits and modifiers applied.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, r: &Regs, s: &SrcOp) -> [u32; N] {
        let mut v = match self.load {
            Load::Imm => return [self.imm; N],
            Load::Contig32 => match self.contiguous(r) {
                Some(row) => *row,
                None => [0; N],
            },
            Load::Scalar if s.size == 4 => [r.dword(usize::from(s.base)); N],
            Load::QuadSplatU16 => self.quad_splat(r),
            Load::QuadRowsU16 => self.quad_rows(r),
            Load::ImmLanes => immediate_lanes(s),
            _ => self.gather(r, s),
        };
        if self.has_modifiers {
            for x in &mut v {
                *x = self.modify(*x);
            }
        }
        v
    }

    /// The lanes of a contiguous dword source, in place.
    #[inline(always)]
    pub(crate) fn contiguous<'r, const N: usize>(&self, r: &'r Regs) -> Option<&'r [u32; N]> {
        r.dwords().get(self.base..)?.first_chunk()
    }

    /// Loads words, each for four lanes, without modifiers.
    #[inline(always)]
    pub(crate) fn quad_splat<const N: usize>(&self, r: &Regs) -> [u32; N] {
        let mut v = [0; N];
        for (quad, at) in v.chunks_mut(4).zip(self.quad_starts) {
            let word = r.words().get(usize::from(at));
            quad.fill(word.copied().map_or(0, u32::from));
        }
        v
    }

    /// True for a [`Load::QuadSplatU16`] without modifiers.
    pub(crate) fn is_plain_quad_splat(&self) -> bool {
        self.load == Load::QuadSplatU16 && !self.has_modifiers
    }

    /// True if the source has no modifiers.
    #[inline(always)]
    pub(crate) fn has_no_modifiers(&self) -> bool {
        !self.has_modifiers
    }

    /// Loads words that are contiguous within each four lanes, without modifiers.
    #[inline(always)]
    pub(crate) fn quad_rows<const N: usize>(&self, r: &Regs) -> [u32; N] {
        let mut v = [0; N];
        for (quad, at) in v.as_chunks_mut::<4>().0.iter_mut().zip(self.quad_starts) {
            let row = r.words().get(usize::from(at)..);
            if let Some(row) = row.and_then(|row| row.first_chunk::<4>()) {
                *quad = row.map(u32::from);
            }
        }
        v
    }

    /// Loads lanes of any kind, extended, without modifiers. Not inlined: for sources that are not
    /// contiguous dwords.
    #[inline(never)]
    pub(crate) fn gather<const N: usize>(&self, r: &Regs, s: &SrcOp) -> [u32; N] {
        let mut v = [0u32; N];
        match self.load {
            Load::Imm | Load::Contig32 => {}
            Load::ImmLanes => v = immediate_lanes(s),
            Load::Scalar => {
                let x = if s.size == 4 {
                    r.dword(usize::from(s.base))
                } else {
                    extend(r.read(usize::from(s.base), usize::from(s.size)), s.ty)
                };
                v = [x; N];
            }
            Load::QuadSplat32 => {
                if let Some(t) = &s.table {
                    let firsts = t.as_chunks::<4>().0.iter();
                    for (quad, [at, ..]) in v.chunks_mut(4).zip(firsts) {
                        quad.fill(r.dword(usize::from(*at)));
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
            Load::QuadSplatU16 => v = self.quad_splat(r),
            Load::QuadRowsU16 => v = self.quad_rows(r),
            Load::TableU16 => load_words(r, s, &mut v, u32::from),
            Load::TableS16 => load_words(r, s, &mut v, |x| x as i16 as u32),
            Load::Any => {
                for (i, x) in v.iter_mut().enumerate() {
                    *x = extend(r.read(s.offset(i), usize::from(s.size)), s.ty);
                }
            }
        }
        v
    }
}

impl FastOperands {
    /// Chooses loads and a store for the operands of an instruction of `n` lanes.
    pub(crate) fn new(op: Opcode, n: u8, src: &[SrcOp], dst: &DstOp) -> FastOperands {
        let logic = alu_int::is_logic(op);
        let mut o = FastOperands::default();
        for (to, s) in o.src.iter_mut().zip(src) {
            *to = FastSrc::new(s, logic, n);
        }
        let size = usize::from(dst.size);
        o.base = usize::from(dst.base) / size;
        let aligned = usize::from(dst.base).is_multiple_of(size);
        o.store = match (dst.kind, size, aligned) {
            (OperandKind::Null, ..) => Store::Null,
            (OperandKind::Contiguous, 4, true) => Store::Contig32,
            (OperandKind::Contiguous, 2, true) => Store::Contig16,
            _ => Store::Any,
        };
        o
    }
}
