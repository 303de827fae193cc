use super::*;
use i915::Reason;

fn unusable(reason: Reason) -> NodeReport {
    NodeReport {
        path: "/dev/dri/renderD128".into(),
        id: None,
        pci: None,
        driver: None,
        outcome: Err(reason),
    }
}

/// A node of a simulated GPU, whose kernel driver describes itself as this.
fn usable(description: &str) -> NodeReport {
    let device = kmd::Device::new("skl", kmd::Options::default()).unwrap();
    let (file, mut info) = i915::probe(device.open(), None).unwrap();
    assert_eq!(info.kernel_driver.description, kmd::DESCRIPTION);
    info.kernel_driver.description = description.into();
    let mut report = unusable(Reason::OtherVendor { vendor: 0 });
    report.outcome = Ok(nodes::NodeDevice { file, info });
    report
}

#[test]
fn an_intel_gpu_that_cannot_be_used_is_not_replaced_by_a_simulated_one() {
    let denied = || {
        unusable(Reason::PermissionDenied {
            group: Some("render".into()),
        })
    };
    assert_eq!(
        choice(&[denied()]),
        Err(
            "/dev/dri/renderD128: permission denied: join group render and log in again; \
             `--simulated` runs on a simulated GPU"
                .into()
        )
    );
    let foreign = unusable(Reason::OtherVendor { vendor: 0x1002 });
    assert!(choice(&[foreign, denied()]).is_err());
}

#[test]
fn without_an_intel_gpu_the_simulator_is_used_and_the_user_reads_why() {
    assert_eq!(
        choice(&[]),
        Ok(Choice::Simulator {
            note: "this machine has no GPU: /dev/dri has no render node; a simulated GPU is used"
                .into()
        })
    );
    let foreign = unusable(Reason::OtherVendor { vendor: 0x1002 });
    assert_eq!(
        choice(&[foreign]),
        Ok(Choice::Simulator {
            note: "/dev/dri/renderD128: PCI vendor 0x1002: not an Intel GPU, use its vendor's \
                   driver; a simulated GPU is used"
                .into()
        })
    );
}

#[test]
fn a_gpu_that_can_be_used_is() {
    let denied = unusable(Reason::PermissionDenied { group: None });
    assert_eq!(
        choice(&[denied, usable("Intel Graphics")]),
        Ok(Choice::RealGpu { simulates: false })
    );
    assert_eq!(
        choice(&[usable(kmd::DESCRIPTION)]),
        Ok(Choice::RealGpu { simulates: true })
    );
}

#[test]
fn simulated_devices_are_labelled() {
    let mut driver = ChosenDriver {
        entry: EntryPoint::Loader,
        note: None,
        simulates: true,
    };
    let name = "Intel(R) HD Graphics 530 (SKL GT2) [Ingot]";
    assert_eq!(driver.device_label(name), format!("{name} (simulated)"));
    assert_eq!(driver.device_label("llvmpipe"), "llvmpipe");
    driver.simulates = false;
    assert_eq!(driver.device_label(name), name);
}
