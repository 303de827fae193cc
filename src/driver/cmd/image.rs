//! Surface states of images: RENDER_SURFACE_STATE.
//!
//! In:  a surface with its layout, a range of it, and its usage. Out: the dwords.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE".

use hw::state::render_surface_state as rss;
use hw::value::state::{
    auxiliary_surface_mode, channel_select, surface_horizontal_alignment, surface_type,
    surface_vertical_alignment, tile_mode,
};
use surface::{ImageDim, Surface, Tiling};

use crate::mocs::mocs;

/// The unit that accesses a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceUsage {
    /// Render target: one level, a range of layers.
    Target,
    /// The sampler.
    Sampler,
    /// Typed messages of the data port: one level, a range of layers.
    Storage,
}

/// Source of a view's channel: Shader Channel Select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the channels' names")]
pub enum ChannelSelect {
    Zero = channel_select::ZERO as isize,
    One = channel_select::ONE as isize,
    Red = channel_select::RED as isize,
    Green = channel_select::GREEN as isize,
    Blue = channel_select::BLUE as isize,
    Alpha = channel_select::ALPHA as isize,
}

/// The identity swizzle.
pub const IDENTITY_SWIZZLE: [ChannelSelect; 4] = [
    ChannelSelect::Red,
    ChannelSelect::Green,
    ChannelSelect::Blue,
    ChannelSelect::Alpha,
];

/// A view of an image.
#[derive(Clone, Copy, Debug)]
pub struct ImageView<'a> {
    /// The whole surface.
    pub surface: &'a Surface,
    /// GPU address of the surface.
    pub address: u64,
    /// Format of the view; it has as many bits as the surface's.
    pub format: &'static hw::Format,
    /// The unit that accesses the view.
    pub viewer: SurfaceUsage,
    /// The view is a cube or an array of cubes.
    pub cube: bool,
    /// First mip level.
    pub first_level: u32,
    /// Number of mip levels.
    pub levels: u32,
    /// First array layer, or slice of a 3D image.
    pub first_layer: u32,
    /// Number of array layers, or slices of a 3D image.
    pub layers: u32,
    /// Channels of what is read.
    pub swizzle: [ChannelSelect; 4],
    /// Offset in elements from the corner of the tile that `address` points to:
    /// [`surface::SubresourceOffset::within_el`].
    pub within_el: [u32; 2],
    /// Minimum level that the sampler reads, counted as the surface's levels are.
    pub min_lod: f32,
    /// The MCS of a multisampled surface, and its GPU address.
    pub control: Option<(Surface, u64)>,
}

/// Formats that must not bypass the sampler's L2 cache.
const NO_L2_BYPASS: [&str; 5] = [
    "BC2_UNORM",
    "BC3_UNORM",
    "BC5_UNORM",
    "BC5_SNORM",
    "BC7_UNORM",
];

/// Mip Tail Start LOD of surfaces without a mip tail.
pub(crate) const NO_MIP_TAIL: u64 = if hw::Wa::MipTailStartBeyondLevels.required_on(hw::Gen::Gen9) {
    15
} else {
    0
};

