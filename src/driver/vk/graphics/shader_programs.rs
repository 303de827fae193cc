//! Programs: the shader objects that a draw uses, linked.
//!
//! In:  the shader objects that are bound to the stages. Out: a linked pipeline all of whose state
//!      is dynamic. It is linked at the first draw with these shaders; later ones find it by their
//!      numbers, without an allocation.
//! Ref: Vulkan, "Shader Objects".

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::library::Library;
use super::pipeline::Pipeline;
use super::shader_object::ShaderObject;
use crate::compiler::Stage;
use crate::context::Context;
use crate::error::{Error, Result};

/// Number of graphics stages.
const STAGES: usize = 5;

/// The numbers of the shaders by stage (0: none), and the view mask.
type ProgramKey = ([u64; STAGES], u32);

/// The shader objects that are bound to the graphics stages of a command buffer.
#[derive(Debug, Default)]
pub(crate) struct BoundShaders {
    shaders: [Option<Arc<ShaderObject>>; STAGES],
    /// Draws use them, not a pipeline.
    is_active: bool,
    /// The program of the shaders or of the view mask is to be bound.
    pub is_changed: bool,
}

/// The index of a graphics stage.
fn stage_index(stage: Stage) -> Option<usize> {
    let stages = [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
        Stage::Fragment,
    ];
    stages.iter().position(|&other| other == stage)
}

impl BoundShaders {
    /// Binds a shader to a stage, or unbinds what is bound to it. Fails if the shader is of another
    /// stage.
    pub fn bind(&mut self, stage: Stage, shader: Option<&Arc<ShaderObject>>) -> Result<()> {
        let slot = stage_index(stage).and_then(|index| self.shaders.get_mut(index));
        let fits = shader.is_none_or(|shader| shader.stage() == stage);
        let slot = slot.filter(|_| fits).ok_or(Error::InvalidUse {
            why: "a shader object bound to another stage than its own",
        })?;
        *slot = shader.cloned();
        (self.is_active, self.is_changed) = (true, true);
        Ok(())
    }

    /// Unbinds all shaders: a pipeline is bound.
    #[inline]
    pub fn clear(&mut self) {
        if self.is_active {
            *self = Self::default();
        }
    }

    /// A rendering begins, perhaps with another view mask.
    #[inline]
    pub fn begin_rendering(&mut self) {
        self.is_changed = self.is_active;
    }

    fn key(&self, views: u32) -> ProgramKey {
        let numbers = self.shaders.each_ref();
        (
            numbers.map(|shader| shader.as_ref().map_or(0, |shader| shader.number)),
            views,
        )
    }
}

/// The programs of a device.
#[derive(Debug, Default)]
pub struct ShaderPrograms(Mutex<FxHashMap<ProgramKey, Arc<Pipeline>>>);

impl ShaderPrograms {
    fn programs(&self) -> MutexGuard<'_, FxHashMap<ProgramKey, Arc<Pipeline>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program of bound shaders.
    pub(crate) fn find_or_link(
        &self,
        context: &Arc<Context>,
        bound: &BoundShaders,
        views: u32,
    ) -> Result<Arc<Pipeline>> {
        let key = bound.key(views);
        if let Some(program) = self.programs().get(&key) {
            return Ok(program.clone());
        }
        let program = Arc::new(link(context, bound, views)?);
        // Another thread may have linked the same: its draws use the program that is there.
        Ok(self.programs().entry(key).or_insert(program).clone())
    }

    /// Removes the programs of a shader that is destroyed.
    pub fn forget(&self, shader: &ShaderObject) {
        let number = shader.number;
        self.programs().retain(|key, _| !key.0.contains(&number));
    }
}

/// Links bound shaders. Those whose code does not fit the others are compiled together.
fn link(context: &Arc<Context>, bound: &BoundShaders, views: u32) -> Result<Pipeline> {
    let shaders: Vec<_> = bound.shaders.iter().flatten().collect();
    if bound.shaders[0].is_none() {
        return Err(Error::InvalidUse {
            why: "a draw with shader objects, but without a vertex shader",
        });
    }
    let mut library = Library::of_shader_objects(views);
    let mut layouts = shaders.iter().map(|shader| &shader.info.layout);
    library.facts.reads_tests.declared = context.features.dynamic_feedback_loops
        || layouts.any(|layout| layout.may_hold_input_attachments());
    let group = shaders.first().map_or(0, |shader| shader.group);
    let one_group = shaders.iter().all(|shader| shader.group == group);
    // Attribute setup connects a vertex and a fragment shader that are not linked with others.
    let alone = group == 0
        && shaders
            .iter()
            .all(|shader| matches!(shader.info.stage, Stage::Vertex | Stage::Fragment));
    let stages = shaders.iter().map(|shader| shader.compiled.clone());
    let stages = stages.collect::<Option<_>>();
    match stages.filter(|_| views == 0 && one_group && (group != 0 || alone)) {
        Some(stages) => library.stages = stages,
        None => {
            let infos = shaders.iter().map(|shader| shader.info.clone()).collect();
            library.stages = library.compile(context, None, infos, true)?;
        }
    }
    Pipeline::of_shader_objects(context, library)
}
