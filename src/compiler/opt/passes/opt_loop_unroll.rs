//! Unrolls loops with a known number of iterations.
//!
//! In:  loops whose first `if` breaks on a condition that can be evaluated iteration by iteration
//!      from constants.
//! Out: copies of the body, if they are not too large. Loops with barriers or inner loops are only
//!      unrolled if they have a single iteration. All invocations run the same number of
//!      iterations, so every copy has the tangle of the original. If there are other exits, the
//!      copies are inside a loop that runs once, which these exits break out of.
//!
//! If the condition cannot be evaluated, but each iteration accesses a local array by its counter,
//! there are at most as many iterations as elements (Vulkan, "Out-of-Bounds Array Access":
//! undefined for such variables). Each copy then evaluates the condition.
//! Tests: tests/opt/opt_loop_unroll/.

use crate::analysis::dynamic_index;
use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, copy_nodes, lists_inside_out};
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum number of iterations.
const MAX_ITERATIONS: u32 = 64;

/// Maximum number of iterations, and of instructions in all of them, for loops that index local
/// arrays: constant indices allow the array to be promoted to SSA values instead of memory.
const INDEXING_ITERATIONS: u32 = 32;
const INDEXING_LIMIT: u32 = 16384;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_loop_unroll(s: &mut Shader, ctx: &Ctx) -> bool {
    let mut changed = false;
    while !s.loops.is_empty() && unroll_one(s, ctx) {
        changed = true;
    }
    changed
}

/// Unrolls the first loop that can be unrolled, inner ones first.
fn unroll_one(s: &mut Shader, ctx: &Ctx) -> bool {
    let cfg = Cfg::new(s);
    for list in lists_inside_out(s) {
        for at in (1..s.list(list).len()).step_by(2) {
            if let CfNode::Loop(l) = s.list(list)[at]
                && let Some(plan) = plan_unroll(s, &cfg, ctx, list, at, l)
            {
                let mut edit = CfEdit::new();
                unroll(s, &mut edit, list, at, l, plan);
                // Analyses are out of date now and must be recomputed.
                return edit.finish(s);
            }
        }
    }
    false
}

/// How to unroll a loop.
struct Plan {
    /// The number of iterations in which the condition does not break.
    iterations: u32,
    /// The loop may break earlier.
    may_break_early: bool,
    before: Id<Block>,
    head: Id<Block>,
    tail: Id<Block>,
    /// The block with the break.
    exit: Id<Block>,
    /// The other branch of that `if`, which is empty.
    stay: Id<Block>,
    /// Blocks with other breaks.
    other_exits: SmallVec<[Id<Block>; 2]>,
}

fn plan_unroll(
    s: &Shader,
    cfg: &Cfg,
    ctx: &Ctx,
    list: ListRef,
    at: usize,
    l: Id<Loop>,
) -> Option<Plan> {
    let body = ListRef::Loop(l);
    let (Some(&CfNode::Block(before)), Some(&CfNode::Block(after))) =
        (s.list(list).get(at - 1), s.list(list).get(at + 1))
    else {
        return None;
    };
    let (head, tail) = (s.first_block(body)?, s.last_block(body)?);
    let Some(&CfNode::If(term)) = s.list(body).get(1) else {
        return None;
    };
    let (&[CfNode::Block(then)], &[CfNode::Block(other)]) = (
        s.ifs[term].then_list.as_slice(),
        s.ifs[term].else_list.as_slice(),
    ) else {
        return None;
    };
    let (exit, stay, breaks_on) = match (s.jump_of(then), s.jump_of(other)) {
        (Some(Jump::Break), None) => (then, other, true),
        (None, Some(Jump::Break)) => (other, then, false),
        _ => return None,
    };
    // One entry and one back edge.
    let head_preds = &cfg[head].preds;
    let other_exits = cfg[after].preds.iter().copied().filter(|p| *p != exit);
    let other_exits: SmallVec<[Id<Block>; 2]> = other_exits.collect();
    if head_preds.len() != 2
        || !head_preds.contains(&before)
        || !head_preds.contains(&tail)
        || other_exits
            .iter()
            .any(|b| s.jump_of(*b) != Some(Jump::Break))
        || !s.blocks[stay].instrs.is_empty()
        || head == tail
    {
        return None;
    }
    let (size, indexing) = body_size(s, body);
    let mut limit = (ctx.unroll_limit / size.max(1)).min(MAX_ITERATIONS);
    if indexing && ctx.unroll_limit > 0 {
        limit = limit.max((INDEXING_LIMIT / size.max(1)).min(INDEXING_ITERATIONS));
    }
    // The inner loop dominates the cost of an iteration.
    let nested = (s.layout_of(body).iter()).any(|e| matches!(e, CfEvent::Loop(_)));
    // The barrier dominates the cost too.
    if !indexing && (nested || has_barrier(s, body)) {
        limit = limit.min(1);
    }
    let known = count_iterations(s, term, breaks_on, l, (before, tail), limit);
    let may_break_early = known.is_none();
    let iterations = known.or_else(|| {
        let alone = indexing && other_exits.is_empty() && !nested && !has_barrier(s, body);
        let few = |iterations: &u32| *iterations <= limit && iterations * size <= ctx.unroll_limit;
        let bound = || max_iterations(s, body, (head, before, tail));
        alone.then(bound).flatten().filter(few)
    })?;
    Some(Plan {
        iterations,
        may_break_early,
        before,
        head,
        tail,
        exit,
        stay,
        other_exits,
    })
}

