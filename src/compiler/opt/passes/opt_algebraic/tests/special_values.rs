//! A program around every rule that touches floats, fed with NaN, infinities, zeros of both signs
//! and subnormals in every operand: the interpreter executes it before and after the whole
//! pipeline.
//!
//! A comparison may not change at all: the program stores the result, branches on it and on its
//! negation, and leaves a loop by it. A float result is the same with SignedZeroInfNanPreserve;
//! without it, it may differ in what its rule's `inexact` says, and for NaN, infinities and the
//! sign of zero.

use super::{is_float, results_agree, root_bits_of, variable_bits, variables};
use crate::algebra::pattern::{Inexact, Node, Pattern, constant_bits, infer_bits, negate_float};
use crate::algebra::rules::RULES;
use crate::pass::Ctx;
use crate::pipeline::GEN9;
use crate::runner::PassRunner;
use entity::Id;
use nir::interp::Machine;
use nir::*;

/// Bytes of an operand or result in a buffer.
const SLOT_BYTES: usize = 8;
/// Results that a program stores: the value, and what depends on it (see [`observe`]).
const RESULTS: usize = 6;
/// Iterations after which a loop of the program ends in any case.
const MAX_ITERATIONS: i64 = 3;
/// Operands that are not constants, per program.
const MAX_OPERANDS: usize = 4;

/// The values that every float operand takes.
fn special_values(bits: u8) -> Vec<u64> {
    let float = |x: f64| fold::round_float(bits, x.into(), false);
    let sign = 1 << (bits - 1);
    let mut values: Vec<u64> = [f64::NAN, f64::INFINITY, 0.0, 1.0, 0.5, 2.5]
        .iter()
        .flat_map(|x| [float(*x), float(*x) | sign])
        .collect();
    // The smallest and the largest subnormal, and the largest number.
    let largest = float(f64::INFINITY) - 1;
    let min_normal = match bits {
        16 => 1 << 10,
        32 => 1 << 23,
        _ => 1 << 52,
    };
    values.extend([1, 1 | sign, min_normal - 1, largest]);
    values
}

/// One program: a rule at a size, with its constants and the way it is compiled.
struct Program<'r> {
    search: &'r Pattern,
    /// Bits of each variable.
    variable_bits: Vec<u8>,
    /// Bits of each node.
    node_bits: Vec<u8>,
    /// Variables that are loaded, in order.
    loaded: Vec<(usize, bool)>,
    /// Values of the constant variables.
    constants: [u64; 8],
    /// SignedZeroInfNanPreserve.
    preserve: bool,
}

