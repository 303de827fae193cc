//! Structures of VK_EXT_descriptor_heap, and the range of addresses that it shares with
//! VK_KHR_device_address_commands.
//!
//! Ref: the registry (vk.xml), which a test checks them against.

use std::ffi::c_void;
use std::marker::PhantomData;

use ash::vk::*;

/// `VkDeviceAddressRangeKHR`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceAddressRangeKHR {
    pub address: DeviceAddress,
    pub size: DeviceSize,
}

impl DeviceAddressRangeKHR {
    /// Its size in bytes: none without an address.
    pub fn bytes_there(&self) -> u64 {
        if self.address == 0 { 0 } else { self.size }
    }
}

/// `VkHostAddressRangeEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostAddressRangeEXT {
    pub address: *mut c_void,
    pub size: usize,
}

/// `VkHostAddressRangeConstEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostAddressRangeConstEXT {
    pub address: *const c_void,
    pub size: usize,
}

/// `VkTexelBufferDescriptorInfoEXT`.
#[repr(C)]
pub struct TexelBufferDescriptorInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub format: Format,
    pub address_range: DeviceAddressRangeKHR,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkImageDescriptorInfoEXT`.
#[repr(C)]
pub struct ImageDescriptorInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub p_view: *const ImageViewCreateInfo<'a>,
    pub layout: ImageLayout,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkResourceDescriptorDataEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ResourceDescriptorDataEXT<'a> {
    pub p_image: *const ImageDescriptorInfoEXT<'a>,
    pub p_texel_buffer: *const TexelBufferDescriptorInfoEXT<'a>,
    pub p_address_range: *const DeviceAddressRangeKHR,
}

/// `VkResourceDescriptorInfoEXT`.
#[repr(C)]
pub struct ResourceDescriptorInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub r#type: DescriptorType,
    pub data: ResourceDescriptorDataEXT<'a>,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkBindHeapInfoEXT`.
#[repr(C)]
pub struct BindHeapInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub heap_range: DeviceAddressRangeKHR,
    pub reserved_range_offset: DeviceSize,
    pub reserved_range_size: DeviceSize,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkPushDataInfoEXT`.
#[repr(C)]
pub struct PushDataInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub offset: u32,
    pub data: HostAddressRangeConstEXT,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkDescriptorMappingSourceConstantOffsetEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DescriptorMappingSourceConstantOffsetEXT<'a> {
    pub heap_offset: u32,
    pub heap_array_stride: u32,
    pub p_embedded_sampler: *const SamplerCreateInfo<'a>,
    pub sampler_heap_offset: u32,
    pub sampler_heap_array_stride: u32,
}

/// `VkDescriptorMappingSourcePushIndexEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DescriptorMappingSourcePushIndexEXT<'a> {
    pub heap_offset: u32,
    pub push_offset: u32,
    pub heap_index_stride: u32,
    pub heap_array_stride: u32,
    pub p_embedded_sampler: *const SamplerCreateInfo<'a>,
    pub use_combined_image_sampler_index: Bool32,
    pub sampler_heap_offset: u32,
    pub sampler_push_offset: u32,
    pub sampler_heap_index_stride: u32,
    pub sampler_heap_array_stride: u32,
}

/// `VkDescriptorMappingSourceIndirectIndexEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DescriptorMappingSourceIndirectIndexEXT<'a> {
    pub heap_offset: u32,
    pub push_offset: u32,
    pub address_offset: u32,
    pub heap_index_stride: u32,
    pub heap_array_stride: u32,
    pub p_embedded_sampler: *const SamplerCreateInfo<'a>,
    pub use_combined_image_sampler_index: Bool32,
    pub sampler_heap_offset: u32,
    pub sampler_push_offset: u32,
    pub sampler_address_offset: u32,
    pub sampler_heap_index_stride: u32,
    pub sampler_heap_array_stride: u32,
}

/// `VkDescriptorMappingSourceIndirectIndexArrayEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DescriptorMappingSourceIndirectIndexArrayEXT<'a> {
    pub heap_offset: u32,
    pub push_offset: u32,
    pub address_offset: u32,
    pub heap_index_stride: u32,
    pub p_embedded_sampler: *const SamplerCreateInfo<'a>,
    pub use_combined_image_sampler_index: Bool32,
    pub sampler_heap_offset: u32,
    pub sampler_push_offset: u32,
    pub sampler_address_offset: u32,
    pub sampler_heap_index_stride: u32,
}

