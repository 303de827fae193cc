//! Descriptor sets and what is written to them.
//!
//! In:  buffers, images, samplers. Out: surfaces and samplers in the set's piece of the heap: a write is a few stores. Dynamic buffers
//!      are only remembered: their surfaces are made when they are bound.
//! Sets may be updated by several threads at once where their descriptors differ: all is stored as atomics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ash::vk as api;

use super::layout::{Holds, Placed, SetLayout};
use super::pieces::{Pieces, Room, store_immutable};
use super::pool::Pool;
use crate::buffer::Buffer;
use crate::context::HEAPS;
use crate::error::{Error, Result};
use crate::sampler::State;
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, Surface};

/// `VkDescriptorSet`.
#[derive(Debug)]
pub struct Set {
    layout: Arc<SetLayout>,
    /// First byte in the bindless heap.
    heap_bytes_at: u32,
    /// Bytes of it.
    heap_bytes: u32,
    /// Elements of the last binding, or its bytes.
    last_count: u32,
    dynamic: Box<[Remembered]>,
}

/// A dynamic buffer; of no bytes until it is written.
#[derive(Debug, Default)]
struct Remembered {
    address: AtomicU64,
    bytes: AtomicU64,
}

impl Remembered {
    fn get(&self) -> BufferDescriptor {
        BufferDescriptor {
            address: self.address.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
        }
    }

    fn put(&self, buffer: BufferDescriptor) {
        self.address.store(buffer.address, Relaxed);
        self.bytes.store(buffer.bytes, Relaxed);
    }
}

/// Describes `range` bytes (or all, `VK_WHOLE_SIZE`) of a buffer from an offset.
#[inline]
pub fn buffer(buffer: &Buffer, offset: u64, range: u64) -> Result<BufferDescriptor> {
    let rest = buffer.bytes.checked_sub(offset).ok_or(Error::InvalidUse {
        why: "a descriptor that starts beyond its buffer",
    })?;
    // The whole rest is a range longer than any.
    const { assert!(api::WHOLE_SIZE == u64::MAX) };
    Ok(BufferDescriptor {
        address: buffer.address()? + offset,
        bytes: range.min(rest),
    })
}

/// Where in the heap a picture with its sampler lies.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    surface: u32,
    sampler: u32,
}

/// A set with the heap that it lies in, to write to it.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    set: &'a Set,
    heap: &'a i915::Heap,
}

impl Set {
    /// Takes room of a pool. `last_count` is the count of the last binding, where sets choose it.
    pub fn new(pool: &mut Pool, layout: &Arc<SetLayout>, last_count: u32) -> Result<Self> {
        if layout.is_push() {
            return Err(Error::InvalidUse {
                why: "a set of a layout whose descriptors are pushed",
            });
        }
        let (heap_bytes, last_count) = layout.sized(last_count)?;
        let dynamic = (0..layout.dynamic_count()).map(|_| Remembered::default());
        let set = Self {
            layout: layout.clone(),
            heap_bytes_at: pool.take(heap_bytes)?,
            heap_bytes,
            last_count,
            dynamic: dynamic.collect(),
        };
        if layout.room.made
            && let Err(error) = set.on(pool.heap()).make()
        {
            set.free(pool);
            return Err(error);
        }
        Ok(set)
    }

    /// Gives its room back to its pool, to be used no more.
    #[inline]
    pub fn free(&self, pool: &mut Pool) {
        pool.give(self.heap_bytes_at, self.heap_bytes);
    }

    /// True for sets of this very layout.
    #[inline]
    pub fn is_of(&self, layout: &Arc<SetLayout>) -> bool {
        Arc::ptr_eq(&self.layout, layout)
    }

    /// True where a new set of its layout would be no other in its place: what it has is what the application writes to the heap.
    #[inline]
    pub fn is_as_new(&self) -> bool {
        self.layout.alike
    }

    /// The set, to write to it: `heap` is its device's.
    #[inline]
    pub fn on<'a>(&'a self, heap: &'a i915::Heap) -> Written<'a> {
        Written { set: self, heap }
    }

    /// Elements or bytes that a binding has in this set.
    fn count(&self, placed: &Placed) -> u32 {
        if placed.info.variable {
            self.last_count
        } else {
            placed.info.count
        }
    }

