//! The resources of a measured shader's descriptors: small buffers, images and samplers with the
//! same contents in every run.
//!
//! In:  the shader's interface. Out: descriptor sets; the images to clear before use; the numbers
//!      that a run changed in storage buffers and storage images.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench fills descriptor sets"
)]

use crate::codegen::contents::{self, FillValues};
use crate::codegen::interface::{BoundDescriptor, ImageKind, Interface};
use crate::codegen::results::ChangedResource;
use crate::codegen::texels;
use crate::codegen::vulkan_objects::{Buffer, VulkanObjects};
use crate::vulkan_device::error;
use ash::vk;
use entity::Id;
use nir::{BaseType, Dim, Type};
use vk::DescriptorType as D;

/// Size in bytes of a uniform or texel buffer, and of a storage buffer.
const SMALL_BYTES: u64 = 1 << 16;
const LARGE_BYTES: u64 = 1 << 20;
/// Size of an image in texels: x and y, and z.
const TEXELS: u32 = 16;
const DEEP: u32 = 4;
/// Number of array layers; a cube has six of them.
const LAYERS: u32 = 2;
/// Number of mip levels of a texture of [`TEXELS`].
const LEVELS: u32 = 5;

/// An image to clear before use.
pub struct ClearedImage {
    pub image: vk::Image,
    pub format: vk::Format,
}

/// The resources of a shader.
pub struct Resources {
    /// Descriptor sets, by number.
    pub sets: Vec<vk::DescriptorSet>,
    pub images: Vec<ClearedImage>,
    /// Storage images with a known texel layout, single-sampled.
    pub storage_images: Vec<StorageImage>,
    /// What blocks contain, for push constants too.
    pub values: FillValues,
    /// Storage buffers and storage texel buffers, with the bindings that they are bound to.
    storage: Vec<(BoundDescriptor, Buffer)>,
}

/// A storage image, and the buffer for its contents after the run.
pub struct StorageImage {
    bound: BoundDescriptor,
    pub image: vk::Image,
    pub extent: vk::Extent3D,
    pub layers: u32,
    pub copy: Buffer,
    format: vk::Format,
}

/// Where resources are, and what they contain.
#[derive(Clone, Copy)]
pub struct ResourceMemory {
    /// Host-visible memory types, a bit each.
    pub visible: u32,
    /// Value of integers in uniform buffers; by default 1 or 2.
    pub integer: Option<u32>,
}

/// The resource of a binding.
enum Named {
    Buffer(vk::DescriptorBufferInfo),
    Texels(vk::BufferView),
    Image(vk::DescriptorImageInfo),
}

/// Vulkan formats by SPIR-V image format; the first is for an unknown one.
const FORMATS: [vk::Format; 42] = {
    use vk::Format as F;
    [
        F::R8G8B8A8_UNORM,
        F::R32G32B32A32_SFLOAT,
        F::R16G16B16A16_SFLOAT,
        F::R32_SFLOAT,
        F::R8G8B8A8_UNORM,
        F::R8G8B8A8_SNORM,
        F::R32G32_SFLOAT,
        F::R16G16_SFLOAT,
        F::B10G11R11_UFLOAT_PACK32,
        F::R16_SFLOAT,
        F::R16G16B16A16_UNORM,
        F::A2B10G10R10_UNORM_PACK32,
        F::R16G16_UNORM,
        F::R8G8_UNORM,
        F::R16_UNORM,
        F::R8_UNORM,
        F::R16G16B16A16_SNORM,
        F::R16G16_SNORM,
        F::R8G8_SNORM,
        F::R16_SNORM,
        F::R8_SNORM,
        F::R32G32B32A32_SINT,
        F::R16G16B16A16_SINT,
        F::R8G8B8A8_SINT,
        F::R32_SINT,
        F::R32G32_SINT,
        F::R16G16_SINT,
        F::R8G8_SINT,
        F::R16_SINT,
        F::R8_SINT,
        F::R32G32B32A32_UINT,
        F::R16G16B16A16_UINT,
        F::R8G8B8A8_UINT,
        F::R32_UINT,
        F::A2B10G10R10_UINT_PACK32,
        F::R32G32_UINT,
        F::R16G16_UINT,
        F::R8G8_UINT,
        F::R16_UINT,
        F::R8_UINT,
        F::R64_UINT,
        F::R64_SINT,
    ]
};

/// The format of an image or texel buffer.
fn format(kind: &ImageKind) -> vk::Format {
    use vk::Format as F;
    match (kind.shadow, kind.base, FORMATS.get(kind.format as usize)) {
        (true, ..) => F::D32_SFLOAT,
        (_, _, Some(&format)) if kind.format != 0 => format,
        (_, BaseType::Int, _) => F::R32G32B32A32_SINT,
        (_, BaseType::Uint, _) => F::R32G32B32A32_UINT,
        _ if kind.dim == Dim::Buffer => F::R32G32B32A32_SFLOAT,
        _ => F::R8G8B8A8_UNORM,
    }
}

