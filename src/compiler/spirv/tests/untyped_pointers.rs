//! What untyped pointers mean, by results.
//!
//! Ref: SPV_KHR_untyped_pointers, SPV_KHR_workgroup_memory_explicit_layout.

use super::values::run;
use crate::asm::assemble;
use crate::module::Module;
use crate::translate::Options;

const HEADER: &str = "OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability VariablePointers
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_KHR_variable_pointers\"
OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpDecorate %vectors ArrayStride 16
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
";

const TYPES: &str = "%void = OpTypeVoid
%uint = OpTypeInt 32 0
%uvec4 = OpTypeVector %uint 4
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n7 = OpConstant %uint 7
%n9 = OpConstant %uint 9
%array = OpTypeRuntimeArray %uint
%vectors = OpTypeRuntimeArray %uvec4
%block = OpTypeStruct %array
%block_ptr = OpTypePointer StorageBuffer %block
%uint_ptr = OpTypePointer StorageBuffer %uint
%untyped = OpTypeUntypedPointerKHR StorageBuffer
%in = OpVariable %block_ptr StorageBuffer
%out = OpVariable %block_ptr StorageBuffer
";

/// A module with a main function of this code.
fn module(decorations: &str, globals: &str, code: &str) -> String {
    let main = "%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
";
    let end = "OpReturn\nOpFunctionEnd\n";
    [HEADER, decorations, TYPES, globals, main, code, end].concat()
}

/// Runs a main function on a buffer of 0, 10, 20, …; returns the eight dwords of another.
fn results(globals: &str, code: &str) -> Vec<u32> {
    let input = (0..32).map(|i| i * 10).collect();
    let buffers = [input, vec![0; 8]];
    run(&module("", globals, code), &buffers, &[], [1; 3]).swap_remove(1)
}

#[test]
fn untyped_chains_reinterpret_typed_pointers() {
    let code = "%a = OpUntypedAccessChainKHR %untyped %array %in %n7
%x = OpLoad %uint %a
%whole = OpAccessChain %array_ptr %in %n0
%b = OpUntypedAccessChainKHR %untyped %vectors %whole %n2 %n1
%y = OpLoad %uint %b
%to = OpUntypedAccessChainKHR %untyped %array %out %n0
OpStore %to %x
%next = OpAccessChain %uint_ptr %out %n0 %n1
OpStore %next %y
";
    let globals = "%array_ptr = OpTypePointer StorageBuffer %array\n";
    // The second is component 1 of vector 2: dword 9.
    assert_eq!(results(globals, code)[..2], [70, 90]);
}

#[test]
fn differences_of_untyped_pointers_are_in_bytes() {
    let code = "%a = OpUntypedAccessChainKHR %untyped %block %in %n0 %n2
%b = OpUntypedAccessChainKHR %untyped %block %in %n0 %n9
%d = OpPtrDiff %uint %b %a
%to = OpAccessChain %uint_ptr %out %n0 %n0
OpStore %to %d
";
    assert_eq!(results("", code)[0], (9 - 2) * 4);
}

#[test]
fn only_aliased_shared_blocks_share_memory() {
    let globals = "%shared_ptr = OpTypeUntypedPointerKHR Workgroup
%pair = OpTypeStruct %uint
%s = OpUntypedVariableKHR %shared_ptr Workgroup %pair
%t = OpUntypedVariableKHR %shared_ptr Workgroup %pair
";
    let code = "OpStore %s %n7\nOpStore %t %n9\n";
    let block = "OpName %s \"s\"\nOpName %t \"t\"\nOpDecorate %pair Block\nOpMemberDecorate %pair 0 Offset 0\n";
    let (s, t) = ("OpDecorate %s Aliased\n", "OpDecorate %t Aliased\n");
    for (aliased, offsets, bytes) in [
        (vec![], [0, 16], 20),
        (vec![s, t], [0, 0], 4),
        (vec![s], [0, 16], 20),
        (vec![t], [16, 0], 20),
    ] {
        let text = module(&[block, &aliased.concat()].concat(), globals, code);
        let words = assemble(&text, (1, 3)).expect("a module");
        let parsed = Module::parse(&words).expect("a module");
        let shader = parsed.to_nir(&Options::default()).expect("a shader");
        let shared = shader.vars.iter().map(|(_, v)| v);
        let shared = shared.filter(|v| v.mode == nir::VariableMode::Shared);
        let found: Vec<_> = shared.map(|v| (v.name.as_str(), v.offset_bytes)).collect();
        let expected = [("s", Some(offsets[0])), ("t", Some(offsets[1]))];
        assert_eq!(found, expected, "{aliased:?}");
        assert_eq!(shader.info.shared_bytes, bytes, "{aliased:?}");
    }
}
