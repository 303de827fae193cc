//! Entry points of descriptors and pipeline layouts.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as c;
use ash::vk::Handle;
use vk::descriptor::{
    BindingInfo, BufferDescriptor, PipelineLayout, Pool, PushRange, Set, SetLayout, Template,
    TemplateEntry, holds_buffer,
};

use crate::entry::{done, entries};
use crate::handle::{self, DescriptorPoolFace};
use crate::raw;

entries! { DESCRIPTOR:
    Device vkCreateDescriptorSetLayout(
        device: c::Device,
        create_info: *const c::DescriptorSetLayoutCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        set_layout: *mut c::DescriptorSetLayout,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorSetLayoutCreateInfo")?;
        raw::put(set_layout, handle::make(Arc::new(layout(info)?)));
        done()
    }

    Device vkDestroyDescriptorSetLayout(
        device: c::Device,
        descriptor_set_layout: c::DescriptorSetLayout,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(descriptor_set_layout);
        Ok(())
    }

    Device vkGetDescriptorSetLayoutSupport(
        device: c::Device,
        create_info: *const c::DescriptorSetLayoutCreateInfo<'_>,
        support: *mut c::DescriptorSetLayoutSupport<'_>,
    ) {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorSetLayoutCreateInfo")?;
        if let Some(out) = support.as_mut() {
            out.supported = layout(info).is_ok().into();
        }
        Ok(())
    }

    Device vkCreatePipelineLayout(
        device: c::Device,
        create_info: *const c::PipelineLayoutCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        pipeline_layout: *mut c::PipelineLayout,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkPipelineLayoutCreateInfo")?;
        let sets = raw::slice(info.p_set_layouts, info.set_layout_count)
            .iter()
            .map(|&layout| handle::get(layout).cloned())
            .collect::<vk::Result<Vec<_>>>()?;
        let push: Vec<PushRange> = raw::slice(info.p_push_constant_ranges, info.push_constant_range_count)
            .iter()
            .map(|range| PushRange { offset_bytes: range.offset, bytes: range.size })
            .collect();
        raw::put(pipeline_layout, handle::make(Arc::new(PipelineLayout::new(&sets, &push)?)));
        done()
    }

    Device vkDestroyPipelineLayout(
        device: c::Device,
        pipeline_layout: c::PipelineLayout,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(pipeline_layout);
        Ok(())
    }

    Device vkCreateDescriptorPool(
        device: c::Device,
        create_info: *const c::DescriptorPoolCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        descriptor_pool: *mut c::DescriptorPool,
    ) -> c::Result {
        let face = handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorPoolCreateInfo")?;
        let sizes: Vec<_> = raw::slice(info.p_pool_sizes, info.pool_size_count)
            .iter()
            .map(|size| (size.ty, size.descriptor_count))
            .collect();
        let pool = Pool::new(&face.device.context, info.max_sets, &sizes)?;
        raw::put(descriptor_pool, handle::make(DescriptorPoolFace { pool, sets: Mutex::default() }));
        done()
    }

    Device vkDestroyDescriptorPool(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(face) = handle::destroy(descriptor_pool) {
            drop_sets(&face);
        }
        Ok(())
    }

    Device vkResetDescriptorPool(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        flags: c::DescriptorPoolResetFlags,
    ) -> c::Result {
        let face = handle::get(descriptor_pool)?;
        face.pool.reset();
        drop_sets(face);
        done()
    }

    Device vkAllocateDescriptorSets(
        device: c::Device,
        allocate_info: *const c::DescriptorSetAllocateInfo<'_>,
        descriptor_sets: *mut c::DescriptorSet,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(allocate_info, "VkDescriptorSetAllocateInfo")?;
        let face = handle::get(info.descriptor_pool)?;
        let layouts = raw::slice(info.p_set_layouts, info.descriptor_set_count);
        let mut made = Vec::with_capacity(layouts.len());
        for &layout in layouts {
            // A failure drops the sets made so far, which frees their room.
            match handle::get(layout).and_then(|layout| Set::new(&face.pool, layout)) {
                Ok(set) => made.push(set),
                Err(error) => {
                    for index in 0..layouts.len() {
                        raw::put_at(descriptor_sets, index, c::DescriptorSet::null());
                    }
                    return Err(error);
                }
            }
        }
        let mut known = sets(face);
        for (index, set) in made.into_iter().enumerate() {
            let set: c::DescriptorSet = handle::make(set);
            known.insert(set.as_raw());
            raw::put_at(descriptor_sets, index, set);
        }
        done()
    }

    Device vkFreeDescriptorSets(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        descriptor_set_count: u32,
        descriptor_sets: *const c::DescriptorSet,
    ) -> c::Result {
        let face = handle::get(descriptor_pool)?;
        for &set in raw::slice(descriptor_sets, descriptor_set_count) {
            if sets(face).remove(&set.as_raw()) {
                handle::destroy(set);
            }
        }
        done()
    }

    Device vkUpdateDescriptorSets(
        device: c::Device,
        descriptor_write_count: u32,
        descriptor_writes: *const c::WriteDescriptorSet<'_>,
        descriptor_copy_count: u32,
        descriptor_copies: *const c::CopyDescriptorSet<'_>,
    ) {
        handle::get(device)?;
        for write in raw::slice(descriptor_writes, descriptor_write_count) {
            if !holds_buffer(write.descriptor_type) {
                continue;
            }
            let set = handle::get(write.dst_set)?;
            let mut place = set.cursor(write.dst_binding, write.dst_array_element)?;
            for info in raw::slice(write.p_buffer_info, write.descriptor_count) {
                set.write(&mut place, descriptor(info)?)?;
            }
        }
        for copy in raw::slice(descriptor_copies, descriptor_copy_count) {
            handle::get(copy.dst_set)?.copy_from(
                copy.dst_binding,
                copy.dst_array_element,
                handle::get(copy.src_set)?,
                (copy.src_binding, copy.src_array_element),
                copy.descriptor_count,
            )?;
        }
        Ok(())
    }

    Device vkCreateDescriptorUpdateTemplate(
        device: c::Device,
        create_info: *const c::DescriptorUpdateTemplateCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        descriptor_update_template: *mut c::DescriptorUpdateTemplate,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorUpdateTemplateCreateInfo")?;
        if info.template_type != c::DescriptorUpdateTemplateType::DESCRIPTOR_SET {
            return Err(vk::Error::FeatureNotPresent { what: "push descriptors" });
        }
        let entries = raw::slice(info.p_descriptor_update_entries, info.descriptor_update_entry_count)
            .iter()
            .map(|entry| TemplateEntry {
                binding: entry.dst_binding,
                element: entry.dst_array_element,
                count: entry.descriptor_count,
                kind: entry.descriptor_type,
                offset_bytes: entry.offset,
                stride_bytes: entry.stride,
            })
            .collect();
        raw::put(descriptor_update_template, handle::make(Template { entries }));
        done()
    }

    Device vkDestroyDescriptorUpdateTemplate(
        device: c::Device,
        descriptor_update_template: c::DescriptorUpdateTemplate,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(descriptor_update_template);
        Ok(())
    }

    Device vkUpdateDescriptorSetWithTemplate(
        device: c::Device,
        descriptor_set: c::DescriptorSet,
        descriptor_update_template: c::DescriptorUpdateTemplate,
        data: *const c_void,
    ) {
        let set = handle::get(descriptor_set)?;
        for entry in handle::get(descriptor_update_template)?.entries.iter().filter(|entry| holds_buffer(entry.kind)) {
            let mut place = set.cursor(entry.binding, entry.element)?;
            for index in 0..entry.count as usize {
                let at = data.byte_add(entry.offset_bytes + index * entry.stride_bytes);
                // The application may pack its data as it likes.
                let info = at.cast::<c::DescriptorBufferInfo>().read_unaligned();
                set.write(&mut place, descriptor(&info)?)?;
            }
        }
        Ok(())
    }
}

