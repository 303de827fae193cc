//! The sampling engine.
//!
//! In:  messages with coordinates of 8 or 16 channels, surface and sampler states. Out: texels, filtered or as they are.
//! How a message lies in its payload is here; what it asks of a sampler is found in `lod.rs` (levels), `address.rs`
//! (texels) and `filter.rs`; messages that need no sampler are in `fetch.rs`.
//! Ref: SKL PRM vol. 7, "Sampling Engine": "Messages", "Payload Parameter Definition", "Message Header".

mod address;
mod cache;
mod fetch;
mod filter;
mod lod;
mod plane;
mod state;

use crate::bindings::{Bindings, Payload, unimplemented};
use crate::rules;
use crate::surface::{Image, Kind, format};
use cache::Texels;
use eu::{Message, Stop};
use filter::{Filtering, Target};
use isa::descriptor::{common, sample};
use lod::{Gradients, Source};
use state::Sampler;

/// Message types.
mod kind {
    pub const SAMPLE: u32 = 0;
    pub const SAMPLE_B: u32 = 1;
    pub const SAMPLE_L: u32 = 2;
    pub const SAMPLE_C: u32 = 3;
    pub const SAMPLE_D: u32 = 4;
    pub const SAMPLE_B_C: u32 = 5;
    pub const SAMPLE_L_C: u32 = 6;
    pub const LD: u32 = 7;
    pub const GATHER4: u32 = 8;
    pub const LOD: u32 = 9;
    pub const RESINFO: u32 = 10;
    pub const SAMPLEINFO: u32 = 11;
    pub const GATHER4_C: u32 = 16;
    pub const GATHER4_PO: u32 = 17;
    pub const GATHER4_PO_C: u32 = 18;
    pub const SAMPLE_D_C: u32 = 20;
    pub const SAMPLE_LZ: u32 = 24;
    pub const SAMPLE_C_LZ: u32 = 25;
    pub const LD_LZ: u32 = 26;
    pub const LD2DMS_W: u32 = 28;
    pub const LD_MCS: u32 = 29;
    pub const LD2DMS: u32 = 30;
    pub const LD2DSS: u32 = 31;
}

/// Channels that share gradients.
const SUBSPAN: usize = 4;

/// A message's head and payload.
#[derive(Clone, Copy)]
struct Request<'m> {
    payload: Payload<'m>,
    kind: u32,
    lanes: usize,
    /// First dword of the parameters.
    first: usize,
    /// Texels added on u, v, r.
    offset: [i32; 3],
    /// Channels of the response that are left out.
    masked: u32,
    /// Channel that gather4 takes.
    gathered: usize,
    /// Bytes of the sampler state from the dynamic state base on.
    sampler: u64,
}

impl Request<'_> {
    fn parameter(&self, index: usize, lane: usize) -> u32 {
        self.payload.dword(self.first + index * self.lanes + lane)
    }

    fn float(&self, index: usize, lane: usize) -> f64 {
        f64::from(f32::from_bits(self.parameter(index, lane)))
    }

    /// Whether the message is long enough to have a parameter.
    fn has(&self, index: usize) -> bool {
        self.first + index * self.lanes < self.payload.dwords()
    }
}

/// Which parameter is what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    reference: Option<usize>,
    /// Bias or level.
    level: Option<usize>,
    /// u, v, r, ai.
    coordinates: [usize; 4],
    /// d/dx of u, v, r; those by y follow each.
    gradients: Option<[usize; 3]>,
    /// Offsets on u and v.
    offsets: Option<usize>,
    /// The least level.
    least: usize,
}

