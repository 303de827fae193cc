//! VkRunner scripts to Vulkan calls to verdicts.
//!
//! In:  a script in the VkRunner language, and a Vulkan entry point (a loader, or an ICD itself).
//! Out: [`Outcome`]: pass, skip or fail, and log lines that name the script's line.
//! The language: VkRunner's README. The protocol that piglit reads: [`Verdict::piglit_line`].

mod enums;
mod features;
mod format;
mod number;
mod parse;
mod probe;
mod run;
mod script;
mod shader;
mod source;
mod value;
mod vulkan;

pub use format::{Format, Kind};
pub use parse::ScriptError;
pub use run::{Dump, Image, Outcome, Runner, RunnerOptions, Verdict};
pub use script::{Script, ShaderStage};
pub use source::Replacement;
pub use vulkan::{EntryPoint, VulkanError};

/// Parses a script. `replacements` are applied to every line, as option `-D` does.
pub fn parse(text: &str, replacements: &[Replacement]) -> Result<Script, ScriptError> {
    parse::parse(text, replacements)
}

/// Compiles one GLSL text to SPIR-V for a version of Vulkan, as the runner compiles shader sections.
pub fn compile_glsl(
    stage: ShaderStage,
    text: &str,
    version: (u32, u32, u32),
) -> Result<Vec<u32>, String> {
    let source = script::ShaderSource::Glsl(vec![(1, text.to_string())]);
    shader::compile(stage, &source, version)
}
