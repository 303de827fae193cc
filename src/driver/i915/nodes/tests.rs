use super::*;

const RENDER_NODE: &str = "/dev/dri/renderD128";

fn node(vendor: u16, device: u16, driver: Option<&str>) -> Node {
    Node {
        path: RENDER_NODE.into(),
        major: 226,
        minor: 128,
        mode: 0o660,
        // Root's group exists everywhere.
        group: 0,
        id: Some(sys::PciId {
            vendor,
            device,
            revision: 6,
        }),
        driver: driver.map(str::to_owned),
        pci: Some([0, 0, 2, 0]),
        primary: None,
    }
}

/// The line for a node that fails to open with this error; EBUSY means that it must not be opened.
fn line(node: Node, errno: Errno) -> String {
    let open = |path: &Path| {
        assert_eq!(path, Path::new(RENDER_NODE));
        assert_ne!(errno, Errno::EBUSY, "opened");
        Err(errno)
    };
    examine(node, &open).to_string()
}

#[test]
fn what_sysfs_shows_is_reported_without_opening_the_node() {
    for (node, reason) in [
        (
            node(0x1002, 0x1912, Some("amdgpu")),
            "PCI vendor 0x1002: not an Intel GPU, use its vendor's driver",
        ),
        (
            node(0x8086, 0x9a49, Some("xe")),
            "PCI device 0x9a49 (Tiger Lake): not supported yet, use another Vulkan driver",
        ),
        (
            node(0x8086, 0x5917, Some("xe")),
            "driven by xe, not i915: boot with i915.force_probe=5917 xe.force_probe=!5917",
        ),
    ] {
        assert_eq!(line(node, Errno::EBUSY), format!("{RENDER_NODE}: {reason}"));
    }
}

#[test]
fn a_denied_node_names_the_group_that_may_open_it() {
    let denied = |mode| {
        let mut node = node(0x8086, 0x1912, Some("i915"));
        node.mode = mode;
        line(node, Errno::EACCES)
    };
    assert_eq!(
        denied(0o660),
        format!("{RENDER_NODE}: permission denied: join group root and log in again")
    );
    // A group that may only read does not help.
    assert_eq!(
        denied(0o640),
        format!("{RENDER_NODE}: permission denied: only the owner of the node may open it")
    );
}

#[test]
fn a_node_without_sysfs_is_opened() {
    let mut node = node(0x8086, 0x1912, None);
    node.id = None;
    let report = examine(node, &|_| Err(Errno::EPERM));
    assert!(report.is_unusable_intel());
    assert_eq!(
        report.outcome.unwrap_err(),
        Reason::NotOpened {
            errno: Errno::EPERM
        }
    );
}

#[test]
fn a_hidden_folder_is_reported() {
    let report = hidden_node(HiddenNode {
        path: "/dev/dri".into(),
        errno: Errno::EACCES,
    });
    assert_eq!(
        report.to_string(),
        "/dev/dri: cannot be examined (EACCES): let this process see /dev/dri"
    );
    assert!(report.is_unusable_intel() && report.id.is_none());
}
