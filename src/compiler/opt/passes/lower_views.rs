//! Implements multiview by instancing: each view of a draw is an instance of its own, rendered to
//! the layer with the view's number.
//!
//! In:  I/O by slots; [`ShaderInfo::views`]: the mask of views, 0 without multiview.
//! Out: no `load_view_index`; `load_instance_id` counts the application's instances; vertices have
//!      their view as layer. The driver multiplies the number of instances by that of views: the
//!      vertex shader computes instance and view from the hardware's instance id. Later stages read
//!      the view from the vertices' layer; for fragments it is the layer being rendered to.
//! Ref: Vulkan, "Multiview"; SKL PRM vol. 7, "Render Target Array Index".
//! Tests: tests/opt/lower_views/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_views(s: &mut Shader, _: &Ctx) -> bool {
    use IntrinsicOp as Op;
    let views = s.info.views;
    let writes = views != 0 && !matches!(s.stage, Stage::Fragment | Stage::Compute);
    let view = if writes { emit_view(s) } else { None };
    let mut changed = view.is_some();
    // The `load_instance_id` emitted at the start must not be lowered itself.
    let view_instance = view.and_then(|view| view.instance);
    changed |= lower_instrs(
        s,
        |_, i| {
            matches!(i, Instr::Intrinsic(i) if matches!(i.op, Op::LoadViewIndex | Op::LoadInstanceId | Op::EmitVertex)
                && (i.def.is_none() || i.def != view_instance.map(|instance| instance.hardware_id)))
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
                Op::LoadInstanceId => match view_instance {
                    Some(instance) => Action::Replace(instance.number),
                    None => Action::Keep,
                },
                _ => {
                    let Some(view) = view else {
                        return Action::Keep;
                    };
                    store_layer(b, view.number);
                    Action::Changed
                }
            }
        },
    );
    changed
}

/// The view of an invocation.
#[derive(Clone, Copy)]
struct View {
    number: Id<Def>,
    /// Set in vertex shaders with several views.
    instance: Option<Instance>,
}

/// An instance.
#[derive(Clone, Copy)]
struct Instance {
    /// The hardware's instance id.
    hardware_id: Id<Def>,
    /// The application's instance id.
    number: Id<Def>,
}

/// Computes the view at the start of a shader, and writes it for the next stage. Geometry shaders
/// write it with each vertex.
fn emit_view(s: &mut Shader) -> Option<View> {
    use IntrinsicOp as Op;
    let (stage, views) = (s.stage, s.info.views);
    let first = s.first_block(ListRef::Body)?;
    let mut b = Builder::before(s, first, 0);
    let mut instance = None;
    let number = if views.is_power_of_two() {
        b.imm_u32(views.trailing_zeros())
    } else if stage == Stage::Vertex {
        let hardware_id = b.system_value(Op::LoadInstanceId);
        let count = b.imm_u32(views.count_ones());
        let number = b.udiv(hardware_id, count);
        instance = Some(Instance {
            hardware_id,
            number,
        });
        let view_index = b.umod(hardware_id, count);
        view_number(&mut b, views, view_index)
    } else {
        let zero = b.imm_u32(0);
        let layer = [0, 0, Slot::LAYER.0.into(), 1];
        b.load(Op::LoadPerVertexInput, 1, 32, &[zero, zero], &layer)
    };
    match stage {
        Stage::Vertex | Stage::TessEval => store_layer(&mut b, number),
        Stage::TessControl => {
            let (point, zero) = (b.system_value(Op::LoadInvocationId), b.imm_u32(0));
            let indices = [0, 1, 0, Slot::LAYER.0.into(), 1];
            b.intrinsic(
                Op::StorePerVertexOutput,
                None,
                &[number, point, zero],
                &indices,
            );
        }
        _ => {}
    }
    Some(View { number, instance })
}

/// Writes the layer.
fn store_layer(b: &mut Builder<'_>, view: Id<Def>) {
    let zero = b.imm_u32(0);
    let indices = [0, 1, 0, Slot::LAYER.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[view, zero], &indices);
}

/// The number of the view with this index among those in the mask. View numbers are below 16: four
/// bits each, in one or two constants.
fn view_number(b: &mut Builder<'_>, views: u32, index: Id<Def>) -> Id<Def> {
    if (views + 1).is_power_of_two() {
        return index;
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
        let is_low = b.ult(index, eight);
        b.bcsel(is_low, low, high)
    };
    // Shifts only use the low five bits of their count.
    let four = b.imm_u32(4);
    let shift = b.imul(index, four);
    let shifted = b.ushr(half, shift);
    let mask = b.imm_u32(0xf);
    b.iand(shifted, mask)
}
