//! Accessors of a [`Shader`]: operands of instructions, control-flow lists, layout order.

use crate::intrinsic::Effects;
use crate::intrinsic::IntrinsicOp;
use crate::ir::*;
use crate::op::AluOp;
use crate::types::{Types, VariableMode};
use entity::{Arena, Id, IdMap};
use smallvec::SmallVec;

/// Identifies a list of control-flow nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListRef {
    /// The shader's body.
    Body,
    /// The then-list of an `if`.
    Then(Id<If>),
    /// The else-list of an `if`.
    Else(Id<If>),
    /// Body of a loop.
    Loop(Id<Loop>),
}

/// A step of the walk through a shader in layout order, the order of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CfEvent {
    /// A block.
    Block(Id<Block>),
    /// The then-list begins.
    If(Id<If>),
    /// The then-list has ended, the else-list begins.
    Else(Id<If>),
    /// The else-list has ended.
    EndIf(Id<If>),
    /// The body begins.
    Loop(Id<Loop>),
    /// The body has ended.
    EndLoop(Id<Loop>),
}

/// The steps of a walk in layout order. Most shaders have so few that they need no heap allocation.
pub type LayoutOrder = SmallVec<[CfEvent; 16]>;

impl Instr {
    /// The value that the instruction defines.
    #[inline]
    pub fn def(&self) -> Option<Id<Def>> {
        match self {
            Instr::Alu(a) => Some(a.def),
            Instr::Const { def, .. } | Instr::Undef { def } => Some(*def),
            Instr::Deref(d) => Some(d.def),
            Instr::Intrinsic(i) => i.def,
            Instr::Tex(t) => Some(t.def),
            Instr::Phi(p) => Some(p.def),
            Instr::Jump(_) => None,
        }
    }

    /// Calls `f` with every value that the instruction reads, in order.
    #[inline]
    pub fn for_each_src(&self, mut f: impl FnMut(Id<Def>)) {
        match self {
            Instr::Alu(a) => a.srcs.iter().for_each(|s| f(s.def)),
            Instr::Deref(d) => match d.kind {
                DerefKind::Var(_) => {}
                DerefKind::Array { parent, index }
                | DerefKind::PtrAsArray { parent, index, .. } => {
                    f(parent);
                    f(index);
                }
                DerefKind::Struct { parent, .. } | DerefKind::Cast { parent, .. } => f(parent),
            },
            Instr::Intrinsic(i) => i.srcs.iter().for_each(|s| f(*s)),
            Instr::Tex(t) => t.srcs.iter().for_each(|s| f(s.1)),
            Instr::Phi(p) => p.srcs.iter().for_each(|s| f(s.1)),
            Instr::Const { .. } | Instr::Undef { .. } | Instr::Jump(_) => {}
        }
    }

    /// Calls `f` with a mutable reference to every operand, in order.
    #[inline]
    pub fn for_each_src_mut(&mut self, mut f: impl FnMut(&mut Id<Def>)) {
        match self {
            Instr::Alu(a) => a.srcs.iter_mut().for_each(|s| f(&mut s.def)),
            Instr::Deref(d) => match &mut d.kind {
                DerefKind::Var(_) => {}
                DerefKind::Array { parent, index }
                | DerefKind::PtrAsArray { parent, index, .. } => {
                    f(parent);
                    f(index);
                }
                DerefKind::Struct { parent, .. } | DerefKind::Cast { parent, .. } => f(parent),
            },
            Instr::Intrinsic(i) => i.srcs.iter_mut().for_each(f),
            Instr::Tex(t) => t.srcs.iter_mut().for_each(|s| f(&mut s.1)),
            Instr::Phi(p) => p.srcs.iter_mut().for_each(|s| f(&mut s.1)),
            Instr::Const { .. } | Instr::Undef { .. } | Instr::Jump(_) => {}
        }
    }
}

