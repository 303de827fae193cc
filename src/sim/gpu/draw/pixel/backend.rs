//! What the messages of pixel shader threads act on: tests of samples, and writes to render
//! targets.
//!
//! In:  a pixel's samples, depth and colour. Out: the samples that pass, memory written.

use super::clear;
use super::payload::Slot;
use super::state::{AuxOperation, State};
use super::target::RenderTargets;
use crate::draw::object::SetupObject;
use crate::memory::AddressSpaceView;
use eu::StopReason;

/// The state that threads' messages act on.
pub(super) struct PixelBackend<'a> {
    pub view: AddressSpaceView<'a>,
    pub at: u64,
    pub state: State<'a>,
    pub targets: RenderTargets,
    pub samples_passed: u64,
}

/// A render target, and one colour for all pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TargetFill {
    pub target: usize,
    pub colour: [u32; 4],
}

impl PixelBackend<'_> {
    /// Runs [`PixelBackend::test_pixel`] on a subspan of one sample per pixel; returns the pixels
    /// that pass, or `None` if they have to be tested one by one.
    pub fn test_subspan(
        &mut self,
        setup: &SetupObject,
        slot: &Slot,
    ) -> Result<Option<u32>, StopReason> {
        let state = &self.state;
        if state.samples != 1 {
            return Ok(None);
        }
        let covered = slot.covered.iter().enumerate();
        let mask = covered.fold(0, |mask, (i, s)| mask | u32::from(s & 1) << i);
        let [dx, dy] = state.positions[0];
        let depths = std::array::from_fn(|i| {
            let (x, y) = (slot.x + (i as u32 & 1), slot.y + (i as u32 >> 1));
            let z = setup.depth.evaluate(f64::from(x) + dx, f64::from(y) + dy) as f32;
            state.depth.clamp_depth(z, setup.viewport)
        });
        let place = [slot.x, slot.y, setup.layer];
        let passed = state.depth.test_subspan(place, mask, depths)?;
        if let Some(passed) = passed {
            self.samples_passed += u64::from(passed.count_ones());
        }
        Ok(passed)
    }

    /// Tests depth and stencil of a pixel's samples; returns the samples that pass. `depth` and
    /// `reference` are set if the shader computed them for all samples.
    pub fn test_pixel(
        &mut self,
        setup: &SetupObject,
        (slot, pixel, covered): (&Slot, usize, u32),
        depth: Option<f32>,
        reference: Option<u8>,
    ) -> Result<u32, StopReason> {
        let mut passed = covered;
        let state = &self.state;
        if state.depth.is_active() {
            let (x, y) = (slot.x + (pixel as u32 & 1), slot.y + (pixel as u32 >> 1));
            for sample in (0..state.samples).filter(|s| covered >> s & 1 == 1) {
                let z = depth.unwrap_or_else(|| {
                    let [dx, dy] = state.positions[sample as usize & 15];
                    setup.depth.evaluate(f64::from(x) + dx, f64::from(y) + dy) as f32
                });
                let z = state.depth.clamp_depth(z, setup.viewport);
                let place = [x, y, setup.layer];
                let front = setup.front_facing;
                if !state
                    .depth
                    .test_sample(place, sample, z, front, reference)?
                {
                    passed &= !(1 << sample);
                }
            }
        }
        self.samples_passed += u64::from(passed.count_ones());
        Ok(passed)
    }

    /// The index of a binding table entry's render target, with a blend state entry; `None` for a
    /// null surface.
    pub fn target(
        &mut self,
        index: u32,
        blend: usize,
        at: u64,
    ) -> Result<Option<usize>, StopReason> {
        self.targets
            .find(&self.view, &self.state, (index, blend), at)
    }

    /// Writes a pixel's colour to the samples of `mask`.
    pub fn write_colour(
        &mut self,
        target: Option<usize>,
        place: [u32; 3],
        mask: u32,
        colour: [u32; 4],
        second: [u32; 4],
    ) -> Result<(), StopReason> {
        match target.and_then(|i| self.targets.get(i)) {
            Some(target) => target.write(&self.view, place, mask, colour, second),
            None => Ok(()),
        }
    }

    /// Executes a fast clear or resolve for a pixel of the scaled-down rectangle.
    pub fn write_aux_operation(
        &mut self,
        target: Option<usize>,
        place: [u32; 3],
        what: AuxOperation,
        at: u64,
    ) -> Result<(), StopReason> {
        match target.and_then(|i| self.targets.get(i)) {
            Some(target) => {
                clear::clear_or_resolve_pixel(&self.view, &target.image, place, what, at)
            }
            None => Ok(()),
        }
    }
}
