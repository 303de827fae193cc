//! The key of a graphics pipeline: all its parameters as words.
//!
//! In:  [`GraphicsPipelineInfo`]. Out: a key by which a pipeline cache retains the pipeline.

use ash::vk as api;

use super::library::{GraphicsPipelineInfo, TestReads};
use super::state::FixedInfo;
use crate::context::Context;
use crate::pipeline_key::{KeyWords, Parameter, may_be_retained};

/// Enumerations and flags of the API.
macro_rules! raw_parameters {
    ($($name:ident)*) => {
        $(impl Parameter for api::$name {
            fn write(&self, key: &mut KeyWords) {
                key.add(&self.as_raw());
            }
        })*
    };
}

/// Structures of the API: the members in the key, then those that are not in it.
macro_rules! structure_parameters {
    ($($name:ident($($member:ident),*; $($other:ident),*))*) => {
        $(impl Parameter for api::$name {
            fn write(&self, key: &mut KeyWords) {
                let Self { $($member,)* $($other: _,)* } = self;
                $(key.add($member);)*
            }
        })*
    };
}

/// Structures of the API with a chain, whose relevant structures [`FixedInfo`] names.
macro_rules! create_info_parameters {
    ($($name:ident($($member:ident),*; $($other:ident),*))*) => {
        $(impl Parameter for api::$name<'_> {
            fn write(&self, key: &mut KeyWords) {
                let Self {
                    $($member,)* $($other: _,)* s_type: _, p_next: _, _marker: _,
                } = self;
                $(key.add($member);)*
            }
        })*
    };
}

raw_parameters! {
    BlendFactor BlendOp ColorComponentFlags CompareOp ConservativeRasterizationModeEXT
    CullModeFlags DynamicState Format FrontFace LogicOp PipelineColorBlendStateCreateFlags
    PipelineDepthStencilStateCreateFlags PolygonMode PrimitiveTopology SampleCountFlags StencilOp
    LineRasterizationModeEXT VertexInputRate
}

structure_parameters! {
    VertexInputBindingDescription(binding, stride, input_rate;)
    VertexInputAttributeDescription(location, binding, format, offset;)
    VertexInputBindingDivisorDescriptionEXT(binding, divisor;)
    Viewport(x, y, width, height, min_depth, max_depth;)
    Offset2D(x, y;)
    Extent2D(width, height;)
    Rect2D(offset, extent;)
    SampleLocationEXT(x, y;)
    StencilOpState(
        fail_op, pass_op, depth_fail_op, compare_op, compare_mask, write_mask, reference;
    )
    PipelineColorBlendAttachmentState(
        blend_enable, src_color_blend_factor, dst_color_blend_factor, color_blend_op,
        src_alpha_blend_factor, dst_alpha_blend_factor, alpha_blend_op, color_write_mask;
    )
}

create_info_parameters! {
    PipelineRasterizationStateCreateInfo(
        depth_clamp_enable, rasterizer_discard_enable, polygon_mode, cull_mode, front_face,
        depth_bias_enable, depth_bias_constant_factor, depth_bias_clamp, depth_bias_slope_factor,
        line_width; flags
    )
    SampleLocationsInfoEXT(
        sample_locations_per_pixel, sample_location_grid_size, sample_locations_count;
        p_sample_locations
    )
    PipelineRasterizationLineStateCreateInfoEXT(
        line_rasterization_mode, stippled_line_enable, line_stipple_factor, line_stipple_pattern;
    )
    PipelineMultisampleStateCreateInfo(
        rasterization_samples, sample_shading_enable, min_sample_shading, alpha_to_coverage_enable,
        alpha_to_one_enable; flags, p_sample_mask
    )
    PipelineDepthStencilStateCreateInfo(
        flags, depth_test_enable, depth_write_enable, depth_compare_op, depth_bounds_test_enable,
        stencil_test_enable, front, back, min_depth_bounds, max_depth_bounds;
    )
    PipelineColorBlendStateCreateInfo(
        flags, logic_op_enable, logic_op, attachment_count, blend_constants; p_attachments
    )
}

impl Parameter for TestReads {
    fn write(&self, key: &mut KeyWords) {
        let Self {
            declared,
            input_attachments,
            attachments,
        } = self;
        key.add(declared).add(input_attachments).add(attachments);
    }
}

