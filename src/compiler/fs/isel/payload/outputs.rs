//! The outputs of a stage, collected in registers until the thread ends or emits a vertex.
//!
//! In:  the shader's output stores. Out: the slots that they write, and the register of each
//! component.

use super::scan::intrinsics;
use crate::lir::Lir;
use crate::lir::builder::Lanes;
use abi::{
    LinkTarget, OutputLink, TransformFeedbackInfo, TransformFeedbackOutput, VertexOutputs, VueMap,
};
use isa::Type;
use nir::{CfEvent, ClipCullDistances, IntrinsicOp, Shader};
use rustc_hash::FxHashMap;

/// The components of one slot.
struct Output {
    slot: u8,
    /// Source index of dual-source blending.
    index: u8,
    components: [Option<Lanes>; 4],
}

/// Converts NIR's transform feedback description for the driver.
fn convert_capture(from: &nir::TransformFeedbackInfo) -> TransformFeedbackInfo {
    let dwords = from.dwords.iter().map(|c| TransformFeedbackOutput {
        slot: c.slot.0,
        component: c.component,
        buffer: c.buffer,
        stream: c.stream,
        offset_bytes: c.offset_bytes,
    });
    TransformFeedbackInfo {
        dwords: dwords.collect(),
        strides_bytes: from.strides_bytes,
    }
}

/// Converts NIR's links to the next stage for the driver.
fn convert_links(from: &[nir::OutputLink]) -> Vec<OutputLink> {
    let links = from.iter().map(|link| OutputLink {
        slot: link.slot.0,
        component: link.component,
        to: match link.to {
            nir::LinkTarget::At(slot, component) => LinkTarget::At(slot.0, component),
            nir::LinkTarget::Constant(bits) => LinkTarget::Constant(bits),
        },
    });
    links.collect()
}

/// The outputs of a stage.
#[derive(Default)]
pub(crate) struct Outputs {
    slots: Vec<Output>,
    written: u128,
    distances: ClipCullDistances,
    capture: TransformFeedbackInfo,
    links: Vec<OutputLink>,
    /// Number of stores of each component: (slot, index, component).
    stores: FxHashMap<(u8, u8, u8), u32>,
}

impl Outputs {
    /// Scans the output stores of a shader.
    pub(crate) fn new(sh: &Shader, layout: &[CfEvent]) -> Outputs {
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
            capture: convert_capture(&sh.info.capture),
            links: convert_links(&sh.info.links),
            stores,
        }
    }

    /// True for a component that exactly one instruction stores.
    pub(crate) fn is_stored_once(&self, slot: u8, index: u8, c: u8) -> bool {
        self.stores.get(&(slot, index, c)) == Some(&1)
    }

    /// The description of a vertex for the fixed functions.
    pub(crate) fn vertices(&self) -> VertexOutputs {
        // A declared distance that is never written is not enabled: gl_PerVertex declares both
        // arrays.
        let has = |slot: u8, components: u8| match self.written >> slot & 1 {
            0 => 0,
            _ => components,
        };
        let written =
            has(abi::slot::CLIP_DISTANCES_LOW, 0x0f) | has(abi::slot::CLIP_DISTANCES_HIGH, 0xf0);
        VertexOutputs {
            vue: VueMap::new(self.written),
            written: self.written,
            clip_distances: self.distances.clip & written,
            cull_distances: self.distances.cull & written,
            capture: self.capture.clone(),
            links: self.links.clone(),
        }
    }

    /// The value of a component, if it was written.
    pub(crate) fn component(&self, slot: u8, index: u8, c: u8) -> Option<Lanes> {
        let output = self
            .slots
            .iter()
            .find(|o| (o.slot, o.index) == (slot, index))?;
        output.components.get(usize::from(c)).copied().flatten()
    }

    /// Drops all values.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }

    /// The entry of a component; creates its slot. `None` if there is no such component.
    pub(crate) fn component_mut(
        &mut self,
        slot: u8,
        index: u8,
        c: u8,
    ) -> Option<&mut Option<Lanes>> {
        let position = self
            .slots
            .iter()
            .position(|o| (o.slot, o.index) == (slot, index));
        let position = position.unwrap_or_else(|| {
            self.slots.push(Output {
                slot,
                index,
                components: [None; 4],
            });
            self.slots.len() - 1
        });
        self.slots
            .get_mut(position)?
            .components
            .get_mut(usize::from(c))
    }

    /// The register of a component; allocates it at the first use.
    pub(crate) fn component_register(
        &mut self,
        lir: &mut Lir,
        slot: u8,
        index: u8,
        c: u8,
    ) -> Option<Lanes> {
        let bytes = u32::from(lir.width) * 4;
        let component = self.component_mut(slot, index, c)?;
        Some(*component.get_or_insert_with(|| Lanes::new(lir.vgrf(bytes), 0, Type::Ud, 4)))
    }
}