impl Instr {
    /// The effects of the instruction, from the tables. Phis and jumps must not move.
    #[inline]
    pub fn effects(&self) -> Effects {
        match self {
            Instr::Alu(_) | Instr::Const { .. } | Instr::Undef { .. } | Instr::Deref(_) => {
                Effects::PURE
            }
            Instr::Phi(_) => Effects::CONVERGENT,
            Instr::Jump(_) => Effects::WRITES.or(Effects::CONVERGENT),
            Instr::Tex(t) => t.op.info().effects,
            Instr::Intrinsic(i) => {
                let access = Access::from_bits(i.index("access"));
                match i.op {
                    IntrinsicOp::LoadSsbo if access.unchanging => Effects::MESSAGE,
                    op if access.volatile => op.info().effects.or(Effects::WRITES),
                    op => op.info().effects,
                }
            }
        }
    }
}

impl Intrinsic {
    /// The constant index `name`, 0 where the intrinsic has none of that name.
    #[inline]
    pub fn index(&self, name: &str) -> u32 {
        self.op
            .index_of(name)
            .and_then(|i| self.indices.get(i).copied())
            .unwrap_or(0)
    }

    /// The largest power of two that is known to divide the address of a memory access, in bytes.
    pub fn alignment(&self) -> u32 {
        let (mul, offset) = (self.index("align_mul").max(1), self.index("align_offset"));
        match offset {
            0 => mul,
            _ => mul.min(1 << offset.trailing_zeros()),
        }
    }

    /// Sets the constant index `name`, if the intrinsic has one of that name.
    pub fn set_index(&mut self, name: &str, value: u32) {
        if let Some(slot) = self.op.index_of(name).and_then(|i| self.indices.get_mut(i)) {
            *slot = value;
        }
    }
}

impl Alu {
    /// Components that operand `i` reads, for a result of `num_components`.
    pub fn src_components(&self, i: usize, num_components: u8) -> u8 {
        match self.op.info().srcs.get(i) {
            Some(s) if s.components != 0 => s.components,
            _ => num_components,
        }
    }
}

impl Access {
    /// The bit of `non_uniform` in an `access` index.
    pub const NON_UNIFORM: u32 = 1 << 5;

    /// The value of an intrinsic's `access` index.
    pub fn bits(self) -> u32 {
        u32::from(self.coherent)
            | u32::from(self.restrict) << 1
            | u32::from(self.volatile) << 2
            | u32::from(self.non_writable) << 3
            | u32::from(self.non_readable) << 4
            | u32::from(self.non_uniform) << 5
            | u32::from(self.aliased) << 6
            | u32::from(self.unchanging) << 7
    }

    /// The qualifiers of an `access` index.
    pub fn from_bits(bits: u32) -> Access {
        Access {
            coherent: bits & 1 != 0,
            restrict: bits & 2 != 0,
            volatile: bits & 4 != 0,
            non_writable: bits & 8 != 0,
            non_readable: bits & 16 != 0,
            non_uniform: bits & 32 != 0,
            aliased: bits & 64 != 0,
            unchanging: bits & 128 != 0,
        }
    }

    /// The qualifiers that either has.
    pub fn union(self, other: Access) -> Access {
        Access::from_bits(self.bits() | other.bits())
    }
}

impl Shader {
    /// True if the variable is an array with an element for each vertex of a patch or primitive.
    pub fn is_per_vertex(&self, v: &Variable) -> bool {
        !v.io.is_some_and(|io| io.patch) && self.is_per_vertex_mode(v.mode)
    }

    /// True if the stage's variables of this mode are arrays with an element for each vertex,
    /// except per-patch variables.
    pub fn is_per_vertex_mode(&self, mode: VariableMode) -> bool {
        match mode {
            VariableMode::ShaderIn => matches!(
                self.stage,
                Stage::TessControl | Stage::TessEval | Stage::Geometry
            ),
            VariableMode::ShaderOut => self.stage == Stage::TessControl,
            _ => false,
        }
    }

    /// True if the stage's invocations form quads, so that derivatives are defined.
    pub fn has_quads(&self) -> bool {
        match self.stage {
            Stage::Fragment => true,
            Stage::Compute => self.info.derivative_group != DerivativeGroup::None,
            _ => false,
        }
    }

