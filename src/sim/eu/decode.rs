//! Decodes a kernel to micro-ops, with branch targets as indices.
//!
//! In:  a function that fetches instruction bytes, and the offset of the first instruction. Out: a
//!      [`Kernel`], shared by threads. Only instructions that control flow reaches are decoded: the
//!      bytes after the end of the thread may be anything. An instruction that cannot be decoded
//!      becomes a trap, which stops the threads that reach it.
//! Ref: SKL PRM vol. 7, "EU Instruction Format".

use crate::access::FastOperands;
use crate::byte_ranges::OperandBytes;
use crate::errata::{self, KernelErrata};
use crate::fast;
use crate::interpreter;
use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::region::{DstOp, OperandKind, SrcOp};
use crate::register_clearing::ClearRanges;
use crate::regs;
use crate::send_operands::ResolvedSend;
use crate::straight_line;
use crate::successors::Successors;
use crate::uop::{Flow, Uop, UopKind};
use hw::Gen;
use isa::{CondMod, Inst, MathFn, Opcode, RegFile, Type};
use std::collections::BTreeMap;

/// Most instructions of a kernel: 16 MiB of code.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Fetches the 16 bytes at a byte offset of the instruction heap (zero-padded where fewer are
/// left).
pub type FetchInstruction<'a> = dyn Fn(u64) -> Result<[u8; 16], StopReason> + 'a;

impl Kernel {
    /// Builds a kernel of the instructions reachable from `start`. `step` returns the instruction
    /// at a byte offset and its length.
    ///
    /// # Errors
    /// The error of `step` for the first instruction, or too many instructions. Errors for
    /// others become traps.
    pub fn build(
        start: u64,
        step: &mut dyn FnMut(u64) -> Result<(Inst, u32), StopReason>,
    ) -> Result<Kernel, StopReason> {
        let found = find_reachable(start, step)?;
        Ok(Kernel::link(start, &found))
    }

    /// Decodes the instructions reachable from byte offset `start` of the instruction heap. `fetch`
    /// returns the 16 bytes at an offset, padded with zeros at the end of the heap.
    ///
    /// # Errors
    /// The first instruction cannot be fetched or decoded, or there are too many. Errors
    /// for others become traps.
    pub fn decode(
        fetch: &FetchInstruction<'_>,
        start: u64,
        generation: Gen,
    ) -> Result<Kernel, StopReason> {
        Kernel::build(start, &mut |at| {
            let bytes = fetch(at)?;
            match isa::decode(&bytes, generation) {
                Ok((inst, len)) => Ok((inst, len as u32)),
                Err(e) => Err(StopReason::Fault {
                    what: format!("illegal instruction: {e}"),
                    at,
                }),
            }
        })
    }

    /// Like [`Kernel::decode`], but an instruction that breaks a rule of the instruction set
    /// ([`isa::check_for_core`]), or that an erratum of the device forbids, becomes a trap.
    ///
    /// # Errors
    /// Those of `decode`, and a first instruction that breaks a rule.
    pub fn decode_legal(
        fetch: &FetchInstruction<'_>,
        start: u64,
        generation: Gen,
        errata: KernelErrata,
    ) -> Result<Kernel, StopReason> {
        let mut found = find_reachable(start, &mut |at| {
            let bytes = fetch(at)?;
            let (inst, len) = isa::decode(&bytes, generation).map_err(|e| StopReason::Fault {
                what: format!("illegal instruction: {e}"),
                at,
            })?;
            match isa::check_for_core(&inst, generation, errata.aligned_wide_regions)
                .into_iter()
                .next()
            {
                None => Ok((inst, len as u32)),
                Some(broken) => Err(StopReason::Undefined {
                    rule: broken.rule,
                    prm: broken.prm,
                    what: format!("{:?}: {}", inst.op, broken.text),
                    at,
                }),
            }
        })?;
        for (at, error) in errata::errors(start, &found, errata) {
            found.insert(at, Err(error));
        }
        Ok(Kernel::link(start, &found))
    }

    /// Builds a kernel of decoded instructions, 16 bytes apart, the first at offset 0.
    ///
    /// # Errors
    /// `insts` is empty.
    pub fn from_insts(insts: &[Inst]) -> Result<Kernel, StopReason> {
        Kernel::build(0, &mut |at| match insts.get((at / 16) as usize) {
            Some(i) if at % 16 == 0 => Ok((*i, 16)),
            _ => Err(StopReason::Fault {
                what: "ran past the end of the kernel".into(),
                at,
            }),
        })
    }

    /// Resolves instructions to micro-ops and their targets to indices.
    fn link(start: u64, found: &BTreeMap<u64, Result<(Inst, u32), StopReason>>) -> Kernel {
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
                    let s = Successors::from_inst(inst, at, u64::from(*len));
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
            if matches!(u.kind, UopKind::Flow(_)) {
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
                u.is_join_point = true;
            }
        }
        let straight_line =
            index.keys().next() == Some(&start) && straight_line::is_straight_line(&uops);
        let clear_ranges = match straight_line {
            true => ClearRanges::of_straight_line(&uops),
            false => ClearRanges::everything(),
        };
        let first = at_index(Some(start));
        Kernel {
            uops,
            index,
            start,
            first,
            straight_line,
            clear_ranges,
        }
    }

    /// The same kernel, executed by the interpreter alone.
    #[cfg(test)]
    pub(crate) fn interpreter_only(mut self) -> Kernel {
        for u in &mut self.uops {
            if matches!(u.kind, UopKind::Alu(_)) {
                u.kind = UopKind::Alu(interpreter::execute);
            }
        }
        self
    }
}

