//! Features of particular stages: execution modes, derivatives, interpolation, helper invocations,
//! emitted vertices.
//!
//! Ref: "SPIR-V Specification", "Execution Mode", "Derivative Instructions", "Primitive
//!      Instructions".

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::value::Value;
use nir::{
    Access, AluOp as A, DepthLayout, DerivativeGroup, IntrinsicOp as I, Primitive, Shader, Stage,
    TessDomain, TessSpacing,
};
use spirv::{ExecutionMode as E, GlslStd450Op as G, Op};

/// Applies an execution mode of the shader's stage; `arg` is its first parameter. False if the
/// stage has no such mode.
pub(crate) fn apply_stage_mode(s: &mut Shader, mode: E, arg: u32) -> bool {
    let stage = s.stage;
    let (f, g, t) = (&mut s.info.fragment, &mut s.info.geometry, &mut s.info.tess);
    match stage {
        Stage::Fragment => match mode {
            // Vulkan requires OriginUpperLeft; DepthReplacing is implied by the output FragDepth.
            E::OriginUpperLeft | E::DepthReplacing | E::StencilRefReplacingEXT => {}
            // Fragments are always shaded in full quads, and derivatives are those of the quad.
            E::RequireFullQuadsKHR | E::QuadDerivativesKHR => {}
            // The interlock is always per pixel and ordered, which satisfies the weaker modes.
            E::PixelInterlockOrderedEXT
            | E::PixelInterlockUnorderedEXT
            | E::SampleInterlockOrderedEXT
            | E::SampleInterlockUnorderedEXT => {}
            E::EarlyFragmentTests => f.early_fragment_tests = true,
            E::PostDepthCoverage => f.post_depth_coverage = true,
            E::DepthGreater => f.depth_layout = DepthLayout::Greater,
            E::DepthLess => f.depth_layout = DepthLayout::Less,
            E::DepthUnchanged => f.depth_layout = DepthLayout::Unchanged,
            _ => return false,
        },
        Stage::Geometry => match mode {
            E::Invocations => g.invocations = arg,
            E::OutputVertices => g.vertices_out = arg,
            E::InputPoints => g.input = Primitive::Points,
            E::InputLines => g.input = Primitive::Lines,
            E::InputLinesAdjacency => g.input = Primitive::LinesAdjacency,
            E::Triangles => g.input = Primitive::Triangles,
            E::InputTrianglesAdjacency => g.input = Primitive::TrianglesAdjacency,
            E::OutputPoints => g.output = Primitive::Points,
            E::OutputLineStrip => g.output = Primitive::LineStrip,
            E::OutputTriangleStrip => g.output = Primitive::TriangleStrip,
            _ => return false,
        },
        Stage::TessControl | Stage::TessEval => match mode {
            E::OutputVertices => t.vertices_out = arg,
            E::Triangles => t.domain = TessDomain::Triangles,
            E::Quads => t.domain = TessDomain::Quads,
            E::Isolines => t.domain = TessDomain::Isolines,
            E::SpacingEqual => t.spacing = TessSpacing::Equal,
            E::SpacingFractionalEven => t.spacing = TessSpacing::FractionalEven,
            E::SpacingFractionalOdd => t.spacing = TessSpacing::FractionalOdd,
            E::VertexOrderCw => t.ccw = Some(false),
            E::VertexOrderCcw => t.ccw = Some(true),
            E::PointMode => t.point_mode = true,
            _ => return false,
        },
        Stage::Compute => match mode {
            E::QuadDerivativesKHR => {}
            E::DerivativeGroupQuadsKHR => s.info.derivative_group = DerivativeGroup::Quads,
            E::DerivativeGroupLinearKHR => s.info.derivative_group = DerivativeGroup::Linear,
            _ => return false,
        },
        Stage::Vertex => return false,
    }
    true
}

