//! A checked module to NIR: the entry point with everything it calls inlined.
//!
//! In:  [`Module`], [`Options`].
//! Out: a [`nir::Shader`] with derefs, structured control flow, and no phis: what paths join in goes through
//!      variables, which `lower_vars_to_ssa` turns into phis.
//!
//! The walk over the tree of control flow, calls included, is a stack of tasks, not recursion.

use crate::cfg::{Arm, Cfg, Term};
use crate::emit::Emit;
use crate::error::{Loc, Result};
use crate::module::{EntryPoint, ExtSet, Module, last};
use crate::reader::Inst;
use crate::structure::{Action, Item, Plan, Tree, structure};
use crate::types::{MatrixLayout, MemberLayout, TyEntry};
use crate::value::{Slot, Value};
use entity::{Arena, Id};
use nir::{
    AluOp, CfList, Def, Info, IntrinsicOp, Jump, Mode, Shader, Stage, Type, Types, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use std::rc::Rc;

/// Calls in all at most: those of functions that do nothing cost no instructions.
const MAX_TOTAL_CALLS: usize = 1 << 16;
/// Calls inside calls at most.
const MAX_CALLS: usize = 256;

/// What to translate, and with which constants.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Name of the entry point.
    pub entry_point: &'a str,
    /// Stage. Only compute so far.
    pub stage: Stage,
    /// Specialization constants: `SpecId` and bit pattern, zero-extended; booleans are 0 or 1.
    pub specialization: &'a [(u32, u64)],
    /// The workgroup ids of a dispatch may start at another value than 0
    /// (`VK_PIPELINE_CREATE_DISPATCH_BASE_BIT`).
    pub dispatch_base: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            entry_point: "main",
            stage: Stage::Compute,
            specialization: &[],
            dispatch_base: false,
        }
    }
}

/// The state of a translation.
pub(crate) struct Tr<'m> {
    pub m: &'m Module,
    pub e: Emit,
    pub types: Vec<Option<TyEntry>>,
    pub member_layouts: FxHashMap<(u32, u32), MemberLayout>,
    pub nir_types: FxHashMap<(u32, bool, MatrixLayout), Id<Type>>,
    /// Pointer types being made, to stop at types that hold pointers to themselves.
    pub pointers_open: u32,
    pub specialization: FxHashMap<u32, u64>,
    pub dispatch_base: bool,
    pub builtins: Vec<(BuiltIn, Id<Def>)>,
    slots: Vec<Slot>,
    /// Control flow of the functions already seen.
    graphs: FxHashMap<u32, Rc<Graph>>,
    calls: Vec<Call>,
    total_calls: usize,
    tasks: Vec<Task>,
}

struct Graph {
    cfg: Cfg,
    tree: Tree,
}

/// A function being inlined.
struct Call {
    function: u32,
    graph: Rc<Graph>,
    /// Flags of labels.
    flags: FxHashMap<u32, Id<Variable>>,
    /// Variables of phis that join several paths, by result id.
    phis: FxHashMap<u32, Rc<Place>>,
    /// Returned value, if one block returns.
    result: Option<Value>,
    /// Variable for it, if several do.
    result_place: Option<Rc<Place>>,
}

/// Storage for a value of any type that control flow joins.
struct Place {
    var: Id<Variable>,
    ty: u32,
}

enum Task {
    /// Item `.1` of list `.0` and those after it.
    List(u32, usize),
    /// Instruction `.1` of block `.0` and those after it.
    Code(u32, u32),
    /// Closes a loop.
    EndLoop {
        after: Vec<(u32, bool)>,
    },
    /// Closes the first arm of an `if`, opens the second.
    Else {
        cond: Id<Def>,
        list: u32,
    },
    EndIf {
        cond: Id<Def>,
        then_list: CfList,
    },
    /// Arm `.2` of the switch that ends block `.0`, with the arms' conditions.
    Switch {
        lists: Vec<u32>,
        conds: Vec<Id<Def>>,
        next: usize,
    },
    EndOnlyThen {
        cond: Id<Def>,
    },
    /// After a scope's body: its trail.
    Trail {
        label: u32,
        trail: u32,
        guarded: bool,
    },
    EndCall {
        id: u32,
        ty: u32,
        loc: Loc,
    },
}