/// True if a loop contains a barrier.
fn has_barrier(s: &Shader, body: ListRef) -> bool {
    let barrier = |i: &Id<Instr>| s.instrs[*i].effects().any(Effects::BARRIER);
    s.layout_of(body).iter().any(|e| match e {
        CfEvent::Block(b) => s.blocks[*b].instrs.iter().any(barrier),
        _ => false,
    })
}

/// The number of instructions per iteration, and whether local arrays are indexed dynamically.
pub(crate) fn body_size(s: &Shader, body: ListRef) -> (u32, bool) {
    let layout = s.layout_of(body);
    let indexing = layout.iter().any(|e| match e {
        CfEvent::Block(b) => s.blocks[*b]
            .instrs
            .iter()
            .any(|i| dynamic_index::indexes_array(s, *i)),
        _ => false,
    });
    let size = layout
        .iter()
        .map(|e| match e {
            CfEvent::Block(b) => s.blocks[*b]
                .instrs
                .iter()
                .filter(|i| {
                    !matches!(
                        s.instrs[**i],
                        Instr::Const { .. } | Instr::Phi(_) | Instr::Deref(_)
                    )
                })
                .count() as u32,
            CfEvent::If(_) | CfEvent::Loop(_) => 2,
            _ => 0,
        })
        .sum();
    (size, indexing)
}

/// Evaluates iterations until the loop breaks. Returns the number of full iterations, or `None` if
/// it is unknown or above `limit`.
fn count_iterations(
    s: &Shader,
    term: Id<If>,
    breaks_on: bool,
    l: Id<Loop>,
    (before, tail): (Id<Block>, Id<Block>),
    limit: u32,
) -> Option<u32> {
    type KnownValues = FxHashMap<Id<Def>, SmallVec<[u64; 4]>>;
    let top: Vec<Id<Block>> = s.loops[l]
        .body
        .iter()
        .filter_map(|n| match n {
            CfNode::Block(b) => Some(*b),
            _ => None,
        })
        .collect();
    let value = |known: &KnownValues, d: Id<Def>| -> Option<SmallVec<[u64; 4]>> {
        match s.const_of(d) {
            Some(v) => Some(v.into()),
            None => known.get(&d).cloned(),
        }
    };
    let mut phis = Vec::new();
    for &id in &s.blocks[*top.first()?].instrs {
        if let Instr::Phi(p) = &s.instrs[id] {
            let of = |b: Id<Block>| p.srcs.iter().find(|x| x.0 == b).map(|x| x.1);
            phis.push((p.def, of(before)?, of(tail)?));
        }
    }
    let mut known: KnownValues = phis
        .iter()
        .filter_map(|p| Some((p.0, value(&KnownValues::default(), p.1)?)))
        .collect();
    let cond = s.ifs[term].cond;
    for iteration in 0..=limit {
        for &b in &top {
            for &id in &s.blocks[b].instrs {
                if let Instr::Alu(a) = &s.instrs[id]
                    && let Some(v) = evaluate(s, a, |d| value(&known, d))
                {
                    known.insert(a.def, v);
                }
            }
        }
        let hit = *value(&known, cond)?.first()? != 0;
        if hit == breaks_on {
            return Some(iteration);
        }
        known = phis
            .iter()
            .filter_map(|p| Some((p.0, value(&known, p.2)?)))
            .collect();
    }
    None
}

