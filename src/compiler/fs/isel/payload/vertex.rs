//! The payload of vertex threads, and what the driver must know about the stage.
//!
//! In:  the intrinsics of the shader. Out: [`VertexThread`], whose parts get GRFs in
//! [`VertexThread::lay_out`].
//! Ref: SKL PRM vol. 7, "Vertex Shader: SIMD8 Payload".

use super::layout::PayloadLayout;
use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::lir::{GRF_BYTES, Lir, VgrfId};
use abi::{StageInfo, VertexElement, VertexInfo};
use nir::{CfEvent, Intrinsic, IntrinsicOp, Shader, Slot};

/// Registers of a vertex element: one for each component.
const ELEMENT_REGS: u16 = 4;

/// The payload of a vertex thread.
pub(crate) struct VertexThread {
    /// The URB handles of the output vertices, r1.
    pub(crate) handles: VgrfId,
    pub(crate) elements: Vec<VertexElement>,
    /// The element components that are read: (element, component, register).
    pub(crate) inputs: Vec<(usize, u8, VgrfId)>,
    pub(crate) outputs: Outputs,
}

/// The vertex element and component that hold a system value.
pub(crate) fn draw_parameter(op: IntrinsicOp) -> Option<(VertexElement, u8)> {
    use IntrinsicOp as I;
    Some(match op {
        I::LoadFirstVertex | I::LoadBaseVertex => (VertexElement::DrawParameters, 0),
        I::LoadBaseInstance => (VertexElement::DrawParameters, 1),
        I::LoadVertexId | I::LoadVertexIdZeroBase => (VertexElement::DrawParameters, 2),
        I::LoadInstanceId => (VertexElement::DrawParameters, 3),
        I::LoadDrawId => (VertexElement::DrawIndex, 0),
        _ => return None,
    })
}

/// The element_locations that a load may read.
pub(crate) fn element_locations(i: &Intrinsic) -> impl Iterator<Item = VertexElement> + use<> {
    let first = i.index("location").saturating_sub(u32::from(Slot::VAR0.0));
    (first..first + i.index("num_slots").max(1)).map(|l| VertexElement::Location(l as u8))
}

impl VertexThread {
    /// Scans a vertex shader.
    pub(crate) fn new(sh: &Shader, layout: &[CfEvent], lir: &mut Lir) -> VertexThread {
        let mut elements = Vec::new();
        for i in intrinsics(sh, layout) {
            match draw_parameter(i.op) {
                Some((element, _)) => elements.push(element),
                None if i.op == IntrinsicOp::LoadInput => elements.extend(element_locations(i)),
                None => {}
            }
        }
        elements.sort_unstable();
        elements.dedup();
        VertexThread {
            handles: lir.vgrf(GRF_BYTES),
            elements,
            inputs: Vec::new(),
            outputs: Outputs::new(sh, layout),
        }
    }

    /// Registers of the payload, without push data.
    pub(crate) fn payload_registers(&self) -> usize {
        2 + self.elements.len().next_multiple_of(2) * usize::from(ELEMENT_REGS)
    }

    /// Assigns GRFs: r0, output handles, push data, vertex elements.
    pub(crate) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> PayloadLayout {
        let first = 2 + push_regs;
        lir.vgrfs[self.handles].fixed = Some(1);
        for &(element, component, v) in &self.inputs {
            let grf = first + element as u16 * ELEMENT_REGS + u16::from(component);
            lir.vgrfs[v].fixed = u8::try_from(grf).ok();
        }
        // Elements are pushed in pairs.
        let end = first + self.elements.len().next_multiple_of(2) as u16 * ELEMENT_REGS;
        let info = VertexInfo {
            elements: self.elements.clone(),
            outputs: self.outputs.vertices(),
        };
        PayloadLayout {
            push_grf: 2,
            stage: StageInfo::Vertex(info),
            end,
        }
    }
}
