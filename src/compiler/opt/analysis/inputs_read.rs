//! Collects which inputs a shader reads.
//!
//! In:  a shader from the front end, with derefs of shader_in.
//! Out: [`InputsRead`], per dword where indices are constant. Built-in slots are not included. The
//!      caller passes it on to the compilation of the previous stage
//!      ([`crate::pass::Ctx::next_stage_reads`]).
//! Tests: below.

use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;

/// What a deref of an input points to.
#[derive(Clone, Copy)]
struct InputDeref {
    var: Id<Variable>,
    ty: Id<Type>,
    slot: u32,
    component: u32,
    /// The next array index selects a vertex.
    vertex: bool,
    /// The deref has a dynamic index.
    dynamic: bool,
}

/// The dwords of inputs that a shader may read.
pub fn inputs_read(s: &Shader) -> InputsRead {
    let mut reads = InputsRead::NONE;
    reads.vertices = s.is_per_vertex_mode(VariableMode::ShaderIn);
    let mut derefs: FxHashMap<Id<Def>, InputDeref> = FxHashMap::default();
    let mut loads: Vec<(Id<Def>, InputDeref)> = Vec::new();
    // The components of each value that have uses.
    let mut used: IdMap<Def, u16> = IdMap::for_arena(&s.defs, 0);
    for block in s.block_order() {
        for &id in &s.blocks[block].instrs {
            match &s.instrs[id] {
                Instr::Deref(d) => {
                    s.instrs[id].for_each_src(|src| used[src] = u16::MAX);
                    if let Some(deref) = resolve_deref(s, d, &derefs) {
                        derefs.insert(d.def, deref);
                    }
                }
                Instr::Alu(a) => {
                    for (k, src) in a.srcs.iter().enumerate() {
                        let n = a.src_components(k, s.defs[a.def].num_components);
                        let read = src.swizzle.iter().take(n.into());
                        used[src.def] |= read.fold(0, |all, c| all | 1 << c);
                    }
                }
                Instr::Intrinsic(i)
                    if is_load(i.op) && i.def.is_some() && derefs.contains_key(&i.srcs[0]) =>
                {
                    loads.extend(i.def.map(|def| (def, derefs[&i.srcs[0]])));
                    i.srcs[1..].iter().for_each(|src| used[*src] = u16::MAX);
                }
                other => other.for_each_src(|src| {
                    used[src] = u16::MAX;
                    if let Some(deref) = derefs.get(&src) {
                        add_variable(s, deref, &mut reads);
                    }
                }),
            }
        }
    }
    for (def, deref) in loads {
        add_loaded(s, def, &deref, used[def], &mut reads);
    }
    reads
}

fn is_load(op: IntrinsicOp) -> bool {
    use IntrinsicOp as Op;
    matches!(
        op,
        Op::LoadDeref
            | Op::InterpDerefAtCentroid
            | Op::InterpDerefAtSample
            | Op::InterpDerefAtOffset
    )
}

/// What a deref points to, given what its parent points to.
fn resolve_deref(
    s: &Shader,
    d: &Deref,
    derefs: &FxHashMap<Id<Def>, InputDeref>,
) -> Option<InputDeref> {
    if d.mode != VariableMode::ShaderIn {
        return None;
    }
    let (parent, index) = match d.kind {
        DerefKind::Var(var) => {
            let v = &s.vars[var];
            let io = v.io?;
            return Some(InputDeref {
                var,
                ty: v.ty,
                slot: io.slot.0.into(),
                component: io.component.into(),
                vertex: s.is_per_vertex(v),
                dynamic: false,
            });
        }
        DerefKind::Array { parent, index } => (parent, Some(index)),
        DerefKind::Struct { parent, .. }
        | DerefKind::PtrAsArray { parent, .. }
        | DerefKind::Cast { parent, .. } => (parent, None),
    };
    let mut deref = *derefs.get(&parent)?;
    let of = std::mem::replace(&mut deref.ty, d.ty);
    match (&d.kind, index) {
        (DerefKind::Struct { member, .. }, _) => {
            if let Type::Struct { members, .. } = &s.types[of] {
                let before = members.iter().take(*member as usize);
                deref.slot += before.map(|m| s.types.count_slots(m.ty)).sum::<u32>();
            }
        }
        (_, Some(_)) if deref.vertex => deref.vertex = false,
        (_, Some(index)) => {
            let dwords = match s.types.value_shape(d.ty) {
                Some((_, 64)) => 2,
                _ => 1,
            };
            match s
                .const_component(index, 0)
                .and_then(|at| u32::try_from(at).ok())
            {
                Some(at) if matches!(s.types[of], Type::Vector { .. }) => {
                    deref.component = deref.component.saturating_add(at.saturating_mul(dwords));
                }
                Some(at) => {
                    let slots = at.saturating_mul(s.types.count_slots(d.ty));
                    deref.slot = deref.slot.saturating_add(slots);
                }
                None => deref.dynamic = true,
            }
        }
        _ => deref.dynamic = true,
    }
    Some(deref)
}

/// Adds the used components of a value loaded from an input.
fn add_loaded(s: &Shader, def: Id<Def>, deref: &InputDeref, used: u16, reads: &mut InputsRead) {
    if deref.dynamic {
        return add_variable(s, deref, reads);
    }
    let def = s.defs[def];
    let dwords = if def.bit_size == 64 { 2 } else { 1 };
    let flat = is_flat(s, deref.var);
    for component in (0..u32::from(def.num_components)).filter(|c| used >> c & 1 == 1) {
        for dword in 0..dwords {
            let at = deref.component + component * dwords + dword;
            if let Some(slot) = user_slot(deref.slot.saturating_add(at / 4)) {
                reads.add(slot, 1 << (at % 4), flat);
            }
        }
    }
}

