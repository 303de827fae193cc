//! VK_KHR_pipeline_executable_properties: what the compiler made, for people and tools.
//!
//! Every SIMD width that was compiled is one executable; the one that runs comes first. The statistics have the names that
//! tools know from Mesa's drivers.

use crate::error::{Error, Result};
use crate::pipeline::Pipeline;

/// Name and description of an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// For example "SIMD16 compute shader".
    pub name: String,
    /// A sentence.
    pub description: String,
    /// Invocations that run together.
    pub subgroup_size: u32,
}

/// One number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Short name.
    pub name: &'static str,
    /// What is counted.
    pub description: &'static str,
    /// The number.
    pub value: u64,
}

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representation {
    /// Short name.
    pub name: String,
    /// The text.
    pub text: String,
}

fn order(pipeline: &Pipeline) -> impl Iterator<Item = &abi::Variant> {
    let chosen = pipeline.variant_index();
    let variants = pipeline.shader().variants.iter().enumerate();
    let first = variants.clone().filter(move |(index, _)| *index == chosen);
    let rest = variants.filter(move |(index, _)| *index != chosen);
    first.chain(rest).map(|(_, variant)| variant)
}

fn variant(pipeline: &Pipeline, index: u32) -> Result<&abi::Variant> {
    order(pipeline)
        .nth(index as usize)
        .ok_or(Error::InvalidUse {
            why: "an executable index beyond the pipeline",
        })
}

/// The executables of a pipeline.
pub fn properties(pipeline: &Pipeline) -> Vec<Properties> {
    let one = |variant: &abi::Variant| Properties {
        name: format!("SIMD{} compute shader", variant.simd_width),
        description: format!(
            "Compute shader, {} invocations in each thread",
            variant.simd_width
        ),
        subgroup_size: u32::from(variant.simd_width),
    };
    order(pipeline).map(one).collect()
}

/// The statistics of an executable.
pub fn statistics(pipeline: &Pipeline, index: u32) -> Result<Vec<Statistic>> {
    let chosen = variant(pipeline, index)?;
    let compute = crate::pipeline::compute_of(pipeline.shader())?;
    let stats = &chosen.stats;
    let row = |name, description, value: u64| Statistic {
        name,
        description,
        value,
    };
    Ok(vec![
        row(
            "Instruction Count",
            "Instructions in the final code",
            stats.instructions.into(),
        ),
        row(
            "SEND Count",
            "Messages to shared functions: memory, barriers, thread end",
            stats.sends.into(),
        ),
        row(
            "Loop Count",
            "Loops that were not unrolled",
            stats.loops.into(),
        ),
        row(
            "Cycle Count",
            "Estimated cycles of one thread",
            stats.cycles,
        ),
        row(
            "Spill Count",
            "Registers written to scratch memory by the register allocator",
            stats.spills.into(),
        ),
        row(
            "Fill Count",
            "Registers read back from scratch memory",
            stats.fills.into(),
        ),
        row(
            "Scratch Memory Size",
            "Bytes of scratch memory of one thread",
            chosen.scratch_bytes.into(),
        ),
        row(
            "Workgroup Memory Size",
            "Bytes of shared memory",
            compute.slm_bytes.into(),
        ),
        row(
            "Max live registers",
            "Most registers live at one time",
            stats.max_live_registers.into(),
        ),
        row(
            "SIMD Width",
            "Invocations in a thread",
            chosen.simd_width.into(),
        ),
    ])
}

/// The texts of an executable, if they were asked for when the pipeline was made.
pub fn representations(pipeline: &Pipeline, index: u32) -> Result<Vec<Representation>> {
    let dumps = &variant(pipeline, index)?.dumps;
    Ok(dumps
        .iter()
        .map(|(name, text)| Representation {
            name: name.clone(),
            text: text.clone(),
        })
        .collect())
}
