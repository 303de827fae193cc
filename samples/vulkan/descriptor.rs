//! Descriptor sets: layout, pool and set from one list of resources.

use crate::vulkan::error::{Error, check};
use crate::vulkan::gpu::{Gpu, Owned};
use crate::vulkan::memory::Buffer;
use ash::vk;

/// The resource of a binding. Binding numbers are positions in the list.
#[derive(Clone, Copy)]
pub enum Bound<'a> {
    /// A uniform buffer.
    Uniform(&'a Buffer),
    /// A storage buffer.
    Storage(&'a Buffer),
    /// A `sampler2D` or the like.
    Texture(vk::ImageView, vk::Sampler),
    /// An array of those.
    Textures(&'a [(vk::ImageView, vk::Sampler)]),
    /// A `texture2D` or the like.
    Image(vk::ImageView),
    /// A `sampler`.
    Sampler(vk::Sampler),
    /// An `image2D` or the like.
    StorageImage(vk::ImageView),
    /// A `subpassInput`.
    Input(vk::ImageView),
    /// A `samplerBuffer`.
    UniformTexels(vk::BufferView),
    /// An `imageBuffer`.
    StorageTexels(vk::BufferView),
}

impl Bound<'_> {
    fn kind(&self) -> vk::DescriptorType {
        use vk::DescriptorType as D;
        match self {
            Bound::Uniform(_) => D::UNIFORM_BUFFER,
            Bound::Storage(_) => D::STORAGE_BUFFER,
            Bound::Texture(..) | Bound::Textures(_) => D::COMBINED_IMAGE_SAMPLER,
            Bound::Image(_) => D::SAMPLED_IMAGE,
            Bound::Sampler(_) => D::SAMPLER,
            Bound::StorageImage(_) => D::STORAGE_IMAGE,
            Bound::Input(_) => D::INPUT_ATTACHMENT,
            Bound::UniformTexels(_) => D::UNIFORM_TEXEL_BUFFER,
            Bound::StorageTexels(_) => D::STORAGE_TEXEL_BUFFER,
        }
    }

    fn count(&self) -> u32 {
        match self {
            Bound::Textures(list) => list.len() as u32,
            _ => 1,
        }
    }

    /// Stages that may access it: all; for input attachments, the fragment stage.
    fn stages(&self) -> vk::ShaderStageFlags {
        match self {
            Bound::Input(_) => vk::ShaderStageFlags::FRAGMENT,
            _ => vk::ShaderStageFlags::ALL,
        }
    }

    fn images(&self) -> Vec<vk::DescriptorImageInfo> {
        let read = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let one = |view, sampler, layout| {
            vec![
                vk::DescriptorImageInfo::default()
                    .image_view(view)
                    .sampler(sampler)
                    .image_layout(layout),
            ]
        };
        let none = vk::Sampler::null();
        match *self {
            Bound::Texture(view, sampler) => one(view, sampler, read),
            Bound::Textures(list) => list
                .iter()
                .flat_map(|(view, sampler)| one(*view, *sampler, read))
                .collect(),
            Bound::Image(view) | Bound::Input(view) => one(view, none, read),
            Bound::Sampler(sampler) => {
                one(vk::ImageView::null(), sampler, vk::ImageLayout::UNDEFINED)
            }
            Bound::StorageImage(view) => one(view, none, vk::ImageLayout::GENERAL),
            _ => Vec::new(),
        }
    }

    fn buffers(&self) -> Vec<vk::DescriptorBufferInfo> {
        match self {
            Bound::Uniform(buffer) | Bound::Storage(buffer) => vec![
                vk::DescriptorBufferInfo::default()
                    .buffer(buffer.handle)
                    .range(vk::WHOLE_SIZE),
            ],
            _ => Vec::new(),
        }
    }

    fn texels(&self) -> Vec<vk::BufferView> {
        match *self {
            Bound::UniformTexels(view) | Bound::StorageTexels(view) => vec![view],
            _ => Vec::new(),
        }
    }
}

/// A descriptor set and its layout.
#[derive(Clone, Copy)]
pub struct Set {
    pub(super) handle: vk::DescriptorSet,
    pub(super) layout: vk::DescriptorSetLayout,
}

impl Gpu {
    /// Creates a set with these resources.
    pub fn set(&self, bound: &[Bound<'_>]) -> Result<Set, Error> {
        let bindings = bound.iter().zip(0..).map(|(it, binding)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(it.kind())
                .descriptor_count(it.count())
                .stage_flags(it.stages())
        });
        let bindings: Vec<_> = bindings.collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: structures live until calls return; what is made is owned by the device at once,
        // here and below.
        let layout = unsafe { self.device.create_descriptor_set_layout(&info, None) };
        let layout = check("vkCreateDescriptorSetLayout", layout)?;
        self.own(Owned::SetLayout(layout));

        let sizes = bound.iter().map(|it| {
            vk::DescriptorPoolSize::default()
                .ty(it.kind())
                .descriptor_count(it.count())
        });
        let sizes: Vec<_> = sizes.collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: as above.
        let pool = unsafe { self.device.create_descriptor_pool(&info, None) };
        let pool = check("vkCreateDescriptorPool", pool)?;
        self.own(Owned::Descriptors(pool));
        let layouts = [layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        // SAFETY: as above.
        let sets = unsafe { self.device.allocate_descriptor_sets(&info) };
        let handle = check("vkAllocateDescriptorSets", sets)?[0];

        for (it, binding) in bound.iter().zip(0..) {
            let (images, buffers, texels) = (it.images(), it.buffers(), it.texels());
            let mut write = vk::WriteDescriptorSet::default()
                .dst_set(handle)
                .dst_binding(binding)
                .descriptor_type(it.kind())
                .image_info(&images)
                .buffer_info(&buffers)
                .texel_buffer_view(&texels);
            // Each of the three lists sets the count, and only one of them has members.
            write.descriptor_count = it.count();
            // SAFETY: as above; no command in flight uses the new set.
            unsafe { self.device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(Set { handle, layout })
    }
}