fn sets(face: &DescriptorPoolFace) -> std::sync::MutexGuard<'_, BTreeSet<u64>> {
    face.sets.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the handles of all sets of a pool.
///
/// # Safety
/// Nobody uses them any more.
unsafe fn drop_sets(face: &DescriptorPoolFace) {
    for set in std::mem::take(&mut *sets(face)) {
        // SAFETY: the set is in the list, so it is a live handle of ours.
        unsafe { handle::destroy(c::DescriptorSet::from_raw(set)) };
    }
}

/// # Safety
/// The buffer is a handle of ours.
#[inline]
unsafe fn descriptor(info: &c::DescriptorBufferInfo) -> vk::Result<BufferDescriptor> {
    // SAFETY: as the caller says.
    let buffer = unsafe { handle::get(info.buffer)? };
    vk::descriptor::buffer(buffer, info.offset, info.range)
}

/// # Safety
/// The structure is valid.
unsafe fn layout(info: &c::DescriptorSetLayoutCreateInfo<'_>) -> vk::Result<SetLayout> {
    if !info.flags.is_empty() {
        return Err(vk::Error::FeatureNotPresent {
            what: "push descriptors and update after bind",
        });
    }
    // SAFETY: as the caller says.
    let bindings: Vec<BindingInfo> = unsafe { raw::slice(info.p_bindings, info.binding_count) }
        .iter()
        .map(|binding| BindingInfo {
            binding: binding.binding,
            kind: binding.descriptor_type,
            count: binding.descriptor_count,
        })
        .collect();
    SetLayout::new(&bindings)
}
