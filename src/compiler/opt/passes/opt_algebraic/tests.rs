//! Every rule, at every bit size: `opt_algebraic` applies it to its own pattern, and the constant
//! folder computes the same value for both sides.

use super::run;
use crate::algebra::pattern::{Inexact, Node, Pattern, constant_bits, infer_bits, negate_float};
use crate::algebra::rule_set::RuleSet;
use crate::algebra::rules::RULES;
use nir::*;

mod special_values;

/// A variable of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PatternVariable {
    number: usize,
    constant: bool,
    boolean: bool,
    not_nan: bool,
}

/// The variables of a pattern, by number.
fn variables(p: &Pattern) -> Vec<PatternVariable> {
    let mut out: Vec<PatternVariable> = Vec::new();
    for n in &p.nodes {
        if let &Node::Var {
            number,
            constant,
            boolean,
            not_nan,
        } = n
        {
            match out.iter_mut().find(|v| v.number == number) {
                Some(v) => {
                    v.constant |= constant;
                    v.boolean |= boolean;
                    v.not_nan |= not_nan;
                }
                None => out.push(PatternVariable {
                    number,
                    constant,
                    boolean,
                    not_nan,
                }),
            }
        }
    }
    out.sort_unstable();
    out
}

/// The bit size of each variable if that of the root is `bits`.
fn variable_bits(p: &Pattern, bits: u8) -> Vec<u8> {
    let mut out = vec![0u8; 8];
    let mut size = vec![0u8; p.nodes.len()];
    let root = p.root();
    if let Node::Op { op, srcs, .. } = &p.nodes[root] {
        let info = op.info();
        size[root] = match info.out.size {
            SizeRule::Fixed(n) => n,
            _ => bits,
        };
        for (k, s) in srcs.iter().enumerate() {
            size[*s] = match info.srcs[k].ty.size {
                SizeRule::Fixed(n) => n,
                _ => bits,
            };
        }
    }
    for at in (0..root).rev() {
        match &p.nodes[at] {
            Node::Var { number, .. } | Node::Negative(number) => {
                out[*number] = out[*number].max(size[at]);
            }
            Node::Op { op, srcs, .. } => {
                let info = op.info();
                // The operands of an operation with a fixed result size (a comparison) may have any
                // size.
                let same = match info.out.size {
                    SizeRule::Fixed(_) => 0,
                    _ => size[at],
                };
                for (k, s) in srcs.iter().enumerate() {
                    size[*s] = match info.srcs[k].ty.size {
                        SizeRule::Fixed(n) => n,
                        _ => same,
                    };
                }
            }
            _ => {}
        }
    }
    for v in variables(p) {
        if out[v.number] == 0 {
            out[v.number] = if v.boolean { 1 } else { 32 };
        }
    }
    out
}

/// The bit size of the root's result at the size `bits` of a rule.
fn root_bits_of(p: &Pattern, bits: u8) -> u8 {
    match &p.nodes[p.root()] {
        Node::Op { op, .. } => match op.info().out.size {
            SizeRule::Fixed(n) => n,
            _ => bits,
        },
        _ => bits,
    }
}

/// Test values.
fn test_values(bits: u8, float: bool) -> Vec<u64> {
    let m = fold::mask(bits);
    let mut v = vec![
        0,
        1,
        2,
        3,
        7,
        8,
        m,
        m - 1,
        m >> 1,
        (m >> 1) + 1,
        m / 3,
        31 & m,
        33 & m,
    ];
    if bits == 1 {
        return vec![0, 1];
    }
    if float {
        for x in [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            -2.5,
            3.25,
            100.0,
            -1e-3,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ] {
            v.push(fold::round_float(bits, x.into(), false));
        }
    }
    v
}

/// The root's value, the largest magnitude of any node read as a float, and whether any 32-bit node
/// is subnormal.
fn evaluate(p: &Pattern, size: &[u8], vars: &[u64]) -> (u64, f64, bool) {
    let mut values: Vec<u64> = Vec::new();
    for (n, node) in p.nodes.iter().enumerate() {
        values.push(match node {
            Node::Var { number, .. } => vars[*number],
            Node::Negative(number) => negate_float(size[n], vars[*number]),
            Node::Op { op, srcs, .. } => {
                let v: Vec<[u64; 1]> = srcs.iter().map(|s| [values[*s]]).collect();
                let parts: Vec<&[u64]> = v.iter().map(|x| x.as_slice()).collect();
                let bits: Vec<u8> = srcs.iter().map(|s| size[*s]).collect();
                let mut out = [0];
                assert!(fold::fold(
                    *op,
                    size[n],
                    &bits,
                    &parts,
                    FloatControls::default(),
                    &mut out
                ));
                out[0]
            }
            c => constant_bits(c, size[n]).unwrap(),
        });
    }
    let max = values
        .iter()
        .zip(size)
        .filter(|(_, b)| **b >= 16)
        .map(|(v, b)| fold::float_value(*b, *v).abs())
        .fold(0.0, f64::max);
    let subnormal = values.iter().zip(size).any(|(v, b)| {
        let v = fold::float_value(*b, *v).abs();
        *b == 32 && v > 0.0 && v < f64::from(f32::MIN_POSITIVE)
    });
    (values[p.root()], max, subnormal)
}

