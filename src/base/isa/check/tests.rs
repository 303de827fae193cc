//! Each rule is broken by one instruction and kept by a similar one.

mod anv;
mod legality;

use super::check;
use super::rule_sets::COMMON_RULES;
use crate::decode::decode;
use crate::inst::{Addr, ArfReg, CondMod, Desc, Dst, Inst, MathFn, RegFile, Region, Send, Src};
use crate::opcode::Opcode;
use crate::types::Type;
use hw::Gen;
use std::collections::BTreeSet;

const R8: Region = Region::new(8, 8, 1);

fn f(nr: u8) -> Src {
    Src::grf(nr, 0, Type::F, R8)
}

fn d(nr: u8) -> Src {
    Src::grf(nr, 0, Type::D, R8)
}

fn src(ty: Type, sub_bytes: u8, region: (u8, u8, u8)) -> Src {
    let (v, w, h) = region;
    Src::grf(20, sub_bytes, ty, Region::new(v, w, h))
}

fn mov(exec_size: u8, dst: Dst, a: Src) -> Inst {
    Inst::unary(Opcode::Mov, exec_size, dst, a)
}

fn to(ty: Type) -> Dst {
    Dst::grf(10, 0, ty)
}

fn add(dst: Dst, a: Src, b: Src) -> Inst {
    Inst::binary(Opcode::Add, 8, dst, a, b)
}

fn acc(ty: Type) -> Src {
    Src::arf(ArfReg::Accumulator, 0, 0, ty, R8)
}

/// `inst` with a change.
fn with(mut inst: Inst, change: impl FnOnce(&mut Inst)) -> Inst {
    change(&mut inst);
    inst
}

fn mad(exec_size: u8, ty: Type) -> Inst {
    let at = |nr| Src::grf(nr, 0, ty, R8);
    Inst::ternary(Opcode::Mad, exec_size, to(ty), at(20), at(22), at(24))
}

fn math(function: MathFn, exec_size: u8, ty: Type) -> Inst {
    let at = |nr| Src::grf(nr, 0, ty, R8);
    Inst::math(function, exec_size, to(ty), at(20), at(22))
}

fn message(payload: u32, second: u32, response: u32, eot: bool) -> Send {
    Send {
        sfid: 12,
        desc: Desc::Imm(payload << 25 | response << 20),
        ex_desc: Desc::Imm(second << 6),
        eot,
    }
}

fn send(dst: Dst, payload_nr: u8, m: Send) -> Inst {
    Inst::send(8, dst, Src::grf(payload_nr, 0, Type::Ud, R8), m)
}

fn sends(a: u8, b: Src, m: Send) -> Inst {
    let a = Src::grf(a, 0, Type::Ud, R8);
    Inst::sends(8, Dst::null(Type::Ud), a, b, m)
}

fn ud(nr: u8) -> Src {
    Src::grf(nr, 0, Type::Ud, R8)
}

