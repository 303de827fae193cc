//! 16-bit floats stored packed (two bytes a lane), so that one instruction covers as many lanes of
//! them as a register holds, and three-source instructions can read them.
//!
//! In:  the shader's 16-bit defs and their uses.
//! Out: which of them are packed. All others are in slots of a dword each, as loads, conversions
//! and pack operations need them.
//!
//! A def is packed if arithmetic computes it and only arithmetic, comparisons, selects and
//! conversions to wider types use it: other uses want the value in a slot. A store behind the loop
//! that computes the value is no obstacle, since it moves the value only once.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions" (align16), "Special Restrictions for
//! Handling Mixed Mode Float Operations".
//! Tests: tests/fs/isel/halves*.

use super::context::Isel;
use entity::{Id, IdMap};
use nir::{Alu, AluOp, CfEvent, Def, Instr, IntrinsicOp};

/// How the storage of a 16-bit def is decided.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Storage {
    /// One dword slot per lane.
    #[default]
    Slots,
    /// Packed if a source of the select or phi, or a use of it, is.
    Inherited,
    Packed,
}

/// The storage that the result of an operation on 16-bit floats may have.
fn result_storage(alu: &Alu) -> Storage {
    match alu.op {
        op if op.is_float_arithmetic() => Storage::Packed,
        AluOp::Bcsel => Storage::Inherited,
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

impl Isel<'_> {
    /// Finds the 16-bit floats to store packed, before any registers are allocated.
    pub(super) fn find_packed_halves(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let half = |def: Id<Def>| sh.defs[def].bit_size == 16 && sh.defs[def].num_components == 1;
        let mut storage: IdMap<Def, Storage> = IdMap::default();
        let mut any = false;
        let blocks = || {
            let blocks = layout.iter().filter_map(|event| match event {
                CfEvent::Block(b) => Some(*b),
                _ => None,
            });
            blocks.flat_map(|b| sh.blocks[b].instrs.iter().map(|&i| &sh.instrs[i]))
        };
        for instr in blocks() {
            match instr {
                Instr::Alu(alu) if half(alu.def) && self.is_divergent(alu.def) => {
                    storage[alu.def] = result_storage(alu);
                    any |= storage[alu.def] == Storage::Packed;
                }
                Instr::Phi(phi) if half(phi.def) && self.is_divergent(phi.def) => {
                    storage[phi.def] = Storage::Inherited;
                }
                _ => {}
            }
        }
        if !any {
            return;
        }
        // Loop depth at this point, and at the definition of each 16-bit def.
        let mut depth = 0;
        let mut made: IdMap<Def, u32> = IdMap::default();
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
                if let Some(def) = instr.def().filter(|&def| half(def)) {
                    made[def] = depth;
                }
                match instr {
                    Instr::Alu(alu) if reads_packed(alu.op) => {}
                    Instr::Phi(_) => {}
                    other => other.for_each_src(|def| {
                        let behind = stores_packed(other) && made[def] > depth;
                        if half(def) && !behind {
                            storage[def] = Storage::Slots;
                        }
                    }),
                }
            }
        }
        // Selects and phis copy their sources anyway: they are packed if one of their sources or
        // uses is. Iterates to a fixed point, because a loop's back edge lets later defs decide
        // about earlier ones.
        let mut again = true;
        while again {
            again = false;
            for instr in blocks() {
                let Some(def) = instr.def().filter(|&def| half(def)) else {
                    continue;
                };
                let chooses = match instr {
                    Instr::Alu(alu) => alu.op == AluOp::Bcsel,
                    Instr::Phi(_) => true,
                    _ => false,
                };
                if chooses && storage[def] == Storage::Inherited {
                    let mut packed = false;
                    instr
                        .for_each_src(|def| packed |= half(def) && storage[def] == Storage::Packed);
                    if packed {
                        storage[def] = Storage::Packed;
                        again = true;
                    }
                }
                let wants = chooses && storage[def] == Storage::Packed
                    || matches!(instr, Instr::Alu(alu) if alu.op == AluOp::FFma);
                if wants {
                    instr.for_each_src(|def| {
                        if half(def) && storage[def] == Storage::Inherited {
                            storage[def] = Storage::Packed;
                            again = true;
                        }
                    });
                }
            }
        }
        for instr in blocks() {
            if let Some(def) = instr.def().filter(|&def| half(def)) {
                self.packed_half[def] = storage[def] == Storage::Packed;
            }
        }
    }
}
