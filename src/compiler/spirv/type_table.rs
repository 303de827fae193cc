//! The table of SPIR-V types, and their translation to NIR data types.
//!
//! In:  type instructions, decorations of their members. Out: [`Ty`] by id, [`nir::Type`]s, type
//!      checks of values. Types of buffer blocks keep their explicit layout (Offset, ArrayStride,
//!      MatrixStride, RowMajor); variables of an invocation or workgroup get types without layout.

use crate::error::{Loc, Result};
use crate::module::Module;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::{ImageTy, MatrixLayout, MemberLayout, Ty, TyEntry, UNTYPED, add_access};
use crate::value::{Value, pointer_bits};
use entity::Id;
use nir::{BaseType, Dim, StructMember, Type, VariableMode};
use spirv::{Decoration, Op, StorageClass};
use std::rc::Rc;

/// Maximum nesting depth of types: SPIR-V's "Universal Limits" on structure nesting.
const MAX_DEPTH: u32 = 255;

impl Translator<'_> {
    /// The type with this id.
    pub fn ty(&self, id: u32) -> Result<Rc<Ty>> {
        match self.types.get(id as usize).and_then(|t| t.as_ref()) {
            Some(t) => Ok(t.ty.clone()),
            None => self.loc().expected("a type", format!("%{id}")),
        }
    }

    /// The type of the value with this id.
    pub fn type_of(&self, id: u32) -> Result<u32> {
        match self.module.stream.def(id) {
            Some(r) if r.ty != 0 => Ok(r.ty),
            _ => self.loc().expected("a value", format!("%{id}")),
        }
    }

    /// (components, bits) of a scalar or vector type; a pointer counts as one scalar of
    /// [`pointer_bits`].
    pub fn shape_of(&self, id: u32) -> Result<(u8, u8)> {
        match &*self.ty(id)? {
            Ty::Bool => Ok((1, 1)),
            Ty::Int { bits, .. } | Ty::Float { bits } => Ok((1, *bits)),
            Ty::Vector { elem, len } => Ok((*len, self.shape_of(*elem)?.1)),
            Ty::Pointer { class, .. } => Ok((1, pointer_bits(*class))),
            _ => self
                .loc()
                .expected("a scalar or vector type", format!("%{id}")),
        }
    }

    /// The scalar type of a scalar, vector or matrix type.
    pub fn scalar_of(&self, id: u32) -> Result<Rc<Ty>> {
        let t = self.ty(id)?;
        match &*t {
            Ty::Vector { elem, .. } => self.ty(*elem),
            Ty::Matrix { column, .. } => self.scalar_of(*column),
            _ => Ok(t),
        }
    }

    /// Adds a type instruction to the table; false if `inst` is not one.
    pub fn type_inst(&mut self, inst: &Inst) -> Result<bool> {
        let mut depth = 0;
        let ty = match inst.op {
            Op::TypeVoid => Ty::Void,
            Op::TypeBool => Ty::Bool,
            Op::TypeInt => self.int_type(inst)?,
            Op::TypeFloat => self.float_type(inst)?,
            Op::TypeVector => self.vector_type(inst)?,
            Op::TypeMatrix => self.matrix_type(inst)?,
            Op::TypeArray | Op::TypeRuntimeArray => {
                let elem = inst.arg(0)?;
                depth = self.depth_of(elem)?;
                self.check_data_type(inst.loc, elem)?;
                let len = if inst.op == Op::TypeArray {
                    Some(self.array_length(inst.loc, inst.arg(1)?)?)
                } else {
                    None
                };
                Ty::Array {
                    elem,
                    len,
                    stride_bytes: self
                        .module
                        .decoration_arg(inst.id, Decoration::ArrayStride)
                        .unwrap_or(0),
                }
            }
            Op::TypeStruct => {
                for &m in inst.args {
                    depth = depth.max(self.depth_of(m)?);
                    self.check_data_type(inst.loc, m)?;
                }
                Ty::Struct {
                    id: inst.id,
                    members: inst.args.to_vec(),
                }
            }
            Op::TypePointer => self.pointer_type(inst, inst.arg(1)?)?,
            Op::TypeUntypedPointerKHR => self.pointer_type(inst, UNTYPED)?,
            // The type pointed to is not known yet, which a pointer type does not require.
            Op::TypeForwardPointer => match self
                .module
                .stream
                .def(inst.arg(0)?)
                .map(|r| self.module.stream.inst(r))
            {
                Some(pointer) if pointer.op == Op::TypePointer => return self.type_inst(&pointer),
                _ => {
                    return inst
                        .loc
                        .expected("a pointer type", format!("%{}", inst.arg(0)?));
                }
            },
            Op::TypeFunction => Ty::Function,
            Op::TypeImage => Ty::Image(self.image_type(inst)?),
            Op::TypeSampler => Ty::Sampler,
            Op::TypeSampledImage => {
                let image = inst.arg(0)?;
                if !matches!(&*self.ty(image)?, Ty::Image(i) if !i.storage) {
                    return inst.loc.expected("an image to sample", format!("%{image}"));
                }
                Ty::SampledImage(image)
            }
            // Other types may be declared, but not used.
            _ if inst.loc.op.starts_with("Type") && inst.id != 0 => Ty::Opaque(inst.loc.op),
            _ => return Ok(false),
        };
        if depth >= MAX_DEPTH {
            return inst.loc.limit("levels of nested types", MAX_DEPTH as usize);
        }
        let leaves = self.count_leaves(&ty)?;
        if let Some(slot) = self.types.get_mut(inst.id as usize) {
            *slot = Some(TyEntry {
                ty: Rc::new(ty),
                depth: depth + 1,
                leaves,
            });
        }
        Ok(true)
    }

    fn int_type(&self, inst: &Inst) -> Result<Ty> {
        let bits = inst.arg(0)?;
        if !matches!(bits, 8 | 16 | 32 | 64) {
            return inst.loc.unsupported(format!("an integer of {bits} bits"));
        }
        Ok(Ty::Int {
            bits: bits as u8,
            signed: inst.arg(1)? == 1,
        })
    }

    fn float_type(&self, inst: &Inst) -> Result<Ty> {
        let bits = inst.arg(0)?;
        if !matches!(bits, 16 | 32 | 64) || inst.args.len() > 1 {
            return inst.loc.unsupported(format!("this float of {bits} bits"));
        }
        Ok(Ty::Float { bits: bits as u8 })
    }

    fn vector_type(&self, inst: &Inst) -> Result<Ty> {
        let (elem, len) = (inst.arg(0)?, inst.arg(1)?);
        if !matches!(
            &*self.ty(elem)?,
            Ty::Bool | Ty::Int { .. } | Ty::Float { .. }
        ) {
            return inst.loc.expected("a scalar type", format!("%{elem}"));
        }
        if !matches!(len, 2..=4 | 8 | 16) {
            return inst
                .loc
                .expected("2, 3, 4, 8 or 16 components", len.to_string());
        }
        Ok(Ty::Vector {
            elem,
            len: len as u8,
        })
    }

    fn matrix_type(&self, inst: &Inst) -> Result<Ty> {
        let (column, columns) = (inst.arg(0)?, inst.arg(1)?);
        if !matches!(&*self.ty(column)?, Ty::Vector { .. }) {
            return inst.loc.expected("a vector type", format!("%{column}"));
        }
        if !(2..=4).contains(&columns) {
            return inst.loc.expected("2 to 4 columns", columns.to_string());
        }
        Ok(Ty::Matrix {
            column,
            columns: columns as u8,
        })
    }

    fn pointer_type(&self, inst: &Inst, to: u32) -> Result<Ty> {
        let Some(class) = StorageClass::from_u32(inst.arg(0)?) else {
            return inst
                .loc
                .expected("a storage class", inst.arg(0)?.to_string());
        };
        Ok(Ty::Pointer {
            class,
            to,
            stride_bytes: self
                .module
                .decoration_arg(inst.id, Decoration::ArrayStride)
                .unwrap_or(0),
        })
    }

    /// Number of scalars and vectors in a value of `ty`, saturating.
    fn count_leaves(&self, ty: &Ty) -> Result<u64> {
        Ok(match ty {
            Ty::Matrix { columns, .. } => u64::from(*columns),
            Ty::Array { elem, len, .. } => self
                .leaf_count(*elem)?
                .saturating_mul(u64::from(len.unwrap_or(u32::MAX))),
            Ty::Struct { members, .. } => {
                let mut sum = 1u64;
                for &m in members {
                    sum = sum.saturating_add(self.leaf_count(m)?);
                }
                sum
            }
            _ => 1,
        })
    }

    fn image_type(&self, inst: &Inst) -> Result<ImageTy> {
        let (base, bits) = match &*self.ty(inst.arg(0)?)? {
            Ty::Float { bits: 32 } => (BaseType::Float, 32),
            Ty::Int { bits, signed } if matches!(bits, 32 | 64) => (
                if *signed {
                    BaseType::Int
                } else {
                    BaseType::Uint
                },
                *bits,
            ),
            _ => return inst.loc.unsupported("an image of this sampled type"),
        };
        let Some(dim) = Dim::from_index(inst.arg(1)?) else {
            return inst.loc.unsupported(format!("dimension {}", inst.arg(1)?));
        };
        let format = inst.arg(6)?;
        if format > spirv::ImageFormat::R64i as u32 {
            return inst.loc.expected("an image format", format.to_string());
        }
        Ok(ImageTy {
            dim,
            array: inst.arg(3)? == 1,
            multisampled: inst.arg(4)? == 1,
            base,
            bits,
            storage: inst.arg(5)? == 2,
            format,
        })
    }

    fn depth_of(&self, id: u32) -> Result<u32> {
        match self.types.get(id as usize).and_then(|t| t.as_ref()) {
            Some(t) => Ok(t.depth),
            None => self.loc().expected("a type", format!("%{id}")),
        }
    }

    fn check_data_type(&self, loc: Loc, id: u32) -> Result<()> {
        match &*self.ty(id)? {
            Ty::Void | Ty::Function => loc.expected("a data type", format!("%{id}")),
            _ => Ok(()),
        }
    }

    fn array_length(&mut self, loc: Loc, id: u32) -> Result<u32> {
        match self.scalar_const(id)? {
            0 => loc.expected("an array length above 0", "0"),
            n => match u32::try_from(n) {
                Ok(n) if n <= i32::MAX as u32 => Ok(n),
                _ => loc.expected("an array length below 2^31", n.to_string()),
            },
        }
    }

    /// Number of scalars and vectors in a value of this type, saturating.
    pub fn leaf_count(&self, id: u32) -> Result<u64> {
        match self.types.get(id as usize).and_then(|t| t.as_ref()) {
            Some(t) => Ok(t.leaves),
            None => self.loc().expected("a type", format!("%{id}")),
        }
    }

    /// True for storage classes whose types have explicit layouts.
    pub fn has_layout(&self, class: StorageClass) -> bool {
        match class {
            StorageClass::Uniform
            | StorageClass::StorageBuffer
            | StorageClass::PushConstant
            | StorageClass::PhysicalStorageBuffer => true,
            StorageClass::Workgroup => self.emit.shader.info.shared_explicit_layout,
            _ => false,
        }
    }

    /// Translates a type to NIR, with explicit layout if `explicit`.
    pub fn nir_type(&mut self, id: u32, explicit: bool) -> Result<Id<Type>> {
        self.nir_type_with_matrix(id, explicit, MatrixLayout::default())
    }

    fn nir_type_with_matrix(
        &mut self,
        id: u32,
        explicit: bool,
        matrix: MatrixLayout,
    ) -> Result<Id<Type>> {
        let key = (id, explicit, matrix);
        if let Some(&t) = self.nir_types.get(&key) {
            return Ok(t);
        }
        let ty = match &*self.ty(id)? {
            Ty::Bool => Type::Bool,
            Ty::Int { bits, .. } => Type::Int(*bits),
            Ty::Float { bits } => Type::Float(*bits),
            Ty::Vector { elem, len } => Type::Vector {
                elem: self.nir_type(*elem, false)?,
                len: *len,
            },
            Ty::Matrix { column, columns } => Type::Matrix {
                column: self.nir_type(*column, false)?,
                columns: *columns,
                stride_bytes: matrix.stride_bytes,
                row_major: matrix.row_major,
            },
            Ty::Array {
                elem,
                len,
                stride_bytes,
            } => Type::Array {
                elem: self.nir_type_with_matrix(*elem, explicit, matrix)?,
                len: *len,
                stride_bytes: if explicit { *stride_bytes } else { 0 },
            },
            Ty::Struct { id, members } => {
                let mut out = Vec::with_capacity(members.len());
                for (i, &m) in members.iter().enumerate() {
                    let layout = self.member_layout(*id, i as u32);
                    let matrix = if explicit {
                        layout.matrix
                    } else {
                        MatrixLayout::default()
                    };
                    out.push(StructMember {
                        name: self
                            .module
                            .member_names
                            .get(&(*id, i as u32))
                            .cloned()
                            .unwrap_or_default(),
                        ty: self.nir_type_with_matrix(m, explicit, matrix)?,
                        offset_bytes: if explicit { layout.offset_bytes } else { 0 },
                    });
                }
                Type::Struct {
                    name: self.module.name(*id),
                    members: out,
                }
            }
            // Its value is an address.
            Ty::Pointer {
                class: StorageClass::PhysicalStorageBuffer,
                ..
            } => Type::Int(64),
            Ty::Pointer { class, to, .. } => {
                let class = *class;
                let mode = self.variable_mode(class, *to)?;
                // A struct that contains pointers to its own type has no finite NIR type.
                if self.pointer_depth >= 8 {
                    return self.loc().unsupported("a type of pointers to pointers");
                }
                self.pointer_depth += 1;
                let to = match *to {
                    UNTYPED => Ok(self.emit.shader.types.intern(Type::Int(32))),
                    to => self.nir_type(to, self.has_layout(class)),
                };
                self.pointer_depth -= 1;
                Type::Pointer { mode, to: to? }
            }
            Ty::Image(i) => Type::Image {
                dim: i.dim,
                array: i.array,
                multisampled: i.multisampled,
                base: i.base,
                bits: i.bits,
                storage: i.storage,
                format: i.format,
            },
            Ty::Sampler => Type::Sampler,
            Ty::SampledImage(image) => Type::SampledImage(self.nir_type(*image, false)?),
            Ty::Opaque(name) => return self.loc().unsupported(format!("a value of {name}")),
            Ty::Void | Ty::Function => {
                return self.loc().expected("a data type", format!("%{id}"));
            }
        };
        let t = self.emit.shader.types.intern(ty);
        self.nir_types.insert(key, t);
        Ok(t)
    }

    /// The decorations of member `index` of struct `id`.
    pub fn member_layout(&mut self, id: u32, index: u32) -> MemberLayout {
        let m = self.module;
        *self
            .member_layouts
            .entry((id, index))
            .or_insert_with(|| decorated_layout(m, id, index))
    }

    /// NIR's variable mode for a storage class; `to` is the type pointed to.
    pub fn variable_mode(&self, class: StorageClass, to: u32) -> Result<VariableMode> {
        Ok(match class {
            StorageClass::Function => VariableMode::FunctionTemp,
            StorageClass::Private => VariableMode::ShaderTemp,
            StorageClass::Workgroup => VariableMode::Shared,
            StorageClass::StorageBuffer => VariableMode::Ssbo,
            StorageClass::PhysicalStorageBuffer => VariableMode::Global,
            StorageClass::PushConstant => VariableMode::PushConst,
            StorageClass::Input => VariableMode::ShaderIn,
            StorageClass::Output => VariableMode::ShaderOut,
            StorageClass::UniformConstant => VariableMode::Uniform,
            // Before SPIR-V 1.3, a storage buffer is a Uniform block decorated BufferBlock. This
            // holds for pointers to whole blocks; a pointer into a block takes its mode from the
            // variable.
            StorageClass::Uniform if to == UNTYPED => VariableMode::Ubo,
            StorageClass::Uniform => {
                let mut t = to;
                while let Ty::Array { elem, .. } = &*self.ty(t)? {
                    t = *elem;
                }
                if self.module.has_decoration(t, Decoration::BufferBlock) {
                    VariableMode::Ssbo
                } else {
                    VariableMode::Ubo
                }
            }
            _ => {
                return self.loc().unsupported(format!("storage class {class:?}"));
            }
        })
    }

    /// Checks a value against a type. Nested parts of composites were checked when the parts were
    /// created.
    pub fn check_type(&self, value: &Value, ty: u32) -> Result<()> {
        let t = self.ty(ty)?;
        let fits = match (value, &*t) {
            (Value::Pointer(_) | Value::Texel(_), Ty::Pointer { .. }) => true,
            (Value::Opaque(_), Ty::Image(_) | Ty::Sampler | Ty::SampledImage(_)) => true,
            (Value::Undef(_), Ty::Array { .. } | Ty::Struct { .. }) => true,
            (Value::Composite(v), Ty::Array { len, .. }) => v.len() as u32 == len.unwrap_or(0),
            (Value::Composite(v), Ty::Matrix { columns, .. }) => v.len() == usize::from(*columns),
            (Value::Composite(v), Ty::Struct { members, .. }) => v.len() == members.len(),
            (Value::Def(d), Ty::Bool | Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }) => {
                let shape = self.emit.shape(*d);
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
            // Also check the parts one level down, so that OpCompositeExtract gives values of the
            // right type.
            if let Value::Composite(parts) = value {
                for (i, p) in parts.iter().enumerate() {
                    let part_ty = match &*t {
                        Ty::Array { elem, .. } => *elem,
                        Ty::Matrix { column, .. } => *column,
                        Ty::Struct { members, .. } => members.get(i).copied().unwrap_or(0),
                        _ => 0,
                    };
                    self.check_part_type(p, part_ty)?;
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

    fn check_part_type(&self, value: &Value, ty: u32) -> Result<()> {
        let t = self.ty(ty)?;
        let fits = match (value, &*t) {
            (Value::Pointer(_), Ty::Pointer { .. }) => true,
            (Value::Opaque(_), Ty::Image(_) | Ty::Sampler | Ty::SampledImage(_)) => true,
            (Value::Undef(_), Ty::Array { .. } | Ty::Struct { .. }) => true,
            (Value::Composite(v), Ty::Array { len, .. }) => v.len() as u32 == len.unwrap_or(0),
            (Value::Composite(v), Ty::Matrix { columns, .. }) => v.len() == usize::from(*columns),
            (Value::Composite(v), Ty::Struct { members, .. }) => v.len() == members.len(),
            (Value::Def(d), Ty::Bool | Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }) => {
                self.emit.shape(*d) == self.shape_of(ty)?
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
}

/// The decorations of member `index` of struct `id`.
fn decorated_layout(m: &Module, id: u32, index: u32) -> MemberLayout {
    let mut out = MemberLayout::default();
    for d in m.decorations(id).iter().filter(|d| d.member == Some(index)) {
        let arg = d.args.first().copied().unwrap_or(0);
        match d.kind {
            Decoration::Offset => out.offset_bytes = arg,
            Decoration::MatrixStride => out.matrix.stride_bytes = arg,
            Decoration::RowMajor => out.matrix.row_major = true,
            kind => add_access(&mut out.access, kind),
        }
    }
    out
}
