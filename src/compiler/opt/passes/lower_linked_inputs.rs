//! Reads inputs from where the previous stage has moved them.
//!
//! In:  loads of inputs, and the previous stage's changes to its outputs ([`Ctx::links`]).
//! Out: loads of the new slots, and constants.
//! Tests: tests/opt/lower_linked_inputs/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_linked_inputs(s: &mut Shader, ctx: &Ctx) -> bool {
    if ctx.links.is_empty() || s.stage == Stage::Vertex {
        return false;
    }
    let link = |slot: u8, component: u8| {
        let at = ctx
            .links
            .iter()
            .find(|l| (l.slot, l.component) == (slot, component));
        at.map_or(abi::LinkTarget::At(slot, component), |l| l.to)
    };
    lower_instrs(
        s,
        |s, i| match i {
            Instr::Intrinsic(i) => loaded_dwords(s, i).is_some_and(|mut dwords| {
                dwords.any(|(slot, c)| link(slot, c) != abi::LinkTarget::At(slot, c))
            }),
            _ => false,
        },
        |b, id| {
            let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let (Some(def), Some(dwords)) = (i.def, loaded_dwords(b.shader, &i)) else {
                return Action::Keep;
            };
            let bits = b.bits(def);
            let locations: SmallVec<[_; 4]> = dwords.map(|(slot, c)| link(slot, c)).collect();
            let mut values: SmallVec<[Id<Def>; 4]> = SmallVec::new();
            for run in locations.chunk_by(|a, b| is_next(*a, *b)) {
                match run[0] {
                    abi::LinkTarget::Constant(value) => {
                        let value = u64::from(value) & (u64::MAX >> (64 - u32::from(bits)));
                        values.push(b.constant(bits, &[value]));
                    }
                    abi::LinkTarget::At(slot, component) => {
                        let mut load = i.clone();
                        load.set_index("location", slot.into());
                        load.set_index("component", component.into());
                        let n = run.len() as u8;
                        let load = b.load(load.op, n, bits, &load.srcs, &load.indices);
                        values.extend(b.channels(load));
                    }
                }
            }
            Action::ReplaceVec(values)
        },
    )
}

/// The slot and component of each dword that a load of inputs reads. `None` if its offset is
/// dynamic.
fn loaded_dwords(s: &Shader, i: &Intrinsic) -> Option<impl Iterator<Item = (u8, u8)> + use<>> {
    use IntrinsicOp as Op;
    let offset = match i.op {
        Op::LoadInput => i.srcs[0],
        Op::LoadInterpolatedInput | Op::LoadPerVertexInput => i.srcs[1],
        _ => return None,
    };
    if s.const_component(offset, 0) != Some(0) {
        return None;
    }
    let (slot, first) = (i.index("location") as u8, i.index("component") as u8);
    let n = s.defs[i.def?].num_components;
    Some((first..first + n).map(move |component| (slot, component)))
}

/// True if dword `b` follows `a` in the same slot.
fn is_next(a: abi::LinkTarget, b: abi::LinkTarget) -> bool {
    match (a, b) {
        (abi::LinkTarget::At(slot, c), abi::LinkTarget::At(other, d)) => {
            slot == other && c + 1 == d
        }
        _ => false,
    }
}
