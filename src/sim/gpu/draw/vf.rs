//! Vertex fetch: the vertex elements of a vertex and an instance, as dwords.
//!
//! In:  3DSTATE_VERTEX_BUFFERS, _ELEMENTS, _VF_INSTANCING, _VF_SGVS, _VF_COMPONENT_PACKING,
//!      _INDEX_BUFFER. Out: four dwords for each element, eight for passthrough elements of three
//!      or four quadwords; without the components that packing drops. Reads beyond a buffer's end
//!      return zero.
//! Ref: SKL PRM vol. 7, "Vertex Fetch (VF) Stage"; vol. 2d, VERTEX_ELEMENT_STATE,
//!      VERTEX_BUFFER_STATE; vol. 2a, "3DSTATE_VF_COMPONENT_PACKING".

use super::exec::Draw;
use super::urb::UNWRITTEN;
use crate::draw_state::VERTEX_ELEMENTS;
use crate::memory::AddressSpaceView;
use crate::observer::{INDICES, Via};
use crate::space::ADDRESS_MASK;
use crate::surface::format;
use eu::StopReason;
use hw::draw::{state_index_buffer as ib, state_vf as vf, state_vf_instancing as instancing};
use hw::draw::{
    state_vertex_elements, state_vf_component_packing as packing, state_vf_sgvs as sgvs,
};
use hw::draw_state::{vertex_buffer_state as vb, vertex_element_state as ve};
use hw::value::draw::component_control;
use hw::{ChannelKind, Field, Format};

const CONTROLS: [Field; 4] = [
    ve::COMPONENT_0_CONTROL,
    ve::COMPONENT_1_CONTROL,
    ve::COMPONENT_2_CONTROL,
    ve::COMPONENT_3_CONTROL,
];

const ONE: u32 = 0x3f80_0000;

/// How the bytes of an element become components.
#[derive(Clone, Copy)]
enum Source {
    /// No buffer is read.
    None,
    /// Four dwords.
    Dwords(&'static Format),
    /// This many doubles, converted to floats.
    Doubles(usize),
    /// This many quadwords, passed through unchanged: each component is two dwords.
    Raw(usize),
}

/// One vertex element.
struct Element {
    source: Source,
    offset: u64,
    controls: [u64; 4],
    buffer: Buffer,
    /// Instance Data Step Rate; `None` if the element steps by vertices.
    step: Option<u32>,
}

#[derive(Clone, Copy, Default)]
struct Buffer {
    /// Its index in 3DSTATE_VERTEX_BUFFERS.
    number: u32,
    address: u64,
    bytes: u64,
    pitch: u64,
    null: bool,
}

impl Element {
    /// Components of the element: four, or the first two if passthrough quadwords fill 128 bits.
    fn components(&self) -> usize {
        match (self.source, self.controls) {
            (Source::Raw(_), [_, _, component_control::NOSTORE, component_control::NOSTORE]) => 2,
            _ => 4,
        }
    }

    /// Dwords of a component: two of quadwords that pass.
    fn component_dwords(&self) -> usize {
        match self.source {
            Source::Raw(_) => 2,
            _ => 1,
        }
    }

    /// Dwords in a vertex before packing.
    fn dwords(&self) -> usize {
        self.components() * self.component_dwords()
    }
}

/// How to read a format; `None` if the format is not simulated.
fn source(format: &'static Format) -> Option<Source> {
    let quads = format.channels.iter().filter(|(_, bits)| *bits == 64);
    match (quads.count(), format.channels[0].0) {
        (0, _) => format::known(format).then_some(Source::Dwords(format)),
        (quads, ChannelKind::Raw) => Some(Source::Raw(quads)),
        (quads, ChannelKind::Sfloat) => Some(Source::Doubles(quads)),
        _ => None,
    }
}

/// Bytes that a source reads.
fn bytes(source: Source) -> u64 {
    match source {
        Source::None => 0,
        Source::Dwords(format) => u64::from(format::bytes(format)).min(16),
        Source::Doubles(quads) | Source::Raw(quads) => 8 * quads as u64,
    }
}

/// The position of a generated value in the vertex: element, component.
type GeneratedComponent = Option<(usize, usize)>;

/// The vertex fetch unit for one draw.
pub(crate) struct VertexFetch<'a> {
    view: AddressSpaceView<'a>,
    elements: Vec<Element>,
    vertex_id: GeneratedComponent,
    instance_id: GeneratedComponent,
    /// For each of the first elements, a bit for each component that packing keeps; `None` if
    /// packing is disabled.
    packed_components: Option<Vec<u64>>,
    index: Buffer,
    /// The element that holds the edge flag: whether the edge from the vertex to the next one is
    /// drawn.
    edge_flag: Option<usize>,
    /// Bytes of an index.
    index_bytes: u32,
    /// ClippedPiece index of indexed draws.
    pub cut: Option<u32>,
}

