//! Surfaces that messages address by bytes: buffers, shared local memory, stateless accesses.
//!
//! In:  RENDER_SURFACE_STATE of a buffer, byte offsets. Out: GPU addresses, checked against the
//!      size.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE"; vol. 7, "Surface State Model", buffer surfaces.

use crate::memory::AddressSpaceView;
use crate::observer::Via;
use crate::space::ADDRESS_MASK;
use eu::StopReason;
use hw::state::render_surface_state as rss;
use hw::value::state::surface_type::{SURFTYPE_BUFFER, SURFTYPE_NULL, SURFTYPE_STRBUF};

/// What an address in a message is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    /// A buffer: addresses are byte offsets, checked against the size.
    Buffer {
        /// First byte.
        address: u64,
        /// Bytes.
        bytes: u64,
        /// Bytes of an entry: 1 for RAW.
        pitch: u64,
        /// Surface format number.
        format: u32,
    },
    /// Reads give zero, writes are dropped.
    Null,
    /// Memory from this address on, unchecked but by the page tables: offsets are of 32 bits.
    Stateless {
        /// General state base address, plus the buffer base of the message's header.
        base: u64,
    },
    /// Shared local memory of the workgroup.
    Slm,
}

impl Surface {
    /// Reads the surface state at `address`.
    pub fn read(view: &AddressSpaceView<'_>, address: u64) -> Result<Surface, StopReason> {
        let mut words = [0; 16];
        view.by(Via::State, |view| view.read_block(address, &mut words))?;
        match rss::SURFACE_TYPE.get(&words) {
            SURFTYPE_NULL => Ok(Surface::Null),
            SURFTYPE_BUFFER | SURFTYPE_STRBUF => {
                let width = rss::WIDTH.get(&words) & 0x7f;
                let height = rss::HEIGHT.get(&words) & 0x3fff;
                let depth = rss::DEPTH.get(&words) & 0x7ff;
                let entries = (width | height << 7 | depth << 21) + 1;
                let pitch = rss::SURFACE_PITCH.get(&words) + 1;
                Ok(Surface::Buffer {
                    address: rss::SURFACE_BASE_ADDRESS.get(&words) & ADDRESS_MASK,
                    bytes: entries * pitch,
                    pitch,
                    format: rss::SURFACE_FORMAT.get(&words) as u32 & 0x1ff,
                })
            }
            other => Err(StopReason::Unimplemented {
                what: format!("surfaces of type {other}"),
                at: address,
            }),
        }
    }

    /// GPU address of `bytes` bytes at `offset`; `None` where the access is out of bounds. Not for
    /// SLM.
    pub fn resolve(&self, offset: u64, bytes: u64) -> Option<u64> {
        match *self {
            Surface::Buffer {
                address,
                bytes: size,
                ..
            } => (offset + bytes <= size).then(|| address + offset),
            Surface::Stateless { base } => Some(base + offset),
            Surface::Null | Surface::Slm => None,
        }
    }
}
