//! What render targets hold after writes: blended, masked, clamped, and next to fast-cleared
//! blocks.
//!
//! Ref: SKL PRM vol. 7, "Color Buffer Blending", "Logic Ops", "MCS Buffer for Render Target(s)",
//!      "Render Target Fast Clear"; formats by their definitions in Vulkan.

use crate::draw::pixel::blend::Blend;
use crate::draw::pixel::clear::{clear_or_resolve_pixel as special, hz_op};
use crate::draw::pixel::state::AuxOperation;
use crate::draw::pixel::target::{RenderTarget, identity_mcs};
use crate::draw::pixel::testing::{
    COLOUR, CONTROL, DEPTH, PITCH, Rig, STENCIL, SURFACES, TARGET, w_tile, y_tile,
};
use crate::surface::Image;
use hw::Field;
use hw::draw::{state_clear_params as params, state_depth_buffer as db, state_wm_hz_op as op};
use hw::draw_state::blend_state_entry as entry;
use hw::state::render_surface_state as rss;

const R32G32B32A32_FLOAT: u64 = 0x000;
const R32G32B32A32_UINT: u64 = 0x002;
const R16G16B16A16_UNORM: u64 = 0x080;
const R8G8B8A8_UNORM: u64 = 0x0c7;
const R8G8B8A8_SNORM: u64 = 0x0c9;
const R8G8B8A8_UINT: u64 = 0x0cb;
const R32_UINT: u64 = 0x0d7;
const R32_FLOAT: u64 = 0x0d8;

pub(in crate::draw::pixel) fn blend(fields: &[(Field, u64)]) -> Blend {
    let mut words = [0; 2];
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    Blend::read(&words, false)
}

pub(in crate::draw::pixel) fn image(rig: &mut Rig, format: u64, fields: &[(Field, u64)]) -> Image {
    rig.bind(0, format, fields);
    Image::read(&rig.view(), SURFACES + TARGET).expect("a surface")
}

/// The dword of pixel (3, 2) of a target that held `old`, written alone and as a part of a subspan.
fn mixed(format: u64, blend: Blend, constant: [f32; 4], old: u32, colour: [u32; 4]) -> u32 {
    let mut rig = Rig::new();
    let image = image(&mut rig, format, &[]);
    let place = COLOUR + 2 * PITCH + 3 * 4;
    let view = rig.view();
    let found = [false, true].map(|by_subspan| {
        rig.write(place - 4, &[0x1111_1111, old, 0x2222_2222]);
        let mut target = RenderTarget::new(image, blend, constant);
        match by_subspan {
            true => {
                let colours = colour.map(|channel| [0, channel, 0, 0]);
                let done = target.write_subspan(&view, [2, 2, 0], 0b0010, &colours);
                assert_eq!(done, Ok(true));
            }
            false => target
                .write(&view, [3, 2, 0], 1, colour, [0; 4])
                .expect("mapped"),
        }
        assert_eq!(
            [rig.read(place - 4), rig.read(place + 4)],
            [0x1111_1111, 0x2222_2222]
        );
        rig.read(place)
    });
    assert_eq!(found[0], found[1], "by pixel and by subspan");
    found[0]
}

