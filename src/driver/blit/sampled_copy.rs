//! Scaled copies, resolves of samples, and copies of single samples, by dispatches that read a
//! texture.
//!
//! In:  a [`SampledCopy`]. Out: NIR.
//!
//! The source is a texture and the destination a storage image of one layer or slice, which saves
//! coordinates in messages. The data port converts to every format that it supports; the shader
//! encodes sRGB. First samples, stencil, and other formats are written as bytes. Bindings: 0 the
//! texture's surface, 1 the destination's.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images", "sRGB".

use entity::Id;
use nir::{Access, BaseType, Def, Dim, IntrinsicOp, Tex, TexOp, TexSrc};
use smallvec::SmallVec;

use crate::launch::{
    ChannelFormat, DepthStencilFormat, Order, ResolveMode, SampleCopy, SampledCopy, TexelConversion,
};
use crate::shader_builder::{ShaderBuilder, box_shader, inside, rows_shader};
use crate::texel::byte_offset;

/// The sum of texels, added in pairs, whose sums are added in pairs, and so on: few roundings, so
/// that pixels with the same texels in another order hardly differ.
fn sum(k: &mut ShaderBuilder<'_>, values: &[[Id<Def>; 4]]) -> Option<[Id<Def>; 4]> {
    let mut sums: SmallVec<[[Id<Def>; 4]; 16]> = SmallVec::from_slice(values);
    while sums.len() > 1 {
        let pairs = sums.chunks(2).map(|pair| match *pair {
            [a, b] => [0, 1, 2, 3].map(|channel: usize| k.fadd(a[channel], b[channel])),
            _ => pair[0],
        });
        sums = pairs.collect();
    }
    sums.first().copied()
}

/// The source coordinate of a column or row: `first + at * step`.
pub(crate) fn scale_coord(
    k: &mut ShaderBuilder<'_>,
    at: Id<Def>,
    first: Id<Def>,
    step: Id<Def>,
) -> Id<Def> {
    let at = k.u2f(at, 32);
    let at = k.fmul(at, step);
    k.fadd(at, first)
}

/// Samples level 0 of a texture: 3D, or 2D with the first two coordinates.
pub(crate) fn sample_level_0(
    k: &mut ShaderBuilder<'_>,
    volume: bool,
    numbers: TexelConversion,
    coord: [Id<Def>; 3],
    sampler: Id<Def>,
) -> [Id<Def>; 4] {
    let (axes, dim) = match volume {
        true => (&coord[..], Dim::D3),
        false => (&coord[..2], Dim::D2),
    };
    let (coord, level) = (k.vec(axes), k.imm_float(32, 0.0));
    let srcs = [
        (TexSrc::Coord, coord),
        (TexSrc::Lod, level),
        (TexSrc::SamplerHandle, sampler),
    ];
    read(k, TexOp::Txl, (dim, false), numbers, &srcs)
}

/// The four channels of a texture operation's result.
pub(crate) fn read(
    k: &mut ShaderBuilder<'_>,
    op: TexOp,
    (dim, array): (Dim, bool),
    numbers: TexelConversion,
    srcs: &[(TexSrc, Id<Def>)],
) -> [Id<Def>; 4] {
    let texel = emit_texture(k, op, (dim, array), base(numbers), srcs, 4);
    [0, 1, 2, 3].map(|channel| k.channel(texel, channel))
}

/// Emits a texture operation with `components` dwords of result.
fn emit_texture(
    k: &mut ShaderBuilder<'_>,
    op: TexOp,
    (dim, array): (Dim, bool),
    dest_type: BaseType,
    srcs: &[(TexSrc, Id<Def>)],
    components: u8,
) -> Id<Def> {
    let mut srcs: SmallVec<[(TexSrc, Id<Def>); 4]> = SmallVec::from_slice(srcs);
    srcs.push((TexSrc::TextureHandle, k.handle(0)));
    let tex = Tex {
        op,
        def: Id::new(0),
        srcs,
        dim,
        array,
        shadow: false,
        dest_type,
        component: 0,
        tg4_offsets: None,
        texture_non_uniform: false,
        sampler_non_uniform: false,
        offset_non_uniform: false,
    };
    k.tex(tex, components, 32)
}

