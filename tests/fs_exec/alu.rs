//! Every ALU operation at every bit size, four ways: the folder, the interpreter before and after the pipeline, and
//! machine code at each width. Operands differ from lane to lane, or are one for the whole thread.

use crate::alu_bounds::{Value, allowed, defined, folded};
use crate::alu_operands;
use crate::alu_tables::GAPS;
use crate::machine::{self, Buffers};
use crate::{bindings, layout};
use nir::interp::Machine;
use nir::{ALU_OPS, AluOp, Base, Builder, IntrinsicOp, OpInfo, OpType, Shader, Size, Stage};
use std::fmt::Write;

/// Bytes from one operand or result component to the next.
const SLOT: usize = 8;
/// Rows compared where all lanes compute the same.
const UNIFORM_ROWS: usize = 160;

/// One operation at one choice of sizes; the second operand may be a constant.
#[derive(Clone, Debug)]
struct Case {
    info: &'static OpInfo,
    src_bits: Vec<u8>,
    def_bits: u8,
    constant: Option<u64>,
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
        if let Some(c) = self.constant {
            write!(s, " with {c}").expect("a string");
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
    let choices = |size: Size| -> Vec<u8> {
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
            Size::Free => SIZES.into_iter().filter(|b| t.admits(*b)).collect(),
            _ => vec![0],
        }
    };
    let mut out = Vec::new();
    for same in choices(Size::Same) {
        for from in free(info.srcs[0].ty) {
            for to in free(info.out) {
                let bits = |t: OpType, free: u8| match t.size {
                    Size::Same => same,
                    Size::Free => free,
                    Size::Fixed(n) => n,
                };
                let case = Case {
                    info,
                    src_bits: info.srcs.iter().map(|s| bits(s.ty, from)).collect(),
                    def_bits: bits(info.out, to),
                    constant: None,
                };
                let part = match info.op {
                    AluOp::ExtractU8 | AluOp::ExtractI8 => 8,
                    AluOp::ExtractU16 | AluOp::ExtractI16 => 16,
                    _ => 0,
                };
                if part == 0 {
                    out.push(case);
                } else {
                    // Which part is a constant.
                    out.extend((0..case.def_bits / part).map(|i| Case {
                        constant: Some(u64::from(i)),
                        ..case.clone()
                    }));
                }
            }
        }
    }
    out
}

/// Reads a row of operands, applies the operation, stores the result. `uniform`: one row for each workgroup, of one
/// invocation; otherwise one for each invocation.
fn shader(case: &Case, uniform: bool) -> Shader {
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
            Some(c) if i == 1 => b.constant(bits, &[c]),
            _ => b.vec(&parts),
        });
    }
    b.exact = !uniform;
    let result = b.alu_sized(case.info.op, &srcs, case.def_bits);
    b.exact = false;
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
                let show = |v: &[u64], bits: u8, base: Base| {
                    v.iter()
                        .map(|x| match base {
                            Base::Float => {
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

fn check(case: &Case, uniform: bool, t: &mut Tally) {
    let operands: Vec<(OpType, u8, u8)> = case
        .info
        .srcs
        .iter()
        .zip(&case.src_bits)
        .enumerate()
        .map(|(i, (s, b))| (s.ty, *b, case.components(i)))
        .collect();
    let mut rows = alu_operands::rows(case.info.op, &operands, 1 + u64::from(uniform));
    if let Some(c) = case.constant {
        rows.iter_mut().for_each(|r| r[1] = c);
    }
    let groups = if uniform {
        let step = rows.len().div_ceil(UNIFORM_ROWS);
        rows = rows.into_iter().step_by(step).collect();
        rows.len()
    } else {
        rows.truncate(rows.len() / 32 * 32);
        // Fewer than one workgroup's: said again.
        if rows.is_empty() {
            return;
        }
        rows.len() / 32
    } as u32;
    let slot_bits: Vec<u8> = operands
        .iter()
        .flat_map(|o| (0..o.2).map(|_| o.1))
        .collect();
    let input = memory(&rows, &slot_bits);
    let output = vec![0; rows.len() * usize::from(case.out_components()) * SLOT];
    let buffers: Buffers = vec![((0, 0, 0), input), ((0, 1, 0), output)];
    let mut sh = shader(case, uniform);
    let name = case.name();
    let kind = if uniform { "uniform " } else { "" };
    t.cases += 1;
    if let Err(e) = nir::validate(&sh) {
        t.failures.push(format!("{name}: {e}"));
        return;
    }
    match interpret(&sh, &buffers, groups) {
        Ok(got) => compare(case, &format!("{kind}interpreted"), &rows, &got, true, t),
        Err(e) => t.failures.push(format!("{name}: {e}")),
    }
    let result = opt::compile_compute(&mut sh).map_err(|e| e.to_string());
    if result.is_ok() {
        match interpret(&sh, &buffers, groups) {
            Ok(got) => compare(case, &format!("{kind}lowered"), &rows, &got, false, t),
            Err(e) => t.failures.push(format!("{name} lowered: {e}")),
        }
    }
    let device = hw::Device::by_name("skl").expect("skl");
    for width in [8u8, 16, 32] {
        let how = format!("{kind}simd{width}");
        let options = fs::Options {
            layout: layout(&bindings(&sh)),
            required_width: Some(width),
            validate: true,
            dumps: std::env::var("FS_DUMP").into_iter().collect(),
            ..fs::Options::default()
        };
        let compiled = match &result {
            Ok(()) => fs::compile_compute(&sh, device, &options).map_err(|e| e.to_string()),
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
                continue;
            }
        };
        let Some(variant) = binary.variants.first() else {
            t.failures.push(format!("{name} {how}: no variant"));
            continue;
        };
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

fn check_all(uniform: bool, half: usize) {
    let filter = std::env::var("ALU").unwrap_or_default();
    let mut t = Tally {
        failures: Vec::new(),
        compared: 0,
        cases: 0,
    };
    for info in ALU_OPS.iter().skip(half).step_by(2) {
        if filter.is_empty() || info.name == filter {
            for case in cases(info) {
                check(&case, uniform, &mut t);
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

#[test]
fn lanes_agree_on_even_operations() {
    check_all(false, 0);
}

#[test]
fn lanes_agree_on_odd_operations() {
    check_all(false, 1);
}

#[test]
fn threads_agree_on_even_operations() {
    check_all(true, 0);
}

#[test]
fn threads_agree_on_odd_operations() {
    check_all(true, 1);
}
