//! `ingot-vkrunner`: VkRunner's command line and output, for piglit and for users of VkRunner.

use clap::Parser;
use ingot_cli::icd_args::IcdArgs;
use ingot_cli::png_file;
use std::path::PathBuf;
use std::process::ExitCode;
use vkrunner::{Dump, Outcome, Replacement, Runner, RunnerOptions, Verdict};

/// Run VkRunner shader scripts.
#[derive(Parser)]
#[command(name = "vkrunner", version, disable_help_flag = true)]
struct Cli {
    /// Scripts
    scripts: Vec<PathBuf>,
    /// Show this text
    #[arg(short, long)]
    help: bool,
    /// Write the final framebuffer to IMG: as PNG where its name ends in .png, else as PPM
    #[arg(short, long, value_name = "IMG")]
    image: Option<PathBuf>,
    /// Write the contents of a UBO or SSBO to BUF
    #[arg(short, long, value_name = "BUF")]
    buffer: Option<PathBuf>,
    /// Write that buffer as a PNG, with rows of N texels of R8G8B8A8
    #[arg(long, value_name = "N", requires = "buffer")]
    width: Option<u32>,
    /// Binding of the buffer to write (default: the first)
    #[arg(short = 'B', long, value_name = "N")]
    binding: Option<u32>,
    /// Show the SPIR-V of each module
    #[arg(short, long)]
    disasm: bool,
    /// Replace TOK by REPL in the scripts
    #[arg(short = 'D', long, value_name = "TOK=REPL")]
    replace: Vec<String>,
    /// Print nothing for scripts that pass
    #[arg(short, long)]
    quiet: bool,
    /// N-th physical device, from 1
    #[arg(long, value_name = "N")]
    device_id: Option<usize>,
    #[command(flatten)]
    icd: IcdArgs,
}

fn main() -> ExitCode {
    // A closed pipe (`| head`) is no error.
    sys::reset_sigpipe();
    let cli = match Cli::try_parse() {
        Ok(cli) if !cli.help && !cli.scripts.is_empty() => cli,
        Ok(_) => {
            let mut command = <Cli as clap::CommandFactory>::command();
            eprintln!("{}", command.render_help());
            return ExitCode::FAILURE;
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match run(&cli) {
        Ok(verdict) => {
            if !cli.quiet || verdict != Verdict::Pass {
                println!("{}", verdict.piglit_line());
            }
            if verdict == Verdict::Fail {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            }
        }
        Err(message) => {
            println!("{message}");
            println!("{}", Verdict::Fail.piglit_line());
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<Verdict, String> {
    let mut replacements = Vec::new();
    for text in &cli.replace {
        let (token, text) = text
            .split_once('=')
            .ok_or_else(|| format!("-D {text}: TOK=REPL is expected"))?;
        replacements.push(Replacement {
            token: token.into(),
            text: text.into(),
        });
    }
    let dump = cli.buffer.as_ref().map(|_| match cli.binding {
        Some(n) => Dump::Binding(n),
        None => Dump::First,
    });
    let options = RunnerOptions {
        device_id: cli.device_id,
        dump,
    };
    let mut runner = Runner::new(cli.icd.entry()?, options);
    // Fail if any script fails, else pass if any passes, else skip: the order of `Verdict`.
    let mut merged = Verdict::Skip;
    for script in &cli.scripts {
        if cli.scripts.len() > 1 && !cli.quiet {
            println!("{}", script.display());
        }
        let outcome = run_one(cli, &mut runner, script, &replacements);
        for line in &outcome.log {
            println!("{line}");
        }
        if let (Some(path), Some(bytes)) = (&cli.buffer, &outcome.dumped) {
            let file = match cli.width {
                Some(width) => &png_file::buffer(bytes, width)?,
                None => bytes,
            };
            std::fs::write(path, file).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        if let (Some(path), Some(image)) = (&cli.image, &outcome.image) {
            let file = match path.extension().is_some_and(|e| e == "png") {
                true => png_file::framebuffer(image)?,
                false => image.to_ppm(),
            };
            std::fs::write(path, file).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        merged = merged.max(outcome.verdict);
    }
    Ok(merged)
}

fn run_one(
    cli: &Cli,
    runner: &mut Runner,
    path: &PathBuf,
    replacements: &[Replacement],
) -> Outcome {
    let fail = |message: String| Outcome {
        verdict: Verdict::Fail,
        log: vec![message],
        dumped: None,
        image: None,
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return fail(format!("{}: {error}", path.display())),
    };
    let script = match vkrunner::parse(&text, replacements) {
        Ok(script) => script,
        Err(error) => return fail(error.to_string()),
    };
    if cli.disasm {
        match Runner::compile(&script) {
            Ok(modules) => {
                for (stage, words) in modules {
                    println!("; {stage:?}: {} words", words.len());
                }
            }
            Err(message) => return fail(message),
        }
    }
    runner.run(&script)
}
