//! Every limit against the specification's table of required limits, with the features that the
//! driver supports and with all features.
//!
//! In:  vk.xml for the names and kinds of the limits (see `testing::registry`); the required values
//!      are written here.
//! Ref: Vulkan specification, "Required Limits".

use std::collections::BTreeMap;

use ash::vk::{PhysicalDeviceLimits, SampleCountFlags};
use vk::limits::{LimitInputs, limits};

use crate::testing::registry::{child_text, children, registry, structures};

/// The requirement on a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Requirement {
    Min(&'static [f64]),
    Max(f64),
    /// The lower end at most, the upper end at least.
    Range(f64, f64),
    /// At least these bits.
    Bits(u32),
    Anything,
}
use Requirement::{Anything, Bits, Max, Min, Range};

/// A limit as a list of numbers.
trait Numbers {
    fn numbers(&self) -> Vec<f64>;
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl Numbers for $ty {
            fn numbers(&self) -> Vec<f64> {
                vec![*self as f64]
            }
        })*
    };
}
numbers!(u32 i32 u64 usize f32);

impl Numbers for SampleCountFlags {
    fn numbers(&self) -> Vec<f64> {
        self.as_raw().numbers()
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(T::numbers).collect()
    }
}

/// A limit: its name, the requirement `without` a feature, the requirement otherwise, and a
/// function that reads it.
struct Row {
    name: &'static str,
    feature: &'static str,
    without: Requirement,
    with: Requirement,
    read: fn(&PhysicalDeviceLimits) -> Vec<f64>,
}

macro_rules! rows {
    ($($name:ident $(unless $feature:ident $without:expr)? => $with:expr;)*) => {
        &[$(Row {
            name: stringify!($name),
            feature: rows!(@feature $($feature)?),
            without: rows!(@without $with $(, $without)?),
            with: $with,
            read: |limits| limits.$name.numbers(),
        },)*]
    };
    (@feature) => { "" };
    (@feature $feature:ident) => { stringify!($feature) };
    (@without $with:expr) => { $with };
    (@without $with:expr, $without:expr) => { $without };
}

/// Colour, depth and stencil images have one and four samples.
const SAMPLES: Requirement = Bits(1 | 4);
const ZERO: Requirement = Min(&[0.0]);
const ONE: Requirement = Min(&[1.0]);

