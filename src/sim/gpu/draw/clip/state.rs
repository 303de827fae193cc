//! Decoded 3DSTATE_CLIP, and the fields of other stages that concern clipping.
//!
//! In:  latched commands, SF_CLIP_VIEWPORT. Out: [`ClipState`].
//! Ref: SKL PRM vol. 2a, "3DSTATE_CLIP", "3DSTATE_RASTER"; vol. 2d, "SF_CLIP_VIEWPORT".

use crate::draw::exec::Draw;
use crate::draw::object::{Object, dword};
use crate::observer::Via;
use crate::rules;
use eu::StopReason;
use hw::draw as packet;
use hw::draw_state::sf_clip_viewport as viewport;
use hw::value::draw::{clip_api_mode, clip_mode};
use hw::{Field, Packet};

/// Clip Mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Normal,
    RejectAll,
    AcceptAll,
}

/// The guard band: how far objects may reach without being cut, as multiples of w.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    pub x: (f64, f64),
    pub y: (f64, f64),
}

impl Default for Band {
    /// The viewport itself.
    fn default() -> Band {
        Band {
            x: (-1.0, 1.0),
            y: (-1.0, 1.0),
        }
    }
}

/// The clipper's state.
#[derive(Clone, Debug)]
pub(crate) struct ClipState {
    pub enable: bool,
    /// Clipper statistics are counted.
    pub statistics: bool,
    pub mode: Mode,
    pub viewport_xy: bool,
    pub guard_band: bool,
    pub near: bool,
    pub far: bool,
    /// The near plane is at -w, not at 0.
    pub open_gl: bool,
    /// User clip distances to clip at, a bit each.
    pub user_clip: u32,
    /// User cull distances, a bit each.
    pub user_cull: u32,
    /// Guard bands by viewport.
    pub bands: Vec<Band>,
}

/// The dwords of each viewport's SF_CLIP_VIEWPORT.
pub(crate) fn viewports(draw: &Draw<'_>) -> Result<Vec<[u32; 16]>, StopReason> {
    let clip = &packet::state_clip::PACKET;
    let last = draw.state.get(clip, packet::state_clip::MAXIMUM_VP_INDEX);
    let pointers = &packet::state_viewport_state_pointers_sf_clip::PACKET;
    let field = packet::state_viewport_state_pointers_sf_clip::SF_CLIP_VIEWPORT_POINTER;
    let start = draw
        .base
        .dynamic
        .wrapping_add(draw.state.get(pointers, field));
    let view = draw.view(Via::State);
    (0..=last)
        .map(|i| {
            let mut words = [0; 16];
            view.read_block(start.wrapping_add(i * 64), &mut words)?;
            Ok(words)
        })
        .collect()
}

/// The viewport index of a vertex; an index out of range selects the first viewport.
pub(crate) fn viewport_index(vue: &[u32], count: usize) -> usize {
    let index = dword(vue, 2) as usize;
    if index < count { index } else { 0 }
}

/// A float field of a state structure.
pub(crate) fn float(field: Field, words: &[u32]) -> f32 {
    f32::from_bits(field.get(words) as u32)
}

/// A field of the last enabled geometry stage: GS, DS or VS, in this order.
pub(crate) fn last_geometry_stage_field(draw: &Draw<'_>, fields: [Field; 3]) -> u64 {
    let flag = |p: &Packet, f: Field| draw.state.flag(p, f);
    let [gs, ds, vs] = fields;
    if flag(&packet::state_gs::PACKET, packet::state_gs::ENABLE) {
        draw.state.get(&packet::state_gs::PACKET, gs)
    } else if flag(&packet::state_ds::PACKET, packet::state_ds::ENABLE) {
        draw.state.get(&packet::state_ds::PACKET, ds)
    } else {
        draw.state.get(&packet::state_vs::PACKET, vs)
    }
}

impl ClipState {
    /// Decodes the state of a draw.
    pub fn read(draw: &Draw<'_>) -> Result<ClipState, StopReason> {
        use packet::state_clip as clip;
        use packet::{state_ds as ds, state_gs as gs, state_raster as raster, state_vs as vs};
        let get = |field| draw.state.get(&clip::PACKET, field);
        let raster = |field| draw.state.flag(&raster::PACKET, field);
        let mode = match get(clip::CLIP_MODE) {
            clip_mode::CLIPMODE_NORMAL => Mode::Normal,
            clip_mode::CLIPMODE_REJECT_ALL => Mode::RejectAll,
            clip_mode::CLIPMODE_ACCEPT_ALL => Mode::AcceptAll,
            other => {
                return Err(
                    rules::CLIP_MODE.stop(format!("clip mode {other} is reserved"), draw.at)
                );
            }
        };
        let user_clip = match get(clip::FORCE_USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK) {
            0 => last_geometry_stage_field(
                draw,
                [
                    gs::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
                    ds::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
                    vs::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK,
                ],
            ),
            _ => get(clip::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK),
        };
        let user_cull = match get(clip::FORCE_USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK) {
            0 => last_geometry_stage_field(
                draw,
                [
                    gs::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
                    ds::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
                    vs::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK,
                ],
            ),
            _ => get(clip::USER_CLIP_DISTANCE_CULL_TEST_ENABLE_BITMASK),
        };
        let enable = get(clip::CLIP_ENABLE) != 0;
        let guard_band = get(clip::GUARDBAND_CLIP_TEST_ENABLE) != 0;
        let bands = match enable && guard_band {
            true => viewports(draw)?
                .iter()
                .map(|words| {
                    let get = |field| f64::from(float(field, words));
                    Band {
                        x: (
                            get(viewport::X_MIN_CLIP_GUARDBAND),
                            get(viewport::X_MAX_CLIP_GUARDBAND),
                        ),
                        y: (
                            get(viewport::Y_MIN_CLIP_GUARDBAND),
                            get(viewport::Y_MAX_CLIP_GUARDBAND),
                        ),
                    }
                })
                .collect(),
            false => Vec::new(),
        };
        Ok(ClipState {
            enable,
            statistics: get(clip::STATISTICS_ENABLE) != 0,
            mode,
            viewport_xy: get(clip::VIEWPORT_XY_CLIP_TEST_ENABLE) != 0,
            guard_band,
            near: raster(packet::state_raster::VIEWPORT_Z_NEAR_CLIP_TEST_ENABLE),
            far: raster(packet::state_raster::VIEWPORT_Z_FAR_CLIP_TEST_ENABLE),
            open_gl: get(clip::API_MODE) == clip_api_mode::APIMODE_OGL,
            user_clip: user_clip as u32,
            user_cull: user_cull as u32,
            bands,
        })
    }

    /// The guard band of an object.
    pub fn band(&self, object: &Object) -> Band {
        let vue = object.vertices.get(object.provoking);
        let index = vue.map_or(0, |v| viewport_index(v, self.bands.len()));
        self.bands.get(index).copied().unwrap_or_default()
    }
}
