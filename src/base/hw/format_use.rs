//! The uses that each generation supports for each surface format.
//!
//! Ref: SKL PRM vol. 2d, "SURFACE_FORMAT", "Render Target Surface Types"; vol. 5, "Sampler Output
//!      Channel Mapping"; vol. 7, "Format Conversion"; vol. 5, "Typed Surface Reads", "Typed
//!      Surface Writes".

use std::sync::LazyLock;

use crate::format::{FORMATS, Format};
use crate::generation::Gen;

bitflags::bitflags! {
    /// Supported uses of a format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FormatUse: u8 {
        /// The sampler can read it.
        const SAMPLE = 1;
        /// The sampler can filter it.
        const FILTER = 2;
        /// It can be a render target.
        const TARGET = 4;
        /// It can be blended as a render target.
        const BLEND = 8;
        /// The vertex fetcher can read it.
        const VERTEX = 16;
        /// The data port can write it (typed surface write).
        const TYPED_WRITE = 32;
        /// The data port can read it (typed surface read).
        const TYPED_READ = 64;
        /// It can be losslessly compressed as a render target (CCS_E).
        const COMPRESS = 128;
    }
}

/// Formats with the same uses on a generation.
struct Group {
    hw_gen: Gen,
    uses: FormatUse,
    names: &'static [&'static str],
}

const fn group(hw_gen: Gen, uses: &[FormatUse], names: &'static [&'static str]) -> Group {
    let mut all = 0;
    let mut at = 0;
    while at < uses.len() {
        all |= uses[at].bits();
        at += 1;
    }
    Group {
        hw_gen,
        uses: FormatUse::from_bits_retain(all),
        names,
    }
}

const SAMPLE: FormatUse = FormatUse::SAMPLE;
const FILTER: FormatUse = FormatUse::FILTER;
const TARGET: FormatUse = FormatUse::TARGET;
const BLEND: FormatUse = FormatUse::BLEND;
const VERTEX: FormatUse = FormatUse::VERTEX;
const TYPED_WRITE: FormatUse = FormatUse::TYPED_WRITE;
const TYPED_READ: FormatUse = FormatUse::TYPED_READ;