    /// Layout it was made with.
    #[inline]
    pub fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// Handle for the shader: the byte offset in the heap shifted left by 6 (see `abi`).
    #[inline]
    pub fn handle(&self) -> u32 {
        self.heap_bytes_at << 6
    }

    /// The dynamic buffers in order of binding and element, as written last.
    pub fn dynamic_buffers(&self) -> impl Iterator<Item = BufferDescriptor> {
        self.dynamic.iter().map(Remembered::get)
    }
}

impl<'a> Written<'a> {
    /// Writes what the layout has for it: blocks' surfaces, samplers.
    fn make(self) -> Result<()> {
        let set = self.set;
        for placed in &set.layout.bindings {
            if placed.holds == Holds::Inline {
                let at = set.heap_bytes_at + placed.offset_bytes;
                let block = BufferDescriptor {
                    address: HEAPS.bindless + u64::from(at + SURFACE_BYTES),
                    bytes: set.count(placed).into(),
                };
                surface_state::write(self.heap, at, block)?;
            }
            if !placed.own_samplers() {
                store_immutable(&set.layout, placed, &mut { self })?;
            }
        }
        Ok(())
    }

    /// Where writes from element `element` of `binding` on go; they run over into the next bindings as Vulkan has it.
    #[inline]
    pub fn cursor(self, binding: u32, element: u32) -> Result<Cursor<'a>> {
        Cursor::new(&self.set.layout, binding, element)
    }

    /// Writes one buffer, where the cursor is.
    #[inline]
    pub fn write(self, place: &mut Cursor<'_>, buffer: BufferDescriptor) -> Result<()> {
        let (placed, element) = place.next().ok_or(BEYOND)?;
        self.write_at(placed, element, buffer)
    }

    /// Writes some bytes of a buffer to an element of a binding, where nothing is out of the ordinary. None: nothing was written, and
    /// [`Written::write`] knows what to do or what is wrong. There is one way out of it, so that updates of single buffers keep to registers.
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
        let placed = self.set.layout.one(binding)?;
        let plain =
            placed.holds == Holds::Pieces && element < placed.info.count && described.bytes > 0;
        if !plain {
            return None;
        }
        let at = self.surface_at(placed, element).ok()?;
        surface_state::write(self.heap, at, described).ok()
    }

    /// Where an element lies that is a picture of one surface with a sampler of its own. None: [`Written::write_pieces`] knows what else
    /// it is, or what is wrong.
    #[inline]
    pub fn sampled(self, binding: u32, element: u32) -> Option<Sampled> {
        let placed = self.set.layout.one(binding)?;
        let plain = placed.info.kind == api::DescriptorType::COMBINED_IMAGE_SAMPLER
            && element < placed.info.count
            && placed.info.pieces == 2
            && placed.own_samplers();
        if !plain {
            return None;
        }
        Some(Sampled {
            surface: self.surface_at(placed, element).ok()?,
            sampler: self.set.heap_bytes_at + placed.samplers.of(element),
        })
    }

    /// Writes a picture with its sampler there.
    #[inline]
    pub fn write_sampled(self, at: Sampled, texture: &Surface, sampler: State) -> Result<()> {
        self.heap.write(at.surface, texture)?;
        Ok(self.heap.write_sampler(at.sampler, &sampler)?)
    }

    fn write_at(self, placed: &Placed, element: u32, buffer: BufferDescriptor) -> Result<()> {
        if placed.holds == Holds::Pieces {
            let at = self.surface_at(placed, element)?;
            return surface_state::write(self.heap, at, buffer);
        }
        self.remember(placed, element, buffer);
        Ok(())
    }

    /// Keeps what is written to a dynamic buffer.
    #[inline(never)]
    fn remember(self, placed: &Placed, element: u32, buffer: BufferDescriptor) {
        if placed.holds == Holds::Dynamic
            && let Some(slot) = self.set.dynamic.get((placed.dynamic + element) as usize)
        {
            slot.put(buffer);
        }
    }

    /// Writes one image, sampler or texel buffer. `pieces` is told whether it has a sampler of its own: where the layout has one, none
    /// need be given.
    pub fn write_pieces(
        self,
        place: &mut Cursor<'_>,
        pieces: impl FnOnce(bool) -> Result<Pieces<'a>>,
    ) -> Result<()> {
        let (placed, element) = place.next().ok_or(BEYOND)?;
        match placed.holds {
            Holds::Pieces => {
                let pieces = pieces(placed.own_samplers())?;
                pieces.store(placed, element, &mut { self })
            }
            Holds::Dynamic | Holds::Inline | Holds::Nothing => Ok(()),
        }
    }

    #[inline]
    fn surface_at(self, placed: &Placed, element: u32) -> Result<u32> {
        self.heap_bytes(placed.offset_bytes + element * placed.stride_bytes)
    }

    /// The byte of the heap that a byte of the set is.
    #[inline]
    fn heap_bytes(self, at: u32) -> Result<u32> {
        // A set may have less of its last binding than the layout.
        if at >= self.set.heap_bytes {
            return Err(BEYOND);
        }
        Ok(self.set.heap_bytes_at + at)
    }

    /// Writes bytes, from a byte of an inline uniform block on; they run over into the next one as Vulkan has it.
    pub fn write_inline(self, binding: u32, offset_bytes: u32, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        for part in self.inline_parts(binding, offset_bytes) {
            let (at, length) = part?;
            let (now, later) = rest.split_at(rest.len().min(length as usize));
            self.put_bytes(at, now)?;
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
        Err(BEYOND)
    }

    fn read_inline(self, binding: u32, offset_bytes: u32, bytes: &mut [u8]) -> Result<()> {
        let mut rest = bytes;
        for part in self.inline_parts(binding, offset_bytes) {
            let (at, length) = part?;
            let (now, later) = rest.split_at_mut(rest.len().min(length as usize));
            for (to, at) in now.iter_mut().zip(at..) {
                *to = surface_bytes(&self.heap.read(at & !LINE)?)[(at & LINE) as usize];
            }
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
        Err(BEYOND)
    }

    /// Where the bytes of inline blocks lie from a byte of a binding on: heap bytes, and how many are left in the block.
    fn inline_parts(
        self,
        binding: u32,
        offset_bytes: u32,
    ) -> impl Iterator<Item = Result<(u32, u32)>> {
        let bindings = self.set.layout.placed(binding).unwrap_or_default();
        let mut skip = offset_bytes;
        bindings.iter().map(move |placed| {
            let (from, count) = (std::mem::take(&mut skip), self.set.count(placed));
            if placed.holds != Holds::Inline || from > count {
                return Err(BEYOND);
            }
            let start = self.set.heap_bytes_at + placed.offset_bytes + SURFACE_BYTES;
            Ok((start + from, count - from))
        })
    }

    /// Stores bytes of the heap, a line of it at a time.
    fn put_bytes(self, at: u32, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        let mut at = at;
        while !rest.is_empty() {
            let (line, start) = (at & !LINE, (at & LINE) as usize);
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

    /// Copies `count` descriptors from another set, or within this one.
    pub fn copy_from(
        self,
        binding: u32,
        element: u32,
        source: &Set,
        from: (u32, u32),
        count: u32,
    ) -> Result<()> {
        let source = source.on(self.heap);
        let inline = |set: &Set, binding| {
            let placed = set.layout.placed(binding);
            let placed = placed.and_then(<[Placed]>::first);
            placed.is_some_and(|placed| placed.holds == Holds::Inline)
        };
        if inline(source.set, from.0) && inline(self.set, binding) {
            if count > self.set.heap_bytes {
                return Err(BEYOND);
            }
            let mut bytes = vec![0; count as usize];
            source.read_inline(from.0, from.1, &mut bytes)?;
            return self.write_inline(binding, element, &bytes);
        }
        let mut read = Cursor::new(&source.set.layout, from.0, from.1)?;
        let mut place = Cursor::new(&self.set.layout, binding, element)?;
        for _ in 0..count {
            let (from, from_element) = read.next().ok_or(BEYOND)?;
            let (to, to_element) = place.next().ok_or(BEYOND)?;
            match (from.holds, to.holds) {
                (Holds::Pieces, Holds::Pieces) => {
                    self.copy_pieces((to, to_element), source, (from, from_element))?;
                }
                (Holds::Dynamic, Holds::Dynamic) => {
                    let slots = (
                        source
                            .set
                            .dynamic
                            .get((from.dynamic + from_element) as usize),
                        self.set.dynamic.get((to.dynamic + to_element) as usize),
                    );
                    if let (Some(from), Some(to)) = slots {
                        to.put(from.get());
                    }
                }
                // The types are the same in valid use.
                _ => {}
            }
        }
        Ok(())
    }
}

impl Written<'_> {
    /// Copies one descriptor; samplers of the layout stay.
    fn copy_pieces(
        self,
        (to, to_element): (&Placed, u32),
        source: Written<'_>,
        (from, from_element): (&Placed, u32),
    ) -> Result<()> {
        let write_at = to.offset_bytes + to_element * to.stride_bytes;
        let (alone, apart) = (
            from.apart() && from.pieces() == 0,
            from.apart() || to.apart(),
        );
        // Where there is one alone, it is the first, and the last.
        let last = match from.apart() {
            true => from.pieces().saturating_sub(1),
            false => u32::from(from.info.pieces) - 1,
        };
        if !alone {
            let read_at = source.surface_at(from, from_element)?;
            for piece in 0..to.pieces() {
                let surface = self.heap.read(read_at + piece.min(last) * SURFACE_BYTES)?;
                let to = self.heap_bytes(write_at + piece * SURFACE_BYTES)?;
                self.heap.write(to, &surface)?;
            }
        }
        if !apart || !to.own_samplers() {
            return Ok(());
        }
        let read_at = source.heap_bytes(from.samplers.of(from_element))?;
        let state = self.heap.read_sampler(read_at)?;
        let mut place = self;
        if alone {
            return Pieces::sampler(state).store(to, to_element, &mut place);
        }
        // The picture is there.
        place.put_sampler(to.samplers.of(to_element), state)
    }
}

impl Room for Written<'_> {
    fn put(&mut self, at_bytes: u32, piece: &Surface) -> Result<()> {
        Ok(self.heap.write(self.heap_bytes(at_bytes)?, piece)?)
    }

    fn put_sampler(&mut self, at_bytes: u32, state: State) -> Result<()> {
        Ok(self
            .heap
            .write_sampler(self.heap_bytes(at_bytes)?, &state)?)
    }
}

/// Bits of a byte's place in a line of the heap: what one surface takes.
const LINE: u32 = SURFACE_BYTES - 1;

fn surface_bytes(surface: &Surface) -> [u8; SURFACE_BYTES as usize] {
    let mut bytes = [0; SURFACE_BYTES as usize];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(surface) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

pub(super) const BEYOND: Error = Error::InvalidUse {
    why: "an update beyond the bindings of the set",
};

const NOT_THERE: Error = Error::InvalidUse {
    why: "an update of no binding of the set",
};

/// Walks the elements of consecutive bindings, skipping empty ones.
#[derive(Debug)]
pub struct Cursor<'a> {
    placed: &'a Placed,
    /// What comes behind it.
    rest: &'a [Placed],
    element: u32,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn new(layout: &'a SetLayout, binding: u32, element: u32) -> Result<Self> {
        let from = layout.placed(binding);
        let (placed, rest) = from.and_then(<[Placed]>::split_first).ok_or(NOT_THERE)?;
        Ok(Self {
            placed,
            rest,
            element,
        })
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<(&'a Placed, u32)> {
        while self.element >= self.placed.info.count {
            self.element -= self.placed.info.count;
            (self.placed, self.rest) = self.rest.split_first()?;
        }
        self.element += 1;
        Some((self.placed, self.element - 1))
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
    /// Whose set is pushed, if it is for pushing.
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
    fn updates_run_over_into_the_next_binding() {
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
        let mut cursor = Cursor::new(&layout, 0, 1).unwrap();
        let mut walk = Vec::new();
        while let Some((placed, element)) = cursor.next() {
            walk.push((placed.info.binding, element));
        }
        assert_eq!(walk, [(0, 1), (2, 0), (2, 1), (9, 0)]);
        let mut last = Cursor::new(&layout, 9, 0).unwrap();
        assert_eq!(last.next().map(|(placed, _)| placed.info.binding), Some(9));
        assert!(Cursor::new(&layout, 4, 0).is_err());
    }
}
