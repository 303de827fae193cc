//! Surfaces of texels: the decoded surface state.
//!
//! In:  RENDER_SURFACE_STATE. Out: its fields; elements by address. Where mip levels, slices and
//!      samples lie is in `level.rs`, what the auxiliary surface says in `aux.rs`, values in
//!      `texel.rs`.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE".

use super::format;
use super::tiling::Tiling;
use crate::fate;
use crate::memory::AddressSpaceView;
use crate::observer::Via;
use crate::space::ADDRESS_MASK;
use eu::StopReason;
use hw::Format;
use hw::state::render_surface_state as rss;
use hw::value::state::{
    auxiliary_surface_mode, channel_select, multisampled_surface_storage_format,
    number_of_multisamples, surface_horizontal_alignment, surface_type, tiled_resource_mode,
};

/// Surface types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    D1,
    D2,
    D3,
    Cube,
    Buffer,
    Null,
}

/// Auxiliary Surface Mode, resolved by the number of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuxMode {
    None,
    /// Colour control surface, fast clears only.
    CcsD,
    /// Colour control surface with compression.
    CcsE,
    /// Multisample control surface.
    Mcs,
    Hiz,
}

/// The auxiliary surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aux {
    pub mode: AuxMode,
    pub address: u64,
    /// Bytes of a row: 128 for each tile.
    pub pitch_bytes: u32,
    /// Rows between slices.
    pub qpitch_rows: u32,
}

/// The source of a channel: Shader Channel Select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Select {
    Zero,
    One,
    /// Red, green, blue or alpha by index.
    Channel(u8),
}

/// A surface as its state describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    pub kind: Kind,
    pub format: &'static Format,
    /// Of a texel, or of a compressed block.
    pub bytes: u32,
    /// Of level 0; for buffers entries, and 1.
    pub width: u32,
    pub height: u32,
    /// Slices of 3D surfaces at level 0, else array elements: for cubes faces.
    pub depth: u32,
    pub min_array_element: u32,
    /// Slices that render targets and typed messages may reach.
    pub view_extent: u32,
    /// Base Mip Level, in halves as programmed: what the sampler takes for the base when it chooses
    /// filters.
    pub base_level: u32,
    /// MIP Count: levels that the sampler sees from `min_lod` on.
    pub levels: u32,
    /// The same field for render targets: the level drawn to.
    pub lod: u32,
    /// Surface Min LOD, which is added to the level of every access; 0 for render targets.
    pub min_lod: u32,
    /// Resource Min LOD, U4.8.
    pub resource_min_lod: u32,
    pub tiling: Tiling,
    pub pitch_bytes: u32,
    /// Rows of elements between slices, or between groups of slices that share tiles; for linear
    /// 1D surfaces elements.
    pub qpitch_rows: u32,
    /// Alignment of levels in elements (compressed blocks).
    pub halign: u32,
    pub valign: u32,
    /// The first level of the mip tail, of tilings that have one.
    pub mip_tail_start: Option<u32>,
    /// 1 to 16.
    pub samples: u32,
    /// Samples lie side by side, as in depth and stencil buffers, instead of in slices of their
    /// own.
    pub interleaved: bool,
    /// Elements that the surface starts off its base.
    pub x_offset: u32,
    pub y_offset: u32,
    pub address: u64,
    pub aux: Aux,
    pub clear_color: [u32; 4],
    pub swizzle: [Select; 4],
    /// The swizzle changes nothing.
    pub is_identity_swizzle: bool,
    pub is_array: bool,
}

/// Cube Face Enable bits.
const ALL_FACES: u32 = 0x3f;

/// Surface Horizontal Alignment or Surface Vertical Alignment, which have the same values.
fn alignment(code: u64) -> u32 {
    match code {
        surface_horizontal_alignment::HALIGN_8 => 8,
        surface_horizontal_alignment::HALIGN_16 => 16,
        _ => 4,
    }
}

