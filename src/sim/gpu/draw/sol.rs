//! The stream output logic: writes objects to buffers in memory.
//!
//! In:  3DSTATE_STREAMOUT, 3DSTATE_SO_DECL_LIST, 3DSTATE_SO_BUFFER, objects with their stream. Out:
//!      the declared dwords of each vertex in the buffers, counters, and the stream that goes on to
//!      the clipper ([`StreamOut::render`]). An object is written entirely or, if one of its
//!      stream's buffers has no room for it, not at all.
//! Ref: SKL PRM vol. 7, "Stream Output Logic (SOL) Stage"; vol. 2a, 3DSTATE_STREAMOUT and the other
//!      two.

use super::exec::Draw;
use super::object::{Kind, Object, dword};
use crate::draw_state::DrawState;
use crate::memory::AddressSpaceView;
use crate::observer::Via;
use crate::space::AddressSpace;
use eu::StopReason;
use hw::draw::{state_clip as clip, state_so_buffer as so_buffer, state_streamout as so};
use hw::draw_state::{so_decl, so_decl_entry};
use hw::value::draw::reorder_mode;
use hw::{Field, draw::state_so_decl_list as list};

/// The number of streams, and of buffers.
pub(crate) const STREAMS: usize = 4;

/// A decoded SO_DECL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decl {
    /// First dword of the register in the vertex.
    source: usize,
    mask: u8,
    hole: bool,
    buffer: usize,
}

#[derive(Clone, Debug, Default)]
struct Stream {
    decls: Vec<Decl>,
    /// Stream to Buffer Selects: one bit a buffer.
    buffers: u32,
    /// The first dword after those that are read of a vertex.
    end: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Buffer {
    enabled: bool,
    base: u64,
    /// Bytes.
    size: u64,
    /// Bytes from one vertex to the next.
    pitch: u64,
    /// Address to which the write offset is stored at the end of the draw.
    offset_address: Option<u64>,
}

/// The stream output logic for one draw.
pub(crate) struct StreamOut<'a> {
    view: AddressSpaceView<'a>,
    enabled: bool,
    statistics: bool,
    /// The position that a triangle's provoking vertex is rotated to.
    rotate_to: Option<usize>,
    streams: [Stream; STREAMS],
    buffers: [Buffer; STREAMS],
    /// The stream that goes on to the clipper; `None` if rendering is disabled.
    pub render: Option<u8>,
    /// SO_WRITE_OFFSET: bytes from a buffer's base. The caller sets it to the registers' values
    /// before the first object.
    pub offsets: [u32; STREAMS],
    /// Increments of SO_NUM_PRIMS_WRITTEN.
    pub written: [u64; STREAMS],
    /// Increments of SO_PRIM_STORAGE_NEEDED.
    pub needed: [u64; STREAMS],
}

/// The fields of a list entry that hold the streams' declarations.
const DECLS: [Field; STREAMS] = [
    so_decl_entry::STREAM_0_DECL,
    so_decl_entry::STREAM_1_DECL,
    so_decl_entry::STREAM_2_DECL,
    so_decl_entry::STREAM_3_DECL,
];

/// Vertex Read Offset and Length of each stream.
const VERTEX_READ: [(Field, Field); STREAMS] = [
    (
        so::STREAM_0_VERTEX_READ_OFFSET,
        so::STREAM_0_VERTEX_READ_LENGTH,
    ),
    (
        so::STREAM_1_VERTEX_READ_OFFSET,
        so::STREAM_1_VERTEX_READ_LENGTH,
    ),
    (
        so::STREAM_2_VERTEX_READ_OFFSET,
        so::STREAM_2_VERTEX_READ_LENGTH,
    ),
    (
        so::STREAM_3_VERTEX_READ_OFFSET,
        so::STREAM_3_VERTEX_READ_LENGTH,
    ),
];
const PITCH: [Field; STREAMS] = [
    so::BUFFER_0_SURFACE_PITCH,
    so::BUFFER_1_SURFACE_PITCH,
    so::BUFFER_2_SURFACE_PITCH,
    so::BUFFER_3_SURFACE_PITCH,
];
const ENTRIES: [(Field, Field); STREAMS] = [
    (list::NUM_ENTRIES_0, list::STREAM_TO_BUFFER_SELECTS_0),
    (list::NUM_ENTRIES_1, list::STREAM_TO_BUFFER_SELECTS_1),
    (list::NUM_ENTRIES_2, list::STREAM_TO_BUFFER_SELECTS_2),
    (list::NUM_ENTRIES_3, list::STREAM_TO_BUFFER_SELECTS_3),
];

