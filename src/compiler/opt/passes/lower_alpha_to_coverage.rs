//! Emulates alpha-to-coverage in the shader where the hardware does not implement it as Vulkan
//! asks.
//!
//! The hardware ignores alpha-to-coverage if the shader writes a sample mask, and with several
//! colour attachments it uses each one's own alpha.
//!
//! In:  I/O by slots; [`FragmentInfo::alpha_to_coverage`]: the number of samples, or 0 if disabled,
//!      or that a driver value is either.
//! Out: a sample mask (intersected with the shader's own) with a number of samples proportional to
//!      the alpha of colour 0. A shader with one colour and no mask is left unchanged.
//! Ref: Vulkan, "Multisample Coverage"; SKL PRM vol. 7, "Alpha Coverage", "oMask".
//! Tests: tests/opt/lower_alpha_to_coverage/.

use crate::pass::Ctx;
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_alpha_to_coverage(s: &mut Shader, _: &Ctx) -> bool {
    let samples = s.info.fragment.alpha_to_coverage;
    if s.stage != Stage::Fragment || samples == 0 {
        return false;
    }
    let blocks = s.block_order();
    let (mut colours, mut masks) = (0u128, false);
    for &block in &blocks {
        for i in &s.blocks[block].instrs {
            let Some(store) = output_store(s, *i) else {
                continue;
            };
            let first = store.index("location");
            masks |= first == u32::from(Slot::FRAG_SAMPLE_MASK.0);
            let slots = first..first + store.index("num_slots").max(1);
            for slot in slots.filter(|&slot| slot >= u32::from(Slot::VAR0.0)) {
                colours |= 1u128.checked_shl(slot).unwrap_or(0);
            }
        }
    }
    if !masks && colours.count_ones() < 2 {
        return false;
    }
    let mut changed = false;
    for block in blocks {
        changed |= lower(s, block, samples);
    }
    changed
}

fn output_store(s: &Shader, i: Id<Instr>) -> Option<&Intrinsic> {
    match &s.instrs[i] {
        Instr::Intrinsic(i) if i.op == IntrinsicOp::StoreOutput => Some(i),
        _ => None,
    }
}

/// Lowers the outputs of a block: colours and mask are written in the same one.
fn lower(s: &mut Shader, block: Id<Block>, samples: u8) -> bool {
    const ALPHA: u32 = 3;
    let (mut alpha, mut mask, mut last) = (None, None, 0);
    for (at, &id) in s.blocks[block].instrs.iter().enumerate() {
        let Some(store) = output_store(s, id) else {
            continue;
        };
        last = at;
        let location = store.index("location");
        if location == u32::from(Slot::FRAG_SAMPLE_MASK.0) {
            mask = Some((at, store.srcs[0]));
        }
        let first = store.index("component");
        let here = location == u32::from(Slot::VAR0.0)
            && s.const_component(store.srcs[1], 0) == Some(0)
            && first <= ALPHA
            && store.index("write_mask") >> (ALPHA - first) & 1 == 1;
        if here && store.index("index") == 0 {
            alpha = Some((store.srcs[0], (ALPHA - first) as u8));
        }
    }
    let Some((colour, component)) = alpha else {
        return false;
    };
    let mut at = last + 1;
    if let Some((mask_at, _)) = mask {
        s.blocks[block].instrs.remove(mask_at);
        at -= 1;
    }
    let mut b = Builder::before(s, block, at);
    let alpha = b.channel(colour, component);
    if b.bits(alpha) != 32 {
        return false;
    }
    // The number of covered samples, rounded.
    let alpha = b.fsat(alpha);
    let dynamic =
        (samples == COVERAGE_OF_COMMANDS).then(|| b.system_value(IntrinsicOp::LoadCoverageSamples));
    let all = match dynamic {
        Some(samples) => b.u2f(samples, 32),
        None => b.imm_float(32, f64::from(samples)),
    };
    let scaled = b.fmul(alpha, all);
    let half = b.imm_float(32, 0.5);
    let scaled = b.fadd(scaled, half);
    let count = b.f2u(scaled, 32);
    let one = b.imm_u32(1);
    let beyond = b.ishl(one, count);
    let mut covered = b.iadd_imm(beyond, -1);
    if let Some(samples) = dynamic {
        let none = b.imm_u32(0);
        let enabled = b.ine(samples, none);
        let whole = b.imm_u32(u32::MAX);
        covered = b.bcsel(enabled, covered, whole);
    }
    if let Some((_, written)) = mask {
        let written = b.channel(written, 0);
        covered = b.iand(written, covered);
    }
    let zero = b.imm_u32(0);
    let slot = u32::from(Slot::FRAG_SAMPLE_MASK.0);
    let indices = [0, 1, 0, slot, 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[covered, zero], &indices);
    true
}