impl Module {
    /// Translates one entry point.
    ///
    /// # Errors
    /// What the module asks for that is wrong or not supported, with its place.
    pub fn to_nir(&self, options: &Options) -> Result<Shader> {
        let model = match options.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEval => ExecutionModel::TessellationEvaluation,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        let entry = self.find_entry(options.entry_point, model)?;
        if options.stage != Stage::Compute {
            return entry.loc.unsupported(format!("stage {model:?}"));
        }
        let shader = Shader {
            stage: options.stage,
            name: entry.name.clone(),
            info: Info::default(),
            types: Types::default(),
            vars: Arena::new(),
            blocks: Arena::new(),
            instrs: Arena::new(),
            defs: Arena::new(),
            ifs: Arena::new(),
            loops: Arena::new(),
            body: Vec::new(),
        };
        let ids = self.stream.defs.len();
        let mut tr = Tr {
            m: self,
            e: Emit::new(shader, entry.loc),
            types: vec![None; ids],
            member_layouts: FxHashMap::default(),
            nir_types: FxHashMap::default(),
            pointers_open: 0,
            specialization: options.specialization.iter().copied().collect(),
            dispatch_base: options.dispatch_base,
            builtins: Vec::new(),
            slots: vec![Slot::Empty; ids],
            graphs: FxHashMap::default(),
            calls: Vec::new(),
            total_calls: 0,
            tasks: Vec::new(),
        };
        tr.modes(entry)?;
        tr.e.set_at_start(true);
        for &index in &self.globals {
            if let Some(r) = self.stream.insts.get(index as usize) {
                tr.e.loc = r.loc();
                tr.global(index, &self.stream.inst(r))?;
            }
        }
        tr.workgroup_size(entry)?;
        tr.e.set_at_start(false);
        tr.run(entry)?;
        Ok(tr.e.finish())
    }
}

impl<'m> Tr<'m> {
    pub fn loc(&self) -> Loc {
        self.e.loc
    }

    pub fn slot(&mut self, id: u32, slot: Slot) {
        if let Some(s) = self.slots.get_mut(id as usize) {
            *s = slot;
        }
    }

    /// The value of an id.
    pub fn get(&mut self, id: u32) -> Result<Value> {
        match self.slots.get(id as usize) {
            Some(Slot::Value(v)) => Ok(v.clone()),
            Some(Slot::Lazy(index)) => {
                let m = self.m;
                let Some(r) = m.stream.insts.get(*index as usize) else {
                    return self.loc().expected("a value", format!("%{id}"));
                };
                // While it is being made, it may not ask for itself.
                self.slot(id, Slot::Empty);
                let loc = std::mem::replace(&mut self.e.loc, r.loc());
                let was = self.e.set_at_start(true);
                let v = self.materialize(&m.stream.inst(r));
                self.e.set_at_start(was);
                let v = v?;
                self.check_type(&v, r.ty)?;
                self.e.loc = loc;
                self.slot(id, Slot::Value(v.clone()));
                Ok(v)
            }
            _ => self
                .loc()
                .expected("a value defined before its use", format!("%{id}")),
        }
    }

    /// The scalar or vector of an id.
    pub fn def(&mut self, id: u32) -> Result<Id<Def>> {
        match self.get(id)? {
            Value::Def(d) => Ok(d),
            _ => self.loc().expected("a scalar or vector", format!("%{id}")),
        }
    }

    /// Gives the result of `inst` its value, which must fit its type.
    pub fn set(&mut self, inst: &Inst, value: Value) -> Result<()> {
        self.check_type(&value, inst.ty)?;
        self.slot(inst.id, Slot::Value(value));
        Ok(())
    }

