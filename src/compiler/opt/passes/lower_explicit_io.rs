//! Lowers pointers to handles, offsets and addresses.
//!
//! In:  loads, stores and atomics through derefs of buffers, push constants, shared memory,
//!      physical storage buffers, and of the local variables that `lower_vars_to_ssa` has left.
//! Out: `load_ssbo` and similar, with byte offsets and known alignment, and no derefs of those
//!      modes. Constant, shared and scratch variables are laid out; booleans in memory are 32 bits,
//!      0 or 1.
//!
//! A pointer that passes through a phi or `bcsel` (variable pointers), or is stored in a variable,
//! is a pair of values: handle, then offset. A pointer without a definition (null, undefined) is a
//! handle without an offset.
//! Ref: SPIR-V "Universal Validation Rules", variable pointers; Vulkan spec, "Shader Resource
//!      Interface".
//! Tests: tests/opt/lower_explicit_io/.

mod access;
mod address;
mod deref;
mod joins;
mod layout;
mod modes;

use crate::pass::Ctx;
use address::Lowering;
use entity::{Id, IdMap};
use layout::assign_offsets;
use modes::{is_lowered, pointer_modes};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_explicit_io(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    let any = order.iter().any(|b| {
        s.blocks[*b].instrs.iter().any(|i| match &s.instrs[*i] {
            Instr::Deref(d) => is_lowered(d.mode),
            _ => false,
        })
    });
    if !any {
        return false;
    }
    let natural_sizes = s.types.natural_sizes();
    assign_offsets(s, &natural_sizes, &order);
    let mut l = Lowering {
        addr: IdMap::for_arena(&s.defs, None),
        modes: pointer_modes(s, &order),
        natural_sizes,
        s,
        phis: Vec::new(),
    };
    for b in order {
        l.lower_block(b);
    }
    l.finish_phis();
    true
}

impl Lowering<'_> {
    fn lower_block(&mut self, block: Id<Block>) {
        let instrs = std::mem::take(&mut self.s.blocks[block].instrs);
        for id in instrs {
            let keep = match &self.s.instrs[id] {
                Instr::Deref(d) if is_lowered(d.mode) => {
                    let d = d.clone();
                    let a = self.lower_deref(block, &d);
                    self.addr[d.def] = a;
                    a.is_none()
                }
                Instr::Intrinsic(i) => match i.srcs.first().and_then(|d| self.addr[*d]) {
                    Some(a) if !i.op.info().srcs.is_empty() => {
                        let i = i.clone();
                        !self.lower_access(block, id, &i, a)
                    }
                    _ => true,
                },
                Instr::Alu(a) if a.op == AluOp::Bcsel => {
                    let a = a.clone();
                    !self.lower_select(block, &a)
                }
                Instr::Alu(a) if a.op == AluOp::Mov => {
                    let addr = self.addr[a.srcs[0].def];
                    let def = a.def;
                    self.addr[def] = addr;
                    addr.is_none()
                }
                Instr::Phi(p) => {
                    let p = p.clone();
                    !self.lower_phi(block, id, &p)
                }
                _ => true,
            };
            if keep {
                self.s.blocks[block].instrs.push(id);
            }
        }
    }
}
