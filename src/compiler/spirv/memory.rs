//! Pointers, access chains, loads and stores.

use crate::constants::MAX_LEAVES;
use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::{Ty, UNTYPED};
use crate::value::{AccessStep, Opaque, Pointer, PointerBase, Value, pointer_bits};
use entity::Id;
use nir::{Access, AluOp, Def, IntrinsicOp, Type, VariableMode};
use smallvec::SmallVec;
use spirv::{BuiltIn, MemoryAccess, Op, StorageClass};
use std::rc::Rc;

/// A deref and the memory that it points to.
#[derive(Clone, Copy, Debug)]
struct MemRef {
    def: Id<Def>,
    ty: Id<Type>,
    mode: VariableMode,
    access: Access,
    /// A column of a row-major matrix, whose components are not adjacent.
    row_major_column: bool,
}

impl Translator<'_> {
    /// The pointer with this id.
    pub fn pointer(&mut self, id: u32) -> Result<Rc<Pointer>> {
        match self.value(id)? {
            Value::Pointer(p) => Ok(p),
            _ => self.loc().expected("a pointer", format!("%{id}")),
        }
    }

    /// The pointer with the value `def`.
    pub fn pointer_value(
        &mut self,
        def: Id<Def>,
        class: StorageClass,
        to: u32,
        stride_bytes: u32,
    ) -> Result<Value> {
        let mode = self.variable_mode(class, to)?;
        let ty = match to {
            UNTYPED => self.emit.shader.types.intern(Type::Int(32)),
            to => self.nir_type(to, self.has_layout(class))?,
        };
        Ok(Value::Pointer(Rc::new(Pointer {
            base: PointerBase::Value {
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

    /// Memory instructions; false if `inst` is not one.
    pub fn memory_inst(&mut self, inst: &Inst) -> Result<bool> {
        match inst.op {
            Op::Variable | Op::UntypedVariableKHR => self.local_variable(inst)?,
            Op::Load => {
                let p = self.pointer_to(inst.arg(0)?, inst.ty)?;
                let p = self.with_alignment(p, inst.args.get(1..).unwrap_or(&[]));
                let operand_access = memory_operand_access(inst.args.get(1).copied());
                let v = self.load(&p, operand_access)?;
                self.set_result(inst, v)?;
            }
            Op::Store => {
                let p = self.pointer_to(inst.arg(0)?, self.type_of(inst.arg(1)?)?)?;
                let v = self.value(inst.arg(1)?)?;
                let p = self.with_alignment(p, inst.args.get(2..).unwrap_or(&[]));
                let operand_access = memory_operand_access(inst.args.get(2).copied());
                self.store(&p, &v, operand_access)?;
            }
            Op::CopyMemory => {
                let (to, from) = self.copied_pointers(inst.arg(0)?, inst.arg(1)?)?;
                let first = inst.args.get(2).copied();
                // With two memory operands, the second is for the source; it follows the parameters
                // of the first.
                let params = first.map_or(0, |w| {
                    let m = MemoryAccess::from_bits_truncate(w);
                    usize::from(m.contains(MemoryAccess::ALIGNED))
                        + usize::from(m.contains(MemoryAccess::MAKE_POINTER_AVAILABLE))
                        + usize::from(m.contains(MemoryAccess::MAKE_POINTER_VISIBLE))
                });
                let operands = inst.args.get(2..).unwrap_or(&[]);
                let second = inst.args.get(3 + params).copied().or(first);
                let rest = inst.args.get(3 + params..).filter(|rest| !rest.is_empty());
                let from = self.with_alignment(from, rest.unwrap_or(operands));
                let to = self.with_alignment(to, operands);
                let v = self.load(&from, memory_operand_access(second))?;
                self.store(&to, &v, memory_operand_access(first))?;
            }
            Op::CopyMemorySized => self.copy_bytes(inst)?,
            Op::AccessChain | Op::InBoundsAccessChain => {
                let p = self.pointer(inst.arg(0)?)?;
                let v = self.access_chain(inst, &p, inst.args.get(1..).unwrap_or(&[]))?;
                self.set_result(inst, v)?;
            }
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                let p = self.reinterpreted(inst.arg(1)?, inst.arg(0)?)?;
                let v = self.access_chain(inst, &p, inst.args.get(2..).unwrap_or(&[]))?;
                self.set_result(inst, v)?;
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let p = self.pointer(inst.arg(0)?)?;
                let p = self.ptr_access_chain_step(inst.arg(0)?, inst.arg(1)?, &p)?;
                let v = self.access_chain(inst, &p, inst.args.get(2..).unwrap_or(&[]))?;
                self.set_result(inst, v)?;
            }
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => {
                let p = self.reinterpreted(inst.arg(1)?, inst.arg(0)?)?;
                let p = self.ptr_access_chain_step(inst.arg(1)?, inst.arg(2)?, &p)?;
                let v = self.access_chain(inst, &p, inst.args.get(3..).unwrap_or(&[]))?;
                self.set_result(inst, v)?;
            }
            Op::BufferPointerEXT => {
                let v = self.buffer_pointer(inst)?;
                self.set_result(inst, v)?;
            }
            Op::ArrayLength => {
                let p = self.pointer(inst.arg(0)?)?;
                self.runtime_array_length(inst, &p, inst.arg(1)?)?;
            }
            Op::UntypedArrayLengthKHR => {
                let p = self.reinterpreted(inst.arg(1)?, inst.arg(0)?)?;
                self.runtime_array_length(inst, &p, inst.arg(2)?)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The pointer with this id as one to `to`. Uses of untyped pointers say what they point to;
    /// others keep their type.
    pub fn pointer_to(&mut self, id: u32, to: u32) -> Result<Rc<Pointer>> {
        match self.is_untyped(id)? {
            true => self.reinterpreted(id, to),
            false => self.pointer(id),
        }
    }

    /// The pointer with this id as one to `to`, as the base of an untyped access: what it is
    /// declared to point to does not count.
    fn reinterpreted(&mut self, id: u32, to: u32) -> Result<Rc<Pointer>> {
        let p = self.pointer(id)?;
        if p.to == to {
            return Ok(p);
        }
        if matches!(p.base, PointerBase::Heap { .. }) && p.steps.is_empty() {
            let mut p = p;
            Rc::make_mut(&mut p).retype_heap(to);
            return Ok(p);
        }
        if !self.has_layout(p.class) {
            return self
                .loc()
                .unsupported(format!("an untyped pointer to {:?}", p.class));
        }
        let ty = self.nir_type(to, true)?;
        let def = self.pointer_as_value(&p)?;
        Ok(Rc::new(Pointer {
            base: PointerBase::Value {
                def,
                ty,
                stride_bytes: 0,
            },
            steps: SmallVec::new(),
            class: p.class,
            mode: p.mode,
            to,
            access: p.access,
            align_bytes: 0,
        }))
    }

    pub fn is_untyped(&mut self, id: u32) -> Result<bool> {
        let ty = self.type_of(id)?;
        Ok(matches!(&*self.ty(ty)?, Ty::Pointer { to: UNTYPED, .. }))
    }

    /// The pointers of `OpCopyMemory`, of which one may be untyped.
    fn copied_pointers(&mut self, to: u32, from: u32) -> Result<(Rc<Pointer>, Rc<Pointer>)> {
        let (target, source) = (self.pointer(to)?, self.pointer(from)?);
        match self.is_untyped(to)? {
            true => Ok((self.pointer_to(to, source.to)?, source)),
            false => Ok((target.clone(), self.pointer_to(from, target.to)?)),
        }
    }

    /// The number of elements of the runtime array that is the last member of a block.
    fn runtime_array_length(&mut self, inst: &Inst, p: &Pointer, member: u32) -> Result<()> {
        let mut p = p.clone();
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
        p.steps.push(AccessStep::Struct(member));
        let mem = self.memory_ref(&p, Access::default())?;
        let n = self.emit.intrinsic_value(
            IntrinsicOp::DerefBufferArrayLength,
            (1, 32),
            &[mem.def],
            &[],
        )?;
        self.set_result(inst, Value::Def(n))
    }

    /// Storage class, type and initial value of a variable.
    pub fn variable_parts(&mut self, inst: &Inst) -> Result<(StorageClass, u32, Option<u32>)> {
        match &*self.ty(inst.ty)? {
            // An untyped variable names its type before the initial value.
            Ty::Pointer {
                class, to: UNTYPED, ..
            } => Ok((*class, inst.arg(1)?, inst.args.get(2).copied())),
            Ty::Pointer { class, to, .. } => Ok((*class, *to, inst.args.get(1).copied())),
            _ => inst.loc.expected("a pointer type", format!("%{}", inst.ty)),
        }
    }

    fn local_variable(&mut self, inst: &Inst) -> Result<()> {
        let (class, to, init) = self.variable_parts(inst)?;
        if class != StorageClass::Function {
            return inst
                .loc
                .expected("storage class Function", format!("{class:?}"));
        }
        let ty = self.nir_type(to, false)?;
        self.emit.check_size()?;
        let var = self
            .emit
            .variable(self.module.name(inst.id), VariableMode::FunctionTemp, ty);
        let p = Rc::new(Pointer {
            base: PointerBase::Var(var),
            steps: SmallVec::new(),
            class,
            mode: VariableMode::FunctionTemp,
            to,
            access: Access::default(),
            align_bytes: 0,
        });
        if let Some(init) = init {
            // Store the initial value here, because the call may be inlined into a loop.
            let init = self.value(init)?;
            self.store(&p, &init, Access::default())?;
        }
        self.set_result(inst, Value::Pointer(p))
    }

    /// The pointer `p` extended by constant and dynamic indices.
    fn access_chain(&mut self, inst: &Inst, p: &Pointer, indices: &[u32]) -> Result<Value> {
        if p.class == StorageClass::UniformConstant && matches!(p.base, PointerBase::Heap { .. }) {
            let p = self.heap_access_chain(inst, p, indices)?;
            return Ok(Value::Pointer(Rc::new(p)));
        }
        let mut p = p.clone();
        for &index in indices {
            match &*self.ty(p.to)? {
                Ty::Struct { id, members } => {
                    let i = self.const_u32(index)?;
                    let Some(&member) = members.get(i as usize) else {
                        return inst.loc.expected("a member", i.to_string());
                    };
                    let more = self.member_layout(*id, i).access;
                    p.access = p.access.union(more);
                    p.to = member;
                    p.steps.push(AccessStep::Struct(i));
                }
                t @ (Ty::Array { .. } | Ty::Vector { .. } | Ty::Matrix { .. }) => {
                    p.to = match t {
                        Ty::Array { elem, .. } | Ty::Vector { elem, .. } => *elem,
                        Ty::Matrix { column, .. } => *column,
                        _ => p.to,
                    };
                    let d = self.def(index)?;
                    let d = self.emit.index32(d)?;
                    if self
                        .module
                        .has_decoration(index, spirv::Decoration::NonUniform)
                    {
                        p.access.non_uniform = true;
                    }
                    p.steps.push(AccessStep::Array(d));
                }
                _ => return inst.loc.expected("a pointer to a composite", "another"),
            }
            if p.steps.len() > 512 {
                return inst.loc.limit("steps of an access chain", 512);
            }
        }
        if self
            .module
            .has_decoration(inst.id, spirv::Decoration::NonUniform)
        {
            p.access.non_uniform = true;
        }
        Ok(Value::Pointer(Rc::new(p)))
    }

    /// Applies the element operand of `OpPtrAccessChain` to `p`, the pointer with the id `base`.
    fn ptr_access_chain_step(&mut self, base: u32, element: u32, p: &Pointer) -> Result<Pointer> {
        let index = self.def(element)?;
        let index = self.emit.index32(index)?;
        let mut p = p.clone();
        if self.emit.const_of(index).map(|v| v.as_slice()) == Some(&[0]) {
            return Ok(p);
        }
        let (stride_bytes, untyped) = match &*self.ty(self.type_of(base)?)? {
            Ty::Pointer {
                stride_bytes, to, ..
            } => (*stride_bytes, *to == UNTYPED),
            _ => (0, false),
        };
        if p.class == StorageClass::UniformConstant && matches!(p.base, PointerBase::Heap { .. }) {
            return self.heap_element(&p, index, stride_bytes);
        }
        // A pointer to an element of an array moves within that array. The type of an untyped one
        // has the distance of elements, whatever it points to.
        if let Some(AccessStep::Array(i)) = p.steps.last().copied().filter(|_| !untyped) {
            let sum = self.emit.op2(AluOp::IAdd, i, index)?;
            if let Some(last) = p.steps.last_mut() {
                *last = AccessStep::Array(sum);
            }
        } else {
            p.steps.push(AccessStep::Ptr(index, stride_bytes));
        }
        Ok(p)
    }

    /// Emits the derefs of a pointer. `operand_access` is the access of the instruction's memory
    /// operands.
    fn memory_ref(&mut self, p: &Pointer, operand_access: Access) -> Result<MemRef> {
        self.memory_or_sampler_ref(p, operand_access, false)
    }

    /// As [`Self::memory_ref`]. `sampler`: of a combined image sampler, its sampler.
    fn memory_or_sampler_ref(
        &mut self,
        p: &Pointer,
        operand_access: Access,
        sampler: bool,
    ) -> Result<MemRef> {
        let Some(p) = &self.resolve_block_member(p)? else {
            return self
                .loc()
                .expected("memory", "a whole block of a stage's interface");
        };
        let access = p.access.union(operand_access);
        let mut steps = &p.steps[..];
        let (mode, mut def, mut ty) = match p.base {
            PointerBase::Var(v) => {
                let d = self.emit.deref_var(v, p.access)?;
                let (mode, ty) = self.emit.var_type(v);
                (mode, d, ty)
            }
            PointerBase::Mapped(ref resource) => {
                let found = self.resource_deref(resource, p, sampler)?;
                steps = steps.get(found.steps..).unwrap_or(&[]);
                (found.mode, found.def, found.ty)
            }
            PointerBase::Heap { set, offset, ty } => {
                let (def, ty) = self.heap_deref((set, offset), ty, p)?;
                (p.mode, def, ty)
            }
            PointerBase::Value {
                def,
                ty,
                stride_bytes,
            } => {
                let d = self
                    .emit
                    .deref_cast(def, stride_bytes, 0, p.mode, ty, p.access)?;
                (p.mode, d, ty)
            }
            PointerBase::BuiltIn(_) | PointerBase::Block { .. } => {
                return self.loc().expected("memory", "a built-in variable");
            }
        };
        let mut row_major_column = false;
        for step in steps {
            row_major_column = false;
            match *step {
                AccessStep::Array(index) => {
                    let next = match self.emit.shader.types.get(ty) {
                        Some(Type::Array { elem, .. } | Type::Vector { elem, .. }) => *elem,
                        Some(Type::Matrix {
                            column, row_major, ..
                        }) => {
                            row_major_column = *row_major;
                            *column
                        }
                        _ => return self.loc().expected("an array to index", "another type"),
                    };
                    def = self.emit.deref_array(def, index, mode, next, p.access)?;
                    ty = next;
                }
                AccessStep::Struct(member) => {
                    let next = match self.emit.shader.types.get(ty) {
                        Some(Type::Struct { members, .. }) => {
                            members.get(member as usize).map(|m| m.ty)
                        }
                        _ => None,
                    };
                    let Some(next) = next else {
                        return self.loc().expected("a struct member", member.to_string());
                    };
                    def = self.emit.deref_struct(def, member, mode, next, p.access)?;
                    ty = next;
                }
                AccessStep::Ptr(index, stride_bytes) => {
                    def = self.emit.deref_ptr_as_array(
                        def,
                        index,
                        stride_bytes,
                        mode,
                        ty,
                        p.access,
                    )?;
                }
            }
        }
        if p.align_bytes != 0 {
            def = self
                .emit
                .deref_cast(def, 0, p.align_bytes, mode, ty, p.access)?;
        }
        Ok(MemRef {
            def,
            ty,
            mode,
            access,
            row_major_column,
        })
    }

    /// Emits the derefs of a pointer; returns the last.
    pub fn pointer_def(&mut self, p: &Pointer) -> Result<Id<Def>> {
        Ok(self.memory_ref(p, Access::default())?.def)
    }

    /// Emits the derefs of a pointer to a sampler or combined image sampler.
    pub fn sampler_def(&mut self, p: &Pointer) -> Result<Id<Def>> {
        Ok(self.memory_or_sampler_ref(p, Access::default(), true)?.def)
    }

    /// Emits the derefs of a pointer; returns the last and the `access` index for intrinsics on it.
    pub fn pointer_access(
        &mut self,
        p: &Pointer,
        operand_access: Access,
    ) -> Result<(Id<Def>, u32)> {
        let mem = self.memory_ref(p, operand_access)?;
        Ok((mem.def, mem.access.bits()))
    }

    /// Loads the value that `p` points to.
    pub fn load(&mut self, p: &Pointer, operand_access: Access) -> Result<Value> {
        if self.leaf_count(p.to)? > MAX_LEAVES {
            return self.loc().limit("parts of a value", MAX_LEAVES as usize);
        }
        if let PointerBase::BuiltIn(b) = p.base {
            let v = match b {
                // A volatile HelperInvocation reflects demotion.
                BuiltIn::HelperInvocation if p.access.volatile || operand_access.volatile => self
                    .emit
                    .intrinsic_value(IntrinsicOp::IsHelperInvocation, (1, 1), &[], &[])?,
                _ => self.builtin(b)?,
            };
            return match p.steps.as_slice() {
                // SampleMask is an array of one element.
                [] if matches!(&*self.ty(p.to)?, Ty::Array { .. }) => {
                    Ok(Value::Composite(vec![Value::Def(v)].into()))
                }
                [] => Ok(Value::Def(v)),
                [AccessStep::Array(i)] => Ok(Value::Def(self.emit.channel_dynamic(v, *i)?)),
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
        if self.resolve_block_member(p)?.is_none() {
            let mut values = Vec::new();
            for part in self.block_parts(p)? {
                values.push(self.load(&part, operand_access)?);
            }
            return Ok(Value::Composite(values.into()));
        }
        let mem = self.memory_ref(p, operand_access)?;
        self.load_ref(mem, p.to)
    }

    fn load_ref(&mut self, p: MemRef, to: u32) -> Result<Value> {
        match &*self.ty(to)? {
            Ty::Pointer {
                class,
                to,
                stride_bytes,
            } => {
                let shape = (1, pointer_bits(*class));
                let def = self.emit.load(p.def, shape, p.access.bits())?;
                self.pointer_value(def, *class, *to, *stride_bytes)
            }
            Ty::Array { .. } | Ty::Struct { .. } | Ty::Matrix { .. } => {
                let n = self.part_count(to)?;
                let mut values = Vec::with_capacity(n as usize);
                for i in 0..n {
                    let (part, ty) = self.part_ref(p, to, i)?;
                    values.push(self.load_ref(part, ty)?);
                }
                Ok(Value::Composite(values.into()))
            }
            _ => {
                let shape = self.emit.shape_of_type(p.ty);
                if shape != self.shape_of(to)? {
                    return self.loc().expected("the type pointed to", format!("%{to}"));
                }
                if p.row_major_column {
                    let mut lanes: SmallVec<[Id<Def>; 4]> = SmallVec::new();
                    for i in 0..shape.0 {
                        let lane = self.component_ref(p, i)?;
                        let d = self.emit.load(lane.def, (1, shape.1), p.access.bits())?;
                        lanes.push(d);
                    }
                    return Ok(Value::Def(self.emit.vector(&lanes)?));
                }
                let d = self.emit.load(p.def, shape, p.access.bits())?;
                Ok(Value::Def(d))
            }
        }
    }

    /// Stores `value` through `p`.
    pub fn store(&mut self, p: &Pointer, value: &Value, operand_access: Access) -> Result<()> {
        if matches!(
            p.mode,
            VariableMode::Ubo | VariableMode::PushConst | VariableMode::ShaderIn
        ) {
            return self
                .loc()
                .expected("storage that can be written", format!("{:?}", p.class));
        }
        // Memory may keep its contents where the value stored is undefined.
        if let Value::Undef(_) = value {
            return self.check_type(value, p.to);
        }
        if self.resolve_block_member(p)?.is_none() {
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
                self.store(part, v, operand_access)?;
            }
            return Ok(());
        }
        let mem = self.memory_ref(p, operand_access)?;
        self.store_ref(mem, p.to, value)
    }

    fn store_ref(&mut self, p: MemRef, to: u32, value: &Value) -> Result<()> {
        match (&*self.ty(to)?, value) {
            (Ty::Array { .. } | Ty::Struct { .. }, Value::Undef(_)) => Ok(()),
            (Ty::Pointer { .. }, Value::Pointer(v)) => {
                let def = self.pointer_as_value(v)?;
                self.emit.store(p.def, def, p.access.bits())
            }
            (
                Ty::Array { .. } | Ty::Struct { .. } | Ty::Matrix { .. },
                Value::Composite(values),
            ) => {
                let n = self.part_count(to)?;
                if values.len() != n as usize {
                    return self
                        .loc()
                        .expected("a value of the type pointed to", "another");
                }
                for (i, v) in values.iter().enumerate() {
                    let (part, ty) = self.part_ref(p, to, i as u32)?;
                    self.store_ref(part, ty, v)?;
                }
                Ok(())
            }
            (Ty::Bool | Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }, Value::Def(def)) => {
                let shape = self.emit.shape(*def);
                if shape != self.emit.shape_of_type(p.ty) {
                    return self.loc().expected(
                        "a value of the type pointed to",
                        format!("{} x {} bits", shape.0, shape.1),
                    );
                }
                if p.row_major_column {
                    for i in 0..shape.0 {
                        let lane = self.component_ref(p, i)?;
                        let c = self.emit.channel(*def, i)?;
                        self.emit.store(lane.def, c, p.access.bits())?;
                    }
                    return Ok(());
                }
                self.emit.store(p.def, *def, p.access.bits())
            }
            _ => self
                .loc()
                .expected("a value of the type pointed to", "another"),
        }
    }

    /// Number of elements, columns or members of a composite type.
    pub fn part_count(&self, ty: u32) -> Result<u32> {
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

    /// Element, column or member `i` of an object of type `to`, and its type.
    fn part_ref(&mut self, p: MemRef, to: u32, i: u32) -> Result<(MemRef, u32)> {
        let (next, ty) = match (&*self.ty(to)?, self.emit.shader.types.get(p.ty)) {
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
        let row_major_column = matches!(
            self.emit.shader.types.get(p.ty),
            Some(Type::Matrix {
                row_major: true,
                ..
            })
        );
        let mut access = p.access;
        let def = if let Ty::Struct { id, .. } = &*self.ty(to)? {
            access = access.union(self.member_layout(*id, i).access);
            self.emit.deref_struct(p.def, i, p.mode, ty, p.access)?
        } else {
            let index = self.emit.imm32(i);
            self.emit.deref_array(p.def, index, p.mode, ty, p.access)?
        };
        Ok((
            MemRef {
                def,
                ty,
                access,
                row_major_column,
                ..p
            },
            next,
        ))
    }

    /// Component `i` of a vector in memory.
    fn component_ref(&mut self, p: MemRef, i: u8) -> Result<MemRef> {
        let elem = match self.emit.shader.types.get(p.ty) {
            Some(Type::Vector { elem, .. }) => *elem,
            _ => return Ok(p),
        };
        let index = self.emit.imm32(u32::from(i));
        let def = self
            .emit
            .deref_array(p.def, index, p.mode, elem, p.access)?;
        Ok(MemRef {
            def,
            ty: elem,
            row_major_column: false,
            ..p
        })
    }
}

/// The access qualifiers of a memory operand.
pub(crate) fn memory_operand_access(word: Option<u32>) -> Access {
    let m = MemoryAccess::from_bits_truncate(word.unwrap_or(0));
    Access {
        volatile: m.contains(MemoryAccess::VOLATILE),
        coherent: m
            .intersects(MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE),
        ..Access::default()
    }
}
