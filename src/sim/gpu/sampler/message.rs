//! Dispatch of a message to the sampling engine by its type.
//!
//! In:  descriptor and payload. Out: the response.
//! Ref: SKL PRM vol. 7, "Messages", "Message Header".

use super::engine::Engine;
use super::request::{ParameterLayout, Request, message_type, respond_lane, signed_nibble};
use crate::bindings::{Bindings, Payload, Use, unimplemented};
use eu::{Message, StopReason};
use isa::descriptor::value::sampler_simd_mode;
use isa::descriptor::{common, sample};

impl Engine {
    /// Executes a message to the sampler.
    pub fn message(
        &mut self,
        bindings: &mut Bindings<'_>,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let desc = message.desc;
        let lanes = match sample::SIMD_MODE.get(desc) {
            sampler_simd_mode::SIMD8 => 8,
            sampler_simd_mode::SIMD16 => 16,
            _ => return unimplemented(message, "a sampler message of this width"),
        };
        if sample::RETURN_FORMAT.any(desc) {
            return unimplemented(message, "a sampler response of halves");
        }
        let header = common::HEADER_PRESENT.any(desc);
        // Without a header, texel offsets are zero and all channels are returned.
        let bits = if header { payload.dword(2) } else { 0 };
        let states = match header {
            true => u64::from(payload.dword(3) & !31),
            false => bindings.bases.samplers,
        };
        let request = Request {
            payload,
            message_type: sample::MESSAGE_TYPE.get(desc),
            lanes,
            first: if header { 8 } else { 0 },
            offset: [
                signed_nibble(bits, 8),
                signed_nibble(bits, 4),
                signed_nibble(bits, 0),
            ],
            channel_mask: bits >> 12 & 15,
            gather_channel: (bits >> 16 & 3) as usize,
            sampler: states + u64::from(sample::SAMPLER_INDEX.get(desc)) * 16,
        };
        let asks = [
            message_type::RESINFO,
            message_type::SAMPLEINFO,
            message_type::LOD,
        ]
        .contains(&request.message_type);
        let what = if asks { Use::Asks } else { Use::Samples };
        let place = bindings.remembered(message, what)?;
        let bindings = &*bindings;
        let (state, image) = bindings.remembered_at(place);
        match ParameterLayout::for_message(request.message_type) {
            Some(order) => self.sample_message(
                bindings,
                message,
                &request,
                &order,
                (state, image),
                response,
            ),
            None => {
                let known = matches!(
                    request.message_type,
                    message_type::LD
                        | message_type::LD_LZ
                        | message_type::RESINFO
                        | message_type::SAMPLEINFO
                        | message_type::LD2DMS
                        | message_type::LD2DMS_W
                        | message_type::LD2DSS
                        | message_type::LD_MCS
                );
                if !known {
                    return unimplemented(message, "a sampler message of this type");
                }
                let surface = (state, image);
                let host = self.host;
                let plain = host.run(
                    #[inline(always)]
                    || self.fetch_2d(bindings, &request, surface, message.lanes, response),
                );
                if plain? {
                    return Ok(());
                }
                for lane in (0..lanes).filter(|lane| message.lanes >> lane & 1 == 1) {
                    let values = self.fetch_lane(bindings, &request, (state, image), lane)?;
                    respond_lane(&request, lane, values, response);
                }
                Ok(())
            }
        }
    }
}
