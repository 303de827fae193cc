//! The description of a device: what differs between parts of a generation.
//!
//! Ref: each generation's PRM vol. 1 "Configurations".

use crate::batch;
use crate::generation::Gen;

/// A capability that not all devices have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// A fp64 unit in the EUs.
    NativeFp64,
    /// 64-bit integer arithmetic in the EUs.
    NativeInt64,
    /// 16-bit floats in the EUs.
    NativeFp16,
    /// The GPU shares the last-level cache with the CPU: cached mappings are coherent.
    Llc,
    /// Bindless surfaces and split sends.
    Bindless,
    /// Dependencies between instructions are tracked by software scoreboard, not by the hardware.
    SoftwareScoreboard,
    /// 48-bit per-process address spaces with softpin.
    Softpin48,
}

/// A family of parts with one code name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "code names")]
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
    /// Short name, the argument of `--gpu`.
    pub name: &'static str,
    /// Marketing name, without "Intel(R)".
    pub marketing_name: &'static str,
    /// Code name with its GT level: `SKL GT2`.
    pub code_name: &'static str,
    /// Generation.
    pub hw_gen: Gen,
    /// Family.
    pub platform: Platform,
    /// GT level, which grows with the number of slices and EUs.
    pub gt: u8,
    /// PCI device id.
    pub pci_id: u16,
    /// PCI revision that the simulated device reports.
    pub revision: u8,
    /// Number of slices.
    pub slices: u8,
    /// Subslices (dual subslices from gen12) per slice.
    pub subslices: u8,
    /// EUs per subslice.
    pub eus: u8,
    /// EUs per subslice before any are fused off. The hardware numbers threads by these.
    pub max_eus: u8,
    /// Hardware threads per EU.
    pub threads: u8,
    /// Timestamp frequency in Hz.
    pub timestamp_hz: u32,
    /// Maximum number of threads of a workgroup, which are those of one subslice.
    pub max_workgroup_threads: u16,
    /// Maximum number of threads of each geometry stage (VS, HS, DS, GS); where they differ, of
    /// the one with fewest.
    pub max_stage_threads: u16,
    /// Maximum SLM size of a workgroup in bytes.
    pub slm_bytes: u32,
    /// Number of L3 banks.
    pub l3_banks: u8,
    /// Low-power part (CHV, BXT, GLK): no LLC, and more restrictions on 64-bit operands.
    pub low_power: bool,
}

impl Device {
    /// True if the device can be simulated: all commands of its generation are in the tables.
    pub fn is_modelled(&self) -> bool {
        batch::COMPLETE_GENERATIONS.contains(&self.hw_gen)
    }

    /// True if the device has the capability.
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

    /// Number of subslices of the device.
    pub const fn total_subslices(&self) -> u32 {
        self.slices as u32 * self.subslices as u32
    }

    /// Number of EUs of the device.
    pub const fn total_eus(&self) -> u32 {
        self.total_subslices() * self.eus as u32
    }

    /// Number of hardware threads of the device.
    pub const fn total_threads(&self) -> u32 {
        self.total_eus() * self.threads as u32
    }
}
