//! From a description to the figures of a surface.
//!
//! In:  an [`ImageInfo`] and a device; for auxiliary surfaces a [`Request`] that `aux` makes.
//! Out: a [`Surface`].
//! Ref: SKL PRM vol. 5, "2D Surfaces" (mip layout, QPitch), "1D Surfaces", "3D Surfaces", "Interleaved Multisampled Surfaces".
//!
//! Three choices are policy, and are ANV's: Y tiles before X tiles before rows (lines are linear), layers as close as
//! QPitch can say, and 16 elements of horizontal alignment for every colour image that may get an auxiliary surface.

use hw::{Device, Field, Wa};

use crate::image::{Dim, ImageInfo, SurfaceError, Usage};
use crate::rules::{Rules, most, rules};
use crate::tile::{Block, Tiling, Tilings};

/// Where the samples of a pixel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLayout {
    /// There is one.
    Single,
    /// Each in a layer of its own (MSFMT_MSS).
    Layers,
    /// Beside and below each other (MSFMT_DEPTH_STENCIL).
    Interleaved,
}

/// Which surface of an image it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The main surface.
    Image,
    /// Hierarchical depth.
    Hiz,
    /// Multisample control.
    Mcs,
    /// Colour control.
    Ccs,
}

/// A surface laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Which surface of an image it is.
    pub role: Role,
    /// Its elements.
    pub block: Block,
    /// Dimension.
    pub dim: Dim,
    /// Width, height and depth of level 0.
    pub extent_px: [u32; 3],
    /// Mip levels.
    pub levels: u32,
    /// Array layers, without the samples.
    pub layers: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Where they are.
    pub sample_layout: SampleLayout,
    /// What it is for.
    pub usage: Usage,
    /// How elements are laid out.
    pub tiling: Tiling,
    /// Elements that levels are aligned to.
    pub align_el: [u32; 2],
    /// Distance of rows. Of stencil buffers, twice the bytes of a row, as their fields want it.
    pub row_pitch_bytes: u32,
    /// Distance of layers, and of a volume's slices, in rows of elements.
    pub layer_pitch_rows_el: u32,
    /// Bytes in all, whole tiles.
    pub size_bytes: u64,
    /// What the address must be a multiple of: a power of two.
    pub alignment_bytes: u32,
}

