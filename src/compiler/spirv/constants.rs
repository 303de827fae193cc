//! The values of ids. Constants (specialized) and global variables are translated at their first
//! use.

use crate::error::Result;
use crate::grammar::NewerOp;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::{Ty, add_access};
use crate::value::{IdState, Opaque, Pointer, PointerBase, Value, pointer_bits};
use entity::Id;
use nir::{ConstValue, Def, Type, VariableMode};
use smallvec::{SmallVec, smallvec};
use spirv::{Decoration, Op, StorageClass};
use std::rc::Rc;

/// Maximum number of scalars and vectors in one composite value.
pub(crate) const MAX_LEAVES: u64 = 1 << 16;
/// Maximum number of integers of a data constant: the bytes of the longest instruction.
const MAX_DATA_LEAVES: u64 = 1 << 18;
/// Alignment, in bytes, of blocks of shared memory that do not alias each other.
const SHARED_BLOCK_ALIGN: u32 = 16;

impl Translator<'_> {
    /// The value of an id.
    pub fn value(&mut self, id: u32) -> Result<Value> {
        match self.id_states.get(id as usize) {
            Some(IdState::Value(v)) => Ok(v.clone()),
            Some(IdState::Lazy(index)) => {
                let m = self.module;
                let Some(r) = m.stream.insts.get(*index as usize) else {
                    return self.loc().expected("a value", format!("%{id}"));
                };
                // Marks the id as undefined meanwhile, so that a definition that refers to itself
                // is an error.
                self.set_id_state(id, IdState::Empty);
                let loc = std::mem::replace(&mut self.emit.loc, r.loc());
                let was = self.emit.set_in_prologue(true);
                let v = self.materialize(&m.stream.inst(r));
                self.emit.set_in_prologue(was);
                let v = v?;
                self.check_type(&v, r.ty)?;
                self.emit.loc = loc;
                self.set_id_state(id, IdState::Value(v.clone()));
                Ok(v)
            }
            _ => self
                .loc()
                .expected("a value defined before its use", format!("%{id}")),
        }
    }

    /// The def of an id whose value is a scalar or vector.
    pub fn def(&mut self, id: u32) -> Result<Id<Def>> {
        match self.value(id)? {
            Value::Def(d) => Ok(d),
            _ => self.loc().expected("a scalar or vector", format!("%{id}")),
        }
    }

    /// Sets the value of the result of `inst`, which must match its type.
    pub fn set_result(&mut self, inst: &Inst, mut value: Value) -> Result<()> {
        self.check_type(&value, inst.ty)?;
        // The types of operand and result of OpCopyLogical differ.
        if let Value::Undef(ty) = &mut value {
            *ty = inst.ty;
        }
        self.set_id_state(inst.id, IdState::Value(value));
        Ok(())
    }

    /// Translates a global instruction: a type, constant or variable.
    pub fn global_inst(&mut self, index: u32, inst: &Inst) -> Result<()> {
        if self.type_inst(inst)? {
            return Ok(());
        }
        match inst.op {
            Op::SpecConstantOp => {
                let value = self.spec_constant_op(inst)?;
                self.set_result(inst, value)
            }
            Op::Constant
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::ConstantCompositeReplicateEXT
            | Op::SpecConstantCompositeReplicateEXT
            | Op::Undef
            | Op::Variable
            | Op::UntypedVariableKHR => {
                self.set_id_state(inst.id, IdState::Lazy(index));
                Ok(())
            }
            // Non-semantic instructions may appear between globals.
            _ if self.module.is_non_semantic(inst) => Ok(()),
            // Rejected at its first use.
            _ if inst.id != 0 => {
                self.set_id_state(inst.id, IdState::Lazy(index));
                Ok(())
            }
            _ => inst
                .loc
                .unsupported("this instruction outside of a function"),
        }
    }

    /// Translates the definition of a lazy id.
    pub fn materialize(&mut self, inst: &Inst) -> Result<Value> {
        let spec_id = self.module.decoration_arg(inst.id, Decoration::SpecId);
        if let Some(op) = inst.newer {
            return self.constant_data(inst, spec_id.filter(|_| op == NewerOp::SpecConstantData));
        }
        let chunks = spec_id.and_then(|id| self.specialization.get(&id));
        let spec = chunks.and_then(|chunks| chunks.first().copied());
        match inst.op {
            Op::ConstantTrue | Op::ConstantFalse => {
                let d = self.emit.imm_bool(inst.op == Op::ConstantTrue);
                Ok(Value::Def(d))
            }
            Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let v = match spec {
                    Some(v) => v & 0xffff_ffff != 0,
                    None => inst.op == Op::SpecConstantTrue,
                };
                let d = self.emit.imm_bool(v);
                Ok(Value::Def(d))
            }
            Op::Constant | Op::SpecConstant => {
                let ty = self.ty(inst.ty)?;
                let (Ty::Int { bits, .. } | Ty::Float { bits }) = *ty else {
                    return inst.loc.expected("a number type", format!("%{}", inst.ty));
                };
                let low = u64::from(inst.arg(0)?);
                let literal = if bits == 64 {
                    low | u64::from(inst.arg(1)?) << 32
                } else {
                    low
                };
                let v = spec.unwrap_or(literal);
                let d = self.emit.constant(bits, &[v]);
                Ok(Value::Def(d))
            }
            Op::ConstantComposite | Op::SpecConstantComposite => {
                self.composite_value(inst, inst.args)
            }
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                self.replicated_value(inst)
            }
            Op::ConstantNull => self.null(inst.ty),
            Op::Undef => self.undef(inst.ty),
            Op::Variable | Op::UntypedVariableKHR => self.global_variable(inst),
            Op::ConstantSizeOfEXT => self.descriptor_size(inst),
            Op::ConstantSampler => inst.loc.unsupported("a sampler"),
            _ => inst
                .loc
                .unsupported("this instruction outside of a function"),
        }
    }

    /// The array of integers that are packed in the instruction's words, or in the specialization
    /// of `spec_id`.
    fn constant_data(&mut self, inst: &Inst, spec_id: Option<u32>) -> Result<Value> {
        let &Ty::Array { elem, len, .. } = &*self.ty(inst.ty)? else {
            return inst.loc.expected("an array type", format!("%{}", inst.ty));
        };
        let (Some(len), &Ty::Int { bits, .. }) = (len, &*self.ty(elem)?) else {
            return inst
                .loc
                .expected("an array of integers", format!("%{}", inst.ty));
        };
        if u64::from(len) > MAX_DATA_LEAVES {
            return inst
                .loc
                .limit("constants of an array", MAX_DATA_LEAVES as usize);
        }
        let bytes = len as usize * usize::from(bits / 8);
        let specialized = spec_id.and_then(|id| self.specialization.get(&id));
        let (data, unit): (Vec<u8>, usize) = match specialized {
            Some(chunks) => (
                chunks
                    .iter()
                    .flat_map(|chunk| chunk.to_le_bytes())
                    .collect(),
                8,
            ),
            None => (
                inst.args
                    .iter()
                    .flat_map(|word| word.to_le_bytes())
                    .collect(),
                4,
            ),
        };
        if data.len() != bytes.next_multiple_of(unit) {
            return inst.loc.expected(
                "as many data as the array has",
                format!("{} bytes", data.len()),
            );
        }
        let elements = data.chunks_exact(usize::from(bits / 8)).take(len as usize);
        let values = elements.map(|element| {
            let bytes = element.iter().rev();
            let value = bytes.fold(0, |value, &byte| value << 8 | u64::from(byte));
            Value::Def(self.emit.constant(bits, &[value]))
        });
        let values: Vec<Value> = values.collect();
        Ok(Value::Composite(values.into()))
    }

    /// A value of type `inst.ty`, constructed from its parts.
    pub fn composite_value(&mut self, inst: &Inst, parts: &[u32]) -> Result<Value> {
        if self.leaf_count(inst.ty)? > MAX_LEAVES {
            return inst.loc.limit("parts of a value", MAX_LEAVES as usize);
        }
        let ty = self.ty(inst.ty)?;
        if let Ty::Vector { len, .. } = &*ty {
            let mut lanes: SmallVec<[(Id<Def>, u8); 4]> = smallvec![];
            for &p in parts {
                let d = self.def(p)?;
                let (n, _) = self.emit.shape(d);
                if lanes.len() + usize::from(n) > usize::from(*len) {
                    return inst
                        .loc
                        .expected("as many components as the vector has", "more");
                }
                lanes.extend((0..n).map(|i| (d, i)));
            }
            if lanes.len() != usize::from(*len) {
                return inst.loc.expected(
                    "as many components as the vector has",
                    lanes.len().to_string(),
                );
            }
            let (_, bits) = self.shape_of(inst.ty)?;
            return Ok(Value::Def(self.emit.vec_from_channels(&lanes, bits)?));
        }
        let mut values = Vec::with_capacity(parts.len());
        for &p in parts {
            values.push(self.value(p)?);
        }
        Ok(Value::Composite(values.into()))
    }

    /// A value of type `inst.ty`, all of whose parts are the operand.
    pub fn replicated_value(&mut self, inst: &Inst) -> Result<Value> {
        if self.leaf_count(inst.ty)? > MAX_LEAVES {
            return inst.loc.limit("parts of a value", MAX_LEAVES as usize);
        }
        let n = match &*self.ty(inst.ty)? {
            Ty::Vector { len, .. } => usize::from(*len),
            Ty::Matrix { columns, .. } => usize::from(*columns),
            Ty::Array { len: Some(len), .. } => *len as usize,
            Ty::Struct { members, .. } => members.len(),
            _ => {
                return inst
                    .loc
                    .expected("a composite type", format!("%{}", inst.ty));
            }
        };
        self.composite_value(inst, &vec![inst.arg(0)?; n])
    }

    /// The null value of a type.
    pub fn null(&mut self, id: u32) -> Result<Value> {
        if self.leaf_count(id)? > MAX_LEAVES {
            return self.loc().limit("parts of a value", MAX_LEAVES as usize);
        }
        Ok(match &*self.ty(id)? {
            Ty::Matrix { column, columns } => {
                let v = self.null(*column)?;
                Value::Composite(vec![v; usize::from(*columns)].into())
            }
            Ty::Array {
                elem,
                len: Some(len),
                ..
            } => {
                let v = self.null(*elem)?;
                Value::Composite(vec![v; *len as usize].into())
            }
            Ty::Struct { members, .. } => {
                let mut values = Vec::with_capacity(members.len());
                for &m in members {
                    values.push(self.null(m)?);
                }
                Value::Composite(values.into())
            }
            Ty::Pointer {
                class,
                to,
                stride_bytes,
            } => {
                let bits = pointer_bits(*class);
                // The value of a null pointer must differ from all resource handles.
                let null = if bits == 32 { u32::MAX.into() } else { 0 };
                let def = self.emit.constant(bits, &[null]);
                self.pointer_value(def, *class, *to, *stride_bytes)?
            }
            _ => {
                let (n, bits) = self.shape_of(id)?;
                let zeros: SmallVec<[u64; 4]> = smallvec![0; usize::from(n)];
                Value::Def(self.emit.constant(bits, &zeros))
            }
        })
    }

    /// An undefined value of a type. Arrays and structs, which may be of any size, are expanded
    /// where a part is used.
    pub fn undef(&mut self, id: u32) -> Result<Value> {
        Ok(match &*self.ty(id)? {
            Ty::Array { .. } | Ty::Struct { .. } => Value::Undef(id),
            Ty::Matrix { column, columns } => {
                let v = self.undef(*column)?;
                Value::Composite(vec![v; usize::from(*columns)].into())
            }
            Ty::Image(_) | Ty::Sampler | Ty::SampledImage(_) => Value::Opaque(Opaque::default()),
            Ty::Pointer {
                class,
                to,
                stride_bytes,
            } => {
                let def = self.emit.undef(1, pointer_bits(*class));
                self.pointer_value(def, *class, *to, *stride_bytes)?
            }
            _ => {
                let (n, bits) = self.shape_of(id)?;
                Value::Def(self.emit.undef(n, bits))
            }
        })
    }

    /// Part `i` of an undefined array or struct.
    pub fn undef_part(&mut self, ty: u32, i: u32) -> Result<Value> {
        let part = match &*self.ty(ty)? {
            Ty::Array { elem, len, .. } if len.is_none_or(|len| i < len) => Some(*elem),
            Ty::Struct { members, .. } => members.get(i as usize).copied(),
            _ => None,
        };
        match part {
            Some(part) => self.undef(part),
            None => self.loc().expected("a part", i.to_string()),
        }
    }

    /// All parts of an undefined array or struct.
    pub fn undef_parts(&mut self, ty: u32) -> Result<Vec<Value>> {
        let n = match &*self.ty(ty)? {
            Ty::Array { len: Some(len), .. } => *len,
            Ty::Struct { members, .. } => members.len() as u32,
            _ => {
                return self
                    .loc()
                    .expected("a composite of known size", format!("%{ty}"));
            }
        };
        if u64::from(n) > MAX_LEAVES {
            return self.loc().limit("parts of a value", MAX_LEAVES as usize);
        }
        (0..n).map(|i| self.undef_part(ty, i)).collect()
    }

    /// The value of a constant integer scalar, zero-extended.
    pub fn scalar_const(&mut self, id: u32) -> Result<u64> {
        let def = self.def(id)?;
        match self.emit.const_of(def).map(|v| v.as_slice()) {
            Some(&[v]) => Ok(v),
            _ => self.loc().expected("a constant integer", format!("%{id}")),
        }
    }

    /// The value of a constant integer scalar that must fit in 32 bits.
    pub fn const_u32(&mut self, id: u32) -> Result<u32> {
        let v = self.scalar_const(id)?;
        match u32::try_from(v) {
            Ok(v) => Ok(v),
            Err(_) => self.loc().expected("a constant below 2^32", v.to_string()),
        }
    }

    fn spec_constant_op(&mut self, inst: &Inst) -> Result<Value> {
        let Some(op) = Op::from_u32(inst.arg(0)?) else {
            return inst.loc.expected("an opcode", inst.arg(0)?.to_string());
        };
        let opname = crate::grammar::by_number(op as u32).map_or("SpecConstantOp", |g| g.opname);
        let inner = Inst {
            newer: None,
            op,
            loc: crate::error::Loc {
                at: inst.loc.at,
                op: opname,
            },
            ty: inst.ty,
            id: inst.id,
            args: inst.args.get(1..).unwrap_or(&[]),
        };
        if matches!(
            op,
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain
        ) {
            return inner.loc.unsupported("a constant pointer");
        }
        self.pure_inst(&inner).and_then(|v| {
            v.map_or_else(|| inner.loc.unsupported("a constant of this operation"), Ok)
        })
    }

    fn global_variable(&mut self, inst: &Inst) -> Result<Value> {
        if let Some(heap) = self.heap_variable(inst)? {
            return Ok(heap);
        }
        let (class, to, init) = self.variable_parts(inst)?;
        let m = self.module;
        let mut access = nir::Access::default();
        for d in m.decorations_of_id(inst.id) {
            add_access(&mut access, d.kind);
        }
        let pointer = |base, mode, access| {
            Value::Pointer(Rc::new(Pointer {
                base,
                steps: SmallVec::new(),
                class,
                mode,
                to,
                access,
                align_bytes: 0,
            }))
        };
        if matches!(class, StorageClass::Input | StorageClass::Output) {
            return self.io_variable(inst, class, to);
        }
        let mode = self.variable_mode(class, to)?;
        if !matches!(
            mode,
            VariableMode::ShaderTemp
                | VariableMode::Shared
                | VariableMode::Ssbo
                | VariableMode::Ubo
                | VariableMode::PushConst
                | VariableMode::Uniform
        ) {
            return inst
                .loc
                .unsupported(format!("a variable of class {class:?}"));
        }
        if mode == VariableMode::Ubo {
            access.non_writable = true;
        }
        if let Some(mapped) = self.mapped_variable(inst, (class, to), mode)? {
            return Ok(pointer(PointerBase::Mapped(mapped), mode, access));
        }
        let explicit = self.has_layout(class);
        let ty = self.nir_type(to, explicit)?;
        let mut name = m.name(inst.id);
        if name.is_empty() {
            name = m.name(to);
        }
        let var = self.emit.variable(name, mode, ty);
        let v = self.emit.var_mut(var);
        v.access = access;
        v.set = m
            .decoration_arg(inst.id, Decoration::DescriptorSet)
            .unwrap_or(0);
        v.binding = m.decoration_arg(inst.id, Decoration::Binding).unwrap_or(0);
        if mode == VariableMode::PushConst {
            let end = self.size_bytes(ty);
            let info = &mut self.emit.shader.info;
            info.push_constant_bytes = info.push_constant_bytes.max(end);
        }
        let value = pointer(PointerBase::Var(var), mode, access);
        if let Some(init) = init {
            if mode == VariableMode::Shared {
                if self.leaf_count(to)? > MAX_LEAVES {
                    return inst
                        .loc
                        .limit("parts of an initial value", MAX_LEAVES as usize);
                }
                let zero = self.zero_const(ty);
                self.emit.var_mut(var).init = Some(zero);
            } else if mode == VariableMode::ShaderTemp {
                let init = self.value(init)?;
                let Value::Pointer(p) = &value else {
                    return Ok(value);
                };
                let p = p.clone();
                // The initial value is constant, so that it can be stored in the prologue.
                let was = self.emit.set_in_prologue(true);
                let stored = self.store(&p, &init, nir::Access::default());
                self.emit.set_in_prologue(was);
                stored?;
            }
        }
        Ok(value)
    }

    /// The zero of a NIR type whose size was checked before.
    fn zero_const(&self, ty: Id<Type>) -> ConstValue {
        let types = &self.emit.shader.types;
        match types.get(ty) {
            Some(Type::Array { elem, len, .. }) => {
                let z = self.zero_const(*elem);
                ConstValue::Composite(vec![z; len.unwrap_or(0) as usize])
            }
            Some(Type::Matrix {
                column, columns, ..
            }) => ConstValue::Composite(vec![self.zero_const(*column); usize::from(*columns)]),
            Some(Type::Struct { members, .. }) => {
                ConstValue::Composite(members.iter().map(|m| self.zero_const(m.ty)).collect())
            }
            _ => {
                let (n, _) = self.emit.shape_of_type(ty);
                ConstValue::Vector(smallvec![0; usize::from(n.max(1))])
            }
        }
    }

    /// Places shared variables with explicit layouts: those decorated as aliased share the memory
    /// at the start, the others lie behind it and apart. Sets the bytes of shared memory.
    ///
    /// Ref: SPV_KHR_workgroup_memory_explicit_layout.
    pub fn lay_out_shared_blocks(&mut self) {
        if !self.emit.shader.info.shared_explicit_layout {
            return;
        }
        let vars = self.emit.shader.vars.iter();
        let shared = vars.filter(|(_, v)| v.mode == VariableMode::Shared);
        let blocks = shared.map(|(id, v)| (id, self.size_bytes(v.ty), v.access.aliased));
        let blocks: Vec<_> = blocks.collect();
        let aliased = blocks.iter().filter(|block| block.2);
        let mut end = aliased.map(|block| block.1).max().unwrap_or(0);
        for (id, size_bytes, aliased) in blocks {
            let mut start = 0;
            if !aliased {
                let aligned = end.checked_next_multiple_of(SHARED_BLOCK_ALIGN);
                start = aligned.unwrap_or(u32::MAX);
                end = start.saturating_add(size_bytes);
            }
            self.emit.var_mut(id).offset_bytes = Some(start);
        }
        self.emit.shader.info.shared_bytes = end;
    }

    /// Size, in bytes, of a type with explicit layout, without padding at its end. A runtime array
    /// counts as empty.
    pub fn size_bytes(&self, ty: Id<Type>) -> u32 {
        match self.emit.shader.types.get(ty) {
            Some(Type::Array {
                len, stride_bytes, ..
            }) => len.unwrap_or(0).saturating_mul(*stride_bytes),
            Some(Type::Matrix {
                column,
                columns,
                stride_bytes,
                row_major,
            }) => {
                let rows = u32::from(self.emit.shape_of_type(*column).0);
                let lines = if *row_major {
                    rows
                } else {
                    u32::from(*columns)
                };
                lines.saturating_mul(*stride_bytes)
            }
            Some(Type::Struct { members, .. }) => members
                .iter()
                .map(|m| m.offset_bytes.saturating_add(self.size_bytes(m.ty)))
                .max()
                .unwrap_or(0),
            _ => {
                let (n, bits) = self.emit.shape_of_type(ty);
                u32::from(n) * u32::from(bits) / 8
            }
        }
    }
}
