//! Descriptor sets with indirect descriptors: memory of their own, outside the bindless heap.
//!
//! In:  buffers, images and samplers. Out: descriptors of four dwords, as `abi` defines them. The
//!      surface and sampler states that they refer to stay in the heap; they belong to views and
//!      samplers, which write them once ([`HeapStates`]).
//!
//! Layouts choose indirect descriptors for sets that could take up much of the heap (see `layout`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use abi::IndirectDescriptor;
use hw::state::render_surface_state as rss;
use hw::value::state::surface_type::SURFTYPE_BUFFER;
use hw::value::surface_format;

use crate::context::{Context, SAMPLER_BASE_BYTES};
use crate::error::{Error, Result};
use crate::sampler::SamplerStateWords;
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, SurfaceStateWords};

/// High dword of the address of the region of indirect descriptors.
pub(super) const BASE_HIGH: u32 = (i915::INDIRECT_BASE >> 32) as u32;

// Handles are offsets in the region, to which shaders add the high dword.
const _: () = assert!(i915::INDIRECT_BASE as u32 == 0);

/// States in the bindless heap that indirect descriptors refer to: the surface states of a view, or
/// the state of a sampler. They are written at first use, and stay until their owner is dropped.
#[derive(Debug, Default)]
pub struct HeapStates(OnceLock<i915::HeapAllocation>);

impl HeapStates {
    /// Handle of the first of some surface states.
    fn surfaces(
        &self,
        heap: &Arc<i915::SurfaceHeap>,
        surfaces: &[SurfaceStateWords],
    ) -> Result<u32> {
        let bytes = SURFACE_BYTES * surfaces.len() as u32;
        let offset = self.get(heap, bytes, |at| {
            let mut places = (at..).step_by(SURFACE_BYTES as usize).zip(surfaces);
            places.try_for_each(|(at, surface)| heap.write(at, surface))
        })?;
        Ok(offset << 6)
    }

    /// Handle of a sampler state.
    fn sampler(&self, heap: &Arc<i915::SurfaceHeap>, state: SamplerStateWords) -> Result<u32> {
        let offset = self.get(heap, SURFACE_BYTES, |at| heap.write_sampler(at, &state))?;
        Ok(offset + SAMPLER_BASE_BYTES)
    }

    fn get(
        &self,
        heap: &Arc<i915::SurfaceHeap>,
        bytes: u32,
        write: impl FnOnce(u32) -> i915::Result<()>,
    ) -> Result<u32> {
        if let Some(states) = self.0.get() {
            return Ok(states.offset_bytes());
        }
        let new = heap.allocate(bytes)?;
        write(new.offset_bytes())?;
        // If another thread was first, this allocation is dropped.
        Ok(self.0.get_or_init(|| new).offset_bytes())
    }
}

/// What all indirect descriptors of a device refer to.
#[derive(Debug)]
pub struct SharedIndirect {
    /// The first pages of the region: zeros, and where discarded writes go.
    _pages: Arc<i915::Buffer>,
    /// The surfaces of null descriptors.
    null: HeapStates,
}

impl SharedIndirect {
    /// Creates it, for a device's first set with indirect descriptors.
    pub fn new(gpu: &i915::Device) -> Result<Self> {
        let at = i915::Placement::At(i915::Zone::Indirect, i915::INDIRECT_BASE);
        Ok(Self {
            _pages: gpu.memory(IndirectDescriptor::FIRST_SET_OFFSET.into(), at)?,
            null: HeapStates::default(),
        })
    }
}

/// The memory of a set.
#[derive(Debug)]
pub struct IndirectSet {
    memory: Arc<i915::Buffer>,
    heap: Arc<i915::SurfaceHeap>,
    /// Handle of null surfaces.
    null: u32,
    /// States of descriptors that were copied from sets in the heap, by offset.
    copies: Mutex<BTreeMap<u32, CopiedStates>>,
}

/// States that belong to a descriptor.
#[derive(Debug, Default)]
struct CopiedStates {
    surfaces: HeapStates,
    sampler: HeapStates,
}

