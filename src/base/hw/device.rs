//! The devices: what is a fact about a part rather than about a generation.
//!
//! Ref: each generation's PRM vol. 1 "Configurations"; PCI ids as in the kernel's i915_pciids.h.

use crate::Gen;

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

/// A workaround, by the number that Intel gives it, or by what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wa {
    /// SKL PRM vol. 7, "Register Region Restrictions" for 64-bit types on CHV and gen9 low power: strides and alignment.
    Align64BitRegions,
    /// PIPE_CONTROL with a CS stall before every VF cache invalidate (gen9).
    CsStallBeforeVfInvalidate,
    /// Tiled colour targets wider than 16382 pixels are drawn wrongly (BDW and SKL but GT4). SKL PRM vol. 2d, RENDER_SURFACE_STATE
    /// "Width".
    NoTiledTargetsOver16382,
    /// PIPELINE_SELECT needs the flushes that its programming notes list (gen8 on).
    FlushBeforePipelineSelect,
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
    /// Threads that one workgroup can have.
    pub max_workgroup_threads: u16,
    /// Bytes of shared local memory that one workgroup can have.
    pub slm_bytes: u32,
    /// Bytes of the URB in the default L3 configuration.
    pub urb_bytes: u32,
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

    /// True if the device needs this workaround.
    pub const fn needs(&self, wa: Wa) -> bool {
        match wa {
            Wa::Align64BitRegions => self.low_power,
            Wa::CsStallBeforeVfInvalidate => self.hw_gen as u8 == Gen::Gen9 as u8,
            Wa::NoTiledTargetsOver16382 => {
                self.hw_gen as u8 == Gen::Gen8 as u8
                    || matches!(self.platform, Platform::Skylake) && self.gt != 4
            }
            Wa::FlushBeforePipelineSelect => self.hw_gen as u8 >= Gen::Gen8 as u8,
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

const SKL: Device = Device {
    name: "skl",
    marketing_name: "HD Graphics 530",
    code_name: "SKL GT2",
    hw_gen: Gen::Gen9,
    platform: Platform::Skylake,
    gt: 2,
    pci_id: 0x1912,
    revision: 6,
    slices: 1,
    subslices: 3,
    eus: 8,
    threads: 7,
    timestamp_hz: 12_000_000,
    max_workgroup_threads: 56,
    slm_bytes: 64 << 10,
    urb_bytes: 384 << 10,
    low_power: false,
};

const BXT: Device = Device {
    name: "bxt",
    marketing_name: "HD Graphics 505",
    code_name: "APL 3",
    platform: Platform::Broxton,
    gt: 1,
    pci_id: 0x5a84,
    revision: 11,
    eus: 6,
    threads: 6,
    timestamp_hz: 19_200_000,
    max_workgroup_threads: 36,
    urb_bytes: 192 << 10,
    low_power: true,
    ..SKL
};

/// The devices, simulated ones first; several rows may share a short name's silicon under another PCI id.
pub static DEVICES: &[Device] = &[
    SKL,
    Device {
        name: "kbl",
        marketing_name: "HD Graphics 630",
        code_name: "KBL GT2",
        platform: Platform::KabyLake,
        pci_id: 0x5912,
        revision: 4,
        ..SKL
    },
    Device {
        name: "cfl",
        marketing_name: "UHD Graphics 630",
        code_name: "CFL GT2",
        platform: Platform::CoffeeLake,
        pci_id: 0x3e92,
        revision: 0,
        ..SKL
    },
    BXT,
    Device {
        name: "glk",
        marketing_name: "UHD Graphics 600",
        code_name: "GLK 2",
        platform: Platform::GeminiLake,
        pci_id: 0x3185,
        revision: 3,
        subslices: 2,
        ..BXT
    },
    Device {
        name: "skl-mobile",
        marketing_name: "HD Graphics 520",
        pci_id: 0x1916,
        ..SKL
    },
    Device {
        name: "skl-halo",
        marketing_name: "HD Graphics 530",
        pci_id: 0x191b,
        ..SKL
    },
    Device {
        name: "kbl-mobile",
        marketing_name: "HD Graphics 620",
        code_name: "KBL GT2",
        platform: Platform::KabyLake,
        pci_id: 0x5916,
        revision: 2,
        ..SKL
    },
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
        urb_bytes: 256 << 10,
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
        urb_bytes: 1024 << 10,
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
        urb_bytes: 512 << 10,
        ..SKL
    },
];

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
}
