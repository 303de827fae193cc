//! Messages of pixel shaders to the render cache.
//!
//! In:  render target writes. Out: samples masked and tested, colours passed to the targets.
//! Ref: SKL PRM vol. 7, "Render Target Write"; vol. 2d, "MDC_RT_*", "MHC_RT_*".

use super::backend::{PixelBackend, TargetFill};
use super::gap::gap;
use super::payload::{self, Slot};
use super::target_rules;
use crate::bindings::Payload;
use crate::draw::exec::StageFunctions;
use crate::draw::object::SetupObject;
use crate::surface::format;
use eu::{Message, MessageReply, StopReason};
use isa::descriptor::value::render_target_subtype;
use isa::descriptor::{common, render_target};
use isa::message::render_cache::{RENDER_TARGET_READ, RENDER_TARGET_WRITE};

/// The pixels of a running thread.
pub(super) struct Batch<'t, 'a> {
    pub back: &'t mut PixelBackend<'a>,
    pub setup: &'t SetupObject,
    pub slots: &'t mut [Slot],
    /// The thread has ended with a render target write.
    pub ended: bool,
    /// A SENDC has waited for older threads that write to the same pixels.
    pub waited: bool,
}

pub(super) const RENDER_CACHE: u8 = isa::message::render_cache::SFID;
const PIXEL_INTERPOLATOR: u8 = isa::message::pixel_interpolator::SFID;

impl StageFunctions for Batch<'_, '_> {
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        match (message.sfid, render_target::MESSAGE_TYPE.get(message.desc)) {
            (PIXEL_INTERPOLATOR, _) => {
                if self.back.view.is_strict() {
                    target_rules::check_interpolator_declared(
                        self.back.state.declares_interpolator,
                        message.ip,
                    )?;
                }
                self.interpolate(message, response);
            }
            (RENDER_CACHE, RENDER_TARGET_WRITE) => self.write(message)?,
            (RENDER_CACHE, RENDER_TARGET_READ) => return gap(message.ip, "a render target read"),
            (sfid, kind) => {
                return gap(
                    message.ip,
                    &format!("message {kind} of SFID {sfid} from a pixel shader"),
                );
            }
        }
        Ok(MessageReply::Done)
    }
}

/// The blend state entry and the pixel mask of a write's header; without a header the first entry
/// and all pixels.
#[inline]
fn blend_entry_and_pixels(header: Option<u32>, dword: impl Fn(usize) -> u32) -> (usize, u32) {
    match header {
        Some(_) => ((dword(2) & 7) as usize, dword(15) & 0xffff),
        None => (0, 0xffff),
    }
}

/// Offsets of the parts of a write's payload, in dwords.
struct Layout {
    width: usize,
    replicated: bool,
    /// The upper eight of 16 pixels.
    upper: bool,
    source0_alpha: Option<usize>,
    omask: Option<usize>,
    colour: usize,
    second: Option<usize>,
    depth: Option<usize>,
    stencil: Option<usize>,
    /// Length of the payload.
    end: usize,
}

impl<'t, 'a> Batch<'t, 'a> {
    pub fn new(
        back: &'t mut PixelBackend<'a>,
        setup: &'t SetupObject,
        slots: &'t mut [Slot],
    ) -> Batch<'t, 'a> {
        Batch {
            back,
            setup,
            slots,
            ended: false,
            waited: false,
        }
    }
}

