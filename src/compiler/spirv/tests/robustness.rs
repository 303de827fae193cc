//! The front end on real modules and on corrupted ones.

use crate::asm::assemble;
use crate::module::Module;
use crate::testing::random_flow::{Random, random_function};
use crate::translate::Options;
use std::path::Path;

/// Name and text of each real module.
fn modules() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/spirv/modules");
    let mut out: Vec<(String, String)> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "spvasm"))
        .map(|p| {
            let name = p.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&p).unwrap())
        })
        .collect();
    out.sort();
    assert!(out.len() >= 6);
    out
}

#[test]
fn real_modules_become_valid_nir() {
    for (name, text) in modules() {
        let words = assemble(&text, (1, 3)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let m = Module::parse(&words).unwrap_or_else(|e| panic!("{name}: {e}"));
        let shader = m
            .to_nir(&Options::default())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = m.to_nir(&Options::default()).unwrap();
        assert_eq!(shader.to_string(), again.to_string(), "{name}");
    }
}

#[test]
fn random_control_flow_becomes_valid_nir() {
    for seed in 1..600 {
        let words = assemble(&random_function(seed), (1, 3)).unwrap();
        let shader = Module::parse(&words)
            .unwrap()
            .to_nir(&Options::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

#[test]
fn both_byte_orders_are_read() {
    let (_, text) = modules().remove(0);
    let words = assemble(&text, (1, 3)).unwrap();
    let swapped: Vec<u32> = words.iter().map(|w| w.swap_bytes()).collect();
    let shader = |w: &[u32]| {
        Module::parse(w)
            .unwrap()
            .to_nir(&Options::default())
            .unwrap()
            .to_string()
    };
    assert_eq!(shader(&words), shader(&swapped));
}

/// Applies one random corruption.
fn mutate(words: &mut Vec<u32>, r: &mut Random) {
    let n = words.len() as u64;
    let at = 5 + r.below(n.max(6) - 5) as usize;
    let bound = u64::from(words.get(3).copied().unwrap_or(1).max(2));
    match r.below(9) {
        0 => words.truncate(at),
        1 => {
            if let Some(w) = words.get_mut(at) {
                *w ^= 1 << r.below(32);
            }
        }
        2..=4 => {
            // Replace an id, mostly by one of another type.
            if let Some(w) = words.get_mut(at)
                && u64::from(*w) < bound
            {
                *w = r.below(bound) as u32;
            }
        }
        5 => {
            let other = 5 + r.below(n.max(6) - 5) as usize;
            if other < words.len() && at < words.len() {
                words.swap(at, other);
            }
        }
        6 => {
            if let Some(w) = words.get_mut(at) {
                *w = r.below(1 << 32) as u32;
            }
        }
        7 => {
            // Replace an opcode by a neighbouring one, keeping the number of words.
            if let Some(w) = words.get_mut(at)
                && *w >> 16 != 0
                && *w >> 16 < 20
            {
                *w = (*w & 0xffff_0000) | (((*w & 0xffff) + 1 + r.below(6) as u32) & 0xffff);
            }
        }
        _ => {
            let len = (r.below(6) as usize + 1).min(words.len().saturating_sub(at));
            words.drain(at.min(words.len())..at.min(words.len()) + len);
        }
    }
}

/// The stage of a module's first entry point.
fn stage_of(words: &[u32]) -> nir::Stage {
    use nir::Stage::*;
    let module = Module::parse(words).unwrap();
    let model = module.entry_points().next().unwrap().1;
    [Vertex, TessControl, TessEval, Geometry, Fragment, Compute][model as usize]
}

/// A corrupted module must give an error or valid NIR.
#[test]
fn corrupted_modules_give_an_error_or_valid_nir() {
    let mut modules = modules();
    // Graphics stages, from the translator's cases.
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/spirv/cases");
    for name in [
        "fragment_images",
        "geometry_streams",
        "tess_control_patch",
        "tess_eval",
        "vertex_attributes",
    ] {
        let text = std::fs::read_to_string(cases.join(format!("{name}.spvasm"))).unwrap();
        modules.push((name.to_owned(), text));
    }
    // A declared capability that is not supported, so that what the module uses is examined.
    let (name, text) = modules[0].clone();
    modules.push((name, format!("OpCapability RayQueryKHR\n{text}")));
    let mut accepted = 0;
    for (k, (name, text)) in modules.iter().enumerate() {
        let words = assemble(text, (1, 3)).unwrap();
        for i in 0..1200u64 {
            let seed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (k as u64) << 32;
            let mut r = Random(seed | 1);
            let mut broken = words.clone();
            for _ in 0..1 + r.below(3) {
                mutate(&mut broken, &mut r);
            }
            let options = Options {
                stage: stage_of(&words),
                ..Options::default()
            };
            let shader = Module::parse(&broken).and_then(|m| m.to_nir(&options));
            if let Ok(shader) = shader {
                accepted += 1;
                if let Err(e) = nir::validate(&shader) {
                    panic!("{name}, mutation {i}: {e}");
                }
            }
        }
    }
    assert!(accepted > 100, "only {accepted} mutants were accepted");
}

#[test]
fn random_words_are_rejected() {
    let mut r = Random(7);
    for i in 0..2000 {
        let mut words: Vec<u32> = (0..r.below(80)).map(|_| r.below(1 << 32) as u32).collect();
        if i % 2 == 0 && words.len() > 4 {
            words[0] = spirv::MAGIC_NUMBER;
            words[1] = 0x0001_0300;
            words[3] = 1 + r.below(100) as u32;
            for w in &mut words[5..] {
                // Existing opcodes with plausible lengths.
                *w = (1 + r.below(6) as u32) << 16 | r.below(400) as u32;
            }
        }
        let shader = Module::parse(&words).and_then(|m| m.to_nir(&Options::default()));
        assert!(shader.is_err());
    }
}
