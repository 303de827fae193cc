//! Pictures made of textures by drawing rectangles: blits and resolves to what can be a colour target.
//!
//! In:  a texture, a box of a layer or slice, and what its fragments are to know. Out: a draw that has the box as its target.
//! What is drawn so is in the cache of targets: [`super::barrier`] flushes that for transfers too.

use cmd::draw::Draw;
use cmd::draw::recorder::InternalDraw;
use cmd::draw::state::{Area, Dirty};

use super::buffer::CommandBuffer;
use super::target::{alone, fit};
use crate::error::Result;
use crate::surface_state::Surface;

/// Vertices of a rectangle.
const CORNERS: u32 = 3;

/// A rectangle to be drawn.
#[derive(Debug)]
pub(super) struct Rectangle<'a> {
    /// By which shader.
    pub drawn: blit::Drawn,
    /// The one layer that it is drawn to.
    pub target: Surface,
    /// Its pixels.
    pub area: Area,
    /// What its fragments are told.
    pub push_dw: &'a [u32],
}

impl CommandBuffer {
    /// Draws a rectangle, outside all renderings.
    pub(super) fn draw_rectangle(&mut self, rectangle: &Rectangle<'_>) -> Result<()> {
        let area = rectangle.area;
        let targets = alone(rectangle.target, &area);
        self.recorder.draws().set_targets(&targets);
        let pipeline = self.internal.drawn(&self.context, rectangle.drawn)?;
        let state = match &mut self.covering {
            Some(state) => state,
            none => none.insert(Box::new(pipeline.fixed().state().clone())),
        };
        fit(state, &area, 1);
        let end = [area.x + area.width, area.y + area.height].map(|px| px as f32);
        let mut constants_dw = [0; blit::Drawn::MAX_PUSH_DW];
        let constants = end.iter().map(|px| px.to_bits());
        let constants = constants.chain(rectangle.push_dw.iter().copied());
        for (to, from) in constants_dw.iter_mut().zip(constants) {
            *to = from;
        }
        let draw = Draw {
            vertices: CORNERS,
            instances: 1,
            ..Draw::default()
        };
        let internal = InternalDraw {
            pipeline: pipeline.draw(),
            state,
            differs: Dirty::VIEWPORTS.with(Dirty::SCISSORS),
            constants_dw: &constants_dw,
            predicated: false,
        };
        self.recorder.draw_internal(internal, &draw)?;
        self.recorder.draws().end_targets();
        Ok(())
    }
}
