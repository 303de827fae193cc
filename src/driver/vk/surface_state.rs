//! Surfaces of buffers: RENDER_SURFACE_STATE, format RAW.
//!
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE"; a buffer's size minus one is spread over Width (7 bits), Height (14) and
//! Depth (11).

use hw::state::render_surface_state as rss;

use crate::limits::MAX_SURFACE_BYTES;

/// A buffer in a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// GPU address of the first byte.
    pub address: u64,
    /// Bytes; 0 makes every access out of bounds.
    pub bytes: u64,
}

/// Bytes of one surface in the heap.
pub const SURFACE_BYTES: u32 = 64;

const SURFTYPE_BUFFER: u64 = 4;
const SURFTYPE_NULL: u64 = 7;
const FORMAT_RAW: u64 = 0x1ff;
const ALIGN_4: u64 = 1;
/// Memory object control: the kernel's table entry 2 (cached in LLC and L3), in bits 6:1.
const MOCS_CACHED: u64 = 2 << 1;
const SELECT_RED: u64 = 4;

/// The surface of a buffer, with the exact size where `abi` has it. Its end is rounded up to a dword: the data port bounds dwords.
pub fn buffer(buffer: BufferDescriptor) -> [u8; 64] {
    let bytes = buffer.bytes.min(MAX_SURFACE_BYTES).next_multiple_of(4);
    let words = rss::PACKET
        .words::<16>()
        .with(rss::SURFACE_FORMAT, FORMAT_RAW);
    let words = match bytes.checked_sub(1) {
        None => words.with(rss::SURFACE_TYPE, SURFTYPE_NULL),
        Some(last) => words
            .with(rss::SURFACE_TYPE, SURFTYPE_BUFFER)
            .with(rss::SURFACE_VERTICAL_ALIGNMENT, ALIGN_4)
            .with(rss::SURFACE_HORIZONTAL_ALIGNMENT, ALIGN_4)
            .with(rss::MOCS, MOCS_CACHED)
            .with(rss::WIDTH, last & 0x7f)
            .with(rss::HEIGHT, last >> 7 & 0x3fff)
            .with(rss::DEPTH, last >> 21 & 0x7ff)
            .with(rss::SHADER_CHANNEL_SELECT_RED, SELECT_RED)
            .with(rss::SHADER_CHANNEL_SELECT_GREEN, SELECT_RED + 1)
            .with(rss::SHADER_CHANNEL_SELECT_BLUE, SELECT_RED + 2)
            .with(rss::SHADER_CHANNEL_SELECT_ALPHA, SELECT_RED + 3)
            .with(rss::SURFACE_BASE_ADDRESS, buffer.address),
    };
    let mut words = words;
    if let Some(size) = words.dwords.get_mut(abi::SURFACE_BYTES_DWORD) {
        *size = buffer.bytes.min(MAX_SURFACE_BYTES) as u32;
    }
    let mut out = [0; 64];
    for (to, from) in out
        .iter_mut()
        .zip(words.dwords.iter().flat_map(|dword| dword.to_le_bytes()))
    {
        *to = from;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_back_from_the_fields() {
        for bytes in [
            1,
            4,
            127,
            128,
            129,
            65_536,
            (1 << 21) + 8,
            1 << 30,
            u64::MAX / 2,
        ] {
            let state = buffer(BufferDescriptor {
                address: 0x1_2345_6780,
                bytes,
            });
            let words: Vec<u32> = state
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect();
            let last = rss::WIDTH.get(&words)
                | rss::HEIGHT.get(&words) << 7
                | rss::DEPTH.get(&words) << 21;
            assert_eq!(last + 1, bytes.min(MAX_SURFACE_BYTES).next_multiple_of(4));
            assert_eq!(rss::SURFACE_BASE_ADDRESS.get(&words), 0x1_2345_6780);
            assert_eq!(
                u64::from(words[abi::SURFACE_BYTES_DWORD]),
                bytes.min(MAX_SURFACE_BYTES)
            );
        }
        let nothing = buffer(BufferDescriptor {
            address: 0,
            bytes: 0,
        });
        assert_eq!(nothing[3] >> 5, 7);
    }
}