/// An upper bound of the number of full iterations: each accesses an element of a local array by a
/// counter with a constant step.
fn max_iterations(
    s: &Shader,
    body: ListRef,
    (head, before, tail): (Id<Block>, Id<Block>, Id<Block>),
) -> Option<u32> {
    let counters = s.blocks[head].instrs.iter().filter_map(|&id| {
        let Instr::Phi(phi) = &s.instrs[id] else {
            return None;
        };
        let of = |b: Id<Block>| phi.srcs.iter().find(|x| x.0 == b).map(|x| x.1);
        let next = s.alu_of(of(tail)?).filter(|a| a.op == AluOp::IAdd)?;
        let step = match [0, 1].map(|k| next.srcs[k].def == phi.def) {
            [true, false] => s.const_component(next.srcs[1].def, next.srcs[1].swizzle[0]),
            [false, true] => s.const_component(next.srcs[0].def, next.srcs[0].swizzle[0]),
            _ => None,
        };
        let scalar = s.defs[phi.def].num_components == 1 && s.defs[phi.def].bit_size == 32;
        let first = s.const_component(of(before)?, 0).filter(|_| scalar)?;
        Some((
            phi.def,
            first,
            step.filter(|step| (1..1 << 16).contains(step))?,
        ))
    });
    let bounds = counters.filter_map(|(counter, first, step)| {
        let elements = s.layout_of(body).iter().find_map(|event| match event {
            CfEvent::Block(b) => indexed_array_length(s, *b, counter),
            _ => None,
        })?;
        let reaches = |b: Id<Block>| indexed_array_length(s, b, counter) == Some(elements);
        let bounded = always_reaches(s, body, &reaches) && first < u64::from(elements);
        bounded.then(|| (u64::from(elements) - first).div_ceil(step) as u32)
    });
    bounds.min()
}

/// The length of an array of which a block loads or stores the element with index `number`.
fn indexed_array_length(s: &Shader, block: Id<Block>, number: Id<Def>) -> Option<u32> {
    s.blocks[block].instrs.iter().find_map(|&id| {
        let Instr::Intrinsic(access) = &s.instrs[id] else {
            return None;
        };
        use IntrinsicOp::{LoadDeref, StoreDeref};
        let pointer = match access.op {
            LoadDeref | StoreDeref => s.deref_of(*access.srcs.first()?)?,
            _ => return None,
        };
        let DerefKind::Array { parent, index } = pointer.kind else {
            return None;
        };
        let local = matches!(
            pointer.mode,
            VariableMode::FunctionTemp | VariableMode::ShaderTemp
        );
        match s.types[s.deref_of(parent)?.ty] {
            Type::Array { len, .. } if local && index == number => len,
            _ => None,
        }
    })
}

/// True if every path through a list that does not leave it passes a block for which `reaches` is
/// true.
fn always_reaches(s: &Shader, list: ListRef, reaches: &dyn Fn(Id<Block>) -> bool) -> bool {
    s.list(list).iter().any(|node| match *node {
        CfNode::Block(b) => reaches(b),
        CfNode::If(i) => {
            let side = |list: ListRef| {
                let leaves = s.last_block(list).is_some_and(|b| s.jump_of(b).is_some());
                leaves || always_reaches(s, list, reaches)
            };
            // A branch that leaves the loop does not complete the iteration, but at least one
            // branch must.
            let sides = [ListRef::Then(i), ListRef::Else(i)];
            sides.iter().all(|list| side(*list))
                && sides.iter().any(|list| always_reaches(s, *list, reaches))
        }
        CfNode::Loop(_) => false,
    })
}