fn select(code: u64) -> Select {
    match code {
        channel_select::RED..=channel_select::ALPHA => {
            Select::Channel((code - channel_select::RED) as u8)
        }
        channel_select::ONE => Select::One,
        _ => Select::Zero,
    }
}

/// Width, height and depth of a surface: texels and slices, array elements or faces; for buffers,
/// entries.
fn extent(words: &[u32; 16], kind: Kind, is_array: bool) -> [u32; 3] {
    let get = |field: hw::Field| field.get(words) as u32;
    let (width, height, depth) = (get(rss::WIDTH), get(rss::HEIGHT), get(rss::DEPTH));
    match kind {
        Kind::Buffer => {
            let entries = u64::from(width & 0x7f)
                | u64::from(height & 0x3fff) << 7
                | u64::from(depth & 0x7ff) << 21;
            [u32::try_from(entries + 1).unwrap_or(u32::MAX), 1, 1]
        }
        Kind::D3 => [width + 1, height + 1, depth + 1],
        Kind::Cube if is_array => [width + 1, height + 1, (depth + 1) * 6],
        Kind::Cube => [width + 1, height + 1, 6],
        Kind::D1 if is_array => [width + 1, 1, depth + 1],
        Kind::D1 => [width + 1, 1, 1],
        _ if is_array => [width + 1, height + 1, depth + 1],
        _ => [width + 1, height + 1, 1],
    }
}

/// The tiling of a Tiled Resource Mode; none where it has not been modelled: 1D surfaces, elements
/// of three channels, and samples in tiles of 64 KB, which have bits for them.
fn standard_tiling(kind: Kind, samples: u32, mode: u64, bytes: u32) -> Option<Tiling> {
    if !matches!(kind, Kind::D2 | Kind::Cube | Kind::D3) {
        return None;
    }
    match mode {
        tiled_resource_mode::TILEYF => Tiling::standard_4kb(bytes, kind == Kind::D3),
        tiled_resource_mode::TILEYS if samples == 1 => {
            Tiling::standard_64kb(bytes, kind == Kind::D3)
        }
        _ => None,
    }
}

impl Image {
    /// Reads the surface state at `address`.
    pub fn read(view: &AddressSpaceView<'_>, address: u64) -> Result<Image, StopReason> {
        let mut words = [0; 16];
        view.by(Via::State, |view| view.read_block(address, &mut words))?;
        fate::check(&rss::PACKET, &words, view.is_strict(), address)?;
        let image = Image::from_words(&words, address)?;
        view.surface_state(&words, address)?;
        Ok(image)
    }

    /// Reads the surface state at `address` as a render target has it: "This is the absolute MIP
    /// level on the surface and is not relative to the Surface Min LOD field, which is ignored for
    /// render target surfaces" (RENDER_SURFACE_STATE, MIP Count / LOD).
    pub fn read_render_target(
        view: &AddressSpaceView<'_>,
        address: u64,
    ) -> Result<Image, StopReason> {
        let image = Image::read(view, address)?;
        Ok(Image {
            min_lod: 0,
            ..image
        })
    }

