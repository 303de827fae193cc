//! Decodes the ioctls of displays (KMS), which only primary nodes have.
//!
//! In:  request numbers and arguments. Out: the simulated display's responses, written to the
//!      program's structures and arrays.
//! Ref: drm_mode.h; drm-kms(7), drm-kms-helpers.

use std::os::fd::{AsFd, OwnedFd};

use bytemuck::Pod;
use kmd::File;
use kmd::display::{self, EventSink};
use kmd::refreshes::SequenceSink;
use uapi::mode;
use uapi::{Errno, Result, drm};

use crate::call::{Call, number_of};
use crate::user_memory;

/// The numbers of the ioctls of displays: sequences; then those between syncobjs; also leases,
/// GETFB2, CLOSEFB.
const NUMBERS: [std::ops::RangeInclusive<u32>; 5] = [
    0x3b..=0x3c,
    0xa0..=number_of(drm::SYNCOBJ_CREATE) - 1,
    0xc6..=0xc9,
    0xce..=0xce,
    0xd0..=0xd0,
];
/// DRM_IOCTL_SET_MASTER and DRM_IOCTL_DROP_MASTER.
const MASTER: std::ops::RangeInclusive<u32> = 0x1e..=0x1f;
/// `connection` of a connected display.
const CONNECTED: u32 = 1;
/// `connection` of an unplugged connector.
const DISCONNECTED: u32 = 2;

/// Executes an ioctl of a primary node. None: it is not one of displays.
pub(crate) fn execute(
    call: &Call<'_>,
    number: u32,
    events: &dyn Fn() -> Result<OwnedFd>,
) -> Option<Result<()>> {
    let file = call.file;
    if number == number_of(drm::SET_CLIENT_CAP) {
        let set = |cap: &mut drm::SetClientCap| match cap.capability {
            mode::CLIENT_CAP_UNIVERSAL_PLANES if file.has_display() && cap.value <= 1 => Ok(()),
            _ => Err(Errno::EOPNOTSUPP),
        };
        return Some(call.with_argument(drm::SET_CLIENT_CAP, set));
    }
    // Whoever has the node open is the master of a simulated display.
    if MASTER.contains(&number) && file.has_display() {
        return Some(Ok(()));
    }
    if !NUMBERS.iter().any(|numbers| numbers.contains(&number)) {
        return None;
    }
    Some(match file.has_display() {
        true => objects(call, number)
            .or_else(|| power_and_refreshes(call, number, events))
            .unwrap_or_else(|| framebuffers(call, number, events)),
        false => Err(Errno::EOPNOTSUPP),
    })
}

/// Copies as many values as the program has room for, and sets the number of all.
fn fill<T: Pod>(address: u64, count: &mut u32, values: &[T]) -> Result<()> {
    let room = values.len().min(*count as usize);
    if room > 0 {
        user_memory::write_array(address, values.get(..room).unwrap_or_default())?;
    }
    *count = values.len() as u32;
    Ok(())
}

/// An error unless an id is that of an object.
fn check(id: u32, object: u32) -> Result<()> {
    match id == object {
        true => Ok(()),
        false => Err(Errno::ENOENT),
    }
}

/// A name, padded by zeros.
fn padded(name: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (to, from) in bytes.iter_mut().zip(name.bytes()) {
        *to = from;
    }
    bytes
}

