//! Vertex fetch packets.
//!
//! In:  attributes, vertex buffers, index buffer, topology. Out: packets.
//! Ref: SKL PRM vol. 2a, "3DSTATE_VERTEX_ELEMENTS", "3DSTATE_VERTEX_BUFFERS", "3DSTATE_VF_*",
//!      "3DPRIMITIVE"; vol. 7, "Vertex Fetch".

use hw::Wa;
use hw::draw::{
    primitive, state_index_buffer, state_vertex_buffers, state_vertex_elements, state_vf,
    state_vf_instancing, state_vf_sgvs, state_vf_topology,
};
use hw::draw_state::{vertex_buffer_state, vertex_element_state};
use hw::value::draw::{component_control, index_format, primitive_topology, sgvs_component};
use hw::value::surface_format::{R32_UINT, R32G32_UINT};

use crate::draw::DrawParams;
use crate::draw::shader::VertexInputs;
use crate::draw::state::{
    ATTRIBUTES, AttributeKind, FixedFunctionState, IndexBuffer, IndexType, Topology,
    VertexAttribute,
};
use crate::gen9::is_required;
use crate::mocs::mocs;
use crate::stream::{Stream, StreamMemory};

/// Indices of the driver's vertex buffers: first vertex and first instance, and the draw index.
const BASES_BUFFER: u64 = 31;
const DRAW_ID_BUFFER: u64 = 32;

/// A vertex element read from a buffer.
fn element(buffer: u64, offset: u64, format: u64, controls: [u64; 4]) -> [u32; 2] {
    use vertex_element_state as ve;
    ve::words::<2>()
        .flag(ve::VALID, true)
        .with(ve::VERTEX_BUFFER_INDEX, buffer)
        .with(ve::SOURCE_ELEMENT_OFFSET, offset)
        .with(ve::SOURCE_ELEMENT_FORMAT, format)
        .with(ve::COMPONENT_0_CONTROL, controls[0])
        .with(ve::COMPONENT_1_CONTROL, controls[1])
        .with(ve::COMPONENT_2_CONTROL, controls[2])
        .with(ve::COMPONENT_3_CONTROL, controls[3])
        .dwords
}

/// The vertex element of an attribute. Missing channels are 0, 0, 1; without any channel, there is
/// no such attribute, and all are 0. Elements of 64-bit channels are stored as 128 bits, of which
/// zero is the only padding.
fn attribute(from: &VertexAttribute) -> [u32; 2] {
    let mut controls = match from.kind {
        AttributeKind::Float | AttributeKind::Integer if from.channels == 0 => {
            [component_control::STORE_0; 4]
        }
        AttributeKind::Float => [
            component_control::STORE_0,
            component_control::STORE_0,
            component_control::STORE_0,
            component_control::STORE_1_FP,
        ],
        AttributeKind::Integer => [
            component_control::STORE_0,
            component_control::STORE_0,
            component_control::STORE_0,
            component_control::STORE_1_INT,
        ],
        AttributeKind::Quadwords => [
            component_control::STORE_0,
            component_control::STORE_0,
            component_control::NOSTORE,
            component_control::NOSTORE,
        ],
    };
    let there = controls.iter_mut().take(from.channels.into());
    there.for_each(|control| *control = component_control::STORE_SRC);
    let (buffer, offset) = (from.buffer.into(), from.offset_bytes.into());
    element(buffer, offset, from.format.into(), controls)
}

/// Vertex elements: the attributes, and the driver's two.
const ELEMENTS: usize = ATTRIBUTES + 2;
/// Dwords of the packets of [`elements`] at most.
const ELEMENTS_DW: usize = (1 + 2 * ELEMENTS) + 3 * ELEMENTS + 2;

/// The packets of [`elements`].
#[derive(Clone, Debug)]
pub(super) struct ElementWords {
    words: [u32; ELEMENTS_DW],
    len_dw: u8,
}

impl Default for ElementWords {
    fn default() -> Self {
        Self {
            words: [0; ELEMENTS_DW],
            len_dw: 0,
        }
    }
}

impl ElementWords {
    /// The words.
    pub(super) fn words(&self) -> &[u32] {
        self.words.get(..self.len_dw.into()).unwrap_or_default()
    }

    /// Replaces the words.
    pub(super) fn set(&mut self, words: &[u32]) {
        self.len_dw = 0;
        self.add(words);
    }

    fn add(&mut self, words: &[u32]) {
        let first = usize::from(self.len_dw);
        if let Some(to) = self.words.get_mut(first..first + words.len()) {
            to.copy_from_slice(words);
            self.len_dw += words.len() as u8;
        }
    }
}

