//! Outputs of a stage: registers that gather what is written until the thread ends.
//!
//! In:  the shader's stores. Out: the slots that they write, and a register for each component.

use super::scan::intrinsics;
use crate::lir::Lir;
use crate::lir::builder::Lanes;
use abi::{Capture, Captured, Link, Linked, VertexOutputs, VueMap};
use isa::Type;
use nir::{CfEvent, Distances, IntrinsicOp, Shader};
use rustc_hash::FxHashMap;

/// One slot.
struct Output {
    slot: u8,
    /// Source of dual-source blending.
    index: u8,
    components: [Option<Lanes>; 4],
}

/// What is captured, in the launcher's words.
fn capture(from: &nir::Capture) -> Capture {
    let dwords = from.dwords.iter().map(|c| Captured {
        slot: c.slot.0,
        component: c.component,
        buffer: c.buffer,
        stream: c.stream,
        offset_bytes: c.offset_bytes,
    });
    Capture {
        dwords: dwords.collect(),
        strides_bytes: from.strides_bytes,
    }
}

/// Where outputs are for the stage behind, in the launcher's words.
fn links(from: &[nir::Link]) -> Vec<Link> {
    let links = from.iter().map(|link| Link {
        slot: link.slot.0,
        component: link.component,
        to: match link.to {
            nir::Linked::At(slot, component) => Linked::At(slot.0, component),
            nir::Linked::Constant(bits) => Linked::Constant(bits),
        },
    });
    links.collect()
}

/// What a stage writes.
#[derive(Default)]
pub(in crate::isel) struct Outputs {
    slots: Vec<Output>,
    written: u128,
    distances: Distances,
    capture: Capture,
    links: Vec<Link>,
    /// Stores of each component: (slot, index, component).
    stores: FxHashMap<(u8, u8, u8), u32>,
}

impl Outputs {
    pub(in crate::isel) fn new(sh: &Shader, layout: &[CfEvent]) -> Outputs {
        let mut written = 0;
        let mut stores = FxHashMap::default();
        for i in intrinsics(sh, layout).filter(|i| i.op == IntrinsicOp::StoreOutput) {
            let first = i.index("location");
            for slot in first..first + i.index("num_slots").max(1) {
                written |= 1u128.checked_shl(slot).unwrap_or(0);
            }
            let slot = first + sh.const_component(i.srcs[1], 0).unwrap_or(0) as u32;
            for c in (0..4).filter(|c| i.index("write_mask") >> c & 1 == 1) {
                let component = i.index("component") as u8 + c;
                let key = (slot as u8, i.index("index") as u8, component);
                *stores.entry(key).or_insert(0) += 1;
            }
        }
        Outputs {
            slots: Vec::new(),
            written,
            distances: sh.info.distances,
            capture: capture(&sh.info.capture),
            links: links(&sh.info.links),
            stores,
        }
    }

    /// True for a component that one place of the shader stores.
    pub(in crate::isel) fn is_stored_once(&self, slot: u8, index: u8, c: u8) -> bool {
        self.stores.get(&(slot, index, c)) == Some(&1)
    }

    /// What the fixed functions are told of a vertex.
    pub(in crate::isel) fn vertices(&self) -> VertexOutputs {
        // A distance that is declared and never written tests nothing: gl_PerVertex declares one of each.
        let has = |slot: u8, components: u8| match self.written >> slot & 1 {
            0 => 0,
            _ => components,
        };
        let there =
            has(abi::slot::CLIP_DISTANCES_LOW, 0x0f) | has(abi::slot::CLIP_DISTANCES_HIGH, 0xf0);
        VertexOutputs {
            vue: VueMap::new(self.written),
            written: self.written,
            clip_distances: self.distances.clip & there,
            cull_distances: self.distances.cull & there,
            capture: self.capture.clone(),
            links: self.links.clone(),
        }
    }

    /// A component that was written.
    pub(in crate::isel) fn component(&self, slot: u8, index: u8, c: u8) -> Option<Lanes> {
        let output = self
            .slots
            .iter()
            .find(|o| (o.slot, o.index) == (slot, index))?;
        output.components.get(usize::from(c)).copied().flatten()
    }

    /// Forgets what was written: a vertex has been emitted.
    pub(in crate::isel) fn clear(&mut self) {
        self.slots.clear();
    }

    /// The place of a component.
    pub(in crate::isel) fn place(
        &mut self,
        slot: u8,
        index: u8,
        c: u8,
    ) -> Option<&mut Option<Lanes>> {
        let known = self
            .slots
            .iter()
            .position(|o| (o.slot, o.index) == (slot, index));
        let at = known.unwrap_or_else(|| {
            self.slots.push(Output {
                slot,
                index,
                components: [None; 4],
            });
            self.slots.len() - 1
        });
        self.slots.get_mut(at)?.components.get_mut(usize::from(c))
    }

    /// The register of a component.
    pub(in crate::isel) fn register(
        &mut self,
        lir: &mut Lir,
        slot: u8,
        index: u8,
        c: u8,
    ) -> Option<Lanes> {
        let bytes = u32::from(lir.width) * 4;
        let place = self.place(slot, index, c)?;
        Some(*place.get_or_insert_with(|| Lanes::new(lir.vgrf(bytes), 0, Type::Ud, 4)))
    }
}
