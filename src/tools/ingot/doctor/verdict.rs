//! One sentence for each device node: whether Ingot can use it, and what its owner can do.
//!
//! In:  the facts about a node, and the result of opening and probing it. Out: [`Verdict`].

use std::fmt;

use super::inventory::NodeFacts;

/// PCI vendor id of Intel.
const INTEL: u32 = 0x8086;

/// What Ingot can do with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that the driver needs is there.
    Usable {
        /// The GPU's name.
        gpu: String,
    },
    /// The user may not open the node.
    NoPermission {
        /// The group that may.
        group: String,
    },
    /// The kernel lacks something.
    OldKernel {
        /// What it lacks.
        lacks: String,
    },
    /// The driver does not support the generation yet.
    GenerationNotSupported {
        /// The GPU's name.
        gpu: String,
    },
    /// Another kernel driver owns the device.
    OtherDriver {
        /// Its name.
        driver: String,
    },
    /// Not a GPU of Intel.
    OtherVendor,
    /// Any other reason.
    Unusable {
        /// The reason.
        why: String,
    },
    /// There is no node at all.
    NoNode,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Usable { gpu } => write!(f, "{gpu}: Ingot can use it"),
            Verdict::NoPermission { group } => write!(
                f,
                "permission denied: join the group {group} (`sudo usermod -aG {group} $USER`) and log in again"
            ),
            Verdict::OldKernel { lacks } => {
                write!(
                    f,
                    "the kernel is too old: {lacks}; Ingot needs Linux 5.10 or newer"
                )
            }
            Verdict::GenerationNotSupported { gpu } => {
                write!(f, "{gpu}: its generation is not supported yet")
            }
            Verdict::OtherDriver { driver } => write!(
                f,
                "the kernel driver {driver} owns the device; Ingot needs i915 (kernel parameters `xe.force_probe=!ID i915.force_probe=ID` select it)"
            ),
            Verdict::OtherVendor => write!(f, "not a GPU of Intel"),
            Verdict::Unusable { why } => write!(f, "{why}"),
            Verdict::NoNode => write!(
                f,
                "there is no device under /dev/dri: no GPU, or its kernel driver is not loaded"
            ),
        }
    }
}

impl Verdict {
    /// The exit code of `ingot doctor`: 0 if the node is usable, else one for each verdict.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Usable { .. } => 0,
            Verdict::NoPermission { .. } => 3,
            Verdict::OldKernel { .. } => 4,
            Verdict::GenerationNotSupported { .. } => 5,
            Verdict::OtherDriver { .. } => 6,
            Verdict::NoNode => 7,
            Verdict::OtherVendor | Verdict::Unusable { .. } => 8,
        }
    }
}

/// The verdict before the node is opened, if its files suffice.
pub fn from_files(node: &NodeFacts) -> Option<Verdict> {
    if node.vendor != INTEL {
        return Some(Verdict::OtherVendor);
    }
    if !matches!(node.driver.as_str(), "i915" | "none") {
        let driver = node.driver.clone();
        return Some(Verdict::OtherDriver { driver });
    }
    None
}

/// The verdict on a node that could not be opened.
pub fn from_open_error(node: &NodeFacts, why: &str) -> Verdict {
    match why.contains("EACCES") || why.contains("EPERM") || why.contains("ermission denied") {
        true => Verdict::NoPermission {
            group: node.group.clone(),
        },
        false => Verdict::Unusable { why: why.into() },
    }
}

/// The verdict on an open node.
pub fn from_probe(probed: Result<i915::GpuInfo, i915::Error>, pci_id: u32) -> Verdict {
    let why = match probed {
        Ok(info) if compile::supports(info.device) => {
            let gpu = info.marketing_name();
            return Verdict::Usable { gpu };
        }
        Ok(info) => {
            let gpu = info.marketing_name();
            return Verdict::GenerationNotSupported { gpu };
        }
        Err(i915::Error::Unsupported { why }) => why,
        Err(error) => error.to_string(),
    };
    if let Some(driver) = why.strip_prefix("driven by ") {
        let driver = driver.trim_end_matches(", not i915").into();
        return Verdict::OtherDriver { driver };
    }
    let device = u16::try_from(pci_id).ok().and_then(hw::Device::by_pci_id);
    if why.starts_with("PCI device") {
        let gpu = device.map_or_else(
            || format!("PCI device {pci_id:04x}"),
            |d| d.code_name.into(),
        );
        return Verdict::GenerationNotSupported { gpu };
    }
    match why.contains("lacks") || why.contains("GETPARAM") || why.contains("topology") {
        true => Verdict::OldKernel { lacks: why },
        false => Verdict::Unusable { why },
    }
}

#[cfg(test)]
mod tests;
