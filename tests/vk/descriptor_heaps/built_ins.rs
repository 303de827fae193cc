//! Heaps as built-in variables of shaders (SPV_EXT_descriptor_heap).

use super::heap::{
    ALL, BIND_HEAP, Resource, Source, Type, bind_resources, bind_samplers, dispatch, first_bytes,
    heap, map, push, record, write_descriptor, write_sampler,
};
use super::images::{numbered, view_info};
use crate::rig::Rig;
use crate::textures::nearest;

/// The words of SPIR-V text.
fn assemble(text: &str) -> Vec<u32> {
    let text =
        format!("[require]\nvulkan 1.2\n\n[compute shader spirv]\n{text}\n[test]\ncompute 1 1 1\n");
    let script = vkrunner::parse(&text, &[]).unwrap();
    let modules = vkrunner::Runner::compile(&script).unwrap();
    modules.into_iter().next().unwrap().1
}

/// Reads and writes resources of every type that shaders find in the heaps: through arrays, whose
/// strides are sizes of descriptors, and through the members of a struct.
const SHADER: &str = r#"OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_EXT_descriptor_heap"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %resources %samplers %pushed
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %resources BuiltIn ResourceHeapEXT
OpDecorate %samplers BuiltIn SamplerHeapEXT
OpDecorateId %buffers ArrayStrideIdEXT %buffer_size
OpDecorateId %uniforms ArrayStrideIdEXT %buffer_size
OpDecorateId %images ArrayStrideIdEXT %twice
OpDecorate %plain_samplers ArrayStride 16
OpMemberDecorate %mixed 0 Offset 32
OpMemberDecorateIdEXT %mixed 1 OffsetIdEXT %sampled_at
OpMemberDecorate %mixed 2 Offset 128
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpMemberDecorate %push_block 0 Offset 4
OpDecorate %push_block Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u2 = OpTypeVector %uint 2
%u4 = OpTypeVector %uint 4
%f2 = OpTypeVector %float 2
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%push_block = OpTypeStruct %uint
%buffer = OpTypeBufferEXT StorageBuffer
%uniform = OpTypeBufferEXT Uniform
%buffers = OpTypeRuntimeArray %buffer
%uniforms = OpTypeRuntimeArray %uniform
%texture = OpTypeImage %uint 2D 0 0 0 1 Unknown
%picture = OpTypeImage %uint 2D 0 0 0 2 R32ui
%sampler = OpTypeSampler
%images = OpTypeRuntimeArray %texture
%plain_samplers = OpTypeRuntimeArray %sampler
%mixed = OpTypeStruct %uniform %texture %picture
%sampled = OpTypeSampledImage %texture
%buffer_size = OpConstantSizeOfEXT %uint %buffer
%image_size = OpConstantSizeOfEXT %uint %texture
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n6 = OpConstant %uint 6
%n7 = OpConstant %uint 7
%n1000 = OpConstant %uint 1000
%twice = OpSpecConstantOp %uint IMul %image_size %n2
%sampled_at = OpSpecConstantOp %uint IMul %image_size %n4
%f0 = OpConstant %float 0
%f625 = OpConstant %float 0.625
%f375 = OpConstant %float 0.375
%corner = OpConstantComposite %u2 %n3 %n0
%middle = OpConstantComposite %f2 %f625 %f375
%heap_ptr = OpTypeUntypedPointerKHR UniformConstant
%buffer_ptr = OpTypeUntypedPointerKHR StorageBuffer
%uniform_ptr = OpTypeUntypedPointerKHR Uniform
%image_ptr = OpTypeUntypedPointerKHR Image
%block_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%pushed_ptr = OpTypePointer PushConstant %push_block
%pushed_word = OpTypePointer PushConstant %uint
%resources = OpUntypedVariableKHR %heap_ptr UniformConstant
%samplers = OpUntypedVariableKHR %heap_ptr UniformConstant
%pushed = OpVariable %pushed_ptr PushConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%index_at = OpAccessChain %pushed_word %pushed %n0
%index = OpLoad %uint %index_at
%out_at = OpUntypedAccessChainKHR %heap_ptr %buffers %resources %n1
%out = OpBufferPointerEXT %block_ptr %out_at
%r0 = OpAccessChain %word_ptr %out %n0 %n0
%r1 = OpAccessChain %word_ptr %out %n0 %n1
%r2 = OpAccessChain %word_ptr %out %n0 %n2
%r3 = OpAccessChain %word_ptr %out %n0 %n3
%r4 = OpAccessChain %word_ptr %out %n0 %n4
%r5 = OpAccessChain %word_ptr %out %n0 %n5
%r6 = OpAccessChain %word_ptr %out %n0 %n6
%r7 = OpAccessChain %word_ptr %out %n0 %n7
%uniform_at = OpUntypedAccessChainKHR %heap_ptr %uniforms %resources %index
%numbers = OpBufferPointerEXT %uniform_ptr %uniform_at
%number_at = OpUntypedAccessChainKHR %uniform_ptr %u4 %numbers %n2
%number = OpLoad %uint %number_at
OpStore %r0 %number
%member_at = OpUntypedAccessChainKHR %heap_ptr %mixed %resources %n0
%member = OpBufferPointerEXT %uniform_ptr %member_at
%four = OpLoad %u4 %member
%fourth = OpCompositeExtract %uint %four 3
OpStore %r1 %fourth
%image_at = OpUntypedAccessChainKHR %heap_ptr %images %resources %n2
%image = OpLoad %texture %image_at
%sampler_at = OpUntypedAccessChainKHR %heap_ptr %plain_samplers %samplers %index
%one_sampler = OpLoad %sampler %sampler_at
%both = OpSampledImage %sampled %image %one_sampler
%texel = OpImageSampleExplicitLod %u4 %both %middle Lod %f0
%red = OpCompositeExtract %uint %texel 0
OpStore %r2 %red
%same_at = OpUntypedAccessChainKHR %heap_ptr %mixed %resources %n1
%same = OpLoad %texture %same_at
%fetched = OpImageFetch %u4 %same %corner Lod %n0
%red2 = OpCompositeExtract %uint %fetched 0
OpStore %r3 %red2
%picture_at = OpUntypedAccessChainKHR %heap_ptr %mixed %resources %n2
%texel_at = OpUntypedImageTexelPointerEXT %image_ptr %picture %picture_at %corner %n0
%before = OpAtomicIAdd %uint %texel_at %n1 %n0 %n1000
OpStore %r4 %before
%loaded = OpLoad %picture %picture_at
%read = OpImageRead %u4 %loaded %corner
%red3 = OpCompositeExtract %uint %read 0
OpStore %r5 %red3
%untyped = OpBufferPointerEXT %buffer_ptr %out_at
%length = OpUntypedArrayLengthKHR %uint %block %untyped 0
OpStore %r6 %length
%sum = OpIAdd %uint %buffer_size %image_size
OpStore %r7 %sum
OpReturn
OpFunctionEnd
"#;

