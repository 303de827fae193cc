//! Image layout transitions: resolves and initialisation of aux surfaces.
//!
//! In:  a range of an image, its old and new layout. Out: GPU work between the dependencies of a
//!      barrier and later commands. Which layouts use which aux surface is fixed
//!      ([`Image::layout_uses_hiz`], [`Image::is_attachment_only_layout`],
//!      [`Image::layout_allows_compression`]), so no state is carried from one batch to the next,
//!      except in fast clear records ([`super::fast_clear_tracking`]).
//! Ref: Vulkan specification, "Image Layout Transitions"; SKL PRM vol. 7, "Hierarchical Depth
//!      Buffer", "MCS Buffer for Render Target(s)", "Render Target Resolve".

use ash::vk as api;
use cmd::PendingFlushes;
use cmd::draw::target::HizOp;
use cmd::image::{CcsMode, SurfaceUsage};
use smallvec::{SmallVec, smallvec};
use surface::Surface;

use super::aux_state;
use super::blit_resolve;
use super::buffer::CommandBuffer;
use super::clear_state::FastClearTarget;
use super::layout_change::LayoutChange;
use crate::error::Result;
use crate::image::{AuxKind, Image, ImagePlane, texel};

/// Waits for all earlier work and its writes.
const DONE: PendingFlushes = PendingFlushes::STALL
    .with(PendingFlushes::FLUSH_TARGETS)
    .with(PendingFlushes::FLUSH_DATA);

impl CommandBuffer {
    /// Performs layout changes together.
    pub fn transitions<'a>(
        &mut self,
        changes: impl IntoIterator<Item = Result<LayoutChange<'a>>>,
    ) -> Result<()> {
        let mut leaving = SmallVec::new();
        for change in changes {
            self.transition(&change?, &mut leaving)?;
        }
        self.resolve_leaving(&leaving)
    }

    /// Performs a layout change. `leaving` collects the targets to resolve together.
    fn transition(
        &mut self,
        change: &LayoutChange<'_>,
        leaving: &mut SmallVec<[FastClearTarget; 1]>,
    ) -> Result<()> {
        let &LayoutChange {
            image,
            ref range,
            layouts,
            foreign,
        } = change;
        let unchanged = layouts[0] == layouts[1] && foreign == [false; 2];
        if !image.has_aux() || unchanged {
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
                AuxKind::Mcs => self.mcs_layout_change(image, (first, layers), layouts)?,
                // Handled after the record: fast-cleared blocks must be resolved first.
                AuxKind::Ccs => {}
                AuxKind::Hiz => self.hiz_layout_change(image, (first, layers), layouts)?,
            }
            if let Some(record) = image.fast_clear_record(part)? {
                self.track_layout_change(record, change, leaving)?;
            }
            if let Some((control, _)) = image.compressed_ccs(part)? {
                self.ccs_layout_change(part, &control, (first, layers), change, leaving)?;
            }
        }
        Ok(())
    }

    /// Initialises the MCS if the contents were undefined.
    fn mcs_layout_change(
        &mut self,
        image: &Image,
        layers: (u32, u32),
        [old, _]: [api::ImageLayout; 2],
    ) -> Result<()> {
        if old != api::ImageLayout::UNDEFINED {
            return Ok(());
        }
        // The render target cache may hold older elements.
        self.recorder.barrier(DONE);
        for launch in aux_state::reset_mcs(image, layers)? {
            self.dispatch_meta(&launch)?;
        }
        let after = PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA);
        self.recorder
            .barrier(after.with(PendingFlushes::INVALIDATE_TEXTURE));
        Ok(())
    }

    /// Ambiguates the CCS if the contents were undefined, and resolves it if the new layout does
    /// not allow compression.
    fn ccs_layout_change(
        &mut self,
        part: &ImagePlane,
        control: &Surface,
        (first_layer, layers): (u32, u32),
        change: &LayoutChange<'_>,
        leaving: &mut SmallVec<[FastClearTarget; 1]>,
    ) -> Result<()> {
        use api::ImageLayout as L;
        let (image, range) = (change.image, &change.range);
        let levels = match range.level_count {
            api::REMAINING_MIP_LEVELS => image.info.levels.saturating_sub(range.base_mip_level),
            count => count,
        };
        let levels = (range.base_mip_level..).take(levels as usize);
        let [old, _] = change.layouts;
        // Applications acquire imported contents from UNDEFINED too, and rely on drivers to keep
        // them, as their CCS does.
        let imported = change.foreign[0] && image.is_laid_out_by_others();
        if [L::UNDEFINED, L::PREINITIALIZED].contains(&old) && !imported {
            self.recorder.barrier(DONE);
            for level in levels {
                for launch in aux_state::ambiguate_ccs(image, level, (first_layer, layers))? {
                    self.dispatch_meta(&launch)?;
                }
            }
            let after = PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA);
            self.recorder
                .barrier(after.with(PendingFlushes::INVALIDATE_TEXTURE));
            return Ok(());
        }
        // Who shares the CCS, as the window system may, reads and writes compressed blocks too.
        let shared =
            [0, 1].map(|at: usize| change.foreign[at] || change.layouts[at] == L::PRESENT_SRC_KHR);
        let compressed = [0, 1].map(|at: usize| {
            let own = image.layout_allows_compression(change.layouts[at]);
            own || image.shares_ccs() && shared[at]
        });
        if compressed != [true, false] {
            return Ok(());
        }
        for level in levels {
            let view = blit_resolve::SurfaceView {
                format: part.format,
                viewer: SurfaceUsage::Target,
                swizzle: image.format.swizzle,
                level,
                first_layer,
                layers,
                volume: false,
            };
            leaving.push(FastClearTarget {
                surface: blit_resolve::render_target_state(
                    image,
                    part,
                    &view,
                    CcsMode::Compressed,
                )?,
                record: None,
                size_px: part.surface.aux_op_extent(control, level),
                layers: smallvec![(0, layers)],
                compressed: false,
                pixel: texel::Texel::default(),
                multisampled: None,
            });
        }
        Ok(())
    }

    fn hiz_layout_change(
        &mut self,
        image: &Image,
        layers: (u32, u32),
        layouts: [api::ImageLayout; 2],
    ) -> Result<()> {
        match layouts.map(Image::layout_uses_hiz) {
            [true, false] => self.hiz_op_on_layers(image, layers, &HizOp::Resolve),
            // The old contents are undefined, or are in the depth buffer alone.
            [false, true] => self.hiz_op_on_layers(image, layers, &HizOp::Ambiguate),
            _ => Ok(()),
        }
    }

    /// Performs a HiZ operation on layers of a depth buffer, and makes the result visible.
    pub(super) fn hiz_op_on_layers(
        &mut self,
        image: &Image,
        layers: (u32, u32),
        op: &HizOp,
    ) -> Result<()> {
        let buffers = image.depth_stencil(api::ImageAspectFlags::DEPTH, 0, layers)?;
        if buffers.depth.is_none_or(|depth| depth.hierarchy.is_none()) {
            return Ok(());
        }
        self.recorder.barrier(DONE);
        self.recorder.hiz_op(&buffers, image.samples() as u8, op)?;
        let after = PendingFlushes::STALL.with(PendingFlushes::FLUSH_TARGETS);
        self.recorder
            .barrier(after.with(PendingFlushes::INVALIDATE_TEXTURE));
        Ok(())
    }
}
