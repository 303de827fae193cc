//! Copies of texels between surfaces and buffers, and fills of them.
//!
//! In:  the memory of both sides, and a box of elements. Out: NIR; launches.
//!
//! Elements are moved as bytes, so the format does not matter, and a buffer is a linear surface.
//! Bytes that are contiguous in both orders are moved at once: up to 16 bytes, which is a row of a
//! column of a Y tile.
//! Ref: SKL PRM vol. 5, "Tiling" (X, Y and W tiles).

use entity::Id;
use nir::Def;

use crate::launch::{
    DepthStencilFormat, Launch, MAX_BUFFERS, MAX_PUSH_DW, McsResolve, MemoryRange, Order,
    ResolveMode, SampledCopy, Shader, TexelCopy, ThreeChannelCopy,
};
use crate::shader_builder::{GROUP_X, GROUP_Y, ShaderBuilder, box_shader, inside};

impl Order {
    /// Rows of a tile, as a power of two.
    pub(crate) const fn rows_log2(self) -> u32 {
        match self {
            Order::Rows => 0,
            Order::X => 3,
            Order::Y => 5,
            Order::W => 6,
        }
    }

    /// Number of bytes that are contiguous in memory too, as a power of two.
    const fn run_log2(self) -> u32 {
        match self {
            Order::Rows => 31,
            Order::X => 9,
            Order::Y => 4,
            Order::W => 0,
        }
    }

    /// Bytes of memory of a row of tiles, for a row pitch.
    pub(crate) const fn tile_row_bytes(self, pitch_bytes: u32) -> u64 {
        let rows = match self {
            // A row of memory holds two rows of a W tile, which the pitch accounts for.
            Order::W => 32,
            _ => 1 << self.rows_log2(),
        };
        pitch_bytes as u64 * rows
    }
}

/// The memory of a box of elements: in a surface, or in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelMemory {
    /// GPU address of a tile's first byte, or of the first byte of linear rows.
    pub address: u64,
    /// Order of its bytes.
    pub order: Order,
    /// Row pitch, as in surface states.
    pub pitch_bytes: u32,
    /// Column of the box in bytes from the address.
    pub x_bytes: u32,
    /// Row of the box from the address.
    pub y_rows: u32,
    /// Rows between two slices of the box.
    pub slice_rows: u32,
}

/// The size of a box of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of a row.
    pub row_bytes: u32,
    /// Number of rows.
    pub rows: u32,
    /// Number of slices.
    pub slices: u32,
}

/// Maximum number of bytes of a surface that one launch accesses.
const MAX_SPAN_BYTES: u64 = 1 << 30;

impl TexelMemory {
    /// The part of the box that starts at a slice and a row, with the address close to it.
    pub(crate) fn from(&self, slice: u32, row: u32) -> TexelMemory {
        let rows =
            u64::from(self.y_rows) + u64::from(row) + u64::from(slice) * u64::from(self.slice_rows);
        let rows_log2 = self.order.rows_log2();
        TexelMemory {
            address: self.address
                + (rows >> rows_log2) * self.order.tile_row_bytes(self.pitch_bytes),
            y_rows: (rows & ((1 << rows_log2) - 1)) as u32,
            ..*self
        }
    }

    /// The bytes that a box touches, as whole dwords, and the offset of its address in the first
    /// dword.
    pub(crate) fn span(&self, extent: &Extent) -> (MemoryRange, u32) {
        let last_row = u64::from(self.y_rows)
            + u64::from(extent.rows - 1)
            + u64::from(extent.slices - 1) * u64::from(self.slice_rows);
        let tile_row_bytes = self.order.tile_row_bytes(self.pitch_bytes);
        let skip = self.address & 3;
        let bytes = match self.order {
            Order::Rows => {
                last_row * tile_row_bytes + u64::from(self.x_bytes) + u64::from(extent.row_bytes)
            }
            _ => ((last_row >> self.order.rows_log2()) + 1) * tile_row_bytes,
        };
        let span = MemoryRange {
            address: self.address - skip,
            bytes: (bytes + skip).next_multiple_of(4),
        };
        (span, skip as u32)
    }