impl Order {
    /// Of a message that takes a sampler; none for others.
    fn of(message: u32) -> Option<Order> {
        let compares = matches!(
            message,
            kind::SAMPLE_C
                | kind::SAMPLE_B_C
                | kind::SAMPLE_L_C
                | kind::GATHER4_C
                | kind::GATHER4_PO_C
                | kind::SAMPLE_D_C
                | kind::SAMPLE_C_LZ
        );
        let mut next = usize::from(compares);
        let reference = compares.then_some(0);
        let mut order = Order {
            reference,
            level: None,
            coordinates: [0; 4],
            gradients: None,
            offsets: None,
            least: 0,
        };
        match message {
            kind::SAMPLE_B | kind::SAMPLE_B_C | kind::SAMPLE_L | kind::SAMPLE_L_C => {
                order.level = Some(next);
                next += 1;
            }
            kind::SAMPLE_D | kind::SAMPLE_D_C => {
                order.coordinates = [next, next + 3, next + 6, next + 9];
                order.gradients = Some([next + 1, next + 4, next + 7]);
                order.least = next + 10;
                return Some(order);
            }
            kind::GATHER4_PO | kind::GATHER4_PO_C => {
                order.coordinates = [next, next + 1, next + 4, next + 5];
                order.offsets = Some(next + 2);
                order.least = next + 6;
                return Some(order);
            }
            kind::SAMPLE
            | kind::SAMPLE_C
            | kind::SAMPLE_LZ
            | kind::SAMPLE_C_LZ
            | kind::GATHER4
            | kind::GATHER4_C
            | kind::LOD => {}
            _ => return None,
        }
        order.coordinates = [next, next + 1, next + 2, next + 3];
        order.least = next + 4;
        Some(order)
    }

    /// Whether gradients are those between channels.
    fn is_implicit(&self, message: u32) -> bool {
        matches!(
            message,
            kind::SAMPLE | kind::SAMPLE_B | kind::SAMPLE_C | kind::SAMPLE_B_C | kind::LOD
        )
    }
}

/// A number of four bits in two's complement.
fn nibble(bits: u32, lo: u32) -> i32 {
    ((bits >> lo & 15) << 28) as i32 >> 28
}

/// An array element: the nearest one there is.
fn element(coordinate: f64, count: u32) -> u32 {
    let last = f64::from(count.saturating_sub(1));
    coordinate.round_ties_even().clamp(0.0, last) as u32
}

/// The channel of a place, and where its gradients count from.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    /// u, v, r as the message has them.
    given: [f64; 3],
    /// u and v of the face of a cube; else as given.
    coordinates: [f64; 3],
    face: u32,
}

fn direction(request: &Request<'_>, order: &Order, image: &Image, lane: usize) -> Direction {
    let [u, v, r, _] = order.coordinates.map(|i| request.float(i, lane));
    let given = [u, v, r];
    if image.kind != Kind::Cube {
        return Direction {
            given,
            coordinates: given,
            face: 0,
        };
    }
    let place = address::project(given);
    Direction {
        given,
        coordinates: [place.s, place.t, 0.0],
        face: place.face,
    }
}

