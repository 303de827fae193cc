//! Entry points of push descriptors.
//!
//! In:  descriptor writes and templates. Out: descriptors that a command buffer owns.
//! Ref: VK_KHR_push_descriptor, VK_KHR_maintenance6.

use std::ffi::c_void;

use ash::vk as c;
use vk::command::{BindPoint, CommandBuffer};

use crate::descriptor::{Source, buffer_descriptor, template_buffers};
use crate::entry::entries;
use crate::recording::{bind_point, bind_points, record};
use crate::{handle, raw};

entries! { PUSH_DESCRIPTOR:
    Device vkCmdPushDescriptorSet(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        layout: c::PipelineLayout,
        set: u32,
        descriptor_write_count: u32,
        descriptor_writes: *const c::WriteDescriptorSet<'_>,
    ) {
        let info = c::PushDescriptorSetInfoKHR {
            layout,
            set,
            descriptor_write_count,
            p_descriptor_writes: descriptor_writes,
            ..c::PushDescriptorSetInfoKHR::default()
        };
        record(command_buffer, |commands| push_writes(commands, bind_point(pipeline_bind_point)?, &info))
    }

    Device vkCmdPushDescriptorSet2(
        command_buffer: c::CommandBuffer,
        push_descriptor_set_info: *const c::PushDescriptorSetInfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(push_descriptor_set_info, "VkPushDescriptorSetInfo")?;
            bind_points(info.stage_flags).try_for_each(|point| push_writes(commands, point, info))
        })
    }

    Device vkCmdPushDescriptorSetWithTemplate(
        command_buffer: c::CommandBuffer,
        descriptor_update_template: c::DescriptorUpdateTemplate,
        layout: c::PipelineLayout,
        set: u32,
        data: *const c_void,
    ) {
        let info = c::PushDescriptorSetWithTemplateInfoKHR {
            descriptor_update_template,
            layout,
            set,
            p_data: data,
            ..c::PushDescriptorSetWithTemplateInfoKHR::default()
        };
        record(command_buffer, |commands| push_by_template(commands, &info))
    }

    Device vkCmdPushDescriptorSetWithTemplate2(
        command_buffer: c::CommandBuffer,
        push_descriptor_set_with_template_info: *const c::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(
                push_descriptor_set_with_template_info,
                "VkPushDescriptorSetWithTemplateInfo",
            )?;
            push_by_template(commands, info)
        })
    }
}

/// Pushes descriptors for a bind point.
///
/// # Safety
/// The structure is valid.
unsafe fn push_writes(
    commands: &mut CommandBuffer,
    point: BindPoint,
    info: &c::PushDescriptorSetInfoKHR<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let (layout, writes) = unsafe {
        let writes = raw::slice(info.p_descriptor_writes, info.descriptor_write_count);
        (handle::get(info.layout)?, writes)
    };
    commands.push_set(point, layout, info.set as usize, |pushed| {
        for write in writes {
            let element = (write.dst_binding, write.dst_array_element);
            let kind = write.descriptor_type;
            // SAFETY: as the caller says.
            unsafe {
                match Source::from_type(kind) {
                    Source::Buffers => {
                        let infos = raw::slice(write.p_buffer_info, write.descriptor_count).iter();
                        pushed.write(element, infos.map(|info| buffer_descriptor(info)))?;
                    }
                    // Push descriptor layouts have no inline uniform blocks.
                    Source::Inline => {}
                    source => pushed.write_pieces(
                        element,
                        write.descriptor_count as usize,
                        |index, has_sampler| {
                            source.read(kind, source.element(write, index), has_sampler)
                        },
                    )?,
                }
            }
        }
        Ok(())
    })
}

/// Pushes the descriptors of a template, for its bind point.
///
/// # Safety
/// The structure is valid, and its data are those that the template describes.
unsafe fn push_by_template(
    commands: &mut CommandBuffer,
    info: &c::PushDescriptorSetWithTemplateInfoKHR<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let (template, layout) = unsafe {
        let template = handle::get(info.descriptor_update_template)?;
        (template, handle::get(info.layout)?)
    };
    let (point, data) = (bind_point(template.bind_point)?, info.p_data);
    commands.push_set(point, layout, info.set as usize, |pushed| {
        for entry in &template.entries {
            let element = (entry.binding, entry.element);
            // SAFETY: as the caller says.
            unsafe {
                match Source::from_type(entry.kind) {
                    Source::Buffers => pushed.write(element, template_buffers(entry, data))?,
                    Source::Inline => {}
                    source => pushed.write_pieces(
                        element,
                        entry.count as usize,
                        |index, has_sampler| {
                            let offset = entry.offset_bytes + index * entry.stride_bytes;
                            source.read(entry.kind, data.byte_add(offset), has_sampler)
                        },
                    )?,
                }
            }
        }
        Ok(())
    })
}
