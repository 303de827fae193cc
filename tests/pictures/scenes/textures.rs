//! Sampling: filters, wraps, borders, levels, dimensions, and the other ways to read a texture.

use crate::Scene;
use crate::compare::{EXACT, FILTERED, LEVELS, ROUNDED, Tolerance};
use crate::stage::*;
use samples::Gpu;
use samples::vulkan::{Bound, Image, ImageInfo, ViewInfo, feature, vk};

const WRAPS: [(&str, vk::SamplerAddressMode); 4] = [
    ("repeat", vk::SamplerAddressMode::REPEAT),
    ("mirrored", vk::SamplerAddressMode::MIRRORED_REPEAT),
    ("clamped", vk::SamplerAddressMode::CLAMP_TO_EDGE),
    ("bordered", vk::SamplerAddressMode::CLAMP_TO_BORDER),
];
const FILTERS: [(&str, vk::Filter, Tolerance); 2] = [
    ("nearest", vk::Filter::NEAREST, EXACT),
    ("linear", vk::Filter::LINEAR, FILTERED),
];
const CLAMP: vk::SamplerAddressMode = vk::SamplerAddressMode::CLAMP_TO_EDGE;

/// A texture of bytes without a pattern, larger than a target's texel so that nothing falls between
/// two texels.
fn small(gpu: &Gpu) -> Result<Image, samples::Error> {
    noise(gpu, ImageInfo::new(RGBA8, 8, 8))
}

/// Reads a texture of some form by an expression and draws what it gives.
fn read(
    name: &str,
    tolerance: Tolerance,
    info: ImageInfo,
    filter: vk::Filter,
    declaration: &'static str,
    expression: &'static str,
) -> Scene {
    scene(name, tolerance, move |gpu| {
        let image = noise(gpu, info)?;
        let sampler = sampler(gpu, filter, CLAMP)?;
        let binding = format!("layout(binding = 0) uniform {declaration} t;");
        let shader = fragment(&binding, &format!("colour = {expression};"));
        shots(
            gpu,
            &cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?,
        )
    })
}

/// Draws with a changed view of an image of three levels and four layers.
fn viewed(name: &str, change: fn(&mut ViewInfo), declaration: &'static str) -> Scene {
    scene(name, EXACT, move |gpu| {
        let image = noise(gpu, ImageInfo::new(RGBA8, 16, 16).mips(3).array(4))?;
        let mut info = image.view_info();
        change(&mut info);
        let view = gpu.view(&image, info)?;
        let sampler = sampler(gpu, vk::Filter::NEAREST, CLAMP)?;
        let binding = format!("layout(binding = 0) uniform {declaration} t;");
        let place = if declaration == "sampler2D" {
            "uv"
        } else {
            "vec3(uv, floor(uv.x * 3.0))"
        };
        let shader = fragment(&binding, &format!("colour = textureLod(t, {place}, 0.0);"));
        shots(
            gpu,
            &cover(gpu, RGBA8, &shader, &[Bound::Texture(view, sampler)])?,
        )
    })
}

