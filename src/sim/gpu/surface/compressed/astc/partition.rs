//! Which partition a texel is of.
//!
//! In:  a seed, the number of partitions, the block's size. Out: a partition for each texel.
//! Ref: Khronos Data Format Specification, ASTC, "Partition Pattern Generation".

pub(super) struct PartitionPattern {
    /// Horizontal and vertical steps, and where each partition begins; of so many partitions.
    lines: [[u32; 3]; 4],
    count: usize,
    /// Small blocks are seen as twice as large.
    scale: u32,
}

impl PartitionPattern {
    /// Without a seed all texels are of one.
    pub fn new(seed: Option<u32>, count: usize, block: [usize; 2]) -> PartitionPattern {
        let scale = 1 + u32::from(block[0] * block[1] < 31);
        let Some(seed) = seed else {
            return PartitionPattern {
                lines: [[0; 3]; 4],
                count: 1,
                scale,
            };
        };
        let seed = seed + (count as u32 - 1) * 1024;
        let random = hash(seed);
        let by_low = if seed & 2 != 0 { 4 } else { 5 };
        let by_count = if count == 3 { 6 } else { 5 };
        let shifts = match seed & 1 {
            1 => [by_low, by_count],
            _ => [by_count, by_low],
        };
        let lines = std::array::from_fn(|i| {
            let i = i as u32;
            let step = |n: u32, shift: u32| {
                let value = random >> (4 * n) & 15;
                (value * value) >> shift
            };
            [
                step(2 * i, shifts[0]),
                step(2 * i + 1, shifts[1]),
                random >> (14 - 4 * i),
            ]
        });
        PartitionPattern {
            lines,
            count,
            scale,
        }
    }

    /// The partition of a texel: the one that is highest there, the first among equals.
    pub fn partition_of(&self, texel: [usize; 2]) -> usize {
        let [x, y] = texel.map(|at| at as u32 * self.scale);
        let (mut best, mut highest) = (0, None);
        for (i, [right, down, start]) in self.lines.iter().take(self.count).enumerate() {
            let height = (right * x + down * y).wrapping_add(*start) & 63;
            if highest.is_none_or(|highest| height > highest) {
                (best, highest) = (i, Some(height));
            }
        }
        best
    }
}

fn hash(seed: u32) -> u32 {
    let mut p = seed;
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^= p >> 17;
    p
}
