//! The limits and alignments of surfaces, a row for each supported generation.
//!
//! In:  a device. Out: its [`Limits`]. The widths of fields come from the packets.
//! Ref: SKL PRM vol. 5, "Memory Views"; vol. 2d, RENDER_SURFACE_STATE.

use hw::draw::{state_depth_buffer, state_hier_depth_buffer, state_stencil_buffer};
use hw::state::render_surface_state;
use hw::{Device, Field, Gen};

use crate::image::SurfaceError;

/// The limits of one generation.
pub(crate) struct Limits {
    hw_gen: Gen,
    /// Maximum width of 1D images, and width and height of 2D images.
    pub max_plane_px: u32,
    /// Maximum extent of 3D images.
    pub max_volume_px: u32,
    /// Maximum number of array layers.
    pub max_layers: u32,
    /// Maximum number of samples.
    pub max_samples: u32,
    /// Maximum size.
    pub max_bytes: u64,
    /// Pitch field of surface states, in bytes.
    pub surface_pitch: Field,
    /// Pitch field of depth buffers, in bytes.
    pub depth_pitch: Field,
    /// Pitch field of stencil buffers, in bytes.
    pub stencil_pitch: Field,
    /// Pitch field of HiZ surfaces, in bytes.
    pub hiz_pitch: Field,
    /// Pitch field of MCS and CCS, in tiles.
    pub aux_pitch: Field,
    /// Distance of layers, in units of [`Limits::qpitch_unit`].
    pub qpitch: Field,
    /// Rows, or pixels of linear 1D images, per unit of QPitch.
    pub qpitch_unit: u32,
    /// Alignment of the levels of linear 1D images.
    pub linear_1d_align_el: u32,
    /// Alignment of a CCS's levels, in pixels of the main surface.
    pub ccs_align_px: [u32; 2],
    /// Alignment of a CCS's layers, in rows of pixels of the main surface.
    pub ccs_layer_align_px: u32,
    /// Alignment of a HiZ surface's levels, in elements.
    pub hiz_align_el: [u32; 2],
}

const LIMITS: &[Limits] = &[Limits {
    hw_gen: Gen::Gen9,
    max_plane_px: 1 << render_surface_state::WIDTH.bits(),
    max_volume_px: 1 << render_surface_state::DEPTH.bits(),
    max_layers: 1 << render_surface_state::DEPTH.bits(),
    max_samples: 16,
    // "Maximum Surface Size in Bytes".
    max_bytes: 1 << 38,
    surface_pitch: render_surface_state::SURFACE_PITCH,
    depth_pitch: state_depth_buffer::SURFACE_PITCH,
    stencil_pitch: state_stencil_buffer::SURFACE_PITCH,
    hiz_pitch: state_hier_depth_buffer::SURFACE_PITCH,
    aux_pitch: render_surface_state::AUXILIARY_SURFACE_PITCH,
    qpitch: render_surface_state::SURFACE_QPITCH,
    qpitch_unit: 4,
    // "1D Alignment Requirements".
    linear_1d_align_el: 64,
    // "MCS Buffer for Render Target(s)", and RENDER_SURFACE_STATE's note on the QPitch of a CCS.
    ccs_align_px: [128, 64],
    ccs_layer_align_px: 256,
    // 16 × 8 pixels.
    hiz_align_el: [2, 2],
}];

/// The limits of a device.
pub(crate) fn limits(device: &Device) -> Result<&'static Limits, SurfaceError> {
    let found = LIMITS.iter().find(|limits| limits.hw_gen == device.hw_gen);
    found.ok_or(SurfaceError::Generation(device.hw_gen))
}

/// The largest value of a field that stores the value minus one.
pub(crate) fn max_value(field: Field) -> u64 {
    1 << field.bits()
}