/// The queries of objects and their properties. None: another ioctl.
fn objects(call: &Call<'_>, number: u32) -> Option<Result<()>> {
    let file = call.file;
    let is = |request: u32| number == number_of(request);
    Some(match () {
        () if is(mode::GETRESOURCES) => {
            call.with_argument(mode::GETRESOURCES, |res| resources(file, res))
        }
        () if is(mode::GETENCODER) => {
            call.with_argument(mode::GETENCODER, |encoder| get_encoder(file, encoder))
        }
        () if is(mode::GETCONNECTOR) => call.with_argument(mode::GETCONNECTOR, |connector| {
            get_connector(file, connector)
        }),
        () if is(mode::GETPLANERESOURCES) => {
            call.with_argument(mode::GETPLANERESOURCES, |planes: &mut mode::GetPlaneRes| {
                fill(
                    planes.plane_id_ptr,
                    &mut planes.count_planes,
                    &[display::PLANE],
                )
            })
        }
        () if is(mode::GETPLANE) => {
            call.with_argument(mode::GETPLANE, |plane| get_plane(file, plane))
        }
        () if is(mode::OBJ_GETPROPERTIES) => call.with_argument(mode::OBJ_GETPROPERTIES, |query| {
            object_properties(file, query)
        }),
        () if is(mode::GETPROPERTY) => call.with_argument(mode::GETPROPERTY, get_property),
        () if is(mode::GETPROPBLOB) => {
            call.with_argument(mode::GETPROPBLOB, |blob: &mut mode::GetBlob| {
                check(blob.blob_id, display::BLOB_IN_FORMATS)?;
                fill(blob.data, &mut blob.length, &display::format_blob())
            })
        }
        () if is(mode::GETCRTC) => call.with_argument(mode::GETCRTC, |crtc: &mut mode::Crtc| {
            check(crtc.crtc_id, display::CRTC)?;
            let now = file.crtc_state()?;
            crtc.fb_id = now.framebuffer;
            crtc.mode_valid = now.mode.is_some().into();
            crtc.mode = now.mode.unwrap_or_default();
            (crtc.x, crtc.y, crtc.gamma_size) = (0, 0, 0);
            Ok(())
        }),
        () => return None,
    })
}

fn resources(file: &File, res: &mut mode::CardRes) -> Result<()> {
    fill(res.fb_id_ptr, &mut res.count_fbs, &file.framebuffers())?;
    fill(res.crtc_id_ptr, &mut res.count_crtcs, &[display::CRTC])?;
    fill(
        res.connector_id_ptr,
        &mut res.count_connectors,
        &[display::CONNECTOR],
    )?;
    fill(
        res.encoder_id_ptr,
        &mut res.count_encoders,
        &[display::ENCODER],
    )?;
    (res.min_width, res.min_height) = (0, 0);
    (res.max_width, res.max_height) = (display::MAX_SIDE, display::MAX_SIDE);
    Ok(())
}

fn get_encoder(file: &File, encoder: &mut mode::GetEncoder) -> Result<()> {
    check(encoder.encoder_id, display::ENCODER)?;
    encoder.encoder_type = mode::ENCODER_TMDS;
    encoder.crtc_id = match file.crtc_state()?.mode {
        Some(_) => display::CRTC,
        None => 0,
    };
    (encoder.possible_crtcs, encoder.possible_clones) = (1, 0);
    Ok(())
}

fn get_connector(file: &File, connector: &mut mode::GetConnector) -> Result<()> {
    check(connector.connector_id, display::CONNECTOR)?;
    fill(
        connector.encoders_ptr,
        &mut connector.count_encoders,
        &[display::ENCODER],
    )?;
    let modes = display::modes();
    let plugged = file.display_is_plugged();
    fill(
        connector.modes_ptr,
        &mut connector.count_modes,
        if plugged { &modes } else { &[] },
    )?;
    let mut room = connector.count_props;
    fill(connector.props_ptr, &mut room, &[display::PROPERTY_DPMS])?;
    let values = [file.power()?];
    fill(
        connector.prop_values_ptr,
        &mut connector.count_props,
        &values,
    )?;
    connector.encoder_id = match file.crtc_state()?.mode {
        Some(_) => display::ENCODER,
        None => 0,
    };
    (connector.connector_type, connector.connector_type_id) = (mode::CONNECTOR_HDMIA, 1);
    (
        connector.connection,
        [connector.mm_width, connector.mm_height],
    ) = match plugged {
        true => (CONNECTED, display::MONITOR_MM),
        false => (DISCONNECTED, [0; 2]),
    };
    // DRM_MODE_SUBPIXEL_UNKNOWN.
    connector.subpixel = 1;
    Ok(())
}

