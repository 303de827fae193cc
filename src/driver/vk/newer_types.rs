//! Structure types that are newer than the definitions of ash.
//!
//! Ref: the registry (vk.xml), which a test of `icd` checks them against.

use ash::vk::{BufferUsageFlags, StructureType};

/// `VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT`.
pub(crate) const DESCRIPTOR_HEAP_USAGE: BufferUsageFlags = BufferUsageFlags::from_raw(1 << 28);

/// The types, as constants of [`StructureType`].
pub(crate) trait NewerTypes {
    const PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_135_009);
    const PHYSICAL_DEVICE_VULKAN_1_4_FEATURES: StructureType = StructureType::from_raw(55);
    const PHYSICAL_DEVICE_SHADER_UNIFORM_BUFFER_UNSIZED_ARRAY_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_642_000);
    const PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_387_000);
    const PHYSICAL_DEVICE_SHADER_CONSTANT_DATA_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_231_000);
    const PHYSICAL_DEVICE_SHADER_FMA_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_579_000);
    const PHYSICAL_DEVICE_SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_558_000);
    const PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_564_000);
    const PHYSICAL_DEVICE_DEPTH_CLAMP_CONTROL_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_582_000);
    const PHYSICAL_DEVICE_INTERNALLY_SYNCHRONIZED_QUEUES_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_504_000);
    const PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_483_000);
    const PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_562_000);
    const PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_574_000);
    const PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_584_000);
    const PHYSICAL_DEVICE_MAINTENANCE_10_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_630_000);
    const PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_657_000);
    const PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_495_000);
    const PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_549_000);
    const PHYSICAL_DEVICE_DEVICE_ADDRESS_COMMANDS_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_318_006);
    const PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_479_002);
    const PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_208_000);
    const PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR: StructureType =
        StructureType::from_raw(1_000_480_001);
    const PHYSICAL_DEVICE_IMAGE_ALIGNMENT_CONTROL_FEATURES_MESA: StructureType =
        StructureType::from_raw(1_000_575_000);
    const PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT: StructureType =
        StructureType::from_raw(1_000_678_000);
}

impl NewerTypes for StructureType {}