    /// A number whose trailing zeros limit the unit of a copy.
    fn granularity(&self) -> u64 {
        let run = 1 << self.order.run_log2();
        let rows = match self.order {
            Order::Rows => self.address | u64::from(self.pitch_bytes),
            _ => 0,
        };
        run | rows | u64::from(self.x_bytes)
    }
}

/// Splits a box into launches that stay within one surface: slice, row and size of each part.
fn split_box(planes: &[TexelMemory], extent: Extent) -> Vec<(u32, u32, Extent)> {
    let reach = |extent: &Extent| {
        let bytes = planes.iter().map(|plane| plane.span(extent).0.bytes);
        // Plus a row of tiles, if the part starts inside of one.
        bytes.max().unwrap_or(0) + (1 << 22)
    };
    if reach(&extent) <= MAX_SPAN_BYTES {
        return vec![(0, 0, extent)];
    }
    let slice = Extent {
        slices: 1,
        ..extent
    };
    let bands = (reach(&slice) / (MAX_SPAN_BYTES / 2) + 1) as u32;
    let band_rows = extent.rows.div_ceil(bands).max(1);
    let starts = |slice| {
        (0..extent.rows)
            .step_by(band_rows as usize)
            .map(move |row| (slice, row))
    };
    let all = (0..extent.slices).flat_map(starts);
    all.map(|(slice, row)| {
        let part = Extent {
            rows: band_rows.min(extent.rows - row),
            slices: 1,
            ..extent
        };
        (slice, row, part)
    })
    .collect()
}

/// The workgroups that cover a box.
fn groups(columns: u32, extent: &Extent) -> [u32; 3] {
    [
        columns.div_ceil(GROUP_X),
        extent.rows.div_ceil(GROUP_Y),
        extent.slices,
    ]
}

/// Launches that copy a box.
pub fn copy_texels(source: TexelMemory, destination: TexelMemory, extent: Extent) -> Vec<Launch> {
    let shader = |unit_log2| {
        Some(Shader::TexelCopy(TexelCopy {
            source: Some(source.order),
            destination: destination.order,
            unit_log2,
        }))
    };
    copy_units([source, destination], extent, shader).unwrap_or_default()
}

/// Launches that copy a box from a source to a destination in the largest possible units, by the
/// shader for this unit in bytes, a power of two; `None` if there is no shader.
pub(crate) fn copy_units(
    [source, destination]: [TexelMemory; 2],
    extent: Extent,
    shader: impl Fn(u32) -> Option<Shader>,
) -> Option<Vec<Launch>> {
    if extent.row_bytes == 0 || extent.rows == 0 || extent.slices == 0 {
        return Some(Vec::new());
    }
    let granularity =
        source.granularity() | destination.granularity() | u64::from(extent.row_bytes) | 16;
    let unit_log2 = granularity.trailing_zeros();
    let shader = shader(unit_log2)?;
    let launch = |(slice, row, part): (u32, u32, Extent)| {
        let columns = part.row_bytes >> unit_log2;
        let mut push_dw = [0; MAX_PUSH_DW];
        let mut spans = [MemoryRange::default(); MAX_BUFFERS];
        let sides = [source, destination].map(|plane| plane.from(slice, row));
        for ((plane, span), push) in sides.iter().zip(&mut spans).zip(push_dw.chunks_mut(4)) {
            let (reach, skip) = plane.span(&part);
            *span = reach;
            push.copy_from_slice(&plane.push(skip));
        }
        push_dw[8] = columns;
        push_dw[9] = part.rows;
        Launch {
            shader,
            spans,
            push_dw,
            groups: groups(columns, &part),
        }
    };
    let parts = split_box(&[source, destination], extent).into_iter();
    Some(parts.map(launch).collect())
}