fn get_plane(file: &File, plane: &mut mode::GetPlane) -> Result<()> {
    check(plane.plane_id, display::PLANE)?;
    let now = file.crtc_state()?;
    plane.fb_id = now.framebuffer;
    plane.crtc_id = match now.framebuffer {
        0 => 0,
        _ => display::CRTC,
    };
    (plane.possible_crtcs, plane.gamma_size) = (1, 0);
    fill(
        plane.format_type_ptr,
        &mut plane.count_format_types,
        &display::format_codes(),
    )
}

/// Value of the plane's type: primary.
const PLANE_TYPE_PRIMARY: u64 = 1;
/// The types of planes.
const PLANE_TYPES: [&str; 3] = ["Overlay", "Primary", "Cursor"];

fn object_properties(file: &File, query: &mut mode::ObjGetProperties) -> Result<()> {
    let power = [(display::PROPERTY_DPMS, file.power()?)];
    let pairs: &[(u32, u64)] = match (query.obj_id, query.obj_type) {
        (display::PLANE, mode::OBJECT_PLANE | mode::OBJECT_ANY) => &[
            (display::PROPERTY_TYPE, PLANE_TYPE_PRIMARY),
            (
                display::PROPERTY_IN_FORMATS,
                display::BLOB_IN_FORMATS as u64,
            ),
        ],
        (display::CRTC, mode::OBJECT_CRTC | mode::OBJECT_ANY) => &[],
        (display::CONNECTOR, mode::OBJECT_CONNECTOR | mode::OBJECT_ANY) => &power,
        _ => return Err(Errno::ENOENT),
    };
    let ids: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
    let values: Vec<u64> = pairs.iter().map(|pair| pair.1).collect();
    let mut room = query.count_props;
    fill(query.props_ptr, &mut room, &ids)?;
    fill(query.prop_values_ptr, &mut query.count_props, &values)
}

/// The power states of connectors.
const POWER_STATES: [&str; 4] = ["On", "Standby", "Suspend", "Off"];

/// Copies the values of an enumeration, which count from 0, and their names.
fn fill_enumeration(property: &mut mode::GetProperty, names: &[&str]) -> Result<()> {
    let rows = (0..).zip(names).map(|(value, name)| mode::PropertyEnum {
        value,
        name: padded(name),
    });
    let rows: Vec<_> = rows.collect();
    let values: Vec<u64> = rows.iter().map(|row| row.value).collect();
    fill(
        property.enum_blob_ptr,
        &mut property.count_enum_blobs,
        &rows,
    )?;
    fill(property.values_ptr, &mut property.count_values, &values)
}

/// The ioctls of power states and refreshes. None: another ioctl.
fn power_and_refreshes(
    call: &Call<'_>,
    number: u32,
    events: &dyn Fn() -> Result<OwnedFd>,
) -> Option<Result<()>> {
    let file = call.file;
    let is = |request: u32| number == number_of(request);
    Some(match () {
        () if is(mode::SETPROPERTY) => call.with_argument(
            mode::SETPROPERTY,
            |request: &mut mode::ConnectorSetProperty| {
                set_property(file, request.connector_id, request.prop_id, request.value)
            },
        ),
        () if is(mode::OBJ_SETPROPERTY) => call.with_argument(
            mode::OBJ_SETPROPERTY,
            |request: &mut mode::ObjSetProperty| {
                set_property(file, request.obj_id, request.prop_id, request.value)
            },
        ),
        () if is(mode::CRTC_GET_SEQUENCE) => call.with_argument(
            mode::CRTC_GET_SEQUENCE,
            |request: &mut mode::CrtcGetSequence| {
                check(request.crtc_id, display::CRTC)?;
                *request = file.crtc_sequence()?;
                Ok(())
            },
        ),
        () if is(mode::CRTC_QUEUE_SEQUENCE) => call.with_argument(
            mode::CRTC_QUEUE_SEQUENCE,
            |request: &mut mode::CrtcQueueSequence| {
                check(request.crtc_id, display::CRTC)?;
                let writer = events()?;
                let sink: SequenceSink = Box::new(move |event| {
                    sys::Pipe::write(writer.as_fd(), bytemuck::bytes_of(event));
                });
                let (target, data) = (request.sequence, request.user_data);
                request.sequence = file.queue_sequence(request.flags, target, data, sink)?;
                Ok(())
            },
        ),
        () => return None,
    })
}

