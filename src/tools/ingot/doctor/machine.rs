//! The machine that rungs run on: a device node, or a simulated GPU.
//!
//! In:  its name. Out: its kernel interface.

use std::fmt;
use std::sync::Arc;

use ingot_cli::gpu_names;
use uapi::Kernel;

use super::misbehaviour::{FaultKind, Misbehaviour};

/// Seconds after which a batch of a simulated machine that is told to misbehave counts as hung.
const FAULTY_HANG_SECONDS: u32 = 2;

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Machine {
    /// The render node with this minor number.
    Node(u32),
    /// The simulated GPU of this name.
    Simulated(String),
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Machine::Node(minor) => write!(f, "node:{minor}"),
            Machine::Simulated(name) => write!(f, "sim:{name}"),
        }
    }
}

impl std::str::FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text}: `node:MINOR` or `sim:NAME` is expected");
        match text.split_once(':').ok_or_else(wrong)? {
            ("node", minor) => minor.parse().map(Machine::Node).map_err(|_| wrong()),
            ("sim", name) => {
                gpu_names::simulated_device(name).map(|d| Machine::Simulated(d.name.into()))
            }
            _ => Err(wrong()),
        }
    }
}

impl Machine {
    /// Opens the machine. Err: one line.
    pub fn open(&self, fault: Option<&Misbehaviour>) -> Result<Arc<dyn Kernel>, String> {
        if fault.is_some_and(|fault| fault.kind == FaultKind::NoPermission) {
            return Err(uapi::Errno::EACCES.to_string());
        }
        match self {
            Machine::Node(minor) => {
                let mut nodes = i915::render_nodes().into_iter();
                let node = nodes.find(|(_, node)| node.minor == *minor);
                node.map(|(kernel, _)| kernel)
                    .ok_or_else(|| format!("/dev/dri/renderD{minor} cannot be opened"))
            }
            Machine::Simulated(name) => {
                let mut options = kmd::Options::default();
                if fault.is_some() {
                    options.hang_seconds = FAULTY_HANG_SECONDS;
                }
                kmd::open(name, options).map_err(|error| error.to_string())
            }
        }
    }
}
