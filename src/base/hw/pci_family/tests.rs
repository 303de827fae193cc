use super::*;
use crate::DEVICES;

#[test]
fn ranges_are_ascending_and_do_not_overlap() {
    assert!(FAMILIES.iter().all(|(first, last, _)| first <= last));
    assert!(FAMILIES.windows(2).all(|pair| pair[0].1 < pair[1].0));
}

#[test]
fn the_devices_of_the_table_have_a_family() {
    for device in DEVICES {
        assert!(pci_family(device.pci_id).is_some(), "{}", device.name);
    }
}

#[test]
fn families_are_found_by_pci_id() {
    for (id, name) in [
        (0x1912, Some("Skylake")),
        (0x9a49, Some("Tiger Lake")),
        (0x9bc5, Some("Comet Lake")),
        (0x56a0, Some("Arc Alchemist")),
        (0x0000, None),
        (0xffff, None),
    ] {
        assert_eq!(pci_family(id), name, "{id:04x}");
    }
}
