//! Instance, device and queue, and the owner of all objects created from them.

use crate::vulkan::entry::{Source, load};
use crate::vulkan::error::{Error, check};
use crate::vulkan::extension_functions::{
    DrawExtensionFunctions, DynamicStateFunctions, TransformFeedbackFunctions,
};
use crate::vulkan::features::{Extension, Wants};
use ash::vk;
use std::cell::RefCell;
use std::ffi::CStr;

/// A handle that is destroyed with the device, newest first.
pub(super) enum Owned {
    Buffer(vk::Buffer),
    BufferView(vk::BufferView),
    Descriptors(vk::DescriptorPool),
    Framebuffer(vk::Framebuffer),
    Image(vk::Image),
    ImageView(vk::ImageView),
    Memory(vk::DeviceMemory),
    Pipeline(vk::Pipeline),
    PipelineLayout(vk::PipelineLayout),
    Queries(vk::QueryPool),
    RenderPass(vk::RenderPass),
    Sampler(vk::Sampler),
    SetLayout(vk::DescriptorSetLayout),
}

/// A device with one graphics and compute queue, and all objects created from it.
pub struct Gpu {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) device: ash::Device,
    pub(super) rendering: Option<ash::khr::dynamic_rendering::Device>,
    pub(super) dynamic: DynamicStateFunctions,
    pub(super) draw_extensions: DrawExtensionFunctions,
    pub(super) transform_feedback: TransformFeedbackFunctions,
    pub(super) locations: ash::ext::sample_locations::Device,
    pub(super) queue: vk::Queue,
    pub(super) pool: vk::CommandPool,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    owned: RefCell<Vec<Owned>>,
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: nothing is pending but after a failed wait, for which this waits again; every
        // handle was made by this device, is listed once and is destroyed once, newest first, so
        // nothing is destroyed before what uses it.
        unsafe {
            // An error is ignored: a lost device may be destroyed too.
            let _ = self.device.device_wait_idle();
            let d = &self.device;
            for owned in self.owned.take().into_iter().rev() {
                match owned {
                    Owned::Buffer(it) => d.destroy_buffer(it, None),
                    Owned::BufferView(it) => d.destroy_buffer_view(it, None),
                    Owned::Descriptors(it) => d.destroy_descriptor_pool(it, None),
                    Owned::Framebuffer(it) => d.destroy_framebuffer(it, None),
                    Owned::Image(it) => d.destroy_image(it, None),
                    Owned::ImageView(it) => d.destroy_image_view(it, None),
                    Owned::Memory(it) => d.free_memory(it, None),
                    Owned::Pipeline(it) => d.destroy_pipeline(it, None),
                    Owned::PipelineLayout(it) => d.destroy_pipeline_layout(it, None),
                    Owned::Queries(it) => d.destroy_query_pool(it, None),
                    Owned::RenderPass(it) => d.destroy_render_pass(it, None),
                    Owned::Sampler(it) => d.destroy_sampler(it, None),
                    Owned::SetLayout(it) => d.destroy_descriptor_set_layout(it, None),
                }
            }
            d.destroy_command_pool(self.pool, None);
            d.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

const DYNAMIC_RENDERING: &CStr = ash::khr::dynamic_rendering::NAME;
/// Extension for lists of view formats.
const FORMAT_LIST: &CStr = c"VK_KHR_image_format_list";

/// Extensions that VK_KHR_dynamic_rendering requires.
const BELOW_DYNAMIC_RENDERING: [&CStr; 2] = [
    ash::khr::depth_stencil_resolve::NAME,
    ash::khr::create_renderpass2::NAME,
];

impl Gpu {
    /// Opens the first device that can draw, with the requested features and extensions.
    pub fn new(source: &Source, wants: &Wants<'_>) -> Result<Gpu, Error> {
        let entry = load(source)?;
        let app = vk::ApplicationInfo::default()
            .application_name(c"ingot-samples")
            .api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: the entry is a driver's or the loader's; structures live until calls return, here
        // and below.
        let instance = check("vkCreateInstance", unsafe {
            entry.create_instance(&info, None)
        })?;
        match create(&instance, wants) {
            Ok(made) => Self::from_device(entry, instance, made),
            Err(error) => {
                // SAFETY: nothing created from the instance is left.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    fn from_device(entry: ash::Entry, instance: ash::Instance, made: Made) -> Result<Gpu, Error> {
        let Made {
            physical,
            device,
            family,
            renders,
        } = made;
        // SAFETY: the queue is the one that the device was made with; `physical` is of this
        // instance.
        let (queue, memory) = unsafe {
            (
                device.get_device_queue(family, 0),
                instance.get_physical_device_memory_properties(physical),
            )
        };
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_command_pool(&info, None) };
        let mut gpu = Gpu {
            rendering: renders
                .then(|| ash::khr::dynamic_rendering::Device::new(&instance, &device)),
            dynamic: DynamicStateFunctions::new(&instance, &device),
            draw_extensions: DrawExtensionFunctions::new(&instance, &device),
            transform_feedback: TransformFeedbackFunctions::new(&instance, &device),
            locations: ash::ext::sample_locations::Device::new(&instance, &device),
            _entry: entry,
            instance,
            physical,
            device,
            queue,
            pool: vk::CommandPool::null(),
            memory,
            owned: RefCell::default(),
        };
        gpu.pool = check("vkCreateCommandPool", pool)?;
        Ok(gpu)
    }

    /// The device's name, and its driver's if the driver reports it.
    pub fn describe(&self) -> String {
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: `physical` is of this instance; a driver skips structures that it does not know.
        unsafe {
            self.instance
                .get_physical_device_properties2(self.physical, &mut all);
        }
        let device = all.properties.device_name_as_c_str().unwrap_or(c"?");
        let mut text = device.to_string_lossy().into_owned();
        for part in [driver.driver_name_as_c_str(), driver.driver_info_as_c_str()] {
            match part {
                Ok(part) if !part.is_empty() => {
                    text.push_str(&format!(", {}", part.to_string_lossy()));
                }
                _ => {}
            }
        }
        text
    }

    /// The functions of dynamic rendering. Err: the device does not have it.
    pub(super) fn rendering(&self) -> Result<&ash::khr::dynamic_rendering::Device, Error> {
        let name = DYNAMIC_RENDERING.to_string_lossy();
        self.rendering
            .as_ref()
            .ok_or_else(|| Error::Unsupported(format!("{} lacks {name}", self.describe())))
    }

    /// True if optimally tiled images of this format have all these features.
    pub fn format_does(&self, format: vk::Format, all: vk::FormatFeatureFlags) -> bool {
        // SAFETY: `physical` is of this instance.
        let properties = unsafe {
            self.instance
                .get_physical_device_format_properties(self.physical, format)
        };
        properties.optimal_tiling_features.contains(all)
    }

    /// Registers a new handle, to be destroyed with the device.
    pub(super) fn own(&self, owned: Owned) {
        self.owned.borrow_mut().push(owned);
    }
}

/// A new device, its queue family, and whether it has dynamic rendering.
struct Made {
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    renders: bool,
}

/// Creates a device of the first physical device that can draw and has the wanted extensions; if
/// none has them, the error names what the first one that can draw lacks.
fn create(instance: &ash::Instance, wants: &Wants<'_>) -> Result<Made, Error> {
    // SAFETY: the instance is alive, here and below, and the physical devices are its own.
    let devices = unsafe { instance.enumerate_physical_devices() };
    let devices = check("vkEnumeratePhysicalDevices", devices)?;
    let draws = |physical: &vk::PhysicalDevice| {
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(*physical) };
        let draws = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let family = families.iter().position(|f| f.queue_flags.contains(draws));
        family.map(|family| (*physical, family as u32))
    };
    let has_all = |physical: vk::PhysicalDevice| {
        // SAFETY: as above.
        let offered = unsafe { instance.enumerate_device_extension_properties(physical) };
        let offered = offered.unwrap_or_default();
        let mut names = wants.extensions.iter().map(|extension| Ok(extension.name));
        names.all(|name| offered.iter().any(|e| e.extension_name_as_c_str() == name))
    };
    let drawing: Vec<_> = devices.iter().filter_map(draws).collect();
    let complete = drawing.iter().find(|(physical, _)| has_all(*physical));
    let Some(&(physical, family)) = complete.or(drawing.first()) else {
        let count = devices.len();
        return Err(Error::Unsupported(format!(
            "none of {count} Vulkan devices has a queue that draws"
        )));
    };
    // SAFETY: as above.
    let (properties, offered, mut has) = unsafe {
        (
            instance.get_physical_device_properties(physical),
            instance.enumerate_device_extension_properties(physical),
            instance.get_physical_device_features(physical),
        )
    };
    let name = properties.device_name_as_c_str().unwrap_or(c"?");
    let lacks = |what: &str| Error::Unsupported(format!("{} lacks {what}", name.to_string_lossy()));
    let offered = check("vkEnumerateDeviceExtensionProperties", offered)?;
    let offers = |name: &CStr| {
        offered
            .iter()
            .any(|e| e.extension_name_as_c_str() == Ok(name))
    };

    let mut features = vk::PhysicalDeviceFeatures::default();
    for feature in wants.features {
        if *(feature.field)(&mut has) == vk::FALSE {
            return Err(lacks(feature.name));
        }
        *(feature.field)(&mut features) = vk::TRUE;
    }
    let mut extensions = Vec::new();
    let renders = offers(DYNAMIC_RENDERING);
    if renders {
        extensions.push(DYNAMIC_RENDERING);
        extensions.extend(BELOW_DYNAMIC_RENDERING.iter().filter(|e| offers(e)));
    }
    if offers(FORMAT_LIST) {
        extensions.push(FORMAT_LIST);
    }
    for extension in wants.extensions {
        if !offers(extension.name) {
            return Err(lacks(&extension.name.to_string_lossy()));
        }
        extensions.push(extension.name);
    }
    let mut chain = FeatureChain::new(wants.extensions);
    chain.ask(instance, physical);

    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(family)
        .queue_priorities(&priorities)];
    let mut rendering =
        vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&features);
    if renders {
        info = info.push_next(&mut rendering);
    }
    if !chain.0.is_empty() {
        chain.append(info.p_next.cast_mut());
        info.p_next = chain.first();
    }
    // SAFETY: as above.
    let device = unsafe { instance.create_device(physical, &info, None) };
    Ok(Made {
        physical,
        device: check("vkCreateDevice", device)?,
        family,
        renders,
    })
}