/// Adds everything that a deref of a variable may reach: the whole variable, and for per-vertex
/// inputs also pins its slots.
fn add_variable(s: &Shader, deref: &InputDeref, reads: &mut InputsRead) {
    let v = &s.vars[deref.var];
    let mut ty = v.ty;
    if s.is_per_vertex(v)
        && let Type::Array { elem, .. } = s.types[ty]
    {
        ty = elem;
    }
    let first = v.io.map_or(0, |io| u32::from(io.slot.0));
    let flat = is_flat(s, deref.var);
    for at in 0..s.types.count_slots(ty).min(Slot::END.into()) {
        let Some(slot) = user_slot(first + at) else {
            break;
        };
        match reads.vertices {
            true => reads.pin(slot),
            false => reads.add(slot, 0xf, flat),
        }
    }
}

fn is_flat(s: &Shader, var: Id<Variable>) -> bool {
    let io = s.vars[var].io;
    s.stage == Stage::Fragment && io.is_some_and(|io| io.interp == InterpMode::Flat)
}

/// The slot with this number, unless it is a built-in one.
fn user_slot(number: u32) -> Option<Slot> {
    let slot = u8::try_from(number).ok().filter(|&n| n < Slot::END);
    slot.map(Slot).filter(|slot| slot.user_location().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> InputsRead {
        let shader = parse(text).unwrap();
        validate(&shader).unwrap();
        inputs_read(&shader)
    }

    fn var(n: u32) -> Slot {
        Slot::var(n).unwrap()
    }

    #[test]
    fn only_used_components_are_read() {
        let reads = read(
            "shader fragment \"main\" {
                type t0 = float32
                type t1 = vector t0 4
                type t2 = array t1 3 stride 0
                type t3 = int32
                type t4 = vector t3 2
                var v0 = shader_in t1 \"a\" location var0
                var v1 = shader_in t2 \"b\" location var1
                var v2 = shader_in t4 \"c\" location var5 component 1 flat
                var v3 = shader_in t1 \"d\" location var6
                var v4 = shader_out t1 \"e\" location var0
                var v5 = shader_in t3 \"f\" location var7 flat
            b0:
                %0:32 = deref_var v0 : shader_in t1
                %1:32x4 = load_deref %0
                %2:32 = const 2
                %3:32 = deref_var v1 : shader_in t2
                %4:32 = deref_array %3, %2 : shader_in t1
                %5:32x4 = load_deref %4
                %6:32 = fadd %1.y, %5.w
                %7:32 = deref_var v2 : shader_in t4
                %8:32x2 = load_deref %7
                %9:32x4 = vec4 %6, %8.y, %6, %6
                %10:32 = deref_var v4 : shader_out t1
                store_deref %10, %9 {write_mask=15}
                %11:32 = deref_var v3 : shader_in t1
                %12:32x4 = load_deref %11
                %13:32 = deref_var v5 : shader_in t3
                %14:32 = load_deref %13
                %15:32 = deref_array %3, %14 : shader_in t1
            }",
        );
        assert_eq!(reads.components_read(var(0)), [2, 0]);
        assert_eq!(reads.components_read(var(1)), [0, 0]);
        assert_eq!(reads.components_read(var(3)), [8, 0]);
        assert_eq!(reads.components_read(var(5)), [0, 4]);
        // A value that is loaded but has no uses is not read.
        assert_eq!(reads.components_read(var(6)), [0, 0]);
        // Indices are read.
        assert_eq!(reads.components_read(var(7)), [0, 1]);
        assert!(!reads.vertices && !reads.is_pinned(var(3)));
        let expected = [0, 3, 5, 7].map(var).into_iter();
        assert_eq!(reads.slots, expected.fold(SlotSet::NONE, SlotSet::with));
    }

    #[test]
    fn dynamic_vertex_indices_pin_slots() {
        let text = "
            type t0 = float32
            type t1 = vector t0 2
            type t2 = array t1 2 stride 0
            type t3 = array t2 3 stride 0
            type t4 = array t1 3 stride 0
            var v0 = shader_in t3 \"a\" location var0
            var v1 = shader_in t4 \"b\" location var4
        b0:
            %0:32 = load_invocation_id
            %1:32 = deref_var v0 : shader_in t3
            %2:32 = deref_array %1, %0 : shader_in t2
            %3:32 = deref_array %2, %0 : shader_in t1
            %4:32x2 = load_deref %3
            %5:32 = deref_var v1 : shader_in t4
            %6:32 = deref_array %5, %0 : shader_in t1
            %7:32x2 = load_deref %6
            %8:32 = fadd %4.x, %7.y
        }";
        let modes = "geometry input=triangles output=points vertices_out=1 invocations=2";
        let reads = read(&format!("shader geometry \"main\" {{ {modes} {text}"));
        assert!(reads.vertices);
        // A dynamic vertex index pins nothing, a dynamic array index does.
        assert!(reads.is_pinned(var(0)) && reads.is_pinned(var(1)) && !reads.is_pinned(var(4)));
        assert_eq!(reads.components_read(var(1)), [0xf, 0]);
        assert_eq!(reads.components_read(var(4)), [2, 0]);
    }
}
