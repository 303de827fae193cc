//! Sampler messages on images: texels by their coordinates (`ld`), and what a surface is like (`resinfo`).
//!
//! In:  coordinates and levels of channels. Out: texels, swizzled; zeros out of bounds. Messages that filter are a gap.
//! Ref: SKL PRM vol. 7, "Sampling Engine", message types `ld`, `ld_lz`, `resinfo`.

use super::{Payload, Port};
use crate::surface::{Image, Kind};
use eu::{Message, Stop};

/// Message types.
const LD: u32 = 7;
const RESINFO: u32 = 10;
const LD_LZ: u32 = 26;

/// Texel offset of a header's dword 2: four bits in two's complement.
fn offset(header: u32, lo: u32) -> u32 {
    ((((header >> lo & 15) << 28) as i32) >> 28) as u32
}

impl Port<'_> {
    /// A message on something that is not a buffer.
    pub(super) fn texel(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        lanes: usize,
        response: &mut [u32],
    ) -> Result<(), Stop> {
        let image = self.image(message)?;
        let header = message.desc >> 19 & 1 == 1;
        let first = if header { 8 } else { 0 };
        if message.desc >> 30 & 1 == 1 {
            return Self::unimplemented(message, "a sampler response of halves");
        }
        // Without a header nothing is offset and all channels are returned.
        let bits = if header { payload.dword(2) } else { 0 };
        if bits >> 12 & 15 != 0 {
            return Self::unimplemented(message, "a sampler response without some channels");
        }
        let parameter = |index: usize, lane: usize| payload.dword(first + index * lanes + lane);
        let kind = message.desc >> 12 & 31;
        for lane in (0..lanes).filter(|lane| message.lanes >> lane & 1 == 1) {
            let values = match kind {
                LD | LD_LZ => {
                    let lod = if kind == LD { parameter(2, lane) } else { 0 };
                    let third = if kind == LD { 3 } else { 2 };
                    let x = parameter(0, lane).wrapping_add(offset(bits, 8));
                    let y = parameter(1, lane).wrapping_add(offset(bits, 4));
                    let place = match image.kind {
                        Kind::D1 => [
                            x,
                            0,
                            if image.is_array {
                                parameter(1, lane)
                            } else {
                                0
                            },
                        ],
                        Kind::D2 | Kind::Cube if !image.is_array => [x, y, 0],
                        _ => [x, y, parameter(third, lane)],
                    };
                    self.fetch(&image, lod, place)?
                }
                RESINFO => {
                    let lod = parameter(0, lane);
                    let [width, height, depth] = image.level_extent(lod);
                    let depth = if image.kind == Kind::Cube {
                        depth / 6
                    } else {
                        depth
                    };
                    let third = if image.kind == Kind::D1 {
                        [depth, 0]
                    } else {
                        [height, depth]
                    };
                    match lod < image.levels {
                        true => [width, third[0], third[1], image.levels],
                        false => [0, 0, 0, image.levels],
                    }
                }
                _ => return Self::unimplemented(message, "a sampler message that filters"),
            };
            for (component, value) in values.into_iter().enumerate() {
                if let Some(to) = response.get_mut(component * lanes + lane) {
                    *to = value;
                }
            }
        }
        Ok(())
    }

    fn fetch(&self, image: &Image, lod: u32, place: [u32; 3]) -> Result<[u32; 4], Stop> {
        if image.samples > 1 {
            return Err(Stop::Unimplemented {
                what: "texels of a surface with several samples".into(),
                at: image.address,
            });
        }
        let [width, height, depth] = image.level_extent(lod);
        let inside = place[0] < width && place[1] < height && place[2] < depth;
        if !inside || lod >= image.levels || image.kind == Kind::Null {
            return Ok([0; 4]);
        }
        Ok(image.swizzled(image.load(&self.view, lod, place, 0)?))
    }
}
