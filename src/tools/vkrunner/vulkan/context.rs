//! Vulkan's entry point, and the instance and device of a script.

use crate::features;
use crate::script::Requirements;
use crate::vulkan::error::{VulkanError, check};
use ash::vk;
use std::ffi::{CString, c_void};
use std::path::PathBuf;

/// Source of Vulkan's functions.
#[derive(Clone)]
pub enum EntryPoint {
    /// The Vulkan loader, `libvulkan.so.1`.
    Loader,
    /// A library: a loader, or an ICD itself.
    Library(PathBuf),
    /// A function of this process.
    Function(vk::PFN_vkGetInstanceProcAddr),
}

/// An instance that keeps the drivers of a loader in memory between the instances of scripts. Some
/// drivers cannot be loaded any number of times: each time takes thread-local storage of a fixed
/// size, which unloading does not give back.
pub struct LoadedDrivers {
    instance: ash::Instance,
    _entry: ash::Entry,
}

impl Drop for LoadedDrivers {
    fn drop(&mut self) {
        // SAFETY: nothing was made from the instance.
        unsafe { self.instance.destroy_instance(None) };
    }
}

impl LoadedDrivers {
    /// Loads the drivers of an entry point. None where they are a part of this process, or where
    /// there is no instance: then each script reports why.
    pub fn load(entry: &EntryPoint) -> Option<LoadedDrivers> {
        if matches!(entry, EntryPoint::Function(_)) {
            return None;
        }
        let entry = load(entry).ok()?;
        let info = vk::InstanceCreateInfo::default();
        // SAFETY: the entry points are alive; nothing is chained to the structure.
        let instance = unsafe { entry.create_instance(&info, None) }.ok()?;
        Some(LoadedDrivers {
            instance,
            _entry: entry,
        })
    }
}

/// Instance, device and queue for scripts of equal requirements.
pub struct Context {
    _entry: ash::Entry,
    pub(super) instance: ash::Instance,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) device: ash::Device,
    pub(super) queue: vk::Queue,
    pub(super) queue_family: u32,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    /// The scripts' requirements: a context is reused if they are equal.
    requirements: Requirements,
    graphics: bool,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: everything made from the device borrows this context, so nothing of it is alive;
        // both handles are destroyed exactly once, here.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

