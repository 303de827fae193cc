//! The walk over a function's tree of control flow: lists, branches, calls, phis.
//!
//! In:  the [`Tree`](crate::structure::Tree)s of the entry point and of what it calls.
//! Out: calls of the instruction families in the order of execution, lists opened and closed around them.
//!
//! A stack of tasks stands in for recursion; what paths join in goes through variables.

use crate::call::{Call, Graph, Place, Task};
use crate::cfg::{Arm, Cfg, Term};
use crate::error::{Loc, Result};
use crate::module::{EntryPoint, Module, last};
use crate::reader::Inst;
use crate::state::Tr;
use crate::structure::{Action, Item, Plan, structure};
use crate::types::Ty;
use crate::value::{Slot, Value};
use entity::Id;
use nir::{AluOp, Def, IntrinsicOp, Jump, Mode, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::{Op, StorageClass};
use std::rc::Rc;

/// Calls in all at most: those of functions that do nothing cost no instructions.
const MAX_TOTAL_CALLS: usize = 1 << 16;
/// Calls inside calls at most.
const MAX_CALLS: usize = 256;

impl<'m> Tr<'m> {
    /// Runs the entry point to its end.
    pub fn run(&mut self, entry: &EntryPoint) -> Result<()> {
        self.e.loc = entry.loc;
        self.enter(entry.function, entry.loc)?;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::List(list, index) => self.list(list, index)?,
                Task::Code(block, index) => self.code(block, index)?,
                Task::EndLoop { after } => self.end_loop(&after)?,
                Task::Else { cond, list } => {
                    let then_list = self.e.close_list();
                    self.e.open_list()?;
                    self.tasks.push(Task::EndIf { cond, then_list });
                    self.tasks.push(Task::List(list, 0));
                }
                Task::EndIf { cond, then_list } => {
                    let else_list = self.e.close_list();
                    self.e.add_if(cond, then_list, else_list);
                }
                Task::EndOnlyThen { cond } => {
                    let then_list = self.e.close_list();
                    let else_list = self.e.empty_list();
                    self.e.add_if(cond, then_list, else_list);
                }
                Task::Switch { lists, conds, next } => self.switch_arm(lists, conds, next)?,
                Task::Trail {
                    label,
                    trail,
                    guarded,
                } => self.trail(label, trail, guarded)?,
                Task::EndCall { id, ty, loc } => self.end_call(id, ty, loc)?,
            }
        }
        Ok(())
    }

    /// Starts on the body of a function, whose parameters have their values.
    fn enter(&mut self, function: u32, loc: Loc) -> Result<()> {
        let Some(&index) = self.m.function_of.get(&function) else {
            return loc.expected("a function", format!("%{function}"));
        };
        if self.calls.iter().any(|c| c.function == function) {
            return loc.invalid("a function calls itself");
        }
        if self.calls.len() >= MAX_CALLS {
            return loc.limit("nested calls", MAX_CALLS);
        }
        self.total_calls += 1;
        if self.total_calls > MAX_TOTAL_CALLS {
            return loc.limit("calls after inlining", MAX_TOTAL_CALLS);
        }
        let m = self.m;
        let Some(f) = m.functions.get(index as usize) else {
            return loc.expected("a function", format!("%{function}"));
        };
        if f.blocks.is_empty() {
            return loc.unsupported("a function without a body");
        }
        let graph = match self.graphs.get(&function) {
            Some(g) => g.clone(),
            None => {
                let cfg = Cfg::new(&m.stream, f)?;
                let tree = structure(f, &cfg)?;
                let g = Rc::new(Graph { cfg, tree });
                self.graphs.insert(function, g.clone());
                g
            }
        };
        let returns = graph
            .cfg
            .terms
            .iter()
            .enumerate()
            .filter(|(i, t)| matches!(t, Term::Return(1..)) && graph.cfg.reachable(*i as u32))
            .count();
        let result_place = if returns > 1 {
            Some(Rc::new(self.new_place(f.ret)?))
        } else {
            None
        };
        self.calls.push(Call {
            function,
            graph,
            flags: FxHashMap::default(),
            reached: FxHashSet::default(),
            phis: FxHashMap::default(),
            result: None,
            result_place,
        });
        self.tasks.push(Task::List(0, 0));
        Ok(())
    }

    fn graph(&self) -> Option<Rc<Graph>> {
        self.calls.last().map(|c| c.graph.clone())
    }

    fn list(&mut self, list: u32, index: usize) -> Result<()> {
        let Some(graph) = self.graph() else {
            return Ok(());
        };
        let Some(item) = graph
            .tree
            .lists
            .get(list as usize)
            .and_then(|l| l.get(index))
        else {
            return Ok(());
        };
        self.tasks.push(Task::List(list, index + 1));
        match item {
            Item::Block(b) => {
                self.phi_loads(*b)?;
                let m = self.m;
                let first = self.block_of(m, *b).map_or(0, |b| b.insts.start);
                self.tasks.push(Task::Code(*b, first));
            }
            Item::Scope {
                label,
                body,
                trail,
                guarded,
            } => {
                self.clear_flag(*label)?;
                self.tasks.push(Task::Trail {
                    label: *label,
                    trail: *trail,
                    guarded: *guarded,
                });
                self.tasks.push(Task::List(*body, 0));
            }
            Item::Loop {
                header,
                body,
                after,
            } => {
                self.e.open_list()?;
                self.clear_flag(*header)?;
                self.tasks.push(Task::EndLoop {
                    after: after.clone(),
                });
                self.tasks.push(Task::List(*body, 0));
            }
            Item::Jump(plan) => self.jump(*plan)?,
            Item::Branch(b, lists) => self.branch(&graph, *b, lists)?,
        }
        Ok(())
    }

    fn block_of<'a>(&self, m: &'a Module, b: u32) -> Option<&'a crate::module::Block> {
        let call = self.calls.last()?;
        let f = m
            .functions
            .get(*m.function_of.get(&call.function)? as usize)?;
        f.blocks.get(b as usize)
    }

    fn code(&mut self, block: u32, start: u32) -> Result<()> {
        let m = self.m;
        let Some(b) = self.block_of(m, block) else {
            return Ok(());
        };
        let end = b.insts.end.saturating_sub(1);
        for index in start..end {
            let Some(r) = m.stream.insts.get(index as usize) else {
                break;
            };
            let inst = m.stream.inst(r);
            self.e.loc = inst.loc;
            if inst.op == Op::FunctionCall {
                self.tasks.push(Task::Code(block, index + 1));
                return self.call(&inst);
            }
            self.inst(&inst)?;
        }
        // The terminator.
        if let Some(r) = last(&m.stream, b) {
            self.e.loc = r.loc();
        }
        self.phi_stores(m, block)?;
        let Some(graph) = self.graph() else {
            return Ok(());
        };
        match graph.cfg.terms.get(block as usize) {
            Some(Term::Return(id @ 1..)) => {
                let v = self.get(*id)?;
                let place = self.calls.last().and_then(|c| c.result_place.clone());
                match place {
                    Some(place) => self.store_place_value(&place, &v)?,
                    None => {
                        if let Some(c) = self.calls.last_mut() {
                            c.result = Some(v);
                        }
                    }
                }
            }
            Some(Term::Kill) => {
                self.e.intrinsic(IntrinsicOp::Terminate, None, &[], &[])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn call(&mut self, inst: &Inst) -> Result<()> {
        let function = inst.arg(0)?;
        let m = self.m;
        let f = m
            .function_of
            .get(&function)
            .and_then(|&i| m.functions.get(i as usize));
        let Some(f) = f else {
            return inst.loc.expected("a function", format!("%{function}"));
        };
        let args = inst.args.get(1..).unwrap_or(&[]);
        if args.len() != f.params.len() {
            return inst.loc.expected(
                "as many arguments as the function has parameters",
                args.len().to_string(),
            );
        }
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        for (&arg, &(_, ty)) in args.iter().zip(&f.params) {
            let v = self.get(arg)?;
            self.check_type(&v, ty)?;
            values.push(v);
        }
        for (v, &(id, _)) in values.into_iter().zip(&f.params) {
            self.slot(id, Slot::Value(v));
        }
        self.tasks.push(Task::EndCall {
            id: inst.id,
            ty: inst.ty,
            loc: inst.loc,
        });
        self.enter(function, inst.loc)
    }

    fn end_call(&mut self, id: u32, ty: u32, loc: Loc) -> Result<()> {
        self.e.loc = loc;
        let Some(call) = self.calls.pop() else {
            return Ok(());
        };
        if matches!(&*self.ty(ty)?, Ty::Void) {
            return Ok(());
        }
        let value = match (call.result, call.result_place) {
            (Some(v), _) => v,
            (None, Some(place)) => self.load_place_value(&place)?,
            // It never returns.
            (None, None) => self.undef(ty)?,
        };
        self.check_type(&value, ty)?;
        self.slot(id, Slot::Value(value));
        Ok(())
    }

    // --- jumps ---------------------------------------------------------------------------------------

    fn flag(&mut self, label: u32) -> Option<Id<Variable>> {
        let call = self.calls.last_mut()?;
        if !call
            .graph
            .tree
            .flagged
            .get(label as usize)
            .copied()
            .unwrap_or(false)
        {
            return None;
        }
        if let Some(&v) = call.flags.get(&label) {
            return Some(v);
        }
        let ty = self.e.bool_type();
        let v = self
            .e
            .variable(format!("goto_{label}"), Mode::FunctionTemp, ty);
        call.flags.insert(label, v);
        Some(v)
    }

    fn clear_flag(&mut self, label: u32) -> Result<()> {
        if let Some(v) = self.flag(label) {
            let no = self.e.imm_bool(false);
            self.e.store_var(v, no)?;
        }
        Ok(())
    }

    fn reach(&mut self, label: u32) {
        if let Some(call) = self.calls.last_mut() {
            call.reached.insert(label);
        }
    }

    fn jump(&mut self, plan: Plan) -> Result<()> {
        self.reach(plan.label);
        if let Some(v) = self.flag(plan.label) {
            let yes = self.e.imm_bool(true);
            self.e.store_var(v, yes)?;
        }
        match plan.action {
            Action::Fall => Ok(()),
            Action::Break => self.e.jump(Jump::Break),
            Action::Continue => self.e.jump(Jump::Continue),
        }
    }

    fn end_loop(&mut self, after: &[(u32, bool)]) -> Result<()> {
        let body = self.e.close_list();
        self.e.add_loop(body);
        for &(label, is_continue) in after {
            if let Some(v) = self.flag(label) {
                let cond = self.e.load_var(v)?;
                self.e.open_list()?;
                self.e.jump(if is_continue {
                    Jump::Continue
                } else {
                    Jump::Break
                })?;
                let then_list = self.e.close_list();
                let else_list = self.e.empty_list();
                self.e.add_if(cond, then_list, else_list);
            }
        }
        Ok(())
    }

    fn trail(&mut self, label: u32, trail: u32, guarded: bool) -> Result<()> {
        // Where only an arm that is never taken leads here, what comes may use values of that arm.
        if self
            .calls
            .last()
            .is_some_and(|call| !call.reached.contains(&label))
        {
            return Ok(());
        }
        if guarded
            && let Some(v) = self.flag(label)
            && let Some(graph) = self.graph()
        {
            if graph
                .tree
                .lists
                .get(trail as usize)
                .is_none_or(|l| l.is_empty())
            {
                return Ok(());
            }
            let cond = self.e.load_var(v)?;
            self.e.open_list()?;
            self.tasks.push(Task::EndOnlyThen { cond });
        }
        self.tasks.push(Task::List(trail, 0));
        Ok(())
    }

    /// Lists that do nothing are not walked, but where they lead is reached.
    fn reach_by_nothing(&mut self, graph: &Graph, lists: &[u32]) {
        for &list in lists {
            if self.is_nothing(graph, list)
                && let Some([Item::Jump(plan)]) =
                    graph.tree.lists.get(list as usize).map(|l| l.as_slice())
            {
                self.reach(plan.label);
            }
        }
    }

    /// True if the list does nothing at all.
    fn is_nothing(&self, graph: &Graph, list: u32) -> bool {
        match graph.tree.lists.get(list as usize).map(|l| l.as_slice()) {
            Some([Item::Jump(p)]) => {
                p.action == Action::Fall
                    && !graph
                        .tree
                        .flagged
                        .get(p.label as usize)
                        .copied()
                        .unwrap_or(true)
            }
            Some([]) => true,
            _ => false,
        }
    }

    fn branch(&mut self, graph: &Graph, block: u32, lists: &[u32]) -> Result<()> {
        match (graph.cfg.terms.get(block as usize), lists) {
            (Some(Term::If(cond, ..)), &[a, b]) => {
                let cond = self.def(*cond)?;
                if self.e.shape(cond) != (1, 1) {
                    return self.loc().expected("a boolean condition", "another value");
                }
                if let Some(&[v]) = self.e.const_of(cond).map(|v| v.as_slice()) {
                    self.tasks.push(Task::List(if v != 0 { a } else { b }, 0));
                    return Ok(());
                }
                self.reach_by_nothing(graph, lists);
                let cond = self.e.visible(cond)?;
                match (self.is_nothing(graph, a), self.is_nothing(graph, b)) {
                    (true, true) => {}
                    (false, true) => {
                        self.e.open_list()?;
                        self.tasks.push(Task::EndOnlyThen { cond });
                        self.tasks.push(Task::List(a, 0));
                    }
                    (true, false) => {
                        let cond = self.e.op1(AluOp::INot, cond)?;
                        self.e.open_list()?;
                        self.tasks.push(Task::EndOnlyThen { cond });
                        self.tasks.push(Task::List(b, 0));
                    }
                    (false, false) => {
                        self.e.open_list()?;
                        self.tasks.push(Task::Else { cond, list: b });
                        self.tasks.push(Task::List(a, 0));
                    }
                }
                Ok(())
            }
            (Some(Term::Switch(selector, arms)), lists) => {
                let arms = arms.clone();
                self.switch(graph, *selector, &arms, lists)
            }
            _ => Ok(()),
        }
    }

    /// The arms of a switch are `if`s side by side: their conditions exclude each other, and are computed first.
    fn switch(&mut self, graph: &Graph, selector: u32, arms: &[Arm], lists: &[u32]) -> Result<()> {
        self.reach_by_nothing(graph, lists);
        let selector = self.def(selector)?;
        let (n, bits) = self.e.shape(selector);
        if n != 1 || bits == 1 {
            return self
                .loc()
                .expected("a scalar integer selector", "another value");
        }
        let (mut used, mut conds) = (Vec::new(), Vec::new());
        let mut any: Option<Id<Def>> = None;
        let default_matters = arms
            .iter()
            .zip(lists)
            .any(|(a, &l)| a.default && !self.is_nothing(graph, l));
        for (arm, &list) in arms.iter().zip(lists) {
            if self.is_nothing(graph, list) && (arm.default || !default_matters) {
                continue;
            }
            let cond = if arm.default {
                // Its own literals need no test.
                match any {
                    Some(any) => self.e.op1(AluOp::INot, any)?,
                    None => self.e.imm_bool(true),
                }
            } else {
                let mut cond: Option<Id<Def>> = None;
                for &l in &arm.literals {
                    let k = self.e.constant(bits, &[l]);
                    let hit = self.e.op2(AluOp::IEq, selector, k)?;
                    cond = Some(match cond {
                        Some(c) => self.e.op2(AluOp::IOr, c, hit)?,
                        None => hit,
                    });
                }
                let Some(cond) = cond else { continue };
                if default_matters {
                    any = Some(match any {
                        Some(a) => self.e.op2(AluOp::IOr, a, cond)?,
                        None => cond,
                    });
                }
                cond
            };
            if !self.is_nothing(graph, list) {
                used.push(list);
                conds.push(cond);
            }
        }
        self.tasks.push(Task::Switch {
            lists: used,
            conds,
            next: 0,
        });
        Ok(())
    }

    fn switch_arm(&mut self, lists: Vec<u32>, conds: Vec<Id<Def>>, next: usize) -> Result<()> {
        let (Some(&list), Some(&cond)) = (lists.get(next), conds.get(next)) else {
            return Ok(());
        };
        let cond = self.e.visible(cond)?;
        self.e.open_list()?;
        self.tasks.push(Task::Switch {
            lists,
            conds,
            next: next + 1,
        });
        self.tasks.push(Task::EndOnlyThen { cond });
        self.tasks.push(Task::List(list, 0));
        Ok(())
    }

    // --- phis ----------------------------------------------------------------------------------------

    /// The phis at the start of a block.
    fn phis(&self, m: &'m Module, block: u32) -> SmallVec<[Inst<'m>; 4]> {
        let mut out = SmallVec::new();
        if let Some(b) = self.block_of(m, block) {
            for index in b.insts.clone() {
                match m.stream.insts.get(index as usize) {
                    Some(r) if r.op == Op::Phi => out.push(m.stream.inst(r)),
                    Some(r) if matches!(r.op, Op::Line | Op::NoLine | Op::ExtInst | Op::Nop) => {}
                    _ => break,
                }
            }
        }
        out
    }

    fn new_place(&mut self, ty: u32) -> Result<Place> {
        let nir = self.nir_type(ty, false)?;
        self.e.check_room()?;
        let var = self.e.variable(String::new(), Mode::FunctionTemp, nir);
        Ok(Place { var, ty })
    }

    fn place_pointer(&self, place: &Place) -> crate::value::Pointer {
        crate::value::Pointer {
            base: crate::value::Base::Var(place.var),
            steps: SmallVec::new(),
            class: StorageClass::Function,
            mode: Mode::FunctionTemp,
            to: place.ty,
            access: nir::Access::default(),
            align_bytes: 0,
        }
    }

    fn load_place_value(&mut self, place: &Place) -> Result<Value> {
        let p = self.place_pointer(place);
        self.load(&p, nir::Access::default())
    }

    fn store_place_value(&mut self, place: &Place, value: &Value) -> Result<()> {
        let p = self.place_pointer(place);
        self.store(&p, value, nir::Access::default())
    }

    fn phi_place(&mut self, phi: &Inst) -> Result<Rc<Place>> {
        if let Some(p) = self.calls.last().and_then(|c| c.phis.get(&phi.id)) {
            return Ok(p.clone());
        }
        let place = Rc::new(self.new_place(phi.ty)?);
        if let Some(c) = self.calls.last_mut() {
            c.phis.insert(phi.id, place.clone());
        }
        Ok(place)
    }

    fn phi_loads(&mut self, block: u32) -> Result<()> {
        let m = self.m;
        for phi in self.phis(m, block) {
            self.e.loc = phi.loc;
            let place = self.phi_place(&phi)?;
            let v = self.load_place_value(&place)?;
            self.set(&phi, v)?;
        }
        Ok(())
    }

    /// At the end of `block`: what it brings to the phis of its successors.
    fn phi_stores(&mut self, m: &'m Module, block: u32) -> Result<()> {
        let Some(graph) = self.graph() else {
            return Ok(());
        };
        let Some(label) = self.block_of(m, block).map(|b| b.label) else {
            return Ok(());
        };
        let mut seen: SmallVec<[u32; 4]> = SmallVec::new();
        for &succ in graph.cfg.succs.get(block as usize).into_iter().flatten() {
            if seen.contains(&succ) {
                continue;
            }
            seen.push(succ);
            for phi in self.phis(m, succ) {
                let source = phi
                    .args
                    .chunks_exact(2)
                    .find(|p| p.get(1) == Some(&label))
                    .and_then(|p| p.first());
                let Some(&source) = source else {
                    return phi.loc.expected(
                        "a value for each block before",
                        format!("none for %{label}"),
                    );
                };
                if m.stream.def(source).is_some_and(|r| r.op == Op::Undef) {
                    continue;
                }
                let v = self.get(source)?;
                let place = self.phi_place(&phi)?;
                self.store_place_value(&place, &v)?;
            }
        }
        Ok(())
    }
}
