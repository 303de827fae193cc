//! L3 configurations: how the ways of the L3 are divided between URB, SLM and caches.
//!
//! In:  a device. Out: its validated configurations, their register values and URB sizes.
//! Ref: SKL PRM vol. 5, "L3 Allocation and Programming"; vol. 2c, L3CNTLREG. On BXT with two
//!      subslices ways have another size.

use crate::device::Device;
use crate::generation::Gen;

/// Maximum number of bytes that the fixed functions can use as URB, even if the configuration has
/// more.
const MAX_URB_BYTES: u32 = 1008 << 10;

/// An L3 configuration: numbers of ways in each bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L3Config {
    /// Shared local memory.
    pub slm_ways: u8,
    /// URB.
    pub urb_ways: u8,
    /// All clients except SLM and URB (Mesa: ALL).
    pub all_ways: u8,
    /// Data cache: data port accesses (Mesa: DC).
    pub dc_ways: u8,
    /// Read-only clients (Mesa: RO).
    pub ro_ways: u8,
}

const fn config(slm_ways: u8, urb_ways: u8, all_ways: u8, dc_ways: u8, ro_ways: u8) -> L3Config {
    L3Config {
        slm_ways,
        urb_ways,
        all_ways,
        dc_ways,
        ro_ways,
    }
}

/// Configurations of gen9; the first is the one after reset.
static GEN9: &[L3Config] = &[
    config(0, 48, 48, 0, 0),
    config(0, 48, 0, 16, 32),
    config(0, 32, 0, 16, 48),
    config(0, 32, 0, 0, 64),
    config(0, 32, 64, 0, 0),
    config(32, 16, 48, 0, 0),
    config(32, 16, 0, 16, 32),
    config(32, 16, 0, 32, 16),
];

/// Configurations of gen9 with one bank: BXT with two subslices.
static GEN9_ONE_BANK: &[L3Config] = &[
    config(0, 32, 48, 0, 0),
    config(0, 32, 0, 8, 40),
    config(0, 32, 0, 32, 16),
    config(16, 16, 48, 0, 0),
    config(16, 16, 0, 40, 8),
    config(16, 16, 0, 16, 32),
];

impl L3Config {
    /// The value of L3CNTLREG for this configuration.
    pub const fn register_value(&self) -> u32 {
        (self.slm_ways != 0) as u32
            | (self.urb_ways as u32) << 1
            | (self.ro_ways as u32) << 11
            | (self.dc_ways as u32) << 18
            | (self.all_ways as u32) << 25
    }

    /// URB size of the whole device in bytes.
    pub const fn urb_bytes(&self, device: &Device) -> u32 {
        let bytes = self.urb_ways as u32 * device.l3_way_bytes();
        if bytes < MAX_URB_BYTES {
            bytes
        } else {
            MAX_URB_BYTES
        }
    }
}

impl Device {
    /// URB size in bytes with the configuration after reset.
    pub fn urb_bytes(&self) -> u32 {
        match self.l3_configs() {
            [first, ..] => first.urb_bytes(self),
            // Generations without L3 configurations here.
            [] => match self.hw_gen {
                // No device of these generations is in the device table.
                Gen::Gen4 | Gen::Gen4_5 | Gen::Gen5 | Gen::Gen6 => 0,
                Gen::Gen7 | Gen::Gen7_5 => 256 << 10,
                Gen::Gen8 | Gen::Gen9 => 384 << 10,
                Gen::Gen11 => 1024 << 10,
                Gen::Gen12 | Gen::Gen12_5 => 512 << 10,
            },
        }
    }

    /// The validated L3 configurations of this device; empty for generations without any here.
    pub fn l3_configs(&self) -> &'static [L3Config] {
        match (self.hw_gen, self.l3_banks) {
            (Gen::Gen9, 1) => GEN9_ONE_BANK,
            (Gen::Gen9, _) => GEN9,
            _ => &[],
        }
    }

    /// Bytes of a way in all banks together.
    pub const fn l3_way_bytes(&self) -> u32 {
        let bank = if self.l3_banks == 1 { 4 << 10 } else { 2 << 10 };
        bank * self.l3_banks as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_table::DEVICES;

    fn device(name: &str) -> &'static Device {
        Device::by_name(name).expect("a device")
    }

    /// A bank has 96 ways, or 80 on BXT with two subslices.
    #[test]
    fn configurations_use_all_ways() {
        let total = |d: &L3Config| d.slm_ways + d.urb_ways + d.all_ways + d.dc_ways + d.ro_ways;
        assert!(GEN9.iter().all(|d| total(d) == 96));
        assert!(GEN9_ONE_BANK.iter().all(|d| total(d) == 80));
    }

    /// Vol. 5: 64 KiB of SLM per subslice and pair of banks.
    #[test]
    fn slm_ways_hold_the_slm_of_a_workgroup() {
        for device in DEVICES.iter().filter(|d| d.hw_gen == Gen::Gen9) {
            let mut configs = device.l3_configs().iter().filter(|d| d.slm_ways != 0);
            assert!(configs.clone().count() == 3, "{}", device.name);
            let bytes = |config: &L3Config| u32::from(config.slm_ways) * device.l3_way_bytes();
            let all = configs.all(|config| bytes(config) >= device.slm_bytes);
            assert!(all, "{}", device.name);
        }
    }

    #[test]
    fn register_values_and_urb_sizes() {
        assert_eq!(
            config(32, 16, 48, 0, 0).register_value(),
            1 | 16 << 1 | 48 << 25
        );
        assert_eq!(config(0, 48, 48, 0, 0).register_value(), 0x6000_0060);
        // The URB of the device after reset.
        for (name, kib) in [
            ("skl", 384),
            ("skl-1902", 192),
            ("bxt", 192),
            ("bxt-5a85", 128),
            ("skl-1923", 768),
            ("skl-1932", 1008),
        ] {
            assert_eq!(device(name).urb_bytes(), kib << 10, "{name}");
        }
        assert!(device("tgl").l3_configs().is_empty());
    }
}