/// Launches that copy a box of texels of three channels, of one or two bytes each, between texels
/// without and with padding to four channels; the padding is not written. None if the rows do not
/// hold equally many such texels.
pub fn copy_three_channel_texels(
    source: (TexelMemory, Extent),
    destination: (TexelMemory, Extent),
    channel_bytes: u32,
) -> Option<Vec<Launch>> {
    let sides = [source, destination];
    let columns = |texel_bytes: [u32; 2]| {
        let [a, b] = [0, 1].map(|side: usize| {
            let (bytes, texel) = (sides[side].1.row_bytes, texel_bytes[side]);
            (bytes % texel == 0).then_some(bytes / texel)
        });
        a.filter(|_| a == b).map(|columns| (columns, texel_bytes))
    };
    let [three, four] = [3 * channel_bytes, 4 * channel_bytes];
    let (columns, texel_bytes) = columns([three, four]).or_else(|| columns([four, three]))?;
    let (extent, other) = (source.1, destination.1);
    let unsupported = sides.iter().any(|side| side.0.order == Order::W);
    if unsupported || (extent.rows, extent.slices) != (other.rows, other.slices) {
        return None;
    }
    if columns == 0 || extent.rows == 0 || extent.slices == 0 {
        return Some(Vec::new());
    }
    let shader = Shader::ThreeChannelCopy(ThreeChannelCopy {
        source: source.0.order,
        destination: destination.0.order,
        two_bytes: channel_bytes == 2,
    });
    let widest = Extent {
        row_bytes: extent.row_bytes.max(other.row_bytes),
        ..extent
    };
    let launch = |(slice, row, part): (u32, u32, Extent)| {
        let mut push_dw = [0; MAX_PUSH_DW];
        let mut spans = [MemoryRange::default(); MAX_BUFFERS];
        let places = sides.iter().zip(&mut spans).zip(push_dw.chunks_mut(4));
        for (((plane, extent), span), push) in places {
            let own = Extent {
                row_bytes: extent.row_bytes,
                ..part
            };
            let plane = plane.from(slice, row);
            let (reach, skip) = plane.span(&own);
            *span = reach;
            push.copy_from_slice(&plane.push(skip));
        }
        let last = [columns, part.rows, texel_bytes[0], texel_bytes[1]];
        for (to, from) in push_dw.iter_mut().skip(8).zip(last) {
            *to = from;
        }
        Launch {
            shader,
            spans,
            push_dw,
            groups: groups(columns, &part),
        }
    };
    let all = split_box(&[source.0, destination.0], widest).into_iter();
    Some(all.map(launch).collect())
}

