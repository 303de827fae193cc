//! Capabilities that the translator lacks: a module may declare them, and must not use them.

use crate::asm::assemble;
use crate::error::SpirvError;
use crate::module::Module;
use crate::translate::Options;
use nir::Stage;

/// The parts of a module: `annotations` and `globals` are added to a fragment shader whose main
/// function has the instructions `code`.
struct Parts<'a> {
    capability: &'a str,
    annotations: &'a str,
    globals: &'a str,
    code: &'a str,
    /// Interface variables of the entry point.
    interface: &'a str,
}

fn translate(parts: &Parts) -> Result<nir::Shader, SpirvError> {
    let Parts {
        capability,
        annotations,
        globals,
        code,
        interface,
    } = parts;
    let text = format!(
        "OpCapability Shader
OpCapability GroupNonUniform
OpCapability {capability}
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %out {interface}
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
{annotations}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%f2 = OpTypeVector %float 2
%f3 = OpTypeVector %float 3
%f4 = OpTypeVector %float 4
%i2 = OpTypeVector %int 2
%u4 = OpTypeVector %uint 4
%pout = OpTypePointer Output %f4
%out = OpVariable %pout Output
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%f0 = OpConstant %float 0
%i0 = OpConstant %int 0
%white = OpConstantComposite %f4 %f0 %f0 %f0 %f0
%zero2 = OpConstantComposite %f2 %f0 %f0
%zero3 = OpConstantComposite %f3 %f0 %f0 %f0
%izero2 = OpConstantComposite %i2 %i0 %i0
{globals}
%main = OpFunction %void None %fn
%l = OpLabel
{code}
OpStore %out %white
OpReturn
OpFunctionEnd
"
    );
    let words = assemble(&text, (1, 5)).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Module::parse(&words)?.to_nir(&Options {
        stage: Stage::Fragment,
        ..Options::default()
    })
}

