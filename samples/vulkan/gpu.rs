//! Instance, device and queue, and the owner of everything made from them.

use super::captured::Captured;
use super::counted::Counted;
use super::{Error, Source, check, load};
use ash::vk;
use std::cell::RefCell;
use std::ffi::CStr;

/// A feature of Vulkan 1.0, by the name that the specification gives it.
#[derive(Clone, Copy)]
pub struct Feature {
    /// The specification's name.
    pub name: &'static str,
    of: fn(&mut vk::PhysicalDeviceFeatures) -> &mut vk::Bool32,
}

/// Features that samples and scenes ask for.
pub mod feature {
    use super::Feature;

    macro_rules! features {
        ($($constant:ident $name:literal $field:ident;)*) => {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $constant: Feature = Feature { name: $name, of: |f| &mut f.$field };
            )*
        };
    }

    features! {
        ALPHA_TO_ONE "alphaToOne" alpha_to_one;
        ANISOTROPY "samplerAnisotropy" sampler_anisotropy;
        CLIP_DISTANCE "shaderClipDistance" shader_clip_distance;
        COMPRESSED_BC "textureCompressionBC" texture_compression_bc;
        CULL_DISTANCE "shaderCullDistance" shader_cull_distance;
        CUBE_ARRAY "imageCubeArray" image_cube_array;
        DEPTH_BIAS_CLAMP "depthBiasClamp" depth_bias_clamp;
        DEPTH_BOUNDS "depthBounds" depth_bounds;
        DEPTH_CLAMP "depthClamp" depth_clamp;
        DUAL_SOURCE "dualSrcBlend" dual_src_blend;
        FIRST_INSTANCE "drawIndirectFirstInstance" draw_indirect_first_instance;
        FILL_MODES "fillModeNonSolid" fill_mode_non_solid;
        FRAGMENT_STORES "fragmentStoresAndAtomics" fragment_stores_and_atomics;
        FLOAT64 "shaderFloat64" shader_float64;
        GATHER_EXTENDED "shaderImageGatherExtended" shader_image_gather_extended;
        GEOMETRY "geometryShader" geometry_shader;
        FULL_INDICES "fullDrawIndexUint32" full_draw_index_uint32;
        INDEPENDENT_BLEND "independentBlend" independent_blend;
        INHERITED_QUERIES "inheritedQueries" inherited_queries;
        LARGE_POINTS "largePoints" large_points;
        LOGIC_OP "logicOp" logic_op;
        MULTI_DRAW_INDIRECT "multiDrawIndirect" multi_draw_indirect;
        MULTI_VIEWPORT "multiViewport" multi_viewport;
        PRECISE_OCCLUSION "occlusionQueryPrecise" occlusion_query_precise;
        SAMPLE_RATE "sampleRateShading" sample_rate_shading;
        STATISTICS "pipelineStatisticsQuery" pipeline_statistics_query;
        TESSELLATION "tessellationShader" tessellation_shader;
    }
}

/// An extension of a device, with all that the device offers of its features.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Its name.
    pub name: &'static CStr,
    /// Its structure of features, and how many those are.
    pub features: Option<(vk::StructureType, usize)>,
}

/// Extensions that samples and scenes ask for.
pub mod extension {
    use super::Extension;
    use ash::{ext, vk};

    const fn with(
        name: &'static std::ffi::CStr,
        s_type: vk::StructureType,
        features: usize,
    ) -> Extension {
        Extension {
            name,
            features: Some((s_type, features)),
        }
    }

    /// Draws that memory counts.
    pub const COUNTS: Extension = Extension {
        name: ash::khr::draw_indirect_count::NAME,
        features: None,
    };

    macro_rules! extensions {
        ($($constant:ident $module:ident $s_type:ident $features:literal;)*) => {
            $(
                #[doc = concat!("`", stringify!($module), "` of EXT")]
                pub const $constant: Extension = with(ext::$module::NAME, vk::StructureType::$s_type, $features);
            )*
        };
    }