#[test]
fn shaders_index_heaps() {
    let rig = Rig::new();
    let (out, mut uniform) = (rig.buffer(64), rig.buffer(64));
    uniform.write_dwords(&[11, 12, 13, 14]);
    let (mut resources, mut samplers) = (heap(&rig), heap(&rig));
    let (first, second) = (numbered(&rig, 50), numbered(&rig, 150));
    write_descriptor(
        &mut resources,
        16,
        Type::STORAGE_BUFFER,
        first_bytes(&out, 64),
    );
    for at in [32, 48] {
        write_descriptor(
            &mut resources,
            at,
            Type::UNIFORM_BUFFER,
            first_bytes(&uniform, 16),
        );
    }
    let [first, second] = [view_info(&first), view_info(&second)];
    for (at, kind, info) in [
        (64, Type::SAMPLED_IMAGE, &first),
        (128, Type::STORAGE_IMAGE, &second),
    ] {
        write_descriptor(&mut resources, at, kind, Resource::Image(Some(info)));
    }
    write_sampler(&mut samplers, 48, &nearest());
    dispatch(&rig, &assemble(SHADER), &[], |commands| {
        bind_resources(&rig, commands, &resources);
        bind_samplers(&rig, commands, &samplers);
        push(&rig, commands, 4, &[3]);
    });
    assert_eq!(out.dwords()[..8], [13, 14, 56, 53, 153, 1153, 16, 32]);
}