/// Identifies a vertex of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vertex {
    /// The generated vertex ID (SGVS).
    pub id: u32,
    /// The row of the vertex buffers to read: index plus base vertex.
    pub row: u32,
    /// Instance, counted from 0.
    pub instance: u32,
    /// First instance; the start row of buffers that step by instances.
    pub first_instance: u32,
}

impl<'a> VertexFetch<'a> {
    /// Reads the state.
    pub fn read(draw: &Draw<'a>) -> Result<VertexFetch<'a>, StopReason> {
        let state = draw.state;
        let words = state.words(&state_vertex_elements::PACKET);
        let (elements, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
        let mut fetch = VertexFetch {
            view: draw.view(Via::Vertex),
            elements: Vec::new(),
            vertex_id: None,
            instance_id: None,
            packed_components: None,
            index: Buffer::default(),
            edge_flag: None,
            index_bytes: 1,
            cut: None,
        };
        for (number, element) in elements.iter().take(VERTEX_ELEMENTS).enumerate() {
            if ve::VALID.get(element) == 0 {
                continue;
            }
            let decoded = Self::read_element(draw, &fetch.view, number, element)?;
            if ve::EDGE_FLAG_ENABLE.get(element) == 1 {
                fetch.edge_flag = Some(fetch.elements.len());
            }
            fetch.elements.push(decoded);
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
            // Four bits for each of 32 consecutive elements.
            let words = state.words(&packing::PACKET).iter().skip(1);
            let nibbles =
                words.flat_map(|word| (0..8).map(move |i| u64::from(word >> (4 * i) & 15)));
            fetch.packed_components = Some(nibbles.collect());
        }
        fetch.index = Buffer {
            number: INDICES,
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

    /// Decodes vertex element `number`, and reports its buffer as bound.
    fn read_element(
        draw: &Draw<'_>,
        view: &AddressSpaceView<'_>,
        number: usize,
        element: &[u32; 2],
    ) -> Result<Element, StopReason> {
        let state = draw.state;
        let controls = CONTROLS.map(|control| control.get(element));
        let number_of_format = ve::SOURCE_ELEMENT_FORMAT.get(element) as u32;
        let known = Format::by_number(number_of_format).and_then(source);
        let reads = controls.contains(&component_control::STORE_SRC);
        let source = match known {
            Some(source) if reads => source,
            _ => Source::None,
        };
        if reads && known.is_none() {
            let what = format!("vertex elements of format {number_of_format:#x}");
            return Err(unimplemented(&what, draw.at));
        }
        let ones = controls.contains(&component_control::STORE_1_FP)
            || controls.contains(&component_control::STORE_1_INT);
        if ones && matches!(source, Source::Raw(_)) {
            let what = "quadwords that pass as they are, beside ones";
            return Err(unimplemented(what, draw.at));
        }
        let index = ve::VERTEX_BUFFER_INDEX.get(element) as usize;
        let buffer = state.vertex_buffers.get(&index);
        let buffer = buffer.map_or(Buffer::default(), |words| Buffer {
            number: index as u32,
            address: vb::BUFFER_STARTING_ADDRESS.get(words) & ADDRESS_MASK,
            bytes: vb::BUFFER_SIZE.get(words),
            pitch: vb::BUFFER_PITCH.get(words),
            null: vb::NULL_VERTEX_BUFFER.get(words) == 1,
        });
        let step = state.instancing.get(&number).and_then(|words| {
            (instancing::INSTANCING_ENABLE.get(words) == 1)
                .then(|| instancing::INSTANCE_DATA_STEP_RATE.get(words) as u32)
        });
        if reads && !buffer.null {
            view.bound(buffer.address, buffer.bytes);
        }
        Ok(Element {
            source,
            offset: ve::SOURCE_ELEMENT_OFFSET.get(element),
            controls,
            buffer,
            step,
        })
    }

    /// Reports the index buffer as bound, for an indexed draw.
    pub fn bind_index_buffer(&self) {
        self.view.bound(self.index.address, self.index.bytes);
    }

    /// Dwords of a vertex.
    pub fn dwords(&self) -> usize {
        let each = self.elements.iter().enumerate();
        each.map(|(number, element)| match self.packed_components(number) {
            Some(packed_components) => {
                let enabled = packed_components & !(u64::MAX << element.components());
                enabled.count_ones() as usize * element.component_dwords()
            }
            None => element.dwords(),
        })
        .sum()
    }

    /// The components of an element that packing keeps; `None` if packing is disabled.
    fn packed_components(&self, number: usize) -> Option<u64> {
        let packed_components = self.packed_components.as_ref()?;
        Some(packed_components.get(number).copied().unwrap_or(0))
    }

    /// Index `at` of the index buffer; 0 beyond its end.
    pub fn index(&self, at: u64) -> Result<u32, StopReason> {
        let offset = at * u64::from(self.index_bytes);
        if offset + u64::from(self.index_bytes) > self.index.bytes {
            return Ok(0);
        }
        let (at, bytes) = (self.index.address + offset, self.index_bytes);
        self.view.fetched(self.index.number, at, bytes.into())?;
        Ok(self.view.read_bytes(at, bytes)? as u32)
    }

    /// Fetches a vertex and appends its dwords; returns true if the edge from it to the next vertex
    /// is drawn.
    pub fn fetch(&self, vertex: Vertex, out: &mut Vec<u32>) -> Result<bool, StopReason> {
        let mut edge = true;
        for (number, element) in self.elements.iter().enumerate() {
            let first = out.len();
            let source = match self.offset(element, vertex) {
                Some(at) => self.source(element, at)?,
                None => [0; 4],
            };
            for (control, value) in element
                .controls
                .iter()
                .zip(source)
                .take(element.components())
            {
                match (*control, element.source) {
                    (component_control::STORE_SRC, Source::Raw(_)) => {
                        out.extend([value as u32, (value >> 32) as u32])
                    }
                    (_, Source::Raw(_)) => out.extend([0, 0]),
                    (component_control::STORE_SRC, _) => out.push(value as u32),
                    (component_control::STORE_1_FP, _) => out.push(ONE),
                    (component_control::STORE_1_INT, _) => out.push(1),
                    (component_control::NOSTORE, _) if self.view.is_strict() => out.push(UNWRITTEN),
                    _ => out.push(0),
                }
            }
            if self.edge_flag == Some(number) {
                edge = source[0] != 0;
            }
            for (place, value) in [
                (self.vertex_id, vertex.id),
                (self.instance_id, vertex.instance),
            ] {
                if let Some((element, component)) = place
                    && element == number
                    && let Some(to) = out.get_mut(first + component)
                {
                    *to = value;
                }
            }
            if let Some(packed_components) = self.packed_components(number) {
                let each = element.component_dwords();
                let (mut dword, mut end) = (0, first);
                while let Some(value) = out.get(first + dword).copied() {
                    if packed_components >> (dword / each) & 1 == 1
                        && let Some(to) = out.get_mut(end)
                    {
                        *to = value;
                        end += 1;
                    }
                    dword += 1;
                }
                out.truncate(end);
            }
        }
        Ok(edge)
    }

    /// The address from which an element of a vertex is read; `None` if it reads nothing or lies
    /// beyond the buffer.
    fn offset(&self, element: &Element, vertex: Vertex) -> Option<u64> {
        if matches!(element.source, Source::None) {
            return None;
        }
        let bytes = bytes(element.source);
        let buffer = &element.buffer;
        let row = match element.step {
            Some(0) => vertex.first_instance,
            Some(step) => vertex.first_instance.wrapping_add(vertex.instance / step),
            None => vertex.row,
        };
        let offset = u64::from(row) * buffer.pitch + element.offset;
        (!buffer.null && offset + bytes <= buffer.bytes).then_some(buffer.address + offset)
    }

    /// The four components of an element whose data starts at address `at`.
    fn source(&self, element: &Element, at: u64) -> Result<[u64; 4], StopReason> {
        let bytes = bytes(element.source);
        self.view.fetched(element.buffer.number, at, bytes)?;
        let quads = |count: usize| {
            let mut read = [0; 4];
            for (i, to) in read.iter_mut().enumerate().take(count) {
                *to = self.view.read_bytes(at + 8 * i as u64, 8)?;
            }
            Ok(read)
        };
        match element.source {
            Source::None => Ok([0; 4]),
            Source::Dwords(format) => {
                let mut raw = [0; 16];
                let bytes = format::bytes(format) as usize;
                for (i, to) in raw.iter_mut().enumerate().take(bytes) {
                    *to = self.view.read_bytes(at + i as u64, 1)? as u8;
                }
                Ok(format::decode(format, &raw).map(u64::from))
            }
            Source::Doubles(count) => {
                let values = quads(count)?;
                Ok(std::array::from_fn(|i| match (i < count, i) {
                    (true, _) => u64::from((f64::from_bits(values[i]) as f32).to_bits()),
                    (false, 3) => u64::from(ONE),
                    (false, _) => 0,
                }))
            }
            Source::Raw(count) => quads(count),
        }
    }
}

fn unimplemented(what: &str, at: u64) -> StopReason {
    StopReason::Unimplemented {
        what: what.into(),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_addresses::BaseAddresses;
    use crate::draw_state::DrawState;
    use crate::kernel_cache::KernelCache;
    use crate::memory::AddressSpaceView;
    use crate::options::Options;
    use crate::space::AddressSpace;
    use crate::testing::memory;
    use std::sync::Mutex;

    const BUFFER: u64 = 0x1000;

    /// A vertex element: its format, component controls and more fields.
    type Element<'a> = (u32, [u64; 4], &'a [(Field, u64)]);

    /// The elements, and more state. Out: dwords, edge flag and length of the vertex in `row` of a
    /// buffer with a pitch of 40 bytes that holds `words`.
    struct Case<'a> {
        words: &'a [u32],
        elements: &'a [Element<'a>],
        state: &'a [(&'a hw::Packet, Vec<u32>)],
    }

