//! Scattered reads and writes of bytes, words and dwords.
//!
//! Ref: SKL PRM vol. 7, "Byte Scattered", "DWord Scattered", "A64 Scattered"; vol. 2d, MDC_DS,
//!      MDC_A64_DS.

use super::port::WorkerPort;
use crate::bindings::{Payload, unimplemented};
use crate::surface::Surface;
use eu::{Message, StopReason};
use isa::descriptor::value::{a64_element, byte_data_size};
use isa::descriptor::{a64_scattered, byte_scattered, common, dword_scattered};

impl WorkerPort<'_> {
    fn load_bytes(
        &self,
        message: &Message<'_>,
        surface: Surface,
        offset: u64,
        bytes: u32,
    ) -> Result<u32, StopReason> {
        if surface == Surface::Slm {
            let mut value = 0;
            for i in 0..u64::from(bytes) {
                let word = self.slm_dword(message, offset + i)?;
                value |= (word >> ((offset + i) % 4 * 8) & 0xff) << (8 * i);
            }
            return Ok(value);
        }
        match surface.resolve(offset, bytes.into()) {
            Some(address) => Ok(self.bindings.view.read_bytes(address, bytes)? as u32),
            None => Ok(0),
        }
    }

    fn store_bytes(
        &mut self,
        message: &Message<'_>,
        surface: Surface,
        offset: u64,
        bytes: u32,
        value: u32,
    ) -> Result<(), StopReason> {
        if surface == Surface::Slm {
            for i in 0..u64::from(bytes) {
                let Some(index) = self.slm_index(message, offset + i)? else {
                    continue;
                };
                let shift = (offset + i) % 4 * 8;
                let byte = value >> (8 * i) & 0xff;
                self.slm[index] = self.slm[index] & !(0xff << shift) | byte << shift;
            }
            return Ok(());
        }
        match surface.resolve(offset, bytes.into()) {
            Some(address) => self.bindings.view.write_bytes(address, bytes, value.into()),
            None => Ok(()),
        }
    }

    pub(super) fn byte_scattered(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        write: bool,
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, true)?;
        let lanes = if byte_scattered::SIMD_MODE.any(message.desc) {
            16
        } else {
            8
        };
        let bytes = match byte_scattered::DATA_SIZE.get(message.desc) {
            byte_data_size::BYTES_1 => 1,
            byte_data_size::BYTES_2 => 2,
            byte_data_size::BYTES_4 => 4,
            _ => return unimplemented(message, "a byte scattered message of this size"),
        };
        self.scatter(message, payload, response, write, (surface, lanes, bytes))
    }

    pub(super) fn dword_scattered(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        write: bool,
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, true)?;
        // MDC_DWS has 2 and 3 for 8 and 16.
        let lanes = match dword_scattered::BLOCK_SIZE.get(message.desc) & 1 {
            1 => 16,
            _ => 8,
        };
        let start = common::HEADER_PRESENT.get(message.desc) as usize * 8;
        for lane in (0..lanes).filter(|l| message.lanes >> l & 1 == 1) {
            // Offsets count dwords here.
            let offset = u64::from(payload.dword(start + lane)) * 4;
            if write {
                let value = payload.dword(start + lanes + lane);
                self.store(message, surface, offset, value)?;
            } else if let Some(out) = response.get_mut(lane) {
                *out = self.load(message, surface, offset)?;
            }
        }
        Ok(())
    }

    fn scatter(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        write: bool,
        (surface, lanes, bytes): (Surface, usize, u32),
    ) -> Result<(), StopReason> {
        let start = common::HEADER_PRESENT.get(message.desc) as usize * 8;
        for lane in (0..lanes).filter(|l| message.lanes >> l & 1 == 1) {
            let offset = u64::from(payload.dword(start + lane));
            if write {
                let value = payload.dword(start + lanes + lane);
                self.store_bytes(message, surface, offset, bytes, value)?;
            } else if let Some(out) = response.get_mut(lane) {
                *out = self.load_bytes(message, surface, offset, bytes)?;
            }
        }
        Ok(())
    }

    /// A64 scattered: one to eight elements of a byte, a dword or a qword for each lane.
    pub(super) fn a64_scattered(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        write: bool,
    ) -> Result<(), StopReason> {
        let lanes = if a64_scattered::SIMD_MODE.any(message.desc) {
            16
        } else {
            8
        };
        let count = 1u32 << a64_scattered::ELEMENTS.get(message.desc);
        let start = common::HEADER_PRESENT.get(message.desc) as usize * 8;
        let subtype = a64_scattered::SUBTYPE.get(message.desc);
        for lane in (0..lanes).filter(|l| message.lanes >> l & 1 == 1) {
            let address = payload.address(start + lane * 2);
            let data = start + lanes * 2;
            match subtype {
                // One to four of them in the low bits of a dword.
                a64_element::BYTE if count <= 4 => {
                    if write {
                        let value = payload.dword(data + lane);
                        self.bindings
                            .view
                            .write_bytes(address, count, value.into())?;
                    } else if let Some(out) = response.get_mut(lane) {
                        *out = self.bindings.view.read_bytes(address, count)? as u32;
                    }
                }
                // Element by element, each a block of lanes.
                a64_element::DWORD | a64_element::QWORD => {
                    let dwords = if subtype == a64_element::DWORD { 1 } else { 2 };
                    for element in 0..count as usize {
                        for half in 0..dwords {
                            let at = address + ((element * dwords + half) * 4) as u64;
                            let slot = element * lanes * dwords + lane * dwords + half;
                            if write {
                                self.bindings
                                    .view
                                    .write(at & !3, payload.dword(data + slot))?;
                            } else if let Some(out) = response.get_mut(slot) {
                                *out = self.bindings.view.read(at & !3)?;
                            }
                        }
                    }
                }
                _ => return unimplemented(message, "an A64 scattered message of this size"),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
