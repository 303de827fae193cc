//! The whole of this crate's work in one call.
//!
//! In:  a shader of any stage from the SPIR-V front end.
//! Out: the shader with the invariants in the crate's documentation, or an error.

use crate::pass::{Ctx, OptError};
use crate::passes::opt_dead_cf::opt_dead_cf;
use crate::pipeline::GEN9;
use crate::runner::PassRunner;
use crate::validate_lowered::validate_lowered;
use nir::Shader;

/// Lowers and optimises a shader of any stage for gen9. Debug builds validate it after every pass.
pub fn compile(shader: &mut Shader, ctx: Ctx) -> Result<(), OptError> {
    let mut runner = PassRunner {
        validate: cfg!(debug_assertions),
        ctx,
        ..PassRunner::default()
    };
    runner.run(shader, GEN9)?;
    validate_lowered(shader, &runner.ctx)
}

/// Removes what constants, among them specialization constants, keep from being executed: the first
/// pass of [`compile`], for [`inputs_read`](crate::inputs_read) before it.
pub fn remove_dead_control_flow(shader: &mut Shader) {
    opt_dead_cf(shader, &Ctx::default());
}
