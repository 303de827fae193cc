//! Renderings: what is drawn to, what is there at first, what becomes of it.
//!
//! In:  views with what is to be done with them; a render pass is a sequence of renderings. Out: targets, and clears drawn into them.
//! Ref: Vulkan 1.3, "Render Pass", "Load Operation", "Clearing Images Inside a Render Pass Instance".

use ash::vk as api;
use cmd::Pending;
use cmd::draw::Draw;
use cmd::draw::recorder::InternalDraw;
use cmd::draw::state::{Compare, Dirty, StencilFace, StencilOp, TARGETS, Viewport};
use cmd::draw::target::{CLEAR_DEPTH, DepthStencilTarget, HizOp, Targets};

use smallvec::SmallVec;

use super::buffer::CommandBuffer;
use super::change::Change;
use super::cleared::Cleared;
use super::pass::Pass;
use super::target::{Begin, Load, Rendering, null};
use super::views::Views;
use crate::error::{Error, Result};
use crate::graphics::convert;
use crate::image::Image;

/// What a clear changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// Colours, by target.
    pub colours: [Option<[u32; 4]>; TARGETS],
    /// Depth.
    pub depth: Option<f32>,
    /// Stencil.
    pub stencil: Option<u32>,
}

/// A rectangle of some layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearArea {
    /// Pixels.
    pub area: api::Rect2D,
    /// First layer.
    pub first_layer: u32,
    /// Layers.
    pub layers: u32,
}

impl CommandBuffer {
    /// Begins to draw.
    pub fn begin_rendering(&mut self, begin: &Begin<'_>) -> Result<()> {
        let area = convert::area(&begin.area);
        let mut colours = [None; TARGETS];
        let mut clear = Clear::default();
        let mut samples = 1;
        let mut records = [None; TARGETS];
        let (mut blocks, mut kept) = (SmallVec::new(), SmallVec::<[Cleared; 1]>::new());
        for (index, from) in begin.colours.iter().enumerate() {
            let Some(from) = from else { continue };
            samples = samples.max(from.view.image.info.samples.as_raw());
            let cleared = match from.load {
                Load::Clear(value) => {
                    let cleared = self.clears_blocks(begin, from, &value)?;
                    clear.colours[index] = cleared.is_none().then_some(value);
                    cleared
                }
                Load::Keep => None,
            };
            let (surface, record) = match &cleared {
                Some(target) => (target.surface, None),
                None => self.kept_target(begin, from)?,
            };
            (colours[index], records[index]) = (Some(surface), record);
            if let Some(target) = cleared {
                match self.keeps(begin, from, &target)? {
                    true => kept.push(target),
                    false => blocks.push(target),
                }
            }
        }
        let mut depth_stencil = DepthStencilTarget::default();
        if let Some(from) = &begin.depth_stencil {
            samples = samples.max(from.view.image.info.samples.as_raw());
            depth_stencil = from.view.depth_stencil_target()?;
            depth_stencil.depth = depth_stencil.depth.filter(|_| from.depth.is_some());
            if let Some(depth) = &mut depth_stencil.depth
                && !Image::keeps_hierarchy(from.layout)
            {
                depth.hierarchy = None;
            }
            depth_stencil.stencil = depth_stencil.stencil.filter(|_| from.stencil.is_some());
            if let Some(Load::Clear(depth)) = from.depth {
                clear.depth = depth_stencil.depth.map(|_| depth);
            }
            if let Some(Load::Clear(stencil)) = from.stencil {
                clear.stencil = depth_stencil.stencil.map(|_| stencil);
            }
        }
        self.clear_blocks(kept.iter().chain(&blocks))?;
        self.blocks = blocks;
        self.recorder.draws().set_targets(&Targets {
            colours,
            records,
            null: null(&area, begin.layers),
            depth_stencil,
            area,
            inherited: false,
        });
        self.rendering = Rendering {
            active: true,
            samples: samples as u8,
            area,
            layers: begin.layers,
            views: begin.views,
        };
        self.resolves = begin.resolves().collect();
        self.clear_by_blocks(begin, &depth_stencil, &mut clear)?;
        self.clear_fresh(begin, &clear)
    }

