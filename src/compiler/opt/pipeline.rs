//! The pipeline, as data.

use crate::analysis::dynamic_index;
use crate::pass::{Pass, Step};
use crate::passes::lower_int64;

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
pub static GEN9: &[Step] = &[
    Step::Once(pass!(opt_dead_cf)),
    Step::Once(pass!(opt_unread_outputs)),
    Step::Once(pass!(lower_io_to_temporaries)),
    Step::Once(pass!(lower_var_copies)),
    Step::UntilStableIf(dynamic_index::indexes_arrays, UNROLL),
    Step::Once(pass!(opt_array_copies)),
    Step::Once(pass!(opt_large_constants)),
    Step::Once(pass!(opt_join_stores)),
    Step::Once(pass!(lower_indirect_vars)),
    Step::Once(pass!(lower_indirect_stores)),
    Step::Once(pass!(lower_vars_to_ssa)),
    Step::Once(pass!(opt_dead_write_vars)),
    Step::Once(pass!(opt_remove_phis)),
    Step::Once(pass!(opt_copy_prop)),
    Step::Once(pass!(opt_dce)),
    Step::Once(pass!(opt_access)),
    Step::Once(pass!(lower_clip_cull_distance_arrays)),
    Step::Once(pass!(lower_io)),
    Step::Once(pass!(lower_linked_inputs)),
    Step::Once(pass!(opt_unread_components)),
    Step::Once(pass!(lower_views)),
    Step::Once(pass!(lower_alpha_to_coverage)),
    Step::Once(pass!(lower_input_attachments)),
    Step::Once(pass!(lower_resource_derefs)),
    Step::Once(pass!(lower_ycbcr)),
    Step::Once(pass!(lower_non_uniform_access)),
    Step::Once(pass!(lower_image_formats)),
    Step::Once(pass!(lower_tex)),
    Step::Once(pass!(lower_tex_cubes)),
    Step::Once(pass!(lower_tex_multisample)),
    Step::Once(pass!(lower_explicit_io)),
    Step::Once(pass!(lower_ssbo_atomic_64)),
    Step::Once(pass!(lower_system_values)),
    Step::Once(pass!(lower_mem_access)),
    Step::Once(pass!(lower_alu_to_scalar)),
    Step::Once(pass!(lower_phis_to_scalar)),
    // Before `opt_algebraic` counts uses.
    Step::Once(pass!(opt_copy_prop)),
    Step::UntilStable(OPTIMISE),
    Step::Once(pass!(opt_reassociate)),
    Step::Once(pass!(opt_forward_stores)),
    Step::Once(pass!(opt_load_store_vectorize)),
    Step::UntilStable(ALU),
    Step::Once(pass!(opt_idiv_const)),
    Step::Once(pass!(lower_bit_size)),
    Step::UntilStable(OPTIMISE),
    Step::UntilStableIf(lower_int64::selects_64_bit, SELECTIONS),
    Step::Once(pass!(opt_link_outputs)),
    Step::Once(pass!(opt_reciprocals)),
    Step::Once(pass!(opt_ffma)),
    Step::Once(pass!(opt_dce)),
    Step::Once(pass!(opt_factor)),
    Step::Once(pass!(opt_signs)),
    Step::Once(pass!(opt_dce)),
    Step::Once(pass!(opt_sink)),
];

/// Expansions of one of these passes may need another one.
static ALU: &[Pass] = &[pass!(lower_soft_fp64), pass!(lower_int64), pass!(lower_alu)];

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
