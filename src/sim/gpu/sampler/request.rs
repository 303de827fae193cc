//! The payload of a sampler message: header fields and parameters, and the layout of the response.
//!
//! In:  a message's payload. Out: parameters by lane; responses by lane and channel.
//! Ref: SKL PRM vol. 7, "Payload Parameter Definition", "Message Header", "SIMD Payloads".

use crate::bindings::Payload;
use crate::surface::Image;
use crate::surface::format::Packer;
pub(super) use isa::message::sampler as message_type;

/// Lanes that share gradients: 2 × 2 pixels.
pub(super) const SUBSPAN: usize = 4;

/// A message's header fields and payload.
#[derive(Clone, Copy)]
pub(super) struct Request<'m> {
    pub(super) payload: Payload<'m>,
    pub(super) message_type: u32,
    pub(super) lanes: usize,
    /// First dword of the parameters.
    pub(super) first: usize,
    /// Texels added to u, v, r.
    pub(super) offset: [i32; 3],
    /// Channels of the response that are left out.
    pub(super) channel_mask: u32,
    /// The channel that `gather4` returns.
    pub(super) gather_channel: usize,
    /// Offset of the sampler state from the dynamic state base address, in bytes.
    pub(super) sampler: u64,
}

impl Request<'_> {
    pub(super) fn parameter(&self, index: usize, lane: usize) -> u32 {
        self.payload.dword(self.first + index * self.lanes + lane)
    }

    pub(super) fn float(&self, index: usize, lane: usize) -> f64 {
        f64::from(f32::from_bits(self.parameter(index, lane)))
    }

    /// Whether the message is long enough to contain a parameter.
    pub(super) fn has_parameter(&self, index: usize) -> bool {
        self.first + index * self.lanes < self.payload.dwords()
    }
}

/// The position of each parameter in a message's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParameterLayout {
    pub(super) reference: Option<usize>,
    /// LOD bias or LOD.
    pub(super) level: Option<usize>,
    /// u, v, r, ai.
    pub(super) coordinates: [usize; 4],
    /// d/dx of u, v, r; those by y follow each.
    pub(super) gradients: Option<[usize; 3]>,
    /// Texel offsets of u and v.
    pub(super) offsets: Option<usize>,
    /// The least level.
    pub(super) min_lod: usize,
}

impl ParameterLayout {
    /// The layout of a message type that uses a sampler; `None` for others.
    pub(super) fn for_message(message: u32) -> Option<ParameterLayout> {
        let compares = matches!(
            message,
            message_type::SAMPLE_C
                | message_type::SAMPLE_B_C
                | message_type::SAMPLE_L_C
                | message_type::GATHER4_C
                | message_type::GATHER4_PO_C
                | message_type::SAMPLE_D_C
                | message_type::SAMPLE_C_LZ
        );
        let mut next = usize::from(compares);
        let reference = compares.then_some(0);
        let mut order = ParameterLayout {
            reference,
            level: None,
            coordinates: [0; 4],
            gradients: None,
            offsets: None,
            min_lod: 0,
        };
        match message {
            message_type::SAMPLE_B
            | message_type::SAMPLE_B_C
            | message_type::SAMPLE_L
            | message_type::SAMPLE_L_C => {
                order.level = Some(next);
                next += 1;
            }
            message_type::SAMPLE_D | message_type::SAMPLE_D_C => {
                order.coordinates = [next, next + 3, next + 6, next + 9];
                order.gradients = Some([next + 1, next + 4, next + 7]);
                order.min_lod = next + 10;
                return Some(order);
            }
            message_type::GATHER4_PO | message_type::GATHER4_PO_C => {
                order.coordinates = [next, next + 1, next + 4, next + 5];
                order.offsets = Some(next + 2);
                order.min_lod = next + 6;
                return Some(order);
            }
            message_type::SAMPLE
            | message_type::SAMPLE_C
            | message_type::SAMPLE_LZ
            | message_type::SAMPLE_C_LZ
            | message_type::GATHER4
            | message_type::GATHER4_C
            | message_type::LOD => {}
            _ => return None,
        }
        order.coordinates = [next, next + 1, next + 2, next + 3];
        order.min_lod = next + 4;
        Some(order)
    }

