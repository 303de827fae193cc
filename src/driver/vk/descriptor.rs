//! Descriptor set layouts, pools, sets, updates and pipeline layouts.
//!
//! In:  bindings; then buffers to put in them.
//! Out: surfaces in the device's bindless heap, laid out as `abi` says: a set is one piece of the heap, binding it costs one
//!      dword. Dynamic buffers are only remembered here: their surfaces are written when they are bound.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk as api;

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::limits;
pub use crate::surface_state::BufferDescriptor;
use crate::surface_state::SURFACE_BYTES;

/// One binding of a set layout, as the application gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingInfo {
    /// Number in the shader.
    pub binding: u32,
    /// Type.
    pub kind: api::DescriptorType,
    /// Array elements; 0 reserves the number.
    pub count: u32,
}

/// One binding with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placed {
    info: BindingInfo,
    /// Index of element 0 among the slots of the set (its remembered descriptors).
    slot: u32,
    /// Byte of element 0 in the set's piece of the heap.
    offset_bytes: u32,
    /// Index of element 0 among the dynamic buffers of the set.
    dynamic: u32,
}

/// `VkDescriptorSetLayout`.
#[derive(Debug, PartialEq, Eq)]
pub struct SetLayout {
    bindings: Vec<Placed>,
    slots: u32,
    heap_bytes: u32,
    dynamic: u32,
}

/// What the shader compiler calls a descriptor type, if it is a buffer.
fn buffer_kind(kind: api::DescriptorType) -> Option<abi::DescriptorKind> {
    match kind {
        api::DescriptorType::UNIFORM_BUFFER => Some(abi::DescriptorKind::UniformBuffer),
        api::DescriptorType::STORAGE_BUFFER => Some(abi::DescriptorKind::StorageBuffer),
        api::DescriptorType::UNIFORM_BUFFER_DYNAMIC => {
            Some(abi::DescriptorKind::UniformBufferDynamic)
        }
        api::DescriptorType::STORAGE_BUFFER_DYNAMIC => {
            Some(abi::DescriptorKind::StorageBufferDynamic)
        }
        _ => None,
    }
}

fn is_dynamic(kind: api::DescriptorType) -> bool {
    kind == api::DescriptorType::UNIFORM_BUFFER_DYNAMIC
        || kind == api::DescriptorType::STORAGE_BUFFER_DYNAMIC
}

/// Bytes of heap that an array of `count` descriptors of a type takes.
fn heap_bytes(kind: api::DescriptorType, count: u32) -> Option<u32> {
    match buffer_kind(kind) {
        Some(_) if !is_dynamic(kind) => count.checked_mul(SURFACE_BYTES),
        // Images, samplers and texel buffers cannot be created yet, so nothing can be written to these.
        _ => Some(0),
    }
}

impl SetLayout {
    /// Places the bindings. Fails if they do not fit the heap.
    pub fn new(bindings: &[BindingInfo]) -> Result<Self> {
        let too_big = Error::OutOfDeviceMemory {
            what: "a descriptor set layout",
        };
        let mut sorted = bindings.to_vec();
        sorted.sort_by_key(|info| info.binding);
        let mut layout = Self {
            bindings: Vec::with_capacity(sorted.len()),
            slots: 0,
            heap_bytes: 0,
            dynamic: 0,
        };
        for info in sorted {
            let bytes = heap_bytes(info.kind, info.count).ok_or_else(|| too_big.clone())?;
            layout.bindings.push(Placed {
                info,
                slot: layout.slots,
                offset_bytes: layout.heap_bytes,
                dynamic: layout.dynamic,
            });
            layout.slots = layout
                .slots
                .checked_add(info.count)
                .ok_or_else(|| too_big.clone())?;
            layout.heap_bytes = layout
                .heap_bytes
                .checked_add(bytes)
                .ok_or_else(|| too_big.clone())?;
            if is_dynamic(info.kind) {
                layout.dynamic += info.count;
            }
        }
        if u64::from(layout.heap_bytes) > i915::BINDLESS_HEAP_BYTES / 2 || layout.slots > 1 << 21 {
            return Err(too_big);
        }
        Ok(layout)
    }

    /// Dynamic buffers in the set.
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic
    }

    fn placed(&self, binding: u32) -> Option<usize> {
        self.bindings
            .binary_search_by_key(&binding, |placed| placed.info.binding)
            .ok()
    }

    fn to_abi(&self, dynamic_base: u32) -> abi::SetLayout {
        let bindings = self
            .bindings
            .iter()
            .filter(|placed| placed.info.count > 0)
            .filter_map(|placed| {
                Some(abi::Binding {
                    binding: placed.info.binding,
                    kind: buffer_kind(placed.info.kind)?,
                    count: placed.info.count,
                    offset_bytes: placed.offset_bytes,
                    dynamic_index: dynamic_base + placed.dynamic,
                })
            });
        abi::SetLayout {
            bindings: bindings.collect(),
        }
    }
}

