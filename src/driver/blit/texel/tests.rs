//! Launches on the interpreter, compared with the PRM's tile layouts element by element.

use super::*;

/// The byte offset of a position in a tile, by the PRM's figures.
fn in_tile(order: Order, x: u32, y: u32) -> u32 {
    match order {
        Order::Rows => unreachable!(),
        // Rows of 512 bytes.
        Order::X => y * 512 + x,
        // Columns of 16 bytes, 32 rows high.
        Order::Y => x / 16 * 512 + y * 16 + x % 16,
        // Columns of 8 bytes; in them blocks of 8 × 4, of 4 × 4, of 2 × 2 of 2 × 2.
        Order::W => {
            let block = x / 8 * 512 + y / 4 * 32 + x % 8 / 4 * 16;
            block + y % 4 / 2 * 8 + x % 4 / 2 * 4 + y % 2 * 2 + x % 2
        }
    }
}

/// Bytes of a row of a tile, and its rows.
fn tile(order: Order) -> [u32; 2] {
    match order {
        Order::Rows => [1, 1],
        Order::X => [512, 8],
        Order::Y => [128, 32],
        Order::W => [64, 64],
    }
}

/// The byte offset of a position in a plane.
pub(crate) fn byte(plane: &TexelMemory, x: u32, y: u32) -> usize {
    let at = match plane.order {
        Order::Rows => y * plane.pitch_bytes + x,
        order => {
            let [width, height] = tile(order);
            let across = match order {
                Order::W => plane.pitch_bytes / 128,
                _ => plane.pitch_bytes / width,
            };
            (y / height * across + x / width) * 4096 + in_tile(order, x % width, y % height)
        }
    };
    plane.address as usize + at as usize
}

/// Runs launches; their buffers are ranges of `memory`, which starts at address 0.
pub(crate) fn run(launches: &[Launch], memory: &mut [u8]) {
    for launch in launches {
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
        for (span, (_, bytes)) in launch.buffers().iter().zip(&machine.buffers) {
            memory[range(span)].copy_from_slice(bytes);
        }
    }
}

/// A plane with a pitch of a few tiles.
pub(crate) fn plane(order: Order, address: u64, x_bytes: u32, y_rows: u32) -> TexelMemory {
    let pitch_bytes = match order {
        Order::Rows => 336,
        Order::X => 1024,
        Order::Y | Order::W => 384,
    };
    TexelMemory {
        address,
        order,
        pitch_bytes,
        x_bytes,
        y_rows,
        slice_rows: 36,
    }
}

const ORDERS: [Order; 4] = [Order::Rows, Order::X, Order::Y, Order::W];
pub(crate) const HALF: usize = 256 << 10;

/// Pseudo-random bytes.
pub(crate) fn noise() -> Vec<u8> {
    let bytes = (0..2 * HALF as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8);
    bytes.collect()
}

#[test]
fn boxes_are_copied_between_all_orders() {
    let extent = Extent {
        row_bytes: 48,
        rows: 7,
        slices: 2,
    };
    for source in ORDERS {
        for destination in ORDERS {
            // Columns that allow units of 16, 4 and 1 bytes, and rows that leave the first tile.
            for (from_x, to_x) in [(64, 32), (20, 52), (7, 29)] {
                let from = plane(source, 0, from_x, 33);
                let to = plane(destination, HALF as u64, to_x, 61);
                let mut memory = noise();
                let mut expected = memory.clone();
                for slice in 0..extent.slices {
                    for y in 0..extent.rows {
                        for x in 0..extent.row_bytes {
                            let row =
                                |plane: &TexelMemory| plane.y_rows + y + slice * plane.slice_rows;
                            expected[byte(&to, to_x + x, row(&to))] =
                                memory[byte(&from, from_x + x, row(&from))];
                        }
                    }
                }
                let launches = copy_texels(from, to, extent);
                assert_eq!(launches.len(), 1);
                run(&launches, &mut memory);
                assert!(
                    memory == expected,
                    "{source:?} {from_x} to {destination:?} {to_x}"
                );
            }
        }
    }
}

#[test]
fn three_channels_are_copied_with_and_without_padding() {
    let orders = [Order::Rows, Order::X, Order::Y];
    let (columns, rows, slices) = (23, 5, 2);
    for (source, destination) in orders.iter().flat_map(|a| orders.map(|b| (*a, b))) {
        for (channel_bytes, texel_bytes) in [(2, [6, 8]), (2, [8, 6]), (1, [3, 4]), (1, [4, 3])] {
            let [from_bytes, to_bytes] = texel_bytes;
            // In tiles a texel has room for a fourth channel, and lies where that allows.
            let narrow = 3 * channel_bytes;
            if source != Order::Rows && from_bytes == narrow
                || destination != Order::Rows && to_bytes == narrow
            {
                continue;
            }
            let [from_x, to_x] = [5 * from_bytes, 13 * to_bytes];
            let from = plane(source, 2 * u64::from(source == Order::Rows), from_x, 30);
            let to = plane(destination, HALF as u64, to_x, 7);
            let mut memory = noise();
            let mut expected = memory.clone();
            for (slice, y) in (0..slices).flat_map(|slice| (0..rows).map(move |y| (slice, y))) {
                let row = |plane: &TexelMemory| plane.y_rows + y + slice * plane.slice_rows;
                for (x, at) in (0..columns).flat_map(|x| (0..narrow).map(move |at| (x, at))) {
                    let value = memory[byte(&from, from_x + x * from_bytes + at, row(&from))];
                    expected[byte(&to, to_x + x * to_bytes + at, row(&to))] = value;
                }
            }
            let extents = texel_bytes.map(|bytes| Extent {
                row_bytes: columns * bytes,
                rows,
                slices,
            });
            let (from, to) = ((from, extents[0]), (to, extents[1]));
            let launches = copy_three_channel_texels(from, to, channel_bytes).unwrap();
            run(&launches, &mut memory);
            assert!(
                memory == expected,
                "{source:?} to {destination:?}, {texel_bytes:?}"
            );
        }
    }
}

