//! Layout of descriptors in memory: slots, bindings, sets, samplers.
//!
//! In:  nothing. Out: plain data; the crate's documentation has the contents of each kind of
//!      descriptor.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE", "SAMPLER_STATE".

use crate::heap::{HEAP_BINDING, HeapMappings};
use crate::ycbcr::ConvertedBinding;

/// Bytes of a slot of a descriptor: a surface state, or a sampler state with padding.
pub const DESCRIPTOR_SLOT_BYTES: u32 = 64;

/// Slot of a storage image's or storage texel buffer's descriptor for writes, and for reads
/// without a declared format: such reads are valid only if the data port can read the view's format
/// (Vulkan, "Format Feature Query", STORAGE_READ_WITHOUT_FORMAT).
pub const VIEW_FORMAT_SLOT: u32 = 0;

/// Slot of a storage image's or storage texel buffer's descriptor for reads with a declared
/// format, and for atomics.
pub const TYPED_READ_SLOT: u32 = 1;

/// Kind of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// Uniform buffer.
    UniformBuffer,
    /// Storage buffer.
    StorageBuffer,
    /// Uniform buffer with dynamic offset.
    UniformBufferDynamic,
    /// Storage buffer with dynamic offset.
    StorageBufferDynamic,
    /// Sampler.
    Sampler,
    /// Image that is sampled or fetched.
    SampledImage,
    /// Sampled image with its sampler.
    CombinedImageSampler,
    /// Storage image.
    StorageImage,
    /// Uniform texel buffer.
    UniformTexelBuffer,
    /// Storage texel buffer.
    StorageTexelBuffer,
    /// Input attachment, fetched at the fragment's position.
    InputAttachment,
    /// Inline uniform block in a set with indirect descriptors: [`DescriptorBinding::count`] bytes,
    /// at the binding's offset in the set.
    InlineUniformBlock,
}

/// One binding of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DescriptorBinding {
    /// Binding number.
    pub binding: u32,
    /// Kind.
    pub kind: DescriptorKind,
    /// Array elements.
    pub count: u32,
    /// Byte offset of element 0 in the set's range of the heap; a multiple of
    /// [`DESCRIPTOR_SLOT_BYTES`]. Unused for dynamic buffers.
    pub offset_bytes: u32,
    /// Bytes from one element to the next; a multiple of [`DESCRIPTOR_SLOT_BYTES`]. Unused for
    /// dynamic buffers.
    pub stride_bytes: u32,
    /// Positions of the sampler states. Unused for kinds without samplers.
    pub samplers: SamplerOffsets,
    /// Dynamic buffers: index of element 0 among all dynamic buffers of the pipeline layout.
    pub dynamic_index: u32,
    /// All descriptors are valid, and do not change, from the time when the set is bound, so that
    /// the buffers that they refer to may be pushed.
    pub static_at_bind: bool,
}

impl DescriptorKind {
    /// Number of slots of a descriptor without a conversion, including its sampler.
    pub const fn slots(self) -> u32 {
        match self {
            Self::CombinedImageSampler | Self::StorageImage | Self::StorageTexelBuffer => 2,
            _ => 1,
        }
    }
}

/// Positions of the sampler states of a binding in a set's range of the heap, multiples of
/// [`SAMPLER_PITCH_BYTES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SamplerOffsets {
    /// Byte offset of element 0's sampler state.
    pub offset_bytes: u32,
    /// Bytes from one element's sampler state to the next.
    pub stride_bytes: u32,
}

impl SamplerOffsets {
    /// Byte offset of an element's sampler state.
    pub fn element_offset(&self, element: u32) -> u32 {
        element
            .wrapping_mul(self.stride_bytes)
            .wrapping_add(self.offset_bytes)
    }

    /// Sampler states in the last slots of elements at this offset and stride.
    pub fn in_last_slot(offset_bytes: u32, stride_bytes: u32) -> SamplerOffsets {
        SamplerOffsets {
            offset_bytes: offset_bytes + stride_bytes.saturating_sub(DESCRIPTOR_SLOT_BYTES),
            stride_bytes,
        }
    }
}

/// The bindings of one set, sorted by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SetLayout {
    /// The bindings.
    pub bindings: Vec<DescriptorBinding>,
    /// Combined image samplers with a Y'CbCr conversion, by binding and element.
    pub conversions: Vec<ConvertedBinding>,
    /// The set has indirect descriptors ([`IndirectDescriptor`]) in memory, instead of slots in the
    /// bindless heap. It has no dynamic buffers.
    pub indirect: bool,
}