/// The average of a pixel's samples. If the MCS element says that all samples are in slice 0, or
/// cleared, only one sample is read, which is the common case. `no_mcs` is not 0 if there is no
/// MCS, so that its element is meaningless.
pub(crate) fn average_samples(
    k: &mut ShaderBuilder<'_>,
    samples_log2: u32,
    numbers: TexelConversion,
    coord: Id<Def>,
    no_mcs: Id<Def>,
) -> Option<[Id<Def>; 4]> {
    const SHAPE: (Dim, bool) = (Dim::D2, false);
    let coord = (TexSrc::Coord, coord);
    let mcs_value = emit_texture(k, TexOp::TxfMsMcs, SHAPE, BaseType::Uint, &[coord], 2);
    let one = |k: &mut ShaderBuilder<'_>, sample| {
        let which = (TexSrc::MsIndex, k.imm_u32(sample));
        let control = (TexSrc::MsMcs, mcs_value);
        read(k, TexOp::TxfMs, SHAPE, numbers, &[coord, which, control])
    };
    let first = one(k, 0);
    // An element of two samples has two bits, one of sixteen samples two dwords.
    let low = k.channel(mcs_value, 0);
    let whole = k.imm_u32(match samples_log2 {
        1 => 0x3,
        2 => 0xff,
        _ => u32::MAX,
    });
    let (slices, ones) = match samples_log2 {
        1 => {
            let bits = k.iand(low, whole);
            (bits, bits)
        }
        4 => {
            let high = k.channel(mcs_value, 1);
            (k.ior(low, high), k.iand(low, high))
        }
        _ => (low, low),
    };
    let none = k.imm_u32(0);
    let differs = k.ine(slices, none);
    let drawn = k.ine(ones, whole);
    let load_all = k.iand(differs, drawn);
    let no_mcs = k.ine(no_mcs, none);
    let load_all = k.ior(load_all, no_mcs);
    k.push_if(load_all);
    let mut texels: SmallVec<[[Id<Def>; 4]; 16]> = SmallVec::new();
    texels.push(first);
    for sample in 1..1 << samples_log2 {
        texels.push(one(k, sample));
    }
    let all = sum(k, &texels)?;
    let share = k.imm_float(32, 1.0 / f64::from(1 << samples_log2));
    let all = all.map(|channel| k.fmul(channel, share));
    k.pop_if();
    Some([0, 1, 2, 3].map(|channel: usize| k.if_phi(all[channel], first[channel])))
}

/// The base type of a conversion.
fn base(numbers: TexelConversion) -> BaseType {
    match numbers {
        TexelConversion::Integers | TexelConversion::Stencil => BaseType::Uint,
        TexelConversion::Floats
        | TexelConversion::Srgb
        | TexelConversion::Packed(_)
        | TexelConversion::Three(_) => BaseType::Float,
    }
}

/// Encodes a linear number as sRGB; the caller clamps the result to 0 to 1.
fn linear_to_srgb(k: &mut ShaderBuilder<'_>, linear: Id<Def>) -> Id<Def> {
    let [slope, root, scale, less, edge] =
        [12.92, 1.0 / 2.4, 1.055, -0.055, 0.003_130_8].map(|value| k.imm_float(32, value));
    let low = k.fmul(linear, slope);
    let power = k.flog2(linear);
    let power = k.fmul(power, root);
    let power = k.fexp2(power);
    let high = k.fmul(power, scale);
    let high = k.fadd(high, less);
    let dark = k.flt(linear, edge);
    k.bcsel(dark, low, high)
}

/// Converts a number from 0 to 1 to an integer from 0 to `max`.
fn emit_unorm(k: &mut ShaderBuilder<'_>, number: Id<Def>, max: Id<Def>) -> Id<Def> {
    let [zero, one] = [0.0, 1.0].map(|value| k.imm_float(32, value));
    let scale = k.u2f(max, 32);
    let number = k.fmax(number, zero);
    let number = k.fmin(number, one);
    let sample_level_0 = k.fmul(number, scale);
    let rounded = k.fround_even(sample_level_0);
    k.f2u(rounded, 32)
}

