//! Lowers derefs of inputs and outputs to slots.
//!
//! In:  `load_deref`, `store_deref` and `interp_deref_at_*` of shader_in and shader_out.
//! Out: `load_input` and similar, with 32-bit values that do not cross a slot. 64-bit values are
//!      two dwords. 16-bit values are converted to 32 bits of their type and back: a component of a
//!      slot is a dword, and vertex fetch, interpolation and render targets use the 32-bit type. A
//!      constant location is given by `location` and `component`, with an offset of 0. A dynamic
//!      one is in the offset operand, and `num_slots` is the number of slots that it may reach.
//!      `base` is 0: the backend assigns the URB layout. Stores with a dynamic component index are
//!      left unchanged.
//! Tests: tests/opt/lower_io/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_io(s: &mut Shader, _: &Ctx) -> bool {
    use IntrinsicOp as Op;
    lower_instrs(
        s,
        |s, i| match i {
            Instr::Intrinsic(i)
                if matches!(
                    i.op,
                    Op::LoadDeref
                        | Op::StoreDeref
                        | Op::InterpDerefAtCentroid
                        | Op::InterpDerefAtSample
                        | Op::InterpDerefAtOffset
                ) =>
            {
                s.deref_of(i.srcs[0]).is_some_and(|d| {
                    matches!(d.mode, VariableMode::ShaderIn | VariableMode::ShaderOut)
                })
            }
            _ => false,
        },
        |b, id| {
            let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            lower(b, &i).unwrap_or(Action::Keep)
        },
    )
}

/// What a deref of an input or output points to.
struct IoDeref {
    var: Id<Variable>,
    mode: VariableMode,
    io: IoVar,
    /// The vertex index, for per-vertex variables.
    vertex: Option<Id<Def>>,
    /// Constant offset in slots from the variable's first slot.
    slots: u32,
    /// Dynamic offset in slots.
    offset: Option<Id<Def>>,
    /// The first component, in dwords from the start of the slot.
    component: u32,
    /// A dynamic component index, and the number of components.
    dynamic: Option<(Id<Def>, u32)>,
    /// Type of the scalars.
    scalar: ScalarKind,
}

/// The type of a 16-bit scalar, which determines its conversion.
#[derive(Clone, Copy)]
enum ScalarKind {
    Float,
    Signed,
    Unsigned,
}

impl ScalarKind {
    /// The type of a scalar or of a vector's components.
    fn of_value(types: &Types, ty: Id<Type>, io: &IoVar) -> ScalarKind {
        let scalar = match types[ty] {
            Type::Vector { elem, .. } => elem,
            _ => ty,
        };
        match types[scalar] {
            Type::Float(_) => ScalarKind::Float,
            _ if io.signed => ScalarKind::Signed,
            _ => ScalarKind::Unsigned,
        }
    }

    /// Widens a 16-bit value to the dword of its component.
    fn widen(self, b: &mut Builder<'_>, value: Id<Def>) -> Id<Def> {
        match self {
            ScalarKind::Float => b.f2f(value, 32),
            ScalarKind::Signed => b.i2i(value, 32),
            ScalarKind::Unsigned => b.u2u(value, 32),
        }
    }

    /// Narrows the dword of a component to 16 bits.
    fn narrow(self, b: &mut Builder<'_>, dword: Id<Def>) -> Id<Def> {
        match self {
            ScalarKind::Float => b.f2f(dword, 16),
            ScalarKind::Signed | ScalarKind::Unsigned => b.u2u(dword, 16),
        }
    }
}

fn resolve_deref(b: &mut Builder<'_>, ptr: Id<Def>) -> Option<IoDeref> {
    let mut chain: SmallVec<[Deref; 6]> = SmallVec::new();
    let mut at = ptr;
    let var = loop {
        let d = b.shader.deref_of(at)?.clone();
        match d.kind {
            DerefKind::Var(v) => break v,
            DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => at = parent,
            DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => return None,
        }
        chain.push(d);
    };
    let v = &b.shader.vars[var];
    let io = v.io?;
    let mut p = IoDeref {
        var,
        mode: v.mode,
        io,
        vertex: None,
        slots: 0,
        offset: None,
        component: io.component.into(),
        dynamic: None,
        scalar: ScalarKind::Unsigned,
    };
    let mut ty = v.ty;
    let mut per_vertex = b.shader.is_per_vertex(v);
    for d in chain.iter().rev() {
        match d.kind {
            DerefKind::Array { index, .. } if per_vertex => {
                per_vertex = false;
                p.vertex = Some(index);
            }
            DerefKind::Array { index, .. } => {
                let constant = b.shader.const_component(index, 0).map(|v| v as u32);
                let components = match b.shader.types[ty] {
                    Type::Vector { len, .. } => Some(u32::from(len)),
                    Type::Array { len, .. } if io.compact => Some(len?),
                    _ => None,
                };
                if let Some(n) = components {
                    let (_, bits) = b.shader.types.value_shape(d.ty)?;
                    match constant {
                        Some(c) => p.component += c.min(n - 1) * if bits == 64 { 2 } else { 1 },
                        None => p.dynamic = Some((index, n)),
                    }
                } else {
                    let stride = b.shader.types.count_slots(d.ty);
                    match constant {
                        Some(c) => p.slots = p.slots.saturating_add(c.saturating_mul(stride)),
                        None => {
                            let scaled = b.imul_imm(index, stride.into());
                            p.offset = Some(match p.offset {
                                Some(o) => b.iadd(o, scaled),
                                None => scaled,
                            });
                        }
                    }
                }
            }
            DerefKind::Struct { member, .. } => {
                let Type::Struct { members, .. } = &b.shader.types[ty] else {
                    return None;
                };
                for m in members.iter().take(member as usize) {
                    p.slots += b.shader.types.count_slots(m.ty);
                }
            }
            _ => return None,
        }
        ty = d.ty;
    }
    p.scalar = ScalarKind::of_value(&b.shader.types, ty, &io);
    Some(p)
}

