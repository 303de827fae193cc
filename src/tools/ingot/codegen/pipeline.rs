//! The pipeline for one shader, and its layout.
//!
//! In:  the shader's interface. Out: set layouts, a render pass, a pipeline.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench makes pipelines"
)]

use crate::codegen::adjacent_stages::{self, PipelineStage};
use crate::codegen::interface::{Interface, LayoutBinding, Location};
use crate::codegen::vulkan_objects::VulkanObjects;
use ash::vk;
use compile::Stage;
use nir::Primitive;
use std::ffi::CString;

/// Size in bytes of the push constants that every device supports.
pub const PUSH_BYTES: u32 = 128;
/// Number of input attachments in the render pass, all unused.
const INPUT_ATTACHMENTS: usize = 8;
/// Size of a vertex in bytes.
pub const VERTEX_BYTES: u32 = 64;

/// The objects that a shader's pipelines are created from.
pub struct Layout {
    parts: Vec<(vk::ShaderStageFlags, CString, vk::ShaderModule)>,
    /// Set layouts, by number.
    pub sets: Vec<vk::DescriptorSetLayout>,
    /// The pipeline layout.
    pub layout: vk::PipelineLayout,
    /// The render pass; null for compute shaders.
    pub pass: vk::RenderPass,
    /// Required subgroup size of the shader.
    width: Option<u32>,
}

/// Formats of the render targets that a shader may write; `None` for targets that it does not
/// write.
pub fn targets(shader: &Interface) -> Vec<Option<vk::Format>> {
    if shader.stage != Stage::Fragment {
        // The output of the added fragment shader.
        return vec![Some(vk::Format::R16G16B16A16_SFLOAT)];
    }
    let outputs = &shader.outputs;
    let end = outputs.iter().map(|o| o.number + 1).max().unwrap_or(0);
    let of = |n: u32| outputs.iter().find(|o| o.number == n);
    let format = |o: &Location| match o.integer {
        true => vk::Format::R32G32B32A32_UINT,
        false => vk::Format::R16G16B16A16_SFLOAT,
    };
    (0..end.min(8)).map(|n| of(n).map(format)).collect()
}

impl Layout {
    /// Creates the layouts and shader modules for a shader.
    /// `width`: its required subgroup size.
    pub fn new(
        objects: &VulkanObjects<'_>,
        shader: &Interface,
        width: Option<u32>,
    ) -> Result<Layout, String> {
        let part = |part: PipelineStage| {
            let info = vk::ShaderModuleCreateInfo::default().code(&part.words);
            let name = CString::new(part.entry).map_err(|e| e.to_string())?;
            Ok((part.stage, name, objects.module(&info)?))
        };
        let parts = adjacent_stages::stages(shader)?.into_iter().map(part);
        let parts = parts.collect::<Result<_, String>>()?;
        let set = |bindings: &Vec<LayoutBinding>| {
            let bindings: Vec<_> = bindings
                .iter()
                .map(|b| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(b.binding)
                        .descriptor_type(b.kind)
                        .descriptor_count(b.count)
                        .stage_flags(b.stages)
                })
                .collect();
            objects.set_layout(&vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings))
        };
        let sets = shader.sets.iter().map(set);
        let sets: Vec<_> = sets.collect::<Result<_, String>>()?;
        let range = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::ALL)
            .size(PUSH_BYTES)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(&range);
        Ok(Layout {
            parts,
            layout: objects.pipeline_layout(&info)?,
            pass: match shader.stage {
                Stage::Compute => vk::RenderPass::null(),
                _ => pass(objects, shader)?,
            },
            sets,
            width,
        })
    }

    /// Creates a pipeline, which the caller destroys.
    pub fn pipeline(
        &self,
        device: &ash::Device,
        shader: &Interface,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, String> {
        let (entries, data) = specialization(shader);
        let constants = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&data);
        let own = adjacent_stages::flags(shader.stage);
        let mut width = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(self.width.unwrap_or_default());
        let mut stages: Vec<_> = self
            .parts
            .iter()
            .map(|(stage, entry, module)| {
                let info = vk::PipelineShaderStageCreateInfo::default()
                    .stage(*stage)
                    .module(*module)
                    .name(entry);
                if *stage != own {
                    return info;
                }
                let flags = vk::PipelineShaderStageCreateFlags::from_raw(shader.stage_flags);
                let info = info.flags(flags);
                match entries.is_empty() {
                    true => info,
                    false => info.specialization_info(&constants),
                }
            })
            .collect();
        if self.width.is_some() {
            let own = stages.iter_mut().find(|info| info.stage == own);
            if let Some(info) = own {
                *info = info.push_next(&mut width);
            }
        }
        let cache = vk::PipelineCache::null();
        if shader.stage == Stage::Compute {
            let info = [vk::ComputePipelineCreateInfo::default()
                .flags(flags)
                .stage(stages.first().copied().unwrap_or_default())
                .layout(self.layout)];
            // SAFETY: handles are of this device; structures live until the call returns.
            return first("vkCreateComputePipelines", unsafe {
                device.create_compute_pipelines(cache, &info, None)
            });
        }
        let attributes: Vec<_> = attributes(shader)
            .into_iter()
            .map(|(location, format)| {
                vk::VertexInputAttributeDescription::default()
                    .location(location)
                    .binding(u32::from(format == vk::Format::R32G32B32A32_SINT))
                    .format(format)
            })
            .collect();
        let buffers = [0, 1].map(|binding| {
            vk::VertexInputBindingDescription::default()
                .binding(binding)
                .stride(VERTEX_BYTES)
        });
        let mut input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_attribute_descriptions(&attributes);
        if !attributes.is_empty() {
            input = input.vertex_binding_descriptions(&buffers);
        }
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology(shader));
        let tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(adjacent_stages::patch_vertices(shader));
        let (viewports, scissors) = ([vk::Viewport::default()], [vk::Rect2D::default()]);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS);
        let all = vk::ColorComponentFlags::RGBA;
        let each = vk::PipelineColorBlendAttachmentState::default().color_write_mask(all);
        let blends = vec![each; targets(shader).len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .flags(flags)
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .render_pass(self.pass)];
        // SAFETY: as above.
        first("vkCreateGraphicsPipelines", unsafe {
            device.create_graphics_pipelines(cache, &info, None)
        })
    }
}

