//! 16-bit floats stored packed (two bytes a lane), so that one instruction covers as many lanes of
//! them as a register holds, and three-source instructions can read them.
//!
//! In:  the shader's 16-bit defs and their uses.
//! Out: which of them are packed. All others are in slots of a dword each, as loads, conversions
//! and pack operations need them.
//!
//! A def is packed if arithmetic computes it and only arithmetic, comparisons, selects and
//! conversions to wider types use it: other uses want the value in a slot. A store after the loop
//! that computes the value is no obstacle, since it moves the value only once. Halves of loaded
//! dwords are read where they are, as strided regions, except by three-source instructions: these
//! share a packed copy.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions" (align16), "Special Restrictions for
//! Handling Mixed Mode Float Operations".
//! Tests: tests/fs/isel/halves*.

use super::context::Isel;
use entity::{Id, IdMap};
use nir::{Alu, AluOp, Block, CfEvent, Def, Instr, IntrinsicOp, Shader};

/// How the storage of a 16-bit def is decided.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Storage {
    /// One dword slot per lane.
    #[default]
    Slots,
    /// Packed if a source of the select or phi, or a use of it, is.
    Inherited,
    /// Half of a dword: packed, by a MOV, if a three-source instruction reads it.
    PartOfDword,
    Packed,
}

/// The storage that the result of an operation on 16-bit floats may have.
fn result_storage(alu: &Alu) -> Storage {
    match alu.op {
        op if op.is_float_arithmetic() => Storage::Packed,
        AluOp::Bcsel => Storage::Inherited,
        AluOp::Unpack32_2x16SplitX | AluOp::Unpack32_2x16SplitY => Storage::PartOfDword,
        _ => Storage::Slots,
    }
}

/// True if an operation can read its 16-bit operands from packed storage.
fn reads_packed(op: AluOp) -> bool {
    use AluOp as A;
    op.is_float_arithmetic()
        || matches!(op, A::FPow | A::FNeg | A::FAbs | A::F2F | A::Bcsel)
        || matches!(
            op,
            A::FFloor | A::FCeil | A::FTrunc | A::FRoundEven | A::FFract
        )
        || matches!(op, A::FLt | A::FGe | A::FEq | A::FNeu)
}

/// True for stores, and for packing into a dword: they can use a packed value at the cost of one
/// MOV.
fn stores_packed(instr: &Instr) -> bool {
    use IntrinsicOp as I;
    match instr {
        Instr::Alu(alu) => alu.op == AluOp::Pack32_2x16Split,
        Instr::Intrinsic(i) => matches!(
            i.op,
            I::StoreSsbo | I::StoreShared | I::StoreScratch | I::StoreGlobal
        ),
        _ => false,
    }
}

/// True for a scalar def of 16 bits.
fn is_half(sh: &Shader, def: Id<Def>) -> bool {
    sh.defs[def].bit_size == 16 && sh.defs[def].num_components == 1
}

/// The blocks of a shader in layout order.
fn blocks<'a>(layout: &'a [CfEvent]) -> impl Iterator<Item = Id<Block>> + 'a {
    layout.iter().filter_map(|event| match event {
        CfEvent::Block(b) => Some(*b),
        _ => None,
    })
}

/// The instructions of a shader in layout order.
fn instrs<'a>(sh: &'a Shader, layout: &'a [CfEvent]) -> impl Iterator<Item = &'a Instr> {
    blocks(layout).flat_map(|b| sh.blocks[b].instrs.iter().map(|&i| &sh.instrs[i]))
}