#[rustfmt::skip]
static GROUPS: &[Group] = &[
    group(Gen::Gen9, &[SAMPLE, FILTER, TARGET, BLEND, VERTEX, TYPED_WRITE, TYPED_READ], &[
        "R32G32B32A32_FLOAT", "R16G16B16A16_FLOAT", "R32G32_FLOAT", "R16G16_FLOAT", "R32_FLOAT", "R16_FLOAT",
    ]),
    group(Gen::Gen9, &[SAMPLE, TARGET, VERTEX, TYPED_WRITE, TYPED_READ], &[
        "R32G32B32A32_SINT", "R32G32B32A32_UINT", "R16G16B16A16_SINT", "R16G16B16A16_UINT", "R32G32_SINT", "R32G32_UINT",
        "R8G8B8A8_SINT", "R8G8B8A8_UINT", "R16G16_SINT", "R16G16_UINT", "R32_SINT", "R32_UINT", "R8G8_SINT", "R8G8_UINT",
        "R16_SINT", "R16_UINT", "R8_SINT", "R8_UINT",
    ]),
    group(Gen::Gen9, &[VERTEX], &[
        "R32G32B32A32_UNORM", "R32G32B32A32_SNORM", "R64G64_FLOAT", "R32G32B32A32_SSCALED", "R32G32B32A32_USCALED",
        "R32G32B32A32_SFIXED", "R64G64_PASSTHRU", "R32G32B32_UNORM", "R32G32B32_SNORM", "R32G32B32_SSCALED",
        "R32G32B32_USCALED", "R32G32B32_SFIXED", "R32G32_UNORM", "R32G32_SNORM", "R64_FLOAT", "R16G16B16A16_SSCALED",
        "R16G16B16A16_USCALED", "R32G32_SSCALED", "R32G32_USCALED", "R32G32_SFIXED", "R64_PASSTHRU", "R32_UNORM", "R32_SNORM",
        "R10G10B10X2_USCALED", "R8G8B8A8_SSCALED", "R8G8B8A8_USCALED", "R16G16_SSCALED", "R16G16_USCALED", "R32_SSCALED",
        "R32_USCALED", "R8G8_SSCALED", "R8G8_USCALED", "R16_SSCALED", "R16_USCALED", "R8_SSCALED", "R8_USCALED",
        "R8G8B8_SSCALED", "R8G8B8_USCALED", "R64G64B64A64_FLOAT", "R64G64B64_FLOAT", "R16G16B16_SSCALED", "R16G16B16_USCALED",
        "R32_SFIXED", "R10G10B10A2_SNORM", "R10G10B10A2_USCALED", "R10G10B10A2_SSCALED", "R10G10B10A2_SINT",
        "B10G10R10A2_SNORM", "B10G10R10A2_USCALED", "B10G10R10A2_SSCALED", "B10G10R10A2_UINT", "B10G10R10A2_SINT",
        "R64G64B64A64_PASSTHRU", "R64G64B64_PASSTHRU",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER], &[
        "R32G32B32X32_FLOAT", "R32_FLOAT_X8X24_TYPELESS", "L32A32_FLOAT", "R16G16B16X16_UNORM", "A32X32_FLOAT", "L32X32_FLOAT",
        "I32X32_FLOAT", "R10G10B10A2_UNORM_SRGB", "R24_UNORM_X8_TYPELESS", "L16A16_UNORM", "I24X8_UNORM", "L24X8_UNORM",
        "A24X8_UNORM", "I32_FLOAT", "L32_FLOAT", "A32_FLOAT", "R8G8B8X8_UNORM", "R8G8B8X8_UNORM_SRGB", "R9G9B9E5_SHAREDEXP",
        "B10G10R10X2_UNORM", "L16A16_FLOAT", "I16_UNORM", "L16_UNORM", "A16_UNORM", "L8A8_UNORM", "I16_FLOAT", "L16_FLOAT",
        "A16_FLOAT", "L8A8_UNORM_SRGB", "R5G5_SNORM_B6_UNORM", "I8_UNORM", "L8_UNORM", "L8_UNORM_SRGB", "BC1_UNORM",
        "BC2_UNORM", "BC3_UNORM", "BC4_UNORM", "BC5_UNORM", "BC1_UNORM_SRGB", "BC2_UNORM_SRGB", "BC3_UNORM_SRGB", "BC4_SNORM",
        "BC5_SNORM", "BC6H_SF16", "BC7_UNORM", "BC7_UNORM_SRGB", "BC6H_UF16", "R8G8B8_UNORM_SRGB", "ETC1_RGB8", "ETC2_RGB8",
        "EAC_R11", "EAC_RG11", "EAC_SIGNED_R11", "EAC_SIGNED_RG11", "ETC2_SRGB8", "ETC2_RGB8_PTA", "ETC2_SRGB8_PTA",
        "ETC2_EAC_RGBA8", "ETC2_EAC_SRGB8_A8", "ASTC_LDR_2D_4X4_U8SRGB", "ASTC_LDR_2D_5X4_U8SRGB", "ASTC_LDR_2D_5X5_U8SRGB",
        "ASTC_LDR_2D_6X5_U8SRGB", "ASTC_LDR_2D_6X6_U8SRGB", "ASTC_LDR_2D_8X5_U8SRGB", "ASTC_LDR_2D_8X6_U8SRGB",
        "ASTC_LDR_2D_8X8_U8SRGB", "ASTC_LDR_2D_10X5_U8SRGB", "ASTC_LDR_2D_10X6_U8SRGB", "ASTC_LDR_2D_10X8_U8SRGB",
        "ASTC_LDR_2D_10X10_U8SRGB", "ASTC_LDR_2D_12X10_U8SRGB", "ASTC_LDR_2D_12X12_U8SRGB", "ASTC_LDR_2D_4X4_FLT16",
        "ASTC_LDR_2D_5X4_FLT16", "ASTC_LDR_2D_5X5_FLT16", "ASTC_LDR_2D_6X5_FLT16", "ASTC_LDR_2D_6X6_FLT16",
        "ASTC_LDR_2D_8X5_FLT16", "ASTC_LDR_2D_8X6_FLT16", "ASTC_LDR_2D_8X8_FLT16", "ASTC_LDR_2D_10X5_FLT16",
        "ASTC_LDR_2D_10X6_FLT16", "ASTC_LDR_2D_10X8_FLT16", "ASTC_LDR_2D_10X10_FLT16", "ASTC_LDR_2D_12X10_FLT16",
        "ASTC_LDR_2D_12X12_FLT16",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER, VERTEX], &[
        "R32G32B32_FLOAT", "R10G10B10_SNORM_A2_UNORM", "R8G8B8_UNORM", "R8G8B8_SNORM", "R16G16B16_FLOAT", "R16G16B16_UNORM",
        "R16G16B16_SNORM",
    ]),
    group(Gen::Gen9, &[SAMPLE, VERTEX], &[
        "R32G32B32_SINT", "R32G32B32_UINT", "R16G16B16_UINT", "R16G16B16_SINT", "R8G8B8_UINT", "R8G8B8_SINT",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER, TARGET, BLEND, VERTEX, TYPED_WRITE], &[
        "R16G16B16A16_UNORM", "R16G16B16A16_SNORM", "B8G8R8A8_UNORM", "R10G10B10A2_UNORM", "R8G8B8A8_UNORM", "R8G8B8A8_SNORM",
        "R16G16_UNORM", "R16G16_SNORM", "B10G10R10A2_UNORM", "R11G11B10_FLOAT", "R8G8_UNORM", "R8G8_SNORM", "R16_UNORM",
        "R16_SNORM", "R8_UNORM", "R8_SNORM",
    ]),
    group(Gen::Gen9, &[SAMPLE], &[
        "X32_TYPELESS_G8X24_UINT", "X24_TYPELESS_G8_UINT", "L8A8_UINT", "L8A8_SINT", "L8_UINT", "L8_SINT", "I8_UINT", "I8_SINT",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER, TARGET, BLEND], &[
        "R16G16B16X16_FLOAT", "B8G8R8A8_UNORM_SRGB", "R8G8B8A8_UNORM_SRGB", "B10G10R10A2_UNORM_SRGB", "B8G8R8X8_UNORM",
        "B8G8R8X8_UNORM_SRGB", "B5G6R5_UNORM_SRGB", "B5G5R5A1_UNORM_SRGB", "B4G4R4A4_UNORM_SRGB",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER, TARGET, BLEND, VERTEX], &[
        "R32G32_FLOAT_LD",
    ]),
    group(Gen::Gen9, &[SAMPLE, TARGET, VERTEX, TYPED_WRITE], &[
        "R10G10B10A2_UINT",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER, TARGET, BLEND, TYPED_WRITE], &[
        "B5G6R5_UNORM", "B5G5R5A1_UNORM", "B4G4R4A4_UNORM", "A8_UNORM",
    ]),
    group(Gen::Gen9, &[TARGET, BLEND, TYPED_WRITE], &[
        "B5G5R5X1_UNORM",
    ]),
    group(Gen::Gen9, &[TARGET, BLEND], &[
        "B5G5R5X1_UNORM_SRGB",
    ]),
    group(Gen::Gen9, &[SAMPLE, FILTER, TARGET], &[
        "A4B4G4R4_UNORM",
    ]),
];

