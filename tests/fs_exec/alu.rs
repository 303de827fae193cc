//! Every ALU operation at every bit size, four ways: the folder, the interpreter before and after
//! the pipeline, and machine code at each width. Operands differ from lane to lane, or are one for
//! the whole thread; one may be a constant, or all negations, which become immediates and source
//! modifiers.

use crate::alu_bounds::{Value, allowed, defined, folded};
use crate::alu_operands;
use crate::alu_tables::GAPS;
use crate::machine::{self, Buffers};
use crate::{CORES, Units, bindings, layout};
use nir::interp::Machine;
use nir::{
    ALU_OPS, AluOp, BaseType, Builder, IntrinsicOp, OpInfo, OpType, Shader, SizeRule, Stage,
};
use std::fmt::Write;

/// Bytes from one operand or result component to the next.
const SLOT: usize = 8;

/// How the operands of a case are made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Loaded by each lane.
    Lanes,
    /// Loaded once for all lanes.
    Uniform,
    /// Loaded by each lane, and negated where numbers are.
    Negated,
    /// Loaded by each lane; of floats the negative magnitude.
    NegatedMagnitude,
}

/// One operation at one choice of sizes; one operand may be a constant.
#[derive(Clone, Debug)]
pub struct Case {
    info: &'static OpInfo,
    src_bits: Vec<u8>,
    def_bits: u8,
    constant: Option<(usize, u64)>,
    form: Form,
    units: Units,
}

impl Case {
    fn components(&self, operand: usize) -> u8 {
        self.info.srcs[operand].components.max(1)
    }
    fn out_components(&self) -> u8 {
        self.info.out_components.max(1)
    }
    fn name(&self) -> String {
        let mut s = self.info.name.to_owned();
        for b in &self.src_bits {
            write!(s, " {b}").expect("a string");
        }
        write!(s, " -> {}", self.def_bits).expect("a string");
        if let Some((i, c)) = self.constant {
            write!(s, " with {c:#x} at {i}").expect("a string");
        }
        if self.form != Form::Lanes {
            write!(s, " {:?}", self.form).expect("a string");
        }
        if self.units != Units::ALL {
            write!(s, " {:?}", self.units).expect("a string");
        }
        s
    }
    fn gap(&self) -> Option<&'static str> {
        GAPS.iter()
            .find(|g| g.0.contains(&self.info.name) && (g.1 == 0 || g.1 == self.src_bits[0]))
            .map(|g| g.2)
    }
}

const SIZES: [u8; 5] = [1, 8, 16, 32, 64];

fn cases(info: &'static OpInfo) -> Vec<Case> {
    let types: Vec<OpType> = info.srcs.iter().map(|s| s.ty).chain([info.out]).collect();
    let choices = |size: SizeRule| -> Vec<u8> {
        let mut of = types.iter().filter(|t| t.size == size).peekable();
        if of.peek().is_none() {
            return vec![0];
        }
        let of: Vec<&OpType> = of.collect();
        SIZES
            .into_iter()
            .filter(|b| of.iter().all(|t| t.admits(*b)))
            .collect()
    };
    let free = |t: OpType| -> Vec<u8> {
        match t.size {
            SizeRule::Free => SIZES.into_iter().filter(|b| t.admits(*b)).collect(),
            _ => vec![0],
        }
    };
    let mut out = Vec::new();
    for same in choices(SizeRule::Same) {
        for from in free(info.srcs[0].ty) {
            for to in free(info.out) {
                let bits = |t: OpType, free: u8| match t.size {
                    SizeRule::Same => same,
                    SizeRule::Free => free,
                    SizeRule::Fixed(n) => n,
                };
                let case = Case {
                    info,
                    src_bits: info.srcs.iter().map(|s| bits(s.ty, from)).collect(),
                    def_bits: bits(info.out, to),
                    constant: None,
                    form: Form::Lanes,
                    units: Units::ALL,
                };
                let parts = match info.op {
                    AluOp::ExtractU8 | AluOp::ExtractI8 => case.def_bits / 8,
                    AluOp::ExtractU16 | AluOp::ExtractI16 => case.def_bits / 16,
                    _ => {
                        out.push(case);
                        continue;
                    }
                };
                // Which part is a constant.
                out.extend((0..parts).map(|i| Case {
                    constant: Some((1, u64::from(i))),
                    ..case.clone()
                }));
            }
        }
    }
    out
}

