//! Packed graphics pipelines.
//!
//! In:  shaders and static state. Out: [`DrawPipeline`]: packets of a generation, and the push
//!      layouts of the stages.

use crate::draw::generation::{ConstantStage, DrawGeneration, StaticState};
use crate::draw::push_constants::PushLayout;
use crate::draw::shader::{PipelineShaders, Tessellation};

/// A graphics pipeline, packed once.
#[derive(Clone, Debug)]
pub struct DrawPipeline<G: DrawGeneration> {
    pub(super) packed: Box<G::Pipeline>,
    /// Push layout of each active stage. The fragment stage is always listed, since its constants
    /// are emitted even without a fragment shader.
    pub(super) pushed: Vec<(ConstantStage, Option<PushLayout>)>,
}

impl<G: DrawGeneration> DrawPipeline<G> {
    /// Whether a stage is active with the given push layout.
    pub(super) fn pushes(&self, stage: ConstantStage, layout: Option<&PushLayout>) -> bool {
        let mut stages = self.pushed.iter();
        stages.any(|pushed| pushed.0 as u8 == stage as u8 && pushed.1.as_ref() == layout)
    }

    /// Packs shaders and static state. Returns `None` if they exceed the limits of constants, URB
    /// space or stream output declarations.
    pub fn new(
        device: &hw::Device,
        shaders: &PipelineShaders<'_>,
        static_state: Option<&StaticState<'_>>,
    ) -> Option<Self> {
        use ConstantStage as S;
        let mut pushed = vec![(S::Vertex, Some(PushLayout::new(shaders.vertex.push)?))];
        if let Some(Tessellation {
            control,
            evaluation,
            ..
        }) = &shaders.tessellation
        {
            pushed.push((S::Hull, Some(PushLayout::new(control.program.push)?)));
            pushed.push((S::Domain, Some(PushLayout::new(evaluation.program.push)?)));
        }
        if let Some(geometry) = &shaders.geometry {
            pushed.push((S::Geometry, Some(PushLayout::new(geometry.program.push)?)));
        }
        pushed.push((
            S::Fragment,
            match &shaders.fragment {
                Some(fragment) => Some(PushLayout::new(fragment.push)?),
                None => None,
            },
        ));
        Some(Self {
            packed: G::pack_pipeline(device, shaders, static_state)?,
            pushed,
        })
    }
}
