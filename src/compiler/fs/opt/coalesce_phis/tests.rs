//! Tests of coalescing: a program with many live registers. Its other tests are text.

use super::opt_coalesce_phis;
use crate::alloc::regalloc;
use crate::lir::live::{intervals, loops};
use crate::lir::parse::parse;
use crate::lir::{GRF_BYTES, Inst, Lir};
use std::fmt::Write;

/// `n` VGRFs of two registers, the second of which is copied to the second of the four of a VGRF at
/// the end.
fn responses_and_payloads(n: usize) -> Lir {
    let mut text = String::from("simd8\nv0: 1");
    let (responses, payloads) = (1..=n, n + 1..=2 * n);
    responses.clone().for_each(|v| {
        let _ = write!(text, ", v{v}: 2");
    });
    payloads.clone().for_each(|v| {
        let _ = write!(text, ", v{v}: 4");
    });
    for v in responses.clone() {
        let _ = write!(text, "\nmov (8|M0) v{v}<1>:ud {v:#x}:ud");
        let _ = write!(text, "\nmov (8|M0) v{v}+32<1>:ud {:#x}:ud", n + v);
    }
    for v in responses.clone() {
        let _ = write!(text, "\nnot (8|M0) v0<1>:ud v{v}<1>:ud");
    }
    for (v, p) in responses.zip(payloads) {
        for offset in [0, 32, 64, 96] {
            let source = match offset {
                32 => format!("v{v}+32<1>"),
                _ => "0x0".to_owned(),
            };
            let _ = write!(text, "\nmov (8|M0) v{p}+{offset}<1>:ud {source}:ud");
        }
        for offset in [0, 32, 64, 96] {
            let _ = write!(text, "\nnot (8|M0) v0<1>:ud v{p}+{offset}<1>:ud");
        }
    }
    parse(&text).unwrap()
}

#[test]
fn copies_to_payloads_stay_under_high_register_pressure() {
    let pressure = |lir: &Lir| regalloc::max_pressure(lir, &intervals(lir, &loops(lir)));
    let is_copy = |i: &&Inst| {
        let from = i.src[0].as_vgrf();
        from.is_some() && from != i.dst.as_vgrf() && i.dst.offset == GRF_BYTES
    };
    let mut lir = responses_and_payloads(48);
    let before = pressure(&lir);
    opt_coalesce_phis(&mut lir);
    assert!(lir.insts.iter().filter(is_copy).count() > 0);
    let after = pressure(&lir);
    assert!(after <= before.max(104), "{after} of {before}");
}
