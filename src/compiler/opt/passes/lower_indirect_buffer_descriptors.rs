//! Lowers accesses to buffers of sets with indirect descriptors.
//!
//! In:  `load_ubo`, `load_ssbo`, `store_ssbo`, `ssbo_atomic` and `get_ssbo_size` with handles, and
//!      the sets with indirect descriptors ([`Ctx::indirect_sets`]).
//! Out: global accesses at the addresses that the descriptors contain. An access that is partly or
//!      wholly out of bounds reads zeros, or writes where nothing reads: the hardware checks bounds
//!      of surfaces only, and null descriptors need the check even without robust accesses. With
//!      robust accesses, a vector that is partly out of bounds is accessed by component in a branch
//!      of its own, so that its other components are as they would be with a surface.
//!
//! A handle that was selected among several (variable pointers) may be that of a surface; its
//! buffer's address and size are read from the surface's state.
//! Ref: Vulkan, "Robust Buffer Access", "nullDescriptor"; crate `abi`, "Indirect descriptors".
//! Tests: tests/opt/lower_indirect_buffer_descriptors/.

use crate::pass::{Ctx, IndirectSets};
use crate::rewrite::cf::{CfEdit, split_block, split_blocks};
use crate::rewrite::indirect_descriptors::{emit_address, load_descriptor};
use crate::rewrite::instrs::{Action, lower_instrs};
use abi::IndirectDescriptor;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Alignment of a uniform buffer in bytes: inline uniform blocks have that of descriptors.
const UNIFORM_ALIGNMENT: u32 = IndirectDescriptor::BYTES;
/// Alignment of a storage buffer in bytes (`minStorageBufferOffsetAlignment`).
const STORAGE_ALIGNMENT: u32 = 4;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_indirect_buffer_descriptors(s: &mut Shader, ctx: &Ctx) -> bool {
    let sets = ctx.indirect_sets;
    if sets.mask == 0 {
        return false;
    }
    let vectors = split_blocks(
        s,
        |s, id| is_robust_vector(s, id, ctx).then_some(()),
        |s, edit, point, ()| {
            access_components(s, edit, point.list, point.at, point.block, point.k);
            // The branch.
            1
        },
    );
    let origin = |s: &Shader, i: &Instr| match i {
        Instr::Intrinsic(i) => handle_operand(i.op).map(|at| Origin::new(s, i.srcs[at], sets)),
        _ => None,
    };
    let accesses = lower_instrs(
        s,
        |s, i| origin(s, i).is_some_and(|origin| origin.indirect),
        |b, id| {
            let origin = origin(b.shader, &b.shader.instrs[id]);
            match (b.shader.instrs[id].clone(), origin) {
                (Instr::Intrinsic(i), Some(origin)) => lower(b, &i, origin, ctx),
                _ => Action::Keep,
            }
        },
    );
    vectors | accesses
}

/// True for a vector load or store that has to be robust.
fn is_robust_vector(s: &Shader, id: Id<Instr>, ctx: &Ctx) -> bool {
    use IntrinsicOp as Op;
    let Instr::Intrinsic(i) = &s.instrs[id] else {
        return false;
    };
    let (value, robust) = match i.op {
        Op::LoadUbo => (i.def, ctx.robust_buffers.uniform),
        Op::LoadSsbo => (i.def, ctx.robust_buffers.storage),
        Op::StoreSsbo => (i.srcs.first().copied(), ctx.robust_buffers.storage),
        _ => return false,
    };
    let is_vector = value.is_some_and(|value| s.defs[value].num_components > 1);
    let handle = handle_operand(i.op).map(|at| i.srcs[at]);
    let is_indirect = |handle| Origin::new(s, handle, ctx.indirect_sets).indirect;
    robust && is_vector && handle.is_some_and(is_indirect)
}

