//! Loads and stores of bytes and halves: random ones against the interpreter, and the number of
//! messages and instructions of the shaders in tests/fs/narrow/.
//!
//! The reference is the interpreter on the shader without the passes that merge accesses. Each lane
//! accesses a window of its own, so that the order of lanes does not matter.

use super::machine::{self, Buffers};
use super::{CORES, ELEMENTS, bindings, layout};
use nir::Shader;
use nir::interp::Machine;
use opt::{Ctx, PassRunner, PipelineStep, RobustBuffers};
use std::fmt::Write;
use std::path::Path;
use vkrunner::ShaderStage;

/// The passes that this file tests.
const TESTED: [&str; 3] = ["opt_load_store_vectorize", "opt_low_bits", "opt_extracts"];
const WIDTHS: [u8; 3] = [8, 16, 32];
const LANES: usize = 32;
/// Programs of every run. `FUZZ=first,number` runs others.
const PROGRAMS: u64 = 60;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// The kinds of memory of a program: the name of their operations, and what they have before the
/// offset.
const MEMORIES: [(&str, &str); 4] = [
    ("ssbo", "%1, "),
    ("shared", ""),
    ("scratch", ""),
    ("ubo", "%2, "),
];

/// A random program in NIR. Its windows are `stride` bytes each.
fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let stride = [64, 68, 66, 65][random.below(4) as usize];
    let mut text = format!(
        "shader compute {{
    workgroup_size {LANES} 1 1
    shared_bytes 4096
    scratch_bytes 80
b0:
    %0:32 = const 0
    %1:32 = vulkan_resource_index %0 {{set=0 binding=0}}
    %2:32 = vulkan_resource_index %0 {{set=0 binding=1}}
    %3:32 = vulkan_resource_index %0 {{set=0 binding=2}}
    %4:32 = load_local_invocation_index
    %5:32 = const {stride}
    %6:32 = imul %4, %5
    %7:32 = const 2
    %8:32 = iand %4, %7
"
    );
    let mut next = 9;
    let mut new = |text: &mut String, line: String| {
        let _ = writeln!(text, "    %{next}:{line}");
        next += 1;
        next - 1
    };
    // The alignment of windows, and of the two halves of a scratch array that a lane chooses from.
    let window = 1u64 << u64::from(stride as u32).trailing_zeros().min(4);
    for (size, name) in [(64, "shared"), (80, "scratch")] {
        for at in (0..size).step_by(4) {
            let value = new(&mut text, format!("32 = const {:#x}", at * 0x0101_0101 + 7));
            let offset = if name == "shared" { "%6" } else { "%0" };
            // Aligned or not: as bytes.
            for byte in 0..4 {
                let eight = new(&mut text, format!("32 = const {}", 8 * byte));
                let shifted = new(&mut text, format!("32 = ushr %{value}, %{eight}"));
                let part = new(&mut text, format!("8 = u2u %{shifted}"));
                let _ = writeln!(
                    text,
                    "    store_{name} %{part}, {offset} {{base={} write_mask=1 align_mul=1}}",
                    at + byte
                );
            }
        }
    }
    let _ = writeln!(
        text,
        "    barrier {{execution_scope=2 memory_scope=2 memory_semantics=264 memory_modes=2}}"
    );
    let mut values = Vec::new();
    let mut last = new(&mut text, "32 = const 0x5a".to_owned());
    let count = 8 + random.below(24);
    let mut at = random.below(48);
    for _ in 0..count {
        let (name, handle) = MEMORIES[random.below(4) as usize];
        let bytes = [1, 2, 2, 4][random.below(4) as usize];
        let align = if name == "scratch" { 2 } else { window };
        // Mostly the next bytes.
        at = match random.below(4) {
            0 => random.below(56),
            _ => at + bytes,
        } % 60;
        let unit = bytes.min(align);
        let bytes = unit;
        at -= at % unit;
        let offset = if name == "scratch" { 8 } else { 6 };
        let based = handle.is_empty();
        let offset = match based {
            true => offset,
            false => {
                let constant = new(&mut text, format!("32 = const {at}"));
                new(&mut text, format!("32 = iadd %{offset}, %{constant}"))
            }
        };
        let base = if based {
            format!("base={at} ")
        } else {
            String::new()
        };
        let bits = 8 * bytes;
        let align = format!("align_mul={align} align_offset={}", at % align);
        if name != "ubo" && random.below(3) == 0 {
            let value = match bits {
                32 => last,
                _ => new(&mut text, format!("{bits} = u2u %{last}")),
            };
            let _ = writeln!(
                text,
                "    store_{name} %{value}, {handle}%{offset} {{{base}write_mask=1 {align}}}"
            );
        } else {
            let loaded = new(
                &mut text,
                format!("{bits} = load_{name} {handle}%{offset} {{{base}{align}}}"),
            );
            let conversion = ["u2u", "i2i"][random.below(2) as usize];
            let value = match bits {
                32 => loaded,
                _ => new(&mut text, format!("32 = {conversion} %{loaded}")),
            };
            last = new(&mut text, format!("32 = iadd %{last}, %{value}"));
            values.push(value);
        }
    }
    let four = new(&mut text, "32 = const 7".to_owned());
    let row = new(&mut text, format!("32 = ishl %4, %{four}"));
    for (k, value) in values.iter().enumerate() {
        let constant = new(&mut text, format!("32 = const {}", 4 * k));
        let to = new(&mut text, format!("32 = iadd %{row}, %{constant}"));
        let _ = writeln!(
            text,
            "    store_ssbo %{value}, %3, %{to} {{write_mask=1 align_mul=4}}"
        );
    }
    text.push_str("}\n");
    text
}