/// A range of push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushRange {
    /// First byte.
    pub offset_bytes: u32,
    /// Bytes.
    pub bytes: u32,
}

/// `VkPipelineLayout`.
#[derive(Debug)]
pub struct PipelineLayout {
    /// The sets.
    pub sets: Vec<Arc<SetLayout>>,
    /// Index of the first dynamic buffer of each set among all of the layout.
    pub dynamic_base: Vec<u32>,
    /// Dynamic buffers of all sets.
    pub dynamic_count: u32,
    /// What the compiler is told.
    pub abi: abi::PipelineLayout,
}

impl PipelineLayout {
    /// Joins set layouts.
    pub fn new(sets: &[Arc<SetLayout>], push: &[PushRange]) -> Result<Self> {
        if sets.len() > limits::MAX_SETS as usize {
            return Err(Error::InvalidUse {
                why: "more set layouts than maxBoundDescriptorSets",
            });
        }
        let fits = |range: &PushRange| {
            range
                .offset_bytes
                .checked_add(range.bytes)
                .is_some_and(|end| end <= limits::MAX_PUSH_CONSTANTS_BYTES)
        };
        if !push.iter().all(fits) {
            return Err(Error::InvalidUse {
                why: "a push constant range beyond maxPushConstantsSize",
            });
        }
        let (mut dynamic_base, mut dynamic_count) = (Vec::with_capacity(sets.len()), 0);
        for set in sets {
            dynamic_base.push(dynamic_count);
            dynamic_count += set.dynamic;
        }
        let abi = sets
            .iter()
            .zip(&dynamic_base)
            .map(|(set, &base)| set.to_abi(base))
            .collect();
        let abi = abi::PipelineLayout { sets: abi };
        Ok(Self {
            sets: sets.to_vec(),
            dynamic_base,
            dynamic_count,
            abi,
        })
    }
}

/// `VkDescriptorPool`: a piece of the heap, and how many sets may live in it.
#[derive(Debug)]
pub struct Pool {
    context: Arc<Context>,
    heap: Option<i915::HeapPiece>,
    state: Mutex<PoolState>,
    max_sets: u32,
    bytes: u32,
}

#[derive(Debug)]
struct PoolState {
    free: i915::RangeAllocator,
    sets: u32,
    /// Counts resets: a set of before gives nothing back.
    epoch: u64,
}

/// `VkDescriptorSet`.
#[derive(Debug)]
pub struct Set {
    layout: Arc<SetLayout>,
    pool: Arc<Pool>,
    epoch: u64,
    /// First byte in the bindless heap.
    heap_bytes_at: u32,
    slots: Mutex<Vec<Option<BufferDescriptor>>>,
}