/// What the arithmetic needs to know, of images and of auxiliary surfaces.
pub(crate) struct Request<'a> {
    pub rules: &'a Rules,
    pub role: Role,
    pub block: Block,
    pub dim: Dim,
    pub extent_px: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub samples: u32,
    pub sample_layout: SampleLayout,
    pub usage: Usage,
    pub tiling: Tiling,
    pub align_el: [u32; 2],
    /// Rows of elements that layers are aligned to beyond `align_el`.
    pub layer_align_rows_el: u32,
    /// Unit of row pitches, bytes.
    pub pitch_step_bytes: u32,
    pub row_pitch_bytes: Option<u32>,
    /// Fields that must hold the pitch: packet or structure, field, and bytes of the field's unit.
    pub pitch_fields: [Option<(&'static str, Field, u32)>; 3],
    pub least_alignment_bytes: u32,
}

/// Size of a level, at least one.
pub(crate) fn minify(extent: u32, level: u32) -> u32 {
    extent.checked_shr(level).unwrap_or(0).max(1)
}

fn align(value: u32, step: u32) -> u32 {
    // Most are powers of two, and a division takes as long as all else here.
    match step.is_power_of_two() {
        true => (value + (step - 1)) & !(step - 1),
        false => value.next_multiple_of(step.max(1)),
    }
}

/// How many steps hold `value`.
fn steps(value: u64, step: u32) -> u64 {
    match step.is_power_of_two() {
        true => (value + u64::from(step - 1)) >> step.trailing_zeros(),
        false => value.div_ceil(step.into()),
    }
}

impl Surface {
    /// Lays an image out.
    ///
    /// # Errors
    /// If the hardware has no such surface, none of the wished tilings fits, or the wished pitch does not.
    pub fn new(device: &Device, info: &ImageInfo) -> Result<Surface, SurfaceError> {
        let rules = rules(device)?;
        let block = Block::of(info.format).ok_or(SurfaceError::Format(info.format.name))?;
        check(rules, info, block)?;
        let usable = usable_tilings(device, info);
        let tiling = choose_tiling(info, usable).ok_or(SurfaceError::Tiling {
            wished: info.tilings,
            usable,
        })?;
        let sample_layout = match info.samples {
            1 => SampleLayout::Single,
            _ if info.usage.intersects(Usage::DEPTH | Usage::STENCIL) => SampleLayout::Interleaved,
            _ => SampleLayout::Layers,
        };
        let linear_line = info.dim == Dim::D1 && tiling == Tiling::Linear;
        let align_el = if linear_line {
            [rules.line_align_el, 1]
        } else {
            image_alignment(info, block)
        };
        let sampled = Usage::RENDER_TARGET | Usage::TEXTURE | Usage::STORAGE;
        let pitch_field = |usage: Usage, packet, field| {
            (!linear_line && info.usage.intersects(usage)).then_some((packet, field, 1))
        };
        let pitch_fields = [
            pitch_field(sampled, "RENDER_SURFACE_STATE", rules.surface_pitch),
            pitch_field(Usage::DEPTH, "3DSTATE_DEPTH_BUFFER", rules.depth_pitch),
            pitch_field(
                Usage::STENCIL,
                "3DSTATE_STENCIL_BUFFER",
                rules.stencil_pitch,
            ),
        ];
        compute(&Request {
            rules,
            role: Role::Image,
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
            pitch_step_bytes: pitch_step(info, tiling, block),
            row_pitch_bytes: info.row_pitch_bytes,
            pitch_fields,
            least_alignment_bytes: linear_alignment(info, block),
        })
    }

    /// True for lines without tiles, whose levels stand side by side.
    pub(crate) fn is_linear_line(&self) -> bool {
        self.dim == Dim::D1 && self.tiling == Tiling::Linear
    }

    /// Distance of layers in the unit of Surface QPitch: rows of elements; pixels of linear lines; rows of the main surface's
    /// pixels of auxiliary surfaces.
    pub fn qpitch(&self) -> u32 {
        if self.is_linear_line() {
            return self.row_pitch_bytes / self.block.bytes().max(1);
        }
        match self.role {
            Role::Image => self.layer_pitch_rows_el,
            Role::Hiz | Role::Mcs | Role::Ccs => self.layer_pitch_rows_el * self.block.extent_sa[1],
        }
    }

    /// Where a level stands in its slice, in samples: right of level 1 from level 2 on, else below the one before.
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

    /// Width and height of level 0 in samples, as they lie in memory.
    pub(crate) fn physical_sa(&self) -> [u32; 2] {
        physical_sa(self.extent_px, self.samples, self.sample_layout)
    }
}

fn check(rules: &Rules, info: &ImageInfo, block: Block) -> Result<(), SurfaceError> {
    let range = |what, asked, least, most| match (least..=most).contains(&asked) {
        true => Ok(()),
        false => Err(SurfaceError::Range {
            what,
            asked,
            least,
            most,
        }),
    };
    let [width, height, depth] = match info.dim {
        Dim::D1 => [rules.most_plane_px, 1, 1],
        Dim::D2 => [rules.most_plane_px, rules.most_plane_px, 1],
        Dim::D3 => [rules.most_volume_px; 3],
    };
    range("the width", info.extent_px[0], 1, width)?;
    range("the height", info.extent_px[1], 1, height)?;
    range("the depth", info.extent_px[2], 1, depth)?;
    let [width, height, depth] = info.extent_px;
    let longest = width.max(height).max(depth);
    range("the number of levels", info.levels, 1, longest.ilog2() + 1)?;
    let layers = if info.dim == Dim::D3 {
        1
    } else {
        rules.most_layers
    };
    range("the number of layers", info.layers, 1, layers)?;
    range("the number of samples", info.samples, 1, rules.most_samples)?;
    let refused = |why| Err(SurfaceError::Shape(why));
    let depth_stencil = info.usage.intersects(Usage::DEPTH | Usage::STENCIL);
    if !info.samples.is_power_of_two() {
        return refused("the number of samples is no power of two");
    }
    if info.usage.contains(Usage::DEPTH | Usage::STENCIL) {
        return refused("depth and stencil are surfaces of their own");
    }
    if depth_stencil && info.usage.intersects(Usage::RENDER_TARGET | Usage::STORAGE) {
        return refused("depth and stencil are no colour targets");
    }
    if info.usage.contains(Usage::STENCIL) && block.bits != 8 {
        return refused("a stencil buffer has elements of one byte");
    }
    if block.is_compressed() && info.dim == Dim::D1 {
        return refused("a line cannot be block-compressed");
    }
    if info.usage.contains(Usage::CUBE)
        && (info.dim != Dim::D2 || info.extent_px[0] != info.extent_px[1] || info.layers < 6)
    {
        return refused("a cube has six square faces");
    }
    if info.samples > 1 {
        if info.dim != Dim::D2 || info.levels > 1 {
            return refused("samples are for planes of one level");
        }
        if block.is_compressed() || info.format.is_yuv() {
            return refused("neither compressed nor YUV formats have samples");
        }
        if info.usage.intersects(Usage::DISPLAY | Usage::STORAGE) {
            return refused("neither the display engine nor typed messages know samples");
        }
    }
    Ok(())
}

/// The tilings in which such an image can be used.
fn usable_tilings(device: &Device, info: &ImageInfo) -> Tilings {
    let mut usable = match info.usage {
        usage if usage.contains(Usage::STENCIL) => return Tilings::W,
        usage if usage.contains(Usage::DEPTH) => return Tilings::Y,
        _ => Tilings::LINEAR | Tilings::X | Tilings::Y,
    };
    if info.samples > 1 {
        usable &= Tilings::Y;
    }
    let wide = info.extent_px[0] > 16382 && info.samples == 1;
    if wide
        && info.usage.contains(Usage::RENDER_TARGET)
        && device.needs(Wa::NoTiledTargetsOver16382)
    {
        usable &= Tilings::LINEAR;
    }
    usable
}

fn choose_tiling(info: &ImageInfo, usable: Tilings) -> Option<Tiling> {
    let allowed = info.tilings & usable;
    let best_first = [
        (Tilings::Y, Tiling::Y),
        (Tilings::X, Tiling::X),
        (Tilings::W, Tiling::W),
        (Tilings::LINEAR, Tiling::Linear),
    ];
    if info.dim == Dim::D1 && allowed.contains(Tilings::LINEAR) {
        return Some(Tiling::Linear);
    }
    let found = best_first.iter().find(|(bit, _)| allowed.contains(*bit));
    found.map(|(_, tiling)| *tiling)
}

/// Elements that levels are aligned to. Ref: RENDER_SURFACE_STATE's Surface Horizontal and Vertical Alignment, and the
/// implied ones of depth and stencil buffers.
fn image_alignment(info: &ImageInfo, block: Block) -> [u32; 2] {
    if block.is_compressed() {
        [4, 4]
    } else if info.usage.contains(Usage::DEPTH) {
        if block.bits == 16 { [8, 4] } else { [4, 4] }
    } else if info.usage.contains(Usage::STENCIL) {
        [8, 8]
    } else if info.usage.contains(Usage::NO_AUX) {
        [4, 4]
    } else {
        // AUX_CCS_D and AUX_CCS_E demand HALIGN_16.
        [16, 4]
    }
}

/// Bytes of the unit that typed accesses to linear memory go by: an element, or two of YUV formats.
fn access_unit(info: &ImageInfo, block: Block) -> u32 {
    let typed = info.usage.intersects(Usage::RENDER_TARGET | Usage::STORAGE);
    match (typed, info.format.is_yuv()) {
        (false, _) => 1,
        (true, false) => block.bytes(),
        (true, true) => 2 * block.bytes(),
    }
}

/// What row pitches are multiples of.
fn pitch_step(info: &ImageInfo, tiling: Tiling, block: Block) -> u32 {
    if let Some(tile) = tiling.tile(block) {
        return tile.row_bytes;
    }
    let unit = access_unit(info, block);
    if !info.usage.contains(Usage::DISPLAY) {
        return unit;
    }
    // PLANE_STRIDE counts 64 bytes; other vendors' display engines want 256, and get them where we choose.
    let step = if info.row_pitch_bytes.is_some() {
        64
    } else {
        256
    };
    lcm(unit, step)
}

fn lcm(a: u32, b: u32) -> u32 {
    // b is a power of two.
    let common = 1 << a.trailing_zeros().min(b.trailing_zeros());
    a / common * b
}

/// What the address of linear memory is a multiple of.
fn linear_alignment(info: &ImageInfo, block: Block) -> u32 {
    let unit = access_unit(info, block).next_power_of_two();
    if info.usage.contains(Usage::DISPLAY) {
        unit.max(64)
    } else {
        unit
    }
}

fn physical_sa(extent_px: [u32; 3], samples: u32, layout: SampleLayout) -> [u32; 2] {
    let [width, height, _] = extent_px;
    if layout != SampleLayout::Interleaved {
        return [width, height];
    }
    // 2 × 1, 2 × 2, 4 × 2 and 4 × 4 samples, of pixels in quads.
    let bits = samples.ilog2();
    [
        align(width, 2) << bits.div_ceil(2),
        align(height, 2) << (bits / 2),
    ]
}

/// Does the arithmetic.
pub(crate) fn compute(ask: &Request<'_>) -> Result<Surface, SurfaceError> {
    // What is known from the start.
    let begun = Surface {
        role: ask.role,
        block: ask.block,
        dim: ask.dim,
        extent_px: ask.extent_px,
        levels: ask.levels,
        layers: ask.layers,
        samples: ask.samples,
        sample_layout: ask.sample_layout,
        usage: ask.usage,
        tiling: ask.tiling,
        align_el: ask.align_el,
        row_pitch_bytes: 0,
        layer_pitch_rows_el: 1,
        size_bytes: 0,
        alignment_bytes: ask.least_alignment_bytes,
    };
    let slices = match ask.dim {
        Dim::D3 => ask.extent_px[2],
        _ if ask.sample_layout == SampleLayout::Layers => ask.layers * ask.samples,
        _ => ask.layers,
    };
    let tile = ask.tiling.tile(ask.block);
    let (slice_el, layer_pitch_rows_el) = if begun.is_linear_line() {
        ([line_width_el(&begun), 1], begun.layer_pitch_rows_el)
    } else {
        let slice_sa = slice_sa(&begun);
        let rows_sa = align(slice_sa[1], ask.align_el[1] * ask.block.extent_sa[1]);
        let rows_el = steps(rows_sa.into(), ask.block.extent_sa[1]) as u32;
        let tiled_volume = tile.filter(|_| ask.dim == Dim::D3);
        let step = tiled_volume.map_or(1, |tile| tile.extent_el[1]);
        let pitch = align(align(rows_el, ask.layer_align_rows_el), step);
        let elements = |axis: usize| steps(slice_sa[axis].into(), ask.block.extent_sa[axis]) as u32;
        ([elements(0), elements(1)], pitch)
    };
    let row_pitch_bytes = row_pitch(ask, slice_el[0])?;
    let rows_el = u64::from(layer_pitch_rows_el) * u64::from(slices - 1) + u64::from(slice_el[1]);
    let (rows, tile_bytes) = match tile {
        None => (rows_el, 0),
        Some(tile) => (
            steps(rows_el, tile.extent_el[1]) * u64::from(tile.rows),
            tile.row_bytes * tile.rows,
        ),
    };
    let size_bytes = rows * u64::from(row_pitch_bytes);
    if size_bytes > ask.rules.most_bytes {
        return Err(SurfaceError::TooLarge {
            bytes: size_bytes,
            most: ask.rules.most_bytes,
        });
    }
    let surface = Surface {
        row_pitch_bytes,
        layer_pitch_rows_el,
        size_bytes,
        alignment_bytes: begun.alignment_bytes.max(tile_bytes),
        ..begun
    };
    if slices > 1 {
        check_qpitch(ask.rules, &surface)?;
    }
    Ok(surface)
}

fn check_qpitch(rules: &Rules, surface: &Surface) -> Result<(), SurfaceError> {
    let rows = u64::from(surface.qpitch());
    let unit = u64::from(rules.qpitch_unit);
    let most = (most(rules.qpitch) - 1) * unit;
    if rows > most {
        return Err(SurfaceError::LayersTooFar { rows, most });
    }
    match rows.is_multiple_of(unit) {
        true => Ok(()),
        false => Err(SurfaceError::LayerStep { rows, unit }),
    }
}

/// Elements of a linear line with all its levels.
fn line_width_el(surface: &Surface) -> u32 {
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

fn row_pitch(ask: &Request<'_>, width_el: u32) -> Result<u32, SurfaceError> {
    let step = ask.pitch_step_bytes;
    let bytes = match ask.tiling.tile(ask.block) {
        None => u64::from(width_el) * u64::from(ask.block.bytes()),
        Some(tile) => {
            let width_el = u64::from(width_el) * u64::from(tile.across);
            steps(width_el, tile.extent_el[0]) * u64::from(tile.row_bytes)
        }
    };
    let least = steps(bytes, step) * u64::from(step);
    let pitch = match ask.row_pitch_bytes {
        None => least,
        Some(wish) if u64::from(wish) >= least && wish.is_multiple_of(step) => wish.into(),
        Some(asked) => return Err(SurfaceError::PitchWish { asked, least, step }),
    };
    for &(name, field, unit) in ask.pitch_fields.iter().flatten() {
        let most = most(field) * u64::from(unit);
        if pitch > most {
            return Err(SurfaceError::PitchTooLong {
                bytes: pitch,
                field: name,
                most,
            });
        }
    }
    u32::try_from(pitch).map_err(|_| SurfaceError::TooLarge {
        bytes: pitch,
        most: ask.rules.most_bytes,
    })
}
