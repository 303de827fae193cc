//! Capabilities of images: usage, flags, sizes.
//!
//! In:  format, tiling, usage and flags. Out: the limits of such an image, or an error if it is not
//!      supported.
//! Ref: Vulkan specification, "Image Creation Limits", "Format Feature Dependent Usage Flags".

use ash::vk as api;
use ash::vk::Format as F;
use hw::Gen;

use crate::error::{Error, Result};
use crate::format::{Format, find};
use crate::modifier::Modifier;

/// Parameters of a query for image capabilities.
#[derive(Clone, Copy, Debug)]
pub struct ImageQuery {
    /// Format.
    pub format: F,
    /// Dimension.
    pub dimension: api::ImageType,
    /// Tiling.
    pub tiling: api::ImageTiling,
    /// Usage.
    pub usage: api::ImageUsageFlags,
    /// Flags.
    pub flags: api::ImageCreateFlags,
    /// DRM format modifier, for that tiling.
    pub modifier: Option<u64>,
}

/// `VK_IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR`: shaders may take a view of one layer
/// for an array, and the reverse. All views of 1D and 2D images are arrays to the hardware, which
/// takes a missing layer for 0 and clamps others (SKL PRM vol. 2d, RENDER_SURFACE_STATE, Surface
/// Array).
const ALIAS_SINGLE_LAYER_DESCRIPTOR: api::ImageCreateFlags =
    api::ImageCreateFlags::from_raw(1 << 22);

/// Supported image flags.
const FLAGS: api::ImageCreateFlags = api::ImageCreateFlags::from_raw(
    api::ImageCreateFlags::MUTABLE_FORMAT.as_raw()
        | api::ImageCreateFlags::CUBE_COMPATIBLE.as_raw()
        | api::ImageCreateFlags::ALIAS.as_raw()
        | api::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE.as_raw()
        | api::ImageCreateFlags::TYPE_2D_VIEW_COMPATIBLE_EXT.as_raw()
        | api::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE.as_raw()
        | api::ImageCreateFlags::EXTENDED_USAGE.as_raw()
        | api::ImageCreateFlags::DISJOINT.as_raw()
        // The layout of depth does not depend on sample locations.
        | api::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT.as_raw()
        | ALIAS_SINGLE_LAYER_DESCRIPTOR.as_raw(),
);

/// Format features that each usage needs; one of several is enough.
const NEEDS: &[(api::ImageUsageFlags, api::FormatFeatureFlags2)] = &[
    (
        api::ImageUsageFlags::TRANSFER_SRC,
        api::FormatFeatureFlags2::TRANSFER_SRC,
    ),
    (
        api::ImageUsageFlags::TRANSFER_DST,
        api::FormatFeatureFlags2::TRANSFER_DST,
    ),
    (
        api::ImageUsageFlags::HOST_TRANSFER_EXT,
        api::FormatFeatureFlags2::HOST_IMAGE_TRANSFER_EXT,
    ),
    (
        api::ImageUsageFlags::SAMPLED,
        api::FormatFeatureFlags2::SAMPLED_IMAGE,
    ),
    (
        api::ImageUsageFlags::STORAGE,
        api::FormatFeatureFlags2::STORAGE_IMAGE,
    ),
    (
        api::ImageUsageFlags::COLOR_ATTACHMENT,
        api::FormatFeatureFlags2::COLOR_ATTACHMENT,
    ),
    (
        api::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        api::FormatFeatureFlags2::DEPTH_STENCIL_ATTACHMENT,
    ),
    // Either kind of attachment.
    (
        api::ImageUsageFlags::INPUT_ATTACHMENT,
        api::FormatFeatureFlags2::from_raw(
            api::FormatFeatureFlags2::COLOR_ATTACHMENT.as_raw()
                | api::FormatFeatureFlags2::DEPTH_STENCIL_ATTACHMENT.as_raw(),
        ),
    ),
];

/// Usage that needs no feature of its own, but goes with an attachment.
const ATTACHMENT_ONLY: api::ImageUsageFlags = api::ImageUsageFlags::from_raw(
    api::ImageUsageFlags::TRANSIENT_ATTACHMENT.as_raw()
        // The feedback loop layout uses neither HiZ nor fast clears.
        | api::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT.as_raw(),
);

/// Maximum extent and number of array layers of images of a dimension. Fails if the format does not
/// support the dimension.
fn max_size(
    row: &Format,
    limits: &api::PhysicalDeviceLimits,
    dimension: api::ImageType,
) -> Result<([u32; 3], u32)> {
    use api::ImageType as T;
    let layers = limits.max_image_array_layers;
    match dimension {
        T::TYPE_1D if row.planar.is_none() && !row.is_compressed() => {
            Ok(([limits.max_image_dimension1_d, 1, 1], layers))
        }
        T::TYPE_2D => {
            let side = limits.max_image_dimension2_d;
            Ok(([side, side, 1], layers))
        }
        T::TYPE_3D if row.planar.is_none() => Ok(([limits.max_image_dimension3_d; 3], 1)),
        _ => Err(Error::FormatNotSupported),
    }
}