    impl Case<'_> {
        fn fetch(&self, row: u32) -> Result<(Vec<u32>, bool, usize), StopReason> {
            self.fetch_vertex(Vertex {
                id: 7,
                row,
                ..Vertex::default()
            })
        }

        fn fetch_vertex(&self, vertex: Vertex) -> Result<(Vec<u32>, bool, usize), StopReason> {
            self.unit(|fetch| {
                let mut out = vec![0xaa];
                let edge = fetch.fetch(vertex, &mut out)?;
                assert_eq!(out.remove(0), 0xaa);
                Ok((out, edge, fetch.dwords()))
            })
        }

        fn unit<T>(
            &self,
            of: impl FnOnce(&VertexFetch<'_>) -> Result<T, StopReason>,
        ) -> Result<T, StopReason> {
            let mut space = AddressSpace::new();
            space.map(BUFFER, 0x1000, memory(0x1000), 0).expect("free");
            let written = AddressSpaceView::new(&space).write_block(BUFFER, self.words);
            written.expect("mapped");
            let mut buffer = [0; 4];
            vb::BUFFER_PITCH.set(&mut buffer, 40);
            vb::BUFFER_STARTING_ADDRESS.set(&mut buffer, BUFFER);
            vb::BUFFER_SIZE.set(&mut buffer, self.words.len() as u64 * 4);
            let mut elements = vec![0];
            for (format, controls, fields) in self.elements {
                let mut words = [0; 2];
                ve::VALID.set(&mut words, 1);
                ve::SOURCE_ELEMENT_FORMAT.set(&mut words, u64::from(*format));
                for (field, control) in CONTROLS.into_iter().zip(*controls) {
                    field.set(&mut words, control);
                }
                for (field, value) in *fields {
                    field.set(&mut words, *value);
                }
                elements.extend(words);
            }
            let mut state = DrawState::default();
            state.vertex_buffers.insert(0, buffer);
            state.latch(&state_vertex_elements::PACKET, &elements);
            for (packet, words) in self.state {
                state.latch(packet, words);
            }
            let (options, kernels) = (Options::default(), KernelCache::default());
            let draw = Draw {
                at: 0,
                state: &state,
                base: BaseAddresses::default(),
                space: &space,
                options: &options,
                kernels: &kernels,
                wide: &Mutex::new(()),
                watch: None,
                budget: &crate::budget::Budget::new(crate::InstructionLimits::of_all(u64::MAX)),
            };
            of(&VertexFetch::read(&draw)?)
        }
    }

