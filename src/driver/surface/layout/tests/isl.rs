//! ISL's layouts of 10,000 random images compared with this crate's: `isl_figures.txt`.
//!
//! Columns of a row, numbers in base 36 unless stated otherwise:
//! - format number, hexadecimal; one word of dimension, allowed tilings and usage (a decimal and
//!   two hexadecimal numbers); width, height, layers or depth, levels, samples, required row pitch
//!   (0: none);
//! - `-` if ISL rejects the image; else tiling, horizontal and vertical alignment in elements, row
//!   pitch, distance of layers in rows of elements, size in bytes, alignment of the address;
//! - a level and a layer or slice, the offset of its tile in bytes, and column and row in that
//!   tile;
//! - `h` HiZ, `m` MCS, `e` or `d` CCS with row pitch, distance of layers and size in bytes; `n` if
//!   ISL has none for it; `f` if the format cannot have one, which is not checked here.
//!
//! ISL allows two things that the PRM does not allow, and neither does this crate: see
//! [`Deviation`].

use std::collections::BTreeMap;

use hw::{Device, Format};

use crate::image::{ImageDim, ImageInfo, ImageUsage, SurfaceError};
use crate::layout::Surface;
use crate::tiling::{Tiling, TilingSet};

const FIGURES: &str = include_str!("isl_figures.txt");

/// Why this crate rejects or changes a layout of ISL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deviation {
    /// "For linear render target surfaces and surfaces accessed with the typed data port messages,
    /// the pitch must be a multiple of the element size", and the address too (vol. 2d): ISL
    /// requires it of render targets only.
    TypedStorage,
    /// QPitch of a linear 1D image counts pixels in units of 4: ISL accepts a required pitch that
    /// violates this.
    Linear1dQpitch,
    /// Rows of depth buffers with 8 samples are pairs of tiles
    /// ([`hw::Wa::DepthPitchWith8Samples`]): ISL does not know of it.
    DepthPitchWith8Samples,
}

struct Row<'a> {
    text: &'a str,
    cells: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Row<'a> {
    fn word(&mut self) -> &'a str {
        self.cells
            .next()
            .unwrap_or_else(|| panic!("too short: {}", self.text))
    }

    fn number(&mut self) -> u64 {
        u64::from_str_radix(self.word(), 36).unwrap_or_else(|_| panic!("no number: {}", self.text))
    }

    fn small(&mut self) -> u32 {
        u32::try_from(self.number()).expect("32 bits")
    }

    fn info(&mut self) -> ImageInfo {
        let hex = |text: &str| u32::from_str_radix(text, 16).expect("hexadecimal");
        let format = Format::by_number(hex(self.word())).expect("a format of result");
        let word = self.word();
        let dim = match &word[..1] {
            "1" => ImageDim::D1,
            "2" => ImageDim::D2,
            _ => ImageDim::D3,
        };
        let tilings = TilingSet::from_bits(hex(&word[1..2]) as u8).expect("tilings");
        let usage = ImageUsage::from_bits(hex(&word[2..]) as u16).expect("usage");
        let [width, height, many, levels, samples, pitch] = std::array::from_fn(|_| self.small());
        let (depth, layers) = if dim == ImageDim::D3 {
            (many, 1)
        } else {
            (1, many)
        };
        ImageInfo {
            format,
            dim,
            extent_px: [width, height, depth],
            levels,
            layers,
            samples,
            usage,
            tilings,
            row_pitch_bytes: (pitch != 0).then_some(pitch),
        }
    }
}

/// A deviation that explains the difference from ISL, if one does.
fn explained(info: &ImageInfo, result: &Result<Surface, SurfaceError>) -> Option<Deviation> {
    match result {
        Err(SurfaceError::InvalidPitch {
            requested, step, ..
        }) if info.usage.contains(ImageUsage::STORAGE) && !requested.is_multiple_of(*step) => {
            Some(Deviation::TypedStorage)
        }
        Err(SurfaceError::InvalidPitch {
            requested, step, ..
        }) if info.usage.contains(ImageUsage::DEPTH)
            && info.samples == 8
            && !requested.is_multiple_of(*step) =>
        {
            Some(Deviation::DepthPitchWith8Samples)
        }
        Err(SurfaceError::UnalignedLayers { .. }) => Some(Deviation::Linear1dQpitch),
        _ => None,
    }
}

