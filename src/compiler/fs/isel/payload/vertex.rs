//! What a vertex thread starts with, and what its launcher must know.
//!
//! In:  the intrinsics of the shader. Out: [`VertexThread`], whose parts get registers when all is known.
//! Ref: SKL PRM vol. 7, "Vertex Shader: SIMD8 Payload".

use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::lir::{GRF_BYTES, Lir, VgrfId};
use abi::{StageInfo, VertexElement, VertexInfo};
use nir::{CfEvent, Intrinsic, IntrinsicOp, Shader, Slot};

/// Registers of an element: one for each component.
const ELEMENT_REGS: u16 = 4;

/// A vertex thread.
pub(in crate::isel) struct VertexThread {
    /// The handles of the vertices' URB entries, r1.
    pub(in crate::isel) handles: VgrfId,
    pub(in crate::isel) elements: Vec<VertexElement>,
    /// Components of elements that are read: (element, component, register).
    pub(in crate::isel) inputs: Vec<(usize, u8, VgrfId)>,
    pub(in crate::isel) outputs: Outputs,
}

/// Component of [`VertexElement::DrawParameters`], or the draw's number.
pub(in crate::isel) fn draw_value(op: IntrinsicOp) -> Option<(VertexElement, u8)> {
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

/// The locations that a load may name.
pub(in crate::isel) fn locations(i: &Intrinsic) -> impl Iterator<Item = VertexElement> + use<> {
    let first = i.index("location").saturating_sub(u32::from(Slot::VAR0.0));
    (first..first + i.index("num_slots").max(1)).map(|l| VertexElement::Location(l as u8))
}

impl VertexThread {
    pub(in crate::isel) fn new(sh: &Shader, layout: &[CfEvent], lir: &mut Lir) -> VertexThread {
        let mut elements = Vec::new();
        for i in intrinsics(sh, layout) {
            match draw_value(i.op) {
                Some((element, _)) => elements.push(element),
                None if i.op == IntrinsicOp::LoadInput => elements.extend(locations(i)),
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

    /// Registers of the payload besides push data.
    pub(in crate::isel) fn payload_registers(&self) -> usize {
        2 + self.elements.len().next_multiple_of(2) * usize::from(ELEMENT_REGS)
    }

    /// r0, the handles, push data, elements.
    pub(in crate::isel) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> (u16, StageInfo, u16) {
        let first = 2 + push_regs;
        lir.vgrfs[self.handles].fixed = Some(1);
        for &(element, component, v) in &self.inputs {
            let at = first + element as u16 * ELEMENT_REGS + u16::from(component);
            lir.vgrfs[v].fixed = u8::try_from(at).ok();
        }
        // They are pushed by twos.
        let end = first + self.elements.len().next_multiple_of(2) as u16 * ELEMENT_REGS;
        let info = VertexInfo {
            elements: self.elements.clone(),
            outputs: self.outputs.vertices(),
        };
        (2, StageInfo::Vertex(info), end)
    }
}
