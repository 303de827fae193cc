//! Encodes allocated LIR as EU instructions.
//!
//! In:  LIR, and the first GRF of each VGRF.
//! Out: [`isa::Inst`]s with their jump distances, and their bytes.
//! Ref: SKL PRM vol. 7, "EU Instructions": IF, ELSE, ENDIF, WHILE, BREAK, CONT, HALT; "SEND".
//! Tests: tests/fs/lir/encode/.

use crate::error::FsError;
use crate::lir::{Dst, GRF_BYTES, INDIRECT_DW, Inst, Lir, Op, Reg, Src, Vgrf};
use entity::IdMap;
use isa::{ArfReg, Desc, Opcode, Region, Type};

/// The word of a0 from which indirect operands take their address.
const A0_INDEX: u8 = 0;
/// The dwords of a0 that cache extended descriptors; dword 0 is for indirect operands.
const EX_DESCS: std::ops::Range<usize> = 1..8;

/// Size of an instruction in bytes.
const INST_BYTES: i32 = 16;

/// An extended descriptor: GRF and byte of the handle, and the bits added to it.
type ExDesc = (u8, u8, u32);

/// The extended descriptors in the dwords of a0, as a cache with LRU replacement.
#[derive(Clone, Copy, Default)]
struct ExDescCache {
    entries: [Option<ExDesc>; 8],
    /// Number of changes of each dword, or of the handle from which it was computed.
    changes: [u32; 8],
    /// Value of `clock` at the last use of each dword.
    used: [u32; 8],
    clock: u32,
    /// The dwords from here on are reserved by instruction selection.
    end: usize,
}

impl ExDescCache {
    fn invalidate(&mut self, dword: usize) {
        self.entries[dword] = None;
        self.changes[dword] += 1;
    }

    fn invalidate_all(&mut self) {
        EX_DESCS.for_each(|dword| self.invalidate(dword));
    }

    /// Invalidates the dwords that have changed since `changes` was `before`.
    fn invalidate_changed(&mut self, before: &[u32; 8]) {
        for dword in EX_DESCS {
            if self.changes[dword] != before[dword] {
                self.invalidate(dword);
            }
        }
    }

    /// The dword for a descriptor, and true if it contains the descriptor already.
    fn find_or_replace(&mut self, key: Option<ExDesc>) -> (usize, bool) {
        self.clock += 1;
        let free = EX_DESCS.start..self.end;
        let known = free
            .clone()
            .find(|d| key.is_some() && self.entries[*d] == key);
        let dword =
            known.or_else(|| free.min_by_key(|d| (self.entries[*d].is_some(), self.used[*d])));
        // If all dwords are reserved, that of indirect operands is used, which is not cached.
        let dword = dword.unwrap_or(0);
        self.used[dword] = self.clock;
        if known.is_none() {
            self.invalidate(dword);
            self.entries[dword] = key;
        }
        (dword, known.is_some())
    }
}

/// The address that a0 contains for indirect operands: `base + offset` for some lanes.
#[derive(Clone)]
struct IndirectAddress {
    offset: isa::Src,
    /// GRFs of the offset.
    registers: std::ops::Range<u32>,
    lanes: u8,
    group: u8,
    no_mask: bool,
    /// Byte address in the register file.
    base: u32,
}

impl IndirectAddress {
    /// True if an operand with another address is within reach of the address immediate.
    fn reaches(&self, other: &IndirectAddress) -> bool {
        let distance = other.base as i32 - self.base as i32;
        let offsets = |p: &IndirectAddress| (p.offset, p.lanes, p.group, p.no_mask);
        offsets(self) == offsets(other) && ADDRESS_IMMEDIATE.contains(&distance)
    }
}

/// Range of the address immediate of an indirect operand in bytes (SKL PRM vol. 7, "Address
/// Immediate").
const ADDRESS_IMMEDIATE: std::ops::Range<i32> = -512..512;

