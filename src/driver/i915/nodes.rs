//! The render nodes of this machine: for each one the device, or the reason why there is none.
//!
//! In:  /dev/dri and sysfs. Out: [`NodeReport`]s, from which instances take their devices, and
//!      which the tools print.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sys::{HiddenNode, Node};
use uapi::{Errno, Kernel};

use crate::error::Error;
use crate::file::File;
use crate::info::{DeviceNodes, GpuInfo, probe};
use crate::linux;
use crate::reason::Reason;

/// The sentence for a machine without any render node.
pub const NO_NODES: &str = "this machine has no GPU: /dev/dri has no render node";

/// A GPU that the driver can use.
#[derive(Clone, Debug)]
pub struct NodeDevice {
    /// The open device file.
    pub file: Arc<File>,
    /// The GPU's properties.
    pub info: GpuInfo,
}

/// A render node: what it is, and the device or the reason why there is none.
#[derive(Clone, Debug)]
pub struct NodeReport {
    /// Path: of the node, or of the folder if that cannot be read.
    pub path: PathBuf,
    /// PCI ids; None if neither sysfs nor the kernel driver reports them.
    pub id: Option<sys::PciId>,
    /// PCI domain, bus, device and function, if the device is on a PCI bus.
    pub pci: Option<[u32; 4]>,
    /// Name of the kernel driver, if known.
    pub driver: Option<String>,
    /// The device, or why there is none.
    pub outcome: Result<NodeDevice, Reason>,
}

impl NodeReport {
    /// The reason why there is no device.
    pub fn reason(&self) -> Option<&Reason> {
        self.outcome.as_ref().err()
    }

    /// Whether this is, or may be, an Intel GPU that cannot be used.
    pub fn is_unusable_intel(&self) -> bool {
        self.reason().is_some_and(Reason::concerns_intel)
    }
}

impl fmt::Display for NodeReport {
    /// One line: the path, and the GPU's name or the reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.outcome {
            Ok(device) => f.write_str(&device.info.marketing_name()),
            Err(reason) => reason.fmt(f),
        }
    }
}

/// Examines and opens every render node of this machine, in order of their minor numbers.
pub fn survey() -> Vec<NodeReport> {
    sys::render_nodes()
        .into_iter()
        .map(|node| match node {
            Ok(node) => examine(node, &open),
            Err(hidden) => hidden_node(hidden),
        })
        .collect()
}

/// Opens a node as the kernel interface of this machine.
/// Err: the kernel's error.
pub fn open(path: &Path) -> Result<Arc<dyn Kernel>, Errno> {
    linux::open(path)
}

fn hidden_node(hidden: HiddenNode) -> NodeReport {
    NodeReport {
        path: hidden.path,
        id: None,
        pci: None,
        driver: None,
        outcome: Err(Reason::Hidden {
            errno: hidden.errno,
        }),
    }
}

/// Opens a node by its path.
pub type OpenNode<'a> = dyn Fn(&Path) -> Result<Arc<dyn Kernel>, Errno> + 'a;

/// Examines a node. `open` is called unless sysfs already shows that the GPU cannot be used.
pub fn examine(node: Node, open: &OpenNode<'_>) -> NodeReport {
    let outcome = device_of_node(&node, open);
    NodeReport {
        path: node.path,
        id: node
            .id
            .or_else(|| outcome.as_ref().ok().and_then(probed_id)),
        pci: node.pci,
        driver: node.driver.or_else(|| match &outcome {
            Ok(_) => Some("i915".into()),
            Err(Reason::OtherDriver { driver, .. }) => Some(driver.clone()),
            Err(_) => None,
        }),
        outcome,
    }
}

/// The PCI ids that the kernel driver reports.
fn probed_id(device: &NodeDevice) -> Option<sys::PciId> {
    Some(sys::PciId {
        vendor: hw::INTEL_VENDOR,
        device: u16::try_from(device.info.pci_id).ok()?,
        revision: u8::try_from(device.info.revision).ok()?,
    })
}

fn device_of_node(node: &Node, open: &OpenNode<'_>) -> Result<NodeDevice, Reason> {
    // The order is that of the advice: joining a group does not help where the GPU is not
    // supported.
    if let Some(id) = node.id {
        if id.vendor != hw::INTEL_VENDOR {
            return Err(Reason::OtherVendor { vendor: id.vendor });
        }
        crate::info::supported_device(id.device)?;
    }
    if let Some(driver) = node.driver.as_deref().filter(|&driver| driver != "i915") {
        return Err(Reason::OtherDriver {
            driver: driver.into(),
            pci_id: node.id.map(|id| id.device),
        });
    }
    let kernel = open(&node.path).map_err(|errno| match errno {
        Errno::EACCES => Reason::PermissionDenied {
            // Reading and writing.
            group: (node.mode & 0o060 == 0o060)
                .then(|| sys::group_name(node.group))
                .flatten(),
        },
        errno => Reason::NotOpened { errno },
    })?;
    let nodes = DeviceNodes {
        major: node.major,
        minor: node.minor,
        pci: node.pci,
        primary: node.primary,
    };
    match probe(kernel, Some(nodes)) {
        Ok((file, info)) => Ok(NodeDevice { file, info }),
        Err(Error::Unsupported { reason }) => Err(reason),
        Err(other) => Err(Reason::Unreported {
            what: "the GPU",
            errno: other.errno().unwrap_or(Errno::EIO),
        }),
    }
}

#[cfg(test)]
mod tests;
