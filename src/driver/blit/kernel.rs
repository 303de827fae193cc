//! What the internal shaders have in common: storage buffers of dwords, push constants of dwords, an invocation for each element.
//!
//! In:  a body that builds instructions. Out: NIR of a compute shader, as the front end would have made it.

use std::ops::{Deref, DerefMut};

use entity::Id;
use nir::{Access, AtomicOp, Builder, Def, IntrinsicOp, Shader, Slot, Stage};

use crate::clear::store;

/// Invocations of a workgroup of every internal shader.
pub const WORKGROUP: u32 = 64;

/// A shader being built: NIR's builder, and access to buffers by number and dword.
pub struct Kernel<'s> {
    builder: Builder<'s>,
    buffers: Vec<Id<Def>>,
}

impl<'s> Deref for Kernel<'s> {
    type Target = Builder<'s>;
    fn deref(&self) -> &Builder<'s> {
        &self.builder
    }
}

impl<'s> DerefMut for Kernel<'s> {
    fn deref_mut(&mut self) -> &mut Builder<'s> {
        &mut self.builder
    }
}

/// A shader with `buffers` storage buffers at set 0, bindings 0 on, that runs `body` with the number of the invocation and the
/// push constants.
pub fn shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    body: impl FnOnce(&mut Kernel<'_>, Id<Def>, [Id<Def>; PUSH_DW]),
) -> Shader {
    grouped(name, buffers, WORKGROUP, |k, [group, ..], local, push| {
        let start = k.imul_imm(group, WORKGROUP.into());
        let invocation = k.iadd(start, local);
        body(k, invocation, push);
    })
}

