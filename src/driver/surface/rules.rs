//! What a generation allows and demands of surfaces: a row for each that is described.
//!
//! Ref: SKL PRM vol. 5, "Memory Views"; vol. 2d, RENDER_SURFACE_STATE. The widths of fields come from the packets.

use hw::draw::{state_depth_buffer, state_hier_depth_buffer, state_stencil_buffer};
use hw::state::render_surface_state;
use hw::{Device, Field, Gen};

use crate::image::SurfaceError;

/// The rules of one generation.
pub(crate) struct Rules {
    hw_gen: Gen,
    /// Largest width of lines, and width and height of planes.
    pub most_plane_px: u32,
    /// Largest extent of volumes.
    pub most_volume_px: u32,
    /// Most array layers.
    pub most_layers: u32,
    /// Most samples.
    pub most_samples: u32,
    /// Most bytes.
    pub most_bytes: u64,
    /// Pitch of surface states, bytes.
    pub surface_pitch: Field,
    /// Pitch of depth buffers, bytes.
    pub depth_pitch: Field,
    /// Pitch of stencil buffers, bytes.
    pub stencil_pitch: Field,
    /// Pitch of hierarchical depth buffers, bytes.
    pub hiz_pitch: Field,
    /// Pitch of MCS and CCS, tiles.
    pub aux_pitch: Field,
    /// Distance of layers in units of [`Rules::qpitch_unit`].
    pub qpitch: Field,
    /// Rows, or pixels of linear lines, that a step of QPitch stands for.
    pub qpitch_unit: u32,
    /// Alignment of linear lines' levels.
    pub line_align_el: u32,
    /// Pixels of the main surface that levels of a CCS are aligned to.
    pub ccs_align_px: [u32; 2],
    /// Rows of pixels that layers of a CCS are aligned to.
    pub ccs_layer_align_px: u32,
    /// Elements that levels of a hierarchical depth buffer are aligned to.
    pub hiz_align_el: [u32; 2],
}

const RULES: &[Rules] = &[Rules {
    hw_gen: Gen::Gen9,
    most_plane_px: 1 << render_surface_state::WIDTH.bits(),
    most_volume_px: 1 << render_surface_state::DEPTH.bits(),
    most_layers: 1 << render_surface_state::DEPTH.bits(),
    most_samples: 16,
    // "Maximum Surface Size in Bytes".
    most_bytes: 1 << 38,
    surface_pitch: render_surface_state::SURFACE_PITCH,
    depth_pitch: state_depth_buffer::SURFACE_PITCH,
    stencil_pitch: state_stencil_buffer::SURFACE_PITCH,
    hiz_pitch: state_hier_depth_buffer::SURFACE_PITCH,
    aux_pitch: render_surface_state::AUXILIARY_SURFACE_PITCH,
    qpitch: render_surface_state::SURFACE_QPITCH,
    qpitch_unit: 4,
    // "1D Alignment Requirements".
    line_align_el: 64,
    // "MCS Buffer for Render Target(s)", and RENDER_SURFACE_STATE's note on the QPitch of a CCS.
    ccs_align_px: [128, 64],
    ccs_layer_align_px: 256,
    // 16 × 8 pixels.
    hiz_align_el: [2, 2],
}];

/// The rules that hold for a device.
pub(crate) fn rules(device: &Device) -> Result<&'static Rules, SurfaceError> {
    let found = RULES.iter().find(|rules| rules.hw_gen == device.hw_gen);
    found.ok_or(SurfaceError::Generation(device.hw_gen))
}

/// The largest number that a field holding "one less" can say.
pub(crate) fn most(field: Field) -> u64 {
    1 << field.bits()
}
