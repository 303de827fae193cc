//! LIR with registers to EU instructions.
//!
//! In:  LIR, and the register of each VGRF.
//! Out: [`isa::Inst`]s with their jumps, and their bytes.
//! Ref: SKL PRM vol. 7, "EU Instructions": IF, ELSE, ENDIF, WHILE, BREAK, CONT, HALT; "SEND".

use crate::error::FsError;
use crate::lir::{Dst, GRF_BYTES, INDIRECT_DW, Inst, Lir, Op, Reg, Src, Vgrf};
use entity::IdMap;
use isa::{ArfReg, Desc, Opcode, Region, Type};

/// a0.0, in words: indirect operands.
const A0_INDEX: u8 = 0;
/// Dwords of a0 that hold extended descriptors, each kept as long as there is no better use for it; dword 0 is for indirect operands.
const EX_DESCS: std::ops::Range<usize> = 1..8;

/// Bytes of an instruction.
const INST_BYTES: i32 = 16;

/// What a dword of a0 holds: register and byte of the handle, and what was added.
type ExDesc = (u8, u8, u32);

/// What is known of a0.
#[derive(Clone, Copy, Default)]
struct Address {
    held: [Option<ExDesc>; 8],
    /// Counts the changes of each dword, and of the handle that it was made of.
    changes: [u32; 8],
    /// When each was used.
    used: [u32; 8],
    clock: u32,
    /// Dwords from here on hold what the program itself has put there.
    end: usize,
}

impl Address {
    fn forget(&mut self, dword: usize) {
        self.held[dword] = None;
        self.changes[dword] += 1;
    }

    fn forget_all(&mut self) {
        EX_DESCS.for_each(|dword| self.forget(dword));
    }

    /// Keeps what has not changed since.
    fn keep_since(&mut self, before: &[u32; 8]) {
        for dword in EX_DESCS {
            if self.changes[dword] != before[dword] {
                self.forget(dword);
            }
        }
    }

    /// The dword for a descriptor, and whether it holds it.
    fn take(&mut self, key: Option<ExDesc>) -> (usize, bool) {
        self.clock += 1;
        let free = EX_DESCS.start..self.end;
        let known = free.clone().find(|d| key.is_some() && self.held[*d] == key);
        let dword = known.or_else(|| free.min_by_key(|d| (self.held[*d].is_some(), self.used[*d])));
        // Where all are taken, that of indirect operands, each time anew.
        let dword = dword.unwrap_or(0);
        self.used[dword] = self.clock;
        if known.is_none() {
            self.forget(dword);
            self.held[dword] = key;
        }
        (dword, known.is_some())
    }
}

/// The place that a0 points at for indirect operands: what was added, and for which lanes.
#[derive(Clone)]
struct Place {
    offset: isa::Src,
    /// Registers of the offset.
    registers: std::ops::Range<u32>,
    lanes: u8,
    group: u8,
    no_mask: bool,
    /// The byte that the offset was added to.
    base: u32,
}

impl Place {
    /// True if an operand at another place can be reached from here.
    fn serves(&self, other: &Place) -> bool {
        let away = other.base as i32 - self.base as i32;
        let added = |p: &Place| (p.offset, p.lanes, p.group, p.no_mask);
        added(self) == added(other) && REACH.contains(&away)
    }
}

/// How far an indirect operand reaches from where a0 points, in bytes (SKL PRM vol. 7, "Address Immediate").
const REACH: std::ops::Range<i32> = -512..512;

/// An open construct of control flow. `pending` are instructions that jump to its next end.
struct Open {
    is_loop: bool,
    /// IF, or the loop's first instruction.
    start: usize,
    else_at: Option<usize>,
    pending: Vec<usize>,
    /// BREAK and CONT of a loop.
    leaves: Vec<usize>,
    /// Changes of a0 when it began.
    address: [u32; 8],
}

struct Encoder<'a> {
    reg: &'a IdMap<Vgrf, u8>,
    out: Vec<isa::Inst>,
    open: Vec<Open>,
    halts: Vec<usize>,
    address: Address,
    /// Where indirect operands are, if that is known.
    place: Option<Place>,
    handles: Vec<usize>,
}

