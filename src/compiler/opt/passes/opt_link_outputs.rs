//! Compacts outputs for the next stage.
//!
//! In:  `store_output` of a vertex, tessellation evaluation or geometry shader that is otherwise
//!      optimised, and the inputs of the next stage ([`Ctx::next_stage_reads`]).
//! Out: dwords that always store the same constant, or that are read but never stored, are not
//!      stored. Dwords that always have equal values are stored once. The others are packed into as
//!      few slots as possible. `info.links` records the changes for the next stage
//!      (`lower_linked_inputs`). Captured outputs (transform feedback) keep their slots.
//!
//! Attributes of fragment shaders have four dwords, which are either all interpolated or all flat
//! (3DSTATE_SBE, Constant Interpolation Enable). If the next stage reads whole vertices, the dwords
//! of a slot stay together, because a single message reads them, and equal dwords are not merged.
//! Ref: SKL PRM vol. 2a, 3DSTATE_SBE.
//! Tests: tests/opt/opt_link_outputs/.

use crate::pass::Ctx;
use crate::rewrite::outputs::{move_outputs, outputs_may_move, stored_components, stored_slot};
use entity::Id;
use nir::*;
use std::collections::BTreeMap;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_link_outputs(s: &mut Shader, ctx: &Ctx) -> bool {
    let Some(reads) = ctx.next_stage_reads.filter(|_| outputs_may_move(s.stage)) else {
        return false;
    };
    let dwords = collect_dwords(s, &reads);
    let links = new_locations(s, &reads, &dwords);
    if links.is_empty() {
        return false;
    }
    move_outputs(s, |slot, component| {
        let dword = dwords.get(&(slot, component))?;
        match links.get(&(slot, component)) {
            // The capture buffer still needs it.
            Some(_) if dword.captured => Some((slot, component)),
            Some(LinkTarget::Constant(_)) => None,
            Some(LinkTarget::At(..)) if dword.equal_to.is_some() => None,
            Some(LinkTarget::At(slot, component)) => Some((*slot, *component)),
            None => Some((slot, component)),
        }
    });
    s.info.links = links
        .into_iter()
        .map(|((slot, component), to)| OutputLink {
            slot,
            component,
            to,
        })
        .collect();
    true
}

type Location = (Slot, u8);

/// A store of a dword: the block, the number of preceding `emit_vertex` in it, and the def and
/// component of the value.
type Store = (Id<Block>, u32, Id<Def>, u8);

/// A dword that the next stage reads, or that is captured.
#[derive(Default)]
struct Dword {
    stores: Vec<Store>,
    flat: bool,
    read: bool,
    captured: bool,
    /// It must keep its slot.
    pinned: bool,
    /// An earlier dword that always has the same value.
    equal_to: Option<Location>,
}

/// The dwords, by their original locations.
fn collect_dwords(s: &Shader, reads: &InputsRead) -> BTreeMap<Location, Dword> {
    let mut dwords: BTreeMap<Location, Dword> = BTreeMap::new();
    for slot in (Slot::VAR0.0..Slot::PATCH0.0).map(Slot) {
        let [smooth, flat] = reads.components_read(slot);
        for component in (0..4).filter(|c| (smooth | flat) >> c & 1 == 1) {
            let dword = dwords.entry((slot, component)).or_default();
            dword.read = true;
            dword.flat = flat >> component & 1 == 1;
            // A slot with both interpolated and flat dwords keeps its layout.
            dword.pinned = reads.is_pinned(slot) || smooth != 0 && flat != 0;
        }
    }
    for captured in &s.info.capture.dwords {
        let location = (captured.slot, captured.component);
        if captured.slot.user_location().is_some() {
            let dword = dwords.entry(location).or_default();
            (dword.captured, dword.pinned) = (true, true);
        }
    }
    for block in s.block_order() {
        let mut emitted = 0;
        for &id in &s.blocks[block].instrs {
            let Instr::Intrinsic(i) = &s.instrs[id] else {
                continue;
            };
            emitted += u32::from(i.op == IntrinsicOp::EmitVertex);
            let Some(slot) = stored_slot(s, i) else {
                continue;
            };
            for (component, def, part) in stored_components(s, i) {
                if let Some(dword) = dwords.get_mut(&(slot, component)) {
                    dword.stores.push((block, emitted, def, part));
                }
            }
        }
    }
    let mut first: BTreeMap<(bool, Vec<Store>), Location> = BTreeMap::new();
    if reads.vertices {
        return dwords;
    }
    for (location, dword) in &mut dwords {
        if dword.read && !dword.stores.is_empty() && constant_bits(s, dword).is_none() {
            let key = (dword.flat, dword.stores.clone());
            match first.get(&key) {
                Some(&equal_to) if !reads.is_pinned(location.0) => dword.equal_to = Some(equal_to),
                Some(_) => {}
                None => {
                    first.insert(key, *location);
                }
            }
        }
    }
    dwords
}

