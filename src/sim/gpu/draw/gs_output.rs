//! Decodes the URB entry that a geometry shader wrote into objects.
//!
//! In:  an entry's dwords, 3DSTATE_GS. Out: [`StreamObject`]s. An entry begins with the number of
//!      vertices (in 32 bytes of its own, unless the number is static), then control data (one cut
//!      bit for each vertex, or two bits of stream), then the vertices.
//! Ref: SKL PRM vol. 7, "Geometry Shader (GS) Stage", "GS URB Entry".

use super::object::{Kind, Object, Vue, dword};
use crate::draw_state::DrawState;
use hw::draw::{state_clip as clip, state_gs as gs};
use hw::value::draw::{control_data_format, primitive_topology};

/// An object and its stream.
#[derive(Clone, Debug)]
pub(crate) struct StreamObject {
    pub stream: u8,
    pub object: Object,
}

/// The provoking vertex of each kind of object, from 3DSTATE_CLIP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Provoking {
    pub line: usize,
    pub triangle: usize,
    pub fan: usize,
}

impl Provoking {
    pub fn new(state: &DrawState) -> Provoking {
        let get = |field, max: usize| (state.get(&clip::PACKET, field) as usize).min(max);
        Provoking {
            line: get(clip::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT, 1),
            triangle: get(clip::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT, 2),
            fan: get(clip::TRIANGLE_FAN_PROVOKING_VERTEX_SELECT, 2),
        }
    }
}

/// Output topologies of a geometry shader (3DPRIM_*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topology {
    Points,
    Lines { strip: bool },
    Triangles { strip: bool },
}

/// Layout of a geometry shader's URB entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryLayout {
    topology: Topology,
    provoking: Provoking,
    static_count: Option<usize>,
    /// Dwords before the control data.
    header: usize,
    control: usize,
    /// Control data holds two bits of stream for each vertex instead of one cut bit.
    streams: bool,
    default_stream: u8,
    /// Dwords of a vertex.
    vertex: usize,
    /// Odd triangles of strips keep their last vertex in place, not the first.
    trailing: bool,
}

