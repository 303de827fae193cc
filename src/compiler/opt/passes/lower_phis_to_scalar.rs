//! Splits vector phis into scalar ones.
//!
//! In:  any shader.
//! Out: phis are scalar. Vectors are combined after the phis, and split at the end of the
//!      predecessors.
//! Tests: tests/opt/lower_phis_to_scalar/.

use crate::pass::Ctx;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_phis_to_scalar(s: &mut Shader, _: &Ctx) -> bool {
    let mut changed = false;
    for block in s.block_order() {
        let phis: SmallVec<[Id<Instr>; 4]> = s.blocks[block]
            .instrs
            .iter()
            .copied()
            .take_while(|i| matches!(s.instrs[*i], Instr::Phi(_)))
            .collect();
        let mut first_non_phi = phis.len();
        let mut vectors = Vec::new();
        for &id in &phis {
            let Instr::Phi(phi) = s.instrs[id].clone() else {
                continue;
            };
            let shape = s.defs[phi.def];
            if shape.num_components == 1 {
                continue;
            }
            changed = true;
            let mut parts: SmallVec<[Id<Def>; 4]> = SmallVec::new();
            let mut made: SmallVec<[Id<Instr>; 4]> = SmallVec::new();
            for c in 0..shape.num_components {
                let srcs = phi
                    .srcs
                    .iter()
                    .map(|&(from, v)| {
                        let at = match s.jump_of(from) {
                            Some(_) => s.blocks[from].instrs.len() - 1,
                            None => s.blocks[from].instrs.len(),
                        };
                        (from, Builder::before(s, from, at).channel(v, c))
                    })
                    .collect();
                let (i, d) = s.add_instr(1, shape.bit_size, |def| Instr::Phi(Phi { def, srcs }));
                made.push(i);
                parts.push(d);
            }
            let list = &mut s.blocks[block].instrs;
            if let Some(at) = list.iter().position(|i| *i == id) {
                list.remove(at);
                first_non_phi = first_non_phi - 1 + made.len();
                for (k, i) in made.into_iter().enumerate() {
                    list.insert(at + k, i);
                }
            }
            vectors.push((id, parts));
        }
        // The vector keeps the old def, so that no use has to be rewritten.
        for (id, parts) in vectors {
            let Some(def) = s.instrs[id].def() else {
                continue;
            };
            let (op, srcs): (AluOp, SmallVec<[AluSrc; 3]>) = match AluOp::vec(parts.len()) {
                Some(op) => (op, parts.iter().map(|p| AluSrc::splat(*p, 0)).collect()),
                None => {
                    let mut b = Builder::before(s, block, first_non_phi);
                    let v = b.vec(&parts);
                    first_non_phi = b.position();
                    (AluOp::Mov, SmallVec::from_iter([AluSrc::identity(v)]))
                }
            };
            s.instrs[id] = Instr::Alu(Alu {
                op,
                def,
                srcs,
                exact: false,
                preserve_nan_inf_sz: false,
            });
            s.blocks[block].instrs.insert(first_non_phi, id);
            first_non_phi += 1;
        }
    }
    changed
}
