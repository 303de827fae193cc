//! Built-in variables of compute shaders: values at the start of the shader.
//!
//! Ref: Vulkan spec, "Built-In Variables".

use crate::error::Result;
use crate::translate::Tr;
use entity::Id;
use nir::{AluOp as A, Def, IntrinsicOp as I};
use spirv::BuiltIn;

impl Tr<'_> {
    /// The value of a built-in variable.
    pub fn builtin(&mut self, b: BuiltIn) -> Result<Id<Def>> {
        if let Some(&(_, d)) = self.builtins.iter().find(|x| x.0 == b) {
            return Ok(d);
        }
        let was = self.e.set_at_start(true);
        let exact = std::mem::replace(&mut self.e.exact, false);
        let d = self.make_builtin(b);
        self.e.exact = exact;
        self.e.set_at_start(was);
        let d = d?;
        self.builtins.push((b, d));
        Ok(d)
    }

    fn make_builtin(&mut self, b: BuiltIn) -> Result<Id<Def>> {
        let simple = |op, n| (op, (n, 32), None);
        let (op, shape, relation) = match b {
            BuiltIn::NumWorkgroups => simple(I::LoadNumWorkgroups, 3),
            BuiltIn::WorkgroupId if !self.dispatch_base => simple(I::LoadWorkgroupId, 3),
            BuiltIn::WorkgroupId => {
                let id = self.e.value(I::LoadWorkgroupId, (3, 32), &[], &[])?;
                let base = self.e.value(I::LoadBaseWorkgroupId, (3, 32), &[], &[])?;
                return self.e.op2(A::IAdd, id, base);
            }
            BuiltIn::LocalInvocationId => simple(I::LoadLocalInvocationId, 3),
            BuiltIn::LocalInvocationIndex => simple(I::LoadLocalInvocationIndex, 1),
            BuiltIn::GlobalInvocationId => {
                let group = self.builtin(BuiltIn::WorkgroupId)?;
                let local = self.builtin(BuiltIn::LocalInvocationId)?;
                let size = self.builtin(BuiltIn::WorkgroupSize)?;
                let first = self.e.op2(A::IMul, group, size)?;
                return self.e.op2(A::IAdd, first, local);
            }
            BuiltIn::WorkgroupSize => {
                let size = self.e.shader.info.workgroup_size.map(u64::from);
                return Ok(self.e.constant(32, &size));
            }
            BuiltIn::SubgroupSize => match self.subgroup_size {
                Some(size) => return Ok(self.e.imm32(size)),
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
            BuiltIn::DeviceIndex => return Ok(self.e.imm32(0)),
            _ => return self.loc().unsupported(format!("built-in {b:?}")),
        };
        let indices: &[u32] = match &relation {
            Some(r) => std::slice::from_ref(r),
            None => &[],
        };
        self.e.value(op, shape, &[], indices)
    }
}
