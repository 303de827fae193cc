//! A look at the machine that changes nothing: device nodes, kernel, processor, Vulkan libraries.
//!
//! In:  /dev/dri, /sys, /proc and a few files of packages, under a root folder. Out: [`NodeFacts`]
//!      for each node, and other facts as lines.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use uapi::{Kernel, i915};

/// What the system's files tell about a device node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    /// File name, such as renderD128.
    pub name: String,
    /// Minor number.
    pub minor: u32,
    /// PCI vendor id.
    pub vendor: u32,
    /// PCI device id.
    pub device: u32,
    /// PCI revision.
    pub revision: u32,
    /// The kernel driver, from the link in /sys.
    pub driver: String,
    /// The group that owns the node.
    pub group: String,
    /// Permission bits.
    pub mode: u32,
}

/// The first line of a file, without spaces at its ends.
fn first_line(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_string())
}

fn hex(path: &Path) -> u32 {
    let line = first_line(path).unwrap_or_default();
    u32::from_str_radix(line.trim_start_matches("0x"), 16).unwrap_or(0)
}

/// The name of a group.
fn group_name(root: &Path, id: u32) -> String {
    let groups = std::fs::read_to_string(root.join("etc/group")).unwrap_or_default();
    let name = groups.lines().find_map(|line| {
        let mut parts = line.split(':');
        let (name, number) = (parts.next()?, parts.nth(1)?);
        (number.parse() == Ok(id)).then(|| name.to_string())
    });
    name.unwrap_or_else(|| id.to_string())
}

/// All nodes, ordered by name.
pub fn nodes(root: &Path) -> Vec<NodeFacts> {
    let entries = std::fs::read_dir(root.join("dev/dri"));
    let mut nodes: Vec<NodeFacts> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let minor = ["renderD", "card"]
                .iter()
                .find_map(|kind| name.strip_prefix(kind));
            let minor = minor?.parse().ok()?;
            let metadata = entry.metadata().ok()?;
            let device = root.join("sys/class/drm").join(&name).join("device");
            let driver = std::fs::read_link(device.join("driver")).ok();
            let driver = driver.as_deref().and_then(Path::file_name);
            Some(NodeFacts {
                minor,
                vendor: hex(&device.join("vendor")),
                device: hex(&device.join("device")),
                revision: hex(&device.join("revision")),
                driver: driver.map_or_else(|| "none".into(), |d| d.to_string_lossy().into_owned()),
                group: group_name(root, metadata.gid()),
                mode: metadata.mode() & 0o777,
                name,
            })
        })
        .collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    nodes
}

impl NodeFacts {
    /// The facts in one line.
    pub fn line(&self) -> String {
        format!(
            "{}: {:04x}:{:04x} revision {}, driver {}, group {}, mode {:o}",
            self.name, self.vendor, self.device, self.revision, self.driver, self.group, self.mode
        )
    }
}

/// Parameters of the kernel's command line that concern GPUs; others may name disks and hosts.
fn gpu_parameters(command_line: &str) -> String {
    const PARTS: &[&str] = &[
        "i915",
        "xe.",
        "drm",
        "iommu",
        "nomodeset",
        "mitigations",
        "pci=",
    ];
    let words = command_line.split_whitespace();
    let words = words.filter(|word| PARTS.iter().any(|part| word.contains(part)));
    let words: Vec<&str> = words.collect();
    match words.is_empty() {
        true => "nothing about GPUs".into(),
        false => words.join(" "),
    }
}

/// Versions of installed packages whose names start with one of these, from dpkg's status file.
fn packages(root: &Path, names: &[&str]) -> Vec<String> {
    let status = std::fs::read_to_string(root.join("var/lib/dpkg/status")).unwrap_or_default();
    let mut found = Vec::new();
    let mut name = "";
    for line in status.lines() {
        if let Some(package) = line.strip_prefix("Package: ") {
            name = package;
        } else if let Some(version) = line.strip_prefix("Version: ")
            && names.contains(&name)
        {
            found.push(format!("{name} {version}"));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Files of a folder whose names contain `part`, with the names that links point to.
fn libraries(folder: &Path, part: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let target = std::fs::read_link(entry.path()).ok();
        let target = target.map(|path| format!(" -> {}", path.display()));
        name.contains(part)
            .then(|| name + &target.unwrap_or_default())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Facts about the system, one line each.
pub fn system_facts(root: &Path) -> Vec<String> {
    let read = |path: &str| first_line(&root.join(path)).unwrap_or_else(|| "unknown".into());
    let mut lines = vec![
        format!("ingot: {}", env!("CARGO_PKG_VERSION")),
        format!("kernel: {}", read("proc/sys/kernel/osrelease")),
        format!(
            "kernel parameters: {}",
            gpu_parameters(&read("proc/cmdline"))
        ),
    ];
    let cpu = std::fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown", |m| m.trim_start_matches(['\t', ' ', ':']));
    lines.push(format!("processor: {model}"));
    let cache = read("sys/devices/system/cpu/cpu0/cache/index3/size");
    lines.push(format!("last-level cache: {cache}"));
    let firmware: Vec<PathBuf> = std::fs::read_dir(root.join("sys/kernel/debug/dri"))
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|node| {
            ["i915_dmc_info", "gt0/uc/guc_info", "gt0/uc/huc_info"].map(|f| node.path().join(f))
        })
        .collect();
    let firmware: Vec<String> = firmware
        .iter()
        .filter_map(|path| first_line(path))
        .collect();
    lines.push(match firmware.is_empty() {
        true => "firmware: not readable (debugfs is for root)".into(),
        false => format!("firmware: {}", firmware.join("; ")),
    });
    let packages = packages(
        root,
        &["mesa-vulkan-drivers", "libvulkan1", "libdrm-intel1"],
    );
    lines.extend(packages.iter().map(|package| format!("package: {package}")));
    for folder in ["usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib"] {
        for part in ["libvulkan.so", "libvulkan_intel"] {
            let names = libraries(&root.join(folder), part);
            lines.extend(names.iter().map(|name| format!("library: {name}")));
        }
    }
    let drivers = libraries(&root.join("usr/share/vulkan/icd.d"), ".json");
    lines.extend(drivers.iter().map(|name| format!("manifest: {name}")));
    lines
}

/// The kernel's answers about the device, raw: each parameter, the topology.
pub fn kernel_facts(kernel: &dyn Kernel) -> Vec<String> {
    let mut lines = Vec::new();
    match kernel.version() {
        Ok(version) => {
            let [major, minor, patch] = version.number;
            lines.push(format!("driver: {} {major}.{minor}.{patch}", version.name));
        }
        Err(errno) => lines.push(format!("driver: VERSION: {errno}")),
    }
    let params = (i915::PARAM_CHIPSET_ID..=i915::PARAM_HAS_USERPTR_PROBE).map(|param| {
        let value = kernel.getparam(param);
        value.map_or_else(
            |errno| format!("{param}={errno}"),
            |value| format!("{param}={value:#x}"),
        )
    });
    lines.push(format!(
        "parameters: {}",
        params.collect::<Vec<_>>().join(" ")
    ));
    let topology = match kernel.query(i915::QUERY_TOPOLOGY_INFO, 0) {
        Ok(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(errno) => errno.to_string(),
    };
    lines.push(format!("topology: {topology}"));
    lines
}

#[cfg(test)]
mod tests;