/// Formats that support lossless compression (SKL PRM vol. 2d, "SURFACE_FORMAT"; Mesa,
/// `isl_format.c`, ccs_e).
#[rustfmt::skip]
static COMPRESSED: &[(Gen, &[&str])] = &[(Gen::Gen9, &[
    "R32G32B32A32_FLOAT", "R32G32B32A32_SINT", "R32G32B32A32_UINT", "R16G16B16A16_UNORM", "R16G16B16A16_SNORM",
    "R16G16B16A16_SINT", "R16G16B16A16_UINT", "R16G16B16A16_FLOAT", "R32G32_FLOAT", "R32G32_SINT", "R32G32_UINT",
    "R16G16B16X16_FLOAT", "B8G8R8A8_UNORM", "R8G8B8A8_UNORM", "R8G8B8A8_SNORM", "R8G8B8A8_SINT", "R8G8B8A8_UINT",
    "R16G16_UNORM", "R16G16_SNORM", "R16G16_SINT", "R16G16_UINT", "R16G16_FLOAT", "R32_SINT", "R32_UINT", "R32_FLOAT",
    "B8G8R8X8_UNORM",
])];

impl Format {
    /// The uses of the format that a generation supports; none for generations that are not listed.
    pub fn uses(&self, hw_gen: Gen) -> FormatUse {
        let all = USES.iter().find(|all| all.hw_gen == hw_gen);
        let uses = all.and_then(|all| all.by_number.get(usize::from(self.number)));
        uses.copied().unwrap_or(FormatUse::empty())
    }
}

/// The uses of all formats on a generation, indexed by format number.
struct Uses {
    hw_gen: Gen,
    by_number: Vec<FormatUse>,
}

