//! Unrolls innermost counted loops partially.
//!
//! In:  loops whose only exit is a comparison of a counter with a bound at the top.
//! Out: a loop that executes several iterations between tests, while that many remain, and behind
//!      it the original loop for the rest; without the latter if a constant number of iterations
//!      leaves none. That saves the tests, the branches, and copies of values that one iteration
//!      passes on to the next, if they make up enough of an iteration.
//!
//! Invocations leave the two loops separately, so a loop with an operation that depends on which
//! of them are active stays as it is, as does one with a barrier.
//!
//! Ref: Muchnick, "Advanced Compiler Design and Implementation", 17.4.3.
//! Tests: tests/opt/opt_partial_unroll/.

use crate::pass::Ctx;
use crate::passes::opt_loop_unroll::{append, body_size, sorted};
use crate::rewrite::cf::{CfEdit, copy_nodes, lists_inside_out};
use entity::Id;
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum number of iterations between two tests.
const MAX_COPIES: u32 = 8;

/// Maximum number of instructions of all copies.
const MAX_SIZE: u32 = 128;

/// The same for loops that pass on values unchanged: each copy of the body saves moves.
const MAX_ROTATING_SIZE: u32 = 600;

/// Instructions that test, count and branch in an iteration.
const OVERHEAD: u32 = 3;

/// An iteration is not unrolled if the overhead is a smaller part of it than one in this number.
const MAX_RATIO: u32 = 12;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_partial_unroll(s: &mut Shader, ctx: &Ctx) -> bool {
    let lists = lists_inside_out(s);
    let has_loops = lists.iter().any(|l| matches!(l, ListRef::Loop(_)));
    if ctx.unroll_limit == 0 || !has_loops {
        return false;
    }
    let cfg = Cfg::new(s);
    let mut planned: Vec<(ListRef, usize, Plan)> = Vec::new();
    for list in lists {
        for at in (1..s.list(list).len()).step_by(2) {
            if let CfNode::Loop(l) = s.list(list)[at]
                && let Some(plan) = plan(s, &cfg, list, at, l)
            {
                planned.push((list, at, plan));
            }
        }
    }
    let mut edit = CfEdit::new();
    // From the last loop of a list on, so that the others keep their places. They share no blocks:
    // each is an innermost loop.
    for (list, at, plan) in planned.iter().rev() {
        unroll(s, &mut edit, *list, *at, plan);
        edit.changed = true;
    }
    edit.finish(s)
}

/// How to unroll a loop.
struct Plan {
    body: ListRef,
    before: Id<Block>,
    head: Id<Block>,
    exit: Id<Block>,
    /// The block behind that `if`.
    rest: Id<Block>,
    tail: Id<Block>,
    /// Iterations between two tests.
    copies: u32,
    counter: Counter,
    /// No iteration remains behind the new loop.
    exact: bool,
}

/// The comparison of a counter with a bound.
struct Counter {
    op: AluOp,
    phi: Id<Def>,
    /// The positive constant that each iteration adds.
    step: u64,
    bound: Id<Def>,
    /// The number of iterations, if it is known.
    iterations: Option<u64>,
}

