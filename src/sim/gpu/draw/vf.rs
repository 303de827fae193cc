//! Vertex fetch: vertex elements of a vertex and an instance to dwords.
//!
//! In:  3DSTATE_VERTEX_BUFFERS, _ELEMENTS, _VF_INSTANCING, _VF_SGVS, _INDEX_BUFFER. Out: four dwords for each element.
//! What lies beyond a buffer's end is zero.
//! Ref: SKL PRM vol. 7, "Vertex Fetch (VF) Stage"; vol. 2d, VERTEX_ELEMENT_STATE, VERTEX_BUFFER_STATE.

use super::exec::Draw;
use super::state::VERTEX_ELEMENTS;
use crate::memory::{ADDRESS_MASK, View};
use crate::strict::Via;
use crate::surface::format;
use eu::Stop;
use hw::draw::{state_index_buffer as ib, state_vf as vf, state_vf_instancing as instancing};
use hw::draw::{state_vertex_elements, state_vf_sgvs as sgvs};
use hw::draw_state::{vertex_buffer_state as vb, vertex_element_state as ve};
use hw::{Field, Format};

const CONTROLS: [Field; 4] = [
    ve::COMPONENT_0_CONTROL,
    ve::COMPONENT_1_CONTROL,
    ve::COMPONENT_2_CONTROL,
    ve::COMPONENT_3_CONTROL,
];
/// VFCOMP_*.
const STORE_SOURCE: u64 = 1;
const STORE_1_FLOAT: u64 = 3;
const STORE_1_INTEGER: u64 = 4;

const ONE: u32 = 0x3f80_0000;

/// One vertex element.
struct Element {
    /// None: no buffer is read.
    format: Option<&'static Format>,
    offset: u64,
    controls: [u64; 4],
    buffer: Buffer,
    /// Instances for which one step of the buffer serves; none where vertices step.
    step: Option<u32>,
}

#[derive(Clone, Copy, Default)]
struct Buffer {
    address: u64,
    bytes: u64,
    pitch: u64,
    null: bool,
}

/// Where generated values go: element, component.
type Place = Option<(usize, usize)>;

/// The unit for one draw.
pub(crate) struct VertexFetch<'a> {
    view: View<'a>,
    elements: Vec<Element>,
    vertex_id: Place,
    instance_id: Place,
    index: Buffer,
    /// Bytes of an index.
    index_bytes: u32,
    /// Cut index of indexed draws.
    pub cut: Option<u32>,
}

/// What a draw asks for of one vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vertex {
    /// What SGVS call the vertex's id.
    pub id: u32,
    /// The row of vertex buffers that it reads: id and base vertex.
    pub row: u32,
    /// Instance, from 0.
    pub instance: u32,
    /// First instance, which buffers that step by instances begin with.
    pub first_instance: u32,
}

