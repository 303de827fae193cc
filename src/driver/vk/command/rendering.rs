//! Renderings: targets, load operations, store and resolve operations.
//!
//! In:  attachments with their operations; a render pass is a sequence of renderings. Out: render
//!      targets, and clears drawn into them.
//! Ref: Vulkan 1.3, "Render Pass", "Load Operation", "Clearing Images Inside a Render Pass
//!      Instance".

use ash::vk as api;
use cmd::PendingFlushes;
use cmd::draw::DrawParams;
use cmd::draw::recorder::InternalDraw;
use cmd::draw::state::{
    CompareOp, DirtyGroups, StencilFace, StencilOp, TARGETS, TargetSlots, Viewport,
};
use cmd::draw::target::{CLEAR_DEPTH, DepthStencilTarget, HizOp, RenderTargets};

use smallvec::SmallVec;

use super::buffer::CommandBuffer;
use super::clear_state::FastClearTarget;
use super::layout_change::LayoutChange;
use super::pass::RenderPassInstance;
use super::target::{BeginRendering, LoadOp, Rendering, null_surface};
use super::views::ViewMask;
use crate::error::{Error, Result};
use crate::graphics::convert;
use crate::image::Image;

/// Values of an attachment clear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttachmentClear {
    /// Clear colours by target.
    /// Colours, by target.
    pub colours: [Option<[u32; 4]>; TARGETS],
    /// Clear depth.
    pub depth: Option<f32>,
    /// Clear stencil.
    pub stencil: Option<u32>,
}

/// A rectangle in some layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearArea {
    /// Area in pixels.
    pub area: api::Rect2D,
    /// First layer.
    pub first_layer: u32,
    /// Number of layers.
    pub layers: u32,
}

/// The slots of colour attachments with the given locations.
pub fn attachment_slots(locations: impl IntoIterator<Item = Option<u32>>) -> Result<TargetSlots> {
    TargetSlots::new(locations).ok_or(Error::InvalidUse {
        why: "a location of two attachments, or beyond maxColorAttachments",
    })
}

impl CommandBuffer {
    /// Begins a rendering.
    pub fn begin_rendering(&mut self, begin: &BeginRendering<'_>) -> Result<()> {
        let area = convert::area(&begin.area);
        let mut colours = [None; TARGETS];
        let mut clear = AttachmentClear::default();
        let mut samples = 1;
        let mut records = [None; TARGETS];
        let (mut untracked, mut tracked) =
            (SmallVec::new(), SmallVec::<[FastClearTarget; 1]>::new());
        for (index, from) in begin.colours.iter().enumerate() {
            let Some(from) = from else { continue };
            samples = samples.max(from.view.image.info.samples.as_raw());
            let cleared = match from.load {
                LoadOp::Clear(value) => {
                    let cleared = self.fast_clear_target(begin, from, &value)?;
                    clear.colours[index] = cleared.is_none().then_some(value);
                    cleared
                }
                LoadOp::Keep => None,
            };
            let (surface, record) = match &cleared {
                Some(target) => (target.surface, None),
                None => self.loaded_target(begin, from)?,
            };
            (colours[index], records[index]) = (Some(surface), record);
            if let Some(target) = cleared {
                match self.defers_resolve(begin, from, &target)? {
                    true => tracked.push(target),
                    false => untracked.push(target),
                }
            }
        }
        let mut depth_stencil = DepthStencilTarget::default();
        if let Some(from) = &begin.depth_stencil {
            samples = samples.max(from.view.image.info.samples.as_raw());
            depth_stencil = from.view.depth_stencil_target()?;
            depth_stencil.depth = depth_stencil.depth.filter(|_| from.depth.is_some());
            if let Some(depth) = &mut depth_stencil.depth
                && !Image::layout_uses_hiz(from.layout)
            {
                depth.hierarchy = None;
            }
            depth_stencil.stencil = depth_stencil.stencil.filter(|_| from.stencil.is_some());
            if let Some(LoadOp::Clear(depth)) = from.depth {
                clear.depth = depth_stencil.depth.map(|_| depth);
            }
            if let Some(LoadOp::Clear(stencil)) = from.stencil {
                clear.stencil = depth_stencil.stencil.map(|_| stencil);
            }
        }
        self.emit_fast_clears(tracked.iter().chain(&untracked))?;
        self.unresolved_clears = untracked;
        self.recorder.draws().set_targets(&RenderTargets {
            colours,
            records,
            null: null_surface(&area, begin.layers),
            depth_stencil,
            area,
            dithered: begin.dithered,
            inherited: false,
        });
        self.bound_shaders.begin_rendering();
        self.rendering = Rendering {
            active: true,
            samples: samples as u8,
            area,
            layers: begin.layers,
            views: begin.views,
            slots: TargetSlots::default(),
        };
        self.resolves = begin.resolves().collect();
        self.hiz_clear(begin, &depth_stencil, &mut clear)?;
        self.clear_first_uses(begin, &clear)
    }

