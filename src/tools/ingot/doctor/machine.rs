//! The machine that rungs run on: a device node, or a simulated GPU.
//!
//! In:  its name. Out: its kernel interface.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use i915::nodes;
use ingot_cli::gpu_names;
use uapi::{Errno, Kernel};

use super::misbehaviour::{FaultKind, Misbehaviour};

/// Seconds after which a batch of a simulated machine that is told to misbehave counts as hung.
const FAULTY_HANG_SECONDS: u32 = 2;

/// The path of a render node, without its minor number.
const NODE_PREFIX: &str = "/dev/dri/renderD";

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
    /// Seconds that a rung may take: the simulator is slower by orders of magnitude.
    pub fn deadline_seconds(&self) -> u64 {
        match self {
            Machine::Node(_) => 10,
            Machine::Simulated(_) => 120,
        }
    }

    /// Opens the machine. Err: the kernel's error.
    pub fn open(&self, fault: Option<&Misbehaviour>) -> Result<Arc<dyn Kernel>, Errno> {
        if fault.is_some_and(|fault| fault.kind == FaultKind::NoPermission) {
            return Err(Errno::EACCES);
        }
        match self {
            Machine::Node(minor) => nodes::open(&PathBuf::from(format!("{NODE_PREFIX}{minor}"))),
            Machine::Simulated(name) => {
                let mut options = kmd::Options::default();
                if fault.is_some() {
                    options.hang_seconds = FAULTY_HANG_SECONDS;
                }
                // The name was checked when it was parsed.
                kmd::open(name, options).map_err(|_| Errno::ENODEV)
            }
        }
    }

    /// The machine of a render node's path.
    pub fn of_node(path: &Path) -> Option<Self> {
        let number = path.to_str()?.strip_prefix(NODE_PREFIX)?;
        number.parse().ok().map(Machine::Node)
    }
}