/// Limits of an image. Fails if it is not supported.
pub fn image_properties(
    hw_gen: Gen,
    limits: &api::PhysicalDeviceLimits,
    query: &ImageQuery,
) -> Result<api::ImageFormatProperties> {
    use api::{ImageCreateFlags as C, ImageType as T, SampleCountFlags as S};
    let row = find(query.format).ok_or(Error::FormatNotSupported)?;
    let linear_or_best = [api::ImageTiling::LINEAR, api::ImageTiling::OPTIMAL];
    let modifier = match query.tiling {
        api::ImageTiling::DRM_FORMAT_MODIFIER_EXT => query.modifier.and_then(Modifier::find),
        _ => None,
    };
    let known = modifier.is_some() || linear_or_best.contains(&query.tiling);
    let has_slices = modifier.is_none_or(Modifier::has_slices);
    let plain = (has_slices || query.dimension == api::ImageType::TYPE_2D)
        && (!query.flags.contains(api::ImageCreateFlags::ALIAS) || query.modifier == Some(0));
    // A view of another format would read compressed blocks differently.
    let viewed = query.flags.contains(C::MUTABLE_FORMAT);
    let viewed = viewed && modifier.is_some_and(|modifier| modifier.has_ccs);
    let known = known && (modifier.is_none() || plain) && !viewed;
    let uses = NEEDS
        .iter()
        .fold(ATTACHMENT_ONLY, |all, (usage, _)| all | *usage);
    if !known || !FLAGS.contains(query.flags) || !uses.contains(query.usage) {
        return Err(Error::FormatNotSupported);
    }
    let features = match modifier {
        Some(modifier) => row.modifier_features(modifier, hw_gen),
        None => row.image_features(hw_gen, query.tiling),
    };
    // With extended usage, the view's format must support the usage.
    let extended = query.flags.contains(C::EXTENDED_USAGE);
    let unsupported = |(usage, feature): &(api::ImageUsageFlags, api::FormatFeatureFlags2)| {
        query.usage.contains(*usage) && !features.intersects(*feature)
    };
    if features.is_empty() || !extended && NEEDS.iter().any(unsupported) {
        return Err(Error::FormatNotSupported);
    }
    let storage = query.usage.contains(api::ImageUsageFlags::STORAGE);
    if storage && row.is_untileable() {
        return Err(Error::FormatNotSupported);
    }
    // Disjoint images have several planes, or alias a plane.
    let disjoint = query.flags.contains(C::DISJOINT);
    let is_single_range = !features.contains(api::FormatFeatureFlags2::DISJOINT);
    if disjoint && is_single_range && !query.flags.contains(C::ALIAS) {
        return Err(Error::FormatNotSupported);
    }
    let planes_only = !row.is_colour() || row.planar.is_some();
    let (max_extent, max_array_layers) = max_size(row, limits, query.dimension)?;
    if query.flags.contains(C::BLOCK_TEXEL_VIEW_COMPATIBLE) && !row.is_compressed()
        || query.flags.contains(C::CUBE_COMPATIBLE) && query.dimension != T::TYPE_2D
        || (query.flags.contains(C::TYPE_2D_ARRAY_COMPATIBLE)
            || query.flags.contains(C::TYPE_2D_VIEW_COMPATIBLE_EXT))
            && query.dimension != T::TYPE_3D
    {
        return Err(Error::FormatNotSupported);
    }
    let attachment = features.intersects(
        api::FormatFeatureFlags2::COLOR_ATTACHMENT
            | api::FormatFeatureFlags2::DEPTH_STENCIL_ATTACHMENT,
    );
    let multisampled = query.tiling == api::ImageTiling::OPTIMAL
        && query.dimension == T::TYPE_2D
        && attachment
        && !query.flags.contains(C::CUBE_COMPATIBLE)
        && !storage;
    let max_array_layers = match has_slices {
        true => max_array_layers,
        false => 1,
    };
    let [width, height, depth] = max_extent;
    Ok(api::ImageFormatProperties {
        max_extent: api::Extent3D {
            width,
            height,
            depth,
        },
        max_mip_levels: match (row.planar, modifier) {
            (Some(_), _) | (_, Some(_)) => 1,
            (None, None) => width.max(height).max(depth).max(1).ilog2() + 1,
        },
        max_array_layers,
        sample_counts: match (multisampled, planes_only) {
            (false, _) => S::TYPE_1,
            (true, true) => limits.framebuffer_depth_sample_counts,
            (true, false) => limits.framebuffer_color_sample_counts,
        },
        // SKL PRM vol. 5: "Maximum Surface Size in Bytes".
        max_resource_size: 1 << 38,
    })
}
