//! Which Vulkan implementation a command runs on.

use std::path::PathBuf;
use vkrunner::EntryPoint;

/// The user's choice, `--icd`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct IcdArgs {
    /// Vulkan implementation: `loader` for the system's loader (which obeys VK_DRIVER_FILES), or the path of a
    /// library; Ingot itself by default
    #[arg(long, value_name = "ICD")]
    pub icd: Option<String>,
}

impl IcdArgs {
    /// The implementation's entry point.
    pub fn entry(&self) -> Result<EntryPoint, String> {
        match self.icd.as_deref() {
            Some("loader") | None => Ok(EntryPoint::Loader),
            Some(path) => Ok(EntryPoint::Library(PathBuf::from(path))),
        }
    }
}
