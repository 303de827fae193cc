//! DRM device nodes of this machine.
//!
//! Paths are accessed through libc's functions, where a preload library may present a simulated
//! device.

use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use uapi::{Errno, Result};

/// The PCI ids of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PciId {
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// Revision.
    pub revision: u8,
}

/// A render node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Path under /dev/dri.
    pub path: PathBuf,
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Permission bits.
    pub mode: u32,
    /// Group that owns the node.
    pub group: u32,
    /// PCI ids; None if sysfs is not accessible, or the device is not on a PCI bus.
    pub id: Option<PciId>,
    /// Name of the kernel driver bound to the device, as sysfs reports it.
    pub driver: Option<String>,
    /// PCI domain, bus, device and function, if the device is on a PCI bus.
    pub pci: Option<[u32; 4]>,
    /// Major and minor number of the primary node of the same device, which drives displays.
    pub primary: Option<[u32; 2]>,
}

/// A path that looks like a render node but cannot be examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenNode {
    /// The path: of the node, or of the folder of all nodes.
    pub path: PathBuf,
    /// Why it cannot be examined.
    pub errno: Errno,
}

const FOLDER: &str = "/dev/dri";

/// All render nodes, ordered by path. A node that cannot be examined is an error, and so is the
/// folder if it exists but cannot be read. Empty if there is no such folder.
pub fn render_nodes() -> Vec<Result<Node, HiddenNode>> {
    let errno = |error: &std::io::Error| Errno(error.raw_os_error().unwrap_or(Errno::EIO.0));
    let hidden = |path: &Path, error: &std::io::Error| HiddenNode {
        path: path.to_owned(),
        errno: errno(error),
    };
    let folder = Path::new(FOLDER);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if errno(&error) == Errno::ENOENT => return Vec::new(),
        Err(error) => return vec![Err(hidden(folder, &error))],
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
        .map(|entry| entry.path())
        .collect();
    // Minor numbers of render nodes have three digits, so this is their order too.
    paths.sort();
    let nodes = paths.into_iter().filter_map(|path| {
        read_node(&path)
            .map_err(|error| hidden(&path, &error))
            .transpose()
    });
    nodes.collect()
}

/// A node's properties; None if the path is not a device.
fn read_node(path: &Path) -> std::io::Result<Option<Node>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.file_type().is_char_device() {
        return Ok(None);
    }
    let device = metadata.rdev();
    let (major, minor) = (libc::major(device), libc::minor(device));
    let folder = PathBuf::from(format!("/sys/dev/char/{major}:{minor}/device"));
    Ok(Some(Node {
        path: path.to_owned(),
        major,
        minor,
        mode: metadata.mode() & 0o777,
        group: metadata.gid(),
        id: read_id(&folder),
        driver: read_driver(&folder.join("driver")),
        pci: read_pci_address(&folder.join("uevent")),
        primary: find_primary(&folder.join("drm")),
    }))
}

fn read_id(device: &Path) -> Option<PciId> {
    Some(PciId {
        vendor: u16::try_from(read_hex(&device.join("vendor"))?).ok()?,
        device: u16::try_from(read_hex(&device.join("device"))?).ok()?,
        revision: u8::try_from(read_hex(&device.join("revision")).unwrap_or(0)).unwrap_or(0),
    })
}

/// The name of the driver that a device's link in sysfs points to.
fn read_driver(link: &Path) -> Option<String> {
    let target = std::fs::read_link(link).ok()?;
    Some(target.file_name()?.to_string_lossy().into_owned())
}

/// The name of a group of this machine.
pub fn group_name(group: u32) -> Option<String> {
    let group = nix::unistd::Group::from_gid(nix::unistd::Gid::from_raw(group));
    Some(group.ok()??.name)
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

/// Opens a device node for reading and writing, with close-on-exec.
pub fn open_node(path: &Path) -> Result<OwnedFd> {
    let opened: std::io::Result<File> = OpenOptions::new().read(true).write(true).open(path);
    opened
        .map(OwnedFd::from)
        .map_err(|error| Errno(error.raw_os_error().unwrap_or(Errno::EIO.0)))
}
