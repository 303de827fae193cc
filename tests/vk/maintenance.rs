//! The forms of commands that take structures (VK_KHR_map_memory2, VK_KHR_maintenance6), the result
//! of each binding, index buffers of nothing, and attachments that are neither loaded nor stored
//! (VK_KHR_load_store_op_none).

use ash::{khr, vk};
use samples::vulkan::{ImageInfo, RenderPassInfo, Source, SubpassInfo, Use, Wants};
use samples::{Error, Gpu};

use crate::canvas::{Canvas, Look, SIZE, stored, vertices};
use crate::compute::compute_pipeline;
use crate::draws::rectangles;
use crate::rig::{Buffer, Kernel, Rig, compile};

const STORES: &str = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint stored[]; };
layout(push_constant) uniform Push { uint first, value; };
void main() { stored[first] = value; }";

#[test]
fn memory_is_mapped_and_unmapped_by_structures() {
    let rig = Rig::new();
    let maps = khr::map_memory2::Device::new(&rig.instance, &rig.device);
    unsafe {
        let info = vk::MemoryAllocateInfo::default().allocation_size(8192);
        let memory = rig.device.allocate_memory(&info, None).unwrap();
        for (offset, value) in [(0, 7u32), (4096, 9)] {
            let info = vk::MemoryMapInfoKHR::default()
                .memory(memory)
                .offset(offset)
                .size(vk::WHOLE_SIZE);
            let mut data = std::ptr::null_mut();
            let device = rig.device.handle();
            let mapped = (maps.fp().map_memory2_khr)(device, &raw const info, &raw mut data);
            mapped.result().unwrap();
            data.cast::<u32>().write(value);
            let info = vk::MemoryUnmapInfoKHR::default().memory(memory);
            let unmapped = (maps.fp().unmap_memory2_khr)(device, &raw const info);
            unmapped.result().unwrap();
        }
        let flags = vk::MemoryMapFlags::empty();
        let data = rig.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags);
        let data = data.unwrap().cast::<u32>();
        assert_eq!([data.read(), data.add(1024).read()], [7, 9]);
        rig.device.free_memory(memory, None);
    }
}

#[test]
fn each_binding_has_its_own_result() {
    let rig = Rig::new();
    let d = &rig.device;
    let info = vk::BufferCreateInfo::default()
        .size(4096)
        .usage(vk::BufferUsageFlags::TRANSFER_DST);
    unsafe {
        let buffers = [0; 3].map(|_| d.create_buffer(&info, None).unwrap());
        let info = vk::MemoryAllocateInfo::default().allocation_size(8192);
        let memory = d.allocate_memory(&info, None).unwrap();
        let mut results = [vk::Result::NOT_READY; 3];
        let [first, second, third] = &mut results;
        let mut statuses =
            [first, second, third].map(|result| vk::BindMemoryStatusKHR::default().result(result));
        let infos: Vec<_> = statuses
            .iter_mut()
            .zip(buffers)
            .zip([0, 8192, 4096])
            .map(|((status, buffer), offset)| {
                vk::BindBufferMemoryInfo::default()
                    .buffer(buffer)
                    .memory(memory)
                    .memory_offset(offset)
                    .push_next(status)
            })
            .collect();
        // The second lies behind the memory.
        let all = d.bind_buffer_memory2(&infos);
        assert!(all.is_err());
        assert_eq!(results[0], vk::Result::SUCCESS);
        assert_eq!(Some(results[1]), all.err());
        assert_eq!(results[2], vk::Result::SUCCESS);
        for buffer in buffers {
            d.destroy_buffer(buffer, None);
        }
        d.free_memory(memory, None);
    }
}

#[test]
fn sets_and_constants_are_bound_by_structures() {
    let rig = Rig::new();
    let commands2 = khr::maintenance6::Device::new(&rig.instance, &rig.device);
    let out = rig.buffer(64);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(
        &rig,
        &compile(STORES),
        kind,
        &[&out],
        vk::PipelineCache::null(),
    );
    rig.run(|commands| unsafe {
        let d = &rig.device;
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, kernel.pipeline);
        let sets = [kernel.set];
        // Graphics stages beside: both bind points.
        let info = vk::BindDescriptorSetsInfoKHR::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::VERTEX)
            .layout(kernel.layout)
            .descriptor_sets(&sets);
        commands2.cmd_bind_descriptor_sets2(commands, &info);
        for push in [[1u32, 11], [4, 44]] {
            let bytes: Vec<u8> = push.iter().flat_map(|dword| dword.to_le_bytes()).collect();
            let info = vk::PushConstantsInfoKHR::default()
                .layout(kernel.layout)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .values(&bytes);
            commands2.cmd_push_constants2(commands, &info);
            d.cmd_dispatch(commands, 1, 1, 1);
        }
    });
    assert_eq!(out.dwords()[..6], [0, 11, 0, 0, 44, 0]);
    kernel.destroy(&rig);
}

