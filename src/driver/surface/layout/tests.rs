//! The PRM's examples and formulas, limits, and errors. The submodule `isl` compares with Mesa's
//! ISL.

mod isl;

use hw::{Device, Format};

use crate::aux::NoAux;
use crate::image::{ImageDim, ImageInfo, ImageUsage, SurfaceError};
use crate::layout::{SampleLayout, Surface};
use crate::subresource::{NotBindable, SurfaceAllocation};
use crate::tiling::{Tiling, TilingSet};

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
fn image_2d(width: u32, height: u32) -> ImageInfo {
    ImageInfo {
        format: format("R8G8B8A8_UNORM"),
        dim: ImageDim::D2,
        extent_px: [width, height, 1],
        levels: 1,
        layers: 1,
        samples: 1,
        usage: ImageUsage::TEXTURE | ImageUsage::RENDER_TARGET,
        tilings: TilingSet::all(),
        row_pitch_bytes: None,
    }
}

fn layout(info: &ImageInfo) -> Surface {
    Surface::new(device(), info).unwrap_or_else(|why| panic!("{why}: {info:?}"))
}

fn layout_error(info: &ImageInfo) -> SurfaceError {
    Surface::new(device(), info).expect_err("an error")
}

/// Vol. 5, "2D Surfaces": level 1 below level 0, level 2 right of level 1, the rest below level 2.
#[test]
fn levels_are_placed_as_in_the_prm() {
    let surface = layout(&ImageInfo {
        levels: 7,
        usage: ImageUsage::TEXTURE | ImageUsage::NO_AUX,
        tilings: TilingSet::LINEAR,
        ..image_2d(64, 64)
    });
    let at = |level| surface.offset_of(level, 0).offset_bytes;
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
fn layer_pitch_is_the_rows_of_a_slice() {
    let surface = layout(&ImageInfo {
        layers: 6,
        levels: 3,
        usage: ImageUsage::TEXTURE | ImageUsage::CUBE,
        ..image_2d(64, 64)
    });
    assert_eq!(surface.layer_pitch_rows_el, 64 + 32);
    // A Y tile is 32 × 32 of such pixels; layer 1 starts at row 96.
    assert_eq!(
        surface.offset_of(0, 1).offset_bytes,
        3 * 32 * u64::from(surface.row_pitch_bytes)
    );
    assert_eq!(surface.binding().qpitch, 96 / 4);
}

/// Vol. 5, "Tiling": 4 KiB each.
#[test]
fn tiles_hold_4096_bytes() {
    for (name, tilings, tiling, row_pitch_bytes) in [
        ("R8G8B8A8_UNORM", TilingSet::X, Tiling::X, 512),
        ("R8G8B8A8_UNORM", TilingSet::Y, Tiling::Y, 128),
        ("R32G32B32_FLOAT", TilingSet::Y, Tiling::Y, 2 * 128),
    ] {
        let surface = layout(&ImageInfo {
            format: format(name),
            usage: ImageUsage::TEXTURE,
            tilings,
            ..image_2d(17, 1)
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
    let surface = layout(&ImageInfo {
        format: format("R8_UINT"),
        usage: ImageUsage::STENCIL,
        ..image_2d(100, 65)
    });
    assert_eq!(surface.tiling, Tiling::W);
    assert_eq!(surface.row_pitch_bytes, 2 * 128);
    assert_eq!(surface.size_bytes, 4 * 4096);
    assert_eq!(surface.binding().tile_mode, 1);
    assert_eq!(surface.binding().pitch, 255);
}

/// Vol. 5, "Interleaved Multisampled Surfaces": 2 × 1, 2 × 2, 4 × 2, 4 × 4 samples of pixels in
/// quads.
#[test]
fn samples_of_depth_are_interleaved() {
    for (samples, width_sa, height_sa) in [(2, 2, 1), (4, 2, 2), (8, 4, 2), (16, 4, 4)] {
        let surface = layout(&ImageInfo {
            format: format("R32_FLOAT"),
            usage: ImageUsage::DEPTH,
            samples,
            ..image_2d(31, 63)
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

/// WaMsaa8xTileYDepthPitchAlignment: 256 bytes where other depth buffers have tiles of 128.
#[test]
fn depth_with_eight_samples_has_an_even_number_of_tiles() {
    for (samples, width, pitch) in [(8, 24, 512), (8, 32, 512), (4, 48, 384), (16, 24, 384)] {
        let surface = layout(&ImageInfo {
            format: format("R32_FLOAT"),
            usage: ImageUsage::DEPTH,
            samples,
            ..image_2d(width, 8)
        });
        assert_eq!(surface.row_pitch_bytes, pitch, "{samples} {width}");
    }
}

#[test]
fn samples_of_colour_are_layers() {
    let surface = layout(&ImageInfo {
        samples: 8,
        layers: 2,
        ..image_2d(64, 64)
    });
    assert_eq!(surface.sample_layout, SampleLayout::Layers);
    assert_eq!(surface.size_bytes, 64 * 64 * 4 * 8 * 2);
    assert_eq!(surface.offset_of(0, 1).offset_bytes, 64 * 64 * 4 * 8);
    let mcs = surface.mcs(device()).expect("an MCS");
    assert_eq!((mcs.block.bits, mcs.tiling), (32, Tiling::Y));
    assert_eq!(mcs.binding().pitch, 1, "two tiles, less one");
    assert_eq!(surface.aux_op_extent(&mcs, 0), [32, 32]);
    assert!(matches!(surface.ccs(device()), Err(NoAux::Unsupported(_))));
}

/// Vol. 7: a byte of CCS has the state of four pairs of cache lines; a tile of
/// it is for 1024 × 512 pixels of 32 bits, and layers are 256 rows of pixels apart at least.
#[test]
fn ccs_layouts_match_the_prm() {
    let surface = layout(&ImageInfo {
        layers: 2,
        ..image_2d(1024, 512)
    });
    let ccs = surface.ccs(device()).expect("a CCS");
    assert_eq!((ccs.row_pitch_bytes, ccs.size_bytes), (128, 2 * 4096));
    assert_eq!((ccs.binding().pitch, ccs.binding().qpitch), (0, 512 / 4));
    // Of 32 bits, 64 × 32 pixels for one, in twos.
    assert_eq!(surface.aux_op_extent(&ccs, 0), [16, 16]);
    let odd = layout(&image_2d(129, 65));
    let of_odd = odd.ccs(device()).expect("a CCS");
    assert_eq!(odd.aux_op_extent(&of_odd, 0), [4, 4]);
    let small = layout(&ImageInfo {
        layers: 3,
        ..image_2d(16, 16)
    });
    assert_eq!(small.ccs(device()).expect("a CCS").qpitch(), 256);
    let without_aux = layout(&ImageInfo {
        usage: ImageUsage::TEXTURE | ImageUsage::NO_AUX,
        ..image_2d(16, 16)
    });
    assert_eq!(without_aux.ccs(device()), Err(NoAux::NotRequested));
    assert_eq!(without_aux.align_el, [4, 4]);
}

#[test]
fn hiz_does_not_depend_on_the_sample_count() {
    let depth = |samples| {
        layout(&ImageInfo {
            format: format("R32_FLOAT"),
            usage: ImageUsage::DEPTH,
            samples,
            ..image_2d(256, 128)
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
fn levels_of_linear_1d_images_are_side_by_side() {
    let surface = layout(&ImageInfo {
        dim: ImageDim::D1,
        levels: 3,
        layers: 2,
        usage: ImageUsage::TEXTURE,
        ..image_2d(100, 1)
    });
    assert_eq!(surface.tiling, Tiling::Linear);
    // 100, 50 and 25 pixels, in units of 64.
    assert_eq!(surface.row_pitch_bytes, (128 + 64 + 64) * 4);
    assert_eq!(surface.offset_of(2, 1).offset_bytes, (256 + 192) * 4);
    assert_eq!(surface.qpitch(), 256, "pixels");
}

#[test]
fn single_levels_are_bindable_if_the_offsets_allow() {
    let surface = layout(&ImageInfo {
        levels: 4,
        ..image_2d(64, 64)
    });
    let (level, place) = surface.single(1, 0).expect("level 1 begins a tile");
    assert_eq!(level.extent_px, [32, 32, 1]);
    assert_eq!((place.within_el, level.levels), ([0, 0], 1));
    let (_, place) = surface.single(3, 0).expect("X and Y Offset can say it");
    assert_eq!(place.within_el, [0, 16]);
    let bytes = layout(&ImageInfo {
        format: format("R8_UNORM"),
        levels: 4,
        usage: ImageUsage::TEXTURE | ImageUsage::NO_AUX,
        ..image_2d(20, 20)
    });
    // Level 2 starts 12 columns into the tile; X Offset counts 16 columns of byte elements.
    let why = bytes.single(2, 0).expect_err("between two steps");
    assert!(
        matches!(
            why,
            NotBindable::Offset {
                x: 12,
                x_step: 16,
                ..
            }
        ),
        "{why}"
    );
    let odd = layout(&ImageInfo {
        format: format("R32G32B32_FLOAT"),
        levels: 4,
        ..image_2d(16, 16)
    });
    assert_eq!(
        odd.single(1, 0).expect_err("three components"),
        NotBindable::Unsupported
    );
}

#[test]
fn allocations_align_each_surface() {
    let mut allocation = SurfaceAllocation::default();
    let linear = layout(&ImageInfo {
        tilings: TilingSet::LINEAR,
        ..image_2d(5, 5)
    });
    let tiled = layout(&image_2d(5, 5));
    assert_eq!(allocation.push(&linear), 0);
    assert_eq!(allocation.push(&tiled), 4096);
    assert_eq!(
        (allocation.size_bytes, allocation.alignment_bytes),
        (8192, 4096)
    );
}

#[test]
fn required_pitches_are_checked() {
    let with_pitch = |tilings, row_pitch_bytes| ImageInfo {
        tilings,
        row_pitch_bytes: Some(row_pitch_bytes),
        ..image_2d(100, 100)
    };
    assert_eq!(
        layout(&with_pitch(TilingSet::LINEAR, 404)).row_pitch_bytes,
        404
    );
    assert_eq!(
        layout(&with_pitch(TilingSet::X, 1536)).row_pitch_bytes,
        1536
    );
    for (tilings, pitch) in [
        (TilingSet::LINEAR, 396),
        (TilingSet::LINEAR, 402),
        (TilingSet::X, 768),
    ] {
        let why = layout_error(&with_pitch(tilings, pitch));
        assert!(matches!(why, SurfaceError::InvalidPitch { .. }), "{why}");
    }
    let scanout = layout(&ImageInfo {
        usage: ImageUsage::DISPLAY | ImageUsage::RENDER_TARGET,
        tilings: TilingSet::LINEAR,
        ..image_2d(100, 100)
    });
    assert_eq!(
        (scanout.row_pitch_bytes, scanout.alignment_bytes),
        (512, 64)
    );
}

/// SKL PRM vol. 2d, RENDER_SURFACE_STATE "Width": a workaround of SKL, which GT4 and the later
/// parts do not need.
#[test]
fn the_widest_targets_are_linear_on_skylake() {
    let wide = image_2d(16383, 4);
    assert_eq!(layout(&wide).tiling, Tiling::Linear);
    assert_eq!(layout(&image_2d(16382, 4)).tiling, Tiling::Y);
    let kbl = Device::by_name("kbl").expect("a device");
    assert_eq!(Surface::new(kbl, &wide).map(|s| s.tiling), Ok(Tiling::Y));
    let why = layout_error(&ImageInfo {
        tilings: TilingSet::X | TilingSet::Y,
        ..wide
    });
    assert!(
        matches!(
            why,
            SurfaceError::Tiling {
                usable: TilingSet::LINEAR,
                ..
            }
        ),
        "{why}"
    );
}

#[test]
fn numbers_out_of_range_are_errors() {
    let range = |what: &'static str, info: ImageInfo| {
        let why = layout_error(&info);
        assert!(
            matches!(why, SurfaceError::Range { what: w, .. } if w == what),
            "{why}"
        );
    };
    range("the width", image_2d(16385, 1));
    range("the height", image_2d(1, 0));
    range(
        "the depth",
        ImageInfo {
            extent_px: [1, 1, 2],
            ..image_2d(1, 1)
        },
    );
    range(
        "the width",
        ImageInfo {
            dim: ImageDim::D3,
            ..image_2d(2049, 1)
        },
    );
    range(
        "the number of levels",
        ImageInfo {
            levels: 4,
            ..image_2d(4, 7)
        },
    );
    range(
        "the number of layers",
        ImageInfo {
            layers: 2049,
            ..image_2d(1, 1)
        },
    );
    range(
        "the number of layers",
        ImageInfo {
            dim: ImageDim::D3,
            layers: 2,
            ..image_2d(1, 1)
        },
    );
    range(
        "the number of samples",
        ImageInfo {
            samples: 32,
            ..image_2d(1, 1)
        },
    );
}

#[test]
fn unsupported_combinations_are_errors() {
    let bc = format("BC1_UNORM");
    for info in [
        ImageInfo {
            samples: 3,
            ..image_2d(1, 1)
        },
        ImageInfo {
            samples: 4,
            levels: 2,
            ..image_2d(4, 4)
        },
        ImageInfo {
            samples: 4,
            format: bc,
            ..image_2d(4, 4)
        },
        ImageInfo {
            dim: ImageDim::D1,
            format: bc,
            ..image_2d(4, 1)
        },
        ImageInfo {
            usage: ImageUsage::CUBE,
            layers: 6,
            ..image_2d(4, 8)
        },
        ImageInfo {
            usage: ImageUsage::STENCIL,
            ..image_2d(4, 4)
        },
        ImageInfo {
            usage: ImageUsage::DEPTH | ImageUsage::RENDER_TARGET,
            ..image_2d(4, 4)
        },
    ] {
        let why = layout_error(&info);
        assert!(matches!(why, SurfaceError::Shape(_)), "{why}");
    }
}

#[test]
fn formats_sizes_and_generations_are_checked() {
    let planar = layout_error(&ImageInfo {
        format: format("PLANAR_420_8"),
        ..image_2d(4, 4)
    });
    assert_eq!(planar, SurfaceError::Format("PLANAR_420_8"));
    let long = layout_error(&ImageInfo {
        format: format("R64G64B64A64_FLOAT"),
        ..image_2d(16384, 1)
    });
    assert!(
        matches!(
            long,
            SurfaceError::PitchTooLong {
                bytes: 524_288,
                max: 262_144,
                ..
            }
        ),
        "{long}"
    );
    let large = layout_error(&ImageInfo {
        layers: 2048,
        ..image_2d(16384, 16384)
    });
    assert!(matches!(large, SurfaceError::TooLarge { .. }), "{large}");
    let newer = Device::by_name("tgl").expect("a device");
    assert_eq!(
        Surface::new(newer, &image_2d(1, 1)),
        Err(SurfaceError::Generation(hw::Gen::Gen12))
    );
}
