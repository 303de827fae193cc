//! Images and samplers: sampling, fetches, gathers, queries, reads, writes and atomics of texels.
//!
//! The value of an image is the pointer that it was loaded through, because NIR's `tex` and image
//! intrinsics take derefs.
//! Ref: "SPIR-V Specification", "Image Instructions", "Image Operands"; Vulkan, "Image Operations".

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::{ImageTy, Ty};
use crate::value::{Opaque, Pointer, TexelPointer, Value};
use entity::Id;
use nir::{Access, AluOp as A, BaseType, Def, Dim, IntrinsicOp as I, Tex, TexOp, TexSrc};
use smallvec::{SmallVec, smallvec};
use spirv::Op;
use std::rc::Rc;

/// The optional image operands of an instruction.
#[derive(Clone, Debug, Default)]
struct ImageOperands {
    bias: Option<Id<Def>>,
    lod: Option<Id<Def>>,
    grad: Option<(Id<Def>, Id<Def>)>,
    offset: Option<Id<Def>>,
    offsets: Option<[[i8; 2]; 4]>,
    sample: Option<Id<Def>>,
    min_lod: Option<Id<Def>>,
    access: Access,
}

/// A sampling instruction: texture operation, depth comparison (Dref), projection (Proj).
struct SampleKind {
    op: TexOp,
    dref: bool,
    proj: bool,
}

fn sample_op(op: Op) -> Option<SampleKind> {
    let (op, dref, proj) = match op {
        Op::ImageSampleImplicitLod => (TexOp::Tex, false, false),
        Op::ImageSampleExplicitLod => (TexOp::Txl, false, false),
        Op::ImageSampleDrefImplicitLod => (TexOp::Tex, true, false),
        Op::ImageSampleDrefExplicitLod => (TexOp::Txl, true, false),
        Op::ImageSampleProjImplicitLod => (TexOp::Tex, false, true),
        Op::ImageSampleProjExplicitLod => (TexOp::Txl, false, true),
        Op::ImageSampleProjDrefImplicitLod => (TexOp::Tex, true, true),
        Op::ImageSampleProjDrefExplicitLod => (TexOp::Txl, true, true),
        Op::ImageGather => (TexOp::Tg4, false, false),
        Op::ImageDrefGather => (TexOp::Tg4, true, false),
        Op::ImageQueryLod => (TexOp::Lod, false, false),
        _ => return None,
    };
    Some(SampleKind { op, dref, proj })
}

/// The access that a sparse access is, but for its residency code.
fn dense_op(op: Op) -> Option<Op> {
    Some(match op {
        Op::ImageSparseSampleImplicitLod => Op::ImageSampleImplicitLod,
        Op::ImageSparseSampleExplicitLod => Op::ImageSampleExplicitLod,
        Op::ImageSparseSampleDrefImplicitLod => Op::ImageSampleDrefImplicitLod,
        Op::ImageSparseSampleDrefExplicitLod => Op::ImageSampleDrefExplicitLod,
        Op::ImageSparseFetch => Op::ImageFetch,
        Op::ImageSparseGather => Op::ImageGather,
        Op::ImageSparseDrefGather => Op::ImageDrefGather,
        Op::ImageSparseRead => Op::ImageRead,
        _ => return None,
    })
}

