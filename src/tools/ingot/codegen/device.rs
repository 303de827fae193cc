//! Pipelines that are made for their statistics: the half of `ingot bench codegen` that calls Vulkan.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench calls it"
)]

use super::interface::Interface;
use crate::device::{self, error};
use ash::vk;
use compile::Stage;
use std::ffi::{CStr, CString};
use std::time::{Duration, Instant};
use vkrunner::EntryPoint;

/// Push constants that every device has.
const PUSH_BYTES: u32 = 128;
/// Input attachments that a pass names; none is used.
const INPUT_ATTACHMENTS: usize = 8;

/// What a driver says of one executable.
#[derive(Clone, Copy, Default)]
pub struct Statistics {
    pub width: u32,
    pub instructions: f64,
    pub sends: f64,
    pub spills: f64,
    pub fills: f64,
    pub cycles: f64,
}

/// An executable of a shader.
pub struct Executable {
    pub statistics: Statistics,
    /// What its compiler shows of it: a name and a text each.
    pub texts: Vec<(String, String)>,
}

/// A device that tells of its executables.
pub struct Device {
    opened: device::Device,
    executables: ash::khr::pipeline_executable_properties::Device,
}

/// What is destroyed when a pipeline has been measured.
struct Made<'a> {
    device: &'a ash::Device,
    modules: Vec<vk::ShaderModule>,
    sets: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    pass: vk::RenderPass,
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        // SAFETY: all handles are of this device, and go once; null ones are ignored.
        unsafe {
            self.device.destroy_render_pass(self.pass, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            for &set in &self.sets {
                self.device.destroy_descriptor_set_layout(set, None);
            }
            for &module in &self.modules {
                self.device.destroy_shader_module(module, None);
            }
        }
    }
}