/// The location of an access within one slot.
struct SlotAccess {
    offset: Id<Def>,
    location: u32,
    component: u32,
    num_slots: u32,
}

fn slot_access(b: &mut Builder<'_>, p: &IoDeref, component: u32) -> Option<SlotAccess> {
    let first = p.io.slot;
    let constant = p.slots + component / 4;
    Some(match p.offset {
        None => SlotAccess {
            offset: b.imm_u32(0),
            location: first.plus(constant)?.0.into(),
            component: component % 4,
            num_slots: 1,
        },
        Some(offset) => {
            let v = &b.shader.vars[p.var];
            let mut ty = v.ty;
            if b.shader.is_per_vertex(v)
                && let Type::Array { elem, .. } = b.shader.types[ty]
            {
                ty = elem;
            }
            SlotAccess {
                offset: b.iadd_imm(offset, constant.into()),
                location: first.0.into(),
                component: component % 4,
                num_slots: b.shader.types.count_slots(ty),
            }
        }
    })
}

fn lower(b: &mut Builder<'_>, i: &Intrinsic) -> Option<Action> {
    let p = resolve_deref(b, i.srcs[0])?;
    if i.op == IntrinsicOp::StoreDeref {
        return store(b, &p, i);
    }
    let def = b.shader.defs[i.def?];
    if def.bit_size < 16 {
        return None;
    }
    let bary = match p.mode {
        VariableMode::ShaderIn
            if b.shader.stage == Stage::Fragment && p.io.interp != InterpMode::Flat =>
        {
            Some(barycentric(b, &p, i))
        }
        _ => None,
    };
    if let Some((index, n)) = p.dynamic {
        // Loads the whole vector and selects the component.
        let all = load(b, &p, bary, n as u8, def.bit_size)?;
        let mut value = all[0];
        for (k, c) in all.iter().enumerate().skip(1) {
            let k = b.imm_int(b.shader.defs[index].bit_size, k as i64);
            let hit = b.ieq(index, k);
            value = b.bcsel(hit, *c, value);
        }
        return Some(Action::Replace(value));
    }
    let parts = load(b, &p, bary, def.num_components, def.bit_size)?;
    Some(Action::ReplaceVec(parts))
}

/// Loads the barycentric coordinates at which the input is evaluated.
fn barycentric(b: &mut Builder<'_>, p: &IoDeref, i: &Intrinsic) -> Id<Def> {
    use IntrinsicOp as Op;
    let (op, src) = match i.op {
        Op::InterpDerefAtCentroid => (Op::LoadBarycentricCentroid, None),
        Op::InterpDerefAtSample => (Op::LoadBarycentricAtSample, Some(i.srcs[1])),
        Op::InterpDerefAtOffset => (Op::LoadBarycentricAtOffset, Some(i.srcs[1])),
        _ => match p.io.sampling {
            InterpLocation::Pixel => (Op::LoadBarycentricPixel, None),
            InterpLocation::Centroid => (Op::LoadBarycentricCentroid, None),
            InterpLocation::Sample => (Op::LoadBarycentricSample, None),
        },
    };
    let srcs: SmallVec<[Id<Def>; 1]> = src.into_iter().collect();
    b.load(op, 2, 32, &srcs, &[p.io.interp as u32])
}

