//! The rows and negative cases of booleans of operand size, tests/fs/rows/: GLSL, or NIR as the
//! backend takes it, compiled at each width, counted, and run on words, dwords and quadwords that
//! make all combinations of masks.
//!
//! The first lines of a case have its rules:
//!
//! - `fill B: N VALUES...`: the elements of buffer B, of N bytes each, are drawn from these values.
//! - `alu: A B C`: instructions at SIMD8, 16 and 32, besides those of the loads, the addresses and
//!   the store. The shader with FRAME defined has these, and `frame alu: N` instructions per 16
//!   lanes more.
//! - `conv_mov: N`: moves that only change the size of a mask ([`conversions`]), at every width.
//! - `check: TEXT`, `not: TEXT`: the machine code of SIMD8 has these texts in order, or never.
//! - `times: simdW N TEXT`: the machine code of SIMDW has the text N times.

use super::machine::{self, Buffers};
use super::{CORES, ELEMENTS, GROUPS, Units, bindings, layout};
use nir::Shader;
use nir::interp::Machine;
use std::collections::BTreeMap;
use std::path::Path;
use vkrunner::ShaderStage;

const WIDTHS: [u8; 3] = [8, 16, 32];
const BUFFER_BYTES: usize = 2048;
/// Contents of the buffers that each case runs on.
const SEEDS: u64 = 4;

struct Case {
    name: String,
    text: String,
}

impl Case {
    fn rules<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a str> {
        let comment = |line: &'a str| line.strip_prefix("// ").or(line.strip_prefix("; "));
        let is_heading = |line: &&str| line.starts_with("test ");
        let lines = self.text.lines().skip_while(is_heading).map_while(comment);
        lines.filter_map(move |line| line.strip_prefix(rule)?.strip_prefix(": "))
    }

    fn numbers(&self, rule: &str) -> Option<Vec<u32>> {
        let numbers = |text: &str| text.split(' ').map(|n| n.parse().unwrap()).collect();
        self.rules(rule).next().map(numbers)
    }

    /// The case in NIR, as the backend takes it.
    fn shader(&self, frame: bool) -> Shader {
        let name = &self.name;
        if let Some(at) = self.text.find("\nshader ") {
            return nir::parse(&self.text[at..]).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let (version, rest) = self.text.split_once("#version 460\n").unwrap();
        let define = if frame { "#define FRAME\n" } else { "" };
        let text = format!("{version}#version 460\n{define}{rest}");
        let words = vkrunner::compile_glsl(ShaderStage::Compute, &text, (1, 2, 0));
        let words = words.unwrap_or_else(|e| panic!("{name}: {e}"));
        let module = spirv_front::Module::parse(&words).unwrap_or_else(|e| panic!("{name}: {e}"));
        let options = spirv_front::Options {
            entry_point: "main",
            ..spirv_front::Options::default()
        };
        let shader = module.to_nir(&options);
        let mut shader = shader.unwrap_or_else(|e| panic!("{name}: {e}"));
        opt::compile(&mut shader, Units::ALL.passes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        shader
    }
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fs/rows");
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path());
    let mut out: Vec<Case> = entries
        .map(|path| Case {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            text: std::fs::read_to_string(&path).unwrap(),
        })
        .collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() >= 22, "{} cases", out.len());
    out
}

fn compiled(shader: &Shader, width: u8, core: &str, options: &fs::Options) -> abi::ShaderBinary {
    let options = fs::Options {
        layout: layout(&bindings(shader)),
        required_width: Some(width),
        dumps: vec!["opt_in_place".into(), "asm".into()],
        validate: true,
        ..options.clone()
    };
    let device = hw::Device::by_name(core).unwrap();
    fs::compile(shader, device, &options).unwrap_or_else(|e| panic!("SIMD{width}: {e}"))
}

fn dump<'a>(binary: &'a abi::ShaderBinary, name: &str) -> &'a str {
    let dumps = &binary.variants[0].dumps;
    &dumps.iter().find(|d| d.0 == name).unwrap().1
}

