//! Checks surface states.
//!
//! In:  RENDER_SURFACE_STATE. Out: [`StopReason::Undefined`] at the first broken rule.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE".

use crate::rules::{
    SURFACE_ALIGNMENT, SURFACE_ASTC_TILING, SURFACE_BASE, SURFACE_CCS_ALIGNMENT,
    SURFACE_CCS_FORMAT, SURFACE_CCS_PITCH, SURFACE_L2_BYPASS, SURFACE_MIP_TAIL, SURFACE_PITCH,
    SURFACE_QPITCH, SURFACE_SHARED,
};
use crate::strict::addresses;
use crate::strict::reserved_bits::check_reserved_bits;
use crate::surface::tiling::Tiling;
use crate::surface::{AuxMode, Image, Kind};
use eu::StopReason;
use hw::state::render_surface_state as rss;
use hw::value::state::surface_horizontal_alignment;
use hw::{FormatUse, Gen, Wa};

/// Formats that must not bypass the sampler's L2 ([`Wa::SamplerL2BypassForBc`]).
const NO_L2_BYPASS: [&str; 5] = [
    "BC2_UNORM",
    "BC3_UNORM",
    "BC5_UNORM",
    "BC5_SNORM",
    "BC7_UNORM",
];

/// Checks a surface state; `at` is its address. `shared`: its memory is a dma-buf. `lenient`:
/// without the rules that drivers in use break.
pub(super) fn check(
    words: &[u32; 16],
    at: u64,
    shared: bool,
    lenient: bool,
) -> Result<(), StopReason> {
    check_reserved_bits(&rss::PACKET, words, at)?;
    addresses::check(&rss::PACKET, words, at)?;
    let image = Image::from_words(words, at)?;
    if matches!(image.kind, Kind::Buffer | Kind::Null) {
        return Ok(());
    }
    let mocs = rss::MOCS.get(words);
    SURFACE_SHARED.check(!shared || mocs == hw::mocs::PAGE_TABLES_DECIDE, at, || {
        format!("entry {} for a dma-buf", mocs >> 1)
    })?;
    let (pitch, tiling) = (image.pitch_bytes, image.tiling);
    let unit = tiling.pitch_unit();
    SURFACE_PITCH.check(pitch.is_multiple_of(unit), at, || {
        format!("{pitch} bytes in tiles {unit} wide")
    })?;
    let tile_bytes = tiling.tile_bytes();
    let based = image.address.is_multiple_of(tile_bytes.into());
    SURFACE_BASE.check(based, at, || {
        format!("tiles of {tile_bytes} bytes from {:#x} on", image.address)
    })?;
    let horizontal = rss::SURFACE_HORIZONTAL_ALIGNMENT.get(words);
    let vertical = rss::SURFACE_VERTICAL_ALIGNMENT.get(words);
    SURFACE_ALIGNMENT.check(horizontal != 0 && vertical != 0, at, || {
        format!("codes {horizontal} and {vertical}")
    })?;
    let ccs = matches!(image.aux.mode, AuxMode::CcsD | AuxMode::CcsE);
    // The only level of a surface begins where its slices do: the field has no effect (ERRATA.md).
    let last = rss::MIP_COUNT_LOD
        .get(words)
        .max(rss::SURFACE_MIN_LOD.get(words));
    // Levels of standard tilings are aligned to tiles, whatever the field.
    let aligned_to_tiles = tiling.standard_tile().is_some();
    let aligned = aligned_to_tiles || horizontal == surface_horizontal_alignment::HALIGN_16;
    SURFACE_CCS_ALIGNMENT.check(!ccs || last == 0 || aligned, at, || {
        format!("levels aligned by code {horizontal}")
    })?;
    let compressed = image.format.uses(Gen::Gen9).contains(FormatUse::COMPRESS);
    SURFACE_CCS_FORMAT.check(image.aux.mode != AuxMode::CcsE || compressed, at, || {
        format!("AUX_CCS_E of {}", image.format.name)
    })?;
    let scanned = shared && image.aux.mode == AuxMode::CcsE && image.width > 3840;
    let needed = const { Wa::CcsScanoutPitch.required_on(Gen::Gen9) } && !lenient;
    let aligned = pitch.is_multiple_of(4 * unit);
    SURFACE_CCS_PITCH.check(!(needed && scanned) || aligned, at, || {
        format!("{pitch} bytes for {} pixels", image.width)
    })?;
    let bypasses = rss::SAMPLER_L2_BYPASS_MODE_DISABLE.get(words) == 0;
    let must_not = NO_L2_BYPASS.contains(&image.format.name);
    SURFACE_L2_BYPASS.check(!(bypasses && must_not), at, || {
        format!("{} bypasses the sampler's L2", image.format.name)
    })?;
    // Only the standard tilings have mip tails. Intel's OpenCL driver leaves the field zero in its
    // surfaces, which have one level each.
    let tail = rss::MIP_TAIL_START_LOD.get(words);
    let needed = const { Wa::MipTailStartBeyondLevels.required_on(Gen::Gen9) }
        && tiling.standard_tile().is_none();
    SURFACE_MIP_TAIL.check(!needed || last == 0 || tail > last, at, || {
        format!("the mip tail starts at level {tail}, and the last level is {last}")
    })?;
    let deep = tiling.standard_tile().filter(|_| tiling.tile_slices() > 1);
    if let Some([_, height]) = deep {
        let rows = image.qpitch_rows;
        SURFACE_QPITCH.check(rows.is_multiple_of(height), at, || {
            format!("{rows} rows in tiles {height} high")
        })?;
    }
    let astc = image.format.name.starts_with("ASTC");
    let y_major = tiling == Tiling::Y || tiling.standard_tile().is_some();
    SURFACE_ASTC_TILING.check(!astc || y_major, at, || {
        format!("{} in {tiling:?} tiles", image.format.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: [(hw::Field, u64); 9] = [
        (rss::MIP_TAIL_START_LOD, 15),
        (rss::SURFACE_TYPE, 1),
        (rss::SURFACE_FORMAT, 0x0c7),
        (rss::TILE_MODE, 3),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
        (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
        (rss::SURFACE_BASE_ADDRESS, 0x10_0000),
        (rss::SURFACE_PITCH, 127),
        (rss::AUXILIARY_SURFACE_MODE, 5),
    ];

    fn words(set: &[(hw::Field, u64)]) -> [u32; 16] {
        let mut words = [0; 16];
        for (field, value) in DEFAULTS.iter().chain(set) {
            field.set(&mut words, *value);
        }
        words
    }

    fn broken(words: &[u32; 16]) -> Option<&'static str> {
        match check(words, 0, false, false) {
            Err(StopReason::Undefined { rule, .. }) => Some(rule),
            Err(other) => panic!("{other:?}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn shared_images_need_page_table_mocs() {
        let checked =
            |entry: u64, shared| check(&words(&[(rss::MOCS, entry << 1)]), 0, shared, false);
        assert!(checked(1, true).is_ok() && checked(1, false).is_ok() && checked(2, false).is_ok());
        let rule = match checked(2, true) {
            Err(StopReason::Undefined { rule, .. }) => rule,
            other => panic!("{other:?}"),
        };
        assert_eq!(rule, "surface-shared");
    }

    #[test]
    fn wide_compressed_images_that_are_shared_have_a_pitch_of_four_tiles() {
        let checked = |width: u64, tiles: u64, shared, lenient| {
            let set = [
                (rss::MOCS, 1 << 1),
                (rss::WIDTH, width - 1),
                (rss::SURFACE_PITCH, tiles * 128 - 1),
            ];
            check(&words(&set), 0, shared, lenient).is_ok()
        };
        assert!(!checked(3844, 121, true, false));
        assert!(checked(3844, 124, true, false));
        assert!(checked(3840, 121, true, false));
        assert!(checked(3844, 121, false, false));
        assert!(checked(3844, 121, true, true));
    }

    #[test]
    fn each_rule_is_reported() {
        assert_eq!(broken(&words(&[])), None);
        for (field, value, rule) in [
            (rss::SURFACE_PITCH, 191, "surface-pitch"),
            (rss::SURFACE_BASE_ADDRESS, 0x10_0040, "surface-base"),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 0, "surface-alignment"),
        ] {
            assert_eq!(broken(&words(&[(field, value)])), Some(rule));
        }
        // Of one level the alignment has no effect.
        for (level, rule) in [
            (rss::MIP_COUNT_LOD, Some("surface-ccs-alignment")),
            (rss::SURFACE_MIN_LOD, Some("surface-ccs-alignment")),
            (rss::DEPTH, None),
        ] {
            let set = [(rss::SURFACE_HORIZONTAL_ALIGNMENT, 1), (level, 1)];
            assert_eq!(broken(&words(&set)), rule, "{}", level.name);
        }
        let in_tiles = [
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
            (rss::MIP_COUNT_LOD, 1),
            (rss::TILED_RESOURCE_MODE, 1),
        ];
        assert_eq!(broken(&words(&in_tiles)), None);
        // R10G10B10A2_UNORM supports fast clears but not compression; R8G8B8A8_UNORM supports both.
        let cleared = [
            (rss::SURFACE_FORMAT, 0x0c2),
            (rss::AUXILIARY_SURFACE_MODE, 1),
        ];
        assert_eq!(broken(&words(&cleared)), None);
        let compressed = words(&cleared[..1]);
        assert_eq!(broken(&compressed), Some("surface-ccs-format"));
        let astc = hw::FORMATS.iter().find(|f| f.name.starts_with("ASTC_LDR"));
        let number = astc.expect("a format").number.into();
        let set = [
            (rss::SURFACE_FORMAT, number),
            (rss::TILE_MODE, 0),
            (rss::AUXILIARY_SURFACE_MODE, 0),
        ];
        assert_eq!(broken(&words(&set)), Some("surface-astc-tiling"));
        let bypass = Some("surface-l2-bypass");
        for (name, disabled, rule) in [
            ("BC2_UNORM", 0, bypass),
            ("BC3_UNORM", 0, bypass),
            ("BC5_UNORM", 0, bypass),
            ("BC5_SNORM", 0, bypass),
            ("BC7_UNORM", 0, bypass),
            ("BC7_UNORM", 1, None),
            ("BC1_UNORM", 0, None),
        ] {
            let format = hw::FORMATS.iter().find(|f| f.name == name);
            let set = [
                (rss::SURFACE_FORMAT, format.expect("a format").number.into()),
                (rss::AUXILIARY_SURFACE_MODE, 0),
                (rss::SAMPLER_L2_BYPASS_MODE_DISABLE, disabled),
            ];
            assert_eq!(broken(&words(&set)), rule, "{name}");
        }
        for (tail, last, rule) in [
            (0, 0, None),
            (15, 14, None),
            (2, 1, None),
            (1, 1, Some("surface-mip-tail")),
        ] {
            let set = [(rss::MIP_TAIL_START_LOD, tail), (rss::MIP_COUNT_LOD, last)];
            assert_eq!(broken(&words(&set)), rule);
        }
        // In standard tilings a tail is a part of the surface.
        for (kind, mode) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            let set = [
                (rss::SURFACE_TYPE, kind),
                (rss::TILED_RESOURCE_MODE, mode),
                (rss::SURFACE_PITCH, 511),
                (rss::MIP_TAIL_START_LOD, 1),
                (rss::MIP_COUNT_LOD, 1),
            ];
            assert_eq!(broken(&words(&set)), None, "{kind} {mode}");
        }
        // Mode, fours of rows; tiles are 16 or 32 rows high.
        for (mode, fours, rule) in [
            (1, 4, None),
            (1, 2, Some("surface-qpitch")),
            (2, 8, None),
            (2, 4, Some("surface-qpitch")),
        ] {
            let set = [
                (rss::SURFACE_TYPE, 2),
                (rss::TILED_RESOURCE_MODE, mode),
                (rss::SURFACE_QPITCH, fours),
            ];
            assert_eq!(broken(&words(&set)), rule, "{mode} {fours}");
        }
        // Tiles of 64 KB begin at multiples of their size.
        for (mode, rule) in [(1, None), (2, Some("surface-base"))] {
            let set = [
                (rss::SURFACE_TYPE, 2),
                (rss::TILED_RESOURCE_MODE, mode),
                (rss::SURFACE_BASE_ADDRESS, 0x10_1000),
            ];
            assert_eq!(broken(&words(&set)), rule, "{mode}");
        }
        let astc_in_yf = [
            set[0],
            (rss::TILED_RESOURCE_MODE, 1),
            set[2],
            (rss::SURFACE_PITCH, 255),
        ];
        assert_eq!(broken(&words(&astc_in_yf)), None);
        // Dword 1 has no field in bits 15 to 18.
        let mut check_reserved_bits = words(&[]);
        check_reserved_bits[1] |= 1 << 16;
        assert_eq!(broken(&check_reserved_bits), Some("reserved-bits"));
    }

    #[test]
    fn linear_and_null_surfaces_are_unrestricted() {
        let linear = [
            (rss::TILE_MODE, 0),
            (rss::SURFACE_PITCH, 99),
            (rss::SURFACE_BASE_ADDRESS, 0x10_0044),
        ];
        assert_eq!(broken(&words(&linear)), None);
        let null = [(rss::SURFACE_TYPE, 7), (rss::SURFACE_PITCH, 0)];
        assert_eq!(broken(&words(&null)), None);
    }
}