fn compare(row: &mut Row<'_>, device: &Device) -> Option<Deviation> {
    let text = row.text;
    let info = row.info();
    let result = Surface::new(device, &info);
    let tiling = match row.word() {
        "-" => {
            assert!(
                result.is_err(),
                "ISL rejects it, this crate does not: {text}\n{info:?}"
            );
            return None;
        }
        "l" => Tiling::Linear,
        "x" => Tiling::X,
        "y" => Tiling::Y,
        _ => Tiling::W,
    };
    if let Some(deviation) = explained(&info, &result) {
        return Some(deviation);
    }
    let surface = result.unwrap_or_else(|why| panic!("{why}: {text}\n{info:?}"));
    let mut deviation = None;
    assert_eq!(surface.tiling, tiling, "tiling: {text}\n{info:?}");
    assert_eq!(
        surface.align_el,
        [row.small(), row.small()],
        "{text}\n{info:?}"
    );
    let pitch = row.small();
    if info.usage.contains(ImageUsage::DEPTH) && info.samples == 8 && !pitch.is_multiple_of(256) {
        let pairs = pitch.next_multiple_of(256);
        assert_eq!(surface.row_pitch_bytes, pairs, "{text}\n{info:?}");
        return Some(Deviation::DepthPitchWith8Samples);
    }
    assert_eq!(
        surface.row_pitch_bytes, pitch,
        "row pitch: {text}\n{info:?}"
    );
    assert_eq!(
        surface.layer_pitch_rows_el,
        row.small(),
        "layers: {text}\n{info:?}"
    );
    assert_eq!(surface.size_bytes, row.number(), "size: {text}\n{info:?}");
    let alignment = row.small();
    if surface.alignment_bytes != alignment {
        assert!(
            tiling == Tiling::Linear
                && info.usage.contains(ImageUsage::STORAGE)
                && surface.alignment_bytes > alignment,
            "alignment {}: {text}\n{info:?}",
            surface.alignment_bytes
        );
        deviation = Some(Deviation::TypedStorage);
    }
    let place = surface.offset_of(row.small(), row.small());
    assert_eq!(place.offset_bytes, row.number(), "offset: {text}\n{info:?}");
    assert_eq!(
        place.within_el,
        [row.small(), row.small()],
        "{text}\n{info:?}"
    );
    let aux = match row.word() {
        "f" => return deviation,
        "n" => {
            for aux in [
                surface.hiz(device),
                surface.mcs(device),
                surface.ccs(device),
            ] {
                assert!(aux.is_err(), "ISL has no aux: {text}\n{info:?} {aux:?}");
            }
            return deviation;
        }
        "h" => surface.hiz(device),
        "m" => surface.mcs(device),
        _ => surface.ccs(device),
    };
    let aux = aux.unwrap_or_else(|why| panic!("{why}: {text}\n{info:?}"));
    assert_eq!(
        aux.row_pitch_bytes,
        row.small(),
        "aux row pitch: {text}\n{info:?}"
    );
    assert_eq!(
        aux.layer_pitch_rows_el,
        row.small(),
        "aux layers: {text}\n{info:?}"
    );
    assert_eq!(aux.size_bytes, row.number(), "aux size: {text}\n{info:?}");
    deviation
}

#[test]
fn layouts_match_isl_but_for_the_deviations() {
    let device = Device::by_name("skl").expect("a device");
    let mut rows = 0;
    let mut deviations = BTreeMap::<Deviation, u32>::new();
    for text in FIGURES.lines().filter(|line| !line.starts_with('#')) {
        let mut row = Row {
            text,
            cells: text.split_ascii_whitespace(),
        };
        if let Some(deviation) = compare(&mut row, device) {
            *deviations.entry(deviation).or_default() += 1;
        }
        rows += 1;
    }
    assert_eq!(rows, 10_000);
    let counted: Vec<_> = deviations.into_iter().collect();
    assert_eq!(
        counted,
        [
            (Deviation::TypedStorage, 386),
            (Deviation::Linear1dQpitch, 33),
            (Deviation::DepthPitchWith8Samples, 87)
        ]
    );
}
