//! Features: the feature structures, and the features that the device supports.
//!
//! Two tables. [`STRUCTURES`] is the registry's: every structure of core versions and listed
//! extensions, with its members in order. [`OFFERED`] is ours: each feature once, however many
//! structures contain it, with a file that demonstrates it. A feature that is not in the second
//! table is reported as false, and enabling it is an error.
//! Ref: Vulkan specification, "Features"; the registry (vk.xml), which a test of `icd` checks both
//!      tables against.

use ash::vk::{Bool32, FALSE, StructureType, TRUE};
use hw::{Cap, Device, Wa};

use crate::error::{Error, Result};
use crate::newer_types::NewerTypes;

/// A feature structure: `sType`, `pNext`, and a `VkBool32` for each member.
#[derive(Clone, Copy, Debug)]
pub struct FeatureStructure {
    /// Its `sType`.
    pub s_type: StructureType,
    /// Names of its members, in order.
    pub members: &'static [&'static str],
}

macro_rules! structures {
    ($($s_type:ident [$($member:ident)*];)*) => {
        /// The structures: core versions first, then extensions.
        pub static STRUCTURES: &[FeatureStructure] = &[$(FeatureStructure {
            s_type: StructureType::$s_type,
            members: &[$(stringify!($member)),*],
        },)*];
    };
}

