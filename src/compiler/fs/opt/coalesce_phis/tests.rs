//! Tests of coalescing: programs with many registers. Its other tests are text.

use super::opt_coalesce_phis;
use crate::alloc::regalloc;
use crate::lir::live::{intervals, loops};
use crate::lir::parse::parse;
use crate::lir::{GRF_BYTES, Inst, Lir, Op};
use isa::Opcode;
use std::collections::BTreeSet;
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

/// `n` branches one after another, each of which changes one value on one side.
fn branches(n: usize) -> String {
    let mut text = String::from("simd8\nv0: 1");
    (1..=2 * n).for_each(|v| {
        let _ = write!(text, ", v{v}: 1");
    });
    text += "\nmov (8|M0) v0<1>:ud 0x1:ud";
    for k in 0..n {
        let (old, sum, new) = (2 * k, 2 * k + 1, 2 * k + 2);
        let _ = write!(text, "\ncmp (8|M0) (ltf0.0) null<1>:ud v{old}<1>:ud 0x7:ud");
        let _ = write!(text, "\n(+f0.0) if (8|M0)");
        let _ = write!(text, "\nadd (8|M0) v{sum}<1>:ud v{old}<1>:ud 0x3:ud");
        let _ = write!(text, "\nmov (8|M0) v{new}<1>:ud v{sum}<1>:ud");
        let _ = write!(text, "\nelse (8|M0)");
        let _ = write!(text, "\nmov (8|M0) v{new}<1>:ud v{old}<1>:ud");
        let _ = write!(text, "\nendif (8|M0)");
    }
    text
}

#[test]
fn a_value_that_many_branches_change_needs_one_register() {
    let mut lir = parse(&branches(300)).unwrap();
    opt_coalesce_phis(&mut lir);
    let is_copy = |i: &&Inst| i.src[0].as_vgrf().is_some() && i.op == Op::Eu(Opcode::Mov);
    assert_eq!(lir.insts.iter().filter(is_copy).count(), 0);
    let written: BTreeSet<_> = lir.insts.iter().filter_map(|i| i.dst.as_vgrf()).collect();
    assert_eq!(written.len(), 1);
}
