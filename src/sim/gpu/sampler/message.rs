//! A message to the sampling engine: who answers it.
//!
//! In:  descriptor and payload. Out: the response.
//! Ref: SKL PRM vol. 7, "Messages", "Message Header".

use super::engine::Engine;
use super::request::{Order, Request, kind, nibble, respond};
use crate::bindings::{Bindings, Payload, Use, unimplemented};
use eu::{Message, Stop};
use isa::descriptor::{common, sample};

impl Engine {
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
        let asks = [kind::RESINFO, kind::SAMPLEINFO, kind::LOD].contains(&request.kind);
        let what = if asks { Use::Asks } else { Use::Reads };
        let place = bindings.remembered(message, what)?;
        let bindings = &*bindings;
        let (state, image) = bindings.remembered_at(place);
        match Order::of(request.kind) {
            Some(order) => self.sampled(
                bindings,
                message,
                &request,
                &order,
                (state, image),
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
                let surface = (state, image);
                let host = self.host;
                let plain = host.run(
                    #[inline(always)]
                    || self.fetch_plane(bindings, &request, surface, message.lanes, response),
                );
                if plain? {
                    return Ok(());
                }
                for lane in (0..lanes).filter(|lane| message.lanes >> lane & 1 == 1) {
                    let values = self.fetch(bindings, &request, (state, image), lane)?;
                    respond(&request, lane, values, response);
                }
                Ok(())
            }
        }
    }
}