/// Loads `n` components of `bits` bits, as scalars.
fn load(
    b: &mut Builder<'_>,
    p: &IoDeref,
    bary: Option<Id<Def>>,
    n: u8,
    bits: u8,
) -> Option<SmallVec<[Id<Def>; 4]>> {
    use IntrinsicOp as Op;
    let per = if bits == 64 { 2 } else { 1 };
    let end = p.component + u32::from(n) * per;
    let mut at = p.component;
    let mut dwords: SmallVec<[Id<Def>; 8]> = SmallVec::new();
    while at < end {
        let a = slot_access(b, p, at)?;
        let count = (4 - a.component).min(end - at);
        at += count;
        let fragments = p.mode == VariableMode::ShaderIn && b.shader.stage == Stage::Fragment;
        if let (true, Some(_)) = (fragments, p.offset) {
            dwords.extend(load_dynamic_slot(b, &a, bary, count as u8)?);
            continue;
        }
        let indices = [0, a.component, a.location, a.num_slots];
        let (op, srcs): (_, SmallVec<[Id<Def>; 2]>) = match (p.mode, p.vertex, bary) {
            (VariableMode::ShaderIn, Some(v), _) => {
                (Op::LoadPerVertexInput, SmallVec::from_slice(&[v, a.offset]))
            }
            (VariableMode::ShaderIn, None, Some(w)) => (
                Op::LoadInterpolatedInput,
                SmallVec::from_slice(&[w, a.offset]),
            ),
            (VariableMode::ShaderIn, None, None) => {
                (Op::LoadInput, SmallVec::from_slice(&[a.offset]))
            }
            (_, Some(v), _) => (
                Op::LoadPerVertexOutput,
                SmallVec::from_slice(&[v, a.offset]),
            ),
            (_, None, _) => (Op::LoadOutput, SmallVec::from_slice(&[a.offset])),
        };
        let value = b.load(op, count as u8, 32, &srcs, &indices);
        dwords.extend(b.channels(value));
    }
    if bits == 16 {
        let values = dwords.into_iter();
        return Some(values.map(|dword| p.scalar.narrow(b, dword)).collect());
    }
    if per == 1 {
        return Some(dwords.into_iter().collect());
    }
    let pairs = dwords.chunks_exact(2);
    Some(pairs.map(|d| b.pack_64_2x32_split(d[0], d[1])).collect())
}

/// Loads components of a fragment input whose slot is dynamic: loads them from all slots and
/// selects.
fn load_dynamic_slot(
    b: &mut Builder<'_>,
    a: &SlotAccess,
    bary: Option<Id<Def>>,
    count: u8,
) -> Option<SmallVec<[Id<Def>; 4]>> {
    use IntrinsicOp as Op;
    let zero = b.imm_u32(0);
    let mut all: Option<SmallVec<[Id<Def>; 4]>> = None;
    for slot in 0..a.num_slots {
        let location = a.location.checked_add(slot)?;
        let indices = [0, a.component, location, 1];
        let one = match bary {
            Some(at) => b.load(Op::LoadInterpolatedInput, count, 32, &[at, zero], &indices),
            None => b.load(Op::LoadInput, count, 32, &[zero], &indices),
        };
        let one = b.channels(one);
        all = Some(match all {
            None => one.into_iter().collect(),
            Some(others) => {
                let number = b.imm_u32(slot);
                let hit = b.ieq(a.offset, number);
                let pairs = one.into_iter().zip(others);
                pairs.map(|(one, other)| b.bcsel(hit, one, other)).collect()
            }
        });
    }
    all
}

fn store(b: &mut Builder<'_>, p: &IoDeref, i: &Intrinsic) -> Option<Action> {
    if p.dynamic.is_some() {
        return None;
    }
    let value = i.srcs[1];
    let def = b.shader.defs[value];
    if def.bit_size < 16 {
        return None;
    }
    let per = if def.bit_size == 64 { 2 } else { 1 };
    let mask = i.index("write_mask");
    let mut parts: SmallVec<[(Id<Def>, bool); 8]> = SmallVec::new();
    for (k, c) in b.channels(value).into_iter().enumerate() {
        let written = mask >> k & 1 == 1;
        if per == 2 {
            parts.push((b.unpack_64_2x32_split_x(c), written));
            parts.push((b.unpack_64_2x32_split_y(c), written));
        } else if def.bit_size == 16 {
            parts.push((p.scalar.widen(b, c), written));
        } else {
            parts.push((c, written));
        }
    }
    let mut at = 0;
    while at < parts.len() {
        let a = slot_access(b, p, p.component + at as u32)?;
        let count = (4 - a.component as usize).min(parts.len() - at);
        let piece = &parts[at..at + count];
        at += count;
        let mask = piece
            .iter()
            .enumerate()
            .fold(0, |m, (k, p)| m | u32::from(p.1) << k);
        if mask == 0 {
            continue;
        }
        let scalars: SmallVec<[Id<Def>; 4]> = piece.iter().map(|p| p.0).collect();
        let v = b.vec(&scalars);
        let common = [0, mask, a.component, a.location, a.num_slots];
        match p.vertex {
            Some(vertex) => {
                b.intrinsic(
                    IntrinsicOp::StorePerVertexOutput,
                    None,
                    &[v, vertex, a.offset],
                    &common,
                );
            }
            None => {
                let output_indices = [u32::from(p.io.index), u32::from(p.io.stream)];
                let indices: SmallVec<[u32; 7]> =
                    common.into_iter().chain(output_indices).collect();
                b.intrinsic(IntrinsicOp::StoreOutput, None, &[v, a.offset], &indices);
            }
        }
    }
    Some(Action::Remove)
}
