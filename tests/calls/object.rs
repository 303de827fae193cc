//! Buffers, images, samplers, pipelines: what commands are recorded with, made at random and all
//! gone at the end of a round.

use ash::vk;

use crate::memory::{Memory, lender};
use crate::random::Random;
use crate::world::{PUSH_BYTES, STAGES, World};

/// A buffer that every command may use.
pub struct Buffer {
    pub buffer: vk::Buffer,
    pub bytes: u64,
    memory: Memory,
    view: vk::BufferView,
    /// It is in memory from the application's callbacks.
    lent: bool,
}

/// An image, always in the layout GENERAL between commands.
pub struct Image {
    pub image: vk::Image,
    pub format: vk::Format,
    pub kind: Kind,
    pub width: u32,
    pub height: u32,
    pub levels: u32,
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
    pub aspects: vk::ImageAspectFlags,
    pub features: vk::FormatFeatureFlags,
    memory: vk::DeviceMemory,
    /// Of the first level and layer.
    pub target: vk::ImageView,
    /// Of all levels of the last layer, of one aspect.
    pub texture: vk::ImageView,
}

/// What an image's texels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Fixed point and floats: they can be filtered and blended.
    Colour,
    /// Whole numbers.
    Whole,
    /// Depth, stencil or both.
    Depth,
}

/// Formats that are drawn to.
const COLOURS: &[(vk::Format, Kind)] = &[
    (vk::Format::R8G8B8A8_UNORM, Kind::Colour),
    (vk::Format::B8G8R8A8_SRGB, Kind::Colour),
    (vk::Format::A2B10G10R10_UNORM_PACK32, Kind::Colour),
    (vk::Format::R16G16B16A16_SFLOAT, Kind::Colour),
    (vk::Format::R32_SFLOAT, Kind::Colour),
    (vk::Format::R5G6B5_UNORM_PACK16, Kind::Colour),
    (vk::Format::R32_UINT, Kind::Whole),
    (vk::Format::R8G8_UINT, Kind::Whole),
    (vk::Format::R16G16B16A16_UINT, Kind::Whole),
];
const DEPTHS: &[vk::Format] = &[
    vk::Format::D16_UNORM,
    vk::Format::D32_SFLOAT,
    vk::Format::S8_UINT,
    vk::Format::D24_UNORM_S8_UINT,
    vk::Format::D32_SFLOAT_S8_UINT,
];

/// The format of storage images.
pub const PLACES: vk::Format = vk::Format::R32_UINT;

/// Bytes of a texel in a buffer, at most.
pub const TEXEL_BYTES: u64 = 8;

/// Everything of one round.
pub struct Objects {
    pub buffers: Vec<Buffer>,
    /// Vertices, indices, draws and dispatches: nothing but reads them.
    pub fixed: Fixed,
    pub images: Vec<Image>,
    pub samplers: Vec<vk::Sampler>,
    pub set_layout: vk::DescriptorSetLayout,
    pub pushed_layout: vk::DescriptorSetLayout,
    pub layout: vk::PipelineLayout,
    /// Of one set that is pushed.
    pub pushing: vk::PipelineLayout,
    pub template: vk::DescriptorUpdateTemplate,
    pub cache: vk::PipelineCache,
    /// Each with whether it wants its set pushed.
    pub compute: Vec<(vk::Pipeline, bool)>,
}

