//! Loads at uniform addresses as block messages.
//!
//! In:  loads of dwords, from storage buffers and at 64-bit addresses, that are the same for all
//! lanes.
//! Out: one block read for the loads of a block that are close to each other, at the first of them,
//! if nothing in between may write memory. Every read is used as scalars; nothing is copied to the
//! lanes.
//!
//! With robust accesses, offsets that may wrap around prevent joining: what begins before a buffer
//! is outside of it as a whole. Within its own alignment a block does not wrap around. At the end
//! of a buffer each dword is checked on its own.
//!
//! At 64-bit addresses nothing is checked: only OWords of which a part is loaded are read, or what
//! is in one page with them.
//! Ref: SKL PRM vol. 7, "Unaligned OWord Block Read", "A64 OWord Block Read". Tests:
//! tests/fs/block_loads/.

use super::analysis::{LoadRun, RunPart};
use super::context::Isel;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Src, VgrfId};
use entity::Id;
use isa::Type;
use nir::{CfEvent, Def, Effects, Instr, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// Bytes of an OWord.
const OWORD: i64 = 16;
/// Maximum bytes of a block read.
const MAX_BYTES: i64 = 128;
/// Maximum bytes between two loads that one block read serves.
const MAX_GAP: i64 = 32;

/// Loads with equal keys differ only in constant offsets and in size.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    op: IntrinsicOp,
    /// The buffer's handle.
    handle: Option<Id<Def>>,
    /// The dynamic part of the offset or address.
    root: Option<Id<Def>>,
    access: u32,
    /// With robust accesses: start of the aligned block that contains the load.
    aligned_start: i64,
}

/// A load that a block read can serve.
struct Candidate {
    key: Key,
    /// The constant part of the offset: first byte and end.
    first: i64,
    end: i64,
    /// A power of two, and the residue of the whole offset or address of the first byte.
    align: (i64, i64),
}

