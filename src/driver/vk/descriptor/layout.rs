//! Descriptor set layouts and pipeline layouts.
//!
//! In:  bindings. Out: where each lies in a set's piece of the heap, as `abi` says: an element is one piece or two, and a sampler is the
//!      last of them.

use std::sync::Arc;

use ash::vk as api;
use smallvec::SmallVec;

use crate::context::SAMPLER_BASE_BYTES;
use crate::error::{Error, Result};
use crate::limits;
use crate::sampler::Sampler;
use crate::surface_state::SURFACE_BYTES;

/// One binding of a set layout, as the application gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingInfo {
    /// Number in the shader.
    pub binding: u32,
    /// Type.
    pub kind: api::DescriptorType,
    /// Array elements, or bytes of an inline uniform block; 0 reserves the number.
    pub count: u32,
    /// Pieces of an element: [`pieces`].
    pub pieces: u8,
    /// The count is the most that a set may have.
    pub variable: bool,
    /// All descriptors are written before a set is bound, and do not change as long as it is.
    pub settled: bool,
}

impl BindingInfo {
    /// A binding of one type.
    #[inline]
    pub fn plain(binding: u32, kind: api::DescriptorType, count: u32) -> Self {
        Self {
            binding,
            kind,
            count,
            pieces: Class::of(kind).pieces,
            variable: false,
            settled: true,
        }
    }
}

/// One binding with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) info: BindingInfo,
    /// Byte of element 0 in the set's piece of the heap.
    pub(super) offset_bytes: u32,
    /// Bytes from one element to the next.
    pub(super) stride_bytes: u32,
    /// Where samplers are.
    pub(super) samplers: abi::Places,
    /// Index of element 0 among the dynamic buffers of the set.
    pub(super) dynamic: u32,
    /// What a descriptor of it is.
    pub(super) holds: Holds,
    /// Pieces of an element that are samplers of the layout: the last ones.
    pub(super) fixed: u8,
    /// Some sampler of the layout converts.
    converts: bool,
}

impl Placed {
    /// Its samplers lie side by side with those of other bindings.
    #[inline]
    pub(super) fn apart(&self) -> bool {
        self.samplers.stride_bytes == abi::SAMPLER_PITCH_BYTES
    }

    /// Pieces of an element that hold what is written to it, but a sampler that lies apart.
    #[inline]
    pub(super) fn pieces(&self) -> u32 {
        let beside = match self.apart() {
            true => 1,
            false => self.fixed,
        };
        u32::from(self.info.pieces - beside)
    }

    /// Its elements have samplers of their own, where they have any.
    #[inline]
    pub(super) fn own_samplers(&self) -> bool {
        self.fixed == 0
    }

    /// Each of its descriptors has one sampler, without a conversion.
    #[inline]
    fn has_plain_samplers(&self) -> bool {
        let pieces = match self.info.kind {
            api::DescriptorType::SAMPLER => 1,
            api::DescriptorType::COMBINED_IMAGE_SAMPLER => 2,
            _ => return false,
        };
        self.info.pieces == pieces && !self.converts
    }

    /// Descriptors of it: an inline block is one, whatever its bytes.
    #[inline]
    fn descriptors(&self) -> u32 {
        match self.holds {
            Holds::Inline => self.info.count.min(1),
            _ => self.info.count,
        }
    }
}

/// Samplers that every set has in a binding, an element each.
#[derive(Clone, Debug)]
struct Fixed {
    binding: u32,
    samplers: Box<[Arc<Sampler>]>,
}

impl Fixed {
    /// Pieces that the planes and samplers of an element want, if conversions ask for some.
    fn pieces(&self) -> Option<u8> {
        let each = self.samplers.iter().filter_map(|s| s.conversion);
        each.map(|conversion| conversion.pieces() as u8).max()
    }

    /// Pieces of an element that are samplers.
    fn each(&self) -> u8 {
        1 + u8::from(self.samplers.iter().any(|s| s.chroma.is_some()))
    }
}

impl PartialEq for Fixed {
    fn eq(&self, other: &Self) -> bool {
        let states = |fixed: &Self| {
            let all = fixed.samplers.iter();
            all.map(|s| (s.state, s.chroma, s.conversion))
                .collect::<Vec<_>>()
        };
        self.binding == other.binding && states(self) == states(other)
    }
}

