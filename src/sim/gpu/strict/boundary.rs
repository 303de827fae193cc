//! What batches of processes may not touch: other people's registers.
//!
//! In:  a command. Out: the first register that it writes and that is not left to processes. A real machine makes such a command
//!      do nothing, in silence.
//! Ref: SKL PRM vol. 2a, "MI_LOAD_REGISTER_IMM": "MMIO writes are only allowed to the registers listed in User Mode Non-Privileged
//!      Registers". The list is not in the volumes at hand; it is taken from who tests it on real machines, and from who adds to it:
//!      intel-gpu-tools, `gem_ctx_isolation.c`, `nonpriv_registers` (what batches can write on gen9's render engine), and Linux,
//!      `intel_workarounds.c`, `gen9_whitelist_build` and its neighbours (RING_FORCE_TO_NONPRIV).

use crate::rules::PRIVILEGED_REGISTER;
use eu::Stop;
use hw::{Device, Packet, Platform, mi};
use std::ops::RangeInclusive;

/// Registers that the machine lets a batch write.
const WRITABLE: &[RangeInclusive<u32>] = &[
    // NOPID, INSTPM.
    0x2094..=0x2094,
    0x20c0..=0x20c0,
    // CS_DEBUG_MODE2 is not in that test; it is saved with a context, and Mesa's drivers set it where contexts are isolated.
    0x20d8..=0x20d8,
    // BB_OFFSET.
    0x2158..=0x2158,
    // GPGPU_THREADS_DISPATCHED.
    0x2290..=0x2294,
    // PS_INVOCATION_COUNT and PS_DEPTH_COUNT of slice 0, of slice 1.
    0x22c8..=0x22cc,
    0x22d8..=0x22dc,
    0x22f0..=0x22f4,
    0x22f8..=0x22fc,
    // HS_INVOCATION_COUNT to CL_PRIMITIVES_COUNT. Those of pixels, which follow, are sums that nobody writes.
    0x2300..=0x2344,
    // OA_CTX_CONTROL, OACTXID.
    0x2360..=0x2364,
    // MI_PREDICATE_RESULT_2, MI_PREDICATE_SRC0 to MI_PREDICATE_RESULT_1.
    0x23bc..=0x23bc,
    0x2400..=0x241c,
    // 3DPRIM_END_OFFSET, 3DPRIM_START_VERTEX to 3DPRIM_BASE_VERTEX.
    0x2420..=0x2420,
    0x2430..=0x2440,
    // PS_INVOCATION_COUNT and PS_DEPTH_COUNT of slice 2.
    0x2448..=0x2454,
    // GPGPU_DISPATCHDIM.
    0x2500..=0x2508,
    // CS_GPR.
    0x2600..=0x267c,
    // OA_CONTROL.
    0x2b00..=0x2b00,
    // SO_NUM_PRIMS_WRITTEN, SO_PRIM_STORAGE_NEEDED, SO_WRITE_OFFSET.
    0x5200..=0x521c,
    0x5240..=0x525c,
    0x5280..=0x528c,
    // CACHE_MODE_0, CACHE_MODE_1, GT_MODE; L3CNTLREG.
    0x7000..=0x7008,
    0x7034..=0x7034,
    // PERFCNT1, PERFCNT2.
    0x91b8..=0x91c4,
    // TD_CTL, TD_CTL2.
    0xe400..=0xe404,
    // Added by the kernel on all of gen9: CTX_PREEMPT, CS_CHICKEN1, COMMON_SLICE_CHICKEN2, HDC_CHICKEN1.
    0x2248..=0x2248,
    0x2580..=0x2580,
    0x7014..=0x7014,
    0x7304..=0x7304,
];

/// What the kernel adds on some: L3SQCREG4 (WaDisableLSQCROPERFforOCL), SLICE_COMMON_ECO_CHICKEN1 (barrier mode).
const ADDED: &[(u32, &[Platform])] = &[
    (0xb118, &[Platform::Skylake, Platform::KabyLake]),
    (0x731c, &[Platform::GeminiLake]),
];

fn may_write(register: u32, device: &Device) -> bool {
    let added = |(at, on): &(u32, &[Platform])| *at == register && on.contains(&device.platform);
    WRITABLE.iter().any(|range| range.contains(&register)) || ADDED.iter().any(added)
}

/// Checks a command of a batch of a process.
pub(super) fn check(packet: &Packet, words: &[u32], device: &Device, at: u64) -> Result<(), Stop> {
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
