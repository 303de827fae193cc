//! Depth and stencil buffers as commands describe them, and what tests leave in them.
//!
//! Addresses and numbers are by the formats' definitions: SKL PRM vol. 5, "Y-Major Tile Format",
//! "W-Major Tile Format"; vol. 7, "Depth/Stencil Test"; Vulkan, "Depth Test", "Stencil Test".

use super::{DepthFormat, compare, stencil_op};
use crate::draw::pixel::depth::{DepthStencil, depth_buffer, stencil_buffer, targets};
use crate::draw::pixel::testing::{DEPTH, DYNAMIC, Rig, STENCIL, w_tile, y_tile};
use crate::observer::{Depth, Via};
use crate::surface::{AuxMode, Kind};
use crate::target_images::Role;
use eu::StopReason;
use hw::Field;
use hw::draw::{
    state_clip as clip, state_depth_buffer as db, state_multisample as multisample,
    state_raster as raster, state_stencil_buffer as sb,
    state_viewport_state_pointers_cc as viewports, state_wm_depth_stencil as ds,
};

const D32: u64 = 1;
const D24: u64 = 3;
const D16: u64 = 5;

const NEVER: u64 = 1;
const LESS: u64 = 2;
const EQUAL: u64 = 3;

/// A rig with depth and stencil buffers, and viewports that clamp to 0 and 1.
fn buffers(format: u64, tests: &[(Field, u64)]) -> Rig {
    let mut rig = Rig::new();
    rig.depth_buffer(format);
    rig.set(&ds::PACKET, tests);
    rig.set(
        &viewports::PACKET,
        &[(viewports::CC_VIEWPORT_POINTER, 0x80)],
    );
    rig.write(DYNAMIC + 0x80, &[0, 1f32.to_bits()]);
    rig
}

fn unit(rig: &Rig) -> DepthStencil<'_> {
    DepthStencil::read(&rig.draw()).expect("simulated")
}

