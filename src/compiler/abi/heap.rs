//! Descriptor heaps: how the resources of a shader without descriptor sets refer to them.
//!
//! In:  nothing. Out: plain data.
//!
//! A bound heap takes the place of a set with indirect descriptors: [`RESOURCE_HEAP_SET`] and
//! [`SAMPLER_HEAP_SET`] have one binding, [`HEAP_BINDING`], whose elements are one byte apart. So
//! the index of a descriptor is its byte offset in the heap. Embedded samplers are the bindings of
//! a third set, [`HeapMappings::embedded_set`].
//! Ref: VK_EXT_descriptor_heap, "Shader Bindings".

/// Number of the set that stands for the resource heap.
pub const RESOURCE_HEAP_SET: u32 = 0;
/// Number of the set that stands for the sampler heap.
pub const SAMPLER_HEAP_SET: u32 = 1;
/// The binding of both.
pub const HEAP_BINDING: u32 = 0;

/// Where the resources of a shader are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HeapMappings {
    /// The mappings, the first match counts.
    pub mappings: Vec<HeapMapping>,
    /// Number of the set of embedded samplers.
    pub embedded_set: u32,
    /// High dword of the addresses of heaps.
    pub base_high: u32,
}

/// Where resources with a range of binding numbers are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeapMapping {
    /// `DescriptorSet`.
    pub set: u32,
    /// First `Binding`.
    pub first_binding: u32,
    /// Number of consecutive `Binding`s.
    pub binding_count: u32,
    /// Mask of [`resource_type`] bits.
    pub resources: u32,
    /// Where they are.
    pub source: MappingSource,
}

/// Types of resources, the bits of `VkSpirvResourceTypeFlagBitsEXT`.
pub mod resource_type {
    /// Sampler.
    pub const SAMPLER: u32 = 1 << 0;
    /// Image that is sampled or fetched.
    pub const SAMPLED_IMAGE: u32 = 1 << 1;
    /// Storage image that is not written.
    pub const READ_ONLY_IMAGE: u32 = 1 << 2;
    /// Other storage image.
    pub const READ_WRITE_IMAGE: u32 = 1 << 3;
    /// Image with its sampler.
    pub const COMBINED_SAMPLED_IMAGE: u32 = 1 << 4;
    /// Uniform buffer.
    pub const UNIFORM_BUFFER: u32 = 1 << 5;
    /// Storage buffer that is not written.
    pub const READ_ONLY_STORAGE_BUFFER: u32 = 1 << 6;
    /// Other storage buffer.
    pub const READ_WRITE_STORAGE_BUFFER: u32 = 1 << 7;
}

/// Where a resource is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MappingSource {
    /// A descriptor in a heap.
    Descriptor {
        /// The descriptor of a resource that is not a combined image sampler.
        alone: HeapOffset,
        /// The descriptors of the image and of the sampler of a combined image sampler.
        combined: [HeapOffset; 2],
        /// Binding of the embedded sampler that replaces the sampler, in
        /// [`HeapMappings::embedded_set`].
        embedded: Option<u32>,
    },
    /// A uniform buffer in the resource heap.
    HeapData {
        /// Byte offset in the heap.
        offset_bytes: u32,
        /// Offset in push data of a dword that is added, in bytes.
        push_offset_bytes: u32,
    },
    /// A uniform buffer in push data.
    PushData {
        /// Byte offset in push data.
        offset_bytes: u32,
    },
    /// A buffer at an address in push data.
    PushAddress {
        /// Byte offset of the address in push data.
        push_offset_bytes: u32,
    },
    /// A buffer at an address in memory.
    IndirectAddress {
        /// Byte offset in push data of the address of that memory.
        push_offset_bytes: u32,
        /// Byte offset of the buffer's address in that memory.
        address_offset_bytes: u32,
    },
}

/// The byte offset of a descriptor in its heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HeapOffset {
    /// Constant part, in bytes.
    pub offset_bytes: u32,
    /// Bytes from one binding number or array element to the next.
    pub array_stride_bytes: u32,
    /// An index that the shader reads.
    pub index: Option<HeapIndex>,
}

/// An index of a descriptor that shaders read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeapIndex {
    /// Where its dword is.
    pub location: IndexLocation,
    /// First bit of the index in the dword.
    pub first_bit: u8,
    /// Number of bits.
    pub bits: u8,
    /// Bytes for each step of the index.
    pub stride_bytes: u32,
}

/// Where the dword with an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexLocation {
    /// In push data.
    Push {
        /// Byte offset in push data.
        offset_bytes: u32,
    },
    /// In memory.
    Memory {
        /// Byte offset of the memory's address in push data.
        push_offset_bytes: u32,
        /// Byte offset of the dword in that memory.
        address_offset_bytes: u32,
        /// There is a dword for each binding number and array element.
        is_array: bool,
    },
}
