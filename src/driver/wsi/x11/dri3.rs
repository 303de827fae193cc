//! Presentation of images in place: their memory becomes pixmaps of the server (DRI3).
//!
//! In:  images in dma-bufs. Out: pixmaps presented in a window. The kernel orders rendering and the
//!      server's reads by the fences of the dma-buf.
//! Ref: DRI3 protocol, version 1.2; Present protocol, version 1.2.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use x11rb::connection::RequestConnection;
use x11rb::protocol::dri3::{self, ConnectionExt as _};
use x11rb::protocol::present;

use super::target::{PIXEL_BYTES, Pixmaps, Target};
use crate::error::Result;
use crate::present::{
    GpuNodes, PixelSource, PresentMode, Presenter, Refresh, SharedImage, ShownImage, SwapchainFit,
    Waker,
};

/// Bits of a pixel, including unused ones.
const PIXEL_BITS: u8 = (PIXEL_BYTES * 8) as u8;
/// The first version of both extensions that supports modifiers.
const WITH_MODIFIERS: (u32, u32) = (1, 2);
/// DRM_FORMAT_MOD_LINEAR.
const LINEAR: u64 = 0;

/// The DRI3 support of a server that uses the driver's GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dri3Support {
    /// Without modifiers: linear images only.
    LinearOnly,
    /// With modifiers.
    Modifiers,
}

/// The server's support. None: no DRI3, or another GPU.
fn dri3_support(target: &Target, gpu: &GpuNodes) -> Option<Dri3Support> {
    let connection = &target.connection;
    connection
        .extension_information(dri3::X11_EXTENSION_NAME)
        .ok()??;
    let version = connection.dri3_query_version(1, 2).ok()?.reply().ok()?;
    let present = target.present_version()?;
    let opened = connection.dri3_open(target.window, 0).ok()?.reply().ok()?;
    let node = File::from(opened.device_fd).metadata().ok()?;
    if !gpu.nodes.contains(&sys::device_numbers(node.rdev())) {
        return None;
    }
    let both = WITH_MODIFIERS.min((version.major_version, version.minor_version));
    Some(match both.min(present) == WITH_MODIFIERS {
        true => Dri3Support::Modifiers,
        false => Dri3Support::LinearOnly,
    })
}

/// The modifiers that the server accepts for a window, in groups of decreasing preference.
pub fn modifiers(target: &Target, gpu: &GpuNodes) -> Vec<Vec<u64>> {
    match dri3_support(target, gpu) {
        None => Vec::new(),
        Some(Dri3Support::LinearOnly) => vec![vec![LINEAR]],
        Some(Dri3Support::Modifiers) => {
            let connection = &target.connection;
            let request =
                connection.dri3_get_supported_modifiers(target.window, target.depth, PIXEL_BITS);
            match request.map(|cookie| cookie.reply()) {
                // First those that need no copy for the window, then those that any drawable of the
                // screen accepts.
                Ok(Ok(all)) => vec![all.window_modifiers, all.screen_modifiers],
                _ => Vec::new(),
            }
        }
    }
}

/// A presenter of shared images, or none if the server does not accept them.
pub fn new(target: Target, images: Vec<SharedImage>) -> Result<Option<Box<dyn Presenter>>> {
    let with_modifiers = || {
        let version = target
            .connection
            .dri3_query_version(1, 2)
            .ok()?
            .reply()
            .ok()?;
        Some((version.major_version, version.minor_version) >= WITH_MODIFIERS)
    };
    let has_modifiers = with_modifiers() == Some(true)
        && target
            .present_version()
            .is_some_and(|version| version >= WITH_MODIFIERS);
    let names = images
        .into_iter()
        .map(|image| pixmap(&target, image, has_modifiers));
    let Some(names) = names.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let options = match has_modifiers {
        true => present::Option::SUBOPTIMAL,
        false => present::Option::NONE,
    };
    let pixmaps = Pixmaps::new(target, names, options)?;
    Ok(Some(Box::new(Dri3Presenter { pixmaps })))
}

/// Creates a pixmap of an image's memory; none if the server does not accept it.
fn pixmap(target: &Target, image: SharedImage, has_modifiers: bool) -> Option<u32> {
    let name = target.id().ok()?;
    let (width, height) = target.size()?;
    let (window, depth) = (target.window, target.depth);
    let connection = &target.connection;
    let [pixels, ccs] = [0, 1].map(|index| image.planes.get(index).copied());
    let pixels = pixels?;
    let (ccs_pitch, ccs_offset) = ccs.map_or((0, 0), |ccs| (ccs.pitch_bytes, ccs.offset_bytes));
    // A descriptor for each plane.
    let mut memory = Vec::new();
    if ccs.is_some() {
        memory.push(image.memory.try_clone().ok()?);
    }
    memory.push(image.memory);
    let created = match has_modifiers {
        true => connection.dri3_pixmap_from_buffers(
            name,
            window,
            width,
            height,
            pixels.pitch_bytes,
            pixels.offset_bytes,
            ccs_pitch,
            ccs_offset,
            0,
            0,
            0,
            0,
            depth,
            PIXEL_BITS,
            image.modifier,
            memory,
        ),
        false => {
            let (size, pitch) = (
                u32::try_from(image.bytes).ok()?,
                u16::try_from(pixels.pitch_bytes).ok()?,
            );
            connection.dri3_pixmap_from_buffer(
                name,
                window,
                size,
                width,
                height,
                pitch,
                depth,
                PIXEL_BITS,
                memory.pop()?,
            )
        }
    };
    created.ok()?.check().ok()?;
    Some(name)
}

/// Images as pixmaps, by index.
struct Dri3Presenter {
    pixmaps: Pixmaps,
}

impl Presenter for Dri3Presenter {
    fn is_ready(&self, mode: PresentMode) -> bool {
        self.pixmaps.is_ready(mode)
    }

    fn show(&mut self, index: u32, _: &dyn PixelSource, mode: PresentMode) -> Result<()> {
        self.pixmaps.show(index as usize, mode)
    }

    fn shown(&self) -> u64 {
        self.pixmaps.shown()
    }

    fn fit(&self) -> SwapchainFit {
        self.pixmaps.fit()
    }

    fn released(&mut self) -> Option<u32> {
        self.pixmaps.idle().map(|index| index as u32)
    }

    fn accepts_unfinished(&self) -> bool {
        true
    }

    fn shown_image(&mut self) -> Option<ShownImage> {
        self.pixmaps.shown_image()
    }

    fn reports_times(&self) -> bool {
        true
    }

    fn refresh(&self) -> Refresh {
        self.pixmaps.refresh_state()
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        self.pixmaps.wait_events(wake)
    }

    fn poll_events(&mut self) -> Result<()> {
        self.pixmaps.poll_events().map(drop)
    }
}
