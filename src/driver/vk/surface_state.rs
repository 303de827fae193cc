//! Surface states of buffers: RENDER_SURFACE_STATE with format RAW or a texel format.
//!
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE"; a buffer's size minus one is split into Width (7
//!      bits), Height (14) and Depth (11).

use cmd::image::ChannelSelect;
use cmd::mocs;
use hw::state::render_surface_state as rss;
use hw::value::state::surface_type::{SURFTYPE_BUFFER, SURFTYPE_NULL};
use hw::value::state::{
    channel_select, surface_horizontal_alignment, surface_vertical_alignment, tile_mode,
};
use hw::value::surface_format;

use crate::error::Result;
use crate::limits::MAX_SURFACE_BYTES;

/// A buffer descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// GPU address of the first byte.
    pub address: u64,
    /// Size in bytes; 0 makes every access out of bounds.
    pub bytes: u64,
}

impl BufferDescriptor {
    /// No buffer: a null descriptor.
    pub const NONE: BufferDescriptor = BufferDescriptor {
        address: 0,
        bytes: 0,
    };
}

/// Bytes of a surface state.
pub const SURFACE_BYTES: u32 = rss::PACKET.dwords as u32 * 4;

/// Dwords of a surface state.
pub type SurfaceStateWords = [u32; SURFACE_BYTES as usize / 4];

/// Null surface: every access is out of bounds. Null surfaces must be tiled (IVB PRM vol. 4 part 1,
/// SURFACE_STATE, "Tiled Surface"); later PRMs do not repeat it, but Mesa's isl_null_fill_state
/// makes them Y-major on every generation.
const NULL: hw::PacketWords<16> = rss::words::<16>()
    .with(rss::SURFACE_FORMAT, surface_format::RAW)
    .with(rss::TILE_MODE, tile_mode::YMAJOR)
    .with(rss::SURFACE_TYPE, SURFTYPE_NULL);

/// A buffer's surface state without address, MOCS and size.
const BUFFER: hw::PacketWords<16> = rss::words::<16>()
    .with(rss::SURFACE_FORMAT, surface_format::RAW)
    .with(rss::SURFACE_TYPE, SURFTYPE_BUFFER)
    .with(
        rss::SURFACE_VERTICAL_ALIGNMENT,
        surface_vertical_alignment::VALIGN_4,
    )
    .with(
        rss::SURFACE_HORIZONTAL_ALIGNMENT,
        surface_horizontal_alignment::HALIGN_4,
    )
    .with(rss::SHADER_CHANNEL_SELECT_RED, channel_select::RED)
    .with(rss::SHADER_CHANNEL_SELECT_GREEN, channel_select::GREEN)
    .with(rss::SHADER_CHANNEL_SELECT_BLUE, channel_select::BLUE)
    .with(rss::SHADER_CHANNEL_SELECT_ALPHA, channel_select::ALPHA);

/// Packs the surface state of a buffer.
pub fn buffer(buffer: BufferDescriptor) -> SurfaceStateWords {
    match buffer.bytes {
        0 => NULL.dwords,
        _ => non_empty(buffer),
    }
}

/// Packs the surface state of a non-empty buffer, with its exact size where `abi` defines it. The
/// surface's size is rounded up to a dword, as the data port checks bounds by dword.
#[inline(always)]
fn non_empty(buffer: BufferDescriptor) -> SurfaceStateWords {
    let exact = buffer.bytes.min(MAX_SURFACE_BYTES);
    let last = exact.wrapping_sub(1) | 3;
    let mut words = BUFFER
        .with(rss::WIDTH, last & 0x7f)
        .with(rss::HEIGHT, last >> 7 & 0x3fff)
        .with(rss::DEPTH, last >> 21 & 0x7ff)
        .with(rss::MOCS, mocs(buffer.address))
        .with(rss::SURFACE_BASE_ADDRESS, buffer.address)
        .dwords;
    words[abi::SURFACE_BYTES_DWORD] = exact as u32;
    words
}

/// Null surface.
pub const NONE: SurfaceStateWords = NULL.dwords;

/// Packs the surface state of a texel buffer.
pub fn texels(
    address: u64,
    count: u64,
    bytes: u32,
    format: u16,
    swizzle: [ChannelSelect; 4],
) -> SurfaceStateWords {
    let Some(last) = count.checked_sub(1) else {
        return NONE;
    };
    BUFFER
        .with(rss::SURFACE_FORMAT, format.into())
        .with(rss::WIDTH, last & 0x7f)
        .with(rss::HEIGHT, last >> 7 & 0x3fff)
        .with(rss::DEPTH, last >> 21 & 0x7ff)
        .with(rss::SURFACE_PITCH, u64::from(bytes.max(1) - 1))
        .with(rss::MOCS, mocs(address))
        .with(rss::SURFACE_BASE_ADDRESS, address)
        .with(rss::SHADER_CHANNEL_SELECT_RED, swizzle[0] as u64)
        .with(rss::SHADER_CHANNEL_SELECT_GREEN, swizzle[1] as u64)
        .with(rss::SHADER_CHANNEL_SELECT_BLUE, swizzle[2] as u64)
        .with(rss::SHADER_CHANNEL_SELECT_ALPHA, swizzle[3] as u64)
        .dwords
}

/// Writes the surface state of a buffer. Null descriptors are rare, and take a cold path.
#[inline(always)]
pub fn write(heap: &i915::SurfaceHeap, at: u32, buffer: BufferDescriptor) -> Result<()> {
    match buffer.bytes {
        0 => write_null(heap, at),
        _ => Ok(heap.write(at, &non_empty(buffer))?),
    }
}

#[cold]
#[inline(never)]
fn write_null(heap: &i915::SurfaceHeap, at: u32) -> Result<()> {
    Ok(heap.write(at, &NULL.dwords)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_tables_decide_how_shared_memory_is_cached() {
        for (address, entry) in [(0x1_2345_6780, 2), (i915::SHARED.start, 1)] {
            let words = buffer(BufferDescriptor { address, bytes: 64 });
            assert_eq!(rss::MOCS.get(&words), entry << 1);
            let words = texels(address, 4, 4, 0, cmd::image::IDENTITY_SWIZZLE);
            assert_eq!(rss::MOCS.get(&words), entry << 1);
        }
    }

    #[test]
    fn sizes_survive_a_round_trip() {
        for bytes in [
            1,
            4,
            127,
            128,
            129,
            65_536,
            (1 << 21) + 8,
            1 << 30,
            (1 << 31) + 4,
            u32::MAX.into(),
            u64::MAX / 2,
        ] {
            let words = buffer(BufferDescriptor {
                address: 0x1_2345_6780,
                bytes,
            });
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
        assert_eq!(nothing[0] >> 29, 7);
    }
}