structures! {
    PHYSICAL_DEVICE_FEATURES_2 [
        robustBufferAccess fullDrawIndexUint32 imageCubeArray independentBlend geometryShader tessellationShader
        sampleRateShading dualSrcBlend logicOp multiDrawIndirect drawIndirectFirstInstance depthClamp depthBiasClamp
        fillModeNonSolid depthBounds wideLines largePoints alphaToOne multiViewport samplerAnisotropy
        textureCompressionETC2 textureCompressionASTC_LDR textureCompressionBC occlusionQueryPrecise
        pipelineStatisticsQuery vertexPipelineStoresAndAtomics fragmentStoresAndAtomics
        shaderTessellationAndGeometryPointSize shaderImageGatherExtended shaderStorageImageExtendedFormats
        shaderStorageImageMultisample shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat
        shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
        shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing shaderClipDistance
        shaderCullDistance shaderFloat64 shaderInt64 shaderInt16 shaderResourceResidency shaderResourceMinLod
        sparseBinding sparseResidencyBuffer sparseResidencyImage2D sparseResidencyImage3D sparseResidency2Samples
        sparseResidency4Samples sparseResidency8Samples sparseResidency16Samples sparseResidencyAliased
        variableMultisampleRate inheritedQueries
    ];
    PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES [variablePointersStorageBuffer variablePointers];
    PHYSICAL_DEVICE_MULTIVIEW_FEATURES [multiview multiviewGeometryShader multiviewTessellationShader];
    PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES [
        storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16 storageInputOutput16
    ];
    PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES [samplerYcbcrConversion];
    PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES [protectedMemory];
    PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES [shaderDrawParameters];
    PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES [
        vulkanMemoryModel vulkanMemoryModelDeviceScope vulkanMemoryModelAvailabilityVisibilityChains
    ];
    PHYSICAL_DEVICE_VULKAN_1_1_FEATURES [
        storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16 storageInputOutput16
        multiview multiviewGeometryShader multiviewTessellationShader variablePointersStorageBuffer variablePointers
        protectedMemory samplerYcbcrConversion shaderDrawParameters
    ];
    PHYSICAL_DEVICE_VULKAN_1_2_FEATURES [
        samplerMirrorClampToEdge drawIndirectCount storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess
        storagePushConstant8 shaderBufferInt64Atomics shaderSharedInt64Atomics shaderFloat16 shaderInt8
        descriptorIndexing shaderInputAttachmentArrayDynamicIndexing shaderUniformTexelBufferArrayDynamicIndexing
        shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
        shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
        shaderStorageImageArrayNonUniformIndexing shaderInputAttachmentArrayNonUniformIndexing
        shaderUniformTexelBufferArrayNonUniformIndexing shaderStorageTexelBufferArrayNonUniformIndexing
        descriptorBindingUniformBufferUpdateAfterBind descriptorBindingSampledImageUpdateAfterBind
        descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
        descriptorBindingUniformTexelBufferUpdateAfterBind descriptorBindingStorageTexelBufferUpdateAfterBind
        descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound
        descriptorBindingVariableDescriptorCount runtimeDescriptorArray samplerFilterMinmax scalarBlockLayout
        imagelessFramebuffer uniformBufferStandardLayout shaderSubgroupExtendedTypes separateDepthStencilLayouts
        hostQueryReset timelineSemaphore bufferDeviceAddress bufferDeviceAddressCaptureReplay
        bufferDeviceAddressMultiDevice vulkanMemoryModel vulkanMemoryModelDeviceScope
        vulkanMemoryModelAvailabilityVisibilityChains shaderOutputViewportIndex shaderOutputLayer
        subgroupBroadcastDynamicId
    ];
    PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES [shaderSubgroupExtendedTypes];
    PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES [shaderFloat16 shaderInt8];
    PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES [hostQueryReset];
    PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES [
        shaderInputAttachmentArrayDynamicIndexing shaderUniformTexelBufferArrayDynamicIndexing
        shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
        shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
        shaderStorageImageArrayNonUniformIndexing shaderInputAttachmentArrayNonUniformIndexing
        shaderUniformTexelBufferArrayNonUniformIndexing shaderStorageTexelBufferArrayNonUniformIndexing
        descriptorBindingUniformBufferUpdateAfterBind descriptorBindingSampledImageUpdateAfterBind
        descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
        descriptorBindingUniformTexelBufferUpdateAfterBind descriptorBindingStorageTexelBufferUpdateAfterBind
        descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound
        descriptorBindingVariableDescriptorCount runtimeDescriptorArray
    ];
    PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES [timelineSemaphore];
    PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES [
        storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8
    ];
    PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES [shaderBufferInt64Atomics shaderSharedInt64Atomics];
    PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES [scalarBlockLayout];
    PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES [uniformBufferStandardLayout];
    PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES [
        bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice
    ];
    PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES [imagelessFramebuffer];
    PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES [separateDepthStencilLayouts];
    PHYSICAL_DEVICE_VULKAN_1_3_FEATURES [
        robustImageAccess inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind
        pipelineCreationCacheControl privateData shaderDemoteToHelperInvocation shaderTerminateInvocation
        subgroupSizeControl computeFullSubgroups synchronization2 textureCompressionASTC_HDR
        shaderZeroInitializeWorkgroupMemory dynamicRendering shaderIntegerDotProduct maintenance4
    ];
    PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES [privateData];
    PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES [
        inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind
    ];
    PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES [maintenance4];
    PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES [textureCompressionASTC_HDR];
    PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES [shaderDemoteToHelperInvocation];
    PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES [subgroupSizeControl computeFullSubgroups];
    PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES [pipelineCreationCacheControl];
    PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES [shaderZeroInitializeWorkgroupMemory];
    PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES [robustImageAccess];
    PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES [shaderTerminateInvocation];
    PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES [synchronization2];
    PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES [shaderIntegerDotProduct];
    PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES [dynamicRendering];
    PHYSICAL_DEVICE_VULKAN_1_4_FEATURES [
        globalPriorityQuery shaderSubgroupRotate shaderSubgroupRotateClustered shaderFloatControls2 shaderExpectAssume
        rectangularLines bresenhamLines smoothLines stippledRectangularLines stippledBresenhamLines stippledSmoothLines
        vertexAttributeInstanceRateDivisor vertexAttributeInstanceRateZeroDivisor indexTypeUint8
        dynamicRenderingLocalRead maintenance5 maintenance6 pipelineProtectedAccess pipelineRobustness hostImageCopy
        pushDescriptor
    ];
    PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR [shaderSubgroupRotate shaderSubgroupRotateClustered];
    PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR [shaderFloatControls2];
    PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR [shaderExpectAssume];
    PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR [dynamicRenderingLocalRead];
    PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR [maintenance5];
    PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR [maintenance6];
    PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT [
        descriptorBuffer descriptorBufferCaptureReplay descriptorBufferImageLayoutIgnored
        descriptorBufferPushDescriptors
    ];
    PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT [descriptorHeap descriptorHeapCaptureReplay];
    PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR [maintenance7];
    PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR [maintenance8];
    PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR [maintenance9];
    PHYSICAL_DEVICE_MAINTENANCE_10_FEATURES_KHR [maintenance10];
    PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR [maintenance11];
    PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR [pipelineBinaries];
    PHYSICAL_DEVICE_PIPELINE_PROTECTED_ACCESS_FEATURES_EXT [pipelineProtectedAccess];
    PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT [pipelineRobustness];
    PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT [hostImageCopy];
    PHYSICAL_DEVICE_MAP_MEMORY_PLACED_FEATURES_EXT [memoryMapPlaced memoryMapRangePlaced memoryUnmapReserve];
    PHYSICAL_DEVICE_DEVICE_MEMORY_REPORT_FEATURES_EXT [deviceMemoryReport];
    PHYSICAL_DEVICE_ADDRESS_BINDING_REPORT_FEATURES_EXT [reportAddressBinding];
    PHYSICAL_DEVICE_INTERNALLY_SYNCHRONIZED_QUEUES_FEATURES_KHR [internallySynchronizedQueues];
    PHYSICAL_DEVICE_IMAGE_ALIGNMENT_CONTROL_FEATURES_MESA [imageAlignmentControl];
    PHYSICAL_DEVICE_YCBCR_IMAGE_ARRAYS_FEATURES_EXT [ycbcrImageArrays];
    PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT [
        shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics
        shaderBufferFloat64AtomicAdd shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd
        shaderSharedFloat64Atomics shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics shaderImageFloat32AtomicAdd
        sparseImageFloat32Atomics sparseImageFloat32AtomicAdd
    ];
    PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT [
        shaderBufferFloat16Atomics shaderBufferFloat16AtomicAdd shaderBufferFloat16AtomicMinMax
        shaderBufferFloat32AtomicMinMax shaderBufferFloat64AtomicMinMax shaderSharedFloat16Atomics
        shaderSharedFloat16AtomicAdd shaderSharedFloat16AtomicMinMax shaderSharedFloat32AtomicMinMax
        shaderSharedFloat64AtomicMinMax shaderImageFloat32AtomicMinMax sparseImageFloat32AtomicMinMax
    ];
    PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT [shaderImageInt64Atomics sparseImageInt64Atomics];
    PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT [formatA4R4G4B4 formatA4B4G4R4];
    PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT [attachmentFeedbackLoopLayout];
    PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_FEATURES_EXT [attachmentFeedbackLoopDynamicState];
    PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT [borderColorSwizzle borderColorSwizzleFromImage];
    PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT [customBorderColors customBorderColorWithoutFormat];
    PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT [image2DViewOf3D sampler2DViewOf3D];
    PHYSICAL_DEVICE_IMAGE_VIEW_MIN_LOD_FEATURES_EXT [minLod];
    PHYSICAL_DEVICE_IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT [imageSlicedViewOf3D];
    PHYSICAL_DEVICE_YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT [ycbcr2plane444Formats];
    PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_FEATURES_KHR [indirectMemoryCopy indirectMemoryToImageCopy];
    PHYSICAL_DEVICE_DEVICE_ADDRESS_COMMANDS_FEATURES_KHR [deviceAddressCommands];
    PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR [presentId2];
    PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR [presentWait2];
    PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT [presentTiming presentAtAbsoluteTime presentAtRelativeTime];
    PHYSICAL_DEVICE_LEGACY_DITHERING_FEATURES_EXT [legacyDithering];
    PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT [legacyVertexAttributes];
    PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT [nonSeamlessCubeMap];
    PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT [robustBufferAccess2 robustImageAccess2 nullDescriptor];
    PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT [mutableDescriptorType];
    PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR [shaderSubgroupClock shaderDeviceClock];
    PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR [pipelineExecutableInfo];
    PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT [texelBufferAlignment];
    PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT [extendedDynamicState];
    PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT [
        extendedDynamicState2 extendedDynamicState2LogicOp extendedDynamicState2PatchControlPoints
    ];
    PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT [
        extendedDynamicState3TessellationDomainOrigin extendedDynamicState3DepthClampEnable
        extendedDynamicState3PolygonMode extendedDynamicState3RasterizationSamples extendedDynamicState3SampleMask
        extendedDynamicState3AlphaToCoverageEnable extendedDynamicState3AlphaToOneEnable
        extendedDynamicState3LogicOpEnable extendedDynamicState3ColorBlendEnable
        extendedDynamicState3ColorBlendEquation extendedDynamicState3ColorWriteMask
        extendedDynamicState3RasterizationStream extendedDynamicState3ConservativeRasterizationMode
        extendedDynamicState3ExtraPrimitiveOverestimationSize extendedDynamicState3DepthClipEnable
        extendedDynamicState3SampleLocationsEnable extendedDynamicState3ColorBlendAdvanced
        extendedDynamicState3ProvokingVertexMode extendedDynamicState3LineRasterizationMode
        extendedDynamicState3LineStippleEnable extendedDynamicState3DepthClipNegativeOneToOne
        extendedDynamicState3ViewportWScalingEnable extendedDynamicState3ViewportSwizzle
        extendedDynamicState3CoverageToColorEnable extendedDynamicState3CoverageToColorLocation
        extendedDynamicState3CoverageModulationMode extendedDynamicState3CoverageModulationTableEnable
        extendedDynamicState3CoverageModulationTable extendedDynamicState3CoverageReductionMode
        extendedDynamicState3RepresentativeFragmentTestEnable extendedDynamicState3ShadingRateImageEnable
    ];
    PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT [conditionalRendering inheritedConditionalRendering];
    PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT [indexTypeUint8];
    PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT [multiDraw];
    PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT [colorWriteEnable];
    PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT [
        vertexAttributeInstanceRateDivisor vertexAttributeInstanceRateZeroDivisor
    ];
    PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT [provokingVertexLast transformFeedbackPreservesProvokingVertex];
    PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT [depthClipEnable];
    PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT [depthClipControl];
    PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_EXT [depthClampZeroOne];
    PHYSICAL_DEVICE_DEPTH_CLAMP_CONTROL_FEATURES_EXT [depthClampControl];
    PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT [
        depthBiasControl leastRepresentableValueForceUnormRepresentation floatRepresentation depthBiasExact
    ];
    PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT [primitiveRestartIndex];
    PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT [vertexInputDynamicState];
    PHYSICAL_DEVICE_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT [dynamicRenderingUnusedAttachments];
    PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT [graphicsPipelineLibrary];
    PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT [
        nestedCommandBuffer nestedCommandBufferRendering nestedCommandBufferSimultaneousUse
    ];
    PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT [
        rectangularLines bresenhamLines smoothLines stippledRectangularLines stippledBresenhamLines stippledSmoothLines
    ];
    PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT [
        primitiveTopologyListRestart primitiveTopologyPatchListRestart
    ];
    PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR [shaderSubgroupUniformControlFlow];
    PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR [shaderMaximalReconvergence];
    PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR [shaderQuadControl];
    PHYSICAL_DEVICE_SHADER_UNIFORM_BUFFER_UNSIZED_ARRAY_FEATURES_EXT [shaderUniformBufferUnsizedArray];
    PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR [shaderUntypedPointers];
    PHYSICAL_DEVICE_SHADER_CONSTANT_DATA_FEATURES_KHR [shaderConstantData];
    PHYSICAL_DEVICE_SHADER_FMA_FEATURES_KHR [shaderFmaFloat16 shaderFmaFloat32 shaderFmaFloat64];
    PHYSICAL_DEVICE_SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR [shaderRelaxedExtendedInstruction];
    PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT [shaderReplicatedComposites];
    PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV [computeDerivativeGroupQuads computeDerivativeGroupLinear];
    PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT [
        bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice
    ];
    PHYSICAL_DEVICE_GLOBAL_PRIORITY_QUERY_FEATURES_KHR [globalPriorityQuery];
    PHYSICAL_DEVICE_SHADER_INTEGER_FUNCTIONS_2_FEATURES_INTEL [shaderIntegerFunctions2];
    PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR [
        workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout
        workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess
    ];
    PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT [shaderObject];
    PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT [shaderModuleIdentifier];
    PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT [
        fragmentShaderSampleInterlock fragmentShaderPixelInterlock fragmentShaderShadingRateInterlock
    ];
    PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR [presentId];
    PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR [presentWait];
    PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT [swapchainMaintenance1];
    PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT [transformFeedback geometryStreams];
    PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT [
        primitivesGeneratedQuery primitivesGeneratedQueryWithRasterizerDiscard
        primitivesGeneratedQueryWithNonZeroStreams
    ];
}

