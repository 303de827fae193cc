//! Compute pipelines: a compiled shader, its code in the instruction heap, and how to launch it.

use std::sync::Arc;

use cmd::Generation as _;

use crate::cache::Cache;
use crate::compiler;
pub use crate::compiler::{ComputeInfo, SubgroupSize};
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::{Error, Result};

/// `VkPipeline`.
#[derive(Debug)]
pub struct Pipeline {
    shader: Arc<abi::ShaderBinary>,
    variant: usize,
    cached: bool,
    launch: cmd::Launch<cmd::Gen9>,
    /// The code, and the interface descriptor.
    _memory: [i915::Slice; 2],
    _scratch: Option<Arc<i915::Buffer>>,
}

impl Pipeline {
    /// Compiles, or finds the shader in a cache, and uploads it.
    pub fn compute(
        context: &Arc<Context>,
        cache: Option<&Cache>,
        info: &ComputeInfo,
    ) -> Result<Self> {
        let diagnosis = context.physical.diagnosis();
        let dump = diagnosis.has(debug::Flag::Cs);
        let info = &ComputeInfo {
            capture: info.capture || dump,
            ..info.clone()
        };
        let cache = cache.filter(|_| !info.capture && !diagnosis.has(debug::Flag::NoCache));
        let key = compiler::key(context, info);
        let found = cache.and_then(|cache| cache.get(&key));
        let cached = found.is_some();
        let shader = match found {
            Some(shader) => shader,
            None if info.cached_only => return Err(Error::CompileRequired),
            None => {
                let shader = Arc::new(compiler::compile(context, info)?);
                if let Some(cache) = cache {
                    cache.put(key, &shader);
                }
                shader
            }
        };
        for (name, text) in shader.variants.iter().flat_map(|variant| &variant.dumps) {
            diagnosis.say(debug::Flag::Cs, || format!("; {name}\n{text}\n"));
        }
        Ok(Self {
            cached,
            ..Self::of(context, shader)?
        })
    }

    /// A shader of the driver's own.
    pub fn internal(
        context: &Arc<Context>,
        shader: blit::Shader,
        layout: &PipelineLayout,
    ) -> Result<Self> {
        let binary = compiler::internal(context, shader, layout)?;
        Self::of(context, Arc::new(binary))
    }

    /// Uploads a compiled shader, and packs its launch.
    fn of(context: &Arc<Context>, shader: Arc<abi::ShaderBinary>) -> Result<Self> {
        let compute = compute_of(&shader)?;
        within_limits(compute, &context.physical.limits())?;
        let index = choose(&shader, compute, context.physical.workgroup_threads())?;
        let variant = shader.variants.get(index).ok_or(Error::InvalidUse {
            why: "a pipeline without code",
        })?;
        // The instruction prefetcher runs ahead of the last instruction (SKL PRM vol. 7, instruction fetch): the
        // bytes behind the code belong to it too.
        let bytes = shader.code.len() as u64 + PREFETCH_BYTES;
        let code = context.instructions.take(bytes, 64)?;
        code.write(0, &shader.code)?;
        let scratch = match variant.scratch_bytes {
            0 => None,
            bytes => Some(context.scratch(bytes)?),
        };
        let kernel = cmd::Kernel {
            kernel_offset_bytes: code.address() - i915::INSTRUCTION_BASE
                + u64::from(variant.code_offset_bytes),
            simd_width: variant.simd_width.into(),
            invocations: compute.workgroup_size.iter().product(),
            slm_bytes: compute.slm_bytes,
            barrier: compute.uses_barrier,
            scratch: cmd::Scratch {
                address: scratch.as_ref().map_or(0, |buffer| buffer.address()),
                thread_bytes: variant.scratch_bytes,
            },
            per_thread: compute.per_thread_push,
            push: &shader.push,
        };
        let words = cmd::Gen9::descriptor(&kernel);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let descriptor = context.dynamic.take(bytes.len() as u64, 64)?;
        descriptor.write(0, &bytes)?;
        let offset = (descriptor.address() - i915::DYNAMIC_BASE) as u32;
        let launch = cmd::Launch::new(&kernel, offset).ok_or(Error::InvalidShader {
            why: "more push data than a launch has".into(),
        })?;
        Ok(Self {
            launch,
            _memory: [code, descriptor],
            _scratch: scratch,
            variant: index,
            cached: false,
            shader,
        })
    }

    /// Whether its shader was found in the application's cache.
    pub fn was_cached(&self) -> bool {
        self.cached
    }

    /// The compiled shader.
    pub fn shader(&self) -> &abi::ShaderBinary {
        &self.shader
    }

    /// Which of its variants runs.
    pub fn variant_index(&self) -> usize {
        self.variant
    }

    /// How it is launched.
    #[inline]
    pub fn launch(&self) -> &cmd::Launch<cmd::Gen9> {
        &self.launch
    }
}

const PREFETCH_BYTES: u64 = 128;

/// Valid usage has no such shaders; the hardware's fields would take some of them for others.
/// What a compute pipeline's shader needs at launch.
pub(crate) fn compute_of(shader: &abi::ShaderBinary) -> Result<&abi::ComputeInfo> {
    shader.compute().ok_or(Error::InvalidUse {
        why: "a shader of another stage in a compute pipeline",
    })
}

fn within_limits(compute: &abi::ComputeInfo, limits: &ash::vk::PhysicalDeviceLimits) -> Result<()> {
    let size = compute.workgroup_size;
    let invocations = size
        .iter()
        .fold(1, |product: u32, &size| product.saturating_mul(size));
    let most = limits.max_compute_work_group_size;
    let too_large = size.iter().zip(most).any(|(&size, most)| size > most);
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

/// The preferred variant, or the narrowest wider one when a workgroup of it has more threads than fit a subslice.
fn choose(
    shader: &abi::ShaderBinary,
    compute: &abi::ComputeInfo,
    max_threads: u32,
) -> Result<usize> {
    let invocations: u32 = compute
        .workgroup_size
        .iter()
        .fold(1, |product, &size| product.saturating_mul(size));
    let fits = |variant: &abi::Variant| {
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
        let variant = |simd_width| abi::Variant {
            simd_width,
            code_offset_bytes: 0,
            code_bytes: 0,
            push_grf: 1,
            scratch_bytes: 0,
            stats: abi::Stats::default(),
            dumps: Vec::new(),
        };
        abi::ShaderBinary {
            code: Vec::new(),
            variants: vec![variant(8), variant(16), variant(32)],
            preferred,
            push: abi::PushData::default(),
            stage: abi::StageInfo::Compute(abi::ComputeInfo {
                workgroup_size: size,
                ..Default::default()
            }),
        }
    }

    fn choose(shader: &abi::ShaderBinary, max_threads: u32) -> Result<usize> {
        let compute = super::compute_of(shader)?;
        super::choose(shader, compute, max_threads)
    }

    #[test]
    fn wide_groups_take_wide_variants() {
        assert_eq!(choose(&shader(0, [64, 1, 1]), 56).unwrap(), 0);
        assert_eq!(choose(&shader(2, [64, 1, 1]), 56).unwrap(), 2);
        assert_eq!(choose(&shader(0, [512, 1, 1]), 56).unwrap(), 1);
        assert_eq!(choose(&shader(1, [1024, 1, 1]), 56).unwrap(), 2);
        assert!(choose(&shader(0, [1 << 16, 1 << 16, 2]), 56).is_err());
    }
}
