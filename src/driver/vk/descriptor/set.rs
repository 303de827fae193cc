//! Descriptor sets and their updates.
//!
//! In:  buffers, images, samplers. Out: surface states and samplers in the set's heap allocation:
//!      an update is a few stores. Dynamic buffers are only remembered; their surface states are
//!      written at bind time.
//!
//! Several threads may update different descriptors of a set at once, so all stores are atomic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ash::vk as api;
use smallvec::SmallVec;

use super::contents::{DescriptorContents, SlotWriter, store_immutable, store_sampler};
use super::indirect::IndirectSet;
use super::layout::{BindingLayout, SetLayout, Storage};
use super::pool::DescriptorPool;
use crate::buffer::Buffer;
use crate::context::HEAPS;
use crate::error::{Error, Result};
use crate::limits;
use crate::sampler::SamplerStateWords;
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, SurfaceStateWords};

/// `VkDescriptorSet`.
#[derive(Debug)]
pub struct DescriptorSet {
    layout: Arc<SetLayout>,
    /// Byte offset in the bindless heap.
    heap_bytes_at: u32,
    /// Size in the heap, or in the memory of indirect descriptors, in bytes.
    heap_bytes: u32,
    /// Count of the last binding: elements or bytes.
    last_count: u32,
    dynamic: Box<[DynamicBuffer]>,
    /// Memory of indirect descriptors.
    indirect: Option<Box<IndirectSet>>,
}

/// A dynamic buffer; its size is 0 until it is written.
#[derive(Debug, Default)]
struct DynamicBuffer {
    address: AtomicU64,
    bytes: AtomicU64,
}

impl DynamicBuffer {
    fn load(&self) -> BufferDescriptor {
        BufferDescriptor {
            address: self.address.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
        }
    }

    fn store(&self, buffer: BufferDescriptor) {
        self.address.store(buffer.address, Relaxed);
        self.bytes.store(buffer.bytes, Relaxed);
    }
}

/// The descriptor of `range` bytes (or `VK_WHOLE_SIZE`) of a buffer from an offset.
#[inline]
pub fn buffer(buffer: &Buffer, offset: u64, range: u64) -> Result<BufferDescriptor> {
    let rest = buffer.bytes.checked_sub(offset).ok_or(Error::InvalidUse {
        why: "a descriptor that starts beyond its buffer",
    })?;
    // `VK_WHOLE_SIZE` exceeds any range.
    const { assert!(api::WHOLE_SIZE == u64::MAX) };
    Ok(BufferDescriptor {
        address: buffer.address()? + offset,
        bytes: range.min(rest),
    })
}

/// Heap offsets of a combined image sampler.
#[derive(Clone, Copy, Debug)]
pub struct CombinedImageSampler {
    surface: u32,
    sampler: u32,
}

/// A set with its heap, for updates.
#[derive(Clone, Copy, Debug)]
pub struct SetWriter<'a> {
    set: &'a DescriptorSet,
    heap: &'a i915::SurfaceHeap,
}

impl DescriptorSet {
    /// Allocates a set from a pool. `last_count` is the count of the last binding, if variable.
    pub fn new(
        pool: &mut DescriptorPool,
        layout: &Arc<SetLayout>,
        last_count: u32,
    ) -> Result<Self> {
        if layout.is_push() {
            return Err(Error::InvalidUse {
                why: "a set of a layout whose descriptors are pushed",
            });
        }
        let (heap_bytes, last_count) = layout.size_and_count(last_count)?;
        let dynamic = (0..layout.dynamic_count()).map(|_| DynamicBuffer::default());
        let (heap_bytes_at, indirect) = match layout.indirect {
            true => (0, Some(Box::new(pool.allocate_indirect(heap_bytes)?))),
            false => (pool.alloc(heap_bytes)?, None),
        };
        let set = Self {
            layout: layout.clone(),
            heap_bytes_at,
            heap_bytes,
            last_count,
            dynamic: dynamic.collect(),
            indirect,
        };
        if layout.size.made
            && let Err(error) = set.on(pool.heap()).write_initial()
        {
            set.free(pool);
            return Err(error);
        }
        Ok(set)
    }

    /// Returns the allocation to the pool. The set must not be used afterwards.
    #[inline]
    pub fn free(&self, pool: &mut DescriptorPool) {
        match self.indirect {
            Some(_) => pool.free_indirect(self.heap_bytes),
            None => pool.free(self.heap_bytes_at, self.heap_bytes),
        }
    }

