//! Clears that are kept: cleared blocks and pixels of colours that last from one rendering to the next.
//!
//! In:  renderings of an image's first layer alone, layouts before and after. Out: the surfaces that these renderings draw to, records
//! written, and resolves where an image leaves the layouts in which nothing but attachments looks at it ([`Image::is_drawn_in`]).
//! A recording that has seen the clear itself, or a layout in which there is none, knows what is kept and says it at once. Another one
//! finds it in the record, which the GPU reads: it puts the colour into surfaces, with the control surface where there is something to
//! be kept, and resolves where the record says so. The record is written when what it says changes, not later: memory may be another
//! image's afterwards. Images of which no clear is kept need none of this: the first recording that would have to look decides that
//! ([`Image::reckons_with_clears`]).
//! Ref: Vulkan specification, "Image Layout Transitions", "Memory Aliasing"; SKL PRM vol. 7, "Render Target Fast Clear",
//! "Render Target Resolve"; vol. 2d, RENDER_SURFACE_STATE, "Clear Color".

use std::sync::Arc;

use ash::vk as api;
use cmd::Pending;
use cmd::draw::target::{Record, Surface};
use cmd::image::{CcsMode, SurfaceUsage};
use cmd::fast_clear_record::FastClearRecord;
use smallvec::{SmallVec, smallvec};

use super::buffer::CommandBuffer;
use super::change::Change;
use super::cleared::{Cleared, Known, Several};
use super::picture;
use super::target::{Begin, Colour, Resolve, Seen};
use crate::error::{Error, Result};
use crate::image::{AuxKind, Image};

/// What was resolved is in memory; the sampler may have read it before.
const RESOLVED: Pending = Pending::STALL.with(Pending::INVALIDATE_TEXTURE);

/// What a rendering has of an image that keeps a clear.
struct Reach {
    record: u64,
    /// The layer of which it is kept, and no other.
    alone: bool,
}

