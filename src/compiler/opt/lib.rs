//! NIR to lower or better NIR.
//!
//! In:  a valid [`nir::Shader`] from the SPIR-V front end: variables, derefs, vectors.
//! Out: scalar SSA from which the FS backend selects instructions.
//!
//! ## What holds after the pipeline for gen9
//! The backend relies on exactly this; [`validate_lowered`] checks it: what cannot be lowered is an error, never a
//! surprise further down.
//!
//! **Control flow** is that of `nir`: lists, `if`, `loop`, jumps, `Return` among them. Unreachable blocks are gone
//! but for the empty block that must follow an `if` or `loop`.
//!
//! **Values.** Booleans are 1-bit scalars. Every ALU operation has one component and reads one component of
//! each operand (`srcs[i].swizzle[0]`; the operand itself may be a longer load result). The exceptions are
//! `vec2`, `vec3`, `vec4`: they stand only before intrinsics that take vectors (stores, mainly). Phis are scalar.
//! `mov` remains only where a component of a vector feeds an intrinsic, a phi or an `if`.
//!
//! **ALU operations that may remain** (I = integers of 16, 32, 64 bits; F = floats of 16, 32, 64 bits):
//! - `mov vec2 vec3 vec4 bcsel` at any size;
//! - F: `fadd fmul ffma fneg fabs fsat ffloor fceil ftrunc ffract fround_even fmin fmax flt fge feq fneu`
//!   (64-bit rounding operations are lowered); `flrp` of 32 bits;
//! - F16, F32 (the math box): `frcp fsqrt frsq fexp2 flog2 fsin fcos fpow` (`frcp fsqrt frsq` of 64 bits are lowered);
//! - I: `iadd imul ineg iabs imin imax umin umax ilt ige ult uge ieq ine iand ior ixor inot ishl ishr ushr`
//!   (`imul` of 64 bits is lowered); `iand ior ixor inot ieq ine` also at 1 bit;
//! - 32 bits: `imul_high umul_high imul_2x32_64 umul_2x32_64`, and with the math box's integer division
//!   `idiv udiv irem umod` (by zero: any result);
//! - 32 bits: `bitfield_reverse bit_count find_lsb uclz ubfe ibfe bfi bfm`;
//! - `extract_u8 extract_i8 extract_u16 extract_i16` with a constant second operand;
//! - conversions `b2i b2f i2i u2u i2f u2f f2i f2u f2f f2f_rtz f2f_rtne`, any size to any size
//!   (8-bit values are only made, by conversion or load, and converted or stored);
//! - `pack_64_2x32_split unpack_64_2x32_split_x unpack_64_2x32_split_y pack_32_2x16_split
//!   unpack_32_2x16_split_x unpack_32_2x16_split_y pack_half_2x16_split unpack_half_2x16_split_x
//!   unpack_half_2x16_split_y`.
//!
//! With [`Ctx::soft_fp64`] none of these has an operand or a result that is a float of 64 bits, and with [`Ctx::soft_int64`] none but `mov`
//! and those that pack and unpack two words one that is an integer of 64 bits. Without a unit doubles cannot be reduced over lanes: that is an
//! error.
//!
//! **Everything else is lowered**, `fsub isub fdiv fmod frem fsign isign imod ldexp frexp_* fdot* pack_* unpack_*
//! find_msb uadd_carry usub_borrow *_sat bitfield_insert *bitfield_extract fquantize2f16` included.
//!
//! **Memory.** No derefs, no variables. `load_ubo load_ssbo store_ssbo load_push_constant load_constant load_shared store_shared
//! load_scratch store_scratch load_global load_global_constant store_global` access either 1 to 4 components of
//! 32 bits at an address that is a multiple of 4, or one component of 8 or 16 bits at a multiple of its size.
//! 64-bit data is loaded and stored as dwords. `write_mask` is full. `base` is used where there is one, the
//! offset operand is then the dynamic part. `vulkan_resource_index` remains: its operand is the array element.
//! Atomics have one component; those of 64 bits are `global_atomic` and `global_atomic_swap`. `deref_buffer_array_length` has become `get_ssbo_size` and arithmetic.
//!
//! **System values that remain:** `load_workgroup_id load_base_workgroup_id load_num_workgroups load_subgroup_id
//! load_subgroup_invocation load_subgroup_size` (the width of the variant). `load_local_invocation_index` has become
//! `subgroup_id * subgroup_size + subgroup_invocation`; `load_local_invocation_id` and `load_num_subgroups` follow from it.
//!
//! **Stages that draw.** Inputs and outputs are `load_input load_per_vertex_input load_interpolated_input load_output
//! load_per_vertex_output store_output store_per_vertex_output`: up to 4 components of 16 or 32 bits in one slot.
//! Distances to cull by stand behind those to clip by. `load_point_coord` has become an input, and in shaders that run for each
//! sample `load_frag_coord` and `load_sample_mask_in` are the pixel's, from which the sample's are made. `load_vertex_id` has become `load_vertex_id_zero_base` + `load_first_vertex`, `load_base_vertex` the latter.
//! Derivatives are scalar. `tex` has handles, no projector, no offset of a fetch, no four offsets of a gather;
//! images are `bindless_image_*`. A handle is `vulkan_resource_index`, as of a buffer; a sampler's is `vulkan_sampler_index`. Handles of
//! textures, samplers and images are the same for all active lanes. Images are read by formats that the data port takes; no image
//! is a cube or an input attachment.
//!
//! **Subgroup operations** are scalar. Constants and undefs may have several components.
//! `info.shared_bytes` and `info.scratch_bytes` are final.

