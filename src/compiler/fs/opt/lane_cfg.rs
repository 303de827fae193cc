//! The control-flow graph as one lane sees it.
//!
//! In:  LIR. Out: basic blocks with their successors. A lane executes one path of this graph,
//!      although the thread executes both sides of a branch.
//! Ref: SKL PRM vol. 7, "Control Flow Instructions".

use crate::lir::{Inst, Lir, Op};
use isa::Opcode;

/// A basic block: instructions `first..end`; a control-flow instruction at `end` belongs to no
/// block.
pub(crate) struct Block {
    pub first: usize,
    pub end: usize,
    /// The successors; the number of blocks stands for the end of the thread, or for no second
    /// successor.
    pub next: [usize; 2],
}

/// An open IF or loop.
struct Open {
    /// Of a branch the block that ends with IF; of a loop its first block.
    head: usize,
    is_loop: bool,
    /// Successors (block, index into `next`) that are the first block behind the construct.
    to_end: Vec<(usize, usize)>,
    /// Successors that are the block of the WHILE.
    to_while: Vec<(usize, usize)>,
}

struct CfgBuilder {
    blocks: Vec<Block>,
    open: Vec<Open>,
    /// Successors that are the block behind the HALT target.
    halts: Vec<(usize, usize)>,
    /// The end of the thread: the number of blocks that there will be.
    exit: usize,
}

fn is_while(inst: &Inst) -> bool {
    inst.op == Op::Eu(Opcode::While)
}

/// The basic blocks of a program, in layout order.
pub(crate) fn build_blocks(lir: &Lir) -> Vec<Block> {
    // WHILE has a block of its own, to which CONT jumps.
    let exit = lir.insts.iter().filter(|i| i.is_control()).count()
        + lir.insts.iter().filter(|i| is_while(i)).count()
        + 1;
    let mut cfg = CfgBuilder {
        blocks: Vec::with_capacity(exit),
        open: Vec::new(),
        halts: Vec::new(),
        exit,
    };
    let mut first = 0;
    for at in 0..=lir.insts.len() {
        let inst = lir.insts.get(at);
        if inst.is_some_and(|i| !i.is_control()) {
            continue;
        }
        let mut here = cfg.push(first, at);
        if inst.is_some_and(is_while) {
            here = cfg.push(at, at);
        }
        first = at + 1;
        if let Some(inst) = inst {
            cfg.connect(here, inst);
        }
    }
    cfg.blocks
}

impl CfgBuilder {
    /// Adds a block whose only successor is the next block.
    fn push(&mut self, first: usize, end: usize) -> usize {
        let here = self.blocks.len();
        self.blocks.push(Block {
            first,
            end,
            next: [here + 1, self.exit],
        });
        here
    }

    /// Sets the successors of the last block, `here`, which ends with a control-flow instruction.
    fn connect(&mut self, here: usize, inst: &Inst) {
        let conditional = inst.pred.is_some();
        match inst.op {
            Op::Do => self.open.push(Open {
                head: here + 1,
                is_loop: true,
                to_end: Vec::new(),
                to_while: Vec::new(),
            }),
            // An ELSE changes the second successor.
            Op::Eu(Opcode::If) => self.open.push(Open {
                head: here,
                is_loop: false,
                to_end: vec![(here, 1)],
                to_while: Vec::new(),
            }),
            Op::Eu(Opcode::Else) => {
                if let Some(o) = self.open.last_mut() {
                    self.blocks[o.head].next[1] = here + 1;
                    o.to_end = vec![(here, 0)];
                }
            }
            Op::Eu(Opcode::Endif) => {
                if let Some(o) = self.open.pop() {
                    self.resolve(o.to_end, here + 1);
                }
            }
            Op::Eu(Opcode::While) => {
                if let Some(o) = self.open.pop() {
                    let end = if conditional { here + 1 } else { self.exit };
                    self.blocks[here].next = [o.head, end];
                    self.resolve(o.to_end, here + 1);
                    self.resolve(o.to_while, here);
                }
            }
            Op::Eu(Opcode::Break | Opcode::Cont) => {
                let edge = self.jump(here, conditional);
                if let Some(o) = self.open.iter_mut().rev().find(|o| o.is_loop) {
                    if inst.op == Op::Eu(Opcode::Break) {
                        o.to_end.push(edge);
                    } else {
                        o.to_while.push(edge);
                    }
                }
            }
            Op::Eu(Opcode::Halt) => {
                let edge = self.jump(here, conditional);
                self.halts.push(edge);
            }
            Op::HaltTarget => {
                let halts = std::mem::take(&mut self.halts);
                self.resolve(halts, here + 1);
            }
            _ => {}
        }
    }

    /// The edge of a jump at the end of a block, whose target is not known yet. An unconditional
    /// jump does not fall through.
    fn jump(&mut self, here: usize, conditional: bool) -> (usize, usize) {
        if !conditional {
            self.blocks[here].next[0] = self.exit;
        }
        (here, usize::from(conditional))
    }

    fn resolve(&mut self, edges: Vec<(usize, usize)>, target: usize) {
        for (block, k) in edges {
            self.blocks[block].next[k] = target;
        }
    }
}