    /// Checks the shape of a value against a type; parts of composites were checked when they were made.
    pub fn check_type(&self, value: &Value, ty: u32) -> Result<()> {
        use crate::types::Ty;
        let t = self.ty(ty)?;
        let fits = match (value, &*t) {
            (Value::Pointer(_), Ty::Pointer { .. }) => true,
            (Value::Composite(v), Ty::Array { len, .. }) => Some(v.len() as u32) == *len,
            (Value::Composite(v), Ty::Matrix { columns, .. }) => v.len() == usize::from(*columns),
            (Value::Composite(v), Ty::Struct { members, .. }) => v.len() == members.len(),
            (Value::Def(d), Ty::Bool | Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }) => {
                let shape = self.e.shape(*d);
                if shape != self.shape_of(ty)? {
                    return self.loc().expected(
                        "operands of the result's type",
                        format!("{} x {} bits", shape.0, shape.1),
                    );
                }
                true
            }
            _ => false,
        };
        if fits {
            // One level down, so that a composite's parts fit where they are taken out again.
            if let Value::Composite(parts) = value {
                for (i, p) in parts.iter().enumerate() {
                    let part_ty = match &*t {
                        Ty::Array { elem, .. } => *elem,
                        Ty::Matrix { column, .. } => *column,
                        Ty::Struct { members, .. } => members.get(i).copied().unwrap_or(0),
                        _ => 0,
                    };
                    self.check_kind(p, part_ty)?;
                }
            }
            Ok(())
        } else {
            self.loc().expected(
                "a value of the result's type",
                format!("another than %{ty}"),
            )
        }
    }

    fn check_kind(&self, value: &Value, ty: u32) -> Result<()> {
        use crate::types::Ty;
        let t = self.ty(ty)?;
        let fits = match (value, &*t) {
            (Value::Pointer(_), Ty::Pointer { .. }) => true,
            (Value::Composite(v), Ty::Array { len, .. }) => Some(v.len() as u32) == *len,
            (Value::Composite(v), Ty::Matrix { columns, .. }) => v.len() == usize::from(*columns),
            (Value::Composite(v), Ty::Struct { members, .. }) => v.len() == members.len(),
            (Value::Def(d), Ty::Bool | Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }) => {
                self.e.shape(*d) == self.shape_of(ty)?
            }
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            self.loc().expected(
                "parts of the result's parts' types",
                format!("another than %{ty}"),
            )
        }
    }

    fn modes(&mut self, entry: &EntryPoint) -> Result<()> {
        for mode in self.m.modes.iter().filter(|m| m.target == entry.function) {
            let bits = mode.args.first().copied().unwrap_or(0);
            let bit = crate::ops::size_bit(u8::try_from(bits).unwrap_or(0));
            let f = &mut self.e.shader.info.float_controls;
            match mode.mode {
                ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => {}
                ExecutionMode::DenormPreserve => f.denorm_preserve |= bit,
                ExecutionMode::DenormFlushToZero => f.denorm_flush |= bit,
                ExecutionMode::SignedZeroInfNanPreserve => f.signed_zero_inf_nan_preserve |= bit,
                ExecutionMode::RoundingModeRTE => f.rounding_rte |= bit,
                ExecutionMode::RoundingModeRTZ => f.rounding_rtz |= bit,
                ExecutionMode::LocalSizeHint
                | ExecutionMode::VecTypeHint
                | ExecutionMode::ContractionOff
                | ExecutionMode::SubgroupUniformControlFlowKHR
                | ExecutionMode::MaximallyReconvergesKHR => {}
                other => return mode.loc.unsupported(format!("execution mode {other:?}")),
            }
        }
        Ok(())
    }

    fn workgroup_size(&mut self, entry: &EntryPoint) -> Result<()> {
        let mut size = None;
        for mode in self.m.modes.iter().filter(|m| m.target == entry.function) {
            let id = match mode.mode {
                ExecutionMode::LocalSize => false,
                ExecutionMode::LocalSizeId => true,
                _ => continue,
            };
            self.e.loc = mode.loc;
            let mut xyz = [1; 3];
            for (i, v) in xyz.iter_mut().enumerate() {
                let Some(&arg) = mode.args.get(i) else {
                    return mode.loc.expected("three sizes", i.to_string());
                };
                *v = if id { self.const_u32(arg)? } else { arg };
            }
            size = Some((xyz, mode.loc));
        }
        // A constant decorated WorkgroupSize overrides the execution mode.
        for &index in &self.m.globals {
            let Some(r) = self.m.stream.insts.get(index as usize) else {
                continue;
            };
            if matches!(
                r.op,
                Op::ConstantComposite | Op::SpecConstantComposite | Op::ConstantNull
            ) && self.m.deco_arg(r.id, Decoration::BuiltIn)
                == Some(BuiltIn::WorkgroupSize as u32)
            {
                self.e.loc = r.loc();
                let def = self.def(r.id)?;
                match self.e.const_of(def).map(|v| v.as_slice()) {
                    Some(&[x, y, z]) => size = Some(([x as u32, y as u32, z as u32], r.loc())),
                    _ => return r.loc().expected("three constants", "another"),
                }
            }
        }
        let Some((xyz, loc)) = size else {
            return entry
                .loc
                .expected("execution mode LocalSize or LocalSizeId", "none");
        };
        let total = xyz.iter().try_fold(1u32, |a, &b| a.checked_mul(b));
        if xyz.contains(&0) || total.is_none() {
            return loc.expected(
                "a workgroup size above 0 and below 2^32",
                format!("{}x{}x{}", xyz[0], xyz[1], xyz[2]),
            );
        }
        self.e.shader.info.workgroup_size = xyz;
        Ok(())
    }

    // --- the walk ------------------------------------------------------------------------------------

    fn run(&mut self, entry: &EntryPoint) -> Result<()> {
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
        if matches!(&*self.ty(ty)?, crate::types::Ty::Void) {
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

    fn jump(&mut self, plan: Plan) -> Result<()> {
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

    // --- instructions --------------------------------------------------------------------------------

    fn inst(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            Op::Phi
            | Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::LifetimeStart
            | Op::LifetimeStop => return Ok(()),
            _ => {}
        }
        if inst.op == Op::ExtInst
            && self.m.ext_sets.get(&inst.arg(0)?) == Some(&ExtSet::NonSemantic)
        {
            return Ok(());
        }
        self.e.exact = inst.id != 0 && self.m.has(inst.id, Decoration::NoContraction);
        if let Some(v) = self.pure(inst)? {
            return self.set(inst, v);
        }
        if self.memory_inst(inst)? || self.sync_inst(inst)? || self.group_inst(inst)? {
            return Ok(());
        }
        inst.loc.unsupported("this instruction")
    }

    /// Instructions that are functions of their operands alone; `None` if `inst` is none of them.
    pub fn pure(&mut self, inst: &Inst) -> Result<Option<Value>> {
        if let Some(d) = self.alu_inst(inst)? {
            return Ok(Some(Value::Def(d)));
        }
        if let Some(v) = self.composite_inst(inst)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.matrix_inst(inst)? {
            return Ok(Some(v));
        }
        self.ext_inst(inst)
    }
}