static ROWS: &[Row] = rows! {
    max_image_dimension1_d => Min(&[4096.0]);
    max_image_dimension2_d => Min(&[4096.0]);
    max_image_dimension3_d => Min(&[256.0]);
    max_image_dimension_cube => Min(&[4096.0]);
    max_image_array_layers => Min(&[256.0]);
    max_texel_buffer_elements => Min(&[65536.0]);
    max_uniform_buffer_range => Min(&[16384.0]);
    max_storage_buffer_range => Min(&[134_217_728.0]);
    max_push_constants_size => Min(&[128.0]);
    max_memory_allocation_count => Min(&[4096.0]);
    max_sampler_allocation_count => Min(&[4000.0]);
    buffer_image_granularity => Max(131_072.0);
    sparse_address_space_size unless sparseBinding ZERO => Min(&[2_147_483_648.0]);
    max_bound_descriptor_sets => Min(&[4.0]);
    max_per_stage_descriptor_samplers => Min(&[16.0]);
    max_per_stage_descriptor_uniform_buffers => Min(&[12.0]);
    max_per_stage_descriptor_storage_buffers => Min(&[4.0]);
    max_per_stage_descriptor_sampled_images => Min(&[16.0]);
    max_per_stage_descriptor_storage_images => Min(&[4.0]);
    max_per_stage_descriptor_input_attachments => Min(&[4.0]);
    max_per_stage_resources => Min(&[128.0]);
    max_descriptor_set_samplers => Min(&[96.0]);
    max_descriptor_set_uniform_buffers => Min(&[72.0]);
    max_descriptor_set_uniform_buffers_dynamic => Min(&[8.0]);
    max_descriptor_set_storage_buffers => Min(&[24.0]);
    max_descriptor_set_storage_buffers_dynamic => Min(&[4.0]);
    max_descriptor_set_sampled_images => Min(&[96.0]);
    max_descriptor_set_storage_images => Min(&[24.0]);
    max_descriptor_set_input_attachments => Min(&[4.0]);
    max_vertex_input_attributes => Min(&[16.0]);
    max_vertex_input_bindings => Min(&[16.0]);
    max_vertex_input_attribute_offset => Min(&[2047.0]);
    max_vertex_input_binding_stride => Min(&[2048.0]);
    max_vertex_output_components => Min(&[64.0]);
    max_tessellation_generation_level unless tessellationShader Max(0.0) => Min(&[64.0]);
    max_tessellation_patch_size unless tessellationShader Max(0.0) => Min(&[32.0]);
    max_tessellation_control_per_vertex_input_components unless tessellationShader Max(0.0) => Min(&[64.0]);
    max_tessellation_control_per_vertex_output_components unless tessellationShader Max(0.0) => Min(&[64.0]);
    max_tessellation_control_per_patch_output_components unless tessellationShader Max(0.0) => Min(&[120.0]);
    max_tessellation_control_total_output_components unless tessellationShader Max(0.0) => Min(&[2048.0]);
    max_tessellation_evaluation_input_components unless tessellationShader Max(0.0) => Min(&[64.0]);
    max_tessellation_evaluation_output_components unless tessellationShader Max(0.0) => Min(&[64.0]);
    max_geometry_shader_invocations unless geometryShader Max(0.0) => Min(&[32.0]);
    max_geometry_input_components unless geometryShader Max(0.0) => Min(&[64.0]);
    max_geometry_output_components unless geometryShader Max(0.0) => Min(&[64.0]);
    max_geometry_output_vertices unless geometryShader Max(0.0) => Min(&[256.0]);
    max_geometry_total_output_components unless geometryShader Max(0.0) => Min(&[1024.0]);
    max_fragment_input_components => Min(&[64.0]);
    max_fragment_output_attachments => Min(&[4.0]);
    max_fragment_dual_src_attachments unless dualSrcBlend Max(0.0) => ONE;
    max_fragment_combined_output_resources => Min(&[4.0]);
    max_compute_shared_memory_size => Min(&[16384.0]);
    max_compute_work_group_count => Min(&[65535.0; 3]);
    max_compute_work_group_invocations => Min(&[128.0]);
    max_compute_work_group_size => Min(&[128.0, 128.0, 64.0]);
    sub_pixel_precision_bits => Min(&[4.0]);
    sub_texel_precision_bits => Min(&[4.0]);
    mipmap_precision_bits => Min(&[4.0]);
    max_draw_indexed_index_value unless fullDrawIndexUint32 Min(&[16_777_215.0]) => Min(&[4_294_967_295.0]);
    max_draw_indirect_count unless multiDrawIndirect Max(1.0) => Min(&[65535.0]);
    max_sampler_lod_bias => Min(&[2.0]);
    max_sampler_anisotropy unless samplerAnisotropy Max(1.0) => Min(&[16.0]);
    max_viewports unless multiViewport Max(1.0) => Min(&[16.0]);
    max_viewport_dimensions => Min(&[4096.0; 2]);
    viewport_bounds_range => Range(-8192.0, 8191.0);
    viewport_sub_pixel_bits => ZERO;
    min_memory_map_alignment => Min(&[64.0]);
    min_texel_buffer_offset_alignment => Max(256.0);
    min_uniform_buffer_offset_alignment => Max(256.0);
    min_storage_buffer_offset_alignment => Max(256.0);
    min_texel_offset => Max(-8.0);
    max_texel_offset => Min(&[7.0]);
    min_texel_gather_offset unless shaderImageGatherExtended ZERO => Max(-8.0);
    max_texel_gather_offset unless shaderImageGatherExtended Max(0.0) => Min(&[7.0]);
    min_interpolation_offset unless sampleRateShading ZERO => Max(-0.5);
    // Half a pixel, minus one unit of the four-bit fraction.
    max_interpolation_offset unless sampleRateShading Max(0.0) => Min(&[0.4375]);
    sub_pixel_interpolation_offset_bits unless sampleRateShading Max(0.0) => Min(&[4.0]);
    max_framebuffer_width => Min(&[4096.0]);
    max_framebuffer_height => Min(&[4096.0]);
    max_framebuffer_layers => Min(&[256.0]);
    framebuffer_color_sample_counts => SAMPLES;
    framebuffer_depth_sample_counts => SAMPLES;
    framebuffer_stencil_sample_counts => SAMPLES;
    framebuffer_no_attachments_sample_counts => SAMPLES;
    max_color_attachments => Min(&[4.0]);
    sampled_image_color_sample_counts => SAMPLES;
    sampled_image_integer_sample_counts => Bits(1);
    sampled_image_depth_sample_counts => SAMPLES;
    sampled_image_stencil_sample_counts => SAMPLES;
    // The hardware's typed messages do not address samples, so shaderStorageImageMultisample is not
    // supported.
    storage_image_sample_counts => Bits(1);
    max_sample_mask_words => ONE;
    timestamp_compute_and_graphics => Anything;
    timestamp_period => Anything;
    max_clip_distances unless shaderClipDistance Max(0.0) => Min(&[8.0]);
    max_cull_distances unless shaderCullDistance Max(0.0) => Min(&[8.0]);
    max_combined_clip_and_cull_distances unless shaderClipDistance Max(0.0) => Min(&[8.0]);
    discrete_queue_priorities => Min(&[2.0]);
    // The largest sizes are 64 and 8, minus one step.
    point_size_range unless largePoints Max(1.0) => Range(1.0, 63.875);
    line_width_range unless wideLines Max(1.0) => Range(1.0, 7.9921875);
    point_size_granularity unless largePoints Max(0.0) => Max(1.0);
    line_width_granularity unless wideLines Max(0.0) => Max(1.0);
    strict_lines => Anything;
    standard_sample_locations => Anything;
    optimal_buffer_copy_offset_alignment => Anything;
    optimal_buffer_copy_row_pitch_alignment => Anything;
    non_coherent_atom_size => Max(256.0);
};