/// Draws with a sampler of its own and an expression, from a texture with levels.
fn sampled(
    name: &str,
    tolerance: Tolerance,
    expression: &'static str,
    change: fn(vk::SamplerCreateInfo<'static>) -> vk::SamplerCreateInfo<'static>,
) -> Scene {
    scene(name, tolerance, move |gpu| {
        let image = noise(gpu, ImageInfo::new(RGBA8, 16, 16).mips(5))?;
        let sampler = gpu.sampler(&change(sampler_info(vk::Filter::NEAREST, CLAMP)))?;
        let shader = fragment(
            "layout(binding = 0) uniform sampler2D t;",
            &format!("colour = {expression};"),
        );
        shots(
            gpu,
            &cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?,
        )
    })
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let mut all = Vec::new();
    for (filter_name, filter, tolerance) in FILTERS {
        for (wrap_name, wrap) in WRAPS {
            all.push(scene(
                format!("texture_{filter_name}_{wrap_name}"),
                tolerance,
                move |gpu| {
                    let image = small(gpu)?;
                    let sampler = sampler(gpu, filter, wrap)?;
                    let shader = fragment(
                        "layout(binding = 0) uniform sampler2D t;",
                        "colour = textureLod(t, uv * 3.1 - 1.07, 0.0);",
                    );
                    shots(
                        gpu,
                        &cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?,
                    )
                },
            ));
        }
    }
    // The third coordinate has a way of its own beyond the edges; above it is magnified, below
    // minified.
    for (wrap_name, wrap) in WRAPS {
        let name = format!("volume_{wrap_name}");
        all.push(scene(name, FILTERED, move |gpu| {
            let image = noise(gpu, ImageInfo::new(RGBA8, 8, 8).volume(8))?;
            let sampler = sampler(gpu, vk::Filter::LINEAR, wrap)?;
            let shader = fragment(
                "layout(binding = 0) uniform sampler3D t;",
                "colour = textureLod(t, vec3(uv * 1.37, uv.x * 1.3 + uv.y * 1.6 - 0.97), step(0.5, uv.y));",
            );
            let bound = [Bound::Texture(image.view, sampler)];
            shots(gpu, &cover(gpu, RGBA8, &shader, &bound)?)
        }));
    }
    for (name, colour) in [
        ("border_opaque_black", vk::BorderColor::FLOAT_OPAQUE_BLACK),
        ("border_opaque_white", vk::BorderColor::FLOAT_OPAQUE_WHITE),
    ] {
        all.push(scene(name, EXACT, move |gpu| {
            let image = small(gpu)?;
            let info = sampler_info(vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_BORDER);
            let sampler = gpu.sampler(&info.border_color(colour))?;
            let shader = fragment(
                "layout(binding = 0) uniform sampler2D t;",
                "colour = textureLod(t, uv * 2.0 - 0.5, 0.0);",
            );
            shots(
                gpu,
                &cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?,
            )
        }));
    }
    all.extend(levels());
    all.extend(dimensions());
    all.extend(other_reads());
    all.extend([
        viewed(
            "view_of_a_level",
            |v| {
                v.kind = vk::ImageViewType::TYPE_2D;
                (v.mips, v.layers) = ((1, 1), (2, 1));
            },
            "sampler2D",
        ),
        viewed("view_of_layers", |v| v.layers = (1, 3), "sampler2DArray"),
        viewed(
            "view_swizzled",
            |v| {
                v.kind = vk::ImageViewType::TYPE_2D;
                v.layers = (3, 1);
                v.swizzle = vk::ComponentMapping {
                    r: vk::ComponentSwizzle::B,
                    g: vk::ComponentSwizzle::ONE,
                    b: vk::ComponentSwizzle::R,
                    a: vk::ComponentSwizzle::ZERO,
                };
            },
            "sampler2D",
        ),
    ]);
    all
}

fn levels() -> Vec<Scene> {
    vec![
        sampled(
            "level_explicit",
            EXACT,
            "textureLod(t, uv, floor(uv.y * 5.0))",
            |s| s,
        ),
        sampled(
            "level_between_two",
            FILTERED,
            "textureLod(t, uv, uv.y * 4.0)",
            |s| s.mipmap_mode(vk::SamplerMipmapMode::LINEAR),
        ),
        sampled(
            "level_trilinear",
            FILTERED,
            "textureLod(t, uv * 1.7, uv.y * 4.0)",
            |s| {
                s.mipmap_mode(vk::SamplerMipmapMode::LINEAR)
                    .mag_filter(vk::Filter::LINEAR)
                    .min_filter(vk::Filter::LINEAR)
            },
        ),
        sampled(
            "level_clamped",
            EXACT,
            "textureLod(t, uv, floor(uv.y * 5.0))",
            |s| s.min_lod(1.0).max_lod(2.0),
        ),
        sampled(
            "level_biased",
            EXACT,
            "textureLod(t, uv, floor(uv.y * 3.0))",
            |s| s.mip_lod_bias(1.0),
        ),
        // The target has two texels for each of the texture's: level -1, so a bias of 2 is level 1.
        sampled("level_by_derivative", EXACT, "texture(t, uv, 2.0)", |s| s),
        sampled(
            "level_by_gradient",
            LEVELS,
            "textureGrad(t, uv, vec2(0.25, 0.0), vec2(0.0, 0.25))",
            |s| s.mipmap_mode(vk::SamplerMipmapMode::LINEAR),
        ),
        sampled(
            "magnified_and_minified_filters_differ",
            LEVELS,
            "uv.x < 0.5 ? textureLod(t, uv, 0.0) : textureLod(t, uv * 0.9, 1.0)",
            |s| s.min_filter(vk::Filter::LINEAR),
        ),
    ]
}

fn dimensions() -> Vec<Scene> {
    let (nearest, linear) = (vk::Filter::NEAREST, vk::Filter::LINEAR);
    let flat = ImageInfo::new(RGBA8, 8, 8);
    vec![
        read(
            "line_nearest",
            EXACT,
            flat.line(),
            nearest,
            "sampler1D",
            "texture(t, uv.x)",
        ),
        read(
            "line_linear",
            FILTERED,
            flat.line(),
            linear,
            "sampler1D",
            "texture(t, uv.x * 1.3)",
        ),
        read(
            "line_array",
            EXACT,
            flat.line().array(4),
            nearest,
            "sampler1DArray",
            "texture(t, vec2(uv.x, uv.y * 5.0 - 0.7))",
        ),
        read(
            "array_layers_are_rounded_and_clamped",
            EXACT,
            flat.array(5),
            nearest,
            "sampler2DArray",
            "texture(t, vec3(uv, uv.x * 8.0 - 1.3))",
        ),
        read(
            "array_linear",
            FILTERED,
            flat.array(3),
            linear,
            "sampler2DArray",
            "texture(t, vec3(uv, floor(uv.x * 3.0)))",
        ),
        read(
            "volume_nearest",
            EXACT,
            flat.volume(8),
            nearest,
            "sampler3D",
            "texture(t, vec3(uv, fract(uv.x * 3.0)))",
        ),
        read(
            "volume_linear",
            FILTERED,
            flat.volume(8),
            linear,
            "sampler3D",
            "texture(t, vec3(uv, uv.x * 0.7 + 0.11))",
        ),
        read(
            "cube_nearest",
            EXACT,
            flat.cube(),
            nearest,
            "samplerCube",
            "texture(t, vec3(uv.x * 3.9 - 1.93, uv.y * 3.7 - 1.81, 1.0 - 2.0 * step(0.5, fract(uv.x * 4.0))))",
        ),
        read(
            "cube_linear_across_edges",
            FILTERED,
            flat.cube(),
            linear,
            "samplerCube",
            "textureLod(t, vec3(uv.x * 3.9 - 1.93, uv.y * 3.7 - 1.81, 1.0 - 2.0 * step(0.5, fract(uv.x * 4.0))), 0.0)",
        ),
        read(
            "cube_array",
            EXACT,
            ImageInfo {
                layers: 12,
                kind: vk::ImageViewType::CUBE_ARRAY,
                ..flat
            },
            nearest,
            "samplerCubeArray",
            "textureLod(t, vec4(uv.x * 3.9 - 1.93, 1.0, uv.y * 3.7 - 1.81, uv.y * 1.4), 0.0)",
        )
        .needs(&[feature::CUBE_ARRAY]),
        read(
            "unsigned_texture",
            EXACT,
            ImageInfo::new(vk::Format::R8G8B8A8_UINT, 8, 8),
            nearest,
            "usampler2D",
            "vec4(texture(t, uv)) / 255.0",
        ),
        read(
            "signed_texture",
            ROUNDED,
            ImageInfo::new(vk::Format::R16G16_SINT, 8, 8),
            nearest,
            "isampler2D",
            "abs(vec4(texture(t, uv))) / 32768.0",
        ),
        read(
            "srgb_texture",
            ROUNDED,
            ImageInfo::new(vk::Format::R8G8B8A8_SRGB, 8, 8),
            nearest,
            "sampler2D",
            "texture(t, uv)",
        ),
    ]
}

fn other_reads() -> Vec<Scene> {
    let (nearest, linear) = (vk::Filter::NEAREST, vk::Filter::LINEAR);
    let flat = ImageInfo::new(RGBA8, 8, 8);
    vec![
        read("texel_fetch", EXACT, flat.mips(3), nearest, "sampler2D",
            "texelFetch(t, ivec2(uv * vec2(textureSize(t, 1))), 1)"),
        read("texel_fetch_with_offset", EXACT, flat, nearest, "sampler2D",
            "texelFetchOffset(t, ivec2(uv * 5.0) + 1, 0, ivec2(1, -1))"),
        read("sizes_and_levels", EXACT, ImageInfo::new(RGBA8, 24, 12).mips(4), nearest, "sampler2D",
            "vec4(vec2(textureSize(t, int(uv.x * 4.0))), float(textureQueryLevels(t)), 0.0) / 255.0"),
        read("gathered", EXACT, flat, nearest, "sampler2D",
            "uv.x < 0.25 ? textureGather(t, uv + 0.01, 0) : uv.x < 0.5 ? textureGather(t, uv + 0.01, 1)
                : uv.x < 0.75 ? textureGather(t, uv + 0.01, 2) : textureGather(t, uv + 0.01, 3)"),
        read("gathered_with_offset", EXACT, flat, nearest, "sampler2D",
            "textureGatherOffset(t, uv + 0.01, ivec2(-2, 1), 1)"),
        read("gathered_with_four_offsets", EXACT, flat, nearest, "sampler2D",
            "textureGatherOffsets(t, uv + 0.01, ivec2[4](ivec2(-8, 7), ivec2(3, -20), ivec2(0, 1), ivec2(31, -32)), 2)")
            .needs(&[feature::GATHER_EXTENDED]),
        read("gathered_with_a_far_offset", EXACT, flat, nearest, "sampler2D",
            "uv.x < 0.5 ? textureGatherOffset(t, uv + 0.01, ivec2(-9, 2), 1) : textureGatherOffset(t, uv + 0.01, ivec2(31, 8), 3)")
            .needs(&[feature::GATHER_EXTENDED]),
        read("gathered_with_computed_offset", EXACT, flat, nearest, "sampler2D",
            "textureGatherOffset(t, vec2(0.51), ivec2(uv * 64.0) - 32, 1)")
            .needs(&[feature::GATHER_EXTENDED]),
        read("gathered_of_layers_with_computed_offset", EXACT, flat.array(3), nearest, "sampler2DArray",
            "textureGatherOffset(t, vec3(0.51, 0.51, uv.x * 3.0), ivec2(uv * 8.0) - 4, 2)")
            .needs(&[feature::GATHER_EXTENDED]),
        scene("gathered_comparisons_with_computed_offset", EXACT, |gpu| {
            let image = noise(gpu, ImageInfo::new(vk::Format::D16_UNORM, 8, 8).target())?;
            let info = sampler_info(vk::Filter::NEAREST, CLAMP)
                .compare_enable(true)
                .compare_op(vk::CompareOp::LESS);
            let sampler = gpu.sampler(&info)?;
            let shader = fragment(
                "layout(binding = 0) uniform sampler2DShadow t;",
                "colour = textureGatherOffset(t, vec2(0.51), uv.y, ivec2(uv * 16.0) - 8);",
            );
            shots(gpu, &cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?)
        })
        .needs(&[feature::GATHER_EXTENDED]),
        read("offset", FILTERED, flat, linear, "sampler2D", "textureLodOffset(t, uv, 0.0, ivec2(2, -1))"),
        read("projected", FILTERED, flat, linear, "sampler2D", "textureProjLod(t, vec3(uv * 1.5, 1.5 + 0.0), 0.0)"),
        scene("compared_by_every_operation", EXACT, |gpu| {
            let image = noise(gpu, ImageInfo::new(vk::Format::D16_UNORM, 8, 8).target())?;
            let mut samplers = Vec::new();
            for op in 0..8 {
                let info = sampler_info(vk::Filter::NEAREST, CLAMP)
                    .compare_enable(true)
                    .compare_op(vk::CompareOp::from_raw(op));
                samplers.push((image.view, gpu.sampler(&info)?));
            }
            // An array of samplers, each named by a constant.
            let each = (0..8).map(|i| {
                format!("if (int(uv.x * 8.0) == {i}) lit = textureLod(t[{i}], vec3(uv.yx, 0.5), 0.0);")
            });
            let shader = fragment(
                "layout(binding = 0) uniform sampler2DShadow t[8];",
                &format!("float lit = 0.5; {} colour = vec4(lit);", each.collect::<String>()),
            );
            shots(gpu, &cover(gpu, RGBA8, &shader, &[Bound::Textures(&samplers)])?)
        }),
        scene("texels_by_whole_coordinates", EXACT, |gpu| {
            let image = small(gpu)?;
            let info = vk::SamplerCreateInfo::default()
                .address_mode_u(CLAMP)
                .address_mode_v(CLAMP)
                .unnormalized_coordinates(true);
            let sampler = gpu.sampler(&info)?;
            let shader = fragment(
                "layout(binding = 0) uniform sampler2D t;",
                "colour = textureLod(t, uv * 9.0 - 0.5, 0.0);",
            );
            shots(gpu, &cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?)
        }),
        scene("sampler_apart_from_image", EXACT, |gpu| {
            let image = small(gpu)?;
            let sampler = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::REPEAT)?;
            let shader = fragment(
                "layout(binding = 0) uniform texture2D t; layout(binding = 1) uniform sampler s;",
                "colour = textureLod(sampler2D(t, s), uv * 2.0, 0.0);",
            );
            let bound = [Bound::Image(image.view), Bound::Sampler(sampler)];
            shots(gpu, &cover(gpu, RGBA8, &shader, &bound)?)
        }),
        scene("several_textures_in_one_set", EXACT, |gpu| {
            let sampler = sampler(gpu, vk::Filter::NEAREST, CLAMP)?;
            let first = small(gpu)?;
            let second = noise(gpu, ImageInfo::new(vk::Format::R8_UNORM, 16, 4))?;
            let third = noise(gpu, ImageInfo::new(RGBA8, 4, 16))?;
            let array = [(second.view, sampler), (third.view, sampler)];
            let shader = fragment(
                "layout(binding = 0) uniform sampler2D a; layout(binding = 1) uniform sampler2D b[2];",
                "colour = vec4(textureLod(a, uv, 0.0).rg, textureLod(b[0], uv, 0.0).r, textureLod(b[1], uv, 0.0).g);",
            );
            let bound = [Bound::Texture(first.view, sampler), Bound::Textures(&array)];
            shots(gpu, &cover(gpu, RGBA8, &shader, &bound)?)
        }),
    ]
}
