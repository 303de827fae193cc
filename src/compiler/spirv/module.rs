//! The sections of a module: entry points, execution modes, names, decorations, globals, functions.
//!
//! In:  [`Stream`].
//! Out: [`Module`], in which each block ends with its only terminator, each function has an
//!      OpFunctionEnd, and each branch goes to a block of the same function.
//! Ref: "SPIR-V Specification", "Logical Layout of a Module".

use crate::error::{Loc, Result, SpirvError};
use crate::reader::{self, Inst, InstRef, Stream, decode_string, string_len_words};
use crate::supported::lacking;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, Op};
use std::ops::Range;

/// Targets of a decoration group: ids, or members of structs.
type Targets = SmallVec<[(u32, Option<u32>); 4]>;

/// Maximum number of decorations that groups may add.
const MAX_GROUP_DECORATIONS: usize = 1 << 20;
/// The location of an undefined group.
const NO_LOC: Loc = Loc {
    at: 0,
    op: "GroupDecorate",
};

/// A checked module.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) stream: Stream,
    /// Capabilities that the module declares and the translator lacks.
    pub(crate) lacking: Vec<Capability>,
    /// Every access of a resource may be non-uniform, with or without the decoration: the module
    /// declares `DescriptorHeapEXT`.
    pub(crate) is_non_uniform: bool,
    pub(crate) entry_points: Vec<EntryPoint>,
    pub(crate) modes: Vec<ExecutionModeInst>,
    pub(crate) ext_sets: FxHashMap<u32, ExtSet>,
    pub(crate) names: FxHashMap<u32, String>,
    pub(crate) member_names: FxHashMap<(u32, u32), String>,
    pub(crate) decorations: FxHashMap<u32, SmallVec<[AppliedDecoration; 2]>>,
    /// Types, constants and variables, in order.
    pub(crate) globals: Vec<u32>,
    pub(crate) functions: Vec<Function>,
    /// Function id to index.
    pub(crate) function_of: FxHashMap<u32, u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct EntryPoint {
    pub model: u32,
    pub function: u32,
    pub name: String,
    /// Global variables in the entry point's interface.
    pub interface: Vec<u32>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub(crate) struct ExecutionModeInst {
    pub target: u32,
    pub mode: ExecutionMode,
    /// Literals, or ids for the `*Id` modes.
    pub args: SmallVec<[u32; 3]>,
    pub loc: Loc,
}

/// An extended instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtSet {
    Glsl450,
    /// Without effect on execution: debug information, reflection.
    NonSemantic,
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) struct AppliedDecoration {
    pub member: Option<u32>,
    pub kind: Decoration,
    pub args: SmallVec<[u32; 2]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub id: u32,
    pub ret: u32,
    /// (id, type)
    pub params: Vec<(u32, u32)>,
    pub blocks: Vec<Block>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub label: u32,
    /// Instructions after the label, the terminator last; indices into the stream.
    pub insts: Range<u32>,
    pub merge: Merge,
    pub loc: Loc,
}

/// The merge instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    None,
    /// Merge block's label.
    Selection(u32),
    /// Labels of merge block and continue target.
    Loop(u32, u32),
}

impl Module {
    /// Parses and checks a module.
    ///
    /// # Errors
    /// The first rule that the words violate, with its location.
    pub fn parse(words: &[u32]) -> Result<Module> {
        let stream = reader::split_instructions(words)?;
        let mut m = Module {
            stream: Stream::default(),
            lacking: Vec::new(),
            is_non_uniform: false,
            entry_points: Vec::new(),
            modes: Vec::new(),
            ext_sets: FxHashMap::default(),
            names: FxHashMap::default(),
            member_names: FxHashMap::default(),
            decorations: FxHashMap::default(),
            globals: Vec::new(),
            functions: Vec::new(),
            function_of: FxHashMap::default(),
        };
        m.sections(&stream)?;
        m.stream = stream;
        Ok(m)
    }

    /// Names and execution models (SPIR-V's numbers) of the entry points.
    pub fn entry_points(&self) -> impl Iterator<Item = (&str, u32)> {
        self.entry_points.iter().map(|e| (e.name.as_str(), e.model))
    }

    pub(crate) fn decorations(&self, id: u32) -> &[AppliedDecoration] {
        self.decorations.get(&id).map_or(&[], |d| d.as_slice())
    }

