//! Sampler messages that use no sampler: texel fetches and surface queries.
//!
//! In:  texel coordinates, levels, samples. Out: swizzled texels, also for those out of bounds;
//!      sizes.
//! Ref: SKL PRM vol. 7, "Sampling Engine", message types `ld`, `ld_lz`, `ld2dms`, `ld2dms_w`,
//!      `ld2dss`, `ld_mcs`, `resinfo`, `sampleinfo`; "Multisample Control Surface".

use super::cache::TextureCache;
use super::engine::Engine;
use super::request::{Request, message_type, respond_lane, respond_simd16, respond_subspan};
use crate::bindings::Bindings;
use crate::memory::AddressSpaceView;
use crate::surface::format::Packer;
use crate::surface::{AuxMode, Band, Block, Image, Kind, Level};
use eu::StopReason;
use hw::{Gen, Wa};

/// Column, row and slice of a message's coordinates: the array element is the second coordinate of
/// 1D arrays, and the third of others.
fn slice_position(image: &Image, [x, y, z]: [u32; 3]) -> [u32; 3] {
    match image.kind {
        Kind::Buffer => [x, 0, 0],
        Kind::D1 => [x, 0, if image.is_array { y } else { 0 }],
        Kind::D2 | Kind::Cube if !image.is_array => [x, y, 0],
        _ => [x, y, z],
    }
}

/// The upper left texel of sixteen lanes whose coordinates form four subspans in a row; `None`
/// otherwise.
#[inline(always)]
fn corner(xs: &[u32; 16], ys: &[u32; 16]) -> Option<[u32; 2]> {
    let (x, y) = (xs[0], ys[0]);
    let mut others = 0;
    for lane in 0..16u32 {
        let (right, down) = (lane / 4 * 2 + lane % 2, lane / 2 % 2);
        others |= xs[lane as usize].wrapping_sub(x) ^ right;
        others |= ys[lane as usize].wrapping_sub(y) ^ down;
    }
    (others == 0).then_some([x, y])
}

