//! An instance and a device with all that the GPU offers, and the modules of the shaders.

use ash::vk;

/// What lives as long as a run.
pub struct World {
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub push_descriptor: ash::khr::push_descriptor::Device,
    /// Of the device: all are enabled.
    pub features: vk::PhysicalDeviceFeatures,
    pub shaders: Shaders,
    words: Words,
    _entry: ash::Entry,
}

/// SPIR-V of the shaders: made once, as their source is always the same.
#[derive(Clone)]
pub struct Words {
    compute: Vec<u32>,
    atomics: Vec<u32>,
    vertex: Vec<u32>,
    fragment: Vec<u32>,
    whole: Vec<u32>,
    geometry: Vec<u32>,
    control: Vec<u32>,
    evaluation: Vec<u32>,
}

/// The modules.
pub struct Shaders {
    pub compute: vk::ShaderModule,
    pub atomics: vk::ShaderModule,
    pub vertex: vk::ShaderModule,
    /// Writes four floats.
    pub fragment: vk::ShaderModule,
    /// Writes integers.
    pub whole: vk::ShaderModule,
    pub geometry: vk::ShaderModule,
    pub control: vk::ShaderModule,
    pub evaluation: vk::ShaderModule,
}

/// Bytes of push constants, and the stages that see them.
pub const PUSH_BYTES: u32 = 16;
pub const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::ALL_GRAPHICS.as_raw() | vk::ShaderStageFlags::COMPUTE.as_raw(),
);

fn stage(name: &str, body: &str) -> Vec<u32> {
    let text = format!("[require]\nvulkan 1.1\n\n[{name}]\n#version 450\n{body}\n[test]\n");
    let script = vkrunner::parse(&text, &[]).expect("a script");
    let modules = vkrunner::Runner::compile(&script).expect("GLSL");
    modules.into_iter().next().expect("one stage").1
}

impl Words {
    pub fn new() -> Words {
        const PUSH: &str = "layout(push_constant) uniform Push { vec4 push; };\n";
        const IN_OUT: &str =
            "layout(location = 0) in vec4 colours[]; layout(location = 0) out vec4 colour";
        Words {
            compute: stage(
                "compute shader",
                "layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TURNS = 1;
layout(binding = 0) uniform U { vec4 weights; };
layout(std430, binding = 1) buffer B { uint words[]; };
layout(binding = 2) uniform sampler2D picture;
layout(push_constant) uniform Push { vec4 push; };
shared vec4 sums[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    vec4 sum = push;
    for (uint turn = 0; turn < TURNS; turn++)
        sum += texture(picture, push.xy + vec2(i, turn) / 16.0) * weights;
    sums[i % 64] = sum;
    barrier();
    words[(gl_WorkGroupID.x * gl_WorkGroupSize.x + i) % 256] = floatBitsToUint(sums[(i + 1) % 64].x);
}",
            ),
            atomics: stage(
                "compute shader",
                "layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) uniform U { vec4 weights; };
layout(std430, binding = 1) buffer B { uint words[]; };
layout(binding = 3, r32ui) uniform uimage2D places;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) % imageSize(places);
    uint before = imageAtomicAdd(places, at, 1u);
    if (weights.x > 0.5)
        imageStore(places, at, uvec4(before & 7u));
    atomicMax(words[256 + gl_LocalInvocationIndex % 8], before);
}",
            ),
            vertex: stage(
                "vertex shader",
                &format!(
                    "layout(location = 0) in vec4 place;
layout(location = 1) in vec4 tint;
{PUSH}layout(location = 0) out vec4 colour;
void main() {{
    gl_Position = vec4(place.xyz + push.xyz * 0.25, 1.0);
    gl_PointSize = 1.0;
    colour = tint;
}}"
                ),
            ),
            fragment: stage(
                "fragment shader",
                "layout(location = 0) in vec4 colour;
layout(binding = 0) uniform U { vec4 weights; };
layout(binding = 2) uniform sampler2D picture;
layout(location = 0) out vec4 to;
void main() {
    to = colour * weights + texture(picture, colour.xy) + dFdx(colour) * 0.125;
    if (colour.a < 0.1)
        discard;
}",
            ),
            whole: stage(
                "fragment shader",
                "layout(location = 0) in vec4 colour;
layout(location = 0) out uvec4 to;
void main() { to = uvec4(colour * 255.0) + uvec4(gl_FragCoord.x); }",
            ),
            geometry: stage(
                "geometry shader",
                &format!(
                    "layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
{IN_OUT};
void main() {{
    for (int i = 0; i < 4; i++) {{
        gl_Position = gl_in[i % 3].gl_Position * (i == 3 ? -0.5 : 1.0);
        colour = colours[i % 3];
        EmitVertex();
    }}
}}"
                ),
            ),
            control: stage(
                "tessellation control shader",
                &format!(
                    "layout(vertices = 3) out;
{PUSH}{IN_OUT}[];
void main() {{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    colour[gl_InvocationID] = colours[gl_InvocationID];
    gl_TessLevelOuter = float[4](2.0, 1.0 + push.x * 4.0, 3.0, 1.0);
    gl_TessLevelInner = float[2](1.0 + push.y * 3.0, 1.0);
}}"
                ),
            ),
            evaluation: stage(
                "tessellation evaluation shader",
                &format!(
                    "layout(triangles, fractional_odd_spacing) in;
{IN_OUT};
void main() {{
    vec4 place = vec4(0.0);
    colour = vec4(0.0);
    for (int i = 0; i < 3; i++) {{
        place += gl_in[i].gl_Position * gl_TessCoord[i];
        colour += colours[i] * gl_TessCoord[i];
    }}
    gl_Position = place;
}}"
                ),
            ),
        }
    }
}

