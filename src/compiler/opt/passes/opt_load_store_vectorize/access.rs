//! Memory accesses: what they access, and which of them may access the same bytes.

use crate::analysis::offset::{Linear, Terms, constant_start, is_slots, range, terms_multiple};
use crate::pass::RobustBuffers;
use entity::Id;
use nir::*;

/// Classes of memory that do not alias each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Buffers and physical addresses.
    Buffer,
    Shared,
    Scratch,
    /// Tessellation control outputs, per patch and per vertex.
    Patch,
    Points,
    /// Not written while the shader runs.
    Constant,
}

/// The class, the index of the offset operand, the index of the handle operand, and whether it is a
/// store.
pub(super) fn classify(stage: Stage, i: &Intrinsic) -> Option<(Class, usize, Option<usize>, bool)> {
    use IntrinsicOp as Op;
    let op = i.op;
    if stage == Stage::TessControl {
        let slots = match op {
            Op::LoadPerVertexInput => Some((Class::Constant, 1, Some(0), false)),
            Op::LoadOutput => Some((Class::Patch, 0, None, false)),
            Op::StoreOutput => Some((Class::Patch, 1, None, true)),
            Op::LoadPerVertexOutput => Some((Class::Points, 1, Some(0), false)),
            Op::StorePerVertexOutput => Some((Class::Points, 2, Some(1), true)),
            _ => None,
        };
        if slots.is_some() {
            return slots;
        }
    }
    Some(match op {
        Op::LoadUbo => (Class::Constant, 1, Some(0), false),
        Op::LoadPushConstant => (Class::Constant, 0, None, false),
        Op::LoadConstant => (Class::Constant, 0, None, false),
        Op::LoadGlobalConstant => (Class::Constant, 0, None, false),
        Op::LoadSsbo if nir::Access::from_bits(i.index("access")).unchanging => {
            (Class::Constant, 1, Some(0), false)
        }
        Op::LoadSsbo => (Class::Buffer, 1, Some(0), false),
        Op::StoreSsbo => (Class::Buffer, 2, Some(1), true),
        Op::LoadGlobal => (Class::Buffer, 0, None, false),
        Op::StoreGlobal => (Class::Buffer, 1, None, true),
        Op::LoadShared => (Class::Shared, 0, None, false),
        Op::StoreShared => (Class::Shared, 1, None, true),
        Op::LoadScratch => (Class::Scratch, 0, None, false),
        Op::StoreScratch => (Class::Scratch, 1, None, true),
        _ => return None,
    })
}

/// True for accesses that are bounds-checked by the hardware and have to be robust.
fn is_robust(robust: RobustBuffers, op: IntrinsicOp) -> bool {
    use IntrinsicOp as Op;
    match op {
        Op::LoadUbo => robust.uniform,
        Op::LoadSsbo | Op::StoreSsbo => robust.storage,
        _ => false,
    }
}

/// Accesses with equal keys differ only in constant offsets and in size.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) op: IntrinsicOp,
    /// The buffer, or the vertex.
    pub(super) handle: Option<Id<Def>>,
    /// The dynamic part of the offset.
    pub(super) terms: Terms,
    /// Access qualifiers; for I/O slots, the number of slots that a dynamic offset may reach.
    pub(super) access: u32,
}

/// What is known of a number: its residue modulo a power of two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Residue {
    pub(super) modulus: i64,
    pub(super) residue: i64,
}

/// Alignments beyond this are of no use.
const MAX_ALIGN: i64 = 16;

/// An access, apart from its place in the block.
#[derive(Clone)]
pub(super) struct Access {
    /// Index in the block.
    pub(super) at: usize,
    pub(super) instr: Id<Instr>,
    /// The constant part of the offset.
    pub(super) offset: i64,
    /// Bits of each component.
    pub(super) bits: u8,
    pub(super) components: u8,
    /// The smallest and the last offset that the whole access may reach, if they are known.
    range: Option<(u64, u64)>,
}

impl Access {
    pub(super) fn bytes(&self) -> i64 {
        i64::from(self.bits / 8) * i64::from(self.components)
    }
    pub(super) fn end(&self) -> i64 {
        self.offset + self.bytes()
    }
    pub(super) fn is_narrow(&self) -> bool {
        self.bits < 32
    }
    pub(super) fn overlaps(&self, other: &Access) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }
}