impl Translator<'_> {
    /// Image instructions; false if `inst` is not one.
    pub fn image_inst(&mut self, inst: &Inst) -> Result<bool> {
        if inst.op == Op::ImageWrite {
            let (p, ty) = self.image_of(inst)?;
            let coord = self.image_coord(inst, 1, &ty)?;
            let texel = self.arg_def(inst, 2)?;
            let o = self.image_operands(inst, 3)?;
            if let Some(p) = p {
                self.image_write(&p, &ty, coord, texel, &o)?;
            }
            return Ok(true);
        }
        let v = match dense_op(inst.op) {
            Some(op) => Some(self.sparse_access(inst, op)?),
            None => self.image_value(inst)?,
        };
        match v {
            Some(v) => self.set_result(inst, v).map(|()| true),
            None => Ok(false),
        }
    }

    /// A sparse access: the residency code, and the result of the access `op`. All texels are
    /// resident, because no image is sparse.
    fn sparse_access(&mut self, inst: &Inst, op: Op) -> Result<Value> {
        let (code, texel) = match &*self.ty(inst.ty)? {
            Ty::Struct { members, .. } => match members.as_slice() {
                &[code, texel] => (code, texel),
                _ => return inst.loc.expected("a struct of two members", "another"),
            },
            _ => return inst.loc.expected("a struct", format!("%{}", inst.ty)),
        };
        let code = self.null(code)?;
        let access = Inst {
            op,
            ty: texel,
            ..*inst
        };
        match self.image_value(&access)? {
            Some(v) => {
                self.check_type(&v, texel)?;
                Ok(Value::Composite(vec![code, v].into()))
            }
            None => inst.loc.unsupported("this instruction"),
        }
    }

    /// The result of an image instruction; `None` if `inst` is not one.
    fn image_value(&mut self, inst: &Inst) -> Result<Option<Value>> {
        if let Some(s) = sample_op(inst.op) {
            return self.sample(inst, &s).map(Some);
        }
        Ok(Some(match inst.op {
            Op::SampledImage => {
                let (image, sampler) = (self.opaque(inst.arg(0)?)?, self.opaque(inst.arg(1)?)?);
                Value::Opaque(Opaque {
                    image: image.image,
                    sampler: sampler.sampler,
                })
            }
            Op::Image => Value::Opaque(Opaque {
                sampler: None,
                ..self.opaque(inst.arg(0)?)?
            }),
            Op::ImageTexelPointer => {
                let image = self.pointer(inst.arg(0)?)?;
                let image = self.image_pointer(image, inst.id);
                let ty = self.image_type_of(image.to)?;
                let coord = self.image_coord(inst, 1, &ty)?;
                let sample = self.arg_def(inst, 2)?;
                Value::Texel(Rc::new(TexelPointer {
                    image,
                    coord,
                    sample,
                }))
            }
            Op::UntypedImageTexelPointerEXT => {
                let image = self.pointer_to(inst.arg(1)?, inst.arg(0)?)?;
                let image = self.image_pointer(image, inst.id);
                let ty = self.image_type_of(image.to)?;
                let coord = self.image_coord(inst, 2, &ty)?;
                let sample = self.arg_def(inst, 3)?;
                Value::Texel(Rc::new(TexelPointer {
                    image,
                    coord,
                    sample,
                }))
            }
            Op::ImageFetch => self.fetch(inst)?,
            Op::ImageRead => {
                let (p, ty) = self.image_of(inst)?;
                let coord = self.image_coord(inst, 1, &ty)?;
                let o = self.image_operands(inst, 2)?;
                self.image_read(inst, p.as_deref(), &ty, coord, &o)?
            }
            Op::ImageQuerySizeLod
            | Op::ImageQuerySize
            | Op::ImageQueryLevels
            | Op::ImageQuerySamples => self.query(inst)?,
            Op::ImageSparseTexelsResident => {
                self.arg_def(inst, 0)?;
                Value::Def(self.emit.imm_bool(true))
            }
            _ => return Ok(None),
        }))
    }

    fn opaque(&mut self, id: u32) -> Result<Opaque> {
        match self.value(id)? {
            Value::Opaque(o) => Ok(o),
            _ => self.loc().expected("an image or sampler", format!("%{id}")),
        }
    }

    /// The image type of an image or sampled image type.
    pub fn image_type_of(&self, id: u32) -> Result<ImageTy> {
        match &*self.ty(id)? {
            Ty::Image(i) => Ok(*i),
            Ty::SampledImage(i) => self.image_type_of(*i),
            _ => self.loc().expected("an image type", format!("%{id}")),
        }
    }

    /// Operand 0, an image: its pointer (`None` if it is undefined) and type.
    fn image_of(&mut self, inst: &Inst) -> Result<(Option<Rc<Pointer>>, ImageTy)> {
        let id = inst.arg(0)?;
        let ty = self.image_type_of(self.type_of(id)?)?;
        let p = self.opaque(id)?.image;
        Ok((p.map(|p| self.image_pointer(p, id)), ty))
    }

    /// The pointer to an image that `id` selects, marked if it may be non-uniform.
    fn image_pointer(&self, mut p: Rc<Pointer>, id: u32) -> Rc<Pointer> {
        if self.module.may_be_non_uniform(id) {
            Rc::make_mut(&mut p).access.non_uniform = true;
        }
        p
    }

    /// Operand `at` as a storage image's coordinate, truncated to the components that the image
    /// needs.
    fn image_coord(&mut self, inst: &Inst, at: usize, ty: &ImageTy) -> Result<Id<Def>> {
        let d = self.arg_def(inst, at)?;
        let d = self.convert_to_i32(d)?;
        self.first_components(d, ty.dim.image_components(ty.array))
    }

    fn convert_to_i32(&mut self, d: Id<Def>) -> Result<Id<Def>> {
        match self.emit.shape(d).1 {
            32 => Ok(d),
            _ => self.emit.convert(A::I2I, d, 32),
        }
    }

    fn first_components(&mut self, d: Id<Def>, n: u8) -> Result<Id<Def>> {
        let (has, bits) = self.emit.shape(d);
        if has < n {
            return self
                .loc()
                .expected("a coordinate for this image", format!("{has} components"));
        }
        let parts: SmallVec<[(Id<Def>, u8); 4]> = (0..n).map(|i| (d, i)).collect();
        self.emit.vec_from_channels(&parts, bits)
    }

    /// The image operands from operand `at` on.
    fn image_operands(&mut self, inst: &Inst, at: usize) -> Result<ImageOperands> {
        let mut o = ImageOperands::default();
        let Some(&mask) = inst.args.get(at) else {
            return Ok(o);
        };
        let mut next = at + 1;
        let mut next_arg = || {
            next += 1;
            inst.arg(next - 1)
        };
        for bit in (0..32).filter(|b| mask >> b & 1 == 1) {
            match bit {
                0 => o.bias = Some(self.def(next_arg()?)?),
                1 => o.lod = Some(self.def(next_arg()?)?),
                2 => o.grad = Some((self.def(next_arg()?)?, self.def(next_arg()?)?)),
                3 | 4 => {
                    let d = self.def(next_arg()?)?;
                    o.offset = Some(self.convert_to_i32(d)?);
                }
                5 => o.offsets = Some(self.const_offsets(next_arg()?)?),
                6 => o.sample = Some(self.def(next_arg()?)?),
                7 => o.min_lod = Some(self.def(next_arg()?)?),
                // MakeTexelAvailable, MakeTexelVisible; the parameter is the scope.
                8 | 9 => {
                    next_arg()?;
                    o.access.coherent = true;
                }
                // NonPrivateTexel.
                10 => {}
                11 => o.access.volatile = true,
                // SignExtend, ZeroExtend: implied by the image's type.
                12 | 13 => {}
                // Nontemporal: a hint.
                14 => {}
                _ => {
                    return inst
                        .loc
                        .unsupported(format!("image operand {:#x}", 1 << bit));
                }
            }
        }
        Ok(o)
    }

    fn const_offsets(&mut self, id: u32) -> Result<[[i8; 2]; 4]> {
        let mut out = [[0i8; 2]; 4];
        let Value::Composite(parts) = self.value(id)? else {
            return self.loc().expected("an array of offsets", format!("%{id}"));
        };
        for (o, p) in out.iter_mut().zip(parts.iter()) {
            let Value::Def(d) = p else {
                return self.loc().expected("an array of offsets", format!("%{id}"));
            };
            match self.emit.const_of(*d).map(|v| v.as_slice()) {
                Some(&[x, y]) => *o = [x as i8, y as i8],
                _ => return self.loc().expected("constant offsets", format!("%{id}")),
            }
        }
        Ok(out)
    }

    /// A `tex` of the image `o`, without the operands that differ by operation; `None` if the image
    /// or sampler is undefined.
    fn tex(&mut self, op: TexOp, id: u32, o: &Opaque, ty: &ImageTy) -> Result<Option<Tex>> {
        let mut t = Tex {
            op,
            def: Id::new(0),
            srcs: SmallVec::new(),
            dim: ty.dim,
            array: ty.array,
            shadow: false,
            dest_type: ty.base,
            component: 0,
            tg4_offsets: None,
            texture_non_uniform: self.module.may_be_non_uniform(id),
            sampler_non_uniform: self.module.may_be_non_uniform(id),
            offset_non_uniform: false,
        };
        let Some(image) = &o.image else {
            return Ok(None);
        };
        t.texture_non_uniform |= image.access.non_uniform;
        t.set_src(TexSrc::TextureDeref, self.pointer_def(image)?);
        if op.needs_sampler() {
            let Some(sampler) = &o.sampler else {
                return Ok(None);
            };
            t.sampler_non_uniform |= sampler.access.non_uniform;
            t.set_src(TexSrc::SamplerDeref, self.sampler_def(sampler)?);
        } else {
            t.sampler_non_uniform = false;
        }
        Ok(Some(t))
    }

    /// Emits the instruction and truncates the result to the components of the SPIR-V type.
    fn finish_tex(&mut self, inst: &Inst, t: Option<Tex>) -> Result<Value> {
        let (n, bits) = self.shape_of(inst.ty)?;
        let Some(t) = t else {
            return self.undef(inst.ty);
        };
        let makes = t.result_components();
        let d = self.emit.tex(t, (makes, bits))?;
        if n > makes {
            return inst
                .loc
                .expected("a result as the image makes it", format!("{n} components"));
        }
        Ok(Value::Def(self.first_components(d, n)?))
    }

    fn sample(&mut self, inst: &Inst, s: &SampleKind) -> Result<Value> {
        let id = inst.arg(0)?;
        let ty = self.image_type_of(self.type_of(id)?)?;
        let o = self.opaque(id)?;
        let Some(mut t) = self.tex(s.op, id, &o, &ty)? else {
            return self.undef(inst.ty);
        };
        t.shadow = s.dref;
        let whole = self.arg_def(inst, 1)?;
        let n = t.coord_components();
        let coord = self.first_components(whole, n)?;
        t.set_src(TexSrc::Coord, coord);
        if s.proj {
            let q = self.emit.channel(whole, n)?;
            t.set_src(TexSrc::Projector, q);
        }
        let mut at = 2;
        if s.dref {
            let d = self.arg_def(inst, 2)?;
            t.set_src(TexSrc::Comparator, d);
            at = 3;
        } else if s.op == TexOp::Tg4 {
            let c = self.const_u32(inst.arg(2)?)?;
            if c > 3 {
                return inst.loc.expected("a component below 4", c.to_string());
            }
            t.component = c as u8;
            at = 3;
        }
        let x = self.image_operands(inst, at)?;
        self.add_operands(&mut t, &x)?;
        if matches!(t.op, TexOp::Tex | TexOp::Txb) && !self.emit.shader.has_quads() {
            // Without quads, derivatives are 0: sample the base level (Vulkan, "Image Operations").
            t.remove_src(TexSrc::Bias);
            t.op = TexOp::Txl;
            let zero = self.emit.imm_float(32, 0.0);
            t.set_src(TexSrc::Lod, zero);
        }
        self.finish_tex(inst, Some(t))
    }

    fn add_operands(&mut self, t: &mut Tex, x: &ImageOperands) -> Result<()> {
        if let Some(d) = x.bias {
            t.op = TexOp::Txb;
            t.set_src(TexSrc::Bias, d);
        }
        if let Some(d) = x.lod {
            t.set_src(TexSrc::Lod, d);
        }
        if let Some((dx, dy)) = x.grad {
            t.op = TexOp::Txd;
            t.set_src(TexSrc::Ddx, dx);
            t.set_src(TexSrc::Ddy, dy);
        }
        if let Some(d) = x.offset {
            let d = self.first_components(d, t.dim.offset_components())?;
            t.set_src(TexSrc::Offset, d);
        }
        if let Some(d) = x.min_lod {
            t.set_src(TexSrc::MinLod, d);
        }
        t.tg4_offsets = x.offsets;
        if t.op == TexOp::Txl && x.lod.is_none() {
            return self.loc().expected("operand Lod or Grad", "none");
        }
        Ok(())
    }

    fn fetch(&mut self, inst: &Inst) -> Result<Value> {
        let id = inst.arg(0)?;
        let (_, ty) = self.image_of(inst)?;
        let o = self.opaque(id)?;
        let x = self.image_operands(inst, 2)?;
        let op = match ty.multisampled {
            true => TexOp::TxfMs,
            false => TexOp::Txf,
        };
        let Some(mut t) = self.tex(op, id, &o, &ty)? else {
            return self.undef(inst.ty);
        };
        let coord = self.arg_def(inst, 1)?;
        let coord = self.convert_to_i32(coord)?;
        let coord = self.first_components(coord, t.coord_components())?;
        t.set_src(TexSrc::Coord, coord);
        match (ty.multisampled, x.sample) {
            (true, Some(sample)) => t.set_src(TexSrc::MsIndex, sample),
            (true, None) => return inst.loc.expected("operand Sample", "none"),
            (false, _) if ty.dim != Dim::Buffer => {
                let zero = self.emit.imm32(0);
                t.set_src(TexSrc::Lod, x.lod.unwrap_or(zero));
            }
            _ => {}
        }
        if let Some(d) = x.offset {
            let d = self.first_components(d, t.dim.offset_components())?;
            t.set_src(TexSrc::Offset, d);
        }
        self.finish_tex(inst, Some(t))
    }

    fn query(&mut self, inst: &Inst) -> Result<Value> {
        let id = inst.arg(0)?;
        let (p, ty) = self.image_of(inst)?;
        let lod = match inst.op {
            Op::ImageQuerySizeLod => self.arg_def(inst, 1)?,
            _ => self.emit.imm32(0),
        };
        let levels = inst.op == Op::ImageQueryLevels;
        let samples = inst.op == Op::ImageQuerySamples;
        let n = ty.dim.size_components() + u8::from(ty.array);
        if ty.storage && !levels {
            let Some(p) = p else {
                return self.undef(inst.ty);
            };
            let (d, access) = self.pointer_access(&p, Access::default())?;
            let indices = image_indices(&ty, access);
            let d = match samples {
                true => self
                    .emit
                    .intrinsic_value(I::ImageDerefSamples, (1, 32), &[d], &indices)?,
                false => {
                    self.emit
                        .intrinsic_value(I::ImageDerefSize, (n, 32), &[d, lod], &indices)?
                }
            };
            return self.sized_result(inst, d);
        }
        let op = match (levels, samples) {
            (true, _) => TexOp::QueryLevels,
            (_, true) => TexOp::TextureSamples,
            _ => TexOp::Txs,
        };
        let o = self.opaque(id)?;
        let Some(mut t) = self.tex(op, id, &o, &ty)? else {
            return self.undef(inst.ty);
        };
        t.dest_type = BaseType::Int;
        if op == TexOp::Txs && !ty.multisampled && ty.dim != Dim::Buffer {
            t.set_src(TexSrc::Lod, lod);
        }
        let shape = (t.result_components(), 32);
        let d = self.emit.tex(t, shape)?;
        self.sized_result(inst, d)
    }

    /// A 32-bit integer, zero-extended or truncated to the size of the result type.
    fn sized_result(&mut self, inst: &Inst, d: Id<Def>) -> Result<Value> {
        match self.shape_of(inst.ty)?.1 {
            32 => Ok(Value::Def(d)),
            bits => Ok(Value::Def(self.emit.convert(A::U2U, d, bits)?)),
        }
    }

    fn image_read(
        &mut self,
        inst: &Inst,
        p: Option<&Pointer>,
        ty: &ImageTy,
        coord: Id<Def>,
        o: &ImageOperands,
    ) -> Result<Value> {
        let (n, bits) = self.shape_of(inst.ty)?;
        let Some(p) = p else {
            return self.undef(inst.ty);
        };
        let d = self.texel_load(p, ty, coord, o, bits)?;
        Ok(Value::Def(self.first_components(d, n)?))
    }

    fn texel_load(
        &mut self,
        p: &Pointer,
        ty: &ImageTy,
        coord: Id<Def>,
        o: &ImageOperands,
        bits: u8,
    ) -> Result<Id<Def>> {
        let zero = self.emit.imm32(0);
        let (d, access) = self.pointer_access(p, o.access)?;
        let mut indices = image_indices(ty, access);
        indices.push(ty.base.index());
        let srcs = [d, coord, o.sample.unwrap_or(zero), o.lod.unwrap_or(zero)];
        self.emit
            .intrinsic_value(I::ImageDerefLoad, (4, bits), &srcs, &indices)
    }

    fn image_write(
        &mut self,
        p: &Pointer,
        ty: &ImageTy,
        coord: Id<Def>,
        texel: Id<Def>,
        o: &ImageOperands,
    ) -> Result<()> {
        let (n, bits) = self.emit.shape(texel);
        let mut parts: SmallVec<[(Id<Def>, u8); 4]> = (0..n.min(4)).map(|i| (texel, i)).collect();
        if parts.len() < 4 {
            // Components that the format does not have are not written.
            let rest = self.emit.undef(1, bits);
            parts.resize(4, (rest, 0));
        }
        let value = self.emit.vec_from_channels(&parts, bits)?;
        let zero = self.emit.imm32(0);
        let (d, access) = self.pointer_access(p, o.access)?;
        let mut indices = image_indices(ty, access);
        indices.push(ty.base.index());
        let srcs = [
            d,
            coord,
            o.sample.unwrap_or(zero),
            value,
            o.lod.unwrap_or(zero),
        ];
        self.emit
            .intrinsic(I::ImageDerefStore, None, &srcs, &indices)?;
        Ok(())
    }

    // --- atomics through a texel's pointer

    /// Reads a texel atomically.
    pub fn texel_read(
        &mut self,
        t: &TexelPointer,
        extra: Access,
        shape: (u8, u8),
    ) -> Result<Id<Def>> {
        let ty = self.image_type_of(t.image.to)?;
        let o = ImageOperands {
            sample: Some(t.sample),
            access: extra,
            ..ImageOperands::default()
        };
        let d = self.texel_load(&t.image, &ty, t.coord, &o, shape.1)?;
        self.emit.channel(d, 0)
    }

    /// Writes a texel atomically.
    pub fn texel_write(&mut self, t: &TexelPointer, extra: Access, value: Id<Def>) -> Result<()> {
        let ty = self.image_type_of(t.image.to)?;
        let o = ImageOperands {
            sample: Some(t.sample),
            access: extra,
            ..ImageOperands::default()
        };
        self.image_write(&t.image, &ty, t.coord, value, &o)
    }

    /// An atomic operation on a texel: `op` with one operand, or compare-and-exchange (`op` is
    /// `None`) with two.
    pub fn texel_atomic(
        &mut self,
        t: &TexelPointer,
        extra: Access,
        op: Option<u32>,
        data: &[Id<Def>],
        shape: (u8, u8),
    ) -> Result<Id<Def>> {
        let ty = self.image_type_of(t.image.to)?;
        let (d, access) = self.pointer_access(&t.image, extra)?;
        let mut indices = image_indices(&ty, access);
        indices.extend(op);
        let mut srcs: SmallVec<[Id<Def>; 5]> = smallvec![d, t.coord, t.sample];
        srcs.extend_from_slice(data);
        let intrinsic = match op {
            Some(_) => I::ImageDerefAtomic,
            None => I::ImageDerefAtomicSwap,
        };
        self.emit.intrinsic_value(intrinsic, shape, &srcs, &indices)
    }
}

/// The leading constant indices, common to all image intrinsics.
fn image_indices(ty: &ImageTy, access: u32) -> SmallVec<[u32; 6]> {
    smallvec![ty.dim as u32, u32::from(ty.array), ty.format, access]
}