impl Translator<'_> {
    /// Derivatives, helper invocations and emitted vertices; false if `inst` is another
    /// instruction.
    pub fn stage_specific_inst(&mut self, inst: &Inst) -> Result<bool> {
        let stage = self.emit.shader.stage;
        let (wanted, op) = match inst.op {
            Op::DPdx => (Stage::Fragment, I::Ddx),
            Op::DPdy => (Stage::Fragment, I::Ddy),
            Op::DPdxFine => (Stage::Fragment, I::DdxFine),
            Op::DPdyFine => (Stage::Fragment, I::DdyFine),
            Op::DPdxCoarse => (Stage::Fragment, I::DdxCoarse),
            Op::DPdyCoarse => (Stage::Fragment, I::DdyCoarse),
            Op::Fwidth => (Stage::Fragment, I::Ddx),
            Op::FwidthFine => (Stage::Fragment, I::DdxFine),
            Op::FwidthCoarse => (Stage::Fragment, I::DdxCoarse),
            Op::DemoteToHelperInvocation => (Stage::Fragment, I::Demote),
            Op::IsHelperInvocationEXT => (Stage::Fragment, I::IsHelperInvocation),
            Op::EmitVertex | Op::EmitStreamVertex => (Stage::Geometry, I::EmitVertex),
            Op::EndPrimitive | Op::EndStreamPrimitive => (Stage::Geometry, I::EndPrimitive),
            _ => return Ok(false),
        };
        let derivative =
            wanted == Stage::Fragment && !matches!(op, I::Demote | I::IsHelperInvocation);
        if stage != wanted && !(derivative && stage == Stage::Compute) {
            return inst.loc.unsupported("this instruction in this stage");
        }
        match op {
            _ if derivative && !self.emit.shader.has_quads() => {
                // Vulkan, "Derivative Operations": without a derivative group, derivatives are 0.
                let x = self.arg_def(inst, 0)?;
                let (n, bits) = self.emit.shape(x);
                let zero = self.emit.constant(bits, &vec![0; n.into()]);
                self.set_result(inst, Value::Def(zero))?;
            }
            I::Demote => {
                self.emit.intrinsic(op, None, &[], &[])?;
            }
            I::IsHelperInvocation => {
                let d = self.emit.intrinsic_value(op, (1, 1), &[], &[])?;
                self.set_result(inst, Value::Def(d))?;
            }
            I::EmitVertex | I::EndPrimitive => {
                let stream = match inst.args.first() {
                    Some(&id) => self.const_u32(id)?,
                    None => 0,
                };
                self.emit.intrinsic(op, None, &[], &[stream])?;
            }
            _ => {
                let x = self.arg_def(inst, 0)?;
                let shape = self.emit.shape(x);
                let mut d = self.emit.intrinsic_value(op, shape, &[x], &[])?;
                let other = match inst.op {
                    Op::Fwidth => Some(I::Ddy),
                    Op::FwidthFine => Some(I::DdyFine),
                    Op::FwidthCoarse => Some(I::DdyCoarse),
                    _ => None,
                };
                if let Some(other) = other {
                    let y = self.emit.intrinsic_value(other, shape, &[x], &[])?;
                    let (a, b) = (self.emit.op1(A::FAbs, d)?, self.emit.op1(A::FAbs, y)?);
                    d = self.emit.op2(A::FAdd, a, b)?;
                }
                self.set_result(inst, Value::Def(d))?;
            }
        }
        Ok(true)
    }

    /// InterpolateAtCentroid, InterpolateAtSample, InterpolateAtOffset.
    pub fn interpolate(&mut self, op: G, inst: &Inst) -> Result<Value> {
        if self.emit.shader.stage != Stage::Fragment {
            return inst.loc.unsupported("this instruction in this stage");
        }
        let p = self.pointer(inst.arg(0)?)?;
        let shape = self.shape_of(p.to)?;
        let (d, _) = self.pointer_access(&p, Access::default())?;
        let d = match op {
            G::InterpolateAtCentroid => {
                self.emit
                    .intrinsic_value(I::InterpDerefAtCentroid, shape, &[d], &[])?
            }
            G::InterpolateAtSample => {
                let sample = self.arg_def(inst, 1)?;
                self.emit
                    .intrinsic_value(I::InterpDerefAtSample, shape, &[d, sample], &[])?
            }
            _ => {
                let offset = self.arg_def(inst, 1)?;
                self.emit
                    .intrinsic_value(I::InterpDerefAtOffset, shape, &[d, offset], &[])?
            }
        };
        Ok(Value::Def(d))
    }
}