impl Isel<'_> {
    /// Finds loads that one block read serves.
    pub(super) fn find_block_loads(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let mut loads: Vec<(Candidate, Id<Def>)> = Vec::new();
        for event in layout {
            let CfEvent::Block(b) = *event else { continue };
            for &id in &sh.blocks[b].instrs {
                let Instr::Intrinsic(i) = &sh.instrs[id] else {
                    continue;
                };
                // A volatile load counts as a write, too.
                let effects = sh.instrs[id].effects();
                if effects.any(Effects::WRITES.or(Effects::BARRIER)) {
                    self.join_loads(&mut loads);
                } else if let (Some(load), Some(def)) = (self.block_load(i), i.def) {
                    loads.push((load, def));
                }
            }
            self.join_loads(&mut loads);
        }
    }

    /// Divides loads, between which nothing writes memory, into runs.
    fn join_loads(&mut self, loads: &mut Vec<(Candidate, Id<Def>)>) {
        // The last run of each key.
        let mut open: SmallVec<[(Key, usize); 4]> = SmallVec::new();
        loads.sort_by_key(|(load, _)| load.first);
        align_addresses(loads);
        for (load, def) in loads.drain(..) {
            let runs = &mut self.block_loads.runs;
            let last = open.iter_mut().find(|o| o.0 == load.key);
            let run = match last {
                Some((_, run)) if runs[*run].try_join(&load) => *run,
                last => {
                    let run = runs.len();
                    match last {
                        Some((_, last)) => *last = run,
                        None => open.push((load.key, run)),
                    }
                    runs.push(LoadRun {
                        root: load.key.root,
                        first: load.first,
                        end: load.end,
                        align: load.align,
                        loads: 1,
                        parts: SmallVec::new(),
                    });
                    run
                }
            };
            self.block_loads.run_of[def] = Some((run as u32, load.first));
        }
    }

    /// The load of an intrinsic, if a block read can serve it.
    fn block_load(&self, i: &Intrinsic) -> Option<Candidate> {
        let (handle, offset) = match i.op {
            IntrinsicOp::LoadSsbo => (Some(i.srcs[0]), i.srcs[1]),
            IntrinsicOp::LoadGlobal | IntrinsicOp::LoadGlobalConstant => (None, i.srcs[0]),
            _ => return None,
        };
        let d = self.sh.defs[i.def?];
        if d.bit_size != 32 || self.is_divergent(i.def?) {
            return None;
        }
        let access = i.index("access");
        let (root, first) = self.split_offset(offset)?;
        if root.is_some_and(|root| self.is_divergent(root)) {
            return None;
        }
        let first = i64::from(first);
        let end = first + i64::from(d.num_components) * 4;
        let mul = i64::from(i.index("align_mul").max(1));
        let residue = i64::from(i.index("align_offset")) % mul;
        let aligned_start = match root {
            Some(_) if handle.is_some() && self.robust_storage => {
                let unit = mul.min(MAX_BYTES);
                if residue % unit + (end - first) > unit {
                    return None;
                }
                first - residue % unit
            }
            _ => 0,
        };
        if handle.is_none() && self.soft_int64 {
            return None;
        }
        Some(Candidate {
            key: Key {
                op: i.op,
                handle,
                root,
                access,
                aligned_start,
            },
            first,
            end,
            align: (mul, residue),
        })
    }

    /// Selects a load from a buffer that shares a block read with others. Returns false if it
    /// shares none.
    pub(super) fn select_joined_load(
        &mut self,
        i: &Intrinsic,
        handle: Lanes,
        handle_offset: u32,
    ) -> bool {
        let Some((run, first)) = i.def.and_then(|def| self.block_loads.run_of[def]) else {
            return false;
        };
        let LoadRun {
            root,
            first: start,
            end,
            loads,
            ref parts,
            ..
        } = self.block_loads.runs[run as usize];
        if loads == 1 {
            return false;
        }
        if parts.is_empty() {
            let regs = ((end - start) as u32).div_ceil(GRF_BYTES);
            let regs = regs.next_power_of_two() as u8;
            let address = match root {
                None => Lanes::imm(Type::Ud, start as u64),
                Some(root) => self.byte_offset(root, start as u32),
            };
            let v = self.read_block(handle, handle_offset, address, regs, true);
            let part = RunPart { start, end, v };
            self.block_loads.runs[run as usize].parts.push(part);
        }
        self.set_from_run(i, run, first);
        true
    }

    /// Selects a load at a 64-bit address that is the same for all lanes.
    pub(super) fn select_uniform_global_load(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let Some((run, first)) = self.block_loads.run_of[def] else {
            let n = self.sh.defs[def].num_components;
            let address = self.comp(i.srcs[0], 0, Type::Uq);
            let payload = self.address_payload(address, Exec::NoMask(8));
            let v = self.read_for_all(payload, n);
            for c in 0..n {
                self.set_lanes(def, c, Lanes::new(v, u32::from(c) * GRF_BYTES, Type::Ud, 0));
            }
            return;
        };
        if self.block_loads.runs[run as usize].parts.is_empty() {
            let blocks = self.block_loads.runs[run as usize].owords();
            let root = self.block_loads.runs[run as usize].root;
            for (start, owords) in blocks {
                let v = self.read_owords(root, start, owords);
                let end = start + i64::from(owords) * OWORD;
                let part = RunPart { start, end, v };
                self.block_loads.runs[run as usize].parts.push(part);
            }
        }
        self.set_from_run(i, run, first);
    }

    /// Sets the components of a load, which begin at byte `first` of a run, from what was read.
    fn set_from_run(&mut self, i: &Intrinsic, run: u32, first: i64) {
        let Some(def) = i.def else { return };
        for c in 0..self.sh.defs[def].num_components {
            let byte = first + i64::from(c) * 4;
            let mut parts = self.block_loads.runs[run as usize].parts.iter();
            if let Some(part) = parts.find(|p| p.start <= byte && byte < p.end) {
                let value = Lanes::new(part.v, (byte - part.start) as u32, Type::Ud, 0);
                self.set_lanes(def, c, value);
            }
        }
    }

    /// Reads 1, 2, 4 or 8 OWords from the address `root + start` on.
    fn read_owords(&mut self, root: Option<Id<Def>>, start: i64, owords: u8) -> VgrfId {
        let ud = Type::Ud;
        let header = *self.shared.address_header.get_or_insert_with(|| {
            let v = self.b.lir.vgrf(GRF_BYTES);
            let whole = Lanes::new(v, 0, ud, 4);
            self.b
                .in_prologue(|b| b.mov(Exec::NoMask(8), whole, Lanes::imm(ud, 0)));
            v
        });
        let to = Lanes::new(header, 0, Type::Uq, 0);
        let address = root.map(|root| self.comp(root, 0, Type::Uq));
        let constant = address.map_or(Some(0), |a| a.imm_bits());
        match (address, constant) {
            (Some(address), None) if start == 0 => self.b.mov(Exec::Scalar, to, address),
            (Some(address), None) => {
                let (to, address) = (to.retype(Type::Q), address.retype(Type::Q));
                let start = Lanes::imm(Type::Q, start as u64);
                self.b.binary(
                    isa::Opcode::Add,
                    Exec::Scalar,
                    to,
                    address,
                    start,
                    Mods::NONE,
                );
            }
            (_, constant) => {
                let bits = constant.unwrap_or(0).wrapping_add_signed(start);
                let address = self.b.imm_reg(Type::Uq, bits);
                self.b.mov(Exec::Scalar, to, address);
            }
        }
        let info = message::a64_block_read(owords);
        let v = self.b.lir.vgrf(u32::from(info.rlen) * GRF_BYTES);
        self.b.send(
            Exec::NoMask(8),
            Dst::vgrf(v, 0, ud, 1),
            Src::vgrf(header, 0, ud, 1),
            Src::NULL,
            Src::NULL,
            info,
            Mods::NONE,
        );
        v
    }
}

