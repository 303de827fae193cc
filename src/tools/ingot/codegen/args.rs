//! Arguments of `ingot bench codegen` and of its worker processes.

use ingot_cli::icd_args::IcdArgs;
use std::path::PathBuf;

/// Arguments of `ingot bench codegen`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of shaders (*.vert, *.tesc, *.tese, *.geom, *.frag, *.comp, *.spv), searched
    /// recursively
    pub folder: PathBuf,
    /// The driver to compare with: a manifest, or `anv`
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
    /// Run each shader once on the simulated GPU, too: cycles by its timing model, and whether both
    /// drivers compute the same
    #[arg(long)]
    pub run: bool,
}

/// Arguments of a worker: the process that compiles the shaders with one driver.
#[derive(clap::Args)]
pub struct WorkerArgs {
    pub folder: PathBuf,
    #[arg(long)]
    pub repeat: u32,
    /// Number of shaders to skip
    #[arg(long)]
    pub from: usize,
    /// Folder for the compiler's dumps
    #[arg(long)]
    pub code: Option<PathBuf>,
    /// Run each shader, too, and read its cost from this profile of the simulator
    #[arg(long)]
    pub profile: Option<PathBuf>,
    #[command(flatten)]
    pub icd: IcdArgs,
}
