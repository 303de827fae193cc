//! Generates functions with random structured control flow, as assembly.

use std::fmt::Write;

/// A random number generator with reproducible output.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

#[derive(Clone, Default)]
struct Targets {
    loop_merge: Option<u32>,
    loop_continue: Option<u32>,
    /// Merge block of the innermost switch, if no loop is nested in it.
    switch_merge: Option<u32>,
    fall_through: Option<u32>,
}

/// Writes a function of nested constructs.
struct Writer {
    text: String,
    next: u32,
    random: Random,
}

impl Writer {
    fn label(&mut self) -> u32 {
        self.next += 1;
        self.next
    }
    fn line(&mut self, s: &str) {
        self.text.push_str(s);
        self.text.push('\n');
    }
    fn open(&mut self, label: u32) {
        writeln!(self.text, "%l{label} = OpLabel").unwrap();
    }
    fn goto(&mut self, label: u32) {
        writeln!(self.text, "OpBranch %l{label}").unwrap();
    }

    /// A random target that leaves the current construct.
    fn exit(&mut self, t: &Targets) -> Option<u32> {
        let all = [
            t.loop_merge,
            t.loop_continue,
            t.switch_merge,
            t.fall_through,
        ];
        let all: Vec<u32> = all.into_iter().flatten().collect();
        match all.len() {
            0 => None,
            n => Some(all[self.random.below(n as u64) as usize]),
        }
    }

    /// Writes statements into the current block; false if it was terminated.
    fn sequence(&mut self, t: &Targets, depth: u32) -> bool {
        for _ in 0..1 + self.random.below(3) {
            let kind = if depth == 0 {
                4 + self.random.below(4)
            } else {
                self.random.below(8)
            };
            match kind {
                0 | 1 => self.selection(t, depth),
                2 => self.loop_(t, depth),
                3 => self.switch(t, depth),
                4 => {
                    let l = self.label();
                    self.goto(l);
                    self.open(l);
                }
                5 => {
                    // One target leaves the construct, the other continues: needs no merge
                    // instruction.
                    if let Some(out) = self.exit(t) {
                        let on = self.label();
                        if self.random.below(2) == 0 {
                            let line = format!("OpSelectionMerge %l{on} None");
                            self.line(&line);
                        }
                        let (a, b) = if self.random.below(2) == 0 {
                            (out, on)
                        } else {
                            (on, out)
                        };
                        let line = format!("OpBranchConditional %c %l{a} %l{b}");
                        self.line(&line);
                        self.open(on);
                    }
                }
                6 => {
                    let (yes, on) = (self.label(), self.label());
                    let line = format!(
                        "OpSelectionMerge %l{on} None\nOpBranchConditional %c %l{yes} %l{on}"
                    );
                    self.line(&line);
                    self.open(yes);
                    self.leave(t);
                    self.open(on);
                }
                _ if self.random.below(4) == 0 => {
                    self.leave(t);
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    fn leave(&mut self, t: &Targets) {
        match (self.random.below(8), self.exit(t)) {
            (0, _) => self.line("OpUnreachable"),
            (1..=5, Some(out)) => self.goto(out),
            _ => self.line("OpReturn"),
        }
    }

    fn selection(&mut self, t: &Targets, depth: u32) {
        let (a, b, m) = (self.label(), self.label(), self.label());
        let other = if self.random.below(3) == 0 { m } else { b };
        let line = format!("OpSelectionMerge %l{m} None\nOpBranchConditional %c %l{a} %l{other}");
        self.line(&line);
        self.open(a);
        if self.sequence(t, depth - 1) {
            self.goto(m);
        }
        if other == b {
            self.open(b);
            if self.sequence(t, depth - 1) {
                self.goto(m);
            }
        }
        self.open(m);
    }

    fn loop_(&mut self, _t: &Targets, depth: u32) {
        let (h, b, c, m) = (self.label(), self.label(), self.label(), self.label());
        self.goto(h);
        self.open(h);
        let shape = self.random.below(6);
        // The header may be its own continue target.
        if shape == 0 {
            let line = format!("OpLoopMerge %l{m} %l{h} None\nOpBranchConditional %c %l{h} %l{m}");
            self.line(&line);
            self.open(m);
            return;
        }
        let line = format!("OpLoopMerge %l{m} %l{c} None");
        self.line(&line);
        let head = match shape {
            1 | 2 => format!("OpBranchConditional %c %l{b} %l{m}"),
            3 => format!("OpBranchConditional %c %l{b} %l{c}"),
            _ => format!("OpBranch %l{b}"),
        };
        self.line(&head);
        let inner = Targets {
            loop_merge: Some(m),
            loop_continue: Some(c),
            switch_merge: None,
            fall_through: None,
        };
        self.open(b);
        if self.sequence(&inner, depth - 1) {
            self.goto(c);
        }
        self.open(c);
        if self.random.below(3) == 0 {
            let n = self.label();
            self.goto(n);
            self.open(n);
        }
        let tail = match self.random.below(3) {
            0 => format!("OpBranchConditional %c %l{h} %l{m}"),
            1 => format!("OpBranchConditional %c %l{m} %l{h}"),
            _ => format!("OpBranch %l{h}"),
        };
        self.line(&tail);
        self.open(m);
    }

    fn switch(&mut self, t: &Targets, depth: u32) {
        let m = self.label();
        let n = 1 + self.random.below(4);
        let cases: Vec<u32> = (0..n).map(|_| self.label()).collect();
        let default = match self.random.below(3) {
            0 => m,
            _ => cases[self.random.below(n) as usize],
        };
        let mut line = format!("OpSelectionMerge %l{m} None\nOpSwitch %s %l{default}");
        for (i, c) in cases.iter().enumerate() {
            write!(line, " {i} %l{c}").unwrap();
        }
        self.line(&line);
        for (i, &c) in cases.iter().enumerate() {
            let inner = Targets {
                switch_merge: Some(m),
                fall_through: cases.get(i + 1).copied(),
                ..t.clone()
            };
            self.open(c);
            if self.sequence(&inner, depth - 1) {
                match inner.fall_through {
                    Some(f) if self.random.below(2) == 0 => self.goto(f),
                    _ => self.goto(m),
                }
            }
        }
        self.open(m);
    }
}

pub(crate) const HEADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%fn = OpTypeFunction %void
%fp = OpTypePointer Function %int
%zero = OpConstant %int 0
%main = OpFunction %void None %fn
%entry = OpLabel
%var = OpVariable %fp Function
%s = OpLoad %int %var
%c = OpINotEqual %bool %s %zero
";

/// A module whose function `main` has random nested control flow. `%c` is a boolean and `%s` an
/// integer for branches.
pub(crate) fn random_function(seed: u64) -> String {
    let mut w = Writer {
        text: HEADER.to_owned(),
        next: 0,
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
    };
    let depth = 1 + (seed % 4) as u32;
    if w.sequence(&Targets::default(), depth) {
        w.line("OpReturn");
    }
    w.line("OpFunctionEnd");
    w.text
}
