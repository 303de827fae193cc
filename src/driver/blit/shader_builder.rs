//! Builder of the internal shaders: storage buffers of dwords, push constants of dwords, an
//! invocation per element.
//!
//! In:  a closure that emits instructions. Out: NIR of a compute or fragment shader, in the form
//!      that the SPIR-V front end produces.

use std::ops::{Deref, DerefMut};

use entity::Id;
use nir::{Access, AtomicOp, Builder, Def, IntrinsicOp, Shader, Slot, Stage};

use crate::clear::store;

/// Invocations of a workgroup of every internal shader.
pub const WORKGROUP: u32 = 64;

/// NIR's builder, with access to buffers by index and dword.
pub struct ShaderBuilder<'s> {
    builder: Builder<'s>,
    buffers: Vec<Id<Def>>,
}

impl<'s> Deref for ShaderBuilder<'s> {
    type Target = Builder<'s>;
    fn deref(&self) -> &Builder<'s> {
        &self.builder
    }
}

impl<'s> DerefMut for ShaderBuilder<'s> {
    fn deref_mut(&mut self) -> &mut Builder<'s> {
        &mut self.builder
    }
}

/// A shader with `buffers` storage buffers at set 0 from binding 0, which runs `body` with the
/// index of the invocation and the push constants.
pub fn compute_shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    body: impl FnOnce(&mut ShaderBuilder<'_>, Id<Def>, [Id<Def>; PUSH_DW]),
) -> Shader {
    build_compute_shader(name, buffers, WORKGROUP, |k, [group, ..], local, push| {
        let start = k.imul_imm(group, WORKGROUP.into());
        let invocation = k.iadd(start, local);
        body(k, invocation, push);
    })
}

/// As [`compute_shader`], with rows of workgroups: `body` also receives the index of the row.
pub fn rows_shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    body: impl FnOnce(&mut ShaderBuilder<'_>, Id<Def>, Id<Def>, [Id<Def>; PUSH_DW]),
) -> Shader {
    build_compute_shader(
        name,
        buffers,
        WORKGROUP,
        |k, [group, row, _], local, push| {
            let start = k.imul_imm(group, WORKGROUP.into());
            let invocation = k.iadd(start, local);
            body(k, invocation, row, push);
        },
    )
}

/// Width of a workgroup of a [`box_shader`].
pub const GROUP_X: u32 = 16;
/// Height of a workgroup of a [`box_shader`].
pub const GROUP_Y: u32 = WORKGROUP / GROUP_X;

/// As [`compute_shader`], with an invocation per element of a box: `body` receives its column, row
/// and slice.
pub fn box_shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    body: impl FnOnce(&mut ShaderBuilder<'_>, [Id<Def>; 3], [Id<Def>; PUSH_DW]),
) -> Shader {
    build_compute_shader(name, buffers, WORKGROUP, |k, [x, y, slice], local, push| {
        let (low, shift) = (k.imm_u32(GROUP_X - 1), k.imm_u32(GROUP_X.ilog2()));
        let (left, top) = (k.imul_imm(x, GROUP_X.into()), k.imul_imm(y, GROUP_Y.into()));
        let (column, row) = (k.iand(local, low), k.ushr(local, shift));
        let place = [k.iadd(left, column), k.iadd(top, row), slice];
        body(k, place, push);
    })
}

/// A shader whose body receives the workgroup's indices, the local index and the push constants.
fn build_compute_shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    invocations: u32,
    body: impl FnOnce(&mut ShaderBuilder<'_>, [Id<Def>; 3], Id<Def>, [Id<Def>; PUSH_DW]),
) -> Shader {
    let mut shader = Shader::new(Stage::Compute, name);
    let push_bytes = PUSH_DW as u32 * 4;
    shader.info.workgroup_size = [invocations, 1, 1];
    shader.info.push_constant_bytes = push_bytes;
    let mut builder = Builder::at_end(&mut shader);
    let zero = builder.imm_u32(0);
    let buffers = (0..buffers)
        .map(|binding| {
            builder.load(
                IntrinsicOp::VulkanResourceIndex,
                1,
                32,
                &[zero],
                &[0, binding],
            )
        })
        .collect();
    let push = std::array::from_fn(|member| {
        let at = builder.imm_u32(member as u32 * 4);
        let indices = [0, push_bytes, 4, 0];
        builder.load(IntrinsicOp::LoadPushConstant, 1, 32, &[at], &indices)
    });
    let groups = builder.system_value(IntrinsicOp::LoadWorkgroupId);
    let groups = [0, 1, 2].map(|axis| builder.channel(groups, axis));
    let local = builder.system_value(IntrinsicOp::LoadLocalInvocationIndex);
    body(&mut ShaderBuilder { builder, buffers }, groups, local, push);
    shader
}