/// Sets a property of an object. Only a connector's power state can be set.
fn set_property(file: &File, object: u32, property: u32, value: u64) -> Result<()> {
    match (object, property) {
        (display::CONNECTOR, display::PROPERTY_DPMS) => file.set_power(value),
        (display::CONNECTOR | display::CRTC | display::PLANE, _) => Err(Errno::EINVAL),
        _ => Err(Errno::ENOENT),
    }
}

fn get_property(property: &mut mode::GetProperty) -> Result<()> {
    match property.prop_id {
        display::PROPERTY_TYPE => {
            property.flags = mode::PROP_IMMUTABLE | mode::PROP_ENUM;
            property.name = padded("type");
            fill_enumeration(property, &PLANE_TYPES)
        }
        display::PROPERTY_DPMS => {
            property.flags = mode::PROP_ENUM;
            property.name = padded("DPMS");
            fill_enumeration(property, &POWER_STATES)
        }
        display::PROPERTY_IN_FORMATS => {
            property.flags = mode::PROP_IMMUTABLE | mode::PROP_BLOB;
            property.name = padded("IN_FORMATS");
            (property.count_values, property.count_enum_blobs) = (0, 0);
            Ok(())
        }
        _ => Err(Errno::ENOENT),
    }
}

/// The ioctls that change what the display shows.
fn framebuffers(call: &Call<'_>, number: u32, events: &dyn Fn() -> Result<OwnedFd>) -> Result<()> {
    let file = call.file;
    if number == number_of(mode::ADDFB2) {
        return call.with_argument(mode::ADDFB2, |request: &mut mode::FbCmd2| {
            request.fb_id = file.add_framebuffer(request)?;
            Ok(())
        });
    }
    if number == number_of(mode::RMFB) {
        return call.with_argument(mode::RMFB, |id: &mut u32| file.remove_framebuffer(*id));
    }
    if number == number_of(mode::SETCRTC) {
        return call.with_argument(mode::SETCRTC, |crtc: &mut mode::Crtc| set_crtc(file, crtc));
    }
    if number == number_of(mode::PAGE_FLIP) {
        return call.with_argument(mode::PAGE_FLIP, |flip: &mut mode::PageFlip| {
            check(flip.crtc_id, display::CRTC)?;
            if flip.flags & !mode::PAGE_FLIP_EVENT != 0 || flip.reserved != 0 {
                return Err(Errno::EINVAL);
            }
            let sink = match flip.flags & mode::PAGE_FLIP_EVENT {
                0 => None,
                _ => Some(event_sink(events()?)),
            };
            file.page_flip(flip.fb_id, flip.user_data, sink)
        });
    }
    Err(Errno::EINVAL)
}

/// Writes events to the other end of the program's descriptor.
fn event_sink(writer: OwnedFd) -> EventSink {
    Box::new(move |event| sys::Pipe::write(writer.as_fd(), bytemuck::bytes_of(event)))
}

fn set_crtc(file: &File, crtc: &mode::Crtc) -> Result<()> {
    check(crtc.crtc_id, display::CRTC)?;
    if crtc.mode_valid == 0 {
        return file.set_crtc(None, None);
    }
    let count = crtc.count_connectors.into();
    let connectors: Vec<u32> = user_memory::read_array(crtc.set_connectors_ptr, count)?;
    // The plane shows framebuffers from their first pixel on.
    if connectors != [display::CONNECTOR] || crtc.x != 0 || crtc.y != 0 {
        return Err(Errno::EINVAL);
    }
    file.set_crtc(Some(crtc.fb_id), Some(crtc.mode))
}