/// Texels of one level and slice that a message fetches, by lane.
struct PlaneFetch<'f, 'a> {
    view: &'f AddressSpaceView<'a>,
    request: &'f Request<'f>,
    surface: (u64, &'f Image),
    level: (u32, Level),
    slice: u32,
    /// Unpacks texels of a dword, where the format allows it.
    packer: Option<Packer>,
    /// The lanes' columns and rows.
    coordinates: [&'f [u32]; 2],
    active: u32,
}

impl PlaneFetch<'_, '_> {
    /// Fetches four texels at a time where four lanes address a subspan each, as image copies do.
    /// Returns the mask of lanes whose response is written.
    #[inline(always)]
    fn subspans(&self, texels: &mut TextureCache, response: &mut [u32]) -> Result<u32, StopReason> {
        let (image, slice, active) = (self.surface.1, self.slice, self.active);
        let ([xs, ys], (level, known)) = (self.coordinates, &self.level);
        let mut done = 0;
        for first in (0..self.request.lanes).step_by(4) {
            let Some(packer) = self.packer.filter(|_| active >> first & 15 == 15) else {
                continue;
            };
            let (x, y) = (xs[first], ys[first]);
            let square = x < u32::MAX
                && y < u32::MAX
                && xs[first..first + 4] == [x, x + 1, x, x + 1]
                && ys[first..first + 4] == [y, y, y + 1, y + 1];
            let Some(addresses) = known.subspan(x, y, slice).filter(|_| square) else {
                continue;
            };
            // All four texels have to be in one block of the CCS.
            let whole = image
                .ccs_block()
                .is_none_or(|[w, h]| x % w + 1 < w && y % h + 1 < h);
            if !whole {
                continue;
            }
            let block = texels.block(self.view, self.surface, *level, [x, y, slice])?;
            if block == Block::Clear {
                continue;
            }
            let mut found = self.view.read_four(addresses)?;
            if block == Block::Compressed {
                for (texel, address) in found.iter_mut().zip(addresses) {
                    *texel ^= image.compression_mask(address);
                }
            }
            let mut values = [[0; 4]; 4];
            for (values, texel) in values.iter_mut().zip(found) {
                *values = image.swizzled(packer.unpack(texel));
            }
            respond_subspan(self.request, first, &values, response);
            done |= 15 << first;
        }
        Ok(done)
    }

    /// Fetches the texels of the active lanes that are not `done`. False where the level is not
    /// plain.
    #[inline(always)]
    fn remaining_lanes(
        &self,
        texels: &mut TextureCache,
        done: u32,
        response: &mut [u32],
    ) -> Result<bool, StopReason> {
        let (image, slice, active) = (self.surface.1, self.slice, self.active);
        let ([xs, ys], (level, known)) = (self.coordinates, &self.level);
        if !known.is_plain() {
            return Ok(false);
        }
        for lane in (0..self.request.lanes).filter(|l| active >> l & 1 == 1 && done >> l & 1 == 0) {
            let (x, y) = (xs[lane], ys[lane]);
            let values = match known.plain_address(x, y, slice) {
                None => image.swizzled(image.outside()),
                Some(address) => {
                    let block = texels.block(self.view, self.surface, *level, [x, y, slice])?;
                    let value = match (block, self.packer) {
                        (Block::Plain, Some(packer)) => packer.unpack(self.view.read(address)?),
                        _ => image.decode_at(self.view, address, [x, y], block)?,
                    };
                    image.swizzled(value)
                }
            };
            respond_lane(self.request, lane, values, response);
        }
        Ok(true)
    }
}

impl Engine {
    /// Answers a message for plain texels of one level of one slice. False where it is another one,
    /// and [`Engine::fetch_lane`] has to look at each channel.
    #[inline(always)]
    pub(super) fn fetch_2d(
        &mut self,
        bindings: &Bindings<'_>,
        request: &Request<'_>,
        (state, image): (u64, &Image),
        active: u32,
        response: &mut [u32],
    ) -> Result<bool, StopReason> {
        let lanes = request.lanes;
        let flat = image.kind == Kind::D2 && image.samples == 1;
        let plain = request.channel_mask == 0 && request.offset == [0; 3];
        let parameter = |i: usize| {
            request
                .payload
                .dword_range(request.first + i * lanes, lanes)
        };
        let none = Some(&[][..]);
        let (levels, slices) = match request.message_type {
            message_type::LD => (parameter(2), parameter(3)),
            message_type::LD_LZ => (none, parameter(2)),
            _ => return Ok(false),
        };
        let slices = if image.is_array { slices } else { none };
        let (true, Some(levels), Some(slices)) = (flat && plain, levels, slices) else {
            return Ok(false);
        };
        let (Some(xs), Some(ys)) = (parameter(0), parameter(1)) else {
            return Ok(false);
        };
        let is_active = |lane: &usize| active >> lane & 1 == 1;
        // The value that all active lanes share; zero if the message lacks the parameter.
        let shared = |each: &[u32]| {
            let first = each.get(active.trailing_zeros() as usize);
            let first = first.copied().unwrap_or(0);
            let same = |(lane, of): (usize, &u32)| *of == first || !is_active(&lane);
            let others = each.iter().fold(0, |others, of| others | (*of ^ first));
            (others == 0 || each.iter().enumerate().all(same)).then_some(first)
        };
        let (Some(level), Some(slice)) = (shared(levels), shared(slices)) else {
            return Ok(false);
        };
        if level >= image.levels || !image.is_resident(level) {
            return Ok(false);
        }
        let texels = &mut self.texels;
        let known = texels.cached_level((state, image), level);
        if let Some(codec) = known.codec
            && active & 0xffff == 0xffff
            && let (Some(xs), Some(ys), Some(response)) =
                (xs.first_chunk(), ys.first_chunk(), response.get_mut(..64))
            && let Some([x, y]) = corner(xs, ys)
            && let Some(band) = Band::locate(&known.level, [x, y, slice])
            && Band::is_of_one_block(image, [x, y, slice])
            && texels.block(&bindings.view, (state, image), level, [x, y, slice])? == Block::Plain
            && let Some(all) = band.load(&bindings.view)?
        {
            respond_simd16(request, image, codec.unpack(&all), response);
            return Ok(true);
        }
        let known = texels.level((state, image), level);
        let packer = Packer::from_format(image.format).filter(|_| known.bytes() == 4);
        let fetch = PlaneFetch {
            view: &bindings.view,
            request,
            surface: (state, image),
            level: (level, known),
            slice,
            packer,
            coordinates: [xs, ys],
            active,
        };
        let done = fetch.subspans(texels, response)?;
        fetch.remaining_lanes(texels, done, response)
    }

    /// The response of one lane.
    pub(super) fn fetch_lane(
        &mut self,
        bindings: &Bindings<'_>,
        request: &Request<'_>,
        surface: (u64, &Image),
        lane: usize,
    ) -> Result<[u32; 4], StopReason> {
        let image = surface.1;
        let parameter = |index: usize| request.parameter(index, lane);
        let with_offset = |index: usize, axis: usize| {
            let offset = request.offset[axis] as u32;
            parameter(index).wrapping_add(offset)
        };
        match request.message_type {
            message_type::LD => {
                let at = [with_offset(0, 0), with_offset(1, 1), with_offset(3, 2)];
                self.load_texel(
                    bindings,
                    surface,
                    parameter(2),
                    slice_position(image, at),
                    0,
                )
            }
            message_type::LD_LZ => {
                let at = [with_offset(0, 0), with_offset(1, 1), with_offset(2, 2)];
                self.load_texel(bindings, surface, 0, slice_position(image, at), 0)
            }
            message_type::LD2DMS | message_type::LD2DMS_W => {
                let wide = request.message_type == message_type::LD2DMS_W;
                let high = if wide { parameter(2) } else { 0 };
                let mcs = u64::from(parameter(1)) | u64::from(high) << 32;
                let first = if wide { 3 } else { 2 };
                let at = [
                    with_offset(first, 0),
                    with_offset(first + 1, 1),
                    with_offset(first + 2, 2),
                ];
                let sample = parameter(0);
                let slice = match image.aux.mode {
                    AuxMode::Mcs => image.slice_of(mcs, sample),
                    _ => Some(sample),
                };
                let at = slice_position(image, at);
                match slice {
                    Some(slice) => self.load_texel(bindings, surface, 0, at, slice),
                    None => Ok(image.swizzled(image.clear_color)),
                }
            }
            message_type::LD2DSS => {
                let at = [with_offset(1, 0), with_offset(2, 1), with_offset(3, 2)];
                self.load_texel(
                    bindings,
                    surface,
                    0,
                    slice_position(image, at),
                    parameter(0),
                )
            }
            message_type::LD_MCS => {
                let at = slice_position(image, [0, 1, 2].map(parameter));
                if let Some((address, bytes)) = image.mcs_place(at) {
                    bindings.view.control(address, bytes.into());
                }
                let mcs = image.mcs(&bindings.view, at)?;
                Ok([mcs as u32, (mcs >> 32) as u32, 0, 0])
            }
            // Direct3D, `sample_info`: zero where nothing is bound.
            message_type::SAMPLEINFO => Ok(match image.kind {
                Kind::Null => [0; 4],
                _ => [image.samples, 0, 0, 0],
            }),
            // resinfo.
            _ => Ok(surface_info(image, parameter(0))),
        }
    }

    /// `state` tells surfaces apart.
    fn load_texel(
        &mut self,
        bindings: &Bindings<'_>,
        (state, image): (u64, &Image),
        lod: u32,
        place: [u32; 3],
        sample: u32,
    ) -> Result<[u32; 4], StopReason> {
        let [width, height, depth] = image.level_extent(lod);
        let inside =
            place[0] < width && place[1] < height && place[2] < depth && image.is_resident(lod);
        let levels = match image.kind {
            Kind::Buffer => 1,
            _ => image.levels,
        };
        if !inside || lod >= levels || image.kind == Kind::Null || sample >= image.samples {
            return Ok(match image.kind {
                Kind::Null => image.outside(),
                _ => image.swizzled(image.outside()),
            });
        }
        if image.samples > 1 || image.kind == Kind::Buffer {
            return Ok(image.swizzled(image.load(&bindings.view, lod, place, sample)?));
        }
        let found = self
            .texels
            .load_uncached(&bindings.view, (state, image), lod, place)?;
        Ok(image.swizzled(found))
    }
}

/// The number of levels that `resinfo` returns for a null surface: undefined on parts with the
/// erratum, so a number that no surface has.
const LEVELS_OF_NULL: u32 = if Wa::NullSurfaceLevels.required_on(Gen::Gen9) {
    0x5a5a
} else {
    0
};

/// The response of `resinfo`: width, height, depth or array elements (zero unless the surface is an
/// array), levels.
fn surface_info(image: &Image, lod: u32) -> [u32; 4] {
    let [width, height, depth] = image.level_extent(lod);
    let elements = if image.is_array { depth } else { 0 };
    match image.kind {
        Kind::Null => [0, 0, 0, LEVELS_OF_NULL],
        Kind::Buffer => [width, 0, 0, 0],
        _ if lod >= image.levels => [0, 0, 0, image.levels],
        Kind::D1 => [width, elements, 0, image.levels],
        Kind::D2 => [width, height, elements, image.levels],
        Kind::Cube => [width, height, elements / 6, image.levels],
        Kind::D3 => [width, height, depth, image.levels],
    }
}

#[cfg(test)]
mod tests;
