//! Built-in variables that are system values, which are read at the start of the shader.
//!
//! Ref: Vulkan spec, "Built-In Variables".

use crate::error::Result;
use crate::state::Translator;
use entity::Id;
use nir::{AluOp as A, Def, IntrinsicOp as I, Stage};
use spirv::BuiltIn;

impl Translator<'_> {
    /// The value of a built-in variable.
    pub fn builtin(&mut self, b: BuiltIn) -> Result<Id<Def>> {
        if let Some(&(_, d)) = self.builtins.iter().find(|x| x.0 == b) {
            return Ok(d);
        }
        let was = self.emit.set_in_prologue(true);
        let exact = std::mem::replace(&mut self.emit.exact, false);
        let d = self.emit_builtin(b);
        self.emit.exact = exact;
        self.emit.set_in_prologue(was);
        let d = d?;
        self.builtins.push((b, d));
        Ok(d)
    }

    /// Rejects built-ins that the stage does not have.
    fn check_builtin_stage(&self, b: BuiltIn) -> Result<()> {
        use Stage::*;
        let stages: &[Stage] = match b {
            BuiltIn::NumWorkgroups
            | BuiltIn::WorkgroupId
            | BuiltIn::LocalInvocationId
            | BuiltIn::LocalInvocationIndex
            | BuiltIn::GlobalInvocationId
            | BuiltIn::SubgroupId
            | BuiltIn::NumSubgroups => &[Compute],
            BuiltIn::VertexIndex
            | BuiltIn::InstanceIndex
            | BuiltIn::BaseVertex
            | BuiltIn::BaseInstance
            | BuiltIn::DrawIndex => &[Vertex],
            BuiltIn::PrimitiveId => &[TessControl, TessEval, Geometry],
            BuiltIn::InvocationId => &[TessControl, Geometry],
            BuiltIn::PatchVertices => &[TessControl, TessEval],
            BuiltIn::TessCoord => &[TessEval],
            BuiltIn::FragCoord
            | BuiltIn::PointCoord
            | BuiltIn::SampleId
            | BuiltIn::SamplePosition
            | BuiltIn::SampleMask
            | BuiltIn::FrontFacing
            | BuiltIn::HelperInvocation => &[Fragment],
            BuiltIn::ViewIndex => &[Vertex, TessControl, TessEval, Geometry, Fragment],
            _ => return Ok(()),
        };
        match stages.contains(&self.emit.shader.stage) {
            true => Ok(()),
            false => self
                .loc()
                .unsupported(format!("built-in {b:?} in this stage")),
        }
    }

    fn emit_builtin(&mut self, b: BuiltIn) -> Result<Id<Def>> {
        let simple = |op, n| (op, (n, 32), None);
        self.check_builtin_stage(b)?;
        let (op, shape, relation) = match b {
            BuiltIn::NumWorkgroups => simple(I::LoadNumWorkgroups, 3),
            BuiltIn::WorkgroupId if !self.dispatch_base => simple(I::LoadWorkgroupId, 3),
            BuiltIn::WorkgroupId => {
                let id = self
                    .emit
                    .intrinsic_value(I::LoadWorkgroupId, (3, 32), &[], &[])?;
                let base = self
                    .emit
                    .intrinsic_value(I::LoadBaseWorkgroupId, (3, 32), &[], &[])?;
                return self.emit.op2(A::IAdd, id, base);
            }
            BuiltIn::LocalInvocationId => simple(I::LoadLocalInvocationId, 3),
            BuiltIn::LocalInvocationIndex => simple(I::LoadLocalInvocationIndex, 1),
            BuiltIn::GlobalInvocationId => {
                let group = self.builtin(BuiltIn::WorkgroupId)?;
                let local = self.builtin(BuiltIn::LocalInvocationId)?;
                let size = self.builtin(BuiltIn::WorkgroupSize)?;
                let first = self.emit.op2(A::IMul, group, size)?;
                return self.emit.op2(A::IAdd, first, local);
            }
            BuiltIn::WorkgroupSize => {
                let size = self.emit.shader.info.workgroup_size.map(u64::from);
                return Ok(self.emit.constant(32, &size));
            }
            BuiltIn::SubgroupSize => match self.subgroup_size {
                Some(size) => return Ok(self.emit.imm32(size)),
                None => simple(I::LoadSubgroupSize, 1),
            },
            BuiltIn::SubgroupId => simple(I::LoadSubgroupId, 1),
            BuiltIn::NumSubgroups => simple(I::LoadNumSubgroups, 1),
            BuiltIn::SubgroupLocalInvocationId => simple(I::LoadSubgroupInvocation, 1),
            BuiltIn::SubgroupEqMask => return self.subgroup_mask(0),
            BuiltIn::SubgroupGeMask => return self.subgroup_mask(1),
            BuiltIn::SubgroupGtMask => return self.subgroup_mask(2),
            BuiltIn::SubgroupLeMask => return self.subgroup_mask(3),
            BuiltIn::SubgroupLtMask => return self.subgroup_mask(4),
            BuiltIn::VertexIndex => simple(I::LoadVertexId, 1),
            BuiltIn::InstanceIndex => {
                let id = self
                    .emit
                    .intrinsic_value(I::LoadInstanceId, (1, 32), &[], &[])?;
                let base = self
                    .emit
                    .intrinsic_value(I::LoadBaseInstance, (1, 32), &[], &[])?;
                return self.emit.op2(A::IAdd, id, base);
            }
            BuiltIn::BaseVertex => simple(I::LoadBaseVertex, 1),
            BuiltIn::BaseInstance => simple(I::LoadBaseInstance, 1),
            BuiltIn::DrawIndex => simple(I::LoadDrawId, 1),
            BuiltIn::ViewIndex => simple(I::LoadViewIndex, 1),
            BuiltIn::PrimitiveId => simple(I::LoadPrimitiveId, 1),
            BuiltIn::InvocationId => simple(I::LoadInvocationId, 1),
            BuiltIn::PatchVertices => simple(I::LoadPatchVerticesIn, 1),
            BuiltIn::TessCoord => simple(I::LoadTessCoord, 3),
            BuiltIn::FragCoord => simple(I::LoadFragCoord, 4),
            BuiltIn::PointCoord => simple(I::LoadPointCoord, 2),
            BuiltIn::SampleId => simple(I::LoadSampleId, 1),
            BuiltIn::SamplePosition => simple(I::LoadSamplePos, 2),
            BuiltIn::SampleMask => simple(I::LoadSampleMaskIn, 1),
            BuiltIn::FrontFacing => (I::LoadFrontFace, (1, 1), None),
            BuiltIn::HelperInvocation => (I::LoadHelperInvocation, (1, 1), None),
            BuiltIn::DeviceIndex => return Ok(self.emit.imm32(0)),
            _ => return self.loc().unsupported(format!("built-in {b:?}")),
        };
        let indices: &[u32] = match &relation {
            Some(r) => std::slice::from_ref(r),
            None => &[],
        };
        self.emit.intrinsic_value(op, shape, &[], indices)
    }
}