    /// `imageless_framebuffer` of KHR
    pub const IMAGELESS: Extension = with(
        ash::khr::imageless_framebuffer::NAME,
        vk::StructureType::PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES,
        1,
    );
    /// What imageless framebuffers build on.
    pub const FORMAT_LIST: Extension = Extension {
        name: ash::khr::image_format_list::NAME,
        features: None,
    };
    /// `separate_depth_stencil_layouts` of KHR
    pub const SEPARATE_LAYOUTS: Extension = with(
        ash::khr::separate_depth_stencil_layouts::NAME,
        vk::StructureType::PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES,
        1,
    );
    /// `shader_terminate_invocation` of KHR
    pub const TERMINATE: Extension = with(
        ash::khr::shader_terminate_invocation::NAME,
        vk::StructureType::PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES,
        1,
    );
    /// `shader_viewport_index_layer` of EXT
    pub const VIEWPORT_LAYER: Extension = Extension {
        name: ext::shader_viewport_index_layer::NAME,
        features: None,
    };
    /// `conservative_rasterization` of EXT
    pub const CONSERVATIVE: Extension = Extension {
        name: ext::conservative_rasterization::NAME,
        features: None,
    };
    /// `sample_locations` of EXT
    pub const LOCATIONS: Extension = Extension {
        name: ext::sample_locations::NAME,
        features: None,
    };
    /// `shader_stencil_export` of EXT
    pub const STENCIL_EXPORT: Extension = Extension {
        name: ext::shader_stencil_export::NAME,
        features: None,
    };

    /// `multiview` of KHR
    pub const MULTIVIEW: Extension = with(
        ash::khr::multiview::NAME,
        vk::StructureType::PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
        3,
    );

    extensions! {
        CAPTURES transform_feedback PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT 2;
        PRIMITIVES primitives_generated_query PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT 3;
        INTERLOCK fragment_shader_interlock PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT 3;
        COLOR_WRITES color_write_enable PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT 1;
        CONDITIONS conditional_rendering PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT 2;
        DEMOTE shader_demote_to_helper_invocation PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES 1;
        DEPTH_CLIP depth_clip_enable PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT 1;
        DEPTH_CLIP_CONTROL depth_clip_control PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT 1;
        DIVISORS vertex_attribute_divisor PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT 2;
        DYNAMIC_1 extended_dynamic_state PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT 1;
        DYNAMIC_2 extended_dynamic_state2 PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT 3;
        DYNAMIC_3 extended_dynamic_state3 PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT 31;
        BYTE_INDICES index_type_uint8 PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT 1;
        LINES line_rasterization PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT 6;
        LIST_RESTART primitive_topology_list_restart PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT 2;
        TEXEL_ALIGNMENT texel_buffer_alignment PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT 1;
        LISTS multi_draw PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT 1;
        PROVOKING provoking_vertex PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT 2;
    }
}

/// What a program asks of a device, beyond Vulkan 1.1 and, where it draws outside render passes, dynamic rendering.
#[derive(Clone, Copy, Default)]
pub struct Wants<'a> {
    /// Features that must be there.
    pub features: &'a [Feature],
    /// Extensions that must be there.
    pub extensions: &'a [Extension],
}

/// What is destroyed with the device, newest first.
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

/// Functions that set state, of extensions; those of one that the device was made without are never called.
pub(super) struct Dynamic {
    pub one: ash::ext::extended_dynamic_state::Device,
    pub two: ash::ext::extended_dynamic_state2::Device,
    pub three: ash::ext::extended_dynamic_state3::Device,
    pub writes: ash::ext::color_write_enable::Device,
    pub lines: ash::ext::line_rasterization::Device,
}

impl Dynamic {
    fn new(instance: &ash::Instance, device: &ash::Device) -> Self {
        Dynamic {
            one: ash::ext::extended_dynamic_state::Device::new(instance, device),
            two: ash::ext::extended_dynamic_state2::Device::new(instance, device),
            three: ash::ext::extended_dynamic_state3::Device::new(instance, device),
            writes: ash::ext::color_write_enable::Device::new(instance, device),
            lines: ash::ext::line_rasterization::Device::new(instance, device),
        }
    }
}