/// An open IF or loop.
struct Open {
    is_loop: bool,
    /// Index of IF, or of the loop's first instruction.
    start: usize,
    else_at: Option<usize>,
    /// Instructions whose JIP is the next ELSE, ENDIF or WHILE of the construct.
    pending: Vec<usize>,
    /// BREAK and CONT of a loop, whose UIP is its WHILE.
    leaves: Vec<usize>,
    /// [`ExDescCache::changes`] at the beginning.
    ex_desc_changes: [u32; 8],
}

struct Encoder<'a> {
    reg: &'a IdMap<Vgrf, u8>,
    out: Vec<isa::Inst>,
    open: Vec<Open>,
    halts: Vec<usize>,
    ex_descs: ExDescCache,
    /// The address in a0 for indirect operands, if it is known.
    indirect: Option<IndirectAddress>,
    /// Instructions whose immediate is the handle of the constant data.
    handles: Vec<usize>,
}

/// Returns the EU instructions of a program, and the indices of those whose immediate is the handle
/// of the constant data.
pub(crate) fn encode(lir: &Lir, reg: &IdMap<Vgrf, u8>) -> (Vec<isa::Inst>, Vec<usize>) {
    let mut e = Encoder {
        reg,
        out: Vec::with_capacity(lir.insts.len() + 16),
        open: Vec::new(),
        halts: Vec::new(),
        ex_descs: ExDescCache {
            end: first_reserved_dword(lir),
            ..ExDescCache::default()
        },
        indirect: None,
        handles: Vec::new(),
    };
    for inst in &lir.insts {
        e.inst(inst);
    }
    (e.out, e.handles)
}

/// The first dword of a0 that the program writes explicitly (`isel/descriptors.rs`).
fn first_reserved_dword(lir: &Lir) -> usize {
    let writes = lir.insts.iter().map(|inst| inst.dst);
    let reserved = writes.filter_map(|dst| match dst.reg {
        Reg::Arf(ArfReg::Address, _) => Some(dst.offset as usize / 4),
        _ => None,
    });
    reserved.min().unwrap_or(EX_DESCS.end).max(EX_DESCS.start)
}

/// Byte offset in the code of the immediate of an instruction, its last dword.
pub(crate) fn immediate_offset(inst: usize) -> u32 {
    inst as u32 * INST_BYTES as u32 + 12
}

/// Encodes EU instructions as bytes.
pub(crate) fn encode_bytes(insts: &[isa::Inst], hw_gen: hw::Gen) -> Result<Vec<u8>, FsError> {
    let mut out = Vec::with_capacity(insts.len() * 16);
    for (at, inst) in insts.iter().enumerate() {
        let code = isa::encode(inst, hw_gen).map_err(|source| FsError::Encode { at, source })?;
        out.extend_from_slice(&code);
    }
    Ok(out)
}

