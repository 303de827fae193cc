//! The GRF bytes that an instruction's operands access, computed at decode time.
//!
//! In:  resolved operands. Out: byte masks of registers, by which `uninit_tracking` checks and
//!      marks all lanes at once.

use crate::region::{DstOp, OperandKind, SrcOp};
use crate::regs;

/// One bit for each byte of the GRF.
pub(crate) type GrfByteMask = [u32; regs::GRF_BYTES / 32];

/// Results that are computed from uninitialised registers.
#[derive(Debug)]
pub(crate) struct UndefinedValues {
    /// GRF bytes of such results, where nothing was written since.
    pub(crate) bytes: Box<GrfByteMask>,
    /// Flags of such results.
    pub(crate) flags: u64,
    /// There was such a result.
    pub(crate) any: bool,
}

impl UndefinedValues {
    /// No such result.
    pub(crate) fn new() -> UndefinedValues {
        UndefinedValues {
            bytes: Box::new([0; regs::GRF_BYTES / 32]),
            flags: 0,
            any: false,
        }
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        if self.any {
            *self = UndefinedValues::new();
        }
    }
}

/// Sets the bits of `len` bytes from byte `from` on; bytes past the end of the GRF are ignored.
pub(crate) fn mark(bytes: &mut GrfByteMask, from: usize, len: usize) {
    let end = (from + len).min(regs::GRF_BYTES);
    let mut at = from;
    while at < end {
        let bit = at % 32;
        let count = (32 - bit).min(end - at);
        bytes[at / 32] |= (((1u64 << count) - 1) << bit) as u32;
        at += count;
    }
}

/// Register numbers, each with the mask of its bytes.
type RegisterMasks = Box<[(u8, u32)]>;

/// The GRF bytes that an instruction accesses if all of its lanes are enabled.
#[derive(Clone, Debug)]
pub(crate) struct OperandBytes {
    sources: RegisterMasks,
    destination: RegisterMasks,
}

fn register_masks(bytes: &GrfByteMask) -> RegisterMasks {
    let each = (0u8..).zip(bytes);
    each.filter(|(_, mask)| **mask != 0)
        .map(|(register, mask)| (register, *mask))
        .collect()
}

impl OperandBytes {
    /// The bytes of an instruction of `n` lanes; None if an operand is indirect.
    pub(crate) fn new(n: u8, sources: &[SrcOp], dst: &DstOp) -> Option<OperandBytes> {
        let indirect = sources.iter().any(|s| s.kind == OperandKind::Indirect);
        if indirect || dst.kind == OperandKind::Indirect {
            return None;
        }
        let lanes = || 0..usize::from(n);
        let (mut read, mut written) = ([0; 128], [0; 128]);
        for source in sources.iter().filter(|s| s.kind != OperandKind::Imm) {
            let size = usize::from(source.size);
            for at in lanes().map(|lane| source.offset(lane)) {
                if at + size <= regs::GRF_BYTES {
                    // An element that crosses registers counts with its bytes in the first one
                    // only.
                    mark(&mut read, at, size.min(32 - at % 32));
                }
            }
        }
        if dst.kind != OperandKind::Null {
            for at in lanes().map(|lane| dst.offset(lane)) {
                mark(&mut written, at, usize::from(dst.size));
            }
        }
        Some(OperandBytes {
            sources: register_masks(&read),
            destination: register_masks(&written),
        })
    }

    /// True if all source bytes have been written.
    #[inline]
    pub(crate) fn are_sources_written(&self, written: &GrfByteMask) -> bool {
        let ready = |(register, mask): &(u8, u32)| {
            let found = written.get(usize::from(*register));
            found.is_some_and(|found| mask & !found == 0)
        };
        self.sources.iter().all(ready)
    }

    /// Marks the destination bytes of all lanes as written.
    #[inline]
    pub(crate) fn mark_destination(&self, written: &mut GrfByteMask) {
        for (register, mask) in &self.destination {
            if let Some(bytes) = written.get_mut(usize::from(*register)) {
                *bytes |= mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_noted_across_registers_and_not_past_the_end() {
        for (from, len) in [(0, 1), (30, 4), (31, 66), (64, 32), (4090, 20), (4096, 8)] {
            let mut found: GrfByteMask = [0; 128];
            mark(&mut found, from, len);
            for at in 0..regs::GRF_BYTES {
                let noted = found[at / 32] >> (at % 32) & 1 == 1;
                assert_eq!(noted, (from..from + len).contains(&at), "{from} {len} {at}");
            }
        }
    }
}