/// A descriptor's contents in terms of states in the heap.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndirectContents<'a> {
    /// Surface states and their place in the heap; `None`: null.
    pub(super) surfaces: Option<(&'a [SurfaceStateWords], &'a HeapStates)>,
    /// The descriptor has surfaces: it is not a lone sampler.
    pub(super) has_surfaces: bool,
    /// Sampler state and its place in the heap.
    pub(super) sampler: Option<(SamplerStateWords, &'a HeapStates)>,
}

/// Where the words of a descriptor are.
fn dword(at: u32, dword: u32) -> usize {
    (at / 4 + dword) as usize
}

impl IndirectSet {
    /// Memory of `bytes` for a set.
    pub(super) fn new(context: &Context, bytes: u32) -> Result<Self> {
        let heap = context.gpu.bindless().clone();
        let shared = context.indirect()?;
        let null = [surface_state::NONE; 2];
        let bytes = u64::from(bytes.max(IndirectDescriptor::BYTES));
        let memory = context.gpu.buffer(bytes, i915::Zone::Indirect)?;
        // Later stores cannot fail.
        memory.map()?;
        Ok(Self {
            memory,
            null: shared.null.surfaces(&heap, &null)?,
            heap,
            copies: Mutex::default(),
        })
    }

    /// Handle for shaders.
    pub(super) fn handle(&self) -> u32 {
        (self.memory.address() as u32) | IndirectDescriptor::TAG
    }

    /// GPU address of a byte offset.
    pub(super) fn address(&self, at: u32) -> u64 {
        self.memory.address() + u64::from(at)
    }

    /// Writes the descriptor of a buffer.
    pub(super) fn write_buffer(&self, at: u32, buffer: BufferDescriptor) -> Result<()> {
        let bytes = buffer.bytes.min(u32::MAX.into()) as u32;
        let descriptor = match bytes {
            0 => IndirectDescriptor::image(self.null, 0),
            _ => IndirectDescriptor::buffer(buffer.address, bytes),
        };
        Ok(self
            .memory
            .map()?
            .write_words(dword(at, 0), &descriptor.dwords)?)
    }

    /// Writes an image, sampler or texel buffer. The sampler of a combined image sampler stays if
    /// `contents` has none.
    pub(super) fn write(&self, at: u32, contents: &IndirectContents<'_>) -> Result<()> {
        let surface = match contents.surfaces {
            Some((words, states)) => states.surfaces(&self.heap, words)?,
            None if contents.has_surfaces => self.null,
            None => 0,
        };
        let words = self.memory.map()?;
        match contents.sampler {
            Some(_) => {
                let sampler = self.sampler_handle(contents)?;
                let descriptor = IndirectDescriptor::image(surface, sampler);
                words.write_words(dword(at, 0), &descriptor.dwords)?;
            }
            None => {
                let place = dword(at, IndirectDescriptor::SURFACE_DWORD);
                words.write_words(place, &[surface])?;
                let place = dword(at, IndirectDescriptor::SIZE_DWORD);
                words.write_words(place, &[0])?;
            }
        }
        Ok(())
    }

    /// Writes an immutable sampler.
    pub(super) fn write_sampler(
        &self,
        at: u32,
        state: SamplerStateWords,
        states: &HeapStates,
    ) -> Result<()> {
        let handle = states.sampler(&self.heap, state)?;
        let place = dword(at, IndirectDescriptor::SAMPLER_DWORD);
        Ok(self.memory.map()?.write_words(place, &[handle])?)
    }

    fn sampler_handle(&self, contents: &IndirectContents<'_>) -> Result<u32> {
        match contents.sampler {
            Some((state, states)) => states.sampler(&self.heap, state),
            None => Ok(0),
        }
    }

    /// Writes bytes of an inline uniform block.
    pub(super) fn write_bytes(&self, at: u32, bytes: &[u8]) -> Result<()> {
        Ok(self.memory.write(at as usize, bytes)?)
    }