/// The map entries and the data of a shader's specialization constants.
fn specialization(shader: &Interface) -> (Vec<vk::SpecializationMapEntry>, Vec<u8>) {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for constant in &shader.specialization {
        entries.push(
            vk::SpecializationMapEntry::default()
                .constant_id(constant.id)
                .offset(data.len() as u32)
                .size(constant.data.len()),
        );
        data.extend_from_slice(&constant.data);
    }
    (entries, data)
}

fn first(
    call: &str,
    made: Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>,
) -> Result<vk::Pipeline, String> {
    made.map(|p| p.first().copied().unwrap_or_default())
        .map_err(|e| format!("{call}: {:?}", e.1))
}

/// Locations and formats of the vertex attributes.
fn attributes(shader: &Interface) -> Vec<(u32, vk::Format)> {
    let format = |location: &Location| match (location.wide, location.integer) {
        (true, _) => vk::Format::R64G64_SFLOAT,
        (false, true) => vk::Format::R32G32B32A32_SINT,
        (false, false) => vk::Format::R32G32B32A32_SFLOAT,
    };
    let read = match shader.stage {
        Stage::Vertex => {
            let inputs = shader.inputs.iter();
            return inputs.map(|i| (i.number, format(i))).collect();
        }
        Stage::TessEval => adjacent_stages::attributes(&[]),
        _ => adjacent_stages::attributes(&shader.inputs),
    };
    let of = |n| (n, vk::Format::R32G32B32A32_SFLOAT);
    (0..read).map(of).collect()
}

/// The primitive topology that the stages need.
fn topology(shader: &Interface) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as T;
    match (shader.stage, shader.shader.info.geometry.input) {
        (Stage::TessControl | Stage::TessEval, _) => T::PATCH_LIST,
        (Stage::Geometry, Primitive::Points) => T::POINT_LIST,
        (Stage::Geometry, Primitive::Lines) => T::LINE_LIST,
        (Stage::Geometry, Primitive::LinesAdjacency) => T::LINE_LIST_WITH_ADJACENCY,
        (Stage::Geometry, Primitive::TrianglesAdjacency) => T::TRIANGLE_LIST_WITH_ADJACENCY,
        _ => T::TRIANGLE_LIST,
    }
}

/// A render pass with depth and the render targets that a shader may write.
fn pass(objects: &VulkanObjects<'_>, shader: &Interface) -> Result<vk::RenderPass, String> {
    let attachment = |format: vk::Format| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .initial_layout(vk::ImageLayout::GENERAL)
            .final_layout(vk::ImageLayout::GENERAL)
    };
    let mut attachments = vec![attachment(vk::Format::D32_SFLOAT)];
    let mut colors = Vec::new();
    for target in targets(shader) {
        let used = target.map(|format| {
            attachments.push(attachment(format));
            attachments.len() as u32 - 1
        });
        colors.push(
            vk::AttachmentReference::default()
                .attachment(used.unwrap_or(vk::ATTACHMENT_UNUSED))
                .layout(vk::ImageLayout::GENERAL),
        );
    }
    let inputs = [vk::AttachmentReference::default()
        .attachment(vk::ATTACHMENT_UNUSED)
        .layout(vk::ImageLayout::GENERAL); INPUT_ATTACHMENTS];
    let depth = vk::AttachmentReference::default().layout(vk::ImageLayout::GENERAL);
    let subpasses = [vk::SubpassDescription::default()
        .color_attachments(&colors)
        .input_attachments(&inputs)
        .depth_stencil_attachment(&depth)];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    objects.render_pass(&info)
}