    /// Whether the set has this layout (the same object).
    #[inline]
    pub fn has_layout(&self, layout: &Arc<SetLayout>) -> bool {
        Arc::ptr_eq(&self.layout, layout)
    }

    /// Whether the set could be replaced by a newly allocated one: all its state is in the heap.
    #[inline]
    pub fn is_reusable(&self) -> bool {
        self.layout.is_stateless
    }

    /// The set for updates; `heap` is the device's.
    #[inline]
    pub fn on<'a>(&'a self, heap: &'a i915::SurfaceHeap) -> SetWriter<'a> {
        SetWriter { set: self, heap }
    }

    /// Count of a binding in this set: elements or bytes.
    fn count(&self, binding_layout: &BindingLayout) -> u32 {
        if binding_layout.info.variable {
            self.last_count
        } else {
            binding_layout.info.count
        }
    }

    /// The layout.
    #[inline]
    pub fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// Handle for shaders: the byte offset in the heap shifted left by 6, or that of indirect
    /// descriptors (see `abi`).
    #[inline]
    pub fn handle(&self) -> u32 {
        match &self.indirect {
            None => self.heap_bytes_at << 6,
            Some(indirect) => indirect.handle(),
        }
    }

    /// The memory of indirect descriptors.
    fn indirect(&self) -> Result<&IndirectSet> {
        self.indirect.as_deref().ok_or(OUT_OF_RANGE)
    }

    /// The dynamic buffers in order of binding and element.
    pub fn dynamic_buffers(&self) -> impl Iterator<Item = BufferDescriptor> {
        self.dynamic.iter().map(DynamicBuffer::load)
    }
}

impl<'a> SetWriter<'a> {
    /// Writes the initial contents: surfaces of inline uniform blocks, immutable samplers.
    fn write_initial(self) -> Result<()> {
        let set = self.set;
        for binding_layout in &set.layout.bindings {
            if binding_layout.storage == Storage::Inline {
                let at = set.heap_bytes_at + binding_layout.offset_bytes;
                let block = BufferDescriptor {
                    address: HEAPS.bindless + u64::from(at + SURFACE_BYTES),
                    bytes: set.count(binding_layout).into(),
                };
                surface_state::write(self.heap, at, block)?;
            }
            if set.layout.indirect {
                self.write_initial_indirect(binding_layout)?;
                continue;
            }
            if !binding_layout.writes_samplers() {
                store_immutable(&set.layout, binding_layout, &mut { self })?;
            }
        }
        Ok(())
    }

    /// Writes the initial contents of a binding with indirect descriptors.
    #[cold]
    fn write_initial_indirect(self, binding_layout: &BindingLayout) -> Result<()> {
        let (set, indirect) = (self.set, self.set.indirect()?);
        let samplers = (0..set.count(binding_layout)).zip(set.layout.samplers(binding_layout));
        for (element, sampler) in samplers {
            let at = binding_layout.element_offset(element);
            indirect.write_sampler(at, sampler)?;
        }
        Ok(())
    }

