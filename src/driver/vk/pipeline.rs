//! Compute pipelines: a compiled shader, its code in the instruction heap, and its packed dispatch.

use std::sync::Arc;

use cmd::Generation as _;

use crate::cache::PipelineCache;
use crate::code::{self, Code};
use crate::compiler::{self, MetaShader, Neighbours};
pub use crate::compiler::{BufferRobustness, ShaderInfo, Stage, SubgroupSize};
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::{Error, Result};
use crate::executable::CompiledStage;
use crate::pipeline_binary::{BinaryKey, BinaryStage, PipelineBinary};

/// `VkPipeline` of the compute bind point.
#[derive(Debug)]
pub struct Pipeline {
    code: Code,
    variant: usize,
    launch: cmd::PackedDispatch<cmd::Gen9>,
    /// Its layout, if it embeds samplers.
    embedded: Option<Arc<PipelineLayout>>,
    /// The interface descriptor.
    _descriptor: i915::PoolAllocation,
    _scratch: Option<Arc<i915::Buffer>>,
}

impl Pipeline {
    /// Compiles the shader, or takes it from a cache, and uploads it.
    pub fn compute(
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        info: &ShaderInfo,
    ) -> Result<Self> {
        let alone = Neighbours::default();
        let code = Code::new(context, cache, info, &alone, None)?;
        Self::with_code(context, code, Some(&info.layout))
    }

    /// Uploads the shader of a binary instead of compiling it.
    pub fn from_pipeline_binary(
        context: &Arc<Context>,
        binary: &PipelineBinary,
        layout: &Arc<PipelineLayout>,
    ) -> Result<Self> {
        let stage = binary.stage(Stage::Compute)?;
        Self::from_binary(context, &stage.shader, layout)
    }

    /// Its binary.
    pub fn binary(&self, context: &Context) -> Arc<PipelineBinary> {
        let stage = BinaryStage {
            shader: self.code.shader.clone(),
            words: Arc::default(),
            follows: false,
            coverage: 0,
        };
        PipelineBinary::new(context, stage)
    }

    /// The key of the pipeline's parameters.
    pub fn binary_key(context: &Context, info: &ShaderInfo) -> BinaryKey {
        compiler::key(context, info, &Neighbours::default())
    }

    /// Creates it from a compiled shader.
    pub fn from_binary(
        context: &Arc<Context>,
        shader: &Arc<abi::ShaderBinary>,
        layout: &Arc<PipelineLayout>,
    ) -> Result<Self> {
        Self::with_code(
            context,
            Code::upload(context, shader.clone())?,
            Some(layout),
        )
    }

    /// Creates the pipeline of a meta shader.
    pub fn internal(
        context: &Arc<Context>,
        shader: blit::Shader,
        layout: &PipelineLayout,
    ) -> Result<Self> {
        let shader = MetaShader {
            stage: Stage::Compute,
            name: format!("{shader:?}"),
            nir: || shader.nir(),
            is_replicated: false,
        };
        let binary = compiler::internal(context, shader, layout)?;
        Self::with_code(context, Code::upload(context, binary)?, None)
    }

    /// Packs the dispatch of a shader.
    fn with_code(
        context: &Arc<Context>,
        code: Code,
        layout: Option<&Arc<PipelineLayout>>,
    ) -> Result<Self> {
        let shader = &*code.shader;
        let compute = compute_info(shader)?;
        check_limits(compute, context.physical.limits())?;
        let index = choose_variant(shader, compute, context.physical.workgroup_threads())?;
        let variant = shader.variants.get(index).ok_or(Error::InvalidUse {
            why: "a pipeline without code",
        })?;
        let (scratch, memory) = code::scratch(context, Stage::Compute, variant.scratch_bytes)?;
        let kernel = cmd::ComputeKernel {
            kernel_offset_bytes: code.offset_bytes() + u64::from(variant.code_offset_bytes),
            simd_width: variant.simd_width.into(),
            invocations: compute.workgroup_size.iter().product(),
            slm_bytes: compute.slm_bytes,
            barrier: compute.uses_barrier,
            scratch,
            per_thread: compute.per_thread_push,
            push: &shader.push,
        };
        let words = cmd::Gen9::descriptor(&kernel);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let descriptor = context.dynamic.allocate(bytes.len() as u64, 64)?;
        descriptor.write(0, &bytes)?;
        let offset = (descriptor.address() - i915::DYNAMIC_BASE) as u32;
        let launch = cmd::PackedDispatch::new(&kernel, offset).ok_or(Error::InvalidShader {
            why: "more push data than a dispatch can have".into(),
        })?;
        Ok(Self {
            launch,
            embedded: layout
                .filter(|layout| layout.embedded_samplers().is_some())
                .cloned(),
            _descriptor: descriptor,
            _scratch: memory,
            variant: index,
            code,
        })
    }