impl Parameter for FixedInfo<'_> {
    fn write(&self, key: &mut KeyWords) {
        let Self {
            parts,
            bindings,
            attributes,
            divisors,
            assembly,
            patch_points,
            lower_left,
            viewport_counts,
            near_at_minus_w,
            clamp_range,
            viewports,
            scissors,
            raster,
            absolute_bias,
            conservative,
            located,
            locations,
            sample_locations,
            stream,
            provoking_last,
            depth_clip,
            lines,
            multisample,
            sample_mask,
            depth_stencil,
            ignores_depth_stencil,
            ignored_targets,
            blend,
            blend_targets,
            colour_writes,
            dynamic,
        } = self;
        key.add(&parts.bits());
        key.add(bindings).add(attributes).add(divisors);
        key.add(assembly).add(patch_points).add(lower_left);
        key.add(viewport_counts).add(near_at_minus_w);
        key.add(clamp_range).add(viewports).add(scissors);
        key.add(raster).add(absolute_bias).add(conservative);
        key.add(located).add(locations).add(sample_locations);
        key.add(stream).add(provoking_last).add(depth_clip);
        key.add(lines).add(multisample).add(sample_mask);
        key.add(depth_stencil).add(ignores_depth_stencil);
        key.add(ignored_targets).add(blend).add(blend_targets);
        key.add(colour_writes).add(dynamic);
    }
}

