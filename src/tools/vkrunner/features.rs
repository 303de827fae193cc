//! Features a script can require: the members of VkPhysicalDeviceFeatures, and of extensions'
//! structures.

use ash::vk::StructureType;

/// The members of VkPhysicalDeviceFeatures, in order (Vulkan, "Features").
pub const CORE: [&str; 55] = [
    "robustBufferAccess",
    "fullDrawIndexUint32",
    "imageCubeArray",
    "independentBlend",
    "geometryShader",
    "tessellationShader",
    "sampleRateShading",
    "dualSrcBlend",
    "logicOp",
    "multiDrawIndirect",
    "drawIndirectFirstInstance",
    "depthClamp",
    "depthBiasClamp",
    "fillModeNonSolid",
    "depthBounds",
    "wideLines",
    "largePoints",
    "alphaToOne",
    "multiViewport",
    "samplerAnisotropy",
    "textureCompressionETC2",
    "textureCompressionASTC_LDR",
    "textureCompressionBC",
    "occlusionQueryPrecise",
    "pipelineStatisticsQuery",
    "vertexPipelineStoresAndAtomics",
    "fragmentStoresAndAtomics",
    "shaderTessellationAndGeometryPointSize",
    "shaderImageGatherExtended",
    "shaderStorageImageExtendedFormats",
    "shaderStorageImageMultisample",
    "shaderStorageImageReadWithoutFormat",
    "shaderStorageImageWriteWithoutFormat",
    "shaderUniformBufferArrayDynamicIndexing",
    "shaderSampledImageArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageImageArrayDynamicIndexing",
    "shaderClipDistance",
    "shaderCullDistance",
    "shaderFloat64",
    "shaderInt64",
    "shaderInt16",
    "shaderResourceResidency",
    "shaderResourceMinLod",
    "sparseBinding",
    "sparseResidencyBuffer",
    "sparseResidencyImage2D",
    "sparseResidencyImage3D",
    "sparseResidency2Samples",
    "sparseResidency4Samples",
    "sparseResidency8Samples",
    "sparseResidency16Samples",
    "sparseResidencyAliased",
    "variableMultisampleRate",
    "inheritedQueries",
];

/// An extension with a structure of VkBool32 features.
pub struct ExtensionFeatures {
    /// Extension.
    pub extension: &'static str,
    /// `sType` of its structure.
    pub structure: StructureType,
    /// Members, in the structure's order.
    pub members: &'static [&'static str],
}

/// Structure types of extensions that are newer than the definitions of ash.
trait NewerTypes {
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
}

impl NewerTypes for StructureType {}

macro_rules! extensions {
    ($($name:literal $structure:ident [$($member:ident)*];)*) => {
        /// The table.
        pub static EXTENSIONS: &[ExtensionFeatures] = &[$(ExtensionFeatures {
            extension: $name,
            structure: StructureType::$structure,
            members: &[$(stringify!($member)),*],
        },)*];
    };
}