    /// A cursor for writes from an element of a binding on; writes continue in the following
    /// bindings.
    #[inline]
    pub fn cursor(self, binding: u32, element: u32) -> Result<BindingCursor<'a>> {
        BindingCursor::new(&self.set.layout, binding, element)
    }

    /// Writes a buffer at the cursor.
    #[inline]
    pub fn write(self, place: &mut BindingCursor<'_>, buffer: BufferDescriptor) -> Result<()> {
        let (binding_layout, element) = place.next().ok_or(OUT_OF_RANGE)?;
        self.write_at(binding_layout, element, buffer)
    }

    /// Fast path for a plain buffer descriptor. Returns `None` without writing if it is anything
    /// else, or invalid: [`SetWriter::write`] handles that. The single exit keeps the update in
    /// registers.
    #[inline(always)]
    pub fn write_plain(
        self,
        (binding, element): (u32, u32),
        buffer: &Buffer,
        offset: u64,
        range: u64,
    ) -> Option<()> {
        let rest = buffer.bytes.checked_sub(offset)?;
        let described = BufferDescriptor {
            address: buffer.address().ok()? + offset,
            bytes: range.min(rest),
        };
        let binding_layout = self.set.layout.binding_at(binding)?;
        let plain = binding_layout.storage == Storage::Pieces
            && element < binding_layout.info.count
            && described.bytes > 0;
        if !plain {
            return None;
        }
        let at = self.surface_at(binding_layout, element).ok()?;
        surface_state::write(self.heap, at, described).ok()
    }

    /// Fast path: the heap offsets of a combined image sampler with one plane and no immutable
    /// sampler. `None`: [`SetWriter::write_pieces`] handles other cases and errors.
    #[inline]
    pub fn sampled(self, binding: u32, element: u32) -> Option<CombinedImageSampler> {
        let binding_layout = self.set.layout.binding_at(binding)?;
        let plain = binding_layout.info.kind == api::DescriptorType::COMBINED_IMAGE_SAMPLER
            && element < binding_layout.info.count
            && binding_layout.storage == Storage::Pieces
            && binding_layout.info.slots == 2
            && binding_layout.writes_samplers();
        if !plain {
            return None;
        }
        Some(CombinedImageSampler {
            surface: self.surface_at(binding_layout, element).ok()?,
            sampler: self.set.heap_bytes_at + binding_layout.samplers.element_offset(element),
        })
    }

    /// Writes a combined image sampler at these offsets.
    #[inline]
    pub fn write_sampled(
        self,
        at: CombinedImageSampler,
        texture: &SurfaceStateWords,
        sampler: SamplerStateWords,
    ) -> Result<()> {
        self.heap.write(at.surface, texture)?;
        Ok(self.heap.write_sampler(at.sampler, &sampler)?)
    }

    fn write_at(
        self,
        binding_layout: &BindingLayout,
        element: u32,
        buffer: BufferDescriptor,
    ) -> Result<()> {
        if binding_layout.storage == Storage::Pieces {
            let at = self.surface_at(binding_layout, element)?;
            return surface_state::write(self.heap, at, buffer);
        }
        if binding_layout.storage == Storage::Indirect {
            let at = binding_layout.element_offset(element);
            return self.set.indirect()?.write_buffer(at, buffer);
        }
        self.write_dynamic(binding_layout, element, buffer);
        Ok(())
    }

    /// Remembers a dynamic buffer.
    #[inline(never)]
    fn write_dynamic(self, binding_layout: &BindingLayout, element: u32, buffer: BufferDescriptor) {
        if binding_layout.storage == Storage::Dynamic
            && let Some(slot) = self
                .set
                .dynamic
                .get((binding_layout.dynamic + element) as usize)
        {
            slot.store(buffer);
        }
    }

    /// Writes an image, sampler or texel buffer at the cursor. `contents` is called with whether
    /// the sampler is written too; immutable samplers are not.
    pub fn write_pieces(
        self,
        place: &mut BindingCursor<'_>,
        contents: impl FnOnce(bool) -> Result<DescriptorContents<'a>>,
    ) -> Result<()> {
        let (binding_layout, element) = place.next().ok_or(OUT_OF_RANGE)?;
        match binding_layout.storage {
            Storage::Pieces => {
                let contents = contents(binding_layout.writes_samplers())?;
                contents.store(binding_layout, element, &mut { self })
            }
            Storage::Indirect => {
                let contents = contents(binding_layout.writes_samplers())?;
                let at = binding_layout.element_offset(element);
                self.set.indirect()?.write(at, &contents.indirect())
            }
            Storage::Dynamic | Storage::Inline | Storage::IndirectInline | Storage::Nothing => {
                Ok(())
            }
        }
    }

    #[inline]
    fn surface_at(self, binding_layout: &BindingLayout, element: u32) -> Result<u32> {
        self.heap_bytes(binding_layout.offset_bytes + element * binding_layout.stride_bytes)
    }

    /// Converts a byte offset in the set to one in the heap.
    #[inline]
    fn heap_bytes(self, at: u32) -> Result<u32> {
        // With a variable count, the set may be smaller than the layout.
        if at >= self.set.heap_bytes {
            return Err(OUT_OF_RANGE);
        }
        Ok(self.set.heap_bytes_at + at)
    }

    /// Writes bytes of an inline uniform block from an offset; the write continues in the following
    /// bindings.
    pub fn write_inline(self, binding: u32, offset_bytes: u32, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        for part in self.inline_ranges(binding, offset_bytes) {
            let (at, length) = part?;
            let (now, later) = rest.split_at(rest.len().min(length as usize));
            match &self.set.indirect {
                Some(indirect) => indirect.write_bytes(at, now)?,
                None => self.write_bytes(at, now)?,
            }
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
        Err(OUT_OF_RANGE)
    }

    fn read_inline(self, binding: u32, offset_bytes: u32, bytes: &mut [u8]) -> Result<()> {
        let mut rest = bytes;
        for part in self.inline_ranges(binding, offset_bytes) {
            let (at, length) = part?;
            let (now, later) = rest.split_at_mut(rest.len().min(length as usize));
            match &self.set.indirect {
                Some(indirect) => indirect.read_bytes(at, now)?,
                None => self.read_bytes(at, now)?,
            }
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
        Err(OUT_OF_RANGE)
    }

    /// Ranges of inline uniform blocks from an offset of a binding on: heap offset and remaining
    /// bytes of each block.
    fn inline_ranges(
        self,
        binding: u32,
        offset_bytes: u32,
    ) -> impl Iterator<Item = Result<(u32, u32)>> {
        let bindings = self.set.layout.bindings_from(binding).unwrap_or_default();
        let mut skip = offset_bytes;
        bindings.iter().map(move |binding_layout| {
            let (from, count) = (std::mem::take(&mut skip), self.set.count(binding_layout));
            let first = match binding_layout.storage {
                Storage::Inline => self.set.heap_bytes_at + SURFACE_BYTES,
                Storage::IndirectInline => 0,
                _ => return Err(OUT_OF_RANGE),
            };
            if from > count {
                return Err(OUT_OF_RANGE);
            }
            let start = first + binding_layout.offset_bytes;
            Ok((start + from, count - from))
        })
    }

    /// Loads bytes from the heap.
    fn read_bytes(self, at: u32, bytes: &mut [u8]) -> Result<()> {
        for (to, at) in bytes.iter_mut().zip(at..) {
            *to = surface_bytes(&self.heap.read(at & !LINE_MASK)?)[(at & LINE_MASK) as usize];
        }
        Ok(())
    }

    /// Stores bytes to the heap, line by line.
    fn write_bytes(self, at: u32, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        let mut at = at;
        while !rest.is_empty() {
            let (line, start) = (at & !LINE_MASK, (at & LINE_MASK) as usize);
            let (now, later) = rest.split_at(rest.len().min(SURFACE_BYTES as usize - start));
            let mut whole = surface_bytes(&self.heap.read(line)?);
            whole[start..start + now.len()].copy_from_slice(now);
            let mut words = [0; SURFACE_BYTES as usize / 4];
            for (word, bytes) in words.iter_mut().zip(whole.as_chunks().0) {
                *word = u32::from_le_bytes(*bytes);
            }
            self.heap.write(line, &words)?;
            at += now.len() as u32;
            rest = later;
        }
        Ok(())
    }

    /// Copies `count` descriptors from another set, or within this set.
    pub fn copy_from(
        self,
        binding: u32,
        element: u32,
        source: &DescriptorSet,
        from: (u32, u32),
        count: u32,
    ) -> Result<()> {
        let source = source.on(self.heap);
        let inline = |set: &DescriptorSet, binding| {
            let binding_layout = set.layout.bindings_from(binding);
            let binding_layout = binding_layout.and_then(<[BindingLayout]>::first);
            let inline = [Storage::Inline, Storage::IndirectInline];
            binding_layout.is_some_and(|binding_layout| inline.contains(&binding_layout.storage))
        };
        if inline(source.set, from.0) && inline(self.set, binding) {
            if count > limits::MAX_INLINE_BLOCK_BYTES * limits::MAX_SETS {
                return Err(OUT_OF_RANGE);
            }
            let mut bytes = vec![0; count as usize];
            source.read_inline(from.0, from.1, &mut bytes)?;
            return self.write_inline(binding, element, &bytes);
        }
        let mut read = BindingCursor::new(&source.set.layout, from.0, from.1)?;
        let mut place = BindingCursor::new(&self.set.layout, binding, element)?;
        for _ in 0..count {
            let (from, from_element) = read.next().ok_or(OUT_OF_RANGE)?;
            let (to, to_element) = place.next().ok_or(OUT_OF_RANGE)?;
            match (from.storage, to.storage) {
                (Storage::Pieces, Storage::Pieces) => {
                    self.copy_pieces((to, to_element), source, (from, from_element))?;
                }
                (Storage::Dynamic, Storage::Dynamic) => {
                    let slots = (
                        source
                            .set
                            .dynamic
                            .get((from.dynamic + from_element) as usize),
                        self.set.dynamic.get((to.dynamic + to_element) as usize),
                    );
                    if let (Some(from), Some(to)) = slots {
                        to.store(from.load());
                    }
                }
                (Storage::Indirect, Storage::Indirect) => {
                    let at = to.element_offset(to_element);
                    let source_at = from.element_offset(from_element);
                    let from = source.set.indirect()?;
                    let indirect = self.set.indirect()?;
                    indirect.copy_indirect(at, from, source_at, to.writes_samplers())?;
                }
                (Storage::Pieces, Storage::Indirect) => {
                    self.copy_to_indirect((to, to_element), source, (from, from_element))?;
                }
                (Storage::Indirect, Storage::Pieces) => {
                    self.copy_from_indirect((to, to_element), source, (from, from_element))?;
                }
                // Valid usage has the same types.
                _ => {}
            }
        }
        Ok(())
    }
}

impl SetWriter<'_> {
    /// Copies a descriptor from the heap to an indirect one.
    #[cold]
    fn copy_to_indirect(
        self,
        (to, to_element): (&BindingLayout, u32),
        source: SetWriter<'_>,
        (from, from_element): (&BindingLayout, u32),
    ) -> Result<()> {
        let has_sampler = matches!(
            from.info.kind,
            api::DescriptorType::SAMPLER
                | api::DescriptorType::COMBINED_IMAGE_SAMPLER
                | api::DescriptorType::MUTABLE_EXT
        );
        let alone = from.info.kind == api::DescriptorType::SAMPLER;
        let mut surfaces: SmallVec<[SurfaceStateWords; 2]> = SmallVec::new();
        if !alone {
            let read_at = source.surface_at(from, from_element)?;
            let last = from.slots().saturating_sub(1);
            for slot in 0..from.slots().max(2) {
                surfaces.push(self.heap.read(read_at + slot.min(last) * SURFACE_BYTES)?);
            }
        }
        let state = match has_sampler && to.writes_samplers() {
            true => {
                let read_at = source.heap_bytes(from.samplers.element_offset(from_element))?;
                Some(self.heap.read_sampler(read_at)?)
            }
            false => None,
        };
        let at = to.element_offset(to_element);
        self.set.indirect()?.copy_from_heap(at, &surfaces, state)
    }

    /// Copies an indirect descriptor to the heap.
    #[cold]
    fn copy_from_indirect(
        self,
        (to, to_element): (&BindingLayout, u32),
        source: SetWriter<'_>,
        (from, from_element): (&BindingLayout, u32),
    ) -> Result<()> {
        let at = from.element_offset(from_element);
        let (surfaces, state) = source.set.indirect()?.copy_to_heap(at, to.slots())?;
        let mut place = self;
        let alone = to.info.kind == api::DescriptorType::SAMPLER;
        if !alone {
            for (slot, surface) in (0..to.slots()).zip(&surfaces) {
                let at = to.element_offset(to_element) + slot * SURFACE_BYTES;
                place.write_slot(at, surface)?;
            }
        }
        match state.filter(|_| to.writes_samplers()) {
            Some(state) => store_sampler(to, to_element, state, alone, &mut place),
            None => Ok(()),
        }
    }

    /// Copies a descriptor; immutable samplers are kept.
    fn copy_pieces(
        self,
        (to, to_element): (&BindingLayout, u32),
        source: SetWriter<'_>,
        (from, from_element): (&BindingLayout, u32),
    ) -> Result<()> {
        let write_at = to.offset_bytes + to_element * to.stride_bytes;
        let (alone, packs_samplers) = (
            from.packs_samplers() && from.slots() == 0,
            from.packs_samplers() || to.packs_samplers(),
        );
        // A lone surface is both the first and the last.
        let last = match from.packs_samplers() {
            true => from.slots().saturating_sub(1),
            false => u32::from(from.info.slots) - 1,
        };
        if !alone {
            let read_at = source.surface_at(from, from_element)?;
            for slot in 0..to.slots() {
                let surface = self.heap.read(read_at + slot.min(last) * SURFACE_BYTES)?;
                let to = self.heap_bytes(write_at + slot * SURFACE_BYTES)?;
                self.heap.write(to, &surface)?;
            }
        }
        if !packs_samplers || !to.writes_samplers() {
            return Ok(());
        }
        let read_at = source.heap_bytes(from.samplers.element_offset(from_element))?;
        let state = self.heap.read_sampler(read_at)?;
        let mut place = self;
        if alone {
            return store_sampler(to, to_element, state, true, &mut place);
        }
        // The surfaces are copied; the sampler is left.
        place.write_sampler(to.samplers.element_offset(to_element), state)
    }
}

