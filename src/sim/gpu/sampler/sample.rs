//! Messages that use a sampler, on the general path: coordinates, levels and filtering of each
//! lane.
//!
//! In:  coordinates, gradients, references. Out: filtered texels.
//! Ref: SKL PRM vol. 7, "Messages": `sample` and its variants, `gather4`, `LOD`.

use super::engine::Engine;
use super::filter::{FilterContext, SamplePoint, ValueKind};
use super::lod::{self, Gradients, LodSource};
use super::request::{
    ParameterLayout, Request, SUBSPAN, array_element, message_type, respond_lane,
};
use super::{address, fast_2d};
use crate::bindings::{Bindings, unimplemented};
use crate::surface::{Image, Kind, format};
use eu::{Message, StopReason};

/// The coordinates of a lane, from which its gradients are computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LaneCoordinates {
    /// u, v, r from the message.
    pub(super) given: [f64; 3],
    /// u and v of the face of a cube; else as given.
    pub(super) coordinates: [f64; 3],
    pub(super) face: u32,
}

fn lane_coordinates(
    request: &Request<'_>,
    order: &ParameterLayout,
    image: &Image,
    lane: usize,
) -> LaneCoordinates {
    let [u, v, r, _] = order.coordinates.map(|i| request.float(i, lane));
    let given = [u, v, r];
    if image.kind != Kind::Cube {
        return LaneCoordinates {
            given,
            coordinates: given,
            face: 0,
        };
    }
    let place = address::project_to_face(given);
    LaneCoordinates {
        given,
        coordinates: [place.s, place.t, 0.0],
        face: place.face,
    }
}

/// Converts a derivative of the message's coordinates to texels of level 0.
pub(super) fn texel_gradient(
    image: &Image,
    normalized: bool,
    from: &LaneCoordinates,
    by: [f64; 3],
) -> [f64; 3] {
    let extent = image.level_extent(0).map(f64::from);
    if image.kind == Kind::Cube {
        // The quotient rule on s = (sc / m + 1) / 2.
        let [s, t, m] = address::to_face_axes(from.face, from.given);
        let [ds, dt, dm] = address::to_face_axes(from.face, by);
        let change = |c: f64, dc: f64| (dc * m - c * dm) / (2.0 * m * m) * extent[0];
        return [change(s, ds), change(t, dt), 0.0];
    }
    let axes = match image.kind {
        Kind::D1 => 1,
        Kind::D3 => 3,
        _ => 2,
    };
    std::array::from_fn(|i| match (i < axes, normalized) {
        (false, _) => 0.0,
        (true, true) => by[i] * extent[i],
        (true, false) => by[i],
    })
}

/// The difference between two pixels of a subspan, in texels of level 0.
///
/// Drivers divide a cube's direction by its longest axis before they send it: pixels on either side
/// of an edge are then no linear step apart. There it counts where both meet the face of the
/// channel at hand.
pub(super) fn subspan_difference(
    image: &Image,
    normalized: bool,
    at: &LaneCoordinates,
    [from, to]: [[f64; 3]; 2],
) -> [f64; 3] {
    let beyond_an_edge = |v| address::cube_face(v) != at.face;
    if image.kind == Kind::Cube && (beyond_an_edge(from) || beyond_an_edge(to)) {
        let [a, b] = [from, to].map(|v| address::to_face_axes(at.face, v));
        if a[2] > 0.0 && b[2] > 0.0 {
            let half = f64::from(image.level_extent(0)[0]) / 2.0;
            let change = |i: usize| (b[i] / b[2] - a[i] / a[2]) * half;
            return [change(0), change(1), 0.0];
        }
    }
    let by = std::array::from_fn(|i| to[i] - from[i]);
    texel_gradient(image, normalized, at, by)
}

/// Gradients of the lanes of a message: explicit, or the differences within a subspan.
struct GradientSource<'r, 'm> {
    request: &'r Request<'m>,
    order: &'r ParameterLayout,
    image: &'r Image,
    normalized: bool,
    implicit: bool,
    /// The subspan that was looked at last, and its upper left, upper right and lower left pixel.
    corners: (usize, [[f64; 3]; 3]),
}

impl GradientSource<'_, '_> {
    #[inline]
    fn gradients(&mut self, from: &LaneCoordinates, lane: usize) -> Gradients {
        let (request, order, image) = (self.request, self.order, self.image);
        if self.implicit {
            if self.corners.0 != lane / SUBSPAN {
                let corner = lane - lane % SUBSPAN;
                let at = |l: usize| {
                    let [u, v, r, _] = order.coordinates;
                    [u, v, r].map(|i| request.float(i, l))
                };
                self.corners = (lane / SUBSPAN, [0, 1, 2].map(|i| at(corner + i)));
            }
            let [a, right, below] = self.corners.1;
            [right, below].map(|to| subspan_difference(image, self.normalized, from, [a, to]))
        } else if let Some(first) = order.gradients {
            [0, 1].map(|which| {
                let by = first.map(|i| request.float(i + which, lane));
                texel_gradient(image, self.normalized, from, by)
            })
        } else {
            [[0.0; 3]; 2]
        }
    }
}

/// The level of a lane: where it comes from, and the message's minimum.
#[inline]
fn lod_source(
    request: &Request<'_>,
    order: &ParameterLayout,
    implicit: bool,
    lane: usize,
) -> (LodSource, f32) {
    let level = order.level.map_or(0.0, |i| request.float(i, lane)) as f32;
    let source = match request.message_type {
        message_type::SAMPLE_L | message_type::SAMPLE_L_C => LodSource::Explicit { lod: level },
        _ if implicit || order.gradients.is_some() => LodSource::Computed { bias: level },
        _ => LodSource::Zero,
    };
    let min_lod = match request.has_parameter(order.min_lod) {
        true => request.float(order.min_lod, lane) as f32,
        false => 0.0,
    };
    (source, min_lod)
}