/// Instructions by byte offset, with their lengths in bytes, or why there is none.
type InstructionsByOffset = BTreeMap<u64, Result<(Inst, u32), StopReason>>;

/// The instructions that control flow reaches from `start`, by byte offset. `step` returns the
/// instruction at an offset and its length.
fn find_reachable(
    start: u64,
    step: &mut dyn FnMut(u64) -> Result<(Inst, u32), StopReason>,
) -> Result<InstructionsByOffset, StopReason> {
    let mut found = InstructionsByOffset::new();
    let mut work = vec![start];
    while let Some(at) = work.pop() {
        if found.contains_key(&at) {
            continue;
        }
        if found.len() >= MAX_INSTRUCTIONS {
            return Err(StopReason::Fault {
                what: format!("kernel of more than {MAX_INSTRUCTIONS} instructions"),
                at: start,
            });
        }
        let got = step(at);
        if let Ok((inst, len)) = &got {
            let s = Successors::from_inst(inst, at, u64::from(*len));
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
    Ok(found)
}

/// Number of sources of an ALU operation.
pub(crate) fn num_srcs(op: Opcode, math: Option<MathFn>) -> u8 {
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
        kind: OperandKind::Null,
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
        file: RegFile::Arf,
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
            file: RegFile::Arf,
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

fn trap(stop: StopReason, at: u64) -> Uop {
    let mut u = skeleton(&blank_inst(), at);
    u.kind = UopKind::Trap(Box::new(stop));
    u
}

fn skeleton(inst: &Inst, at: u64) -> Uop {
    let exec_size = inst.exec_size.clamp(1, 32);
    Uop {
        kind: UopKind::Nop,
        op: inst.op,
        math: inst.math,
        exec_size,
        chan_off: inst.chan_off & 31,
        num_srcs: 0,
        flag: inst.flag,
        no_mask: inst.no_mask,
        saturate: inst.saturate,
        acc_wr: inst.acc_wr,
        plain_dwords: false,
        is_join_point: false,
        cmod: inst.cmod,
        full_mask: crate::flags::lane_mask(exec_size),
        pred: inst.pred,
        next: u32::MAX,
        jip: u32::MAX,
        uip: u32::MAX,
        ip: at,
        dst: null_dst(),
        src: [SrcOp::unused(), SrcOp::unused(), SrcOp::unused()],
        fast: FastOperands::default(),
        operand_bytes: None,
        resolved_send: None,
        inst: Box::new(*inst),
    }
}

/// Resolves one instruction; an illegal one becomes a trap.
fn resolve(inst: &Inst, at: u64) -> Uop {
    let mut u = skeleton(inst, at);
    match inst.op {
        Opcode::Nop | Opcode::Sync => return u,
        Opcode::Wait => {
            u.kind = UopKind::Wait;
            return u;
        }
        Opcode::Illegal => {
            return trap(
                StopReason::Fault {
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
            StopReason::Undefined {
                rule: crate::rules::GRF_RANGE.name,
                prm: crate::rules::GRF_RANGE.prm,
                what,
                at,
            },
            at,
        )
    };
    if let Some(f) = Flow::from_opcode(inst.op) {
        // The register operands of computed branches are scalars.
        u.kind = UopKind::Flow(f);
        if inst.src[0].file != RegFile::Imm
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
            u.num_srcs = 1;
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
        u.kind = UopKind::Send;
        u.resolved_send = ResolvedSend::resolve_static(inst);
        return u;
    }
    u.num_srcs = num_srcs(inst.op, inst.math);
    let three = is_three_source(inst.op);
    match DstOp::new(inst) {
        Ok(d) => u.dst = d,
        Err(e) => return region_trap(e),
    }
    for k in 0..usize::from(u.num_srcs) {
        match SrcOp::new(inst, k, three) {
            Ok(s) => u.src[k] = s,
            Err(e) => return region_trap(e),
        }
    }
    let special_src = u.src.iter().any(|s| {
        s.within(regs::CE, regs::END)
            && !matches!(s.kind, OperandKind::Imm)
            && usize::from(s.base) >= regs::CE
    });
    let special_dst = matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table)
        && usize::from(u.dst.base) >= regs::CE;
    u.kind = if special_src || special_dst {
        UopKind::Special
    } else {
        match fast::select(&mut u) {
            Some(f) => UopKind::Alu(f),
            None => UopKind::Alu(interpreter::execute),
        }
    };
    if matches!(u.kind, UopKind::Alu(_)) {
        let sources = &u.src[..usize::from(u.num_srcs).min(3)];
        u.operand_bytes = OperandBytes::new(u.exec_size, sources, &u.dst);
    }
    u
}

#[cfg(test)]
mod tests;
