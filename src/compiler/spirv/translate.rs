//! A checked module to NIR: the entry point with everything it calls inlined.
//!
//! In:  [`Module`], [`Options`].
//! Out: a [`nir::Shader`] with derefs, structured control flow, and no phis: what paths join in goes through
//!      variables, which `lower_vars_to_ssa` turns into phis.
//!
//! The walk over the tree of control flow, calls included, is a stack of tasks, not recursion.

use crate::emit::Emit;
use crate::error::{Loc, Result};
use crate::fragment::stage_mode;
use crate::module::{EntryPoint, ExtSet, Module};
use crate::reader::Inst;
use crate::types::{MatrixLayout, MemberLayout, TyEntry};
use crate::value::{Slot, Value};
use crate::walk::{Call, Graph, Task};
use entity::{Arena, Id};
use nir::{Def, Info, Shader, Stage, Type, Types};
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};
use std::rc::Rc;

/// What to translate, and with which constants.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Name of the entry point.
    pub entry_point: &'a str,
    /// Stage.
    pub stage: Stage,
    /// Specialization constants: `SpecId` and bit pattern, zero-extended; booleans are 0 or 1.
    pub specialization: &'a [(u32, u64)],
    /// The workgroup ids of a dispatch may start at another value than 0
    /// (`VK_PIPELINE_CREATE_DISPATCH_BASE_BIT`).
    pub dispatch_base: bool,
    /// What the built-in SubgroupSize reads: the size that the API reports, where the pipeline did not ask for a
    /// varying one (Vulkan, "SubgroupSize"); `None` for the width that the shader really runs at.
    pub subgroup_size: Option<u32>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            entry_point: "main",
            stage: Stage::Compute,
            specialization: &[],
            dispatch_base: false,
            subgroup_size: None,
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
    pub subgroup_size: Option<u32>,
    /// Outputs are captured (execution mode Xfb).
    pub captures: bool,
    pub builtins: Vec<(BuiltIn, Id<Def>)>,
    slots: Vec<Slot>,
    /// Control flow of the functions already seen.
    pub graphs: FxHashMap<u32, Rc<Graph>>,
    pub calls: Vec<Call>,
    pub total_calls: usize,
    pub tasks: Vec<Task>,
}

/// The class of a stage's outputs.
const OUTPUT: u32 = spirv::StorageClass::Output as u32;

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
            subgroup_size: options.subgroup_size,
            captures: false,
            builtins: Vec::new(),
            slots: vec![Slot::Empty; ids],
            graphs: FxHashMap::default(),
            calls: Vec::new(),
            total_calls: 0,
            tasks: Vec::new(),
        };
        tr.e.shader.info.shared_blocks = self.has_shared_blocks();
        tr.modes(entry)?;
        tr.e.set_at_start(true);
        for &index in &self.globals {
            if let Some(r) = self.stream.insts.get(index as usize) {
                tr.e.loc = r.loc();
                tr.global(index, &self.stream.inst(r))?;
            }
        }
        if options.stage == Stage::Compute {
            tr.workgroup_size(entry)?;
        }
        // An output has its initial value, and its place in a buffer, though nothing names it.
        for &id in &entry.interface {
            if let Some(r) = self.stream.def(id)
                && r.op == Op::Variable
                && let args = self.stream.inst(r).args
                && (args.len() > 1 || tr.captures && args.first() == Some(&OUTPUT))
            {
                tr.get(id)?;
            }
        }
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
            (Value::Pointer(_) | Value::Texel(_), Ty::Pointer { .. }) => true,
            (Value::Opaque(_), Ty::Image(_) | Ty::Sampler | Ty::SampledImage(_)) => true,
            (Value::Composite(v), Ty::Array { len, .. }) => v.len() as u32 == len.unwrap_or(0),
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
            (Value::Opaque(_), Ty::Image(_) | Ty::Sampler | Ty::SampledImage(_)) => true,
            (Value::Composite(v), Ty::Array { len, .. }) => v.len() as u32 == len.unwrap_or(0),
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
                ExecutionMode::Xfb => self.captures = true,
                ExecutionMode::LocalSizeHint
                | ExecutionMode::VecTypeHint
                | ExecutionMode::ContractionOff
                | ExecutionMode::SubgroupUniformControlFlowKHR
                | ExecutionMode::MaximallyReconvergesKHR => {}
                other => {
                    if !stage_mode(&mut self.e.shader, other, bits) {
                        return mode.loc.unsupported(format!("execution mode {other:?}"));
                    }
                }
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

    // --- instructions --------------------------------------------------------------------------------

    /// Translates one instruction that is neither call nor terminator.
    pub fn inst(&mut self, inst: &Inst) -> Result<()> {
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
        if self.memory_inst(inst)?
            || self.image_inst(inst)?
            || self.sync_inst(inst)?
            || self.group_inst(inst)?
            || self.fragment_inst(inst)?
        {
            return Ok(());
        }
        inst.loc.unsupported("this instruction")
    }

    /// Instructions that are functions of their operands alone; `None` if `inst` is none of them.
    pub fn pure(&mut self, inst: &Inst) -> Result<Option<Value>> {
        if let Some(v) = self.pointer_pair_inst(inst)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.address_inst(inst)? {
            return Ok(Some(v));
        }
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