    /// Decorations of `id` itself, not of its members.
    pub(crate) fn decorations_of_id(&self, id: u32) -> impl Iterator<Item = &AppliedDecoration> {
        self.decorations(id).iter().filter(|d| d.member.is_none())
    }

    pub(crate) fn has_decoration(&self, id: u32, kind: Decoration) -> bool {
        self.decorations_of_id(id).any(|d| d.kind == kind)
    }

    /// Whether the resource that `id` selects may differ between the invocations of a subgroup.
    pub(crate) fn may_be_non_uniform(&self, id: u32) -> bool {
        self.is_non_uniform || self.has_decoration(id, Decoration::NonUniform)
    }

    /// The first parameter of a decoration of `id`.
    pub(crate) fn decoration_arg(&self, id: u32, kind: Decoration) -> Option<u32> {
        self.decorations_of_id(id)
            .find(|d| d.kind == kind)
            .and_then(|d| d.args.first().copied())
    }

    /// True for an instruction of an extended set that has no effect on execution.
    pub(crate) fn is_non_semantic(&self, inst: &Inst) -> bool {
        let set = inst.args.first().and_then(|set| self.ext_sets.get(set));
        matches!(inst.op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR)
            && set == Some(&ExtSet::NonSemantic)
    }

    pub(crate) fn name(&self, id: u32) -> String {
        self.names.get(&id).cloned().unwrap_or_default()
    }

    fn sections(&mut self, stream: &Stream) -> Result<()> {
        let mut builder = FunctionBuilder::default();
        let mut groups: Vec<(u32, Targets)> = Vec::new();
        for (index, r) in stream.insts.iter().enumerate() {
            let inst = stream.inst(r);
            match inst.op {
                Op::Nop
                | Op::Line
                | Op::NoLine
                | Op::Source
                | Op::SourceContinued
                | Op::SourceExtension
                | Op::String
                | Op::ModuleProcessed
                | Op::Extension
                | Op::MemoryModel
                | Op::DecorationGroup => {}
                Op::Capability => {
                    let number = inst.arg(0)?;
                    self.is_non_uniform |= number == Capability::DescriptorHeapEXT as u32;
                    self.lacking.extend(lacking(number));
                }
                Op::Name => {
                    self.names.insert(
                        inst.arg(0)?,
                        decode_string(inst.args.get(1..).unwrap_or(&[])),
                    );
                }
                Op::MemberName => {
                    self.member_names.insert(
                        (inst.arg(0)?, inst.arg(1)?),
                        decode_string(inst.args.get(2..).unwrap_or(&[])),
                    );
                }
                Op::ExtInstImport => {
                    let name = decode_string(inst.args);
                    let set = if name == "GLSL.std.450" {
                        ExtSet::Glsl450
                    } else if reader::is_non_semantic_set(&name) {
                        ExtSet::NonSemantic
                    } else {
                        ExtSet::Unknown
                    };
                    self.ext_sets.insert(inst.id, set);
                }
                Op::EntryPoint => {
                    let name_words = inst.args.get(2..).unwrap_or(&[]);
                    self.entry_points.push(EntryPoint {
                        model: inst.arg(0)?,
                        function: inst.arg(1)?,
                        name: decode_string(name_words),
                        interface: name_words
                            .get(string_len_words(name_words).unwrap_or(0)..)
                            .unwrap_or(&[])
                            .to_vec(),
                        loc: inst.loc,
                    });
                }
                Op::ExecutionMode | Op::ExecutionModeId => {
                    let Some(mode) = ExecutionMode::from_u32(inst.arg(1)?) else {
                        return inst
                            .loc
                            .expected("an execution mode", inst.arg(1)?.to_string());
                    };
                    self.modes.push(ExecutionModeInst {
                        target: inst.arg(0)?,
                        mode,
                        args: inst.args.iter().skip(2).copied().collect(),
                        loc: inst.loc,
                    });
                }
                Op::Decorate | Op::DecorateId | Op::DecorateString => {
                    self.decorate(inst.arg(0)?, None, inst.args.get(1..).unwrap_or(&[]));
                }
                Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT => {
                    self.decorate(
                        inst.arg(0)?,
                        Some(inst.arg(1)?),
                        inst.args.get(2..).unwrap_or(&[]),
                    );
                }
                Op::GroupDecorate => {
                    let targets = inst.args.iter().skip(1).map(|&t| (t, None)).collect();
                    groups.push((inst.arg(0)?, targets));
                }
                Op::GroupMemberDecorate => {
                    let pairs = inst.args.get(1..).unwrap_or(&[]).chunks_exact(2);
                    let targets = pairs
                        .filter_map(|p| Some((*p.first()?, Some(*p.get(1)?))))
                        .collect();
                    groups.push((inst.arg(0)?, targets));
                }
                _ => {
                    if !builder.add_inst(self, &inst, index as u32)? {
                        self.globals.push(index as u32);
                    }
                }
            }
        }
        builder.finish()?;
        self.apply_groups(stream, groups)?;
        self.check_branches(stream)
    }

