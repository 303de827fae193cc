//! Options that choose the Vulkan driver of a command: `--icd`, `--gpu`, `--simulated` and
//! `--strict`.

use crate::gpu_names;
use i915::nodes::{self, NodeReport};
use std::path::PathBuf;
use std::sync::Arc;
use vkrunner::EntryPoint;

/// The options, for `#[command(flatten)]`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct IcdArgs {
    /// Vulkan implementation: `loader` for the system's loader (which obeys VK_DRIVER_FILES), or
    /// the path of a library; Ingot itself by default, on the real GPU if it drives it, on a
    /// simulated one if there is no GPU
    #[arg(long, value_name = "ICD")]
    pub icd: Option<String>,
    /// Simulate this GPU, even where there is a real one (also INGOT_GPU)
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Simulate a GPU, even where there is a real one
    #[arg(long)]
    pub simulated: bool,
    /// The simulated GPU stops at everything that a real machine would not forgive
    #[arg(long)]
    pub strict: bool,
}

/// The driver that the options choose.
pub struct ChosenDriver {
    /// Its entry point.
    pub entry: EntryPoint,
    /// One line for the user about a choice that no option requests.
    pub note: Option<String>,
    /// Whether its Intel GPUs are simulated.
    simulates: bool,
}

impl ChosenDriver {
    /// Whether the device of this name is simulated. Only Intel GPUs are: other drivers of the
    /// system, such as lavapipe, are unaffected.
    pub fn is_simulated(&self, device_name: &str) -> bool {
        self.simulates && device_name.starts_with("Intel")
    }

    /// The name of a device, with "(simulated)" if it is.
    pub fn device_label(&self, device_name: &str) -> String {
        match self.is_simulated(device_name) {
            true => format!("{device_name} (simulated)"),
            false => device_name.to_owned(),
        }
    }
}

/// Whether a node is a simulated GPU's, which the preloaded simulator presents to this process.
pub fn is_simulated_node(node: &NodeReport) -> bool {
    let device = node.outcome.as_ref();
    device.is_ok_and(|device| device.info.kernel_driver.description == kmd::DESCRIPTION)
}

impl IcdArgs {
    /// The chosen driver. Without `--icd`, this process's own driver is set up first.
    /// Err: an option or variable has a value that does not work, or there is a GPU that cannot be
    /// used; one line.
    pub fn driver(&self) -> Result<ChosenDriver, String> {
        let entry = match self.icd.as_deref() {
            Some("loader") => EntryPoint::Loader,
            Some(path) if std::path::Path::new(path).is_file() => {
                EntryPoint::Library(PathBuf::from(path))
            }
            Some(path) => {
                return Err(format!(
                    "--icd {path}: there is no such file; it may be `loader`, or the path of a Vulkan library"
                ));
            }
            None => return self.own_driver(),
        };
        Ok(ChosenDriver {
            entry,
            note: None,
            simulates: nodes::survey().iter().any(is_simulated_node),
        })
    }

    /// The entry point of [`IcdArgs::driver`], for commands that do not depend on its GPU.
    pub fn entry(&self) -> Result<EntryPoint, String> {
        self.driver().map(|driver| driver.entry)
    }

    /// The driver of this process, connected to a simulated GPU if one is requested, or if the
    /// machine has no GPU.
    fn own_driver(&self) -> Result<ChosenDriver, String> {
        // Scripts test the compiler, and leave nothing in the user's shader cache.
        icd::set_shader_cache(None);
        let mut driver = ChosenDriver {
            entry: EntryPoint::Function(icd::get_instance_proc_addr()),
            note: None,
            simulates: true,
        };
        let variable = std::env::var("INGOT_GPU").ok();
        if let Some(name) = &self.gpu {
            self.simulate(name, "--gpu")?;
        } else if let Some(name) = &variable {
            self.simulate(name, "INGOT_GPU")?;
        } else if self.simulated {
            self.simulate(DEFAULT_GPU, "--simulated")?;
        } else {
            match choice(&nodes::survey())? {
                Choice::RealGpu { simulates } => driver.simulates = simulates,
                Choice::Simulator { note } => {
                    self.simulate(DEFAULT_GPU, "--simulated")?;
                    driver.note = Some(note);
                }
            }
        }
        Ok(driver)
    }

    /// Connects the driver to a simulated GPU. Err: one line that begins with the option's name.
    fn simulate(&self, name: &str, option: &str) -> Result<(), String> {
        let sink = kmd::LogSink::new(|line| eprintln!("ingot-sim: {line}"));
        let mut list = std::env::var("INGOT_SIM").unwrap_or_default();
        if self.strict {
            // Through the option list: parsing applies what strict mode implies.
            list.push_str(",strict");
        }
        let options =
            kmd::Options::parse(&list, sink).map_err(|error| format!("INGOT_SIM: {error}"))?;
        gpu_names::simulated_device(name).map_err(|error| format!("{option} {name}: {error}"))?;
        let device =
            kmd::Device::new(name, options).map_err(|error| format!("{option}: {error}"))?;
        let open = move || -> Vec<Arc<dyn uapi::Kernel>> { vec![device.open()] };
        // The driver has one kernel source; a process calls this once.
        icd::set_kernel_source(Arc::new(open));
        Ok(())
    }
}

/// The GPU that is simulated if none is named.
const DEFAULT_GPU: &str = "skl";

/// What a command without options runs on.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    /// The GPUs of this machine's nodes.
    RealGpu {
        /// Whether they are simulated, by the preloaded simulator.
        simulates: bool,
    },
    /// A simulated GPU.
    Simulator {
        /// Why, for the user.
        note: String,
    },
}

/// Chooses by the machine's nodes. Err: there is an Intel GPU, but none that can be used; one line.
fn choice(nodes: &[NodeReport]) -> Result<Choice, String> {
    if nodes.iter().any(|node| node.outcome.is_ok()) {
        return Ok(Choice::RealGpu {
            simulates: nodes.iter().any(is_simulated_node),
        });
    }
    let unusable = nodes.iter().filter(|node| node.is_unusable_intel());
    let reasons: Vec<String> = unusable.map(NodeReport::to_string).collect();
    if !reasons.is_empty() {
        return Err(format!(
            "{}; `--simulated` runs on a simulated GPU",
            reasons.join("; ")
        ));
    }
    let why = match nodes.first() {
        None => nodes::NO_NODES.to_owned(),
        Some(node) => node.to_string(),
    };
    Ok(Choice::Simulator {
        note: format!("{why}; a simulated GPU is used"),
    })
}

#[cfg(test)]
mod tests;
