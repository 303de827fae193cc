//! `VkPhysicalDeviceLimits`.
//!
//! In:  the device, and the features that it supports. Out: its limits: those of the hardware (SKL
//!      PRM vol. 2d, surface state and viewport fields), or the specification's values if the
//!      feature that reaches them is not supported.
//! Ref: Vulkan specification, "Limits", "Required Limits"; a test of `icd` checks every member
//!      against that table.

use ash::vk as api;

/// Maximum draws of a multi-draw command.
pub const MAX_MULTI_DRAWS: u32 = 2048;
/// Maximum width and height of a framebuffer.
pub const MAX_FRAMEBUFFER_PX: u32 = 1 << 14;
/// Valid bits of a timestamp (SKL PRM vol. 2c, TIMESTAMP: 36 bits).
pub const TIMESTAMP_BITS: u32 = 36;
/// Bytes of push constants.
pub const MAX_PUSH_CONSTANTS_BYTES: u32 = 256;
/// Maximum number of bound descriptor sets.
pub const MAX_SETS: u32 = cmd::SETS as u32;
/// Maximum dynamic buffers of one kind in a pipeline layout.
pub const MAX_DYNAMIC_BUFFERS: u32 = 8;
/// Maximum size of a RAW buffer surface, whose last byte has 32 bits (SKL PRM vol. 2d,
/// RENDER_SURFACE_STATE: Width has bits 6:0 of it, Height 20:7, Depth 31:21), as a number of 32
/// bits.
pub const MAX_SURFACE_BYTES: u64 = u32::MAX as u64;
/// Maximum texels of a buffer (RENDER_SURFACE_STATE's Width, Height and Depth of a typed buffer: 27
/// bits).
pub const MAX_TEXEL_BUFFER_ELEMENTS: u32 = 1 << 27;
/// Alignment of a uniform buffer's offset: one cache line, so that no vector straddles two.
pub const UNIFORM_OFFSET_ALIGNMENT: u64 = 64;
/// Alignment of a storage buffer's offset: RAW surfaces start at a dword (SKL PRM vol. 2d,
/// RENDER_SURFACE_STATE, Surface Base Address).
pub const STORAGE_OFFSET_ALIGNMENT: u64 = 4;
/// Maximum push descriptors of a set.
pub const MAX_PUSH_DESCRIPTORS: u32 = 32;
/// Maximum bytes of an inline uniform block.
pub const MAX_INLINE_BLOCK_BYTES: u32 = 4096;
/// Maximum number of samplers with custom border colours; the address range has room for many more.
pub const MAX_CUSTOM_BORDERS: u32 = 4096;
/// Maximum descriptors of one kind in a stage or set with update after bind. Sets with so many
/// descriptors are not in the bindless heap (see `descriptor`); as many different views may be
/// used as the heap has surfaces.
pub const UPDATE_AFTER_BIND_DESCRIPTORS: u32 = 1 << 20;
/// Maximum descriptors with update after bind of all kinds in a stage.
pub const UPDATE_AFTER_BIND_RESOURCES: u32 = 8 * UPDATE_AFTER_BIND_DESCRIPTORS;
/// Maximum descriptors with update after bind in all pools: 1 GiB of descriptors.
pub const UPDATE_AFTER_BIND_POOL_DESCRIPTORS: u32 = 64 * UPDATE_AFTER_BIND_DESCRIPTORS;
/// Maximum vertex attribute divisor: a sixteenth of the field's range, as views multiply instances.
pub const MAX_VERTEX_DIVISOR: u32 = u32::MAX / 16;
/// Supported sample counts.
pub const SAMPLE_COUNTS: api::SampleCountFlags = api::SampleCountFlags::from_raw(0x1f);
/// Maximum transform feedback streams and buffers.
pub const CAPTURE_STREAMS: u32 = abi::STREAMS as u32;
/// See [`CAPTURE_STREAMS`].
pub const CAPTURE_BUFFERS: u32 = abi::CAPTURE_BUFFERS as u32;
/// Maximum vertex stride in a transform feedback buffer (SKL PRM vol. 2a, 3DSTATE_STREAMOUT, Buffer
/// n Surface Pitch).
pub const MAX_CAPTURE_STRIDE_BYTES: u32 = 2048;
/// Maximum bytes of a captured vertex, in a buffer and in a stream: a stream has 128 declarations.
pub const MAX_CAPTURE_BYTES: u32 = 128 * 4;
/// Maximum vertex stride (SKL PRM vol. 2d, VERTEX_BUFFER_STATE, Buffer Pitch: 12 bits).
pub const MAX_VERTEX_STRIDE_BYTES: u32 = 4095;
/// Maximum descriptors of one kind in a stage or set.
const DESCRIPTORS: u32 = 1 << 16;

