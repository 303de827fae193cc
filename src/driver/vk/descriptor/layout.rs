//! Descriptor set layouts.
//!
//! In:  bindings. Out: the offset of each binding in a set's heap allocation, as `abi` defines it:
//!      a descriptor is one or two surface-sized slots; the last one holds the sampler.

use std::sync::Arc;

use abi::IndirectDescriptor;
use ash::vk as api;
use smallvec::SmallVec;

use super::indirect::IndirectSet;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::limits;
use crate::sampler::Sampler;
use crate::surface_state::SURFACE_BYTES;

/// A binding of a set layout, as the application gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingInfo {
    /// Binding number.
    pub binding: u32,
    /// Descriptor type.
    pub kind: api::DescriptorType,
    /// Array size, or bytes of an inline uniform block; 0 reserves the number.
    pub count: u32,
    /// Slots of a descriptor: see [`descriptor_slots`].
    pub slots: u8,
    /// Variable descriptor count: `count` is the maximum.
    pub variable: bool,
    /// No update after bind: descriptors are written before the set is bound, and stay unchanged
    /// while it is.
    pub static_at_bind: bool,
}

impl BindingInfo {
    /// A binding of a plain descriptor type.
    #[inline]
    pub fn plain(binding: u32, kind: api::DescriptorType, count: u32) -> Self {
        Self {
            binding,
            kind,
            count,
            slots: TypeInfo::from_type(kind).slots,
            variable: false,
            static_at_bind: true,
        }
    }
}

/// A binding and its offset in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BindingLayout {
    pub(super) info: BindingInfo,
    /// Offset of element 0 in the set's heap allocation, in bytes.
    pub(super) offset_bytes: u32,
    /// Bytes from one element to the next.
    pub(super) stride_bytes: u32,
    /// Location of the samplers.
    pub(super) samplers: abi::SamplerOffsets,
    /// Index of element 0 among the set's dynamic buffers.
    pub(super) dynamic: u32,
    /// Storage of a descriptor.
    pub(super) storage: Storage,
    /// Number of an element's last slots that hold immutable samplers.
    pub(super) fixed: u8,
    /// An immutable sampler has a Y'CbCr conversion.
    converts: bool,
}

impl BindingLayout {
    /// Whether its samplers are in the packed sampler array behind the bindings.
    #[inline]
    pub(super) fn packs_samplers(&self) -> bool {
        self.samplers.stride_bytes == abi::SAMPLER_PITCH_BYTES
    }

    /// Byte offset of an element in the set.
    #[inline]
    pub(super) fn element_offset(&self, element: u32) -> u32 {
        self.offset_bytes + element * self.stride_bytes
    }

    /// Slots of an element's memory: surface states, or indirect descriptors.
    fn slots_in_memory(&self) -> u8 {
        match self.storage {
            Storage::Indirect => (self.stride_bytes / IndirectDescriptor::BYTES) as u8,
            _ => self.info.slots,
        }
    }

    /// Slots of an element that are written, without a packed sampler.
    #[inline]
    pub(super) fn slots(&self) -> u32 {
        let not_counted = match self.packs_samplers() {
            true => 1,
            false => self.fixed,
        };
        u32::from(self.info.slots - not_counted)
    }

    /// Whether its samplers, if any, are not immutable.
    #[inline]
    pub(super) fn writes_samplers(&self) -> bool {
        self.fixed == 0
    }

    /// Whether each descriptor has one sampler, without a conversion.
    #[inline]
    fn has_plain_samplers(&self) -> bool {
        let slots = match self.info.kind {
            api::DescriptorType::SAMPLER => 1,
            api::DescriptorType::COMBINED_IMAGE_SAMPLER => 2,
            _ => return false,
        };
        self.info.slots == slots && !self.converts
    }

    /// Number of descriptors: an inline uniform block is one.
    #[inline]
    fn descriptors(&self) -> u32 {
        match self.storage {
            Storage::Inline | Storage::IndirectInline => self.info.count.min(1),
            _ => self.info.count,
        }
    }
}