/// A change of the message's coordinates as a change in texels of level 0.
fn gradient(image: &Image, normalized: bool, from: &Direction, by: [f64; 3]) -> [f64; 3] {
    let extent = image.level_extent(0).map(f64::from);
    if image.kind == Kind::Cube {
        // The quotient rule on s = (sc / m + 1) / 2.
        let [s, t, m] = address::on_face(from.face, from.given);
        let [ds, dt, dm] = address::on_face(from.face, by);
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

/// The sampling engine as one worker's threads see it.
#[derive(Default)]
pub(crate) struct Engine {
    /// Sampler states by address.
    samplers: Vec<(u64, Sampler)>,
    next: usize,
    texels: Texels,
}

/// Sampler states that are remembered; a dispatch uses few.
const REMEMBERED: usize = 8;

impl Engine {
    /// The sampler whose state is at an offset from the dynamic state base address.
    pub fn state(&mut self, bindings: &Bindings<'_>, offset: u64) -> Result<Sampler, Stop> {
        let address = bindings.bases.dynamic + offset;
        if let Some(known) = self.samplers.iter().find(|s| s.0 == address) {
            return Ok(known.1);
        }
        let heap = bindings
            .bases
            .dynamic_pages
            .filter(|_| bindings.limits.is_some());
        if let Some(pages) = heap.filter(|pages| offset + 16 > pages * 4096) {
            let what = format!("a sampler state at byte {offset:#x} of {pages} pages");
            return Err(rules::SAMPLER_BOUNDS.stop(what, address));
        }
        let sampler = Sampler::read(&bindings.view, bindings.bases.dynamic, address)?;
        match self.samplers.get_mut(self.next) {
            Some(place) => *place = (address, sampler),
            None => self.samplers.push((address, sampler)),
        }
        self.next = (self.next + 1) % REMEMBERED;
        Ok(sampler)
    }

    /// Carries out a message to the sampler.
    pub fn message(
        &mut self,
        bindings: &mut Bindings<'_>,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        let desc = message.desc;
        let lanes = match sample::SIMD_MODE.get(desc) {
            1 => 8,
            2 => 16,
            _ => return unimplemented(message, "a sampler message of this width"),
        };
        if sample::RETURN_FORMAT.any(desc) {
            return unimplemented(message, "a sampler response of halves");
        }
        let header = common::HEADER_PRESENT.any(desc);
        // Without a header nothing is offset, and all channels are returned.
        let bits = if header { payload.dword(2) } else { 0 };
        let states = match header {
            true => u64::from(payload.dword(3) & !31),
            false => bindings.bases.samplers,
        };
        let request = Request {
            payload,
            kind: sample::MESSAGE_TYPE.get(desc),
            lanes,
            first: if header { 8 } else { 0 },
            offset: [nibble(bits, 8), nibble(bits, 4), nibble(bits, 0)],
            masked: bits >> 12 & 15,
            gathered: (bits >> 16 & 3) as usize,
            sampler: states + u64::from(sample::SAMPLER_INDEX.get(desc)) * 16,
        };
        let (state, image) = bindings.image_at(message)?;
        match Order::of(request.kind) {
            Some(order) => self.sampled(
                bindings,
                message,
                &request,
                &order,
                (state, &image),
                response,
            ),
            None => {
                let known = matches!(
                    request.kind,
                    kind::LD
                        | kind::LD_LZ
                        | kind::RESINFO
                        | kind::SAMPLEINFO
                        | kind::LD2DMS
                        | kind::LD2DMS_W
                        | kind::LD2DSS
                        | kind::LD_MCS
                );
                if !known {
                    return unimplemented(message, "a sampler message of this type");
                }
                if self.fetch_plane(bindings, &request, (state, &image), message.lanes, response)? {
                    return Ok(());
                }
                for lane in (0..lanes).filter(|lane| message.lanes >> lane & 1 == 1) {
                    let values = self.fetch(bindings, &request, (state, &image), lane)?;
                    respond(&request, lane, values, response);
                }
                Ok(())
            }
        }
    }

    /// A message that takes a sampler.
    fn sampled(
        &mut self,
        bindings: &Bindings<'_>,
        message: &Message<'_>,
        request: &Request<'_>,
        order: &Order,
        (state, image): (u64, &Image),
        response: &mut [u32],
    ) -> Result<(), Stop> {
        let active = (0..request.lanes).filter(|lane| message.lanes >> lane & 1 == 1);
        if image.kind == Kind::Buffer || image.samples > 1 {
            return unimplemented(message, "filtering a buffer, or several samples");
        }
        let sampler = self.state(bindings, request.sampler)?;
        if image.kind == Kind::Null || sampler.disabled {
            for lane in active {
                respond(request, lane, [0; 4], response);
            }
            return Ok(());
        }
        let normalised = format::is_normalised(image.format);
        let mut filtering = Filtering {
            view: &bindings.view,
            texels: &mut self.texels,
            state,
            image,
            sampler: &sampler,
            integer: format::is_integer(image.format),
            border: format::with_channels_of(image.format, sampler.border),
        };
        let elements = match image.kind {
            Kind::Cube => image.depth / 6,
            Kind::D3 => 1,
            _ => image.depth,
        };
        let done = plane::sampled(&mut filtering, request, order, message.lanes, response)?;
        let active = active.filter(|lane| done >> lane & 1 == 0);
        let mut result = Ok(());
        let implicit = order.is_implicit(request.kind);
        let mut shared = (usize::MAX, [[0.0; 3]; 2]);
        // Pixels of a subspan that nothing tells apart have the same levels.
        let alike = implicit
            && image.kind != Kind::Cube
            && order.level.is_none()
            && !request.has(order.least);
        let mut selected: Option<(usize, lod::Selection)> = None;
        for lane in active {
            let from = direction(request, order, image, lane);
            let mut gradients: Gradients = [[0.0; 3]; 2];
            if implicit {
                if shared.0 != lane / SUBSPAN {
                    let corner = lane - lane % SUBSPAN;
                    let at = |l: usize| order.coordinates.map(|i| request.float(i, l));
                    let (a, right, below) = (at(corner), at(corner + 1), at(corner + 2));
                    let minus = |b: [f64; 4]| std::array::from_fn(|i| b[i] - a[i]);
                    shared = (lane / SUBSPAN, [minus(right), minus(below)]);
                }
                gradients = shared
                    .1
                    .map(|by| gradient(image, sampler.normalized, &from, by));
            } else if let Some(first) = order.gradients {
                gradients = [0, 1].map(|which| {
                    let by = first.map(|i| request.float(i + which, lane));
                    gradient(image, sampler.normalized, &from, by)
                });
            }
            let level = order.level.map_or(0.0, |i| request.float(i, lane)) as f32;
            let source = match request.kind {
                kind::SAMPLE_L | kind::SAMPLE_L_C => Source::Given { lod: level },
                _ if implicit || order.gradients.is_some() => Source::Computed { bias: level },
                _ => Source::Zero,
            };
            let least = match request.has(order.least) {
                true => request.float(order.least, lane) as f32,
                false => 0.0,
            };
            let known = selected.filter(|s| alike && s.0 == lane / SUBSPAN);
            let selection = match known {
                Some((_, selection)) => selection,
                None => lod::select(&sampler, image, &gradients, source, least),
            };
            selected = Some((lane / SUBSPAN, selection));
            if request.kind == kind::LOD {
                let levels = [selection.clamped, selection.unclamped].map(f32::to_bits);
                respond(request, lane, [levels[0], levels[1], 0, 0], response);
                continue;
            }
            let array = match image.kind {
                _ if !image.is_array => 0.0,
                Kind::D1 => request.float(order.coordinates[1], lane),
                Kind::Cube => request.float(order.coordinates[3], lane),
                _ => request.float(order.coordinates[2], lane),
            };
            let element = element(array, elements);
            let reference = order.reference.map(|i| request.float(i, lane) as f32);
            let mut target = Target {
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
            let gathers = matches!(
                request.kind,
                kind::GATHER4 | kind::GATHER4_C | kind::GATHER4_PO | kind::GATHER4_PO_C
            );
            let values = match gathers {
                true => {
                    let channel = match order.reference {
                        Some(_) => 0,
                        None => request.gathered,
                    };
                    filtering.gather(&target, &selection, channel)
                }
                false => filtering
                    .sample(&target, &selection)
                    .map(|values| image.swizzled(values)),
            };
            match values {
                Ok(values) => respond(request, lane, values, response),
                Err(stop) => {
                    result = Err(stop);
                    break;
                }
            }
        }
        result
    }
}

/// Writes a channel's values: those that are not masked, one register or two after the other.
fn respond(request: &Request<'_>, lane: usize, values: [u32; 4], response: &mut [u32]) {
    if request.masked == 0 {
        for (channel, value) in values.into_iter().enumerate() {
            if let Some(to) = response.get_mut(channel * request.lanes + lane) {
                *to = value;
            }
        }
        return;
    }
    let kept = (0..4).filter(|c| request.masked >> c & 1 == 0);
    for (register, channel) in kept.enumerate() {
        if let Some(to) = response.get_mut(register * request.lanes + lane) {
            *to = values[channel];
        }
    }
}

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod cache_tests;
#[cfg(test)]
mod fetch_tests;
#[cfg(test)]
mod filter_tests;
#[cfg(test)]
mod lod_tests;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
#[path = "rig_tests.rs"]
mod testing;
#[cfg(test)]
mod tests;