    /// Decodes a surface state; `at` is its address, for reports.
    pub fn from_words(words: &[u32; 16], at: u64) -> Result<Image, StopReason> {
        let get = |field: hw::Field| field.get(words) as u32;
        let unimplemented = |what: String| Err(StopReason::Unimplemented { what, at });
        let kind = match rss::SURFACE_TYPE.get(words) {
            surface_type::SURFTYPE_1D => Kind::D1,
            surface_type::SURFTYPE_2D => Kind::D2,
            surface_type::SURFTYPE_3D => Kind::D3,
            surface_type::SURFTYPE_CUBE => Kind::Cube,
            surface_type::SURFTYPE_BUFFER | surface_type::SURFTYPE_STRBUF => Kind::Buffer,
            surface_type::SURFTYPE_NULL => Kind::Null,
            other => return unimplemented(format!("surfaces of type {other}")),
        };
        let number = get(rss::SURFACE_FORMAT);
        let Some(format) = Format::by_number(number) else {
            return unimplemented(format!("surface format {number:#x}"));
        };
        let is_array = rss::SURFACE_ARRAY.get(words) != 0;
        let [width, height, depth] = extent(words, kind, is_array);
        let real = !matches!(kind, Kind::Buffer | Kind::Null);
        if kind == Kind::Cube && words[0] & ALL_FACES != ALL_FACES {
            return unimplemented("cubes without all of their faces".into());
        }
        let samples_code = rss::NUMBER_OF_MULTISAMPLES.get(words);
        if samples_code > number_of_multisamples::MULTISAMPLECOUNT_16 {
            return unimplemented(format!("surfaces of 2^{samples_code} samples"));
        }
        let samples = 1 << samples_code;
        let bytes = format::bytes(format);
        let tiling = match rss::TILED_RESOURCE_MODE.get(words) {
            _ if !real => Tiling::from_mode(rss::TILE_MODE.get(words)),
            tiled_resource_mode::NONE => Tiling::from_mode(rss::TILE_MODE.get(words)),
            mode => match standard_tiling(kind, samples, mode, bytes) {
                Some(tiling) => tiling,
                None => {
                    let name = format.name;
                    return unimplemented(format!(
                        "{kind:?} surfaces of Tiled Resource Mode {mode}, of {name}, {samples} samples"
                    ));
                }
            },
        };
        let standard = tiling.standard_tile();
        // Of 3D surfaces in W tiles the state holds half of the rows.
        let qpitch_unit = if kind == Kind::D3 && tiling == Tiling::W {
            8
        } else {
            4
        };
        // The same bits are for planar formats' planes, which have no auxiliary surface.
        let mode = match rss::AUXILIARY_SURFACE_MODE.get(words) {
            _ if !real => AuxMode::None,
            auxiliary_surface_mode::AUX_NONE => AuxMode::None,
            auxiliary_surface_mode::AUX_CCS_D if samples > 1 => AuxMode::Mcs,
            auxiliary_surface_mode::AUX_CCS_D => AuxMode::CcsD,
            auxiliary_surface_mode::AUX_HIZ => AuxMode::Hiz,
            auxiliary_surface_mode::AUX_CCS_E => AuxMode::CcsE,
            other => return unimplemented(format!("auxiliary surfaces of mode {other}")),
        };
        let swizzle = [
            rss::SHADER_CHANNEL_SELECT_RED,
            rss::SHADER_CHANNEL_SELECT_GREEN,
            rss::SHADER_CHANNEL_SELECT_BLUE,
            rss::SHADER_CHANNEL_SELECT_ALPHA,
        ]
        .map(|field| select(field.get(words)));
        Ok(Image {
            kind,
            format,
            bytes,
            width,
            height,
            depth,
            min_array_element: get(rss::MINIMUM_ARRAY_ELEMENT),
            view_extent: get(rss::RENDER_TARGET_VIEW_EXTENT) + 1,
            base_level: get(rss::BASE_MIP_LEVEL),
            levels: get(rss::MIP_COUNT_LOD) + 1,
            lod: get(rss::MIP_COUNT_LOD),
            min_lod: get(rss::SURFACE_MIN_LOD),
            resource_min_lod: get(rss::RESOURCE_MIN_LOD),
            tiling,
            pitch_bytes: get(rss::SURFACE_PITCH) + 1,
            qpitch_rows: get(rss::SURFACE_QPITCH) * qpitch_unit,
            halign: standard.map_or_else(
                || alignment(rss::SURFACE_HORIZONTAL_ALIGNMENT.get(words)),
                |[width, _]| width / bytes,
            ),
            valign: standard.map_or_else(
                || alignment(rss::SURFACE_VERTICAL_ALIGNMENT.get(words)),
                |[_, height]| height,
            ),
            mip_tail_start: standard.map(|_| get(rss::MIP_TAIL_START_LOD)),
            samples,
            interleaved: rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT.get(words)
                == multisampled_surface_storage_format::MSFMT_DEPTH_STENCIL,
            x_offset: get(rss::X_OFFSET) * 4,
            y_offset: get(rss::Y_OFFSET) * 4,
            address: rss::SURFACE_BASE_ADDRESS.get(words) & ADDRESS_MASK,
            aux: Aux {
                mode,
                address: rss::AUXILIARY_SURFACE_BASE_ADDRESS.get(words) & ADDRESS_MASK,
                pitch_bytes: (get(rss::AUXILIARY_SURFACE_PITCH) + 1) * 128,
                qpitch_rows: get(rss::AUXILIARY_SURFACE_QPITCH) * 4,
            },
            clear_color: [12, 13, 14, 15].map(|i: usize| words[i]),
            swizzle,
            is_identity_swizzle: swizzle == [0, 1, 2, 3].map(Select::Channel),
            is_array,
        })
    }

