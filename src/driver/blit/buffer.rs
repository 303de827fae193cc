//! Shaders that fill and copy buffers and write query results.
//!
//! In:  addresses and sizes. Out: NIR; launches.
//!
//! Buffer 0 is the source, if there is one; the last buffer is the destination. All accesses are
//! dwords: a copy at odd bytes combines two source dwords by shifts, and writes the partial dwords
//! at its ends with atomics, so that concurrent copies to neighbouring bytes do not interfere.

use nir::AtomicOp;

use crate::launch::{Launch, MemoryRange, Shader};
use crate::shader_builder::{WORKGROUP, compute_shader, rows_shader};

/// Maximum number of bytes that one launch covers: one surface.
const MAX_BYTES: u64 = 1 << 29;

/// Fills dwords. Push constants: 0 the value, 1 the number of dwords.
pub(crate) fn fill() -> nir::Shader {
    compute_shader("fill", 1, |k, at, [value, count]| {
        let inside = k.ult(at, count);
        k.if_then(inside, |k| k.write(0, at, value));
    })
}

/// Splits a range into parts of one launch each: offset and size in bytes.
fn parts(bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let starts = (0..bytes.div_ceil(MAX_BYTES)).map(|part| part * MAX_BYTES);
    starts.map(move |start| (start, (bytes - start).min(MAX_BYTES)))
}

/// Launches that fill `bytes` from `address`, both multiples of 4.
pub fn fill_launches(address: u64, bytes: u64, value: u32) -> impl Iterator<Item = Launch> {
    parts(bytes).map(move |(start, part)| {
        let count = (part / 4) as u32;
        let span = MemoryRange {
            address: address + start,
            bytes: part,
        };
        Launch::one_dimensional(
            Shader::Fill,
            [span, span],
            &[value, count],
            count.div_ceil(WORKGROUP),
        )
    })
}

/// Copies bytes. Push constants: 0 `low`, the number of bytes of the first destination dword that
/// stay unchanged; 1 `end`, the first byte behind the copy; 2 `shift`, by how many bytes the source
/// is further into its dword; 3 the number of destination dwords.
pub(crate) fn copy() -> nir::Shader {
    compute_shader("copy", 2, |k, at, [low, end, shift, count]| {
        let inside = k.ult(at, count);
        k.if_then(inside, |k| {
            let [one, two, three] = [1, 2, 3].map(|n| k.imm_u32(n));
            let first = k.ishl(at, two);
            let behind = k.iadd_imm(first, 4);
            // Destination bytes start..stop of this dword are written.
            let (start, stop) = (k.umax(first, low), k.umin(behind, end));
            // They come from the source dwords `at` and `at + 1`; only the needed ones are read.
            let from = k.iadd(start, shift);
            let from = k.ushr(from, two);
            let to = k.iadd(stop, shift);
            let to = k.iadd_imm(to, -1);
            let to = k.ushr(to, two);
            let second = k.iadd_imm(at, 1);
            let (low_at, high_at) = (k.umax(at, from), k.umin(second, to));
            let (low_word, high_word) = (k.read(0, low_at), k.read(0, high_at));
            let bits = k.ishl(shift, three);
            let right = k.ushr(low_word, bits);
            // Two shifts, as a shift by 32 shifts by 0.
            let thirty_one = k.imm_u32(31);
            let left_bits = k.isub(thirty_one, bits);
            let left = k.ishl(high_word, one);
            let left = k.ishl(left, left_bits);
            let joined = k.ior(left, right);
            let zero = k.imm_u32(0);
            let aligned = k.ieq(shift, zero);
            let value = k.bcsel(aligned, low_word, joined);
            let length = k.isub(stop, start);
            let four = k.imm_u32(4);
            let whole = k.ieq(length, four);
            k.if_then_else(
                whole,
                |k| k.write(1, at, value),
                |k| {
                    let ones = k.imm_u32(u32::MAX);
                    let skip = k.isub(start, first);
                    let skip = k.ishl(skip, three);
                    let rest = k.isub(behind, stop);
                    let rest = k.ishl(rest, three);
                    let above = k.ishl(ones, skip);
                    let below = k.ushr(ones, rest);
                    let mask = k.iand(above, below);
                    let keep = k.inot(mask);
                    let put = k.iand(value, mask);
                    k.atomic(AtomicOp::IAnd, 1, at, keep);
                    k.atomic(AtomicOp::IOr, 1, at, put);
                },
            );
        });
    })
}

