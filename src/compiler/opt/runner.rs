//! Runs a pipeline.
//!
//! In:  a shader and a list of steps.
//! Out: the transformed shader. Timing, dumps, validation and `stop_after` are handled here and
//!      nowhere else.

use crate::pass::{Ctx, OptError, Pass, PassFn, PipelineStep};
use nir::{Shader, validate};
use std::ptr::fn_addr_eq;
use std::time::{Duration, Instant};

/// Time that one pass took, summed over its runs.
#[derive(Clone, Copy, Debug)]
pub struct PassTiming {
    /// Name of the pass.
    pub pass: &'static str,
    /// Number of runs.
    pub runs: u32,
    /// Number of runs that changed the shader.
    pub changes: u32,
    /// Total time.
    pub time: Duration,
}

/// Receives dumps: the name of the pass that has run, and the shader after it.
pub type DumpFn<'a> = &'a mut dyn FnMut(&'static str, &Shader);

/// Runs pipelines.
#[derive(Default)]
pub struct PassRunner<'a> {
    /// Called after each pass that changed the shader.
    pub dump: Option<DumpFn<'a>>,
    /// Name of the pass after whose first run the pipeline stops.
    pub stop_after: Option<&'a str>,
    /// Validates the shader after every pass that changed it.
    pub validate: bool,
    /// If set, collects the time that each pass takes.
    pub timings: Option<Vec<PassTiming>>,
    /// What the passes need to know besides the shader.
    pub ctx: Ctx,
    /// Passes that have run since the last change without changing anything, and would not change
    /// anything now.
    pub converged: Vec<PassFn>,
}

/// Maximum number of rounds of a [`PipelineStep::UntilStable`]; the pipeline then continues without
/// a fixed point. Passes that undo each other are a bug, which the tests look for with random
/// shaders.
const MAX_ROUNDS: usize = 40;

impl PassRunner<'_> {
    /// Runs all steps. Returns true if the end was reached, false if `stop_after` ended the run.
    pub fn run(&mut self, shader: &mut Shader, steps: &[PipelineStep]) -> Result<bool, OptError> {
        self.converged.clear();
        self.converged.reserve(steps.len());
        for step in steps {
            match step {
                PipelineStep::Once(pass) => {
                    self.run_pass(shader, pass)?;
                    if self.stop_after == Some(pass.name) {
                        return Ok(false);
                    }
                }
                PipelineStep::UntilStableIf(predicate, _) if !predicate(shader) => {}
                PipelineStep::UntilStable(passes) | PipelineStep::UntilStableIf(_, passes) => {
                    if !self.run_until_stable(shader, passes)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Runs passes in turn until none changes the shader. Returns false if `stop_after` ended the
    /// run.
    fn run_until_stable(&mut self, shader: &mut Shader, passes: &[Pass]) -> Result<bool, OptError> {
        let mut unchanged_runs = 0;
        for _ in 0..MAX_ROUNDS {
            for pass in passes {
                if self.run_pass(shader, pass)? {
                    unchanged_runs = 0;
                } else {
                    unchanged_runs += 1;
                }
                if self.stop_after == Some(pass.name) {
                    return Ok(false);
                }
                if unchanged_runs >= passes.len() {
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    /// Runs a pass unless it is known to change nothing. Returns true if it changed the shader.
    fn run_pass(&mut self, shader: &mut Shader, pass: &Pass) -> Result<bool, OptError> {
        let converged = self.converged.iter().any(|run| fn_addr_eq(*run, pass.run));
        // Debug builds run it all the same, to check that it changes nothing.
        if converged && !cfg!(debug_assertions) {
            return Ok(false);
        }
        let start = self.timings.is_some().then(Instant::now);
        let changed = (pass.run)(shader, &self.ctx);
        debug_assert!(
            !(converged && changed),
            "{} changed the shader right after it had nothing to change",
            pass.name
        );
        if changed {
            self.converged.clear();
        } else if !converged {
            self.converged.push(pass.run);
        }
        if let (Some(start), Some(timings)) = (start, &mut self.timings) {
            let time = start.elapsed();
            match timings.iter_mut().find(|t| t.pass == pass.name) {
                Some(t) => {
                    t.runs += 1;
                    t.changes += u32::from(changed);
                    t.time += time;
                }
                None => timings.push(PassTiming {
                    pass: pass.name,
                    runs: 1,
                    changes: u32::from(changed),
                    time,
                }),
            }
        }
        if changed {
            if let Some(dump) = &mut self.dump {
                dump(pass.name, shader);
            }
            if self.validate
                && let Err(error) = validate(shader)
            {
                return Err(OptError::Invalid {
                    pass: pass.name,
                    error,
                });
            }
        }
        Ok(changed)
    }
}