impl Isel<'_> {
    /// Finds the 16-bit floats to store packed, before any registers are allocated.
    pub(super) fn find_packed_halves(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let mut storage = self.possible_storage(layout);
        let is_packed = |instr: &Instr| {
            let def = instr.def();
            let may_be = [Storage::Packed, Storage::PartOfDword];
            def.is_some_and(|def| is_half(sh, def) && may_be.contains(&storage[def]))
        };
        if !instrs(sh, layout).any(is_packed) {
            return;
        }
        exclude_slot_uses(sh, layout, &mut storage);
        inherit_packed(sh, layout, &mut storage);
        for instr in instrs(sh, layout) {
            if let Some(def) = instr.def().filter(|&def| is_half(sh, def)) {
                self.packed_half[def] = storage[def] == Storage::Packed;
            }
        }
    }

    /// The storage that each divergent 16-bit def may have, going by its own operation.
    fn possible_storage(&self, layout: &[CfEvent]) -> IdMap<Def, Storage> {
        let sh = self.sh;
        let mut storage: IdMap<Def, Storage> = IdMap::default();
        for instr in instrs(sh, layout) {
            match instr {
                Instr::Alu(alu) if is_half(sh, alu.def) && self.is_divergent(alu.def) => {
                    storage[alu.def] = result_storage(alu);
                }
                Instr::Phi(phi) if is_half(sh, phi.def) && self.is_divergent(phi.def) => {
                    storage[phi.def] = Storage::Inherited;
                }
                _ => {}
            }
        }
        storage
    }
}

/// Takes the defs that have a use in a slot out of packed storage.
fn exclude_slot_uses(sh: &Shader, layout: &[CfEvent], storage: &mut IdMap<Def, Storage>) {
    // Loop depth at this point, and at the definition of each 16-bit def.
    let mut depth = 0;
    let mut depth_of: IdMap<Def, u32> = IdMap::default();
    for event in layout {
        let block = match event {
            CfEvent::Block(block) => block,
            CfEvent::Loop(_) => {
                depth += 1;
                continue;
            }
            CfEvent::EndLoop(_) => {
                depth -= 1;
                continue;
            }
            _ => continue,
        };
        for instr in sh.blocks[*block].instrs.iter().map(|&i| &sh.instrs[i]) {
            if let Some(def) = instr.def().filter(|&def| is_half(sh, def)) {
                depth_of[def] = depth;
            }
            match instr {
                Instr::Alu(alu) if reads_packed(alu.op) => {}
                Instr::Phi(_) => {}
                other => other.for_each_src(|def| {
                    let is_after_loop = stores_packed(other) && depth_of[def] > depth;
                    if is_half(sh, def) && !is_after_loop {
                        storage[def] = Storage::Slots;
                    }
                }),
            }
        }
    }
}

/// Packs selects and phis if one of their sources or uses is packed: they copy their sources
/// anyway. Iterates to a fixed point, because a loop's back edge lets later defs decide about
/// earlier ones.
fn inherit_packed(sh: &Shader, layout: &[CfEvent], storage: &mut IdMap<Def, Storage>) {
    let mut changed = true;
    while changed {
        changed = false;
        for instr in instrs(sh, layout) {
            let Some(def) = instr.def().filter(|&def| is_half(sh, def)) else {
                continue;
            };
            let copies_sources = match instr {
                Instr::Alu(alu) => alu.op == AluOp::Bcsel,
                Instr::Phi(_) => true,
                _ => false,
            };
            if copies_sources && storage[def] == Storage::Inherited {
                let mut packed = false;
                instr.for_each_src(|src| {
                    packed |= is_half(sh, src) && storage[src] == Storage::Packed;
                });
                if packed {
                    storage[def] = Storage::Packed;
                    changed = true;
                }
            }
            let needs_packed = matches!(instr, Instr::Alu(alu) if alu.op == AluOp::FFma);
            let prefers_packed = copies_sources && storage[def] == Storage::Packed;
            if needs_packed || prefers_packed {
                instr.for_each_src(|src| {
                    let may_be = match storage[src] {
                        Storage::Inherited => true,
                        Storage::PartOfDword => needs_packed,
                        _ => false,
                    };
                    if is_half(sh, src) && may_be {
                        storage[src] = Storage::Packed;
                        changed = true;
                    }
                });
            }
        }
    }
}
