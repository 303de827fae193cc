//! Pictures scaled into others, and samples joined into pixels, or one value taken of them.
//!
//! In:  which of them, and of what. Out: NIR.
//! The source is a texture, the destination a storage image, of one layer or slice at a time, as each coordinate that a message does not
//! have is less to be put into it: the data port converts to every format that it knows, and the
//! encoding of sRGB is computed. First samples, stencil, and formats that it does not know go to bytes. Bindings: 0 the texture's surface, 1 the
//! destination's.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images", "sRGB".

use entity::Id;
use nir::{Access, Base, Def, Dim, IntrinsicOp, Tex, TexOp, TexSrc};
use smallvec::SmallVec;

use crate::kernel::{Kernel, inside, plane_shader, rows_shader};
use crate::launch::{Channel, Choice, Measure, Numbers, Order, Picture};
use crate::texel::place;

/// A sum, made one after the other.
fn sum(k: &mut Kernel<'_>, values: &[[Id<Def>; 4]]) -> Option<[Id<Def>; 4]> {
    let (first, rest) = values.split_first()?;
    Some(rest.iter().fold(*first, |sum, value| {
        [0, 1, 2, 3].map(|channel: usize| k.fadd(sum[channel], value[channel]))
    }))
}

/// The coordinate of a column or row, given that of the first and what is added from one to the next.
pub(crate) fn along(k: &mut Kernel<'_>, at: Id<Def>, first: Id<Def>, step: Id<Def>) -> Id<Def> {
    let at = k.u2f(at, 32);
    let at = k.fmul(at, step);
    k.fadd(at, first)
}

/// What a sampler makes of a place of level 0 of a texture: of three dimensions, or of the first two.
pub(crate) fn scaled(
    k: &mut Kernel<'_>,
    volume: bool,
    numbers: Numbers,
    place: [Id<Def>; 3],
    sampler: Id<Def>,
) -> [Id<Def>; 4] {
    let (axes, dim) = match volume {
        true => (&place[..], Dim::D3),
        false => (&place[..2], Dim::D2),
    };
    let (coord, level) = (k.vec(axes), k.imm_float(32, 0.0));
    let srcs = [
        (TexSrc::Coord, coord),
        (TexSrc::Lod, level),
        (TexSrc::SamplerHandle, sampler),
    ];
    read(k, TexOp::Txl, (dim, false), numbers, &srcs)
}

pub(crate) fn read(
    k: &mut Kernel<'_>,
    op: TexOp,
    (dim, array): (Dim, bool),
    numbers: Numbers,
    srcs: &[(TexSrc, Id<Def>)],
) -> [Id<Def>; 4] {
    let texel = ask(k, op, (dim, array), base(numbers), srcs, 4);
    [0, 1, 2, 3].map(|channel| k.channel(texel, channel))
}

/// What the sampler answers, in so many dwords.
fn ask(
    k: &mut Kernel<'_>,
    op: TexOp,
    (dim, array): (Dim, bool),
    dest_type: Base,
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
    };
    k.tex(tex, components, 32)
}

/// The mean of a pixel's samples. Where the control surface says that all are in the first slice, or cleared, one is read alone: mostly so.
/// `unsaid` is not 0 where there is no control surface, of which nothing can be said.
pub(crate) fn mean(
    k: &mut Kernel<'_>,
    samples_log2: u32,
    numbers: Numbers,
    coord: Id<Def>,
    unsaid: Id<Def>,
) -> Option<[Id<Def>; 4]> {
    const SHAPE: (Dim, bool) = (Dim::D2, false);
    let place = (TexSrc::Coord, coord);
    let says = ask(k, TexOp::TxfMsMcs, SHAPE, Base::Uint, &[place], 2);
    let one = |k: &mut Kernel<'_>, sample| {
        let which = (TexSrc::MsIndex, k.imm_u32(sample));
        let control = (TexSrc::MsMcs, says);
        read(k, TexOp::TxfMs, SHAPE, numbers, &[place, which, control])
    };
    let first = one(k, 0);
    // Of two samples there are two bits, and of sixteen two dwords.
    let low = k.channel(says, 0);
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
            let high = k.channel(says, 1);
            (k.ior(low, high), k.iand(low, high))
        }
        _ => (low, low),
    };
    let none = k.imm_u32(0);
    let differs = k.ine(slices, none);
    let drawn = k.ine(ones, whole);
    let apart = k.iand(differs, drawn);
    let unsaid = k.ine(unsaid, none);
    let apart = k.ior(apart, unsaid);
    k.push_if(apart);
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

