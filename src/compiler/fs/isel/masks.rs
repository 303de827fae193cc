//! Masks as operands of intrinsics.
//!
//! In:  intrinsics with boolean operands. Out: those that exchange the values of lanes read dwords,
//!      which a MOV makes of masks of other sizes.
//! Tests: tests/fs/rows/n10*.

use super::bool_forms::reads_any_mask;
use super::context::{Isel, Loc, exec_of};
use crate::error::FsError;
use entity::Id;
use isa::Type;
use nir::{Def, Intrinsic};
use smallvec::SmallVec;

impl Isel<'_> {
    /// True if an intrinsic that reads its boolean operands as packed dwords has one that is not.
    pub(super) fn has_other_masks(&self, i: &Intrinsic) -> bool {
        let is_other = |def: Id<Def>| {
            let components = 0..self.sh.defs[def].num_components;
            let loc = |c| self.loc(def, c);
            self.bits(def) == 1
                && components.map(loc).any(|loc| match loc {
                    Loc::Reg { v, pitch, .. } => self.word_masks[v] || pitch > 4,
                    _ => false,
                })
        };
        !reads_any_mask(i.op) && i.srcs.iter().any(|s| is_other(*s))
    }

    /// Selects an intrinsic that reads its boolean operands as dwords, with copies of these.
    pub(super) fn select_with_dword_masks(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let mut saved: SmallVec<[(Id<Def>, u8, Loc); 2]> = SmallVec::new();
        for &def in &i.srcs {
            if self.bits(def) != 1 {
                continue;
            }
            for c in 0..self.sh.defs[def].num_components {
                let mask = self.comp(def, c, Type::D);
                if mask.ty == Type::D && mask.pitch <= 4 {
                    continue;
                }
                saved.push((def, c, self.loc(def, c)));
                let exec = exec_of(mask);
                let dwords = self.b.temp(Type::D, exec);
                self.b.mov(exec, dwords, mask);
                self.set_lanes(def, c, dwords);
            }
        }
        let result = self.select_intrinsic(i);
        // The copies are valid only here. An operand in two places is restored to its first one.
        for (def, c, loc) in saved.into_iter().rev() {
            self.set_loc(def, c, loc);
        }
        result
    }
}
