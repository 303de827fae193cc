//! The devices: what is a fact about a part rather than about a generation.
//!
//! Ref: each generation's PRM vol. 1 "Configurations"; PCI ids as in the kernel's i915_pciids.h.

use crate::Gen;
use crate::parts::PARTS;

/// What a device can do, where parts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// A fp64 unit in the EUs.
    NativeFp64,
    /// 64-bit integer arithmetic in the EUs.
    NativeInt64,
    /// 16-bit floats in the EUs.
    NativeFp16,
    /// The CPU's last-level cache is shared: cached mappings are coherent.
    Llc,
    /// Bindless surfaces and split sends.
    Bindless,
    /// Software scoreboard instead of hardware dependency checks.
    SoftwareScoreboard,
    /// 48-bit per-process address spaces with softpin.
    Softpin48,
}

/// A family of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the families' names")]
pub enum Platform {
    Haswell,
    Broadwell,
    Skylake,
    Broxton,
    KabyLake,
    GeminiLake,
    CoffeeLake,
    IceLake,
    TigerLake,
}

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// Short name, as `--gpu` takes it.
    pub name: &'static str,
    /// What is printed on the box.
    pub marketing_name: &'static str,
    /// Code name with its GT level: `SKL GT2`.
    pub code_name: &'static str,
    /// Generation.
    pub hw_gen: Gen,
    /// Family.
    pub platform: Platform,
    /// GT level: how many of the family's building blocks the part has.
    pub gt: u8,
    /// PCI device id.
    pub pci_id: u16,
    /// PCI revision that the simulated part reports.
    pub revision: u8,
    /// Slices.
    pub slices: u8,
    /// Subslices (dual subslices from gen12) of each slice.
    pub subslices: u8,
    /// EUs of each subslice.
    pub eus: u8,
    /// Threads of each EU.
    pub threads: u8,
    /// Ticks of the timestamp register in a second.
    pub timestamp_hz: u32,
    /// Threads that one workgroup can have: those of a subslice.
    pub max_workgroup_threads: u16,
    /// Bytes of shared local memory that one workgroup can have.
    pub slm_bytes: u32,
    /// Banks of the L3.
    pub l3_banks: u8,
    /// Low-power part (CHV, BXT, GLK): no LLC and narrower 64-bit rules.
    pub low_power: bool,
}

impl Device {
    /// The device with this short name.
    pub fn by_name(name: &str) -> Option<&'static Device> {
        DEVICES.iter().find(|d| d.name == name)
    }

    /// The device with this PCI id.
    pub fn by_pci_id(id: u16) -> Option<&'static Device> {
        DEVICES.iter().find(|d| d.pci_id == id)
    }

    /// True if the tables hold all commands of its batches, so that it can be simulated.
    pub fn is_modelled(&self) -> bool {
        crate::batch::COMPLETE.contains(&self.hw_gen)
    }

    /// True if the device can do this.
    pub const fn has(&self, cap: Cap) -> bool {
        let hw_gen = self.hw_gen as u8;
        match cap {
            Cap::NativeFp64 | Cap::NativeInt64 => {
                hw_gen == Gen::Gen8 as u8 || hw_gen == Gen::Gen9 as u8
            }
            Cap::NativeFp16 | Cap::Softpin48 => hw_gen >= Gen::Gen8 as u8,
            Cap::Llc => !self.low_power,
            Cap::Bindless => hw_gen >= Gen::Gen9 as u8,
            Cap::SoftwareScoreboard => hw_gen >= Gen::Gen12 as u8,
        }
    }

    /// Bytes of the URB in the L3's first division.
    pub fn urb_bytes(&self) -> u32 {
        match self.l3_divisions() {
            [first, ..] => first.urb_bytes(self),
            // Not divided by software, or not described.
            [] => match self.hw_gen {
                Gen::Gen7 | Gen::Gen7_5 => 256 << 10,
                Gen::Gen8 | Gen::Gen9 => 384 << 10,
                Gen::Gen11 => 1024 << 10,
                Gen::Gen12 | Gen::Gen12_5 => 512 << 10,
            },
        }
    }

    /// Subslices of the whole device.
    pub const fn total_subslices(&self) -> u32 {
        self.slices as u32 * self.subslices as u32
    }

    /// EUs of the whole device.
    pub const fn total_eus(&self) -> u32 {
        self.total_subslices() * self.eus as u32
    }

    /// Hardware threads of the whole device.
    pub const fn total_threads(&self) -> u32 {
        self.total_eus() * self.threads as u32
    }
}

/// What other generations' rows start from.
const SKL: Device = PARTS[0];

/// One simulated part of each other generation.
const OTHERS: [Device; 4] = [
    Device {
        name: "bdw",
        marketing_name: "HD Graphics 5500",
        code_name: "BDW GT2",
        hw_gen: Gen::Gen8,
        platform: Platform::Broadwell,
        pci_id: 0x1616,
        revision: 9,
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
        timestamp_hz: 12_500_000,
        max_workgroup_threads: 70,
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
        timestamp_hz: 19_200_000,
        max_workgroup_threads: 112,
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

/// The devices: every part of gen9, and one of each other generation. Each can be simulated.
pub static DEVICES: &[Device] = &ALL;

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

    /// A workgroup lives in one subslice.
    #[test]
    fn workgroups_fit_a_subslice() {
        for device in DEVICES {
            let threads = u16::from(device.eus) * u16::from(device.threads);
            assert_eq!(device.max_workgroup_threads, threads, "{}", device.name);
        }
    }

    #[test]
    fn parts_are_told_by_their_ids() {
        let of = |id| Device::by_pci_id(id).expect("a device");
        assert_eq!(
            (of(0x193b).code_name, of(0x193b).total_eus()),
            ("SKL GT4", 72)
        );
        assert_eq!(
            (of(0x5a85).code_name, of(0x5a85).total_threads()),
            ("APL 2", 72)
        );
        assert_eq!(
            (of(0x9bc5).platform, of(0x9bc5).marketing_name),
            (Platform::CoffeeLake, "UHD Graphics 630")
        );
        assert_eq!(of(0x3184).total_subslices(), 3);
        assert_eq!(DEVICES.iter().filter(|d| d.hw_gen == Gen::Gen9).count(), 97);
    }
}
