//! `ingot bench compile`: measures the creation of a shader module and a compute pipeline.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench calls it"
)]

use crate::vulkan_device::{Device, error};
use ash::vk;
use std::ffi::CStr;
use std::time::{Duration, Instant};
use vkrunner::EntryPoint;

/// A device that creates pipelines.
pub struct Compiler {
    opened: Device,
}

impl Compiler {
    /// Opens the first device of the implementation, with all features that compute shaders may
    /// use.
    pub fn new(entry: &EntryPoint) -> Result<Compiler, String> {
        let create = |instance: &ash::Instance, physical, info: vk::DeviceCreateInfo<'_>| {
            // SAFETY: the handles are the instance's; the structures live until the calls return.
            unsafe {
                let mut features = instance.get_physical_device_features(physical);
                features.robust_buffer_access = vk::FALSE;
                instance.create_device(physical, &info.enabled_features(&features), None)
            }
        };
        let opened = Device::new(entry, vk::API_VERSION_1_1, create)?;
        Ok(Compiler { opened })
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.opened.name
    }

    /// Creates a module and a pipeline of its entry point `repeat` times; returns the shortest
    /// time. `bindings` are (set, binding, storage buffer?).
    pub fn time(
        &self,
        words: &[u32],
        entry: &CStr,
        bindings: &[(u32, u32, bool)],
        repeat: u32,
    ) -> Result<Duration, String> {
        let device = &self.opened.device;
        let sets = bindings.iter().map(|b| b.0 + 1).max().unwrap_or(0);
        let mut layouts = Vec::new();
        let mut best = Duration::MAX;
        // SAFETY: as in `new`; every handle is of this device and destroyed once, before the
        // function returns.
        unsafe {
            for set in 0..sets {
                let bindings: Vec<_> = bindings
                    .iter()
                    .filter(|b| b.0 == set)
                    .map(|b| {
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(b.1)
                            .descriptor_type(if b.2 {
                                vk::DescriptorType::STORAGE_BUFFER
                            } else {
                                vk::DescriptorType::UNIFORM_BUFFER
                            })
                            .descriptor_count(1)
                            .stage_flags(vk::ShaderStageFlags::COMPUTE)
                    })
                    .collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                let layout = device
                    .create_descriptor_set_layout(&info, None)
                    .map_err(error("vkCreateDescriptorSetLayout"))?;
                layouts.push(layout);
            }
            let range = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(128)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&range);
            let layout = device
                .create_pipeline_layout(&info, None)
                .map_err(error("vkCreatePipelineLayout"))?;
            let mut result = Ok(());
            for _ in 0..repeat {
                let start = Instant::now();
                result = self.once(words, entry, layout);
                best = best.min(start.elapsed());
                if result.is_err() {
                    break;
                }
            }
            device.destroy_pipeline_layout(layout, None);
            for layout in layouts {
                device.destroy_descriptor_set_layout(layout, None);
            }
            result.map(|()| best)
        }
    }

    fn once(&self, words: &[u32], entry: &CStr, layout: vk::PipelineLayout) -> Result<(), String> {
        let device = &self.opened.device;
        // SAFETY: as in `time`.
        unsafe {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            let module = device
                .create_shader_module(&info, None)
                .map_err(error("vkCreateShaderModule"))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(entry);
            let info = [vk::ComputePipelineCreateInfo::default()
                .stage(stage)
                .layout(layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.destroy_shader_module(module, None);
            match made {
                Ok(pipelines) => {
                    for pipeline in pipelines {
                        device.destroy_pipeline(pipeline, None);
                    }
                    Ok(())
                }
                Err((_, result)) => Err(format!("vkCreateComputePipelines: {result:?}")),
            }
        }
    }
}
