//! Fast clears of colours: blocks are said to have the clear colour, and get it at last where nothing was drawn over them.
//!
//! In:  the colours that a rendering begins with. Out: draws of rectangles that stand for whole levels, before the rendering and behind
//! it. Where the clear is not kept ([`super::kept`]), a rendering that clears so resolves when it ends, in the view's own format and
//! with the colour that the batch knows: no block is left then that has the clear colour. Of images that are compressed, compressed
//! blocks stay so (a partial resolve); of others a block is its bytes.
//! Ref: SKL PRM vol. 7, "Render Target Fast Clear", "Render Target Resolve"; vol. 2d, RENDER_SURFACE_STATE, "Clear Color".

use std::sync::Arc;

use ash::vk as api;
use blit::Span;
use cmd::Pending;
use cmd::draw::Draw;
use cmd::draw::recorder::InternalDraw;
use cmd::draw::shader::Special;
use cmd::draw::state::{Area, Dirty};
use cmd::image::CcsMode;

use super::buffer::CommandBuffer;
use super::cleared::{Cleared, Several};
use super::control;
use super::pass::Transition;
use super::target::{Begin, Colour, Load, alone, fit};
use crate::error::Result;
use crate::graphics::convert;
use crate::image::{AuxKind, Image, is_worth_blocks, texel};

/// Vertices of a rectangle.
const CORNERS: u32 = 3;

impl CommandBuffer {
    /// Whether a rectangle is worth a clear by blocks.
    pub(super) fn is_worth_blocks(&self, area: &Area) -> bool {
        let diagnosis = self.context.physical.diagnosis();
        is_worth_blocks(diagnosis, [area.width, area.height])
    }

    /// A colour that is cleared by blocks; none: it has to be drawn.
    pub(super) fn clears_blocks(
        &self,
        begin: &Begin<'_>,
        from: &Colour<'_>,
        value: &[u32; 4],
    ) -> Result<Option<Cleared>> {
        let (view, image) = (from.view, &*from.view.image);
        let part = image.part(api::ImageAspectFlags::COLOR)?;
        let several = image.samples() > 1;
        let kind = AuxKind::of_colour(image.samples());
        let Some((control, address)) = image.aux(part, kind)? else {
            return Ok(None);
        };
        // The rectangle is for whole levels.
        let area = convert::area(&begin.area);
        let [width, height, _] = view.extent_px();
        let whole = (area.x, area.y) == (0, 0) && area.width >= width && area.height >= height;
        let can = whole
            && part.surface.tiling == surface::Tiling::Y
            && from.fresh == begin.views
            && Image::is_drawn_in(from.layout)
            && self.is_worth_blocks(&area);
        let colour = texel::block_colour(view.format, value).filter(|_| can);
        let Some(colour) = colour else {
            return Ok(None);
        };
        let mut surface = view.colour_target()?;
        let blocks = image.drawn_blocks(from.layout);
        if !several {
            cmd::image::set_ccs(&mut surface, &control, address, blocks);
        }
        cmd::image::set_clear_colour(&mut surface, colour);
        Ok(Some(Cleared {
            surface,
            record: None,
            size_px: part.surface.scaled_px(&control, view.first_level),
            layers: begin.views.ranges(begin.layers).collect(),
            compressed: blocks == CcsMode::Compressed,
            pixel: texel::colour(view.format, &colour),
            several: several.then(|| Several {
                image: Arc::clone(&view.image),
                first_layer: view.first_layer,
            }),
        }))
    }

