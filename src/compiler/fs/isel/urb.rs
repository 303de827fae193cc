//! URB entries: how the stages of geometry read and write them.
//!
//! In:  handles, places in slots. Out: SIMD8 messages.
//! Ref: SKL PRM vol. 7, "URB: SIMD8 Write", "SIMD8 Read".

use super::Isel;
use super::payload::Outputs;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Src, VgrfId};
use abi::VueMap;
use isa::Type;
use smallvec::SmallVec;

/// Values that go to one place of an entry, and to what follows it.
pub(super) type Run = (u32, SmallVec<[Lanes; 8]>);

/// Where in an entry something is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Slot that is known.
    pub(super) slot: u32,
    /// Slots that each lane adds.
    pub(super) offset: Option<Lanes>,
}

impl Place {
    pub(super) const fn at(slot: u32) -> Place {
        Place { slot, offset: None }
    }
}

/// What a stage writes for a vertex, as runs of up to two slots.
pub(super) fn runs(outputs: &Outputs, map: &VueMap) -> Vec<Run> {
    // What nobody writes is not defined; of the header the fixed functions read all.
    let (zero, gap) = (Lanes::imm(Type::Ud, 0), Lanes::null(Type::Ud, 4));
    let mut runs: Vec<Run> = Vec::new();
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
        // What nobody writes behind the last component is not sent.
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
    /// A value that is the same for all lanes, in all eight of a register.
    pub(super) fn in_all_lanes(&mut self, value: Lanes) -> Lanes {
        let to = self.b.temp(Type::Ud, Exec::NoMask(8));
        self.b.mov(Exec::NoMask(8), to, value);
        to
    }

    /// Reads `n` dwords of each lane's entry. What others write meanwhile is `changing`.
    pub(super) fn urb_read(
        &mut self,
        exec: Exec,
        handles: Lanes,
        place: Place,
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

    /// Writes dwords of each lane's entry. `channels` are those of a single slot that are written, if not all. The `last` one ends the
    /// thread.
    pub(super) fn urb_write(
        &mut self,
        handles: Lanes,
        place: Place,
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
            // The handles stay where they are.
            info.ex_mlen = info.mlen - 1;
            info.mlen = 1;
            let handles = self.b.collect(Exec::NoMask(8), &[handles], &[]);
            (handles, self.b.collect(Exec::Active, &[], &all))
        };
        self.b
            .send(Exec::Active, null, payload, second, none, info, mods);
    }

    /// Writes a vertex that a thread made, and ends the thread.
    pub(super) fn write_vertex(&mut self, handles: VgrfId, outputs: &Outputs) {
        let handles = Lanes::new(handles, 0, Type::Ud, 4);
        let mut writes = runs(outputs, &outputs.vertices().vue);
        if writes.is_empty() {
            // A thread ends with a message, and a message has data: a position that nobody asked for.
            writes.push((1, SmallVec::from_elem(Lanes::null(Type::Ud, 4), 4)));
        }
        let last = writes.len() - 1;
        for (k, (slot, values)) in writes.into_iter().enumerate() {
            let place = Place::at(slot);
            self.urb_write(handles, place, None, &values, Mods::NONE, k == last);
        }
    }
}
