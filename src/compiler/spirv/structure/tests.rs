//! Random control flow: walks over the tree and over the graph visit the same blocks for the same
//! branch decisions.

use crate::asm::assemble;
use crate::cfg::{Cfg, Terminator};
use crate::module::Module;
use crate::structure::{Item, JumpAction, Tree, structurize};
use crate::testing::random_flow::{HEADER, Random, random_function};
use std::fmt::Write;

/// A walk with reproducible decisions: the nth branch goes the same way in both walks.
struct Walk {
    random: Random,
    trace: Vec<u32>,
    limit: usize,
}

impl Walk {
    fn decide(&mut self, n: usize) -> usize {
        self.random.below(n as u64) as usize
    }
}

fn graph_walk(cfg: &Cfg, w: &mut Walk) {
    let mut node = 0u32;
    while node != cfg.exit() && w.trace.len() < w.limit {
        w.trace.push(node);
        node = match &cfg.terminators[node as usize] {
            Terminator::Goto(t) => *t,
            Terminator::If(_, a, b) => [*a, *b][w.decide(2)],
            Terminator::Switch(_, arms) => arms[w.decide(arms.len())].target,
            Terminator::Return(_) => cfg.exit(),
            Terminator::Kill | Terminator::Unreachable => {
                w.trace.push(u32::MAX);
                return;
            }
        };
    }
}

enum Flow {
    Fall,
    Break,
    Continue,
    Stop,
}

fn tree_walk(cfg: &Cfg, tree: &Tree, list: u32, flags: &mut Vec<bool>, w: &mut Walk) -> Flow {
    for item in &tree.lists[list as usize] {
        let flow = match item {
            Item::Block(b) => {
                w.trace.push(*b);
                if matches!(
                    cfg.terminators[*b as usize],
                    Terminator::Kill | Terminator::Unreachable
                ) {
                    w.trace.push(u32::MAX);
                    return Flow::Stop;
                }
                if w.trace.len() >= w.limit {
                    return Flow::Stop;
                }
                Flow::Fall
            }
            Item::Branch(_, arms) => {
                let arm = arms[w.decide(arms.len())];
                tree_walk(cfg, tree, arm, flags, w)
            }
            Item::Jump(p) => {
                flags[p.label as usize] = true;
                match p.action {
                    JumpAction::Fall => Flow::Fall,
                    JumpAction::Break => Flow::Break,
                    JumpAction::Continue => Flow::Continue,
                }
            }
            Item::Scope {
                label,
                body,
                continuation,
                guarded,
            } => {
                flags[*label as usize] = false;
                match tree_walk(cfg, tree, *body, flags, w) {
                    Flow::Fall if !guarded || flags[*label as usize] => {
                        tree_walk(cfg, tree, *continuation, flags, w)
                    }
                    f => f,
                }
            }
            Item::Loop {
                header,
                body,
                after,
            } => loop {
                flags[*header as usize] = false;
                match tree_walk(cfg, tree, *body, flags, w) {
                    Flow::Fall | Flow::Continue => {}
                    Flow::Stop => break Flow::Stop,
                    Flow::Break => {
                        break after
                            .iter()
                            .find(|a| flags[a.0 as usize])
                            .map_or(
                                Flow::Fall,
                                |a| if a.1 { Flow::Continue } else { Flow::Break },
                            );
                    }
                }
            },
        };
        if !matches!(flow, Flow::Fall) {
            return flow;
        }
    }
    Flow::Fall
}

fn check(text: &str, seed: u64) {
    let words = assemble(text, (1, 3)).unwrap();
    let m = Module::parse(&words).unwrap();
    let f = &m.functions[0];
    let cfg = Cfg::new(&m.stream, f).unwrap();
    let tree = structurize(f, &cfg).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    for run in 0..12 {
        let start = seed.wrapping_mul(77).wrapping_add(run * 1_000_003) | 1;
        let walk = || Walk {
            random: Random(start),
            trace: Vec::new(),
            limit: 120,
        };
        let (mut a, mut b) = (walk(), walk());
        graph_walk(&cfg, &mut a);
        let mut flags = vec![false; cfg.exit() as usize + 1];
        tree_walk(&cfg, &tree, 0, &mut flags, &mut b);
        assert_eq!(
            a.trace, b.trace,
            "seed {seed}, run {run}\n{text}\n{tree:#?}"
        );
    }
}

#[test]
fn tree_follows_the_graph() {
    for seed in 1..4000 {
        check(&random_function(seed), seed);
    }
}

/// Graphs without merge instructions: those that are accepted must be structurized correctly.
#[test]
fn tree_follows_the_graph_without_merge_instructions() {
    let mut accepted = 0;
    for seed in 1..3000u64 {
        let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let n = 2 + r.below(9);
        let mut text = HEADER.to_owned();
        text.push_str("OpBranch %l0\n");
        for i in 0..n {
            writeln!(text, "%l{i} = OpLabel").unwrap();
            let mut target = |i: u64| {
                // Mostly forward.
                if r.below(4) == 0 {
                    r.below(n)
                } else {
                    (i + 1 + r.below(3)).min(n - 1)
                }
            };
            let (a, b) = (target(i), target(i));
            if i + 1 == n {
                text.push_str("OpReturn\n");
            } else {
                writeln!(text, "OpBranchConditional %c %l{a} %l{b}").unwrap();
            }
        }
        text.push_str("OpFunctionEnd\n");
        let words = assemble(&text, (1, 3)).unwrap();
        let m = Module::parse(&words).unwrap();
        let f = &m.functions[0];
        if let Ok(cfg) = Cfg::new(&m.stream, f)
            && structurize(f, &cfg).is_ok()
        {
            accepted += 1;
            check(&text, seed);
        }
    }
    assert!(accepted > 500, "only {accepted} accepted");
}
