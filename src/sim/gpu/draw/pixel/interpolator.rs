//! The pixel interpolator: barycentric weights at points that a shader selects.
//!
//! In:  a message to shared function 11. Out: weights of vertices 1 and 2, eight pixels to a
//!      register.
//! Ref: SKL PRM vol. 7, "Pixel Interpolator".

use super::message::Batch;
use super::payload::{self, PixelPoint};
use eu::Message;
use isa::descriptor::interpolator;
use isa::message::pixel_interpolator;

/// An offset in sixteenths of a pixel, from four bits of two's complement.
fn offset(bits: u32) -> f64 {
    f64::from((bits << 28) as i32 >> 28) / 16.0
}

impl Batch<'_, '_> {
    /// Executes a pixel interpolator message.
    pub(super) fn interpolate(&self, message: &Message<'_>, response: &mut [u32]) {
        let desc = message.desc;
        let offsets = interpolator::OFFSETS.get(desc);
        let width = if interpolator::SIMD_MODE.any(desc) {
            16
        } else {
            8
        };
        let first = interpolator::SLOT_GROUP.get(desc) as usize * 16;
        let state = &self.back.state;
        let dword = |i: usize| message.src0.get(i).copied().unwrap_or(0);
        for lane in (0..width).filter(|l| message.lanes >> l & 1 == 1) {
            let Some(slot) = self.slots.get((first + lane) / 4) else {
                continue;
            };
            let pixel = lane % 4;
            let moved = |x: u32, y: u32| [offset(x) + state.centre, offset(y) + state.centre];
            let [dx, dy] = match interpolator::MESSAGE_TYPE.get(desc) {
                pixel_interpolator::SHARED_OFFSET => moved(offsets, offsets >> 4),
                pixel_interpolator::SAMPLE => state.positions[(offsets >> 4 & 15) as usize],
                pixel_interpolator::CENTROID => {
                    payload::offset_in_pixel(state, slot, pixel, PixelPoint::Centroid)
                }
                _ => moved(dword(lane), dword(width + lane)),
            };
            let x = f64::from(slot.x + (pixel as u32 & 1)) + dx;
            let y = f64::from(slot.y + (pixel as u32 >> 1)) + dy;
            let weights = match interpolator::INTERPOLATION_MODE.any(desc) {
                false => self.setup.perspective(x, y),
                true => self.setup.linear(x, y),
            };
            let base = lane / 8 * 16 + lane % 8;
            for (i, weight) in weights.iter().enumerate() {
                if let Some(to) = response.get_mut(base + i * 8) {
                    *to = (*weight as f32).to_bits();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