fn plan(s: &Shader, cfg: &Cfg, list: ListRef, at: usize, l: Id<Loop>) -> Option<Plan> {
    let body = ListRef::Loop(l);
    let (&CfNode::Block(before), &CfNode::Block(after)) =
        (s.list(list).get(at - 1)?, s.list(list).get(at + 1)?)
    else {
        return None;
    };
    let (head, tail) = (s.first_block(body)?, s.last_block(body)?);
    let (&CfNode::If(term), &CfNode::Block(rest)) = (s.list(body).get(1)?, s.list(body).get(2)?)
    else {
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
    let preds = &cfg[head].preds;
    let simple = preds.len() == 2 && preds.contains(&before) && preds.contains(&tail);
    let single_exit = cfg[after].preds.as_slice() == [exit] && s.blocks[exit].instrs.len() == 1;
    let falls_through = s.blocks[stay].instrs.is_empty() && s.jump_of(tail).is_none();
    if !simple || !single_exit || !falls_through || head == tail {
        return None;
    }
    let counter = find_counter(s, (body, head, before, tail), term, breaks_on)?;
    let rotating = may_copy(s, body, (head, rest, stay), tail)?;
    let (size, indexing) = body_size(s, body);
    let overhead = OVERHEAD + rotating;
    if indexing || overhead * MAX_RATIO < size {
        return None;
    }
    let limit = if rotating > 1 {
        MAX_ROTATING_SIZE
    } else {
        MAX_SIZE
    };
    let mut copies = MAX_COPIES;
    let fits = |copies: u32| {
        let enough = counter
            .iterations
            .is_none_or(|n| n >= 2 * u64::from(copies));
        copies * size <= limit && enough
    };
    while copies > 1 && !fits(copies) {
        copies /= 2;
    }
    if copies < 2 {
        return None;
    }
    let exact = counter
        .iterations
        .is_some_and(|n| n % u64::from(copies) == 0);
    Some(Plan {
        body,
        before,
        head,
        exit,
        rest,
        tail,
        copies,
        counter,
        exact,
    })
}

/// The counter that the condition of the loop compares with a bound from outside of the loop.
fn find_counter(
    s: &Shader,
    (body, head, before, tail): (ListRef, Id<Block>, Id<Block>, Id<Block>),
    term: Id<If>,
    breaks_on: bool,
) -> Option<Counter> {
    let condition = s.alu_of(s.ifs[term].cond)?;
    let stays = match condition.op {
        AluOp::ULt | AluOp::ILt => !breaks_on,
        AluOp::UGe | AluOp::IGe => breaks_on,
        _ => return None,
    };
    let [counter, bound] = [0, 1].map(|k| condition.srcs[k].def);
    let scalar = |d: Id<Def>| s.defs[d].num_components == 1 && s.defs[d].bit_size == 32;
    if !stays || !scalar(counter) || !scalar(bound) {
        return None;
    }
    let Instr::Phi(phi) = s.instr_of(counter) else {
        return None;
    };
    let is_head_phi = s.blocks[head].instrs.contains(&s.defs[counter].instr);
    let value_from = |b: Id<Block>| phi.srcs.iter().find(|x| x.0 == b).map(|x| x.1);
    let (first, next) = (value_from(before)?, value_from(tail)?);
    let sum = s
        .alu_of(next)
        .filter(|a| a.op == AluOp::IAdd && is_head_phi)?;
    let step = match [0, 1].map(|k| sum.srcs[k].def == counter) {
        [true, false] => s.const_component(sum.srcs[1].def, 0)?,
        [false, true] => s.const_component(sum.srcs[0].def, 0)?,
        _ => return None,
    };
    let defined_inside = s.layout_of(body).iter().any(|e| match e {
        CfEvent::Block(b) => s.blocks[*b].instrs.contains(&s.defs[bound].instr),
        _ => false,
    });
    if !(1..1 << 16).contains(&step) || defined_inside && s.const_of(bound).is_none() {
        return None;
    }
    let signed = matches!(condition.op, AluOp::ILt | AluOp::IGe);
    let value = |d: Id<Def>| {
        let bits = s.const_component(d, 0)? as u32;
        Some(if signed {
            i64::from(bits as i32)
        } else {
            i64::from(bits)
        })
    };
    let max = if signed {
        i64::from(i32::MAX)
    } else {
        i64::from(u32::MAX)
    };
    let iterations = match (value(first), value(bound)) {
        // The last sum must not wrap, or there are more.
        (Some(a), Some(b)) if b + (step as i64) <= max => {
            Some((b - a).max(0).cast_unsigned().div_ceil(step))
        }
        _ => None,
    };
    Some(Counter {
        op: condition.op,
        phi: counter,
        step,
        bound,
        iterations,
    })
}

/// The number of values that an iteration passes on to the next unchanged from a phi; `None` if
/// the body must not be copied.
fn may_copy(
    s: &Shader,
    body: ListRef,
    (head, rest, stay): (Id<Block>, Id<Block>, Id<Block>),
    tail: Id<Block>,
) -> Option<u32> {
    let tangle = Effects::BARRIER
        .or(Effects::CROSS_THREAD)
        .or(Effects::CONVERGENT)
        .or(Effects::UNIFORM_CONTROL)
        .or(Effects::UNIFORM_OPERAND)
        .or(Effects::CHANGES_MASK);
    let mut breaks = 0;
    for event in &s.layout_of(body) {
        let b = match event {
            CfEvent::Loop(_) => return None,
            CfEvent::Block(b) => *b,
            _ => continue,
        };
        for &id in &s.blocks[b].instrs {
            let instr = &s.instrs[id];
            match instr {
                Instr::Jump(Jump::Break) => breaks += 1,
                Instr::Jump(_) | Instr::Deref(_) => return None,
                Instr::Phi(p) => {
                    let from_top = |x: &(Id<Block>, Id<Def>)| [head, rest, stay].contains(&x.0);
                    if b != head && (b == rest || p.srcs.iter().any(from_top)) {
                        return None;
                    }
                }
                _ if instr.effects().any(tangle) => return None,
                _ if b == head && instr.effects() != Effects::PURE => return None,
                _ => {}
            }
        }
    }
    let passes_on = |id: &Id<Instr>| match &s.instrs[*id] {
        Instr::Phi(p) => p.srcs.iter().any(|(from, d)| {
            *from == tail && *d != p.def && matches!(s.instr_of(*d), Instr::Phi(_))
        }),
        _ => false,
    };
    let rotating = s.blocks[head]
        .instrs
        .iter()
        .filter(|id| passes_on(id))
        .count() as u32;
    (breaks == 1).then_some(rotating)
}

/// A phi at the head of the loop.
struct CarriedValue {
    instr: Id<Instr>,
    def: Id<Def>,
    /// The phi of the new loop.
    copy: Id<Def>,
    /// The value in the next iteration.
    next: Id<Def>,
}

/// Puts the unrolled loop in front of the loop at index `at` of `list`, or in its place.
fn unroll(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, plan: &Plan) {
    let new_head = s.blocks.push(Block::default());
    let phis = copy_phis(s, plan, new_head);
    let mut now: FxHashMap<Id<Def>, Id<Def>> = phis.iter().map(|p| (p.def, p.copy)).collect();
    let new_phis = now.clone();
    let condition = add_condition(s, plan, new_head, &new_phis);

    // One iteration without its condition: the head and what follows the `if`, in one block.
    let head_instrs = s.blocks[plan.head].instrs.iter().copied();
    let top: Vec<Id<Instr>> = head_instrs
        .filter(|id| !matches!(s.instrs[*id], Instr::Phi(_)))
        .collect();
    let rest = s.blocks[plan.rest].instrs.clone();
    let joined = s.blocks.push(Block {
        instrs: top.iter().copied().chain(rest).collect(),
    });
    let mut iteration: CfList = vec![CfNode::Block(joined)];
    iteration.extend_from_slice(s.list(plan.body).get(3..).unwrap_or(&[]));
    let start = s.blocks.push(Block::default());
    let mut nodes: CfList = vec![CfNode::Block(start)];
    for _ in 0..plan.copies {
        let copy = copy_nodes(s, &iteration, now);
        let value = |d: Id<Def>| copy.defs.get(&d).copied().unwrap_or(d);
        now = phis.iter().map(|p| (p.def, value(p.next))).collect();
        append(s, edit, &mut nodes, copy.nodes);
    }
    let new_tail = match nodes.last() {
        Some(&CfNode::Block(b)) => b,
        _ => start,
    };
    for phi in &phis {
        let instr = s.defs[phi.copy].instr;
        if let (Instr::Phi(p), Some(next)) = (&mut s.instrs[instr], now.get(&phi.def)) {
            p.srcs.push((new_tail, *next));
        }
    }
    let mut new_body: CfList = vec![CfNode::Block(new_head), CfNode::If(condition)];
    new_body.extend(nodes);
    let main = s.loops.push(Loop { body: new_body });
    let behind = s.blocks.push(Block::default());
    if plan.exact {
        // The original loop would end at once: what its head computes remains.
        let last = s.blocks.push(Block { instrs: top });
        let copy = copy_nodes(s, &vec![CfNode::Block(last)], new_phis);
        for (old, new) in sorted(&copy.defs) {
            edit.replace(old, new);
        }
        if let Some(&CfNode::Block(last)) = copy.nodes.last() {
            edit.rename_block(plan.exit, last);
        }
        let mut nodes: CfList = vec![CfNode::Block(behind), CfNode::Loop(main)];
        nodes.extend(copy.nodes);
        edit.splice(s, list, at, nodes);
        return;
    }
    for phi in phis {
        if let Instr::Phi(p) = &mut s.instrs[phi.instr] {
            for src in &mut p.srcs {
                if src.0 == plan.before {
                    *src = (behind, phi.copy);
                }
            }
        }
    }
    let added = [CfNode::Loop(main), CfNode::Block(behind)];
    s.list_mut(list).splice(at..at, added);
}

/// Adds a phi to the head of the new loop for each one of the original loop, with its operand from
/// in front of the loop.
fn copy_phis(s: &mut Shader, plan: &Plan, new_head: Id<Block>) -> Vec<CarriedValue> {
    let mut phis = Vec::new();
    for k in 0..s.blocks[plan.head].instrs.len() {
        let id = s.blocks[plan.head].instrs[k];
        let Instr::Phi(p) = s.instrs[id].clone() else {
            break;
        };
        let value_from = |b: Id<Block>| p.srcs.iter().find(|x| x.0 == b).map(|x| x.1);
        let (Some(first), Some(next)) = (value_from(plan.before), value_from(plan.tail)) else {
            continue;
        };
        let shape = s.defs[p.def];
        let (instr, copy) = s.add_instr(shape.num_components, shape.bit_size, |def| {
            Instr::Phi(Phi {
                def,
                srcs: SmallVec::from_iter([(plan.before, first)]),
            })
        });
        s.blocks[new_head].instrs.push(instr);
        phis.push(CarriedValue {
            instr: id,
            def: p.def,
            copy,
            next,
        });
    }
    phis
}

/// Adds the test whether enough iterations remain to the head of the new loop, and its `if`.
fn add_condition(
    s: &mut Shader,
    plan: &Plan,
    head: Id<Block>,
    phis: &FxHashMap<Id<Def>, Id<Def>>,
) -> Id<If> {
    let ahead = u64::from(plan.copies - 1) * plan.counter.step;
    let bound = lower_bound(s, plan, ahead);
    let counter = phis.get(&plan.counter.phi).copied();
    let counter = counter.unwrap_or(plan.counter.phi);
    let srcs = SmallVec::from_iter([AluSrc::identity(counter), AluSrc::identity(bound)]);
    let (instr, cond) = s.add_alu(plan.counter.op, srcs, 1, 1, false, false);
    s.blocks[head].instrs.push(instr);
    let jump = s.instrs.push(Instr::Jump(Jump::Break));
    let exit = s.blocks.push(Block { instrs: vec![jump] });
    let stay = s.blocks.push(Block::default());
    let (stay, exit) = (vec![CfNode::Block(stay)], vec![CfNode::Block(exit)]);
    let (then_list, else_list) = match plan.counter.op {
        AluOp::UGe | AluOp::IGe => (exit, stay),
        _ => (stay, exit),
    };
    s.ifs.push(If {
        cond,
        then_list,
        else_list,
    })
}

/// The bound less `ahead`, or the least number: a counter below it is still below the bound after
/// growing by `ahead`. It is computed in front of the loop.
fn lower_bound(s: &mut Shader, plan: &Plan, ahead: u64) -> Id<Def> {
    let signed = matches!(plan.counter.op, AluOp::ILt | AluOp::IGe);
    let known = s.const_component(plan.counter.bound, 0).map(|v| v as u32);
    let folded = known.map(|v| match signed {
        true => (v as i32).saturating_sub(ahead as i32) as u32,
        false => v.saturating_sub(ahead as u32),
    });
    let constant = |s: &mut Shader, value: u64| {
        let (id, def) = s.add_instr(1, 32, |def| Instr::Const {
            def,
            values: SmallVec::from_elem(value, 1),
        });
        s.blocks[plan.before].instrs.push(id);
        def
    };
    match folded {
        Some(value) => constant(s, u64::from(value)),
        None => {
            let ahead = constant(s, ahead);
            let op = if signed {
                AluOp::ISubSat
            } else {
                AluOp::USubSat
            };
            let srcs = [plan.counter.bound, ahead].map(AluSrc::identity);
            let (id, def) = s.add_alu(op, SmallVec::from_iter(srcs), 1, 32, false, false);
            s.blocks[plan.before].instrs.push(id);
            def
        }
    }
}
