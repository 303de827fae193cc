//! The pipeline, as data.

use crate::analysis::dynamic_index;
use crate::pass::{Pass, PipelineStep};
use crate::passes::{lower_int64, opt_low_bits};
use nir::Shader;

macro_rules! pass {
    ($name:ident) => {
        Pass {
            name: stringify!($name),
            run: crate::passes::$name::$name,
        }
    };
}

/// All stages on gen9: from the SPIR-V front end's output to the invariants in the crate's
/// documentation.
pub static GEN9: &[PipelineStep] = &[
    PipelineStep::Once(pass!(opt_dead_cf)),
    PipelineStep::Once(pass!(opt_unread_outputs)),
    PipelineStep::Once(pass!(lower_io_to_temporaries)),
    PipelineStep::Once(pass!(lower_var_copies)),
    PipelineStep::UntilStableIf(dynamic_index::indexes_arrays, UNROLL),
    PipelineStep::Once(pass!(opt_array_copies)),
    PipelineStep::Once(pass!(opt_large_constants)),
    PipelineStep::Once(pass!(opt_join_stores)),
    PipelineStep::Once(pass!(lower_indirect_vars)),
    PipelineStep::Once(pass!(lower_indirect_stores)),
    PipelineStep::Once(pass!(lower_vars_to_ssa)),
    PipelineStep::Once(pass!(opt_dead_write_vars)),
    PipelineStep::Once(pass!(opt_remove_phis)),
    PipelineStep::Once(pass!(opt_copy_prop)),
    PipelineStep::Once(pass!(opt_dce)),
    PipelineStep::Once(pass!(opt_access)),
    PipelineStep::Once(pass!(lower_clip_cull_distance_arrays)),
    PipelineStep::Once(pass!(lower_io)),
    PipelineStep::Once(pass!(lower_linked_inputs)),
    PipelineStep::Once(pass!(opt_unread_components)),
    PipelineStep::Once(pass!(lower_views)),
    PipelineStep::Once(pass!(lower_alpha_to_coverage)),
    PipelineStep::Once(pass!(lower_input_attachments)),
    PipelineStep::Once(pass!(lower_resource_derefs)),
    PipelineStep::Once(pass!(lower_ycbcr)),
    PipelineStep::Once(pass!(lower_indirect_image_descriptors)),
    // Its atomics take non-uniform handles.
    PipelineStep::Once(pass!(lower_image_int64)),
    PipelineStep::Once(pass!(lower_texel_offsets)),
    PipelineStep::Once(pass!(lower_non_uniform_access)),
    PipelineStep::Once(pass!(lower_image_formats)),
    PipelineStep::Once(pass!(lower_tex)),
    PipelineStep::Once(pass!(lower_tex_cubes)),
    PipelineStep::Once(pass!(lower_tex_multisample)),
    PipelineStep::Once(pass!(lower_explicit_io)),
    PipelineStep::Once(pass!(lower_indirect_buffer_descriptors)),
    PipelineStep::Once(pass!(lower_ssbo_atomic_64)),
    PipelineStep::Once(pass!(lower_system_values)),
    PipelineStep::Once(pass!(lower_mem_access)),
    PipelineStep::Once(pass!(lower_alu_to_scalar)),
    PipelineStep::Once(pass!(lower_phis_to_scalar)),
    // Before `opt_algebraic` counts uses.
    PipelineStep::Once(pass!(opt_copy_prop)),
    PipelineStep::UntilStable(OPTIMISE),
    // The bounds of loops are in front of them then.
    PipelineStep::Once(pass!(opt_licm)),
    PipelineStep::Once(pass!(opt_partial_unroll)),
    PipelineStep::UntilStableIf(has_loops, OPTIMISE),
    PipelineStep::UntilStableIf(opt_low_bits::splits_sums, LOW_BITS),
    PipelineStep::Once(pass!(opt_reassociate)),
    PipelineStep::Once(pass!(opt_barriers)),
    PipelineStep::Once(pass!(opt_forward_stores)),
    PipelineStep::Once(pass!(opt_load_store_vectorize)),
    PipelineStep::UntilStable(ALU),
    PipelineStep::Once(pass!(opt_idiv_const)),
    PipelineStep::Once(pass!(lower_bit_size)),
    PipelineStep::Once(pass!(opt_extracts)),
    PipelineStep::UntilStable(OPTIMISE),
    PipelineStep::UntilStableIf(lower_int64::selects_64_bit, SELECTIONS),
    PipelineStep::Once(pass!(opt_link_outputs)),
    PipelineStep::Once(pass!(opt_reciprocals)),
    PipelineStep::Once(pass!(opt_ffma)),
    PipelineStep::Once(pass!(opt_dce)),
    PipelineStep::Once(pass!(opt_factor)),
    PipelineStep::Once(pass!(opt_signs)),
    PipelineStep::Once(pass!(opt_dce)),
    PipelineStep::UntilStableIf(has_loops, LOOPS),
    PipelineStep::Once(pass!(opt_sink)),
];

/// Expansions of one of these passes may need another one.
static ALU: &[Pass] = &[pass!(lower_soft_fp64), pass!(lower_int64), pass!(lower_alu)];

/// Makes the parts of sums common before offsets are compared.
static LOW_BITS: &[Pass] = &[pass!(opt_low_bits), pass!(opt_copy_prop), pass!(opt_cse)];

/// Moves computations out of loops. What strength reduction leaves in front of an inner loop may
/// move out of the outer one.
static LOOPS: &[Pass] = &[pass!(opt_licm), pass!(opt_strength_reduce), pass!(opt_dce)];

fn has_loops(s: &Shader) -> bool {
    !s.loops.is_empty()
}

/// Lowers 64-bit selections, which `opt_peephole_select` and `opt_if` may have added.
static SELECTIONS: &[Pass] = &[
    pass!(lower_soft_fp64),
    pass!(lower_int64),
    pass!(opt_algebraic),
    pass!(opt_cse),
    pass!(opt_dce),
];

/// Unrolls loops that index local arrays, so that the indices are constants and the arrays can be
/// promoted to SSA values, and determines which elements are constants.
static UNROLL: &[Pass] = &[
    pass!(lower_vars_to_ssa),
    pass!(opt_remove_phis),
    // For vectors, which `opt_algebraic` does not propagate.
    pass!(opt_copy_prop),
    pass!(opt_constant_folding),
    pass!(opt_algebraic),
    pass!(opt_if),
    pass!(opt_dead_cf),
    pass!(opt_dce),
    pass!(opt_loop_unroll),
];

/// Optimisations to a fixed point. `opt_algebraic` also propagates copies and folds constants.
static OPTIMISE: &[Pass] = &[
    pass!(opt_algebraic),
    pass!(opt_cse),
    pass!(opt_hoist),
    pass!(opt_remove_phis),
    pass!(opt_undef),
    pass!(opt_dead_cf),
    pass!(opt_if),
    pass!(opt_end_if),
    pass!(opt_peephole_select),
    pass!(opt_loop_unroll),
    // Unrolling a loop with several exits may add vector phis.
    pass!(lower_phis_to_scalar),
    pass!(opt_dce),
];
