//! The device table: the configurations of gen9, a row for each PCI id of gen9, and a few devices
//! of other generations.
//!
//! Ref: each generation's PRM vol. 1, "Configurations" and "Steppings and Device IDs"; PCI ids as
//!      in the kernel's i915_pciids.h. WHL, AML and CML use the silicon of KBL and CFL under other
//!      PCI ids.

use crate::device::{Device, Platform};
use crate::generation::Gen;

/// The most common configuration, from which the others are derived: one slice of three subslices
/// of eight EUs. Names and ids are filled in by [`device`].
const SKL_GT2: Device = Device {
    name: "",
    marketing_name: "",
    code_name: "",
    hw_gen: Gen::Gen9,
    platform: Platform::Skylake,
    gt: 2,
    pci_id: 0,
    revision: 6,
    slices: 1,
    subslices: 3,
    eus: 8,
    max_eus: 8,
    threads: 7,
    timestamp_hz: 12_000_000,
    max_workgroup_threads: 56,
    max_stage_threads: 336,
    slm_bytes: 64 << 10,
    l3_banks: 4,
    low_power: false,
};
const SKL_GT1: Device = Device {
    gt: 1,
    subslices: 2,
    eus: 6,
    max_workgroup_threads: 42,
    l3_banks: 2,
    ..SKL_GT2
};
const SKL_GT3: Device = Device {
    gt: 3,
    slices: 2,
    l3_banks: 8,
    ..SKL_GT2
};
const SKL_GT4: Device = Device {
    gt: 4,
    slices: 3,
    l3_banks: 12,
    ..SKL_GT2
};
const BXT: Device = Device {
    platform: Platform::Broxton,
    gt: 1,
    revision: 11,
    eus: 6,
    max_eus: 6,
    threads: 6,
    timestamp_hz: 19_200_000,
    max_workgroup_threads: 36,
    max_stage_threads: 112,
    l3_banks: 2,
    low_power: true,
    ..SKL_GT2
};
const BXT_2X6: Device = Device {
    subslices: 2,
    max_stage_threads: 56,
    l3_banks: 1,
    ..BXT
};
const GLK: Device = Device {
    platform: Platform::GeminiLake,
    revision: 3,
    ..BXT
};
const GLK_2X6: Device = Device {
    subslices: 2,
    max_stage_threads: 56,
    ..GLK
};
const KBL_GT1: Device = Device {
    platform: Platform::KabyLake,
    revision: 4,
    max_eus: 6,
    ..SKL_GT1
};
const KBL_GT2: Device = Device {
    platform: Platform::KabyLake,
    revision: 4,
    ..SKL_GT2
};
const KBL_GT3: Device = Device {
    platform: Platform::KabyLake,
    revision: 4,
    ..SKL_GT3
};
const KBL_GT4: Device = Device {
    platform: Platform::KabyLake,
    revision: 4,
    ..SKL_GT4
};
/// One slice of three subslices of six EUs.
const KBL_GT1_5: Device = Device {
    subslices: 3,
    l3_banks: 4,
    ..KBL_GT1
};
const CFL_GT1: Device = Device {
    platform: Platform::CoffeeLake,
    revision: 0,
    ..SKL_GT1
};
const CFL_GT2: Device = Device {
    platform: Platform::CoffeeLake,
    revision: 0,
    ..SKL_GT2
};
const CFL_GT3: Device = Device {
    platform: Platform::CoffeeLake,
    revision: 0,
    ..SKL_GT3
};

const fn device(
    name: &'static str,
    pci_id: u16,
    silicon: Device,
    code_name: &'static str,
    marketing_name: &'static str,
) -> Device {
    Device {
        name,
        pci_id,
        code_name,
        marketing_name,
        ..silicon
    }
}