fn is_float(p: &Pattern) -> bool {
    p.nodes.iter().any(|n| match n {
        Node::Op { op, .. } => op.info().srcs.iter().any(|s| s.ty.base == BaseType::Float),
        Node::Float(_) => true,
        _ => false,
    })
}

/// True if two results are equal, or differ only in what the rule does not preserve. `max` is the
/// largest magnitude of any intermediate result.
fn results_agree(
    lost: Inexact,
    bits: u8,
    float: bool,
    special: bool,
    x: u64,
    y: u64,
    max: f64,
) -> bool {
    if x == y {
        return true;
    }
    let any = |i: Inexact| lost.0 & i.0 != 0;
    if !float {
        return any(Inexact::NAN) && special;
    }
    let (a, b) = (fold::float_value(bits, x), fold::float_value(bits, y));
    if a.is_nan() && b.is_nan() {
        return true;
    }
    if any(Inexact::SIGN) && a == 0.0 && b == 0.0 {
        return true;
    }
    if (any(Inexact::NAN) || any(Inexact::INF)) && (special || !a.is_finite() || !b.is_finite()) {
        return true;
    }
    // Within a few hundred ULP of the largest term, or of the smallest normal number.
    let (precision, min): (i32, f64) = match bits {
        16 => (10, 6.2e-5),
        32 => (23, 1.2e-38),
        _ => (52, 2.3e-308),
    };
    any(Inexact::ROUND) && (a - b).abs() <= max.max(min) * 2f64.powi(8 - precision)
}

#[test]
fn folded_results_agree_on_both_sides() {
    let mut seed = 11u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    for rule in RULES {
        let search = Pattern::parse(rule.search).unwrap_or_else(|e| panic!("{}: {e}", rule.name));
        let replace = Pattern::parse(rule.replace).unwrap_or_else(|e| panic!("{}: {e}", rule.name));
        assert!(!rule.bits.is_empty(), "{}", rule.name);
        for &bits in rule.bits {
            let variable_sizes = variable_bits(&search, bits);
            let var = |n: usize| Some(variable_sizes[n]).filter(|b| *b != 0);
            let root_size = root_bits_of(&search, bits);
            let fs = infer_bits(&search, root_size, var);
            let fs = fs.unwrap_or_else(|| infer_open_bits(&search, bits, &variable_sizes));
            let ps = infer_bits(&replace, root_size, var).unwrap_or_else(|| {
                panic!(
                    "{}: sizes of '{}' do not follow at {bits}",
                    rule.name, rule.replace
                )
            });
            let vars = variables(&search);
            let float = is_float(&search) || is_float(&replace);
            let float_result = match (&search.nodes[search.root()], &replace.nodes[replace.root()])
            {
                (Node::Op { op, .. }, _) if op.info().out.base == BaseType::Float => true,
                (_, Node::Op { op, .. }) => op.info().out.base == BaseType::Float,
                (_, Node::Float(_)) => true,
                _ => false,
            };
            for round in 0..600usize {
                let mut values = vec![0u64; 8];
                let mut special = false;
                for (k, v) in vars.iter().enumerate() {
                    let b = variable_sizes[v.number];
                    let c = test_values(b, float);
                    values[v.number] = if round < 400 {
                        c[(round / (1 + k * 13) + round * k) % c.len()]
                    } else {
                        random() & fold::mask(b)
                    };
                    if float && b >= 16 {
                        let x = fold::float_value(b, values[v.number]);
                        if v.not_nan && x.is_nan() {
                            values[v.number] = 0;
                        }
                        special |= !x.is_finite();
                    }
                }
                let ((x, m, small), (y, n, _)) = (
                    evaluate(&search, &fs, &values),
                    evaluate(&replace, &ps, &values),
                );
                // Subnormal intermediate results have lost precision, and may be flushed.
                let lost = Inexact::DENORM.or(Inexact::ROUND);
                if small && rule.inexact.0 & lost.0 == lost.0 {
                    continue;
                }
                let max = m.max(n);
                special |= !max.is_finite();
                assert!(
                    results_agree(rule.inexact, root_size, float_result, special, x, y, max),
                    "{} at {bits}: {values:x?} gives {x:#x} and {y:#x}",
                    rule.name
                );
            }
        }
    }
}

