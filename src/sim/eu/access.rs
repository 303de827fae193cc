//! How the fast paths reach an operand's lanes, worked out once.
//!
//! In:  resolved operands, registers. Out: which load or store an operand takes, and arrays of 32-bit lanes, narrower
//! integers extended.

use crate::alu_int;
use crate::region::{DstOp, Kind, SrcOp};
use crate::regs::Regs;
use isa::{Opcode, Type};

/// How a source loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Load {
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
pub(crate) enum Store {
    #[default]
    Null,
    Contig32,
    Contig16,
    Any,
}

/// One source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operand {
    pub(crate) load: Load,
    /// Index of the first element, in elements.
    base: usize,
    mods: bool,
    pub(crate) and: u32,
    pub(crate) xor: u32,
    sub: u32,
    pub(crate) imm: u32,
    /// Of words in fours or rows: the first of each, as an index.
    groups: [u16; 8],
}

/// Operands resolved for the fast paths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operands {
    pub(crate) src: [Operand; 3],
    pub(crate) store: Store,
    /// Index of the destination's first element, in elements.
    pub(crate) base: usize,
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

/// Immediates of a vector's lanes: those are of words and of floats alone.
#[inline(always)]
fn immediates<const N: usize>(s: &SrcOp) -> [u32; N] {
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

impl Operand {
    pub(crate) fn new(s: &SrcOp, logic: bool, n: u8) -> Operand {
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
        if let (Load::FoursU16 | Load::RowsU16, Some(table)) = (o.load, &s.table) {
            let firsts = table.as_chunks::<4>().0.iter().map(|[first, ..]| first / 2);
            for (to, first) in o.groups.iter_mut().zip(firsts) {
                *to = first;
            }
        }
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
    pub(crate) fn load<const N: usize>(&self, r: &Regs, s: &SrcOp) -> [u32; N] {
        let mut v = match self.load {
            Load::Imm => return [self.imm; N],
            Load::Contig32 => match self.row(r) {
                Some(row) => *row,
                None => [0; N],
            },
            Load::Scalar if s.size == 4 => [r.dword(usize::from(s.base)); N],
            Load::FoursU16 => self.fours(r),
            Load::RowsU16 => self.rows(r),
            Load::ImmLanes => immediates(s),
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
    pub(crate) fn row<'r, const N: usize>(&self, r: &'r Regs) -> Option<&'r [u32; N]> {
        r.dwords().get(self.base..)?.first_chunk()
    }

    /// Words, each for four lanes.
    #[inline(always)]
    pub(crate) fn fours<const N: usize>(&self, r: &Regs) -> [u32; N] {
        let mut v = [0; N];
        for (four, at) in v.chunks_mut(4).zip(self.groups) {
            let word = r.words().get(usize::from(at));
            four.fill(word.copied().map_or(0, u32::from));
        }
        v
    }

    /// Words, each for four lanes, without modifiers.
    pub(crate) fn is_fours(&self) -> bool {
        self.load == Load::FoursU16 && !self.mods
    }

    /// There are no modifiers.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        !self.mods
    }

    /// Words, four lanes' side by side.
    #[inline(always)]
    pub(crate) fn rows<const N: usize>(&self, r: &Regs) -> [u32; N] {
        let mut v = [0; N];
        for (four, at) in v.as_chunks_mut::<4>().0.iter_mut().zip(self.groups) {
            let row = r.words().get(usize::from(at)..);
            if let Some(row) = row.and_then(|row| row.first_chunk::<4>()) {
                *four = row.map(u32::from);
            }
        }
        v
    }

    /// Lanes that stand apart, or that are not dwords: extended, without modifiers.
    #[inline(never)]
    pub(crate) fn gathered<const N: usize>(&self, r: &Regs, s: &SrcOp) -> [u32; N] {
        let mut v = [0u32; N];
        match self.load {
            Load::Imm | Load::Contig32 => {}
            Load::ImmLanes => v = immediates(s),
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
            Load::FoursU16 => v = self.fours(r),
            Load::RowsU16 => v = self.rows(r),
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

impl Operands {
    /// Of an instruction of `n` lanes, by its operands.
    pub(crate) fn new(op: Opcode, n: u8, src: &[SrcOp], dst: &DstOp) -> Operands {
        let logic = alu_int::is_logic(op);
        let mut o = Operands::default();
        for (to, s) in o.src.iter_mut().zip(src) {
            *to = Operand::new(s, logic, n);
        }
        let size = usize::from(dst.size);
        o.base = usize::from(dst.base) / size;
        let aligned = usize::from(dst.base).is_multiple_of(size);
        o.store = match (dst.kind, size, aligned) {
            (Kind::Null, ..) => Store::Null,
            (Kind::Contig, 4, true) => Store::Contig32,
            (Kind::Contig, 2, true) => Store::Contig16,
            _ => Store::Any,
        };
        o
    }
}
