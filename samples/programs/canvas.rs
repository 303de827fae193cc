//! The attachments of most programs: multisampled colour, its resolve attachment, and depth.

use crate::programs::program::{COLOR, DEPTH, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{Depth, Error, Gpu, Image, Load, Recorder, Target, Targets};

/// Colour and depth attachments of a view's size.
pub struct Canvas {
    /// Samples of a pixel.
    pub samples: u32,
    color: Image,
    resolved: Option<Image>,
    depth: Image,
}

impl Canvas {
    /// Creates the attachments with this number of samples.
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

    /// Renders on a background, in one submission.
    pub fn draw(
        &self,
        gpu: &Gpu,
        background: [f32; 3],
        body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        gpu.run(|r| self.record(r, background, body))
    }

    /// Records the rendering, for programs with more commands in one submission.
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

    /// Reads the rendered image.
    pub fn read(&self, gpu: &Gpu) -> Result<RgbaImage, Error> {
        RgbaImage::read(gpu, self.resolved.as_ref().unwrap_or(&self.color))
    }
}
