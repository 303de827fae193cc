//! Which images have an aux surface, and what it is used for.
//!
//! In:  parameters of an image. Out: the type of its aux surface; whether it is compressed, and
//!      whether its fast clears are tracked.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE"; vol. 7, "Render Target Resolve".

use ash::vk as api;
use hw::FormatUse;
use surface::ImageUsage;

use super::create_info::ImageCreateInfo;
use crate::diagnosis::Diagnosis;
use crate::format;
use crate::physical::PhysicalDevice;

/// Type of an aux surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuxKind {
    /// MCS of multisampled colour images: which slice holds each sample. It is valid in every
    /// layout.
    Mcs,
    /// CCS of single-sampled colour images: which blocks are fast-cleared or compressed. Without
    /// compression, only renderings use it: those that start with a fast clear and, if clears are
    /// tracked ([`super::Image::fast_clear_record`]), later ones. With compression, every access
    /// through a view uses it ([`super::Image::compressed_ccs`]).
    Ccs,
    /// HiZ of depth images, valid in the layouts of [`super::Image::layout_uses_hiz`].
    Hiz,
}

impl AuxKind {
    /// The type for colour images with a sample count.
    pub fn of_colour(samples: u32) -> AuxKind {
        if samples > 1 {
            AuxKind::Mcs
        } else {
            AuxKind::Ccs
        }
    }
}

/// The aux surface that an aspect may have.
pub(super) fn aux_kind(
    info: &ImageCreateInfo,
    aspect: api::ImageAspectFlags,
    format: &hw::Format,
) -> Option<AuxKind> {
    use api::ImageUsageFlags as U;
    if info.has_ccs_modifier() {
        return Some(AuxKind::Ccs);
    }
    // The host reads and writes the main surface alone, in every layout.
    if info.question.usage.contains(U::HOST_TRANSFER_EXT) {
        return None;
    }
    let tiled = info.question.tiling == api::ImageTiling::OPTIMAL;
    // Others who access the memory do not know the aux surface.
    let alone = !info.question.flags.contains(api::ImageCreateFlags::ALIAS) && !info.shared;
    if aspect == api::ImageAspectFlags::COLOR {
        let multisampled = info.samples != api::SampleCountFlags::TYPE_1;
        // Vol. 2d, RENDER_SURFACE_STATE, "Auxiliary Surface Mode": wide images with many samples
        // have none.
        let narrow = info.extent_px[0] <= 8192 || info.samples.as_raw() < 8;
        if multisampled {
            // Resolves sample the image, whatever its usage.
            let has_mcs = narrow && !info.textures_without_aux;
            return has_mcs.then_some(AuxKind::Mcs);
        }
        let plane = info.question.dimension == api::ImageType::TYPE_2D;
        let drawn = info.question.usage.contains(U::COLOR_ATTACHMENT);
        let sized = matches!(format.block_bits, 32 | 64 | 128) && format.block_el == [1, 1];
        return (plane && drawn && sized && tiled && alone).then_some(AuxKind::Ccs);
    }
    let depth = aspect == api::ImageAspectFlags::DEPTH;
    let drawn = info.question.usage.contains(U::DEPTH_STENCIL_ATTACHMENT);
    // HiZ operations cover whole blocks, which other levels are not aligned to.
    let plane = info.question.dimension == api::ImageType::TYPE_2D;
    (depth && plane && tiled && drawn && alone && info.levels == 1).then_some(AuxKind::Hiz)
}

/// Pixels from which on a fast clear is worthwhile: its flushes cost as much as drawing fewer
/// pixels.
const MIN_FAST_CLEAR_PX: u64 = 256 * 256;

/// Whether an area is large enough for a fast clear.
pub fn is_worth_fast_clear(diagnosis: &Diagnosis, [width, height]: [u32; 2]) -> bool {
    let large = u64::from(width) * u64::from(height) >= MIN_FAST_CLEAR_PX;
    (large || diagnosis.has(debug::Flag::FastClears)) && !diagnosis.has(debug::Flag::NoFastClear)
}

/// Whether fast clears may stay unresolved beyond a rendering: the memory is not shared, and no
/// view has another format, which would read the clear colour differently.
pub(super) fn can_track_clears(
    diagnosis: &Diagnosis,
    info: &ImageCreateInfo,
    kind: AuxKind,
) -> bool {
    use api::ImageCreateFlags as F;
    let flags = info.question.flags;
    let [width, height, _] = info.extent_px;
    kind != AuxKind::Hiz
        && !flags.intersects(F::ALIAS | F::MUTABLE_FORMAT)
        && !info.shared
        && is_worth_fast_clear(diagnosis, [width, height])
        && !diagnosis.has(debug::Flag::NoFastClearTracking)
}

/// Whether compressed blocks in one format are valid in all others: each supports compression, with
/// the same channel sizes. Ref: SKL PRM vol. 7, "Render Target Resolve", "Lossless Compression".
pub fn have_compatible_compression(
    physical: &PhysicalDevice,
    format: api::Format,
    others: &[api::Format],
) -> bool {
    let hw_gen = physical.info().device.hw_gen;
    let widths = |format| {
        let row = format::for_tiling(format, api::ImageTiling::OPTIMAL)?;
        let hw = row.aspect_format(api::ImageAspectFlags::COLOR)?;
        let can = hw.uses(hw_gen).contains(FormatUse::COMPRESS);
        can.then(|| channel_sizes(hw))
    };
    let own = widths(format);
    own.is_some() && others.iter().all(|other| widths(*other) == own)
}

/// Bits of each channel: formats with equal channel sizes agree on compressed blocks.
pub(super) fn channel_sizes(format: &hw::Format) -> [u8; 4] {
    format.channels.map(|(_, bits)| bits)
}

/// Whether a single-sampled colour image is compressed, if its format supports it: its modifier
/// demands it, or else nothing forbids it. Then the memory must not be shared, all view formats
/// must agree on compressed blocks, and the data port must not access it, which does not support
/// CCS_E. For small images, layout transitions cost more than compression saves.
pub(super) fn is_compressible(diagnosis: &Diagnosis, info: &ImageCreateInfo) -> bool {
    use api::ImageCreateFlags as F;
    let question = &info.question;
    let [width, height, _] = info.extent_px;
    let large = u64::from(width) * u64::from(height) >= MIN_FAST_CLEAR_PX;
    if info.has_ccs_modifier() {
        return true;
    }
    let is_texture = || {
        let usage = info.usage(api::ImageAspectFlags::COLOR);
        usage.contains(ImageUsage::TEXTURE)
    };
    if info.textures_without_aux && is_texture() {
        return false;
    }
    info.alike
        && !question.flags.contains(F::ALIAS)
        && !question.usage.contains(api::ImageUsageFlags::STORAGE)
        && !info.shared
        && (large || diagnosis.has(debug::Flag::FastClears))
        && !diagnosis.has(debug::Flag::NoCcsE)
}

/// The debug flag that disables an aux type.
pub(super) fn disable_flag(kind: AuxKind) -> debug::Flag {
    match kind {
        AuxKind::Mcs => debug::Flag::NoMcs,
        AuxKind::Ccs => debug::Flag::NoCcs,
        AuxKind::Hiz => debug::Flag::NoHiz,
    }
}
