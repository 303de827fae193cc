//! Render targets of a draw.
//!
//! In:  surfaces. Out: the facts that packets need.
//! Ref: SKL PRM vol. 2a, "3DSTATE_DEPTH_BUFFER", "3DSTATE_STENCIL_BUFFER"; vol. 2d,
//!      "RENDER_SURFACE_STATE".

use crate::draw::state::{PixelRect, TARGETS};

/// Depth formats, by hardware number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' names")]
pub enum DepthFormat {
    D32Float = 1,
    D24UnormX8 = 3,
    D16Unorm = 5,
}

/// A depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthBuffer {
    /// Format.
    pub format: DepthFormat,
    /// GPU address.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch_bytes: u32,
    /// Rows from one layer to the next.
    pub qpitch_rows: u32,
    /// Its HiZ buffer, if used.
    pub hierarchy: Option<HizBuffer>,
}

/// A HiZ buffer. Its clear value is always [`CLEAR_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HizBuffer {
    /// GPU address.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch_bytes: u32,
    /// Pixel rows from one layer to the next.
    pub qpitch_rows: u32,
}

/// The clear value of every HiZ buffer. As it is constant, it need not be stored with the image.
pub const CLEAR_DEPTH: f32 = 1.0;

/// A HiZ operation on a depth buffer, with the stencil buffer beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HizOp {
    /// Clears a rectangle that is aligned to blocks of 8×4 pixels or reaches the edges: depth to
    /// [`CLEAR_DEPTH`], stencil to the given value.
    Clear {
        /// Clear depth.
        depth: bool,
        /// Clear stencil.
        stencil: Option<u8>,
        /// Rectangle in pixels.
        area: PixelRect,
    },
    /// Depth resolve: writes what the HiZ buffer holds to the depth buffer.
    Resolve,
    /// HiZ resolve (ambiguate): resets the HiZ buffer after the depth buffer was written without
    /// it.
    Ambiguate,
}

/// A stencil buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilBuffer {
    /// GPU address.
    pub address: u64,
    /// Bytes from row to row in the packet's unit: two rows of pixels.
    pub pitch_bytes: u32,
    /// Rows from one layer to the next.
    pub qpitch_rows: u32,
}

/// Depth and stencil buffers, of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthStencilTarget {
    /// Depth.
    pub depth: Option<DepthBuffer>,
    /// Stencil.
    pub stencil: Option<StencilBuffer>,
    /// Width of level 0.
    pub width: u32,
    /// Height of level 0.
    pub height: u32,
    /// Mip level that is rendered to.
    pub level: u32,
    /// First layer.
    pub first_layer: u32,
    /// Number of layers.
    pub layers: u32,
    /// The image is three-dimensional.
    pub volume: bool,
}

/// A colour target's RENDER_SURFACE_STATE.
pub type SurfaceStateWords = [u32; 16];

/// GPU address of a target's fast clear record ([`crate::fast_clear_record`]).
pub type RecordAddress = std::num::NonZeroU64;

/// All targets of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct RenderTargets {
    /// Colour targets, by slot of the binding table. `None`: writes are discarded.
    pub colours: [Option<SurfaceStateWords>; TARGETS],
    /// Fast clear records that the GPU copies into the targets' surface states.
    pub records: [Option<RecordAddress>; TARGETS],
    /// Null surface for absent colour targets.
    pub null: SurfaceStateWords,
    /// Depth and stencil.
    pub depth_stencil: DepthStencilTarget,
    /// Render area in pixels.
    pub area: PixelRect,
    /// Draws dither their colours; meta draws do not.
    pub dithered: bool,
    /// A primary batch emits the targets, and this is a secondary: only the presence of colour,
    /// depth and stencil targets is known.
    pub inherited: bool,
}

impl RenderTargets {
    /// Whether any colour target has an integer format.
    pub fn has_integers(&self) -> bool {
        self.formats()
            .any(|(_, format)| hw::Format::is_integer(format))
    }

    /// Mask of the colour targets without logic operations: float and sRGB formats.
    pub fn without_logic_op(&self) -> u8 {
        let excluded = self
            .formats()
            .filter(|(_, format)| format.is_float() || format.is_srgb());
        excluded.fold(0, |mask, (index, _)| mask | 1 << index)
    }

    /// Format of each colour target.
    fn formats(&self) -> impl Iterator<Item = (usize, &'static hw::Format)> {
        use hw::state::render_surface_state::SURFACE_FORMAT;
        self.colours
            .iter()
            .enumerate()
            .filter_map(|(index, surface)| {
                let number = SURFACE_FORMAT.get(surface.as_ref()?) as u32;
                Some((index, hw::Format::by_number(number)?))
            })
    }

    /// Entries of the binding table: at least one, since a fragment shader without colour targets
    /// ends with a null target write.
    pub fn entries(&self) -> usize {
        let last = self.colours.iter().rposition(Option::is_some);
        last.map_or(1, |last| last + 1)
    }
}
