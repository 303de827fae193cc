//! Fast clears of colour attachments.
//!
//! In:  the load operations of a rendering. Out: draws of scaled rectangles that mark blocks as
//!      clear in the CCS or MCS, before the rendering, and resolves after it.
//!
//! Unless the clear state is tracked ([`super::fast_clear_tracking`]), a rendering with a fast
//! clear ends with a resolve, in the view's own format and with the colour known at record time, so
//! that no block stays clear. Images with compression keep compressed blocks (partial resolve); in
//! others a resolved block is plain (full resolve).
//! Ref: SKL PRM vol. 7, "Render Target Fast Clear", "Render Target Resolve"; vol. 2d,
//!      RENDER_SURFACE_STATE, "Clear Color".

use std::sync::Arc;

use ash::vk as api;
use blit::MemoryRange;
use cmd::PendingFlushes;
use cmd::draw::DrawParams;
use cmd::draw::recorder::InternalDraw;
use cmd::draw::shader::TargetOp;
use cmd::draw::state::{DirtyGroups, PixelRect};
use cmd::image::CcsMode;

use super::aux_state;
use super::buffer::CommandBuffer;
use super::clear_state::{FastClearTarget, MultisampledTarget};
use super::pass::AttachmentTransition;
use super::target::{BeginRendering, ColourAttachment, LoadOp, set_area, single_target};
use crate::error::Result;
use crate::graphics::convert;
use crate::image::{AuxKind, Image, is_worth_fast_clear, texel};

/// Vertices of a rectangle list primitive.
const CORNERS: u32 = 3;

impl CommandBuffer {
    /// Whether an area is large enough for a fast clear.
    pub(super) fn is_worth_fast_clear(&self, area: &PixelRect) -> bool {
        let diagnosis = self.context.physical.diagnosis();
        is_worth_fast_clear(diagnosis, [area.width, area.height])
    }

    /// The fast clear of a colour attachment. `None`: the clear has to be drawn.
    pub(super) fn fast_clear_target(
        &self,
        begin: &BeginRendering<'_>,
        from: &ColourAttachment<'_>,
        value: &[u32; 4],
    ) -> Result<Option<FastClearTarget>> {
        let (view, image) = (from.view, &*from.view.image);
        let part = image.aspect_part(api::ImageAspectFlags::COLOR)?;
        let multisampled = image.samples() > 1;
        let kind = AuxKind::of_colour(image.samples());
        let Some((control, address)) = image.aux(part, kind)? else {
            return Ok(None);
        };
        // The rectangle covers whole levels.
        let area = convert::area(&begin.area);
        let [width, height, _] = view.extent_px();
        let whole = (area.x, area.y) == (0, 0) && area.width >= width && area.height >= height;
        let can = whole
            && part.surface.tiling == surface::Tiling::Y
            && from.fresh == begin.views
            && Image::is_attachment_only_layout(from.layout)
            && self.is_worth_fast_clear(&area);
        let colour = texel::clear_colour(view.format, value).filter(|_| can);
        let Some(colour) = colour else {
            return Ok(None);
        };
        let mut surface = view.colour_target()?;
        let blocks = image.ccs_mode(from.layout);
        if !multisampled {
            cmd::image::set_ccs(&mut surface, &control, address, blocks);
        }
        cmd::image::set_clear_colour(&mut surface, colour);
        Ok(Some(FastClearTarget {
            surface,
            record: None,
            size_px: part.surface.aux_op_extent(&control, view.first_level),
            layers: begin.views.ranges(begin.layers).collect(),
            compressed: blocks == CcsMode::Compressed,
            pixel: texel::colour(view.format, &colour),
            multisampled: multisampled.then(|| MultisampledTarget {
                image: Arc::clone(&view.image),
                first_layer: view.first_layer,
            }),
        }))
    }

