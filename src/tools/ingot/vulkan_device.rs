//! The Vulkan device that `ingot bench` measures.
//!
//! In:  a Vulkan implementation. Out: its first device with one queue, and the device's name.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench opens it"
)]

use ash::vk;
use vkrunner::EntryPoint;

/// An open device, destroyed on drop: all objects created from it must be destroyed before.
pub struct Device {
    // Keeps the Vulkan library loaded.
    _entry: ash::Entry,
    /// The instance.
    pub instance: ash::Instance,
    /// The physical device.
    pub physical: vk::PhysicalDevice,
    /// The device.
    pub device: ash::Device,
    /// The device's name.
    pub name: String,
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: everything made from the device is destroyed where it was made; both go once.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Makes an error message with the name of the failed call.
pub fn error(call: &'static str) -> impl FnOnce(vk::Result) -> String {
    move |result| format!("{call}: {result:?}")
}

impl Device {
    /// Opens the first device of the implementation for a Vulkan version. `create` adds features
    /// and extensions to the given structure and calls vkCreateDevice.
    pub fn new(
        entry: &EntryPoint,
        api_version: u32,
        create: impl FnOnce(
            &ash::Instance,
            vk::PhysicalDevice,
            vk::DeviceCreateInfo<'_>,
        ) -> ash::prelude::VkResult<ash::Device>,
    ) -> Result<Device, String> {
        // SAFETY: the library is trusted as one linked in; structures live until the calls return.
        unsafe {
            let entry = match entry {
                EntryPoint::Loader => ash::Entry::load().map_err(|e| e.to_string())?,
                EntryPoint::Library(path) => {
                    ash::Entry::load_from(path).map_err(|e| e.to_string())?
                }
                EntryPoint::Function(get) => ash::Entry::from_static_fn(ash::StaticFn {
                    get_instance_proc_addr: *get,
                }),
            };
            let app = vk::ApplicationInfo::default().api_version(api_version);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry
                .create_instance(&info, None)
                .map_err(error("vkCreateInstance"))?;
            let physical = instance
                .enumerate_physical_devices()
                .map_err(error("vkEnumeratePhysicalDevices"))?
                .first()
                .copied()
                .ok_or("there is no device")?;
            let properties = instance.get_physical_device_properties(physical);
            let name = properties.device_name_as_c_str().unwrap_or(c"?");
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = create(&instance, physical, info).map_err(error("vkCreateDevice"))?;
            Ok(Device {
                name: name.to_string_lossy().into_owned(),
                _entry: entry,
                instance,
                physical,
                device,
            })
        }
    }
}
