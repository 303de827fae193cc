//! The files that exist for a GPU in /dev/dri and sysfs, written once to a private folder of the
//! user.
//!
//! In:  a GPU model. Out: the root of the tree, to which [`crate::files`] redirects paths.
//! Ref: Linux's Documentation/filesystems/sysfs.rst; contents as on a machine with such a part.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Sysfs folder of the GPU's PCI device.
const PCI: &str = "/sys/devices/pci0000:00/0000:00:02.0";

/// Path prefixes that are redirected to the tree.
pub(crate) const PREFIXES: &[&str] = &[
    "/dev/dri",
    "/sys/dev/char/226:0",
    "/sys/dev/char/226:128",
    "/sys/class/drm",
    "/sys/devices/pci0000:00/0000:00:02.0",
    "/sys/bus/pci/devices/0000:00:02.0",
    "/sys/bus/pci/drivers/i915",
];

/// Device nodes: name and minor number.
pub(crate) const NODES: &[(&str, u32)] = &[("card0", 0), ("renderD128", 128)];

enum Content {
    File(Vec<u8>),
    Link(String),
}

/// The text files of the tree.
fn text_files(hw: &hw::Device) -> Vec<(String, Content)> {
    let mut list: Vec<(String, Content)> = Vec::new();
    let mut text = |path: String, text: String| list.push((path, Content::File(text.into_bytes())));
    let id = hw.pci_id;
    text(format!("{PCI}/vendor"), "0x8086\n".into());
    text(format!("{PCI}/device"), format!("0x{id:04x}\n"));
    text(
        format!("{PCI}/revision"),
        format!("0x{:02x}\n", hw.revision),
    );
    text(format!("{PCI}/subsystem_vendor"), "0x8086\n".into());
    text(format!("{PCI}/subsystem_device"), "0x2212\n".into());
    text(format!("{PCI}/class"), "0x030000\n".into());
    text(format!("{PCI}/boot_vga"), "1\n".into());
    text(format!("{PCI}/irq"), "128\n".into());
    text(format!("{PCI}/numa_node"), "-1\n".into());
    text(format!("{PCI}/local_cpus"), "3\n".into());
    let resources = [
        (0xd000_0000_u64, 0xd0ff_ffff_u64, 0x14_0204_u64),
        (0, 0, 0),
        (0xc000_0000, 0xcfff_ffff, 0x14_220c),
    ];
    let resources =
        resources.map(|(from, to, flags)| format!("0x{from:016x} 0x{to:016x} 0x{flags:016x}\n"));
    text(format!("{PCI}/resource"), resources.concat());
    let alias = format!("pci:v00008086d0000{id:04X}sv00008086sd00002212bc03sc00i00");
    text(
        format!("{PCI}/uevent"),
        format!(
            "DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:{id:04X}\nPCI_SUBSYS_ID=8086:2212\nPCI_SLOT_NAME=0000:00:02.0\nMODALIAS={alias}\n"
        ),
    );
    for (name, mhz) in [
        ("min", 300),
        ("max", 1150),
        ("boost", 1150),
        ("cur", 300),
        ("act", 300),
    ] {
        text(
            format!("{PCI}/drm/card0/gt_{name}_freq_mhz"),
            format!("{mhz}\n"),
        );
    }
    for (name, mhz) in [("RP0", 1150), ("RP1", 300), ("RPn", 300)] {
        text(
            format!("{PCI}/drm/card0/gt_{name}_freq_mhz"),
            format!("{mhz}\n"),
        );
    }
    text(
        "/sys/class/drm/version".into(),
        "drm 1.1.0 20060810\n".into(),
    );
    text("/sys/bus/pci/drivers/i915/bind".into(), String::new());
    for (name, minor) in NODES {
        text(format!("/dev/dri/{name}"), String::new());
        text(format!("{PCI}/drm/{name}/dev"), format!("226:{minor}\n"));
        let uevent = format!("MAJOR=226\nMINOR={minor}\nDEVNAME=dri/{name}\nDEVTYPE=drm_minor\n");
        text(format!("{PCI}/drm/{name}/uevent"), uevent);
    }
    list
}

