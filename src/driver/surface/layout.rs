//! The layout of a surface, computed from its description.
//!
//! In:  an [`ImageInfo`] and a device; for auxiliary surfaces a [`Request`] made by `aux`.
//! Out: a [`Surface`].
//! Ref: SKL PRM vol. 5, "2D Surfaces" (mip layout, QPitch), "1D Surfaces", "3D Surfaces",
//!      "Interleaved Multisampled Surfaces".
//! Tests: layout/tests.rs, layout/tests/isl.rs.
//!
//! Three choices are policy, and those of ANV: Y tiling before X tiling before linear (1D images
//! are linear), the smallest QPitch, and a horizontal alignment of 16 elements for every colour
//! image that may get an auxiliary surface.

use hw::{Device, Field, Wa};

use crate::image::{ImageDim, ImageInfo, ImageUsage, SurfaceError};
use crate::limits::{Limits, limits, max_value};
use crate::tiling::{FormatBlock, Tiling, TilingSet};

/// The arrangement of a pixel's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLayout {
    /// One sample per pixel.
    Single,
    /// Each sample in a layer of its own (MSFMT_MSS).
    Layers,
    /// Samples beside and below each other (MSFMT_DEPTH_STENCIL).
    Interleaved,
}

/// The role of a surface in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceRole {
    /// The main surface.
    Image,
    /// The HiZ surface.
    Hiz,
    /// The MCS.
    Mcs,
    /// The CCS.
    Ccs,
}

/// The layout of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Its role in the image.
    pub role: SurfaceRole,
    /// Its elements.
    pub block: FormatBlock,
    /// Dimension.
    pub dim: ImageDim,
    /// Width, height and depth of level 0.
    pub extent_px: [u32; 3],
    /// Number of mip levels.
    pub levels: u32,
    /// Number of array layers, not counting samples.
    pub layers: u32,
    /// Samples per pixel.
    pub samples: u32,
    /// Their arrangement.
    pub sample_layout: SampleLayout,
    /// Usage flags.
    pub usage: ImageUsage,
    /// Tiling.
    pub tiling: Tiling,
    /// Alignment of levels in elements.
    pub align_el: [u32; 2],
    /// Row pitch. For stencil buffers twice the bytes of a row, as the hardware's fields require.
    pub row_pitch_bytes: u32,
    /// Distance of layers, or of a volume's slices, in rows of elements.
    pub layer_pitch_rows_el: u32,
    /// Total size, whole tiles.
    pub size_bytes: u64,
    /// Required alignment of the address, a power of two.
    pub alignment_bytes: u32,
}

