//! The formats and modifiers that a compositor accepts, and the GPU that it uses.
//!
//! In:  a surface and the driver's GPU. Out: formats, and the modifiers of each.
//!
//! Since version 4 the protocol announces both for each surface, in tranches of decreasing
//! preference. Version 3 announces modifiers only, which are assumed to be for the driver's GPU if
//! the machine has no other.
//! Ref: wayland-protocols, `linux-dmabuf-v1`.

use std::fs::File;
use std::os::unix::fs::FileExt;

use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, Proxy, QueueHandle};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_feedback_v1::{
    self as feedback, ZwpLinuxDmabufFeedbackV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_v1::{
    self as dmabuf, ZwpLinuxDmabufV1,
};

use crate::error::{Error, Result};
use crate::present::GpuNodes;

/// The first version with events about devices.
const FEEDBACK_VERSION: u32 = 4;
/// Bytes of an entry of the format table: a format, padding, and a modifier.
const ENTRY_BYTES: usize = 16;

/// Formats that the compositor prefers equally.
#[derive(Debug, Default)]
struct Tranche {
    device: Option<[u32; 2]>,
    /// Indices in the format table.
    indices: Vec<u16>,
}

/// What a compositor has announced.
#[derive(Debug, Default)]
struct Feedback {
    /// Formats and modifiers, which tranches refer to.
    table: Vec<(u32, u64)>,
    tranches: Vec<Tranche>,
    /// The tranche being announced.
    next: Tranche,
    done: bool,
}

/// The modifiers with which the compositor reads images of a format in place, in groups of
/// decreasing preference.
pub fn modifiers(
    connection: &Connection,
    surface: &WlSurface,
    gpu: &GpuNodes,
    format: u32,
) -> Result<Vec<Vec<u64>>> {
    let groups = tranches_of_gpu(connection, surface, gpu)?.into_iter();
    let groups = groups.map(|group| {
        let matching = group.into_iter().filter(|entry| entry.0 == format);
        matching.map(|entry| entry.1).collect()
    });
    Ok(groups.collect())
}

/// The formats of images of the driver's GPU that the compositor reads in place.
pub fn formats(connection: &Connection, surface: &WlSurface, gpu: &GpuNodes) -> Result<Vec<u32>> {
    let groups = tranches_of_gpu(connection, surface, gpu)?.into_iter();
    let mut formats: Vec<u32> = groups.flatten().map(|entry| entry.0).collect();
    formats.sort_unstable();
    formats.dedup();
    Ok(formats)
}

/// The pairs of format and modifier that the compositor accepts from the driver's GPU, in groups of
/// decreasing preference.
fn tranches_of_gpu(
    connection: &Connection,
    surface: &WlSurface,
    gpu: &GpuNodes,
) -> Result<Vec<Vec<(u32, u64)>>> {
    if gpu.nodes.is_empty() {
        return Ok(Vec::new());
    }
    let (globals, mut queue) = registry_queue_init::<Feedback>(connection).map_err(Error::lost)?;
    let handle = queue.handle();
    let Ok(dmabuf) = globals.bind::<ZwpLinuxDmabufV1, _, _>(&handle, 3..=FEEDBACK_VERSION, ())
    else {
        return Ok(Vec::new());
    };
    let mut events = Feedback::default();
    if dmabuf.version() < FEEDBACK_VERSION {
        queue.roundtrip(&mut events).map_err(Error::lost)?;
        dmabuf.destroy();
        return Ok(match (gpu.has_others)() {
            true => Vec::new(),
            false => vec![events.table],
        });
    }
    let object = dmabuf.get_surface_feedback(surface, &handle, ());
    while !events.done {
        queue.blocking_dispatch(&mut events).map_err(Error::lost)?;
    }
    object.destroy();
    dmabuf.destroy();
    connection.flush().map_err(Error::lost)?;
    let (table, tranches) = (&events.table, events.tranches.iter());
    let matching = tranches.filter(|tranche| {
        let device = tranche.device.as_ref();
        device.is_some_and(|device| gpu.nodes.contains(device))
    });
    let groups = matching.map(|tranche| {
        let entries = tranche.indices.iter();
        let entries = entries.filter_map(|&index| table.get(usize::from(index)));
        entries.copied().collect()
    });
    Ok(groups.collect())
}

/// Reads the format table of a file; empty if that fails.
fn table(file: &File, bytes: u32) -> Vec<(u32, u64)> {
    let mut all = vec![0; bytes as usize];
    if file.read_exact_at(&mut all, 0).is_err() {
        return Vec::new();
    }
    let entries = all.chunks_exact(ENTRY_BYTES).filter_map(|entry| {
        let (format, rest) = entry.split_first_chunk()?;
        let modifier = rest.last_chunk()?;
        Some((u32::from_ne_bytes(*format), u64::from_ne_bytes(*modifier)))
    });
    entries.collect()
}

/// The device numbers of a `dev_t`.
fn device(bytes: &[u8]) -> Option<[u32; 2]> {
    let number = bytes.first_chunk().copied().map(u64::from_ne_bytes)?;
    Some(sys::device_numbers(number))
}

impl Dispatch<ZwpLinuxDmabufFeedbackV1, ()> for Feedback {
    fn event(
        events: &mut Self,
        _: &ZwpLinuxDmabufFeedbackV1,
        event: feedback::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use feedback::Event as E;
        match event {
            E::FormatTable { fd, size } => events.table = table(&File::from(fd), size),
            E::TrancheTargetDevice { device: bytes } => events.next.device = device(&bytes),
            E::TrancheFormats { indices } => {
                let pairs = indices
                    .chunks_exact(2)
                    .filter_map(|pair| pair.first_chunk());
                let all = pairs.map(|pair| u16::from_ne_bytes(*pair));
                events.next.indices.extend(all);
            }
            E::TrancheDone => {
                let tranche = std::mem::take(&mut events.next);
                events.tranches.push(tranche);
            }
            E::Done => events.done = true,
            _ => {}
        }
    }
}

impl Dispatch<ZwpLinuxDmabufV1, ()> for Feedback {
    fn event(
        events: &mut Self,
        _: &ZwpLinuxDmabufV1,
        event: dmabuf::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let dmabuf::Event::Modifier {
            format,
            modifier_hi,
            modifier_lo,
        } = event
        {
            let modifier = u64::from(modifier_hi) << 32 | u64::from(modifier_lo);
            events.table.push((format, modifier));
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Feedback {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // Globals that appear or disappear later are not used.
    }
}
