//! Lowers textures with several planes and Y'CbCr conversions.
//!
//! In:  `tex` with handles, and the descriptors with conversions ([`Ctx::conversions`]).
//! Out: one `tex` per plane, and the conversion's arithmetic. Queries use the first plane.
//! Ref: Vulkan specification, "Sampler Y'CbCr Conversion": "Implicit" chroma reconstruction,
//!      "Sampler Y'CbCr Range Expansion", "Sampler Y'CbCr Model Conversion".
//! Tests: tests/opt/lower_ycbcr/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use abi::{ColourModel, DESCRIPTOR_SLOT_BYTES, YcbcrComponent, YcbcrConversion};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_ycbcr(s: &mut Shader, ctx: &Ctx) -> bool {
    if ctx.conversions.is_empty() {
        return false;
    }
    lower_instrs(
        s,
        |_, i| match i {
            Instr::Tex(t) => t.op.needs_sampler() && !t.op.is_query() && !t.shadow,
            _ => false,
        },
        |b, id| {
            let Instr::Tex(t) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            match find_conversion(b.shader, &t, ctx) {
                Some(conversion) => emit_planes(b, &t, &conversion),
                None => Action::Keep,
            }
        },
    )
}

/// The conversion of a sampler. With a dynamic array index, the one that all elements share.
fn find_conversion(s: &Shader, t: &Tex, ctx: &Ctx) -> Option<YcbcrConversion> {
    let Instr::Intrinsic(index) = s.instr_of(t.src(TexSrc::SamplerHandle)?) else {
        return None;
    };
    if index.op != IntrinsicOp::VulkanSamplerIndex {
        return None;
    }
    let binding = (index.index("set"), index.index("binding"));
    let all = ctx.conversions.iter();
    let mut matching = all.filter(|(set, c)| (*set, c.binding) == binding);
    match s.const_component(index.srcs[0], 0) {
        Some(element) => {
            let found = matching.find(|(_, c)| u64::from(c.element) == element)?;
            Some(found.1.conversion)
        }
        None => {
            let first = matching.next()?.1.conversion;
            matching
                .all(|(_, c)| c.conversion == first)
                .then_some(first)
        }
    }
}

fn emit_planes(b: &mut Builder<'_>, t: &Tex, by: &YcbcrConversion) -> Action {
    let (Some(surface), Some(sampler), Some(coord)) = (
        t.src(TexSrc::TextureHandle),
        t.src(TexSrc::SamplerHandle),
        t.src(TexSrc::Coord),
    ) else {
        return Action::Keep;
    };
    let mut planes: SmallVec<[SmallVec<[Id<Def>; 4]>; 3]> = SmallVec::new();
    for plane in 0..by.planes.max(1) {
        let mut fetch = t.clone();
        if plane > 0 {
            // Surface handles are byte offsets shifted left by six bits.
            let slot = (i64::from(plane) * i64::from(DESCRIPTOR_SLOT_BYTES)) << 6;
            let surface = b.iadd_imm(surface, slot);
            fetch.set_src(TexSrc::TextureHandle, surface);
            let sampler = b.iadd_imm(sampler, -i64::from(DESCRIPTOR_SLOT_BYTES));
            fetch.set_src(TexSrc::SamplerHandle, sampler);
            let coord = cosited_coord(b, t, coord, by.cosited);
            fetch.set_src(TexSrc::Coord, coord);
        }
        let texel = b.tex(fetch, 4, 32);
        let mut components = b.channels(texel);
        if let Some(scale) = upper_bits_scale(by.bits) {
            let scale = b.imm_float(32, scale);
            for component in &mut components {
                *component = b.fmul(*component, scale);
            }
        }
        planes.push(components);
    }
    let [zero, one] = [0.0, 1.0].map(|value| b.imm_float(32, value));
    let pick = |component| match component {
        YcbcrComponent::Zero => zero,
        YcbcrComponent::One => one,
        YcbcrComponent::Plane { plane, component } => planes
            .get(usize::from(plane))
            .and_then(|plane| plane.get(usize::from(component)))
            .copied()
            .unwrap_or(zero),
    };
    let [cr, y, cb, alpha] = by.components.map(pick);
    let [red, green, blue] = to_rgb(b, by, [cr, y, cb]);
    let bits = b.shader.defs[t.def].bit_size;
    let count = usize::from(b.shader.defs[t.def].num_components);
    let all = [red, green, blue, alpha].into_iter().take(count);
    Action::ReplaceVec(all.map(|value| b.f2f(value, bits)).collect())
}