fn evaluate(
    s: &Shader,
    a: &Alu,
    value: impl Fn(Id<Def>) -> Option<SmallVec<[u64; 4]>>,
) -> Option<SmallVec<[u64; 4]>> {
    let def = s.defs[a.def];
    let mut srcs: SmallVec<[SmallVec<[u64; 4]>; 3]> = SmallVec::new();
    let mut bits: SmallVec<[u8; 4]> = SmallVec::new();
    for (k, src) in a.srcs.iter().enumerate() {
        let v = value(src.def)?;
        let n = usize::from(a.src_components(k, def.num_components));
        let mut part = SmallVec::new();
        for c in &src.swizzle[..n] {
            part.push(*v.get(usize::from(*c))?);
        }
        srcs.push(part);
        bits.push(s.defs[src.def].bit_size);
    }
    let parts: SmallVec<[&[u64]; 3]> = srcs.iter().map(|v| v.as_slice()).collect();
    let mut out: SmallVec<[u64; 4]> = SmallVec::from_elem(0, usize::from(def.num_components));
    let controls = s.info.float_controls;
    fold::fold(a.op, def.bit_size, &bits, &parts, controls, &mut out).then_some(out)
}

/// Brings the loop to closed SSA form (LCSSA): code behind it uses its values only through phis in
/// `after`, whose predecessors are `exits`.
fn close_ssa(s: &mut Shader, l: Id<Loop>, after: Id<Block>, exits: &[Id<Block>]) {
    let inside: Vec<CfEvent> = s.layout_of(ListRef::Loop(l)).to_vec();
    let mut blocks: IdMap<Block, bool> = IdMap::for_arena(&s.blocks, false);
    let mut own: IdMap<Def, bool> = IdMap::for_arena(&s.defs, false);
    for event in &inside {
        if let CfEvent::Block(b) = event {
            blocks[*b] = true;
            for &id in &s.blocks[*b].instrs {
                if let Some(def) = s.instrs[id].def() {
                    own[def] = true;
                }
            }
        }
    }
    let mut phis: FxHashMap<Id<Def>, Id<Def>> = FxHashMap::default();
    for block in s.block_order() {
        if blocks[block] {
            continue;
        }
        for k in 0..s.blocks[block].instrs.len() {
            let id = s.blocks[block].instrs[k];
            let closed = block == after && matches!(s.instrs[id], Instr::Phi(_));
            let mut found: SmallVec<[Id<Def>; 4]> = SmallVec::new();
            s.instrs[id].for_each_src(|d| found.extend(own[d].then_some(d)));
            for d in found.into_iter().filter(|_| !closed) {
                let value = phis.get(&d).copied();
                let value = value.unwrap_or_else(|| s.defs.push(s.defs[d]));
                phis.insert(d, value);
                s.instrs[id].for_each_src_mut(|src| {
                    if *src == d {
                        *src = value;
                    }
                });
            }
        }
    }
    // `if`s that have been removed from the shader keep their conditions.
    let ifs = s.layout().into_iter().filter_map(|event| match event {
        CfEvent::If(i) => Some(i),
        _ => None,
    });
    let within = |i: &Id<If>| inside.iter().any(|e| matches!(e, CfEvent::If(j) if j == i));
    let ifs: Vec<Id<If>> = ifs.filter(|i| !within(i)).collect();
    for i in ifs {
        let cond = s.ifs[i].cond;
        if own[cond] {
            let value = phis.get(&cond).copied();
            let value = value.unwrap_or_else(|| s.defs.push(s.defs[cond]));
            phis.insert(cond, value);
            s.ifs[i].cond = value;
        }
    }
    for (from, to) in sorted(&phis) {
        let srcs = exits.iter().map(|exit| (*exit, from)).collect();
        let phi = s.instrs.push(Instr::Phi(Phi { def: to, srcs }));
        s.defs[to].instr = phi;
        s.blocks[after].instrs.insert(0, phi);
    }
}

/// The operands of a phi, by predecessor.
type Srcs = SmallVec<[(Id<Block>, Id<Def>); 4]>;

/// The operands of the phis behind a loop, as its exits are copied.
struct ExitPhis {
    /// The phis, with their operands from the original loop.
    phis: Vec<(Id<Instr>, Srcs)>,
    copied: Vec<Srcs>,
}

impl ExitPhis {
    fn new(s: &Shader, after: Id<Block>) -> ExitPhis {
        let mut phis = Vec::new();
        for &id in &s.blocks[after].instrs {
            if let Instr::Phi(p) = &s.instrs[id] {
                phis.push((id, p.srcs.iter().copied().collect()));
            }
        }
        ExitPhis {
            copied: vec![SmallVec::new(); phis.len()],
            phis,
        }
    }