/// Packs 3DSTATE_VERTEX_ELEMENTS, 3DSTATE_VF_INSTANCING and 3DSTATE_VF_SGVS.
pub(super) fn elements(
    inputs: &VertexInputs,
    attributes: &[VertexAttribute; ATTRIBUTES],
) -> ElementWords {
    use state_vf_sgvs as sgvs;
    let mut packets = ElementWords::default();
    // The header, the attributes, the driver's two elements.
    let mut words = [0; 1 + 2 * ELEMENTS];
    let mut count = 0;
    let mut add = |element: [u32; 2]| {
        let at = 1 + 2 * count as usize;
        if let Some(to) = words.get_mut(at..at + 2) {
            to.copy_from_slice(&element);
        }
        count += 1;
    };
    let mut steps = [(0, None); ATTRIBUTES];
    let mut step_count = 0;
    let used = |location: usize| inputs.locations >> location & 1 != 0;
    for (_, from) in (0..)
        .zip(attributes)
        .filter(|(location, _)| used(*location))
    {
        add(attribute(from));
        // With multiview, each instance is drawn once for each view.
        let step = from
            .per_instance
            .map(|step| step.saturating_mul(inputs.instances()));
        steps[step_count] = (step_count as u64, step);
        step_count += 1;
    }
    let numbers = u64::from(inputs.locations.count_ones());
    if inputs.has_numbers() {
        // The fetcher stores vertex ID and instance ID in the last two components. Components read
        // from the buffer must come first.
        let base = if inputs.bases {
            component_control::STORE_SRC
        } else {
            component_control::STORE_0
        };
        add(element(
            BASES_BUFFER,
            0,
            R32G32_UINT,
            [
                base,
                base,
                component_control::STORE_0,
                component_control::STORE_0,
            ],
        ));
    }
    if inputs.draw_id {
        let controls = [
            component_control::STORE_SRC,
            component_control::STORE_0,
            component_control::STORE_0,
            component_control::STORE_0,
        ];
        add(element(DRAW_ID_BUFFER, 0, R32_UINT, controls));
    }
    if inputs.elements() == 0 {
        // The hardware needs at least one element.
        add(element(
            0,
            0,
            0,
            [
                component_control::STORE_0,
                component_control::STORE_0,
                component_control::STORE_0,
                component_control::STORE_1_FP,
            ],
        ));
    }
    let dwords = 1 + 2 * count;
    words[0] = state_vertex_elements::PACKET.header | (dwords - 2);
    packets.add(words.get(..dwords as usize).unwrap_or_default());
    for &(index, per_instance) in steps.get(..step_count).unwrap_or_default() {
        packets.add(&instancing(index, per_instance));
    }
    for index in numbers..u64::from(count) {
        packets.add(&instancing(index, None));
    }
    packets.add(
        &sgvs::words::<2>()
            .flag(sgvs::VERTEXID_ENABLE, inputs.vertex_id)
            .with(sgvs::VERTEXID_COMPONENT_NUMBER, sgvs_component::COMP_2)
            .with(sgvs::VERTEXID_ELEMENT_OFFSET, numbers)
            .flag(sgvs::INSTANCEID_ENABLE, inputs.instance_id)
            .with(sgvs::INSTANCEID_COMPONENT_NUMBER, sgvs_component::COMP_3)
            .with(sgvs::INSTANCEID_ELEMENT_OFFSET, numbers)
            .dwords,
    );
    packets
}

/// 3DSTATE_VF_INSTANCING.
fn instancing(index: u64, per_instance: Option<u32>) -> [u32; 3] {
    use state_vf_instancing as vi;
    vi::words::<3>()
        .with(vi::VERTEX_ELEMENT_INDEX, index)
        .flag(vi::INSTANCING_ENABLE, per_instance.is_some())
        .with(
            vi::INSTANCE_DATA_STEP_RATE,
            per_instance.unwrap_or(0).into(),
        )
        .dwords
}

/// VERTEX_BUFFER_STATE.
fn buffer(index: u64, address: u64, bytes: u32, stride_bytes: u16) -> [u32; 4] {
    use vertex_buffer_state as vb;
    let is_empty = bytes == 0 && const { is_required(Wa::NullVertexBufferWhenEmpty) };
    vb::words::<4>()
        .with(vb::VERTEX_BUFFER_INDEX, index)
        .with(vb::MOCS, mocs(address))
        .flag(vb::ADDRESS_MODIFY_ENABLE, true)
        .flag(vb::NULL_VERTEX_BUFFER, address == 0 || is_empty)
        .with(vb::BUFFER_PITCH, stride_bytes.into())
        .with(vb::BUFFER_STARTING_ADDRESS, address)
        .with(vb::BUFFER_SIZE, bytes.into())
        .dwords
}

/// 3DSTATE_VERTEX_BUFFERS of all bound buffers.
pub(super) fn buffers<M: StreamMemory>(
    stream: &mut Stream<M>,
    state: &FixedFunctionState,
) -> Result<(), M::Error> {
    let bound = state
        .vertex_buffers
        .get(..state.vertex_buffer_count.into())
        .unwrap_or(&state.vertex_buffers);
    // Four buffers per packet, so that a packet fits into the rest of a chunk.
    for (first, group) in (0..).step_by(4).zip(bound.chunks(4)) {
        let mut words = [0; 17];
        let dwords = 1 + 4 * group.len();
        words[0] = state_vertex_buffers::PACKET.header | (dwords as u32 - 2);
        let states = words[1..].as_chunks_mut::<4>().0.iter_mut();
        for ((index, from), to) in (first..).zip(group).zip(states) {
            *to = buffer(index, from.address, from.bytes, from.stride_bytes);
        }
        stream.append(words.get(..dwords).unwrap_or_default())?;
    }
    Ok(())
}

