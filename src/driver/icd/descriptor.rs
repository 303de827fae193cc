//! Entry points of descriptors and pipeline layouts.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk as c;
use ash::vk::Handle;
use vk::descriptor::{
    BindingInfo, BufferDescriptor, Heap, Pieces, PipelineLayout, Placing, Pool, PushRange,
    SetLayout, Template, TemplateEntry, Written, pieces,
};

use crate::entry::{done, entries};
use crate::face::DescriptorPoolFace;
use crate::recording::{point, record};
use crate::set_list::SetList;
use crate::{handle, raw};

entries! { DESCRIPTOR:
    Device vkCreateDescriptorSetLayout(
        device: c::Device,
        create_info: *const c::DescriptorSetLayoutCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        set_layout: *mut c::DescriptorSetLayout,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorSetLayoutCreateInfo")?;
        let mut made = SetLayout::empty(is_push(info));
        layout(info, made.placing(info.binding_count as usize))?;
        raw::put(set_layout, handle::make_in(allocator, Arc::new(made))?);
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
        let mut made = SetLayout::empty(is_push(info));
        let found = layout(info, made.placing(info.binding_count as usize)).map(|()| &made);
        if let Some(out) = support.as_mut() {
            out.supported = found.is_ok().into();
            for node in raw::chain(out.p_next) {
                if (*node).s_type == c::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                    let node = &mut *node.cast::<c::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>();
                    node.max_variable_descriptor_count = found.as_ref().map_or(0, |layout| layout.most_variable());
                }
            }
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
        raw::put(pipeline_layout, handle::make_in(allocator, Arc::new(PipelineLayout::new(&sets, &push)?))?);
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
            .enumerate()
            .map(|(index, size)| {
                let allowed = allowed(info.p_next, index);
                (size.ty, pieces(size.ty, allowed), size.descriptor_count)
            })
            .collect();
        let inline = raw::find::<c::DescriptorPoolInlineUniformBlockCreateInfo<'_>>(info.p_next)
            .map_or(0, |node| node.max_inline_uniform_block_bindings);
        let pool = Pool::new(&face.device.context, info.max_sets, &sizes, inline)?;
        raw::put(descriptor_pool, handle::make_in(allocator, DescriptorPoolFace { pool, sets: SetList::default() })?);
        done()
    }

    Device vkDestroyDescriptorPool(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(mut face) = handle::take(descriptor_pool) {
            face.sets.clear();
        }
        Ok(())
    }

    Device vkResetDescriptorPool(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        flags: c::DescriptorPoolResetFlags,
    ) -> c::Result {
        let face = handle::get_mut(descriptor_pool)?;
        face.pool.reset();
        face.sets.clear();
        done()
    }

    Device vkAllocateDescriptorSets(
        device: c::Device,
        allocate_info: *const c::DescriptorSetAllocateInfo<'_>,
        descriptor_sets: *mut c::DescriptorSet,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(allocate_info, "VkDescriptorSetAllocateInfo")?;
        let face = handle::get_mut(info.descriptor_pool)?;
        let layouts = raw::slice(info.p_set_layouts, info.descriptor_set_count);
        let counts = raw::find::<c::DescriptorSetVariableDescriptorCountAllocateInfo<'_>>(info.p_next);
        let counts = counts.map_or(&[][..], |node| raw::slice(node.p_descriptor_counts, node.descriptor_set_count));
        let DescriptorPoolFace { pool, sets } = face;
        for (index, &layout) in layouts.iter().enumerate() {
            let count = counts.get(index).copied().unwrap_or(0);
            match handle::get(layout).and_then(|layout| sets.allocate(pool, layout, count)) {
                Ok(set) => raw::put_at(descriptor_sets, index, set),
                Err(error) => {
                    sets.free_last(pool, index);
                    for index in 0..layouts.len() {
                        raw::put_at(descriptor_sets, index, c::DescriptorSet::null());
                    }
                    return Err(error);
                }
            }
        }
        done()
    }

    Device vkFreeDescriptorSets(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        descriptor_set_count: u32,
        descriptor_sets: *const c::DescriptorSet,
    ) -> c::Result {
        let face = handle::get_mut(descriptor_pool)?;
        for &set in raw::slice(descriptor_sets, descriptor_set_count) {
            if !set.is_null() {
                face.sets.free(&mut face.pool, set)?;
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
        let heap = &*handle::get(device)?.device.descriptors;
        let writes = raw::slice(descriptor_writes, descriptor_write_count);
        match descriptor_copy_count {
            0 => writes.iter().try_for_each(|write| write_one(heap, write)),
            count => write_and_copy(heap, writes, raw::slice(descriptor_copies, count)),
        }
    }

    Device vkCreateDescriptorUpdateTemplate(
        device: c::Device,
        create_info: *const c::DescriptorUpdateTemplateCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        descriptor_update_template: *mut c::DescriptorUpdateTemplate,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorUpdateTemplateCreateInfo")?;
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
        let bind_point = info.pipeline_bind_point;
        raw::put(descriptor_update_template, handle::make_in(allocator, Template { bind_point, entries })?);
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
        let heap = &*handle::get(device)?.device.descriptors;
        let set = handle::get(descriptor_set)?.set.on(heap);
        for entry in &handle::get(descriptor_update_template)?.entries {
            match Source::of(entry.kind) {
                Source::Buffers => {
                    let mut place = set.cursor(entry.binding, entry.element)?;
                    for buffer in packed(entry, data) {
                        set.write(&mut place, buffer?)?;
                    }
                }
                Source::Inline => {
                    let bytes = raw::bytes(data.byte_add(entry.offset_bytes), entry.count as usize);
                    set.write_inline(entry.binding, entry.element, bytes)?;
                }
                source => {
                    let mut place = set.cursor(entry.binding, entry.element)?;
                    for index in 0..entry.count as usize {
                        let at = data.byte_add(entry.offset_bytes + index * entry.stride_bytes);
                        set.write_pieces(&mut place, |own| source.read(entry.kind, at, own))?;
                    }
                }
            }
        }
        Ok(())
    }

    Device ["VK_KHR_push_descriptor"] vkCmdPushDescriptorSetKHR(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        layout: c::PipelineLayout,
        set: u32,
        descriptor_write_count: u32,
        descriptor_writes: *const c::WriteDescriptorSet<'_>,
    ) {
        record(command_buffer, |commands| {
            let layout = handle::get(layout)?;
            commands.push_set(point(pipeline_bind_point)?, layout, set as usize, |pushed| {
                for write in raw::slice(descriptor_writes, descriptor_write_count) {
                    let place = (write.dst_binding, write.dst_array_element);
                    let kind = write.descriptor_type;
                    match Source::of(kind) {
                        Source::Buffers => {
                            let infos = raw::slice(write.p_buffer_info, write.descriptor_count).iter();
                            pushed.write(place, infos.map(|info| descriptor(info)))?;
                        }
                        // Layouts to push have no such blocks.
                        Source::Inline => {}
                        source => pushed.write_pieces(place, write.descriptor_count as usize, |index, own| {
                            source.read(kind, source.element(write, index), own)
                        })?,
                    }
                }
                Ok(())
            })
        })
    }

    Device ["VK_KHR_push_descriptor"] vkCmdPushDescriptorSetWithTemplateKHR(
        command_buffer: c::CommandBuffer,
        descriptor_update_template: c::DescriptorUpdateTemplate,
        layout: c::PipelineLayout,
        set: u32,
        data: *const c_void,
    ) {
        record(command_buffer, |commands| {
            let template = handle::get(descriptor_update_template)?;
            let layout = handle::get(layout)?;
            commands.push_set(point(template.bind_point)?, layout, set as usize, |pushed| {
                for entry in &template.entries {
                    let place = (entry.binding, entry.element);
                    match Source::of(entry.kind) {
                        Source::Buffers => pushed.write(place, packed(entry, data))?,
                        Source::Inline => {}
                        source => pushed.write_pieces(place, entry.count as usize, |index, own| {
                            let at = data.byte_add(entry.offset_bytes + index * entry.stride_bytes);
                            source.read(entry.kind, at, own)
                        })?,
                    }
                }
                Ok(())
            })
        })
    }
}

/// Where the parameters of a descriptor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// `VkDescriptorBufferInfo`.
    Buffers,
    /// Bytes.
    Inline,
    /// `VkDescriptorImageInfo`.
    Images,
    /// `VkBufferView`.
    Texels,
}

impl Source {
    #[inline(always)]
    fn of(kind: c::DescriptorType) -> Self {
        // What is frequent, in one test: these have numbers in a row.
        let buffers = c::DescriptorType::UNIFORM_BUFFER..=c::DescriptorType::STORAGE_BUFFER_DYNAMIC;
        if buffers.contains(&kind) {
            return Source::Buffers;
        }
        match kind {
            c::DescriptorType::INLINE_UNIFORM_BLOCK => Source::Inline,
            c::DescriptorType::UNIFORM_TEXEL_BUFFER | c::DescriptorType::STORAGE_TEXEL_BUFFER => {
                Source::Texels
            }
            c::DescriptorType::SAMPLER
            | c::DescriptorType::COMBINED_IMAGE_SAMPLER
            | c::DescriptorType::SAMPLED_IMAGE
            | c::DescriptorType::STORAGE_IMAGE
            | c::DescriptorType::INPUT_ATTACHMENT => Source::Images,
            _ => Source::Buffers,
        }
    }

    /// An element's parameters.
    fn element(self, write: &c::WriteDescriptorSet<'_>, index: usize) -> *const c_void {
        match self {
            Source::Texels => write.p_texel_buffer_view.wrapping_add(index).cast(),
            _ => write.p_image_info.wrapping_add(index).cast(),
        }
    }

    /// The pieces of an image, a sampler or a texel buffer. `own`: it has a sampler of its own.
    ///
    /// # Safety
    /// `at` points to the parameters of a descriptor of this kind, perhaps not aligned; what the kind reads of them are null or handles
    /// of ours.
    unsafe fn read<'a>(
        self,
        kind: c::DescriptorType,
        at: *const c_void,
        own: bool,
    ) -> vk::Result<Pieces<'a>> {
        if self == Source::Texels {
            // SAFETY: as the caller says.
            let view = unsafe { handle::optional(at.cast::<c::BufferView>().read_unaligned())? };
            return Ok(match kind {
                c::DescriptorType::STORAGE_TEXEL_BUFFER => {
                    Pieces::storage(view.map(|view| &view.storage))
                }
                _ => Pieces::surface(view.map(|view| &view.texture)),
            });
        }
        // SAFETY: as the caller says.
        let info = unsafe { at.cast::<c::DescriptorImageInfo>().read_unaligned() };
        // SAFETY: as the caller says; of a sampler alone there is no view to read.
        let view = || unsafe { handle::optional(info.image_view) };
        // SAFETY: as the caller says; only where the descriptor has one.
        let sampler = || unsafe { handle::get(info.sampler) };
        Ok(match kind {
            c::DescriptorType::STORAGE_IMAGE => {
                Pieces::storage(view()?.map(|view| view.storage()).transpose()?)
            }
            c::DescriptorType::SAMPLER if own => Pieces::sampler(sampler()?.state),
            // The layout's stays.
            c::DescriptorType::SAMPLER => Pieces::sampler([0; 4]),
            _ => {
                let pieces = Pieces::planes(view()?.map(|view| view.textures()).transpose()?);
                match kind == c::DescriptorType::COMBINED_IMAGE_SAMPLER && own {
                    true => pieces.with_sampler(sampler()?.state),
                    false => pieces,
                }
            }
        })
    }
}