#[test]
fn depth_test_and_write_per_format() {
    // New depths are 0.25, 0.5 and 0.75; the stored one is 0.5.
    let orders = [
        (0, [true, true, true]),
        (1, [false, false, false]),
        (2, [true, false, false]),
        (3, [false, true, false]),
        (4, [true, true, false]),
        (5, [false, false, true]),
        (6, [true, false, true]),
        (7, [false, true, true]),
    ];
    for (format, bytes, stored) in [
        (D32, 4, [0.25f32, 0.5, 0.75].map(f32::to_bits)),
        // Quarters of 2^24 - 1 and 2^16 - 1, to the nearest, ties up.
        (D24, 4, [4_194_304, 8_388_608, 12_582_911]),
        (D16, 2, [16384, 32768, 49151]),
    ] {
        for (function, expected) in orders {
            for write in [0, 1] {
                let rig = buffers(
                    format,
                    &[
                        (ds::DEPTH_TEST_ENABLE, 1),
                        (ds::DEPTH_TEST_FUNCTION, function),
                        (ds::DEPTH_BUFFER_WRITE_ENABLE, write),
                    ],
                );
                let unit = unit(&rig);
                for (i, depth) in [0.25, 0.5, 0.75].into_iter().enumerate() {
                    for by_subspan in [false, true] {
                        let case = format!(
                            "format {format}, function {function}, depth {depth}, write {write}, {by_subspan}"
                        );
                        // Pixel (5, 3) and its neighbours on both sides have 0.5; the upper eight
                        // bits of D24 are no one's.
                        let high = if format == D24 { 0xab00_0000 } else { 0 };
                        let place = |x: u32| DEPTH + y_tile(x * bytes, 3);
                        let neighbour = stored[1] | 0x55;
                        for x in 4..7 {
                            let value = if x == 5 { stored[1] } else { neighbour };
                            let value = u64::from(value | high);
                            rig.view()
                                .write_bytes(place(x), bytes, value)
                                .expect("mapped");
                        }
                        let passed = match by_subspan {
                            // The lower right pixel of the subspan at (4, 2).
                            true => {
                                let depths = [9.0, 9.0, 9.0, depth];
                                let passed =
                                    unit.test_subspan([4, 2, 0], 8, depths).expect("mapped");
                                let passed = passed.expect("all in bounds");
                                assert!(passed == 0 || passed == 8, "{case}: {passed}");
                                passed == 8
                            }
                            false => unit
                                .test_sample([5, 3, 0], 0, depth, true, None)
                                .expect("mapped"),
                        };
                        assert_eq!(passed, expected[i], "{case}");
                        let new = if passed && write == 1 {
                            stored[i]
                        } else {
                            stored[1]
                        };
                        let held = [4, 5, 6].map(|x| {
                            rig.view().read_bytes(place(x), bytes).expect("mapped") as u32
                        });
                        assert_eq!(
                            held,
                            [neighbour | high, new | high, neighbour | high],
                            "{case}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn depth_write_enable_conditions() {
    let all = [
        (ds::DEPTH_TEST_ENABLE, 1),
        (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
    ];
    let written = |rig: &Rig| {
        let unit = unit(rig);
        let passes = unit
            .test_sample([1, 1, 0], 0, 0.5, true, None)
            .expect("mapped");
        assert!(passes);
        (
            unit.is_active(),
            rig.read(DEPTH + y_tile(4, 1)) == 0.5f32.to_bits(),
        )
    };
    assert_eq!(written(&buffers(D32, &all)), (true, true));
    // Writing needs no test here; what comes first is the driver's affair.
    assert_eq!(written(&buffers(D32, &all[1..])), (true, true));
    assert_eq!(written(&buffers(D32, &all[..1])), (true, false));
    assert_eq!(written(&buffers(D32, &[])), (false, false));
    let mut rig = buffers(D32, &all);
    rig.set(&db::PACKET, &[(db::DEPTH_WRITE_ENABLE, 0)]);
    assert_eq!(written(&rig), (true, false));
    rig.set(
        &db::PACKET,
        &[(db::DEPTH_WRITE_ENABLE, 1), (db::SURFACE_TYPE, 7)],
    );
    assert_eq!(written(&rig), (false, false));
    // No command at all.
    let mut rig = Rig::new();
    rig.set(&ds::PACKET, &all);
    assert_eq!(written(&rig), (false, false));
}

#[test]
fn depth_test_is_per_pixel_of_a_subspan() {
    let rig = buffers(
        D32,
        &[
            (ds::DEPTH_TEST_ENABLE, 1),
            (ds::DEPTH_TEST_FUNCTION, LESS),
            (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
        ],
    );
    // The second slice begins 32 rows on.
    let place = |x: u32, y: u32| DEPTH + 4096 + y_tile(x * 4, y);
    for (x, y) in [(2, 4), (3, 4), (2, 5), (3, 5)] {
        rig.write(place(x, y), &[0.5f32.to_bits()]);
    }
    let passed = unit(&rig).test_subspan([2, 4, 1], 0b1101, [0.25, 0.125, 0.75, 0.375]);
    assert_eq!(passed, Ok(Some(0b1001)));
    let held = [(2, 4), (3, 4), (2, 5), (3, 5)].map(|(x, y)| f32::from_bits(rig.read(place(x, y))));
    assert_eq!(held, [0.25, 0.5, 0.5, 0.375]);
    // Without a depth buffer, or with stencil, pixels go one by one.
    let mut stencil = buffers(D32, &[(ds::STENCIL_TEST_ENABLE, 1)]);
    assert_eq!(
        unit(&stencil).test_subspan([2, 4, 1], 1, [0.0; 4]),
        Ok(Some(1))
    );
    stencil.stencil_buffer();
    assert_eq!(
        unit(&stencil).test_subspan([2, 4, 1], 1, [0.0; 4]),
        Ok(None)
    );
    stencil.set(
        &ds::PACKET,
        &[
            (ds::STENCIL_TEST_ENABLE, 0),
            (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
        ],
    );
    assert_eq!(
        unit(&stencil).test_subspan([2, 4, 1], 1, [0.0; 4]),
        Ok(None)
    );
    assert_eq!(
        unit(&Rig::new()).test_subspan([2, 4, 1], 1, [0.0; 4]),
        Ok(None)
    );
}

/// Stencil state per face: reference, test mask, write mask, function, operations.
const FACES: [(Field, u64); 16] = [
    (ds::DEPTH_TEST_ENABLE, 1),
    (ds::DEPTH_TEST_FUNCTION, LESS),
    (ds::STENCIL_TEST_ENABLE, 1),
    (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
    (ds::STENCIL_REFERENCE_VALUE, 0x13),
    (ds::STENCIL_TEST_MASK, 0xf0),
    (ds::STENCIL_WRITE_MASK, 0xff),
    (ds::STENCIL_TEST_FUNCTION, EQUAL),
    // Replace, increment, invert.
    (ds::STENCIL_FAIL_OP, 2),
    (ds::STENCIL_PASS_DEPTH_FAIL_OP, 3),
    (ds::STENCIL_PASS_DEPTH_PASS_OP, 7),
    (ds::BACKFACE_STENCIL_REFERENCE_VALUE, 0x6c),
    (ds::BACKFACE_STENCIL_TEST_MASK, 0x0f),
    (ds::BACKFACE_STENCIL_WRITE_MASK, 0xf0),
    (ds::BACKFACE_STENCIL_TEST_FUNCTION, LESS),
    // Replace where it fails; zero where depth does; decrement where both pass.
    (ds::BACKFACE_STENCIL_FAIL_OP, 2),
];
const BACK: [(Field, u64); 3] = [
    (ds::BACKFACE_STENCIL_PASS_DEPTH_FAIL_OP, 1),
    (ds::BACKFACE_STENCIL_PASS_DEPTH_PASS_OP, 4),
    (ds::DOUBLE_SIDED_STENCIL_ENABLE, 1),
];

#[test]
fn stencil_ops_per_face_and_test_result() {
    let mut rig = buffers(D32, &FACES);
    rig.set(&ds::PACKET, &BACK);
    rig.stencil_buffer();
    // The depth that is there is 0.5.
    let (near, far) = (0.25, 0.75);
    for (name, front, reference, depth, old, new, passes) in [
        ("front, both pass", true, None, near, 0x15, 0xea, true),
        ("front, depth fails", true, None, far, 0x15, 0x16, false),
        ("front, stencil fails", true, None, near, 0x25, 0x13, false),
        ("front, both fail", true, None, far, 0x25, 0x13, false),
        (
            "front by the shader, both pass",
            true,
            Some(0x2f),
            near,
            0x25,
            0xda,
            true,
        ),
        (
            "front by the shader, stencil fails",
            true,
            Some(0x2f),
            near,
            0x15,
            0x2f,
            false,
        ),
        // 0xc is less than what the lower half holds; the upper half alone is written.
        ("back, both pass", false, None, near, 0x1d, 0x1d, true),
        ("back, depth fails", false, None, far, 0x1d, 0x0d, false),
        ("back, stencil fails", false, None, near, 0x1c, 0x6c, false),
        ("back, both fail", false, None, far, 0x12, 0x62, false),
        (
            "back by the shader, both pass",
            false,
            Some(0xf1),
            near,
            0x22,
            0x22,
            true,
        ),
        (
            "back by the shader, stencil fails",
            false,
            Some(0x93),
            near,
            0x02,
            0x92,
            false,
        ),
    ] {
        let place = STENCIL + 4096 + w_tile(11, 6);
        rig.view().write_bytes(place, 1, old).expect("mapped");
        rig.write(DEPTH + 4096 + y_tile(44, 6), &[0.5f32.to_bits()]);
        let found = unit(&rig).test_sample([11, 6, 1], 0, depth, front, reference);
        assert_eq!((found, rig.byte(place)), (Ok(passes), new), "{name}");
    }
}

#[test]
fn single_sided_stencil_uses_the_front_state() {
    let mut rig = buffers(D32, &FACES);
    rig.stencil_buffer();
    let place = STENCIL + w_tile(3, 2);
    for front in [true, false] {
        rig.view().write_bytes(place, 1, 0x25).expect("mapped");
        let found = unit(&rig).test_sample([3, 2, 0], 0, 0.0, front, None);
        assert_eq!((found, rig.byte(place)), (Ok(false), 0x13), "front {front}");
    }
}

#[test]
fn stencil_test_and_write_enable_conditions() {
    // Passing is never, and what fails becomes 9.
    let fields = [
        (ds::STENCIL_TEST_FUNCTION, NEVER),
        (ds::STENCIL_WRITE_MASK, 0xff),
        (ds::STENCIL_REFERENCE_VALUE, 9),
        (ds::STENCIL_FAIL_OP, 2),
        (ds::STENCIL_TEST_ENABLE, 1),
        (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
    ];
    let rig = || {
        let mut rig = buffers(D32, &fields);
        rig.stencil_buffer();
        rig
    };
    let found = |rig: &Rig| {
        let unit = unit(rig);
        let passes = unit
            .test_sample([1, 0, 0], 0, 0.0, true, None)
            .expect("mapped");
        (unit.is_active(), passes, rig.byte(STENCIL + w_tile(1, 0)))
    };
    assert_eq!(found(&rig()), (true, false, 9));
    let mut test_off = rig();
    test_off.set(&ds::PACKET, &[(ds::STENCIL_TEST_ENABLE, 0)]);
    assert_eq!(found(&test_off), (true, true, 0));
    let mut write_off = rig();
    write_off.set(&ds::PACKET, &[(ds::STENCIL_BUFFER_WRITE_ENABLE, 0)]);
    assert_eq!(found(&write_off), (true, false, 0));
    let mut buffer_off = rig();
    buffer_off.set(&db::PACKET, &[(db::STENCIL_WRITE_ENABLE, 0)]);
    assert_eq!(found(&buffer_off), (true, false, 0));
    let mut both_off = rig();
    both_off.set(
        &ds::PACKET,
        &[
            (ds::STENCIL_TEST_ENABLE, 0),
            (ds::STENCIL_BUFFER_WRITE_ENABLE, 0),
        ],
    );
    assert_eq!(found(&both_off), (false, true, 0));
    let mut none = rig();
    none.set(&sb::PACKET, &[(sb::STENCIL_BUFFER_ENABLE, 0)]);
    assert_eq!(found(&none), (false, true, 0));
}

#[test]
fn stencil_size_comes_from_the_null_depth_buffer() {
    let mut rig = Rig::new();
    rig.depth_buffer(D32);
    rig.stencil_buffer();
    rig.set(
        &db::PACKET,
        &[(db::SURFACE_TYPE, 7), (db::WIDTH, 9), (db::HEIGHT, 4)],
    );
    let draw = rig.draw();
    assert_eq!(
        depth_buffer(&draw, 0).map(|image| image.is_none()),
        Ok(true)
    );
    let image = stencil_buffer(&draw, 0)
        .expect("simulated")
        .expect("a buffer");
    assert_eq!((image.kind, image.format.name), (Kind::D2, "R8_UINT"));
    assert_eq!(
        [image.width, image.height, image.depth, image.view_extent],
        [10, 5, 2, 2]
    );
    assert_eq!(
        (image.pitch_bytes, image.qpitch_rows, image.address),
        (128, 64, STENCIL)
    );
    assert_eq!([image.halign, image.valign], [8, 8]);
    assert_eq!(
        image.texel_address(0, 9, 4, 1, 0),
        Some(STENCIL + 4096 + w_tile(9, 4))
    );
}

#[test]
fn depth_and_stencil_buffer_surface_formats() {
    for (code, name, bytes, halign) in [
        (D32, "R32_FLOAT", 4, 4),
        (D24, "R24_UNORM_X8_TYPELESS", 4, 4),
        (D16, "R16_UNORM", 2, 8),
    ] {
        let mut rig = Rig::new();
        rig.depth_buffer(code);
        rig.set(
            &db::PACKET,
            &[
                (db::LOD, 2),
                (db::MINIMUM_ARRAY_ELEMENT, 1),
                (db::WIDTH, 31),
                (db::SURFACE_PITCH, 255),
            ],
        );
        let image = depth_buffer(&rig.draw(), 2)
            .expect("simulated")
            .expect("a buffer");
        assert_eq!(
            (image.format.name, image.bytes, image.kind),
            (name, bytes, Kind::D2)
        );
        assert_eq!(
            [image.width, image.height, image.depth, image.view_extent],
            [32, 16, 2, 2]
        );
        assert_eq!(
            [image.lod, image.min_array_element, image.samples],
            [2, 1, 4]
        );
        assert_eq!(
            (image.pitch_bytes, image.qpitch_rows, image.address),
            (256, 32, DEPTH)
        );
        assert_eq!([image.halign, image.valign], [halign, 4], "{name}");
        assert_eq!(
            (image.interleaved, image.aux.mode, image.is_array),
            (true, AuxMode::None, true)
        );
        assert_eq!(image.tiling, crate::surface::tiling::Tiling::Y);
        assert_eq!([image.min_lod, image.x_offset, image.y_offset], [0; 3]);
    }
    let mut rig = Rig::new();
    rig.depth_buffer(2);
    assert!(matches!(
        depth_buffer(&rig.draw(), 0),
        Err(StopReason::Unimplemented { at: 0x40, .. })
    ));
    // Slices of 3D surfaces are no array elements.
    rig.depth_buffer(D32);
    rig.set(&db::PACKET, &[(db::SURFACE_TYPE, 2)]);
    let image = depth_buffer(&rig.draw(), 0)
        .expect("simulated")
        .expect("a buffer");
    assert_eq!(
        (image.kind, image.is_array, image.samples),
        (Kind::D3, false, 1)
    );
}

/// Surface states of such surfaces hold half of the rows; 3DSTATE_STENCIL_BUFFER holds all of them.
#[test]
fn stencil_3d_slices_follow_qpitch() {
    for (of_type, rows) in [(1, 64), (2, 64), (2, 128)] {
        let mut rig = buffers(
            D32,
            &[
                (ds::STENCIL_TEST_ENABLE, 1),
                (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
                (ds::STENCIL_PASS_DEPTH_PASS_OP, 2),
                (ds::STENCIL_WRITE_MASK, 0xff),
            ],
        );
        rig.stencil_buffer();
        rig.set(&db::PACKET, &[(db::SURFACE_TYPE, of_type)]);
        rig.set(&sb::PACKET, &[(sb::SURFACE_QPITCH, rows / 4)]);
        let passes = unit(&rig).test_sample([1, 2, 1], 0, 0.5, true, Some(0x5a));
        assert_eq!(passes, Ok(true));
        // A W tile in a row.
        let slice = rows / 64 * 4096;
        assert_eq!(rig.byte(STENCIL + slice + w_tile(1, 2)), 0x5a, "{of_type}");
    }
}

#[test]
fn depth_samples_are_interleaved() {
    let mut rig = buffers(
        D32,
        &[
            (ds::DEPTH_TEST_ENABLE, 1),
            (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
            (ds::STENCIL_TEST_ENABLE, 1),
            (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
            (ds::STENCIL_PASS_DEPTH_PASS_OP, 2),
            (ds::STENCIL_WRITE_MASK, 0xff),
        ],
    );
    rig.stencil_buffer();
    rig.set(
        &multisample::PACKET,
        &[(multisample::NUMBER_OF_MULTISAMPLES, 2)],
    );
    let unit = unit(&rig);
    // SKL PRM vol. 5, "Interleaved Multisampled Surfaces", four samples: bit 0 of a coordinate
    // stays, a sample's bit comes above it.
    for (x, y) in [(0, 0), (3, 2), (6, 5)] {
        for sample in 0..4 {
            let depth = 0.125 + (x + 7 * sample) as f32 / 64.0;
            let reference = 0x10 + (y * 4 + sample) as u8;
            assert_eq!(
                unit.test_sample([x, y, 0], sample, depth, true, Some(reference)),
                Ok(true)
            );
            let (column, row) = (
                (x & !1) * 2 + (sample & 1) * 2 + (x & 1),
                (y & !1) * 2 + (sample & 2) + (y & 1),
            );
            let held = (
                f32::from_bits(rig.read(DEPTH + y_tile(column * 4, row))),
                rig.byte(STENCIL + w_tile(column, row)),
            );
            assert_eq!(held, (depth, reference), "({x}, {y}), sample {sample}");
        }
    }
}

#[test]
fn depth_is_clamped_to_the_viewport_range() {
    // Whatever the clipper has left: depths are biased, and made by shaders.
    let near = raster::VIEWPORT_Z_NEAR_CLIP_TEST_ENABLE;
    let far = raster::VIEWPORT_Z_FAR_CLIP_TEST_ENABLE;
    for clipped in [vec![], vec![(near, 1), (far, 1)]] {
        let mut rig = buffers(D32, &[(ds::DEPTH_TEST_ENABLE, 1)]);
        rig.set(&raster::PACKET, &clipped);
        rig.set(&clip::PACKET, &[(clip::MAXIMUM_VP_INDEX, 5)]);
        // The bounds of viewport 5; there is no viewport 6.
        rig.write(
            DYNAMIC + 0x80 + 5 * 8,
            &[0.25f32.to_bits(), 0.5f32.to_bits(), 0, 0],
        );
        let unit = unit(&rig);
        let free = [-1.0, 0.125, 0.375, 0.75, 2.0];
        let expected = [
            [0.0, 0.125, 0.375, 0.75, 1.0],
            [0.25, 0.25, 0.375, 0.5, 0.5],
            free,
        ];
        let at = |viewport| free.map(|z| unit.clamp_depth(z, viewport));
        assert_eq!([0, 5, 6].map(at), expected, "{clipped:?}");
        // Depth is not clamped without a depth buffer, or if it is neither tested nor written.
        for (packet, field, value) in [
            (&ds::PACKET, ds::DEPTH_TEST_ENABLE, 0),
            (&db::PACKET, db::SURFACE_TYPE, 7),
        ] {
            rig.set(packet, &[(field, value)]);
            assert_eq!(self::unit(&rig).clamp_depth(2.0, 0), 2.0);
        }
    }
}

#[test]
fn draw_targets_list_written_attachments() {
    let mut rig = Rig::new();
    rig.depth_buffer(D16);
    rig.stencil_buffer();
    let roles = |rig: &Rig, all| {
        let found = targets(&rig.draw(), all);
        found
            .into_iter()
            .map(|(role, image)| (role, image.samples))
            .collect::<Vec<_>>()
    };
    let (depth, stencil) = ((Role::Depth, 1), (Role::Stencil, 1));
    assert_eq!(roles(&rig, false), []);
    assert_eq!(roles(&rig, true), [depth, stencil]);
    rig.set(&ds::PACKET, &[(ds::DEPTH_BUFFER_WRITE_ENABLE, 1)]);
    assert_eq!(roles(&rig, false), []);
    rig.set(
        &ds::PACKET,
        &[
            (ds::DEPTH_BUFFER_WRITE_ENABLE, 0),
            (ds::DEPTH_TEST_ENABLE, 1),
        ],
    );
    assert_eq!(roles(&rig, false), []);
    rig.set(&ds::PACKET, &[(ds::DEPTH_BUFFER_WRITE_ENABLE, 1)]);
    assert_eq!(roles(&rig, false), [depth]);
    rig.set(&ds::PACKET, &[(ds::STENCIL_BUFFER_WRITE_ENABLE, 1)]);
    assert_eq!(roles(&rig, false), [depth, stencil]);
    rig.set(&ds::PACKET, &[(ds::DEPTH_TEST_ENABLE, 0)]);
    rig.set(
        &multisample::PACKET,
        &[(multisample::NUMBER_OF_MULTISAMPLES, 3)],
    );
    assert_eq!(roles(&rig, false), [(Role::Stencil, 8)]);
    rig.set(&sb::PACKET, &[(sb::STENCIL_BUFFER_ENABLE, 0)]);
    assert_eq!(roles(&rig, true), [(Role::Depth, 8)]);
}

/// A strict rig whose depth buffer has four levels and eight elements; which slices of (level,
/// element) its hierarchical depth buffer holds back is asked by a draw without one that compares
/// depths.
fn strict(fields: &[(Field, u64)]) -> Rig {
    let mut rig = buffers(
        D32,
        &[(ds::DEPTH_TEST_ENABLE, 1), (ds::DEPTH_TEST_FUNCTION, LESS)],
    );
    rig.watch = Some(Box::new(crate::strict::caches::Log::default()));
    rig.set(&db::PACKET, &[(db::DEPTH, 7)]);
    rig.set(&db::PACKET, fields);
    rig
}

/// Whether a draw of one slice is stopped.
fn is_held(rig: &mut Rig, level: u64, element: u64) -> bool {
    let one = [
        (db::LOD, level),
        (db::MINIMUM_ARRAY_ELEMENT, element),
        (db::RENDER_TARGET_VIEW_EXTENT, 0),
        (db::HIERARCHICAL_DEPTH_BUFFER_ENABLE, 0),
    ];
    rig.set(&db::PACKET, &one);
    match DepthStencil::read(&rig.draw()).err() {
        None => false,
        Some(StopReason::Undefined {
            rule: "hiz-resolve",
            at: 0x40,
            ..
        }) => true,
        other => panic!("level {level}, element {element}: {other:?}"),
    }
}

/// Slices of the first four levels and six elements that are held back.
fn read_depth_events(rig: &mut Rig) -> Vec<(u64, u64)> {
    let all = (0..4).flat_map(|level| (0..6).map(move |element| (level, element)));
    all.filter(|(level, element)| is_held(rig, *level, *element))
        .collect()
}

#[test]
fn depth_test_on_unresolved_depth_stops_in_strict_mode() {
    let view = |rig: &Rig| {
        for event in [Depth::HizValid([1, 3]), Depth::Held([1, 3])] {
            rig.draw().view(Via::Depth).depth(DEPTH, event);
        }
    };
    let hierarchical = (db::HIERARCHICAL_DEPTH_BUFFER_ENABLE, 1);
    let slices = |level, first, extent| {
        vec![
            (db::LOD, level),
            (db::MINIMUM_ARRAY_ELEMENT, first),
            (db::RENDER_TARGET_VIEW_EXTENT, extent),
        ]
    };
    for (fields, function, test, stops) in [
        // The slice itself, and others before and behind it.
        (slices(1, 3, 0), LESS, 1, true),
        (slices(1, 2, 0), LESS, 1, false),
        (slices(1, 4, 0), LESS, 1, false),
        (slices(0, 3, 0), LESS, 1, false),
        (slices(2, 3, 0), LESS, 1, false),
        (slices(1, 0, 2), LESS, 1, false),
        (slices(1, 0, 3), LESS, 1, true),
        (slices(1, 2, 4), LESS, 1, true),
        // Through the hierarchical depth buffer all is well.
        (
            [slices(1, 3, 0), vec![hierarchical]].concat(),
            LESS,
            1,
            false,
        ),
        // What is there does not count.
        (slices(1, 3, 0), 0, 1, false),
        (slices(1, 3, 0), NEVER, 1, false),
        (slices(1, 3, 0), LESS, 0, false),
    ] {
        let name = format!("{fields:?}, function {function}, test {test}");
        let mut rig = strict(&fields);
        rig.set(
            &ds::PACKET,
            &[
                (ds::DEPTH_TEST_FUNCTION, function),
                (ds::DEPTH_TEST_ENABLE, test),
            ],
        );
        view(&rig);
        assert_eq!(DepthStencil::read(&rig.draw()).is_err(), stops, "{name}");
        rig.watch = None;
        assert!(DepthStencil::read(&rig.draw()).is_ok(), "{name}");
    }
    let mut rig = strict(&[]);
    view(&rig);
    assert_eq!(read_depth_events(&mut rig), [(1, 3)]);
}

#[test]
fn depth_writes_through_hiz_leave_depth_unresolved() {
    let fields = [
        (db::LOD, 1),
        (db::MINIMUM_ARRAY_ELEMENT, 2),
        (db::RENDER_TARGET_VIEW_EXTENT, 3),
        (db::SURFACE_QPITCH, 32 / 4),
        (db::HIERARCHICAL_DEPTH_BUFFER_ENABLE, 1),
    ];
    for by_subspan in [false, true] {
        let mut rig = strict(&fields);
        rig.set(
            &ds::PACKET,
            &[
                (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
                (ds::DEPTH_TEST_FUNCTION, 0),
            ],
        );
        for element in 2..=5 {
            let view = rig.draw().view(Via::Depth);
            view.depth(DEPTH, Depth::HizValid([1, element]));
        }
        {
            let unit = unit(&rig);
            for layer in [1, 3, 3, 1] {
                let done = match by_subspan {
                    true => unit.test_subspan([0, 0, layer], 1, [0.5; 4]).map(|_| ()),
                    false => unit
                        .test_sample([0, 0, layer], 0, 0.5, true, None)
                        .map(|_| ()),
                };
                assert_eq!(done, Ok(()), "layer {layer}");
            }
        }
        rig.set(&ds::PACKET, &[(ds::DEPTH_TEST_FUNCTION, LESS)]);
        assert_eq!(
            read_depth_events(&mut rig),
            [(1, 3), (1, 5)],
            "by subspan {by_subspan}"
        );
    }
}

#[test]
fn hiz_clears_leave_depth_unresolved_until_a_resolve() {
    use hw::draw::state_wm_hz_op as op;
    let stencil_op = |rig: &Rig, fields: &[(Field, u64)]| {
        let mut words = vec![0; usize::from(op::PACKET.dwords)];
        for (field, value) in fields {
            field.set(&mut words, *value);
        }
        crate::draw::pixel::clear::hz_op(&rig.draw(), &words).expect("simulated");
    };
    let slices = |rig: &mut Rig, first, extent| {
        rig.set(
            &db::PACKET,
            &[
                (db::LOD, 0),
                (db::MINIMUM_ARRAY_ELEMENT, first),
                (db::RENDER_TARGET_VIEW_EXTENT, extent),
                (db::SURFACE_TYPE, 1),
            ],
        );
    };
    let mut rig = strict(&[]);
    slices(&mut rig, 1, 3);
    stencil_op(&rig, &[(op::STENCIL_BUFFER_CLEAR_ENABLE, 1)]);
    assert_eq!(read_depth_events(&mut rig), []);
    slices(&mut rig, 1, 3);
    stencil_op(&rig, &[(op::DEPTH_BUFFER_CLEAR_ENABLE, 1)]);
    assert_eq!(
        read_depth_events(&mut rig),
        [(0, 1), (0, 2), (0, 3), (0, 4)]
    );
    // Other operations bring nothing.
    slices(&mut rig, 2, 1);
    stencil_op(&rig, &[(op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE, 1)]);
    assert_eq!(
        read_depth_events(&mut rig),
        [(0, 1), (0, 2), (0, 3), (0, 4)]
    );
    slices(&mut rig, 2, 1);
    stencil_op(&rig, &[(op::DEPTH_BUFFER_RESOLVE_ENABLE, 1)]);
    assert_eq!(read_depth_events(&mut rig), [(0, 1), (0, 4)]);
    slices(&mut rig, 4, 0);
    rig.set(&db::PACKET, &[(db::SURFACE_TYPE, 7)]);
    stencil_op(&rig, &[(op::DEPTH_BUFFER_RESOLVE_ENABLE, 1)]);
    slices(&mut rig, 1, 0);
    stencil_op(&rig, &[(op::DEPTH_BUFFER_RESOLVE_ENABLE, 1)]);
    assert_eq!(read_depth_events(&mut rig), [(0, 4)]);
}

#[test]
fn depth_clear_value_within_the_viewport_range() {
    use hw::draw::{state_clear_params as params, state_wm_hz_op as op};
    let denormal = f32::from_bits(7);
    for (format, value, range, rule) in [
        (D32, 0.5, [0.0, 1.0], None),
        (D32, 0.0, [0.0, 1.0], None),
        (D32, 1.0, [0.0, 1.0], None),
        (D32, 0.5, [0.0, 0.25], Some("depth-clear-range")),
        (D32, 0.125, [0.25, 1.0], Some("depth-clear-range")),
        (D32, denormal, [0.25, 1.0], None),
        (D16, denormal, [0.25, 1.0], Some("depth-clear-range")),
        (D32, f32::NAN, [0.0, 1.0], Some("depth-clear-range")),
    ] {
        let mut rig = strict(&[(db::SURFACE_FORMAT, format)]);
        rig.write(DYNAMIC + 0x80, &range.map(f32::to_bits));
        let clear = [(params::DEPTH_CLEAR_VALUE, value.to_bits().into())];
        rig.set(&params::PACKET, &clear);
        let mut words = vec![0; usize::from(op::PACKET.dwords)];
        op::DEPTH_BUFFER_CLEAR_ENABLE.set(&mut words, 1);
        let found = crate::draw::pixel::clear::hz_op(&rig.draw(), &words);
        match rule {
            None => assert_eq!(found, Ok(()), "{value} {range:?}"),
            Some(name) => assert!(
                matches!(found, Err(eu::StopReason::Undefined { rule, .. }) if rule == name),
                "{value} {range:?}: {found:?}"
            ),
        }
    }
}

#[test]
fn compare_functions_and_stencil_operations() {
    let passes = |new: f32| (0..8).filter(|f| compare(*f, new, 0.5)).collect::<Vec<_>>();
    assert_eq!(passes(0.25), [0, 2, 4, 6]);
    assert_eq!(passes(0.5), [0, 3, 4, 7]);
    assert_eq!(passes(0.75), [0, 5, 6, 7]);
    let all = |old| [0, 1, 2, 3, 4, 5, 6, 7].map(|op| stencil_op(op, old, 9));
    assert_eq!(all(255), [255, 0, 9, 255, 254, 0, 254, 0]);
    assert_eq!(all(0), [0, 0, 9, 1, 0, 1, 255, 255]);
}

#[test]
fn depth_rounds_to_the_nearest_unorm() {
    let of =
        |number: DepthFormat, z: &[f32]| z.iter().map(|z| number.encode(*z)).collect::<Vec<_>>();
    let sixteen = [16383.4, 16383.6, 16384.4].map(|n: f32| n / 65535.0);
    assert_eq!(of(DepthFormat::Unorm16, &sixteen), [16383, 16384, 16384]);
    let bounds = [-1.0, 0.0, 1.0, 2.0];
    assert_eq!(
        of(DepthFormat::Unorm24, &bounds),
        [0, 0, 0xff_ffff, 0xff_ffff]
    );
    // 0.3 of 24 bits is 5033164.7 by f32's 0.3.
    assert_eq!(of(DepthFormat::Unorm24, &[0.3]), [5_033_165]);
    assert_eq!(of(DepthFormat::Float32, &[0.3]), [0x3e99_999a]);
}
