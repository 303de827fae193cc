//! Copies to multisampled depth and stencil, whose samples are interleaved: from depth and stencil
//! where a box is not aligned to 2 × 2 pixel quads, and from colour.
//!
//! In:  the quads that the boxes touch, and the pixel of its first quad at which each box starts.
//! Out: NIR; launches.
//!
//! Each sample is copied separately; copies of whole quads are copies of texels
//! ([`crate::copy_texels`]). Samples of colour are read as a texture, since its MCS tells where
//! they are.
//! Ref: SKL PRM vol. 5, "Interleaved Multisampled Surfaces".

use entity::Id;
use nir::Def;

use crate::launch::{
    Launch, MAX_BUFFERS, MAX_PUSH_DW, MemoryRange, Order, SampleCopy, SampledCopy, Shader,
};
use crate::shader_builder::{GROUP_X, GROUP_Y, ShaderBuilder, box_shader, inside};
use crate::texel::{Extent, TexelMemory, byte_offset};

/// The source or destination of such a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quads {
    /// The memory of the first quad.
    pub plane: TexelMemory,
    /// The pixel of it at which the box starts: column and row, 0 or 1.
    pub first_px: [u32; 2],
}

/// Maximum number of pixel rows of a launch, so that it stays within one surface, however wide the
/// image is.
const BAND_PX: u32 = 1 << 10;

impl SampleCopy {
    /// Samples of a pixel beside each other and below each other, as powers of two.
    fn spread(self) -> [u32; 2] {
        [self.samples_log2.div_ceil(2), self.samples_log2 / 2]
    }

    fn order(self) -> Order {
        match self.unit_log2 {
            0 => Order::W,
            _ => Order::Y,
        }
    }

    /// The column and row of a sample in the samples of its pixel.
    fn position(self, sample: u32) -> [u32; 2] {
        [0, 1].map(|axis| sample >> axis & 1 | (sample >> (axis + 2) & 1) << 1)
    }

    /// The byte offset of a sample of a pixel. For each axis: the pixel, the pixel of the first
    /// quad at which the box starts, and the position of the sample in its pixel. `plane`: as in
    /// [`TexelMemory::push`].
    pub(crate) fn byte_offset_of_pixel(
        self,
        k: &mut ShaderBuilder<'_>,
        axes: [(Id<Def>, Id<Def>, Id<Def>); 2],
        slice: Id<Def>,
        plane: &[Id<Def>],
    ) -> Id<Def> {
        let spread = self.spread();
        let mut coord = |axis: usize| {
            let (pixel, first_px, sample) = axes[axis];
            let by = k.imm_u32(spread[axis]);
            let pixel = k.ishl(pixel, by);
            let at = k.ior(pixel, sample);
            interleaved_coord(k, at, first_px, spread[axis])
        };
        let [x, y] = [coord(0), coord(1)];
        let x = k.imul_imm(x, 1 << self.unit_log2);
        byte_offset(k, (self.order(), 0), [x, y, slice], plane)
    }
}

/// Launches that copy a sample of a box of pixels from a corner of a texture to interleaved
/// samples; with each, the slice of the texture at which it starts. `box_px`: width, height and
/// slices.
pub fn interleave_sample(
    samples: SampleCopy,
    (sample, [left, top]): (u32, [u32; 2]),
    destination: Quads,
    [width_px, height_px, slices]: [u32; 3],
) -> Vec<(u32, Launch)> {
    let [x_sample, y_sample] = samples.position(sample);
    let bands = (0..height_px).step_by(BAND_PX as usize);
    let all = (0..slices).flat_map(|slice| bands.clone().map(move |first| (slice, first)));
    all.map(|(slice, band)| {
        let rows_px = BAND_PX.min(height_px - band);
        let (span, plane, [x_first, y_first]) =
            destination.memory_of_rows(samples, (slice, band), [width_px, rows_px]);
        let mut push_dw = [0; MAX_PUSH_DW];
        let rest = [
            width_px,
            rows_px,
            left,
            top + band,
            sample,
            x_first,
            y_first,
            x_sample,
            y_sample,
        ];
        for (to, from) in push_dw.iter_mut().zip(plane.into_iter().chain(rest)) {
            *to = from;
        }
        let launch = Launch {
            shader: Shader::SampledCopy(SampledCopy::Interleaved(samples)),
            spans: [span; MAX_BUFFERS],
            push_dw,
            groups: [width_px.div_ceil(GROUP_X), rows_px.div_ceil(GROUP_Y), 1],
        };
        (slice, launch)
    })
    .collect()
}

