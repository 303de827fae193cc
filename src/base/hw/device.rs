//! What a device is: the facts about a part rather than about a generation.
//!
//! Ref: each generation's PRM vol. 1 "Configurations".

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
