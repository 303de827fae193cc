//! Runs the text cases of tests/fs that are NIR.
//!
//! The first line of a case is `test <dump> simd<width>`, followed by `among all` if other widths
//! are compiled too, and by `robust` for robust accesses to buffers. The case checks the
//! dump of this name ([`Options::dumps`]) of the variant of this width.

use super::cases::{Case, read_cases};
use crate::FsError;
use crate::compile::{PIPELINE, compile};
use crate::options::Options;
use abi::ShaderBinary;
use nir::{CfEvent, Instr, IntrinsicOp, Shader};

/// A layout with every buffer that the shader names, as arrays of four.
fn layout(shader: &Shader) -> abi::PipelineLayout {
    let mut layout = abi::PipelineLayout::default();
    for event in shader.layout() {
        let CfEvent::Block(b) = event else { continue };
        for &i in &shader.blocks[b].instrs {
            let Instr::Intrinsic(i) = &shader.instrs[i] else {
                continue;
            };
            use IntrinsicOp::{VulkanResourceIndex, VulkanSamplerIndex};
            if !matches!(i.op, VulkanResourceIndex | VulkanSamplerIndex) {
                continue;
            }
            let (set, binding) = (i.index("set") as usize, i.index("binding"));
            if layout.sets.len() <= set {
                layout.sets.resize_with(set + 1, abi::SetLayout::default);
            }
            let bindings = &mut layout.sets[set].bindings;
            if bindings.iter().all(|b| b.binding != binding) {
                bindings.push(abi::DescriptorBinding {
                    binding,
                    kind: abi::DescriptorKind::StorageBuffer,
                    count: 4,
                    offset_bytes: binding * 256,
                    stride_bytes: 64,
                    samplers: abi::SamplerOffsets::in_last_slot(binding * 256, 64),
                    dynamic_index: 0,
                    static_at_bind: false,
                });
            }
        }
    }
    layout
}

/// Compiles a shader at this width alone, or at all, and keeps the dumps of this name.
fn compile_shader(
    shader: &Shader,
    width: Option<u8>,
    dump: &str,
    robust: bool,
    spill_everything: bool,
) -> Result<ShaderBinary, FsError> {
    let options = Options {
        layout: layout(shader),
        required_width: width,
        dumps: vec![dump.to_owned()],
        validate: true,
        robust_storage: robust,
        robust_uniform: robust,
        spill_everything,
        ..Options::default()
    };
    let device = hw::Device::by_name("skl").unwrap();
    compile(shader, device, &options)
}

fn run(case: &Case) {
    case.check_rule_names();
    let Case { path, words, .. } = case;
    let [dump, width, more @ ..] = &words[..] else {
        panic!("{path}: no dump and width")
    };
    let width = width.strip_prefix("simd").and_then(|w| w.parse().ok());
    let width: u8 = width.unwrap_or_else(|| panic!("{path}: no width"));
    let has = |word: &str| more.iter().any(|w| w == word);
    let alone = !has("among");
    let shader = nir::parse(&case.input).unwrap_or_else(|e| panic!("{path}: {e}"));
    nir::validate(&shader).unwrap_or_else(|e| panic!("{path}: {e}"));
    let binary = compile_shader(&shader, alone.then_some(width), "all", has("robust"), false);
    let binary = binary.unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut variants = binary.variants.iter();
    let variant = variants.find(|v| alone || v.simd_width == width).unwrap();
    let dump_of = |name: &str| {
        let found = variant.dumps.iter().find(|d| d.0 == name);
        found.map_or_else(|| panic!("{path}: no dump {name}"), |d| d.1.as_str())
    };
    let out = dump_of(dump);
    if let Some(broken) = case.broken_rule(out) {
        panic!("{path}: {broken} in\n{out}");
    }
    // A case proves nothing if it holds without the pass that its folder is named after.
    let row = |name: &str| PIPELINE.iter().position(|p| p.0 == name);
    if let (Some(at), Some(_)) = (row(case.folder()), row(dump)) {
        let before = dump_of(if at == 0 { "isel" } else { PIPELINE[at - 1].0 });
        case.check_change(before, out);
    }
}

#[test]
fn text_cases() {
    let cases = read_cases("fs", "nir");
    assert!(cases.len() >= 80, "only {} cases", cases.len());
    cases.iter().for_each(run);
}