    /// Clears depth, and stencil with it, by a HiZ clear if possible. What it has cleared is
    /// removed from `clear`.
    fn hiz_clear(
        &mut self,
        begin: &BeginRendering<'_>,
        target: &DepthStencilTarget,
        clear: &mut AttachmentClear,
    ) -> Result<()> {
        let (Some(from), Some(depth)) = (&begin.depth_stencil, &target.depth) else {
            return Ok(());
        };
        let area = convert::area(&begin.area);
        // Blocks must be covered entirely, except the last ones.
        let [width, height, _] = from.view.extent_px();
        let block = |first: u32, count: u32, extent: u32, block: u32| {
            let end = first + count;
            first.is_multiple_of(block) && (end.is_multiple_of(block) || end >= extent)
        };
        let aligned = block(area.x, area.width, width, 8) && block(area.y, area.height, height, 4);
        let can = depth.hierarchy.is_some()
            && clear.depth == Some(CLEAR_DEPTH)
            && from.fresh == begin.views
            && aligned
            && self.is_worth_fast_clear(&area);
        if !can {
            return Ok(());
        }
        let op = HizOp::Clear {
            depth: true,
            stencil: clear.stencil.map(|stencil| stencil as u8),
            area,
        };
        let done = PendingFlushes::STALL.with(PendingFlushes::FLUSH_TARGETS);
        self.recorder.barrier(done);
        for (first, count) in begin.views.ranges(begin.layers) {
            let layers = DepthStencilTarget {
                first_layer: target.first_layer + first,
                layers: count,
                stencil: target.stencil.filter(|_| clear.stencil.is_some()),
                ..*target
            };
            self.recorder.hiz_op(&layers, self.rendering.samples, &op)?;
        }
        (clear.depth, clear.stencil) = (None, None);
        Ok(())
    }

    /// Draws the remaining clears of a rendering: each view where this is its first use.
    fn clear_first_uses(
        &mut self,
        begin: &BeginRendering<'_>,
        clear: &AttachmentClear,
    ) -> Result<()> {
        if *clear == AttachmentClear::default() {
            return Ok(());
        }
        let cleared = |first_layer, layers| ClearArea {
            area: begin.area,
            first_layer,
            layers,
        };
        let colours = begin.colours.iter().flatten();
        let colours = colours.filter(|from| from.load != LoadOp::Keep);
        let colours = colours.map(|from| from.fresh);
        let others = begin.depth_stencil.iter();
        let others = others.filter(|_| clear.depth.is_some() || clear.stencil.is_some());
        let others = others.map(|from| from.fresh);
        if colours.chain(others).all(|fresh| fresh == begin.views) {
            for (first, count) in begin.views.ranges(begin.layers) {
                self.clear_layers(clear, cleared(first, count), false)?;
            }
            return Ok(());
        }
        // Attachments differ: view by view.
        for view in (0..ViewMask::END).filter(|&view| begin.views.has(view)) {
            let mut view_clear = *clear;
            for (to, from) in view_clear.colours.iter_mut().zip(&begin.colours) {
                *to = to.filter(|_| from.is_some_and(|from| from.fresh.mask() >> view & 1 != 0));
            }
            let depth_stencil = begin.depth_stencil.as_ref();
            if depth_stencil.is_none_or(|from| from.fresh.mask() >> view & 1 == 0) {
                (view_clear.depth, view_clear.stencil) = (None, None);
            }
            if view_clear != AttachmentClear::default() {
                self.clear_layers(&view_clear, cleared(view, 1), false)?;
            }
        }
        Ok(())
    }