/// Checks the instructions against the rules of the hardware.
pub(crate) fn check_rules(insts: &[isa::Inst], device: &hw::Device) -> Result<(), FsError> {
    let small_core = device.needs(hw::Wa::Align64BitRegions);
    for (at, inst) in insts.iter().enumerate() {
        if let Some(broken) = isa::check_for_core(inst, device.hw_gen, small_core).first() {
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
        self.emit(inst);
        self.invalidate(inst);
    }

    /// Invalidates the contents of a0 that are not valid behind an instruction: a source register
    /// was written, or control flow joins. Behind a branch the dwords that it has not changed stay
    /// valid; at the joins of loops and HALT none does.
    fn invalidate(&mut self, inst: &Inst) {
        match inst.op {
            Op::Eu(Opcode::Else) => {
                if let Some(open) = self.open.last() {
                    self.ex_descs.invalidate_changed(&open.ex_desc_changes);
                }
            }
            Op::Do | Op::HaltTarget | Op::Eu(Opcode::While) => self.ex_descs.invalidate_all(),
            Op::MovIndirect => {
                let lanes = if inst.src[1].stride != 0 {
                    usize::from(inst.exec)
                } else {
                    1
                };
                let end = lanes.div_ceil(2).min(INDIRECT_DW);
                (EX_DESCS.start..end).for_each(|dword| self.ex_descs.invalidate(dword));
            }
            _ => {}
        }
        // Other lanes may be active behind it, for which a0 was not written.
        if matches!(inst.op, Op::Do | Op::HaltTarget)
            || matches!(inst.op, Op::Eu(op) if op.is_branch())
        {
            self.indirect = None;
        }
        if let Reg::Vgrf(v) = inst.dst.reg {
            let first = u32::from(self.reg[v]) + inst.dst.offset / GRF_BYTES;
            let end =
                u32::from(self.reg[v]) + (inst.dst.offset + inst.dst_bytes()).div_ceil(GRF_BYTES);
            if self
                .indirect
                .as_ref()
                .is_some_and(|p| p.registers.start < end && first < p.registers.end)
            {
                self.indirect = None;
            }
            for dword in EX_DESCS {
                let entry = self.ex_descs.entries[dword];
                if entry.is_some_and(|(nr, ..)| (first..end).contains(&u32::from(nr))) {
                    self.ex_descs.invalidate(dword);
                }
            }
        }
    }

    fn emit(&mut self, inst: &Inst) {
        match inst.op {
            Op::Do => self.open.push(Open {
                is_loop: true,
                start: self.out.len(),
                else_at: None,
                pending: Vec::new(),
                leaves: Vec::new(),
                ex_desc_changes: self.ex_descs.changes,
            }),
            Op::HaltTarget => self.halt_target(inst),
            Op::Eu(op) if op.is_branch() => self.branch(inst, op),
            Op::Eu(Opcode::Mach) => self.mul_and_mach(inst),
            Op::Eu(op) => {
                let mut i = self.base(inst, op);
                self.operands(inst, &mut i);
                if i.op.info().class == isa::EncodingClass::ThreeSource {
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
            Op::Collect(_) => debug_assert!(false, "lower_collect has replaced all collects"),
        }
    }

    /// The high half of a product of dwords: MUL by the low word of the second source into the
    /// accumulator, then MACH (SKL PRM vol. 2a, "mach").
    fn mul_and_mach(&mut self, inst: &Inst) {
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

    /// An EU instruction with the controls, but not the operands, of an LIR instruction.
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
        let three = i.op.info().class == isa::EncodingClass::ThreeSource;
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
                file: isa::RegFile::Mrf,
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
            self.indirect = None;
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
            let (dword, known) = self.ex_descs.find_or_replace(key);
            if !known {
                self.indirect
                    .take_if(|p| dword < usize::from(p.lanes).div_ceil(2));
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
        let address = IndirectAddress {
            offset,
            registers: at / GRF_BYTES..end,
            lanes,
            group: inst.group,
            no_mask: inst.no_mask || !per_lane,
            base,
        };
        let distance = match &self.indirect {
            Some(known) if known.reaches(&address) => base as i16 - known.base as i16,
            _ => {
                let base = isa::Src::imm_uw(base as u16);
                let mut add = isa::Inst::binary(Opcode::Add, lanes, a0, offset, base);
                add = add.at_channel(inst.group);
                add.no_mask = address.no_mask;
                self.out.push(add);
                self.indirect = Some(address);
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
        mov.src[0] = isa::Src::indirect(A0_INDEX, distance, inst.dst.ty, region);
        self.out.push(mov);
    }

    // --- control flow
    // -----------------------------------------------------------------------------

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
                ex_desc_changes: self.ex_descs.changes,
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
                    self.ex_descs.invalidate_changed(&open.ex_desc_changes);
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
                self.jip_to_next_end(at, INST_BYTES);
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
                self.jip_to_next_end(at, INST_BYTES);
            }
            Opcode::Halt => {
                self.halts.push(at);
                self.jip_to_next_end(at, 0);
            }
            _ => {}
        }
    }

    /// Sets the JIP of the instruction at `at` to the end of the innermost open construct, or to
    /// `default` outside of any.
    fn jip_to_next_end(&mut self, at: usize, default: i32) {
        match self.open.last_mut() {
            Some(open) => open.pending.push(at),
            None => self.out[at].jip = default,
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

/// The region of a source with rows that do not cross register boundaries.
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
