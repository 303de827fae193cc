//! The `ingot` command: the project's tools as subcommands.

mod bench;
mod codegen;
mod compile;
mod devices;
mod doctor;
mod error_state;
mod expectations;
mod fossilize;
mod manifests;
mod pipelines;
mod record;
mod run;
mod sim;
mod static_program;
mod text;
mod value_parsers;
mod vulkan_device;

use clap::{Parser, Subcommand};
use ingot_cli::{batch_diff, recording};
use std::process::ExitCode;

/// A Vulkan driver for Intel Gen GPUs, and a simulated GPU to run it on.
#[derive(Parser)]
#[command(
    name = "ingot",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        ingot run vkrunner-scripts                run every script of a folder\n  \
        ingot run --icd loader test.shader_test   run a script on the system's Vulkan driver\n\n\
        Environment: INGOT_DEBUG=help lists the driver's dumps; INGOT_GPU picks the simulated GPU."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run VkRunner scripts and compare their verdicts with what is expected
    Run(run::Args),
    /// Compile shaders of any stage, with statistics and dumps
    Compile(compile::Args),
    /// Measure speed and code against other drivers
    Bench(bench::Args),
    /// Assemble EU machine code, in IGA's syntax
    Asm(text::AsmArgs),
    /// Disassemble EU machine code
    Dis(text::DisArgs),
    /// Print a batch, packet by packet
    Batch(text::BatchArgs),
    /// List the GPUs of this machine, with the reasons why any cannot be used, and the known ones
    Devices(devices::Args),
    /// Examine this machine's GPU step by step, and write a report
    Doctor(doctor::Args),
    /// Run any program on the simulated GPU
    Sim(sim::Args),
}

fn main() -> ExitCode {
    // A closed pipe (`| head`) is no error.
    sys::reset_sigpipe();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => match value_parsers::one_line_error(&error) {
            Some(line) => {
                eprintln!("ingot: {line}");
                return ExitCode::from(2);
            }
            None => error.exit(),
        },
    };
    match cli.command {
        Command::Run(args) => run::main(&args),
        Command::Compile(args) => compile::main(&args),
        Command::Bench(args) => bench::main(&args),
        Command::Asm(args) => text::asm(&args),
        Command::Dis(args) => text::dis(&args),
        Command::Batch(args) => text::batch(&args),
        Command::Devices(args) => devices::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::Sim(args) => sim::main(&args),
    }
}
