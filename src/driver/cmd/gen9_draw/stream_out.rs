//! Stream output packets: declarations of captured outputs, and their buffers.
//!
//! In:  [`StreamOut`], transform feedback buffers. Out: packets.
//! Ref: SKL PRM vol. 2a, "3DSTATE_STREAMOUT", "3DSTATE_SO_DECL_LIST", "3DSTATE_SO_BUFFER"; vol. 7,
//!      "Stream Output Logic (SOL) Stage".

use hw::draw::{state_so_buffer, state_so_decl_list, state_streamout};
use hw::draw_state::so_decl;

use crate::draw::shader::{CapturedDword, StreamOut};
use crate::draw::state::{CaptureBuffer, RasterState};
use crate::mocs::mocs;

/// The pipeline's contribution to 3DSTATE_STREAMOUT.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamOutFacts {
    pub on: bool,
    strides_bytes: [u32; abi::CAPTURE_BUFFERS],
    slots: u32,
}

impl StreamOutFacts {
    pub fn new(from: &StreamOut) -> StreamOutFacts {
        StreamOutFacts {
            on: from.is_on(),
            strides_bytes: from.strides_bytes,
            slots: from.slots,
        }
    }
}

/// Maximum number of declarations of a stream.
const DECLARATIONS: usize = 128;

/// SO_DECL: components of a slot that go to a buffer or, without a slot, a hole of as many dwords
/// in the buffer.
fn declaration(slot: Option<u8>, components: u64, buffer: u8) -> u32 {
    let mut word = [0];
    so_decl::COMPONENT_MASK.set(&mut word, components);
    so_decl::REGISTER_INDEX.set(&mut word, slot.unwrap_or(0).into());
    so_decl::HOLE_FLAG.set(&mut word, slot.is_none().into());
    so_decl::OUTPUT_BUFFER_SLOT.set(&mut word, buffer.into());
    word[0]
}

/// Appends the declarations of a stream's dwords in a buffer. Gaps become holes of up to four
/// dwords.
fn declarations(dwords: &[CapturedDword], buffer: u8, to: &mut Vec<u32>) {
    const SLOT_DW: u32 = 4;
    let mut end = 0;
    let mut rest = dwords;
    while let [first, ..] = rest {
        let mut gap = first.offset_bytes.saturating_sub(end) / 4;
        while gap > 0 {
            let now = gap.min(SLOT_DW);
            to.push(declaration(None, (1 << now) - 1, buffer));
            gap -= now;
        }
        // Consecutive components of a slot at consecutive offsets.
        let follows = |(k, c): (usize, &CapturedDword)| {
            c.slot == first.slot
                && usize::from(c.component) == usize::from(first.component) + k
                && c.offset_bytes as usize == first.offset_bytes as usize + 4 * k
        };
        let run = rest
            .iter()
            .enumerate()
            .take_while(|&(k, c)| follows((k, c)));
        let count = run.count().clamp(1, SLOT_DW as usize);
        let mask = (1 << count) - 1;
        to.push(match first.slot {
            Some(_) => declaration(first.slot, mask << first.component, buffer),
            None => declaration(None, mask, buffer),
        });
        end = first.offset_bytes + 4 * count as u32;
        rest = rest.get(count..).unwrap_or_default();
    }
}

/// 3DSTATE_SO_DECL_LIST. Returns `None` if a stream needs more declarations than the hardware has.
pub(super) fn list(from: &StreamOut) -> Option<Vec<u32>> {
    use state_so_decl_list as list;
    const SELECTS: [hw::Field; abi::STREAMS] = [
        list::STREAM_TO_BUFFER_SELECTS_0,
        list::STREAM_TO_BUFFER_SELECTS_1,
        list::STREAM_TO_BUFFER_SELECTS_2,
        list::STREAM_TO_BUFFER_SELECTS_3,
    ];
    const ENTRIES: [hw::Field; abi::STREAMS] = [
        list::NUM_ENTRIES_0,
        list::NUM_ENTRIES_1,
        list::NUM_ENTRIES_2,
        list::NUM_ENTRIES_3,
    ];
    /// Dwords before the declarations, and dwords that the length field does not count.
    const HEAD_DW: usize = 3;
    const BIAS_DW: usize = 2;
    let mut streams: [Vec<u32>; abi::STREAMS] = Default::default();
    let mut words = vec![list::PACKET.header, 0, 0];
    for (stream, to) in streams.iter_mut().enumerate() {
        let mut selects = 0;
        for buffer in 0..abi::CAPTURE_BUFFERS as u8 {
            let is_here =
                |c: &&CapturedDword| usize::from(c.stream) == stream && c.buffer == buffer;
            let dwords: Vec<_> = from.dwords.iter().filter(is_here).copied().collect();
            if !dwords.is_empty() {
                selects |= 1 << buffer;
                declarations(&dwords, buffer, to);
            }
        }
        if to.len() > DECLARATIONS {
            return None;
        }
        SELECTS[stream].set(&mut words, selects);
        ENTRIES[stream].set(&mut words, to.len() as u64);
    }
    let rows = streams.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let entry = |stream: usize| streams[stream].get(row).copied().unwrap_or(0);
        words.push(entry(0) | entry(1) << 16);
        words.push(entry(2) | entry(3) << 16);
    }
    words[0] |= (HEAD_DW + 2 * rows - BIAS_DW) as u32;
    Some(words)
}

