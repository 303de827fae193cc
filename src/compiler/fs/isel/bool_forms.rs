//! The forms in which each boolean is needed, and the size of its mask.
//!
//! In:  the booleans of a shader (defs of one bit) and their uses.
//! Out: [`Forms`] of each: whether a condition flag serves a use, whether a use reads a mask,
//!      whether a use reads the mask as a dword; and the size that the mask has in registers.
//!
//! A CMP writes a mask of 0 or ~0 at the size of its operands, so a comparison of words makes a
//! mask of words, packed two bytes a lane, and one of 64-bit operands makes a mask of 8 bytes a
//! lane, of which only the low dword is read. No instruction widens either of them:
//!
//! - The low word of every mask is a word mask, so a logic operation with an operand of words reads
//!   all its operands as words and makes words. With dwords and quadwords only, it makes dwords.
//! - `b2i`, `b2f`, ballots, votes and tests read a mask at its own size, sign-extended where the
//!   result is larger.
//! - The sources of a phi vote for its size, each with a weight that grows with the loop depth of
//!   its edge. The copies on the edges of the minority convert.
//! - Constants vote for nothing, and take the size of the operation.
//! - Only subgroup operations that exchange the values of lanes read dwords. A comparison converts
//!   its mask for them once, other masks are converted at the use.
//! - From SIMD16 on, quadwords with several readers are copied to dwords once.
//!
//! Flags: a condition of a branch, a select or a demote is selected again into a flag at that use
//! ([`super::cond`]), unless its mask is in registers anyway and a test of the mask is shorter.
//! Eight-bit operands are compared as words, so no mask has bytes.
//! With [`crate::Options::dword_booleans`] every mask has dwords, made by a MOV from what CMP
//! writes.
//! Ref: SKL PRM vol. 2a, "cmp". Tests: tests/fs/rows/.

use entity::{Id, IdMap};
use nir::{AluOp, Block, CfEvent, Def, Instr, IntrinsicOp, Phi, Shader};

/// The size of a mask in registers, for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskSize {
    Word,
    Dword,
    /// As CMP of 64-bit operands writes it. Only the low dword is read.
    Qword,
}

impl MaskSize {
    pub(super) fn bytes(self) -> u8 {
        match self {
            MaskSize::Word => 2,
            MaskSize::Dword => 4,
            MaskSize::Qword => 8,
        }
    }
}

/// The forms in which a boolean is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forms {
    /// A condition of a branch, a select or a demote, for which a flag serves.
    pub flag: bool,
    /// A use reads the mask, at whatever size it has.
    pub mask: bool,
    /// A use reads the mask as a dword.
    pub dword: bool,
    /// A phi reads the mask.
    pub phi: bool,
    /// Number of instructions that read the mask.
    pub reads: u32,
    /// The size of the mask; none for constants, and for defs that are not booleans.
    pub size: Option<MaskSize>,
}

/// Maximum number of times that sizes are propagated around the loops of a shader.
const MAX_ROUNDS: usize = 8;

/// Loop depth from which on edges have the same weight.
const MAX_DEPTH: u32 = 7;

/// True for the intrinsics that read a mask at its own size.
pub(super) fn reads_any_mask(op: IntrinsicOp) -> bool {
    use IntrinsicOp as I;
    matches!(
        op,
        I::Ballot | I::VoteAny | I::VoteAll | I::DemoteIf | I::TerminateIf
    )
}

/// The boolean that component `c` of `def` is a copy of.
fn copied_def(sh: &Shader, def: Id<Def>, c: u8) -> Id<Def> {
    let (mut def, mut c) = (def, usize::from(c));
    while let Some(alu) = sh.alu_of(def) {
        let s = match alu.op {
            AluOp::Mov => &alu.srcs[0],
            op if is_vector(op) => &alu.srcs[c],
            _ => break,
        };
        c = usize::from(s.swizzle[if alu.op == AluOp::Mov { c } else { 0 }]);
        def = s.def;
    }
    def
}