    /// An empty shader: a body of one empty block.
    pub fn new(stage: Stage, name: &str) -> Shader {
        let mut blocks = Arena::new();
        let first = blocks.push(Block::default());
        Shader {
            stage,
            name: name.to_owned(),
            info: ShaderInfo::default(),
            types: Types::default(),
            vars: Arena::new(),
            blocks,
            instrs: Arena::new(),
            defs: Arena::new(),
            ifs: Arena::new(),
            loops: Arena::new(),
            body: vec![CfNode::Block(first)],
        }
    }

    /// The control-flow list that `list` identifies.
    pub fn list(&self, list: ListRef) -> &CfList {
        match list {
            ListRef::Body => &self.body,
            ListRef::Then(i) => &self.ifs[i].then_list,
            ListRef::Else(i) => &self.ifs[i].else_list,
            ListRef::Loop(l) => &self.loops[l].body,
        }
    }

    /// As [`Shader::list`], mutable.
    pub fn list_mut(&mut self, list: ListRef) -> &mut CfList {
        match list {
            ListRef::Body => &mut self.body,
            ListRef::Then(i) => &mut self.ifs[i].then_list,
            ListRef::Else(i) => &mut self.ifs[i].else_list,
            ListRef::Loop(l) => &mut self.loops[l].body,
        }
    }

    /// The first block of a list. Every list of a valid shader begins and ends with a block.
    pub fn first_block(&self, list: ListRef) -> Option<Id<Block>> {
        match self.list(list).first() {
            Some(CfNode::Block(b)) => Some(*b),
            _ => None,
        }
    }

    /// The last block of a list.
    pub fn last_block(&self, list: ListRef) -> Option<Id<Block>> {
        match self.list(list).last() {
            Some(CfNode::Block(b)) => Some(*b),
            _ => None,
        }
    }

    /// The jump that ends a block.
    pub fn jump_of(&self, block: Id<Block>) -> Option<Jump> {
        match self.blocks[block].instrs.last().map(|i| &self.instrs[*i]) {
            Some(Instr::Jump(j)) => Some(*j),
            _ => None,
        }
    }

    /// The walk through the shader in layout order. Definitions come before uses, except uses in
    /// phis.
    pub fn layout(&self) -> LayoutOrder {
        let mut out =
            LayoutOrder::with_capacity(self.blocks.len() + 3 * (self.ifs.len() + self.loops.len()));
        self.layout_into(&self.body, &mut out);
        out
    }

    /// As [`Shader::layout`], for one list.
    pub fn layout_of(&self, list: ListRef) -> LayoutOrder {
        let mut out = LayoutOrder::new();
        self.layout_into(self.list(list), &mut out);
        out
    }

    /// As [`Shader::layout`], for nodes that need not be in a list of the shader.
    pub fn layout_of_nodes(&self, nodes: &CfList) -> LayoutOrder {
        let mut out = LayoutOrder::new();
        self.layout_into(nodes, &mut out);
        out
    }

    fn layout_into(&self, list: &CfList, out: &mut LayoutOrder) {
        // (list, next node, what follows the list)
        let mut stack: SmallVec<[(&CfList, usize, Option<CfEvent>); 4]> = SmallVec::new();
        stack.push((list, 0, None));
        while let Some((list, at, end)) = stack.last_mut() {
            let Some(node) = list.get(*at) else {
                let end = *end;
                stack.pop();
                if let Some(end) = end {
                    out.push(end);
                    if let CfEvent::Else(i) = end {
                        stack.push((&self.ifs[i].else_list, 0, Some(CfEvent::EndIf(i))));
                    }
                }
                continue;
            };
            *at += 1;
            match *node {
                CfNode::Block(b) => out.push(CfEvent::Block(b)),
                CfNode::If(i) => {
                    out.push(CfEvent::If(i));
                    stack.push((&self.ifs[i].then_list, 0, Some(CfEvent::Else(i))));
                }
                CfNode::Loop(l) => {
                    out.push(CfEvent::Loop(l));
                    stack.push((&self.loops[l].body, 0, Some(CfEvent::EndLoop(l))));
                }
            }
        }
    }

