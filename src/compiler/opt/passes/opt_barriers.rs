//! Merges a memory barrier with the barrier behind it.
//!
//! In:  any shader; those of tessellation control, whose barriers for the invocations of a patch do
//!      not order memory, are left as they are.
//! Out: a memory barrier is part of the next barrier of its block if nothing in between accesses
//!      memory that may change: that barrier orders the accesses to the memory of both, and has
//!      the wider scope and both semantics.
//! Ref: SPIR-V 3.25, "Memory Semantics"; 3.27, "Scope". Tests: tests/opt/opt_barriers/.

use crate::pass::Ctx;
use nir::*;

/// The execution scope of barriers that wait for no other invocation: SPIR-V's Invocation.
const NO_EXECUTION: u32 = 4;
/// SPIR-V's scopes from the widest to the narrowest: CrossDevice, Device, QueueFamily, Workgroup,
/// ShaderCall, Subgroup, Invocation.
const WIDEST_FIRST: [u32; 7] = [0, 1, 5, 2, 6, 3, 4];

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_barriers(s: &mut Shader, _: &Ctx) -> bool {
    let mut changed = false;
    if s.stage == Stage::TessControl {
        return false;
    }
    for b in s.block_order() {
        // The position of the last memory barrier that can move to the next barrier.
        let mut open: Option<usize> = None;
        let mut k = 0;
        while let Some(&id) = s.blocks[b].instrs.get(k) {
            let barrier = match &s.instrs[id] {
                Instr::Intrinsic(i) if i.op == IntrinsicOp::Barrier => Some(i.clone()),
                _ => None,
            };
            match barrier {
                Some(barrier) => {
                    if let Some(first) = open.take()
                        && let Some(merged) = merge(s, s.blocks[b].instrs[first], &barrier)
                    {
                        s.instrs[id] = Instr::Intrinsic(merged);
                        s.blocks[b].instrs.remove(first);
                        k -= 1;
                        changed = true;
                    }
                    open = (barrier.index("execution_scope") >= NO_EXECUTION).then_some(k);
                }
                None => {
                    let ordered = Effects::READS.or(Effects::WRITES).or(Effects::BARRIER);
                    if s.instrs[id].effects().any(ordered) {
                        open = None;
                    }
                }
            }
            k += 1;
        }
    }
    changed
}

/// The barrier `second` that also does what the memory barrier `first` does.
fn merge(s: &Shader, first: entity::Id<Instr>, second: &Intrinsic) -> Option<Intrinsic> {
    let Instr::Intrinsic(first) = &s.instrs[first] else {
        return None;
    };
    let mut merged = second.clone();
    for bits in ["memory_semantics", "memory_modes"] {
        merged.set_index(bits, first.index(bits) | second.index(bits));
    }
    let scopes = [first, second].map(|i| i.index("memory_scope"));
    let wider = WIDEST_FIRST
        .into_iter()
        .find(|scope| scopes.contains(scope))?;
    merged.set_index("memory_scope", wider);
    Some(merged)
}
