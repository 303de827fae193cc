//! The PRM's own examples and formulas, limits, and errors; ISL's figures are `isl_tests`'.

use hw::{Device, Format};

use crate::{
    Allocation, Dim, ImageInfo, NoAux, NotAlone, SampleLayout, Surface, SurfaceError, Tiling,
    Tilings, Usage,
};

fn device() -> &'static Device {
    Device::by_name("skl").expect("a device")
}

fn format(name: &str) -> &'static Format {
    hw::FORMATS
        .iter()
        .find(|f| f.name == name)
        .expect("a format")
}

/// A plane of 32-bit pixels that is sampled and drawn to.
fn plane(width: u32, height: u32) -> ImageInfo {
    ImageInfo {
        format: format("R8G8B8A8_UNORM"),
        dim: Dim::D2,
        extent_px: [width, height, 1],
        levels: 1,
        layers: 1,
        samples: 1,
        usage: Usage::TEXTURE | Usage::RENDER_TARGET,
        tilings: Tilings::all(),
        row_pitch_bytes: None,
    }
}

fn lay(info: &ImageInfo) -> Surface {
    Surface::new(device(), info).unwrap_or_else(|why| panic!("{why}: {info:?}"))
}

fn refused(info: &ImageInfo) -> SurfaceError {
    Surface::new(device(), info).expect_err("a refusal")
}

/// Vol. 5, "2D Surfaces": level 1 below level 0, level 2 right of level 1, the rest below level 2.
#[test]
fn levels_stand_as_the_manual_draws_them() {
    let surface = lay(&ImageInfo {
        levels: 7,
        usage: Usage::TEXTURE | Usage::NO_AUX,
        tilings: Tilings::LINEAR,
        ..plane(64, 64)
    });
    let at = |level| surface.place(level, 0).offset_bytes;
    let row = u64::from(surface.row_pitch_bytes);
    assert_eq!(row, 64 * 4);
    assert_eq!(at(1), 64 * row);
    assert_eq!(at(2), 64 * row + 32 * 4);
    assert_eq!(at(3), (64 + 16) * row + 32 * 4);
    assert_eq!(at(4), (64 + 16 + 8) * row + 32 * 4);
    // The smallest still take an alignment unit each.
    assert_eq!(at(6), (64 + 16 + 8 + 4 + 4) * row + 32 * 4);
    assert_eq!(surface.size_bytes, (64 + 16 + 8 + 4 + 4 + 4) * row);
}

#[test]
fn layers_are_a_slice_apart() {
    let surface = lay(&ImageInfo {
        layers: 6,
        levels: 3,
        usage: Usage::TEXTURE | Usage::CUBE,
        ..plane(64, 64)
    });
    assert_eq!(surface.layer_pitch_rows_el, 64 + 32);
    // A Y tile is 32 × 32 of such pixels; layer 1 begins at row 96.
    assert_eq!(
        surface.place(0, 1).offset_bytes,
        3 * 32 * u64::from(surface.row_pitch_bytes)
    );
    assert_eq!(surface.binding().qpitch, 96 / 4);
}

/// Vol. 5, "Tiling": 4 KiB each.
#[test]
fn tiles_hold_4096_bytes() {
    for (name, tilings, tiling, row_pitch_bytes) in [
        ("R8G8B8A8_UNORM", Tilings::X, Tiling::X, 512),
        ("R8G8B8A8_UNORM", Tilings::Y, Tiling::Y, 128),
        ("R32G32B32_FLOAT", Tilings::Y, Tiling::Y, 2 * 128),
    ] {
        let surface = lay(&ImageInfo {
            format: format(name),
            usage: Usage::TEXTURE,
            tilings,
            ..plane(17, 1)
        });
        assert_eq!(surface.tiling, tiling);
        assert_eq!(surface.alignment_bytes, 4096);
        assert_eq!(surface.row_pitch_bytes, row_pitch_bytes, "{name}");
        let tiles = u64::from(row_pitch_bytes) / if tiling == Tiling::X { 512 } else { 128 };
        assert_eq!(surface.size_bytes, 4096 * tiles, "{name}");
    }
}