    fn words<const N: usize>(packet: &hw::Packet, fields: &[(Field, u64)]) -> Vec<u32> {
        let mut words = packet.words::<N>();
        for (field, value) in fields {
            words = words.with(*field, *value);
        }
        words.dwords.to_vec()
    }

    #[test]
    fn passthrough_64_bit_formats_fill_128_or_256_bits() {
        // R64_PASSTHRU and a zero: 128 bits. R64G64B64_PASSTHRU and a zero: 256 bits. R32_UINT.
        let case = Case {
            words: &(0..20).map(|i| 0x100 + i).collect::<Vec<u32>>(),
            elements: &[
                (0x0a1, [1, 2, 0, 0], &[]),
                (0x1bd, [1, 1, 1, 2], &[(ve::SOURCE_ELEMENT_OFFSET, 8)]),
                (0x0d7, [1, 2, 2, 4], &[(ve::SOURCE_ELEMENT_OFFSET, 32)]),
            ],
            state: &[],
        };
        let expected = vec![
            0x10a, 0x10b, 0, 0, // one
            0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0, 0, // three
            0x112, 0, 0, 1,
        ];
        assert_eq!(case.fetch(1), Ok((expected, true, 16)));
        // The third row lies beyond the end.
        let zeros = [vec![0; 15], vec![1]].concat();
        assert_eq!(case.fetch(2), Ok((zeros, true, 16)));
    }