impl SetLayout {
    /// The set that stands for a heap.
    pub fn heap() -> SetLayout {
        let binding = DescriptorBinding {
            binding: HEAP_BINDING,
            kind: DescriptorKind::SampledImage,
            count: u32::MAX,
            offset_bytes: 0,
            stride_bytes: 1,
            samplers: SamplerOffsets {
                offset_bytes: 0,
                stride_bytes: 1,
            },
            dynamic_index: 0,
            static_at_bind: false,
        };
        SetLayout {
            bindings: vec![binding],
            conversions: Vec::new(),
            indirect: true,
        }
    }
}

/// All sets of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PipelineLayout {
    /// By set number.
    pub sets: Vec<SetLayout>,
    /// Address of the bindless heap minus Dynamic State Base Address, modulo 2^32: added to heap
    /// offsets for sampler handles.
    pub sampler_base_bytes: u32,
    /// High dword of the address of the region of indirect descriptors; the low dword is 0.
    pub indirect_base_high: u32,
    /// Where resources are, if the shader uses descriptor heaps instead of sets.
    pub heap: Option<HeapMappings>,
}

/// An indirect descriptor: four dwords in memory, which shaders load.
///
/// The *handle* of an indirect descriptor is its byte offset in the region of indirect descriptors
/// plus [`IndirectDescriptor::TAG`], which no handle of a surface has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndirectDescriptor {
    /// The descriptor's dwords.
    pub dwords: [u32; Self::BYTES as usize / 4],
}

impl IndirectDescriptor {
    /// Size in bytes, and the alignment of descriptors.
    pub const BYTES: u32 = 16;
    /// Bit of handles that marks them as those of indirect descriptors.
    pub const TAG: u32 = 1;
    /// Dword of an image or texel buffer descriptor with the surface's handle in the bindless heap.
    /// Storage images have two surfaces there, and images with a conversion one for each plane, a
    /// slot apart.
    pub const SURFACE_DWORD: u32 = 0;
    /// Dword of a sampler or combined image sampler descriptor with the sampler's handle. With a
    /// multi-planar conversion, the state for the chroma planes is a slot in front of it.
    pub const SAMPLER_DWORD: u32 = 1;
    /// First of two dwords of a buffer descriptor with the buffer's address.
    pub const ADDRESS_DWORD: u32 = 0;
    /// Dword of a buffer descriptor with the buffer's size in bytes.
    pub const SIZE_DWORD: u32 = 2;
    /// Offset in the region of bytes that are always zero; out-of-bounds reads go there.
    pub const ZEROS_OFFSET: u32 = 0;
    /// Offset in the region of bytes that nothing reads; out-of-bounds writes go there.
    pub const DISCARD_OFFSET: u32 = 4096;
    /// Offset in the region of the first set.
    pub const FIRST_SET_OFFSET: u32 = 2 * 4096;

    /// The descriptor of a buffer.
    pub const fn buffer(address: u64, bytes: u32) -> IndirectDescriptor {
        IndirectDescriptor {
            dwords: [address as u32, (address >> 32) as u32, bytes, 0],
        }
    }

    /// The descriptor of an image, with a sampler if it is a combined image sampler; for a sampler
    /// alone, `surface` is 0.
    pub const fn image(surface: u32, sampler: u32) -> IndirectDescriptor {
        IndirectDescriptor {
            dwords: [surface, sampler, 0, 0],
        }
    }
}

/// Dword of a buffer's RENDER_SURFACE_STATE in which the driver stores the buffer's size in bytes.
pub const SURFACE_BYTES_DWORD: usize = 12;

/// Dword of a buffer's RENDER_SURFACE_STATE with the low half of its address; the high half
/// follows. Shaders load the address for 64-bit atomics.
pub const SURFACE_ADDRESS_DWORD: usize = 8;

/// The table of samplers that messages without a header select by index: consecutive states of
/// [`SAMPLER_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerTable {
    /// Number of the set.
    pub set: u32,
    /// Offset of sampler 0 from Dynamic State Base Address, minus the heap offset of the set's
    /// first descriptor, modulo 2^32; a multiple of 32.
    pub offset_bytes: u32,
}

/// Bytes of a SAMPLER_STATE.
pub const SAMPLER_BYTES: u32 = 16;

/// Alignment of sampler states: pointers to them, in a message's header or in state packets, omit
/// the low bits.
/// Ref: SKL PRM vol. 7, "Sampling Engine: Message Header"; vol. 2a, 3DSTATE_SAMPLER_STATE_POINTERS.
pub const SAMPLER_PITCH_BYTES: u32 = 32;

/// Number of samplers that a message can select by index.
pub const MAX_INDEXED_SAMPLERS: u32 = 16;