/// Vol. 2d, "Surface Pitch": of stencil buffers twice the width, two rows being interleaved.
#[test]
fn stencil_pitch_is_doubled() {
    let surface = lay(&ImageInfo {
        format: format("R8_UINT"),
        usage: Usage::STENCIL,
        ..plane(100, 65)
    });
    assert_eq!(surface.tiling, Tiling::W);
    assert_eq!(surface.row_pitch_bytes, 2 * 128);
    assert_eq!(surface.size_bytes, 4 * 4096);
    assert_eq!(surface.binding().tile_mode, 1);
    assert_eq!(surface.binding().pitch, 255);
}

/// Vol. 5, "Interleaved Multisampled Surfaces": 2 × 1, 2 × 2, 4 × 2, 4 × 4 samples of pixels in quads.
#[test]
fn samples_of_depth_are_interleaved() {
    for (samples, width_sa, height_sa) in [(2, 2, 1), (4, 2, 2), (8, 4, 2), (16, 4, 4)] {
        let surface = lay(&ImageInfo {
            format: format("R32_FLOAT"),
            usage: Usage::DEPTH,
            samples,
            ..plane(31, 63)
        });
        assert_eq!(surface.sample_layout, SampleLayout::Interleaved);
        assert_eq!(surface.row_pitch_bytes, 32 * width_sa * 4);
        assert_eq!(
            surface.size_bytes,
            u64::from(32 * width_sa * 4 * 64 * height_sa)
        );
        assert_eq!(surface.binding().sample_format, 1);
    }
}

#[test]
fn samples_of_colour_are_layers() {
    let surface = lay(&ImageInfo {
        samples: 8,
        layers: 2,
        ..plane(64, 64)
    });
    assert_eq!(surface.sample_layout, SampleLayout::Layers);
    assert_eq!(surface.size_bytes, 64 * 64 * 4 * 8 * 2);
    assert_eq!(surface.place(0, 1).offset_bytes, 64 * 64 * 4 * 8);
    let mcs = surface.mcs(device()).expect("an MCS");
    assert_eq!((mcs.block.bits, mcs.tiling), (32, Tiling::Y));
    assert_eq!(mcs.binding().pitch, 1, "two tiles, less one");
    assert_eq!(surface.scaled_px(&mcs, 0), [32, 32]);
    assert!(matches!(surface.ccs(device()), Err(NoAux::Kind(_))));
}

/// Vol. 7: a byte of CCS says of four pairs of cache lines whether they are compressed; a tile of it is for 1024 × 512 pixels of
/// 32 bits, and layers are 256 rows of pixels apart at least.
#[test]
fn ccs_figures() {
    let surface = lay(&ImageInfo {
        layers: 2,
        ..plane(1024, 512)
    });
    let ccs = surface.ccs(device()).expect("a CCS");
    assert_eq!((ccs.row_pitch_bytes, ccs.size_bytes), (128, 2 * 4096));
    assert_eq!((ccs.binding().pitch, ccs.binding().qpitch), (0, 512 / 4));
    // Of 32 bits, 64 × 32 pixels for one, in twos.
    assert_eq!(surface.scaled_px(&ccs, 0), [16, 16]);
    let odd = lay(&plane(129, 65));
    let of_odd = odd.ccs(device()).expect("a CCS");
    assert_eq!(odd.scaled_px(&of_odd, 0), [4, 4]);
    let small = lay(&ImageInfo {
        layers: 3,
        ..plane(16, 16)
    });
    assert_eq!(small.ccs(device()).expect("a CCS").qpitch(), 256);
    let unwished = lay(&ImageInfo {
        usage: Usage::TEXTURE | Usage::NO_AUX,
        ..plane(16, 16)
    });
    assert_eq!(unwished.ccs(device()), Err(NoAux::Unwished));
    assert_eq!(unwished.align_el, [4, 4]);
}

