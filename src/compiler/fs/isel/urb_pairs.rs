//! Pairs of adjacent URB slots of a vertex that one message reads or writes.
//!
//! In:  loads of inputs in geometry and tessellation control shaders, and stores of control points,
//! each of one slot.
//! Out: for two such accesses of a block to adjacent slots of one vertex, a single message. Loads
//! happen where the first one is, unless their values are output unchanged; stores where the second
//! one is, if no output is read in between.
//! Ref: SKL PRM vol. 7, "URB: SIMD8 Write", "SIMD8 Read": up to eight dwords. Intel's own compiler
//! (IGC, `igc-merge-urb-reads`) merges reads of adjacent slots on Skylake in the same way. Tests:
//! tests/fs/isel/urb_pairs_*.nir.

use super::analysis::UrbPair;
use super::context::Isel;
use super::payload::Thread;
use super::unsupported::unsupported;
use super::urb::UrbAddress;
use crate::error::FsError;
use crate::lir::builder::{Lanes, Mods};
use entity::{Id, IdMap};
use nir::{AluOp, CfEvent, Def, Instr, Intrinsic, IntrinsicOp, Shader};
use smallvec::SmallVec;

/// Dwords of a slot.
const SLOT_DWORDS: u8 = 4;
/// Limit of the accesses kept as candidates for pairing: the most recent ones of the block.
const MAX_CANDIDATES: usize = 64;

/// The vertex index of an access: a constant, or a def.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vertex {
    Constant(u64),
    Def(Id<Def>),
}

/// An access of one slot that may still be paired with a later one.
struct Candidate {
    id: Id<Instr>,
    vertex: Vertex,
    slot: u32,
    /// It can be the lower slot of a pair.
    lower: bool,
    /// It can be the upper slot of a pair.
    upper: bool,
    divergent: bool,
}

impl Candidate {
    /// The merged access, if the two form a pair.
    fn pair_with(&self, other: &Candidate) -> Option<UrbPair> {
        let (lower, upper) = match self.slot < other.slot {
            true => (self, other),
            false => (other, self),
        };
        let fits = lower.slot + 1 == upper.slot
            && lower.lower
            && upper.upper
            && lower.vertex == upper.vertex
            && lower.divergent == upper.divergent;
        fits.then_some(UrbPair::Both {
            slot: lower.slot,
            lower: lower.id,
            upper: upper.id,
        })
    }

    /// Finds and removes a partner among earlier accesses. Returns the merged access, and the
    /// partner.
    fn take_pair(&self, seen: &mut SmallVec<[Candidate; 8]>) -> Option<(UrbPair, Id<Instr>)> {
        let (index, pair) = seen
            .iter()
            .enumerate()
            .find_map(|(index, o)| Some((index, o.pair_with(self)?)))?;
        Some((pair, seen.swap_remove(index).id))
    }
}