/// Converts a number to the storage format of a channel.
fn encode_channel(k: &mut ShaderBuilder<'_>, channel: ChannelFormat, number: Id<Def>) -> Id<Def> {
    let number = match channel {
        ChannelFormat::Srgb8 => linear_to_srgb(k, number),
        _ => number,
    };
    match channel {
        ChannelFormat::Unorm8 | ChannelFormat::Srgb8 => {
            let max = k.imm_u32(0xff);
            let value = emit_unorm(k, number, max);
            k.u2u(value, 8)
        }
        ChannelFormat::Unorm16 => {
            let max = k.imm_u32(0xffff);
            let value = emit_unorm(k, number, max);
            k.u2u(value, 16)
        }
        ChannelFormat::Float16 => k.f2f_rtne(number, 16),
        ChannelFormat::Float32 => number,
    }
}

/// Packs numbers from 0 to 1: `packing` has a byte for each channel, its first bit in the low half
/// and its number of bits in the high half.
fn pack(k: &mut ShaderBuilder<'_>, texel: [Id<Def>; 4], packing: Id<Def>) -> Id<Def> {
    let (low, bit) = (k.imm_u32(0xf), k.imm_u32(1));
    let mut word = k.imm_u32(0);
    for (number, channel) in (0..).zip(texel) {
        let [at, bits] = [8 * number, 8 * number + 4].map(|shift| {
            let shift = k.imm_u32(shift);
            let part = k.ushr(packing, shift);
            k.iand(part, low)
        });
        let max = k.ishl(bit, bits);
        let max = k.iadd_imm(max, -1);
        let value = emit_unorm(k, channel, max);
        let value = k.ishl(value, at);
        word = k.ior(word, value);
    }
    word
}

/// Writes a texel; `to` is the destination's push constants, and `packing` as in [`pack`].
fn write(
    k: &mut ShaderBuilder<'_>,
    numbers: TexelConversion,
    [column, row]: [Id<Def>; 2],
    (to, packing): (&[Id<Def>], Id<Def>),
    mut texel: [Id<Def>; 4],
) {
    let slice = k.imm_u32(0);
    if let Some((order, bytes)) = numbers.bytes() {
        let x = k.imul_imm(column, bytes.into());
        let to = byte_offset(k, (order, 0), [x, row, slice], to);
        let value = match numbers {
            TexelConversion::Packed(_) => pack(k, texel, packing),
            _ => texel[0],
        };
        let value = k.u2u(value, 8 * bytes as u8);
        k.write_unit(1, to, bytes, value);
        return;
    }
    if let TexelConversion::Three(channel) = numbers {
        let bytes = channel.bytes();
        let x = k.imul_imm(column, (3 * bytes).into());
        let first = byte_offset(k, (Order::Rows, 0), [x, row, slice], to);
        for (number, value) in (0..3).zip(texel) {
            let to = k.iadd_imm(first, number * i64::from(bytes));
            let value = encode_channel(k, channel, value);
            k.write_unit(1, to, bytes, value);
        }
        return;
    }
    if numbers == TexelConversion::Srgb {
        for channel in texel.iter_mut().take(3) {
            *channel = linear_to_srgb(k, *channel);
        }
    }
    let &[left, top, ..] = to else { return };
    let coord = [k.iadd(left, column), k.iadd(top, row)];
    let (coord, texel, zero) = (k.vec(&coord), k.vec(&texel), k.imm_u32(0));
    let handle = k.handle(1);
    let indices = [
        Dim::D2 as u32,
        0,
        0,
        Access::default().bits(),
        base(numbers).index(),
    ];
    let srcs = [handle, coord, zero, texel, zero];
    k.intrinsic(IntrinsicOp::BindlessImageStore, None, &srcs, &indices);
}

