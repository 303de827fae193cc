//! Shader objects of graphics stages (VK_EXT_shader_object).
//!
//! In:  the parameters of shaders that are created together, or their binaries. Out:
//!      [`ShaderObject`]: compiled shaders that are bound one by one, and binaries.
//!
//! Vertex and fragment shaders are compiled alone, and shaders that are linked from the vertex
//! shader on together. The code of other stages depends on the stage before them, so it is compiled
//! when a draw first combines them (`shader_programs`).
//! Ref: Vulkan, "Shader Objects".

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::library::{Library, LibraryStage};
use crate::cache::checksum;
use crate::cache_entry::{Reader, put_u32, put_words, read_shader, write_shader};
use crate::code::Code;
use crate::compiler::{self, ShaderInfo, Stage};
use crate::context::Context;
use crate::descriptor::{HeapParameters, PipelineLayout};
use crate::error::{Error, Result};
use crate::shader::ShaderModule;

/// `shaderBinaryVersion`.
pub const BINARY_VERSION: u32 = 2;

/// Hash of the parameters of a shader, or of all shaders that are linked.
type ShaderKey = [u8; 32];

/// A number that no other object or group of linked shaders of the process has.
fn new_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

/// `VkShaderEXT` of a graphics stage.
#[derive(Debug)]
pub struct ShaderObject {
    /// Its number among all shader objects.
    pub(super) number: u64,
    /// The number of the shaders that it is linked with; 0 if it is not linked.
    pub(super) group: u64,
    pub(super) info: ShaderInfo,
    /// `None`: it is compiled with the stages that it is bound with.
    pub(super) compiled: Option<LibraryStage>,
    key: ShaderKey,
    group_key: ShaderKey,
}

/// The parts of a binary.
struct Binary {
    key: ShaderKey,
    group_key: ShaderKey,
    words: Vec<u32>,
    /// What the layout for descriptor heaps was made of, as words.
    heap: Option<Vec<u32>>,
    shader: Option<abi::ShaderBinary>,
}

impl Binary {
    /// Serialises a binary.
    fn write(&self, context: &Context) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend_from_slice(&self.key);
        body.extend_from_slice(&self.group_key);
        put_words(&mut body, &self.words);
        put_u32(&mut body, self.heap.is_some().into());
        put_words(&mut body, self.heap.as_deref().unwrap_or(&[]));
        if let Some(shader) = &self.shader {
            write_shader(&mut body, shader);
        }
        let mut out = Vec::with_capacity(body.len() + 28);
        out.extend_from_slice(&context.physical.cache_uuid());
        put_u32(&mut out, BINARY_VERSION);
        out.extend_from_slice(&checksum(&body).to_le_bytes());
        out.extend_from_slice(&body);
        out
    }

    /// Reads a binary. `None` if it is of another version or device, or damaged.
    fn read(context: &Context, bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { bytes };
        let uuid = *reader.chunk::<16>()?;
        let version = reader.u32()?;
        if (uuid, version) != (context.physical.cache_uuid(), BINARY_VERSION) {
            return None;
        }
        let sum = reader.u64()?;
        if sum != checksum(reader.bytes) {
            return None;
        }
        let (key, group_key) = (*reader.chunk()?, *reader.chunk()?);
        let words = reader.words()?;
        let uses_heaps = reader.u32()? != 0;
        let heap = reader.words()?;
        let shader = match reader.bytes {
            [] => None,
            _ => Some(read_shader(&mut reader)?),
        };
        Some(Self {
            key,
            group_key,
            words,
            heap: uses_heaps.then_some(heap),
            shader,
        })
    }
}

/// The module of a shader's binary: it also holds the SPIR-V, as the code of some stages depends on
/// those that they are bound with. Fails if the binary is not one of this device and driver.
pub fn binary_module(context: &Context, bytes: &[u8]) -> Result<ShaderModule> {
    let binary = Binary::read(context, bytes).ok_or(Error::IncompatibleBinary)?;
    ShaderModule::new(&binary.words)
}

/// The layout of a shader's binary that uses descriptor heaps: it is not created with mappings.
/// Fails if the binary is not one of this device and driver, or uses none.
pub fn binary_layout(context: &Context, stage: Stage, bytes: &[u8]) -> Result<PipelineLayout> {
    let binary = Binary::read(context, bytes).ok_or(Error::IncompatibleBinary)?;
    let parameters = binary
        .heap
        .and_then(|words| HeapParameters::from_words(&words));
    let parameters = parameters.ok_or(Error::IncompatibleBinary)?;
    PipelineLayout::for_heaps(context, stage, parameters)
}