/// Launches that copy `bytes` between any two addresses; the ranges must not overlap.
pub fn copy_launches(source: u64, destination: u64, bytes: u64) -> impl Iterator<Item = Launch> {
    parts(bytes).map(move |(start, part)| {
        let (source, destination) = (source + start, destination + start);
        let low = destination & 3;
        // The source dword that corresponds to the first destination dword; it may lie before the
        // range, and is not read then.
        let shift = source.wrapping_sub(low) & 3;
        let count = (low + part).div_ceil(4);
        Launch::one_dimensional(
            Shader::Copy,
            [
                MemoryRange {
                    address: source.wrapping_sub(low) & !3,
                    bytes: (low + shift + part).next_multiple_of(4),
                },
                MemoryRange {
                    address: destination & !3,
                    bytes: count * 4,
                },
            ],
            &[low as u32, (low + part) as u32, shift as u32, count as u32],
            (count as u32).div_ceil(WORKGROUP),
        )
    })
}

/// Flag: results are 64 bits wide.
pub const RESULT_64: u32 = 1;
/// Flag: the availability is written after the results.
pub const RESULT_AVAILABILITY: u32 = 2;
/// Flag: results are written even if they are unavailable.
pub const RESULT_PARTIAL: u32 = 4;

/// Consecutive queries: each has a dword with its availability, a zero dword, and for each result
/// two quadwords, whose difference (second minus first) is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryRange {
    /// Address of the first query.
    pub address: u64,
    /// Number of queries.
    pub count: u32,
    /// Results per query.
    pub values: u32,
}

/// Dwords of a query before its results.
const QUERY_HEAD_DW: u32 = 2;
/// Dwords of a result.
const QUERY_VALUE_DW: u32 = 4;

/// Writes query results. Push constants: 0 the number of queries, 1 dwords from one query's results
/// to the next one's, 2 flags, 3 results per query. Each row of workgroups writes one result, and
/// one more row the availability.
pub(crate) fn query_results() -> nir::Shader {
    rows_shader(
        "query_results",
        2,
        |k, at, row, [count, stride, flags, values]| {
            let inside = k.ult(at, count);
            k.if_then(inside, |k| {
                let [zero, one, two] = [0, 1, 2].map(|n| k.imm_u32(n));
                let dwords = k.ishl(values, two);
                let dwords = k.iadd_imm(dwords, QUERY_HEAD_DW.into());
                let query = k.imul(at, dwords);
                let available = k.read(0, query);
                let wide = k.has_any_bit(flags, RESULT_64);
                let twice = k.bcsel(wide, one, zero);
                let behind = k.ishl(row, twice);
                let start = k.imul(at, stride);
                let put = k.iadd(start, behind);
                let put_high = k.iadd_imm(put, 1);
                let is_value = k.ult(row, values);
                k.if_then_else(
                    is_value,
                    |k| {
                        let value = k.ishl(row, two);
                        let value = k.iadd(query, value);
                        let [low_at, high_at, low_end, high_end] =
                            [0, 1, 2, 3].map(|n| k.iadd_imm(value, i64::from(QUERY_HEAD_DW) + n));
                        let [from, from_high] = [low_at, high_at].map(|at| k.read(0, at));
                        let [to, to_high] = [low_end, high_end].map(|at| k.read(0, at));
                        let low = k.isub(to, from);
                        let borrows = k.ult(to, from);
                        let borrow = k.bcsel(borrows, one, zero);
                        let high = k.isub(to_high, from_high);
                        let high = k.isub(high, borrow);
                        let there = k.ine(available, zero);
                        // An unavailable result is zero.
                        let (low, high) = (k.bcsel(there, low, zero), k.bcsel(there, high, zero));
                        let partial = k.has_any_bit(flags, RESULT_PARTIAL);
                        let write = k.ior(partial, there);
                        k.if_then(write, |k| {
                            k.write(1, put, low);
                            k.if_then(wide, |k| k.write(1, put_high, high));
                        });
                    },
                    |k| {
                        k.write(1, put, available);
                        k.if_then(wide, |k| k.write(1, put_high, zero));
                    },
                );
            });
        },
    )
}