mod algebra;
mod cf;
mod floats;
mod inputs_read;
mod lower_alpha_to_coverage;
mod lower_alu;
mod lower_alu_64;
mod lower_alu_to_scalar;
mod lower_bit_size;
mod lower_clip_cull_distance_arrays;
mod lower_explicit_io;
mod lower_image_formats;
mod lower_indirect_stores;
mod lower_indirect_vars;
mod lower_input_attachments;
mod lower_int64;
mod lower_io;
mod lower_io_to_temporaries;
mod lower_linked_inputs;
mod lower_mem_access;
mod lower_non_uniform_access;
mod lower_phis_to_scalar;
mod lower_resource_derefs;
mod lower_soft_fp64;
mod lower_ssbo_atomic_64;
mod lower_system_values;
mod lower_tex;
mod lower_tex_cubes;
mod lower_tex_multisample;
mod lower_var_copies;
mod lower_vars_to_ssa;
mod lower_views;
mod lower_ycbcr;
mod matching;
mod offset;
mod opt_access;
mod opt_algebraic;
mod opt_array_copies;
mod opt_constant_folding;
mod opt_copy_prop;
mod opt_cse;
mod opt_dce;
mod opt_dead_cf;
mod opt_dead_write_vars;
mod opt_end_if;
mod opt_factor;
mod opt_ffma;
mod opt_forward_stores;
mod opt_hoist;
mod opt_idiv_const;
mod opt_if;
mod opt_join_stores;
mod opt_large_constants;
mod opt_link_outputs;
mod opt_load_store_vectorize;
mod opt_loop_unroll;
mod opt_peephole_select;
mod opt_reassociate;
mod opt_reciprocals;
mod opt_remove_phis;
mod opt_signs;
mod opt_sink;
mod opt_undef;
mod opt_unread_components;
mod opt_unread_outputs;
mod outputs;
mod pass;
mod pipeline;
mod rewrite;
mod rule_set;
mod rules;
#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod text_tests;
mod validate_lowered;
mod word;

pub use algebra::{Inexact, Rule};
pub use inputs_read::inputs_read;
pub use pass::{Ctx, OptError, Pass, Run, Runner, Sink, Step, Timing};
pub use pipeline::GEN9;
pub use rules::RULES;
pub use validate_lowered::validate_lowered;

use nir::Shader;

/// Lowers and optimises a shader of any stage for gen9.
pub fn compile(shader: &mut Shader, ctx: Ctx) -> Result<(), OptError> {
    let mut runner = Runner {
        validate: cfg!(debug_assertions),
        ctx,
        ..Runner::default()
    };
    runner.run(shader, GEN9)?;
    validate_lowered(shader, &runner.ctx)
}
