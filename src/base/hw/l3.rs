//! How the L3 is divided: the divisions that are known to work, and which of them serves what is asked.
//!
//! Ref: SKL PRM vol. 5, "L3 Allocation and Programming"; BXT's of two subslices has ways of another size; vol. 2c, L3CNTLREG.

use crate::{Device, Gen};

/// Most bytes of the L3 that the fixed functions can use as URB, however many are given to it.
const MOST_URB_BYTES: u32 = 1008 << 10;

/// A division of the L3, in ways of each bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L3Division {
    /// Shared local memory.
    pub slm_ways: u8,
    /// URB.
    pub urb_ways: u8,
    /// Data of every kind, for who comes first.
    pub all_ways: u8,
    /// What the data port writes.
    pub dc_ways: u8,
    /// What is only read.
    pub ro_ways: u8,
}

const fn division(
    slm_ways: u8,
    urb_ways: u8,
    all_ways: u8,
    dc_ways: u8,
    ro_ways: u8,
) -> L3Division {
    L3Division {
        slm_ways,
        urb_ways,
        all_ways,
        dc_ways,
        ro_ways,
    }
}

/// Of gen9; the first is the one after reset.
static GEN9: &[L3Division] = &[
    division(0, 48, 48, 0, 0),
    division(0, 48, 0, 16, 32),
    division(0, 32, 0, 16, 48),
    division(0, 32, 0, 0, 64),
    division(0, 32, 64, 0, 0),
    division(32, 16, 48, 0, 0),
    division(32, 16, 0, 16, 32),
    division(32, 16, 0, 32, 16),
];

/// Of gen9 with one bank: BXT with two subslices.
static GEN9_ONE_BANK: &[L3Division] = &[
    division(0, 32, 48, 0, 0),
    division(0, 32, 0, 8, 40),
    division(0, 32, 0, 32, 16),
    division(16, 16, 48, 0, 0),
    division(16, 16, 0, 40, 8),
    division(16, 16, 0, 16, 32),
];

impl L3Division {
    /// The value of L3CNTLREG that makes it.
    pub const fn register_value(&self) -> u32 {
        (self.slm_ways != 0) as u32
            | (self.urb_ways as u32) << 1
            | (self.ro_ways as u32) << 11
            | (self.dc_ways as u32) << 18
            | (self.all_ways as u32) << 25
    }

    /// Bytes of the URB of the whole device.
    pub const fn urb_bytes(&self, device: &Device) -> u32 {
        let bytes = self.urb_ways as u32 * device.l3_way_bytes();
        if bytes < MOST_URB_BYTES {
            bytes
        } else {
            MOST_URB_BYTES
        }
    }
}

impl Device {
    /// Bytes of the URB in the L3's first division.
    pub fn urb_bytes(&self) -> u32 {
        match self.l3_divisions() {
            [first, ..] => first.urb_bytes(self),
            // Not divided by software, or not described.
            [] => match self.hw_gen {
                // No device of these is described.
                Gen::Gen4 | Gen::Gen4_5 | Gen::Gen5 | Gen::Gen6 => 0,
                Gen::Gen7 | Gen::Gen7_5 => 256 << 10,
                Gen::Gen8 | Gen::Gen9 => 384 << 10,
                Gen::Gen11 => 1024 << 10,
                Gen::Gen12 | Gen::Gen12_5 => 512 << 10,
            },
        }
    }

    /// The divisions of this device's L3 that are known to work. Empty where none is described.
    pub fn l3_divisions(&self) -> &'static [L3Division] {
        match (self.hw_gen, self.l3_banks) {
            (Gen::Gen9, 1) => GEN9_ONE_BANK,
            (Gen::Gen9, _) => GEN9,
            _ => &[],
        }
    }

    /// Bytes of a way, of all banks together.
    pub const fn l3_way_bytes(&self) -> u32 {
        let bank = if self.l3_banks == 1 { 4 << 10 } else { 2 << 10 };
        bank * self.l3_banks as u32
    }

    /// The division with shared local memory, or without; of those the one with most for data of every kind, then with most URB.
    pub fn l3_division(&self, with_slm: bool) -> Option<&'static L3Division> {
        let fits = |d: &&L3Division| (d.slm_ways != 0) == with_slm && d.all_ways != 0;
        // An even share of URB and data is what the device starts with.
        let uneven = |d: &&L3Division| (d.all_ways.abs_diff(d.urb_ways), d.all_ways);
        self.l3_divisions().iter().filter(fits).min_by_key(uneven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str) -> &'static Device {
        Device::by_name(name).expect("a device")
    }

    /// Every way is given to someone: 96 of a bank of 192 KiB, or 80 and 96 of the larger one.
    #[test]
    fn ways_are_given_away() {
        let total = |d: &L3Division| d.slm_ways + d.urb_ways + d.all_ways + d.dc_ways + d.ro_ways;
        assert!(GEN9.iter().all(|d| total(d) == 96));
        assert!(GEN9_ONE_BANK.iter().all(|d| total(d) == 80));
    }

    #[test]
    fn shared_memory_is_carved_from_the_urb() {
        for (name, slm, plain) in [
            ("skl", (32, 16, 48), (0, 48, 48)),
            ("glk", (32, 16, 48), (0, 48, 48)),
            ("bxt-5a85", (16, 16, 48), (0, 32, 48)),
        ] {
            for (with_slm, ways) in [(true, slm), (false, plain)] {
                let found = device(name).l3_division(with_slm).expect("a division");
                assert_eq!(
                    (found.slm_ways, found.urb_ways, found.all_ways),
                    ways,
                    "{name}"
                );
            }
        }
        assert_eq!(device("tgl").l3_division(false), None);
    }

    /// Vol. 5: 64 KiB for each subslice and bank pair hold what a workgroup may have.
    #[test]
    fn shared_memory_is_large_enough() {
        for device in crate::DEVICES.iter().filter(|d| d.hw_gen == Gen::Gen9) {
            let division = device.l3_division(true).expect("a division");
            let bytes = u32::from(division.slm_ways) * device.l3_way_bytes();
            assert!(bytes >= device.slm_bytes, "{}: {bytes}", device.name);
        }
    }

    #[test]
    fn register_and_urb() {
        let skl = device("skl").l3_division(true).expect("a division");
        assert_eq!(skl.register_value(), 1 | 16 << 1 | 48 << 25);
        for (name, kib) in [
            ("skl", 384),
            ("bxt", 192),
            ("bxt-5a85", 128),
            ("skl-1923", 768),
            ("skl-1932", 1008),
        ] {
            assert_eq!(device(name).urb_bytes(), kib << 10, "{name}");
        }
    }
}
