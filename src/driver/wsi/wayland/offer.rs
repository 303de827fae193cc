//! What layouts of images a compositor takes, and which GPU it draws and shows with.
//!
//! Since version 4 the protocol tells both, for each surface, in groups that the compositor likes less and less. Version 3 tells layouts
//! alone: they are taken for our GPU's where there is no other.
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
use crate::present::Ours;

/// The version that tells of devices.
const WITH_DEVICES: u32 = 4;
/// Bytes of an entry of the table of formats: a format, nothing, and a modifier.
const ENTRY_BYTES: usize = 16;

/// A group of formats that the compositor likes equally.
#[derive(Debug, Default)]
struct Tranche {
    device: Option<[u32; 2]>,
    /// Where in the table.
    indices: Vec<u16>,
}

/// What a compositor tells.
#[derive(Debug, Default)]
struct Told {
    /// Formats and modifiers, to which groups refer.
    table: Vec<(u32, u64)>,
    tranches: Vec<Tranche>,
    /// The group that is being told.
    next: Tranche,
    done: bool,
}

/// Layouts of images of a format that the compositor takes, in groups, those that it likes best first.
pub fn modifiers(
    connection: &Connection,
    surface: &WlSurface,
    ours: Ours<'_>,
    format: u32,
) -> Result<Vec<Vec<u64>>> {
    let (globals, mut queue) = registry_queue_init::<Told>(connection).map_err(Error::lost)?;
    let handle = queue.handle();
    let Ok(dmabuf) = globals.bind::<ZwpLinuxDmabufV1, _, _>(&handle, 3..=WITH_DEVICES, ()) else {
        return Ok(Vec::new());
    };
    let mut told = Told::default();
    if dmabuf.version() < WITH_DEVICES {
        queue.roundtrip(&mut told).map_err(Error::lost)?;
        dmabuf.destroy();
        return Ok(match ours.has_others {
            true => Vec::new(),
            false => vec![of_format(&told.table, format).collect()],
        });
    }
    let feedback = dmabuf.get_surface_feedback(surface, &handle, ());
    while !told.done {
        queue.blocking_dispatch(&mut told).map_err(Error::lost)?;
    }
    feedback.destroy();
    dmabuf.destroy();
    connection.flush().map_err(Error::lost)?;
    let (table, tranches) = (&told.table, told.tranches.iter());
    let near = tranches.filter(|tranche| {
        let device = tranche.device.as_ref();
        device.is_some_and(|device| ours.nodes.contains(device))
    });
    let groups = near.map(|tranche| {
        let entries = tranche.indices.iter();
        let entries = entries.filter_map(|&index| table.get(usize::from(index)));
        of_format(entries, format).collect()
    });
    Ok(groups.collect())
}

fn of_format<'a>(
    entries: impl IntoIterator<Item = &'a (u32, u64)>,
    format: u32,
) -> impl Iterator<Item = u64> {
    let known = entries.into_iter().filter(move |entry| entry.0 == format);
    known.map(|entry| entry.1)
}

/// The table of a file. Empty: it cannot be read.
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

/// A device as the protocol has it: a `dev_t`.
fn device(bytes: &[u8]) -> Option<[u32; 2]> {
    let number = bytes.first_chunk().copied().map(u64::from_ne_bytes)?;
    Some(sys::device_numbers(number))
}

impl Dispatch<ZwpLinuxDmabufFeedbackV1, ()> for Told {
    fn event(
        told: &mut Self,
        _: &ZwpLinuxDmabufFeedbackV1,
        event: feedback::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use feedback::Event as E;
        match event {
            E::FormatTable { fd, size } => told.table = table(&File::from(fd), size),
            E::TrancheTargetDevice { device: bytes } => told.next.device = device(&bytes),
            E::TrancheFormats { indices } => {
                let pairs = indices
                    .chunks_exact(2)
                    .filter_map(|pair| pair.first_chunk());
                let all = pairs.map(|pair| u16::from_ne_bytes(*pair));
                told.next.indices.extend(all);
            }
            E::TrancheDone => {
                let tranche = std::mem::take(&mut told.next);
                told.tranches.push(tranche);
            }
            E::Done => told.done = true,
            _ => {}
        }
    }
}

impl Dispatch<ZwpLinuxDmabufV1, ()> for Told {
    fn event(
        told: &mut Self,
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
            told.table.push((format, modifier));
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Told {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // What comes and goes later is not asked for.
    }
}