    /// Sets the location of each colour attachment of the rendering, or none for those that draws
    /// do not write. Attachments beyond the list have none.
    pub fn set_attachment_locations(
        &mut self,
        locations: impl IntoIterator<Item = Option<u32>>,
    ) -> Result<()> {
        if !self.rendering.active {
            return Err(Error::InvalidUse {
                why: "locations of attachments set outside a rendering",
            });
        }
        self.rendering.slots = attachment_slots(locations)?;
        let slots = &self.rendering.slots;
        self.recorder.draws().set_target_slots(slots);
        Ok(())
    }

    /// Ends a rendering, with its multisample resolves.
    pub fn end_rendering(&mut self) -> Result<()> {
        self.rendering.clear();
        let clears = std::mem::take(&mut self.unresolved_clears);
        self.resolve_fast_clears(&clears)?;
        self.recorder.draws().end_targets();
        self.resolve_multisampled_clears(&clears)?;
        let resolves = std::mem::take(&mut self.resolves);
        if resolves.is_empty() {
            return Ok(());
        }
        let drawn = PendingFlushes::STALL.with(PendingFlushes::FLUSH_TARGETS);
        self.recorder
            .barrier(drawn.with(PendingFlushes::INVALIDATE_TEXTURE));
        let mut dispatched = false;
        for resolve in &resolves {
            let (from, to) = (&resolve.from, &resolve.to);
            let (first, count) = resolve.layers;
            let depth = resolve.aspect == api::ImageAspectFlags::DEPTH;
            let [source_may_hold, destination_may_hold] = resolve
                .may_hold_aux
                .map(|source_may_hold| source_may_hold && depth);
            let cleared = match resolve.aspect {
                api::ImageAspectFlags::COLOR => self.prepare_resolve(resolve)?,
                _ => None,
            };
            if source_may_hold {
                let layers = (from.first_layer + first, count);
                self.hiz_op_on_layers(&from.image, layers, &HizOp::Resolve)?;
            }
            let layers = (to.first_layer + first, count);
            if destination_may_hold {
                // Pixels outside the render area keep their depth.
                self.hiz_op_on_layers(&to.image, layers, &HizOp::Resolve)?;
            }
            dispatched |= !self.resolve_target(resolve, cleared)?;
            if destination_may_hold {
                self.hiz_op_on_layers(&to.image, layers, &HizOp::Ambiguate)?;
            }
        }
        if dispatched {
            // Vulkan counts resolves as attachment writes, but these went through the data port.
            self.recorder
                .barrier(PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA));
        }
        Ok(())
    }

    /// Begins a render pass with its first subpass.
    pub fn begin_pass(&mut self, pass: RenderPassInstance) -> Result<()> {
        self.begin_subpass(pass)
    }

    fn begin_subpass(&mut self, mut pass: RenderPassInstance) -> Result<()> {
        for dependency in pass.render_pass.waits(pass.subpass) {
            self.recorder.barrier(dependency.pending());
        }
        let changes = pass.transitions();
        let begin = match pass.has_subpass() {
            true => Some(pass.begin()?),
            false => None,
        };
        if !changes.is_empty() {
            let mut needed = SmallVec::<[LayoutChange<'_>; 4]>::new();
            for change in &changes {
                if !self.is_fully_fast_cleared(begin.as_ref(), change)? {
                    needed.push(change.change());
                }
            }
            self.transitions(needed.into_iter().map(Ok))?;
        }
        if pass.has_subpass() {
            let clears = pass.separate_clears()?;
            for begin in &clears {
                self.begin_rendering(begin)?;
                self.end_rendering()?;
            }
            if !clears.is_empty() {
                let cleared = PendingFlushes::STALL.with(PendingFlushes::FLUSH_TARGETS);
                let read = cleared.with(PendingFlushes::INVALIDATE_TEXTURE);
                self.recorder.barrier(read);
            }
            if let Some(begin) = &begin {
                self.begin_rendering(begin)?;
            }
            self.pass = Some(pass);
        }
        Ok(())
    }

    /// Ends the current subpass; the next one or the end of the render pass follows.
    fn finish_subpass(&mut self) -> Result<RenderPassInstance> {
        let mut pass = self.pass.take().ok_or(Error::InvalidUse {
            why: "a subpass ended outside a render pass",
        })?;
        self.end_rendering()?;
        pass.subpass += 1;
        Ok(pass)
    }

    /// Begins the next subpass.
    pub fn next_subpass(&mut self) -> Result<()> {
        let pass = self.finish_subpass()?;
        if !pass.has_subpass() {
            return Err(Error::InvalidUse {
                why: "more subpasses than the render pass has",
            });
        }
        self.begin_subpass(pass)
    }

    /// Ends the render pass.
    pub fn end_pass(&mut self) -> Result<()> {
        let pass = self.finish_subpass()?;
        if pass.has_subpass() {
            return Err(Error::InvalidUse {
                why: "a render pass ended before its last subpass",
            });
        }
        self.begin_subpass(pass)
    }

    /// Clears a rectangle of the attachments; with multiview, that of each view.
    pub fn clear(&mut self, clear: &AttachmentClear, from: ClearArea) -> Result<()> {
        let views = self.rendering.views;
        let predicated = self.recorder.is_conditional();
        if views.is_none() {
            return self.clear_layers(clear, from, predicated);
        }
        for (first_layer, layers) in views.ranges(0) {
            let area = from.area;
            let range = ClearArea {
                area,
                first_layer,
                layers,
            };
            self.clear_layers(clear, range, predicated)?;
        }
        Ok(())
    }

    fn clear_layers(
        &mut self,
        clear: &AttachmentClear,
        from: ClearArea,
        predicated: bool,
    ) -> Result<()> {
        let Rendering {
            active,
            samples,
            area,
            layers,
            views: _,
            slots,
        } = self.rendering;
        if !active {
            return Err(Error::InvalidUse {
                why: "a clear of attachments outside a rendering",
            });
        }
        // Clears are by attachment, whatever location draws write it from.
        let colours = slots.by_slot(&clear.colours);
        let last = colours.iter().rposition(Option::is_some);
        let targets = last.map_or(0, |last| last + 1);
        let pipeline = self.meta_pipelines.clear(&self.context, targets, samples)?;
        let mut constants_dw = [0; 4 * TARGETS];
        let state = match &mut self.attachment_clear_state {
            Some(state) => state,
            none => none.insert(Box::new(pipeline.fixed().state().clone())),
        };
        let colours_dw = constants_dw.as_chunks_mut::<4>().0.iter_mut();
        let blends = state.blend.targets.iter_mut();
        for ((to, blend), colour) in colours_dw.zip(blends).zip(&colours) {
            blend.write_mask = if colour.is_some() { 0xf } else { 0 };
            *to = colour.unwrap_or_default();
        }
        let depth = clear.depth.unwrap_or(0.0);
        let cleared = convert::area(&from.area).and(&area);
        if let Some(viewport) = state.viewports.first_mut() {
            *viewport = Viewport {
                x: 0.0,
                y: 0.0,
                width: (cleared.x + cleared.width) as f32,
                height: (cleared.y + cleared.height) as f32,
                near: depth,
                far: depth,
            };
        }
        state.multisample.samples = samples;
        state.depth_stencil = cmd::draw::state::DepthStencil {
            depth_test: clear.depth.is_some(),
            depth_write: true,
            ..Default::default()
        };
        if let Some(stencil) = clear.stencil {
            state.depth_stencil.stencil_test = true;
            let face = StencilFace {
                pass: StencilOp::Replace,
                depth_fail: StencilOp::Replace,
                compare: CompareOp::Always,
                compare_mask: 0xff,
                write_mask: 0xff,
                reference: stencil as u8,
                ..StencilFace::default()
            };
            state.depth_stencil.stencil = [face; 2];
        }
        if let Some(scissor) = state.scissors.first_mut() {
            *scissor = cleared;
        }
        let left = layers.max(1).saturating_sub(from.first_layer);
        let draw = DrawParams {
            vertices: blit::clear::VERTICES,
            instances: from.layers.min(left),
            first_instance: from.first_layer,
            ..DrawParams::default()
        };
        let internal = InternalDraw {
            pipeline: pipeline.draw(),
            state,
            differs: DirtyGroups::ALL.without(DirtyGroups::TARGETS),
            constants_dw: &constants_dw,
            predicated,
        };
        self.recorder.draw_internal(internal, &draw)?;
        Ok(())
    }
}