    #[test]
    fn component_control_counts_elements_of_64_bit_formats() {
        let case = Case {
            words: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            elements: &[(0x1bc, [1; 4], &[]), (0x0d7, [2; 4], &[])],
            state: &[(
                &sgvs::PACKET,
                words::<2>(
                    &sgvs::PACKET,
                    &[
                        (sgvs::VERTEXID_ENABLE, 1),
                        (sgvs::VERTEXID_ELEMENT_OFFSET, 1),
                        (sgvs::VERTEXID_COMPONENT_NUMBER, 2),
                    ],
                ),
            )],
        };
        let expected = vec![1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 7, 0];
        assert_eq!(case.fetch(0), Ok((expected, true, 12)));
    }

    #[test]
    fn doubles_become_floats() {
        let double = |v: f64| [v.to_bits() as u32, (v.to_bits() >> 32) as u32];
        // 1 + 2^-24 lies between two floats, and the even one is 1.
        let case = Case {
            words: &[
                double(-2.5),
                double(1.0 + f64::powi(2.0, -24)),
                [0, 0],
                [0, 0],
                [0, 0],
            ]
            .concat(),
            elements: &[
                // R64G64_FLOAT.
                (0x005, [1; 4], &[]),
            ],
            state: &[],
        };
        let expected = vec![0xc020_0000, 0x3f80_0000, 0, 0x3f80_0000];
        assert_eq!(case.fetch(0), Ok((expected, true, 4)));
    }

