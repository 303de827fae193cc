use super::*;

/// A root folder with one node.
fn root(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("ingot-inventory-{name}-{}", std::process::id()));
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("dev/dri/renderD128", "");
    write("dev/dri/by-path", "");
    write("sys/class/drm/renderD128/device/vendor", "0x8086\n");
    write("sys/class/drm/renderD128/device/device", "0x1912\n");
    write("sys/class/drm/renderD128/device/revision", "0x06\n");
    write("proc/sys/kernel/osrelease", "5.4.0-150\n");
    write(
        "proc/cmdline",
        "root=UUID=secret i915.enable_guc=0 hostname=box quiet\n",
    );
    write(
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i5-6500\n",
    );
    write(
        "var/lib/dpkg/status",
        "Package: libvulkan1\nVersion: 1.3.239\n\nPackage: vim\nVersion: 9\n",
    );
    let folder = root.join("sys/class/drm/renderD128/device");
    let _ = std::os::unix::fs::symlink("../../../bus/pci/drivers/i915", folder.join("driver"));
    root
}

#[test]
fn nodes_have_their_driver_ids_and_group() {
    let root = root("nodes");
    let nodes = nodes(&root);
    std::fs::remove_dir_all(&root).unwrap();
    assert_eq!(nodes.len(), 1);
    let node = &nodes[0];
    assert_eq!(
        (node.vendor, node.device, node.revision),
        (0x8086, 0x1912, 6)
    );
    assert_eq!((node.driver.as_str(), node.minor), ("i915", 128));
    assert_eq!(super::nodes(Path::new("/no such root")), []);
}

#[test]
fn facts_name_versions_but_neither_disks_nor_hosts() {
    let root = root("facts");
    let facts = system_facts(&root).join("\n");
    std::fs::remove_dir_all(&root).unwrap();
    for part in [
        "kernel: 5.4.0-150",
        "i915.enable_guc=0",
        "i5-6500",
        "libvulkan1 1.3.239",
    ] {
        assert!(facts.contains(part), "{part}: {facts}");
    }
    for part in ["secret", "box", "vim"] {
        assert!(!facts.contains(part), "{part}: {facts}");
    }
}
