//! `ingot-samples`: runs the sample programs through the Vulkan loader, with any driver.

mod page;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use samples::programs::{self, Program, View};
use samples::vulkan::Wants;
use samples::{Gpu, Source};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the sample programs: small Vulkan programs that each draw an image.
#[derive(Parser)]
#[command(name = "ingot-samples", version, arg_required_else_help = true, after_help = help())]
struct Args {
    /// A program's name, or `all`
    #[arg(value_parser = program_name)]
    name: String,
    /// The PNG file, or with `all` the folder for all of them [default: NAME.png, or the folder
    /// here]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Width and height in texels
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    size: (u32, u32),
    /// With `all`: a Markdown page that shows the pictures, to be written too
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Which frame; sixty are a second
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: u32,
}

/// The text below the options.
fn help() -> String {
    let mut text = String::from("Programs:\n");
    for program in programs::ALL {
        text.push_str(&format!("  {:<16} {}\n", program.name, program.about));
    }
    text.push_str(
        "\nExamples:\n  \
        ingot-samples spinning_cube                         draws spinning_cube.png\n  \
        ingot-samples particles --frame 90 --size 1280x720  a second and a half later, and larger\n  \
        ingot-samples all --out pictures                    draws all of them into a folder\n  \
        ingot sim --driver anv -- ingot-samples all         the same on the simulated GPU\n\n\
        Each program is one file of samples/programs, meant to be read. The Vulkan loader picks the driver as always:\n\
        VK_DRIVER_FILES narrows it to one.",
    );
    text
}

fn program_name(name: &str) -> Result<String, String> {
    if name == "all" || programs::ALL.iter().any(|p| p.name == name) {
        return Ok(name.into());
    }
    let names: Vec<_> = programs::ALL.iter().map(|p| p.name).collect();
    Err(format!("it is one of {}, or all", names.join(", ")))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=4096).contains(side));
    let sides = text.split_once('x');
    sides
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| "two numbers from 1 to 4096 with an x between, such as 640x360".into())
}

fn main() -> ExitCode {
    // A closed pipe (`| head`) is no error.
    sys::reset_sigpipe();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => match mistake(&error) {
            Some(line) => {
                eprintln!("ingot-samples: {line}");
                return ExitCode::from(2);
            }
            None => error.exit(),
        },
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("ingot-samples: {line}");
            ExitCode::FAILURE
        }
    }
}

/// A command-line error as one line; `None` for help and version.
fn mistake(error: &clap::Error) -> Option<String> {
    use clap::error::ErrorKind as K;
    let text = error.to_string();
    match error.kind() {
        K::DisplayHelp | K::DisplayVersion | K::DisplayHelpOnMissingArgumentOrSubcommand => None,
        _ => text
            .lines()
            .next()
            .map(|line| line.trim_start_matches("error: ").to_string()),
    }
}

fn run(args: &Args) -> Result<(), String> {
    let view = View {
        width: args.size.0,
        height: args.size.1,
        frame: args.frame,
    };
    if args.name != "all" {
        if args.page.is_some() {
            return Err("--page goes with all".into());
        }
        let program = programs::ALL.iter().find(|p| p.name == args.name);
        let program = program.ok_or("no such program")?;
        let file = match &args.out {
            Some(file) => file.clone(),
            None => PathBuf::from(format!("{}.png", program.name)),
        };
        let device = draw(program, &view, &file)?;
        println!("{} by {device}", file.display());
        return Ok(());
    }
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("."));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")
        .map_err(|e| format!("the progress bar: {e}"))?;
    let bar = ProgressBar::new(programs::ALL.len() as u64).with_style(style);
    let (mut failed, mut entries) = (0, Vec::new());
    for program in programs::ALL {
        bar.set_message(program.name);
        let file = folder.join(format!("{}.png", program.name));
        let drawn = draw(program, &view, &file);
        bar.suspend(|| match drawn {
            Ok(drawn_by) => {
                println!("{} by {drawn_by}", file.display());
                entries.push(page::Entry {
                    program,
                    file,
                    drawn_by,
                });
            }
            Err(line) => {
                failed += 1;
                eprintln!("ingot-samples: {line}");
            }
        });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(path) = &args.page {
        let words: Vec<_> = std::env::args().skip(1).collect();
        let text = page::page(
            path,
            &format!("ingot-samples {}", words.join(" ")),
            &entries,
        )?;
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} of {} failed", programs::ALL.len())),
    }
}

/// Runs a program and saves its image. Ok: device and driver. Err: a line that names the program.
fn draw(program: &Program, view: &View, file: &Path) -> Result<String, String> {
    let named = |e: samples::Error| format!("{}: {e}", program.name);
    let wants = Wants {
        features: program.features,
        ..Wants::default()
    };
    let gpu = Gpu::new(&Source::Loader, &wants).map_err(named)?;
    let image = (program.draw)(&gpu, view).map_err(named)?;
    image.save(file)?;
    Ok(gpu.describe())
}
