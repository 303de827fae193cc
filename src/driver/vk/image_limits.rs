//! What images may be: uses, flags, sizes.
//!
//! In:  a format, a tiling, uses and flags. Out: the most that such an image may be, or that there is none.
//! Ref: Vulkan specification, "Image Creation Limits", "Format Feature Dependent Usage Flags".

use ash::vk as api;
use ash::vk::Format as F;
use hw::Gen;

use crate::error::{Error, Result};
use crate::format::find;
use crate::modifier::Modifier;

/// What is asked about images.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Format.
    pub format: F,
    /// Dimension.
    pub dimension: api::ImageType,
    /// Tiling.
    pub tiling: api::ImageTiling,
    /// Uses.
    pub usage: api::ImageUsageFlags,
    /// Flags.
    pub flags: api::ImageCreateFlags,
    /// Modifier, of the tiling that has one.
    pub modifier: Option<u64>,
}

/// Flags that images may have.
const FLAGS: api::ImageCreateFlags = api::ImageCreateFlags::from_raw(
    api::ImageCreateFlags::MUTABLE_FORMAT.as_raw()
        | api::ImageCreateFlags::CUBE_COMPATIBLE.as_raw()
        | api::ImageCreateFlags::ALIAS.as_raw()
        | api::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE.as_raw()
        | api::ImageCreateFlags::TYPE_2D_VIEW_COMPATIBLE_EXT.as_raw()
        | api::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE.as_raw()
        | api::ImageCreateFlags::EXTENDED_USAGE.as_raw()
        | api::ImageCreateFlags::DISJOINT.as_raw()
        // Depth lies the same wherever samples are.
        | api::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT.as_raw(),
);

/// Which feature a use needs; of several, one.
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
    // Of an attachment: either will do.
    (
        api::ImageUsageFlags::INPUT_ATTACHMENT,
        api::FormatFeatureFlags2::from_raw(
            api::FormatFeatureFlags2::COLOR_ATTACHMENT.as_raw()
                | api::FormatFeatureFlags2::DEPTH_STENCIL_ATTACHMENT.as_raw(),
        ),
    ),
];

/// Uses that need no feature of their own: the attachments they go with have one.
const FREE: api::ImageUsageFlags = api::ImageUsageFlags::from_raw(
    api::ImageUsageFlags::TRANSIENT_ATTACHMENT.as_raw()
        // In the layout that goes with it neither hierarchies nor cleared blocks are kept.
        | api::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT.as_raw(),
);

/// The most that an image can be, if there can be such a one.
pub fn image_properties(
    hw_gen: Gen,
    limits: &api::PhysicalDeviceLimits,
    ask: &Question,
) -> Result<api::ImageFormatProperties> {
    use api::{ImageCreateFlags as C, ImageType as T, SampleCountFlags as S};
    let row = find(ask.format).ok_or(Error::FormatNotSupported)?;
    let linear_or_best = [api::ImageTiling::LINEAR, api::ImageTiling::OPTIMAL];
    let modifier = match ask.tiling {
        api::ImageTiling::DRM_FORMAT_MODIFIER_EXT => ask.modifier.and_then(Modifier::of),
        _ => None,
    };
    let known = modifier.is_some() || linear_or_best.contains(&ask.tiling);
    // What others lay out is plain.
    let plain = ask.dimension == api::ImageType::TYPE_2D
        && (!ask.flags.contains(api::ImageCreateFlags::ALIAS) || ask.modifier == Some(0));
    let known = known && (modifier.is_none() || plain);
    let uses = NEEDS.iter().fold(FREE, |all, (usage, _)| all | *usage);
    if !known || !FLAGS.contains(ask.flags) || !uses.contains(ask.usage) {
        return Err(Error::FormatNotSupported);
    }
    let features = match modifier {
        Some(modifier) => row.modifier_features(modifier, hw_gen),
        None => row.image_features(hw_gen, ask.tiling),
    };
    // Where uses are extended, it is a view's format that must have them.
    let extended = ask.flags.contains(C::EXTENDED_USAGE);
    let lacks = |(usage, feature): &(api::ImageUsageFlags, api::FormatFeatureFlags2)| {
        ask.usage.contains(*usage) && !features.intersects(*feature)
    };
    if features.is_empty() || !extended && NEEDS.iter().any(lacks) {
        return Err(Error::FormatNotSupported);
    }
    let storage = ask.usage.contains(api::ImageUsageFlags::STORAGE);
    if storage && row.is_odd() {
        return Err(Error::FormatNotSupported);
    }
    // What has planes, or none that aliases another's, lies in memories of its own.
    let apart = ask.flags.contains(C::DISJOINT);
    let together = !features.contains(api::FormatFeatureFlags2::DISJOINT);
    if apart && together && !ask.flags.contains(C::ALIAS) {
        return Err(Error::FormatNotSupported);
    }
    let planes_only = !row.is_colour() || row.planar.is_some();
    let (max_extent, max_array_layers) = match ask.dimension {
        T::TYPE_1D if row.planar.is_none() && !row.is_compressed() => (
            [limits.max_image_dimension1_d, 1, 1],
            limits.max_image_array_layers,
        ),
        T::TYPE_2D => (
            [
                limits.max_image_dimension2_d,
                limits.max_image_dimension2_d,
                1,
            ],
            limits.max_image_array_layers,
        ),
        T::TYPE_3D if row.planar.is_none() => ([limits.max_image_dimension3_d; 3], 1),
        _ => return Err(Error::FormatNotSupported),
    };
    if ask.flags.contains(C::BLOCK_TEXEL_VIEW_COMPATIBLE) && !row.is_compressed()
        || ask.flags.contains(C::CUBE_COMPATIBLE) && ask.dimension != T::TYPE_2D
        || (ask.flags.contains(C::TYPE_2D_ARRAY_COMPATIBLE)
            || ask.flags.contains(C::TYPE_2D_VIEW_COMPATIBLE_EXT))
            && ask.dimension != T::TYPE_3D
    {
        return Err(Error::FormatNotSupported);
    }
    let attachment = features.intersects(
        api::FormatFeatureFlags2::COLOR_ATTACHMENT
            | api::FormatFeatureFlags2::DEPTH_STENCIL_ATTACHMENT,
    );
    let several = ask.tiling == api::ImageTiling::OPTIMAL
        && ask.dimension == T::TYPE_2D
        && attachment
        && !ask.flags.contains(C::CUBE_COMPATIBLE)
        && !storage;
    let max_array_layers = match modifier {
        Some(_) => 1,
        None => max_array_layers,
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
        sample_counts: match (several, planes_only) {
            (false, _) => S::TYPE_1,
            (true, true) => limits.framebuffer_depth_sample_counts,
            (true, false) => limits.framebuffer_color_sample_counts,
        },
        // SKL PRM vol. 5: "Maximum Surface Size in Bytes".
        max_resource_size: 1 << 38,
    })
}