impl ImageView<'_> {
    /// Packs the surface state.
    pub fn pack(&self) -> [u32; 16] {
        let surface = self.surface;
        let binding = surface.binding();
        let [width, height, depth] = surface.extent_px;
        let volume = surface.dim == ImageDim::D3;
        let kind = match surface.dim {
            ImageDim::D1 => surface_type::SURFTYPE_1D,
            ImageDim::D2 if self.cube => surface_type::SURFTYPE_CUBE,
            ImageDim::D2 => surface_type::SURFTYPE_2D,
            ImageDim::D3 => surface_type::SURFTYPE_3D,
        };
        let sampled = self.viewer == SurfaceUsage::Sampler;
        let last_layer = u64::from(self.layers.max(1) - 1);
        // The sampler always sees all slices of a 3D image.
        let (first, last) = match (volume, self.cube) {
            (true, _) if sampled => (0, u64::from(depth - 1)),
            (true, _) => (self.first_layer, u64::from(depth - 1)),
            (false, true) => (self.first_layer, u64::from(self.layers / 6).max(1) - 1),
            (false, false) => (self.first_layer, last_layer),
        };
        let mut words = rss::words::<16>()
            .with(rss::SURFACE_TYPE, kind)
            .flag(rss::SURFACE_ARRAY, !volume)
            .with(rss::SURFACE_FORMAT, self.format.number.into())
            .with(
                rss::SURFACE_VERTICAL_ALIGNMENT,
                binding.vertical_alignment.into(),
            )
            .with(
                rss::SURFACE_HORIZONTAL_ALIGNMENT,
                binding.horizontal_alignment.into(),
            )
            .with(rss::TILE_MODE, binding.tile_mode.into())
            .flag(
                rss::SAMPLER_L2_BYPASS_MODE_DISABLE,
                const { hw::Wa::SamplerL2BypassForBc.required_on(hw::Gen::Gen9) }
                    && NO_L2_BYPASS.contains(&self.format.name),
            )
            .with(rss::MOCS, mocs(self.address))
            .with(rss::MIP_TAIL_START_LOD, NO_MIP_TAIL)
            .with(rss::SURFACE_QPITCH, binding.qpitch.into())
            .with(rss::WIDTH, u64::from(width - 1))
            .with(rss::HEIGHT, u64::from(height - 1))
            .with(rss::DEPTH, last)
            .with(rss::SURFACE_PITCH, binding.pitch.into())
            .with(rss::MINIMUM_ARRAY_ELEMENT, first.into())
            .with(rss::NUMBER_OF_MULTISAMPLES, binding.samples.into())
            .with(
                rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT,
                binding.sample_format.into(),
            )
            .with(rss::X_OFFSET, u64::from(self.within_el[0] / 4))
            .with(rss::Y_OFFSET, u64::from(self.within_el[1] / 4))
            .with(rss::SURFACE_BASE_ADDRESS, self.address)
            .with(rss::SHADER_CHANNEL_SELECT_RED, self.swizzle[0] as u64)
            .with(rss::SHADER_CHANNEL_SELECT_GREEN, self.swizzle[1] as u64)
            .with(rss::SHADER_CHANNEL_SELECT_BLUE, self.swizzle[2] as u64)
            .with(rss::SHADER_CHANNEL_SELECT_ALPHA, self.swizzle[3] as u64);
        if let Some((control, address)) = &self.control {
            // On a multisampled surface this mode is an MCS.
            let control = control.binding();
            words = words
                .with(
                    rss::AUXILIARY_SURFACE_MODE,
                    auxiliary_surface_mode::AUX_CCS_D,
                )
                .with(rss::AUXILIARY_SURFACE_PITCH, control.pitch.into())
                .with(rss::AUXILIARY_SURFACE_QPITCH, control.qpitch.into())
                .with(rss::AUXILIARY_SURFACE_BASE_ADDRESS, *address);
        }
        words = match self.viewer {
            SurfaceUsage::Target => words
                .with(rss::MIP_COUNT_LOD, self.first_level.into())
                .with(rss::RENDER_TARGET_VIEW_EXTENT, last_layer),
            SurfaceUsage::Sampler => words
                .with(rss::MIP_COUNT_LOD, u64::from(self.levels.max(1) - 1))
                .with(rss::SURFACE_MIN_LOD, self.first_level.into())
                .with(
                    rss::RESOURCE_MIN_LOD,
                    (self.min_lod.clamp(0.0, 14.0) * 256.0) as u64,
                ),
            SurfaceUsage::Storage => words
                .with(rss::SURFACE_MIN_LOD, self.first_level.into())
                .with(rss::RENDER_TARGET_VIEW_EXTENT, last_layer),
        };
        if self.cube {
            for face in [
                rss::CUBE_FACE_ENABLE_POSITIVE_X,
                rss::CUBE_FACE_ENABLE_NEGATIVE_X,
                rss::CUBE_FACE_ENABLE_POSITIVE_Y,
                rss::CUBE_FACE_ENABLE_NEGATIVE_Y,
                rss::CUBE_FACE_ENABLE_POSITIVE_Z,
                rss::CUBE_FACE_ENABLE_NEGATIVE_Z,
            ] {
                words = words.flag(face, true);
            }
        }
        words.dwords
    }
}