#[test]
fn hiz_is_for_pixels_not_samples() {
    let depth = |samples| {
        lay(&ImageInfo {
            format: format("R32_FLOAT"),
            usage: Usage::DEPTH,
            samples,
            ..plane(256, 128)
        })
    };
    let hiz = depth(1).hiz(device()).expect("a HiZ");
    // 32 × 32 elements of 16 bytes.
    assert_eq!((hiz.row_pitch_bytes, hiz.size_bytes), (256, 32 * 32 * 16));
    assert_eq!(
        depth(16).hiz(device()).map(|hiz| hiz.size_bytes),
        Ok(hiz.size_bytes)
    );
    assert_eq!(hiz.qpitch(), 128);
}

#[test]
fn linear_lines_have_their_levels_side_by_side() {
    let surface = lay(&ImageInfo {
        dim: Dim::D1,
        levels: 3,
        layers: 2,
        usage: Usage::TEXTURE,
        ..plane(100, 1)
    });
    assert_eq!(surface.tiling, Tiling::Linear);
    // 100, 50 and 25 pixels, in units of 64.
    assert_eq!(surface.row_pitch_bytes, (128 + 64 + 64) * 4);
    assert_eq!(surface.place(2, 1).offset_bytes, (256 + 192) * 4);
    assert_eq!(surface.qpitch(), 256, "pixels");
}

#[test]
fn a_level_is_bound_alone_where_the_offsets_allow() {
    let surface = lay(&ImageInfo {
        levels: 4,
        ..plane(64, 64)
    });
    let (level, place) = surface.single(1, 0).expect("level 1 begins a tile");
    assert_eq!(level.extent_px, [32, 32, 1]);
    assert_eq!((place.within_el, level.levels), ([0, 0], 1));
    let (_, place) = surface.single(3, 0).expect("X and Y Offset can say it");
    assert_eq!(place.within_el, [0, 16]);
    let bytes = lay(&ImageInfo {
        format: format("R8_UNORM"),
        levels: 4,
        usage: Usage::TEXTURE | Usage::NO_AUX,
        ..plane(20, 20)
    });
    // Level 2 stands 12 columns into the tile; columns of bytes go by 16.
    let why = bytes.single(2, 0).expect_err("between two steps");
    assert!(
        matches!(
            why,
            NotAlone::Offset {
                x: 12,
                x_step: 16,
                ..
            }
        ),
        "{why}"
    );
    let odd = lay(&ImageInfo {
        format: format("R32G32B32_FLOAT"),
        levels: 4,
        ..plane(16, 16)
    });
    assert_eq!(
        odd.single(1, 0).expect_err("three components"),
        NotAlone::Kind
    );
}

#[test]
fn an_allocation_keeps_each_ones_alignment() {
    let mut allocation = Allocation::default();
    let linear = lay(&ImageInfo {
        tilings: Tilings::LINEAR,
        ..plane(5, 5)
    });
    let tiled = lay(&plane(5, 5));
    assert_eq!(allocation.push(&linear), 0);
    assert_eq!(allocation.push(&tiled), 4096);
    assert_eq!(
        (allocation.size_bytes, allocation.alignment_bytes),
        (8192, 4096)
    );
}

#[test]
fn wished_pitches() {
    let wish = |tilings, row_pitch_bytes| ImageInfo {
        tilings,
        row_pitch_bytes: Some(row_pitch_bytes),
        ..plane(100, 100)
    };
    assert_eq!(lay(&wish(Tilings::LINEAR, 404)).row_pitch_bytes, 404);
    assert_eq!(lay(&wish(Tilings::X, 1536)).row_pitch_bytes, 1536);
    for (tilings, asked) in [
        (Tilings::LINEAR, 396),
        (Tilings::LINEAR, 402),
        (Tilings::X, 768),
    ] {
        let why = refused(&wish(tilings, asked));
        assert!(matches!(why, SurfaceError::PitchWish { .. }), "{why}");
    }
    let scanout = lay(&ImageInfo {
        usage: Usage::DISPLAY | Usage::RENDER_TARGET,
        tilings: Tilings::LINEAR,
        ..plane(100, 100)
    });
    assert_eq!(
        (scanout.row_pitch_bytes, scanout.alignment_bytes),
        (512, 64)
    );
}