    #[test]
    fn component_packing_omits_components() {
        // Element 0 keeps x and w, element 1 nothing, element 2 y and z; the vertex's id is in
        // element 2's z.
        let enable = words::<2>(&vf::PACKET, &[(vf::COMPONENT_PACKING_ENABLE, 1)]);
        let packed_components = words::<5>(
            &packing::PACKET,
            &[
                (packing::VERTEX_ELEMENT_00_ENABLES, 9),
                (packing::VERTEX_ELEMENT_02_ENABLES, 6),
            ],
        );
        let ids = words::<2>(
            &sgvs::PACKET,
            &[
                (sgvs::VERTEXID_ENABLE, 1),
                (sgvs::VERTEXID_ELEMENT_OFFSET, 2),
                (sgvs::VERTEXID_COMPONENT_NUMBER, 2),
            ],
        );
        // R32G32B32A32_UINT.
        let of = |words| Case {
            words,
            elements: &[
                (0x002, [1; 4], &[]),
                (0x002, [1; 4], &[]),
                (0x002, [1; 4], &[]),
            ],
            state: &[],
        };
        let state = [
            (&vf::PACKET, enable),
            (&packing::PACKET, packed_components),
            (&sgvs::PACKET, ids),
        ];
        let case = Case {
            state: &state,
            ..of(&[11, 12, 13, 14, 0, 0, 0, 0, 0, 0])
        };
        assert_eq!(case.fetch(0), Ok((vec![11, 14, 12, 7], true, 4)));
    }

    #[test]
    fn component_packing_omits_quadwords_whole() {
        // R64G64_PASSTHRU of two stored components; of element 0 both are kept, of element 1 the
        // second.
        let enable = words::<2>(&vf::PACKET, &[(vf::COMPONENT_PACKING_ENABLE, 1)]);
        let packed_components = words::<5>(
            &packing::PACKET,
            &[
                (packing::VERTEX_ELEMENT_00_ENABLES, 15),
                (packing::VERTEX_ELEMENT_01_ENABLES, 14),
            ],
        );
        let state = [(&vf::PACKET, enable), (&packing::PACKET, packed_components)];
        let case = Case {
            words: &[11, 12, 13, 14, 0, 0, 0, 0, 0, 0],
            elements: &[(0x021, [1, 1, 0, 0], &[]), (0x021, [1, 1, 0, 0], &[])],
            state: &state,
        };
        let expected = vec![11, 12, 13, 14, 13, 14];
        assert_eq!(case.fetch(0), Ok((expected, true, 6)));
    }