/// The launch that writes the results of queries to `destination`, `stride_bytes` apart.
pub fn query_launch(
    queries: QueryRange,
    destination: u64,
    stride_bytes: u64,
    flags: u32,
) -> Launch {
    let QueryRange {
        address,
        count,
        values,
    } = queries;
    let slot = if flags & RESULT_64 != 0 { 8 } else { 4 };
    let rows = values + u32::from(flags & RESULT_AVAILABILITY != 0);
    let bytes = u64::from(count.saturating_sub(1)) * stride_bytes + slot * u64::from(rows);
    let query_bytes = u64::from(QUERY_HEAD_DW + QUERY_VALUE_DW * values) * 4;
    let mut launch = Launch::one_dimensional(
        Shader::QueryResults,
        [
            MemoryRange {
                address,
                bytes: u64::from(count) * query_bytes,
            },
            MemoryRange {
                address: destination,
                bytes: bytes.next_multiple_of(4),
            },
        ],
        &[count, (stride_bytes / 4) as u32, flags, values],
        count.div_ceil(WORKGROUP),
    );
    launch.groups[1] = rows;
    launch
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a launch on the interpreter; its buffers are parts of `memory`, which begins at address
    /// 0.
    fn run(launch: &Launch, memory: &mut [u8]) {
        let range =
            |span: &MemoryRange| span.address as usize..(span.address + span.bytes) as usize;
        let buffers = launch.buffers().iter();
        let mut machine = nir::interp::Machine {
            buffers: (0..)
                .zip(buffers)
                .map(|(binding, span)| ((0, binding, 0), memory[range(span)].to_vec()))
                .collect(),
            push_constants: launch
                .push_dw
                .iter()
                .flat_map(|d| d.to_le_bytes())
                .collect(),
            workgroups: launch.groups,
            ..Default::default()
        };
        machine.run(&launch.shader.nir()).unwrap();
        // The last one alone is written.
        let (span, bytes) = (launch.buffers().last(), machine.buffers.last());
        memory[range(span.unwrap())].copy_from_slice(&bytes.unwrap().1);
    }

    #[test]
    fn copies_cover_every_alignment() {
        for source in 8..13u64 {
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
                        run(&launch, &mut memory);
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
    fn fills_write_their_range_alone() {
        let mut memory = vec![0xee; 1024];
        for launch in fill_launches(8, 600, 0x0403_0201) {
            run(&launch, &mut memory);
        }
        let expected: Vec<u8> = (0..1024)
            .map(|at| {
                if (8..608).contains(&at) {
                    (at % 4 + 1) as u8
                } else {
                    0xee
                }
            })
            .collect();
        assert_eq!(memory, expected);
    }

    #[test]
    fn results_follow_their_flags() {
        // Available, and not; two results each.
        let queries: [u32; 20] = [
            1,
            0,
            3,
            0,
            13,
            11,
            u32::MAX,
            4,
            1,
            7,
            0,
            0,
            1,
            0,
            21,
            21,
            5,
            5,
            6,
            6,
        ];
        let written = |flags, stride: u64| {
            let mut memory: Vec<u8> = queries.iter().flat_map(|d| d.to_le_bytes()).collect();
            let destination = memory.len() as u64;
            memory.resize(memory.len() + 128, 0xff);
            let all = QueryRange {
                address: 0,
                count: 2,
                values: 2,
            };
            run(&query_launch(all, destination, stride, flags), &mut memory);
            let dwords = memory[destination as usize..].as_chunks().0.iter();
            let dwords: Vec<u32> = dwords.map(|d| u32::from_le_bytes(*d)).collect();
            dwords[..12].to_vec()
        };
        let none = u32::MAX;
        let rest = [none; 12];
        assert_eq!(written(0, 16)[..], [&[10, 2], &rest[..10]].concat());
        assert_eq!(
            written(RESULT_PARTIAL, 16)[..],
            [&[10, 2, none, none, 0, 0], &rest[..6]].concat()
        );
        assert_eq!(
            written(RESULT_AVAILABILITY, 12)[..],
            [&[10, 2, 1, none, none, 0], &rest[..6]].concat()
        );
        assert_eq!(
            written(RESULT_64 | RESULT_AVAILABILITY, 24)[..],
            [10, 11, 2, 2, 1, 0, none, none, none, none, 0, 0]
        );
    }
}