impl Program<'_> {
    /// The shader: each invocation reads one row of operands and writes one row of results.
    fn shader(&self, lanes: u32) -> Shader {
        let mut s = Shader::new(Stage::Compute, "special values");
        s.info.workgroup_size = [lanes, 1, 1];
        let mut b = Builder::at_end(&mut s);
        let row = b.system_value(IntrinsicOp::LoadLocalInvocationIndex);
        let zero = b.imm_u32(0);
        let [from, to] = [0, 1].map(|binding| {
            let indices = [0, binding];
            b.load(IntrinsicOp::VulkanResourceIndex, 1, 32, &[zero], &indices)
        });
        let start = b.imul_imm(row, (MAX_OPERANDS * SLOT_BYTES) as i64);
        let mut variables: Vec<Option<Id<Def>>> = vec![None; 8];
        for (k, &(number, not_nan)) in self.loaded.iter().enumerate() {
            let bits = self.variable_bits[number];
            let at = b.iadd_imm(start, (k * SLOT_BYTES) as i64);
            let memory_bits = if bits == 1 { 32 } else { bits };
            let v = b.load(
                IntrinsicOp::LoadSsbo,
                1,
                memory_bits,
                &[from, at],
                &[0, 8, 0],
            );
            variables[number] = Some(match bits {
                1 => b.ine(v, zero),
                // The maximum with negative infinity is the number itself, or that for NaN.
                _ if not_nan => {
                    let low = b.imm_float(bits, f64::NEG_INFINITY);
                    b.fmax(v, low)
                }
                _ => v,
            });
        }
        b.preserve_nan_inf_sz = self.preserve;
        let value = self.emit_pattern(&mut b, &variables);
        b.preserve_nan_inf_sz = false;
        let results = observe(&mut b, value);
        let start = b.imul_imm(row, (RESULTS * SLOT_BYTES) as i64);
        for (k, result) in results.into_iter().enumerate() {
            let at = b.iadd_imm(start, (k * SLOT_BYTES) as i64);
            b.intrinsic(
                IntrinsicOp::StoreSsbo,
                None,
                &[result, to, at],
                &[1, 0, 8, 0],
            );
        }
        s
    }

    /// Emits the operations of the rule's pattern. Returns the root's def.
    fn emit_pattern(&self, b: &mut Builder<'_>, variables: &[Option<Id<Def>>]) -> Id<Def> {
        let mut values: Vec<Id<Def>> = Vec::new();
        for (n, node) in self.search.nodes.iter().enumerate() {
            let bits = self.node_bits[n];
            values.push(match node {
                Node::Var { number, .. } => match variables[*number] {
                    Some(v) => v,
                    None => b.constant(bits, &[self.constants[*number]]),
                },
                Node::Negative(number) => {
                    b.constant(bits, &[negate_float(bits, self.constants[*number])])
                }
                Node::Op { op, srcs, .. } => {
                    let srcs: Vec<Id<Def>> = srcs.iter().map(|s| values[*s]).collect();
                    b.alu_sized(*op, &srcs, bits)
                }
                c => b.constant(bits, &[constant_bits(c, bits).unwrap()]),
            });
        }
        values[self.search.root()]
    }

    /// Executes the program on rows of operands, as it is and after the pipeline. Returns the
    /// results of both runs.
    fn run(&self, name: &str, rows: &[Vec<u64>]) -> [Vec<u64>; 2] {
        let mut input = vec![0u8; rows.len() * MAX_OPERANDS * SLOT_BYTES];
        for (row, to) in rows.iter().zip(input.chunks_mut(MAX_OPERANDS * SLOT_BYTES)) {
            for (value, to) in row.iter().zip(to.chunks_mut(SLOT_BYTES)) {
                to.copy_from_slice(&value.to_le_bytes());
            }
        }
        let before = self.shader(rows.len() as u32);
        let mut after = before.clone();
        let mut runner = PassRunner {
            ctx: Ctx::default(),
            ..PassRunner::default()
        };
        runner
            .run(&mut after, GEN9)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        [&before, &after].map(|shader| {
            let mut machine = Machine {
                buffers: vec![
                    ((0, 0, 0), input.clone()),
                    ((0, 1, 0), vec![0; rows.len() * RESULTS * SLOT_BYTES]),
                ],
                workgroups: [1, 1, 1],
                subgroup_size: 32,
                ..Machine::default()
            };
            machine
                .run(shader)
                .unwrap_or_else(|e| panic!("{name}: {e}\n{shader}"));
            let bytes = machine.buffers[1].1.chunks_exact(SLOT_BYTES);
            bytes
                .map(|b| u64::from_le_bytes(b.try_into().unwrap()))
                .collect()
        })
    }
}

