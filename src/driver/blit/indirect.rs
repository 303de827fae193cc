//! Copies of memory whose addresses and sizes the GPU reads.
//!
//! In:  a list of copies in memory. Out: NIR; launches. All invocations of a row share one copy,
//!      dword by dword, by addresses of 64 bits.
//! Ref: VK_KHR_copy_memory_indirect: addresses and sizes are multiples of 4.

use entity::Id;
use nir::{Access, AluOp, Def, Instr, IntrinsicOp, Jump};

use crate::launch::{Launch, MemoryRange, Shader};
use crate::shader_builder::{ShaderBuilder, WORKGROUP, rows_shader};

/// Workgroups of a copy.
const GROUPS: u32 = 64;
/// Maximum number of bytes of the list that one launch reads: one surface.
const MAX_LIST_BYTES: u64 = 1 << 29;
/// Bytes of a copy in the list: two addresses and a size.
const COPY_BYTES: u64 = 24;
/// Byte alignment of dword accesses: `align_mul` and `align_offset`.
const DWORD: [u32; 2] = [4, 0];

/// Copies a dword from one address to another.
fn copy_dword(k: &mut ShaderBuilder<'_>, from: Id<Def>, to: Id<Def>) {
    let access = Access::default().bits();
    let indices = [access, DWORD[0], DWORD[1]];
    let value = k.load(IntrinsicOp::LoadGlobal, 1, 32, &[from], &indices);
    let indices = [1, access, DWORD[0], DWORD[1]];
    k.intrinsic(IntrinsicOp::StoreGlobal, None, &[value, to], &indices);
}

/// The shader. Push constants: 0 dwords from one copy of the list to the next, 1 the number of
/// invocations of a copy.
pub(crate) fn nir() -> nir::Shader {
    rows_shader("copy_indirect", 1, |k, first, row, [stride_dw, step]| {
        let base = k.imul(row, stride_dw);
        let [source, destination, bytes] = [0, 2, 4].map(|member| {
            let [low, high] = [0, 1].map(|half| {
                let at = k.iadd_imm(base, member + half);
                k.read(0, at)
            });
            k.alu(AluOp::Pack64_2x32Split, &[low, high])
        });
        let two = k.imm_u32(2);
        let count = k.ushr(bytes, two);
        let (first, step) = (
            k.alu_sized(AluOp::U2U, &[first], 64),
            k.alu_sized(AluOp::U2U, &[step], 64),
        );
        let before = k.block();
        k.push_loop();
        let at = k.phi(1, 64, &[(before, first)]);
        let done = k.uge(at, count);
        k.if_then(done, |k| k.jump(Jump::Break));
        let offset = k.ishl(at, two);
        let (from, to) = (k.iadd(source, offset), k.iadd(destination, offset));
        copy_dword(k, from, to);
        let next = k.iadd(at, step);
        let end = k.block();
        k.pop_loop();
        let phi = k.shader.defs[at].instr;
        if let Instr::Phi(phi) = &mut k.shader.instrs[phi] {
            phi.srcs.push((end, next));
        }
    })
}

/// Launches that perform `count` copies, which are listed from `address` on, `stride_bytes` apart;
/// both are multiples of 4. `None` if the stride is too short for a copy.
pub fn copy_indirect_launches(
    address: u64,
    stride_bytes: u64,
    count: u32,
) -> Option<impl Iterator<Item = Launch>> {
    // The stride of a single copy does not matter.
    let stride_bytes = if count == 1 { COPY_BYTES } else { stride_bytes };
    let fits = (COPY_BYTES..=MAX_LIST_BYTES).contains(&stride_bytes);
    let at_once = u32::try_from(MAX_LIST_BYTES / stride_bytes.max(1)).unwrap_or(u32::MAX);
    // Rows of workgroups have 16 bits.
    let at_once = at_once.clamp(1, u16::MAX.into());
    fits.then(|| {
        (0..count).step_by(at_once as usize).map(move |first| {
            let rows = at_once.min(count - first);
            let list = MemoryRange {
                address: address + u64::from(first) * stride_bytes,
                bytes: u64::from(rows - 1) * stride_bytes + COPY_BYTES,
            };
            let push = [(stride_bytes / 4) as u32, GROUPS * WORKGROUP];
            let none = MemoryRange::default();
            let shader = Shader::CopyIndirect;
            let mut launch = Launch::one_dimensional(shader, [list, none], &push, GROUPS);
            launch.groups[1] = rows;
            launch
        })
    })
}
