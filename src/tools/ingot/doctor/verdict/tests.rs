use super::*;

fn node(driver: &str) -> NodeFacts {
    NodeFacts {
        name: "renderD128".into(),
        vendor: INTEL,
        device: 0x1912,
        driver: driver.into(),
        group: "render".into(),
        ..NodeFacts::default()
    }
}

fn unsupported(why: &str) -> Result<i915::GpuInfo, i915::Error> {
    Err(i915::Error::Unsupported { why: why.into() })
}

#[test]
fn each_obstacle_has_its_sentence_and_its_exit_code() {
    let denied = from_open_error(&node("i915"), "Permission denied (EACCES)");
    assert!(
        denied.to_string().contains("join the group render"),
        "{denied}"
    );
    let xe = from_files(&node("xe")).unwrap();
    assert!(xe.to_string().contains("kernel driver xe"), "{xe}");
    assert_eq!(
        from_probe(unsupported("driven by xe, not i915"), 0x1912),
        xe
    );
    assert_eq!(from_files(&node("i915")), None);
    let old = from_probe(
        unsupported("GETPARAM timelines in submissions: EINVAL"),
        0x1912,
    );
    assert!(old.to_string().contains("Linux 5.10"), "{old}");
    let new = from_probe(unsupported("PCI device 0x9a49"), 0x9a49);
    assert!(new.to_string().contains("not supported yet"), "{new}");
    let busy = from_open_error(&node("i915"), "EMFILE");
    let codes = [&denied, &xe, &old, &new, &busy, &Verdict::NoNode].map(Verdict::exit_code);
    assert_eq!(codes, [3, 6, 4, 5, 8, 7]);
}
