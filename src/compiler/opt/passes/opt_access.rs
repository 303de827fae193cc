//! Marks loads of storage buffers that the shader does not write.
//!
//! In:  derefs.
//! Out: loads of storage buffers without stores are marked as unchanging, unless a variable of the
//!      binding is declared as aliased, coherent or volatile. Such loads may be merged, moved and
//!      removed like those of uniform buffers. Nothing is marked if any store goes to an address,
//!      or through a pointer whose variable is not known.
//! Ref: SPIR-V 2.18.2, "Aliasing".
//! Tests: tests/opt/opt_access/.

use crate::pass::Ctx;
use entity::Id;
use nir::*;
use rustc_hash::FxHashSet;

/// A binding (set, number). All its variables share memory.
type Binding = (u32, u32);

/// The memory that a pointer points to.
enum Pointee {
    Buffer(Binding),
    /// Memory other than a storage buffer.
    Other,
    Unknown,
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_access(s: &mut Shader, _: &Ctx) -> bool {
    let mut changing: FxHashSet<Binding> = FxHashSet::default();
    for (_, v) in s.vars.iter().filter(|(_, v)| v.mode == VariableMode::Ssbo) {
        let access = v.access;
        if access.aliased || access.coherent || access.volatile {
            changing.insert((v.set, v.binding));
        }
    }
    let mut loads = Vec::new();
    for b in s.block_order() {
        for &id in &s.blocks[b].instrs {
            let Instr::Intrinsic(i) = &s.instrs[id] else {
                continue;
            };
            let written = match i.op {
                IntrinsicOp::LoadDeref => {
                    loads.push(id);
                    continue;
                }
                IntrinsicOp::StoreDeref
                | IntrinsicOp::CopyDeref
                | IntrinsicOp::DerefAtomic
                | IntrinsicOp::DerefAtomicSwap => i.srcs[0],
                // The address may be used for stores.
                IntrinsicOp::DerefAddress => i.srcs[0],
                _ => continue,
            };
            match pointee(s, written) {
                Pointee::Buffer(binding) => {
                    changing.insert(binding);
                }
                Pointee::Other => {}
                Pointee::Unknown => return false,
            }
        }
    }
    let mut changed = false;
    for id in loads {
        let Instr::Intrinsic(i) = &s.instrs[id] else {
            continue;
        };
        let mut access = Access::from_bits(i.index("access"));
        let plain = !access.coherent && !access.volatile && !access.aliased && !access.unchanging;
        let Pointee::Buffer(binding) = pointee(s, i.srcs[0]) else {
            continue;
        };
        if !plain || changing.contains(&binding) {
            continue;
        }
        access.unchanging = true;
        if let Instr::Intrinsic(i) = &mut s.instrs[id] {
            i.set_index("access", access.bits());
            changed = true;
        }
    }
    changed
}

/// The memory that a pointer points to.
fn pointee(s: &Shader, mut at: Id<Def>) -> Pointee {
    loop {
        let Some(deref) = s.deref_of(at) else {
            return Pointee::Unknown;
        };
        at = match deref.kind {
            DerefKind::Var(v) => {
                let v = &s.vars[v];
                return match v.mode {
                    VariableMode::Ssbo => Pointee::Buffer((v.set, v.binding)),
                    _ => Pointee::Other,
                };
            }
            DerefKind::Array { parent, .. }
            | DerefKind::PtrAsArray { parent, .. }
            | DerefKind::Struct { parent, .. } => parent,
            DerefKind::Cast { .. }
                if !matches!(deref.mode, VariableMode::Ssbo | VariableMode::Global) =>
            {
                return Pointee::Other;
            }
            DerefKind::Cast { .. } => return Pointee::Unknown,
        };
    }
}
