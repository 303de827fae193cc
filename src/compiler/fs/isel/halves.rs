//! Floats of 16 bits that lie side by side, so that an instruction has as many lanes of them as a register holds, and one of three
//! sources can read them.
//!
//! In:  the shader's defs and who reads them. Out: which of them lie two bytes apart; all others lie in slots of a dword each, as what
//! loads, converts and packs has them.
//! Only what arithmetic makes and nobody but arithmetic, comparisons, selections and conversions to something wider reads is packed: what
//! writes such a value elsewhere wants it where it goes. Behind a loop that makes it, it is moved there once.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions" (align16), "Special Restrictions for Handling Mixed Mode Float Operations".
//! Tests: tests/fs/isel/halves*.

use super::Isel;
use entity::{Id, IdMap};
use nir::{Alu, AluOp, CfEvent, Def, Instr, IntrinsicOp};

/// Bytes of a half.
pub(super) const HALF_BYTES: u8 = 2;

/// How a def comes to lie side by side.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    /// It does not.
    #[default]
    Apart,
    /// If what it is chosen from does, or what is made of it.
    Follows,
    Packed,
}

/// Where the result of an operation on halves may lie.
fn form(alu: &Alu) -> Form {
    match alu.op {
        op if op.is_float_arithmetic() => Form::Packed,
        AluOp::Bcsel => Form::Follows,
        _ => Form::Apart,
    }
}

/// True if an operation reads its operands of 16 bits wherever they lie.
fn reads_any(op: AluOp) -> bool {
    use AluOp as A;
    op.is_float_arithmetic()
        || matches!(op, A::FPow | A::FNeg | A::FAbs | A::F2F | A::Bcsel)
        || matches!(
            op,
            A::FFloor | A::FCeil | A::FTrunc | A::FRoundEven | A::FFract
        )
        || matches!(op, A::FLt | A::FGe | A::FEq | A::FNeu)
}

/// True for what stores a value, or puts it into a dword: it takes one that is packed, with a move more.
fn takes_packed(instr: &Instr) -> bool {
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
    /// Finds the halves that lie side by side, before anything is given registers.
    pub(super) fn prepare_packed(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let half = |def: Id<Def>| sh.defs[def].bit_size == 16 && sh.defs[def].num_components == 1;
        let mut forms: IdMap<Def, Form> = IdMap::default();
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
                    forms[alu.def] = form(alu);
                    any |= forms[alu.def] == Form::Packed;
                }
                Instr::Phi(phi) if half(phi.def) && self.is_divergent(phi.def) => {
                    forms[phi.def] = Form::Follows;
                }
                _ => {}
            }
        }
        if !any {
            return;
        }
        // How many loops are open, and how many were where a half was made.
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
                    Instr::Alu(alu) if reads_any(alu.op) => {}
                    Instr::Phi(_) => {}
                    other => other.for_each_src(|def| {
                        let behind = takes_packed(other) && made[def] > depth;
                        if half(def) && !behind {
                            forms[def] = Form::Apart;
                        }
                    }),
                }
            }
        }
        // What is chosen among values lies as these do, if one of them is packed, or if what is made of it is: it is copied anyway. Loops
        // make what is found last decide about what stands first.
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
                if chooses && forms[def] == Form::Follows {
                    let mut packed = false;
                    instr.for_each_src(|def| packed |= half(def) && forms[def] == Form::Packed);
                    if packed {
                        forms[def] = Form::Packed;
                        again = true;
                    }
                }
                let wants = chooses && forms[def] == Form::Packed
                    || matches!(instr, Instr::Alu(alu) if alu.op == AluOp::FFma);
                if wants {
                    instr.for_each_src(|def| {
                        if half(def) && forms[def] == Form::Follows {
                            forms[def] = Form::Packed;
                            again = true;
                        }
                    });
                }
            }
        }
        for instr in blocks() {
            if let Some(def) = instr.def().filter(|&def| half(def)) {
                self.packed[def] = forms[def] == Form::Packed;
            }
        }
    }
}