impl SlotWriter for SetWriter<'_> {
    fn write_slot(&mut self, at_bytes: u32, slot: &SurfaceStateWords) -> Result<()> {
        Ok(self.heap.write(self.heap_bytes(at_bytes)?, slot)?)
    }

    fn write_sampler(&mut self, at_bytes: u32, state: SamplerStateWords) -> Result<()> {
        Ok(self
            .heap
            .write_sampler(self.heap_bytes(at_bytes)?, &state)?)
    }
}

/// Mask of a byte's offset in a heap line, the size of a surface state.
const LINE_MASK: u32 = SURFACE_BYTES - 1;

fn surface_bytes(surface: &SurfaceStateWords) -> [u8; SURFACE_BYTES as usize] {
    let mut bytes = [0; SURFACE_BYTES as usize];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(surface) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

pub(super) const OUT_OF_RANGE: Error = Error::InvalidUse {
    why: "an update beyond the bindings of the set",
};

const NO_SUCH_BINDING: Error = Error::InvalidUse {
    why: "an update of a binding that the set does not have",
};

/// Iterates over the elements of consecutive bindings, skipping empty ones.
#[derive(Debug)]
pub struct BindingCursor<'a> {
    binding_layout: &'a BindingLayout,
    /// Bindings after the current one.
    rest: &'a [BindingLayout],
    element: u32,
}

