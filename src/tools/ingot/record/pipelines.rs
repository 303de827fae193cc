//! The rows' creation of pipelines, without and with a pipeline cache.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench calls it"
)]

use ash::vk;

use super::calls::{Bench, Outcome};
use super::draws::Draws;

// SAFETY, for every block below: as in `draws` and `calls`.
impl Draws {
    /// Creates a pipeline. `bright` is the specialization constant of its fragment shader.
    pub(super) fn create_pipeline(
        &self,
        cache: vk::PipelineCache,
        blends: bool,
        bright: f32,
    ) -> Result<vk::Pipeline, vk::Result> {
        let entries = [vk::SpecializationMapEntry {
            constant_id: 0,
            offset: 0,
            size: 4,
        }];
        let data = bright.to_ne_bytes();
        let constants = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&data);
        let stages = [
            vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::VERTEX)
                .module(self.modules[0])
                .name(c"main"),
            vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::FRAGMENT)
                .module(self.modules[1])
                .name(c"main")
                .specialization_info(&constants),
        ];
        let bindings = [vk::VertexInputBindingDescription {
            binding: 0,
            stride: 20,
            input_rate: vk::VertexInputRate::VERTEX,
        }];
        let attribute = |location, format, offset| vk::VertexInputAttributeDescription {
            location,
            binding: 0,
            format,
            offset,
        };
        let attributes = [
            attribute(0, vk::Format::R32G32B32_SFLOAT, 0),
            attribute(1, vk::Format::R32G32_SFLOAT, 12),
        ];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewport_count(1)
            .scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .cull_mode(vk::CullModeFlags::BACK)
            .line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS_OR_EQUAL);
        let targets = [vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(blends)
            .src_color_blend_factor(vk::BlendFactor::SRC_ALPHA)
            .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
        let states = [
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::BLEND_CONSTANTS,
            vk::DynamicState::STENCIL_REFERENCE,
        ];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertices)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blending)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .render_pass(self.pass);
        // SAFETY: above.
        let made = unsafe { self.device.create_graphics_pipelines(cache, &[info], None) };
        made.map_err(|(_, result)| result)?
            .first()
            .copied()
            .ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)
    }

    /// Creates and destroys a pipeline that misses every cache.
    pub fn make_new_pipeline(&self) -> Outcome {
        self.bright.set(self.bright.get() + 0.25);
        let made = self.create_pipeline(vk::PipelineCache::null(), false, self.bright.get())?;
        // SAFETY: above.
        unsafe { self.device.destroy_pipeline(made, None) };
        Ok(())
    }

    /// Creates and destroys a pipeline that is in the pipeline cache after the first time.
    pub fn make_cached_pipeline(&self) -> Outcome {
        let made = self.create_pipeline(self.cache, false, 1.0)?;
        // SAFETY: above.
        unsafe { self.device.destroy_pipeline(made, None) };
        Ok(())
    }
}

impl Bench {
    /// Creates equal compute pipelines.
    pub(super) fn create_pipelines(
        &self,
        cache: vk::PipelineCache,
        count: usize,
    ) -> Result<Vec<vk::Pipeline>, vk::Result> {
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(self.layout);
        let infos = vec![info; count];
        // SAFETY: above.
        let made = unsafe { self.device.create_compute_pipelines(cache, &infos, None) };
        made.map_err(|(_, result)| result)
    }

    /// Creates and destroys a compute pipeline that is in the pipeline cache after the first time.
    pub fn make_cached_pipeline(&self) -> Outcome {
        for pipeline in self.create_pipelines(self.cache, 1)? {
            // SAFETY: above.
            unsafe { self.device.destroy_pipeline(pipeline, None) };
        }
        Ok(())
    }
}
