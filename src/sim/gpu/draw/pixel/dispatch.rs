//! Dispatches pixel shader threads for what an object covers.
//!
//! In:  a [`Setup`] and its [`Cover`]. Out: early tests done, threads run to their end.
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Dispatch".

use super::backend::{Back, Fill};
use super::message;
use super::payload::{self, Frame, Slot};
use super::state::{Coverage, State};
use super::target::Targets;
use super::target_rules;
use super::thread_replay::{Deed, Noting};
use crate::draw::exec::{Draw, Executor};
use crate::draw::object::{Cover, Kind, LOG_BLOCK, Setup, Subspan, subspans_of};
use crate::profile::StageWork;
use crate::rules;
use crate::surface::Image;
use crate::target_images::Role;
use crate::observer::Via;
use eu::Stop;

/// What the pixel pipeline counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Samples that passed the depth test, where 3DSTATE_WM counts.
    pub samples_passed: u64,
    pub invocations: u64,
}

/// The units behind the rasteriser, for one draw.
pub(crate) struct Pixels<'a> {
    pub(super) back: Back<'a>,
    /// Of 8, 16, 32 pixels: the executor, and the register where constants start.
    executors: [Option<(Executor<'a>, usize)>; 3],
    /// By the same: the object's threads with all channels on do the same, and what that is, once one has done it.
    pub(super) repeated: [bool; 3],
    pub(super) deeds: [Option<Deed>; 3],
    /// What a deed of that width comes to where every pixel has the same colours: see [`Pixels::fill`].
    pub(super) fills: [Option<Vec<Fill>>; 3],
    pub(super) slots: Vec<Slot>,
    payload: Vec<u32>,
    /// The object's part of it.
    object: Vec<u32>,
    /// The object has it.
    prepared: bool,
    /// Of a block.
    subspans: Vec<Subspan>,
    invocations: u64,
}

impl<'a> Pixels<'a> {
    /// Reads the state. `constants` are the stage's push constants.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<Pixels<'a>, Stop> {
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
        let repeated = executors.each_ref().map(|executor| {
            let known = executor.as_ref();
            known.is_some_and(|(executor, start)| executor.is_repeated(*start))
        });
        Ok(Pixels {
            back: Back {
                view,
                at: draw.at,
                state,
                targets: Targets::default(),
                samples_passed: 0,
            },
            executors,
            repeated,
            deeds: [None, None, None],
            fills: [None, None, None],
            slots: Vec::new(),
            payload: Vec::new(),
            object: Vec::new(),
            prepared: false,
            subspans: Vec::new(),
            invocations: 0,
        })
    }

    /// Draws an object's pixels.
    pub fn object(&mut self, setup: &Setup, cover: &Cover) -> Result<(), Stop> {
        self.deeds = [None, None, None];
        self.fills = [None, None, None];
        self.prepared = false;
        self.part(setup, &cover.subspans)?;
        for block in &cover.blocks {
            if self.fill(setup, *block)? {
                continue;
            }
            let mut subspans = std::mem::take(&mut self.subspans);
            subspans.clear();
            subspans.extend(subspans_of(*block, cover.all));
            let drawn = self.part(setup, &subspans);
            self.subspans = subspans;
            drawn?;
        }
        Ok(())
    }

    /// Draws a block whose threads all do what one has done, with one colour for all pixels. False where it has to be drawn by
    /// threads.
    fn fill(&mut self, setup: &Setup, [x, y]: [u32; 2]) -> Result<bool, Stop> {
        const PIXELS: u32 = 1 << (2 * LOG_BLOCK);
        let width = self.width(PIXELS as usize / 4);
        let index = (width / 8).ilog2() as usize;
        let (Some(fills), Some(deed)) = (&self.fills[index], &self.deeds[index]) else {
            return Ok(false);
        };
        let z = setup.layer;
        let targets = &mut self.back.targets;
        let fits = |fill: &Fill| {
            targets
                .get(fill.target)
                .is_some_and(|t| t.has_block([x, y, z]))
        };
        if !fills.iter().all(fits) {
            return Ok(false);
        }
        let Some(Some((executor, _))) = self.executors.get_mut(index) else {
            return Ok(false);
        };
        let threads = PIXELS / width as u32;
        let lit = u32::MAX >> (32 - width);
        if !executor.repeat(threads, lit, &deed.statistics, deed.messages()) {
            return Ok(false);
        }
        if self.back.state.statistics {
            self.invocations += u64::from(PIXELS);
        }
        self.back.samples_passed += u64::from(PIXELS);
        for fill in fills {
            if let Some(target) = self.back.targets.get(fill.target) {
                target.fill(&self.back.view, [x, y, z], fill.colour)?;
            }
        }
        Ok(true)
    }

    /// Draws some of an object's pixels.
    fn part(&mut self, setup: &Setup, subspans: &[Subspan]) -> Result<(), Stop> {
        let mut slots = std::mem::take(&mut self.slots);
        slots.clear();
        let state = &self.back.state;
        let (early, mask, per_sample) = (state.early, state.sample_mask, state.per_sample);
        let samples = state.samples;
        let smooth = setup.kind == Kind::Line && state.smooth_lines;
        let all = (u32::MAX >> (32 - samples)) as u16;
        let runs = self.executors.iter().any(Option::is_some);
        // Nothing can fail, and a pixel is one sample.
        let passes = early && samples == 1 && !state.depth.is_active();
        // Slots of subspans with the same samples differ in their places alone.
        let untested = passes || !early;
        let alike = untested && !smooth && !per_sample && state.coverage != Coverage::Inner;
        let mut rest = subspans;
        while let [subspan, later @ ..] = rest {
            rest = later;
            let (mut covered, mut bare) = (subspan.samples, [0; 4]);
            if smooth {
                bare = covered.map(|parts| 16 - parts.count_ones() as u8);
                covered = covered.map(|parts| if parts == 0 { 0 } else { all });
            }
            let covered = covered.map(|s| s & mask);
            let mut slot = Slot {
                bare,
                x: subspan.x,
                y: subspan.y,
                covered,
                shown: covered,
                left: covered,
                ..Slot::default()
            };
            if passes {
                slot.left = covered.map(|s| s & 1);
                let passed = slot.left.into_iter().map(u64::from).sum::<u64>();
                self.back.samples_passed += passed;
            } else if early && let Some(passed) = self.back.tests_subspan(setup, &slot)? {
                slot.left = std::array::from_fn(|i| (passed >> i & 1) as u16);
            } else if early {
                for pixel in 0..4 {
                    if covered[pixel] != 0 {
                        let tested = (&slot, pixel, u32::from(covered[pixel]));
                        let passed = self.back.tests(setup, tested, None, None)?;
                        slot.left[pixel] = passed as u16;
                    }
                }
            }
            slot.shown = match self.back.state.coverage {
                Coverage::Covered => covered,
                Coverage::AfterDepth => slot.left,
                Coverage::Inner => {
                    let inside = |i: usize| subspan.inner >> i & 1 == 1;
                    std::array::from_fn(|i| if inside(i) { covered[i] } else { 0 })
                }
            };
            if slot.left == [0; 4] {
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
                    // Those that follow it are as it is but for their places.
                    let others = later.iter().position(|s| s.samples != subspan.samples);
                    let (same, others) = later.split_at(others.unwrap_or(later.len()));
                    slots.extend(same.iter().map(|s| Slot {
                        x: s.x,
                        y: s.y,
                        ..slot
                    }));
                    if passes {
                        let each = slot.left.map(u64::from).into_iter().sum::<u64>();
                        self.back.samples_passed += each * same.len() as u64;
                    }
                    rest = others;
                }
                continue;
            }
            for sample in 0..samples {
                let left = slot.left.map(|s| s & 1 << sample);
                if left != [0; 4] {
                    slots.push(Slot {
                        sample,
                        left,
                        ..slot
                    });
                }
            }
        }
        if !slots.is_empty() && !self.prepared {
            payload::object(&mut self.object, &self.back.state, setup);
            self.prepared = true;
        }
        let mut rest = slots.as_mut_slice();
        while !rest.is_empty() {
            let width = self.width(rest.len());
            let (now, later) = rest.split_at_mut((width / 4).min(rest.len()));
            rest = later;
            self.thread(setup, now, width)?;
        }
        self.slots = slots;
        Ok(())
    }

    /// Width of the next thread: the widest that the slots fill by more than half, else the narrowest.
    fn width(&self, slots: usize) -> usize {
        let has = |i: usize| self.executors.get(i).is_some_and(Option::is_some);
        match (has(0), has(1), has(2)) {
            (_, _, true) if slots > 4 => 32,
            (_, true, _) if slots > 2 => 16,
            (true, _, _) => 8,
            (_, true, _) => 16,
            _ => 32,
        }
    }

    fn thread(&mut self, setup: &Setup, slots: &mut [Slot], width: usize) -> Result<(), Stop> {
        let index = (width / 8).ilog2() as usize;
        let Some(Some((executor, start))) = self.executors.get_mut(index) else {
            return Ok(());
        };
        let lit = payload::lit(slots);
        if self.back.state.statistics {
            self.invocations += u64::from(lit.count_ones());
        }
        let repeats = self.repeated[index] && lit.count_ones() as usize == width;
        if repeats
            && let Some(deed) = &self.deeds[index]
            && executor.repeat(1, lit, &deed.statistics, deed.messages())
        {
            let mut batch = message::Batch::new(&mut self.back, setup, slots);
            return deed.again(&mut batch);
        }
        let state = &self.back.state;
        let frame = Frame {
            width,
            start: *start,
            scratch: executor.scratch(),
        };
        payload::build(&mut self.payload, state, setup, slots, frame, &self.object).map_err(
            |registers| {
                rules::PS_PAYLOAD.stop(
                    format!("constants from register {start} on, among {registers} of payload"),
                    self.back.at,
                )
            },
        )?;
        let mut batch = message::Batch::new(&mut self.back, setup, slots);
        if repeats {
            let mut deed = Deed::default();
            let mut noting = Noting {
                batch: &mut batch,
                deed: &mut deed,
            };
            executor.run(&self.payload, lit, &mut noting)?;
            deed.statistics = executor.executed();
            match deed.is_whole() {
                true => {
                    self.fills[index] = deed.fills(&mut batch, width)?;
                    self.deeds[index] = Some(deed);
                }
                false => self.repeated[index] = false,
            }
        } else {
            executor.run(&self.payload, lit, &mut batch)?;
        }
        let ended = batch.ended;
        match self.back.view.is_strict() {
            true => target_rules::ended(ended, self.back.at),
            false => Ok(()),
        }
    }

    /// The draw has ended: compresses what is compressed in memory.
    pub fn close(&mut self) -> Result<(), Stop> {
        self.back.targets.close(&self.back.view)
    }

    /// Render targets that threads have written to.
    pub fn written(&self) -> impl Iterator<Item = (Role, Image)> {
        self.back.targets.written()
    }

    /// What threads have done, by width.
    pub fn stages(&self) -> impl Iterator<Item = StageWork> {
        self.executors
            .iter()
            .flatten()
            .map(|(executor, _)| executor.work())
    }

    /// Number of the host's thread that it works for: which part of the scratch memory its threads use.
    pub fn set_worker(&mut self, number: u32) {
        for (executor, _) in self.executors.iter_mut().flatten() {
            executor.set_worker(number);
        }
    }

    /// What has been counted.
    pub fn counts(&self) -> Counts {
        match self.back.state.statistics {
            true => Counts {
                samples_passed: self.back.samples_passed,
                invocations: self.invocations,
            },
            false => Counts::default(),
        }
    }
}
