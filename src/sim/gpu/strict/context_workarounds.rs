//! Checks that batches keep the workarounds with which the kernel initialises a context.
//!
//! In:  a command that writes masked registers. Out: an error at the first bit of a workaround that
//!      it clears. A real machine then shows what the workaround prevents: corrupted depth buffers,
//!      multisampled targets or constants.
//! Ref: Linux, `intel_workarounds.c`, `gen9_ctx_workarounds_init` and its neighbours.

use crate::rules::CONTEXT_WORKAROUND;
use eu::StopReason;
use hw::{Device, Packet, Platform, mi, register};

/// A bit that the kernel sets in every context of some platforms.
struct ContextWorkaround {
    name: &'static str,
    register: u32,
    bit: u32,
    platforms: &'static [Platform],
}

const BIG: &[Platform] = &[Platform::Skylake, Platform::KabyLake, Platform::CoffeeLake];
const ALL: &[Platform] = &[
    Platform::Skylake,
    Platform::Broxton,
    Platform::KabyLake,
    Platform::GeminiLake,
    Platform::CoffeeLake,
];

/// Those in registers that batches may write.
const SET_BY_KERNEL: &[ContextWorkaround] = &[
    ContextWorkaround {
        name: "WaDisablePartialResolveInVc",
        register: register::CACHE_MODE_1,
        bit: register::CACHE_MODE_1_PARTIAL_RESOLVE & 0xffff,
        platforms: ALL,
    },
    ContextWorkaround {
        name: "Wa4x4STCOptimizationDisable",
        register: register::CACHE_MODE_1,
        bit: register::CACHE_MODE_1_NO_4X4_STC & 0xffff,
        platforms: ALL,
    },
    ContextWorkaround {
        name: "WaCompressedResourceSamplerPbeMediaNewHashMode",
        register: register::COMMON_SLICE_CHICKEN2,
        bit: register::COMMON_SLICE_CHICKEN2_COMPRESSED_HASH,
        platforms: BIG,
    },
];

/// Checks a command of a process's batch. Values that a command takes from memory or from another
/// register are not looked at.
pub(super) fn check(
    packet: &Packet,
    words: &[u32],
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    if !std::ptr::eq(packet, &mi::mi_load_register_imm::PACKET) {
        return Ok(());
    }
    let (pairs, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
    for [register, value] in pairs {
        // The upper half of a masked register's value selects the bits to write.
        let cleared = value >> 16 & !value & 0xffff;
        let undone = SET_BY_KERNEL.iter().find(|row| {
            row.register == register & 0x7f_fffc
                && row.bit & cleared != 0
                && row.platforms.contains(&device.platform)
        });
        CONTEXT_WORKAROUND.check(undone.is_none(), at, || {
            let name = undone.map_or("", |row| row.name);
            format!("{value:#x} in register {register:#x} undoes {name}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(part: &str, pairs: &[u32]) -> bool {
        let mut words = vec![mi::mi_load_register_imm::PACKET.header];
        words.extend(pairs);
        let device = Device::by_name(part).expect("a part");
        check(&mi::mi_load_register_imm::PACKET, &words, device, 0).is_err()
    }

    #[test]
    fn masked_writes_keep_what_the_kernel_sets() {
        let (mode, chicken) = (register::CACHE_MODE_1, register::COMMON_SLICE_CHICKEN2);
        for bit in [1, 6] {
            assert!(broken("skl", &[mode, 1 << (16 + bit)]));
            assert!(broken("glk", &[mode, 1 << (16 + bit)]));
            assert!(!broken("skl", &[mode, 1 << (16 + bit) | 1 << bit]));
            assert!(!broken("skl", &[mode, 1 << bit]), "the bit is not selected");
        }
        assert!(broken("kbl", &[chicken, 1 << 29]));
        assert!(!broken("glk", &[chicken, 1 << 29]));
        assert!(!broken("kbl", &[chicken, 1 << 29 | 1 << 13]));
        // Another bit, another register, and the second pair of a command.
        assert!(!broken("skl", &[mode, 1 << 20]));
        assert!(!broken("skl", &[register::CS_DEBUG_MODE2, 1 << 17]));
        assert!(broken("skl", &[chicken, 0, mode, 1 << 17]));
    }
}
