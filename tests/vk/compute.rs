//! Compute shaders that run once, with descriptors of every type.
//!
//! In:  a shader whose binding 0 is a storage buffer, and descriptors for the bindings after it.
//!      Out: the buffer that it writes.

use ash::vk;

use crate::rig::{Buffer, Kernel, Rig, compile};

const COMPUTE: vk::ShaderStageFlags = vk::ShaderStageFlags::COMPUTE;

/// The type and contents of a descriptor.
#[derive(Clone, Copy)]
pub(crate) enum Descriptor {
    Image(vk::DescriptorType, vk::ImageView, vk::Sampler),
    Texels(vk::DescriptorType, vk::BufferView),
    Buffer(vk::DescriptorType, vk::DescriptorBufferInfo),
}

impl Descriptor {
    fn kind(self) -> vk::DescriptorType {
        match self {
            Descriptor::Image(kind, ..)
            | Descriptor::Texels(kind, _)
            | Descriptor::Buffer(kind, _) => kind,
        }
    }
}

/// How descriptors are written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum UpdateBy {
    Write,
    Push,
    Template,
}

/// Creates the pipeline layout and compute pipeline of a shader that uses one set.
pub(crate) fn compute_pipeline(
    rig: &Rig,
    glsl: &str,
    set_layout: vk::DescriptorSetLayout,
) -> (vk::PipelineLayout, vk::Pipeline) {
    let d = &rig.device;
    let layouts = [set_layout];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
    let words = compile(glsl);
    unsafe {
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let pipelines = d.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        d.destroy_shader_module(module, None);
        (layout, pipelines.unwrap()[0])
    }
}

/// Descriptors in the form in which vkUpdateDescriptorSets reads them: one entry of each vector per
/// descriptor.
struct Infos {
    images: Vec<[vk::DescriptorImageInfo; 1]>,
    texels: Vec<[vk::BufferView; 1]>,
    buffers: Vec<[vk::DescriptorBufferInfo; 1]>,
}

impl Infos {
    fn new(descriptors: &[Descriptor]) -> Infos {
        let all = descriptors.iter();
        let image = |descriptor: &Descriptor| match *descriptor {
            Descriptor::Image(_, view, sampler) => [vk::DescriptorImageInfo {
                sampler,
                image_view: view,
                image_layout: vk::ImageLayout::GENERAL,
            }],
            _ => [vk::DescriptorImageInfo::default()],
        };
        let texels = |descriptor: &Descriptor| match *descriptor {
            Descriptor::Texels(_, view) => [view],
            _ => [vk::BufferView::null()],
        };
        let buffer = |descriptor: &Descriptor| match *descriptor {
            Descriptor::Buffer(_, range) => [range],
            _ => [vk::DescriptorBufferInfo::default()],
        };
        Infos {
            images: all.clone().map(image).collect(),
            texels: all.clone().map(texels).collect(),
            buffers: all.map(buffer).collect(),
        }
    }

    /// The writes of the descriptors to bindings 1 on.
    fn writes(
        &self,
        set: vk::DescriptorSet,
        descriptors: &[Descriptor],
    ) -> Vec<vk::WriteDescriptorSet<'_>> {
        let write = |(at, descriptor): (usize, &Descriptor)| {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(at as u32 + 1)
                .descriptor_type(descriptor.kind());
            match descriptor {
                Descriptor::Image(..) => write.image_info(&self.images[at]),
                Descriptor::Texels(..) => write.texel_buffer_view(&self.texels[at]),
                Descriptor::Buffer(..) => write.buffer_info(&self.buffers[at]),
            }
        };
        descriptors.iter().enumerate().map(write).collect()
    }

    /// Updates bindings 1 on by a template whose data are packed and not aligned.
    fn update_by_template(
        &self,
        rig: &Rig,
        set: vk::DescriptorSet,
        set_layout: vk::DescriptorSetLayout,
        descriptors: &[Descriptor],
    ) {
        let d = &rig.device;
        let mut data = vec![0u8; 1];
        let mut entries = Vec::new();
        for (at, descriptor) in descriptors.iter().enumerate() {
            entries.push(
                vk::DescriptorUpdateTemplateEntry::default()
                    .dst_binding(at as u32 + 1)
                    .descriptor_count(1)
                    .descriptor_type(descriptor.kind())
                    .offset(data.len())
                    .stride(1),
            );
            let bytes = unsafe {
                match descriptor {
                    Descriptor::Image(..) => std::slice::from_raw_parts(
                        self.images[at].as_ptr().cast::<u8>(),
                        size_of::<vk::DescriptorImageInfo>(),
                    ),
                    Descriptor::Texels(..) => std::slice::from_raw_parts(
                        self.texels[at].as_ptr().cast::<u8>(),
                        size_of::<vk::BufferView>(),
                    ),
                    Descriptor::Buffer(..) => std::slice::from_raw_parts(
                        self.buffers[at].as_ptr().cast::<u8>(),
                        size_of::<vk::DescriptorBufferInfo>(),
                    ),
                }
            };
            data.extend_from_slice(bytes);
        }
        let info = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
            .descriptor_set_layout(set_layout);
        unsafe {
            let template = d.create_descriptor_update_template(&info, None).unwrap();
            d.update_descriptor_set_with_template(set, template, data.as_ptr().cast());
            d.destroy_descriptor_update_template(template, None);
        }
    }
}