/// What decides whether a device supports a feature.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// It has a capability.
    Has(Cap),
    /// It does not have an erratum.
    IsWithout(Wa),
}

impl Condition {
    fn holds(self, device: &Device) -> bool {
        match self {
            Condition::Has(cap) => device.has(cap),
            Condition::IsWithout(erratum) => !device.needs(erratum),
        }
    }
}

/// A supported feature.
#[derive(Clone, Copy, Debug)]
pub struct SupportedFeature {
    /// Name of the member.
    pub name: &'static str,
    /// What the device must have or be free of.
    pub condition: Option<Condition>,
    /// Path, from the root of the repository, of a file that demonstrates the feature.
    pub witness: &'static str,
}

macro_rules! offered {
    ($($name:ident $(($($condition:tt)*))? $witness:literal;)*) => {
        /// The supported features, in the order of the structures.
        pub static OFFERED: &[SupportedFeature] = &[$(SupportedFeature {
            name: stringify!($name),
            condition: offered!(@condition $($($condition)*)?),
            witness: $witness,
        },)*];
    };
    (@condition) => { None };
    (@condition $cap:ident) => { Some(Condition::Has(Cap::$cap)) };
    (@condition without $erratum:ident) => { Some(Condition::IsWithout(Wa::$erratum)) };
}