    /// All blocks of the shader's lists in layout order.
    pub fn block_order(&self) -> SmallVec<[Id<Block>; 8]> {
        let layout = self.layout();
        let blocks = layout.iter().filter_map(|e| match e {
            CfEvent::Block(b) => Some(*b),
            _ => None,
        });
        blocks.collect()
    }

    /// Adds an instruction that defines a value to the arenas, without inserting it into a block.
    pub fn add_instr(
        &mut self,
        num_components: u8,
        bit_size: u8,
        make: impl FnOnce(Id<Def>) -> Instr,
    ) -> (Id<Instr>, Id<Def>) {
        let instr = self.instrs.next_id();
        let def = self.defs.push(Def {
            instr,
            num_components,
            bit_size,
        });
        self.instrs.push(make(def));
        (instr, def)
    }

    /// The instruction that defines `def`.
    #[inline]
    pub fn instr_of(&self, def: Id<Def>) -> &Instr {
        &self.instrs[self.defs[def].instr]
    }

    /// The components of `def` if it is a constant.
    #[inline]
    pub fn const_of(&self, def: Id<Def>) -> Option<&[u64]> {
        match self.instr_of(def) {
            Instr::Const { values, .. } => Some(values),
            _ => None,
        }
    }

    /// The bit pattern of a component of `def` if it is a constant.
    #[inline]
    pub fn const_component(&self, def: Id<Def>, component: u8) -> Option<u64> {
        self.const_of(def)?.get(usize::from(component)).copied()
    }

    /// The ALU instruction that defines `def`.
    #[inline]
    pub fn alu_of(&self, def: Id<Def>) -> Option<&Alu> {
        match self.instr_of(def) {
            Instr::Alu(a) => Some(a),
            _ => None,
        }
    }

    /// The deref that defines `def`.
    #[inline]
    pub fn deref_of(&self, def: Id<Def>) -> Option<&Deref> {
        match self.instr_of(def) {
            Instr::Deref(d) => Some(d),
            _ => None,
        }
    }

    /// The intrinsic that defines `def`.
    #[inline]
    pub fn intrinsic_of(&self, def: Id<Def>) -> Option<&Intrinsic> {
        match self.instr_of(def) {
            Instr::Intrinsic(i) => Some(i),
            _ => None,
        }
    }

    /// Replaces each use of `d` by `to[d]`, following chains of replacements, in all blocks and
    /// conditions.
    pub fn rewrite_uses(&mut self, to: &mut IdMap<Def, Option<Id<Def>>>) {
        let resolve = |to: &mut IdMap<Def, Option<Id<Def>>>, d: Id<Def>| -> Id<Def> {
            let Some(mut end) = to[d] else { return d };
            while let Some(next) = to[end] {
                end = next;
            }
            to[d] = Some(end);
            end
        };
        for event in self.layout() {
            match event {
                CfEvent::Block(b) => {
                    for k in 0..self.blocks[b].instrs.len() {
                        let i = self.blocks[b].instrs[k];
                        self.instrs[i].for_each_src_mut(|d| *d = resolve(to, *d));
                    }
                }
                CfEvent::If(i) => {
                    let cond = self.ifs[i].cond;
                    self.ifs[i].cond = resolve(to, cond);
                }
                _ => {}
            }
        }
    }

    /// Adds an ALU instruction to the arenas, without inserting it into a block.
    pub fn add_alu(
        &mut self,
        op: AluOp,
        srcs: SmallVec<[AluSrc; 3]>,
        num_components: u8,
        bit_size: u8,
        exact: bool,
        preserve_nan_inf_sz: bool,
    ) -> (Id<Instr>, Id<Def>) {
        self.add_instr(num_components, bit_size, |def| {
            Instr::Alu(Alu {
                op,
                def,
                srcs,
                exact,
                preserve_nan_inf_sz,
            })
        })
    }
}
