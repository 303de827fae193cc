//! Typed reads, writes and atomics: texels of surfaces by coordinates.
//!
//! In:  messages with U, V, R and LOD for eight slots. Out: texels converted from and to the
//!      surface's format; reads of formats that reads do not support give the texel's bits. Out of
//!      bounds reads give zero, but for alpha that the format lacks, and writes are dropped.
//!      Coordinates that a message leaves out are zero.
//! Ref: SKL PRM vol. 7, "Typed Surface Read/Write", "Typed Atomic"; vol. 2d, MDC_SG3, MDC_CMASK,
//!      MDC_AOP.

use super::atomic::Operation;
use super::port::WorkerPort;
use crate::bindings::{Payload, Use, unimplemented};
use crate::surface::{Image, Kind};
use eu::{Message, StopReason};
use hw::value::surface_format;
use hw::{Format, FormatUse, Gen};
use isa::descriptor::value::atomic_operation;
use isa::descriptor::value::typed_slot_group;
use isa::descriptor::{common, typed, typed_atomic};

/// Slots of a message.
const SLOTS: usize = 8;

/// A message's slots: those enabled, and where their coordinates and data are in the payload.
struct Slots {
    enabled: u32,
    /// First dword of U, and registers of coordinates.
    start: usize,
    coordinates: usize,
}

impl Slots {
    /// Of a message with `data` registers after its coordinates; `high` for the upper eight of
    /// sixteen slots.
    fn new(message: &Message<'_>, payload: Payload<'_>, data: usize, high: bool) -> Slots {
        let header = common::HEADER_PRESENT.any(message.desc);
        let shift = if high { 8 } else { 0 };
        let mut enabled = match message.exec_size > 8 {
            true => message.lanes >> shift,
            false => message.lanes,
        };
        if header {
            // The header's sample mask is for all sixteen slots.
            enabled &= payload.dword(7) >> shift;
        }
        let registers = (payload.first.len() + payload.second.len()) / SLOTS;
        let before = usize::from(header);
        Slots {
            enabled: enabled & 0xff,
            start: before * SLOTS,
            coordinates: registers.saturating_sub(before + data).min(4),
        }
    }

    fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let enabled = self.enabled;
        (0..SLOTS).filter(move |l| enabled >> l & 1 == 1)
    }

    fn coordinate(&self, payload: Payload<'_>, index: usize, lane: usize) -> u32 {
        match index < self.coordinates {
            true => payload.dword(self.start + index * SLOTS + lane),
            false => 0,
        }
    }

    /// First dword of a register of data.
    fn data(&self, register: usize) -> usize {
        self.start + (self.coordinates + register) * SLOTS
    }

    /// Level and x, y, z of a slot; `None` beyond the view's levels or slices.
    fn texel_coordinates(
        &self,
        image: &Image,
        payload: Payload<'_>,
        lane: usize,
    ) -> Option<(u32, [u32; 3])> {
        let [u, v, r, lod] = [0, 1, 2, 3].map(|i| self.coordinate(payload, i, lane));
        let place = match image.kind {
            Kind::Buffer => [u, 0, 0],
            // The second coordinate of lines is the array element.
            Kind::D1 => [u, 0, v],
            _ => [u, v, r],
        };
        let beyond = image.kind == Kind::D3 && r >= image.view_extent;
        (!beyond && lod < image.levels.max(1)).then_some((lod, place))
    }
}

/// The group of eight slots that MDC_SG3 selects: true for the high one.
fn high_slots(message: &Message<'_>) -> Result<bool, StopReason> {
    match typed::SLOT_GROUP.get(message.desc) {
        typed_slot_group::LOW => Ok(false),
        typed_slot_group::HIGH => Ok(true),
        _ => unimplemented(message, "a SIMD4x2 message"),
    }
}

/// Channels that MDC_CMASK leaves enabled.
fn channels(message: &Message<'_>) -> impl Iterator<Item = usize> + use<> {
    let mask = typed::CHANNEL_MASK.get(message.desc);
    (0..4).filter(move |c| mask >> c & 1 == 0)
}

/// The surface as typed reads see it: texels of formats that they do not support are unsigned
/// integers of the same size, a dword for each channel (ERRATA.md, "Typed reads of other formats").
fn as_read(image: Image) -> Image {
    let supported = || image.format.uses(Gen::Gen9).contains(FormatUse::TYPED_READ);
    if image.kind == Kind::Null || supported() {
        return image;
    }
    let raw = match image.bytes {
        1 => surface_format::R8_UINT,
        2 => surface_format::R16_UINT,
        4 => surface_format::R32_UINT,
        8 => surface_format::R32G32_UINT,
        _ => return image,
    };
    match Format::by_number(raw as u32) {
        Some(format) => Image { format, ..image },
        None => image,
    }
}

impl WorkerPort<'_> {
    pub(super) fn typed_read(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let image = as_read(self.bindings.image(message, Use::Reads)?);
        let slots = Slots::new(message, payload, 0, high_slots(message)?);
        for lane in slots.lanes() {
            let values = match slots.texel_coordinates(&image, payload, lane) {
                Some((lod, place)) => image.load(&self.bindings.view, lod, place, 0)?,
                None => image.outside(),
            };
            for (register, channel) in channels(message).enumerate() {
                if let Some(out) = response.get_mut(register * SLOTS + lane) {
                    *out = values[channel];
                }
            }
        }
        Ok(())
    }

    pub(super) fn typed_write(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
    ) -> Result<(), StopReason> {
        let image = self.bindings.image(message, Use::Writes)?;
        let count = channels(message).count();
        let written = image.written_channels();
        let slots = Slots::new(message, payload, count, high_slots(message)?);
        for lane in slots.lanes() {
            let Some((lod, place)) = slots.texel_coordinates(&image, payload, lane) else {
                continue;
            };
            let mut values = [0; 4];
            for (register, channel) in channels(message).enumerate() {
                values[written[channel]] = payload.dword(slots.data(register) + lane);
            }
            image.store(&self.bindings.view, lod, place, 0, values)?;
        }
        Ok(())
    }

    pub(super) fn typed_atomic(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let image = self.bindings.image(message, Use::Reads)?;
        let operation = Operation {
            op: typed_atomic::OPERATION.get(message.desc),
            float: false,
            is_qword: false,
        };
        let name = image.format.name;
        let carried_out = match name {
            "R32_UINT" | "R32_SINT" => true,
            // ERRATA.md, "Typed atomics on R32_FLOAT".
            "R32_FLOAT" => operation.op == atomic_operation::MOV,
            _ => false,
        };
        if image.kind != Kind::Null && !carried_out {
            let what = format!("a typed atomic of operation {} on {name}", operation.op);
            return unimplemented(message, &what);
        }
        let slots = Slots::new(
            message,
            payload,
            operation.operands(),
            typed_atomic::SLOT_GROUP.any(message.desc),
        );
        for lane in slots.lanes() {
            let operand = |n: usize| match operation.operands() > n {
                true => u64::from(payload.dword(slots.data(n) + lane)),
                false => 0,
            };
            let (a, b) = (operand(0), operand(1));
            let place = slots.texel_coordinates(&image, payload, lane);
            let address = place.and_then(|(lod, [x, y, z])| image.texel_address(lod, x, y, z, 0));
            let result = match (address, place) {
                (Some(address), Some((lod, place))) => {
                    image.materialize(&self.bindings.view, lod, place)?;
                    self.atomic_at(address, operation, a, b)?
                }
                _ => 0,
            };
            if typed_atomic::RETURN_DATA.any(message.desc)
                && let Some(out) = response.get_mut(lane)
            {
                *out = result as u32;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