offered! {
    // Surfaces are bounded: the data port drops writes out of bounds, and reads return zero.
    robustBufferAccess "tests/bad_input/shaders.rs";
    shaderDrawParameters "vkrunner-scripts/draw/builtins/base-vertex.shader_test";
    geometryShader "vkrunner-scripts/draw/geometry/triangles-to-points.shader_test";
    tessellationShader "vkrunner-scripts/draw/buffers/ubo-tess-evaluation.shader_test";
    sampleRateShading "vkrunner-scripts/draw/multisample/sample-id.shader_test";
    independentBlend "tests/pictures/scenes/blending.rs";
    dualSrcBlend "tests/pictures/scenes/blending.rs";
    multiDrawIndirect "tests/pictures/scenes/geometry.rs";
    drawIndirectFirstInstance "tests/pictures/scenes/geometry.rs";
    fullDrawIndexUint32 "tests/pictures/scenes/geometry.rs";
    multiViewport "tests/pictures/scenes/geometry.rs";
    // Layer and viewport index are in the VUE header, whichever stage writes it.
    shaderOutputViewportIndex "tests/pictures/scenes/geometry.rs";
    shaderOutputLayer "tests/pictures/scenes/geometry.rs";
    wideLines "vkrunner-scripts/draw/geometry/wide-line.shader_test";
    logicOp "vkrunner-scripts/draw/blending/logic-1.shader_test";
    depthClamp "vkrunner-scripts/draw/clipping/depth-clamp.shader_test";
    depthBiasClamp "vkrunner-scripts/draw/depth/bias-clamp.shader_test";
    occlusionQueryPrecise "tests/pictures/scenes/queries.rs";
    pipelineStatisticsQuery "tests/vk/queries.rs";
    variableMultisampleRate "tests/vk/samples.rs";
    inheritedQueries "tests/vk/queries.rs";
    fillModeNonSolid "vkrunner-scripts/draw/geometry/polygon-line.shader_test";
    largePoints "vkrunner-scripts/draw/clipping/point-at-edge.shader_test";
    alphaToOne "vkrunner-scripts/draw/multisample/alpha-to-one.shader_test";
    vertexPipelineStoresAndAtomics "vkrunner-scripts/draw/geometry/strip-order.shader_test";
    fragmentStoresAndAtomics "vkrunner-scripts/draw/sequence/draw-then-compute.shader_test";
    shaderTessellationAndGeometryPointSize "vkrunner-scripts/draw/tessellation/point-mode.shader_test";
    shaderClipDistance "vkrunner-scripts/draw/clipping/distance-many.shader_test";
    shaderCullDistance "vkrunner-scripts/draw/clipping/cull-distance.shader_test";
    // Handles are computed at run time; non-uniform access uses a waterfall loop.
    shaderUniformBufferArrayDynamicIndexing "tests/vk/indexing.rs";
    shaderSampledImageArrayDynamicIndexing "tests/resources/main.rs";
    shaderStorageImageArrayDynamicIndexing "tests/resources/main.rs";
    shaderStorageBufferArrayDynamicIndexing "tests/vk/indexing.rs";
    shaderStorageImageWriteWithoutFormat "tests/resources/main.rs";
    shaderStorageImageExtendedFormats "tests/resources/main.rs";
    imageCubeArray "tests/vk/textures.rs";
    shaderImageGatherExtended "tests/vk/gathers.rs";
    shaderResourceMinLod "tests/vk/levels.rs";
    samplerAnisotropy "tests/vk/textures.rs";
    textureCompressionBC "tests/vk/textures.rs";
    textureCompressionETC2 "tests/vk/textures.rs";
    textureCompressionASTC_LDR "tests/vk/textures.rs";
    shaderFloat64 (NativeFp64) "vkrunner-scripts/types/float64.shader_test";
    shaderInt64 "vkrunner-scripts/types/int64.shader_test";
    shaderInt16 "vkrunner-scripts/types/int16.shader_test";
    storageBuffer16BitAccess "vkrunner-scripts/memory/storage16.shader_test";
    uniformAndStorageBuffer16BitAccess "vkrunner-scripts/memory/storage16.shader_test";
    storagePushConstant16 "vkrunner-scripts/memory/push-small.shader_test";
    // A component of a slot is a dword, whatever its type.
    storageInputOutput16 "vkrunner-scripts/draw/interfaces-16-bit/all-stages.shader_test";
    variablePointersStorageBuffer "tests/spirv/run/variable_pointers.spvasm";
    variablePointers "tests/spirv/run/variable_pointers.spvasm";
    storageBuffer8BitAccess "vkrunner-scripts/memory/storage8.shader_test";
    uniformAndStorageBuffer8BitAccess "vkrunner-scripts/memory/storage8.shader_test";
    storagePushConstant8 "vkrunner-scripts/memory/push-small.shader_test";
    // The data port has them for stateless access; the shader reads the buffer's address and size.
    shaderBufferInt64Atomics "tests/resources/addresses.rs";
    shaderFloat16 (NativeFp16) "vkrunner-scripts/types/float16.shader_test";
    shaderInt8 "vkrunner-scripts/types/int8.shader_test";
    shaderUniformTexelBufferArrayDynamicIndexing "tests/resources/main.rs";
    shaderStorageTexelBufferArrayDynamicIndexing "tests/resources/main.rs";
    shaderSampledImageArrayNonUniformIndexing "tests/resources/main.rs";
    shaderStorageImageArrayNonUniformIndexing "tests/resources/main.rs";
    shaderUniformTexelBufferArrayNonUniformIndexing "tests/resources/main.rs";
    shaderStorageTexelBufferArrayNonUniformIndexing "tests/resources/main.rs";
    shaderUniformBufferArrayNonUniformIndexing "tests/vk/indexing.rs";
    shaderStorageBufferArrayNonUniformIndexing "tests/vk/indexing.rs";
    descriptorIndexing "tests/vk/indexing.rs";
    samplerMirrorClampToEdge "tests/vk/borders.rs";
    samplerYcbcrConversion "tests/vk/planes.rs";
    ycbcrImageArrays "tests/vk/planes.rs";
    samplerFilterMinmax "tests/vk/textures.rs";
    // Shaders read descriptors from memory at run time.
    descriptorBindingUniformBufferUpdateAfterBind "tests/vk/descriptors.rs";
    descriptorBindingStorageBufferUpdateAfterBind "tests/vk/descriptors.rs";
    descriptorBindingSampledImageUpdateAfterBind "tests/vk/descriptors.rs";
    descriptorBindingStorageImageUpdateAfterBind "tests/vk/descriptors.rs";
    descriptorBindingUniformTexelBufferUpdateAfterBind "tests/vk/descriptors.rs";
    descriptorBindingStorageTexelBufferUpdateAfterBind "tests/vk/descriptors.rs";
    descriptorBindingUpdateUnusedWhilePending "tests/vk/descriptors.rs";
    descriptorBindingPartiallyBound "tests/vk/descriptors.rs";
    descriptorBindingVariableDescriptorCount "tests/vk/descriptors.rs";
    inlineUniformBlock "tests/vk/descriptors.rs";
    descriptorBindingInlineUniformBlockUpdateAfterBind "tests/vk/descriptors.rs";
    mutableDescriptorType "tests/vk/descriptors.rs";
    runtimeDescriptorArray "tests/vk/indexing.rs";
    scalarBlockLayout "vkrunner-scripts/memory/scalar-layout.shader_test";
    uniformBufferStandardLayout "vkrunner-scripts/memory/uniform-standard-layout.shader_test";
    shaderSubgroupExtendedTypes "vkrunner-scripts/subgroups/exchange-int16.shader_test";
    hostQueryReset "tests/vk/synchronisation.rs";
    timelineSemaphore "tests/vk/synchronisation.rs";
    // Every buffer object is resident at a fixed address.
    bufferDeviceAddress "tests/vk/addresses.rs";
    bufferDeviceAddressCaptureReplay "tests/vk/addresses.rs";
    vulkanMemoryModel "vkrunner-scripts/memory/memory-model.shader_test";
    vulkanMemoryModelDeviceScope "vkrunner-scripts/memory/memory-model.shader_test";
    vulkanMemoryModelAvailabilityVisibilityChains "vkrunner-scripts/memory/memory-model-chain.shader_test";
    subgroupBroadcastDynamicId "vkrunner-scripts/subgroups/broadcast-dynamic.shader_test";
    pipelineCreationCacheControl "tests/vk/pipelines.rs";
    shaderModuleIdentifier "tests/vk/pipelines.rs";
    subgroupSizeControl "tests/vk/pipelines.rs";
    computeFullSubgroups "tests/vk/pipelines.rs";
    synchronization2 "tests/vk/synchronisation.rs";
    dynamicRendering "tests/vk/draws.rs";
    dynamicRenderingLocalRead "tests/vk/local_reads.rs";
    maintenance4 "tests/vk/objects.rs";
    maintenance5 "tests/vk/maintenance5.rs";
    maintenance6 "tests/vk/maintenance.rs";
    descriptorBuffer "tests/vk/descriptor_buffers.rs";
    descriptorBufferImageLayoutIgnored "tests/vk/descriptor_buffers.rs";
    descriptorBufferPushDescriptors "tests/vk/descriptor_buffers.rs";
    descriptorHeap "tests/vk/descriptor_heaps/mod.rs";
    maintenance7 "tests/vk/later_maintenance.rs";
    maintenance8 "tests/vk/maintenance8.rs";
    maintenance9 "tests/vk/later_maintenance.rs";
    maintenance10 "tests/vk/later_maintenance.rs";
    maintenance11 "tests/vk/later_maintenance.rs";
    pipelineBinaries "tests/vk/pipeline_binaries.rs";
    pipelineRobustness "tests/vk/robustness.rs";
    shaderIntegerFunctions2 "tests/spirv/run/integer_functions.spvasm";
    workgroupMemoryExplicitLayout "vkrunner-scripts/memory/workgroup-blocks.shader_test";
    workgroupMemoryExplicitLayoutScalarBlockLayout "vkrunner-scripts/memory/workgroup-blocks.shader_test";
    workgroupMemoryExplicitLayout8BitAccess "vkrunner-scripts/memory/workgroup-blocks.shader_test";
    workgroupMemoryExplicitLayout16BitAccess "vkrunner-scripts/memory/workgroup-blocks.shader_test";
    shaderIntegerDotProduct "vkrunner-scripts/spirv/integer-dot.shader_test";
    shaderZeroInitializeWorkgroupMemory "vkrunner-scripts/memory/workgroup-zero.shader_test";
    robustImageAccess "tests/vk/bounds.rs";
    formatA4R4G4B4 "tests/vk/images.rs";
    hostImageCopy "tests/vk/host_copies.rs";
    memoryMapPlaced "tests/vk/memory.rs";
    memoryUnmapReserve "tests/vk/memory.rs";
    deviceMemoryReport "tests/vk/memory.rs";
    reportAddressBinding "tests/vk/memory.rs";
    internallySynchronizedQueues "tests/vk/synchronisation.rs";
    imageAlignmentControl "tests/vk/memory.rs";
    attachmentFeedbackLoopLayout "tests/vk/feedback.rs";
    attachmentFeedbackLoopDynamicState "tests/vk/feedback.rs";
    borderColorSwizzle "tests/vk/borders.rs";
    borderColorSwizzleFromImage "tests/vk/borders.rs";
    drawIndirectCount "tests/pictures/scenes/counted.rs";
    conditionalRendering "tests/pictures/scenes/counted.rs";
    inheritedConditionalRendering "tests/vk/queries.rs";
    multiDraw "tests/pictures/scenes/counted.rs";
    indexTypeUint8 "tests/pictures/scenes/counted.rs";
    customBorderColors "tests/vk/borders.rs";
    customBorderColorWithoutFormat "tests/vk/borders.rs";
    image2DViewOf3D "tests/vk/textures.rs";
    sampler2DViewOf3D "tests/vk/textures.rs";
    legacyDithering "tests/vk/dithering.rs";
    // The fetcher reads elements of up to 32 bits from any byte.
    legacyVertexAttributes "tests/vk/dynamic_states.rs";
    minLod "tests/vk/levels.rs";
    imageSlicedViewOf3D "tests/vk/textures.rs";
    ycbcr2plane444Formats "tests/vk/planes.rs";
    indirectMemoryCopy "tests/vk/commands.rs";
    deviceAddressCommands "tests/vk/address_commands.rs";
    presentId2 "tests/vk/swapchains.rs";
    presentWait2 "tests/vk/swapchains.rs";
    presentTiming "tests/vk/present_timing.rs";
    presentAtAbsoluteTime "tests/vk/present_timing.rs";
    presentAtRelativeTime "tests/vk/present_timing.rs";
    nonSeamlessCubeMap "tests/vk/borders.rs";
    robustBufferAccess2 "tests/vk/bounds.rs";
    robustImageAccess2 "tests/vk/bounds.rs";
    nullDescriptor "tests/vk/bounds.rs";
    // The data port has exchange, minimum and maximum of floats; gen9 has no addition.
    shaderBufferFloat32Atomics "vkrunner-scripts/atomics/float.shader_test";
    shaderSharedFloat32Atomics "vkrunner-scripts/atomics/float.shader_test";
    shaderBufferFloat32AtomicMinMax "vkrunner-scripts/atomics/float-min-max.shader_test";
    shaderImageFloat32Atomics "tests/vk/textures.rs";
    shaderSharedFloat32AtomicMinMax "vkrunner-scripts/atomics/float-min-max.shader_test";
    // Shaders compute the addresses of texels.
    shaderImageInt64Atomics "tests/vk/image_atomics.rs";
    shaderSubgroupClock "vkrunner-scripts/builtins/shader-clock.shader_test";
    pipelineExecutableInfo "tests/vk/objects.rs";
    imagelessFramebuffer "tests/pictures/scenes/passes.rs";
    separateDepthStencilLayouts "tests/pictures/scenes/passes.rs";
    privateData "tests/vk/objects.rs";
    globalPriorityQuery "tests/vk/host.rs";
    shaderDemoteToHelperInvocation "tests/pictures/scenes/fragments.rs";
    shaderTerminateInvocation "tests/pictures/scenes/fragments.rs";
    texelBufferAlignment "tests/pictures/scenes/fragments.rs";
    multiview "tests/pictures/scenes/views.rs";
    multiviewGeometryShader "tests/pictures/scenes/views.rs";
    multiviewTessellationShader "tests/pictures/scenes/views.rs";
    extendedDynamicState "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState2 "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState2LogicOp "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState2PatchControlPoints "tests/vk/dynamic_states.rs";
    extendedDynamicState3TessellationDomainOrigin "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3DepthClampEnable "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3PolygonMode "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3SampleMask "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3AlphaToOneEnable "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3LogicOpEnable "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3ColorBlendEnable "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3ColorBlendEquation "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3ColorWriteMask "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3DepthClipEnable "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3ProvokingVertexMode "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3LineRasterizationMode "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3LineStippleEnable "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3DepthClipNegativeOneToOne "tests/pictures/scenes/dynamic.rs";
    extendedDynamicState3SampleLocationsEnable "tests/vk/dynamic_states.rs";
    extendedDynamicState3AlphaToCoverageEnable "tests/vk/dynamic_states.rs";
    extendedDynamicState3RasterizationSamples "tests/vk/dynamic_states.rs";
    colorWriteEnable "tests/pictures/scenes/dynamic.rs";
    vertexAttributeInstanceRateDivisor "tests/pictures/scenes/dynamic.rs";
    vertexAttributeInstanceRateZeroDivisor "tests/pictures/scenes/dynamic.rs";
    provokingVertexLast "tests/pictures/scenes/dynamic.rs";
    fragmentShaderSampleInterlock "tests/vk/coverage.rs";
    fragmentShaderPixelInterlock "tests/vk/coverage.rs";
    presentId "tests/vk/swapchains.rs";
    presentWait "tests/vk/swapchains.rs";
    swapchainMaintenance1 "tests/vk/swapchains.rs";
    transformFeedback "tests/vk/captures.rs";
    geometryStreams "tests/vk/captures.rs";
    transformFeedbackPreservesProvokingVertex "tests/vk/captures.rs";
    extendedDynamicState3ConservativeRasterizationMode (without ConservativeRasterHeader) "tests/vk/coverage.rs";
    extendedDynamicState3RasterizationStream "tests/vk/captures.rs";
    // Counted at the clipper, before anything is discarded, and for stream 0 only.
    primitivesGeneratedQuery "tests/vk/captures.rs";
    depthClipEnable "tests/pictures/scenes/dynamic.rs";
    depthClipControl "tests/pictures/scenes/dynamic.rs";
    depthClampZeroOne "tests/pictures/scenes/dynamic.rs";
    depthClampControl "tests/vk/dynamic_states.rs";
    depthBiasControl "tests/vk/dynamic_states.rs";
    floatRepresentation "tests/vk/dynamic_states.rs";
    depthBiasExact "tests/vk/dynamic_states.rs";
    primitiveRestartIndex "tests/vk/dynamic_states.rs";
    vertexInputDynamicState "tests/vk/dynamic_states.rs";
    nestedCommandBuffer "tests/vk/nested_commands.rs";
    nestedCommandBufferRendering "tests/vk/nested_commands.rs";
    nestedCommandBufferSimultaneousUse "tests/vk/nested_commands.rs";
    shaderObject "tests/vk/shader_objects.rs";
    graphicsPipelineLibrary "tests/vk/pipeline_libraries.rs";
    dynamicRenderingUnusedAttachments "tests/vk/unused_attachments.rs";
    // Wide lines are rasterised as parallelograms, so strict rectangular lines are not supported.
    bresenhamLines "tests/pictures/scenes/dynamic.rs";
    smoothLines "tests/pictures/scenes/dynamic.rs";
    stippledBresenhamLines "tests/pictures/scenes/dynamic.rs";
    primitiveTopologyListRestart "tests/pictures/scenes/dynamic.rs";
    primitiveTopologyPatchListRestart "tests/pictures/scenes/dynamic.rs";
    computeDerivativeGroupQuads "vkrunner-scripts/workgroups/derivatives-quads.shader_test";
    computeDerivativeGroupLinear "vkrunner-scripts/workgroups/derivatives-linear.shader_test";
    shaderSubgroupUniformControlFlow "vkrunner-scripts/control-flow/subgroup-uniform.shader_test";
    shaderSubgroupRotate "vkrunner-scripts/subgroups/rotate.shader_test";
    shaderSubgroupRotateClustered "vkrunner-scripts/subgroups/rotate.shader_test";
    shaderFloatControls2 "vkrunner-scripts/arithmetic/float-controls2.shader_test";
    shaderExpectAssume "vkrunner-scripts/spirv/expect-assume.shader_test";
    // Passes move operations that depend on the active invocations only within their block, and the
    // structurizer keeps every block once, behind the construct that it merges.
    shaderMaximalReconvergence "vkrunner-scripts/control-flow/maximal-reconvergence.shader_test";
    // Quads are dispatched whole (Vector Mask Enable).
    shaderQuadControl "vkrunner-scripts/draw/derivatives/quad-control.shader_test";
    shaderUniformBufferUnsizedArray "vkrunner-scripts/spirv/unsized-uniform-array.shader_test";
    shaderUntypedPointers "vkrunner-scripts/spirv/untyped-pointers.shader_test";
    shaderConstantData "vkrunner-scripts/spirv/constant-data.shader_test";
    shaderFmaFloat16 "vkrunner-scripts/spirv/fma.shader_test";
    shaderFmaFloat32 "vkrunner-scripts/spirv/fma.shader_test";
    shaderFmaFloat64 "vkrunner-scripts/spirv/fma.shader_test";
    shaderRelaxedExtendedInstruction "vkrunner-scripts/spirv/relaxed-extended-instruction.shader_test";
    shaderReplicatedComposites "vkrunner-scripts/spirv/replicated-composites.shader_test";
    pushDescriptor "tests/vk/maintenance.rs";
}

