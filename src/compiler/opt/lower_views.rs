//! Multiview: each view of a draw is an instance of its own, drawn to the layer of its number.
//!
//! In:  I/O by slots; [`Info::views`]: the views that are drawn, a bit each, none where there is no multiview. Out: no
//! `load_view_index`; `load_instance_id` counts the application's instances; vertices have their view for layer. The vertex shader
//! takes instance and view from the number of the launcher's instance (there are as many of those for each as there are views);
//! stages behind it find the view in the vertices that they read, and fragments are in its layer.
//! Ref: Vulkan, "Multiview"; SKL PRM vol. 7, "Render Target Array Index". Tests: tests/opt/lower_views/.

use crate::pass::Ctx;
use crate::rewrite::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Entry point.
pub fn lower_views(s: &mut Shader, _: &Ctx) -> bool {
    use IntrinsicOp as Op;
    let views = s.info.views;
    let writes = views != 0 && !matches!(s.stage, Stage::Fragment | Stage::Compute);
    let view = if writes { at_start(s) } else { None };
    let mut changed = view.is_some();
    // What was made at the start reads the launcher's instance itself.
    let own = view.and_then(|view| view.instance);
    changed |= lower_instrs(
        s,
        |_, i| {
            matches!(i, Instr::Intrinsic(i) if matches!(i.op, Op::LoadViewIndex | Op::LoadInstanceId | Op::EmitVertex)
                && (i.def.is_none() || i.def != own.map(|own| own.launched)))
        },
        |b, id| {
            let Instr::Intrinsic(i) = &b.shader.instrs[id] else {
                return Action::Keep;
            };
            match i.op {
                Op::LoadViewIndex => Action::Replace(match view {
                    Some(view) => view.number,
                    None if views == 0 => b.imm_u32(0),
                    None if views.is_power_of_two() => b.imm_u32(views.trailing_zeros()),
                    None => b.system_value(Op::LoadLayerId),
                }),
                Op::LoadInstanceId => match own {
                    Some(own) => Action::Replace(own.number),
                    None => Action::Keep,
                },
                _ => {
                    let Some(view) = view else {
                        return Action::Keep;
                    };
                    store(b, view.number);
                    Action::Changed
                }
            }
        },
    );
    changed
}

/// Numbers that an invocation has.
#[derive(Clone, Copy)]
struct View {
    number: Id<Def>,
    /// In a vertex shader of several views.
    instance: Option<Instance>,
}

/// An instance.
#[derive(Clone, Copy)]
struct Instance {
    /// The launcher's number.
    launched: Id<Def>,
    /// The application's.
    number: Id<Def>,
}

/// Finds the view at the start of a shader, and writes it for what follows; geometry shaders write it with each vertex.
fn at_start(s: &mut Shader) -> Option<View> {
    use IntrinsicOp as Op;
    let (stage, views) = (s.stage, s.info.views);
    let first = s.first_block(ListRef::Body)?;
    let mut b = Builder::before(s, first, 0);
    let mut instance = None;
    let number = if views.is_power_of_two() {
        b.imm_u32(views.trailing_zeros())
    } else if stage == Stage::Vertex {
        let launched = b.system_value(Op::LoadInstanceId);
        let count = b.imm_u32(views.count_ones());
        let number = b.udiv(launched, count);
        instance = Some(Instance { launched, number });
        let place = b.umod(launched, count);
        nth(&mut b, views, place)
    } else {
        let zero = b.imm_u32(0);
        let layer = [0, 0, Slot::LAYER.0.into(), 1];
        b.load(Op::LoadPerVertexInput, 1, 32, &[zero, zero], &layer)
    };
    match stage {
        Stage::Vertex | Stage::TessEval => store(&mut b, number),
        Stage::TessControl => {
            let (point, zero) = (b.system_value(Op::LoadInvocationId), b.imm_u32(0));
            let place = [0, 1, 0, Slot::LAYER.0.into(), 1];
            b.intrinsic(
                Op::StorePerVertexOutput,
                None,
                &[number, point, zero],
                &place,
            );
        }
        _ => {}
    }
    Some(View { number, instance })
}

/// Writes the layer.
fn store(b: &mut Builder<'_>, view: Id<Def>) {
    let zero = b.imm_u32(0);
    let place = [0, 1, 0, Slot::LAYER.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[view, zero], &place);
}

/// The view at a place among those that are drawn. Their numbers are below 16: four bits each in one constant or two.
fn nth(b: &mut Builder<'_>, views: u32, place: Id<Def>) -> Id<Def> {
    if (views + 1).is_power_of_two() {
        return place;
    }
    let numbers = (0..u32::BITS).filter(|view| views >> view & 1 != 0);
    let table = (0..).zip(numbers).fold(0_u64, |table, (at, view)| {
        table | u64::from(view).checked_shl(4 * at).unwrap_or(0)
    });
    let (low, high) = (b.imm_u32(table as u32), b.imm_u32((table >> 32) as u32));
    let half = if table >> 32 == 0 {
        low
    } else {
        let eight = b.imm_u32(8);
        let is_low = b.ult(place, eight);
        b.bcsel(is_low, low, high)
    };
    // A shift looks at the low five bits of its count.
    let four = b.imm_u32(4);
    let shift = b.imul(place, four);
    let shifted = b.ushr(half, shift);
    let mask = b.imm_u32(0xf);
    b.iand(shifted, mask)
}
