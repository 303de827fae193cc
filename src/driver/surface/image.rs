//! What is asked for: the description of an image, and why it may be refused.

use crate::tile::Tilings;

/// Dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A line; may have layers.
    D1,
    /// A plane; may have layers, or samples, or be a cube.
    D2,
    /// A volume.
    D3,
}

bitflags::bitflags! {
    /// What an image will be used for, as far as its layout depends on it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Usage: u16 {
        /// Colour target.
        const RENDER_TARGET = 1;
        /// Read by the sampler.
        const TEXTURE = 2;
        /// Read and written by typed data port messages.
        const STORAGE = 4;
        /// Bound by 3DSTATE_DEPTH_BUFFER.
        const DEPTH = 8;
        /// Bound by 3DSTATE_STENCIL_BUFFER.
        const STENCIL = 16;
        /// Some view of it is a cube.
        const CUBE = 32;
        /// Scanned out by the display engine.
        const DISPLAY = 64;
        /// Never has an auxiliary surface, so nothing is aligned for one.
        const NO_AUX = 128;
    }
}

/// An image to lay out.
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo {
    /// Format of one plane.
    pub format: &'static hw::Format,
    /// Dimension.
    pub dim: Dim,
    /// Width, height and depth of level 0; 1 where the dimension has none.
    pub extent_px: [u32; 3],
    /// Mip levels.
    pub levels: u32,
    /// Array layers; six for each cube.
    pub layers: u32,
    /// Samples of a pixel: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// What it is for.
    pub usage: Usage,
    /// Tilings that the caller can live with; the best of them is taken.
    pub tilings: Tilings,
    /// Distance of rows that must be kept, as modifiers and imported memory have it.
    pub row_pitch_bytes: Option<u32>,
}

/// Why an image cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// No rules for this generation yet.
    #[error("surfaces of {0:?} are not described yet")]
    Generation(hw::Gen),
    /// Planar, raw, or with elements that are no whole bytes.
    #[error("{0} has no elements of whole bytes, so nothing can be laid out in it")]
    Format(&'static str),
    /// A number outside of what the hardware has.
    #[error("{what} is {asked}; {least} to {most} can be had")]
    Range {
        /// What was asked for.
        what: &'static str,
        /// How much of it.
        asked: u32,
        /// The least that can be had.
        least: u32,
        /// The most that can be had.
        most: u32,
    },
    /// A combination that no surface state can describe.
    #[error("{0}")]
    Shape(&'static str),
    /// None of the wished tilings can hold the image.
    #[error("of the tilings {wished:?} only {usable:?} could hold such an image")]
    Tiling {
        /// What the caller allowed.
        wished: Tilings,
        /// What the image allows.
        usable: Tilings,
    },
    /// The wished pitch does not fit the image.
    #[error("a row pitch of {asked} bytes; it takes at least {least}, in steps of {step}")]
    PitchWish {
        /// The wished pitch.
        asked: u32,
        /// Bytes of a row.
        least: u64,
        /// What a pitch must be a multiple of.
        step: u32,
    },
    /// A row is longer than a pitch field can say.
    #[error("rows {bytes} bytes apart; {field} can say {most}")]
    PitchTooLong {
        /// The pitch that is needed.
        bytes: u64,
        /// The packet or structure that would have to hold it.
        field: &'static str,
        /// The largest pitch.
        most: u64,
    },
    /// Layers are further apart than a QPitch field can say.
    #[error("layers {rows} rows apart; QPitch can say {most}")]
    LayersTooFar {
        /// The distance that is needed.
        rows: u64,
        /// The largest distance.
        most: u64,
    },
    /// A distance of layers that QPitch's unit cannot say.
    #[error("layers {rows} rows or pixels apart; QPitch counts {unit} at a time")]
    LayerStep {
        /// The distance that the wished pitch makes.
        rows: u64,
        /// What it must be a multiple of.
        unit: u64,
    },
    /// More bytes than a surface may have.
    #[error("{bytes} bytes; a surface may have {most}")]
    TooLarge {
        /// The size that is needed.
        bytes: u64,
        /// The largest size.
        most: u64,
    },
}
