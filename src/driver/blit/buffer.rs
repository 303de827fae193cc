//! Fill, copy and query-result shaders.
//!
//! In:  which one, and its arguments. Out: SPIR-V; push constants and surfaces for a launch.
//! Buffers: 0 is the source where there is one, the last is the destination. All work on dwords; a copy at odd bytes shifts
//! two source dwords together, and writes the ragged ends with atomics, so that neighbouring copies do not disturb each other.

use crate::module::{Module, Op, WORKGROUP};

/// An internal shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shader {
    /// Writes one dword everywhere.
    Fill,
    /// Copies bytes.
    Copy,
    /// Writes query results.
    QueryResults,
}

impl Shader {
    /// All of them.
    pub const ALL: [Shader; 3] = [Shader::Fill, Shader::Copy, Shader::QueryResults];

    /// Storage buffers that it uses, at set 0 from binding 0.
    pub fn buffers(self) -> u32 {
        match self {
            Shader::Fill => 1,
            Shader::Copy | Shader::QueryResults => 2,
        }
    }

    /// Its SPIR-V; the entry point is `main`.
    pub fn spirv(self) -> Vec<u32> {
        match self {
            Shader::Fill => fill(),
            Shader::Copy => copy(),
            Shader::QueryResults => query_results(),
        }
    }
}

/// A range of GPU memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte, a multiple of 4.
    pub address: u64,
    /// Bytes, a multiple of 4.
    pub bytes: u64,
}

/// Buffers of an internal shader at most.
pub const MAX_BUFFERS: usize = 2;
/// Dwords of push constants of an internal shader at most.
pub const MAX_PUSH_DW: usize = 4;

/// One launch of an internal shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which.
    pub shader: Shader,
    spans: [Span; MAX_BUFFERS],
    /// Its push constants, in dwords.
    pub push_dw: [u32; MAX_PUSH_DW],
    /// Workgroups along x.
    pub groups: u32,
}

impl Launch {
    /// Its buffers, by binding.
    pub fn buffers(&self) -> &[Span] {
        let count = self.shader.buffers() as usize;
        self.spans.get(..count).unwrap_or_default()
    }
}

/// Bytes that one launch covers at most: one surface.
const MAX_BYTES: u64 = 1 << 29;

fn fill() -> Vec<u32> {
    let mut m = Module::new(1, 2);
    let (at, value, count) = (m.invocation(), m.push(0), m.push(1));
    let inside = m.compare(Op::ULessThan, at, count);
    m.branch(inside, |m| m.store(0, at, value), |_| {});
    m.finish()
}

/// The parts of a range that one launch each covers: first byte and bytes.
fn parts(bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let starts = (0..bytes.div_ceil(MAX_BYTES)).map(|part| part * MAX_BYTES);
    starts.map(move |start| (start, (bytes - start).min(MAX_BYTES)))
}

/// Launches that fill `bytes` (a multiple of 4) from `address` (a multiple of 4).
pub fn fill_launches(address: u64, bytes: u64, value: u32) -> impl Iterator<Item = Launch> {
    parts(bytes).map(move |(start, part)| {
        let count = (part / 4) as u32;
        let span = Span {
            address: address + start,
            bytes: part,
        };
        Launch {
            shader: Shader::Fill,
            spans: [span; MAX_BUFFERS],
            push_dw: [value, count, 0, 0],
            groups: count.div_ceil(WORKGROUP),
        }
    })
}

