//! Untyped surface reads and writes, by surface and by 64-bit address.
//!
//! Ref: SKL PRM vol. 7, "Untyped Surface Read/Write"; vol. 2d, MDC_CMASK, MDC_SM3.

use super::port::WorkerPort;
use crate::bindings::{Payload, unimplemented};
use crate::surface::Surface;
use eu::{Message, StopReason};
use isa::descriptor::value::untyped_simd_mode;
use isa::descriptor::{common, untyped};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Lanes of MDC_SM3; SIMD4x2 is for align16 code that compute shaders do not have.
fn lanes(message: &Message<'_>) -> Result<usize, StopReason> {
    match untyped::SIMD_MODE.get(message.desc) {
        untyped_simd_mode::SIMD16 => Ok(16),
        untyped_simd_mode::SIMD8 => Ok(8),
        _ => unimplemented(message, "a SIMD4x2 message"),
    }
}

/// Channels that MDC_CMASK leaves enabled.
fn channels(message: &Message<'_>) -> impl Iterator<Item = u64> {
    let mask = untyped::CHANNEL_MASK.get(message.desc);
    (0..4).filter(move |c| mask >> c & 1 == 0)
}

fn header_dwords(message: &Message<'_>) -> usize {
    common::HEADER_PRESENT.get(message.desc) as usize * 8
}

fn enabled(message: &Message<'_>, lanes: usize) -> impl Iterator<Item = usize> {
    let mask = message.lanes;
    (0..lanes).filter(move |l| mask >> l & 1 == 1)
}

/// Contiguous memory that contains the addresses of all active lanes.
struct LaneWindow<'a> {
    /// The lowest of their offsets.
    lowest: u32,
    words: &'a [AtomicU32],
}

impl LaneWindow<'_> {
    /// The dword of a channel at a lane's offset.
    fn dword(&self, offset: u32, channel: u64) -> Option<&AtomicU32> {
        let first = offset.wrapping_sub(self.lowest) / 4;
        self.words.get(first as usize + channel as usize)
    }
}

impl<'a> WorkerPort<'a> {
    /// The memory of all active lanes, if it is mapped contiguously and aligned; `None` if lanes
    /// have to be accessed one by one.
    fn lane_window(&self, surface: Surface, mask: u32, offsets: &[u32]) -> Option<LaneWindow<'a>> {
        const CHANNELS_BYTES: u64 = 16;
        let (mut lowest, mut highest, mut all) = (u32::MAX, 0, 0);
        for (lane, offset) in offsets.iter().enumerate() {
            if mask >> lane & 1 == 1 {
                (lowest, highest, all) = (lowest.min(*offset), highest.max(*offset), all | offset);
            }
        }
        if lowest > highest || !all.is_multiple_of(4) {
            return None;
        }
        let bytes = u64::from(highest - lowest) + CHANNELS_BYTES;
        let address = surface.resolve(u64::from(lowest), bytes)?;
        let words = self.bindings.view.span(address, (bytes / 4) as usize)?;
        Some(LaneWindow { lowest, words })
    }
}

impl WorkerPort<'_> {
    pub(super) fn untyped_read(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, false)?;
        let lanes = lanes(message)?;
        let start = header_dwords(message);
        let offsets = payload.dword_range(start, lanes);
        let window = offsets.and_then(|offsets| self.lane_window(surface, message.lanes, offsets));
        for (i, channel) in channels(message).enumerate() {
            let Some(out) = response.get_mut(i * lanes..(i + 1) * lanes) else {
                break;
            };
            if let (Some(window), Some(offsets)) = (&window, offsets) {
                for lane in enabled(message, lanes) {
                    let dword = window.dword(offsets[lane], channel);
                    out[lane] = dword.map_or(0, |dword| dword.load(Relaxed));
                }
                continue;
            }
            for lane in enabled(message, lanes) {
                let offset = u64::from(payload.dword(start + lane)) + channel * 4;
                out[lane] = self.load(message, surface, offset)?;
            }
        }
        Ok(())
    }

    pub(super) fn untyped_write(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, false)?;
        let lanes = lanes(message)?;
        let start = header_dwords(message);
        let offsets = payload.dword_range(start, lanes);
        let window = offsets.and_then(|offsets| self.lane_window(surface, message.lanes, offsets));
        for (i, channel) in channels(message).enumerate() {
            let values = payload.dword_range(start + (i + 1) * lanes, lanes);
            if let (Some(window), Some(offsets), Some(values)) = (&window, offsets, values) {
                for lane in enabled(message, lanes) {
                    if let Some(dword) = window.dword(offsets[lane], channel) {
                        dword.store(values[lane], Relaxed);
                    }
                }
                continue;
            }
            for lane in enabled(message, lanes) {
                let offset = u64::from(payload.dword(start + lane)) + channel * 4;
                let value = payload.dword(start + (i + 1) * lanes + lane);
                self.store(message, surface, offset, value)?;
            }
        }
        Ok(())
    }

    pub(super) fn a64_untyped_read(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let lanes = lanes(message)?;
        let start = header_dwords(message);
        for (i, channel) in channels(message).enumerate() {
            let Some(out) = response.get_mut(i * lanes..(i + 1) * lanes) else {
                break;
            };
            for lane in enabled(message, lanes) {
                let address = payload.address(start + lane * 2) + channel * 4;
                out[lane] = self.bindings.view.read(address & !3)?;
            }
        }
        Ok(())
    }

    pub(super) fn a64_untyped_write(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
    ) -> Result<(), StopReason> {
        let lanes = lanes(message)?;
        let start = header_dwords(message);
        for (i, channel) in channels(message).enumerate() {
            for lane in enabled(message, lanes) {
                let address = payload.address(start + lane * 2) + channel * 4;
                let value = payload.dword(start + (i + 2) * lanes + lane);
                self.bindings.view.write(address & !3, value)?;
            }
        }
        Ok(())
    }
}
