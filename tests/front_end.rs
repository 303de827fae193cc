//! Every shader of vkrunner-scripts goes through the front end and the optimiser, validated after each pass.

use std::path::{Path, PathBuf};
use vkrunner::{Runner, ShaderStage};

fn scripts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vkrunner-scripts");
    let mut pending = vec![root];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        // The draw scripts are about the 3D pipeline; these tests read compute shaders.
        if path.ends_with("vkrunner-scripts/draw") {
            continue;
        }
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a readable folder");
            pending.extend(entries.flatten().map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "shader_test") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn every_script_is_lowered_and_valid() {
    let mut failures = Vec::new();
    let mut lowered = 0;
    for path in scripts() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Ok(script) = vkrunner::parse(&text, &[]) else {
            continue;
        };
        let Ok(modules) = Runner::compile(&script) else {
            continue;
        };
        for (stage, words) in modules {
            if stage != ShaderStage::Compute {
                continue;
            }
            let entries: Vec<String> = match spirv_front::Module::parse(&words) {
                Ok(module) => module.entry_points().map(|e| e.0.to_string()).collect(),
                Err(error) => {
                    failures.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            for entry in entries {
                match lower(&words, &entry) {
                    Ok(()) => lowered += 1,
                    Err(why) => failures.push(format!("{}: {why}", path.display())),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(lowered > 140, "only {lowered} shaders");
}

fn lower(words: &[u32], entry: &str) -> Result<(), String> {
    let module = spirv_front::Module::parse(words).map_err(|e| e.to_string())?;
    let options = spirv_front::Options {
        entry_point: entry,
        ..spirv_front::Options::default()
    };
    let mut shader = module.to_nir(&options).map_err(|e| e.to_string())?;
    nir::validate(&shader).map_err(|e| format!("front end: {e}"))?;
    let mut runner = opt::Runner {
        validate: true,
        ..opt::Runner::default()
    };
    runner
        .run(&mut shader, opt::COMPUTE_GEN9)
        .map_err(|e| e.to_string())?;
    Ok(())
}
