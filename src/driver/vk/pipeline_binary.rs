//! Pipeline binaries: the compiled stages of pipelines, for applications that cache them
//! themselves (VK_KHR_pipeline_binary).
//!
//! In:  compiled stages, or the data of a binary. Out: the other; keys.
//!
//! A pipeline has one binary for each stage that was compiled for it, in pipeline order: stages of
//! the libraries that it includes are theirs, unless they were compiled again. The key of a binary
//! is the hash of its data, so damaged data has another key. The data of a library's stage contains
//! the SPIR-V, as linking may compile the stage again.
//! Ref: Vulkan, "Pipeline Binaries".

use std::sync::Arc;

use crate::cache_entry::{Reader, put_words, read_shader, write_shader};
use crate::compiler::Stage;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::shader::ShaderModule;

/// `VkPipelineBinaryKeyKHR`.
pub type BinaryKey = [u8; 32];

/// A compiled stage of a pipeline.
#[derive(Clone, Debug)]
pub(crate) struct BinaryStage {
    pub shader: Arc<abi::ShaderBinary>,
    /// SPIR-V; empty if the stage is never compiled again.
    pub words: Arc<[u32]>,
    /// It was compiled for the outputs of the stage before it.
    pub follows: bool,
    /// Samples for alpha to coverage that it was compiled for.
    pub coverage: u8,
}

/// `VkPipelineBinaryKHR`.
#[derive(Debug)]
pub struct PipelineBinary {
    stage: BinaryStage,
    data: Vec<u8>,
    key: BinaryKey,
}

impl PipelineBinary {
    /// The binary of a stage.
    pub(crate) fn new(context: &Context, stage: BinaryStage) -> Arc<Self> {
        let mut data = context.physical.cache_uuid().to_vec();
        data.extend_from_slice(&[stage.follows.into(), stage.coverage, 0, 0]);
        put_words(&mut data, &stage.words);
        write_shader(&mut data, &stage.shader);
        let key = compile::hash_bytes(&data);
        Arc::new(Self { stage, data, key })
    }

    /// The binary of data that [`PipelineBinary::data`] returned. Fails if it is damaged or has
    /// another key, device or build of the driver.
    pub fn from_data(context: &Context, key: &[u8], data: &[u8]) -> Result<Arc<Self>> {
        let invalid = |why: &str| Error::InitializationFailed { why: why.into() };
        if *key != compile::hash_bytes(data) {
            return Err(invalid(
                "the data of a pipeline binary does not fit its key",
            ));
        }
        let (owner, rest) = data.split_first_chunk().unwrap_or((&[0; 16], &[]));
        if *owner != context.physical.cache_uuid() {
            return Err(invalid("a pipeline binary of another device or driver"));
        }
        let stage = read_stage(rest).ok_or(invalid("the data of a pipeline binary is damaged"))?;
        Ok(Self::new(context, stage))
    }

    /// Its key.
    pub fn key(&self) -> &BinaryKey {
        &self.key
    }

    /// Its data.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The compiled stage. Fails if it is not one of `stage`.
    pub(crate) fn stage(&self, stage: Stage) -> Result<&BinaryStage> {
        let is_same = match &self.stage.shader.stage {
            abi::StageInfo::Compute(_) => stage == Stage::Compute,
            abi::StageInfo::Vertex(_) => stage == Stage::Vertex,
            abi::StageInfo::TessControl(_) => stage == Stage::TessControl,
            abi::StageInfo::TessEval(_) => stage == Stage::TessEval,
            abi::StageInfo::Geometry(_) => stage == Stage::Geometry,
            abi::StageInfo::Fragment(_) => stage == Stage::Fragment,
        };
        is_same.then_some(&self.stage).ok_or(Error::InvalidUse {
            why: "a pipeline binary of another stage",
        })
    }
}

impl BinaryStage {
    /// The module of the stage's SPIR-V.
    pub fn module(&self) -> Result<ShaderModule> {
        match &*self.words {
            [] => Ok(ShaderModule::named(&[])),
            words => ShaderModule::new(words),
        }
    }
}

fn read_stage(bytes: &[u8]) -> Option<BinaryStage> {
    let mut reader = Reader { bytes };
    let [follows, coverage, _, _] = *reader.chunk()?;
    let words = reader.words()?;
    Some(BinaryStage {
        follows: follows != 0,
        coverage,
        words: words.into(),
        shader: Arc::new(read_shader(&mut reader)?),
    })
}

/// The next of the binaries that a pipeline is created from.
pub(crate) fn next<'a>(
    binaries: &mut impl Iterator<Item = &'a Arc<PipelineBinary>>,
) -> Result<&'a Arc<PipelineBinary>> {
    binaries.next().ok_or(Error::InvalidUse {
        why: "a pipeline with fewer binaries than it has stages",
    })
}

/// The key that applies to all pipelines of a device: as long as it does not change, the data of
/// binaries is valid.
pub fn global_key(context: &Context) -> BinaryKey {
    let mut text = b"pipeline binaries".to_vec();
    text.extend_from_slice(&context.physical.cache_uuid());
    let flags = context.physical.diagnosis().flags.code_bits();
    text.extend_from_slice(&flags.to_le_bytes());
    text.push(context.features.robust_buffers.into());
    compile::hash_bytes(&text)
}
