//! Executing a parsed script.

use crate::probe;
use crate::script::{
    BufferKind, Operation, PipelineKey, ProbePlace, Script, ShaderStage, Tolerance,
};
use crate::shader;
use crate::vulkan::{
    ClearValues, Context, DrawCall, EntryPoint, Graphics, LoadedDrivers, Recorder, Resources,
    VulkanError,
};
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
    /// The framebuffer after the last command, if the script draws.
    pub image: Option<Image>,
}

/// A picture: colours row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha; 0 to 1 for most formats.
    pub texels: Vec<[f64; 4]>,
}

impl Image {
    /// The picture as binary PPM (P6): 8 bits, alpha dropped, clamped and rounded.
    pub fn to_ppm(&self) -> Vec<u8> {
        let mut bytes = format!("P6\n{} {}\n255\n", self.width, self.height).into_bytes();
        for texel in &self.texels {
            let byte = |v: &f64| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
            bytes.extend(texel[..3].iter().map(byte));
        }
        bytes
    }
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
    /// Outlives the contexts.
    _drivers: Option<LoadedDrivers>,
}

impl Runner {
    /// A runner on the Vulkan implementation behind `entry`.
    pub fn new(entry: EntryPoint, options: RunnerOptions) -> Runner {
        Runner {
            _drivers: LoadedDrivers::load(&entry),
            entry,
            options,
            context: None,
        }
    }

    /// Name of the device of the last script that had one.
    pub fn device_name(&self) -> Option<String> {
        self.context.as_ref().map(Context::device_name)
    }

    /// Name of the device that scripts run on, unless their requirements pass it over. Err: why
    /// there is none.
    pub fn chosen_device(&self) -> Result<String, VulkanError> {
        Context::chosen_device(&self.entry, self.options.device_id)
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
        let mut image = None;
        let verdict = match self.try_run(script, &mut log, &mut dumped, &mut image) {
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
            image,
        }
    }

    fn try_run(
        &mut self,
        script: &Script,
        log: &mut Vec<String>,
        dumped: &mut Option<Vec<u8>>,
        image: &mut Option<Image>,
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
        let graphics = match graphics {
            true => Some(Graphics::new(context, &resources, script)?),
            false => None,
        };
        for key in &script.pipelines {
            if let (PipelineKey::Graphics { .. }, Some(graphics)) = (key, &graphics) {
                resources.add_graphics_pipeline(graphics, script, key)?;
            } else if !resources.add_compute_pipeline(key)? {
                log.push("The script dispatches but has no compute shader".into());
                return Ok(());
            }
        }
        execute(script, &resources, graphics.as_ref(), log)?;
        if let Some(graphics) = &graphics {
            *image = Some(Image {
                width: script.requirements.framebuffer_size.0,
                height: script.requirements.framebuffer_size.1,
                texels: decode(script, &graphics.texels(&resources)?),
            });
        }
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
    graphics: Option<&Graphics<'_>>,
    log: &mut Vec<String>,
) -> Result<(), VulkanError> {
    let mut recorder = Recorder::new(resources, graphics)?;
    let mut rectangles = 0;
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
            Operation::DrawRect { pipeline, .. } => {
                recorder.draw(*pipeline, DrawCall::Rectangle(rectangles))?;
                rectangles += 1;
            }
            Operation::DrawArrays {
                pipeline,
                indexed,
                first,
                count,
                instances,
            } => recorder.draw(
                *pipeline,
                DrawCall::Arrays {
                    indexed: *indexed,
                    first: *first,
                    count: *count,
                    instances: *instances,
                },
            )?,
            Operation::Clear {
                color,
                depth,
                stencil,
            } => recorder.clear(&ClearValues {
                color: *color,
                depth: *depth,
                stencil: *stencil,
            })?,
            Operation::ProbeRect {
                components,
                place,
                color,
                tolerance,
            } => {
                recorder.finish()?;
                let Some(graphics) = graphics else { continue };
                let texels = decode(script, &graphics.texels(resources)?);
                let expected = &color[..*components];
                if let Err(why) = probe_image(script, &texels, *place, expected, tolerance) {
                    log.push(format!("line {line}: {why}"));
                }
            }
        }
    }
    recorder.finish()
}

/// Texels of the framebuffer as colours, row by row from the top.
fn decode(script: &Script, bytes: &[u8]) -> Vec<[f64; 4]> {
    let format = script.requirements.framebuffer;
    let texels = bytes.chunks_exact(format.size_bytes().max(1));
    texels.map(|texel| format.decode(texel)).collect()
}

/// Compares a rectangle of the framebuffer; the first texel that differs is the reason.
fn probe_image(
    script: &Script,
    texels: &[[f64; 4]],
    place: Option<ProbePlace>,
    expected: &[f64],
    tolerance: &Tolerance,
) -> Result<(), String> {
    let (width, height) = script.requirements.framebuffer_size;
    let [x, y, w, h] = match place {
        None => [0, 0, width, height],
        Some(ProbePlace::Pixels(rect)) => rect,
        Some(ProbePlace::Relative([x, y, w, h])) => {
            let extent = |part: f32, whole: u32| {
                if part.is_nan() {
                    1
                } else {
                    (part * whole as f32) as u32
                }
            };
            [
                extent(x, width),
                extent(y, height),
                extent(w, width),
                extent(h, height),
            ]
        }
    };
    let inside =
        |start: u32, size: u32, whole: u32| start.checked_add(size).is_some_and(|end| end <= whole);
    if !inside(x, w, width) || !inside(y, h, height) {
        return Err(format!(
            "The rectangle ({x}, {y}, {w}, {h}) is not inside the framebuffer of {width} × {height}"
        ));
    }
    for row in y..y + h {
        for column in x..x + w {
            let at = row as usize * width as usize + column as usize;
            let Some(observed) = texels.get(at) else {
                return Err("The framebuffer could not be read".into());
            };
            let differs = |i: usize| !probe::near(tolerance, i, observed[i], expected[i]);
            if (0..expected.len()).any(differs) {
                return Err(format!(
                    "Probe color at ({column},{row})\n  Expected: {}\n  Observed: {}",
                    show_color(expected),
                    show_color(&observed[..expected.len()])
                ));
            }
        }
    }
    Ok(())
}

fn show_color(color: &[f64]) -> String {
    let words: Vec<String> = color.iter().map(f64::to_string).collect();
    words.join(" ")
}