impl Quads {
    /// The part of a box from a row of pixels of a slice on: its memory, its plane as push
    /// constants, and the pixel of its first quad at which it starts.
    fn memory_of_rows(
        &self,
        samples: SampleCopy,
        (slice, top): (u32, u32),
        [width_px, rows_px]: [u32; 2],
    ) -> (MemoryRange, [u32; 4], [u32; 2]) {
        let [across, down] = samples.spread();
        let [left_px, first_px] = self.first_px;
        let first_px = first_px + top;
        let plane = self.plane.from(slice, (first_px & !1) << down);
        let quads_px = |first: u32, count: u32| (first + count).next_multiple_of(2);
        let reached = Extent {
            row_bytes: quads_px(left_px, width_px) << across << samples.unit_log2,
            rows: quads_px(first_px & 1, rows_px) << down,
            slices: 1,
        };
        let (span, skip) = plane.span(&reached);
        (span, plane.push(skip), [left_px, first_px & 1])
    }
}

/// Launches that copy the samples of a box of pixels: width, height and slices.
pub fn copy_samples(
    samples: SampleCopy,
    [source, destination]: [Quads; 2],
    [width_px, height_px, slices]: [u32; 3],
) -> Vec<Launch> {
    let [across, down] = samples.spread();
    let columns = width_px << across;
    let bands = (0..height_px).step_by(BAND_PX as usize);
    let all = (0..slices).flat_map(|slice| bands.clone().map(move |top| (slice, top)));
    all.map(|(slice, top)| {
        let rows_px = BAND_PX.min(height_px - top);
        let mut push_dw = [0; MAX_PUSH_DW];
        let mut spans = [MemoryRange::default(); MAX_BUFFERS];
        for (side, quads) in [source, destination].into_iter().enumerate() {
            let (span, words, first) =
                quads.memory_of_rows(samples, (slice, top), [width_px, rows_px]);
            if let Some(to) = spans.get_mut(side) {
                *to = span;
            }
            for (to, word) in push_dw.iter_mut().skip(4 * side).zip(words) {
                *to = word;
            }
            for (to, word) in push_dw.iter_mut().skip(10 + 2 * side).zip(first) {
                *to = word;
            }
        }
        let rows = rows_px << down;
        for (to, word) in push_dw.iter_mut().skip(8).zip([columns, rows]) {
            *to = word;
        }
        Launch {
            shader: Shader::SampleCopy(samples),
            spans,
            push_dw,
            groups: [columns.div_ceil(GROUP_X), rows.div_ceil(GROUP_Y), 1],
        }
    })
    .collect()
}

/// The coordinate of a sample along an axis, from the first quad: the pixels of a quad are adjacent
/// for each sample.
fn interleaved_coord(
    k: &mut ShaderBuilder<'_>,
    at: Id<Def>,
    first_px: Id<Def>,
    spread: u32,
) -> Id<Def> {
    let (one, by) = (k.imm_u32(1), k.imm_u32(spread));
    let mask = k.imm_u32((1 << spread) - 1);
    let pixel = k.ushr(at, by);
    let pixel = k.iadd(first_px, pixel);
    let (quad, odd) = (k.ushr(pixel, one), k.iand(pixel, one));
    let wide = k.imm_u32(1 + spread);
    let quad = k.ishl(quad, wide);
    let sample = k.iand(at, mask);
    let sample = k.ishl(sample, one);
    let within = k.ior(sample, odd);
    k.ior(quad, within)
}