/// Whether a limit's values meet a requirement.
fn is_met(requirement: Requirement, found: &[f64]) -> bool {
    match requirement {
        Min(minimum) => {
            let minimum = minimum.iter().copied().cycle();
            found
                .iter()
                .zip(minimum)
                .all(|(found, minimum)| *found >= minimum)
        }
        Max(maximum) => found.iter().all(|found| *found <= maximum),
        Range(low, high) => matches!(*found, [from, to] if from <= low && to >= high),
        Bits(bits) => matches!(*found, [value] if value as u32 & bits == bits),
        Anything => true,
    }
}

/// The smallest GPU that the driver supports, and a common one.
const BASES: [LimitInputs; 2] = [
    LimitInputs {
        timestamp_hz: 19_200_000,
        workgroup_threads: 18,
        slm_bytes: 65536,
        urb_bytes: 128 << 10,
    },
    LimitInputs {
        timestamp_hz: 12_000_000,
        workgroup_threads: 56,
        slm_bytes: 65536,
        urb_bytes: 384 << 10,
    },
];

#[test]
fn limits_meet_the_specification() {
    let gpu = hw::Device::by_name("skl").unwrap();
    let supported = |name: &str| vk::feature::offers(gpu, name);
    for basis in &BASES {
        let (actual, all) = (limits(basis, supported), limits(basis, |_| true));
        for row in ROWS {
            let has_feature = row.feature.is_empty() || supported(row.feature);
            let need = if has_feature { row.with } else { row.without };
            let found = (row.read)(&actual);
            assert!(
                is_met(need, &found),
                "{}: {found:?}, not {need:?}",
                row.name
            );
            // Support for sparse memory is not planned.
            if row.feature != "sparseBinding" {
                let found = (row.read)(&all);
                assert!(
                    is_met(row.with, &found),
                    "{}: {found:?}, not {:?}",
                    row.name,
                    row.with
                );
            }
        }
    }
}

