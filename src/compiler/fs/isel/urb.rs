//! URB entries: how geometry stages read and write them.
//!
//! In:  URB handles, and slots of an entry. Out: SIMD8 messages.
//! Ref: SKL PRM vol. 7, "URB: SIMD8 Write", "SIMD8 Read".

use super::context::Isel;
use super::payload::Outputs;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Src, VgrfId};
use abi::VueMap;
use isa::Type;
use smallvec::SmallVec;

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
    pub(super) const fn at(slot: u32) -> UrbAddress {
        UrbAddress { slot, offset: None }
    }
}

/// The outputs of a vertex as runs of up to two adjacent slots.
pub(super) fn slot_runs(outputs: &Outputs, map: &VueMap) -> Vec<SlotRun> {
    // Unwritten components are undefined, but fixed functions read the whole VUE header.
    let (zero, gap) = (Lanes::imm(Type::Ud, 0), Lanes::null(Type::Ud, 4));
    let mut runs: Vec<SlotRun> = Vec::new();
    for (place, &slot) in map.slots.iter().enumerate() {
        let place = place as u32;
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
            Some((first, run)) if run.len() <= 4 && *first + 1 == place => {
                run.resize(4, gap);
                run.extend(values);
            }
            _ => runs.push((place, values.collect())),
        }
    }
    runs
}

impl Isel<'_> {
    /// A scalar copied to all eight lanes of a register.
    pub(super) fn in_all_lanes(&mut self, value: Lanes) -> Lanes {
        let to = self.b.temp(Type::Ud, Exec::NoMask(8));
        self.b.mov(Exec::NoMask(8), to, value);
        to
    }

    /// Reads `n` dwords of each lane's entry. `changing`: other threads may write them meanwhile.
    pub(super) fn urb_read(
        &mut self,
        exec: Exec,
        handles: Lanes,
        place: UrbAddress,
        n: u8,
        changing: bool,
    ) -> VgrfId {
        let to = self.b.lir.vgrf(u32::from(n) * GRF_BYTES);
        let values: SmallVec<[Lanes; 1]> = place.offset.into_iter().collect();
        let payload = self.b.collect(exec, &[handles], &values);
        let mut info = message::urb_read(place.slot, place.offset.is_some(), n);
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
        place: UrbAddress,
        channels: Option<u32>,
        values: &[Lanes],
        mods: Mods,
        last: bool,
    ) {
        const MASK_SHIFT: u32 = 16;
        let mask = channels.map(|c| Lanes::imm(Type::Ud, u64::from(c) << MASK_SHIFT));
        let all: SmallVec<[Lanes; 10]> = place
            .offset
            .into_iter()
            .chain(mask)
            .chain(values.iter().copied())
            .collect();
        let mut info = message::urb_write(
            place.slot,
            place.offset.is_some(),
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
            let handles = self.b.collect(Exec::NoMask(8), &[handles], &[]);
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
            let place = UrbAddress::at(slot);
            self.urb_write(handles, place, None, &values, Mods::NONE, k == last);
        }
    }
}