/// Push constants: 0 bytes of the first dword that stay (`low`), 1 first byte that stays behind (`end`), 2 `shift`: how many
/// bytes further the source is in its dword, 3 destination dwords.
fn copy() -> Vec<u32> {
    let mut m = Module::new(2, 4);
    let (at, low, end, shift, count) = (m.invocation(), m.push(0), m.push(1), m.push(2), m.push(3));
    let inside = m.compare(Op::ULessThan, at, count);
    m.branch(
        inside,
        |m| {
            let (zero, one, two, three, four) = (
                m.constant(0),
                m.constant(1),
                m.constant(2),
                m.constant(3),
                m.constant(4),
            );
            let first = m.binary(Op::ShiftLeftLogical, at, two);
            let behind = m.binary(Op::IAdd, first, four);
            // Destination bytes start..stop of this dword are written.
            let (start, stop) = (m.max(first, low), m.min(behind, end));
            // Source dwords `at` and `at + 1` hold them; only those that do are read.
            let from = m.binary(Op::IAdd, start, shift);
            let from = m.binary(Op::ShiftRightLogical, from, two);
            let to = m.binary(Op::IAdd, stop, shift);
            let to = m.binary(Op::ISub, to, one);
            let to = m.binary(Op::ShiftRightLogical, to, two);
            let second = m.binary(Op::IAdd, at, one);
            let (low_at, high_at) = (m.max(at, from), m.min(second, to));
            let (low_word, high_word) = (m.load(0, low_at), m.load(0, high_at));
            let bits = m.binary(Op::ShiftLeftLogical, shift, three);
            let right = m.binary(Op::ShiftRightLogical, low_word, bits);
            // A shift by 32 is undefined, so it is made of two.
            let thirty_one = m.constant(31);
            let left_bits = m.binary(Op::ISub, thirty_one, bits);
            let left = m.binary(Op::ShiftLeftLogical, high_word, one);
            let left = m.binary(Op::ShiftLeftLogical, left, left_bits);
            let joined = m.binary(Op::BitwiseOr, left, right);
            let aligned = m.compare(Op::IEqual, shift, zero);
            let value = m.select(aligned, low_word, joined);
            let length = m.binary(Op::ISub, stop, start);
            let whole = m.compare(Op::IEqual, length, four);
            m.branch(
                whole,
                |m| m.store(1, at, value),
                |m| {
                    let ones = m.constant(u32::MAX);
                    let skip = m.binary(Op::ISub, start, first);
                    let skip = m.binary(Op::ShiftLeftLogical, skip, three);
                    let rest = m.binary(Op::ISub, behind, stop);
                    let rest = m.binary(Op::ShiftLeftLogical, rest, three);
                    let above = m.binary(Op::ShiftLeftLogical, ones, skip);
                    let below = m.binary(Op::ShiftRightLogical, ones, rest);
                    let mask = m.binary(Op::BitwiseAnd, above, below);
                    let keep = m.not(mask);
                    let put = m.binary(Op::BitwiseAnd, value, mask);
                    m.atomic(Op::AtomicAnd, 1, at, keep);
                    m.atomic(Op::AtomicOr, 1, at, put);
                },
            );
        },
        |_| {},
    );
    m.finish()
}

/// Launches that copy `bytes` between any two addresses of ranges that do not overlap.
pub fn copy_launches(source: u64, destination: u64, bytes: u64) -> impl Iterator<Item = Launch> {
    parts(bytes).map(move |(start, part)| {
        let (source, destination) = (source + start, destination + start);
        let low = destination & 3;
        // The source dword that meets the first destination dword; it may lie before the range, and is not read then.
        let shift = source.wrapping_sub(low) & 3;
        let count = (low + part).div_ceil(4);
        Launch {
            shader: Shader::Copy,
            spans: [
                Span {
                    address: source.wrapping_sub(low) & !3,
                    bytes: (low + shift + part).next_multiple_of(4),
                },
                Span {
                    address: destination & !3,
                    bytes: count * 4,
                },
            ],
            push_dw: [low as u32, (low + part) as u32, shift as u32, count as u32],
            groups: (count as u32).div_ceil(WORKGROUP),
        }
    })
}

/// Flag: results are 64 bits wide.
pub const RESULT_64: u32 = 1;
/// Flag: availability is written behind the result.
pub const RESULT_AVAILABILITY: u32 = 2;
/// Flag: results are written even if they are not available.
pub const RESULT_PARTIAL: u32 = 4;

/// Push constants: 0 queries, 1 dwords from one result to the next, 2 flags. A query is four dwords: value, value,
/// availability, 0.
fn query_results() -> Vec<u32> {
    let mut m = Module::new(2, 3);
    let (at, count, stride, flags) = (m.invocation(), m.push(0), m.push(1), m.push(2));
    let inside = m.compare(Op::ULessThan, at, count);
    m.branch(
        inside,
        |m| {
            let (zero, one, two) = (m.constant(0), m.constant(1), m.constant(2));
            let query = m.binary(Op::ShiftLeftLogical, at, two);
            let high_at = m.binary(Op::IAdd, query, one);
            let available_at = m.binary(Op::IAdd, query, two);
            let (low, high, available) = (
                m.load(0, query),
                m.load(0, high_at),
                m.load(0, available_at),
            );
            let put = m.binary(Op::IMul, at, stride);
            let put_1 = m.binary(Op::IAdd, put, one);
            let put_2 = m.binary(Op::IAdd, put, two);
            let put_3 = m.binary(Op::IAdd, put_2, one);
            let wide_bit = m.constant(RESULT_64);
            let wide_bit = m.binary(Op::BitwiseAnd, flags, wide_bit);
            let wide = m.compare(Op::INotEqual, wide_bit, zero);
            let partial_bit = m.constant(RESULT_PARTIAL);
            let partial_bit = m.binary(Op::BitwiseAnd, flags, partial_bit);
            let any = m.binary(Op::BitwiseOr, partial_bit, available);
            let write = m.compare(Op::INotEqual, any, zero);
            m.branch(
                write,
                |m| {
                    m.store(1, put, low);
                    m.branch(wide, |m| m.store(1, put_1, high), |_| {});
                },
                |_| {},
            );
            let tell_bit = m.constant(RESULT_AVAILABILITY);
            let tell_bit = m.binary(Op::BitwiseAnd, flags, tell_bit);
            let tell = m.compare(Op::INotEqual, tell_bit, zero);
            m.branch(
                tell,
                |m| {
                    m.branch(
                        wide,
                        |m| {
                            m.store(1, put_2, available);
                            m.store(1, put_3, zero);
                        },
                        |m| m.store(1, put_1, available),
                    );
                },
                |_| {},
            );
        },
        |_| {},
    );
    m.finish()
}

