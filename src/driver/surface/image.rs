//! The description of an image, and the errors of laying it out.
//!
//! In:  the description of an image. Out: [`ImageInfo`] for `layout`, [`SurfaceError`] from it.

use crate::tiling::TilingSet;

/// Dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDim {
    /// 1D; may have layers.
    D1,
    /// 2D; may have layers or samples, or be a cube.
    D2,
    /// 3D.
    D3,
}

bitflags::bitflags! {
    /// The uses of an image that its layout depends on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ImageUsage: u16 {
        /// Colour render target.
        const RENDER_TARGET = 1;
        /// Read by the sampler.
        const TEXTURE = 2;
        /// Read and written by typed data port messages.
        const STORAGE = 4;
        /// Bound by 3DSTATE_DEPTH_BUFFER.
        const DEPTH = 8;
        /// Bound by 3DSTATE_STENCIL_BUFFER.
        const STENCIL = 16;
        /// A view of it may be a cube.
        const CUBE = 32;
        /// Scanned out by the display engine.
        const DISPLAY = 64;
        /// It never has an auxiliary surface, so no alignment is needed for one.
        const NO_AUX = 128;
    }
}

/// An image to layout out.
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo {
    /// Format of one plane.
    pub format: &'static hw::Format,
    /// Dimension.
    pub dim: ImageDim,
    /// Width, height and depth of level 0; 1 where the dimension has none.
    pub extent_px: [u32; 3],
    /// Number of mip levels.
    pub levels: u32,
    /// Number of array layers; six for each cube.
    pub layers: u32,
    /// Samples per pixel: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Usage flags.
    pub usage: ImageUsage,
    /// Allowed tilings, of which the best is chosen.
    pub tilings: TilingSet,
    /// A required row pitch, for modifiers and imported memory.
    pub row_pitch_bytes: Option<u32>,
}

/// Why an image cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// The generation is not supported.
    #[error("surfaces of {0:?} are not supported")]
    Generation(hw::Gen),
    /// The format is planar or raw, or its elements are not whole bytes.
    #[error("{0} has no elements of whole bytes")]
    Format(&'static str),
    /// A number is outside of the hardware's range.
    #[error("{what} is {requested}; the range is {min} to {max}")]
    Range {
        /// The quantity.
        what: &'static str,
        /// The requested value.
        requested: u32,
        /// The minimum.
        min: u32,
        /// The maximum.
        max: u32,
    },
    /// No surface state can describe the combination.
    #[error("{0}")]
    Shape(&'static str),
    /// None of the allowed tilings can hold the image.
    #[error("none of the allowed tilings {allowed:?} is usable; the image allows {usable:?}")]
    Tiling {
        /// The tilings that the caller allows.
        allowed: TilingSet,
        /// The tilings that the image allows.
        usable: TilingSet,
    },
    /// The required pitch does not fit the image.
    #[error("a row pitch of {requested} bytes; it must be at least {min} and a multiple of {step}")]
    InvalidPitch {
        /// The required pitch.
        requested: u32,
        /// The smallest possible pitch.
        min: u64,
        /// The pitch must be a multiple of this.
        step: u32,
    },
    /// The row pitch exceeds a pitch field.
    #[error("a row pitch of {bytes} bytes; the maximum of {field} is {max}")]
    PitchTooLong {
        /// The needed pitch.
        bytes: u64,
        /// The packet or structure with the field.
        field: &'static str,
        /// The largest pitch.
        max: u64,
    },
    /// The distance between layers exceeds the QPitch field.
    #[error("layers {rows} rows apart; the maximum of QPitch is {max}")]
    LayersTooFar {
        /// The needed distance.
        rows: u64,
        /// The largest distance.
        max: u64,
    },
    /// The distance between layers is not a multiple of QPitch's unit.
    #[error("layers {rows} rows or pixels apart; QPitch must be a multiple of {unit}")]
    UnalignedLayers {
        /// The distance that the required pitch causes.
        rows: u64,
        /// The distance must be a multiple of this.
        unit: u64,
    },
    /// The size exceeds that of a surface.
    #[error("{bytes} bytes; the maximum of a surface is {max}")]
    TooLarge {
        /// The needed size.
        bytes: u64,
        /// The largest size.
        max: u64,
    },
}