/// Adds a branch after the vector access at `k` of `block`, at `at` of `list`, for invocations of
/// which only the first components are in bounds: it accesses each component.
fn access_components(
    s: &mut Shader,
    edit: &mut CfEdit,
    list: ListRef,
    at: usize,
    block: Id<Block>,
    k: usize,
) {
    let (access, after) = split_block(s, edit, block, k);
    let Instr::Intrinsic(i) = s.instrs[access].clone() else {
        return;
    };
    let (partly, otherwise) = (
        s.blocks.push(Block::default()),
        s.blocks.push(Block::default()),
    );
    let is_store = i.op == IntrinsicOp::StoreSsbo;
    let handle_at = usize::from(is_store);
    let (handle, offset) = (i.srcs[handle_at], i.srcs[handle_at + 1]);
    let Some(value) = i.def.or(i.srcs.first().copied()) else {
        return;
    };
    let mut b = Builder::at_end_of_block(s, block);
    let (n, bits) = (b.components(value), b.bits(value));
    let bytes = u32::from(bits / 8);
    let size = b.load(IntrinsicOp::GetSsboSize, 1, 32, &[handle], &[]);
    let rest = b.imm_u32(u32::from(n) * bytes - 1);
    let end = b.usub_sat(size, rest);
    let (starts_inside, inside) = (b.ult(offset, size), b.ult(offset, end));
    let not_inside = b.inot(inside);
    let cond = b.iand(starts_inside, not_inside);
    let whole = match is_store {
        true => {
            b.insert_instr(access);
            None
        }
        false => Some(b.load(i.op, n, bits, &i.srcs, &i.indices)),
    };

    b.set_block_end(partly);
    let [mul, start] = [i.index("align_mul"), i.index("align_offset")];
    let mut components: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    for c in 0..n {
        let at_byte = u32::from(c) * bytes;
        let offset = b.iadd_imm(offset, at_byte.into());
        let alignment = [mul, (start + at_byte) % mul.max(1)];
        if !is_store {
            let indices = [i.index("access"), alignment[0], alignment[1]];
            components.push(b.load(i.op, 1, bits, &[handle, offset], &indices));
        } else if i.index("write_mask") >> c & 1 == 1 {
            let component = b.channel(value, c);
            let indices = [1, i.index("access"), alignment[0], alignment[1]];
            b.intrinsic(i.op, None, &[component, handle, offset], &indices);
        }
    }
    let parts = (!is_store).then(|| b.vec(&components));
    let branch = s.ifs.push(If {
        cond,
        then_list: vec![CfNode::Block(partly)],
        else_list: vec![CfNode::Block(otherwise)],
    });
    s.list_mut(list)
        .splice(at..at, [CfNode::If(branch), CfNode::Block(after)]);
    if let (Some(def), Some(whole), Some(parts)) = (i.def, whole, parts) {
        // The phi keeps the access's def, so that no use has to be rewritten.
        let srcs = SmallVec::from_iter([(partly, parts), (otherwise, whole)]);
        s.instrs[access] = Instr::Phi(Phi { def, srcs });
        s.blocks[after].instrs.insert(0, access);
    }
}

/// Position of the buffer's handle among the operands.
fn handle_operand(op: IntrinsicOp) -> Option<usize> {
    use IntrinsicOp as Op;
    match op {
        Op::LoadUbo | Op::LoadSsbo | Op::SsboAtomic | Op::SsboAtomicSwap | Op::GetSsboSize => {
            Some(0)
        }
        Op::StoreSsbo => Some(1),
        _ => None,
    }
}

/// What a handle may refer to.
#[derive(Clone, Copy, Default)]
struct Origin {
    /// Surfaces.
    direct: bool,
    /// Indirect descriptors.
    indirect: bool,
}

