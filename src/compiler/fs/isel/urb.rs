//! URB entries: how geometry stages read and write them.
//!
//! In:  URB handles, and slots of an entry. Out: SIMD8 messages.
//! Ref: SKL PRM vol. 7, "URB: SIMD8 Write", "SIMD8 Read".

use super::context::Isel;
use super::payload::Outputs;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Op, Src, VgrfId};
use abi::VueMap;
use entity::Id;
use isa::{CondMod, Opcode, Type};
use nir::{Def, Intrinsic};
use smallvec::SmallVec;

/// All lanes of a thread of a geometry stage, ignoring the execution mask.
pub(super) const ALL_LANES: Exec = Exec::NoMask(8);

/// A slot of an entry, and the values to write from there on.
pub(super) type SlotRun = (u32, SmallVec<[Lanes; 8]>);

/// A position within a URB entry.
#[derive(Clone, Copy)]
pub(super) struct UrbAddress {
    /// The constant slot.
    pub(super) slot: u32,
    /// Slots to add in each lane.
    pub(super) offset: Option<Lanes>,
}

impl UrbAddress {
    /// A slot without per-lane offset.
    pub(super) const fn constant(slot: u32) -> UrbAddress {
        UrbAddress { slot, offset: None }
    }
}

/// The outputs of a vertex as runs of up to two adjacent slots.
pub(super) fn slot_runs(outputs: &Outputs, map: &VueMap) -> Vec<SlotRun> {
    // Unwritten components are undefined, but fixed functions read the whole VUE header.
    let (zero, gap) = (Lanes::imm(Type::Ud, 0), Lanes::null(Type::Ud, 4));
    let mut runs: Vec<SlotRun> = Vec::new();
    for (address, &slot) in map.slots.iter().enumerate() {
        let address = address as u32;
        let values: [Option<Lanes>; 4] = if abi::in_header(slot) {
            let dword = |s: u8| outputs.component(s, 0, 0);
            let (layer, viewport) = (dword(abi::slot::LAYER), dword(abi::slot::VIEWPORT));
            [None, layer, viewport, dword(abi::slot::POINT_SIZE)]
        } else {
            std::array::from_fn(|c| outputs.component(slot, 0, c as u8))
        };
        if values.iter().all(Option::is_none) {
            continue;
        }
        // Unwritten components at the end of a slot are not sent.
        let sent = values
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |n| n + 1);
        let none = if abi::in_header(slot) { zero } else { gap };
        let values = values.into_iter().take(sent).map(|v| v.unwrap_or(none));
        match runs.last_mut() {
            Some((first, run)) if run.len() <= 4 && *first + 1 == address => {
                run.resize(4, gap);
                run.extend(values);
            }
            _ => runs.push((address, values.collect())),
        }
    }
    runs
}

