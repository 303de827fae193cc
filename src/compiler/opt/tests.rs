//! Runs the text cases in tests/opt (see the README there).

use crate::pass::{Ctx, IndirectSets, PipelineStep, RobustBuffers};
use crate::pipeline::GEN9;
use crate::runner::PassRunner;
use crate::validate_lowered::validate_lowered;
use nir::interp::Machine;
use nir::{Instr, Shader, parse, parse_bits};
use std::path::Path;

/// All cases in `tests/opt`, sorted by name: (path, text).
fn cases() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/opt");
    let mut out = Vec::new();
    let mut dirs = vec![root];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|e| e == "nir") {
                let text = std::fs::read_to_string(&path).unwrap();
                out.push((path.display().to_string(), text));
            }
        }
    }
    out.sort();
    assert!(!out.is_empty());
    out
}

/// The pass with this name, or the whole pipeline.
fn find_steps(name: &str) -> Vec<PipelineStep> {
    if name == "pipeline" {
        return GEN9.to_vec();
    }
    let all = GEN9.iter().flat_map(|s| match s {
        PipelineStep::Once(p) => vec![*p],
        PipelineStep::UntilStable(p) | PipelineStep::UntilStableIf(_, p) => p.to_vec(),
    });
    let mut found: Vec<PipelineStep> = all
        .filter(|p| p.name == name)
        .map(PipelineStep::Once)
        .collect();
    found.truncate(1);
    assert!(!found.is_empty(), "no pass {name}");
    found
}

fn check_text(name: &str, text: &str, shader: &Shader) {
    let out = shader.to_string();
    let mut rest = out.as_str();
    for line in text.lines() {
        if let Some(want) = line.strip_prefix("; check: ") {
            match rest.find(want) {
                Some(at) => rest = &rest[at + want.len()..],
                None => panic!("{name}: no '{want}' in order in\n{out}"),
            }
        } else if let Some(unwanted) = line.strip_prefix("; not: ") {
            assert!(!out.contains(unwanted), "{name}: '{unwanted}' in\n{out}");
        }
    }
}

/// Parses the state of the interpreter: `0.1=[1 2.5 …]` (set.binding, dwords), `push=[…]`,
/// `groups=2`.
fn parse_machine(name: &str, text: &str) -> Machine {
    let mut m = Machine {
        workgroups: [1, 1, 1],
        subgroup_size: 8,
        ..Machine::default()
    };
    let mut rest = text.trim();
    while let Some((key, tail)) = rest.split_once('=') {
        let (value, tail) = match tail.strip_prefix('[') {
            Some(t) => t.split_once(']').unwrap_or_else(|| panic!("{name}: no ]")),
            None => tail.split_once(' ').unwrap_or((tail, "")),
        };
        let bytes: Vec<u8> = value
            .split_whitespace()
            .flat_map(|w| {
                (parse_bits(w, 32).unwrap_or_else(|| panic!("{name}: {w}")) as u32).to_le_bytes()
            })
            .collect();
        match key.trim() {
            "push" => m.push_constants = bytes,
            "groups" => m.workgroups[0] = value.trim().parse().unwrap(),
            key => {
                let (set, binding) = key.split_once('.').unwrap();
                let (binding, element) = binding.split_once('.').unwrap_or((binding, "0"));
                let at = (
                    set.parse().unwrap(),
                    binding.parse().unwrap(),
                    element.parse().unwrap(),
                );
                m.buffers.push((at, bytes));
            }
        }
        rest = tail.trim();
    }
    m
}

