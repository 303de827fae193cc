//! Measures pipelines with a driver: creation time and VK_KHR_pipeline_executable_properties.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench calls it"
)]

use crate::codegen::adjacent_stages;
use crate::codegen::execute::{self, Machine, RunCost};
use crate::codegen::interface::Interface;
use crate::codegen::pipeline::Layout;
use crate::codegen::vulkan_objects::VulkanObjects;
use crate::vulkan_device::{self, error};
use ash::vk;
use compile::Stage;
use std::ffi::CStr;
use std::path::Path;
use std::time::{Duration, Instant};
use vkrunner::EntryPoint;

/// What to measure of a shader, besides the statistics of its executables.
pub struct Request<'a> {
    /// Creations of the pipeline; the shortest time counts.
    pub repeat: u32,
    /// The compiler's dumps are needed.
    pub texts: bool,
    /// Required subgroup size of compute shaders.
    pub width: Option<u32>,
    /// Value of integers in uniform blocks and push constants of a run; by default 1 or 2.
    pub integer: Option<u32>,
    /// Files of the simulator's profile and for the results of a run, if the shader is to run.
    pub run: Option<(&'a Path, &'a Path)>,
}

/// A driver's statistics of one executable.
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
    /// The compiler's dumps: name and text.
    pub texts: Vec<(String, String)>,
}

/// A device with VK_KHR_pipeline_executable_properties.
pub struct Device {
    opened: vulkan_device::Device,
    /// Host-visible memory types, a bit each.
    visible: u32,
    executables: ash::khr::pipeline_executable_properties::Device,
}

/// The measurement of a shader.
pub struct Measurement {
    /// The shortest creation time of its pipeline.
    pub time: Duration,
    pub executables: Vec<Executable>,
    /// The cost of a run, or the error; `None` if no run was requested.
    pub ran: Option<Result<RunCost, String>>,
}

impl Device {
    /// Opens the first device of the implementation, with all features except robust buffer access.
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
        let opened = vulkan_device::Device::new(entry, vk::API_VERSION_1_3, create)?;
        use vk::MemoryPropertyFlags as M;
        // SAFETY: the handle is the instance's.
        let memory =
            unsafe { (opened.instance).get_physical_device_memory_properties(opened.physical) };
        let types = memory.memory_types_as_slice().iter().enumerate();
        let seen = |flags: M| flags.contains(M::HOST_VISIBLE | M::HOST_COHERENT);
        let visible = types.filter(|(_, ty)| seen(ty.property_flags));
        Ok(Device {
            visible: visible.fold(0, |bits, (k, _)| bits | 1 << k),
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

    /// Creates a shader's pipeline, and runs it once on request.
    pub fn measure(
        &self,
        shader: &Interface,
        request: &Request<'_>,
    ) -> Result<Measurement, String> {
        let device = &self.opened.device;
        let objects = VulkanObjects::new(device);
        let is_compute = shader.stage == Stage::Compute;
        let width = request.width.filter(|_| is_compute);
        let width = width.or(shader.required_width);
        if let Some(width) = width {
            self.check_width(shader, width)?;
        }
        let layout = Layout::new(&objects, shader, width)?;
        let mut best = Duration::MAX;
        for _ in 0..request.repeat {
            let start = Instant::now();
            let flags = vk::PipelineCreateFlags::empty();
            let pipeline = layout.pipeline(device, shader, flags)?;
            best = best.min(start.elapsed());
            // SAFETY: made above, and of no use to anyone.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        let mut flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        if request.texts {
            flags |= vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        }
        let pipeline = objects.keep(layout.pipeline(device, shader, flags)?);
        Ok(Measurement {
            time: best,
            executables: self.executables(pipeline, shader.stage, request.texts)?,
            ran: request.run.map(|(profile, results)| {
                let machine = Machine {
                    device,
                    // SAFETY: the device has this queue.
                    queue: unsafe { device.get_device_queue(0, 0) },
                    visible: self.visible,
                    profile,
                    results,
                    integer: request.integer,
                };
                execute::run(&machine, &objects, shader, &layout, pipeline)
            }),
        })
    }

    /// An error if the device cannot execute the shader's workgroups with this subgroup size. The
    /// text is the same for devices with the same limits.
    fn check_width(&self, shader: &Interface, width: u32) -> Result<(), String> {
        let mut limits = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
        // SAFETY: the handle is the instance's; the structures live until the call returns.
        unsafe {
            self.opened
                .instance
                .get_physical_device_properties2(self.opened.physical, &mut properties);
        }
        let (min, max) = (limits.min_subgroup_size, limits.max_subgroup_size);
        if !(min..=max).contains(&width) {
            return Err(format!(
                "subgroups have {min} to {max} invocations, not {width}"
            ));
        }
        let size = shader.shader.info.workgroup_size;
        let invocations = size.iter().fold(1, |n: u32, s| n.saturating_mul(*s));
        let subgroups = limits.max_compute_workgroup_subgroups;
        if invocations.div_ceil(width) > subgroups {
            return Err(format!(
                "a workgroup of {invocations} invocations is more than {subgroups} subgroups of {width}"
            ));
        }
        Ok(())
    }

    fn executables(
        &self,
        pipeline: vk::Pipeline,
        stage: Stage,
        texts: bool,
    ) -> Result<Vec<Executable>, String> {
        let wanted = adjacent_stages::flags(stage);
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
        // SAFETY: as in `executables`; a statistic's format says which of its values is there, its
        // name ends with a zero.
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
                    // Mesa renames them between its versions.
                    "instruction count" | "instructions" | "instrs" => &mut one.instructions,
                    "send count" | "sends" => &mut one.sends,
                    "spill count" | "spills" => &mut one.spills,
                    "fill count" | "fills" => &mut one.fills,
                    "cycle count" | "cycles" => &mut one.cycles,
                    _ => continue,
                };
                *place = value;
            }
        }
        Ok(one)
    }

    /// The internal representations that are texts.
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
