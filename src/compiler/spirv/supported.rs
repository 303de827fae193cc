//! The capabilities that this translator supports.
//!
//! In:  a capability. Out: whether its instructions and enumerants are translated.
//! Ref: "SPIR-V Specification", "Capability".

use spirv::Capability as C;

/// True for the capabilities whose instructions and enumerants are translated.
pub(crate) fn is_supported(capability: C) -> bool {
    matches!(
        capability,
        // Stages and their features.
        C::Matrix
            | C::Shader
            | C::Geometry
            | C::Tessellation
            | C::TessellationPointSize
            | C::GeometryPointSize
            | C::GeometryStreams
            | C::TransformFeedback
            | C::ClipDistance
            | C::CullDistance
            | C::SampleRateShading
            | C::SampleMaskPostDepthCoverage
            | C::InterpolationFunction
            | C::DerivativeControl
            | C::ComputeDerivativeGroupLinearKHR
            | C::ComputeDerivativeGroupQuadsKHR
            | C::MultiViewport
            | C::ShaderLayer
            | C::ShaderViewportIndex
            | C::ShaderViewportIndexLayerEXT
            | C::MultiView
            | C::DeviceGroup
            | C::DrawParameters
            | C::StencilExportEXT
            | C::FragmentShaderPixelInterlockEXT
            | C::FragmentShaderSampleInterlockEXT
            | C::DemoteToHelperInvocation
            // Types and arithmetic.
            | C::Float16
            | C::Float64
            | C::Int8
            | C::Int16
            | C::Int64
            | C::DenormPreserve
            | C::DenormFlushToZero
            | C::SignedZeroInfNanPreserve
            | C::RoundingModeRTE
            | C::RoundingModeRTZ
            | C::IntegerFunctions2INTEL
            | C::DotProduct
            | C::DotProductInputAll
            | C::DotProductInput4x8Bit
            | C::DotProductInput4x8BitPacked
            | C::BitInstructions
            | C::ExpectAssumeKHR
            | C::FloatControls2
            | C::FMAKHR
            | C::ReplicatedCompositesEXT
            | C::OptNoneEXT
            | C::Linkage
            // Memory.
            | C::Int64Atomics
            | C::AtomicFloat16AddEXT
            | C::AtomicFloat32AddEXT
            | C::AtomicFloat64AddEXT
            | C::AtomicFloat16MinMaxEXT
            | C::AtomicFloat32MinMaxEXT
            | C::AtomicFloat64MinMaxEXT
            | C::StorageBuffer8BitAccess
            | C::UniformAndStorageBuffer8BitAccess
            | C::StoragePushConstant8
            | C::StorageBuffer16BitAccess
            | C::UniformAndStorageBuffer16BitAccess
            | C::StoragePushConstant16
            | C::StorageInputOutput16
            | C::VariablePointers
            | C::VariablePointersStorageBuffer
            | C::PhysicalStorageBufferAddresses
            | C::UntypedPointersKHR
            | C::DescriptorHeapEXT
            | C::VulkanMemoryModel
            | C::VulkanMemoryModelDeviceScope
            | C::WorkgroupMemoryExplicitLayoutKHR
            | C::WorkgroupMemoryExplicitLayout8BitAccessKHR
            | C::WorkgroupMemoryExplicitLayout16BitAccessKHR
            | C::UniformDecoration
            | C::ShaderClockKHR
            // Images and descriptors.
            | C::ImageGatherExtended
            | C::ImageCubeArray
            | C::ImageMSArray
            | C::ImageQuery
            | C::ImageBuffer
            | C::Image1D
            | C::InputAttachment
            | C::MinLod
            | C::SparseResidency
            | C::Sampled1D
            | C::SampledBuffer
            | C::SampledCubeArray
            | C::StorageImageExtendedFormats
            | C::StorageImageReadWithoutFormat
            | C::StorageImageWriteWithoutFormat
            | C::Int64ImageEXT
            | C::UniformBufferArrayDynamicIndexing
            | C::SampledImageArrayDynamicIndexing
            | C::StorageBufferArrayDynamicIndexing
            | C::StorageImageArrayDynamicIndexing
            | C::ShaderNonUniform
            | C::RuntimeDescriptorArray
            | C::InputAttachmentArrayDynamicIndexing
            | C::UniformTexelBufferArrayDynamicIndexing
            | C::StorageTexelBufferArrayDynamicIndexing
            | C::UniformBufferArrayNonUniformIndexing
            | C::SampledImageArrayNonUniformIndexing
            | C::StorageBufferArrayNonUniformIndexing
            | C::StorageImageArrayNonUniformIndexing
            | C::InputAttachmentArrayNonUniformIndexing
            | C::UniformTexelBufferArrayNonUniformIndexing
            | C::StorageTexelBufferArrayNonUniformIndexing
            // Subgroups.
            | C::GroupNonUniform
            | C::GroupNonUniformVote
            | C::GroupNonUniformArithmetic
            | C::GroupNonUniformBallot
            | C::GroupNonUniformShuffle
            | C::GroupNonUniformShuffleRelative
            | C::GroupNonUniformClustered
            | C::GroupNonUniformQuad
            | C::GroupNonUniformRotateKHR
            | C::QuadControlKHR
            | C::SubgroupBallotKHR
            | C::SubgroupVoteKHR
    )
}

/// Declared capabilities that are not supported; others, and unknown numbers, give `None`.
pub(crate) fn lacking(number: u32) -> Option<C> {
    C::from_u32(number).filter(|&c| !is_supported(c))
}
