//! Spilling of VGRFs to scratch memory.
//!
//! In:  LIR, and the VGRFs to spill.
//! Out: LIR in which each access to a spilled VGRF uses a short-lived temporary, filled before the
//!      instruction and stored after it. Consecutive accesses in a block share a temporary while
//!      registers are free ([`spill_gaps`]). VGRFs that hold constants alone are rematerialised
//!      before each read instead.
//!
//! Scratch messages ignore the execution mask: if a write does not cover all elements of its
//! registers that are still needed, the temporary is filled before the write.
//! Tests: tests/fs/lir/spill/.

use crate::alloc::spill_gaps;
use crate::error::FsError;
use crate::lir::live::Interval;
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::{IdMap, IdSet};
use isa::Type;
use smallvec::SmallVec;

/// Number of registers that the offset of a message can address from the base in its header. Ref:
/// SKL PRM vol. 7, "Scratch Block Read/Write".
const MAX_OFFSET: u32 = 4096;

/// The instructions that rematerialise a VGRF.
type Recipe = SmallVec<[Inst; 2]>;

/// Maximum number of instructions that rematerialise a VGRF.
const MAX_RECIPE: usize = 8;

/// True if the result of the instruction does not depend on its position: it reads immediates
/// alone, and no flag.
fn is_constant(inst: &Inst) -> bool {
    let plain = matches!(inst.op, Op::Eu(isa::Opcode::Mov) | Op::ConstantDataHandle)
        && inst.pred.is_none()
        && inst.cmod == isa::CondMod::None
        && !inst.acc_wr
        && !inst.switch;
    plain && (0..inst.sources()).all(|i| matches!(inst.src[i].reg, Reg::Imm(_)))
}

/// The recipes of the candidate VGRFs that can be rematerialised: each of their bytes is written at
/// most once, with a constant.
pub(crate) fn recipes(
    lir: &Lir,
    is_candidate: impl Fn(VgrfId) -> bool,
) -> IdMap<Vgrf, Option<Recipe>> {
    let mut out: IdMap<Vgrf, Option<Recipe>> = IdMap::for_arena(&lir.vgrfs, None);
    let mut rejected: IdSet<Vgrf> = IdSet::new();
    for inst in &lir.insts {
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        if rejected.contains(v) || !is_candidate(v) {
            continue;
        }
        let known = out[v].get_or_insert_with(Recipe::new);
        let range = |i: &Inst| (i.dst.offset, i.dst.offset + i.dst_bytes());
        let (first, end) = range(inst);
        let again = known.iter().map(range).any(|r| r.0 < end && first < r.1);
        if again || known.len() == MAX_RECIPE || !is_constant(inst) {
            out[v] = None;
            rejected.insert(v);
            continue;
        }
        // Other lanes may be active at the read.
        known.push(Inst {
            no_mask: true,
            ..*inst
        });
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() {
            out[v] = None;
        }
    }
    out
}

/// A temporary that holds registers `first..end` of a spilled VGRF.
struct Resident {
    v: VgrfId,
    first: u32,
    end: u32,
    temp: VgrfId,
    /// It differs from the value in scratch.
    dirty: bool,
}