/// Immutable samplers of a binding, one for each element.
#[derive(Clone, Debug)]
struct ImmutableSamplers {
    binding: u32,
    samplers: Box<[Arc<Sampler>]>,
}

impl ImmutableSamplers {
    /// Slots that the planes and samplers of an element need, if conversions need any.
    fn slots(&self) -> Option<u8> {
        let each = self.samplers.iter().filter_map(|s| s.conversion);
        each.map(|conversion| conversion.slots() as u8).max()
    }

    /// Planes of the image that an element's conversion is for; 1 without a conversion.
    fn planes(&self) -> u8 {
        let planes = self.samplers.iter().filter_map(|s| s.conversion);
        planes
            .map(|conversion| conversion.planes)
            .max()
            .unwrap_or(1)
            .max(1)
    }

    /// Slots of an element that are samplers.
    fn each(&self) -> u8 {
        1 + u8::from(self.samplers.iter().any(|s| s.chroma.is_some()))
    }
}

impl PartialEq for ImmutableSamplers {
    fn eq(&self, other: &Self) -> bool {
        let states = |fixed: &Self| {
            let all = fixed.samplers.iter();
            all.map(|s| (s.state, s.chroma, s.conversion))
                .collect::<Vec<_>>()
        };
        self.binding == other.binding && states(self) == states(other)
    }
}

impl Eq for ImmutableSamplers {}

/// Storage of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// Slots in the heap: surfaces, then a sampler.
    Pieces,
    /// A dynamic buffer: its surface state is written when the set is bound.
    Dynamic,
    /// An inline uniform block: a surface state in the heap, followed by its bytes.
    Inline,
    /// An indirect descriptor.
    Indirect,
    /// An inline uniform block in a set with indirect descriptors, without a descriptor.
    IndirectInline,
    /// No storage: an unknown type.
    Nothing,
}

impl Storage {
    /// The same in a set with indirect descriptors.
    fn indirect(self) -> Storage {
        match self {
            Storage::Pieces => Storage::Indirect,
            Storage::Inline => Storage::IndirectInline,
            other => other,
        }
    }

    /// Heap bytes of `count` elements of so many slots (indirect ones: descriptors), or of an
    /// inline uniform block of `count` bytes. Sums of these do not overflow.
    #[inline]
    fn bytes(self, slots: u8, count: u32) -> u64 {
        let slot = u64::from(SURFACE_BYTES);
        // The common case, tested first: a comparison is faster than a jump table.
        if self == Storage::Pieces {
            return u64::from(count) * u64::from(slots) * slot;
        }
        match self {
            Storage::Inline => u64::from(count).next_multiple_of(slot) + slot,
            Storage::Indirect => {
                u64::from(count) * u64::from(slots) * u64::from(IndirectDescriptor::BYTES)
            }
            Storage::IndirectInline => {
                u64::from(count).next_multiple_of(IndirectDescriptor::BYTES.into())
            }
            _ => 0,
        }
    }
}

/// Properties of a descriptor type.
#[derive(Clone, Copy)]
struct TypeInfo {
    abi: Option<abi::DescriptorKind>,
    storage: Storage,
    slots: u8,
}

impl TypeInfo {
    /// Descriptor types of Vulkan 1.0, by number.
    const CORE: [TypeInfo; 11] = {
        use abi::DescriptorKind as K;
        [
            Self::new(K::Sampler, Storage::Pieces),
            Self::new(K::CombinedImageSampler, Storage::Pieces),
            Self::new(K::SampledImage, Storage::Pieces),
            Self::new(K::StorageImage, Storage::Pieces),
            Self::new(K::UniformTexelBuffer, Storage::Pieces),
            Self::new(K::StorageTexelBuffer, Storage::Pieces),
            Self::new(K::UniformBuffer, Storage::Pieces),
            Self::new(K::StorageBuffer, Storage::Pieces),
            Self::new(K::UniformBufferDynamic, Storage::Dynamic),
            Self::new(K::StorageBufferDynamic, Storage::Dynamic),
            Self::new(K::InputAttachment, Storage::Pieces),
        ]
    };