impl Origin {
    /// Follows the handle to the descriptors that it was selected from.
    fn new(s: &Shader, handle: Id<Def>, sets: IndirectSets) -> Origin {
        let mut origin = Origin::default();
        let mut seen: SmallVec<[Id<Def>; 8]> = SmallVec::from_iter([handle]);
        let mut next = 0;
        while let Some(&def) = seen.get(next) {
            next += 1;
            let mut follow = |source: Id<Def>| {
                if !seen.contains(&source) {
                    seen.push(source);
                }
            };
            match s.instr_of(def) {
                Instr::Intrinsic(i) if i.op == IntrinsicOp::VulkanResourceIndex => {
                    let indirect = sets.contains(i.index("set"));
                    origin.indirect |= indirect;
                    origin.direct |= !indirect;
                }
                Instr::Phi(phi) => phi.srcs.iter().for_each(|(_, source)| follow(*source)),
                Instr::Alu(alu) => {
                    let first = usize::from(alu.op == AluOp::Bcsel);
                    alu.srcs[first..]
                        .iter()
                        .for_each(|source| follow(source.def));
                }
                // A null pointer, which is read like a null surface.
                Instr::Const { .. } | Instr::Undef { .. } => origin.direct = true,
                // Loaded from a variable, for example: it can be any handle.
                _ => {
                    origin = Origin {
                        direct: true,
                        indirect: true,
                    }
                }
            }
        }
        origin
    }
}

/// A buffer: its address and its size in bytes.
#[derive(Clone, Copy)]
struct Buffer {
    address: Id<Def>,
    bytes: Id<Def>,
}

/// Loads address and size of a buffer.
fn load_buffer(b: &mut Builder<'_>, handle: Id<Def>, origin: Origin, base_high: u32) -> Buffer {
    let tag = b.imm_u32(IndirectDescriptor::TAG);
    // Neither a surface's handle nor an indirect descriptor's has the low bits of a null pointer.
    let low_bits = b.imm_u32(IndirectDescriptor::BYTES - 1);
    let low_bits = b.iand(handle, low_bits);
    let is_indirect = b.ieq(low_bits, tag);
    let indirect = match origin.direct {
        // The descriptor at offset 0, all zeros, serves lanes with another kind of handle.
        true => b.bcsel(is_indirect, handle, tag),
        false => handle,
    };
    let descriptor = load_descriptor(b, indirect, base_high, IndirectDescriptor::ADDRESS_DWORD, 3);
    let low = b.channel(descriptor, IndirectDescriptor::ADDRESS_DWORD as u8);
    let high = b.channel(descriptor, IndirectDescriptor::ADDRESS_DWORD as u8 + 1);
    let buffer = Buffer {
        address: b.pack_64_2x32_split(low, high),
        bytes: b.channel(descriptor, IndirectDescriptor::SIZE_DWORD as u8),
    };
    if !origin.direct {
        return buffer;
    }
    // The heap's first surface, which is null, serves the others.
    let zero = b.imm_u32(0);
    let is_surface = b.ieq(low_bits, zero);
    let surface = b.bcsel(is_surface, handle, zero);
    let address = b.load(IntrinsicOp::LoadSsboAddress, 1, 64, &[surface], &[]);
    let bytes = b.load(IntrinsicOp::GetSsboSize, 1, 32, &[surface], &[]);
    Buffer {
        address: b.bcsel(is_indirect, buffer.address, address),
        bytes: b.bcsel(is_indirect, buffer.bytes, bytes),
    }
}

/// The size of the inline uniform block with a handle; `None` if it is another buffer's.
fn inline_block_bytes(s: &Shader, handle: Id<Def>, ctx: &Ctx) -> Option<u32> {
    let index = s.intrinsic_of(handle)?;
    let is_index = index.op == IntrinsicOp::VulkanResourceIndex;
    let place = is_index.then(|| (index.index("set"), index.index("binding")))?;
    let mut blocks = ctx.inline_blocks.iter();
    let block = blocks.find(|(set, binding, _)| (*set, *binding) == place)?;
    Some(block.2)
}

/// An inline uniform block, which is in the set itself.
fn inline_block(b: &mut Builder<'_>, handle: Id<Def>, bytes: u32, base_high: u32) -> Buffer {
    let low = b.iadd_imm(handle, -i64::from(IndirectDescriptor::TAG));
    Buffer {
        address: emit_address(b, low, base_high),
        bytes: b.imm_u32(bytes),
    }
}

