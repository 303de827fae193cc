//! Vertex shaders: inputs and system values from the pushed vertex elements.
//!
//! In:  the intrinsics of a vertex shader. Out: reads of its payload, in which each thread has
//! eight vertices.
//! Ref: SKL PRM vol. 7, "Vertex Shader: SIMD8 Payload"; "URB: SIMD8 Write".
//! Tests: tests/fs/vertex/.

use super::context::Isel;
use super::payload::{Thread, draw_parameter, element_locations};
use super::unsupported::{unsupported, unsupported_intrinsic};
use crate::error::FsError;
use crate::lir::GRF_BYTES;
use crate::lir::builder::{Exec, Lanes, Mods};
use abi::VertexElement;
use isa::{Opcode, Type};
use nir::{Intrinsic, IntrinsicOp};

impl Isel<'_> {
    /// The payload register of a vertex element's component. `None` if the shader does not declare
    /// the element.
    fn vertex_element(&mut self, element: VertexElement, component: u8) -> Option<Lanes> {
        let Thread::Vertex(thread) = &mut self.thread else {
            return None;
        };
        let index = thread.elements.iter().position(|e| *e == element)?;
        let mut inputs = thread.inputs.iter();
        let v = match inputs.find(|i| i.0 == index && i.1 == component) {
            Some(&(.., v)) => v,
            None => {
                let v = self.b.lir.vgrf(GRF_BYTES);
                thread.inputs.push((index, component, v));
                v
            }
        };
        Some(Lanes::new(v, 0, Type::Ud, 4))
    }

    /// Selects `load_input` of a vertex shader.
    pub(super) fn select_vertex_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let offset = self.constant_slot(i, i.srcs[0])?;
        let element = element_locations(i).nth(offset as usize);
        let d = self.sh.defs[def];
        if d.bit_size != 32 {
            return Err(unsupported_intrinsic(
                i,
                "only 32-bit attributes are supported",
            ));
        }
        for c in 0..d.num_components {
            let component = i.index("component") as u8 + c;
            let value = element.and_then(|e| self.vertex_element(e, component));
            let value = value.ok_or(unsupported_intrinsic(
                i,
                "the slot is outside the range that the intrinsic declares",
            ))?;
            self.set_lanes(def, c, value);
        }
        Ok(())
    }

    /// Selects the system values of vertex shaders.
    pub(super) fn select_vertex_value(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let unsupported = || unsupported(i);
        let def = i.def.ok_or_else(unsupported)?;
        let (element, component) = draw_parameter(i.op).ok_or_else(unsupported)?;
        let value = self
            .vertex_element(element, component)
            .ok_or_else(unsupported)?;
        if i.op != IntrinsicOp::LoadVertexId {
            self.set_lanes(def, 0, value);
            return Ok(());
        }
        let first = self.vertex_element(element, 0).ok_or_else(unsupported)?;
        let dst = self.alloc_def(def);
        self.b
            .binary(Opcode::Add, Exec::Active, dst, value, first, Mods::NONE);
        Ok(())
    }
}