/// The parameters of the layout arithmetic, for images and auxiliary surfaces.
pub(crate) struct Request<'a> {
    pub limits: &'a Limits,
    pub role: SurfaceRole,
    pub block: FormatBlock,
    pub dim: ImageDim,
    pub extent_px: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub samples: u32,
    pub sample_layout: SampleLayout,
    pub usage: ImageUsage,
    pub tiling: Tiling,
    pub align_el: [u32; 2],
    /// Alignment of layers in rows of elements, beyond `align_el`.
    pub layer_align_rows_el: u32,
    /// Unit of the row pitch in bytes.
    pub pitch_step_bytes: u32,
    pub row_pitch_bytes: Option<u32>,
    /// Fields that must hold the pitch: packet or structure, field, and the field's unit in bytes.
    pub pitch_fields: [Option<(&'static str, Field, u32)>; 3],
    pub min_alignment_bytes: u32,
}

/// The extent of a level, at least 1.
pub(crate) fn minify(extent: u32, level: u32) -> u32 {
    extent.checked_shr(level).unwrap_or(0).max(1)
}

/// Rounds a value up to a multiple.
fn align(value: u32, step: u32) -> u32 {
    // Most steps are powers of two, and a division would take as long as everything else here.
    match step.is_power_of_two() {
        true => (value + (step - 1)) & !(step - 1),
        false => value.next_multiple_of(step.max(1)),
    }
}

/// The number of steps needed to cover `value`.
fn steps(value: u64, step: u32) -> u64 {
    match step.is_power_of_two() {
        true => (value + u64::from(step - 1)) >> step.trailing_zeros(),
        false => value.div_ceil(step.into()),
    }
}

impl Surface {
    /// Lays out an image.
    ///
    /// # Errors
    /// If the hardware has no such surface, none of the allowed tilings is usable, or the
    /// required pitch does not fit.
    pub fn new(device: &Device, info: &ImageInfo) -> Result<Surface, SurfaceError> {
        let limits = limits(device)?;
        let block =
            FormatBlock::from_format(info.format).ok_or(SurfaceError::Format(info.format.name))?;
        check(limits, info, block)?;
        let usable = usable_tilings(device, info);
        let tiling = choose_tiling(info, usable).ok_or(SurfaceError::Tiling {
            allowed: info.tilings,
            usable,
        })?;
        let sample_layout = match info.samples {
            1 => SampleLayout::Single,
            _ if info
                .usage
                .intersects(ImageUsage::DEPTH | ImageUsage::STENCIL) =>
            {
                SampleLayout::Interleaved
            }
            _ => SampleLayout::Layers,
        };
        let linear_1d = info.dim == ImageDim::D1 && tiling == Tiling::Linear;
        let align_el = if linear_1d {
            [limits.linear_1d_align_el, 1]
        } else {
            image_alignment(info, block)
        };
        let sampled = ImageUsage::RENDER_TARGET | ImageUsage::TEXTURE | ImageUsage::STORAGE;
        let pitch_field = |usage: ImageUsage, packet, field| {
            (!linear_1d && info.usage.intersects(usage)).then_some((packet, field, 1))
        };
        let pitch_fields = [
            pitch_field(sampled, "RENDER_SURFACE_STATE", limits.surface_pitch),
            pitch_field(
                ImageUsage::DEPTH,
                "3DSTATE_DEPTH_BUFFER",
                limits.depth_pitch,
            ),
            pitch_field(
                ImageUsage::STENCIL,
                "3DSTATE_STENCIL_BUFFER",
                limits.stencil_pitch,
            ),
        ];
        compute(&Request {
            limits,
            role: SurfaceRole::Image,
            block,
            dim: info.dim,
            extent_px: info.extent_px,
            levels: info.levels,
            layers: info.layers,
            samples: info.samples,
            sample_layout,
            usage: info.usage,
            tiling,
            align_el,
            layer_align_rows_el: 1,
            pitch_step_bytes: pitch_step(device, info, tiling, block),
            row_pitch_bytes: info.row_pitch_bytes,
            pitch_fields,
            min_alignment_bytes: linear_alignment(info, block),
        })
    }

    /// Whether this is a linear 1D surface, whose levels are side by side.
    pub(crate) fn is_linear_1d(&self) -> bool {
        self.dim == ImageDim::D1 && self.tiling == Tiling::Linear
    }

    /// Distance of layers in the unit of Surface QPitch: rows of elements; for linear 1D surfaces
    /// pixels; for auxiliary surfaces rows of pixels of the main surface.
    pub fn qpitch(&self) -> u32 {
        if self.is_linear_1d() {
            return self.row_pitch_bytes / self.block.bytes().max(1);
        }
        match self.role {
            SurfaceRole::Image => self.layer_pitch_rows_el,
            SurfaceRole::Hiz | SurfaceRole::Mcs | SurfaceRole::Ccs => {
                self.layer_pitch_rows_el * self.block.extent_sa[1]
            }
        }
    }

    /// The offset of a level in its slice, in samples: level 2 is right of level 1, every other
    /// level below the previous one.
    pub(crate) fn level_sa(&self, level: u32) -> [u32; 2] {
        let physical = self.physical_sa();
        let step = [0, 1].map(|axis: usize| self.align_el[axis] * self.block.extent_sa[axis]);
        let mut at = [0, 0];
        for above in 0..level {
            let axis = if above == 1 { 0 } else { 1 };
            at[axis] += minify(physical[axis], above).next_multiple_of(step[axis]);
        }
        at
    }

    /// Width and height of level 0 in samples, as stored.
    pub(crate) fn physical_sa(&self) -> [u32; 2] {
        physical_sa(self.extent_px, self.samples, self.sample_layout)
    }
}

/// Checks a description against the limits and the combinations that surface states can describe.
fn check(limits: &Limits, info: &ImageInfo, block: FormatBlock) -> Result<(), SurfaceError> {
    let range = |what, requested, min, max| match (min..=max).contains(&requested) {
        true => Ok(()),
        false => Err(SurfaceError::Range {
            what,
            requested,
            min,
            max,
        }),
    };
    let [width, height, depth] = match info.dim {
        ImageDim::D1 => [limits.max_plane_px, 1, 1],
        ImageDim::D2 => [limits.max_plane_px, limits.max_plane_px, 1],
        ImageDim::D3 => [limits.max_volume_px; 3],
    };
    range("the width", info.extent_px[0], 1, width)?;
    range("the height", info.extent_px[1], 1, height)?;
    range("the depth", info.extent_px[2], 1, depth)?;
    let [width, height, depth] = info.extent_px;
    let longest = width.max(height).max(depth);
    range("the number of levels", info.levels, 1, longest.ilog2() + 1)?;
    let layers = if info.dim == ImageDim::D3 {
        1
    } else {
        limits.max_layers
    };
    range("the number of layers", info.layers, 1, layers)?;
    range("the number of samples", info.samples, 1, limits.max_samples)?;
    let unsupported = |why| Err(SurfaceError::Shape(why));
    let depth_stencil = info
        .usage
        .intersects(ImageUsage::DEPTH | ImageUsage::STENCIL);
    if !info.samples.is_power_of_two() {
        return unsupported("the number of samples is not a power of two");
    }
    if info.usage.contains(ImageUsage::DEPTH | ImageUsage::STENCIL) {
        return unsupported("depth and stencil are separate surfaces");
    }
    if depth_stencil
        && info
            .usage
            .intersects(ImageUsage::RENDER_TARGET | ImageUsage::STORAGE)
    {
        return unsupported("depth and stencil surfaces cannot be colour targets");
    }
    if info.usage.contains(ImageUsage::STENCIL) && block.bits != 8 {
        return unsupported("a stencil buffer has elements of one byte");
    }
    if block.is_compressed() && info.dim == ImageDim::D1 {
        return unsupported("a 1D image cannot be block-compressed");
    }
    if info.usage.contains(ImageUsage::CUBE)
        && (info.dim != ImageDim::D2 || info.extent_px[0] != info.extent_px[1] || info.layers < 6)
    {
        return unsupported("a cube has six square faces");
    }
    if info.samples > 1 {
        if info.dim != ImageDim::D2 || info.levels > 1 {
            return unsupported("only 2D images with one level can be multisampled");
        }
        if block.is_compressed() || info.format.is_yuv() {
            return unsupported("compressed and YUV formats cannot be multisampled");
        }
        if info
            .usage
            .intersects(ImageUsage::DISPLAY | ImageUsage::STORAGE)
        {
            return unsupported(
                "the display engine and typed messages do not support multisampling",
            );
        }
    }
    Ok(())
}

/// The tilings with which the hardware can use an image.
fn usable_tilings(device: &Device, info: &ImageInfo) -> TilingSet {
    let mut usable = match info.usage {
        usage if usage.contains(ImageUsage::STENCIL) => return TilingSet::W,
        usage if usage.contains(ImageUsage::DEPTH) => return TilingSet::Y,
        _ => TilingSet::LINEAR | TilingSet::X | TilingSet::Y,
    };
    if info.samples > 1 {
        usable &= TilingSet::Y;
    }
    let wide = info.extent_px[0] > 16382 && info.samples == 1;
    if wide
        && info.usage.contains(ImageUsage::RENDER_TARGET)
        && device.needs(Wa::NoTiledTargetsOver16382)
    {
        usable &= TilingSet::LINEAR;
    }
    usable
}

/// The best allowed and usable tiling.
fn choose_tiling(info: &ImageInfo, usable: TilingSet) -> Option<Tiling> {
    let allowed = info.tilings & usable;
    let best_first = [
        (TilingSet::Y, Tiling::Y),
        (TilingSet::X, Tiling::X),
        (TilingSet::W, Tiling::W),
        (TilingSet::LINEAR, Tiling::Linear),
    ];
    if info.dim == ImageDim::D1 && allowed.contains(TilingSet::LINEAR) {
        return Some(Tiling::Linear);
    }
    let found = best_first.iter().find(|(bit, _)| allowed.contains(*bit));
    found.map(|(_, tiling)| *tiling)
}

/// Alignment of levels in elements. Ref: RENDER_SURFACE_STATE's Surface Horizontal and Vertical
/// Alignment, and the implied ones of depth and stencil buffers.
fn image_alignment(info: &ImageInfo, block: FormatBlock) -> [u32; 2] {
    if block.is_compressed() {
        [4, 4]
    } else if info.usage.contains(ImageUsage::DEPTH) {
        if block.bits == 16 { [8, 4] } else { [4, 4] }
    } else if info.usage.contains(ImageUsage::STENCIL) {
        [8, 8]
    } else if info.usage.contains(ImageUsage::NO_AUX) {
        [4, 4]
    } else {
        // AUX_CCS_D and AUX_CCS_E require HALIGN_16.
        [16, 4]
    }
}

/// Bytes of the unit of typed accesses to linear memory: one element, or two for YUV formats.
fn access_unit(info: &ImageInfo, block: FormatBlock) -> u32 {
    let typed = info
        .usage
        .intersects(ImageUsage::RENDER_TARGET | ImageUsage::STORAGE);
    match (typed, info.format.is_yuv()) {
        (false, _) => 1,
        (true, false) => block.bytes(),
        (true, true) => 2 * block.bytes(),
    }
}

/// The unit of row pitches in bytes.
fn pitch_step(device: &Device, info: &ImageInfo, tiling: Tiling, block: FormatBlock) -> u32 {
    if let Some(tile) = tiling.tile(block) {
        let pairs = info.usage.contains(ImageUsage::DEPTH)
            && info.samples == 8
            && device.needs(Wa::DepthPitchWith8Samples);
        return if pairs {
            2 * tile.row_bytes
        } else {
            tile.row_bytes
        };
    }
    let unit = access_unit(info, block);
    if !info.usage.contains(ImageUsage::DISPLAY) {
        return unit;
    }
    // PLANE_STRIDE counts 64 bytes; other vendors' display engines need 256, which is used where
    // the driver chooses the pitch.
    let step = if info.row_pitch_bytes.is_some() {
        64
    } else {
        256
    };
    lcm(unit, step)
}

/// The least common multiple.
fn lcm(a: u32, b: u32) -> u32 {
    // b is a power of two.
    let common = 1 << a.trailing_zeros().min(b.trailing_zeros());
    a / common * b
}

/// The alignment of linear memory in bytes.
fn linear_alignment(info: &ImageInfo, block: FormatBlock) -> u32 {
    let unit = access_unit(info, block).next_power_of_two();
    if info.usage.contains(ImageUsage::DISPLAY) {
        unit.max(64)
    } else {
        unit
    }
}

/// Width and height in samples, as stored.
fn physical_sa(extent_px: [u32; 3], samples: u32, layout: SampleLayout) -> [u32; 2] {
    let [width, height, _] = extent_px;
    if layout != SampleLayout::Interleaved {
        return [width, height];
    }
    // 2 × 1, 2 × 2, 4 × 2 and 4 × 4 samples, for pixels in quads.
    let bits = samples.ilog2();
    [
        align(width, 2) << bits.div_ceil(2),
        align(height, 2) << (bits / 2),
    ]
}

/// Computes pitches, size and alignment.
pub(crate) fn compute(request: &Request<'_>) -> Result<Surface, SurfaceError> {
    // The members known before the arithmetic.
    let partial = Surface {
        role: request.role,
        block: request.block,
        dim: request.dim,
        extent_px: request.extent_px,
        levels: request.levels,
        layers: request.layers,
        samples: request.samples,
        sample_layout: request.sample_layout,
        usage: request.usage,
        tiling: request.tiling,
        align_el: request.align_el,
        row_pitch_bytes: 0,
        layer_pitch_rows_el: 1,
        size_bytes: 0,
        alignment_bytes: request.min_alignment_bytes,
    };
    let slices = match request.dim {
        ImageDim::D3 => request.extent_px[2],
        _ if request.sample_layout == SampleLayout::Layers => request.layers * request.samples,
        _ => request.layers,
    };
    let tile = request.tiling.tile(request.block);
    let (slice_el, layer_pitch_rows_el) = if partial.is_linear_1d() {
        (
            [linear_1d_width_el(&partial), 1],
            partial.layer_pitch_rows_el,
        )
    } else {
        let slice_sa = slice_sa(&partial);
        let rows_sa = align(
            slice_sa[1],
            request.align_el[1] * request.block.extent_sa[1],
        );
        let rows_el = steps(rows_sa.into(), request.block.extent_sa[1]) as u32;
        let tiled_volume = tile.filter(|_| request.dim == ImageDim::D3);
        let step = tiled_volume.map_or(1, |tile| tile.extent_el[1]);
        let pitch = align(align(rows_el, request.layer_align_rows_el), step);
        let elements =
            |axis: usize| steps(slice_sa[axis].into(), request.block.extent_sa[axis]) as u32;
        ([elements(0), elements(1)], pitch)
    };
    let row_pitch_bytes = row_pitch(request, slice_el[0])?;
    let rows_el = u64::from(layer_pitch_rows_el) * u64::from(slices - 1) + u64::from(slice_el[1]);
    let (rows, tile_bytes) = match tile {
        None => (rows_el, 0),
        Some(tile) => (
            steps(rows_el, tile.extent_el[1]) * u64::from(tile.rows),
            tile.row_bytes * tile.rows,
        ),
    };
    let size_bytes = rows * u64::from(row_pitch_bytes);
    if size_bytes > request.limits.max_bytes {
        return Err(SurfaceError::TooLarge {
            bytes: size_bytes,
            max: request.limits.max_bytes,
        });
    }
    let surface = Surface {
        row_pitch_bytes,
        layer_pitch_rows_el,
        size_bytes,
        alignment_bytes: partial.alignment_bytes.max(tile_bytes),
        ..partial
    };
    if slices > 1 {
        check_qpitch(request.limits, &surface)?;
    }
    Ok(surface)
}

/// Checks that QPitch can hold the distance of layers.
fn check_qpitch(limits: &Limits, surface: &Surface) -> Result<(), SurfaceError> {
    let rows = u64::from(surface.qpitch());
    let unit = u64::from(limits.qpitch_unit);
    let max = (max_value(limits.qpitch) - 1) * unit;
    if rows > max {
        return Err(SurfaceError::LayersTooFar { rows, max });
    }
    match rows.is_multiple_of(unit) {
        true => Ok(()),
        false => Err(SurfaceError::UnalignedLayers { rows, unit }),
    }
}

/// Width of a linear 1D slice with all its levels, in elements.
fn linear_1d_width_el(surface: &Surface) -> u32 {
    let levels = (0..surface.levels)
        .map(|level| align(minify(surface.extent_px[0], level), surface.align_el[0]));
    levels.sum()
}

/// Width and height of one slice with all its levels, in samples.
fn slice_sa(surface: &Surface) -> [u32; 2] {
    let physical = surface.physical_sa();
    if surface.levels == 1 {
        return physical;
    }
    let mut end = [0, 0];
    for level in 0..surface.levels {
        let at = surface.level_sa(level);
        for axis in 0..2 {
            let step = surface.align_el[axis] * surface.block.extent_sa[axis];
            end[axis] = end[axis].max(at[axis] + align(minify(physical[axis], level), step));
        }
    }
    end
}

/// The row pitch in bytes: the required one, or the smallest.
fn row_pitch(request: &Request<'_>, width_el: u32) -> Result<u32, SurfaceError> {
    let step = request.pitch_step_bytes;
    let bytes = match request.tiling.tile(request.block) {
        None => u64::from(width_el) * u64::from(request.block.bytes()),
        Some(tile) => {
            let width_el = u64::from(width_el) * u64::from(tile.across);
            steps(width_el, tile.extent_el[0]) * u64::from(tile.row_bytes)
        }
    };
    let min = steps(bytes, step) * u64::from(step);
    let pitch = match request.row_pitch_bytes {
        None => min,
        Some(pitch) if u64::from(pitch) >= min && pitch.is_multiple_of(step) => pitch.into(),
        Some(requested) => {
            return Err(SurfaceError::InvalidPitch {
                requested,
                min,
                step,
            });
        }
    };
    for &(name, field, unit) in request.pitch_fields.iter().flatten() {
        let max = max_value(field) * u64::from(unit);
        if pitch > max {
            return Err(SurfaceError::PitchTooLong {
                bytes: pitch,
                field: name,
                max,
            });
        }
    }
    u32::try_from(pitch).map_err(|_| SurfaceError::TooLarge {
        bytes: pitch,
        max: request.limits.max_bytes,
    })
}

#[cfg(test)]
mod tests;
