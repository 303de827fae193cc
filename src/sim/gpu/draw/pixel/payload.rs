//! Payloads of pixel shader threads.
//!
//! In:  [`State`], an object, its [`Slot`]s. Out: registers of eight dwords, in the layout that
//!      kernels expect. Order: R0; for each 16 pixels a register with positions and masks; for each
//!      16 pixels barycentric weights of each enabled mode, source depth, source W, position
//!      offsets, input coverage; push constants; attributes, two components in a register.
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Payload", "Barycentric Attribute Interpolation".

use super::state::State;
use crate::draw::object::{Kind, SetupObject};
use hw::value::draw::{position_xy_offset, position_zw_interpolation_mode};

/// Four channels of a thread: a subspan, or one sample of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub x: u32,
    pub y: u32,
    /// The sample, if threads are dispatched per sample.
    pub sample: u32,
    /// Samples of the pixels (0,0), (1,0), (0,1), (1,1) that the object covers.
    pub covered: [u16; 4],
    /// The input coverage mask of each pixel.
    pub input_mask: [u16; 4],
    /// The samples that the thread may still write.
    pub writable: [u16; 4],
    /// Pixels whose masks and late tests have been applied by a render target write.
    pub tested: u8,
    /// Sixteenths of each pixel that a smooth line does not cover.
    pub uncovered: [u8; 4],
}

/// The point of a pixel at which something is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PixelPoint {
    Centre,
    Centroid,
    Sample,
}

/// The offset of the point from the pixel's corner, in pixels.
pub(super) fn offset_in_pixel(
    state: &State<'_>,
    slot: &Slot,
    pixel: usize,
    place: PixelPoint,
) -> [f64; 2] {
    let of = |sample: u32| state.positions[sample as usize & 15];
    match place {
        _ if state.samples == 1 => [state.centre; 2],
        PixelPoint::Sample => of(slot.sample),
        PixelPoint::Centroid => {
            let covered = u32::from(slot.covered[pixel & 3]);
            let all = u32::MAX >> (32 - state.samples);
            match covered & all {
                0 => [state.centre; 2],
                some if some == all => [state.centre; 2],
                some => of(some.trailing_zeros()),
            }
        }
        PixelPoint::Centre => [state.centre; 2],
    }
}

/// The position of the point on the screen.
pub(super) fn screen_position(
    state: &State<'_>,
    slot: &Slot,
    pixel: usize,
    place: PixelPoint,
) -> [f64; 2] {
    let [x, y] = offset_in_pixel(state, slot, pixel, place);
    [
        f64::from(slot.x + (pixel as u32 & 1)) + x,
        f64::from(slot.y + (pixel as u32 >> 1)) + y,
    ]
}

impl Slot {
    /// A bit for each pixel that has a writable sample.
    #[inline]
    pub fn active_pixels(&self) -> u32 {
        const ALL_BUT_HIGHEST: u64 = 0x7fff_7fff_7fff_7fff;
        // Moves bits 15, 31, 47, 63 to bits 60 to 63; the other partial products stay below or
        // overflow.
        const GATHER: u64 = 1 << 45 | 1 << 30 | 1 << 15 | 1;
        let [a, b, c, d] = self.writable.map(u64::from);
        let all = a | b << 16 | c << 32 | d << 48;
        // The highest bit of each 16 is set if any of them is.
        let any = (((all & ALL_BUT_HIGHEST) + ALL_BUT_HIGHEST) | all) & !ALL_BUT_HIGHEST;
        (any.wrapping_mul(GATHER) >> 60) as u32
    }
}

/// A bit for each pixel of up to eight slots that has a writable sample.
pub(super) fn active_pixels(slots: &[Slot]) -> u32 {
    let each = slots.iter().rev();
    each.fold(0, |mask, slot| mask << 4 | slot.active_pixels())
}

/// The part of payloads that is the same for an object's pixels: push constants and attributes,
/// which follow the pixels' part.
pub(super) fn build_object(out: &mut Vec<u32>, state: &State<'_>, setup: &SetupObject) {
    out.clear();
    out.extend(&state.constants);
    if !state.attributes {
        return;
    }
    for attribute in &setup.attributes {
        for component in 0..4 {
            let [a, b, c] = attribute.map(|vertex| vertex[component]);
            let minus = |bits: u32| (f32::from_bits(bits) - f32::from_bits(a)).to_bits();
            // Values that are equal at all vertices may be integers, for which a difference is
            // meaningless.
            let deltas = match a == b && a == c {
                true => [0, 0],
                false => [minus(b), minus(c)],
            };
            out.extend([deltas[0], deltas[1], 0, a]);
        }
    }
}

/// Dispatch parameters of a thread: its width, start register and scratch memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub width: usize,
    /// Register where push constants start.
    pub start: usize,
    /// R0.5 and R0.3.
    pub scratch: (u32, u32),
}