/// Instructions of the machine code, without the read of a flag at the end that an erratum needs.
fn instructions(binary: &abi::ShaderBinary) -> u32 {
    let reads = |line: &&str| line.contains("null<1>:ud        f");
    let asm = dump(binary, "asm").lines();
    binary.variants[0].stats.instructions - asm.filter(reads).count() as u32
}

/// An operand of LIR text: its register, sign and size of its type in bytes.
#[derive(Clone)]
struct Operand {
    register: String,
    negative: bool,
    bytes: u32,
    is_immediate: bool,
}

fn operand(text: &str) -> Option<Operand> {
    let (place, ty) = text.rsplit_once(':')?;
    let bytes = match ty {
        "b" | "ub" => 1,
        "w" | "uw" | "hf" => 2,
        "d" | "ud" | "f" => 4,
        "q" | "uq" | "df" => 8,
        _ => return None,
    };
    let negative = place.starts_with('-');
    let register = place.trim_start_matches('-').split(['<', '+']).next()?;
    Some(Operand {
        register: register.to_owned(),
        negative,
        bytes,
        is_immediate: !register.starts_with('v'),
    })
}

struct LirInst {
    op: String,
    has_cmod: bool,
    dst: Operand,
    srcs: Vec<Operand>,
}

/// The instructions of LIR text that write a register or only flags.
fn parse_lir(text: &str) -> Vec<LirInst> {
    let parse = |line: &str| {
        let mut words = line.split_whitespace().peekable();
        words.next()?.parse::<u32>().ok()?;
        words.next_if(|w| w.starts_with("(+") || w.starts_with("(-"));
        let op = words.next()?.to_owned();
        words.next().filter(|w| w.contains("|M"))?;
        let has_cmod = words.next_if(|w| w.starts_with('(')).is_some();
        let mut operands = words.map_while(operand);
        Some(LirInst {
            op,
            has_cmod,
            dst: operands.next()?,
            srcs: operands.collect(),
        })
    };
    text.lines().filter_map(parse).collect()
}

/// The moves that convert a mask: the source is defined only by comparisons and operations on
/// masks, and read at another size than it was written or than the move writes; and only operations
/// that take booleans read the result.
fn conversions(text: &str) -> Vec<String> {
    let insts = parse_lir(text);
    // The registers that hold masks, with the size of each.
    let mut masks: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for _ in 0..4 {
        let mut found: BTreeMap<&str, Option<u32>> = BTreeMap::new();
        for inst in &insts {
            let is_mask = |s: &Operand| {
                s.is_immediate || masks.get(s.register.as_str()).is_some_and(Option::is_some)
            };
            let makes = match inst.op.as_str() {
                "cmp" => true,
                "and" | "or" | "xor" | "not" | "sel" => inst.srcs.iter().all(is_mask),
                "mov" => inst.srcs.iter().all(|s| is_mask(s) && !s.negative),
                _ => false,
            };
            let size = makes.then_some(inst.dst.bytes);
            let known = found.entry(&inst.dst.register).or_insert(size);
            *known = (*known).min(size).filter(|_| makes);
        }
        masks = found;
    }
    let reads_mask = |register: &str| {
        let reads = |inst: &&LirInst| inst.srcs.iter().any(|s| s.register == register);
        let mut readers = insts.iter().filter(reads).peekable();
        readers.peek().is_some()
            && readers.all(|inst| match inst.op.as_str() {
                "and" | "or" | "xor" | "not" | "sel" => true,
                "mov" | "add" => {
                    let own = inst.srcs.iter().filter(|s| s.register == register);
                    inst.has_cmod || { own }.all(|s| s.negative) || inst.op == "mov"
                }
                _ => false,
            })
    };
    let converts = |inst: &&LirInst| {
        let Some(from) = inst.srcs.first().filter(|s| !s.is_immediate) else {
            return false;
        };
        let written = masks.get(from.register.as_str()).copied().flatten();
        inst.op == "mov"
            && !inst.has_cmod
            && !from.negative
            && written.is_some_and(|written| written != from.bytes || from.bytes != inst.dst.bytes)
            && reads_mask(&inst.dst.register)
    };
    let moves = insts.iter().filter(converts);
    moves
        .map(|inst| format!("{} from {}", inst.dst.register, inst.srcs[0].register))
        .collect()
}