    /// Adds operands for block `to`, a copy of `from`. `value` maps original to copied values.
    fn add(&mut self, from: Id<Block>, to: Id<Block>, value: impl Fn(Id<Def>) -> Id<Def>) {
        for ((_, srcs), copied) in self.phis.iter().zip(&mut self.copied) {
            let src = srcs.iter().find(|src| src.0 == from);
            copied.extend(src.map(|src| (to, value(src.1))));
        }
    }

    /// Adds operands for the copies of `exits` among the copied nodes (original, copy).
    fn add_copies(
        &mut self,
        s: &Shader,
        (original, copy): (&CfList, &CfList),
        exits: &[Id<Block>],
        value: impl Fn(Id<Def>) -> Id<Def>,
    ) {
        let (old, new) = (s.layout_of_nodes(original), s.layout_of_nodes(copy));
        for pair in old.iter().zip(&new) {
            if let (CfEvent::Block(from), CfEvent::Block(to)) = pair
                && exits.contains(from)
            {
                self.add(*from, *to, &value);
            }
        }
    }

    /// Replaces the operands of the phis by those added.
    fn finish(self, s: &mut Shader) {
        for ((id, _), copied) in self.phis.into_iter().zip(self.copied) {
            if let Instr::Phi(p) = &mut s.instrs[id] {
                p.srcs = copied.into_iter().collect();
            }
        }
    }
}

/// Removes the `if` with the condition from a body, whose head continues with the rest. Returns the
/// replacements of the phis behind that `if`.
fn remove_condition(
    s: &mut Shader,
    edit: &mut CfEdit,
    body: &mut CfList,
    plan: &Plan,
) -> FxHashMap<Id<Def>, Id<Def>> {
    let mut inner: FxHashMap<Id<Def>, Id<Def>> = FxHashMap::default();
    let Some(&CfNode::Block(rest)) = body.get(2) else {
        return inner;
    };
    let phi_count = s.blocks[rest]
        .instrs
        .iter()
        .take_while(|i| matches!(s.instrs[**i], Instr::Phi(_)))
        .count();
    for id in s.blocks[rest].instrs.drain(..phi_count) {
        if let Instr::Phi(p) = &s.instrs[id]
            && let Some((_, v)) = p.srcs.iter().find(|x| x.0 == plan.stay)
        {
            inner.insert(p.def, *v);
        }
    }
    let more = std::mem::take(&mut s.blocks[rest].instrs);
    s.blocks[plan.head].instrs.extend(more);
    edit.rename_block(rest, plan.head);
    body.drain(1..3);
    // Phis in the body that refer to the merged block must refer to the head before they are
    // copied.
    for event in s.layout_of_nodes(body) {
        if let CfEvent::Block(b) = event {
            for k in 0..s.blocks[b].instrs.len() {
                let id = s.blocks[b].instrs[k];
                if let Instr::Phi(p) = &mut s.instrs[id] {
                    for src in &mut p.srcs {
                        if src.0 == rest {
                            src.0 = plan.head;
                        }
                    }
                }
            }
        }
    }
    inner
}

/// The phis of a loop's head, as (phi, first value, next value). They are removed from the block.
fn take_head_phis(s: &mut Shader, plan: &Plan) -> Vec<(Id<Def>, Id<Def>, Id<Def>)> {
    let n = s.blocks[plan.head]
        .instrs
        .iter()
        .take_while(|i| matches!(s.instrs[**i], Instr::Phi(_)))
        .count();
    let mut phis = Vec::new();
    for id in s.blocks[plan.head].instrs.drain(..n) {
        if let Instr::Phi(p) = &s.instrs[id] {
            let of = |b: Id<Block>| p.srcs.iter().find(|x| x.0 == b).map(|x| x.1);
            if let (Some(first), Some(next)) = (of(plan.before), of(plan.tail)) {
                phis.push((p.def, first, next));
            }
        }
    }
    phis
}

