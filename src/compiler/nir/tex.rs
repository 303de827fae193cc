//! Texture operations: the operations and operand kinds of `tex` instructions, dimensions and
//! formats of images.
//!
//! The operands of a `tex` are tagged with their kinds: a texture and a sampler (derefs of
//! variables before lowering, handles afterwards), coordinates, and others by operation. The result
//! has up to four components.
//! Ref: NIR's nir_tex_instr; SPIR-V "Image Instructions".

use crate::intrinsic::Effects;
use crate::op::BaseType;

/// Dimensions of an image: SPIR-V's numbers, and the value of an `image_dim` index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
    SubpassData,
}

pub(crate) const DIMS: [(Dim, &str); 7] = [
    (Dim::D1, "1d"),
    (Dim::D2, "2d"),
    (Dim::D3, "3d"),
    (Dim::Cube, "cube"),
    (Dim::Rect, "rect"),
    (Dim::Buffer, "buffer"),
    (Dim::SubpassData, "subpass"),
];

impl Dim {
    /// The dimension with this number.
    pub fn from_index(index: u32) -> Option<Dim> {
        DIMS.get(index as usize).map(|d| d.0)
    }
    /// Components of a sampling coordinate, without the array layer; a direction for cubes.
    pub fn coord_components(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::SubpassData => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
    /// Components of the coordinates' derivatives, and of a constant offset.
    pub fn offset_components(self) -> u8 {
        match self {
            Dim::Cube => 3,
            d => d.coord_components(),
        }
    }
    /// Components of the size, without the number of layers: a cube's faces are square.
    pub fn size_components(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::SubpassData | Dim::Cube => 2,
            Dim::D3 => 3,
        }
    }
    /// Components of a storage image's coordinate, including the array layer; a cube's faces are
    /// layers.
    pub fn image_components(self, array: bool) -> u8 {
        match self {
            Dim::Cube => 3,
            d => d.coord_components() + u8::from(array),
        }
    }
}

/// Formats of storage images in the order of SPIR-V's numbers, which are the values of a `format`
/// index; 0 is "not declared".
pub(crate) const IMAGE_FORMATS: [&str; 42] = [
    "unknown",
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
    "rgb10_a2ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r16ui",
    "r8ui",
    "r64ui",
    "r64i",
];

/// Base types in the order of the values of `dest_type` and `src_type` indices.
pub(crate) const BASES: [(BaseType, &str); 5] = [
    (BaseType::Int, "int"),
    (BaseType::Uint, "uint"),
    (BaseType::Float, "float"),
    (BaseType::Bool, "bool"),
    (BaseType::Any, "any"),
];

impl BaseType {
    /// The value of a `dest_type` or `src_type` index.
    pub fn index(self) -> u32 {
        BASES.iter().position(|b| b.0 == self).unwrap_or(0) as u32
    }
    /// The base with this number.
    pub fn from_index(index: u32) -> Option<BaseType> {
        BASES.get(index as usize).map(|b| b.0)
    }
}

