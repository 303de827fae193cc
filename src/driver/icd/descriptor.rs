//! Entry points of descriptors and pipeline layouts.
//!
//! In:  create infos, descriptor writes, copies and templates. Out: layouts, pools and sets of
//!      `vk`, and written descriptors.
//!
//! Writes of single buffers are the most frequent call, so their path is inlined
//! (`write_buffer_fast`) and the others are separate functions.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk as c;
use ash::vk::Handle;
use vk::descriptor::{
    BindingInfo, BufferDescriptor, DescriptorContents, DescriptorPool, DescriptorUpdateTemplate,
    PipelineLayout, PushRange, SetLayout, SetLayoutBuilder, SetWriter, SurfaceHeap, TemplateEntry,
    descriptor_slots,
};

use crate::entry::{done, entries};
use crate::objects::DescriptorPoolObject;
use crate::set_list::SetList;
use crate::{handle, raw};

entries! { DESCRIPTOR:
    Device vkCreateDescriptorSetLayout(
        device: c::Device,
        create_info: *const c::DescriptorSetLayoutCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        set_layout: *mut c::DescriptorSetLayout,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorSetLayoutCreateInfo")?;
        let mut created = SetLayout::empty(is_push(info));
        use c::DescriptorSetLayoutCreateFlags as Flags;
        if info.flags.contains(Flags::DESCRIPTOR_BUFFER_EXT) {
            created.use_descriptor_buffer();
        }
        if device.context().physical.diagnosis().has(debug::Flag::IndirectDescriptors) {
            created.prefer_indirect();
        }
        add_bindings(info, created.placing(info.binding_count as usize))?;
        if info.flags.contains(Flags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT) {
            created.embed_samplers(device.context())?;
        }
        raw::write(set_layout, handle::create_with(allocator, Arc::new(created))?);
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
        let mut created = SetLayout::empty(is_push(info));
        if info.flags.contains(c::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT) {
            created.use_descriptor_buffer();
        }
        let found = add_bindings(info, created.placing(info.binding_count as usize)).map(|()| &created);
        if let Some(out) = support.as_mut() {
            out.supported = found.is_ok().into();
            for node in raw::chain(out.p_next) {
                if (*node).s_type == c::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                    let node = &mut *node.cast::<c::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>();
                    node.max_variable_descriptor_count = found.as_ref().map_or(0, |layout| layout.max_variable_count());
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
        let push = raw::slice(info.p_push_constant_ranges, info.push_constant_range_count);
        let empty = PipelineLayout::without_sets(push.iter().map(push_range))?;
        let sets = raw::slice(info.p_set_layouts, info.set_layout_count);
        let created = handle::create_and_fill(allocator, empty, |layout: &mut PipelineLayout| {
            sets.iter().try_for_each(|&set| layout.add_set(set_layout(set)?))
        })?;
        raw::write(pipeline_layout, created);
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
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkDescriptorPoolCreateInfo")?;
        let sizes: Vec<_> = raw::slice(info.p_pool_sizes, info.pool_size_count)
            .iter()
            .enumerate()
            .map(|(index, size)| {
                let types = mutable_types(info.p_next, index);
                (size.ty, descriptor_slots(size.ty, types), size.descriptor_count)
            })
            .collect();
        let inline = raw::find_in_chain::<c::DescriptorPoolInlineUniformBlockCreateInfo<'_>>(info.p_next)
            .map_or(0, |node| node.max_inline_uniform_block_bindings);
        let pool = DescriptorPool::new(device.context(), info.max_sets, &sizes, inline)?;
        raw::write(descriptor_pool, handle::create_with(allocator, DescriptorPoolObject { pool, sets: SetList::default() })?);
        done()
    }

    Device vkDestroyDescriptorPool(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(mut object) = handle::remove(descriptor_pool) {
            object.sets.clear();
        }
        Ok(())
    }

    Device vkResetDescriptorPool(
        device: c::Device,
        descriptor_pool: c::DescriptorPool,
        flags: c::DescriptorPoolResetFlags,
    ) -> c::Result {
        let object = handle::get_mut(descriptor_pool)?;
        object.pool.reset();
        object.sets.clear();
        done()
    }

    Device vkAllocateDescriptorSets(
        device: c::Device,
        allocate_info: *const c::DescriptorSetAllocateInfo<'_>,
        descriptor_sets: *mut c::DescriptorSet,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(allocate_info, "VkDescriptorSetAllocateInfo")?;
        let object = handle::get_mut(info.descriptor_pool)?;
        let layouts = raw::slice(info.p_set_layouts, info.descriptor_set_count);
        let counts = raw::find_in_chain::<c::DescriptorSetVariableDescriptorCountAllocateInfo<'_>>(info.p_next);
        let counts = counts.map_or(&[][..], |node| raw::slice(node.p_descriptor_counts, node.descriptor_set_count));
        let DescriptorPoolObject { pool, sets } = object;
        for (index, &layout) in layouts.iter().enumerate() {
            let count = counts.get(index).copied().unwrap_or(0);
            match handle::get(layout).and_then(|layout| sets.allocate(pool, layout, count)) {
                Ok(set) => raw::write_at(descriptor_sets, index, set),
                Err(error) => {
                    sets.free_last(pool, index);
                    for index in 0..layouts.len() {
                        raw::write_at(descriptor_sets, index, c::DescriptorSet::null());
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
        let object = handle::get_mut(descriptor_pool)?;
        for &set in raw::slice(descriptor_sets, descriptor_set_count) {
            if !set.is_null() {
                object.sets.free(&mut object.pool, set)?;
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
        raw::write(descriptor_update_template, handle::create_with(allocator, DescriptorUpdateTemplate { bind_point, entries })?);
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
            match Source::from_type(entry.kind) {
                Source::Buffers => {
                    let mut cursor = set.cursor(entry.binding, entry.element)?;
                    for buffer in template_buffers(entry, data) {
                        set.write(&mut cursor, buffer?)?;
                    }
                }
                Source::Inline => {
                    let bytes = raw::bytes(data.byte_add(entry.offset_bytes), entry.count as usize);
                    set.write_inline(entry.binding, entry.element, bytes)?;
                }
                source => {
                    let mut cursor = set.cursor(entry.binding, entry.element)?;
                    for index in 0..entry.count as usize {
                        let at = data.byte_add(entry.offset_bytes + index * entry.stride_bytes);
                        set.write_pieces(&mut cursor, |has_sampler| source.read(entry.kind, at, has_sampler))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// `vk`'s push constant range.
pub(crate) fn push_range(range: &c::PushConstantRange) -> PushRange {
    PushRange {
        offset_bytes: range.offset,
        bytes: range.size,
    }
}

/// A set layout of a pipeline layout. Null stands for a set that the pipeline libraries with this
/// layout do not use.
///
/// # Safety
/// The handle is null or a set layout of this driver.
#[inline]
pub(crate) unsafe fn set_layout(layout: c::DescriptorSetLayout) -> vk::Result<Arc<SetLayout>> {
    // SAFETY: as the caller says.
    let layout = unsafe { handle::optional(layout)? };
    Ok(layout.map_or_else(|| Arc::new(SetLayout::empty(false)), Arc::clone))
}

/// The type of a descriptor's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
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
    /// The parameters of a descriptor type.
    #[inline(always)]
    pub(crate) fn from_type(kind: c::DescriptorType) -> Self {
        // The frequent types have consecutive numbers: one range test.
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

    /// The parameters of an element of a write.
    pub(crate) fn element(self, write: &c::WriteDescriptorSet<'_>, index: usize) -> *const c_void {
        match self {
            Source::Texels => write.p_texel_buffer_view.wrapping_add(index).cast(),
            _ => write.p_image_info.wrapping_add(index).cast(),
        }
    }

    /// The surfaces and samplers of an image, sampler or texel buffer descriptor. `has_sampler` is
    /// whether the descriptor stores a sampler, rather than the layout.
    ///
    /// # Safety
    /// `at` points to the parameters of a descriptor of this type, possibly unaligned; the handles
    /// that the type uses are null or handles of this driver.
    pub(crate) unsafe fn read<'a>(
        self,
        kind: c::DescriptorType,
        at: *const c_void,
        has_sampler: bool,
    ) -> vk::Result<DescriptorContents<'a>> {
        if self == Source::Texels {
            // SAFETY: as the caller says.
            let view = unsafe { handle::optional(at.cast::<c::BufferView>().read_unaligned())? };
            return Ok(match kind {
                c::DescriptorType::STORAGE_TEXEL_BUFFER => DescriptorContents::storage(
                    view.map(|view| (&view.storage, &view.storage_in_heap)),
                ),
                _ => DescriptorContents::surface(
                    view.map(|view| (&view.texture, &view.texture_in_heap)),
                ),
            });
        }
        // SAFETY: as the caller says.
        let info = unsafe { at.cast::<c::DescriptorImageInfo>().read_unaligned() };
        // SAFETY: as the caller says; a sampler descriptor does not read the view.
        let view = || unsafe { handle::optional(info.image_view) };
        // SAFETY: as the caller says; read only where the descriptor stores a sampler.
        let sampler = || unsafe { handle::get(info.sampler) };
        Ok(match kind {
            c::DescriptorType::STORAGE_IMAGE => DescriptorContents::storage(
                view()?.map(|view| view.storage_descriptor()).transpose()?,
            ),
            c::DescriptorType::SAMPLER if has_sampler => DescriptorContents::sampler(sampler()?),
            // The layout's immutable sampler stays.
            c::DescriptorType::SAMPLER => DescriptorContents::nothing(),
            _ => {
                let contents = DescriptorContents::planes(
                    view()?.map(|view| view.texture_descriptor()).transpose()?,
                );
                match kind == c::DescriptorType::COMBINED_IMAGE_SAMPLER && has_sampler {
                    true => contents.with_sampler(sampler()?),
                    false => contents,
                }
            }
        })
    }
}

/// Performs one descriptor write.
///
/// # Safety
/// The structure is valid.
#[inline(always)]
unsafe fn write_one(heap: &SurfaceHeap, write: &c::WriteDescriptorSet<'_>) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        match write_buffer_fast(heap, write) {
            Some(()) => Ok(()),
            None => write_slow(heap, write),
        }
    }
}

/// As [`write_one`], for a single non-null buffer. Returns none, and writes nothing, in all other
/// cases.
///
/// # Safety
/// The structure is valid.
#[inline(always)]
unsafe fn write_buffer_fast(heap: &SurfaceHeap, write: &c::WriteDescriptorSet<'_>) -> Option<()> {
    if Source::from_type(write.descriptor_type) != Source::Buffers || write.descriptor_count != 1 {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe {
        let set = handle::try_get(write.dst_set)?.set.on(heap);
        let info = write.p_buffer_info.as_ref()?;
        let buffer = handle::try_get(info.buffer)?;
        let element = (write.dst_binding, write.dst_array_element);
        set.write_plain(element, buffer, info.offset, info.range)
    }
}

/// As [`write_one`], for a single combined image sampler of a single-plane image. Returns none, and
/// writes nothing, in all other cases.
///
/// # Safety
/// The structure is valid.
#[inline]
unsafe fn write_combined_fast(heap: &SurfaceHeap, write: &c::WriteDescriptorSet<'_>) -> Option<()> {
    let sampled = c::DescriptorType::COMBINED_IMAGE_SAMPLER;
    if write.descriptor_type != sampled || write.descriptor_count != 1 {
        return None;
    }
    // SAFETY: as the caller says; with immutable samplers, `sampled` returns none before the
    // sampler handle is read.
    unsafe {
        let set = handle::try_get(write.dst_set)?.set.on(heap);
        let at = set.sampled(write.dst_binding, write.dst_array_element)?;
        let info = write.p_image_info.as_ref()?;
        let [texture] = handle::try_get(info.image_view)?.textures().ok()? else {
            return None;
        };
        let sampler = handle::try_get(info.sampler)?.state;
        set.write_sampled(at, texture, sampler).ok()
    }
}

/// As [`write_one`], for every type and count.
///
/// # Safety
/// The structure is valid.
#[inline(never)]
unsafe fn write_slow(heap: &SurfaceHeap, write: &c::WriteDescriptorSet<'_>) -> vk::Result<()> {
    let (binding, element) = (write.dst_binding, write.dst_array_element);
    // SAFETY: as the caller says.
    unsafe {
        if let Some(()) = write_combined_fast(heap, write) {
            return Ok(());
        }
        let set = handle::get(write.dst_set)?.set.on(heap);
        match Source::from_type(write.descriptor_type) {
            Source::Buffers => {
                let infos = raw::slice(write.p_buffer_info, write.descriptor_count);
                write_buffers(set, binding, element, infos)
            }
            Source::Inline => write_inline(set, write),
            source => write_pieces(set, write, source),
        }
    }
}

/// Performs an update with copies, which follow the writes.
///
/// # Safety
/// The structures are valid.
#[inline(never)]
unsafe fn write_and_copy(
    heap: &SurfaceHeap,
    writes: &[c::WriteDescriptorSet<'_>],
    copies: &[c::CopyDescriptorSet<'_>],
) -> vk::Result<()> {
    for write in writes {
        // SAFETY: as the caller says.
        unsafe { write_one(heap, write)? };
    }
    // SAFETY: as the caller says.
    unsafe { copy_descriptors(heap, copies) }
}

/// Writes the bytes of an inline uniform block.
///
/// # Safety
/// The structure is valid.
#[inline(never)]
unsafe fn write_inline(set: SetWriter<'_>, write: &c::WriteDescriptorSet<'_>) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let block = raw::find_in_chain::<c::WriteDescriptorSetInlineUniformBlock<'_>>(write.p_next);
        block.map_or(Ok(()), |block| {
            let bytes = raw::bytes(block.p_data, block.data_size as usize);
            set.write_inline(write.dst_binding, write.dst_array_element, bytes)
        })
    }
}

/// Writes images, samplers or texel buffers. Not inlined, to keep the path of buffers short.
///
/// # Safety
/// The structure is valid.
#[inline(never)]
unsafe fn write_pieces(
    set: SetWriter<'_>,
    write: &c::WriteDescriptorSet<'_>,
    source: Source,
) -> vk::Result<()> {
    let mut cursor = set.cursor(write.dst_binding, write.dst_array_element)?;
    for index in 0..write.descriptor_count as usize {
        let at = source.element(write, index);
        // SAFETY: as the caller says.
        set.write_pieces(&mut cursor, |has_sampler| unsafe {
            source.read(write.descriptor_type, at, has_sampler)
        })?;
    }
    Ok(())
}

/// The types that a mutable descriptor may have; `index` is that of the binding or the pool size in
/// its structure.
///
/// # Safety
/// The chain is valid as long as the result is used.
unsafe fn mutable_types<'a>(chain: *const c_void, index: usize) -> &'a [c::DescriptorType] {
    // SAFETY: as the caller says.
    unsafe {
        let node = raw::find_in_chain::<c::MutableDescriptorTypeCreateInfoEXT<'_>>(chain);
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

/// The buffers of a template's entry in the application's data, whose layout the template defines
/// and which may be unaligned.
///
/// # Safety
/// The data holds what the template says, for as long as the iterator lives; the buffers
/// are null or handles of this driver.
#[inline]
pub(crate) unsafe fn template_buffers(
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
            buffer_descriptor(&at.cast::<c::DescriptorBufferInfo>().read_unaligned())
        }
    })
}

/// Copies descriptors. Not inlined, as the frequent writes need all registers.
///
/// # Safety
/// The sets are handles of this driver.
#[inline(never)]
unsafe fn copy_descriptors(
    heap: &SurfaceHeap,
    copies: &[c::CopyDescriptorSet<'_>],
) -> vk::Result<()> {
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

/// Writes buffers from an element of a binding on.
///
/// # Safety
/// The buffers are null or handles of this driver.
#[inline(never)]
unsafe fn write_buffers(
    set: SetWriter<'_>,
    binding: u32,
    element: u32,
    infos: &[c::DescriptorBufferInfo],
) -> vk::Result<()> {
    let mut cursor = set.cursor(binding, element)?;
    for info in infos {
        // SAFETY: as the caller says.
        set.write(&mut cursor, unsafe { buffer_descriptor(info)? })?;
    }
    Ok(())
}

/// The descriptor of a buffer's range, or a null descriptor.
///
/// # Safety
/// The buffer is null or a handle of this driver.
#[inline]
pub(crate) unsafe fn buffer_descriptor(
    info: &c::DescriptorBufferInfo,
) -> vk::Result<BufferDescriptor> {
    // SAFETY: as the caller says.
    match unsafe { handle::get(info.buffer) } {
        Ok(buffer) => vk::descriptor::buffer(buffer, info.offset, info.range),
        Err(_) if info.buffer.is_null() => Ok(BufferDescriptor::NONE),
        Err(bad) => Err(bad),
    }
}

/// Whether a layout is for push descriptors.
fn is_push(info: &c::DescriptorSetLayoutCreateInfo<'_>) -> bool {
    let push = c::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    info.flags.contains(push)
}

/// Adds the bindings of a create info to a layout.
///
/// # Safety
/// The structure is valid.
unsafe fn add_bindings(
    info: &c::DescriptorSetLayoutCreateInfo<'_>,
    mut placing: SetLayoutBuilder<'_>,
) -> vk::Result<()> {
    use c::DescriptorSetLayoutCreateFlags as Flags;
    // Every pool supports updates after binding, and every set updates from the host.
    let known = Flags::PUSH_DESCRIPTOR_KHR
        | Flags::UPDATE_AFTER_BIND_POOL
        | Flags::HOST_ONLY_POOL_EXT
        | Flags::DESCRIPTOR_BUFFER_EXT
        | Flags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT;
    if !known.contains(info.flags) {
        return Err(vk::Error::FeatureNotPresent {
            what: "this kind of descriptor set layout",
        });
    }
    // SAFETY: as the caller says.
    let (bindings, flags) = unsafe {
        let flags =
            raw::find_in_chain::<c::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(info.p_next);
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
        let binding_info = BindingInfo {
            variable: flags.contains(F::VARIABLE_DESCRIPTOR_COUNT),
            static_at_bind: !flags.intersects(F::UPDATE_AFTER_BIND | F::PARTIALLY_BOUND),
            ..BindingInfo::plain(binding.binding, kind, binding.descriptor_count)
        };
        // Vulkan ignores the immutable samplers and the type list of other descriptor types.
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
            placing.add_fixed(binding_info, samplers);
            continue;
        }
        placing.add(BindingInfo {
            slots: match kind {
                // SAFETY: as the caller says.
                c::DescriptorType::MUTABLE_EXT => {
                    descriptor_slots(kind, unsafe { mutable_types(info.p_next, index) })
                }
                _ => binding_info.slots,
            },
            ..binding_info
        });
    }
    placing.finish()
}
