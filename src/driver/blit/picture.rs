//! Pictures scaled into others, and samples joined into pixels, or the first of them taken.
//!
//! In:  which of them, and of what. Out: NIR.
//! The source is a texture, the destination a storage image of layers: the data port converts to every format that it knows, and the
//! encoding of sRGB is computed. First samples go to bytes, so that every tiling can have them. Bindings: 0 the texture's surface, 1 the
//! destination's.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images", "sRGB".

use entity::Id;
use nir::{Access, Base, Def, Dim, IntrinsicOp, Tex, TexOp, TexSrc};
use smallvec::SmallVec;

use crate::kernel::{Kernel, inside, plane_shader};
use crate::launch::{Numbers, Picture};
use crate::texel::place;

/// A sum, made one after the other.
fn sum(k: &mut Kernel<'_>, values: &[[Id<Def>; 4]]) -> Option<[Id<Def>; 4]> {
    let (first, rest) = values.split_first()?;
    Some(rest.iter().fold(*first, |sum, value| {
        [0, 1, 2, 3].map(|channel: usize| k.fadd(sum[channel], value[channel]))
    }))
}

fn read(
    k: &mut Kernel<'_>,
    op: TexOp,
    (dim, array): (Dim, bool),
    numbers: Numbers,
    srcs: &[(TexSrc, Id<Def>)],
) -> [Id<Def>; 4] {
    let mut srcs: SmallVec<[(TexSrc, Id<Def>); 4]> = SmallVec::from_slice(srcs);
    srcs.push((TexSrc::TextureHandle, k.handle(0)));
    let tex = Tex {
        op,
        def: Id::new(0),
        srcs,
        dim,
        array,
        shadow: false,
        dest_type: base(numbers),
        component: 0,
        tg4_offsets: None,
        texture_non_uniform: false,
        sampler_non_uniform: false,
    };
    let texel = k.tex(tex, 4, 32);
    [0, 1, 2, 3].map(|channel| k.channel(texel, channel))
}

fn base(numbers: Numbers) -> Base {
    match numbers {
        Numbers::Integers => Base::Uint,
        Numbers::Floats | Numbers::Srgb => Base::Float,
    }
}

/// A linear number as sRGB has it.
fn encode(k: &mut Kernel<'_>, linear: Id<Def>) -> Id<Def> {
    let [zero, one] = [0.0, 1.0].map(|value| k.imm_float(32, value));
    let linear = k.fmax(linear, zero);
    let linear = k.fmin(linear, one);
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

fn write(k: &mut Kernel<'_>, numbers: Numbers, place: [Id<Def>; 3], mut texel: [Id<Def>; 4]) {
    if numbers == Numbers::Srgb {
        for channel in texel.iter_mut().take(3) {
            *channel = encode(k, *channel);
        }
    }
    let (place, texel, zero) = (k.vec(&place), k.vec(&texel), k.imm_u32(0));
    let handle = k.handle(1);
    let indices = [
        Dim::D2 as u32,
        1,
        0,
        Access::default().bits(),
        base(numbers).index(),
    ];
    let srcs = [handle, place, zero, texel, zero];
    k.intrinsic(IntrinsicOp::BindlessImageStore, None, &srcs, &indices);
}

/// The shader. Push constants: 0 and 1 the first column and row of the destination, 2 and 3 columns and rows; then of a scaled picture,
/// by axis, the coordinate of the first place and what is added from one to the next, and the sampler; of samples the first column
/// and row of the source. Of first samples: the destination as `Plane::push` has it, columns and rows, first column and row of the source.
pub(crate) fn nir(picture: Picture) -> nir::Shader {
    match picture {
        Picture::Scaled { volume, numbers } => {
            plane_shader("scale_picture", 2, |k, [column, row, slice], push| {
                let [
                    left,
                    top,
                    columns,
                    rows,
                    x,
                    x_step,
                    y,
                    y_step,
                    z,
                    z_step,
                    sampler,
                ] = push;
                inside(k, [column, row], [columns, rows], |k| {
                    let along = |k: &mut Kernel<'_>, at, first, step| {
                        let at = k.u2f(at, 32);
                        let at = k.fmul(at, step);
                        k.fadd(at, first)
                    };
                    let place = [
                        along(k, column, x, x_step),
                        along(k, row, y, y_step),
                        along(k, slice, z, z_step),
                    ];
                    let (coord, level) = (k.vec(&place), k.imm_float(32, 0.0));
                    let shape = match volume {
                        true => (Dim::D3, false),
                        false => (Dim::D2, true),
                    };
                    let srcs = [
                        (TexSrc::Coord, coord),
                        (TexSrc::Lod, level),
                        (TexSrc::SamplerHandle, sampler),
                    ];
                    let texel = read(k, TexOp::Txl, shape, numbers, &srcs);
                    let place = [k.iadd(left, column), k.iadd(top, row), slice];
                    write(k, numbers, place, texel);
                });
            })
        }
        Picture::Joined {
            samples_log2,
            numbers,
        } => plane_shader("join_samples", 2, |k, [column, row, slice], push| {
            let [left, top, columns, rows, from_left, from_top] = push;
            inside(k, [column, row], [columns, rows], |k| {
                let from = [k.iadd(from_left, column), k.iadd(from_top, row), slice];
                let coord = k.vec(&from);
                // Of integers the first sample stands for all.
                let samples = match numbers {
                    Numbers::Integers => 1,
                    _ => 1 << samples_log2,
                };
                let mut texels: SmallVec<[[Id<Def>; 4]; 16]> = SmallVec::new();
                for sample in 0..samples {
                    let srcs = [(TexSrc::Coord, coord), (TexSrc::MsIndex, k.imm_u32(sample))];
                    texels.push(read(k, TexOp::TxfMs, (Dim::D2, true), numbers, &srcs));
                }
                let Some(mut texel) = sum(k, &texels) else {
                    return;
                };
                if samples > 1 {
                    let share = k.imm_float(32, 1.0 / f64::from(samples));
                    texel = texel.map(|channel| k.fmul(channel, share));
                }
                let place = [k.iadd(left, column), k.iadd(top, row), slice];
                write(k, numbers, place, texel);
            });
        }),
        Picture::First {
            destination,
            unit_log2,
        } => plane_shader("first_samples", 2, |k, [column, row, slice], push| {
            let push: [Id<Def>; 8] = push;
            let [.., columns, rows, from_left, from_top] = push;
            inside(k, [column, row], [columns, rows], |k| {
                let from = [k.iadd(from_left, column), k.iadd(from_top, row), slice];
                let (coord, first) = (k.vec(&from), k.imm_u32(0));
                let srcs = [(TexSrc::Coord, coord), (TexSrc::MsIndex, first)];
                let shape = (Dim::D2, true);
                let [texel, ..] = read(k, TexOp::TxfMs, shape, Numbers::Integers, &srcs);
                let bytes = 1 << unit_log2;
                let x = k.imul_imm(column, bytes.into());
                let to = place(k, destination, [x, row, slice], &push[..4]);
                let texel = match bytes {
                    1 => k.u2u(texel, 8),
                    2 => k.u2u(texel, 16),
                    _ => texel,
                };
                k.write_unit(1, to, bytes, texel);
            });
        }),
    }
}