/// Buffers that are written once.
pub struct Fixed {
    pub buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

/// A vertex: a position and a tint.
pub const VERTICES: u32 = 48;
pub const VERTEX_BYTES: u32 = 20;
pub const INDICES_AT: u64 = 4096;
pub const INDICES: u32 = 96;
/// Two `VkDrawIndirectCommand`, two `VkDrawIndexedIndirectCommand`, a `VkDispatchIndirectCommand`,
/// the number of draws.
pub const DRAWS_AT: u64 = 8192;
pub const INDEXED_AT: u64 = DRAWS_AT + 64;
pub const DISPATCH_AT: u64 = INDEXED_AT + 64;
pub const COUNT_AT: u64 = DISPATCH_AT + 64;
const FIXED_BYTES: u64 = 16384;

impl Fixed {
    fn new(world: &World, random: &mut Random) -> Fixed {
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        let d = &world.device;
        let info = vk::BufferCreateInfo::default()
            .size(FIXED_BYTES)
            .usage(usage);
        unsafe {
            let buffer = d.create_buffer(&info, None).expect("a buffer");
            let memory = world.memory(d.get_buffer_memory_requirements(buffer));
            d.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let mapped = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let bytes = std::slice::from_raw_parts_mut(
                mapped.expect("mapped").cast::<u8>(),
                FIXED_BYTES as usize,
            );
            let mut put = |at: u64, words: &[u32]| {
                for (word, to) in words.iter().zip(bytes[at as usize..].chunks_exact_mut(4)) {
                    to.copy_from_slice(&word.to_le_bytes());
                }
            };
            for vertex in 0..VERTICES {
                let mut coordinate = || (random.unit() * 3.0 - 1.5).to_bits();
                let place = [
                    coordinate(),
                    coordinate(),
                    0.5f32.to_bits(),
                    1.0f32.to_bits(),
                ];
                let at = u64::from(vertex * VERTEX_BYTES);
                put(at, &place);
                put(at + 16, &[random.next() as u32]);
            }
            for pair in 0..INDICES / 2 {
                let (low, high) = (random.range(0, VERTICES - 1), random.range(0, VERTICES - 1));
                put(INDICES_AT + u64::from(pair * 4), &[low | high << 16]);
            }
            put(DRAWS_AT, &[3, 1, 0, 0, 6, 2, 3, 0]);
            put(INDEXED_AT, &[3, 1, 0, 0, 0, 9, 1, 2, 0, 0]);
            put(DISPATCH_AT, &[2, 1, 1]);
            put(COUNT_AT, &[2]);
            d.unmap_memory(memory);
            Fixed { buffer, memory }
        }
    }
}

fn buffer(world: &World, random: &mut Random) -> Buffer {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    let d = &world.device;
    let bytes = u64::from(random.range(1, 24)) * 4096;
    // Its memory may be the process's own pages.
    let mut host = vk::ExternalMemoryBufferCreateInfo::default()
        .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
    let info = vk::BufferCreateInfo::default()
        .size(bytes)
        .usage(usage)
        .push_next(&mut host);
    let lent = random.one_in(2);
    let callbacks = lent.then(lender);
    unsafe {
        let buffer = d
            .create_buffer(&info, callbacks.as_ref())
            .expect("a buffer");
        let memory = Memory::new(world, random, buffer);
        d.bind_buffer_memory(buffer, memory.memory, 0)
            .expect("bound");
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer)
            .format(vk::Format::R8G8B8A8_UNORM)
            .range(u64::from(random.range(1, 4)) * 256);
        let view = d.create_buffer_view(&info, None).expect("a view");
        Buffer {
            buffer,
            bytes,
            memory,
            view,
            lent,
        }
    }
}

/// The aspects of a format.
pub fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
        vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
        }
        _ => vk::ImageAspectFlags::COLOR,
    }
}

impl Image {
    /// An image of a format that serves for everything that its format is for.
    fn new(
        world: &World,
        random: &mut Random,
        (format, kind): (vk::Format, Kind),
        size: (u32, u32),
        many: bool,
    ) -> Image {
        let d = &world.device;
        let (width, height) = size;
        let features = world.format_features(format);
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED;
        usage |= match kind {
            Kind::Depth => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            _ => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        if format == PLACES && !many {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        let found = unsafe {
            world.instance.get_physical_device_image_format_properties(
                world.physical,
                format,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                usage,
                vk::ImageCreateFlags::empty(),
            )
        };
        let counts = found.expect("usages of the format").sample_counts;
        let samples = [2, 4, 8, 16].map(vk::SampleCountFlags::from_raw);
        let samples = match random.pick_where(&samples, |count| counts.contains(*count)) {
            Some(count) if many => *count,
            _ => vk::SampleCountFlags::TYPE_1,
        };
        let levels = if many {
            1
        } else {
            random.range(1, 1 + width.max(height).ilog2())
        };
        let layers = random.range(1, 3);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D {
                width,
                height,
                depth: 1,
            })
            .mip_levels(levels)
            .array_layers(layers)
            .samples(samples)
            .usage(usage);
        let aspects = aspects(format);
        unsafe {
            let image = d.create_image(&info, None).expect("an image");
            let memory = world.memory(d.get_image_memory_requirements(image));
            d.bind_image_memory(image, memory, 0).expect("bound");
            let view = |aspects, levels, layer| {
                let range = vk::ImageSubresourceRange::default()
                    .aspect_mask(aspects)
                    .level_count(levels)
                    .base_array_layer(layer)
                    .layer_count(1);
                let info = vk::ImageViewCreateInfo::default()
                    .image(image)
                    .view_type(vk::ImageViewType::TYPE_2D)
                    .format(format)
                    .subresource_range(range);
                d.create_image_view(&info, None).expect("a view")
            };
            let one = match aspects.contains(vk::ImageAspectFlags::DEPTH) {
                true => vk::ImageAspectFlags::DEPTH,
                false => aspects,
            };
            Image {
                image,
                format,
                kind,
                width,
                height,
                levels,
                layers,
                samples,
                aspects,
                features,
                memory,
                target: view(aspects, 1, 0),
                texture: view(one, levels, layers - 1),
            }
        }
    }

    /// One sample in each texel.
    pub fn single(&self) -> bool {
        self.samples == vk::SampleCountFlags::TYPE_1
    }

    /// The whole area.
    pub fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspects)
            .level_count(self.levels)
            .layer_count(self.layers)
    }

    /// Width and height of a level.
    pub fn size(&self, level: u32) -> (u32, u32) {
        ((self.width >> level).max(1), (self.height >> level).max(1))
    }
}

