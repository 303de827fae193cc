//! Checks that batches of processes do not write privileged registers.
//!
//! In:  a command. Out: an error at the first register that it may not write. A real machine
//!      silently turns such a command into a no-op.
//! Ref: SKL PRM vol. 2a, "MI_LOAD_REGISTER_IMM": "MMIO writes are only allowed to the registers
//!      listed in User Mode Non-Privileged Registers". The list is not in the volumes at hand; it
//!      is taken from a test that runs on real machines and from the kernel, which adds to it:
//!      intel-gpu-tools, `gem_ctx_isolation.c`, `nonpriv_registers` (what batches can write on
//!      gen9's render engine), and Linux, `intel_workarounds.c`, `gen9_whitelist_build` and its
//!      neighbours (RING_FORCE_TO_NONPRIV). CS_DEBUG_MODE2 is not in that test; it is saved with a
//!      context, and Mesa's drivers set it where contexts are isolated.

use crate::fate;
use crate::rules::PRIVILEGED_REGISTER;
use eu::StopReason;
use hw::{Device, Packet, Platform, mi, register};

/// Registers that the kernel whitelists on some platforms: L3SQCREG4 (WaDisableLSQCROPERFforOCL),
/// SLICE_COMMON_ECO_CHICKEN1 (barrier mode).
const ADDED: &[(u32, &[Platform])] = &[
    (
        register::L3SQCREG4,
        &[Platform::Skylake, Platform::KabyLake],
    ),
    (register::SLICE_COMMON_ECO_CHICKEN1, &[Platform::GeminiLake]),
];

/// True if a batch may write the register: it is in the fate table, and whitelisted on this
/// platform.
fn may_write(register: u32, device: &Device) -> bool {
    let elsewhere =
        |(at, on): &(u32, &[Platform])| *at == register && !on.contains(&device.platform);
    fate::register::range_of(register).is_some() && !ADDED.iter().any(elsewhere)
}

/// Checks a command of a process's batch.
pub(super) fn check(
    packet: &Packet,
    words: &[u32],
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    let is = |other: &Packet| std::ptr::eq(packet, other);
    let forbidden = if is(&mi::mi_load_register_imm::PACKET) {
        let (pairs, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
        let mut registers = pairs.iter().map(|[register, _]| register & 0x7f_fffc);
        registers.find(|register| !may_write(*register, device))
    } else {
        let field = if is(&mi::mi_load_register_mem::PACKET) {
            mi::mi_load_register_mem::REGISTER_ADDRESS
        } else if is(&mi::mi_load_register_reg::PACKET) {
            mi::mi_load_register_reg::DESTINATION_REGISTER_ADDRESS
        } else {
            return Ok(());
        };
        Some(field.get(words) as u32).filter(|register| !may_write(*register, device))
    };
    PRIVILEGED_REGISTER.check(forbidden.is_none(), at, || {
        let register = forbidden.unwrap_or_default();
        format!("{} writes register {register:#x}", packet.name)
    })
}
