//! The emitter: builds NIR's control-flow lists and instructions, and reloads values that are used
//! where they are not visible.
//!
//! In:  operations, lists opened and closed in nesting order.
//! Out: a [`Shader`].
//!
//! A value is visible in the list that contains its definition and in the lists nested in that one.
//! Elsewhere (for example a value of a loop's body that is used after the loop) it goes through a
//! variable: a load is emitted at the use, and a store after the definition when the shader is
//! finished. `lower_vars_to_ssa` turns these variables into phis. Constants and system values are
//! defined at the start of the shader and are visible everywhere.
#![expect(
    clippy::indexing_slicing,
    reason = "ids come from the shader's own arenas, never from the module"
)]

use crate::error::{Loc, Result};
use entity::{Id, IdMap};
use nir::{
    Access, Block, CfList, CfNode, ConstValue, Def, Deref, DerefKind, If, Instr, Intrinsic,
    IntrinsicOp, Jump, Loop, Shader, Type, Variable, VariableMode,
};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Maximum number of instructions of a shader after inlining.
const MAX_INSTRS: usize = 1 << 19;
/// Maximum nesting of lists: SPIR-V's "Universal Limits", with room for guards.
const MAX_NESTING: usize = 1200;

#[derive(Clone, Copy, Debug, Default)]
/// Where a def is visible.
struct DefSite {
    /// Position in the stack of open lists.
    depth: u32,
    /// Serial number of the list; 0 for the start of the shader.
    serial: u32,
    /// Variable through which the value is used where it is not visible.
    spill: Option<Id<Variable>>,
}

#[derive(Debug)]
struct OpenList {
    serial: u32,
    nodes: CfList,
    block: Id<Block>,
    /// Derefs emitted in `block`, to share those of a chain that is used twice.
    derefs: FxHashMap<DerefKey, Id<Def>>,
    /// Loads of spilled values in `block`.
    reloads: FxHashMap<Id<Def>, Id<Def>>,
    /// After a jump: a block in no list, which receives the unreachable code.
    dead_block: Option<Id<Block>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum DerefKey {
    Var(Id<Variable>, Access),
    Array(Id<Def>, Id<Def>, Access),
    Ptr(Id<Def>, Id<Def>, u32, Access),
    Struct(Id<Def>, u32, Access),
}

/// The emitter.
#[derive(Debug)]
pub(crate) struct Emitter {
    pub shader: Shader,
    /// Location that errors are reported at.
    pub loc: Loc,
    open: Vec<OpenList>,
    serial: u32,
    def_sites: IdMap<Def, DefSite>,
    /// Values that need a variable, in order of the first such use.
    spills: Vec<(Id<Def>, Id<Variable>)>,
    consts: FxHashMap<(u8, SmallVec<[u64; 4]>), Id<Def>>,
    const_block: Id<Block>,
    /// System values and values computed only from them.
    prologue: Id<Block>,
    in_prologue: bool,
    /// NoContraction of the instruction being translated.
    pub exact: bool,
    /// The instructions emitted preserve NaN, infinities and the sign of zero.
    pub preserve_nan_inf_sz: bool,
}

impl Emitter {
    pub fn new(mut shader: Shader, loc: Loc) -> Emitter {
        let const_block = shader.blocks.push(Block::default());
        let prologue = shader.blocks.push(Block::default());
        let mut e = Emitter {
            shader,
            loc,
            open: Vec::new(),
            serial: 0,
            def_sites: IdMap::default(),
            spills: Vec::new(),
            consts: FxHashMap::default(),
            const_block,
            prologue,
            in_prologue: false,
            exact: false,
            preserve_nan_inf_sz: false,
        };
        e.push_list();
        e
    }

    fn push_list(&mut self) {
        self.serial += 1;
        let block = self.shader.blocks.push(Block::default());
        self.open.push(OpenList {
            serial: self.serial,
            nodes: Vec::new(),
            block,
            derefs: FxHashMap::default(),
            reloads: FxHashMap::default(),
            dead_block: None,
        });
    }