/// Launches that fill a box with an element of 1, 2, 4, 8 or 16 bytes, or three times a power of
/// two.
pub fn fill_texels(destination: TexelMemory, extent: Extent, element: &[u8]) -> Vec<Launch> {
    if extent.row_bytes == 0 || extent.rows == 0 || extent.slices == 0 || element.is_empty() {
        return Vec::new();
    }
    // Elements of three channels are written channel by channel.
    let channels = if element.len().is_power_of_two() {
        1
    } else {
        3
    };
    let channel_bytes = element.len() / channels;
    let granularity = destination.granularity() | u64::from(extent.row_bytes) | 16;
    let unit_log2 = match channels {
        1 => granularity.trailing_zeros(),
        _ => channel_bytes.ilog2(),
    };
    let shader = Shader::TexelCopy(TexelCopy {
        source: None,
        destination: destination.order,
        unit_log2,
    });
    let step_bytes = (channels as u32) << unit_log2;
    let mut launches = Vec::new();
    for (channel, bytes) in (0..).zip(element.chunks(channel_bytes)) {
        let plane = TexelMemory {
            x_bytes: destination.x_bytes + (channel << unit_log2),
            ..destination
        };
        let repeated: Vec<u8> = bytes.iter().copied().cycle().take(16).collect();
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(repeated.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        for (slice, row, part) in split_box(&[plane], extent) {
            let plane = plane.from(slice, row);
            let (span, skip) = plane.span(&part);
            let columns = part.row_bytes / step_bytes;
            let [x, y, tile_row, slice_rows] = plane.push(skip);
            let [a, b, c, d] = words;
            launches.push(Launch {
                shader,
                spans: [span; MAX_BUFFERS],
                push_dw: [
                    x, y, tile_row, slice_rows, columns, part.rows, step_bytes, a, b, c, d, 0, 0, 0,
                ],
                groups: groups(columns, &part),
            });
        }
    }
    launches
}

/// Launches that write the clear colour, which `pixel` holds in memory in the pixels' format, to
/// the fast-cleared pixels of a box. `extent` is that of the first sample slice of each layer,
/// whose MCS elements are in `control`.
pub fn resolve_mcs_texels(
    control: TexelMemory,
    pixels: TexelMemory,
    extent: Extent,
    samples_log2: u32,
    pixel: MemoryRange,
) -> Vec<Launch> {
    let fits = pixel.bytes.is_power_of_two() && pixel.bytes <= 16;
    if extent.row_bytes == 0 || extent.rows == 0 || extent.slices == 0 || !fits {
        return Vec::new();
    }
    let unit_log2 = pixel.bytes.ilog2();
    // The size of a buffer is a multiple of dwords.
    let value = MemoryRange {
        bytes: pixel.bytes.max(4),
        ..pixel
    };
    // The padding right of the last pixels may be written.
    let aligned = control.x_bytes.is_multiple_of(4) && pixels.x_bytes.is_multiple_of(16);
    let by_four = unit_log2 == 2 && samples_log2 <= 2 && aligned;
    let shader = Shader::McsResolve(McsResolve {
        samples_log2,
        unit_log2,
        by_four,
    });
    let columns = match by_four {
        true => extent.row_bytes.div_ceil(16),
        false => extent.row_bytes >> unit_log2,
    };
    let launch = |(slice, row, part): (u32, u32, Extent)| {
        let mut push_dw = [0; MAX_PUSH_DW];
        let mut spans = [value; MAX_BUFFERS];
        let sides = [control, pixels].map(|plane| plane.from(slice, row));
        for ((plane, span), push) in sides.iter().zip(&mut spans).zip(push_dw.chunks_mut(4)) {
            let (reach, skip) = plane.span(&part);
            *span = reach;
            push.copy_from_slice(&plane.push(skip));
        }
        for (to, from) in push_dw.iter_mut().skip(8).zip([columns, part.rows]) {
            *to = from;
        }
        Launch {
            shader,
            spans,
            push_dw,
            groups: groups(columns, &part),
        }
    };
    let all = split_box(&[control, pixels], extent).into_iter();
    all.map(launch).collect()
}

/// A part of a box that one launch writes as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxPart {
    /// The slice of the box at which it starts.
    pub slice: u32,
    /// The row of the box at which it starts.
    pub row: u32,
    /// Columns, rows and slices in elements.
    pub size: [u32; 3],
    /// Its memory.
    pub span: MemoryRange,
    /// The start of the part as in [`TexelMemory::push`].
    pub start: [u32; 4],
}

/// Splits a box of elements of `element_bytes`.
pub fn box_parts(destination: TexelMemory, extent: Extent, element_bytes: u32) -> Vec<BoxPart> {
    if extent.row_bytes == 0 || extent.rows == 0 || extent.slices == 0 {
        return Vec::new();
    }
    let box_part = |(slice, row, part): (u32, u32, Extent)| {
        let plane = destination.from(slice, row);
        let (span, skip) = plane.span(&part);
        BoxPart {
            slice,
            row,
            size: [part.row_bytes / element_bytes, part.rows, part.slices],
            span,
            start: plane.push(skip),
        }
    };
    let all = split_box(&[destination], extent).into_iter();
    all.map(box_part).collect()
}

/// Launches that resolve depth or stencil samples from a corner of the source on; with each, the
/// slice at which it starts. The caller provides the texture, which starts at that slice. The order
/// of the destination is [`DepthStencilFormat::order`], except for first samples.
pub fn resolve_depth_stencil(
    (choice, kind, samples_log2): (ResolveMode, DepthStencilFormat, u32),
    [left, top]: [u32; 2],
    destination: TexelMemory,
    extent: Extent,
) -> Vec<(u32, Launch)> {
    let unit_log2 = kind.unit_log2();
    let shader = match choice {
        ResolveMode::SampleZero => SampledCopy::Single {
            destination: destination.order,
            unit_log2,
        },
        _ => SampledCopy::Chosen {
            choice,
            kind,
            samples_log2,
        },
    };
    read_samples((shader, unit_log2), (0, [left, top]), destination, extent)
}