impl<'a> BindingCursor<'a> {
    #[inline]
    pub(super) fn new(layout: &'a SetLayout, binding: u32, element: u32) -> Result<Self> {
        let from = layout.bindings_from(binding);
        let (binding_layout, rest) = from
            .and_then(<[BindingLayout]>::split_first)
            .ok_or(NO_SUCH_BINDING)?;
        Ok(Self {
            binding_layout,
            rest,
            element,
        })
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<(&'a BindingLayout, u32)> {
        while self.element >= self.binding_layout.info.count {
            self.element -= self.binding_layout.info.count;
            (self.binding_layout, self.rest) = self.rest.split_first()?;
        }
        self.element += 1;
        Some((self.binding_layout, self.element - 1))
    }
}

/// An entry of a descriptor update template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateEntry {
    /// Binding number.
    pub binding: u32,
    /// First element.
    pub element: u32,
    /// Number of descriptors.
    pub count: u32,
    /// Descriptor type.
    pub kind: api::DescriptorType,
    /// Offset of the first descriptor in the application's data, in bytes.
    pub offset_bytes: usize,
    /// Bytes from one descriptor to the next.
    pub stride_bytes: usize,
}

/// `VkDescriptorUpdateTemplate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorUpdateTemplate {
    /// Bind point, for push descriptor templates.
    pub bind_point: api::PipelineBindPoint,
    /// The entries.
    pub entries: Vec<TemplateEntry>,
}