impl Case {
    /// What the form makes of an operand, as the shader does.
    fn dressed(&self, i: usize, v: u64) -> u64 {
        let bits = self.src_bits[i];
        let sign = 1 << (bits - 1);
        match (self.form, self.info.srcs[i].ty.base) {
            (Form::Negated, BaseType::Int | BaseType::Uint) => {
                v.wrapping_neg() & nir::fold::mask(bits)
            }
            (Form::Negated, BaseType::Float) => v ^ sign,
            (Form::NegatedMagnitude, BaseType::Float) => v | sign,
            _ => v,
        }
    }
}

/// Reads a row of operands, applies the operation, stores the result. Uniform: one row for each
/// workgroup, of one invocation; otherwise one for each invocation.
fn shader(case: &Case) -> Shader {
    let uniform = case.form == Form::Uniform;
    let mut sh = Shader::new(Stage::Compute, case.info.name);
    sh.info.workgroup_size = [if uniform { 1 } else { 32 }, 1, 1];
    let mut b = Builder::at_end(&mut sh);
    let group = b.system_value(IntrinsicOp::LoadWorkgroupId);
    let group = b.channel(group, 0);
    let row = if uniform {
        group
    } else {
        let lane = b.system_value(IntrinsicOp::LoadLocalInvocationIndex);
        let first = b.imul_imm(group, 32);
        b.iadd(first, lane)
    };
    let zero = b.imm_u32(0);
    let resource = IntrinsicOp::VulkanResourceIndex;
    let from = b.load(resource, 1, 32, &[zero], &[0, 0]);
    let to = b.load(resource, 1, 32, &[zero], &[0, 1]);
    let slots: usize = (0..case.src_bits.len())
        .map(|i| usize::from(case.components(i)))
        .sum();
    let start = b.imul_imm(row, (slots * SLOT) as i64);
    let load = if uniform {
        IntrinsicOp::LoadUbo
    } else {
        IntrinsicOp::LoadSsbo
    };
    let mut slot = 0;
    let mut srcs = Vec::new();
    for (i, &bits) in case.src_bits.iter().enumerate() {
        let parts: Vec<_> = (0..case.components(i))
            .map(|_| {
                let at = b.iadd_imm(start, (slot * SLOT) as i64);
                slot += 1;
                let memory_bits = if bits == 1 { 32 } else { bits };
                let v = b.load(load, 1, memory_bits, &[from, at], &[0, 8, 0]);
                if bits == 1 { b.ine(v, zero) } else { v }
            })
            .collect();
        srcs.push(match case.constant {
            Some((at, c)) if i == at => b.constant(bits, &[c]),
            _ => {
                let v = b.vec(&parts);
                match (case.form, case.info.srcs[i].ty.base) {
                    (Form::Negated, BaseType::Int | BaseType::Uint) => b.ineg(v),
                    (Form::Negated, BaseType::Float) => b.fneg(v),
                    (Form::NegatedMagnitude, BaseType::Float) => {
                        let v = b.fabs(v);
                        b.fneg(v)
                    }
                    _ => v,
                }
            }
        });
    }
    b.exact = case.form == Form::Lanes && case.constant.is_none();
    // Without it, rules may lose signs of zeros and NaNs that constants bring about.
    b.preserve_nan_inf_sz = true;
    let result = b.alu_sized(case.info.op, &srcs, case.def_bits);
    b.exact = false;
    b.preserve_nan_inf_sz = false;
    let start = b.imul_imm(row, SLOT as i64 * i64::from(case.out_components()));
    for c in 0..case.out_components() {
        let at = b.iadd_imm(start, SLOT as i64 * i64::from(c));
        let v = b.channel(result, c);
        let v = if case.def_bits == 1 { b.b2i(v, 32) } else { v };
        b.intrinsic(IntrinsicOp::StoreSsbo, None, &[v, to, at], &[1, 0, 8, 0]);
    }
    sh
}

/// The rows as the shader reads them: the bytes above each operand are noise.
fn memory(rows: &[Vec<u64>], slot_bits: &[u8]) -> Vec<u8> {
    rows.iter()
        .flat_map(|r| r.iter().zip(slot_bits))
        .flat_map(|(v, &bits)| {
            let used = if bits == 1 { 32 } else { bits };
            (v | 0x9e37_79b9_7f4a_7c15 & !nir::fold::mask(used)).to_le_bytes()
        })
        .collect()
}