impl<'a> VertexFetch<'a> {
    /// Reads the state.
    pub fn read(draw: &Draw<'a>) -> Result<VertexFetch<'a>, Stop> {
        let state = draw.state;
        let words = state.words(&state_vertex_elements::PACKET);
        let (elements, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
        let mut fetch = VertexFetch {
            view: draw.view(Via::Vertex),
            elements: Vec::new(),
            vertex_id: None,
            instance_id: None,
            index: Buffer::default(),
            index_bytes: 1,
            cut: None,
        };
        for (number, element) in elements.iter().take(VERTEX_ELEMENTS).enumerate() {
            if ve::VALID.get(element) == 0 {
                continue;
            }
            if ve::EDGE_FLAG_ENABLE.get(element) == 1 {
                return Err(unimplemented("edge flags", draw.at));
            }
            let controls = CONTROLS.map(|control| control.get(element));
            let number_of_format = ve::SOURCE_ELEMENT_FORMAT.get(element) as u32;
            let known = Format::by_number(number_of_format).filter(|f| format::known(f));
            let reads = controls.contains(&STORE_SOURCE);
            if reads && known.is_none() {
                let what = format!("vertex elements of format {number_of_format:#x}");
                return Err(unimplemented(&what, draw.at));
            }
            let index = ve::VERTEX_BUFFER_INDEX.get(element) as usize;
            let buffer = state.vertex_buffers.get(&index);
            let buffer = buffer.map_or(Buffer::default(), |words| Buffer {
                address: vb::BUFFER_STARTING_ADDRESS.get(words) & ADDRESS_MASK,
                bytes: vb::BUFFER_SIZE.get(words),
                pitch: vb::BUFFER_PITCH.get(words),
                null: vb::NULL_VERTEX_BUFFER.get(words) == 1,
            });
            let step = state.instancing.get(&number).and_then(|words| {
                (instancing::INSTANCING_ENABLE.get(words) == 1)
                    .then(|| instancing::INSTANCE_DATA_STEP_RATE.get(words) as u32)
            });
            fetch.elements.push(Element {
                format: known.filter(|_| reads),
                offset: ve::SOURCE_ELEMENT_OFFSET.get(element),
                controls,
                buffer,
                step,
            });
        }
        let place = |enable, element, component| {
            state.flag(&sgvs::PACKET, enable).then(|| {
                let get = |field| state.get(&sgvs::PACKET, field) as usize;
                (get(element), get(component))
            })
        };
        fetch.vertex_id = place(
            sgvs::VERTEXID_ENABLE,
            sgvs::VERTEXID_ELEMENT_OFFSET,
            sgvs::VERTEXID_COMPONENT_NUMBER,
        );
        fetch.instance_id = place(
            sgvs::INSTANCEID_ENABLE,
            sgvs::INSTANCEID_ELEMENT_OFFSET,
            sgvs::INSTANCEID_COMPONENT_NUMBER,
        );
        if state.flag(&vf::PACKET, vf::COMPONENT_PACKING_ENABLE) {
            return Err(unimplemented("packed vertex components", draw.at));
        }
        fetch.index = Buffer {
            address: state.get(&ib::PACKET, ib::BUFFER_STARTING_ADDRESS) & ADDRESS_MASK,
            bytes: state.get(&ib::PACKET, ib::BUFFER_SIZE),
            pitch: 0,
            null: false,
        };
        fetch.index_bytes = 1 << state.get(&ib::PACKET, ib::INDEX_FORMAT).min(2);
        if state.flag(&vf::PACKET, vf::INDEXED_DRAW_CUT_INDEX_ENABLE) {
            fetch.cut = Some(state.get(&vf::PACKET, vf::CUT_INDEX) as u32);
        }
        Ok(fetch)
    }

    /// Dwords of a vertex.
    pub fn dwords(&self) -> usize {
        self.elements.len() * 4
    }

    /// Index number `at` of the index buffer, 0 beyond its end.
    pub fn index(&self, at: u64) -> Result<u32, Stop> {
        let offset = at * u64::from(self.index_bytes);
        if offset + u64::from(self.index_bytes) > self.index.bytes {
            return Ok(0);
        }
        let value = self
            .view
            .read_bytes(self.index.address + offset, self.index_bytes)?;
        Ok(value as u32)
    }

    /// Fetches a vertex, appending its dwords.
    pub fn fetch(&self, vertex: Vertex, out: &mut Vec<u32>) -> Result<(), Stop> {
        let first = out.len();
        for element in &self.elements {
            let source = match element.format {
                Some(format) => self.source(element, format, vertex)?,
                None => [0; 4],
            };
            for (control, value) in element.controls.iter().zip(source) {
                out.push(match *control {
                    STORE_SOURCE => value,
                    STORE_1_FLOAT => ONE,
                    STORE_1_INTEGER => 1,
                    _ => 0,
                });
            }
        }
        let generated = [
            (self.vertex_id, vertex.id),
            (self.instance_id, vertex.instance),
        ];
        for (place, value) in generated {
            if let Some((element, component)) = place
                && let Some(to) = out.get_mut(first + element * 4 + component)
            {
                *to = value;
            }
        }
        Ok(())
    }

    fn source(
        &self,
        element: &Element,
        format: &'static Format,
        vertex: Vertex,
    ) -> Result<[u32; 4], Stop> {
        let buffer = &element.buffer;
        let row = match element.step {
            Some(0) => vertex.first_instance,
            Some(step) => vertex.first_instance.wrapping_add(vertex.instance / step),
            None => vertex.row,
        };
        let bytes = u64::from(format::bytes(format)).min(16);
        let offset = u64::from(row) * buffer.pitch + element.offset;
        if buffer.null || offset + bytes > buffer.bytes {
            return Ok([0; 4]);
        }
        let mut raw = [0; 16];
        for (i, to) in raw.iter_mut().enumerate().take(bytes as usize) {
            *to = self
                .view
                .read_bytes(buffer.address + offset + i as u64, 1)? as u8;
        }
        Ok(format::decode(format, &raw))
    }
}

fn unimplemented(what: &str, at: u64) -> Stop {
    Stop::Unimplemented {
        what: what.into(),
        at,
    }
}
