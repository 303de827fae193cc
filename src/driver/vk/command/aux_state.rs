//! Aux state of colour images: MCS and CCS contents at initialisation, at copies and at clears.
//!
//! An MCS element tells which slice of the image holds each sample of a pixel. Draws and the
//! sampler respect it; a copy of slices as bytes must copy the elements too. New memory has
//! undefined contents, so an image with undefined contents gets elements that map each sample to
//! the slice of its own number ([`super::layout_transition`]). CCS elements of zero mark blocks as
//! neither clear nor compressed.
//! Ref: SKL PRM vol. 7, "MCS Buffer for Render Target(s)".

use ash::vk as api;
use blit::{Extent, Launch, MemoryRange, Order, TexelMemory};

use super::image_box::ImageBox;
use crate::error::{Error, Result};
use crate::image::Image;

/// MCS element of a pixel with each sample in the slice of its own number.
fn identity_mcs_element(samples: u32) -> &'static [u8] {
    match samples {
        2 => &[0b10],
        4 => &[0b11_10_01_00],
        8 => &[0x10, 0x32, 0x54, 0x76],
        _ => &[0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe],
    }
}

/// MCS element of a pixel with all samples in slice 0.
fn slice_0_mcs_element(samples: u32) -> &'static [u8] {
    match samples {
        2 | 4 => &[0],
        8 => &[0; 4],
        _ => &[0; 8],
    }
}

/// Location of a box's MCS elements. `None`: the image has no MCS.
fn mcs_location(image: &Image, of: &ImageBox) -> Result<Option<(TexelMemory, Extent)>> {
    if of.aspect != api::ImageAspectFlags::COLOR {
        return Ok(None);
    }
    let part = image.aspect_part(of.aspect)?;
    let Some((surface, address)) = image.mcs(part)? else {
        return Ok(None);
    };
    of.check_bounds(image)?;
    let bytes = surface.block.bytes();
    let location = surface.offset_of(of.level, of.first_layer);
    let [left, top, _] = of.offset_px;
    let [width, height, _] = of.extent_px;
    let plane = TexelMemory {
        address: address + location.offset_bytes,
        order: Order::Y,
        pitch_bytes: surface.row_pitch_bytes,
        x_bytes: (location.within_el[0] + left) * bytes,
        y_rows: location.within_el[1] + top,
        slice_rows: surface.layer_pitch_rows_el,
    };
    let extent = Extent {
        row_bytes: width * bytes,
        rows: height,
        slices: of.layers,
    };
    Ok(Some((plane, extent)))
}

/// Dispatches that copy the MCS elements of a box beside its slices. `None`: neither image has an
/// MCS.
pub(super) fn copy_hazards(
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
        mcs_location(source, &colours(from))?,
        mcs_location(destination, &colours(to))?,
    );
    Ok(match (from, to) {
        (None, None) => None,
        (Some((from, extent)), Some((to, _))) => Some(blit::copy_texels(from, to, extent)),
        (None, Some(elements)) => Some(fill_identity(destination, elements)),
        (Some(_), None) => {
            return Err(Error::FeatureNotPresent {
                what: "copies of MCS data to an image without MCS",
            });
        }
    })
}

/// Dispatches that map the samples of pixels to the slices of their own numbers.
fn fill_identity(image: &Image, (elements, extent): (TexelMemory, Extent)) -> Vec<Launch> {
    blit::fill_texels(elements, extent, identity_mcs_element(image.samples()))
}

/// Dispatches that map each sample of a box to the slice of its own number.
pub(super) fn map_to_own_slices(image: &Image, of: &ImageBox) -> Result<Vec<Launch>> {
    let location = mcs_location(image, of)?;
    Ok(location.map_or_else(Vec::new, |elements| fill_identity(image, elements)))
}