#[cfg(test)]
mod tests {
    use super::super::layout::BindingInfo;
    use super::*;

    fn info(binding: u32, kind: api::DescriptorType, count: u32) -> BindingInfo {
        BindingInfo::plain(binding, kind, count)
    }

    #[test]
    fn updates_continue_in_the_following_bindings() {
        let layout = SetLayout::new(
            [
                info(0, api::DescriptorType::STORAGE_BUFFER, 2),
                info(1, api::DescriptorType::STORAGE_BUFFER, 0),
                info(2, api::DescriptorType::STORAGE_BUFFER, 2),
                info(9, api::DescriptorType::STORAGE_BUFFER, 1),
            ],
            false,
        )
        .unwrap();
        let mut cursor = BindingCursor::new(&layout, 0, 1).unwrap();
        let mut walk = Vec::new();
        while let Some((binding_layout, element)) = cursor.next() {
            walk.push((binding_layout.info.binding, element));
        }
        assert_eq!(walk, [(0, 1), (2, 0), (2, 1), (9, 0)]);
        let mut last = BindingCursor::new(&layout, 9, 0).unwrap();
        assert_eq!(
            last.next()
                .map(|(binding_layout, _)| binding_layout.info.binding),
            Some(9)
        );
        assert!(BindingCursor::new(&layout, 4, 0).is_err());
    }
}