/// Does what one structure says.
///
/// # Safety
/// The structure is valid.
#[inline(always)]
unsafe fn write_one(heap: &Heap, write: &c::WriteDescriptorSet<'_>) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        match write_plain(heap, write) {
            Some(()) => Ok(()),
            None => write_any(heap, write),
        }
    }
}

/// The same for one buffer, where nothing is out of the ordinary. None: nothing was done.
///
/// # Safety
/// The structure is valid.
#[inline(always)]
unsafe fn write_plain(heap: &Heap, write: &c::WriteDescriptorSet<'_>) -> Option<()> {
    if Source::of(write.descriptor_type) != Source::Buffers || write.descriptor_count != 1 {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe {
        let set = handle::known(write.dst_set)?.set.on(heap);
        let info = write.p_buffer_info.as_ref()?;
        let buffer = handle::known(info.buffer)?;
        let place = (write.dst_binding, write.dst_array_element);
        set.write_plain(place, buffer, info.offset, info.range)
    }
}

/// The same for one picture with its sampler, where nothing is out of the ordinary. None: nothing was done.
///
/// # Safety
/// The structure is valid.
#[inline]
unsafe fn write_sampled(heap: &Heap, write: &c::WriteDescriptorSet<'_>) -> Option<()> {
    let sampled = c::DescriptorType::COMBINED_IMAGE_SAMPLER;
    if write.descriptor_type != sampled || write.descriptor_count != 1 {
        return None;
    }
    // SAFETY: as the caller says; where the layout has samplers, none need be given, and none is looked at.
    unsafe {
        let set = handle::known(write.dst_set)?.set.on(heap);
        let at = set.sampled(write.dst_binding, write.dst_array_element)?;
        let info = write.p_image_info.as_ref()?;
        let [texture] = handle::known(info.image_view)?.textures().ok()? else {
            return None;
        };
        let sampler = handle::known(info.sampler)?.state;
        set.write_sampled(at, texture, sampler).ok()
    }
}

/// The same for whatever there is.
///
/// # Safety
/// The structure is valid.
#[inline(never)]
unsafe fn write_any(heap: &Heap, write: &c::WriteDescriptorSet<'_>) -> vk::Result<()> {
    let (binding, element) = (write.dst_binding, write.dst_array_element);
    // SAFETY: as the caller says.
    unsafe {
        if let Some(()) = write_sampled(heap, write) {
            return Ok(());
        }
        let set = handle::get(write.dst_set)?.set.on(heap);
        match Source::of(write.descriptor_type) {
            Source::Buffers => {
                let infos = raw::slice(write.p_buffer_info, write.descriptor_count);
                write_buffers(set, binding, element, infos)
            }
            Source::Inline => write_inline(set, write),
            source => write_pieces(set, write, source),
        }
    }
}

/// Does what an update with copies says: they come behind the writes.
///
/// # Safety
/// The structures are valid.
#[inline(never)]
unsafe fn write_and_copy(
    heap: &Heap,
    writes: &[c::WriteDescriptorSet<'_>],
    copies: &[c::CopyDescriptorSet<'_>],
) -> vk::Result<()> {
    for write in writes {
        // SAFETY: as the caller says.
        unsafe { write_one(heap, write)? };
    }
    // SAFETY: as the caller says.
    unsafe { copy(heap, copies) }
}

/// Writes bytes of an inline uniform block.
///
/// # Safety
/// The structure is valid.
#[inline(never)]
unsafe fn write_inline(set: Written<'_>, write: &c::WriteDescriptorSet<'_>) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let block = raw::find::<c::WriteDescriptorSetInlineUniformBlock<'_>>(write.p_next);
        block.map_or(Ok(()), |block| {
            let bytes = raw::bytes(block.p_data, block.data_size as usize);
            set.write_inline(write.dst_binding, write.dst_array_element, bytes)
        })
    }
}

/// Writes images, samplers or texel buffers; apart from the buffers, which are frequent.
///
/// # Safety
/// The structure is valid.
#[inline(never)]
unsafe fn write_pieces(
    set: Written<'_>,
    write: &c::WriteDescriptorSet<'_>,
    source: Source,
) -> vk::Result<()> {
    let mut place = set.cursor(write.dst_binding, write.dst_array_element)?;
    for index in 0..write.descriptor_count as usize {
        let at = source.element(write, index);
        // SAFETY: as the caller says.
        set.write_pieces(&mut place, |own| unsafe {
            source.read(write.descriptor_type, at, own)
        })?;
    }
    Ok(())
}

/// The types that a mutable descriptor may be of, of a binding or a pool's size by its index.
///
/// # Safety
/// The chain is valid for as long as what comes back is used.
unsafe fn allowed<'a>(chain: *const c_void, index: usize) -> &'a [c::DescriptorType] {
    // SAFETY: as the caller says.
    unsafe {
        let node = raw::find::<c::MutableDescriptorTypeCreateInfoEXT<'_>>(chain);
        let lists = node.map_or(&[][..], |node| {
            raw::slice(
                node.p_mutable_descriptor_type_lists,
                node.mutable_descriptor_type_list_count,
            )
        });
        lists.get(index).map_or(&[], |list| {
            raw::slice(list.p_descriptor_types, list.descriptor_type_count)
        })
    }
}

/// The buffers of a template's entry in the application's data, which may be packed as it likes.
///
/// # Safety
/// The data holds what the template says, for as long as the iterator lives; the buffers are handles of ours.
#[inline]
unsafe fn packed(
    entry: &TemplateEntry,
    data: *const c_void,
) -> impl Iterator<Item = vk::Result<BufferDescriptor>> {
    let TemplateEntry {
        count,
        offset_bytes,
        stride_bytes,
        ..
    } = *entry;
    (0..count as usize).map(move |index| {
        // SAFETY: as the caller says.
        unsafe {
            let at = data.byte_add(offset_bytes + index * stride_bytes);
            descriptor(&at.cast::<c::DescriptorBufferInfo>().read_unaligned())
        }
    })
}

/// Apart from the writes, which are frequent and need every register.
///
/// # Safety
/// The sets are handles of ours.
#[inline(never)]
unsafe fn copy(heap: &Heap, copies: &[c::CopyDescriptorSet<'_>]) -> vk::Result<()> {
    for copy in copies {
        // SAFETY: as the caller says.
        let (to, from) = unsafe {
            (
                &handle::get(copy.dst_set)?.set,
                &handle::get(copy.src_set)?.set,
            )
        };
        to.on(heap).copy_from(
            copy.dst_binding,
            copy.dst_array_element,
            from,
            (copy.src_binding, copy.src_array_element),
            copy.descriptor_count,
        )?;
    }
    Ok(())
}

/// # Safety
/// The buffers are null or handles of ours.
#[inline(never)]
unsafe fn write_buffers(
    set: Written<'_>,
    binding: u32,
    element: u32,
    infos: &[c::DescriptorBufferInfo],
) -> vk::Result<()> {
    let mut place = set.cursor(binding, element)?;
    for info in infos {
        // SAFETY: as the caller says.
        set.write(&mut place, unsafe { descriptor(info)? })?;
    }
    Ok(())
}

/// # Safety
/// The buffer is null or a handle of ours.
#[inline]
unsafe fn descriptor(info: &c::DescriptorBufferInfo) -> vk::Result<BufferDescriptor> {
    // SAFETY: as the caller says.
    match unsafe { handle::get(info.buffer) } {
        Ok(buffer) => vk::descriptor::buffer(buffer, info.offset, info.range),
        Err(_) if info.buffer.is_null() => Ok(BufferDescriptor::NONE),
        Err(bad) => Err(bad),
    }
}

fn is_push(info: &c::DescriptorSetLayoutCreateInfo<'_>) -> bool {
    let push = c::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    info.flags.contains(push)
}

/// Adds the bindings that a structure names.
///
/// # Safety
/// The structure is valid.
unsafe fn layout(
    info: &c::DescriptorSetLayoutCreateInfo<'_>,
    mut placing: Placing<'_>,
) -> vk::Result<()> {
    use c::DescriptorSetLayoutCreateFlags as Flags;
    // Every pool of ours may be updated after its sets are bound, and any may stay on the host.
    let known =
        Flags::PUSH_DESCRIPTOR_KHR | Flags::UPDATE_AFTER_BIND_POOL | Flags::HOST_ONLY_POOL_EXT;
    if !known.contains(info.flags) {
        return Err(vk::Error::FeatureNotPresent {
            what: "this kind of descriptor set layout",
        });
    }
    // SAFETY: as the caller says.
    let (bindings, flags) = unsafe {
        let flags = raw::find::<c::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(info.p_next);
        (
            raw::slice(info.p_bindings, info.binding_count),
            flags.map_or(&[][..], |node| {
                raw::slice(node.p_binding_flags, node.binding_count)
            }),
        )
    };
    for (index, binding) in bindings.iter().enumerate() {
        let kind = binding.descriptor_type;
        let flags = flags.get(index).copied().unwrap_or_default();
        use c::DescriptorBindingFlags as F;
        let asked = BindingInfo {
            variable: flags.contains(F::VARIABLE_DESCRIPTOR_COUNT),
            settled: !flags.intersects(F::UPDATE_AFTER_BIND | F::PARTIALLY_BOUND),
            ..BindingInfo::plain(binding.binding, kind, binding.descriptor_count)
        };
        // Only of some types the samplers and the list of types are looked at.
        let sampled =
            kind == c::DescriptorType::SAMPLER || kind == c::DescriptorType::COMBINED_IMAGE_SAMPLER;
        if sampled && !binding.p_immutable_samplers.is_null() && binding.descriptor_count > 0 {
            // SAFETY: as the caller says.
            let samplers = unsafe {
                raw::slice(binding.p_immutable_samplers, binding.descriptor_count)
                    .iter()
                    .map(|&sampler| handle::get(sampler).cloned())
                    .collect::<vk::Result<_>>()?
            };
            placing.add_fixed(asked, samplers);
            continue;
        }
        placing.add(BindingInfo {
            pieces: match kind {
                // SAFETY: as the caller says.
                c::DescriptorType::MUTABLE_EXT => {
                    pieces(kind, unsafe { allowed(info.p_next, index) })
                }
                _ => asked.pieces,
            },
            ..asked
        });
    }
    placing.finish()
}
