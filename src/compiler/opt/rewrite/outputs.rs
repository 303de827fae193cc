//! Analysis and rewriting of `store_output`, for passes that link a stage to the next.

use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// True if the outputs of a stage may be rearranged for the next one. Those of tessellation control
/// may not, because its invocations share and read them.
pub(crate) fn outputs_may_move(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry)
}

/// The slot that an intrinsic stores to, unless it is a built-in one. It is always one slot, since
/// `lower_io_to_temporaries` makes shaders write outputs as a whole.
pub(crate) fn stored_slot(s: &Shader, i: &Intrinsic) -> Option<Slot> {
    if i.op != IntrinsicOp::StoreOutput {
        return None;
    }
    let slot = Slot(u8::try_from(i.index("location")).ok()?);
    slot.user_location()?;
    (s.const_component(i.srcs[1], 0) == Some(0)).then_some(slot)
}

/// The components of the slot that are stored, each with the def and component of its value. Values
/// made by `vecN` or `mov` are looked through.
pub(crate) fn stored_components(s: &Shader, i: &Intrinsic) -> SmallVec<[(u8, Id<Def>, u8); 4]> {
    let (mask, first) = (i.index("write_mask"), i.index("component") as u8);
    let value = i.srcs[0];
    let parts = (0..4u8).filter(|c| mask >> c & 1 == 1);
    let parts = parts.map(|c| {
        let (def, component) = match s.alu_of(value) {
            Some(a) if Some(a.op) == AluOp::vec(a.srcs.len()) && a.srcs.len() > 1 => {
                let src = &a.srcs[usize::from(c)];
                (src.def, src.swizzle[0])
            }
            Some(a) if a.op == AluOp::Mov => (a.srcs[0].def, a.srcs[0].swizzle[usize::from(c)]),
            _ => (value, c),
        };
        (first + c, def, component)
    });
    parts.collect()
}

/// Moves each dword of an output to where `to` maps it, or removes it if that is `None`.
pub(crate) fn move_outputs(s: &mut Shader, to: impl Fn(Slot, u8) -> Option<(Slot, u8)>) -> bool {
    lower_instrs(
        s,
        |s, i| match i {
            Instr::Intrinsic(i) => stored_slot(s, i).is_some_and(|slot| {
                let mut all = stored_components(s, i).into_iter();
                all.any(|(c, ..)| to(slot, c) != Some((slot, c)))
            }),
            _ => false,
        },
        |b, id| {
            let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let Some(slot) = stored_slot(b.shader, &i) else {
                return Action::Keep;
            };
            let all = stored_components(b.shader, &i).into_iter();
            let mut placed: SmallVec<[_; 4]> = all
                .filter_map(|(c, def, part)| Some((to(slot, c)?, (def, part))))
                .collect();
            placed.sort_by_key(|p| p.0);
            let is_next = |a: &(Slot, u8), b: &(Slot, u8)| (a.0, a.1 + 1) == *b;
            for run in placed.chunk_by(|a, b| is_next(&a.0, &b.0)) {
                let parts: SmallVec<[_; 4]> = run.iter().map(|p| p.1).collect();
                let ((slot, component), value) = (run[0].0, emit_vector(b, &parts));
                let mut store = i.clone();
                store.srcs[0] = value;
                for (name, index) in [
                    ("write_mask", (1 << run.len()) - 1),
                    ("component", component.into()),
                    ("location", slot.0.into()),
                ] {
                    store.set_index(name, index);
                }
                b.intrinsic(store.op, None, &store.srcs, &store.indices);
            }
            Action::Remove
        },
    )
}

/// A vector of components of other values, in the form that the pipeline allows before stores.
fn emit_vector(b: &mut Builder<'_>, parts: &[(Id<Def>, u8)]) -> Id<Def> {
    let srcs: SmallVec<[AluSrc; 3]> = parts.iter().map(|p| AluSrc::splat(p.0, p.1)).collect();
    match (parts, AluOp::vec(parts.len())) {
        (_, Some(op)) if parts.len() > 1 => {
            let bits = b.bits(parts[0].0);
            b.alu_with(op, srcs, parts.len() as u8, bits)
        }
        _ => b.vec_of(parts),
    }
}