impl Device {
    /// The first device of the implementation, with every feature but robust access to buffers.
    pub fn new(entry: &EntryPoint) -> Result<Device, String> {
        let create = |instance: &ash::Instance, physical, info: vk::DeviceCreateInfo<'_>| {
            let mut of_11 = vk::PhysicalDeviceVulkan11Features::default();
            let mut of_12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut of_13 = vk::PhysicalDeviceVulkan13Features::default();
            let mut of_executables =
                vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
            let mut features = vk::PhysicalDeviceFeatures2::default()
                .push_next(&mut of_11)
                .push_next(&mut of_12)
                .push_next(&mut of_executables);
            // SAFETY: the handles are the instance's; the structures live until the calls return.
            unsafe {
                let properties = instance.get_physical_device_properties(physical);
                if properties.api_version >= vk::API_VERSION_1_3 {
                    features = features.push_next(&mut of_13);
                }
                instance.get_physical_device_features2(physical, &mut features);
                features.features.robust_buffer_access = vk::FALSE;
                let extensions = [ash::khr::pipeline_executable_properties::NAME.as_ptr()];
                let info = info
                    .enabled_extension_names(&extensions)
                    .push_next(&mut features);
                instance.create_device(physical, &info, None)
            }
        };
        let opened = device::Device::new(entry, vk::API_VERSION_1_3, create)?;
        Ok(Device {
            executables: ash::khr::pipeline_executable_properties::Device::new(
                &opened.instance,
                &opened.device,
            ),
            opened,
        })
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.opened.name
    }

    /// Makes a pipeline `repeat` times: the shortest time, and what the driver says of the shader's executables; their texts, if
    /// they are asked for.
    pub fn measure(
        &self,
        shader: &Interface,
        repeat: u32,
        texts: bool,
    ) -> Result<(Duration, Vec<Executable>), String> {
        let mut made = Made {
            device: &self.opened.device,
            modules: Vec::new(),
            sets: Vec::new(),
            layout: vk::PipelineLayout::null(),
            pass: vk::RenderPass::null(),
        };
        self.lay_out(shader, &mut made)?;
        let mut best = Duration::MAX;
        let mut told = Vec::new();
        for round in 0..=repeat {
            let flags = match round {
                0 if texts => {
                    vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
                        | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR
                }
                0 => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
                _ => vk::PipelineCreateFlags::empty(),
            };
            let start = Instant::now();
            let pipeline = self.pipeline(shader, &made, flags)?;
            if round == 0 {
                told = self.executables(pipeline, shader.stage, texts)?;
            } else {
                best = best.min(start.elapsed());
            }
            // SAFETY: made above, and of no use to anyone.
            unsafe { self.opened.device.destroy_pipeline(pipeline, None) };
        }
        Ok((best, told))
    }

    fn lay_out(&self, shader: &Interface, made: &mut Made<'_>) -> Result<(), String> {
        let device = &self.opened.device;
        let mut modules = vec![shader.words.clone()];
        match shader.stage {
            Stage::Vertex => modules.push(shader.fragment_shader()?),
            Stage::Fragment => modules.push(shader.vertex_shader()?),
            _ => {}
        }
        let sets = shader.bindings.iter().map(|b| b.set + 1).max().unwrap_or(0);
        // SAFETY: as in `new`; what is made is destroyed by `made`.
        unsafe {
            for words in &modules {
                let info = vk::ShaderModuleCreateInfo::default().code(words);
                let module = device.create_shader_module(&info, None);
                made.modules
                    .push(module.map_err(error("vkCreateShaderModule"))?);
            }
            for set in 0..sets {
                let bindings: Vec<_> = shader
                    .bindings
                    .iter()
                    .filter(|b| b.set == set)
                    .map(|b| {
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(b.binding)
                            .descriptor_type(b.kind)
                            .descriptor_count(b.count)
                            .stage_flags(vk::ShaderStageFlags::ALL)
                    })
                    .collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                let layout = device.create_descriptor_set_layout(&info, None);
                made.sets
                    .push(layout.map_err(error("vkCreateDescriptorSetLayout"))?);
            }
            let range = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::ALL)
                .size(PUSH_BYTES)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&made.sets)
                .push_constant_ranges(&range);
            made.layout = device
                .create_pipeline_layout(&info, None)
                .map_err(error("vkCreatePipelineLayout"))?;
        }
        if shader.stage != Stage::Compute {
            made.pass = self.pass(shader)?;
        }
        Ok(())
    }

    /// Targets that a shader may write, and a depth attachment.
    fn pass(&self, shader: &Interface) -> Result<vk::RenderPass, String> {
        let attachment = |format: vk::Format| {
            vk::AttachmentDescription::default()
                .format(format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .final_layout(vk::ImageLayout::GENERAL)
        };
        let mut attachments = vec![attachment(vk::Format::D32_SFLOAT)];
        let mut colors = Vec::new();
        for target in targets(shader) {
            let used = target.map(|integer| {
                attachments.push(attachment(if integer {
                    vk::Format::R32G32B32A32_UINT
                } else {
                    vk::Format::R16G16B16A16_SFLOAT
                }));
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
        // SAFETY: as in `new`.
        unsafe { self.opened.device.create_render_pass(&info, None) }
            .map_err(error("vkCreateRenderPass"))
    }

    fn pipeline(
        &self,
        shader: &Interface,
        made: &Made<'_>,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, String> {
        let entry = CString::new(shader.entry.as_str()).map_err(|e| e.to_string())?;
        let stage = |flag: vk::ShaderStageFlags, k: usize, name| {
            let module = made.modules.get(k).copied().unwrap_or_default();
            vk::PipelineShaderStageCreateInfo::default()
                .stage(flag)
                .module(module)
                .name(name)
        };
        let cache = vk::PipelineCache::null();
        if shader.stage == Stage::Compute {
            let info = [vk::ComputePipelineCreateInfo::default()
                .flags(flags)
                .stage(stage(vk::ShaderStageFlags::COMPUTE, 0, &entry))
                .layout(made.layout)];
            // SAFETY: as in `new`.
            let pipelines = unsafe {
                self.opened
                    .device
                    .create_compute_pipelines(cache, &info, None)
            };
            return pipelines
                .map(|p| p.first().copied().unwrap_or_default())
                .map_err(|e| format!("vkCreateComputePipelines: {:?}", e.1));
        }
        let stages = match shader.stage {
            Stage::Vertex => vec![
                stage(vk::ShaderStageFlags::VERTEX, 0, &entry),
                stage(vk::ShaderStageFlags::FRAGMENT, 1, c"main"),
            ],
            _ => vec![
                stage(vk::ShaderStageFlags::VERTEX, 1, c"main"),
                stage(vk::ShaderStageFlags::FRAGMENT, 0, &entry),
            ],
        };
        let attributes: Vec<_> = match shader.stage {
            Stage::Vertex => shader
                .inputs
                .iter()
                .map(|i| (i.number, format(i)))
                .collect(),
            _ => (0..shader.attributes())
                .map(|n| (n, vk::Format::R32G32B32A32_SFLOAT))
                .collect(),
        };
        let attributes: Vec<_> = attributes
            .into_iter()
            .map(|(location, format)| {
                vk::VertexInputAttributeDescription::default()
                    .location(location)
                    .format(format)
            })
            .collect();
        let buffers = [vk::VertexInputBindingDescription::default().stride(64)];
        let mut input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_attribute_descriptions(&attributes);
        if !attributes.is_empty() {
            input = input.vertex_binding_descriptions(&buffers);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
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
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(made.layout)
            .render_pass(made.pass)];
        // SAFETY: as in `new`.
        let pipelines = unsafe {
            self.opened
                .device
                .create_graphics_pipelines(cache, &info, None)
        };
        pipelines
            .map(|p| p.first().copied().unwrap_or_default())
            .map_err(|e| format!("vkCreateGraphicsPipelines: {:?}", e.1))
    }

    fn executables(
        &self,
        pipeline: vk::Pipeline,
        stage: Stage,
        texts: bool,
    ) -> Result<Vec<Executable>, String> {
        let wanted = match stage {
            Stage::Vertex => vk::ShaderStageFlags::VERTEX,
            Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
            _ => vk::ShaderStageFlags::COMPUTE,
        };
        let mut out = Vec::new();
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline is of this device, and lives.
        let all = unsafe { self.executables.get_pipeline_executable_properties(&info) }
            .map_err(error("vkGetPipelineExecutablePropertiesKHR"))?;
        for (at, executable) in all.iter().enumerate() {
            if !executable.stages.contains(wanted) {
                continue;
            }
            let info = vk::PipelineExecutableInfoKHR::default()
                .pipeline(pipeline)
                .executable_index(at as u32);
            out.push(Executable {
                statistics: Statistics {
                    width: executable.subgroup_size,
                    ..self.statistics(&info)?
                },
                texts: match texts {
                    true => self.texts(&info)?,
                    false => Vec::new(),
                },
            });
        }
        Ok(out)
    }

    fn statistics(&self, info: &vk::PipelineExecutableInfoKHR<'_>) -> Result<Statistics, String> {
        let mut one = Statistics::default();
        // SAFETY: as in `executables`; a statistic's format says which of its values is there, its name ends with a zero.
        unsafe {
            let list = self
                .executables
                .get_pipeline_executable_statistics(info)
                .map_err(error("vkGetPipelineExecutableStatisticsKHR"))?;
            for statistic in &list {
                use vk::PipelineExecutableStatisticFormatKHR as F;
                let value = match statistic.format {
                    F::UINT64 => statistic.value.u64 as f64,
                    F::INT64 => statistic.value.i64 as f64,
                    F::FLOAT64 => statistic.value.f64,
                    _ => continue,
                };
                let name = CStr::from_ptr(statistic.name.as_ptr()).to_string_lossy();
                let place = match name.to_ascii_lowercase().as_str() {
                    "instruction count" => &mut one.instructions,
                    "send count" => &mut one.sends,
                    "spill count" => &mut one.spills,
                    "fill count" => &mut one.fills,
                    "cycle count" => &mut one.cycles,
                    _ => continue,
                };
                *place = value;
            }
        }
        Ok(one)
    }

    /// The representations that are texts.
    fn texts(
        &self,
        info: &vk::PipelineExecutableInfoKHR<'_>,
    ) -> Result<Vec<(String, String)>, String> {
        let get = (self.executables.fp()).get_pipeline_executable_internal_representations_khr;
        let failed = |e| error("vkGetPipelineExecutableInternalRepresentationsKHR")(e);
        let device = self.opened.device.handle();
        // SAFETY: as in `executables`; asked for sizes first, then with room for as much.
        unsafe {
            let mut list = (self.executables)
                .get_pipeline_executable_internal_representations(info)
                .map_err(failed)?;
            let mut count = list.len() as u32;
            let mut rooms: Vec<Vec<u8>> = list.iter().map(|r| vec![0; r.data_size]).collect();
            for (one, room) in list.iter_mut().zip(&mut rooms) {
                one.p_data = room.as_mut_ptr().cast();
            }
            get(device, info, &mut count, list.as_mut_ptr())
                .result()
                .map_err(failed)?;
            let shown = list.iter().zip(&rooms).filter(|(one, _)| one.is_text != 0);
            Ok(shown
                .map(|(one, room)| {
                    let name = CStr::from_ptr(one.name.as_ptr()).to_string_lossy();
                    let text = room.split(|&b| b == 0).next().unwrap_or_default();
                    (
                        name.into_owned(),
                        String::from_utf8_lossy(text).into_owned(),
                    )
                })
                .collect())
        }
    }
}

/// By target: whether it is of integers, or none for one that is not written.
fn targets(shader: &Interface) -> Vec<Option<bool>> {
    if shader.stage != Stage::Fragment {
        // What `Interface::fragment_shader` writes.
        return vec![Some(false)];
    }
    let end = shader
        .outputs
        .iter()
        .map(|o| o.number + 1)
        .max()
        .unwrap_or(0);
    let of = |n: u32| shader.outputs.iter().find(|o| o.number == n);
    (0..end.min(8)).map(|n| of(n).map(|o| o.integer)).collect()
}

fn format(location: &super::interface::Location) -> vk::Format {
    match (location.wide, location.integer) {
        (true, _) => vk::Format::R64G64_SFLOAT,
        (false, true) => vk::Format::R32G32B32A32_SINT,
        (false, false) => vk::Format::R32G32B32A32_SFLOAT,
    }
}