/// The compiled shader of a binary that was created with the same parameters.
fn binary_code(
    context: &Context,
    bytes: &[u8],
    key: &ShaderKey,
    group_key: &ShaderKey,
) -> Result<Option<abi::ShaderBinary>> {
    let binary = Binary::read(context, bytes).ok_or(Error::IncompatibleBinary)?;
    if binary.key != *key {
        return Err(Error::IncompatibleBinary);
    }
    // Shaders that were linked with others are compiled again.
    Ok(binary.shader.filter(|_| binary.group_key == *group_key))
}

/// The key of a shader's parameters.
fn parameters_key(context: &Context, info: &ShaderInfo) -> ShaderKey {
    compiler::key(context, info, &Library::of_shader_objects(0).neighbours())
}

/// The hash of several keys; zeros if there are none.
fn join_keys(keys: &[ShaderKey]) -> ShaderKey {
    let words = keys.iter().flat_map(|key| key.as_chunks().0);
    let words: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
    match words[..] {
        [] => ShaderKey::default(),
        _ => compile::identify(&words),
    }
}

/// Whether shaders, in pipeline order, can be compiled without those before them.
fn starts_alone(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute)
}

/// Parameters of a shader object, and its binary, if it is created from one.
pub type ShaderSource<'a> = (ShaderInfo, Option<&'a [u8]>);

impl ShaderObject {
    /// Creates a shader that is not linked.
    pub fn new(context: &Arc<Context>, (info, binary): ShaderSource<'_>) -> Result<Self> {
        let key = parameters_key(context, &info);
        let none = ShaderKey::default();
        let code = match binary {
            Some(bytes) => binary_code(context, bytes, &key, &none)?,
            None => None,
        };
        let mut object = Self {
            number: new_number(),
            group: 0,
            compiled: None,
            key,
            group_key: none,
            info,
        };
        if let Some(shader) = code {
            object.set_code(Code::upload(context, Arc::new(shader))?, false);
        } else if starts_alone(object.info.stage) {
            let library = Library::of_shader_objects(0);
            let stages = library.compile(context, None, vec![object.info.clone()], false)?;
            object.compiled = stages.into_iter().next();
        } else {
            // Reports invalid SPIR-V.
            compiler::reads(context, None, &object.info)?;
        }
        Ok(object)
    }

    /// Creates shaders that are linked, in the order of the parameters.
    pub fn linked(context: &Arc<Context>, sources: Vec<ShaderSource<'_>>) -> Result<Vec<Self>> {
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&at| sources[at].0.stage as u8);
        let keys = sources
            .iter()
            .map(|source| parameters_key(context, &source.0));
        let keys: Vec<_> = keys.collect();
        let group_key = join_keys(&order.iter().map(|&at| keys[at]).collect::<Vec<_>>());
        let group = new_number();
        let codes = sources
            .iter()
            .zip(&keys)
            .map(|((_, binary), key)| match binary {
                Some(bytes) => binary_code(context, bytes, key, &group_key),
                None => Ok(None),
            });
        let codes: Vec<_> = codes.collect::<Result<_>>()?;
        let mut objects: Vec<_> = sources
            .into_iter()
            .zip(&keys)
            .map(|((info, _), &key)| Self {
                number: new_number(),
                group,
                compiled: None,
                key,
                group_key,
                info,
            })
            .collect();
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
            return Ok(objects);
        };
        if codes.iter().all(Option::is_some) {
            for ((at, object), code) in objects
                .iter_mut()
                .enumerate()
                .zip(codes.into_iter().flatten())
            {
                object.set_code(Code::upload(context, Arc::new(code))?, at != first);
            }
        } else if starts_alone(objects[first].info.stage) {
            let infos = order.iter().map(|&at| objects[at].info.clone()).collect();
            let ends = objects[last].info.stage == Stage::Fragment;
            let library = Library::of_shader_objects(0);
            let stages = library.compile(context, None, infos, ends)?;
            for (at, stage) in order.into_iter().zip(stages) {
                objects[at].compiled = Some(stage);
            }
        }
        Ok(objects)
    }

    fn set_code(&mut self, code: Code, follows: bool) {
        let info = self.info.clone();
        self.compiled = Some(LibraryStage::of_shader_object(info, code, follows));
    }

    /// Its code, if it is compiled alone.
    pub fn compiled(&self) -> Option<&Arc<abi::ShaderBinary>> {
        self.compiled.as_ref().map(|stage| &stage.code.shader)
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.info.layout
    }

    /// Its stage.
    pub fn stage(&self) -> Stage {
        self.info.stage
    }

    /// Its binary.
    pub fn binary(&self, context: &Context) -> Vec<u8> {
        let shader = self
            .compiled
            .as_ref()
            .map(|stage| (*stage.code.shader).clone());
        Binary {
            key: self.key,
            group_key: self.group_key,
            words: self.info.module.words.to_vec(),
            heap: self
                .info
                .layout
                .heap_parameters()
                .map(HeapParameters::to_words),
            shader,
        }
        .write(context)
    }
}