/// Members with a different meaning in one structure, where the device does not support them.
const EXCEPTIONS: &[(StructureType, &str)] = &[
    // In this structure it is the buffer, not its memory, that gets the address.
    (
        StructureType::PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT,
        "bufferDeviceAddressCaptureReplay",
    ),
];

/// The feature structure with an `sType`, if it is one.
pub fn structure(s_type: StructureType) -> Option<&'static FeatureStructure> {
    STRUCTURES.iter().find(|row| row.s_type == s_type)
}

/// Whether the device supports a feature.
pub fn offers(device: &Device, name: &str) -> bool {
    OFFERED.iter().any(|row| {
        row.name == name
            && row
                .condition
                .is_none_or(|condition| condition.holds(device))
    })
}

/// The enabled features that change the driver's behaviour; all others are always active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnabledFeatures {
    /// `robustBufferAccess`: accesses out of bounds must not affect those in bounds.
    pub robust_buffers: bool,
    /// `attachmentFeedbackLoopDynamicState`: draws with shader objects may read depth and stencil.
    pub dynamic_feedback_loops: bool,
    /// `textureCompressionASTC_LDR`: no texture has aux data, where the device needs
    /// [`hw::Wa::FlushBetweenAstc5x5AndAux`].
    pub astc: bool,
    /// `memoryUnmapReserve`: addresses of mappings may have to stay reserved.
    pub unmap_reserve: bool,
}