impl BufferDescriptor {
    /// Describes `range` bytes (or all, `VK_WHOLE_SIZE`) of a buffer from an offset.
    pub fn new(buffer: &Buffer, offset: u64, range: u64) -> Result<Self> {
        let rest = buffer.bytes.checked_sub(offset).ok_or(Error::InvalidUse {
            why: "a descriptor that starts beyond its buffer",
        })?;
        let bytes = if range == api::WHOLE_SIZE {
            rest
        } else {
            range.min(rest)
        };
        Ok(Self {
            address: buffer.address()? + offset,
            bytes,
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Reserves heap for `sizes` (type and count) and `max_sets` sets.
    pub fn new(
        context: &Arc<Context>,
        max_sets: u32,
        sizes: &[(api::DescriptorType, u32)],
    ) -> Result<Arc<Self>> {
        let too_big = Error::OutOfDeviceMemory {
            what: "a descriptor pool",
        };
        let mut bytes = 0u32;
        for &(kind, count) in sizes {
            let more = heap_bytes(kind, count).ok_or_else(|| too_big.clone())?;
            bytes = bytes.checked_add(more).ok_or_else(|| too_big.clone())?;
        }
        let heap = match bytes {
            0 => None,
            _ => Some(context.gpu.bindless_piece(bytes)?),
        };
        let start = heap
            .as_ref()
            .map_or(0, |piece| u64::from(piece.offset_bytes()));
        let free = i915::RangeAllocator::new(start, start + u64::from(bytes), i915::From::Bottom);
        Ok(Arc::new(Self {
            context: context.clone(),
            heap,
            state: Mutex::new(PoolState {
                free,
                sets: 0,
                epoch: 0,
            }),
            max_sets,
            bytes,
        }))
    }

    /// Makes a set.
    pub fn allocate(self: &Arc<Self>, layout: &Arc<SetLayout>) -> Result<Arc<Set>> {
        let mut state = locked(&self.state);
        if state.sets >= self.max_sets {
            return Err(Error::OutOfPoolMemory {
                what: "another set",
            });
        }
        let bytes = u64::from(layout.heap_bytes);
        let at = match bytes {
            0 => 0,
            _ => match state.free.take(bytes, u64::from(SURFACE_BYTES)) {
                Some(at) => at,
                None if state.free.free() >= bytes => return Err(Error::FragmentedPool),
                None => {
                    return Err(Error::OutOfPoolMemory {
                        what: "a set's descriptors",
                    });
                }
            },
        };
        state.sets += 1;
        Ok(Arc::new(Set {
            layout: layout.clone(),
            pool: self.clone(),
            epoch: state.epoch,
            heap_bytes_at: at as u32,
            slots: Mutex::new(vec![None; layout.slots as usize]),
        }))
    }

    /// Frees every set at once.
    pub fn reset(&self) {
        let start = self
            .heap
            .as_ref()
            .map_or(0, |piece| u64::from(piece.offset_bytes()));
        let mut state = locked(&self.state);
        state.free =
            i915::RangeAllocator::new(start, start + u64::from(self.bytes), i915::From::Bottom);
        state.sets = 0;
        state.epoch += 1;
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        let mut state = locked(&self.pool.state);
        if state.epoch == self.epoch {
            state.free.give(
                u64::from(self.heap_bytes_at),
                u64::from(self.layout.heap_bytes),
            );
            state.sets = state.sets.saturating_sub(1);
        }
    }
}

impl Set {
    /// Layout it was made with.
    pub fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// Handle for the shader: the byte offset in the heap shifted left by 6 (see `abi`).
    pub fn handle(&self) -> u32 {
        self.heap_bytes_at << 6
    }

    /// Writes buffers from element `element` of `binding` on, running over into the next bindings as Vulkan has it.
    pub fn write(&self, binding: u32, element: u32, buffers: &[BufferDescriptor]) -> Result<()> {
        let mut slots = locked(&self.slots);
        let mut place = Cursor::new(&self.layout, binding, element)?;
        for buffer in buffers {
            let (placed, element) = place.next().ok_or(BEYOND)?;
            self.put(&mut slots, placed, element, Some(*buffer))?;
        }
        Ok(())
    }

    /// Copies `count` descriptors from another set, or within this one.
    pub fn copy_from(
        &self,
        binding: u32,
        element: u32,
        source: &Set,
        from: (u32, u32),
        count: u32,
    ) -> Result<()> {
        let mut read = Cursor::new(&source.layout, from.0, from.1)?;
        let copied: Vec<Option<BufferDescriptor>> = {
            let slots = locked(&source.slots);
            let one = |_| {
                let (placed, element) = read.next().ok_or(BEYOND)?;
                Ok(slots
                    .get((placed.slot + element) as usize)
                    .copied()
                    .flatten())
            };
            (0..count).map(one).collect::<Result<_>>()?
        };
        let mut slots = locked(&self.slots);
        let mut place = Cursor::new(&self.layout, binding, element)?;
        for descriptor in copied {
            let (placed, element) = place.next().ok_or(BEYOND)?;
            self.put(&mut slots, placed, element, descriptor)?;
        }
        Ok(())
    }

    fn put(
        &self,
        slots: &mut [Option<BufferDescriptor>],
        placed: Placed,
        element: u32,
        descriptor: Option<BufferDescriptor>,
    ) -> Result<()> {
        if let Some(slot) = slots.get_mut((placed.slot + element) as usize) {
            *slot = descriptor;
        }
        if let (Some(buffer), Some(_), false) = (
            descriptor,
            buffer_kind(placed.info.kind),
            is_dynamic(placed.info.kind),
        ) {
            let at = self.heap_bytes_at + placed.offset_bytes + element * SURFACE_BYTES;
            let state = crate::surface_state::buffer(buffer);
            self.pool.context.gpu.write_bindless(at, &state)?;
        }
        Ok(())
    }

    /// The dynamic buffers in order of binding and element, as written last.
    pub fn dynamic_buffers(&self) -> Vec<Option<BufferDescriptor>> {
        let slots = locked(&self.slots);
        let dynamic = self
            .layout
            .bindings
            .iter()
            .filter(|placed| is_dynamic(placed.info.kind));
        dynamic
            .flat_map(|placed| placed.slot..placed.slot + placed.info.count)
            .map(|slot| slots.get(slot as usize).copied().flatten())
            .collect()
    }
}

const BEYOND: Error = Error::InvalidUse {
    why: "an update beyond the bindings of the set",
};

/// Walks the elements of consecutive bindings, skipping empty ones.
struct Cursor<'a> {
    layout: &'a SetLayout,
    index: usize,
    element: u32,
}

impl<'a> Cursor<'a> {
    fn new(layout: &'a SetLayout, binding: u32, element: u32) -> Result<Self> {
        let index = layout.placed(binding).ok_or(Error::InvalidUse {
            why: "an update of no binding of the set",
        })?;
        Ok(Self {
            layout,
            index,
            element,
        })
    }

    fn next(&mut self) -> Option<(Placed, u32)> {
        loop {
            let placed = *self.layout.bindings.get(self.index)?;
            if self.element < placed.info.count {
                self.element += 1;
                return Some((placed, self.element - 1));
            }
            self.element -= placed.info.count;
            self.index += 1;
        }
    }
}

/// One entry of a descriptor update template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateEntry {
    /// Binding to write.
    pub binding: u32,
    /// First element.
    pub element: u32,
    /// Elements.
    pub count: u32,
    /// Type of the descriptors.
    pub kind: api::DescriptorType,
    /// Byte of the first in the application's data.
    pub offset_bytes: usize,
    /// Bytes from one to the next.
    pub stride_bytes: usize,
}

/// `VkDescriptorUpdateTemplate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The entries.
    pub entries: Vec<TemplateEntry>,
}