    const fn new(kind: abi::DescriptorKind, storage: Storage) -> Self {
        Self {
            abi: Some(kind),
            storage,
            slots: kind.slots() as u8,
        }
    }

    #[inline]
    fn from_type(kind: api::DescriptorType) -> Self {
        match Self::CORE.get(kind.as_raw() as usize) {
            Some(class) => *class,
            None => Self::from_extension_type(kind),
        }
    }

    #[cold]
    fn from_extension_type(kind: api::DescriptorType) -> Self {
        match kind {
            api::DescriptorType::INLINE_UNIFORM_BLOCK => {
                Self::new(abi::DescriptorKind::UniformBuffer, Storage::Inline)
            }
            // The current type does not matter, only the number of slots.
            api::DescriptorType::MUTABLE_EXT => Self {
                slots: 2,
                ..Self::new(abi::DescriptorKind::StorageBuffer, Storage::Pieces)
            },
            _ => Self {
                abi: None,
                storage: Storage::Nothing,
                slots: 1,
            },
        }
    }
}

/// Slots of a descriptor. Mutable descriptors have those of the largest type in `allowed` (empty:
/// any type).
pub fn descriptor_slots(kind: api::DescriptorType, allowed: &[api::DescriptorType]) -> u8 {
    let each = allowed.iter().map(|&kind| TypeInfo::from_type(kind).slots);
    match kind {
        api::DescriptorType::MUTABLE_EXT if !allowed.is_empty() => each.max().unwrap_or(1),
        _ => TypeInfo::from_type(kind).slots,
    }
}

/// Most layouts have at most so many bindings and need no heap memory for them.
const USUAL_BINDINGS: usize = 4;

/// `VkDescriptorSetLayout`.
#[derive(Debug, PartialEq, Eq)]
pub struct SetLayout {
    pub(super) bindings: SmallVec<[BindingLayout; USUAL_BINDINGS]>,
    pub(super) size: SetSize,
    /// Immutable samplers by binding.
    samplers: Vec<ImmutableSamplers>,
    /// Push descriptor layout.
    push: bool,
    /// Sets have indirect descriptors, in memory of their own.
    pub(super) indirect: bool,
    /// Sets are in descriptor buffers.
    descriptor_buffer: bool,
    /// The set of a layout with embedded samplers.
    embedded: EmbeddedSamplers,
    /// Sets have one size and no initial contents, and keep no host state.
    pub(super) is_stateless: bool,
}

/// The set of embedded samplers. It does not distinguish layouts: equal samplers make equal sets.
#[derive(Debug, Default)]
struct EmbeddedSamplers(Option<IndirectSet>);

impl PartialEq for EmbeddedSamplers {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for EmbeddedSamplers {}

/// Total size of a set's bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SetSize {
    /// Number of descriptors.
    descriptors: u64,
    pub(super) heap_bytes: u64,
    pub(super) dynamic: u32,
    /// Some descriptors are written at set creation: immutable samplers, surfaces of inline uniform
    /// blocks.
    pub(super) made: bool,
}

/// Maximum heap bytes of a set, if its descriptors cannot be indirect.
const MAX_HEAP_BYTES: u64 = i915::BINDLESS_HEAP_BYTES / 2;
/// Heap bytes of a set above which its descriptors are indirect: the heap has room for 64 such
/// sets.
const MAX_DIRECT_BYTES: u64 = i915::BINDLESS_HEAP_BYTES / 64;
/// Maximum descriptors of a set or a pool: their memory is 256 MiB.
pub(super) const MAX_SET_DESCRIPTORS: u64 = 1 << 24;
const TOO_LARGE: Error = Error::OutOfDeviceMemory {
    what: "a descriptor set layout",
};