impl ImageView<'_> {
    /// Where the texels of the first level are, for shaders that compute their addresses. A view of
    /// a tiling that has no such formula has no texels.
    pub fn texel_addressing(&self) -> abi::TexelAddressing {
        let surface = self.surface;
        let (column_shift, row_shift) = match surface.tiling {
            // Any division into columns is the same for bands of one row.
            Tiling::Linear => (6, 0),
            Tiling::X => (9, 3),
            Tiling::Y => (4, 5),
            Tiling::W | Tiling::Hiz | Tiling::Ccs => return abi::TexelAddressing::default(),
        };
        let origin = surface.offset_of(self.first_level, self.first_layer);
        let [width, height, _] = surface.extent_px;
        let [first_column, first_row] =
            [0, 1].map(|axis| (origin.within_el[axis] + self.within_el[axis]) as u8);
        abi::TexelAddressing {
            base_address: self.address + origin.offset_bytes,
            extent: [
                (width >> self.first_level).max(1),
                (height >> self.first_level).max(1),
                self.layers,
            ],
            row_pitch_bytes: surface.row_pitch_bytes,
            layer_pitch_rows: surface.layer_pitch_rows_el,
            first_texel: [first_column, first_row],
            column_shift,
            row_shift,
        }
    }
}

/// How a colour control surface (CCS) is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CcsMode {
    /// CCS_D: fast-cleared blocks, no compression.
    FastClear,
    /// CCS_E: the render cache compresses blocks, and the sampler reads compressed blocks.
    Compressed,
}

/// Adds a CCS at `address` to the state of a single-sampled surface.
pub fn set_ccs(words: &mut [u32; 16], control: &Surface, address: u64, blocks: CcsMode) {
    let mode = match blocks {
        CcsMode::FastClear => auxiliary_surface_mode::AUX_CCS_D,
        CcsMode::Compressed => auxiliary_surface_mode::AUX_CCS_E,
    };
    let control = control.binding();
    rss::AUXILIARY_SURFACE_MODE.set(words, mode);
    rss::AUXILIARY_SURFACE_PITCH.set(words, control.pitch.into());
    rss::AUXILIARY_SURFACE_QPITCH.set(words, control.qpitch.into());
    // The field takes the address as it is: page-aligned.
    rss::AUXILIARY_SURFACE_BASE_ADDRESS.set(words, address);
}

/// Sets the clear colour of fast-cleared blocks or pixels.
pub fn set_clear_colour(words: &mut [u32; 16], colour: [u32; 4]) {
    for (field, value) in [
        rss::RED_CLEAR_COLOR,
        rss::GREEN_CLEAR_COLOR,
        rss::BLUE_CLEAR_COLOR,
        rss::ALPHA_CLEAR_COLOR,
    ]
    .into_iter()
    .zip(colour)
    {
        field.set(words, value.into());
    }
}

/// The null surface for absent colour targets, with the size and samples of the others.
pub fn null_surface(extent_px: [u32; 2], layers: u32, samples: u32) -> [u32; 16] {
    let last_layer = u64::from(layers.max(1) - 1);
    rss::words::<16>()
        .with(rss::SURFACE_TYPE, surface_type::SURFTYPE_NULL)
        .flag(rss::SURFACE_ARRAY, true)
        .with(rss::SURFACE_FORMAT, NULL_FORMAT)
        .with(rss::TILE_MODE, tile_mode::YMAJOR)
        .with(
            rss::SURFACE_VERTICAL_ALIGNMENT,
            surface_vertical_alignment::VALIGN_4,
        )
        .with(
            rss::SURFACE_HORIZONTAL_ALIGNMENT,
            surface_horizontal_alignment::HALIGN_4,
        )
        .with(rss::WIDTH, u64::from(extent_px[0].max(1) - 1))
        .with(rss::HEIGHT, u64::from(extent_px[1].max(1) - 1))
        .with(rss::DEPTH, last_layer)
        .with(rss::RENDER_TARGET_VIEW_EXTENT, last_layer)
        .with(rss::NUMBER_OF_MULTISAMPLES, samples.max(1).ilog2().into())
        .dwords
}

/// Any renderable format will do.
const NULL_FORMAT: u64 = hw::value::surface_format::B8G8R8A8_UNORM;