impl Batch<'_, '_> {
    #[inline(always)]
    fn layout(&self, message: &Message<'_>, header: Option<u32>) -> Result<Layout, StopReason> {
        let state = &self.back.state;
        let (width, replicated, dual, upper) = match render_target::SUBTYPE.get(message.desc) {
            render_target_subtype::SIMD16 => (16, false, false, false),
            render_target_subtype::SIMD16_REPLICATED => (16, true, false, false),
            render_target_subtype::SIMD8_DUAL_SOURCE_LOW => (8, false, true, false),
            render_target_subtype::SIMD8_DUAL_SOURCE_HIGH => (8, false, true, true),
            render_target_subtype::SIMD8 => (8, false, false, false),
            _ => return gap(message.ip, "a render target write of this kind"),
        };
        let mut end = if header.is_some() { 16 } else { 0 };
        let mut part = |there: bool, dwords: usize| {
            let at = end;
            end += if there { dwords } else { 0 };
            there.then_some(at)
        };
        let source0_alpha = part(header.is_some_and(|h| h >> 11 & 1 == 1), width);
        let omask = part(state.omask, 8);
        let colour = part(true, if replicated { 8 } else { 4 * width });
        let second = part(dual, 4 * width);
        let depth = part(state.computes_depth, width);
        let stencil = part(state.computes_stencil, 8);
        Ok(Layout {
            width,
            replicated,
            upper,
            source0_alpha,
            omask,
            colour: colour.unwrap_or(0),
            second,
            depth,
            stencil,
            end,
        })
    }

    /// The colour that a write gives to all pixels of its channels, if it does nothing else. The
    /// inner option is `None` if there is no target, the outer if pixels differ or have to be
    /// processed one by one.
    pub fn uniform_fill(
        &mut self,
        message: &Message<'_>,
    ) -> Result<Option<Option<TargetFill>>, StopReason> {
        let payload = Payload {
            first: message.src0,
            second: message.src1,
        };
        let header = common::HEADER_PRESENT
            .any(message.desc)
            .then(|| payload.dword(0));
        let layout = self.layout(message, header)?;
        let all = u32::MAX >> (32 - layout.width);
        let (entry, pixels) = blend_entry_and_pixels(header, |i| payload.dword(i));
        let state = &self.back.state;
        let untested = !state.depth.is_active() && !state.per_sample && state.sample_mask & 1 == 1;
        let plain = self.is_quick(&layout) && untested;
        if !plain || message.lanes & all != all || pixels != 0xffff {
            return Ok(None);
        }
        let index = common::BINDING_TABLE_INDEX.get(message.desc);
        let Some(target) = self.back.target(index, entry, message.ip)? else {
            return Ok(Some(None));
        };
        let channel = |c: usize| match layout.replicated {
            true => Some(payload.dword(layout.colour + c)),
            false => {
                let values = payload.dword_range(layout.colour + c * layout.width, layout.width)?;
                let first = values.first()?;
                values.iter().all(|v| v == first).then_some(*first)
            }
        };
        let channels = [channel(0), channel(1), channel(2), channel(3)];
        let [Some(r), Some(g), Some(b), Some(a)] = channels else {
            return Ok(None);
        };
        let colour = [r, g, b, a];
        Ok(Some(Some(TargetFill { target, colour })))
    }