/// The factor from numbers of 16 bits, of which only the upper `bits` are used, to numbers of that
/// many bits; none for those that use all bits of their size.
fn upper_bits_scale(bits: u8) -> Option<f64> {
    let max = |bits: u8| f64::from(bits).exp2() - 1.0;
    let unused = 16_u8.checked_sub(bits)?;
    matches!(bits, 9..16).then(|| max(16) / (max(bits) * f64::from(unused).exp2()))
}

/// Adjusts the coordinates for a subsampled plane whose samples are cosited with the even texels of
/// the first plane.
fn cosited_coord(b: &mut Builder<'_>, t: &Tex, coord: Id<Def>, axes: [bool; 2]) -> Id<Def> {
    if axes == [false; 2] {
        return coord;
    }
    let lod = b.imm_u32(0);
    let mut srcs: SmallVec<[(TexSrc, Id<Def>); 4]> = SmallVec::new();
    srcs.extend(
        t.src(TexSrc::TextureHandle)
            .map(|h| (TexSrc::TextureHandle, h)),
    );
    srcs.push((TexSrc::Lod, lod));
    let query = Tex {
        op: TexOp::Txs,
        srcs,
        dest_type: BaseType::Int,
        sampler_non_uniform: false,
        offset_non_uniform: false,
        ..t.clone()
    };
    let components = query.result_components();
    let size = b.tex(query, components, 32);
    let half = b.imm_float(32, 0.5);
    let mut parts = b.channels(coord);
    for (axis, part) in (0..).zip(parts.iter_mut().take(2)) {
        if !axes[usize::from(axis)] {
            continue;
        }
        let texels = b.channel(size, axis);
        let texels = b.i2f(texels, 32);
        let texel_size = b.frcp(texels);
        *part = b.ffma(texel_size, half, *part);
    }
    b.vec(&parts)
}

/// The weights of red and blue in luma. Ref: the tables of the recommendations that give the models
/// their names.
fn luma_weights(model: ColourModel) -> Option<[f64; 2]> {
    match model {
        ColourModel::Rgb | ColourModel::Ycbcr => None,
        ColourModel::Bt709 => Some([0.2126, 0.0722]),
        ColourModel::Bt601 => Some([0.299, 0.114]),
        ColourModel::Bt2020 => Some([0.2627, 0.0593]),
    }
}

/// Converts Cr, Y' and Cb to red, green and blue.
fn to_rgb(b: &mut Builder<'_>, by: &YcbcrConversion, from: [Id<Def>; 3]) -> [Id<Def>; 3] {
    if by.model == ColourModel::Rgb {
        return from;
    }
    let bits = i32::from(by.bits.max(8));
    let max = f64::from(bits).exp2() - 1.0;
    // Scale of an 8-bit number in this number of bits.
    let wide = f64::from(bits - 8).exp2();
    // Factor and summand of luma, and of chroma.
    let [luma, chroma] = match by.narrow {
        true => [
            [max / (219.0 * wide), -16.0 / 219.0],
            [max / (224.0 * wide), -128.0 / 224.0],
        ],
        false => [[1.0, 0.0], [1.0, -128.0 * wide / max]],
    };
    let expand = |b: &mut Builder<'_>, value, [factor, summand]: [f64; 2]| {
        let [factor, summand] = [factor, summand].map(|number| b.imm_float(32, number));
        b.ffma(value, factor, summand)
    };
    let [cr, y, cb] = from;
    let (cr, cb) = (expand(b, cr, chroma), expand(b, cb, chroma));
    let y = match by.narrow {
        true => expand(b, y, luma),
        false => y,
    };
    let Some([red, blue]) = luma_weights(by.model) else {
        return [cr, y, cb];
    };
    let green = 1.0 - red - blue;
    let add = |b: &mut Builder<'_>, to, value, factor: f64| {
        let factor = b.imm_float(32, factor);
        b.ffma(value, factor, to)
    };
    let without_red = add(b, y, cr, -2.0 * red * (1.0 - red) / green);
    [
        add(b, y, cr, 2.0 * (1.0 - red)),
        add(b, without_red, cb, -2.0 * blue * (1.0 - blue) / green),
        add(b, y, cb, 2.0 * (1.0 - blue)),
    ]
}
