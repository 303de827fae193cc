//! The GPU's writes to the memory of push constants after a batch has committed them.
//!
//! In:  the ranges of each stage's constants when they are committed, writes of the batch. Out:
//!      whether it has written a dword of them since. What the CPU writes is not recorded: it may
//!      change coherent memory at any time, and a change while a batch reads it is a race of the
//!      application.
//! Ref: `ERRATA.md`, "When push constants are read".

use std::ops::Range;

/// One buffer of a stage's constants.
struct Buffer {
    range: Range<u64>,
    /// For each dword: the batch has written to it.
    written: Vec<bool>,
}

/// The committed constants of all stages.
#[derive(Default)]
pub(super) struct ConstantWrites {
    stages: [Vec<Buffer>; 5],
}

impl ConstantWrites {
    /// A stage's constants are committed: they are in these ranges, in this order.
    pub fn commit(&mut self, stage: usize, ranges: Vec<Range<u64>>) {
        let Some(buffers) = self.stages.get_mut(stage) else {
            return;
        };
        let buffer = |range: Range<u64>| Buffer {
            written: vec![false; ((range.end - range.start) / 4) as usize],
            range,
        };
        *buffers = ranges.into_iter().map(buffer).collect();
    }

    /// True if a buffer of a stage overlaps these bytes.
    pub fn overlap(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let buffers = self.stages.iter().flatten();
        buffers
            .map(|buffer| &buffer.range)
            .any(|range| range.start < end && address < range.end)
    }

    /// The batch writes these bytes.
    pub fn write(&mut self, address: u64, bytes: u64) {
        let end = address.saturating_add(bytes);
        for buffer in self.stages.iter_mut().flatten() {
            let dwords = (buffer.range.start..buffer.range.end).step_by(4);
            for (dword, written) in dwords.zip(&mut buffer.written) {
                *written |= dword < end && address < dword + 4;
            }
        }
    }

    /// The batch writes these bytes of a line of 64 bytes, one bit for each.
    pub fn write_line(&mut self, line: u64, bits: u64) {
        for dword in 0..16 {
            if bits >> (4 * dword) & 15 != 0 {
                self.write(line + 4 * dword, 4);
            }
        }
    }

    /// True if the batch has written a dword since the stage's constants were committed. Dwords
    /// count over the buffers.
    pub fn is_written(&self, stage: usize, dword: usize) -> bool {
        let buffers = self.stages.get(stage).into_iter().flatten();
        let mut written = buffers.flat_map(|buffer| &buffer.written);
        written.nth(dword).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_count_from_the_commit_and_by_dword() {
        let mut writes = ConstantWrites::default();
        writes.write(0x1000, 64);
        writes.commit(4, vec![0x1000..0x1020, 0x2000..0x2020]);
        assert!((0..16).all(|dword| !writes.is_written(4, dword)));
        assert!(writes.overlap(0x101f, 1) && writes.overlap(0xfff, 2));
        assert!(!writes.overlap(0x1020, 0xfe0) && !writes.overlap(0xfff, 1));
        // Two bytes of two dwords; a dword of the second buffer; some beyond.
        writes.write(0x1007, 2);
        writes.write_line(0x2000, 1 << 13);
        writes.write(0x1020, 64);
        let found: Vec<usize> = (0..32).filter(|n| writes.is_written(4, *n)).collect();
        assert_eq!(found, [1, 2, 11]);
        assert!((0..32).all(|dword| !writes.is_written(0, dword)));
        writes.commit(4, vec![0x1000..0x1020, 0x3000..0x3020]);
        assert!(!writes.is_written(4, 1));
    }
}
