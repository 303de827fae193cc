//! Descriptor sets with indirect descriptors: memory of their own, outside the bindless heap.
//!
//! In:  buffers, images and samplers. Out: descriptors of four dwords, as `abi` defines them. The
//!      surface and sampler states that they refer to stay in the heap; they belong to views and
//!      samplers, which write them once ([`HeapStates`]).
//!
//! Layouts choose indirect descriptors for sets that could take up much of the heap (see `layout`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use abi::IndirectDescriptor;
use hw::state::render_surface_state as rss;
use hw::value::state::surface_type::SURFTYPE_BUFFER;
use hw::value::surface_format;

use smallvec::{SmallVec, smallvec};

use crate::context::{Context, SAMPLER_BASE_BYTES};
use crate::error::{Error, Result};
use crate::heap_states::HeapStates;
use crate::sampler::{Sampler, SamplerStateWords};
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, SurfaceStateWords};

/// High dword of the address of the region of indirect descriptors.
pub(super) const BASE_HIGH: u32 = (i915::INDIRECT_BASE >> 32) as u32;

// Handles are offsets in the region, to which shaders add the high dword.
const _: () = assert!(i915::INDIRECT_BASE as u32 == 0);

/// The states of a sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplerStates {
    pub(super) state: SamplerStateWords,
    pub(super) chroma: Option<SamplerStateWords>,
}

impl SamplerStates {
    pub(super) fn new(sampler: &Sampler) -> SamplerStates {
        SamplerStates {
            state: sampler.state,
            chroma: sampler.chroma,
        }
    }

    /// Handle for shaders.
    fn handle(&self, heap: &Arc<i915::SurfaceHeap>, in_heap: &HeapStates) -> Result<u32> {
        Ok(in_heap.sampler(heap, self.state, self.chroma)? + SAMPLER_BASE_BYTES)
    }
}

/// The handle of the indirect descriptor at an address; `None` if it is not in the region of
/// indirect descriptors.
pub(crate) fn handle_at(address: u64) -> Option<u32> {
    let offset = u32::try_from(address.checked_sub(i915::INDIRECT_BASE)?).ok()?;
    Some(offset | IndirectDescriptor::TAG)
}

/// The descriptor of a buffer; `null` is the handle of null surfaces.
pub(super) fn describe_buffer(null: u32, buffer: BufferDescriptor) -> IndirectDescriptor {
    match buffer.bytes.min(u32::MAX.into()) as u32 {
        0 => IndirectDescriptor::image(null, 0),
        bytes => IndirectDescriptor::buffer(buffer.address, bytes),
    }
}

