//! Arguments of `ingot bench codegen` and of its worker processes.

use ingot_cli::icd_args::IcdArgs;
use std::path::PathBuf;

/// Where the shaders come from.
#[derive(Clone, clap::Args)]
pub struct SourceArgs {
    /// Folder of shaders (*.vert, *.tesc, *.tese, *.geom, *.frag, *.comp, *.spv), searched
    /// recursively
    #[arg(required_unless_present = "foz", conflicts_with = "foz")]
    pub folder: Option<PathBuf>,
    /// Fossilize archive: each shader stage of its pipelines, with its entry point and
    /// specialization constants
    #[arg(long, value_name = "FILE.foz")]
    pub foz: Option<PathBuf>,
}

/// Arguments of `ingot bench codegen`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    ingot bench codegen shaders                         static instruction counts beside ANV's\n  \
    ingot bench codegen shaders --run --simd 16         executed instructions, cycles and messages\n  \
    ingot bench codegen shaders --run --listings DIR    with the machine code of the worst shaders\n  \
    ingot bench codegen --foz game.foz                  the shaders of a recorded application\n\n\
    With --run, a draw or dispatch that executes more than 10^8 instructions, or 6*10^6 in one\n\
    thread, is stopped and listed as skipped; INGOT_SIM=hang=N multiplies both limits by N.")]
pub struct Args {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The driver to compare with: a manifest, `anv`, or the path of another build of this program,
    /// with that build's driver
    #[arg(long, default_value = "anv")]
    pub vs: String,
    /// Creations of each pipeline; the shortest time counts
    #[arg(long, default_value_t = 3)]
    pub repeat: u32,
    /// Number of the worst shaders to list
    #[arg(long, default_value_t = 20)]
    pub worst: usize,
    /// Print every shader's figures too
    #[arg(long)]
    pub all: bool,
    /// Write each compiler's dumps (passes, machine code) to this folder, as SHADER.SIMDn.NAME
    #[arg(long)]
    pub code: Option<PathBuf>,
    /// Run each shader once on the simulated GPU, too, on the same inputs with both drivers:
    /// executed instructions, messages and cycles by its timing model, and whether the results are
    /// the same
    #[arg(long)]
    pub run: bool,
    /// Compile compute shaders with this subgroup size only
    #[arg(long, value_name = "WIDTH", value_parser = crate::value_parsers::simd)]
    pub simd: Option<u8>,
    /// Value of all integers in uniform blocks and push constants of a run, such as a loop's number
    /// of iterations [default: 1 or 2]
    #[arg(long, value_name = "N")]
    pub integer: Option<u32>,
    /// Write both compilers' machine code for the listed worst shaders to this folder, as
    /// SHADER.ours.asm and SHADER.theirs.asm
    #[arg(long, value_name = "DIR")]
    pub listings: Option<PathBuf>,
}

/// Arguments of a worker: the process that compiles the shaders with one driver.
#[derive(clap::Args)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[arg(long)]
    pub repeat: u32,
    /// Folder for the compiler's dumps
    #[arg(long)]
    pub code: Option<PathBuf>,
    /// Folder for the machine code
    #[arg(long)]
    pub listings: Option<PathBuf>,
    /// Required subgroup size of compute shaders
    #[arg(long)]
    pub simd: Option<u32>,
    /// Value of integers in uniform blocks and push constants
    #[arg(long)]
    pub integer: Option<u32>,
    /// Run each shader, too, and read its cost from this profile of the simulator
    #[arg(long, requires = "results")]
    pub profile: Option<PathBuf>,
    /// File for the results of each run
    #[arg(long)]
    pub results: Option<PathBuf>,
    #[command(flatten)]
    pub icd: IcdArgs,
}