/// The constant that a dword always is. If it is never stored, any constant will do.
fn constant_bits(s: &Shader, dword: &Dword) -> Option<u32> {
    let mut stores = dword.stores.iter();
    let bits = |store: &Store| s.const_component(store.2, store.3).map(|bits| bits as u32);
    let Some(first) = stores.next() else {
        return Some(0);
    };
    let first = bits(first)?;
    stores
        .all(|store| bits(store) == Some(first))
        .then_some(first)
}

/// The new locations of the dwords that move.
fn new_locations(
    s: &Shader,
    reads: &InputsRead,
    dwords: &BTreeMap<Location, Dword>,
) -> BTreeMap<Location, LinkTarget> {
    let mut links = BTreeMap::new();
    // The dwords to place, by slot.
    let mut groups: BTreeMap<(bool, Slot), Vec<Location>> = BTreeMap::new();
    for (location, dword) in dwords {
        if dword.read
            && !reads.is_pinned(location.0)
            && let Some(bits) = constant_bits(s, dword)
        {
            links.insert(*location, LinkTarget::Constant(bits));
            continue;
        }
        if !dword.pinned && dword.equal_to.is_none() {
            groups
                .entry((dword.flat, location.0))
                .or_default()
                .push(*location);
        }
    }
    let packed = match reads.vertices {
        true => pack_groups(&groups),
        false => pack_dwords(&groups),
    };
    // If that saves no slot, everything stays where it is.
    let count = packed.iter().map(|p| p.1.0 + 1).max().unwrap_or(0);
    if count < groups.len() {
        let pinned = |slot: &Slot| {
            let all = (0..4).filter_map(|c| dwords.get(&(*slot, c)));
            let mut staying = all.filter(|dword| dword.pinned);
            staying.next().is_some()
        };
        let free = (Slot::VAR0.0..Slot::PATCH0.0).map(Slot);
        let free: Vec<_> = free.filter(|slot| !pinned(slot)).collect();
        for (from, (slot, component)) in packed {
            let to = (free[slot], component);
            if to != from {
                links.insert(from, LinkTarget::At(to.0, to.1));
            }
        }
    }
    for (location, dword) in dwords {
        if let Some(equal_to) = dword.equal_to {
            let to = match links.get(&equal_to) {
                Some(LinkTarget::At(slot, component)) => (*slot, *component),
                _ => equal_to,
            };
            links.insert(*location, LinkTarget::At(to.0, to.1));
        }
    }
    links
}

/// Each dword, with the index of its new slot and its component.
type Packed = Vec<(Location, (usize, u8))>;

/// Packs dwords one after another, interpolated ones first.
fn pack_dwords(groups: &BTreeMap<(bool, Slot), Vec<Location>>) -> Packed {
    let mut packed = Vec::new();
    let mut next: usize = 0;
    for flat in [false, true] {
        next = next.next_multiple_of(4);
        for group in groups.iter().filter(|group| group.0.0 == flat) {
            for location in group.1 {
                packed.push((*location, (next / 4, (next % 4) as u8)));
                next += 1;
            }
        }
    }
    packed
}

/// Packs the dwords of a slot together: the largest groups first, each in the first slot that has
/// room.
fn pack_groups(groups: &BTreeMap<(bool, Slot), Vec<Location>>) -> Packed {
    let mut all: Vec<_> = groups.values().collect();
    all.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut taken: Vec<usize> = Vec::new();
    let mut packed = Vec::new();
    for group in all {
        let slot = taken.iter().position(|taken| taken + group.len() <= 4);
        let slot = slot.unwrap_or_else(|| {
            taken.push(0);
            taken.len() - 1
        });
        for location in group {
            packed.push((*location, (slot, taken[slot] as u8)));
            taken[slot] += 1;
        }
    }
    packed
}