/// The shader. Push constants: source and destination as in [`TexelMemory::push`], columns and rows
/// of samples, the position in a quad at which the source starts, and that of the destination.
pub(crate) fn nir(samples: SampleCopy) -> nir::Shader {
    box_shader("copy_samples", 2, |k, [column, row, slice], push| {
        let push: [Id<Def>; MAX_PUSH_DW] = push;
        let [.., columns, rows, _, _, _, _] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let [across, down] = samples.spread();
            let bytes = 1 << samples.unit_log2;
            let byte = |k: &mut ShaderBuilder<'_>, plane: &[Id<Def>], first: [Id<Def>; 2]| {
                let x = interleaved_coord(k, column, first[0], across);
                let x = k.imul_imm(x, bytes.into());
                let y = interleaved_coord(k, row, first[1], down);
                byte_offset(k, (samples.order(), 0), [x, y, slice], plane)
            };
            let from = byte(k, &push[..4], [push[10], push[11]]);
            let to = byte(k, &push[4..8], [push[12], push[13]]);
            let value = k.read_unit(0, from, bytes);
            k.write_unit(1, to, bytes, value);
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texel::tests::{HALF, byte, noise, plane, run};

    /// The position of a sample of a pixel by the PRM's formulas.
    fn interleaved_coord([x, y]: [u32; 2], sample: u32, samples: u32) -> [u32; 2] {
        let (x_odd, y_odd) = (x & 1, y & 1);
        let (x, y) = (x & !1, y & !1);
        match samples {
            2 => [x << 1 | (sample & 1) << 1 | x_odd, y | y_odd],
            4 => [
                x << 1 | (sample & 1) << 1 | x_odd,
                y << 1 | sample & 2 | y_odd,
            ],
            8 => [
                x << 2 | sample & 4 | (sample & 1) << 1 | x_odd,
                y << 1 | sample & 2 | y_odd,
            ],
            _ => [
                x << 2 | sample & 4 | (sample & 1) << 1 | x_odd,
                y << 2 | (sample & 8) >> 1 | sample & 2 | y_odd,
            ],
        }
    }

    #[test]
    fn samples_are_copied_where_boxes_cut_quads() {
        for samples_log2 in 1..=4 {
            for unit_log2 in 0..=2 {
                let kind = SampleCopy {
                    samples_log2,
                    unit_log2,
                };
                let count = 1 << samples_log2;
                let [across, down] = kind.spread();
                let side = |address, [x, y]: [u32; 2]| {
                    let left = (x & !1) << across << unit_log2;
                    Quads {
                        plane: plane(kind.order(), address, left, (y & !1) << down),
                        first_px: [x & 1, y & 1],
                    }
                };
                let (from_px, to_px) = ([3, 5], [4, 1]);
                let (from, to) = (side(0, from_px), side(HALF as u64, to_px));
                let mut memory = noise();
                let mut expected = memory.clone();
                for slice in 0..2 {
                    for (x, y) in (0..3).flat_map(|y| (0..4).map(move |x| (x, y))) {
                        for sample in 0..count {
                            let at = |side: &Quads, [left, top]: [u32; 2], part| {
                                let byte_offset = [left + x, top + y];
                                let [x, y] = interleaved_coord(byte_offset, sample, count);
                                let row = y + slice * side.plane.slice_rows;
                                byte(&side.plane, (x << unit_log2) + part, row)
                            };
                            for part in 0..1 << unit_log2 {
                                expected[at(&to, to_px, part)] = memory[at(&from, from_px, part)];
                            }
                        }
                    }
                }
                let launches = copy_samples(kind, [from, to], [4, 3, 2]);
                assert_eq!(launches.len(), 2);
                run(&launches, &mut memory);
                assert!(memory == expected, "{kind:?}");
            }
        }
    }
}
