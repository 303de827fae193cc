//! What most programs draw to: a colour with several samples, where they are resolved to, and depth.

use super::{COLOR, DEPTH, View};
use crate::vulkan::{Depth, Image, Load, Recorder, Target, Targets};
use crate::{Error, Gpu, Picture};

/// Colour and depth of a view's size.
pub struct Canvas {
    /// How many samples each texel has.
    pub samples: u32,
    color: Image,
    resolved: Option<Image>,
    depth: Image,
}

impl Canvas {
    /// A canvas of so many samples.
    pub fn new(gpu: &Gpu, view: &View, samples: u32) -> Result<Canvas, Error> {
        let many = |info: crate::vulkan::ImageInfo| info.target().samples(samples);
        Ok(Canvas {
            samples,
            color: gpu.image(many(view.image(COLOR)))?,
            resolved: match samples {
                1 => None,
                _ => Some(gpu.image(view.image(COLOR).target())?),
            },
            depth: gpu.image(many(view.image(DEPTH)))?,
        })
    }

    /// Draws on a background, in one go.
    pub fn draw(
        &self,
        gpu: &Gpu,
        background: [f32; 3],
        body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        gpu.run(|r| self.record(r, background, body))
    }

    /// Records the same, for programs that do more in one submission.
    pub fn record(
        &self,
        recorder: &Recorder<'_>,
        [red, green, blue]: [f32; 3],
        body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let colors = [Target {
            image: &self.color,
            view: self.color.view,
            load: Load::clear([red, green, blue, 1.0]),
            resolve: self.resolved.as_ref(),
        }];
        let mut targets = Targets::new(&colors);
        targets.depth = Some(Depth {
            image: &self.depth,
            clear: Some((1.0, 0)),
        });
        recorder.draw_to(&targets, body)
    }

    /// What was drawn.
    pub fn picture(&self, gpu: &Gpu) -> Result<Picture, Error> {
        Picture::of(gpu, self.resolved.as_ref().unwrap_or(&self.color))
    }
}
