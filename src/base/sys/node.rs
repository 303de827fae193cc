//! DRM device nodes of this machine.
//!
//! Paths are accessed through libc's functions, where a preload library may present a simulated
//! device.

use std::fs::{File, OpenOptions};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use uapi::{Errno, Result};

/// A render node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Path under /dev/dri.
    pub path: PathBuf,
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// PCI vendor id.
    pub vendor: u32,
    /// PCI device id.
    pub device: u32,
    /// PCI revision.
    pub revision: u32,
    /// PCI domain, bus, device and function, if the device is on a PCI bus.
    pub pci: Option<[u32; 4]>,
    /// Major and minor number of the primary node of the same device, which drives displays.
    pub primary: Option<[u32; 2]>,
}

/// All render nodes whose properties can be read, ordered by minor number.
pub fn render_nodes() -> Vec<Node> {
    let Ok(entries) = std::fs::read_dir("/dev/dri") else {
        return Vec::new();
    };
    let mut nodes: Vec<Node> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
        .filter_map(|entry| read_node(&entry.path()))
        .collect();
    nodes.sort_by_key(|node| node.minor);
    nodes
}

fn read_node(path: &Path) -> Option<Node> {
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
        vendor: read_hex(&folder.join("vendor"))?,
        device: read_hex(&folder.join("device"))?,
        revision: read_hex(&folder.join("revision")).unwrap_or(0),
        pci: read_pci_address(&folder.join("uevent")),
        primary: find_primary(&folder.join("drm")),
    })
}

/// Major and minor number of the primary node in a device's folder of nodes.
fn find_primary(nodes: &Path) -> Option<[u32; 2]> {
    let mut entries = std::fs::read_dir(nodes).ok()?.flatten();
    let card = entries.find(|entry| entry.file_name().to_string_lossy().starts_with("card"))?;
    let text = std::fs::read_to_string(card.path().join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some([major.parse().ok()?, minor.parse().ok()?])
}

fn read_hex(path: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(path).ok()?;
    u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

fn read_pci_address(uevent: &Path) -> Option<[u32; 4]> {
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

/// Splits a `dev_t` into major and minor number.
pub fn device_numbers(device: u64) -> [u32; 2] {
    [libc::major(device), libc::minor(device)]
}

/// The device numbers of the node that a descriptor is open on.
pub fn device_of(descriptor: BorrowedFd<'_>) -> Result<[u32; 2]> {
    let errno = |error: std::io::Error| Errno(error.raw_os_error().unwrap_or(Errno::EIO.0));
    let duplicate = descriptor.try_clone_to_owned().map_err(errno)?;
    let metadata = File::from(duplicate).metadata().map_err(errno)?;
    Ok(device_numbers(metadata.rdev()))
}

/// Opens a device node for reading and writing, with close-on-exec.
pub fn open_node(path: &Path) -> Result<OwnedFd> {
    let opened: std::io::Result<File> = OpenOptions::new().read(true).write(true).open(path);
    opened
        .map(OwnedFd::from)
        .map_err(|error| Errno(error.raw_os_error().unwrap_or(Errno::EIO.0)))
}
