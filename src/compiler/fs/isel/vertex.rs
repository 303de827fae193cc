//! Vertex threads: eight vertices, their elements pushed, their outputs written to the URB.
//!
//! Ref: SKL PRM vol. 7, "Vertex Shader: SIMD8 Payload"; "URB: SIMD8 Write".

use super::Isel;
use super::payload::{draw_value, locations};
use super::thread::Thread;
use crate::builder::{Exec, Lanes, Mods};
use crate::error::FsError;
use crate::lir::{Dst, GRF_BYTES, Src};
use crate::message;
use abi::{VertexElement, VueMap};
use isa::{Opcode, Type};
use nir::{Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

impl Isel<'_> {
    /// A component of an element.
    fn vertex_element(&mut self, element: VertexElement, component: u8) -> Option<Lanes> {
        let Thread::Vertex(thread) = &mut self.thread else {
            return None;
        };
        let at = thread.elements.iter().position(|e| *e == element)?;
        let known = thread.inputs.iter().find(|i| i.0 == at && i.1 == component);
        let v = match known {
            Some(&(.., v)) => v,
            None => {
                let v = self.b.lir.vgrf(GRF_BYTES);
                thread.inputs.push((at, component, v));
                v
            }
        };
        Some(Lanes::new(v, 0, Type::Ud, 4))
    }

    /// `load_input` of a vertex shader.
    pub(super) fn vertex_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let offset = self.constant_slot(i, i.srcs[0])?;
        let element = locations(i).nth(offset as usize);
        let d = self.sh.defs[def];
        if d.bit_size != 32 {
            return Err(FsError::Unsupported {
                op: i.op.info().name,
                what: "attributes of 32 bits alone are made",
            });
        }
        for c in 0..d.num_components {
            let component = i.index("component") as u8 + c;
            let place = element.and_then(|e| self.vertex_element(e, component));
            let place = place.ok_or(FsError::Unsupported {
                op: i.op.info().name,
                what: "the slot lies beyond those it names",
            })?;
            self.set_place(def, c, place);
        }
        Ok(())
    }

    /// The system values of vertex shaders.
    pub(super) fn vertex_value(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let unsupported = || super::subgroup::unsupported(i);
        let def = i.def.ok_or_else(unsupported)?;
        let (element, component) = draw_value(i.op).ok_or_else(unsupported)?;
        let place = self
            .vertex_element(element, component)
            .ok_or_else(unsupported)?;
        if i.op != IntrinsicOp::LoadVertexId {
            self.set_place(def, 0, place);
            return Ok(());
        }
        let first = self.vertex_element(element, 0).ok_or_else(unsupported)?;
        let dst = self.new_def(def);
        self.b
            .binary(Opcode::Add, Exec::Active, dst, place, first, Mods::NONE);
        Ok(())
    }

    /// Writes the outputs, up to two slots a message; the last one ends the thread.
    pub(super) fn write_urb(&mut self) {
        let Thread::Vertex(thread) = &mut self.thread else {
            return;
        };
        let handles = Lanes::new(thread.handles, 0, Type::Ud, 4);
        let outputs = std::mem::take(&mut thread.outputs);
        let map = VueMap::new(outputs.written());
        let zero = Lanes::imm(Type::Ud, 0);
        // Slots of the entry, as runs of those that are written.
        let mut writes: Vec<(u32, SmallVec<[Lanes; 8]>)> = Vec::new();
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
            let values = values.into_iter().take(sent).map(|v| v.unwrap_or(zero));
            match writes.last_mut() {
                Some((first, run)) if run.len() <= 4 && *first + 1 == place => {
                    run.resize(4, zero);
                    run.extend(values);
                }
                _ => writes.push((place, values.collect())),
            }
        }
        if writes.is_empty() {
            // A thread ends with a message, and a message has data: a position that nobody asked for.
            writes.push((1, SmallVec::from_elem(zero, 4)));
        }
        thread.outputs = outputs;
        let last = writes.len() - 1;
        for (k, (place, values)) in writes.into_iter().enumerate() {
            let payload = if k == last {
                self.b.collect_last(Exec::Active, &[handles], &values)
            } else {
                self.b.collect(Exec::Active, &[handles], &values)
            };
            let mut info = message::urb_write(place, values.len() as u8);
            info.eot = k == last;
            let null = Dst::null(Type::Ud);
            self.b.send(
                Exec::Active,
                null,
                payload,
                Src::NULL,
                Src::NULL,
                info,
                Mods::NONE,
            );
        }
    }
}
