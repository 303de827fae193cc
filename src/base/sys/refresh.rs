//! The refreshes of displays, which libraries for the primary node do not cover.
//!
//! In:  a descriptor of a primary node, and a CRTC. Out: numbers of refreshes.
//! Ref: drm.h, "struct drm_crtc_queue_sequence".

use std::os::fd::BorrowedFd;

use uapi::mode::{self, CrtcGetSequence, CrtcQueueSequence};
use uapi::{Errno, Result};

use crate::file::ioctl;

/// The number of the last refresh of a CRTC. None: it is inactive.
pub fn last_refresh(node: BorrowedFd<'_>, crtc: u32) -> Result<Option<u64>> {
    let mut request = CrtcGetSequence {
        crtc_id: crtc,
        ..CrtcGetSequence::default()
    };
    match ioctl(node, mode::CRTC_GET_SEQUENCE, &mut request) {
        Ok(()) => Ok(Some(request.sequence)),
        Err(Errno::EINVAL) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Requests an event at the next refresh of a CRTC, with the given data. Returns false if it is
/// inactive. `ENOMEM`: too many events have not been read.
pub fn request_refresh_event(node: BorrowedFd<'_>, crtc: u32, user_data: u64) -> Result<bool> {
    let mut request = CrtcQueueSequence {
        crtc_id: crtc,
        flags: mode::CRTC_SEQUENCE_RELATIVE,
        sequence: 1,
        user_data,
    };
    match ioctl(node, mode::CRTC_QUEUE_SEQUENCE, &mut request) {
        Ok(()) => Ok(true),
        Err(Errno::EINVAL) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The data of a refresh's event, if an event that was read from a node is one.
pub fn refresh_event_data(event: &[u8]) -> Option<u64> {
    let kind = event.first_chunk().copied().map(u32::from_ne_bytes)?;
    let data = event.get(8..)?.first_chunk().copied()?;
    (kind == mode::EVENT_CRTC_SEQUENCE).then_some(u64::from_ne_bytes(data))
}