/// 3DSTATE_VERTEX_BUFFERS of one of the driver's buffers, with a stride of 0.
fn constant<M: StreamMemory>(
    stream: &mut Stream<M>,
    index: u64,
    address: u64,
    bytes: u32,
) -> Result<(), M::Error> {
    let [a, b, c, d] = buffer(index, address, bytes, 0);
    stream.emit([state_vertex_buffers::PACKET.header | 3, a, b, c, d])
}

/// Binds the buffer with first vertex and first instance.
pub(super) fn bases<M: StreamMemory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error> {
    constant(stream, BASES_BUFFER, address, 8)
}

/// Binds the buffer with the draw index.
pub(super) fn draw_id<M: StreamMemory>(
    stream: &mut Stream<M>,
    address: u64,
) -> Result<(), M::Error> {
    constant(stream, DRAW_ID_BUFFER, address, 4)
}

/// 3DSTATE_INDEX_BUFFER.
pub(super) fn index_buffer(from: &IndexBuffer) -> [u32; 5] {
    use state_index_buffer as ib;
    let format = match from.index {
        IndexType::U8 => index_format::BYTE,
        IndexType::U16 => index_format::WORD,
        IndexType::U32 => index_format::DWORD,
    };
    ib::words::<5>()
        .with(ib::INDEX_FORMAT, format)
        .with(ib::MOCS, mocs(from.address))
        .with(ib::BUFFER_STARTING_ADDRESS, from.address)
        .with(ib::BUFFER_SIZE, from.bytes.into())
        .dwords
}

/// Ref: vol. 2a, "3D_Prim_Topo_Type".
fn topology_code(topology: Topology, patch_points: u8) -> u64 {
    match topology {
        Topology::PointList => primitive_topology::POINTLIST,
        Topology::LineList => primitive_topology::LINELIST,
        Topology::LineStrip => primitive_topology::LINESTRIP,
        Topology::TriangleList => primitive_topology::TRILIST,
        Topology::TriangleStrip => primitive_topology::TRISTRIP,
        Topology::TriangleFan => primitive_topology::TRIFAN,
        Topology::LineListAdjacency => primitive_topology::LINELIST_ADJ,
        Topology::LineStripAdjacency => primitive_topology::LINESTRIP_ADJ,
        Topology::TriangleListAdjacency => primitive_topology::TRILIST_ADJ,
        Topology::TriangleStripAdjacency => primitive_topology::TRISTRIP_ADJ,
        Topology::Rectangles => primitive_topology::RECTLIST,
        Topology::Patches => {
            primitive_topology::PATCHLIST_1 - 1 + u64::from(patch_points.clamp(1, 32))
        }
    }
}

/// 3DSTATE_VF_TOPOLOGY, and 3DSTATE_VF with the restart index.
pub(super) fn assembly(state: &FixedFunctionState) -> [u32; 4] {
    use {state_vf as vf, state_vf_topology as topology};
    let greatest = match state.index_buffer.index {
        IndexType::U8 => 0xff,
        IndexType::U16 => 0xffff,
        IndexType::U32 => 0xffff_ffff,
    };
    let cut = state.index_buffer.restart_index.unwrap_or(greatest);
    let [a, b] = topology::words::<2>()
        .with(
            topology::PRIMITIVE_TOPOLOGY_TYPE,
            topology_code(state.topology, state.patch_points),
        )
        .dwords;
    let [c, d] = vf::words::<2>()
        .flag(vf::INDEXED_DRAW_CUT_INDEX_ENABLE, state.restart)
        .with(vf::CUT_INDEX, cut.into())
        .dwords;
    [a, b, c, d]
}

/// 3DPRIMITIVE.
#[inline(always)]
pub(super) fn draw(draw: &DrawParams) -> [u32; 7] {
    use primitive as p;
    p::words::<7>()
        .flag(p::VERTEX_ACCESS_TYPE, draw.indexed.is_some())
        .with(p::VERTEX_COUNT_PER_INSTANCE, draw.vertices.into())
        .with(p::START_VERTEX_LOCATION, draw.first_vertex.into())
        .with(p::INSTANCE_COUNT, draw.instances.into())
        .with(p::START_INSTANCE_LOCATION, draw.first_instance.into())
        .with(
            p::BASE_VERTEX_LOCATION,
            u64::from(draw.indexed.unwrap_or(0).cast_unsigned()),
        )
        .dwords
}

/// 3DPRIMITIVE with parameters from registers.
pub(super) fn draw_indirect(indexed: bool) -> [u32; 7] {
    use primitive as p;
    p::words::<7>()
        .flag(p::INDIRECT_PARAMETER_ENABLE, true)
        .flag(p::VERTEX_ACCESS_TYPE, indexed)
        .dwords
}