/// Each invocation reads images of its own: sampled, storage and atomically. With the capability
/// `DescriptorHeapEXT`, nothing has to be decorated as non-uniform.
const LANES: &str = r#"OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_EXT_descriptor_heap"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %resources %lane
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %resources BuiltIn ResourceHeapEXT
OpDecorate %lane BuiltIn LocalInvocationIndex
OpDecorate %buffers ArrayStride 16
OpDecorate %textures ArrayStride 16
OpDecorate %pictures ArrayStride 16
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u2 = OpTypeVector %uint 2
%u4 = OpTypeVector %uint 4
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%buffer = OpTypeBufferEXT StorageBuffer
%buffers = OpTypeRuntimeArray %buffer
%texture = OpTypeImage %uint 2D 0 0 0 1 Unknown
%picture = OpTypeImage %uint 2D 0 0 0 2 R32ui
%textures = OpTypeRuntimeArray %texture
%pictures = OpTypeRuntimeArray %picture
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%n8 = OpConstant %uint 8
%n9 = OpConstant %uint 9
%n16 = OpConstant %uint 16
%corner = OpConstantComposite %u2 %n3 %n0
%heap_ptr = OpTypeUntypedPointerKHR UniformConstant
%image_ptr = OpTypeUntypedPointerKHR Image
%buffer_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%in_ptr = OpTypePointer Input %uint
%resources = OpUntypedVariableKHR %heap_ptr UniformConstant
%lane = OpVariable %in_ptr Input
%main = OpFunction %void None %fn
%start = OpLabel
%i = OpLoad %uint %lane
%out_at = OpUntypedAccessChainKHR %heap_ptr %buffers %resources %n0
%out = OpBufferPointerEXT %buffer_ptr %out_at
%i1 = OpIAdd %uint %i %n1
%texture_at = OpUntypedAccessChainKHR %heap_ptr %textures %resources %i1
%sampled = OpLoad %texture %texture_at
%texel1 = OpImageFetch %u4 %sampled %corner Lod %n0
%red1 = OpCompositeExtract %uint %texel1 0
%r1 = OpAccessChain %word_ptr %out %n0 %i
OpStore %r1 %red1
%i9 = OpIAdd %uint %i %n9
%picture_at = OpUntypedAccessChainKHR %heap_ptr %pictures %resources %i9
%loaded = OpLoad %picture %picture_at
%texel2 = OpImageRead %u4 %loaded %corner
%red2 = OpCompositeExtract %uint %texel2 0
%i8 = OpIAdd %uint %i %n8
%r2 = OpAccessChain %word_ptr %out %n0 %i8
OpStore %r2 %red2
%texel_at = OpUntypedImageTexelPointerEXT %image_ptr %picture %picture_at %corner %n0
%red3 = OpAtomicIAdd %uint %texel_at %n1 %n0 %n0
%i16 = OpIAdd %uint %i %n16
%r3 = OpAccessChain %word_ptr %out %n0 %i16
OpStore %r3 %red3
OpReturn
OpFunctionEnd
"#;

