//! Lowers the payloads of messages.
//!
//! In:  LIR with [`Op::Collect`].
//! Out: LIR without it. For each payload the cheapest of these is chosen:
//!      1. the messages read an equal payload that was built before in the block;
//!      2. the messages read the sources in place, if these are contiguous;
//!      3. a VGRF that is defined in the block and not read later becomes a part of the payload;
//!      4. moves ([`payload_moves`]), which `opt_coalesce` may remove.
//!
//! The two payloads of a split message never overlap. Payloads in message registers are always
//! moved ([`lower_mrf_payloads`]).
//! Ref: SKL PRM vol. 7, "SENDS". Tests: tests/fs/lir/lower_collect/, tests/fs/lower_collect/.

use crate::emit::{lower_mrf_payloads, payload_moves};
use crate::lir::live::{Loop, loops};
use crate::lir::{
    GRF_BYTES, Inst, Lir, Op, Payload, PayloadId, PayloadPart, Reg, Src, Vgrf, VgrfId,
};
use entity::IdMap;
use isa::Type;
use smallvec::SmallVec;

/// Maximum number of instructions between the definition of a VGRF and the payload of which it
/// becomes a part.
const WINDOW: u32 = 256;

/// Number of recent payloads of the block with which a payload is compared.
const RECENT: usize = 8;

/// The writes and reads of a VGRF.
#[derive(Clone, Copy)]
struct Use {
    first_def: u32,
    last_def: u32,
    first_read: u32,
    last_read: u32,
    /// Read through the address register.
    indirect: bool,
    /// The payload of which it has become a part: (VGRF of the payload, byte offset).
    merged: Option<(VgrfId, u32)>,
}

impl Default for Use {
    fn default() -> Self {
        Use {
            first_def: u32::MAX,
            last_def: 0,
            first_read: u32::MAX,
            last_read: 0,
            indirect: false,
            merged: None,
        }
    }
}

/// A read of a payload: index of the message, and of its source.
type Read = (u32, u8);

/// A collect of the program.
struct Collect {
    at: u32,
    block_start: u32,
    payload: PayloadId,
    dst: VgrfId,
    reads: SmallVec<[Read; 2]>,
}

struct Lowering<'a> {
    lir: &'a mut Lir,
    uses: IdMap<Vgrf, Use>,
    loops: Vec<Loop>,
    /// The new moves, each with the index of the collect that it replaces.
    moves: Vec<(u32, Inst)>,
}

/// Returns true if it changed the program.
pub(crate) fn lower_collect(lir: &mut Lir) -> bool {
    if lir.payloads.is_empty() {
        return false;
    }
    if lir.message_registers.is_some() {
        lower_mrf_payloads::lower_mrf_payloads(lir);
    }
    let (uses, collects) = find_uses(lir);
    let loops = loops(lir);
    let mut l = Lowering {
        lir,
        uses,
        loops,
        moves: Vec::new(),
    };
    let mut recent: SmallVec<[usize; RECENT]> = SmallVec::new();
    for (k, c) in collects.iter().enumerate() {
        recent.retain(|r| collects[*r].block_start == c.block_start);
        let same = recent.iter().find(|&&r| l.can_reuse(&collects[r], c));
        if let Some(&same) = same {
            l.redirect_reads(c, Src::vgrf(collects[same].dst, 0, Type::Ud, 1));
        } else if let Some(sources) = l.contiguous_sources(c) {
            l.redirect_reads(c, sources);
        } else {
            l.build(c);
            if recent.len() == RECENT {
                recent.remove(0);
            }
            recent.push(k);
        }
    }
    l.finish();
    true
}

fn find_uses(lir: &Lir) -> (IdMap<Vgrf, Use>, Vec<Collect>) {
    let mut uses = IdMap::for_arena(&lir.vgrfs, Use::default());
    let mut collects: Vec<Collect> = Vec::with_capacity(lir.payloads.len());
    let mut collect_of: IdMap<Vgrf, Option<u32>> = IdMap::for_arena(&lir.vgrfs, None);
    let mut block_start = 0;
    for (at, inst) in lir.insts.iter().enumerate() {
        let at = at as u32;
        if inst.is_control() {
            block_start = at + 1;
        }
        inst.for_each_vgrf_read(&lir.payloads, |v| {
            let u: &mut Use = &mut uses[v];
            u.first_read = u.first_read.min(at);
            u.last_read = at;
            u.indirect |= inst.op == Op::MovIndirect;
        });
        if inst.op == Op::Send {
            for i in 0..2u8 {
                let read = inst.src[usize::from(i)].as_vgrf();
                if let Some(k) = read.and_then(|v| collect_of[v]) {
                    collects[k as usize].reads.push((at, i));
                }
            }
        }
        let Some(dst) = inst.dst.as_vgrf() else {
            continue;
        };
        if let Op::Collect(payload) = inst.op {
            collect_of[dst] = Some(collects.len() as u32);
            collects.push(Collect {
                at,
                block_start,
                payload,
                dst,
                reads: SmallVec::new(),
            });
        }
        let u = &mut uses[dst];
        u.first_def = u.first_def.min(at);
        u.last_def = at;
    }
    (uses, collects)
}