/// What a program stores: its value; a condition, which is the value itself or the value's
/// comparison with 1.0; the negation of the condition; which side a branch on the negation takes;
/// the iterations of a loop that the negation ends; and whether both hold, or none.
fn observe(b: &mut Builder<'_>, value: Id<Def>) -> [Id<Def>; RESULTS] {
    let bits = b.bits(value);
    let cond = match bits {
        1 => value,
        8 => {
            let zero = b.imm_int(bits, 0);
            b.ine(value, zero)
        }
        _ => {
            let one = b.imm_float(bits, 1.0);
            b.flt(value, one)
        }
    };
    let [one, two] = [1, 2].map(|n| b.imm_u32(n));
    let not = b.inot(cond);
    let number = b.b2i(cond, 32);
    let negation = b.bcsel(not, one, two);
    b.push_if(not);
    let then_value = b.iadd_imm(number, 10);
    b.push_else();
    let else_value = b.iadd_imm(number, 20);
    b.pop_if();
    let side = b.if_phi(then_value, else_value);
    let iterations = count_iterations(b, not);
    let equal = b.ieq(cond, not);
    let equal = b.b2i(equal, 32);
    let stored = if bits == 1 { number } else { value };
    [stored, number, negation, side, iterations, equal]
}

/// A loop that ends where `cond` holds, or after [`MAX_ITERATIONS`]. Returns the number of its
/// iterations.
fn count_iterations(b: &mut Builder<'_>, cond: Id<Def>) -> Id<Def> {
    let ty = b.shader.types.intern(Type::Int(32));
    let counter = b.shader.vars.push(Variable {
        name: "iterations".into(),
        mode: VariableMode::FunctionTemp,
        ty,
        set: 0,
        binding: 0,
        io: None,
        access: Access::default(),
        init: None,
        offset_bytes: None,
    });
    let zero = b.imm_u32(0);
    b.store_var(counter, zero);
    b.push_loop();
    let n = b.load_var(counter).unwrap();
    let enough = b.imm_int(32, MAX_ITERATIONS);
    let done = b.uge(n, enough);
    let done = b.ior(cond, done);
    b.push_if(done);
    b.jump(Jump::Break);
    b.pop_if();
    let next = b.iadd_imm(n, 1);
    b.store_var(counter, next);
    b.pop_loop();
    b.load_var(counter).unwrap()
}

/// All rows of operands, for the variables that are loaded.
fn rows(program: &Program<'_>) -> Vec<Vec<u64>> {
    let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
    // With many operands, fewer values each; but NaN, infinity, zero and a subnormal for all.
    let chosen: &[usize] = match program.loaded.len() {
        0..=2 => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        3 => &[0, 2, 3, 4, 5, 6, 12, 15],
        _ => &[0, 2, 5, 6, 12],
    };
    for &(number, _) in &program.loaded {
        let values = match program.variable_bits[number] {
            1 => vec![0, 1],
            8 => vec![0, 1, 0x80, 0xff],
            bits => {
                let all = special_values(bits);
                chosen.iter().map(|k| all[*k]).collect()
            }
        };
        rows = rows
            .iter()
            .flat_map(|row| {
                values.iter().map(move |v| {
                    let mut row = row.clone();
                    row.push(*v);
                    row
                })
            })
            .collect();
    }
    rows
}

/// True for a rule whose result is the result of comparisons.
fn gives_boolean(search: &Pattern) -> bool {
    matches!(&search.nodes[search.root()],
        Node::Op { op, .. } if op.info().out.base == BaseType::Bool)
}

/// Compares the results of both runs of a program.
fn check(name: &str, rule_lost: Inexact, program: &Program<'_>) {
    let rows = rows(program);
    let root = program.search.root();
    let bits = program.node_bits[root];
    let boolean = gives_boolean(program.search);
    // Without SignedZeroInfNanPreserve, rules for a program's constants apply too.
    let lost = match program.preserve || boolean {
        true => Inexact::NONE,
        false => rule_lost
            .or(Inexact::NAN)
            .or(Inexact::INF)
            .or(Inexact::SIGN),
    };
    for rows in rows.chunks(256) {
        let [before, after] = program.run(name, rows);
        for (k, row) in rows.iter().enumerate() {
            let results = k * RESULTS..(k + 1) * RESULTS;
            let (x, y) = (&before[results.clone()], &after[results]);
            let describe = || {
                let constants = program.constants;
                format!("{name} of {row:x?}, constants {constants:x?}: {x:x?} and {y:x?}")
            };
            // A condition and its negation never agree.
            assert_eq!(x[5], 0, "{}", describe());
            assert_eq!(y[5], 0, "{}", describe());
            assert_eq!(y[1] + y[2], if y[1] == 0 { 1 } else { 3 }, "{}", describe());
            if x == y {
                continue;
            }
            let agree = !boolean
                && results_agree(
                    lost,
                    bits,
                    true,
                    is_special(program, row),
                    x[0],
                    y[0],
                    f64::MAX,
                );
            assert!(agree, "{}", describe());
        }
    }
}

