//! Code names of Intel's GPU families by PCI id, for parts that the device table does not have.
//!
//! Ref: Mesa's include/pci_ids (i915, crocus, iris); the kernel's i915_pciids.h. An id's upper byte
//!      identifies the family, except where the table divides it.

/// PCI vendor id of Intel.
pub const INTEL_VENDOR: u16 = 0x8086;

/// First and last PCI id, and the family's code name.
const FAMILIES: &[(u16, u16, &str)] = &[
    (0x0102, 0x0126, "Sandy Bridge"),
    (0x0152, 0x016a, "Ivy Bridge"),
    (0x0402, 0x042e, "Haswell"),
    (0x0a02, 0x0a2e, "Haswell"),
    (0x0a84, 0x0a84, "Broxton and Apollo Lake"),
    (0x0c02, 0x0c2e, "Haswell"),
    (0x0d02, 0x0d2e, "Haswell"),
    (0x0f30, 0x0f33, "Bay Trail"),
    (0x1602, 0x163e, "Broadwell"),
    (0x1902, 0x193d, "Skylake"),
    (0x1a84, 0x1a85, "Broxton and Apollo Lake"),
    (0x22b0, 0x22b3, "Cherryview and Braswell"),
    (0x3184, 0x3185, "Gemini Lake"),
    (0x3e90, 0x3ea9, "Coffee Lake"),
    (0x4541, 0x4571, "Elkhart Lake"),
    (0x4626, 0x46d4, "Alder Lake"),
    (0x4905, 0x4909, "DG1"),
    (0x4c8a, 0x4c9a, "Rocket Lake"),
    (0x4e51, 0x4e71, "Jasper Lake"),
    (0x5690, 0x56c2, "Arc Alchemist"),
    (0x5902, 0x593b, "Kaby Lake"),
    (0x5a84, 0x5a85, "Broxton and Apollo Lake"),
    (0x6420, 0x64b0, "Lunar Lake"),
    (0x7d40, 0x7dd5, "Meteor Lake and Arrow Lake"),
    (0x87c0, 0x87ca, "Amber Lake"),
    (0x8a50, 0x8a71, "Ice Lake"),
    (0x9a40, 0x9af8, "Tiger Lake"),
    (0x9b21, 0x9bf6, "Comet Lake"),
    (0xa720, 0xa7ad, "Raptor Lake"),
    (0xb640, 0xb640, "Arrow Lake"),
    (0xe202, 0xe216, "Arc Battlemage"),
];

/// The code name of the family of an Intel GPU with this PCI id. None for ids of later or unlisted
/// families.
pub fn pci_family(pci_id: u16) -> Option<&'static str> {
    FAMILIES
        .iter()
        .find(|(first, last, _)| (*first..=*last).contains(&pci_id))
        .map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests;
