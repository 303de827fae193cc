//! Patterns over ALU operations: their text, and sizes of what they compute.
//!
//! A pattern is `(op operand …)`; an operand is a pattern, a variable (`a`, `b`, …; `#a` only matches a constant,
//! `a1` only a boolean; `-#a` is a constant that is the negative of the float `#a`), or a constant: an integer, a float with a point, `true`, `false`. `(op! …)` is only matched where nothing
//! else reads the result.
//! The same variable must match the same value each time.

use nir::*;
use smallvec::SmallVec;

/// What a rule loses: it does not fire where an operation it matches forbids that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inexact(pub u8);

impl Inexact {
    /// Nothing.
    pub const NONE: Inexact = Inexact(0);
    /// The last bits: rounding differs.
    pub const ROUND: Inexact = Inexact(1);
    /// What happens to NaN.
    pub const NAN: Inexact = Inexact(2);
    /// What happens to infinities.
    pub const INF: Inexact = Inexact(4);
    /// The sign of zero.
    pub const SIGN: Inexact = Inexact(8);
    /// Subnormals stay, which the operation flushes where the shader asks for that.
    pub const DENORM: Inexact = Inexact(16);

    /// Both.
    pub const fn or(self, other: Inexact) -> Inexact {
        Inexact(self.0 | other.0)
    }
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name, for people.
    pub name: &'static str,
    /// What is looked for.
    pub find: &'static str,
    /// What replaces it.
    pub put: &'static str,
    /// Sizes of the operation at the root of `find` (of its operands, where they differ) at which it holds.
    pub bits: &'static [u8],
    /// What is lost.
    pub inexact: Inexact,
}

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Op {
        op: AluOp,
        srcs: Vec<usize>,
        once: bool,
    },
    Var {
        number: usize,
        constant: bool,
        boolean: bool,
    },
    /// The negative of a constant variable.
    Negative(usize),
    Int(i64),
    Float(f64),
}

/// A parsed pattern; the last node is its root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) nodes: Vec<Node>,
}

impl Pattern {
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Reads a pattern. Rules are our own constants: an error is a bug, told by its message.
    pub(crate) fn parse(text: &str) -> Result<Pattern, String> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut p = Pattern::default();
        let mut open: Vec<(AluOp, bool, Vec<usize>)> = Vec::new();
        let mut words = spaced.split_whitespace();
        while let Some(w) = words.next() {
            match w {
                "(" => {
                    let name = words.next().ok_or("an operation is missing")?;
                    let bare = name.strip_suffix('!').unwrap_or(name);
                    let op = AluOp::from_name(bare).ok_or(format!("no operation '{bare}'"))?;
                    open.push((op, bare.len() != name.len(), Vec::new()));
                    continue;
                }
                ")" => {
                    let (op, once, srcs) = open.pop().ok_or("')' closes nothing")?;
                    if srcs.len() != op.info().srcs.len() {
                        return Err(format!("wrong number of operands of {op:?}"));
                    }
                    p.nodes.push(Node::Op { op, srcs, once });
                }
                _ => p.nodes.push(Self::leaf(w)?),
            }
            let at = p.nodes.len() - 1;
            match open.last_mut() {
                Some((_, _, srcs)) => srcs.push(at),
                None if words.next().is_some() => return Err("text behind the pattern".into()),
                None => {}
            }
        }
        if open.is_empty() && !p.nodes.is_empty() {
            Ok(p)
        } else {
            Err("the pattern does not end".into())
        }
    }

    fn leaf(w: &str) -> Result<Node, String> {
        if let Some(of) = w.strip_prefix('-').filter(|of| of.starts_with('#')) {
            return match Self::leaf(of)? {
                Node::Var { number, .. } => Ok(Node::Negative(number)),
                _ => Err(format!("{w}: no variable")),
            };
        }
        let bare = w.strip_prefix('#').unwrap_or(w);
        let mut chars = bare.chars();
        match (chars.next(), chars.as_str()) {
            (Some(c @ 'a'..='h'), rest @ ("" | "1")) => Ok(Node::Var {
                number: c as usize - 'a' as usize,
                constant: bare.len() != w.len(),
                boolean: rest == "1",
            }),
            _ if w == "true" => Ok(Node::Int(1)),
            _ if w == "false" => Ok(Node::Int(0)),
            _ if w.contains('.') => w.parse().map(Node::Float).map_err(|e| format!("{w}: {e}")),
            _ => w.parse().map(Node::Int).map_err(|e| format!("{w}: {e}")),
        }
    }

    /// Cost of computing it, by the table. Constants and variables cost nothing.
    #[cfg(test)]
    pub(crate) fn cost(&self) -> u32 {
        self.nodes
            .iter()
            .map(|n| match n {
                Node::Op { op, .. } => u32::from(op.info().cost),
                _ => 0,
            })
            .sum()
    }
}