    fn write(&mut self, message: &Message<'_>) -> Result<(), StopReason> {
        let split = message.src0.len();
        let dword = |i: usize| {
            let found = match i < split {
                true => message.src0.get(i),
                false => message.src1.get(i - split),
            };
            found.copied().unwrap_or(0)
        };
        let header = common::HEADER_PRESENT.any(message.desc).then(|| dword(0));
        let layout = self.layout(message, header)?;
        self.ended |= message.eot;
        self.waited |= message.waits;
        if self.back.view.is_strict() {
            target_rules::check_write(message, layout.end)?;
            target_rules::check_order(self.waited, message.ip)?;
        }
        let (entry, pixels) = blend_entry_and_pixels(header, dword);
        let target = self.back.target(
            common::BINDING_TABLE_INDEX.get(message.desc),
            entry,
            message.ip,
        )?;
        if self.is_quick(&layout)
            && let Some(target) = target
        {
            return self.write_single_sampled(message, (target, &layout), pixels);
        }
        let bound = target.and_then(|i| self.back.targets.get(i));
        let integer = bound.is_some_and(|target| format::is_integer(target.image.format));
        // The lower or upper group of 16 slots; dual source writes handle eight of them.
        let first = render_target::SLOT_GROUP.get(message.desc) as usize * 16
            + if layout.upper { 8 } else { 0 };
        for lane in (0..layout.width).filter(|l| message.lanes >> l & 1 == 1) {
            let (at, pixel) = ((first + lane) / 4, lane % 4);
            let Some(slot) = self.slots.get(at).copied() else {
                continue;
            };
            if pixels >> ((first + lane) % 16) & 1 == 0 || slot.writable[pixel] == 0 {
                continue;
            }
            let (x, y) = (slot.x + (pixel as u32 & 1), slot.y + (pixel as u32 >> 1));
            let place = [x, y, self.setup.layer];
            if let Some(what) = self.back.state.aux_operation {
                self.back
                    .write_aux_operation(target, place, what, message.ip)?;
                continue;
            }
            let channels = |base: usize| -> [u32; 4] {
                std::array::from_fn(|c| dword(base + c * layout.width + lane))
            };
            let mut colour = match layout.replicated {
                true => std::array::from_fn(|c| dword(layout.colour + c)),
                false => channels(layout.colour),
            };
            let mut second = layout.second.map_or([0; 4], channels);
            let mut mask = u32::from(slot.writable[pixel]);
            if slot.tested >> pixel & 1 == 0 {
                let state = &self.back.state;
                if let Some(base) = layout.omask {
                    let word = (first + lane) % 16;
                    mask &= dword(base + word / 2) >> (word % 2 * 16) | !0xffff;
                }
                let alpha = layout
                    .source0_alpha
                    .map_or(colour[3], |base| dword(base + lane));
                let masked = layout.omask.is_some();
                let (alpha, samples) = (f32::from_bits(alpha), state.samples);
                mask &= state.alpha.coverage(alpha, samples, masked);
                if !state.early && mask != 0 {
                    let depth = layout.depth.map(|base| f32::from_bits(dword(base + lane)));
                    let reference = layout
                        .stencil
                        .map(|base| (dword(base + lane / 4) >> (lane % 4 * 8)) as u8);
                    let tested = (&slot, pixel, mask);
                    mask = self.back.test_pixel(self.setup, tested, depth, reference)?;
                }
                if let Some(slot) = self.slots.get_mut(at) {
                    slot.writable[pixel] = mask as u16;
                    slot.tested |= 1 << pixel;
                }
            }
            if self.back.state.alpha.to_one {
                colour[3] = 1f32.to_bits();
                second[3] = 1f32.to_bits();
            }
            if slot.uncovered[pixel] != 0 && !integer {
                // The coverage of a smooth line scales alpha, except in integer formats, whose bits
                // are not a fraction.
                let part = f32::from(16 - slot.uncovered[pixel]) / 16.0;
                colour[3] = (f32::from_bits(colour[3]) * part).to_bits();
            }
            if mask != 0 {
                self.back
                    .write_colour(target, place, mask, colour, second)?;
            }
        }
        Ok(())
    }

    /// True if colours go to their target unchanged: one sample per pixel, and no late test or
    /// mask.
    fn is_quick(&self, layout: &Layout) -> bool {
        let state = &self.back.state;
        let tested = state.early || !state.depth.is_active();
        tested
            && state.samples == 1
            && state.aux_operation.is_none()
            && state.alpha.is_idle()
            && !state.smooth_lines
            && layout.omask.is_none()
            && layout.second.is_none()
    }