    /// Fails if the shader has too many variables or blocks, as recursive inlining can cause.
    pub fn check_size(&self) -> Result<()> {
        if self.shader.vars.len() >= MAX_INSTRS || self.shader.blocks.len() >= MAX_INSTRS {
            return self
                .loc
                .limit("variables or blocks after inlining", MAX_INSTRS);
        }
        Ok(())
    }

    /// Opens a list inside the current one.
    pub fn open_list(&mut self) -> Result<()> {
        if self.open.len() >= MAX_NESTING {
            return self.loc.limit("nested control flow", MAX_NESTING);
        }
        self.check_size()?;
        self.push_list();
        Ok(())
    }

    /// Closes and returns the innermost open list.
    pub fn close_list(&mut self) -> CfList {
        match self.open.pop() {
            Some(mut o) => {
                o.nodes.push(CfNode::Block(o.block));
                o.nodes
            }
            None => Vec::new(),
        }
    }

    fn push_node(&mut self, node: CfNode) {
        let next = self.shader.blocks.push(Block::default());
        if let Some(o) = self.open.last_mut() {
            if o.dead_block.is_some() {
                return;
            }
            o.nodes.push(CfNode::Block(o.block));
            o.nodes.push(node);
            o.block = next;
            o.derefs.clear();
            o.reloads.clear();
        }
    }

    /// Appends an `if` to the current list. `cond` must come from [`Emitter::make_visible`], called
    /// before its arms were opened.
    pub fn add_if(&mut self, cond: Id<Def>, then_list: CfList, else_list: CfList) {
        let id = self.shader.ifs.push(If {
            cond,
            then_list,
            else_list,
        });
        self.push_node(CfNode::If(id));
    }

    pub fn add_loop(&mut self, body: CfList) {
        let id = self.shader.loops.push(Loop { body });
        self.push_node(CfNode::Loop(id));
    }

    /// An empty list, for an arm that does nothing.
    pub fn empty_list(&mut self) -> CfList {
        vec![CfNode::Block(self.shader.blocks.push(Block::default()))]
    }

    /// Ends the current block; the list must be closed next.
    pub fn jump(&mut self, jump: Jump) -> Result<()> {
        self.insert(Instr::Jump(jump))?;
        let dead_block = self.shader.blocks.push(Block::default());
        if let Some(o) = self.open.last_mut() {
            o.dead_block.get_or_insert(dead_block);
            o.derefs.clear();
            o.reloads.clear();
        }
        Ok(())
    }

    /// Sets whether instructions are emitted to the start of the shader, where they may use only
    /// constants and each other. Returns the previous setting.
    pub fn set_in_prologue(&mut self, in_prologue: bool) -> bool {
        std::mem::replace(&mut self.in_prologue, in_prologue)
    }

    fn insert(&mut self, instr: Instr) -> Result<Id<Instr>> {
        if self.shader.instrs.len() >= MAX_INSTRS {
            return self.loc.limit("instructions after inlining", MAX_INSTRS);
        }
        let block = if self.in_prologue {
            self.prologue
        } else {
            self.open
                .last()
                .map_or(self.prologue, |o| o.dead_block.unwrap_or(o.block))
        };
        let id = self.shader.instrs.push(instr);
        self.shader.blocks[block].instrs.push(id);
        Ok(id)
    }

    /// A def that the next instruction inserted will define.
    fn def(&mut self, num_components: u8, bit_size: u8) -> Id<Def> {
        let id = self.shader.defs.push(Def {
            instr: self.shader.instrs.next_id(),
            num_components,
            bit_size,
        });
        self.def_sites[id] = if self.in_prologue {
            DefSite::default()
        } else {
            DefSite {
                depth: self.open.len().saturating_sub(1) as u32,
                serial: self.open.last().map_or(0, |o| o.serial),
                spill: None,
            }
        };
        id
    }

    /// (components, bits) of a def.
    pub fn shape(&self, def: Id<Def>) -> (u8, u8) {
        let d = &self.shader.defs[def];
        (d.num_components, d.bit_size)
    }

