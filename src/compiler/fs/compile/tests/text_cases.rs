//! Runs the text cases of tests/fs.
//!
//! The first line of a case is `test <dump> simd<width>`, followed by `among all` if other widths
//! are compiled too. The case checks the dump of this name ([`Options::dumps`]) of the variant of
//! this width. `; check: TEXT`: the dump contains the texts of these lines in order. `; not: TEXT`:
//! the dump does not contain the text. `; times: N TEXT`: the dump contains the text N times.

use crate::compile::compile;
use crate::options::Options;
use nir::{CfEvent, Instr, IntrinsicOp, Shader};
use std::path::Path;

fn cases() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fs");
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
    out
}

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

#[test]
fn text_cases() {
    let cases = cases();
    assert!(cases.len() >= 8, "only {} cases", cases.len());
    for (name, text) in cases {
        let (first, rest) = text.split_once('\n').unwrap();
        let mut words = first.split_whitespace();
        assert_eq!(words.next(), Some("test"), "{name}");
        let dump = words.next().unwrap().to_owned();
        let width = words.next().and_then(|w| w.strip_prefix("simd"));
        let width: u8 = width.unwrap().parse().unwrap();
        let alone = words.next() != Some("among");
        let shader: String = rest
            .lines()
            .filter(|l| !l.starts_with(';'))
            .map(|l| format!("{l}\n"))
            .collect();
        let shader = nir::parse(&shader).unwrap_or_else(|e| panic!("{name}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{name}: {e}"));
        let options = Options {
            layout: layout(&shader),
            required_width: alone.then_some(width),
            dumps: vec![dump],
            validate: true,
            ..Options::default()
        };
        let device = hw::Device::by_name("skl").unwrap();
        let binary = compile(&shader, device, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut variants = binary.variants.iter();
        let variant = variants.find(|v| alone || v.simd_width == width).unwrap();
        let out = &variant.dumps[0].1;
        let mut left = out.as_str();
        for line in rest.lines() {
            if let Some(want) = line.strip_prefix("; check: ") {
                match left.find(want) {
                    Some(at) => left = &left[at + want.len()..],
                    None => panic!("{name}: no '{want}' in order in\n{out}"),
                }
            } else if let Some(unwanted) = line.strip_prefix("; not: ") {
                assert!(!out.contains(unwanted), "{name}: '{unwanted}' in\n{out}");
            } else if let Some(rule) = line.strip_prefix("; times: ") {
                let (times, what) = rule.split_once(' ').unwrap();
                let found = out.matches(what).count().to_string();
                assert_eq!(found, times, "{name}: '{what}' in\n{out}");
            }
        }
    }
}