/// Device properties that limits depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitInputs {
    /// Timestamp counter frequency.
    pub timestamp_hz: u64,
    /// Maximum threads of a workgroup (those of one subslice, at most 64).
    pub workgroup_threads: u32,
    /// Shared local memory of a workgroup, in bytes.
    pub slm_bytes: u32,
    /// Bytes of a slice's URB while draws run.
    pub urb_bytes: u32,
}

/// Maximum components of a control point, of a tessellation control shader's outputs. With a URB of
/// one L3 bank, the largest patch beside the largest vertices of all other stages has 16 KiB.
fn control_point_components(urb_bytes: u32) -> u32 {
    const ONE_BANK_BYTES: u32 = 128 << 10;
    if urb_bytes <= ONE_BANK_BYTES {
        104
    } else {
        128
    }
}

/// The limits of a device. `offers` tells whether it supports a feature.
pub fn limits(basis: &LimitInputs, offers: impl Fn(&str) -> bool) -> api::PhysicalDeviceLimits {
    let when = |feature: &str, value: u32| if offers(feature) { value } else { 0 };
    let one_or = |feature: &str, value: u32| when(feature, value).max(1);
    let real = |feature: &str, value: f32| if offers(feature) { value } else { 0.0 };
    let sizes = |feature: &str, range: [f32; 2]| if offers(feature) { range } else { [1.0; 2] };
    let (tessellation, geometry) = ("tessellationShader", "geometryShader");
    let (sampled, gather) = ("sampleRateShading", "shaderImageGatherExtended");
    let (clip, cull) = ("shaderClipDistance", "shaderCullDistance");
    let invocations = (basis.workgroup_threads * 32).min(1024);
    // 1, 2, 4, 8 and 16.
    let samples = SAMPLE_COUNTS;
    api::PhysicalDeviceLimits {
        max_image_dimension1_d: 1 << 14,
        max_image_dimension2_d: 1 << 14,
        max_image_dimension3_d: 1 << 11,
        max_image_dimension_cube: 1 << 14,
        max_image_array_layers: 1 << 11,
        max_texel_buffer_elements: MAX_TEXEL_BUFFER_ELEMENTS,
        max_uniform_buffer_range: 1 << 27,
        max_storage_buffer_range: MAX_SURFACE_BYTES as u32,
        max_push_constants_size: MAX_PUSH_CONSTANTS_BYTES,
        max_memory_allocation_count: u32::MAX,
        max_sampler_allocation_count: 64 * 1024,
        buffer_image_granularity: 1,
        sparse_address_space_size: 0,
        max_bound_descriptor_sets: MAX_SETS,
        max_per_stage_descriptor_samplers: DESCRIPTORS,
        max_per_stage_descriptor_uniform_buffers: DESCRIPTORS,
        max_per_stage_descriptor_storage_buffers: DESCRIPTORS,
        max_per_stage_descriptor_sampled_images: DESCRIPTORS,
        max_per_stage_descriptor_storage_images: DESCRIPTORS,
        max_per_stage_descriptor_input_attachments: 64,
        max_per_stage_resources: DESCRIPTORS,
        max_descriptor_set_samplers: DESCRIPTORS,
        max_descriptor_set_uniform_buffers: DESCRIPTORS,
        max_descriptor_set_uniform_buffers_dynamic: MAX_DYNAMIC_BUFFERS,
        max_descriptor_set_storage_buffers: DESCRIPTORS,
        max_descriptor_set_storage_buffers_dynamic: MAX_DYNAMIC_BUFFERS,
        max_descriptor_set_sampled_images: DESCRIPTORS,
        max_descriptor_set_storage_images: DESCRIPTORS,
        max_descriptor_set_input_attachments: 256,
        // The components of all attributes must fit into a thread's payload, a register each.
        max_vertex_input_attributes: 28,
        max_vertex_input_bindings: cmd::draw::state::VERTEX_BUFFERS as u32,
        max_vertex_input_attribute_offset: 2047,
        max_vertex_input_binding_stride: MAX_VERTEX_STRIDE_BYTES,
        max_vertex_output_components: 128,
        max_tessellation_generation_level: when(tessellation, 64),
        max_tessellation_patch_size: when(tessellation, 32),
        max_tessellation_control_per_vertex_input_components: when(tessellation, 128),
        max_tessellation_control_per_vertex_output_components: when(
            tessellation,
            control_point_components(basis.urb_bytes),
        ),
        max_tessellation_control_per_patch_output_components: when(tessellation, 128),
        max_tessellation_control_total_output_components: when(tessellation, 2048),
        max_tessellation_evaluation_input_components: when(tessellation, 128),
        max_tessellation_evaluation_output_components: when(tessellation, 128),
        max_geometry_shader_invocations: when(geometry, 32),
        max_geometry_input_components: when(geometry, 128),
        max_geometry_output_components: when(geometry, 128),
        max_geometry_output_vertices: when(geometry, 256),
        max_geometry_total_output_components: when(geometry, 1024),
        max_fragment_input_components: 116,
        max_fragment_output_attachments: 8,
        max_fragment_dual_src_attachments: when("dualSrcBlend", 1),
        max_fragment_combined_output_resources: 2 * DESCRIPTORS + 8,
        max_compute_shared_memory_size: basis.slm_bytes,
        // GPGPU_WALKER counts in 32 bits; signed ones are safe for applications.
        max_compute_work_group_count: [i32::MAX as u32, 65535, 65535],
        max_compute_work_group_invocations: invocations,
        max_compute_work_group_size: [invocations; 3],
        sub_pixel_precision_bits: 8,
        sub_texel_precision_bits: 8,
        mipmap_precision_bits: 8,
        max_draw_indexed_index_value: if offers("fullDrawIndexUint32") {
            u32::MAX
        } else {
            (1 << 24) - 1
        },
        max_draw_indirect_count: one_or("multiDrawIndirect", u32::MAX),
        max_sampler_lod_bias: 16.0,
        max_sampler_anisotropy: real("samplerAnisotropy", 16.0).max(1.0),
        max_viewports: one_or("multiViewport", 16),
        max_viewport_dimensions: [1 << 14; 2],
        viewport_bounds_range: [-32768.0, 32767.0],
        viewport_sub_pixel_bits: 13,
        min_memory_map_alignment: 4096,
        min_texel_buffer_offset_alignment: 16,
        min_uniform_buffer_offset_alignment: UNIFORM_OFFSET_ALIGNMENT,
        min_storage_buffer_offset_alignment: STORAGE_OFFSET_ALIGNMENT,
        min_texel_offset: -8,
        max_texel_offset: 7,
        min_texel_gather_offset: if offers(gather) { -32 } else { 0 },
        max_texel_gather_offset: when(gather, 31),
        min_interpolation_offset: real(sampled, -0.5),
        max_interpolation_offset: real(sampled, 0.4375),
        sub_pixel_interpolation_offset_bits: when(sampled, 4),
        max_framebuffer_width: MAX_FRAMEBUFFER_PX,
        max_framebuffer_height: MAX_FRAMEBUFFER_PX,
        max_framebuffer_layers: 1 << 11,
        framebuffer_color_sample_counts: samples,
        framebuffer_depth_sample_counts: samples,
        framebuffer_stencil_sample_counts: samples,
        framebuffer_no_attachments_sample_counts: samples,
        max_color_attachments: 8,
        sampled_image_color_sample_counts: samples,
        sampled_image_integer_sample_counts: samples,
        sampled_image_depth_sample_counts: samples,
        sampled_image_stencil_sample_counts: samples,
        storage_image_sample_counts: api::SampleCountFlags::TYPE_1,
        max_sample_mask_words: 1,
        timestamp_compute_and_graphics: api::TRUE,
        timestamp_period: (1e9 / basis.timestamp_hz.max(1) as f64) as f32,
        max_clip_distances: when(clip, 8),
        max_cull_distances: when(cull, 8),
        max_combined_clip_and_cull_distances: when(clip, 8).max(when(cull, 8)),
        discrete_queue_priorities: 2,
        point_size_range: sizes("largePoints", [0.125, 255.875]),
        line_width_range: sizes("wideLines", [0.0, 8.0]),
        point_size_granularity: real("largePoints", 0.125),
        line_width_granularity: real("wideLines", 0.0078125),
        strict_lines: api::FALSE,
        standard_sample_locations: api::TRUE,
        optimal_buffer_copy_offset_alignment: 64,
        optimal_buffer_copy_row_pitch_alignment: 64,
        non_coherent_atom_size: 64,
    }
}

#[cfg(test)]
mod tests;