/// True if an operand of a program is NaN or an infinity.
fn is_special(program: &Program<'_>, row: &[u64]) -> bool {
    let loaded = program.loaded.iter().zip(row).map(|((n, _), v)| (*n, *v));
    let all = loaded.chain((0..8).map(|n| (n, program.constants[n])));
    all.into_iter().any(|(n, v)| {
        let bits = program.variable_bits[n];
        bits >= 16 && !fold::float_value(bits, v).is_finite()
    })
}

/// The sizes at which a rule is tested: those that it names, and for comparisons all sizes of their
/// operands.
fn sizes(rule_bits: &[u8], search: &Pattern) -> Vec<(u8, u8)> {
    let open = rule_bits == [1] && is_float(search);
    match open {
        true => [16, 32, 64].map(|operands| (1, operands)).to_vec(),
        false => rule_bits.iter().map(|bits| (*bits, *bits)).collect(),
    }
}

#[test]
fn special_values_keep_their_meaning_through_the_pipeline() {
    let mut programs = 0;
    for rule in RULES {
        let search = Pattern::parse(rule.search).unwrap();
        let replace = Pattern::parse(rule.replace).unwrap();
        if !is_float(&search) && !is_float(&replace) {
            continue;
        }
        for (bits, operand_bits) in sizes(rule.bits, &search) {
            let mut sizes = variable_bits(&search, bits);
            let variables = variables(&search);
            if bits != operand_bits {
                let floats = variables.iter().filter(|v| !v.boolean);
                floats.for_each(|v| sizes[v.number] = operand_bits);
            }
            let var = |n: usize| Some(sizes[n]).filter(|b| *b != 0);
            let root = root_bits_of(&search, bits);
            let node_bits = infer_bits(&search, root, var).map(|bits| bits.to_vec());
            let node_bits =
                node_bits.unwrap_or_else(|| super::infer_open_bits(&search, bits, &sizes).to_vec());
            let constants: Vec<usize> = variables
                .iter()
                .filter(|v| v.constant)
                .map(|v| v.number)
                .collect();
            let loaded: Vec<(usize, bool)> = variables
                .iter()
                .filter(|v| !v.constant)
                .map(|v| (v.number, v.not_nan))
                .collect();
            // Every constant takes every value, the other constants one of them.
            let choices = match constants.len() {
                0 => 1,
                _ => special_values(operand_bits).len(),
            };
            for choice in 0..choices {
                // What replaces inexact operations may differ from the folder's value, too.
                let rounds = rule.inexact.0 & Inexact::ROUND.0 != 0;
                for preserve in [false, true] {
                    if preserve && rounds {
                        continue;
                    }
                    let mut values = [0; 8];
                    for (k, &n) in constants.iter().enumerate() {
                        let all = special_values(sizes[n]);
                        values[n] = all[(choice + k * 5) % all.len()];
                    }
                    let program = Program {
                        search: &search,
                        variable_bits: sizes.clone(),
                        node_bits: node_bits.clone(),
                        loaded: loaded.clone(),
                        constants: values,
                        preserve,
                    };
                    check(rule.name, rule.inexact, &program);
                    programs += 1;
                }
            }
        }
    }
    assert!(programs > 300, "{programs}");
}