    /// Whether a rendering that is about to begin clears, by blocks, all that a change of layout lets hold anything: its control surface
    /// need not be written twice then, nor its record.
    pub(super) fn is_cleared_whole(
        &self,
        begin: Option<&Begin<'_>>,
        change: &Transition,
    ) -> Result<bool> {
        let view = &*change.view;
        let colours = begin
            .iter()
            .flat_map(|begin| begin.colours.iter().flatten());
        let mut mine = colours.filter(|colour| std::ptr::eq(colour.view, view));
        let has_control = view.image.samples() > 1 || view.image.is_compressed();
        let is_new = change.layouts[0] == api::ImageLayout::UNDEFINED && has_control;
        let (true, Some(begin), Some(colour)) = (is_new, begin, mine.next()) else {
            return Ok(false);
        };
        let Load::Clear(value) = &colour.load else {
            return Ok(false);
        };
        let ranges = begin.views.ranges(begin.layers);
        let all = ranges.map(|(_, count)| count).sum::<u32>() >= view.layers;
        Ok(all && self.clears_blocks(begin, colour, value)?.is_some())
    }

    /// Says of targets' blocks that they have the clear colour. What is drawn to has to be said behind it.
    pub(super) fn clear_blocks<'a>(
        &mut self,
        all: impl IntoIterator<Item = &'a Cleared>,
    ) -> Result<()> {
        let all = all.into_iter();
        self.cover(all.map(|target| (target, Special::FastClear)))
    }

    /// Gives blocks that have the clear colour that colour. What is drawn to has to be said behind it.
    pub(super) fn resolve_blocks<'a>(
        &mut self,
        all: impl IntoIterator<Item = &'a Cleared>,
    ) -> Result<()> {
        let all = all.into_iter().filter(|to| to.several.is_none());
        self.cover(all.map(|target| match target.compressed {
            true => (target, Special::PartialResolve),
            false => (target, Special::Resolve),
        }))
    }

    fn cover<'a>(&mut self, all: impl Iterator<Item = (&'a Cleared, Special)>) -> Result<()> {
        let mut before = None;
        for (target, special) in all {
            // No two ways at once.
            if before.replace(special) != Some(special) {
                self.recorder.finish_targets()?;
            }
            let [width, height] = target.size_px;
            let area = Area {
                x: 0,
                y: 0,
                width,
                height,
            };
            let mut targets = alone(target.surface, &area);
            targets.records[0] = target.record;
            self.recorder.draws().set_targets(&targets);
            let pipeline = self
                .internal
                .special(&self.context, special, target.samples())?;
            let state = match &mut self.covering {
                Some(state) => state,
                none => none.insert(Box::new(pipeline.fixed().state().clone())),
            };
            fit(state, &area, target.samples());
            for &(first, count) in &target.layers {
                let draw = Draw {
                    vertices: CORNERS,
                    instances: count,
                    first_instance: first,
                    ..Draw::default()
                };
                let internal = InternalDraw {
                    pipeline: pipeline.draw(),
                    state,
                    differs: Dirty::VIEWPORTS.with(Dirty::SCISSORS),
                    constants_dw: &[width, height].map(|px| (px as f32).to_bits()),
                    predicated: false,
                };
                self.recorder.draw_internal(internal, &draw)?;
            }
        }
        match before {
            Some(_) => self.recorder.finish_targets(),
            None => Ok(()),
        }
    }

    /// Gives pixels of several samples that nobody has drawn over their colour: no rectangle does it.
    pub(super) fn settle(&mut self, all: &[Cleared]) -> Result<()> {
        let mut before = Pending::STALL
            .with(Pending::FLUSH_TARGETS)
            .with(Pending::FLUSH_DATA);
        for target in all {
            let Some(several) = &target.several else {
                continue;
            };
            self.recorder.barrier(std::mem::take(&mut before));
            let bytes = target.pixel.len() as u64;
            let address = match target.record {
                Some(record) => cmd::fast_clear_record::pixel_at(record.get()),
                None => {
                    let data = self.recorder.data(4)?;
                    data.words.copy_from_slice(&target.pixel_dw());
                    data.address
                }
            };
            for &(first, count) in &target.layers {
                let layers = (several.first_layer + first, count);
                for launch in control::settled(&several.image, layers, Span { address, bytes })? {
                    self.launch(&launch)?;
                }
            }
        }
        if before.is_none() {
            let seen = Pending::STALL.with(Pending::FLUSH_DATA);
            self.recorder
                .barrier(seen.with(Pending::INVALIDATE_TEXTURE));
        }
        Ok(())
    }
}