/// Launches that copy a sample of each pixel, of `1 << unit_log2` bytes, from a corner of the
/// source on; with each, the slice at which it starts, as for [`resolve_depth_stencil`].
pub fn copy_single_sample(
    unit_log2: u32,
    source: (u32, [u32; 2]),
    destination: TexelMemory,
    extent: Extent,
) -> Vec<(u32, Launch)> {
    let shader = SampledCopy::Single {
        destination: destination.order,
        unit_log2,
    };
    read_samples((shader, unit_log2), source, destination, extent)
}

/// Launches of a shader that reads samples and writes elements of `1 << unit_log2` bytes. `sample`:
/// the one that is copied, if it is a single one.
fn read_samples(
    (shader, unit_log2): (SampledCopy, u32),
    (sample, [left, top]): (u32, [u32; 2]),
    destination: TexelMemory,
    extent: Extent,
) -> Vec<(u32, Launch)> {
    let shader = Shader::SampledCopy(shader);
    let resolve = |part: BoxPart| {
        let ([x, y, tile_row, slice_rows], [columns, rows, slices]) = (part.start, part.size);
        let mut push_dw = [0; MAX_PUSH_DW];
        let push = [
            x,
            y,
            tile_row,
            slice_rows,
            columns,
            rows,
            left,
            top + part.row,
            sample,
        ];
        for (to, from) in push_dw.iter_mut().zip(push) {
            *to = from;
        }
        let launch = Launch {
            shader,
            spans: [part.span; MAX_BUFFERS],
            push_dw,
            groups: [columns.div_ceil(GROUP_X), rows.div_ceil(GROUP_Y), slices],
        };
        (part.slice, launch)
    };
    let all = box_parts(destination, extent, 1 << unit_log2).into_iter();
    all.map(resolve).collect()
}

impl TexelMemory {
    /// The plane as push constants: column in bytes, row, bytes of a row of tiles, rows between
    /// slices.
    pub(crate) fn push(&self, skip: u32) -> [u32; 4] {
        [
            self.x_bytes + skip,
            self.y_rows,
            self.order.tile_row_bytes(self.pitch_bytes) as u32,
            self.slice_rows,
        ]
    }
}

/// The byte offset of column `x` in bytes, a multiple of the unit, and row `y`. `tile_row` is the
/// bytes of a row of tiles.
fn tiled_byte(
    k: &mut ShaderBuilder<'_>,
    (order, unit_log2): (Order, u32),
    [x, y]: [Id<Def>; 2],
    tile_row: Id<Def>,
) -> Id<Def> {
    let bits = |k: &mut ShaderBuilder<'_>, value, mask: u32, left: i32| {
        let mask = k.imm_u32(mask);
        let part = k.iand(value, mask);
        let by = k.imm_u32(left.unsigned_abs());
        match left {
            0 => part,
            1.. => k.ishl(part, by),
            _ => k.ushr(part, by),
        }
    };
    let rows_log2 = order.rows_log2();
    let down = k.imm_u32(rows_log2);
    let tile = if order == Order::Rows {
        y
    } else {
        k.ushr(y, down)
    };
    let start = k.imul(tile, tile_row);
    let split_box = match order {
        Order::Rows => vec![x],
        Order::X | Order::Y => {
            let run_log2 = order.run_log2();
            let within = (1 << run_log2) - 1;
            let row = bits(k, y, (1 << rows_log2) - 1, run_log2 as i32);
            // A unit of at least a whole run has no offset in a run.
            if unit_log2 >= run_log2 {
                let columns = k.ishl(x, down);
                vec![columns, row]
            } else {
                let run = bits(k, x, within, 0);
                vec![run, bits(k, x, !within, rows_log2 as i32), row]
            }
        }
        // Bits of column and row alternate, from the lowest; columns of eight bytes are 512 bytes
        // apart.
        Order::W => vec![
            bits(k, x, 1, 0),
            bits(k, y, 1, 1),
            bits(k, x, 2, 1),
            bits(k, y, 2, 2),
            bits(k, x, 4, 2),
            bits(k, y, 0x3c, 3),
            bits(k, x, !7, 6),
        ],
    };
    split_box
        .into_iter()
        .fold(start, |sum, part| k.iadd(sum, part))
}