/// Interprets the shader before and after the passes: the results must be equal, and buffers must
/// begin with the contents given behind `=>`.
fn check_run(name: &str, line: &str, before: &Shader, after: &Shader) {
    let (input, expected) = line.split_once("=>").unwrap_or((line, ""));
    let start = parse_machine(name, input);
    let expected = parse_machine(name, expected);
    let mut first = start.clone();
    first
        .run(before)
        .unwrap_or_else(|e| panic!("{name}: before: {e}"));
    let mut second = start;
    second
        .run(after)
        .unwrap_or_else(|e| panic!("{name}: after: {e}\n{after}"));
    for (at, bytes) in &expected.buffers {
        let found = &first.buffers.iter().find(|b| b.0 == *at).unwrap().1;
        assert_eq!(
            dwords(&found[..bytes.len()]),
            dwords(bytes),
            "{name}: {at:?} before"
        );
    }
    for (a, b) in first.buffers.iter().zip(&second.buffers) {
        assert_eq!(
            dwords(&a.1),
            dwords(&b.1),
            "{name}: {:?}, before and after\n{after}",
            a.0
        );
    }
}

fn dwords(bytes: &[u8]) -> Vec<String> {
    bytes
        .chunks(4)
        .map(|c| {
            format!(
                "{:#x}",
                c.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b))
            )
        })
        .collect()
}

/// Parses a Y'CbCr conversion: `SET.BINDING.ELEMENT MODEL narrow|full BITS PLANES COSITED CR Y CB
/// ALPHA`. COSITED is `xy`, `x`, `y` or `-`; the channels are `PLANE.COMPONENT`, `zero` or `one`.
fn parse_conversion(name: &str, line: &str) -> (u32, abi::ConvertedBinding) {
    use abi::{ColourModel as M, ConvertedBinding, YcbcrComponent, YcbcrConversion};
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = |word: &str| -> Vec<u32> {
        let all = word.split('.').map(|n| n.parse().ok());
        all.collect::<Option<_>>()
            .unwrap_or_else(|| panic!("{name}: {word}"))
    };
    let component = |word: &str| match word {
        "zero" => YcbcrComponent::Zero,
        "one" => YcbcrComponent::One,
        word => YcbcrComponent::Plane {
            plane: numbers(word)[0] as u8,
            component: numbers(word)[1] as u8,
        },
    };
    let location = numbers(words[0]);
    let conversion = YcbcrConversion {
        model: match words[1] {
            "rgb" => M::Rgb,
            "ycbcr" => M::Ycbcr,
            "bt709" => M::Bt709,
            "bt601" => M::Bt601,
            "bt2020" => M::Bt2020,
            other => panic!("{name}: {other}"),
        },
        narrow: words[2] == "narrow",
        bits: numbers(words[3])[0] as u8,
        planes: numbers(words[4])[0] as u8,
        cosited: ["x", "y"].map(|axis| words[5].contains(axis)),
        components: [6, 7, 8, 9].map(|at| component(words[at])),
    };
    let converted = ConvertedBinding {
        binding: location[1],
        element: location[2],
        conversion,
    };
    (location[0], converted)
}

/// Parses the inputs of the next stage (`; next stage reads:`): `vertices`, pinned slots (`var1`),
/// components of slots (`var1.xw`), flat components (`flat var1.x`).
fn parse_reads(text: &str) -> nir::InputsRead {
    let mut reads = nir::InputsRead::NONE;
    let mut flat = false;
    for word in text.split_whitespace() {
        match (word, word.split_once('.')) {
            ("vertices", _) => reads.vertices = true,
            ("flat", _) => flat = true,
            (_, Some((name, components))) => {
                let bits = components.chars().map(|c| "xyzw".find(c).unwrap());
                let bits = bits.fold(0, |all, bit| all | 1 << bit);
                reads.add(nir::Slot::from_name(name).unwrap(), bits, flat);
                flat = false;
            }
            (name, None) => reads.pin(nir::Slot::from_name(name).unwrap()),
        }
    }
    reads
}

/// Parses an output that the previous stage has moved (`; linked`): `var1.x var0.w`, or `var1.x
/// 0x3f800000` for a constant.
fn parse_link(text: &str) -> abi::OutputLink {
    let location = |text: &str| {
        let (name, component) = text.split_once('.').unwrap();
        let slot = nir::Slot::from_name(name).unwrap();
        (slot.0, "xyzw".find(component).unwrap() as u8)
    };
    let (from, to) = text.split_once(' ').unwrap();
    let (slot, component) = location(from);
    let to = match to.strip_prefix("0x") {
        Some(bits) => abi::LinkTarget::Constant(u32::from_str_radix(bits, 16).unwrap()),
        None => {
            let (slot, component) = location(to);
            abi::LinkTarget::At(slot, component)
        }
    };
    abi::OutputLink {
        slot,
        component,
        to,
    }
}

