//! Changes of layout: what auxiliary surfaces hold back gets to where everyone looks, and back.
//!
//! In:  levels and layers of an image, the layouts before and after. Out: what the GPU must do, between the dependencies that a barrier
//! asks for and whatever comes next. Which layout keeps what is told at compile time of the batch ([`Image::keeps_hierarchy`],
//! [`Image::is_drawn_in`], [`Image::is_compressed_in`]): nothing is remembered from one batch to the next but in the records of clears ([`super::kept`]).
//! Ref: Vulkan specification, "Image Layout Transitions"; SKL PRM vol. 7, "Hierarchical Depth Buffer", "MCS Buffer for Render Target(s)",
//! "Render Target Resolve".

use ash::vk as api;
use cmd::Pending;
use cmd::draw::target::HizOp;
use cmd::image::{CcsMode, SurfaceUsage};
use smallvec::{SmallVec, smallvec};
use surface::Surface;

use super::buffer::CommandBuffer;
use super::change::Change;
use super::cleared::Cleared;
use super::control;
use super::picture;
use crate::error::Result;
use crate::image::{AuxKind, Image, Part, texel};

/// Everything before is done, and its writes are in memory.
const DONE: Pending = Pending::STALL
    .with(Pending::FLUSH_TARGETS)
    .with(Pending::FLUSH_DATA);

impl CommandBuffer {
    /// Levels and layers of images go from one layout to another, all at once.
    pub fn transitions<'a>(
        &mut self,
        changes: impl IntoIterator<Item = Result<Change<'a>>>,
    ) -> Result<()> {
        let mut leaving = SmallVec::new();
        for change in changes {
            self.transition(&change?, &mut leaving)?;
        }
        self.leave_kept(&leaving)
    }

    /// `leaving`: what has to be resolved yet.
    fn transition(
        &mut self,
        change: &Change<'_>,
        leaving: &mut SmallVec<[Cleared; 1]>,
    ) -> Result<()> {
        let &Change {
            image,
            ref range,
            layouts,
        } = change;
        if !image.has_aux() || layouts[0] == layouts[1] {
            return Ok(());
        }
        let first = range.base_array_layer;
        let layers = match range.layer_count {
            api::REMAINING_ARRAY_LAYERS => image.info.layers.saturating_sub(first),
            count => count,
        };
        for part in image.parts() {
            let Some(aux) = part.aux.filter(|_| range.aspect_mask.contains(part.aspect)) else {
                continue;
            };
            match aux.kind {
                AuxKind::Samples => self.samples_change(image, (first, layers), layouts)?,
                // Behind the record: cleared blocks have to get their colour first.
                AuxKind::Ccs => {}
                AuxKind::Hiz => self.hierarchy_changes(image, (first, layers), layouts)?,
            }
            if let Some(record) = image.record(part)? {
                self.kept_changes(record, change, leaving)?;
            }
            if let Some((control, _)) = image.compression(part)? {
                self.compression_changes(part, &control, (first, layers), change, leaving)?;
            }
        }
        Ok(())
    }

    /// Of what is new, each sample is where it says.
    fn samples_change(
        &mut self,
        image: &Image,
        layers: (u32, u32),
        [old, _]: [api::ImageLayout; 2],
    ) -> Result<()> {
        if old != api::ImageLayout::UNDEFINED {
            return Ok(());
        }
        // The caches of targets may hold older elements.
        self.recorder.barrier(DONE);
        for launch in control::each_in_its_own(image, layers)? {
            self.launch(&launch)?;
        }
        let seen = Pending::STALL.with(Pending::FLUSH_DATA);
        self.recorder
            .barrier(seen.with(Pending::INVALIDATE_TEXTURE));
        Ok(())
    }

    /// Of what is new no block is compressed, nor where somebody may look who does not go by the control surface.
    fn compression_changes(
        &mut self,
        part: &Part,
        control: &Surface,
        (first_layer, layers): (u32, u32),
        change: &Change<'_>,
        leaving: &mut SmallVec<[Cleared; 1]>,
    ) -> Result<()> {
        use api::ImageLayout as L;
        let (image, range) = (change.image, &change.range);
        let levels = match range.level_count {
            api::REMAINING_MIP_LEVELS => image.info.levels.saturating_sub(range.base_mip_level),
            count => count,
        };
        let levels = (range.base_mip_level..).take(levels as usize);
        let [old, new] = change.layouts;
        if [L::UNDEFINED, L::PREINITIALIZED].contains(&old) {
            self.recorder.barrier(DONE);
            for level in levels {
                for launch in control::none_compressed(image, level, (first_layer, layers))? {
                    self.launch(&launch)?;
                }
            }
            let seen = Pending::STALL.with(Pending::FLUSH_DATA);
            self.recorder
                .barrier(seen.with(Pending::INVALIDATE_TEXTURE));
            return Ok(());
        }
        if Image::is_compressed_in(new) || !Image::is_compressed_in(old) {
            return Ok(());
        }
        for level in levels {
            let seen = picture::Seen {
                format: part.format,
                viewer: SurfaceUsage::Target,
                swizzle: image.format.swizzle,
                level,
                first_layer,
                layers,
                volume: false,
            };
            leaving.push(Cleared {
                surface: picture::target_words(image, part, &seen, CcsMode::Compressed)?,
                record: None,
                size_px: part.surface.scaled_px(control, level),
                layers: smallvec![(0, layers)],
                compressed: false,
                pixel: texel::Texel::default(),
                several: None,
            });
        }
        Ok(())
    }

    fn hierarchy_changes(
        &mut self,
        image: &Image,
        layers: (u32, u32),
        layouts: [api::ImageLayout; 2],
    ) -> Result<()> {
        match layouts.map(Image::keeps_hierarchy) {
            [true, false] => self.work_on_depth(image, layers, &HizOp::Resolve),
            // What was there before means nothing, or lies in the depth buffer alone.
            [false, true] => self.work_on_depth(image, layers, &HizOp::Ambiguate),
            _ => Ok(()),
        }
    }

    /// Works on some layers of a depth buffer; whoever comes next sees it.
    pub(super) fn work_on_depth(
        &mut self,
        image: &Image,
        layers: (u32, u32),
        work: &HizOp,
    ) -> Result<()> {
        let buffers = image.depth_stencil(api::ImageAspectFlags::DEPTH, 0, layers)?;
        if buffers.depth.is_none_or(|depth| depth.hierarchy.is_none()) {
            return Ok(());
        }
        self.recorder.barrier(DONE);
        self.recorder
            .hiz_op(&buffers, image.samples() as u8, work)?;
        let seen = Pending::STALL.with(Pending::FLUSH_TARGETS);
        self.recorder
            .barrier(seen.with(Pending::INVALIDATE_TEXTURE));
        Ok(())
    }
}
