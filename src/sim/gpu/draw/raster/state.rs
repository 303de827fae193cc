//! Decoded state of the rasteriser: sample positions, bounding rectangles, line rules.
//!
//! In:  latched commands, SCISSOR_RECT, SF_CLIP_VIEWPORT. Out: [`RasterState`].
//! Ref: SKL PRM vol. 2a, "3DSTATE_RASTER", "3DSTATE_MULTISAMPLE", "3DSTATE_SAMPLE_PATTERN"; vol.
//!      2d, "SCISSOR_RECT".

use crate::draw::clip::{float, viewports};
use crate::draw::exec::Draw;
use crate::observer::Via;
use crate::rules;
use eu::StopReason;
use hw::draw::{self as packet, state_sample_pattern as pattern};
use hw::draw_state::{scissor_rect, sf_clip_viewport as port};
use hw::value::state::number_of_multisamples as multisamples;
use std::cell::Cell;

/// Pixels from `x0`, `y0` to `x1`, `y1`, the last inclusive; empty if an end is less than its
/// start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub x0: i64,
    pub y0: i64,
    pub x1: i64,
    pub y1: i64,
}

impl Bounds {
    /// The intersection of both rectangles.
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    pub fn is_empty(self) -> bool {
        self.x0 > self.x1 || self.y0 > self.y1
    }
}

/// How lines are rasterised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lines {
    /// By the diamond-exit rule, this many pixels wide across their major axis.
    Aliased { width: i64 },
    /// As rectangles this many pixels wide.
    Rectangles { width: f64 },
    /// As rectangles of this width, with the covered area of each pixel.
    Smooth { width: f64 },
}

/// 3DSTATE_LINE_STIPPLE: which pixels along a line are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Stipple {
    /// Sixteen bits, from the lowest on.
    pub pattern: u32,
    /// Pixels of each bit.
    pub repeat: u32,
    /// Pixels of the connected lines drawn so far.
    pub passed: Cell<u32>,
}

impl Stipple {
    /// True if the pixel at this distance from the pattern's start is drawn.
    pub fn is_drawn(&self, pixel: u32) -> bool {
        self.pattern >> (pixel / self.repeat % 16) & 1 == 1
    }
}

/// The 4 × 4 points of a pixel at which the coverage of smooth lines is sampled.
pub(super) fn smooth_line_grid() -> [(i64, i64); 16] {
    std::array::from_fn(|i| (32 + i as i64 % 4 * 64, 32 + i as i64 / 4 * 64))
}

/// The rasteriser's state.
#[derive(Clone, Debug)]
pub(crate) struct RasterState {
    /// Samples of a pixel, 1 to 16.
    pub samples: usize,
    /// Sample positions, in 256ths of a pixel from its upper left corner.
    pub positions: [(i64, i64); 16],
    pub lines: Lines,
    /// By viewport: the intersection of drawing rectangle, scissor and viewport extents.
    pub bounds: Vec<Bounds>,
    pub stipple: Option<Stipple>,
    /// Conservative rasterisation: triangles cover every pixel that they overlap.
    pub conservative: bool,
    /// Point Rasterization Rule: points cover the pixels on their upper and right edges, not on
    /// their upper and left ones.
    pub upper_right: bool,
}

/// Decodes the positions of 2^`log` samples. In the packet the Y offset of each sample precedes its
/// X offset, and the patterns start with the one for 16 samples.
fn positions(words: &[u32], log: u64) -> [(i64, i64); 16] {
    let mut out = [(0, 0); 16];
    for (i, to) in out.iter_mut().enumerate() {
        // Bit of the packet where the sample's Y Offset stands; X Offset is above it.
        let (base, i) = match log {
            multisamples::MULTISAMPLECOUNT_1 => (pattern::N1X_SAMPLE0_Y_OFFSET.lo, 0),
            multisamples::MULTISAMPLECOUNT_2 => (pattern::N2X_SAMPLE0_Y_OFFSET.lo, i % 2),
            multisamples::MULTISAMPLECOUNT_4 => (pattern::N4X_SAMPLE0_Y_OFFSET.lo, i % 4),
            multisamples::MULTISAMPLECOUNT_8 if i % 8 < 4 => {
                (pattern::N8X_SAMPLE0_Y_OFFSET.lo, i % 4)
            }
            multisamples::MULTISAMPLECOUNT_8 => (pattern::N8X_SAMPLE4_Y_OFFSET.lo, i % 4),
            _ => (pattern::N16X_SAMPLE0_Y_OFFSET.lo, i),
        };
        let bit = usize::from(base) + 8 * i;
        let byte = words.get(bit / 32).map_or(0, |w| w >> (bit % 32)) & 0xff;
        *to = (i64::from(byte >> 4) * 16, i64::from(byte & 15) * 16);
    }
    out
}

/// How a draw's lines are rasterised.
pub(crate) fn lines(draw: &Draw<'_>) -> Lines {
    use packet::{state_raster as raster, state_sf as sf};
    let flag = |field| draw.state.flag(&raster::PACKET, field);
    let width = draw.state.get(&sf::PACKET, sf::LINE_WIDTH) as f64 / 128.0;
    let multisampled = flag(raster::DX_MULTISAMPLE_RASTERIZATION_ENABLE);
    match (multisampled, flag(raster::ANTIALIASING_ENABLE)) {
        (true, _) if width > 0.0 => Lines::Rectangles { width },
        (false, true) => Lines::Smooth {
            width: width.max(1.0),
        },
        _ => Lines::Aliased {
            width: (width.round() as i64).max(1),
        },
    }
}

