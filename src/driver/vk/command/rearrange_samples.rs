//! Copies between multisampled colour and multisampled depth or stencil (VK_KHR_maintenance8).
//!
//! In:  boxes of images whose samples are arranged differently: in slices, found by an MCS, or
//!      interleaved. Out: for each sample a dispatch that reads it as a texture and writes bytes.
//! Ref: Vulkan specification, "Compatible Formats for Depth-Stencil to/from Color Copies"; SKL PRM
//!      vol. 5, "Interleaved Multisampled Surfaces"; vol. 7, "MCS Buffer for Render Target(s)".

use blit::{Extent, MemoryBox, SampleCopy};
use surface::SampleLayout;

use super::aux_state;
use super::buffer::CommandBuffer;
use super::image_box::ImageBox;
use crate::error::{Error, Result};
use crate::image::{Image, ImagePlane};

impl CommandBuffer {
    /// Copies a box of an image to one whose samples are arranged differently.
    pub(super) fn rearrange_samples(
        &mut self,
        (source, from, part_from): (&Image, &ImageBox, &ImagePlane),
        (destination, to, part_to): (&Image, &ImageBox, &ImagePlane),
    ) -> Result<()> {
        let samples = source.samples();
        let bytes = part_from.surface.block.bytes();
        let same = samples == destination.samples() && bytes == part_to.surface.block.bytes();
        if !same || !matches!(bytes, 1 | 2 | 4) {
            return Err(Error::InvalidUse {
                why: "a copy of samples to a format of another size or to other samples",
            });
        }
        from.check_bounds(source)?;
        let kind = SampleCopy {
            samples_log2: samples.ilog2(),
            unit_log2: bytes.ilog2(),
        };
        let [left, top, _] = from.offset_px;
        let [width, height, _] = to.extent_px;
        if part_to.surface.sample_layout == SampleLayout::Interleaved {
            let quads = to.quads(destination, part_to)?;
            for sample in 0..samples {
                let size = [width, height, to.layers];
                let launches = blit::interleave_sample(kind, (sample, [left, top]), quads, size);
                self.read_samples(source, from, part_from, &launches)?;
            }
            return Ok(());
        }
        let (plane, extent) = to.plane_and_extent(destination, part_to)?;
        self.order_write(MemoryBox::new(plane, extent));
        for sample in 0..samples {
            // The slices of one sample.
            let mut slices = plane;
            slices.y_rows += sample * plane.slice_rows;
            slices.slice_rows *= samples;
            let extent = Extent {
                slices: to.layers,
                ..extent
            };
            let source_px = (sample, [left, top]);
            let launches = blit::copy_single_sample(kind.unit_log2, source_px, slices, extent);
            self.read_samples(source, from, part_from, &launches)?;
        }
        for launch in aux_state::map_to_own_slices(destination, to)? {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }
}
