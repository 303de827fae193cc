//! VK_KHR_pipeline_executable_properties: the compiled variants, for people and tools.
//!
//! Each compiled SIMD width is an executable; the one that is used comes first. Statistics have the
//! names that tools know from Mesa's drivers.

use ash::vk as api;

use crate::error::{Error, Result};

/// Properties of an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutableProperties {
    /// Stage.
    pub stages: api::ShaderStageFlags,
    /// For example "SIMD16 compute shader".
    pub name: String,
    /// Description.
    pub description: String,
    /// Subgroup size.
    pub subgroup_size: u32,
}

/// A statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutableStatistic {
    /// Name.
    pub name: &'static str,
    /// Description.
    pub description: &'static str,
    /// Value.
    pub value: u64,
}

/// An internal representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalRepresentation {
    /// Name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A stage's compiled shader.
#[derive(Clone, Copy, Debug)]
pub struct CompiledStage<'a> {
    /// The shader.
    pub shader: &'a abi::ShaderBinary,
    /// Index of the variant that is used.
    pub used_variant: usize,
}

impl<'a> CompiledStage<'a> {
    /// A shader whose preferred variant is used.
    pub fn preferred(shader: &'a abi::ShaderBinary) -> Self {
        Self {
            shader,
            used_variant: shader.preferred,
        }
    }

    fn executables(self) -> impl Iterator<Item = Executable<'a>> {
        let variants = self.shader.variants.iter().enumerate();
        let first = self.used_variant;
        let chosen = variants.clone().filter(move |(index, _)| *index == first);
        let rest = variants.filter(move |(index, _)| *index != first);
        chosen.chain(rest).map(move |(_, variant)| Executable {
            stage: &self.shader.stage,
            variant,
        })
    }
}

/// A variant of a stage.
struct Executable<'a> {
    stage: &'a abi::StageInfo,
    variant: &'a abi::SimdVariant,
}

fn executable<'a>(pipeline: &[CompiledStage<'a>], index: u32) -> Result<Executable<'a>> {
    let mut all = pipeline
        .iter()
        .copied()
        .flat_map(CompiledStage::executables);
    all.nth(index as usize).ok_or(Error::InvalidUse {
        why: "an executable index beyond the pipeline",
    })
}

/// Lists the executables of a pipeline.
pub fn properties(pipeline: &[CompiledStage<'_>]) -> Vec<ExecutableProperties> {
    let executable_properties = |executable: Executable<'_>| {
        let width = executable.variant.simd_width;
        use api::ShaderStageFlags as S;
        let (stages, name, what) = match executable.stage {
            abi::StageInfo::Compute(_) => (S::COMPUTE, "compute", "invocations"),
            abi::StageInfo::Vertex(_) => (S::VERTEX, "vertex", "vertices"),
            abi::StageInfo::TessControl(_) => {
                let stage = S::TESSELLATION_CONTROL;
                (stage, "tessellation control", "control points")
            }
            abi::StageInfo::TessEval(_) => {
                let stage = S::TESSELLATION_EVALUATION;
                (stage, "tessellation evaluation", "vertices")
            }
            abi::StageInfo::Geometry(_) => (S::GEOMETRY, "geometry", "primitives"),
            abi::StageInfo::Fragment(_) => (S::FRAGMENT, "fragment", "fragments"),
        };
        ExecutableProperties {
            stages,
            name: format!("SIMD{width} {name} shader"),
            description: format!("A {name} shader, {width} {what} in each thread"),
            subgroup_size: width.into(),
        }
    };
    let all = pipeline
        .iter()
        .copied()
        .flat_map(CompiledStage::executables);
    all.map(executable_properties).collect()
}

/// Lists the statistics of an executable.
pub fn statistics(pipeline: &[CompiledStage<'_>], index: u32) -> Result<Vec<ExecutableStatistic>> {
    let Executable {
        stage,
        variant: chosen,
    } = executable(pipeline, index)?;
    let slm_bytes = match stage {
        abi::StageInfo::Compute(compute) => compute.slm_bytes,
        _ => 0,
    };
    let stats = &chosen.stats;
    let statistic = |name, description, value: u64| ExecutableStatistic {
        name,
        description,
        value,
    };
    Ok(vec![
        statistic(
            "Instruction Count",
            "Instructions in the final code",
            stats.instructions.into(),
        ),
        statistic(
            "SEND Count",
            "Messages to shared functions: memory, barriers, thread end",
            stats.sends.into(),
        ),
        statistic(
            "Loop Count",
            "Loops that were not unrolled",
            stats.loops.into(),
        ),
        statistic(
            "Cycle Count",
            "Estimated cycles of one thread",
            stats.cycles,
        ),
        statistic(
            "Spill Count",
            "Registers written to scratch memory by the register allocator",
            stats.spills.into(),
        ),
        statistic(
            "Fill Count",
            "Registers read back from scratch memory",
            stats.fills.into(),
        ),
        statistic(
            "Scratch Memory Size",
            "Bytes of scratch memory of one thread",
            chosen.scratch_bytes.into(),
        ),
        statistic(
            "Workgroup Memory Size",
            "Bytes of shared memory",
            slm_bytes.into(),
        ),
        statistic(
            "Max live registers",
            "Most registers live at one time",
            stats.max_live_registers.into(),
        ),
        statistic(
            "SIMD Width",
            "Invocations in a thread",
            chosen.simd_width.into(),
        ),
    ])
}

/// Lists the dumps of an executable, if they were captured.
pub fn representations(
    pipeline: &[CompiledStage<'_>],
    index: u32,
) -> Result<Vec<InternalRepresentation>> {
    let dumps = &executable(pipeline, index)?.variant.dumps;
    Ok(dumps
        .iter()
        .map(|(name, text)| InternalRepresentation {
            name: name.clone(),
            text: text.clone(),
        })
        .collect())
}
