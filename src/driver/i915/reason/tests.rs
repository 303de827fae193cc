use super::*;

#[test]
fn each_reason_is_a_sentence_that_tells_what_to_do() {
    let xe = |driver: &str, pci_id| Reason::OtherDriver {
        driver: driver.into(),
        pci_id,
    };
    let group = |name: Option<&str>| Reason::PermissionDenied {
        group: name.map(str::to_owned),
    };
    for (reason, sentence) in [
        (
            Reason::KernelTooOld {
                version: MINIMUM_KERNEL,
                lacks: "timelines in submissions",
            },
            "needs Linux 5.10 or newer: the kernel lacks timelines in submissions",
        ),
        (
            group(Some("render")),
            "permission denied: join group render and log in again",
        ),
        (
            group(None),
            "permission denied: only the owner of the node may open it",
        ),
        (
            xe("xe", Some(0x1912)),
            "driven by xe, not i915: boot with i915.force_probe=1912 xe.force_probe=!1912",
        ),
        (
            xe("vfio-pci", Some(0x1912)),
            "driven by vfio-pci, not i915: bind the GPU to i915",
        ),
        (xe("amdgpu", None), "driven by amdgpu, not i915"),
        (
            Reason::OtherGeneration { pci_id: 0x9a49 },
            "PCI device 0x9a49 (Tiger Lake): not supported yet, use another Vulkan driver",
        ),
        (
            Reason::OtherGeneration { pci_id: 0xfffe },
            "PCI device 0xfffe: not supported yet, use another Vulkan driver",
        ),
        (
            Reason::OtherVendor { vendor: 0x1002 },
            "PCI vendor 0x1002: not an Intel GPU, use its vendor's driver",
        ),
        (
            Reason::Hidden {
                errno: Errno::EACCES,
            },
            "cannot be examined (EACCES): let this process see /dev/dri",
        ),
        (
            Reason::NotOpened {
                errno: Errno::EPERM,
            },
            "cannot be opened (EPERM): the sandbox or container denies it, so pass the device to it",
        ),
        (
            Reason::Unreported {
                what: "its PCI id",
                errno: Errno::EINVAL,
            },
            "the kernel does not report its PCI id (EINVAL): look at dmesg",
        ),
        (
            Reason::SmallAddressSpace {
                bytes: 4 << 30,
                minimum_bytes: 8 << 40,
            },
            "the GPU's address space has 4 GiB, at least 8192 are needed: \
             give the machine the whole GPU instead of a virtual one (GVT-g)",
        ),
    ] {
        assert_eq!(reason.to_string(), sentence);
    }
}

#[test]
fn foreign_gpus_are_no_concern() {
    assert!(!Reason::OtherVendor { vendor: 0x10de }.concerns_intel());
    let other = |pci_id| Reason::OtherDriver {
        driver: "nouveau".into(),
        pci_id,
    };
    assert!(!other(None).concerns_intel() && other(Some(0x1912)).concerns_intel());
    let xe = Reason::OtherDriver {
        driver: "xe".into(),
        pci_id: None,
    };
    assert!(xe.concerns_intel());
    assert!(
        Reason::Hidden {
            errno: Errno::EACCES
        }
        .concerns_intel()
    );
}