/// Spills VGRFs. Temporaries stay in registers between instructions as long as no more than
/// `max_resident` registers are in use. Returns the number of registers that the added code writes
/// to and reads from scratch.
pub(crate) fn spill(
    lir: &mut Lir,
    live: &IdMap<Vgrf, Interval>,
    spilled: &IdSet<Vgrf>,
    r0: VgrfId,
    max_resident: i32,
) -> Result<(u32, u32), FsError> {
    // The first scratch register of each VGRF.
    let mut slot: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    let recipes = recipes(lir, |v| spilled.contains(v));
    for v in spilled.iter().filter(|v| recipes[*v].is_none()) {
        let bytes = u64::from(lir.vgrfs[v].regs) * u64::from(GRF_BYTES);
        slot[v] = lir.reserve_scratch(bytes)? / GRF_BYTES;
    }
    let stored = |v: VgrfId| spilled.contains(v) && recipes[v].is_none();
    let writes = WriteKinds::new(lir, stored);
    let merges = |at: usize, v: VgrfId| writes.must_merge(&lir.insts[at], at, v, &live[v]);
    let accesses = spill_gaps::find_accesses(lir, live, spilled, stored, merges, max_resident);
    let mut next = accesses.iter().peekable();
    let insts = std::mem::take(&mut lir.insts);
    let mut out = Vec::with_capacity(insts.len() * 2);
    let (mut spills, mut fills) = (0, 0);
    let mut resident: Vec<Resident> = Vec::new();
    for (at, mut inst) in insts.into_iter().enumerate() {
        if inst.dst.as_vgrf().is_some_and(|v| recipes[v].is_some()) {
            continue;
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf()
                && let Some(recipe) = &recipes[v]
            {
                rematerialise(lir, &mut out, &mut inst, v, recipe);
            }
        }
        let mut after: SmallVec<[Resident; 2]> = SmallVec::new();
        while let Some(t) = next.next_if(|t| t.at as usize == at) {
            let v = t.v;
            let mut here = match resident.iter().position(|r| r.v == v) {
                Some(i) => resident.swap_remove(i),
                None => {
                    let temp = lir.vgrfs.push(Vgrf {
                        regs: (t.end - t.first) as u16,
                        fixed: None,
                        no_spill: true,
                    });
                    if t.read {
                        let n = t.end - t.first;
                        fills += n;
                        transfer(lir, &mut out, r0, temp, slot[v] + t.first, n, false);
                    }
                    Resident {
                        v,
                        first: t.first,
                        end: t.end,
                        temp,
                        dirty: false,
                    }
                }
            };
            let begin = here.first * GRF_BYTES;
            for s in inst.src.iter_mut().filter(|s| s.reg == Reg::Vgrf(v)) {
                s.reg = Reg::Vgrf(here.temp);
                s.offset -= begin;
            }
            if t.written {
                inst.dst.reg = Reg::Vgrf(here.temp);
                inst.dst.offset -= begin;
                here.dirty = true;
            }
            if t.stays_resident {
                resident.push(here);
            } else if here.dirty && live[v].end as usize > 2 * at + 1 {
                after.push(here);
            }
        }
        out.push(inst);
        for r in after {
            let n = r.end - r.first;
            spills += n;
            transfer(lir, &mut out, r0, r.temp, slot[r.v] + r.first, n, true);
        }
    }
    lir.insts = out;
    Ok((spills, fills))
}

/// Emits the instructions that compute the bytes of a constant VGRF that `inst` reads, into a
/// temporary, and redirects `inst` to it.
fn rematerialise(lir: &mut Lir, out: &mut Vec<Inst>, inst: &mut Inst, v: VgrfId, recipe: &Recipe) {
    let temp = lir.vgrfs.push(Vgrf {
        regs: lir.vgrfs[v].regs,
        fixed: None,
        no_spill: true,
    });
    let (mut first, mut end) = (u32::MAX, 0);
    for i in 0..inst.sources() {
        let s = &inst.src[i];
        if s.reg == Reg::Vgrf(v) {
            let whole = inst.op == Op::MovIndirect && i == 0;
            first = if whole { 0 } else { first.min(s.offset) };
            end = match whole {
                true => u32::MAX,
                false => end.max(s.offset + inst.src_bytes(i)),
            };
        }
    }
    let is_read = |def: &&Inst| {
        let from = def.dst.offset;
        from < end && first < from + def.dst_bytes()
    };
    out.extend(recipe.iter().filter(is_read).map(|def| {
        let mut def = *def;
        def.dst.reg = Reg::Vgrf(temp);
        def
    }));
    for s in &mut inst.src {
        if s.reg == Reg::Vgrf(v) {
            s.reg = Reg::Vgrf(temp);
        }
    }
}

/// The bytes (first, end) that an instruction writes to a VGRF whichever lanes are active; [`None`]
/// if that depends on the active lanes.
type WrittenBytes = Option<(u32, u32)>;

fn written_bytes(inst: &Inst) -> WrittenBytes {
    let pitch = u32::from(inst.dst.stride) * inst.dst.ty.size_bytes();
    let packed = inst.send.is_some() || inst.exec == 1 || inst.dst.ty.size_bytes() == pitch;
    let all = inst.no_mask && inst.pred.is_none() && packed;
    all.then(|| (inst.dst.offset, inst.dst.offset + inst.dst_bytes()))
}

/// The distinct kinds of writes to each VGRF that is stored.
struct WriteKinds {
    kinds: IdMap<Vgrf, SmallVec<[WrittenBytes; 1]>>,
}