impl FeatureStructure {
    fn offered(&self, device: &Device, name: &str) -> bool {
        offers(device, name) && !EXCEPTIONS.contains(&(self.s_type, name))
    }

    /// Fills in the values of the members for a query.
    pub fn fill(&self, device: &Device, values: &mut [Bool32]) {
        for (value, name) in values.iter_mut().zip(self.members) {
            *value = if self.offered(device, name) {
                TRUE
            } else {
                FALSE
            };
        }
    }

    /// Whether `values` enable a feature.
    pub fn enables(&self, values: &[Bool32], name: &str) -> bool {
        let mut members = self.members.iter().zip(values);
        members.any(|(&member, &value)| member == name && value != FALSE)
    }

    /// Fails if `values` enable an unsupported feature.
    pub fn check(&self, device: &Device, values: &[Bool32]) -> Result<()> {
        let mut enabled = self
            .members
            .iter()
            .zip(values)
            .filter(|&(_, &value)| value != FALSE);
        match enabled.find(|&(name, _)| !self.offered(device, name)) {
            Some((&what, _)) => Err(Error::FeatureNotPresent { what }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_features_are_refused_by_name() {
        let device = hw::Device::by_name("skl").unwrap();
        for row in STRUCTURES {
            let mut values = vec![0xaaaa_aaaa; row.members.len()];
            row.fill(device, &mut values);
            assert!(values.iter().all(|&value| value <= TRUE));
            assert_eq!(row.check(device, &values), Ok(()));
            for (at, &what) in row.members.iter().enumerate() {
                let mut values = vec![FALSE; row.members.len()];
                values[at] = TRUE;
                let expected = if row.offered(device, what) {
                    Ok(())
                } else {
                    Err(Error::FeatureNotPresent { what })
                };
                assert_eq!(row.check(device, &values), expected);
            }
        }
        assert!(offers(device, "robustBufferAccess"));
        assert!(!offers(device, "sparseBinding"));
        let conservative = "extendedDynamicState3ConservativeRasterizationMode";
        assert!(!offers(device, conservative));
        assert!(offers(hw::Device::by_name("kbl").unwrap(), conservative));
        for (s_type, name) in EXCEPTIONS {
            assert!(structure(*s_type).unwrap().members.contains(name));
            assert!(offers(device, name), "{name} is offered nowhere");
        }
    }

    #[test]
    fn every_offered_feature_has_a_witness() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for row in OFFERED {
            let path = root.join(row.witness);
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", row.witness));
            // A script names the feature that it demonstrates, as a requirement if possible.
            if row.witness.ends_with(".shader_test") {
                assert!(
                    text.contains(row.name),
                    "{} does not name {}",
                    row.witness,
                    row.name
                );
            }
        }
    }

    /// Vulkan 1.3, "Feature Requirements": the unconditional ones.
    const REQUIRED: &[&str] = &[
        "robustBufferAccess",
        "multiview",
        "uniformBufferStandardLayout",
        "shaderSubgroupExtendedTypes",
        "imagelessFramebuffer",
        "separateDepthStencilLayouts",
        "hostQueryReset",
        "timelineSemaphore",
        "subgroupBroadcastDynamicId",
        "bufferDeviceAddress",
        "vulkanMemoryModel",
        "vulkanMemoryModelDeviceScope",
        "robustImageAccess",
        "inlineUniformBlock",
        "descriptorBindingInlineUniformBlockUpdateAfterBind",
        "pipelineCreationCacheControl",
        "privateData",
        "shaderDemoteToHelperInvocation",
        "shaderTerminateInvocation",
        "subgroupSizeControl",
        "computeFullSubgroups",
        "synchronization2",
        "shaderZeroInitializeWorkgroupMemory",
        "dynamicRendering",
        "shaderIntegerDotProduct",
        "maintenance4",
    ];

    /// Vulkan 1.4, "Feature Requirements": what it adds. (`hostImageCopy` is required because there
    /// is no queue for transfers alone.)
    const REQUIRED_BY_1_4: &[&str] = &[
        "fullDrawIndexUint32",
        "imageCubeArray",
        "independentBlend",
        "sampleRateShading",
        "drawIndirectFirstInstance",
        "depthClamp",
        "depthBiasClamp",
        "samplerAnisotropy",
        "fragmentStoresAndAtomics",
        "shaderStorageImageExtendedFormats",
        "shaderUniformBufferArrayDynamicIndexing",
        "shaderSampledImageArrayDynamicIndexing",
        "shaderStorageBufferArrayDynamicIndexing",
        "shaderStorageImageArrayDynamicIndexing",
        "shaderImageGatherExtended",
        "shaderInt16",
        "largePoints",
        "samplerYcbcrConversion",
        "storageBuffer16BitAccess",
        "variablePointers",
        "variablePointersStorageBuffer",
        "samplerMirrorClampToEdge",
        "scalarBlockLayout",
        "shaderUniformTexelBufferArrayDynamicIndexing",
        "shaderStorageTexelBufferArrayDynamicIndexing",
        "shaderInt8",
        "storageBuffer8BitAccess",
        "globalPriorityQuery",
        "shaderSubgroupRotate",
        "shaderSubgroupRotateClustered",
        "shaderFloatControls2",
        "shaderExpectAssume",
        "bresenhamLines",
        "vertexAttributeInstanceRateDivisor",
        "indexTypeUint8",
        "maintenance5",
        "pushDescriptor",
        "dynamicRenderingLocalRead",
        "maintenance6",
        "pipelineRobustness",
        "hostImageCopy",
    ];

    #[test]
    fn required_features_of_the_version_are_offered() {
        let device = hw::Device::by_name("skl").unwrap();
        let all = REQUIRED.iter().chain(REQUIRED_BY_1_4);
        let missing = all.filter(|name| !offers(device, name));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn every_offered_feature_is_a_member_of_a_structure_once() {
        for (at, row) in OFFERED.iter().enumerate() {
            assert!(
                STRUCTURES.iter().any(|s| s.members.contains(&row.name)),
                "{}",
                row.name
            );
            assert!(
                OFFERED[..at].iter().all(|other| other.name != row.name),
                "{}",
                row.name
            );
        }
    }
}