extensions! {
    "VK_KHR_16bit_storage" PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES
        [storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16 storageInputOutput16];
    "VK_KHR_8bit_storage" PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES
        [storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8];
    "VK_EXT_astc_decode_mode" PHYSICAL_DEVICE_ASTC_DECODE_FEATURES_EXT [decodeModeSharedExponent];
    "VK_EXT_blend_operation_advanced" PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_FEATURES_EXT
        [advancedBlendCoherentOperations];
    "VK_EXT_buffer_device_address" PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT
        [bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice];
    "VK_NV_compute_shader_derivatives" PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV
        [computeDerivativeGroupQuads computeDerivativeGroupLinear];
    "VK_EXT_conditional_rendering" PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT
        [conditionalRendering inheritedConditionalRendering];
    "VK_NV_corner_sampled_image" PHYSICAL_DEVICE_CORNER_SAMPLED_IMAGE_FEATURES_NV [cornerSampledImage];
    "VK_EXT_descriptor_indexing" PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES
        [shaderInputAttachmentArrayDynamicIndexing shaderUniformTexelBufferArrayDynamicIndexing
         shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
         shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
         shaderStorageImageArrayNonUniformIndexing shaderInputAttachmentArrayNonUniformIndexing
         shaderUniformTexelBufferArrayNonUniformIndexing shaderStorageTexelBufferArrayNonUniformIndexing
         descriptorBindingUniformBufferUpdateAfterBind descriptorBindingSampledImageUpdateAfterBind
         descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
         descriptorBindingUniformTexelBufferUpdateAfterBind descriptorBindingStorageTexelBufferUpdateAfterBind
         descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound
         descriptorBindingVariableDescriptorCount runtimeDescriptorArray];
    "VK_NV_scissor_exclusive" PHYSICAL_DEVICE_EXCLUSIVE_SCISSOR_FEATURES_NV [exclusiveScissor];
    "VK_EXT_shader_atomic_float" PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT
        [shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics
         shaderBufferFloat64AtomicAdd shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd
         shaderSharedFloat64Atomics shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics
         shaderImageFloat32AtomicAdd sparseImageFloat32Atomics sparseImageFloat32AtomicAdd];
    "VK_EXT_shader_atomic_float2" PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT
        [shaderBufferFloat16Atomics shaderBufferFloat16AtomicAdd shaderBufferFloat16AtomicMinMax
         shaderBufferFloat32AtomicMinMax shaderBufferFloat64AtomicMinMax shaderSharedFloat16Atomics
         shaderSharedFloat16AtomicAdd shaderSharedFloat16AtomicMinMax shaderSharedFloat32AtomicMinMax
         shaderSharedFloat64AtomicMinMax shaderImageFloat32AtomicMinMax sparseImageFloat32AtomicMinMax];
    "VK_EXT_shader_image_atomic_int64" PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT
        [shaderImageInt64Atomics sparseImageInt64Atomics];
    "VK_KHR_shader_clock" PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR [shaderSubgroupClock shaderDeviceClock];
    "VK_KHR_shader_float16_int8" PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES [shaderFloat16 shaderInt8];
    "VK_EXT_fragment_density_map" PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_FEATURES_EXT
        [fragmentDensityMap fragmentDensityMapDynamic fragmentDensityMapNonSubsampledImages];
    "VK_KHR_fragment_shader_barycentric" PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR
        [fragmentShaderBarycentric];
    "VK_EXT_inline_uniform_block" PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES
        [inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind];
    "VK_KHR_maintenance4" PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES [maintenance4];
    "VK_EXT_memory_priority" PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT [memoryPriority];
    "VK_NV_mesh_shader" PHYSICAL_DEVICE_MESH_SHADER_FEATURES_NV [taskShader meshShader];
    "VK_KHR_multiview" PHYSICAL_DEVICE_MULTIVIEW_FEATURES
        [multiview multiviewGeometryShader multiviewTessellationShader];
    "VK_NV_representative_fragment_test" PHYSICAL_DEVICE_REPRESENTATIVE_FRAGMENT_TEST_FEATURES_NV
        [representativeFragmentTest];
    "VK_KHR_sampler_ycbcr_conversion" PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES [samplerYcbcrConversion];
    "VK_EXT_scalar_block_layout" PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES [scalarBlockLayout];
    "VK_KHR_shader_atomic_int64" PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES
        [shaderBufferInt64Atomics shaderSharedInt64Atomics];
    "VK_NV_shader_image_footprint" PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV [imageFootprint];
    "VK_NV_shading_rate_image" PHYSICAL_DEVICE_SHADING_RATE_IMAGE_FEATURES_NV
        [shadingRateImage shadingRateCoarseSampleOrder];
    "VK_KHR_workgroup_memory_explicit_layout" PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR
        [workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout
         workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess];
    "VK_KHR_shader_subgroup_rotate" PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR
        [shaderSubgroupRotate shaderSubgroupRotateClustered];
    "VK_KHR_shader_float_controls2" PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR [shaderFloatControls2];
    "VK_KHR_shader_expect_assume" PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR [shaderExpectAssume];
    "VK_KHR_shader_maximal_reconvergence" PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR
        [shaderMaximalReconvergence];
    "VK_KHR_shader_quad_control" PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR [shaderQuadControl];
    "VK_EXT_shader_uniform_buffer_unsized_array" PHYSICAL_DEVICE_SHADER_UNIFORM_BUFFER_UNSIZED_ARRAY_FEATURES_EXT
        [shaderUniformBufferUnsizedArray];
    "VK_KHR_shader_untyped_pointers" PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR [shaderUntypedPointers];
    "VK_KHR_shader_constant_data" PHYSICAL_DEVICE_SHADER_CONSTANT_DATA_FEATURES_KHR [shaderConstantData];
    "VK_KHR_shader_fma" PHYSICAL_DEVICE_SHADER_FMA_FEATURES_KHR [shaderFmaFloat16 shaderFmaFloat32 shaderFmaFloat64];
    "VK_KHR_shader_relaxed_extended_instruction" PHYSICAL_DEVICE_SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR
        [shaderRelaxedExtendedInstruction];
    "VK_EXT_shader_replicated_composites" PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT
        [shaderReplicatedComposites];
    "VK_KHR_shader_integer_dot_product" PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES [shaderIntegerDotProduct];
    "VK_KHR_shader_subgroup_extended_types" PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES
        [shaderSubgroupExtendedTypes];
    "VK_KHR_shader_subgroup_uniform_control_flow" PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR
        [shaderSubgroupUniformControlFlow];
    "VK_KHR_uniform_buffer_standard_layout" PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES
        [uniformBufferStandardLayout];
    "VK_KHR_workgroup_memory_explicit_layout" PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR
        [workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout
         workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess];
    "VK_KHR_zero_initialize_workgroup_memory" PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES
        [shaderZeroInitializeWorkgroupMemory];
    "VK_EXT_transform_feedback" PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT [transformFeedback geometryStreams];
    "VK_KHR_variable_pointers" PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES
        [variablePointersStorageBuffer variablePointers];
    "VK_EXT_vertex_attribute_divisor" PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_KHR
        [vertexAttributeInstanceRateDivisor vertexAttributeInstanceRateZeroDivisor];
    "VK_KHR_vulkan_memory_model" PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES
        [vulkanMemoryModel vulkanMemoryModelDeviceScope vulkanMemoryModelAvailabilityVisibilityChains];
}

