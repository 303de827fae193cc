//! The register files of one thread as flat memory.
//!
//! In:  byte offsets resolved by `region`. Out: raw element bits. The GRF is bytes 0..4096; the
//!      architecture registers follow at fixed offsets, so that one load routine serves every
//!      operand. Padding at the end lets narrow instructions use eight- and sixteen-wide loads.
//! Ref: SKL PRM vol. 7, "EU Register Files", "ARF Registers".

use std::ops::Range;

/// Size of the GRF in bytes.
pub(crate) const GRF_BYTES: usize = 128 * 32;
/// The null register: reads as zero.
pub(crate) const NULL: usize = 4096;
/// a0.0..a0.15, words.
pub(crate) const A0: usize = 4128;
/// acc0..acc9.
pub(crate) const ACC: usize = 4160;
/// f0.0, f0.1, f1.0, f1.1, words.
pub(crate) const FLAG: usize = 4480;
/// ce0.
pub(crate) const CE: usize = 4512;
/// Message control, stack pointer and every register number that is not defined.
pub(crate) const OTHER: usize = 4544;
/// sr0.
pub(crate) const SR: usize = 4576;
/// cr0.
pub(crate) const CR: usize = 4608;
/// n0.
pub(crate) const N0: usize = 4640;
/// ip.
pub(crate) const IP: usize = 4672;
/// tdr0.
pub(crate) const TDR: usize = 4704;
/// tm0.
pub(crate) const TM: usize = 4736;
/// fc0 to fc39, the flow control registers.
pub(crate) const FC: usize = 4768;
/// End of the registers; padding follows.
pub(crate) const END: usize = 4832;
const WORDS: usize = 800;

/// All registers of a thread.
#[derive(Clone)]
pub(crate) struct Regs {
    d: [u64; WORDS],
    /// Integer values of the accumulator's channels at full width, which is more than 32 bits.
    pub(crate) acc_wide: [i64; 32],
}

impl Regs {
    pub(crate) fn new() -> Regs {
        Regs {
            d: [0; WORDS],
            acc_wide: [0; 32],
        }
    }

    /// Zeroes all registers.
    pub(crate) fn clear(&mut self) {
        self.d.fill(0);
        self.acc_wide.fill(0);
    }

    /// Zeroes ranges of the GRF, given in quadwords.
    pub(crate) fn clear_qwords(&mut self, ranges: &[Range<usize>]) {
        for range in ranges {
            if let Some(qwords) = self.d.get_mut(range.clone()) {
                qwords.fill(0);
            }
        }
    }

    /// Zeroes all architecture registers.
    pub(crate) fn clear_arf(&mut self) {
        // The padding after END is never written.
        if let Some(others) = self.d.get_mut(GRF_BYTES / 8..END / 8) {
            others.fill(0);
        }
        self.acc_wide.fill(0);
    }

    pub(crate) fn bytes(&self) -> &[u8; WORDS * 8] {
        bytemuck::cast_ref(&self.d)
    }
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; WORDS * 8] {
        bytemuck::cast_mut(&mut self.d)
    }
    pub(crate) fn words(&self) -> &[u16; WORDS * 4] {
        bytemuck::cast_ref(&self.d)
    }
    pub(crate) fn words_mut(&mut self) -> &mut [u16; WORDS * 4] {
        bytemuck::cast_mut(&mut self.d)
    }
    pub(crate) fn dwords(&self) -> &[u32; WORDS * 2] {
        bytemuck::cast_ref(&self.d)
    }
    pub(crate) fn dwords_mut(&mut self) -> &mut [u32; WORDS * 2] {
        bytemuck::cast_mut(&mut self.d)
    }

    pub(crate) fn qwords(&self) -> &[u64; WORDS] {
        &self.d
    }
    pub(crate) fn qwords_mut(&mut self) -> &mut [u64; WORDS] {
        &mut self.d
    }

    /// The GRF as dwords.
    pub(crate) fn grf(&self) -> &[u32] {
        &self.dwords()[..GRF_BYTES / 4]
    }

    /// The GRF as mutable dwords.
    pub(crate) fn grf_mut(&mut self) -> &mut [u32] {
        &mut self.dwords_mut()[..GRF_BYTES / 4]
    }

    /// Reads `size` bytes (1, 2, 4 or 8) at any byte offset; bytes past the end read as zero.
    #[inline]
    pub(crate) fn read(&self, at: usize, size: usize) -> u64 {
        let from = self.bytes().get(at..).unwrap_or_default();
        // One arm for each size: a copy of a length unknown at compile time is a call.
        match size {
            1 => from.first().map_or(0, |b| u64::from(*b)),
            2 => from
                .first_chunk()
                .map_or(0, |b| u64::from(u16::from_le_bytes(*b))),
            4 => from
                .first_chunk()
                .map_or(0, |b| u64::from(u32::from_le_bytes(*b))),
            _ => from.first_chunk().map_or(0, |b| u64::from_le_bytes(*b)),
        }
    }

    /// Writes the low `size` bytes of `v` at any byte offset; a write past the end is ignored.
    #[inline]
    pub(crate) fn write(&mut self, at: usize, size: usize, v: u64) {
        let to = self.bytes_mut().get_mut(at..).unwrap_or_default();
        match size {
            1 => {
                if let Some(to) = to.first_mut() {
                    *to = v as u8;
                }
            }
            2 => {
                if let Some(to) = to.first_chunk_mut() {
                    *to = (v as u16).to_le_bytes();
                }
            }
            4 => {
                if let Some(to) = to.first_chunk_mut() {
                    *to = (v as u32).to_le_bytes();
                }
            }
            _ => {
                if let Some(to) = to.first_chunk_mut() {
                    *to = v.to_le_bytes();
                }
            }
        }
    }

    /// Reads the dword at a byte offset that is a multiple of four.
    #[inline]
    pub(crate) fn dword(&self, at: usize) -> u32 {
        self.dwords().get(at / 4).copied().unwrap_or(0)
    }

    /// Writes the dword at a byte offset that is a multiple of four.
    #[inline]
    pub(crate) fn set_dword(&mut self, at: usize, v: u32) {
        if let Some(dword) = self.dwords_mut().get_mut(at / 4) {
            *dword = v;
        }
    }

    /// Writes dwords from a byte offset on that is a multiple of four.
    #[inline]
    pub(crate) fn set_dwords<const N: usize>(&mut self, at: usize, v: &[u32; N]) {
        if let Some(to) = self.dwords_mut().get_mut(at / 4..at / 4 + N) {
            to.copy_from_slice(v);
        }
    }

    /// f0 and f1 as one 64-bit mask: bit 0 is f0.0 bit 0, bit 32 is f1.0 bit 0.
    #[inline]
    pub(crate) fn flags(&self) -> u64 {
        self.d[FLAG / 8]
    }

    #[inline]
    pub(crate) fn set_flags(&mut self, f: u64) {
        self.d[FLAG / 8] = f;
    }
}
