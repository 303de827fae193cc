//! Parts of graphics pipelines, compiled: pipeline libraries, and what pipelines are linked from.
//!
//! In:  the create info of a pipeline or library, and the libraries that it includes. Out:
//!      [`Library`]: fixed-function state and compiled shaders of its parts.
//!
//! A library compiles its shaders when it is created, and linking reuses their code. The code of a
//! stage depends on other parts only in these ways:
//! - The attribute layout between the last vertex stage and the fragment shader: attribute setup
//!   (3DSTATE_SBE) connects them when the pipeline is packed. The hardware connects only the first
//!   [`abi::MAX_SWIZZLED_INPUTS`] inputs freely, and the location of cull distances depends on the
//!   number of clip distances. A fragment shader for which this matters is compiled again.
//! - Alpha to coverage, if the fragment shader emulates it: compiled again if it is enabled.
//! - The view mask and sample shading are part of each library that they affect.
//! - The indices of dynamic buffers, which `dynamic_buffers` changes in push data.
//!
//! Ref: Vulkan, "Complete Graphics Pipelines"; VK_EXT_graphics_pipeline_library.

use std::sync::Arc;

use abi::StageInfo;
use cmd::draw::link;
use smallvec::SmallVec;

use super::parts::Parts;
use super::state::{FixedInfo, StaticStateWords};
use crate::cache::PipelineCache;
use crate::code::Code;
use crate::compiler::{self, COVERAGE_OF_COMMANDS, InputsRead, Neighbours, ShaderInfo, Stage};
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::{Error, Result};
use crate::executable::CompiledStage;
use crate::pipeline_binary::{self, BinaryKey, BinaryStage, PipelineBinary};

/// Parameters of a graphics pipeline or of a library of some of its parts.
#[derive(Clone, Debug)]
pub struct GraphicsPipelineInfo<'a> {
    /// The libraries that it includes.
    pub libraries: Vec<&'a Library>,
    /// Shaders of included libraries are compiled again, together with all others.
    pub link_time_optimization: bool,
    /// Fail if a shader is not in a cache, instead of compiling it.
    pub cached_only: bool,
    /// The stages that would be compiled, in pipeline order; none: they are compiled.
    pub binaries: Vec<Arc<PipelineBinary>>,
    /// Pipeline layout. `None`: the union of the layouts of its libraries.
    pub layout: Option<Arc<PipelineLayout>>,
    /// Shaders.
    pub stages: Vec<ShaderInfo>,
    /// Fixed-function state, which names the parts of the create info itself.
    pub fixed: FixedInfo<'a>,
    /// View mask, 0 without multiview; `None` if no part of the create info depends on it.
    pub views: Option<u32>,
    /// Reads of the depth or stencil attachment.
    pub reads_tests: TestReads,
}

/// What decides whether shaders may read the depth or stencil attachment that they are tested
/// against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestReads {
    /// They may: the render pass or a flag says so.
    pub declared: bool,
    /// The fragment shader of a pipeline for dynamic rendering may read them, if they exist.
    pub input_attachments: bool,
    /// A pipeline for dynamic rendering has depth or stencil.
    pub attachments: bool,
}

impl TestReads {
    /// Whether shaders may read depth or stencil.
    pub(super) fn may_read(self) -> bool {
        self.declared || self.input_attachments && self.attachments
    }

    /// What two parts say together.
    fn union(self, other: Self) -> Self {
        Self {
            declared: self.declared || other.declared,
            input_attachments: self.input_attachments || other.input_attachments,
            attachments: self.attachments || other.attachments,
        }
    }
}

/// A compiled shader and what it was compiled from.
#[derive(Clone, Debug)]
pub(super) struct LibraryStage {
    pub info: ShaderInfo,
    pub code: Arc<Code>,
    /// It was compiled for the outputs of the stage before it.
    follows: bool,
    /// [`Facts::coverage`] that it was compiled for.
    coverage: u8,
    /// It was compiled for this pipeline or library, not for one that it includes.
    is_own: bool,
}

/// State that affects code or links, besides the fixed-function state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// View mask; `None` if no part depends on it.
    pub views: Option<u32>,
    /// Mask of the colour attachments that are not written.
    pub ignored_targets: u8,
    pub reads_tests: TestReads,
    /// Control points of a patch; 0 if commands set them.
    patch_points: u32,
    sample_shading: bool,
    /// Samples for alpha to coverage ([`Neighbours::alpha_to_coverage`]).
    coverage: u8,
}