/// The shader of a sampled copy.
///
/// Push constants: 0 to 3 the destination as in `Plane::push`, or the first column and row of a
/// storage image; 4 and 5 columns and rows. Then:
/// - scaled: for columns and for rows, the source coordinate of the first one and the step to the
///   next; the coordinate of the slice, the sampler and the packing;
/// - joined: the first column and row of the source, the packing, and 1 if it has no MCS;
/// - single, interleaved and chosen: the first column and row of the source;
/// - single and interleaved: the sample;
/// - interleaved: the column and row of a quad at which the destination starts, and the column and
///   row of the sample in a pixel.
pub(crate) fn nir(copy: SampledCopy) -> nir::Shader {
    match copy {
        SampledCopy::Scaled { volume, numbers } => scaled_shader(volume, numbers),
        SampledCopy::Joined {
            samples_log2,
            numbers,
        } => joined_shader(samples_log2, numbers),
        SampledCopy::Single {
            destination,
            unit_log2,
        } => single_sample_shader(destination, unit_log2),
        SampledCopy::Interleaved(samples) => interleaved_sample_shader(samples),
        SampledCopy::Chosen {
            choice,
            kind,
            samples_log2,
        } => chosen_sample_shader(choice, kind, samples_log2),
    }
}

/// Scales a texture.
fn scaled_shader(volume: bool, numbers: TexelConversion) -> nir::Shader {
    rows_shader("scale_picture", 2, |k, column, row, push| {
        let push: [Id<Def>; 13] = push;
        let [
            to @ ..,
            columns,
            rows,
            x,
            x_step,
            y,
            y_step,
            z,
            sampler,
            packing,
        ] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let coord = [
                scale_coord(k, column, x, x_step),
                scale_coord(k, row, y, y_step),
                z,
            ];
            let texel = sample_level_0(k, volume, numbers, coord, sampler);
            write(k, numbers, [column, row], (&to, packing), texel);
        });
    })
}

/// Averages the samples of each pixel; of integers, takes the first sample.
fn joined_shader(samples_log2: u32, numbers: TexelConversion) -> nir::Shader {
    rows_shader("join_samples", 2, |k, column, row, push| {
        let push: [Id<Def>; 10] = push;
        let [to @ .., columns, rows, from_left, from_top, packing, no_mcs] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let from = [k.iadd(from_left, column), k.iadd(from_top, row)];
            let coord = k.vec(&from);
            let texel = match numbers {
                TexelConversion::Integers | TexelConversion::Stencil => {
                    let first = (TexSrc::MsIndex, k.imm_u32(0));
                    let srcs = [(TexSrc::Coord, coord), first];
                    Some(read(k, TexOp::TxfMs, (Dim::D2, false), numbers, &srcs))
                }
                _ => average_samples(k, samples_log2, numbers, coord, no_mcs),
            };
            let Some(texel) = texel else { return };
            write(k, numbers, [column, row], (&to, packing), texel);
        });
    })
}

/// The bits of a sample of a layer.
fn sample_bits(k: &mut ShaderBuilder<'_>, coord: [Id<Def>; 3], sample: Id<Def>) -> Id<Def> {
    let coord = k.vec(&coord);
    let srcs = [(TexSrc::Coord, coord), (TexSrc::MsIndex, sample)];
    let shape = (Dim::D2, true);
    let [texel, ..] = read(k, TexOp::TxfMs, shape, TexelConversion::Integers, &srcs);
    texel
}

/// Copies one sample of each pixel, bit by bit.
fn single_sample_shader(destination: Order, unit_log2: u32) -> nir::Shader {
    box_shader("single_samples", 2, |k, [column, row, slice], push| {
        let push: [Id<Def>; 9] = push;
        let [.., columns, rows, from_left, from_top, sample] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let from = [k.iadd(from_left, column), k.iadd(from_top, row), slice];
            let texel = sample_bits(k, from, sample);
            let bytes = 1 << unit_log2;
            let x = k.imul_imm(column, bytes.into());
            let to = byte_offset(k, (destination, 0), [x, row, slice], &push[..4]);
            let texel = narrow(k, texel, bytes);
            k.write_unit(1, to, bytes, texel);
        });
    })
}