    /// Whether its shader was found in the application's cache.
    pub fn was_cached(&self) -> bool {
        self.code.cached
    }

    /// The compiled shader.
    pub fn compiled(&self) -> CompiledStage<'_> {
        CompiledStage {
            shader: &self.code.shader,
            used_variant: self.variant,
        }
    }

    /// Number and handle of the set of embedded samplers, if the shader has some.
    #[inline]
    pub(crate) fn embedded_samplers(&self) -> Option<(u32, u32)> {
        self.embedded.as_ref()?.embedded_samplers()
    }

    /// The packed dispatch.
    #[inline]
    pub fn launch(&self) -> &cmd::PackedDispatch<cmd::Gen9> {
        &self.launch
    }
}

/// Compute properties of a shader. Fails for another stage.
pub(crate) fn compute_info(shader: &abi::ShaderBinary) -> Result<&abi::ComputeInfo> {
    shader.compute().ok_or(Error::InvalidUse {
        why: "a shader of another stage in a compute pipeline",
    })
}

/// Rejects shaders over the limits. They are invalid, and would overflow hardware fields.
fn check_limits(compute: &abi::ComputeInfo, limits: &ash::vk::PhysicalDeviceLimits) -> Result<()> {
    let size = compute.workgroup_size;
    let invocations = size
        .iter()
        .fold(1, |product: u32, &size| product.saturating_mul(size));
    let max = limits.max_compute_work_group_size;
    let too_large = size.iter().zip(max).any(|(&size, max)| size > max);
    let too_many = invocations > limits.max_compute_work_group_invocations;
    if invocations == 0 || too_large || too_many {
        return Err(Error::InvalidShader {
            why: format!("a workgroup of {size:?} invocations"),
        });
    }
    if compute.slm_bytes > limits.max_compute_shared_memory_size {
        return Err(Error::InvalidShader {
            why: format!("{} bytes of shared memory", compute.slm_bytes),
        });
    }
    Ok(())
}

/// Chooses the preferred variant or, if its workgroup has more threads than fit a subslice, the
/// narrowest variant that fits.
fn choose_variant(
    shader: &abi::ShaderBinary,
    compute: &abi::ComputeInfo,
    max_threads: u32,
) -> Result<usize> {
    let invocations: u32 = compute
        .workgroup_size
        .iter()
        .fold(1, |product, &size| product.saturating_mul(size));
    let fits = |variant: &abi::SimdVariant| {
        invocations.div_ceil(u32::from(variant.simd_width).max(1)) <= max_threads
    };
    let preferred = shader
        .variants
        .get(shader.preferred)
        .filter(|variant| fits(variant));
    if preferred.is_some() {
        return Ok(shader.preferred);
    }
    shader
        .variants
        .iter()
        .position(fits)
        .ok_or(Error::InvalidShader {
            why: "no variant runs its workgroup on one subslice".into(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shader(preferred: usize, size: [u32; 3]) -> abi::ShaderBinary {
        let variant = |simd_width| abi::SimdVariant {
            simd_width,
            code_offset_bytes: 0,
            code_bytes: 0,
            push_grf: 1,
            scratch_bytes: 0,
            stats: abi::ShaderStats::default(),
            dumps: Vec::new(),
        };
        abi::ShaderBinary {
            code: Vec::new(),
            constants: abi::ConstantData::default(),
            variants: vec![variant(8), variant(16), variant(32)],
            preferred,
            push: abi::PushData::default(),
            stage: abi::StageInfo::Compute(abi::ComputeInfo {
                workgroup_size: size,
                ..Default::default()
            }),
        }
    }

    fn choose_variant(shader: &abi::ShaderBinary, max_threads: u32) -> Result<usize> {
        let compute = super::compute_info(shader)?;
        super::choose_variant(shader, compute, max_threads)
    }

    #[test]
    fn large_workgroups_use_wide_variants() {
        assert_eq!(choose_variant(&shader(0, [64, 1, 1]), 56).unwrap(), 0);
        assert_eq!(choose_variant(&shader(2, [64, 1, 1]), 56).unwrap(), 2);
        assert_eq!(choose_variant(&shader(0, [512, 1, 1]), 56).unwrap(), 1);
        assert_eq!(choose_variant(&shader(1, [1024, 1, 1]), 56).unwrap(), 2);
        assert!(choose_variant(&shader(0, [1 << 16, 1 << 16, 2]), 56).is_err());
    }
}
