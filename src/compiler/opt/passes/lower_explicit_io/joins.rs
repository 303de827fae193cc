//! Pointers that pass through selections and phis (variable pointers).

use super::address::{Addr, Lowering, PointerPhi};
use super::modes::is_lowered;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

impl Lowering<'_> {
    /// Selects between pointers by selecting their components.
    pub(super) fn lower_select(&mut self, block: Id<Block>, alu: &Alu) -> bool {
        let (x, y) = (alu.srcs[1].def, alu.srcs[2].def);
        let (x, y) = match self.modes[alu.def] {
            Some(mode) => (self.pointer_address(x, mode), self.pointer_address(y, mode)),
            None => (self.addr[x], self.addr[y]),
        };
        let (Some(x), Some(y)) = (x, y) else {
            return false;
        };
        let cond = alu.srcs[0];
        let mut b = Builder::at_end_of_block(self.s, block);
        let cond = b.channel(cond.def, cond.swizzle[0]);
        let base = match (x.base, y.base) {
            (Some(p), Some(q)) if p == q => Some(p),
            (Some(p), Some(q)) => Some(b.bcsel(cond, p, q)),
            (p, _) => p,
        };
        let (p, q) = if x.mode == VariableMode::Global {
            let (p, q) = (
                Self::emit_address(&mut b, &x, 0),
                Self::emit_address(&mut b, &y, 0),
            );
            let base = b.bcsel(cond, p, q);
            self.addr[alu.def] = Some(Addr {
                base: Some(base),
                offset: None,
                ..Self::merge(x, y)
            });
            return true;
        } else {
            (
                Self::emit_offset(&mut b, &x, 0),
                Self::emit_offset(&mut b, &y, 0),
            )
        };
        let offset = b.bcsel(cond, p, q);
        self.addr[alu.def] = Some(Addr {
            base,
            offset: Some(offset),
            ..Self::merge(x, y)
        });
        true
    }

    pub(super) fn merge(x: Addr, y: Addr) -> Addr {
        let differ = x.align_offset ^ y.align_offset;
        let mut mul = x.align_mul.min(y.align_mul);
        if differ & (mul - 1) != 0 {
            mul = 1 << (differ.trailing_zeros());
        }
        Addr {
            constant: 0,
            align_mul: mul,
            align_offset: x.align_offset & (mul - 1),
            ..x
        }
    }

    /// Creates the phis of the components of a phi of pointers. Their operands are added by
    /// `finish_phis`, when all blocks have been lowered.
    pub(super) fn lower_phi(&mut self, block: Id<Block>, id: Id<Instr>, phi: &Phi) -> bool {
        let known = |d: Id<Def>| {
            self.addr[d]
                .map(|a| a.mode)
                .or_else(|| self.unlowered_mode(d))
        };
        let mode = self.modes[phi.def].or_else(|| phi.srcs.iter().find_map(|x| known(x.1)));
        let Some(mode) = mode else {
            return false;
        };
        let empty = |def| {
            Instr::Phi(Phi {
                def,
                srcs: SmallVec::new(),
            })
        };
        let wide = mode == VariableMode::Global;
        let base = matches!(mode, VariableMode::Ssbo | VariableMode::Ubo)
            .then(|| self.s.add_instr(1, 32, empty));
        let (offset_id, offset) = self.s.add_instr(1, if wide { 64 } else { 32 }, empty);
        if let Some((base_id, _)) = base {
            self.s.blocks[block].instrs.push(base_id);
        }
        self.s.blocks[block].instrs.push(offset_id);
        self.phis.push(PointerPhi {
            pointer: id,
            mode,
            handle: base.map(|b| b.0),
            offset: offset_id,
        });
        let (base, offset) = match wide {
            true => (Some(offset), None),
            false => (base.map(|b| b.1), Some(offset)),
        };
        self.addr[phi.def] = Some(Addr::unaligned(mode, base, offset));
        true
    }

    /// The storage mode of a deref that has not been lowered yet.
    pub(super) fn unlowered_mode(&self, d: Id<Def>) -> Option<VariableMode> {
        self.s
            .deref_of(d)
            .map(|d| d.mode)
            .filter(|m| is_lowered(*m))
    }

    pub(super) fn finish_phis(&mut self) {
        for PointerPhi {
            pointer,
            mode,
            handle: base,
            offset,
        } in std::mem::take(&mut self.phis)
        {
            let Instr::Phi(phi) = self.s.instrs[pointer].clone() else {
                continue;
            };
            let (mut bases, mut offsets) = (SmallVec::new(), SmallVec::new());
            for (from, d) in phi.srcs {
                let Some(a) = self.pointer_address(d, mode) else {
                    continue;
                };
                let at = match self.s.jump_of(from) {
                    Some(_) => self.s.blocks[from].instrs.len() - 1,
                    None => self.s.blocks[from].instrs.len(),
                };
                let mut b = Builder::before(self.s, from, at);
                let value = if a.mode == VariableMode::Global {
                    Self::emit_address(&mut b, &a, 0)
                } else {
                    Self::emit_offset(&mut b, &a, 0)
                };
                let handle = match a.base {
                    Some(h) => h,
                    None => b.undef(1, 32),
                };
                bases.push((from, handle));
                offsets.push((from, value));
            }
            if let Some(base) = base
                && let Instr::Phi(p) = &mut self.s.instrs[base]
            {
                p.srcs = bases;
            }
            if let Instr::Phi(p) = &mut self.s.instrs[offset] {
                p.srcs = offsets;
            }
        }
    }
}