/// A rule, an instruction that breaks it, and a legal one.
type Case = (&'static str, Inst, Inst);

fn regions() -> Vec<Case> {
    let jump = Inst::new(Opcode::Jmpi, 1).no_mask();
    let arf = |nr| {
        let mut src = src(Type::Ud, 0, (0, 1, 0));
        src.file = RegFile::Arf;
        src.addr = Addr::Direct { nr, sub_bytes: 0 };
        src
    };
    let wait = |notification| {
        let mut wait = Inst::new(Opcode::Wait, 1).no_mask();
        wait.src[0] = notification;
        wait
    };
    let indirect = |v| Src::indirect(0, 0, Type::Ud, Region::new(v, 1, 0));
    let in16 = |change: fn(&mut Inst)| {
        with(mov(4, to(Type::F), src(Type::F, 0, (4, 4, 1))), |i| {
            i.align16 = true;
            change(i);
        })
    };
    let fm = |exec, sub, region| mov(exec, to(Type::F), src(Type::F, sub, region));
    vec![
        ("region_width", fm(4, 0, (8, 8, 1)), fm(4, 0, (4, 4, 1))),
        ("region_one_row", fm(8, 0, (4, 8, 1)), fm(8, 0, (4, 4, 1))),
        ("region_width_one", fm(8, 0, (1, 1, 1)), fm(8, 0, (1, 1, 0))),
        ("region_scalar", fm(1, 0, (1, 1, 0)), fm(1, 0, (0, 1, 0))),
        ("region_all_zero", fm(8, 0, (0, 4, 0)), fm(8, 0, (0, 4, 1))),
        (
            "region_row_crosses",
            fm(8, 4, (8, 8, 1)),
            fm(8, 16, (4, 4, 1)),
        ),
        (
            "region_by_address",
            mov(8, to(Type::Ud), src(Type::Ud, 0, (Region::VX1, 1, 0))),
            mov(8, to(Type::Ud), indirect(Region::VX1)),
        ),
        ("source_span", fm(8, 0, (16, 4, 2)), fm(8, 0, (8, 4, 2))),
        (
            "destination_span",
            mov(16, to(Type::Ud).with_stride(2), ud(20)),
            mov(16, to(Type::Ud), ud(20)),
        ),
        (
            "past_last_register",
            mov(16, to(Type::Ud), ud(127)),
            mov(16, to(Type::Ud), ud(126)),
        ),
        ("source_aligned", fm(1, 2, (0, 1, 0)), fm(1, 4, (0, 1, 0))),
        (
            "destination_aligned",
            mov(1, Dst::grf(1, 2, Type::F), src(Type::F, 0, (0, 1, 0))),
            mov(1, Dst::grf(1, 8, Type::F), src(Type::F, 0, (0, 1, 0))),
        ),
        (
            "destination_stride",
            mov(8, to(Type::Ud).with_stride(0), ud(20)),
            mov(8, to(Type::Ud).with_stride(2), ud(20)),
        ),
        (
            "align16_destination_stride",
            in16(|i| i.dst.hstride = 2),
            in16(|_| ()),
        ),
        (
            "align16_source_stride",
            in16(|i| i.src[0].region.vstride = 8),
            in16(|i| i.src[0].region.vstride = 0),
        ),
        (
            "align16_aligned",
            in16(|i| i.src[0] = src(Type::F, 4, (4, 4, 1))),
            in16(|i| i.src[0] = src(Type::F, 16, (4, 4, 1))),
        ),
        (
            "channel_offset",
            fm(8, 0, (8, 8, 1)).at_channel(4),
            fm(8, 0, (8, 8, 1)).at_channel(24),
        ),
        ("execution_size", with(jump, |i| i.exec_size = 3), jump),
        (
            "register_exists",
            mov(8, to(Type::Ud), arf(0xe9)),
            mov(8, to(Type::Ud), arf(0xd0)),
        ),
        ("wait_notification", wait(ud(48)), wait(arf(0x90))),
        ("jmpi_scalar", with(jump, |i| i.exec_size = 8), jump),
        (
            "jump_aligned",
            with(jump, |i| i.jip = 12),
            with(jump, |i| i.jip = 24),
        ),
    ]
}

/// Moves from F to HF with this destination stride and subregister.
fn mov_to_half(exec_size: u8, hstride: u8, sub_bytes: u8) -> Inst {
    let dst = Dst::grf(10, sub_bytes, Type::Hf).with_stride(hstride);
    mov(exec_size, dst, f(20))
}

/// An HF source with this stride.
fn hf(hstride: u8) -> Src {
    Src::grf(20, 0, Type::Hf, Region::new(8 * hstride, 8, hstride))
}

fn conversions() -> Vec<Case> {
    let wide = |ty| src(ty, 0, (4, 4, 1));
    let narrow = |dst: Dst, a: Src| mov(4, dst, a);
    let words = |sub| Dst::grf(10, sub, Type::W).with_stride(2);
    vec![
        (
            "byte_packed",
            mov(8, to(Type::B), src(Type::W, 0, (8, 8, 1))),
            mov(8, to(Type::B), src(Type::B, 0, (8, 8, 1))),
        ),
        (
            "byte_and_64_bit",
            narrow(to(Type::Q), wide(Type::B)),
            narrow(to(Type::Q), wide(Type::W)),
        ),
        (
            "half_and_64_bit",
            narrow(to(Type::Df), wide(Type::Hf)),
            narrow(to(Type::Df), wide(Type::F)),
        ),
        (
            "half_and_integer",
            mov(8, Dst::grf(10, 2, Type::Hf).with_stride(2), d(20)),
            mov(8, Dst::grf(10, 4, Type::Hf).with_stride(2), d(20)),
        ),
        (
            "half_and_integer",
            mov(8, to(Type::Ub).with_stride(2), hf(2)),
            mov(8, to(Type::Ub).with_stride(4), hf(2)),
        ),
        (
            "half_destination",
            mov_to_half(8, 1, 8),
            mov_to_half(8, 1, 16),
        ),
        (
            "destination_ratio",
            mov(8, to(Type::W), d(20)),
            mov(8, words(0), d(20)),
        ),
        (
            "destination_part",
            mov(8, words(2), d(20)),
            mov(8, words(4), d(20)),
        ),
        (
            "float_and_integer",
            add(to(Type::F), f(20), d(22)),
            add(to(Type::F), f(20), f(22)),
        ),
    ]
}

fn mixed_mode() -> Vec<Case> {
    let halves_in_16 = |v| {
        with(mov(8, to(Type::Hf), src(Type::F, 0, (v, 4, 1))), |i| {
            i.align16 = true;
        })
    };
    vec![
        (
            "mixed_indirect",
            mov(8, to(Type::F), Src::indirect(0, 0, Type::Hf, R8)),
            mov(8, to(Type::F), hf(1)),
        ),
        (
            "mixed_single_size",
            with(add(to(Type::F), hf(1), hf(1)), |i| i.exec_size = 16),
            mov(16, to(Type::F), hf(1)),
        ),
        (
            "mixed_half_size",
            mov_to_half(16, 1, 0),
            mov_to_half(16, 2, 0),
        ),
        (
            "mixed_math",
            Inst::math(MathFn::Inv, 8, to(Type::F), hf(1), hf(1)),
            Inst::math(MathFn::Inv, 8, to(Type::F), hf(2), hf(2)),
        ),
        (
            "mixed_accumulator",
            add(to(Type::Hf), acc(Type::F), hf(1)),
            add(to(Type::Hf).with_stride(2), acc(Type::F), hf(1)),
        ),
        ("mixed_align16", halves_in_16(0), halves_in_16(4)),
    ]
}

fn immediates() -> Vec<Case> {
    let wide = |ty| src(ty, 0, (4, 4, 1));
    let imm = |ty| Src::imm(ty, 0x12);
    vec![
        (
            "immediate_type",
            mov(8, to(Type::W), imm(Type::B)),
            mov(8, to(Type::W), imm(Type::W)),
        ),
        (
            "immediate_last",
            add(to(Type::D), imm(Type::D), d(20)),
            add(to(Type::D), d(20), imm(Type::D)),
        ),
        (
            "immediate_64_bit",
            Inst::binary(Opcode::Add, 4, to(Type::Q), wide(Type::Q), imm(Type::Q)),
            mov(4, to(Type::Q), imm(Type::Q)),
        ),
        (
            "immediate_modifiers",
            add(to(Type::D), d(20), imm(Type::D).negated()),
            add(to(Type::D), d(20).negated(), imm(Type::D)),
        ),
        (
            "immediate_vector",
            mov(8, to(Type::Uw).with_stride(2), imm(Type::V)),
            mov(8, to(Type::Uw), imm(Type::V)),
        ),
        (
            "register_type",
            mov(8, to(Type::F), src(Type::Vf, 0, (8, 8, 1))),
            mov(8, to(Type::F), imm(Type::Vf)),
        ),
        (
            "source_null",
            mov(8, to(Type::F), Src::null(Type::F)),
            mov(8, Dst::null(Type::F), f(20)),
        ),
        (
            "immediate_written",
            with(mov(8, to(Type::F), f(20)), |i| i.dst.file = RegFile::Mrf),
            mov(8, to(Type::F), f(20)),
        ),
    ]
}

fn three_sources() -> Vec<Case> {
    let bfe = |ty| with(mad(8, ty), |i| i.op = Opcode::Bfe);
    let lrp = |ty| with(mad(8, ty), |i| i.op = Opcode::Lrp);
    let csel = with(mad(8, Type::F), |i| i.op = Opcode::Csel);
    let single = mad(8, Type::F);
    vec![
        (
            "ternary_align16",
            with(single, |i| i.align16 = false),
            single,
        ),
        (
            "ternary_registers",
            with(single, |i| i.src[1] = acc(Type::F)),
            single,
        ),
        ("ternary_types", mad(8, Type::W), mad(8, Type::Df)),
        (
            "ternary_one_type",
            with(single, |i| i.src[2].ty = Type::D),
            with(single, |i| i.src[2].ty = Type::Hf),
        ),
        ("ternary_integers", bfe(Type::F), bfe(Type::Ud)),
        ("ternary_floats", lrp(Type::D), lrp(Type::F)),
        ("ternary_span", mad(16, Type::Df), mad(8, Type::Df)),
        (
            "ternary_aligned",
            with(single, |i| i.src[1] = src(Type::F, 4, (4, 4, 1))),
            with(single, |i| {
                i.src[1] = src(Type::F, 4, (0, 1, 0));
                i.src[1].rep_ctrl = true;
            }),
        ),
        ("csel_condition", csel, csel.with_cmod(CondMod::G, 0)),
    ]
}

fn messages() -> Vec<Case> {
    let null = Dst::null(Type::Ud);
    let plain = send(to(Type::Ud), 20, message(1, 0, 1, false));
    let last = send(null, 112, message(1, 0, 0, true));
    let split = |b| sends(20, b, message(2, 1, 0, false));
    vec![
        ("send_described", with(plain, |i| i.send = None), plain),
        (
            "send_payload",
            with(plain, |i| i.src[0] = Src::null(Type::Ud)),
            plain,
        ),
        (
            "send_destination",
            with(plain, |i| i.dst = Dst::arf(ArfReg::Flag, 0, 0, Type::Ud)),
            with(plain, |i| i.dst = null),
        ),
        ("send_modifiers", plain.saturated(), plain),
        (
            "send_lengths",
            send(null, 20, message(0, 0, 0, false)),
            plain,
        ),
        (
            "send_past_last_register",
            send(null, 120, message(9, 0, 0, false)),
            send(null, 120, message(8, 0, 0, false)),
        ),
        (
            "send_eot_payload",
            send(null, 111, message(1, 0, 0, true)),
            last,
        ),
        (
            "send_eot_response",
            send(null, 112, message(1, 0, 1, true)),
            last,
        ),
        (
            "send_r127",
            send(Dst::grf(126, 0, Type::Ud), 126, message(1, 0, 2, false)),
            send(Dst::grf(126, 0, Type::Ud), 125, message(1, 0, 2, false)),
        ),
        (
            "sends_second_payload",
            split(acc(Type::Ud)),
            split(Src::null(Type::Ud)),
        ),
        ("sends_overlap", split(ud(21)), split(ud(22))),
    ]
}

fn operations() -> Vec<Case> {
    let and = |ty| {
        let at = |nr| Src::grf(nr, 0, ty, R8);
        Inst::binary(Opcode::And, 8, to(ty), at(20), at(22))
    };
    let cmp = Inst::binary(Opcode::Cmp, 8, Dst::null(Type::D), d(20), d(22));
    let sel = Inst::binary(Opcode::Sel, 8, to(Type::D), d(20), d(22));
    let addc = Inst::binary(Opcode::Addc, 8, to(Type::Ud), ud(20), ud(22));
    let addc = with(addc, |i| i.acc_wr = true);
    let inv = math(MathFn::Inv, 8, Type::F);
    let quotient = math(MathFn::IntDivQuotient, 8, Type::D);
    let split = |sub| Dst::grf(10, sub, Type::F);
    let row = src(Type::F, 16, (4, 4, 1));
    vec![
        ("math_size", with(quotient, |i| i.exec_size = 16), quotient),
        ("math_types", math(MathFn::Inv, 8, Type::D), inv),
        (
            "math_registers",
            with(inv, |i| i.src[0] = acc(Type::F)),
            inv,
        ),
        (
            "math_modifiers",
            with(quotient, |i| i.src[1].negate = true),
            with(inv, |i| i.src[0].negate = true),
        ),
        (
            "math_split",
            Inst::math(MathFn::Inv, 8, split(8), row, row),
            Inst::math(MathFn::Inv, 8, split(16), row, row),
        ),
        ("compare_condition", cmp, cmp.with_cmod(CondMod::L, 0)),
        (
            "select_condition",
            sel.with_cmod(CondMod::L, 0).predicated(0, false),
            sel.with_cmod(CondMod::L, 0),
        ),
        ("logic_types", and(Type::F), and(Type::Ud)),
        (
            "logic_modifiers",
            with(and(Type::D), |i| i.src[0].abs = true),
            with(and(Type::D), |i| i.src[0].negate = true),
        ),
        ("carry_size", with(addc, |i| i.exec_size = 16), addc),
        (
            "read_only",
            mov(
                1,
                Dst::arf(ArfReg::ChannelEnable, 0, 0, Type::Ud),
                src(Type::Ud, 0, (0, 1, 0)),
            ),
            mov(
                1,
                Dst::arf(ArfReg::State, 0, 0, Type::Ud),
                src(Type::Ud, 0, (0, 1, 0)),
            ),
        ),
    ]
}

fn by_operation() -> Vec<Case> {
    let cbit = Inst::unary(Opcode::Cbit, 8, to(Type::Ud), ud(20));
    let frc = Inst::unary(Opcode::Frc, 8, to(Type::F), f(20));
    let csel = with(mad(8, Type::F), |i| i.op = Opcode::Csel).with_cmod(CondMod::G, 0);
    vec![
        (
            "takes_predicate",
            csel.predicated(0, false),
            cbit.predicated(0, false),
        ),
        ("takes_condition", cbit.with_cmod(CondMod::Nz, 0), csel),
        ("takes_saturation", frc.saturated(), csel.saturated()),
        (
            "takes_modifiers",
            with(cbit, |i| i.src[0].negate = true),
            with(frc, |i| i.src[0].negate = true),
        ),
        ("types", with(frc, |i| i.dst.ty = Type::Ud), frc),
    ]
}

fn cases() -> Vec<Case> {
    [
        regions(),
        conversions(),
        mixed_mode(),
        immediates(),
        three_sources(),
        messages(),
        operations(),
        by_operation(),
    ]
    .concat()
}

#[test]
fn each_rule_finds_its_violation_and_passes_the_legal_case() {
    for (rule, broken, legal) in cases() {
        let names: Vec<_> = check(&broken, Gen::Gen9).iter().map(|v| v.rule).collect();
        assert!(names.contains(&rule), "{rule}: only {names:?} are broken");
        assert_eq!(check(&legal, Gen::Gen9), [], "the legal case of {rule}");
    }
}

#[test]
fn each_common_rule_has_a_case_and_a_unique_name() {
    let mut seen = BTreeSet::new();
    for rule in COMMON_RULES.iter().copied().flatten() {
        assert!(seen.insert(rule.name), "two rules {}", rule.name);
        assert!(!rule.prm.is_empty() && !rule.text.is_empty());
    }
    let tested: BTreeSet<_> = cases().iter().map(|c| c.0).collect();
    assert_eq!(seen, tested);
}

#[test]
fn operations_that_a_generation_lacks_are_illegal() {
    let rol = Inst::binary(Opcode::Rol, 8, to(Type::Ud), ud(20), ud(22));
    let names: Vec<_> = check(&rol, Gen::Gen9).iter().map(|v| v.rule).collect();
    assert_eq!(names, ["opcode"]);
    assert_eq!(check(&rol, Gen::Gen11), []);
}

#[test]
fn checking_invalid_values_does_not_panic() {
    let mut odd = Inst::new(Opcode::Mov, 0);
    odd.dst.addr = Addr::Direct {
        nr: 255,
        sub_bytes: 255,
    };
    odd.dst.hstride = 255;
    odd.src[0] = src(Type::Q, 255, (254, 0, 255));
    assert!(!check(&odd, Gen::Gen9).is_empty());
    odd.exec_size = 255;
    assert!(!check(&odd, Gen::Gen9).is_empty());
}

#[test]
fn instructions_compiled_by_mesa_are_legal() {
    for (word, text) in anv::LEGAL {
        let decoded = decode(&word.to_le_bytes(), Gen::Gen9);
        let (inst, _) = decoded.unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(inst.compacted, text.contains("Compacted"), "{text}");
        assert_eq!(check(&inst, Gen::Gen9), [], "{text}");
    }
}