/// The PCI configuration space of the GPU.
fn pci_config(hw: &hw::Device) -> Vec<u8> {
    let mut config = vec![0_u8; 256];
    let [low, high] = hw.pci_id.to_le_bytes();
    for (at, byte) in [
        0x86,
        0x80,
        low,
        high,
        0x07,
        0x04,
        0x10,
        0x00,
        hw.revision,
        0x00,
        0x00,
        0x03,
    ]
    .into_iter()
    .enumerate()
    {
        config[at] = byte;
    }
    config[0x2c..0x30].copy_from_slice(&[0x86, 0x80, 0x12, 0x22]);
    config
}

/// The symbolic links of the tree.
fn links() -> Vec<(String, Content)> {
    let mut list: Vec<(String, Content)> = Vec::new();
    let mut link = |path: String, target: String| list.push((path, Content::Link(target)));
    link(format!("{PCI}/subsystem"), "../../../bus/pci".into());
    link(
        format!("{PCI}/driver"),
        "../../../bus/pci/drivers/i915".into(),
    );
    link(
        "/dev/dri/by-path/pci-0000:00:02.0-card".into(),
        "../card0".into(),
    );
    link(
        "/dev/dri/by-path/pci-0000:00:02.0-render".into(),
        "../renderD128".into(),
    );
    link(
        "/sys/bus/pci/devices/0000:00:02.0".into(),
        "../../../devices/pci0000:00/0000:00:02.0".into(),
    );
    for (name, minor) in NODES {
        link(
            format!("{PCI}/drm/{name}/device"),
            "../../../0000:00:02.0".into(),
        );
        link(
            format!("{PCI}/drm/{name}/subsystem"),
            "../../../../../class/drm".into(),
        );
        // Both folders are two levels below /sys.
        let target = format!("../../devices/pci0000:00/0000:00:02.0/drm/{name}");
        link(format!("/sys/dev/char/226:{minor}"), target.clone());
        link(format!("/sys/class/drm/{name}"), target);
    }
    list
}

/// Everything in the tree, by path.
fn contents(hw: &hw::Device) -> Vec<(String, Content)> {
    let mut list = text_files(hw);
    list.push((format!("{PCI}/config"), Content::File(pci_config(hw))));
    list.extend(links());
    list
}

/// Writes the tree unless it exists, and returns its root.
pub(crate) fn write(hw: &hw::Device) -> io::Result<PathBuf> {
    let contents = contents(hw);
    // The name contains a hash of the contents, so that the tree of another version is not reused.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bytes: &[u8]| {
        bytes
            .iter()
            .for_each(|&b| hash = (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
    };
    for (path, content) in &contents {
        mix(path.as_bytes());
        match content {
            Content::File(bytes) => mix(bytes),
            Content::Link(target) => mix(target.as_bytes()),
        }
    }
    let home = sys::private_folder()?;
    let root = home.join(format!("{}-{hash:016x}", hw.name));
    if root.is_dir() {
        return Ok(root);
    }
    // Written under a temporary name and renamed, since other processes may do the same at this
    // time.
    let draft = home.join(format!("{}-{hash:016x}.{}", hw.name, std::process::id()));
    for (path, content) in &contents {
        write_entry(&draft, path, content)?;
    }
    if std::fs::rename(&draft, &root).is_err() {
        std::fs::remove_dir_all(&draft)?;
    }
    Ok(root)
}

/// Writes one file or link below `root`.
fn write_entry(root: &Path, path: &str, content: &Content) -> io::Result<()> {
    let path = root.join(path.trim_start_matches('/'));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match content {
        Content::File(bytes) => std::fs::write(path, bytes),
        Content::Link(target) => symlink(target, path),
    }
}