/// A `VkPipeline` with the LIBRARY flag, or the parts of a pipeline before they are linked.
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) parts: Parts,
    pub(super) fixed: StaticStateWords,
    pub(super) facts: Facts,
    /// In pipeline order.
    pub(super) stages: SmallVec<[LibraryStage; 2]>,
}

impl LibraryStage {
    /// The stage for a binary, with SPIR-V.
    pub(super) fn binary_stage(&self, words: Arc<[u32]>) -> BinaryStage {
        BinaryStage {
            shader: self.code.shader.clone(),
            words,
            follows: self.follows,
            coverage: self.coverage,
        }
    }

    /// Whether it was compiled for this pipeline or library.
    pub(super) fn is_own(&self) -> bool {
        self.is_own
    }

    /// The stage of a shader object. `follows`: it was compiled for the stage before it.
    pub(super) fn of_shader_object(info: ShaderInfo, code: Code, follows: bool) -> Self {
        Self {
            info,
            code: Arc::new(code),
            follows,
            coverage: COVERAGE_OF_COMMANDS,
            is_own: true,
        }
    }
}

/// The stages of binaries instead of compiled ones.
fn stages_of_binaries<'a>(
    context: &Arc<Context>,
    shaders: Vec<ShaderInfo>,
    binaries: &mut impl Iterator<Item = &'a Arc<PipelineBinary>>,
) -> Result<SmallVec<[LibraryStage; 2]>> {
    let stages = shaders.into_iter().map(|info| {
        let stage = pipeline_binary::next(binaries)?.stage(info.stage)?;
        Ok(LibraryStage {
            code: Arc::new(Code::upload(context, stage.shader.clone())?),
            info: ShaderInfo {
                module: Arc::new(stage.module()?),
                ..info
            },
            follows: stage.follows,
            coverage: stage.coverage,
            is_own: true,
        })
    });
    stages.collect()
}

impl Library {
    /// The parts that shader objects are compiled and linked with: commands set all state.
    pub(super) fn of_shader_objects(views: u32) -> Self {
        Self {
            parts: Parts::all(),
            fixed: StaticStateWords::of_shader_objects(),
            facts: Facts {
                views: Some(views),
                coverage: COVERAGE_OF_COMMANDS,
                ..Facts::default()
            },
            stages: SmallVec::new(),
        }
    }

    /// The parts of the included libraries, and the state of the create info's own parts, without
    /// its shaders. Fails if two of them have the same part.
    fn without_own_stages(context: &Context, info: &GraphicsPipelineInfo<'_>) -> Result<Self> {
        let fixed = StaticStateWords::new(context.physical.info().device.hw_gen, &info.fixed)?;
        let mut all = Self {
            parts: info.fixed.parts,
            facts: Facts {
                views: info.views,
                ignored_targets: info.fixed.ignored_targets,
                reads_tests: info.reads_tests,
                patch_points: info.fixed.known_patch_points(),
                sample_shading: info.fixed.has_sample_shading(),
                coverage: info.fixed.alpha_to_coverage_samples(),
            },
            fixed,
            stages: SmallVec::new(),
        };
        for library in &info.libraries {
            all.include(library)?;
        }
        Ok(all)
    }

    /// Compiles the shaders of the create info's own parts, or takes them from a cache or from
    /// binaries, and adds those of the included libraries.
    pub fn new(
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        info: GraphicsPipelineInfo<'_>,
    ) -> Result<Self> {
        let mut all = Self::without_own_stages(context, &info)?;
        let mut binaries = info.binaries.iter();
        let mut create =
            |all: &Self, shaders: Vec<ShaderInfo>, is_last: bool| match info.binaries.is_empty() {
                true => all.compile(context, cache, shaders, is_last),
                false => stages_of_binaries(context, shaders, &mut binaries),
            };
        let mut own = info.stages;
        let has_all = all.parts.contains(Parts::FRAGMENT_SHADER);
        if info.link_time_optimization || info.libraries.is_empty() {
            let included = all.stages.drain(..).map(|stage| ShaderInfo {
                cached_only: info.cached_only,
                ..stage.info
            });
            own.extend(included);
            own.sort_by_key(|shader| shader.stage as u8);
            all.stages = create(&all, own, has_all)?;
            return Ok(all);
        }
        own.sort_by_key(|shader| shader.stage as u8);
        let is_fragment = |shader: &ShaderInfo| shader.stage == Stage::Fragment;
        let fragment = own.split_off(own.iter().position(is_fragment).unwrap_or(own.len()));
        // Without a fragment shader, nothing reads the outputs.
        let nothing_follows = has_all
            && fragment.is_empty()
            && !all.stages.iter().any(|stage| is_fragment(&stage.info));
        for (shaders, is_last) in [(own, nothing_follows), (fragment, true)] {
            let compiled = create(&all, shaders, is_last)?;
            all.stages.extend(compiled);
        }
        all.stages.sort_by_key(|stage| stage.info.stage as u8);
        Ok(all)
    }