/// The bit size of every node of a pattern in which conversions leave sizes open, inferred as in
/// `variable_bits`.
fn infer_open_bits(p: &Pattern, bits: u8, variable_sizes: &[u8]) -> smallvec::SmallVec<[u8; 8]> {
    let mut size: smallvec::SmallVec<[u8; 8]> = smallvec::SmallVec::from_elem(bits, p.nodes.len());
    for at in (0..p.nodes.len()).rev() {
        if let Node::Op { op, srcs, .. } = &p.nodes[at] {
            let info = op.info();
            if let SizeRule::Fixed(n) = info.out.size {
                size[at] = n;
            }
            for (k, s) in srcs.iter().enumerate() {
                size[*s] = match (info.srcs[k].ty.size, &p.nodes[*s]) {
                    (SizeRule::Fixed(n), _) => n,
                    (_, Node::Var { number, .. } | Node::Negative(number)) => {
                        variable_sizes[*number]
                    }
                    _ if at == p.root() => bits,
                    _ => size[at],
                };
            }
        }
    }
    size
}

#[test]
fn no_rule_increases_cost() {
    for rule in RULES {
        let (search, replace) = (
            Pattern::parse(rule.search).unwrap(),
            Pattern::parse(rule.replace).unwrap(),
        );
        // Operations whose operands are all constant cost nothing, because they are folded.
        let replace_cost: u32 = (0..replace.nodes.len())
            .filter(|n| !constant_only(&replace, *n))
            .map(|n| match &replace.nodes[n] {
                Node::Op { op, .. } => u32::from(op.info().cost),
                _ => 0,
            })
            .sum();
        assert!(replace_cost <= search.cost(), "{}", rule.name);
    }
}

fn constant_only(p: &Pattern, at: usize) -> bool {
    match &p.nodes[at] {
        Node::Op { srcs, .. } => srcs.iter().all(|s| constant_only(p, *s)),
        Node::Var { constant, .. } => *constant,
        _ => true,
    }
}

/// Builds a shader that computes a rule's pattern. Returns it with the root's def.
fn build_shader(p: &Pattern, bits: u8) -> (Shader, entity::Id<Def>) {
    let variable_sizes = variable_bits(p, bits);
    let var = |n: usize| Some(variable_sizes[n]).filter(|b| *b != 0);
    let root = root_bits_of(p, bits);
    let size =
        infer_bits(p, root, var).unwrap_or_else(|| infer_open_bits(p, bits, &variable_sizes));
    let mut s = Shader::new(Stage::Compute, "rule");
    let mut b = Builder::at_end(&mut s);
    let mut by_var: Vec<Option<entity::Id<Def>>> = vec![None; 8];
    let mut values: Vec<entity::Id<Def>> = Vec::new();
    for (n, node) in p.nodes.iter().enumerate() {
        let v = match node {
            Node::Negative(number) => {
                let of = negate_float(variable_sizes[*number], 0x35 + *number as u64);
                b.constant(variable_sizes[*number], &[of])
            }
            Node::Var {
                number,
                constant,
                not_nan,
                ..
            } => match by_var[*number] {
                Some(v) => v,
                None => {
                    let v = if *constant {
                        b.imm_int(variable_sizes[*number], 0x35 + *number as i64)
                    } else if *not_nan {
                        let zero = b.imm_u32(0);
                        let indices = [*number as u32, 1, 0];
                        let loaded = b.load(IntrinsicOp::LoadShared, 1, 32, &[zero], &indices);
                        b.alu_sized(AluOp::U2F, &[loaded], variable_sizes[*number])
                    } else {
                        let zero = b.imm_u32(0);
                        b.load(
                            IntrinsicOp::LoadShared,
                            1,
                            variable_sizes[*number],
                            &[zero],
                            &[*number as u32, 1, 0],
                        )
                    };
                    by_var[*number] = Some(v);
                    v
                }
            },
            Node::Op { op, srcs, .. } => {
                let srcs: Vec<entity::Id<Def>> = srcs.iter().map(|s| values[*s]).collect();
                b.alu_sized(*op, &srcs, size[n])
            }
            c => b.constant(size[n], &[constant_bits(c, size[n]).unwrap()]),
        };
        values.push(v);
    }
    let root = values[p.root()];
    (s, root)
}

#[test]
fn every_rule_matches_its_own_pattern() {
    let all = RuleSet::new(RULES);
    for (k, rule) in RULES.iter().enumerate() {
        let search = Pattern::parse(rule.search).unwrap();
        for &bits in rule.bits {
            // On its own, the rule must change its pattern.
            let (mut s, root) = build_shader(&search, bits);
            nir::validate(&s).unwrap_or_else(|e| panic!("{}: {e}\n{s}", rule.name));
            let before = s.instr_of(root).clone();
            let only = RuleSet::new(&RULES[k..=k]);
            assert!(run(&mut s, &only), "{} at {bits}\n{s}", rule.name);
            nir::validate(&s).unwrap_or_else(|e| panic!("{} at {bits}: {e}\n{s}", rule.name));
            let after = format!("{:?}", s.instr_of(root));
            assert_ne!(after, format!("{before:?}"), "{}", rule.name);
            // With all rules, a fixed point must be reached.
            let (mut s, _) = build_shader(&search, bits);
            let mut rounds = 0;
            while run(&mut s, &all) {
                rounds += 1;
                assert!(rounds < 20, "{}: rules undo each other", rule.name);
            }
        }
    }
}
