//! Pointers, access chains, loads and stores.

use crate::constants::MAX_LEAVES;
use crate::error::Result;
use crate::reader::Inst;
use crate::state::Tr;
use crate::types::Ty;
use crate::value::{Base, Opaque, Pointer, Step, Value, pointer_bits};
use entity::Id;
use nir::{Access, AluOp, Def, IntrinsicOp, Mode, Type};
use smallvec::SmallVec;
use spirv::{BuiltIn, MemoryAccess, Op, StorageClass};
use std::rc::Rc;

/// A deref and what it points to.
#[derive(Clone, Copy, Debug)]
struct Place {
    def: Id<Def>,
    ty: Id<Type>,
    mode: Mode,
    access: Access,
    /// A column of a row-major matrix: its components do not stand side by side.
    scattered: bool,
}

impl Tr<'_> {
    /// The pointer with this id.
    pub fn pointer(&mut self, id: u32) -> Result<Rc<Pointer>> {
        match self.get(id)? {
            Value::Pointer(p) => Ok(p),
            _ => self.loc().expected("a pointer", format!("%{id}")),
        }
    }

    /// A pointer from the value of one.
    pub fn pointer_value(
        &mut self,
        def: Id<Def>,
        class: StorageClass,
        to: u32,
        stride_bytes: u32,
    ) -> Result<Value> {
        let mode = self.mode_of(class, to)?;
        let ty = self.nir_type(to, self.has_layout(class))?;
        Ok(Value::Pointer(Rc::new(Pointer {
            base: Base::Value {
                def,
                ty,
                stride_bytes,
            },
            steps: SmallVec::new(),
            class,
            mode,
            to,
            access: Access::default(),
            align_bytes: 0,
        })))
    }

    /// Memory instructions; false if `inst` is none.
    pub fn memory_inst(&mut self, inst: &Inst) -> Result<bool> {
        match inst.op {
            Op::Variable => self.local_variable(inst)?,
            Op::Load => {
                let p = self.pointer(inst.arg(0)?)?;
                let p = self.aligned(p, inst.args.get(1..).unwrap_or(&[]));
                let extra = operand_access(inst.args.get(1).copied());
                let v = self.load(&p, extra)?;
                self.set(inst, v)?;
            }
            Op::Store => {
                let p = self.pointer(inst.arg(0)?)?;
                let v = self.get(inst.arg(1)?)?;
                let p = self.aligned(p, inst.args.get(2..).unwrap_or(&[]));
                let extra = operand_access(inst.args.get(2).copied());
                self.store(&p, &v, extra)?;
            }
            Op::CopyMemory => {
                let (to, from) = (self.pointer(inst.arg(0)?)?, self.pointer(inst.arg(1)?)?);
                let first = inst.args.get(2).copied();
                // With two operands, the second one is for the source; it follows the first one's parameters.
                let params = first.map_or(0, |w| {
                    let m = MemoryAccess::from_bits_truncate(w);
                    usize::from(m.contains(MemoryAccess::ALIGNED))
                        + usize::from(m.contains(MemoryAccess::MAKE_POINTER_AVAILABLE))
                        + usize::from(m.contains(MemoryAccess::MAKE_POINTER_VISIBLE))
                });
                let operands = inst.args.get(2..).unwrap_or(&[]);
                let second = inst.args.get(3 + params).copied().or(first);
                let rest = inst.args.get(3 + params..).filter(|rest| !rest.is_empty());
                let from = self.aligned(from, rest.unwrap_or(operands));
                let to = self.aligned(to, operands);
                let v = self.load(&from, operand_access(second))?;
                self.store(&to, &v, operand_access(first))?;
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                let p = self.pointer(inst.arg(0)?)?;
                let v = self.chain(inst, &p, inst.args.get(1..).unwrap_or(&[]))?;
                self.set(inst, v)?;
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let p = self.pointer(inst.arg(0)?)?;
                let p = self.ptr_step(inst, &p)?;
                let v = self.chain(inst, &p, inst.args.get(2..).unwrap_or(&[]))?;
                self.set(inst, v)?;
            }
            Op::ArrayLength => {
                let p = self.pointer(inst.arg(0)?)?;
                let member = inst.arg(1)?;
                let mut p = (*p).clone();
                p.to = match &*self.ty(p.to)? {
                    Ty::Struct { members, .. } => match members.get(member as usize) {
                        Some(&m) => m,
                        None => return inst.loc.expected("a member", member.to_string()),
                    },
                    _ => return inst.loc.expected("a pointer to a struct", "another"),
                };
                if !matches!(&*self.ty(p.to)?, Ty::Array { len: None, .. }) {
                    return inst.loc.expected("a runtime array", format!("%{}", p.to));
                }
                p.steps.push(Step::Struct(member));
                let place = self.place(&p, Access::default())?;
                let n = self.e.value(
                    IntrinsicOp::DerefBufferArrayLength,
                    (1, 32),
                    &[place.def],
                    &[],
                )?;
                self.set(inst, Value::Def(n))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn local_variable(&mut self, inst: &Inst) -> Result<()> {
        let (class, to) = match &*self.ty(inst.ty)? {
            Ty::Pointer { class, to, .. } => (*class, *to),
            _ => {
                return inst.loc.expected("a pointer type", format!("%{}", inst.ty));
            }
        };
        if class != StorageClass::Function {
            return inst
                .loc
                .expected("storage class Function", format!("{class:?}"));
        }
        let ty = self.nir_type(to, false)?;
        self.e.check_room()?;
        let var = self
            .e
            .variable(self.m.name(inst.id), Mode::FunctionTemp, ty);
        let p = Rc::new(Pointer {
            base: Base::Var(var),
            steps: SmallVec::new(),
            class,
            mode: Mode::FunctionTemp,
            to,
            access: Access::default(),
            align_bytes: 0,
        });
        if let Some(&init) = inst.args.get(1) {
            // A call may be inlined into a loop: the variable starts afresh each time.
            let init = self.get(init)?;
            self.store(&p, &init, Access::default())?;
        }
        self.set(inst, Value::Pointer(p))
    }

    /// `p` extended by constant and dynamic indices.
    fn chain(&mut self, inst: &Inst, p: &Pointer, indices: &[u32]) -> Result<Value> {
        let mut p = p.clone();
        for &index in indices {
            match &*self.ty(p.to)? {
                Ty::Struct { id, members } => {
                    let i = self.const_u32(index)?;
                    let Some(&member) = members.get(i as usize) else {
                        return inst.loc.expected("a member", i.to_string());
                    };
                    let more = self.member(*id, i).access;
                    p.access = p.access.union(more);
                    p.to = member;
                    p.steps.push(Step::Struct(i));
                }
                t @ (Ty::Array { .. } | Ty::Vector { .. } | Ty::Matrix { .. }) => {
                    p.to = match t {
                        Ty::Array { elem, .. } | Ty::Vector { elem, .. } => *elem,
                        Ty::Matrix { column, .. } => *column,
                        _ => p.to,
                    };
                    let d = self.def(index)?;
                    let d = self.e.index32(d)?;
                    if self.m.has(index, spirv::Decoration::NonUniform) {
                        p.access.non_uniform = true;
                    }
                    p.steps.push(Step::Array(d));
                }
                _ => return inst.loc.expected("a pointer to a composite", "another"),
            }
            if p.steps.len() > 512 {
                return inst.loc.limit("steps of an access chain", 512);
            }
        }
        if self.m.has(inst.id, spirv::Decoration::NonUniform) {
            p.access.non_uniform = true;
        }
        Ok(Value::Pointer(Rc::new(p)))
    }

    /// The element operand of `OpPtrAccessChain`.
    fn ptr_step(&mut self, inst: &Inst, p: &Pointer) -> Result<Pointer> {
        let index = self.def(inst.arg(1)?)?;
        let index = self.e.index32(index)?;
        let mut p = p.clone();
        if self.e.const_of(index).map(|v| v.as_slice()) == Some(&[0]) {
            return Ok(p);
        }
        let stride_bytes = match &*self.ty(self.type_of(inst.arg(0)?)?)? {
            Ty::Pointer { stride_bytes, .. } => *stride_bytes,
            _ => 0,
        };
        // A pointer to an element of an array moves within that array.
        if let Some(Step::Array(i)) = p.steps.last().copied() {
            let sum = self.e.op2(AluOp::IAdd, i, index)?;
            if let Some(last) = p.steps.last_mut() {
                *last = Step::Array(sum);
            }
        } else {
            p.steps.push(Step::Ptr(index, stride_bytes));
        }
        Ok(p)
    }

    /// Writes the derefs of a pointer.
    fn place(&mut self, p: &Pointer, extra: Access) -> Result<Place> {
        let Some(p) = &self.through_block(p)? else {
            return self
                .loc()
                .expected("memory", "a whole block of a stage's interface");
        };
        let access = p.access.union(extra);
        let (mode, mut def, mut ty) = match p.base {
            Base::Var(v) => {
                let d = self.e.deref_var(v, p.access)?;
                let (mode, ty) = self.e.var_type(v);
                (mode, d, ty)
            }
            Base::Value {
                def,
                ty,
                stride_bytes,
            } => {
                let d = self
                    .e
                    .deref_cast(def, stride_bytes, 0, p.mode, ty, p.access)?;
                (p.mode, d, ty)
            }
            Base::BuiltIn(_) | Base::Block { .. } => {
                return self.loc().expected("memory", "a built-in variable");
            }
        };
        let mut scattered = false;
        for step in &p.steps {
            scattered = false;
            match *step {
                Step::Array(index) => {
                    let next = match self.e.shader.types.get(ty) {
                        Some(Type::Array { elem, .. } | Type::Vector { elem, .. }) => *elem,
                        Some(Type::Matrix {
                            column, row_major, ..
                        }) => {
                            scattered = *row_major;
                            *column
                        }
                        _ => return self.loc().expected("an array to index", "another type"),
                    };
                    def = self.e.deref_array(def, index, mode, next, p.access)?;
                    ty = next;
                }
                Step::Struct(member) => {
                    let next = match self.e.shader.types.get(ty) {
                        Some(Type::Struct { members, .. }) => {
                            members.get(member as usize).map(|m| m.ty)
                        }
                        _ => None,
                    };
                    let Some(next) = next else {
                        return self.loc().expected("a struct member", member.to_string());
                    };
                    def = self.e.deref_struct(def, member, mode, next, p.access)?;
                    ty = next;
                }
                Step::Ptr(index, stride_bytes) => {
                    def =
                        self.e
                            .deref_ptr_as_array(def, index, stride_bytes, mode, ty, p.access)?;
                }
            }
        }
        if p.align_bytes != 0 {
            def = self
                .e
                .deref_cast(def, 0, p.align_bytes, mode, ty, p.access)?;
        }
        Ok(Place {
            def,
            ty,
            mode,
            access,
            scattered,
        })
    }

    /// The deref of a pointer, as a value.
    pub fn pointer_def(&mut self, p: &Pointer) -> Result<Id<Def>> {
        Ok(self.place(p, Access::default())?.def)
    }

    /// The deref of a pointer to a scalar or vector, and the access bits for intrinsics on it.
    pub fn pointer_access(&mut self, p: &Pointer, extra: Access) -> Result<(Id<Def>, u32)> {
        let place = self.place(p, extra)?;
        Ok((place.def, place.access.bits()))
    }

    /// Reads what `p` points to.
    pub fn load(&mut self, p: &Pointer, extra: Access) -> Result<Value> {
        if self.leaves(p.to)? > MAX_LEAVES {
            return self.loc().limit("parts of a value", MAX_LEAVES as usize);
        }
        if let Base::BuiltIn(b) = p.base {
            let v = match b {
                // Demoting changes it, if the shader says that it looks again.
                BuiltIn::HelperInvocation if p.access.volatile || extra.volatile => {
                    self.e
                        .value(IntrinsicOp::IsHelperInvocation, (1, 1), &[], &[])?
                }
                _ => self.builtin(b)?,
            };
            return match p.steps.as_slice() {
                // SampleMask is an array of one.
                [] if matches!(&*self.ty(p.to)?, Ty::Array { .. }) => {
                    Ok(Value::Composite(vec![Value::Def(v)].into()))
                }
                [] => Ok(Value::Def(v)),
                [Step::Array(i)] => Ok(Value::Def(self.e.channel_dynamic(v, *i)?)),
                _ => self
                    .loc()
                    .expected("a component of the built-in", "more steps"),
            };
        }
        match &*self.ty(p.to)? {
            Ty::Image(_) => {
                return Ok(Value::Opaque(Opaque {
                    image: Some(Rc::new(p.clone())),
                    sampler: None,
                }));
            }
            Ty::Sampler => {
                return Ok(Value::Opaque(Opaque {
                    image: None,
                    sampler: Some(Rc::new(p.clone())),
                }));
            }
            Ty::SampledImage(_) => {
                let p = Rc::new(p.clone());
                return Ok(Value::Opaque(Opaque {
                    image: Some(p.clone()),
                    sampler: Some(p),
                }));
            }
            _ => {}
        }
        if self.through_block(p)?.is_none() {
            let mut values = Vec::new();
            for part in self.block_parts(p)? {
                values.push(self.load(&part, extra)?);
            }
            return Ok(Value::Composite(values.into()));
        }
        let place = self.place(p, extra)?;
        self.load_place(place, p.to)
    }

    fn load_place(&mut self, p: Place, to: u32) -> Result<Value> {
        match &*self.ty(to)? {
            Ty::Pointer {
                class,
                to,
                stride_bytes,
            } => {
                let shape = (1, pointer_bits(*class));
                let def = self.e.load(p.def, shape, p.access.bits())?;
                self.pointer_value(def, *class, *to, *stride_bytes)
            }
            Ty::Array { .. } | Ty::Struct { .. } | Ty::Matrix { .. } => {
                let n = self.parts(to)?;
                let mut values = Vec::with_capacity(n as usize);
                for i in 0..n {
                    let (part, ty) = self.part(p, to, i)?;
                    values.push(self.load_place(part, ty)?);
                }
                Ok(Value::Composite(values.into()))
            }
            _ => {
                let shape = self.e.shape_of_type(p.ty);
                if shape != self.shape_of(to)? {
                    return self.loc().expected("the type pointed to", format!("%{to}"));
                }
                if p.scattered {
                    let mut lanes: SmallVec<[Id<Def>; 4]> = SmallVec::new();
                    for i in 0..shape.0 {
                        let lane = self.lane(p, i)?;
                        let d = self.e.load(lane.def, (1, shape.1), p.access.bits())?;
                        lanes.push(d);
                    }
                    return Ok(Value::Def(self.e.vector(&lanes)?));
                }
                let d = self.e.load(p.def, shape, p.access.bits())?;
                Ok(Value::Def(d))
            }
        }
    }

    /// Writes `value` to where `p` points.
    pub fn store(&mut self, p: &Pointer, value: &Value, extra: Access) -> Result<()> {
        if self.leaves(p.to)? > MAX_LEAVES {
            return self.loc().limit("parts of a value", MAX_LEAVES as usize);
        }
        if matches!(p.mode, Mode::Ubo | Mode::PushConst | Mode::ShaderIn) {
            return self
                .loc()
                .expected("storage that can be written", format!("{:?}", p.class));
        }
        if self.through_block(p)?.is_none() {
            let parts = self.block_parts(p)?;
            let Value::Composite(values) = value else {
                return self
                    .loc()
                    .expected("a value of the block's type", "another");
            };
            if parts.len() != values.len() {
                return self
                    .loc()
                    .expected("a value of the block's type", "another");
            }
            for (part, v) in parts.iter().zip(values.iter()) {
                self.store(part, v, extra)?;
            }
            return Ok(());
        }
        let place = self.place(p, extra)?;
        self.store_place(place, p.to, value)
    }

    fn store_place(&mut self, p: Place, to: u32, value: &Value) -> Result<()> {
        match (&*self.ty(to)?, value) {
            (Ty::Pointer { .. }, Value::Pointer(v)) => {
                let def = self.pointer_as_value(v)?;
                self.e.store(p.def, def, p.access.bits())
            }
            (
                Ty::Array { .. } | Ty::Struct { .. } | Ty::Matrix { .. },
                Value::Composite(values),
            ) => {
                let n = self.parts(to)?;
                if values.len() != n as usize {
                    return self
                        .loc()
                        .expected("a value of the type pointed to", "another");
                }
                for (i, v) in values.iter().enumerate() {
                    let (part, ty) = self.part(p, to, i as u32)?;
                    self.store_place(part, ty, v)?;
                }
                Ok(())
            }
            (Ty::Bool | Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }, Value::Def(def)) => {
                let shape = self.e.shape(*def);
                if shape != self.e.shape_of_type(p.ty) {
                    return self.loc().expected(
                        "a value of the type pointed to",
                        format!("{} x {} bits", shape.0, shape.1),
                    );
                }
                if p.scattered {
                    for i in 0..shape.0 {
                        let lane = self.lane(p, i)?;
                        let c = self.e.channel(*def, i)?;
                        self.e.store(lane.def, c, p.access.bits())?;
                    }
                    return Ok(());
                }
                self.e.store(p.def, *def, p.access.bits())
            }
            _ => self
                .loc()
                .expected("a value of the type pointed to", "another"),
        }
    }

    /// Number of elements, columns or members.
    pub fn parts(&self, ty: u32) -> Result<u32> {
        match &*self.ty(ty)? {
            Ty::Array { len: Some(n), .. } => Ok(*n),
            Ty::Array { len: None, .. } => self
                .loc()
                .expected("a value of known size", "a runtime array"),
            Ty::Struct { members, .. } => Ok(members.len() as u32),
            Ty::Matrix { columns, .. } => Ok(u32::from(*columns)),
            _ => self.loc().expected("a composite type", format!("%{ty}")),
        }
    }

    /// Element, column or member `i` of a place of type `to`.
    fn part(&mut self, p: Place, to: u32, i: u32) -> Result<(Place, u32)> {
        let (next, ty) = match (&*self.ty(to)?, self.e.shader.types.get(p.ty)) {
            (Ty::Array { elem, .. }, Some(Type::Array { elem: e, .. })) => (*elem, *e),
            (Ty::Matrix { column, .. }, Some(Type::Matrix { column: c, .. })) => (*column, *c),
            (Ty::Struct { members, .. }, Some(Type::Struct { members: ms, .. })) => {
                match (members.get(i as usize), ms.get(i as usize)) {
                    (Some(&a), Some(b)) => (a, b.ty),
                    _ => return self.loc().expected("a member", i.to_string()),
                }
            }
            _ => return self.loc().expected("the type pointed to", format!("%{to}")),
        };
        let scattered = matches!(
            self.e.shader.types.get(p.ty),
            Some(Type::Matrix {
                row_major: true,
                ..
            })
        );
        let mut access = p.access;
        let def = if let Ty::Struct { id, .. } = &*self.ty(to)? {
            access = access.union(self.member(*id, i).access);
            self.e.deref_struct(p.def, i, p.mode, ty, p.access)?
        } else {
            let index = self.e.imm32(i);
            self.e.deref_array(p.def, index, p.mode, ty, p.access)?
        };
        Ok((
            Place {
                def,
                ty,
                access,
                scattered,
                ..p
            },
            next,
        ))
    }

    /// Component `i` of a vector in memory.
    fn lane(&mut self, p: Place, i: u8) -> Result<Place> {
        let elem = match self.e.shader.types.get(p.ty) {
            Some(Type::Vector { elem, .. }) => *elem,
            _ => return Ok(p),
        };
        let index = self.e.imm32(u32::from(i));
        let def = self.e.deref_array(p.def, index, p.mode, elem, p.access)?;
        Ok(Place {
            def,
            ty: elem,
            scattered: false,
            ..p
        })
    }
}

/// What a memory operand says about access.
fn operand_access(word: Option<u32>) -> Access {
    let m = MemoryAccess::from_bits_truncate(word.unwrap_or(0));
    Access {
        volatile: m.contains(MemoryAccess::VOLATILE),
        coherent: m
            .intersects(MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE),
        ..Access::default()
    }
}