/// As [`shader`], in rows of workgroups: `body` gets the number of the row, too.
pub fn rows_shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    body: impl FnOnce(&mut Kernel<'_>, Id<Def>, Id<Def>, [Id<Def>; PUSH_DW]),
) -> Shader {
    grouped(
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

/// Invocations of a workgroup along x, of shaders for planes.
pub const GROUP_X: u32 = 16;
/// The same along y.
pub const GROUP_Y: u32 = WORKGROUP / GROUP_X;

/// As [`shader`], with an invocation for each place in a box: `body` gets its column, row and slice.
pub fn plane_shader<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    body: impl FnOnce(&mut Kernel<'_>, [Id<Def>; 3], [Id<Def>; PUSH_DW]),
) -> Shader {
    grouped(name, buffers, WORKGROUP, |k, [x, y, slice], local, push| {
        let (low, shift) = (k.imm_u32(GROUP_X - 1), k.imm_u32(GROUP_X.ilog2()));
        let (left, top) = (k.imul_imm(x, GROUP_X.into()), k.imul_imm(y, GROUP_Y.into()));
        let (column, row) = (k.iand(local, low), k.ushr(local, shift));
        let place = [k.iadd(left, column), k.iadd(top, row), slice];
        body(k, place, push);
    })
}

fn grouped<const PUSH_DW: usize>(
    name: &str,
    buffers: u32,
    invocations: u32,
    body: impl FnOnce(&mut Kernel<'_>, [Id<Def>; 3], Id<Def>, [Id<Def>; PUSH_DW]),
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
    body(&mut Kernel { builder, buffers }, groups, local, push);
    shader
}

/// A fragment shader that gives the first target what `body` makes of the pixel's column and row and of dwords of push constants, from
/// `first_dw` on. The first of these is the handle of a texture, which is surface 0.
pub fn fragment_shader<const PUSH_DW: usize>(
    name: &str,
    first_dw: u32,
    body: impl FnOnce(&mut Kernel<'_>, [Id<Def>; 2], [Id<Def>; PUSH_DW]) -> Option<[Id<Def>; 4]>,
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
    let mut kernel = Kernel { builder, buffers };
    if let (Some(colour), Some(slot)) = (body(&mut kernel, pixel, push), Slot::var(0)) {
        let colour = kernel.vec(&colour);
        store(&mut kernel, slot, colour);
    }
    shader
}

/// Components and their bits of a unit of bytes.
fn unit(bytes: u32) -> (u8, u8) {
    match bytes {
        1 | 2 => (1, 8 * bytes as u8),
        _ => ((bytes / 4) as u8, 32),
    }
}

/// Byte alignment of accesses to dwords: `align_mul` and `align_offset`.
const DWORD: [u32; 2] = [4, 0];

/// Runs `body` for places of a box.
pub fn inside(
    k: &mut Kernel<'_>,
    [column, row]: [Id<Def>; 2],
    [columns, rows]: [Id<Def>; 2],
    body: impl FnOnce(&mut Kernel<'_>),
) {
    let (across, down) = (k.ult(column, columns), k.ult(row, rows));
    let both = k.iand(across, down);
    k.when(both, body);
}

impl Kernel<'_> {
    /// Handle of a surface, by its binding.
    pub fn handle(&self, buffer: usize) -> Id<Def> {
        self.buffers[buffer]
    }

    /// Handle of a buffer, and the byte of a dword in it.
    fn place(&mut self, buffer: usize, dword: Id<Def>) -> (Id<Def>, Id<Def>) {
        let two = self.imm_u32(2);
        (self.buffers[buffer], self.ishl(dword, two))
    }

    /// Reads a dword of a buffer.
    pub fn read(&mut self, buffer: usize, dword: Id<Def>) -> Id<Def> {
        let (handle, at) = self.place(buffer, dword);
        let indices = [Access::default().bits(), DWORD[0], DWORD[1]];
        self.load(IntrinsicOp::LoadSsbo, 1, 32, &[handle, at], &indices)
    }

    /// Writes a dword of a buffer.
    pub fn write(&mut self, buffer: usize, dword: Id<Def>, value: Id<Def>) {
        let (handle, at) = self.place(buffer, dword);
        let indices = [1, Access::default().bits(), DWORD[0], DWORD[1]];
        self.intrinsic(IntrinsicOp::StoreSsbo, None, &[value, handle, at], &indices);
    }

    /// Reads 1, 2, 4, 8 or 16 bytes at a byte of a buffer.
    pub fn read_unit(&mut self, buffer: usize, byte: Id<Def>, bytes: u32) -> Id<Def> {
        let (components, bits) = unit(bytes);
        let indices = [Access::default().bits(), bytes, 0];
        let srcs = [self.buffers[buffer], byte];
        self.load(IntrinsicOp::LoadSsbo, components, bits, &srcs, &indices)
    }

    /// Writes what [`Kernel::read_unit`] has read.
    pub fn write_unit(&mut self, buffer: usize, byte: Id<Def>, bytes: u32, value: Id<Def>) {
        let (components, _) = unit(bytes);
        let mask = (1 << components) - 1;
        let indices = [mask, Access::default().bits(), bytes, 0];
        let srcs = [value, self.buffers[buffer], byte];
        self.intrinsic(IntrinsicOp::StoreSsbo, None, &srcs, &indices);
    }

    /// An atomic operation on a dword of a buffer.
    pub fn atomic(&mut self, op: AtomicOp, buffer: usize, dword: Id<Def>, value: Id<Def>) {
        let (handle, at) = self.place(buffer, dword);
        let indices = [op as u32, Access::default().bits()];
        self.load(
            IntrinsicOp::SsboAtomic,
            1,
            32,
            &[handle, at, value],
            &indices,
        );
    }

    /// Whether a dword has any of `bits`.
    pub fn any_bit(&mut self, value: Id<Def>, bits: u32) -> Id<Def> {
        let (bits, zero) = (self.imm_u32(bits), self.imm_u32(0));
        let found = self.iand(value, bits);
        self.ine(found, zero)
    }

    /// Runs `then` where the condition holds.
    pub fn when(&mut self, condition: Id<Def>, then: impl FnOnce(&mut Self)) {
        self.push_if(condition);
        then(self);
        self.pop_if();
    }

    /// Runs `then` where the condition holds, and `otherwise` elsewhere.
    pub fn either(
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
