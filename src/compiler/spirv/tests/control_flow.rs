//! Random control flow, interpreted: the blocks that each invocation executes are compared with a
//! walk over the graph.
//!
//! Each block draws a random number and writes a mark to a buffer, computed from its label, the
//! number of some dominating block, and a phi if it has several predecessors. The number selects
//! the successor. So the marks cover structurization, uses far from definitions, phis and
//! divergence.

use crate::asm::assemble;
use crate::cfg::{Cfg, Terminator};
use crate::module::Module;
use crate::testing::random_flow::{Random, random_function};
use crate::translate::Options;
use rustc_hash::FxHashMap;
use std::fmt::Write;

const LANES: u32 = 4;
/// Words of the buffer for each invocation: marks written, the random state, the marks.
const WORDS: u32 = 64;

const HEADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %index
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%pblock = OpTypePointer Uniform %block
%pword = OpTypePointer Uniform %uint
%pin = OpTypePointer Input %uint
%buf = OpVariable %pblock Uniform
%index = OpVariable %pin Input
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u5 = OpConstant %uint 5
%u16 = OpConstant %uint 16
%u31 = OpConstant %uint 31
%words = OpConstant %uint 64
%mul = OpConstant %uint 1664525
%add = OpConstant %uint 1013904223
";

/// The operands of a block's mark.
struct BlockPlan {
    dominator: u32,
    has_phi: bool,
}

struct Program {
    text: String,
    cfg: Cfg,
    plans: Vec<BlockPlan>,
}

/// The code of block `b`: draws a number `%v{b}`, writes a mark made of the block's number, the
/// number drawn in block `d`, and `phi`.
fn block_code(b: usize, d: u32, phi: &str) -> String {
    format!(
        "%n{b} = OpLoad %uint %pn
%r{b} = OpLoad %uint %pr
%t{b} = OpIMul %uint %r{b} %mul
%q{b} = OpIAdd %uint %t{b} %add
OpStore %pr %q{b}
%v{b} = OpShiftRightLogical %uint %q{b} %u16
%x{b} = OpIMul %uint %v{d} %u31
%y{b} = OpIAdd %uint %x{b} {phi}
%z{b} = OpIMul %uint %y{b} %u31
%w{b} = OpIAdd %uint %z{b} %k{b}
%a{b} = OpIAdd %uint %third %n{b}
%p{b} = OpAccessChain %pword %buf %u0 %a{b}
%lim{b} = OpISub %uint %words %u2
%in{b} = OpULessThan %bool %n{b} %lim{b}
%old{b} = OpLoad %uint %p{b}
%new{b} = OpSelect %uint %in{b} %w{b} %old{b}
OpStore %p{b} %new{b}
%m{b} = OpIAdd %uint %n{b} %u1
OpStore %pn %m{b}
%e{b} = OpBitwiseAnd %uint %v{b} %u1
%c{b} = OpINotEqual %bool %e{b} %u0
%s{b} = OpUMod %uint %v{b} %u5
"
    )
}

/// Predecessors of each node, including those by back edges.
fn predecessors(cfg: &Cfg, blocks: usize) -> Vec<Vec<usize>> {
    let mut preds: Vec<Vec<usize>> = vec![Vec::new(); blocks + 1];
    for &u in &cfg.rpo {
        for &v in &cfg.succs[u as usize] {
            preds[v as usize].push(u as usize);
        }
    }
    preds
}

fn block_plans(cfg: &Cfg, preds: &[Vec<usize>], blocks: usize, r: &mut Random) -> Vec<BlockPlan> {
    let mut plans = Vec::new();
    for b in 0..blocks as u32 {
        let mut d = b;
        while cfg.is_reachable(b) && r.below(2) == 0 {
            d = cfg.idom[d as usize];
        }
        plans.push(BlockPlan {
            dominator: d,
            has_phi: cfg.is_reachable(b) && preds[b as usize].len() > 1,
        });
    }
    plans
}

