//! The structures against Khronos' registry.

use std::mem::offset_of;

use super::*;
use crate::testing::registry::{child_text, children, registry, structures};

macro_rules! check_members {
    ($tree:ident: $ty:ident [$($member:ident)*]) => {
        let node = structures($tree)[concat!("Vk", stringify!($ty))];
        let members = children(node, "member").map(|member| child_text(member, "name"));
        let wanted: Vec<_> = members.skip(2).collect();
        let mut have = vec![$((offset_of!($ty<'_>, $member), stringify!($member))),*];
        have.sort_unstable();
        let squeezed = |name: &str| name.replace('_', "").to_lowercase();
        let have: Vec<_> = have.into_iter().map(|(_, name)| squeezed(name)).collect();
        assert_eq!(have, wanted.iter().map(|name| squeezed(name)).collect::<Vec<_>>());
    };
}

#[test]
fn members_are_in_the_registrys_order() {
    let Some(tree) = registry() else { return };
    check_members!(tree: PhysicalDeviceVulkan14Properties [
        line_sub_pixel_precision_bits max_vertex_attrib_divisor supports_non_zero_first_instance
        max_push_descriptors dynamic_rendering_local_read_depth_stencil_attachments
        dynamic_rendering_local_read_multisampled_attachments
        early_fragment_multisample_coverage_after_sample_counting
        early_fragment_sample_mask_test_before_sample_counting depth_stencil_swizzle_one_support
        polygon_mode_point_size non_strict_single_pixel_wide_lines_use_parallelogram
        non_strict_wide_lines_use_parallelogram block_texel_view_compatible_multiple_layers
        max_combined_image_sampler_descriptor_count fragment_shading_rate_clamp_combiner_inputs
        default_robustness_storage_buffers default_robustness_uniform_buffers
        default_robustness_vertex_inputs default_robustness_images copy_src_layout_count
        p_copy_src_layouts copy_dst_layout_count p_copy_dst_layouts optimal_tiling_layout_uuid
        identical_memory_type_requirements
    ]);
}
