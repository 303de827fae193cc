//! A kernel decoded once: instructions resolved to what the interpreter needs, targets as indices.
//!
//! In:  a way to fetch instruction bytes, and the offset of the first one. Out: [`Kernel`], shared by threads.
//! Only what control flow reaches is decoded, so bytes after the end of the thread may be anything; what cannot
//! be decoded becomes a trap that stops the thread that reaches it.
//! Ref: SKL PRM vol. 7, "EU Instruction Format".

use crate::access::Operands;
use crate::fast;
use crate::general;
use crate::kernel::Kernel;
use crate::leftovers::Leftovers;
use crate::letter::Letter;
use crate::message::Stop;
use crate::region::{DstOp, Kind, SrcOp};
use crate::regs;
use crate::straight;
use crate::touched::Touched;
use crate::uop::{Flow, Run, Uop};
use hw::Gen;
use isa::{CondMod, File, Inst, MathFn, Opcode, Type};
use std::collections::BTreeMap;

/// Instructions a kernel may hold: 16 MiB of code.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Fetches the 16 bytes at a byte offset of the instruction heap (zero-padded where fewer are left).
pub type Fetch<'a> = dyn Fn(u64) -> Result<[u8; 16], Stop> + 'a;

impl Kernel {
    /// Decodes what is reachable from `start`. `step` gives the instruction at a byte offset, and its length.
    ///
    /// # Errors
    /// Only where there is no first instruction; later ones stop the thread that reaches them.
    pub fn build(
        start: u64,
        step: &mut dyn FnMut(u64) -> Result<(Inst, u32), Stop>,
    ) -> Result<Kernel, Stop> {
        let mut found: BTreeMap<u64, Result<(Inst, u32), Stop>> = BTreeMap::new();
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            if found.contains_key(&at) {
                continue;
            }
            if found.len() >= MAX_INSTRUCTIONS {
                return Err(Stop::Fault {
                    what: format!("kernel of more than {MAX_INSTRUCTIONS} instructions"),
                    at: start,
                });
            }
            let got = step(at);
            if let Ok((inst, len)) = &got {
                let s = Successors::of(inst, at, u64::from(*len));
                work.extend(s.uip);
                work.extend(s.jip);
                work.extend(s.next);
            } else if at == start
                && let Err(e) = got
            {
                return Err(e);
            }
            found.insert(at, got);
        }
        Ok(Kernel::link(start, &found))
    }

    /// Decodes what is reachable from byte offset `start` of the instruction heap. `fetch` gives the 16 bytes at
    /// an offset, padded with zeros at the end of the heap.
    ///
    /// # Errors
    /// Where the first instruction cannot be fetched or decoded; others stop the thread that reaches them.
    pub fn decode(fetch: &Fetch<'_>, start: u64, generation: Gen) -> Result<Kernel, Stop> {
        Kernel::build(start, &mut |at| {
            let bytes = fetch(at)?;
            match isa::decode(&bytes, generation) {
                Ok((inst, len)) => Ok((inst, len as u32)),
                Err(e) => Err(Stop::Fault {
                    what: format!("illegal instruction: {e}"),
                    at,
                }),
            }
        })
    }

    /// Like [`Kernel::decode`], but an instruction that breaks a rule of the instruction set ([`isa::check_for_core`]) stops the
    /// thread that reaches it. A small core has more rules.
    ///
    /// # Errors
    /// As `decode`.
    pub fn decode_legal(
        fetch: &Fetch<'_>,
        start: u64,
        generation: Gen,
        small_core: bool,
    ) -> Result<Kernel, Stop> {
        Kernel::build(start, &mut |at| {
            let bytes = fetch(at)?;
            let (inst, len) = isa::decode(&bytes, generation).map_err(|e| Stop::Fault {
                what: format!("illegal instruction: {e}"),
                at,
            })?;
            match isa::check_for_core(&inst, generation, small_core)
                .into_iter()
                .next()
            {
                None => Ok((inst, len as u32)),
                Some(broken) => Err(Stop::Undefined {
                    rule: broken.rule,
                    prm: broken.prm,
                    what: format!("{:?}: {}", inst.op, broken.text),
                    at,
                }),
            }
        })
    }

    /// A kernel of instructions in memory, 16 bytes apart, the first at offset 0.
    ///
    /// # Errors
    /// Where `insts` is empty.
    pub fn from_insts(insts: &[Inst]) -> Result<Kernel, Stop> {
        Kernel::build(0, &mut |at| match insts.get((at / 16) as usize) {
            Some(i) if at % 16 == 0 => Ok((*i, 16)),
            _ => Err(Stop::Fault {
                what: "ran past the end of the kernel".into(),
                at,
            }),
        })
    }

    fn link(start: u64, found: &BTreeMap<u64, Result<(Inst, u32), Stop>>) -> Kernel {
        let index: BTreeMap<u64, u32> = found
            .keys()
            .enumerate()
            .map(|(i, &at)| (at, i as u32))
            .collect();
        let at_index = |o: Option<u64>| o.and_then(|o| index.get(&o)).copied().unwrap_or(u32::MAX);
        let mut uops = Vec::with_capacity(found.len());
        for (&at, got) in found {
            uops.push(match got {
                Ok((inst, len)) => {
                    let s = Successors::of(inst, at, u64::from(*len));
                    let mut u = resolve(inst, at);
                    u.next = at_index(Some(at + u64::from(*len)));
                    u.jip = at_index(s.jip);
                    u.uip = at_index(s.uip);
                    u
                }
                Err(e) => trap(e.clone(), at),
            });
        }
        let mut joins: Vec<u32> = Vec::new();
        for u in &uops {
            if matches!(u.run, Run::Flow(_)) {
                joins.extend([u.next, u.jip, u.uip]);
            }
        }
        // A channel that leaves a loop waits behind its WHILE.
        let whiles: Vec<u32> = uops
            .iter()
            .filter(|u| u.op == Opcode::While)
            .map(|u| u.next)
            .collect();
        for j in joins.into_iter().chain(whiles) {
            if let Some(u) = uops.get_mut(j as usize) {
                u.join = true;
            }
        }
        let straight = index.keys().next() == Some(&start) && straight::is_straight(&uops);
        let leftovers = match straight {
            true => Leftovers::of(&uops),
            false => Leftovers::any(),
        };
        let first = at_index(Some(start));
        Kernel {
            uops,
            index,
            start,
            first,
            straight,
            leftovers,
        }
    }

    /// The same kernel without fast paths.
    #[cfg(test)]
    pub(crate) fn general_only(mut self) -> Kernel {
        for u in &mut self.uops {
            if matches!(u.run, Run::Alu(_)) {
                u.run = Run::Alu(general::execute);
            }
        }
        self
    }
}