    /// Applies the decorations of each group to its targets.
    fn apply_groups(&mut self, stream: &Stream, groups: Vec<(u32, Targets)>) -> Result<()> {
        let mut applied = 0;
        for (group, targets) in groups {
            let decos = self.decorations.get(&group).cloned().unwrap_or_default();
            applied += decos.len() * targets.len();
            if applied > MAX_GROUP_DECORATIONS {
                let loc = stream.def(group).map_or(NO_LOC, |r| r.loc());
                return loc.limit("decorations by groups", MAX_GROUP_DECORATIONS);
            }
            for (target, member) in targets {
                let list = self.decorations.entry(target).or_default();
                list.extend(decos.iter().map(|d| AppliedDecoration {
                    member,
                    ..d.clone()
                }));
            }
        }
        Ok(())
    }

    fn decorate(&mut self, target: u32, member: Option<u32>, words: &[u32]) {
        let Some((&kind, args)) = words.split_first() else {
            return;
        };
        // Unknown decorations are ignored.
        if let Some(kind) = Decoration::from_u32(kind) {
            self.decorations
                .entry(target)
                .or_default()
                .push(AppliedDecoration {
                    member,
                    kind,
                    args: args.iter().copied().collect(),
                });
        }
    }

    fn check_branches(&self, stream: &Stream) -> Result<()> {
        for f in &self.functions {
            let labels: FxHashMap<u32, ()> = f.blocks.iter().map(|b| (b.label, ())).collect();
            for b in &f.blocks {
                if let Some(r) = terminator(stream, b) {
                    let inst = stream.inst(r);
                    for target in branch_targets(stream, &inst)? {
                        if !labels.contains_key(&target) {
                            return inst
                                .loc
                                .expected("a label of this function", format!("%{target}"));
                        }
                    }
                }
            }
            if let Some(first) = f.blocks.first() {
                for b in &f.blocks {
                    if let Some(r) = terminator(stream, b) {
                        let inst = stream.inst(r);
                        if branch_targets(stream, &inst)?.contains(&first.label) {
                            return inst.loc.invalid("branches to the entry block");
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The terminator of a block.
pub(crate) fn terminator<'a>(stream: &'a Stream, b: &Block) -> Option<&'a InstRef> {
    stream.insts.get((b.insts.end as usize).checked_sub(1)?)
}

/// Words of each literal of a switch: 2 for a 64-bit selector, else 1.
pub(crate) fn switch_literal_words(stream: &Stream, inst: &Inst) -> usize {
    let ty = stream.def(inst.args.first().copied().unwrap_or(0));
    let ty = ty.and_then(|r| stream.def(r.ty));
    match ty {
        Some(r) if r.op == Op::TypeInt && stream.inst(r).args.first().copied() == Some(64) => 2,
        _ => 1,
    }
}

/// The labels that a terminator branches to, in order, including repeated ones.
pub(crate) fn branch_targets(stream: &Stream, inst: &Inst) -> Result<SmallVec<[u32; 4]>> {
    let mut out = SmallVec::new();
    match inst.op {
        Op::Branch => out.push(inst.arg(0)?),
        Op::BranchConditional => {
            out.push(inst.arg(1)?);
            out.push(inst.arg(2)?);
        }
        Op::Switch => {
            out.push(inst.arg(1)?);
            let words = switch_literal_words(stream, inst);
            let cases = inst.args.get(2..).unwrap_or(&[]);
            if !cases.len().is_multiple_of(words + 1) {
                return inst
                    .loc
                    .invalid("its cases are not pairs of literal and label");
            }
            out.extend(
                cases
                    .chunks_exact(words + 1)
                    .filter_map(|c| c.last().copied()),
            );
        }
        _ => {}
    }
    Ok(out)
}

#[derive(Default)]
struct FunctionBuilder {
    function: Option<Function>,
    block: Option<Block>,
}

impl FunctionBuilder {
    /// Adds an instruction of a function; returns false for a global instruction.
    fn add_inst(&mut self, m: &mut Module, inst: &Inst, index: u32) -> Result<bool> {
        let loc = inst.loc;
        match inst.op {
            Op::Function => {
                if self.function.is_some() {
                    return loc.invalid("a function inside a function");
                }
                self.function = Some(Function {
                    id: inst.id,
                    ret: inst.ty,
                    params: Vec::new(),
                    blocks: Vec::new(),
                    loc,
                });
                return Ok(true);
            }
            Op::FunctionEnd => {
                let (Some(f), None) = (self.function.take(), self.block.take()) else {
                    return loc.invalid("no function to end, or its last block is open");
                };
                m.function_of.insert(f.id, m.functions.len() as u32);
                m.functions.push(f);
                return Ok(true);
            }
            _ => {}
        }
        let Some(f) = &mut self.function else {
            if inst.op == Op::Label || is_terminator(inst.op) {
                return loc.invalid("outside of a function");
            }
            return Ok(false);
        };
        if inst.op == Op::FunctionParameter {
            if self.block.is_some() || !f.blocks.is_empty() {
                return loc.invalid("a parameter after the first block");
            }
            f.params.push((inst.id, inst.ty));
            return Ok(true);
        }
        if inst.op == Op::Label {
            if self.block.is_some() {
                return loc.invalid("the block before has no terminator");
            }
            self.block = Some(Block {
                label: inst.id,
                insts: index + 1..index + 1,
                merge: Merge::None,
                loc,
            });
            return Ok(true);
        }
        let Some(block) = &mut self.block else {
            // Non-semantic instructions may appear between the blocks of functions.
            if m.is_non_semantic(inst) {
                return Ok(true);
            }
            return loc.invalid("not inside a block");
        };
        match inst.op {
            Op::SelectionMerge => block.merge = Merge::Selection(inst.arg(0)?),
            Op::LoopMerge => block.merge = Merge::Loop(inst.arg(0)?, inst.arg(1)?),
            _ => {}
        }
        if is_terminator(inst.op) {
            block.insts.end = index + 1;
            if let Some(b) = self.block.take() {
                f.blocks.push(b);
            }
        }
        Ok(true)
    }

    fn finish(self) -> Result<()> {
        match self.function {
            Some(f) => f.loc.invalid("has no OpFunctionEnd"),
            None => Ok(()),
        }
    }
}

/// True for block terminators.
pub(crate) fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
    )
}

impl Module {
    /// True if shared variables are blocks with explicit layouts (all of them are, or none).
    pub(crate) fn has_shared_blocks(&self) -> bool {
        let globals = self.globals.iter();
        let insts = globals.filter_map(|&index| self.stream.insts.get(index as usize));
        let variables = insts.filter(|r| matches!(r.op, Op::Variable | Op::UntypedVariableKHR));
        variables.into_iter().any(|r| {
            let inst = self.stream.inst(r);
            let class = inst.args.first().copied();
            let pointer = self.stream.def(inst.ty).filter(|t| t.op == Op::TypePointer);
            let to = match r.op {
                Op::UntypedVariableKHR => inst.args.get(1).copied(),
                _ => pointer.and_then(|t| self.stream.inst(t).args.get(1).copied()),
            };
            class == Some(spirv::StorageClass::Workgroup as u32)
                && to.is_some_and(|to| self.has_decoration(to, Decoration::Block))
        })
    }

    /// The entry point named `name` for `model`.
    pub(crate) fn find_entry_point(
        &self,
        name: &str,
        model: ExecutionModel,
    ) -> Result<&EntryPoint> {
        self.entry_points
            .iter()
            .find(|e| e.name == name && e.model == model as u32)
            .ok_or_else(|| SpirvError::NoEntryPoint {
                name: name.to_owned(),
                has: if self.entry_points.is_empty() {
                    "none".to_owned()
                } else {
                    let names: Vec<_> = self
                        .entry_points
                        .iter()
                        .map(|e| format!("\"{}\"", e.name))
                        .collect();
                    names.join(", ")
                },
            })
    }
}