impl Isel<'_> {
    /// Finds the pairs of a shader.
    pub(super) fn find_urb_pairs(&mut self, layout: &[CfEvent]) {
        if !matches!(self.thread, Thread::Control(_) | Thread::Geometry(_)) {
            return;
        }
        let sh = self.sh;
        // Such a value can be coalesced into the payload of the URB write only if it has a response
        // of its own.
        let unchanged = match self.thread {
            Thread::Geometry(_) => stored_unchanged(sh, layout),
            _ => IdMap::default(),
        };
        for event in layout {
            let CfEvent::Block(b) = *event else { continue };
            let mut loads: SmallVec<[Candidate; 8]> = SmallVec::new();
            let mut stores: SmallVec<[Candidate; 8]> = SmallVec::new();
            for &id in &sh.blocks[b].instrs {
                let Instr::Intrinsic(i) = &sh.instrs[id] else {
                    continue;
                };
                match i.op {
                    IntrinsicOp::LoadPerVertexInput => {
                        let Some(access) = self.load_candidate(id, i, &unchanged) else {
                            continue;
                        };
                        match access.take_pair(&mut loads) {
                            Some((pair, first)) => {
                                self.urb_pairs.0[first] = pair;
                                self.urb_pairs.0[id] = UrbPair::Elsewhere;
                            }
                            None => push_candidate(&mut loads, access),
                        }
                    }
                    IntrinsicOp::StorePerVertexOutput => {
                        let Some(access) = self.store_candidate(id, i) else {
                            stores.clear();
                            continue;
                        };
                        // An access with another vertex index may alias this one.
                        stores.retain(|o| o.slot != access.slot && o.vertex == access.vertex);
                        match access.take_pair(&mut stores) {
                            Some((pair, first)) => {
                                self.urb_pairs.0[first] = UrbPair::Elsewhere;
                                self.urb_pairs.0[id] = pair;
                            }
                            None => push_candidate(&mut stores, access),
                        }
                    }
                    IntrinsicOp::LoadOutput
                    | IntrinsicOp::LoadPerVertexOutput
                    | IntrinsicOp::Barrier => stores.clear(),
                    _ => {}
                }
            }
        }
    }

    /// The vertex index of an access.
    fn vertex_index(&self, def: Id<Def>) -> Vertex {
        match self.sh.const_component(def, 0) {
            Some(number) => Vertex::Constant(number),
            None => Vertex::Def(def),
        }
    }

    /// The varying slot of an access, if it is constant and not in the VUE header, and the access
    /// is 32-bit.
    fn paired_slot(&self, i: &Intrinsic, offset: Id<Def>, value: Id<Def>) -> Option<u8> {
        let offset = self.sh.const_component(offset, 0)?;
        let slot = u8::try_from(u64::from(i.index("location")) + offset).ok()?;
        (!abi::in_header(slot) && self.bits(value) == 32).then_some(slot)
    }

    /// A load as a candidate, if it can be paired.
    fn load_candidate(
        &self,
        id: Id<Instr>,
        i: &Intrinsic,
        unchanged: &IdMap<Def, bool>,
    ) -> Option<Candidate> {
        let def = i
            .def
            .filter(|def| self.uses[def.index()] > 0 && !unchanged[*def])?;
        let slot = self.paired_slot(i, i.srcs[1], def)?;
        Some(Candidate {
            id,
            vertex: self.vertex_index(i.srcs[0]),
            slot: self.input_vue_map.slot_index(slot)? as u32,
            lower: true,
            upper: true,
            divergent: self.is_divergent(def),
        })
    }

    /// A store as a candidate, if it can be paired.
    fn store_candidate(&self, id: Id<Instr>, i: &Intrinsic) -> Option<Candidate> {
        let Thread::Control(thread) = &self.thread else {
            return None;
        };
        let slot = self.paired_slot(i, i.srcs[2], i.srcs[0])?;
        let n = self.sh.defs[i.srcs[0]].num_components;
        let mask = i.index("write_mask") & ((1 << n) - 1);
        // It must write the slot from the first dword on, without gaps.
        let upper = i.index("component") == 0 && mask & (mask + 1) == 0;
        Some(Candidate {
            id,
            vertex: self.vertex_index(i.srcs[1]),
            slot: thread.info.patch.point_slot_index(slot)? as u32,
            lower: upper && mask == 0xf,
            upper,
            divergent: true,
        })
    }

    /// Selects a paired access. Returns false if the access is not paired.
    pub(super) fn select_urb_pair(&mut self, id: Id<Instr>) -> Result<bool, FsError> {
        let (slot, lower, upper) = match self.urb_pairs.0[id] {
            UrbPair::None => return Ok(false),
            UrbPair::Elsewhere => return Ok(true),
            UrbPair::Both { slot, lower, upper } => (slot, lower, upper),
        };
        let sh = self.sh;
        let (Instr::Intrinsic(lower), Instr::Intrinsic(upper)) =
            (&sh.instrs[lower], &sh.instrs[upper])
        else {
            return Ok(false);
        };
        match lower.op {
            IntrinsicOp::LoadPerVertexInput => self.select_load_pair(slot, lower, upper)?,
            _ => self.select_store_pair(lower, upper)?,
        }
        Ok(true)
    }

    fn select_load_pair(
        &mut self,
        slot: u32,
        lower: &Intrinsic,
        upper: &Intrinsic,
    ) -> Result<(), FsError> {
        let handles = self.vertex_handles(lower)?;
        let exec = self.urb_exec(lower);
        let components = upper.def.map_or(0, |def| self.sh.defs[def].num_components);
        let n = SLOT_DWORDS + upper.index("component") as u8 + components;
        let v = self.urb_read(exec, handles, UrbAddress::constant(slot), n, false);
        self.set_from_response(lower, exec, v, 0);
        self.set_from_response(upper, exec, v, SLOT_DWORDS);
        Ok(())
    }

    fn select_store_pair(&mut self, lower: &Intrinsic, upper: &Intrinsic) -> Result<(), FsError> {
        let handles = self.patch_handle(lower)?;
        let Some(address) = self.point_address(lower, 1, 2)? else {
            return Err(unsupported(lower));
        };
        let mut values: SmallVec<[Lanes; 8]> = SmallVec::new();
        for i in [lower, upper] {
            for c in 0..i
                .index("write_mask")
                .trailing_ones()
                .min(SLOT_DWORDS.into())
            {
                values.push(self.comp(i.srcs[0], c as u8, isa::Type::Ud));
            }
        }
        self.urb_write(handles, address, None, &values, Mods::NONE, false);
        Ok(())
    }
}

/// Adds an access to the candidates, dropping the oldest if there are too many.
fn push_candidate(all: &mut SmallVec<[Candidate; 8]>, access: Candidate) {
    if all.len() == MAX_CANDIDATES {
        all.remove(0);
    }
    all.push(access);
}

/// The defs that output stores write unchanged.
fn stored_unchanged(sh: &Shader, layout: &[CfEvent]) -> IdMap<Def, bool> {
    let mut out = IdMap::for_arena(&sh.defs, false);
    for event in layout {
        let CfEvent::Block(b) = *event else { continue };
        for &id in &sh.blocks[b].instrs {
            let Instr::Intrinsic(i) = &sh.instrs[id] else {
                continue;
            };
            if i.op != IntrinsicOp::StoreOutput {
                continue;
            }
            let value = i.srcs[0];
            out[value] = true;
            if let Some(alu) = sh.alu_of(value)
                && (alu.op == AluOp::Mov || alu.op.is_vec())
            {
                alu.srcs.iter().for_each(|src| out[src.def] = true);
            }
        }
    }
    out
}