impl SetSize {
    /// Adds a binding after the others, with `slots` slots per element.
    #[inline]
    fn add(&mut self, binding_layout: &BindingLayout, slots: u8) {
        let count = binding_layout.info.count;
        self.heap_bytes += binding_layout.storage.bytes(slots, count);
        self.descriptors += u64::from(binding_layout.descriptors());
        if binding_layout.storage == Storage::Dynamic {
            self.dynamic = self.dynamic.wrapping_add(count);
        }
        let inline = [Storage::Inline, Storage::IndirectInline].contains(&binding_layout.storage);
        self.made |= inline || binding_layout.fixed != 0;
    }
}

/// Heap bytes of an array of `count` descriptors, or of an inline uniform block of `count` bytes.
pub(super) fn heap_bytes(kind: api::DescriptorType, slots: u8, count: u32) -> u64 {
    TypeInfo::from_type(kind).storage.bytes(slots, count)
}

/// As [`heap_bytes`], for indirect descriptors.
pub(super) fn indirect_bytes(kind: api::DescriptorType, count: u32) -> u64 {
    TypeInfo::from_type(kind).storage.indirect().bytes(1, count)
}

/// Builder of a layout's bindings.
pub struct SetLayoutBuilder<'a> {
    layout: &'a mut SetLayout,
    /// Binding numbers came in ascending order, without duplicates.
    sorted: bool,
    /// A binding has a variable count.
    variable: bool,
    /// A binding has plain samplers.
    samplers: bool,
}

/// For `dedup_by`: of two neighbours with the same number, the later one is kept.
fn replaces<T>(later: &mut T, earlier: &mut T, number: impl Fn(&T) -> u32) -> bool {
    let same = number(later) == number(earlier);
    if same {
        std::mem::swap(later, earlier);
    }
    same
}

impl SetLayoutBuilder<'_> {
    /// Adds a binding, in any order. Inlined to keep `info` in registers: a copy would defeat
    /// store-to-load forwarding.
    #[inline(always)]
    pub fn add(&mut self, info: BindingInfo) {
        self.add_with(info, (0, false));
    }

    /// Adds a binding with immutable samplers. Conversions need slots for planes and for a second
    /// sampler.
    #[inline(never)]
    pub fn add_fixed(&mut self, info: BindingInfo, samplers: Vec<Arc<Sampler>>) {
        let fixed = ImmutableSamplers {
            binding: info.binding,
            samplers: samplers.into(),
        };
        let wanted = fixed.slots();
        let info = BindingInfo {
            slots: info.slots.max(wanted.unwrap_or(0)),
            ..info
        };
        let each = fixed.each();
        self.layout.samplers.push(fixed);
        self.add_with(info, (each, wanted.is_some()));
    }

    #[inline(always)]
    fn add_with(&mut self, info: BindingInfo, (fixed, converts): (u8, bool)) {
        let SetLayoutBuilder { layout, .. } = self;
        // If this overflows, `finish` fails.
        let offset_bytes = layout.size.heap_bytes as u32;
        let stride_bytes = u32::from(info.slots) * SURFACE_BYTES;
        let binding_layout = BindingLayout {
            offset_bytes,
            stride_bytes,
            samplers: abi::SamplerOffsets::in_last_slot(offset_bytes, stride_bytes),
            dynamic: layout.size.dynamic,
            storage: TypeInfo::from_type(info.kind).storage,
            info,
            fixed,
            converts,
        };
        layout.size.add(&binding_layout, info.slots);
        let before = layout.bindings.last();
        self.sorted &= before.is_none_or(|before| before.info.binding < info.binding);
        self.variable |= info.variable;
        self.samplers |= binding_layout.has_plain_samplers();
        layout.bindings.push(binding_layout);
    }

    /// Computes the offsets, in order of binding numbers. Fails if the layout exceeds the heap.
    pub fn finish(self) -> Result<()> {
        let SetLayoutBuilder { layout, .. } = self;
        if !self.sorted {
            layout
                .bindings
                .sort_by_key(|binding_layout| binding_layout.info.binding);
            layout.samplers.sort_by_key(|fixed| fixed.binding);
            // Duplicate numbers are invalid (VUID-VkDescriptorSetLayoutCreateInfo-binding-00279),
            // but Mesa's zink produces them; other drivers use the last one.
            layout
                .bindings
                .dedup_by(|later, earlier| replaces(later, earlier, |p| p.info.binding));
            layout
                .samplers
                .dedup_by(|later, earlier| replaces(later, earlier, |f| f.binding));
        }
        // Only the last binding may have a variable count; another one would leave no fixed offset
        // to those after it.
        if self.variable
            && let Some((_, before)) = layout.bindings.split_last_mut()
        {
            let all = before.iter_mut();
            all.for_each(|binding_layout| binding_layout.info.variable = false);
        }
        let packs_samplers = self.samplers && layout.variable().is_none();
        if !self.sorted || packs_samplers {
            layout.compute_offsets(packs_samplers);
        }
        let large = layout.size.heap_bytes > MAX_DIRECT_BYTES;
        layout.indirect = (large || layout.indirect) && layout.may_be_indirect();
        if layout.indirect {
            layout.compute_indirect_offsets();
        }
        let size = &layout.size;
        layout.is_stateless = !size.made && size.dynamic == 0 && !self.variable && !layout.indirect;
        let fits = layout.indirect || size.heap_bytes <= MAX_HEAP_BYTES;
        if layout.descriptor_buffer && !layout.push && !layout.indirect {
            return Err(Error::InvalidUse {
                why: "dynamic buffers in a descriptor buffer",
            });
        }
        if !fits || size.descriptors > MAX_SET_DESCRIPTORS {
            return Err(TOO_LARGE);
        }
        if layout.push && size.descriptors > limits::MAX_PUSH_DESCRIPTORS.into() {
            return Err(Error::InvalidUse {
                why: "more descriptors to push than maxPushDescriptors",
            });
        }
        Ok(())
    }
}

