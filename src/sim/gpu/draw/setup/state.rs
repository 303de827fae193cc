//! Decoded 3DSTATE_SF and 3DSTATE_RASTER, and the viewports.
//!
//! In:  latched commands, SF_CLIP_VIEWPORT. Out: [`SetupState`].
//! Ref: SKL PRM vol. 2a, "3DSTATE_SF", "3DSTATE_RASTER", "3DSTATE_DEPTH_BUFFER"; vol. 2d,
//!      "SF_CLIP_VIEWPORT".

use super::attributes::{self, Attribute};
use crate::draw::clip::{float, viewports};
use crate::draw::exec::Draw;
use crate::draw::raster::{Lines, lines};
use crate::rules;
use eu::StopReason;
use hw::draw as packet;
use hw::draw_state::sf_clip_viewport as port;
use hw::value::draw::{cull_mode, depth_format, fill_mode, point_width_source};

/// Fill Mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    Solid,
    Wireframe,
    Point,
}

/// Cull Mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cull {
    Both,
    None,
    Front,
    PixelBackend,
}

/// A viewport's matrix: the diagonal (scale) and the last row (offset).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewport {
    pub scale: [f32; 3],
    pub offset: [f32; 3],
}

/// The unit's state.
#[derive(Clone, Debug)]
pub(crate) struct SetupState {
    /// Perspective divide.
    pub divide: bool,
    /// Viewport transform.
    pub transform: bool,
    pub viewports: Vec<Viewport>,
    /// The number of viewports; greater indices select the first.
    pub viewport_count: usize,
    pub force_zero_layer: bool,
    /// Added to positions: drawing rectangle origin, and half a pixel if Pixel Location is the
    /// upper left corner.
    pub origin: [f64; 2],
    pub front_counter_clockwise: bool,
    pub cull: Cull,
    pub front_fill: Fill,
    pub back_fill: Fill,
    pub bias_solid: bool,
    pub bias_wireframe: bool,
    pub bias_point: bool,
    pub bias_constant: f32,
    pub bias_scale: f32,
    pub bias_clamp: f32,
    /// The smallest difference of depths, or 1 for a constant that is used unmodified; `None` for
    /// float depth.
    pub bias_unit: Option<f64>,
    /// Width of points in pixels; `None` if each vertex has its own.
    pub point_width: Option<f32>,
    /// Minimum and maximum of widths from vertices.
    pub point_range: [f32; 2],
    /// Lines are aliased: attributes depend on a pixel's position along the major axis only.
    pub aliased_lines: bool,
    /// Point sprite coordinates start at the lower left.
    pub sprite_lower_left: bool,
    pub attributes: Vec<Attribute>,
}

fn fill(draw: &Draw<'_>, code: u64) -> Result<Fill, StopReason> {
    match code {
        fill_mode::SOLID => Ok(Fill::Solid),
        fill_mode::WIREFRAME => Ok(Fill::Wireframe),
        fill_mode::POINT => Ok(Fill::Point),
        _ => Err(rules::FILL_MODE.stop(format!("fill mode {code} is reserved"), draw.at)),
    }
}