/// Array elements of a surface; of cube arrays, cubes.
fn array_elements(image: &Image) -> u32 {
    match image.kind {
        Kind::Cube => image.depth / 6,
        Kind::D3 => 1,
        _ => image.depth,
    }
}

/// The point of the surface that a lane samples: coordinates, slice, texel offset and reference.
#[inline]
fn sample_point(
    request: &Request<'_>,
    order: &ParameterLayout,
    (image, normalised): (&Image, bool),
    from: &LaneCoordinates,
    lane: usize,
) -> SamplePoint {
    let array = match image.kind {
        _ if !image.is_array => 0.0,
        Kind::D1 => request.float(order.coordinates[1], lane),
        Kind::Cube => request.float(order.coordinates[3], lane),
        _ => request.float(order.coordinates[2], lane),
    };
    let element = array_element(array, array_elements(image));
    let reference = order.reference.map(|i| request.float(i, lane) as f32);
    let mut target = SamplePoint {
        coordinates: from.coordinates,
        slice: match image.kind {
            Kind::Cube => element * 6 + from.face,
            _ => element,
        },
        face: from.face,
        offset: request.offset.map(i64::from),
        reference: reference.map(|r| if normalised { r.clamp(0.0, 1.0) } else { r }),
    };
    if let Some(first) = order.offsets {
        // Six bits in two's complement.
        let six = |i: usize| i64::from((request.parameter(i, lane) << 26) as i32 >> 26);
        target.offset = [six(first), six(first + 1), 0];
    }
    target
}

/// The response of a lane: a gathered channel of four texels, or a filtered and swizzled texel.
#[inline]
fn sample_lane(
    filtering: &mut FilterContext<'_, '_>,
    request: &Request<'_>,
    order: &ParameterLayout,
    target: &SamplePoint,
    selection: &lod::LevelSelection,
) -> Result<[u32; 4], StopReason> {
    let gathers = matches!(
        request.message_type,
        message_type::GATHER4
            | message_type::GATHER4_C
            | message_type::GATHER4_PO
            | message_type::GATHER4_PO_C
    );
    match gathers {
        true => {
            let channel = match order.reference {
                Some(_) => 0,
                None => request.gather_channel,
            };
            filtering.gather(target, selection, channel)
        }
        false => {
            let image = filtering.image;
            filtering
                .sample(target, selection)
                .map(|values| image.swizzled(values))
        }
    }
}

impl Engine {
    /// Executes a message that uses a sampler: the fast path first, then the lanes that it leaves.
    pub(super) fn sample_message(
        &mut self,
        bindings: &Bindings<'_>,
        message: &Message<'_>,
        request: &Request<'_>,
        order: &ParameterLayout,
        (state, image): (u64, &Image),
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let active = (0..request.lanes).filter(|lane| message.lanes >> lane & 1 == 1);
        if image.kind == Kind::Buffer || image.samples > 1 {
            return unimplemented(message, "filtering a buffer, or several samples");
        }
        let sampler = self.sampler_state(bindings, request.sampler)?;
        if image.kind == Kind::Null || sampler.disabled {
            for lane in active {
                respond_lane(request, lane, [0; 4], response);
            }
            return Ok(());
        }
        let constant = self.constant_selection([request.sampler, state], &sampler, image);
        let normalised = format::is_normalised(image.format);
        let mut filtering = FilterContext {
            view: &bindings.view,
            texels: &mut self.texels,
            state,
            image,
            sampler: &sampler,
            numbers: ValueKind::from_format(image.format),
            border: format::fill_missing_channels(image.format, sampler.border),
        };
        let lanes = message.lanes;
        let done = self.host.run(
            #[inline(always)]
            || fast_2d::sample_2d(&mut filtering, request, order, (lanes, constant), response),
        )?;
        let implicit = order.has_implicit_gradients(request.message_type);
        let mut source = GradientSource {
            request,
            order,
            image,
            normalized: sampler.normalized,
            implicit,
            corners: (usize::MAX, [[0.0; 3]; 3]),
        };
        // Pixels of a subspan have the same levels where only the gradients decide them.
        let alike = implicit
            && image.kind != Kind::Cube
            && order.level.is_none()
            && !request.has_parameter(order.min_lod);
        let mut selected: Option<(usize, lod::LevelSelection)> = None;
        for lane in active.filter(|lane| done >> lane & 1 == 0) {
            let from = lane_coordinates(request, order, image, lane);
            let gradients = source.gradients(&from, lane);
            let (level, min_lod) = lod_source(request, order, implicit, lane);
            let known = selected.filter(|s| alike && s.0 == lane / SUBSPAN);
            let selection = match known {
                Some((_, selection)) => selection,
                None => lod::select(&sampler, image, &gradients, level, min_lod),
            };
            selected = Some((lane / SUBSPAN, selection));
            if request.message_type == message_type::LOD {
                let levels = [selection.clamped, selection.unclamped].map(f32::to_bits);
                respond_lane(request, lane, [levels[0], levels[1], 0, 0], response);
                continue;
            }
            let target = sample_point(request, order, (image, normalised), &from, lane);
            let values = sample_lane(&mut filtering, request, order, &target, &selection)?;
            respond_lane(request, lane, values, response);
        }
        Ok(())
    }
}
