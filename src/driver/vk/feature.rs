//! Features: what the device offers, and what an application enables.
//!
//! One plain structure for all of them, core and extensions; the C face copies it from and to the chain of structures.

use ash::vk as api;

use crate::error::{Error, Result};

/// Features beyond those of `VkPhysicalDeviceFeatures`. Everything that has no field here is not supported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extended {
    /// VK_KHR_timeline_semaphore.
    pub timeline_semaphore: bool,
    /// VK_KHR_pipeline_executable_properties.
    pub pipeline_executable_info: bool,
    /// VK_EXT_host_query_reset.
    pub host_query_reset: bool,
    /// A structure that asked for a feature which has no field here: its name.
    pub unsupported: Option<&'static str>,
}

/// All features.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// `VkPhysicalDeviceFeatures`.
    pub core: api::PhysicalDeviceFeatures,
    /// The others.
    pub extended: Extended,
}

impl Features {
    /// What the device offers.
    pub fn supported() -> Self {
        Self {
            core: api::PhysicalDeviceFeatures {
                // Surfaces are bounded: the data port drops writes outside and reads zero.
                robust_buffer_access: api::TRUE,
                ..Default::default()
            },
            extended: Extended {
                timeline_semaphore: true,
                pipeline_executable_info: true,
                host_query_reset: true,
                unsupported: None,
            },
        }
    }

    /// Refuses what `supported` lacks.
    pub fn check(&self, supported: &Self) -> Result<()> {
        if let Some(what) = missing_core(&self.core, &supported.core) {
            return Err(Error::FeatureNotPresent { what });
        }
        if let Some(what) = self.extended.unsupported {
            return Err(Error::FeatureNotPresent { what });
        }
        let (asked, have) = (&self.extended, &supported.extended);
        for (asked, have, what) in [
            (
                asked.timeline_semaphore,
                have.timeline_semaphore,
                "timelineSemaphore",
            ),
            (
                asked.pipeline_executable_info,
                have.pipeline_executable_info,
                "pipelineExecutableInfo",
            ),
            (
                asked.host_query_reset,
                have.host_query_reset,
                "hostQueryReset",
            ),
        ] {
            if asked && !have {
                return Err(Error::FeatureNotPresent { what });
            }
        }
        Ok(())
    }
}

macro_rules! missing {
    ($asked:ident, $have:ident: $($field:ident)*) => {
        $(if $asked.$field != api::FALSE && $have.$field == api::FALSE {
            return Some(stringify!($field));
        })*
    };
}

/// The first feature that is asked for and not there.
fn missing_core(
    asked: &api::PhysicalDeviceFeatures,
    have: &api::PhysicalDeviceFeatures,
) -> Option<&'static str> {
    missing!(asked, have:
        robust_buffer_access full_draw_index_uint32 image_cube_array independent_blend geometry_shader
        tessellation_shader sample_rate_shading dual_src_blend logic_op multi_draw_indirect
        draw_indirect_first_instance depth_clamp depth_bias_clamp fill_mode_non_solid depth_bounds wide_lines
        large_points alpha_to_one multi_viewport sampler_anisotropy texture_compression_etc2
        texture_compression_astc_ldr texture_compression_bc occlusion_query_precise pipeline_statistics_query
        vertex_pipeline_stores_and_atomics fragment_stores_and_atomics
        shader_tessellation_and_geometry_point_size shader_image_gather_extended
        shader_storage_image_extended_formats shader_storage_image_multisample
        shader_storage_image_read_without_format shader_storage_image_write_without_format
        shader_uniform_buffer_array_dynamic_indexing shader_sampled_image_array_dynamic_indexing
        shader_storage_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing
        shader_clip_distance shader_cull_distance shader_float64 shader_int64 shader_int16
        shader_resource_residency shader_resource_min_lod sparse_binding sparse_residency_buffer
        sparse_residency_image2_d sparse_residency_image3_d sparse_residency2_samples
        sparse_residency4_samples sparse_residency8_samples sparse_residency16_samples
        sparse_residency_aliased variable_multisample_rate inherited_queries);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_for_more_is_refused_by_name() {
        let supported = Features::supported();
        assert_eq!(supported.check(&supported), Ok(()));
        let mut asked = Features::default();
        assert_eq!(asked.check(&supported), Ok(()));
        asked.core.sparse_residency_aliased = api::TRUE;
        assert_eq!(
            asked.check(&supported),
            Err(Error::FeatureNotPresent {
                what: "sparse_residency_aliased"
            })
        );
        let mut asked = Features::default();
        asked.extended.unsupported = Some("multiview");
        assert!(asked.check(&supported).is_err());
    }
}
