//! Every shader of vkrunner-scripts, of all stages, goes through the compiler, validated after each
//! pass.

use nir::Stage;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vkrunner::{Runner, ShaderStage};

fn scripts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vkrunner-scripts");
    let mut pending = vec![root];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
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
    let mut lowered: BTreeMap<String, u32> = BTreeMap::new();
    for path in scripts() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Ok(script) = vkrunner::parse(&text, &[]) else {
            continue;
        };
        let Ok(modules) = Runner::compile(&script) else {
            continue;
        };
        let tess = tess_modes(&modules);
        for (stage, words) in modules {
            let (stage, model) = stage_of(stage);
            let entries: Vec<String> = match spirv_front::Module::parse(&words) {
                Ok(module) => {
                    let mine = module.entry_points().filter(|e| e.1 == model);
                    mine.map(|e| e.0.to_string()).collect()
                }
                Err(error) => {
                    failures.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            for entry in entries {
                match lower(&words, &entry, stage, tess) {
                    Ok(()) => *lowered.entry(format!("{stage:?}")).or_insert(0) += 1,
                    Err(why) => failures.push(format!("{}: {why}", path.display())),
                }
            }
        }
    }
    println!("{lowered:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for (stage, least) in [
        ("Compute", 200),
        ("Vertex", 320),
        ("Fragment", 320),
        ("Geometry", 23),
        ("TessControl", 29),
        ("TessEval", 29),
    ] {
        let found = lowered.get(stage).copied().unwrap_or(0);
        assert!(found >= least, "only {found} shaders of stage {stage}");
    }
}

/// NIR's stage and SPIR-V's execution model.
fn stage_of(stage: ShaderStage) -> (Stage, u32) {
    match stage {
        ShaderStage::Vertex => (Stage::Vertex, 0),
        ShaderStage::TessControl => (Stage::TessControl, 1),
        ShaderStage::TessEval => (Stage::TessEval, 2),
        ShaderStage::Geometry => (Stage::Geometry, 3),
        ShaderStage::Fragment => (Stage::Fragment, 4),
        ShaderStage::Compute => (Stage::Compute, 5),
    }
}

/// What the stages of tessellation declare together.
fn tess_modes(modules: &[(ShaderStage, Vec<u32>)]) -> nir::TessInfo {
    let modes = modules.iter().filter_map(|(stage, words)| {
        let options = spirv_front::Options {
            entry_point: "main",
            stage: stage_of(*stage).0,
            ..spirv_front::Options::default()
        };
        let module = spirv_front::Module::parse(words).ok()?;
        Some(module.to_nir(&options).ok()?.info.tess)
    });
    modes.fold(nir::TessInfo::default(), nir::TessInfo::union)
}

fn lower(words: &[u32], entry: &str, stage: Stage, tess: nir::TessInfo) -> Result<(), String> {
    let module = spirv_front::Module::parse(words).map_err(|e| e.to_string())?;
    let options = spirv_front::Options {
        entry_point: entry,
        stage,
        ..spirv_front::Options::default()
    };
    let mut shader = module.to_nir(&options).map_err(|e| e.to_string())?;
    shader.info.tess = tess;
    nir::validate(&shader).map_err(|e| format!("front end: {e}"))?;
    let mut runner = opt::PassRunner {
        validate: true,
        ..opt::PassRunner::default()
    };
    runner
        .run(&mut shader, opt::GEN9)
        .map_err(|e| e.to_string())?;
    opt::validate_lowered(&shader, &runner.ctx).map_err(|e| e.to_string())?;
    let layout = compile::default_layout(words, stage, entry).map_err(|e| e.to_string())?;
    let options = fs::Options {
        layout,
        validate: true,
        ..fs::Options::default()
    };
    let device = hw::Device::by_name("skl").expect("a device");
    fs::compile(&shader, device, &options).map_err(|e| format!("back end: {e}"))?;
    Ok(())
}
