//! Why a GPU cannot be used: one sentence that says what to do, in the same words wherever it is
//! reported.

use std::fmt;

use uapi::Errno;

/// The kernel version with everything that the driver needs. docs/kernels.md has the reasons.
pub const MINIMUM_KERNEL: &str = "5.10";

/// Why a render node does not become a device. Display is one sentence without its node's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The node or its folder exists, but cannot be examined.
    #[error("cannot be examined ({errno}): let this process see /dev/dri")]
    Hidden {
        /// Error of the file system.
        errno: Errno,
    },
    /// The GPU of another vendor.
    #[error("PCI vendor {vendor:#06x}: not an Intel GPU, use its vendor's driver")]
    OtherVendor {
        /// PCI vendor id.
        vendor: u16,
    },
    /// An Intel GPU that the driver does not support.
    #[error("PCI device {}: not supported yet, use another Vulkan driver", PciDevice(*pci_id))]
    OtherGeneration {
        /// PCI device id.
        pci_id: u16,
    },
    /// Another kernel driver is bound to the device.
    #[error("{}", OtherDriver { driver, pci_id: *pci_id })]
    OtherDriver {
        /// Name of the kernel driver.
        driver: String,
        /// PCI device id, if known.
        pci_id: Option<u16>,
    },
    /// The process may not open the node.
    #[error("{}", PermissionDenied(group.as_deref()))]
    PermissionDenied {
        /// The group whose members may open it; None if only its owner may.
        group: Option<String>,
    },
    /// Opening the node fails for another reason.
    #[error("cannot be opened ({errno}): {}", advice(*errno))]
    NotOpened {
        /// Error of the kernel.
        errno: Errno,
    },
    /// The kernel lacks an interface.
    #[error("needs Linux {version} or newer: the kernel lacks {lacks}")]
    KernelTooOld {
        /// First version with all interfaces that the driver needs.
        version: &'static str,
        /// The missing interface.
        lacks: &'static str,
    },
    /// The kernel does not report a property of the GPU.
    #[error("the kernel does not report {what} ({errno}): {}", advice(*errno))]
    Unreported {
        /// The property.
        what: &'static str,
        /// Error of the kernel.
        errno: Errno,
    },
    /// The address space is smaller than the driver's zones.
    #[error(
        "the GPU's address space has {} GiB, at least {} are needed: \
         give the machine the whole GPU instead of a virtual one (GVT-g)",
        bytes >> 30,
        minimum_bytes >> 30
    )]
    SmallAddressSpace {
        /// Its size in bytes.
        bytes: u64,
        /// The smallest supported size in bytes.
        minimum_bytes: u64,
    },
}

impl Reason {
    /// Whether the node may be a GPU that this driver exists for: an Intel GPU, or a node whose
    /// vendor is unknown.
    pub fn concerns_intel(&self) -> bool {
        match self {
            Reason::OtherVendor { .. } => false,
            Reason::OtherDriver { driver, pci_id } => pci_id.is_some() || driver == "xe",
            _ => true,
        }
    }
}

/// A PCI device id with the family's code name.
struct PciDevice(u16);

impl fmt::Display for PciDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.0)?;
        match hw::pci_family(self.0) {
            Some(family) => write!(f, " ({family})"),
            None => Ok(()),
        }
    }
}

/// The sentence of [`Reason::OtherDriver`].
struct OtherDriver<'a> {
    driver: &'a str,
    pci_id: Option<u16>,
}

impl fmt::Display for OtherDriver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "driven by {}, not i915", self.driver)?;
        match self.pci_id {
            Some(id) if self.driver == "xe" => write!(
                f,
                ": boot with i915.force_probe={id:04x} xe.force_probe=!{id:04x}"
            ),
            Some(_) => f.write_str(": bind the GPU to i915"),
            None => Ok(()),
        }
    }
}

/// The sentence of [`Reason::PermissionDenied`].
struct PermissionDenied<'a>(Option<&'a str>);

impl fmt::Display for PermissionDenied<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(group) => write!(f, "permission denied: join group {group} and log in again"),
            None => f.write_str("permission denied: only the owner of the node may open it"),
        }
    }
}

/// What to do about an error of the kernel.
fn advice(errno: Errno) -> &'static str {
    match errno {
        Errno::EPERM => "the sandbox or container denies it, so pass the device to it",
        Errno::ENOENT | Errno::ENODEV | Errno::ENXIO => "the device is gone, so look at dmesg",
        Errno::EMFILE => "close files, or raise the limit of open files",
        Errno::ENOMEM => "free some memory",
        Errno::EIO => "the kernel has given the GPU up, so reboot",
        _ => "look at dmesg",
    }
}

#[cfg(test)]
mod tests;