/// The address of `size` bytes at an offset of a buffer; the offset `outside` of the region of
/// indirect descriptors unless they are all in bounds. Also returns whether they are.
fn emit_bounded_address(
    b: &mut Builder<'_>,
    buffer: Buffer,
    offset: Id<Def>,
    size: u32,
    (outside, base_high): (u32, u32),
) -> (Id<Def>, Id<Def>) {
    let rest = b.imm_u32(size - 1);
    let end = b.usub_sat(buffer.bytes, rest);
    let inside = b.ult(offset, end);
    let offset = b.u2u(offset, 64);
    let address = b.iadd(buffer.address, offset);
    let outside = b.imm_u32(outside);
    let outside = emit_address(b, outside, base_high);
    (b.bcsel(inside, address, outside), inside)
}

/// The alignment of an address at an offset of the given alignment in a buffer.
fn align(i: &Intrinsic, buffer_alignment: u32) -> [u32; 2] {
    let (mul, offset) = (i.index("align_mul"), i.index("align_offset"));
    let mul = mul.min(buffer_alignment).max(1);
    [mul, offset % mul]
}

fn lower(b: &mut Builder<'_>, i: &Intrinsic, origin: Origin, ctx: &Ctx) -> Action {
    use IntrinsicOp as Op;
    let Some(at) = handle_operand(i.op) else {
        return Action::Keep;
    };
    let sets = ctx.indirect_sets;
    let buffer = match inline_block_bytes(b.shader, i.srcs[at], ctx) {
        Some(bytes) => inline_block(b, i.srcs[at], bytes, sets.base_high),
        None => load_buffer(b, i.srcs[at], origin, sets.base_high),
    };
    // The alignment that an access states also holds outside.
    let zeros = |start| (IndirectDescriptor::ZEROS_OFFSET + start, sets.base_high);
    let discarded = |start| (IndirectDescriptor::DISCARD_OFFSET + start, sets.base_high);
    let bytes = |b: &Builder<'_>, def| u32::from(b.components(def)) * u32::from(b.bits(def)) / 8;
    match i.op {
        Op::GetSsboSize => Action::Replace(buffer.bytes),
        Op::LoadUbo | Op::LoadSsbo => {
            let Some(def) = i.def else {
                return Action::Keep;
            };
            let size = bytes(b, def);
            let (op, alignment) = match i.op {
                Op::LoadUbo => (Op::LoadGlobalConstant, UNIFORM_ALIGNMENT),
                _ => (Op::LoadGlobal, STORAGE_ALIGNMENT),
            };
            let [mul, offset] = align(i, alignment);
            let (address, _) = emit_bounded_address(b, buffer, i.srcs[1], size, zeros(offset));
            let (n, bits) = (b.components(def), b.bits(def));
            let indices = [i.index("access"), mul, offset];
            Action::Replace(b.load(op, n, bits, &[address], &indices))
        }
        Op::StoreSsbo => {
            let size = bytes(b, i.srcs[0]);
            let [mul, offset] = align(i, STORAGE_ALIGNMENT);
            let (address, _) = emit_bounded_address(b, buffer, i.srcs[2], size, discarded(offset));
            let indices = [i.index("write_mask"), i.index("access"), mul, offset];
            b.intrinsic(Op::StoreGlobal, None, &[i.srcs[0], address], &indices);
            Action::Remove
        }
        _ => {
            let size = bytes(b, i.srcs[2]);
            let (address, inside) = emit_bounded_address(b, buffer, i.srcs[1], size, discarded(0));
            let mut operands: SmallVec<[Id<Def>; 4]> = SmallVec::from_iter([address]);
            operands.extend(i.srcs.iter().skip(2).copied());
            let op = match i.op {
                Op::SsboAtomic => Op::GlobalAtomic,
                _ => Op::GlobalAtomicSwap,
            };
            let bits = b.bits(i.srcs[2]);
            let old = b.load(op, 1, bits, &operands, &i.indices);
            if i.def.is_none() {
                return Action::Remove;
            }
            let zero = b.imm_int(bits, 0);
            Action::Replace(b.bcsel(inside, old, zero))
        }
    }
}
