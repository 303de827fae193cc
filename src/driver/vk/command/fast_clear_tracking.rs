//! Tracking of fast clears beyond the end of a rendering.
//!
//! In:  renderings of an image's first layer, layout changes. Out: surface states of the
//!      attachments, writes of fast clear records, and resolves when an image leaves the
//!      attachment-only layouts ([`Image::is_attachment_only_layout`]).
//!
//! A recording that has seen the clear, or a layout without fast clears, knows the state at record
//! time. Otherwise the GPU reads the record: it copies clear colour and aux mode into the surface
//! state, and the record predicates resolves. The record is written as soon as the state changes,
//! not later: the memory may belong to another image afterwards. Images that are never fast-cleared
//! need none of this; the first recording that would have to read the record decides that
//! ([`Image::may_be_fast_cleared`]).
//! Ref: Vulkan specification, "Image Layout Transitions", "Memory Aliasing"; SKL PRM vol. 7,
//!      "Render Target Fast Clear", "Render Target Resolve"; vol. 2d, RENDER_SURFACE_STATE, "Clear
//!      Color".

use std::sync::Arc;

use ash::vk as api;
use cmd::PendingFlushes;
use cmd::draw::target::{RecordAddress, SurfaceStateWords};
use cmd::fast_clear_record::FastClearRecord;
use cmd::image::{CcsMode, SurfaceUsage};
use smallvec::{SmallVec, smallvec};

use super::blit_resolve;
use super::buffer::CommandBuffer;
use super::clear_state::{ClearState, FastClearTarget, MultisampledTarget};
use super::layout_change::LayoutChange;
use super::target::{AttachmentView, BeginRendering, ColourAttachment, Resolve};
use crate::error::{Error, Result};
use crate::image::{AuxKind, Image};

/// Waits for a resolve; the sampler may have cached the old contents.
const RESOLVED: PendingFlushes = PendingFlushes::STALL.with(PendingFlushes::INVALIDATE_TEXTURE);

/// The tracked layer of an image, as part of a rendering.
struct TrackedLayer {
    record: u64,
    /// The rendering uses no other layer.
    single_layer: bool,
}