/// Vulkan 1.4, "Required Limits": what it raises.
const RAISED_BY_1_4: &[(&str, Requirement)] = &[
    ("max_image_dimension1_d", Min(&[8192.0])),
    ("max_image_dimension2_d", Min(&[8192.0])),
    ("max_image_dimension3_d", Min(&[512.0])),
    ("max_image_dimension_cube", Min(&[8192.0])),
    ("max_image_array_layers", Min(&[2048.0])),
    ("max_uniform_buffer_range", Min(&[65536.0])),
    ("max_push_constants_size", Min(&[256.0])),
    ("buffer_image_granularity", Max(4096.0)),
    ("max_bound_descriptor_sets", Min(&[7.0])),
    ("max_per_stage_descriptor_uniform_buffers", Min(&[15.0])),
    ("max_per_stage_resources", Min(&[200.0])),
    ("max_descriptor_set_uniform_buffers", Min(&[90.0])),
    ("max_descriptor_set_storage_buffers", Min(&[96.0])),
    ("max_descriptor_set_storage_images", Min(&[144.0])),
    ("max_fragment_combined_output_resources", Min(&[16.0])),
    ("max_compute_work_group_invocations", Min(&[256.0])),
    ("max_compute_work_group_size", Min(&[256.0, 256.0, 64.0])),
    ("sub_texel_precision_bits", Min(&[8.0])),
    ("mipmap_precision_bits", Min(&[6.0])),
    ("max_sampler_lod_bias", Min(&[14.0])),
    ("max_viewport_dimensions", Min(&[8192.0, 8192.0])),
    ("max_framebuffer_width", Min(&[8192.0])),
    ("max_framebuffer_height", Min(&[8192.0])),
    ("max_color_attachments", Min(&[8.0])),
    ("timestamp_compute_and_graphics", Min(&[1.0])),
    ("standard_sample_locations", Min(&[1.0])),
    ("point_size_granularity", Max(0.125)),
    ("line_width_granularity", Max(0.5)),
];

#[test]
fn limits_meet_version_1_4() {
    let gpu = hw::Device::by_name("skl").unwrap();
    for basis in &BASES {
        let actual = limits(basis, |name| vk::feature::offers(gpu, name));
        for (name, need) in RAISED_BY_1_4 {
            let row = ROWS.iter().find(|row| row.name == *name);
            let found = (row.unwrap_or_else(|| panic!("no limit {name}")).read)(&actual);
            assert!(is_met(*need, &found), "{name}: {found:?}, not {need:?}");
        }
    }
}

#[test]
fn every_limit_has_a_row() {
    let Some(tree) = registry() else { return };
    let camel = |name: &str| {
        let mut parts = name.split('_');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (first, rest) = part.split_at(1);
            text += &first.to_uppercase();
            text += rest;
        }
        text
    };
    let rows: BTreeMap<_, _> = ROWS.iter().map(|row| (camel(row.name), row)).collect();
    let members: Vec<_> = children(structures(tree)["VkPhysicalDeviceLimits"], "member").collect();
    assert_eq!((rows.len(), ROWS.len()), (members.len(), members.len()));
    for member in members {
        let name = child_text(member, "name");
        let need = rows[name].with;
        let kind = member.attribute("limittype").unwrap_or_default();
        let fits = match kind.split(',').next().unwrap_or_default() {
            // Applications rely on mappings aligned to at least this, so it has a minimum.
            "min" if name == "minMemoryMapAlignment" => matches!(need, Min(_)),
            "min" => matches!(need, Max(_) | Anything),
            "max" if child_text(member, "type") == "VkBool32" => matches!(need, Anything),
            "max" | "bits" => matches!(need, Min(_)),
            "bitmask" => matches!(need, Bits(_) | Anything),
            "range" => matches!(need, Range(..)),
            _ => false,
        };
        assert!(fits, "{name} is {kind:?}, its row says {need:?}");
    }
}