/// Replaces the loop at index `at` of `list` by copies of its body.
fn unroll(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, l: Id<Loop>, plan: Plan) {
    // Exits that every copy has.
    let mut copied_exits = plan.other_exits.clone();
    if plan.may_break_early {
        copied_exits.push(plan.exit);
    }
    let after = match s.list(list).get(at + 1) {
        Some(&CfNode::Block(after)) if !copied_exits.is_empty() => {
            let exits: Vec<_> = plan
                .other_exits
                .iter()
                .copied()
                .chain([plan.exit])
                .collect();
            close_ssa(s, l, after, &exits);
            Some(after)
        }
        _ => None,
    };
    let mut exit_phis = after.map(|after| ExitPhis::new(s, after));
    let mut body = std::mem::take(&mut s.loops[l].body);
    let phis = take_head_phis(s, &plan);
    // The last, partial iteration: the head and the block that breaks.
    let last_head: Vec<Id<Instr>> = s.blocks[plan.head].instrs.clone();
    let mut last_exit = s.blocks[plan.exit].instrs.clone();
    last_exit.pop();
    if s.jump_of(plan.tail) == Some(Jump::Continue) {
        s.blocks[plan.tail].instrs.pop();
    }
    let inner = match plan.may_break_early {
        true => FxHashMap::default(),
        false => remove_condition(s, edit, &mut body, &plan),
    };
    let mut now: FxHashMap<Id<Def>, Id<Def>> = phis.iter().map(|p| (p.0, p.1)).collect();
    let start = s.blocks.push(Block::default());
    let mut nodes: CfList = vec![CfNode::Block(start)];
    for _ in 0..plan.iterations {
        // Phis behind the `if` had one operand: a value of the head, or of outside the loop. Their
        // uses read it directly once the copy has renamed it.
        let copy = copy_nodes(s, &body, now);
        let find = |d: Id<Def>| {
            let mut d = d;
            while let Some(v) = inner.get(&d) {
                d = *v;
            }
            copy.defs.get(&d).copied().unwrap_or(d)
        };
        for (from, _) in sorted(&inner) {
            replace_uses(s, &copy.nodes, from, find(from));
        }
        now = phis.iter().map(|p| (p.0, find(p.2))).collect();
        if let Some(exit_phis) = &mut exit_phis {
            exit_phis.add_copies(s, (&body, &copy.nodes), &copied_exits, find);
        }
        append(s, edit, &mut nodes, copy.nodes);
    }
    // The last, partial iteration.
    let end = s.blocks.push(Block {
        instrs: last_head.into_iter().chain(last_exit).collect(),
    });
    let copy = copy_nodes(s, &vec![CfNode::Block(end)], now);
    if let (Some(mut exit_phis), Some(&CfNode::Block(end))) = (exit_phis, copy.nodes.first()) {
        let value = |d: Id<Def>| copy.defs.get(&d).copied().unwrap_or(d);
        exit_phis.add(plan.exit, end, value);
        exit_phis.finish(s);
        let jump = s.instrs.push(Instr::Jump(Jump::Break));
        s.blocks[end].instrs.push(jump);
        append(s, edit, &mut nodes, copy.nodes);
        let once = s.loops.push(Loop { body: nodes });
        s.list_mut(list)[at] = CfNode::Loop(once);
        edit.changed = true;
        return;
    }
    for (old, new) in sorted(&copy.defs) {
        edit.replace(old, new);
    }
    append(s, edit, &mut nodes, copy.nodes);
    if let Some(&CfNode::Block(last)) = nodes.last() {
        edit.rename_block(plan.exit, last);
    }
    edit.splice(s, list, at, nodes);
}

pub(crate) fn sorted(defs: &FxHashMap<Id<Def>, Id<Def>>) -> Vec<(Id<Def>, Id<Def>)> {
    let mut v: Vec<_> = defs.iter().map(|(a, b)| (*a, *b)).collect();
    v.sort_unstable();
    v
}

/// Replaces uses of `from` in `nodes` by `to`.
fn replace_uses(s: &mut Shader, nodes: &CfList, from: Id<Def>, to: Id<Def>) {
    for event in s.layout_of_nodes(nodes) {
        match event {
            CfEvent::Block(b) => {
                for k in 0..s.blocks[b].instrs.len() {
                    let id = s.blocks[b].instrs[k];
                    s.instrs[id].for_each_src_mut(|d| {
                        if *d == from {
                            *d = to;
                        }
                    });
                }
            }
            CfEvent::If(i) if s.ifs[i].cond == from => s.ifs[i].cond = to,
            _ => {}
        }
    }
}

/// Appends a list to another: the last block of one and the first of the other are merged.
pub(crate) fn append(s: &mut Shader, edit: &mut CfEdit, nodes: &mut CfList, more: CfList) {
    if let (Some(&CfNode::Block(a)), Some(&CfNode::Block(b))) = (nodes.last(), more.first()) {
        edit.merge(s, a, b);
        nodes.extend(more.into_iter().skip(1));
    }
}