/// `VkSampler`. Nothing reads it: there is no image that it could be used with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler;

/// Whether a descriptor of the type holds a buffer: all that can be written today.
pub fn holds_buffer(kind: api::DescriptorType) -> bool {
    buffer_kind(kind).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(binding: u32, kind: api::DescriptorType, count: u32) -> BindingInfo {
        BindingInfo {
            binding,
            kind,
            count,
        }
    }

    #[test]
    fn layouts_place_by_number() {
        let layout = SetLayout::new(&[
            info(7, api::DescriptorType::STORAGE_BUFFER, 3),
            info(0, api::DescriptorType::UNIFORM_BUFFER, 2),
            info(3, api::DescriptorType::STORAGE_BUFFER_DYNAMIC, 2),
            info(5, api::DescriptorType::UNIFORM_BUFFER, 0),
        ])
        .unwrap();
        assert_eq!(
            (layout.heap_bytes, layout.dynamic, layout.slots),
            (5 * 64, 2, 7)
        );
        let other =
            SetLayout::new(&[info(1, api::DescriptorType::UNIFORM_BUFFER_DYNAMIC, 1)]).unwrap();
        let joined = PipelineLayout::new(&[Arc::new(other), Arc::new(layout)], &[]).unwrap();
        assert_eq!(joined.dynamic_base, [0, 1]);
        let set = &joined.abi.sets[1].bindings;
        let facts: Vec<_> = set
            .iter()
            .map(|b| (b.binding, b.offset_bytes, b.dynamic_index))
            .collect();
        assert_eq!(facts, [(0, 0, 1), (3, 128, 1), (7, 128, 3)]);
    }

    #[test]
    fn updates_run_over_into_the_next_binding() {
        let layout = SetLayout::new(&[
            info(0, api::DescriptorType::STORAGE_BUFFER, 2),
            info(1, api::DescriptorType::STORAGE_BUFFER, 0),
            info(2, api::DescriptorType::STORAGE_BUFFER, 2),
        ])
        .unwrap();
        let mut cursor = Cursor::new(&layout, 0, 1).unwrap();
        let mut walk = Vec::new();
        while let Some((placed, element)) = cursor.next() {
            walk.push((placed.info.binding, element));
        }
        assert_eq!(walk, [(0, 1), (2, 0), (2, 1)]);
        assert!(Cursor::new(&layout, 4, 0).is_err());
    }

    #[test]
    fn absurd_layouts_are_refused() {
        let huge = info(0, api::DescriptorType::STORAGE_BUFFER, u32::MAX);
        assert!(SetLayout::new(&[huge]).is_err());
        let range = PushRange {
            offset_bytes: u32::MAX,
            bytes: 4,
        };
        assert!(PipelineLayout::new(&[], &[range]).is_err());
    }
}