impl Eq for Fixed {}

/// What the driver keeps of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Pieces in the heap: surfaces, a sampler last.
    Pieces,
    /// A dynamic buffer: its surface is made when it is bound.
    Dynamic,
    /// A surface in the heap, made with the set, of bytes that lie behind it.
    Inline,
    /// Nothing: there is no such descriptor.
    Nothing,
}

impl Holds {
    /// Bytes of heap of `count` of them, or of an inline block of `count` bytes. No sum of these overflows.
    #[inline]
    fn bytes(self, pieces: u8, count: u32) -> u64 {
        let piece = u64::from(SURFACE_BYTES);
        // Most are, and a jump by a table takes longer than a test.
        if self == Holds::Pieces {
            return u64::from(count) * u64::from(pieces) * piece;
        }
        match self {
            Holds::Inline => u64::from(count).next_multiple_of(piece) + piece,
            _ => 0,
        }
    }
}

/// What a descriptor type is: to the shader compiler, to a set, and of how many pieces.
#[derive(Clone, Copy)]
struct Class {
    abi: Option<abi::DescriptorKind>,
    holds: Holds,
    pieces: u8,
}

impl Class {
    /// The types of Vulkan 1.0, by their numbers.
    const CORE: [Class; 11] = {
        use abi::DescriptorKind as K;
        [
            Self::new(K::Sampler, Holds::Pieces),
            Self::new(K::CombinedImageSampler, Holds::Pieces),
            Self::new(K::SampledImage, Holds::Pieces),
            Self::new(K::StorageImage, Holds::Pieces),
            Self::new(K::UniformTexelBuffer, Holds::Pieces),
            Self::new(K::StorageTexelBuffer, Holds::Pieces),
            Self::new(K::UniformBuffer, Holds::Pieces),
            Self::new(K::StorageBuffer, Holds::Pieces),
            Self::new(K::UniformBufferDynamic, Holds::Dynamic),
            Self::new(K::StorageBufferDynamic, Holds::Dynamic),
            Self::new(K::InputAttachment, Holds::Pieces),
        ]
    };

    const fn new(kind: abi::DescriptorKind, holds: Holds) -> Self {
        Self {
            abi: Some(kind),
            holds,
            pieces: kind.pieces() as u8,
        }
    }

    #[inline]
    fn of(kind: api::DescriptorType) -> Self {
        match Self::CORE.get(kind.as_raw() as usize) {
            Some(class) => *class,
            None => Self::of_others(kind),
        }
    }

    #[cold]
    fn of_others(kind: api::DescriptorType) -> Self {
        match kind {
            api::DescriptorType::INLINE_UNIFORM_BLOCK => {
                Self::new(abi::DescriptorKind::UniformBuffer, Holds::Inline)
            }
            // What was written last: where its pieces are is all that matters.
            api::DescriptorType::MUTABLE_EXT => Self {
                pieces: 2,
                ..Self::new(abi::DescriptorKind::StorageBuffer, Holds::Pieces)
            },
            _ => Self {
                abi: None,
                holds: Holds::Nothing,
                pieces: 1,
            },
        }
    }
}

/// Pieces of an element of a type; of one that may be several, those of the largest, as `allowed` lists them (none: any).
pub fn pieces(kind: api::DescriptorType, allowed: &[api::DescriptorType]) -> u8 {
    let each = allowed.iter().map(|&kind| Class::of(kind).pieces);
    match kind {
        api::DescriptorType::MUTABLE_EXT if !allowed.is_empty() => each.max().unwrap_or(1),
        _ => Class::of(kind).pieces,
    }
}

/// Bindings that most layouts have at most: so many need no memory of their own.
const USUAL_BINDINGS: usize = 4;

/// `VkDescriptorSetLayout`.
#[derive(Debug, PartialEq, Eq)]
pub struct SetLayout {
    pub(super) bindings: SmallVec<[Placed; USUAL_BINDINGS]>,
    pub(super) room: Room,
    /// Samplers that its sets have, by binding.
    samplers: Vec<Fixed>,
    /// Its descriptors are pushed: there are no sets of it.
    push: bool,
    /// Its sets are of one size, hold nothing when they are made, and remember nothing.
    pub(super) alike: bool,
}

