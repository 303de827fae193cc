//! URB messages (SFID 6): data from a thread's registers to entries, and back.
//!
//! In:  a message and the URB. Out: entries written, a response. Simulates the SIMD8 messages: a
//!      handle for each channel, and a register for each dword of all channels. Block messages and
//!      atomics are not simulated.
//! Ref: SKL PRM vol. 7, "URB", "Message Descriptor: URB SIMD8"; offsets are in 128-bit units.

use super::exec::{StageFunctions, UrbEntries};
use super::urb::Urb;
use eu::{Message, MessageReply, StopReason};
use isa::descriptor::urb;
use isa::message::urb::{SFID, SIMD8_READ, SIMD8_WRITE};

const LANES: usize = 8;
/// The bits of a handle in a payload that address an entry; a geometry shader's instance stands
/// above them.
const HANDLE: u32 = 0xffff;
/// Dwords of a row.
const ROW_DWORDS: usize = 16;

impl StageFunctions for Urb {
    fn message(
        &mut self,
        message: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        let desc = message.desc;
        let opcode = urb::OPCODE.get(desc);
        if message.sfid != SFID || !matches!(opcode, SIMD8_WRITE | SIMD8_READ) {
            return Err(StopReason::Unimplemented {
                what: format!(
                    "a message to SFID {} with descriptor {desc:#010x} from a stage of geometry",
                    message.sfid
                ),
                at: message.ip,
            });
        }
        let dword = |index: usize| {
            let second = index.wrapping_sub(message.src0.len());
            let found = message.src0.get(index);
            found
                .or_else(|| message.src1.get(second))
                .copied()
                .unwrap_or(0)
        };
        let global = urb::GLOBAL_OFFSET.get(desc) as usize;
        let masked = urb::CHANNEL_MASK_PRESENT.any(desc);
        let slots = urb::PER_SLOT_OFFSET_PRESENT.any(desc);
        let offsets = LANES;
        let masks = offsets + if slots { LANES } else { 0 };
        let data = masks + if masked { LANES } else { 0 };
        let registers = match opcode {
            SIMD8_WRITE => (message.src0.len() + message.src1.len()).saturating_sub(data) / LANES,
            _ => response.len() / LANES,
        };
        for lane in (0..LANES).filter(|lane| message.lanes >> lane & 1 == 1) {
            let handle = dword(lane) & HANDLE;
            let slot = if slots {
                dword(offsets + lane) as usize
            } else {
                0
            };
            let first = global.saturating_add(slot).saturating_mul(4);
            let mask = if masked {
                dword(masks + lane) >> 16
            } else {
                u32::MAX
            };
            for register in (0..registers).filter(|r| mask >> r & 1 == 1) {
                let at = first.saturating_add(register);
                if opcode == SIMD8_WRITE {
                    self.write(handle, at, &[dword(data + register * LANES + lane)])?;
                } else if let Some(to) = response.get_mut(register * LANES + lane) {
                    let mut value = [0];
                    self.read(handle, at, &mut value)?;
                    *to = value[0];
                }
            }
        }
        Ok(MessageReply::Done)
    }
}

impl UrbEntries for Urb {
    fn allocate(&mut self, dwords: usize) -> Result<u32, StopReason> {
        self.alloc(dwords.div_ceil(ROW_DWORDS).max(1))
    }

    fn write_entry(&mut self, handle: u32, values: &[u32]) -> Result<(), StopReason> {
        self.write(handle & HANDLE, 0, values)
    }

    fn reset_entry(&mut self, handle: u32, dwords: usize) -> Result<(), StopReason> {
        self.reset_entry(handle & HANDLE, dwords)
    }

    fn read_entry(
        &mut self,
        handle: u32,
        dwords: usize,
        out: &mut Vec<u32>,
    ) -> Result<(), StopReason> {
        let entry = self.slice(handle & HANDLE, dwords)?;
        out.clear();
        out.extend_from_slice(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(urb: &mut Urb, desc: u32, payload: &[u32], response: &mut [u32]) {
        let message = Message {
            sfid: 6,
            desc,
            ex_desc: 0,
            exec_size: 8,
            lanes: 0b101,
            src0: payload,
            src1: &[],
            eot: false,
            waits: false,
            ip: 0,
        };
        urb.message(&message, response).unwrap();
    }

    #[test]
    fn urb_writes_and_reads_per_channel_handle() {
        let mut urb = Urb::default();
        let entries = [urb.allocate(16).unwrap(), urb.allocate(16).unwrap()];
        let mut payload = [0; 8];
        (payload[0], payload[2]) = (entries[0], entries[1] | 3 << 27);
        // Channel masks: both components of channel 0, the second alone of channel 2.
        let mut masks = [0; 8];
        (masks[0], masks[2]) = (3 << 16, 2 << 16);
        let data: Vec<u32> = (100..116).collect();
        let all = [&payload[..], &masks, &data].concat();
        send(&mut urb, SIMD8_WRITE | 1 << 4 | 1 << 15, &all, &mut []);
        assert_eq!(urb.slice(entries[0], 6).unwrap(), [0, 0, 0, 0, 100, 108]);
        assert_eq!(urb.slice(entries[1], 6).unwrap(), [0, 0, 0, 0, 0, 110]);
        // Read with an offset for each slot.
        let mut slots = [0; 8];
        (slots[0], slots[2]) = (1, 1);
        let mut response = [9; 16];
        let all = [&payload[..], &slots].concat();
        send(&mut urb, SIMD8_READ | 1 << 17, &all, &mut response);
        assert_eq!((response[0], response[8]), (100, 108));
        assert_eq!((response[2], response[10], response[1]), (0, 110, 9));
    }

    #[test]
    fn urb_offsets_cover_an_entry_and_data_may_be_in_the_second_payload() {
        let mut urb = Urb::default();
        let handle = urb.allocate(0x600 * 4).unwrap();
        // Global offset 0x5ff, in units of four dwords; one channel, a register of data in each
        // source.
        let first: Vec<u32> = [handle; 8].into_iter().chain(20..28).collect();
        let second: Vec<u32> = (30..38).collect();
        let message = Message {
            sfid: 6,
            desc: SIMD8_WRITE | 0x5ff << 4,
            ex_desc: 0,
            exec_size: 8,
            lanes: 1 << 3,
            src0: &first,
            src1: &second,
            eot: false,
            waits: false,
            ip: 0,
        };
        urb.message(&message, &mut []).unwrap();
        let mut out = Vec::new();
        urb.read_entry(handle, 0x600 * 4, &mut out).unwrap();
        assert_eq!(out[0x5ff * 4..], [23, 33, 0, 0]);
        assert!(out[..0x5ff * 4].iter().all(|dword| *dword == 0));
    }

    #[test]
    fn unsupported_urb_messages_are_gaps() {
        for (sfid, desc) in [(6, SIMD8_WRITE - 1), (6, SIMD8_READ + 1), (5, SIMD8_READ)] {
            let message = Message {
                sfid,
                desc,
                ex_desc: 0,
                exec_size: 8,
                lanes: 0xff,
                src0: &[0; 8],
                src1: &[],
                eot: false,
                waits: false,
                ip: 0,
            };
            let stop = Urb::default().message(&message, &mut [0; 8]);
            assert!(
                matches!(stop, Err(StopReason::Unimplemented { .. })),
                "{sfid} {desc}"
            );
        }
    }
}