/// Capability, annotations, globals, code, interface, and the error's text without the word.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const CASES: &[Case] = &[
    (
        "FragmentBarycentricKHR",
        "OpDecorate %bary BuiltIn BaryCoordKHR",
        "%pin = OpTypePointer Input %f3\n%bary = OpVariable %pin Input",
        "%x = OpLoad %f3 %bary",
        "%bary",
        "Decorate: BuiltIn BaryCoordKHR (capability FragmentBarycentricKHR) is not supported",
    ),
    (
        "FragmentBarycentricKHR",
        "OpDecorate %in PerVertexKHR\nOpDecorate %in Location 0",
        "%array = OpTypeArray %f4 %u3\n%pin = OpTypePointer Input %array\n\
         %pelem = OpTypePointer Input %f4\n%in = OpVariable %pin Input",
        "%p = OpAccessChain %pelem %in %u1\n%x = OpLoad %f4 %p",
        "%in",
        "Decorate: Decoration PerVertexKHR (capability FragmentBarycentricKHR) is not supported",
    ),
    (
        "RayQueryKHR",
        "",
        "%query = OpTypeRayQueryKHR\n%pquery = OpTypePointer Private %query\n\
         %q = OpVariable %pquery Private",
        "OpRayQueryTerminateKHR %q",
        "",
        "RayQueryTerminateKHR: this instruction (capability RayQueryKHR) is not supported",
    ),
    (
        "FragmentShadingRateKHR",
        "OpDecorate %rate BuiltIn ShadingRateKHR\nOpDecorate %rate Flat",
        "%pin = OpTypePointer Input %uint\n%rate = OpVariable %pin Input",
        "%x = OpLoad %uint %rate",
        "%rate",
        "Decorate: BuiltIn ShadingRateKHR (capability FragmentShadingRateKHR) is not supported",
    ),
    (
        "StorageImageMultisample",
        "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 0",
        "%img = OpTypeImage %float 2D 0 0 1 2 Rgba8\n%ptex = OpTypePointer UniformConstant %img\n\
         %tex = OpVariable %ptex UniformConstant",
        "%t = OpLoad %img %tex\n%x = OpImageRead %f4 %t %izero2 Sample %i0",
        "",
        "TypeImage: a multisampled storage image (capability StorageImageMultisample) is not \
         supported",
    ),
    (
        "FragmentDensityEXT",
        "OpDecorate %size BuiltIn FragSizeEXT\nOpDecorate %size Flat",
        "%pin = OpTypePointer Input %i2\n%size = OpVariable %pin Input",
        "%x = OpLoad %i2 %size",
        "%size",
        "Decorate: BuiltIn FragSizeEXT (capability FragmentDensityEXT) is not supported",
    ),
    (
        "GroupNonUniformPartitionedEXT",
        "",
        "",
        "%x = OpGroupNonUniformPartitionEXT %u4 %u1",
        "",
        "GroupNonUniformPartitionEXT: this instruction (capability GroupNonUniformPartitionedEXT) \
         is not supported",
    ),
    (
        "GroupNonUniformPartitionedEXT",
        "",
        "%ballot = OpConstantComposite %u4 %u1 %u0 %u0 %u0",
        "%x = OpGroupNonUniformIAdd %uint %u3 PartitionedReduceEXT %u1 %ballot",
        "",
        "GroupNonUniformIAdd: GroupOperation PartitionedReduceEXT (capability \
         GroupNonUniformPartitionedEXT) is not supported",
    ),
    (
        "Kernel",
        "",
        "",
        "%x = OpLogicalNot %uint %u1\nOpLifetimeStart %out 0",
        "",
        "LifetimeStart: this instruction (capability Kernel) is not supported",
    ),
    (
        "SampleMaskOverrideCoverageNV",
        "OpDecorate %mask BuiltIn SampleMask\nOpDecorate %mask OverrideCoverageNV",
        "%masks = OpTypeArray %int %u1\n%pmasks = OpTypePointer Output %masks\n\
         %pmask = OpTypePointer Output %int\n%mask = OpVariable %pmasks Output",
        "%p = OpAccessChain %pmask %mask %u0\nOpStore %p %i0",
        "%mask",
        "Decorate: Decoration OverrideCoverageNV (capability SampleMaskOverrideCoverageNV) is not \
         supported",
    ),
];

/// The module with everything but `code` declares the capability, types and variables.
#[test]
fn declared_capabilities_are_accepted_unless_they_are_used() {
    for &(capability, annotations, globals, code, interface, error) in CASES {
        let mut parts = Parts {
            capability,
            annotations,
            globals,
            code: "",
            interface,
        };
        let shader = translate(&parts).unwrap_or_else(|e| panic!("{capability} declared: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{capability}: {e}\n{shader}"));
        parts.code = code;
        let found = match translate(&parts) {
            Ok(shader) => panic!("{capability} used: accepted\n{shader}"),
            Err(e) => e.to_string(),
        };
        let text = found.split_once(": ").map_or("", |(_, text)| text);
        assert_eq!(text, error, "{capability}");
        assert!(found.starts_with("word "), "{found}");
    }
}

/// Without the declaration, the message still names the instruction and its operation.
#[test]
fn undeclared_partitioned_operations_are_named() {
    let globals = "%ballot = OpConstantComposite %u4 %u1 %u0 %u0 %u0";
    for (code, error) in [
        (
            "%x = OpGroupNonUniformPartitionEXT %u4 %u1",
            "GroupNonUniformPartitionEXT: this instruction is not supported",
        ),
        (
            "%x = OpGroupNonUniformIAdd %uint %u3 PartitionedReduceEXT %u1 %ballot",
            "GroupNonUniformIAdd: group operation PartitionedReduceEXT is not supported",
        ),
    ] {
        let found = translate(&Parts {
            capability: "Shader",
            annotations: "",
            globals,
            code,
            interface: "",
        });
        let found = found.map(|s| s.to_string()).unwrap_err().to_string();
        assert!(found.ends_with(error), "{found}");
    }
}