/// The byte offset of a column, row and slice of a box of such units; `plane` as in
/// [`TexelMemory::push`].
pub(crate) fn byte_offset(
    k: &mut ShaderBuilder<'_>,
    (order, unit_log2): (Order, u32),
    [x_bytes, row, slice]: [Id<Def>; 3],
    plane: &[Id<Def>],
) -> Id<Def> {
    let &[left, top, tile_row, slice_rows] = plane else {
        return x_bytes;
    };
    let x = k.iadd(left, x_bytes);
    let down = k.imul(slice, slice_rows);
    let y = match order {
        // The address of linear memory is that of the first row.
        Order::Rows => row,
        _ => k.iadd(top, row),
    };
    let y = k.iadd(y, down);
    tiled_byte(k, (order, unit_log2), [x, y], tile_row)
}

/// The shader. Push constants of a copy: source and destination as in [`TexelMemory::push`],
/// columns, rows; of a fill: the destination, columns, rows, bytes from column to column, the
/// value.
pub(crate) fn nir(texels: TexelCopy) -> nir::Shader {
    let bytes = 1 << texels.unit_log2;
    match texels.source {
        Some(source) => box_shader("copy_texels", 2, |k, [column, row, slice], push| {
            let push: [Id<Def>; 10] = push;
            let [.., columns, rows] = push;
            inside(k, [column, row], [columns, rows], |k| {
                let x = k.imul_imm(column, bytes.into());
                let from = byte_offset(k, (source, texels.unit_log2), [x, row, slice], &push[..4]);
                let value = k.read_unit(0, from, bytes);
                let unit = (texels.destination, texels.unit_log2);
                let to = byte_offset(k, unit, [x, row, slice], &push[4..8]);
                k.write_unit(1, to, bytes, value);
            });
        }),
        None => box_shader("fill_texels", 1, |k, [column, row, slice], push| {
            let push: [Id<Def>; 11] = push;
            let [_, _, _, _, columns, rows, step_bytes, value @ ..] = push;
            inside(k, [column, row], [columns, rows], |k| {
                let x = k.imul(column, step_bytes);
                let unit = (texels.destination, texels.unit_log2);
                let to = byte_offset(k, unit, [x, row, slice], &push[..4]);
                let value = match bytes {
                    1 => k.u2u(value[0], 8),
                    2 => k.u2u(value[0], 16),
                    4 => value[0],
                    8 => k.vec(&value[..2]),
                    _ => k.vec(&value),
                };
                k.write_unit(0, to, bytes, value);
            });
        }),
    }
}

/// The shader that copies texels of three channels. Push constants: source and destination as in
/// [`TexelMemory::push`], columns, rows, bytes from texel to texel of the source and of the
/// destination.
pub(crate) fn copy_three_channels(copy: ThreeChannelCopy) -> nir::Shader {
    box_shader("copy_three", 2, |k, [column, row, slice], push| {
        let push: [Id<Def>; 12] = push;
        let [.., columns, rows, from_bytes, to_bytes] = push;
        inside(k, [column, row], [columns, rows], |k| {
            // The bytes of a texel are contiguous in each of these orders.
            let channel_bytes = copy.channel_bytes();
            let unit_log2 = channel_bytes.ilog2();
            let [from, to] = [
                (copy.source, from_bytes, &push[..4]),
                (copy.destination, to_bytes, &push[4..8]),
            ]
            .map(|(order, bytes, plane)| {
                let x = k.imul(column, bytes);
                byte_offset(k, (order, unit_log2), [x, row, slice], plane)
            });
            for channel in 0..3 {
                let at = i64::from(channel * channel_bytes);
                let from = k.iadd_imm(from, at);
                let value = k.read_unit(0, from, channel_bytes);
                let to = k.iadd_imm(to, at);
                k.write_unit(1, to, channel_bytes, value);
            }
        });
    })
}