/// Chained feature structures: each is a type, a pointer to the next, and a dword for each feature.
struct FeatureChain(Vec<Vec<u64>>);

impl FeatureChain {
    fn new(extensions: &[Extension]) -> Self {
        let structures = extensions.iter().filter_map(|extension| {
            let (s_type, members) = extension.features?;
            let mut words = vec![0; 2 + members.div_ceil(2)];
            words[0] = s_type.as_raw().cast_unsigned().into();
            Some(words)
        });
        let mut chain = FeatureChain(structures.collect());
        chain.append(std::ptr::null_mut());
        chain
    }

    /// Pointer to the first structure; null if there is none.
    fn first(&mut self) -> *mut std::ffi::c_void {
        let first = self.0.first_mut();
        first.map_or(std::ptr::null_mut(), |words| words.as_mut_ptr().cast())
    }

    /// Appends a chain to the last structure.
    fn append(&mut self, mut next: *mut std::ffi::c_void) {
        for words in self.0.iter_mut().rev() {
            words[1] = next as u64;
            next = words.as_mut_ptr().cast();
        }
    }

    /// Queries the features that a device offers.
    fn ask(&mut self, instance: &ash::Instance, physical: vk::PhysicalDevice) {
        let mut all = vk::PhysicalDeviceFeatures2 {
            p_next: self.first(),
            ..Default::default()
        };
        // SAFETY: the physical device is the instance's; each structure has room for its members,
        // and lives until the call returns.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
    }
}