impl Isel<'_> {
    /// Reads `n` dwords of each lane's entry. `changing`: other threads may write them meanwhile.
    pub(super) fn urb_read(
        &mut self,
        exec: Exec,
        handles: Lanes,
        address: UrbAddress,
        n: u8,
        changing: bool,
    ) -> VgrfId {
        let to = self.b.lir.vgrf(u32::from(n) * GRF_BYTES);
        let values: SmallVec<[Lanes; 1]> = address.offset.into_iter().collect();
        let payload = self.b.collect(exec, &[handles], &values);
        let mut info = message::urb_read(address.slot, address.offset.is_some(), n);
        info.reads = changing;
        let dst = Dst::vgrf(to, 0, Type::Ud, 1);
        let none = Src::NULL;
        self.b
            .send(exec, dst, payload, none, none, info, Mods::NONE);
        to
    }

    /// Writes dwords of each lane's entry. `channels` masks the components of a single slot to
    /// write. With `last` the message ends the thread.
    pub(super) fn urb_write(
        &mut self,
        handles: Lanes,
        address: UrbAddress,
        channels: Option<u32>,
        values: &[Lanes],
        mods: Mods,
        last: bool,
    ) {
        const MASK_SHIFT: u32 = 16;
        let mask = channels.map(|c| Lanes::imm(Type::Ud, u64::from(c) << MASK_SHIFT));
        let all: SmallVec<[Lanes; 10]> = address
            .offset
            .into_iter()
            .chain(mask)
            .chain(values.iter().copied())
            .collect();
        let mut info = message::urb_write(
            address.slot,
            address.offset.is_some(),
            channels.is_some(),
            values.len() as u8,
        );
        info.eot = last;
        let null = Dst::null(Type::Ud);
        let none = Src::NULL;
        let (payload, second) = if last {
            (self.b.collect_eot(Exec::Active, &[handles], &all), none)
        } else {
            // The handles are a payload of their own, so that they need no copy.
            info.ex_mlen = info.mlen - 1;
            info.mlen = 1;
            let handles = self.b.collect(ALL_LANES, &[handles], &[]);
            (handles, self.b.collect(Exec::Active, &[], &all))
        };
        self.b
            .send(Exec::Active, null, payload, second, none, info, mods);
    }

    /// Writes the vertex of each lane, and ends the thread.
    pub(super) fn write_vertex(&mut self, handles: VgrfId, outputs: &Outputs) {
        let handles = Lanes::new(handles, 0, Type::Ud, 4);
        let mut writes = slot_runs(outputs, &outputs.vertices().vue);
        if writes.is_empty() {
            // The thread must end with a message, and a message must have data: writes an undefined
            // position.
            writes.push((1, SmallVec::from_elem(Lanes::null(Type::Ud, 4), 4)));
        }
        let last = writes.len() - 1;
        for (k, (slot, values)) in writes.into_iter().enumerate() {
            let address = UrbAddress::constant(slot);
            self.urb_write(handles, address, None, &values, Mods::NONE, k == last);
        }
    }

    /// The lanes for which a URB address is computed and read. If the result is uniform, these are
    /// all lanes, because the message then uses inactive ones too.
    pub(super) fn urb_exec(&self, i: &Intrinsic) -> Exec {
        match i.def {
            Some(def) if !self.is_divergent(def) => ALL_LANES,
            _ => Exec::Active,
        }
    }

    /// The URB address of the slot that an access indexes with `offset`, which may be dynamic;
    /// `slot_of` maps a varying slot to its slot in the entry. `None` if the entry has none of
    /// these slots.
    pub(super) fn slot_address(
        &mut self,
        i: &Intrinsic,
        offset: Id<Def>,
        slot_of: impl Fn(u8) -> Option<u32>,
    ) -> Result<Option<UrbAddress>, FsError> {
        let (first, exec) = (i.index("location"), self.urb_exec(i));
        if let Some(n) = self.sh.const_component(offset, 0) {
            let slot = first.saturating_add(n as u32);
            return Ok(u8::try_from(slot)
                .ok()
                .and_then(slot_of)
                .map(UrbAddress::constant));
        }
        let slots: Vec<Option<u32>> = (first..first + i.index("num_slots").max(1))
            .map(|s| u8::try_from(s).ok().and_then(&slot_of))
            .collect();
        let Some(slot) = slots.iter().flatten().min().copied() else {
            return Ok(None);
        };
        let number = self.comp(offset, 0, Type::Ud);
        let in_order = (0u32..)
            .zip(&slots)
            .all(|(k, p)| p.is_none_or(|p| p == slot + k));
        if in_order {
            let offset = match number.pitch {
                4 => number,
                _ => {
                    let to = self.b.temp(Type::Ud, exec);
                    self.b.mov(exec, to, number);
                    to
                }
            };
            return Ok(Some(UrbAddress {
                slot,
                offset: Some(offset),
            }));
        }
        // The slots are not contiguous in the entry: selects the distance for each index.
        let to = self.b.temp(Type::Ud, exec);
        self.b.mov(exec, to, Lanes::imm(Type::Ud, 0));
        for (k, p) in (0u64..).zip(slots) {
            let Some(p) = p.filter(|p| *p != slot) else {
                continue;
            };
            let null = Lanes::null(Type::Ud, 4);
            let same = Mods::cmod(CondMod::Z, 0);
            let k = Lanes::imm(Type::Ud, k);
            self.b.binary(Opcode::Cmp, exec, null, number, k, same);
            let distance = Lanes::imm(Type::Ud, u64::from(p - slot));
            let mods = Mods::pred(0, false);
            self.b
                .emit(Op::Eu(Opcode::Mov), exec, to, &[distance], mods);
        }
        Ok(Some(UrbAddress {
            slot,
            offset: Some(to),
        }))
    }

    /// Reads the components of a load from URB entries. `changing`: other threads may write them
    /// meanwhile.
    pub(super) fn load_slot(
        &mut self,
        i: &Intrinsic,
        handles: Lanes,
        address: UrbAddress,
        changing: bool,
    ) {
        let Some(def) = i.def else { return };
        let n = self.sh.defs[def].num_components;
        let first =
            abi::header_dword(i.index("location") as u8).unwrap_or(i.index("component") as u8);
        let exec = self.urb_exec(i);
        let v = self.urb_read(exec, handles, address, first + n, changing);
        self.set_from_response(i, exec, v, 0);
    }

    /// Sets the components of a load from a URB response whose slot starts at dword `dword`.
    pub(super) fn set_from_response(
        &mut self,
        i: &Intrinsic,
        exec: Exec,
        response: VgrfId,
        dword: u8,
    ) {
        let Some(def) = i.def else { return };
        let first =
            abi::header_dword(i.index("location") as u8).unwrap_or(i.index("component") as u8);
        for c in 0..self.sh.defs[def].num_components {
            let offset = u32::from(dword + first + c) * GRF_BYTES;
            let lanes = Lanes::new(response, offset, Type::Ud, 4);
            let is_uniform = exec == ALL_LANES;
            self.set_lanes(def, c, if is_uniform { lanes.scalar() } else { lanes });
        }
    }

    /// Makes a def zero: an input that the previous stage does not write.
    pub(super) fn set_zero(&mut self, def: Id<Def>) {
        for c in 0..self.sh.defs[def].num_components {
            self.set_lanes(def, c, Lanes::imm(Type::Ud, 0));
        }
    }
}
