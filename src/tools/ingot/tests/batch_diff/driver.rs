//! The two drivers, and how a scene is recorded with each.

use crate::programs;
use crate::scenes::{Scene, Work};
use ingot_cli::icd_args::IcdArgs;
use samples::vulkan::Wants;
use samples::{Gpu, Source};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// ANV's manifest.
pub const ANV: &str = "/usr/share/vulkan/icd.d/intel_icd.x86_64.json";
/// The argument that makes this program draw, in a process of its own; a driver and a program
/// follow.
pub const DRAW: &str = "--draw";
/// The simulated GPU.
const GPU: &str = "skl";

/// A driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Ingot, in the process that draws.
    Ingot,
    /// Mesa's driver, through the Vulkan loader, with the simulated kernel preloaded.
    Anv,
}

/// Both drivers: A and B of the comparison.
pub const ALL: [Driver; 2] = [Driver::Ingot, Driver::Anv];

impl Driver {
    fn name(self) -> &'static str {
        match self {
            Driver::Ingot => "ingot",
            Driver::Anv => "anv",
        }
    }

    /// Draws a scene and returns the contents of its recording.
    ///
    /// # Errors
    /// A process fails, or the recording cannot be read.
    pub fn record(self, scene: &Scene, folder: &Path) -> Result<Vec<u8>, String> {
        let file = folder.join(format!("{}.{}", scene.name, self.name()));
        let mut command = self.command(scene)?;
        command
            // Small images are otherwise neither compressed nor cleared fast, unlike those of ANV.
            .env("INGOT_DEBUG", "fast-clears")
            .env("INGOT_GPU", GPU)
            .env("MESA_SHADER_CACHE_DISABLE", "true")
            .env("INGOT_SIM", format!("record={}", file.display()));
        if self == Driver::Anv {
            command
                .env("LD_PRELOAD", preload()?)
                .env("VK_DRIVER_FILES", ANV)
                .env("VK_ICD_FILENAMES", ANV)
                // Mesa's device-selection layer would enumerate all devices once more.
                .env("NODEVICE_SELECT", "1");
        }
        let output = command.output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text);
            return Err(format!("{}:\n{text}", output.status));
        }
        std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))
    }

    fn command(self, scene: &Scene) -> Result<Command, String> {
        let mut command = match scene.work {
            Work::Scripts(scripts) => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_ingot"));
                let icd: &[&str] = match self {
                    Driver::Ingot => &["run", "--gpu", GPU],
                    Driver::Anv => &["run", "--icd", "loader"],
                };
                let folder =
                    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../vkrunner-scripts");
                let files = scripts
                    .iter()
                    .map(|s| folder.join(format!("{s}.shader_test")));
                command.args(icd).args(files);
                command
            }
            Work::Program(_) | Work::Sample(_) => {
                let program = std::env::current_exe().map_err(|e| e.to_string())?;
                let mut command = Command::new(program);
                command.args([DRAW, self.name(), scene.name]);
                command
            }
        };
        command.stdin(std::process::Stdio::null());
        Ok(command)
    }
}

/// The library of the simulated kernel, which cargo builds next to this program.
fn preload() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let library = program.with_file_name("libingot_sim.so");
    match library.is_file() {
        true => Ok(library),
        false => Err(format!("{} is not there", library.display())),
    }
}

/// Draws a scene in this process, with a driver by its name.
pub fn draw(driver: &str, scene: &str) -> ExitCode {
    match draw_scene(driver, scene) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("{scene}: {line}");
            ExitCode::FAILURE
        }
    }
}

fn draw_scene(driver: &str, name: &str) -> Result<(), String> {
    let source = match driver {
        "ingot" => {
            let icd = IcdArgs {
                gpu: Some(GPU.into()),
                ..IcdArgs::default()
            };
            icd.entry()?;
            Source::Function(icd::get_instance_proc_addr())
        }
        _ => Source::Loader,
    };
    let mut scenes = crate::scenes::ALL.iter();
    let scene = scenes.find(|scene| scene.name == name);
    let drawn = match scene.ok_or("there is no such scene")?.work {
        Work::Scripts(_) => return Err("scripts are run by the command".into()),
        Work::Program(program) => {
            let wants = Wants {
                features: program.features,
                extensions: program.extensions,
            };
            Gpu::new(&source, &wants).and_then(|gpu| (program.draw)(&gpu))
        }
        Work::Sample(name) => {
            let mut all = samples::programs::ALL.iter();
            let sample = all.find(|sample| sample.name == name);
            let sample = sample.ok_or_else(|| format!("there is no sample {name}"))?;
            let wants = Wants {
                features: sample.features,
                ..Wants::default()
            };
            Gpu::new(&source, &wants)
                .and_then(|gpu| (sample.draw)(&gpu, &programs::VIEW))
                .map(|_| ())
        }
    };
    drawn.map_err(|e| e.to_string())
}
