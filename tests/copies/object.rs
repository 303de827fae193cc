//! Buffers and images of a round, each with what must be in it.

use ash::vk;

use crate::format::Layout;
use crate::model::{Bytes, Part, differs, places};
use crate::random::Random;
use crate::world::World;

/// The last use of an object, for which the next one waits.
#[derive(Clone, Copy, Debug)]
pub struct Last {
    pub stages: vk::PipelineStageFlags2,
    pub access: vk::AccessFlags2,
}

impl Last {
    pub const NOTHING: Last = Last {
        stages: vk::PipelineStageFlags2::NONE,
        access: vk::AccessFlags2::NONE,
    };
}

/// A buffer.
pub struct Buffer {
    pub buffer: vk::Buffer,
    pub model: Bytes,
    pub last: Last,
    memory: vk::DeviceMemory,
    data: *mut u8,
}

impl Buffer {
    pub fn new(world: &World, bytes: u64) -> Buffer {
        let d = &world.device;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        unsafe {
            let buffer = d.create_buffer(&info, None).expect("a buffer");
            let memory = world.memory(d.get_buffer_memory_requirements(buffer));
            d.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let data = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            Buffer {
                buffer,
                model: Bytes::unknown(bytes as usize),
                last: Last::NOTHING,
                memory,
                data: data.expect("mapped").cast(),
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.model.bytes.len() as u64
    }

    /// What is in it, while the GPU does not write it.
    pub fn data(&mut self) -> &mut [u8] {
        unsafe { std::slice::from_raw_parts_mut(self.data, self.model.bytes.len()) }
    }

    /// Fills some of the memory, before the GPU runs.
    pub fn fill(&mut self, at: usize, bytes: &[u8]) {
        self.data()[at..at + bytes.len()].copy_from_slice(bytes);
        self.model.write(at, bytes, &vec![0xff; bytes.len()]);
    }

    pub fn destroy(self, world: &World) {
        unsafe {
            world.device.destroy_buffer(self.buffer, None);
            world.device.free_memory(self.memory, None);
        }
    }
}

/// An image.
pub struct Image {
    pub image: vk::Image,
    pub layout: Layout,
    pub kind: vk::ImageType,
    pub tiling: vk::ImageTiling,
    pub flags: vk::ImageCreateFlags,
    pub usage: vk::ImageUsageFlags,
    pub features: vk::FormatFeatureFlags,
    pub extent: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
    pub parts: Vec<Part>,
    pub last: Last,
    /// Where it is now.
    pub now: vk::ImageLayout,
    /// It may hold floats that conversions change.
    pub wild: bool,
    memory: vk::DeviceMemory,
}

/// An extent of a random size: mostly small, sometimes long.
fn length(random: &mut Random, most: u32) -> u32 {
    match random.below(8) {
        0 => 1 << random.range(0, most.ilog2()),
        1 => random.range(1, most),
        2 => random.range(1, 4),
        _ => random.range(1, most.min(48)),
    }
}

impl Image {
    /// An image of a format, or `None` if the device supports no such image.
    pub fn new(world: &World, random: &mut Random, layout: &Layout) -> Option<Image> {
        use vk::ImageUsageFlags as Usage;
        let single = layout.is_planar();
        let kind = match random.below(8) {
            0 if !single => vk::ImageType::TYPE_1D,
            1 | 2 if !single => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        };
        let several = kind == vk::ImageType::TYPE_2D && random.one_in(3);
        let tiling = match random.one_in(4) && !several {
            true => vk::ImageTiling::LINEAR,
            false => vk::ImageTiling::OPTIMAL,
        };
        let features = world.features(layout.format, tiling);
        let transfer = vk::FormatFeatureFlags::TRANSFER_SRC | vk::FormatFeatureFlags::TRANSFER_DST;
        if !features.contains(transfer) {
            return None;
        }
        let mut usage = Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
        for (feature, more, one_in) in [
            (vk::FormatFeatureFlags::SAMPLED_IMAGE, Usage::SAMPLED, 2),
            (vk::FormatFeatureFlags::STORAGE_IMAGE, Usage::STORAGE, 5),
            (
                vk::FormatFeatureFlags::COLOR_ATTACHMENT,
                Usage::COLOR_ATTACHMENT,
                if several { 1 } else { 2 },
            ),
            (
                vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
                Usage::DEPTH_STENCIL_ATTACHMENT,
                if several { 1 } else { 2 },
            ),
        ] {
            if features.contains(feature) && random.one_in(one_in) {
                usage |= more;
            }
        }
        let mut flags = vk::ImageCreateFlags::empty();
        if layout.is_plain() && random.one_in(3) {
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT;
        }
        if kind == vk::ImageType::TYPE_3D && random.one_in(3) {
            flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
        }
        let found = unsafe {
            world.instance.get_physical_device_image_format_properties(
                world.physical,
                layout.format,
                kind,
                tiling,
                usage,
                flags,
            )
        };
        let most = found.ok()?;
        let counts = [2, 4, 8, 16].map(vk::SampleCountFlags::from_raw);
        let samples = match random.pick_where(&counts, |count| most.sample_counts.contains(*count))
        {
            Some(count) if several => *count,
            None if several => return None,
            _ => vk::SampleCountFlags::TYPE_1,
        };
        let mut extent = match kind {
            vk::ImageType::TYPE_1D => [length(random, 512), 1, 1],
            vk::ImageType::TYPE_3D => {
                let mut short = || length(random, 32);
                [short(), short(), short()]
            }
            _ => [length(random, 160), length(random, 96), 1],
        };
        if single {
            extent = extent.map(|extent| extent.next_multiple_of(2));
            extent[2] = 1;
        }
        let longest = extent.into_iter().max().unwrap_or(1);
        let levels = match several || random.one_in(2) {
            true => 1,
            false => random.range(1, (1 + longest.ilog2()).min(most.max_mip_levels)),
        };
        let layers = match kind == vk::ImageType::TYPE_3D || random.one_in(2) {
            true => 1,
            false => random.range(1, 7.min(most.max_array_layers)),
        };
        let image = Image {
            image: vk::Image::null(),
            layout: layout.clone(),
            kind,
            tiling,
            flags,
            usage,
            features,
            extent,
            levels,
            layers,
            samples,
            parts: Vec::new(),
            last: Last::NOTHING,
            now: vk::ImageLayout::UNDEFINED,
            wild: false,
            memory: vk::DeviceMemory::null(),
        };
        Some(image.made(world))
    }

    /// One of one sample that is as large as another.
    pub fn joined(world: &World, image: &Image, usage: vk::ImageUsageFlags) -> Image {
        let transfer = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let single = Image {
            image: vk::Image::null(),
            layout: image.layout.clone(),
            flags: vk::ImageCreateFlags::empty(),
            usage: usage | transfer,
            samples: vk::SampleCountFlags::TYPE_1,
            parts: Vec::new(),
            last: Last::NOTHING,
            now: vk::ImageLayout::UNDEFINED,
            memory: vk::DeviceMemory::null(),
            ..*image
        };
        single.made(world)
    }

    /// The same with a new image and new memory, whose contents are unknown.
    fn made(mut self, world: &World) -> Image {
        let d = &world.device;
        let info = vk::ImageCreateInfo::default()
            .flags(self.flags)
            .image_type(self.kind)
            .format(self.layout.format)
            .extent(vk::Extent3D {
                width: self.extent[0],
                height: self.extent[1],
                depth: self.extent[2],
            })
            .mip_levels(self.levels)
            .array_layers(self.layers)
            .samples(self.samples)
            .tiling(self.tiling)
            .usage(self.usage);
        let parts = self.layout.aspects.iter();
        let parts = parts.map(|aspect| Part::new(aspect, self.extent, self.levels, self.layers));
        self.parts = parts.collect();
        unsafe {
            self.image = d.create_image(&info, None).expect("an image");
            self.memory = world.memory(d.get_image_memory_requirements(self.image));
            d.bind_image_memory(self.image, self.memory, 0)
                .expect("bound");
        }
        self
    }

    pub fn single(&self) -> bool {
        self.samples == vk::SampleCountFlags::TYPE_1
    }

    pub fn is_volume(&self) -> bool {
        self.kind == vk::ImageType::TYPE_3D
    }

    pub fn aspects(&self) -> vk::ImageAspectFlags {
        match self.layout.is_planar() {
            // Barriers cover the whole image.
            true => vk::ImageAspectFlags::COLOR,
            false => self
                .layout
                .aspects
                .iter()
                .fold(vk::ImageAspectFlags::empty(), |all, aspect| {
                    all | aspect.aspect
                }),
        }
    }

    /// Columns, rows and slices (or layers) of a level, in pixels of the image.
    pub fn size(&self, level: u32) -> [u32; 3] {
        let minify = |extent: u32| (extent >> level).max(1);
        let [width, height, depth] = self.extent.map(minify);
        [width, height, depth * self.layers]
    }

    /// What the host finds where it is told that a linear image's rows are, if that is not what
    /// they must be.
    pub fn differs(&self, world: &World) -> Option<String> {
        if self.tiling != vk::ImageTiling::LINEAR || self.now == vk::ImageLayout::UNDEFINED {
            return None;
        }
        let d = &world.device;
        let wants = unsafe { d.get_image_memory_requirements(self.image) };
        let mapped =
            unsafe { d.map_memory(self.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        let data = mapped.expect("mapped").cast::<u8>();
        let data = unsafe { std::slice::from_raw_parts(data, wants.size as usize) };
        let mut wrong = None;
        for part in &self.parts {
            for (mip_level, level) in (0..).zip(&part.levels) {
                let subresource = vk::ImageSubresource {
                    aspect_mask: part.aspect.aspect,
                    mip_level,
                    array_layer: 0,
                };
                let told = unsafe { d.get_image_subresource_layout(self.image, subresource) };
                let pitch = match self.is_volume() {
                    true => told.depth_pitch,
                    false => told.array_pitch,
                };
                let row_bytes = (level.size[0] * part.aspect.bytes) as usize;
                for [_, y, z] in places([0; 3], [1, level.size[1], level.size[2]]) {
                    let at = told.offset + u64::from(z) * pitch + u64::from(y) * told.row_pitch;
                    let meant = ((z * level.size[1] + y) as usize) * row_bytes;
                    let (bytes, known) = level.data.row(meant..meant + row_bytes);
                    let row = data.get(at as usize..at as usize + row_bytes);
                    let row = row.filter(|row| differs(bytes, known, row).is_none());
                    if row.is_none() {
                        wrong = Some(format!("level {mip_level}, row {y} of {z}: {told:?}"));
                    }
                }
                let last = told.offset + told.size;
                if last > wants.size {
                    wrong = Some(format!("level {mip_level}: {told:?} of {wants:?}"));
                }
            }
        }
        unsafe { d.unmap_memory(self.memory) };
        wrong
    }

    /// What it is, in a line.
    pub fn description(&self) -> String {
        format!(
            "{:?} {:?} {:?} {:?}, {} levels, {} layers, {:?}, {:?}, {:?}",
            self.layout.format,
            self.kind,
            self.tiling,
            self.extent,
            self.levels,
            self.layers,
            self.samples,
            self.usage,
            self.flags,
        )
    }

    pub fn destroy(self, world: &World) {
        unsafe {
            world.device.destroy_image(self.image, None);
            world.device.free_memory(self.memory, None);
        }
    }
}