impl Resources {
    /// Creates the resources of a shader's bindings and their descriptor sets.
    pub fn new(
        objects: &VulkanObjects<'_>,
        shader: &Interface,
        layouts: &[vk::DescriptorSetLayout],
        memory: &ResourceMemory,
    ) -> Result<Resources, String> {
        let mut out = Resources {
            sets: Vec::new(),
            images: Vec::new(),
            storage_images: Vec::new(),
            values: FillValues {
                integer: memory.integer,
                ..FillValues::default()
            },
            storage: Vec::new(),
        };
        if shader.uses_addresses() {
            let (mut buffer, address) = objects.addressable_buffer(LARGE_BYTES, memory.visible)?;
            for word in buffer.contents().chunks_exact_mut(4) {
                word.copy_from_slice(&1u32.to_le_bytes());
            }
            out.values.address = Some(address);
        }
        if layouts.is_empty() {
            return Ok(out);
        }
        let bindings = shader.sets.iter().flatten().filter(|b| b.count > 0);
        let sizes: Vec<_> = bindings
            .map(|b| {
                vk::DescriptorPoolSize::default()
                    .ty(b.kind)
                    .descriptor_count(b.count)
            })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(layouts.len() as u32)
            .pool_sizes(&sizes);
        let pool = objects.descriptor_pool(&info)?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(layouts);
        // SAFETY: the pool has room for them; they go with it.
        out.sets = unsafe { objects.device.allocate_descriptor_sets(&info) }
            .map_err(error("vkAllocateDescriptorSets"))?;
        for bound in &shader.bindings {
            let named = out.named(objects, shader, bound, memory)?;
            out.write(objects.device, bound, &named);
        }
        Ok(out)
    }

    /// What storage buffers contain: integers there are indices as often as loop bounds.
    fn values_of_storage(&self) -> FillValues {
        FillValues {
            integer: None,
            ..self.values
        }
    }

    fn named(
        &mut self,
        objects: &VulkanObjects<'_>,
        shader: &Interface,
        bound: &BoundDescriptor,
        memory: &ResourceMemory,
    ) -> Result<Named, String> {
        let visible = memory.visible;
        let is_uniform = [D::UNIFORM_BUFFER, D::UNIFORM_BUFFER_DYNAMIC].contains(&bound.kind);
        let values = match is_uniform {
            true => self.values,
            false => self.values_of_storage(),
        };
        let filled = |bytes: u64| -> Result<Buffer, String> {
            let mut buffer = objects.buffer(bytes, visible)?;
            let ty = shader.held(bound);
            contents::fill(&shader.shader, ty, buffer.contents(), &values);
            Ok(buffer)
        };
        let whole = |buffer: &Buffer| {
            Named::Buffer(
                vk::DescriptorBufferInfo::default()
                    .buffer(buffer.handle)
                    .range(vk::WHOLE_SIZE),
            )
        };
        let general = |view: vk::ImageView, sampler: vk::Sampler| {
            Named::Image(
                vk::DescriptorImageInfo::default()
                    .image_view(view)
                    .sampler(sampler)
                    .image_layout(vk::ImageLayout::GENERAL),
            )
        };
        let kind = || shader.image(bound).ok_or("a descriptor without an image");
        Ok(match bound.kind {
            D::UNIFORM_BUFFER | D::UNIFORM_BUFFER_DYNAMIC => whole(&filled(SMALL_BYTES)?),
            D::STORAGE_BUFFER | D::STORAGE_BUFFER_DYNAMIC => {
                let buffer = filled(LARGE_BYTES)?;
                self.storage.push((*bound, buffer));
                whole(&buffer)
            }
            D::UNIFORM_TEXEL_BUFFER | D::STORAGE_TEXEL_BUFFER => {
                let buffer = filled(SMALL_BYTES)?;
                if bound.kind == D::STORAGE_TEXEL_BUFFER {
                    self.storage.push((*bound, buffer));
                }
                let info = vk::BufferViewCreateInfo::default()
                    .buffer(buffer.handle)
                    .format(format(&kind()?))
                    .range(vk::WHOLE_SIZE);
                Named::Texels(objects.buffer_view(&info)?)
            }
            D::SAMPLER => general(
                vk::ImageView::null(),
                sampler(objects, shader.is_compared(bound.variable))?,
            ),
            _ => {
                let kind = kind()?;
                let view = self.image(objects, &kind, bound, visible)?;
                let sampler = match bound.kind {
                    D::COMBINED_IMAGE_SAMPLER => sampler(objects, kind.shadow)?,
                    _ => vk::Sampler::null(),
                };
                general(view, sampler)
            }
        })
    }