    /// The bit patterns of `def` if it is a constant.
    pub fn const_of(&self, def: Id<Def>) -> Option<&SmallVec<[u64; 4]>> {
        match self.shader.instrs.get(self.shader.defs[def].instr) {
            Some(Instr::Const { values, .. }) => Some(values),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&mut self, bits: u8, values: &[u64]) -> Id<Def> {
        let mask = mask(bits);
        let values: SmallVec<[u64; 4]> = values.iter().map(|v| v & mask).collect();
        if let Some(&def) = self.consts.get(&(bits, values.clone())) {
            return def;
        }
        let def = self.shader.defs.push(Def {
            instr: self.shader.instrs.next_id(),
            num_components: values.len() as u8,
            bit_size: bits,
        });
        self.consts.insert((bits, values.clone()), def);
        let id = self.shader.instrs.push(Instr::Const { def, values });
        self.shader.blocks[self.const_block].instrs.push(id);
        def
    }

    pub fn imm32(&mut self, v: u32) -> Id<Def> {
        self.constant(32, &[u64::from(v)])
    }

    pub fn imm_bool(&mut self, v: bool) -> Id<Def> {
        self.constant(1, &[u64::from(v)])
    }

    pub fn undef(&mut self, components: u8, bits: u8) -> Id<Def> {
        let def = self.shader.defs.push(Def {
            instr: self.shader.instrs.next_id(),
            num_components: components,
            bit_size: bits,
        });
        let id = self.shader.instrs.push(Instr::Undef { def });
        self.shader.blocks[self.const_block].instrs.push(id);
        def
    }

    /// `def`, or a reload of it, whichever can be used in the current list.
    pub fn make_visible(&mut self, def: Id<Def>) -> Result<Id<Def>> {
        let site = self.def_sites[def];
        if self.in_prologue && site.serial != 0 {
            return self.loc.expected("a constant", "a value computed later");
        }
        if site.serial == 0
            || self
                .open
                .get(site.depth as usize)
                .is_some_and(|o| o.serial == site.serial)
        {
            return Ok(def);
        }
        if let Some(&reload) = self.open.last().and_then(|o| o.reloads.get(&def)) {
            return Ok(reload);
        }
        let (components, bits) = self.shape(def);
        let var = match site.spill {
            Some(v) => v,
            None => {
                let ty = self.plain_type(components, bits);
                let v = self.variable(String::new(), VariableMode::FunctionTemp, ty);
                self.def_sites[def].spill = Some(v);
                self.spills.push((def, v));
                v
            }
        };
        let reload = self.load_var(var)?;
        if let Some(o) = self.open.last_mut() {
            o.reloads.insert(def, reload);
        }
        Ok(reload)
    }

    /// The type of a variable for values of this shape.
    fn plain_type(&mut self, components: u8, bits: u8) -> Id<Type> {
        let types = &mut self.shader.types;
        let elem = types.intern(if bits == 1 {
            Type::Bool
        } else {
            Type::Int(bits)
        });
        if components == 1 {
            elem
        } else {
            types.intern(Type::Vector {
                elem,
                len: components,
            })
        }
    }

    pub fn bool_type(&mut self) -> Id<Type> {
        self.shader.types.intern(Type::Bool)
    }

    pub fn variable(&mut self, name: String, mode: VariableMode, ty: Id<Type>) -> Id<Variable> {
        self.shader.vars.push(Variable {
            name,
            mode,
            ty,
            set: 0,
            binding: 0,
            io: None,
            access: Access::default(),
            init: None::<ConstValue>,
            offset_bytes: None,
        })
    }

    /// A variable, to set fields that [`Emitter::variable`] leaves empty.
    pub fn var_mut(&mut self, var: Id<Variable>) -> &mut Variable {
        &mut self.shader.vars[var]
    }

    /// Storage and type of a variable.
    pub fn var_type(&self, var: Id<Variable>) -> (VariableMode, Id<Type>) {
        (self.shader.vars[var].mode, self.shader.vars[var].ty)
    }

    // --- derefs

    fn deref(
        &mut self,
        key: Option<DerefKey>,
        kind: DerefKind,
        mode: VariableMode,
        ty: Id<Type>,
        access: Access,
    ) -> Result<Id<Def>> {
        let key = key.filter(|_| !self.in_prologue);
        if let Some(key) = key
            && let Some(&def) = self.open.last().and_then(|o| o.derefs.get(&key))
        {
            return Ok(def);
        }
        let def = self.def(1, 32);
        self.insert(Instr::Deref(Deref {
            def,
            kind,
            mode,
            ty,
            access,
        }))?;
        if let (Some(key), Some(o)) = (key, self.open.last_mut()) {
            o.derefs.insert(key, def);
        }
        Ok(def)
    }

    pub fn deref_var(&mut self, var: Id<Variable>, access: Access) -> Result<Id<Def>> {
        let (mode, ty) = (self.shader.vars[var].mode, self.shader.vars[var].ty);
        let key = DerefKey::Var(var, access);
        self.deref(Some(key), DerefKind::Var(var), mode, ty, access)
    }

    pub fn deref_array(
        &mut self,
        parent: Id<Def>,
        index: Id<Def>,
        mode: VariableMode,
        ty: Id<Type>,
        access: Access,
    ) -> Result<Id<Def>> {
        let key = DerefKey::Array(parent, index, access);
        let index = self.make_visible(index)?;
        self.deref(
            Some(key),
            DerefKind::Array { parent, index },
            mode,
            ty,
            access,
        )
    }

    pub fn deref_ptr_as_array(
        &mut self,
        parent: Id<Def>,
        index: Id<Def>,
        stride_bytes: u32,
        mode: VariableMode,
        ty: Id<Type>,
        access: Access,
    ) -> Result<Id<Def>> {
        let key = DerefKey::Ptr(parent, index, stride_bytes, access);
        let index = self.make_visible(index)?;
        let kind = DerefKind::PtrAsArray {
            parent,
            index,
            stride_bytes,
        };
        self.deref(Some(key), kind, mode, ty, access)
    }

    pub fn deref_struct(
        &mut self,
        parent: Id<Def>,
        member: u32,
        mode: VariableMode,
        ty: Id<Type>,
        access: Access,
    ) -> Result<Id<Def>> {
        let key = DerefKey::Struct(parent, member, access);
        self.deref(
            Some(key),
            DerefKind::Struct { parent, member },
            mode,
            ty,
            access,
        )
    }

    pub fn deref_cast(
        &mut self,
        value: Id<Def>,
        stride_bytes: u32,
        align_bytes: u32,
        mode: VariableMode,
        ty: Id<Type>,
        access: Access,
    ) -> Result<Id<Def>> {
        let parent = self.make_visible(value)?;
        let kind = DerefKind::Cast {
            parent,
            stride_bytes,
            align_bytes,
        };
        self.deref(None, kind, mode, ty, access)
    }

    // --- intrinsics

    /// Emits an intrinsic; `shape` is (components, bits) of its result, `None` if it has none.
    pub fn intrinsic(
        &mut self,
        op: IntrinsicOp,
        shape: Option<(u8, u8)>,
        srcs: &[Id<Def>],
        indices: &[u32],
    ) -> Result<Option<Id<Def>>> {
        let mut visible: SmallVec<[Id<Def>; 4]> = smallvec![];
        for &s in srcs {
            visible.push(self.make_visible(s)?);
        }
        let def = shape.map(|(c, b)| self.def(c, b));
        self.insert(Instr::Intrinsic(Intrinsic {
            op,
            def,
            srcs: visible,
            indices: indices.iter().copied().collect(),
        }))?;
        Ok(def)
    }

    /// Emits a texture instruction; sets its def and makes its operands visible.
    pub fn tex(&mut self, mut t: nir::Tex, shape: (u8, u8)) -> Result<Id<Def>> {
        for s in &mut t.srcs {
            s.1 = self.make_visible(s.1)?;
        }
        t.def = self.def(shape.0, shape.1);
        let def = t.def;
        self.insert(Instr::Tex(t))?;
        Ok(def)
    }

    /// Emits an intrinsic with a result.
    pub fn intrinsic_value(
        &mut self,
        op: IntrinsicOp,
        shape: (u8, u8),
        srcs: &[Id<Def>],
        indices: &[u32],
    ) -> Result<Id<Def>> {
        match self.intrinsic(op, Some(shape), srcs, indices)? {
            Some(def) => Ok(def),
            None => self.loc.invalid("has no result"),
        }
    }

    pub fn load(&mut self, deref: Id<Def>, shape: (u8, u8), access: u32) -> Result<Id<Def>> {
        self.intrinsic_value(IntrinsicOp::LoadDeref, shape, &[deref], &[access])
    }

    pub fn store(&mut self, deref: Id<Def>, value: Id<Def>, access: u32) -> Result<()> {
        let (components, _) = self.shape(value);
        let mask = (1u32 << components) - 1;
        self.intrinsic(
            IntrinsicOp::StoreDeref,
            None,
            &[deref, value],
            &[mask, access],
        )?;
        Ok(())
    }

    /// Loads a variable of scalar or vector type.
    pub fn load_var(&mut self, var: Id<Variable>) -> Result<Id<Def>> {
        let shape = self.shape_of_type(self.shader.vars[var].ty);
        let deref = self.deref_var(var, Access::default())?;
        self.load(deref, shape, 0)
    }

    pub fn store_var(&mut self, var: Id<Variable>, value: Id<Def>) -> Result<()> {
        let deref = self.deref_var(var, Access::default())?;
        self.store(deref, value, 0)
    }

    /// (components, bits) of a scalar, vector or pointer type; (0, 0) for others.
    pub fn shape_of_type(&self, ty: Id<Type>) -> (u8, u8) {
        match self.shader.types.get(ty) {
            Some(Type::Bool) => (1, 1),
            Some(Type::Int(b) | Type::Float(b)) => (1, *b),
            Some(Type::Vector { elem, len }) => (*len, self.shape_of_type(*elem).1),
            Some(Type::Pointer { .. }) => (1, 32),
            _ => (0, 0),
        }
    }

    // --- ALU

    /// Inserts an ALU instruction whose operands are visible.
    pub fn insert_alu(&mut self, mut alu: nir::Alu, components: u8, bits: u8) -> Result<Id<Def>> {
        alu.def = self.def(components, bits);
        let def = alu.def;
        self.insert(Instr::Alu(alu))?;
        Ok(def)
    }

    // --- end

    /// Emits the stores of spilled values and returns the shader.
    pub fn finish(mut self) -> Shader {
        self.store_spills();
        let body = self.close_list();
        let mut start = std::mem::take(&mut self.shader.blocks[self.const_block].instrs);
        start.append(&mut self.shader.blocks[self.prologue].instrs);
        if let Some(CfNode::Block(first)) = body.first() {
            let first = *first;
            start.append(&mut self.shader.blocks[first].instrs);
            self.shader.blocks[first].instrs = start;
        }
        self.shader.body = body;
        self.shader
    }

    fn store_spills(&mut self) {
        if self.spills.is_empty() {
            return;
        }
        let mut after: FxHashMap<Id<Instr>, SmallVec<[Id<Instr>; 2]>> = FxHashMap::default();
        for (def, var) in std::mem::take(&mut self.spills) {
            let (components, _) = self.shape(def);
            let owner = self.shader.defs[def].instr;
            let (mode, ty) = (self.shader.vars[var].mode, self.shader.vars[var].ty);
            let pointer = self.shader.defs.push(Def {
                instr: self.shader.instrs.next_id(),
                num_components: 1,
                bit_size: 32,
            });
            let deref = self.shader.instrs.push(Instr::Deref(Deref {
                def: pointer,
                kind: DerefKind::Var(var),
                mode,
                ty,
                access: Access::default(),
            }));
            let store = self.shader.instrs.push(Instr::Intrinsic(Intrinsic {
                op: IntrinsicOp::StoreDeref,
                def: None,
                srcs: smallvec![pointer, def],
                indices: smallvec![(1 << components) - 1, 0],
            }));
            after.entry(owner).or_default().extend([deref, store]);
        }
        for id in self.shader.blocks.ids() {
            let instrs = &self.shader.blocks[id].instrs;
            if instrs.iter().any(|i| after.contains_key(i)) {
                let mut out = Vec::with_capacity(instrs.len() + 2);
                for i in instrs {
                    out.push(*i);
                    out.extend(after.get(i).into_iter().flatten().copied());
                }
                self.shader.blocks[id].instrs = out;
            }
        }
    }
}

/// A mask of the low `bits` bits.
pub(crate) fn mask(bits: u8) -> u64 {
    match bits {
        64.. => u64::MAX,
        b => (1 << b) - 1,
    }
}