    /// Whether gradients are the differences between the lanes of a subspan.
    pub(super) fn has_implicit_gradients(&self, message: u32) -> bool {
        matches!(
            message,
            message_type::SAMPLE
                | message_type::SAMPLE_B
                | message_type::SAMPLE_C
                | message_type::SAMPLE_B_C
                | message_type::LOD
        )
    }
}

/// A signed number of four bits from bit `lo` on.
pub(super) fn signed_nibble(bits: u32, lo: u32) -> i32 {
    ((bits >> lo & 15) << 28) as i32 >> 28
}

/// The array element of a coordinate: rounded to nearest even and clamped.
pub(super) fn array_element(coordinate: f64, count: u32) -> u32 {
    let last = f64::from(count.saturating_sub(1));
    coordinate.round_ties_even().clamp(0.0, last) as u32
}

/// Writes the values of a subspan's channels, from `first` on. All four of a value are asked for.
#[inline]
pub(super) fn respond_subspan(
    request: &Request<'_>,
    first: usize,
    values: &[[u32; 4]; SUBSPAN],
    response: &mut [u32],
) {
    for channel in 0..4 {
        let at = channel * request.lanes + first;
        let to = response.get_mut(at..at + SUBSPAN);
        if let Some(to) = to.and_then(|to| to.first_chunk_mut::<SUBSPAN>()) {
            let [a, b, c, d] = values;
            *to = [a[channel], b[channel], c[channel], d[channel]];
        }
    }
}

/// Writes the values of channels of `of`, by their texels of a dword each.
#[inline(always)]
pub(super) fn respond_texels(
    request: &Request<'_>,
    (image, packer): (&Image, Packer),
    of: u32,
    texels: &[u32; 16],
    response: &mut [u32],
) {
    let channels = packer.unpack_all(texels);
    if of == u32::MAX >> (32 - request.lanes) && request.channel_mask == 0 && request.lanes == 16 {
        return respond_simd16(request, image, channels, response);
    }
    let [reds, greens, blues, alphas] = &channels;
    for lane in (0..request.lanes.min(16)).filter(|lane| of >> lane & 1 == 1) {
        let values = [reds[lane], greens[lane], blues[lane], alphas[lane]];
        respond_lane(request, lane, image.swizzled(values), response);
    }
}

/// Writes the reds, greens, blues and alphas of sixteen channels, of which none is masked.
#[inline(always)]
pub(super) fn respond_simd16(
    request: &Request<'_>,
    image: &Image,
    channels: [[u32; 16]; 4],
    response: &mut [u32],
) {
    if image.is_identity_swizzle
        && let Some(to) = response.first_chunk_mut::<64>()
    {
        for (to, channel) in to.as_chunks_mut::<16>().0.iter_mut().zip(&channels) {
            *to = *channel;
        }
        return;
    }
    let [reds, greens, blues, alphas] = &channels;
    for lane in 0..16 {
        let values = [reds[lane], greens[lane], blues[lane], alphas[lane]];
        respond_lane(request, lane, image.swizzled(values), response);
    }
}

/// Writes a channel's values: those that are not masked, one register or two after the other.
pub(super) fn respond_lane(
    request: &Request<'_>,
    lane: usize,
    values: [u32; 4],
    response: &mut [u32],
) {
    if request.channel_mask == 0 {
        for (channel, value) in values.into_iter().enumerate() {
            if let Some(to) = response.get_mut(channel * request.lanes + lane) {
                *to = value;
            }
        }
        return;
    }
    let returned = (0..4).filter(|c| request.channel_mask >> c & 1 == 0);
    for (register, channel) in returned.enumerate() {
        if let Some(to) = response.get_mut(register * request.lanes + lane) {
            *to = values[channel];
        }
    }
}