/// What the bindings of a set take together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    /// Descriptors of all bindings.
    descriptors: u64,
    pub(super) heap_bytes: u64,
    dynamic: u32,
    /// Some descriptors are written when a set is made: samplers of its own, surfaces of inline blocks.
    pub(super) made: bool,
}

/// Bytes of heap that a set may take.
const MOST_HEAP_BYTES: u64 = i915::BINDLESS_HEAP_BYTES / 2;
const TOO_BIG: Error = Error::OutOfDeviceMemory {
    what: "a descriptor set layout",
};

impl Room {
    /// A binding more, behind the others, with so many pieces an element.
    #[inline]
    fn take(&mut self, placed: &Placed, pieces: u8) {
        let count = placed.info.count;
        self.heap_bytes += placed.holds.bytes(pieces, count);
        self.descriptors += u64::from(placed.descriptors());
        if placed.holds == Holds::Dynamic {
            self.dynamic = self.dynamic.wrapping_add(count);
        }
        self.made |= placed.holds == Holds::Inline || placed.fixed != 0;
    }
}

/// Bytes of heap that an array of `count` descriptors of a type takes, or an inline block of `count` bytes.
pub(super) fn heap_bytes(kind: api::DescriptorType, pieces: u8, count: u32) -> u64 {
    Class::of(kind).holds.bytes(pieces, count)
}

/// Bindings on their way to their places in a layout.
pub struct Placing<'a> {
    layout: &'a mut SetLayout,
    /// They came by their numbers, each once.
    sorted: bool,
    /// One has a variable count.
    variable: bool,
    /// One has plain samplers.
    samplers: bool,
}

/// For `dedup_by`: of two neighbours of one number the later one stays.
fn replaces<T>(later: &mut T, earlier: &mut T, number: impl Fn(&T) -> u32) -> bool {
    let same = number(later) == number(earlier);
    if same {
        std::mem::swap(later, earlier);
    }
    same
}

impl Placing<'_> {
    /// Adds a binding, in any order. Inlined, so that what the binding is stays in registers: a processor that reads in one piece what
    /// it has just written in several waits for it.
    #[inline(always)]
    pub fn add(&mut self, info: BindingInfo) {
        self.add_with(info, (0, false));
    }

    /// Adds a binding with samplers that every set has: their conversions want pieces for planes, and a second sampler.
    #[inline(never)]
    pub fn add_fixed(&mut self, info: BindingInfo, samplers: Vec<Arc<Sampler>>) {
        let fixed = Fixed {
            binding: info.binding,
            samplers: samplers.into(),
        };
        let wanted = fixed.pieces();
        let info = BindingInfo {
            pieces: info.pieces.max(wanted.unwrap_or(0)),
            ..info
        };
        let each = fixed.each();
        self.layout.samplers.push(fixed);
        self.add_with(info, (each, wanted.is_some()));
    }

    #[inline(always)]
    fn add_with(&mut self, info: BindingInfo, (fixed, converts): (u8, bool)) {
        let Placing { layout, .. } = self;
        // Where more is taken than a place can say, `finish` refuses all of it.
        let offset_bytes = layout.room.heap_bytes as u32;
        let stride_bytes = u32::from(info.pieces) * SURFACE_BYTES;
        let placed = Placed {
            offset_bytes,
            stride_bytes,
            samplers: abi::Places::last_of(offset_bytes, stride_bytes),
            dynamic: layout.room.dynamic,
            holds: Class::of(info.kind).holds,
            info,
            fixed,
            converts,
        };
        layout.room.take(&placed, info.pieces);
        let before = layout.bindings.last();
        self.sorted &= before.is_none_or(|before| before.info.binding < info.binding);
        self.variable |= info.variable;
        self.samplers |= placed.has_plain_samplers();
        layout.bindings.push(placed);
    }

    /// Places the bindings by their numbers, now that all are there. Fails if they do not fit the heap.
    pub fn finish(self) -> Result<()> {
        let Placing { layout, .. } = self;
        if !self.sorted {
            layout.bindings.sort_by_key(|placed| placed.info.binding);
            layout.samplers.sort_by_key(|fixed| fixed.binding);
            // A number stands for one binding (VUID-VkDescriptorSetLayoutCreateInfo-binding-00279), but Mesa's zink says some twice:
            // the last one counts, as with other drivers.
            layout
                .bindings
                .dedup_by(|later, earlier| replaces(later, earlier, |p| p.info.binding));
            layout
                .samplers
                .dedup_by(|later, earlier| replaces(later, earlier, |f| f.binding));
        }
        // Vulkan has only the last of a variable count; what follows would have no place otherwise.
        if self.variable
            && let Some((_, before)) = layout.bindings.split_last_mut()
        {
            let all = before.iter_mut();
            all.for_each(|placed| placed.info.variable = false);
        }
        let apart = self.samplers && layout.variable().is_none();
        if !self.sorted || apart {
            layout.place(apart);
        }
        let room = &layout.room;
        layout.alike = !room.made && room.dynamic == 0 && !self.variable;
        if room.heap_bytes > MOST_HEAP_BYTES || room.descriptors > 1 << 21 {
            return Err(TOO_BIG);
        }
        if layout.push && room.descriptors > limits::MAX_PUSH_DESCRIPTORS.into() {
            return Err(Error::InvalidUse {
                why: "more descriptors to push than maxPushDescriptors",
            });
        }
        Ok(())
    }
}

