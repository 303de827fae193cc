//! NIR passes: lowering and optimisation.
//!
//! In:  a valid [`nir::Shader`] from the SPIR-V front end: variables, derefs, vectors.
//! Out: scalar SSA from which the FS backend selects instructions.
//!
//! ## Invariants after the pipeline for gen9
//!
//! The backend relies on exactly these, and
//! [`validate_lowered()`] checks them: whatever cannot be lowered is an error here, not in the
//! backend.
//!
//! **Control flow** is that of `nir`: lists, `if`, `loop`, and jumps including `Return`. There are
//! no unreachable blocks except for the empty block that must follow an `if` or `loop`.
//!
//! **Values.** Booleans are 1-bit scalars. Every ALU operation has one component and reads one
//! component of each operand (`srcs[i].swizzle[0]`; the operand itself may be a vector, for example
//! the result of a load). The exceptions are `vec2`, `vec3` and `vec4`, which only occur before
//! intrinsics with vector operands, mainly stores. Phis are scalar. `mov` only remains where a
//! component of a vector is an operand of an intrinsic, a phi or an `if`.
//!
//! **ALU operations that may remain** (I = integers of 16, 32, 64 bits; F = floats of 16, 32, 64
//! bits):
//! - `mov vec2 vec3 vec4 bcsel` at any size;
//! - F: `fadd fmul ffma fneg fabs fsat ffloor fceil ftrunc ffract fround_even fmin fmax flt fge feq
//!   fneu` (64-bit rounding operations are lowered); `flrp` of 32 bits;
//! - F16, F32 (math box): `frcp fsqrt frsq fexp2 flog2 fsin fcos fpow` (`frcp fsqrt frsq` of 64
//!   bits are lowered);
//! - I: `iadd imul ineg iabs imin imax umin umax ilt ige ult uge ieq ine iand ior ixor inot ishl
//!   ishr ushr` (`imul` of 64 bits is lowered); `iand ior ixor inot ieq ine` also at 1 bit;
//! - 32 bits: `imul_high umul_high imul_2x32_64 umul_2x32_64`, and with the math box's integer
//!   division `idiv udiv irem umod` (division by zero may give any result);
//! - 32 bits: `bitfield_reverse bit_count find_lsb uclz ubfe ibfe bfi bfm`;
//! - `extract_u8 extract_i8 extract_u16 extract_i16` with a constant second operand;
//! - conversions `b2i b2f i2i u2u i2f u2f f2i f2u f2f f2f_rtz f2f_rtne`, any size to any size
//!   (8-bit values are only defined by conversions and loads, and only used by conversions and
//!   stores);
//! - `pack_64_2x32_split unpack_64_2x32_split_x unpack_64_2x32_split_y pack_32_2x16_split
//!   unpack_32_2x16_split_x unpack_32_2x16_split_y pack_half_2x16_split unpack_half_2x16_split_x
//!   unpack_half_2x16_split_y`.
//!
//! With [`Ctx::soft_fp64`], none of these has a 64-bit float as an operand or result. With
//! [`Ctx::soft_int64`], only `mov` and the operations that pack and unpack two words have 64-bit
//! integers. Without a double unit, subgroup reductions of doubles are an error.
//!
//! **Everything else is lowered**, including `fsub isub fdiv fmod frem fsign isign imod ldexp
//! frexp_* fdot* pack_* unpack_* find_msb uadd_carry usub_borrow *_sat bitfield_insert
//! *bitfield_extract fquantize2f16`.
//!
//! **Memory.** There are no derefs and no variables. `load_ubo load_ssbo store_ssbo
//! load_push_constant load_constant load_shared store_shared load_scratch store_scratch load_global
//! load_global_constant store_global` access either 1 to 4 components of 32 bits at an address that
//! is a multiple of 4, or one component of 8 or 16 bits at a multiple of its size. 64-bit data is
//! loaded and stored as dwords. `write_mask` is full. For intrinsics with a `base`, it holds the
//! constant part of the offset and the operand the dynamic part. `vulkan_resource_index` remains;
//! its operand is the array element. Atomics have one component; 64-bit ones are `global_atomic`
//! and `global_atomic_swap`. `deref_buffer_array_length` is lowered to `get_ssbo_size` and
//! arithmetic.
//!
//! **System values that remain:** `load_workgroup_id load_base_workgroup_id load_num_workgroups
//! load_subgroup_id load_subgroup_invocation load_subgroup_size` (the SIMD width of the variant).
//! `load_local_invocation_index` is lowered to `subgroup_id * subgroup_size + subgroup_invocation`;
//! `load_local_invocation_id` and `load_num_subgroups` follow from it.
//!
//! **Graphics stages.** Inputs and outputs are `load_input load_per_vertex_input
//! load_interpolated_input load_output load_per_vertex_output store_output store_per_vertex_output`
//! of up to 4 components of 16 or 32 bits in one slot. Cull distances follow clip distances.
//! `load_point_coord` is lowered to an input. In shaders that run per sample, `load_frag_coord` and
//! `load_sample_mask_in` are the pixel's, from which the sample's are computed. `load_vertex_id` is
//! lowered to `load_vertex_id_zero_base` + `load_first_vertex`, and `load_base_vertex` to the
//! latter. Derivatives are scalar. `tex` has handles, and no projector, offset of a fetch, or four
//! offsets of a gather; images are `bindless_image_*`. Handles are `vulkan_resource_index`, as for
//! buffers; those of samplers are `vulkan_sampler_index`. Handles of textures, samplers and images
//! are uniform among the active lanes. Images are read with formats that the data port supports; no
//! image is a cube or an input attachment.
//!
//! **Subgroup operations** are scalar. Constants and undefs may have several components.
//! `info.shared_bytes` and `info.scratch_bytes` are final.

mod algebra;
mod analysis;
mod compile;
mod pass;
mod passes;
mod pipeline;
mod rewrite;
mod runner;
#[cfg(test)]
mod tests;
mod validate_lowered;

pub use algebra::pattern::{Inexact, RewriteRule};
pub use algebra::rules::RULES;
pub use analysis::inputs_read::inputs_read;
pub use compile::{compile, remove_dead_control_flow};
pub use pass::{Ctx, IndirectSets, OptError, Pass, PassFn, PipelineStep, RobustBuffers};
pub use pipeline::GEN9;
pub use runner::{DumpFn, PassRunner, PassTiming};
pub use validate_lowered::validate_lowered;