impl SetLayout {
    /// Creates a layout; `push` for push descriptors. Fails if it exceeds the heap.
    pub fn new(bindings: impl IntoIterator<Item = BindingInfo>, push: bool) -> Result<Self> {
        let mut layout = Self::empty(push);
        let mut placing = layout.placing(0);
        for info in bindings {
            placing.add(info);
        }
        placing.finish()?;
        Ok(layout)
    }

    /// Creates a layout without bindings.
    #[inline]
    pub fn empty(push: bool) -> Self {
        Self {
            bindings: SmallVec::new(),
            size: SetSize::default(),
            samplers: Vec::new(),
            push,
            indirect: false,
            descriptor_buffer: false,
            embedded: EmbeddedSamplers::default(),
            is_stateless: true,
        }
    }

    /// Makes it the layout of sets in descriptor buffers. Push descriptors need no buffer.
    pub fn use_descriptor_buffer(&mut self) {
        self.descriptor_buffer = true;
        self.indirect = true;
    }

    /// Creates the set of a layout that has only embedded samplers, which is bound without a
    /// buffer.
    pub fn embed_samplers(&mut self, context: &Context) -> Result<()> {
        let set = IndirectSet::new(context, self.size.heap_bytes as u32)?;
        for binding_layout in &self.bindings {
            for (element, sampler) in (0..).zip(self.samplers(binding_layout)) {
                set.write_sampler(binding_layout.element_offset(element), sampler)?;
            }
        }
        self.embedded = EmbeddedSamplers(Some(set));
        Ok(())
    }

    /// Handle of the set of embedded samplers.
    pub(crate) fn embedded_handle(&self) -> Option<u32> {
        self.embedded.0.as_ref().map(IndirectSet::handle)
    }

    /// Bytes of a set in a descriptor buffer.
    pub fn buffer_bytes(&self) -> u64 {
        self.size.heap_bytes
    }

    /// Byte offset of a binding of a set in a descriptor buffer.
    pub fn buffer_offset(&self, binding: u32) -> Option<u64> {
        let binding_layout = self.bindings_from(binding)?.first()?;
        Some(binding_layout.offset_bytes.into())
    }

    /// Asks for indirect descriptors, if the layout's bindings allow them.
    pub fn prefer_indirect(&mut self) {
        self.indirect = true;
    }