impl SetLayout {
    /// Places the bindings; `push`: their descriptors are pushed. Fails if they do not fit the heap.
    pub fn new(bindings: impl IntoIterator<Item = BindingInfo>, push: bool) -> Result<Self> {
        let mut layout = Self::empty(push);
        let mut placing = layout.placing(0);
        for info in bindings {
            placing.add(info);
        }
        placing.finish()?;
        Ok(layout)
    }

    /// A layout without bindings.
    #[inline]
    pub fn empty(push: bool) -> Self {
        Self {
            bindings: SmallVec::new(),
            room: Room::default(),
            samplers: Vec::new(),
            push,
            alike: true,
        }
    }

    /// Takes bindings in, about so many, where there are none yet.
    #[inline]
    pub fn placing(&mut self, count: usize) -> Placing<'_> {
        self.bindings.reserve(count);
        Placing {
            layout: self,
            sorted: true,
            variable: false,
            samplers: false,
        }
    }

    /// Places the bindings, one behind the other; `apart`: plain samplers side by side behind all. Where sets choose how many descriptors
    /// the last binding has, nothing is behind it.
    fn place(&mut self, apart: bool) {
        self.room = Room::default();
        let apart = |placed: &Placed| apart && placed.has_plain_samplers();
        for placed in &mut self.bindings {
            let pieces = placed.info.pieces - u8::from(apart(placed));
            placed.offset_bytes = self.room.heap_bytes as u32;
            placed.stride_bytes = u32::from(pieces) * SURFACE_BYTES;
            placed.samplers = abi::Places::last_of(placed.offset_bytes, placed.stride_bytes);
            placed.dynamic = self.room.dynamic;
            self.room.take(placed, pieces);
        }
        for placed in self.bindings.iter_mut().filter(|placed| apart(placed)) {
            placed.samplers = abi::Places {
                offset_bytes: self.room.heap_bytes as u32,
                stride_bytes: abi::SAMPLER_PITCH_BYTES,
            };
            let bytes = u64::from(placed.info.count) * u64::from(abi::SAMPLER_PITCH_BYTES);
            self.room.heap_bytes += bytes;
        }
        let heap_bytes = self.room.heap_bytes;
        self.room.heap_bytes = heap_bytes.next_multiple_of(SURFACE_BYTES.into());
    }

    /// Samplers that every set has in a binding, an element each; none: sets have their own.
    pub(super) fn samplers(&self, placed: &Placed) -> &[Arc<Sampler>] {
        if placed.own_samplers() {
            return &[];
        }
        let mut all = self.samplers.iter();
        let found = all.find(|fixed| fixed.binding == placed.info.binding);
        found.map_or(&[], |fixed| &fixed.samplers)
    }

    /// Whether its descriptors are pushed.
    pub fn is_push(&self) -> bool {
        self.push
    }

    /// The binding whose count each set chooses: the last, if it was made so.
    fn variable(&self) -> Option<&Placed> {
        self.bindings.last().filter(|last| last.info.variable)
    }

    /// How many descriptors of the binding whose count each set chooses fit behind the others, or bytes of an inline block; 0 without
    /// one.
    pub fn most_variable(&self) -> u32 {
        let Some(last) = self.variable() else {
            return 0;
        };
        if last.holds == Holds::Inline {
            return limits::MAX_INLINE_BLOCK_BYTES;
        }
        let room = MOST_HEAP_BYTES.saturating_sub(last.offset_bytes.into());
        let fits = room / last.holds.bytes(last.info.pieces, 1).max(1);
        fits.min(limits::UPDATE_AFTER_BIND_DESCRIPTORS.into()) as u32
    }

    /// Bytes of heap of a set, and the count of the last binding, if `count` is asked for where that is variable.
    pub(super) fn sized(&self, count: u32) -> Result<(u32, u32)> {
        // `finish` has seen that it fits.
        let all = self.room.heap_bytes as u32;
        let Some(last) = self.bindings.last() else {
            return Ok((0, 0));
        };
        if !last.info.variable {
            return Ok((all, last.info.count));
        }
        if count > last.info.count {
            return Err(Error::InvalidUse {
                why: "a variable descriptor count above the layout's",
            });
        }
        let bytes = heap_bytes(last.info.kind, last.info.pieces, count);
        Ok((last.offset_bytes + bytes as u32, count))
    }

    /// Dynamic buffers in the set.
    pub fn dynamic_count(&self) -> u32 {
        self.room.dynamic
    }

    /// A binding of the set, where its number is its place too.
    #[inline]
    pub(super) fn one(&self, binding: u32) -> Option<&Placed> {
        let there = self.bindings.get(binding as usize);
        there.filter(|placed| placed.info.binding == binding)
    }

    /// The bindings of the set from one on.
    #[inline]
    pub(super) fn placed(&self, binding: u32) -> Option<&[Placed]> {
        // Most layouts number their bindings without gaps.
        match self.bindings.get(binding as usize..) {
            Some(there) if there.first().is_some_and(|p| p.info.binding == binding) => Some(there),
            _ => self.search(binding),
        }
    }

    #[cold]
    #[inline(never)]
    fn search(&self, binding: u32) -> Option<&[Placed]> {
        let found = self
            .bindings
            .binary_search_by_key(&binding, |placed| placed.info.binding);
        self.bindings.get(found.ok()?..)
    }

    fn to_abi(&self, dynamic_base: u32) -> abi::SetLayout {
        let bindings = self
            .bindings
            .iter()
            .filter(|placed| placed.info.count > 0)
            .filter_map(|placed| {
                Some(abi::Binding {
                    binding: placed.info.binding,
                    kind: Class::of(placed.info.kind).abi?,
                    count: placed.descriptors(),
                    offset_bytes: placed.offset_bytes,
                    stride_bytes: placed.stride_bytes,
                    samplers: placed.samplers,
                    dynamic_index: dynamic_base + placed.dynamic,
                    settled: placed.info.settled,
                })
            });
        let conversions = self.samplers.iter().flat_map(|fixed| {
            let samplers = (0..).zip(&fixed.samplers);
            samplers.filter_map(|(element, sampler)| {
                Some(abi::Converted {
                    binding: fixed.binding,
                    element,
                    conversion: sampler.conversion?,
                })
            })
        });
        abi::SetLayout {
            bindings: bindings.collect(),
            conversions: conversions.collect(),
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
            dynamic_count += set.room.dynamic;
        }
        let abi = sets
            .iter()
            .zip(&dynamic_base)
            .map(|(set, &base)| set.to_abi(base))
            .collect();
        let abi = abi::PipelineLayout {
            sets: abi,
            sampler_base_bytes: SAMPLER_BASE_BYTES,
        };
        Ok(Self {
            sets: sets.to_vec(),
            dynamic_base,
            dynamic_count,
            abi,
        })
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