/// Executes the write offset fields of a 3DSTATE_SO_BUFFER: the buffer's index and its new
/// SO_WRITE_OFFSET; `None` if the command does not set it.
pub(crate) fn write_offset(
    words: &[u32],
    view: &AddressSpaceView<'_>,
) -> Result<Option<(usize, u32)>, StopReason> {
    if so_buffer::STREAM_OFFSET_WRITE_ENABLE.get(words) == 0 {
        return Ok(None);
    }
    let index = so_buffer::SO_BUFFER_INDEX.get(words) as usize;
    let offset = match so_buffer::STREAM_OFFSET.get(words) as u32 {
        u32::MAX => view.read(so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS.get(words))?,
        offset => offset,
    };
    Ok(Some((index, offset)))
}

impl<'a> StreamOut<'a> {
    /// Reads the state.
    pub fn new(draw: Draw<'a>) -> StreamOut<'a> {
        StreamOut {
            view: draw.view(Via::Stream),
            ..StreamOut::from_state(draw.state, draw.space)
        }
    }

    fn from_state(state: &DrawState, space: &'a AddressSpace) -> StreamOut<'a> {
        let words = state.words(&so::PACKET);
        let decls = state.words(&list::PACKET);
        let mut streams: [Stream; STREAMS] = Default::default();
        for (i, stream) in streams.iter_mut().enumerate() {
            let (offset, length) = VERTEX_READ[i];
            let first = offset.get(words) as usize * 8;
            stream.end = first + (length.get(words) as usize + 1) * 8;
            let (entries, selects) = ENTRIES[i];
            stream.buffers = selects.get(decls) as u32;
            let entries = entries.get(decls) as usize;
            for pair in decls.get(3..).unwrap_or_default().chunks(2).take(entries) {
                let decl = [DECLS[i].get(pair) as u32];
                stream.decls.push(Decl {
                    source: first + so_decl::REGISTER_INDEX.get(&decl) as usize * 4,
                    mask: so_decl::COMPONENT_MASK.get(&decl) as u8,
                    hole: so_decl::HOLE_FLAG.get(&decl) == 1,
                    buffer: so_decl::OUTPUT_BUFFER_SLOT.get(&decl) as usize,
                });
            }
        }
        let mut buffers = [Buffer::default(); STREAMS];
        for (i, buffer) in buffers.iter_mut().enumerate() {
            let Some(set) = state.stream_buffers.get(&i) else {
                continue;
            };
            let address = so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS.get(set);
            let store = so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE.get(set) == 1;
            *buffer = Buffer {
                enabled: so_buffer::SO_BUFFER_ENABLE.get(set) == 1,
                base: so_buffer::SURFACE_BASE_ADDRESS.get(set),
                size: (so_buffer::SURFACE_SIZE.get(set) + 1) * 4,
                pitch: PITCH[i].get(words),
                offset_address: store.then_some(address),
            };
        }
        // Reorder Mode concerns odd triangles of strips: it keeps the one whose provoking vertex
        // comes first (leading) or last (trailing) in place. With another provoking vertex, objects
        // keep their order.
        let trailing = so::REORDER_MODE.get(words) == reorder_mode::TRAILING;
        let provoking = state.get(
            &clip::PACKET,
            clip::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
        );
        let rotate_to = match (trailing, provoking) {
            (false, 0) => Some(0),
            (true, 2) => Some(2),
            _ => None,
        };
        StreamOut {
            view: AddressSpaceView::new(space),
            enabled: so::SO_FUNCTION_ENABLE.get(words) == 1,
            statistics: so::SO_STATISTICS_ENABLE.get(words) == 1,
            rotate_to,
            streams,
            buffers,
            render: (state.renders()).then(|| so::RENDER_STREAM_SELECT.get(words) as u8),
            offsets: [0; STREAMS],
            written: [0; STREAMS],
            needed: [0; STREAMS],
        }
    }

    /// True if objects are written.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Writes an object of a stream.
    pub fn object(&mut self, stream: u8, object: &Object) -> Result<(), StopReason> {
        let index = usize::from(stream);
        let Some(declared) = self.streams.get(index) else {
            return Ok(());
        };
        if !self.enabled {
            return Ok(());
        }
        if self.statistics {
            self.needed[index] += 1;
        }
        let count = object.vertices.len();
        let used = |i: usize| declared.buffers >> i & 1 == 1;
        for (i, buffer) in self.buffers.iter().enumerate() {
            let end = u64::from(self.offsets[i]) + buffer.pitch * count as u64;
            if used(i) && buffer.enabled && end > buffer.size {
                return Ok(());
            }
        }
        let rotation = match (object.kind, self.rotate_to) {
            (Kind::Triangle, Some(to)) => (object.provoking + count).saturating_sub(to),
            _ => 0,
        };
        for i in 0..count {
            let Some(vertex) = object.vertices.get((i + rotation) % count) else {
                continue;
            };
            let mut at = [0u64; STREAMS];
            for decl in &declared.decls {
                let buffer = &self.buffers[decl.buffer];
                let place = &mut at[decl.buffer];
                for component in (0..4).filter(|c| decl.mask >> c & 1 == 1) {
                    let source = decl.source + component;
                    let writes = !decl.hole && buffer.enabled && used(decl.buffer);
                    let offset = u64::from(self.offsets[decl.buffer]) + *place;
                    if writes && offset + 4 <= buffer.size {
                        let value = match source < declared.end {
                            true => dword(vertex, source),
                            false => 0,
                        };
                        self.view.write(buffer.base + offset, value)?;
                    }
                    *place += 4;
                }
            }
            for (i, buffer) in self.buffers.iter().enumerate() {
                if used(i) && buffer.enabled {
                    self.offsets[i] = self.offsets[i].saturating_add(buffer.pitch as u32);
                }
            }
        }
        if self.statistics {
            self.written[index] += 1;
        }
        Ok(())
    }

    /// Ends the draw: stores the write offsets of buffers that request it.
    pub fn finish(&mut self) -> Result<(), StopReason> {
        for (buffer, offset) in self.buffers.iter().zip(self.offsets) {
            if let (true, Some(address)) = (self.enabled, buffer.offset_address) {
                self.view.write(address, offset)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;
    use hw::Packet;

    const BASE: u64 = 0x1000;

    fn latch(state: &mut DrawState, packet: &Packet, len: usize, fields: &[(Field, u64)]) {
        let mut words = vec![0; len];
        words[0] = packet.header;
        for (field, value) in fields {
            field.set(&mut words, *value);
        }
        state.latch(packet, &words);
    }

    /// One buffer of `dwords` with a pitch of five dwords; of stream 0: attribute 1's y and z, a
    /// hole of two, attribute 0's x.
    fn state(dwords: u64) -> DrawState {
        let mut state = DrawState::default();
        let fields = [
            (so::SO_FUNCTION_ENABLE, 1),
            (so::SO_STATISTICS_ENABLE, 1),
            (so::STREAM_0_VERTEX_READ_LENGTH, 1),
            (so::BUFFER_0_SURFACE_PITCH, 20),
        ];
        latch(&mut state, &so::PACKET, 5, &fields);
        let fields = [
            (so_buffer::SO_BUFFER_ENABLE, 1),
            (so_buffer::SURFACE_BASE_ADDRESS, BASE),
            (so_buffer::SURFACE_SIZE, dwords - 1),
        ];
        latch(&mut state, &so_buffer::PACKET, 8, &fields);
        let mut words = vec![list::PACKET.header, 1, 3];
        for decl in [1 << 4 | 0b0110, 1 << 11 | 0b0011, 0b0001] {
            words.extend([decl, 0]);
        }
        state.latch(&list::PACKET, &words);
        state
    }

    fn line(first: u32) -> Object {
        let vertex = |from: u32| (from..from + 8).collect::<Vec<u32>>().into();
        Object {
            kind: Kind::Line,
            vertices: vec![vertex(first), vertex(first + 100)],
            provoking: 0,
            primitive_id: 0,
            edges: [true; 3],
            continues: false,
            cut: None,
        }
    }

    fn space() -> AddressSpace {
        let mut space = AddressSpace::new();
        space.map(BASE, 0x1000, memory(0x1000), 0).unwrap();
        space
    }

    #[test]
    fn so_declarations_define_the_vertex_layout() {
        let (state, space) = (state(100), space());
        let view = AddressSpaceView::new(&space);
        view.write_block(BASE, &[9; 16]).unwrap();
        let mut unit = StreamOut::from_state(&state, &space);
        unit.offsets[0] = 4;
        unit.object(0, &line(10)).unwrap();
        let mut got = [0; 12];
        view.read_block(BASE, &mut got).unwrap();
        assert_eq!(got, [9, 15, 16, 9, 9, 10, 115, 116, 9, 9, 110, 9]);
        assert_eq!(unit.offsets[0], 44);
        assert_eq!((unit.written[0], unit.needed[0]), (1, 1));
    }

    #[test]
    fn object_that_does_not_fit_is_not_written() {
        // Room for three vertices: one line and a half.
        let (state, space) = (state(15), space());
        let mut unit = StreamOut::from_state(&state, &space);
        unit.object(0, &line(10)).unwrap();
        unit.object(0, &line(20)).unwrap();
        assert_eq!((unit.written[0], unit.needed[0]), (1, 2));
        assert_eq!(unit.offsets[0], 40);
        assert_eq!(AddressSpaceView::new(&space).read(BASE + 40).unwrap(), 0);
    }

    #[test]
    fn so_offsets_come_from_the_command_or_memory() {
        let space = space();
        let view = AddressSpaceView::new(&space);
        view.write(BASE + 8, 0x40).unwrap();
        let mut words = [0; 8];
        assert_eq!(write_offset(&words, &view).unwrap(), None);
        so_buffer::STREAM_OFFSET_WRITE_ENABLE.set(&mut words, 1);
        so_buffer::SO_BUFFER_INDEX.set(&mut words, 2);
        assert_eq!(write_offset(&words, &view).unwrap(), Some((2, 0)));
        so_buffer::STREAM_OFFSET.set(&mut words, 0xffff_ffff);
        so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS.set(&mut words, BASE + 8);
        assert_eq!(write_offset(&words, &view).unwrap(), Some((2, 0x40)));
    }

    /// Four streams with a buffer each, stream i to buffer 3 - i: registers i and then i + 2's x.
    /// Buffer b lies at BASE + 0x100 · b, has a pitch of 20 + 4 · b and stores its offset behind
    /// all buffers.
    fn streams() -> DrawState {
        let mut state = DrawState::default();
        let mut fields = vec![
            (so::SO_FUNCTION_ENABLE, 1),
            (so::SO_STATISTICS_ENABLE, 1),
            (so::RENDER_STREAM_SELECT, 2),
        ];
        for (i, (offset, length)) in VERTEX_READ.into_iter().enumerate() {
            // Offsets 0, 1, 0, 1 and lengths of one, two, three, four times eight dwords.
            fields.extend([
                (offset, i as u64 % 2),
                (length, i as u64),
                (PITCH[i], 20 + 4 * i as u64),
            ]);
        }
        latch(&mut state, &so::PACKET, 5, &fields);
        for buffer in 0..4 {
            let fields = [
                (so_buffer::SO_BUFFER_INDEX, buffer),
                (so_buffer::SO_BUFFER_ENABLE, 1),
                (so_buffer::SURFACE_BASE_ADDRESS, BASE + 0x100 * buffer),
                (so_buffer::SURFACE_SIZE, 19),
                (so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS_ENABLE, 1),
                (
                    so_buffer::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS,
                    BASE + 0x800 + 4 * buffer,
                ),
            ];
            latch(&mut state, &so_buffer::PACKET, 8, &fields);
        }
        let mut words = vec![0; 3];
        words[0] = list::PACKET.header;
        for (i, (entries, selects)) in ENTRIES.into_iter().enumerate() {
            selects.set(&mut words, 1 << (3 - i));
            entries.set(&mut words, 2);
        }
        for register in 0..2u32 {
            let decl = |i: u32| {
                let mask = if register == 0 { 0b1111 } else { 0b0001 };
                (3 - i) << 12 | (i + 2 * register) << 4 | mask
            };
            words.extend([decl(0) | decl(1) << 16, decl(2) | decl(3) << 16]);
        }
        state.latch(&list::PACKET, &words);
        state
    }

    fn points(dwords: u32) -> Object {
        Object {
            kind: Kind::Point,
            vertices: vec![(0..dwords).collect::<Vec<u32>>().into()],
            ..line(0)
        }
    }

    #[test]
    fn streams_have_separate_declarations_and_buffers() {
        let (state, space) = (streams(), space());
        let view = AddressSpaceView::new(&space);
        let mut unit = StreamOut::from_state(&state, &space);
        assert!(unit.is_enabled());
        assert_eq!(unit.render, Some(2));
        for stream in 0..4u32 {
            view.write_block(BASE, &[9; 0x240]).expect("mapped");
            for _ in 0..=stream {
                unit.object(stream as u8, &points(64)).expect("mapped");
            }
            for buffer in 0..4u32 {
                let mut got = [0; 20];
                let at = BASE + 0x100 * u64::from(buffer);
                view.read_block(at, &mut got).expect("mapped");
                let mut expected = [9; 20];
                if buffer == 3 - stream {
                    // Register n begins with dword 8 · offset + 4 · n; what is not read of the
                    // vertex is zero.
                    let read = 8 * (stream % 2);
                    let first = read + 4 * stream;
                    let end = read + 8 * (stream + 1);
                    let dwords = [first, first + 1, first + 2, first + 3, first + 8];
                    let pitch = (5 + buffer) as usize;
                    for start in (0..=stream as usize).map(|n| n * pitch) {
                        let read = dwords.map(|dword| if dword < end { dword } else { 0 });
                        expected[start..start + 5].copy_from_slice(&read);
                    }
                }
                assert_eq!(got, expected, "stream {stream}, buffer {buffer}");
            }
        }
        // Eighty bytes hold two, two, three and four objects of 32, 28, 24 and 20.
        assert_eq!(unit.needed, [1, 2, 3, 4]);
        assert_eq!(unit.written, [1, 2, 3, 4]);
        assert_eq!(unit.offsets, [4 * 20, 3 * 24, 2 * 28, 32]);
        for stream in 0..4 {
            unit.object(stream, &points(64)).expect("mapped");
        }
        assert_eq!(unit.needed, [2, 3, 4, 5]);
        assert_eq!(unit.written, [2, 2, 3, 4]);
        unit.finish().expect("mapped");
        let mut offsets = [0; 4];
        view.read_block(BASE + 0x800, &mut offsets).expect("mapped");
        assert_eq!(offsets, [80, 72, 56, 64]);
        // There is no fifth stream.
        unit.object(4, &points(64)).expect("nothing");
        assert_eq!(unit.needed, [2, 3, 4, 5]);
    }

    #[test]
    fn statistics_stream_output_and_rendering_disables() {
        let space = space();
        let change = |field, value| {
            let mut state = streams();
            let mut words = state.words(&so::PACKET).to_vec();
            field_set(&mut words, field, value);
            state.latch(&so::PACKET, &words);
            let mut unit = StreamOut::from_state(&state, &space);
            unit.object(0, &points(64)).expect("mapped");
            unit.finish().expect("mapped");
            let stored = AddressSpaceView::new(&space)
                .read(BASE + 0x80c)
                .expect("mapped");
            AddressSpaceView::new(&space)
                .write(BASE + 0x80c, 7)
                .expect("mapped");
            (
                unit.needed[0],
                unit.written[0],
                unit.offsets[3],
                unit.render,
                stored,
            )
        };
        assert_eq!(change(so::SO_STATISTICS_ENABLE, 0), (0, 0, 32, Some(2), 32));
        assert_eq!(change(so::SO_FUNCTION_ENABLE, 0), (0, 0, 0, Some(2), 7));
        assert_eq!(change(so::RENDERING_DISABLE, 1), (1, 1, 32, None, 32));
        assert_eq!(change(so::RENDERING_DISABLE, 0), (1, 1, 32, Some(2), 32));
        assert_eq!(change(so::FORCE_RENDERING, 2), (1, 1, 32, None, 32));
        assert_eq!(change(so::FORCE_RENDERING, 3), (1, 1, 32, Some(2), 32));
        // Forced on where it is disabled.
        let mut state = streams();
        let mut words = state.words(&so::PACKET).to_vec();
        so::RENDERING_DISABLE.set(&mut words, 1);
        so::FORCE_RENDERING.set(&mut words, 3);
        state.latch(&so::PACKET, &words);
        assert_eq!(StreamOut::from_state(&state, &space).render, Some(2));
    }

    fn field_set(words: &mut [u32], field: Field, value: u64) {
        field.set(words, value);
    }

    #[test]
    fn disabled_so_buffer_receives_nothing_and_never_overflows() {
        let (mut state, space) = (state(10), space());
        let fields = [
            (so_buffer::SURFACE_BASE_ADDRESS, BASE),
            (so_buffer::SURFACE_SIZE, 0),
        ];
        latch(&mut state, &so_buffer::PACKET, 8, &fields);
        let mut unit = StreamOut::from_state(&state, &space);
        for _ in 0..3 {
            unit.object(0, &line(10)).expect("nothing to write");
        }
        assert_eq!(
            (unit.offsets[0], unit.written[0], unit.needed[0]),
            (0, 3, 3)
        );
        assert_eq!(
            AddressSpaceView::new(&space)
                .read(BASE + 8)
                .expect("mapped"),
            0
        );
    }

    #[test]
    fn so_triangle_order_follows_the_provoking_vertex() {
        let space = space();
        let captured = |reorder: u64, select: u64, provoking: usize| {
            let mut state = state(100);
            let mut words = state.words(&so::PACKET).to_vec();
            so::REORDER_MODE.set(&mut words, reorder);
            so::BUFFER_0_SURFACE_PITCH.set(&mut words, 4);
            state.latch(&so::PACKET, &words);
            let field = clip::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT;
            latch(&mut state, &clip::PACKET, 4, &[(field, select)]);
            // Attribute 0's x alone.
            state.latch(&list::PACKET, &[list::PACKET.header, 1, 1, 1, 0]);
            let mut unit = StreamOut::from_state(&state, &space);
            let triangle = Object {
                kind: Kind::Triangle,
                vertices: [1u32, 2, 3]
                    .map(|x| [x, 0, 0, 0].as_slice().into())
                    .to_vec(),
                provoking,
                ..line(0)
            };
            unit.object(0, &triangle).expect("mapped");
            let mut got = [0; 3];
            AddressSpaceView::new(&space)
                .read_block(BASE, &mut got)
                .expect("mapped");
            got
        };
        // Leading, and the first vertex provokes.
        assert_eq!(captured(0, 0, 0), [1, 2, 3]);
        assert_eq!(captured(0, 0, 1), [2, 3, 1]);
        // Trailing, and the last one does.
        assert_eq!(captured(1, 2, 2), [1, 2, 3]);
        assert_eq!(captured(1, 2, 1), [3, 1, 2]);
        // Otherwise they stay.
        assert_eq!(captured(0, 2, 1), [1, 2, 3]);
        assert_eq!(captured(1, 0, 1), [1, 2, 3]);
    }
}