fn element(value: &str) -> u64 {
    match value.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
        None => value.parse().unwrap(),
    }
}

/// The buffers of a case: those with a `fill` rule have its values, the others zeros.
fn filled(case: &Case, shader: &Shader, seed: u64) -> Buffers {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let bindings = bindings(shader).into_iter();
    let keys = bindings.flat_map(|(set, b)| (0..ELEMENTS).map(move |e| (set, b, e)));
    let mut fill = |binding: u32| -> Vec<u8> {
        let prefix = format!("fill {binding}");
        let Some(rule) = case.rules(&prefix).next() else {
            return vec![0; BUFFER_BYTES];
        };
        let (bytes, values) = rule.split_once(' ').unwrap();
        let bytes: usize = bytes.parse().unwrap();
        let values: Vec<u64> = values.split(' ').map(element).collect();
        let mut out = Vec::new();
        while out.len() < BUFFER_BYTES {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let value = values[(state >> 33) as usize % values.len()];
            out.extend_from_slice(&value.to_le_bytes()[..bytes]);
        }
        out
    };
    keys.map(|key| (key, fill(key.1))).collect()
}

/// The machine code computes what the interpreter computes; none of the runs leaves the outputs as
/// they were.
fn run(case: &Case, shader: &Shader, binary: &abi::ShaderBinary, how: &str) {
    for seed in 0..SEEDS {
        let fresh = filled(case, shader, seed);
        let mut machine = Machine {
            buffers: fresh.clone(),
            workgroups: GROUPS,
            subgroup_size: u32::from(binary.variants[0].simd_width),
            step_limit: 1_000_000,
            ..Machine::default()
        };
        machine.run(shader).unwrap_or_else(|e| panic!("{how}: {e}"));
        let mut got = fresh.clone();
        machine::run(binary, &binary.variants[0], &mut got, &[], GROUPS)
            .unwrap_or_else(|e| panic!("{how}: {e}"));
        assert!(machine.buffers != fresh, "{how}: nothing is written");
        for (want, got) in machine.buffers.iter().zip(&got) {
            let differs = want.1.iter().zip(&got.1).position(|(a, b)| a != b);
            assert_eq!(
                differs, None,
                "{how}, seed {seed}: byte of buffer {:?}",
                want.0
            );
        }
    }
}

/// F3 to F7: every case computes the same as the interpreter at each width, on both cores, with and
/// without spilling, and with dwords for all booleans.
#[test]
fn rows_match_the_interpreter_at_every_width() {
    for case in cases() {
        let shader = case.shader(false);
        for (width, core) in WIDTHS.into_iter().flat_map(|w| CORES.map(|c| (w, c))) {
            for (spill_everything, dword_booleans) in [(false, false), (true, false), (false, true)]
            {
                let options = fs::Options {
                    spill_everything,
                    dword_booleans,
                    ..fs::Options::default()
                };
                let binary = compiled(&shader, width, core, &options);
                let how = format!(
                    "{} {core} SIMD{width}, spilled: {spill_everything}, dwords: {dword_booleans}",
                    case.name
                );
                run(&case, &shader, &binary, &how);
            }
        }
    }
}

/// F1: no move converts the mask of a comparison in B1 to B7, and one does in B8.
#[test]
fn masks_are_converted_only_for_the_phi_of_two_sizes() {
    let options = fs::Options::default();
    let dwords = fs::Options {
        dword_booleans: true,
        ..fs::Options::default()
    };
    let (mut rows, mut with_dwords) = (0, 0);
    for case in cases() {
        let Some(want) = case.numbers("conv_mov") else {
            continue;
        };
        let shader = case.shader(false);
        for width in WIDTHS {
            let binary = compiled(&shader, width, "skl", &options);
            let text = dump(&binary, "opt_in_place");
            let found = conversions(text);
            // An instruction covers 16 lanes at most.
            let want = want[0] as usize * usize::from(width.div_ceil(16));
            assert_eq!(
                found.len(),
                want,
                "{} SIMD{width}: {found:?}\n{text}",
                case.name
            );
            let binary = compiled(&shader, width, "skl", &dwords);
            with_dwords += conversions(dump(&binary, "opt_in_place")).len();
        }
        rows += usize::from(case.name.starts_with('b'));
    }
    assert_eq!(rows, 8);
    // The count is not blind: the 32-bit form of the same shaders has conversions.
    assert!(with_dwords > 30, "{with_dwords} with dwords");
}