fn base(numbers: Numbers) -> Base {
    match numbers {
        Numbers::Integers | Numbers::Stencil => Base::Uint,
        Numbers::Floats | Numbers::Srgb | Numbers::Packed(_) | Numbers::Three(_) => Base::Float,
    }
}

/// A linear number as sRGB has it. Whoever stores it keeps it between 0 and 1.
fn encode(k: &mut Kernel<'_>, linear: Id<Def>) -> Id<Def> {
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

/// A number from 0 to 1 as an integer from 0 to `most`.
fn normalised(k: &mut Kernel<'_>, number: Id<Def>, most: Id<Def>) -> Id<Def> {
    let [zero, one] = [0.0, 1.0].map(|value| k.imm_float(32, value));
    let scale = k.u2f(most, 32);
    let number = k.fmax(number, zero);
    let number = k.fmin(number, one);
    let scaled = k.fmul(number, scale);
    let rounded = k.fround_even(scaled);
    k.f2u(rounded, 32)
}

/// A number as a channel is stored.
fn stored(k: &mut Kernel<'_>, channel: Channel, number: Id<Def>) -> Id<Def> {
    let number = match channel {
        Channel::Srgb8 => encode(k, number),
        _ => number,
    };
    match channel {
        Channel::Unorm8 | Channel::Srgb8 => {
            let most = k.imm_u32(0xff);
            let value = normalised(k, number, most);
            k.u2u(value, 8)
        }
        Channel::Unorm16 => {
            let most = k.imm_u32(0xffff);
            let value = normalised(k, number, most);
            k.u2u(value, 16)
        }
        Channel::Float16 => k.f2f_rtne(number, 16),
        Channel::Float32 => number,
    }
}

/// Numbers from 0 to 1 as so many bits each, from a bit on: `packing` has a byte for each, the first bit below the count of bits.
fn pack(k: &mut Kernel<'_>, texel: [Id<Def>; 4], packing: Id<Def>) -> Id<Def> {
    let (low, bit) = (k.imm_u32(0xf), k.imm_u32(1));
    let mut word = k.imm_u32(0);
    for (number, channel) in (0..).zip(texel) {
        let [at, bits] = [8 * number, 8 * number + 4].map(|shift| {
            let shift = k.imm_u32(shift);
            let part = k.ushr(packing, shift);
            k.iand(part, low)
        });
        let most = k.ishl(bit, bits);
        let most = k.iadd_imm(most, -1);
        let value = normalised(k, channel, most);
        let value = k.ishl(value, at);
        word = k.ior(word, value);
    }
    word
}

/// Writes a texel: `to` as the destination is told, and the packing.
fn write(
    k: &mut Kernel<'_>,
    numbers: Numbers,
    [column, row]: [Id<Def>; 2],
    (to, packing): (&[Id<Def>], Id<Def>),
    mut texel: [Id<Def>; 4],
) {
    let slice = k.imm_u32(0);
    if let Some((order, bytes)) = numbers.bytes() {
        let x = k.imul_imm(column, bytes.into());
        let to = place(k, (order, 0), [x, row, slice], to);
        let value = match numbers {
            Numbers::Packed(_) => pack(k, texel, packing),
            _ => texel[0],
        };
        let value = k.u2u(value, 8 * bytes as u8);
        k.write_unit(1, to, bytes, value);
        return;
    }
    if let Numbers::Three(channel) = numbers {
        let bytes = channel.bytes();
        let x = k.imul_imm(column, (3 * bytes).into());
        let first = place(k, (Order::Rows, 0), [x, row, slice], to);
        for (number, value) in (0..3).zip(texel) {
            let to = k.iadd_imm(first, number * i64::from(bytes));
            let value = stored(k, channel, value);
            k.write_unit(1, to, bytes, value);
        }
        return;
    }
    if numbers == Numbers::Srgb {
        for channel in texel.iter_mut().take(3) {
            *channel = encode(k, *channel);
        }
    }
    let &[left, top, ..] = to else { return };
    let place = [k.iadd(left, column), k.iadd(top, row)];
    let (place, texel, zero) = (k.vec(&place), k.vec(&texel), k.imm_u32(0));
    let handle = k.handle(1);
    let indices = [
        Dim::D2 as u32,
        0,
        0,
        Access::default().bits(),
        base(numbers).index(),
    ];
    let srcs = [handle, place, zero, texel, zero];
    k.intrinsic(IntrinsicOp::BindlessImageStore, None, &srcs, &indices);
}

/// The shader. Push constants: 0 to 3 the destination as `Plane::push` has it, or of a storage image its first column and row; 4 and 5
/// columns and rows. Then of a scaled picture, of columns and of rows, the coordinate of the first place and what is added from one to the
/// next, the coordinate of the slice, the sampler and the packing; of samples the first column and row of the source, the packing, and 1 where it has no control surface.
pub(crate) fn nir(picture: Picture) -> nir::Shader {
    match picture {
        Picture::Scaled { volume, numbers } => {
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
                    let place = [along(k, column, x, x_step), along(k, row, y, y_step), z];
                    let texel = scaled(k, volume, numbers, place, sampler);
                    write(k, numbers, [column, row], (&to, packing), texel);
                });
            })
        }
        Picture::Joined {
            samples_log2,
            numbers,
        } => rows_shader("join_samples", 2, |k, column, row, push| {
            let push: [Id<Def>; 10] = push;
            let [to @ .., columns, rows, from_left, from_top, packing, unsaid] = push;
            inside(k, [column, row], [columns, rows], |k| {
                let from = [k.iadd(from_left, column), k.iadd(from_top, row)];
                let coord = k.vec(&from);
                let texel = match numbers {
                    // The first sample stands for all.
                    Numbers::Integers | Numbers::Stencil => {
                        let first = (TexSrc::MsIndex, k.imm_u32(0));
                        let srcs = [(TexSrc::Coord, coord), first];
                        Some(read(k, TexOp::TxfMs, (Dim::D2, false), numbers, &srcs))
                    }
                    _ => mean(k, samples_log2, numbers, coord, unsaid),
                };
                let Some(texel) = texel else { return };
                write(k, numbers, [column, row], (&to, packing), texel);
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
                let to = place(k, (destination, 0), [x, row, slice], &push[..4]);
                let texel = match bytes {
                    1 => k.u2u(texel, 8),
                    2 => k.u2u(texel, 16),
                    _ => texel,
                };
                k.write_unit(1, to, bytes, texel);
            });
        }),
        Picture::Chosen {
            choice,
            kind,
            samples_log2,
        } => plane_shader("chosen_samples", 2, |k, [column, row, slice], push| {
            let push: [Id<Def>; 8] = push;
            let [.., columns, rows, from_left, from_top] = push;
            inside(k, [column, row], [columns, rows], |k| {
                let from = [k.iadd(from_left, column), k.iadd(from_top, row), slice];
                let coord = k.vec(&from);
                let mut values: SmallVec<[Id<Def>; 16]> = SmallVec::new();
                for sample in 0..1 << samples_log2 {
                    let srcs = [(TexSrc::Coord, coord), (TexSrc::MsIndex, k.imm_u32(sample))];
                    let shape = (Dim::D2, true);
                    let [texel, ..] = read(k, TexOp::TxfMs, shape, Numbers::Integers, &srcs);
                    values.push(match kind {
                        Measure::Depth24 => {
                            let depth = k.imm_u32(0xff_ffff);
                            k.iand(texel, depth)
                        }
                        _ => texel,
                    });
                }
                let Some(value) = choose(k, choice, kind, &values) else {
                    return;
                };
                let bytes = 1 << kind.unit_log2();
                let x = k.imul_imm(column, bytes.into());
                let to = place(k, (kind.order(), 0), [x, row, slice], &push[..4]);
                let value = match bytes {
                    1 => k.u2u(value, 8),
                    2 => k.u2u(value, 16),
                    _ => value,
                };
                k.write_unit(1, to, bytes, value);
            });
        }),
    }
}

