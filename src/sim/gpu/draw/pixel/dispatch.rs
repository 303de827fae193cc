//! Dispatches pixel shader threads for what an object covers.
//!
//! In:  a [`SetupObject`] and its [`ObjectCoverage`]. Out: early tests done, threads run to their
//!      end.
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Dispatch".

use super::backend::{PixelBackend, TargetFill};
use super::message;
use super::payload::{self, Frame, Slot};
use super::state::{Coverage, State};
use super::target::RenderTargets;
use super::target_rules;
use super::thread_replay::{RecordedThread, RecordingStage};
use crate::draw::exec::{Draw, Executor};
use crate::draw::object::{Kind, LOG_BLOCK, ObjectCoverage, SetupObject, Subspan, block_subspans};
use crate::observer::Via;
use crate::profile::StageWork;
use crate::rules;
use crate::surface::Image;
use crate::target_images::Role;
use eu::StopReason;

/// The statistics of the pixel pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PixelCounts {
    /// Samples that passed the depth test, if 3DSTATE_WM enables statistics.
    pub samples_passed: u64,
    pub invocations: u64,
}

/// The units behind the rasteriser, for one draw and one worker.
pub(crate) struct PixelPipeline<'a> {
    pub(super) back: PixelBackend<'a>,
    /// By dispatch width 8, 16, 32: the executor, and the register where constants start.
    executors: [Option<(Executor<'a>, usize)>; 3],
    /// By dispatch width: whether the object's threads with all channels enabled all do the same.
    pub(super) replayable: [bool; 3],
    /// The recorded thread of each width, once one has run.
    pub(super) recordings: [Option<RecordedThread>; 3],
    /// The recorded thread's effect if it writes one colour to all pixels: see
    /// [`PixelPipeline::fill_block`].
    pub(super) fills: [Option<Vec<TargetFill>>; 3],
    pub(super) slots: Vec<Slot>,
    payload: Vec<u32>,
    /// The part of the payload that is the same for all pixels of the object, valid if `prepared`.
    object_payload: Vec<u32>,
    prepared: bool,
    /// Subspans of a fully covered block.
    subspans: Vec<Subspan>,
    invocations: u64,
}

impl<'a> PixelPipeline<'a> {
    /// Reads the state. `constants` are the stage's push constants.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<PixelPipeline<'a>, StopReason> {
        let view = draw.view(Via::Render);
        let state = State::read(&draw, &view, constants)?;
        let mut executors = [None, None, None];
        let variants = state.variants.iter().zip(["PS8", "PS16", "PS32"]);
        for (to, (variant, name)) in executors.iter_mut().zip(variants) {
            if let Some(variant) = variant {
                let mut executor = Executor::new(draw, name, variant.shader)?;
                executor.vector_mask = state.vector_mask;
                *to = Some((executor, variant.start));
            }
        }
        let replayable = executors.each_ref().map(|executor| {
            let known = executor.as_ref();
            known.is_some_and(|(executor, start)| executor.is_replayable(*start))
        });
        Ok(PixelPipeline {
            back: PixelBackend {
                view,
                at: draw.at,
                state,
                targets: RenderTargets::default(),
                samples_passed: 0,
            },
            executors,
            replayable,
            recordings: [None, None, None],
            fills: [None, None, None],
            slots: Vec::new(),
            payload: Vec::new(),
            object_payload: Vec::new(),
            prepared: false,
            subspans: Vec::new(),
            invocations: 0,
        })
    }

    /// Draws an object's pixels.
    pub fn draw_object(
        &mut self,
        setup: &SetupObject,
        cover: &ObjectCoverage,
    ) -> Result<(), StopReason> {
        self.recordings = [None, None, None];
        self.fills = [None, None, None];
        self.prepared = false;
        self.draw_subspans(setup, &cover.subspans)?;
        for block in &cover.blocks {
            if self.fill_block(setup, *block)? {
                continue;
            }
            let mut subspans = std::mem::take(&mut self.subspans);
            subspans.clear();
            subspans.extend(block_subspans(*block, cover.all));
            let drawn = self.draw_subspans(setup, &subspans);
            self.subspans = subspans;
            drawn?;
        }
        Ok(())
    }

    /// Draws a fully covered block whose threads all repeat the recorded one and write one colour
    /// to all pixels. Returns false if threads have to draw it.
    fn fill_block(&mut self, setup: &SetupObject, [x, y]: [u32; 2]) -> Result<bool, StopReason> {
        const PIXELS: u32 = 1 << (2 * LOG_BLOCK);
        let width = self.dispatch_width(PIXELS as usize / 4);
        let index = (width / 8).ilog2() as usize;
        let (Some(fills), Some(recording)) = (&self.fills[index], &self.recordings[index]) else {
            return Ok(false);
        };
        let z = setup.layer;
        let targets = &mut self.back.targets;
        let fits = |fill: &TargetFill| {
            targets
                .get(fill.target)
                .is_some_and(|t| t.can_fill_block([x, y, z]))
        };
        if !fills.iter().all(fits) {
            return Ok(false);
        }
        let Some(Some((executor, _))) = self.executors.get_mut(index) else {
            return Ok(false);
        };
        let threads = PIXELS / width as u32;
        let active = u32::MAX >> (32 - width);
        if !executor.count_replayed(
            threads,
            active,
            &recording.statistics,
            recording.message_count(),
        ) {
            return Ok(false);
        }
        if self.back.state.statistics {
            self.invocations += u64::from(PIXELS);
        }
        self.back.samples_passed += u64::from(PIXELS);
        for fill in fills {
            if let Some(target) = self.back.targets.get(fill.target) {
                target.fill_block(&self.back.view, [x, y, z], fill.colour)?;
            }
        }
        Ok(true)
    }

    /// Draws the given subspans of an object.
    fn draw_subspans(
        &mut self,
        setup: &SetupObject,
        subspans: &[Subspan],
    ) -> Result<(), StopReason> {
        let mut slots = std::mem::take(&mut self.slots);
        slots.clear();
        let state = &self.back.state;
        let (early, mask, per_sample) = (state.early, state.sample_mask, state.per_sample);
        let samples = state.samples;
        let smooth = setup.kind == Kind::Line && state.smooth_lines;
        let all = (u32::MAX >> (32 - samples)) as u16;
        let runs = self.executors.iter().any(Option::is_some);
        // Nothing can fail, and a pixel has one sample.
        let passes = early && samples == 1 && !state.depth.is_active();
        // Slots of subspans with the same samples then differ in their positions only.
        let untested = passes || !early;
        let alike = untested && !smooth && !per_sample && state.coverage != Coverage::Inner;
        let mut rest = subspans;
        while let [subspan, later @ ..] = rest {
            rest = later;
            let (mut covered, mut uncovered) = (subspan.samples, [0; 4]);
            if smooth {
                uncovered = covered.map(|parts| 16 - parts.count_ones() as u8);
                covered = covered.map(|parts| if parts == 0 { 0 } else { all });
            }
            let covered = covered.map(|s| s & mask);
            let mut slot = Slot {
                uncovered,
                x: subspan.x,
                y: subspan.y,
                covered,
                input_mask: covered,
                writable: covered,
                ..Slot::default()
            };
            if early {
                self.test_early(setup, &mut slot, passes)?;
            }
            slot.input_mask = match self.back.state.coverage {
                Coverage::Covered => covered,
                Coverage::AfterDepth => slot.writable,
                Coverage::Inner => {
                    let inside = |i: usize| subspan.inner >> i & 1 == 1;
                    std::array::from_fn(|i| if inside(i) { covered[i] } else { 0 })
                }
            };
            if slot.writable == [0; 4] {
                continue;
            }
            if !runs {
                if !self.back.state.valid {
                    continue;
                }
                return Err(rules::PS_DISPATCH
                    .stop("a pixel shader without a dispatch width", self.back.at));
            }
            if !per_sample {
                slots.push(slot);
                if alike {
                    // The following subspans with the same samples differ in their positions only.
                    let others = later.iter().position(|s| s.samples != subspan.samples);
                    let (same, others) = later.split_at(others.unwrap_or(later.len()));
                    slots.extend(same.iter().map(|s| Slot {
                        x: s.x,
                        y: s.y,
                        ..slot
                    }));
                    if passes {
                        let each = slot.writable.map(u64::from).into_iter().sum::<u64>();
                        self.back.samples_passed += each * same.len() as u64;
                    }
                    rest = others;
                }
                continue;
            }
            for sample in 0..samples {
                let writable = slot.writable.map(|s| s & 1 << sample);
                if writable != [0; 4] {
                    slots.push(Slot {
                        sample,
                        writable,
                        ..slot
                    });
                }
            }
        }
        if !slots.is_empty() && !self.prepared {
            payload::build_object(&mut self.object_payload, &self.back.state, setup);
            self.prepared = true;
        }
        self.run_slots(setup, &mut slots)?;
        self.slots = slots;
        Ok(())
    }

    /// Tests depth and stencil of a slot before the shader, and leaves the samples that pass
    /// writable. With `passes` all samples pass, and a pixel has one.
    #[inline]
    fn test_early(
        &mut self,
        setup: &SetupObject,
        slot: &mut Slot,
        passes: bool,
    ) -> Result<(), StopReason> {
        if passes {
            slot.writable = slot.covered.map(|s| s & 1);
            let passed = slot.writable.into_iter().map(u64::from).sum::<u64>();
            self.back.samples_passed += passed;
        } else if let Some(passed) = self.back.test_subspan(setup, slot)? {
            slot.writable = std::array::from_fn(|i| (passed >> i & 1) as u16);
        } else {
            for pixel in 0..4 {
                if slot.covered[pixel] != 0 {
                    let tested = (&*slot, pixel, u32::from(slot.covered[pixel]));
                    let passed = self.back.test_pixel(setup, tested, None, None)?;
                    slot.writable[pixel] = passed as u16;
                }
            }
        }
        Ok(())
    }

    /// Runs threads for slots, in order.
    fn run_slots(&mut self, setup: &SetupObject, slots: &mut [Slot]) -> Result<(), StopReason> {
        let mut rest = slots;
        while !rest.is_empty() {
            let width = self.dispatch_width(rest.len());
            let (now, later) = rest.split_at_mut((width / 4).min(rest.len()));
            rest = later;
            self.run_thread(setup, now, width)?;
        }
        Ok(())
    }

    /// Width of the next thread: the widest that the slots fill by more than half, else the
    /// narrowest.
    fn dispatch_width(&self, slots: usize) -> usize {
        let has = |i: usize| self.executors.get(i).is_some_and(Option::is_some);
        match (has(0), has(1), has(2)) {
            (_, _, true) if slots > 4 => 32,
            (_, true, _) if slots > 2 => 16,
            (true, _, _) => 8,
            (_, true, _) => 16,
            _ => 32,
        }
    }

    /// Runs a thread for up to `width` / 4 slots, or replays the recorded one.
    fn run_thread(
        &mut self,
        setup: &SetupObject,
        slots: &mut [Slot],
        width: usize,
    ) -> Result<(), StopReason> {
        let index = (width / 8).ilog2() as usize;
        let Some(Some((executor, start))) = self.executors.get_mut(index) else {
            return Ok(());
        };
        let active = payload::active_pixels(slots);
        if self.back.state.statistics {
            self.invocations += u64::from(active.count_ones());
        }
        let repeats = self.replayable[index] && active.count_ones() as usize == width;
        if repeats
            && let Some(recording) = &self.recordings[index]
            && executor.count_replayed(1, active, &recording.statistics, recording.message_count())
        {
            let mut batch = message::Batch::new(&mut self.back, setup, slots);
            return recording.replay(&mut batch);
        }
        let state = &self.back.state;
        let frame = Frame {
            width,
            start: *start,
            scratch: executor.scratch_dwords(),
        };
        payload::build(
            &mut self.payload,
            state,
            setup,
            slots,
            frame,
            &self.object_payload,
        )
        .map_err(|registers| {
            rules::PS_PAYLOAD.stop(
                format!("constants from register {start} on, among {registers} of payload"),
                self.back.at,
            )
        })?;
        let mut batch = message::Batch::new(&mut self.back, setup, slots);
        if repeats {
            let mut recording = RecordedThread::default();
            let mut noting = RecordingStage {
                batch: &mut batch,
                recording: &mut recording,
            };
            executor.run(&self.payload, active, &mut noting)?;
            recording.statistics = executor.executed();
            match recording.is_replayable() {
                true => {
                    self.fills[index] = recording.fills(&mut batch, width)?;
                    self.recordings[index] = Some(recording);
                }
                false => self.replayable[index] = false,
            }
        } else {
            executor.run(&self.payload, active, &mut batch)?;
        }
        let ended = batch.ended;
        match self.back.view.is_strict() {
            true => target_rules::check_thread_end(ended, self.back.at),
            false => Ok(()),
        }
    }

    /// Ends the draw: compresses the blocks of compressed targets.
    pub fn close(&mut self) -> Result<(), StopReason> {
        self.back.targets.compress_open_blocks(&self.back.view)
    }

    /// Render targets that threads have written to.
    pub fn written(&self) -> impl Iterator<Item = (Role, Image)> {
        self.back.targets.written()
    }

    /// Work of the threads, by dispatch width.
    pub fn stages(&self) -> impl Iterator<Item = StageWork> {
        self.executors
            .iter()
            .flatten()
            .map(|(executor, _)| executor.work())
    }

    /// Sets the worker's number, which selects the part of the scratch memory that its threads use.
    pub fn set_worker(&mut self, number: u32) {
        for (executor, _) in self.executors.iter_mut().flatten() {
            executor.set_worker(number);
        }
    }

    /// The counts so far; zeros if statistics are disabled.
    pub fn counts(&self) -> PixelCounts {
        match self.back.state.statistics {
            true => PixelCounts {
                samples_passed: self.back.samples_passed,
                invocations: self.invocations,
            },
            false => PixelCounts::default(),
        }
    }
}