/// What has been cleared, or may have been: the first layer of the first level of an image.
fn whole(image: &Arc<Image>, record: u64, kept: Option<&FastClearRecord>) -> Result<Cleared> {
    let part = image.part(api::ImageAspectFlags::COLOR)?;
    let several = image.samples() > 1;
    let (control, control_at) = image
        .aux(part, AuxKind::of_colour(image.samples()))?
        .ok_or(Error::InvalidUse {
            why: "a clear kept by an image without a control surface",
        })?;
    let seen = picture::Seen {
        format: part.format,
        viewer: SurfaceUsage::Target,
        swizzle: image.format.swizzle,
        level: 0,
        first_layer: 0,
        layers: 1,
        volume: false,
    };
    let mut surface = picture::words(image, part, &seen)?;
    let blocks = image.drawn_blocks(api::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
    if !several {
        cmd::image::set_ccs(&mut surface, &control, control_at, blocks);
    }
    if let Some(kept) = kept {
        cmd::image::set_clear_colour(&mut surface, kept.colour);
    }
    let pixel = kept.and_then(|kept| kept.pixel).unwrap_or_default();
    let bytes = pixel.into_iter().flat_map(u32::to_le_bytes);
    Ok(Cleared {
        surface,
        record: Record::new(record).filter(|_| kept.is_none()),
        size_px: part.surface.scaled_px(&control, 0),
        layers: smallvec![(0, 1)],
        compressed: blocks == CcsMode::Compressed,
        pixel: bytes.take(part.surface.block.bytes() as usize).collect(),
        several: several.then(|| Several {
            image: Arc::clone(image),
            first_layer: 0,
        }),
    })
}

fn reach(
    image: &Image,
    layout: api::ImageLayout,
    (level, first_layer): (u32, u32),
    ranges: impl Iterator<Item = (u32, u32)>,
) -> Result<Option<Reach>> {
    if level != 0 || first_layer != 0 || !Image::is_drawn_in(layout) {
        return Ok(None);
    }
    let part = image.part(api::ImageAspectFlags::COLOR)?;
    let Some(record) = image.record(part)? else {
        return Ok(None);
    };
    let (mut first, mut layers) = (false, 0);
    for (from, count) in ranges {
        first |= from == 0;
        layers += count;
    }
    let alone = layers <= 1;
    Ok(first.then_some(Reach { record, alone }))
}

/// Whether the sampler, too, sees a colour as it was cleared to: of sRGB nothing says whether it takes the clear colour for encoded or
/// linear. It looks at samples alone before they are resolved.
fn is_seen_right(from: &Colour<'_>, colour: &[u32; 4]) -> bool {
    let either = |word: &u32| [0.0, 1.0].contains(&f32::from_bits(*word));
    from.view.image.samples() == 1
        || !from.view.format.hw.name.ends_with("_SRGB")
        || colour.iter().take(3).all(either)
}

impl CommandBuffer {
    fn reach(&self, begin: &Begin<'_>, from: &Colour<'_>) -> Result<Option<Reach>> {
        let view = from.view;
        let place = (view.first_level, view.first_layer);
        let ranges = begin.views.ranges(begin.layers);
        reach(&view.image, from.layout, place, ranges)
    }

    /// This is kept of an image from here on, or nothing.
    fn keep(&mut self, image: &Image, record: u64, kept: Option<FastClearRecord>) -> Result<()> {
        let said = kept.is_none() && matches!(self.clears.of(record), Known::Nothing);
        if !said && !image.keeps_no_clears() {
            self.recorder.store_fast_clear_record(record, kept.as_ref())?;
        }
        self.clears.learn(record, kept);
        Ok(())
    }

    /// Whether a clear lasts longer than the rendering that begins with it; from here on that is known.
    pub(super) fn keeps(
        &mut self,
        begin: &Begin<'_>,
        from: &Colour<'_>,
        cleared: &Cleared,
    ) -> Result<bool> {
        let Some(Reach { record, alone }) = self.reach(begin, from)? else {
            return Ok(false);
        };
        let kept = cleared.kept();
        let image = &from.view.image;
        let keeps = alone && is_seen_right(from, &kept.colour) && image.keeps_clears();
        self.keep(image, record, keeps.then_some(kept))?;
        Ok(keeps)
    }

    /// The surface of a colour that a rendering goes on with, and what the GPU has to put into it.
    pub(super) fn kept_target(
        &mut self,
        begin: &Begin<'_>,
        from: &Colour<'_>,
    ) -> Result<(Surface, Option<Record>)> {
        let mut surface = from.view.colour_target()?;
        let image = &from.view.image;
        let drawn = image.drawn_blocks(from.layout);
        if image.is_compressed() {
            let part = image.part(api::ImageAspectFlags::COLOR)?;
            image.compress(part, &mut surface, drawn)?;
        }
        let Some(Reach { record, alone }) = self.reach(begin, from)? else {
            return Ok((surface, None));
        };
        if !alone {
            // One surface has one colour.
            self.settle_kept(image, record)?;
            self.keep(image, record, None)?;
            return Ok((surface, None));
        }
        let known = self.clears.of(record);
        if matches!(known, Known::Nothing) || image.keeps_no_clears() {
            return Ok((surface, None));
        }
        let part = image.part(api::ImageAspectFlags::COLOR)?;
        let blocks = image.aux(part, AuxKind::Ccs)?;
        if let Some((control, address)) = &blocks {
            cmd::image::set_ccs(&mut surface, control, *address, drawn);
        }
        if let Known::Clear(kept) = known {
            cmd::image::set_clear_colour(&mut surface, kept.colour);
            return Ok((surface, None));
        }
        Ok((surface, Record::new(record)))
    }

    /// Gives what may be cleared of an image its colour, outside all renderings; whoever comes next sees it.
    fn settle_kept(&mut self, image: &Arc<Image>, record: u64) -> Result<()> {
        let kept = match self.clears.of(record) {
            Known::Nothing => return Ok(()),
            Known::Clear(kept) => Some(kept),
            Known::Recorded if image.reckons_with_clears() => None,
            Known::Recorded => return Ok(()),
        };
        let target = [whole(image, record, kept.as_ref())?];
        if kept.is_none() {
            self.recorder.predicate_on_record(record)?;
        }
        self.resolve_blocks(&target)?;
        self.recorder.draws().end_targets();
        self.settle(&target)?;
        if kept.is_none() {
            self.recorder.end_internal_predicate()?;
        }
        self.recorder.barrier(RESOLVED);
        Ok(())
    }

    /// Levels and layers of an image that keeps clears go from one layout to another. `leaving`: what is left to
    /// [`CommandBuffer::leave_kept`].
    pub(super) fn kept_changes(
        &mut self,
        record: u64,
        change: &Change<'_>,
        leaving: &mut SmallVec<[Cleared; 1]>,
    ) -> Result<()> {
        let (image, range) = (change.image, &change.range);
        if range.base_mip_level != 0 || range.base_array_layer != 0 {
            return Ok(());
        }
        match change.layouts.map(Image::is_drawn_in) {
            // Of what is new, or was to be seen by all, nothing is cleared.
            [false, true] => {
                self.clears.forget(record);
                self.keep(image, record, None)?;
            }
            [true, false] => {
                match self.clears.of(record) {
                    Known::Clear(kept) if image.samples() == 1 => {
                        leaving.push(whole(image, record, Some(&kept))?);
                    }
                    _ => self.settle_kept(image, record)?,
                }
                self.clears.forget(record);
            }
            _ => {}
        }
        Ok(())
    }

    /// Resolves images that are seen by others from here on.
    pub(super) fn leave_kept(&mut self, all: &[Cleared]) -> Result<()> {
        if !all.is_empty() {
            self.resolve_blocks(all)?;
            self.recorder.draws().end_targets();
            self.recorder.barrier(RESOLVED);
        }
        Ok(())
    }

    /// Readies what samples are joined in at the end of a rendering, and tells of the colour that cleared pixels have of what is joined.
    pub(super) fn ready_resolve(&mut self, resolve: &Resolve) -> Result<Option<[u32; 4]>> {
        let (from, to) = (&resolve.from, &resolve.to);
        let reach = |seen: &Seen, held: bool| {
            let layout = match held {
                true => api::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                false => api::ImageLayout::GENERAL,
            };
            let ranges = std::iter::once(resolve.layers);
            reach(&seen.image, layout, (seen.level, seen.first_layer), ranges)
        };
        let [held, holds] = resolve.held;
        if let Some(Reach { record, alone }) = reach(to, holds)? {
            let area = crate::graphics::convert::area(&resolve.area);
            let [width, height, _] = to.image.level_extent_px(0);
            let all = alone && [area.x, area.y] == [0; 2];
            if !all || area.width < width || area.height < height {
                self.settle_kept(&to.image, record)?;
            }
            self.keep(&to.image, record, None)?;
        }
        let Some(Reach { record, .. }) = reach(from, held)? else {
            return Ok(None);
        };
        if let Known::Clear(kept) = self.clears.of(record) {
            return Ok(Some(kept.colour));
        }
        self.settle_kept(&from.image, record)?;
        self.keep(&from.image, record, None)?;
        Ok(None)
    }
}