/// Dispatches that write the clear colour to the fast-cleared pixels of some layers. `pixel`: the
/// clear colour as a pixel in memory.
pub(super) fn resolve_mcs_clears(
    image: &Image,
    (first_layer, layers): (u32, u32),
    pixel: MemoryRange,
) -> Result<Vec<Launch>> {
    let whole = ImageBox {
        aspect: api::ImageAspectFlags::COLOR,
        level: 0,
        first_layer,
        layers,
        offset_px: [0; 3],
        extent_px: image.info.extent_px,
    };
    let Some((control, of)) = mcs_location(image, &whole)? else {
        return Ok(Vec::new());
    };
    let part = image.aspect_part(whole.aspect)?;
    let (mut pixels, extent) = whole.plane_and_extent(image, part)?;
    // Slice 0 of each layer.
    pixels.slice_rows *= image.samples();
    let extent = Extent {
        slices: of.slices,
        ..extent
    };
    let samples_log2 = image.samples().ilog2();
    Ok(blit::resolve_mcs_texels(
        control,
        pixels,
        extent,
        samples_log2,
        pixel,
    ))
}

/// Dispatches that map all samples of a box to slice 0, so that writing this slice is enough.
/// `None`: the image has no MCS.
pub(super) fn map_to_slice_0(image: &Image, of: &ImageBox) -> Result<Option<Vec<Launch>>> {
    let element = slice_0_mcs_element(image.samples());
    Ok(mcs_location(image, of)?.map(|(plane, extent)| blit::fill_texels(plane, extent, element)))
}

/// Dispatches that map each sample of some layers to the slice of its own number.
pub(super) fn reset_mcs(image: &Image, (first_layer, layers): (u32, u32)) -> Result<Vec<Launch>> {
    let whole = ImageBox {
        aspect: image.format.aspects() & api::ImageAspectFlags::COLOR,
        level: 0,
        first_layer,
        layers,
        offset_px: [0; 3],
        extent_px: image.info.extent_px,
    };
    map_to_own_slices(image, &whole)
}

/// CCS blocks of a cache line along an axis; a line is 16 bytes by 4 rows.
const LINE_BLOCKS: u32 = 16;
const LINE_BYTES: u32 = 16;
const LINE_ROWS: u32 = 4;

/// Dispatches that ambiguate the CCS: no block of some layers of a level is clear or compressed
/// afterwards.
pub(super) fn ambiguate_ccs(
    image: &Image,
    level: u32,
    (first_layer, layers): (u32, u32),
) -> Result<Vec<Launch>> {
    let part = image.aspect_part(api::ImageAspectFlags::COLOR)?;
    let Some((surface, address)) = image.compressed_ccs(part)? else {
        return Ok(Vec::new());
    };
    let location = surface.offset_of(level, first_layer);
    let lines = |blocks: u32| blocks.div_ceil(LINE_BLOCKS);
    let extent_px = image.level_extent_px(level);
    let [across, down] = [0, 1].map(|axis: usize| {
        let blocks = extent_px[axis].div_ceil(surface.block.extent_sa[axis]);
        lines(blocks)
    });
    // Levels and layers start at cache lines.
    let plane = TexelMemory {
        address: address + location.offset_bytes,
        order: Order::Y,
        pitch_bytes: surface.row_pitch_bytes,
        x_bytes: lines(location.within_el[0]) * LINE_BYTES,
        y_rows: lines(location.within_el[1]) * LINE_ROWS,
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
    fn mcs_elements_map_samples_to_slices() {
        for (samples, bits) in [(2, 1), (4, 2), (8, 4), (16, 4)] {
            let number = |bytes: &[u8]| {
                let mut all = [0; 8];
                all[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(all)
            };
            let (own, one) = (identity_mcs_element(samples), slice_0_mcs_element(samples));
            assert_eq!(own.len(), one.len());
            for sample in 0..samples {
                let of = |bytes| number(bytes) >> (bits * sample) & ((1 << bits) - 1);
                assert_eq!((of(own), of(one)), (sample.into(), 0));
            }
        }
    }
}
