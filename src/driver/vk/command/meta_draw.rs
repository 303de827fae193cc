//! Meta draws of rectangles: blits and resolves to renderable images.
//!
//! In:  a texture, a box of a layer or slice, push constants. Out: a draw whose render target is
//!      the box.
//!
//! The render target cache holds the result: [`super::barrier`] flushes it for transfers too.

use cmd::draw::DrawParams;
use cmd::draw::recorder::InternalDraw;
use cmd::draw::state::{DirtyGroups, PixelRect};

use super::buffer::CommandBuffer;
use super::target::{set_area, single_target};
use crate::error::Result;
use crate::surface_state::SurfaceStateWords;

/// Vertices of a rectangle list primitive.
const CORNERS: u32 = 3;

/// A rectangle to draw.
#[derive(Debug)]
pub(super) struct Rectangle<'a> {
    /// The fragment shader.
    pub drawn: blit::DrawShader,
    /// Surface state of the target: a single layer.
    pub target: SurfaceStateWords,
    /// Area in pixels.
    pub area: PixelRect,
    /// Push constants of the fragment shader.
    pub push_dw: &'a [u32],
}

impl CommandBuffer {
    /// Draws a rectangle, outside of any rendering.
    pub(super) fn draw_rectangle(&mut self, rectangle: &Rectangle<'_>) -> Result<()> {
        let area = rectangle.area;
        let targets = single_target(rectangle.target, &area);
        self.recorder.draws().set_targets(&targets);
        let pipeline = self
            .meta_pipelines
            .blit_draw(&self.context, rectangle.drawn)?;
        let state = match &mut self.rectangle_state {
            Some(state) => state,
            none => none.insert(Box::new(pipeline.fixed().state().clone())),
        };
        set_area(state, &area, 1);
        let end = [area.x + area.width, area.y + area.height].map(|px| px as f32);
        let mut constants_dw = [0; blit::DrawShader::MAX_PUSH_DW];
        let constants = end.iter().map(|px| px.to_bits());
        let constants = constants.chain(rectangle.push_dw.iter().copied());
        for (to, from) in constants_dw.iter_mut().zip(constants) {
            *to = from;
        }
        let draw = DrawParams {
            vertices: CORNERS,
            instances: 1,
            ..DrawParams::default()
        };
        let internal = InternalDraw {
            pipeline: pipeline.draw(),
            state,
            differs: DirtyGroups::VIEWPORTS.with(DirtyGroups::SCISSORS),
            constants_dw: &constants_dw,
            predicated: false,
        };
        self.recorder.draw_internal(internal, &draw)?;
        self.recorder.draws().end_targets();
        Ok(())
    }
}