/// Replaces `out` by a thread's payload. The error is the number of registers of the pixels' part
/// if they exceed the start register.
pub(super) fn build(
    out: &mut Vec<u32>,
    state: &State<'_>,
    setup: &SetupObject,
    slots: &[Slot],
    frame: Frame,
    object: &[u32],
) -> Result<(), usize> {
    out.clear();
    let facing = u32::from(!setup.front_facing) << 15;
    // Primitive Topology Type. Kernels that test the bit above it rely on a value other than zero.
    let topology = match setup.kind {
        Kind::Point => 1,
        Kind::Line => 2,
        Kind::Triangle => 4,
        Kind::Rectangle => 15,
    };
    let header = topology | facing | (setup.layer & 0x7ff) << 16 | (setup.viewport & 15) << 27;
    let (place, code) = frame.scratch;
    out.extend_from_slice(&[header, 0, 0, state.samplers | code, 0, place, 0, 0]);
    let group = frame.width.min(16);
    let groups = frame.width / group;
    let of = |i: usize| {
        let from = (i * 4).min(slots.len());
        let to = (i * 4 + 4).min(slots.len());
        slots.get(from..to).unwrap_or_default()
    };
    for slots in (0..groups).map(of) {
        // Starting sample indices of the subspans, four bits each, and their positions.
        let (mut samples, mut corners) = (0, [0; 4]);
        for (i, (corner, slot)) in corners.iter_mut().zip(slots).enumerate() {
            samples |= slot.sample << (4 * i);
            *corner = slot.x & 0xffff | slot.y << 16;
        }
        let [a, b, c, d] = corners;
        let mask = active_pixels(slots);
        out.extend_from_slice(&[samples, 0, a, b, c, d, 0, mask | mask << 16]);
    }
    for slots in (0..groups).map(of) {
        interpolants(out, state, setup, slots, group);
    }
    let start = frame.start.max(1 + groups) * 8;
    if out.len() > start {
        return Err(out.len() / 8);
    }
    out.resize(start, 0);
    out.extend(object);
    Ok(())
}

/// Appends a value for each pixel, eight to a register. Missing slots repeat the first one, as
/// helper pixels do.
fn lanes(out: &mut Vec<u32>, slots: &[Slot], width: usize, value: impl Fn(&Slot, usize) -> u32) {
    for lane in 0..width {
        let slot = slots.get(lane / 4).or(slots.first());
        out.push(slot.map_or(0, |slot| value(slot, lane % 4)));
    }
}

/// The screen positions of up to 16 pixels. Missing slots repeat the first one.
fn screen_positions(state: &State<'_>, slots: &[Slot], kind: PixelPoint) -> [[f64; 16]; 2] {
    let mut at = [[0.0; 16]; 2];
    for lane in 0..16 {
        if let Some(slot) = slots.get(lane / 4).or(slots.first()) {
            [at[0][lane], at[1][lane]] = screen_position(state, slot, lane % 4, kind);
        }
    }
    at
}

/// Appends the interpolated values of up to 16 pixels.
fn interpolants(
    out: &mut Vec<u32>,
    state: &State<'_>,
    setup: &SetupObject,
    slots: &[Slot],
    group: usize,
) {
    let mut known: [Option<[[f64; 16]; 2]>; 3] = [None; 3];
    let mut at = |kind: PixelPoint| {
        // With one sample all points coincide.
        let kind = if state.samples == 1 {
            PixelPoint::Centre
        } else {
            kind
        };
        *known[kind as usize].get_or_insert_with(|| screen_positions(state, slots, kind))
    };
    for mode in (0..6).filter(|mode| state.barycentrics >> mode & 1 == 1) {
        let [xs, ys] = at(match mode % 3 {
            0 => PixelPoint::Centre,
            1 => PixelPoint::Centroid,
            _ => PixelPoint::Sample,
        });
        let mut weights = [[0u32; 16]; 2];
        // Objects that are not drawn in perspective have a constant w.
        let even = setup.inverse_w.dx == 0.0 && setup.inverse_w.dy == 0.0;
        let planes = match mode < 3 {
            true => &setup.weights_over_w,
            false => &setup.weights,
        };
        match mode < 3 && !even {
            true => {
                for lane in 0..16 {
                    let both = setup.perspective(xs[lane], ys[lane]);
                    [weights[0][lane], weights[1][lane]] = both.map(|w| (w as f32).to_bits());
                }
            }
            false => {
                let w = if mode < 3 {
                    1.0 / setup.inverse_w.c
                } else {
                    1.0
                };
                for (weights, plane) in weights.iter_mut().zip(planes) {
                    for (weight, (x, y)) in weights.iter_mut().zip(xs.iter().zip(&ys)) {
                        *weight = ((plane.evaluate(*x, *y) * w) as f32).to_bits();
                    }
                }
            }
        }
        for eight in (0..group).step_by(8) {
            for weight in &weights {
                out.extend(&weight[eight..eight + 8]);
            }
        }
    }
    let kind = match state.zw_mode {
        position_zw_interpolation_mode::INTERP_CENTROID => PixelPoint::Centroid,
        position_zw_interpolation_mode::INTERP_SAMPLE => PixelPoint::Sample,
        _ => PixelPoint::Centre,
    };
    if state.uses_depth {
        let [xs, ys] = at(kind);
        let each = xs.iter().zip(&ys).take(group);
        out.extend(each.map(|(x, y)| (setup.depth.evaluate(*x, *y) as f32).to_bits()));
    }
    if state.uses_w {
        let [xs, ys] = at(kind);
        let each = xs.iter().zip(&ys).take(group);
        out.extend(each.map(|(x, y)| ((1.0 / setup.inverse_w.evaluate(*x, *y)) as f32).to_bits()));
    }
    if state.offsets != position_xy_offset::POSOFFSET_NONE {
        let kind = match state.offsets {
            position_xy_offset::POSOFFSET_CENTROID => PixelPoint::Centroid,
            _ => PixelPoint::Sample,
        };
        // Sixteenths of a pixel: a byte of x and one of y for each of 16 pixels.
        let mut words = [0; 8];
        for lane in 0..16 {
            if let Some(slot) = slots.get(lane / 4).or(slots.first()) {
                let [x, y] =
                    offset_in_pixel(state, slot, lane % 4, kind).map(|v| (v * 16.0) as u32);
                words[lane / 2] |= (x | y << 8) << (lane as u32 % 2 * 16);
            }
        }
        out.extend(words);
    }
    if state.input_coverage {
        lanes(out, slots, group, |slot, pixel| {
            u32::from(slot.input_mask[pixel & 3])
        });
    }
}

#[cfg(test)]
mod tests;