/// Runs a shader that stores 5, with its buffer pushed by `push`.
fn pushed(
    rig: &Rig,
    out: &Buffer<'_>,
    push: impl FnOnce(vk::CommandBuffer, vk::DescriptorSetLayout, vk::PipelineLayout),
) {
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint stored[]; };
void main() { stored[2] = 5; }";
    let d = &rig.device;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)];
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .bindings(&bindings)
        .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
    unsafe {
        let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
        let (layout, pipeline) = compute_pipeline(rig, glsl, set_layout);
        rig.run(|commands| {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            push(commands, set_layout, layout);
            d.cmd_dispatch(commands, 1, 1, 1);
        });
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
    }
    assert_eq!(out.dwords()[..4], [0, 0, 5, 0]);
}

#[test]
fn descriptors_are_pushed_by_structures() {
    let rig = Rig::new();
    let d = &rig.device;
    let commands2 = khr::maintenance6::Device::new(&rig.instance, d);
    let out = rig.buffer(64);
    let buffer = [vk::DescriptorBufferInfo::default()
        .buffer(out.buffer)
        .range(vk::WHOLE_SIZE)];
    pushed(&rig, &out, |commands, _, layout| {
        let writes = [vk::WriteDescriptorSet::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&buffer)];
        let info = vk::PushDescriptorSetInfoKHR::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .layout(layout)
            .descriptor_writes(&writes);
        unsafe { commands2.cmd_push_descriptor_set2(commands, &info) };
    });
    let out = rig.buffer(64);
    let buffer = vk::DescriptorBufferInfo::default()
        .buffer(out.buffer)
        .range(vk::WHOLE_SIZE);
    let mut used = None;
    pushed(&rig, &out, |commands, set_layout, layout| unsafe {
        let entries = [vk::DescriptorUpdateTemplateEntry::default()
            .descriptor_count(1)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)];
        let info = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
            .descriptor_set_layout(set_layout)
            .pipeline_bind_point(vk::PipelineBindPoint::COMPUTE)
            .pipeline_layout(layout);
        let template = d.create_descriptor_update_template(&info, None).unwrap();
        let mut info = vk::PushDescriptorSetWithTemplateInfoKHR::default()
            .descriptor_update_template(template)
            .layout(layout);
        info.p_data = (&raw const buffer).cast();
        commands2.cmd_push_descriptor_set_with_template2(commands, &info);
        used = Some(template);
    });
    unsafe { d.destroy_descriptor_update_template(used.unwrap(), None) };
}

#[test]
fn all_indices_of_no_buffer_are_zero() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        topology: vk::PrimitiveTopology::POINT_LIST,
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let red = [1.0, 0.0, 0.0, 1.0];
    // The centres of the pixels on the diagonal.
    let at = |pixel: u32| (pixel as f32 + 0.5) * 2.0 / SIZE as f32 - 1.0;
    let points: Vec<_> = (3..7).map(|pixel| ([at(pixel); 2], red)).collect();
    let buffer = vertices(&rig, &points);
    let order = rig.buffer(16);
    order.data.copy_from_slice(&[1, 0, 0, 0].repeat(4));
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        let kind = vk::IndexType::UINT32;
        for bound in [order.buffer, vk::Buffer::null()] {
            rig.device.cmd_bind_index_buffer(commands, bound, 0, kind);
        }
        rig.device.cmd_draw_indexed(commands, 3, 1, 0, 1, 0);
    });
    // Vertex 0 behind the offset of one vertex.
    canvas.colour.check(|x, y| match [x, y] {
        [4, 4] => stored(red),
        _ => [0; 4],
    });
}

#[test]
fn attachments_with_operations_of_none_keep_their_contents() -> Result<(), Error> {
    crate::rig::entry();
    let wants = Wants {
        features: &[],
        extensions: &[],
    };
    let gpu = Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants)?;
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = gpu.image(ImageInfo::new(format, 8, 8).target())?;
    let copied = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    let pass = |load, store, before| {
        let attachment = vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(load)
            .store_op(store)
            .initial_layout(before)
            .final_layout(copied);
        gpu.render_pass(&RenderPassInfo {
            attachments: &[attachment],
            subpasses: &[SubpassInfo {
                colors: &[0],
                ..SubpassInfo::default()
            }],
            dependencies: &[],
            views: &[],
        })
    };
    let clears = pass(
        vk::AttachmentLoadOp::CLEAR,
        vk::AttachmentStoreOp::STORE,
        vk::ImageLayout::UNDEFINED,
    )?;
    let none = pass(
        vk::AttachmentLoadOp::NONE_KHR,
        vk::AttachmentStoreOp::NONE,
        copied,
    )?;
    for (pass, colour) in [(clears, [0.2, 0.4, 0.6, 0.8]), (none, [1.0; 4])] {
        let framebuffer = gpu.framebuffer(pass, &[image.view], [8; 2])?;
        gpu.run(|r| {
            let color = vk::ClearColorValue { float32: colour };
            let clears = [vk::ClearValue { color }];
            r.render_pass(pass, framebuffer, [8; 2], &clears, &[&|_| {}]);
            r.left_as(&image, Use::CopyFrom);
            Ok(())
        })?;
        assert_eq!(gpu.read(&image)?, [51, 102, 153, 204].repeat(64));
    }
    Ok(())
}
