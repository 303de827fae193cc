//! Translates a function's tree of control flow: lists, branches, calls, phis.
//!
//! In:  the [`Tree`](crate::structure::Tree)s of the entry point and of the functions that it
//!      calls.
//! Out: NIR, by calls of the instruction families in layout order, with lists opened and closed
//!      around them.
//!
//! A work stack replaces recursion. Values that are defined on several paths go through variables.

use crate::cfg::{Cfg, SwitchArm, Terminator};
use crate::error::{Loc, Result};
use crate::inline::{Call, FunctionGraph, Task, TempVar};
use crate::module::{Block, EntryPoint, Module, terminator};
use crate::reader::{Inst, InstRef};
use crate::state::Translator;
use crate::structure::{Item, JumpAction, PlannedJump, structurize};
use crate::types::Ty;
use crate::value::{IdState, Pointer, PointerBase, Value};
use entity::Id;
use nir::{AluOp, Def, IntrinsicOp, Jump, Variable, VariableMode};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::{Op, StorageClass};
use std::rc::Rc;

/// Maximum number of calls after inlining. Needed because empty functions add no instructions,
/// which are limited too.
const MAX_TOTAL_CALLS: usize = 1 << 16;

impl<'m> Translator<'m> {
    /// Translates the whole entry point.
    pub fn walk_entry_point(&mut self, entry: &EntryPoint) -> Result<()> {
        self.emit.loc = entry.loc;
        self.enter_function(entry.function, entry.loc)?;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::List(list, index) => self.walk_list(list, index)?,
                Task::Code(block, index) => self.translate_block(block, index)?,
                Task::EndLoop { after } => self.end_loop(&after)?,
                Task::Else { cond, list } => {
                    let then_list = self.emit.close_list();
                    self.emit.open_list()?;
                    self.tasks.push(Task::EndIf { cond, then_list });
                    self.tasks.push(Task::List(list, 0));
                }
                Task::EndIf { cond, then_list } => {
                    let else_list = self.emit.close_list();
                    self.emit.add_if(cond, then_list, else_list);
                }
                Task::EndOnlyThen { cond } => {
                    let then_list = self.emit.close_list();
                    let else_list = self.emit.empty_list();
                    self.emit.add_if(cond, then_list, else_list);
                }
                Task::Switch { lists, conds, next } => self.switch_arm(lists, conds, next)?,
                Task::Continuation {
                    label,
                    continuation,
                    guarded,
                } => self.walk_continuation(label, continuation, guarded)?,
                Task::EndCall { id, ty, loc } => self.end_call(id, ty, loc)?,
            }
        }
        Ok(())
    }

    /// Begins the body of a function, whose parameters have been set.
    fn enter_function(&mut self, function: u32, loc: Loc) -> Result<()> {
        let Some(&index) = self.module.function_of.get(&function) else {
            return loc.expected("a function", format!("%{function}"));
        };
        if !self.active_functions.insert(function) {
            return loc.invalid("a function calls itself");
        }
        self.total_calls += 1;
        if self.total_calls > MAX_TOTAL_CALLS {
            return loc.limit("calls after inlining", MAX_TOTAL_CALLS);
        }
        let m = self.module;
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
                let tree = structurize(f, &cfg)?;
                let g = Rc::new(FunctionGraph { cfg, tree });
                self.graphs.insert(function, g.clone());
                g
            }
        };
        let returns = graph
            .cfg
            .terminators
            .iter()
            .enumerate()
            .filter(|(i, t)| {
                matches!(t, Terminator::Return(1..)) && graph.cfg.is_reachable(*i as u32)
            })
            .count();
        let result_temp = if returns > 1 {
            Some(Rc::new(self.new_temp(f.ret)?))
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
            result_temp,
        });
        self.tasks.push(Task::List(0, 0));
        Ok(())
    }

    fn graph(&self) -> Option<Rc<FunctionGraph>> {
        self.calls.last().map(|c| c.graph.clone())
    }

    fn walk_list(&mut self, list: u32, index: usize) -> Result<()> {
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
                let m = self.module;
                let first = self.block_of(m, *b).map_or(0, |b| b.insts.start);
                self.tasks.push(Task::Code(*b, first));
            }
            Item::Scope {
                label,
                body,
                continuation,
                guarded,
            } => {
                self.clear_flag(*label)?;
                self.tasks.push(Task::Continuation {
                    label: *label,
                    continuation: *continuation,
                    guarded: *guarded,
                });
                self.tasks.push(Task::List(*body, 0));
            }
            Item::Loop {
                header,
                body,
                after,
            } => {
                self.emit.open_list()?;
                self.clear_flag(*header)?;
                self.tasks.push(Task::EndLoop {
                    after: after.clone(),
                });
                self.tasks.push(Task::List(*body, 0));
            }
            Item::Jump(plan) => self.emit_jump(*plan)?,
            Item::Branch(b, lists) => self.emit_branch(&graph, *b, lists)?,
        }
        Ok(())
    }

    fn block_of<'a>(&self, m: &'a Module, b: u32) -> Option<&'a Block> {
        let call = self.calls.last()?;
        let f = m
            .functions
            .get(*m.function_of.get(&call.function)? as usize)?;
        f.blocks.get(b as usize)
    }

    fn translate_block(&mut self, block: u32, start: u32) -> Result<()> {
        let m = self.module;
        let Some(b) = self.block_of(m, block) else {
            return Ok(());
        };
        let end = b.insts.end.saturating_sub(1);
        for index in start..end {
            let Some(r) = m.stream.insts.get(index as usize) else {
                break;
            };
            let inst = m.stream.inst(r);
            self.emit.loc = inst.loc;
            if inst.op == Op::FunctionCall {
                self.tasks.push(Task::Code(block, index + 1));
                return self.begin_call(&inst);
            }
            self.translate_inst(&inst)?;
        }
        // The terminator.
        if let Some(r) = terminator(&m.stream, b) {
            self.emit.loc = r.loc();
        }
        self.phi_stores(m, block)?;
        let Some(graph) = self.graph() else {
            return Ok(());
        };
        match graph.cfg.terminators.get(block as usize) {
            Some(Terminator::Return(id @ 1..)) => {
                let v = self.value(*id)?;
                let temp = self.calls.last().and_then(|c| c.result_temp.clone());
                match temp {
                    Some(temp) => self.store_temp(&temp, &v)?,
                    None => {
                        if let Some(c) = self.calls.last_mut() {
                            c.result = Some(v);
                        }
                    }
                }
            }
            Some(Terminator::Kill) => {
                self.emit
                    .intrinsic(IntrinsicOp::Terminate, None, &[], &[])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn begin_call(&mut self, inst: &Inst) -> Result<()> {
        let function = inst.arg(0)?;
        let m = self.module;
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
            let v = self.value(arg)?;
            self.check_type(&v, ty)?;
            values.push(v);
        }
        for (v, &(id, _)) in values.into_iter().zip(&f.params) {
            self.set_id_state(id, IdState::Value(v));
        }
        self.tasks.push(Task::EndCall {
            id: inst.id,
            ty: inst.ty,
            loc: inst.loc,
        });
        self.enter_function(function, inst.loc)
    }

    fn end_call(&mut self, id: u32, ty: u32, loc: Loc) -> Result<()> {
        self.emit.loc = loc;
        let Some(call) = self.calls.pop() else {
            return Ok(());
        };
        self.active_functions.remove(&call.function);
        if matches!(&*self.ty(ty)?, Ty::Void) {
            return Ok(());
        }
        let value = match (call.result, call.result_temp) {
            (Some(v), _) => v,
            (None, Some(temp)) => self.load_temp(&temp)?,
            // The function never returns.
            (None, None) => self.undef(ty)?,
        };
        self.check_type(&value, ty)?;
        self.set_id_state(id, IdState::Value(value));
        Ok(())
    }

    // --- jumps

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
        let ty = self.emit.bool_type();
        let v = self
            .emit
            .variable(format!("goto_{label}"), VariableMode::FunctionTemp, ty);
        call.flags.insert(label, v);
        Some(v)
    }

    fn clear_flag(&mut self, label: u32) -> Result<()> {
        if let Some(v) = self.flag(label) {
            let no = self.emit.imm_bool(false);
            self.emit.store_var(v, no)?;
        }
        Ok(())
    }

    fn mark_reached(&mut self, label: u32) {
        if let Some(call) = self.calls.last_mut() {
            call.reached.insert(label);
        }
    }

    fn emit_jump(&mut self, plan: PlannedJump) -> Result<()> {
        self.mark_reached(plan.label);
        if let Some(v) = self.flag(plan.label) {
            let yes = self.emit.imm_bool(true);
            self.emit.store_var(v, yes)?;
        }
        match plan.action {
            JumpAction::Fall => Ok(()),
            JumpAction::Break => self.emit.jump(Jump::Break),
            JumpAction::Continue => self.emit.jump(Jump::Continue),
        }
    }

    fn end_loop(&mut self, after: &[(u32, bool)]) -> Result<()> {
        let body = self.emit.close_list();
        self.emit.add_loop(body);
        for &(label, is_continue) in after {
            if let Some(v) = self.flag(label) {
                let cond = self.emit.load_var(v)?;
                self.emit.open_list()?;
                self.emit.jump(if is_continue {
                    Jump::Continue
                } else {
                    Jump::Break
                })?;
                let then_list = self.emit.close_list();
                let else_list = self.emit.empty_list();
                self.emit.add_if(cond, then_list, else_list);
            }
        }
        Ok(())
    }

    fn walk_continuation(&mut self, label: u32, continuation: u32, guarded: bool) -> Result<()> {
        // If only an arm that is never taken leads here, skip the continuation: it may use values
        // of that arm, which was not translated.
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
                .get(continuation as usize)
                .is_none_or(|l| l.is_empty())
            {
                return Ok(());
            }
            let cond = self.emit.load_var(v)?;
            self.emit.open_list()?;
            self.tasks.push(Task::EndOnlyThen { cond });
        }
        self.tasks.push(Task::List(continuation, 0));
        Ok(())
    }

    /// Marks the targets of empty lists as reached, because empty lists are not walked.
    fn mark_reached_by_empty_lists(&mut self, graph: &FunctionGraph, lists: &[u32]) {
        for &list in lists {
            if self.is_empty_list(graph, list)
                && let Some([Item::Jump(plan)]) =
                    graph.tree.lists.get(list as usize).map(|l| l.as_slice())
            {
                self.mark_reached(plan.label);
            }
        }
    }

    /// True if the list emits no code.
    fn is_empty_list(&self, graph: &FunctionGraph, list: u32) -> bool {
        match graph.tree.lists.get(list as usize).map(|l| l.as_slice()) {
            Some([Item::Jump(p)]) => {
                p.action == JumpAction::Fall
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

    fn emit_branch(&mut self, graph: &FunctionGraph, block: u32, lists: &[u32]) -> Result<()> {
        match (graph.cfg.terminators.get(block as usize), lists) {
            (Some(Terminator::If(cond, ..)), &[a, b]) => {
                let cond = self.def(*cond)?;
                if self.emit.shape(cond) != (1, 1) {
                    return self.loc().expected("a boolean condition", "another value");
                }
                if let Some(&[v]) = self.emit.const_of(cond).map(|v| v.as_slice()) {
                    self.tasks.push(Task::List(if v != 0 { a } else { b }, 0));
                    return Ok(());
                }
                self.mark_reached_by_empty_lists(graph, lists);
                let cond = self.emit.make_visible(cond)?;
                match (self.is_empty_list(graph, a), self.is_empty_list(graph, b)) {
                    (true, true) => {}
                    (false, true) => {
                        self.emit.open_list()?;
                        self.tasks.push(Task::EndOnlyThen { cond });
                        self.tasks.push(Task::List(a, 0));
                    }
                    (true, false) => {
                        let cond = self.emit.op1(AluOp::INot, cond)?;
                        self.emit.open_list()?;
                        self.tasks.push(Task::EndOnlyThen { cond });
                        self.tasks.push(Task::List(b, 0));
                    }
                    (false, false) => {
                        self.emit.open_list()?;
                        self.tasks.push(Task::Else { cond, list: b });
                        self.tasks.push(Task::List(a, 0));
                    }
                }
                Ok(())
            }
            (Some(Terminator::Switch(selector, arms)), lists) => {
                let arms = arms.clone();
                self.begin_switch(graph, *selector, &arms, lists)
            }
            _ => Ok(()),
        }
    }

    /// Begins a switch: a sequence of `if`s with mutually exclusive conditions, which are all
    /// computed first.
    fn begin_switch(
        &mut self,
        graph: &FunctionGraph,
        selector: u32,
        arms: &[SwitchArm],
        lists: &[u32],
    ) -> Result<()> {
        self.mark_reached_by_empty_lists(graph, lists);
        let selector = self.def(selector)?;
        let (n, bits) = self.emit.shape(selector);
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
            .any(|(a, &l)| a.default && !self.is_empty_list(graph, l));
        for (arm, &list) in arms.iter().zip(lists) {
            if self.is_empty_list(graph, list) && (arm.default || !default_matters) {
                continue;
            }
            let cond = if arm.default {
                // Literals that also lead to the default's target need no test.
                match any {
                    Some(any) => self.emit.op1(AluOp::INot, any)?,
                    None => self.emit.imm_bool(true),
                }
            } else {
                let mut cond: Option<Id<Def>> = None;
                for &l in &arm.literals {
                    let k = self.emit.constant(bits, &[l]);
                    let hit = self.emit.op2(AluOp::IEq, selector, k)?;
                    cond = Some(match cond {
                        Some(c) => self.emit.op2(AluOp::IOr, c, hit)?,
                        None => hit,
                    });
                }
                let Some(cond) = cond else { continue };
                if default_matters {
                    any = Some(match any {
                        Some(a) => self.emit.op2(AluOp::IOr, a, cond)?,
                        None => cond,
                    });
                }
                cond
            };
            if !self.is_empty_list(graph, list) {
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
        let cond = self.emit.make_visible(cond)?;
        self.emit.open_list()?;
        self.tasks.push(Task::Switch {
            lists,
            conds,
            next: next + 1,
        });
        self.tasks.push(Task::EndOnlyThen { cond });
        self.tasks.push(Task::List(list, 0));
        Ok(())
    }

    // --- phis

    /// The phis at the start of a block.
    fn phis(&self, m: &'m Module, block: u32) -> SmallVec<[Inst<'m>; 4]> {
        let mut out = SmallVec::new();
        if let Some(b) = self.block_of(m, block) {
            for index in b.insts.clone() {
                match m.stream.insts.get(index as usize) {
                    Some(r) if r.op == Op::Phi => out.push(m.stream.inst(r)),
                    Some(r) if matches!(r.op, Op::Line | Op::NoLine | Op::Nop) => {}
                    Some(r) if m.is_non_semantic(&m.stream.inst(r)) => {}
                    _ => break,
                }
            }
        }
        out
    }

    fn new_temp(&mut self, ty: u32) -> Result<TempVar> {
        let nir = self.nir_type(ty, false)?;
        self.emit.check_size()?;
        let var = self
            .emit
            .variable(String::new(), VariableMode::FunctionTemp, nir);
        Ok(TempVar { var, ty })
    }

    fn temp_pointer(&self, temp: &TempVar) -> Pointer {
        Pointer {
            base: PointerBase::Var(temp.var),
            steps: SmallVec::new(),
            class: StorageClass::Function,
            mode: VariableMode::FunctionTemp,
            to: temp.ty,
            access: nir::Access::default(),
            align_bytes: 0,
        }
    }

    fn load_temp(&mut self, temp: &TempVar) -> Result<Value> {
        let p = self.temp_pointer(temp);
        self.load(&p, nir::Access::default())
    }

    fn store_temp(&mut self, temp: &TempVar, value: &Value) -> Result<()> {
        let p = self.temp_pointer(temp);
        self.store(&p, value, nir::Access::default())
    }

    fn phi_temp(&mut self, phi: &Inst) -> Result<Rc<TempVar>> {
        if let Some(p) = self.calls.last().and_then(|c| c.phis.get(&phi.id)) {
            return Ok(p.clone());
        }
        let temp = Rc::new(self.new_temp(phi.ty)?);
        if let Some(c) = self.calls.last_mut() {
            c.phis.insert(phi.id, temp.clone());
        }
        Ok(temp)
    }

    fn phi_loads(&mut self, block: u32) -> Result<()> {
        let m = self.module;
        for phi in self.phis(m, block) {
            self.emit.loc = phi.loc;
            let temp = self.phi_temp(&phi)?;
            let v = self.load_temp(&temp)?;
            self.set_result(&phi, v)?;
        }
        Ok(())
    }

    /// At the end of `block`, stores its values for the phis of its successors.
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
                let is_undef = |r: &InstRef| r.op == Op::Undef && r.newer.is_none();
                if m.stream.def(source).is_some_and(is_undef) {
                    continue;
                }
                let v = self.value(source)?;
                let temp = self.phi_temp(&phi)?;
                self.store_temp(&temp, &v)?;
            }
        }
        Ok(())
    }
}