fn is_vector(op: AluOp) -> bool {
    use AluOp as A;
    matches!(
        op,
        A::Vec2 | A::Vec3 | A::Vec4 | A::Vec5 | A::Vec8 | A::Vec16
    )
}

/// True for the operations on conditions that can be evaluated in flags.
pub(super) fn combines_conditions(sh: &Shader, alu: &nir::Alu) -> bool {
    use AluOp as A;
    matches!(
        alu.op,
        A::INot | A::IAnd | A::IOr | A::IXor | A::IEq | A::INe
    ) && sh.defs[alu.srcs[0].def].bit_size == 1
}

/// A walk over a shader that finds the forms.
struct Finder<'a> {
    sh: &'a Shader,
    /// Lanes of a thread.
    width: u8,
    forms: IdMap<Def, Forms>,
}

impl Finder<'_> {
    fn is_boolean(&self, def: Id<Def>) -> bool {
        self.sh.defs[def].bit_size == 1
    }

    /// Adds the forms that an instruction other than a phi reads. The uses of its own result are
    /// known already. Uses of a copy are uses of what it copies.
    fn add_uses(&mut self, instr: &Instr) {
        let sh = self.sh;
        match instr {
            Instr::Alu(alu) => {
                let own = self.forms[alu.def];
                for (i, s) in alu.srcs.iter().enumerate() {
                    if !self.is_boolean(s.def) {
                        continue;
                    }
                    let forms = &mut self.forms[copied_def(sh, s.def, s.swizzle[0])];
                    if alu.op == AluOp::Bcsel && i == 0 {
                        forms.flag = true;
                    } else if combines_conditions(sh, alu) {
                        forms.flag |= own.flag && !own.mask;
                        forms.mask |= own.mask;
                        forms.reads += u32::from(own.mask);
                    } else if alu.op != AluOp::Mov && !is_vector(alu.op) {
                        forms.mask = true;
                        forms.reads += 1;
                    }
                }
            }
            Instr::Intrinsic(i) => {
                use IntrinsicOp as I;
                for &s in &i.srcs {
                    for c in 0..sh.defs[s].num_components {
                        if !self.is_boolean(s) {
                            continue;
                        }
                        let forms = &mut self.forms[copied_def(sh, s, c)];
                        match i.op {
                            I::DemoteIf | I::TerminateIf => forms.flag = true,
                            op => {
                                forms.mask = true;
                                forms.reads += 1;
                                forms.dword |= !reads_any_mask(op);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// The size of an operand's mask.
    fn size_of(&self, def: Id<Def>, c: u8) -> Option<MaskSize> {
        self.forms[copied_def(self.sh, def, c)].size
    }

    /// The size of the mask that an instruction makes; none if nothing about it is known yet.
    fn natural_size(&self, instr: &Instr, depth_of: &IdMap<Block, u32>) -> Option<MaskSize> {
        let sh = self.sh;
        match instr {
            Instr::Alu(alu) if alu.op == AluOp::Bcsel || combines_conditions(sh, alu) => {
                let first = usize::from(alu.op == AluOp::Bcsel);
                let sizes = alu.srcs[first..].iter();
                let mut sizes = sizes.filter_map(|s| self.size_of(s.def, s.swizzle[0]));
                let size = sizes.clone().find(|s| *s == MaskSize::Word);
                size.or(sizes.next().map(|_| MaskSize::Dword))
            }
            Instr::Alu(alu) => match sh.defs[alu.srcs.first()?.def].bit_size {
                _ if alu.op == AluOp::Mov || is_vector(alu.op) => {
                    self.size_of(alu.srcs[0].def, alu.srcs[0].swizzle[0])
                }
                16 => Some(MaskSize::Word),
                64 if self.keeps_quadwords(&self.forms[alu.def]) => Some(MaskSize::Qword),
                _ => Some(MaskSize::Dword),
            },
            Instr::Phi(phi) => self.elect(phi, depth_of),
            Instr::Const { .. } | Instr::Undef { .. } => None,
            _ => Some(MaskSize::Dword),
        }
    }

    /// True if a mask of quadwords is not copied to dwords once. An instruction reads eight lanes
    /// of quadwords, so from SIMD16 on two readers make up for the copy. A phi does not have
    /// quadwords, and the copy to it can as well be made at the comparison.
    fn keeps_quadwords(&self, forms: &Forms) -> bool {
        !forms.phi && (self.width == 8 || forms.reads < 2)
    }

    /// The size that most sources of a phi have, weighted by the loop depth of their edges. Words
    /// win a tie: they take half the registers.
    fn elect(&self, phi: &Phi, depth_of: &IdMap<Block, u32>) -> Option<MaskSize> {
        let (mut words, mut dwords) = (0u64, 0u64);
        for &(from, s) in &phi.srcs {
            let weight = 1 << (3 * depth_of[from].min(MAX_DEPTH));
            match self.size_of(s, 0) {
                Some(MaskSize::Word) => words += weight,
                Some(_) => dwords += weight,
                None => {}
            }
        }
        match (words, dwords) {
            (0, 0) => None,
            _ if words >= dwords => Some(MaskSize::Word),
            _ => Some(MaskSize::Dword),
        }
    }
}

/// The forms of all booleans of a shader at this SIMD width. With `dword_booleans` all masks have
/// dwords.
pub(super) fn find_forms(
    sh: &Shader,
    layout: &[CfEvent],
    width: u8,
    dword_booleans: bool,
) -> IdMap<Def, Forms> {
    let mut finder = Finder {
        sh,
        width,
        forms: IdMap::default(),
    };
    // Phis first: they are in registers, and those of loops come before their operands.
    for event in layout {
        let CfEvent::Block(b) = *event else { continue };
        for &i in &sh.blocks[b].instrs {
            let Instr::Phi(phi) = &sh.instrs[i] else {
                break;
            };
            for &(_, s) in &phi.srcs {
                if finder.is_boolean(s) {
                    let forms = &mut finder.forms[copied_def(sh, s, 0)];
                    (forms.mask, forms.phi) = (true, true);
                }
            }
        }
    }
    // In reverse order all other uses come before their operands.
    for event in layout.iter().rev() {
        match *event {
            CfEvent::If(i) => finder.forms[copied_def(sh, sh.ifs[i].cond, 0)].flag = true,
            CfEvent::Block(b) => {
                for &i in sh.blocks[b].instrs.iter().rev() {
                    finder.add_uses(&sh.instrs[i]);
                }
            }
            _ => {}
        }
    }
    let mut booleans: Vec<(Id<Def>, &Instr)> = Vec::new();
    let mut depth_of: IdMap<Block, u32> = IdMap::default();
    let mut depth = 0;
    for event in layout {
        match *event {
            CfEvent::Loop(_) => depth += 1,
            CfEvent::EndLoop(_) => depth -= 1,
            CfEvent::Block(b) => {
                depth_of[b] = depth;
                let instrs = sh.blocks[b].instrs.iter().map(|&i| &sh.instrs[i]);
                let defs = instrs.filter_map(|instr| Some((instr.def()?, instr)));
                booleans.extend(defs.filter(|(def, _)| finder.is_boolean(*def)));
            }
            _ => {}
        }
    }
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for &(def, instr) in &booleans {
            let mut size = finder.natural_size(instr, &depth_of);
            // One conversion at the definition of a comparison or a phi serves all uses.
            let converts = match instr {
                Instr::Alu(alu) => !combines_conditions(sh, alu) && alu.op != AluOp::Bcsel,
                _ => true,
            };
            if dword_booleans && size.is_some() || converts && finder.forms[def].dword {
                size = Some(MaskSize::Dword);
            }
            changed |= size != finder.forms[def].size;
            finder.forms[def].size = size;
        }
        if !changed {
            break;
        }
    }
    finder.forms
}