/// The descriptor of an image, sampler or texel buffer; `null` is the handle of null surfaces.
pub(super) fn describe(
    heap: &Arc<i915::SurfaceHeap>,
    null: u32,
    contents: &IndirectContents<'_>,
) -> Result<IndirectDescriptor> {
    let surface = match contents.surfaces {
        Some((words, states)) => states.surfaces(heap, words)?,
        None if contents.has_surfaces => null,
        None => 0,
    };
    let sampler = match &contents.sampler {
        Some((states, in_heap)) => states.handle(heap, in_heap)?,
        None => 0,
    };
    Ok(IndirectDescriptor::image(surface, sampler))
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
    pub(super) sampler: Option<(SamplerStates, &'a HeapStates)>,
}

/// Where the words of a descriptor are.
fn dword(at: u32, dword: u32) -> usize {
    (at / 4 + dword) as usize
}

impl IndirectSet {
    /// Memory of `bytes` for a set.
    pub(super) fn new(context: &Context, bytes: u32) -> Result<Self> {
        let heap = context.gpu.bindless().clone();
        let null = context.indirect()?.null(&heap)?;
        let bytes = u64::from(bytes.max(IndirectDescriptor::BYTES));
        let memory = context.gpu.buffer(bytes, i915::Zone::Indirect)?;
        // Later stores cannot fail.
        memory.map()?;
        Ok(Self {
            memory,
            null,
            heap,
            copies: Mutex::default(),
        })
    }

    /// Handle for shaders.
    pub(super) fn handle(&self) -> u32 {
        (self.memory.address() as u32) | IndirectDescriptor::TAG
    }

    /// Writes the descriptor of a buffer.
    pub(super) fn write_buffer(&self, at: u32, buffer: BufferDescriptor) -> Result<()> {
        self.store(at, &describe_buffer(self.null, buffer))
    }

    fn store(&self, at: u32, descriptor: &IndirectDescriptor) -> Result<()> {
        Ok(self
            .memory
            .map()?
            .write_words(dword(at, 0), &descriptor.dwords)?)
    }

    /// Writes an image, sampler or texel buffer. The sampler of a combined image sampler stays if
    /// `contents` has none.
    pub(super) fn write(&self, at: u32, contents: &IndirectContents<'_>) -> Result<()> {
        let mut descriptor = describe(&self.heap, self.null, contents)?;
        if contents.sampler.is_none() {
            let sampler = IndirectDescriptor::SAMPLER_DWORD as usize;
            descriptor.dwords[sampler] = self.read(at)?.dwords[sampler];
        }
        self.store(at, &descriptor)
    }

    /// Writes an immutable sampler.
    pub(super) fn write_sampler(&self, at: u32, sampler: &Sampler) -> Result<()> {
        let handle = SamplerStates::new(sampler).handle(&self.heap, &sampler.in_heap)?;
        let place = dword(at, IndirectDescriptor::SAMPLER_DWORD);
        Ok(self.memory.map()?.write_words(place, &[handle])?)
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
                sampler: sampler.map(|state| {
                    let chroma = None;
                    (SamplerStates { state, chroma }, &states.sampler)
                }),
            },
        )
    }

    /// The surface states of a descriptor with `count` slots, and its sampler state, if any, for a
    /// set in the heap.
    pub(super) fn copy_to_heap(
        &self,
        at: u32,
        count: u32,
    ) -> Result<(SmallVec<[SurfaceStateWords; 2]>, Option<SamplerStateWords>)> {
        let [low, high, bytes, _] = self.read(at)?.dwords;
        if bytes != 0 {
            let address = u64::from(low) | u64::from(high) << 32;
            let bytes = bytes.into();
            let surface = surface_state::buffer(BufferDescriptor { address, bytes });
            return Ok((smallvec![surface; count as usize], None));
        }
        let (surface, sampler) = (low >> 6, high);
        let state = match sampler {
            0 => None,
            _ => Some(
                self.heap
                    .read_sampler(sampler.wrapping_sub(SAMPLER_BASE_BYTES))?,
            ),
        };
        let mut surfaces = smallvec![surface_state::NONE; count as usize];
        if surface != 0 {
            // An image that is only sampled has one surface; what follows it is not read then.
            for (to, at) in surfaces
                .iter_mut()
                .zip((surface..).step_by(SURFACE_BYTES as usize))
            {
                *to = self.heap.read(at).unwrap_or(surface_state::NONE);
            }
        }
        Ok((surfaces, state))
    }
}

const OUT_OF_MEMORY_RANGE: Error = Error::InvalidUse {
    why: "a descriptor beyond the descriptors of its set",
};

/// The buffer of a surface state of format RAW.
fn buffer_of(surface: &SurfaceStateWords) -> Option<BufferDescriptor> {
    let raw = rss::SURFACE_FORMAT.get(surface) == surface_format::RAW;
    let buffer = rss::SURFACE_TYPE.get(surface) == SURFTYPE_BUFFER;
    (raw && buffer).then(|| BufferDescriptor {
        address: rss::SURFACE_BASE_ADDRESS.get(surface),
        bytes: surface[abi::SURFACE_BYTES_DWORD].into(),
    })
}
