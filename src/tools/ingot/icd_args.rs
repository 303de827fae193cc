//! Options that choose the Vulkan driver of a command: `--icd`, `--gpu` and `--strict`.

use crate::gpu_names;
use std::path::PathBuf;
use std::sync::Arc;
use vkrunner::EntryPoint;

/// The options, for `#[command(flatten)]`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct IcdArgs {
    /// Vulkan implementation: `loader` for the system's loader (which obeys VK_DRIVER_FILES), or
    /// the path of a library; Ingot itself by default, on the real GPU if it drives it, else on a
    /// simulated one
    #[arg(long, value_name = "ICD")]
    pub icd: Option<String>,
    /// Simulate this GPU, even where there is a real one (also INGOT_GPU)
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// The simulated GPU stops at everything that a real machine would not forgive
    #[arg(long)]
    pub strict: bool,
}

impl IcdArgs {
    /// The entry point of the chosen driver. Without `--icd`, this process's own driver is set up
    /// first.
    /// Err: an option or variable has a value that does not work; one line.
    pub fn entry(&self) -> Result<EntryPoint, String> {
        match self.icd.as_deref() {
            Some("loader") => Ok(EntryPoint::Loader),
            Some(path) if std::path::Path::new(path).is_file() => {
                Ok(EntryPoint::Library(PathBuf::from(path)))
            }
            Some(path) => Err(format!(
                "--icd {path}: there is no such file; it may be `loader`, or the path of a Vulkan library"
            )),
            None => {
                self.simulate()?;
                Ok(EntryPoint::Function(icd::get_instance_proc_addr()))
            }
        }
    }

    /// Connects the driver to a simulated GPU, unless a real one exists and no name is given.
    fn simulate(&self) -> Result<(), String> {
        let named = self.gpu.clone().or_else(|| std::env::var("INGOT_GPU").ok());
        if named.is_none() && !i915::render_nodes().is_empty() {
            return Ok(());
        }
        let name = named.unwrap_or_else(|| "skl".into());
        let sink = kmd::LogSink::new(|line| eprintln!("ingot-sim: {line}"));
        let mut list = std::env::var("INGOT_SIM").unwrap_or_default();
        if self.strict {
            // Through the option list: parsing applies what strict mode implies.
            list.push_str(",strict");
        }
        let options =
            kmd::Options::parse(&list, sink).map_err(|error| format!("INGOT_SIM: {error}"))?;
        let option = match self.gpu {
            Some(_) => "--gpu",
            None => "INGOT_GPU",
        };
        gpu_names::simulated_device(&name).map_err(|error| format!("{option} {name}: {error}"))?;
        let device =
            kmd::Device::new(&name, options).map_err(|error| format!("{option}: {error}"))?;
        let open = move || -> Vec<Arc<dyn uapi::Kernel>> { vec![device.open()] };
        // The driver has one kernel source; a process calls this once.
        icd::set_kernel_source(Arc::new(open));
        Ok(())
    }
}