/// `VkDescriptorMappingSourceHeapDataEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DescriptorMappingSourceHeapDataEXT {
    pub heap_offset: u32,
    pub push_offset: u32,
}

/// `VkDescriptorMappingSourceIndirectAddressEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DescriptorMappingSourceIndirectAddressEXT {
    pub push_offset: u32,
    pub address_offset: u32,
}

/// `VkDescriptorMappingSourceDataEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union DescriptorMappingSourceDataEXT<'a> {
    pub constant_offset: DescriptorMappingSourceConstantOffsetEXT<'a>,
    pub push_index: DescriptorMappingSourcePushIndexEXT<'a>,
    pub indirect_index: DescriptorMappingSourceIndirectIndexEXT<'a>,
    pub indirect_index_array: DescriptorMappingSourceIndirectIndexArrayEXT<'a>,
    pub heap_data: DescriptorMappingSourceHeapDataEXT,
    pub push_data_offset: u32,
    pub push_address_offset: u32,
    pub indirect_address: DescriptorMappingSourceIndirectAddressEXT,
}

/// `VkDescriptorSetAndBindingMappingEXT`.
#[repr(C)]
pub struct DescriptorSetAndBindingMappingEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub descriptor_set: u32,
    pub first_binding: u32,
    pub binding_count: u32,
    pub resource_mask: u32,
    pub source: i32,
    pub source_data: DescriptorMappingSourceDataEXT<'a>,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkShaderDescriptorSetAndBindingMappingInfoEXT`.
#[repr(C)]
pub struct ShaderDescriptorSetAndBindingMappingInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub mapping_count: u32,
    pub p_mappings: *const DescriptorSetAndBindingMappingEXT<'a>,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for ShaderDescriptorSetAndBindingMappingInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_135_006);
}

/// `VkPhysicalDeviceDescriptorHeapPropertiesEXT`.
#[repr(C)]
pub struct PhysicalDeviceDescriptorHeapPropertiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub sampler_heap_alignment: DeviceSize,
    pub resource_heap_alignment: DeviceSize,
    pub max_sampler_heap_size: DeviceSize,
    pub max_resource_heap_size: DeviceSize,
    pub min_sampler_heap_reserved_range: DeviceSize,
    pub min_sampler_heap_reserved_range_with_embedded: DeviceSize,
    pub min_resource_heap_reserved_range: DeviceSize,
    pub sampler_descriptor_size: DeviceSize,
    pub image_descriptor_size: DeviceSize,
    pub buffer_descriptor_size: DeviceSize,
    pub sampler_descriptor_alignment: DeviceSize,
    pub image_descriptor_alignment: DeviceSize,
    pub buffer_descriptor_alignment: DeviceSize,
    pub max_push_data_size: DeviceSize,
    pub image_capture_replay_opaque_data_size: usize,
    pub max_descriptor_heap_embedded_samplers: u32,
    pub sampler_ycbcr_conversion_count: u32,
    pub sparse_descriptor_heaps: Bool32,
    pub protected_descriptor_heaps: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceDescriptorHeapPropertiesEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_135_008);
}

/// `VkCommandBufferInheritanceDescriptorHeapInfoEXT`.
#[repr(C)]
pub struct CommandBufferInheritanceDescriptorHeapInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub p_sampler_heap_bind_info: *const BindHeapInfoEXT<'a>,
    pub p_resource_heap_bind_info: *const BindHeapInfoEXT<'a>,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for CommandBufferInheritanceDescriptorHeapInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_135_010);
}

/// `VkDescriptorMappingSourceEXT`.
pub mod descriptor_mapping_source {
    pub const HEAP_WITH_CONSTANT_OFFSET: i32 = 0;
    pub const HEAP_WITH_PUSH_INDEX: i32 = 1;
    pub const HEAP_WITH_INDIRECT_INDEX: i32 = 2;
    pub const HEAP_WITH_INDIRECT_INDEX_ARRAY: i32 = 3;
    pub const RESOURCE_HEAP_DATA: i32 = 4;
    pub const PUSH_DATA: i32 = 5;
    pub const PUSH_ADDRESS: i32 = 6;
    pub const INDIRECT_ADDRESS: i32 = 7;
}

/// `VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT`.
pub const PIPELINE_DESCRIPTOR_HEAP: PipelineCreateFlags2KHR =
    PipelineCreateFlags2KHR::from_raw(1 << 36);

/// `VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT`.
pub const SHADER_DESCRIPTOR_HEAP: ShaderCreateFlagsEXT = ShaderCreateFlagsEXT::from_raw(1 << 10);