/// A fragment shader that outputs to target 0 what `body` computes from the pixel's column and row
/// and from the push constants from dword `first_dw` on, of which the first is the handle of a
/// texture, surface 0.
pub fn fragment_shader<const PUSH_DW: usize>(
    name: &str,
    first_dw: u32,
    body: impl FnOnce(&mut ShaderBuilder<'_>, [Id<Def>; 2], [Id<Def>; PUSH_DW]) -> Option<[Id<Def>; 4]>,
) -> Shader {
    let mut shader = Shader::new(Stage::Fragment, name);
    let push_bytes = (first_dw + PUSH_DW as u32) * 4;
    shader.info.push_constant_bytes = push_bytes;
    let mut builder = Builder::at_end(&mut shader);
    let push = std::array::from_fn(|member| {
        let at = builder.imm_u32((first_dw + member as u32) * 4);
        let indices = [0, push_bytes, 4, 0];
        builder.load(IntrinsicOp::LoadPushConstant, 1, 32, &[at], &indices)
    });
    let pixel = builder.system_value(IntrinsicOp::LoadPixelCoord);
    let pixel = [0, 1].map(|axis| builder.channel(pixel, axis));
    let buffers = push.iter().take(1).copied().collect();
    let mut builder_with_buffers = ShaderBuilder { builder, buffers };
    if let (Some(colour), Some(slot)) = (body(&mut builder_with_buffers, pixel, push), Slot::var(0))
    {
        let colour = builder_with_buffers.vec(&colour);
        store(&mut builder_with_buffers, slot, colour);
    }
    shader
}

/// Number of components, and their bits, of a unit of bytes.
fn unit_type(bytes: u32) -> (u8, u8) {
    match bytes {
        1 | 2 => (1, 8 * bytes as u8),
        _ => ((bytes / 4) as u8, 32),
    }
}

/// Byte alignment of dword accesses: `align_mul` and `align_offset`.
const DWORD: [u32; 2] = [4, 0];

/// Emits `body` for the elements inside of a box.
pub fn inside(
    k: &mut ShaderBuilder<'_>,
    [column, row]: [Id<Def>; 2],
    [columns, rows]: [Id<Def>; 2],
    body: impl FnOnce(&mut ShaderBuilder<'_>),
) {
    let (across, down) = (k.ult(column, columns), k.ult(row, rows));
    let both = k.iand(across, down);
    k.if_then(both, body);
}

impl ShaderBuilder<'_> {
    /// The handle of a surface, by its binding.
    pub fn handle(&self, buffer: usize) -> Id<Def> {
        self.buffers[buffer]
    }

    /// The handle of a buffer, and the byte offset of a dword.
    fn dword_address(&mut self, buffer: usize, dword: Id<Def>) -> (Id<Def>, Id<Def>) {
        let two = self.imm_u32(2);
        (self.buffers[buffer], self.ishl(dword, two))
    }

    /// Reads a dword of a buffer.
    pub fn read(&mut self, buffer: usize, dword: Id<Def>) -> Id<Def> {
        let (handle, at) = self.dword_address(buffer, dword);
        let indices = [Access::default().bits(), DWORD[0], DWORD[1]];
        self.load(IntrinsicOp::LoadSsbo, 1, 32, &[handle, at], &indices)
    }

    /// Writes a dword of a buffer.
    pub fn write(&mut self, buffer: usize, dword: Id<Def>, value: Id<Def>) {
        let (handle, at) = self.dword_address(buffer, dword);
        let indices = [1, Access::default().bits(), DWORD[0], DWORD[1]];
        self.intrinsic(IntrinsicOp::StoreSsbo, None, &[value, handle, at], &indices);
    }

    /// Reads 1, 2, 4, 8 or 16 bytes at a byte offset of a buffer.
    pub fn read_unit(&mut self, buffer: usize, byte: Id<Def>, bytes: u32) -> Id<Def> {
        let (components, bits) = unit_type(bytes);
        let indices = [Access::default().bits(), bytes, 0];
        let srcs = [self.buffers[buffer], byte];
        self.load(IntrinsicOp::LoadSsbo, components, bits, &srcs, &indices)
    }

    /// Writes a value of [`ShaderBuilder::read_unit`].
    pub fn write_unit(&mut self, buffer: usize, byte: Id<Def>, bytes: u32, value: Id<Def>) {
        let (components, _) = unit_type(bytes);
        let mask = (1 << components) - 1;
        let indices = [mask, Access::default().bits(), bytes, 0];
        let srcs = [value, self.buffers[buffer], byte];
        self.intrinsic(IntrinsicOp::StoreSsbo, None, &srcs, &indices);
    }

    /// An atomic operation on a dword of a buffer.
    pub fn atomic(&mut self, op: AtomicOp, buffer: usize, dword: Id<Def>, value: Id<Def>) {
        let (handle, at) = self.dword_address(buffer, dword);
        let indices = [op as u32, Access::default().bits()];
        self.load(
            IntrinsicOp::SsboAtomic,
            1,
            32,
            &[handle, at, value],
            &indices,
        );
    }

    /// Whether a dword has any of `bits` set.
    pub fn has_any_bit(&mut self, value: Id<Def>, bits: u32) -> Id<Def> {
        let (bits, zero) = (self.imm_u32(bits), self.imm_u32(0));
        let found = self.iand(value, bits);
        self.ine(found, zero)
    }

    /// Emits `then` under a condition.
    pub fn if_then(&mut self, condition: Id<Def>, then: impl FnOnce(&mut Self)) {
        self.push_if(condition);
        then(self);
        self.pop_if();
    }

    /// Emits `then` under a condition, and `otherwise` under its negation.
    pub fn if_then_else(
        &mut self,
        condition: Id<Def>,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        self.push_if(condition);
        then(self);
        self.push_else();
        otherwise(self);
        self.pop_if();
    }
}