    fn image(
        &mut self,
        objects: &VulkanObjects<'_>,
        kind: &ImageKind,
        bound: &BoundDescriptor,
        visible: u32,
    ) -> Result<vk::ImageView, String> {
        use vk::ImageUsageFlags as U;
        let format = format(kind);
        let usage = match bound.kind {
            D::STORAGE_IMAGE => U::STORAGE | U::TRANSFER_SRC,
            D::INPUT_ATTACHMENT => U::INPUT_ATTACHMENT | U::COLOR_ATTACHMENT,
            _ => U::SAMPLED,
        };
        let samples = match kind.multisampled {
            true => vk::SampleCountFlags::TYPE_4,
            false => vk::SampleCountFlags::TYPE_1,
        };
        let (dim, depth, layers, view) = match (kind.dim, kind.array) {
            (Dim::D1, false) => (vk::ImageType::TYPE_1D, 1, 1, vk::ImageViewType::TYPE_1D),
            (Dim::D1, true) => (
                vk::ImageType::TYPE_1D,
                1,
                LAYERS,
                vk::ImageViewType::TYPE_1D_ARRAY,
            ),
            (Dim::D3, _) => (vk::ImageType::TYPE_3D, DEEP, 1, vk::ImageViewType::TYPE_3D),
            (Dim::Cube, false) => (vk::ImageType::TYPE_2D, 1, 6, vk::ImageViewType::CUBE),
            (Dim::Cube, true) => (
                vk::ImageType::TYPE_2D,
                1,
                6 * LAYERS,
                vk::ImageViewType::CUBE_ARRAY,
            ),
            (_, false) => (vk::ImageType::TYPE_2D, 1, 1, vk::ImageViewType::TYPE_2D),
            (_, true) => (
                vk::ImageType::TYPE_2D,
                1,
                LAYERS,
                vk::ImageViewType::TYPE_2D_ARRAY,
            ),
        };
        let levels = match usage == U::SAMPLED && !kind.multisampled {
            true => LEVELS,
            false => 1,
        };
        let flags = match kind.dim {
            Dim::Cube => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            _ => vk::ImageCreateFlags::empty(),
        };
        let height = if kind.dim == Dim::D1 { 1 } else { TEXELS };
        let extent = vk::Extent3D {
            width: TEXELS,
            height,
            depth,
        };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(dim)
            .format(format)
            .extent(extent)
            .mip_levels(levels)
            .array_layers(layers)
            .samples(samples)
            .usage(usage | U::TRANSFER_DST);
        let image = objects.image(&info)?;
        self.images.push(ClearedImage { image, format });
        let texel = texels::texel_bytes(format).filter(|_| !kind.multisampled);
        if let (D::STORAGE_IMAGE, Some(texel)) = (bound.kind, texel) {
            let bytes = extent.width * extent.height * extent.depth * layers * texel;
            self.storage_images.push(StorageImage {
                bound: *bound,
                image,
                extent,
                layers,
                copy: objects.buffer(bytes.into(), visible)?,
                format,
            });
        }
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(view)
            .format(format)
            .subresource_range(whole(format));
        objects.image_view(&info)
    }

    fn write(&self, device: &ash::Device, bound: &BoundDescriptor, named: &Named) {
        let n = bound.count as usize;
        if n == 0 {
            return;
        }
        let (mut buffers, mut views, mut images) = (Vec::new(), Vec::new(), Vec::new());
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.sets[bound.set as usize])
            .dst_binding(bound.binding)
            .descriptor_type(bound.kind);
        let write = match named {
            Named::Buffer(info) => {
                buffers.resize(n, *info);
                write.buffer_info(&buffers)
            }
            Named::Texels(view) => {
                views.resize(n, *view);
                write.texel_buffer_view(&views)
            }
            Named::Image(info) => {
                images.resize(n, *info);
                write.image_info(&images)
            }
        };
        // SAFETY: what the write names lives as long as the set, which nothing uses yet.
        unsafe { device.update_descriptor_sets(&[write], &[]) };
    }

    /// The results of a run in storage buffers and in the copies of storage images.
    pub fn results(&mut self, shader: &Interface) -> Vec<ChangedResource> {
        let values = self.values_of_storage();
        let block = |ty: Id<Type>, buffer: &mut Buffer| {
            let mut before = vec![0; buffer.bytes as usize];
            contents::fill(&shader.shader, ty, &mut before, &values);
            contents::changed(&shader.shader, ty, &before, buffer.contents())
        };
        let name = |bound: &BoundDescriptor| format!("set {} binding {}", bound.set, bound.binding);
        let buffer = |(bound, buffer): &mut (BoundDescriptor, Buffer)| {
            let numbers = match shader.image(bound) {
                Some(kind) => texels::numbers(format(&kind), buffer.contents(), 4),
                None => block(shader.held(bound), buffer),
            };
            ChangedResource {
                name: name(bound),
                numbers,
            }
        };
        let image = |image: &mut StorageImage| ChangedResource {
            name: name(&image.bound),
            numbers: texels::numbers(image.format, image.copy.contents(), 4),
        };
        let mut results: Vec<_> = self.storage.iter_mut().map(buffer).collect();
        results.extend(self.storage_images.iter_mut().map(image));
        results
    }
}

/// All levels and layers of the colour aspect.
pub fn whole(format: vk::Format) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(match format {
            vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
            _ => vk::ImageAspectFlags::COLOR,
        })
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}

fn sampler(objects: &VulkanObjects<'_>, compares: bool) -> Result<vk::Sampler, String> {
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR)
        .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
        .max_lod(vk::LOD_CLAMP_NONE)
        .compare_enable(compares)
        .compare_op(vk::CompareOp::LESS);
    objects.sampler(&info)
}