/// The parts of gen9. Those with a short name come first; the others are named after their PCI id.
#[rustfmt::skip]
const PARTS: [Device; 97] = [
    device("skl", 0x1912, SKL_GT2, "SKL GT2", "HD Graphics 530"),
    device("kbl", 0x5912, KBL_GT2, "KBL GT2", "HD Graphics 630"),
    device("cfl", 0x3e92, CFL_GT2, "CFL GT2", "UHD Graphics 630"),
    device("bxt", 0x5a84, BXT, "APL 3", "HD Graphics 505"),
    device("glk", 0x3185, GLK_2X6, "GLK 2", "UHD Graphics 600"),
    device("skl-mobile", 0x1916, SKL_GT2, "SKL GT2", "HD Graphics 520"),
    device("skl-halo", 0x191b, SKL_GT2, "SKL GT2", "HD Graphics 530"),
    device("kbl-mobile", 0x5916, KBL_GT2, "KBL GT2", "HD Graphics 620"),
    device("skl-1902", 0x1902, SKL_GT1, "SKL GT1", "HD Graphics 510"),
    device("skl-1906", 0x1906, SKL_GT1, "SKL GT1", "HD Graphics 510"),
    device("skl-190a", 0x190a, SKL_GT1, "SKL GT1", "HD Graphics"),
    device("skl-190b", 0x190b, SKL_GT1, "SKL GT1", "HD Graphics 510"),
    device("skl-190e", 0x190e, SKL_GT1, "SKL GT1", "HD Graphics"),
    device("skl-1913", 0x1913, SKL_GT2, "SKL GT2F", "HD Graphics"),
    device("skl-1915", 0x1915, SKL_GT2, "SKL GT2F", "HD Graphics"),
    device("skl-1917", 0x1917, SKL_GT2, "SKL GT2F", "HD Graphics"),
    device("skl-191a", 0x191a, SKL_GT2, "SKL GT2", "HD Graphics"),
    device("skl-191d", 0x191d, SKL_GT2, "SKL GT2", "HD Graphics P530"),
    device("skl-191e", 0x191e, SKL_GT2, "SKL GT2", "HD Graphics 515"),
    device("skl-1921", 0x1921, SKL_GT2, "SKL GT2", "HD Graphics 520"),
    device("skl-1923", 0x1923, SKL_GT3, "SKL GT3", "HD Graphics 535"),
    device("skl-1926", 0x1926, SKL_GT3, "SKL GT3", "Iris(R) Graphics 540"),
    device("skl-1927", 0x1927, SKL_GT3, "SKL GT3", "Iris(R) Graphics 550"),
    device("skl-192a", 0x192a, SKL_GT4, "SKL GT4", "HD Graphics"),
    device("skl-192b", 0x192b, SKL_GT3, "SKL GT3", "Iris(R) Graphics 555"),
    device("skl-192d", 0x192d, SKL_GT3, "SKL GT3", "Iris(R) Graphics P555"),
    device("skl-1932", 0x1932, SKL_GT4, "SKL GT4", "Iris(R) Pro Graphics 580"),
    device("skl-193a", 0x193a, SKL_GT4, "SKL GT4", "Iris(R) Pro Graphics P580"),
    device("skl-193b", 0x193b, SKL_GT4, "SKL GT4", "Iris(R) Pro Graphics 580"),
    device("skl-193d", 0x193d, SKL_GT4, "SKL GT4", "Iris(R) Pro Graphics P580"),
    device("bxt-0a84", 0x0a84, BXT, "BXT 3", "HD Graphics"),
    device("bxt-1a84", 0x1a84, BXT, "BXT 3", "HD Graphics"),
    device("bxt-1a85", 0x1a85, BXT_2X6, "BXT 2", "HD Graphics"),
    device("bxt-5a85", 0x5a85, BXT_2X6, "APL 2", "HD Graphics 500"),
    device("kbl-5902", 0x5902, KBL_GT1, "KBL GT1", "HD Graphics 610"),
    device("kbl-5906", 0x5906, KBL_GT1, "KBL GT1", "HD Graphics 610"),
    device("kbl-5908", 0x5908, KBL_GT1, "KBL GT1", "HD Graphics"),
    device("kbl-590a", 0x590a, KBL_GT1, "KBL GT1", "HD Graphics"),
    device("kbl-590b", 0x590b, KBL_GT1, "KBL GT1", "HD Graphics 610"),
    device("kbl-590e", 0x590e, KBL_GT1, "KBL GT1", "HD Graphics"),
    device("kbl-5913", 0x5913, KBL_GT1_5, "KBL GT1.5", "HD Graphics"),
    device("kbl-5915", 0x5915, KBL_GT1_5, "KBL GT1.5", "HD Graphics"),
    device("kbl-5917", 0x5917, KBL_GT2, "KBL GT2", "UHD Graphics 620"),
    device("kbl-591a", 0x591a, KBL_GT2, "KBL GT2", "HD Graphics P630"),
    device("kbl-591b", 0x591b, KBL_GT2, "KBL GT2", "HD Graphics 630"),
    device("kbl-591c", 0x591c, KBL_GT2, "AML-KBL", "UHD Graphics 615"),
    device("kbl-591d", 0x591d, KBL_GT2, "KBL GT2", "HD Graphics P630"),
    device("kbl-591e", 0x591e, KBL_GT2, "KBL GT2", "HD Graphics 615"),
    device("kbl-5921", 0x5921, KBL_GT2, "KBL GT2F", "HD Graphics 620"),
    device("kbl-5923", 0x5923, KBL_GT3, "KBL GT3", "HD Graphics 635"),
    device("kbl-5926", 0x5926, KBL_GT3, "KBL GT3", "Iris(R) Plus Graphics 640"),
    device("kbl-5927", 0x5927, KBL_GT3, "KBL GT3", "Iris(R) Plus Graphics 650"),
    device("kbl-593b", 0x593b, KBL_GT4, "KBL GT4", "HD Graphics"),
    device("kbl-87c0", 0x87c0, KBL_GT2, "AML-KBL", "UHD Graphics 617"),
    device("glk-3184", 0x3184, GLK, "GLK 3", "UHD Graphics 605"),
    device("cfl-3e90", 0x3e90, CFL_GT1, "CFL GT1", "UHD Graphics 610"),
    device("cfl-3e91", 0x3e91, CFL_GT2, "CFL GT2", "UHD Graphics 630"),
    device("cfl-3e93", 0x3e93, CFL_GT1, "CFL GT1", "UHD Graphics 610"),
    device("cfl-3e94", 0x3e94, CFL_GT2, "CFL GT2", "UHD Graphics P630"),
    device("cfl-3e96", 0x3e96, CFL_GT2, "CFL GT2", "UHD Graphics P630"),
    device("cfl-3e98", 0x3e98, CFL_GT2, "CFL GT2", "UHD Graphics 630"),
    device("cfl-3e99", 0x3e99, CFL_GT1, "CFL GT1", "UHD Graphics 610"),
    device("cfl-3e9a", 0x3e9a, CFL_GT2, "CFL GT2", "UHD Graphics P630"),
    device("cfl-3e9b", 0x3e9b, CFL_GT2, "CFL GT2", "UHD Graphics 630"),
    device("cfl-3e9c", 0x3e9c, CFL_GT1, "CFL GT1", "UHD Graphics 610"),
    device("cfl-3ea0", 0x3ea0, CFL_GT2, "WHL GT2", "UHD Graphics 620"),
    device("cfl-3ea1", 0x3ea1, CFL_GT1, "WHL GT1", "UHD Graphics 610"),
    device("cfl-3ea2", 0x3ea2, CFL_GT3, "WHL GT3", "UHD Graphics"),
    device("cfl-3ea3", 0x3ea3, CFL_GT2, "WHL GT2", "UHD Graphics"),
    device("cfl-3ea4", 0x3ea4, CFL_GT1, "WHL GT1", "UHD Graphics"),
    device("cfl-3ea5", 0x3ea5, CFL_GT3, "CFL GT3", "Iris(R) Plus Graphics 655"),
    device("cfl-3ea6", 0x3ea6, CFL_GT3, "CFL GT3", "Iris(R) Plus Graphics 645"),
    device("cfl-3ea7", 0x3ea7, CFL_GT3, "CFL GT3", "HD Graphics"),
    device("cfl-3ea8", 0x3ea8, CFL_GT3, "CFL GT3", "Iris(R) Plus Graphics 655"),
    device("cfl-3ea9", 0x3ea9, CFL_GT2, "CFL GT2", "UHD Graphics 620"),
    device("cfl-87ca", 0x87ca, CFL_GT2, "AML-CFL", "UHD Graphics"),
    device("cfl-9b21", 0x9b21, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9b41", 0x9b41, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9ba0", 0x9ba0, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9ba2", 0x9ba2, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9ba4", 0x9ba4, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9ba5", 0x9ba5, CFL_GT1, "CML GT1", "UHD Graphics 610"),
    device("cfl-9ba8", 0x9ba8, CFL_GT1, "CML GT1", "UHD Graphics 610"),
    device("cfl-9baa", 0x9baa, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9bab", 0x9bab, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9bac", 0x9bac, CFL_GT1, "CML GT1", "UHD Graphics"),
    device("cfl-9bc0", 0x9bc0, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9bc2", 0x9bc2, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9bc4", 0x9bc4, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9bc5", 0x9bc5, CFL_GT2, "CML GT2", "UHD Graphics 630"),
    device("cfl-9bc6", 0x9bc6, CFL_GT2, "CML GT2", "UHD Graphics P630"),
    device("cfl-9bc8", 0x9bc8, CFL_GT2, "CML GT2", "UHD Graphics 630"),
    device("cfl-9bca", 0x9bca, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9bcb", 0x9bcb, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9bcc", 0x9bcc, CFL_GT2, "CML GT2", "UHD Graphics"),
    device("cfl-9be6", 0x9be6, CFL_GT2, "CML GT2", "UHD Graphics P630"),
    device("cfl-9bf6", 0x9bf6, CFL_GT2, "CML GT2", "UHD Graphics P630"),
];

/// Default values of the rows of other generations.
const SKL: Device = PARTS[0];

/// One device of each of a few other generations. Their commands are not all in the tables, so they
/// cannot be simulated.
const OTHERS: [Device; 4] = [
    Device {
        name: "bdw",
        marketing_name: "HD Graphics 5500",
        code_name: "BDW GT2",
        hw_gen: Gen::Gen8,
        platform: Platform::Broadwell,
        pci_id: 0x1616,
        revision: 9,
        max_stage_threads: 504,
        timestamp_hz: 12_500_000,
        ..SKL
    },
    Device {
        name: "hsw",
        marketing_name: "HD Graphics 4600",
        code_name: "HSW GT2",
        hw_gen: Gen::Gen7_5,
        platform: Platform::Haswell,
        pci_id: 0x0412,
        revision: 6,
        subslices: 2,
        eus: 10,
        max_eus: 10,
        timestamp_hz: 12_500_000,
        max_workgroup_threads: 70,
        max_stage_threads: 280,
        ..SKL
    },
    Device {
        name: "icl",
        marketing_name: "Iris Plus Graphics",
        code_name: "ICL GT2",
        hw_gen: Gen::Gen11,
        platform: Platform::IceLake,
        pci_id: 0x8a52,
        revision: 7,
        subslices: 8,
        max_stage_threads: 224,
        l3_banks: 8,
        ..SKL
    },
    Device {
        name: "tgl",
        marketing_name: "Xe Graphics",
        code_name: "TGL GT2",
        hw_gen: Gen::Gen12,
        platform: Platform::TigerLake,
        pci_id: 0x9a49,
        revision: 3,
        subslices: 6,
        eus: 16,
        max_eus: 16,
        timestamp_hz: 19_200_000,
        max_workgroup_threads: 112,
        max_stage_threads: 336,
        l3_banks: 8,
        ..SKL
    },
];

const ALL: [Device; PARTS.len() + OTHERS.len()] = {
    let mut all = [SKL; PARTS.len() + OTHERS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < PARTS.len() {
            PARTS[at]
        } else {
            OTHERS[at - PARTS.len()]
        };
        at += 1;
    }
    all
};

/// All devices: every part of gen9, and one of each of a few other generations. Only those of
/// [`crate::batch::COMPLETE_GENERATIONS`] generations can be simulated ([`Device::is_modelled`]).
pub static DEVICES: &[Device] = &ALL;

impl Device {
    /// The device with this short name.
    pub fn by_name(name: &str) -> Option<&'static Device> {
        DEVICES.iter().find(|d| d.name == name)
    }

    /// True if both are the same silicon, with the same units, under different PCI ids and names.
    pub fn is_same_silicon(&self, other: &Device) -> bool {
        let renamed = Device {
            name: self.name,
            marketing_name: self.marketing_name,
            code_name: self.code_name,
            pci_id: self.pci_id,
            ..*other
        };
        *self == renamed
    }

    /// The first device of each silicon of a generation.
    pub fn silicon_of(generation: Gen) -> impl Iterator<Item = &'static Device> {
        let of_generation = DEVICES.iter().filter(move |d| d.hw_gen == generation);
        of_generation
            .enumerate()
            .filter_map(move |(index, device)| {
                let before = DEVICES.iter().filter(move |d| d.hw_gen == generation);
                let mut before = before.take(index);
                (!before.any(|other| other.is_same_silicon(device))).then_some(device)
            })
    }

    /// The device with this PCI id.
    pub fn by_pci_id(id: u16) -> Option<&'static Device> {
        DEVICES.iter().find(|d| d.pci_id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_unique() {
        for (i, device) in DEVICES.iter().enumerate() {
            let others = &DEVICES[..i];
            assert!(
                others.iter().all(|d| d.name != device.name),
                "{}",
                device.name
            );
            assert!(
                others.iter().all(|d| d.pci_id != device.pci_id),
                "{}",
                device.name
            );
        }
        assert_eq!(SKL.total_threads(), 168);
    }

    /// A workgroup runs on one subslice.
    #[test]
    fn workgroups_fit_a_subslice() {
        for device in DEVICES {
            let threads = u16::from(device.eus) * u16::from(device.threads);
            assert_eq!(device.max_workgroup_threads, threads, "{}", device.name);
        }
    }

    #[test]
    fn parts_are_found_by_pci_id() {
        let device = |id| Device::by_pci_id(id).expect("a device");
        assert_eq!(
            (device(0x193b).code_name, device(0x193b).total_eus()),
            ("SKL GT4", 72)
        );
        assert_eq!(
            (device(0x5a85).code_name, device(0x5a85).total_threads()),
            ("APL 2", 72)
        );
        assert_eq!(
            (device(0x9bc5).platform, device(0x9bc5).marketing_name),
            (Platform::CoffeeLake, "UHD Graphics 630")
        );
        assert_eq!(device(0x3184).total_subslices(), 3);
        assert_eq!(DEVICES.iter().filter(|d| d.hw_gen == Gen::Gen9).count(), 97);
    }

    #[test]
    fn parts_of_gen9_are_sixteen_kinds_of_silicon() {
        let silicon: Vec<&str> = Device::silicon_of(Gen::Gen9).map(|d| d.name).collect();
        println!("{silicon:?}");
        assert_eq!(silicon.len(), 16);
        let all = DEVICES.iter().filter(|d| d.hw_gen == Gen::Gen9);
        for device in all {
            let known = Device::silicon_of(Gen::Gen9).filter(|kind| kind.is_same_silicon(device));
            assert_eq!(known.count(), 1, "{}", device.name);
        }
    }
}