macro_rules! tex_ops {
    ($($(#[$doc:meta])* $variant:ident $name:literal needs [$($need:ident)*] $($eff:ident)|+;)*) => {
        /// The operation of a `tex` instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TexOp { $($(#[$doc])* $variant,)* }

        /// One row of the table.
        #[derive(Clone, Copy, Debug)]
        pub struct TexInfo {
            /// Name in text.
            pub name: &'static str,
            /// Required operands, besides the texture.
            pub needs: &'static [TexSrc],
            /// Side effects and restrictions on moving it.
            pub effects: Effects,
        }

        static TEX_OPS: &[TexInfo] = &[$(TexInfo {
            name: $name,
            needs: &[$(TexSrc::$need),*],
            effects: Effects(0 $(| Effects::$eff.0)+),
        },)*];

        impl TexOp {
            /// All of them, in the table's order.
            pub const ALL: &[TexOp] = &[$(TexOp::$variant,)*];
        }
    };
}

tex_ops! {
    /// Samples; the level of detail is computed from the quad's coordinates.
    Tex "tex" needs [Coord] CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS | MESSAGE;
    /// As `tex`, with a bias.
    Txb "txb" needs [Coord Bias] CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS | MESSAGE;
    /// Samples at an explicit level of detail.
    Txl "txl" needs [Coord Lod] MESSAGE;
    /// Samples with explicit derivatives.
    Txd "txd" needs [Coord Ddx Ddy] MESSAGE;
    /// Fetches a texel.
    Txf "txf" needs [Coord] MESSAGE;
    /// Fetches a sample of a multisampled texel.
    TxfMs "txf_ms" needs [Coord MsIndex] MESSAGE;
    /// Fetches a multisampled texel's MCS data.
    TxfMsMcs "txf_ms_mcs" needs [Coord] MESSAGE;
    /// Size of a level in texels and layers.
    Txs "txs" needs [] MESSAGE;
    /// Level of detail that `tex` would use: clamped, and unclamped.
    Lod "lod" needs [Coord] CROSS_THREAD | UNIFORM_CONTROL | NEEDS_HELPERS | MESSAGE;
    /// Gathers one component of the four texels that bilinear filtering would use.
    Tg4 "tg4" needs [Coord] MESSAGE;
    /// Number of levels.
    QueryLevels "query_levels" needs [] MESSAGE;
    /// Number of samples.
    TextureSamples "texture_samples" needs [] MESSAGE;
}

impl TexOp {
    /// The row of the table.
    pub fn info(self) -> &'static TexInfo {
        &TEX_OPS[self as usize]
    }
    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<TexOp> {
        Self::ALL.iter().copied().find(|op| op.info().name == name)
    }
    /// True if the operation queries the texture's properties and reads no texels.
    pub fn is_query(self) -> bool {
        matches!(
            self,
            TexOp::Txs | TexOp::Lod | TexOp::QueryLevels | TexOp::TextureSamples
        )
    }
    /// True if the operation takes a sampler.
    pub fn needs_sampler(self) -> bool {
        matches!(
            self,
            TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd | TexOp::Lod | TexOp::Tg4
        )
    }
}

/// Kind of an operand of a `tex` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TexSrc {
    /// Coordinates, the array layer last. Floats if the operation uses a sampler, else integers.
    Coord,
    /// Divisor of the coordinates; removed by `lower_tex`.
    Projector,
    /// Reference of a shadow comparison.
    Comparator,
    /// Offset in texels.
    Offset,
    /// Offset in texels as one dword, if it is no constant; added by `lower_texel_offsets`. Four
    /// bits, signed, for each component: u in bits 11:8, v in 7:4, r in 3:0.
    PackedOffset,
    /// Added to the level of detail.
    Bias,
    /// Level of detail: float for `txl`, integer for `txf` and `txs`.
    Lod,
    /// Lower bound of the level of detail.
    MinLod,
    /// Derivative of the coordinates in x.
    Ddx,
    /// Derivative of the coordinates in y.
    Ddy,
    /// Sample index.
    MsIndex,
    /// MCS data, two dwords; added by `lower_tex_multisample`.
    MsMcs,
    /// Pointer to the texture's variable.
    TextureDeref,
    /// Pointer to the sampler's variable.
    SamplerDeref,
    /// Handle of the texture's descriptor.
    TextureHandle,
    /// Handle of the sampler's descriptor.
    SamplerHandle,
}

pub(crate) const TEX_SRCS: [(TexSrc, &str); 16] = [
    (TexSrc::Coord, "coord"),
    (TexSrc::Projector, "projector"),
    (TexSrc::Comparator, "comparator"),
    (TexSrc::Offset, "offset"),
    (TexSrc::PackedOffset, "packed_offset"),
    (TexSrc::Bias, "bias"),
    (TexSrc::Lod, "lod"),
    (TexSrc::MinLod, "min_lod"),
    (TexSrc::Ddx, "ddx"),
    (TexSrc::Ddy, "ddy"),
    (TexSrc::MsIndex, "ms_index"),
    (TexSrc::MsMcs, "ms_mcs"),
    (TexSrc::TextureDeref, "texture_deref"),
    (TexSrc::SamplerDeref, "sampler_deref"),
    (TexSrc::TextureHandle, "texture_handle"),
    (TexSrc::SamplerHandle, "sampler_handle"),
];
