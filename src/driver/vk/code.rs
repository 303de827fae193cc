//! Compiled shaders of any stage, uploaded to the instruction heap.
//!
//! In:  a shader to compile, or a compiled meta shader. Out: [`Code`]: the shader, its location,
//!      its constant data.

use std::sync::Arc;

use crate::cache::PipelineCache;
use crate::cache_item::{Item, ItemKind, ItemName};
use crate::cached;
use crate::compiler::{self, Neighbours, ShaderInfo, Stage, TranslatedShader};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::surface_state::{self, BufferDescriptor};
use crate::uploaded_code::{CodeMemory, UploadedCode};

/// A compiled and uploaded shader.
#[derive(Debug)]
pub struct Code {
    /// The compiled shader.
    pub shader: Arc<abi::ShaderBinary>,
    /// It was found in the application's cache.
    pub cached: bool,
    uploaded: Arc<UploadedCode>,
}

/// The instruction prefetcher reads beyond the last instruction (SKL PRM vol. 7, instruction
/// fetch), so the allocation includes these bytes.
const PREFETCH_BYTES: usize = 128;

/// The debug flag that dumps a stage.
fn dump_flag(stage: Stage) -> debug::Flag {
    match stage {
        Stage::Vertex => debug::Flag::Vs,
        Stage::TessControl => debug::Flag::Tcs,
        Stage::TessEval => debug::Flag::Tes,
        Stage::Geometry => debug::Flag::Gs,
        Stage::Fragment => debug::Flag::Fs,
        Stage::Compute => debug::Flag::Cs,
    }
}

/// Whether shaders of a stage are dumped when they are compiled.
pub fn is_dumped(context: &Context, stage: Stage) -> bool {
    context.physical.diagnosis().has(dump_flag(stage))
}

impl Code {
    /// Compiles a shader, or takes it from a cache, and uploads it. `translated` is its NIR, if
    /// already translated.
    pub fn new(
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        info: &ShaderInfo,
        neighbours: &Neighbours,
        translated: Option<TranslatedShader>,
    ) -> Result<Self> {
        let diagnosis = context.physical.diagnosis();
        let flag = dump_flag(info.stage);
        let captured;
        let info = match !info.capture && diagnosis.has(flag) {
            false => info,
            true => {
                captured = ShaderInfo {
                    capture: true,
                    ..info.clone()
                };
                &captured
            }
        };
        // The key is only computed if there is a cache. Caches have no dumps.
        let has_caches = !info.capture && cached::has_caches(context, cache);
        let name = has_caches.then(|| ItemName {
            kind: ItemKind::Shader,
            key: compiler::key(context, info, neighbours),
        });
        let found = name.and_then(|name| cached::find(context, cache, &name));
        let (shader, cached) = match found {
            Some((Item::Shader(shader), is_application)) => {
                context.shader_counts.add_loaded(is_application);
                (shader, is_application)
            }
            _ if info.cached_only || !info.module.has_words() => {
                return Err(Error::CompileRequired);
            }
            _ => {
                let shader = Arc::new(compiler::compile(context, info, neighbours, translated)?);
                context.shader_counts.add_compiled();
                if let Some(name) = name {
                    let item = Item::Shader(shader.clone());
                    cached::store(context, cache, name, &item, info.is_private);
                }
                (shader, false)
            }
        };
        for (name, text) in shader.variants.iter().flat_map(|variant| &variant.dumps) {
            diagnosis.log(flag, || format!("; {name}\n{text}\n"));
        }
        Ok(Self {
            cached,
            ..Self::upload(context, shader)?
        })
    }

    /// Uploads a compiled shader, unless its code is in the instruction heap.
    pub fn upload(context: &Arc<Context>, shader: Arc<abi::ShaderBinary>) -> Result<Self> {
        let codes = &context.codes;
        let uploaded = codes.find_or_upload(&shader, || upload(context, &shader))?;
        Ok(Self {
            shader,
            cached: false,
            uploaded,
        })
    }

    /// Offset of the code from Instruction Base Address, in bytes.
    pub fn offset_bytes(&self) -> u64 {
        self.uploaded.place.memory.address() - i915::INSTRUCTION_BASE
    }
}

fn upload(context: &Arc<Context>, shader: &Arc<abi::ShaderBinary>) -> Result<CodeMemory> {
    // Constant data follows the code.
    let data_at = (shader.code.len() + PREFETCH_BYTES).next_multiple_of(64);
    let data = &shader.constants.data;
    let memory = context
        .instructions
        .allocate((data_at + data.len()) as u64, 64)?;
    let surface = if data.is_empty() {
        memory.write(0, &shader.code)?;
        None
    } else {
        memory.write(data_at, data)?;
        let slot = context
            .gpu
            .bindless()
            .allocate(abi::DESCRIPTOR_SLOT_BYTES)?;
        let surface = surface_state::buffer(BufferDescriptor {
            address: memory.address() + data_at as u64,
            bytes: data.len() as u64,
        });
        let place = slot.offset_bytes();
        context.gpu.bindless().write(place, &surface)?;
        let mut code = shader.code.clone();
        let handle = (place << 6).to_le_bytes();
        for &at in &shader.constants.handle_offsets {
            if let Some(to) = code[at as usize..].first_chunk_mut() {
                *to = handle;
            }
        }
        memory.write(0, &code)?;
        Some(slot)
    };
    Ok(CodeMemory { memory, surface })
}

/// Scratch memory of a stage's threads, and the buffer that holds it.
pub fn scratch(
    context: &Context,
    stage: Stage,
    thread_bytes: u32,
) -> Result<(cmd::ScratchSpace, Option<Arc<i915::Buffer>>)> {
    let memory = match thread_bytes {
        0 => None,
        bytes => Some(context.scratch(stage, bytes)?),
    };
    let scratch = cmd::ScratchSpace {
        address: memory.as_ref().map_or(0, |buffer| buffer.address()),
        thread_bytes,
    };
    Ok((scratch, memory))
}