/// The shader that writes the clear colour to fast-cleared pixels. Push constants: MCS and image as
/// in [`TexelMemory::push`], columns, rows. The MCS element of a cleared pixel is all ones.
pub(crate) fn resolve_mcs(resolve: McsResolve) -> nir::Shader {
    if resolve.by_four {
        return resolve_mcs_by_four(resolve.samples_log2);
    }
    box_shader("settle_texels", 3, |k, [column, row, slice], push| {
        let push: [Id<Def>; 10] = push;
        let [.., columns, rows] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let bytes = resolve.element_bytes();
            let x = k.imul_imm(column, bytes.into());
            let at = byte_offset(k, (Order::Y, 0), [x, row, slice], &push[..4]);
            let element = k.read_unit(0, at, bytes);
            let words = match bytes {
                1 => [k.u2u(element, 32); 2],
                4 => [element; 2],
                _ => [k.channel(element, 0), k.channel(element, 1)],
            };
            // An element of two samples has two bits; the other bits are undefined.
            let whole = k.imm_u32(match resolve.samples_log2 {
                1 => 0x3,
                2 => 0xff,
                _ => u32::MAX,
            });
            let cleared = words.map(|word| {
                let bits = k.iand(word, whole);
                k.ieq(bits, whole)
            });
            let cleared = k.iand(cleared[0], cleared[1]);
            k.if_then(cleared, |k| {
                let bytes = 1 << resolve.unit_log2;
                let x = k.imul_imm(column, bytes.into());
                let unit = (Order::Y, resolve.unit_log2);
                let to = byte_offset(k, unit, [x, row, slice], &push[4..8]);
                let first = k.imm_u32(0);
                let value = k.read_unit(2, first, bytes);
                k.write_unit(1, to, bytes, value);
                // All samples are in slice 0 from now on.
                let zero = k.imm_u32(0);
                let (zero, bytes) = match resolve.element_bytes() {
                    1 => (k.u2u(zero, 8), 1),
                    4 => (zero, 4),
                    _ => (k.vec(&[zero; 2]), 8),
                };
                k.write_unit(0, at, bytes, zero);
            });
        });
    })
}

/// As [`resolve_mcs`], for four pixels of four bytes; mostly all of them are cleared, or none.
fn resolve_mcs_by_four(samples_log2: u32) -> nir::Shader {
    box_shader("settle_four_texels", 3, |k, [column, row, slice], push| {
        let push: [Id<Def>; 10] = push;
        let [.., columns, rows] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let x = k.imul_imm(column, 4);
            let at = byte_offset(k, (Order::Y, 0), [x, row, slice], &push[..4]);
            let elements = k.read_unit(0, at, 4);
            // An element of two samples has two bits in each byte.
            let bits = match samples_log2 {
                1 => {
                    let others = k.imm_u32(0xfcfc_fcfc);
                    k.ior(elements, others)
                }
                _ => elements,
            };
            // Sets the highest bit of the lowest byte that is all ones, and possibly of higher
            // ones.
            let (ones, tops) = (k.imm_u32(0x0101_0101), k.imm_u32(0x8080_8080));
            let whole = k.iadd(bits, ones);
            let flipped = k.inot(whole);
            let wrapped = k.iand(bits, flipped);
            let found = k.iand(wrapped, tops);
            let zero = k.imm_u32(0);
            let some = k.ine(found, zero);
            k.if_then(some, |k| {
                let first = k.imm_u32(0);
                let value = k.read_unit(2, first, 4);
                let x = k.imul_imm(column, 16);
                let to = byte_offset(k, (Order::Y, 4), [x, row, slice], &push[4..8]);
                let all_ones = k.imm_u32(u32::MAX);
                let all = k.ieq(bits, all_ones);
                k.if_then_else(
                    all,
                    |k| {
                        let four = k.vec(&[value; 4]);
                        k.write_unit(1, to, 16, four);
                        let zero = k.imm_u32(0);
                        k.write_unit(0, at, 4, zero);
                    },
                    |k| {
                        let mut left = elements;
                        for pixel in 0..4 {
                            let mask = k.imm_u32(0xff << (8 * pixel));
                            let byte = k.iand(bits, mask);
                            let cleared = k.ieq(byte, mask);
                            let to = k.iadd_imm(to, 4 * pixel);
                            k.if_then(cleared, |k| k.write_unit(1, to, 4, value));
                            let others = k.imm_u32(!(0xff << (8 * pixel)));
                            let without = k.iand(left, others);
                            left = k.bcsel(cleared, without, left);
                        }
                        k.write_unit(0, at, 4, left);
                    },
                );
            });
        });
    })
}

#[cfg(test)]
pub(crate) mod tests;