impl Context {
    /// Creates an instance and a device that satisfy `requirements`. `device_id` counts from 1.
    pub fn new(
        entry: &EntryPoint,
        requirements: &Requirements,
        graphics: bool,
        device_id: Option<usize>,
    ) -> Result<Context, VulkanError> {
        let entry = load(entry)?;
        let instance = create_instance(&entry, requirements)?;
        match pick_device(&instance, requirements, graphics, device_id) {
            Ok((physical, queue_family)) => {
                match create_device(&instance, physical, queue_family, requirements) {
                    Ok(device) => {
                        // SAFETY: the family and index are those the device was made with.
                        let queue = unsafe { device.get_device_queue(queue_family, 0) };
                        // SAFETY: `physical` is of this instance.
                        let memory =
                            unsafe { instance.get_physical_device_memory_properties(physical) };
                        Ok(Context {
                            _entry: entry,
                            instance,
                            physical,
                            device,
                            queue,
                            queue_family,
                            memory,
                            requirements: requirements.clone(),
                            graphics,
                        })
                    }
                    Err(error) => {
                        // SAFETY: nothing made from the instance is left.
                        unsafe { instance.destroy_instance(None) };
                        Err(error)
                    }
                }
            }
            Err(error) => {
                // SAFETY: as above.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    /// True if a script with these requirements can use this context.
    pub fn serves(&self, requirements: &Requirements, graphics: bool) -> bool {
        let same_device = |a: &Requirements, b: &Requirements| {
            (
                a.version,
                &a.core_features,
                &a.extension_features,
                &a.extensions,
            ) == (
                b.version,
                &b.core_features,
                &b.extension_features,
                &b.extensions,
            )
        };
        self.graphics == graphics && same_device(&self.requirements, requirements)
    }

    /// Features of optimally tiled images of this format.
    pub(super) fn optimal_features(&self, format: vk::Format) -> vk::FormatFeatureFlags {
        // SAFETY: `physical` is of this instance.
        let properties = unsafe {
            self.instance
                .get_physical_device_format_properties(self.physical, format)
        };
        properties.optimal_tiling_features
    }

    /// Supported sample counts of optimally tiled 2D images with this format and usage; empty if
    /// such images are unsupported.
    pub(super) fn sample_counts(
        &self,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> vk::SampleCountFlags {
        // SAFETY: `physical` is of this instance.
        let properties = unsafe {
            self.instance.get_physical_device_image_format_properties(
                self.physical,
                format,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                usage,
                vk::ImageCreateFlags::empty(),
            )
        };
        properties.map_or(vk::SampleCountFlags::empty(), |p| p.sample_counts)
    }

    /// Name of the device.
    pub fn device_name(&self) -> String {
        // SAFETY: `physical` is of this instance.
        let properties = unsafe { self.instance.get_physical_device_properties(self.physical) };
        name_of(&properties)
    }

    /// Name of the `device_id`-th device, from 1, or of the first, without regard to requirements.
    /// Err: there is no such device.
    pub fn chosen_device(
        entry: &EntryPoint,
        device_id: Option<usize>,
    ) -> Result<String, VulkanError> {
        let entry = load(entry)?;
        // SAFETY: the loader's entry points are alive; nothing is chained to the default structure.
        let instance = unsafe { entry.create_instance(&vk::InstanceCreateInfo::default(), None) };
        let instance = check("vkCreateInstance", instance)?;
        // SAFETY: the instance is alive, and so are its physical devices until it is destroyed
        // below.
        let (count, properties) = unsafe {
            let devices = instance.enumerate_physical_devices().unwrap_or_default();
            let at = device_id.unwrap_or(1).checked_sub(1);
            let device = at.and_then(|at| devices.get(at));
            let properties = device.map(|d| instance.get_physical_device_properties(*d));
            (devices.len(), properties)
        };
        // SAFETY: nothing made from the instance is left.
        unsafe { instance.destroy_instance(None) };
        let none = || match device_id {
            Some(id) if count > 0 => format!("device {id} is none of 1 to {count}"),
            _ => "there is no Vulkan device".to_string(),
        };
        properties
            .as_ref()
            .map(name_of)
            .ok_or_else(|| VulkanError::Unsupported(none()))
    }
}

/// A device's name.
fn name_of(properties: &vk::PhysicalDeviceProperties) -> String {
    let name = properties.device_name_as_c_str().unwrap_or(c"?");
    name.to_string_lossy().into_owned()
}

fn load(entry: &EntryPoint) -> Result<ash::Entry, VulkanError> {
    let load_error = |e: ash::LoadingError| VulkanError::Load(e.to_string());
    match entry {
        // SAFETY: a Vulkan loader's initialisers are trusted as those of any library linked in.
        EntryPoint::Loader => unsafe { ash::Entry::load() }.map_err(load_error),
        // SAFETY: as above: the user names the library.
        EntryPoint::Library(path) => unsafe { ash::Entry::load_from(path) }.map_err(load_error),
        EntryPoint::Function(get) => {
            let functions = ash::StaticFn {
                get_instance_proc_addr: *get,
            };
            // SAFETY: the function is a driver's vk_icdGetInstanceProcAddr, valid for the whole
            // process.
            Ok(unsafe { ash::Entry::from_static_fn(functions) })
        }
    }
}

fn create_instance(
    entry: &ash::Entry,
    requirements: &Requirements,
) -> Result<ash::Instance, VulkanError> {
    let (major, minor, patch) = requirements.version;
    let app = vk::ApplicationInfo::default()
        .application_name(c"vkrunner")
        .api_version(vk::make_api_version(0, major, minor, patch));
    let extensions = [c"VK_KHR_get_physical_device_properties2".as_ptr()];
    let mut info = vk::InstanceCreateInfo::default().application_info(&app);
    if !requirements.extension_features.is_empty() {
        info = info.enabled_extension_names(&extensions);
    }
    // SAFETY: `info` and all it points to live until the call returns.
    match unsafe { entry.create_instance(&info, None) } {
        Ok(instance) => Ok(instance),
        Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => Err(VulkanError::Unsupported(
            "vkCreateInstance found no compatible driver".into(),
        )),
        Err(result) => Err(VulkanError::Call {
            call: "vkCreateInstance",
            result,
        }),
    }
}

/// The first device (or the `device_id`-th) that satisfies the requirements, and its queue family.
fn pick_device(
    instance: &ash::Instance,
    requirements: &Requirements,
    graphics: bool,
    device_id: Option<usize>,
) -> Result<(vk::PhysicalDevice, u32), VulkanError> {
    // SAFETY: the instance is alive.
    let devices = check("vkEnumeratePhysicalDevices", unsafe {
        instance.enumerate_physical_devices()
    })?;
    let mut reason = "The Vulkan instance reported zero drivers".to_string();
    let chosen: &[vk::PhysicalDevice] = match device_id {
        None => &devices,
        Some(id) => match devices.get(id.wrapping_sub(1)) {
            Some(device) => std::slice::from_ref(device),
            None => {
                return Err(VulkanError::Unsupported(format!(
                    "Device {id} was selected but the instance only reported {} device(s)",
                    devices.len()
                )));
            }
        },
    };
    for &physical in chosen {
        match device_fits(instance, physical, requirements, graphics) {
            Ok(family) => return Ok((physical, family)),
            Err(VulkanError::Unsupported(why)) => reason = why,
            Err(error) => return Err(error),
        }
    }
    Err(VulkanError::Unsupported(reason))
}

fn device_fits(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    requirements: &Requirements,
    graphics: bool,
) -> Result<u32, VulkanError> {
    let unsupported = |text: String| Err(VulkanError::Unsupported(text));
    // SAFETY: `physical` is of this instance, for this and the queries below.
    let properties = unsafe { instance.get_physical_device_properties(physical) };
    let (major, minor, patch) = requirements.version;
    if properties.api_version < vk::make_api_version(0, major, minor, patch) {
        let has = properties.api_version;
        return unsupported(format!(
            "Vulkan API version {major}.{minor}.{patch} required but the driver reported {}.{}.{}",
            vk::api_version_major(has),
            vk::api_version_minor(has),
            vk::api_version_patch(has)
        ));
    }
    // SAFETY: as above.
    let core = core_features(&unsafe { instance.get_physical_device_features(physical) });
    for &index in &requirements.core_features {
        if core[index] == vk::FALSE {
            return unsupported(format!(
                "Missing required feature: {}",
                features::CORE[index]
            ));
        }
    }
    // SAFETY: as above.
    let extensions = check("vkEnumerateDeviceExtensionProperties", unsafe {
        instance.enumerate_device_extension_properties(physical)
    })?;
    for name in &requirements.extensions {
        let has = extensions.iter().any(|e| {
            e.extension_name_as_c_str()
                .is_ok_and(|n| n.to_bytes() == name.as_bytes())
        });
        if !has {
            return unsupported(format!("Missing required extension: {name}"));
        }
    }
    if !requirements.subgroup_operations.is_empty() {
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
        // SAFETY: as above; the chain is a structure of Vulkan 1.1, which such a script requires.
        unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        let missing = requirements.subgroup_operations & !subgroup.supported_operations;
        if !missing.is_empty() {
            return unsupported(format!("Missing subgroup operations: {missing:?}"));
        }
        if !subgroup
            .supported_stages
            .contains(vk::ShaderStageFlags::COMPUTE)
        {
            return unsupported("No subgroup operations in compute shaders".into());
        }
    }
    for &(row, member) in &requirements.extension_features {
        let table = &features::EXTENSIONS[row];
        let mut structure = FeatureStruct::new(row);
        let mut features2 = vk::PhysicalDeviceFeatures2 {
            p_next: structure.as_ptr(),
            ..Default::default()
        };
        // SAFETY: the chained structure is laid out as sType, pNext, VkBool32 members, which is the
        // form of every structure in the table, and has room for them all.
        unsafe { instance.get_physical_device_features2(physical, &mut features2) };
        if structure.members[member] == vk::FALSE {
            return unsupported(format!(
                "Missing required feature “{}” from extension “{}”",
                table.members[member], table.extension
            ));
        }
    }
    // SAFETY: as above.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let find = |wanted: vk::QueueFlags| {
        families
            .iter()
            .position(|f| f.queue_count > 0 && f.queue_flags.contains(wanted))
    };
    let family = match find(vk::QueueFlags::GRAPHICS) {
        Some(family) => Some(family),
        None if graphics => None,
        // A script without draws needs only a compute queue.
        None => find(vk::QueueFlags::COMPUTE),
    };
    match family {
        Some(family) => Ok(family as u32),
        None => unsupported("Device has no graphics queue family".into()),
    }
}

/// The members of VkPhysicalDeviceFeatures as an array.
fn core_features(features: &vk::PhysicalDeviceFeatures) -> [vk::Bool32; 55] {
    // SAFETY: VkPhysicalDeviceFeatures is 55 VkBool32 and nothing else (checked by the types' sizes
    // here).
    unsafe { std::mem::transmute_copy(features) }
}

/// A features structure of an extension: sType, pNext, then VkBool32 members.
#[repr(C)]
struct FeatureStruct {
    structure: vk::StructureType,
    next: *mut c_void,
    members: [vk::Bool32; 32],
}

impl FeatureStruct {
    fn new(row: usize) -> FeatureStruct {
        FeatureStruct {
            structure: features::EXTENSIONS[row].structure,
            next: std::ptr::null_mut(),
            members: [vk::FALSE; 32],
        }
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }
}

fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    queue_family: u32,
    requirements: &Requirements,
) -> Result<ash::Device, VulkanError> {
    let mut core = [vk::FALSE; 55];
    for &index in &requirements.core_features {
        core[index] = vk::TRUE;
    }
    // SAFETY: as in `core_features`.
    let core: vk::PhysicalDeviceFeatures = unsafe { std::mem::transmute(core) };
    let mut structures: Vec<(usize, Box<FeatureStruct>)> = Vec::new();
    for &(row, member) in &requirements.extension_features {
        let at = structures
            .iter()
            .position(|s| s.0 == row)
            .unwrap_or_else(|| {
                structures.push((row, Box::new(FeatureStruct::new(row))));
                structures.len() - 1
            });
        structures[at].1.members[member] = vk::TRUE;
    }
    let mut chain = std::ptr::null_mut();
    for (_, structure) in &mut structures {
        structure.next = chain;
        chain = structure.as_ptr();
    }
    let owned: Vec<CString> = requirements
        .extensions
        .iter()
        .filter_map(|e| CString::new(e.as_str()).ok())
        .collect();
    let names: Vec<_> = owned.iter().map(|n| n.as_ptr()).collect();
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family)
        .queue_priorities(&priorities)];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&core);
    info.p_next = chain;
    // SAFETY: `info`, the chain and the names live until the call returns.
    check("vkCreateDevice", unsafe {
        instance.create_device(physical, &info, None)
    })
}