    #[test]
    fn edge_flag_element_is_read_with_its_vertex() {
        // R32G32_UINT, and R8_UINT of a byte of its own.
        let case = Case {
            words: &[
                5, 6, 0x0100, 0, 0, 0, 0, 0, 0, 0, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
            elements: &[
                (0x087, [1, 1, 2, 2], &[]),
                (
                    0x143,
                    [1, 0, 0, 0],
                    &[(ve::EDGE_FLAG_ENABLE, 1), (ve::SOURCE_ELEMENT_OFFSET, 9)],
                ),
            ],
            state: &[],
        };
        let (dwords, edge, _) = case.fetch(0).expect("known");
        assert_eq!((&dwords[..4], edge), ([5, 6, 0, 0].as_slice(), true));
        let (dwords, edge, _) = case.fetch(1).expect("known");
        assert_eq!((&dwords[..4], edge), ([8, 9, 0, 0].as_slice(), false));
    }

    #[test]
    fn unsupported_vertex_formats_are_reported() {
        let refused = |format, controls| {
            let case = Case {
                words: &[0; 10],
                elements: &[(format, controls, &[])],
                state: &[],
            };
            matches!(case.fetch(0), Err(StopReason::Unimplemented { .. }))
        };
        // BC1_UNORM, and a 64-bit component next to a constant 1.
        assert!(refused(0x186, [1; 4]));
        assert!(refused(0x0a1, [1, 4, 0, 0]));
        assert!(!refused(0x0a1, [1, 2, 0, 0]));
    }

    #[test]
    fn instance_step_rate() {
        let step = |rate| {
            let fields = [
                (instancing::VERTEX_ELEMENT_INDEX, 1),
                (instancing::INSTANCING_ENABLE, 1),
                (instancing::INSTANCE_DATA_STEP_RATE, rate),
            ];
            words::<3>(&instancing::PACKET, &fields)
        };
        // R32_UINT twice, the second by instance, of rows of ten dwords.
        let data: Vec<u32> = (0..100).collect();
        let fetch = |rate, instance, first_instance| {
            let case = Case {
                words: &data,
                elements: &[(0x0d7, [1, 0, 0, 0], &[]), (0x0d7, [1, 0, 0, 0], &[])],
                state: &[(&instancing::PACKET, step(rate))],
            };
            let vertex = Vertex {
                row: 1,
                instance,
                first_instance,
                ..Vertex::default()
            };
            let (dwords, ..) = case.fetch_vertex(vertex).expect("known");
            assert_eq!(dwords[0], 10, "vertices step the other one");
            dwords[4] / 10
        };
        let rows = |rate| [0, 1, 2, 3, 4, 5].map(|instance| fetch(rate, instance, 3));
        assert_eq!(rows(1), [3, 4, 5, 6, 7, 8]);
        assert_eq!(rows(2), [3, 3, 4, 4, 5, 5]);
        assert_eq!(rows(3), [3, 3, 3, 4, 4, 4]);
        // A rate of 0: all have the first.
        assert_eq!(rows(0), [3; 6]);
        assert_eq!(fetch(1, 7, 0), 7);
    }

    #[test]
    fn generated_instance_id() {
        let fields = [
            (sgvs::INSTANCEID_ENABLE, 1),
            (sgvs::INSTANCEID_ELEMENT_OFFSET, 1),
            (sgvs::INSTANCEID_COMPONENT_NUMBER, 3),
            (sgvs::VERTEXID_ENABLE, 1),
            (sgvs::VERTEXID_ELEMENT_OFFSET, 0),
            (sgvs::VERTEXID_COMPONENT_NUMBER, 1),
        ];
        let case = Case {
            words: &[1, 2, 3, 4, 5, 6, 7, 8],
            elements: &[(0x002, [1; 4], &[]), (0x002, [1, 3, 4, 2], &[])],
            state: &[(&sgvs::PACKET, words::<2>(&sgvs::PACKET, &fields))],
        };
        let vertex = Vertex {
            id: 70,
            row: 0,
            instance: 80,
            first_instance: 90,
        };
        let (dwords, ..) = case.fetch_vertex(vertex).expect("known");
        assert_eq!(dwords, [1, 70, 3, 4, 1, ONE, 1, 80]);
    }

    #[test]
    fn index_size_and_index_buffer_end() {
        // Bytes 0x10, 0x11, …
        let bytes: Vec<u32> = (0..4).map(|i| 0x1312_1110 + 0x0404_0404 * i).collect();
        let indices = |format, size, cut: Option<u32>| {
            let index = words::<5>(
                &ib::PACKET,
                &[
                    (ib::INDEX_FORMAT, format),
                    (ib::BUFFER_STARTING_ADDRESS, BUFFER),
                    (ib::BUFFER_SIZE, size),
                ],
            );
            let fields = [
                (vf::INDEXED_DRAW_CUT_INDEX_ENABLE, cut.is_some().into()),
                (vf::CUT_INDEX, cut.unwrap_or(5).into()),
            ];
            let case = Case {
                words: &bytes,
                elements: &[],
                state: &[
                    (&ib::PACKET, index),
                    (&vf::PACKET, words::<2>(&vf::PACKET, &fields)),
                ],
            };
            case.unit(|fetch| {
                assert_eq!(fetch.cut, cut);
                let all: Result<Vec<u32>, StopReason> = (0..5).map(|at| fetch.index(at)).collect();
                all
            })
        };
        assert_eq!(indices(0, 4, None), Ok(vec![0x10, 0x11, 0x12, 0x13, 0]));
        let words = vec![0x1110, 0x1312, 0x1514, 0, 0];
        assert_eq!(indices(1, 6, Some(0xffff)), Ok(words.clone()));
        // Half an index is none.
        assert_eq!(indices(1, 7, None), Ok(words));
        let dwords = vec![0x1312_1110, 0x1716_1514, 0x1b1a_1918, 0, 0];
        assert_eq!(indices(2, 12, Some(u32::MAX)), Ok(dwords));
    }

    #[test]
    fn out_of_bounds_and_null_vertex_buffers() {
        // R32G32_UINT at offset 4 of the last row: its last byte is the buffer's, or one beyond.
        let fetch = |format, offset, row| {
            let case = Case {
                words: &(1..=10).collect::<Vec<u32>>(),
                elements: &[(format, [1, 1, 1, 1], &[(ve::SOURCE_ELEMENT_OFFSET, offset)])],
                state: &[],
            };
            case.fetch(row).expect("known").0
        };
        assert_eq!(fetch(0x087, 32, 0), [9, 10, 0, 1]);
        assert_eq!(fetch(0x087, 33, 0), [0; 4]);
        assert_eq!(fetch(0x087, 0, 1), [0; 4]);
        // R32G32B32A32_UINT, R8_UINT, R64_FLOAT.
        assert_eq!(fetch(0x002, 24, 0), [7, 8, 9, 10]);
        assert_eq!(fetch(0x002, 25, 0), [0; 4]);
        assert_eq!(fetch(0x143, 39, 0), [0, 0, 0, 1]);
        assert_eq!(fetch(0x143, 36, 0), [10, 0, 0, 1]);
        assert_eq!(fetch(0x143, 40, 0), [0; 4]);
        assert_eq!(fetch(0x08d, 32, 0)[3], ONE);
        assert_eq!(fetch(0x08d, 33, 0), [0; 4]);
        // An element of a buffer that was never set, and one whose buffer is null.
        let case = Case {
            words: &[1, 2, 3, 4],
            elements: &[(0x002, [1; 4], &[(ve::VERTEX_BUFFER_INDEX, 3)])],
            state: &[],
        };
        assert_eq!(case.fetch(0).expect("known").0, [0; 4]);
        let mut null = [0; 5];
        null[0] = hw::draw::state_vertex_buffers::PACKET.header;
        vb::NULL_VERTEX_BUFFER.set(&mut null[1..], 1);
        vb::BUFFER_SIZE.set(&mut null[1..], 16);
        vb::BUFFER_STARTING_ADDRESS.set(&mut null[1..], BUFFER);
        let case = Case {
            words: &[1, 2, 3, 4],
            elements: &[(0x002, [1; 4], &[])],
            state: &[(&hw::draw::state_vertex_buffers::PACKET, null.to_vec())],
        };
        assert_eq!(case.fetch(0).expect("known").0, [0; 4]);
    }

    #[test]
    fn three_doubles_become_three_floats() {
        let data: Vec<u32> = [1.5f64, -0.25, 1e300, 9.0]
            .iter()
            .flat_map(|v| [v.to_bits() as u32, (v.to_bits() >> 32) as u32])
            .collect();
        for (format, expected) in [
            // R64_FLOAT, R64G64_FLOAT, R64G64B64_FLOAT, R64G64B64A64_FLOAT.
            (0x08d, [1.5, 0.0, 0.0, 1.0]),
            (0x005, [1.5, -0.25, 0.0, 1.0]),
            (0x198, [1.5, -0.25, f32::INFINITY, 1.0]),
            (0x197, [1.5, -0.25, f32::INFINITY, 9.0]),
        ] {
            let case = Case {
                words: &data,
                elements: &[(format, [1; 4], &[])],
                state: &[],
            };
            let got = case.fetch(0).expect("known").0;
            assert_eq!(got, expected.map(f32::to_bits), "{format:#x}");
        }
    }
}