struct Tally {
    failures: Vec<String>,
    compared: usize,
    cases: usize,
}

/// Compares one way's results with the folder's.
fn compare(case: &Case, how: &str, rows: &[Vec<u64>], got: &[u8], exact: bool, t: &mut Tally) {
    let out = usize::from(case.out_components());
    let mut wrong = 0;
    let mut first = String::new();
    for (row, bytes) in rows.iter().zip(got.chunks_exact(out * SLOT)) {
        let mut at = 0;
        let srcs: Vec<&[u64]> = (0..case.src_bits.len())
            .map(|i| {
                let n = usize::from(case.components(i));
                at += n;
                &row[at - n..at]
            })
            .collect();
        let v = Value {
            op: case.info.op,
            srcs: &srcs,
            src_bits: &case.src_bits,
            def_bits: case.def_bits,
            components: out,
        };
        let got: Vec<u64> = bytes
            .chunks_exact(SLOT)
            .map(|b| {
                u64::from_le_bytes(b.try_into().expect("eight")) & nir::fold::mask(case.def_bits)
            })
            .collect();
        t.compared += 1;
        let want = folded(&v, 0);
        let good = want == got || !exact && (!defined(&v) || allowed(&v, &got));
        if !good {
            wrong += 1;
            if wrong <= 4 {
                let show = |v: &[u64], bits: u8, base: BaseType| {
                    v.iter()
                        .map(|x| match base {
                            BaseType::Float => {
                                format!("{x:#x} ({:e})", nir::fold::float_value(bits, *x))
                            }
                            _ => format!("{x:#x}"),
                        })
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                let operands: Vec<String> = srcs
                    .iter()
                    .zip(&case.src_bits)
                    .zip(case.info.srcs)
                    .map(|((s, b), o)| show(s, *b, o.ty.base))
                    .collect();
                write!(
                    first,
                    "\n    {}: {} wanted, {} found",
                    operands.join(", "),
                    show(&want, case.def_bits, case.info.out.base),
                    show(&got, case.def_bits, case.info.out.base)
                )
                .expect("a string");
            }
        }
    }
    if wrong > 0 {
        t.failures.push(format!(
            "{} {how}: {wrong} of {}{first}",
            case.name(),
            rows.len()
        ));
    }
}

fn interpret(sh: &Shader, buffers: &Buffers, groups: u32) -> Result<Vec<u8>, String> {
    let mut machine = Machine {
        buffers: buffers.clone(),
        workgroups: [groups, 1, 1],
        subgroup_size: 8,
        ..Machine::default()
    };
    machine.run(sh).map_err(|e| e.to_string())?;
    Ok(machine.buffers.swap_remove(1).1)
}

/// Compares all ways of one case, on at most so many rows, at these widths.
fn check(case: &Case, most: usize, widths: &[u8], t: &mut Tally) {
    let uniform = case.form == Form::Uniform;
    let operands: Vec<(OpType, u8, u8)> = case
        .info
        .srcs
        .iter()
        .zip(&case.src_bits)
        .enumerate()
        .map(|(i, (s, b))| (s.ty, *b, case.components(i)))
        .collect();
    let mut rows = alu_operands::rows(case.info.op, &operands, 1 + u64::from(uniform));
    if rows.len() > most {
        let step = rows.len().div_ceil(most);
        rows = rows.into_iter().step_by(step).collect();
    }
    let groups = if uniform {
        rows.len()
    } else {
        rows.truncate(rows.len() / 32 * 32);
        assert!(!rows.is_empty(), "{}", case.name());
        rows.len() / 32
    } as u32;
    let slot_bits: Vec<u8> = operands
        .iter()
        .flat_map(|o| (0..o.2).map(|_| o.1))
        .collect();
    let input = memory(&rows, &slot_bits);
    let operand_of: Vec<usize> = (0..operands.len())
        .flat_map(|i| (0..operands[i].2).map(move |_| i))
        .collect();
    for row in &mut rows {
        for (v, &i) in row.iter_mut().zip(&operand_of) {
            *v = match case.constant {
                Some((at, c)) if at == i => c,
                _ => case.dressed(i, *v),
            };
        }
    }
    let output = vec![0; rows.len() * usize::from(case.out_components()) * SLOT];
    let buffers: Buffers = vec![((0, 0, 0), input), ((0, 1, 0), output)];
    let mut sh = shader(case);
    let name = case.name();
    t.cases += 1;
    if let Err(e) = nir::validate(&sh) {
        t.failures.push(format!("{name}: {e}"));
        return;
    }
    match interpret(&sh, &buffers, groups) {
        Ok(got) => compare(case, "interpreted", &rows, &got, true, t),
        Err(e) => t.failures.push(format!("{name}: {e}")),
    }
    let result = opt::compile(&mut sh, case.units.passes()).map_err(|e| e.to_string());
    if result.is_ok() {
        match interpret(&sh, &buffers, groups) {
            Ok(got) => compare(case, "lowered", &rows, &got, false, t),
            Err(e) => t.failures.push(format!("{name} lowered: {e}")),
        }
    }
    // The small core's code is run where it is other code.
    let each = |width: &u8| CORES.map(|core| (*width, core));
    let mut big_core = Vec::new();
    for (width, core) in widths.iter().flat_map(each) {
        let device = hw::Device::by_name(core).expect("a device");
        let how = format!("{core} simd{width}");
        let options = fs::Options {
            layout: layout(&bindings(&sh)),
            required_width: Some(width),
            validate: true,
            dumps: std::env::var("FS_DUMP").into_iter().collect(),
            ..case.units.backend()
        };
        let compiled = match &result {
            Ok(()) => fs::compile(&sh, device, &options).map_err(|e| e.to_string()),
            Err(e) => Err(e.clone()),
        };
        let binary = match (compiled, case.gap()) {
            (Ok(binary), None) => binary,
            (Ok(_), Some(gap)) => {
                t.failures.push(format!(
                    "{name} {how}: compiles, but is listed as a gap ({gap})"
                ));
                continue;
            }
            (Err(_), Some(_)) => continue,
            (Err(e), None) => {
                t.failures.push(format!("{name} {how}: {e}"));
                if std::env::var_os("ALU").is_some() {
                    eprintln!("{sh}");
                }
                continue;
            }
        };
        let Some(variant) = binary.variants.first() else {
            t.failures.push(format!("{name} {how}: no variant"));
            continue;
        };
        if core == CORES[0] {
            big_core.clone_from(&binary.code);
        } else if binary.code == big_core {
            continue;
        }
        let mut got = buffers.clone();
        match machine::run(&binary, variant, &mut got, &[], [groups, 1, 1]) {
            Ok(()) => compare(case, &how, &rows, &got[1].1, false, t),
            Err(e) => {
                t.failures.push(format!("{name} {how}: {e}"));
                for (pass, text) in &variant.dumps {
                    eprintln!("--- {pass}\n{text}");
                }
            }
        }
    }
}

/// Constants worth being operands: zeros, ones, powers of two, extremes.
fn constants(case: &Case, operand: usize) -> Vec<u64> {
    let bits = case.src_bits[operand];
    let float = |x: f64| nir::fold::round_float(bits, x.into(), false);
    let mut out = match case.info.srcs[operand].ty.base {
        _ if bits == 1 => vec![0, 1],
        BaseType::Float => [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 100.25, f64::INFINITY]
            .iter()
            .map(|x| float(*x))
            .collect(),
        _ => {
            let top = 1u64 << (bits - 1);
            [0, 1, 2, 5, 8, 31, top, top - 1, u64::MAX]
                .iter()
                .map(|v| v & nir::fold::mask(bits))
                .collect()
        }
    };
    out.dedup();
    out
}

/// Runs the cases that `make` gives for each case of every second operation.
fn check_all(half: usize, mut make: impl FnMut(&Case, &mut Tally)) {
    let filter = std::env::var("ALU").unwrap_or_default();
    let mut t = Tally {
        failures: Vec::new(),
        compared: 0,
        cases: 0,
    };
    for info in ALU_OPS.iter().skip(half).step_by(2) {
        if filter.is_empty() || info.name == filter {
            for case in cases(info) {
                make(&case, &mut t);
            }
        }
    }
    assert!(
        t.failures.is_empty(),
        "{} failures, {} cases, {} results:\n{}",
        t.failures.len(),
        t.cases,
        t.compared,
        t.failures.join("\n")
    );
    assert!(
        t.cases > 100 || !filter.is_empty(),
        "only {} cases",
        t.cases
    );
}

const WIDTHS: [u8; 3] = [8, 16, 32];

fn check_lanes(half: usize) {
    check_all(half, |case, t| check(case, usize::MAX, &WIDTHS, t));
}

fn check_uniform(half: usize) {
    check_all(half, |case, t| {
        let case = Case {
            form: Form::Uniform,
            ..case.clone()
        };
        check(&case, 160, &WIDTHS, t);
    });
}

fn check_constants(half: usize) {
    let mut turn = 0;
    check_all(half, |case, t| {
        // One operand alone is folded.
        let folded = case.src_bits.len() == 1 || case.info.op.is_vec();
        if case.constant.is_some() || case.gap().is_some() || folded {
            return;
        }
        for i in 0..case.src_bits.len() {
            if case.components(i) > 1 {
                continue;
            }
            for c in constants(case, i) {
                let case = Case {
                    constant: Some((i, c)),
                    ..case.clone()
                };
                turn += 1;
                check(&case, 96, &WIDTHS[turn % 3..][..1], t);
            }
        }
    });
}

fn check_modifiers(half: usize) {
    let mut turn = 0;
    check_all(half, |case, t| {
        for form in [Form::Negated, Form::NegatedMagnitude] {
            let bases = case.info.srcs.iter().map(|s| s.ty.base);
            let float = bases.clone().any(|b| b == BaseType::Float);
            let number = float
                || bases
                    .clone()
                    .any(|b| matches!(b, BaseType::Int | BaseType::Uint));
            if float || number && form == Form::Negated {
                let case = Case {
                    form,
                    ..case.clone()
                };
                turn += 1;
                check(&case, 320, &WIDTHS[turn % 3..][..1], t);
            }
        }
    });
}

macro_rules! tests {
    ($($even:ident $odd:ident $check:ident;)*) => {
        $(
            #[test]
            fn $even() {
                $check(0);
            }
            #[test]
            fn $odd() {
                $check(1);
            }
        )*
    };
}

// Two halves of each, for two cores.
tests! {
    lanes_agree_even lanes_agree_odd check_lanes;
    threads_agree_even threads_agree_odd check_uniform;
    constants_agree_even constants_agree_odd check_constants;
    modifiers_agree_even modifiers_agree_odd check_modifiers;
}

/// F36: doubles become halves, floats and integers, and integers doubles, by legal steps that round
/// once: the operands lie beside ties of 16 bits by less than 32 bits tell, too.
#[test]
fn double_conversions_round_once() {
    let mut t = Tally {
        failures: Vec::new(),
        compared: 0,
        cases: 0,
    };
    let names = ["f2f", "f2f_rtz", "f2f_rtne", "f2i", "f2u", "i2f", "u2f"];
    for info in ALU_OPS.iter().filter(|info| names.contains(&info.name)) {
        for case in cases(info) {
            if case.src_bits[0] == 64 || case.def_bits == 64 {
                check(&case, usize::MAX, &WIDTHS, &mut t);
            }
        }
    }
    assert!(t.failures.is_empty(), "{}", t.failures.join("\n"));
    assert!(t.cases > 20, "only {} cases", t.cases);
}

/// Every operation with 64 bits among its operands and results, as by lanes and with constants,
/// without some units: how many cases.
pub fn check_without(units: Units) -> usize {
    let mut t = Tally {
        failures: Vec::new(),
        compared: 0,
        cases: 0,
    };
    let filter = std::env::var("ALU").unwrap_or_default();
    let mut turn = 0;
    let wanted = |info: &&OpInfo| filter.is_empty() || info.name == filter;
    for info in ALU_OPS.iter().filter(wanted) {
        for case in cases(info) {
            if case.def_bits != 64 && !case.src_bits.contains(&64) {
                continue;
            }
            let case = Case { units, ..case };
            turn += 1;
            check(&case, usize::MAX, &WIDTHS[turn % 3..][..1], &mut t);
            if case.src_bits.len() == 1 || case.info.op.is_vec() || case.constant.is_some() {
                continue;
            }
            let scalars = (0..case.src_bits.len()).filter(|i| case.components(*i) == 1);
            for i in scalars {
                for c in constants(&case, i) {
                    let constant = Some((i, c));
                    turn += 1;
                    let widths = &WIDTHS[turn % 3..][..1];
                    let case = Case {
                        constant,
                        ..case.clone()
                    };
                    check(&case, 64, widths, &mut t);
                }
            }
        }
    }
    assert!(t.failures.is_empty(), "{}", t.failures.join("\n"));
    t.cases
}