/// The EU instructions of a program, and which of them have the handle of its constant data as their immediate.
pub(crate) fn encode(lir: &Lir, reg: &IdMap<Vgrf, u8>) -> (Vec<isa::Inst>, Vec<usize>) {
    let mut e = Encoder {
        reg,
        out: Vec::with_capacity(lir.insts.len() + 16),
        open: Vec::new(),
        halts: Vec::new(),
        address: Address {
            end: first_kept(lir),
            ..Address::default()
        },
        place: None,
        handles: Vec::new(),
    };
    for inst in &lir.insts {
        e.inst(inst);
    }
    (e.out, e.handles)
}

/// The first dword of a0 that a program keeps for itself (`isel/descriptors.rs`).
fn first_kept(lir: &Lir) -> usize {
    let writes = lir.insts.iter().map(|inst| inst.dst);
    let kept = writes.filter_map(|dst| match dst.reg {
        Reg::Arf(ArfReg::Address, _) => Some(dst.offset as usize / 4),
        _ => None,
    });
    kept.min().unwrap_or(EX_DESCS.end).max(EX_DESCS.start)
}

/// Byte of the immediate of an instruction: its last dword.
pub(crate) fn immediate_at(inst: usize) -> u32 {
    inst as u32 * INST_BYTES as u32 + 12
}

/// The bytes of EU instructions.
pub(crate) fn bytes(insts: &[isa::Inst], hw_gen: hw::Gen) -> Result<Vec<u8>, FsError> {
    let mut out = Vec::with_capacity(insts.len() * 16);
    for (at, inst) in insts.iter().enumerate() {
        let code = isa::encode(inst, hw_gen).map_err(|source| FsError::Encode { at, source })?;
        out.extend_from_slice(&code);
    }
    Ok(out)
}

/// Checks the instructions against the hardware's rules.
pub(crate) fn check(insts: &[isa::Inst], device: &hw::Device) -> Result<(), FsError> {
    let small_core = device.needs(hw::Wa::Align64BitRegions);
    for (at, inst) in insts.iter().enumerate() {
        if let Some(broken) = isa::check_part(inst, device.hw_gen, small_core).first() {
            return Err(FsError::Illegal {
                at,
                inst: isa::disassemble(inst),
                rule: format!("{}: {}", broken.rule, broken.text),
            });
        }
    }
    Ok(())
}

