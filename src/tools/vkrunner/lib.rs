//! VkRunner scripts to Vulkan calls to verdicts.
//!
//! In:  a script in the VkRunner language, and a Vulkan entry point (a loader, or an ICD itself).
//! Out: [`Outcome`]: pass, skip or fail, and log lines that name the script's line.
//! The language: VkRunner's README. The protocol that piglit reads: [`Verdict::piglit_line`].
//!
//! # Extensions of the script language
//!
//! Multisampling, in `[require]`:
//!
//! ```text
//! framebuffer samples N       1 (the default), 2, 4, 8, 16, 32 or 64
//! ```
//!
//! Colour and depth/stencil attachments and all pipelines have N samples. Probes and images read
//! the colour after vkCmdResolveImage: the average of a pixel's samples, or one of them for integer
//! formats. A script is skipped if the device does not support attachments of its formats with N
//! samples. Properties in `[test]`, as VkPipelineMultisampleStateCreateInfo defines them:
//!
//! | property | default |
//! | --- | --- |
//! | `sampleShadingEnable` | false |
//! | `minSampleShading` | 0 |
//! | `sampleMask` | 0xffffffff, samples 0 to 31 |
//! | `alphaToCoverageEnable` | false |
//! | `alphaToOneEnable` | false |

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
pub use run::{Dump, Image, Outcome, Runner, RunnerOptions, Verdict};
pub use script::{Script, ShaderStage};
pub use source::{Replacement, ScriptError};
pub use vulkan::{EntryPoint, VulkanError};

/// Parses a script. `replacements` are applied to every line, as option `-D` does.
pub fn parse(text: &str, replacements: &[Replacement]) -> Result<Script, ScriptError> {
    parse::parse(text, replacements)
}

/// Compiles one GLSL text to SPIR-V for a version of Vulkan, as the runner compiles shader
/// sections.
pub fn compile_glsl(
    stage: ShaderStage,
    text: &str,
    version: (u32, u32, u32),
) -> Result<Vec<u32>, String> {
    let source = script::ShaderSource::Glsl(vec![(1, text.to_string())]);
    shader::compile(stage, &source, version)
}