/// Where control can go after an instruction.
struct Successors {
    next: Option<u64>,
    jip: Option<u64>,
    uip: Option<u64>,
}

impl Successors {
    fn of(inst: &Inst, at: u64, len: u64) -> Successors {
        let rel = |d: i32| at.checked_add_signed(i64::from(d));
        let imm = |k: usize| inst.src[k].file == File::Imm;
        let mut s = Successors {
            next: Some(at + len),
            jip: None,
            uip: None,
        };
        match inst.op {
            Opcode::If
            | Opcode::Else
            | Opcode::Break
            | Opcode::Cont
            | Opcode::Halt
            | Opcode::Goto => {
                s.jip = rel(inst.jip);
                s.uip = rel(inst.uip);
            }
            Opcode::Brc if imm(0) => {
                s.jip = rel(inst.jip);
                s.uip = rel(inst.uip);
            }
            Opcode::Endif | Opcode::While | Opcode::Join => s.jip = rel(inst.jip),
            Opcode::Brd if imm(0) => s.jip = rel(inst.jip),
            Opcode::Jmpi if imm(0) => {
                s.jip = rel(inst.jip);
                if inst.pred.is_none() {
                    s.next = None;
                }
            }
            Opcode::Call if imm(0) => s.jip = rel(inst.jip),
            Opcode::Calla if imm(0) => s.jip = u64::try_from(inst.jip).ok(),
            Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc
                if inst.send.is_some_and(|m| m.eot) =>
            {
                s.next = None;
            }
            Opcode::Illegal => s.next = None,
            _ => {}
        }
        s
    }
}

/// Number of sources an ALU operation reads.
pub(crate) fn sources(op: Opcode, math: Option<MathFn>) -> u8 {
    match op {
        Opcode::Mov
        | Opcode::Movi
        | Opcode::Not
        | Opcode::Dim
        | Opcode::F32to16
        | Opcode::F16to32
        | Opcode::Bfrev
        | Opcode::Frc
        | Opcode::Rndu
        | Opcode::Rndd
        | Opcode::Rnde
        | Opcode::Rndz
        | Opcode::Lzd
        | Opcode::Fbh
        | Opcode::Fbl
        | Opcode::Cbit => 1,
        Opcode::Csel
        | Opcode::Bfe
        | Opcode::Bfi2
        | Opcode::Mad
        | Opcode::Lrp
        | Opcode::Madm
        | Opcode::Dp4a => 3,
        Opcode::Math => match math {
            Some(
                MathFn::Fdiv
                | MathFn::Pow
                | MathFn::Invm
                | MathFn::IntDivBoth
                | MathFn::IntDivQuotient
                | MathFn::IntDivRemainder,
            ) => 2,
            _ => 1,
        },
        _ => 2,
    }
}

fn is_three_source(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::Csel
            | Opcode::Bfe
            | Opcode::Bfi2
            | Opcode::Mad
            | Opcode::Lrp
            | Opcode::Madm
            | Opcode::Dp4a
    )
}

fn null_dst() -> DstOp {
    DstOp {
        kind: Kind::Null,
        ty: Type::Ud,
        size: 4,
        base: regs::NULL as u16,
        stride: 4,
        a0_sub: 0,
        disp: 0,
        lane_mask: u32::MAX,
    }
}