/// Variables that a pattern may have.
pub(crate) const VARIABLES: usize = 8;
/// The number of none.
pub(crate) const NO_VARIABLE: u8 = VARIABLES as u8;
/// Bits of the negative of a float.
pub(crate) fn negative(bits: u8, x: u64) -> u64 {
    x ^ 1 << (bits - 1)
}
/// Bit pattern of a constant of a pattern.
pub(crate) fn constant_bits(node: &Node, bits: u8) -> Option<u64> {
    match *node {
        Node::Int(v) => Some(v as u64 & fold::mask(bits)),
        Node::Float(x) => {
            matches!(bits, 16 | 32 | 64).then(|| fold::round_float(bits, x.into(), false))
        }
        _ => None,
    }
}

/// Bits of every node of a pattern whose root has `root` bits, given those of variables.
/// `None` where they do not follow.
pub(crate) fn node_bits(
    p: &Pattern,
    root: u8,
    var: impl Fn(usize) -> Option<u8>,
) -> Option<SmallVec<[u8; 8]>> {
    let mut bits: SmallVec<[u8; 8]> = SmallVec::from_elem(0, p.nodes.len());
    bits[p.root()] = root;
    for at in (0..p.nodes.len()).rev() {
        match &p.nodes[at] {
            Node::Var { number, .. } | Node::Negative(number) => {
                let v = var(*number)?;
                if bits[at] != 0 && bits[at] != v {
                    return None;
                }
                bits[at] = v;
            }
            Node::Op { op, srcs, .. } => {
                let info = op.info();
                // The size that its operands share: the result's, or a variable's among them.
                let mut same = match info.out.size {
                    Size::Same => bits[at],
                    _ => 0,
                };
                if let Size::Fixed(n) = info.out.size {
                    if bits[at] != 0 && bits[at] != n {
                        return None;
                    }
                    bits[at] = n;
                }
                if same == 0 {
                    same = size_below(p, at, &var).unwrap_or(0);
                }
                for (k, n) in srcs.iter().enumerate() {
                    bits[*n] = match info.srcs[k].ty.size {
                        Size::Same => same,
                        Size::Fixed(n) => n,
                        Size::Free => size_of(p, *n, &var).unwrap_or(0),
                    };
                }
                if info.out.size == Size::Free && bits[at] == 0 {
                    return None;
                }
            }
            Node::Int(_) | Node::Float(_) => {}
        }
    }
    bits.iter().all(|b| *b != 0).then_some(bits)
}

/// Size that an operation's `Same` operands have, from the variables below it.
fn size_below(p: &Pattern, at: usize, var: &impl Fn(usize) -> Option<u8>) -> Option<u8> {
    let Node::Op { op, srcs, .. } = &p.nodes[at] else {
        return None;
    };
    let mut work: SmallVec<[usize; 8]> = SmallVec::new();
    for (k, n) in srcs.iter().enumerate() {
        if op.info().srcs[k].ty.size == Size::Same {
            work.push(*n);
        }
    }
    while let Some(n) = work.pop() {
        match &p.nodes[n] {
            Node::Var { number, .. } | Node::Negative(number) => return var(*number),
            Node::Op { op, srcs, .. } => match op.info().out.size {
                Size::Fixed(b) => return Some(b),
                Size::Same => {
                    for (k, n) in srcs.iter().enumerate() {
                        if op.info().srcs[k].ty.size == Size::Same {
                            work.push(*n);
                        }
                    }
                }
                Size::Free => {}
            },
            _ => {}
        }
    }
    None
}

/// Size of a node from what is below it alone.
fn size_of(p: &Pattern, at: usize, var: &impl Fn(usize) -> Option<u8>) -> Option<u8> {
    match &p.nodes[at] {
        Node::Var { number, .. } | Node::Negative(number) => var(*number),
        Node::Op { op, .. } => match op.info().out.size {
            Size::Fixed(b) => Some(b),
            Size::Same => size_below(p, at, var),
            Size::Free => None,
        },
        _ => None,
    }
}
