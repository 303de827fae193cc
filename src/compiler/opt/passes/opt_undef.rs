//! Propagates undefined values.
//!
//! In:  any shader.
//! Out: operations whose operands are all undefined are undefined, if every result is possible; a
//!      selection with an undefined condition or operand is the other operand; a phi of undefined
//!      operands is undefined; undefined values are not stored, neither to memory nor to outputs.
//! Tests: tests/opt/opt_undef/.

use crate::pass::Ctx;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_undef(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    // Most shaders contain nothing that this pass changes.
    let relevant = |i: &Id<Instr>| matches!(s.instrs[*i], Instr::Undef { .. } | Instr::Phi(_));
    if !order
        .iter()
        .any(|b| s.blocks[*b].instrs.iter().any(relevant))
    {
        return false;
    }
    let mut changed = false;
    for b in order {
        let mut k = 0;
        while let Some(&id) = s.blocks[b].instrs.get(k) {
            match &s.instrs[id] {
                Instr::Alu(a) => {
                    if let Some(new) = fold_alu(s, a) {
                        s.instrs[id] = new;
                        changed = true;
                    }
                }
                Instr::Phi(p) if p.srcs.iter().all(|x| x.1 == p.def || is_undef(s, x.1)) => {
                    // Behind the remaining phis.
                    let def = p.def;
                    let instrs = &mut s.blocks[b].instrs;
                    instrs.remove(k);
                    let phi = |i: &Id<Instr>| matches!(s.instrs[*i], Instr::Phi(_));
                    let end = instrs.iter().take_while(|i| phi(i)).count();
                    instrs.insert(end, id);
                    s.instrs[id] = Instr::Undef { def };
                    changed = true;
                    continue;
                }
                Instr::Intrinsic(i) if is_dead_store(s, i) => {
                    s.blocks[b].instrs.remove(k);
                    changed = true;
                    continue;
                }
                _ => {}
            }
            k += 1;
        }
    }
    changed
}

fn is_undef(s: &Shader, d: Id<Def>) -> bool {
    matches!(s.instr_of(d), Instr::Undef { .. })
}

fn fold_alu(s: &Shader, a: &Alu) -> Option<Instr> {
    let mov = |src: AluSrc| {
        Instr::Alu(Alu {
            op: AluOp::Mov,
            def: a.def,
            srcs: SmallVec::from_iter([src]),
            exact: false,
            preserve_nan_inf_sz: false,
        })
    };
    match a.op {
        AluOp::Bcsel => {
            let [c, x, y] = [a.srcs[0].def, a.srcs[1].def, a.srcs[2].def].map(|d| is_undef(s, d));
            if x || c {
                Some(mov(a.srcs[2]))
            } else if y {
                Some(mov(a.srcs[1]))
            } else {
                None
            }
        }
        // Any result is possible.
        AluOp::Mov | AluOp::INot | AluOp::INeg | AluOp::IAdd | AluOp::ISub | AluOp::IXor => a
            .srcs
            .iter()
            .all(|x| is_undef(s, x.def))
            .then_some(Instr::Undef { def: a.def }),
        op if op.is_vec() => a
            .srcs
            .iter()
            .all(|x| is_undef(s, x.def))
            .then_some(Instr::Undef { def: a.def }),
        _ => None,
    }
}

fn is_dead_store(s: &Shader, i: &Intrinsic) -> bool {
    use IntrinsicOp as Op;
    if matches!(i.op, Op::StoreOutput | Op::StorePerVertexOutput) {
        return is_undef(s, i.srcs[0]);
    }
    let value = match i.op {
        Op::StoreDeref => i.srcs[1],
        Op::StoreSsbo | Op::StoreShared | Op::StoreScratch | Op::StoreGlobal => i.srcs[0],
        _ => return false,
    };
    is_undef(s, value) && i.index("access") & 4 == 0
}