/// 3DSTATE_STREAMOUT.
pub(super) fn streamout(facts: &StreamOutFacts, raster: &RasterState) -> [u32; 5] {
    use state_streamout as out;
    // Without stream output, all vertices are in stream 0.
    let no_vertices = !facts.on && raster.stream != 0;
    let mut words = out::words::<5>().flag(out::RENDERING_DISABLE, raster.discard || no_vertices);
    if facts.on {
        // Whole vertices are read, in pairs of slots; the field holds the count minus one.
        let pairs = u64::from(facts.slots.div_ceil(2).saturating_sub(1));
        words = words
            .flag(out::SO_FUNCTION_ENABLE, true)
            .flag(out::SO_STATISTICS_ENABLE, true)
            // The odd triangles of a strip are reordered so that the provoking vertex stays in its
            // place.
            .flag(out::REORDER_MODE, raster.provoking_last)
            .with(out::RENDER_STREAM_SELECT, raster.stream.into())
            .with(out::STREAM_0_VERTEX_READ_LENGTH, pairs)
            .with(out::STREAM_1_VERTEX_READ_LENGTH, pairs)
            .with(out::STREAM_2_VERTEX_READ_LENGTH, pairs)
            .with(out::STREAM_3_VERTEX_READ_LENGTH, pairs)
            .with(out::BUFFER_0_SURFACE_PITCH, facts.strides_bytes[0].into())
            .with(out::BUFFER_1_SURFACE_PITCH, facts.strides_bytes[1].into())
            .with(out::BUFFER_2_SURFACE_PITCH, facts.strides_bytes[2].into())
            .with(out::BUFFER_3_SURFACE_PITCH, facts.strides_bytes[3].into());
    }
    words.dwords
}

/// 3DSTATE_SO_BUFFER. The write offset is not part of it: it stays in the SO_WRITE_OFFSET
/// registers.
pub(super) fn buffer(index: usize, from: Option<&CaptureBuffer>) -> [u32; 8] {
    use state_so_buffer as buffer;
    let words = buffer::words::<8>().with(buffer::SO_BUFFER_INDEX, index as u64);
    match from.filter(|from| from.bytes >= 4) {
        None => words.dwords,
        Some(from) => {
            let dwords = (from.bytes / 4).min(1 << 30);
            words
                .flag(buffer::SO_BUFFER_ENABLE, true)
                .with(buffer::MOCS, mocs(from.address))
                .with(buffer::SURFACE_BASE_ADDRESS, from.address)
                .with(buffer::SURFACE_SIZE, dwords - 1)
                .dwords
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dword(slot: u8, component: u8, buffer: u8, offset: u32) -> CapturedDword {
        CapturedDword {
            slot: Some(slot),
            component,
            buffer,
            stream: 0,
            offset_bytes: offset,
        }
    }

    #[test]
    fn without_stream_output_only_stream_0_is_rendered() {
        use state_streamout as out;
        let facts = StreamOutFacts::default();
        for stream in 0..4 {
            let raster = RasterState {
                stream,
                ..RasterState::default()
            };
            let disabled = out::RENDERING_DISABLE.get(&streamout(&facts, &raster)) == 1;
            assert_eq!(disabled, stream != 0, "stream {stream}");
        }
    }

    #[test]
    fn gaps_become_holes_and_consecutive_components_are_merged() {
        let mut dwords: Vec<_> = (0..4).map(|c| dword(1, c, 0, u32::from(c) * 4)).collect();
        dwords.extend([dword(2, 1, 0, 40), dword(2, 2, 0, 44), dword(2, 1, 0, 48)]);
        dwords.push(CapturedDword {
            slot: None,
            ..dword(9, 3, 0, 52)
        });
        dwords.push(dword(3, 0, 2, 0));
        let list = list(&StreamOut {
            dwords,
            ..StreamOut::default()
        });
        // The gap of six dwords becomes holes of four and of two; an unwritten output is a hole
        // too.
        let hole = |n: u32| 1 << 11 | ((1 << n) - 1);
        let expected = [
            0x7917_0000 | (3 + 14 - 2),
            5,
            7,
            1 << 4 | 0xf,
            0,
            hole(4),
            0,
            hole(2),
            0,
            2 << 4 | 0b0110,
            0,
            2 << 4 | 0b0010,
            0,
            hole(1),
            0,
            2 << 12 | 3 << 4 | 1,
            0,
        ];
        assert_eq!(list, Some(expected.to_vec()));
    }

    #[test]
    fn streams_are_interleaved() {
        let of = |stream: u8| CapturedDword {
            stream,
            ..dword(stream + 1, 0, 3 - stream, 0)
        };
        let list = list(&StreamOut {
            dwords: (0..4).map(of).collect(),
            ..StreamOut::default()
        });
        let decl = |stream: u32| (3 - stream) << 12 | (stream + 1) << 4 | 1;
        let words = vec![
            0x7917_0003,
            0x1248,
            0x0101_0101,
            decl(0) | decl(1) << 16,
            decl(2) | decl(3) << 16,
        ];
        assert_eq!(list, Some(words));
    }

    #[test]
    fn too_many_declarations_are_refused() {
        let dwords = (0..129).map(|k| dword(1, 0, 0, k * 4)).collect();
        let out = StreamOut {
            dwords,
            ..StreamOut::default()
        };
        assert_eq!(list(&out), None);
    }
}