impl RasterState {
    /// Positions of the samples.
    pub fn samples(&self) -> &[(i64, i64)] {
        self.positions.get(..self.samples).unwrap_or_default()
    }

    /// Decodes the state of a draw.
    pub fn read(draw: &Draw<'_>) -> Result<RasterState, StopReason> {
        use packet::{
            state_clip as clip, state_line_stipple as stipple, state_multisample as multisample,
            state_raster as raster, state_sf as sf, state_wm as wm,
        };
        let flag = |field| draw.state.flag(&raster::PACKET, field);
        let gap = |what: &str| {
            Err(StopReason::Unimplemented {
                what: what.into(),
                at: draw.at,
            })
        };
        if draw.state.flag(&sf::PACKET, sf::LAST_PIXEL_ENABLE) {
            return gap("lines with their last pixel");
        }
        if flag(raster::SMOOTH_POINT_ENABLE) {
            return gap("smooth points");
        }
        let log = draw
            .state
            .get(&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES);
        let forced = draw.state.get(&raster::PACKET, raster::FORCED_SAMPLE_COUNT);
        if forced != 0 && forced != log + 1 {
            return gap("a forced sample count other than the target's");
        }
        if log > 4 {
            return Err(rules::MULTISAMPLES.stop(format!("2^{log} samples"), draw.at));
        }
        let extents = draw.state.flag(&clip::PACKET, clip::CLIP_ENABLE)
            && draw
                .state
                .flag(&clip::PACKET, clip::VIEWPORT_XY_CLIP_TEST_ENABLE)
            && draw.state.flag(&sf::PACKET, sf::VIEWPORT_TRANSFORM_ENABLE);
        let rectangle = drawing_rectangle(draw);
        let count = draw.state.get(&clip::PACKET, clip::MAXIMUM_VP_INDEX) as usize + 1;
        let mut bounds = vec![rectangle; count];
        if flag(raster::SCISSOR_RECTANGLE_ENABLE) {
            for (to, scissor) in bounds.iter_mut().zip(scissors(draw, count)?) {
                *to = to.intersect(scissor);
            }
        }
        if extents {
            for (to, words) in bounds.iter_mut().zip(viewports(draw)?) {
                let get = |field| f64::from(float(field, &words));
                *to = to.intersect(Bounds {
                    x0: get(port::X_MIN_VIEWPORT).floor() as i64,
                    y0: get(port::Y_MIN_VIEWPORT).floor() as i64,
                    x1: get(port::X_MAX_VIEWPORT).ceil() as i64,
                    y1: get(port::Y_MAX_VIEWPORT).ceil() as i64,
                });
            }
        }
        Ok(RasterState {
            upper_right: draw.state.flag(&wm::PACKET, wm::POINT_RASTERIZATION_RULE),
            conservative: flag(raster::CONSERVATIVE_RASTERIZATION_ENABLE),
            samples: 1 << log,
            positions: positions(draw.state.words(&pattern::PACKET), log),
            lines: lines(draw),
            bounds,
            stipple: draw
                .state
                .flag(&wm::PACKET, wm::LINE_STIPPLE_ENABLE)
                .then(|| Stipple {
                    pattern: draw
                        .state
                        .get(&stipple::PACKET, stipple::LINE_STIPPLE_PATTERN)
                        as u32,
                    repeat: (draw
                        .state
                        .get(&stipple::PACKET, stipple::LINE_STIPPLE_REPEAT_COUNT)
                        as u32)
                        .max(1),
                    passed: Cell::new(0),
                }),
        })
    }
}

fn drawing_rectangle(draw: &Draw<'_>) -> Bounds {
    use packet::state_drawing_rectangle as rectangle;
    let get = |field| draw.state.get(&rectangle::PACKET, field) as i64;
    Bounds {
        x0: get(rectangle::CLIPPED_DRAWING_RECTANGLE_X_MIN),
        y0: get(rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MIN),
        x1: get(rectangle::CLIPPED_DRAWING_RECTANGLE_X_MAX),
        y1: get(rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MAX),
    }
}

fn scissors(draw: &Draw<'_>, count: usize) -> Result<Vec<Bounds>, StopReason> {
    use packet::state_scissor_state_pointers as pointers;
    let offset = draw
        .state
        .get(&pointers::PACKET, pointers::SCISSOR_RECT_POINTER);
    let start = draw.base.dynamic.wrapping_add(offset);
    let view = draw.view(Via::State);
    (0..count as u64)
        .map(|i| {
            let mut words = [0; 2];
            view.read_block(start.wrapping_add(i * 8), &mut words)?;
            let get = |field: hw::Field| field.get(&words) as i64;
            Ok(Bounds {
                x0: get(scissor_rect::SCISSOR_RECTANGLE_X_MIN),
                y0: get(scissor_rect::SCISSOR_RECTANGLE_Y_MIN),
                x1: get(scissor_rect::SCISSOR_RECTANGLE_X_MAX),
                y1: get(scissor_rect::SCISSOR_RECTANGLE_Y_MAX),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
