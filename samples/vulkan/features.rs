//! Features and extensions that programs request of a device.

use ash::vk;
use std::ffi::CStr;

/// A feature of Vulkan 1.0.
#[derive(Clone, Copy)]
pub struct Feature {
    /// Name of its field in VkPhysicalDeviceFeatures.
    pub name: &'static str,
    pub(super) field: fn(&mut vk::PhysicalDeviceFeatures) -> &mut vk::Bool32,
}

/// Vulkan 1.0 features that samples and test scenes request.
pub mod feature {
    use crate::vulkan::features::Feature;

    macro_rules! features {
        ($($constant:ident $name:literal $field:ident;)*) => {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $constant: Feature = Feature { name: $name, field: |f| &mut f.$field };
            )*
        };
    }

    features! {
        ALPHA_TO_ONE "alphaToOne" alpha_to_one;
        ANISOTROPY "samplerAnisotropy" sampler_anisotropy;
        CLIP_DISTANCE "shaderClipDistance" shader_clip_distance;
        COMPRESSED_BC "textureCompressionBC" texture_compression_bc;
        CULL_DISTANCE "shaderCullDistance" shader_cull_distance;
        CUBE_ARRAY "imageCubeArray" image_cube_array;
        DEPTH_BIAS_CLAMP "depthBiasClamp" depth_bias_clamp;
        DEPTH_BOUNDS "depthBounds" depth_bounds;
        DEPTH_CLAMP "depthClamp" depth_clamp;
        DUAL_SOURCE "dualSrcBlend" dual_src_blend;
        FIRST_INSTANCE "drawIndirectFirstInstance" draw_indirect_first_instance;
        FILL_MODES "fillModeNonSolid" fill_mode_non_solid;
        FRAGMENT_STORES "fragmentStoresAndAtomics" fragment_stores_and_atomics;
        FLOAT64 "shaderFloat64" shader_float64;
        GATHER_EXTENDED "shaderImageGatherExtended" shader_image_gather_extended;
        GEOMETRY "geometryShader" geometry_shader;
        FULL_INDICES "fullDrawIndexUint32" full_draw_index_uint32;
        INDEPENDENT_BLEND "independentBlend" independent_blend;
        INHERITED_QUERIES "inheritedQueries" inherited_queries;
        LARGE_POINTS "largePoints" large_points;
        LOGIC_OP "logicOp" logic_op;
        MULTI_DRAW_INDIRECT "multiDrawIndirect" multi_draw_indirect;
        MULTI_VIEWPORT "multiViewport" multi_viewport;
        PRECISE_OCCLUSION "occlusionQueryPrecise" occlusion_query_precise;
        SAMPLE_RATE "sampleRateShading" sample_rate_shading;
        STATISTICS "pipelineStatisticsQuery" pipeline_statistics_query;
        TESSELLATION "tessellationShader" tessellation_shader;
    }
}

/// A device extension. All features of it that the device offers are enabled.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Its name.
    pub name: &'static CStr,
    /// Type of its feature structure, and the number of features in it.
    pub features: Option<(vk::StructureType, usize)>,
}

/// Extensions that samples and test scenes request.
pub mod extension {
    use crate::vulkan::features::Extension;
    use ash::{ext, vk};

    const fn with(
        name: &'static std::ffi::CStr,
        s_type: vk::StructureType,
        features: usize,
    ) -> Extension {
        Extension {
            name,
            features: Some((s_type, features)),
        }
    }

    /// `draw_indirect_count` of KHR: the draw count is read from a buffer.
    pub const COUNTS: Extension = Extension {
        name: ash::khr::draw_indirect_count::NAME,
        features: None,
    };

    macro_rules! extensions {
        ($($constant:ident $module:ident $s_type:ident $features:literal;)*) => {
            $(
                #[doc = concat!("`", stringify!($module), "` of EXT")]
                pub const $constant: Extension = with(ext::$module::NAME, vk::StructureType::$s_type, $features);
            )*
        };
    }

    /// `imageless_framebuffer` of KHR
    pub const IMAGELESS: Extension = with(
        ash::khr::imageless_framebuffer::NAME,
        vk::StructureType::PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES,
        1,
    );
    /// `image_format_list` of KHR, which imageless framebuffers need.
    pub const FORMAT_LIST: Extension = Extension {
        name: ash::khr::image_format_list::NAME,
        features: None,
    };
    /// `separate_depth_stencil_layouts` of KHR
    pub const SEPARATE_LAYOUTS: Extension = with(
        ash::khr::separate_depth_stencil_layouts::NAME,
        vk::StructureType::PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES,
        1,
    );
    /// `shader_terminate_invocation` of KHR
    pub const TERMINATE: Extension = with(
        ash::khr::shader_terminate_invocation::NAME,
        vk::StructureType::PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES,
        1,
    );
    /// `shader_viewport_index_layer` of EXT
    pub const VIEWPORT_LAYER: Extension = Extension {
        name: ext::shader_viewport_index_layer::NAME,
        features: None,
    };
    /// `conservative_rasterization` of EXT
    pub const CONSERVATIVE: Extension = Extension {
        name: ext::conservative_rasterization::NAME,
        features: None,
    };
    /// `sample_locations` of EXT
    pub const LOCATIONS: Extension = Extension {
        name: ext::sample_locations::NAME,
        features: None,
    };
    /// `shader_stencil_export` of EXT
    pub const STENCIL_EXPORT: Extension = Extension {
        name: ext::shader_stencil_export::NAME,
        features: None,
    };

    /// `multiview` of KHR
    pub const MULTIVIEW: Extension = with(
        ash::khr::multiview::NAME,
        vk::StructureType::PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
        3,
    );

    extensions! {
        CAPTURES transform_feedback PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT 2;
        PRIMITIVES primitives_generated_query PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT 3;
        INTERLOCK fragment_shader_interlock PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT 3;
        COLOR_WRITES color_write_enable PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT 1;
        CONDITIONS conditional_rendering PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT 2;
        DEMOTE shader_demote_to_helper_invocation PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES 1;
        DEPTH_CLIP depth_clip_enable PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT 1;
        DEPTH_CLIP_CONTROL depth_clip_control PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT 1;
        DIVISORS vertex_attribute_divisor PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT 2;
        DYNAMIC_1 extended_dynamic_state PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT 1;
        DYNAMIC_2 extended_dynamic_state2 PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT 3;
        DYNAMIC_3 extended_dynamic_state3 PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT 31;
        BYTE_INDICES index_type_uint8 PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT 1;
        DITHERING legacy_dithering PHYSICAL_DEVICE_LEGACY_DITHERING_FEATURES_EXT 1;
        LINES line_rasterization PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT 6;
        LIST_RESTART primitive_topology_list_restart PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT 2;
        TEXEL_ALIGNMENT texel_buffer_alignment PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT 1;
        LISTS multi_draw PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT 1;
        PROVOKING provoking_vertex PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT 2;
    }
}

/// What a program requests of a device beyond Vulkan 1.1 and, if it draws outside render passes,
/// dynamic rendering.
#[derive(Clone, Copy, Default)]
pub struct Wants<'a> {
    /// Features that the device must have.
    pub features: &'a [Feature],
    /// Extensions that the device must have.
    pub extensions: &'a [Extension],
}