impl World {
    /// # Panics
    /// Where there is no device, or it refuses what it offers.
    pub fn new(entry: &ash::Entry, words: &Words) -> World {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
        let physical = unsafe { instance.enumerate_physical_devices() }.expect("devices")[0];
        let queue_infos = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let names = [
            ash::khr::push_descriptor::NAME.as_ptr(),
            ash::ext::external_memory_host::NAME.as_ptr(),
        ];
        let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default();
        let mut thirteen = vk::PhysicalDeviceVulkan13Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut eleven)
            .push_next(&mut twelve)
            .push_next(&mut thirteen);
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        let plain = features.features;
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queue_infos)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        let device = unsafe { instance.create_device(physical, &info, None) }.expect("a device");
        let shaders = Shaders::new(&device, words);
        World {
            queue: unsafe { device.get_device_queue(0, 0) },
            push_descriptor: ash::khr::push_descriptor::Device::new(&instance, &device),
            instance,
            physical,
            device,
            features: plain,
            shaders,
            words: words.clone(),
            _entry: entry.clone(),
        }
    }

    /// Creates the modules again: pipelines do not need the old ones.
    pub fn renew_shaders(&mut self) {
        self.shaders.destroy(&self.device);
        self.shaders = Shaders::new(&self.device, &self.words);
    }

    /// Memory for something, bound by the caller; mapped on request.
    pub fn memory(&self, wants: vk::MemoryRequirements) -> vk::DeviceMemory {
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(wants.size)
            .memory_type_index(wants.memory_type_bits.trailing_zeros());
        unsafe { self.device.allocate_memory(&info, None) }.expect("memory")
    }

    /// What optimally tiled images of a format can be used for.
    pub fn format_features(&self, format: vk::Format) -> vk::FormatFeatureFlags {
        let found = unsafe {
            self.instance
                .get_physical_device_format_properties(self.physical, format)
        };
        found.optimal_tiling_features
    }
}

impl Drop for World {
    fn drop(&mut self) {
        unsafe {
            let _ = self.device.device_wait_idle();
            self.shaders.destroy(&self.device);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

impl Shaders {
    fn new(device: &ash::Device, words: &Words) -> Shaders {
        let make = |words: &[u32]| {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            unsafe { device.create_shader_module(&info, None) }.expect("a module")
        };
        Shaders {
            compute: make(&words.compute),
            atomics: make(&words.atomics),
            vertex: make(&words.vertex),
            fragment: make(&words.fragment),
            whole: make(&words.whole),
            geometry: make(&words.geometry),
            control: make(&words.control),
            evaluation: make(&words.evaluation),
        }
    }

    fn destroy(&self, device: &ash::Device) {
        for module in [
            self.compute,
            self.atomics,
            self.vertex,
            self.fragment,
            self.whole,
            self.geometry,
            self.control,
            self.evaluation,
        ] {
            unsafe { device.destroy_shader_module(module, None) };
        }
    }
}