    /// Reads bytes of an inline uniform block.
    pub(super) fn read_bytes(&self, at: u32, bytes: &mut [u8]) -> Result<()> {
        Ok(self.memory.read(at as usize, bytes)?)
    }

    fn read(&self, at: u32) -> Result<IndirectDescriptor> {
        let words = self.memory.map()?.words().get(dword(at, 0)..);
        let words = words.and_then(<[_]>::first_chunk);
        let words: &[_; 4] = words.ok_or(OUT_OF_MEMORY_RANGE)?;
        let dwords = words
            .each_ref()
            .map(|word| word.load(std::sync::atomic::Ordering::Relaxed));
        Ok(IndirectDescriptor { dwords })
    }

    /// Copies a descriptor from another set with indirect descriptors, without its sampler if the
    /// layout has an immutable one.
    pub(super) fn copy_indirect(
        &self,
        at: u32,
        source: &IndirectSet,
        source_at: u32,
        with_sampler: bool,
    ) -> Result<()> {
        let mut descriptor = source.read(source_at)?;
        if !with_sampler {
            let sampler = IndirectDescriptor::SAMPLER_DWORD as usize;
            descriptor.dwords[sampler] = self.read(at)?.dwords[sampler];
        }
        Ok(self
            .memory
            .map()?
            .write_words(dword(at, 0), &descriptor.dwords)?)
    }

    /// Copies a descriptor from a set in the heap: its surface states, and its sampler state.
    pub(super) fn copy_from_heap(
        &self,
        at: u32,
        surfaces: &[SurfaceStateWords],
        sampler: Option<SamplerStateWords>,
    ) -> Result<()> {
        if let Some(buffer) = surfaces.first().and_then(buffer_of) {
            return self.write_buffer(at, buffer);
        }
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        // The states of what the descriptor contained before are freed, as they would be
        // overwritten in the heap.
        copies.insert(at, CopiedStates::default());
        let Some(states) = copies.get(&at) else {
            return Ok(());
        };
        self.write(
            at,
            &IndirectContents {
                surfaces: (!surfaces.is_empty()).then_some((surfaces, &states.surfaces)),
                has_surfaces: !surfaces.is_empty(),
                sampler: sampler.map(|state| (state, &states.sampler)),
            },
        )
    }

    /// The surface states of a descriptor, and its sampler state, if any, for a set in the heap.
    pub(super) fn copy_to_heap(
        &self,
        at: u32,
    ) -> Result<([SurfaceStateWords; 2], Option<SamplerStateWords>)> {
        let [low, high, bytes, _] = self.read(at)?.dwords;
        if bytes != 0 {
            let address = u64::from(low) | u64::from(high) << 32;
            let bytes = bytes.into();
            let surface = surface_state::buffer(BufferDescriptor { address, bytes });
            return Ok(([surface; 2], None));
        }
        let (surface, sampler) = (low >> 6, high);
        let state = match sampler {
            0 => None,
            _ => Some(
                self.heap
                    .read_sampler(sampler.wrapping_sub(SAMPLER_BASE_BYTES))?,
            ),
        };
        let surfaces = match surface {
            0 => [surface_state::NONE; 2],
            _ => {
                let first = self.heap.read(surface)?;
                // An image that is only sampled has one surface; what follows is not read then.
                let second = self.heap.read(surface + SURFACE_BYTES).unwrap_or(first);
                [first, second]
            }
        };
        Ok((surfaces, state))
    }
}

const OUT_OF_MEMORY_RANGE: Error = Error::InvalidUse {
    why: "a descriptor beyond the descriptors of its set",
};

/// The buffer of a surface state of format RAW.
fn buffer_of(surface: &SurfaceStateWords) -> Option<BufferDescriptor> {
    let raw = rss::SURFACE_FORMAT.get(surface) == u64::from(surface_format::RAW);
    let buffer = rss::SURFACE_TYPE.get(surface) == SURFTYPE_BUFFER;
    (raw && buffer).then(|| BufferDescriptor {
        address: rss::SURFACE_BASE_ADDRESS.get(surface),
        bytes: surface[abi::SURFACE_BYTES_DWORD].into(),
    })
}