fn sampler(world: &World, random: &mut Random) -> vk::Sampler {
    let addresses = [
        vk::SamplerAddressMode::REPEAT,
        vk::SamplerAddressMode::MIRRORED_REPEAT,
        vk::SamplerAddressMode::CLAMP_TO_EDGE,
        vk::SamplerAddressMode::CLAMP_TO_BORDER,
    ];
    let mut address = || *random.pick(&addresses);
    let info = vk::SamplerCreateInfo::default()
        .address_mode_u(address())
        .address_mode_v(address())
        .address_mode_w(address())
        .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
        .mip_lod_bias(random.unit())
        .max_lod(random.unit() * 4.0);
    unsafe { world.device.create_sampler(&info, None) }.expect("a sampler")
}

/// The bindings that shaders have: a uniform buffer, a storage buffer, a texture, a storage image.
fn set_layout(world: &World, flags: vk::DescriptorSetLayoutCreateFlags) -> vk::DescriptorSetLayout {
    let bindings = KINDS.map(|(binding, kind)| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(binding)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::FRAGMENT)
    });
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .bindings(&bindings)
        .flags(flags);
    unsafe { world.device.create_descriptor_set_layout(&info, None) }.expect("a layout")
}

pub const KINDS: [(u32, vk::DescriptorType); 4] = [
    (0, vk::DescriptorType::UNIFORM_BUFFER),
    (1, vk::DescriptorType::STORAGE_BUFFER),
    (2, vk::DescriptorType::COMBINED_IMAGE_SAMPLER),
    (3, vk::DescriptorType::STORAGE_IMAGE),
];

/// What a set is written with, as the update template reads it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Written {
    pub buffers: [vk::DescriptorBufferInfo; 2],
    pub images: [vk::DescriptorImageInfo; 2],
}

fn template(world: &World, layout: vk::DescriptorSetLayout) -> vk::DescriptorUpdateTemplate {
    let places = [
        0,
        size_of::<vk::DescriptorBufferInfo>(),
        2 * size_of::<vk::DescriptorBufferInfo>(),
    ];
    let last = places[2] + size_of::<vk::DescriptorImageInfo>();
    let places = [places[0], places[1], places[2], last];
    let mut entries = [vk::DescriptorUpdateTemplateEntry::default(); 4];
    for (((binding, kind), place), entry) in KINDS.into_iter().zip(places).zip(&mut entries) {
        *entry = entry
            .dst_binding(binding)
            .descriptor_type(kind)
            .descriptor_count(1)
            .offset(place)
            .stride(size_of::<Written>());
    }
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
        .descriptor_set_layout(layout);
    unsafe { world.device.create_descriptor_update_template(&info, None) }.expect("a template")
}

fn compute(
    world: &World,
    random: &mut Random,
    layout: vk::PipelineLayout,
    cache: vk::PipelineCache,
) -> vk::Pipeline {
    let numbers = [*random.pick(&[1u32, 8, 16, 33, 64]), random.range(0, 5)];
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let entries = [0, 1].map(|id| vk::SpecializationMapEntry {
        constant_id: id,
        offset: id * 4,
        size: 4,
    });
    let specialized = vk::SpecializationInfo::default()
        .map_entries(&entries)
        .data(&bytes);
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .name(c"main");
    stage = match random.one_in(2) {
        true => stage.module(world.shaders.atomics),
        false => stage
            .module(world.shaders.compute)
            .specialization_info(&specialized),
    };
    let info = [vk::ComputePipelineCreateInfo::default()
        .flags(vk::PipelineCreateFlags::DISPATCH_BASE)
        .stage(stage)
        .layout(layout)];
    unsafe { world.device.create_compute_pipelines(cache, &info, None) }.expect("a pipeline")[0]
}