    /// Starts adding about `count` bindings to an empty layout.
    #[inline]
    pub fn placing(&mut self, count: usize) -> SetLayoutBuilder<'_> {
        self.bindings.reserve(count);
        SetLayoutBuilder {
            layout: self,
            sorted: true,
            variable: false,
            samplers: false,
        }
    }

    /// Computes the offsets of the bindings. `packs_samplers`: plain samplers are packed behind all
    /// bindings, which a variable count at the end rules out.
    fn compute_offsets(&mut self, packs_samplers: bool) {
        self.size = SetSize::default();
        let packs_samplers =
            |binding_layout: &BindingLayout| packs_samplers && binding_layout.has_plain_samplers();
        for binding_layout in &mut self.bindings {
            let slots = binding_layout.info.slots - u8::from(packs_samplers(binding_layout));
            binding_layout.offset_bytes = self.size.heap_bytes as u32;
            binding_layout.stride_bytes = u32::from(slots) * SURFACE_BYTES;
            binding_layout.samplers = abi::SamplerOffsets::in_last_slot(
                binding_layout.offset_bytes,
                binding_layout.stride_bytes,
            );
            binding_layout.dynamic = self.size.dynamic;
            self.size.add(binding_layout, slots);
        }
        for binding_layout in self
            .bindings
            .iter_mut()
            .filter(|binding_layout| packs_samplers(binding_layout))
        {
            binding_layout.samplers = abi::SamplerOffsets {
                offset_bytes: self.size.heap_bytes as u32,
                stride_bytes: abi::SAMPLER_PITCH_BYTES,
            };
            let bytes = u64::from(binding_layout.info.count) * u64::from(abi::SAMPLER_PITCH_BYTES);
            self.size.heap_bytes += bytes;
        }
        let heap_bytes = self.size.heap_bytes;
        self.size.heap_bytes = heap_bytes.next_multiple_of(SURFACE_BYTES.into());
    }

    /// Whether descriptors can be indirect: dynamic buffers have surfaces that are written when
    /// they are bound.
    fn may_be_indirect(&self) -> bool {
        let mut all = self.bindings.iter();
        let wanted = self.descriptor_buffer || !self.bindings.is_empty();
        !self.push && wanted && all.all(|b| b.storage != Storage::Dynamic)
    }

    /// Computes the offsets of indirect descriptors. In a descriptor buffer, an image with a
    /// conversion has one for each plane, of which shaders read the first: applications compute its
    /// size from `combinedImageSamplerDescriptorCount`.
    fn compute_indirect_offsets(&mut self) {
        self.size = SetSize::default();
        for binding_layout in &mut self.bindings {
            let mut descriptors = 1;
            if self.descriptor_buffer && binding_layout.converts {
                let mut all = self.samplers.iter();
                let fixed = all.find(|fixed| fixed.binding == binding_layout.info.binding);
                descriptors = fixed.map_or(1, ImmutableSamplers::planes);
            }
            binding_layout.storage = binding_layout.storage.indirect();
            // If this overflows, `finish` fails.
            binding_layout.offset_bytes = self.size.heap_bytes as u32;
            binding_layout.stride_bytes = u32::from(descriptors) * IndirectDescriptor::BYTES;
            binding_layout.samplers = abi::SamplerOffsets::default();
            self.size.add(binding_layout, descriptors);
        }
    }

    /// Immutable samplers of a binding; empty if there are none.
    pub(super) fn samplers(&self, binding_layout: &BindingLayout) -> &[Arc<Sampler>] {
        if binding_layout.writes_samplers() {
            return &[];
        }
        let mut all = self.samplers.iter();
        let found = all.find(|fixed| fixed.binding == binding_layout.info.binding);
        found.map_or(&[], |fixed| &fixed.samplers)
    }

    /// Whether this is a push descriptor layout.
    pub fn is_push(&self) -> bool {
        self.push
    }

    /// The binding with a variable count.
    fn variable(&self) -> Option<&BindingLayout> {
        self.bindings.last().filter(|last| last.info.variable)
    }

    /// Maximum count of the binding with a variable count (descriptors, or bytes of an inline
    /// uniform block); 0 without one.
    pub fn max_variable_count(&self) -> u32 {
        let Some(last) = self.variable() else {
            return 0;
        };
        if last.storage == Storage::Inline || last.storage == Storage::IndirectInline {
            return limits::MAX_INLINE_BLOCK_BYTES;
        }
        if self.may_be_indirect() {
            return limits::UPDATE_AFTER_BIND_DESCRIPTORS;
        }
        let room = MAX_HEAP_BYTES.saturating_sub(last.offset_bytes.into());
        let fits = room / last.storage.bytes(last.slots_in_memory(), 1).max(1);
        fits.min(limits::UPDATE_AFTER_BIND_DESCRIPTORS.into()) as u32
    }

    /// Heap bytes of a set, and the count of its last binding: `count` if that is variable.
    pub(super) fn size_and_count(&self, count: u32) -> Result<(u32, u32)> {
        // `finish` has checked that it fits.
        let all = self.size.heap_bytes as u32;
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
        // Shaders know the maximum size of an inline uniform block only.
        let count_in_memory = match last.storage {
            Storage::IndirectInline => last.info.count,
            _ => count,
        };
        let bytes = last.storage.bytes(last.slots_in_memory(), count_in_memory);
        Ok((last.offset_bytes + bytes as u32, count))
    }

    /// Number of dynamic buffers.
    pub fn dynamic_count(&self) -> u32 {
        self.size.dynamic
    }

    /// A binding, if its number equals its index.
    #[inline]
    pub(super) fn binding_at(&self, binding: u32) -> Option<&BindingLayout> {
        let there = self.bindings.get(binding as usize);
        there.filter(|binding_layout| binding_layout.info.binding == binding)
    }

    /// The bindings from a number on.
    #[inline]
    pub(super) fn bindings_from(&self, binding: u32) -> Option<&[BindingLayout]> {
        // Most layouts number their bindings without gaps.
        match self.bindings.get(binding as usize..) {
            Some(there) if there.first().is_some_and(|p| p.info.binding == binding) => Some(there),
            _ => self.search(binding),
        }
    }

    #[cold]
    #[inline(never)]
    fn search(&self, binding: u32) -> Option<&[BindingLayout]> {
        let found = self
            .bindings
            .binary_search_by_key(&binding, |binding_layout| binding_layout.info.binding);
        self.bindings.get(found.ok()?..)
    }

    pub(super) fn to_abi(&self, dynamic_base: u32) -> abi::SetLayout {
        let bindings = self
            .bindings
            .iter()
            .filter(|binding_layout| binding_layout.info.count > 0)
            .filter_map(|binding_layout| {
                let kind = TypeInfo::from_type(binding_layout.info.kind).abi?;
                let (kind, count) = match binding_layout.storage {
                    Storage::IndirectInline => {
                        let kind = abi::DescriptorKind::InlineUniformBlock;
                        (kind, binding_layout.info.count)
                    }
                    _ => (kind, binding_layout.descriptors()),
                };
                Some(abi::DescriptorBinding {
                    binding: binding_layout.info.binding,
                    kind,
                    count,
                    offset_bytes: binding_layout.offset_bytes,
                    stride_bytes: binding_layout.stride_bytes,
                    samplers: binding_layout.samplers,
                    dynamic_index: dynamic_base + binding_layout.dynamic,
                    static_at_bind: binding_layout.info.static_at_bind && !self.indirect,
                })
            });
        let conversions = self.samplers.iter().flat_map(|fixed| {
            let samplers = (0..).zip(&fixed.samplers);
            samplers.filter_map(|(element, sampler)| {
                Some(abi::ConvertedBinding {
                    binding: fixed.binding,
                    element,
                    conversion: sampler.conversion?,
                })
            })
        });
        abi::SetLayout {
            bindings: bindings.collect(),
            conversions: conversions.collect(),
            indirect: self.indirect,
        }
    }
}

#[cfg(test)]
mod tests;