/// The groups as arrays indexed by format number: the tables list names, which are readable but
/// slow to search.
static USES: LazyLock<Vec<Uses>> = LazyLock::new(|| {
    let mut all: Vec<Uses> = Vec::new();
    let numbers = FORMATS.iter().map(|format| usize::from(format.number));
    let count = numbers.max().map_or(0, |max| max + 1);
    for group in GROUPS {
        let found = all.iter().position(|uses| uses.hw_gen == group.hw_gen);
        let index = found.unwrap_or_else(|| {
            all.push(Uses {
                hw_gen: group.hw_gen,
                by_number: vec![FormatUse::empty(); count],
            });
            all.len() - 1
        });
        for format in FORMATS {
            if group.names.contains(&format.name) {
                let lists = |(hw_gen, names): &(Gen, &[&str])| {
                    *hw_gen == group.hw_gen && names.contains(&format.name)
                };
                let mut uses = group.uses;
                uses.set(FormatUse::COMPRESS, COMPRESSED.iter().any(lists));
                all[index].by_number[usize::from(format.number)] = uses;
            }
        }
    }
    all
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_are_formats_and_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for group in GROUPS {
            for name in group.names {
                assert!(FORMATS.iter().any(|format| format.name == *name), "{name}");
                assert!(seen.insert(*name), "{name} is listed twice");
            }
            let uses = group.uses;
            assert!(!uses.contains(FILTER) || uses.contains(SAMPLE));
            assert!(!uses.contains(BLEND) || uses.contains(TARGET));
            assert!(!uses.contains(TYPED_READ) || uses.contains(TYPED_WRITE));
        }
        for (hw_gen, names) in COMPRESSED {
            for name in *names {
                let format = FORMATS.iter().find(|format| format.name == *name);
                let uses = format.expect(name).uses(*hw_gen);
                assert!(
                    uses.contains(SAMPLE | TARGET | FormatUse::COMPRESS),
                    "{name}"
                );
            }
        }
    }

    /// Name and columns of a row of Mesa's table. A column is ten times the first generation with
    /// the use, or `u32::MAX`.
    fn columns(row: &str) -> Option<(&str, Vec<u32>)> {
        let inner = row.trim().strip_prefix("SF(")?;
        let inner = inner.split(')').next()?;
        let mut fields: Vec<&str> = inner.split(',').map(str::trim).collect();
        let name = fields.pop()?;
        let since = |field: &&str| match *field {
            "Y" => Some(0),
            "x" => Some(u32::MAX),
            number => number.parse().ok(),
        };
        Some((name, fields.iter().map(since).collect::<Option<_>>()?))
    }

    /// Compares the uses with Mesa's table if INGOT_ISL_FORMAT is the path of Mesa's
    /// `isl_format.c`.
    #[test]
    fn uses_agree_with_isl() {
        let Ok(path) = std::env::var("INGOT_ISL_FORMAT") else {
            eprintln!("skipped: INGOT_ISL_FORMAT is not set");
            return;
        };
        let text = std::fs::read_to_string(&path).unwrap();
        let (mut seen, mut differences) = (0, Vec::new());
        for (name, since) in text.lines().filter_map(columns) {
            let Some(format) = FORMATS.iter().find(|format| format.name == name) else {
                continue;
            };
            let [
                sample,
                filter,
                _,
                _,
                target,
                blend,
                vertex,
                _,
                _,
                write,
                read,
                compress,
                ..,
            ] = since[..]
            else {
                panic!("{name}: {since:?}");
            };
            let mut uses = FormatUse::empty();
            for (column, use_) in [
                (sample, SAMPLE),
                (filter, FILTER),
                (target, TARGET),
                (blend, BLEND),
                (vertex, VERTEX),
                (write, TYPED_WRITE),
                (read, TYPED_READ),
                (compress, FormatUse::COMPRESS),
            ] {
                uses.set(use_, column <= 90);
            }
            seen += 1;
            // No use is listed for palettes, subsampled YUV and obsolete formats.
            let unlisted = ["PALETTE", "YCRCB", "DXT1_RGB", "R1_UNORM", "MONO8", "FXT1"];
            if unlisted.iter().any(|part| name.contains(part)) {
                uses = FormatUse::empty();
            }
            if format.uses(Gen::Gen9) != uses {
                differences.push(format!(
                    "{name}: {:?}, not {uses:?}",
                    format.uses(Gen::Gen9)
                ));
            }
        }
        assert!(differences.is_empty(), "{differences:#?}");
        assert!(seen > 200, "{seen} rows");
    }

    #[test]
    fn block_compressed_formats_can_only_be_sampled() {
        for format in FORMATS.iter().filter(|format| format.block_el != [1, 1]) {
            let others = format.uses(Gen::Gen9) - (SAMPLE | FILTER);
            assert!(others.is_empty(), "{}", format.name);
        }
    }
}