/// SKL PRM vol. 2d, RENDER_SURFACE_STATE "Width": a workaround of SKL, which GT4 and the later parts do not need.
#[test]
fn the_widest_targets_are_linear_on_skylake() {
    let wide = plane(16383, 4);
    assert_eq!(lay(&wide).tiling, Tiling::Linear);
    assert_eq!(lay(&plane(16382, 4)).tiling, Tiling::Y);
    let kbl = Device::by_name("kbl").expect("a device");
    assert_eq!(Surface::new(kbl, &wide).map(|s| s.tiling), Ok(Tiling::Y));
    let why = refused(&ImageInfo {
        tilings: Tilings::X | Tilings::Y,
        ..wide
    });
    assert!(
        matches!(
            why,
            SurfaceError::Tiling {
                usable: Tilings::LINEAR,
                ..
            }
        ),
        "{why}"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let range = |what: &'static str, info: ImageInfo| {
        let why = refused(&info);
        assert!(
            matches!(why, SurfaceError::Range { what: w, .. } if w == what),
            "{why}"
        );
    };
    range("the width", plane(16385, 1));
    range("the height", plane(1, 0));
    range(
        "the depth",
        ImageInfo {
            extent_px: [1, 1, 2],
            ..plane(1, 1)
        },
    );
    range(
        "the width",
        ImageInfo {
            dim: Dim::D3,
            ..plane(2049, 1)
        },
    );
    range(
        "the number of levels",
        ImageInfo {
            levels: 4,
            ..plane(4, 7)
        },
    );
    range(
        "the number of layers",
        ImageInfo {
            layers: 2049,
            ..plane(1, 1)
        },
    );
    range(
        "the number of layers",
        ImageInfo {
            dim: Dim::D3,
            layers: 2,
            ..plane(1, 1)
        },
    );
    range(
        "the number of samples",
        ImageInfo {
            samples: 32,
            ..plane(1, 1)
        },
    );
    let bc = format("BC1_UNORM");
    for info in [
        ImageInfo {
            samples: 3,
            ..plane(1, 1)
        },
        ImageInfo {
            samples: 4,
            levels: 2,
            ..plane(4, 4)
        },
        ImageInfo {
            samples: 4,
            format: bc,
            ..plane(4, 4)
        },
        ImageInfo {
            dim: Dim::D1,
            format: bc,
            ..plane(4, 1)
        },
        ImageInfo {
            usage: Usage::CUBE,
            layers: 6,
            ..plane(4, 8)
        },
        ImageInfo {
            usage: Usage::STENCIL,
            ..plane(4, 4)
        },
        ImageInfo {
            usage: Usage::DEPTH | Usage::RENDER_TARGET,
            ..plane(4, 4)
        },
    ] {
        let why = refused(&info);
        assert!(matches!(why, SurfaceError::Shape(_)), "{why}");
    }
    let planar = refused(&ImageInfo {
        format: format("PLANAR_420_8"),
        ..plane(4, 4)
    });
    assert_eq!(planar, SurfaceError::Format("PLANAR_420_8"));
    let long = refused(&ImageInfo {
        format: format("R64G64B64A64_FLOAT"),
        ..plane(16384, 1)
    });
    assert!(
        matches!(
            long,
            SurfaceError::PitchTooLong {
                bytes: 524_288,
                most: 262_144,
                ..
            }
        ),
        "{long}"
    );
    let large = refused(&ImageInfo {
        layers: 2048,
        ..plane(16384, 16384)
    });
    assert!(matches!(large, SurfaceError::TooLarge { .. }), "{large}");
    let newer = Device::by_name("tgl").expect("a device");
    assert_eq!(
        Surface::new(newer, &plane(1, 1)),
        Err(SurfaceError::Generation(hw::Gen::Gen12))
    );
}
