//! What is drawn to.
//!
//! In:  surfaces. Out: the same facts for the packets.
//! Ref: SKL PRM vol. 2a, "3DSTATE_DEPTH_BUFFER", "3DSTATE_STENCIL_BUFFER"; vol. 2d, "RENDER_SURFACE_STATE".

use crate::draw::state::{Area, TARGETS};

/// Formats of depth, by the hardware's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' names")]
pub enum DepthFormat {
    D32Float = 1,
    D24UnormX8 = 3,
    D16Unorm = 5,
}

/// A depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Format.
    pub format: DepthFormat,
    /// Where it begins.
    pub address: u64,
    /// Bytes from row to row.
    pub pitch_bytes: u32,
    /// Rows from layer to layer.
    pub qpitch_rows: u32,
    /// Its hierarchy, where that is used.
    pub hierarchy: Option<Hierarchy>,
}

/// The hierarchy of a depth buffer. What it holds cleared is of [`CLEAR_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// Where it begins.
    pub address: u64,
    /// Bytes from row to row.
    pub pitch_bytes: u32,
    /// Rows of pixels from layer to layer.
    pub qpitch_rows: u32,
}

/// The one depth that hierarchies are cleared to: it need not be remembered by anyone.
pub const CLEAR_DEPTH: f32 = 1.0;

/// What is done to a depth buffer by way of its hierarchy, and to the stencil buffer beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthWork {
    /// Clears a rectangle, of whole blocks of 8 × 4 pixels or up to the edges: depth to [`CLEAR_DEPTH`], stencil to this.
    Clear {
        /// Depth is cleared.
        depth: bool,
        /// Stencil is.
        stencil: Option<u8>,
        /// The rectangle.
        area: Area,
    },
    /// What the hierarchy holds back gets to the depth buffer.
    Resolve,
    /// The hierarchy holds nothing back, whatever it said before: the depth buffer was written without it.
    Refill,
}

/// A stencil buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// Where it begins.
    pub address: u64,
    /// Bytes from row to row, as the packet counts them: of two rows.
    pub pitch_bytes: u32,
    /// Rows from layer to layer.
    pub qpitch_rows: u32,
}

/// Depth and stencil, of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthStencilTarget {
    /// Depth.
    pub depth: Option<Depth>,
    /// Stencil.
    pub stencil: Option<Stencil>,
    /// Width of level 0.
    pub width: u32,
    /// Height of level 0.
    pub height: u32,
    /// Level that is drawn to.
    pub level: u32,
    /// First layer.
    pub first_layer: u32,
    /// Layers.
    pub layers: u32,
    /// It has three dimensions.
    pub volume: bool,
}

/// The words of a colour target's surface: RENDER_SURFACE_STATE.
pub type Surface = [u32; 16];

/// Where memory says what is kept of clears of a target ([`crate::kept`]): never at address 0.
pub type Record = std::num::NonZeroU64;

/// All targets of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    /// Colours; None: nothing is written.
    pub colours: [Option<Surface>; TARGETS],
    /// What the GPU has to put into their surfaces.
    pub records: [Option<Record>; TARGETS],
    /// What stands for a colour target that is not there.
    pub null: Surface,
    /// Depth and stencil.
    pub depth_stencil: DepthStencilTarget,
    /// Pixels that may change.
    pub area: Area,
    /// Another batch says them, which this one is a part of: of colours, depth and stencil it is known only which there are.
    pub inherited: bool,
}

impl Targets {
    /// Whether a colour is integers.
    pub fn has_integers(&self) -> bool {
        self.formats()
            .any(|(_, format)| hw::Format::is_integer(format))
    }

    /// Colours that no logic operation is applied to, a bit each: floats, and what is not linear.
    pub fn beyond_logic(&self) -> u8 {
        let beyond = self
            .formats()
            .filter(|(_, format)| format.is_float() || format.is_srgb());
        beyond.fold(0, |mask, (index, _)| mask | 1 << index)
    }

    /// Formats of colours, by target.
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

    /// Entries of the binding table: one at least, which a fragment shader without colours ends with.
    pub fn entries(&self) -> usize {
        let last = self.colours.iter().rposition(Option::is_some);
        last.map_or(1, |last| last + 1)
    }
}