    /// [`Batch::write`] by subspans, if [`Batch::is_quick`] holds.
    fn write_single_sampled(
        &mut self,
        message: &Message<'_>,
        (target, layout): (usize, &Layout),
        pixels: u32,
    ) -> Result<(), StopReason> {
        let split = message.src0.len();
        // Parts of a payload start at whole registers, so the dwords of four pixels are contiguous.
        let four = |at: usize| -> [u32; 4] {
            let found = match at < split {
                true => message.src0.get(at..at + 4),
                false => message.src1.get(at - split..at - split + 4),
            };
            found
                .and_then(|f| f.first_chunk().copied())
                .unwrap_or([0; 4])
        };
        let first = render_target::SLOT_GROUP.get(message.desc) as usize * 16;
        if self.write_band(message, (target, layout), pixels, first / 4)? {
            return Ok(());
        }
        for lane in (0..layout.width).step_by(4) {
            let Some(slot) = self.slots.get_mut((first + lane) / 4) else {
                break;
            };
            let mask = message.lanes >> lane & pixels >> lane & slot.active_pixels();
            if mask == 0 {
                continue;
            }
            if !self.back.state.early {
                // No test is enabled, but these samples still count as passed.
                let new = mask & !u32::from(slot.tested);
                self.back.samples_passed += u64::from(new.count_ones());
                slot.tested |= mask as u8;
            }
            let slot = *slot;
            let colours: [[u32; 4]; 4] = match layout.replicated {
                true => four(layout.colour).map(|value| [value; 4]),
                false => [0, 1, 2, 3].map(|c| four(layout.colour + c * layout.width + lane)),
            };
            let place = [slot.x, slot.y, self.setup.layer];
            let done = match self.back.targets.get(target) {
                Some(target) => target.write_subspan(&self.back.view, place, mask, &colours)?,
                None => true,
            };
            if done {
                continue;
            }
            for pixel in (0..4).filter(|p| mask >> p & 1 == 1) {
                let place = [
                    slot.x + (pixel as u32 & 1),
                    slot.y + (pixel as u32 >> 1),
                    self.setup.layer,
                ];
                let colour = colours.map(|channel| channel[pixel]);
                self.back
                    .write_colour(Some(target), place, 1, colour, [0; 4])?;
            }
        }
        Ok(())
    }

    /// Does the work of [`Batch::write_single_sampled`] for four subspans in a row, from slot
    /// `first` on. Returns false if they are not in a row or have to be written one by one.
    fn write_band(
        &mut self,
        message: &Message<'_>,
        (target, layout): (usize, &Layout),
        pixels: u32,
        first: usize,
    ) -> Result<bool, StopReason> {
        if layout.width != 16 || layout.replicated {
            return Ok(false);
        }
        let payload = Payload {
            first: message.src0,
            second: message.src1,
        };
        let channel = |c: usize| {
            let part = payload.dword_range(layout.colour + c * layout.width, layout.width);
            part.and_then(|part| part.first_chunk::<16>())
        };
        let (Some(red), Some(green), Some(blue), Some(alpha)) =
            (channel(0), channel(1), channel(2), channel(3))
        else {
            return Ok(false);
        };
        let slots = self.slots.get_mut(first..).unwrap_or_default();
        let Some(slots) = slots.first_chunk_mut::<4>() else {
            return Ok(false);
        };
        let (x, y) = (slots[0].x, slots[0].y);
        let in_row = |(i, slot): (u32, &Slot)| slot.x == x + 2 * i && slot.y == y;
        if !(0..).zip(slots.iter()).all(in_row) {
            return Ok(false);
        }
        let mask = message.lanes & pixels & payload::active_pixels(slots);
        if mask == 0 {
            return Ok(true);
        }
        let place = [x, y, self.setup.layer];
        let Some(bound) = self.back.targets.get(target) else {
            return Ok(false);
        };
        if !bound.write_band(&self.back.view, place, mask, [red, green, blue, alpha])? {
            return Ok(false);
        }
        if !self.back.state.early {
            // As in `write_single_sampled`.
            for (i, slot) in slots.iter_mut().enumerate() {
                let own = mask >> (4 * i) & 15;
                let new = own & !u32::from(slot.tested);
                self.back.samples_passed += u64::from(new.count_ones());
                slot.tested |= own as u8;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
pub(super) mod tests;