/// The first layer of an image's first level, which is or may be fast-cleared. `known`: the clear,
/// if known at record time.
fn first_layer_target(
    image: &Arc<Image>,
    record: u64,
    known: Option<&FastClearRecord>,
) -> Result<FastClearTarget> {
    let part = image.aspect_part(api::ImageAspectFlags::COLOR)?;
    let multisampled = image.samples() > 1;
    let (control, control_at) = image
        .aux(part, AuxKind::of_colour(image.samples()))?
        .ok_or(Error::InvalidUse {
            why: "a fast-cleared image without an aux surface",
        })?;
    let view = blit_resolve::SurfaceView {
        format: part.format,
        viewer: SurfaceUsage::Target,
        swizzle: image.format.swizzle,
        level: 0,
        first_layer: 0,
        layers: 1,
        volume: false,
    };
    let mut surface = blit_resolve::pack_surface(image, part, &view)?;
    let blocks = image.ccs_mode(api::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
    if !multisampled {
        cmd::image::set_ccs(&mut surface, &control, control_at, blocks);
    }
    if let Some(known) = known {
        cmd::image::set_clear_colour(&mut surface, known.colour);
    }
    let pixel = known.and_then(|known| known.pixel).unwrap_or_default();
    let bytes = pixel.into_iter().flat_map(u32::to_le_bytes);
    Ok(FastClearTarget {
        surface,
        record: RecordAddress::new(record).filter(|_| known.is_none()),
        size_px: part.surface.aux_op_extent(&control, 0),
        layers: smallvec![(0, 1)],
        compressed: blocks == CcsMode::Compressed,
        pixel: bytes.take(part.surface.block.bytes() as usize).collect(),
        multisampled: multisampled.then(|| MultisampledTarget {
            image: Arc::clone(image),
            first_layer: 0,
        }),
    })
}

fn tracked_layer(
    image: &Image,
    layout: api::ImageLayout,
    (level, first_layer): (u32, u32),
    ranges: impl Iterator<Item = (u32, u32)>,
) -> Result<Option<TrackedLayer>> {
    if level != 0 || first_layer != 0 || !Image::is_attachment_only_layout(layout) {
        return Ok(None);
    }
    let part = image.aspect_part(api::ImageAspectFlags::COLOR)?;
    let Some(record) = image.fast_clear_record(part)? else {
        return Ok(None);
    };
    let (mut first, mut layers) = (false, 0);
    for (from, count) in ranges {
        first |= from == 0;
        layers += count;
    }
    let single_layer = layers <= 1;
    Ok(first.then_some(TrackedLayer {
        record,
        single_layer,
    }))
}

/// Whether the sampler reads the clear colour correctly. For sRGB, the hardware documentation does
/// not report_error whether it takes the colour as encoded or as linear, so only 0 and 1 are safe.
/// Multisampled images are sampled only for resolves.
fn samples_clear_colour(from: &ColourAttachment<'_>, colour: &[u32; 4]) -> bool {
    let either = |word: &u32| [0.0, 1.0].contains(&f32::from_bits(*word));
    from.view.image.samples() == 1
        || !from.view.format.hw.name.ends_with("_SRGB")
        || colour.iter().take(3).all(either)
}

impl CommandBuffer {
    fn tracked_layer(
        &self,
        begin: &BeginRendering<'_>,
        from: &ColourAttachment<'_>,
    ) -> Result<Option<TrackedLayer>> {
        let view = from.view;
        let place = (view.first_level, view.first_layer);
        let ranges = begin.views.ranges(begin.layers);
        tracked_layer(&view.image, from.layout, place, ranges)
    }

    /// Sets the tracked state of an image, at record time and in the record.
    fn track_clear(
        &mut self,
        image: &Image,
        record: u64,
        known: Option<FastClearRecord>,
    ) -> Result<()> {
        let unchanged =
            known.is_none() && matches!(self.clear_states.get(record), ClearState::NotCleared);
        if !unchanged && !image.never_tracks_clears() {
            self.recorder
                .store_fast_clear_record(record, known.as_ref())?;
        }
        self.clear_states.set(record, known);
        Ok(())
    }

    /// Whether a fast clear stays unresolved at the end of the rendering that begins with it.
    /// Updates the tracked state.
    pub(super) fn defers_resolve(
        &mut self,
        begin: &BeginRendering<'_>,
        from: &ColourAttachment<'_>,
        cleared: &FastClearTarget,
    ) -> Result<bool> {
        let Some(TrackedLayer {
            record,
            single_layer,
        }) = self.tracked_layer(begin, from)?
        else {
            return Ok(false);
        };
        let known = cleared.to_record();
        let image = &from.view.image;
        let defers_resolve =
            single_layer && samples_clear_colour(from, &known.colour) && image.tracks_clears();
        self.track_clear(image, record, defers_resolve.then_some(known))?;
        Ok(defers_resolve)
    }

    /// The surface state of an attachment that is loaded, and the record that the GPU copies into
    /// it.
    pub(super) fn loaded_target(
        &mut self,
        begin: &BeginRendering<'_>,
        from: &ColourAttachment<'_>,
    ) -> Result<(SurfaceStateWords, Option<RecordAddress>)> {
        let mut surface = from.view.colour_target()?;
        let image = &from.view.image;
        let drawn = image.ccs_mode(from.layout);
        if image.is_compressed() {
            let part = image.aspect_part(api::ImageAspectFlags::COLOR)?;
            image.set_ccs(part, &mut surface, drawn)?;
        }
        let Some(TrackedLayer {
            record,
            single_layer,
        }) = self.tracked_layer(begin, from)?
        else {
            return Ok((surface, None));
        };
        if !single_layer {
            // One surface state has one clear colour, which the other layers do not share.
            self.resolve_tracked(image, record)?;
            self.track_clear(image, record, None)?;
            return Ok((surface, None));
        }
        let known = self.clear_states.get(record);
        if matches!(known, ClearState::NotCleared) || image.never_tracks_clears() {
            return Ok((surface, None));
        }
        let part = image.aspect_part(api::ImageAspectFlags::COLOR)?;
        let blocks = image.aux(part, AuxKind::Ccs)?;
        if let Some((control, address)) = &blocks {
            cmd::image::set_ccs(&mut surface, control, *address, drawn);
        }
        if let ClearState::Cleared(known) = known {
            cmd::image::set_clear_colour(&mut surface, known.colour);
            return Ok((surface, None));
        }
        Ok((surface, RecordAddress::new(record)))
    }

    /// Resolves the tracked layer of an image outside of any rendering, and makes the result
    /// visible.
    fn resolve_tracked(&mut self, image: &Arc<Image>, record: u64) -> Result<()> {
        let known = match self.clear_states.get(record) {
            ClearState::NotCleared => return Ok(()),
            ClearState::Cleared(known) => Some(known),
            ClearState::InRecord if image.may_be_fast_cleared() => None,
            ClearState::InRecord => return Ok(()),
        };
        let target = [first_layer_target(image, record, known.as_ref())?];
        if known.is_none() {
            self.recorder.predicate_on_record(record)?;
        }
        self.resolve_fast_clears(&target)?;
        self.recorder.draws().end_targets();
        self.resolve_multisampled_clears(&target)?;
        if known.is_none() {
            self.recorder.end_internal_predicate()?;
        }
        self.recorder.barrier(RESOLVED);
        Ok(())
    }

    /// Handles a layout change of an image with tracked clears. `leaving` collects the targets to
    /// resolve together, by [`CommandBuffer::resolve_leaving`].
    pub(super) fn track_layout_change(
        &mut self,
        record: u64,
        change: &LayoutChange<'_>,
        leaving: &mut SmallVec<[FastClearTarget; 1]>,
    ) -> Result<()> {
        let (image, range) = (change.image, &change.range);
        if range.base_mip_level != 0 || range.base_array_layer != 0 {
            return Ok(());
        }
        match change.layouts.map(Image::is_attachment_only_layout) {
            // The contents are undefined, or were visible to all and so are not fast-cleared.
            [false, true] => {
                self.clear_states.remove(record);
                self.track_clear(image, record, None)?;
            }
            [true, false] => {
                match self.clear_states.get(record) {
                    ClearState::Cleared(known) if image.samples() == 1 => {
                        leaving.push(first_layer_target(image, record, Some(&known))?);
                    }
                    _ => self.resolve_tracked(image, record)?,
                }
                self.clear_states.remove(record);
            }
            _ => {}
        }
        Ok(())
    }

    /// Resolves images that leave the attachment-only layouts.
    pub(super) fn resolve_leaving(&mut self, all: &[FastClearTarget]) -> Result<()> {
        if !all.is_empty() {
            self.resolve_fast_clears(all)?;
            self.recorder.draws().end_targets();
            self.recorder.barrier(RESOLVED);
        }
        Ok(())
    }

    /// Prepares the source and destination of a multisample resolve. Returns the clear colour of
    /// the source's fast-cleared pixels, if known.
    pub(super) fn prepare_resolve(&mut self, resolve: &Resolve) -> Result<Option<[u32; 4]>> {
        let (from, to) = (&resolve.from, &resolve.to);
        let tracked_layer = |view: &AttachmentView, may_hold: bool| {
            let layout = match may_hold {
                true => api::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                false => api::ImageLayout::GENERAL,
            };
            let ranges = std::iter::once(resolve.layers);
            tracked_layer(&view.image, layout, (view.level, view.first_layer), ranges)
        };
        let [source_may_hold, destination_may_hold] = resolve.may_hold_aux;
        if let Some(TrackedLayer {
            record,
            single_layer,
        }) = tracked_layer(to, destination_may_hold)?
        {
            let area = crate::graphics::convert::area(&resolve.area);
            let [width, height, _] = to.image.level_extent_px(0);
            let all = single_layer && [area.x, area.y] == [0; 2];
            if !all || area.width < width || area.height < height {
                self.resolve_tracked(&to.image, record)?;
            }
            self.track_clear(&to.image, record, None)?;
        }
        let Some(TrackedLayer { record, .. }) = tracked_layer(from, source_may_hold)? else {
            return Ok(None);
        };
        if let ClearState::Cleared(known) = self.clear_states.get(record) {
            return Ok(Some(known.colour));
        }
        self.resolve_tracked(&from.image, record)?;
        self.track_clear(&from.image, record, None)?;
        Ok(None)
    }
}