/// The key of a pipeline. `None`: a pipeline cache cannot retain it, as its parts are those of
/// libraries or binaries, or must be compiled.
pub(crate) fn key(context: &Context, info: &GraphicsPipelineInfo<'_>) -> Option<KeyWords> {
    let GraphicsPipelineInfo {
        libraries,
        link_time_optimization,
        cached_only: _,
        binaries,
        layout,
        stages,
        fixed,
        views,
        reads_tests,
    } = info;
    let is_whole = libraries.is_empty() && binaries.is_empty();
    if !is_whole || !stages.iter().all(|stage| may_be_retained(context, stage)) {
        return None;
    }
    let mut key = KeyWords::new();
    key.add(link_time_optimization).add(&layout.as_deref());
    key.add(&stages.as_slice()).add(fixed);
    key.add(views).add(reads_tests);
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::super::parts::Parts;
    use super::*;

    /// Every member of the state, and every member of its structures, is in the key.
    #[test]
    fn states_that_differ_in_one_member_have_different_keys() {
        let mut keys = Vec::new();
        let base = FixedInfo {
            parts: Parts::all(),
            ..FixedInfo::default()
        };
        let mut add = |info: &FixedInfo<'_>| {
            let mut key = KeyWords::new();
            key.add(info);
            keys.push(format!("{key:?}"));
        };
        /// Changes a list to one structure, with a member that differs from the default.
        macro_rules! lists {
            ($($list:ident: $name:ident($($member:ident),*);)*) => {
                $($(
                    let mut element = api::$name::default();
                    differ(&mut element.$member);
                    let $list = std::slice::from_ref(&element);
                    add(&FixedInfo { $list, ..base });
                )*)*
            };
        }
        /// Gives an option a structure, with a member that differs from the default.
        macro_rules! structures {
            ($($option:ident: $name:ident($($member:ident $(. $inner:ident)?),*);)*) => {
                $($(
                    let mut structure = api::$name::default();
                    differ(&mut structure.$member $(. $inner)?);
                    let $option = Some(&structure);
                    add(&FixedInfo { $option, ..base });
                )*)*
            };
        }
        lists! {
            bindings: VertexInputBindingDescription(binding, stride, input_rate);
            attributes: VertexInputAttributeDescription(location, binding, format, offset);
            divisors: VertexInputBindingDivisorDescriptionEXT(binding, divisor);
            viewports: Viewport(x, y, width, height, min_depth, max_depth);
            scissors: Rect2D(offset, extent);
            sample_locations: SampleLocationEXT(x, y);
            blend_targets: PipelineColorBlendAttachmentState(
                blend_enable, src_color_blend_factor, dst_color_blend_factor, color_blend_op,
                src_alpha_blend_factor, dst_alpha_blend_factor, alpha_blend_op, color_write_mask
            );
        }
        structures! {
            raster: PipelineRasterizationStateCreateInfo(
                depth_clamp_enable, rasterizer_discard_enable, polygon_mode, cull_mode, front_face,
                depth_bias_enable, depth_bias_constant_factor, depth_bias_clamp,
                depth_bias_slope_factor, line_width
            );
            locations: SampleLocationsInfoEXT(
                sample_locations_per_pixel, sample_location_grid_size, sample_locations_count
            );
            lines: PipelineRasterizationLineStateCreateInfoEXT(
                line_rasterization_mode, stippled_line_enable, line_stipple_factor,
                line_stipple_pattern
            );
            multisample: PipelineMultisampleStateCreateInfo(
                rasterization_samples, sample_shading_enable, min_sample_shading,
                alpha_to_coverage_enable, alpha_to_one_enable
            );
            depth_stencil: PipelineDepthStencilStateCreateInfo(
                flags, depth_test_enable, depth_write_enable, depth_compare_op,
                depth_bounds_test_enable, stencil_test_enable, front.fail_op, front.pass_op,
                front.depth_fail_op, front.compare_op, front.compare_mask, front.write_mask,
                front.reference, back.reference, min_depth_bounds, max_depth_bounds
            );
            blend: PipelineColorBlendStateCreateInfo(
                flags, logic_op_enable, logic_op, attachment_count, blend_constants
            );
        }
        /// Changes a member to a value that differs from the default.
        macro_rules! members {
            ($($member:ident = $value:expr;)*) => { $(add(&FixedInfo { $member: $value, ..base });)* };
        }
        members! {
            parts = Parts::VERTEX_INPUT;
            assembly = Some((api::PrimitiveTopology::POINT_LIST, false));
            assembly = Some((api::PrimitiveTopology::LINE_LIST, false));
            assembly = Some((api::PrimitiveTopology::LINE_LIST, true));
            patch_points = 3;
            lower_left = true;
            viewport_counts = [1, 0];
            viewport_counts = [0, 1];
            near_at_minus_w = true;
            clamp_range = Some([0.0, 1.0]);
            absolute_bias = true;
            conservative = Some(api::ConservativeRasterizationModeEXT::OVERESTIMATE);
            located = true;
            stream = 1;
            provoking_last = true;
            depth_clip = Some(false);
            depth_clip = Some(true);
            sample_mask = Some(1);
            ignores_depth_stencil = [true, false];
            ignores_depth_stencil = [false, true];
            ignored_targets = 1;
            colour_writes = &[1];
            dynamic = &[api::DynamicState::VIEWPORT];
        }
        add(&base);
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    /// Changes a value to another one.
    fn differ<T: Different>(value: &mut T) {
        *value = T::DIFFERENT;
    }

    /// A value that is not the default.
    trait Different {
        const DIFFERENT: Self;
    }

    macro_rules! different {
        ($($name:ty = $value:expr;)*) => {
            $(impl Different for $name {
                const DIFFERENT: Self = $value;
            })*
        };
    }

    different! {
        u32 = 5;
        u16 = 6;
        f32 = 0.25;
        [f32; 4] = [0.0, 0.0, 0.0, 1.0];
        api::BlendFactor = api::BlendFactor::ONE;
        api::BlendOp = api::BlendOp::MAX;
        api::ColorComponentFlags = api::ColorComponentFlags::G;
        api::CompareOp = api::CompareOp::LESS;
        api::CullModeFlags = api::CullModeFlags::BACK;
        api::Extent2D = api::Extent2D { width: 0, height: 1 };
        api::Format = api::Format::R8_UNORM;
        api::FrontFace = api::FrontFace::CLOCKWISE;
        api::LineRasterizationModeEXT = api::LineRasterizationModeEXT::BRESENHAM;
        api::LogicOp = api::LogicOp::XOR;
        api::Offset2D = api::Offset2D { x: 0, y: -1 };
        api::PipelineColorBlendStateCreateFlags =
            api::PipelineColorBlendStateCreateFlags::from_raw(1);
        api::PipelineDepthStencilStateCreateFlags =
            api::PipelineDepthStencilStateCreateFlags::from_raw(1);
        api::PolygonMode = api::PolygonMode::LINE;
        api::SampleCountFlags = api::SampleCountFlags::TYPE_4;
        api::StencilOp = api::StencilOp::INVERT;
        api::VertexInputRate = api::VertexInputRate::INSTANCE;
    }
}
