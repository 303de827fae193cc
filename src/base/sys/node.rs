//! DRM device nodes of this machine.
//!
//! By libc's functions where paths are concerned: there a preload library may show a device.

use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::{Errno, Result};

/// A render node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it is.
    pub path: PathBuf,
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// PCI vendor.
    pub vendor: u32,
    /// PCI device.
    pub device: u32,
    /// PCI revision.
    pub revision: u32,
    /// PCI domain, bus, device and function, if it is on a PCI bus.
    pub pci: Option<[u32; 4]>,
    /// Major and minor number of the same device's primary node, through which displays are driven.
    pub primary: Option<[u32; 2]>,
}

/// Every render node that is there and can be looked at, by minor number.
pub fn render_nodes() -> Vec<Node> {
    let Ok(entries) = std::fs::read_dir("/dev/dri") else {
        return Vec::new();
    };
    let mut nodes: Vec<Node> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
        .filter_map(|entry| describe(&entry.path()))
        .collect();
    nodes.sort_by_key(|node| node.minor);
    nodes
}

fn describe(path: &Path) -> Option<Node> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.file_type().is_char_device() {
        return None;
    }
    let device = metadata.rdev();
    let (major, minor) = (libc::major(device), libc::minor(device));
    let folder = PathBuf::from(format!("/sys/dev/char/{major}:{minor}/device"));
    Some(Node {
        path: path.to_owned(),
        major,
        minor,
        vendor: hexadecimal(&folder.join("vendor"))?,
        device: hexadecimal(&folder.join("device"))?,
        revision: hexadecimal(&folder.join("revision")).unwrap_or(0),
        pci: pci(&folder.join("uevent")),
        primary: primary(&folder.join("drm")),
    })
}

/// The primary node among those of a device.
fn primary(nodes: &Path) -> Option<[u32; 2]> {
    let mut entries = std::fs::read_dir(nodes).ok()?.flatten();
    let card = entries.find(|entry| entry.file_name().to_string_lossy().starts_with("card"))?;
    let text = std::fs::read_to_string(card.path().join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some([major.parse().ok()?, minor.parse().ok()?])
}

fn hexadecimal(path: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(path).ok()?;
    u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

fn pci(uevent: &Path) -> Option<[u32; 4]> {
    let text = std::fs::read_to_string(uevent).ok()?;
    let slot = text
        .lines()
        .find_map(|line| line.strip_prefix("PCI_SLOT_NAME="))?;
    let mut numbers = slot
        .split([':', '.'])
        .map(|part| u32::from_str_radix(part, 16));
    Some([
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
    ])
}

/// Major and minor number of a device, which the kernel and protocols tell as one number.
pub fn device_numbers(device: u64) -> [u32; 2] {
    [libc::major(device), libc::minor(device)]
}

/// Opens a device node for reading and writing; exec closes it.
pub fn open_node(path: &Path) -> Result<OwnedFd> {
    let opened: std::io::Result<File> = OpenOptions::new().read(true).write(true).open(path);
    opened
        .map(OwnedFd::from)
        .map_err(|error| Errno(error.raw_os_error().unwrap_or(Errno::EIO.0)))
}