#[test]
fn invocations_select_images_of_their_own() {
    let rig = Rig::new();
    let (out, mut resources) = (rig.buffer(96), heap(&rig));
    let (first, second) = (numbered(&rig, 50), numbered(&rig, 150));
    let views = [view_info(&first), view_info(&second)];
    write_descriptor(
        &mut resources,
        0,
        Type::STORAGE_BUFFER,
        first_bytes(&out, 96),
    );
    // In an order that no stride has.
    let chosen = [0, 1, 1, 0, 1, 0, 0, 1];
    for (lane, &image) in chosen.iter().enumerate() {
        for (first, kind) in [(1, Type::SAMPLED_IMAGE), (9, Type::STORAGE_IMAGE)] {
            let resource = Resource::Image(Some(&views[image]));
            write_descriptor(&mut resources, 16 * (first + lane), kind, resource);
        }
    }
    dispatch(&rig, &assemble(LANES), &[], |commands| {
        bind_resources(&rig, commands, &resources);
        // A shader without samplers needs no bytes of the sampler heap.
        record(
            &rig,
            c"vkCmdBindSamplerHeapEXT",
            commands,
            &[BIND_HEAP, 0, 0, 0, 0, 0],
        );
    });
    let expected = chosen.map(|image| [53, 153][image]);
    assert_eq!(out.dwords()[..24], [expected; 3].concat());
}

/// Selects among two mapped buffers and an element of an array of them, and reads through the
/// pointer.
const SELECTED: &str = r#"OpCapability Shader
OpCapability VariablePointers
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %single %several %pushed
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpMemberDecorate %push_block 0 Offset 0
OpDecorate %push_block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %single DescriptorSet 0
OpDecorate %single Binding 1
OpDecorate %several DescriptorSet 0
OpDecorate %several Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%push_block = OpTypeStruct %uint
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%blocks = OpTypeArray %block %n2
%block_ptr = OpTypePointer StorageBuffer %block
%blocks_ptr = OpTypePointer StorageBuffer %blocks
%word_ptr = OpTypePointer StorageBuffer %uint
%pushed_ptr = OpTypePointer PushConstant %push_block
%pushed_word = OpTypePointer PushConstant %uint
%out = OpVariable %block_ptr StorageBuffer
%single = OpVariable %block_ptr StorageBuffer
%several = OpVariable %blocks_ptr StorageBuffer
%pushed = OpVariable %pushed_ptr PushConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%which_at = OpAccessChain %pushed_word %pushed %n0
%which = OpLoad %uint %which_at
%is_single = OpIEqual %bool %which %n1
%not_single = OpLogicalNot %bool %is_single
%a = OpAccessChain %word_ptr %single %n0 %n3
%b = OpAccessChain %word_ptr %several %which %n0 %n3
%first = OpSelect %word_ptr %is_single %a %b
%second = OpSelect %word_ptr %not_single %a %b
%x = OpLoad %uint %first
%y = OpLoad %uint %second
%r0 = OpAccessChain %word_ptr %out %n0 %n0
%r1 = OpAccessChain %word_ptr %out %n0 %n1
OpStore %r0 %x
OpStore %r1 %y
OpReturn
OpFunctionEnd
"#;

#[test]
fn pointers_to_mapped_buffers_are_selected() {
    let rig = Rig::new();
    let (out, mut resources) = (rig.buffer(64), heap(&rig));
    let buffers = [7, 8, 9].map(|value| {
        let mut buffer = rig.buffer(64);
        buffer.write_dwords(&[0, 0, 0, value]);
        buffer
    });
    for (at, buffer) in [&out, &buffers[0], &buffers[1], &buffers[2]]
        .into_iter()
        .enumerate()
    {
        let resource = first_bytes(buffer, 64);
        write_descriptor(&mut resources, 16 * at, Type::STORAGE_BUFFER, resource);
    }
    let constant = Source::Constant([0, 16], [0; 2]);
    let mappings = [map((0, 0, 3), ALL, constant, None)];
    for (which, expected) in [(0, [8, 7]), (1, [7, 9])] {
        dispatch(&rig, &assemble(SELECTED), &mappings, |commands| {
            bind_resources(&rig, commands, &resources);
            push(&rig, commands, 0, &[which]);
        });
        assert_eq!(out.dwords()[..2], expected);
    }
}
