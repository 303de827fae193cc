//! The builder: creates instructions and control flow at a cursor.
//!
//! In:  a shader and a cursor position in it.
//! Out: instructions at the cursor, which moves past them.
//! `alu_builder.rs` has the methods for ALU operations.

use crate::exact;
use crate::intrinsic::IntrinsicOp;
use crate::ir::*;
use crate::op::{AluOp, SizeRule};
use crate::shader::ListRef;
use crate::types::{Type, VariableMode};
use entity::Id;
use smallvec::SmallVec;

/// A construct that a [`Builder`] has opened and not closed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Then(Id<If>),
    Else(Id<If>),
    Loop(Id<Loop>),
}

/// Inserts instructions and control flow at a cursor in a shader.
///
/// Control flow can be opened only at the end of the last block of a list, so only by a builder
/// created with [`Builder::at_end`] or [`Builder::at_end_of_list`].
#[derive(Debug)]
pub struct Builder<'s> {
    /// The shader.
    pub shader: &'s mut Shader,
    /// The flag `exact` of every ALU instruction created.
    pub exact: bool,
    /// The flag `preserve_nan_inf_sz` of every ALU instruction created.
    pub preserve_nan_inf_sz: bool,
    block: Id<Block>,
    /// Position of the cursor in the block; `None`: at its end.
    at: Option<usize>,
    base_list: ListRef,
    open: Vec<Open>,
    last_if: Option<Id<If>>,
}