/// An access as the pass meets it, with all that decides about merging it.
pub(super) struct Candidate {
    pub(super) key: Key,
    pub(super) class: Class,
    pub(super) store: bool,
    /// Accesses I/O slots.
    pub(super) slots: bool,
    /// The bit size of the offset, if the access has to be robust.
    pub(super) robust_bits: Option<u8>,
    /// What is known of the dynamic part of the offset.
    pub(super) dynamic: Residue,
    /// It can be merged: a whole write of a supported size, not volatile.
    pub(super) fits: bool,
    pub(super) access: Access,
}

impl Candidate {
    /// The access of the intrinsic at index `at` of its block, if it accesses memory that the pass
    /// knows.
    pub(super) fn new(
        s: &Shader,
        at: usize,
        instr: Id<Instr>,
        robust: RobustBuffers,
    ) -> Option<Candidate> {
        let Instr::Intrinsic(i) = &s.instrs[instr] else {
            return None;
        };
        let (class, offset_at, handle_at, store) = classify(s.stage, i)?;
        let value = if store { Some(i.srcs[0]) } else { i.def };
        let shape = value.map(|v| s.defs[v])?;
        let slots = is_slots(i);
        let offset = Linear::new(s, i.srcs[offset_at]);
        let offset_bits = s.defs[i.srcs[offset_at]].bit_size;
        let start = constant_start(i, offset.constant);
        let key = Key {
            op: i.op,
            handle: handle_at.map(|h| i.srcs[h]),
            access: match slots {
                true => i.index("num_slots") << 3,
                false => i.index("access"),
            },
            terms: offset.terms,
        };
        let volatile = !slots && nir::Access::from_bits(key.access).volatile;
        let supported = match shape.bit_size {
            32 => shape.num_components <= 4,
            8 | 16 => shape.num_components == 1 && !slots,
            _ => false,
        };
        let whole = !store || i.index("write_mask") == (1 << shape.num_components) - 1;
        let access = Access {
            at,
            instr,
            offset: start,
            bits: shape.bit_size,
            components: shape.num_components,
            range: None,
        };
        let range = match slots {
            true => None,
            false => range(s, &key.terms, offset_bits, [start, access.end() - 1]),
        };
        Some(Candidate {
            class,
            store,
            slots,
            robust_bits: is_robust(robust, i.op).then_some(offset_bits),
            dynamic: dynamic_residue(s, i, &key.terms, start),
            fits: supported && whole && !volatile,
            access: Access { range, ..access },
            key,
        })
    }

    /// True if both may access the same bytes, or if they must not change places for another
    /// reason.
    pub(super) fn conflicts(&self, other: &Place<'_>) -> bool {
        self.as_place().conflicts(other)
    }

    pub(super) fn as_place(&self) -> Place<'_> {
        Place {
            key: &self.key,
            class: self.class,
            access: &self.access,
        }
    }
}

/// Where an access is, and its qualifiers.
pub(super) struct Place<'a> {
    pub(super) key: &'a Key,
    pub(super) class: Class,
    pub(super) access: &'a Access,
}

impl Place<'_> {
    /// As [`Candidate::conflicts`].
    pub(super) fn conflicts(&self, other: &Place<'_>) -> bool {
        if self.class != other.class || self.class == Class::Constant {
            return false;
        }
        let coherent =
            |key: &Key| !is_slot_op(key.op) && nir::Access::from_bits(key.access).coherent;
        if self.key != other.key && (coherent(self.key) || coherent(other.key)) {
            return true;
        }
        let physical = |op| matches!(op, IntrinsicOp::LoadGlobal | IntrinsicOp::StoreGlobal);
        if self.key.handle != other.key.handle || physical(self.key.op) != physical(other.key.op) {
            return true;
        }
        if self.key.terms == other.key.terms {
            return self.access.overlaps(other.access);
        }
        match (self.access.range, other.access.range) {
            (Some(a), Some(b)) if !physical(self.key.op) => a.0 <= b.1 && b.0 <= a.1,
            _ => true,
        }
    }
}

/// True for operations on I/O slots, whose keys have no access qualifiers.
fn is_slot_op(op: IntrinsicOp) -> bool {
    op.index_of("location").is_some()
}

/// What is known of the dynamic part of the offset of `i`, which is `terms`; `start` is the
/// constant part.
fn dynamic_residue(s: &Shader, i: &Intrinsic, terms: &Terms, start: i64) -> Residue {
    let of_terms = terms_multiple(s, terms).min(MAX_ALIGN);
    let stated = i64::from(i.index("align_mul").max(1)).min(MAX_ALIGN);
    if of_terms >= stated {
        return Residue {
            modulus: of_terms,
            residue: 0,
        };
    }
    Residue {
        modulus: stated,
        residue: (i64::from(i.index("align_offset")) - start).rem_euclid(stated),
    }
}