    /// Clears depth, and stencil with it, by way of the hierarchy, where it can be; what is left to clear is what `clear` says then.
    fn clear_by_blocks(
        &mut self,
        begin: &Begin<'_>,
        target: &DepthStencilTarget,
        clear: &mut Clear,
    ) -> Result<()> {
        let (Some(from), Some(depth)) = (&begin.depth_stencil, &target.depth) else {
            return Ok(());
        };
        let area = convert::area(&begin.area);
        // Blocks are whole, or the last ones.
        let [width, height, _] = from.view.extent_px();
        let block = |first: u32, count: u32, extent: u32, block: u32| {
            let end = first + count;
            first.is_multiple_of(block) && (end.is_multiple_of(block) || end >= extent)
        };
        let blocks = block(area.x, area.width, width, 8) && block(area.y, area.height, height, 4);
        let can = depth.hierarchy.is_some()
            && clear.depth == Some(CLEAR_DEPTH)
            && from.fresh == begin.views
            && blocks
            && self.is_worth_blocks(&area);
        if !can {
            return Ok(());
        }
        let work = HizOp::Clear {
            depth: true,
            stencil: clear.stencil.map(|stencil| stencil as u8),
            area,
        };
        let done = Pending::STALL.with(Pending::FLUSH_TARGETS);
        self.recorder.barrier(done);
        for (first, count) in begin.views.ranges(begin.layers) {
            let layers = DepthStencilTarget {
                first_layer: target.first_layer + first,
                layers: count,
                stencil: target.stencil.filter(|_| clear.stencil.is_some()),
                ..*target
            };
            self.recorder
                .hiz_op(&layers, self.rendering.samples, &work)?;
        }
        (clear.depth, clear.stencil) = (None, None);
        Ok(())
    }

    /// Clears what is cleared when a rendering begins: in each view that is used first.
    fn clear_fresh(&mut self, begin: &Begin<'_>, clear: &Clear) -> Result<()> {
        if *clear == Clear::default() {
            return Ok(());
        }
        let cleared = |first_layer, layers| ClearArea {
            area: begin.area,
            first_layer,
            layers,
        };
        let colours = begin.colours.iter().flatten();
        let colours = colours.filter(|from| from.load != Load::Keep);
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
        for view in (0..Views::END).filter(|&view| begin.views.has(view)) {
            let mut own = *clear;
            for (to, from) in own.colours.iter_mut().zip(&begin.colours) {
                *to = to.filter(|_| from.is_some_and(|from| from.fresh.mask() >> view & 1 != 0));
            }
            let depth_stencil = begin.depth_stencil.as_ref();
            if depth_stencil.is_none_or(|from| from.fresh.mask() >> view & 1 == 0) {
                (own.depth, own.stencil) = (None, None);
            }
            if own != Clear::default() {
                self.clear_layers(&own, cleared(view, 1), false)?;
            }
        }
        Ok(())
    }

    /// Ends drawing; samples are resolved.
    pub fn end_rendering(&mut self) -> Result<()> {
        self.rendering.clear();
        let blocks = std::mem::take(&mut self.blocks);
        self.resolve_blocks(&blocks)?;
        self.recorder.draws().end_targets();
        self.settle(&blocks)?;
        let resolves = std::mem::take(&mut self.resolves);
        if resolves.is_empty() {
            return Ok(());
        }
        let drawn = Pending::STALL.with(Pending::FLUSH_TARGETS);
        self.recorder
            .barrier(drawn.with(Pending::INVALIDATE_TEXTURE));
        let mut launched = false;
        for resolve in &resolves {
            let (from, to) = (&resolve.from, &resolve.to);
            let (first, count) = resolve.layers;
            let depth = resolve.aspect == api::ImageAspectFlags::DEPTH;
            let [held, holds] = resolve.held.map(|held| held && depth);
            let cleared = match resolve.aspect {
                api::ImageAspectFlags::COLOR => self.ready_resolve(resolve)?,
                _ => None,
            };
            if held {
                let layers = (from.first_layer + first, count);
                self.work_on_depth(&from.image, layers, &HizOp::Resolve)?;
            }
            let layers = (to.first_layer + first, count);
            if holds {
                // What is not written stays.
                self.work_on_depth(&to.image, layers, &HizOp::Resolve)?;
            }
            launched |= !self.resolve_target(resolve, cleared)?;
            if holds {
                self.work_on_depth(&to.image, layers, &HizOp::Ambiguate)?;
            }
        }
        if launched {
            // They count as writes of attachments, but the data port has made them.
            self.recorder
                .barrier(Pending::STALL.with(Pending::FLUSH_DATA));
        }
        Ok(())
    }

