//! The pixel pipeline: covered samples of an object to depth, stencil and render targets.
//!
//! In:  a [`Setup`] and its [`Cover`]. Out: threads dispatched, messages carried out, memory written.
//! Objects come one after the other, and a thread ends before the next begins, so what blends is in order.
//! Ref: SKL PRM vol. 7, "Windower (WM) Stage", "Pixel Shader Thread Dispatch", "Render Target Write".
//!
//! | file | in → out |
//! | --- | --- |
//! | `state` | latched commands → what a draw finds |
//! | `payload` | an object, its subspans → a thread's registers |
//! | `message` | render target writes → samples settled, colours for targets |
//! | `repeat` | what one thread has sent → the same for others |
//! | `interpolator` | pixel interpolator messages → barycentric weights |
//! | `depth`, `blend`, `target` | a sample → memory |
//! | `tiles` | objects → parts of them, by worker |
//! | `clear` | fast clears, resolves, 3DSTATE_WM_HZ_OP → memory |

#[cfg(test)]
mod band_tests;
mod blend;
mod clear;
mod depth;
#[cfg(test)]
mod depth_tests;
mod dither;
mod interpolator;
#[cfg(test)]
mod interpolator_tests;
mod message;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
mod object_tests;
mod payload;
#[cfg(test)]
mod payload_tests;
mod repeat;
#[cfg(test)]
mod repeat_tests;
#[cfg(test)]
mod settled_tests;
mod state;
#[cfg(test)]
mod state_tests;
mod target;
#[cfg(test)]
mod target_tests;
#[cfg(test)]
#[path = "rig_tests.rs"]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tiles;
mod written;

pub(crate) use clear::hz_op;
pub(crate) use depth::targets as depth_targets;
pub(crate) use tiles::Tiles;

use super::exec::{Draw, Executor};
use super::object::{Cover, Kind, LOG_BLOCK, Setup, Subspan, subspans_of};
use crate::memory::View;
use crate::profile::StageWork;
use crate::rules;
use crate::surface::Image;
use crate::targets::Role;
use crate::watch::Via;
use eu::Stop;
use payload::{Frame, Slot};
use repeat::{Deed, Noting};
use state::{Coverage, Special, State};
use target::Targets;

/// What the pixel pipeline counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Samples that passed the depth test, where 3DSTATE_WM counts.
    pub samples_passed: u64,
    pub invocations: u64,
}

/// What threads' messages act on.
struct Back<'a> {
    view: View<'a>,
    at: u64,
    state: State<'a>,
    targets: Targets,
    samples_passed: u64,
}

/// The units behind the rasteriser, for one draw.
pub(crate) struct Pixels<'a> {
    back: Back<'a>,
    /// Of 8, 16, 32 pixels: the executor, and the register where constants start.
    executors: [Option<(Executor<'a>, usize)>; 3],
    /// By the same: the object's threads with all channels on do the same, and what that is, once one has done it.
    repeated: [bool; 3],
    deeds: [Option<Deed>; 3],
    /// What a deed of that width comes to where every pixel has the same colours: see [`Pixels::fill`].
    fills: [Option<Vec<Fill>>; 3],
    slots: Vec<Slot>,
    payload: Vec<u32>,
    /// The object's part of it.
    object: Vec<u32>,
    /// The object has it.
    prepared: bool,
    /// Of a block.
    subspans: Vec<Subspan>,
    invocations: u64,
}

/// A render target, and a colour for all pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fill {
    target: usize,
    colour: [u32; 4],
}

fn gap<T>(at: u64, what: &str) -> Result<T, Stop> {
    Err(Stop::Unimplemented {
        what: what.into(),
        at,
    })
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
            true => written::ended(ended, self.back.at),
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

impl Back<'_> {
    /// [`Back::tests`] of a subspan's pixels of one sample, where any is on; none where they have to be tested one by one.
    fn tests_subspan(&mut self, setup: &Setup, slot: &Slot) -> Result<Option<u32>, Stop> {
        let state = &self.state;
        if state.samples != 1 {
            return Ok(None);
        }
        let covered = slot.covered.iter().enumerate();
        let mask = covered.fold(0, |mask, (i, s)| mask | u32::from(s & 1) << i);
        let [dx, dy] = state.positions[0];
        let depths = std::array::from_fn(|i| {
            let (x, y) = (slot.x + (i as u32 & 1), slot.y + (i as u32 >> 1));
            let z = setup.depth.at(f64::from(x) + dx, f64::from(y) + dy) as f32;
            state.depth.clamped(z, setup.viewport)
        });
        let place = [slot.x, slot.y, setup.layer];
        let passed = state.depth.subspan(place, mask, depths)?;
        if let Some(passed) = passed {
            self.samples_passed += u64::from(passed.count_ones());
        }
        Ok(passed)
    }

    /// Tests depth and stencil of a pixel's samples; returns those that pass. `depth` and `reference` are the shader's,
    /// of all samples.
    fn tests(
        &mut self,
        setup: &Setup,
        (slot, pixel, covered): (&Slot, usize, u32),
        depth: Option<f32>,
        reference: Option<u8>,
    ) -> Result<u32, Stop> {
        let mut passed = covered;
        let state = &self.state;
        if state.depth.is_active() {
            let (x, y) = (slot.x + (pixel as u32 & 1), slot.y + (pixel as u32 >> 1));
            for sample in (0..state.samples).filter(|s| covered >> s & 1 == 1) {
                let z = depth.unwrap_or_else(|| {
                    let [dx, dy] = state.positions[sample as usize & 15];
                    setup.depth.at(f64::from(x) + dx, f64::from(y) + dy) as f32
                });
                let z = state.depth.clamped(z, setup.viewport);
                let place = [x, y, setup.layer];
                let front = setup.front_facing;
                if !state.depth.sample(place, sample, z, front, reference)? {
                    passed &= !(1 << sample);
                }
            }
        }
        self.samples_passed += u64::from(passed.count_ones());
        Ok(passed)
    }

    /// The render target of a binding table entry, with a blend state entry.
    fn target(&mut self, index: u32, blend: usize, at: u64) -> Result<Option<usize>, Stop> {
        self.targets
            .find(&self.view, &self.state, (index, blend), at)
    }

    /// A pixel's colour to the samples of `mask`.
    fn colour(
        &mut self,
        target: Option<usize>,
        place: [u32; 3],
        mask: u32,
        colour: [u32; 4],
        second: [u32; 4],
    ) -> Result<(), Stop> {
        match target.and_then(|i| self.targets.get(i)) {
            Some(target) => target.write(&self.view, place, mask, colour, second),
            None => Ok(()),
        }
    }

    /// A pixel of a fast clear's or resolve's rectangle.
    fn special(
        &mut self,
        target: Option<usize>,
        place: [u32; 3],
        what: Special,
        at: u64,
    ) -> Result<(), Stop> {
        match target.and_then(|i| self.targets.get(i)) {
            Some(target) => clear::colour(&self.view, &target.image, place, what, at),
            None => Ok(()),
        }
    }
}