    /// Whether a rendering that is about to begin fast-clears all that an attachment's transition
    /// from an undefined layout covers: its aux surface and record need no initialisation then.
    pub(super) fn is_fully_fast_cleared(
        &self,
        begin: Option<&BeginRendering<'_>>,
        transition: &AttachmentTransition,
    ) -> Result<bool> {
        let view = &*transition.view;
        let colours = begin
            .iter()
            .flat_map(|begin| begin.colours.iter().flatten());
        let mut attachments = colours.filter(|colour| std::ptr::eq(colour.view, view));
        let has_control = view.image.samples() > 1 || view.image.is_compressed();
        let is_new = transition.layouts[0] == api::ImageLayout::UNDEFINED && has_control;
        let (true, Some(begin), Some(colour)) = (is_new, begin, attachments.next()) else {
            return Ok(false);
        };
        let LoadOp::Clear(value) = &colour.load else {
            return Ok(false);
        };
        let ranges = begin.views.ranges(begin.layers);
        let all = ranges.map(|(_, count)| count).sum::<u32>() >= view.layers;
        Ok(all && self.fast_clear_target(begin, colour, value)?.is_some())
    }

    /// Fast-clears targets. The render targets must be emitted again afterwards.
    pub(super) fn emit_fast_clears<'a>(
        &mut self,
        all: impl IntoIterator<Item = &'a FastClearTarget>,
    ) -> Result<()> {
        let all = all.into_iter();
        self.draw_fast_clear_rectangles(all.map(|target| (target, TargetOp::FastClear)))
    }

    /// Resolves the fast-cleared blocks of single-sampled targets. The render targets must be
    /// emitted again afterwards.
    pub(super) fn resolve_fast_clears<'a>(
        &mut self,
        all: impl IntoIterator<Item = &'a FastClearTarget>,
    ) -> Result<()> {
        let all = all.into_iter().filter(|to| to.multisampled.is_none());
        self.draw_fast_clear_rectangles(all.map(|target| match target.compressed {
            true => (target, TargetOp::PartialResolve),
            false => (target, TargetOp::Resolve),
        }))
    }

    fn draw_fast_clear_rectangles<'a>(
        &mut self,
        all: impl Iterator<Item = (&'a FastClearTarget, TargetOp)>,
    ) -> Result<()> {
        let mut before = None;
        for (target, special) in all {
            // A flush is needed between different operations.
            if before.replace(special) != Some(special) {
                self.recorder.finish_targets()?;
            }
            let [width, height] = target.size_px;
            let area = PixelRect {
                x: 0,
                y: 0,
                width,
                height,
            };
            let mut targets = single_target(target.surface, &area);
            targets.records[0] = target.record;
            self.recorder.draws().set_targets(&targets);
            let pipeline = self
                .meta_pipelines
                .aux_op(&self.context, special, target.samples())?;
            let state = match &mut self.rectangle_state {
                Some(state) => state,
                none => none.insert(Box::new(pipeline.fixed().state().clone())),
            };
            set_area(state, &area, target.samples());
            for &(first, count) in &target.layers {
                let draw = DrawParams {
                    vertices: CORNERS,
                    instances: count,
                    first_instance: first,
                    ..DrawParams::default()
                };
                let internal = InternalDraw {
                    pipeline: pipeline.draw(),
                    state,
                    differs: DirtyGroups::VIEWPORTS.with(DirtyGroups::SCISSORS),
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

    /// Writes the clear colour to the fast-cleared pixels of multisampled targets; resolve
    /// rectangles do not cover these.
    pub(super) fn resolve_multisampled_clears(&mut self, all: &[FastClearTarget]) -> Result<()> {
        let mut before = PendingFlushes::STALL
            .with(PendingFlushes::FLUSH_TARGETS)
            .with(PendingFlushes::FLUSH_DATA);
        for target in all {
            let Some(multisampled) = &target.multisampled else {
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
                let layers = (multisampled.first_layer + first, count);
                for launch in aux_state::resolve_mcs_clears(
                    &multisampled.image,
                    layers,
                    MemoryRange { address, bytes },
                )? {
                    self.dispatch_meta(&launch)?;
                }
            }
        }
        if before.is_none() {
            let after = PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA);
            self.recorder
                .barrier(after.with(PendingFlushes::INVALIDATE_TEXTURE));
        }
        Ok(())
    }
}