    /// Begins a render pass with its first subpass.
    pub fn begin_pass(&mut self, pass: Pass) -> Result<()> {
        self.begin_subpass(pass)
    }

    fn begin_subpass(&mut self, mut pass: Pass) -> Result<()> {
        for dependency in pass.render_pass.waits(pass.subpass) {
            self.recorder.barrier(dependency.pending());
        }
        let changes = pass.transitions();
        let begin = match pass.has_subpass() {
            true => Some(pass.begin()?),
            false => None,
        };
        if !changes.is_empty() {
            let mut needed = SmallVec::<[Change<'_>; 4]>::new();
            for change in &changes {
                if !self.is_cleared_whole(begin.as_ref(), change)? {
                    needed.push(change.change());
                }
            }
            self.transitions(needed.into_iter().map(Ok))?;
        }
        if pass.has_subpass() {
            let apart = pass.clears_apart()?;
            for begin in &apart {
                self.begin_rendering(begin)?;
                self.end_rendering()?;
            }
            if !apart.is_empty() {
                let cleared = Pending::STALL.with(Pending::FLUSH_TARGETS);
                let read = cleared.with(Pending::INVALIDATE_TEXTURE);
                self.recorder.barrier(read);
            }
            if let Some(begin) = &begin {
                self.begin_rendering(begin)?;
            }
            self.pass = Some(pass);
        }
        Ok(())
    }

    /// Ends a subpass; the next one begins, or what comes behind the render pass.
    fn leave_subpass(&mut self) -> Result<Pass> {
        let mut pass = self.pass.take().ok_or(Error::InvalidUse {
            why: "a subpass ended outside a render pass",
        })?;
        self.end_rendering()?;
        pass.subpass += 1;
        Ok(pass)
    }

    /// Goes on with the next subpass.
    pub fn next_subpass(&mut self) -> Result<()> {
        let pass = self.leave_subpass()?;
        if !pass.has_subpass() {
            return Err(Error::InvalidUse {
                why: "more subpasses than the render pass has",
            });
        }
        self.begin_subpass(pass)
    }

    /// Ends a render pass.
    pub fn end_pass(&mut self) -> Result<()> {
        let pass = self.leave_subpass()?;
        if pass.has_subpass() {
            return Err(Error::InvalidUse {
                why: "a render pass ended before its last subpass",
            });
        }
        self.begin_subpass(pass)
    }

    /// Clears a rectangle of what is drawn to: with multiview that of each view.
    pub fn clear(&mut self, clear: &Clear, from: ClearArea) -> Result<()> {
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

    fn clear_layers(&mut self, clear: &Clear, from: ClearArea, predicated: bool) -> Result<()> {
        let Rendering {
            active,
            samples,
            area,
            layers,
            views: _,
        } = self.rendering;
        if !active {
            return Err(Error::InvalidUse {
                why: "a clear of attachments outside a rendering",
            });
        }
        let last = clear.colours.iter().rposition(Option::is_some);
        let targets = last.map_or(0, |last| last + 1);
        let pipeline = self.internal.clear(&self.context, targets, samples)?;
        let mut constants_dw = [0; 4 * TARGETS];
        let state = match &mut self.clearing {
            Some(state) => state,
            none => none.insert(Box::new(pipeline.fixed().state().clone())),
        };
        let places = constants_dw.as_chunks_mut::<4>().0.iter_mut();
        let blends = state.blend.targets.iter_mut();
        for ((place, blend), colour) in places.zip(blends).zip(&clear.colours) {
            blend.write_mask = if colour.is_some() { 0xf } else { 0 };
            *place = colour.unwrap_or_default();
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
                compare: Compare::Always,
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
        let draw = Draw {
            vertices: blit::clear::VERTICES,
            instances: from.layers.min(left),
            first_instance: from.first_layer,
            ..Draw::default()
        };
        let internal = InternalDraw {
            pipeline: pipeline.draw(),
            state,
            differs: Dirty::ALL.without(Dirty::TARGETS),
            constants_dw: &constants_dw,
            predicated,
        };
        self.recorder.draw_internal(internal, &draw)?;
        Ok(())
    }
}