/// True if the elements of the part's source are as far apart as in the payload.
fn has_payload_layout(p: &PayloadPart, exec: u8) -> bool {
    let pitch = u32::from(p.src.stride) * p.src.ty.size_bytes();
    let payload_pitch = if p.header {
        p.src.ty.size_bytes()
    } else {
        p.bytes / u32::from(exec)
    };
    pitch == payload_pitch
}

/// A range of bytes of a VGRF: first, end.
type Range = (VgrfId, u32, u32);

fn overlap(a: Range, b: Range) -> bool {
    a.0 == b.0 && a.1 < b.2 && b.1 < a.2
}

impl Lowering<'_> {
    fn payload(&self, c: &Collect) -> &Payload {
        &self.lir.payloads[c.payload]
    }

    fn inst(&self, c: &Collect) -> &Inst {
        &self.lir.insts[c.at as usize]
    }

    /// The bytes of a VGRF, translated to the payload into which it is merged.
    fn resolve(&self, v: VgrfId, first: u32, end: u32) -> Range {
        match self.uses[v].merged {
            Some((to, at)) => (to, first + at, end + at),
            None => (v, first, end),
        }
    }

    /// True if a message that reads the payload reads any of these bytes as its other payload.
    fn overlaps_other_payload(&self, c: &Collect, range: Range) -> bool {
        let range = self.resolve(range.0, range.1, range.2);
        c.reads.iter().any(|&(at, i)| {
            let inst = &self.lir.insts[at as usize];
            let other = usize::from(1 - i);
            let src = &inst.src[other];
            src.as_vgrf().is_some_and(|v| {
                let end = src.offset + inst.src_bytes(other);
                overlap(range, self.resolve(v, src.offset, end))
            })
        })
    }

    /// True if the bytes do not change between the collect and the last read of its payload.
    fn is_unchanged(&self, c: &Collect, range: Range) -> bool {
        let last_read = c.reads.iter().map(|r| r.0).max().unwrap_or(c.at);
        if self.uses[range.0].last_def < c.at {
            return true;
        }
        // If the payload is read in a loop, it is read again in the next iteration.
        let around = self
            .loops
            .iter()
            .filter(|l| l.start > c.at && l.start < last_read);
        let end = around.map(|l| l.end).max().unwrap_or(0).max(last_read);
        let after = &self.lir.insts[c.at as usize + 1..=end as usize];
        after.iter().all(|inst| {
            let dst = inst.dst.as_vgrf();
            !dst.is_some_and(|v| {
                let first = inst.dst.offset;
                overlap(range, (v, first, first + inst.dst_bytes()))
            })
        })
    }

    /// True if `c` builds the same payload as `before`, and its messages can read that one.
    fn can_reuse(&self, before: &Collect, c: &Collect) -> bool {
        let (a, b) = (self.inst(before), self.inst(c));
        let like = (a.exec, a.group, a.no_mask) == (b.exec, b.group, b.no_mask)
            && self.payload(before) == self.payload(c)
            && self.lir.vgrfs[before.dst].fixed.is_none()
            && self.lir.vgrfs[c.dst].fixed.is_none();
        if !like || self.overlaps_other_payload(c, (before.dst, 0, u32::MAX)) {
            return false;
        }
        let between = &self.lir.insts[before.at as usize + 1..c.at as usize];
        let sources = || self.payload(c).parts.iter().filter_map(|p| p.src.as_vgrf());
        sources().all(|v| {
            self.uses[v].last_def < before.at || between.iter().all(|i| i.dst.as_vgrf() != Some(v))
        })
    }

    /// The first source of the payload, if all of them are contiguous and the messages can read
    /// them in place.
    fn contiguous_sources(&self, c: &Collect) -> Option<Src> {
        let exec = self.inst(c).exec;
        let payload = self.payload(c);
        let first = payload.parts.first()?.src;
        let v = first.as_vgrf()?;
        if self.lir.vgrfs[c.dst].fixed.is_some() || !first.offset.is_multiple_of(GRF_BYTES) {
            return None;
        }
        let mut at = first.offset;
        for p in &payload.parts {
            if p.src.reg != first.reg || p.src.offset != at || !has_payload_layout(p, exec) {
                return None;
            }
            at += p.bytes;
        }
        // Messages read whole registers.
        let end = at.next_multiple_of(GRF_BYTES);
        let range = (v, first.offset, end);
        let exists = end <= u32::from(self.lir.vgrfs[v].regs) * GRF_BYTES;
        let fits = exists && !self.overlaps_other_payload(c, range) && self.is_unchanged(c, range);
        fits.then_some(Src::vgrf(v, first.offset, Type::Ud, 1))
    }

    /// Makes the messages read their payload from `first` on.
    fn redirect_reads(&mut self, c: &Collect, first: Src) {
        for &(at, i) in &c.reads {
            let src = &mut self.lir.insts[at as usize].src[usize::from(i)];
            src.reg = first.reg;
            src.offset += first.offset;
            if let Some(v) = first.as_vgrf() {
                let u = &mut self.uses[v];
                u.last_read = u.last_read.max(at);
            }
        }
    }

    /// Builds the payload part by part, by merging VGRFs into it and by moves.
    fn build(&mut self, c: &Collect) {
        let parts = std::mem::take(&mut self.lir.payloads[c.payload]).parts;
        let collect = *self.inst(c);
        let mut at = 0;
        let mut k = 0;
        while k < parts.len() {
            let n = self.mergeable_parts(c, &parts[k..], collect.exec, at);
            if n > 0 {
                if let Some(v) = parts[k].src.as_vgrf() {
                    self.uses[v].merged = Some((c.dst, at));
                }
                at += parts[k..k + n].iter().map(|p| p.bytes).sum::<u32>();
                k += n;
                continue;
            }
            let moves = &mut self.moves;
            let dst = collect.dst.reg;
            let n = payload_moves::emit_next(&parts[k..], &collect, dst, at, |inst| {
                moves.push((c.at, inst));
            });
            at += parts[k..k + n].iter().map(|p| p.bytes).sum::<u32>();
            k += n;
        }
        self.save_overwritten_sources(c);
        self.lir.payloads[c.payload].parts = parts;
    }

    /// The number of parts, from the first one on, that together are a whole VGRF that can be
    /// merged into the payload at byte `at`; 0 if there is no such VGRF.
    fn mergeable_parts(&self, c: &Collect, parts: &[PayloadPart], exec: u8, at: u32) -> usize {
        let Some(v) = parts[0].src.as_vgrf() else {
            return 0;
        };
        let u = &self.uses[v];
        let vgrf = &self.lir.vgrfs[v];
        let local = u.first_def >= c.block_start
            && u.first_def < c.at
            && u.last_def < c.at
            && c.at - u.first_def <= WINDOW
            && u.first_read > u.first_def
            && u.last_read <= c.at;
        if !local || u.merged.is_some() || u.indirect || vgrf.fixed.is_some() || v == c.dst {
            return 0;
        }
        if !at.is_multiple_of(GRF_BYTES) || self.is_other_payload(c, v) {
            return 0;
        }
        let bytes = u32::from(vgrf.regs) * GRF_BYTES;
        let mut end = 0;
        for (n, p) in parts.iter().enumerate() {
            if p.src.reg != parts[0].src.reg || p.src.offset != end || !has_payload_layout(p, exec)
            {
                break;
            }
            end += p.bytes;
            if end == bytes {
                // A VGRF can be merged at one offset alone.
                let again = parts[n + 1..].iter().any(|p| p.src.as_vgrf() == Some(v));
                return if again { 0 } else { n + 1 };
            }
        }
        0
    }

    /// True if a message that reads the payload has the VGRF as its other payload.
    fn is_other_payload(&self, c: &Collect, v: VgrfId) -> bool {
        c.reads.iter().any(|&(at, i)| {
            let other = &self.lir.insts[at as usize].src[usize::from(1 - i)];
            other.as_vgrf() == Some(v)
        })
    }

    /// Copies sources that are in the payload's own VGRF to temporaries, before the moves overwrite
    /// them.
    fn save_overwritten_sources(&mut self, c: &Collect) {
        let start = self.moves.partition_point(|m| m.0 < c.at);
        let mut saves: SmallVec<[(u32, Inst); 2]> = SmallVec::new();
        for k in start..self.moves.len() {
            let inst = self.moves[k].1;
            if inst.src[0].as_vgrf() != Some(c.dst) {
                continue;
            }
            let saved = self
                .lir
                .vgrf(u32::from(inst.exec) * u32::from(inst.dst.stride) * inst.dst.ty.size_bytes());
            let mut save = inst;
            save.dst.reg = Reg::Vgrf(saved);
            save.dst.offset = 0;
            let src = &mut self.moves[k].1.src[0];
            *src = Src::vgrf(saved, 0, inst.dst.ty, inst.dst.stride);
            saves.push((c.at, save));
        }
        self.moves.splice(start..start, saves);
    }

    /// Replaces the collects by their moves, and the merged VGRFs by the payloads.
    fn finish(self) {
        let Lowering {
            lir, uses, moves, ..
        } = self;
        let insts = std::mem::take(&mut lir.insts);
        lir.insts.reserve(insts.len() + moves.len());
        let mut moves = moves.into_iter().peekable();
        for (at, inst) in insts.into_iter().enumerate() {
            if let Op::Collect(_) = inst.op {
                while let Some((_, mov)) = moves.next_if(|m| m.0 == at as u32) {
                    lir.insts.push(mov);
                }
            } else {
                lir.insts.push(inst);
            }
        }
        let rename = |reg: &mut Reg, offset: &mut u32| {
            if let Reg::Vgrf(v) = *reg
                && let Some((to, at)) = uses[v].merged
            {
                *reg = Reg::Vgrf(to);
                *offset += at;
            }
        };
        for inst in &mut lir.insts {
            rename(&mut inst.dst.reg, &mut inst.dst.offset);
            for s in &mut inst.src {
                rename(&mut s.reg, &mut s.offset);
            }
        }
        lir.payloads = entity::Arena::new();
    }
}