#[test]
fn rows_of_different_texel_counts_are_not_copied() {
    let of = |order, row_bytes| {
        let extent = Extent {
            row_bytes,
            rows: 2,
            slices: 1,
        };
        (plane(order, 0, 0, 0), extent)
    };
    let copies = |from, to| copy_three_channel_texels(from, to, 2).is_some();
    assert!(copies(of(Order::Rows, 18), of(Order::Y, 24)));
    assert!(!copies(of(Order::Rows, 18), of(Order::Y, 32)));
    assert!(!copies(of(Order::Rows, 12), of(Order::Y, 24)));
    assert!(!copies(of(Order::Rows, 18), of(Order::W, 24)));
    let taller = |(plane, extent)| (plane, Extent { rows: 3, ..extent });
    assert!(!copies(of(Order::Rows, 18), taller(of(Order::Y, 24))));
}

#[test]
fn fills_of_every_element_size_write_only_the_box() {
    let value: Vec<u8> = (1..=16).collect();
    for order in ORDERS {
        let sizes: &[usize] = match order {
            Order::Rows => &[1, 2, 3, 4, 6, 8, 12, 16],
            Order::W => &[1],
            _ => &[1, 2, 4, 8, 16],
        };
        for &size in sizes {
            let extent = Extent {
                row_bytes: 5 * size as u32,
                rows: 3,
                slices: 2,
            };
            let left = 3 * size as u32;
            let to = plane(order, 0, left, 62);
            let mut memory = noise();
            let mut expected = memory.clone();
            for slice in 0..2 {
                for y in 0..3 {
                    for x in 0..extent.row_bytes {
                        expected[byte(&to, left + x, 62 + y + slice * 36)] =
                            value[x as usize % size];
                    }
                }
            }
            run(&fill_texels(to, extent, &value[..size]), &mut memory);
            assert!(memory == expected, "{order:?}, {size} bytes");
        }
    }
}

#[test]
fn large_boxes_are_split_to_fit_a_surface() {
    let large = TexelMemory {
        address: 0x10_0000_0000,
        order: Order::Y,
        pitch_bytes: 1 << 18,
        x_bytes: 0,
        y_rows: 0,
        slice_rows: 16384,
    };
    let extent = Extent {
        row_bytes: 1 << 18,
        rows: 16384,
        slices: 2,
    };
    let launches = fill_texels(large, extent, &[0; 16]);
    let rows: u64 = launches
        .iter()
        .map(|launch| u64::from(launch.push_dw[5]))
        .sum();
    assert_eq!(rows, 2 * 16384);
    for launch in &launches {
        let span = launch.buffers()[0];
        assert!(span.bytes <= MAX_SPAN_BYTES && span.address.is_multiple_of(4096));
        assert!(span.address + span.bytes <= 0x10_0000_0000 + (2 << 32));
    }
}

#[test]
fn fast_cleared_pixels_are_resolved_by_four() {
    let control = TexelMemory {
        x_bytes: 4,
        ..plane(Order::Y, 0, 0, 3)
    };
    let pixels = TexelMemory {
        x_bytes: 16,
        ..plane(Order::Y, HALF as u64, 0, 5)
    };
    let extent = Extent {
        row_bytes: 4 * 23,
        rows: 4,
        slices: 2,
    };
    for (samples_log2, cleared) in [(1, 0x3), (2, 0xff)] {
        let mut memory = noise();
        let value = MemoryRange {
            address: memory.len() as u64,
            bytes: 4,
        };
        memory.extend([0x10, 0x11, 0x12, 0x13]);
        let mut expected = memory.clone();
        for (slice, y) in (0..2).flat_map(|slice| (0..4).map(move |y| (slice, y))) {
            for x in 0..24 {
                let row = |plane: &TexelMemory| plane.y_rows + y + slice * plane.slice_rows;
                let element = byte(&control, 4 + x, row(&control));
                // In the second row all are cleared, in the third none, else some; the padding
                // right of the last pixel is undefined.
                let is = (y == 1 || y != 2 && memory[element] & 1 != 0) && x < 23;
                let others = memory[element] & !cleared;
                let rest = others
                    | if x % 2 == 0 {
                        0
                    } else {
                        cleared & 0xfe & memory[element]
                    };
                memory[element] = if is { others | cleared } else { rest };
                expected[element] = if is { 0 } else { memory[element] };
                for part in 0..4 {
                    let at = byte(&pixels, 16 + 4 * x + part, row(&pixels));
                    if is {
                        expected[at] = 0x10 + part as u8;
                    }
                }
            }
        }
        let launches = resolve_mcs_texels(control, pixels, extent, samples_log2, value);
        for launch in &launches {
            assert!(matches!(launch.shader, Shader::McsResolve(settle) if settle.by_four));
        }
        run(&launches, &mut memory);
        for at in 0..memory.len() {
            // The unused bits of two-sample elements may change.
            let same = memory[at] == expected[at];
            let undefined = samples_log2 == 1 && at < HALF && memory[at] & 3 == expected[at] & 3;
            assert!(same || undefined, "{samples_log2}: {at:#x}");
        }
    }
}