    /// Adds the parts of another library.
    fn include(&mut self, library: &Library) -> Result<()> {
        if self.parts.intersects(library.parts) {
            return Err(Error::InvalidUse {
                why: "two libraries, or a library and the pipeline, with the same part",
            });
        }
        self.parts |= library.parts;
        self.fixed.include(&library.fixed, library.parts);
        let stages = library.stages.iter().cloned();
        self.stages.extend(stages.map(|stage| LibraryStage {
            is_own: false,
            ..stage
        }));
        let (facts, other) = (&mut self.facts, &library.facts);
        if facts.views.is_some() && other.views.is_some() && facts.views != other.views {
            return Err(Error::InvalidUse {
                why: "parts of a pipeline with different view masks",
            });
        }
        facts.views = facts.views.or(other.views);
        facts.reads_tests = facts.reads_tests.union(other.reads_tests);
        if library.parts.contains(Parts::PRE_RASTERIZATION) {
            facts.patch_points = other.patch_points;
        }
        if library.parts.contains(Parts::FRAGMENT_SHADER) {
            facts.sample_shading = other.sample_shading;
        }
        if library.parts.contains(Parts::FRAGMENT_OUTPUT) {
            facts.coverage = other.coverage;
            facts.ignored_targets = other.ignored_targets;
        }
        Ok(())
    }

    /// What the shaders depend on besides each other.
    pub(super) fn neighbours(&self) -> Neighbours {
        Neighbours {
            sample_shading: self.facts.sample_shading,
            alpha_to_coverage: self.facts.coverage,
            views: self.facts.views.unwrap_or(0),
            ..Neighbours::default()
        }
    }

    /// Compiles consecutive stages together. `is_last`: no stage follows them.
    pub(super) fn compile(
        &self,
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        shaders: Vec<ShaderInfo>,
        is_last: bool,
    ) -> Result<SmallVec<[LibraryStage; 2]>> {
        let find_stage = |stage: Stage| shaders.iter().find(|shader| shader.stage == stage);
        let mut neighbours = self.neighbours();
        if let (Some(control), Some(evaluation)) =
            (find_stage(Stage::TessControl), find_stage(Stage::TessEval))
        {
            let points = self.facts.patch_points;
            let both = [control, evaluation];
            neighbours.tess = Some(compiler::tess_modes(context, cache, both, points)?);
        }
        let mut codes = SmallVec::<[Code; 2]>::new();
        let mut translated = None;
        for (at, info) in shaders.iter().enumerate() {
            let shader_translated = translated.take();
            // After the last pre-rasterisation stage, only the fragment shader reads outputs.
            (neighbours.next_stage_reads, translated) = match (info.stage, shaders.get(at + 1)) {
                (Stage::Fragment, _) => (None, None),
                (_, Some(next)) => compiler::reads(context, cache, next)?,
                (_, None) if is_last => (Some(InputsRead::NONE), None),
                (_, None) => (None, None),
            };
            let code = Code::new(context, cache, info, &neighbours, shader_translated)?;
            neighbours.previous_stage = Some(code.shader.clone());
            codes.push(code);
        }
        let stages = shaders.into_iter().zip(codes).enumerate();
        let stages = stages.map(|(at, (info, code))| LibraryStage {
            info,
            code: Arc::new(code),
            follows: at > 0,
            coverage: self.facts.coverage,
            is_own: true,
        });
        Ok(stages.collect())
    }

    /// Checks that a pipeline can be linked from the parts.
    pub(super) fn check_complete(&self) -> Result<()> {
        let missing = |why| Err(Error::InvalidUse { why });
        if !self.parts.contains(Parts::VERTEX_INPUT) {
            return missing("a pipeline whose vertex input part is in no library");
        }
        if !self.parts.contains(Parts::PRE_RASTERIZATION) {
            return missing("a pipeline whose pre-rasterization part is in no library");
        }
        if self.fixed.always_discards() {
            return Ok(());
        }
        if !self.parts.contains(Parts::FRAGMENT_SHADER) {
            return missing("a pipeline whose fragment shader part is in no library");
        }
        if !self.parts.contains(Parts::FRAGMENT_OUTPUT) {
            return missing("a pipeline whose fragment output part is in no library");
        }
        Ok(())
    }