/// One value for all of them.
fn choose(
    k: &mut Kernel<'_>,
    choice: Choice,
    kind: Measure,
    values: &[Id<Def>],
) -> Option<Id<Def>> {
    let float = kind == Measure::DepthFloat;
    let (&first, rest) = values.split_first()?;
    let all = rest
        .iter()
        .fold(first, |all, &value| match (choice, float) {
            (Choice::First, _) => all,
            (Choice::Least, false) => k.umin(all, value),
            (Choice::Least, true) => k.fmin(all, value),
            (Choice::Greatest, false) => k.umax(all, value),
            (Choice::Greatest, true) => k.fmax(all, value),
            (Choice::Mean, false) => k.iadd(all, value),
            (Choice::Mean, true) => k.fadd(all, value),
        });
    let count = values.len() as u32;
    Some(match (choice, float) {
        (Choice::Mean, true) => {
            let share = k.imm_float(32, 1.0 / f64::from(count));
            k.fmul(all, share)
        }
        // Rounded to the nearest: counts are powers of two.
        (Choice::Mean, false) => {
            let (half, shift) = (k.imm_u32(count / 2), k.imm_u32(count.ilog2()));
            let sum = k.iadd(all, half);
            k.ushr(sum, shift)
        }
        _ => all,
    })
}