/// The shader after the pipeline, with the passes that this file tests or without.
fn optimised(shader: &Shader, tested: bool, robust: bool) -> Shader {
    let mut shader = shader.clone();
    let is_left = |step: &&PipelineStep| match step {
        PipelineStep::Once(p) => tested || !TESTED.contains(&p.name),
        PipelineStep::UntilStable(all) | PipelineStep::UntilStableIf(_, all) => {
            tested || !all.iter().any(|p| TESTED.contains(&p.name))
        }
    };
    let steps: Vec<PipelineStep> = opt::GEN9.iter().filter(is_left).copied().collect();
    assert_eq!(steps.len() < opt::GEN9.len(), !tested);
    let mut runner = PassRunner {
        validate: true,
        ctx: Ctx {
            robust_buffers: RobustBuffers {
                storage: robust,
                uniform: robust,
            },
            ..Ctx::default()
        },
        ..PassRunner::default()
    };
    runner
        .run(&mut shader, &steps)
        .unwrap_or_else(|e| panic!("{e}\n{shader}"));
    shader
}

/// The bits of a byte that are used: no half of two such bytes is infinite or NaN.
const USED_BITS: u8 = 0xbb;

/// Buffers of `bytes` bytes: bytes near each other differ.
fn buffers(shader: &Shader, bytes: usize) -> Buffers {
    let keys = bindings(shader).into_iter();
    let keys = keys.flat_map(|(set, b)| (0..ELEMENTS).map(move |e| (set, b, e)));
    let contents =
        |b: u32| (0..bytes).map(move |k| ((k as u8).wrapping_mul(37) ^ (b * 91) as u8) & USED_BITS);
    let size = |b: u32| if b == 2 { 128 * LANES } else { bytes };
    keys.map(|key| {
        let mut all: Vec<u8> = contents(key.1).collect();
        all.resize(size(key.1), 0);
        (key, all)
    })
    .collect()
}

fn compiled(shader: &Shader, width: u8, core: &str, spill_everything: bool) -> abi::ShaderBinary {
    let options = fs::Options {
        layout: layout(&bindings(shader)),
        required_width: Some(width),
        validate: true,
        spill_everything,
        dumps: vec!["asm".into()],
        ..fs::Options::default()
    };
    let device = hw::Device::by_name(core).unwrap();
    fs::compile(shader, device, &options).unwrap_or_else(|e| panic!("SIMD{width}: {e}\n{shader}"))
}