fn program(seed: u64) -> Program {
    let text = random_function(seed);
    let words = assemble(&text, (1, 3)).unwrap();
    let m = Module::parse(&words).unwrap();
    let cfg = Cfg::new(&m.stream, &m.functions[0]).unwrap();
    let mut r = Random(seed | 1);
    let body = &text[text.find("%entry = OpLabel").unwrap()..];
    let mut names: Vec<String> = Vec::new();
    for line in body.lines() {
        if let Some(l) = line.strip_suffix(" = OpLabel") {
            names.push(l.to_owned());
        }
    }
    let preds = predecessors(&cfg, names.len());
    let plans = block_plans(&cfg, &preds, names.len(), &mut r);
    let mut constants = String::new();
    let mut code = String::from("%main = OpFunction %void None %fn\n");
    let mut block = 0;
    for line in body.lines() {
        if line.starts_with("%var") || line.starts_with("%s =") || line.starts_with("%c =") {
            continue;
        }
        if line.ends_with("= OpLabel") {
            let plan = &plans[block];
            writeln!(code, "{line}").unwrap();
            if plan.has_phi {
                write!(code, "%phi{block} = OpPhi %uint").unwrap();
                // Each predecessor once: a branch with both targets here is one predecessor.
                let mut seen = Vec::new();
                for &p in &preds[block] {
                    if !seen.contains(&p) {
                        write!(code, " %v{p} {}", names[p]).unwrap();
                        seen.push(p);
                    }
                }
                code.push('\n');
            }
            if block == 0 {
                code.push_str(
                    "%i = OpLoad %uint %index
%first = OpIMul %uint %i %words
%pn = OpAccessChain %pword %buf %u0 %first
%second = OpIAdd %uint %first %u1
%pr = OpAccessChain %pword %buf %u0 %second
%third = OpIAdd %uint %first %u2
",
                );
            }
            writeln!(constants, "%k{block} = OpConstant %uint {block}").unwrap();
            let phi = if plan.has_phi {
                format!("%phi{block}")
            } else {
                "%u0".to_owned()
            };
            code.push_str(&block_code(block, plan.dominator, &phi));
            block += 1;
            continue;
        }
        let b = block - 1;
        let line = line
            .replace(
                "OpBranchConditional %c ",
                &format!("OpBranchConditional %c{b} "),
            )
            .replace("OpSwitch %s ", &format!("OpSwitch %s{b} "));
        writeln!(code, "{line}").unwrap();
    }
    Program {
        text: format!("{HEADER}{constants}{code}"),
        cfg,
        plans,
    }
}

/// The expected marks of one invocation, up to `limit`, and whether it returned.
fn model(p: &Program, mut state: u32, limit: usize) -> (Vec<u32>, bool) {
    let mut marks = Vec::new();
    let mut values: FxHashMap<u32, u32> = FxHashMap::default();
    let (mut node, mut from) = (0u32, 0u32);
    while node != p.cfg.exit() && marks.len() < limit {
        let plan = &p.plans[node as usize];
        let phi = if plan.has_phi { values[&from] } else { 0 };
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let v = state >> 16;
        values.insert(node, v);
        let mark = values[&plan.dominator]
            .wrapping_mul(31)
            .wrapping_add(phi)
            .wrapping_mul(31)
            .wrapping_add(node);
        marks.push(mark);
        from = node;
        node = match &p.cfg.terminators[node as usize] {
            Terminator::Goto(t) => *t,
            Terminator::If(_, a, b) => {
                if v & 1 != 0 {
                    *a
                } else {
                    *b
                }
            }
            Terminator::Switch(_, arms) => {
                let s = u64::from(v % 5);
                let hit = arms.iter().find(|a| a.literals.contains(&s));
                hit.or(arms.iter().find(|a| a.default)).unwrap().target
            }
            Terminator::Return(_) => p.cfg.exit(),
            Terminator::Kill | Terminator::Unreachable => return (marks, false),
        };
    }
    let ended = node == p.cfg.exit();
    (marks, ended)
}

