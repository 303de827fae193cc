//! Passes as data, and the one loop that runs them.
//!
//! In:  a shader and a list of steps.
//! Out: the shader after them. Timing, dumps, validation and "stop after" live here and nowhere else.

use nir::{Shader, ValidateError, validate};
use std::ptr::fn_addr_eq;
use std::time::{Duration, Instant};

/// What passes know besides the shader.
#[derive(Clone, Debug)]
pub struct Ctx {
    /// Loops are unrolled up to this many instructions in all copies together.
    pub unroll_limit: u32,
    /// Local arrays of up to this many elements become selections where they are indexed dynamically.
    pub select_array_limit: u32,
    /// Textures whose colours are converted, with the number of their set.
    pub conversions: Vec<(u32, abi::Converted)>,
    /// What the stage behind reads, the API's own slots aside, where it is known.
    pub read_behind: Option<nir::Reads>,
    /// Where the stage before has put outputs that are not in their slots.
    pub links: Vec<abi::Link>,
    /// Accesses beyond a buffer leave those within as they are.
    pub robust_buffers: bool,
    /// Doubles are computed as pairs of words: the part has no unit for them.
    pub soft_fp64: bool,
    /// Integers of 64 bits are, for the same reason.
    pub soft_int64: bool,
}

impl Default for Ctx {
    fn default() -> Self {
        Ctx {
            unroll_limit: 832,
            select_array_limit: 16,
            conversions: Vec::new(),
            read_behind: None,
            links: Vec::new(),
            robust_buffers: false,
            soft_fp64: false,
            soft_int64: false,
        }
    }
}

/// What a pass does; true if it changed anything.
pub type Run = fn(&mut Shader, &Ctx) -> bool;

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name, as its file.
    pub name: &'static str,
    /// Runs it.
    pub run: Run,
}

/// A step of a pipeline.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Runs once.
    Once(Pass),
    /// Run in turn until none changes anything any more.
    UntilStable(&'static [Pass]),
    /// The same, for shaders of which this is true.
    UntilStableIf(fn(&Shader) -> bool, &'static [Pass]),
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptError {
    /// A pass left an invalid shader: a bug of that pass.
    #[error("after {pass}: {error}")]
    Invalid {
        /// The pass.
        pass: &'static str,
        /// What the validator says.
        error: ValidateError,
    },
    /// The shader uses something that the pipeline cannot lower.
    #[error("not supported: {0}")]
    Unsupported(String),
}

/// Time that one pass took, over all its runs.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Name of the pass.
    pub pass: &'static str,
    /// Runs.
    pub runs: u32,
    /// Runs that changed something.
    pub changes: u32,
    /// Time in all.
    pub time: Duration,
}

/// Where dumps go: the name of the pass that has run, and what it left.
pub type Sink<'a> = &'a mut dyn FnMut(&'static str, &Shader);

/// How to run a pipeline.
#[derive(Default)]
pub struct Runner<'a> {
    /// Called after each pass that changed something, with its name.
    pub dump: Option<Sink<'a>>,
    /// Ends the run behind the first run of the pass of this name.
    pub stop_after: Option<&'a str>,
    /// Validates after every pass that changed something.
    pub validate: bool,
    /// Collects times.
    pub timings: Option<Vec<Timing>>,
    /// Limits.
    pub ctx: Ctx,
    /// Passes that have run since the last change and found nothing: they would find nothing again.
    pub idle: Vec<Run>,
}

/// Rounds of [`Step::UntilStable`] after which a pipeline goes on without a fixed point. Passes that undo each other
/// are a bug, which the random shaders of the tests look for.
const MAX_ROUNDS: usize = 40;

impl Runner<'_> {
    /// Runs all steps. Returns true if the end was reached, false if `stop_after` ended the run.
    pub fn run(&mut self, shader: &mut Shader, steps: &[Step]) -> Result<bool, OptError> {
        self.idle.clear();
        self.idle.reserve(steps.len());
        for step in steps {
            match step {
                Step::Once(pass) => {
                    self.one(shader, pass)?;
                    if self.stop_after == Some(pass.name) {
                        return Ok(false);
                    }
                }
                Step::UntilStableIf(wants, _) if !wants(shader) => {}
                Step::UntilStable(passes) | Step::UntilStableIf(_, passes) => {
                    let mut quiet = 0;
                    let mut runs = 0;
                    'stable: loop {
                        for pass in *passes {
                            if self.one(shader, pass)? {
                                quiet = 0;
                            } else {
                                quiet += 1;
                            }
                            if self.stop_after == Some(pass.name) {
                                return Ok(false);
                            }
                            if quiet >= passes.len() {
                                break 'stable;
                            }
                        }
                        runs += 1;
                        if runs == MAX_ROUNDS {
                            break;
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Runs a pass, if it may find anything.
    fn one(&mut self, shader: &mut Shader, pass: &Pass) -> Result<bool, OptError> {
        let idle = self.idle.iter().any(|run| fn_addr_eq(*run, pass.run));
        // Debug builds look whether that is so.
        if idle && !cfg!(debug_assertions) {
            return Ok(false);
        }
        let start = self.timings.is_some().then(Instant::now);
        let changed = (pass.run)(shader, &self.ctx);
        debug_assert!(
            !(idle && changed),
            "{} found something the second time",
            pass.name
        );
        if changed {
            self.idle.clear();
        } else if !idle {
            self.idle.push(pass.run);
        }
        if let (Some(start), Some(timings)) = (start, &mut self.timings) {
            let time = start.elapsed();
            match timings.iter_mut().find(|t| t.pass == pass.name) {
                Some(t) => {
                    t.runs += 1;
                    t.changes += u32::from(changed);
                    t.time += time;
                }
                None => timings.push(Timing {
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
