//! Tests of coalescing.

use super::opt_coalesce_phis;
use crate::alloc::regalloc;
use crate::lir::live::{intervals, loops};
use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Src, VgrfId, print};
use crate::testing::{mov, program};
use isa::{Opcode, Type};

/// `n` answers of two registers, the second of which is the second of the four of a payload at the
/// end.
fn responses_and_payloads(n: u32) -> Lir {
    let mut lir = program();
    let responses: Vec<VgrfId> = (0..n).map(|_| lir.vgrf(2 * GRF_BYTES)).collect();
    let read = lir.vgrf(GRF_BYTES);
    let part = |v: VgrfId, k: u32| (Dst::vgrf(v, k * GRF_BYTES, Type::Ud, 1), k * GRF_BYTES);
    let put = |lir: &mut Lir, v: VgrfId, k: u32, src: Src| {
        mov(lir, v, src);
        lir.insts.last_mut().unwrap().dst = part(v, k).0;
    };
    let reads = |lir: &mut Lir, v: VgrfId, k: u32| {
        mov(lir, read, Src::vgrf(v, part(v, k).1, Type::Ud, 1));
        lir.insts.last_mut().unwrap().op = Op::Eu(Opcode::Not);
    };
    for (k, &v) in (0..).zip(&responses) {
        put(&mut lir, v, 0, Src::ud(k));
        put(&mut lir, v, 1, Src::ud(n + k));
    }
    for &v in &responses {
        reads(&mut lir, v, 0);
    }
    for &v in &responses {
        let payload = lir.vgrf(4 * GRF_BYTES);
        put(&mut lir, payload, 0, Src::ud(0));
        put(
            &mut lir,
            payload,
            1,
            Src::vgrf(v, part(v, 1).1, Type::Ud, 1),
        );
        put(&mut lir, payload, 2, Src::ud(0));
        put(&mut lir, payload, 3, Src::ud(0));
        (0..4).for_each(|k| reads(&mut lir, payload, k));
    }
    lir
}

#[test]
fn copies_to_payloads_stay_under_high_register_pressure() {
    let pressure = |lir: &Lir| regalloc::max_pressure(lir, &intervals(lir, &loops(lir)));
    let copies = |lir: &Lir| {
        let from = |i: &&Inst| i.src[0].as_vgrf() != i.dst.as_vgrf() && i.dst.offset == GRF_BYTES;
        lir.insts
            .iter()
            .filter(from)
            .filter(|i| i.src[0].as_vgrf().is_some())
            .count()
    };
    let mut few = responses_and_payloads(8);
    assert!(opt_coalesce_phis(&mut few));
    assert_eq!(copies(&few), 0, "{}", print::program(&few, None));
    let mut many = responses_and_payloads(48);
    let before = pressure(&many);
    opt_coalesce_phis(&mut many);
    assert!(copies(&many) > 0);
    assert!(
        pressure(&many) <= before.max(104),
        "{} of {before}",
        pressure(&many)
    );
}