#[test]
fn invocations_follow_the_graph() {
    let mut whole = 0;
    for seed in 1..500u64 {
        let p = program(seed);
        let words = assemble(&p.text, (1, 3)).unwrap();
        let shader = Module::parse(&words)
            .unwrap()
            .to_nir(&Options::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", p.text));
        nir::validate(&shader).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{shader}"));
        let start = |lane: u32| (seed as u32).wrapping_mul(2_654_435_761) ^ lane.wrapping_mul(97);
        let mut data = vec![0u32; (LANES * WORDS) as usize];
        for lane in 0..LANES {
            data[(lane * WORDS + 1) as usize] = start(lane);
        }
        let mut machine = nir::interp::Machine {
            buffers: vec![(
                (0, 0, 0),
                data.iter().flat_map(|w| w.to_le_bytes()).collect(),
            )],
            workgroups: [1; 3],
            subgroup_size: 4,
            step_limit: 4000,
            ..Default::default()
        };
        // Some loops never end; then the marks written before the step limit are compared.
        let ended = machine.run(&shader).is_ok();
        let out: Vec<u32> = machine.buffers[0]
            .1
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect();
        for lane in 0..LANES {
            let (marks, done) = model(&p, start(lane), WORDS as usize - 2);
            let first = (lane * WORDS) as usize;
            let n = out[first] as usize;
            let compare = if ended && done {
                assert_eq!(n.min(62), marks.len(), "seed {seed}");
                whole += 1;
                marks.len()
            } else {
                n.min(marks.len())
            };
            assert_eq!(
                out[first + 2..first + 2 + compare],
                marks[..compare],
                "seed {seed}, lane {lane}\n{}\n{shader}",
                p.text
            );
        }
    }
    assert!(whole > 500, "only {whole} invocations returned");
}

/// A function that returns its argument, and `depth` functions above it, each of which calls the
/// next one and adds 1.
fn chain_of_calls(depth: u32) -> String {
    let mut text = format!(
        "{HEADER}
%take = OpTypeFunction %uint %uint
%f0 = OpFunction %uint None %take
%x0 = OpFunctionParameter %uint
%l0 = OpLabel
OpReturnValue %x0
OpFunctionEnd
"
    );
    for k in 1..=depth {
        let inner = k - 1;
        let _ = write!(
            text,
            "%f{k} = OpFunction %uint None %take
%x{k} = OpFunctionParameter %uint
%l{k} = OpLabel
%r{k} = OpFunctionCall %uint %f{inner} %x{k}
%s{k} = OpIAdd %uint %r{k} %u1
OpReturnValue %s{k}
OpFunctionEnd
"
        );
    }
    let _ = write!(
        text,
        "%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%p = OpAccessChain %pword %buf %u0 %i
%r = OpFunctionCall %uint %f{depth} %i
OpStore %p %r
OpReturn
OpFunctionEnd
"
    );
    text
}

#[test]
fn deep_chains_of_calls_compile() {
    for depth in [255, 256, 300, 20_000] {
        let words = assemble(&chain_of_calls(depth), (1, 3)).unwrap();
        let shader = Module::parse(&words)
            .unwrap()
            .to_nir(&Options::default())
            .unwrap_or_else(|e| panic!("{depth} calls: {e}"));
        nir::validate(&shader).unwrap();
        let mut machine = nir::interp::Machine {
            buffers: vec![((0, 0, 0), vec![0; 4 * LANES as usize])],
            workgroups: [1; 3],
            subgroup_size: 4,
            ..Default::default()
        };
        machine.run(&shader).unwrap();
        let out = machine.buffers[0].1.chunks(4);
        let out: Vec<u32> = out
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect();
        assert_eq!(out, [depth, depth + 1, depth + 2, depth + 3]);
    }
}
