//! Control surfaces of colours: what they hold when contents begin, are copied, or are one colour.
//!
//! Of several samples, an element says of a pixel which slice of the image holds each sample. Whatever draws or samples keeps to it; what
//! moves slices as bytes moves the elements too. Memory that is new holds anything, so an image whose contents are given up gets elements
//! by which each sample is in the slice of its own number ([`super::transition`]). Of one sample, zeros say that no block is cleared or
//! compressed.
//! Ref: SKL PRM vol. 7, "MCS Buffer for Render Target(s)".

use ash::vk as api;
use blit::{Extent, Launch, Order, Plane, Span};

use super::image_box::ImageBox;
use crate::error::{Error, Result};
use crate::image::Image;

/// The element of a pixel whose samples are in the slices of their numbers.
fn each_its_own(samples: u32) -> &'static [u8] {
    match samples {
        2 => &[0b10],
        4 => &[0b11_10_01_00],
        8 => &[0x10, 0x32, 0x54, 0x76],
        _ => &[0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe],
    }
}

/// The element of a pixel of which the first slice holds all samples.
fn all_in_one(samples: u32) -> &'static [u8] {
    match samples {
        2 | 4 => &[0],
        8 => &[0; 4],
        _ => &[0; 8],
    }
}

/// Where the elements of a box are; None: the image has no control surface.
fn place(image: &Image, of: &ImageBox) -> Result<Option<(Plane, Extent)>> {
    if of.aspect != api::ImageAspectFlags::COLOR {
        return Ok(None);
    }
    let part = image.part(of.aspect)?;
    let Some((surface, address)) = image.control(part)? else {
        return Ok(None);
    };
    of.check(image)?;
    let bytes = surface.block.bytes();
    let place = surface.place(of.level, of.first_layer);
    let [left, top, _] = of.offset_px;
    let [width, height, _] = of.extent_px;
    let plane = Plane {
        address: address + place.offset_bytes,
        order: Order::Y,
        pitch_bytes: surface.row_pitch_bytes,
        x_bytes: (place.within_el[0] + left) * bytes,
        y_rows: place.within_el[1] + top,
        slice_rows: surface.layer_pitch_rows_el,
    };
    let extent = Extent {
        row_bytes: width * bytes,
        rows: height,
        slices: of.layers,
    };
    Ok(Some((plane, extent)))
}

/// What copies the elements of a box to those of another image, where all slices are copied.
pub(super) fn copied(
    source: &Image,
    from: &ImageBox,
    destination: &Image,
    to: &ImageBox,
) -> Result<Option<Vec<Launch>>> {
    let colours = |of: &ImageBox| ImageBox {
        aspect: of.aspect & api::ImageAspectFlags::COLOR,
        ..*of
    };
    let (from, to) = (
        place(source, &colours(from))?,
        place(destination, &colours(to))?,
    );
    Ok(match (from, to) {
        (None, None) => None,
        (Some((from, extent)), Some((to, _))) => Some(blit::copy_texels(from, to, extent)),
        (None, Some((to, extent))) => {
            let element = each_its_own(destination.samples());
            Some(blit::fill_texels(to, extent, element))
        }
        (Some(_), None) => {
            return Err(Error::FeatureNotPresent {
                what: "copies of samples to an image too wide to be compressed",
            });
        }
    })
}

/// What gives the cleared pixels of some layers their colour, which memory has as the bytes of a pixel.
pub(super) fn settled(
    image: &Image,
    (first_layer, layers): (u32, u32),
    pixel: Span,
) -> Result<Vec<Launch>> {
    let whole = ImageBox {
        aspect: api::ImageAspectFlags::COLOR,
        level: 0,
        first_layer,
        layers,
        offset_px: [0; 3],
        extent_px: image.info.extent_px,
    };
    let Some((control, of)) = place(image, &whole)? else {
        return Ok(Vec::new());
    };
    let part = image.part(whole.aspect)?;
    let (mut pixels, extent) = whole.place(image, part)?;
    // The first slice of each layer.
    pixels.slice_rows *= image.samples();
    let extent = Extent {
        slices: of.slices,
        ..extent
    };
    let samples_log2 = image.samples().ilog2();
    Ok(blit::settle_texels(
        control,
        pixels,
        extent,
        samples_log2,
        pixel,
    ))
}

/// What makes the first slice stand for all samples of a box; None: each has to be written.
pub(super) fn one_slice(image: &Image, of: &ImageBox) -> Result<Option<Vec<Launch>>> {
    let element = all_in_one(image.samples());
    Ok(place(image, of)?.map(|(plane, extent)| blit::fill_texels(plane, extent, element)))
}

/// What makes each sample of some layers be in the slice of its own number.
pub(super) fn each_in_its_own(
    image: &Image,
    (first_layer, layers): (u32, u32),
) -> Result<Vec<Launch>> {
    let whole = ImageBox {
        aspect: image.format.aspects() & api::ImageAspectFlags::COLOR,
        level: 0,
        first_layer,
        layers,
        offset_px: [0; 3],
        extent_px: image.info.extent_px,
    };
    let element = each_its_own(image.samples());
    let place = place(image, &whole)?;
    Ok(place.map_or_else(Vec::new, |(plane, extent)| {
        blit::fill_texels(plane, extent, element)
    }))
}

/// Blocks of a cache line of a colour control surface, along an axis: it is 16 bytes by 4 rows.
const LINE_BLOCKS: u32 = 16;
const LINE_BYTES: u32 = 16;
const LINE_ROWS: u32 = 4;

/// What makes no block of some layers of a level cleared or compressed, whatever was said of them.
pub(super) fn none_compressed(
    image: &Image,
    level: u32,
    (first_layer, layers): (u32, u32),
) -> Result<Vec<Launch>> {
    let part = image.part(api::ImageAspectFlags::COLOR)?;
    let Some((surface, address)) = image.compression(part)? else {
        return Ok(Vec::new());
    };
    let place = surface.place(level, first_layer);
    let lines = |blocks: u32| blocks.div_ceil(LINE_BLOCKS);
    let extent_px = image.level_extent_px(level);
    let [across, down] = [0, 1].map(|axis: usize| {
        let blocks = extent_px[axis].div_ceil(surface.block.extent_sa[axis]);
        lines(blocks)
    });
    // Levels and layers begin with cache lines.
    let plane = Plane {
        address: address + place.offset_bytes,
        order: Order::Y,
        pitch_bytes: surface.row_pitch_bytes,
        x_bytes: lines(place.within_el[0]) * LINE_BYTES,
        y_rows: lines(place.within_el[1]) * LINE_ROWS,
        slice_rows: lines(surface.layer_pitch_rows_el) * LINE_ROWS,
    };
    let extent = Extent {
        row_bytes: across * LINE_BYTES,
        rows: down * LINE_ROWS,
        slices: layers,
    };
    Ok(blit::fill_texels(plane, extent, &[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_name_slices() {
        for (samples, bits) in [(2, 1), (4, 2), (8, 4), (16, 4)] {
            let number = |bytes: &[u8]| {
                let mut all = [0; 8];
                all[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(all)
            };
            let (own, one) = (each_its_own(samples), all_in_one(samples));
            assert_eq!(own.len(), one.len());
            for sample in 0..samples {
                let of = |bytes| number(bytes) >> (bits * sample) & ((1 << bits) - 1);
                assert_eq!((of(own), of(one)), (sample.into(), 0));
            }
        }
    }
}
