//! Which ioctls of the DRM core a file may call.
//!
//! In:  an ioctl's number, the node that the file was opened by. Out: `EACCES` where the kernel
//!      refuses the call before it looks at the argument.
//! Ref: Linux, drivers/gpu/drm/drm_ioctl.c, drm_ioctl_permit and the table drm_ioctls.

use std::ops::RangeInclusive;

use uapi::{Errno, Result};

/// The kind of file that calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// A render node's.
    Render,
    /// A primary node's, while another process is the master of the device.
    Primary,
    /// A primary node's that is the master.
    Master,
}

/// Who may call an ioctl that render nodes lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// Files of primary nodes.
    Primary,
    /// The master.
    Master,
}

/// The ioctls of the core that render nodes lack. The others are either allowed to every file or
/// unknown.
#[rustfmt::skip]
static RESTRICTED: &[(RangeInclusive<u32>, For)] = &[
    // GET_UNIQUE, GET_MAGIC; GET_CLIENT, GET_STATS; SET_VERSION.
    (0x01..=0x02, For::Primary),
    (0x05..=0x06, For::Primary),
    (0x07..=0x07, For::Master),
    // GEM_FLINK, GEM_OPEN.
    (0x0a..=0x0b, For::Primary),
    // SET_CLIENT_CAP.
    (0x0d..=0x0d, For::Primary),
    // SET_UNIQUE, AUTH_MAGIC, BLOCK, UNBLOCK.
    (0x10..=0x13, For::Master),
    // SET_MASTER and DROP_MASTER: EACCES, too, for a file that never was the master.
    (0x1e..=0x1f, For::Master),
    // WAIT_VBLANK, CRTC_GET_SEQUENCE, CRTC_QUEUE_SEQUENCE.
    (0x3a..=0x3c, For::Primary),
    // MODE_GETRESOURCES, GETCRTC; SETCRTC, CURSOR; GETGAMMA; SETGAMMA; GETENCODER, GETCONNECTOR.
    (0xa0..=0xa1, For::Primary),
    (0xa2..=0xa3, For::Master),
    (0xa4..=0xa4, For::Primary),
    (0xa5..=0xa5, For::Master),
    (0xa6..=0xa7, For::Primary),
    // ATTACHMODE, DETACHMODE; GETPROPERTY; SETPROPERTY; GETPROPBLOB to RMFB.
    (0xa8..=0xa9, For::Master),
    (0xaa..=0xaa, For::Primary),
    (0xab..=0xab, For::Master),
    (0xac..=0xaf, For::Primary),
    // PAGE_FLIP, DIRTYFB; CREATE_DUMB to GETPLANE; SETPLANE; ADDFB2, OBJ_GETPROPERTIES.
    (0xb0..=0xb1, For::Master),
    (0xb2..=0xb6, For::Primary),
    (0xb7..=0xb7, For::Master),
    (0xb8..=0xb9, For::Primary),
    // OBJ_SETPROPERTY, CURSOR2, ATOMIC; CREATEPROPBLOB, DESTROYPROPBLOB.
    (0xba..=0xbc, For::Master),
    (0xbd..=0xbe, For::Primary),
    // CREATE_LEASE to REVOKE_LEASE; GETFB2; CLOSEFB.
    (0xc6..=0xc9, For::Master),
    (0xce..=0xce, For::Primary),
    (0xd0..=0xd0, For::Primary),
];

/// Checks that a client may call an ioctl of the core.
///
/// # Errors
/// `EACCES` if it may not.
pub(crate) fn check(client: Client, number: u32) -> Result<()> {
    let mut rows = RESTRICTED.iter();
    let row = rows.find(|(numbers, _)| numbers.contains(&number));
    match (row, client) {
        (Some(_), Client::Render) | (Some((_, For::Master)), Client::Primary) => Err(Errno::EACCES),
        _ => Ok(()),
    }
}