impl Encoder<'_> {
    fn inst(&mut self, inst: &Inst) {
        self.select(inst);
        self.forget(inst);
    }

    /// A handle that is written, or control that comes from elsewhere: a0 has to be made again. What a branch leaves alone stays;
    /// where loops and ended lanes come from is not looked at.
    fn forget(&mut self, inst: &Inst) {
        match inst.op {
            Op::Eu(Opcode::Else) => {
                if let Some(open) = self.open.last() {
                    self.address.keep_since(&open.address);
                }
            }
            Op::Do | Op::HaltTarget | Op::Eu(Opcode::While) => self.address.forget_all(),
            Op::MovIndirect => {
                let lanes = if inst.src[1].stride != 0 {
                    usize::from(inst.exec)
                } else {
                    1
                };
                let end = lanes.div_ceil(2).min(INDIRECT_DW);
                (EX_DESCS.start..end).for_each(|dword| self.address.forget(dword));
            }
            _ => {}
        }
        // Other lanes may be active behind it.
        if matches!(inst.op, Op::Do | Op::HaltTarget)
            || matches!(inst.op, Op::Eu(op) if op.is_branch())
        {
            self.place = None;
        }
        if let Reg::Vgrf(v) = inst.dst.reg {
            let first = u32::from(self.reg[v]) + inst.dst.offset / GRF_BYTES;
            let end =
                u32::from(self.reg[v]) + (inst.dst.offset + inst.dst_bytes()).div_ceil(GRF_BYTES);
            if self
                .place
                .as_ref()
                .is_some_and(|p| p.registers.start < end && first < p.registers.end)
            {
                self.place = None;
            }
            for dword in EX_DESCS {
                let held = self.address.held[dword];
                if held.is_some_and(|(nr, ..)| (first..end).contains(&u32::from(nr))) {
                    self.address.forget(dword);
                }
            }
        }
    }

    fn select(&mut self, inst: &Inst) {
        match inst.op {
            Op::Do => self.open.push(Open {
                is_loop: true,
                start: self.out.len(),
                else_at: None,
                pending: Vec::new(),
                leaves: Vec::new(),
                address: self.address.changes,
            }),
            Op::HaltTarget => self.halt_target(inst),
            Op::Eu(op) if op.is_branch() => self.branch(inst, op),
            Op::Eu(Opcode::Mach) => self.high_product(inst),
            Op::Eu(op) => {
                let mut i = self.base(inst, op);
                self.operands(inst, &mut i);
                if i.op.info().class == isa::Class::ThreeSource {
                    i.align16 = true;
                }
                self.out.push(i);
            }
            Op::Math(f) => {
                let mut i = self.base(inst, Opcode::Math);
                self.operands(inst, &mut i);
                i.math = Some(f);
                self.out.push(i);
            }
            Op::Send => self.send(inst),
            Op::MovIndirect => self.mov_indirect(inst),
            Op::ConstantDataHandle => {
                let mut i = self.base(inst, Opcode::Mov);
                i.dst = self.dst(&inst.dst);
                i.src[0] = isa::Src::imm_ud(0);
                self.handles.push(self.out.len());
                self.out.push(i);
            }
            Op::Collect(_) => debug_assert!(false, "payloads are lowered before"),
        }
    }

    /// The high half of a product of doublewords: with the low word of the second source into the accumulator, then with its high word
    /// (SKL PRM vol. 2a, "mach").
    fn high_product(&mut self, inst: &Inst) {
        let mut low = self.base(inst, Opcode::Mul);
        low.cmod = isa::CondMod::None;
        low.dst = isa::Dst::arf(ArfReg::Accumulator, 0, 0, inst.dst.ty);
        low.src[0] = self.src(&inst.src[0], inst.exec);
        let second = inst.src[1];
        low.src[1] = match second.reg {
            Reg::Imm(bits) => isa::Src::imm_uw(bits as u16),
            _ => {
                let words = Src {
                    ty: Type::Uw,
                    stride: 2 * second.stride,
                    ..second
                };
                self.src(&words, inst.exec)
            }
        };
        self.out.push(low);
        let mut high = self.base(inst, Opcode::Mach);
        self.operands(inst, &mut high);
        high.acc_wr = true;
        self.out.push(high);
    }

    fn base(&self, inst: &Inst, op: Opcode) -> isa::Inst {
        let mut i = isa::Inst::new(op, inst.exec);
        i.chan_off = inst.group;
        i.no_mask = inst.no_mask;
        i.pred = inst.pred.map(|p| isa::Pred {
            ctrl: p.ctrl,
            inverse: p.inverse,
        });
        i.cmod = inst.cmod;
        i.flag = inst.flag;
        i.saturate = inst.sat;
        i.acc_wr = inst.acc_wr;
        i.switch = inst.switch;
        i
    }

    fn operands(&self, inst: &Inst, i: &mut isa::Inst) {
        i.dst = self.dst(&inst.dst);
        let three = i.op.info().class == isa::Class::ThreeSource;
        for k in 0..inst.sources() {
            i.src[k] = self.src(&inst.src[k], inst.exec);
            if three && inst.src[k].stride == 0 {
                i.src[k].rep_ctrl = true;
            }
        }
    }

    fn dst(&self, d: &Dst) -> isa::Dst {
        let out = match d.reg {
            Reg::Vgrf(v) => {
                let at = u32::from(self.reg[v]) * GRF_BYTES + d.offset;
                isa::Dst::grf((at / GRF_BYTES) as u8, (at % GRF_BYTES) as u8, d.ty)
            }
            Reg::Arf(reg, index) => isa::Dst::arf(reg, index, d.offset as u8, d.ty),
            Reg::Mrf(m) => {
                let nr = m.nr + (d.offset / GRF_BYTES) as u8;
                let compr4 = if m.compr4 { isa::COMPR4 } else { 0 };
                isa::Dst::mrf(nr | compr4, (d.offset % GRF_BYTES) as u8, d.ty)
            }
            Reg::Null | Reg::Imm(_) => isa::Dst::null(d.ty),
        };
        out.with_stride(d.stride.max(1))
    }

    fn src(&self, s: &Src, exec: u8) -> isa::Src {
        let region = match s.rows {
            Some(rows) => Region::new(rows.vstride, rows.width, s.stride),
            None => region(exec, s.stride, s.ty),
        };
        let mut out = match s.reg {
            Reg::Vgrf(v) => {
                let at = u32::from(self.reg[v]) * GRF_BYTES + s.offset;
                isa::Src::grf((at / GRF_BYTES) as u8, (at % GRF_BYTES) as u8, s.ty, region)
            }
            Reg::Arf(reg, index) => isa::Src::arf(reg, index, s.offset as u8, s.ty, region),
            Reg::Mrf(m) => isa::Src {
                file: isa::File::Mrf,
                ..isa::Src::grf(m.nr + (s.offset / GRF_BYTES) as u8, 0, s.ty, region)
            },
            Reg::Imm(bits) => return isa::Src::imm(s.ty, bits),
            Reg::Null => isa::Src::null(s.ty),
        };
        out.negate = s.neg;
        out.abs = s.abs;
        out
    }

    fn send(&mut self, inst: &Inst) {
        let Some(info) = inst.send else { return };
        let desc = info.desc
            | u32::from(info.mlen) << 25
            | u32::from(info.rlen) << 20
            | u32::from(info.header) << 19;
        let lengths = u32::from(info.ex_mlen) << 6;
        let handle = &inst.src[2];
        let dynamic = handle.reg != Reg::Null && !info.dynamic_desc;
        let desc = if info.dynamic_desc {
            let a0 = isa::Dst::arf(ArfReg::Address, 0, 0, Type::Ud);
            let more = self.src(handle, 1);
            let add = isa::Inst::binary(Opcode::Add, 1, a0, more, isa::Src::imm_ud(desc));
            self.out.push(add.no_mask());
            self.place = None;
            Desc::A0(0)
        } else {
            Desc::Imm(desc)
        };
        let ex_desc = if let Reg::Arf(ArfReg::Address, _) = handle.reg {
            Desc::A0((handle.offset / 2) as u8)
        } else if dynamic {
            let bits = info.ex_desc_bits();
            let handle = self.src(handle, 1);
            let key = match handle.addr {
                isa::Addr::Direct { nr, sub_bytes } => Some((nr, sub_bytes, bits)),
                isa::Addr::Indirect { .. } => None,
            };
            let (dword, known) = self.address.take(key);
            if !known {
                self.place
                    .take_if(|place| dword < usize::from(place.lanes).div_ceil(2));
                let a0 = isa::Dst::arf(ArfReg::Address, 0, dword as u8 * 4, Type::Ud);
                let add = isa::Inst::binary(Opcode::Add, 1, a0, handle, isa::Src::imm_ud(bits));
                self.out.push(add.no_mask());
            }
            Desc::A0(dword as u8 * 2)
        } else {
            Desc::Imm(lengths)
        };
        let split = dynamic || info.ex_mlen > 0;
        let op = match (split, info.sendc) {
            (false, false) => Opcode::Send,
            (false, true) => Opcode::Sendc,
            (true, false) => Opcode::Sends,
            (true, true) => Opcode::Sendsc,
        };
        let mut i = self.base(inst, op);
        i.dst = self.dst(&inst.dst);
        i.dst.ty = Type::Ud;
        i.src[0] = self.src(&inst.src[0], inst.exec).retype(Type::Ud);
        if split {
            i.src[1] = self.src(&inst.src[1], inst.exec).retype(Type::Ud);
        }
        i.send = Some(isa::Send {
            sfid: info.sfid,
            desc,
            ex_desc,
            eot: info.eot,
        });
        self.out.push(i);
    }

    fn mov_indirect(&mut self, inst: &Inst) {
        let Reg::Vgrf(v) = inst.src[0].reg else {
            return;
        };
        let base = u32::from(self.reg[v]) * GRF_BYTES + inst.src[0].offset;
        let a0 = isa::Dst::arf(ArfReg::Address, 0, A0_INDEX * 2, Type::Uw);
        let per_lane = inst.src[1].stride != 0 && inst.exec > 1;
        let lanes = if per_lane { inst.exec } else { 1 };
        let offset = self.src(&inst.src[1], lanes);
        let at = match inst.src[1].reg {
            Reg::Vgrf(index) => u32::from(self.reg[index]) * GRF_BYTES + inst.src[1].offset,
            _ => 0,
        };
        let end = (at + inst.src_bytes(1)).div_ceil(GRF_BYTES);
        let place = Place {
            offset,
            registers: at / GRF_BYTES..end,
            lanes,
            group: inst.group,
            no_mask: inst.no_mask || !per_lane,
            base,
        };
        let away = match &self.place {
            Some(known) if known.serves(&place) => base as i16 - known.base as i16,
            _ => {
                let base = isa::Src::imm_uw(base as u16);
                let mut add = isa::Inst::binary(Opcode::Add, lanes, a0, offset, base);
                add = add.at_channel(inst.group);
                add.no_mask = place.no_mask;
                self.out.push(add);
                self.place = Some(place);
                0
            }
        };
        let region = if per_lane {
            Region::new(Region::VX1, 1, 0)
        } else {
            Region::SCALAR
        };
        let mut mov = self.base(inst, Opcode::Mov);
        mov.dst = self.dst(&inst.dst);
        mov.src[0] = isa::Src::indirect(A0_INDEX, away, inst.dst.ty, region);
        self.out.push(mov);
    }

    // --- control flow -----------------------------------------------------------------------------

    fn distance(from: usize, to: usize) -> i32 {
        (to as i32 - from as i32) * INST_BYTES
    }

    fn branch(&mut self, inst: &Inst, op: Opcode) {
        let at = self.out.len();
        let i = self.base(inst, op);
        self.out.push(i);
        match op {
            Opcode::If => self.open.push(Open {
                is_loop: false,
                start: at,
                else_at: None,
                pending: Vec::new(),
                leaves: Vec::new(),
                address: self.address.changes,
            }),
            Opcode::Else => {
                if let Some(open) = self.open.last_mut() {
                    open.else_at = Some(at);
                    for p in std::mem::take(&mut open.pending) {
                        self.out[p].jip = Self::distance(p, at);
                    }
                }
            }
            Opcode::Endif => {
                if let Some(open) = self.open.pop() {
                    self.address.keep_since(&open.address);
                    let first = open.else_at.map_or(at, |e| e + 1);
                    self.out[open.start].jip = Self::distance(open.start, first);
                    self.out[open.start].uip = Self::distance(open.start, at);
                    if let Some(e) = open.else_at {
                        self.out[e].jip = Self::distance(e, at);
                        self.out[e].uip = Self::distance(e, at);
                    }
                    for p in open.pending {
                        self.out[p].jip = Self::distance(p, at);
                    }
                }
                self.ends_at_next(at, INST_BYTES);
            }
            Opcode::While => {
                if let Some(open) = self.open.pop() {
                    self.out[at].jip = Self::distance(at, open.start);
                    for p in open.pending {
                        self.out[p].jip = Self::distance(p, at);
                    }
                    for p in open.leaves {
                        self.out[p].uip = Self::distance(p, at);
                    }
                }
            }
            Opcode::Break | Opcode::Cont => {
                if let Some(l) = self.open.iter_mut().rev().find(|o| o.is_loop) {
                    l.leaves.push(at);
                }
                self.ends_at_next(at, INST_BYTES);
            }
            Opcode::Halt => {
                self.halts.push(at);
                self.ends_at_next(at, 0);
            }
            _ => {}
        }
    }

    /// The instruction at `at` jumps to the end of the innermost construct; without one, by `without`.
    fn ends_at_next(&mut self, at: usize, without: i32) {
        match self.open.last_mut() {
            Some(open) => open.pending.push(at),
            None => self.out[at].jip = without,
        }
    }

    fn halt_target(&mut self, inst: &Inst) {
        let at = self.out.len();
        for h in std::mem::take(&mut self.halts) {
            let to = Self::distance(h, at);
            self.out[h].uip = to;
            if self.out[h].jip == 0 {
                self.out[h].jip = to;
            }
        }
        let mut halt = self.base(inst, Opcode::Halt);
        (halt.jip, halt.uip) = (INST_BYTES, INST_BYTES);
        self.out.push(halt);
    }
}

/// The region of a source: rows that stay within a register.
fn region(exec: u8, stride: u8, ty: Type) -> Region {
    if stride == 0 || exec == 1 {
        return Region::SCALAR;
    }
    let row = (GRF_BYTES / (u32::from(stride) * ty.size_bytes())).max(1) as u8;
    let width = exec.min(row).min(16);
    if width == 1 {
        return Region::new(stride, 1, 0);
    }
    Region::new(width * stride, width, stride)
}
