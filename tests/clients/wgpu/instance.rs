//! Opens wgpu on Vulkan drivers whose queues do compute and no graphics (yet).
//!
//! wgpu takes no device whose first queue family lacks graphics, even for compute alone, and none
//! that says of itself that it is not conformant. The first is answered here by adding the graphics
//! bit to what the driver says of its queues; nothing else is changed on the way. The second by
//! wgpu's own flag for it.

use ash::vk;
use std::future::Future;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};
use wgpu::hal;

static DRIVERS: OnceLock<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties> = OnceLock::new();

/// The driver's result, with graphics added to each family that supports compute.
unsafe extern "system" fn families(
    device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::QueueFamilyProperties,
) {
    let Some(driver) = DRIVERS.get() else { return };
    // SAFETY: the arguments are the caller's, who keeps the rules of this command.
    unsafe { driver(device, count, properties) };
    if properties.is_null() {
        return;
    }
    // SAFETY: the driver has written `*count` elements, in an array of the caller's.
    let written = unsafe { std::slice::from_raw_parts_mut(properties, *count as usize) };
    for family in written {
        if family.queue_flags.contains(vk::QueueFlags::COMPUTE) {
            family.queue_flags |= vk::QueueFlags::GRAPHICS;
        }
    }
}

/// wgpu on the Vulkan loader's drivers.
pub fn open() -> Result<wgpu::Instance, String> {
    let flags = wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL
        | wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    let version = vk::API_VERSION_1_3;
    // SAFETY: the loader is a library like any other; its initialisers do no harm.
    let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
    let extensions = hal::vulkan::Instance::desired_extensions(&entry, version, flags)
        .map_err(|e| e.to_string())?;
    let names: Vec<_> = extensions.iter().map(|e| e.as_ptr()).collect();
    let application = vk::ApplicationInfo::default().api_version(version);
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(&names);
    // SAFETY: `info` and all it points to live until after the call.
    let driver = unsafe { entry.create_instance(&info, None) }.map_err(|e| e.to_string())?;
    let mut commands = driver.fp_v1_0().clone();
    DRIVERS.get_or_init(|| commands.get_physical_device_queue_family_properties);
    commands.get_physical_device_queue_family_properties = families;
    let changed = ash::Instance::from_parts_1_3(
        driver.handle(),
        commands,
        driver.fp_v1_1().clone(),
        driver.fp_v1_3().clone(),
    );
    // SAFETY: the instance comes from `entry`, with these extensions and this version, and is
    // wgpu's now.
    unsafe {
        let instance = hal::vulkan::Instance::from_raw(
            entry,
            changed,
            version,
            0,
            None,
            extensions,
            flags,
            wgpu::MemoryBudgetThresholds::default(),
            false,
            None,
        )
        .map_err(|e| e.to_string())?;
        Ok(wgpu::Instance::from_hal::<hal::api::Vulkan>(instance))
    }
}

/// Waits for a future that wgpu finishes without being woken.
pub fn wait<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}