fn floats(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

#[test]
fn pre_blend_colour_clamp() {
    let fields = |clamp, source| {
        [
            (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
            (entry::SOURCE_BLEND_FACTOR, source),
            (entry::DESTINATION_BLEND_FACTOR, 0x11),
            (entry::PRE_BLEND_COLOR_CLAMP_ENABLE, clamp),
        ]
    };
    let (one, constant_colour) = (0x01, 0x07);
    let colour = floats([3.0, -3.0, 0.5, 2.0]);
    for (name, format, clamp, constant, expected) in [
        // By a fifth: of 1, of 0, of 0.5 and of 1, in 255ths; unclamped 0.6 and 0.4.
        ("unorm, clamped", R8G8B8A8_UNORM, 1, 0.2, 0x331a_0033),
        ("unorm, as it comes", R8G8B8A8_UNORM, 0, 0.2, 0x661a_0099),
        // The constant, too: 1 instead of 4.
        ("unorm, constant", R8G8B8A8_UNORM, 1, 4.0, 0xff80_00ff),
        (
            "unorm, constant as it comes",
            R8G8B8A8_UNORM,
            0,
            0.1,
            0x330d_004d,
        ),
        // In 127ths: 0.2 is 25.4, 0.1 is 12.7, 0.6 is 76.2 and 0.4 is 50.8.
        ("snorm, clamped", R8G8B8A8_SNORM, 1, 0.2, 0x190d_e719),
        ("snorm, as it comes", R8G8B8A8_SNORM, 0, 0.2, 0x330d_b44c),
        ("snorm, constant", R8G8B8A8_SNORM, 1, -4.0, 0x81c0_7f81),
    ] {
        let found = mixed(
            format,
            blend(&fields(clamp, constant_colour)),
            [constant; 4],
            0,
            colour,
        );
        assert_eq!(found, expected, "{name}: {found:#x}");
    }
    // Floats have no bounds.
    let found = mixed(
        R32_FLOAT,
        blend(&fields(1, constant_colour)),
        [2.5; 4],
        0,
        colour,
    );
    assert_eq!(f32::from_bits(found), 7.5);
    let found = mixed(R32_FLOAT, blend(&fields(1, one)), [0.0; 4], 0, colour);
    assert_eq!(f32::from_bits(found), 3.0);
}

#[test]
fn colour_and_alpha_blend_equations() {
    let halves = |function| {
        blend(&[
            (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
            (entry::COLOR_BLEND_FUNCTION, function),
            (entry::SOURCE_BLEND_FACTOR, 0x08),
            (entry::DESTINATION_BLEND_FACTOR, 0x07),
        ])
    };
    let (source, old) = (floats([6.0; 4]), 2f32.to_bits());
    // The source by the constant's alpha, a half; the destination by its red, a quarter.
    for (function, expected) in [(0, 3.5), (1, 2.5), (2, -2.5), (3, 2.0), (4, 6.0)] {
        let found = mixed(
            R32_FLOAT,
            halves(function),
            [0.25, 9.0, 9.0, 0.5],
            old,
            source,
        );
        assert_eq!(f32::from_bits(found), expected, "function {function}");
    }
}

#[test]
fn blending_is_skipped_for_integers_and_logic_ops() {
    let enabled = [
        (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
        (entry::SOURCE_BLEND_FACTOR, 0x11),
        (entry::DESTINATION_BLEND_FACTOR, 0x01),
    ];
    let xor = [(entry::LOGIC_OP_ENABLE, 1), (entry::LOGIC_OP_FUNCTION, 6)];
    let colour = [0x0f, 0x33, 0x55, 0xf0];
    assert_eq!(
        mixed(
            R8G8B8A8_UINT,
            blend(&enabled),
            [0.0; 4],
            0x0102_0304,
            colour
        ),
        0xf055_330f
    );
    let found = mixed(R8G8B8A8_UINT, blend(&xor), [0.0; 4], 0xffff_0000, colour);
    assert_eq!(found, 0x0faa_330f);
    let both = [&enabled[..], &xor].concat();
    assert_eq!(
        mixed(R8G8B8A8_UINT, blend(&both), [0.0; 4], 0xffff_0000, colour),
        0x0faa_330f
    );
    // Bits of normalised numbers.
    let colour = floats([15.0 / 255.0, 51.0 / 255.0, 85.0 / 255.0, 240.0 / 255.0]);
    assert_eq!(
        mixed(R8G8B8A8_UNORM, blend(&both), [0.0; 4], 0xffff_0000, colour),
        0x0faa_330f
    );
}

#[test]
fn colour_write_mask() {
    let logic = [(entry::LOGIC_OP_ENABLE, 1), (entry::LOGIC_OP_FUNCTION, 3)];
    let blends = [
        (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
        (entry::SOURCE_BLEND_FACTOR, 0x01),
        (entry::DESTINATION_BLEND_FACTOR, 0x11),
    ];
    for (disabled, kept) in [
        (vec![], 0),
        (vec![entry::WRITE_DISABLE_RED], 0x0000_00ff),
        (vec![entry::WRITE_DISABLE_GREEN], 0x0000_ff00),
        (vec![entry::WRITE_DISABLE_BLUE], 0x00ff_0000),
        (vec![entry::WRITE_DISABLE_ALPHA], 0xff00_0000),
        (
            vec![entry::WRITE_DISABLE_RED, entry::WRITE_DISABLE_ALPHA],
            0xff00_00ff,
        ),
        (
            vec![
                entry::WRITE_DISABLE_RED,
                entry::WRITE_DISABLE_GREEN,
                entry::WRITE_DISABLE_BLUE,
                entry::WRITE_DISABLE_ALPHA,
            ],
            0xffff_ffff,
        ),
    ] {
        let off: Vec<_> = disabled.iter().map(|field| (*field, 1)).collect();
        let (old, new) = (0x1234_5678, 0x99aa_bbcc);
        let bytes = [0xcc, 0xbb, 0xaa, 0x99];
        let expected = old & kept | new & !kept;
        let name = format!("kept {kept:#x}");
        let unorm = floats(bytes.map(|b| b as f32 / 255.0));
        assert_eq!(
            mixed(R8G8B8A8_UINT, blend(&off), [0.0; 4], old, bytes),
            expected,
            "{name}"
        );
        assert_eq!(
            mixed(R8G8B8A8_UNORM, blend(&off), [0.0; 4], old, unorm),
            expected,
            "{name}"
        );
        let with = |more: &[(Field, u64)]| blend(&[&off, more].concat());
        assert_eq!(
            mixed(R8G8B8A8_UNORM, with(&blends), [0.0; 4], old, unorm),
            expected,
            "{name}"
        );
        // LOGICOP_COPY_INVERTED: the source's complement.
        let inverted = old & kept | !new & !kept;
        let inverts = mixed(R8G8B8A8_UNORM, with(&logic), [0.0; 4], old, unorm);
        assert_eq!(inverts, inverted, "{name}: {inverts:#x}");
    }
}

#[test]
fn masked_channels_are_preserved_exactly() {
    let mut rig = Rig::new();
    let image = image(&mut rig, R8G8B8A8_SNORM, &[]);
    let view = rig.view();
    // Of the two numbers that mean -1, the one that was there.
    let old = 0x8081_8180u32;
    for (field, kept) in [
        (entry::WRITE_DISABLE_RED, 0x0000_00ff),
        (entry::WRITE_DISABLE_ALPHA, 0xff00_0000),
    ] {
        rig.write(COLOUR, &[old]);
        let mut target = RenderTarget::new(image, blend(&[(field, 1)]), [0.0; 4]);
        let written = target.write(&view, [0, 0, 0], 1, floats([1.0; 4]), [0; 4]);
        assert_eq!(written, Ok(()));
        assert_eq!(
            rig.read(COLOUR),
            old & kept | 0x7f7f_7f7f & !kept,
            "{kept:#x}"
        );
    }
}

#[test]
fn wide_texels_are_blended_and_masked() {
    let mut rig = Rig::new();
    let image = image(&mut rig, R32G32B32A32_FLOAT, &[]);
    let place = COLOUR + 2 * PITCH + 3 * 16;
    rig.write(place, &floats([10.0, 20.0, 30.0, 40.0]));
    let sum = blend(&[
        (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
        (entry::SOURCE_BLEND_FACTOR, 0x01),
        (entry::DESTINATION_BLEND_FACTOR, 0x09),
        (entry::WRITE_DISABLE_BLUE, 1),
    ]);
    let mut target = RenderTarget::new(image, sum, [0.0; 4]);
    let second = floats([1.0, 2.0, 3.0, 0.5]);
    target
        .write(
            &rig.view(),
            [3, 2, 0],
            1,
            floats([1.0, 2.0, 3.0, 4.0]),
            second,
        )
        .expect("mapped");
    assert_eq!(rig.wide(3, 2).map(f32::from_bits), [11.0, 42.0, 30.0, 24.0]);
    // By subspans, too, where there is no second source; the pixels that are masked off stay.
    let colours = floats([1.0, 2.0, 3.0, 4.0]).map(|channel| [channel; 4]);
    rig.write(place - 16, &floats([10.0; 4]));
    let done = target.write_subspan(&rig.view(), [2, 2, 0], 0b0010, &colours);
    assert_eq!(done, Ok(true));
    assert_eq!(rig.wide(3, 2).map(f32::from_bits), [1.0, 2.0, 30.0, 4.0]);
    assert_eq!(rig.wide(2, 2).map(f32::from_bits), [10.0; 4]);
    assert_eq!(rig.wide(3, 3), [0; 4]);
    // Out of bounds is nowhere.
    target
        .write(&rig.view(), [16, 2, 0], 1, [0; 4], [0; 4])
        .expect("dropped");
    assert_eq!(rig.wide(3, 2).map(f32::from_bits), [1.0, 2.0, 30.0, 4.0]);
}

#[test]
fn subspans_of_every_texel_size_are_encoded() {
    let (r8, rgba32) = (0x140, R32G32B32A32_FLOAT);
    let colours = [[0.0f32, 1.0, 0.0, 1.0], [0.25; 4], [0.5; 4], [1.0; 4]];
    for (format, bytes) in [(r8, 1), (rgba32, 16)] {
        let drawn = |by_subspan: bool| -> Vec<u8> {
            let mut rig = Rig::new();
            let image = image(&mut rig, format, &[]);
            assert_eq!(image.bytes, bytes, "{format:#x}");
            let mut target = RenderTarget::new(image, blend(&[]), [0.0; 4]);
            if by_subspan {
                let each = colours.map(|channel| channel.map(f32::to_bits));
                let done = target.write_subspan(&rig.view(), [4, 2, 0], 0b1011, &each);
                assert_eq!(done, Ok(true), "{format:#x}");
            }
            for pixel in [0, 1, 3].into_iter().filter(|_| !by_subspan) {
                let place = [4 + (pixel & 1), 2 + (pixel >> 1), 0];
                let colour = colours.map(|channel| channel[pixel as usize].to_bits());
                let done = target.write(&rig.view(), place, 1, colour, [0; 4]);
                done.expect("mapped");
            }
            (0..4 * PITCH).map(|at| rig.byte(COLOUR + at)).collect()
        };
        assert_eq!(drawn(true), drawn(false), "{format:#x}");
        assert!(drawn(true).iter().any(|b| *b != 0), "{format:#x}");
    }
}

#[test]
fn partial_subspans_are_written_per_pixel() {
    let mut rig = Rig::new();
    let image = image(&mut rig, R32_UINT, &[(rss::WIDTH, 4), (rss::HEIGHT, 4)]);
    let mut target = RenderTarget::new(image, Blend::default(), [0.0; 4]);
    let done = |x, y, target: &mut RenderTarget| {
        target.write_subspan(&rig.view(), [x, y, 0], 15, &[[7; 4]; 4])
    };
    assert_eq!(done(4, 0, &mut target), Ok(false));
    assert_eq!(done(0, 4, &mut target), Ok(false));
    assert_eq!(done(2, 2, &mut target), Ok(true));
    let held = [(2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (4, 2)].map(|(x, y)| rig.texel(x, y));
    assert_eq!(held, [7, 7, 7, 7, 0, 0]);
}

#[test]
fn array_index_beyond_the_view_selects_layer_0() {
    let fields = [
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 3),
        (rss::RENDER_TARGET_VIEW_EXTENT, 1),
        (rss::SURFACE_QPITCH, 16 / 4),
    ];
    for (layer, slice) in [(0, 0), (1, 1), (2, 0), (3, 0), (9, 0)] {
        for by_subspan in [false, true] {
            let mut rig = Rig::new();
            let image = image(&mut rig, R32_UINT, &fields);
            let mut target = RenderTarget::new(image, Blend::default(), [0.0; 4]);
            match by_subspan {
                true => {
                    let done = target.write_subspan(&rig.view(), [0, 0, layer], 1, &[[7; 4]; 4]);
                    assert_eq!(done, Ok(true));
                }
                false => target
                    .write(&rig.view(), [0, 0, layer], 1, [7; 4], [0; 4])
                    .expect("mapped"),
            }
            let held = [0, 1, 2, 3].map(|slice| rig.read(COLOUR + slice * 16 * PITCH));
            let mut expected = [0; 4];
            expected[slice] = 7;
            assert_eq!(held, expected, "layer {layer}, by subspan {by_subspan}");
        }
    }
}

/// Fields of a surface in Y tiles of 384 bytes of pitch with a control surface; the clear colour is
/// red, green, blue, alpha of bytes 1, 2, 3, 4.
fn cleared(width: u64, height: u64) -> Vec<(Field, u64)> {
    vec![
        (rss::TILE_MODE, 3),
        (rss::WIDTH, width - 1),
        (rss::HEIGHT, height - 1),
        (rss::SURFACE_PITCH, 383),
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::RED_CLEAR_COLOR, 1),
        (rss::GREEN_CLEAR_COLOR, 2),
        (rss::BLUE_CLEAR_COLOR, 3),
        (rss::ALPHA_CLEAR_COLOR, 4),
    ]
}

#[test]
fn partial_write_materialises_the_fast_clear_colour_of_its_block() {
    for mode in [1, 5] {
        for by_subspan in [false, true] {
            let case = format!("mode {mode}, by subspan {by_subspan}");
            let mut rig = Rig::new();
            let fields = [cleared(72, 40), vec![(rss::AUXILIARY_SURFACE_MODE, mode)]].concat();
            let image = image(&mut rig, R8G8B8A8_UINT, &fields);
            let view = rig.view();
            special(&view, &image, [0, 0, 0], AuxOperation::FastClear, 0).expect("mapped");
            let texel = |x, y| image.load(&view, 0, [x, y, 0], 0).expect("mapped");
            let raw = |x, y| rig.read(image.texel_address(0, x, y, 0, 0).expect("in bounds"));
            assert_eq!((texel(9, 5), raw(9, 5)), ([1, 2, 3, 4], 0), "{case}");
            let mut target = RenderTarget::new(image, Blend::default(), [0.0; 4]);
            // Blocks are of 8 × 4 pixels: (8, 4) to (15, 7).
            match by_subspan {
                true => {
                    let colours = [5, 6, 7, 8].map(|c| [c; 4]);
                    let done = target.write_subspan(&view, [10, 6, 0], 1, &colours);
                    assert_eq!(done, Ok(true), "{case}");
                }
                false => target
                    .write(&view, [10, 6, 0], 1, [5, 6, 7, 8], [0; 4])
                    .expect("mapped"),
            }
            assert_eq!(raw(10, 6), 0x0807_0605, "{case}");
            for (x, y) in [(8, 4), (15, 7), (8, 7), (15, 4), (11, 6)] {
                assert_eq!(raw(x, y), 0x0403_0201, "{case}: ({x}, {y})");
            }
            for (x, y) in [(7, 4), (16, 4), (8, 3), (8, 8)] {
                assert_eq!(
                    (raw(x, y), texel(x, y)),
                    (0, [1, 2, 3, 4]),
                    "{case}: ({x}, {y})"
                );
            }
            // Another block, and the first again.
            target
                .write(&view, [16, 4, 0], 1, [9; 4], [0; 4])
                .expect("mapped");
            target
                .write(&view, [8, 8, 0], 1, [9; 4], [0; 4])
                .expect("mapped");
            target
                .write(&view, [10, 7, 0], 1, [9; 4], [0; 4])
                .expect("mapped");
            let held = [(16, 4), (17, 4), (8, 8), (9, 8), (10, 7), (10, 6)].map(|(x, y)| raw(x, y));
            let (new, clear) = (0x0909_0909, 0x0403_0201);
            assert_eq!(held, [new, clear, new, clear, new, 0x0807_0605], "{case}");
        }
    }
}

#[test]
fn fast_clear_rectangle_pixel_covers_many_ccs_blocks() {
    // By texel size: pixels of a block, eight of which are a pixel of the rectangle either way.
    for (format, block) in [
        (R8G8B8A8_UINT, [8, 4]),
        (R16G16B16A16_UNORM, [4, 4]),
        (R32G32B32A32_UINT, [2, 4]),
    ] {
        let [w, h] = [block[0] * 8, block[1] * 8];
        let mut rig = Rig::new();
        let image = image(
            &mut rig,
            format,
            &[cleared(256, 128), vec![(rss::SURFACE_PITCH, 4095)]].concat(),
        );
        let view = rig.view();
        special(&view, &image, [1, 1, 0], AuxOperation::FastClear, 0).expect("mapped");
        let clear = |x, y| image.is_clear(&view, 0, [x, y, 0]).expect("a state");
        for (x, y) in [
            (w, h),
            (2 * w - 1, h),
            (w, 2 * h - 1),
            (2 * w - 1, 2 * h - 1),
            (w + w / 2, h + h / 2),
        ] {
            assert!(clear(x, y), "format {format:#x}: ({x}, {y})");
        }
        for (x, y) in [(w - 1, h), (2 * w, h), (w, h - 1), (w, 2 * h), (0, 0)] {
            assert!(!clear(x, y), "format {format:#x}: ({x}, {y})");
        }
    }
}

#[test]
fn ccs_resolve_rectangle_pixel_resolves_all_its_blocks() {
    let mut rig = Rig::new();
    let image = image(&mut rig, R8G8B8A8_UINT, &cleared(72, 40));
    let view = rig.view();
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        special(&view, &image, [x, y, 0], AuxOperation::FastClear, 0).expect("mapped");
    }
    special(&view, &image, [0, 0, 0], AuxOperation::FullResolve, 0).expect("mapped");
    special(&view, &image, [1, 1, 0], AuxOperation::FullResolve, 0).expect("mapped");
    for y in 0..40 {
        for x in 0..72 {
            let real = (x < 64) == (y < 32);
            let raw = rig.read(image.texel_address(0, x, y, 0, 0).expect("in bounds"));
            let state = image.is_clear(&view, 0, [x, y, 0]).expect("a state");
            assert_eq!(
                (raw, state),
                (if real { 0x0403_0201 } else { 0 }, !real),
                "({x}, {y})"
            );
        }
    }
    // Without a control surface there is nothing to clear.
    let plain = self::image(&mut rig, R8G8B8A8_UINT, &[]);
    let found = special(&rig.view(), &plain, [0, 0, 0], AuxOperation::FastClear, 0);
    assert!(
        matches!(found, Err(eu::StopReason::Undefined { .. })),
        "{found:?}"
    );
}

#[test]
fn first_sample_write_decompresses_the_mcs_entry() {
    for (log, samples, bytes, scale) in [
        (1, 2, 1, [8, 2]),
        (2, 4, 1, [8, 2]),
        (3, 8, 4, [2, 2]),
        (4, 16, 8, [1, 2]),
    ] {
        let case = format!("{samples} samples");
        let mut rig = Rig::new();
        let fields = [
            cleared(16, 8),
            vec![
                (rss::NUMBER_OF_MULTISAMPLES, log),
                (rss::SURFACE_PITCH, 127),
                (rss::SURFACE_QPITCH, 8 / 4),
            ],
        ]
        .concat();
        let image = image(&mut rig, R8G8B8A8_UINT, &fields);
        let view = rig.view();
        let control = |x: u32, y: u32| CONTROL + y_tile(x * bytes, y);
        let entry = |x, y| rig.view().read_bytes(control(x, y), bytes).expect("mapped");
        let full = u64::MAX >> (64 - bytes * 8);
        // A pixel of a fast clear's rectangle.
        let [w, h] = scale;
        special(&view, &image, [1, 1, 0], AuxOperation::FastClear, 0).expect("mapped");
        for y in 0..8 {
            for x in 0..16 {
                let inside = (w..2 * w).contains(&x) && (h..2 * h).contains(&y);
                assert_eq!(
                    entry(x, y),
                    if inside { full } else { 0 },
                    "{case}: ({x}, {y})"
                );
            }
        }
        // A write of one sample.
        let mut target = RenderTarget::new(image, Blend::default(), [0.0; 4]);
        target
            .write(&view, [w, h, 0], 1 << (samples - 1), [5, 6, 7, 8], [0; 4])
            .expect("mapped");
        let raw =
            |x, y, sample| rig.read(image.texel_address(0, x, y, 0, sample).expect("in bounds"));
        let held: Vec<u32> = (0..samples).map(|sample| raw(w, h, sample)).collect();
        let mut expected = vec![0x0403_0201; samples as usize];
        expected[samples as usize - 1] = 0x0807_0605;
        assert_eq!(held, expected, "{case}");
        let own = identity_mcs(samples);
        assert_eq!(entry(w, h), own, "{case}");
        // A resolve of the rest.
        special(&view, &image, [1, 1, 0], AuxOperation::FullResolve, 0).expect("mapped");
        let last = (2 * w - 1, 2 * h - 1);
        assert_eq!(
            (entry(last.0, last.1), raw(last.0, last.1, 1)),
            (own, 0x0403_0201),
            "{case}"
        );
        assert_eq!(raw(w, h, samples - 1), 0x0807_0605, "{case}");
    }
}

#[test]
fn shared_mcs_slice_is_copied_on_write() {
    let mut rig = Rig::new();
    let fields = [
        cleared(16, 8),
        vec![
            (rss::NUMBER_OF_MULTISAMPLES, 2),
            (rss::SURFACE_PITCH, 127),
            (rss::SURFACE_QPITCH, 8 / 4),
        ],
    ]
    .concat();
    let image = image(&mut rig, R8G8B8A8_UINT, &fields);
    let view = rig.view();
    let place = |sample| image.texel_address(0, 3, 1, 0, sample).expect("in bounds");
    for sample in 0..4 {
        rig.write(place(sample), &[0x10 + sample]);
    }
    // Samples 0 to 3 are in the slices 2, 0, 0 and 1.
    view.write_bytes(CONTROL + y_tile(3, 1), 1, 0b01_00_00_10)
        .expect("mapped");
    let mut target = RenderTarget::new(image, Blend::default(), [0.0; 4]);
    target
        .write(&view, [3, 1, 0], 0b0100, [9; 4], [0; 4])
        .expect("mapped");
    let held = [0, 1, 2, 3].map(|sample| rig.read(place(sample)));
    assert_eq!(held, [0x12, 0x10, 0x0909_0909, 0x11]);
    assert_eq!(rig.byte(CONTROL + y_tile(3, 1)), 0b11_10_01_00);
}

#[test]
fn initial_mcs_maps_samples_to_slices() {
    // Four bits each but of two and four samples, which have one and two.
    let of =
        |bits: u32, samples: u64| (0..samples).fold(0, |all, i| all | i << (u64::from(bits) * i));
    assert_eq!(
        [2, 4, 8, 16].map(identity_mcs),
        [of(1, 2), of(2, 4), of(4, 8), of(4, 16)]
    );
}

/// 3DSTATE_WM_HZ_OP with the rectangle from (2, 3) to (9, 12), exclusive.
fn operation(fields: &[(Field, u64)]) -> Vec<u32> {
    let mut words = vec![0; usize::from(op::PACKET.dwords)];
    let rectangle = [
        (op::CLEAR_RECTANGLE_X_MIN, 2),
        (op::CLEAR_RECTANGLE_Y_MIN, 3),
        (op::CLEAR_RECTANGLE_X_MAX, 9),
        (op::CLEAR_RECTANGLE_Y_MAX, 12),
    ];
    for (field, value) in rectangle.iter().chain(fields) {
        field.set(&mut words, *value);
    }
    words
}

#[test]
fn hz_op_clears_a_depth_and_stencil_rectangle() {
    // The value as each format stores it: half of 2^24 - 1 and of 2^16 - 1, ties up.
    for (format, bytes, stored) in [(1, 4, 0x3f00_0000), (3, 4, 0x80_0000), (5, 2, 0x8000)] {
        for (depth, stencil) in [(1, 0), (0, 1), (1, 1), (0, 0)] {
            // As many slices as the view has.
            for extent in [0, 1] {
                let case =
                    format!("format {format}, depth {depth}, stencil {stencil}, extent {extent}");
                let mut rig = Rig::new();
                rig.depth_buffer(format);
                rig.stencil_buffer();
                rig.set(
                    &db::PACKET,
                    &[(db::RENDER_TARGET_VIEW_EXTENT, extent), (db::DEPTH, 1)],
                );
                rig.set(
                    &params::PACKET,
                    &[(params::DEPTH_CLEAR_VALUE, 0.5f32.to_bits().into())],
                );
                let words = operation(&[
                    (op::DEPTH_BUFFER_CLEAR_ENABLE, depth),
                    (op::STENCIL_BUFFER_CLEAR_ENABLE, stencil),
                    (op::STENCIL_CLEAR_VALUE, 0xa7),
                ]);
                hz_op(&rig.draw(), &words).expect("simulated");
                for slice in 0..2 {
                    for y in 0..16 {
                        for x in 0..16 {
                            let inside =
                                (2..9).contains(&x) && (3..12).contains(&y) && slice <= extent;
                            let found = (
                                rig.view()
                                    .read_bytes(DEPTH + slice * 4096 + y_tile(x * bytes, y), bytes),
                                rig.byte(STENCIL + slice * 4096 + w_tile(x, y)),
                            );
                            let depth = if inside && depth == 1 { stored } else { 0 };
                            let stencil = if inside && stencil == 1 { 0xa7 } else { 0 };
                            assert_eq!(
                                found,
                                (Ok(depth), stencil),
                                "{case}: ({x}, {y}) of {slice}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn depth_clear_is_clipped_to_the_buffer_and_covers_all_samples() {
    let mut rig = Rig::new();
    rig.depth_buffer(1);
    rig.set(&db::PACKET, &[(db::WIDTH, 6), (db::HEIGHT, 4)]);
    rig.set(
        &params::PACKET,
        &[(params::DEPTH_CLEAR_VALUE, 0.5f32.to_bits().into())],
    );
    let words = operation(&[
        (op::DEPTH_BUFFER_CLEAR_ENABLE, 1),
        (op::NUMBER_OF_MULTISAMPLES, 2),
    ]);
    hz_op(&rig.draw(), &words).expect("simulated");
    // Pixels (2..7, 3..5) of four samples each, all in one column of tiles.
    let cleared = (0..1024)
        .filter(|dword| rig.read(DEPTH + dword * 4) == 0x3f00_0000)
        .count();
    assert_eq!(cleared, 5 * 2 * 4);
}

/// Selects of red, green, blue and alpha.
fn selects(codes: [u64; 4]) -> [(Field, u64); 4] {
    let fields = [
        rss::SHADER_CHANNEL_SELECT_RED,
        rss::SHADER_CHANNEL_SELECT_GREEN,
        rss::SHADER_CHANNEL_SELECT_BLUE,
        rss::SHADER_CHANNEL_SELECT_ALPHA,
    ];
    std::array::from_fn(|i| (fields[i], codes[i]))
}

#[test]
fn render_target_shader_channel_selects() {
    let swapped = selects([6, 5, 4, 7]);
    let turned = selects([5, 6, 4, 7]);
    let (one, destination) = (0x01, 0x05);
    let added = [
        (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
        (entry::SOURCE_BLEND_FACTOR, one),
        (entry::DESTINATION_BLEND_FACTOR, one),
    ];
    let squared = [
        (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
        (entry::SOURCE_BLEND_FACTOR, destination),
        (entry::DESTINATION_BLEND_FACTOR, 0x11),
    ];
    let red = [
        (entry::WRITE_DISABLE_GREEN, 1),
        (entry::WRITE_DISABLE_BLUE, 1),
        (entry::WRITE_DISABLE_ALPHA, 1),
    ];
    let unit = |bytes: [u8; 4]| bytes.map(|b| f32::from(b) / 255.0);
    let colour = floats(unit([0x10, 0x20, 0x30, 0x40]));
    let no_red = floats(unit([0, 0xff, 0xff, 0xff]));
    let xor = [(entry::LOGIC_OP_ENABLE, 1), (entry::LOGIC_OP_FUNCTION, 6)];
    let plain: [(Field, u64); 0] = [];
    for (name, selects, fields, old, colour, expected) in [
        (
            "as it comes",
            swapped,
            &plain[..],
            0,
            colour,
            0x4010_2030u32,
        ),
        ("turned", turned, &plain, 0, colour, 0x4020_1030),
        // What blending calls red is what the shader calls red.
        ("added", swapped, &added, 0x0102_0304, colour, 0x4112_2334),
        (
            "scaled",
            swapped,
            &squared,
            0xffff_ff80,
            no_red,
            0xff00_ff80,
        ),
        ("red alone", swapped, &red, 0xaabb_ccdd, colour, 0xaa10_ccdd),
        ("by bits", swapped, &xor, 0x0000_00ff, colour, 0x4010_20cf),
    ] {
        let mut rig = Rig::new();
        let image = image(&mut rig, R8G8B8A8_UNORM, &selects);
        let place = COLOUR + 2 * PITCH + 3 * 4;
        rig.write(place, &[old]);
        let mut target = RenderTarget::new(image, blend(fields), [0.0; 4]);
        let view = rig.view();
        let by_subspan = target.write_subspan(&view, [2, 2, 0], 0b0010, &colour.map(|c| [c; 4]));
        assert_eq!(by_subspan, Ok(false), "{name}: done one by one");
        target
            .write(&view, [3, 2, 0], 1, colour, [0; 4])
            .expect("mapped");
        assert_eq!(rig.read(place), expected, "{name}");
    }
}

#[test]
fn dithered_target_rounds_to_either_neighbour() {
    let mut dither = blend(&[]);
    dither.dither = Some([0, 0]);
    let mut rig = Rig::new();
    let image = image(&mut rig, R8G8B8A8_UNORM, &[]);
    let view = rig.view();
    let mut target = RenderTarget::new(image, dither, [0.0; 4]);
    // Three values and a half, and one that the format has.
    let colour = floats([3.5 / 255.0, 7.0 / 255.0, 0.0, 1.0]);
    let mut found = Vec::new();
    for (x, y) in (0..16).map(|i| (i & 3, i >> 2)) {
        target
            .write(&view, [x, y, 0], 1, colour, [0; 4])
            .expect("mapped");
        let place = COLOUR + u64::from(y) * PITCH + u64::from(x) * 4;
        found.push(rig.read(place));
    }
    found.sort_unstable();
    assert_eq!(found[..8], [0xff00_0703; 8]);
    assert_eq!(found[8..], [0xff00_0704; 8]);
}