/// Compares machine code of the shader with the interpreter on `reference`.
fn compare(shader: &Shader, reference: &Shader, bytes: usize, groups: u32, how: &str) {
    for (width, core) in WIDTHS.into_iter().flat_map(|w| CORES.map(|c| (w, c))) {
        let fresh = buffers(reference, bytes);
        let mut want = Machine {
            buffers: fresh.clone(),
            workgroups: [groups, 1, 1],
            subgroup_size: u32::from(width),
            step_limit: 1_000_000,
            ..Machine::default()
        };
        want.run(reference).unwrap_or_else(|e| panic!("{how}: {e}"));
        assert!(want.buffers != fresh, "{how}: nothing is written");
        for spill in [false, true] {
            let binary = compiled(shader, width, core, spill);
            let mut got = fresh.clone();
            machine::run(&binary, &binary.variants[0], &mut got, &[], [groups, 1, 1])
                .unwrap_or_else(|e| panic!("{how}: {e}"));
            for (want, got) in want.buffers.iter().zip(&got) {
                let differs = want.1.iter().zip(&got.1).position(|(a, b)| a != b);
                assert_eq!(
                    differs, None,
                    "{how}, {core} SIMD{width}, spilled: {spill}: byte of buffer {:?}\n{reference}\n{shader}",
                    want.0
                );
            }
        }
    }
}

/// Random accesses of bytes, halves and dwords, in windows that are aligned or not, read and write
/// what they do one by one. With robust accesses, also in and beyond a buffer that ends within a
/// window, even within a dword of it.
#[test]
fn random_narrow_accesses_match_the_interpreter() {
    let mut merged = 0;
    for seed in super::seeds(PROGRAMS) {
        let shader = nir::parse(&program(seed)).unwrap_or_else(|e| panic!("{seed}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{seed}: {e}"));
        for (robust, bytes) in [
            (false, 4096),
            (true, 4096),
            (true, 1500 + 4 * seed as usize % 64),
        ] {
            let reference = optimised(&shader, false, robust);
            let code = optimised(&shader, true, robust);
            merged += usize::from(code.to_string() != reference.to_string());
            let how = format!("seed {seed}, robust: {robust}, {bytes} bytes");
            compare(&code, &reference, bytes, 1, &how);
        }
    }
    assert!(merged > 0);
}

struct Case {
    name: String,
    text: String,
}

impl Case {
    fn numbers(&self, rule: &str) -> Vec<u32> {
        let found = self
            .text
            .lines()
            .find_map(|l| l.strip_prefix(rule)?.strip_prefix(": "));
        let found = found.unwrap_or_else(|| panic!("{}: no {rule}", self.name));
        found.split(' ').map(|n| n.parse().unwrap()).collect()
    }

    fn shader(&self) -> Shader {
        let name = &self.name;
        let words = vkrunner::compile_glsl(ShaderStage::Compute, &self.text, (1, 2, 0));
        let words = words.unwrap_or_else(|e| panic!("{name}: {e}"));
        let module = spirv_front::Module::parse(&words).unwrap_or_else(|e| panic!("{name}: {e}"));
        let options = spirv_front::Options {
            entry_point: "main",
            ..spirv_front::Options::default()
        };
        module
            .to_nir(&options)
            .unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// The shaders of tests/fs/narrow/ have at most as many messages (`// sends:`, SIMD8, 16 and 32)
/// and instructions (`// instructions:`) as their first lines say, and compute what they do without
/// merging.
#[test]
fn shaders_stay_within_their_limits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fs/narrow");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut cases: Vec<Case> = entries
        .map(|e| e.unwrap().path())
        .map(|path| Case {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            text: std::fs::read_to_string(&path).unwrap(),
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() >= 6, "{} cases", cases.len());
    let mut failures = String::new();
    for case in &cases {
        let front = case.shader();
        let shader = optimised(&front, true, false);
        let limits = [case.numbers("// sends"), case.numbers("// instructions")];
        for (k, width) in WIDTHS.into_iter().enumerate() {
            let binary = compiled(&shader, width, "skl", false);
            let stats = &binary.variants[0].stats;
            let found = [stats.sends, stats.instructions];
            if found[0] > limits[0][k] || found[1] > limits[1][k] {
                let _ = writeln!(
                    failures,
                    "{} SIMD{width}: {} sends and {} instructions\n{}",
                    case.name, found[0], found[1], binary.variants[0].dumps[0].1
                );
            }
        }
        compare(
            &shader,
            &optimised(&front, false, false),
            4096,
            1,
            &case.name,
        );
    }
    assert!(failures.is_empty(), "{failures}");
}