impl EntryLayout {
    /// Reads the state; an error if the topology is not simulated.
    pub fn new(state: &DrawState) -> Result<EntryLayout, &'static str> {
        let get = |field| state.get(&gs::PACKET, field) as usize;
        let static_output = get(gs::STATIC_OUTPUT) == 1;
        Ok(EntryLayout {
            topology: match state.get(&gs::PACKET, gs::OUTPUT_TOPOLOGY) {
                primitive_topology::POINTLIST => Topology::Points,
                primitive_topology::LINELIST => Topology::Lines { strip: false },
                primitive_topology::LINESTRIP => Topology::Lines { strip: true },
                primitive_topology::TRILIST => Topology::Triangles { strip: false },
                primitive_topology::TRISTRIP => Topology::Triangles { strip: true },
                _ => return Err("a geometry shader's output topology that is no list or strip"),
            },
            provoking: Provoking::new(state),
            static_count: static_output.then(|| get(gs::STATIC_OUTPUT_VERTEX_COUNT)),
            header: if static_output { 0 } else { 8 },
            control: get(gs::CONTROL_DATA_HEADER_SIZE) * 8,
            streams: state.get(&gs::PACKET, gs::CONTROL_DATA_FORMAT) == control_data_format::SID,
            default_stream: get(gs::DEFAULT_STREAM_ID) as u8,
            vertex: (get(gs::OUTPUT_VERTEX_SIZE) + 1) * 4,
            // Reorder Mode concerns the objects that enter the shader, not those that leave it.
            trailing: Provoking::new(state).triangle == 2,
        })
    }

    /// Splits an entry into objects.
    pub fn split_objects(&self, entry: &[u32], primitive_id: u32, out: &mut Vec<StreamObject>) {
        let data = self.header + self.control;
        // Limits the count to the vertices that fit into the entry.
        let room = entry.len().saturating_sub(data) / self.vertex;
        let count = self
            .static_count
            .unwrap_or(dword(entry, 0) as usize)
            .min(room);
        let bits = |vertex: usize, width: usize| match self.control {
            0 => 0,
            _ => {
                let at = vertex * width;
                dword(entry, self.header + at / 32) >> (at % 32) & ((1 << width) - 1)
            }
        };
        let mut strip: Vec<Vue> = Vec::new();
        for i in 0..count {
            let at = data + i * self.vertex;
            let vertex: Vue = entry.get(at..at + self.vertex).unwrap_or_default().into();
            strip.push(vertex);
            let (cut, stream) = match self.streams {
                true if self.control > 0 => (false, bits(i, 2) as u8),
                true => (false, self.default_stream),
                false => (bits(i, 1) == 1, self.default_stream),
            };
            if cut || self.topology == Topology::Points {
                self.strip(&strip, stream, primitive_id, out);
                strip.clear();
            }
        }
        self.strip(&strip, self.default_stream, primitive_id, out);
    }

    /// Appends the objects of the vertices between two cuts; incomplete objects are dropped.
    fn strip(&self, strip: &[Vue], stream: u8, primitive_id: u32, out: &mut Vec<StreamObject>) {
        let (size, step) = match self.topology {
            Topology::Points => (1, 1),
            Topology::Lines { strip } => (2, if strip { 1 } else { 2 }),
            Topology::Triangles { strip } => (3, if strip { 1 } else { 3 }),
        };
        for (i, window) in strip.windows(size).step_by(step).enumerate() {
            let mut vertices = window.to_vec();
            let (kind, mut provoking) = match size {
                1 => (Kind::Point, 0),
                2 => (Kind::Line, self.provoking.line),
                _ => (Kind::Triangle, self.provoking.triangle),
            };
            // Every other triangle of a strip has the opposite winding: its first two or last two
            // vertices are swapped.
            if size == 3 && step == 1 && i % 2 == 1 {
                let (a, b) = if self.trailing { (0, 1) } else { (1, 2) };
                vertices.swap(a, b);
                if provoking == a {
                    provoking = b;
                } else if provoking == b {
                    provoking = a;
                }
            }
            out.push(StreamObject {
                stream,
                object: Object {
                    kind,
                    vertices,
                    provoking,
                    primitive_id,
                    edges: [true; 3],
                    continues: size == 2 && step == 1 && i > 0,
                    cut: None,
                },
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(topology: Topology, control: usize, streams: bool) -> EntryLayout {
        EntryLayout {
            topology,
            provoking: Provoking {
                line: 0,
                triangle: 0,
                fan: 1,
            },
            static_count: None,
            header: 8,
            control,
            streams,
            default_stream: 0,
            vertex: 4,
            trailing: false,
        }
    }

    /// An entry of vertices whose first dword is their number.
    fn entry(count: u32, control: u32) -> Vec<u32> {
        let mut entry = vec![0; 16];
        (entry[0], entry[8]) = (count, control);
        entry.extend((0..count).flat_map(|i| [i, 0, 0, 0]));
        entry
    }

    fn numbers(objects: &[StreamObject]) -> Vec<Vec<u32>> {
        let of = |o: &StreamObject| o.object.vertices.iter().map(|v| v[0]).collect();
        objects.iter().map(of).collect()
    }

    #[test]
    fn cut_bits_end_strips_and_odd_triangles_flip() {
        let mut out = Vec::new();
        let strips = layout(Topology::Triangles { strip: true }, 8, false);
        // A strip of four, one of two (nothing), one of three.
        strips.split_objects(&entry(9, 1 << 3 | 1 << 5), 7, &mut out);
        assert_eq!(numbers(&out), [[0, 1, 2], [1, 3, 2], [6, 7, 8]]);
        let provoking: Vec<_> = out
            .iter()
            .map(|o| o.object.vertices[o.object.provoking][0])
            .collect();
        assert_eq!(provoking, [0, 1, 6]);
        assert!(out.iter().all(|o| o.object.primitive_id == 7));
    }

    #[test]
    fn flipped_triangle_preserves_the_last_provoking_vertex() {
        let mut out = Vec::new();
        let mut strips = layout(Topology::Triangles { strip: true }, 0, false);
        strips.control = 8;
        strips.provoking.triangle = 2;
        strips.trailing = true;
        strips.split_objects(&entry(4, 0), 0, &mut out);
        assert_eq!(numbers(&out), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(out[1].object.provoking, 2);
        strips.trailing = false;
        out.clear();
        strips.split_objects(&entry(4, 0), 0, &mut out);
        assert_eq!(
            (numbers(&out)[1].clone(), out[1].object.provoking),
            (vec![1, 3, 2], 1)
        );
    }

    #[test]
    fn points_have_stream_ids() {
        let mut out = Vec::new();
        layout(Topology::Points, 8, true).split_objects(&entry(4, 0b11_01_00_10), 0, &mut out);
        let streams: Vec<_> = out.iter().map(|o| o.stream).collect();
        assert_eq!(streams, [2, 0, 1, 3]);
    }

    #[test]
    fn line_strips_continue_until_cut() {
        let mut out = Vec::new();
        layout(Topology::Lines { strip: true }, 8, false).split_objects(
            &entry(5, 1 << 2),
            0,
            &mut out,
        );
        assert_eq!(numbers(&out), [[0, 1], [1, 2], [3, 4]]);
        let continues: Vec<_> = out.iter().map(|o| o.object.continues).collect();
        assert_eq!(continues, [false, true, false]);
    }

    #[test]
    fn vertex_count_is_limited_by_the_entry() {
        let mut out = Vec::new();
        let mut entry = entry(2, 0);
        entry[0] = u32::MAX;
        layout(Topology::Points, 8, false).split_objects(&entry, 0, &mut out);
        assert_eq!(out.len(), 2);
    }

    #[test]
    fn control_data_spans_dwords() {
        let mut out = Vec::new();
        let mut entry = entry(40, 0);
        // A cut behind vertices 32 and 34.
        entry[9] = 1 | 1 << 2;
        layout(Topology::Lines { strip: true }, 8, false).split_objects(&entry, 0, &mut out);
        let all = numbers(&out);
        assert_eq!(all.len(), 32 + 1 + 4);
        assert_eq!(all[31..34], [[31, 32], [33, 34], [35, 36]]);
        out.clear();
        // Two bits each: vertices 16 and 33.
        (entry[9], entry[10]) = (3, 2 << 2);
        layout(Topology::Points, 8, true).split_objects(&entry, 0, &mut out);
        let streams: Vec<_> = out.iter().map(|o| o.stream).collect();
        let mut expected = [0; 40];
        (expected[16], expected[33]) = (3, 2);
        assert_eq!(streams, expected);
    }

    #[test]
    fn lists_do_not_share_vertices() {
        let mut out = Vec::new();
        layout(Topology::Lines { strip: false }, 0, false).split_objects(&lists(5), 0, &mut out);
        assert_eq!(numbers(&out), [[0, 1], [2, 3]]);
        assert!(
            out.iter()
                .all(|o| !o.object.continues && o.object.kind == Kind::Line)
        );
        out.clear();
        layout(Topology::Triangles { strip: false }, 0, false).split_objects(
            &lists(8),
            0,
            &mut out,
        );
        assert_eq!(numbers(&out), [[0, 1, 2], [3, 4, 5]]);
        assert!(
            out.iter()
                .all(|o| !o.object.continues && o.object.kind == Kind::Triangle)
        );
    }

    /// An entry without control data.
    fn lists(count: u32) -> Vec<u32> {
        let mut entry = entry(count, 0);
        entry.drain(8..16);
        entry
    }

    #[test]
    fn gs_entry_layout_follows_state() {
        let read = |fields: &[(hw::Field, u64)]| {
            let mut state = DrawState::default();
            let mut words = vec![0; 10];
            words[0] = gs::PACKET.header;
            for (field, value) in fields {
                field.set(&mut words, *value);
            }
            state.latch(&gs::PACKET, &words);
            EntryLayout::new(&state)
        };
        let topologies = [
            (1, Topology::Points),
            (2, Topology::Lines { strip: false }),
            (3, Topology::Lines { strip: true }),
            (4, Topology::Triangles { strip: false }),
            (5, Topology::Triangles { strip: true }),
        ];
        for (number, topology) in topologies {
            let layout = read(&[(gs::OUTPUT_TOPOLOGY, number)]).expect("known");
            assert_eq!(layout.topology, topology);
            assert_eq!((layout.header, layout.control, layout.vertex), (8, 0, 4));
            assert_eq!((layout.static_count, layout.streams), (None, false));
        }
        assert!(read(&[(gs::OUTPUT_TOPOLOGY, 6)]).is_err());
        for last in [1, 2] {
            let mut state = DrawState::default();
            let mut words = vec![0; 4];
            words[0] = clip::PACKET.header;
            clip::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT.set(&mut words, 1);
            clip::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT.set(&mut words, last);
            clip::TRIANGLE_FAN_PROVOKING_VERTEX_SELECT.set(&mut words, 2);
            state.latch(&clip::PACKET, &words);
            let provoking = Provoking::new(&state);
            let found = (provoking.line, provoking.triangle, provoking.fan);
            assert_eq!(found, (1, last as usize, 2));
            let mut words = vec![0; 10];
            words[0] = gs::PACKET.header;
            gs::OUTPUT_TOPOLOGY.set(&mut words, 5);
            state.latch(&gs::PACKET, &words);
            assert_eq!(EntryLayout::new(&state).expect("known").trailing, last == 2);
        }
        let layout = read(&[
            (gs::OUTPUT_TOPOLOGY, 1),
            (gs::STATIC_OUTPUT, 1),
            (gs::STATIC_OUTPUT_VERTEX_COUNT, 3),
            (gs::CONTROL_DATA_HEADER_SIZE, 2),
            (gs::CONTROL_DATA_FORMAT, 1),
            (gs::OUTPUT_VERTEX_SIZE, 3),
            (gs::DEFAULT_STREAM_ID, 2),
        ])
        .expect("known");
        assert_eq!((layout.header, layout.control, layout.vertex), (0, 16, 16));
        assert_eq!((layout.static_count, layout.streams), (Some(3), true));
        assert_eq!(layout.default_stream, 2);
    }

    #[test]
    fn default_stream_without_control_data() {
        for streams in [false, true] {
            let mut layout = layout(Topology::Points, 0, streams);
            layout.default_stream = 3;
            let mut out = Vec::new();
            layout.split_objects(&lists(2), 0, &mut out);
            assert_eq!(out.iter().map(|o| o.stream).collect::<Vec<_>>(), [3, 3]);
        }
        // Nor are vertices' own bits cuts.
        let mut entry = lists(3);
        entry[8..].fill(u32::MAX);
        let mut out = Vec::new();
        layout(Topology::Lines { strip: true }, 0, false).split_objects(&entry, 0, &mut out);
        assert_eq!(out.len(), 2);
        // A static count needs no header.
        let mut fixed = layout(Topology::Points, 0, false);
        (fixed.static_count, fixed.header) = (Some(2), 0);
        let mut out = Vec::new();
        fixed.split_objects(&[7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0], 0, &mut out);
        assert_eq!(numbers(&out), [[7], [8]]);
    }
}