fn blank_inst() -> Inst {
    let addr = isa::Addr::Direct {
        nr: 0,
        sub_bytes: 0,
    };
    let src = isa::Src {
        file: File::Arf,
        ty: Type::Ud,
        addr,
        region: isa::Region::SCALAR,
        abs: false,
        negate: false,
        swizzle: 0xe4,
        rep_ctrl: false,
        imm: 0,
    };
    Inst {
        op: Opcode::Illegal,
        exec_size: 1,
        chan_off: 0,
        no_mask: true,
        align16: false,
        pred: None,
        cmod: CondMod::None,
        flag: 0,
        saturate: false,
        acc_wr: false,
        no_dd_clr: false,
        no_dd_chk: false,
        atomic: false,
        switch: false,
        breakpoint: false,
        compacted: false,
        branch_ctrl: false,
        math: None,
        dst: isa::Dst {
            file: File::Arf,
            ty: Type::Ud,
            addr,
            hstride: 1,
            writemask: 0xf,
        },
        src: [src; 3],
        jip: 0,
        uip: 0,
        send: None,
    }
}

fn trap(stop: Stop, at: u64) -> Uop {
    let mut u = skeleton(&blank_inst(), at);
    u.run = Run::Trap(Box::new(stop));
    u
}

fn skeleton(inst: &Inst, at: u64) -> Uop {
    let n = inst.exec_size.clamp(1, 32);
    Uop {
        run: Run::Nop,
        op: inst.op,
        math: inst.math,
        n,
        chan: inst.chan_off & 31,
        sources: 0,
        flag: inst.flag,
        no_mask: inst.no_mask,
        saturate: inst.saturate,
        acc_wr: inst.acc_wr,
        plain: false,
        join: false,
        cmod: inst.cmod,
        full: crate::flags::lanes(n),
        pred: inst.pred,
        next: u32::MAX,
        jip: u32::MAX,
        uip: u32::MAX,
        ip: at,
        dst: null_dst(),
        src: [SrcOp::none(), SrcOp::none(), SrcOp::none()],
        fast: Operands::default(),
        touched: None,
        letter: None,
        inst: Box::new(*inst),
    }
}

/// Resolves one instruction; what is illegal becomes a trap.
fn resolve(inst: &Inst, at: u64) -> Uop {
    let mut u = skeleton(inst, at);
    match inst.op {
        Opcode::Nop | Opcode::Sync => return u,
        Opcode::Wait => {
            u.run = Run::Wait;
            return u;
        }
        Opcode::Illegal => {
            return trap(
                Stop::Fault {
                    what: "illegal instruction".into(),
                    at,
                },
                at,
            );
        }
        _ => {}
    }
    let region_trap = |what: String| {
        trap(
            Stop::Undefined {
                rule: crate::rules::GRF_RANGE.name,
                prm: crate::rules::GRF_RANGE.prm,
                what,
                at,
            },
            at,
        )
    };
    if let Some(f) = Flow::of(inst.op) {
        // Register operands of JMPI, RET, CALL and friends: one scalar.
        u.run = Run::Flow(f);
        if inst.src[0].file != File::Imm
            && matches!(
                inst.op,
                Opcode::Jmpi
                    | Opcode::Ret
                    | Opcode::Call
                    | Opcode::Calla
                    | Opcode::Brd
                    | Opcode::Brc
            )
        {
            match SrcOp::new(inst, 0, false) {
                Ok(s) => u.src[0] = s,
                Err(e) => return region_trap(e),
            }
            u.sources = 1;
        }
        if matches!(inst.op, Opcode::Call | Opcode::Calla) {
            match DstOp::new(inst) {
                Ok(d) => u.dst = d,
                Err(e) => return region_trap(e),
            }
        }
        return u;
    }
    if matches!(
        inst.op,
        Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc
    ) {
        u.run = Run::Send;
        u.letter = Letter::known(inst);
        return u;
    }
    u.sources = sources(inst.op, inst.math);
    let three = is_three_source(inst.op);
    match DstOp::new(inst) {
        Ok(d) => u.dst = d,
        Err(e) => return region_trap(e),
    }
    for k in 0..usize::from(u.sources) {
        match SrcOp::new(inst, k, three) {
            Ok(s) => u.src[k] = s,
            Err(e) => return region_trap(e),
        }
    }
    let special_src = u.src.iter().any(|s| {
        s.within(regs::CE, regs::END)
            && !matches!(s.kind, Kind::Imm)
            && usize::from(s.base) >= regs::CE
    });
    let special_dst =
        matches!(u.dst.kind, Kind::Contig | Kind::Table) && usize::from(u.dst.base) >= regs::CE;
    u.run = if special_src || special_dst {
        Run::Special
    } else {
        match fast::select(&mut u) {
            Some(f) => Run::Alu(f),
            None => Run::Alu(general::execute),
        }
    };
    if matches!(u.run, Run::Alu(_)) {
        let sources = &u.src[..usize::from(u.sources).min(3)];
        u.touched = Touched::of(u.n, sources, &u.dst);
    }
    u
}