/// Gives the loads at 64-bit addresses with equal dynamic parts the largest of their alignments,
/// and removes those that are not known to be aligned to OWords, which cannot be read.
fn align_addresses(loads: &mut Vec<(Candidate, Id<Def>)>) {
    for k in 0..loads.len() {
        let load = &loads[k].0;
        let same = loads.iter().filter(|(other, _)| {
            load.key.handle.is_none()
                && other.key.handle.is_none()
                && other.key.root == load.key.root
        });
        if let Some((best, _)) = same.max_by_key(|(other, _)| other.align.0) {
            let residue = best.align.1 + load.first - best.first;
            loads[k].0.align = (best.align.0, residue.rem_euclid(best.align.0));
        }
    }
    loads.retain(|(load, _)| load.key.handle.is_some() || load.align.0 >= OWORD);
}

impl LoadRun {
    /// Adds a load with the same key that does not begin before the run, if the block does not
    /// become too large.
    fn try_join(&mut self, load: &Candidate) -> bool {
        let end = self.end.max(load.end);
        // At 64-bit addresses the block begins and ends with whole OWords.
        let (whole_first, whole_end) = match load.key.handle {
            Some(_) => (self.first, end),
            None => self.whole_owords(self.first, end),
        };
        if whole_end - whole_first > MAX_BYTES || load.first - self.end > MAX_GAP {
            return false;
        }
        self.end = end;
        self.loads += 1;
        true
    }

    /// The residue of the address of a byte, modulo `unit`, which is not more than the alignment.
    fn residue(&self, byte: i64, unit: i64) -> i64 {
        (self.align.1 + byte - self.first).rem_euclid(unit)
    }

    /// Start and end of the OWords that contain the bytes `first..end`.
    fn whole_owords(&self, first: i64, end: i64) -> (i64, i64) {
        let start = first - self.residue(first, OWORD);
        (start, start + (end - start + OWORD - 1) / OWORD * OWORD)
    }

    /// The block reads that cover the run: first byte, and number of OWords.
    fn owords(&self) -> SmallVec<[(i64, u8); 2]> {
        let (mut start, end) = self.whole_owords(self.first, self.end);
        let mut out = SmallVec::new();
        while start < end {
            let left = (end - start) / OWORD;
            // A block within its own alignment is in one page.
            let bytes = |n: i64| n * OWORD;
            let in_page = |n: i64| self.align.0 >= bytes(n) && self.residue(start, bytes(n)) == 0;
            let mut sizes = [1, 2, 4, 8].into_iter();
            let all = sizes.find(|&n| n == left || n > left && in_page(n));
            let largest = [8, 4, 2].into_iter().find(|&n| n <= left);
            let n = all.or(largest).unwrap_or(1);
            out.push((start, n as u8));
            start += bytes(n);
        }
        out
    }
}