    /// Applies the Shader Channel Selects.
    #[inline]
    pub fn swizzled(&self, values: [u32; 4]) -> [u32; 4] {
        if self.is_identity_swizzle {
            return values;
        }
        let one = match format::is_integer(self.format) {
            true => 1,
            false => 0x3f80_0000,
        };
        self.swizzle.map(|select| match select {
            Select::Zero => 0,
            Select::One => one,
            Select::Channel(i) => values[usize::from(i & 3)],
        })
    }

    /// The surface's channel to which each of red, green, blue and alpha is written. Selects that
    /// are not a permutation are ignored.
    pub fn written_channels(&self) -> [usize; 4] {
        let straight = [0, 1, 2, 3];
        let order = self.swizzle.map(|select| match select {
            Select::Channel(i) => usize::from(i),
            Select::Zero | Select::One => usize::MAX,
        });
        match straight.iter().all(|channel| order.contains(channel)) {
            true => order,
            false => straight,
        }
    }

    /// The bytes of an element: of a texel, or of a compressed block.
    pub fn element(
        &self,
        view: &AddressSpaceView<'_>,
        address: u64,
    ) -> Result<[u8; 16], StopReason> {
        let bytes = self.bytes.min(16);
        let mut out = [0; 16];
        if bytes == 4 && address.is_multiple_of(4) {
            out[..4].copy_from_slice(&view.read(address)?.to_le_bytes());
            return Ok(out);
        }
        if matches!(bytes, 1 | 2 | 4 | 8) {
            out[..8].copy_from_slice(&view.read_bytes(address, bytes)?.to_le_bytes());
            return Ok(out);
        }
        if bytes.is_multiple_of(4) && address.is_multiple_of(4) {
            let mut words = [0; 4];
            let dwords = &mut words[..bytes as usize / 4];
            view.read_block(address, dwords)?;
            for (to, from) in out.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                *to = from.to_le_bytes();
            }
            return Ok(out);
        }
        for (i, to) in out.iter_mut().enumerate().take(bytes as usize) {
            *to = view.read_bytes(address + i as u64, 1)? as u8;
        }
        Ok(out)
    }

    /// Writes the bytes of a texel.
    pub fn write_texel(
        &self,
        view: &AddressSpaceView<'_>,
        address: u64,
        texel: &[u8; 16],
    ) -> Result<(), StopReason> {
        let bytes = self.bytes.min(16);
        let [a, b, c, d, e, f, g, h, ..] = *texel;
        if bytes == 4 && address.is_multiple_of(4) {
            return view.write(address, u32::from_le_bytes([a, b, c, d]));
        }
        if matches!(bytes, 1 | 2 | 4 | 8) {
            let value = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            return view.write_bytes(address, bytes, value);
        }
        if bytes.is_multiple_of(4) && address.is_multiple_of(4) {
            let words: [u32; 4] = std::array::from_fn(|i| {
                let dword = texel.as_chunks::<4>().0.get(i);
                dword.map_or(0, |d| u32::from_le_bytes(*d))
            });
            return view.write_block(address, &words[..bytes as usize / 4]);
        }
        for (i, byte) in texel.iter().enumerate().take(bytes as usize) {
            view.write_bytes(address + i as u64, 1, u64::from(*byte))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