/// Device extensions that another must be enabled with (each extension's chapter "Extension and
/// Version Dependencies").
pub fn required_by(extension: &str) -> &'static [&'static str] {
    match extension {
        "VK_KHR_8bit_storage" | "VK_KHR_16bit_storage" | "VK_KHR_variable_pointers" => {
            &["VK_KHR_storage_buffer_storage_class"]
        }
        "VK_EXT_shader_atomic_float2" => &["VK_EXT_shader_atomic_float"],
        "VK_EXT_descriptor_indexing" => &["VK_KHR_maintenance3"],
        "VK_KHR_shader_float_controls2" => &["VK_KHR_shader_float_controls"],
        "VK_KHR_shader_quad_control" => &[
            "VK_KHR_shader_maximal_reconvergence",
            "VK_KHR_vulkan_memory_model",
        ],
        "VK_KHR_shader_relaxed_extended_instruction" => &["VK_KHR_shader_non_semantic_info"],
        "VK_EXT_inline_uniform_block" => &["VK_KHR_maintenance1"],
        "VK_KHR_sampler_ycbcr_conversion" => &[
            "VK_KHR_maintenance1",
            "VK_KHR_bind_memory2",
            "VK_KHR_get_memory_requirements2",
        ],
        _ => &[],
    }
}

/// Finds an extension feature by its member name: (row, member).
pub fn extension_feature(name: &str) -> Option<(usize, usize)> {
    EXTENSIONS.iter().enumerate().find_map(|(row, e)| {
        let member = e.members.iter().position(|m| *m == name)?;
        Some((row, member))
    })
}