/// The bindings of the storage buffer and of the descriptors; `immutable`: the samplers of combined
/// image samplers.
fn bindings<'a>(
    descriptors: &[Descriptor],
    immutable: &'a [vk::Sampler],
) -> Vec<vk::DescriptorSetLayoutBinding<'a>> {
    let mut bindings = vec![
        vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(COMPUTE),
    ];
    for (number, descriptor) in (1..).zip(descriptors) {
        let kind = descriptor.kind();
        let mut binding = vk::DescriptorSetLayoutBinding::default()
            .binding(number)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(COMPUTE);
        if kind == vk::DescriptorType::COMBINED_IMAGE_SAMPLER && !immutable.is_empty() {
            binding = binding.immutable_samplers(immutable);
        }
        bindings.push(binding);
    }
    bindings
}

/// Creates a pool with room for one set of the bindings, each of which takes that many descriptors.
fn pool(
    rig: &Rig,
    bindings: &[vk::DescriptorSetLayoutBinding<'_>],
    descriptors: u32,
) -> vk::DescriptorPool {
    let size = |binding: &vk::DescriptorSetLayoutBinding<'_>| {
        vk::DescriptorPoolSize::default()
            .ty(binding.descriptor_type)
            .descriptor_count(descriptors)
    };
    let sizes: Vec<_> = bindings.iter().map(size).collect();
    let info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(1)
        .pool_sizes(&sizes);
    unsafe { rig.device.create_descriptor_pool(&info, None) }.unwrap()
}

/// Runs one workgroup of a shader that writes `out` at binding 0 and reads the descriptors at
/// bindings 1 on.
pub(crate) fn run(
    rig: &Rig,
    glsl: &str,
    out: &Buffer<'_>,
    descriptors: &[Descriptor],
    immutable: &[vk::Sampler],
    update_by: UpdateBy,
) {
    let d = &rig.device;
    let bindings = bindings(descriptors, immutable);
    let flags = match update_by {
        UpdateBy::Push => vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        _ => vk::DescriptorSetLayoutCreateFlags::empty(),
    };
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .bindings(&bindings)
        .flags(flags);
    let set_layout = unsafe { d.create_descriptor_set_layout(&info, None) }.unwrap();
    let layouts = [set_layout];
    let (layout, pipeline) = compute_pipeline(rig, glsl, set_layout);
    // A sampler with a conversion takes one descriptor for each of up to three planes.
    let pool = pool(rig, &bindings, if immutable.is_empty() { 1 } else { 3 });
    let set = match update_by {
        UpdateBy::Push => vk::DescriptorSet::null(),
        _ => {
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            unsafe { d.allocate_descriptor_sets(&info) }.unwrap()[0]
        }
    };
    let out = [vk::DescriptorBufferInfo::default()
        .buffer(out.buffer)
        .range(vk::WHOLE_SIZE)];
    let infos = Infos::new(descriptors);
    let mut writes = vec![
        vk::WriteDescriptorSet::default()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&out),
    ];
    writes.extend(infos.writes(set, descriptors));
    match update_by {
        UpdateBy::Write => unsafe { d.update_descriptor_sets(&writes, &[]) },
        UpdateBy::Push => {}
        UpdateBy::Template => {
            unsafe { d.update_descriptor_sets(&writes[..1], &[]) };
            infos.update_by_template(rig, set, set_layout, descriptors);
        }
    }
    rig.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        d.cmd_bind_pipeline(commands, point, pipeline);
        if update_by == UpdateBy::Push {
            ash::khr::push_descriptor::Device::new(&rig.instance, d)
                .cmd_push_descriptor_set(commands, point, layout, 0, &writes);
        } else {
            d.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        }
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    unsafe {
        d.destroy_descriptor_pool(pool, None);
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
    }
}

#[test]
fn dispatches_of_more_than_65535_groups() {
    let rig = Rig::new();
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint highest, groups, marked, counted; };
void main()
{
    atomicMax(highest, gl_WorkGroupID.x);
    atomicAdd(groups, 1u);
    if (gl_WorkGroupID.x == 65536u) marked = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.x == 0u) counted = gl_NumWorkGroups.x;
}",
    );
    let buffer = rig.buffer(16);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let cache = vk::PipelineCache::null();
    let kernel = Kernel::new(&rig, &words, kind, &[&buffer], cache);
    const GROUPS: u32 = 70_001;
    let limits = unsafe { rig.instance.get_physical_device_properties(rig.physical) }.limits;
    assert!(limits.max_compute_work_group_count[0] >= GROUPS);
    rig.run(|commands| {
        kernel.bind(&rig, commands, &[], &[]);
        unsafe { rig.device.cmd_dispatch(commands, GROUPS, 1, 1) };
    });
    kernel.destroy(&rig);
    assert_eq!(buffer.dwords(), [GROUPS - 1, GROUPS, 65536, GROUPS]);
}
