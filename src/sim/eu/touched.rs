//! Which bytes of the GRF an instruction's operands touch, worked out once.
//!
//! In:  resolved operands. Out: masks of whole registers, for those who note what has been written.

use crate::region::{DstOp, Kind, SrcOp};
use crate::regs;

/// One bit for each byte of the GRF.
pub(crate) type Bytes = [u32; regs::GRF_BYTES / 32];

/// Notes bytes in whole registers' masks; those past the end are none.
pub(crate) fn note(bytes: &mut Bytes, from: usize, len: usize) {
    let end = (from + len).min(regs::GRF_BYTES);
    let mut at = from;
    while at < end {
        let bit = at % 32;
        let count = (32 - bit).min(end - at);
        bytes[at / 32] |= (((1u64 << count) - 1) << bit) as u32;
        at += count;
    }
}

/// Registers, with the bytes of each.
type Masks = Box<[(u8, u32)]>;

/// What all lanes of an instruction touch, enabled or not.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    sources: Masks,
    destination: Masks,
}

fn masks(bytes: &Bytes) -> Masks {
    let each = (0u8..).zip(bytes);
    each.filter(|(_, mask)| **mask != 0)
        .map(|(register, mask)| (register, *mask))
        .collect()
}

impl Touched {
    /// Of an instruction of `n` lanes; none where it is not itself that names all registers.
    pub(crate) fn of(n: u8, sources: &[SrcOp], dst: &DstOp) -> Option<Touched> {
        let indirect = sources.iter().any(|s| s.kind == Kind::Indirect);
        if indirect || dst.kind == Kind::Indirect {
            return None;
        }
        let lanes = || 0..usize::from(n);
        let (mut read, mut written) = ([0; 128], [0; 128]);
        for source in sources.iter().filter(|s| s.kind != Kind::Imm) {
            let size = usize::from(source.size);
            for at in lanes().map(|lane| source.offset(lane)) {
                if at + size <= regs::GRF_BYTES {
                    // Of an element only what is in its first register counts.
                    note(&mut read, at, size.min(32 - at % 32));
                }
            }
        }
        if dst.kind != Kind::Null {
            for at in lanes().map(|lane| dst.offset(lane)) {
                note(&mut written, at, usize::from(dst.size));
            }
        }
        Some(Touched {
            sources: masks(&read),
            destination: masks(&written),
        })
    }

    /// Whether all that the sources touch has been written.
    #[inline]
    pub(crate) fn is_ready(&self, written: &Bytes) -> bool {
        let ready = |(register, mask): &(u8, u32)| {
            let found = written.get(usize::from(*register));
            found.is_some_and(|found| mask & !found == 0)
        };
        self.sources.iter().all(ready)
    }

    /// Notes that the destination's bytes of all lanes have been written.
    #[inline]
    pub(crate) fn note(&self, written: &mut Bytes) {
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
            let mut found: Bytes = [0; 128];
            note(&mut found, from, len);
            for at in 0..regs::GRF_BYTES {
                let noted = found[at / 32] >> (at % 32) & 1 == 1;
                assert_eq!(noted, (from..from + len).contains(&at), "{from} {len} {at}");
            }
        }
    }
}