/// Compilation checks after each pass that the LIR is its text ([`Options::validate`]). Besides the
/// shaders of tests/fs, some of those of other crates compile as they are.
#[test]
fn printed_lir_is_parsed_to_the_same_lir() {
    let mut compiled = 0;
    for folder in ["fs", "nir", "opt"] {
        for case in read_cases(folder, "nir") {
            let Ok(shader) = nir::parse(&case.input) else {
                continue;
            };
            if nir::validate(&shader).is_err() {
                continue;
            }
            for (width, spill_everything) in [(8, false), (8, true), (16, false), (32, false)] {
                // Instruction selection may panic on NIR that is not lowered.
                let compile = || compile_shader(&shader, Some(width), "", false, spill_everything);
                match std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile)) {
                    Ok(Ok(_)) => compiled += 1,
                    Ok(Err(FsError::Invalid { pass, what, .. })) if what.contains("its text") => {
                        panic!("{}: after {pass}: {what}", case.path)
                    }
                    Ok(Err(_)) | Err(_) => {}
                }
            }
        }
    }
    assert!(compiled > 300, "{compiled} programs");
}

/// Entries of a swizzle beyond the components of the operation have no meaning: the machine code is
/// the same, whatever they are.
#[test]
fn unused_swizzle_entries_are_not_read() {
    for case in read_cases("fs", "nir") {
        let shader = nir::parse(&case.input).unwrap();
        let mut changed = shader.clone();
        for instr in changed.instrs.iter_mut().map(|(_, instr)| instr) {
            let Instr::Alu(alu) = instr else { continue };
            let components = shader.defs[alu.def].num_components;
            for i in 0..alu.srcs.len() {
                let used = usize::from(alu.src_components(i, components));
                alu.srcs[i].swizzle[used..].fill(15);
            }
        }
        let code =
            |shader| compile_shader(shader, None, "", false, false).map(|binary| binary.code);
        assert!(code(&shader) == code(&changed), "{}", case.path);
    }
}

/// A colour that all pixels share is one register, of which components that are not stored are 0.
#[test]
fn replicated_colours_are_one_register() {
    let text = "shader fragment {
    b0:
        %0:32 = const 0
        %1:32x2 = const 0x3f800000, 0x3f000000
        store_output %1, %0 {write_mask=3 location=var0 num_slots=1}
    }";
    let options = Options {
        replicated: true,
        dumps: vec!["isel".into()],
        validate: true,
        ..Options::default()
    };
    let device = hw::Device::by_name("skl").unwrap();
    let binary = compile(&nir::parse(text).unwrap(), device, &options).unwrap();
    let lir = &binary.variants[0].dumps[0].1;
    let expected = "mov (1|M0|W) v2<1>:ud 0x3f800000:ud
    1  mov (1|M0|W) v2+4<1>:ud 0x3f000000:ud
    2  mov (1|M0|W) v2+8<1>:ud 0x0:ud
    3  mov (1|M0|W) v2+12<1>:ud 0x0:ud
    4  collect (16|M0) v3<1>:ud header(v2<1>:ud)
";
    assert!(lir.contains(expected), "{lir}");
}

/// Without 64-bit integers, lanes are compared by the dwords of their values: both comparisons set
/// the flag that is read.
#[test]
fn votes_without_int64_compare_both_dwords() {
    let text = "shader compute {
        workgroup_size 8 1 1
    b0:
        %0:32 = const 0
        %1:32 = vulkan_resource_index %0 {set=0 binding=0}
        %2:32 = load_subgroup_invocation
        %3:32 = const 3
        %4:32 = ishl %2, %3
        %5:64 = load_ssbo %1, %4 {align_mul=8}
        %6:1 = vote_ieq %5
        %7:32 = bcsel %6, %2, %0
        store_ssbo %7, %1, %4 {write_mask=1 align_mul=4}
    }";
    let shader = nir::parse(text).unwrap();
    let options = Options {
        layout: layout(&shader),
        soft_int64: true,
        required_width: Some(8),
        dumps: vec!["isel".into()],
        validate: true,
        ..Options::default()
    };
    let device = hw::Device::by_name("skl").unwrap();
    let binary = compile(&shader, device, &options).unwrap();
    let lir = &binary.variants[0].dumps[0].1;
    let comparisons = lir.matches("(-f0.0) cmp (8|M0) (nef0.0)").count();
    assert_eq!(comparisons, 2, "{lir}");
}
