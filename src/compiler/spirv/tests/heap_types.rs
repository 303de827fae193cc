//! A mapping to a descriptor heap counts for resources of the types in its mask, and for no others.

use crate::asm::assemble;
use crate::error::Result;
use crate::module::Module;
use crate::translate::Options;
use abi::{HeapMapping, HeapMappings, HeapOffset, MappingSource, resource_type as types};

/// Translates a compute shader with one resource at set 1, binding 2, which is mapped for resources
/// of the types in a mask.
fn translate((class, ty, decoration): (&str, &str, &str), resources: u32) -> Result<nir::Shader> {
    let text = format!(
        "OpCapability Shader
OpCapability StorageImageWriteWithoutFormat
OpCapability StorageImageReadWithoutFormat
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %resource
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %resource DescriptorSet 1
OpDecorate %resource Binding 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
{decoration}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%block = OpTypeStruct %float
%sampler = OpTypeSampler
%texture = OpTypeImage %float 2D 0 0 0 1 Unknown
%combined = OpTypeSampledImage %texture
%image = OpTypeImage %float 2D 0 0 0 2 Unknown
%pointer = OpTypePointer {class} {ty}
%resource = OpVariable %pointer {class}
%main = OpFunction %void None %fn
%l = OpLabel
%used = OpLoad {ty} %resource
OpReturn
OpFunctionEnd
"
    );
    let module = Module::parse(&assemble(&text, (1, 5))?)?;
    let heap = HeapMappings {
        mappings: vec![HeapMapping {
            set: 1,
            first_binding: 2,
            binding_count: 1,
            resources,
            source: MappingSource::Descriptor {
                alone: HeapOffset::default(),
                combined: [HeapOffset::default(); 2],
                embedded: None,
            },
        }],
        ..HeapMappings::default()
    };
    let heap = Some(&heap);
    module.to_nir(&Options {
        heap,
        ..Options::default()
    })
}

#[test]
fn mappings_count_for_the_types_in_their_mask() {
    let read_only = "OpDecorate %resource NonWritable";
    let resources = [
        (("UniformConstant", "%sampler", ""), types::SAMPLER),
        (("UniformConstant", "%texture", ""), types::SAMPLED_IMAGE),
        (
            ("UniformConstant", "%combined", ""),
            types::COMBINED_SAMPLED_IMAGE,
        ),
        (("UniformConstant", "%image", ""), types::READ_WRITE_IMAGE),
        (
            ("UniformConstant", "%image", read_only),
            types::READ_ONLY_IMAGE,
        ),
        (("Uniform", "%block", ""), types::UNIFORM_BUFFER),
        (
            ("StorageBuffer", "%block", ""),
            types::READ_WRITE_STORAGE_BUFFER,
        ),
        (
            ("StorageBuffer", "%block", read_only),
            types::READ_ONLY_STORAGE_BUFFER,
        ),
    ];
    for (resource, bit) in resources {
        translate(resource, bit).unwrap_or_else(|e| panic!("{resource:?}: {e}"));
        let error = translate(resource, !bit).err().map(|e| e.to_string());
        let expected = "a resource of set 1, binding 2 without a mapping";
        assert!(error.is_some_and(|e| e.contains(expected)), "{resource:?}");
    }
}
