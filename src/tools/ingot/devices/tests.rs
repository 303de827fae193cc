use super::*;
use i915::Reason;

#[test]
fn each_node_has_a_line_with_its_reason() {
    let id = |device| sys::PciId {
        vendor: 0x8086,
        device,
        revision: 0,
    };
    let nodes = [
        NodeReport {
            path: "/dev/dri/renderD128".into(),
            id: Some(id(0x9a49)),
            pci: None,
            driver: Some("i915".into()),
            outcome: Err(Reason::OtherGeneration { pci_id: 0x9a49 }),
        },
        NodeReport {
            path: "/dev/dri/renderD129".into(),
            id: None,
            pci: None,
            driver: None,
            outcome: Err(Reason::PermissionDenied {
                group: Some("render".into()),
            }),
        },
    ];
    assert_eq!(
        this_machine(&nodes),
        "This machine:\n\
         \x20 /dev/dri/renderD128  8086:9a49  i915  PCI device 0x9a49 (Tiger Lake): not supported \
         yet, use another Vulkan driver\n\
         \x20 /dev/dri/renderD129  unknown PCI id  unknown driver  permission denied: join group \
         render and log in again\n"
    );
    assert_eq!(
        this_machine(&[]),
        "This machine:\n  this machine has no GPU: /dev/dri has no render node\n"
    );
}
