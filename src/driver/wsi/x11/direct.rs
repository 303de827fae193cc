//! Images to a window as they are: their memory becomes pixmaps of the server by the DRI3 extension.
//!
//! What draws an image and what reads it for the screen are put in order by the kernel, which keeps with a dma-buf who uses it.
//! Ref: DRI3 protocol, version 1.2; Present protocol, version 1.2.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use x11rb::connection::RequestConnection;
use x11rb::protocol::dri3::{self, ConnectionExt as _};
use x11rb::protocol::present;

use super::target::{PIXEL_BYTES, Pixmaps, Target};
use crate::error::Result;
use crate::present::{Fit, Ours, Pace, Picture, Presenter, Shared, Wake};

/// Bits of a pixel, used or not.
const PIXEL_BITS: u8 = (PIXEL_BYTES * 8) as u8;
/// The version with modifiers, of both extensions.
const WITH_MODIFIERS: (u32, u32) = (1, 2);
/// DRM_FORMAT_MOD_LINEAR.
const LINEAR: u64 = 0;

/// How much of DRI3 a server has that draws with our GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// It knows no layouts by number: rows it understands without.
    Rows,
    /// It does.
    Modifiers,
}

/// What the server has. None: no DRI3, or another GPU.
fn level(target: &Target, ours: Ours<'_>) -> Option<Level> {
    let connection = &target.connection;
    connection
        .extension_information(dri3::X11_EXTENSION_NAME)
        .ok()??;
    let version = connection.dri3_query_version(1, 2).ok()?.reply().ok()?;
    let present = target.present_version()?;
    let opened = connection.dri3_open(target.window, 0).ok()?.reply().ok()?;
    let node = File::from(opened.device_fd).metadata().ok()?;
    if !ours.nodes.contains(&sys::device_numbers(node.rdev())) {
        return None;
    }
    let both = WITH_MODIFIERS.min((version.major_version, version.minor_version));
    Some(match both.min(present) == WITH_MODIFIERS {
        true => Level::Modifiers,
        false => Level::Rows,
    })
}

/// Layouts that the server takes for a window, what it likes best first.
pub fn modifiers(target: &Target, ours: Ours<'_>) -> Vec<Vec<u64>> {
    match level(target, ours) {
        None => Vec::new(),
        Some(Level::Rows) => vec![vec![LINEAR]],
        Some(Level::Modifiers) => {
            let connection = &target.connection;
            let asked =
                connection.dri3_get_supported_modifiers(target.window, target.depth, PIXEL_BITS);
            match asked.map(|asked| asked.reply()) {
                // What the window can show without a copy, and what anything on the screen can be drawn with.
                Ok(Ok(all)) => vec![all.window_modifiers, all.screen_modifiers],
                _ => Vec::new(),
            }
        }
    }
}

/// What shows images. None: the server does not take them.
pub fn new(target: Target, images: Vec<Shared>) -> Result<Option<Box<dyn Presenter>>> {
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
    Ok(Some(Box::new(Direct { pixmaps })))
}

/// The server's pixmap of an image's memory. None: it does not take it.
fn pixmap(target: &Target, image: Shared, has_modifiers: bool) -> Option<u32> {
    let name = target.id().ok()?;
    let (width, height) = target.size()?;
    let (window, depth) = (target.window, target.depth);
    let connection = &target.connection;
    let made = match has_modifiers {
        true => connection.dri3_pixmap_from_buffers(
            name,
            window,
            width,
            height,
            image.pitch_bytes,
            image.offset_bytes,
            0,
            0,
            0,
            0,
            0,
            0,
            depth,
            PIXEL_BITS,
            image.modifier,
            vec![image.memory],
        ),
        false => {
            let (size, pitch) = (
                u32::try_from(image.bytes).ok()?,
                u16::try_from(image.pitch_bytes).ok()?,
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
                image.memory,
            )
        }
    };
    made.ok()?.check().ok()?;
    Some(name)
}

/// Images that are pixmaps, by index.
struct Direct {
    pixmaps: Pixmaps,
}

impl Presenter for Direct {
    fn is_ready(&self, pace: Pace) -> bool {
        self.pixmaps.is_ready(pace)
    }

    fn show(&mut self, index: u32, _: &dyn Picture, pace: Pace) -> Result<()> {
        self.pixmaps.show(index as usize, pace)
    }

    fn shown(&self) -> u64 {
        self.pixmaps.shown()
    }

    fn fit(&self) -> Fit {
        self.pixmaps.fit()
    }

    fn done(&mut self) -> Option<u32> {
        self.pixmaps.idle().map(|index| index as u32)
    }

    fn takes_undrawn(&self) -> bool {
        true
    }

    fn listen(&mut self, wake: &Wake) -> Result<()> {
        self.pixmaps.listen(wake)
    }

    fn hear(&mut self) -> Result<()> {
        self.pixmaps.hear().map(drop)
    }
}