impl Objects {
    pub fn new(world: &World, random: &mut Random) -> Objects {
        let d = &world.device;
        let buffers = (0..random.range(2, 5))
            .map(|_| buffer(world, random))
            .collect();
        let size = (random.range(4, 48), random.range(4, 48));
        let mut images = Vec::new();
        // There is always something to write numbers to and something to take samples of.
        for from in [(PLACES, Kind::Whole), COLOURS[0]] {
            images.push(Image::new(world, random, from, size, false));
        }
        for _ in 0..random.range(2, 5) {
            let many = random.one_in(2);
            let from = match random.one_in(3) {
                true => (*random.pick(DEPTHS), Kind::Depth),
                false => *random.pick(COLOURS),
            };
            images.push(Image::new(world, random, from, size, many));
            // What it can be resolved to.
            if many && from.1 != Kind::Depth {
                images.push(Image::new(world, random, from, size, false));
            }
        }
        let set_layout_plain = set_layout(world, vk::DescriptorSetLayoutCreateFlags::empty());
        let pushed_layout = set_layout(
            world,
            vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        );
        let push = [vk::PushConstantRange::default()
            .stage_flags(STAGES)
            .size(PUSH_BYTES)];
        let pipeline_layout = |set: vk::DescriptorSetLayout| {
            let sets = [set];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&sets)
                .push_constant_ranges(&push);
            unsafe { d.create_pipeline_layout(&info, None) }.expect("a layout")
        };
        let (layout, pushing) = (
            pipeline_layout(set_layout_plain),
            pipeline_layout(pushed_layout),
        );
        let cache =
            unsafe { d.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None) }
                .expect("a cache");
        let compute = (0..random.range(1, 3))
            .map(|_| {
                let pushed = random.one_in(3);
                let layout = if pushed { pushing } else { layout };
                (compute(world, random, layout, cache), pushed)
            })
            .collect();
        Objects {
            buffers,
            fixed: Fixed::new(world, random),
            images,
            samplers: (0..random.range(1, 3))
                .map(|_| sampler(world, random))
                .collect(),
            set_layout: set_layout_plain,
            pushed_layout,
            layout,
            pushing,
            template: template(world, set_layout_plain),
            cache,
            compute,
        }
    }

    /// What a set of theirs holds; nothing of it is an image among `but`.
    pub fn written(&self, random: &mut Random, but: &[vk::Image]) -> Written {
        let whole = |buffer: &Buffer| {
            vk::DescriptorBufferInfo::default()
                .buffer(buffer.buffer)
                .range(4096)
        };
        let uniform = random.pick(&self.buffers);
        let storage = random.pick_where(&self.buffers, |b| b.buffer != uniform.buffer);
        let texture = random
            .pick_where(&self.images, |image| {
                image.kind == Kind::Colour && image.single() && !but.contains(&image.image)
            })
            .unwrap_or(&self.images[1]);
        let places = &self.images[0];
        Written {
            buffers: [whole(uniform), whole(storage.unwrap_or(uniform))],
            images: [
                vk::DescriptorImageInfo::default()
                    .sampler(*random.pick(&self.samplers))
                    .image_view(texture.texture)
                    .image_layout(vk::ImageLayout::GENERAL),
                vk::DescriptorImageInfo::default()
                    .image_view(places.target)
                    .image_layout(vk::ImageLayout::GENERAL),
            ],
        }
    }

    pub fn destroy(self, world: &World) {
        let d = &world.device;
        unsafe {
            for buffer in self.buffers {
                d.destroy_buffer_view(buffer.view, None);
                // Either may go first.
                if buffer.lent {
                    buffer.memory.free(world);
                    d.destroy_buffer(buffer.buffer, Some(&lender()));
                } else {
                    d.destroy_buffer(buffer.buffer, None);
                    buffer.memory.free(world);
                }
            }
            d.destroy_buffer(self.fixed.buffer, None);
            d.free_memory(self.fixed.memory, None);
            for image in self.images {
                d.destroy_image_view(image.target, None);
                d.destroy_image_view(image.texture, None);
                d.destroy_image(image.image, None);
                d.free_memory(image.memory, None);
            }
            self.samplers
                .into_iter()
                .for_each(|sampler| d.destroy_sampler(sampler, None));
            self.compute
                .into_iter()
                .for_each(|(pipeline, _)| d.destroy_pipeline(pipeline, None));
            d.destroy_pipeline_cache(self.cache, None);
            d.destroy_descriptor_update_template(self.template, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_pipeline_layout(self.pushing, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
            d.destroy_descriptor_set_layout(self.pushed_layout, None);
        }
    }
}