/// F6: instructions of a condition besides the frame, and the machine code of SIMD8.
#[test]
fn rows_have_their_instructions() {
    for case in cases() {
        let shader = case.shader(false);
        let code = WIDTHS.map(|width| compiled(&shader, width, "skl", &fs::Options::default()));
        let alu = case.numbers("alu");
        let frame_alu = case.numbers("frame alu").map_or(0, |n| n[0]);
        for (n, binary) in code.iter().enumerate() {
            let Some(want) = alu.as_ref().map(|alu| alu[n]) else {
                break;
            };
            let width = WIDTHS[n];
            let frame = compiled(&case.shader(true), width, "skl", &fs::Options::default());
            let without = instructions(&frame) - frame_alu * u32::from(width.div_ceil(16));
            let found = instructions(binary) - without;
            let text = dump(binary, "asm");
            assert_eq!(found, want, "{} SIMD{width}:\n{text}", case.name);
        }
        let text = dump(&code[0], "asm");
        let mut rest = text;
        for want in case.rules("check") {
            let at = rest.find(want);
            let at = at.unwrap_or_else(|| panic!("{}: no '{want}' in order in\n{text}", case.name));
            rest = &rest[at + want.len()..];
        }
        for unwanted in case.rules("not") {
            assert!(
                !text.contains(unwanted),
                "{}: '{unwanted}' in\n{text}",
                case.name
            );
        }
        for rule in case.rules("times") {
            let (width, rule) = rule.split_once(' ').unwrap();
            let (times, what) = rule.split_once(' ').unwrap();
            let n = WIDTHS
                .iter()
                .position(|w| width == format!("simd{w}"))
                .unwrap();
            let text = dump(&code[n], "asm");
            let found = text.matches(what).count().to_string();
            assert_eq!(found, times, "{} {width}: '{what}' in\n{text}", case.name);
        }
    }
}

/// F9: no shader of the scripts, and no row, has more instructions, messages or spills than with
/// dwords for all booleans, and all of them together do not have more live registers.
#[test]
fn no_shader_is_longer_than_with_booleans_of_dwords() {
    let rows = cases()
        .into_iter()
        .map(|c| (c.name.clone(), c.shader(false)));
    let all: Vec<(String, Shader)> = rows.chain(super::shaders().iter().cloned()).collect();
    let (mut compared, mut shorter, mut failures) = (0, 0, Vec::new());
    let mut registers = [0; 2];
    for (name, shader) in &all {
        for width in WIDTHS {
            let stats = |dword_booleans| {
                let options = fs::Options {
                    layout: layout(&bindings(shader)),
                    required_width: Some(width),
                    dword_booleans,
                    ..fs::Options::default()
                };
                let device = hw::Device::by_name("skl").unwrap();
                let binary = fs::compile(shader, device, &options).ok()?;
                let s = &binary.variants[0].stats;
                let counts = [s.instructions, s.sends, s.spills + s.fills];
                Some((counts, s.max_live_registers))
            };
            let (Some((found, live)), Some((dwords, live_dwords))) = (stats(false), stats(true))
            else {
                continue;
            };
            compared += 1;
            shorter += usize::from(found[0] < dwords[0]);
            registers[0] += live;
            registers[1] += live_dwords;
            if found.iter().zip(&dwords).any(|(a, b)| a > b) {
                failures.push(format!(
                    "{name} SIMD{width}: {found:?}, with dwords {dwords:?}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        registers[0] <= registers[1],
        "live registers: {registers:?}"
    );
    let filtered = std::env::var_os("FS_EXEC").is_some();
    assert!(
        filtered || compared > 700 && shorter > 30,
        "{compared} compared, {shorter} shorter"
    );
}