    /// Compiles the fragment shader again if its code does not fit the other parts.
    pub(super) fn fit_fragment_shader(
        &mut self,
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        cached_only: bool,
    ) -> Result<()> {
        let neighbours = self.neighbours();
        let coverage = self.facts.coverage;
        let [.., last, fragment] = &mut self.stages[..] else {
            return Ok(());
        };
        let (StageInfo::Fragment(info), Some(outputs)) = (
            &fragment.code.shader.stage,
            last.code.shader.stage.vertex_outputs(),
        ) else {
            return Ok(());
        };
        let fits_outputs = fragment.follows || link::fits_any_outputs(info, outputs);
        // As `lower_alpha_to_coverage` decides.
        let emulates_coverage = info.output_mask || info.targets.count_ones() > 1;
        if fits_outputs && (fragment.coverage == coverage || !emulates_coverage) {
            return Ok(());
        }
        let neighbours = Neighbours {
            previous_stage: Some(last.code.shader.clone()),
            ..neighbours
        };
        let info = ShaderInfo {
            cached_only,
            ..fragment.info.clone()
        };
        *fragment = LibraryStage {
            code: Arc::new(Code::new(context, cache, &info, &neighbours, None)?),
            info,
            follows: true,
            coverage,
            is_own: true,
        };
        Ok(())
    }

    /// Replaces the fragment shader of a library by the last of the binaries that the pipeline is
    /// created from, if the pipeline had to compile it again.
    pub(super) fn replace_fragment_shader(
        &mut self,
        context: &Arc<Context>,
        binaries: &[Arc<PipelineBinary>],
    ) -> Result<()> {
        let own_stages = self.stages.iter().filter(|stage| stage.is_own).count();
        let mut left = binaries.iter().skip(own_stages);
        if left.len() == 0 {
            return Ok(());
        }
        let Some(fragment) = self.stages.last_mut() else {
            return Ok(());
        };
        let shaders = vec![fragment.info.clone()];
        if let Some(stage) = stages_of_binaries(context, shaders, &mut left)?.pop() {
            *fragment = stage;
        }
        Ok(())
    }

    /// The binaries of the stages that were compiled for it, with their SPIR-V.
    pub fn binaries(&self, context: &Context) -> Vec<Arc<PipelineBinary>> {
        let own_stages = self.stages.iter().filter(|stage| stage.is_own);
        let binaries = own_stages.map(|stage| {
            let words = stage.info.module.words.clone();
            PipelineBinary::new(context, stage.binary_stage(words))
        });
        binaries.collect()
    }

    /// The key of the parameters of a pipeline, or of a library, whose binaries have the SPIR-V.
    pub fn binary_key(
        context: &Context,
        info: GraphicsPipelineInfo<'_>,
        is_library: bool,
    ) -> Result<BinaryKey> {
        let mut all = Self::without_own_stages(context, &info)?;
        let mut own = info.stages;
        let is_compiled_again = info.link_time_optimization;
        if is_compiled_again {
            own.extend(all.stages.drain(..).map(|stage| stage.info));
        }
        own.sort_by_key(|shader| shader.stage as u8);
        let mut text = b"graphics pipeline".to_vec();
        text.extend_from_slice(&all.parts.bits().to_le_bytes());
        text.extend_from_slice(&all.facts.patch_points.to_le_bytes());
        let flags = [is_compiled_again, is_library].map(u8::from);
        text.extend_from_slice(&flags);
        text.push(all.facts.coverage);
        let neighbours = all.neighbours();
        for shader in &own {
            text.push(shader.stage as u8);
            text.extend_from_slice(&compiler::key(context, shader, &neighbours));
        }
        // Included shaders decide whether the fragment shader is compiled again.
        for stage in &all.stages {
            text.push(stage.info.stage as u8);
            let binary = PipelineBinary::new(context, stage.binary_stage(Arc::default()));
            text.extend_from_slice(binary.key());
        }
        Ok(compile::hash_bytes(&text))
    }

    /// Whether each of its shaders was found in the application's cache.
    pub fn cached(&self) -> impl Iterator<Item = bool> {
        self.stages.iter().map(|stage| stage.code.cached)
    }

    /// The compiled shaders of its stages.
    pub fn compiled(&self) -> Vec<CompiledStage<'_>> {
        let codes = self.stages.iter().map(|stage| &stage.code);
        codes
            .map(|code| CompiledStage::preferred(&code.shader))
            .collect()
    }
}