#[test]
fn text_cases() {
    run_cases(|_| {});
}

/// Entries of a swizzle beyond the components of the operation have no meaning: no pass reads them.
#[test]
fn unused_swizzle_entries_are_not_read() {
    run_cases(|shader| {
        for instr in shader.instrs.ids().collect::<Vec<_>>() {
            let Instr::Alu(mut alu) = shader.instrs[instr].clone() else {
                continue;
            };
            let components = shader.defs[alu.def].num_components;
            for i in 0..alu.srcs.len() {
                let used = usize::from(alu.src_components(i, components));
                alu.srcs[i].swizzle[used..].fill(15);
            }
            shader.instrs[instr] = Instr::Alu(alu);
        }
    });
}

/// Runs the passes of each case over its shader, which `prepare` changes first.
fn run_cases(prepare: impl Fn(&mut Shader)) {
    for (name, text) in cases() {
        let start = text.find("\nshader ").unwrap();
        let mut shader = parse(&text[start..]).unwrap_or_else(|e| panic!("{name}: {e}"));
        prepare(&mut shader);
        nir::validate(&shader).unwrap_or_else(|e| panic!("{name}: input: {e}"));
        let head = text.lines().next().unwrap();
        let passes: Vec<PipelineStep> = head
            .strip_prefix("test ")
            .unwrap()
            .split_whitespace()
            .flat_map(find_steps)
            .collect();
        let original = shader.clone();
        let lines = text.lines();
        let conversions = lines.filter_map(|l| l.strip_prefix("; conversion: "));
        let read = text
            .lines()
            .find_map(|l| l.strip_prefix("; next stage reads:"));
        let linked = text.lines().filter_map(|l| l.strip_prefix("; linked "));
        let without = text.lines().find_map(|l| l.strip_prefix("; without: "));
        let indirect = text
            .lines()
            .find_map(|l| l.strip_prefix("; mask of indirect sets:"));
        let robust = |line| text.lines().any(|l| l == line);
        let lacks = |unit| without.is_some_and(|w| w.split_whitespace().any(|w| w == unit));
        let mut runner = PassRunner {
            validate: true,
            ctx: Ctx {
                robust_buffers: RobustBuffers {
                    storage: robust("; robust buffers"),
                    uniform: robust("; robust buffers") || robust("; robust uniform buffers"),
                },
                soft_fp64: lacks("fp64"),
                soft_int64: lacks("int64"),
                indirect_sets: IndirectSets {
                    mask: indirect.map_or(0, |mask| mask.trim().parse().unwrap()),
                    base_high: 4,
                },
                next_stage_reads: read.map(parse_reads),
                links: linked.map(parse_link).collect(),
                conversions: conversions.map(|l| parse_conversion(&name, l)).collect(),
                ..Ctx::default()
            },
            ..PassRunner::default()
        };
        runner
            .run(&mut shader, &passes)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{shader}"));
        check_text(&name, &text, &shader);
        for line in text.lines().filter_map(|l| l.strip_prefix("; run: ")) {
            check_run(&name, line, &original, &shader);
        }
        if std::env::var_os("SHOW").is_some() {
            println!("{name}\n{shader}");
        }
    }
}

#[test]
fn pointers_that_remain_after_the_passes_are_refused() {
    let text = "shader compute {
        type t0 = int32
        var v0 = ssbo t0 \"data\" binding 0
    b0:
        %0:32 = deref_var v0 : ssbo t0
    }";
    let shader = parse(text).unwrap();
    let error = validate_lowered(&shader, &Ctx::default()).unwrap_err();
    let expected = "a pointer that cannot be resolved (Ssbo)";
    assert!(error.to_string().contains(expected), "{error}");
}
