//! Executing a parsed script.

use crate::probe;
use crate::script::{BufferKind, Operation, Script, ShaderStage};
use crate::shader;
use crate::vulkan::{Context, EntryPoint, Recorder, Resources, VulkanError};
use ash::vk;

/// How a script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The device cannot run it.
    Skip,
    /// Every probe held.
    Pass,
    /// An error, or a probe that did not hold.
    Fail,
}

impl Verdict {
    /// `pass`, `skip` or `fail`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Skip => "skip",
            Verdict::Fail => "fail",
        }
    }

    /// The line that piglit looks for.
    pub fn piglit_line(self) -> String {
        format!("PIGLIT: {{\"result\": \"{}\" }}", self.name())
    }
}

/// What running a script gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub verdict: Verdict,
    /// Reasons of a skip or failure, in order.
    pub log: Vec<String>,
    /// The buffer asked for by [`RunnerOptions::dump`].
    pub dumped: Option<Vec<u8>>,
}

/// A buffer whose final contents are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// The first in (set, binding) order.
    First,
    /// The one with this binding.
    Binding(u32),
}

/// Choices of the user.
#[derive(Clone, Debug, Default)]
pub struct RunnerOptions {
    /// Which physical device, from 1; the first that fits if `None`.
    pub device_id: Option<usize>,
    /// Buffer to read when the script has ended.
    pub dump: Option<Dump>,
}

/// Runs scripts, keeping instance and device while requirements stay equal.
pub struct Runner {
    entry: EntryPoint,
    options: RunnerOptions,
    context: Option<Context>,
}

impl Runner {
    /// A runner on the Vulkan implementation behind `entry`.
    pub fn new(entry: EntryPoint, options: RunnerOptions) -> Runner {
        Runner {
            entry,
            options,
            context: None,
        }
    }

    /// Name of the device of the last script that had one.
    pub fn device_name(&self) -> Option<String> {
        self.context.as_ref().map(Context::device_name)
    }

    /// SPIR-V of every stage, as the script's shaders compile.
    pub fn compile(script: &Script) -> Result<Vec<(ShaderStage, Vec<u32>)>, String> {
        let version = script.requirements.version;
        let compile = |(stage, source): &(ShaderStage, _)| {
            Ok((*stage, shader::compile(*stage, source, version)?))
        };
        script.shaders.iter().map(compile).collect()
    }

    /// Runs a script to its end.
    pub fn run(&mut self, script: &Script) -> Outcome {
        let mut log = Vec::new();
        let mut dumped = None;
        let verdict = match self.try_run(script, &mut log, &mut dumped) {
            Ok(()) if log.is_empty() => Verdict::Pass,
            Ok(()) => Verdict::Fail,
            Err(VulkanError::Unsupported(reason)) => {
                log.push(reason);
                Verdict::Skip
            }
            Err(error) => {
                // A lost device, or one in an unknown state, is not used again.
                self.context = None;
                log.push(error.to_string());
                Verdict::Fail
            }
        };
        Outcome {
            verdict,
            log,
            dumped,
        }
    }

    fn try_run(
        &mut self,
        script: &Script,
        log: &mut Vec<String>,
        dumped: &mut Option<Vec<u8>>,
    ) -> Result<(), VulkanError> {
        if let Some(reason) = &script.requirements.unknown {
            return Err(VulkanError::Unsupported(reason.clone()));
        }
        let graphics = script.needs_graphics();
        let fits = |c: &Context| c.serves(&script.requirements, graphics);
        if !self.context.as_ref().is_some_and(fits) {
            self.context = None;
            self.context = Some(Context::new(
                &self.entry,
                &script.requirements,
                graphics,
                self.options.device_id,
            )?);
        }
        let Some(context) = &self.context else {
            return Ok(());
        };
        let modules = match Runner::compile(script) {
            Ok(modules) => modules,
            Err(message) => {
                log.push(message);
                return Ok(());
            }
        };
        let mut resources = prepare(context, script)?;
        for (stage, words) in &modules {
            resources.add_module(*stage, words)?;
        }
        for key in &script.pipelines {
            if !resources.add_compute_pipeline(key)? {
                log.push("The script dispatches but has no compute shader".into());
                return Ok(());
            }
        }
        execute(script, &resources, log)?;
        if let Some(dump) = self.options.dump {
            let index = match dump {
                Dump::First => Some(0),
                Dump::Binding(n) => script.buffers.iter().position(|b| b.binding == n),
            };
            match index.filter(|&i| i < script.buffers.len()) {
                Some(index) => *dumped = Some(resources.read_buffer(index)?),
                None => log.push("There is no buffer to dump".into()),
            }
        }
        Ok(())
    }
}

/// Buffers, descriptor sets and the pipeline layout.
fn prepare<'c>(context: &'c Context, script: &Script) -> Result<Resources<'c>, VulkanError> {
    let mut stages = vk::ShaderStageFlags::empty();
    for (stage, _) in &script.shaders {
        stages |= stage.flag();
    }
    if stages.is_empty() {
        stages = vk::ShaderStageFlags::COMPUTE;
    }
    let mut resources = Resources::new(context, stages)?;
    resources.add_buffers(&script.buffers)?;
    resources.add_layout(script.push_bytes)?;
    Ok(resources)
}

/// Commands in order; a failing probe is logged and the rest goes on.
fn execute(
    script: &Script,
    resources: &Resources<'_>,
    log: &mut Vec<String>,
) -> Result<(), VulkanError> {
    let mut recorder = Recorder::new(resources)?;
    for command in &script.commands {
        let line = command.line;
        match &command.op {
            Operation::Dispatch { pipeline, groups } => recorder.dispatch(*pipeline, *groups)?,
            Operation::SetPush { offset, bytes } => recorder.push(*offset, bytes)?,
            Operation::SetBuffer {
                buffer,
                offset,
                bytes,
            } => resources.write_buffer(*buffer, *offset, bytes)?,
            Operation::ProbeSsbo {
                set,
                binding,
                offset,
                compare,
                values,
                layout,
                tolerance,
                ..
            } => {
                recorder.finish()?;
                let place = (*set, *binding);
                let found = script
                    .buffers
                    .iter()
                    .position(|b| (b.set, b.binding) == place && b.kind == BufferKind::Ssbo);
                let Some(index) = found else {
                    log.push(format!(
                        "line {line}: Invalid buffer binding: {set}:{binding}"
                    ));
                    continue;
                };
                let bytes = resources.read_buffer(index)?;
                if let Err(why) =
                    probe::buffer(&bytes, *offset, *compare, values, *layout, tolerance)
                {
                    log.push(format!("line {line}: {why}"));
                }
            }
            Operation::DrawRect { .. }
            | Operation::DrawArrays { .. }
            | Operation::Clear { .. }
            | Operation::ProbeRect { .. } => {
                return Err(VulkanError::Unsupported(format!(
                    "line {line}: this runner does not draw yet"
                )));
            }
        }
    }
    recorder.finish()
}