impl<'s> Builder<'s> {
    /// A builder at the end of the shader's body.
    pub fn at_end(shader: &'s mut Shader) -> Builder<'s> {
        Self::at_end_of_list(shader, ListRef::Body)
    }

    /// A builder at the end of a control-flow list.
    pub fn at_end_of_list(shader: &'s mut Shader, list: ListRef) -> Builder<'s> {
        let block = match shader.last_block(list) {
            Some(b) => b,
            None => {
                let b = shader.blocks.push(Block::default());
                shader.list_mut(list).push(CfNode::Block(b));
                b
            }
        };
        Builder {
            base_list: list,
            ..Self::at_end_of_block(shader, block)
        }
    }

    /// A builder at the end of a block (after its jump, if it has one).
    pub fn at_end_of_block(shader: &'s mut Shader, block: Id<Block>) -> Builder<'s> {
        Builder {
            shader,
            exact: false,
            preserve_nan_inf_sz: false,
            block,
            at: None,
            base_list: ListRef::Body,
            open: Vec::new(),
            last_if: None,
        }
    }

    /// A builder before instruction number `at` of a block.
    pub fn before(shader: &'s mut Shader, block: Id<Block>, at: usize) -> Builder<'s> {
        Builder {
            at: Some(at),
            ..Self::at_end_of_block(shader, block)
        }
    }

    /// The cursor's block.
    pub fn block(&self) -> Id<Block> {
        self.block
    }

    /// The cursor's position in the block: number of instructions before it.
    pub fn position(&self) -> usize {
        self.at
            .unwrap_or_else(|| self.shader.blocks[self.block].instrs.len())
    }

    /// Moves the cursor to the end of a block; control flow can no longer be opened.
    pub fn set_block_end(&mut self, block: Id<Block>) {
        self.block = block;
        self.at = None;
    }

    /// True if the block already ends in a jump.
    pub fn is_terminated(&self) -> bool {
        self.shader.jump_of(self.block).is_some()
    }

    /// Inserts an existing instruction at the cursor.
    pub fn insert_instr(&mut self, instr: Id<Instr>) {
        let list = &mut self.shader.blocks[self.block].instrs;
        match &mut self.at {
            Some(at) => {
                list.insert(*at, instr);
                *at += 1;
            }
            None => list.push(instr),
        }
    }

    fn insert(
        &mut self,
        num_components: u8,
        bit_size: u8,
        make: impl FnOnce(Id<Def>) -> Instr,
    ) -> Id<Def> {
        let (instr, def) = self.shader.add_instr(num_components, bit_size, make);
        self.insert_instr(instr);
        def
    }

    /// Number of components of a value.
    pub fn components(&self, def: Id<Def>) -> u8 {
        self.shader.defs[def].num_components
    }

    /// Bits of a value.
    pub fn bits(&self, def: Id<Def>) -> u8 {
        self.shader.defs[def].bit_size
    }

    // --- constants

    /// A constant, given the bit pattern of each component.
    pub fn constant(&mut self, bits: u8, values: &[u64]) -> Id<Def> {
        let values: SmallVec<[u64; 4]> = values.iter().map(|v| v & exact::mask(bits)).collect();
        self.insert(values.len() as u8, bits, |def| Instr::Const { def, values })
    }

    /// A scalar integer constant: the low `bits` bits of `value`.
    pub fn imm_int(&mut self, bits: u8, value: i64) -> Id<Def> {
        self.constant(bits, &[value as u64])
    }

    /// A 32-bit scalar constant.
    pub fn imm_u32(&mut self, value: u32) -> Id<Def> {
        self.constant(32, &[u64::from(value)])
    }

    /// A scalar float constant, rounded to nearest.
    pub fn imm_float(&mut self, bits: u8, value: f64) -> Id<Def> {
        let v = exact::round_float(bits, value.into(), false);
        self.constant(bits, &[v])
    }

    /// A scalar boolean constant.
    pub fn imm_bool(&mut self, value: bool) -> Id<Def> {
        self.constant(1, &[u64::from(value)])
    }

    /// A constant with all components zero.
    pub fn imm_zero(&mut self, num_components: u8, bits: u8) -> Id<Def> {
        self.constant(bits, &[0; MAX_COMPONENTS][..usize::from(num_components)])
    }

    /// An undefined value.
    pub fn undef(&mut self, num_components: u8, bits: u8) -> Id<Def> {
        self.insert(num_components, bits, |def| Instr::Undef { def })
    }

    // --- ALU

    /// An ALU operation whose shape follows from its operands.
    pub fn alu(&mut self, op: AluOp, srcs: &[Id<Def>]) -> Id<Def> {
        self.alu_sized(op, srcs, 0)
    }

    /// An ALU operation with a result of `bits` bits if its size is free; other operations ignore
    /// `bits`.
    pub fn alu_sized(&mut self, op: AluOp, srcs: &[Id<Def>], bits: u8) -> Id<Def> {
        let info = op.info();
        let mut components = info.out_components;
        let mut same = 0;
        for (s, &d) in info.srcs.iter().zip(srcs) {
            let def = self.shader.defs[d];
            if info.out_components == 0 && s.components == 0 {
                components = components.max(def.num_components);
            }
            if s.ty.size == SizeRule::Same && same == 0 {
                same = def.bit_size;
            }
        }
        let bits = match info.out.size {
            SizeRule::Fixed(n) => n,
            SizeRule::Same => same,
            SizeRule::Free => bits,
        };
        let srcs = srcs
            .iter()
            .map(|&d| {
                if self.components(d) == 1 {
                    AluSrc::splat(d, 0)
                } else {
                    AluSrc::identity(d)
                }
            })
            .collect();
        self.alu_with(op, srcs, components.max(1), bits)
    }

    /// An ALU operation with explicit swizzles and result shape.
    pub fn alu_with(
        &mut self,
        op: AluOp,
        srcs: SmallVec<[AluSrc; 3]>,
        num_components: u8,
        bits: u8,
    ) -> Id<Def> {
        debug_assert_eq!(srcs.len(), op.info().srcs.len(), "{op:?}");
        let (exact, preserve) = (self.exact, self.preserve_nan_inf_sz);
        let (instr, def) = self
            .shader
            .add_alu(op, srcs, num_components, bits, exact, preserve);
        self.insert_instr(instr);
        def
    }

    /// A vector of scalars.
    pub fn vec(&mut self, scalars: &[Id<Def>]) -> Id<Def> {
        let parts: SmallVec<[(Id<Def>, u8); 4]> = scalars.iter().map(|&d| (d, 0)).collect();
        self.vec_of(&parts)
    }

    /// A vector of (value, component) pairs. All have the same bits; there is at least one.
    pub fn vec_of(&mut self, parts: &[(Id<Def>, u8)]) -> Id<Def> {
        let (first, _) = parts[0];
        if parts.len() == 1 {
            return self.channel(parts[0].0, parts[0].1);
        }
        let bits = self.bits(first);
        if parts.iter().all(|p| p.0 == first) {
            let swizzle: SmallVec<[u8; 16]> = parts.iter().map(|p| p.1).collect();
            return self.swizzle(first, &swizzle);
        }
        let (op, n) = (parts.len()..=MAX_COMPONENTS)
            .find_map(|n| Some((AluOp::vec(n)?, n)))
            .unwrap_or((AluOp::Vec16, MAX_COMPONENTS));
        let mut srcs: SmallVec<[AluSrc; 3]> =
            parts.iter().map(|&(d, c)| AluSrc::splat(d, c)).collect();
        if n > parts.len() {
            // No `vec` operation has that many operands: pad with undefined ones, which the swizzle
            // drops.
            let undef = self.undef(1, bits);
            srcs.resize(n, AluSrc::splat(undef, 0));
            let whole = self.alu_with(op, srcs, n as u8, bits);
            let swizzle: SmallVec<[u8; 16]> = (0..parts.len() as u8).collect();
            return self.swizzle(whole, &swizzle);
        }
        self.alu_with(op, srcs, n as u8, bits)
    }

    /// One component as a scalar.
    pub fn channel(&mut self, def: Id<Def>, component: u8) -> Id<Def> {
        if self.components(def) == 1 {
            return def;
        }
        self.swizzle(def, &[component])
    }

    /// All components as scalars.
    pub fn channels(&mut self, def: Id<Def>) -> SmallVec<[Id<Def>; 4]> {
        (0..self.components(def))
            .map(|c| self.channel(def, c))
            .collect()
    }

    /// A vector of the given components of `def`.
    pub fn swizzle(&mut self, def: Id<Def>, components: &[u8]) -> Id<Def> {
        if usize::from(self.components(def)) == components.len()
            && components
                .iter()
                .enumerate()
                .all(|(i, c)| usize::from(*c) == i)
        {
            return def;
        }
        let mut swizzle = [0; MAX_COMPONENTS];
        swizzle[..components.len()].copy_from_slice(components);
        let bits = self.bits(def);
        self.alu_with(
            AluOp::Mov,
            SmallVec::from_iter([AluSrc { def, swizzle }]),
            components.len() as u8,
            bits,
        )
    }

    /// `a + constant`.
    pub fn iadd_imm(&mut self, a: Id<Def>, value: i64) -> Id<Def> {
        if value == 0 {
            return a;
        }
        let b = self.imm_int(self.bits(a), value);
        self.iadd(a, b)
    }

    /// `a * constant`.
    pub fn imul_imm(&mut self, a: Id<Def>, value: i64) -> Id<Def> {
        if value == 1 {
            return a;
        }
        let b = self.imm_int(self.bits(a), value);
        self.imul(a, b)
    }

    // --- intrinsics and derefs

    /// An intrinsic; `shape` is (components, bits) of its result, `None` if it has none.
    pub fn intrinsic(
        &mut self,
        op: IntrinsicOp,
        shape: Option<(u8, u8)>,
        srcs: &[Id<Def>],
        indices: &[u32],
    ) -> Option<Id<Def>> {
        debug_assert_eq!(srcs.len(), op.info().srcs.len(), "{op:?}");
        debug_assert_eq!(indices.len(), op.info().indices.len(), "{op:?}");
        let srcs = srcs.iter().copied().collect();
        let indices = indices.iter().copied().collect();
        match shape {
            Some((components, bits)) => Some(self.insert(components, bits, |def| {
                Instr::Intrinsic(Intrinsic {
                    op,
                    def: Some(def),
                    srcs,
                    indices,
                })
            })),
            None => {
                let instr = self.shader.instrs.push(Instr::Intrinsic(Intrinsic {
                    op,
                    def: None,
                    srcs,
                    indices,
                }));
                self.insert_instr(instr);
                None
            }
        }
    }

    /// An intrinsic with a result of `components` × `bits`.
    pub fn load(
        &mut self,
        op: IntrinsicOp,
        components: u8,
        bits: u8,
        srcs: &[Id<Def>],
        indices: &[u32],
    ) -> Id<Def> {
        let (srcs, indices): (SmallVec<_>, SmallVec<_>) = (
            srcs.iter().copied().collect(),
            indices.iter().copied().collect(),
        );
        self.insert(components, bits, |def| {
            Instr::Intrinsic(Intrinsic {
                op,
                def: Some(def),
                srcs,
                indices,
            })
        })
    }

    /// A texture instruction with a result of `components` × `bits`.
    pub fn tex(&mut self, mut tex: Tex, components: u8, bits: u8) -> Id<Def> {
        self.insert(components, bits, |def| {
            tex.def = def;
            Instr::Tex(tex)
        })
    }

    /// A system value, with the shape that the table gives.
    pub fn system_value(&mut self, op: IntrinsicOp) -> Id<Def> {
        let shape = op.info().def.map_or((1, 32), |s| (s.components, s.bits));
        self.load(
            op,
            shape.0.max(1),
            if shape.1 == 0 { 32 } else { shape.1 },
            &[],
            &[],
        )
    }

    /// A deref of the given kind.
    pub fn deref(
        &mut self,
        kind: DerefKind,
        mode: VariableMode,
        ty: Id<Type>,
        access: Access,
    ) -> Id<Def> {
        self.insert(1, 32, |def| {
            Instr::Deref(Deref {
                def,
                kind,
                mode,
                ty,
                access,
            })
        })
    }

    /// Pointer to a variable.
    pub fn deref_var(&mut self, var: Id<Variable>) -> Id<Def> {
        let v = &self.shader.vars[var];
        let (mode, ty, access) = (v.mode, v.ty, v.access);
        self.deref(DerefKind::Var(var), mode, ty, access)
    }

    fn pointee(&self, parent: Id<Def>) -> Option<(VariableMode, Id<Type>, Access)> {
        self.shader
            .deref_of(parent)
            .map(|d| (d.mode, d.ty, d.access))
    }

    /// Pointer to an element of an array, column of a matrix or component of a vector.
    /// `None` if `parent` is no deref of such a type.
    pub fn deref_array(&mut self, parent: Id<Def>, index: Id<Def>) -> Option<Id<Def>> {
        let (mode, ty, access) = self.pointee(parent)?;
        let ty = match *self.shader.types.get(ty)? {
            Type::Array { elem, .. } | Type::Vector { elem, .. } => elem,
            Type::Matrix { column, .. } => column,
            _ => return None,
        };
        Some(self.deref(DerefKind::Array { parent, index }, mode, ty, access))
    }

    /// Pointer to a member. `None` if `parent` is no deref of a struct that has it.
    pub fn deref_struct(&mut self, parent: Id<Def>, member: u32) -> Option<Id<Def>> {
        let (mode, ty, access) = self.pointee(parent)?;
        let ty = match self.shader.types.get(ty)? {
            Type::Struct { members, .. } => members.get(member as usize)?.ty,
            _ => return None,
        };
        Some(self.deref(DerefKind::Struct { parent, member }, mode, ty, access))
    }

    /// A cast of another value to a pointer.
    pub fn deref_cast(
        &mut self,
        parent: Id<Def>,
        mode: VariableMode,
        ty: Id<Type>,
        stride_bytes: u32,
        access: Access,
    ) -> Id<Def> {
        self.deref(
            DerefKind::Cast {
                parent,
                stride_bytes,
                align_bytes: 0,
            },
            mode,
            ty,
            access,
        )
    }

    /// Loads a scalar or vector through a pointer; `None` if `ptr` points to no such type.
    pub fn load_deref(&mut self, ptr: Id<Def>) -> Option<Id<Def>> {
        let (_, ty, access) = self.pointee(ptr)?;
        let (components, bits) = self.shader.types.value_shape(ty)?;
        Some(self.load(
            IntrinsicOp::LoadDeref,
            components,
            bits,
            &[ptr],
            &[access.bits()],
        ))
    }

    /// Stores all components of a value through a pointer.
    pub fn store_deref(&mut self, ptr: Id<Def>, value: Id<Def>) {
        let access = self.pointee(ptr).map_or(0, |p| p.2.bits());
        let mask = (1 << self.components(value)) - 1;
        self.intrinsic(
            IntrinsicOp::StoreDeref,
            None,
            &[ptr, value],
            &[mask, access],
        );
    }

    /// Loads a whole variable of scalar or vector type.
    pub fn load_var(&mut self, var: Id<Variable>) -> Option<Id<Def>> {
        let ptr = self.deref_var(var);
        self.load_deref(ptr)
    }

    /// Stores a whole variable of scalar or vector type.
    pub fn store_var(&mut self, var: Id<Variable>, value: Id<Def>) {
        let ptr = self.deref_var(var);
        self.store_deref(ptr, value);
    }

    // --- control flow

    fn current_list(&self) -> ListRef {
        match self.open.last() {
            None => self.base_list,
            Some(Open::Then(i)) => ListRef::Then(*i),
            Some(Open::Else(i)) => ListRef::Else(*i),
            Some(Open::Loop(l)) => ListRef::Loop(*l),
        }
    }

    fn append_block(&mut self) {
        let block = self.shader.blocks.push(Block::default());
        let list = self.current_list();
        self.shader.list_mut(list).push(CfNode::Block(block));
        self.block = block;
        self.at = None;
    }

    /// Opens an `if` and moves the cursor into its then-list.
    pub fn push_if(&mut self, cond: Id<Def>) -> Id<If> {
        let id = self.shader.ifs.push(If {
            cond,
            then_list: Vec::new(),
            else_list: Vec::new(),
        });
        let list = self.current_list();
        self.shader.list_mut(list).push(CfNode::If(id));
        self.open.push(Open::Then(id));
        self.append_block();
        id
    }

    /// Moves the cursor to the else-list of the innermost open `if`.
    pub fn push_else(&mut self) {
        if let Some(Open::Then(id)) = self.open.last().copied() {
            self.open.pop();
            self.open.push(Open::Else(id));
            self.append_block();
        } else {
            debug_assert!(false, "push_else without an open if");
        }
    }

    /// Closes the innermost open `if` and moves the cursor after it.
    pub fn pop_if(&mut self) {
        if let Some(Open::Then(_)) = self.open.last() {
            self.push_else();
        }
        if let Some(Open::Else(id)) = self.open.last().copied() {
            self.open.pop();
            self.append_block();
            self.last_if = Some(id);
        } else {
            debug_assert!(false, "pop_if without an open if");
        }
    }

    /// Opens a loop and moves the cursor into its body.
    pub fn push_loop(&mut self) -> Id<Loop> {
        let id = self.shader.loops.push(Loop { body: Vec::new() });
        let list = self.current_list();
        self.shader.list_mut(list).push(CfNode::Loop(id));
        self.open.push(Open::Loop(id));
        self.append_block();
        id
    }

    /// Closes the innermost open loop and moves the cursor after it.
    pub fn pop_loop(&mut self) {
        if let Some(Open::Loop(_)) = self.open.last() {
            self.open.pop();
            self.append_block();
        } else {
            debug_assert!(false, "pop_loop without an open loop");
        }
    }

    /// Ends the block with a jump; does nothing if it already has one.
    pub fn jump(&mut self, jump: Jump) {
        if !self.is_terminated() {
            let instr = self.shader.instrs.push(Instr::Jump(jump));
            self.insert_instr(instr);
        }
    }

    /// A phi at the start of the cursor's block.
    pub fn phi(&mut self, num_components: u8, bits: u8, srcs: &[(Id<Block>, Id<Def>)]) -> Id<Def> {
        let srcs = srcs.iter().copied().collect();
        let (instr, def) = self
            .shader
            .add_instr(num_components, bits, |def| Instr::Phi(Phi { def, srcs }));
        self.shader.blocks[self.block].instrs.insert(0, instr);
        if let Some(at) = &mut self.at {
            *at += 1;
        }
        def
    }

    /// A phi of the values of the two sides of the `if` that `pop_if` has just closed.
    pub fn if_phi(&mut self, then_value: Id<Def>, else_value: Id<Def>) -> Id<Def> {
        let Some(id) = self.last_if else {
            debug_assert!(false, "if_phi without an if");
            return then_value;
        };
        let mut srcs: SmallVec<[(Id<Block>, Id<Def>); 2]> = SmallVec::new();
        for (list, value) in [
            (ListRef::Then(id), then_value),
            (ListRef::Else(id), else_value),
        ] {
            if let Some(b) = self.shader.last_block(list)
                && self.shader.jump_of(b).is_none()
            {
                srcs.push((b, value));
            }
        }
        let def = self.shader.defs[then_value];
        self.phi(def.num_components, def.bit_size, &srcs)
    }
}