impl SetupState {
    /// Decodes the state of a draw.
    pub fn read(draw: &Draw<'_>) -> Result<SetupState, StopReason> {
        use packet::{
            state_clip as clip, state_depth_buffer as depth, state_drawing_rectangle as rectangle,
            state_multisample as multisample, state_raster as raster, state_sbe as sbe,
            state_sf as sf,
        };
        let clip = |field| draw.state.get(&clip::PACKET, field);
        let rastered = |field| draw.state.get(&raster::PACKET, field);
        let flag = |field| draw.state.flag(&raster::PACKET, field);
        let single = |field| float(field, draw.state.words(&raster::PACKET));
        let sf = |field| draw.state.get(&sf::PACKET, field);
        let transform = sf(packet::state_sf::VIEWPORT_TRANSFORM_ENABLE) != 0;
        let viewports = match transform {
            true => viewports(draw)?
                .iter()
                .map(|words| Viewport {
                    scale: [
                        port::VIEWPORT_MATRIX_ELEMENT_M00,
                        port::VIEWPORT_MATRIX_ELEMENT_M11,
                        port::VIEWPORT_MATRIX_ELEMENT_M22,
                    ]
                    .map(|f| float(f, words)),
                    offset: [
                        port::VIEWPORT_MATRIX_ELEMENT_M30,
                        port::VIEWPORT_MATRIX_ELEMENT_M31,
                        port::VIEWPORT_MATRIX_ELEMENT_M32,
                    ]
                    .map(|f| float(f, words)),
                })
                .collect(),
            false => Vec::new(),
        };
        let corner = draw
            .state
            .flag(&multisample::PACKET, multisample::PIXEL_LOCATION);
        let centre = if corner { 0.5 } else { 0.0 };
        let origin = [
            rectangle::DRAWING_RECTANGLE_ORIGIN_X,
            rectangle::DRAWING_RECTANGLE_ORIGIN_Y,
        ]
        .map(|f| draw.state.get(&rectangle::PACKET, f) as i64 as f64 + centre);
        // Vol. 2a, 3DSTATE_SF: the constant is used unmodified with the legacy bias.
        let unscaled = sf(packet::state_sf::LEGACY_GLOBAL_DEPTH_BIAS_ENABLE) != 0;
        let bias_unit = match draw.state.get(&depth::PACKET, depth::SURFACE_FORMAT) {
            _ if unscaled => Some(1.0),
            depth_format::D32_FLOAT => None,
            depth_format::D16_UNORM => Some(2f64.powi(-16)),
            _ => Some(2f64.powi(-24)),
        };
        let eighths = |value: u64| value as f32 / 8.0;
        Ok(SetupState {
            divide: clip(packet::state_clip::PERSPECTIVE_DIVIDE_DISABLE) == 0,
            transform,
            viewports,
            viewport_count: clip(packet::state_clip::MAXIMUM_VP_INDEX) as usize + 1,
            force_zero_layer: clip(packet::state_clip::FORCE_ZERO_RTA_INDEX_ENABLE) != 0,
            origin,
            front_counter_clockwise: flag(raster::FRONT_WINDING),
            cull: match rastered(raster::CULL_MODE) {
                cull_mode::BOTH => Cull::Both,
                cull_mode::NONE => Cull::None,
                cull_mode::FRONT => Cull::Front,
                _ => Cull::PixelBackend,
            },
            front_fill: fill(draw, rastered(raster::FRONT_FACE_FILL_MODE))?,
            back_fill: fill(draw, rastered(raster::BACK_FACE_FILL_MODE))?,
            bias_solid: flag(raster::GLOBAL_DEPTH_OFFSET_ENABLE_SOLID),
            bias_wireframe: flag(raster::GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME),
            bias_point: flag(raster::GLOBAL_DEPTH_OFFSET_ENABLE_POINT),
            bias_constant: single(raster::GLOBAL_DEPTH_OFFSET_CONSTANT),
            bias_scale: single(raster::GLOBAL_DEPTH_OFFSET_SCALE),
            bias_clamp: single(raster::GLOBAL_DEPTH_OFFSET_CLAMP),
            bias_unit,
            point_width: (sf(packet::state_sf::POINT_WIDTH_SOURCE) == point_width_source::STATE)
                .then(|| eighths(sf(packet::state_sf::POINT_WIDTH))),
            point_range: [
                eighths(clip(packet::state_clip::MINIMUM_POINT_WIDTH)),
                eighths(clip(packet::state_clip::MAXIMUM_POINT_WIDTH)),
            ],
            aliased_lines: matches!(lines(draw), Lines::Aliased { .. }),
            sprite_lower_left: draw
                .state
                .flag(&sbe::PACKET, sbe::POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN),
            attributes: attributes::read(draw)?,
        })
    }
}

#[cfg(test)]
mod tests;