/// Copies one sample of each pixel, bit by bit, to its place among interleaved samples.
fn interleaved_sample_shader(samples: SampleCopy) -> nir::Shader {
    box_shader("interleaved_samples", 2, |k, [column, row, slice], push| {
        let push: [Id<Def>; 13] = push;
        let [
            ..,
            columns,
            rows,
            from_left,
            from_top,
            sample,
            x_first,
            y_first,
            x_sample,
            y_sample,
        ] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let from = [k.iadd(from_left, column), k.iadd(from_top, row), slice];
            let texel = sample_bits(k, from, sample);
            let to = samples.byte_offset_of_pixel(
                k,
                [(column, x_first, x_sample), (row, y_first, y_sample)],
                slice,
                &push[..4],
            );
            let bytes = 1 << samples.unit_log2;
            let texel = narrow(k, texel, bytes);
            k.write_unit(1, to, bytes, texel);
        });
    })
}

/// Combines the depth or stencil samples of each pixel into one value.
fn chosen_sample_shader(
    choice: ResolveMode,
    kind: DepthStencilFormat,
    samples_log2: u32,
) -> nir::Shader {
    box_shader("chosen_samples", 2, |k, [column, row, slice], push| {
        let push: [Id<Def>; 8] = push;
        let [.., columns, rows, from_left, from_top] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let from = [k.iadd(from_left, column), k.iadd(from_top, row), slice];
            let coord = k.vec(&from);
            let mut values: SmallVec<[Id<Def>; 16]> = SmallVec::new();
            for sample in 0..1 << samples_log2 {
                let srcs = [(TexSrc::Coord, coord), (TexSrc::MsIndex, k.imm_u32(sample))];
                let shape = (Dim::D2, true);
                let [texel, ..] = read(k, TexOp::TxfMs, shape, TexelConversion::Integers, &srcs);
                values.push(match kind {
                    DepthStencilFormat::Depth24 => {
                        let depth = k.imm_u32(0xff_ffff);
                        k.iand(texel, depth)
                    }
                    _ => texel,
                });
            }
            let Some(value) = combine_samples(k, choice, kind, &values) else {
                return;
            };
            let bytes = 1 << kind.unit_log2();
            let x = k.imul_imm(column, bytes.into());
            let to = byte_offset(k, (kind.order(), 0), [x, row, slice], &push[..4]);
            let value = narrow(k, value, bytes);
            k.write_unit(1, to, bytes, value);
        });
    })
}

/// Truncates a dword to 1, 2 or 4 bytes.
fn narrow(k: &mut ShaderBuilder<'_>, value: Id<Def>, bytes: u32) -> Id<Def> {
    match bytes {
        1 => k.u2u(value, 8),
        2 => k.u2u(value, 16),
        _ => value,
    }
}

/// Combines samples into one value.
fn combine_samples(
    k: &mut ShaderBuilder<'_>,
    choice: ResolveMode,
    kind: DepthStencilFormat,
    values: &[Id<Def>],
) -> Option<Id<Def>> {
    let float = kind == DepthStencilFormat::DepthFloat;
    let (&first, rest) = values.split_first()?;
    let all = rest
        .iter()
        .fold(first, |all, &value| match (choice, float) {
            (ResolveMode::SampleZero, _) => all,
            (ResolveMode::Min, false) => k.umin(all, value),
            (ResolveMode::Min, true) => k.fmin(all, value),
            (ResolveMode::Max, false) => k.umax(all, value),
            (ResolveMode::Max, true) => k.fmax(all, value),
            (ResolveMode::Average, false) => k.iadd(all, value),
            (ResolveMode::Average, true) => k.fadd(all, value),
        });
    let count = values.len() as u32;
    Some(match (choice, float) {
        (ResolveMode::Average, true) => {
            let share = k.imm_float(32, 1.0 / f64::from(count));
            k.fmul(all, share)
        }
        // Rounded to the nearest: the count is a power of two.
        (ResolveMode::Average, false) => {
            let (half, shift) = (k.imm_u32(count / 2), k.imm_u32(count.ilog2()));
            let sum = k.iadd(all, half);
            k.ushr(sum, shift)
        }
        _ => all,
    })
}