impl WriteKinds {
    fn new(lir: &Lir, stored: impl Fn(VgrfId) -> bool) -> WriteKinds {
        let mut kinds: IdMap<Vgrf, SmallVec<[WrittenBytes; 1]>> =
            IdMap::for_arena(&lir.vgrfs, SmallVec::new());
        for inst in &lir.insts {
            if let Some(v) = inst.dst.as_vgrf().filter(|v| stored(*v)) {
                let written = written_bytes(inst);
                if !kinds[v].contains(&written) {
                    kinds[v].push(written);
                }
            }
        }
        WriteKinds { kinds }
    }

    /// True if the destination's registers contain elements that the instruction does not write and
    /// that may still be read.
    fn must_merge(&self, inst: &Inst, at: usize, v: VgrfId, live: &Interval) -> bool {
        // It is the first write.
        if live.start as usize == 2 * at + 1 {
            return false;
        }
        let pitch = u32::from(inst.dst.stride) * inst.dst.ty.size_bytes();
        let whole = inst.send.is_some()
            || inst.dst.offset.is_multiple_of(GRF_BYTES)
                && inst.dst.ty.size_bytes() == pitch
                && inst.dst_bytes().is_multiple_of(GRF_BYTES);
        if let Some((first, end)) = written_bytes(inst) {
            // The old contents are not needed if the write covers all bytes of these registers that
            // are ever written.
            let from = first / GRF_BYTES * GRF_BYTES;
            let to = end.next_multiple_of(GRF_BYTES);
            let within = |w: &WrittenBytes| {
                w.is_some_and(|(a, b)| {
                    a >= to || b <= from || first <= a.max(from) && b.min(to) <= end
                })
            };
            return !whole && !self.kinds[v].iter().all(within);
        }
        // A VGRF with one definition that is used in the loop of that definition is not read by
        // lanes that are inactive here.
        let local = live.defs == 1 && live.enclosing_loop == live.first_loop;
        !(local && inst.pred.is_none() && whole)
    }
}

/// Base-2 logarithm of the maximum number of registers that one message transfers.
const MAX_LOG2: u32 = 2;

/// Emits the messages that transfer `regs` registers between a VGRF and scratch registers from `at`
/// on.
fn transfer(
    lir: &mut Lir,
    out: &mut Vec<Inst>,
    r0: VgrfId,
    v: VgrfId,
    at: u32,
    regs: u32,
    write: bool,
) {
    let (mut base, mut header) = (0, r0);
    let mut done = 0;
    while done < regs {
        let n = 1 << (regs - done).ilog2().min(MAX_LOG2);
        let location = at + done;
        if location / MAX_OFFSET != base {
            base = location / MAX_OFFSET;
            header = emit_header(lir, out, r0, base * MAX_OFFSET * GRF_BYTES);
        }
        let offset = location % MAX_OFFSET;
        let mut inst = Inst::new(Op::Send, if n == 1 { 8 } else { 16 });
        inst.no_mask = true;
        inst.src[0] = Src::vgrf(header, 0, Type::Ud, 1);
        if write {
            inst.send = Some(message::scratch_write(n as u8, offset));
            inst.src[1] = Src::vgrf(v, done * GRF_BYTES, Type::Ud, 1);
        } else {
            inst.send = Some(message::scratch_read(n as u8, offset));
            inst.dst = Dst::vgrf(v, done * GRF_BYTES, Type::Ud, 1);
        }
        out.push(inst);
        done += n;
    }
}

/// Emits a header for messages to addresses `bytes` behind the start of the thread's scratch: r0
/// with `bytes` added to the base address in dword 5.
fn emit_header(lir: &mut Lir, out: &mut Vec<Inst>, r0: VgrfId, bytes: u32) -> VgrfId {
    const BASE_ADDRESS: u32 = 5 * 4;
    let header = lir.vgrfs.push(Vgrf {
        regs: 1,
        fixed: None,
        no_spill: true,
    });
    let mut copy = Inst::new(Op::Eu(isa::Opcode::Mov), 8);
    copy.no_mask = true;
    copy.src[0] = Src::vgrf(r0, 0, Type::Ud, 1);
    copy.dst = Dst::vgrf(header, 0, Type::Ud, 1);
    let mut add = Inst::new(Op::Eu(isa::Opcode::Add), 1);
    add.no_mask = true;
    add.src[0] = Src::vgrf(r0, BASE_ADDRESS, Type::Ud, 0);
    add.src[1] = Src::ud(bytes);
    add.dst = Dst::vgrf(header, BASE_ADDRESS, Type::Ud, 1);
    out.extend([copy, add]);
    header
}