/// A device with one queue that draws and computes, and everything made from it.
pub struct Gpu {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) device: ash::Device,
    pub(super) rendering: Option<ash::khr::dynamic_rendering::Device>,
    pub(super) dynamic: Dynamic,
    pub(super) counted: Counted,
    pub(super) captured: Captured,
    pub(super) locations: ash::ext::sample_locations::Device,
    pub(super) queue: vk::Queue,
    pub(super) pool: vk::CommandPool,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    owned: RefCell<Vec<Owned>>,
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: nothing is pending but after a failed wait, for which this waits again; every handle was made by this device,
        // is listed once and is destroyed once, newest first, so nothing is destroyed before what uses it.
        unsafe {
            // A lost device may be destroyed all the same.
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
/// Lists of the formats that an image is seen in.
const FORMAT_LIST: &CStr = c"VK_KHR_image_format_list";

/// What dynamic rendering builds on, where it is an extension.
const BELOW_DYNAMIC_RENDERING: [&CStr; 2] = [
    ash::khr::depth_stencil_resolve::NAME,
    ash::khr::create_renderpass2::NAME,
];

impl Gpu {
    /// The first device that draws, made with what is wanted.
    pub fn new(source: &Source, wants: &Wants<'_>) -> Result<Gpu, Error> {
        let entry = load(source)?;
        let app = vk::ApplicationInfo::default()
            .application_name(c"ingot-samples")
            .api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: the entry is a driver's or the loader's; structures live until calls return, here and below.
        let instance = check("vkCreateInstance", unsafe {
            entry.create_instance(&info, None)
        })?;
        match create(&instance, wants) {
            Ok(made) => Self::of(entry, instance, made),
            Err(error) => {
                // SAFETY: nothing of the instance is left.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    fn of(entry: ash::Entry, instance: ash::Instance, made: Made) -> Result<Gpu, Error> {
        let Made {
            physical,
            device,
            family,
            renders,
        } = made;
        // SAFETY: the queue is the one that the device was made with; `physical` is of this instance.
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
            dynamic: Dynamic::new(&instance, &device),
            counted: Counted::new(&instance, &device),
            captured: Captured::new(&instance, &device),
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

    /// The device's name, and its driver's where that says it.
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

    /// Dynamic rendering, where the device has it.
    pub(super) fn rendering(&self) -> Result<&ash::khr::dynamic_rendering::Device, Error> {
        let name = DYNAMIC_RENDERING.to_string_lossy();
        self.rendering
            .as_ref()
            .ok_or_else(|| Error::Unsupported(format!("{} lacks {name}", self.describe())))
    }

    /// Whether optimally tiled images of this format can do all this.
    pub fn format_does(&self, format: vk::Format, all: vk::FormatFeatureFlags) -> bool {
        // SAFETY: `physical` is of this instance.
        let properties = unsafe {
            self.instance
                .get_physical_device_format_properties(self.physical, format)
        };
        properties.optimal_tiling_features.contains(all)
    }

    /// Hands a new handle to the device, which destroys it in the end.
    pub(super) fn own(&self, owned: Owned) {
        self.owned.borrow_mut().push(owned);
    }
}

/// A device, with its family of queues and whether it has dynamic rendering.
struct Made {
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    renders: bool,
}

/// A device of the first physical device that can draw.
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
    let Some((physical, family)) = devices.iter().find_map(draws) else {
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
        if *(feature.of)(&mut has) == vk::FALSE {
            return Err(lacks(feature.name));
        }
        *(feature.of)(&mut features) = vk::TRUE;
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

/// Structures of features, chained: each is its type, the next one, and a dword for each feature.
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

    /// The first of them, or none.
    fn first(&mut self) -> *mut std::ffi::c_void {
        let first = self.0.first_mut();
        first.map_or(std::ptr::null_mut(), |words| words.as_mut_ptr().cast())
    }

    /// Makes a chain follow the last of them.
    fn append(&mut self, mut next: *mut std::ffi::c_void) {
        for words in self.0.iter_mut().rev() {
            words[1] = next as u64;
            next = words.as_mut_ptr().cast();
        }
    }

    /// Fills in what a device offers.
    fn ask(&mut self, instance: &ash::Instance, physical: vk::PhysicalDevice) {
        let mut all = vk::PhysicalDeviceFeatures2 {
            p_next: self.first(),
            ..Default::default()
        };
        // SAFETY: the physical device is the instance's; each structure has room for its members, and lives until the call returns.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
    }
}