/// The launch that writes the results of `count` queries from `queries` to `destination`, `stride_bytes` apart.
pub fn query_launch(
    queries: u64,
    destination: u64,
    count: u32,
    stride_bytes: u64,
    flags: u32,
) -> Launch {
    let slot = if flags & RESULT_64 != 0 { 8 } else { 4 };
    let result = slot
        * if flags & RESULT_AVAILABILITY != 0 {
            2
        } else {
            1
        };
    let bytes = u64::from(count.saturating_sub(1)) * stride_bytes + result;
    Launch {
        shader: Shader::QueryResults,
        spans: [
            Span {
                address: queries,
                bytes: u64::from(count) * 16,
            },
            Span {
                address: destination,
                bytes: bytes.next_multiple_of(4),
            },
        ],
        push_dw: [count, (stride_bytes / 4) as u32, flags, 0],
        groups: count.div_ceil(WORKGROUP),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the copy shader computes, written once more over bytes of one dword at a time.
    fn run_copy(launch: &Launch, memory: &mut [u8]) {
        let [low, end, shift, count] = launch.push_dw;
        for dword in 0..count {
            for byte in dword * 4..dword * 4 + 4 {
                if byte >= low && byte < end {
                    let from = launch.buffers()[0]
                        .address
                        .wrapping_add(u64::from(byte + shift))
                        as usize;
                    memory[(launch.buffers()[1].address + u64::from(byte)) as usize] = memory[from];
                }
            }
        }
    }

    #[test]
    fn copies_cover_every_alignment() {
        for source in 0..5u64 {
            for destination in 40..45u64 {
                for bytes in 1..14u64 {
                    let mut memory: Vec<u8> = (0..80).map(|byte| byte * 3 + 1).collect();
                    let mut expected = memory.clone();
                    let part: Vec<u8> = memory[source as usize..(source + bytes) as usize].to_vec();
                    expected[destination as usize..(destination + bytes) as usize]
                        .copy_from_slice(&part);
                    for launch in copy_launches(source, destination, bytes) {
                        assert!(
                            launch
                                .buffers()
                                .iter()
                                .all(|span| span.address % 4 == 0 && span.bytes % 4 == 0)
                        );
                        run_copy(&launch, &mut memory);
                    }
                    assert_eq!(memory, expected, "{source} to {destination}, {bytes} bytes");
                }
            }
        }
    }

    #[test]
    fn large_ranges_are_cut() {
        let launches = copy_launches(0x1_0001, 0x9_0000_0003, 3 * MAX_BYTES + 5);
        assert_eq!(launches.count(), 4);
        let launches: Vec<Launch> = fill_launches(0x1000, 2 * MAX_BYTES + 4, 7).collect();
        assert_eq!(launches.len(), 3);
        assert_eq!(launches[2].buffers()[0].address, 0x1000 + 2 * MAX_BYTES);
        assert_eq!(launches[2].buffers()[0].bytes, 4);
        assert_eq!(fill_launches(0x1000, 0, 7).count(), 0);
    }

    #[test]
    fn modules_have_a_sound_outline() {
        for shader in Shader::ALL {
            let words = shader.spirv();
            let (mut at, mut functions) = (5, 0);
            while at < words.len() {
                let length = (words[at] >> 16) as usize;
                assert!(length > 0, "{shader:?} word {at}");
                functions += usize::from(words[at] & 0xffff == Op::FunctionEnd as u32);
                at += length;
            }
            assert_eq!((at, functions), (words.len(), 1));
        }
    }
}
