//! `ingot compile`: compiles shaders and prints statistics and, on request, NIR, LIR and machine
//! code.

use crate::fossilize::{FossilizedStage, Library};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use vkrunner::ShaderStage;

/// Arguments of `ingot compile`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    ingot compile shader.comp                    statistics of every SIMD width\n  \
    ingot compile shader.spv --nir opt_cse       NIR after that pass\n  \
    ingot compile shader.comp --asm              machine code as IGA reads it\n  \
    ingot compile shader.frag --nir final        NIR as the backend gets it\n  \
    ingot compile game.foz                       all stages of a Fossilize archive's pipelines")]
pub struct Args {
    /// GLSL (*.comp, *.vert, *.tesc, *.tese, *.geom, *.frag), SPIR-V (*.spv) or Fossilize (*.foz)
    /// files
    #[arg(required = true, value_parser = crate::value_parsers::existing_path)]
    shaders: Vec<PathBuf>,
    /// Device to compile for
    #[arg(long, value_name = "NAME", default_value = "skl", value_parser = ingot_cli::gpu_names::device)]
    gpu: &'static hw::Device,
    /// Entry point [default: the module's only one]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Only this SIMD width: 8, 16 or 32
    #[arg(long, value_name = "WIDTH", value_parser = crate::value_parsers::simd)]
    simd: Option<u8>,
    /// Print NIR after this pass (`spirv`: the front end, `all`: every pass, `final`: the backend's
    /// input)
    #[arg(long, value_name = "PASS", value_parser = crate::value_parsers::pass)]
    nir: Option<String>,
    /// Print the backend's LIR
    #[arg(long)]
    lir: bool,
    /// Print the machine code
    #[arg(long)]
    asm: bool,
    /// Write the machine code of all widths to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs `ingot compile`.
pub fn main(args: &Args) -> ExitCode {
    println!(
        "{:32} {:>4} {:>6} {:>8} {:>5} {:>5} {:>6} {:>5} {:>4} {:>8}",
        "shader", "simd", "instr", "cycles", "sends", "loops", "spills", "fills", "regs", "ms"
    );
    let mut failed = false;
    for path in &args.shaders {
        let is_archive = path.extension().is_some_and(|e| e == "foz");
        let errors = match is_archive {
            true => compile_archive(args, path),
            false => compile_file(args, path).err().into_iter().collect(),
        };
        for message in &errors {
            eprintln!("{}: {message}", path.display());
        }
        failed |= !errors.is_empty();
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// SPIR-V words of a file; GLSL is compiled first.
pub fn words_of(path: &Path) -> Result<Vec<u32>, String> {
    if path.extension().is_some_and(|e| e == "spv") {
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        if bytes.len() % 4 != 0 {
            return Err("the length is no multiple of 4".into());
        }
        let words = bytes.chunks_exact(4);
        return Ok(words
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
            .collect());
    }
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let extension = path.extension().unwrap_or_default();
    let stage = ShaderStage::ALL.iter().find(|s| extension == s.2);
    vkrunner::compile_glsl(
        stage.map_or(ShaderStage::Compute, |s| s.0),
        &text,
        (1, 1, 0),
    )
}

/// The entry point called `name`, or the module's only one, and its stage.
fn entry_of(words: &[u32], name: Option<&str>) -> Result<(String, compile::Stage), String> {
    let mut all = compile::entry_points(words).map_err(|e| e.to_string())?;
    let has: Vec<String> = all.iter().map(|e| e.0.clone()).collect();
    let has = has.join(", ");
    if let Some(name) = name {
        all.retain(|e| e.0 == name);
    }
    match all.len() {
        1 => Ok(all.remove(0)),
        0 => Err(format!(
            "no such entry point is in the module; it has: {has}"
        )),
        _ => Err(format!("--entry has to say which: {has}")),
    }
}

/// The module's only compute entry point.
pub fn only_entry(words: &[u32]) -> Result<String, String> {
    let mut names = compile::compute_entry_points(words).map_err(|e| e.to_string())?;
    match names.len() {
        1 => Ok(names.remove(0)),
        0 => Err("no compute shader is in the module".into()),
        _ => Err(format!("--entry has to say which: {}", names.join(", "))),
    }
}

fn compile_file(args: &Args, path: &Path) -> Result<(), String> {
    let words = words_of(path)?;
    let (entry, stage) = entry_of(&words, args.entry.as_deref())?;
    let name = path
        .file_stem()
        .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    compile_entry(args, &name, &words, (&entry, stage), &[])
}

/// Compiles all stages of an archive's pipelines; returns the errors.
fn compile_archive(args: &Args, path: &Path) -> Vec<String> {
    let library = match Library::open(path) {
        Ok(library) => library,
        Err(error) => return vec![error.to_string()],
    };
    let compile = |stage: &FossilizedStage| {
        let state = &stage.state;
        let words = library.module(state.module).map_err(|e| e.to_string())?;
        let constants: Vec<(u32, u64)> = state.constants().collect();
        let entry = (state.entry.as_str(), stage.stage);
        compile_entry(args, &stage.name, &words, entry, &constants)
    };
    let wanted = |stage: &&FossilizedStage| {
        let entry = args.entry.as_ref();
        entry.is_none_or(|entry| *entry == stage.state.entry)
    };
    let stages = library.stages.iter().filter(wanted);
    stages
        .filter_map(|stage| Some(format!("{}: {}", stage.name, compile(stage).err()?)))
        .collect()
}

fn compile_entry(
    args: &Args,
    name: &str,
    words: &[u32],
    (entry, stage): (&str, compile::Stage),
    specialization: &[(u32, u64)],
) -> Result<(), String> {
    let layout = compile::default_layout(words, stage, entry).map_err(|e| e.to_string())?;
    let backend = fs::Options {
        required_width: args.simd,
        dumps: [(args.lir, "all"), (args.asm, "asm")]
            .into_iter()
            .filter(|d| d.0)
            .map(|d| d.1.to_string())
            .collect(),
        ..fs::Options::default()
    };
    let key = compile::CompileKey {
        backend,
        specialization,
        ..compile::CompileKey::new(stage, entry, &layout, args.gpu)
    };
    let start = Instant::now();
    let binary = match &args.nir {
        None => compile::compile(words, &key),
        Some(wanted) => {
            let mut last = String::new();
            let result = compile::compile_with_dumps(words, &key, &mut |pass, text: String| {
                if wanted == "all" || wanted == pass {
                    println!("; after {pass}\n{text}");
                }
                last = text;
            });
            if wanted == "final" {
                println!("{last}");
            }
            result
        }
    };
    let binary = binary.map_err(|e| e.to_string())?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    for (i, variant) in binary.variants.iter().enumerate() {
        let s = &variant.stats;
        println!(
            "{:32} {:>3}{} {:>6} {:>8} {:>5} {:>5} {:>6} {:>5} {:>4} {:>8.2}",
            name,
            variant.simd_width,
            if i == binary.preferred { "*" } else { " " },
            s.instructions,
            s.cycles,
            s.sends,
            s.loops,
            s.spills,
            s.fills,
            s.max_live_registers,
            time
        );
        for (name, text) in &variant.dumps {
            if args.lir && name != "asm" || args.asm && name == "asm" {
                println!("; SIMD{} {name}\n{text}", variant.simd_width);
            }
        }
    }
    if let Some(output) = &args.output {
        std::fs::write(output, &binary.code).map_err(|e| format!("{}: {e}", output.display()))?;
    }
    Ok(())
}
